"""Suggest three measures that suit your judgments, with a reason for each.

The reasons come from your judgments and runs, and from the study of robustness
(docs/robustness.md). With many judgments missing, measures that leave out unjudged documents
predict other topics better; of those, condensed AP and rpref with norm='relative2' passed every
question under random loss and in shallow pools. With all judgments, AP, Q-measure and nDCG predict
about equally well. The study tested neither preferences nor rankings of a few documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irpref.judged.pool import Pool
from irpref.values.findings import sentences

COMPLETE = 0.95  # share of judged documents in the first ten of every run
SHALLOW = 20  # a ranking of at most this many documents has no tail to measure


def suggest(
    pool: Pool, seen: Sequence[tuple[float, float]], preferences: bool = False
) -> list[dict[str, str]]:
    """Three measures for these judgments.

    Parameters
    ----------
    pool : Pool
    seen : sequence of (float, float)
        For each run, the share of judged documents in its first ten and its median number of
        documents per topic.
    preferences : bool
        Whether documents were compared with each other instead of graded.

    Returns
    -------
    list of dict
        `measure` and `why`.
    """
    if preferences:
        return _suggested("preferences")
    positive = pool.grade > 0
    relevant, nonrelevant = pool.judged.count(positive), pool.judged.count(pool.grade == 0)
    graded = np.unique(pool.grade[positive]).size > 1
    judged = [share for share, _ in seen]
    unjudged = not judged or min(judged) < COMPLETE
    depth = int(max((length for _, length in seen), default=1000))
    k = max(min(10, depth), 1)
    if 2 * np.sum((relevant > 0) & (nonrelevant == 0)) > np.sum(relevant > 0):
        return _suggested("only-relevant", k=k, tail=min(depth // 10 * 10 or depth, 100))
    if depth <= SHALLOW:
        return _suggested("shallow-unjudged" if unjudged else "shallow", k=k, depth=depth)
    if unjudged:
        ends = (
            dict.fromkeys(f"{share:.2f}" for share in (min(judged), max(judged))) if judged else ()
        )
        said = f" ({' to '.join(ends)})" if ends else ""
        how = "with their grades" if graded else "relevant with non-relevant ones"
        return _suggested("unjudged", top=max(1.0, float(pool.grade.max())), how=how, judged=said)
    return _suggested("graded" if graded else "binary")


def _suggested(case: str, **said: Any) -> list[dict[str, str]]:
    found = sentences("suggestions.toml")[case]
    return [
        {"measure": measure.format(**said), "why": why.format(**said)}
        for measure, why in found.items()
    ]
