"""`irpref meta`: how good are measures on a collection of your own?"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING, Any

import click

from irpref.cli import options
from irpref.cli.arguments import (
    Inputs,
    named_measures,
    one_measure_of,
    only_topics,
    read_judgments,
)
from irpref.cli.command import group
from irpref.cli.output import Output
from irpref.cli.parameter_types import COUNT, Choice
from irpref.errors import IrprefError
from irpref.messages import message_of
from irpref.observed import thresholds
from irpref.show import of_frame, rounded
from irpref_lab.commands.lab_options import some
from irpref_lab.commands.lab_types import ALPHA, PER_CENT, SEED
from irpref_lab.decide.first_lines import named_in_short
from irpref_lab.remarks import of_many_runs

if TYPE_CHECKING:
    from irpref.observed import Evidence
    from irpref_lab.meta import TopicValues

# What is found about one measure, in one group of topics (None: all topics).
Results = Sequence[tuple[str | None, Any]]
_SAME = 1e-12  # values that are called equal
MEASURES = ("AP", "nDCG", "Bpref", "RPref(norm='relative2')", "QMeasure")


# Inputs -------------------------------------------------------------------------------------------


class Words:
    """The words of a command line: judgments, runs and measures, or measures alone with --values.

    Parameters
    ----------
    takes, default : see `irpref.cli.options.inputs`
    **parameters : as `Inputs.from_options` takes them
    """

    def __init__(self, takes: str, default: tuple[str, ...], **parameters: Any) -> None:
        self.takes, self.default, self.parameters = takes, default, parameters

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics of -t."""
        return tuple(self.parameters["topic"])

    def inputs(self) -> Inputs:
        """Collect judgments, runs and measures, with the files of each folder, sorted by name."""
        arguments = [file for text in self.parameters["arguments"] for file in _in_folder(text)]
        lacking = "judgments" if self.parameters["qrels"] is None else "runs"
        if lacking == "judgments" or not arguments:
            raise click.UsageError(
                f"there are no {lacking}: give QRELS and RUNS (files or folders), or --values"
            )
        return Inputs.from_options(
            self.takes, self.default, **self.parameters | {"arguments": arguments}
        )

    def measures(self) -> list[str]:
        """Name the measures, if there are no judgments and runs."""
        parameters = self.parameters
        names = [
            *filter(None, [parameters["qrels"]]),
            *parameters["arguments"],
            *parameters["measure"],
        ]
        return list(map(str, named_measures(names)))


def _in_folder(text: str) -> list[str]:
    if not os.path.isdir(text):
        return [text]
    files = [
        os.path.join(text, name) for name in sorted(os.listdir(text)) if not name.startswith(".")
    ]
    if not files:
        raise click.UsageError(f"there are no runs in {text}")
    return files


def _reader(given: Inputs) -> Callable[[], Any]:
    """Make a function that reads the runs as often as it is called, one by one; only standard input
    is kept.
    """
    if "-" not in given.files.values():
        return given.each_run
    kept = given.runs()
    return lambda: kept


def _rests_on(measures: Sequence[Any], qrels: Any, runs: Any) -> Evidence:
    """Gather the evidence that the values of these runs rest on.

    Raises
    ------
    ValueError
        A run answers no judged topic, or none of its documents is judged.
    """
    from irpref.observed import check_present, gathered

    facts = gathered(measures, qrels, runs)
    check_present(facts.systems, len(facts.topics))
    return facts


def _notes(facts: Evidence) -> list[str]:
    highest = float(facts.pool.grade.max(initial=0))
    return [*of_many_runs(facts, facts.measures), *thresholds(facts.measures, highest)]


def _values(words: Words, file: str | None, top: int | None) -> tuple[list[TopicValues], list[str]]:
    """Compute the values of each measure, of the systems and topics asked for, and list their
    limits.
    """
    import irpref_lab
    from irpref import bind
    from irpref_lab.meta import system_ranking

    facts: Evidence | None = None
    if file is not None:
        read = irpref_lab.values(file)
        tables = {table.measure: table for table in read}
        every = [tables[read.name_of(name)] for name in words.measures() or tables]
    else:
        given = words.inputs()
        qrels = given.all_judgments()
        only_topics(qrels.topic_ids, words.topics)
        measures = bind(given.measures, qrels)
        facts = _rests_on(measures, qrels, given.each_run())
        every = facts.tables()
    if words.topics:
        every = [values.select(topics=words.topics) for values in every]
    if top is not None:
        best = system_ranking(every[0]).systems[:top]
        every = [values.select(best) for values in every]
    if facts is None:
        return every, []
    shown = [system for system in facts.systems if system.name in every[0].systems]
    return every, _notes(replace(facts, systems=shown))


# Options ------------------------------------------------------------------------------------------

_words = options.inputs("RUN... MEASURE...", measures=MEASURES, build=Words, required=False)
_seed = options.option(
    "--seed", type=SEED, default=0, show_default=True, help="seed of the samples"
)
_of_values = options.together(
    options.option(
        "--values", metavar="FILE", help="values by topic from any tool, in place of runs"
    ),
    options.option(
        "--top",
        metavar="N",
        type=COUNT,
        help="only the N best systems by the first measure",
    ),
)
_last = options.together(
    options.topics,
    options.groups_as("results for each group of topics"),
    options.reading,
    options.ranking,
    options.writing,
)


def _samples(default: int) -> options.Decorator:
    return options.option(
        "--samples",
        metavar="B",
        type=COUNT,
        default=default,
        show_default=True,
        help="number of samples",
    )


@group("meta", "METHOD")
def meta() -> None:
    """Test measures on a collection of your own (meta-evaluation).

    RUN is a file or a folder of runs. All methods except robustness also accept values that you
    already have: --values perquery.csv, as pt.Experiment saves them. -o tsv, csv, json and jsonl
    print the whole table, other formats a summary.
    """


# Tables -------------------------------------------------------------------------------------------


def _by_group(groups: str | None, values: Iterable[Any], compute: Callable[[Any], Any]) -> Results:
    """Compute results from the values of each measure, by group of topics if there are groups."""
    if groups is None:
        return [(None, compute(one)) for one in values]
    results: list[tuple[str | None, Any]] = []
    for one in values:
        for name, part in one.by_group(groups).items():
            try:
                results.append((name, compute(part)))
            except ValueError as error:
                raise IrprefError(f"group {name!r}: {message_of(error)}") from None
    return results


def _rows(results: Results, table_of: Callable[[Any], Any]) -> Any:
    """Tabulate all results, with the group of topics after the measure."""
    import pandas as pd

    tables = []
    for name, one in results:
        table = table_of(one)
        if name is not None:
            table.insert(1, "group", name)
        tables.append(table)
    return pd.concat(tables)


def _show(out: Output, summary: Any, whole: Any, title: str, notes: Sequence[str]) -> None:
    """Print the summary for readers, the whole table for programs."""
    table = of_frame(summary, rounded(), title=title + "\n\n", notes=notes)
    out.show(table, of_frame(whole, str))


def _best(summary: Any, column: str, highest: bool, called: str) -> str:
    """Say which measure is best by a column of a summary, a line for each group of topics.

    Parameters
    ----------
    summary : DataFrame
    column : str
    highest : bool
        Whether the highest value is the best.
    called : str
        The name of the value.
    """
    groups = [(None, summary)] if "group" not in summary else summary.groupby("group", sort=False)
    lines = []
    for name, rows in groups:
        known = rows[rows[column].notna()]
        if known.empty:
            continue
        best = known[column].max() if highest else known[column].min()
        names = known.loc[known[column].sub(best).abs() < _SAME, "measure"].tolist()
        has, end = ("has" if len(names) == 1 else "have"), "highest" if highest else "lowest"
        which = f"the {end} {called} ({best:.4f}) of {len(rows):,} measures"
        which = which if len(rows) > 1 else f"a {called} of {best:.4f}"
        lines.append(f"{'' if name is None else f'{name}: '}{named_in_short(names)} {has} {which}.")
    return "\n".join(lines)


def _sizes(groups: str | None, values: Sequence[TopicValues]) -> str:
    topics = f"{values[0].n_systems} systems, {values[0].n_topics} topics"
    return topics if groups is None else f"{topics} in {len(values[0].by_group(groups))} groups"


# Methods ------------------------------------------------------------------------------------------


def _resampled(
    given: Words,
    out: Output,
    method: Callable[..., Any],
    what: str,
    line: tuple[str, bool, str],
    *,
    values: str | None,
    top: int | None,
    groups: str | None,
    **settings: Any,
) -> None:
    """Run a resampling study and print its table or summary."""
    every, notes = _values(given, values, top)
    results = _by_group(groups, every, lambda one: method(one, **settings))
    summary = _rows(results, lambda one: one.summary())
    title = f"{_best(summary, *line)}\n{_sizes(groups, every)}, {what}"
    _show(out, summary, _rows(results, lambda one: one.table()), title, notes)


@meta.command("stability")
@_words
@_of_values
@_seed
@_samples(1000)
@_last
def stability(given: Words, out: Output, seed: int, samples: int, **more: Any) -> None:
    """Count how often samples of topics reverse two systems."""
    from irpref_lab.meta import stability as method

    what = f"{samples} samples of the topics; fuzziness 5 %"
    line = ("minority_rate", False, "minority rate")
    _resampled(given, out, method, what, line, n_samples=samples, rng=seed, **more)


@meta.command("swap")
@_words
@_of_values
@_seed
@_samples(1000)
@_last
def swap(given: Words, out: Output, seed: int, samples: int, **more: Any) -> None:
    """Find the difference that you need so that other topics agree."""
    from irpref_lab.meta import swap as method

    what = f"{samples} pairs of samples of the topics; swap rate at most 5 %"
    line = ("sensitivity", True, "share of pairs that differ by enough")
    _resampled(given, out, method, what, line, n_samples=samples, rng=seed, **more)


@meta.command("power")
@_words
@_of_values
@_seed
@_samples(1000)
@options.option("--alpha", type=ALPHA, default=0.05, show_default=True, help="significance level")
@_last
def power(given: Words, out: Output, seed: int, samples: int, alpha: float, **more: Any) -> None:
    """Compute the share of pairs that differ significantly."""
    from irpref_lab.meta import discriminative_power

    what = f"bootstrap of {samples} samples; ASL < {alpha:g}"
    line = ("power", True, "share of pairs that differ significantly")
    _resampled(
        *(given, out, discriminative_power, what, line),
        n_samples=samples,
        rng=seed,
        alpha=alpha,
        **more,
    )


@meta.command("ranking")
@_words
@_of_values
@_last
def ranking(
    given: Words, out: Output, values: str | None, top: int | None, groups: str | None
) -> None:
    """Compare the rankings by all measures with Kendall's tau."""
    from irpref_lab.meta import agreement

    every, notes = _values(given, values, top)
    by_group: dict[str | None, dict[str, Any]] = {}
    for name, one in _by_group(groups, every, lambda one: one):
        by_group.setdefault(name, {})[one.measure] = one
    tables = [
        (name, agreement(parts).rename_axis("measure").reset_index())
        for name, parts in by_group.items()
    ]
    table = _rows(tables, lambda one: one)
    lines = [*map(_least_alike, tables), f"{_sizes(groups, every)}; tau"]
    _show(out, table, table, "\n".join(filter(None, lines)), notes)


def _least_alike(result: tuple[str | None, Any]) -> str:
    """Say which two measures rank the systems least alike; empty if there is one measure."""
    group, table = result
    names = table["measure"].tolist()
    taus = [
        (float(table.loc[i, b]), a, b)
        for i, a in enumerate(names)
        for b in names[i + 1 :]
        if table.loc[i, b] == table.loc[i, b]
    ]
    if not taus:
        return ""
    tau, a, b = min(taus, key=lambda one: one[0])
    head = "" if group is None else f"{group}: "
    return f"{head}The rankings by {a} and {b} are least alike (tau {tau:.4f})."


@meta.command("robustness")
@_words
@_seed
@_samples(5)
@options.option(
    "--loss",
    type=Choice(["random", "pools", "documents", "flip", "judges"]),
    default="random",
    show_default=True,
    help="random: remove any judgments; pools: those of runs left out of the pool; documents: "
    "remove documents from the collection, and so from the runs; flip: change grades to a "
    "neighbouring one; judges: take the grades of other assessors",
)
@options.option(
    "--judges",
    metavar="FILE",
    multiple=True,
    help="for --loss judges: judgments of another assessor, one is drawn for each topic "
    "(repeatable)",
)
@options.option(
    "--depth", metavar="RANK", type=COUNT, help="for --loss pools: depth of the pool (default: 10)"
)
@options.option(
    "--teams",
    metavar="FILE",
    help="teams of the runs (for --loss pools, --intervals); a file of lines `run team`",
)
@options.option(
    "--levels",
    metavar="P,P,...",
    type=PER_CENT,
    help="per cent to keep (of judgments, runs, documents, grades or topics), such as 80,40",
)
@options.option("--reference", metavar="NAME", help="compare with the ranking by this measure")
@options.option("--resume", metavar="FILE", help="save results to this file, and continue from it")
@options.option(
    "--intervals",
    is_flag=True,
    help="add 95% intervals over topics and teams: own ranking, prediction of other topics, wrong "
    "calls of significance; of pools also the bias against runs that were not pooled",
)
@options.option(
    "--needed",
    metavar="NAME",
    help="how many judgments each measure needs to predict other topics as well as this one",
)
@options.rel
@_last
def robustness(
    given: Words,
    out: Output,
    seed: int,
    samples: int,
    teams: str | None,
    groups: str | None,
    reference: str | None,
    resume: str | None,
    intervals: bool,
    needed: str | None,
    judges: tuple[str, ...],
    **how: Any,
) -> None:
    """Rank systems again with missing or wrong judgments."""
    from irpref.judged import read_groups

    intervals = intervals or needed is not None
    if how["loss"] != "pools" and how["depth"] is not None:
        raise click.UsageError(f"--depth is for --loss pools, got --loss {how['loss']}")
    if how["loss"] != "pools" and teams is not None and not intervals:
        raise click.UsageError(
            f"--teams is for --loss pools, --intervals and --needed, got --loss {how['loss']}"
        )
    if how["loss"] == "judges" and not judges:
        raise click.UsageError("--loss judges: name the other assessors' files, --judges FILE")
    if how["loss"] != "judges" and judges:
        raise click.UsageError(f"--judges is for --loss judges, got --loss {how['loss']}")
    for name, value in {"groups": groups, "resume": resume}.items():
        if intervals and value is not None:
            raise click.UsageError(f"--{name} does not go with --intervals and --needed")
    inputs = given.inputs()
    if reference is not None:
        reference = str(one_measure_of(inputs.measures, "--reference", reference))
    if needed is not None:
        needed = str(one_measure_of(inputs.measures, "--needed", needed))
    settings = some(**how) | {"n_samples": samples, "rng": seed}
    if judges:
        settings["judges"] = [read_judgments(path, inputs.form) for path in judges]
    if teams is not None:
        settings["teams"] = read_groups(teams)
    if intervals:
        _show_intervals(inputs, out, reference, needed, settings)
    else:
        _show_incompleteness(inputs, out, reference, groups, settings | {"output": resume})


def _show_incompleteness(
    given: Inputs,
    out: Output,
    reference: str | None,
    groups: str | None,
    settings: dict[str, Any],
) -> None:
    """Print the results of `irpref_lab.meta.incompleteness`, for all topics or each group."""
    from irpref import bind
    from irpref.judged import groups_of
    from irpref_lab.meta import incompleteness

    qrels, read = given.judgments(), _reader(given)
    facts = _rests_on(given.measures, qrels, read())
    parts: dict[str | None, Any] = {None: qrels}
    runs: Any = read()
    if groups is not None:
        runs, topics = dict(runs), qrels.topic_ids
        given.measures[:] = bind(given.measures, qrels)  # the scale is that of all judgments
        parts = {
            name: qrels.only(compress(topics, inside.tolist()))
            for name, inside in groups_of(groups, None, topics).items()
        }
    results = [
        (name, incompleteness(given.measures, part, runs, **settings))
        for name, part in parts.items()
    ]

    def wide(one: Any) -> Any:
        table = one.table(reference)
        table = table.pivot(index="level", columns="measure", values="tau").sort_index(
            ascending=False
        )
        table.index = table.index.map(lambda level: repr(float(level)).removesuffix(".0"))
        return table[one.measures].reset_index()

    head = (
        f"Kendall's tau with {reference or 'its own ranking'} by all judgments, mean of "
        f"{settings['n_samples']} samples; level: {results[0][1].of_level} (%)"
    )
    whole = _rows(results, lambda one: one.table(reference))
    lowest = whole[whole["level"] == whole["level"].min()]
    called = f"tau with its full ranking at {lowest['level'].iloc[0]:g} %"
    line = _best(lowest, "tau", True, called)
    _show(out, _rows(results, wide), whole, f"{line}\n{head}", _notes(facts))


def _show_intervals(
    given: Inputs,
    out: Output,
    reference: str | None,
    needed: str | None,
    settings: dict[str, Any],
) -> None:
    """Print the results of `irpref_lab.meta.robustness`, or the judgments needed."""
    import pandas as pd

    from irpref_lab.meta import robustness as compute

    qrels, read = given.judgments(), _reader(given)
    facts = _rests_on(given.measures, qrels, read())
    result = compute(given.measures, qrels, read(), **settings)
    if needed is None:
        table = result.table(reference)
        over = "topics and teams" if next(iter(result.outcomes.values())).teams.size else "topics"
        less = f"; outcomes less those of {reference}" if reference else ""
        head = f"mean of {settings['n_samples']} samples, 95 % intervals over {over}{less}"
        fewest = table[
            (table["outcome"] == "prediction") & (table["level"] == table["level"].min())
        ]
        called = f"tau with other topics at {fewest['level'].iloc[0]:g} % of the judgments"
        head = "\n".join(filter(None, [_best(fewest, "estimate", True, called), head]))
    else:
        tables = {
            name: result.judgments_needed(name, needed)
            for name in result.measures
            if name != needed
        }
        table = pd.concat(tables, names=["measure"]).reset_index("measure")
        head = (
            f"judgments that a measure needs to predict other topics as well as {needed} does at "
            "each level"
        )
        head = f"{_enough(table, needed)}\n{head}"
    counts = ("judgments", *(() if needed is None else ("needed", "low", "high")))
    shown = table.copy()
    for name in counts:
        whole = [x if math.isinf(x) else round(x) for x in table[name].tolist()]
        shown[name] = pd.Series(whole, table.index, dtype=object)
    shown["level"] = [int(x) if x == int(x) else x for x in table["level"].tolist()]
    _show(out, shown, table, head, _notes(facts))


def _enough(table: Any, reference: str) -> str:
    """Say how many judgments each measure needs in place of all judgments of the reference."""
    lines = []
    for row in table[table["level"] == table["level"].max()].to_dict("records"):
        needs = f"about {row['needed']:,.0f} judgments"
        if row["needed"] == 0:
            needs = "fewer judgments than the lowest level has"
        elif math.isinf(row["needed"]):
            needs = "more judgments than there are"
        lines.append(
            f"{row['measure']} needs {needs} to predict other topics as well as {reference} with "
            f"{row['judgments']:,.0f}."
        )
    return "\n".join(lines)
