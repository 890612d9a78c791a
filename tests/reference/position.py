"""Cumulated relative position: M. Angelini and others, IIR 2013; Twist: N. Ferro and others, JASIST
67(3), 2016.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import accumulate

from reference.symbols import Judgments, Number, Ranking, condensed, formula, top


class Positions:
    """Ideal intervals and relative positions of one topic, Angelini et al. 2013, equations (2) to
    (5).

    The ranking is filled up with non-relevant documents to `length` if it is shorter. The ideal
    vector holds all judged, all retrieved and the filling documents; unjudged ones are non-relevant
    (weight 0); documents of negative grade come after the non-relevant ones. It is never cut."""

    def __init__(self, ranking: list[str], judgments: Judgments, length: int) -> None:
        n_filling = max(0, length - len(ranking))
        self.grades = [judgments.get(doc, 0) for doc in ranking] + [0] * n_filling
        unjudged = [doc for doc in ranking if doc not in judgments]
        self.ideal = sorted([*judgments.values(), *[0] * (len(unjudged) + n_filling)], reverse=True)
        self.first: dict[Number, int] = {}
        self.last: dict[Number, int] = {}
        for rank, grade in enumerate(self.ideal, start=1):
            self.first.setdefault(grade, rank)
            self.last[grade] = rank

    def relative_position(self, grade: Number, rank: int) -> int:
        """Equation (4)."""
        return min(rank - self.first[grade], 0) + max(rank - self.last[grade], 0)

    def by_rank(self, grades: list[Number]) -> list[int]:
        """Relative position by rank of a vector of grades."""
        return [self.relative_position(grade, rank) for rank, grade in enumerate(grades, start=1)]


def cumulated(values: Iterable[int]) -> list[int]:
    """Running totals."""
    return list(accumulate(values))


def recall_base(judgments: Judgments) -> int:
    """R of this family: documents of positive grade."""
    return sum(grade > 0 for grade in judgments.values())


def crp_curve(
    ranking: Ranking, judgments: Judgments, *, cutoff: int | None = None, judged_only: bool = False
) -> list[int]:
    """CRP by rank, Angelini et al. 2013, equation (5); at least to rank R."""
    if judged_only:
        ranking = condensed(ranking, judgments)
    shown = top(ranking, cutoff)
    positions = Positions(shown, judgments, recall_base(judgments))
    return cumulated(positions.by_rank(positions.grades))


@formula("CRP")
def crp(
    ranking: Ranking, judgments: Judgments, *, cutoff: int | None = None, judged_only: bool = False
) -> int:
    """CRP at the cutoff or at R ("loss value"), Angelini et al. 2013, figure 1; constant after the
    end.

    A cutoff reads the curve of the whole run: with negative grades the ideal vector depends on what
    is retrieved, and it is to stay whole."""
    curve = crp_curve(ranking, judgments, judged_only=judged_only)
    R = recall_base(judgments)
    if R == 0:
        return 0
    rank = R if cutoff is None else min(cutoff, len(curve))
    return curve[rank - 1]


@formula("nCRP")
def ncrp(
    ranking: Ranking,
    judgments: Judgments,
    *,
    norm: str = "worst",
    worst: str = "bound",
    judged_only: bool = False,
) -> Fraction:
    """CRP(r, R) / CRP(w, R), Angelini et al. 2013, figure 1; with `norm='range'` as MATTERS.

    The worst case w has no relevant document in the top R ("bound"), or is the ideal list in
    reverse; 0 if that has no loss."""
    R = recall_base(judgments)
    if R == 0:
        return Fraction(0)
    if norm == "range":
        return _published_ncrp(ranking, judgments, judged_only)
    loss = -R * (R + 1) // 2
    if worst == "reversed":
        shown = list(condensed(ranking, judgments) if judged_only else ranking)
        positions = Positions(shown, judgments, R)
        loss = sum(positions.by_rank(positions.ideal[::-1])[:R])
        ranking = shown
    return (
        Fraction(0)
        if loss >= 0
        else Fraction(crp(ranking, judgments, judged_only=judged_only), loss)
    )


def balance_point(curve: list[int], R: int) -> int | None:
    """First rank from R on where the curve is not below 0."""
    return next((rank for rank in range(max(R, 1), len(curve) + 1) if curve[rank - 1] >= 0), None)


def _lists_of_toolkit(
    ranking: Ranking, judgments: Judgments, judged_only: bool
) -> tuple[list[str], int, Positions]:
    """What MATTERS compares: the first 1,000 documents, this depth (at least R), and positions."""
    shown = list(condensed(ranking, judgments) if judged_only else ranking)
    depth = max(1000, recall_base(judgments))
    shown = shown[:depth]
    return shown, depth, Positions(shown, judgments, depth)


def _published_ncrp(ranking: Ranking, judgments: Judgments, judged_only: bool) -> Fraction:
    """(2 CRP(R) - mu - nu) / (mu - nu), over the curve of the reversed ideal list."""
    _, depth, positions = _lists_of_toolkit(ranking, judgments, judged_only)
    value = cumulated(positions.by_rank(positions.grades))[recall_base(judgments) - 1]
    full = cumulated(positions.by_rank(positions.ideal[:depth][::-1]))
    mu, nu = max(full), min(full)
    return Fraction(2 * value - mu - nu, mu - nu) if mu > nu else Fraction(0)


@formula("CRPRecovery")
def crp_recovery(
    ranking: Ranking,
    judgments: Judgments,
    *,
    balance: str = "first",
    cutoff: int | None = None,
    judged_only: bool = False,
) -> Fraction:
    """Recovery value rho = R / balance point, Angelini et al. 2013, section 2; with
    `balance='last'` as MATTERS.
    """
    R = recall_base(judgments)
    if R == 0:
        return Fraction(0)
    if balance == "last":
        shown, depth, _ = _lists_of_toolkit(ranking, judgments, judged_only)
        shown = shown[:cutoff]
        if not any(judgments.get(doc, 0) > 0 for doc in shown):
            return Fraction(0)
        positions = Positions(shown, judgments, depth)
        return published_recovery(cumulated(positions.by_rank(positions.grades)), R)
    curve = crp_curve(ranking, judgments, cutoff=cutoff, judged_only=judged_only)
    point = balance_point(curve, R)
    return Fraction(0) if point is None else Fraction(R, point)


def published_recovery(curve: list[int], R: int) -> Fraction:
    """rho of the authors' toolkit MATTERS: R over the last rank before the curve first changes its
    side.
    """
    if all(value == 0 for value in curve):
        return Fraction(1)
    above = [value > 0 for value in curve]
    for rank in range(1, len(curve)):
        if above[rank] != above[rank - 1]:
            return Fraction(R, max(R, rank))
    return Fraction(0)


@formula("Twist")
def twist(ranking: Ranking, judgments: Judgments, *, depth: int = 1000) -> Fraction:
    """Twist, Ferro et al. 2016, as MATTERS has it: mean of the recovery and the space ratio."""
    R = recall_base(judgments)
    depth = max(depth, R)
    shown = top(ranking, depth)
    if not any(judgments.get(doc, 0) > 0 for doc in shown):
        return Fraction(0)
    positions = Positions(shown, judgments, depth)
    run = positions.by_rank(positions.grades)
    full = positions.by_rank(positions.ideal[:depth][::-1])

    def share(late: bool) -> Fraction:
        """1 - displacement of the run over that of the reversed ideal, in one direction."""
        of_run = sum(abs(rp) for rp in run if rp != 0 and (rp > 0) == late)
        of_full = sum(abs(rp) for rp in full if rp != 0 and (rp > 0) == late)
        if of_full == 0:
            return Fraction(1 if of_run == 0 else 0)
        # In a list shorter than 2R a run can be displaced further than the reversed ideal.
        return max(Fraction(0), 1 - Fraction(of_run, of_full))

    late, early = share(late=True), share(late=False)
    sigma = 2 * late * early / (late + early) if late + early > 0 else Fraction(0)
    rho = published_recovery(cumulated(run), R)
    return (rho + sigma) / 2
