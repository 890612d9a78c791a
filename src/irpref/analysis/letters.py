"""Compact letters: two runs share a letter if and only if they are not shown to differ.

A letter is a set of runs no two of which are shown to differ, and every other pair needs a set that holds both. Each
set here is as large as it can be (no run could join it), so runs that differ from the same others have the same
letters; in particular, identical runs never have different ones.

H.-P. Piepho, An algorithm for a letter-based representation of all-pairwise comparisons, Journal of Computational and
Graphical Statistics 13 (2004) 456-466, doi:10.1198/1061860043515, finds such sets by insertion and absorption: all of
the largest ones, of which there can be exponentially many. Here each set starts from the first pair, in the order of
the runs, that no set holds yet, and takes in every run it can (J. Gramm, J. Guo, F. Hueffner, R. Niedermeier,
Algorithms for compact letter displays: comparison and evaluation, Computational Statistics & Data Analysis 52 (2007)
725-736, doi:10.1016/j.csda.2006.09.035). If significance depends on the size of a difference alone (both Tukey
tests) and runs come by their means, both give the same letters.
"""

from __future__ import annotations

from string import ascii_lowercase

from irpref.arrays.segments import Bools

MOST = 8  # letters that a reader can use


def columns_of(different: Bools) -> list[list[int]]:
    """Sets of runs no two of which differ, each as large as can be, that hold every such pair together.

    Parameters
    ----------
    different : bool array (n_runs, n_runs), symmetric, False on the diagonal
        Runs in the order in which the letters are to begin, best first.

    Returns
    -------
    list of lists of int
        Each in the order of the runs, the sets by their first runs.
    """
    n = len(different)
    # Sets of runs as whole numbers, a bit a run.
    alike = [sum(1 << j for j in range(n) if not different[i, j]) for i in range(n)]
    held = [0] * n  # with whom each run is in a set already
    sets = []
    for i in range(n):
        while True:
            left = alike[i] & ~held[i]
            if not left:
                break
            # The pair of i and the first run it is not together with; i itself if it differs from all others.
            first = left & -left
            members = (1 << i) | first
            free = alike[i] & alike[first.bit_length() - 1] & ~members
            while free:
                run = free & -free
                members |= run
                free &= alike[run.bit_length() - 1] & ~run
            inside = [j for j in range(n) if members >> j & 1]
            for j in inside:
                held[j] |= members
            sets.append(inside)
    return sorted(sets)


def letters(different: Bools) -> list[str] | list[None]:
    """Letters of each run: see the module.

    Parameters
    ----------
    different : bool array (n_runs, n_runs), symmetric, False on the diagonal
        Whether two runs are significantly different; runs in the order in which the letters are to begin, best first.

    Returns
    -------
    list of str, length n_runs
        One character a letter, from `a` on; None for every run if more than eight letters would be needed.

    Examples
    --------
    Of three runs, the first and the last differ:

    >>> import numpy as np
    >>> letters(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    ['a', 'ab', 'b']
    """
    columns = columns_of(different)
    if len(columns) > MOST:
        return [None] * len(different)
    out = [""] * len(different)
    for name, runs in zip(ascii_lowercase, columns, strict=False):
        for run in runs:
            out[run] += name
    return out
