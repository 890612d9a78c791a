"""`pt.irpref.crosscheck` and `pt.irpref.explain`: called as `pt.Experiment` is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irpref.errors import MeasureError
from irpref.hosts.other_tools import crosscheck as crosscheck_runs
from irpref.hosts.pyterrier.systems import Names, judgments_of, runs_of
from irpref.judged.types import Qrels
from irpref.measures.declare import Measures
from irpref.measures.names import parse_all

if TYPE_CHECKING:
    import pandas as pd


def crosscheck(
    systems: Any,
    topics: pd.DataFrame | None,
    qrels: Qrels,
    measures: Measures,
    names: Names = None,
    **options: Any,
) -> pd.DataFrame:
    """`irpref.crosscheck` of systems: our values beside those of other tools.

    Parameters
    ----------
    systems, topics, qrels, measures, names : as `pt.irpref.leaderboard` takes them
    **options : as `irpref.crosscheck` takes them

    Raises
    ------
    TypeError, ValueError
        As `pt.irpref.leaderboard`.
    """
    return crosscheck_runs(
        measures, judgments_of(qrels, topics), runs_of(systems, topics, names), **options
    )


def explain(
    systems: Any,
    topics: pd.DataFrame | None,
    qrels: Qrels,
    measures: Measures,
    names: Names = None,
    **options: Any,
) -> pd.DataFrame:
    """`irpref.explain` of systems: what each document contributes to each measure.

    In a pipeline, use the stage `pt.irpref.Explain`.

    Parameters
    ----------
    systems, topics, qrels, measures, names : as `pt.irpref.leaderboard` takes them
    **options : as `irpref.explain` takes them, such as `query_id`

    Returns
    -------
    DataFrame
        As `irpref.explain` returns it, with the columns `name` and `measure` in front. What only
        other measures are made of is NaN.

    Raises
    ------
    TypeError, ValueError
        As `pt.irpref.leaderboard`; a measure is not a sum over documents.
    """
    import pandas as pd

    from irpref.explanation import explain as explain_run

    judgments, chosen = judgments_of(qrels, topics), parse_all(measures)
    if not chosen:
        raise MeasureError("there are no measures to explain")
    parts = []
    for name, run in runs_of(systems, topics, names).items():
        for measure in chosen:
            part = explain_run(measure, judgments, run, **options)
            part.insert(0, "measure", str(measure))
            part.insert(0, "name", name)
            parts.append(part)
    return pd.concat(parts, ignore_index=True)
