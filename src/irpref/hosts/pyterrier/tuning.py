"""PyTerrier's searches for the best setting, by measures of either direction.

`pt.GridSearch` takes the highest value for the best, and finds no value if you pass it a measure in
place of a name of trec_eval. These two ask the measure which direction is better, and leave the
evaluation to `pt.GridScan`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pyterrier as pt

from irpref.hosts.host_evaluator import direction_known
from irpref.measures.declare import rises
from irpref.measures.names import parse
from irpref.messages import check_choice

Setting = list[tuple[pt.Transformer, str, Any]]
RETURNED = ("opt_pipeline", "best_setting", "both")


def GridSearch(
    pipeline: pt.Transformer,
    params: Any,
    topics: pd.DataFrame,
    qrels: pd.DataFrame,
    metric: Any = "map",
    *,
    return_type: str = "opt_pipeline",
    **options: Any,
) -> Any:
    """Find the setting with the best value of a measure: `pt.GridSearch`, by
    `measure.higher_is_better`.

    Parameters
    ----------
    pipeline, params, topics, qrels : as `pt.GridSearch` takes them
    metric : measure or name, of any toolkit
    return_type : 'opt_pipeline', 'best_setting' or 'both'
        The pipeline with the best setting; value and setting, leaving the pipeline as it was; or
        pipeline (with the best setting), value and setting.
    **options : of `pt.GridScan` (`jobs`, `backend`, `verbose`, `batch_size`)

    Raises
    ------
    ValueError
        No such measure, or no such `return_type`.
    """
    check_choice("return_type", return_type, RETURNED)
    measure = parse(metric)
    before = _current(params)
    with direction_known():
        outcomes: Any = pt.GridScan(
            pipeline, params, topics, qrels, [measure], dataframe=False, **options
        )
    sign = 1 if rises(measure) else -1
    setting, values = max(outcomes, key=lambda outcome: sign * outcome[1][str(measure)])
    _set(before if return_type == "best_setting" else setting)
    value = values[str(measure)]
    return {
        "opt_pipeline": pipeline,
        "best_setting": (value, setting),
        "both": (pipeline, value, setting),
    }[return_type]


def KFoldGridSearch(
    pipeline: pt.Transformer,
    params: Any,
    topics_list: Sequence[pd.DataFrame],
    qrels: pd.DataFrame | Sequence[pd.DataFrame],
    metric: Any = "map",
    **options: Any,
) -> tuple[pd.DataFrame, list[Setting]]:
    """Evaluate each fold of topics with the setting that is best on the others, as
    `pt.KFoldGridSearch` does.

    Parameters
    ----------
    pipeline, params, topics_list, qrels : as `pt.KFoldGridSearch` takes them
    metric : measure or name, of any toolkit
    **options : of `pt.GridScan`

    Returns
    -------
    results : DataFrame
        Of all topics.
    settings : list
        The setting chosen for each fold. The pipeline is left as it was.
    """
    judgments = [qrels] * len(topics_list) if isinstance(qrels, pd.DataFrame) else list(qrels)
    before = _current(params)
    results, settings = [], []
    try:
        for fold, topics in enumerate(topics_list):
            others = [i for i in range(len(topics_list)) if i != fold]
            trained = pd.concat([topics_list[i] for i in others])
            judged = pd.concat([judgments[i] for i in others]).drop_duplicates()
            best, _, setting = GridSearch(
                pipeline, params, trained, judged, metric, return_type="both", **options
            )
            results.append(best.transform(topics))
            settings.append(setting)
    finally:
        _set(before)
    return pd.concat(results), settings


def _current(params: Any) -> Setting:
    return [
        (stage, name, stage.get_parameter(name))
        for stage, names in params.items()
        for name in names
    ]


def _set(setting: Setting) -> None:
    for stage, name, value in setting:
        stage.set_parameter(name, value)
