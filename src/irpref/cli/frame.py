"""What all commands share: how one is declared, its arguments and options, reading of runs, writing of tables.

    irpref COMMAND QRELS RUN... MEASURE... [options]

    -t, --topic     a topic
    -o, --output    a text format: table, tsv, csv, json, jsonl, latex, markdown
    -f, --file      a file to write, in place of standard output
    -m, --measure   a measure whose name is that of a file, too

A command is a module with a `COMMAND`; its name is listed in `irpref_command.commands`.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, TextIO, TypeAlias

from irpref.arrays.record import Record
from irpref.cli.imported import imported
from irpref.formats import tables
from irpref.formats.columns import Reading
from irpref.formats.columns import reading as made_reading
from irpref.formats.runs import RUN_ENDINGS, is_folder, run_names
from irpref.messages import IrprefWarning, visible, warn_user
from irpref.show.text import ENDINGS, FORMS, LINES, Table, coloured, page_of, write

if TYPE_CHECKING:
    from ir_measures.measures import Measure

    from irpref.judged.order import Alignment
    from irpref.judged.stream import Done

PICTURES = (".png", ".pdf", ".svg", ".jpg", ".jpeg")
OTHERS = (".xlsx", ".xls", ".ods", ".parquet", ".html", ".htm", ".gz", ".zst", ".zip", ".bz2", ".xz")
LONGEST = 1000  # characters of a message; what failed downloads have to say fills pages
PAIRS = ("stepdown", "holm", "tukey", "randomised_tukey", "none")  # of irpref.analysis.pairs, not imported for --help
OK, ERROR, USAGE, INTERRUPTED, CLOSED = 0, 1, 2, 130, 141


class UsageError(ValueError):
    """The command line cannot be understood."""


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line, as all of ours."""

    def first_group(self, title: str) -> Any:
        """The group that `-h` is in, under another title."""
        self._optionals.title = title
        return self._optionals

    def error(self, message: str) -> NoReturn:
        message = re.sub(r"invalid (int|float) value: (.+)", _expected, message)
        if message.startswith("the following arguments are required"):
            kinds = next((a.choices for a in self._actions if a.required and a.choices and not a.option_strings), None)
            if kinds:
                message += f": one of {', '.join(kinds)}"
            elif self.usage:
                message += f", as in {self.usage % {'prog': self.prog}}"
        elif named := re.match(r"argument -o.*: invalid choice: '(.+\.\w+)'", message):
            message = f"-o {named[1]}: -o is a format of text; a file is written with -f {named[1]}"
        raise UsageError(f"{message} (see {self.prog} --help)")

    def _print_message(self, message: str, file: Any = None) -> None:
        (file or sys.stderr).write(message)  # argparse keeps to itself that a disk is full

    def options(self) -> list[str]:
        """All options of this parser and of those below it."""
        found = [option for a in self._actions for option in a.option_strings]
        below = [a.choices.values() for a in self._actions if isinstance(a, argparse._SubParsersAction)]
        return found + [option for parsers in below for parser in parsers for option in parser.options()]

    def _get_option_tuples(self, option_string: str) -> list[Any]:
        # `--by` is short for `--by_query` and `--by-query`, which are one option.
        found = super()._get_option_tuples(option_string)
        # Options of the command ir_measures keep the short forms that they have there (`--pr` for `--provider`).
        found = [match for match in found if match[0].dest != "preferences"] or found
        return list({id(match[0]): match for match in reversed(found)}.values())


def _expected(found: re.Match[str]) -> str:
    return f"{found[2]}: expected a {'whole ' if found[1] == 'int' else ''}number"


class Help(argparse.RawDescriptionHelpFormatter):
    """Help that shows an option once, in its short and its long spelling, with one name of its value."""

    def __init__(self, prog: str, **more: Any) -> None:
        super().__init__(prog, max_help_position=25, **more)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings:
            return super()._format_action_invocation(action)
        short = [text for text in action.option_strings if not text.startswith("--")]
        long = [text for text in action.option_strings if text.startswith("--")]
        # Of `--by_query` and `--by-query`, the one that looks like the other options.
        spelled = [*short[:1], *sorted(long, key=lambda text: "_" in text)[:1]]
        value = "" if action.nargs == 0 else " " + self._format_args(action, action.dest.upper())
        return ", ".join(spelled) + value


class Command(Record):
    """A command; `irpref_command.commands` has its name and its line of help.

    Attributes
    ----------
    run : callable
        Takes the parsed arguments and prints; what it returns is the exit status, None being 0.
    arguments : callable
        Adds arguments to a parser; if there are kinds, it takes (kind, parser).
    description : str
    epilog : str, optional
    kinds : dict of str to str
        Name and line of help of each kind (`irpref curve crp`). If there are any, one has to be chosen.
    kind : str
        What these are called.
    """

    run: Callable[[argparse.Namespace], int | None]
    arguments: Callable[..., None]
    description: str = ""
    epilog: str | None = None
    kinds: Mapping[str, str] = {}
    kind: str = "KIND"

    def add_to(self, subparsers: Any, name: str, help: str) -> None:
        """A parser of this command among `subparsers`."""

        def add(to: Any, name: str, help: str, description: str = "", **more: Any) -> Any:
            whole = description or f"{help[0].upper()}{help[1:]}."
            return to.add_parser(name, help=help, description=whole, formatter_class=Help, **more)

        parser = add(subparsers, name, help, self.description, epilog=self.epilog)
        if not self.kinds:
            self.arguments(parser)
            parser.set_defaults(run=self.run)
            return
        kinds = parser.add_subparsers(dest="kind", metavar=self.kind, required=True)
        for kind, text in self.kinds.items():
            below = add(kinds, kind, text)
            self.arguments(kind, below)
            below.set_defaults(run=self.run)


# Arguments ------------------------------------------------------------------------------------------------------


def _form(text: str) -> str:
    if text in tables.FORMS:
        return text
    if text in FORMS:
        raise argparse.ArgumentTypeError(f"{text!r} is no form of runs; the format of the text is -o {text}")
    raise argparse.ArgumentTypeError(f"invalid choice: {text!r} (choose from {', '.join(tables.FORMS)})")


def _pairs(text: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(name.strip() and there.strip() for name, _, there in pairs):
        raise argparse.ArgumentTypeError(f"{text!r}: expected NAME=VALUE, several separated by commas")
    return {name.strip(): there.strip() for name, _, there in pairs}


def _columns(text: str) -> dict[str, str]:
    found = _pairs(text)
    try:
        return dict(made_reading(columns=found).columns)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _labels(text: str) -> str | dict[str, float]:
    try:
        if "=" not in text:
            made_reading(labels=text)
            return text
        return {label: float(grade) for label, grade in _pairs(text).items()}
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _jobs(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number of at least 1")
    return int(text)


def _existing(path: str) -> str:
    if not os.path.isfile(path):
        raise FileNotFoundError(f"--groups {path}: no such file")
    return path


# Flags and settings, as `add_argument` takes them.
Option: TypeAlias = tuple[tuple[str, ...], dict[str, Any]]


def option(*flags: str, **settings: Any) -> Option:
    """An option to be added by `add`."""
    return flags, settings


def _several(*flags: str, **settings: Any) -> Option:
    return option(*flags, action="append", **settings | {"help": f"{settings['help']} (repeatable)"})


# The options that commands share, as `add_argument` takes them.
_FORMATS = ", ".join(FORMS)
OPTIONS = {
    "topic": _several("-t", "--topic", metavar="ID", help="only this topic"),
    "groups": option("--groups", metavar="FILE", type=_existing, help="means over groups of topics"),
    "known": option("--known", metavar="FILE", help="documents that the user knew (Coverage, Novelty)"),
    "judge": _several("--judge", metavar="FILE", help="fill holes with an LLM judge's grades"),
    "rel": option("--rel", metavar="GRADE", type=float, default=1, help="lowest relevant grade (default: 1)"),
    "level": option("--level", type=float, default=0.95, help="confidence level (default: %(default)s)"),
    "pairs": option(
        "--pairs",
        metavar="TEST",
        choices=PAIRS,
        default=PAIRS[0],
        help=f"test: {', '.join(PAIRS)} (default: {PAIRS[0]})",
    ),
    "measure": _several("-m", "--measure", metavar="NAME", default=[], help="a measure with the name of a file here"),
    "import": _several(
        "--import",
        dest="imported",
        metavar="MODULE",
        type=imported,
        help="load measures of your own: mine.py",
    ),
    "format": option("--format", type=_form, metavar="FORM", help=f"format of the runs: {', '.join(tables.FORMS)}"),
    "columns": option(
        "--columns",
        type=_columns,
        metavar="OURS=YOURS",
        help="names of your columns: relevance=rating,doc_id=chunk",
    ),
    "labels": option(
        "--labels",
        type=_labels,
        metavar="LABELS",
        help="if grades are words: good=1,bad=0, 'S A B C', 'L0 L1 L2' or 'nr pr fr hr'",
    ),
    "jobs": option("-j", "--jobs", type=_jobs, metavar="N", help="runs to read at a time (default: one per core)"),
    "float32": option("--float32", action="store_true", help="round scores to 32 bits, as pytrec_eval does"),
    "ties": option(
        "--ties",
        choices=("id", "input"),
        default="id",
        help="rank ties by id, descending (default), or file order",
    ),
    # The command ir_measures calls it --output_format.
    "output": option(
        *("-o", "--output", "--output_format"),
        dest="output",
        metavar="FORMAT",
        choices=FORMS,
        help=f"{_FORMATS} (default: table)",
    ),
    "file": option(
        "-f",
        "--file",
        metavar="FILE",
        help="write to FILE; -o follows from its ending, as .tex",
    ),
}
READING = ("format", "columns", "labels", "jobs")  # how files are read
RANKING = ("float32", "ties")  # how documents are ranked
WRITING = ("output", "file")


def add(to: Any, *names: str, among: Mapping[str, Option] = OPTIONS, **settings: Any) -> None:
    """Add options to a parser or group; settings are by option, a text being its help."""
    for name in names:
        flags, usual = among[name]
        own = settings.get(name, {})
        to.add_argument(*flags, **usual | ({"help": own} if isinstance(own, str) else own))


def add_inputs(parser: Parser, what: str = "RUN... MEASURE...", end: str = "", to: Any = None) -> None:
    """QRELS and `what` follows it, which `inputs` gives back; the usage ends in `end`; all go `to` a group."""
    parser.usage = f"%(prog)s [options] QRELS {what}{end}"
    to = parser if to is None else to
    to.add_argument("qrels", metavar="QRELS", help="judgments: a file, '-', or an id of ir_datasets")
    add_runs(to, what)


def add_runs(to: Any, what: str = "RUN... MEASURE...") -> None:
    """What comes after the judgments."""
    measures = "MEASURE" in what
    help = "run files or '-'" + ", then measures such as nDCG@10" * measures
    to.add_argument("arguments", metavar=what, nargs="*" if what.startswith("[") else "+", help=help)
    if measures:
        add(to, "measure", "import")


def ranking(args: argparse.Namespace) -> dict[str, Any]:
    """`float32` and `ties` of a command, as functions take them."""
    return {name: getattr(args, name) for name in RANKING}


def alignment(args: argparse.Namespace) -> Alignment:
    """The same as one object."""
    from irpref.judged.order import Alignment

    return Alignment(**ranking(args))


def reading(args: argparse.Namespace | None) -> Reading | None:
    """How files are read, as the options say; None if they say nothing."""
    said = [getattr(args, name, None) for name in READING[:-1]]
    return made_reading(*said) if any(said) else None


@contextmanager
def asking_for_known(args: argparse.Namespace) -> Iterator[None]:
    """If a measure lacks the column `known`, the error names the option that adds it."""
    try:
        yield
    except ValueError as error:
        if "'known'" in str(error) and args.known is None:
            raise UsageError(f"{str(error).partition(' (found')[0]}: give --known FILE") from None
        raise


def complain(error: Exception | str) -> None:
    """An error as one line."""
    if isinstance(error, OSError) and error.strerror:
        error = f"{os.fspath(error.filename)}: {error.strerror}" if error.filename is not None else error.strerror
    elif isinstance(error, KeyError) and error.args:  # whose text is quoted
        error = str(error.args[0])
    line = visible(" ".join(str(error).split())) or type(error).__name__
    if len(line) > LONGEST:
        line = line[:LONGEST] + " ..."
    sys.stderr.write(f"{head(31)} {line}\n")


def head(colour: int) -> str:
    """What a line on standard error begins with."""
    return f"\x1b[{colour}mirpref:\x1b[0m" if coloured(sys.stderr) else "irpref:"


def say(text: str) -> None:
    """One line on standard error."""
    sys.stderr.write(f"irpref: {visible(text)}\n")


class Inputs(Record):
    """Judgments, run files by name, measures and judges of a command line."""

    qrels: str
    files: dict[str, str]
    measures: list[Measure]
    judge: list[str] | None = None
    reading: Reading | None = None

    def judgments(self, known: str | None = None) -> Any:
        """The judgments, see `irpref.cli.scoring.read_judgments`, filled if --judge is given."""
        from irpref.cli.scoring import Judgments, read_judgments, reads_preferences

        found = read_judgments(self.qrels, known, any(map(reads_preferences, self.measures)), self.reading)
        if not self.judge:
            return found
        from irpref import fill

        filled = fill(found.table(), [read_judgments(path, form=self.reading).table() for path in self.judge])
        say(filled.text)
        return Judgments(filled)

    def runs(self, args: argparse.Namespace) -> dict[str, Any]:
        """The runs by name, read as the options say; see `read_runs`."""
        return dict(read_runs(self.files, args))

    def read(self, args: argparse.Namespace) -> tuple[Any, dict[str, Any]]:
        """Judgments of the topics asked for, and runs; what `irpref check` finds grave goes to standard error."""
        from irpref.analysis.check import check, grave

        judgments, runs = of_topics(self.judgments(), args.topic, self), self.runs(args)
        for line in grave(check(judgments.table(), runs, self.measures)):
            say(f"check: {line}")
        return judgments, runs


def inputs(
    args: argparse.Namespace, n_runs: int | None = None, default: Sequence[str] | None = None, runs: bool = True
) -> Inputs:
    """What the arguments name.

    Parameters
    ----------
    args : Namespace
        Of a parser with `add_inputs`.
    n_runs : int, optional
        How many runs there must be; at least one if not given.
    default : sequence of str, optional
        Measures if none is named. If not given, one must be.
    runs : bool
        Whether there must be a run.

    Raises
    ------
    UsageError
        An argument is neither a run nor a measure; too few or many runs; no measure; standard input is named twice.
    """
    if not args.qrels.strip():
        raise UsageError("an argument is empty, expected a file of judgments")
    allowed = hasattr(args, "measure")
    if allowed and args.qrels != "-" and not os.path.exists(args.qrels) and _is_measure(args.qrels):
        raise UsageError(f"{args.qrels!r} is a measure; the order is QRELS RUN... MEASURE...")
    _no_blanks([args.qrels, *args.arguments])
    paths, names = sort_arguments(args.arguments, allowed, runs)
    if [args.qrels, *paths].count("-") > 1:
        raise UsageError("standard input ('-') can be read once only")
    if n_runs is not None:
        if len(set(paths)) < len(paths):
            twice = next(path for path in paths if paths.count(path) > 1)
            raise UsageError(f"{twice} is given twice, expected different runs")
        if len(paths) != n_runs:
            wanted = "one run" if n_runs == 1 else f"{'two' if n_runs == 2 else n_runs} runs"
            raise UsageError(f"expected {wanted} after the qrels, got {len(paths)}: {', '.join(paths)}")
    names += args.measure if allowed else []
    if allowed and default is None and not names:
        raise UsageError(_no_measure(args.qrels, reading(args)))
    files = run_names(list(dict.fromkeys(paths)))
    judge = getattr(args, "judge", None)
    return Inputs(args.qrels, files, named_measures(names or default or ()), judge, reading(args))


def _no_measure(qrels: str, form: Reading | None) -> str:
    """What to say if no measure is named: three that suit the judgments, if these can be read again."""
    from irpref import check

    names = ["AP", "nDCG@10", "RPref"]
    if os.path.isfile(qrels):
        with suppress(ValueError, OSError):
            names = [row["measure"] for row in check(qrels, form=form).attrs["measures"]]
    return (
        f"no measure given: {names[0]}, {names[1]} or {names[2]} would suit these judgments (irpref check {qrels} says "
        "why, irpref list shows all)"
    )


def _no_blanks(words: Sequence[str]) -> None:
    """Raise `UsageError` if words are the parts of one file name, which the shell has split at its spaces."""
    for i, word in enumerate(words):
        if not os.path.exists(word):
            for j in range(i + 2, min(i + 6, len(words)) + 1):
                if os.path.isfile(name := " ".join(words[i:j])):
                    raise UsageError(f"put quotes around the name of a file with spaces: '{name}'")


def sort_arguments(arguments: Sequence[str], measures: bool = True, runs: bool = True) -> tuple[list[str], list[str]]:
    """Runs and names of measures among the arguments after the qrels.

    Raises
    ------
    UsageError
        An argument could be both or is neither; there is no run; a measure that the command does not take.
    """
    found: list[str] = []
    names: list[str] = []
    for i, text in enumerate(arguments):
        if text == "-":
            found.append(text)
        elif not text.strip():
            raise UsageError("an argument is empty, expected a file or a measure")
        elif os.path.exists(text) and (not os.path.isdir(text) or is_folder(text)):
            # As for the host's command, what follows the qrels is a run.
            if i > 0 and measures and not _looks_like_a_path(text) and _is_measure(text):
                raise UsageError(f"{text!r} is both a file and a measure: write ./{text} or -m {text}")
            found.append(text)
        elif measures and _is_measure(text):
            names.append(text)
        elif not measures or _looks_like_a_path(text) or (runs and i == 0 and not _has_runs(arguments)):
            reason = "no such file"
            if os.path.isdir(text):
                reason = f"a folder without .parquet files; name the files in it: {os.path.join(text, '*')}"
            elif not measures and _is_measure(text):
                reason += ", and this command takes no measures"
            raise FileNotFoundError(f"{text}: {reason}")
        else:
            raise UsageError(_neither(text))
    if runs and not found:
        raise UsageError(f"no run given: {names[0]!r} is a measure, expected a run file after the qrels")
    return found, names


def _neither(text: str) -> str:
    """What to say of an argument that is no file and no measure."""
    try:
        _parsed(text)
        said = ""
    except ValueError as error:
        said = str(error)
    if "(" in text or "@" in text:
        return said  # it was meant for a measure
    for known in (f"unknown measure {text!r}", f"{text!r} is not written like a measure"):
        if said.startswith(known):
            return f"{text!r} is neither a file nor a measure{said.removeprefix(known)}"
    return f"{text!r} is neither a file nor a measure: {said}"


def _has_runs(arguments: Iterable[str]) -> bool:
    return any(text == "-" or os.path.isfile(text) or is_folder(text) for text in arguments)


def _looks_like_a_path(text: str) -> bool:
    return os.sep in text or text.endswith(RUN_ENDINGS) or os.path.isdir(text)


def is_no_input(text: str) -> bool:
    """Whether an argument is neither a file nor a measure."""
    return not os.path.exists(text) and not _is_measure(text)


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
    from irpref.measures.support import check_limits, check_parameters

    try:
        measures = list(dict.fromkeys(measure for name in names for measure in _parsed(name)))
        for measure in measures:
            if isinstance(measure, KernelMeasure):
                measure.validate_params()
            else:
                check_parameters(measure)
                check_limits(measure)
    except ValueError as error:
        raise UsageError(str(error)) from None
    return measures


# Reading --------------------------------------------------------------------------------------------------------


def read_runs(files: Mapping[str, str], args: argparse.Namespace | None = None) -> Iterator[tuple[str, Any]]:
    """Name and run of each file, in their order, several read at a time; a bar on a terminal, a word about empty ones.

    Parameters
    ----------
    files : mapping of name to path
    args : Namespace, optional
        Of a parser with the options `READING`.

    Raises
    ------
    ValueError, OSError
        From the first run that cannot be read, with its name.
    """
    from irpref import read_run
    from irpref.judged.stream import each, n_jobs
    from irpref.values.progress import Bar

    form = reading(args)
    jobs = min(getattr(args, "jobs", None) or n_jobs(), max(len(files), 1))
    bar = Bar(len(files))
    for name, done in zip(files, each(lambda path: read_run(path, form), files.values(), jobs), strict=True):
        bar.step(name)
        warn_again(done, len(files) > 1)
        if done.error is not None:
            bar.close()
            raise _not_so(named(done.error, done.item), getattr(args, "format", None))
        run: Any = done.value
        if run.empty:
            warn_user(f"{name}: the run is empty: all topics have the value of an empty ranking", IrprefWarning)
        yield name, run
    bar.close()


def warn_again(done: Done[str, Any], several: bool) -> None:
    """The warnings that were held back while a run was looked at, with its path if there are several."""
    for message, category, once in done.warnings:
        warn_user(message, category, (done.item, once), str(done.item) if several else None)


def named(error: Exception, path: str) -> Exception:
    """An error of a run that says which one it is about."""
    name = "<stdin>" if path == "-" else path
    if not isinstance(error, ValueError) or str(error).startswith(name):
        return error
    return ValueError(f"{name}: {error}")


def _not_so(error: Exception, form: str | None) -> Exception:
    """An error of reading, with a hint if --format was perhaps meant to be about the output."""
    if form not in FORMS or not isinstance(error, ValueError):
        return error
    return ValueError(f"{error} (--format {form} is how runs are read; the format of the text is -o {form})")


def only_topics(found: Iterable[str], wanted: Sequence[str]) -> list[str]:
    """The topics asked for; `ValueError` for one that the qrels do not have."""
    known = dict.fromkeys(found)
    for topic in wanted:
        if topic not in known:
            raise ValueError(f"the qrels have no topic {topic!r} (they begin {', '.join(list(known)[:3])})")
    return list(dict.fromkeys(wanted))


def of_topics(judgments: Any, wanted: Sequence[str] | None, given: Inputs | None = None) -> Any:
    """The judgments, or those of the topics that -t names; the measures `given` keep the scale of all judgments."""
    if not wanted:
        return judgments
    topics = only_topics(judgments.topic_ids(), wanted)
    if given is not None:
        from irpref import bind

        given.measures[:] = bind(given.measures, judgments.table())
    return judgments.only(topics)


# Writing --------------------------------------------------------------------------------------------------------


def form_of(args: argparse.Namespace, default: str = "table") -> str:
    """The text format: that of -o, of the name of the file, or the command's own."""
    ending = os.path.splitext(args.file or "")[1].lower()
    if ending in PICTURES:
        raise UsageError(f"-f {args.file}: this command writes text; irpref plot draws pictures")
    if args.output:
        return str(args.output)
    if ending in OTHERS:
        raise UsageError(f"-f {args.file}: tables are not written as {ending}, but as {', '.join(ENDINGS)}")
    return ENDINGS.get(ending, default)


@contextmanager
def opened(args: argparse.Namespace) -> Iterator[TextIO]:
    """Standard output, or the file of -f."""
    if args.file is None:
        yield sys.stdout
        return
    from irpref.formats.replace import replaced

    with replaced(args.file) as beside, open(beside, "w", encoding="utf-8", newline="") as out:
        yield out


def show(
    args: argparse.Namespace,
    tables: Table | Sequence[Table],
    default: str = "table",
    head: bool = True,
    widest: int | None = None,
) -> None:
    """Write a table, or several, as -o and -f say."""
    form = form_of(args, default)
    with opened(args) as out:
        page = page_of(out, widest)
        for i, table in enumerate([tables] if isinstance(tables, Table) else tables):
            if i and form not in LINES:
                out.write("\n")
            write(table, form, out, page, head)
