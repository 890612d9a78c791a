"""The docstring of a class of measures, section by section.

    class _SeenAP(KernelMeasure, kernel=seen_ap):
        \"\"\"First line: what the measure is, in short.

        Anything else that a user should know.

        Question
        --------
        How precise is the ranking, seen from each relevant document that it found?
        \"\"\"

Sections of text are `Name` (the measure's own words for itself), `Question` (that it answers, for
tables and help), `Use`, `Pitfalls`, `Range`, `Formula` (LaTeX; `\\quad` between two formulas),
`Instead` (the measure to explain in place of one that is not a sum over documents, and why),
`Worked example` (the id of one, `irpref.datasets.load(...)`, that has values of it), `Source` (at
its end the keys of `literature.bib` in brackets), `Empty ranking` (its value, if that depends on
the topic) and `Negative grades` (what they do to the values, if that needs a warning). Sections of
items, `name : text`, are `Parameters`, `Symbols` (of the formula, in LaTeX) and `Columns` (of the
terms, and the numbers that `explain` shows beside them).

`prose` parses them when they are asked for; most processes never ask.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any

from irpref.errors import MeasureError
from irpref.messages import did_you_mean

TEXTS = (
    *("Name", "Question", "Use", "Pitfalls", "Range", "Formula", "Instead", "Source"),
    *("Worked example", "Empty ranking", "Negative grades"),
)
ITEMS = ("Parameters", "Symbols", "Columns")
UNIT_INTERVAL = "[0, 1]"


@dataclass(frozen=True, slots=True)
class Prose:
    """The contents of a docstring: a field for each section, empty if neither the class nor one
    that it builds on has it. Of a measure that is not ours, everything is empty.

    Attributes
    ----------
    short : str
        The first paragraph.
    cites : tuple of str
        Keys of `literature.bib`, from the end of `Source`.
    """

    short: str = ""
    name: str = ""
    question: str = ""
    use: str = ""
    pitfalls: str = ""
    range: str = ""
    formula: str = ""
    instead: str = ""
    worked_example: str = ""
    source: str = ""
    cites: tuple[str, ...] = ()
    empty_ranking: str = ""
    negative_grades: str = ""
    symbols: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)


class Docstring:
    """The docstring of a class of measures, cut into sections.

    `help(QMeasure)` is asked of a measure, not of its class, so the measure describes itself.
    """

    def __init__(self, name: str, text: str, describe: Callable[[Any], str]) -> None:
        self.head, self.sections = cut(name, text)
        self.describe = describe

    def __get__(self, measure: Any, owner: Any) -> str:
        return inspect.cleandoc(self.head) if measure is None else self.describe(measure)


def cut(name: str, text: str) -> tuple[str, dict[str, list[str]]]:
    """Cut a docstring into its head and the lines of each section.

    Parameters
    ----------
    name : str
        Of the class, for errors.
    text : str

    Raises
    ------
    ValueError
        A section is unknown.
    """
    # By hand: compiling an expression takes longer than all that is left to do at import.
    lines = text.split("\n")
    rules = [
        i for i, line in enumerate(lines) if line.endswith("---") and not line.strip(" -") and i > 1
    ]
    rules = [i for i in rules if not lines[i - 2].strip()]
    head = "\n".join(lines[: rules[0] - 2] if rules else lines)
    sections = {}
    for rule, following in pairwise([*rules, len(lines) + 1]):
        heading = lines[rule - 1].strip()
        if heading not in TEXTS and heading not in ITEMS:
            known = [*TEXTS, *ITEMS]
            raise MeasureError(
                f"{name}: the docstring has a section {heading!r}, expected one of "
                f"{', '.join(known)}" + did_you_mean(heading, known)
            )
        sections[heading] = lines[rule + 1 : following - 1]
    return head, sections


def prose(measure: Any) -> Prose:
    """Parse the docstring of a measure, or of a class of measures."""
    return _prose(measure if isinstance(measure, type) else type(measure))


@cache
def _prose(of: type) -> Prose:
    own = [vars(base).get("__doc__") for base in reversed(of.__mro__)]
    docstrings = [each for each in own if isinstance(each, Docstring)]
    if not docstrings:
        return Prose()
    sections = {heading: body for each in docstrings for heading, body in each.sections.items()}
    texts = {
        heading.lower().replace(" ", "_"): _line(sections.get(heading, ()))
        for heading in TEXTS
        if heading != "Source"
    }
    source = _line(sections.get("Source", ()))
    return Prose(
        **{**texts, "range": texts["range"] or UNIT_INTERVAL},
        short=_line([re.split(r"\n[ \t]*\n", docstrings[-1].head, maxsplit=1)[0]]),
        source=re.sub(r" \[\w+\]", "", source),
        cites=tuple(re.findall(r"\[(\w+)\]", source)),
        symbols=items(sections.get("Symbols", ())),
        columns=items(sections.get("Columns", ())),
    )


def _line(lines: Iterable[str]) -> str:
    return " ".join(" ".join(lines).split())


def items(lines: Iterable[str]) -> dict[str, str]:
    """Read items `name : text`, whose text may go on in indented lines."""
    lines = [line for line in lines if line.strip()]
    margin = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
    blocks: list[list[str]] = []
    for line in lines:
        if line[margin : margin + 1].strip():
            blocks.append([line])
        else:
            blocks[-1].append(line)
    return {
        name: _line([text, *rest])
        for first, *rest in blocks
        for name, _, text in [first.strip().partition(" : ")]
    }
