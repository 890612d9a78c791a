"""Columns of a run that hold ranks instead of scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from irpref.data.columns import Table, holds_ranks, may_hold_ranks, stretches_of
from irpref.errors import InputError


class Counted:
    """Numbers of the topics of a run, some rows at a time: are they 1, 2, 3, ... (or 0, 1, 2, ...)
    in each?
    """

    def __init__(self) -> None:
        self._lowest: dict[str, float] = {}
        self._highest: dict[str, float] = {}
        self._size: Counter[str] = Counter()

    def add(self, table: Table) -> None:
        """Note the rows of a table that is not empty."""
        topics = stretches_of(table.query_id)
        kept = topics.lengths > 0
        lengths = topics.lengths[kept]
        names = [str(name) for name, has in zip(topics.names, kept.tolist(), strict=True) if has]
        begins = np.append(0, np.cumsum(lengths))[:-1]
        lows, highs = (
            ends.reduceat(table.value, begins).tolist() for ends in (np.minimum, np.maximum)
        )
        for name, low, high, n in zip(names, lows, highs, lengths.tolist(), strict=True):
            self._lowest[name] = min(self._lowest.get(name, low), low)
            self._highest[name] = max(self._highest.get(name, high), high)
            self._size[name] += n

    @property
    def n(self) -> int:
        """Number of topics."""
        return len(self._size)

    @property
    def odd(self) -> list[str]:
        """Topics in which the numbers do not count."""
        return [
            name
            for name, n in self._size.items()
            if not (
                self._lowest[name] in (0, 1) and self._highest[name] - self._lowest[name] + 1 == n
            )
        ]


def as_scores(tables: Iterable[Table], path: str | None = None) -> Iterator[Table]:
    """Turn the ranks of a run into scores, by the name of their column: rank 1 is the best, so they
    become negative. Other tables are passed on.

    Raises
    ------
    InputError
        A column such as `order` does not count the documents of most topics.
    """
    counted = Counted()
    column = ""
    for table in tables:
        if may_hold_ranks(table.column) and len(table):
            counted.add(table)
            column = table.column
        elif not holds_ranks(table.column):
            yield table
            continue
        yield replace(table, value=0 - table.value, column="")
    if (odd := counted.odd) and 2 * len(odd) >= counted.n:
        raise InputError(
            f"column {column!r} holds neither 0, 1, 2, ... nor 1, 2, 3, ... in {len(odd)} of "
            f"{counted.n} topics, first in {odd[0]!r}: are these ranks or scores? Call it 'rank' "
            f"or 'score'",
            path=path,
            topic=odd[0],
            column=column,
        )
