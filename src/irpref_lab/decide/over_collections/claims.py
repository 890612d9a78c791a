"""Reasons against claims over several collections, from the basis of verdicts on each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ir_measures.measures import Measure

from irpref.kernel import Bools
from irpref.observed import TIES_DECIDE, Evidence, Ground
from irpref_lab.decide.all_pairs import AgainstClaims
from irpref_lab.decide.facts_basis import FactsBasis
from irpref_lab.decide.over_collections.numbers import Strata, StrataOverTies
from irpref_lab.decide.over_collections.parts import Part, basis_on


@dataclass(frozen=True, eq=False)
class Claims:
    """Reasons against claims about systems by one measure, on any of several collections.

    A claim is about the means over all collections, and each collection is asked about the system
    whose mean is worse. On a collection where the two are in the other order, it is asked about
    both, since the value of either may be wrong there. Whether tied documents decide is asked of
    all collections together (`over_ties`).

    Attributes
    ----------
    measure : Measure
    missing : float
        Share of the answerable topics of a collection that a system may lack.
    gains : mapping of system to tuple of float
        Its mean on each collection and over all, turned so that higher is better.
    on : mapping of name of a collection to FactsBasis
        The systems there.
    inside : mapping of name of a collection to bool array (n_topics,)
        The topics there that have a value.
    """

    measure: Measure
    missing: float
    gains: Mapping[str, Sequence[float]]
    on: Mapping[str, FactsBasis]
    inside: Mapping[str, Bools]

    def against(self) -> AgainstClaims:
        """Return the reasons in the form that boards ask for."""
        by_run: dict[str, list[Ground]] = {name: [] for name in self.gains}
        for collection, basis in self.on.items():
            for name, grounds in self._of_runs(basis).items():
                by_run[name] += _named(collection, grounds)
        return AgainstClaims(by_run, self._of_pair)

    def between(self, a: str, b: str) -> list[Ground]:
        """Return all reasons against the claim that one system is better than the other."""
        worse, better = (a, b) if self.gains[b][-1] >= self.gains[a][-1] else (b, a)
        found: list[Ground] = []
        for collection, one, other in self._asked(worse, better):
            basis = self.on[collection]
            two = basis.facts.only(map(basis.names.index, (one, other)))
            here = two.against_claim(self.measure, 0, 1, two.everything, self.missing)
            found += _named(collection, here)
        return list(dict.fromkeys(found))

    def over_ties(self, of: Strata) -> StrataOverTies | None:
        """Return the values of systems in expectation over the orders of tied documents; None if
        nothing is tied, or this is not known.
        """
        values, is_tied = list(of.values), False
        for number, (collection, facts) in enumerate(self._facts_of(of.systems)):
            expected = facts.expected(self.measure)
            if expected is not None:
                values[number], is_tied = expected[:, self.inside[collection]], True
        return StrataOverTies(replace(of, values=values), self.of_ties) if is_tied else None

    def of_ties(self, worse: str, better: str, now: str, then: str) -> Ground:
        """Return the reason that tied documents decide about two systems: the verdict in the order
        of ids is another one than in expectation.
        """
        n_tied = n_topics = 0
        for collection, facts in self._facts_of((worse, better)):
            inside = self.inside[collection]
            n_tied += int((facts.tied & inside).sum())
            n_topics += int(inside.sum())
        some, measure = f"{n_tied:,} of {n_topics:,} topics", str(self.measure)
        text = TIES_DECIDE.worded(some=some, measure=measure, now=now, then=then)
        return Ground(TIES_DECIDE.name, text)

    def _facts_of(self, systems: Sequence[str]) -> Iterator[tuple[str, Evidence]]:
        """Yield the evidence of systems on each collection."""
        for collection, basis in self.on.items():
            yield collection, basis.facts.only(map(basis.names.index, systems))

    def _of_pair(self, worse: str, better: str) -> list[Ground]:
        """Return the reasons that depend on both systems."""
        found: list[Ground] = []
        for collection, one, other in self._asked(worse, better):
            basis = self.on[collection]
            here = [] if one == worse else self._of_runs(basis)[one]
            inside = basis.facts.everything
            here = here + basis.against_pair(self.measure, inside, self.missing, one, other)
            found += _named(collection, here)
        return found

    def _of_runs(self, basis: FactsBasis) -> dict[str, list[Ground]]:
        return basis.against_runs(self.measure, basis.facts.everything, self.missing)

    def _asked(self, worse: str, better: str) -> Iterator[tuple[str, str, str]]:
        """Yield each collection, the system to ask about there, and the one beside it."""
        for number, collection in enumerate(self.on):
            yield collection, worse, better
            if self.gains[worse][number] > self.gains[better][number]:
                yield collection, better, worse


def _named(collection: str, grounds: Sequence[Ground]) -> list[Ground]:
    """Name the collection in each reason."""
    return [Ground(ground.code, f"{collection}: {ground.text}") for ground in grounds]


def claims_of(
    parts: Sequence[Part],
    measure: Measure,
    of: Strata,
    missing: float,
    names: Sequence[str] | None = None,
) -> Claims:
    """Return the reasons against claims about systems, under other names if these are given."""
    names = of.systems if names is None else names
    sign = 1 if of.higher_is_better else -1
    by_mean = of.by_mean
    rows = zip(by_mean.values.tolist(), by_mean.means.tolist(), strict=True)
    gains = {
        name: [sign * mean for mean in (*on_each, over_all)]
        for name, (on_each, over_all) in zip(names, rows, strict=True)
    }
    on = {part.name: basis_on(part, of.systems, names) for part in parts}
    inside = {
        part.name: on[part.name].facts.mask_of(part.tables[str(measure)].topics) for part in parts
    }
    return Claims(measure, missing, gains, on, inside)
