"""Does a measure behave as users of ir_measures expect? The laws, for any measure, each broken one said in words.

    irpref.testing.check_measure(MyMeasure)

The measure is evaluated as everybody evaluates it, through `ir_measures`, on small random collections with graded
judgments, unjudged documents, and topics that the run leaves out. A law that does not apply is passed over: a measure
without a cutoff has no law of the cutoff.
"""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import ir_measures
import numpy as np
from ir_measures.measures import Measure, registry
from ir_measures.measures.base import SumAgg

from irpref.measures.declare import MeasureLike, needs
from irpref.measures.names import parse

Rows = Mapping[str, Mapping[str, float]]
_TOPICS, _JUDGED, _RETRIEVED = 12, 30, 25
_SAME = 1e-9  # values closer than this are equal


class Fault(NamedTuple):
    """A law that a measure breaks."""

    law: str
    text: str


class _Laws:
    """A measure, two collections, and the laws in the order in which they are tried."""

    def __init__(self, measure: Measure, seed: int) -> None:
        self.measure = measure
        self.rng = np.random.default_rng(seed)
        self.docs = [f"d{i:02}" for i in range(_JUDGED + 10)]
        self.qrels = {f"q{t:02}": self._judgments() for t in range(_TOPICS)}
        # The last topic is left out of the run; every answer has unjudged documents.
        self.run = {topic: self._answer() for topic in list(self.qrels)[:-1]}

    def _judgments(self) -> dict[str, int]:
        judged = self.rng.choice(self.docs, _JUDGED, replace=False).tolist()
        grades = self.rng.choice([0, 0, 0, 1, 1, 2, 3], _JUDGED).tolist()
        return dict(zip(judged, grades, strict=True))

    def _answer(self) -> dict[str, float]:
        found = self.rng.choice(self.docs, _RETRIEVED, replace=False).tolist()
        return {doc: float(_RETRIEVED - rank) for rank, doc in enumerate(found)}

    def values(self, qrels: Any, run: Any) -> dict[str, float]:
        """Value by topic, as ir_measures gives it."""
        if isinstance(qrels, dict) and "known" in needs(self.measure):
            qrels = _frame(qrels, "relevance")
        return {str(m.query_id): m.value for m in ir_measures.iter_calc([self.measure], qrels, run)}

    def changed(self, qrels: Any, run: Any, expected: dict[str, float] | None = None) -> str | None:
        """The first topic whose value is not the expected one (by default: the usual value), in words."""
        wanted = self.values(self.qrels, self.run) if expected is None else expected
        found = self.values(qrels, run)
        for topic in sorted(wanted):
            if topic not in found:
                return f"topic {topic} has no value"
            if not _equal(found[topic], wanted[topic]):
                return f"topic {topic} has {found[topic]:.6g} in place of {wanted[topic]:.6g}"
        return None

    # The laws: each returns what is wrong, or None. Their names become the names of the faults.

    def finite(self) -> str | None:
        """Every topic of the qrels has one value, a finite number."""
        for run in (self.run, {next(iter(self.qrels)): {"x1": 2.0, "x2": 1.0}}):
            found = self.values(self.qrels, run)
            metrics = [*ir_measures.iter_calc([self.measure], _frame(self.qrels, "relevance"), run)]
            if len(metrics) != len(found) or {m.measure for m in metrics} != {self.measure}:
                return f"{len(metrics)} values come back for {len(found)} topics, of {metrics[0].measure}"
            missing = sorted(set(self.qrels) - set(found))
            if missing:
                return f"topic {missing[0]} has no value"
            for topic, value in found.items():
                if (
                    isinstance(value, bool)
                    or not isinstance(value, (int, float, np.number))
                    or not math.isfinite(value)
                ):
                    return f"the value of topic {topic} is {value!r}"
        return None

    def range(self) -> str | None:
        """Values stay in the range that the measure declares as BOUNDS."""
        low, high = getattr(self.measure, "BOUNDS", (-math.inf, math.inf))
        for topic, value in self.values(self.qrels, self.run).items():
            if not low - _SAME <= value <= high + _SAME:
                return f"topic {topic} has {value:.6g}, outside of {low:g} to {high:g}"
        return None

    def repeatable(self) -> str | None:
        """The same data give the same values again."""
        return self.changed(self.qrels, self.run)

    def inputs(self) -> str | None:
        """Qrels and run are left as they were."""
        qrels, run = _frame(self.qrels, "relevance"), _frame(self.run, "score")
        given = copy.deepcopy((self.qrels, self.run, qrels, run))
        self.values(given[0], given[1])
        self.values(given[2], given[3])
        if given[:2] != (self.qrels, self.run):
            return "a dict that was handed over is changed"
        if not (given[2].equals(qrels) and given[3].equals(run)):
            return "a frame that was handed over is changed"
        return None

    def forms(self) -> str | None:
        """Dicts, frames, lists and generators of the same data have the same values."""
        qrels, run = _tuples(self.qrels, ir_measures.Qrel), _tuples(self.run, ir_measures.ScoredDoc)
        forms: dict[str, tuple[Any, Any]] = {
            "lists of namedtuples": (qrels, run),
            "generators": (iter(qrels), iter(run)),
            "pandas frames": (_frame(self.qrels, "relevance"), _frame(self.run, "score")),
        }
        if "known" in needs(self.measure):  # a column that only frames have
            forms = {"pandas frames": forms["pandas frames"]}
        for name, (of_qrels, of_run) in forms.items():
            wrong = self.changed(of_qrels, of_run)
            if wrong:
                return f"with {name} {wrong}"
        return None

    def rows(self) -> str | None:
        """The order of the rows does not matter."""
        return self.changed(_shuffled(self.qrels, self.rng), _shuffled(self.run, self.rng))

    def ties(self) -> str | None:
        """Documents with equal scores are ranked by document id, descending, as in trec_eval."""
        if getattr(self.measure, "TIES_BY_RISING_ID", False):
            return None
        tied, apart = {}, {}
        for topic, docs in self.run.items():
            scores = {doc: float(self.rng.integers(0, 4)) for doc in docs}
            order = sorted(scores, key=lambda doc, of=scores: (of[doc], doc), reverse=True)  # type: ignore[misc]
            tied[topic] = scores
            apart[topic] = {doc: float(len(order) - rank) for rank, doc in enumerate(order)}
        expected = self.values(self.qrels, apart)
        for run in (tied, _shuffled(tied, self.rng)):
            wrong = self.changed(self.qrels, run, expected)
            if wrong:
                return f"{wrong}; sort by score, then document id, both descending, or call irpref.evaluator"
        return None

    def scores(self) -> str | None:
        """Scores matter by their order only."""
        moved = {topic: {doc: score / 8 - 100 for doc, score in docs.items()} for topic, docs in self.run.items()}
        return self.changed(self.qrels, moved)

    def ids(self) -> str | None:
        """Names of documents and topics do not matter."""
        names = {doc: f"clueweb12-{doc}" for doc in self.docs}
        qrels, run = (
            {f"7{topic}": {names[doc]: value for doc, value in docs.items()} for topic, docs in of.items()}
            for of in (self.qrels, self.run)
        )
        usual = self.values(self.qrels, self.run)
        return self.changed(qrels, run, {f"7{topic}": value for topic, value in usual.items()})

    def batches(self) -> str | None:
        """A topic's value does not depend on which other topics are evaluated with it."""
        usual = self.values(self.qrels, self.run)
        for topics in (list(self.qrels)[::3], list(self.qrels)[1:2]):
            qrels = {topic: self.qrels[topic] for topic in topics}
            run = {topic: self.run[topic] for topic in topics if topic in self.run}
            wrong = self.changed(qrels, run, {topic: usual[topic] for topic in topics})
            if wrong:
                return f"evaluated with {len(topics) - 1} other topics, {wrong}"
        return None

    def mean(self) -> str | None:
        """The aggregate is the mean over the topics (the sum, for a measure that counts)."""
        found = list(self.values(self.qrels, self.run).values())
        qrels = _frame(self.qrels, "relevance")
        aggregate = ir_measures.calc_aggregate([self.measure], qrels, self.run)[self.measure]
        counts = isinstance(self.measure.aggregator(), SumAgg)
        expected = math.fsum(found) / (1 if counts else len(found))
        return None if _equal(aggregate, expected) else f"it is {aggregate:.6g}, the values give {expected:.6g}"

    def cutoff(self) -> str | None:
        """With a cutoff k, documents below rank k do not matter; a cutoff beyond the list changes nothing."""
        if "cutoff" not in self.measure.SUPPORTED_PARAMS:
            return None
        whole, self.measure = self.measure, self.measure(cutoff=5)
        try:
            cut = {topic: dict(list(docs.items())[:5]) for topic, docs in self.run.items()}
            wrong = self.changed(self.qrels, cut)
        finally:
            self.measure = whole
        return wrong and f"@5 of the whole list and of its first five documents differ: {wrong}"

    def direction(self) -> str | None:
        """The best documents first are no worse than the best documents last, on the average of the topics."""
        order = {
            sign: {
                topic: {doc: float(sign * grade) + i / 1000 for i, (doc, grade) in enumerate(docs.items())}
                for topic, docs in self.qrels.items()
            }
            for sign in (1, -1)
        }
        best, worst = (math.fsum(self.values(self.qrels, order[sign]).values()) for sign in (1, -1))
        higher = getattr(self.measure, "higher_is_better", True)
        if (best - worst if higher else worst - best) >= -_SAME:
            return None
        return f"best first gives {best:.6g}, best last {worst:.6g}, and higher_is_better is {higher}"

    def name(self) -> str | None:
        """A measure that is registered is parsed from its own name, and can be pickled."""
        if registry.get(str(self.measure.NAME)) is None:
            return None
        text = str(self.measure)
        try:
            again = ir_measures.parse_measure(text)
        except Exception as error:
            return f"{text!r} cannot be parsed: {error}"
        if again != self.measure or hash(again) != hash(self.measure):
            return f"{text!r} is parsed as another measure, {again}"
        try:
            copied = pickle.loads(pickle.dumps(self.measure))
        except Exception as error:
            return f"it cannot be pickled, which Spark and process pools need: {error}"
        return None if copied == self.measure else f"pickled and loaded it is another measure, {copied}"


_ORDER: tuple[Callable[[_Laws], str | None], ...] = (
    *(_Laws.name, _Laws.finite, _Laws.range, _Laws.repeatable, _Laws.inputs, _Laws.forms, _Laws.rows, _Laws.ties),
    *(_Laws.scores, _Laws.ids, _Laws.batches, _Laws.mean, _Laws.cutoff, _Laws.direction),
)


def check_measure(measure: MeasureLike, *, seed: int = 0, on_fail: str = "raise") -> list[Fault]:
    """Try the laws that users rely on with one measure: yours, ir_measures' or anybody's.

    Parameters
    ----------
    measure : measure or name
        With the parameters that it should be tried with. It needs no irpref: a measure made with
        `ir_measures.define_byquery` will do.
    seed : int
        Of the collections.
    on_fail : {'raise', 'return'}
        Whether broken laws are an `AssertionError`, as a test wants it, or only returned.

    Returns
    -------
    list of Fault
        `law` and `text` of each law that does not hold, in the order in which they are tried; empty if all hold.

    Raises
    ------
    AssertionError
        A law does not hold; the message has a line for each.

    Examples
    --------
    >>> import ir_measures
    >>> check_measure(ir_measures.nDCG @ 10)
    []
    >>> wrong = ir_measures.define_byquery(lambda qrels, run: run["score"].mean(), name="mean score")
    >>> [fault.law for fault in check_measure(wrong, on_fail="return")]
    ['ties', 'scores']
    """
    if on_fail not in ("raise", "return"):
        raise ValueError(f"on_fail={on_fail!r} is not accepted, expected 'raise' or 'return'")
    chosen = parse(measure)
    faults = list(_broken(chosen, seed))
    if faults and on_fail == "raise":
        raise AssertionError("\n".join([f"{chosen}:", *(f"  {fault.text}" for fault in faults)]))
    return faults


def _broken(measure: Measure, seed: int) -> Iterator[Fault]:
    for law in _ORDER:
        says = (law.__doc__ or "").rstrip(".")
        try:
            wrong = law(_Laws(measure, seed))
        except Exception as error:
            yield Fault(law.__name__, f"{says}. Here {type(error).__name__}: {error}")
            if law is _Laws.finite:  # what fails on plain data fails everywhere
                return
            continue
        if wrong:
            yield Fault(law.__name__, f"{says}. Here {wrong}.")


def _equal(a: Any, b: Any) -> bool:
    return bool(abs(a - b) <= _SAME * max(1.0, abs(a), abs(b)))


def _tuples(data: Rows, kind: Any) -> list[Any]:
    return [kind(topic, doc, value) for topic, docs in data.items() for doc, value in docs.items()]


def _frame(data: Rows, value: str) -> Any:
    import pandas as pd

    rows = [(topic, doc, number) for topic, docs in data.items() for doc, number in docs.items()]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", value])
    # Every third document is one that the user knew, which some measures ask for.
    return frame.assign(known=[int(doc[-1]) % 3 == 0 for doc in frame["doc_id"]]) if value == "relevance" else frame


def _shuffled(data: Rows, rng: np.random.Generator) -> Rows:
    topics = rng.permutation(list(data)).tolist()
    return {topic: {doc: data[topic][doc] for doc in rng.permutation(list(data[topic])).tolist()} for topic in topics}
