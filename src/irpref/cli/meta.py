"""Test measures on a collection of your own (meta-evaluation).

    irpref meta stability  QRELS RUN... MEASURE...   how often samples of topics reverse two systems
    irpref meta swap       QRELS RUN... MEASURE...   difference you need so that other topics agree
    irpref meta power      QRELS RUN... MEASURE...   how many pairs of systems differ significantly
    irpref meta ranking    QRELS RUN... MEASURE...   how well measures agree on the ranking of systems
    irpref meta robustness QRELS RUN... MEASURE...   how the ranking changes with fewer judgments

RUN is a file or a folder of runs. The first four also take values that you have already: --values perquery.csv, as
pt.Experiment saves them. -o tsv, csv, json and jsonl print the whole table, other formats a summary.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from irpref.cli import frame
from irpref.cli.frame import Command, Parser, UsageError
from irpref.cli.plot import check_picture, save
from irpref.show.text import LINES, of_frame, rounded

if TYPE_CHECKING:
    from irpref.meta import PairDifferences, TopicValues

# Of `irpref.meta` and `irpref.prefer`, which are not loaded for --help.
LOSSES = ("random", "pools")
HOW = ("rpp", "lexirecall", "lexiprecision")
MEASURES = ("AP", "nDCG", "Bpref", "RPref", "QMeasure")


def _arguments(method: str, parser: Parser) -> None:
    values = method != "robustness"
    parser.add_argument("qrels", metavar="QRELS", nargs="?", help="judgments: a file, '-', or an id of ir_datasets")
    parser.add_argument("arguments", metavar="RUN... MEASURE...", nargs="*", help="run files or folders, then measures")
    parser.add_argument(
        "-m",
        "--measure",
        metavar="NAME",
        action="append",
        default=[],
        help=f"a measure with the name of a file in this folder (default: {', '.join(MEASURES)}"
        + "; all of --values" * values
        + ")",
    )
    frame.add(parser, "import")
    if values:
        parser.add_argument("--values", metavar="FILE", help="values by system and topic, instead of runs")
    if values:
        parser.add_argument("--top", metavar="N", type=int, help="only the N best systems by the first measure")
    names = ("topic", "groups", *frame.READING, *frame.RANKING, *frame.WRITING)
    frame.add(parser, *names, groups="results for each group of topics")
    parser.add_argument("--plot", metavar="FILE", help="also draw a picture (.png, .pdf, .svg)")
    if method == "ranking":
        parser.add_argument("--tau-ap", action="store_true", help="tau_ap instead of tau; the column is the reference")
        return
    parser.add_argument("--seed", type=int, default=0, help="seed of the samples (default: %(default)s)")
    samples = 1000 if values else 5
    parser.add_argument(
        "--samples",
        metavar="B",
        type=int,
        default=samples,
        help=f"number of samples of {'topics' if values else 'judgments'} (default: {samples})",
    )
    if method in ("stability", "swap"):
        parser.add_argument("--size", type=int, help="topics in a sample (default: all; half of them if disjoint)")
    if method == "stability":
        parser.add_argument("--without-replacement", action="store_true", help="draw each topic at most once")
    if method == "swap":
        parser.add_argument("--disjoint", action="store_true", help="draw samples that have no topic in common")
    if method == "power":
        parser.add_argument(
            "--prefer",
            choices=HOW,
            action="append",
            default=[],
            metavar="HOW",
            help=f"also compare rankings without a measure: {', '.join(HOW)} (repeatable)",
        )
    if method == "power":
        parser.add_argument("--alpha", type=float, default=0.05, help="significance level (default: %(default)s)")
    if method == "robustness":
        _robustness_arguments(parser)


def _robustness_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--loss",
        choices=LOSSES,
        default="random",
        help="which judgments to remove: any, or those of runs left out of the pool (default: random)",
    )
    parser.add_argument("--depth", metavar="RANK", type=int, help="for --loss pools: depth of the pool (default: 10)")
    parser.add_argument(
        "--teams", metavar="FILE", help="teams of the runs (for --loss pools, --intervals); a file of lines `run team`"
    )
    parser.add_argument(
        "--levels",
        metavar="P",
        type=float,
        nargs="+",
        help="per cent of the judgments to keep (for --loss pools: of the runs)",
    )
    frame.add(parser, "rel")
    parser.add_argument("--reference", metavar="NAME", help="compare with the ranking by this measure")
    parser.add_argument("--resume", metavar="FILE", help="save results to this file, and continue from it")
    parser.add_argument(
        "--intervals",
        action="store_true",
        help="add 95%% intervals over topics and teams: own ranking, prediction of other topics, wrong calls of "
        "significance; of pools also the bias against runs that were not pooled",
    )
    parser.add_argument(
        "--needed",
        metavar="NAME",
        help="how many judgments each measure needs to predict other topics as well as this one",
    )


def run(args: argparse.Namespace) -> None:
    """Print the table. Raises `ValueError` for input that cannot be evaluated."""
    if getattr(args, "samples", 1) < 1:
        raise UsageError(f"--samples {args.samples}: expected a number of at least 1")
    if args.plot is not None:
        from irpref.show.meta_plots import load

        if args.kind == "ranking":
            raise UsageError("there is no picture of rankings: --plot goes with the other methods")
        check_picture(args.plot)
        load()  # before minutes of computing, not after them
    _METHODS[args.kind](args)


def _inputs(args: argparse.Namespace) -> frame.Inputs:
    """As `frame.inputs`; folders stand for the files in them."""
    if args.qrels is None:
        raise UsageError("there are no judgments: give QRELS and RUNS (files or folders), or --values")
    arguments = [file for text in args.arguments for file in _in_folder(text)]
    if not arguments:
        raise UsageError("there are no runs: give QRELS and RUNS (files or folders), or --values")
    return frame.inputs(argparse.Namespace(qrels=args.qrels, arguments=arguments, measure=args.measure), None, MEASURES)


def _in_folder(text: str) -> list[str]:
    if not os.path.isdir(text):
        return [text]
    files = [os.path.join(text, name) for name in sorted(os.listdir(text)) if not name.startswith(".")]
    if not files:
        raise UsageError(f"there are no runs in {text}")
    return files


def _values(args: argparse.Namespace) -> list[TopicValues]:
    """Values of each measure, of the systems and topics asked for."""
    from irpref import bind
    from irpref.meta import TopicValues, read_values, system_ranking, topic_values

    if args.values is not None:
        table = read_values(args.values)
        # What stands before the options is a measure here: there are no judgments.
        named = [*filter(None, [args.qrels]), *args.arguments, *args.measure]
        names = list(map(str, frame.named_measures(named))) or list(dict.fromkeys(table["measure"]))
        found = [TopicValues.from_frame(table, name) for name in names]
    else:
        given = _inputs(args)
        qrels = given.judgments().table()
        found = list(
            topic_values(
                bind(given.measures, qrels), qrels, frame.read_runs(given.files, args), **frame.ranking(args)
            ).values()
        )
    if args.topic:
        found = [values.select(topics=args.topic) for values in found]
    if args.top is not None:
        best = system_ranking(found[0]).systems[: args.top]
        found = [values.select(best) for values in found]
    return found


def _show(
    args: argparse.Namespace, summary: Any, whole: Any, title: str, draw: Callable[[], Any] | None = None
) -> None:
    if args.plot is not None and draw is not None:
        save(draw(), args.plot, dpi=150, bbox_inches="tight")
    if frame.form_of(args) in LINES:
        frame.show(args, of_frame(whole, str))
    else:
        frame.show(args, of_frame(summary, rounded(), title=title + "\n\n"))


def _of(args: argparse.Namespace, values: Sequence[TopicValues]) -> str:
    topics = f"{values[0].n_systems} systems, {values[0].n_topics} topics"
    return topics if args.groups is None else f"{topics} in {len(values[0].by_group(args.groups))} groups"


def _by_group(args: argparse.Namespace, values: Any, compute: Callable[[Any], Any]) -> list[tuple[str | None, Any]]:
    """What is computed of the values of each measure, by group of topics where groups are asked for."""
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


def _rows(found: Sequence[tuple[str | None, Any]], of: Callable[[Any], Any]) -> Any:
    """A table of all results, with the group of topics after the measure."""
    import pandas as pd

    tables = []
    for group, one in found:
        table = of(one)
        if group is not None:
            table.insert(1, "group", group)
        tables.append(table)
    return pd.concat(tables)


def _drawn(found: Sequence[tuple[str | None, Any]]) -> list[Any]:
    """Results as pictures take them: each group of topics is drawn as a measure."""
    return [one if group is None else replace(one, measure=f"{one.measure} ({group})") for group, one in found]


def _sizes(found: Sequence[tuple[str | None, Any]]) -> str:
    sizes = sorted({one.size for _, one in found})
    return f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"


def _stability(args: argparse.Namespace) -> None:
    from irpref.meta import stability
    from irpref.show import meta_plots as plots

    values = _values(args)
    options = {"n_samples": args.samples, "size": args.size, "rng": args.seed}
    found = _by_group(args, values, lambda of: stability(of, replace=not args.without_replacement, **options))
    whole = _rows(found, lambda one: one.table())
    at = whole[(whole["fuzziness"] - 0.05).abs() < 1e-9]
    head = f"{_of(args, values)}, {args.samples} samples of {_sizes(found)} topics; fuzziness 5 %"
    _show(args, at.drop(columns="fuzziness"), whole, head, lambda: plots.stability(_drawn(found)))


def _swap(args: argparse.Namespace) -> None:
    import pandas as pd

    from irpref.meta import swap
    from irpref.show import meta_plots as plots

    def required(one: Any) -> Any:
        return pd.DataFrame(
            {
                "measure": [one.measure],
                "difference_required": [one.difference_required()],
                "sensitivity": [one.sensitivity()],
            }
        )

    values = _values(args)
    options = {"n_samples": args.samples, "size": args.size, "rng": args.seed}
    found = _by_group(args, values, lambda of: swap(of, replace=not args.disjoint, **options))
    head = f"{_of(args, values)}, {args.samples} pairs of samples of {_sizes(found)} topics; swap rate at most 5 %"
    whole = _rows(found, lambda one: one.table())
    _show(args, _rows(found, required), whole, head, lambda: plots.swap(_drawn(found)))


def _power(args: argparse.Namespace) -> None:
    import pandas as pd

    from irpref.meta import discriminative_power
    from irpref.show import meta_plots as plots

    def required(one: Any) -> Any:
        row = {"measure": one.measure, "power": one.power, "difference_required": one.difference_required}
        return pd.DataFrame([row])

    values = _values(args)
    options = {"alpha": args.alpha, "n_samples": args.samples, "rng": args.seed}
    compared = [*values, *_compared(args, values)]
    found = _by_group(args, compared, lambda of: discriminative_power(of, **options))
    head = f"{_of(args, values)}, bootstrap of {args.samples} samples; ASL < {args.alpha:g}"
    whole = _rows(found, lambda one: one.table())
    _show(args, _rows(found, required), whole, head, lambda: _beside(found, plots.significance))


def _compared(args: argparse.Namespace, values: Sequence[TopicValues]) -> list[PairDifferences]:
    """Comparisons of the same systems and topics that are no measures: see `irpref.prefer`."""
    if not args.prefer:
        return []
    if args.values is not None:
        raise UsageError("--prefer compares rankings: give QRELS and RUNS in place of --values")
    from irpref import prefer

    given = _inputs(args)
    qrels, runs = given.judgments().table(), given.runs(args)
    of = [prefer(qrels, runs, how=how).differences for how in dict.fromkeys(args.prefer)]
    return [found.select(values[0].systems, values[0].topics) for found in of]


def _beside(found: Sequence[tuple[str | None, Any]], draw: Callable[..., Any]) -> Any:
    """Pictures of several results side by side; each group of topics is named above its own."""
    from irpref.show.meta_plots import axes

    if len(found) == 1:
        return draw(found[0][1], None)
    first = axes((4.6 * len(found), 5.0))
    figure = first.figure
    first.remove()
    for i, (group, one) in enumerate(found):
        last = draw(one, figure.add_subplot(1, len(found), i + 1))
        if group is not None:
            last.set_title(f"{group}\n{last.get_title()}".strip())
    return last


def _ranking(args: argparse.Namespace) -> None:
    from irpref.meta import agreement

    values = _values(args)
    method = "tau_ap" if args.tau_ap else "tau"
    groups: dict[str | None, dict[str, Any]] = {}
    for group, of in _by_group(args, values, lambda of: of):
        groups.setdefault(group, {})[of.measure] = of
    tables = [(group, agreement(of, method).rename_axis("measure").reset_index()) for group, of in groups.items()]
    table = _rows(tables, lambda one: one)
    _show(args, table, table, f"{_of(args, values)}; {method}")


def _robustness(args: argparse.Namespace) -> None:
    import pandas as pd

    from irpref.judged.groups import groups_of, read_groups
    from irpref.meta import LEVELS, incompleteness
    from irpref.show import meta_plots as plots

    if args.loss != "pools" and args.depth is not None:
        raise UsageError(f"--depth is for --loss pools, got --loss {args.loss}")
    if args.loss != "pools" and args.teams is not None and not (args.intervals or args.needed):
        raise UsageError(f"--teams is for --loss pools, --intervals and --needed, got --loss {args.loss}")
    given = _inputs(args)
    options: dict[str, Any] = {"loss": args.loss}
    if args.depth is not None:
        options["depth"] = args.depth
    if args.teams is not None:
        options["teams"] = read_groups(args.teams)
    if args.intervals or args.needed is not None:
        _intervals(args, given, options)
        return
    if args.groups is not None and args.resume is not None:
        raise UsageError("--resume keeps the results of one computation, and --groups makes one of each group")
    judgments = frame.of_topics(given.judgments(), args.topic, given)
    parts: dict[str | None, Any] = {None: judgments}
    runs: Any = frame.read_runs(given.files, args)
    if args.groups is not None:
        runs = dict(runs)
        # The scale is that of all judgments.
        judgments = frame.of_topics(judgments, judgments.topic_ids(), given)
        topics = judgments.topic_ids()
        parts = {
            group: judgments.only([topic for topic, here in zip(topics, inside.tolist(), strict=True) if here])
            for group, inside in groups_of(args.groups, None, topics).items()
        }
    found = [
        (
            group,
            incompleteness(
                given.measures,
                part.table(),
                runs,
                levels=args.levels or LEVELS,
                n_samples=args.samples,
                rel=args.rel,
                rng=args.seed,
                output=args.resume,
                float32=args.float32,
                **options,
            ),
        )
        for group, part in parts.items()
    ]

    def wide(one: Any) -> Any:
        table = one.table(args.reference)
        table = table.pivot(index="level", columns="measure", values="tau").sort_index(ascending=False)
        table.index = pd.Index([repr(level).removesuffix(".0") for level in table.index.tolist()], name="level")
        return table[one.measures].reset_index()

    def draw() -> Any:
        return _beside(found, lambda one, ax: plots.incompleteness(one, ax, reference=args.reference))

    with_what = args.reference or "its own ranking"
    of_level = found[0][1].of_level
    head = f"Kendall's tau with {with_what} by all judgments, mean of {args.samples} samples; level: {of_level} (%)"
    _show(args, _rows(found, wide), _rows(found, lambda one: one.table(args.reference)), head, draw)


def _intervals(args: argparse.Namespace, given: frame.Inputs, options: dict[str, Any]) -> None:
    """What `irpref.meta.robustness` finds, or the judgments needed."""
    import pandas as pd

    from irpref.meta import robustness

    for option in ("groups", "resume", "plot"):
        if getattr(args, option) is not None:
            raise UsageError(f"--{option} does not go with --intervals and --needed")
    if args.levels is not None:
        options["levels"] = args.levels
    found = robustness(
        given.measures,
        frame.of_topics(given.judgments(), args.topic, given).table(),
        frame.read_runs(given.files, args),
        n_samples=args.samples,
        rel=args.rel,
        rng=args.seed,
        **options,
    )
    if args.needed is None:
        table = found.table(args.reference)
        head = f"mean of {args.samples} samples, 95 % intervals over topics and teams"
    else:
        tables = {name: found.judgments_needed(name, args.needed) for name in found.measures if name != args.needed}
        table = pd.concat(tables, names=["measure"]).reset_index("measure")
        head = f"judgments with which a measure predicts other topics as well as {args.needed} with those it has"
    _show(args, table, table, head)


_METHODS = {
    "stability": _stability,
    "swap": _swap,
    "power": _power,
    "ranking": _ranking,
    "robustness": _robustness,
}
_HELP = {
    "stability": "how often samples of topics reverse two systems",
    "swap": "difference you need so that other topics agree",
    "power": "share of pairs that differ significantly",
    "ranking": "Kendall's tau between the rankings by all measures",
    "robustness": "how the ranking changes with fewer judgments",
}

COMMAND = Command(
    run,
    _arguments,
    description=__doc__,
    kinds=_HELP,
    kind="METHOD",
)
