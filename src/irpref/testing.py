"""Test whether a measure behaves as users of ir_measures expect: every broken law is explained in
words.

    irpref.testing.check_measure(MyMeasure)

The measure is evaluated through `ir_measures`, as by its users, on small random collections with
graded judgments, unjudged documents, and topics that the run leaves out. A law that does not apply
is skipped, such as the law of the cutoff for a measure without a cutoff."""

from __future__ import annotations

import copy
import math
import numbers
import pickle
import random
import warnings
from collections.abc import Iterator, Mapping
from itertools import starmap
from typing import Any, NamedTuple

import ir_measures
from ir_measures.measures import Measure, registry
from ir_measures.measures.base import SumAgg

from irpref.measures.declare import KernelMeasure, MeasureLike, rises
from irpref.measures.names import parse
from irpref.messages import check_choice
from irpref.values.prepare import columns_of

Rows = Mapping[str, Mapping[str, float]]
_TOPICS, _JUDGED, _RETRIEVED = 12, 30, 25
_GRADES = (0, 0, 0, 1, 1, 2, 3)
_SAME = 1e-9  # values closer than this are equal


class Fault(NamedTuple):
    """A law that a measure breaks."""

    law: str
    text: str


class _Trial:
    """A measure, and two collections to try it on. The run leaves out the last topic, and has
    unjudged documents.
    """

    def __init__(self, measure: Measure, seed: int) -> None:
        self.measure, self.draw = measure, random.Random(seed)
        docs, sample = [f"d{i:02}" for i in range(_JUDGED + 10)], self.draw.sample
        params: dict[str, Any] = measure.SUPPORTED_PARAMS
        read = columns_of(measure) if isinstance(measure, KernelMeasure) else {}
        self.columns = {name: params[parameter].column for name, parameter in read.items()}
        topics = [f"q{t:02}" for t in range(_TOPICS)]
        self.qrels = {
            topic: {doc: self.draw.choice(_GRADES) for doc in sample(docs, _JUDGED)}
            for topic in topics
        }
        scores = [float(_RETRIEVED - rank) for rank in range(_RETRIEVED)]
        self.run = {
            topic: dict(zip(sample(docs, _RETRIEVED), scores, strict=True)) for topic in topics[:-1]
        }

    def values(self, qrels: Any, run: Any) -> dict[str, float]:
        """Compute the value by topic, as ir_measures returns it."""
        if isinstance(qrels, dict) and self.columns:
            qrels = self.frame(qrels)
        return {str(m.query_id): m.value for m in ir_measures.iter_calc([self.measure], qrels, run)}

    def frame(self, qrels: Rows) -> Any:
        """Return the judgments as a frame with the columns that the measure reads."""
        judgments = _frame(qrels, "relevance")
        # Of the documents a third are known, for one.
        third = [int(doc[-1]) % 3 == 0 for doc in judgments["doc_id"]]
        return judgments.assign(
            **{name: third if kind is bool else 3 for name, kind in self.columns.items()}
        )

    def changed(
        self, qrels: Any, run: Any, expected: dict[str, float] | None = None, before: str = ""
    ) -> str | None:
        """Describe the first topic whose value is not the expected one (by default: the usual
        value).
        """
        wanted = self.values(self.qrels, self.run) if expected is None else expected
        values = self.values(qrels, run)
        for topic in sorted(wanted):
            if topic not in values:
                return f"{before}topic {topic} has no value"
            if not _equal(values[topic], wanted[topic]):
                return (
                    f"{before}topic {topic} has {values[topic]:.6g} instead of {wanted[topic]:.6g}"
                )
        return None

    def shuffled(self, data: Rows) -> Rows:
        """Put the same rows in another order."""
        topics = self.draw.sample(list(data.items()), len(data))
        return {
            topic: dict(self.draw.sample(list(docs.items()), len(docs))) for topic, docs in topics
        }


class _Laws(_Trial):
    """The laws in the order in which they are tried. Each yields the faults that it finds, in
    words, or None: the first counts.

    The laws' names become the names of the faults, their docstrings the first sentence.
    """

    def name(self) -> Iterator[str | None]:
        """A registered measure is parsed from its own name, and can be pickled for Spark and
        process pools.
        """
        if registry.get(str(self.measure.NAME)) is None:
            return
        text = str(self.measure)
        again, copied = ir_measures.parse_measure(text), pickle.loads(pickle.dumps(self.measure))
        if again != self.measure or hash(again) != hash(self.measure):
            yield f"{text!r} is parsed as another measure, {again}"
        if copied != self.measure:
            yield f"pickled and loaded it is another measure, {copied}"

    def finite(self) -> Iterator[str | None]:
        """Every topic of the qrels has one value, a finite number."""
        for run in (self.run, {next(iter(self.qrels)): {"x1": 2.0, "x2": 1.0}}):
            values = self.values(self.qrels, run)
            metrics = [*ir_measures.iter_calc([self.measure], self.frame(self.qrels), run)]
            if len(metrics) != len(values) or {m.measure for m in metrics} != {self.measure}:
                yield (
                    f"{len(metrics)} values come back for {len(values)} topics, of "
                    f"{metrics[0].measure}"
                )
            yield from (
                f"topic {topic} has no value" for topic in sorted(set(self.qrels) - set(values))
            )
            for topic, value in values.items():
                if (
                    not isinstance(value, numbers.Real)
                    or isinstance(value, bool)
                    or not math.isfinite(value)
                ):
                    yield f"the value of topic {topic} is {value!r}"

    def range(self) -> Iterator[str | None]:
        """Values stay in the range that the measure declares as BOUNDS."""
        low, high = getattr(self.measure, "BOUNDS", (-math.inf, math.inf))
        for topic, value in self.values(self.qrels, self.run).items():
            if not low - _SAME <= value <= high + _SAME:
                yield f"topic {topic} has {value:.6g}, outside of {low:g} to {high:g}"

    def repeatable(self) -> Iterator[str | None]:
        """The same data give the same values again."""
        yield self.changed(self.qrels, self.run)

    def inputs(self) -> Iterator[str | None]:
        """Qrels and run are left as they were."""
        qrels, run = self.frame(self.qrels), _frame(self.run, "score")
        given = copy.deepcopy((self.qrels, self.run, qrels, run))
        self.values(given[0], given[1])
        self.values(given[2], given[3])
        if given[:2] != (self.qrels, self.run):
            yield "it changes a dict that was passed to it"
        if not (given[2].equals(qrels) and given[3].equals(run)):
            yield "it changes a frame that was passed to it"

    def forms(self) -> Iterator[str | None]:
        """Dicts, frames, lists and generators of the same data have the same values."""
        if not self.columns:  # only frames have them
            qrels = [*starmap(ir_measures.Qrel, _rows(self.qrels))]
            run = [*starmap(ir_measures.ScoredDoc, _rows(self.run))]
            yield self.changed(qrels, run, before="with lists of namedtuples ")
            yield self.changed(iter(qrels), iter(run), before="with generators ")
        yield self.changed(
            self.frame(self.qrels), _frame(self.run, "score"), before="with pandas frames "
        )

    def rows(self) -> Iterator[str | None]:
        """The order of the rows does not matter."""
        yield self.changed(self.shuffled(self.qrels), self.shuffled(self.run))

    def ties(self) -> Iterator[str | None]:
        """Documents with equal scores are ranked by document id, descending, as in trec_eval."""
        if getattr(self.measure, "TIES_BY_RISING_ID", False):
            return
        tied = {
            topic: {doc: float(self.draw.randrange(4)) for doc in docs}
            for topic, docs in self.run.items()
        }
        apart = {}
        for topic, scores in tied.items():
            order = sorted(zip(scores.values(), scores, strict=True))
            apart[topic] = {doc: float(place) for place, (_, doc) in enumerate(order, 1)}
        expected = self.values(self.qrels, apart)
        for run in (tied, self.shuffled(tied)):
            if wrong := self.changed(self.qrels, run, expected):
                yield (
                    f"{wrong}; sort by score, then document id, both descending, or call "
                    "irpref.evaluator"
                )

    def scores(self) -> Iterator[str | None]:
        """Scores matter by their order only."""
        moved = {
            topic: {doc: score / 8 - 100 for doc, score in docs.items()}
            for topic, docs in self.run.items()
        }
        yield self.changed(self.qrels, moved)

    def ids(self) -> Iterator[str | None]:
        """Names of documents and topics do not matter."""
        qrels, run = (
            {
                f"7{topic}": {f"clueweb12-{doc}": value for doc, value in docs.items()}
                for topic, docs in data.items()
            }
            for data in (self.qrels, self.run)
        )
        usual = self.values(self.qrels, self.run)
        yield self.changed(qrels, run, {f"7{topic}": value for topic, value in usual.items()})

    def batches(self) -> Iterator[str | None]:
        """A topic's value does not depend on which other topics are evaluated with it."""
        usual = self.values(self.qrels, self.run)
        for topics in (list(self.qrels)[::3], list(self.qrels)[1:2]):
            qrels, run = (
                {t: data[t] for t in topics if t in data} for data in (self.qrels, self.run)
            )
            expected = {topic: usual[topic] for topic in topics}
            yield self.changed(
                qrels, run, expected, f"evaluated with {len(topics) - 1} other topics, "
            )

    def mean(self) -> Iterator[str | None]:
        """The aggregate is the mean over the topics (the sum, for a measure that counts)."""
        values = list(self.values(self.qrels, self.run).values())
        aggregate = ir_measures.calc_aggregate([self.measure], self.frame(self.qrels), self.run)[
            self.measure
        ]
        expected = math.fsum(values) / (
            1 if isinstance(self.measure.aggregator(), SumAgg) else len(values)
        )
        if not _equal(aggregate, expected):
            yield f"it is {aggregate:.6g}, the values give {expected:.6g}"

    def cutoff(self) -> Iterator[str | None]:
        """With a cutoff k, documents below rank k do not matter; a cutoff beyond the list changes
        nothing.
        """
        if "cutoff" in self.measure.SUPPORTED_PARAMS:
            self.measure = self.measure(cutoff=5)
            cut = {topic: dict(list(docs.items())[:5]) for topic, docs in self.run.items()}
            yield self.changed(
                self.qrels,
                cut,
                before="@5 of the whole list and of its first five documents differ: ",
            )

    def direction(self) -> Iterator[str | None]:
        """The best documents first are no worse than the best documents last, on the average of the
        topics.
        """

        def total(sign: int) -> float:
            run = {
                topic: {
                    doc: float(sign * grade) + i / 1000
                    for i, (doc, grade) in enumerate(docs.items())
                }
                for topic, docs in self.qrels.items()
            }
            return math.fsum(self.values(self.qrels, run).values())

        best, worst = total(1), total(-1)
        higher = rises(self.measure)
        if (best - worst if higher else worst - best) < -_SAME:
            yield (
                f"best first gives {best:.6g}, best last {worst:.6g}, and higher_is_better is "
                f"{higher}"
            )


_LAWS = [law for name, law in vars(_Laws).items() if not name.startswith("__")]


def check_measure(measure: MeasureLike, *, seed: int = 0, on_fail: str = "raise") -> list[Fault]:
    """Test a measure, yours or any other, against laws that users rely on.

    Parameters
    ----------
    measure : measure or name
        The measure, with its parameters. It need not be built with irpref: measures made with
        `ir_measures.define_byquery` work, too.
    seed : int
        Seed of the collections.
    on_fail : {'raise', 'return'}
        Whether to raise an `AssertionError` for broken laws, as in a test, or only return them.

    Returns
    -------
    list of Fault
        `law` and `text` of each law that does not hold, in the order in which they are tried; empty
        if all hold.

    Raises
    ------
    AssertionError
        A law does not hold; the message has a line for each.

    Examples
    --------
    >>> import ir_measures
    >>> check_measure(ir_measures.nDCG @ 10)
    []
    >>> wrong = ir_measures.define_byquery(lambda q, run: run["score"].mean(), name="mean score")
    >>> [fault.law for fault in check_measure(wrong, on_fail="return")]
    ['ties', 'scores']
    """
    check_choice("on_fail", on_fail, ("raise", "return"))
    chosen = parse(measure)
    with warnings.catch_warnings():
        # A law turns a ranking round.
        warnings.filterwarnings("ignore", message=".*higher grade lower")
        faults = list(_broken(chosen, seed))
    if faults and on_fail == "raise":
        raise AssertionError("\n".join([f"{chosen}:", *(f"  {fault.text}" for fault in faults)]))
    return faults


def _broken(measure: Measure, seed: int) -> Iterator[Fault]:
    for law in _LAWS:
        law_text = " ".join((law.__doc__ or "").split()).rstrip(".")
        try:
            wrong = next(filter(None, law(_Laws(measure, seed))), None)
        except Exception as error:
            yield Fault(law.__name__, f"{law_text}. Here {type(error).__name__}: {error}")
            if law is _Laws.finite:  # a law broken on plain data is broken everywhere
                return
            continue
        if wrong:
            yield Fault(law.__name__, f"{law_text}. Here {wrong}.")


def _equal(a: Any, b: Any) -> bool:
    return bool(abs(a - b) <= _SAME * max(1.0, abs(a), abs(b)))


def _rows(data: Rows) -> list[tuple[str, str, float]]:
    return [(topic, doc, value) for topic, docs in data.items() for doc, value in docs.items()]


def _frame(data: Rows, value: str) -> Any:
    import pandas as pd

    return pd.DataFrame(_rows(data), columns=["query_id", "doc_id", value])
