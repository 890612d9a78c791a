"""Numbers and tables as the pages print them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def fraction(x: float) -> str:
    """Format a number with two digits, without the zero before the point."""
    return (
        "–"
        if not np.isfinite(x)
        else re.sub(r"^(-?)0\.", r"\1.", f"{x:.2f}").replace("-.00", ".00")
    )


def signed(x: float) -> str:
    """Format a number with two digits and a sign."""
    text = fraction(abs(x))
    return text if text in ("–", ".00") else ("+" if x > 0 else "−") + text


def thousandths(x: float) -> str:
    """Format a number with three digits and a sign."""
    return ("−" if x < 0 else "+") + f"{abs(x):.3f}".removeprefix("0")


def times(x: float) -> str:
    """Format a logarithm as a factor."""
    return "–" if not np.isfinite(x) else f"×{np.exp(x):.1f}"


def percent(x: float, sign: bool = False) -> str:
    """Format a share in per cent: whole numbers from 10 on, one digit below."""
    if not np.isfinite(x):
        return "–"
    text = f"{abs(100 * x):.0f}" if abs(100 * x) >= 9.95 else f"{abs(100 * x):.1f}"
    if float(text) == 0:
        return "0"
    return ("−" if x < 0 else "+" if sign else "") + text


def count(n: int) -> str:
    """Write a small number as a word."""
    return WORDS[n] if n < len(WORDS) else str(n)


def listed(names: Iterable[str]) -> str:
    """List names: A, B and C."""
    every = list(names)
    return " and ".join(filter(None, [", ".join(every[:-1]), *every[-1:]]))


def interval(low: str, high: str) -> str:
    """Put two ends in brackets, in which a line does not break."""
    return f"[{low},\u00a0{high}]"


def span(low: str, high: str) -> str:
    """Join lowest and highest, so that a line does not break between them."""
    return low if low == high else f"{low}\u00a0to\u00a0{high}"


def code(words: str) -> str:
    """Mark options in the text as code."""
    return re.sub(r"(unretrieved='\w+')", r"`\1`", words)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table in Markdown, columns of numbers to the right."""
    body = [list(row) for row in rows]
    numbers = [
        all(re.match(r"\W*(\d|$)", cell) for cell in column) for column in zip(*body, strict=True)
    ]
    lines = [head, ["--:" if right else "---" for right in numbers], *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
