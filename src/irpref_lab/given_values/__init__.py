"""Values by topic that somebody else computed, read from anywhere: see `irpref_lab.values`.

`reading` takes any form; `texts` reads files, and `tables` turns tables into rows. All become
`Values` (`given`). `facts` is the evidence in them, and `basis` lets them answer verdicts in place
of judged runs.
"""

from irpref_lab.given_values.given import Values
from irpref_lab.given_values.reading import values

__all__ = ["Values", "values"]
