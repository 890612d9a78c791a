"""`irpref meta`: how good are measures, on a collection of your own?

    irpref meta stability  QRELS RUNS -m AP -m RPref   reversals and ties between samples of topics
    irpref meta swap       QRELS RUNS -m AP -m RPref   difference required on other topics
    irpref meta power      QRELS RUNS -m AP -m RPref   pairs of systems told apart
    irpref meta ranking    QRELS RUNS -m AP -m RPref   how the rankings of the systems agree
    irpref meta robustness QRELS RUNS -m AP -m RPref   the ranking with fewer and fewer judgments

RUNS are files, or folders of them. In place of qrels and runs, all but the last also take values that are there
already: --values perquery.csv, as pt.Experiment writes it into its save_dir.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irpref.cli import OK, UsageError
from irpref.formats.runs import run_names

if TYPE_CHECKING:
    from irpref.meta import TopicValues

MEASURES = ("AP", "nDCG", "Bpref", "RPref", "QMeasure")


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the subcommand.

    Parameters
    ----------
    subparsers
        What `argparse.ArgumentParser.add_subparsers` returns.
    """
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "meta",
        help="stability, sensitivity and robustness of measures",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    methods = parser.add_subparsers(dest="method", metavar="METHOD", required=True)
    data = argparse.ArgumentParser(add_help=False)
    data.add_argument("qrels", metavar="QRELS", nargs="?", help="file, '-', or ir_datasets id")
    data.add_argument("runs", metavar="RUNS", nargs="*", help="files in TREC format, or folders of nothing else")
    data.add_argument(
        "-m",
        "--measure",
        metavar="NAME",
        action="append",
        dest="measures",
        help=f"repeatable (default: {', '.join(MEASURES)}; all that --values has)",
    )
    data.add_argument("--csv", metavar="FILE", type=Path, help="write the whole table there")
    data.add_argument("--plot", metavar="FILE", type=Path, help="draw a picture (.png, .pdf, .svg)")
    ready = argparse.ArgumentParser(add_help=False)
    ready.add_argument("--values", metavar="FILE", type=Path, help="values by system and topic, in place of runs")
    ready.add_argument("--top", metavar="N", type=int, help="only the N best systems by the first measure")
    drawn = argparse.ArgumentParser(add_help=False)
    drawn.add_argument("--seed", type=int, default=0, help="of the random samples (default: %(default)s)")
    sampled = argparse.ArgumentParser(add_help=False, parents=[drawn])
    sampled.add_argument(
        "--samples", metavar="B", type=int, default=1000, help="samples of topics (default: %(default)s)"
    )
    sized = argparse.ArgumentParser(add_help=False)
    sized.add_argument("--size", type=int, help="topics in a sample (default: all; half of them if disjoint)")

    methods.add_parser(
        "stability", parents=[data, ready, sampled, sized], help="minority rate and proportion of ties"
    ).add_argument("--without-replacement", action="store_true", help="draw each topic at most once a sample")
    methods.add_parser(
        "swap", parents=[data, ready, sampled, sized], help="difference required, and sensitivity"
    ).add_argument("--disjoint", action="store_true", help="disjoint samples without replacement")
    methods.add_parser(
        "power", parents=[data, ready, sampled], help="share of pairs that are significantly different"
    ).add_argument("--alpha", type=float, default=0.05, help="level of significance (default: %(default)s)")
    methods.add_parser(
        "ranking", parents=[data, ready], help="Kendall's tau of the rankings by all measures"
    ).add_argument("--tau-ap", action="store_true", help="tau_ap instead, the column being the reference")
    robust = methods.add_parser(
        "robustness", parents=[data, drawn], help="tau with all judgments, when fewer and fewer are left"
    )
    robust.add_argument(
        "--samples", metavar="B", type=int, default=5, help="samples of judgments (default: %(default)s)"
    )
    robust.add_argument("--levels", metavar="P", type=float, nargs="+", help="per cent that are left")
    robust.add_argument("--rel", type=float, default=1, help="lowest relevant grade (default: %(default)g)")
    robust.add_argument("--reference", metavar="NAME", help="compare with the ranking by this measure")
    robust.add_argument("--resume", metavar="FILE", type=Path, help="keep results there, and go on from there")
    parser.set_defaults(run=run)
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the table. Raises `ValueError` for input that cannot be evaluated; returns the exit status."""
    if getattr(args, "samples", 1) < 1:
        raise UsageError(f"--samples {args.samples}: expected a number of at least 1")
    if args.plot is not None:
        from irpref.show.meta_plots import load

        load()  # before minutes of computing, not after them
    print(_METHODS[args.method](args))
    return OK


def run_files(paths: Iterable[str | Path]) -> dict[str, str]:
    """Run files by name: the files themselves, and those in folders.

    Raises
    ------
    ValueError
        There are none.
    """
    files: list[str] = []
    places = list(map(Path, paths))
    for path in places:
        inside = sorted(path.iterdir()) if path.is_dir() else [path]
        files += [str(file) for file in inside if not file.name.startswith(".")]
    if not files and places:
        raise UsageError(f"there are no runs in {', '.join(map(str, places))}")
    if not files:
        raise UsageError("there are no runs: give QRELS and RUNS (files or folders), or --values")
    return run_names(list(dict.fromkeys(files)))


def read_runs(paths: Iterable[str | Path]) -> Iterator[tuple[str, Any]]:
    """Name and run of each file, see `run_files`; with a progress bar on a terminal."""
    from irpref import read_run
    from irpref.meta.progress import Bar

    files = run_files(paths)
    bar = Bar(len(files))
    for name, file in files.items():
        bar.step(name)
        yield name, read_run(file)
    bar.close()


def _qrels(args: argparse.Namespace) -> Any:
    from irpref.cli.scoring import read_judgments

    if args.qrels is None:
        raise UsageError("there are no judgments: give QRELS and RUNS (files or folders), or --values")
    return read_judgments(args.qrels).rows()


def _values(args: argparse.Namespace) -> list[TopicValues]:
    """Values of each measure, of the systems asked for."""
    from irpref import bind, parse_all
    from irpref.meta import TopicValues, read_values, system_ranking, topic_values

    if args.values is not None:
        table = read_values(args.values)
        names = args.measures or list(dict.fromkeys(table["measure"]))
        found = [TopicValues.from_frame(table, name) for name in names]
    else:
        qrels = _qrels(args)
        bound = bind(parse_all(args.measures or MEASURES), qrels)
        found = list(topic_values(bound, qrels, read_runs(args.runs)).values())
    if args.top is not None:
        best = system_ranking(found[0]).systems[: args.top]
        found = [values.select(best) for values in found]
    return found


def _show(args: argparse.Namespace, summary: Any, whole: Any, head: str, draw: Any = None) -> str:
    if args.csv is not None:
        whole.to_csv(args.csv, index=False)
    if args.plot is not None:
        _save(args.plot, draw)
    return f"{head}\n\n{summary.to_string(index=False, float_format=lambda v: f'{v:.4f}')}"


def _save(path: Path, draw: Any) -> None:
    ax = draw()
    ax.figure.savefig(path, dpi=150, bbox_inches="tight")
    from matplotlib import pyplot

    pyplot.close(ax.figure)


def _of(values: Sequence[TopicValues]) -> str:
    return f"{values[0].n_systems} systems, {values[0].n_topics} topics"


def _stability(args: argparse.Namespace) -> str:
    import pandas as pd

    from irpref.meta import plot_stability, stability

    values = _values(args)
    found = [
        stability(v, n_samples=args.samples, size=args.size, replace=not args.without_replacement, rng=args.seed)
        for v in values
    ]
    whole = pd.concat([one.table() for one in found])
    at = whole[(whole["fuzziness"] - 0.05).abs() < 1e-9]
    head = f"{_of(values)}, {args.samples} samples of {found[0].size} topics; fuzziness 5 %"
    return _show(args, at.drop(columns="fuzziness"), whole, head, lambda: plot_stability(found))


def _swap(args: argparse.Namespace) -> str:
    import pandas as pd

    from irpref.meta import plot_swap, swap

    values = _values(args)
    found = [swap(v, n_samples=args.samples, size=args.size, replace=not args.disjoint, rng=args.seed) for v in values]
    summary = pd.DataFrame(
        {
            "measure": [one.measure for one in found],
            "difference_required": [one.difference_required() for one in found],
            "sensitivity": [one.sensitivity() for one in found],
        }
    )
    whole = pd.concat([one.table() for one in found])
    head = f"{_of(values)}, {args.samples} pairs of samples of {found[0].size} topics; swap rate at most 5 %"
    return _show(args, summary, whole, head, lambda: plot_swap(found))


def _power(args: argparse.Namespace) -> str:
    import pandas as pd

    from irpref.meta import discriminative_power

    values = _values(args)
    found = [discriminative_power(v, alpha=args.alpha, n_samples=args.samples, rng=args.seed) for v in values]
    summary = pd.DataFrame(
        {
            "measure": [one.measure for one in found],
            "power": [one.power for one in found],
            "difference_required": [one.difference_required for one in found],
        }
    )
    whole = pd.concat([one.table() for one in found])
    head = f"{_of(values)}, bootstrap of {args.samples} samples; ASL < {args.alpha:g}"
    return _show(args, summary, whole, head, lambda: _significance(found))


def _significance(found: Sequence[Any]) -> Any:
    from irpref.meta import plot_significance
    from irpref.show.meta_plots import axes

    first = axes((4.6 * len(found), 5.0))
    figure = first.figure
    first.remove()
    for i, one in enumerate(found):
        last = plot_significance(one, figure.add_subplot(1, len(found), i + 1))
    return last


def _ranking(args: argparse.Namespace) -> str:
    from irpref.meta import agreement

    if args.plot is not None:
        raise UsageError("there is no picture of rankings: --plot goes with the other methods")
    values = _values(args)
    found = agreement({v.measure: v for v in values}, "tau_ap" if args.tau_ap else "tau")
    table = found.rename_axis("measure").reset_index()
    return _show(args, table, table, f"{_of(values)}; {'tau_ap' if args.tau_ap else 'tau'}")


def _robustness(args: argparse.Namespace) -> str:
    import pandas as pd

    from irpref import parse_all
    from irpref.meta import LEVELS, incompleteness, plot_incompleteness

    qrels = _qrels(args)
    found = incompleteness(
        parse_all(args.measures or MEASURES),
        qrels,
        read_runs(args.runs),
        levels=args.levels or LEVELS,
        n_samples=args.samples,
        rel=args.rel,
        rng=args.seed,
        output=args.resume,
    )
    whole = found.table(args.reference)
    wide = whole.pivot(index="level", columns="measure", values="tau").sort_index(ascending=False)
    wide.index = pd.Index([f"{level:g}" for level in wide.index], name="level")
    with_what = args.reference or "its own ranking"
    head = f"Kendall's tau with {with_what} by all judgments, mean of {args.samples} samples; level: % left"
    return _show(
        args,
        wide[found.measures].reset_index(),
        whole,
        head,
        lambda: plot_incompleteness(found, reference=args.reference),
    )


_METHODS = {
    "stability": _stability,
    "swap": _swap,
    "power": _power,
    "ranking": _ranking,
    "robustness": _robustness,
}
