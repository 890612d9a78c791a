"""What the docstring of a class of measures declares, section by section.

    class _SeenAP(KernelMeasure, kernel=seen_ap):
        \"\"\"First line: what the measure is, in short.

        Anything else that a user should know.

        Question
        --------
        How precise is the ranking, seen from each relevant document that it found?
        \"\"\"

Sections of text are `Question`, `Use`, `Pitfalls`, `Range`, `Formula` (LaTeX), `Instead` (the measure to explain in
place of one that is no sum over documents, and why), `Source` (at its end the keys of `literature.bib` in brackets)
and `Negative grades` (what they do to the values, if that needs a warning). Sections of items, `name : text`, are
`Parameters`, `Columns` (those of the terms) and `Elsewhere` (names in other tools, each with the same measure here).
An item of `Differs` is `tool : its value, here ours`, and below it where and why. The attributes of `KernelMeasure`
that hold them say more.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from irpref.messages import did_you_mean

TEXTS = {
    **{name: name.upper() for name in ("Question", "Use", "Pitfalls", "Range", "Formula", "Instead", "Source")},
    "Negative grades": "BELOW_ZERO",
}
ITEMS = {name: name.upper() for name in ("Parameters", "Columns", "Elsewhere", "Differs")}


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
        A section is unknown, or an item of `Differs` does not have its form.
    """
    head, *parts = re.split(r"\n\n(.+)\n-{3,}\n", inspect.cleandoc(text))
    found: dict[str, Any] = {"SHORT_DESC": _line(head.split("\n\n")[0])}
    for heading, body in zip(parts[::2], parts[1::2], strict=True):
        if heading in TEXTS:
            found[TEXTS[heading]] = _line(body)
        elif heading in ITEMS:
            blocks = [block.partition("\n") for block in re.split(r"\n(?! )", body)]
            items = [(*first.partition(" : ")[::2], _line(rest)) for first, _, rest in blocks]
            if heading == "Differs":
                odd = next((values for _, values, _ in items if ", here " not in values), None)
                if odd is not None:
                    raise ValueError(f"{name}: {odd!r} in section 'Differs', expected 'its value, here ours'")
                found["DIFFERS"] = tuple((tool, *values.split(", here ", 1), why) for tool, values, why in items)
            else:
                found[ITEMS[heading]] = {item: _line(f"{said} {rest}") for item, said, rest in items}
        else:
            known = [*TEXTS, *ITEMS]
            raise ValueError(
                f"{name}: the docstring has a section {heading!r}, expected one of {', '.join(known)}"
                + did_you_mean(heading, known)
            )
    if "SOURCE" in found:
        found["CITE"] = tuple(re.findall(r"\[(\w+)\]", found["SOURCE"]))
        found["SOURCE"] = re.sub(r" \[\w+\]", "", found["SOURCE"])
    return head, found


def _line(text: str) -> str:
    return " ".join(text.split())
