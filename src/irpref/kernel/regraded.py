"""The same documents under other grades: judgments in their new ideal order, and runs judged by
them.
"""

from __future__ import annotations

import numpy as np

from irpref.kernel.grades import Grades
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Floats, Ints


def regraded(pool: Grades, grade: Floats) -> tuple[Grades, Ints]:
    """Judgments with other grades.

    Parameters
    ----------
    pool : Grades
    grade : float array (n_judged,)
        The new grade of each row of the pool.

    Returns
    -------
    judgments : Grades
        Without further columns.
    row : int array (n_judged,)
        Where each row of the pool is among them.
    """
    order = np.lexsort((-grade, pool.judged.topic))
    row = np.empty_like(order)
    row[order] = np.arange(order.size)
    return Grades(pool.judged, grade[order]), row


def run_on(run: JudgedRun, judgments: Grades, row: Ints) -> JudgedRun:
    """A run judged by what `regraded` returned."""
    return JudgedRun(
        judgments,
        run.hits,
        run.rank,
        row[run.row],
        run.n_retrieved,
        rank_rising=run.rank_rising,
        tied_from=run.tied_from,
    )
