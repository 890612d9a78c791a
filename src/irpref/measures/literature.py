"""Citations: the papers of the measures, and this package."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from ir_measures.measures import Measure

from irpref.measures.docstring import prose
from irpref.measures.toml_files import data

PACKAGE_KEY, HOST_KEY = "irpref", "macavaney2022irmeasures"
_LATEX = str.maketrans({sign: f"\\{sign}" for sign in "_{}%&#$"})


def keys_of(measure: Measure) -> tuple[str, ...]:
    """Find the keys of the papers that define a measure, ours or one of ir_measures; none if they
    are not known here.
    """
    own = prose(measure).cites
    cited = data("names.toml")["cited"] if not own and _is_of_host(measure) else {}
    return own or tuple(key for key, names in cited.items() if str(measure.NAME) in names.split())


def _is_of_host(measure: Measure) -> bool:
    """Test for the host's own classes: not one made with `ir_measures.define`, whose class is born
    there, too.
    """
    return type(measure).__module__.partition(".")[0] == "ir_measures" and not hasattr(
        measure, "runtime_impl"
    )


@cache
def entries() -> dict[str, str]:
    """Read the BibTeX of each source by its key, from `literature.bib`."""
    from importlib import resources  # imports much, and few ask

    text = resources.files("irpref.measures").joinpath("literature.bib").read_text(encoding="utf-8")
    # The key of an entry is what follows the first brace.
    return {re.findall(r"{(.*),", entry)[0]: entry for entry in text.strip().split("\n\n")}


def package_entry() -> str:
    """Write the BibTeX of this package, with its version."""
    from importlib.metadata import version

    return (
        f"@software{{{PACKAGE_KEY},\n  author = {{{{The irpref developers}}}},\n"
        "  title = {irpref: preference, graded-relevance, position and user-oriented evaluation "
        "measures},\n"
        f"  version = {{{version(PACKAGE_KEY)}}},\n  year = {{2026}}\n}}"
    )


def parameters(measure: Measure) -> str:
    """List every parameter of a measure with the value it has, defaults included; parameters
    without a value are left out.
    """
    values = {
        name: measure.params.get(name, spec.default)
        for name, spec in measure.SUPPORTED_PARAMS.items()
    }
    shown = (
        name
        for name, value in values.items()
        if name in measure.params or isinstance(value, (str, int, float))
    )
    return ", ".join(f"{name}={values[name]!r}" for name in shown)


def methods(measures: Iterable[Measure]) -> str:
    """Write a sentence for the methods section in LaTeX: all parameters as they were used, and the
    keys of the sources.
    """
    names_with_keys = []
    for measure in measures:
        keys = ", ".join(keys_of(measure))
        values = parameters(measure)
        name = f"{measure} ({values})" if values else str(measure)
        names_with_keys.append(name.translate(_LATEX) + (f" \\cite{{{keys}}}" if keys else ""))
    *others, last = names_with_keys
    names = f"{', '.join(others)} and {last}" if others else last
    return (
        f"We report {names}, computed with irpref \\cite{{{PACKAGE_KEY}}} and ir-measures "
        f"\\cite{{{HOST_KEY}}}; "
        r"documents are ranked by score and ties broken by document id, descending, as in "
        r"trec\_eval."
    )


def cite(measures: Iterable[Measure]) -> str:
    """Cite the measures' papers, ir_measures and this package in BibTeX, under a sentence for the
    methods section.

    Parameters
    ----------
    measures : iterable of measures, ours or the host's

    Returns
    -------
    str
        BibTeX ignores what is outside the entries: lines that begin with `%` say what each measure
        is, its parameters, and the sentence. They have no `@`, with which an entry would begin: a
        cutoff is written as `at 10`.
    """
    chosen = list(measures)
    lines = []
    keys: dict[str, None] = {}
    for measure in chosen:
        values = parameters(measure)
        name = getattr(measure, "PRETTY_NAME", None) or str(measure.NAME)
        lines.append(f"% {name} ({measure}{': ' + values if values else ''})")
        if not keys_of(measure) and _is_of_host(measure):
            lines.append(
                f"%   {measure.NAME} is a measure of ir_measures: its documentation may name a "
                f"paper"
            )
        elif not keys_of(measure):
            lines.append(f"%   {prose(measure).source}")
        keys.update(dict.fromkeys(keys_of(measure)))
    if chosen:
        lines += ["%", f"% {methods(chosen)}"]
    lines = [line.replace("@", " at ") for line in lines]
    bibliography = entries()
    lines += [f"% no entry is known here for {key}" for key in keys if key not in bibliography]
    return "\n".join(
        [
            *lines,
            "",
            *(f"{bibliography[key]}\n" for key in [*keys, HOST_KEY] if key in bibliography),
            package_entry(),
            "",
        ]
    )
