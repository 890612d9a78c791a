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

import os
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.analysis.grade_order import GradeOrder, grade_order, reversed_grades
from irpref.analysis.preference_check import has_subgroups, preference_findings
from irpref.analysis.scales import mixed_scales
from irpref.analysis.suggest import suggest
from irpref.arrays.record import Record
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools, Floats, Ints, Segments
from irpref.formats.columns import Reading, Table
from irpref.formats.runs import named_runs
from irpref.formats.tables import read_run
from irpref.judged.align import Repeats, blocks, listing
from irpref.judged.inputs import as_table, group, opened
from irpref.judged.order import TREC, Alignment, evaluation_order
from irpref.judged.pool import Pool
from irpref.judged.recent import recent_pool
from irpref.judged.stream import each
from irpref.measures.declare import KernelMeasure, registered
from irpref.measures.degenerate import lacks_nonrelevant, what_is_left
from irpref.measures.names import parse_all
from irpref.messages import DuplicateWarning, warn_user

if TYPE_CHECKING:
    import pandas as pd
    from ir_measures.measures import Measure

    from irpref.judged.types import Qrels, Run, Runs
    from irpref.measures.declare import Measures

LEVELS = ("grave", "warning", "note")
COLUMNS = ("code", "level", "run", "count", "example", "text")
TOP = 10  # ranks that are looked at more closely
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


def check(
    qrels: Qrels,
    runs: Runs,
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
    runs : mapping of name to run, or list of paths
    measures : measures of any toolkit, or their names, optional
        Those that are to be computed: their cutoffs, thresholds and needs are held against the data.
    jobs : int, optional
        Runs looked at at a time; by default the number of cores.
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
          `max-rel-missing`
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
    stated: list[Finding] = []
    if has_subgroups(qrels):
        stated = [Finding(row[0], row[1], None, *row[2:]) for row in preference_findings(qrels)]
        if any(finding.level == "grave" for finding in stated):
            return _table(stated)  # there is no pool to hold anything against
        pool = recent_pool(qrels, preferences=True)
        if of_grades:  # levels are no grades
            stated += _of_qrels(pool, chosen)
    else:
        pool = Pool.build(qrels)
        stated = list(_of_qrels(pool, chosen))
        stated += [Finding("mixed-scales", "warning", None, *found) for found in mixed_scales(qrels, pool)]
    named = {name: list(run) if isinstance(run, Iterator) else run for name, run in named_runs(runs).items()}
    found = stated
    looks: dict[str, _Look] = {}
    ids = _Ids(pool)
    for name, done in zip(
        named, each(lambda run: _look(pool, _read(run, form), ids, alignment), named.values(), jobs), strict=True
    ):
        for warning in done.warnings:
            warn_user(*warning)
        if isinstance(
            done.error, (ValueError, OSError)
        ):  # no number, no column, nothing in common that could be looked at
            found.append(Finding("invalid-run", "grave", name, 1, None, f"cannot be evaluated: {done.error}"))
        elif done.error is not None:
            raise done.error
        elif done.value is not None:
            looks[name] = done.value
    deepest = max((int(look.lengths.max(initial=0)) for look in looks.values()), default=0)
    for name, look in looks.items():
        found += _of_run(pool, name, look, chosen, deepest, alignment)
    found += _grade_order(pool, looks)
    found += _identical(pool, named, looks, form, alignment)
    table = _table(found)
    seen = [
        (o.judged_top.sum() / o.top.sum(), np.median(o.lengths[o.lengths > 0])) for o in looks.values() if o.top.any()
    ]
    table.attrs["measures"] = suggest(pool, seen, has_subgroups(qrels))
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
    """What is grave about a run that is aligned already, without another look at most runs.

    Parameters
    ----------
    pool : Pool
    run : JudgedRun
    topics : list of str
        Topics of the run, those without judgments included.
    read : callable
        Returns the run, in any form: where most topics find no judged document, their ids are looked at.
    small : bool
        Whether the run is so small that its ids are looked at in any case.

    Returns
    -------
    list of Finding
        As `check` would have them, `run` being None; but where ids are mangled in a few topics only, or only some of
        a topic, that of a large run is not found.
    """
    ids = _Ids(pool)
    look = _Look(pool.n_topics, [name for name in topics if name not in pool.topic_of])
    look.lengths, look.hits = run.n_retrieved, run.hits.lengths
    look.mangled += _mangled_topics(look.further, topics, ids)
    answered = look.lengths > 0
    lost = answered & (look.hits == 0)
    if answered.any() and (2 * lost.sum() > answered.sum() or (small and pool.grade.size <= _FEW_JUDGMENTS)):
        look = _look(pool, read(), ids)
    return list(_grave_of_run(pool, None, look))


# ------------------------------------------------------------------------------------------ qrels and measures


def _of_qrels(pool: Pool, chosen: list[Measure]) -> Iterator[Finding]:
    grades, counts = np.unique(pool.grade, return_counts=True)
    top = float(grades.max())
    listed = ", ".join(f"{grade:g} ({count})" for grade, count in zip(grades, counts, strict=True))
    shown = listed if grades.size <= 12 else f"{grades.size} different ones from {grades.min():g} to {top:g}"
    yield Finding("grade-scale", "note", None, int(grades.size), f"{top:g}", f"grades (judgments): {shown}")
    yield from _negative(pool, chosen)
    yield from _nonrelevant(pool, chosen)
    relevant = pool.judged.maximum(pool.grade, -np.inf) >= 1
    if not relevant.all():
        yield Finding(
            "topics-without-relevant",
            "note",
            None,
            int((~relevant).sum()),
            _first(pool, ~relevant),
            f"{_of_topics(~relevant)} have no document of grade 1 or more, first {_first(pool, ~relevant)!r}; "
            "most measures are 0 there for every run",
        )
    for measure in chosen:
        supported = measure.SUPPORTED_PARAMS
        caution = measure.caution(pool.level_grade) if isinstance(measure, KernelMeasure) else ""
        if caution:
            yield Finding("caution", "warning", None, 1, str(measure), f"{measure}: {caution}")
        rel = measure["rel"] if "rel" in supported else None
        if isinstance(rel, (int, float)) and rel > top:
            text = f"{measure} counts grades from {rel:g} on as relevant, the highest is {top:g}: nothing is relevant"
            yield Finding("rel-above-scale", "warning", None, 1, str(measure), text)
        if "max_rel" not in supported or measure.params.get("gains"):
            continue
        given = measure.params.get("max_rel")
        scale = max(top, 1.0)
        if given is None:
            text = f"{measure}: max_rel is not given; {scale:g} would be taken, the highest of these judgments"
            yield Finding("max-rel-missing", "note", None, 1, str(measure), text)
        elif given < top:
            text = f"{measure}: a grade of these qrels is {top:g}, above max_rel"
            yield Finding("max-rel-below-scale", "warning", None, 1, str(measure), text)


def _negative(pool: Pool, chosen: list[Measure]) -> Iterator[Finding]:
    negative = pool.grade < 0
    if not negative.any():
        return
    row = int(np.argmax(negative))
    counting = [str(m) for m in chosen if isinstance(m, KernelMeasure) and m.NEGATIVE_GRADES]
    text = f"{int(negative.sum())} judgments are negative: they count as unjudged"
    if counting:
        text += f", but for {', '.join(counting)} as grades below non-relevant"
    yield Finding("negative-grades", "note", None, int(negative.sum()), str(pool.doc_ids[row]), text)


def _nonrelevant(pool: Pool, chosen: list[Measure]) -> Iterator[Finding]:
    asked = chosen or [*parse_all(["Bpref"]), *registered().values()]
    alike: dict[tuple[bytes, str], list[str]] = {}
    for measure in asked:
        lacking = lacks_nonrelevant(measure, pool)
        if lacking.any():
            left = what_is_left(measure, pool.level_grade.tolist())
            alike.setdefault((lacking.tobytes(), left), []).append(str(measure))
    for (topics, left), names in alike.items():
        lacking = np.frombuffer(topics, bool)
        level = "warning" if lacking.all() else "note"
        if len(names) > 1:
            left = left.replace("says", "say").replace("compares", "compare")
        said = f"{', '.join(names)} {left}"
        text = f"no document is judged non-relevant: {said}"
        if not lacking.all():
            text = f"{_of_topics(lacking)} have no document judged non-relevant, first {_first(pool, lacking)!r}: "
            text += f"{said} there"
        yield Finding("no-nonrelevant", level, None, int(lacking.sum()), _first(pool, lacking), text)


# -------------------------------------------------------------------------------------------------------- runs


class _Look:
    """What one reading of a run shows: arrays by topic of the qrels.

    Attributes
    ----------
    lengths, top, judged_top, hits, tied : int arrays (n_topics,)
        Documents; those in the first ranks; the judged ones among these; all judged ones; those whose score another
        document of the topic has.
    constant, deciding, blurred : bool arrays (n_topics,)
        Whether all documents have one score; whether documents of different grades are tied in the first ranks;
        whether scores differ in double precision only.
    further : list of str
        Topics without judgments.
    mangled : list of (topic, id of the run, id of the qrels)
    prints : dict of topic to int
        What the ranking of a topic looks like to a measure.
    repeats : Repeats
    order : GradeOrder, or None where no topic is answered
    """

    order: GradeOrder | None = None

    def __init__(self, n_topics: int, further: list[str]) -> None:
        zeros: Ints = np.zeros((5, n_topics), np.int64)
        self.lengths, self.top, self.judged_top, self.hits, self.tied = zeros
        self.constant, self.deciding, self.blurred = np.zeros((3, n_topics), bool)
        self.further = further
        self.mangled: list[tuple[str, str, str]] = []
        self.prints: dict[int, int] = {}
        self.repeats = Repeats(strict=False)


class _Ids:
    """Judged ids without what mangles them: case and white space."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.topics = {_bare(name): name for name in pool.topic_ids}
        self._of: dict[int, dict[str, str]] = {}

    def docs(self, topic: int) -> dict[str, str]:
        """Judged documents of a topic by bare id."""
        if topic not in self._of:
            names = list(self.pool.index(topic))
            bare = "\n".join(names).casefold().split()
            if len(bare) != len(names):  # some hold white space
                bare = [_bare(name) for name in names]
            self._of[topic] = dict(zip(bare, names, strict=True))
        return self._of[topic]


def _bare(name: str) -> str:
    return "".join(name.split()).casefold()


def _read(run: Run, form: str | Reading | None) -> Any:
    """A run; the file of a path, where the form of files is given."""
    return read_run(run, form) if form is not None and isinstance(run, (str, os.PathLike)) else run


def _look(pool: Pool, run: Run, ids: _Ids, alignment: Alignment = TREC) -> _Look:
    data = as_table(run, "score")
    names = group(data.query_id).names if isinstance(data, Table) else list(data)
    look = _Look(pool.n_topics, [name for name in names if name not in pool.topic_of])
    look.mangled += _mangled_topics(look.further, names, ids)
    if names and len(look.further) == len(names):
        return look
    place = np.full(pool.grade.size, np.inf)
    for part, row in blocks(pool, data, look.repeats):
        segments = Segments.of_lengths(part.lengths)
        moved = evaluation_order(part.score, segments, part, row >= 0, alignment.by_id)
        source: Ints = np.arange(row.size)
        score = part.score
        if moved is not None:
            source, score, row = moved.put(source), moved.put(score), moved.put(row)
        of = part.topics
        place[row[row >= 0]] = segments.position[row >= 0]
        look.lengths[of] = part.lengths
        at_top = segments.position < TOP
        look.top[of] = segments.count(at_top)
        look.judged_top[of] = segments.count(at_top & (row >= 0))
        look.hits[of] = segments.count(row >= 0)
        gain = np.maximum(np.append(pool.grade, 0.0)[row], 0.0)
        tied, mixed = _ties(score, segments, gain)
        look.tied[of] = segments.count(tied)
        look.constant[of] = (segments.count(tied) > 0) & (
            segments.maximum(score, 0.0) == -segments.maximum(-score, 0.0)
        )
        look.deciding[of] = segments.count(mixed & at_top) > 0
        look.blurred[of] = segments.count(_blurs(score, segments)) > 0
        for t, start, stop in zip(of.tolist(), segments.starts.tolist(), segments.ends.tolist(), strict=True):
            look.prints[t] = hash(row[start:stop].tobytes())
        strange = np.flatnonzero(at_top & (row < 0))
        for t, doc in zip(of[segments.topic[strange]].tolist(), part.docs_of(source[strange]), strict=True):
            other = ids.docs(t).get(_bare(doc))
            if other is not None:
                look.mangled.append((pool.topic_ids[t], doc, other))
    if pool.graded:
        look.order = grade_order(pool, place)
    return look


def _mangled_topics(further: Iterable[str], names: Collection[str], ids: _Ids) -> list[tuple[str, str, str]]:
    """Topics without judgments that look like one with judgments that the run lacks."""
    likely = [(name, ids.topics.get(_bare(name))) for name in further]
    given = set(names) if likely else set()
    return [(name, name, other) for name, other in likely if other is not None and other not in given]


def _ties(score: Floats, topics: Segments, gain: Floats) -> tuple[Bools, Bools]:
    """Rows whose score another row of the topic has, and those among them in groups of different gains: (n_rows,)."""
    opens = np.ones(score.size, bool)
    opens[1:] = score[1:] != score[:-1]
    opens[topics.starts[topics.lengths > 0]] = True
    groups = Segments(np.append(np.flatnonzero(opens), score.size))
    tied = groups.spread(groups.lengths > 1)
    mixed = groups.spread(groups.maximum(gain, 0.0) != -groups.maximum(-gain, 0.0))
    return tied, mixed


def _blurs(score: Floats, topics: Segments) -> Bools:
    """Rows whose score differs from the one before in double precision only: shape (n_rows,)."""
    with np.errstate(over="ignore"):
        short = score.astype(np.float32)
    out = np.zeros(score.size, bool)
    out[1:] = (short[1:] == short[:-1]) & (score[1:] != score[:-1])
    out[topics.starts[topics.lengths > 0]] = False
    return out


def _grave_of_run(pool: Pool, name: str | None, look: _Look) -> Iterator[Finding]:
    answered = look.lengths > 0
    if answered.any() and not answered.all():
        first = _first(pool, ~answered)
        text = f"no documents for {_of_topics(~answered)}, first {first!r}; they count as empty rankings"
        yield Finding("topics-without-documents", "grave", name, int((~answered).sum()), first, text)
    if look.mangled:
        topic, given, judged = look.mangled[0]
        where = "topic" if topic == given else f"document of topic {topic!r}"
        text = f"{len(look.mangled)} ids differ from those of the qrels in case or white space only: {where} {given!r} "
        text += f"for {judged!r}; they count as other ones"
        yield Finding("mangled-ids", "grave", name, len(look.mangled), given, text)
    if not answered.any():
        text = "no topic in common with the qrels"
        if look.further:
            text += f": its topics begin {look.further[0]!r}, those of the qrels {pool.topic_ids[0]!r}"
        yield Finding("no-common-topic", "grave", name, pool.n_topics, next(iter(look.further), None), text)
    elif not look.hits.any():
        text = f"none of its {int(look.lengths.sum())} documents is judged: every value is 0, or says nothing"
        yield Finding("no-judged-document", "grave", name, int(look.lengths.sum()), _first(pool, answered), text)


def _of_run(
    pool: Pool, name: str, look: _Look, chosen: list[Measure], deepest: int, alignment: Alignment
) -> Iterator[Finding]:
    yield from _grave_of_run(pool, name, look)
    if not look.lengths.any():
        return
    if look.further:
        what = "topic has" if len(look.further) == 1 else "topics have"
        text = f"{len(look.further)} {what} no judgments, first {look.further[0]!r}: left out"
        yield Finding("unjudged-topics", "note", name, len(look.further), look.further[0], text)
    if look.repeats.first:
        topic, doc = look.repeats.first
        number = look.repeats.number
        what = "document stands" if number == 1 else "documents stand"
        text = f"{number} {what} twice in a topic, first {doc!r} in topic {topic!r}; the last row counts"
        yield Finding("duplicates", "warning", name, number, doc, text)
    yield from _depth(pool, name, look, chosen, deepest)
    yield from _scores(pool, name, look, alignment)
    share = 1 - look.judged_top.sum() / look.top.sum()
    if look.hits.any() and share >= _SOME_UNJUDGED:
        number = int(look.top.sum() - look.judged_top.sum())
        worst = look.top - look.judged_top
        text = f"{share:.0%} of the first {TOP} documents of a topic are unjudged; see intervals(over='unjudged')"
        level = "warning" if share >= _MANY_UNJUDGED else "note"
        yield Finding("unjudged", level, name, number, pool.topic_ids[int(np.argmax(worst))], text)


def _depth(pool: Pool, name: str, look: _Look, chosen: list[Measure], deepest: int) -> Iterator[Finding]:
    lengths = look.lengths[look.lengths > 0]
    most, usual = int(lengths.max()), float(np.median(lengths))
    wanted = {measure: int(measure.params.get("cutoff") or 0) for measure in chosen}
    measure = max(wanted, key=wanted.__getitem__, default=None)
    if measure is not None and wanted[measure] > most:
        text = f"at most {most} documents a topic, and {measure} looks at {wanted[measure]}"
        yield Finding("shallow", "warning", name, most, None, text)
    elif 2 * most < deepest:
        text = (
            f"at most {most} documents a topic, and other runs have up to {deepest}: measures without a cutoff see less"
        )
        yield Finding("shallow", "note", name, most, None, text)
    short = (look.lengths > 0) & (look.lengths < usual / 2)
    if short.any():
        shortest = int(look.lengths[short].min())
        first = pool.topic_ids[int(np.argmin(np.where(short, look.lengths, np.iinfo(np.int64).max)))]
        text = f"{_of_topics(short)} have less than half of the usual {usual:g} documents, {first!r} has {shortest}"
        yield Finding("uneven-depth", "warning" if shortest < TOP else "note", name, int(short.sum()), first, text)


def _scores(pool: Pool, name: str, look: _Look, alignment: Alignment) -> Iterator[Finding]:
    constant, tied = look.constant, look.tied > 0
    if constant.any():
        first = _first(pool, constant)
        text = f"all documents have the same score in {_of_topics(constant)}, first {first!r}: "
        text += "their ids make the order" if alignment.by_id else "they are ranked in the order of the rows"
        yield Finding("constant-scores", "warning", name, int(constant.sum()), first, text)
    if tied.any():
        number, deciding = int(look.tied.sum()), look.deciding
        first = _first(pool, deciding if deciding.any() else tied)
        text = f"{number} of {int(look.lengths.sum())} documents are tied, in {_of_topics(tied)}"
        if deciding.any():
            text += f"; in {int(deciding.sum())} of these, first {first!r}, documents of different grades are tied in "
            text += f"the first {TOP} ranks: see intervals(over='ties')"
        yield Finding("ties", "warning" if deciding.any() else "note", name, number, first, text)
    if look.blurred.any():
        first = _first(pool, look.blurred)
        text = f"in {_of_topics(look.blurred)}, first {first!r}, scores differ that are equal as 32-bit floats: "
        text += "tools that keep scores so have another order"
        yield Finding("float32-ties", "note", name, int(look.blurred.sum()), first, text)


def _grade_order(pool: Pool, looks: dict[str, _Look]) -> Iterator[Finding]:
    """Grades that the runs put in the opposite order."""
    orders = [look.order for look in looks.values() if look.order is not None]
    for of in reversed_grades(orders) if orders else ():
        runs = "the run" if len(orders) == 1 else f"{len(orders)} runs on average"
        rank = f"(rank correlation {of.correlation:.2f} over {of.topics} topics, first {pool.topic_ids[of.first]!r})"
        if of.negative:
            text = (
                f"{runs} rank documents of negative grade above relevant ones {rank}: find out what they mean before "
            )
            text += "they are left out or set to 0"
        else:
            text = f"{runs} rank documents of higher grade below those of lower grade {rank}: lower grades, or lower "
            text += "scores, may be the better ones"
        if len(orders) == 1:
            text = text.replace(" rank ", " ranks ", 1)
        yield Finding("grade-order", "warning", None, of.topics, pool.topic_ids[of.first], text)


def _identical(
    pool: Pool, named: dict[str, Any], looks: dict[str, _Look], form: str | Reading | None, alignment: Alignment
) -> Iterator[Finding]:
    """Runs with the same documents in the same order, each with the first such run."""
    alike: dict[Any, list[str]] = {}
    for name, look in looks.items():
        if look.prints:
            alike.setdefault((look.lengths.tobytes(), tuple(sorted(look.prints.items()))), []).append(name)
    for names in alike.values():
        if len(names) < 2:
            continue
        # To a measure they are the same; whether they are, only their unjudged documents can tell.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DuplicateWarning)
            docs = {name: listing(pool, _read(named[name], form), alignment=alignment).doc_ids for name in names}
        for i, name in enumerate(names):
            other = next((before for before in names[:i] if docs[before] == docs[name]), None)
            if other is not None:
                text = f"the same ranking as {other!r} in every topic: no measure tells them apart"
                yield Finding("identical-runs", "warning", name, int(looks[name].lengths.sum()), other, text)


def _first(pool: Pool, topics: Bools) -> str:
    """Id of the first of some topics."""
    return pool.topic_ids[int(np.argmax(topics))]


def _of_topics(topics: Iterable[Any]) -> str:
    mask = np.asarray(topics)
    return f"{int(mask.sum())} of {mask.size} topics"
