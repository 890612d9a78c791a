"""How a measure behaves if its input leaves something open: the order of tied documents,
or the grades of unjudged documents (holes).

Each is declared in the measure's file, beside its kernel:

    class _CG(_Gain, kernel=cg, over_ties=gain_over_ties):
        HOLES = Holes(monotone=True)

`over_ties` gets the run and the parameters, as the kernel does, and returns one of the forms below,
or None if no form holds for these parameters. Both declarations are optional: of a measure without
them, orders are tried or drawn at random, and grades are searched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from irpref.kernel.segments import Floats, Ints

# Of ranks and topics, two arrays of one shape, to an array of this shape.
Weight = Callable[[Ints, Ints], Floats]


def even(rank: Ints, topic: Ints) -> Floats:
    """Weigh every rank with 1."""
    return np.ones(rank.size)


def reciprocal(rank: Ints, topic: Ints) -> Floats:
    """Weigh each rank with 1 / rank."""
    return 1 / rank


@dataclass(frozen=True, slots=True, eq=False)
class WeightedSum:
    """A value start + 1/size * sum over the retrieved documents of gain * weight(rank).

    With `above`, each summand is multiplied by the sum of `above` over the document itself and
    those that precede it: AP, Q-measure.

    The higher a document with more gain (or more `above`) is ranked, the higher the value, or the
    lower: this order of the documents gives one end, its reverse the other.

    Attributes
    ----------
    gain : float array (n_judged,)
    size : array (n_topics,)
        A topic with 0 has the value `start`.
    weight : callable
        (rank, topic) -> weight, int arrays of one shape to a float array.
    above : float array (n_judged,), optional
    start : float or float array (n_topics,)
    cutoff : int array (n_topics,), optional
        The last rank that counts, if it depends on the topic; else it is the parameter `cutoff`.
    """

    gain: Floats
    size: Floats | Ints
    weight: Weight = even
    above: Floats | None = None
    start: Any = 0.0
    cutoff: Ints | None = None

    @property
    def merit(self) -> Floats:
        """The sort key of the orders with the lowest and the highest value: shape (n_judged,)."""
        return self.gain if self.above is None else self.above


@dataclass(frozen=True, slots=True, eq=False)
class OneDocument:
    """A value gain * weight(rank) of one retrieved document: the first that has a gain, or a later
    one.

    Attributes
    ----------
    gain : float array (n_judged,)
        0 for documents that do not count. All that count have the same gain, or `which` is 1.
    weight : callable
        (rank, topic) -> weight, as of `WeightedSum`.
    which : float array (n_topics,), optional
        Number of the document among those with a gain, from 1; the first if not given.
    """

    gain: Floats
    weight: Weight
    which: Floats | None = None

    @property
    def merit(self) -> Floats:
        """The sort key of the orders with the lowest and the highest value: shape (n_judged,)."""
        return self.gain


class Unmoved:
    """The value depends on which documents were retrieved, and not on their order."""


OverTies = Callable[..., WeightedSum | OneDocument | Unmoved | None]


@dataclass(frozen=True, slots=True)
class Holes:
    """How the grades of holes may change a value.

    A hole is *seen* if it is retrieved within the cutoff. A hole below the cutoff can only change
    the pool.

    Attributes
    ----------
    monotone : bool
        The value never falls if the grade of a seen hole rises, and never rises if the grade of
        another hole rises; or the other way round. Both extremes then give all seen holes the
        lowest or the highest grade, and likewise all others.
    binary : bool
        The value depends only on which documents are relevant, by the parameter `rel`: two grades
        will do.
    first_only : bool
        The value depends only on the rank of the first relevant document.
    monotone_difference : bool
        The extremes of the difference of two runs give the same grade to all holes that only the
        first run has, to all that only the second has, and to all others.
    """

    monotone: bool = False
    binary: bool = False
    first_only: bool = False
    monotone_difference: bool = False


NOTHING_KNOWN = Holes()
