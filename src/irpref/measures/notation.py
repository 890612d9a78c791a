"""The formulas of measures, which are LaTeX, as plain text; and the symbols that they use."""

from __future__ import annotations

import re
from collections.abc import Mapping

_COMMANDS = {
    **{"left": "", "right": "", "quad": "", ",": " ", " ": " ", "{": "{", "}": "}"},
    **{"cdot": "*", "le": "<=", "ge": ">=", "cap": "and", "setminus": "-", "succ": ">"},
    **{"pm": "+-", "lfloor": "floor(", "rfloor": ")", "in": "in"},
}
_TEXTS = ("mathrm", "text", "mathit", "operatorname")
_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|[{}^_]|[^\\{}^_]+")


def plain(formula: str) -> list[str]:
    r"""Write a LaTeX formula as lines of text: one line for each part between `\quad`.

    >>> plain(r"P = \frac{1}{R} \sum_{r \le k} \rho_r, \quad R = |A \cap B|")
    ['P = 1/R sum_{r <= k} rho_r', 'R = |A and B|']
    """
    parts = re.split(r",?\s*\\quad\s*", formula)
    return [_spaced(_written(_TOKEN.findall(part), 0)[0]) for part in parts]


def symbols(formula: str, meanings: Mapping[str, str]) -> dict[str, str]:
    """Find the symbols, in LaTeX, that occur in a formula, with their meanings."""
    out = {}
    for symbol, meaning in meanings.items():
        # `cg(r)` is there if `cg` is, whatever its argument.
        name = symbol.partition("(")[0] or symbol
        if re.search(rf"(?<![A-Za-z\\]){re.escape(name)}(?![A-Za-z])", formula):
            out[symbol] = meaning
    return out


def _spaced(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"(?<=[({]) | (?=[)},])", "", text)
    return text.replace("log_2(", "log2(").replace("= - (", "= -(")


def _written(tokens: list[str], at: int) -> tuple[str, int]:
    """Write the tokens up to the end of their group as text, and return where they end."""
    out: list[str] = []
    while at < len(tokens) and tokens[at] != "}":
        token = tokens[at]
        at += 1
        if token == "{":
            text, at = _written(tokens, at)
            out.append(text)
            at += 1
        elif token == r"\frac":
            above, at = _argument(tokens, at)
            below, at = _argument(tokens, at)
            bare = _is_one(above) and _is_one(below)
            line = "/" if bare else " / "
            out.append(f" {_whole(above)}{line}{_whole(below)} ")
        elif token in ("^", "_"):
            text, at = _argument(tokens, at)
            short = re.fullmatch(r"\w+|[+*-]", text)
            out.append(token + (text if short else f"({text})" if token == "^" else f"{{{text}}}"))
        elif token.startswith("\\"):
            name = token[1:]
            if name in _TEXTS:
                text, at = _argument(tokens, at)
                out.append(text)
            else:
                out.append(_COMMANDS.get(name, name))
        else:
            out.append(token)
    return "".join(out), at


def _argument(tokens: list[str], at: int) -> tuple[str, int]:
    """Read the group or the single character that follows, and return where it ends."""
    while at < len(tokens) and not tokens[at].strip():
        at += 1
    if tokens[at] == "{":
        text, at = _written(tokens, at + 1)
        return _spaced(text), at + 1
    if tokens[at].startswith("\\"):
        return _COMMANDS.get(tokens[at][1:], tokens[at][1:]), at + 1
    first, rest = tokens[at][0], tokens[at][1:]
    if not rest:
        return first, at + 1
    tokens[at] = rest
    return first, at


def _is_one(text: str) -> bool:
    """Test whether nothing in it stands outside of brackets: `R`, `count(r)`, `|A and B|`."""
    outside = re.sub(r"\|[^|]*\|", "", text)
    while (inner := re.sub(r"\([^()]*\)|\{[^{}]*\}", "", outside)) != outside:
        outside = inner
    return not re.search(r"[\s/*+-]", outside)


def _whole(text: str) -> str:
    """Put a text in brackets, unless it is one thing."""
    return text if _is_one(text) else f"({text})"
