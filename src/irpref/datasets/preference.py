"""Worked examples of the preference measures: bpref and its variants, rpref, n-pref."""

from fractions import Fraction
from math import log2

from irpref.datasets.example import Example, Expected, lettered, ranking, values

F = Fraction

# -------------------------------------------------------------------------------------------- rpref, figure 1
#
# The poster gives the sixteen judgments and the three rankings as numbers, the scores only as a plot. So the
# values are worked out here from formula (1), in exact arithmetic.
#
#     rpref = (sum of rho over the documents in the sum - penalties) / R
#
# The penalty of a document is the sum of (its rho - the other's rho) over the less relevant documents ranked
# above it, divided by N (absolute), by the number of judged documents above it (relative), or by its rank
# among the judged documents (relative2). Every retrieved document of this example is judged.

_RHO = ["1", "1", "1", ".9", ".8", ".7", ".6", ".5", ".4", ".3", ".3", ".2", ".1", ".1", "0", "0"]
_R = F("7.9")  # sum of rho
_N = F("8.1")  # 16 documents - R

_T1, _T2, _T3 = F("6.7"), F("5.9"), F("2.2")  # sum of rho over the documents each tool retrieved

# T1 has no misplaced pair.
#
# T2, misplaced pairs (9), by the document that is ranked too low:
#   D3  rank 3   D6 .3                                       .3
#   D5  rank 4   D6 .1                                       .1
#   D2  rank 7   D6 .3, D5 .2, D9 .6, D12 .8                1.9
#   D8  rank 8   D9 .1, D12 .3                               .4
#   D10 rank 9   D12 .1                                      .1
_T2_PENALTIES = [(3, F(".3")), (4, F(".1")), (7, F("1.9")), (8, F(".4")), (9, F(".1"))]
#
# T3, misplaced pairs (21):
#   D14 rank 2   D16 .1                                      .1
#   D13 rank 3   D16 .1                                      .1
#   D7  rank 5   D16 .6, D14 .5, D13 .5, D15 .6             2.2
#   D11 rank 6   D16 .3, D14 .2, D13 .2, D15 .3             1.0
#   D10 rank 7   the same four                              1.0
#   D5  rank 8   .8 .7 .7 .8, D7 .2, D11 .5, D10 .5         4.2
_T3_PENALTIES = [(2, F(".1")), (3, F(".1")), (5, F("2.2")), (6, F(1)), (7, F(1)), (8, F("4.2"))]

_PENALTIES = {"T2": _T2_PENALTIES, "T3": _T3_PENALTIES}
_absolute = {run: sum(p for _, p in pairs) / _N for run, pairs in _PENALTIES.items()}
_relative = {run: sum(p / (rank - 1) for rank, p in pairs) for run, pairs in _PENALTIES.items()}
_relative2 = {run: sum(p / rank for rank, p in pairs) for run, pairs in _PENALTIES.items()}

# unretrieved='infinity': a document that was not retrieved stays in the sum, below everything that was
# retrieved.
#   T1 (9 retrieved)  D9 .4: D12 .2     D10 .3: D12 .1     D11 .3: D12 .1    .4
#   T2 (9 retrieved)  D4 .9: .2 .1 .5 .7 .4 .6 = 2.5     D7 .6: .2 .4 .1 .3 = 1.0     D11 .3: .1    3.6
#   T3 (8 retrieved)  D1, D2, D3 1: 1 .9 .9 1 .4 .7 .7 .2 = 5.8 each     D4 .9: 5.0     D6 .7: 3.5
#                     D8 .5: 2.2     D9 .4: 1.6     D12 .2: .6    30.3
_beyond = {"T1": F(".4"), "T2": F("3.6"), "T3": F("30.3")}

_rpref = (
    *values(
        "T1",
        "1",
        {
            "RPref(max_rel=1)": _T1 / _R,  # 67/79 = 0.848101
            "RPref(norm='relative',max_rel=1)": _T1 / _R,
            "RPref(norm='relative2',max_rel=1)": _T1 / _R,
            # The highest ranked document is D3 with rho 1: out of the sum and of R, or out of the sum only.
            "RPref(norm='relative',top='drop',max_rel=1)": (_T1 - 1) / (_R - 1),
            "RPref(norm='relative',top='zero',max_rel=1)": (_T1 - 1) / _R,
            "RPref(unretrieved='infinity',max_rel=1)": (_R - _beyond["T1"] / _N) / _R,
            "RPref(norm='relative',unretrieved='infinity',max_rel=1)": (_R - _beyond["T1"] / 9) / _R,
        },
    ),
    *values(
        "T2",
        "1",
        {
            "RPref(max_rel=1)": (_T2 - _absolute["T2"]) / _R,  # 4499/6399 = 0.703079
            "RPref(norm='relative',max_rel=1)": (_T2 - _relative["T2"]) / _R,
            "RPref(norm='relative2',max_rel=1)": (_T2 - _relative2["T2"]) / _R,
            # The highest ranked document is D1 with rho 1.
            "RPref(norm='relative',top='drop',max_rel=1)": (_T2 - 1 - _relative["T2"]) / (_R - 1),
            "RPref(norm='relative',top='zero',max_rel=1)": (_T2 - 1 - _relative["T2"]) / _R,
            "RPref(unretrieved='infinity',max_rel=1)": (_R - _absolute["T2"] - _beyond["T2"] / _N) / _R,
            "RPref(norm='relative',unretrieved='infinity',max_rel=1)": (
                (_R - _relative["T2"] - _beyond["T2"] / 9) / _R
            ),
        },
    ),
    *values(
        "T3",
        "1",
        {
            "RPref(max_rel=1)": (_T3 - _absolute["T3"]) / _R,  # 922/6399 = 0.144085
            "RPref(norm='relative',max_rel=1)": (_T3 - _relative["T3"]) / _R,
            "RPref(norm='relative2',max_rel=1)": (_T3 - _relative2["T3"]) / _R,
            # The highest ranked document is D16 with rho 0: leaving it out changes nothing.
            "RPref(norm='relative',top='drop',max_rel=1)": (_T3 - _relative["T3"]) / _R,
            "RPref(norm='relative',top='zero',max_rel=1)": (_T3 - _relative["T3"]) / _R,
            "RPref(unretrieved='infinity',max_rel=1)": (_R - _absolute["T3"] - _beyond["T3"] / _N) / _R,
            "RPref(norm='relative',unretrieved='infinity',max_rel=1)": (
                (_R - _relative["T3"] - _beyond["T3"] / 8) / _R
            ),
        },
    ),
)

# n-pref: rho becomes i/(n-1) in partition i = min(n-1, floor(n rho)); then as above.
#
# n = 2: D1 to D8 are 1 (A in the figure), the others 0 (B); R = 8.
#   T1  A A A A A A A A B                           8
#   T2  A A A A B B A A B   D2: 2 of 6, D8: 2 of 7  6 - 2/6 - 2/7          (4 misplaced pairs)
#   T3  B B B B A B B A     D7: 4 of 4, D5: 6 of 7  2 - 4/4 - 6/7          (10)
# n = 4, in thirds: D1 to D5 are 3 (A1), D6 to D8 2 (A2), D9 to D11 1 (B1), the others 0 (B2); R = 24 thirds.
#   T1  3 3 3 3 3 2 2 2 0                           21
#   T2  3 2 3 3 1 0 3 2 1   D3: 1 of 2, D5: 1 of 3, D2: 1 2 3 of 6, D8: 1 2 of 7, D10: 1 of 8     18 -   (8)
#   T3  0 0 0 0 2 1 1 3     D7: 2 2 2 2 of 4, D11: 1 1 1 1 of 5, D10: the same of 6,
#                           D5: 3 3 3 3 1 2 2 of 7                                                 7 -   (19)
_PAIRS = "misplaced pairs among the retrieved documents: {}"
_npref = (
    Expected("T1", "1", "NPref(n=2,norm='relative',max_rel=1)", F(1), note=_PAIRS.format(0)),
    Expected("T2", "1", "NPref(n=2,norm='relative',max_rel=1)", (6 - F(2, 6) - F(2, 7)) / 8, note=_PAIRS.format(4)),
    Expected("T3", "1", "NPref(n=2,norm='relative',max_rel=1)", F(1, 56), note=_PAIRS.format(10)),
    Expected("T1", "1", "NPref(n=4,norm='relative',max_rel=1)", F(21, 24), note=_PAIRS.format(0)),
    Expected(
        "T2",
        "1",
        "NPref(n=4,norm='relative',max_rel=1)",
        (18 - F(1, 2) - F(1, 3) - F(6, 6) - F(3, 7) - F(1, 8)) / 24,
        note=_PAIRS.format(8),
    ),
    Expected(
        "T3",
        "1",
        "NPref(n=4,norm='relative',max_rel=1)",
        (7 - F(8, 4) - F(4, 5) - F(4, 6) - F(17, 7)) / 24,
        note=_PAIRS.format(19),
    ),
    # The absolute norm at n = 2 is bpref over N = 8: 4 and 10 misplaced pairs.
    Expected("T2", "1", "NPref(n=2,max_rel=1)", (6 - F(4, 8)) / 8),
    Expected("T3", "1", "NPref(n=2,max_rel=1)", (2 - F(10, 8)) / 8),
    # All grades are tenths: with n = 11 the partitions are the grades, and n-pref is rpref.
    Expected("T1", "1", "NPref(n=11,max_rel=1)", _T1 / _R, note="equals rpref"),
    Expected("T2", "1", "NPref(n=11,max_rel=1)", (_T2 - _absolute["T2"]) / _R, note="equals rpref"),
    Expected("T3", "1", "NPref(n=11,max_rel=1)", (_T3 - _absolute["T3"]) / _R, note="equals rpref"),
    Expected("T2", "1", "NPref(n=11,norm='relative',max_rel=1)", (_T2 - _relative["T2"]) / _R, note="equals rpref"),
    Expected("T3", "1", "NPref(n=11,norm='relative',max_rel=1)", (_T3 - _relative["T3"]) / _R, note="equals rpref"),
)

# The recursive refinement of the figure, n = 2, 4, 8, ... Worked out once in rational arithmetic by a plain
# loop over pairs, independently of this package, and kept to four decimals.
_REFINEMENT = {
    ("T1", "zero"): (1.0, 0.8750, 0.8727, 0.8644, 0.8531, 0.8494),
    ("T2", "zero"): (0.6726, 0.6505, 0.6873, 0.6854, 0.6747, 0.6736),
    ("T3", "zero"): (0.0179, 0.0460, 0.0402, 0.0558, 0.0659, 0.0665),
    ("T1", "infinity"): (1.0, 0.9861, 0.9919, 0.9953, 0.9946, 0.9940),
    ("T2", "infinity"): (0.8393, 0.8357, 0.8671, 0.8784, 0.8760, 0.8753),
    ("T3", "infinity"): (0.2054, 0.2752, 0.2561, 0.2846, 0.3062, 0.3079),
}
_refinement = tuple(
    Expected(run, "1", f"NPref(n={n},norm='relative',unretrieved='{reading}',max_rel=1)", value, places=4)
    for (run, reading), by_n in _REFINEMENT.items()
    for n, value in zip((2, 4, 8, 16, 32, 64), by_n, strict=True)
)

RPREF_FIGURE_1 = Example(
    id="rpref-figure-1",
    title="Three search tools judged on a scale from 0 to 1 in tenths: rpref in all readings, n-pref",
    source=(
        "J. De Beer and M.-F. Moens, Rpref: a generalization of bpref towards graded relevance judgments, "
        "SIGIR 2006, pp. 637-638, figure 1, doi:10.1145/1148170.1148293. Judgments and rankings as printed; "
        "the scores appear there as a plot only and are worked out here from formula (1)."
    ),
    queries={"1": "a request against half a million police case reports"},
    qrels={"1": {f"D{number}": float(rho) for number, rho in enumerate(_RHO, 1)}},
    runs={
        "T1": {"1": ranking("D3 D1 D2 D4 D5 D6 D7 D8 D12")},
        "T2": {"1": ranking("D1 D6 D3 D5 D9 D12 D2 D8 D10")},
        "T3": {"1": ranking("D16 D14 D13 D15 D7 D11 D10 D5")},
    },
    grades={
        **{tenths / 10: f"relevance {tenths / 10}" for tenths in range(10, -1, -1)},
        0.0: "completely irrelevant",
        1.0: "perfectly relevant",
    },
    expected=_rpref + _npref + _refinement,
)

# ---------------------------------------------------------------------------------------- rpref and the scale
#
# Grades 2, 1, 0 of a, b, c; ranking c a b. Two misplaced pairs: (a, c) and (b, c).
#   max_rel 2: rho 1, 1/2, 0; R = N = 3/2        (3/2 - (1 + 1/2) / (3/2)) / (3/2) = 1/3
#   max_rel 3: rho 2/3, 1/3; R = 1, N = 2        (1 - 1 / 2) / 1                   = 1/2
#   max_rel 4: rho 1/2, 1/4; R = 3/4, N = 9/4    (3/4 - (3/4) / (9/4)) / (3/4)     = 5/9
# relative: a keeps 1 - 1/1 = 0, b keeps 1 - 1/2 of its weight, a third of R:       1/6 on every scale
RPREF_SCALE = Example(
    id="rpref-scale",
    title="One topic on three scales: absolute rpref depends on the highest grade, relative does not",
    source="Made for this package; values worked out by hand from formula (1) of the poster on rpref.",
    queries={"1": "scale"},
    qrels={"1": {"a": 2, "b": 1, "c": 0}},
    runs={"run": {"1": ranking("c a b")}},
    grades={2: "relevant", 1: "partially relevant", 0: "not relevant"},
    expected=(
        *values(
            "run",
            "1",
            {
                "RPref(max_rel=2)": F(1, 3),
                "RPref(max_rel=3)": F(1, 2),
                "RPref(max_rel=4)": F(5, 9),
                "RPref(norm='relative',max_rel=2)": F(1, 6),
                "RPref(norm='relative',max_rel=3)": F(1, 6),
                "RPref(norm='relative',max_rel=4)": F(1, 6),
            },
        ),
    ),
)

# ------------------------------------------------------------------------------------------ the bpref lecture
#
# The ranking N R U R U N N N R N R with R = 4 judged relevant and N = 5 judged non-relevant documents, all
# retrieved. Judged non-relevant documents above the four relevant ones: 1, 1, 4, 5.
#   R, min (min(R, N) = 4), old (min(R, retrieved N) = 4)   (3/4 + 3/4 + 0 + 0) / 4
#   N (over 5)                                              (4/5 + 4/5 + 1/5 + 0) / 4
#   10 (over R + 10 = 14)                                   (13 + 13 + 10 + 9) / 14 / 4
#   10min (over min(14, 5) = 5)                             as N
_bpref_grades, _bpref_ranked = lettered("n r u r u n n n r n r")

_Q1_RELEVANT = ["d3", "d5", "d9", "d25", "d39", "d44", "d56", "d71", "d89", "d123"]
_Q1_RANKED = ranking("d123 d84 d56 d6 d8 d9 d511 d129 d187 d25 d38 d48 d250 d113 d3")

BPREF_LECTURE = Example(
    id="bpref-lecture",
    title="What one unjudged document does to AP; bpref and its variants on eleven documents",
    source=(
        "D. Lillis, COMP3009J Information Retrieval, University College Dublin, lecture 'Evaluation: "
        "bpref'. AP and bpref as printed there; the variants other than R, min and old are worked out here "
        "from their formulas (C. Buckley and E. M. Voorhees, SIGIR 2004, doi:10.1145/1008992.1009000)."
    ),
    queries={
        "judged": "d9 is judged relevant",
        "unjudged": "d9 is unjudged",
        "bpref": "N R U R U N N N R N R",
    },
    qrels={
        "judged": dict.fromkeys(_Q1_RELEVANT, 1),
        "unjudged": {doc_id: 1 for doc_id in _Q1_RELEVANT if doc_id != "d9"},
        "bpref": _bpref_grades,
    },
    runs={"run": {"judged": _Q1_RANKED, "unjudged": _Q1_RANKED, "bpref": _bpref_ranked}},
    grades={1: "relevant", 0: "not relevant"},
    expected=(
        Expected("run", "judged", "AP", 0.29, places=2),
        Expected("run", "unjudged", "AP", 0.25, places=2),
        # (1 + 2/3 + 3/6 + 4/10 + 5/15) / 10 and (1 + 2/3 + 3/10 + 4/15) / 9
        *values("run", "judged", {"AP": F(29, 100)}),
        *values("run", "unjudged", {"AP": F(67, 270)}),
        *values(
            "run",
            "bpref",
            {
                "Bpref": F(3, 8),
                "BprefVariant": F(3, 8),
                "BprefVariant(norm='R')": F(3, 8),
                "BprefVariant(norm='old')": F(3, 8),
                "BprefVariant(norm='N')": F(9, 20),
                "BprefVariant(norm='10')": F(45, 56),
                "BprefVariant(norm='10min')": F(9, 20),
                # Binary rpref is bpref over N.
                "RPref(max_rel=1)": F(9, 20),
            },
        ),
    ),
)

# ---------------------------------------------------------------------------------------------- the bpref bug
#
# R = 6 and N = 4 judged, one non-relevant document retrieved and then four of the relevant ones.
#   min  4 (1 - 1/4) / 6 = 1/2        old  the denominator counts the one retrieved: 4 (1 - 1/1) / 6 = 0
#   R    4 (1 - 1/6) / 6 = 5/9        N    4 (1 - 1/4) / 6 = 1/2
#   10   4 (1 - 1/16) / 6 = 5/8       10min  4 (1 - 1/min(16, 4)) / 6 = 1/2
_bug_grades, _bug_ranked = lettered("n r r r r", missing="n n n r r")

BPREF_BUG = Example(
    id="bpref-bug",
    title="The bug of trec_eval up to 7.3: bpref counted only retrieved non-relevant documents",
    source=(
        "C. Buckley, file bpref_bug of trec_eval 8.0 (November 2005), "
        "https://github.com/usnistgov/trec_eval: the right value 0.5 and the wrong value 0.0; the other "
        "variants are worked out here."
    ),
    queries={"1": "bug"},
    qrels={"1": _bug_grades},
    runs={"run": {"1": _bug_ranked}},
    grades={1: "relevant", 0: "not relevant"},
    expected=(
        *values(
            "run",
            "1",
            {
                "Bpref": F(1, 2),
                "BprefVariant": F(1, 2),
                "BprefVariant(norm='old')": F(0),
                "BprefVariant(norm='R')": F(5, 9),
                "BprefVariant(norm='N')": F(1, 2),
                "BprefVariant(norm='10')": F(5, 8),
                "BprefVariant(norm='10min')": F(1, 2),
            },
        ),
    ),
)

# R = 3, N = 1, and the one non-relevant document is ranked first: over min(R, N) = 1 every preference is
# lost, over R each relevant document keeps 2/3, over R + 10 it keeps 12/13.
_few_grades, _few_ranked = lettered("n r r r")

BPREF_FEW_NONRELEVANT = Example(
    id="bpref-few-nonrelevant",
    title="Fewer judged non-relevant than relevant documents: bpref as published and as computed differ most",
    source="Made for this package; values worked out by hand from doi:10.1145/1008992.1009000.",
    queries={"1": "few non-relevant"},
    qrels={"1": _few_grades},
    runs={"run": {"1": _few_ranked}},
    grades={1: "relevant", 0: "not relevant"},
    expected=(
        *values(
            "run",
            "1",
            {
                "Bpref": F(0),
                "BprefVariant": F(0),
                "BprefVariant(norm='R')": F(2, 3),
                "BprefVariant(norm='N')": F(0),
                "BprefVariant(norm='10')": F(12, 13),
                "BprefVariant(norm='10min')": F(0),
            },
        ),
    ),
)

# ------------------------------------------------------------------------------------- preferences of grades
#
# Preferred to (by falling grade)         ranking       decided at the higher document: right, wrong
#   A1  before  B1 B2 B3 N1 N2              1  B1       N1 N2 right, A1 wrong
#   B1  before  N1 N2                       2  N1       A1 B2 B3 wrong
#   B2  before  N1 N2                       3  A1       B2 B3 N2 right
#   B3  before  N1 N2                       4  u1       nobody judged it
#                                           5  B2       N2 right
# B3 and N2 were not retrieved; B3 before N2 is never decided. 11 preferences, 6 fulfilled; of the 5 between
# retrieved documents 2.
_prefs_grades, _prefs_ranked = lettered("B n A u B", missing="B n")

PREFERENCES_BY_HAND = Example(
    id="preferences-by-hand",
    title="Eleven preferences, worked out pair by pair",
    source=(
        "Made for this package; values worked out by hand from trec_eval 10.0 and from doi:10.1007/978-3-540-78646-7_5."
    ),
    queries={"1": "eleven preferences"},
    qrels={"1": _prefs_grades},
    runs={"run": {"1": _prefs_ranked}},
    grades={2: "A, highly relevant", 1: "B, relevant", 0: "n, not relevant"},
    expected=(
        *values(
            "run",
            "1",
            {
                "NumPrefs": F(11),
                "NumPrefsFulfilled": F(6),
                "NumPrefsFulfilled(pairs='retrieved')": F(2),
                "PrefShare": F(6, 11),
                "PrefShare(pairs='retrieved')": F(2, 5),
                "PrefShare(pairs='implied')": F(6, 10),  # without B3 before N2
                "PrefShare(by='pair')": F(6, 11),  # one group: a pair is a preference
                "PrefShare(by='group')": F(6, 11),
                # R = 4, N = 2: as if there were two more non-relevant documents, below what was retrieved
                "PrefShare(by='group',nonrelevant='R')": F(6 + 2 * 3, 11 + 2 * 4),
                # R = 3, N = 1 retrieved, but all 4 relevant ones in the denominator
                "PrefShare(pairs='retrieved',by='group',nonrelevant='R')": F(2 + 2 * 3, 5 + 2 * 4),
                "PrefPrecision": F(6, 10),
                "PrefPrecision@1": F(2, 3),
                "PrefPrecision@3": F(5, 9),
                "PrefRecall": F(6, 11),
                "PrefRecall@3": F(5, 11),
                "WeightedPrefPrecision@3": (2 + 3 / 2) / (3 + 3 / log2(3) + 3 / 2),
                "PrefAP": (F(2, 3) + F(5, 9) + F(6, 10) + 0) / 4,  # ranks 1, 3, 5; B3, which nobody saw
            },
        ),
    ),
)

EXAMPLES = (RPREF_FIGURE_1, RPREF_SCALE, BPREF_LECTURE, BPREF_BUG, BPREF_FEW_NONRELEVANT, PREFERENCES_BY_HAND)
