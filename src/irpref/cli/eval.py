"""`irpref eval QRELS RUN... MEASURE...`: values of measures of any toolkit, side by side.

One run and no options print what `ir_measures QRELS RUN MEASURE...` prints. Several runs become one table, with the
best value of each measure marked; with --baseline, differences from that run are tested.

QRELS is a file in TREC format (4 or 3 fields a line, plain, .gz or .zst), '-' for standard input, or the id of a
data set of ir_datasets. Of the arguments after it, files and '-' are runs, all others measures.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from irpref.cli import OK, UsageError
from irpref.cli.output import DEFAULT_PLACES, LINES, SUMMARY, TABLES, Layout, Value, header, line, table
from irpref.cli.scoring import CORRECTIONS, TESTS, Scorer, Scores, compare, read_judgments
from irpref.formats.runs import run_names

EPILOG = """\
examples:
  irpref eval qrels.txt run.txt AP nDCG@10 'RPref(max_rel=3)' QMeasure@10
  irpref eval qrels.txt run.txt map ndcg_cut_10 -q -o jsonl
  irpref eval qrels.txt runs/*.gz Bpref RPref -o latex --baseline runs/bm25.gz --test randomisation
  irpref eval beir/scifact/test run.txt nDCG@10
  zcat run.gz | irpref eval qrels.txt - --known seen.txt Coverage Novelty

exit status: 0 done, 1 the input cannot be evaluated, 2 the command line cannot be understood, 130 interrupted,
141 the reader of the output went away
"""
LONG_BYTES = 64 << 20  # runs of this size are worth a word about progress


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the subcommand.

    Parameters
    ----------
    subparsers
        What `argparse.ArgumentParser.add_subparsers` returns.
    """
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "eval",
        usage="irpref eval [options] QRELS RUN... MEASURE...",
        help="evaluate runs with measures of any toolkit",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("qrels", metavar="QRELS", help="file, '-', or ir_datasets id")
    parser.add_argument("arguments", metavar="RUN... MEASURE...", nargs="+", help="files or '-', then measures")
    parser.add_argument(
        "-m", "--measure", metavar="NAME", action="append", default=[], help="a measure that looks like a file here"
    )
    shown = parser.add_argument_group("output")
    shown.add_argument("-q", "--by_query", "--by-query", action="store_true", help="values of each topic, too")
    shown.add_argument(
        "-n", "--no_summary", "--no-summary", action="store_true", help="with -q: only the values of each topic"
    )
    shown.add_argument(
        "-o",
        "--output",
        "--output_format",
        dest="output",
        choices=(*LINES, *TABLES),
        help="one line a value (tsv, jsonl, csv), or one row a run (default: tsv for one run, else table)",
    )
    shown.add_argument(
        "-p", "--places", type=int, default=DEFAULT_PLACES, help="decimal places; -1: all (default: %(default)s)"
    )
    input_ = parser.add_argument_group("input")
    input_.add_argument("--provider", metavar="NAME", help="provider of ir_measures that computes everything")
    input_.add_argument("--known", metavar="FILE", help="documents the user knew, for Coverage and Novelty")
    input_.add_argument("--strict", action="store_true", help="a document twice in one topic of a run is an error")
    tests = parser.add_argument_group("comparison")
    tests.add_argument("--baseline", metavar="RUN", help="test the difference of every other run from this one")
    tests.add_argument("--test", choices=TESTS, help="paired test, two-sided (default: t)")
    tests.add_argument(
        "--correction",
        choices=CORRECTIONS,
        help="for several runs, by measure: bonferroni and holm bound the family-wise error, bh the false discovery "
        "rate (default: holm)",
    )
    tests.add_argument("--alpha", type=float, help="p below which a value gets a dagger (default: 0.05)")
    parser.set_defaults(run=run)
    return parser


def run(args: argparse.Namespace) -> int:
    """Evaluate and print; returns the exit status.

    Raises
    ------
    UsageError, ValueError, OSError
        Shown by `irpref.cli.main`.
    """
    if args.no_summary and not args.by_query:
        raise UsageError("--no_summary (-n) is only supported with --by_query (-q)")
    if args.places < -1:
        raise UsageError(f"--places {args.places}: expected a number of decimal places, or -1 for all")
    if args.baseline is None and (args.test or args.correction or args.alpha is not None):
        raise UsageError("--test, --correction and --alpha need --baseline RUN, the run to compare with")
    args.test, args.correction = args.test or TESTS[0], args.correction or "holm"
    args.alpha = 0.05 if args.alpha is None else args.alpha
    if not 0 < args.alpha < 1:
        raise UsageError(f"--alpha {args.alpha:g}: expected a number between 0 and 1")
    paths, names = sort_arguments(args.qrels, args.arguments)
    measures = named_measures([*names, *args.measure])
    if not measures:
        raise UsageError("no measure given, such as AP, nDCG@10 or RPref (irpref list shows them)")
    _check_provider(args.provider)
    baseline: Any = args.baseline
    if baseline is not None:
        # The name that the table shows for a run will do.
        baseline = run_names(list(dict.fromkeys(paths))).get(baseline, baseline)
        if not os.path.exists(baseline) and baseline != "-":
            raise FileNotFoundError(f"--baseline {baseline}: no such file")
        if not any(_same_file(path, baseline) for path in paths):
            paths.insert(0, baseline)
        if len(set(paths)) < 2:
            raise UsageError("--baseline needs another run to compare it with")
    if [args.qrels, *paths].count("-") > 1:
        raise UsageError("standard input ('-') can be read once only")
    runs = run_names(list(dict.fromkeys(paths)))
    form = args.output or ("tsv" if len(runs) == 1 else "table")
    layout = Layout(form, args.places, len(runs) > 1, args.by_query, baseline is not None, args.alpha)

    single = len(runs) == 1 and form in LINES
    judgments = read_judgments(args.qrels, args.known)
    try:
        scorer = Scorer(
            measures,
            judgments,
            # Line by line as the host's command: also in the order of its lines.
            exact=single and args.by_query,
            provider=args.provider,
            strict=args.strict,
            by_topic=args.by_query or layout.compared,
        )
    except ValueError as error:
        text = str(error)
        if "'known'" in text and args.known is None:
            raise UsageError(f"{text.partition(' (found')[0]}: give --known FILE") from None
        if text.startswith("qrels: "):
            name = "<stdin>" if args.qrels == "-" else args.qrels
            raise ValueError(f"{name}: {text.removeprefix('qrels: ')}") from None
        raise
    del judgments  # as they were read: what is needed of them is in the scorer
    scores: dict[str, Scores] = {}
    with _progress(list(runs.values())) as report:
        for name, path in runs.items():
            with _about(path, len(runs)):
                scores[name] = scorer.score(path, report)
    base = next((n for n, path in runs.items() if layout.compared and _same_file(path, baseline)), None)
    values = _values(scores, measures, base, args)
    if form in LINES:
        header(layout)
        for value in values:
            line(value, layout)
    else:
        if base is not None and not args.no_summary:
            layout.notes.append(_note(base, args, len(runs) - 1))
        sys.stdout.write(table(values, measures, layout))
    return OK


def _values(
    scores: Mapping[str, Scores], measures: Sequence[Any], base: str | None, args: argparse.Namespace
) -> Iterator[Value]:
    tested = compare(scores, base, measures, args.test, args.correction) if base is not None else {}
    for name, found in scores.items():
        compared = base is not None and name != base
        if args.by_query:
            for topic, measure, value in found.lines:
                of_base = scores[base].by_topic.get(measure, {}) if base is not None and compared else {}
                less = value - of_base[topic] if topic in of_base else None
                yield Value(name, topic, measure, value, less)
        if args.no_summary:
            continue
        for measure in measures:
            value = found.means[measure]
            less = value - scores[base].means[measure] if base is not None and compared else None
            yield Value(name, SUMMARY, measure, value, less, tested.get((name, measure)))


def _note(base: str, args: argparse.Namespace, n: int) -> str:
    name = {"t": "paired t-test", "wilcoxon": "Wilcoxon's signed-rank test", "randomisation": "randomisation test"}
    correction = {"bonferroni": "Bonferroni", "holm": "Holm", "bh": "Benjamini-Hochberg"}.get(args.correction)
    after = f" after {correction} over {n} runs" if correction and n > 1 else ""
    return f"† differs from {base}: {name[args.test]}, p < {args.alpha:g}{after}"


# Arguments ------------------------------------------------------------------------------------------------------


def sort_arguments(qrels: str, arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Runs and names of measures among the arguments after the qrels.

    Raises
    ------
    UsageError
        An argument could be both or is neither; there is no run.
    """
    runs: list[str] = []
    names: list[str] = []
    for i, text in enumerate(arguments):
        if text == "-":
            runs.append(text)
        elif os.path.exists(text) and not os.path.isdir(text):
            # As for the host's command, what follows the qrels is a run.
            if i > 0 and _is_measure(text):
                raise UsageError(f"{text!r} is both a file and a measure: write ./{text} or -m {text}")
            runs.append(text)
        elif _is_measure(text):
            names.append(text)
        elif _looks_like_a_path(text) or (i == 0 and not _has_runs(arguments)):
            reason = "is a directory" if os.path.isdir(text) else "no such file"
            raise FileNotFoundError(f"{text}: {reason}")
        else:
            try:
                named_measures([text])
            except UsageError as error:
                raise UsageError(f"{text!r} is neither a file nor a measure: {error}") from None
    if not runs:
        raise UsageError(f"no run given: {names[0]!r} is a measure, expected a run file after the qrels")
    return runs, names


def _has_runs(arguments: Iterable[str]) -> bool:
    return any(text == "-" or os.path.isfile(text) for text in arguments)


def _looks_like_a_path(text: str) -> bool:
    return os.sep in text or text.endswith((".gz", ".zst", ".txt", ".run", ".trec", ".res")) or os.path.isdir(text)


def _is_measure(text: str) -> bool:
    try:
        return bool(_parsed(text))
    except ValueError:
        return False


@cache
def _parsed(text: str) -> list[Any]:
    from irpref.measures.names import parse_all

    return parse_all(text)


def named_measures(names: Iterable[str]) -> list[Any]:
    """The measures, each once. Raises `UsageError`."""
    from irpref.measures.declare import KernelMeasure
    from irpref.measures.support import check_parameters

    try:
        measures = list(dict.fromkeys(measure for name in names for measure in _parsed(name)))
        for measure in measures:
            if not isinstance(measure, KernelMeasure):
                check_parameters(measure)
            measure.validate_params()
    except (ValueError, AssertionError) as error:
        raise UsageError(str(error)) from None
    return measures


def _check_provider(name: str | None) -> None:
    from ir_measures import providers

    if name is not None and name not in providers.registry:
        raise UsageError(f"unknown provider {name!r}; expected one of {', '.join(providers.registry)}")


def _same_file(a: str, b: str) -> bool:
    return a == b or (a != "-" and b != "-" and os.path.exists(a) and os.path.exists(b) and os.path.samefile(a, b))


# On the way -----------------------------------------------------------------------------------------------------


@contextmanager
def _about(path: str, n_runs: int) -> Iterator[None]:
    """Say which run an error, and which of several a warning is about."""
    try:
        with warnings.catch_warnings(record=n_runs > 1) as caught:
            yield
    except ValueError as error:
        name = "<stdin>" if path == "-" else path
        if str(error).startswith(name):
            raise
        raise ValueError(f"{name}: {error}") from None
    for warning in caught or ():
        warnings.warn_explicit(f"{path}: {warning.message}", warning.category, warning.filename, warning.lineno)


@contextmanager
def _progress(paths: Sequence[str]) -> Iterator[Any]:
    """A line on standard error while long files are read, if that is a terminal."""
    size = sum(os.path.getsize(path) for path in paths if os.path.isfile(path))
    if not sys.stderr.isatty() or (size < LONG_BYTES and "-" not in paths):
        yield None
        return

    def report(rows: int) -> None:
        sys.stderr.write(f"\r{rows / 1e6:.1f} million rows\033[K")
        sys.stderr.flush()

    try:
        yield report
    finally:
        sys.stderr.write("\r\033[K")


__all__ = ["add_parser", "named_measures", "run", "sort_arguments"]
