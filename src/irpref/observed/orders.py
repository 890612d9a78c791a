"""Other orders of the documents of a run: read from the end, or with tied documents elsewhere.

A value should not depend on the order of tied documents, which the ids decide, and a run that is
better read from the end has its scores turned round."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from irpref.judged.align import Listing
from irpref.judged.pool import Pool
from irpref.judged.run import Run
from irpref.kernel.segments import Bools, Floats, Ints, Segments
from irpref.observed.sensitivity import Values

DRAWS = 5  # random orders of tied documents, each with its reverse
_FEWEST = 5  # topics of a test
_SURE = 0.9995  # one-sided: p below .001

# Evaluates a run whose rows are in this order.
InOrder: TypeAlias = Callable[[Run, Ints], Values]


def backwards(run: Listing) -> Ints:
    """Return the rows of a run with each topic read from the end: (n_rows,)."""
    topics = run.topics
    return topics.spread(topics.ends) - 1 - topics.position


def equal_backwards(run: Listing) -> Ints:
    """Return the rows with those topics read from the end whose documents have equal scores."""
    topics = run.topics
    equal = topics.maximum(run.score, 0.0) == -topics.maximum(-run.score, 0.0)
    return np.where(topics.spread(equal), backwards(run), np.arange(run.row.size))


def tied_orders(run: Listing) -> Iterator[Ints]:
    """Yield `2 * DRAWS` random orders of tied documents: the rows, (n_rows,). Each second order is
    the reverse of the one before.

    Documents that are tied with no judged one stay where they are.
    """
    groups = Segments.of_equal(run.topics.topic, run.score)
    tied = np.flatnonzero(groups.spread(groups.lengths > 1))
    moved = groups.spread(groups.maximum(run.row.astype(np.float64), -1.0) >= 0)[tied]
    rows, group = tied[moved], groups.topic[tied[moved]]
    together = Segments.of_equal(group)
    mirrored = together.spread(together.starts + together.ends) - 1 - np.arange(rows.size)
    for draw in range(DRAWS):
        chance = np.random.default_rng(draw).random(tied.size)[moved]
        by_chance = rows[np.argsort(group + chance, kind="stable")]  # chance is below 1
        for drawn in (by_chance, by_chance[mirrored]):
            order = np.arange(run.row.size)
            order[rows] = drawn
            yield order


def over_ties(runs: Sequence[Run], pool: Pool, in_order: InOrder) -> Values:
    """Compute the values of a system in expectation over the orders of tied documents, drawn with a
    fixed seed: (n_topics,) each.

    Parameters
    ----------
    runs : sequence of Run
        The runs of the system; a value is the mean of theirs.
    pool : Pool
    in_order : callable
    """
    drawn = [in_order(run, order) for run in runs for order in tied_orders(run.on(pool))]
    return {measure: np.mean([values[measure] for values in drawn], axis=0) for measure in drawn[0]}


def surely_above(a: Floats, b: Floats, inside: Bools) -> bool:
    """Test whether the mean of `a` is above the mean of `b` by the paired t-test at p < .001.

    Parameters
    ----------
    a, b : float arrays (n_topics,)
    inside : bool array (n_topics,)
    """
    gap = (a - b)[inside]
    gap = gap[np.isfinite(gap)]
    if gap.size < _FEWEST or gap.mean() <= 0:
        return False
    from scipy import special  # not at the start: `irpref eval` seldom needs it

    error = gap.std(ddof=1) / np.sqrt(gap.size)
    return bool(gap.mean() > special.stdtrit(gap.size - 1, _SURE) * error)
