"""Options that commands share, each declared once, as decorators.

    @command("eval")
    @inputs("RUN... MEASURE...")
    @reading
    @writing
    def evaluate(given: Inputs, out: Output) -> int: ...

`inputs` comes first: it takes all arguments about judgments, runs and measures, by whichever of
these options, and passes it on as `given`. `writing` passes on `out`. The other options are
arguments of the function."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce, wraps
from typing import Any, TypeAlias

import click
from ir_measures import providers

from irpref.cli import parameter_types as types
from irpref.cli.arguments import INPUTS, Inputs
from irpref.cli.command import Argument
from irpref.cli.complete import files_and_measures, measures_only
from irpref.cli.output import Output
from irpref.cli.parameter_types import (
    COLUMNS,
    COUNT,
    DOCUMENTS,
    GAINS,
    LABELS,
    PARTITIONS,
    Choice,
    FileName,
)
from irpref.data.forms import FORMS as FILE_FORMS
from irpref.data.forms import PREFERENCES
from irpref.data.rows import REPEATS
from irpref.show.text import FORMS

__all__ = [
    "Decorator",
    "beta",
    "by_query",
    "depth",
    "gain",
    "groups",
    "groups_as",
    "importing",
    "inputs",
    "judged_only",
    "known",
    "one_topic",
    "option",
    "partitions",
    "places",
    "provider",
    "ranking",
    "reading",
    "reading_judgments",
    "rel",
    "ties",
    "together",
    "topics",
    "writing",
    "writing_as",
]

Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]
PLACES = 4


def option(*names: str, **settings: Any) -> Decorator:
    """Declare an option of click; shells complete the names of files."""
    if settings.get("metavar") in ("FILE", "RUN"):
        settings.setdefault("type", FileName())
    return click.option(*names, **settings)


def together(*decorators: Decorator) -> Decorator:
    """Combine several decorators into one, in the order of the help."""
    return lambda function: reduce(lambda f, one: one(f), reversed(decorators), function)


def _import_measures(_: click.Context, __: click.Parameter, names: tuple[str, ...]) -> None:
    from irpref.cli.imported import imported

    for name in names:
        try:
            imported(name)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None


def _merged(
    _: click.Context, __: click.Parameter, given: tuple[dict[str, tuple[str, ...]], ...]
) -> dict[str, tuple[str, ...]] | None:
    """Merge all columns; columns of one name are alternatives, as runs and judgments may need
    them.
    """
    merged: dict[str, tuple[str, ...]] = {}
    for part in given:
        for ours, theirs in part.items():
            merged[ours] = (*merged.get(ours, ()), *theirs)
    return merged or None


importing = option(
    "--import",
    "imported",
    metavar="MODULE",
    multiple=True,
    is_eager=True,
    expose_value=False,
    callback=_import_measures,
    help="load measures of your own: mine.py (repeatable)",
)


def inputs(
    takes: str,
    *,
    measures: tuple[str, ...] = (),
    judgments: str = "QRELS",
    more: Decorator | None = None,
    build: Callable[..., Any] = Inputs.from_options,
    required: bool = True,
) -> Decorator:
    """Declare the arguments of a command: judgments, then runs, then measures.

    Parameters
    ----------
    takes : str
        The arguments after the judgments, such as `RUN... [MEASURE...]`: `...` marks arguments that
        may be several, brackets arguments that may be left out.
    measures : tuple of str
        Computed if none is named.
    judgments : str
        The judgments' name in the help.
    more : decorator, optional
        A further argument after the judgments.
    build : callable
        Makes `given` of `takes`, `measures` and the parameters that `irpref.cli.arguments.INPUTS`
        lists.
    required : bool
        Whether there must be judgments.
    """
    with_measures = "MEASURE" in takes
    what = "human judgments" if judgments == "HUMAN" else "judgments"
    explained = "run files or '-'" + ", then measures such as nDCG@10" * with_measures
    declared: list[Decorator] = [
        click.argument(
            "qrels",
            cls=Argument,
            metavar=judgments,
            type=click.Path(),
            required=required,
            help=f"{what}: a file, '-', or an id of ir_datasets",
        ),
        *([] if more is None else [more]),
        click.argument(
            "arguments",
            cls=Argument,
            metavar=takes,
            type=click.Path(),
            nargs=-1,
            required=required and not takes.startswith("["),
            help=explained,
            shell_complete=files_and_measures if with_measures else None,
        ),
    ]
    if with_measures:
        shown = f" (default: {', '.join(measures)})" if measures else ""
        declared += [
            option(
                "-m",
                "--measure",
                metavar="NAME",
                multiple=True,
                shell_complete=measures_only,
                help=f"a measure whose name is also the name of a file{shown} (repeatable)",
            ),
            importing,
        ]

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def with_inputs(**parameters: Any) -> Any:
            given = {name: parameters.pop(name) for name in INPUTS if name in parameters}
            return function(given=build(takes, measures, **given), **parameters)

        return together(*declared)(with_inputs)

    return decorate


topics = option("-t", "--topic", metavar="ID", multiple=True, help="only this topic (repeatable)")
known = option("--known", metavar="FILE", help="documents that the user knew (Coverage, Novelty)")
reading_judgments = together(
    option(
        "--format",
        type=Choice((*FILE_FORMS, *PREFERENCES)),
        metavar="FORM",
        help=f"format of the files, if their names do not show it: {', '.join(FILE_FORMS)}; of "
        f"preferences: {', '.join(PREFERENCES)}",
    ),
    option(
        "--columns",
        type=COLUMNS,
        metavar="OURS=YOURS",
        multiple=True,
        callback=_merged,
        help="your columns, such as relevance=rating,doc_id=chunk (repeatable)",
    ),
    option(
        "--labels",
        type=LABELS,
        metavar="LABEL=GRADE",
        help="if grades are words: good=1,bad=0,error=unjudged or 'S A B C'",
    ),
)
reading = together(
    reading_judgments,
    option(
        "--ignore-self",
        is_flag=True,
        help="leave out documents with the id of their topic",
    ),
    option(
        "--lower-is-better",
        is_flag=True,
        help="scores are distances: the lowest is the best",
    ),
    option(
        "--exclude",
        metavar="FILE",
        help="leave out the documents that FILE lists for a topic: judgments of an earlier round",
    ),
    option(
        "--documents",
        type=DOCUMENTS,
        metavar="PATTERN|FILE",
        help="chunks count for their documents: '^(.*)#', or lines `chunk document`",
    ),
    option(
        "--repeated",
        type=Choice(REPEATS),
        metavar="ROW",
        help="which row of a repeated document counts: the last, the first, or the best (default: "
        "best with --documents, else last)",
    ),
    option(
        "-j",
        "--jobs",
        type=COUNT,
        metavar="N",
        help="runs to read at a time (default: one per core)",
    ),
)
ties = option(
    "--ties",
    type=Choice(["id", "input"]),
    default="id",
    help="rank ties by id, descending, or in file order",
)
ranking = together(
    option(
        "--float32",
        is_flag=True,
        help="round scores to 32 bits, as pytrec_eval does",
    ),
    ties,
)


def writing_as(default: str = "table", what: str = "", pictures: bool = False) -> Decorator:
    """Declare the options -o and -f, as an argument `out`.

    Parameters
    ----------
    default : str
        The format if neither is given.
    what : str
        The help of -o, before the formats.
    pictures : bool
        Whether the command draws its table to files of pictures.
    """
    declared = together(
        option(
            "-o",
            "--output",
            type=Choice(FORMS),
            metavar="FORMAT",
            help=f"{what}{', '.join(FORMS)} (default: {default})",
        ),
        option(
            "-f",
            "--file",
            metavar="FILE",
            help="write to FILE; its extension sets the format"
            + ", or draw: .png, .pdf, .svg" * pictures,
        ),
    )

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def with_output(output: str | None, file: str | None, **parameters: Any) -> Any:
            return function(out=Output(file, output, default, pictures), **parameters)

        return declared(with_output)

    return decorate


writing = writing_as()

by_query = option(
    "-q",
    "--by-query",
    is_flag=True,
    help="also print a value for each topic",
)
places = option(
    "-p",
    "--places",
    metavar="N",
    type=types.PLACES,
    default=PLACES,
    show_default=True,
    help="decimal places; -1 for all",
)


def groups_as(what: str) -> Decorator:
    """Declare the option --groups; `what` each group is for."""
    return option(
        "--groups",
        metavar="FILE",
        help=f"{what}; lines `topic group`, or a column of the judgments",
    )


groups = groups_as("means over groups of topics")
provider = option(
    "--provider",
    metavar="NAME",
    type=Choice(tuple(providers.registry)),
    help="compute all measures with this provider of ir_measures",
)
rel = option(
    "--rel",
    metavar="GRADE",
    type=types.GRADE,
    default=1,
    show_default=True,
    help="lowest relevant grade",
)

# Of curves and pictures. They are named after the arguments of the functions that draw them.
one_topic = option("-t", "--topic", metavar="ID", help="only this topic")
judged_only = option("--judged-only", is_flag=True, help="leave out unjudged documents")
depth = option(
    "--depth", metavar="RANK", type=COUNT, help="last rank (default: that of the longest run)"
)
partitions = option(
    "--partitions",
    "n",
    metavar="N,N,...",
    type=PARTITIONS,
    help="numbers of partitions (default: 2,4,8,16,32,64, and the highest grade + 1 if grades "
    "are whole numbers)",
)
beta = option(
    "--beta",
    metavar="B",
    type=types.BETA,
    default=1,
    show_default=True,
    help="weight of recall in E",
)
gain = together(
    option(
        "--base",
        metavar="B",
        type=types.BASE,
        default=2,
        show_default=True,
        help="base of the logarithm",
    ),
    option(
        "--gains",
        metavar="GRADE=GAIN,...",
        type=GAINS,
        help="gain of each grade, such as 1=1,2=3,3=7",
    ),
    option(
        "--ideal",
        type=Choice(["judged", "retrieved"]),
        default="judged",
        show_default=True,
        help="build the ideal list from these documents",
    ),
)
