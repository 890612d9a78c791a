"""Find ids that another tool changed: an unjudged id that is a judged one but for one change.

A change is a normalisation. Two ids differ by it alone if they are different and become equal when
it is applied to both. `matches` tries one change after the other on the ids of a run that match
nothing, and the change that explains most of them is named. `MOST` of these ids are enough for
that."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

MOST = 100_000  # ids of a run that are compared with known ones


@dataclass(frozen=True, slots=True)
class Change:
    """What another tool may have done to ids.

    Attributes
    ----------
    words : str
        How ids then differ: 'in case'.
    undone : callable
        Applied to ids joined by line ends, and to single ones.
    concerned : pattern
        Ids in which this is not found stay as they are.
    is_sure : bool
        Whether one match is evidence. `7` and `007` may be different documents, and so may `Paris`
        and `Paris_(Texas)`: changes that are not sure must explain a quarter of the ids.
    ascii : bool
        Whether a message shows ids with escapes, since they look alike.
    """

    words: str
    undone: Callable[[str], str]
    concerned: re.Pattern[str]
    is_sure: bool = True
    ascii: bool = False

    def shown(self, name: str) -> str:
        """An id as a message shows it."""
        return ascii(name) if self.ascii else repr(name)


def _without_blanks(text: str) -> str:
    return re.sub(r"[^\S\n]+", "", text)


def _unquoted(text: str) -> str:
    from urllib.parse import unquote  # not at the start: `irpref eval` seldom needs it

    return unquote(text)


def _one_form(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _well_decoded(text: str) -> str:
    """Ids whose UTF-8 was decoded as Windows-1252 or Latin-1, decoded as UTF-8."""
    return "\n".join(map(_decoded, text.split("\n")))


def _decoded(name: str) -> str:
    for encoding in ("cp1252", "latin-1"):
        try:
            return name.encode(encoding).decode("utf-8")
        except UnicodeError:
            pass
    return name


_ANY = re.compile("")
_BLANK = re.compile(r"[^\S\n]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
CHANGES = (
    Change("in case", str.casefold, _ANY),
    Change("in blanks", _without_blanks, _BLANK),
    Change("in case and blanks", lambda text: _without_blanks(text).casefold(), _BLANK),
    Change("in Unicode form", _one_form, _NOT_ASCII, ascii=True),
    Change("in percent-encoding", _unquoted, re.compile("%[0-9A-Fa-f]{2}")),
    Change("in blanks written as '_'", lambda text: _BLANK.sub("_", text), _BLANK),
    Change(
        "in leading zeros",
        lambda text: re.sub(r"(?m)^0+(?=[0-9])", "", text),
        re.compile(r"(?m)^0[0-9]"),
        is_sure=False,
    ),
    Change(
        "in a '.0' at the end",
        lambda text: re.sub(r"(?m)(?<=[0-9])\.0+$", "", text),
        re.compile(r"(?m)[0-9]\.0+$"),
    ),
    Change("in encoding (UTF-8 that was read as Latin-1)", _well_decoded, _NOT_ASCII),
)
# Not a normalisation of both: one id is the beginning of the other.
SUFFIX = Change("in a suffix after '#' or '_'", str, re.compile("[#_]"), is_sure=False)
_SHARE = 0.25


class Names:
    """Ids that are known, by what each change makes of them.

    Parameters
    ----------
    names : ids
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = list(names)
        self._joined = "\n".join(self.names)
        self._concerned: dict[str, bool] = {}
        self._by_change: dict[str, dict[str, str]] = {}
        self._prefixes: tuple[dict[str, str], set[str]] | None = None

    def alike(self, change: Change, name: str) -> str | None:
        """The known id that differs from this one by a change alone."""
        other = self._starts(name) if change is SUFFIX else self._normalised(change, name)
        return None if other == name else other

    def _normalised(self, change: Change, name: str) -> str | None:
        if change.words not in self._concerned:
            self._concerned[change.words] = change.concerned.search(self._joined) is not None
        if not (self._concerned[change.words] or change.concerned.search(name)):
            return None
        if change.words not in self._by_change:
            parts = change.undone(self._joined).split("\n")
            if len(parts) != len(self.names):  # an id with an end of line in it
                parts = [change.undone(known) for known in self.names]
            self._by_change[change.words] = dict(zip(parts, self.names, strict=True))
        return self._by_change[change.words].get(change.undone(name))

    def _starts(self, name: str) -> str | None:
        """The known id that this one begins with, or the one that begins with this one."""
        if self._prefixes is None:  # runs are read in several threads
            starts: dict[str, str] = {}
            for known in self.names if SUFFIX.concerned.search(self._joined) else ():
                starts.update((start, known) for start in beginnings(known))
            self._prefixes = starts, set(self.names)
        starts, whole = self._prefixes
        return next((start for start in beginnings(name) if start in whole), starts.get(name))


def beginnings(name: str) -> Iterator[str]:
    """What stands before each `#` or `_` of an id, the longest first."""
    for match in reversed(list(SUFFIX.concerned.finditer(name))):
        if match.start():
            yield name[: match.start()]


@dataclass(frozen=True, slots=True)
class Changed:
    """Ids of a run that are judged ones but for one change.

    Attributes
    ----------
    change : Change
    number : int
        How many of them.
    compared : int
        How many ids were compared with judged ones; at most `MOST`.
    group, name, judged : str
        The first: its topic, the id in the run, and that of the judgments.
    """

    change: Change
    number: int
    compared: int
    group: str
    name: str
    judged: str


def changed(
    unknown: Mapping[str, Iterable[str]],
    known: Callable[[str], Names],
    taken: Callable[[str, str], bool],
) -> Changed | None:
    """The change that explains most unknown ids.

    Parameters
    ----------
    unknown : mapping of group to ids
        For example those of the unjudged documents of each topic.
    known : callable
        The known ids of a group.
    taken : callable
        Whether a known id of a group is found as it is, so that it is not what another id was.

    Returns
    -------
    Changed, or None if no change explains any, or enough, of them.
    """
    best: Changed | None = None
    total = sum(len(list(names)) for names in unknown.values())
    for change in (*CHANGES, SUFFIX):
        first: tuple[str, str, str] | None = None
        number = 0
        for group, names in unknown.items():
            others = known(group)
            for name in names:
                other = others.alike(change, name)
                if other is not None and not taken(group, other):
                    number += 1
                    first = first or (group, name, other)
        is_enough = change.is_sure or number >= _SHARE * total
        if first and is_enough and (best is None or number > best.number):
            best = Changed(change, number, total, *first)
    return best
