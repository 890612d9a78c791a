"""The questions of verdicts, and who answers them.

`pairs` is the one loop over measures, groups of topics and systems: `compare`, `gate` and `against`
walk it. (Over several collections, `over_collections` has loops of its own, which ask the basis of
each collection for reasons.) A `Basis` knows where the values come from and what rules out a
verdict: judged runs, a sample of judgments, or values alone. Each verdict asks for the part that it
reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from ir_measures.measures import Measure

from irpref.judged import Groups
from irpref.kernel import Bools, Floats
from irpref.observed import Ground
from irpref.values import TopicValues
from irpref_lab.decide.all_pairs import OverTies
from irpref_lab.decide.pair import Pair, Row

if TYPE_CHECKING:
    from irpref_lab.decide.results.leaderboard import Leaderboard

Verdict: TypeAlias = Literal["claim", "pass"]


@dataclass(frozen=True, eq=False)
class Question:
    """A question: does a verdict about two systems hold?

    Attributes
    ----------
    verdict : {'claim', 'pass'}
    measure : Measure
    group : str or None
        The group of topics; None: all topics.
    inside : bool array (n_topics,)
        The topics of the group.
    missing : float
        Share of the answerable topics that may be missing.
    numbers : two int
        The numbers of the systems.
    margin : float or None
        The largest loss that a pass tolerates.
    decide : callable or None
        The verdict of a pair if nothing rules it out: codes ask whether other values would
        have another one.
    """

    verdict: Verdict
    measure: Measure
    group: str | None
    inside: Bools
    missing: float
    numbers: tuple[int, int] = (0, 1)
    margin: float | None = None
    decide: Callable[[Pair], str] | None = None

    def pair(
        self,
        names: tuple[str, str],
        query_ids: Sequence[str],
        topics: Bools,
        values: Floats,
        lacking: Bools,
        knows_means: bool = True,
    ) -> Pair:
        """Return the systems on the topics that are compared, from arrays of all topics, with no
        grounds yet.
        """
        return Pair(
            self.measure,
            self.group,
            self.inside,
            topics,
            names,
            list(compress(query_ids, topics.tolist())),
            values[:, topics],
            lacking[:, topics],
            [],
            self.numbers,
            knows_means,
        )


class Systems(Protocol):
    """The systems that verdicts are about, and the evidence: every verdict asks this.

    What a basis does not answer is not known.

    Attributes
    ----------
    measures : sequence of Measure
        In the order that was asked for.
    heading : str
        Beginning of all sentences: "values only: ", or nothing.
    """

    measures: Sequence[Measure]
    heading: str = ""

    @property
    def names(self) -> Sequence[str]:
        """The names of the systems."""
        ...

    def share(self, level: float) -> float:
        """Return the level of each test: several looks at a sample share one."""
        return level

    def parts(self, groups: Groups | None) -> dict[str | None, Bools]:
        """Map each group to its topics; without groups, None to all topics."""
        ...

    def frame(self, parts: Mapping[str | None, Bools]) -> Any:
        """Return the table of `irpref.evidence`; None if there is none."""
        return None

    def grave(self) -> list[str]:
        """List what `irpref_lab.check` would find grave, a line for each code."""
        return []


class PairBasis(Systems, Protocol):
    """Two systems beside each other: `compare`, `gate` and `against` ask this."""

    def pair(self, asked: Question) -> Pair:
        """Return two systems on a group of topics, with the grounds against the verdict."""
        ...

    def columns(self, pair: Pair, called: Sequence[str], level: float) -> Row:
        """Return the further columns of a pair; the systems are called so in their names."""
        ...

    def sentences(
        self, verdict: Verdict, pair: Pair, row: Mapping[str, Any], missing: float
    ) -> list[str]:
        """Describe in sentences the problems behind the numbers of a pair."""
        ...

    def repeats(self, pair: Pair, row: Mapping[str, Any]) -> list[str]:
        """Say if the difference is no larger than between repeated runs of a system."""
        return []

    def notes(self, verdict: Verdict) -> list[str]:
        """Say which facts all pairs share, without full stops."""
        ...

    def could_turn(self, pair: Pair, verdict: Any, now: str, agrees: bool = True) -> bool | None:
        """Tell whether judging the unjudged documents could change a verdict; None if unknown."""
        return None


class GateBasis(PairBasis, Protocol):
    """A baseline, a candidate and perhaps a reference: only `gate` asks this.

    Attributes
    ----------
    lacking : str
        Words for topics that a system lacks: "has no documents", or "has no value".
    hashed : str
        The source of the first hash: "qrels", or "topics".
    same : str
        What systems have in common that `same_order` calls the same: "ranking", or "values".
    """

    lacking: str = "has no documents"
    hashed: str = "qrels"
    same: str = "ranking"

    def only(self, numbers: Sequence[int]) -> GateBasis:
        """Return the basis of some systems, by number."""
        ...

    def same_order(self, first: int, second: int) -> bool:
        """Tell whether two systems have the same ranking, or values; False if unknown."""
        return False

    def check_gate(self) -> None:
        """Refuse judgments and measures that can never tell whether a change may ship.

        Raises
        ------
        EmptyJudgmentsError, MeasureError
        """
        return

    def hashes(self, parts: Mapping[str | None, Bools]) -> tuple[str, str]:
        """Return the hash of `hashed`, and of all inputs besides the runs."""
        ...


class ManyBasis(Systems, Protocol):
    """Many systems: `against` and `leaderboard` ask this."""

    def absent(self, strict: bool = False, alone: bool = False) -> dict[str, str]:
        """Return the systems that take no part in tests, with the reason."""
        return {}

    def tables(self) -> list[TopicValues]:
        """Return the values of each measure."""
        ...

    def columns_of_runs(self, measure: Measure, inside: Bools) -> dict[str, Row]:
        """Return further columns of each system."""
        ...

    def notes_of_many(self, absent: Mapping[str, str], called: str | None = None) -> list[str]:
        """Describe problems behind the values of all systems, without full stops."""
        ...

    def over_ties(self, measure: Measure, inside: Bools) -> OverTies | None:
        """Return the values in expectation over the orders of tied documents; None if nothing is
        tied, or this is not known.
        """
        return None

    def check_values(self) -> None:
        """Refuse a basis that knows no values of single systems."""
        return


class BoardBasis(ManyBasis, Protocol):
    """A board with tests of all pairs: only `leaderboard` asks this."""

    def further(self) -> list[TopicValues]:
        """Return the values of `FURTHER`."""
        ...

    def on_tables(self, parts: Mapping[str | None, Bools]) -> dict[str | None, Bools]:
        """Return the groups as masks of the topics that the tables have."""
        return dict(parts)

    def against_runs(
        self, measure: Measure, inside: Bools, missing: float
    ) -> dict[str, list[Ground]]:
        """Map each system to the grounds against the claim that another one is better."""
        ...

    def against_pair(
        self, measure: Measure, inside: Bools, missing: float, worse: str, better: str
    ) -> list[Ground]:
        """Return the grounds against the claim that one system is better than another, if these
        depend on both.
        """
        return []

    def complete(self, board: Leaderboard, parts: Mapping[str | None, Bools], level: float) -> None:
        """Add the further columns of a board, and blank those that the basis does not know."""
        ...

    def notes_of_pairs(
        self, board: Leaderboard, parts: Mapping[str | None, Bools], missing: float
    ) -> list[str]:
        """Describe problems behind significant differences of a board, without full stops."""
        ...


class Basis(GateBasis, BoardBasis, Protocol):
    """All questions: judged runs, a sample of judgments, and values alone answer them."""


def pairs(
    basis: PairBasis,
    verdict: Verdict,
    parts: Mapping[str | None, Bools],
    missing: float,
    numbers: Iterable[tuple[int, int]] = ((0, 1),),
    margin: float | None = None,
    decide: Callable[[Pair], str] | None = None,
) -> Iterator[Pair]:
    """Yield each pair of systems by each measure in each group of topics: see `Question`.

    Parameters
    ----------
    basis : PairBasis
    verdict : {'claim', 'pass'}
    parts : mapping of group to bool array (n_topics,)
    missing : float
    numbers : pairs of int
        Numbers of the systems.
    margin : float, optional
    decide : callable, optional
    """
    of_systems = list(numbers)
    for measure in basis.measures:
        for group, inside in parts.items():
            for two in of_systems:
                yield basis.pair(
                    Question(verdict, measure, group, inside, missing, two, margin, decide)
                )
