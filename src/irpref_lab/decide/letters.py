"""Places and compact letters: two runs share a letter if and only if they are not shown to differ.

A letter is a set of runs no two of which are shown to differ. Every pair not shown to differ must
be in at least one set. Each set here is as large as possible (no run could join it), so runs that
differ from the same others have the same letters; in particular, identical runs always do.

H.-P. Piepho, An algorithm for a letter-based representation of all-pairwise comparisons, Journal of
Computational and Graphical Statistics 13 (2004) 456-466, doi:10.1198/1061860043515, finds such sets
by insertion and absorption: all maximal sets, of which there can be exponentially many. Here each
set starts from the first pair, in the order of the runs, that no set holds yet, and takes in every
run it can (J. Gramm, J. Guo, F. Hueffner, R. Niedermeier, Algorithms for compact letter displays:
comparison and evaluation, Computational Statistics & Data Analysis 52 (2007) 725-736,
doi:10.1016/j.csda.2006.09.035). If significance depends only on the size of a difference, as in
Tukey's test, and runs are ordered by their means, both give the same letters."""

from __future__ import annotations

from string import ascii_lowercase
from typing import Any

import numpy as np
import pandas as pd

from irpref.kernel import Bools, Ints

MOST = 8  # more letters would be of no use to a reader


def maximal_sets(different: Bools) -> list[list[int]]:
    """Find maximal sets of runs no two of which differ, such that every such pair is in a set.

    Parameters
    ----------
    different : bool array (n_runs, n_runs), symmetric, False on the diagonal
        Runs in the order in which letters are assigned, best first.

    Returns
    -------
    list of lists of int
        Each set in the order of the runs; sets in the order of their first runs.
    """
    alike = [set(np.flatnonzero(~row).tolist()) for row in different]
    held: list[set[int]] = [set() for _ in alike]  # whom each run already shares a set with
    sets = []
    for i, of_run in enumerate(alike):
        while left := of_run - held[i]:
            # Start with i and the first run it must still share a set with; i itself if it differs
            # from all others.
            first = min(left)
            members = {i, first}
            for run in sorted(of_run & alike[first]):
                if members <= alike[run]:
                    members.add(run)
            for run in members:
                held[run] |= members
            sets.append(sorted(members))
    return sorted(sets)


def letters(different: Bools) -> list[str] | list[None]:
    """Give each run its letters: see the module.

    Parameters
    ----------
    different : bool array (n_runs, n_runs), symmetric, False on the diagonal
        Whether two runs are significantly different; runs in the order in which letters are
        assigned, best first.

    Returns
    -------
    list of str, length n_runs
        One character for each letter, from `a` on; None for every run if more than eight letters
        would be needed.

    Examples
    --------
    The first and the last of three runs differ:

    >>> import numpy as np
    >>> letters(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    ['a', 'ab', 'b']
    """
    columns = maximal_sets(different)
    if len(columns) > MOST:
        return [None] * len(different)
    out = [""] * len(different)
    for name, runs in zip(ascii_lowercase, columns, strict=False):
        for run in runs:
            out[run] += name
    return out


def places(place: Ints, best_first: Ints, different: Bools | None) -> dict[str, Any]:
    """Return the columns of a board that tests of all pairs decide.

    Parameters
    ----------
    place : int array (n_runs,)
        1 for the best mean; equal means share a place.
    best_first : int array (n_runs,)
        Numbers of the runs, in the order in which letters are assigned.
    different : bool array (n_runs, n_runs), optional
        Whether two runs are significantly different; None if they were not tested.

    Returns
    -------
    dict
        `place`; `place_low` and `place_high`, the range of places consistent with the tests: every
        run that is significantly better is above, every run that is significantly worse is below;
        `letters`. The last three are missing if the runs were not tested.
    """
    n = len(place)
    low = np.full(n, pd.NA, dtype=object)
    high, text = low.copy(), np.full(n, None, dtype=object)
    if different is not None:
        low = 1 + (different & (place[:, None] > place)).sum(axis=1)
        high = n - (different & (place[:, None] < place)).sum(axis=1)
        text[best_first] = letters(different[np.ix_(best_first, best_first)])
    return {
        "place": place,
        "place_low": pd.array(low, dtype="Int64"),
        "place_high": pd.array(high, dtype="Int64"),
        "letters": pd.Series(text, dtype=object),
    }
