"""Long names made to fit: what all begin or end with is left out, the rest is shortened in the middle."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

LONGEST = 24  # characters of a name
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


class Parts(NamedTuple):
    """A name in five parts that give it again when joined; `head` and `tail` are shown, the others are not.

    An ellipsis stands for `cut`, and nothing for `before` and `after`, which all names share.
    """

    before: str
    head: str
    cut: str
    tail: str
    after: str

    @property
    def shown(self) -> str:
        return self.head + (ELLIPSIS if self.cut else "") + self.tail


def parts(names: Iterable[str], longest: int = LONGEST) -> dict[str, Parts]:
    """Names in parts, so that what is shown of them fits, and is still different.

    Parameters
    ----------
    names : iterable of str
    longest : int
        Characters. Where no name is longer, all stay whole.
    """
    whole = list(dict.fromkeys(names))
    if not any(len(name) > longest for name in whole):
        return {name: Parts("", name, "", "", "") for name in whole}
    first, last = _common(whole)
    rest = {name: name[len(first) : len(name) - len(last)] for name in whole}
    room = longest
    # Wider, until no two names look alike.
    while len({middle(shown, room) for shown in rest.values()}) < len(set(rest.values())):
        room += 4
    return {name: Parts(first, *_split(shown, room), last) for name, shown in rest.items()}


def left_out(found: Mapping[str, Parts]) -> str:
    """What is left out of all names, in words; empty where that is nothing."""
    one = next(iter(found.values()), Parts("", "", "", "", ""))
    words = [
        f"\N{LEFT DOUBLE QUOTATION MARK}{middle(part, 26)}\N{RIGHT DOUBLE QUOTATION MARK} {where}"
        for part, where in ((one.before, "before"), (one.after, "after"))
        if part
    ]
    return f"names without {' and '.join(words)}" if words else ""


def middle(name: str, longest: int = LONGEST) -> str:
    """The name without its middle where it is longer than this."""
    head, cut, tail = _split(name, longest)
    return head + (ELLIPSIS if cut else "") + tail


def _split(name: str, longest: int) -> tuple[str, str, str]:
    if len(name) <= longest:
        return name, "", ""
    kept = longest - 1
    head, tail = kept - kept // 2, len(name) - kept // 2
    return name[:head], name[head:tail], name[tail:]


def _common(names: Sequence[str]) -> tuple[str, str]:
    """What all names begin and end with, up to a separator; nothing where little would be gained."""
    if len(names) < 2:
        return "", ""
    first = _beginning(names)
    separator = max(first.rfind(sign) for sign in "-_./ :")
    first = first[: separator + 1]
    rest = [name[len(first) :] for name in names]
    last = _beginning([name[::-1] for name in rest])[::-1]
    found = re.search(r"[-_./ :]", last)
    last = last[found.start() :] if found else ""
    if any(len(name) <= len(last) for name in rest):
        last = ""
    if any(not name for name in rest):
        return "", ""
    return (first if len(first) >= 6 else ""), (last if len(last) >= 6 else "")


def _beginning(names: Sequence[str]) -> str:
    low, high = min(names), max(names)
    return low[: next((i for i, char in enumerate(low) if char != high[i]), len(low))]
