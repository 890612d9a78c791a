"""Examples: judgments, runs, and the values worked out for them.

A worked example is small enough to be checked by hand. Its expected values are exact fractions
wherever a fraction exists. A value known only as printed keeps the number of printed decimals and
is compared to that precision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import pandas as pd

Number: TypeAlias = Fraction | float

# Exact values are compared as doubles: a few additions and divisions away from the fraction.
EXACT = 1e-12


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
    """

    run: str
    query_id: str | None
    measure: str
    value: Number
    places: int | None = None

    def admits(self, computed: float) -> bool:
        """Test whether a computed value agrees: within 1e-12 of an exact value, or to the decimals
        of a printed one.

        >>> Expected("run", "q", "AP", 0.67, places=2).admits(2 / 3)
        True
        >>> Expected("run", "q", "AP", 0.66, places=2).admits(2 / 3)
        False
        """
        return (
            abs(computed - float(self.value))
            <= (0 if self.places is None else 0.5 * 10.0**-self.places) + EXACT
        )


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
        The curve that is drawn (`CRP`, `DCG`, `interpolated_precision`, ...).
    values : tuple of Fraction or float
        The exact values, first rank (or recall level 0) first.
    printed : tuple of float
        The values as the source prints them; empty if it does not. Sources truncate vectors as
        often as they round them, so `printed` agrees with `values` within one unit of its last
        decimal.
    """

    run: str
    query_id: str | None
    name: str
    values: tuple[Number, ...]
    printed: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Example:
    """Judgments, runs and the values they must give.

    The dictionaries are shared by all callers of `load`: do not change them. The frames are new on
    each call.

    Attributes
    ----------
    id, title : str
        Name for `irpref.datasets.load`, and one line on the point of the example.
    source : str
        Citation with DOI or URL and the figure or page; it says so if we derived the numbers.
    queries : dict of str to str
        Text of each topic; '' if we may not ship it.
    qrels : dict of str to dict of str to int or float
        Grades: topic, document, grade.
    runs : dict of str to dict of str to dict of str to float
        Scores: run, topic, document, score.
    expected : tuple of Expected
        Values of measures.
    curves : tuple of Curve
        Values of vectors.
    known : dict of str to frozenset of str
        The documents the user already knew, by topic; empty if the example has none.
    wanted : dict of str to int
        How many relevant documents the user expected, by topic (the column `expected` of the
        qrels).
    grades : dict of int or float to str
        The meaning of each grade.
    worked : str
        The calculation of the expected values, in lines of text; empty if there is none.
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
    worked: str = ""

    def __repr__(self) -> str:
        return f"<irpref example {self.id!r}: {self.title}>"

    def qrels_frame(self) -> pd.DataFrame:
        """Return the judgments as a frame.

        Returns
        -------
        pandas.DataFrame
            Columns `query_id`, `doc_id`, `relevance`; `known` (bool) and `expected` (int) if the
            example has them.
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
            raise KeyError(
                f"example {self.id!r} has no run {name!r}; it has {', '.join(self.runs)}"
            )
        rows = [
            (query_id, doc_id, score)
            for query_id, docs in self.runs[name].items()
            for doc_id, score in docs.items()
        ]
        return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])

    def curve(self, name: str, query_id: str | None = None, run: str | None = None) -> Curve:
        """Return the expected vector of this name (of the only run, unless one is named).

        Raises
        ------
        KeyError
            If there is no such vector, or more than one.
        """
        curves = [
            curve
            for curve in self.curves
            if (curve.name, curve.query_id) == (name, query_id) and run in (None, curve.run)
        ]
        if len(curves) != 1:
            wanted = f"{name!r} of topic {query_id!r}, run {run!r}"
            raise KeyError(f"example {self.id!r} has {len(curves)} curves {wanted}")
        return curves[0]
