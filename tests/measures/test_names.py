"""Names and parameters of measures: what is understood, what is refused and how."""

import re
import sys

import ir_measures
import numpy as np
import pytest
from ir_measures import AP, P, R, nDCG

import irpref
from irpref import (
    NCU,
    BprefVariant,
    Coverage,
    IrprefWarning,
    NPref,
    QMeasure,
    RelativeRecall,
    RPref,
)
from irpref.errors import MeasureError
from refused import QRELS, RUN, mean, refusal, refuses

# Parameters ---------------------------------------------------------------------------------------

REFUSED = [
    (
        lambda: RPref(norm="absolut"),
        "norm='absolut' is not accepted, expected one of 'absolute', 'relative'",
    ),
    (lambda: RPref(nrom="absolute"), "RPref has no parameter 'nrom'; did you mean 'norm'?"),
    (lambda: RPref(max_rel=0), "RPref: max_rel=0 is not accepted, expected a number above 0"),
    (lambda: RPref(max_rel="3"), "max_rel='3'"),
    (lambda: RPref(max_rel=float("nan")), "max_rel=nan"),
    (lambda: RPref(max_rel=float("inf")), "max_rel=inf"),
    (lambda: RPref(max_rel=10**400), "RPref: max_rel="),
    (lambda: RPref @ 0, "RPref: cutoff=0 is not accepted, expected an integer of at least 1"),
    (lambda: RPref @ 1.5, "cutoff=1.5"),
    (lambda: RPref @ True, "cutoff=True"),
    (lambda: RPref(top="Keep"), "did you mean 'keep'?"),
    (lambda: NPref(n=1), "NPref: n=1 is not accepted, expected an integer of at least 2"),
    (lambda: NPref(n=2.5), "n=2.5"),
    (
        lambda: QMeasure(beta=-1),
        "QMeasure: beta=-1 is not accepted, expected a number of at least 0",
    ),
    (lambda: QMeasure(beta="1"), "beta='1'"),
    (lambda: QMeasure(gains=3), "expected a dict of numbers, grade to gain, such as {1: 1, 2: 3}"),
    (lambda: QMeasure(gains=[1, 3]), "gains=[1, 3]"),
    (lambda: QMeasure(gains={"1": 2}), "gains={'1': 2}"),
    (lambda: QMeasure(gains={1: float("nan")}), "gains={1: nan}"),
    (
        lambda: QMeasure(gains={1: 3, 2: 1}),
        "falls as grades rise: grade 1 has gain 3, grade 2 has gain 1",
    ),
    (lambda: QMeasure(gains={1: -3}), "gains={1: -3} has a negative gain, -3 for grade 1"),
    (
        lambda: QMeasure(judged_only="yes"),
        "judged_only='yes' is not accepted, expected True or False",
    ),
    (lambda: QMeasure(judged_only=1), "judged_only=1"),
    (lambda: NCU @ 5, "NCU has no parameter 'cutoff'"),
    (
        lambda: NCU(gamma=1.5),
        "gamma=1.5 is not accepted, expected a number above 0 and of at most 1",
    ),
    (lambda: NCU(stop="grade"), "did you mean 'graded'?"),
    (lambda: irpref.nCRP @ 5, "nCRP has no parameter 'cutoff' (it takes norm, worst, judged_only)"),
    (
        lambda: Coverage(known=""),
        "known='' is not accepted, expected the name of a column of the qrels",
    ),
    (
        lambda: RelativeRecall(expected=0.5),
        "a number of at least 1 or the name of a column of the qrels",
    ),
    (lambda: irpref.OriginalNDCG(base=1), "base=1 is not accepted, expected a number above 1"),
    (
        lambda: BprefVariant(norm=10),
        "norm=10 is not accepted, expected one of 'min', 'R', 'N', '10'",
    ),
    (lambda: irpref.BprefN(max_rel=1), "BprefVariant has no parameter 'max_rel'"),
    (lambda: BprefVariant(top=5), "top=5 is not accepted, expected one of 'keep', 'drop', 'zero'"),
]


@pytest.mark.parametrize(("build", "text"), REFUSED, ids=[text[:40] for _, text in REFUSED])
def test_a_wrong_parameter_is_refused_when_the_measure_is_built(build, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        build()


def test_a_missing_parameter_is_refused_before_anything_is_computed():
    text = "NPref needs n: number of partitions of the grade scale, an integer of at least 2"
    with pytest.raises(ValueError, match=re.escape(text)):
        NPref.evaluate(QRELS, RUN)
    with pytest.raises(ValueError, match=re.escape(text)):
        ir_measures.calc_aggregate([NPref], QRELS, RUN)
    assert str(NPref(n=None)) == "NPref"


def test_gains_that_fall_on_the_grades_of_the_qrels():
    # Fine when it is built: only the qrels show that there is a grade 2 that keeps its value.
    measure = QMeasure(gains={1: 3})
    assert mean(measure, {"q1": {"a": 1, "b": 0}}, RUN) > 0
    text = "gains={1: 3} falls as grades rise: grade 1 has gain 3, grade 2 has gain 2"
    assert text in str(refusal(measure, QRELS, RUN))


def test_a_gain_of_grade_0_counts_where_there_is_a_scale():
    falling = RPref(max_rel=2, gains={0: 2})
    said = str(refusal(falling, QRELS, RUN))
    assert re.findall(r"grade (\d) has gain (\d)", said) == [("0", "2"), ("1", "1")]
    assert mean(RPref(max_rel=2, gains={0: 0.5}), QRELS, RUN) <= 1
    assert mean(QMeasure(gains={0: 2}), QRELS, RUN) == mean(
        QMeasure, QRELS, RUN
    )  # relevant means gain > 0


def test_numbers_of_numpy_are_numbers():
    measure = RPref(max_rel=np.int64(3), gains={np.int64(1): np.float32(2)}) @ np.int32(10)
    assert measure == RPref(max_rel=3, gains={1: 2}) @ 10
    assert type(measure.params["max_rel"]) is int
    assert type(QMeasure(beta=2).params["beta"]) is float
    assert str(RPref(max_rel=3.0)) == "RPref(max_rel=3)"
    assert QMeasure(judged_only=np.True_) == QMeasure(judged_only=True)


# Names --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("RPref(max_rel=3)@10", RPref(max_rel=3) @ 10),
        (" RPref ( max_rel = 3 ) @ 10 ", RPref(max_rel=3) @ 10),
        ("QMeasure(gains={1:1,2:3})@10", QMeasure(gains={1: 1, 2: 3}) @ 10),
        ("QMeasure(gains={1: 2, 2: 5}) @ 10", QMeasure(gains={1: 2, 2: 5}) @ 10),
        ("QMeasure(gains={-1:0,2:3})", QMeasure(gains={-1: 0, 2: 3})),
        ("RPref(max_rel=+3)", RPref(max_rel=3)),
        ("NCU(stop='rank_biased',gamma=.5)", NCU(stop="rank_biased", gamma=0.5)),
        ('RPref(norm="relative")', RPref(norm="relative")),
        ("QMeasure(judged_only=True)", QMeasure(judged_only=True)),
        ("QMeasure(beta=2)", QMeasure(beta=2.0)),
        ("RPref(cutoff=None)", RPref),
        ("Bpref10@5", BprefVariant(norm="10") @ 5),
        ("NumRelRet", ir_measures.NumRet(rel=1)),
        ("SetF(beta=2)", ir_measures.SetF(beta=2.0)),
        ("nDCG(dcg='exp-log2',gains={0:0,1:3})@5", nDCG(dcg="exp-log2", gains={0: 0, 1: 3}) @ 5),
        ("IPrec@0.1", ir_measures.IPrec @ 0.1),
        ("set_F", ir_measures.SetF(beta=1.0)),
        ("iprec_at_recall_0.1", irpref.InterpolatedPrecision(rounding="nearest") @ 0.1),
    ],
)
def test_names_of_every_toolkit(text, measure):
    found = irpref.parse(text)
    assert found == measure
    assert found.params == measure.params


def test_several_names():
    assert irpref.parse_all(["map", "bpref", "RPref@10"]) == [AP, ir_measures.Bpref, RPref @ 10]
    assert irpref.parse_all('map  bpref\nRPref(max_rel=3, norm="relative")@10') == [
        AP,
        ir_measures.Bpref,
        RPref(max_rel=3, norm="relative") @ 10,
    ]
    assert irpref.parse_all("ndcg_cut.5,10 nDCG@10") == [nDCG @ 5, nDCG @ 10]
    assert len(irpref.parse_all("P")) == 9
    with pytest.warns(IrprefWarning, match="official: without gm_map,"):
        official = irpref.parse_all("official")
    assert {AP, irpref.parse("iprec_at_recall_0.1")} <= set(official)
    with pytest.warns(IrprefWarning, match="without G, Rndcg"):
        assert irpref.parse("11pt_avg") in irpref.parse_all("all_trec")
    assert irpref.parse_all([]) == []
    assert irpref.parse_all(RPref) == [RPref]


SPELLINGS = """
P+ -> PPlus   P+@5 -> PPlus@5   P+-measure -> PPlus   Q-measure@10 -> QMeasure@10
o-Measure -> OMeasure   p-measure(beta=2) -> PMeasure(beta=2.0)   e-measure -> EMeasure
bpref-10 -> BprefVariant(norm='10')   NDCG_CUT_10 -> nDCG@10   Recip_Rank -> RR   SET_F.0.5 -> SetF(beta=0.5)
BPREF10 -> BprefVariant(norm='10')   rpref -> RPref   Rpref(norm=relative)@10 -> RPref(norm='relative')@10
n-pref(n=3) -> NPref(n=3)   ncrp -> nCRP   NDcg -> nDCG   ndcg@10 -> nDCG@10
ndcg(dcg=exp-log2)@10 -> nDCG(dcg='exp-log2')@10   map(rel=2) -> AP(rel=2)   recall@10 -> R@10
success@5 -> Success@5   Coverage(known=seen) -> Coverage(known='seen')   infAP -> infAP   map -> AP   bpref -> Bpref
recip_rank -> RR   ndcg_cut_10 -> nDCG@10   ndcg_cut.10 -> nDCG@10   P_5 -> P@5   P.5 -> P@5
RPref(max_rel=2.5) -> RPref(max_rel=2.5)
"""


@pytest.mark.parametrize(("text", "name"), re.findall(r"(\S+) -> (\S+)", SPELLINGS))
def test_common_spellings(text, name):
    found = irpref.parse(text)
    assert str(found) == name
    assert irpref.parse(str(found)) == found


def test_several_cutoffs_are_several_measures():
    assert irpref.parse_all("P@5,10 RPref(max_rel=3)@1,20") == [
        P @ 5,
        P @ 10,
        RPref(max_rel=3) @ 1,
        RPref(max_rel=3) @ 20,
    ]


@pytest.mark.parametrize("measure", [P @ 0, nDCG @ 0, R @ -1, AP(rel=0)], ids=str)
def test_values_that_end_the_process_in_a_provider_are_refused_before(measure):
    ((name, value),) = measure.params.items()
    with refuses(MeasureError, measure=measure.NAME, parameter=name, value=value) as error:
        irpref.evaluator([measure], {"q": {"a": 1}})
    assert "expected at least" in str(error.value)


NEAREST = """
RPrefs -> RPref   nDGC@10 -> nDCG   ndgc_cut_10 -> ndcg_cut_10   RPref_10 -> RPref@10   rprf@10 -> RPref
recall_100k -> recall_100   ndcg_cut_1O -> ndcg_cut_10   ndcg_10 -> ndcg_cut_10   map.5 -> map_cut_5
recip_rank_10 -> RR@10   Rprec_5 -> Rprec   P_1e3 -> P_1   P_5,1O -> P_5   map_cut_10e3 -> map_cut_10
ndcg- -> nDCG   Q@10 -> QMeasure   ppref@5 -> PrefPrecision   appref -> PrefAP   nDCG_ -> nDCG
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *(
            (text, f"; did you mean {near!r}?")
            for text, near in re.findall(r"(\S+) -> (\S+)", NEAREST)
        ),
        (
            "lexirecall",
            "'lexirecall' compares two rankings, so it is not a measure, and is not offered here",
        ),
        (
            "RPP",
            "'RPP' compares two rankings, so it is not a measure, and is not offered here",
        ),
        ("set_F.0.5x", "unknown measure 'set_F.0.5x'"),
        ("P_0x10", "unknown measure 'P_0x10'"),
        ("recall_\uff11\uff10", "unknown measure 'recall_\uff11\uff10'; did you mean 'Recall'?"),
        (
            "recip_rank@5",
            "names of trec_eval, such as 'recip_rank', take no parameters; did you mean 'RR@5'?",
        ),
        (
            "P_5(rel=2)",
            "names of trec_eval, such as 'P_5', take no parameters; did you mean 'P(rel=2)@5'?",
        ),
        ("map_cut_10(rel=2)", "did you mean 'AP(rel=2)@10'?"),
        ("official@5", "names of trec_eval, such as 'official', take no parameters"),
        ("xyzzyxyzzy", "unknown measure 'xyzzyxyzzy'"),
        ("gm_map", "'gm_map' of trec_eval has no measure here: it is a geometric mean"),
        ("P_", "unknown measure 'P_'"),
    ],
)
def test_an_unknown_name(text, message):
    with pytest.raises(irpref.UnknownMeasureError, match=re.escape(message)) as error:
        irpref.parse(text)
    assert isinstance(error.value, ValueError)
    assert isinstance(error.value, NameError)  # what ir_measures raises


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *(
            (text, "not written like a measure")
            for text in (
                "",
                "RPref(",
                "RPref(3)",
                "RPref; AP",
                "P@",
                "nDCG@1_0",
                "1+1",
                "os.system",
            )
        ),
        ("P@True", "cutoff=True is not accepted"),
        ("__import__('os').system('true')", "unknown measure '__import__'"),
        ("RPref@x", "cutoff='x' is not accepted, expected an integer"),
        ("RPref(max_rel=foo)", "max_rel='foo' is not accepted, expected a number"),
        ("RPref(max_rel=print())", "expected a number"),
        ("RPref(max_rel=[1])", "lists are not accepted"),
        ("RPref(max_rel=3,max_rel=4)", "max_rel is given twice"),
        ("RPref(**{'max_rel': 3})", "'**' is not accepted"),
        ("AP(rell=2)", "AP has no parameter 'rell'; did you mean 'rel'?"),
        ("AP(rel='x')", "AP: rel='x' is not accepted"),
        ("nDCG(dcg='exp')@5", "dcg='exp' is not accepted"),
        ("RPref(gains={1:2,1:3})", "a grade is given twice in {1: 2, 1: 3}"),
        ("RPref@" + "-" * 9_000 + "1", "is not written like a measure"),
        ("RPref@" + "-" * 20_000 + "1", "20007 characters are not the name of a measure"),
        ("RPref(gains=" + "{" * 3_000, "is not written like a measure"),
        ("(" * 9_000, "is not written like a measure"),
        ("x" * 10_000_000, "10000000 characters are not the name of a measure"),
        ("P@" + "1" * 4_000, "is not accepted, expected a number"),
        ("nDCG(gains={1:" + "1" * 4_000 + "})", "is not accepted, expected a dict"),
        ("RPref(max_rel=" + "1" * 4_000 + ")", "is not accepted, expected a number above 0"),
        ("P@0", "P: cutoff=0 is not accepted, expected at least 1"),
        ("P_0", "P: cutoff=0 is not accepted, expected at least 1"),
        ("P_5.5", "P takes whole numbers, such as P_10"),
        ("P@5,10", "names 2 measures (P@5, P@10): use parse_all"),
        ("P", "names 9 measures"),
        (3, "expected the name of a measure, got 3"),
    ],
)
def test_text_that_is_no_measure(text, message, capsys):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        irpref.parse(text)
    assert len(str(error.value)) < 300
    assert capsys.readouterr().out == ""  # the host prints what it skips


@pytest.mark.skipif(
    sys.version_info >= (3, 14), reason="ir_measures 0.4.3 cannot parse parameters on Python 3.14"
)
@pytest.mark.filterwarnings(
    "ignore:ast:DeprecationWarning", "ignore:Attribute:DeprecationWarning"
)  # 3.12 on
def test_the_host_reads_the_names_of_our_measures():
    text = "QMeasure(gains={2:3},judged_only=True)@10"
    assert ir_measures.parse_measure(text) == irpref.parse(text) == text


# Registration -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("AP(rel=.7)", 1 / 2),
        ("P(rel=.7)@1", 0),
        ("RR(rel=.7)", 1 / 2),
        ("R(rel=.7)@2", 1),
        ("Bpref(rel=.7)", 0),
        ("SetP(rel=.7)", 1 / 2),
        ("EMeasure(rel=.7)", 1 / 3),
    ],
)
def test_a_threshold_may_be_any_number(text, value):
    measure = irpref.parse(text)
    assert irpref.parse(str(measure)) == measure
    evaluator = irpref.evaluator([measure], {"q": {"a": 0.8, "b": 0.3}})
    found = evaluator.calc_aggregate({"q": {"b": 2.0, "a": 1.0}})
    assert list(found.values()) == pytest.approx([value])


def test_a_threshold_of_a_measure_that_the_host_computes_is_a_whole_number():
    assert str(irpref.parse("AP(rel=2.0)")) == "AP(rel=2)"
    for text in ("IPrec(rel=.7)@.1", "AP(rel=-.5)", "AP(rel=0)", "infAP(rel=.7)"):
        with pytest.raises(ValueError, match="rel"):
            irpref.parse(text)


# Numbers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "nDCG@0x10",
        "nDCG@0b11",
        "AP(rel=0o2)",
        "RBP(p=1e-400)",
        "RBP(p=1j)",
        "QMeasure(gains={0x1:3})",
    ],
)
def test_numbers_that_say_something_else_than_they_look_are_refused(text):
    with refuses(MeasureError) as error:
        irpref.parse(text)
    assert "is not accepted" in str(error.value)


@pytest.mark.parametrize("text", ["RBP(p=.8)", "RBP(p=8e-1)", "RBP(p=0.80)"])
def test_decimal_numbers_are_read_in_any_form(text):
    assert irpref.parse(text) == irpref.parse("RBP(p=0.8)")
