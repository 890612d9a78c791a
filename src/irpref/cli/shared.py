"""What all commands share: how one is declared, its arguments and options, reading of runs, writing
of tables.

    irpref COMMAND QRELS RUN... MEASURE... [options]

    -t, --topic     a topic
    -o, --output    a text format: table, tsv, csv, json, jsonl, latex, markdown
    -f, --file      a file to write, in place of standard output
    -m, --measure   a measure whose name is that of a file, too

A command is a module of this package with a function `run`, whose docstring is the description in
the help. A file `.toml` of the same name declares its arguments (`options.toml` says how), and
`irpref_command/help.txt` lists it."""

from __future__ import annotations

import argparse
import os
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from ir_measures import providers

from irpref.cli.remedies import text_of
from irpref.data import tables
from irpref.data.columns import Reading
from irpref.data.columns import reading as made_reading
from irpref.data.run_names import RUN_ENDINGS, is_folder, run_names
from irpref.errors import (
    EmptyJudgmentsError,
    InputError,
    IrprefError,
    IrprefWarning,
    MeasureError,
)
from irpref.judged.inputs import as_frame, as_table, group, opened
from irpref.measures.declare import KernelMeasure
from irpref.measures.names import parse_all
from irpref.measures.support import check_limits, check_parameters
from irpref.messages import give, visible, warn_user
from irpref.show.text import ENDINGS, FORMS, LINES, Table, coloured, page_of, write

if TYPE_CHECKING:
    from ir_measures.measures import Measure

    from irpref.judged.stream import Done

NO_TEXT = (
    *(".png", ".pdf", ".svg", ".jpg", ".jpeg", ".html", ".htm"),
    *(".xlsx", ".xls", ".ods", ".parquet", ".gz", ".zst", ".zip", ".bz2", ".xz"),
)
RANKING = "float32 ties"  # how documents are ranked
LONGEST = 1000  # characters of a message; those of failed downloads fill pages
OK, ERROR, USAGE, INTERRUPTED, CLOSED = 0, 1, 2, 130, 141


class UsageError(ValueError):
    """The command line cannot be understood."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        if message.startswith("the following arguments are required") and self.usage:
            message += f", as in {self.usage % {'prog': self.prog}}"
        raise UsageError(f"{message} (see {self.prog} --help)")

    def _print_message(self, message: str, file: Any = None) -> None:
        (file or sys.stderr).write(message)  # argparse hides that a disk is full

    def options(self) -> list[str]:
        """All options of this parser and of those below it."""
        found = [option for a in self._actions for option in a.option_strings]
        below = [
            a.choices.values() for a in self._actions if isinstance(a, argparse._SubParsersAction)
        ]
        return found + [
            option for parsers in below for parser in parsers for option in parser.options()
        ]


class _Merged(argparse.Action):
    """Adds to what the option said before."""

    def __call__(self, _: Any, args: argparse.Namespace, values: Any, __: Any = None) -> None:
        setattr(args, self.dest, {**(getattr(args, self.dest) or {}), **values})


# Arguments ----------------------------------------------------------------------------------------


def _pairs(text: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(name.strip() and there.strip() for name, _, there in pairs):
        raise ValueError(f"{text!r}: expected NAME=VALUE, several separated by commas")
    return {name.strip(): there.strip() for name, _, there in pairs}


def _labels(text: str) -> Any:
    found = {label: float(grade) for label, grade in _pairs(text).items()} if "=" in text else text
    return made_reading(labels=found).labels


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ValueError
    return int(text)


def _gains(text: str) -> dict[float, float]:
    pairs = [part.replace(":", "=").split("=") for part in text.split(",")]
    return {float(grade): float(gain) for grade, gain in pairs}


def _size(text: str) -> tuple[float, float]:
    width, height = (float(part) for part in text.lower().split("x"))
    if not (0 < width < 100 and 0 < height < 100):
        raise ValueError
    return width, height


def _worded(convert: Callable[[str], Any], what: str | None = None) -> Callable[[str], Any]:
    """A type of arguments: its error says what is expected, or what the `ValueError` says, which
    argparse hides.
    """

    def converted(text: str) -> Any:
        try:
            return convert(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(
                f"{text!r}: expected {what}" if what else text_of(error)
            ) from None

    return converted


def _module(name: str) -> str:
    from irpref.cli.imported import imported

    return imported(name)


# What the files of options mean by the names of types and choices.
_TYPES: dict[str, Callable[[str], Any]] = {
    "integer": int,
    "number": float,
    "count": _worded(_count, "a number of at least 1"),
    "integers": _worded(
        lambda text: list(map(int, text.split(","))), "whole numbers such as 2,4,8"
    ),
    "numbers": _worded(lambda text: list(map(float, text.split(","))), "grades such as 0,1,2"),
    "gains": _worded(_gains, "gains such as 1=1,2=3,3=7"),
    "size": _worded(_size, "a size in inches such as 4.4x3.2"),
    "columns": _worded(lambda text: made_reading(columns=_pairs(text)).columns),
    "labels": _worded(_labels),
    "module": _worded(_module),
}
_CHOICES = {
    "formats": FORMS,
    "forms": tables.FORMS,
    "providers": tuple(providers.registry),
    "tests": ("stepdown", "holm", "tukey", "randomised_tukey", "none"),
}


def declared(name: str) -> dict[str, Any]:
    """What the file of options says that is beside a command's module; `options.toml` describes it."""
    with open(os.path.splitext(name)[0] + ".toml", "rb") as file:
        return tomllib.load(file)


def add_command(below: Any, name: str, module: str) -> None:
    """Add the parser of a command, and those of its kinds, as its module and its file of options
    say.
    """
    code = import_module(module)
    command, shared = declared(code.__file__), declared(__file__.replace("shared", "options"))
    style = partial(argparse.RawDescriptionHelpFormatter, max_help_position=27)
    parser = below.add_parser(
        name, description=code.__doc__, epilog=command.get("epilog"), formatter_class=style
    )
    parser.set_defaults(run=code.run)
    if "kind" not in command:
        _fill(parser, shared, command, {})
        return
    kinds = parser.add_subparsers(dest="kind", metavar=command["metavar"], required=True)
    for name, kind in command["kind"].items():
        whole = f"{kind['help'][0].upper()}{kind['help'][1:]}."
        _fill(
            kinds.add_parser(name, help=kind["help"], description=whole, formatter_class=style),
            shared,
            command,
            kind,
        )


def _fill(
    parser: Parser, shared: dict[str, Any], command: dict[str, Any], kind: dict[str, Any]
) -> None:
    both, places = command | kind, [shared["option"], command.get("own", {}), kind.get("own", {})]
    parser.set_defaults(declared=both)
    if takes := both.get("takes"):
        parser.usage = (
            f"%(prog)s [options] {both.get('judgments', 'QRELS')} {takes}{both.get('end', '')}"
        )
        text = "run files or '-'" + ", then measures such as nDCG@10" * ("MEASURE" in takes)
        files = {"metavar": takes, "help": text, "nargs": "*" if takes.startswith("[") else "+"}
        places.insert(1, {"arguments": files})
    parts = {
        None: f"{kind.get('options', '')} {command.get('options', '')}",
        **command.get("parts", {}),
    }
    for title, options in parts.items():
        to = parser if title is None else parser.add_argument_group(title)
        for name in " ".join(shared["set"].get(name, name) for name in options.split()).split():
            settings: dict[str, Any] = {}
            for place in places:
                said = place.get(name, {})
                said = {"help": said} if isinstance(said, str) else said
                settings = said if "flags" in said else settings | said
            _add(to, **settings)


def _add(to: Any, flags: str, **settings: Any) -> None:
    for key, meanings in ("type", _TYPES), ("choices", _CHOICES):
        if isinstance(settings.get(key), str):
            settings[key] = meanings[settings[key]]
    if flags == "--columns":
        settings["action"] = _Merged
    hidden = [flag for flag in flags.split() if flag.startswith("--") and "_" in flag]
    action = to.add_argument(*(flag for flag in flags.split() if flag not in hidden), **settings)
    if hidden:
        to.add_argument(*hidden, **settings | {"dest": action.dest, "help": argparse.SUPPRESS})


def options(args: argparse.Namespace, names: str) -> dict[str, Any]:
    """The options of these names that have a value, as functions take them."""
    return {
        name: getattr(args, name) for name in names.split() if getattr(args, name, None) is not None
    }


def reading(args: argparse.Namespace) -> Reading | None:
    """How to read files, from the options; None if there are none."""
    said = [getattr(args, name, None) for name in ("format", "columns", "labels")]
    return made_reading(*said) if any(said) else None


def complain(error: Exception | str) -> None:
    """Print an error as one line."""
    if isinstance(error, OSError) and error.strerror:
        error = (
            f"{os.fspath(error.filename)}: {error.strerror}"
            if error.filename is not None
            else error.strerror
        )
    elif isinstance(error, KeyError) and error.args:  # whose text is quoted
        error = str(error.args[0])
    line = visible(" ".join(text_of(error).split())) or type(error).__name__
    if len(line) > LONGEST:
        line = line[:LONGEST] + " ..."
    sys.stderr.write(f"{head(31)} {line}\n")


def head(colour: int) -> str:
    """What a line on standard error begins with."""
    return f"\x1b[{colour}mirpref:\x1b[0m" if coloured(sys.stderr) else "irpref:"


def say(text: str) -> None:
    """Print one line on standard error."""
    sys.stderr.write(f"irpref: {visible(text)}\n")


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """What a command line names: judgments, run files by name, measures; the other arguments say
    how they are read.
    """

    args: argparse.Namespace
    files: dict[str, str]
    measures: list[Measure]

    @property
    def qrels(self) -> str:
        """The name of the judgments."""
        return str(self.args.qrels)

    def judgments(self) -> Any:
        """The judgments, with the documents of --known and filled by --judge."""
        args = self.args
        preferences = any(map(reads_preferences, self.measures)) if self.measures else None
        found = read_judgments(args.qrels, reading(args), preferences)
        if getattr(args, "judge", None):
            from irpref.lab import fill

            judges = [
                as_frame(read_judgments(path, reading(args)), "relevance") for path in args.judge
            ]
            found = fill(as_frame(found, "relevance"), judges)
            say(found.text)
        if (
            getattr(args, "known", None) is not None
        ):  # a document that only a judge graded may be known, too
            from irpref import with_known

            found = with_known(found, args.known)
        return found

    def of_topics(self) -> Any:
        """The judgments of the topics that -t names; the measures keep the scale of all judgments."""
        found = self.judgments()
        if not self.args.topic:
            return found
        from irpref import bind

        topics = only_topics(topic_ids(found), self.args.topic)
        self.measures[:] = bind(self.measures, found)
        return only(found, topics)

    def runs(self) -> dict[str, Any]:
        """The runs by name, read as the options say; see `read_runs`."""
        return dict(read_runs(self.files, self.args))

    def read(self) -> tuple[Any, dict[str, Any]]:
        """Judgments of the topics asked for, and runs; what `irpref check` finds grave goes to
        standard error.
        """
        from irpref.lab.findings.checks import check, grave

        qrels, runs = self.of_topics(), self.runs()
        for line in grave(check(qrels, runs, self.measures)):
            say(f"check: {line}")
        return qrels, runs


def inputs(args: argparse.Namespace) -> Inputs:
    """Sort the arguments into judgments, runs and measures, as many as the command takes.

    Raises
    ------
    UsageError
        An argument is neither a run nor a measure; too few or many of them; standard input is named
        twice.
    """
    if "output" in args:
        form_of(args)  # refused before anything is computed
    if not args.qrels.strip():
        raise UsageError("an argument is empty, expected a file of judgments")
    words = args.declared["takes"].split()
    of_measures = "".join(word for word in words if "MEASURE" in word)
    if (
        of_measures
        and args.qrels != "-"
        and not os.path.exists(args.qrels)
        and _is_measure(args.qrels)
    ):
        raise UsageError(f"{args.qrels!r} is a measure; the order is QRELS RUN... MEASURE...")
    _no_blanks([args.qrels, *args.arguments])
    paths, names = sort_arguments(args.arguments, bool(of_measures), not words[0].startswith("["))
    if [args.qrels, *paths].count("-") > 1:
        raise UsageError("standard input ('-') can be read once only")
    of_runs = [word for word in words if "MEASURE" not in word]
    by_file: dict[str, str] = {}
    for path in paths:
        by_file.setdefault(os.path.realpath(path), path)
    different = list(by_file.values())
    least = 0 if words[0].startswith("[") else len(of_runs)
    several = "..." in of_runs[-1]
    if not several and len(different) < len(paths):
        twice = next(path for path in paths if path not in different or paths.count(path) > 1)
        raise UsageError(f"{twice} is given twice, expected different runs")
    if len(different) < least or (not several and len(different) > least):
        wanted = "at least " * several + ("one run" if least == 1 else "two runs")
        raise UsageError(
            f"expected {wanted} after the qrels, got {len(different)}: {', '.join(different)}"
        )
    names += args.measure if of_measures else []
    if of_measures and not names:
        names = args.declared.get("measures", [])
        if not names and not of_measures.startswith("["):
            raise UsageError(_no_measure(args.qrels, reading(args)))
    measures = named_measures(names)
    if "..." not in of_measures and len(measures) > 1:
        raise UsageError(
            f"expected one measure, got {len(measures)}: {', '.join(map(str, measures))}"
        )
    return Inputs(args, run_names(different), measures)


def _no_measure(qrels: str, form: Reading | None) -> str:
    """What to say if no measure is named: three that suit the judgments, if these can be read
    again.
    """
    from irpref.lab import check

    if os.path.isfile(qrels):
        with suppress(ValueError, OSError):
            a, b, c = (row["measure"] for row in check(qrels, form=form).attrs["measures"])
            return f"no measure given: {a}, {b} or {c} would suit these judgments (irpref check {qrels} says why)"
    return "no measure given, such as AP, nDCG@10 or RPref (irpref list shows them)"


def _no_blanks(words: Sequence[str]) -> None:
    """Raise `UsageError` if words are the parts of one file name that the shell has split at its
    spaces.
    """
    for i, word in enumerate(words):
        if not os.path.exists(word):
            for j in range(i + 2, min(i + 6, len(words)) + 1):
                if os.path.isfile(name := " ".join(words[i:j])):
                    raise UsageError(f"put quotes around the name of a file with spaces: '{name}'")


def sort_arguments(
    arguments: Sequence[str], measures: bool = True, runs: bool = True
) -> tuple[list[str], list[str]]:
    """Runs and names of measures among the arguments after the qrels.

    Raises
    ------
    UsageError
        An argument is empty, could be both, or is neither; there is no run.
    FileNotFoundError
        There is no such file; also for a measure if the command takes none.
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
                raise UsageError(
                    f"{text!r} is both a file and a measure: write ./{text} or -m {text}"
                )
            found.append(text)
        elif measures and _is_measure(text):
            names.append(text)
        elif (
            not measures
            or _looks_like_a_path(text)
            or (runs and i == 0 and not _has_runs(arguments))
        ):
            reason = "no such file"
            if os.path.isdir(text):
                reason = f"a folder without .parquet files; name the files in it: {os.path.join(text, '*')}"
            elif not measures and _is_measure(text):
                reason += ", and this command takes no measures"
            raise FileNotFoundError(f"{text}: {reason}")
        else:
            raise UsageError(_neither(text))
    if runs and not found:
        raise UsageError(
            f"no run given: {names[0]!r} is a measure, expected a run file after the qrels"
        )
    return found, names


def _has_runs(arguments: Iterable[str]) -> bool:
    return any(text == "-" or os.path.isfile(text) or is_folder(text) for text in arguments)


def _looks_like_a_path(text: str) -> bool:
    return os.sep in text or text.endswith(RUN_ENDINGS) or os.path.isdir(text)


def _is_measure(text: str) -> bool:
    return _refusal(text) is None


def _neither(text: str) -> str:
    """What to say of a text that is no file and no measure."""
    error = _refusal(text)
    # With a bracket or a cutoff it was meant for a measure.
    if isinstance(error, MeasureError) and error.hint and not {"(", "@"} & set(text):
        return f"{text!r} is neither a file nor a measure{error.hint}"
    return text_of(error or "")


@cache
def _refusal(text: str) -> Exception | None:
    """What is wrong with a text as the name of a measure; None if it is one."""
    try:
        parse_all(text)
    except ValueError as error:
        return error
    return None


def named_measures(names: Iterable[str]) -> list[Any]:
    """The measures, each once. Raises `UsageError`."""
    try:
        measures = parse_all(list(names))
        for measure in measures:
            if isinstance(measure, KernelMeasure):
                measure.validate_params()
            else:
                check_parameters(measure)
                check_limits(measure)
    except ValueError as error:
        raise UsageError(text_of(error)) from None
    return measures


# Reading ------------------------------------------------------------------------------------------


def read_runs(files: Mapping[str, str], args: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Name and run of each file, in their order, several read at a time; shows a bar, and warns of
    empty runs.

    Raises the error of the first run that cannot be read, with its name.
    """
    from irpref import read_run
    from irpref.judged.stream import each, n_jobs
    from irpref.values.progress import Bar

    form = reading(args)
    jobs = min(args.jobs or n_jobs(), max(len(files), 1))
    bar = Bar(len(files))
    found: Any = each(lambda path: read_run(path, form), files.values(), jobs)
    for name, done in zip(files, found, strict=True):
        bar.step(name)
        warn_again(done, len(files) > 1)
        if done.error is not None:
            bar.close()
            found.close()  # the rest is not read
            raise named(done.error, done.item)
        run: Any = done.value
        if run.empty:
            warn_user(
                "the run is empty: all topics have the value of an empty ranking",
                IrprefWarning,
                path=name,
            )
        yield name, run
    bar.close()


def warn_again(done: Done[str, Any], several: bool) -> None:
    """Give the warnings that were held back while a run was read, with its path if there are
    several.
    """
    for warning in done.warnings:
        if several and warning.path is None:
            warning.path = str(done.item)
        give(warning)


def named(error: Exception, path: str) -> Exception:
    """An error of a run that says which one it is about."""
    name = "<stdin>" if path == "-" else path
    if isinstance(error, IrprefError):
        if error.path is None:
            error.path = name
        return error
    return InputError(str(error), path=name) if isinstance(error, ValueError) else error


def read_judgments(name: str, form: Reading | None = None, preferences: bool | None = False) -> Any:
    """Judgments from a file, standard input, or ir_datasets, as `irpref.judged.inputs.opened`
    returns them.

    `preferences`: whether a file may hold those. `form`: only its columns and labels count; its
    form is for runs."""
    found = opened(name, "relevance", preferences, form and replace(form, form=None))
    if not len(found):
        raise EmptyJudgmentsError(
            "the qrels are empty: there is nothing to judge a run against",
            path="<stdin>" if name == "-" else name,
        )
    return found


def reads_preferences(measure: Measure) -> bool:
    """Whether a measure takes preferences as well as grades."""
    return "preferences" in getattr(measure, "NEEDS", ())


def topic_ids(qrels: Any) -> list[str]:
    """The topics, in the order of the first judgment of each."""
    table: Any = as_table(qrels, "relevance")
    return group(table.query_id).names


def only_topics(found: Iterable[str], wanted: Sequence[str]) -> list[str]:
    """The topics asked for; `ValueError` for one that the qrels do not have."""
    known = dict.fromkeys(found)
    for topic in wanted:
        if topic not in known:
            raise ValueError(
                f"the qrels have no topic {topic!r} (they begin {', '.join(list(known)[:3])})"
            )
    return list(dict.fromkeys(wanted))


def only(qrels: Any, topics: Iterable[str]) -> Any:
    """The judgments of these topics."""
    frame = as_frame(qrels, "relevance")
    return frame[frame["query_id"].isin(list(topics))]


# Writing ------------------------------------------------------------------------------------------


def keep_what_is_read(args: argparse.Namespace) -> None:
    """Raise `UsageError` if -f names a file that the command reads."""
    if os.path.isfile(out := getattr(args, "file", None) or ""):
        given = [
            said if isinstance(said, list) else [said]
            for name, said in vars(args).items()
            if name != "file"
        ]
        for text in chain.from_iterable(given):
            if isinstance(text, str) and os.path.isfile(text) and os.path.samefile(text, out):
                raise UsageError(f"-f {out}: this file is read, and would be lost")


def form_of(args: argparse.Namespace, default: str = "table") -> str:
    """The text format: that of -o, of the name of the file, or the command's own."""
    ending = os.path.splitext(args.file or "")[1].lower()
    if ending in NO_TEXT:
        raise UsageError(
            f"-f {args.file}: tables are not written as {ending}, but as {', '.join(ENDINGS)}"
        )
    if args.output:
        return str(args.output)
    return ENDINGS.get(ending, default)


@contextmanager
def output(args: argparse.Namespace) -> Iterator[TextIO]:
    """Standard output, or the file of -f."""
    if args.file is None:
        yield sys.stdout
        return
    from irpref.data.replace import replaced

    with replaced(args.file) as beside, open(beside, "w", encoding="utf-8", newline="") as out:
        yield out


def show(
    args: argparse.Namespace,
    tables: Table | Sequence[Table],
    data: Table | None = None,
    default: str = "table",
    head: bool = True,
    widest: int | None = None,
) -> None:
    """Write a table, or several, as -o and -f say. In forms for programs, `data` is written in
    their place.
    """
    form = form_of(args, default)
    if data is not None and form in LINES:
        tables = data
    with output(args) as out:
        page = page_of(out, widest)
        for i, table in enumerate([tables] if isinstance(tables, Table) else tables):
            if i and form not in LINES:
                out.write("\n")
            write(table, form, out, page, head)
