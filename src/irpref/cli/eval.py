"""Compute measures for one run (as ir_measures prints them) or for several (as one table).
Files: TREC, .parquet, .csv, .tsv, .json, .jsonl, also .gz and .zst; '-' reads standard input.
"""

# A run that cannot be read is named on standard error, the others are printed, and the exit status is 1.

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np
from ir_measures.measures import Measure

from irpref.arrays.record import Record
from irpref.cli import frame
from irpref.cli.frame import ERROR, OK, UsageError
from irpref.cli.scoring import Scorer, Scores, SideBySide
from irpref.formats.runs import run_names
from irpref.judged.groups import groups_of
from irpref.judged.order import Alignment
from irpref.show.text import LINES, Cell, Column, Table, rounded
from irpref.values.kernels import mean_of

SUMMARY = "all"  # ir_measures' name of the row over all topics
PLACES = 4
# Numbers that describe a run but do not rank it.
_COUNTS = ("NumQ", "NumRel", "NumRet", "num_q", "num_rel", "num_ret")


def run(args: argparse.Namespace) -> int:
    """Evaluate and print; returns the exit status.

    Raises
    ------
    UsageError, ValueError, OSError
        Shown by `irpref.cli.main`.
    """
    given = _checked(args)
    base = _baseline(args, given)
    if [given.qrels, args.preferences, *given.files.values()].count("-") > 1:
        raise UsageError("standard input ('-') can be read once only")
    form = frame.form_of(args, "tsv" if len(given.files) == 1 else "table")
    exact = len(given.files) == 1 and form in LINES and args.by_query
    scorer, groups, scores, status = _scores(args, given, base, exact)
    if not scores or (base is not None and len(scores) < 2):
        return ERROR
    _print_grave(scores)
    values = _values(scores, given.measures, base, args, groups)
    if form not in LINES:
        wide = _wide(values, given.measures, args, len(given.files) > 1)
        wide.notes = [*wide.notes, *_note(scores, base, args)]
        frame.show(args, wide if scorer.pool is None else _with_answered(wide, scores, scorer.pool.n_topics))
        return status
    if form in ("json", "jsonl") and args.places != PLACES:
        sys.stderr.write(f"--places is ignored when using --output {form}\n")  # as the command ir_measures says it
    frame.show(args, _long(values, base, args, len(given.files) > 1), default="tsv", head=False)
    return status


def _checked(args: argparse.Namespace) -> frame.Inputs:
    """What the arguments name. Options that depend on others are filled in or refused."""
    args.by_query |= bool(args.topic)
    args.no_summary |= bool(args.topic)
    if args.no_summary and not args.by_query:
        raise UsageError("--no_summary (-n) is only supported with --by_query (-q)")
    if args.places < -1:
        raise UsageError(f"--places {args.places}: expected a number of decimal places, or -1 for all")
    if args.baseline is None and (args.pairs or args.level is not None):
        raise UsageError("--pairs and --level need --baseline RUN, the run to compare with")
    args.pairs, args.level = args.pairs or "stepdown", 0.95 if args.level is None else args.level
    if not 0 < args.level < 1:
        raise UsageError(f"--level {args.level:g}: expected a number between 0 and 1")
    return frame.inputs(args)


def _scores(
    args: argparse.Namespace, given: frame.Inputs, base: str | None, exact: bool
) -> tuple[Scorer | SideBySide, dict[str | None, set[str]], dict[str, Scores], int]:
    """The values of each run that can be read, what computed them, the topics of each group, and the exit status."""
    from irpref.values.progress import Bar

    scores: dict[str, Scores] = {}
    status = OK
    paths = list(given.files.values())
    bar = Bar(len(paths))
    scorer, groups = _scorer(args, given, exact, compared=base is not None)
    found = scorer.score_all(paths, args.jobs)
    for name, done in zip(given.files, found, strict=True):
        bar.step(name)
        frame.warn_again(done, len(paths) > 1)
        if done.value is not None:
            scores[name] = done.value
            continue
        assert done.error is not None
        error = frame.named(done.error, done.item)
        if len(paths) == 1 or name == base:
            raise error
        # The others are printed.
        frame.complain(error)
        status = ERROR
    bar.close()
    return scorer, groups, scores, status


def _print_grave(scores: Mapping[str, Scores]) -> None:
    """Print the grave findings of `irpref check`."""
    if any(of.grave for of in scores.values()):
        from irpref.analysis.check import lines

        several = len(scores) > 1
        said = (finding.but(run=name if several else None) for name, of in scores.items() for finding in of.grave)
        for line in lines(said):
            frame.say(f"check: {line}")


def _with_answered(table: Table, scores: Mapping[str, Scores], n_topics: int) -> Table:
    """The table with the number of topics that each run answers, if these differ."""
    answered = {name: n_topics - len(found.missing) for name, found in scores.items()}
    if len(set(answered.values())) > 1 and table.columns[0].name == "run":
        table.columns = [*table.columns, Column("answered")]
        table.rows = [[*row, answered[str(row[0])]] for row in table.rows]
        table.notes = [*table.notes, f"answered: topics with documents, of {n_topics}"]
    return table


def _baseline(args: argparse.Namespace, given: frame.Inputs) -> str | None:
    """Name of the run to compare with, which joins the runs if it is not among them."""
    if args.baseline is None:
        return None
    # You may give the name that the table shows for a run, or its path.
    path = given.files.get(args.baseline, args.baseline)
    if not os.path.exists(path) and path != "-":
        raise FileNotFoundError(f"--baseline {path}: no such file")
    if not any(_same_file(other, path) for other in given.files.values()):
        files = run_names([path, *given.files.values()])
        given.files.clear()
        given.files.update(files)
    if len(given.files) < 2:
        raise UsageError("--baseline needs another run to compare it with")
    return next(name for name, other in given.files.items() if _same_file(other, path))


def _scorer(
    args: argparse.Namespace, given: frame.Inputs, exact: bool, compared: bool
) -> tuple[Scorer | SideBySide, dict[str | None, set[str]]]:
    """What computes the values, and the topics of each group that they are averaged over."""
    qrels = given.judgments()
    topics = frame.topic_ids(qrels)
    masks = groups_of(args.groups, None, topics).items()
    groups = {name: set(compress(topics, inside.tolist())) for name, inside in masks}
    if args.topic:
        args.topic = frame.only_topics(topics, args.topic)

    how: dict[str, Any] = {
        "exact": exact,  # the lines of the command ir_measures, in the same order
        "provider": args.provider,
        "strict": args.strict,
        "alignment": Alignment(**frame.options(args, frame.RANKING)),
        "by_topic": args.by_query or compared or args.groups is not None,
        "form": frame.reading(args),
    }
    try:
        if args.preferences is None:
            return Scorer(given.measures, qrels, **how), groups
        on_preferences = [measure for measure in given.measures if frame.reads_preferences(measure)]
        if not on_preferences:
            raise UsageError("--preferences: none of the measures reads preferences, as PrefShare and PrefAP do")
        others = [measure for measure in given.measures if measure not in on_preferences]
        scorers = [Scorer(others, qrels, **how)] if others else []
        preferences = frame.read_judgments(args.preferences, frame.reading(args), preferences=True)
        return SideBySide(given.measures, [*scorers, Scorer(on_preferences, preferences, **how)]), groups
    except ValueError as error:
        text = str(error)
        if text.startswith("qrels: "):
            name = "<stdin>" if given.qrels == "-" else given.qrels
            raise ValueError(f"{name}: {text.removeprefix('qrels: ')}") from None
        raise


# Values ---------------------------------------------------------------------------------------------------------


class Value(Record):
    """A value, what it belongs to, and how it compares with the baseline."""

    run: str
    query_id: str  # SUMMARY for all topics
    measure: Measure
    value: float
    difference: float | None = None
    group: str | None = None
    p: float | None = None
    p_adjusted: float | None = None
    differs: bool = False


def _values(
    scores: Mapping[str, Scores],
    measures: Sequence[Measure],
    base: str | None,
    args: argparse.Namespace,
    groups: Mapping[str | None, set[str]],
) -> Iterator[Value]:
    by_topic = {name: found.by_topic() for name, found in scores.items()}
    group_of = {topic: group for group, topics in groups.items() for topic in topics}
    means: dict[tuple[str, str | None, Measure], float] = {}
    tested: dict[tuple[str, str | None, Measure], tuple[float, float, bool]] = {}
    for measure in measures:
        for group, topics in groups.items():
            of = {name: _only(found[measure], None if group is None else topics) for name, found in by_topic.items()}
            for name, values in of.items():
                whole = scores[name].means[measure]
                means[name, group, measure] = whole if group is None else _mean(measure, values)
            if base is not None:
                tested |= {(name, group, measure): p for name, p in _compared(of, base, args).items()}
    for name, of_run in scores.items():
        compared = base if name != base else None
        for topic, measure, value in of_run.lines if args.by_query else ():
            if not args.topic or topic in args.topic:
                of_base = by_topic[compared][measure] if compared is not None else {}
                less = value - of_base[topic] if topic in of_base else None
                yield Value(name, topic, measure, value, less, group_of.get(topic))
        for group in () if args.no_summary else groups:
            for measure in measures:
                value = means[name, group, measure]
                less = None if compared is None else value - means[compared, group, measure]
                yield Value(name, SUMMARY, measure, value, less, group, *tested.get((name, group, measure), ()))


def _only(values: dict[str, float], topics: set[str] | None) -> dict[str, float]:
    return values if topics is None else {topic: value for topic, value in values.items() if topic in topics}


def _mean(measure: Measure, values: Mapping[str, float]) -> float:
    return mean_of(measure, np.array([values[topic] for topic in sorted(values)]))


def _compared(
    values: Mapping[str, Mapping[str, float]], base: str, args: argparse.Namespace
) -> dict[str, tuple[float, float, bool]]:
    """p, adjusted p and whether the run differs, by run. The family is the runs compared by one measure."""
    from irpref.analysis.pairs import pair_tests, significant

    # The host leaves topics out of some measures (Accuracy).
    topics = sorted(set.intersection(*map(set, values.values())))
    if len(topics) < 2:
        return {}
    matrix = np.array([[of[topic] for topic in topics] for of in values.values()], dtype=np.float64)
    names = list(values)
    found = pair_tests(matrix, args.pairs, baseline=names.index(base))
    columns = found.p.tolist(), found.p_adjusted.tolist(), significant(found.p_adjusted, args.level).tolist()
    return {names[i]: of for i, of in zip(found.first.tolist(), zip(*columns, strict=True), strict=True)}


def _long(values: Iterable[Value], base: str | None, args: argparse.Namespace, with_run: bool) -> Table:
    """One row a value, as it comes."""
    number = rounded(args.places)
    columns = [Column("run")] * with_run + [Column("query_id")] * args.by_query
    columns += [Column("group")] * (args.groups is not None) + [Column("measure"), Column("value", number)]
    if base is not None:
        columns += [Column("difference", number), *(Column(name, lambda p: f"{p:.4g}") for name in ("p", "p_adjusted"))]
    names = [column.name for column in columns]
    rows = ([str(v.measure) if name == "measure" else getattr(v, name) for name in names] for v in values)
    return Table(columns, rows)


def _wide(values: Iterable[Value], measures: Sequence[Measure], args: argparse.Namespace, with_run: bool) -> Table:
    """One row a run (or topic), one column a measure; the best of the runs is marked."""
    number = rounded(args.places)
    grouped = args.groups is not None
    found: dict[tuple[str, tuple[str, str | None]], dict[Measure, Value]] = {}
    for value in values:
        found.setdefault((value.run, (value.query_id, value.group)), {})[value.measure] = value
    if not with_run and not args.by_query and not grouped:  # a list is easier to read than one long row
        ((_, of),) = found.items()
        columns = [Column("measure", left=True), Column("value", number)]
        return Table(columns, [[str(measure), of[measure].value] for measure in measures])
    best = {
        (key, measure): best_of(
            measure, [of[measure].value for (_, other), of in found.items() if other == key and measure in of], number
        )
        for key in dict.fromkeys(key for _, key in found)
        for measure in measures
        if with_run
    }
    columns = [Column("run", left=True)] * with_run + [Column("topic", left=True)] * args.by_query
    columns += [Column("group", left=True)] * grouped
    columns += [Column(str(measure), number, lower=with_run and lower_is_better(measure)) for measure in measures]
    rows: list[list[Any]] = []
    for (run, key), of in found.items():
        cells: list[Any] = [run] * with_run + [key[0]] * args.by_query + [key[1]] * grouped
        for measure in measures:
            if measure not in of:  # the host leaves topics out of some measures
                cells.append(None)
                continue
            shown = number(of[measure].value)
            cells.append(Cell(shown, best.get((key, measure)) == shown, of[measure].differs))
        rows.append(cells)
    notes = []
    if any(text is not None for text in best.values()):
        lower = [str(measure) for measure in measures if lower_is_better(measure)]
        notes.append("* best" + (f" (lower is better: {', '.join(lower)})" if lower else ""))
    return Table(columns, rows, notes=notes)


def lower_is_better(measure: Measure) -> bool:
    """Whether the best value is the lowest."""
    return not getattr(measure, "higher_is_better", True)


def best_of(measure: Measure, values: Sequence[float], number: Callable[[float], str]) -> str | None:
    """The best value as it is printed; None if no value is better than another."""
    if str(measure.NAME) in _COUNTS:
        return None
    printed = {number(value): value for value in values if value == value}
    if len(printed) < 2:
        return None
    return (min if lower_is_better(measure) else max)(printed, key=printed.__getitem__)


def _note(scores: Mapping[str, Scores], base: str | None, args: argparse.Namespace) -> list[str]:
    """What a dagger means, if there can be one."""
    if base is None or args.no_summary or args.pairs == "none":
        return []
    from irpref.analysis.pairs import described

    n_topics = None if args.groups is not None else max(map(len, scores[base].by_topic().values()))
    said = described(args.pairs, len(scores), n_topics, args.level, baseline=base)
    return [f"† differs from {base}: {said}; a value without † is not shown to differ"]


def _same_file(a: str, b: str) -> bool:
    return a == b or (a != "-" and b != "-" and os.path.exists(a) and os.path.exists(b) and os.path.samefile(a, b))
