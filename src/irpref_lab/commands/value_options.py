"""`--values` and `--collections`: values, or collections, in place of judgments and runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click
from click.core import ParameterSource

from irpref.cli.arguments import INPUTS, Inputs, check_files_there, only_topics, sort_values
from irpref.cli.options import Decorator, option, together
from irpref.cli.parameter_types import OTHER_COLUMNS, Choice
from irpref.messages import did_you_mean
from irpref_lab.arguments import OVER

_GIVEN = f"{__name__}.given"  # where the context keeps which of the two options is given
_ALLOWED = {"qrels", "arguments", "measure", "jobs"}
_OF_RUNS = {*INPUTS, "judge", "plan"} - _ALLOWED  # parameters that say how runs are judged
_OF_TOPICS = {"by_query", "design", "places"}  # what commands make of results by topic
_OF_COLLECTIONS = {"over", "by_collection"}


def _remember(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[_GIVEN] = param.opts[0]
    if value and param.opts[0] == "--values":
        from irpref_lab.given_values.tables import COLUMNS

        ctx.meta[OTHER_COLUMNS] = COLUMNS


values = option(
    "--values",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_remember,
    help="the files hold values by topic from other tools; there are no judgments: main.txt "
    "candidate.txt",
)
_collections = option(
    "--collections",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_remember,
    help="in place of the judgments, give a folder that has a folder for each collection, with "
    "qrels.txt and runs; name runs without their folder",
)
_over = option(
    "--over",
    type=Choice(OVER),
    metavar="SAMPLE",
    help="with --collections, the sample consists of topics or of collections (default: topics)",
)


def collections(by_collection: str = "") -> Decorator:
    """Declare --collections and its options; `by_collection` is the help of --by-collection."""
    declared = [_collections, _over]
    if by_collection:
        declared.append(option("--by-collection", is_flag=True, help=by_collection))
    return together(*declared)


@dataclass
class ValueInputs(Inputs):
    """Files of values in place of judgments and runs; `values` holds them.

    Attributes
    ----------
    values : Values
    reference : str or None
        The system in the file of --reference.
    """

    values: Any = None
    reference: str | None = None


@dataclass
class CollectionInputs(Inputs):
    """A folder of collections in place of judgments and runs; `collections` holds them."""

    collections: Any = None


def runs_or_values(takes: str, default: Sequence[str], **given: Any) -> Inputs:
    """Sort arguments as `Inputs.from_options` does; with --values, files hold values by topic, and
    with --collections, runs are names of systems.

    Raises
    ------
    click.UsageError
        There are too few or too many systems, no measure, or an option that does not apply.
    """
    ctx = click.get_current_context()
    place = ctx.meta.get(_GIVEN)
    if place == "--collections":
        from irpref_lab.arguments import OF_ONE_COLLECTION

        of_one = {*_OF_RUNS, *_OF_TOPICS, *OF_ONE_COLLECTION}
        _refuse(ctx, of_one, "does not apply to collections")
        return _of_collections(takes, given)
    if place == "--values":
        of_runs = (_OF_RUNS - {"topic", "columns"}) | {"rankings", "titles", "depth"}
        _refuse(ctx, of_runs, "does not apply to values")
    _refuse(ctx, _OF_COLLECTIONS, "needs --collections")
    if place == "--values":
        return _of_values(takes, given, ctx.params.get("reference"))
    return Inputs.from_options(takes, default, **given)


def that_apply(given: Inputs, **how: Any) -> dict[str, Any]:
    """Select the options that apply to the inputs: collections refuse even the defaults of
    others.
    """
    from irpref_lab.arguments import OF_ONE_COLLECTION

    if not isinstance(given, CollectionInputs):
        return how
    return {name: value for name, value in how.items() if name not in OF_ONE_COLLECTION}


def _refuse(ctx: click.Context, names: set[str], reason: str) -> None:
    """Refuse options that would have no effect."""
    for param in ctx.command.params:
        source = ctx.get_parameter_source(param.name or "")
        if param.name in names and source is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{param.opts[-1]} {reason}")


def _of_values(takes: str, given: Mapping[str, Any], reference: str | None) -> ValueInputs:
    """Read files of values, the file of --reference last."""
    import irpref_lab

    paths, names = sort_values([given["qrels"], *given["arguments"]])
    names += given.get("measure", ())
    columns = _columns(given.get("columns") or {})
    # A column of values has no name of a measure: it is the one that is asked for.
    is_named = "measure" not in columns and columns.keys() & {"value", "systems"}
    read = irpref_lab.values(
        paths if reference is None or reference in paths else [*paths, reference],
        columns=columns,
        measure=names[0] if is_named and len(names) == 1 else None,
    )
    named = [name for name in names if name in read.systems and not read.has(name)]
    names = [name for name in names if name not in named]
    check_files_there(names, read.measures)
    _check_words(names, read.systems, [read])
    if topics := given.get("topic"):
        read = read.only(only_topics(read.topics, topics, "the values"))
    if len(read.collections) > 1:
        raise click.UsageError(
            f"--values: there are {len(read.collections)} collections "
            f"({', '.join(read.collections[:5])}); compare over all with --collections FILE"
        )
    has_its_own = reference is not None and reference not in paths
    every = read.systems[:-1] if has_its_own else read.systems
    here = named or every
    if not named and "BASELINE" in takes and len(every) > len(paths):
        raise click.UsageError(
            f"--values: name the baseline{' and the candidate' * ('CANDIDATE' in takes)} after the "
            f"files, which do not say which it is; there are {', '.join(every[:9])}"
        )
    _check_number(takes, here, "--values", every if named else ())
    if not names:
        raise click.UsageError(f"no measure is named; there are {', '.join(read.measures[:9])}")
    systems = {name: [name] for name in here}
    files = {name: name for name in systems}
    of_reference = None
    if reference is not None:
        if not has_its_own and len(every) > len(paths):
            raise click.UsageError(f"--reference: {reference} has several systems, expected one")
        of_reference = read.systems[-1 if has_its_own else paths.index(reference)]
    return ValueInputs(
        "values",
        files,
        read.measures_of(names),
        systems=systems,
        values=read,
        reference=of_reference,
    )


def _columns(given: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the columns of --columns as `irpref_lab.values` takes them."""
    from irpref_lab.given_values.tables import LISTS

    for ours, theirs in given.items():
        if ours not in LISTS and len(theirs) > 1:
            raise click.UsageError(f"--columns: {ours} is one column, got {', '.join(theirs)}")
    return {ours: list(theirs) if ours in LISTS else theirs[0] for ours, theirs in given.items()}


def _of_collections(takes: str, given: Mapping[str, Any]) -> CollectionInputs:
    """Read a folder of collections, or a file of values with a column `collection`."""
    import irpref_lab
    from irpref_lab.decide.over_collections.parts import measures_over

    path = given["qrels"]
    read = irpref_lab.collections(path)
    named = [text for text in given["arguments"] if text in read.systems]
    names = [text for text in given["arguments"] if text not in read.systems]
    _check_words(names, read.systems, list(read.parts.values()))
    names += given.get("measure", ())
    if not names:
        there = ", ".join(read.systems[:9])
        raise click.UsageError(f"no measure is named; the systems are {there}")
    if named or not takes.startswith("RUN"):
        several = takes.startswith("RUN")
        _check_number(takes, named, "--collections", read.systems if not several else ())
    systems = {name: [name] for name in named or read.systems}
    files = {name: name for name in systems}
    return CollectionInputs(
        path, files, measures_over(names, read), systems=systems, collections=read
    )


def _check_words(words: Iterable[str], systems: Sequence[str], parts: Sequence[Any]) -> None:
    """Refuse words that are neither systems nor measures, which irpref knows or which values have.

    Raises
    ------
    click.UsageError
    """
    from irpref_lab.given_values import Values
    from irpref_lab.given_values.tables import known_measure

    of_values = [part for part in parts if isinstance(part, Values)]
    for word in words:
        if known_measure(word) is not None or any(part.has(word) for part in of_values):
            continue
        measures = dict.fromkeys(name for part in of_values for name in part.measures)
        meant = did_you_mean(word, [*systems, *measures])
        # With a bracket or a cutoff it was meant for a measure.
        if not meant and {"(", "@"} & set(word):
            continue
        there = f"the systems are {_some(systems)}"
        if measures:
            there += f", the measures {_some(list(measures))}"
        raise click.UsageError(f"{word!r} is neither a system nor a measure; {there}{meant}")


def _some(names: Sequence[str]) -> str:
    return ", ".join([*names[:9], *["..."] * (len(names) > 9)])


def _check_number(
    takes: str, systems: Sequence[str], place: str, known: Sequence[str] = ()
) -> None:
    """Refuse too few or too many systems."""
    wanted = takes.partition("MEASURE")[0].split()
    several = any(word.endswith("...") for word in wanted)
    # All systems are compared with a baseline that is named alone.
    least = 1 if known and several else len(wanted)
    if len(systems) < least or (not several and len(systems) > least):
        there = f"; there are {', '.join(known[:9])}" if known else ""
        raise click.UsageError(
            f"{place}: expected {'at least ' * several}{least} system{'s' * (least != 1)}, got "
            f"{len(systems)} ({', '.join(systems[:5])}){there}"
        )
