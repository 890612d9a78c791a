"""The findings of `check` as sentences, as the shell and a notebook show them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import pandas as pd

from irpref.observed import LEVELS
from irpref.show import Column, ResultFrame, Table

MOST = 3  # runs with the same finding that are listed one by one
ROOM = 60  # characters for the names of the others


class Findings(ResultFrame):
    """Findings of `check`: a frame that is shown as sentences.

    Attributes
    ----------
    text : str
        In one line, whether values can be trusted.
    """

    @property
    def text(self) -> str:
        """In one line, whether values can be trusted."""
        return verdict_of(self)

    def tables(self) -> Sequence[Table]:
        """Return the findings as tables for readers."""
        return of_findings(self)


def verdict_of(findings: pd.DataFrame) -> str:
    """Say in one line whether values can be trusted, and count the findings of each level."""
    counts = {level: int((findings["level"] == level).sum()) for level in LEVELS}
    words = {"grave": "grave finding", "warning": "warning", "note": "note"}
    found = [f"{n:,} {words[level]}{'s' * (n > 1)}" for level, n in counts.items() if n]
    if counts["grave"]:
        return f"Values would mislead: {', '.join(found)}."
    if counts["warning"]:
        return f"Nothing is grave, but values depend on these findings: {', '.join(found)}."
    return f"No problem was found ({found[0]})." if found else "No problem was found."


def of_findings(findings: pd.DataFrame) -> list[Table]:
    """Show in one line whether values can be trusted, then the findings of each level as a list of
    sentences, then the measures that suit the judgments.
    """
    records = findings.astype(object).where(findings.notna(), None).to_dict("records")
    sentences = [Column("", left=True, prose=True)]
    columns = [Column("", left=True), *sentences]
    tables = [
        Table(sentences, [(f"- {line}",) for line in _lines(rows)], level.capitalize())
        for level, rows in groupby(records, key=lambda row: str(row["level"]))
    ]
    advice = [(row["measure"], row["why"]) for row in findings.attrs.get("measures", ())]
    tables += [Table(columns, advice, "Measures that suit these judgments")] * bool(advice)
    tables = tables or [Table([], [])]
    tables[0].title = f"{verdict_of(findings)}\n\n{tables[0].title}"
    return tables


def _lines(findings: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Word findings as sentences, those about the judgments first; of a code that more than `MOST`
    runs have, give the first of them and the names of some others.
    """
    rows = list(findings)
    yield from (row["text"] for row in rows if not row["run"])
    for _, same in groupby((row for row in rows if row["run"]), key=itemgetter("code")):
        first, *others = same
        if len(others) < MOST:
            yield from (row["text"] for row in (first, *others))
        else:
            names = list(dict.fromkeys(row["run"] for row in others))
            more = f"{len(names)} more runs like this: {_some(names)}"
            yield f"{first['text']} ({more})"


def _some(names: list[str]) -> str:
    """List the first names, at least one, in about `ROOM` characters."""
    shown = names[:1]
    for name in names[1:]:
        if len(", ".join([*shown, name])) > ROOM:
            return ", ".join(shown) + ", ..."
        shown.append(name)
    return ", ".join(shown)
