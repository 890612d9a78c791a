"""A code: something that judgments or runs can have, and its consequences.

Everything that irpref looks for in judgments and runs is a `Code` in one list,
`irpref.observed.codes.CODES`. `irpref.evidence`, check, verdicts, boards and reports go over this
list: to add a code is to add a record to it. `eval`, which judges files while it reads them, asks
for some grave codes only (`irpref.observed.streamed`). A reason against a
verdict (`Ground`) need not be a code: it may lie in how the verdict is reached, such as a sample of
judgments between two looks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from ir_measures.measures import Measure

from irpref.kernel.segments import Bools, Floats
from irpref.messages import argument, have
from irpref.observed.facts import MISSING, Facts
from irpref.observed.system import System

Level: TypeAlias = Literal["grave", "warning", "note"]
LEVELS: tuple[Level, ...] = ("grave", "warning", "note")
EVERY_USE = frozenset({"values", "pass", "claim"})  # see `Code.against`
About: TypeAlias = Literal["judgments", "run", "pair", "measure", "verdict"]


@dataclass(frozen=True, slots=True)
class Ground:
    """A reason against a verdict: a stable code, and a sentence without its full stop."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class View:
    """The data that a finder sees.

    Attributes
    ----------
    facts : Facts
    inside : bool array (n_topics,)
        The topics that are looked at.
    run, other : int or None
        Number of the run that it is about, and of another run beside it.
    measure : Measure or None
    called : str
        The name of the measure in sentences.
    missing : float
        Share of the answerable topics that a verdict may miss.
    margin : float or None
        The largest loss of a mean that a pass tolerates.
    decide : callable or None
        The verdict that other values of the systems, (n_systems, n_topics), would have on some
        topics.
    grounds : sequence of Ground
        The reasons against the verdict that were found so far.
    """

    facts: Facts
    inside: Bools
    run: int | None = None
    other: int | None = None
    measure: Measure | None = None
    called: str = ""
    missing: float = MISSING
    margin: float | None = None
    decide: Callable[[Floats, Bools], str] | None = None
    grounds: Sequence[Ground] = ()

    @property
    def system(self) -> System:
        """The run that it is about."""
        assert self.run is not None
        return self.facts.systems[self.run]

    @property
    def beside(self) -> System:
        """The run beside it."""
        assert self.other is not None
        return self.facts.systems[self.other]

    def of_verdict(self) -> tuple[Facts, Measure, int]:
        """Return the facts, the measure and the number of the baseline: a verdict has all."""
        assert self.measure is not None
        assert self.run is not None
        return self.facts, self.measure, self.run


@dataclass(frozen=True, slots=True)
class Found:
    """Where a code holds.

    Attributes
    ----------
    topics : bool array (n_topics,)
    told : bool array (n_topics,) or None
        Topics on which it can be told; None: all that are looked at.
    words : mapping
        Further words of its sentence, by name.
    says : str or None
        A sentence in place of the code's own.
    level : {'grave', 'warning', 'note'} or None
        A level in place of the code's own.
    count : int or None
        The number found, if it is not topics.
    example : str or None
        The first item counted, if it is not a topic.
    """

    topics: Bools
    told: Bools | None = None
    words: Mapping[str, Any] = field(default_factory=dict)
    says: str | None = None
    level: Level | None = None
    count: int | None = None
    example: str | None = None


Finder: TypeAlias = Callable[[View], "Found | Iterable[Found] | None"]


def nothing(view: View) -> None:
    """Find nothing: for codes that are said elsewhere, such as where something cannot be
    evaluated.
    """


@dataclass(frozen=True, slots=True)
class Code:
    """Something that judgments or runs can have.

    Attributes
    ----------
    name : str
    about : {'judgments', 'run', 'pair', 'measure', 'verdict'}
        Where it is looked for: the judgments (and all runs together), each run, a run beside
        another, each measure, or a verdict.
    find : callable
        Where it holds; None if nowhere.
    says : str
        Its sentence, without a full stop. It can name `{run}`, `{measure}`, `{some}` ("3 of 40
        topics") with `{have}` and `{they}` ("it" for one), and `{n}` (the number found) with `{s}`,
        `{verb_s}`, `{are}` and `{them}`, and `{remedy}`.
    level : {'grave', 'warning', 'note'}
    by_measure : bool
        Whether it is found for each measure.
    against : set of {'values', 'pass', 'claim'}
        The uses that it rules out: the value of a topic as evidence, the verdict that a change
        may ship, the claim that a run is better.
    from_share : float or None
        From which share of the topics where it can be told it rules out a verdict; None: from
        the share that the user lets a verdict miss.
    stops : callable, optional
        Where it rules out a verdict, and with which sentence, if that is not `find`. Its
        `told` is None if it rules out the verdict on however many topics.
    needs_pair : bool
        Whether it rules out a verdict only if there is another run beside.
    of_both : bool
        Whether it rules out the claim that one run is better than another if the better one has
        it, too.
    ends_search : bool
        Whether nothing else can be told once it rules out a verdict.
    instead_of : tuple of str
        Codes that are not told on topics that this one explains.
    in_notes : bool
        Whether verdicts say it in their notes, not in the sentence of each measure. A code without
        a measure is said once.
    never_hides : bool
        Whether verdicts tell of it on however few topics.
    of_many : str
        The verb of a sentence about many runs, "do not answer", in place of "have" and its name.
    remedy : str
        The argument that mends it, as a sentence in Python names it: `columns=`. Other surfaces
        name it in their own words, see `irpref.messages.arguments_as`.
    """

    name: str
    about: About
    find: Finder
    says: str
    level: Level = "warning"
    by_measure: bool = False
    against: frozenset[str] = frozenset()
    from_share: float | None = None
    stops: Callable[[View], Found | None] | None = None
    needs_pair: bool = False
    of_both: bool = False
    ends_search: bool = False
    instead_of: tuple[str, ...] = ()
    in_notes: bool = False
    never_hides: bool = False
    of_many: str = ""
    remedy: str = ""

    @property
    def is_of_runs(self) -> bool:
        """Whether it is looked for in each run."""
        return self.about in ("run", "pair")

    def found(self, view: View) -> list[Found]:
        """List where it holds among the topics that are looked at, each with at least one topic."""
        found = self.find(view)
        every = [found] if isinstance(found, Found) else list(found or ())
        return [one for one in every if (one.topics & view.inside).any() or one.count]

    def text(self, view: View, found: Found, names_first: bool = False) -> str:
        """Word the finding as a sentence.

        Parameters
        ----------
        view : View
        found : Found
        names_first : bool
            Whether the first topic is named.
        """
        here = found.topics & view.inside
        n = int(here.sum())
        count = n if found.count is None else found.count
        words: dict[str, Any] = {
            "run": "" if view.run is None else view.system.name,
            "measure": view.called or str(view.measure),
            "some": view.facts.some(here, view.inside, names_first),
            "n": count,
            "have": have(n),
            "they": "it" if n == 1 else "they",
            "s": "" if count == 1 else "s",
            "verb_s": "s" if count == 1 else "",
            "are": "is" if count == 1 else "are",
            "them": "it" if count == 1 else "them",
            "first": found.example,
        }
        return self.worded(found.says, **{**words, **found.words})

    def worded(self, says: str | None = None, **words: Any) -> str:
        """Put words into its sentence, or into another one in its place."""
        return (says or self.says).format(**{"remedy": argument(self.remedy), **words})

    def against_verdict(self, view: View) -> str | None:
        """Return the sentence if it rules out a verdict; else None."""
        if self.needs_pair and view.other is None:
            return None
        found = self.stops(view) if self.stops else next(iter(self.found(view)), None)
        if found is None:
            return None
        here = found.topics & view.inside
        if found.told is not None:
            told = found.told & view.inside
            share = view.missing if self.from_share is None else self.from_share
            if not here.any() or (here & told).sum() <= share * told.sum():
                return None
        inside = view.inside if found.told is None else found.told & view.inside
        return self.text(replace(view, inside=inside), found)
