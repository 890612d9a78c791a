"""Commands: click's, imported when they are called, with our exit status.

A command is a function with `@command(...)` in a module of its own. A `Section` lists the commands
of a package with a line of help each, so that `irpref --help` imports no command."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import chain
from typing import Any

import click

from irpref.cli.say import complain
from irpref.data.notes import was_read
from irpref.messages import did_you_mean

__all__ = ["ERROR", "OK", "USAGE", "Argument", "Section", "before_writing", "command", "group"]

OK, ERROR, USAGE, INTERRUPTED, CLOSED = 0, 1, 2, 130, 141
READING = f"{__name__}.reading"  # how files are read, in the context of a command
CALLED = f"{__name__}.called"  # the context of the command, in that of `irpref`

_HOME = re.compile(r"(--[\w-]+=|)(~[^/\\]*[/\\].*)", re.DOTALL)


def _spelled(token: str) -> str:
    """Spell a word as we do: the command ir_measures has underscores, and `--output_format`."""
    token = token.replace("_", "-")
    return "output" if token == "output-format" else token


def _from_home(word: str) -> str:
    """Replace the `~` of a file's name, which no shell does in quotes or after `--option=`."""
    found = _HOME.fullmatch(word)
    return found[1] + os.path.expanduser(found[2]) if found else word


SETTINGS: dict[str, Any] = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": 100,
    "token_normalize_func": _spelled,
}


class Argument(click.Argument):
    """An argument with a line of help, which older versions of click do not have."""

    def __init__(self, names: Sequence[str], help: str = "", **settings: Any) -> None:
        super().__init__(names, **settings)
        self.help = help

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Name and help."""
        return self.make_metavar(ctx), self.help or ""


class Command(click.Command):
    """A command.

    Parameters
    ----------
    error_status : int
        The exit status of input that cannot be evaluated.
    """

    def __init__(self, name: str | None, error_status: int = ERROR, **settings: Any) -> None:
        super().__init__(name, **{"context_settings": SETTINGS, **settings})
        self.error_status = error_status

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Parse the command line, and note which command it is of."""
        if parent is not None:
            parent.find_root().meta[__name__] = self.error_status
        ctx = super().make_context(info_name, args, parent, **extra)
        ctx.find_root().meta[CALLED] = ctx
        return ctx

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Sort the words; each error says which command it is about.

        Here, so that whatever has the name of a file is the same file for all that look at it.
        """
        try:
            return super().parse_args(ctx, list(map(_from_home, args)))
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, unless it would overwrite its input."""
        if ctx.params.get("file") == "-" and not self._must_write:
            ctx.params["file"] = None  # as for other tools, this is standard output
        _keep_what_is_read(ctx.params)
        return super().invoke(ctx)

    @property
    def _must_write(self) -> bool:
        """Whether the command writes to files only."""
        return any(option.name == "file" and option.required for option in self.params)


def error_status(ctx: click.Context | None) -> int:
    """Return the exit status of input that the command of a context cannot evaluate."""
    return int(ctx.find_root().meta.get(__name__, ERROR)) if ctx else ERROR


def command(name: str, **settings: Any) -> Callable[[Callable[..., Any]], Command]:
    """Make a command of a function: see `Command`."""
    return click.command(name, cls=Command, **settings)


def before_writing(file: str | None = None) -> None:
    """Check the options for files, when all is read and nothing is written yet. Every command calls
    this.

    Raises
    ------
    click.UsageError
        -f names a file that has been read; no file has the columns, labels or form that --columns,
        --labels or --format names.
    """
    if file is not None and was_read(file):
        raise click.UsageError(f"-f {file}: this is an input file, and would be overwritten")
    ctx = click.get_current_context(silent=True)
    how = None if ctx is None else ctx.meta.get(READING)
    if how is None:
        return
    for theirs, ours in how.unused().items():
        seen = f"found: {', '.join(how.seen)}" if how.seen else "no file here names its columns"
        raise click.UsageError(
            f"--columns {ours}={theirs}: no column {theirs!r} was read as {ours} ({seen})"
        )
    if how.form is not None and "form" not in how.used:
        raise click.UsageError(f"--format {how.form}: no file here has this form")
    if how.labels is not None and "labels" not in how.used:
        raise click.UsageError("--labels: the judgments hold numbers, no labels")


def _keep_what_is_read(parameters: Mapping[str, Any]) -> None:
    """Raise `UsageError` if -f names a file that the command line names, before anything is
    computed. Files found in folders are known once they are read: see `before_writing`.
    """
    out = parameters.get("file") or ""
    if not os.path.isfile(out):
        return
    values = (
        value if isinstance(value, tuple) else [value]
        for name, value in parameters.items()
        if name != "file"
    )
    for text in chain.from_iterable(values):
        if isinstance(text, str) and os.path.isfile(text) and os.path.samefile(text, out):
            raise click.UsageError(f"-f {out}: this is an input file, and would be overwritten")


class Group(click.Group):
    """A command that has commands below it; a wrong one is answered with the nearest."""

    command_class = Command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options before the command, which must be there."""
        if not (args or self.invoke_without_command or ctx.resilient_parsing):
            raise click.UsageError(f"no command given{self._expected(ctx)}", ctx)
        return super().parse_args(ctx, args)

    def _expected(self, ctx: click.Context) -> str:
        """Name the commands, as the end of a message."""
        return f"; expected one of {', '.join(self.list_commands(ctx))}"

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first word names."""
        name = args[0]
        if not (ctx.resilient_parsing or name.startswith("-") or self.get_command(ctx, name)):
            nearest = did_you_mean(name, self.list_commands(ctx)) or self._expected(ctx)
            raise click.UsageError(f"unknown command {name!r}{nearest}", ctx)
        return super().resolve_command(ctx, args)


def group(name: str, metavar: str) -> Callable[[Callable[..., Any]], Group]:
    """Make a group of commands of a function that does nothing; its docstring is the help."""
    return click.group(
        name,
        cls=Group,
        context_settings=SETTINGS,
        subcommand_metavar=f"{metavar} ...",
        no_args_is_help=False,  # an error of one line, not the help
    )


# The commands of `irpref` -------------------------------------------------------------------------


@dataclass(frozen=True)
class Section:
    """The commands of a package, in the order of the help.

    A package joins with an entry point of the group `irpref.commands` that names its section.

    Parameters
    ----------
    title : str
        The heading above them.
    commands : mapping of str to (str, str)
        Of each name the command, as `module:attribute`, and a line of help.
    """

    title: str
    commands: Mapping[str, tuple[str, str]]


PLUGIN = Section(
    "Values of measures",
    {
        "eval": ("irpref.cli.eval:evaluate", "compute measures for one or more runs"),
        "explain": (
            "irpref.cli.explain:explain",
            "show what each document of a topic adds to a measure, and why",
        ),
        "curve": (
            "irpref.cli.curve:curve",
            "print curves: precision-recall, cumulated gain, CRP, n-pref",
        ),
        "crosscheck": (
            "irpref.cli.crosscheck:crosscheck",
            "compare values with other tools, and explain each difference",
        ),
        "list": ("irpref.cli.listing:list_measures", "list the measures, or explain one of them"),
        "settings": (
            "irpref.cli.settings_command:settings",
            "show which rel, gains and max_rel suit public data sets",
        ),
        "cite": ("irpref.cli.cite:cite", "print the BibTeX entries of measures and of irpref"),
    },
)


def sections() -> tuple[Section, ...]:
    """List our section, then the sections of packages that have joined; ours wins if a name is
    taken.
    """
    return (PLUGIN, *_joined())


def _joined() -> Iterator[Section]:
    yield from _of_packages()  # once something is asked of it


@cache
def _of_packages() -> tuple[Section, ...]:
    from importlib.metadata import entry_points

    joined = []
    for point in sorted(entry_points(group="irpref.commands"), key=lambda point: point.name):
        try:
            joined.append(point.load())
        except (Exception, SystemExit) as error:  # whatever another package does: ours still work
            complain(f"the commands of {point.value} cannot be loaded: {error}")
    return tuple(joined)


class Irpref(Group):
    """The `irpref` command, whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List all names, by section."""
        return list(dict.fromkeys(chain.from_iterable(s.commands for s in sections())))

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import the command of this name."""
        # Commands of other packages are looked for only if the name is not ours.
        for section in chain([PLUGIN], _joined()):
            if name in section.commands:
                module, _, attribute = section.commands[name][0].partition(":")
                command: click.Command = getattr(import_module(module), attribute)
                return command
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write names and lines of help, without importing anything."""
        width = max(map(len, self.list_commands(ctx)))
        for section in sections():
            rows = [(name.ljust(width), text) for name, (_, text) in section.commands.items()]
            with formatter.section(section.title):
                formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """List names of commands, with their lines of help."""
        from click.shell_completion import CompletionItem

        lines = {name: text for s in sections() for name, (_, text) in s.commands.items()}
        names = [
            CompletionItem(name, help=text)
            for name, text in lines.items()
            if name.startswith(incomplete)
        ]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]


@click.group(
    cls=Irpref,
    context_settings=SETTINGS,
    subcommand_metavar="COMMAND ...",
    options_metavar="",
    epilog="Most commands take judgments, runs and measures: irpref COMMAND QRELS RUN... "
    "MEASURE... [OPTIONS]. For the options of one, type irpref COMMAND --help.",
    invoke_without_command=True,
)
@click.version_option(package_name="irpref", message="%(package)s %(version)s")
@click.pass_context
def irpref(ctx: click.Context) -> int | None:
    """Evaluate and compare retrieval runs, with the measures of irpref, ir_measures and
    trec_eval."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
    return OK


def helps() -> Iterator[tuple[str, str]]:
    """Yield name and help of the command itself, and of all below it; groups come first."""
    yield from _helps(irpref, click.Context(irpref, info_name="irpref", **SETTINGS))


def _helps(command: click.Command, ctx: click.Context) -> Iterator[tuple[str, str]]:
    yield ctx.command_path, command.get_help(ctx)
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            below = command.get_command(ctx, name)
            if below is not None:
                yield from _helps(
                    below, click.Context(below, parent=ctx, info_name=name, **SETTINGS)
                )
