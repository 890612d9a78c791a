"""Per-topic array operations over offsets.

Rows of all topics are in one flat array, topic after topic; `offsets` says where each topic begins.
Every operation here has two properties that bare NumPy idioms lack:

* an empty topic gets the neutral value (`reduceat` would give it its neighbour's);
* the value of a topic is the same bit for bit whatever other topics are beside it (the difference
  of two entries of one long floating-point `cumsum` carries the rounding of all topics before it).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from numpy.typing import NDArray as NDArray

    Ints = NDArray[np.integer[Any]]
    Floats = NDArray[np.floating[Any]]
    Bools = NDArray[np.bool_]
else:  # `numpy.typing` takes a tenth of our time to import
    ArrayLike = NDArray = Ints = Floats = Bools = Any
T = TypeVar("T", bound=np.generic)

_EXACT = float(2**53)  # integers below this add without rounding in a double


def ratio(numerator: Floats | Ints, denominator: Floats | Ints) -> Floats:
    """Divide two arrays; the result is 0 unless the denominator is above 0: shape as
    `denominator`.
    """
    return np.divide(numerator, denominator, out=np.zeros(denominator.shape), where=denominator > 0)


def opens(*columns: Ints | Floats) -> Bools:
    """Mark the first row, and rows in which a column differs from the row before: shape
    (n_rows,).
    """
    new = np.ones(columns[0].size, bool)
    new[1:] = columns[0][1:] != columns[0][:-1]
    for column in columns[1:]:
        new[1:] |= column[1:] != column[:-1]
    return new


class Segments:
    """Consecutive slices of flat arrays, one slice per topic.

    Parameters
    ----------
    offsets : int array of shape (n_topics + 1,)
        Topic `t` owns rows `offsets[t]` to `offsets[t + 1] - 1`.
    """

    def __init__(self, offsets: ArrayLike) -> None:
        self.offsets: Ints = np.asarray(offsets, dtype=np.int64)

    @classmethod
    def of_lengths(cls, lengths: ArrayLike) -> Segments:
        """Make segments with these numbers of rows."""
        sizes = np.asarray(lengths, dtype=np.int64)
        offsets = np.zeros(sizes.size + 1, dtype=np.int64)
        np.cumsum(sizes, out=offsets[1:])
        return cls(offsets)

    @classmethod
    def of_topics(cls, topic: Ints, n: int = 0) -> Segments:
        """Make segments from the topic of each row, in ascending order; at least `n` topics."""
        return cls.of_lengths(np.bincount(topic, minlength=n))

    @classmethod
    def of_equal(cls, *columns: Ints | Floats) -> Segments:
        """Make a segment of adjacent rows that are equal in all columns."""
        return cls(np.append(np.flatnonzero(opens(*columns)), columns[0].size))

    @property
    def n(self) -> int:
        """Number of topics."""
        return self.offsets.size - 1

    @property
    def size(self) -> int:
        """Number of rows of all topics."""
        return int(self.offsets[-1])

    @property
    def starts(self) -> Ints:
        """First row of each topic: shape (n_topics,)."""
        return self.offsets[:-1]

    @property
    def ends(self) -> Ints:
        """One past the last row of each topic: shape (n_topics,)."""
        return self.offsets[1:]

    @cached_property
    def lengths(self) -> Ints:
        """Rows of each topic: shape (n_topics,)."""
        return self.offsets[1:] - self.offsets[:-1]

    @cached_property
    def topic(self) -> Ints:
        """Topic of each row: shape (n_rows,)."""
        return np.arange(self.n).repeat(self.lengths)

    @cached_property
    def position(self) -> Ints:
        """Place of each row in its topic, from 0: shape (n_rows,)."""
        return np.arange(self.size) - self.spread(self.starts)

    @cached_property
    def ordinal(self) -> Floats:
        """Place of each row in its topic, from 1, as floating-point numbers: shape (n_rows,)."""
        return self.position + 1.0

    @cached_property
    def _filled(self) -> Ints | None:
        """Starts of the topics that have rows; None if every topic has."""
        return None if self.lengths.all() else self.lengths.nonzero()[0]

    def spread(self, per_topic: NDArray[T]) -> NDArray[T]:
        """Give each row the value of its topic: (n_topics,) to (n_rows,)."""
        return per_topic.repeat(self.lengths)

    def _reduce(self, ufunc: np.ufunc, values: NDArray[T], empty: object) -> NDArray[T]:
        if self._filled is None and self.n:
            return ufunc.reduceat(values, self.starts)
        out: NDArray[T] = np.full(self.n, empty, dtype=values.dtype)
        if self._filled is not None and self._filled.size:
            out[self._filled] = ufunc.reduceat(values, self.starts[self._filled])
        return out

    def total(self, values: ArrayLike) -> Floats:
        """Sum each topic's rows, 0 for an empty topic: (n_rows,) to (n_topics,)."""
        # Both ways add row after row, as the loops of trec_eval do: sums agree with it to the last
        # bit, and depend on the topic's own rows alone.
        if not self.size:
            return np.zeros(self.n)  # `bincount` would give integers
        if self._places is not None:
            grid = np.zeros(int(self.lengths.max()) * self.n)
            grid[self._places] = values
            return np.add.reduce(grid.reshape(-1, self.n), axis=0)
        weights = np.asarray(values, np.float64)
        out: Any = np.bincount(self.topic, weights, self.n)  # floats, since there are weights
        return out

    @cached_property
    def _places(self) -> Ints | None:
        """Place of each row in a grid with a column for each topic; None if much of it would be
        empty.
        """
        # Adding whole rows of the grid takes a third of the time of adding number after number to a
        # topic's sum.
        if self.n < 8 or int(self.lengths.max()) * self.n > 2 * self.size:
            return None
        return np.arange(0, self.size * self.n, self.n) + self.spread(
            np.arange(self.n) - self.starts * self.n
        )

    def total_whole(self, values: NDArray[T]) -> NDArray[T]:
        """Sum as `total` does, but faster: whole numbers add without rounding in any order."""
        return self._reduce(np.add, values, 0)

    def count(self, mask: Bools) -> Ints:
        """Count the rows of each topic that `mask` keeps: (n_rows,) to (n_topics,)."""
        return self.part(mask.nonzero()[0]).lengths

    def maximum(self, values: Floats, empty: float = 0.0) -> Floats:
        """Find the largest value of each topic, `empty` if it has no rows: (n_rows,) to
        (n_topics,).
        """
        return self._reduce(np.maximum, values, empty)

    def minimum(self, values: Ints, empty: int = 0) -> Ints:
        """Find the smallest value of each topic, `empty` if it has no rows: (n_rows,) to
        (n_topics,).
        """
        return self._reduce(np.minimum, values, empty)

    def first_value(self, values: NDArray[T], empty: float = 0) -> NDArray[T]:
        """Take the value of the first row of each topic: (n_rows,) to (n_topics,)."""
        return np.append(values, empty)[np.where(self.lengths > 0, self.starts, -1)]

    def last_value(self, values: NDArray[T]) -> NDArray[T]:
        """Take the value of the last row of each topic (0 without rows): shape (n_topics,)."""
        return np.append(values, 0)[np.where(self.lengths > 0, self.ends - 1, -1)]

    def differs(self, values: Ints | Floats) -> Bools:
        """Mark rows whose value differs from the row before, in the same topic: shape (n_rows,)."""
        out = np.zeros(values.size, bool)
        out[1:] = values[1:] != values[:-1]
        out[self.starts[self.lengths > 0]] = False
        return out

    def first(self, mask: Bools) -> Ints:
        """Find the first row of each topic that `mask` keeps, -1 if there is none: shape
        (n_topics,).
        """
        where = mask.nonzero()[0]
        if not where.size:
            return np.full(self.n, -1)
        row = where.take(where.searchsorted(self.starts), mode="clip")
        return np.where((row >= self.starts) & (row < self.ends), row, -1)

    def running_count(self, mask: Bools | Ints) -> Ints:
        """Sum whole numbers (or count rows where a mask holds) up to each row, in its topic: shape
        (n_rows,).
        """
        upto = np.zeros(self.size + 1, dtype=np.int64)
        upto[1:] = mask  # a sum that converts on its way takes ten times as long
        np.cumsum(upto, out=upto)
        return upto[1:] - self.spread(upto[self.starts])

    def running(self, values: ArrayLike, whole: bool = False) -> Floats:
        """Sum up to and including each row, in its topic: (n_rows,) to (n_rows,).

        Set `whole` if the values are known to be whole numbers with sums below 2^53, which is
        faster."""
        values = np.asarray(values, dtype=np.float64)
        if not values.size:
            return values
        if whole:
            # Integers: each addition of floats waits for the one before four times as long.
            return self.running_count(values.astype(np.int64)).astype(np.float64)
        with np.errstate(invalid="ignore", over="ignore"):
            upto = np.cumsum(values)
            # Integers are exact in one long sum (every grade scale in use), and equal the result of
            # the path below: the choice between the two never shows in a value.
            if np.abs(values).sum() < _EXACT and not (values != np.rint(values)).any():
                return upto - self.spread((upto - values)[np.minimum(self.starts, values.size - 1)])
        out = np.empty_like(values)
        for _, rows, inside in self.padded():
            block = np.where(inside, values[rows], 0.0)
            out[rows[inside]] = np.cumsum(block, axis=1)[inside]
        return out

    def padded(self) -> Iterator[tuple[Ints, Ints, Bools]]:
        """Arrange topics of similar length as rectangles, for operations along one axis.

        Yields
        ------
        topics : shape (k,)
        rows : shape (k, width), row numbers, clipped outside the topic
        inside : shape (k, width), whether the row belongs to the topic
        """
        # Widths are powers of two: at most half of a rectangle is padding, and topics of all
        # lengths fall into few rectangles.
        exponent = np.ceil(np.log2(np.maximum(self.lengths, 1))).astype(np.int64)
        for power in np.unique(exponent[self.lengths > 0]):
            topics = np.flatnonzero((exponent == power) & (self.lengths > 0))
            column = np.arange(self.lengths[topics].max())
            inside = column < self.lengths[topics, None]
            rows = np.minimum(self.starts[topics, None] + column, self.size - 1)
            yield topics, rows, inside

    def rows(self, topics: Ints) -> Ints:
        """List the rows of some topics, topic after topic."""
        if topics.size and (np.diff(topics) == 1).all():
            return np.arange(self.offsets[topics[0]], self.offsets[topics[-1] + 1])
        part = Segments.of_lengths(self.lengths[topics])
        return part.position + part.spread(self.starts[topics])

    def firsts(self, n: int) -> Ints:
        """List the first `n` rows of each topic, topic after topic; fewer where it has fewer."""
        part = Segments.of_lengths(np.minimum(self.lengths, n))
        return part.position + part.spread(self.starts)

    def taken(self, values: NDArray[T], topics: Ints) -> NDArray[T]:
        """Take the values in the rows of some topics, one topic after the other: (n_rows,) to
        (their rows,).
        """
        starts, ends = self.starts[topics].tolist(), self.ends[topics].tolist()
        return np.concatenate(
            [values[:0], *(values[i:j] for i, j in zip(starts, ends, strict=True))]
        )

    def part(self, rows: Ints) -> Segments:
        """Make segments of some rows, in ascending order: (n_rows,)."""
        return Segments(rows.searchsorted(self.offsets))

    def where(self, mask: Bools) -> Segments:
        """Make segments of the rows that `mask` keeps."""
        return self.part(mask.nonzero()[0])

    def span(self, start: int, stop: int | None = None) -> slice:
        """Return the rows of the topics `start` to `stop - 1`, as a slice; of one topic without
        `stop`.
        """
        last = start + 1 if stop is None else stop
        return slice(int(self.offsets[start]), int(self.offsets[last]))

    def slice(self, start: int, stop: int) -> Segments:
        """Select the topics `start` to `stop - 1`, their rows counted from 0."""
        return Segments(self.offsets[start : stop + 1] - self.offsets[start])


def all_whole(values: Floats) -> bool:
    """Test whether all values are whole numbers that a double holds exactly: below 2^53 in size."""
    return bool((values == np.rint(values)).all() and (np.abs(values) < _EXACT).all())


def order_by(major: Ints, minor: Ints | None, n_major: int) -> Ints:
    """Order stably by `major`, then by `minor` if given: non-negative integers, shape (n,).

    Sixteen bits at a time: NumPy's stable sort of 16-bit integers is a radix sort, several times
    faster than `lexsort`."""
    minor = np.zeros_like(major) if minor is None else minor
    n_minor = int(minor.max(initial=0)) + 1
    both = n_minor * n_major
    if both < 1 << 16:
        small = np.dtype(np.uint8 if both < 1 << 8 else np.uint16)
        key = major.astype(small)
        key *= small.type(n_minor)
        key += minor.astype(small)
        return np.argsort(key, kind="stable")
    order: Ints | None = None
    for key, bound in ((minor, n_minor), (major, n_major)):
        shift = 0
        while (bound - 1) >> shift:
            digit = (key >> shift).astype(np.uint16)
            step = np.argsort(digit if order is None else digit[order], kind="stable")
            order = step if order is None else order[step]
            shift += 16
    return np.arange(major.size) if order is None else order
