"""Samples of topics, and pairs of systems, which the resampling methods share.

A sample is a row of topic numbers, with repeats if it was drawn with replacement. Sums over all
samples are one matrix product: how often each sample holds each topic, (n_samples, n_topics), times
the values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from irpref.errors import ArgumentError
from irpref.kernel import Floats, Ints
from irpref_lab.messages import not_accepted

Rng = int | np.random.Generator

# Entries (samples by pairs) of the arrays of one step: 2 MB each, so that a handful of them fit the
# cache.
CHUNK = 1 << 18


def drawing(rng: Rng | None) -> np.random.Generator:
    """Return the generator for a seed or a generator; None is seed 0. Raise `ValueError` for
    anything else.
    """
    try:
        return np.random.default_rng(0 if rng is None else rng)
    except (TypeError, ValueError):
        raise not_accepted("rng", rng, "a seed such as 7 or a numpy Generator") from None


def fixed_seed(rng: Rng | None) -> int | None:
    """Return the seed, or one drawn from a generator, for several measures to share: all get the
    same draws.
    """
    return int(rng.integers(2**63)) if isinstance(rng, np.random.Generator) else rng


def counts(samples: ArrayLike, n_topics: int) -> Floats:
    """Count how often each sample holds each topic: (n_samples, size) topic numbers to (n_samples,
    n_topics).

    Raises
    ------
    ValueError
        `samples` is not a rectangular array of topic numbers.
    """
    given = np.asarray(samples)
    if given.ndim != 2 or not given.size or given.dtype.kind not in "iu":
        raise ArgumentError(
            f"samples must be topic numbers, shape (n_samples, size), got {given.dtype}, shape "
            f"{given.shape}",
            parameter="samples",
        )
    if given.min() < 0 or given.max() >= n_topics:
        raise ArgumentError(
            f"samples hold topic numbers {given.min()} to {given.max()}, there are 0 to "
            f"{n_topics - 1}",
            parameter="samples",
        )
    n_samples = given.shape[0]
    at = given + n_topics * np.arange(n_samples)[:, None]
    return (
        np.bincount(at.ravel(), minlength=n_samples * n_topics)
        .reshape(n_samples, n_topics)
        .astype(np.float64)
    )


def pairs_of_systems(n_systems: int) -> tuple[Ints, Ints]:
    """List both systems of each pair, the first with the lower number: shapes (n_pairs,).

    Raises
    ------
    ValueError
        Fewer than two systems.
    """
    if n_systems < 2:
        raise ArgumentError(
            f"pairs of systems need at least 2 systems, got {n_systems}",
            parameter="values",
            value=n_systems,
        )
    first, second = np.triu_indices(n_systems, 1)
    return first, second


def pair_chunks(n_pairs: int, n_samples: int) -> Iterator[slice]:
    """Yield slices of the pairs, small enough for the arrays (n_samples, pairs) to fit the
    cache.
    """
    step = max(1, CHUNK // n_samples)
    for start in range(0, n_pairs, step):
        yield slice(start, min(start + step, n_pairs))
