"""The common part of tests of refusals: two topics with a run, and the message of an error."""

import pytest

import irpref
from irpref.errors import IrprefError

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2}}
RUN = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 3.0}}


def mean(measure, qrels, run):
    return irpref.evaluator([measure], qrels).calc_aggregate(run)[measure]


def refusal(measure, qrels, run) -> str:
    """Return the message of the ValueError, which is one of ours."""
    with pytest.raises(ValueError, match=r"\w") as error:  # the text is the caller's to check
        mean(measure, qrels, run)
    assert type(error.value) is ValueError or isinstance(error.value, IrprefError)
    return str(error.value)
