"""List the measures of irpref and ir-measures, or explain one of them.

irpref list              all measures, and what to install for those that cannot be computed here
irpref list RPref        one measure on one screen
irpref list RPref --long with the whole definition, differences from other tools, an example by hand
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
import textwrap
from itertools import chain, takewhile
from typing import Any

from ir_measures.measures import Measure

from irpref.cli import frame
from irpref.cli.frame import Command, Parser, UsageError
from irpref.show.text import FORMS, Column, Table, page_of

WIDTH = 100  # at most


def _arguments(parser: Parser) -> None:
    parser.add_argument("names", metavar="MEASURE", nargs="*", help="such as RPref or nDCG")
    parser.add_argument("--long", action="store_true", help="also print the whole definition")
    frame.add(
        parser,
        "import",
        *frame.WRITING,
        output=f"one row a measure: {', '.join(FORMS)}; json and jsonl have everything",
    )


def run(args: argparse.Namespace) -> None:
    """Print the list or the pages. Raises `UsageError` for a name nobody has."""
    chosen = [_named(name) for name in args.names]
    form = frame.form_of(args, "text")
    if form == "text" or (form == "table" and not args.output):
        with frame.opened(args) as out:
            out.write("\n".join(_page(facts(measure), args.long) for measure in chosen) if chosen else _overview())
        return
    found = [facts(measure) for measure in chosen or listed()]
    everything = Table([Column(name) for name in found[0]], [list(fact.values()) for fact in found])
    frame.show(args, everything if form in ("json", "jsonl") else _table(found))


def listed() -> list[Any]:
    """Measures of ours in the order of the documentation, then those of the host."""
    from ir_measures import measures

    from irpref.measures.declare import registered

    ours = list(registered().values())
    other = {str(m.NAME): m for m in measures.registry.values() if not _is_ours(m)}
    return [*ours, *(other[name] for name in sorted(other, key=str.lower))]


def _is_ours(measure: Measure) -> bool:
    from irpref.measures.declare import KernelMeasure

    return isinstance(measure, KernelMeasure)


def _named(name: str) -> Any:
    from ir_measures import measures

    from irpref.measures.names import parse

    if name in measures.registry:
        return measures.registry[name]
    try:
        return measures.registry[str(parse(name).NAME)]
    except ValueError as error:
        raise UsageError(str(error)) from None


def facts(measure: Any) -> dict[str, Any]:
    """What is declared about a measure, as JSON would have it."""
    from irpref.measures.declare import NEEDS, needs

    ours = _is_ours(measure)
    return {
        "name": str(measure.__name__),
        "from": "irpref" if ours else "ir_measures",
        "title": str(getattr(measure, "PRETTY_NAME", None) or measure.__name__),
        "description": str(getattr(measure, "SHORT_DESC", None) or _first_paragraph(measure)),
        "question": getattr(measure, "QUESTION", None),
        "range": measure.RANGE if ours else None,
        "higher_is_better": bool(measure.higher_is_better) if ours else None,
        "ideal": measure.IDEAL if ours else None,
        "needs": [NEEDS[need] for need in needs(measure)],
        "use": measure.USE if ours else None,
        "pitfalls": measure.PITFALLS if ours else None,
        "example": measure.EXAMPLE if ours else None,
        "source": getattr(measure, "SOURCE", None),
        "parameters": [_parameter(measure, name) for name in measure.SUPPORTED_PARAMS],
        "providers": _providers(measure),
        "documentation": inspect.cleandoc(type(measure).__doc__ or ""),
        "definition": inspect.cleandoc(sys.modules[type(measure).__module__].__doc__ or "") if ours else None,
    }


def _parameter(measure: Measure, name: str) -> dict[str, Any]:
    from ir_measures.measures.base import _NOT_PROVIDED

    spec = measure.SUPPORTED_PARAMS[name]
    types = spec.dtype if isinstance(spec.dtype, tuple) else (spec.dtype,)
    return {
        "name": name,
        "type": " or ".join(t.__name__ for t in types if t is not None) or None,
        "default": None if spec.default is _NOT_PROVIDED else spec.default,
        "required": bool(spec.required),
        "choices": None if spec.choices is _NOT_PROVIDED else [str(choice) for choice in spec.choices],
        "description": spec.desc,
    }


def _providers(measure: Measure) -> list[str]:
    import ir_measures

    return [
        provider.NAME
        for provider in ir_measures.DefaultPipeline.providers
        if any(supported.NAME == measure.NAME for supported in provider.SUPPORTED_MEASURES)
        or (provider.NAME == "runtime" and hasattr(measure, "runtime_impl"))
    ]


def _computed_by(fact: dict[str, Any]) -> list[str]:
    """Providers, whether they are installed, and what they want."""
    from ir_measures import providers

    from irpref.measures.support import terms

    out = []
    for name in fact["providers"]:
        provider = providers.registry[name]
        notes = [] if provider.is_available() else ["not installed"]
        if fact["from"] == "ir_measures":
            notes += terms(provider, _named(fact["name"]))
        out.append(f"{name} ({', '.join(notes)})" if notes else name)
    return out


def _wanted(fact: dict[str, Any]) -> str | None:
    """What to install before a measure computes here; None if it does."""
    from ir_measures import providers

    able = [providers.registry[name] for name in fact["providers"]]
    if fact["from"] == "irpref" or any(provider.is_available() for provider in able):
        return None
    if {"cwl_eval", "pyndeval"} & set(fact["providers"]):
        return "pip install 'irpref[providers]'"
    said = [f"{provider.NAME}: {provider.install_instructions()}" for provider in able]
    return " or ".join(said) or "nothing from pip: no provider of ir_measures computes it"


def _table(found: list[dict[str, Any]]) -> Table:
    """A row for each measure."""
    columns = [Column(name, left=True) for name in ("measure", "from", "parameters", "range", "better")]
    columns += [Column("computed by", left=True, prose=True), Column("source", left=True, prose=True)]
    rows = []
    for fact in found:
        names = ", ".join(p["name"] + ("!" if p["required"] else "") for p in fact["parameters"])
        better = {True: "higher", False: "lower", None: None}[fact["higher_is_better"]]
        by = _wanted(fact) or ", ".join(fact["providers"])
        rows.append([fact["name"], fact["from"], names, fact["range"], better, by, fact["source"]])
    return Table(columns, rows)


def _first_paragraph(measure: Measure) -> str:
    return " ".join(inspect.cleandoc(type(measure).__doc__ or "").split("\n\n")[0].split())


# Text -----------------------------------------------------------------------------------------------------------


def _overview() -> str:
    every = [facts(measure) for measure in listed()]
    blocks = []
    for origin, title in (("irpref", "Measures of irpref"), ("ir_measures", "Measures of ir_measures")):
        rows = [fact for fact in every if fact["from"] == origin]
        blocks.append("\n".join([title, *(_row(fact) for fact in rows)]))
    notes = [
        "Names of trec_eval (map, ndcg_cut_10, P_5, official, ...) mean those of ir_measures.",
        "A parameter marked with ! must be given.",
        *_missing(every),
        "irpref list NAME explains a measure, irpref list -o json has everything.",
    ]
    blocks.append("\n".join(chain.from_iterable(map(_filled, notes))))
    return "\n\n".join(blocks) + "\n"


def _missing(every: list[dict[str, Any]]) -> list[str]:
    by: dict[str, int] = {}
    for fact in every:
        how = _wanted(fact)
        if how:
            by[how] = by.get(how, 0) + 1
    return [f"{n} marked with - do not compute here; for them: {how}" for how, n in by.items()]


def _row(fact: dict[str, Any]) -> str:
    names = [p["name"] + ("!" if p["required"] else "") for p in fact["parameters"]]
    call = f"({', '.join(names)})" if names else ""
    text = fact["description"] if fact["from"] == "ir_measures" else (fact["question"] or fact["description"])
    range_ = f" {fact['range']}." if fact["range"] else ""
    lower = " Lower is better." if fact["higher_is_better"] is False else ""
    short = " ".join(textwrap.wrap(f"{text}{range_}{lower}", WIDTH - 4)[:2])
    mark = "- " if _wanted(fact) else "  "
    below = [_filled(text, " " * 4, " " * 4) for text in (short, fact["source"]) if text]
    return "\n".join([*_filled(f"{fact['name']}{call}", mark, " " * 6), *chain.from_iterable(below)])


def _filled(text: str, first: str = "", further: str = "") -> list[str]:
    """Lines no wider than the terminal."""
    width = min(page_of(sys.stdout).width or WIDTH, WIDTH)
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=further, break_long_words=False)


def _page(fact: dict[str, Any], long: bool) -> str:
    lines = [f"{fact['name']}: {fact['title']}" if fact["title"] != fact["name"] else fact["name"], ""]
    rest = re.sub(r"\s*^\.\. cite\S*:: .*", "", fact["documentation"], flags=re.M)  # the host's, for its site
    first, _, further = rest.partition("\n\n")
    lines += _filled(first.replace("\n", " ") or fact["description"])
    if long and further:
        lines += ["", *further.splitlines()]
    lines.append("")
    if fact["definition"] and not long and (formula := _formula(fact["definition"])):
        lines += [*formula, ""]
    if fact["range"]:
        better = "higher" if fact["higher_is_better"] else "lower"
        ideal = "" if fact["ideal"] is None else f"; {fact['ideal']:g} for the ideal list"
        lines.append(f"Range: {fact['range']}, {better} is better{ideal}")
    lines += [line for need in fact["needs"] for line in _filled(f"Needs: {need}", further=" " * 7)]
    for heading, text in (("When to use it", fact["use"]), ("Pitfalls", fact["pitfalls"])):
        lines += _filled(f"{heading}: {text}", further=" " * 4) if text else []
    if fact["source"]:
        lines += _filled(f"Source: {fact['source']}", further=" " * 8)
    lines.append(f"Computed by: {', '.join(_computed_by(fact)) or 'no provider that is installed'}")
    if fact["parameters"]:
        lines += ["", "Parameters"]
    for parameter in fact["parameters"]:
        lines += _parameter_lines(parameter)
    if fact["definition"] and long:
        lines += ["", "Definition", "", *(f"  {line}" for line in fact["definition"].splitlines())]
    elif fact["definition"]:
        lines += ["", f"irpref list {fact['name']} --long   irpref cite {fact['name']}"]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _formula(definition: str) -> list[str]:
    """The first block of a definition that is set off from the text, its formulas, and the symbols explained below."""
    blocks = definition.split("\n\n")
    start = next((i for i, block in enumerate(blocks) if block.startswith("    ")), len(blocks))
    shown = (block.startswith("    ") or re.match(r"\S+( \S+)? {2,}\S", block) for block in blocks[start:])
    return "\n\n".join(block for block, _ in zip(blocks[start:], takewhile(bool, shown), strict=False)).splitlines()


def _parameter_lines(parameter: dict[str, Any]) -> list[str]:
    kind = " or ".join(map(repr, parameter["choices"])) if parameter["choices"] else (parameter["type"] or "any")
    if parameter["required"]:
        kind += ", required"
    elif parameter["default"] is not None:
        kind += f", default {parameter['default']!r}"
    text = f"{parameter['name']} ({kind}): {parameter['description'] or ''}".rstrip(": ")
    return _filled(text, "  ", " " * 6)


COMMAND = Command(run, _arguments, __doc__)
