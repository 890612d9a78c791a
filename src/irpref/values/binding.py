"""What measures take from a collection as a whole: the top of the grade scale, the documents users
knew.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, overload

import numpy as np
from ir_measures.measures import Measure

from irpref.data.columns import columns_of
from irpref.judged.align import listing as listing_of
from irpref.judged.inputs import as_frame
from irpref.judged.kept import kept_pool
from irpref.judged.pool import Pool
from irpref.judged.types import Qrels, Run
from irpref.measures.declare import KernelMeasure, MeasureLike, Measures, needs
from irpref.measures.degenerate import nonrelevant, warn_degenerate
from irpref.measures.names import parse_all


@overload  # a name is an iterable of names, too
def bind(measures: MeasureLike, source: Qrels) -> Measure: ...  # type: ignore[overload-overlap]
@overload
def bind(measures: Iterable[MeasureLike], source: Qrels) -> list[Measure]: ...
def bind(measures: Measures, source: Any) -> Any:
    """Fix the grade scale of measures once for a collection.

    `max_rel` is filled in if a measure takes it and none was given, so that values do not change
    when the qrels are evaluated in parts: PyTerrier hands measures the qrels of a batch, of a fold,
    or of the topics at hand.

    Parameters
    ----------
    measures : measure, name, or iterable of them
    source : any form of qrels
        Of a data set of ir_datasets, or its id, the grades are those of `qrels_defs()` if it has
        them (nothing is downloaded), else those of the qrels.

    Returns
    -------
    Measure, or list of them
        Measures without `max_rel` unchanged.

    Warns
    -----
    DegenerateWarning
        No document is judged non-relevant, and a measure of the bpref family needs such documents.

    Examples
    --------
    >>> bind(parse_all(["RPref", "nDCG@10"]), {"q1": {"d1": 2, "d2": 0}})
    [RPref(max_rel=2), nDCG@10]
    """
    single = isinstance(measures, (Measure, str))
    chosen = parse_all(measures)
    if single and len(chosen) != 1:
        raise ValueError(f"{measures!r} names {len(chosen)} measures: pass a list")
    grades, given = _grades(source, any("preferences" in needs(measure) for measure in chosen))
    bound = []
    for measure in chosen:
        if (
            "nonrelevant" in needs(measure)
            and not nonrelevant(measure, np.array(given, dtype=np.float64)).any()
        ):
            warn_degenerate(measure, given)
        has_scale = isinstance(measure, KernelMeasure) and "max_rel" in measure.SUPPORTED_PARAMS
        if has_scale and "max_rel" not in measure.params:
            gains = measure.params.get("gains", {})
            measure = measure(
                max_rel=max([1, *(gains.get(grade, grade) for grade in grades if grade >= 0)])
            )
        bound.append(measure)
    return bound[0] if single else bound


def _grades(source: Any, preferences: bool) -> tuple[list[float], list[float]]:
    """Grades of the scale of a collection, and those that were given."""
    names_dataset = isinstance(source, str) and not os.path.exists(source)
    if names_dataset or hasattr(source, "qrels_iter") or hasattr(source, "irds_ref"):
        from irpref.settings import scale_of

        scale = scale_of(source)
        return list(scale.grades), list(scale.given)
    pool = source if isinstance(source, Pool) else kept_pool(source, preferences=preferences)
    grades = np.unique(pool.grade).tolist()
    return grades, grades


def with_known(
    qrels: Qrels,
    known: Any = None,
    *,
    run: Run | None = None,
    depth: int = 10,
    column: str = "known",
) -> Any:
    """Qrels with a column that says which documents the user knew.

    Parameters
    ----------
    qrels : any form of qrels
        Not modified.
    known : mapping of topic to documents, or path of a file in TREC qrels format
        In a file, documents with a grade above 0 are known.
    run : any form of run, optional
        Instead of `known`: the user knows the first `depth` documents of this run.
    depth : int
    column : str
        Name of the column.

    Returns
    -------
    pandas.DataFrame
        The columns of the qrels (`query_id`, `doc_id`, `relevance`; a frame keeps its own names)
        and `column`.

    Raises
    ------
    ValueError
        Neither or both of `known` and `run` are given; no topic in common.

    Examples
    --------
    >>> with_known({"q1": {"d1": 1, "d2": 1}}, {"q1": ["d2"]})["known"].tolist()
    [False, True]
    """
    import pandas as pd

    if (known is None) == (run is None):
        raise ValueError("with_known takes either known (a mapping or a file) or run=")
    frame = as_frame(qrels, "relevance")
    names = columns_of([str(name) for name in frame.columns], "relevance", table="DataFrame")
    topics = frame[names["query_id"]].astype(str).tolist()
    docs = frame[names["doc_id"]].astype(str).tolist()
    if run is not None:
        pool = Pool.build(frame)
        listing = listing_of(pool, run)
        top = listing.rank <= depth
        pairs = {
            (pool.topic_ids[t], doc)
            for t, doc, kept in zip(
                listing.topics.topic.tolist(), listing.doc_ids, top.tolist(), strict=True
            )
            if kept
        }
    else:
        if isinstance(known, (str, os.PathLike)):
            given = as_frame(known, "relevance")
            given = given[given["relevance"] > 0]
            pairs = set(
                zip(given["query_id"].astype(str), given["doc_id"].astype(str), strict=True)
            )
        elif isinstance(known, Mapping):
            pairs = {
                (str(topic), str(doc))
                for topic, of in known.items()
                for doc in ([of] if isinstance(of, str) else of)
            }
        else:
            raise ValueError(
                f"known must be a mapping of topic to documents or a path, got "
                f"{type(known).__name__} "
                "(a run goes to run=)"
            )
        if pairs and not {topic for topic, _ in pairs} & set(topics):
            raise ValueError(
                "known and qrels have no topic in common: known begins "
                f"{sorted(topic for topic, _ in pairs)[0]!r}, the qrels {topics[0]!r}"
            )
    flags = [pair in pairs for pair in zip(topics, docs, strict=True)]
    return frame.assign(**{column: pd.array(flags, dtype=bool)})
