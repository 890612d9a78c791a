"""The judgments, runs and measures that a command line names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from irpref.cli.command import READING
from irpref.cli.parameter_types import Complete, none_of
from irpref.cli.remedies import as_option, text_of
from irpref.data.columns import PLAIN, Reading
from irpref.data.columns import reading as reading_of
from irpref.data.forms import ALL_ENDINGS, is_folder, without_endings
from irpref.data.rows import counted_row
from irpref.data.run_names import run_names
from irpref.errors import (
    EmptyJudgmentsError,
    InputError,
    IrprefError,
    IrprefWarning,
    MeasureError,
)
from irpref.judged.groups import read_groups
from irpref.judged.judgments import Judgments, as_judgments
from irpref.judged.run import Run, excluded_documents, read_once
from irpref.measures.declare import KernelMeasure
from irpref.measures.names import parse_all
from irpref.measures.support import check_limits, check_parameters
from irpref.messages import give, no_such_file, unknown_topic, warn_user, wrong_number

if TYPE_CHECKING:
    from ir_measures.measures import Measure

    from irpref.judged.stream import Done

__all__ = [
    "Inputs",
    "check_files_there",
    "named_measures",
    "one_measure_of",
    "only_topics",
    "read_judgments",
    "sort_values",
]

# A name that ends with a number, which counts the runs of a system.
_NUMBERED = re.compile(r"(.*[^-._/\\])[-._]+\d+", re.DOTALL)

# The options that say how runs are ranked and which of their rows count, as `Reading` calls them.
ORDER = ("ties", "float32", "ignore_self", "lower_is_better")
ROWS = ("exclude", "documents", "repeated")
# The parameters that `Inputs.from_options` takes, whichever of their options a command has.
INPUTS = (
    *("qrels", "arguments", "measure", "topic", "known"),
    *("format", "columns", "labels", "jobs", "repeats", *ORDER, *ROWS),
)


@dataclass
class Inputs:
    """The files and measures that a command line names, and how they are read.

    Attributes
    ----------
    qrels : str
        The name of the judgments.
    files : dict of str to str
        Run files by name.
    measures : list of Measure
    topics : tuple of str
        The topics of -t; empty for all.
    known : str or None
        The file of --known.
    form : Reading or None
        How files are read, and the order of a run's documents, if an option says so.
    jobs : int or None
    systems : dict of str to list of str
        The names of the runs of each system: several only with --repeats.
    """

    qrels: str
    files: dict[str, str]
    measures: list[Measure]
    topics: tuple[str, ...] = ()
    known: str | None = None
    form: Reading | None = None
    jobs: int | None = None
    systems: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def from_options(
        cls,
        takes: str,
        default: Sequence[str],
        *,
        qrels: str,
        arguments: Sequence[str],
        measure: Sequence[str] = (),
        topic: str | Sequence[str] | None = (),
        known: str | None = None,
        jobs: int | None = None,
        repeats: bool = False,
        **options: Any,
    ) -> Inputs:
        """Sort the arguments into runs and measures, as many as the command takes.

        Parameters
        ----------
        takes, default : see `irpref.cli.options.inputs`
        **options : `format`, `columns`, `labels`, `ORDER` and `ROWS`, as far as given

        Raises
        ------
        click.UsageError
            An argument is neither a run nor a measure; too few or too many; standard input is
            named twice.
        """
        form = _reading(options)
        files, systems, names = _sorted(takes, qrels, arguments, repeats)
        measures = [*names, *measure] if "MEASURE" in takes else []
        if "MEASURE" in takes and not measures:
            measures = list(default)
            if not measures and "[MEASURE" not in takes:
                raise click.UsageError(_no_measure(qrels, form))
        parsed = named_measures(measures)
        if "MEASURE..." not in takes and len(parsed) > 1:
            raise click.UsageError(
                f"expected one measure, got {len(parsed)}: {', '.join(map(str, parsed))}"
            )
        topics = (topic,) if isinstance(topic, str) else tuple(topic or ())
        return cls(qrels, files, parsed, topics, known, form, jobs, systems)

    def all_judgments(self) -> Judgments:
        """Read the judgments, with the documents of --known."""
        read = read_judgments(self.qrels, self.form)
        return as_judgments(read, known=self.known_documents())

    def known_documents(self) -> Judgments | None:
        """Read the documents of --known."""
        return None if self.known is None else as_judgments(self.known, form=self.form)

    def judgments(self) -> Judgments:
        """Read the judgments of the topics of -t; the measures keep the scale of all judgments."""
        return self.of_topics(self.all_judgments())

    def of_topics(self, qrels: Judgments) -> Judgments:
        """Select the judgments of the topics of -t; the measures keep the scale of all
        judgments.
        """
        if not self.topics:
            return qrels
        from irpref import bind

        topics = only_topics(qrels.topic_ids, self.topics)
        self.measures[:] = bind(self.measures, qrels)
        return qrels.only(topics)

    def each_run(self) -> Iterator[tuple[str, Any]]:
        """Name and run of each file, in their order, several read at a time; shows a bar, and warns
        of empty runs.

        Raises the error of the first run that cannot be read, with its name.
        """
        from irpref.judged.stream import each, n_jobs
        from irpref.values.progress import progress

        jobs = min(self.jobs or n_jobs(), max(len(self.files), 1))

        def read(path: str) -> Run:
            return read_once(path, self.form or PLAIN)

        runs: Any = each(read, self.files.values(), jobs)
        with progress(zip(self.files, runs, strict=True), len(self.files)) as steps:
            for name, done in steps:
                warn_again(done, len(self.files) > 1)
                if done.error is not None:
                    runs.close()  # the rest is not read
                    raise named(done.error, done.item)
                if not len(done.value):
                    warn_user(
                        "the run is empty: all topics have the value of an empty ranking",
                        IrprefWarning,
                        path=name,
                    )
                yield name, done.value

    def runs(self) -> dict[str, Any]:
        """Read the runs by name: see `each_run`."""
        return dict(self.each_run())

    def systems_called(self, option: str, words: Iterable[str]) -> list[str]:
        """Find the systems that an option names: by their own name, or by the name or file of a
        run.

        Raises
        ------
        click.UsageError
            There is no such system.
        """
        called = {name: name for name in self.systems}
        for name, runs in self.systems.items():
            for run in runs:
                called.setdefault(run, name)
                called.setdefault(self.files[run], name)
        for word in words:
            if word not in called:
                raise none_of(word, self.systems, param_hint=f"'{option}'")
        return [called[word] for word in words]

    def of_systems(self, runs: Mapping[str, Any]) -> dict[str, Any]:
        """Map each system to its run, or to the list of its runs."""
        return {
            name: [runs[one] for one in names] if len(names) > 1 else runs[names[0]]
            for name, names in self.systems.items()
        }


def shared_reading(form: str | None, columns: Any, labels: Any) -> Reading:
    """Say how all files of a command line are read, from its options; the command remembers it,
    since an option that nothing had use for is refused before anything is written.
    """
    how = reading_of(form, columns, labels, shared=True)
    ctx = click.get_current_context(silent=True)
    if ctx is not None:
        ctx.meta[READING] = how
    return how


def _reading(options: Mapping[str, Any]) -> Reading | None:
    """Say how to read files, from the options; None if there are none."""
    given = [options.get(name) for name in ("format", "columns", "labels")]
    order = {name: options[name] for name in ORDER if name in options}
    files = shared_reading(*given)
    how = replace(files, **order, **_rows(files, options))
    return how if any(given) or how.changes_runs else None


def _rows(files: Reading, options: Mapping[str, Any]) -> dict[str, Any]:
    """Choose which rows of runs count, as `Reading` calls it."""
    exclude, documents = options.get("exclude"), options.get("documents")
    if documents is not None and os.path.isfile(documents):
        documents = read_groups(documents, ("chunk", "document"))
    return {
        "excluded": exclude and excluded_documents(as_judgments(exclude, form=files)),
        "documents": documents,
        "repeats": counted_row(options.get("repeated"), documents),
    }


# Sorting ------------------------------------------------------------------------------------------


def _sorted(
    takes: str, qrels: str, arguments: Sequence[str], repeats: bool
) -> tuple[dict[str, str], dict[str, list[str]], list[str]]:
    """Run files by name, the names of the runs of each system, and names of measures."""
    runs, _, rest = takes.partition("MEASURE")
    runs = runs.rstrip("[ ")
    optional, several = runs.startswith("["), "..." in runs
    least = 0 if optional else len(runs.split())
    with_measures = bool(rest) or "MEASURE" in takes
    if not qrels.strip():
        raise click.UsageError("an argument is empty, expected a file of judgments")
    if with_measures and qrels != "-" and not os.path.exists(qrels) and _is_measure(qrels):
        raise click.UsageError(f"{qrels!r} is a measure; the order is QRELS {takes}")
    _no_blanks([qrels, *arguments])
    paths, names = sort_arguments(arguments, with_measures, not optional, qrels)
    if [qrels, *paths].count("-") > 1:
        raise click.UsageError("standard input ('-') can be read only once")
    by_file: dict[str, str] = {}
    for path in paths:
        by_file.setdefault(os.path.realpath(path), path)
    different = list(by_file.values())
    systems = systems_of(different, repeats)
    if not several and len(different) < len(paths):
        twice = next(path for path in paths if path not in different or paths.count(path) > 1)
        raise click.UsageError(f"{twice} is given twice, expected different runs")
    if len(systems) < least or (not several and len(systems) > least):
        wanted = "at least " * several + ("one run" if least == 1 else "two runs")
        listed = systems if repeats else different
        if repeats:
            wanted = wanted.replace("run", "system")
        more = "irpref leaderboard" if least == 2 < len(systems) else ""
        raise click.UsageError(
            wrong_number(f"{wanted} after the qrels", len(listed), f": {', '.join(listed)}", more)
        )
    return run_names(different), systems, names


def systems_of(paths: Sequence[str], repeats: bool) -> dict[str, list[str]]:
    """Map each system to the names of its runs.

    With `repeats`, files whose names differ in a last number after `-`, `.` or `_` are runs of one
    system, which has their name without it: `llm-1.run` and `llm-2.run` are `llm`.
    """
    names = {path: name for name, path in run_names(paths).items()}
    if not repeats:
        return {name: [name] for name in names.values()}
    groups: dict[str, list[str]] = {}
    for path in paths:
        numbered = _NUMBERED.fullmatch(without_endings(path))
        groups.setdefault(numbered[1] if numbered else path, []).append(path)
    stems = {stem if len(members) > 1 else members[0]: members for stem, members in groups.items()}
    systems = {
        name: [names[path] for path in stems[stem]] for name, stem in run_names([*stems]).items()
    }
    if len({without_endings(stem) for stem in stems}) < len(stems):
        raise click.UsageError(
            f"--repeats: {', '.join(stems)} would have the same name, so rename one of the files"
        )
    return systems


def _no_measure(qrels: str, form: Reading | None) -> str:
    """Word the error for a missing measure: name three that suit the judgments, if these can be
    read again.
    """
    if os.path.isfile(qrels):
        from irpref.observed.suggestions import suggest

        with suppress(ValueError, OSError):
            pool = read_judgments(qrels, form).pool(preferences=None)
            a, b, c = (row["measure"] for row in suggest(pool, pool.of_preferences))
            return (
                f"no measure given: {a}, {b} or {c} would suit these judgments "
                f"(irpref check {qrels} says why)"
            )
    return "no measure given, such as AP, nDCG@10 or RPref (irpref list shows them)"


def _no_blanks(words: Sequence[str]) -> None:
    """Raise `UsageError` if words are the parts of a file name that the shell has split at its
    spaces.
    """
    for i, word in enumerate(words):
        if not os.path.exists(word):
            for j in range(i + 2, min(i + 6, len(words)) + 1):
                if os.path.isfile(name := " ".join(words[i:j])):
                    raise click.UsageError(
                        f"put quotes around the name of a file with spaces: '{name}'"
                    )


def sort_arguments(
    arguments: Sequence[str], measures: bool = True, runs: bool = True, qrels: str = ""
) -> tuple[list[str], list[str]]:
    """Sort the arguments after the qrels into runs and names of measures.

    Raises
    ------
    click.UsageError
        An argument is empty, could be both, or is neither; there is no run; the command takes no
        measures.
    FileNotFoundError
        There is no such file.
    """
    paths: list[str] = []
    names: list[str] = []
    for i, text in enumerate(arguments):
        if text == "-":
            paths.append(text)
        elif not text.strip():
            raise click.UsageError("an argument is empty, expected a file or a measure")
        elif os.path.exists(text) and (not os.path.isdir(text) or is_folder(text)):
            # As for the host's command, the argument after the qrels is a run.
            if i > 0 and measures and not _looks_like_a_path(text) and _is_measure(text):
                raise click.UsageError(
                    f"{text!r} is both a file and a measure: write ./{text} or -m {text}"
                )
            paths.append(text)
        elif measures and _is_measure(text):
            names.append(text)
        elif (
            not measures
            or _looks_like_a_path(text)
            or (runs and i == 0 and not _has_runs(arguments))
        ):
            reason = "no such file"
            if os.path.isdir(text):
                inside = _runs_in(text, qrels)
                reason = f"a folder without .parquet files; name the files in it: {inside}"
            elif not measures and _is_measure(text):
                raise click.UsageError(f"{text!r} is a measure, and this command takes none")
            raise no_such_file(text, reason)
        else:
            raise click.UsageError(_neither(text))
    if runs and not paths:
        raise click.UsageError(
            f"no run given: {names[0]!r} is a measure, expected a run file after the qrels"
        )
    return paths, names


def _runs_in(folder: str, qrels: str) -> str:
    """Word which files of a folder to name: a pattern, which the judgments must not match."""
    names = [name for name in os.listdir(folder) if not name.startswith(".")]
    judged = os.path.realpath(qrels)
    runs = [name for name in names if os.path.realpath(os.path.join(folder, name)) != judged]
    everything = os.path.join(folder, "*")
    if len(runs) == len(names):
        return everything
    endings = {os.path.splitext(name)[1] for name in runs}
    if len(endings) == 1 and not qrels.endswith(ending := endings.pop()):
        return everything + ending
    return f"{everything} without the judgments"


def sort_values(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Sort arguments into files of values and names of measures.

    Raises
    ------
    click.UsageError
        An argument is empty; standard input is named twice; a measure is all that is named.
    FileNotFoundError
        There is no file among them.
    """
    _no_blanks(arguments)
    if not all(text.strip() for text in arguments):
        raise click.UsageError("an argument is empty, expected a file or a measure")
    there = {text: text == "-" or os.path.exists(text) for text in arguments}
    if arguments.count("-") > 1:
        raise click.UsageError("standard input ('-') can be read only once")
    names = [text for text in arguments if not there[text]]
    if len(names) == len(arguments):
        if _is_measure(names[0]):
            raise click.UsageError(f"no file of values given: {names[0]!r} is a measure")
        raise no_such_file(names[0])
    return [text for text in arguments if there[text]], names


def check_files_there(names: Iterable[str], known: Iterable[str]) -> None:
    """Refuse files that are not there and would be taken for measures: names of files that are not
    the names of `known` measures.

    Raises
    ------
    FileNotFoundError
    """
    measures = set(known)
    for text in names:
        if text not in measures and _looks_like_a_path(text) and not _is_measure(text):
            raise no_such_file(text)


def _has_runs(arguments: Iterable[str]) -> bool:
    return any(text == "-" or os.path.isfile(text) or is_folder(text) for text in arguments)


def _looks_like_a_path(text: str) -> bool:
    return os.sep in text or text.endswith(ALL_ENDINGS) or os.path.isdir(text)


def _is_measure(text: str) -> bool:
    return _refusal(text) is None


def _neither(text: str) -> str:
    """Word the error for a text that is no file and no measure."""
    error = _refusal(text)
    if text.replace("_", "").replace("-", "").isdecimal():
        return f"{text!r} is neither a file nor a measure; select a topic with -t {text}"
    # With a bracket or a cutoff it was meant for a measure.
    if isinstance(error, MeasureError) and not {"(", "@"} & set(text):
        # The list of all names, not an argument to give.
        listed = error.remedy is not None and not error.remedy.argument
        hint = f"; {as_option(error.remedy)}" if listed else error.hint
        if hint:
            return f"{text!r} is neither a file nor a measure{hint}"
    return text_of(error or "")


@cache
def _refusal(text: str) -> Exception | None:
    """Return the error of a text as the name of a measure; None if it is one."""
    try:
        parse_all(text)
    except ValueError as error:
        return error
    return None


def named_measures(names: Iterable[str]) -> list[Any]:
    """Parse the names of measures, each measure once. Raises `click.UsageError`."""
    try:
        measures = parse_all(list(names))
        for measure in measures:
            if isinstance(measure, KernelMeasure):
                measure.validate_params()
            else:
                check_parameters(measure)
                check_limits(measure)
    except ValueError as error:
        raise click.UsageError(text_of(error)) from None
    return measures


def one_measure_of(measures: Sequence[Any], option: str, name: str) -> Measure:
    """Find the one of the measures that an option names.

    Raises
    ------
    click.UsageError
        It is not among the measures.
    """
    hint = f"'{option}'"
    try:
        asked = list(map(str, parse_all([name])))
    except ValueError as error:
        raise Complete(text_of(error), param_hint=hint) from None
    known = [str(measure) for measure in measures]
    if len(asked) != 1 or asked[0] not in known:
        raise none_of(name, known, param_hint=hint)
    return measures[known.index(asked[0])]


# Reading ------------------------------------------------------------------------------------------


def warn_again(done: Done[str, Any], several: bool) -> None:
    """Give the warnings that were held back while a run was read, with its path if there are
    several.
    """
    for warning in done.warnings:
        if several and warning.path is None:
            warning.path = str(done.item)
        give(warning)


def named(error: Exception, path: str) -> Exception:
    """Make an error of a run say which run it is about."""
    name = "<stdin>" if path == "-" else path
    if isinstance(error, IrprefError):
        if error.path is None:
            error.path = name
        return error
    return InputError(str(error), path=name) if isinstance(error, ValueError) else error


def read_judgments(name: str, form: Reading | None = None) -> Judgments:
    """Read judgments from a file, standard input, or ir_datasets: commands open judgments only
    here.

    Parameters
    ----------
    name : str
    form : Reading, optional
    """
    read = as_judgments(name, form=form)
    if not len(read):
        raise EmptyJudgmentsError(
            "the qrels are empty: there is nothing to judge a run against",
            path="<stdin>" if name == "-" else name,
        )
    return read


def only_topics(known: Iterable[str], wanted: Sequence[str], where: str = "the qrels") -> list[str]:
    """Return the topics asked for. Raise `ValueError` for one that is not there."""
    there = dict.fromkeys(known)
    for topic in wanted:
        if topic not in there:
            several = topic.split(",")
            if len(several) > 1 and there.keys() >= set(several):
                again = " ".join(f"-t {quote(one)}" for one in several)
                raise click.UsageError(f"-t takes one topic: give {again}")
            raise unknown_topic(topic, there, "topics", where)
    return list(dict.fromkeys(wanted))
