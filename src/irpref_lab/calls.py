"""Calls with runs too many, too few or in one argument: the error has the line to type."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

from irpref.errors import QRELS_FIRST, ArgumentError
from irpref.judged import Run
from irpref.messages import wrong_number
from irpref.observed import repeats_in

_Function = TypeVar("_Function", bound=Callable[..., Any])
_BOARD = "irpref_lab.leaderboard(measures, qrels, runs)"


def by_line(*alone: str, repeats: bool = False) -> Callable[[_Function], _Function]:
    """Make a public function refuse a wrong number of arguments with the line to type.

    Parameters
    ----------
    alone : str
        The parameters that take one run each, such as `a` and `b`.
    repeats : bool
        Whether a list of runs is accepted as one system that was run several times.
    """

    def decorate(function: _Function) -> _Function:
        known = signature(function).parameters.values()
        names = [one.name for one in known if one.kind is one.POSITIONAL_OR_KEYWORD]
        needed = [one.name for one in known if one.default is one.empty]
        line = f"irpref_lab.{function.__name__}({', '.join(names)})"

        @wraps(function)
        def called(*args: Any, **options: Any) -> Any:
            given = dict(zip(names, args, strict=False)) | options
            more, lacking = args[len(names) :], [name for name in needed if name not in given]
            if more or lacking:
                runs = [given[name] for name in alone if name in given]
                if runs and alone == tuple(names[-len(alone) :]):
                    raise _wrong_number(line, len(alone), [*runs, *more])
                raise ArgumentError(_in_words(line, len(args), lacking), parameter="runs")
            if _names_runs(given.get("qrels"), (Mapping,)):
                raise ArgumentError(
                    f"qrels: expected judgments, got runs by name; type {line}",
                    parameter="qrels",
                    remedy=QRELS_FIRST,
                )
            for name in alone:
                _check_alone(name, given.get(name), repeats)
            return function(*args, **options)

        return called  # type: ignore[return-value]  # of the same signature

    return decorate


def _in_words(line: str, n: int, lacking: list[str]) -> str:
    """Say which arguments lack, or that there are too many."""
    wrong = f"{', '.join(lacking)} missing" if lacking else f"got {n} arguments"
    runs = "; several runs are one argument: {'name': run, ...}, or a list of paths"
    return f"{wrong}; type {line}" + runs * ("runs" in line)


def _wrong_number(line: str, expected: int, runs: list[Any]) -> ArgumentError:
    """Make the error about runs too many or too few, of which one argument may hold several."""
    stars = ""
    if len(runs) == 1:
        named = _names_runs(runs[0])
        several = list(runs[0]) if named else _listed(runs[0])
        if len(several) > 1:
            stars, runs = "*runs.values()" if named else "*runs", several
    before, _, _ = line.rpartition("qrels, ")
    typed = f"{before}qrels, {stars})" if stars and len(runs) == expected else line
    return ArgumentError(
        wrong_number(
            f"{'two runs' if expected == 2 else 'one run'} after the qrels",
            len(runs),
            f"; type {typed}",
            _BOARD if len(runs) > expected == 2 else "",
        ),
        parameter="runs",
    )


def _check_alone(name: str, given: Any, repeats: bool) -> None:
    """Refuse several runs where one is expected."""
    if _names_runs(given):
        first, found = next(iter(given)), f"{len(given)} runs by name"
    elif not repeats and (several := _listed(given)) and several[0] is not given:
        first, found = 0, f"a list of {len(several)}"
    else:
        return
    raise ArgumentError(
        f"{name}: expected one run, got {found}; type {name}=runs[{first!r}]",
        parameter=name,
        value=given,
    )


def _names_runs(given: Any, documents: tuple[type, ...] = (Mapping, list, tuple)) -> bool:
    """Test whether a mapping has names of runs as its keys, not topics: `documents` are the forms
    of a topic in the dict of a run.
    """
    if not isinstance(given, Mapping) or not given:
        return False
    first = next(iter(given.values()))
    if isinstance(first, (list, tuple)):
        return bool(first) and hasattr(first[0], "_fields")
    if isinstance(first, Mapping):
        return isinstance(next(iter(first.values()), None), documents)
    return isinstance(first, (str, os.PathLike, Run)) or hasattr(first, "columns")


def _listed(given: Any) -> list[Any]:
    """List the runs of one argument."""
    of_records = isinstance(given, (list, tuple)) and given and isinstance(given[0], list)
    return list(given) if of_records else repeats_in(given)
