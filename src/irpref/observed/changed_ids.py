"""Find ids that another tool changed: an unjudged id that is a judged one but for one change.

A change is a normalisation. Two ids differ by it alone if they are different and become equal when
it is applied to both. `changed` tries one change after the other on the ids of a run that match
nothing, and the change that explains most ids is named. `MOST` of these ids are enough for
that."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from typing import Any

import numpy as np

from irpref.data.texts import Texts
from irpref.judged.align import Top
from irpref.judged.pool import Pool
from irpref.kernel.segments import Bools, Ints

MOST = 100_000  # ids of a run that are compared with known ones
_KEPT = 500_000  # known ids that are kept, prepared, for the next run
_PART = 1_000  # topics whose judged documents are listed at a time


@dataclass(frozen=True, slots=True)
class Change:
    """A change that another tool may have made to ids.

    Attributes
    ----------
    words : str
        How ids then differ: 'in case'.
    undone : callable
        Applied to ids joined by line ends, and to single ones.
    concerns : callable
        Tells quickly whether ids may not stay as they are.
    is_sure : bool
        Whether one match is evidence. `7` and `007` may be different documents, and so may `Paris`
        and `Paris_(Texas)`: changes that are not sure must explain a quarter of the ids, or of
        the ids that are known but for the change.
    ascii : bool
        Whether a message shows ids with escapes, since they look alike.
    """

    words: str
    undone: Callable[[str], str]
    concerns: Callable[[str], bool]
    is_sure: bool = True
    ascii: bool = False

    def touches(self, text: str) -> bool:
        """Test whether this changes any of some ids, which are joined by line ends."""
        return self.concerns(text) and (self in _OF_BEGINNINGS or self.undone(text) != text)

    def undone_in(self, names: Sequence[str]) -> list[str]:
        """Undo the change in each of these ids."""
        parts = self.undone("\n".join(names)).split("\n")
        # An id may have an end of line in it.
        return parts if len(parts) == len(names) else [self.undone(name) for name in names]

    def shown(self, name: str) -> str:
        """Show an id as a message does."""
        return ascii(name) if self.ascii else repr(name)


def _has(*parts: str) -> Callable[[str], bool]:
    """Return a function that tests whether one of these is in a text."""
    return lambda text: any(part in text for part in parts)


def _without_blanks(text: str) -> str:
    return re.sub(r"[^\S\n]+", "", text)


def _without_marks(text: str) -> str:
    return text.translate(_ASCII_MARKS) if text.isascii() else _MARK.sub("", text)


def _without_invisible(text: str) -> str:
    """Drop characters that no screen shows, such as U+200B and U+00AD."""
    kept = (
        c for c in text if c == "\n" or c.isprintable() or unicodedata.category(c) not in _HIDDEN
    )
    return "".join(kept)


def _without_exponents(text: str) -> str:
    """Write whole numbers in scientific notation with their digits: 8.641107e+06 as 8641107."""
    return _EXPONENT.sub(_digits, text)


def _has_exponents(text: str) -> bool:
    """Test whether there may be such numbers, by single characters first: most ids have none."""
    if "+" in text and ("e+" in text or "E+" in text):
        return True
    return (
        "." in text and "E" in text and any(f"E{digit}" in text for digit in range(1, 10))
    )  # Java


def _digits(found: re.Match[str]) -> str:
    whole, part, exponent = found[1], (found[2] or "").rstrip("0"), int(found[3])
    return found[0] if len(part) > exponent else whole + part.ljust(exponent, "0")


def _unquoted(text: str) -> str:
    from urllib.parse import unquote  # not at the start: `irpref eval` seldom needs it

    return unquote(text)


def _one_form(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _well_decoded(text: str) -> str:
    """Decode ids as UTF-8 that were decoded as Windows-1252 or Latin-1."""
    return "\n".join(map(_decoded, text.split("\n")))


def _decoded(name: str) -> str:
    for encoding in ("cp1252", "latin-1"):
        try:
            return name.encode(encoding).decode("utf-8")
        except UnicodeError:
            pass
    return name


_MARK = re.compile(r"[^\w\n]|_")
_ASCII_MARKS = {i: None for i in range(128) if chr(i) != "\n" and not chr(i).isalnum()}
_EXPONENT = re.compile(r"(?m)^([1-9])(?:\.([0-9]+))?[eE]\+?([0-9]{1,2})$")
_END_MARKS = re.compile("[#_]")
_HIDDEN = ("Cc", "Cf")  # control and format characters
_BLANKS = (
    "\t\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_has_blanks, _has_others = _has(*_BLANKS), lambda text: not text.isascii()
CHANGES = (
    Change("in case", str.casefold, bool),
    Change("in blanks", _without_blanks, _has_blanks),
    Change("in case and blanks", lambda text: _without_blanks(text).casefold(), _has_blanks),
    Change(
        "in invisible characters",
        _without_invisible,
        lambda text: not text.replace("\n", "").isprintable(),
        ascii=True,
    ),
    Change("in Unicode form", _one_form, _has_others, ascii=True),
    Change("in percent-encoding", _unquoted, _has("%")),
    Change("in blanks written as '_'", lambda text: re.sub(r"[^\S\n]", "_", text), _has_blanks),
    Change(
        "in leading zeros",
        lambda text: re.sub(r"(?m)^0+(?=[0-9])", "", text),
        lambda text: text.startswith("0") or "\n0" in text,
        is_sure=False,
    ),
    Change(
        "in a '.0' at the end",
        lambda text: re.sub(r"(?m)(?<=[0-9])\.0+$", "", text),
        _has(".0"),
    ),
    Change(
        "in scientific notation",
        _without_exponents,
        _has_exponents,
    ),
    Change("in encoding (UTF-8 that was read as Latin-1)", _well_decoded, _has_others),
    Change(
        "in characters that are neither letters nor digits", _without_marks, bool, is_sure=False
    ),
)
# Of topics, which are fewer than documents: `q1` and `q01`.
INNER_ZEROS = Change(
    "in zeros before a number",
    lambda text: re.sub(r"(?<![0-9.])0+(?=[0-9])", "", text),
    _has("0"),
    is_sure=False,
)
# Not normalisations of both: one id is the beginning of the other.
SUFFIX = Change("in a suffix after '#' or '_'", str, _has("#", "_"), is_sure=False)
LAST = Change("in the last character", str, lambda _: True, is_sure=False)
_OF_BEGINNINGS = (SUFFIX, LAST)
_EVERY = (*CHANGES, *_OF_BEGINNINGS)
_SHARE, _SOME = 0.25, 5
_SAMPLE = 200  # unknown ids among which one beginning or ending is looked for
_NUMBERED = 0.05  # of known ids that are others without their last character


class Names:
    """Known ids, and the ids into which each change turns them.

    Parameters
    ----------
    names : ids
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = list(names)
        self._by_change: dict[str, dict[str, str]] = {}

    def alike(
        self, change: Change, names: Sequence[str], undone: Sequence[str]
    ) -> Iterator[tuple[str, str]]:
        """Yield those of these ids, which are `undone` without a change, that differ from a known
        id by the change alone; with the known id.
        """
        if change is LAST:
            found = self._but_for_last(names)
        elif change is SUFFIX:
            found = ((name, self._starts(name)) for name in names)
        else:
            known = self._undone(change)
            if known.keys().isdisjoint(undone):
                return
            found = zip(names, map(known.get, undone), strict=True)
        yield from ((name, other) for name, other in found if other is not None and other != name)

    def _undone(self, change: Change) -> dict[str, str]:
        """Map each known id without a change to the id itself."""
        if change.words not in self._by_change:
            parts = change.undone_in(self.names)
            self._by_change[change.words] = dict(zip(parts, self.names, strict=True))
        return self._by_change[change.words]

    def _starts(self, name: str) -> str | None:
        """Find the known id that this one begins with, or one that begins with this one."""
        whole = self._whole
        known = next((start for start in beginnings(name) if start in whole), None)
        if known is not None or not self._has_marks:
            return known
        for mark in "#_":
            place = bisect_left(self._sorted, name + mark)
            if place < len(self._sorted) and self._sorted[place].startswith(name + mark):
                return self._sorted[place]
        return None

    def beyond(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield how this id goes beyond a known one, or a known one beyond this: ('', ending) or
        (beginning, ''). A number is never cut in two.
        """
        places = [length for length in self._lengths if length < len(name)]
        for place in places:
            if name[:place] in self._whole and _is_border(name, place):
                yield "", name[place:]
                break
        for length in reversed(places):
            place = len(name) - length
            if name[place:] in self._whole and _is_border(name, place):
                yield name[:place], ""
                break
        if not self._lengths or self._lengths[-1] <= len(name):
            return
        for text, known in ((name, self._sorted), (name[::-1], self._backwards)):
            place = bisect_right(known, text)
            longer = known[place] if place < len(known) else ""
            if longer and longer.startswith(text) and _is_border(longer, len(text)):
                rest = longer[len(text) :]
                yield ("", rest) if known is self._sorted else (rest[::-1], "")

    @cached_property
    def _lengths(self) -> list[int]:
        """How long the known ids are, ascending."""
        return sorted(set(map(len, self.names)) - {0})

    @cached_property
    def _backwards(self) -> list[str]:
        return sorted(name[::-1] for name in self.names)

    @cached_property
    def _whole(self) -> frozenset[str]:
        return frozenset(self.names)

    def _but_for_last(self, names: Sequence[str]) -> Iterator[tuple[str, str | None]]:
        """Yield ids with the known id that has one character less at the end, or one more.

        Where documents are numbered, 1 and 10 are known beside each other, and this says nothing.
        """
        near = {len(name) + more for name in names for more in (-1, 1)}
        if near.isdisjoint(self._lengths) or self._are_numbered:
            return
        begun = [name[:-1] for name in names]
        if self._whole.isdisjoint(begun) and self._shorter.keys().isdisjoint(names):
            return
        for name, start in zip(names, begun, strict=True):
            yield name, start if start in self._whole else self._shorter.get(name)

    @cached_property
    def _are_numbered(self) -> bool:
        shorter = [name[:-1] for name in self.names]
        return sum(map(self._whole.__contains__, shorter)) > _NUMBERED * len(self.names)

    @cached_property
    def _shorter(self) -> dict[str, str]:
        """Known ids, by the id without its last character."""
        return {name[:-1]: name for name in self.names if len(name) > 1}

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self.names)

    @cached_property
    def _has_marks(self) -> bool:
        return any(map(SUFFIX.concerns, self.names))


def _is_border(name: str, place: int) -> bool:
    """Test whether a place in an id is not between two digits."""
    return not (name[place - 1].isdigit() and name[place].isdigit())


def beginnings(name: str) -> Iterator[str]:
    """Yield the part of an id before each `#` or `_`, longest first."""
    for match in reversed(list(_END_MARKS.finditer(name))):
        if match.start():
            yield name[: match.start()]


class KnownIds:
    """Known ids by group.

    Parameters
    ----------
    names : callable
        The known ids of a group.
    every : callable
        The known ids of all groups, in parts.
    keeps : bool
        Whether what was prepared is kept for the next run: not if they are very many.
    """

    def __init__(
        self,
        names: Callable[[str], Iterable[str]],
        every: Callable[[], Iterable[Iterable[str]]],
        keeps: bool = True,
    ) -> None:
        self._names, self._every, self._keeps = names, every, keeps
        self._groups: dict[str, Names] = {}
        self._touched: dict[str, bool] = {}

    def touched_by(self, changes: Iterable[Change]) -> set[Change]:
        """Find the changes that alter any id."""
        changes = list(changes)
        asked = [change for change in changes if change.words not in self._touched]
        if asked:
            touched = dict.fromkeys((change.words for change in asked), False)
            for text in self._texts if self._keeps else map("\n".join, self._every()):
                for change in asked:
                    touched[change.words] |= change.touches(text)
            # Only now, since other threads ask for other runs meanwhile.
            self._touched.update(touched)
        return {change for change in changes if self._touched[change.words]}

    @cached_property
    def _texts(self) -> list[str]:
        return list(map("\n".join, self._every()))

    def of(self, group: str) -> Names:
        """Return the known ids of a group."""
        names = self._groups.get(group)
        if names is None:
            names = Names(self._names(group))
            if self._keeps:
                self._groups[group] = names
        return names


@dataclass(frozen=True, slots=True)
class Changed:
    """Ids of a run that differ from known ones by a single change.

    Attributes
    ----------
    change : Change
    number : int
        Number of such ids.
    compared : int
        How many ids were compared with judged ones; at most `MOST`.
    group, name, judged : str
        The first: its topic, the id in the run, and the id in the judgments.
    groups : tuple of str
        All topics with such an id.
    """

    change: Change
    number: int
    compared: int
    group: str
    name: str
    judged: str
    groups: tuple[str, ...]

    @property
    def texts(self) -> tuple[str, str]:
        """The first changed id as a message shows it: in the run, and in the judgments."""
        return self.change.shown(self.name), self.change.shown(self.judged)


def changed(
    unknown: Mapping[str, Sequence[str]],
    known: KnownIds,
    taken: Callable[[str, str], bool],
    n_found: int,
    further: Sequence[Change] = (),
) -> Changed | None:
    """Find the change that explains most unknown ids.

    Parameters
    ----------
    unknown : mapping of group to ids
        For example the unjudged documents of each topic.
    known : KnownIds
    taken : callable
        Whether a known id of a group is found as it is, so that no other id was changed from it.
    n_found : int
        How many ids beside the unknown ones are known as they are.
    further : sequence of Change
        Changes that are looked for beside the usual ones.

    Returns
    -------
    Changed, or None if no change explains any, or enough, ids.
    """
    best: Changed | None = None
    names = [name for of_group in unknown.values() for name in of_group]
    n_unknown, text = len(names), "\n".join(names)
    candidates = [*_EVERY, *further, *_affixes(unknown, known)]
    touching = {change for change in candidates if change.touches(text)}
    touching |= known.touched_by(change for change in candidates if change not in touching)
    undone = {change: iter(change.undone_in(names)) for change in candidates if change in touching}
    of_changes: dict[Change, list[tuple[str, str, str]]] = {change: [] for change in undone}
    for group, of_group in unknown.items():  # of many groups, only one is prepared at a time
        others = known.of(group)
        for change, parts in undone.items():
            found = others.alike(change, of_group, list(islice(parts, len(of_group))))
            of_changes[change] += [(group, name, other) for name, other in found]
    for change, alike in of_changes.items():
        if change is LAST:  # 10 to 19 are not ten changes of 1
            alike = list({(each[0], each[2]): each for each in alike}.values())
        alike = [each for each in alike if not taken(each[0], each[2])]
        is_enough = change.is_sure or _are_enough(len(alike), n_unknown, n_found)
        if change not in CHANGES and change is not SUFFIX and len(alike) < _SOME:
            continue
        if alike and is_enough and (best is None or len(alike) > best.number):
            groups = tuple(dict.fromkeys(group for group, _, _ in alike))
            best = Changed(change, len(alike), n_unknown, *alike[0], groups)
    return best


def _affixes(unknown: Mapping[str, Sequence[str]], known: KnownIds) -> Iterator[Change]:
    """Yield the beginning and the ending by which most of a sample of unknown ids differ from known
    ones, or known ones from them.
    """
    pairs = [(group, name) for group, names in unknown.items() for name in names]
    sample = pairs[:: max(1, len(pairs) // _SAMPLE)]
    found = Counter(rest for group, name in sample for rest in known.of(group).beyond(name))
    for place, pattern, where in ((0, r"(?m)^{}", "beginning"), (1, r"(?m){}$", "end")):
        most = max((rest for rest in found if rest[place]), key=found.__getitem__, default=None)
        if most is not None and found[most] > 1:
            affix = re.compile(pattern.format(re.escape(most[place])))
            words = f"in {most[place]!r} at the {where}"
            yield Change(words, partial(affix.sub, ""), partial(_holds, affix), is_sure=False)


def _holds(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.search(text) is not None


def _are_enough(n: int, n_unknown: int, n_found: int) -> bool:
    """Test whether an uncertain change explains enough ids. Where few documents are judged, the
    ids that are known as they are decide: most others are unknown in any case.
    """
    return n >= _SHARE * n_unknown or (n_found > 0 and n >= max(_SOME, _SHARE * (n + n_found)))


class JudgedIds:
    """Judged topics and documents, prepared once for any number of runs.

    Parameters
    ----------
    pool : Pool
    """

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._topics = KnownIds(lambda _: pool.topic_ids, lambda: [pool.topic_ids])
        self._docs = KnownIds(
            lambda topic: pool.docs_of(pool.topic_of[topic]),
            lambda: (pool.docs_of(t, t + _PART) for t in range(0, pool.n_topics, _PART)),
            pool.grade.size <= _KEPT,
        )

    def judged_for(self, topics: Sequence[int], docs: list[str]) -> dict[int, Counter[int]]:
        """Count for which topics the documents of each topic are judged; topics none of whose
        documents are judged for any are left out.

        Parameters
        ----------
        topics : sequence of int
            The topic of each document.
        docs : list of str
        """
        texts = None if self.pool.texts is None else Texts.from_strings(docs)
        if texts is None:
            hashes: Any = np.fromiter(map(hash, docs), np.int64)
            known, judged = self._by_hash
        else:
            hashes, (known, judged) = texts.hashes, self._by_hash_of_text
        first, stop = (known.searchsorted(hashes, side=side) for side in ("left", "right"))
        counts: dict[int, Counter[int]] = {}
        for place in np.flatnonzero(stop > first).tolist():
            found = judged[first[place] : stop[place]].tolist()
            counts.setdefault(topics[place], Counter()).update(found)
        return counts

    @cached_property
    def _by_hash_of_text(self) -> tuple[Any, Ints]:
        """Order the judged documents by their hash: hash and topic of each, (n_judged,)."""
        texts = self.pool.texts
        assert texts is not None
        order = np.argsort(texts.hashes)
        return texts.hashes[order], self.pool.judged.topic[self.pool.row_of_text[order]]

    @cached_property
    def _by_hash(self) -> tuple[Any, Ints]:
        """Order them in the same way by Python's hash, without compiled code."""
        hashes = np.fromiter(map(hash, self.pool.doc_ids.tolist()), np.int64)
        order = np.argsort(hashes)
        return hashes[order], self.pool.judged.topic[order]

    def changed_topics(self, further: Sequence[str], given: Collection[str]) -> Changed | None:
        """Find the change by which unjudged topics of a run are judged ones that the run lacks."""
        if not further:
            return None
        names = set(given)
        n_found = len(names) - len(further)
        return changed({"": further[:MOST]}, self._topics, lambda _, name: name in names, n_found)

    def changed_docs(
        self, unknown: Mapping[str, Sequence[str]], retrieved: Bools, n_found: int
    ) -> Changed | None:
        """Find the change by which unjudged documents of a run are judged ones that it lacks.

        Parameters
        ----------
        unknown : mapping of topic to ids
            The unjudged documents that are looked at.
        retrieved : bool array (n_judged,)
            Whether the run has a judged document as it is.
        n_found : int
            How many judged documents there are beside those that are looked at.
        """

        def is_retrieved(topic: str, name: str) -> bool:
            return bool(retrieved[self.pool.index(self.pool.topic_of[topic])[name]])

        return changed(unknown, self._docs, is_retrieved, n_found)

    def changed_in(self, top: Top, row: Ints) -> Changed | None:
        """Find the change by which unjudged documents in the first ranks are judged ones that the
        run lacks. Of more than `MOST` unjudged documents, a sample is looked at.

        Parameters
        ----------
        top : Top
        row : int array (n_hits,)
            Rows of the pool of all judged documents that the run has.
        """
        retrieved: Bools = np.zeros(self.pool.grade.size, bool)
        retrieved[row] = True
        strange = np.flatnonzero(top.row < 0)
        n_found = top.row.size - strange.size
        if strange.size > MOST:
            strange = strange[np.linspace(0, strange.size - 1, MOST).astype(np.int64)]
        unknown: dict[str, list[str]] = {}
        numbers = top.topics.topic[strange].tolist()
        for topic, doc in zip(numbers, top.docs_of(strange), strict=True):
            unknown.setdefault(self.pool.topic_ids[topic], []).append(doc)
        return self.changed_docs(unknown, retrieved, n_found)


def respelled(names: Sequence[str], known: Sequence[str], n_found: int) -> Changed | None:
    """Find the change that explains most names of one list by those of another, such as topics of
    two files: by the usual changes, and q1 for q01.

    Parameters
    ----------
    names, known : sequences of str
    n_found : int
        How many names beside these are in both lists.
    """
    if not known:
        return None
    every = KnownIds(lambda _: known, lambda: [known])
    return changed({"": list(names)}, every, lambda *_: False, n_found, [INNER_ZEROS])
