"""Options that commands of the lab share, and lines that they print."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import click

from irpref.cli.command import Argument
from irpref.cli.options import Decorator, option, together
from irpref.cli.output import Output
from irpref.cli.parameter_types import COUNT, Choice, Parsed
from irpref.cli.say import say
from irpref.observed import MISSING
from irpref_lab.arguments import LEVEL
from irpref_lab.commands.lab_types import LEVEL as A_LEVEL
from irpref_lab.commands.lab_types import SEED, SHARE
from irpref_lab.decide.all_pairs import METHODS, PAIRS

judge = option(
    "--judge",
    metavar="FILE",
    multiple=True,
    help="fill holes with an LLM judge's grades (repeatable)",
)
sample = option(
    "--sample",
    "plan",
    metavar="FILE",
    help="a plan of irpref sample: humans judged its first documents, --judge graded the rest",
)
level = option(
    "--level",
    type=A_LEVEL,
    default=LEVEL,
    show_default=True,
    help="confidence level",
)
pairs = option(
    "--pairs",
    metavar="TEST",
    type=Choice(METHODS),
    default=PAIRS,
    help=f"{', '.join(METHODS)} (default: {PAIRS})",
)
strict = option(
    "--strict",
    is_flag=True,
    help="fail if a run answers no judged topic, or a file may have been cut off",
)
repeats = option(
    "--repeats",
    is_flag=True,
    help="files whose names differ only in a final number are runs of one system: llm-1.run, "
    "llm-2.run",
)


def _size(text: str) -> tuple[float, float]:
    if not text.isascii() or "_" in text:
        raise ValueError
    width, height = (float(part) for part in text.lower().split("x"))
    if not (0 < width < 100 and 0 < height < 100):
        raise ValueError
    return width, height


highlight = option(
    "--highlight",
    metavar="RUN",
    multiple=True,
    help="draw this run in colour, the others in grey (repeatable)",
)
look = together(
    option(
        "--size",
        metavar="WIDTHxHEIGHT",
        type=Parsed("size", _size, "a size in inches such as 4.4x3.2"),
        help="in inches, such as 4.4x3.2, the usual default",
    ),
    option(
        "--dpi",
        type=COUNT,
        default=300,
        show_default=True,
        help="dots per inch of a png",
    ),
    option("--title", help="your own title; '' for none"),
)
picture = together(
    option(
        "-f",
        "--file",
        metavar="FILE",
        required=True,
        help="picture: .png, .pdf or .svg",
    ),
    look,
)


def missing(clause: str) -> Decorator:
    """Declare the option --missing; `clause`: the part that may be missing."""
    return option(
        "--missing",
        type=SHARE,
        default=MISSING,
        show_default=True,
        help=f"share of the topics that {clause}",
    )


def judge_file(help: str) -> Decorator:
    """Declare the file of a judge's grades, an argument behind the human judgments."""
    return click.argument("judge_file", cls=Argument, type=click.Path(), metavar="JUDGE", help=help)


def seed(drawn: str) -> Decorator:
    """Declare the option --seed, passed on as `rng`."""
    return option(
        "--seed",
        "rng",
        metavar="SEED",
        type=SEED,
        default=0,
        show_default=True,
        help=f"seed of the {drawn}",
    )


def named_as_page(file: str | None) -> None:
    """Raise `UsageError` if the name of a page has the ending of something else."""
    if os.path.splitext(file or "")[1].lower() not in ("", ".html", ".htm"):
        raise click.UsageError(f"-f {file}: the page is HTML, so its name must end in .html")


def say_grave(lines: Sequence[str]) -> None:
    """Print what is grave to standard error, as `irpref check` words it."""
    for line in lines:
        say(f"check: {line}")


def with_sentences(table: Any, sentences: Mapping[tuple[str, str | None], str], out: Output) -> Any:
    """Add the line about each measure (and group) to its rows, if they are written as JSON."""
    if out.form not in ("json", "jsonl"):
        return table
    groups = table["group"] if "group" in table else [None] * len(table)
    keys = zip(table["measure"], groups, strict=True)
    lines = [sentences[measure, None if group != group else group] for measure, group in keys]
    return table.assign(sentence=lines)


def some(**options: Any) -> dict[str, Any]:
    """Select the options that have a value."""
    return {name: value for name, value in options.items() if value is not None}
