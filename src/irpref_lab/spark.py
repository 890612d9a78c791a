"""Evaluate runs that do not fit on one machine, with Spark.

Topics are independent of each other, so a run is evaluated in buckets of topics: a bucket's rows of
the run and of the qrels meet on one worker as Arrow tables and take the ordinary path: `Pool`,
`align_run`, kernels. Values are the same as on one machine, to the last bit. Only questions about
all topics are settled beforehand: the grade scale is taken from all qrels once, and qrels and run
must have a topic in common.

One rule differs, because rows in Spark have no order: a document that a run repeats in a topic is
an error (on one machine the last row counts)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ir_measures.measures import Measure

from irpref import evaluator
from irpref.errors import (
    ArgumentError,
    ColumnError,
    EmptyJudgmentsError,
    NoCommonTopicError,
    RunError,
)
from irpref.judged import as_judgments
from irpref.judged.preference_pool import COLUMNS as PREFERENCE_COLUMNS
from irpref.measures.declare import KernelMeasure
from irpref.measures.names import parse_all
from irpref.messages import held
from irpref.values.prepare import columns_for, prepare

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame

    from irpref.measures.declare import Measures

SCHEMA = "query_id string, measure string, value double"
_BUCKET = "__bucket"


def evaluate(
    run: DataFrame,
    qrels: DataFrame,
    measures: Measures,
    *,
    buckets: int | None = None,
    ignore_self: bool = False,
) -> DataFrame:
    """Compute the values of a run by topic and measure.

    Parameters
    ----------
    run : pyspark.sql.DataFrame
        Columns `query_id`, `doc_id`, `score`; others are dropped before anything is moved.
    qrels : pyspark.sql.DataFrame
        Columns `query_id`, `doc_id`, `relevance`, and columns that a measure asks for (`known`,
        ...).
    measures : measures or names, of any toolkit
    buckets : int, optional
        Number of groups of topics, `spark.sql.shuffle.partitions` if not given. Each core of a
        worker holds one bucket at a time: choose the number so that a bucket has a few million
        rows.
    ignore_self : bool
        Whether documents with the id of their topic are left out, see `irpref.run`.

    Returns
    -------
    pyspark.sql.DataFrame
        `query_id`, `measure`, `value`: one row for each topic of the qrels and measure, topics that
        are missing from the run included, in no order. Evaluated when its rows are asked for.

    Raises
    ------
    ValueError
        At once: no measures, a column is missing, gains that fall, empty qrels, no topic in common.
        When rows are asked for, inside Spark's exception, for measures of any toolkit: a bad score
        or grade, judgments that differ (but for measures of subtopics), a document twice in a
        topic, a missing id.

    Warns
    -----
    ScaleWarning
        `max_rel` was not given; the highest grade of all the qrels was taken.
    RangeWarning
        On the grades of all the qrels, a measure leaves its usual range (nCRP, with negative
        grades).
    DegenerateWarning
        No document of all the qrels is judged non-relevant, and a measure of ours needs such
        documents.

    Examples
    --------
    >>> values = evaluate(spark.read.parquet("run"), qrels, ["RPref", "nDCG@10"])  # doctest: +SKIP
    >>> values.groupBy("measure").avg("value").show()  # doctest: +SKIP
    """
    try:
        from pyspark.sql import functions as sql
    except ModuleNotFoundError as problem:
        raise ImportError(
            f"irpref_lab.spark needs PySpark and pyarrow ({problem}): pip install pyspark pyarrow"
        ) from None

    chosen = parse_all(measures)
    if not chosen:
        raise ArgumentError("there are no measures to evaluate", parameter="measures")
    extra = _extra_columns(chosen, qrels.columns)
    qrels = _columns(qrels, "qrels", "relevance", extra)
    run = _columns(run, "run", "score", [])
    if ignore_self:
        differs = sql.col("query_id") != sql.col("doc_id")
        run = run.where(sql.coalesce(differs, sql.lit(True)))  # a missing id stays, an error
    bound = _bound(chosen, qrels, extra)
    _check_topics(run, qrels)
    if buckets is None:
        buckets = int(run.sparkSession.conf.get("spark.sql.shuffle.partitions") or 200)
    if buckets < 1:
        raise ArgumentError(
            f"buckets must be at least 1, got {buckets}", parameter="buckets", value=buckets
        )
    bucket = sql.pmod(sql.xxhash64("query_id"), sql.lit(buckets)).alias(_BUCKET)
    judgments = qrels.select("*", bucket).groupBy(_BUCKET)
    return judgments.cogroup(run.select("*", bucket).groupBy(_BUCKET)).applyInArrow(
        _on_bucket(bound), SCHEMA
    )


def _extra_columns(measures: Iterable[Measure], present: Iterable[str]) -> list[str]:
    """Name the columns of the qrels, beyond the three, that measures read and that are there."""
    names = set(columns_for(measures))
    for measure in measures:
        if not isinstance(measure, KernelMeasure):
            names.add("iteration")  # subtopics, for the host's diversity measures
        elif "preferences" in measure.NEEDS:
            names.update(PREFERENCE_COLUMNS)
    return sorted((names - {"query_id", "doc_id", "relevance"}) & set(present))


def _columns(frame: DataFrame, what: str, value: str, extra: Iterable[str]) -> DataFrame:
    """Select the columns needed, ids as strings and values as doubles."""
    from pyspark.sql import functions as sql

    missing = [name for name in ("query_id", "doc_id", value) if name not in frame.columns]
    if missing:
        raise ColumnError(
            f"{what}: no column {', '.join(missing)} (found: {', '.join(frame.columns)})",
            missing=tuple(missing),
            header=tuple(frame.columns),
        )
    return frame.select(
        sql.col("query_id").cast("string"),
        sql.col("doc_id").cast("string"),
        sql.col(value).cast("double"),
        *extra,
    )


def _bound(
    measures: list[Measure], qrels: DataFrame, extra: list[str]
) -> list[tuple[str, Measure]]:
    """Fill the grade scale of all the qrels into measures, under the names as given."""
    ours = [m for m in measures if isinstance(m, KernelMeasure)]
    # NaN and infinity are found, with topic and document, when the judgments are indexed.
    judged = (row[0] for row in qrels.select("relevance").distinct().collect())
    grades = sorted(grade for grade in judged if grade is not None and math.isfinite(grade))
    if not grades and qrels.isEmpty():
        raise EmptyJudgmentsError("the qrels are empty: there is nothing to judge a run against")
    import pandas as pd

    # A pool with one document of each grade: the ordinary checks, warnings and scale, on the
    # driver.
    grades = grades or [0.0]
    sample = pd.DataFrame(
        {"query_id": "scale", "doc_id": [str(g) for g in grades], "relevance": grades}
    )
    for name in extra:
        sample[name] = 1
    arguments = prepare(ours, as_judgments(sample))[1] if ours else {}
    scales = {
        str(measure): given["max_rel"]
        for measure, given in arguments.items()
        if given.get("max_rel") is not None
    }
    return [(str(m), m(max_rel=scales[str(m)]) if str(m) in scales else m) for m in measures]


def _check_topics(run: DataFrame, qrels: DataFrame) -> None:
    """Raise if run and qrels share no topic. Stops at the first common one."""
    common = run.select("query_id").join(
        qrels.select("query_id").distinct(), "query_id", "leftsemi"
    )
    if common.isEmpty() and not run.isEmpty():
        first, known = (repr(frame.select("query_id").first()[0]) for frame in (run, qrels))
        raise NoCommonTopicError(
            f"run and qrels have no topic in common: the run holds {first}, the qrels hold {known}"
        )


def _on_bucket(measures: list[tuple[str, Measure]]) -> Callable[..., Any]:
    """Make the function of a worker: from Arrow tables of a bucket's qrels and run to an Arrow
    table of values.
    """

    # Exactly two arguments: Spark counts them, and given three it passes the key of the group, too.
    def values(judgments, retrieved):  # type: ignore[no-untyped-def]
        import pyarrow as pa

        if retrieved.column("query_id").null_count:
            raise RunError("an id is missing (null) in query_id")
        rows = list(_values(measures, judgments, retrieved)) if judgments.num_rows else []
        types = [("query_id", pa.string()), ("measure", pa.string()), ("value", pa.float64())]
        return pa.table([[row[i] for row in rows] for i in range(3)], schema=pa.schema(types))

    return values


def _values(
    measures: list[tuple[str, Measure]], judgments: Any, retrieved: Any
) -> Iterator[tuple[str, str, float]]:
    """Yield topic, name of the measure and value."""
    qrels, run = (_frame(table.drop_columns(_BUCKET)) for table in (judgments, retrieved))
    # A bucket may hold topics of the run without judgments, and judgments of topics the run lacks.
    run = run[run["query_id"].isin(qrels["query_id"].unique())]
    # Rows have no order here, so none of two is the last.
    for topic, doc in run.loc[
        run.duplicated(["query_id", "doc_id"]), ["query_id", "doc_id"]
    ].itertuples(index=False):
        raise RunError(f"document {doc!r} occurs twice in topic {topic!r}", topic=topic, doc=doc)
    chosen = [measure for _, measure in measures]
    with held():  # warnings about this bucket; the driver has given those about all judgments
        evaluation = evaluator(chosen, qrels)
        values = evaluation.values(run)
    conflict = getattr(evaluation, "conflict", None)
    if conflict and not {measure.NAME for measure in chosen} <= _by_subtopic():
        raise conflict
    for name, measure in measures:
        for topic, value in zip(evaluation.topic_ids, values[measure].tolist(), strict=True):
            yield topic, name, value


def _frame(table: Any) -> pd.DataFrame:
    """Turn a table of Arrow into a frame whose text stays in Arrow."""
    import pandas as pd
    import pyarrow as pa

    texts = {pa.string(), pa.large_string()}
    return table.to_pandas(types_mapper=lambda kind: pd.ArrowDtype(kind) if kind in texts else None)


def _by_subtopic() -> set[str | None]:
    """Name the host's measures whose judgments may differ: there is one for each subtopic of the
    document.
    """
    from ir_measures import providers

    return {measure.NAME for measure in providers.registry["pyndeval"].SUPPORTED_MEASURES}
