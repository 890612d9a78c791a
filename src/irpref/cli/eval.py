"""`irpref eval`: measures of one run, or of several."""

# A run that cannot be read is named on standard error, the others are printed, and the exit status
# is 1.

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import click
from ir_measures.measures import Measure

from irpref.cli import options
from irpref.cli.arguments import Inputs, named, only_topics, warn_again
from irpref.cli.command import ERROR, OK, command
from irpref.cli.output import Output
from irpref.cli.say import complain, put, say
from irpref.errors import JudgmentsError
from irpref.measures.declare import rises
from irpref.messages import DegenerateWarning, warn_user, whole_files
from irpref.observed.scored_files import Scorer, Scores
from irpref.observed.thresholds import thresholds_on
from irpref.show.text import Cell, Column, Table, rounded
from irpref.values.means import have_a_value

SUMMARY = "all"  # ir_measures' name of the row over all topics
# Numbers that describe a run but do not rank it.
_COUNTS = ("NumQ", "NumRel", "NumRet", "num_q", "num_rel", "num_ret")


@dataclass(frozen=True, slots=True)
class Row:
    """Values of a run on a topic, or over all topics or the topics of a group."""

    run: str
    topic: str  # SUMMARY for several
    group: str | None
    values: dict[Measure, float]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows are printed, and how.

    Attributes
    ----------
    labels : list of str
        The beginning of each row: `run`, `topic`, `group`.
    topics : list of str
        The topics of -t; empty for all.
    groups : dict of str to set of str
        Topics by group; None is the name of all topics.
    """

    labels: list[str]
    topics: list[str]
    groups: dict[str | None, set[str]]
    by_query: bool
    summary: bool
    places: int


@command(
    "eval",
    epilog="""\b
Examples:
  irpref eval qrels.txt run.txt AP nDCG@10 "RPref(norm='relative2')"
  irpref eval qrels.txt runs/*.gz map ndcg_cut_10 -o latex
  zcat run.gz | irpref eval beir/scifact/test - nDCG@10 -q

Exit status: 0 done, 1 bad input, 2 bad command line, 130 interrupted, 141 output closed.""",
)
@options.inputs("RUN... MEASURE...")
@options.topics
@options.groups
@options.known
@options.provider
@options.reading
@options.ranking
@options.option(
    "--strict",
    is_flag=True,
    help="stop if a run repeats a document within a topic, or if a file may have been cut off",
)
@options.writing_as("tsv or table")
@options.by_query
@options.option(
    "-n",
    "--no-summary",
    is_flag=True,
    help="with -q: leave out the means",
)
@options.places
def evaluate(
    given: Inputs,
    out: Output,
    groups: str | None,
    provider: str | None,
    strict: bool,
    by_query: bool,
    no_summary: bool,
    places: int,
) -> int:
    """Compute measures for one run (as ir_measures prints them) or for several (as one table).

    Files: TREC, .parquet, .csv, .tsv, .json, .jsonl, also .gz and .zst; '-' reads standard input.
    To test whether runs differ from a baseline, see irpref against.
    """
    by_query, no_summary = by_query or bool(given.topics), no_summary or bool(given.topics)
    if no_summary and not by_query:
        raise click.UsageError("--no-summary (-n) needs --by-query (-q)")
    several = len(given.files) > 1
    out = replace(out, default="table" if several else "tsv")
    with whole_files(strict):
        qrels = given.all_judgments()
    topics = qrels.topic_ids
    labels = ["run"] * several + ["topic"] * by_query + ["group"] * (groups is not None)
    asked = only_topics(topics, given.topics) if given.topics else []
    wanted = Wanted(labels, asked, _groups(groups, topics), by_query, not no_summary, places)
    scorer = _scorer(
        given, qrels, provider=provider, strict=strict, by_topic=by_query or groups is not None
    )
    scores, status = _scores(given, scorer)
    if not scores:
        return ERROR
    _print_grave(scorer, scores)
    _warn_of_silent(scorer, scores)
    rows = _rows(scores, given.measures, wanted)
    if out.form in ("json", "jsonl") and places != options.PLACES:
        # As the command ir_measures says it.
        put(f"--places is ignored when using --output {out.form}")
    lacking = [] if no_summary else _without_value(scorer, scores)
    if out.for_programs:
        for line in lacking:
            say(line)
        out.show(_long(rows, wanted), head=False)
        if out.file is None and sys.stdout.isatty():  # a person reads it
            for line in thresholds_on(given.measures, qrels):
                say(line)
        return status
    wide = _wide(list(rows), given.measures, wanted)
    if several and scorer.pool is not None:
        n_topics = scorer.pool.n_topics
        answered = {name: n_topics - len(score.missing) for name, score in scores.items()}
        _add_answered(wide, answered, n_topics)
    wide.notes = [*wide.notes, *lacking, *thresholds_on(given.measures, qrels)]
    out.show(wide)
    return status


def _groups(path: str | None, topics: Sequence[str]) -> dict[str | None, set[str]]:
    """Map each group to its topics. Without groups, None maps to all topics."""
    if path is None:
        return {None: set(topics)}
    from irpref.judged.groups import groups_of

    masks = groups_of(path, None, topics).items()
    return {name: set(compress(topics, inside.tolist())) for name, inside in masks}


def _scorer(given: Inputs, qrels: Any, **how: Any) -> Scorer:
    """Make the scorer that computes the values; its errors name the file of judgments."""
    try:
        return Scorer(given.measures, qrels, form=given.form, **how)
    except ValueError as error:
        if isinstance(error, JudgmentsError) and error.path is None:
            error.path = "<stdin>" if given.qrels == "-" else given.qrels
        raise


def _scores(given: Inputs, scorer: Scorer) -> tuple[dict[str, Scores], int]:
    """Compute the values of each run that can be read; return them and the exit status."""
    from irpref.values.progress import progress

    paths = list(given.files.values())
    scores: dict[str, Scores] = {}
    errors = []
    with progress(scorer.score_all(paths, given.jobs), len(paths)) as steps:
        for name, done in zip(given.files, steps, strict=True):
            warn_again(done, len(paths) > 1)
            if done.value is not None:
                scores[name] = done.value
            else:
                assert done.error is not None
                errors.append(named(done.error, done.item))
                if len(paths) == 1:
                    raise errors[0]
    for error in errors:  # the others are printed
        complain(error)
    return scores, ERROR if errors else OK


def _print_grave(scorer: Scorer, scores: Mapping[str, Scores]) -> None:
    """Print the grave findings that judged documents can tell, and those that they hint at."""
    if scorer.pool is None:
        return
    from irpref.observed import GRADES_REVERSED, UPSIDE_DOWN, streamed

    named = scores if len(scores) > 1 else dict(zip(["the run"], scores.values(), strict=True))
    rows = [
        row
        for name, score in named.items()
        if score.noted is not None
        for row in streamed.grave_rows(score.noted, name)
    ]
    turned = {row["run"] for row in rows if row["record"] is UPSIDE_DOWN}
    late = {name: score.late_by for name, score in named.items() if name not in turned}
    said = streamed.lines(streamed.grave_of_judgments(scorer.qrels, scorer.pool))
    orders = [score.grade_order for score in named.values() if score.grade_order is not None]
    beside = [score.beside_order for score in named.values() if score.beside_order is not None]
    if against := streamed.grades_reversed(orders):  # which explains a run that seems upside down
        rows = [row for row in rows if row["code"] not in GRADES_REVERSED.instead_of]
        said, late = [against, *said], {}
    said += filter(None, [streamed.one_grade(scorer.pool, beside)])
    not_looked_at = [f"{text}: irpref check does" for text in streamed.not_looked_at(late)]
    for line in [*said, *streamed.lines(rows), *not_looked_at]:
        say(f"check: {line}")


def _warn_of_silent(scorer: Scorer, scores: Mapping[str, Scores]) -> None:
    """Warn of measures that can tell nothing apart."""
    if scorer.silent:
        counts = [score.counts for score in scores.values() if score.counts]
        for text in scorer.silent.sentences(counts):
            warn_user(text, DegenerateWarning)


def _without_value(scorer: Scorer, scores: Mapping[str, Scores]) -> list[str]:
    """Say which means are not over all topics, a sentence for each measure."""
    n_topics = len(scorer.evaluator.topic_ids)
    texts = {
        measure: have_a_value((score.valued[measure] for score in scores.values()), n_topics)
        for measure in scorer.measures
    }
    return [f"{measure}: {text}" for measure, text in texts.items() if text]


# Tables -------------------------------------------------------------------------------------------


def _rows(
    scores: Mapping[str, Scores], measures: Sequence[Measure], wanted: Wanted
) -> Iterator[Row]:
    """Yield the rows of each run: topics, then means."""
    group_of = {topic: group for group, topics in wanted.groups.items() for topic in topics}
    for name, score in scores.items():
        if wanted.by_query:
            topics = wanted.topics or sorted(set().union(*score.by_topic.values()))
            for topic in topics:
                # The host leaves topics out of some measures (Accuracy).
                values = {
                    measure: score.by_topic[measure][topic]
                    for measure in measures
                    if topic in score.by_topic[measure]
                }
                yield Row(name, topic, group_of.get(topic), values)
        if wanted.summary:
            for group, inside in wanted.groups.items():
                means = {
                    measure: score.mean(measure, None if group is None else inside)
                    for measure in measures
                }
                yield Row(name, SUMMARY, group, means)


def _long(rows: Iterable[Row], wanted: Wanted) -> Table:
    """Make a table of one row a value, as it comes."""
    columns = [Column("query_id" if name == "topic" else name) for name in wanted.labels]
    columns += [Column("measure"), Column("value", rounded(wanted.places))]
    lines = (
        [*(getattr(row, name) for name in wanted.labels), str(measure), value]
        for row in rows
        for measure, value in row.values.items()
    )
    return Table(columns, lines)


def _wide(rows: list[Row], measures: Sequence[Measure], wanted: Wanted) -> Table:
    """Make a table of one row a run (or topic), one column a measure; the best of the runs is
    marked.
    """
    number = rounded(wanted.places)
    if not wanted.labels:  # a list is easier to read than one long row
        columns = [Column("measure", left=True), Column("value", number)]
        return Table(columns, [[str(measure), value] for measure, value in rows[0].values.items()])
    several = "run" in wanted.labels
    lower = [m for m in measures if several and not rises(m)]
    best = _best_of_all(rows, number) if several else {}
    columns = [Column(name, left=True) for name in wanted.labels]
    columns += [Column(str(measure), number, lower=measure in lower) for measure in measures]
    cells: list[list[Any]] = []
    for row in rows:
        cells.append([getattr(row, name) for name in wanted.labels])
        for measure in measures:
            text = number(row.values[measure]) if measure in row.values else None
            is_best = text is not None and best.get((row.topic, row.group, measure)) == text
            cells[-1].append(Cell(text, is_best))
    note = "* best" + f" (lower is better: {', '.join(map(str, lower))})" * bool(lower)
    return Table(columns, cells, notes=[note] * any(text is not None for text in best.values()))


def _best_of_all(rows: Iterable[Row], number: Callable[[float], str]) -> dict[Any, str | None]:
    """Find the best value of each topic (or group) and measure over the runs, as it is printed."""
    values: dict[tuple[str, str | None, Measure], list[float]] = {}
    for row in rows:
        for measure, value in row.values.items():
            values.setdefault((row.topic, row.group, measure), []).append(value)
    return {key: _best(key[2], every, number) for key, every in values.items()}


def _best(measure: Measure, values: Sequence[float], number: Callable[[float], str]) -> str | None:
    """Find the best value as it is printed; None if no value is better than another."""
    printed = {number(value): value for value in values if value == value}
    if str(measure.NAME) in _COUNTS or len(printed) < 2:
        return None
    return (max if rises(measure) else min)(printed, key=printed.__getitem__)


def _add_answered(table: Table, answered: Mapping[str, int], n_topics: int) -> None:
    """Add the number of topics that each run answers, if these differ."""
    if len(set(answered.values())) > 1:
        table.columns = [*table.columns, Column("answered")]
        table.rows = [[*row, answered[str(row[0])]] for row in table.rows]
        table.notes = [*table.notes, f"answered: topics with documents, of {n_topics}"]
