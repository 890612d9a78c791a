"""The curve of cumulated relative position, and the lists that it is measured against.

`irpref.measures.crp` has the symbols, and the measures that are read off the curve. Here are the
ideal list (`ideal`), the curve of a run (`crp_curve`), and the worst lists: nothing relevant in the
top R (`worst`), and the ideal list reversed (`worst_reversed`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irpref.kernel import Floats, Grades, Ints, JudgedRun, Segments, shared


@dataclass(frozen=True, slots=True, eq=False)
class Ideal:
    """Where the ideal list has the levels of each topic.

    `first` and `last` are the ranks that bound each level, (n_levels,), before non-relevant
    documents without a judgment push the lower ones down; the others have one number a topic."""

    first: Ints
    last: Ints
    relevant: Ints  # R
    zeros: Ints  # judged non-relevant
    negatives: bool  # whether any topic has negative grades


@shared
def ideal(pool: Grades) -> Ideal:
    """Find the intervals of the levels in the ideal list.

    A level is a grade of a topic. If all documents of a level fill the ranks 3 to 7 of the ideal
    list, none is misplaced on any of these ranks."""
    grade = pool.level_grade
    # Ranks start at 1, rows of the pool at the topic's first.
    first = pool.level_start - pool.levels.spread(pool.judged.starts) + 1
    relevant, zeros = pool.count_levels(grade > 0), pool.count_levels(grade == 0)
    return Ideal(first, first + pool.level_size - 1, relevant, zeros, bool((grade < 0).any()))


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """RP and CRP of a run at the ranks at which the curve can move.

    `rank`, `rp` and `crp` have a last 0 behind the rows of all topics: row -1.
    """

    ranks: Segments  # these ranks (rows) by topic
    rank: Ints  # (n_rows + 1,)
    rp: Ints  # (n_rows + 1,)
    crp: Ints  # (n_rows + 1,)
    hit: Ints  # (n_hits,) row of each hit
    end: Ints  # (n_topics,) rank at which the list, filled up, ends

    def row(self, rank: Ints, topic: Ints | slice = slice(None)) -> Ints:
        """Find the last row down to these ranks, -1 if there is none: shape as `rank`."""
        topics, span = np.arange(self.ranks.n)[topic], int(self.rank.max()) + 1
        keys = self.ranks.topic * span + self.rank[:-1]
        row = keys.searchsorted(topics * span + np.minimum(rank, span - 1), side="right") - 1
        return np.where(row >= self.ranks.starts[topics], row, -1)


def crp_curve(run: JudgedRun, depth: int | None = None) -> Curve:
    """Compute RP and CRP at every rank at which the curve can move.

    Without negative grades these are the ranks down to R and the ranks of the hits, for all others
    have RP 0. With them, they are all ranks of the list, filled up with non-relevant documents to
    R, and to `depth` if given."""
    return _crp_curve(run, depth if ideal(run.pool).negatives else None)


@shared
def _crp_curve(run: JudgedRun, depth: int | None) -> Curve:
    best, grade = ideal(run.pool), run.pool.level_grade
    r = best.relevant
    if best.negatives:
        end = np.maximum(run.n_retrieved, np.maximum(r, depth or 0))
    else:
        end = np.maximum(run.hits.last_value(run.rank), r)
    # Non-relevant documents without a judgment, retrieved ones and those that fill the list up,
    # push the lower grades down.
    pushed = end - run.hits.lengths
    shift, last = run.pool.levels.spread(pushed), r + best.zeros + pushed
    lowest, highest = (
        best.first + np.where(grade < 0, shift, 0),
        best.last + np.where(grade <= 0, shift, 0),
    )
    # Ranks one after the other, then those of the hits below.
    top = Segments.of_lengths(end if best.negatives else r)
    below = run.rank > run.hits.spread(top.lengths)
    n_below = run.hits.count(below)
    ranks = Segments.of_lengths(top.lengths + n_below)
    hit = run.hits.spread(ranks.starts) + run.rank - 1
    hit[below] = run.hits.spread(ranks.ends - run.hits.ends)[below] + np.flatnonzero(below)
    of_top = top.spread(ranks.starts) + top.position
    rank, rp = np.zeros((2, ranks.size + 1), np.int64)
    rank[of_top], rank[hit] = top.position + 1, run.rank
    # Equation (4): a document is above its interval, below it, or inside. First as if all were
    # non-relevant: their interval is R + 1 to `last`, and only negative grades can force one
    # below it.
    rp[of_top] = np.minimum(top.position - top.spread(r), 0) + np.maximum(
        top.position + 1 - top.spread(last), 0
    )
    rp[hit] = np.minimum(run.rank - lowest[run.level], 0) + np.maximum(
        run.rank - highest[run.level], 0
    )
    return Curve(ranks, rank, rp, np.append(ranks.running_count(rp[:-1]), 0), hit, end)


def worst(pool: Grades) -> Floats:
    """Compute CRP(w, R) = -R (R + 1) / 2: shape (n_topics,).

    Nothing relevant in the top R: a non-relevant document at rank j is R + 1 - j ranks too high,
    and these add up."""
    r = ideal(pool).relevant.astype(np.float64)
    return -r * (r + 1) / 2


def beyond(begin: Floats, end: Floats, bound: Floats | Ints, sign: int) -> Floats:
    """Sum over the ranks `begin` to `end` of how far they lie beyond `bound`, above it (-1) or
    below it (+1).

    The distances from one rank to the next differ by 1, so the sum is their number times the middle
    one."""
    if sign < 0:
        end = np.minimum(end, bound)
    else:
        begin = np.maximum(begin, bound)
    n = np.maximum(end - begin + 1, 0)
    return n * ((begin + end) / 2 - bound)


def reversed_ideal(run: JudgedRun, length: Ints, depth: Ints, upto: Ints) -> tuple[Floats, Floats]:
    """Sum the positive and the negative RP of the reversed ideal list: (n_topics,), (n_topics,).

    No list is built: reversed, each level is again an interval of ranks, and its displacements are
    two sums in closed form.

    Parameters
    ----------
    length
        Ranks of the run, filled up: (n_topics,).
    depth
        Rank of the ideal list that comes first when it is reversed: (n_topics,).
    upto
        Rank of the reversed list down to which RP is added up: (n_topics,).
    """
    pool, best = run.pool, ideal(run.pool)
    r, pushed = best.relevant, length - run.hits.lengths
    last = r + best.zeros + pushed
    low = np.where(pool.level_grade < 0, pool.levels.spread(pushed), 0)
    first_rank, last_rank = (
        (best.first + low).astype(np.float64),
        (best.last + low).astype(np.float64),
    )
    # Rank j of the ideal list is rank depth + 1 - j of the reversed one, so a level stays an
    # interval of ranks.
    turn = pool.levels.spread(depth) + 1
    begin, end = (
        np.maximum(turn - last_rank, 1),
        np.minimum(turn - first_rank, pool.levels.spread(upto)),
    )
    other = pool.level_grade != 0
    plus = pool.levels.total(np.where(other, beyond(begin, end, last_rank, 1), 0.0))
    minus = pool.levels.total(np.where(other, beyond(begin, end, first_rank, -1), 0.0))
    begin, end = np.maximum(depth + 1.0 - last, 1.0), np.minimum(depth - r, upto).astype(np.float64)
    return plus + beyond(begin, end, last, 1), minus + beyond(begin, end, r + 1, -1)


def worst_reversed(run: JudgedRun) -> Floats:
    """Compute CRP(w, R) of the reversed ideal list of all judged and all retrieved documents: shape
    (n_topics,).

    At least 0 if too few documents are not relevant.
    """
    r = ideal(run.pool).relevant
    length = np.maximum(run.n_retrieved, r)
    plus, minus = reversed_ideal(
        run, length, run.pool.judged.lengths + length - run.hits.lengths, r
    )
    return plus + minus
