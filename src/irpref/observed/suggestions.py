"""Suggest three measures that suit your judgments, with a reason for each.

The choice depends on the judgments alone, so the advice is the same whichever runs you have. The
reasons are the judgments and the literature:

    no threshold is known (ratings below 1; grades from 1 to 3 or more, and none of 0)
        measures that take the grades as they are
    only relevant documents are judged
        measures that need no judged non-relevant document
    non-relevant documents are judged, too
        measures on condensed lists, which leave out unjudged documents (T. Sakai, Alternatives to
        bpref, SIGIR 2007, doi:10.1145/1277741.1277756), and of the preferences between judged
        documents (J. De Beer and M.-F. Moens, Rpref, SIGIR 2006, doi:10.1145/1148170.1148293); for
        the first page nDCG (K. Jarvelin and J. Kekalainen, ACM TOIS 20 (2002) 422-446,
        doi:10.1145/582415.582418)
    preferences
        the share of preferences that a ranking keeps

Where grades go to 3 or more, grade 1 is "related" rather than relevant, as in TREC's Deep Learning
and CAsT tracks, and `rel` is 2. Our own study of robustness (docs/robustness.md, unreviewed) speaks
for condensed lists: on average over collections, condensed AP (with rel=2 on Deep Learning) and
rpref with norm='relative2' met every criterion there, under random loss and in shallow pools; with
one collection left out they still did in 2 and in 4 of 5 cases.

`alternatives` follow if some of the three cannot tell your runs apart."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from irpref.judged.pool import Pool

_FROM, _FURTHER = 2.0, 3.0  # the lowest relevant grade on scales that go so far


def suggest(pool: Pool, preferences: bool = False) -> list[dict[str, str]]:
    """Suggest three measures for these judgments.

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
    levels = [grade for grade in pool.scale() if grade > 0]
    if levels and levels[-1] < 1:
        return alternatives()
    if len(levels) > 1 and levels[-1] >= _FURTHER and not (pool.grade == 0).any():
        return alternatives()
    return usual(pool)


def usual(pool: Pool) -> list[dict[str, str]]:
    """Suggest measures for judgments by their kind, whether or not a threshold `rel` suits their
    grades.
    """
    positive = pool.grade > 0
    relevant, nonrelevant = pool.judged.count(positive), pool.judged.count(pool.grade == 0)
    is_graded = sum(grade > 0 for grade in pool.scale()) > 1
    words = {"rel": "", "because": ""}
    words["how"] = "with their grades" if is_graded else "relevant with non-relevant ones"
    if is_graded:
        words["because"] = "; all grades from 1 on count alike"
        if _top(pool) <= 1:
            words["because"] = "; grades below 1 count as not relevant"
    if 2 * np.sum((relevant > 0) & (nonrelevant == 0)) > np.sum(relevant > 0):
        return _suggested("only-relevant", **words)
    reached = pool.judged.count(pool.grade >= _FROM) > 0
    if _top(pool) >= _FURTHER and 2 * reached.sum() > np.sum(relevant > 0):
        words["rel"] = f",rel={_FROM:g}"
        words["because"] = f"; grades below {_FROM:g} count as not relevant"
    return _suggested("nonrelevant-too", **words)


def alternatives() -> list[dict[str, str]]:
    """Suggest measures if some of the three cannot tell runs apart."""
    return _suggested("alternatives")


@cache
def _sentences() -> dict[str, dict[str, str]]:
    """Read the reasons for each case."""
    import tomllib  # few commands need these
    from importlib.resources import files

    return tomllib.loads(files("irpref.observed").joinpath("suggestions.toml").read_text("utf-8"))


def _top(pool: Pool) -> float:
    return max(1.0, float(pool.grade.max()))


def _suggested(case: str, **words: Any) -> list[dict[str, str]]:
    reasons = _sentences()[case]
    return [
        {"measure": measure.format(**words), "why": why.format(**words)}
        for measure, why in reasons.items()
    ]
