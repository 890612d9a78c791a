"""Find problems in qrels and runs before you evaluate them.

A finding has a stable code, a level, a count, the first example, and a sentence about what follows:

    grave    values would mislead: topics without documents, no topic or document in common, ids
             that another tool changed, ranks and scores reversed, a run that cannot be evaluated
    warning  values depend on it: documents repeated, several runs in one file, a ranking shorter
             than a cutoff, ties across grades at the top, identical runs, many unjudged documents,
             judgments on which a measure is degenerate
    note     good to know: the scale, harmless ties, uneven depth, topics that are only judged or
             only answered

>>> qrels = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1, "d": 0}}
>>> findings = check(qrels, {"mine": {"q1": {"a": 2.0, "b": 1.0}}})
>>> findings[["code", "level", "run", "count", "example"]].head(1)
                       code  level   run  count example
0  topics-without-documents  grave  mine      1      q2
>>> grave(findings)
["mine: no documents for 1 of 2 topics, first 'q2'; it counts as an empty ranking"]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from operator import itemgetter

import numpy as np
import pandas as pd
from ir_measures.measures import Measure

from irpref.data.columns import Reading, reading
from irpref.data.run_names import named_runs
from irpref.errors import ConflictError
from irpref.judged.judgments import judgments
from irpref.judged.pool import Pool
from irpref.judged.run import read_once
from irpref.judged.stream import each
from irpref.judged.types import Qrels, Run, Runs
from irpref.measures.declare import KernelMeasure, Measures, needs, registered
from irpref.measures.degenerate import lacks_nonrelevant, nonrelevant, what_is_left
from irpref.measures.names import parse_all
from irpref.messages import give
from irpref.values.facts import System
from irpref.values.findings import Finding, finding, of_topics
from irpref.values.judged_ids import JudgedIds
from irpref.values.own_ids import likely
from irpref.values.scales import mixed_scales, reversed_grades
from irpref.values.seen import NO_IDS, TOP, Seen, grave_of_run, lines, seen_in
from irpref.values.sensitivity import last_rank
from irpref_lab.findings.advice import Advice, Trial, of_thresholds, untold
from irpref_lab.findings.tags import of_tags

LEVELS = ("grave", "warning", "note")
COLUMNS = tuple(column.name for column in fields(Finding))
_MANY_UNJUDGED, _SOME_UNJUDGED = 0.2, 0.05  # shares of unjudged documents at the top
_TOP_OF_ERR = 4  # grade, in gdeval
MOST_UNANSWERABLE = 0.05  # share of topics without relevant documents


@dataclass(frozen=True, slots=True)
class _Notes:
    """What was noted about a run: see `Seen`, and its values by the suggested measures and by
    those that the user named (None if it cannot be evaluated).
    """

    seen: Seen
    suggested: System | None
    chosen: System | None
    of_tags: list[Finding]


def check(
    qrels: Qrels,
    runs: Runs = (),
    measures: Measures = (),
    *,
    jobs: int | None = None,
    form: str | Reading | None = None,
) -> pd.DataFrame:
    """Find problems in qrels and runs before you evaluate them.

    Parameters
    ----------
    qrels : in any form that `irpref.evaluator` takes
    runs : mapping of name to run, or list of paths, optional
        Without runs, only the judgments are checked.
    measures : measures of any toolkit, or their names, optional
        Measures that you want to compute: their cutoffs, thresholds and needs are compared with the
        data.
    jobs : int, optional
        Number of runs read in parallel; by default the number of cores.
    form : str, optional
        Form of files, as for `irpref.read_run`.

    Returns
    -------
    pandas.DataFrame
        A row for each finding, the worst first: `code`, `level` ('grave', 'warning', 'note'), `run`
        (None: about qrels or measures), `count` (of topics, documents or judgments, as the text
        says), `example` (the first topic, document or run concerned), `text`. Codes:

        - grave: `topics-without-documents`, `no-common-topic`, `no-judged-document`,
          `mangled-ids`, `invalid-run`; `topics-without-relevant` if more than 5 % of the topics;
          `own-topic` if runs differ in it; `ranks-contradict` if the ranks are reversed
        - warning: `own-topic`, `missing-ids`, `several-tags`, `ranks-restart`, `ranks-contradict`,
          `duplicates`, `constant-scores`, `grade-order`, `identical-runs`, `mixed-scales`,
          `no-nonrelevant`, `rel-above-scale`, `max-rel-below-scale`, `caution`, `tells-nothing`
        - warning or note: `shallow`, `ties`, `uneven-depth`, `unjudged`
        - note: `negative-grades`, `float32-ties`, `unjudged-topics`, `topics-without-relevant`,
          `grade-scale`, `max-rel-missing`, `has-nonrelevant`, `threshold`,
          `fixed-scale`
        - of preferences: `contradicting-preferences` (grave), `disagreeing-judges` (warning),
          `never-compared` (note)

        `attrs["measures"]` names up to three measures that suit these judgments and can tell the
        given runs apart (a list of dicts: `measure`, `why`).

    Raises
    ------
    ValueError, OSError
        The qrels cannot be read. What is wrong with a run is a finding.
    """
    chosen = parse_all(measures)
    of_grades = [
        measure for measure in chosen if "preferences" not in getattr(measure, "NEEDS", ())
    ]
    judged = judgments(qrels)
    try:
        pool = judged.pool(preferences=len(of_grades) < len(chosen) or None)
    except ConflictError as error:
        if not error.preferences:
            raise
        # Nothing to compare runs with.
        return _table([finding("contradicting-preferences", 1, error=error.message)])
    preferences = "subgroup" in pool.header
    findings = [*_of_preferences(pool)] if preferences else []
    if of_grades or not preferences:  # levels are not grades
        findings += _of_qrels(pool, chosen)
    if not preferences:
        findings += mixed_scales(judged, pool)
    given, ids, how = named_runs(runs), JudgedIds(pool), reading(form)
    advice, trial = Advice(pool, judged, preferences), Trial(chosen, judged)
    notes: dict[str, _Notes] = {}

    def notes_on(item: tuple[str, Run]) -> _Notes:
        data = read_once(item[1], how)
        by_advice = advice.trial.system(item[0], data)
        chosen = trial.system(item[0], data)
        return _Notes(seen_in(data, ids), by_advice, chosen, [*of_tags(data.table)])

    done_of = each(notes_on, given.items(), jobs)
    for name, done in zip(given, done_of, strict=True):
        for warning in done.warnings:
            give(warning)
        if isinstance(done.error, (ValueError, OSError)):  # no number, no column, nothing in common
            findings.append(replace(finding("invalid-run", 1, error=done.error), run=name))
        elif done.error is not None:
            raise done.error
        elif done.value is not None:
            notes[name] = done.value
            findings += [replace(of_file, run=name) for of_file in done.value.of_tags]
    seen = {name: of_run.seen for name, of_run in notes.items()}
    deepest = max((int(one.lengths.max(initial=0)) for one in seen.values()), default=0)
    for name, one in seen.items():
        findings += [replace(of_run, run=name) for of_run in _of_run(pool, one, chosen, deepest)]
    findings += reversed_grades(pool, [one.order for one in seen.values() if one.order is not None])
    findings += _identical(seen)
    findings += _own_topics(pool, seen)
    suited, dropped = advice.given([of_run.suggested for of_run in notes.values()])
    findings += [*dropped, *untold(trial.why_not([of_run.chosen for of_run in notes.values()]))]
    if not preferences:
        findings += of_thresholds(of_grades, pool)
    table = _table(findings)
    table.attrs["measures"] = suited
    return table


def _table(findings: list[Finding]) -> pd.DataFrame:
    """The findings as a table, the worst first."""
    findings.sort(key=lambda row: (LEVELS.index(row.level), row.code != "topics-without-documents"))
    codes = {code: place for place, code in enumerate(dict.fromkeys(row.code for row in findings))}
    findings.sort(key=lambda row: (LEVELS.index(row.level), codes[row.code], -row.count))
    kinds = {"run": object, "example": object, "count": "int64"}  # as text, None would become NaN
    columns = {name: [getattr(row, name) for row in findings] for name in COLUMNS}
    return pd.DataFrame(
        {name: pd.Series(row, dtype=kinds.get(name)) for name, row in columns.items()}
    )


def grave(findings: pd.DataFrame) -> list[str]:
    """The grave findings as lines, one for each code: the first run, and how many more runs have
    the same problem.

    Parameters
    ----------
    findings : what `check` returned
    """
    rows = findings[findings["level"] == "grave"]
    return lines(Finding(**row) for row in rows.to_dict("records"))


# ------------------------------------------------------------------------------- qrels and measures


def _of_qrels(pool: Pool, chosen: list[Measure]) -> Iterator[Finding]:
    grades, counts = np.unique(pool.grade, return_counts=True)
    top = float(grades.max())
    shown = ", ".join(f"{grade:g} ({count})" for grade, count in zip(grades, counts, strict=True))
    if grades.size > 12:
        shown = f"{grades.size} different ones from {grades.min():g} to {top:g}"
    yield finding("grade-scale", int(grades.size), f"{top:g}", grades=shown)
    negative = pool.grade < 0
    if negative.any():
        counting = ", ".join(
            str(m) for m in chosen if isinstance(m, KernelMeasure) and m.NEGATIVE_GRADES
        )
        first = str(pool.doc_ids[int(negative.argmax())])
        sentence = "counting" if counting else "text"
        yield finding("negative-grades", int(negative.sum()), first, sentence, measures=counting)
    yield from _missing_ids(pool)
    yield from _nonrelevant(pool, chosen)
    without = pool.judged.maximum(pool.grade, -np.inf) <= 0
    how: tuple[str, ...] = () if top > 0 else ("none", "grave")
    if top > 0 and without.mean() > MOST_UNANSWERABLE:
        how = ("many", "grave")
    share = 1 - float(without.mean())
    yield from of_topics("topics-without-relevant", pool, without, *how, share=share)
    for measure in chosen:
        yield from _of_measure(measure, pool, top)


def _missing_ids(pool: Pool) -> Iterator[Finding]:
    """Judgments of documents called `None` and the like, and topics of such a name."""
    names = [doc in NO_IDS for doc in pool.doc_ids.tolist()]
    which = pool.judged.count(np.array(names, bool)) > 0
    if which.any():
        doc = pool.doc_ids[names.index(True)]
        yield from of_topics("missing-ids", pool, which, "judged", doc=doc)
    for topic in pool.topic_ids:
        if topic in NO_IDS:
            yield finding("missing-ids", 1, topic, "topics")


def _of_measure(measure: Measure, pool: Pool, top: float) -> Iterator[Finding]:
    """Mismatches between a measure's parameters and the grades."""
    name, supported = str(measure), measure.SUPPORTED_PARAMS
    caution = measure.caution(pool.level_grade) if isinstance(measure, KernelMeasure) else ""
    if caution:
        yield finding("caution", 1, name, caution=caution)
    if measure.NAME == "ERR" and 0 < top < _TOP_OF_ERR:
        first = (2**top - 1) / 2**_TOP_OF_ERR
        yield finding("fixed-scale", 1, name, highest=top, top=_TOP_OF_ERR, value=first)
    rel = measure["rel"] if "rel" in supported else None
    if isinstance(rel, (int, float)) and rel > top:
        yield finding("rel-above-scale", 1, name, rel=rel, highest=top)
    if "max_rel" not in supported or measure.params.get("gains"):
        return
    given = measure.params.get("max_rel")
    if given is None:
        yield finding("max-rel-missing", 1, name, taken=max(top, 1.0))
    elif given < top:
        yield finding("max-rel-below-scale", 1, name, highest=top)


def _nonrelevant(pool: Pool, chosen: list[Measure]) -> Iterator[Finding]:
    suited: dict[str, list[str]] = {}
    for measure in chosen:
        if "nonrelevant" in needs(measure) and not lacks_nonrelevant(measure, pool).any():
            number = pool.judged.count(nonrelevant(measure, pool.grade))
            numbers = f"{number.min()} to {number.max()}, median {np.median(number):g}"
            suited.setdefault(numbers, []).append(str(measure))
    for numbers, names in suited.items():
        sentence, measures = "alone" if len(names) == 1 else "text", ", ".join(names)
        yield finding(
            "has-nonrelevant", pool.n_topics, names[0], sentence, numbers=numbers, measures=measures
        )
    alike: dict[tuple[bytes, str], list[str]] = {}
    for measure in chosen or [*parse_all(["Bpref"]), *registered().values()]:
        lacking = lacks_nonrelevant(measure, pool)
        if lacking.any():
            left = what_is_left(measure, pool.level_grade.tolist())
            alike.setdefault((lacking.tobytes(), left), []).append(str(measure))
    for (lacks, left), names in alike.items():
        which = np.frombuffer(lacks, bool)
        if len(names) > 1:
            left = left.replace("says", "say").replace("compares", "compare")
        how = ("every", "warning") if which.all() else ("text", "note")
        yield from of_topics(
            "no-nonrelevant", pool, which, *how, measures=", ".join(names), left=left
        )


def _of_preferences(pool: Pool) -> Iterator[Finding]:
    preferences = pool.preferences
    disagreed = np.zeros(pool.n_topics, np.int64)
    for t in np.flatnonzero(preferences.groups.lengths > 1).tolist():
        rows = pool.judged.span(t)
        here = preferences.topics(t, t + 1, rows.start, rows.stop)
        for row in range(rows.stop - rows.start):
            disagreed[t] += np.intersect1d(*here.against(row), assume_unique=True).size
    disagreed //= 2  # each pair is found from both of its documents
    yield from of_topics("disagreeing-judges", pool, disagreed > 0, count=int(disagreed.sum()))
    entries = preferences.entries
    several_levels = entries.spread(entries.count(preferences.place > 0) > 0)
    alone = np.ones(pool.grade.size, bool)
    alone[preferences.row[several_levels]] = False
    alone[preferences.winner] = alone[preferences.loser] = False
    if alone.any():
        row = int(alone.argmax())
        topic, doc = pool.topic_ids[int(pool.judged.topic[row])], pool.doc_ids[row]
        yield finding("never-compared", int(alone.sum()), topic, doc=doc)


# --------------------------------------------------------------------------------------------- runs


def _of_run(pool: Pool, seen: Seen, chosen: list[Measure], deepest: int) -> Iterator[Finding]:
    yield from grave_of_run(pool, seen)
    if not seen.lengths.any():
        return
    if seen.further:
        yield finding("unjudged-topics", len(seen.further), seen.further[0])
    if seen.repeats.first:
        topic, doc = seen.repeats.first
        yield finding("duplicates", seen.repeats.number, doc, topic=topic)
    yield from _depth(pool, seen, chosen, deepest)
    yield from _scores(pool, seen)
    yield from of_topics("missing-ids", pool, seen.nothing, doc=seen.no_id)
    for topic in seen.further:
        if topic in NO_IDS:
            yield finding("missing-ids", 1, topic, "topics")
    unjudged = seen.top - seen.judged_top
    share = unjudged.sum() / seen.top.sum()
    if seen.hits.any() and share >= _SOME_UNJUDGED:
        level = "warning" if share >= _MANY_UNJUDGED else "note"
        first = pool.topic_ids[int(unjudged.argmax())]
        yield finding("unjudged", int(unjudged.sum()), first, level=level, share=share, top=TOP)


def _depth(pool: Pool, seen: Seen, chosen: list[Measure], deepest: int) -> Iterator[Finding]:
    lengths = seen.lengths[seen.lengths > 0]
    most, usual = int(lengths.max()), float(np.median(lengths))
    cutoff, measure = max(
        ((last_rank(m) or 0, m) for m in chosen),
        key=itemgetter(0),
        default=(0, None),
    )
    if cutoff > most:
        yield finding("shallow", most, None, "cutoff", "warning", measure=measure, cutoff=cutoff)
    elif 2 * most < deepest:
        yield finding("shallow", most, deepest=deepest)
    short = (seen.lengths > 0) & (seen.lengths < usual / 2)
    first = int(np.argmin(np.where(short, seen.lengths, np.iinfo(np.int64).max)))
    shortest = int(seen.lengths[first])
    level = "warning" if shortest < TOP else "note"
    yield from of_topics(
        "uneven-depth", pool, short, "text", level, first=first, usual=usual, shortest=shortest
    )


def _scores(pool: Pool, seen: Seen) -> Iterator[Finding]:
    yield from of_topics("constant-scores", pool, seen.constant)
    deciding, first, how = int(seen.deciding.sum()), None, ("text", "note")
    if deciding:
        first, how = int(seen.deciding.argmax()), ("deciding", "warning")
    facts = {
        "count": int(seen.tied.sum()),
        "all": int(seen.lengths.sum()),
        "deciding": deciding,
        "top": TOP,
    }
    yield from of_topics("ties", pool, seen.tied > 0, *how, first=first, **facts)
    yield from of_topics("float32-ties", pool, seen.blurred)


def _own_topics(pool: Pool, seen: dict[str, Seen]) -> Iterator[Finding]:
    """Runs with documents that have the id of their topic, as if queries were documents."""
    answered = {name: one.lengths > 0 for name, one in seen.items()}
    which = {
        name: likely(pool.topic_ids, one.own, one.own_top, answered[name])
        for name, one in seen.items()
    }
    for name, own in which.items():
        # Topics for which another run has documents, and leaves this one out.
        differs = any((own & ~other & answered[another]).any() for another, other in which.items())
        how = ("differ", "grave") if differs else ("text", "warning")
        for row in of_topics("own-topic", pool, own, *how):
            yield replace(row, run=name)


def _identical(seen: dict[str, Seen]) -> Iterator[Finding]:
    """Runs with the same judged documents at the same ranks, each with the first such run."""
    first: dict[bytes, str] = {}
    for name, one in seen.items():
        other = first.setdefault(one.lengths.tobytes() + one.prints.tobytes(), name)
        if other != name and one.lengths.any():
            yield replace(finding("identical-runs", int(one.lengths.sum()), other), run=name)
