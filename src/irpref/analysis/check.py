"""What to know before any number is read: findings about qrels, runs, and measures on them.

Nothing here is a value. Each finding has a code that stays the same, a level, and says how many, which one first, and
in words what follows from it:

    grave    numbers would mislead: topics without documents, no topic or document in common, ids that differ in case
             or white space only, a run that cannot be evaluated
    warning  numbers depend on it: documents repeated, a ranking shorter than a cutoff, ties across grades at the top,
             identical runs, many unjudged documents, judgments on which a measure is degenerate
    note     good to know: the scale, harmless ties, uneven depth, topics that are judged or answered alone

>>> qrels = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1, "d": 0}}
>>> findings = check(qrels, {"mine": {"q1": {"a": 2.0, "b": 1.0}}})
>>> findings[["code", "level", "run", "count", "example"]].head(1)
                       code  level   run  count example
0  topics-without-documents  grave  mine      1      q2
>>> grave(findings)
["mine: no documents for 1 of 2 topics, first 'q2'; they count as empty rankings"]
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.analysis.grade_order import reversed_grades
from irpref.analysis.preference_check import has_subgroups, preference_findings
from irpref.analysis.scales import mixed_scales
from irpref.analysis.seen import TOP, JudgedIds, Seen, read, seen_in
from irpref.analysis.suggest import suggest
from irpref.arrays.record import Record
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools
from irpref.formats.columns import Reading
from irpref.formats.runs import named_runs
from irpref.judged.align import listing
from irpref.judged.inputs import opened
from irpref.judged.kept import kept_pool
from irpref.judged.order import Alignment
from irpref.judged.pool import Pool
from irpref.judged.stream import each
from irpref.measures.declare import KernelMeasure, needs, registered
from irpref.measures.degenerate import lacks_nonrelevant, nonrelevant, what_is_left
from irpref.measures.names import parse_all
from irpref.messages import DuplicateWarning, warn_user

if TYPE_CHECKING:
    import pandas as pd
    from ir_measures.measures import Measure

    from irpref.judged.types import Qrels, Runs
    from irpref.measures.declare import Measures

LEVELS = ("grave", "warning", "note")
COLUMNS = ("code", "level", "run", "count", "example", "text")
_MANY_UNJUDGED, _SOME_UNJUDGED = 0.2, 0.05  # share of the top
_FEW_JUDGMENTS = 20_000  # whose ids are compared with those of small runs in any case


class Finding(Record):
    """A row of the table: see `check`."""

    code: str
    level: str
    run: str | None
    count: int
    example: str | None
    text: str


class _Some:
    """Some of the topics: their number `n`, the id of the `first`, and `of` in words. False if there are none."""

    def __init__(self, pool: Pool, topics: Bools) -> None:
        self.n = int(topics.sum())
        self.first = pool.topic_ids[int(np.argmax(topics))]
        self.of = f"{self.n} of {topics.size} topics"

    def __bool__(self) -> bool:
        return self.n > 0


def check(
    qrels: Qrels,
    runs: Runs = (),
    measures: Measures = (),
    *,
    jobs: int | None = None,
    form: str | Reading | None = None,
    ties: str = "id",
) -> pd.DataFrame:
    """Look at qrels and runs before they are evaluated.

    Parameters
    ----------
    qrels : in any form that `irpref.evaluator` takes
    runs : mapping of name to run, or list of paths, optional
        Without runs only the judgments are looked at.
    measures : measures of any toolkit, or their names, optional
        Those that are to be computed: their cutoffs, thresholds and needs are held against the data.
    jobs : int, optional
        Runs that are read at a time; by default the number of cores.
    form : str, optional
        Form of files, as for `irpref.read_run`.
    ties : {'id', 'input'}
        See `irpref.evaluator`.

    Returns
    -------
    pandas.DataFrame
        A row for each finding, the worst first: `code`, `level` ('grave', 'warning', 'note'), `run` (None: about
        qrels or measures), `count` (of topics, documents or judgments, as the text says), `example` (the first
        topic, document or run concerned), `text`. Codes:

        - grave: `topics-without-documents`, `no-common-topic`, `no-judged-document`, `mangled-ids`, `invalid-run`
        - warning: `duplicates`, `constant-scores`, `grade-order`, `identical-runs`, `mixed-scales`, `no-nonrelevant`,
          `rel-above-scale`, `max-rel-below-scale`, `caution`
        - warning or note: `shallow`, `ties`, `uneven-depth`, `unjudged`
        - note: `negative-grades`, `float32-ties`, `unjudged-topics`, `topics-without-relevant`, `grade-scale`,
          `max-rel-missing`, `has-nonrelevant`
        - of preferences: `contradicting-preferences` (grave), `disagreeing-judges` (warning), `never-compared` (note)

        `attrs["measures"]` names three measures that suit these judgments (a list of dicts: `measure`, `why`).

    Raises
    ------
    ValueError, OSError
        The qrels cannot be read. What is wrong with a run is a finding.
    """
    chosen, alignment = list(dict.fromkeys(parse_all(measures))), Alignment(ties)
    of_grades = [measure for measure in chosen if "preferences" not in getattr(measure, "NEEDS", ())]
    qrels = opened(qrels, "relevance", len(of_grades) < len(chosen) if chosen else None)
    preferences = has_subgroups(qrels)
    found: list[Finding] = []
    if preferences:
        found += [Finding(row[0], row[1], None, *row[2:]) for row in preference_findings(qrels)]
        if any(finding.level == "grave" for finding in found):
            return _table(found)  # there is no pool to compare anything with
    pool = kept_pool(qrels, preferences=True) if preferences else Pool.build(qrels)
    if of_grades or not preferences:  # levels are no grades
        found += _of_qrels(pool, chosen)
    if not preferences:
        found += [Finding("mixed-scales", "warning", None, *row) for row in mixed_scales(qrels, pool)]
    named = {name: list(run) if isinstance(run, Iterator) else run for name, run in named_runs(runs).items()}
    ids, seen = JudgedIds(pool), {}
    done_of = each(lambda run: seen_in(read(run, form), ids, alignment), named.values(), jobs)
    for name, done in zip(named, done_of, strict=True):
        for warning in done.warnings:
            warn_user(*warning)
        if isinstance(done.error, (ValueError, OSError)):  # no number, no column, nothing in common
            found.append(Finding("invalid-run", "grave", name, 1, None, f"cannot be evaluated: {done.error}"))
        elif done.error is not None:
            raise done.error
        elif done.value is not None:
            seen[name] = done.value
    deepest = max((int(one.lengths.max(initial=0)) for one in seen.values()), default=0)
    for name, one in seen.items():
        found += _of_run(pool, name, one, chosen, deepest, alignment)
    found += _grade_order(pool, seen)
    found += _identical(pool, named, seen, form, alignment)
    table = _table(found)
    answered = [one for one in seen.values() if one.top.any()]
    depths = [(one.judged_top.sum() / one.top.sum(), np.median(one.lengths[one.lengths > 0])) for one in answered]
    table.attrs["measures"] = suggest(pool, depths, preferences)
    return table


def _table(found: list[Finding]) -> pd.DataFrame:
    """The findings as a table, the worst first."""
    import pandas as pd

    found.sort(key=lambda finding: (LEVELS.index(finding.level), finding.code != "topics-without-documents"))
    codes = {code: place for place, code in enumerate(dict.fromkeys(finding.code for finding in found))}
    found.sort(key=lambda finding: (LEVELS.index(finding.level), codes[finding.code], -finding.count))
    table = pd.DataFrame([vars(finding) for finding in found], columns=list(COLUMNS))
    for name in ("run", "example"):
        table[name] = pd.Series([getattr(finding, name) for finding in found], dtype=object)
    table["count"] = table["count"].astype("int64")
    return table


def grave(findings: pd.DataFrame) -> list[str]:
    """The grave findings as lines, one for each code: the first run, and how many more have the same.

    Parameters
    ----------
    findings : what `check` returned
    """
    rows = findings[findings["level"] == "grave"]
    return lines(Finding(**row) for row in rows.to_dict("records"))


def lines(findings: Iterable[Finding]) -> list[str]:
    """Findings as `grave` has them, topics without documents first."""
    by_code: dict[str, list[Finding]] = {"topics-without-documents": []}
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    out = []
    for first, *others in filter(None, by_code.values()):
        more = f" ({len(others)} more run{'s' * (len(others) > 1)} like this)" if others else ""
        out.append(first.text + more if first.run is None else f"{first.run}: {first.text}{more}")
    return out


def grave_of_judged(
    pool: Pool, run: JudgedRun, topics: list[str], read: Callable[[], Any], small: bool
) -> list[Finding]:
    """What is grave about a run that is aligned already; most runs are not read again for this.

    Parameters
    ----------
    pool : Pool
    run : JudgedRun
    topics : list of str
        Topics of the run, those without judgments included.
    read : callable
        Returns the run, in any form. Called to compare ids if most topics find no judged document.
    small : bool
        Whether the run is so small that its ids are compared in any case.

    Returns
    -------
    list of Finding
        As `check` has them, `run` being None. It misses ids of a large run that are mangled in a few topics only, or
        only some ids of a topic.
    """
    ids = JudgedIds(pool)
    seen = Seen(pool.n_topics, [name for name in topics if name not in pool.topic_of])
    seen.lengths, seen.hits = run.n_retrieved, run.hits.lengths
    seen.mangled += ids.mangled(seen.further, topics)
    answered = seen.lengths > 0
    lost = answered & (seen.hits == 0)
    if answered.any() and (2 * lost.sum() > answered.sum() or (small and pool.grade.size <= _FEW_JUDGMENTS)):
        seen = seen_in(read(), ids)
    return list(_grave_of_run(pool, None, seen))


# ------------------------------------------------------------------------------------------ qrels and measures


def _of_qrels(pool: Pool, chosen: list[Measure]) -> Iterator[Finding]:
    grades, counts = np.unique(pool.grade, return_counts=True)
    top = float(grades.max())
    shown = ", ".join(f"{grade:g} ({count})" for grade, count in zip(grades, counts, strict=True))
    if grades.size > 12:
        shown = f"{grades.size} different ones from {grades.min():g} to {top:g}"
    yield Finding("grade-scale", "note", None, int(grades.size), f"{top:g}", f"grades (judgments): {shown}")
    yield from _negative(pool, chosen)
    yield from _nonrelevant(pool, chosen)
    if some := _Some(pool, pool.judged.maximum(pool.grade, -np.inf) < 1):
        text = f"{some.of} have no document of grade 1 or more, first {some.first!r}; most measures are 0 there for "
        yield Finding("topics-without-relevant", "note", None, some.n, some.first, f"{text}every run")
    for measure in chosen:
        for code, level, text in _of_measure(measure, pool, top):
            yield Finding(code, level, None, 1, str(measure), f"{measure}{text}")


def _of_measure(measure: Measure, pool: Pool, top: float) -> Iterator[tuple[str, str, str]]:
    """What does not fit between a measure and the grades: code, level, text after the measure's name."""
    supported = measure.SUPPORTED_PARAMS
    caution = measure.caution(pool.level_grade) if isinstance(measure, KernelMeasure) else ""
    if caution:
        yield "caution", "warning", f": {caution}"
    rel = measure["rel"] if "rel" in supported else None
    if isinstance(rel, (int, float)) and rel > top:
        text = f" counts grades from {rel:g} on as relevant, the highest is {top:g}: nothing is relevant"
        yield "rel-above-scale", "warning", text
    if "max_rel" not in supported or measure.params.get("gains"):
        return
    given = measure.params.get("max_rel")
    if given is None:
        text = f": max_rel is not given; {max(top, 1.0):g} would be taken, the highest of these judgments"
        yield "max-rel-missing", "note", text
    elif given < top:
        yield "max-rel-below-scale", "warning", f": a grade of these qrels is {top:g}, above max_rel"


def _negative(pool: Pool, chosen: list[Measure]) -> Iterator[Finding]:
    negative = pool.grade < 0
    if not negative.any():
        return
    counting = [str(m) for m in chosen if isinstance(m, KernelMeasure) and m.NEGATIVE_GRADES]
    number, first = int(negative.sum()), str(pool.doc_ids[int(np.argmax(negative))])
    text = f"{number} judgments are negative: they count as unjudged"
    if counting:
        text += f", but for {', '.join(counting)} as grades below non-relevant"
    yield Finding("negative-grades", "note", None, number, first, text)


def _nonrelevant(pool: Pool, chosen: list[Measure]) -> Iterator[Finding]:
    suited: dict[str, list[str]] = {}
    for measure in chosen:
        if "nonrelevant" in needs(measure) and not lacks_nonrelevant(measure, pool).any():
            number = pool.judged.count(nonrelevant(measure, pool.grade))
            said = f"{number.min()} to {number.max()}, median {np.median(number):g}"
            suited.setdefault(said, []).append(str(measure))
    for said, names in suited.items():
        text = f"every topic has documents judged non-relevant ({said}), as {', '.join(names)} need"
        text += "s" * (len(names) == 1)
        yield Finding("has-nonrelevant", "note", None, pool.n_topics, names[0], text)
    alike: dict[tuple[bytes, str], list[str]] = {}
    for measure in chosen or [*parse_all(["Bpref"]), *registered().values()]:
        lacking = lacks_nonrelevant(measure, pool)
        if lacking.any():
            left = what_is_left(measure, pool.level_grade.tolist())
            alike.setdefault((lacking.tobytes(), left), []).append(str(measure))
    for (topics, left), names in alike.items():
        lacking = np.frombuffer(topics, bool)
        some, every = _Some(pool, lacking), bool(lacking.all())
        if len(names) > 1:
            left = left.replace("says", "say").replace("compares", "compare")
        said = f"{', '.join(names)} {left}"
        text = f"no document is judged non-relevant: {said}"
        if not every:
            text = f"{some.of} have no document judged non-relevant, first {some.first!r}: {said} there"
        yield Finding("no-nonrelevant", "warning" if every else "note", None, some.n, some.first, text)


# -------------------------------------------------------------------------------------------------------- runs


def _grave_of_run(pool: Pool, name: str | None, seen: Seen) -> Iterator[Finding]:
    answered = seen.lengths > 0
    missing = _Some(pool, ~answered)
    if missing and answered.any():
        text = f"no documents for {missing.of}, first {missing.first!r}; they count as empty rankings"
        yield Finding("topics-without-documents", "grave", name, missing.n, missing.first, text)
    if seen.mangled:
        (topic, given, judged), number = seen.mangled[0], len(seen.mangled)
        what = "topic" if topic == given else f"document of topic {topic!r}"
        text = f"{number} ids differ from those of the qrels in case or white space only: {what} {given!r} for "
        yield Finding("mangled-ids", "grave", name, number, given, f"{text}{judged!r}; they count as other ones")
    number = int(seen.lengths.sum())
    if not answered.any():
        text = "no topic in common with the qrels"
        if seen.further:
            text += f": its topics begin {seen.further[0]!r}, those of the qrels {pool.topic_ids[0]!r}"
        yield Finding("no-common-topic", "grave", name, pool.n_topics, next(iter(seen.further), None), text)
    elif not seen.hits.any():
        text = f"none of its {number} documents is judged: every value is 0, or says nothing"
        yield Finding("no-judged-document", "grave", name, number, _Some(pool, answered).first, text)


def _of_run(
    pool: Pool, name: str, seen: Seen, chosen: list[Measure], deepest: int, alignment: Alignment
) -> Iterator[Finding]:
    yield from _grave_of_run(pool, name, seen)
    if not seen.lengths.any():
        return
    if seen.further:
        number, first = len(seen.further), seen.further[0]
        text = f"{number} {'topic has' if number == 1 else 'topics have'} no judgments, first {first!r}: left out"
        yield Finding("unjudged-topics", "note", name, number, first, text)
    if seen.repeats.first:
        (topic, doc), number = seen.repeats.first, seen.repeats.number
        what = "document appears" if number == 1 else "documents appear"
        text = f"{number} {what} twice in a topic, first {doc!r} in topic {topic!r}; the last row counts"
        yield Finding("duplicates", "warning", name, number, doc, text)
    yield from _depth(pool, name, seen, chosen, deepest)
    yield from _scores(pool, name, seen, alignment)
    unjudged = seen.top - seen.judged_top
    share = unjudged.sum() / seen.top.sum()
    if seen.hits.any() and share >= _SOME_UNJUDGED:
        text = f"{share:.0%} of the first {TOP} documents of a topic are unjudged; see irpref intervals --over unjudged"
        level = "warning" if share >= _MANY_UNJUDGED else "note"
        yield Finding("unjudged", level, name, int(unjudged.sum()), pool.topic_ids[int(np.argmax(unjudged))], text)


def _depth(pool: Pool, name: str, seen: Seen, chosen: list[Measure], deepest: int) -> Iterator[Finding]:
    lengths = seen.lengths[seen.lengths > 0]
    most, usual = int(lengths.max()), float(np.median(lengths))
    cutoffs = {measure: int(measure.params.get("cutoff") or 0) for measure in chosen}
    measure = max(cutoffs, key=cutoffs.__getitem__, default=None)
    few = f"at most {most} documents a topic, and "
    if measure is not None and cutoffs[measure] > most:
        yield Finding("shallow", "warning", name, most, None, f"{few}{measure} looks at {cutoffs[measure]}")
    elif 2 * most < deepest:
        text = f"{few}other runs have up to {deepest}: measures without a cutoff see less"
        yield Finding("shallow", "note", name, most, None, text)
    short = (seen.lengths > 0) & (seen.lengths < usual / 2)
    if some := _Some(pool, short):
        first = int(np.argmin(np.where(short, seen.lengths, np.iinfo(np.int64).max)))
        shortest, topic = int(seen.lengths[first]), pool.topic_ids[first]
        text = f"{some.of} have less than half of the usual {usual:g} documents, {topic!r} has {shortest}"
        yield Finding("uneven-depth", "warning" if shortest < TOP else "note", name, some.n, topic, text)


def _scores(pool: Pool, name: str, seen: Seen, alignment: Alignment) -> Iterator[Finding]:
    if some := _Some(pool, seen.constant):
        order = "their ids make the order" if alignment.by_id else "they are ranked in the order of the rows"
        text = f"all documents have the same score in {some.of}, first {some.first!r}: {order}"
        yield Finding("constant-scores", "warning", name, some.n, some.first, text)
    if some := _Some(pool, seen.tied > 0):
        number, deciding = int(seen.tied.sum()), _Some(pool, seen.deciding)
        text = f"{number} of {int(seen.lengths.sum())} documents are tied, in {some.of}"
        if deciding:
            text += f"; in {deciding.n} of these, first {deciding.first!r}, documents of different grades are tied in "
            text += f"the first {TOP} ranks: see irpref intervals --over ties"
        first = (deciding or some).first
        yield Finding("ties", "warning" if deciding else "note", name, number, first, text)
    if some := _Some(pool, seen.blurred):
        text = f"in {some.of}, first {some.first!r}, scores differ that are equal as 32-bit floats: tools that keep "
        yield Finding("float32-ties", "note", name, some.n, some.first, f"{text}scores so have another order")


def _grade_order(pool: Pool, seen: dict[str, Seen]) -> Iterator[Finding]:
    """Grades that the runs put in the opposite order."""
    orders = [one.order for one in seen.values() if one.order is not None]
    runs = "the run ranks" if len(orders) == 1 else f"{len(orders)} runs on average rank"
    for of in reversed_grades(orders) if orders else ():
        first = pool.topic_ids[of.first]
        rank = f"(rank correlation {of.correlation:.2f} over {of.topics} topics, first {first!r})"
        text = f"{runs} documents of higher grade below those of lower grade {rank}: lower grades, or lower scores, "
        text += "may be the better ones"
        if of.negative:
            text = f"{runs} documents of negative grade above relevant ones {rank}: find out what they mean before "
            text += "they are left out or set to 0"
        yield Finding("grade-order", "warning", None, of.topics, first, text)


def _identical(
    pool: Pool, named: dict[str, Any], seen: dict[str, Seen], form: str | Reading | None, alignment: Alignment
) -> Iterator[Finding]:
    """Runs with the same documents in the same order, each with the first such run."""
    alike: dict[Any, list[str]] = {}
    for name, one in seen.items():
        if one.prints:
            alike.setdefault((one.lengths.tobytes(), tuple(sorted(one.prints.items()))), []).append(name)
    for names in alike.values():
        if len(names) < 2:
            continue
        # To a measure they are the same; whether they are, only their unjudged documents can tell.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DuplicateWarning)
            docs = {name: listing(pool, read(named[name], form), alignment=alignment).doc_ids for name in names}
        for i, name in enumerate(names):
            other = next((before for before in names[:i] if docs[before] == docs[name]), None)
            if other is not None:
                text = f"the same ranking as {other!r} in every topic: no measure tells them apart"
                yield Finding("identical-runs", "warning", name, int(seen[name].lengths.sum()), other, text)
