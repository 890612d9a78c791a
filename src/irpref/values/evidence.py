"""What values can rest on: for each measure, the topics that say nothing, and why.

    unanswerable   the topic has no positive grade
    out-of-reach   it has positive grades, but the ideal ranking has the value of an empty one: no
                   grade reaches `rel`, or all gains are 0
    unanswered     a run has no documents for it, or the measure no value (NaN)
    changed-ids    a run has an unjudged document in its first ten whose id is that of a judged one
                   but for a change that tools make: case, `#1` at the end, zeros at the beginning
    unseen         no run retrieves a judged document
    blind          its judged documents have several grades, which all count the same for the
                   measure, and at least half of what the runs retrieve within the measure's cutoff
                   (ten documents without one) is judged: AP on grades from 1 to 5. Or the measure
                   leaves out unjudged documents, and all judged ones count the same: Bpref without
                   a document judged non-relevant
    shallow        a run has fewer documents than the measure looks at: than its cutoff, or, without
                   one, than half of those of another run

These are facts about judgments and runs, not verdicts: a relevant document that no run retrieves is
a result. What a verdict makes of them is decided in `irpref_lab`. What a measure can tell apart on
judgments alone is in `irpref.values.sensitivity`.

A topic that has fewer documents than a cutoff is shallow only if another run has more there, or if
the run reaches the cutoff on no topic at all: some queries have few answers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures.measures import Measure

from irpref.data.columns import Table, as_list
from irpref.data.run_names import each_run
from irpref.errors import ArgumentError, MeasureError
from irpref.judged.align import Listing
from irpref.judged.groups import groups_of
from irpref.judged.inputs import id_text
from irpref.judged.judgments import Judgments, judgments
from irpref.judged.pool import FILLED, SOURCE, Pool
from irpref.judged.run import Run, read_once
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Bools, Ints, Segments
from irpref.measures.degenerate import lacks_nonrelevant
from irpref.measures.names import parse_all
from irpref.messages import about
from irpref.values.changed_ids import Changed
from irpref.values.evaluator import evaluator as fastest
from irpref.values.facts import Evidence, System
from irpref.values.judged_ids import JudgedIds
from irpref.values.kernels import KernelEvaluator
from irpref.values.own_ids import own_topics
from irpref.values.sensitivity import TOP, Values, differ, last_rank, tells_apart

if TYPE_CHECKING:
    import pandas as pd

    from irpref.judged.types import EachRun, Groups, Qrels
    from irpref.measures.declare import Measures


def evidence(
    measures: Measures, qrels: Qrels, runs: EachRun, *, groups: Groups | None = None
) -> pd.DataFrame:
    """Find the topics on which the value of a measure is not evidence, with the reason.

    Parameters
    ----------
    measures : measures of any toolkit, or their names
    qrels : in any form that `irpref.evaluator` takes
    runs : mapping of name to run, or list of paths
        A list of runs under one name is one system that was run several times: a topic counts as
        answered if all of them answer it.
    groups : mapping of topic to group, path of a file, or name of a column of the qrels, optional
        Count in each group of topics.

    Returns
    -------
    pandas.DataFrame
        A row for each measure, group, run and code that some topic has: `measure`, `group` (None
        without groups), `run` (None unless the code is about one run), `code`, `topics` (how many),
        `example` (the first of them), `text`. The codes:

        - `unanswerable`: no grade of the topic is above 0;
        - `out-of-reach`: some grade is, but the ideal ranking has the value of an empty one;
        - `unanswered`: the run has no documents for the topic, or the measure no value;
        - `changed-ids`: the run has an unjudged document in its first ten whose id is that of a
          judged one but for a change that tools make, such as case;
        - `unseen`: no run retrieves a judged document;
        - `blind`: the topic has several grades, and the measure does not tell them apart, or it
          needs documents judged non-relevant, and there are none;
        - `shallow`: the run has fewer documents than the measure looks at.

    Raises
    ------
    ValueError
        No measure, no run, a topic without a group; what the evaluator raises. A run that answers
        no judged topic is evidence, not an error.

    Examples
    --------
    >>> qrels = {"q1": {"a": 5, "b": 1}, "q2": {"c": 4, "d": 2}}
    >>> runs = {"first": {"q1": {"b": 2.0, "a": 1.0}}}
    >>> evidence(["AP", "nDCG"], qrels, runs)[["measure", "run", "code", "topics", "example"]]
      measure    run        code  topics example
    0      AP  first  unanswered       1      q2
    1      AP   None      unseen       1      q2
    2      AP   None       blind       1      q1
    3    nDCG  first  unanswered       1      q2
    4    nDCG   None      unseen       1      q2
    """
    read = judgments(qrels)
    facts = gathered(measures, read, runs)
    return facts.frame(groups_of(groups, read, facts.topics))


def repeats_in(run: Any) -> list[Any]:
    """The runs of a system: the items of a list of runs, else the run alone.

    A list holds runs if its items are paths, frames, or mappings of mappings; else it holds the
    records of one run.
    """
    if not isinstance(run, (list, tuple)) or hasattr(run, "_fields") or not run:
        return [run]
    return list(run) if all(map(_is_run, run)) else [run]


def read_repeats(run: Any) -> list[Run]:
    """Read the runs of a system, each once."""
    return [read_once(one) for one in repeats_in(run)]


def _is_run(item: Any) -> bool:
    if isinstance(item, (str, os.PathLike)) or hasattr(item, "scoreddocs_iter"):
        return True
    if isinstance(item, Run):
        return True
    if isinstance(item, Mapping):
        return all(isinstance(docs, (Mapping, list, tuple)) for docs in item.values())
    return hasattr(item, "columns") and not isinstance(item, tuple)


def gathered(
    measures: Measures,
    qrels: Judgments,
    runs: EachRun,
    depth: int | None = None,
) -> Evidence:
    """Judge runs, evaluate them, and find out what the topics can say.

    Parameters
    ----------
    measures, runs : as for `evidence`
    qrels : Judgments
    depth : int, optional
        Only so many documents of each topic count, of every run.

    Raises
    ------
    ValueError
        No measure, no run; what the evaluator raises.
    """
    chosen = parse_all(measures)
    if not chosen:
        raise MeasureError("there is no measure to evaluate")
    gatherer = Gatherer(chosen, qrels, depth)
    ids = JudgedIds(gatherer.pool)
    several = not isinstance(runs, Mapping) or len(runs) > 1
    systems = []
    for name, run in each_run(runs):
        with about(name, several):
            systems.append(gatherer.system(name, repeats_in(run), ids))
    if not systems:
        raise ArgumentError("there are no runs to evaluate")
    return gatherer.evidence(systems)


class Gatherer:
    """Evaluates runs, and the rankings that show what a measure can tell apart.

    Parameters
    ----------
    measures : list of Measure
    qrels : Judgments
    depth : int, optional
    """

    def __init__(self, measures: list[Measure], qrels: Judgments, depth: int | None) -> None:
        self.measures, self.depth = measures, depth
        self.evaluator = fastest(measures, qrels)
        # Judgments by subtopic: a document has the highest of its grades.
        pool = getattr(self.evaluator, "pool", None)
        self.pool: Pool = pool if pool is not None else _highest(qrels)
        ids = self.pool.topic_ids
        self.order: Ints = np.array(sorted(range(len(ids)), key=ids.__getitem__), np.int64)
        self.topics = tuple(ids[t] for t in self.order.tolist())
        known = self.evaluator.topic_ids
        self.on_pool: Ints = np.array([known.index(name) for name in ids], np.int64)
        self.depths = sorted({TOP, *(last_rank(measure, depth) or TOP for measure in measures)})

    def system(self, name: str, repeats: Sequence[Any], ids: JudgedIds | None = None) -> System:
        """Judge and evaluate the runs of a system; with `ids`, look for ids that were changed."""
        every = [self._cut(read_once(run)) for run in repeats]
        runs = [self._judged(run) for run in every]
        listed = [run.on(self.pool) for run in every]
        try:
            values = [self._values(judged, given) for judged, given in runs]
        except SystemExit as error:  # a measure of somebody must not decide the exit status
            raise MeasureError(f"a measure ended the process (SystemExit: {error})") from None
        shown = [judged.at_least(0) for judged, _ in runs]
        return System(
            name,
            {m: np.array([by_measure[m] for by_measure in values]) for m in self.measures},
            np.array([judged.n_retrieved[self.order] for judged, _ in runs]),
            np.array([judged.hits.lengths[self.order] > 0 for judged in shown]),
            {k: self._total([run.hits.count(run.rank <= k) for run in shown]) for k in self.depths},
            {
                k: self._total([np.minimum(judged.n_retrieved, k) for judged, _ in runs])
                for k in self.depths
            },
            self._total([self._by_judge(run) for run in shown]),
            self._open_ends([judged for judged, _ in runs], values),
            np.any([own_topics(run) for run in listed], axis=0)[self.order],
            None if ids is None else self._changed(listed, ids),
        )

    def _cut(self, run: Run) -> Run:
        """The documents that count."""
        return run if self.depth is None else run.first(self.pool, self.depth)

    def _changed(self, runs: Sequence[Listing], ids: JudgedIds) -> Changed | None:
        """See `System`. Of several runs, that with the most such documents tells."""
        depth = min(filter(None, (TOP, self.depth)))
        found = [ids.changed_in([run], depth) for run in runs]
        return max(filter(None, found), key=lambda one: one.number, default=None)

    def _open_ends(
        self, runs: Sequence[JudgedRun], values: Sequence[Values]
    ) -> dict[Measure, Bools]:
        """See `System`. Only kernels can tell; for others it is taken to be so."""
        open_ends: dict[Measure, Bools] = {}
        rest = getattr(self.evaluator, "rest", [])
        longer = [] if len(rest) == len(self.measures) else [*map(self._longer_values, runs)]
        for measure in self.measures:
            if measure in rest:
                open_ends[measure] = np.ones(len(self.topics), bool)
                continue
            pairs = zip(values, longer, strict=True)
            open_ends[measure] = np.any([differ(a[measure], b[measure]) for a, b in pairs], axis=0)
        return open_ends

    def _longer_values(self, judged: JudgedRun) -> Values:
        """Values by kernels if the relevant documents that a run lacks followed it."""
        kernels: Any = getattr(self.evaluator, "accelerated", self.evaluator)
        added = np.flatnonzero(judged.missed() & (self.pool.grade > 0))
        ends = self.pool.judged.part(added)
        topic = np.concatenate([judged.hits.topic, ends.topic])
        rank = np.concatenate([judged.rank, ends.spread(judged.n_retrieved) + ends.position + 1])
        order = np.lexsort((rank, topic))
        row = np.concatenate([judged.row, added])[order]
        hits = Segments.of_lengths(judged.hits.lengths + ends.lengths)
        longer = JudgedRun(self.pool, hits, rank[order], row, judged.n_retrieved + ends.lengths).at(
            self.depth
        )
        longer.rank_rising = longer.tied_from = longer.rank
        by_measure = kernels.values_of(longer)
        return {measure: values[self.on_pool][self.order] for measure, values in by_measure.items()}

    def _by_judge(self, judged: JudgedRun) -> Ints:
        """Documents in the first ranks that only a judge graded: shape (n_topics,)."""
        source = self.pool.columns.get(SOURCE)
        if source is None:
            return np.zeros(self.pool.n_topics, np.int64)
        filled = np.asarray(source == FILLED)[judged.row]
        return judged.hits.count(filled & (judged.rank <= TOP))

    def _total(self, counts: list[Ints]) -> Ints:
        total: Ints = np.sum(counts, axis=0)[self.order]
        return total

    def _judged(self, run: Run) -> tuple[JudgedRun, Run | None]:
        """A run judged, and the run itself if other providers evaluate it, too."""
        every = run.on(self.pool)
        every.repeats.warn()
        kernels: Any = getattr(self.evaluator, "accelerated", self.evaluator)
        judged = every.judged(self.pool, kernels is not None and kernels.ties)
        is_given = getattr(self.evaluator, "rest", []) and every.topics.size
        return judged, run if is_given else None

    def _values(self, judged: JudgedRun, given: Any = None) -> Values:
        """Values of a judged run by topic, in ascending order of their ids."""
        values = self._of_pool(judged, given)
        return {measure: by_topic[self.order] for measure, by_topic in values.items()}

    def _of_pool(self, judged: JudgedRun, given: Any = None) -> Values:
        """Values of a judged run by topic, in the order of the pool."""
        evaluator: Any = self.evaluator
        if isinstance(evaluator, KernelEvaluator):
            by_measure = evaluator.values_of(judged)
        elif given is not None:
            by_measure = evaluator.scored(judged, given)[0]
        else:
            by_measure = self._of_others(judged)
            if evaluator.accelerated:
                by_measure |= evaluator.accelerated.values_of(judged)
        return {measure: by_measure[measure][self.on_pool] for measure in self.measures}

    def _of_others(self, judged: JudgedRun) -> Values:
        """Values of a ranking by other providers; NaN if they fail on it."""
        evaluator: Any = self.evaluator
        n_topics = len(evaluator.topic_ids)
        if not judged.hits.size:
            return {measure: np.full(n_topics, measure.DEFAULT * 1.0) for measure in evaluator.rest}
        try:
            values: Values = evaluator.scored(judged, self._run(judged))[0]
        except MeasureError:
            return {measure: np.full(n_topics, np.nan) for measure in evaluator.rest}
        return {measure: values[measure] for measure in evaluator.rest}

    def _run(self, judged: JudgedRun) -> dict[str, dict[str, float]]:
        """A ranking of judged documents as other providers take it."""
        run: dict[str, dict[str, float]] = {}
        docs = self.pool.doc_ids[judged.row].tolist()
        for topic, doc, rank in zip(
            judged.hits.topic.tolist(), docs, judged.rank.tolist(), strict=True
        ):
            run.setdefault(self.pool.topic_ids[topic], {})[doc] = -float(rank)
        return run

    def evidence(self, systems: list[System]) -> Evidence:
        """What the judgments allow, beside the systems."""
        pool = self.pool
        answerable: Bools = (pool.judged.maximum(pool.grade, -np.inf) > 0)[self.order]
        *masks, of_empty = tells_apart(self.measures, pool, self._of_pool)
        reached, alike = ({m: mask[self.order] for m, mask in part.items()} for part in masks)
        empty = {m: values[self.order] for m, values in of_empty.items()}
        lacking = {m: lacks_nonrelevant(m, pool)[self.order] for m in self.measures}
        if "subgroup" in pool.header:  # of preferences
            answerable = np.ones(len(self.topics), bool)
            reached = dict.fromkeys(reached, answerable)
            alike = dict.fromkeys(alike, ~answerable)
        return Evidence(
            self.measures,
            self.topics,
            systems,
            pool,
            answerable,
            reached,
            alike,
            empty,
            lacking,
            self.depth,
        )


def _highest(qrels: Judgments) -> Pool:
    """A pool with the highest grade of each document, from judgments by subtopic."""
    table = qrels.table
    grades: dict[tuple[str, str], float] = {}
    for topic, doc, grade in zip(
        as_list(table.query_id), as_list(table.doc_id), table.value.tolist(), strict=True
    ):
        pair = id_text(topic), id_text(doc)
        grades[pair] = max(grade, grades.get(pair, grade))
    topics, docs = map(list, zip(*grades, strict=True))
    return Pool.from_table(Table(topics, docs, np.array([*grades.values()]), {}, table.header))
