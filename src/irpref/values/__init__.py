"""Values of measures by run and topic, and why others may be different."""

from irpref.values.kernels import KernelEvaluator, Task
from irpref.values.matrix import MeasureValues, TopicValues, higher_is_better, values_in
from irpref.values.means import ROUNDING, have_a_value, magnitude, places, settled
from irpref.values.reasons import (
    OF_MEASURE,
    OF_RUN,
    OF_TOPICS,
    PERCENT,
    UNIT,
    Reason,
    measured,
    ranked,
    reasons_for,
)

__all__ = [
    "OF_MEASURE",
    "OF_RUN",
    "OF_TOPICS",
    "PERCENT",
    "ROUNDING",
    "UNIT",
    "KernelEvaluator",
    "MeasureValues",
    "Reason",
    "Task",
    "TopicValues",
    "have_a_value",
    "higher_is_better",
    "magnitude",
    "measured",
    "places",
    "ranked",
    "reasons_for",
    "settled",
    "values_in",
]
