"""Shorten long names: leave out a common beginning or end, and cut the rest in the middle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

LONGEST = 24  # characters of a name
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


class Parts(NamedTuple):
    """A name in five parts, which together are the name; only `head` and `tail` are shown.

    An ellipsis is shown for `cut`, and nothing for `before` and `after`, which all names share.
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
    """Split names so that the parts shown fit and still differ.

    Parameters
    ----------
    names : iterable of str
    longest : int
        Characters. If no name is longer, all stay whole.
    """
    whole = list(dict.fromkeys(names))
    if not any(len(name) > longest for name in whole):
        return {name: Parts("", name, "", "", "") for name in whole}
    first, last = _common(whole)
    rest = {name: name[len(first) : len(name) - len(last)] for name in whole}
    room = longest
    # Show more, until no two names look alike.
    while len({middle(shown, room) for shown in rest.values()}) < len(set(rest.values())):
        room += 4
    return {name: Parts(first, *_split(shown, room), last) for name, shown in rest.items()}


def left_out(names: Mapping[str, Parts]) -> str:
    """Say which part is left out of all names; empty if nothing is."""
    one = next(iter(names.values()), Parts("", "", "", "", ""))
    words = [
        f"\N{LEFT DOUBLE QUOTATION MARK}{middle(part, 26)}\N{RIGHT DOUBLE QUOTATION MARK} {where}"
        for part, where in ((one.before, "before"), (one.after, "after"))
        if part
    ]
    return f"names without {' and '.join(words)}" if words else ""


def middle(name: str, longest: int = LONGEST) -> str:
    """Cut the middle out of a name if it is longer than this."""
    head, cut, tail = _split(name, longest)
    return head + (ELLIPSIS if cut else "") + tail


def _split(name: str, longest: int) -> tuple[str, str, str]:
    if len(name) <= longest:
        return name, "", ""
    kept = longest - 1
    head, tail = kept - kept // 2, len(name) - kept // 2
    return name[:head], name[head:tail], name[tail:]


def _common(names: Sequence[str]) -> tuple[str, str]:
    """Find the common beginning and end of all names, up to a separator; nothing if little would be
    gained.
    """
    if len(names) < 2:
        return "", ""
    first = _up_to_separator(names)
    rest = [name[len(first) :] for name in names]
    if not all(rest):
        return "", ""
    last = _up_to_separator([name[::-1] for name in rest])[::-1]
    if any(name == last for name in rest):
        last = ""
    return (first if len(first) >= 6 else ""), (last if len(last) >= 6 else "")


def _up_to_separator(names: Sequence[str]) -> str:
    """Find the common beginning of all names, up to and including its last separator."""
    low, high = min(names), max(names)
    same = low[: next((i for i, sign in enumerate(low) if sign != high[i]), len(low))]
    return same[: 1 + max(same.rfind(sign) for sign in "-_./ :")]
