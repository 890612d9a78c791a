"""Grades on the scale from 0 to 1, as rpref and n-pref have them: rho of each grade, with its sums
R and N.

A grade enters as a whole number wherever it is one: not rho is kept but the grade times a power of
two, and R and N in the same unit. A quotient of two values is then a quotient of whole numbers,
rounded once, and fractions that are equal have equal bits, 1/3 and 2/6 for one. Multiplying by a
power of two takes no digit.

Partitions of n-pref are found in doubles, but in rationals if n rho is so near a boundary that
rounding could decide: 100 * 0.29 is 28.999999999999996."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irpref.errors import MeasureError
from irpref.kernel import Floats, Gains, Grades, Ints, shared

# Of max_rel, the share that a positive gain has at least: below, products would leave the range of
# a double.
LEAST_SHARE = 1e-250


def partition(value: Floats, n: int, top: float) -> Floats:
    """Find the partition of each value on the scale 0 to `top`: integers 0 to n - 1, shape as
    `value`.

    Parameters
    ----------
    value
        Gains, 0 to `top`.
    n
        Number of partitions, 2 or more.
    top
        Top of the scale; it belongs to the last partition.

    A value on a boundary belongs to the partition above it (figure 1 of the paper).
    """
    # By a power of two, which takes no digit: a multiple of a `max_rel` of 1e308 has no double.
    exponent = int(np.frexp(top)[1])
    exact = n * np.ldexp(value, -exponent) / np.ldexp(top, -exponent)
    part = np.floor(exact)
    # Within a rounding error of a boundary, decide in rationals of the decimal numbers as written.
    near = np.abs(exact - np.rint(exact)) < 1e-9 * np.maximum(exact, 1)
    if near.any():
        from fractions import Fraction

        distinct, inverse = np.unique(value[near], return_inverse=True)
        whole = Fraction(repr(float(top)))
        part[near] = np.array(
            [float(n * Fraction(repr(v)) // whole) for v in distinct.tolist()], dtype=np.float64
        )[inverse]
    return np.minimum(part, n - 1)


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """Values of the levels of each topic, (n_levels,), in a unit that is a power of two."""

    value: Floats  # 0 for negative grades
    step: Ints  # order of the values in the topic, 0 for the lowest, the same for equal ones
    top: float  # value of the top of the scale
    n: Floats  # (n_topics,) N in the same units
    r: Floats  # (n_topics,) R in the same units
    unit: Floats  # (n_topics,) value of the topic's best level, 1 if it is 0


@shared
def scale(pool: Grades, gains: Gains, max_rel: float, n: int | None) -> Scale:
    """Place the grades on the scale, and cut it into n partitions if n is given.

    Parameters
    ----------
    pool
        The judgments.
    gains
        Pairs of grade and gain; None, or a grade not named: the grade itself.
    max_rel
        Top of the scale, which is 1; higher gains count as it.
    n
        Partitions of n-pref (section 3); None for rpref.

    Returns
    -------
    Scale
        The grades times a power of two, with R and N in the same unit: rho is `value / top`.
        Negative grades are no judgment: they are in neither sum.
    """
    # A negative grade is no judgment: it is in neither R nor N, and above or below nothing.
    judged = pool.level_grade >= 0
    value = np.clip(np.where(judged, pool.level_mapped(gains), 0.0), 0.0, max_rel)
    top = float(max_rel)
    if n is not None:
        value, top = partition(value, n, top), float(n - 1)
    elif (small := value[(value > 0) & (value < LEAST_SHARE * top)]).size:
        # What a double cannot hold is refused, rather than a value returned that is wrong in
        # its digits.
        raise MeasureError(
            f"RPref: gain {small[0]:g} on a scale up to max_rel={top:g} is too small for "
            f"double precision, expected at least {LEAST_SHARE:g} of max_rel"
        )
    # A power of two takes no digit, and keeps products of two grades of 1e200 in range.
    exponent = int(np.frexp(top)[1])
    value, top = np.ldexp(value, -exponent), float(np.ldexp(top, -exponent))
    # Levels are in order of falling grade, and by falling value with it: a step begins where
    # the value falls. Grades that share a value, by partition or by `gains`, have no preference
    # between them.
    depth = pool.levels.running_count(pool.levels.differs(value))
    deepest = pool.levels.last_value(depth)
    # Weights are ratios to the best document of the topic; it cancels in the value.
    best = pool.levels.maximum(value)
    return Scale(
        value,
        pool.levels.spread(deepest) - depth,
        top,
        pool.level_total(np.where(judged, top - value, 0.0)),
        pool.level_total(value),
        np.where(best > 0, best, 1.0),
    )
