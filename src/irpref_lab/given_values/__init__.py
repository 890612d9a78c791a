"""Values by topic that somebody else computed, read from anywhere: see `irpref_lab.values`."""

from irpref_lab.given_values.given import Values
from irpref_lab.given_values.reading import values

__all__ = ["Values", "values"]
