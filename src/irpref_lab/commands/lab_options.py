"""Options that commands of the lab share, and their inputs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from irpref.cli.arguments import Inputs, read_judgments
from irpref.cli.command import Argument
from irpref.cli.options import Decorator, option, together
from irpref.cli.output import Output
from irpref.cli.parameter_types import COUNT, Choice, Parsed
from irpref.cli.say import say
from irpref.judged import Judgments, as_judgments
from irpref.observed import MISSING
from irpref_lab.commands.lab_types import LEVEL as A_LEVEL
from irpref_lab.commands.lab_types import SEED, SHARE
from irpref_lab.commands.value_options import CollectionInputs, ValueInputs
from irpref_lab.decide.all_pairs import LEVEL, METHODS, PAIRS

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
    help="files whose names differ in a last number are one system: llm-1.run, llm-2.run",
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


def filled(
    given: Inputs, judges: Sequence[str], runs: Callable[[], dict[str, Any] | None] = dict
) -> Judgments:
    """Read the judgments of the topics asked for, their holes filled with the grades of judges.

    Judgments are read before the runs, which are asked for only if their ranks say how many filled
    documents are relevant.
    """
    qrels = read_judgments(given.qrels, given.form)
    if judges:
        from irpref_lab import fill

        grades = [read_judgments(path, given.form) for path in judges]
        by_judge = fill(qrels, grades, runs() or None)
        say(by_judge.text)
        qrels = by_judge
    # A document that only a judge graded may be known, too.
    return given.of_topics(as_judgments(qrels, known=given.known_documents()))


def of_sample(given: Inputs, judges: Sequence[str], plan: str) -> Judgments:
    """Read the judgments of a sample."""
    if len(judges) > 1:
        raise click.UsageError("--sample takes the one --judge that the plan was drawn with")
    if given.topics:
        raise click.UsageError("--sample: the topics are those of the plan, so -t does not apply")
    from irpref_lab import sampled

    judge = read_judgments(judges[0], given.form) if judges else None
    estimable = sampled(read_judgments(given.qrels, given.form), judge, plan)
    say(estimable.text)
    return estimable


def read(
    given: Inputs, judges: Sequence[str] = (), plan: str | None = None, ranks: bool = False
) -> tuple[Any, dict[str, Any]]:
    """Read judgments, and the run of each system, or the list of its runs. With `ranks`, the ranks
    of several runs say how many filled documents are relevant.
    """
    if isinstance(given, CollectionInputs):
        return given.collections, {name: name for name in given.systems}
    if isinstance(given, ValueInputs):
        return given.values, {name: name for name in given.systems}
    for name, repeated in given.systems.items():
        if len(repeated) > 1:
            say(f"{name}: {len(repeated)} runs of one system ({', '.join(repeated)})")
    if plan is not None:
        return of_sample(given, judges, plan), given.of_systems(given.runs())
    runs: dict[str, Any] = {}

    def of_ranks() -> dict[str, Any] | None:
        runs.update(given.runs())
        return runs if ranks and len(runs) > 1 else None

    qrels = filled(given, judges, of_ranks)
    return qrels, given.of_systems(runs or given.runs())


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
