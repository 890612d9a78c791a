"""Values of options: what they are made from text by, and what is said if that fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from irpref.cli.remedies import text_of
from irpref.errors import ArgumentError
from irpref.messages import did_you_mean

LABELS_EXPECTED = "LABEL=GRADE, such as good=1,bad=0, or known labels, such as 'S A B C'"


class Complete(click.BadParameter):
    """A bad value whose message says what was meant, so that no help needs to be named."""


class Choice(click.Choice[str]):
    """One of several words; the error names the nearest."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The word, if it is one of them."""
        known = list(map(str, self.choices))
        if value in known:
            return super().convert(value, param, ctx)
        meant = did_you_mean(str(value), known)
        error = Complete if meant else click.BadParameter
        raise error(f"{value!r} is not one of {', '.join(known)}{meant}", ctx, param)


class Parsed(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.5
    """What a function makes of text.

    Parameters
    ----------
    name : str
    parse : callable
        Takes the text; raises `ValueError`.
    expected : str, optional
        What the error says is expected; by default the error is what `parse` says.
    """

    def __init__(self, name: str, parse: Callable[[str], Any], expected: str | None = None) -> None:
        self.name, self.parse, self.expected = name, parse, expected

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """What the text means; a default is returned as it is."""
        if not isinstance(value, str):
            return value
        try:
            return self.parse(value)
        except ValueError as error:
            if self.expected is None:
                raise Complete(text_of(error), ctx, param) from None
            self.fail(f"{value!r}: expected {self.expected}", param, ctx)


def pairs(text: str, expected: str) -> list[tuple[str, str]]:
    """`a=b,c=d` as pairs; `expected` is what the error says is expected."""
    parts = [part.partition("=") for part in text.split(",")]
    if not all(name.strip() and value.strip() for name, _, value in parts):
        raise ArgumentError(f"{text!r}: expected {expected}", value=text)
    return [(name.strip(), value.strip()) for name, _, value in parts]


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ValueError
    return int(text)


def _level(text: str) -> float:
    level = float(text)
    if not 0 < level < 1:
        raise ValueError
    return level


def _places(text: str) -> int:
    if int(text) < -1:
        raise ValueError
    return int(text)


def _columns(text: str) -> Any:
    from irpref.data.columns import NAMES, reading

    names: dict[str, list[str]] = {}
    for ours, theirs in pairs(text, "OURS=YOURS, such as query_id=query,relevance=rating"):
        if theirs in NAMES and ours not in NAMES:
            raise ArgumentError(
                f"{ours}={theirs}: our name comes first: {theirs}={ours}", value=text
            )
        names.setdefault(ours, []).append(theirs)
    return reading(columns=names).columns


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
        return float(text)
    except ValueError:
        raise ArgumentError(
            f"{label}={text}: a grade is a number, or the word unjudged", value=text
        ) from None


def _gains(text: str) -> dict[float, float]:
    parts = [part.replace(":", "=").split("=") for part in text.split(",")]
    return {float(grade): float(gain) for grade, gain in parts}


def _size(text: str) -> tuple[float, float]:
    width, height = (float(part) for part in text.lower().split("x"))
    if not (0 < width < 100 and 0 < height < 100):
        raise ValueError
    return width, height


COUNT = Parsed("count", _count, "a number of at least 1")
LEVEL = Parsed("float", _level, "a number between 0 and 1, such as 0.95")
PLACES = Parsed("places", _places, "a number of decimal places, or -1 for all")
INTEGERS = Parsed(
    "integers", lambda text: [int(part) for part in text.split(",")], "whole numbers such as 2,4,8"
)
NUMBERS = Parsed(
    "numbers", lambda text: [float(part) for part in text.split(",")], "numbers such as 0,1,2"
)
COLUMNS = Parsed("columns", _columns)
LABELS = Parsed("labels", _labels)
GAINS = Parsed("gains", _gains, "gains such as 1=1,2=3,3=7")
SIZE = Parsed("size", _size, "a size in inches such as 4.4x3.2")
