"""What is ranked above a document although it is worth less: number, and sum of the differences, for every document.

Rows follow topic by topic, in rank order. For each row, among the rows above it in its topic with a lower value,

    inversions                sum of (value of the row - value of the lower one)
    inversions, unweighted    number of lower ones

Counting pairs takes time n^2; two ways are faster, and each topic goes the one that is faster for it.

**Counters.** Take the rows of the lowest value away, then those of the next, and so on. A row that is left has as many
rows of that value above it as its place among the rows has fallen, and loses that number times the difference of the
two values. What is left to look at shrinks from value to value, so the time is at most n * values. Differences of two
values are formed before they are multiplied: if the values are whole numbers no addition rounds.

**Bits.** Number the values of a topic 0, 1, 2, ... from the lowest. Two different numbers agree in their highest bits
up to one place, where the higher has a 1 and the lower a 0; so each pair is met exactly once by going over the bits
from the highest, and at each bit letting the rows with a 1 collect the rows with a 0 above them, among those whose
higher bits agree. Stable partitioning by the bit keeps such groups together and in rank order. The time is
n * log2(values), and the order of the sums depends on the topic alone.
"""

from __future__ import annotations

import numpy as np

from irpref.arrays.segments import Bools, Floats, Ints, Segments

# Above this number of distinct values in a topic, a pass per bit beats a counter per value.
MANY_STEPS = 80


def inversions(
    rows: Segments,
    level: Ints,
    levels: Segments,
    value: Floats,
    step: Ints,
    weighted: bool = True,
    zeros: Floats | None = None,
) -> Floats:
    """Sum, over the rows above each one with a lower value, of the difference: shape (n_rows,).

    Parameters
    ----------
    rows : Segments
        Rows by topic, in rank order.
    level : int array (n_rows,)
        Which level each row has.
    levels : Segments
        Levels by topic, the highest first.
    value : float array (n_levels,)
        At least 0, not rising inside a topic.
    step : int array (n_levels,)
        Order of the values in the topic: 0 for the lowest; levels of equal value share a step.
    weighted : bool
        Whether the differences are summed; else the rows are counted.
    zeros : float array (n_rows,), optional
        Number of further rows above each one, of value 0: callers that know it may leave such rows out.
    """
    if not level.size:
        return np.zeros(0)
    steps = np.append(step, 0)[levels.starts] + 1  # the first level of a topic is its highest
    many = steps > MANY_STEPS
    n_steps = int(steps[~many].max(initial=1))
    out = by_counters(rows, level, levels, value, np.where(levels.spread(many), -1, step), n_steps, weighted, zeros)
    if many.any():
        values, order = value[level], step[level]
        for topics, row, inside in rows.padded():
            chosen = many[topics]
            if chosen.any():
                r, ok = row[chosen], inside[chosen]
                number, total = by_bits(np.where(ok, values[r], 0.0), np.where(ok, order[r], 0), ok)
                if zeros is not None:
                    number += zeros[r]
                out[r[ok]] = (number * values[r] - total if weighted else number)[ok]
    return out


def by_counters(
    rows: Segments,
    level: Ints,
    levels: Segments,
    value: Floats,
    step: Ints,
    n_steps: int,
    weighted: bool,
    zeros: Floats | None,
) -> Floats:
    """`inversions` with a counter for each of `n_steps` steps; not for levels of step -1."""
    own = value.take(level)
    out = np.zeros(level.size) if zeros is None else zeros * own if weighted else zeros.copy()
    of_step = np.zeros((levels.n, n_steps))
    of_step[levels.topic, step] = value  # step -1 is the last column, which is never read
    left = np.arange(level.size)  # rows of this step and above
    for s in range(n_steps - 1):  # nothing is higher than the highest step
        kept = (step > s).take(level).nonzero()[0]
        if kept.size == level.size:
            continue
        higher = rows.part(kept)
        number = (kept - higher.position - higher.spread(rows.starts)).astype(np.float64)
        left, level, own, rows = left.take(kept), level.take(kept), own.take(kept), higher
        out[left] += number * (own - rows.spread(of_step[:, s])) if weighted else number
    return out


def by_bits(value: Floats, step: Ints, inside: Bools) -> tuple[Floats, Floats]:
    """Number of lower values before each one, and their sum, in rectangles of a topic a row.

    Parameters
    ----------
    value, step : arrays (n_topics, width)
        Values, and their order in the topic, from 0; both 0 outside the topic.
    inside : bool array (n_topics, width)
        Which entries belong to the topic.

    Returns
    -------
    number, total : float arrays (n_topics, width)
    """
    k, width = value.shape
    size = k * width
    # What moves with the elements, as they are sorted by more and more bits.
    order, val, ok = step.ravel(), value.ravel(), inside.ravel()
    number, total, place = np.zeros(size), np.zeros(size), np.arange(size)
    first = np.arange(0, size, width)  # of each group
    for bit in range(int(step.max()).bit_length() - 1, -1, -1):
        sizes = np.diff(np.append(first, size))
        one = (order >> bit & 1).astype(bool)
        zero = ~one
        counted = zero & ok
        upto = np.zeros(size + 1, dtype=np.int64)
        np.cumsum(counted, out=upto[1:])
        sums = np.zeros((k, width + 1))  # topic by topic: none has the rounding of another
        np.cumsum(np.where(counted, val, 0.0).reshape(k, width), axis=1, out=sums[:, 1:])
        at = np.flatnonzero(one)
        begin = np.repeat(first, sizes)[at]
        row = at // width
        number[at] += upto[at] - upto[begin]
        total[at] += sums.ravel()[at + row] - sums.ravel()[begin + row]
        if not bit:
            break
        # Each group's zeros to its front, so that the next pass finds its groups together.
        if not ok.all():
            np.cumsum(zero, out=upto[1:])
        zeros = np.diff(upto[np.append(first, size)])
        before = upto[:-1] - np.repeat(upto[first], sizes)
        target = np.where(zero, np.repeat(first, sizes) + before, np.arange(size) + np.repeat(zeros, sizes) - before)
        sort = np.empty(size, dtype=np.int64)
        sort[target] = np.arange(size)
        order, val, ok = order[sort], val[sort], ok[sort]
        number, total, place = number[sort], total[sort], place[sort]
        opens = np.zeros(size + 1, bool)
        opens[first] = opens[first + zeros] = True
        first = np.flatnonzero(opens[:-1])
    out = np.empty((2, size))
    out[:, place] = number, total
    return out[0].reshape(k, width), out[1].reshape(k, width)
