"""Values of options: how they are made from text, and the error if that fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import isfinite
from typing import Any

import click

from irpref.cli.remedies import text_of
from irpref.errors import ArgumentError
from irpref.messages import did_you_mean

__all__ = ["COUNT", "OTHER_COLUMNS", "Choice", "FileName", "Parsed", "listed", "number", "whole"]

# In the context of a command: the names that --columns takes in place of ours.
OTHER_COLUMNS = f"{__name__}.other_columns"
LABELS_EXPECTED = "LABEL=GRADE, such as good=1,bad=0, or known labels, such as 'S A B C'"


class Complete(click.BadParameter):
    """A bad value whose message says enough, so that no help needs to be named."""


class Choice(click.Choice[str]):
    """One of several words; the error names the nearest."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the word if it is one of the choices."""
        known = list(map(str, self.choices))
        if value not in known:
            raise none_of(value, known, ctx=ctx, param=param)
        return super().convert(value, param, ctx)


def none_of(value: object, known: Iterable[str], **where: Any) -> click.BadParameter:
    """Make the error of an option whose value is none of the known words.

    Parameters
    ----------
    **where : `param_hint`, the option in quotes, or `ctx` and `param`
    """
    known = list(known)
    meant = did_you_mean(str(value), known)
    error = Complete if meant or "param_hint" in where else click.BadParameter
    shown = ", ".join([*known[:20], *["..."] * (len(known) > 20)])
    return error(f"{value!r} is not one of {shown}{meant}", **where)


class FileName(click.Path):
    """The name of a file or folder; an empty one is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name."""
        if not str(value).strip():
            kind = "file" if self.file_okay else "folder"
            raise click.BadParameter(f"expected the name of a {kind}, got ''", ctx, param)
        return super().convert(value, param, ctx)


class Parsed(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.5
    """A type of option whose text a function parses.

    Parameters
    ----------
    name : str
    parse : callable
        Takes the text; raises `ValueError`.
    expected : str, optional
        The expected form, for the error; by default the error of `parse` is shown.
    """

    def __init__(self, name: str, parse: Callable[[str], Any], expected: str | None = None) -> None:
        self.name, self.parse, self.expected = name, parse, expected

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Parse the text; return a default as it is."""
        if not isinstance(value, str):
            return value
        try:
            return self.parse(value)
        except ValueError as error:
            if self.expected is None:
                raise Complete(text_of(error), ctx, param) from None
            self.fail(f"{value!r}: expected {self.expected}", param, ctx)


def pairs(text: str, expected: str) -> list[tuple[str, str]]:
    """Split `a=b,c=d` into pairs; `expected` describes this form in the error."""
    parts = [part.partition("=") for part in text.split(",")]
    if not all(name.strip() and value.strip() for name, _, value in parts):
        raise ArgumentError(f"{text!r}: expected {expected}", value=text)
    return [(name.strip(), value.strip()) for name, _, value in parts]


def _float(text: str) -> float:
    """Return a number written in ASCII digits; Python's `float` also takes others, and `1_0`."""
    if not text.isascii() or "_" in text:
        raise ValueError
    return float(text)


def _int(text: str) -> int:
    """Return a whole number written in ASCII digits."""
    if not text.isascii() or "_" in text:
        raise ValueError
    return int(text)


def number(expected: str, accepts: Callable[[float], bool]) -> Parsed:
    """Accept a finite number that passes the test."""

    def parse(text: str) -> float:
        number = _float(text)
        if not (isfinite(number) and accepts(number)):
            raise ValueError
        return number

    return Parsed("float", parse, expected)


def whole(least: int) -> Callable[[str], int]:
    """Make a parser of whole numbers from `least` on."""

    def parse(text: str) -> int:
        if not text.isdecimal() or _int(text) < least:
            raise ValueError
        return int(text)

    return parse


def listed(parse: Callable[[str], Any]) -> Callable[[str], list[Any]]:
    return lambda text: [parse(part.strip()) for part in text.split(",")]


def _places(text: str) -> int:
    if not -1 <= _int(text) < 100:
        raise ValueError
    return int(text)


def _columns(text: str) -> Any:
    from irpref.data.columns import NAMES, reading

    ctx = click.get_current_context(silent=True)
    others = None if ctx is None else ctx.meta.get(OTHER_COLUMNS)
    expected, known = "OURS=YOURS, such as query_id=query,relevance=rating", NAMES
    if others is not None:
        text, expected, known = _each_named(text), "such as topic=query,measures=recall", others
    names: dict[str, list[str]] = {}
    for ours, theirs in pairs(text, expected):
        if theirs in known and ours not in known:
            raise ArgumentError(
                f"{ours}={theirs}: our name comes first: {theirs}={ours}", value=text
            )
        names.setdefault(ours, []).append(theirs)
    if others is not None:
        return {ours: tuple(theirs) for ours, theirs in names.items()}
    return reading(columns=names).columns


def _each_named(text: str) -> str:
    """Spell lists out: `measures=a,b` is `measures=a,measures=b`."""
    parts: list[str] = []
    for part in text.split(","):
        if "=" not in part and parts and part.strip():
            part = f"{parts[-1].partition('=')[0]}={part}"
        parts.append(part)
    return ",".join(parts)


def _documents(text: str) -> str:
    import os

    from irpref.data.rows import matcher

    if not os.path.isfile(text):
        matcher(text)  # refuses a wrong pattern
    return text


def _labels(text: str) -> Any:
    from irpref.data.columns import reading

    if "=" in text:
        grades = {label: _grade(label, grade) for label, grade in pairs(text, LABELS_EXPECTED)}
        return reading(labels=grades).labels
    try:
        return reading(labels=text).labels
    except ArgumentError:
        raise ArgumentError(f"{text!r}: expected {LABELS_EXPECTED}", value=text) from None


def _grade(label: str, text: str) -> float | None:
    if text.lower() == "unjudged":
        return None
    try:
        return _float(text)
    except ValueError:
        raise ArgumentError(
            f"{label}={text}: a grade is a number, or the word unjudged", value=text
        ) from None


def _gains(text: str) -> dict[float, float]:
    parts = [part.replace(":", "=").split("=") for part in text.split(",")]
    return {_float(grade): _float(gain) for grade, gain in parts}


COUNT = Parsed("count", whole(1), "a number of at least 1")
PARTITIONS = Parsed("partitions", listed(whole(2)), "whole numbers of at least 2, such as 2,4,8")
GRADE = number("a number above 0", lambda x: x > 0)
BETA = number("a number of at least 0", lambda x: x >= 0)
BASE = number("a number above 1", lambda x: x > 1)
PLACES = Parsed("places", _places, "a number of decimal places, or -1 for all")
COLUMNS = Parsed("columns", _columns)
DOCUMENTS = Parsed("documents", _documents, "a file, or a pattern with a group, such as '^(.*)#'")
LABELS = Parsed("labels", _labels)
GAINS = Parsed("gains", _gains, "gains such as 1=1,2=3,3=7")
