"""What a worked example is: judgments, runs, and the values somebody worked out for them.

An `Example` is small enough to be checked by hand. Its expected values are exact fractions wherever a
fraction exists; a value known only as printed keeps the number of printed decimals and is compared within
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import pandas as pd

Number: TypeAlias = Fraction | float

# Exact values are compared as doubles: a few additions and divisions away from the fraction.
EXACT = 1e-12


class Document(NamedTuple):
    """A document of a collection: id and text."""

    doc_id: str
    text: str


@dataclass(frozen=True)
class Expected:
    """The value one measure must give to one run on one topic.

    Attributes
    ----------
    run : str
        Name of the run in its example.
    query_id : str or None
        The topic; None for the mean over the topics.
    measure : str
        The measure as text, for `irpref.parse`.
    value : Fraction or float
        The value: exact, or as printed.
    places : int or None
        Number of printed decimals; None if `value` is exact.
    note : str
        What there is to know about this number.
    truncated : bool
        The source cut the decimals off instead of rounding.
    """

    run: str
    query_id: str | None
    measure: str
    value: Number
    places: int | None = None
    note: str = ""
    truncated: bool = False

    def admits(self, computed: float) -> bool:
        """Whether a computed value agrees: within 1e-12 of an exact value, within the print of a printed one.

        >>> Expected("run", "q", "AP", 0.66, places=2, truncated=True).admits(2 / 3)
        True
        >>> Expected("run", "q", "AP", 0.66, places=2).admits(2 / 3)
        False
        """
        return agrees(self.value, computed, places=self.places, truncated=self.truncated)


@dataclass(frozen=True)
class Curve:
    """A vector of expected values: one per rank, or one per recall level.

    Attributes
    ----------
    run : str
        Name of the run in its example.
    query_id : str or None
        The topic; None for the vector over all topics.
    name : str
        What is drawn (`CRP`, `DCG`, `interpolated_precision`, ...).
    values : tuple of Fraction or float
        The exact values, first rank (or recall level 0) first.
    printed : tuple of float
        The values as the source prints them; empty if it does not. Sources of printed vectors truncate as
        often as they round, so `printed` agrees with `values` within one unit of its last decimal.
    note : str
        What there is to know about this vector.
    """

    run: str
    query_id: str | None
    name: str
    values: tuple[Number, ...]
    printed: tuple[float, ...] = ()
    note: str = ""


@dataclass(frozen=True, eq=False)
class Example:
    """Judgments, runs and the values they must give.

    The dictionaries are shared by everybody who loads the example: read them, do not change them. The frames
    are made anew on each call.

    Attributes
    ----------
    id, title : str
        Name for `irpref.datasets.load`, and one line that says what the example shows.
    source : str
        Citation with DOI or URL and the figure or page; says so where numbers were derived by us.
    queries : dict of str to str
        Text of each topic.
    qrels : dict of str to dict of str to int or float
        Grades: topic, document, grade.
    runs : dict of str to dict of str to dict of str to float
        Scores: run, topic, document, score.
    expected : tuple of Expected
        Values of measures.
    curves : tuple of Curve
        Values of vectors.
    known : dict of str to frozenset of str
        The documents the user knew already, by topic; empty if the example has none.
    wanted : dict of str to int
        How many relevant documents the user expected, by topic (the column `expected` of the qrels).
    grades : dict of int or float to str
        What each grade means.
    texts : dict of str to str
        Text of each document; empty if the documents of the source have none.
    """

    id: str
    title: str
    source: str
    queries: Mapping[str, str]
    qrels: Mapping[str, Mapping[str, float]]
    runs: Mapping[str, Mapping[str, Mapping[str, float]]]
    grades: Mapping[int, str] | Mapping[float, str]
    expected: tuple[Expected, ...] = ()
    curves: tuple[Curve, ...] = ()
    known: Mapping[str, frozenset[str]] = field(default_factory=dict)
    wanted: Mapping[str, int] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<irpref example {self.id!r}: {self.title}>"

    def docs(self) -> Iterator[Document]:
        """Iterate over the documents; nothing for an example whose documents have no text."""
        return (Document(doc_id, text) for doc_id, text in self.texts.items())

    def qrels_frame(self) -> pd.DataFrame:
        """Return the judgments as a frame.

        Returns
        -------
        pandas.DataFrame
            Columns `query_id`, `doc_id`, `relevance`; `known` (bool) and `expected` (int) if the example has
            them.
        """
        import pandas as pd

        rows = [(query_id, doc_id) for query_id, docs in self.qrels.items() for doc_id in docs]
        frame = pd.DataFrame(rows, columns=["query_id", "doc_id"])
        frame["relevance"] = [self.qrels[query_id][doc_id] for query_id, doc_id in rows]
        if self.known:
            frame["known"] = [doc_id in self.known[query_id] for query_id, doc_id in rows]
        if self.wanted:
            frame["expected"] = [self.wanted[query_id] for query_id, _ in rows]
        return frame

    def run_frame(self, name: str) -> pd.DataFrame:
        """Return one run as a frame.

        Parameters
        ----------
        name : str
            Name of the run.

        Returns
        -------
        pandas.DataFrame
            Columns `query_id`, `doc_id`, `score`.

        Raises
        ------
        KeyError
            If the example has no run of this name.
        """
        import pandas as pd

        if name not in self.runs:
            raise KeyError(f"example {self.id!r} has no run {name!r}; it has {', '.join(self.runs)}")
        rows = [
            (query_id, doc_id, score) for query_id, docs in self.runs[name].items() for doc_id, score in docs.items()
        ]
        return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])

    def curve(self, name: str, query_id: str | None = None, run: str | None = None) -> Curve:
        """Return the expected vector of this name (of the only run, unless one is named).

        Raises
        ------
        KeyError
            If there is no such vector, or more than one.
        """
        found = [
            curve
            for curve in self.curves
            if (curve.name, curve.query_id) == (name, query_id) and run in (None, curve.run)
        ]
        if len(found) != 1:
            wanted = f"{name!r} of topic {query_id!r}, run {run!r}"
            raise KeyError(f"example {self.id!r} has {len(found)} curves {wanted}")
        return found[0]


def agrees(value: Number, computed: float, *, places: int | None = None, truncated: bool = False) -> bool:
    """Whether `computed` is `value`: to 1e-12, or within what printing `places` decimals leaves open."""
    if places is None:
        return abs(computed - float(value)) <= EXACT
    if truncated:
        return float(value) - EXACT <= computed < float(value) + 10.0**-places
    return abs(computed - float(value)) <= 0.5 * 10.0**-places + EXACT


def ranking(doc_ids: str) -> dict[str, float]:
    """Scores that rank the documents in the order written: the last one gets 1.

    >>> ranking("d2 d1")
    {'d2': 2.0, 'd1': 1.0}
    """
    listed = doc_ids.split()
    return {doc_id: float(len(listed) - position) for position, doc_id in enumerate(listed)}


def values(
    run: str,
    query_id: str | None,
    by_measure: Mapping[str, Number],
    *,
    places: int | None = None,
    note: str = "",
) -> tuple[Expected, ...]:
    """The expected values of several measures for one run and topic."""
    return tuple(Expected(run, query_id, measure, value, places, note) for measure, value in by_measure.items())


# The letters of Sakai's papers for relevance levels, and ours for the rest: r relevant (binary), n judged not
# relevant, x worse than not relevant. A u is unjudged and so has no grade.
LEVELS = {"S": 3, "A": 2, "B": 1, "r": 1, "n": 0, "x": -1}


def lettered(ranked: str, missing: str = "") -> tuple[dict[str, int], dict[str, float]]:
    """Judgments and ranking of a list written in letters, as `n r r` or `A A S A`.

    Parameters
    ----------
    ranked : str
        The retrieved documents in order, one letter each (see `LEVELS`; u is unjudged).
    missing : str
        The judged documents that were not retrieved.

    Returns
    -------
    tuple of dict
        Grade of each judged document; score of each retrieved one. Documents are named by letter and number.

    >>> lettered("n r", missing="r")
    ({'n1': 0, 'r1': 1, 'r2': 1}, {'n1': 2.0, 'r1': 1.0})
    """
    seen: dict[str, int] = {}

    def name(letter: str) -> str:
        seen[letter] = seen.get(letter, 0) + 1
        return f"{letter}{seen[letter]}"

    retrieved = [name(letter) for letter in ranked.split()]
    unretrieved = [name(letter) for letter in missing.split()]
    grades = {doc_id: LEVELS[doc_id[0]] for doc_id in retrieved + unretrieved if doc_id[0] != "u"}
    return grades, ranking(" ".join(retrieved))
