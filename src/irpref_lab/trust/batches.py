"""Split many versions of the topics of a run into batches that are evaluated together."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from irpref.kernel import Ints

ROWS = 1 << 17  # judgments evaluated at a time: what a processor's cache holds


def batches(sizes: Ints) -> Iterator[tuple[int, int]]:
    """Yield start and stop of batches of consecutive items with about `ROWS` rows together."""
    load = np.cumsum(sizes) // ROWS
    yield from pairwise(np.flatnonzero(np.diff(load, prepend=-1, append=-1)).tolist())
