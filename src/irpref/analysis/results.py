"""Values of several runs as statistics wants them: a matrix a measure, topics in one order, means as `eval` prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from ir_measures.measures.base import SumAgg

from irpref.arrays.segments import Bools, Floats, Ints
from irpref.judged.order import TREC, Alignment
from irpref.judged.types import Qrels, Run
from irpref.measures.declare import Measures
from irpref.measures.names import parse_all
from irpref.values.matrix import topic_values
from irpref.values.means import best_first, magnitude, places


@dataclass(frozen=True, eq=False)
class Results:
    """Values of one measure.

    Attributes
    ----------
    measure : str
    runs : tuple of str, length n_runs
    topics : tuple of str, length n_topics
        By rising id, so that nothing drawn or added depends on the order of the qrels.
    values : float array (n_runs, n_topics)
    higher_is_better : bool
    is_sum : bool
        Whether the measure counts: its "mean" is the sum over the topics.
    """

    measure: str
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    values: Floats
    higher_is_better: bool
    is_sum: bool

    @property
    def scale(self) -> int:
        """What a mean over the topics is multiplied by: 1, or their number for measures that count."""
        return len(self.topics) if self.is_sum else 1

    @property
    def means(self) -> Floats:
        """Mean (or sum) of each run, added as the evaluator adds: shape (n_runs,)."""
        total: Floats = np.cumsum(self.values, axis=1)[:, -1]
        return total if self.is_sum else total / len(self.topics)

    @property
    def places(self) -> Ints:
        """Place of each run, the same for equal means: shape (n_runs,)."""
        return places(self.values.mean(axis=1), magnitude(self.values), self.higher_is_better)

    @property
    def best_first(self) -> Ints:
        """The runs by number, best first, those with the same place by name: shape (n_runs,)."""
        return best_first(self.places, self.runs)

    def on(self, topics: Bools) -> Results:
        """Only the topics that a mask (n_topics,) keeps."""
        kept = tuple(topic for topic, keep in zip(self.topics, topics.tolist(), strict=True) if keep)
        values = np.ascontiguousarray(self.values[:, topics])
        return Results(self.measure, self.runs, kept, values, self.higher_is_better, self.is_sum)


def on_the_same_topics(found: list[Results]) -> list[Results]:
    """The results as they are. `ValueError` where a measure has no value for some topics that another has."""
    of = sorted(found, key=lambda one: len(one.topics))
    few, most = of[0], of[-1]
    if few.topics != most.topics:
        missing = next(topic for topic in most.topics if topic not in few.topics)
        raise ValueError(
            f"{few.measure} has no value for {len(most.topics) - len(few.topics)} of {len(most.topics)} topics (first "
            f"{missing!r}), and this table needs the same topics for all measures: leave these topics out of the qrels"
        )
    return found


def results(measures: Measures, qrels: Qrels, runs: Mapping[str, Run], alignment: Alignment = TREC) -> list[Results]:
    """Evaluate runs by name: one `Results` a measure, over the topics of the qrels, in the order asked for.

    Raises
    ------
    ValueError
        As the evaluator; no measure.
    """
    chosen = list(dict.fromkeys(parse_all(measures)))
    if not chosen:
        raise ValueError("there is no measure to evaluate")
    found = topic_values(chosen, qrels, runs, float32=alignment.float32, ties=alignment.ties)
    out = []
    for measure in chosen:
        of = found[str(measure)]
        order = sorted(range(of.n_topics), key=of.topics.__getitem__)
        out.append(
            Results(
                str(measure),
                tuple(of.systems),
                tuple(of.topics[t] for t in order),
                np.ascontiguousarray(of.matrix[:, order]),
                of.higher_is_better,
                isinstance(measure.aggregator(), SumAgg),
            )
        )
    return out
