"""Test measures on a collection of your own (meta-evaluation).

    irpref meta stability  QRELS RUN... MEASURE...   how often samples of topics reverse two systems
    irpref meta swap       QRELS RUN... MEASURE...   difference you need so that other topics agree
    irpref meta power      QRELS RUN... MEASURE...   how many pairs of systems differ significantly
    irpref meta ranking    QRELS RUN... MEASURE...   how well measures agree on the ranking of systems
    irpref meta robustness QRELS RUN... MEASURE...   how the ranking changes with fewer judgments

RUN is a file or a folder of runs. The first four also take values that you have already: --values
perquery.csv, as pt.Experiment saves them. -o tsv, csv, json and jsonl print the whole table, other
formats a summary."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any

from irpref.cli import shared as frame
from irpref.cli.shared import RANKING, UsageError, options
from irpref.show.text import of_frame, rounded

if TYPE_CHECKING:
    from irpref.lab.meta import TopicValues

# What is found about one measure, in one group of topics (None: all topics).
Found = Sequence[tuple[str | None, Any]]


def run(args: argparse.Namespace) -> None:
    """Print the table. Raises `ValueError` for input that cannot be evaluated."""
    {"ranking": _ranking, "robustness": _robustness}.get(args.kind, _resampled)(args)


# Inputs -------------------------------------------------------------------------------------------


def _inputs(args: argparse.Namespace) -> frame.Inputs:
    """`frame.inputs` with the files of each folder, sorted by name."""
    if args.qrels is None:
        raise UsageError(
            "there are no judgments: give QRELS and RUNS (files or folders), or --values"
        )
    arguments = [file for text in args.arguments for file in _in_folder(text)]
    if not arguments:
        raise UsageError("there are no runs: give QRELS and RUNS (files or folders), or --values")
    return frame.inputs(argparse.Namespace(**vars(args) | {"arguments": arguments}))


def _in_folder(text: str) -> list[str]:
    if not os.path.isdir(text):
        return [text]
    files = [
        os.path.join(text, name) for name in sorted(os.listdir(text)) if not name.startswith(".")
    ]
    if not files:
        raise UsageError(f"there are no runs in {text}")
    return files


def _values(args: argparse.Namespace) -> list[TopicValues]:
    """Values of each measure, of the systems and topics asked for."""
    from irpref import bind
    from irpref.lab.meta import TopicValues, read_values, system_ranking, topic_values

    if args.values is not None:
        table = read_values(args.values)
        # Without judgments, what is named before the options are measures.
        named = [*filter(None, [args.qrels]), *args.arguments, *args.measure]
        names = list(map(str, frame.named_measures(named))) or list(dict.fromkeys(table["measure"]))
        found = [TopicValues.from_frame(table, name) for name in names]
    else:
        given = _inputs(args)
        qrels, runs = given.judgments(), frame.read_runs(given.files, args)
        found = list(
            topic_values(
                bind(given.measures, qrels), qrels, runs, **options(args, RANKING)
            ).values()
        )
    if args.topic:
        found = [values.select(topics=args.topic) for values in found]
    if args.top is not None:
        best = system_ranking(found[0]).systems[: args.top]
        found = [values.select(best) for values in found]
    return found


# Tables -------------------------------------------------------------------------------------------


def _by_group(
    args: argparse.Namespace, values: Iterable[Any], compute: Callable[[Any], Any]
) -> Found:
    """What is computed of the values of each measure, by group of topics if --groups is given."""
    if args.groups is None:
        return [(None, compute(of)) for of in values]
    found: list[tuple[str | None, Any]] = []
    for of in values:
        for group, part in of.by_group(args.groups).items():
            try:
                found.append((group, compute(part)))
            except ValueError as error:
                raise ValueError(f"group {group!r}: {error}") from None
    return found


def _rows(found: Found, of: Callable[[Any], Any]) -> Any:
    """A table of all results, with the group of topics after the measure."""
    import pandas as pd

    tables = []
    for group, one in found:
        table = of(one)
        if group is not None:
            table.insert(1, "group", group)
        tables.append(table)
    return pd.concat(tables)


def _show(args: argparse.Namespace, summary: Any, whole: Any, title: str) -> None:
    frame.show(args, of_frame(summary, rounded(), title=title + "\n\n"), of_frame(whole, str))


def _of(args: argparse.Namespace, values: Sequence[TopicValues]) -> str:
    topics = f"{values[0].n_systems} systems, {values[0].n_topics} topics"
    return (
        topics
        if args.groups is None
        else f"{topics} in {len(values[0].by_group(args.groups))} groups"
    )


# Methods ------------------------------------------------------------------------------------------


def _resampled(args: argparse.Namespace) -> None:
    """`stability`, `swap` and `power`: results with a `table` and a `summary`."""
    from irpref.lab import meta

    methods: dict[str, tuple[Callable[..., Any], str]] = {
        "stability": (meta.stability, "{samples} samples of the topics; fuzziness 5 %"),
        "swap": (meta.swap, "{samples} pairs of samples of the topics; swap rate at most 5 %"),
        "power": (meta.discriminative_power, "bootstrap of {samples} samples; ASL < {alpha:g}"),
    }
    method, what = methods[args.kind]
    values = _values(args)
    settings = {"n_samples": args.samples, "rng": args.seed, **options(args, "alpha")}
    found = _by_group(args, values, lambda of: method(of, **settings))
    title = f"{_of(args, values)}, {what.format(**vars(args))}"
    _show(args, _rows(found, lambda of: of.summary()), _rows(found, lambda of: of.table()), title)


def _ranking(args: argparse.Namespace) -> None:
    from irpref.lab.meta import agreement

    values = _values(args)
    groups: dict[str | None, dict[str, Any]] = {}
    for group, of in _by_group(args, values, lambda of: of):
        groups.setdefault(group, {})[of.measure] = of
    tables = [
        (group, agreement(of).rename_axis("measure").reset_index()) for group, of in groups.items()
    ]
    table = _rows(tables, lambda one: one)
    _show(args, table, table, f"{_of(args, values)}; tau")


def _robustness(args: argparse.Namespace) -> None:
    intervals = args.intervals or args.needed is not None
    if args.loss != "pools" and args.depth is not None:
        raise UsageError(f"--depth is for --loss pools, got --loss {args.loss}")
    if args.loss != "pools" and args.teams is not None and not intervals:
        raise UsageError(
            f"--teams is for --loss pools, --intervals and --needed, got --loss {args.loss}"
        )
    for other in ("groups", "resume") if intervals else ():
        if getattr(args, other) is not None:
            raise UsageError(f"--{other} does not go with --intervals and --needed")
    from irpref.judged.groups import read_groups

    given = _inputs(args)
    settings = {
        "n_samples": args.samples,
        "rng": args.seed,
        **options(args, f"loss depth levels rel {RANKING}"),
    }
    if args.teams is not None:
        settings["teams"] = read_groups(args.teams)
    (_intervals if intervals else _incompleteness)(args, given, settings)


def _incompleteness(
    args: argparse.Namespace, given: frame.Inputs, settings: dict[str, Any]
) -> None:
    """What `irpref.lab.meta.incompleteness` finds, for all topics or each group."""
    from irpref import bind
    from irpref.judged.groups import groups_of
    from irpref.lab.meta import incompleteness

    qrels = given.of_topics()
    parts: dict[str | None, Any] = {None: qrels}
    runs: Any = frame.read_runs(given.files, args)
    if args.groups is not None:
        runs, topics = dict(runs), frame.topic_ids(qrels)
        given.measures[:] = bind(given.measures, qrels)  # the scale is that of all judgments
        parts = {
            group: frame.only(qrels, compress(topics, inside.tolist()))
            for group, inside in groups_of(args.groups, None, topics).items()
        }
    found = [
        (group, incompleteness(given.measures, part, runs, output=args.resume, **settings))
        for group, part in parts.items()
    ]

    def wide(one: Any) -> Any:
        table = one.table(args.reference)
        table = table.pivot(index="level", columns="measure", values="tau").sort_index(
            ascending=False
        )
        table.index = table.index.map(lambda level: repr(float(level)).removesuffix(".0"))
        return table[one.measures].reset_index()

    with_what = args.reference or "its own ranking"
    of_level = found[0][1].of_level
    head = f"Kendall's tau with {with_what} by all judgments, mean of {args.samples} samples; level: {of_level} (%)"
    _show(args, _rows(found, wide), _rows(found, lambda one: one.table(args.reference)), head)


def _intervals(args: argparse.Namespace, given: frame.Inputs, settings: dict[str, Any]) -> None:
    """What `irpref.lab.meta.robustness` finds, or the judgments needed."""
    import pandas as pd

    from irpref.lab.meta import robustness

    found = robustness(
        given.measures, given.of_topics(), frame.read_runs(given.files, args), **settings
    )
    if args.needed is None:
        table = found.table(args.reference)
        over = "topics and teams" if next(iter(found.found.values())).teams.size else "topics"
        less = f"; outcomes less those of {args.reference}" if args.reference else ""
        head = f"mean of {args.samples} samples, 95 % intervals over {over}{less}"
    else:
        tables = {
            name: found.judgments_needed(name, args.needed)
            for name in found.measures
            if name != args.needed
        }
        table = pd.concat(tables, names=["measure"]).reset_index("measure")
        head = f"judgments with which a measure predicts other topics as well as {args.needed} with those it has"
    _show(args, table, table, head)
