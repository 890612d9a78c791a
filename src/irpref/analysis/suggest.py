"""Three measures that suit the judgments at hand, with a reason for each.

The reasons are what the judgments and runs show, and what the study of robustness found (docs/robustness.md). With many
judgments missing, measures that leave unjudged documents out predict other topics better; of those, condensed AP and
rpref with norm='relative2' passed every question under random loss and in shallow pools. With all judgments, AP,
Q-measure and nDCG predict about equally well. The study tested neither preferences nor rankings of a few documents.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irpref.judged.pool import Pool

COMPLETE = 0.95  # share of judged documents in the first ten of every run
SHALLOW = 20  # documents a topic, up to which a ranking has no tail to measure


def suggest(pool: Pool, seen: Sequence[tuple[float, float]], preferences: bool = False) -> list[dict[str, str]]:
    """Three measures for these judgments.

    Parameters
    ----------
    pool : Pool
    seen : sequence of (float, float)
        Of each run, the share of judged documents in its first ten and its median number of documents a topic.
    preferences : bool
        Whether documents are compared with each other instead of graded.

    Returns
    -------
    list of dict
        `measure` and `why`.
    """
    if preferences:
        return _rows(
            ("PrefShare", "the share of preferences that the ranking keeps"),
            ("PrefPrecision@10", "the same share, of the preferences that the first ten documents decide"),
            ("PrefAP", "one number in which the top of the ranking counts most"),
        )
    positive = pool.grade > 0
    relevant, nonrelevant = pool.judged.count(positive), pool.judged.count(pool.grade == 0)
    only_relevant = 2 * np.sum((relevant > 0) & (nonrelevant == 0)) > np.sum(relevant > 0)
    graded = np.unique(pool.grade[positive]).size > 1
    judged = [share for share, _ in seen]
    holes = not judged or min(judged) < COMPLETE
    depth = int(max((length for _, length in seen), default=1000))
    k = max(min(10, depth), 1)
    if only_relevant:
        return _rows(
            (f"RR@{k}", "the rank of the first relevant document; no document need be judged non-relevant"),
            (f"R@{min(depth // 10 * 10 or depth, 100)}", "how many of the relevant documents are retrieved at all"),
            (f"nDCG@{k}", "all relevant documents of the first page, the first ranks counting most"),
        )
    if depth <= SHALLOW:
        third = (f"P@{k}", "how many of these documents are relevant")
        if holes:
            third = (f"Judged@{k}", "report it beside the others: they take unjudged documents for non-relevant")
        first = (f"nDCG@{k}", f"the runs have {depth} documents a topic; the first ranks count most")
        return _rows(first, (f"RR@{k}", "the rank of the first relevant document"), third)
    if holes:
        rpref = f"RPref(norm='relative2',max_rel={max(1.0, float(pool.grade.max())):g})"
        how = "with their grades" if graded else "relevant with non-relevant ones"
        ends = dict.fromkeys(f"{share:.2f}" for share in (min(judged), max(judged))) if judged else ()
        said = f" ({' to '.join(ends)})" if ends else ""
        return _rows(
            ("AP(judged_only=True)", "leaves unjudged documents out; passed every question of the robustness study"),
            (rpref, f"compares judged documents, {how}; passed as well"),
            (
                "nDCG@10",
                f"the first page; takes unjudged documents for non-relevant: report Judged@10{said} beside it",
            ),
        )
    whole = ("QMeasure", "the whole ranking, with grades") if graded else ("AP", "the whole ranking")
    alike = "the same; AP, Q-measure and nDCG predicted other topics about equally well in the robustness study"
    return _rows(whole, ("nDCG", alike), ("nDCG@10", "the first page"))


def _rows(*found: tuple[str, str]) -> list[dict[str, str]]:
    return [{"measure": measure, "why": why} for measure, why in found]
