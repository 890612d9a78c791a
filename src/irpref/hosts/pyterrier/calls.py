"""Functions of measures, judgments and runs in the grammar of `pt.Experiment`, among them
`pt.irpref.crosscheck` and `pt.irpref.explain`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from irpref.errors import MeasureError
from irpref.hosts.other_tools import crosscheck as crosscheck_runs
from irpref.hosts.pyterrier.systems import Names, check_systems, judgments_of, runs_of
from irpref.judged.types import QrelsLike
from irpref.measures.declare import Measures
from irpref.measures.names import parse_all

if TYPE_CHECKING:
    import pandas as pd

    from irpref.judged.judgments import Judgments

T_co = TypeVar("T_co", covariant=True)


class LikeExperiment(Protocol[T_co]):
    """A function that is called as `pt.Experiment` is."""

    def __call__(
        self,
        systems: Any,
        topics: pd.DataFrame | None,
        qrels: QrelsLike,
        measures: Measures,
        names: Names = None,
        **options: Any,
    ) -> T_co: ...


def like_experiment(function: Callable[..., T_co]) -> LikeExperiment[T_co]:
    """Make a function of measures, judgments and runs one that is called as `pt.Experiment` is.

    Parameters
    ----------
    function : callable
        Takes measures, Judgments, a mapping of name to run, and options.

    Returns
    -------
    callable
        Takes `(systems, topics, qrels, measures, names=None, **options)`. Its docstring explains
        them as `pt.irpref.leaderboard` does.
    """

    @wraps(function, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
    def call(
        systems: Any,
        topics: pd.DataFrame | None,
        qrels: QrelsLike,
        measures: Measures,
        names: Names = None,
        **options: Any,
    ) -> T_co:
        check_systems(systems)
        return function(
            measures, judgments_of(qrels, topics), runs_of(systems, topics, names), **options
        )

    del call.__wrapped__  # its signature is another one
    call.__annotations__["return"] = function.__annotations__["return"]
    return call


@like_experiment
def crosscheck(
    measures: Measures, qrels: Judgments, runs: Mapping[str, Any], **options: Any
) -> pd.DataFrame:
    """Compare the values of systems with other tools, as `irpref.crosscheck` does.

    Parameters
    ----------
    systems, topics, qrels, measures, names : as `pt.irpref.leaderboard` takes them
    **options : as `irpref.crosscheck` takes them

    Raises
    ------
    TypeError, ValueError
        As `pt.irpref.leaderboard`.
    """
    return crosscheck_runs(measures, qrels, runs, **options)


@like_experiment
def explain(
    measures: Measures, qrels: Judgments, runs: Mapping[str, Any], **options: Any
) -> pd.DataFrame:
    """Explain the values of systems, as `irpref.explain` does: how much each document contributes
    to each measure.

    In a pipeline, use the stage `pt.irpref.Explain`.

    Parameters
    ----------
    systems, topics, qrels, measures, names : as `pt.irpref.leaderboard` takes them
    **options : as `irpref.explain` takes them, such as `query_id`

    Returns
    -------
    DataFrame
        As `irpref.explain` returns it, with the columns `name` and `measure` in front. Columns
        that only other measures use are NaN. With `query_id`, it is printed, and shown in a
        notebook, as the explanations one after the other; without, as the mean of each system and
        measure, with the topics of the lowest and the highest value.

    Raises
    ------
    TypeError, ValueError
        As `pt.irpref.leaderboard`; a measure is not a sum over documents.
    """
    from irpref.show.explained import Explanations
    from irpref.show.explained import explain as explain_run

    chosen = parse_all(measures)
    if not chosen:
        raise MeasureError("there are no measures to explain")
    return Explanations.joined(
        [
            (name, str(measure), explain_run(measure, qrels, run, **options))
            for name, run in runs.items()
            for measure in chosen
        ]
    )
