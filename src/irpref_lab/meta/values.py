"""Values of systems by topic, evaluated."""

from __future__ import annotations

from collections.abc import Iterable

from irpref.errors import ArgumentError
from irpref.judged import EachRun, QrelsLike, as_judgments
from irpref.measures.declare import MeasureLike
from irpref.values import MeasureValues, TopicValues, values_in
from irpref.values.matrix import evaluated


def topic_values(
    measures: Iterable[MeasureLike],
    qrels: QrelsLike,
    runs: EachRun,
) -> dict[str, TopicValues]:
    """Evaluate runs with measures of any toolkit, and keep the value of each topic.

    All measures see the same ranking, trec_eval's: see `irpref.evaluator`.

    Parameters
    ----------
    measures : iterable of ir_measures measures, or their names
    qrels : any form of qrels
    runs : mapping of name to run in any form, list of paths, or iterable of (name, run)
        Each run is read once; an iterable may load them one by one.

    Returns
    -------
    dict of str to TopicValues
        By name of the measure, over the topics of the qrels in ascending order of id, so that
        samples and sums do not depend on the order of the qrels. Topics that have no value (NaN) in
        any run are left out.

    Raises
    ------
    ValueError
        There are no measures or no runs, or no topic has a value of a measure.
    """
    return {table.measure: table for table in evaluated(measures, as_judgments(qrels), runs)}


def one_of(data: MeasureValues) -> TopicValues:
    """Return `values_in` for one measure. Raise `ValueError` if there are several."""
    tables = values_in(data)
    if len(tables) != 1:
        names = ", ".join(table.measure for table in tables)
        raise ArgumentError(
            f"expected values of one measure, got {len(tables)} ({names}): "
            f"irpref_lab.meta.TopicValues.from_frame(frame, "
            f"{tables[0].measure!r}) takes one of them",
            parameter="data",
        )
    return tables[0]
