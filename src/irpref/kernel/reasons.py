"""Why each document contributes its share, in words: a measure's explanation of one topic.

A measure's own file holds a function that takes a `Topic` and sets its reasons; `default_reasons`
serves those that have none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irpref.kernel.preference_pairs import NOT_RETRIEVED, Preferences
from irpref.kernel.segments import Bools, Floats, Ints

RETRIEVED, MISSED, REST = 0, 1, 2  # kinds of rows, in their order


@dataclass(frozen=True, slots=True, eq=False)
class Topic:
    """One topic of an explanation: retrieved documents in order, missed ones, the rest. Arrays
    (n_rows,).

    Attributes
    ----------
    arguments : dict
        The parameters of the measure, as its kernel receives them.
    doc : list of str
        None for the rest.
    kind : int array
        RETRIEVED, MISSED or REST.
    grade, contribution : float array
        NaN if there is none.
    columns : dict of str to float array
        Columns of the terms.
    pool_grade : float array (n_judged,)
        Grades of all judged documents of the topic.
    place : int array
        Rank in the list that the measure looks at: of the judged documents only if it is
        `judged_only`; 0 for documents that are not in it.
    inside : bool array
        Documents of that list, down to the cutoff.
    why : list of str
        The reasons, to be set.
    preferences : Preferences, optional
        The topic's preferences, for measures that need them.
    pool_doc : list of str
        With them: the judged documents, in the order of `pool_grade`.
    first : int or None
        How many rows are asked for, from the first; all if None.
    """

    arguments: Mapping[str, Any]
    doc: list[Any]
    kind: Ints
    grade: Floats
    contribution: Floats
    columns: Mapping[str, Floats]
    pool_grade: Floats
    place: Ints
    inside: Bools
    why: list[str]
    preferences: Preferences | None = None
    pool_doc: Sequence[str] = ()
    first: int | None = None

    def say(self, rows: Bools, words: str | Callable[[int], str]) -> None:
        """Set the reasons of these rows: the same words, or the words that a function makes of each
        row.
        """
        for i in np.flatnonzero(rows[: self.first]).tolist():
            self.why[i] = words if isinstance(words, str) else words(i)

    def relevant_retrieved(self, others: str = "not relevant") -> Bools:
        """Find the relevant documents retrieved, (n_rows,), and give the other judged ones the
        reason `others`.
        """
        relevant = self.inside & self.relevant()
        self.say(self.inside & (self.grade >= 0) & ~relevant, others)
        return relevant

    def say_first(self, words: str) -> None:
        """Say `words` about the first relevant document retrieved, and about the others that they
        do not count.
        """
        relevant = self.relevant_retrieved()
        first = self.doc[int(relevant.argmax())]
        self.say(relevant, f"below the first relevant document {first}: not counted")
        self.say(relevant & (np.cumsum(relevant) == 1), f"first relevant document: {words}")

    def relevant(self) -> Bools:
        """Find the documents with a gain, or with a grade of at least the parameter `rel`:
        (n_rows,).
        """
        rel = self.arguments.get("rel")
        counts: Bools = (
            self.columns["gain"] > 0
            if "gain" in self.columns
            else self.grade >= (rel or np.nextafter(0, 1))
        )
        return counts


def plain_reasons(topic: Topic, negative: bool, cutoff: int | None) -> None:
    """Set the reasons that hold for every measure: why a document has no part in the value, empty
    if it has one.

    Parameters
    ----------
    topic : Topic
    negative : bool
        Whether a negative grade is a judgment.
    cutoff : int or None
    """
    grade, kind, seen = topic.grade, topic.kind, topic.place > 0
    why = np.full(kind.size, "", dtype=object)
    if not negative:
        why[grade < 0] = "negative grade: no judgment"
    why[np.isnan(grade)] = "no judgment"
    why[seen & ~topic.inside] = f"below the cutoff {cutoff}: counts as not retrieved"
    why[kind == MISSED] = "not retrieved"
    why[kind == REST] = "the list ends here: as if non-relevant documents followed"
    topic.why[:] = why.tolist()


def default_reasons(topic: Topic) -> None:
    """Set the reasons for a measure without a function of its own: how much each document adds, and
    that others add nothing.
    """
    adds = np.nan_to_num(topic.contribution) != 0

    def words(i: int) -> str:
        verb = "adds" if topic.contribution[i] > 0 else "takes away"
        grade = "no judgment" if np.isnan(topic.grade[i]) else f"grade {topic.grade[i]:g}"
        where = f"at rank {topic.place[i]}" if topic.kind[i] == RETRIEVED else "not retrieved"
        return f"{grade}, {where}: {verb} {abs(topic.contribution[i]):.4g}"

    judged = topic.inside & (topic.grade >= 0)
    topic.say(judged & ~topic.relevant(), "not relevant")
    topic.say(judged & topic.relevant(), "relevant, but adds nothing here")
    topic.say(adds & (topic.kind != REST), words)


def names(docs: Sequence[str], rows: Ints, most: int = 3) -> str:
    """Name some rows in a sentence: `D1`; `D1 and D2`; `D1, D2, D3 and 5 more`."""
    shown = most + 1 if rows.size == most + 1 else most
    docs = [docs[row] for row in rows[:shown].tolist()]
    if rows.size > shown:
        docs.append(f"{rows.size - shown} more")
    return " and ".join(filter(None, [", ".join(docs[:-1]), docs[-1]]))


def say_preferences(topic: Topic, relevance: Floats, penalty: Floats) -> Ints:
    """Say which less relevant documents are ranked above each one, and which more relevant ones
    below it.

    Parameters
    ----------
    topic : Topic
    relevance : float array (n_rows,)
        The values that the measure compares; NaN for documents that play no part.
    penalty : float array (n_rows,)
        Share of its weight that a document loses.

    Returns
    -------
    int array
        The rows that play a part, in rank order.
    """
    ranked = np.flatnonzero(topic.inside & (relevance >= 0))
    value = relevance[ranked]
    docs = [topic.doc[i] for i in ranked.tolist()]
    for at, i in enumerate(ranked.tolist()):
        if topic.first is not None and i >= topic.first:
            break
        above = np.flatnonzero(value[:at] < value[at])
        below = at + 1 + np.flatnonzero(value[at + 1 :] > value[at])
        words = []
        if above.size:
            lost = f"loses {100 * penalty[i]:.1f}%"
            words.append(f"below less relevant {names(docs, above)}: {lost}")
        elif value[at] > 0:
            words.append("nothing less relevant above")
        if below.size:
            words.append(f"above preferred {names(docs, below)}")
        topic.why[i] = "; ".join(words) or "not relevant, nothing relevant below"
    return ranked


def say_fulfilled(topic: Topic, only_retrieved: bool) -> None:
    """Say which preferences each document wins and loses, if the judgments are preferences.

    Parameters
    ----------
    topic : Topic
    only_retrieved : bool
        Whether only preferences between two documents with a rank count.
    """
    preferences = topic.preferences
    assert preferences is not None
    numbers = {doc: i for i, doc in enumerate(topic.pool_doc)}
    place = np.full(len(topic.pool_doc), NOT_RETRIEVED)
    for doc, at, inside in zip(topic.doc, topic.place.tolist(), topic.inside.tolist(), strict=True):
        if inside and doc in numbers:
            place[numbers[doc]] = at

    def listed(rows: Ints) -> str:
        by_rank = rows[np.lexsort((rows, place[rows]))]
        return names(topic.pool_doc, by_rank)

    def words(i: int) -> str:
        row = numbers[topic.doc[i]]
        worse, better = preferences.against(row)
        if only_retrieved:
            worse, better = (rows[place[rows] != NOT_RETRIEVED] for rows in (worse, better))
        won, lost = worse[place[worse] > place[row]], worse[place[worse] < place[row]]
        sentences = []
        if won.size:
            sentences.append(f"wins over {listed(won)}")
        if lost.size:
            sentences.append(f"loses to {listed(lost)}, less preferred but above it")
        if topic.inside[i]:
            yields = better[place[better] > place[row]]
            if yields.size:
                sentences.append(f"ranked above {listed(yields)}, preferred to it")
            return "; ".join(sentences) or "wins and loses nothing"
        if only_retrieved:
            return "not retrieved: its preferences do not count"
        open_ = worse[place[worse] == NOT_RETRIEVED]
        if open_.size:
            sentences.append(f"preferred to {listed(open_)}, which was not retrieved either")
        return "; ".join(["not retrieved", *sentences])

    topic.say(topic.inside & ~np.isnan(topic.grade), words)
    topic.say(topic.kind == MISSED, words)
