"""`irpref curve`: the curves and tables behind the measures, one row a point.

    irpref curve crp     QRELS RUN...   relative position and its cumulation by rank
    irpref curve npref   QRELS RUN...   n-pref by number of partitions, misplaced pairs
    irpref curve pr      QRELS RUN...   precision at the 11 levels of recall
    irpref curve gain    QRELS RUN...   CG, DCG, their ideals and ratios by rank
    irpref curve summary QRELS RUN...   topics, documents retrieved, relevant, found

Means over the topics of the qrels; with --per-topic one block for each. Files are in TREC format, plain or compressed.
The columns are described at `irpref.curves`.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

FUNCTIONS = {
    "crp": "crp",
    "npref": "npref_convergence",
    "pr": "interpolated_precision",
    "gain": "cumulated_gain",
    "summary": "summary_table",
}
_HELP = {
    "crp": "Cumulated Relative Position by rank",
    "npref": "n-pref by number of partitions",
    "pr": "precision at the 11 levels of recall",
    "gain": "cumulated and discounted cumulated gain by rank",
    "summary": "topics, documents retrieved, relevant, found",
}


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the subcommand.

    Parameters
    ----------
    subparsers
        What `argparse.ArgumentParser.add_subparsers` returns.
    """
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "curve",
        help="CRP, n-pref, precision-recall and gain curves as tables",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    kinds = parser.add_subparsers(dest="kind", metavar="CURVE", required=True)
    for kind, text in _HELP.items():
        one = kinds.add_parser(kind, help=text, description=f"{text[0].upper()}{text[1:]}.")
        add_inputs(one)
        add_options(one, kind)
        one.add_argument("-q", "--per-topic", action="store_true", help="one block of rows for each topic")
        one.add_argument("--query", metavar="ID", help="only this topic (implies --per-topic)")
        one.add_argument("--format", choices=("tsv", "csv"), default="tsv", help="default: %(default)s")
    parser.set_defaults(run=run)
    return parser


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """The positional arguments: qrels, and one run or more."""
    parser.add_argument("qrels", metavar="QRELS", help="judgments in TREC format")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="run in TREC format, named after its file")


def add_options(parser: argparse.ArgumentParser, kind: str) -> None:
    """The options of a curve, see `options`."""
    if kind in ("pr", "summary", "histogram"):
        parser.add_argument(
            "--rel", metavar="GRADE", type=float, default=1, help="minimum grade counted as relevant (default: 1)"
        )
    if kind in ("crp", "pr", "gain"):
        parser.add_argument("--judged-only", action="store_true", help="drop documents without a judgment first")
    if kind in ("crp", "gain"):
        parser.add_argument("--depth", metavar="RANK", type=int, help="last rank shown (default: the longest run's)")
    if kind == "npref":
        parser.add_argument(
            "--measure", metavar="RPREF", default="RPref", help="RPref with its options, as \"RPref(norm='relative')\""
        )
        parser.add_argument(
            "--partitions",
            metavar="N,N,...",
            type=_whole_numbers,
            help="numbers of partitions (default: 2,4,8,16,32,64)",
        )
    if kind == "gain":
        parser.add_argument("--base", metavar="B", type=float, default=2, help="base of the logarithm (default: 2)")
        parser.add_argument(
            "--gains", metavar="GRADE=GAIN,...", type=_gains, help="gains of grades, such as 1=1,2=3,3=7"
        )
        parser.add_argument(
            "--ideal",
            choices=("judged", "retrieved"),
            default="judged",
            help="documents of the ideal list (default: %(default)s)",
        )


def options(args: argparse.Namespace) -> dict[str, Any]:
    """The options given, as the functions of `irpref.curves` take them."""
    names = ("rel", "judged_only", "depth", "base", "gains", "ideal", "measure")
    out = {name: getattr(args, name) for name in names if hasattr(args, name)}
    if getattr(args, "partitions", None):
        out["n"] = args.partitions
    return out


def _whole_numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of whole numbers such as 2,4,8") from None


def _gains(text: str) -> dict[float, float]:
    try:
        pairs = [part.replace(":", "=").split("=") for part in text.split(",")]
        return {float(grade): float(gain) for grade, gain in pairs}
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of gains such as 1=1,2=3,3=7") from None


def read(args: argparse.Namespace) -> tuple[Any, dict[str, Any]]:
    """The qrels, and the runs by name."""
    from irpref import read_qrels, read_run

    qrels = read_qrels(args.qrels)
    return qrels, {name: read_run(path) for name, path in named(args.runs).items()}


def named(paths: Sequence[str]) -> dict[str, str]:
    """Run files by name: that of the file without its endings, the whole path where two have the same."""
    names = [_stem(path) for path in paths]
    out: dict[str, str] = {}
    for name, path in zip(names, paths, strict=True):
        key = name if names.count(name) == 1 else path
        if key in out:
            raise ValueError(f"the run {path} is given twice")
        out[key] = path
    return out


def _stem(path: str) -> str:
    name = path.replace("\\", "/").rpartition("/")[2]
    for ending in (".gz", ".zst", ".run", ".txt", ".res", ".trec"):
        name = name.removesuffix(ending)
    return name or path


@contextmanager
def remarks(command: str) -> Iterator[None]:
    """Print our warnings as one line each, to stderr."""
    from irpref import IrprefWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", IrprefWarning)
        yield
    for text in dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, IrprefWarning)):
        print(f"{command}: {text}", file=sys.stderr)
    for other in caught:
        if not issubclass(other.category, IrprefWarning):
            warnings.warn_explicit(other.message, other.category, other.filename, other.lineno)


def run(args: argparse.Namespace) -> int:
    """Print the table; return 0, or 2 if the input cannot be evaluated (the reason goes to stderr)."""
    command = f"irpref curve {args.kind}"
    try:
        with remarks(command):
            table = _table(args)
    except (ValueError, OSError) as problem:
        print(f"{command}: {problem}", file=sys.stderr)
        return 2
    separator = "\t" if args.format == "tsv" else ","
    table.to_csv(sys.stdout, sep=separator, index=False, float_format="%.10g", lineterminator="\n")
    return 0


def _table(args: argparse.Namespace) -> Any:
    from irpref import curves

    qrels, runs = read(args)
    function = getattr(curves, FUNCTIONS[args.kind])
    if args.query is None:
        return function(qrels, runs, per_topic=args.per_topic, **options(args))
    # Of all topics, so that what is taken from the qrels as a whole (max_rel) stays the same.
    if not (qrels["query_id"] == args.query).any():
        raise ValueError(f"the qrels have no topic {args.query!r}")
    table = function(qrels, runs, per_topic=True, **options(args))
    return table[table["query_id"] == args.query]
