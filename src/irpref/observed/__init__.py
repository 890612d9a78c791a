"""The search for oddities in judgments and runs: one list of codes, and the notes made of each
run.

Packages that build on irpref import from here; `irpref.evidence` is the public function."""

from irpref.observed.codes import CODES
from irpref.observed.evidence import MISSING, Evidence, Row, System, check_present
from irpref.observed.finding import LEVELS, Code, Found, Ground, View
from irpref.observed.gathering import Gatherer, gathered, read_repeats, repeats_in
from irpref.observed.judgment_codes import CONTRADICTING_PREFERENCES
from irpref.observed.measure_codes import too_few
from irpref.observed.observation import Observation
from irpref.observed.run_codes import INVALID_RUN
from irpref.observed.sensitivity import TOP, is_count, limits_of, sees_grades
from irpref.observed.streamed import lines
from irpref.observed.suggestions import alternatives, suggest, usual
from irpref.observed.thresholds import threshold_of, thresholds, thresholds_on

__all__ = [
    "CODES",
    "CONTRADICTING_PREFERENCES",
    "INVALID_RUN",
    "LEVELS",
    "MISSING",
    "TOP",
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
    "check_present",
    "gathered",
    "is_count",
    "limits_of",
    "lines",
    "read_repeats",
    "repeats_in",
    "sees_grades",
    "suggest",
    "threshold_of",
    "thresholds",
    "thresholds_on",
    "too_few",
    "usual",
]
