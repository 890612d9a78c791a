"""Grave findings about a run that was judged while it was read: only its judged documents are
there.

They tell whether the grades count down, and whether the run is better read from the end. The other
documents are read again only if too many topics have no judged document in the first ranks: their
ids may have been changed, or belong to another topic. The rank column is never looked at: where it
may be at fault, that is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from ir_measures.measures import Measure

from irpref.data.columns import Table
from irpref.judged.align import JudgedFile, Listing, listed
from irpref.judged.judgments import Judgments
from irpref.judged.pool import Pool
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Bools, Floats, Ints
from irpref.messages import argument
from irpref.observed.changed_ids import Changed, JudgedIds
from irpref.observed.evidence import Evidence, Row
from irpref.observed.facts import MISSING
from irpref.observed.judgment_codes import GRADES_REVERSED, ONE_GRADE
from irpref.observed.observation import MORE, SEVERAL, Observation, judged_elsewhere, strayed
from irpref.observed.run_codes import SEVERAL_TOPICS, UNANSWERED
from irpref.observed.scales import ERRORS, ranked_as, surely_against
from irpref.observed.sensitivity import TOP
from irpref.observed.system import System
from irpref.values.kernels import KernelEvaluator

_FEW_JUDGMENTS = 20_000  # up to this number, ids are always compared with those of small runs
_FEWEST = 5  # topics

# The change of ids, and for which topics the first documents of a topic are judged.
Looked: TypeAlias = tuple[Changed | None, dict[int, Counter[int]]]
OnTables: TypeAlias = Callable[[Callable[[Iterable[Table]], Looked]], Looked]


def without_judged_top(run: JudgedRun) -> Bools:
    """Find topics without a judged document in the first ranks: (n_topics,)."""
    return np.asarray(run.hits.count(run.rank <= TOP) == 0)


def may_stray(run: JudgedRun) -> bool:
    """Test whether so many topics have no judged document in the first ranks that their documents
    may belong to other topics.
    """
    others = without_judged_top(run) & (run.pool.judged.lengths >= MORE)
    answered = int((run.n_retrieved > 0).sum())
    return bool(others.sum() >= max(SEVERAL_TOPICS, MISSING * answered))


def late_by(run: JudgedRun) -> float:
    """Measure how surely relevant documents are nearer to the end of the ranking than to its top,
    in standard errors of the mean over the topics; 0 if they are not, or cannot be told.
    """
    relevant = run.grade > 0
    counts = run.hits.count(relevant)
    place = (run.rank - 0.5) / run.hits.spread(np.maximum(run.n_retrieved, 1))
    total = run.hits.total(np.where(relevant, place, 0.0))
    told = (counts > 0) & (run.n_retrieved >= SEVERAL)
    if told.sum() < _FEWEST:
        return 0.0
    beyond = total[told] / counts[told] - 0.5
    mean, error = float(beyond.mean()), float(beyond.std(ddof=1)) / beyond.size**0.5
    return max(mean, 0.0) / max(error, 1e-9)


def backwards(run: JudgedRun) -> JudgedRun:
    """Read each topic from the end."""
    hits = run.hits
    turned = hits.spread(hits.ends) - 1 - hits.position
    rank = hits.spread(run.n_retrieved) + 1 - run.rank[turned]
    out = JudgedRun(run.pool, hits, rank, run.row[turned], run.n_retrieved)
    out.rank_rising = out.tied_from = out.rank
    return out


def noted(
    qrels: Judgments,
    pool: Pool,
    judged: JudgedFile,
    on_tables: OnTables,
    small: bool,
    kernels: KernelEvaluator | None,
) -> Evidence:
    """Note the findings from the judged documents of a run; most runs need not be read again for
    this.

    Parameters
    ----------
    qrels, pool : Judgments, Pool
    judged : JudgedFile
    on_tables : callable
        Calls a function with the tables of the run, each topic in one table, and returns its
        result. Called to compare ids if most topics have no judged document, or `may_stray`.
    small : bool
        Whether the run is so small that its ids are always compared.
    kernels : KernelEvaluator, optional
        Evaluates the run, from the top and from the end, if it is `late_by` anything.

    Returns
    -------
    Evidence
        Of one system without a name. In a large run it misses ids that were changed in only a few
        topics, or only for some documents of a topic.
    """
    run, ids = judged.run, JudgedIds(pool)
    hits = run.hits.count(run.grade >= 0)
    answered = run.n_retrieved > 0
    lost = answered & (hits == 0)
    looked: Looked = None, {}
    if answered.any() and (
        2 * lost.sum() > answered.sum()
        or (small and pool.grade.size <= _FEW_JUDGMENTS)
        or may_stray(run)
    ):
        looked = on_tables(lambda tables: _look(ids, tables))
    order = _by_id(pool)
    seen = _observation(ids, judged, order, hits, looked)
    both = _both_ways(kernels, run, order) if kernels is not None and late_by(run) else ({}, {})
    forth, back = both
    system = System("", forth, (seen,), {}, {}, {}, backwards=back)
    return _evidence(qrels, pool, [system], list(forth))


def _by_id(pool: Pool) -> Ints:
    """Order the topics of a pool by ascending id."""
    return np.array(sorted(range(pool.n_topics), key=pool.topic_ids.__getitem__), np.int64)


def _evidence(
    qrels: Judgments, pool: Pool, systems: list[System], measures: list[Measure]
) -> Evidence:
    """Gather what is known of the judgments, and of these systems."""
    order = _by_id(pool)
    answerable = np.ones(order.size, bool)
    if pool.graded:
        answerable = np.asarray(pool.judged.count(pool.grade > 0) > 0)[order]
    topics = tuple(pool.topic_ids[t] for t in order.tolist())
    return Evidence(measures, topics, systems, pool, qrels, order, *(answerable, {}, {}, {}, {}))


def _look(ids: JudgedIds, tables: Iterable[Table]) -> Looked:
    """Compare the ids of unjudged documents with judged ones, and with those of other topics."""
    counts: dict[int, Counter[int]] = {}

    def listings() -> Iterator[Listing]:
        for table in tables:
            listing = listed(ids.pool, table)
            counts.update(judged_elsewhere(listing, ids))
            yield listing

    return ids.changed_in(listings(), TOP), counts


def _both_ways(
    kernels: KernelEvaluator, run: JudgedRun, order: Ints
) -> tuple[dict[Measure, Floats], dict[Measure, Floats]]:
    """Evaluate a run from the top, (1, n_topics), and from the end, (n_topics,)."""
    place = {name: number for number, name in enumerate(kernels.topic_ids)}
    rows = np.array([place[name] for name in kernels.pool.topic_ids], np.int64)[order]
    forth, back = (kernels.values_of(one) for one in (run, backwards(run)))
    return (
        {measure: values[rows][None] for measure, values in forth.items()},
        {measure: values[rows] for measure, values in back.items()},
    )


def _observation(
    ids: JudgedIds, judged: JudgedFile, order: Ints, hits: Ints, looked: Looked
) -> Observation:
    """Make the notes that the judged documents allow; nothing is said of documents not looked
    at.
    """
    changed, elsewhere = looked
    further = tuple(name for name in judged.topics if name not in ids.pool.topic_of)
    return Observation.with_only(
        judged.run.n_retrieved[order],
        hits[order],
        strayed=strayed(elsewhere, order),
        further=further,
        changed_topics=ids.changed_topics(further, judged.topics),
        changed_docs=changed,
    )


def grave_rows(facts: Evidence, name: str) -> list[Row]:
    """List the grave findings about the one run, by this name."""
    named = replace(facts, systems=[replace(system, name=name) for system in facts.systems])
    rows = named.every_row(named.everything, names_first=True, measures=())
    return [row for row in rows if row["run"] is not None and row["level"] == "grave"]


def grave_of_judgments(qrels: Judgments, pool: Pool) -> list[Row]:
    """List the grave findings about the judgments alone."""
    facts = _evidence(qrels, pool, [], [])
    rows = facts.every_row(facts.everything, names_first=True)
    return [row for row in rows if row["level"] == "grave"]


def grades_reversed(of_runs: Sequence[Floats]) -> str | None:
    """Say that runs together surely rank documents of higher grade lower; None if they do not.

    Parameters
    ----------
    of_runs : sequence of float array (n_topics,)
        Of each run: see `irpref.observed.scales.grade_correlation`.
    """
    against = surely_against(of_runs)
    if against is None:
        return None
    n = int(against.topics.sum())
    turns = argument(GRADES_REVERSED.remedy)
    return GRADES_REVERSED.says.format(correlation=against.correlation, n=n, remedy=turns)


def one_grade(pool: Pool, of_runs: Sequence[Floats]) -> str | None:
    """Say that runs together surely rank the numbers beside the only grade as grades; None if they
    do not.

    Parameters
    ----------
    pool : Pool
    of_runs : sequence of float array (n_topics,)
        Of each run: see `irpref.observed.scales.order_of`.
    """
    found = ranked_as(of_runs)
    if found is None:
        return None
    words = {"correlation": found, "remedy": argument(ONE_GRADE.remedy)}
    return ONE_GRADE.says.format(grade=float(pool.grade[0]), **words)


def not_looked_at(late: Mapping[str, float]) -> list[str]:
    """Say that the rank column was not looked at, if there are runs whose relevant documents are
    surely nearer to the end of the ranking than to its top.

    Parameters
    ----------
    late : mapping of run to float
        Runs that are not better from the end: see `late_by`.
    """
    names = [name for name, errors in late.items() if errors > ERRORS]
    if not names:
        return []
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return [
        f"{names[0]}{more}: relevant documents are nearer to the end than to the top; whether "
        "ranks contradict scores was not looked at"
    ]


def lines(rows: Iterable[Row]) -> list[str]:
    """Write grave findings as lines, one for each code: the first run, and how many more runs are
    like it.
    """
    by_code: dict[str, list[Row]] = {UNANSWERED.name: []}
    for row in rows:
        by_code.setdefault(row["code"], []).append(row)
    out = []
    for first, *others in filter(None, by_code.values()):
        more = f" ({len(others)} more run{'s' * (len(others) > 1)} like this)" if others else ""
        out.append(first["text"] + more)
    return out
