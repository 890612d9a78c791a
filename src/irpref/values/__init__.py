"""Values of measures by run and topic, and why others may be different."""

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
    "UNIT",
    "Reason",
    "measured",
    "ranked",
    "reasons_for",
]
