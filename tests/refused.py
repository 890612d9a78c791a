"""The common part of tests of refusals: two topics with a run, and errors by class and attributes.

How a sentence reads is tested once; other tests ask which error it is, and what it is about.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import irpref
from irpref.errors import IrprefError, IrprefWarning

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2}}
RUN = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 3.0}}


def mean(measure, qrels, run):
    return irpref.evaluator([measure], qrels).calc_aggregate(run)[measure]


def about(told: Exception, *names: str) -> dict[str, Any]:
    """Return some attributes of an error or a warning."""
    return {name: getattr(told, name) for name in names}


def _is_about(told: Any, kind: type[Exception], attributes: dict[str, Any]) -> None:
    assert type(told) is kind, repr(told)
    found = about(told, *attributes)
    assert found == attributes, f"{found}, expected {attributes}: {told}"


@contextmanager
def refuses(kind: type[IrprefError], **attributes: Any) -> Iterator[pytest.ExceptionInfo]:
    """Expect an error of just this class, with these attributes."""
    with pytest.raises(kind) as error:
        yield error
    _is_about(error.value, kind, attributes)


@contextmanager
def warns_of(kind: type[IrprefWarning], **attributes: Any) -> Iterator[list[IrprefWarning]]:
    """Expect one warning of just this class, with these attributes; others may come along."""
    told: list[Any] = []
    with pytest.warns(kind) as caught:
        yield told
    told += [one.message for one in caught if type(one.message) is kind]
    assert len(told) == 1, list(map(str, told))
    _is_about(told[0], kind, attributes)


def refusal(measure, qrels, run) -> IrprefError:
    """Return the error, which is one of ours."""
    with pytest.raises(IrprefError) as error:
        mean(measure, qrels, run)
    return error.value
