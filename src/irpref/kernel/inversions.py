"""For every document, the documents of a lower value ranked above it: their number, and the sum of
the differences.

Rows follow topic by topic, in rank order. For each row, among the rows above it in its topic with a
lower value,

    inversions                sum of (value of the row - value of the lower one)
    inversions, unweighted    number of lower ones

Counting pairs takes time n^2; two algorithms are faster, and each topic gets the one that suits it.

**Counters.** Take away the rows of the lowest value, then of the next, and so on. Each time,
the position of a row that is left falls by the number of rows of that value above it; the row loses
that number times the difference of the two values. Fewer rows are left from value to value, so the
time is at most n * values. Differences of two values are formed before they are multiplied: if the
values are whole numbers no addition rounds.

**Bits.** Number the values of a topic 0, 1, 2, ... from the lowest. Two different numbers agree in
their highest bits up to one place, where the higher has a 1 and the lower a 0; so each pair is met
exactly once by going over the bits from the highest, and at each bit letting the rows with a 1
collect the rows with a 0 above them, among those whose higher bits agree. Stable partitioning by
the bit keeps such groups together and in rank order. The time is n * log2(values), and the order of
the sums depends on the topic alone."""

from __future__ import annotations

import numpy as np

from irpref.kernel.segments import Floats, Ints, Segments

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
    """Sum the differences of each row from the lower values ranked above it: shape (n_rows,).

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
        Whether to sum the differences. If false, count the rows.
    zeros : float array (n_rows,), optional
        Number of further rows above each one, of value 0: callers that know it may leave such rows
        out.
    """
    if not level.size:
        return np.zeros(0)
    steps = levels.first_value(step) + 1  # the first level of a topic is its highest
    many = steps > MANY_STEPS
    n_steps = int(steps[~many].max(initial=1))
    # A counter for each step, in the topics that have few.
    few = np.where(levels.spread(many), -1, step)
    # The rows that are left: of this step and above.
    left, part, at_level, own = np.arange(level.size), rows, level, value.take(level)
    out: Floats = np.zeros(level.size) if zeros is None else zeros.copy()
    if weighted:
        out *= own
    of_step = np.zeros((levels.n, n_steps))
    of_step[levels.topic, few] = value  # step -1 is the last column, which is never read
    for s in range(n_steps - 1):  # nothing is higher than the highest step
        kept = (few > s).take(at_level).nonzero()[0]
        if kept.size == at_level.size:
            continue
        higher = part.part(kept)
        number: Floats = (kept - higher.position - higher.spread(part.starts)).astype(np.float64)
        left, at_level, own, part = left.take(kept), at_level.take(kept), own.take(kept), higher
        out[left] += number * (own - part.spread(of_step[:, s])) if weighted else number
    if many.any():
        at = np.flatnonzero(rows.spread(many))
        values = value[level[at]]
        number, total = lower_before(step[level[at]], rows.part(at), values)
        number += 0.0 if zeros is None else zeros[at]
        out[at] = number * values - total if weighted else number
    return out


def lower_before(order: Ints, rows: Segments, value: Floats | None = None) -> tuple[Floats, Floats]:
    """Count the rows before each one, in its segment, that come lower in an order, and sum their
    values.

    One pass per bit, from the highest. Inside groups of equal higher bits, which are together and
    in rank order, a row whose bit is 1 has those before it whose bit is 0.

    Parameters
    ----------
    order : int array (n_rows,)
        From 0, the lowest.
    rows : Segments
    value : float array (n_rows,), optional
        Without it the sums are 0.

    Returns
    -------
    number, total : float arrays (n_rows,)
    """
    size = order.size
    number, total, here = np.zeros(size), np.zeros(size), np.arange(size)
    first = rows.starts[rows.lengths > 0]  # of each group
    start = rows.spread(rows.starts)
    for bit in range(int(order.max(initial=0)).bit_length() - 1, -1, -1):
        one = (order >> bit & 1).astype(bool)
        upto = np.zeros(size + 1, np.int64)
        np.cumsum(~one, out=upto[1:])
        sizes = np.diff(np.append(first, size))
        begin = np.repeat(first, sizes)
        before = upto[:-1] - upto[begin]
        number[here[one]] += before[one]
        if value is not None:
            # Topic by topic: none has the rounding of another.
            sums = rows.running(np.where(one, 0.0, value))
            earlier = np.where(begin > start, sums[begin - 1], 0.0)
            total[here[one]] += (sums - earlier)[one]
        if not bit:
            break
        # Zeros to the front of each group, so that the next pass finds its groups together.
        zeros = upto[np.append(first, size)[1:]] - upto[first]
        target = np.where(
            one,
            np.repeat(first + zeros, sizes) + (np.arange(size) - begin - before),
            begin + before,
        )
        sort = np.empty(size, np.int64)
        sort[target] = np.arange(size)
        order, here, value = order[sort], here[sort], None if value is None else value[sort]
        begins = np.zeros(size + 1, bool)
        begins[first] = begins[first + zeros] = True
        first = np.flatnonzero(begins[:-1])
    return number, total
