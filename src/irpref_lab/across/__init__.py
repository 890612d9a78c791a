"""Several collections at once, to compare systems over all collections.

`collected` names the collections, `strata` has the statistics of means over them. The verdicts are
in `irpref_lab.decide`.
"""

from irpref_lab.across.collected import Collections, check_single, collections, several

__all__ = ["Collections", "check_single", "collections", "several"]
