"""Whether all judgments of one file are on one scale: those of humans and of a judge may not be.

A group of judgments (those that a column attributes to one source, or those of a topic) stops short at a grade g if it
holds p positive grades, none above g, though a share s of the positive grades of the other groups are above it, and
(1 - s)^p is below a millionth.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from irpref.arrays.segments import Bools, Floats, Ints
from irpref.formats.columns import Table
from irpref.judged.inputs import as_table
from irpref.judged.pool import FILLED, SOURCE, Pool

if TYPE_CHECKING:
    from irpref.judged.types import Qrels

_COLUMNS = (SOURCE, "iteration", "judge", "assessor", "annotator")  # that may say who gave a grade
_MOST = 20  # different entries of such a column
_CHANCE = 1e-6
# Of the topics. On 20 collections 0 to 11 % stop short; 38 % if a grade is for some kinds of topics alone, and 32 %
# if older topics were judged yes or no.
_SHARE = 0.25


def stops_short(grade: Floats, group: Ints) -> tuple[float, Bools] | None:
    """The grade at which most groups stop short.

    Parameters
    ----------
    grade : float array (n,)
    group : int array (n,)
        Numbers from 0.

    Returns
    -------
    grade : float
    which : bool array (n_groups,)
        None if no group stops short.
    """
    positive = np.bincount(group, grade > 0)
    best: tuple[float, Bools] | None = None
    for g in np.unique(grade[grade > 0])[:-1].tolist():
        above = np.bincount(group, grade > g)
        short = above == 0
        if short.all() or not short.any():
            continue
        share = above.sum() / positive[~short].sum()
        short &= positive * np.log1p(-min(share, 1 - 1e-12)) < np.log(_CHANCE)
        if short.any() and (best is None or short.sum() > best[1].sum()):
            best = g, short
    return best


def mixed_scales(qrels: Qrels, pool: Pool) -> Iterator[tuple[int, str, str]]:
    """What looks like grades on different scales: how many judgments or topics, an example, and words."""
    if any(name in pool.found for name in _COLUMNS):
        table = as_table(qrels, "relevance", _COLUMNS)
        assert isinstance(table, Table)
        for name, column in table.columns.items():
            if name == SOURCE and FILLED in column and "calibrated" in pool.found:  # by irpref.fill: one scale
                return
            entries = sorted({*map(str, column)})
            if not 1 < len(entries) <= _MOST:
                continue
            group = np.searchsorted(entries, [*map(str, column)])
            found = stops_short(table.value, group)
            if found is not None:
                g, short = found
                who = [repr(entry) for entry, odd in zip(entries, short.tolist(), strict=True) if odd]
                text = (
                    f"grades with {name} {', '.join(who)} end at {g:g}, others at {table.value.max():g}, as if on two "
                    "scales: irpref.fill translates a judge's grades"
                )
                yield int(short[group].sum()), who[0], text
                return
    found = stops_short(pool.grade, pool.judged.topic)
    if found is not None and found[1].sum() >= max(_SHARE * pool.n_topics, 2):
        g, short = found
        first = pool.topic_ids[int(np.argmax(short))]
        text = (
            f"{int(short.sum())} topics, first {first!r}, have many relevant documents and none above grade {g:g}, as "
            f"others have (up to {pool.grade.max():g}): as if they were graded on another scale"
        )
        yield int(short.sum()), first, text
