"""Worked examples of Sakai's graded-relevance measures: Q, O, P, P+ and normalised cumulative utility.

Everywhere: BR(r) = (cg(r) + count(r)) / (cgI(r) + r), with cg the cumulated gain of the list, cgI that of the
ideal list and count(r) the relevant documents in the top r. S, A, B have gain 3, 2, 1 unless an example says
otherwise.
"""

from fractions import Fraction

from irpref.datasets.example import Example, lettered, values

F = Fraction

SAKAI_2006 = (
    "T. Sakai, Give me just one highly relevant document: P-measure, SIGIR 2006, pp. 695-696, "
    "https://waseda.pure.elsevier.com/en/publications/give-me-just-one-highly-relevant-document-p-measure"
)
NTCIR_GRADES = {3: "highly relevant (S)", 2: "relevant (A)", 1: "partially relevant (B)", 0: "not relevant"}

# ---------------------------------------------------------------------------------------- P-measure, figure 1
#
# One relevant document for each level: ideal S A B, cgI = 3, 5, 6.
#
# X = B S:  BR(1) = (1 + 1) / (3 + 1) = 1/2      BR(2) = (4 + 2) / (5 + 2) = 6/7
#           r_1 = 1, r_p = 2: O = 1/2, P = 6/7, P+ = (1/2 + 6/7) / 2, Q = (1/2 + 6/7) / 3
# Y = . S:  BR(2) = (3 + 1) / (5 + 2) = 4/7
#           r_1 = r_p = 2: O = P = P+ = 4/7, Q = 4/7 / 3
# inverse = B A S:  BR(1) = 1/2    BR(2) = (3 + 2) / (5 + 2) = 5/7    BR(3) = (6 + 3) / (6 + 3) = 1
#           r_1 = 1, r_p = 3: O = 1/2, P = 1, P+ = Q = (1/2 + 5/7 + 1) / 3 = 31/42
_x_grades, _x = lettered("B S", missing="A")
_y = lettered("u S")[1]
_inverse = lettered("B A S")[1]
_ideal = lettered("S A B")[1]

# NCU weighs the ranks of the relevant documents. Graded: by stop values 3, 2, 1 of the levels, 6 in all.
# Rank-biased with g = 19/20: 1, g, g^2 for the first, second, third relevant document retrieved, divided by 1
# + g + g^2.
_g = F(19, 20)
_bias = 1 + _g + _g**2

P_MEASURE_FIGURE_1 = Example(
    id="p-measure-figure-1",
    title="One relevant document per level: O-measure prefers system Y, P-measure system X",
    source=(
        f"{SAKAI_2006}, figure 1. P of X and Y and O of Y as printed on p. 695, P = 1 of the inverse ideal "
        "list on p. 696; the others are worked out here from the formulas printed there, NCU from its "
        "definition (T. Sakai and S. Robertson, EVIA 2008)."
    ),
    queries={"1": "one S-, one A- and one B-relevant document"},
    qrels={"1": _x_grades},
    runs={"X": {"1": _x}, "Y": {"1": _y}, "inverse": {"1": _inverse}, "ideal": {"1": _ideal}},
    grades=NTCIR_GRADES,
    expected=(
        *values(
            "X",
            "1",
            {
                "PMeasure": F(6, 7),
                "OMeasure": F(1, 2),
                "PPlus": F(19, 28),
                "QMeasure": F(19, 42),
                "RR": F(1),
                # A cutoff l divides by min(l, R).
                "QMeasure@1": F(1, 2),
                "QMeasure@2": F(19, 28),
                # beta = 0 leaves count(r) / r: average precision, reciprocal rank, precision at r_p.
                "QMeasure(beta=0)": F(2, 3),
                "AP": F(2, 3),
                "OMeasure(beta=0)": F(1),
                "PMeasure(beta=0)": F(1),
                # beta = 2: BR(1) = (2 + 1) / (6 + 1), BR(2) = (8 + 2) / (10 + 2)
                "QMeasure(beta=2)": (F(3, 7) + F(10, 12)) / 3,
                # R = 3, cgI(3) = 6: BR(3) = (4 + 2) / (6 + 3)
                "RMeasure": F(2, 3),
                "RMeasure(beta=0)": F(2, 3),
                "RMeasure(beta=2)": F(10, 15),
                # 1/beta of S, A, B is 3/4, 2/4, 1/4: (1 - 3/4) / (1 - 1/4), and as published
                "WeightedRR(max_rel=3)": F(1, 3),
                "WeightedRR(norm='none',max_rel=3)": F(4, 3),
                "WeightedRR(rel=2,max_rel=3)": F(1, 4) / (2 - F(3, 4)),
                "WeightedRR(max_rel=9,gains={1:5,2:8,3:9})": F(1, 10) / (1 - F(5, 10)),
                "NCU": F(19, 42),
                "NCU(utility='P')": F(2, 3),
                "NCU(stop='graded')": (1 * F(1, 2) + 3 * F(6, 7)) / 6,
                "NCU(stop='graded',utility='P')": F(4, 6),
                "NCU(stop='rank_biased')": (F(1, 2) + _g * F(6, 7)) / _bias,
                "NCU(stop='rank_biased',utility='P')": (1 + _g) / _bias,
            },
        ),
        *values(
            "Y",
            "1",
            {
                "PMeasure": F(4, 7),
                "OMeasure": F(4, 7),
                "PPlus": F(4, 7),
                "QMeasure": F(4, 21),
                "RR": F(1, 2),
                "PMeasure@1": F(0),
                "RMeasure": F(4, 9),
                "WeightedRR(max_rel=3)": F(1, 4) / (2 - F(3, 4)),
                "WeightedRR(max_rel=3)@1": F(0),
                # Without the unjudged document at rank 1 the list is S: BR(1) = (3 + 1) / (3 + 1).
                "PMeasure(judged_only=True)": F(1),
                "QMeasure(judged_only=True)": F(1, 3),
                "NCU(stop='graded')": 3 * F(4, 7) / 6,
                "NCU(stop='rank_biased')": F(4, 7) / _bias,
            },
        ),
        *values(
            "inverse",
            "1",
            {
                "PMeasure": F(1),
                "OMeasure": F(1, 2),
                "PPlus": F(31, 42),
                "QMeasure": F(31, 42),
                "AP": F(1),
                "RMeasure": F(1),  # as P-measure, "it may reach one even for a suboptimal ranked output"
                "WeightedRR(max_rel=3)": F(1, 3),
            },
        ),
        *values(
            "ideal",
            "1",
            {
                "PMeasure": F(1),
                "OMeasure": F(1),
                "PPlus": F(1),
                "QMeasure": F(1),
                "RMeasure": F(1),
                "WeightedRR(max_rel=3)": F(1),
                "NCU(stop='rank_biased')": F(1),
            },
        ),
    ),
)

# ------------------------------------------------------------------------------------------- counter-examples
#
# moved: S at rank 3 or, one rank better, at 2; ideal S S A B B, cgI = 3, 6, 8, 9, 10.
#   n B S B A n n S:  r_p = 3: (4 + 2) / (8 + 3) = 6/11
#   n S B B A n n S:  r_p = 2: (3 + 1) / (6 + 2) = 1/2
# order = B n n A A, ideal A A B, cgI = 2, 4, 5, 5, 5:
#   BR(1) = (1 + 1) / (2 + 1) = 2/3    BR(4) = (3 + 2) / (5 + 4) = 5/9    BR(5) = (5 + 3) / (5 + 5) = 4/5
#   O = 2/3 > P = 5/9 < P+ = (2/3 + 5/9) / 2 = 11/18; Q = (2/3 + 5/9 + 4/5) / 3 = 91/135
_moved_grades, _third = lettered("n B S B A n n S")
_second = lettered("n S B B A n n S")[1]
_order_grades, _order = lettered("B n n A A")

P_MEASURE_LIMITS = Example(
    id="p-measure-limits",
    title="A better list with a lower P-measure; P-measure below O-measure and P+",
    source=f"Made for this package; values worked out by hand from the formulas of {SAKAI_2006}.",
    queries={"moved": "a highly relevant document moves from rank 3 to rank 2", "order": "B n n A A"},
    qrels={"moved": _moved_grades, "order": _order_grades},
    runs={"third": {"moved": _third, "order": _order}, "second": {"moved": _second, "order": _order}},
    grades=NTCIR_GRADES,
    expected=(
        *values("third", "moved", {"PMeasure": F(6, 11)}),
        *values("second", "moved", {"PMeasure": F(1, 2)}),
        *values(
            "third",
            "order",
            {"OMeasure": F(2, 3), "PMeasure": F(5, 9), "PPlus": F(11, 18), "QMeasure": F(91, 135)},
        ),
    ),
)

# -------------------------------------------------------------------------------------------------------- NCU
#
# An ideal list has BR(r) = 1 and P(r) = 1 at every rank, so any weights that add up to 1 give 1, however long
# it is. A list of n r r (R = 2, cgI = 1, 2, 2): BR(2) = (1 + 1) / (2 + 2) = 1/2, BR(3) = (2 + 2) / (2 + 3) =
# 4/5, P(2) = 1/2, P(3) = 2/3; rank-biased weights 1 / (1 + g) and g / (1 + g).
_twenty_grades, _twenty = lettered(" ".join("S" * 6 + "A" * 6 + "B" * 8))
_late_grades, _late = lettered("n r r")

NCU_IDEAL = Example(
    id="ncu-ideal",
    title="An ideal list of 20 relevant documents has a rank-biased NCU of 1, however deep",
    source=(
        "T. Sakai and S. Robertson, Modelling a user population for designing information retrieval metrics, "
        "EVIA 2008. The list is ours: NTCIREVAL of 2022 gives it 0.8025 at cutoff 10, dividing the "
        "truncated sum by min(10, R) instead of the sum of the weights."
    ),
    queries={"ideal": "20 relevant documents in ideal order", "late": "n r r"},
    qrels={"ideal": _twenty_grades, "late": _late_grades},
    runs={"run": {"ideal": _twenty, "late": _late}},
    grades=NTCIR_GRADES,
    expected=(
        *values(
            "run",
            "ideal",
            {
                "NCU(stop='rank_biased')": F(1),
                "NCU(stop='rank_biased',utility='P')": F(1),
                "NCU(stop='rank_biased',gamma=0.5)": F(1),
                "NCU(stop='graded')": F(1),
                "NCU": F(1),
            },
        ),
        *values(
            "run",
            "late",
            {
                "NCU(stop='rank_biased')": (F(1, 2) + _g * F(4, 5)) / (1 + _g),
                "NCU(stop='rank_biased',utility='P')": (F(1, 2) + _g * F(2, 3)) / (1 + _g),
                "NCU": F(13, 20),
                "NCU(utility='P')": F(7, 12),
                # One level: graded stopping is uniform stopping.
                "NCU(stop='graded')": F(13, 20),
            },
        ),
    ),
)

# ------------------------------------------------------------------------------------------------------ gains
#
# B S A with gain 0 for B: B is not relevant, R = 2, cgI = 3, 5, 5.
#   BR(2) = (3 + 1) / (5 + 2) = 4/7    BR(3) = (5 + 2) / (5 + 3) = 7/8    Q = (4/7 + 7/8) / 2 = 81/112
#   r_1 = r_p = 2: O = P = P+ = 4/7
# Elsewhere: counting B as relevant by its level gives 4/7 (sum over gain > 0 only) or 55/84 (over all three).
_zero_grades, _zero = lettered("B S A")

GAINS_ZERO_LEVEL = Example(
    id="gains-zero-level",
    title="A grade with gain 0 is not relevant: three programs, three values of Q",
    source=(
        "Made for this package; values worked out by hand. NTCIREVAL 190111 gives Q = 0.5714, pyNTCIREVAL "
        "0.0.3 0.6548, because they call a document relevant by its level in some places or in all."
    ),
    queries={"1": "B S A where B gains nothing"},
    qrels={"1": _zero_grades},
    runs={"run": {"1": _zero}},
    grades=NTCIR_GRADES,
    expected=(
        *values(
            "run",
            "1",
            {
                "QMeasure(gains={1:0})": F(81, 112),
                "OMeasure(gains={1:0})": F(4, 7),
                "PMeasure(gains={1:0})": F(4, 7),
                "PPlus(gains={1:0})": F(4, 7),
            },
        ),
    ),
)

# B n n n S with one gain for all levels; R = 3 with an A that was not retrieved, cgI = 1, 2, 3, 3, 3.
#   r_1 = 1: O = (1 + 1) / (1 + 1) = 1          r_p goes by level: 5, P = (2 + 2) / (3 + 5) = 1/2
#   P+ = (1 + 1/2) / 2                          Q = (1 + 1/2) / 3
_merged_grades, _merged = lettered("B n n n S", missing="A")

GAINS_MERGED = Example(
    id="gains-merged",
    title="Equal gains for all levels do not make P-measure binary: the preferred rank goes by level",
    source=f"Made for this package; values worked out by hand from the formulas of {SAKAI_2006}.",
    queries={"1": "B n n n S, all gains 1"},
    qrels={"1": _merged_grades},
    runs={"run": {"1": _merged}},
    grades=NTCIR_GRADES,
    expected=(
        *values(
            "run",
            "1",
            {
                "OMeasure(gains={2:1,3:1})": F(1),
                "PMeasure(gains={2:1,3:1})": F(1, 2),
                "PPlus(gains={2:1,3:1})": F(3, 4),
                "QMeasure(gains={2:1,3:1})": F(1, 2),
            },
        ),
    ),
)

# -------------------------------------------------------------------------------------------- condensed lists
#
# u n S, the first document unjudged, R = 1: BR(3) = (3 + 1) / (3 + 3) = 2/3; condensed to n S: BR(2) = 4 / (3
# + 2). Condensing comes before the cutoff: at 2 the raw list has nothing relevant, the condensed one has S.
_condensed_grades, _condensed = lettered("u n S")

CONDENSED_LIST = Example(
    id="condensed-list",
    title="Unjudged documents are removed first, the cutoff comes after",
    source="Made for this package; values worked out by hand from the definition of Q-measure.",
    queries={"1": "u n S"},
    qrels={"1": _condensed_grades},
    runs={"run": {"1": _condensed}},
    grades=NTCIR_GRADES,
    expected=(
        *values(
            "run",
            "1",
            {
                "QMeasure": F(2, 3),
                "QMeasure@2": F(0),
                "QMeasure(judged_only=True)": F(4, 5),
                "QMeasure(judged_only=True)@2": F(4, 5),
            },
        ),
    ),
)

EXAMPLES = (P_MEASURE_FIGURE_1, P_MEASURE_LIMITS, NCU_IDEAL, GAINS_ZERO_LEVEL, GAINS_MERGED, CONDENSED_LIST)
