"""How far unjudged documents (holes) could change a value, or the difference of two."""

from irpref_lab.trust.holes.over_grades import difference_intervals, hole_intervals, notes_on
from irpref_lab.trust.holes.turnable import pair_intervals

__all__ = ["difference_intervals", "hole_intervals", "notes_on", "pair_intervals"]
