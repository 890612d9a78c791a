"""The measures of the study, by the names that its page uses.

All are irpref's but one, which is here since ir_measures' RBP has no grades and no condensed lists:

    RBP    (1 - p) sum over ranks i of g_i p^(i - 1)      g = grade / highest grade

A. Moffat and J. Zobel, Rank-biased precision for measurement of retrieval effectiveness, ACM TOIS
27(1), 2008, doi:10.1145/1416950.1416952."""

from __future__ import annotations

import numpy as np

from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Floats
from irpref.measures.declare import KernelMeasure, MeasureLike, Param

NORMS = {"absolute": "", "relative": ",norm='relative'", "relative2": ",norm='relative2'"}


def graded_rbp(run: JudgedRun, *, p: float, top: float, judged_only: bool) -> Floats:
    """Compute RBP of each topic: shape (n_topics,), in [0, 1); negative grades are no judgment."""
    view = run.view(None, judged_only)
    return view.hits.total((1 - p) * p ** (view.rank - 1.0) * np.maximum(view.grade, 0.0) / top)


class _GradedRBP(KernelMeasure, kernel=graded_rbp):
    """Graded gains, discounted by a constant factor from rank to rank.

    Name
    ----
    Graded rank-biased precision

    Parameters
    ----------
    p : persistence
    top : highest grade
    judged_only : leave unjudged documents out
    """

    SUPPORTED_PARAMS = {
        "p": Param(float, default=0.8),
        "top": Param(float, required=True),
        "judged_only": Param(bool, default=False),
    }


GradedRBP = _GradedRBP()


def measures(grades: list[float], rel: float) -> dict[str, MeasureLike]:
    """Name every measure of the study.

    Parameters
    ----------
    grades : grades that occur
    rel : lowest relevant grade
    """
    top = max(grades)
    binary = "gains={" + ",".join(f"{g:g}:{int(g >= rel)}" for g in sorted(grades) if g > 0) + "}"
    by_name: dict[str, MeasureLike] = {}
    for mark, only in (("", ""), ("'", ",judged_only=True")):
        by_name[f"AP{mark}"] = f"AP(rel={rel:g}{only})"
        by_name[f"Q{mark}"] = f"QMeasure({only[1:]})"
        by_name[f"nDCG{mark}"] = f"nDCG({only[1:]})"
        by_name[f"nDCG{mark}@10"] = f"nDCG({only[1:]})@10"
        by_name[f"RBP{mark}"] = GradedRBP(top=top, judged_only=bool(only))
    by_name["bpref"] = f"Bpref(rel={rel:g})"
    for name, norm in NORMS.items():
        by_name[f"rpref {name}"] = f"RPref(max_rel={top:g}{norm})"
        by_name[f"rpref {name} binary"] = f"RPref({binary},max_rel=1{norm})"
        if name != "relative2":
            by_name[f"rpref {name} infinity"] = (
                f"RPref(unretrieved='infinity',max_rel={top:g}{norm})"
            )
    by_name["Q' binary"] = f"QMeasure({binary},judged_only=True)"
    by_name["nDCG' binary"] = f"nDCG({binary},judged_only=True)"
    by_name["recall"] = f"SetR(rel={rel:g})"
    return by_name
