"""What the docstring of a class of measures declares, section by section.

    class _SeenAP(KernelMeasure, kernel=seen_ap):
        \"\"\"First line: what the measure is, in short.

        Anything else that a user should know.

        Question
        --------
        How precise is the ranking, seen from each relevant document that it found?
        \"\"\"

Sections of text are `Question`, `Use`, `Pitfalls`, `Range`, `Formula` (LaTeX; `\\quad` between two
formulas), `Instead` (the measure to explain in place of one that is not a sum over documents, and
why), `Source` (at its end the keys of `literature.bib` in brackets), `Empty ranking` (its value, if
that depends on the topic) and `Negative grades` (what they do to the values, if that needs a
warning). Sections of items, `name : text`, are `Parameters`,
`Symbols` (of the formula, in LaTeX), `Columns` (of the terms, and the numbers that `explain` shows
beside them) and `Elsewhere` (names in other tools, each with the same measure here). An item of
`Differs` is `tool : its value, here ours`, and below it where and why. The attributes of
`KernelMeasure` that hold them say more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

from irpref.errors import MeasureError
from irpref.messages import did_you_mean

TEXTS = {
    **{
        name: name.upper()
        for name in ("Question", "Use", "Pitfalls", "Range", "Formula", "Instead", "Source")
    },
    "Empty ranking": "EMPTY",
    "Negative grades": "BELOW_ZERO",
}
ITEMS = {
    name: name.upper() for name in ("Parameters", "Symbols", "Columns", "Elsewhere", "Differs")
}


class Later:
    """An attribute read from the docstring of a class when it is asked for; most processes never
    ask.
    """

    def __init__(self, read: Callable[..., Any], *given: Any) -> None:
        self.read, self.given = read, given

    def __get__(self, measure: Any, owner: Any) -> Any:
        return self.read(*self.given)


def declared(name: str, text: str) -> tuple[str, dict[str, Any]]:
    """The docstring without its sections, and the attributes that they set.

    Parameters
    ----------
    name : str
        Of the class, for errors.
    text : str

    Raises
    ------
    ValueError
        A section is unknown; when it is asked for, an item of `Differs` does not have its form.
    """
    # By hand: compiling an expression takes longer than all that is left to do at import.
    lines = text.split("\n")
    rules = [
        i for i, line in enumerate(lines) if line.endswith("---") and not line.strip(" -") and i > 1
    ]
    rules = [i for i in rules if not lines[i - 2].strip()]
    head = "\n".join(lines[: rules[0] - 2] if rules else lines)
    attributes: dict[str, Any] = {"SHORT_DESC": Later(_first, head)}
    for rule, following in pairwise([*rules, len(lines) + 1]):
        heading, body = lines[rule - 1].strip(), lines[rule + 1 : following - 1]
        if heading == "Source":
            attributes |= {"SOURCE": Later(_source, body), "CITE": Later(_keys, body)}
        elif heading == "Parameters":
            attributes["PARAMETERS"] = _items(body)
        elif heading == "Differs":
            attributes["DIFFERS"] = Later(_differs, name, body)
        elif heading in ITEMS:
            attributes[ITEMS[heading]] = Later(_items, body)
        elif heading in TEXTS:
            attributes[TEXTS[heading]] = Later(_line, body)
        else:
            known = [*TEXTS, *ITEMS]
            raise MeasureError(
                f"{name}: the docstring has a section {heading!r}, expected one of "
                f"{', '.join(known)}" + did_you_mean(heading, known)
            )
    return head, attributes


def _line(lines: Iterable[str]) -> str:
    return " ".join(" ".join(lines).split())


def _first(text: str) -> str:
    return _line([re.split(r"\n[ \t]*\n", text, maxsplit=1)[0]])


def _source(lines: list[str]) -> str:
    return re.sub(r" \[\w+\]", "", _line(lines))


def _keys(lines: list[str]) -> tuple[str, ...]:
    return tuple(re.findall(r"\[(\w+)\]", _line(lines)))


def _split(lines: list[str]) -> list[tuple[str, str, str]]:
    """What is before ` : ` in the first line of each item, behind it, and on the lines below."""
    lines = [line for line in lines if line.strip()]
    margin = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
    blocks: list[list[str]] = []
    for line in lines:
        if line[margin : margin + 1].strip():
            blocks.append([line])
        else:
            blocks[-1].append(line)
    return [(*first.strip().partition(" : ")[::2], _line(rest)) for first, *rest in blocks]


def _items(lines: list[str]) -> dict[str, str]:
    return {item: _line([first, rest]) for item, first, rest in _split(lines)}


def _differs(name: str, lines: list[str]) -> tuple[tuple[str, ...], ...]:
    items = _split(lines)
    odd = next((values for _, values, _ in items if ", here " not in values), None)
    if odd is not None:
        raise MeasureError(f"{name}: {odd!r} in section 'Differs', expected 'its value, here ours'")
    return tuple((tool, *values.split(", here ", 1), why) for tool, values, why in items)
