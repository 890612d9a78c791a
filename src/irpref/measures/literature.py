"""What to cite: the papers of the measures, and this package."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from ir_measures.measures import Measure

PACKAGE_KEY, HOST_KEY = "irpref", "macavaney2022irmeasures"


@cache
def entries() -> dict[str, str]:
    """BibTeX of each source by its key, from `literature.bib`."""
    from importlib import resources  # imports much, and few ask

    text = resources.files("irpref.measures").joinpath("literature.bib").read_text(encoding="utf-8")
    return {re.search(r"{(.*),", entry)[1]: entry for entry in text.strip().split("\n\n")}  # type: ignore[index]


def package_entry() -> str:
    """BibTeX of this package, with its version."""
    from importlib.metadata import version

    return (
        f"@software{{{PACKAGE_KEY},\n  author = {{{{The irpref developers}}}},\n"
        "  title = {irpref: preference, graded-relevance, position and user-oriented evaluation measures},\n"
        f"  version = {{{version(PACKAGE_KEY)}}},\n  year = {{2026}}\n}}"
    )


def parameters(measure: Measure) -> str:
    """Every parameter of a measure with the value it has, defaults included; nothing of those without one."""
    given = {**measure.params}
    for name, spec in measure.SUPPORTED_PARAMS.items():
        default = getattr(spec, "default", None)
        if name not in given and isinstance(default, (str, int, float, bool)):
            given[name] = default
    return ", ".join(f"{name}={given[name]!r}" for name in measure.SUPPORTED_PARAMS if name in given)


def methods(measures: Iterable[Measure]) -> str:
    """A sentence for the methods section, with all parameters as they were used and the keys of the sources."""
    said = []
    for measure in measures:
        keys = ", ".join(getattr(measure, "CITE", ()))
        values = parameters(measure)
        said.append(f"{measure}" + (f" ({values})" if values else "") + (f" \\cite{{{keys}}}" if keys else ""))
    *others, last = said
    names = f"{', '.join(others)} and {last}" if others else last
    return (
        f"We report {names}, computed with irpref \\cite{{{PACKAGE_KEY}}} and ir-measures \\cite{{{HOST_KEY}}}; "
        "documents are ranked by score, and documents with equal scores by falling id, as in trec_eval."
    )


def cite(measures: Iterable[Measure]) -> str:
    """BibTeX of the measures' papers, of ir_measures and of this package, under a sentence for the methods section.

    Parameters
    ----------
    measures : iterable of measures, ours or the host's

    Returns
    -------
    str
        Lines that begin with `%` are comments in BibTeX: what each measure is, its parameters, the sentence.
    """
    chosen = list(measures)
    lines = []
    keys: dict[str, None] = {}
    for measure in chosen:
        values = parameters(measure)
        name = getattr(measure, "PRETTY_NAME", None) or str(measure.NAME)
        lines.append(f"% {name} ({measure}{': ' + values if values else ''})")
        if not getattr(measure, "CITE", ()):
            lines.append(f"%   {measure.NAME} is a measure of ir_measures: its documentation names the paper")
        keys.update(dict.fromkeys(getattr(measure, "CITE", ())))
    if chosen:
        lines += ["%", f"% {methods(chosen)}"]
    found = entries()
    return "\n".join([*lines, "", *(f"{found[key]}\n" for key in [*keys, HOST_KEY]), package_entry(), ""])
