"""The list of everything that is looked for in judgments and runs.

Results name codes in this order. `irpref.evidence` and every surface go over the list; there is no
other one."""

from __future__ import annotations

from irpref.observed import judgment_codes, measure_codes, run_codes
from irpref.observed.finding import Code

_LISTED = (*judgment_codes.CODES, *run_codes.CODES, *measure_codes.CODES)
# The codes that can stand against a verdict come first, in the order in which they are said.
_FIRST = (
    *("grades-reversed", "one-grade", "upside-down"),
    *("unanswerable", "unanswered", "changed-ids", "other-topic", "out-of-reach", "unseen"),
    *("blind", "shallow", "unjudged", "few-topics", "repeats", "ranks-begin-late"),
    *("equal-scores", "id-order", "wide-margin"),
)
CODES: list[Code] = sorted(
    _LISTED,
    key=lambda code: _FIRST.index(code.name) if code.name in _FIRST else len(_FIRST),
)
