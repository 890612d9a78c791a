"""`irpref list`: the measures of irpref and ir-measures."""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections import Counter
from dataclasses import replace
from typing import Any

import click
from ir_measures import providers
from ir_measures.measures import Measure, registry
from ir_measures.measures.base import _NOT_PROVIDED

from irpref.cli import options
from irpref.cli.command import Argument, command
from irpref.cli.complete import measures_only
from irpref.cli.output import Output
from irpref.cli.remedies import text_of
from irpref.measures.declare import NEEDS, KernelMeasure, needs, registered
from irpref.measures.everyday import HOSTED
from irpref.measures.everyday_terms import by_hand, described, prose_of
from irpref.measures.names import parse
from irpref.measures.notation import plain, symbols
from irpref.measures.support import pipeline, wanted_changes
from irpref.measures.toml_files import compared
from irpref.show.text import Column, Table, page_of

WIDTH = 100  # at most
ROW = ("name", "from", "title", "question", "range", "higher_is_better", "source")


@command("list")
@click.argument(
    "names",
    cls=Argument,
    metavar="[MEASURE...]",
    nargs=-1,
    shell_complete=measures_only,
    help="such as RPref or nDCG",
)
@options.option("--long", is_flag=True, help="also print the whole definition")
@options.importing
@options.writing_as("text", "one row per measure; json and jsonl have everything: ")
def list_measures(names: tuple[str, ...], long: bool, out: Output) -> None:
    """List the measures of irpref and ir-measures, or explain one of them.

    \b
    irpref list                   # all measures, and how to install some
    irpref list RPref             # one measure on one screen
    irpref list RPref --long      # its whole definition, an example by hand
    """
    chosen = [_named(name) for name in names]
    if out.form != "text" and (out.form != "table" or out.asked):
        every = [facts(measure) for measure in chosen or listed()]
        columns = list(every[0]) if out.form in ("json", "jsonl") else ROW
        out.show(
            Table(
                [Column(name, left=True) for name in columns],
                [[fact[name] for name in columns] for fact in every],
            )
        )
    elif chosen:
        with out.open() as file:
            file.write("\n".join(_page(facts(measure), long) for measure in chosen))
    else:
        replace(out, default="table").show(
            _overview([facts(measure) for measure in listed()]), widest=WIDTH
        )


def listed() -> list[Any]:
    """List our measures in the order of the documentation, then the host's."""
    other = {str(m.NAME): m for m in registry.values() if not isinstance(m, KernelMeasure)}
    return [*registered().values(), *(other[name] for name in sorted(other, key=str.lower))]


def _named(name: str) -> Any:
    if name in registry:
        return registry[name]
    try:
        return parse(name)
    except ValueError as error:
        raise click.UsageError(text_of(error)) from None


def facts(measure: Any) -> dict[str, Any]:
    """Collect the declarations of a measure, as JSON would have them."""
    ours = isinstance(measure, KernelMeasure)
    said, everyday = prose_of(measure), None if ours else described(str(measure.NAME))
    documentation = inspect.cleandoc(type(measure).__doc__ or "")
    definition = inspect.cleandoc(sys.modules[type(measure).__module__].__doc__ or "")
    return {
        "name": str(measure.__name__),
        "from": "irpref" if ours else "ir_measures",
        "group": compared(measure).group if ours else None,
        "title": str(said.name or measure.__name__),
        "description": " ".join(
            (getattr(measure, "SHORT_DESC", None) or documentation.split("\n\n")[0]).split()
        ),
        "question": said.question or None,
        "range": said.range or None,
        "higher_is_better": measure.higher_is_better if ours else True if everyday else None,
        "needs": [] if everyday else [NEEDS[need] for need in needs(measure)],
        "use": said.use or None,
        "pitfalls": said.pitfalls or None,
        "example": said.worked_example or None,
        "by_hand": by_hand(everyday["example"]) if everyday else None,
        "source": said.source or None,
        "parameters": [_parameter(measure, name) for name in measure.SUPPORTED_PARAMS],
        "providers": _providers(measure),
        "documentation": documentation,
        "formula": plain(said.formula) if said.formula else [],
        "symbols": {
            plain(name)[0]: text for name, text in symbols(said.formula, said.symbols).items()
        },
        "definition": definition if ours else None,
    }


def _parameter(measure: Measure, name: str) -> dict[str, Any]:
    spec = measure.SUPPORTED_PARAMS[name]
    types = spec.dtype if isinstance(spec.dtype, tuple) else (spec.dtype,)
    return {
        "name": name,
        "type": " or ".join(t.__name__ for t in types if t is not None) or None,
        "default": None if spec.default is _NOT_PROVIDED else spec.default,
        "required": bool(spec.required),
        "choices": None
        if spec.choices is _NOT_PROVIDED
        else [str(choice) for choice in spec.choices],
        "description": spec.desc,
    }


def _providers(measure: Measure) -> list[str]:
    return [
        provider.NAME
        for provider in pipeline()
        if any(supported.NAME == measure.NAME for supported in provider.SUPPORTED_MEASURES)
        or (provider.NAME == "runtime" and hasattr(measure, "runtime_impl"))
    ]


def _provider(name: str) -> providers.Provider:
    """Find a provider of the pipeline, which need not be registered: see `irpref.accelerate`."""
    return next(provider for provider in pipeline() if name == provider.NAME)


def _computed_by(fact: dict[str, Any]) -> list[str]:
    """List who computes a measure, whether it is installed, and its needs."""
    out = []
    if fact["from"] == "ir_measures" and (mine := HOSTED.get(fact["name"])):
        # Of its defaults, the one that we do not compute is RBP by grades.
        out.append("irpref" if mine.fits(_named(fact["name"])) else "irpref (with rel)")
    for name in fact["providers"]:
        provider = _provider(name)
        notes = [] if provider.is_available() else ["not installed"]
        if fact["from"] == "ir_measures":
            notes += wanted_changes(provider, _named(fact["name"]))
        out.append(f"{name} ({', '.join(notes)})" if notes else name)
    return out


def _wanted(fact: dict[str, Any]) -> str | None:
    """Say how to install a measure that does not compute here; None if it does."""
    able = [_provider(name) for name in fact["providers"]]
    if fact["from"] == "irpref" or any(provider.is_available() for provider in able):
        return None
    if {"cwl_eval", "pyndeval"} & set(fact["providers"]):
        return "pip install 'irpref[providers]'"
    instructions = [f"{provider.NAME}: {provider.install_instructions()}" for provider in able]
    return " or ".join(instructions) or "no provider of ir_measures computes them"


# Text ---------------------------------------------------------------------------------------------


def _overview(every: list[dict[str, Any]]) -> list[Table]:
    """Make a line for each measure: its question or description, its range, and a dash if it does
    not compute here. Ours stand under the headings of their groups.
    """
    columns = [Column("", left=True), Column("", left=True, prose=True)]
    width = max(len(fact["name"]) for fact in every)
    groups: dict[str, list[list[str]]] = {}
    for fact in every:
        lower = "Lower is better." if fact["higher_is_better"] is False else ""
        sentences = [
            fact["question"] or fact["description"],
            fact["range"] and f"{fact['range']}.",
            lower,
        ]
        name = ("- " if _wanted(fact) else "  ") + fact["name"].ljust(width)
        group = fact["group"] or f"Measures of {fact['from']}"
        groups.setdefault(group, []).append([name, " ".join(filter(None, sentences))])
    tables = [Table(columns, rows, group) for group, rows in groups.items()]
    tables[0].title = f"Measures of irpref\n\n{tables[0].title}"
    lacking = Counter(filter(None, map(_wanted, every)))
    tables[-1].notes = [
        "",
        "trec_eval's names (map, ndcg_cut_10, P_5, official, ...) mean measures of ir_measures.",
        *(f"{n} marked with - cannot be computed here: {how}" for how, n in lacking.items()),
        "irpref list NAME explains a measure and its parameters; irpref list -o json prints "
        "everything.",
    ]
    return tables


def _filled(text: str, first: str = "", further: str = "") -> list[str]:
    """Wrap a text into lines no wider than the terminal."""
    width = min(page_of(sys.stdout).width or WIDTH, WIDTH)
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=further, break_long_words=False
    )


def _no_wider(line: str) -> list[str]:
    """Break a line that is wider than the terminal; the rest is indented as it is, and further."""
    indent = line[: len(line) - len(line.lstrip())]
    return _filled(line.lstrip(), indent, indent + "  " * bool(indent)) or [""]


def _refilled(text: str, indent: str = "") -> list[str]:
    """Fit a text into the terminal: paragraphs are filled anew, all else is broken line by line."""
    out: list[str] = []
    for block in text.split("\n\n"):
        lines = block.splitlines()
        if lines[0].startswith("- "):
            for item in re.split(r"^- ", block, flags=re.MULTILINE)[1:]:
                out += _filled(" ".join(item.split()), f"{indent}- ", f"{indent}  ")
        elif any(re.match(r"[-*.\s]|.*\S  ", line) for line in lines):
            out += [part for line in lines for part in _no_wider(indent + line)]
        else:
            out += _filled(" ".join(lines), indent, indent)
        out.append("")
    return out[:-1]


def _page(fact: dict[str, Any], long: bool) -> str:
    named = f"{fact['name']}: {fact['title']}"
    lines = [named if fact["title"] != fact["name"] else fact["name"], ""]
    # The host's, for its site.
    rest = re.sub(r"\s*^\.\. cite\S*:: .*", "", fact["documentation"], flags=re.MULTILINE)
    first, _, further = rest.partition("\n\n")
    lines += _filled(first.replace("\n", " ") or fact["description"])
    if long and further:
        lines += ["", *_refilled(further)]
    lines.append("")
    if fact["formula"]:
        lines += [
            *(part for line in fact["formula"] for part in _filled(line, "    ", " " * 8)),
            "",
        ]
        width = max(map(len, fact["symbols"]), default=0)
        for symbol, meaning in fact["symbols"].items():
            lines += _filled(meaning, f"{symbol.ljust(width)}  ", " " * (width + 2))
        lines += [""] if fact["symbols"] else []
    if fact["range"]:
        better = "higher" if fact["higher_is_better"] else "lower"
        lines += _filled(f"Range: {fact['range']}, {better} is better", further=" " * 7)
    lines += [line for need in fact["needs"] for line in _filled(f"Needs: {need}", further=" " * 7)]
    said = {"By hand": "by_hand", "When to use it": "use", "Pitfalls": "pitfalls"}
    for heading, key in said.items():
        lines += _filled(f"{heading}: {fact[key]}", further=" " * 4) if fact[key] else []
    if fact["source"]:
        lines += _filled(f"Source: {fact['source']}", further=" " * 8)
    providers = ", ".join(_computed_by(fact)) or "no installed provider"
    lines += _filled(f"Computed by: {providers}", further=" " * 4)
    if fact["parameters"]:
        lines += ["", "Parameters"]
    for parameter in fact["parameters"]:
        lines += _parameter_lines(parameter)
    if fact["definition"] and long:
        lines += ["", _definition_of(fact), "", *_refilled(fact["definition"], "  ")]
    elif fact["definition"]:
        lines += ["", f"irpref list {fact['name']} --long   irpref cite {fact['name']}"]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _definition_of(fact: dict[str, Any]) -> str:
    """Write the heading of a definition, which names the measures that share it."""
    home = type(registry[fact["name"]]).__module__
    family = [name for name, one in registered().items() if type(one).__module__ == home]
    return "Definition" if len(family) == 1 else f"Definition of {', '.join(family)}"


def _parameter_lines(parameter: dict[str, Any]) -> list[str]:
    kind = (
        " or ".join(map(repr, parameter["choices"]))
        if parameter["choices"]
        else (parameter["type"] or "any")
    )
    if parameter["required"]:
        kind += ", required"
    elif parameter["default"] is not None:
        kind += f", default {parameter['default']!r}"
    text = f"{parameter['name']} ({kind}): {parameter['description'] or ''}".rstrip(": ")
    return _filled(text, "  ", " " * 6)
