"""Grave findings about a run that was judged while it was read.

They tell whether the grades count down, and whether the run is better read from the end. Of the
other documents, only the first of each topic are there. They are looked at if too many topics have
no judged document among these: their ids may have been changed, or belong to another topic. The
rank column is never looked at: where it may be at fault, that is said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from ir_measures.measures import Measure

from irpref.judged.align import JudgedFile
from irpref.judged.judgments import Judgments
from irpref.judged.pool import Pool
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Bools, Floats, Ints
from irpref.observed.changed_ids import JudgedIds
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
    beyond = run.by_batch(_beyond)
    beyond = beyond[~np.isnan(beyond)]
    if beyond.size < _FEWEST:
        return 0.0
    mean, error = float(beyond.mean()), float(beyond.std(ddof=1)) / beyond.size**0.5
    return max(mean, 0.0) / max(error, 1e-9)


def _beyond(run: JudgedRun) -> Floats:
    """Measure how far beyond the middle of each ranking its relevant documents are, as a share of
    its length: (n_topics,), NaN where there are too few documents to tell.
    """
    at = np.flatnonzero(run.grade > 0)
    relevant = run.hits.part(at)
    place = (run.rank[at] - 0.5) / relevant.spread(run.n_retrieved)
    told = (relevant.lengths > 0) & (run.n_retrieved >= SEVERAL)
    mean = np.full(run.n_topics, np.nan)
    np.divide(relevant.total(place), relevant.lengths, out=mean, where=told)
    return mean - 0.5


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
    ids: JudgedIds,
    judged: JudgedFile,
    small: bool,
    late: float,
    kernels: KernelEvaluator | None,
) -> Evidence | None:
    """Note the findings from the judged documents of a run and the first ones of each topic.

    Parameters
    ----------
    qrels : Judgments
    ids : JudgedIds
        Of their pool, for all runs that are judged by it.
    judged : JudgedFile
        With the first `TOP` documents. Their ids are compared with judged ones if most topics
        have no judged document, or `may_stray`.
    small : bool
        Whether the run is so small that its ids are always compared.
    late : float
        See `late_by`.
    kernels : KernelEvaluator, optional
        Evaluates the run, from the top and from the end, if it is `late` by anything.

    Returns
    -------
    Evidence or None
        Of one system without a name; None if all topics are answered, with judged documents where
        they should be, and no id was changed or is judged for another topic. In a large run it
        misses ids that were changed in only a few topics, or only for some documents of a topic.
    """
    run, pool = judged.run, ids.pool
    enough = run.n_retrieved if small else 1
    is_right = not late and bool(((run.n_retrieved > 0) & (run.hits.lengths >= enough)).all())
    strays = may_stray(run)
    if is_right and not strays:
        return None
    hits = run.hits.count(run.grade >= 0)
    answered = run.n_retrieved > 0
    lost = answered & (hits == 0)
    compares = bool(answered.any()) and (
        bool(2 * lost.sum() > answered.sum())
        or (small and pool.grade.size <= _FEW_JUDGMENTS)
        or strays
    )
    order = _by_id(pool)
    seen = _observation(ids, judged, order, hits, compares)
    if is_right and hits.all() and seen.changed_docs is None and (seen.strayed < 0).all():
        return None
    forth, back = _both_ways(kernels, run, order) if kernels is not None and late else ({}, {})
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


def _both_ways(
    kernels: KernelEvaluator, run: JudgedRun, order: Ints
) -> tuple[dict[Measure, Floats], dict[Measure, Floats]]:
    """Evaluate a run from the top and from the end: (1, n_topics) each."""
    place = {name: number for number, name in enumerate(kernels.topic_ids)}
    rows = np.array([place[name] for name in kernels.pool.topic_ids], np.int64)[order]
    forth, back = (kernels.values_of(one) for one in (run, backwards(run)))
    return (
        {measure: values[rows][None] for measure, values in forth.items()},
        {measure: values[rows][None] for measure, values in back.items()},
    )


def _observation(
    ids: JudgedIds, judged: JudgedFile, order: Ints, hits: Ints, compares: bool
) -> Observation:
    """Make the notes that the judged documents allow, and those on the ids of the first ones if it
    `compares` these.
    """
    further = tuple(name for name in judged.topics if name not in ids.pool.topic_of)
    elsewhere = judged_elsewhere(judged.top, ids) if compares else {}
    return Observation.with_only(
        judged.run.n_retrieved[order],
        hits[order],
        strayed=strayed(elsewhere, order, judged.top),
        further=further,
        changed_topics=ids.changed_topics(further, judged.topics),
        changed_docs=ids.changed_in(judged.top, judged.run.row) if compares else None,
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
    return GRADES_REVERSED.worded(correlation=against.correlation, n=n)


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
    return ONE_GRADE.worded(grade=float(pool.grade[0]), correlation=found)


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
