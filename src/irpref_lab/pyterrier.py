"""Functions of the lab in `pt.irpref`, called as `pt.Experiment` is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import irpref_lab
from irpref.errors import ArgumentError
from irpref.hosts.pyterrier.calls import like_experiment
from irpref.hosts.pyterrier.systems import Names, check_systems, judgments_of, runs_of
from irpref.judged import QrelsLike
from irpref.measures.declare import Measures
from irpref.messages import wrong_number

if TYPE_CHECKING:
    import pandas as pd

    from irpref.judged import Judgments
    from irpref_lab.decide.results.comparison import Comparison
    from irpref_lab.decide.results.differences import Differences
    from irpref_lab.decide.results.gate import Gate
    from irpref_lab.decide.results.leaderboard import Leaderboard
    from irpref_lab.page import Report


@like_experiment
def leaderboard(
    measures: Measures, qrels: Judgments, runs: Mapping[str, Any], **options: Any
) -> Leaderboard:
    """Rank systems, as `irpref_lab.leaderboard` does: means with intervals, places, and the tests
    of all pairs.

    Parameters
    ----------
    systems : list of pipelines, result frames, or runs in any other form; or mapping of name to
        them
    topics : frame with columns `qid` and `query`
        The topics that pipelines retrieve for. As in `pt.Experiment`, only the judgments of these
        topics are used. None: the judgments of all topics, if there are no pipelines.
    qrels : frame of judgments, or any other form of qrels
    measures : measures of any toolkit, or their names
    names : list of str, optional
        Names of the systems, if these are a list. None: pipelines are named as they print, as in
        `pt.Experiment`, long ones by their stages, and frames `run 1`, `run 2`, ...
    **options : as `irpref_lab.leaderboard` takes them

    Raises
    ------
    TypeError
        There are pipelines and no `topics`, which are not a frame, or `systems` is not a list or
        mapping.
    ValueError
        There are not as many names as systems, or two names are equal; no topic has judgments.
    """
    return irpref_lab.leaderboard(measures, qrels, runs, **options)


def report(
    systems: Any,
    topics: pd.DataFrame | None,
    qrels: QrelsLike,
    measures: Measures,
    names: Names = None,
    **options: Any,
) -> Report:
    """Show an evaluation of systems as one page, as `irpref_lab.report` does.

    Parameters
    ----------
    systems, topics, qrels, measures, names : as `leaderboard` takes them
        The page shows the queries of `topics`.
    **options : as `irpref_lab.report` takes them, such as `path`

    Raises
    ------
    TypeError, ValueError
        As `leaderboard`.
    """
    check_systems(systems)
    return irpref_lab.report(
        measures,
        judgments_of(qrels, topics),
        runs_of(systems, topics, names),
        topics=topics,
        **options,
    )


@like_experiment
def compare(
    measures: Measures, qrels: Judgments, runs: Mapping[str, Any], **options: Any
) -> Comparison:
    """Compare two systems, as `irpref_lab.compare` does: is the second better than the first?

    Parameters
    ----------
    systems, topics, qrels, measures, names : as `leaderboard` takes them
    **options : as `irpref_lab.compare` takes them

    Raises
    ------
    TypeError
        As `leaderboard`.
    ValueError
        There are not exactly two systems; also as `leaderboard`.
    """
    first, second = _two(runs, "compare")
    return irpref_lab.compare(measures, qrels, first, second, names=list(runs), **options)


@like_experiment
def against(
    measures: Measures, qrels: Judgments, runs: Mapping[str, Any], **options: Any
) -> Differences:
    """Compare systems with the first, the baseline, as `irpref_lab.against` does: which systems
    differ?

    Parameters
    ----------
    systems, topics, qrels, measures, names : as `leaderboard` takes them
    **options : as `irpref_lab.against` takes them

    Raises
    ------
    TypeError, ValueError
        As `leaderboard`; there is one system only.
    """
    return irpref_lab.against(measures, qrels, next(iter(runs)), runs, **options)


@like_experiment
def gate(measures: Measures, qrels: Judgments, runs: Mapping[str, Any], **options: Any) -> Gate:
    """Decide whether the second system, the candidate, may replace the first, the baseline, as
    `irpref_lab.gate` does.

    Parameters
    ----------
    systems, topics, qrels, measures, names : as `leaderboard` takes them
    **options : as `irpref_lab.gate` takes them

    Raises
    ------
    TypeError
        As `leaderboard`.
    ValueError
        There are not exactly two systems; also as `leaderboard`.
    """
    baseline, candidate = _two(runs, "gate")
    return irpref_lab.gate(measures, qrels, baseline, candidate, **options)


@like_experiment
def intervals(
    measures: Measures, qrels: Judgments, runs: Mapping[str, Any], **options: Any
) -> pd.DataFrame:
    """Show how far ties, unjudged documents or topics move the values of systems, as
    `irpref_lab.intervals` does.

    Parameters
    ----------
    systems, topics, qrels, measures, names : as `leaderboard` takes them
    **options : as `irpref_lab.intervals` takes them, such as `over`

    Returns
    -------
    DataFrame
        As `irpref_lab.intervals` returns it, with the column `name` in front.

    Raises
    ------
    TypeError, ValueError
        As `leaderboard`.
    """
    import pandas as pd

    parts = []
    for name, run in runs.items():
        part = irpref_lab.intervals(measures, qrels, run, **options)
        part.insert(0, "name", name)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def check(
    systems: Any,
    topics: pd.DataFrame | None,
    qrels: QrelsLike,
    measures: Measures = (),
    names: Names = None,
    **options: Any,
) -> pd.DataFrame:
    """Find problems in judgments and in the results of systems, as `irpref_lab.check` does.

    Parameters
    ----------
    systems, topics, qrels, measures, names : as `leaderboard` takes them
    **options : as `irpref_lab.check` takes them

    Raises
    ------
    TypeError, ValueError
        As `leaderboard`.
    """
    check_systems(systems)
    return irpref_lab.check(
        judgments_of(qrels, topics), runs_of(systems, topics, names), measures, **options
    )


def _two(runs: Mapping[str, Any], function: str) -> list[Any]:
    if len(runs) != 2:
        raise ArgumentError(
            f"{function} "
            + wrong_number("two systems", len(runs), "", "pt.irpref.leaderboard" * (len(runs) > 2)),
            parameter="runs",
        )
    return list(runs.values())
