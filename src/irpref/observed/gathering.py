"""Evaluate and observe runs, and gather the evidence."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence, Sized
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures.measures import Measure

from irpref.data.columns import Table, as_list
from irpref.data.run_names import each_run
from irpref.errors import ArgumentError, MeasureError
from irpref.judged.align import Listing
from irpref.judged.groups import groups_of
from irpref.judged.inputs import id_text
from irpref.judged.judgments import Judgments, as_judgments
from irpref.judged.pool import Pool
from irpref.judged.run import Run, read_once
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Bools, Ints, Segments
from irpref.measures.degenerate import lacks_nonrelevant
from irpref.measures.names import parse_all
from irpref.messages import about, check_measures
from irpref.observed.changed_ids import JudgedIds
from irpref.observed.evidence import Evidence
from irpref.observed.observation import observe
from irpref.observed.orders import backwards, over_ties
from irpref.observed.scales import numbers_beside_one_grade
from irpref.observed.sensitivity import TOP, Values, differ, last_rank, tells_apart
from irpref.observed.system import System
from irpref.values.evaluator import evaluator as evaluator_for
from irpref.values.progress import progress

if TYPE_CHECKING:
    import pandas as pd

    from irpref.judged.types import EachRun, Groups, QrelsLike
    from irpref.measures.declare import Measures

_MANY = 20  # runs from which on their progress is shown


def evidence(
    measures: Measures, qrels: QrelsLike, runs: EachRun, *, groups: Groups | None = None
) -> pd.DataFrame:
    """Find the limits of values as evidence: topics that say nothing, and oddities of judgments,
    runs and measures.

    Parameters
    ----------
    measures : measures of any toolkit, or their names
    qrels : in any form that `irpref.evaluator` takes
    runs : mapping of name to run, or list of paths
        A list of runs under one name is one system that was run several times: a topic counts as
        answered if all runs answer it.
    groups : mapping of topic to group, path of a file, or name of a column of the qrels, optional
        Count in each group of topics.

    Returns
    -------
    pandas.DataFrame
        A row for each code that is found, by measure, group and run: `measure` (None unless it
        depends on the measure), `group` (None without groups), `run` (None unless it is about one
        run), `code`, `level` ('grave', 'warning', 'note'), `topics` (how many), `example` (the
        first topic), `text`. `irpref_lab.check` shows the same codes with advice. These say that
        the value of a topic is not evidence:

        - `unanswerable`: no grade of the topic is above 0;
        - `out-of-reach`: some grade is, but the ideal ranking has the value of an empty one;
        - `unanswered`: the run has no documents for the topic, or the measure no value;
        - `changed-ids`: the run has an unjudged document in its first ten whose id is a
          judged one but for a change that tools make, such as case;
        - `unseen`: no run retrieves a judged document;
        - `blind`: the topic has several grades, and the measure does not tell them apart, or it
          needs documents judged non-relevant, and there are none;
        - `shallow`: the run has fewer documents than the measure looks at.

    Raises
    ------
    ValueError
        No measure, no run, a topic without a group; errors of the evaluator. A run that answers
        no judged topic is evidence, not an error.

    Examples
    --------
    >>> qrels = {"q1": {"a": 5, "b": 1}, "q2": {"c": 4, "d": 2}}
    >>> runs = {"first": {"q1": {"b": 2.0, "a": 1.0}}}
    >>> evidence(["AP", "nDCG"], qrels, runs)[["measure", "run", "code", "topics", "example"]]
      measure    run         code  topics example
    0      AP  first   unanswered       1      q2
    1    nDCG  first   unanswered       1      q2
    2    None   None       unseen       1      q2
    3      AP   None        blind       1      q1
    4    None   None  grade-scale       2       5
    5    None   None    threshold       2      AP
    """
    read = as_judgments(qrels)
    facts = gathered(measures, read, runs, keep=True)
    return facts.frame(groups_of(groups, read, facts.topics))


def repeats_in(run: Any) -> list[Any]:
    """List the runs of a system: the items of a list of runs, else the run alone.

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
    if isinstance(item, (str, os.PathLike, Run)) or hasattr(item, "scoreddocs_iter"):
        return True
    if isinstance(item, Mapping):
        return all(isinstance(docs, (Mapping, list, tuple)) for docs in item.values())
    return hasattr(item, "columns") and not isinstance(item, tuple)


def gathered(
    measures: Measures,
    qrels: Judgments,
    runs: EachRun,
    depth: int | None = None,
    *,
    keep: bool = False,
    ties: bool = False,
) -> Evidence:
    """Judge runs, evaluate and observe them, and gather the evidence.

    Parameters
    ----------
    measures, runs : as for `evidence`
    qrels : Judgments
    depth : int, optional
        Only so many documents of each topic count, of every run.
    keep : bool
        Whether the runs are kept. Without it, each is let go once it was observed.
    ties : bool
        Whether other orders of its tied documents are evaluated before.

    Raises
    ------
    ValueError
        No measure, no run; errors of the evaluator.
    """
    chosen = parse_all(measures)
    check_measures(chosen, "an evaluation")
    gatherer = Gatherer(chosen, qrels, depth)
    several = not isinstance(runs, Mapping) or len(runs) > 1
    number = len(runs) if isinstance(runs, Sized) else 0
    systems = []
    with progress(each_run(runs), number if number >= _MANY else 0) as every:
        for name, run in every:
            with about(name, several):
                systems.append(gatherer.system(name, read_repeats(run), keep, ties=ties))
                _check_alike(systems[0], systems[-1])
    if not systems:
        raise ArgumentError("there are no runs to evaluate")
    return gatherer.evidence(systems)


# What must be the same for all runs of a verdict, by the argument of `irpref.run`.
_ALIKE = {
    "ties": "ties",
    "float32": "float32",
    "ignore_self": "ignore_self",
    "exclude": "excluded",
}


def _check_alike(first: System, other: System) -> None:
    """Raise `ArgumentError` if runs were read in ways that alone make them differ."""
    known = first.observed[0].how
    for how in (one.how for one in (*first.observed, *other.observed)):
        for argument, name in _ALIKE.items():
            if getattr(how, name) != getattr(known, name):
                raise ArgumentError(
                    f"{argument}: {first.name} and {other.name} were not read alike, which alone "
                    f"makes runs differ: give {argument} for all runs, or for none",
                    parameter=argument,
                )


class Gatherer:
    """Evaluates and observes runs, and the rankings that show which differences a measure sees.

    Parameters
    ----------
    measures : list of Measure
    qrels : Judgments
    depth : int, optional
    """

    def __init__(self, measures: list[Measure], qrels: Judgments, depth: int | None = None) -> None:
        self.measures, self.qrels, self.depth = measures, qrels, depth
        self.evaluator = evaluator_for(measures, qrels)
        self.kernels = self.evaluator.kernels
        # Judgments by subtopic: a document has the highest of its grades.
        self.pool = _highest(qrels) if self.evaluator.pool is None else self.evaluator.pool
        self.ids = JudgedIds(self.pool)
        self.beside = numbers_beside_one_grade(qrels, self.pool)
        ids = self.pool.topic_ids
        self.order: Ints = np.array(sorted(range(len(ids)), key=ids.__getitem__), np.int64)
        self.topics = tuple(ids[t] for t in self.order.tolist())
        known = self.evaluator.topic_ids
        self.on_pool: Ints = np.array([known.index(name) for name in ids], np.int64)
        self.depths = sorted({TOP, *(last_rank(measure, depth) or TOP for measure in measures)})

    def system(
        self,
        name: str,
        repeats: Sequence[Run],
        keep: bool = False,
        evaluates: bool = True,
        ties: bool = False,
    ) -> System:
        """Evaluate the runs of a system, judged, and observe them.

        Parameters
        ----------
        name : str
        repeats : sequence of Run
        keep : bool
            Whether the runs are kept for further questions.
        evaluates : bool
            Whether there are values; else they are NaN.
        ties : bool
            Whether other orders of tied documents are evaluated.
        """
        every = [self._cut(run) for run in repeats]
        judged = [self._judged(run) for run in every]
        nothing = dict.fromkeys(self.measures, np.full(len(self.topics), np.nan))
        try:
            values = [
                self._values(one, run) if evaluates else nothing
                for one, run in zip(judged, every, strict=True)
            ]
        except SystemExit as error:  # a measure of somebody must not decide the exit status
            raise MeasureError(f"a measure ended the process (SystemExit: {error})") from None
        observed = tuple(
            observe(run, self.ids, self.order, self.depth, self.beside) for run in repeats
        )
        shown = [one.at_least(0) for one in judged]
        system = System(
            name,
            {m: np.array([by_measure[m] for by_measure in values]) for m in self.measures},
            observed,
            {k: self._total([run.hits.count(run.rank <= k) for run in shown]) for k in self.depths},
            {
                k: self._total([np.minimum(one.n_retrieved, k) for one in judged])
                for k in self.depths
            },
            self._open_ends(judged, values) if evaluates else {},
            tuple(repeats) if keep else (),
            self._backwards(repeats) if evaluates else {},
        )
        if not (ties and system.is_tied):
            return system
        return replace(system, expected=over_ties(repeats, self.pool, self.in_order))

    def in_order(self, run: Run, rows: Ints) -> Values:
        """Evaluate a run with its documents in another order.

        Parameters
        ----------
        run : Run
        rows : int array (n_rows,)
            The rows of its listing in their new order, topic by topic.
        """
        every = run.on(self.pool)
        judged = _in_order(self.pool, every, rows).at(self.depth)
        # Other providers may count unjudged documents, too.
        given = self._ranked(every, rows) if self.evaluator.rest and rows.size else None
        values = self._of_pool(judged, given)
        return {measure: by_topic[self.order] for measure, by_topic in values.items()}

    def _ranked(self, every: Listing, order: Ints) -> dict[str, dict[str, float]]:
        """Turn a run whose rows are in another order into the form that other providers take."""
        run: dict[str, dict[str, float]] = {}
        for topic, name in enumerate(self.pool.topic_ids):
            rows = order[every.topics.span(topic)][: self.depth]
            if rows.size:
                docs = every.docs_of(rows)
                run[name] = {doc: -float(rank) for rank, doc in enumerate(docs, 1)}
        return run

    def _backwards(self, runs: Sequence[Run]) -> Values:
        """Compute with kernels the values of runs read from the end: (n_runs, n_topics) each."""
        if self.kernels is None:
            return {}
        of_runs = []
        for run in runs:
            every = run.on(self.pool)
            judged = _in_order(self.pool, every, backwards(every)).at(self.depth)
            of_runs.append(self.kernels.values_of(judged))
        rows = self.on_pool[self.order]
        return {
            measure: np.array([of_run[measure][rows] for of_run in of_runs])
            for measure in of_runs[0]
        }

    def _cut(self, run: Run) -> Run:
        """Keep only the documents that count."""
        return run if self.depth is None else run.first(self.pool, self.depth)

    def _open_ends(
        self, runs: Sequence[JudgedRun], values: Sequence[Values]
    ) -> dict[Measure, Bools]:
        """See `System`. Only kernels can tell; for others it is taken to be so."""
        open_ends: dict[Measure, Bools] = {}
        rest = self.evaluator.rest
        longer = [] if len(rest) == len(self.measures) else [*map(self._longer_values, runs)]
        for measure in self.measures:
            if measure in rest:
                open_ends[measure] = np.ones(len(self.topics), bool)
                continue
            pairs = zip(values, longer, strict=True)
            open_ends[measure] = np.any([differ(a[measure], b[measure]) for a, b in pairs], axis=0)
        return open_ends

    def _longer_values(self, judged: JudgedRun) -> Values:
        """Compute with kernels the values of a run plus the relevant documents that it lacks."""
        assert self.kernels is not None
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
        by_measure = self.kernels.values_of(longer)
        return {measure: values[self.on_pool][self.order] for measure, values in by_measure.items()}

    def _total(self, counts: list[Ints]) -> Ints:
        total: Ints = np.sum(counts, axis=0)[self.order]
        return total

    def _judged(self, run: Run) -> JudgedRun:
        """Find the judged documents of a run; without a judged topic, this is an empty ranking."""
        every = run.on(self.pool)
        every.repeats.warn()
        return every.judged(self.pool, self.kernels is not None and self.kernels.ties)

    def _values(self, judged: JudgedRun, run: Run) -> Values:
        """Compute the values of a run by topic, in ascending order of their ids."""
        is_given = self.evaluator.rest and judged.n_retrieved.any()
        values = self._of_pool(judged, run if is_given else None)
        return {measure: by_topic[self.order] for measure, by_topic in values.items()}

    def _of_pool(self, judged: JudgedRun, given: Any = None) -> Values:
        """Compute the values of a judged run by topic, in the order of the pool."""
        if given is not None or not self.evaluator.rest:
            by_measure = self.evaluator.scored(judged, given)[0]
        else:
            by_measure = self._of_others(judged)
            if self.kernels is not None:
                by_measure |= self.kernels.values_of(judged)
        return {measure: by_measure[measure][self.on_pool] for measure in self.measures}

    def _of_others(self, judged: JudgedRun) -> Values:
        """Evaluate a ranking by other providers; NaN if they fail on it."""
        rest, n_topics = self.evaluator.rest, len(self.evaluator.topic_ids)
        if not judged.hits.size:
            return {measure: np.full(n_topics, measure.DEFAULT * 1.0) for measure in rest}
        try:
            values = self.evaluator.scored(judged, self._run(judged))[0]
        except MeasureError:
            return {measure: np.full(n_topics, np.nan) for measure in rest}
        return {measure: values[measure] for measure in rest}

    def _run(self, judged: JudgedRun) -> dict[str, dict[str, float]]:
        """Turn a ranking of judged documents into the form that other providers take."""
        run: dict[str, dict[str, float]] = {}
        docs = self.pool.doc_ids[judged.row].tolist()
        for topic, doc, rank in zip(
            judged.hits.topic.tolist(), docs, judged.rank.tolist(), strict=True
        ):
            run.setdefault(self.pool.topic_ids[topic], {})[doc] = -float(rank)
        return run

    def evidence(self, systems: list[System]) -> Evidence:
        """Combine the facts about the judgments with the systems."""
        pool = self.pool
        answerable: Bools = (pool.judged.maximum(pool.grade, -np.inf) > 0)[self.order]
        *masks, of_empty = tells_apart(self.measures, pool, self._of_pool)
        reached, alike = ({m: mask[self.order] for m, mask in part.items()} for part in masks)
        empty = {m: values[self.order] for m, values in of_empty.items()}
        lacking = {m: lacks_nonrelevant(m, pool)[self.order] for m in self.measures}
        if pool.of_preferences:
            answerable = np.ones(len(self.topics), bool)
            reached = dict.fromkeys(reached, answerable)
            alike = dict.fromkeys(alike, ~answerable)
        return Evidence(
            self.measures,
            self.topics,
            systems,
            pool,
            self.qrels,
            self.order,
            answerable,
            reached,
            alike,
            empty,
            lacking,
            self.depth,
            asked=list(self.measures),
            in_order=self.in_order,
            kernels=self.kernels,
        )


def _in_order(pool: Pool, every: Listing, order: Ints) -> JudgedRun:
    """Judge the rows of a listing in another order."""
    row, topics = every.row[order], every.topics
    at = np.flatnonzero(row >= 0)
    hits = topics.part(at)
    rank = at - hits.spread(topics.starts) + 1
    judged = JudgedRun(pool, hits, rank, row[at], topics.lengths)
    judged.rank_rising = judged.tied_from = judged.rank
    return judged


def _highest(qrels: Judgments) -> Pool:
    """Make a pool with the highest grade of each document, from judgments by subtopic."""
    table = qrels.table
    grades: dict[tuple[str, str], float] = {}
    for topic, doc, grade in zip(
        as_list(table.query_id), as_list(table.doc_id), table.value.tolist(), strict=True
    ):
        pair = id_text(topic), id_text(doc)
        grades[pair] = max(grade, grades.get(pair, grade))
    topics, docs = map(list, zip(*grades, strict=True))
    return Pool.from_table(Table(topics, docs, np.array([*grades.values()]), {}, table.header))
