"""`pt.irpref.leaderboard`, `report` and `compare`: called as `pt.Experiment` is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import irpref
from irpref.data.columns import columns_of
from irpref.judged.inputs import as_frame
from irpref.judged.types import Qrels
from irpref.measures.declare import Measures

if TYPE_CHECKING:
    import pandas as pd

    from irpref.lab.decide.board import Leaderboard
    from irpref.lab.decide.verdict import Comparison
    from irpref.lab.page import Report

Names = Sequence[str] | None


def leaderboard(
    systems: Any,
    topics: pd.DataFrame | None,
    qrels: Qrels,
    measures: Measures,
    names: Names = None,
    **options: Any,
) -> Leaderboard:
    """`irpref.lab.leaderboard` of systems: means with intervals, places, and the tests of all
    pairs.

    Parameters
    ----------
    systems : list of pipelines, result frames, or runs in any other form; or mapping of name to
        them
    topics : frame with columns `qid` and `query`
        What pipelines retrieve for. As in `pt.Experiment`, only the judgments of these topics are
        used. None: those of all topics, if there are no pipelines.
    qrels : frame of judgments, or any other form of them
    measures : measures of any toolkit, or their names
    names : list of str, optional
        Names of the systems, if these are a list. None: pipelines are named as they print, as in
        `pt.Experiment`, and frames `run 1`, `run 2`, ...
    **options : as `irpref.lab.leaderboard` takes them

    Raises
    ------
    TypeError
        There are pipelines and no `topics`, which are not a frame, or `systems` is not a list or
        mapping.
    ValueError
        There are not as many names as systems, or two names are equal; no topic has judgments.
    """
    return irpref.lab.leaderboard(
        measures, _of_topics(qrels, topics), _runs(systems, topics, names), **options
    )


def report(
    systems: Any,
    topics: pd.DataFrame | None,
    qrels: Qrels,
    measures: Measures,
    names: Names = None,
    **options: Any,
) -> Report:
    """`irpref.lab.report` of systems: an evaluation as one page.

    Parameters
    ----------
    systems, topics, qrels, measures, names : as `leaderboard` takes them
        The page shows the queries of `topics`.
    **options : as `irpref.lab.report` takes them, such as `path`

    Raises
    ------
    TypeError, ValueError
        As `leaderboard`.
    """
    return irpref.lab.report(
        measures, _of_topics(qrels, topics), _runs(systems, topics, names), topics=topics, **options
    )


def compare(
    systems: Any,
    topics: pd.DataFrame | None,
    qrels: Qrels,
    measures: Measures,
    names: Names = None,
    **options: Any,
) -> Comparison:
    """`irpref.lab.compare` of two systems: is the second better than the first?

    Parameters
    ----------
    systems, topics, qrels, measures, names : as `leaderboard` takes them
    **options : as `irpref.lab.compare` takes them

    Raises
    ------
    TypeError
        As `leaderboard`.
    ValueError
        There are not exactly two systems; also as `leaderboard`.
    """
    runs = _runs(systems, topics, names)
    if len(runs) != 2:
        raise ValueError(
            f"compare needs two systems, got {len(runs)}; pt.irpref.leaderboard takes more"
        )
    return irpref.lab.compare(
        measures, _of_topics(qrels, topics), *runs.values(), names=list(runs), **options
    )


def _of_topics(qrels: Qrels, topics: pd.DataFrame | None) -> Qrels:
    """The judgments of these topics, as `pt.Experiment` uses them."""
    if topics is None:
        return qrels
    if "qid" not in getattr(topics, "columns", ()):
        what = ", ".join(map(str, getattr(topics, "columns", [type(topics).__name__])))
        raise TypeError(f"topics: expected a frame with the columns qid and query, got {what}")
    wanted = topics["qid"].astype(str)
    frame = as_frame(qrels, "relevance")
    found = frame[columns_of(list(frame.columns), "relevance", "qrels")["query_id"]].astype(str)
    kept = found.isin(wanted)
    if len(found) and not kept.any():
        begin = [", ".join(map(repr, ids.unique()[:3])) or "none" for ids in (wanted, found)]
        raise ValueError(
            f"topics and qrels have no topic in common: topics begins {begin[0]}, the qrels "
            f"{begin[1]}"
        )
    return frame[kept]


def _runs(systems: Any, topics: Any, names: Names) -> dict[str, Any]:
    """The runs of systems by name; pipelines retrieve for the topics."""
    import pyterrier

    pipeline = pyterrier.Transformer
    if hasattr(systems, "columns") or isinstance(systems, (str, pipeline)):
        raise TypeError(
            f"systems: expected a list of pipelines or frames, got {type(systems).__name__}"
        )
    if isinstance(systems, Mapping):
        given = {str(name): system for name, system in systems.items()}
    else:
        given = _named(list(systems), names, pipeline)
    for name, system in given.items():
        if isinstance(system, pipeline) and topics is None:
            raise TypeError(
                f"the system {name!r} retrieves for topics: pass a frame with the columns qid and "
                f"query"
            )
    return {
        name: system(topics) if isinstance(system, pipeline) else system
        for name, system in given.items()
    }


def _named(systems: Sequence[Any], names: Names, pipeline: type) -> dict[str, Any]:
    if names is None:
        names = [
            str(system) if isinstance(system, pipeline) else f"run {i}"
            for i, system in enumerate(systems, 1)
        ]
        names = [
            f"{name} ({i})" if names.count(name) > 1 else name for i, name in enumerate(names, 1)
        ]
    if len(names) != len(systems) or len(set(names)) < len(systems):
        raise ValueError(
            f"names: expected {len(systems)} different names, one a run, got {list(names)!r}"
        )
    return dict(zip(names, systems, strict=True))
