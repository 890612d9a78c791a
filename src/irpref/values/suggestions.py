"""Suggest three measures that suit your judgments, with a reason for each.

What suits depends on the judgments alone, so the advice is the same whichever runs you have. The
reasons are the judgments and the literature:

    only relevant documents are judged
        measures that need no judged non-relevant document
    non-relevant documents are judged, too
        measures on condensed lists, which leave out unjudged documents (T. Sakai, Alternatives to
        bpref, SIGIR 2007, doi:10.1145/1277741.1277756), and of the preferences between judged
        documents (J. De Beer and M.-F. Moens, Rpref, SIGIR 2006, doi:10.1145/1148170.1148293); for
        the first page nDCG (K. Jarvelin and J. Kekalainen, ACM TOIS 20 (2002) 422-446,
        doi:10.1145/582415.582418)
    preferences
        the share of them that a ranking keeps

Our own study of robustness (docs/robustness.md, unreviewed) agrees with the second: condensed AP
and rpref with norm='relative2' met every criterion there, under random loss and in shallow pools.

`alternatives` follow if some of the three cannot tell your runs apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from irpref.judged.pool import Pool
from irpref.values.findings import sentences


def suggest(pool: Pool, preferences: bool = False) -> list[dict[str, str]]:
    """Three measures for these judgments.

    Parameters
    ----------
    pool : Pool
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
    if 2 * np.sum((relevant > 0) & (nonrelevant == 0)) > np.sum(relevant > 0):
        return _suggested("only-relevant")
    graded = np.unique(pool.grade[positive]).size > 1
    how = "with their grades" if graded else "relevant with non-relevant ones"
    return _suggested("nonrelevant-too", how=how)


def alternatives() -> list[dict[str, str]]:
    """Measures to suggest if some of the three cannot tell runs apart."""
    return _suggested("alternatives")


def _suggested(case: str, **words: Any) -> list[dict[str, str]]:
    reasons = sentences("suggestions.toml")[case]
    return [{"measure": measure, "why": why.format(**words)} for measure, why in reasons.items()]
