"""The list of everything that is looked for in judgments and runs.

Results name codes in this order. `irpref.evidence` and every surface go over the list; there is no
other one. A code is a fact about judgments and runs, not a verdict: a relevant document that no run
retrieves is a result. These codes say of a topic that its value is no evidence:

    unanswerable   the topic has no positive grade
    out-of-reach   it has positive grades, but the ideal ranking has the value of an empty one: no
                   grade reaches `rel`, or all gains are 0
    unanswered     a run has no documents for it, or the measure no value (NaN)
    changed-ids    a run has an unjudged document in its first ten whose id is a judged one
                   but for a change that tools make: case, `#1` at the end, zeros at the beginning
    unseen         no run retrieves a judged document
    blind          its judged documents have several grades, which all count the same for the
                   measure, and at least half of the documents that the runs retrieve within the
                   measure's cutoff (ten without one) are judged: AP on grades from 1 to 5. Or the
                   measure leaves out unjudged documents, and all judged ones count the same: Bpref
                   without a document judged non-relevant
    shallow        a run has fewer documents than the measure looks at: than its cutoff, or, without
                   one, than half as many as another run

A topic that has fewer documents than a cutoff is shallow only if another run has more there, or if
the run reaches the cutoff on no topic at all: some queries have few answers. The differences that a
measure sees on judgments alone are in `irpref.observed.sensitivity`."""

from __future__ import annotations

from irpref.observed import judgment_codes, measure_codes, run_codes
from irpref.observed.finding import Code

_LISTED = (*judgment_codes.CODES, *run_codes.CODES, *measure_codes.CODES)
# The codes that can rule out a verdict come first, in the order in which they are said.
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
