"""The search for oddities in judgments and runs, before their values are believed.

Each file below needs only those before it:

    observation   the notes of one run, whatever the measure (`changed_ids`, `scales`)
    system        one run or several, with their values and notes
    facts         systems beside the judgments: masks by topic, values, orders of documents
    finding       a code: where it holds, its sentence, and its consequences
    *_codes       the codes themselves, about judgments, runs and measures; `codes` lists them
    evidence      the search: which codes hold, and which rule out a verdict
    gathering     evaluates and observes runs, for `irpref.evidence` and the lab
    streamed      the same for files judged while they are read (`scored_files`, for `irpref eval`)

Packages that build on irpref import from here; `irpref.evidence` is the public function."""

from irpref.observed.changed_ids import Changed, respelled
from irpref.observed.codes import CODES, OF_BOTH
from irpref.observed.evidence import Evidence, Row
from irpref.observed.facts import MISSING
from irpref.observed.finding import LEVELS, Code, Found, Ground, View
from irpref.observed.gathering import Gatherer, gathered, read_repeats, repeats_in
from irpref.observed.judgment_codes import CONTRADICTING_PREFERENCES, GRADES_REVERSED, UNANSWERABLE
from irpref.observed.measure_codes import (
    BLIND,
    FEW_TOPICS,
    FEWEST,
    OUT_OF_REACH,
    SAME_VALUES,
    WIDE_MARGIN,
    too_few,
)
from irpref.observed.observation import Observation
from irpref.observed.run_codes import (
    INVALID_RUN,
    TIES_DECIDE,
    UNANSWERED,
    UPSIDE_DOWN,
    too_many_unanswered,
)
from irpref.observed.sensitivity import TOP, can_see_grades, is_count, limits_of, sees_grades
from irpref.observed.streamed import lines
from irpref.observed.suggestions import alternatives, suggest, usual
from irpref.observed.system import System, check_present
from irpref.observed.thresholds import threshold_of, thresholds, thresholds_on

__all__ = [
    "BLIND",
    "CODES",
    "CONTRADICTING_PREFERENCES",
    "FEWEST",
    "FEW_TOPICS",
    "GRADES_REVERSED",
    "INVALID_RUN",
    "LEVELS",
    "MISSING",
    "OF_BOTH",
    "OUT_OF_REACH",
    "SAME_VALUES",
    "TIES_DECIDE",
    "TOP",
    "UNANSWERABLE",
    "UNANSWERED",
    "UPSIDE_DOWN",
    "WIDE_MARGIN",
    "Changed",
    "Code",
    "Evidence",
    "Found",
    "Gatherer",
    "Ground",
    "Observation",
    "Row",
    "System",
    "View",
    "alternatives",
    "can_see_grades",
    "check_present",
    "gathered",
    "is_count",
    "limits_of",
    "lines",
    "read_repeats",
    "repeats_in",
    "respelled",
    "sees_grades",
    "suggest",
    "threshold_of",
    "thresholds",
    "thresholds_on",
    "too_few",
    "too_many_unanswered",
    "usual",
]
