"""Compute measures for one run (as ir_measures prints them) or for several (as one table).
Files: TREC, .parquet, .csv, .tsv, .json, .jsonl, also .gz and .zst; '-' reads standard input.
"""

# A run that cannot be read is named on standard error, the others are printed, and the exit status
# is 1.

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress, product
from typing import Any

import numpy as np
from ir_measures.measures import Measure

from irpref.cli import shared as frame
from irpref.cli.scoring import Scorer, Scores
from irpref.cli.shared import ERROR, OK, UsageError
from irpref.data.run_names import run_names
from irpref.errors import JudgmentsError
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
    if [given.qrels, *given.files.values()].count("-") > 1:
        raise UsageError("standard input ('-') can be read once only")
    several = len(given.files) > 1
    form = frame.form_of(args, "table" if several else "tsv")
    scorer, groups, scores, status = _scores(args, given, base)
    if not scores or (base is not None and len(scores) < 2):
        return ERROR
    _print_grave(scores)
    rows = _rows(scores, given.measures, base, args, groups)
    if form in ("json", "jsonl") and args.places != PLACES:
        sys.stderr.write(
            f"--places is ignored when using --output {form}\n"
        )  # as the command ir_measures says it
    labels = ["run"] * several + ["topic"] * args.by_query + ["group"] * (args.groups is not None)
    if form in LINES:
        frame.show(args, _long(rows, labels, base, args), default="tsv", head=False)
        return status
    wide = _wide(list(rows), labels, given.measures, args)
    if several and scorer.pool is not None:
        n = scorer.pool.n_topics
        _add_answered(wide, {name: n - len(found.missing) for name, found in scores.items()}, n)
    wide.notes = [*wide.notes, *_note(scores, base, args)]
    frame.show(args, wide)
    return status


def _checked(args: argparse.Namespace) -> frame.Inputs:
    """What the arguments name. Options that depend on others are filled in or refused."""
    args.by_query |= bool(args.topic)
    args.no_summary |= bool(args.topic)
    if args.no_summary and not args.by_query:
        raise UsageError("--no-summary (-n) needs --by-query (-q)")
    if args.places < -1:
        raise UsageError(
            f"--places {args.places}: expected a number of decimal places, or -1 for all"
        )
    if args.baseline is None and (args.pairs or args.level is not None):
        raise UsageError("--pairs and --level need --baseline RUN, the run to compare with")
    args.pairs, args.level = args.pairs or "stepdown", 0.95 if args.level is None else args.level
    if not 0 < args.level < 1:
        raise UsageError(f"--level {args.level:g}: expected a number between 0 and 1")
    return frame.inputs(args)


def _scores(
    args: argparse.Namespace, given: frame.Inputs, base: str | None
) -> tuple[Scorer, dict[str | None, set[str]], dict[str, Scores], int]:
    """The values of each run that can be read, what computed them, the topics of each group, and
    the exit status.
    """
    from irpref.values.progress import Bar

    scores: dict[str, Scores] = {}
    status = OK
    paths = list(given.files.values())
    bar = Bar(len(paths))
    scorer, groups = _scorer(args, given, compared=base is not None)
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
        from irpref.values.seen import lines

        several = len(scores) > 1
        said = (
            replace(finding, run=name if several else None)
            for name, of in scores.items()
            for finding in of.grave
        )
        for line in lines(said):
            frame.say(f"check: {line}")


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
    args: argparse.Namespace, given: frame.Inputs, compared: bool
) -> tuple[Scorer, dict[str | None, set[str]]]:
    """What computes the values, and the topics of each group that they are averaged over."""
    qrels = given.judgments()
    topics = frame.topic_ids(qrels)
    groups: dict[str | None, set[str]] = {None: set(topics)}
    if args.groups is not None:
        from irpref.judged.groups import groups_of

        masks = groups_of(args.groups, None, topics).items()
        groups = {name: set(compress(topics, inside.tolist())) for name, inside in masks}
    if args.topic:
        args.topic = frame.only_topics(topics, args.topic)
    how: dict[str, Any] = frame.options(args, "provider strict") | {"form": frame.reading(args)}
    how["alignment"] = Alignment(**frame.options(args, frame.RANKING))
    how["by_topic"] = args.by_query or compared or args.groups is not None
    try:
        return Scorer(given.measures, qrels, **how), groups
    except ValueError as error:
        if isinstance(error, JudgmentsError) and error.path is None:
            error.path = "<stdin>" if given.qrels == "-" else given.qrels
        raise


# Values -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Value:
    """A value, and how it compares with the baseline's."""

    value: float
    difference: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    differs: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """Values of a run on a topic, or over all topics or those of a group."""

    run: str
    topic: str  # SUMMARY for several
    group: str | None
    values: dict[Measure, Value]


def _rows(
    scores: Mapping[str, Scores],
    measures: Sequence[Measure],
    base: str | None,
    args: argparse.Namespace,
    groups: Mapping[str | None, set[str]],
) -> Iterator[Row]:
    means: dict[tuple[str, str | None, Measure], float] = {}
    tested: dict[tuple[str, str | None, Measure], tuple[float, float, bool]] = {}
    for measure, (group, inside) in product(measures, groups.items()):
        of = {name: found.by_topic.get(measure, {}) for name, found in scores.items()}
        if group is not None:
            of = {
                name: {topic: v for topic, v in values.items() if topic in inside}
                for name, values in of.items()
            }
        for name, values in of.items():
            in_order = np.array([values[topic] for topic in sorted(values)])
            means[name, group, measure] = (
                scores[name].means[measure] if group is None else mean_of(measure, in_order)
            )
        if base is not None:
            tested |= {(name, group, measure): p for name, p in _compared(of, base, args).items()}
    group_of = {topic: group for group, inside in groups.items() for topic in inside}
    for name, found in scores.items():
        other = None if base in (None, name) else base
        topics = sorted(set().union(*found.by_topic.values()))
        for topic in (args.topic or topics) if args.by_query else ():
            row: dict[Measure, Value] = {}
            for measure in measures:
                if (value := found.by_topic[measure].get(topic)) is not None:
                    its = None if other is None else scores[other].by_topic[measure].get(topic)
                    row[measure] = Value(value, None if its is None else value - its)
            yield Row(name, topic, group_of.get(topic), row)
        for group in () if args.no_summary else groups:
            row = {}
            for measure in measures:
                value = means[name, group, measure]
                less = None if other is None else value - means[other, group, measure]
                row[measure] = Value(value, less, *tested.get((name, group, measure), ()))
            yield Row(name, SUMMARY, group, row)


def _compared(
    values: Mapping[str, Mapping[str, float]], base: str, args: argparse.Namespace
) -> dict[str, tuple[float, float, bool]]:
    """p, adjusted p and whether the run differs, by run. The family is the runs compared by one
    measure.
    """
    from irpref.lab.decide.all_pairs import pair_tests, significant

    # The host leaves topics out of some measures (Accuracy).
    topics = sorted(set.intersection(*map(set, values.values())))
    if len(topics) < 2:
        return {}
    matrix = np.array([[of[topic] for topic in topics] for of in values.values()], dtype=np.float64)
    names = list(values)
    found = pair_tests(matrix, args.pairs, baseline=names.index(base))
    columns = (
        found.p.tolist(),
        found.p_adjusted.tolist(),
        significant(found.p_adjusted, args.level).tolist(),
    )
    return {
        names[i]: of for i, of in zip(found.first.tolist(), zip(*columns, strict=True), strict=True)
    }


def _long(
    rows: Iterable[Row], labels: list[str], base: str | None, args: argparse.Namespace
) -> Table:
    """One row a value, as it comes."""
    number = rounded(args.places)
    columns = [Column("query_id" if name == "topic" else name) for name in labels]
    columns += [Column("measure"), Column("value", number)]
    facts = ["value"]
    if base is not None:
        columns += [
            Column("difference", number),
            *(Column(name, "{:.4g}".format) for name in ("p", "p_adjusted")),
        ]
        facts += ["difference", "p", "p_adjusted"]
    lines = (
        [
            *(getattr(row, name) for name in labels),
            str(measure),
            *(getattr(value, name) for name in facts),
        ]
        for row in rows
        for measure, value in row.values.items()
    )
    return Table(columns, lines)


def _wide(
    rows: list[Row], labels: list[str], measures: Sequence[Measure], args: argparse.Namespace
) -> Table:
    """One row a run (or topic), one column a measure; the best of the runs is marked."""
    number = rounded(args.places)
    if not labels:  # a list is easier to read than one long row
        columns = [Column("measure", left=True), Column("value", number)]
        return Table(
            columns, [[str(measure), of.value] for measure, of in rows[0].values.items()], notes=[]
        )
    several = "run" in labels
    lower = [
        measure
        for measure in measures
        if several and not getattr(measure, "higher_is_better", True)
    ]
    found: dict[tuple[str, str | None, Measure], list[float]] = {}
    for row in rows if several else ():
        for measure, of in row.values.items():
            found.setdefault((row.topic, row.group, measure), []).append(of.value)
    best = {key: _best(key[2], values, number) for key, values in found.items()}
    columns = [Column(name, left=True) for name in labels]
    columns += [Column(str(measure), number, lower=measure in lower) for measure in measures]
    cells: list[list[Any]] = []
    for row in rows:
        cells.append([getattr(row, name) for name in labels])
        for measure in measures:
            value = row.values.get(measure)  # the host leaves topics out of some measures
            text = None if value is None else number(value.value)
            is_best = text is not None and best.get((row.topic, row.group, measure)) == text
            cells[-1].append(Cell(text, is_best, value is not None and value.differs))
    note = "* best" + f" (lower is better: {', '.join(map(str, lower))})" * bool(lower)
    return Table(columns, cells, notes=[note] * any(text is not None for text in best.values()))


def _best(measure: Measure, values: Sequence[float], number: Callable[[float], str]) -> str | None:
    """The best value as it is printed; None if no value is better than another."""
    printed = {number(value): value for value in values if value == value}
    if str(measure.NAME) in _COUNTS or len(printed) < 2:
        return None
    return (max if getattr(measure, "higher_is_better", True) else min)(
        printed, key=printed.__getitem__
    )


def _add_answered(table: Table, answered: Mapping[str, int], n_topics: int) -> None:
    """Add the number of topics that each run answers, if these differ."""
    if len(set(answered.values())) > 1:
        table.columns = [*table.columns, Column("answered")]
        table.rows = [[*row, answered[str(row[0])]] for row in table.rows]
        table.notes = [*table.notes, f"answered: topics with documents, of {n_topics}"]


def _note(scores: Mapping[str, Scores], base: str | None, args: argparse.Namespace) -> list[str]:
    """What a dagger means, if there can be one."""
    if base is None or args.no_summary or args.pairs == "none":
        return []
    from irpref.lab.decide.all_pairs import described

    n_topics = None if args.groups is not None else max(map(len, scores[base].by_topic.values()))
    said = described(args.pairs, len(scores), n_topics, args.level, baseline=base)
    return [f"† differs from {base}: {said}; a value without † is not shown to differ"]


def _same_file(a: str, b: str) -> bool:
    return a == b or (
        a != "-" and b != "-" and os.path.exists(a) and os.path.exists(b) and os.path.samefile(a, b)
    )
