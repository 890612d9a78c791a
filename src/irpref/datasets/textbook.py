"""The worked example of Modern Information Retrieval, chapter 4: queries q1 and q2."""

from fractions import Fraction
from itertools import accumulate
from math import log2

from irpref.datasets.example import Curve, Example, Expected, Number, ranking, values

F = Fraction

_GRADES = {
    "q1": {"d3": 3, "d5": 3, "d9": 3, "d25": 2, "d39": 2, "d44": 2, "d56": 1, "d71": 1, "d89": 1, "d123": 1},
    "q2": {"d3": 3, "d56": 2, "d129": 1},
}
_RANKED = {
    "q1": "d123 d84 d56 d6 d8 d9 d511 d129 d187 d25 d38 d48 d250 d113 d3",
    "q2": "d425 d87 d56 d32 d124 d615 d512 d129 d4 d130 d193 d715 d810 d5 d3",
}

# ------------------------------------------------------------------------------------------ recall, precision
#
# Relevant at ranks 1, 3, 6, 10, 15 of q1 (R = 10) and 3, 8, 15 of q2 (R = 3). At recall level i/10 stands the
# highest precision among the ranks whose recall is at least i/10.
_PRECISION = {
    "q1": (F(1), F(1), F(2, 3), F(1, 2), F(2, 5), F(1, 3), F(0), F(0), F(0), F(0), F(0)),
    "q2": (F(1, 3),) * 4 + (F(1, 4),) * 3 + (F(1, 5),) * 4,
}
_MEAN_PRECISION = tuple((a + b) / 2 for a, b in zip(_PRECISION["q1"], _PRECISION["q2"], strict=True))

# ----------------------------------------------------------------------------------------------- gain vectors
#
# Read off the ranking. The gain vectors printed in the slides lost an entry each (a 0 of G1; in G2 the 1
# stands at rank 7 and the 3 is missing); the averages printed there are those of these vectors.
_G = {
    "q1": (1, 0, 1, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 3),
    "q2": (0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3),
}
# The ideal lists: of all judged documents (the definition), and of the retrieved ones (what the book prints).
_JUDGED = {"q1": (3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0), "q2": (3, 2, 1) + (0,) * 12}
_RETRIEVED = {"q1": (3, 3, 2, 1, 1) + (0,) * 10, "q2": (3, 2, 1) + (0,) * 12}


def _cg(gains: tuple[int, ...]) -> tuple[Number, ...]:
    return tuple(F(total) for total in accumulate(gains))


def _dcg(gains: tuple[int, ...]) -> tuple[float, ...]:
    """Cumulated gains over log2 of the rank; ranks 1 and 2 are not discounted."""
    return tuple(accumulate(gain / max(1.0, log2(rank)) for rank, gain in enumerate(gains, 1)))


def _mean(by_topic: dict[str, tuple[Number, ...]]) -> tuple[Number, ...]:
    return tuple((a + b) / 2 for a, b in zip(by_topic["q1"], by_topic["q2"], strict=True))


def _ratio(above: tuple[Number, ...], below: tuple[Number, ...]) -> tuple[Number, ...]:
    return tuple(a / b for a, b in zip(above, below, strict=True))


_CG = {query_id: _cg(gains) for query_id, gains in _G.items()}
_DCG: dict[str, tuple[Number, ...]] = {query_id: _dcg(gains) for query_id, gains in _G.items()}
_ICG = {query_id: _cg(gains) for query_id, gains in _JUDGED.items()}
_IDCG: dict[str, tuple[Number, ...]] = {query_id: _dcg(gains) for query_id, gains in _JUDGED.items()}
_ICG_RETRIEVED = {query_id: _cg(gains) for query_id, gains in _RETRIEVED.items()}
_IDCG_RETRIEVED: dict[str, tuple[Number, ...]] = {query_id: _dcg(gains) for query_id, gains in _RETRIEVED.items()}

# fmt: off
_curves = (
    *(
        Curve("run", query_id, "interpolated_precision", _PRECISION[query_id],
              tuple(map(float, printed.split())), "printed in per cent, truncated")
        for query_id, printed in (
            ("q1", "100 100 66.6 50 40 33.3 0 0 0 0 0"),
            ("q2", "33.3 33.3 33.3 33.3 25 25 25 20 20 20 20"),
        )
    ),
    Curve("run", None, "interpolated_precision", _MEAN_PRECISION,
          (66.6, 66.6, 49.9, 41.6, 32.5, 29.1, 12.5, 10, 10, 10, 10),
          "printed in per cent; 49.9 is the mean of the truncated 66.6 and 33.3"),
    *(Curve("run", query_id, "CG", _CG[query_id]) for query_id in _CG),
    *(Curve("run", query_id, "DCG", _DCG[query_id]) for query_id in _DCG),
    *(Curve("run", query_id, "ICG", _ICG[query_id]) for query_id in _ICG),
    *(Curve("run", query_id, "IDCG", _IDCG[query_id]) for query_id in _IDCG),
    *(Curve("run", query_id, "ICG/retrieved", _ICG_RETRIEVED[query_id]) for query_id in _ICG_RETRIEVED),
    *(Curve("run", query_id, "IDCG/retrieved", _IDCG_RETRIEVED[query_id]) for query_id in _IDCG_RETRIEVED),
    Curve("run", None, "CG", _mean(_CG),
          (0.5, 0.5, 2.0, 2.0, 2.0, 3.5, 3.5, 4.0, 4.0, 5.0, 5.0, 5.0, 5.0, 5.0, 8.0)),
    Curve("run", None, "DCG", _mean(_DCG),
          (0.5, 0.5, 1.4, 1.4, 1.4, 2.0, 2.0, 2.1, 2.1, 2.4, 2.4, 2.4, 2.4, 2.4, 3.2), "printed truncated"),
    Curve("run", None, "ICG", _mean(_ICG)),
    Curve("run", None, "IDCG", _mean(_IDCG)),
    # Ratios of means, not means of ratios.
    Curve("run", None, "NCG", _ratio(_mean(_CG), _mean(_ICG)), note="ideal: all judged documents"),
    Curve("run", None, "NDCG", _ratio(_mean(_DCG), _mean(_IDCG)), note="ideal: all judged documents"),
    Curve("run", None, "NCG/retrieved", _ratio(_mean(_CG), _mean(_ICG_RETRIEVED)),
          (0.17, 0.09, 0.29, 0.27, 0.25, 0.44, 0.44, 0.50, 0.50, 0.63, 0.63, 0.63, 0.63, 0.63, 1.00),
          "ideal: the retrieved documents, as the book has it; printed with one 0.50 and one 0.63 too many"),
    Curve("run", None, "NDCG/retrieved", _ratio(_mean(_DCG), _mean(_IDCG_RETRIEVED)),
          (0.17, 0.09, 0.22, 0.22, 0.21, 0.29, 0.29, 0.32, 0.32, 0.36, 0.36, 0.36, 0.36, 0.36, 0.47),
          "ideal: the retrieved documents, as the book computes it; printed with one 0.36 too many"),
)
# fmt: on

# ------------------------------------------------------------------------------------------ known to the user
#
# The book defines the user-oriented measures without numbers. These sets are invented:
#   q1  known d123 d56 d9 d44 (relevant) and d84 (not judged, so without effect); 4 relevant expected
#   q2  known d56 (relevant) and d5 (not); 2 relevant expected
_KNOWN = {"q1": frozenset(("d123", "d56", "d9", "d44", "d84")), "q2": frozenset(("d56", "d5"))}
_WANTED = {"q1": 4, "q2": 2}

_expected = (
    *values(
        "run",
        "q1",
        {
            "P@5": F(2, 5),
            "P@10": F(2, 5),
            "Rprec": F(2, 5),
            "AP": F(29, 100),  # 2.9 / 10
            # Ranks 1, 3, 6, 10, 15. The slides print 0.57, the sum of truncated terms.
            "SeenAP": (F(1) + F(2, 3) + F(1, 2) + F(4, 10) + F(5, 15)) / 5,
            "SeenAP@5": (F(1) + F(2, 3)) / 2,
            "SeenAP(rel=3)": (F(1, 6) + F(2, 15)) / 2,  # d9 and d3
            # Gains 1, 1, 3, 2, 3 retrieved of 19.
            "GPrecision(max_rel=3)": F(10, 3) / 15,
            "GPrecision(max_rel=3)@10": F(7, 3) / 10,
            "GPrecision(max_rel=3)@20": F(10, 3) / 20,
            "GRecall": F(10, 19),
            "GRecall@10": F(7, 19),
            "GRecall(gains={1:0})": F(8, 15),
            # P = 5/15, r = 5/10: F = 2 / (2 + 3), E = 1 - (1 + b^2) / (2 b^2 + 3)
            "FMeasure": F(2, 5),
            "EMeasure": F(3, 5),
            "EMeasure(beta=2)": 1 - F(5, 11),
            "EMeasure(beta=0.5)": 1 - F(5, 14),
            "FMeasure@10": F(2, 5),  # P = r = 4/10
            # Relevant and known: d123 d56 d9 d44, without d44 retrieved. Relevant and retrieved: d123 d56 d9
            # d25 d3.
            "Coverage": F(3, 4),
            "Novelty": F(2, 5),
            "Coverage@5": F(2, 4),  # d123 d56
            "Novelty@5": F(0),
            "RelativeRecall": F(1, 2),
            "RelativeRecall(expected='expected')": F(1),  # 5 of 4, capped
            "RelativeRecall(expected='expected',capped=False)": F(5, 4),
            "RelativeRecall(expected=8)": F(5, 8),
            "RecallEffort": F(0),  # the tenth relevant document is never reached
            "RecallEffort(expected='expected')": F(4, 10),  # the fourth stands at rank 10
            "RecallEffort(expected=5)": F(5, 15),
            "TSE": F(0),
            "OriginalNDCG@10": _DCG["q1"][9] / _IDCG["q1"][9],  # 0.286765
        },
    ),
    *values(
        "run",
        "q2",
        {
            "AP": F(47, 180),  # (1/3 + 2/8 + 3/15) / 3
            "Rprec": F(1, 3),
            "SeenAP": F(47, 180),  # all three were retrieved
            "GPrecision(max_rel=3)": F(6, 3) / 15,
            "GRecall": F(1),
            "GRecall@5": F(2, 6),
            # P = 3/15, r = 1: E = 1 - (1 + b^2) / (b^2 + 5)
            "FMeasure": F(1, 3),
            "EMeasure": F(2, 3),
            "EMeasure(beta=2)": F(4, 9),
            "EMeasure(beta=0.5)": F(16, 21),
            "Coverage": F(1),
            "Novelty": F(2, 3),
            "RelativeRecall": F(1),
            "RelativeRecall(expected='expected',capped=False)": F(3, 2),
            "RecallEffort": F(3, 15),
            "TSE": F(1, 15),
            "TSE(exposure='dcg')": F(1, 4),  # 1 / log2(16)
            "RecallEffort(expected='expected')": F(2, 8),
            "OriginalNDCG@10": (2 / log2(3) + 1 / 3) / (3 + 2 + 1 / log2(3)),  # 0.283291
        },
    ),
    Expected("run", None, "EMeasure", (F(3, 5) + F(2, 3)) / 2, note="mean over q1 and q2"),
)

MIR_TEXTBOOK = Example(
    id="mir-textbook",
    title="Two queries of a textbook: precision and recall, E and F, cumulated gain, what the user knew",
    source=(
        "R. Baeza-Yates and B. Ribeiro-Neto, Modern Information Retrieval, 2nd ed., Addison-Wesley 2011, "
        "ch. 4 (slides of the chapter). Judgments, rankings and printed vectors from there; fractions "
        "worked out from its formulas; the sets of known and the numbers of expected documents are invented "
        "here, the book gives none."
    ),
    queries={"q1": "q1", "q2": "q2"},
    qrels=_GRADES,
    runs={"run": {query_id: ranking(ranked) for query_id, ranked in _RANKED.items()}},
    grades={3: "strongly relevant", 2: "relevant", 1: "mildly relevant", 0: "not relevant"},
    expected=_expected,
    curves=_curves,
    known=_KNOWN,
    wanted=_WANTED,
)

EXAMPLES = (MIR_TEXTBOOK,)
