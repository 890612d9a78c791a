"""The list of everything that is looked for in judgments and runs.

Results name codes in this order. `irpref.evidence`, check, verdicts, boards and reports go over the
list; `irpref eval` asks for some grave ones only (`irpref.observed.streamed`). Reasons that lie in
how a verdict is reached, such as a sample between two looks, are not on it. A code is a fact about
judgments and runs, not a verdict: a relevant document that no run retrieves is a result.
These codes say of a topic that its value is no evidence:

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

from irpref.observed import judgment_codes as of_judgments
from irpref.observed import measure_codes as of_measures
from irpref.observed import run_codes as of_runs
from irpref.observed.finding import Code

_LISTED = (*of_judgments.CODES, *of_runs.CODES, *of_measures.CODES)
# Against a verdict, these are said first, in this order.
_FIRST = (
    *(of_judgments.GRADES_REVERSED, of_judgments.ONE_GRADE, of_runs.UPSIDE_DOWN),
    *(of_judgments.UNANSWERABLE, of_runs.UNANSWERED, of_runs.CHANGED_IDS, of_runs.OTHER_TOPIC),
    *(of_measures.OUT_OF_REACH, of_judgments.UNSEEN, of_runs.UNSEEN_RUN, of_measures.BLIND),
    *(of_runs.SHALLOW, of_runs.UNJUDGED, of_measures.FEW_TOPICS, of_runs.REPEATS),
    *(of_runs.RANKS_BEGIN_LATE, of_runs.EQUAL_SCORES, of_runs.ID_ORDER, of_measures.WIDE_MARGIN),
)
CODES: list[Code] = [*_FIRST, *(code for code in _LISTED if code not in _FIRST)]
OF_BOTH = frozenset(code.name for code in CODES if code.of_both)
