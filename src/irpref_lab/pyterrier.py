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
from irpref.messages import did_you_mean, wrong_number

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
    measures: Measures,
    qrels: Judgments,
    runs: Mapping[str, Any],
    *,
    baseline: int | str = 0,
    **options: Any,
) -> Differences:
    """Compare systems with a baseline among them, as `irpref_lab.against` does: which systems
    differ?

    Parameters
    ----------
    systems, topics, qrels, measures, names : as `leaderboard` takes them
    baseline : int or str
        The number of the baseline among the systems, from 0 as in `pt.Experiment`, or its name.
    **options : as `irpref_lab.against` takes them

    Raises
    ------
    TypeError, ValueError
        As `leaderboard`; there is one system only, or none is the baseline.
    """
    return irpref_lab.against(measures, qrels, _name_of(runs, baseline), runs, **options)


@like_experiment
def gate(
    measures: Measures,
    qrels: Judgments,
    runs: Mapping[str, Any],
    *,
    baseline: int | str = 0,
    **options: Any,
) -> Gate:
    """Decide whether one of two systems, the candidate, may replace the other, the baseline, as
    `irpref_lab.gate` does.

    Parameters
    ----------
    systems, topics, qrels, measures, names : as `leaderboard` takes them
    baseline : int or str
        As `against` takes it; the other system is the candidate.
    **options : as `irpref_lab.gate` takes them

    Raises
    ------
    TypeError
        As `leaderboard`.
    ValueError
        There are not exactly two systems, or none is the baseline; also as `leaderboard`.
    """
    _two(runs, "gate")
    before = _name_of(runs, baseline)
    (candidate,) = (run for name, run in runs.items() if name != before)
    return irpref_lab.gate(measures, qrels, runs[before], candidate, **options)


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


def _name_of(runs: Mapping[str, Any], baseline: int | str) -> str:
    """Return the name of the system that is the baseline, by its name or number."""
    names = list(runs)
    if baseline in names:
        return str(baseline)
    number = baseline if isinstance(baseline, int) and not isinstance(baseline, bool) else None
    if number is not None and -len(names) <= number < len(names):
        return names[number]
    near = did_you_mean(str(baseline), names)
    raise ArgumentError(
        f"baseline={baseline!r}: expected the name of a system, or its number from 0 to "
        f"{len(names) - 1}; the systems are {', '.join(map(repr, names))}{near}",
        parameter="baseline",
        value=baseline,
    )


def _two(runs: Mapping[str, Any], function: str) -> list[Any]:
    if len(runs) != 2:
        raise ArgumentError(
            f"{function} "
            + wrong_number("two systems", len(runs), "", "pt.irpref.leaderboard" * (len(runs) > 2)),
            parameter="runs",
        )
    return list(runs.values())
