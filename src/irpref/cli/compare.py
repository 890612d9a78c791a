"""`irpref compare`: two runs topic by topic.

Prints the difference of each topic as a bar, wins and losses, paired tests, and how much each run retrieved and
found. The first measure is the one drawn; without --measure it is R-precision.
"""

from __future__ import annotations

import argparse
import math
from typing import Any

from irpref.cli import OK, UsageError
from irpref.cli.curve import read, two
from irpref.formats.runs import run_names

_HALF = 20  # characters of the longest bar


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the subcommand.

    Parameters
    ----------
    subparsers
        What `argparse.ArgumentParser.add_subparsers` returns.
    """
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "compare",
        help="two runs topic by topic, with paired tests",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("qrels", metavar="QRELS", help="judgments in TREC format, '-', or ir_datasets id")
    parser.add_argument("runs", metavar="RUN", nargs=2, help="two runs in TREC format: A and B")
    parser.add_argument(
        "-m", "--measure", metavar="NAME", action="append", dest="measures", help="repeatable (default: Rprec)"
    )
    parser.add_argument(
        "--rel",
        metavar="GRADE",
        type=float,
        default=1,
        help="minimum grade counted as relevant, in R-precision and in the counts (default: 1)",
    )
    parser.add_argument(
        "--topics", metavar="N", type=int, default=50, help="bars shown, from both ends (default: %(default)s)"
    )
    parser.set_defaults(run=run)
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the comparison. Raises `ValueError` for input that cannot be evaluated; returns the exit status."""
    print("\n".join(_report(args)))
    return OK


def _report(args: argparse.Namespace) -> list[str]:
    from irpref import bind, curves, parse_all

    if args.topics < 0:
        raise UsageError(f"--topics {args.topics}: expected a number of at least 0")

    qrels, runs = read(args)
    base = two(runs)
    files = run_names(args.runs)
    by_topic: Any
    if args.measures:
        measures = bind(parse_all(args.measures), qrels)
        by_topic = curves.paired_differences(qrels, runs, base, measures[0], per_topic=True)
        counted = [curves.paired_differences(qrels, runs, base, measure) for measure in measures]
    else:
        by_topic = curves.precision_histogram(qrels, runs, base, rel=args.rel)
        counted = [curves.precision_histogram(qrels, runs, base, rel=args.rel, per_topic=False)]
    summary = curves.summary_table(qrels, runs, rel=args.rel)

    width = max(len(name) for name in files)
    lines = [f"{letter}  {name.ljust(width)}  {path}" for letter, (name, path) in zip("AB", files.items(), strict=True)]
    lines += ["", *_bars(by_topic, args.topics), ""]
    lines += _outcome(counted)
    lines += ["", *_summary(summary, args.rel)]
    return [line.rstrip() for line in lines]


def _bars(table: Any, shown: int) -> list[str]:
    """A line for each topic, by falling difference: losses reach left, wins right."""
    table = table.sort_values("difference", ascending=False, kind="stable")
    rows = list(zip(table["query_id"], table["value"], table["baseline"], table["difference"], strict=True))
    most = max((abs(row[3]) for row in rows), default=0.0) or 1.0
    width = max(5, *(len(row[0]) for row in rows))
    lower = "" if table.attrs["higher_is_better"] else " (lower is better)"
    measure = _name(table.attrs["measure"])
    lines = [
        f"{measure} by topic{lower}, sorted by A - B; the longest bar is {most:.4f}",
        f"{'topic'.ljust(width)}  {'A':>9}  {'B':>9}  {'A - B':>9}",
    ]
    head = rows if len(rows) <= shown else rows[: (shown + 1) // 2]
    tail = [] if len(rows) <= shown else rows[len(rows) - shown // 2 :]
    lines += [_bar(row, most, width) for row in head]
    if len(rows) > len(head) + len(tail):
        lines.append(f"{'...'.ljust(width)}  {len(rows) - len(head) - len(tail)} topics between these")
    return lines + [_bar(row, most, width) for row in tail]


def _bar(row: tuple[str, float, float, float], most: float, width: int) -> str:
    topic, a, b, difference = row
    # A difference is never drawn as none.
    length = math.ceil(abs(difference) / most * _HALF - 1e-9)
    left, right = ("-" * length, "") if difference < 0 else ("", "+" * length)
    return f"{topic.ljust(width)}  {a:9.4f}  {b:9.4f}  {difference:+9.4f}  {left.rjust(_HALF)}|{right}"


def _name(measure: str) -> str:
    return "R-precision" + measure.removeprefix("Rprec") if measure.startswith("Rprec") else measure


def _outcome(tables: list[Any]) -> list[str]:
    """Means, wins and losses, and p-values: one line a measure."""
    head = ("measure", "A", "B", "A - B", "A better", "B better", "equal", "p (t)", "p (random.)", "p (sign)")
    body = []
    for table in tables:
        row = table.iloc[0]
        lower = "" if table.attrs["higher_is_better"] else " (lower is better)"
        body.append(
            (
                _name(table.attrs["measure"]) + lower,
                *(f"{row[key]:.4f}" for key in ("value", "baseline")),
                f"{row['difference']:+.4f}",
                *(str(row[key]) for key in ("wins", "losses", "ties")),
                *(_p(row[key]) for key in ("p_t", "p_randomised", "p_sign")),
            )
        )
    return [
        f"Means over {tables[0].attrs['n_topics']} topics; paired tests, two-sided",
        *_columns([head, *body]),
    ]


def _p(value: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:.4f}" if value >= 0.0001 else "<0.0001"


def _summary(table: Any, rel: float) -> list[str]:
    head = ("run", "topics", "retrieved", "relevant", "found")
    rows = [
        (letter, *(str(row[key]) for key in ("num_q", "num_ret", "num_rel", "num_rel_ret")))
        for letter, (_, row) in zip("AB", table.iterrows(), strict=True)
    ]
    return [f"Documents of these topics; relevant: grade {rel:g} or above", *_columns([head, *rows])]


def _columns(rows: list[tuple[str, ...]]) -> list[str]:
    """Rows as lines, the first column flush left and the others flush right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(
            text.ljust(w) if i == 0 else text.rjust(w) for i, (text, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
