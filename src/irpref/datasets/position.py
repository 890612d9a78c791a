"""Worked examples of Cumulated Relative Position: small lists whose curves can be followed with a pencil.

The relative position of a document is 0 inside the ranks its grade has in the ideal list, negative above
them, positive below. S, A, B are grades 3, 2, 1; r is relevant in a binary list; n is judged not relevant, u
unjudged (both belong after the R relevant documents), x is worse than not relevant (a negative grade).
"""

from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple

from irpref.datasets.example import Curve, Example, Expected, lettered, values

F = Fraction

ANGELINI_2013 = (
    "M. Angelini, N. Ferro, K. Järvelin, H. Keskustalo, A. Pirkola, G. Santucci and G. Silvello, Cumulated "
    "Relative Position: a metric for ranking evaluation (extended abstract), IIR 2013, CEUR-WS 964, "
    "https://ceur-ws.org/Vol-964/paper9.pdf"
)
GRADES = {
    3: "highly relevant (S)",
    2: "fairly relevant (A)",
    1: "partially relevant (B), or relevant (r)",
    0: "not relevant",
    -1: "worse than not relevant (x)",
}


class _List(NamedTuple):
    """A list and how its documents lie: relative position by rank, rank of the balance point or None."""

    query_id: str
    ranked: str
    missing: str
    positions: str
    balance: int | None
    shows: str


def _example(id: str, title: str, source: str, lists: tuple[_List, ...], *more: Expected) -> Example:
    """One topic for each list; curve, loss at R and recovery follow from the positions by definition."""
    queries, qrels, run = {}, {}, {}
    expected: list[Expected] = []
    curves: list[Curve] = []
    for query_id, ranked, missing, written, balance, shows in lists:
        queries[query_id] = shows
        qrels[query_id], scores = lettered(ranked, missing)
        if scores:  # the topic without a list is missing from the run
            run[query_id] = scores
        positions = [F(position) for position in written.split()]
        curve = tuple(accumulate(positions))
        n_relevant = sum(grade > 0 for grade in qrels[query_id].values())
        loss = curve[n_relevant - 1]
        worst = F(-n_relevant * (n_relevant + 1), 2)
        recovery = F(n_relevant, balance) if balance else F(0)
        expected += values("run", query_id, {"CRP": loss, "nCRP": loss / worst, "CRPRecovery": recovery})
        curves += [Curve("run", query_id, "RP", tuple(positions)), Curve("run", query_id, "CRP", curve)]
    return Example(
        id=id,
        title=title,
        source=source,
        queries=queries,
        qrels=qrels,
        runs={"run": run},
        grades=GRADES,
        expected=(*expected, *more),
        curves=tuple(curves),
    )


# Ranks of the grades in the ideal list, from which the positions follow:
#   above-ideal           S 1, A 2-4                  falls-after-R          S 1, n 2, x 3
#   falls-after-relevant  r 1-3, n from 4             moves-to-the-end       S 1, A 2, n 3-4, x 5
#   full-recovery         S 1, A 2, B 3               zero-loss              S 1, A 2
#   never-balanced        r 1-3, n from 4             below-reversed, reversed   A 1-4, B 5-9, n from 10
CRP_PROPERTIES = _example(
    "crp-properties",
    "Lists on which the properties of CRP named in the paper hold for binary judgments at most",
    "The lists are made for this package, as counter-examples to the properties listed on p. 3 of "
    f"{ANGELINI_2013}; "
    "values worked out by hand from equations (4) and (5) there.",
    (
        _List(
            "above-ideal",
            "A A S A",
            "",
            "-1 0 2 0",
            4,
            "A A S A: the curve is positive before rank R = 4, so that the loss is better than ideal",
        ),
        _List("falls-after-R", "S x n", "", "0 -1 1", 1, "S x n: the curve falls after R = 1"),
        _List(
            "falls-after-relevant",
            "r n n n",
            "r r",
            "0 -2 -1 0",
            None,
            "r n n n, R = 3: the curve falls after the last relevant document",
        ),
        _List(
            "moves-to-the-end",
            "x n S A n",
            "",
            "-4 -1 2 2 1",
            5,
            "x n S A n: the curve moves after rank R = 2 and after the last relevant document",
        ),
        _List("full-recovery", "B A S", "", "-2 0 2", 3, "B A S: a recovery of 1 for a list that is not ideal"),
        _List("zero-loss", "A S", "", "-1 1", 2, "A S: a loss of 0 for a list that is not ideal"),
        _List(
            "never-balanced",
            "n r r r",
            "",
            "-3 0 0 1",
            None,
            "n r r r: everything relevant is retrieved and balance is never reached",
        ),
        _List(
            "below-reversed",
            "B n A A B A n B B",
            "A B",
            "-4 -8 0 0 0 2 -3 0 0",
            None,
            "R = 9 with two documents that are not relevant: a loss below that of the reversed ideal list",
        ),
        _List(
            "reversed",
            "n n B B B B B A A",
            "A A",
            "-9 -8 -2 -1 0 0 0 4 5",
            None,
            "the reversed ideal list of the same judgments is not the worst case",
        ),
    ),
)

# Ranks of the grades in the ideal list: the R relevant documents of a binary list first, n and u after them;
#   reversed   S 1, A 2, B 3        crossed-before-R   S 1, A 2-6, u from 7
#
# Twist as published takes recovery from the last rank before the first change of sign, 0 if there is none (1
# for an ideal list), and s, the harmonic mean of 1 - RP+ / RP+(worst) and 1 - RP- / RP-(worst); the worst
# case is the reversed ideal list at the given depth. At depth 4:
#   returns-to-zero  RP+ = 1, RP- = -1; worst n n n r: -1 0 0 3; s = 0;    no change of sign: (0 + 0) / 2
#   one-later        RP+ = 2, RP- = -1; worst the same;          s = 0;    changes after 2: (1/2 + 0) / 2
#   one-between      RP+ = 1, RP- = -1; worst n n r r: -2 -1 1 2; s = 2/3; no change of sign: (0 + 2/3) / 2
CRP_RECOVERY = _example(
    "crp-recovery",
    "Where the balance point lies: recovery of small lists, and how Twist's own rule differs",
    "The lists are made for this package; values worked out by hand from the definitions of "
    f"{ANGELINI_2013}, with the balance point at the first rank from R on where the curve is not negative; "
    "Twist from its formulas "
    "(N. Ferro, G. Silvello, H. Keskustalo, A. Pirkola and K. Järvelin, JASIST 67(3), 2016).",
    (
        _List("returns-to-zero", "n r", "", "-1 1", 2, "n r: balance is reached at 0, not above it"),
        _List("one-later", "n n r", "", "-1 0 2", 3, "n n r: one rank later"),
        _List("one-between", "r n r", "", "0 -1 1", 3, "r n r, R = 2"),
        _List(
            "plateau",
            "r n n n n n n r n n n r n r",
            "r",
            "0 -4 -3 -2 -1 0 0 3 0 0 0 7 0 9",
            12,
            "R = 5: the curve stays on 0 at ranks 12 and 13",
        ),
        _List("reversed", "B A S", "", "-2 0 2", 3, "B A S: reversed"),
        _List(
            "crossed-before-R",
            "A A S u u u",
            "A A A",
            "-1 0 2 -3 -2 -1",
            None,
            "A A S u u u, R = 6: the curve crosses 0 before R only",
        ),
        _List("late-4", "n r r r", "", "-3 0 0 1", None, "n r r r: the third relevant document at rank 4"),
        _List("late-6", "n r r n n r", "", "-3 0 0 0 0 3", 6, "at rank 6: a worse list with a better recovery"),
        _List("late-7", "n r r n n n r", "", "-3 0 0 0 0 0 4", 7, "at rank 7"),
        _List("ideal", "r r n", "", "0 0 0", 2, "r r n: ideal"),
        _List("unanswered", "", "r r", "-2 -1", None, "R = 2, missing from the run: the worst case"),
    ),
    *values("run", "returns-to-zero", {"Twist(depth=4)": F(0)}),
    *values("run", "one-later", {"Twist(depth=4)": F(1, 4)}),
    *values("run", "one-between", {"Twist(depth=4)": F(1, 3)}),
    *values("run", "ideal", {"Twist(depth=4)": F(1)}),
)

EXAMPLES = (CRP_PROPERTIES, CRP_RECOVERY)
