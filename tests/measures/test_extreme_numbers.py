"""Grades, gains and weights at the ends of what a double holds: exact, or refused with the limit
stated.
"""

import re

import pytest

import irpref
from irpref import NPref, OriginalNDCG, QMeasure, RPref
from irpref.cli import main
from irpref.errors import JudgmentsError, MeasureError
from reference import values as oracle_calc
from refused import refuses, warns_of

# Measures in which beta weighs gains.
WEIGHING = [
    name
    for name, m in irpref.measures.registered().items()
    if {"beta", "gains"} <= set(m.SUPPORTED_PARAMS)
]


@pytest.mark.parametrize("scale", [1.0, 1e100, 1e-100, 0.3])
def test_a_dropped_document_may_be_nearly_all_of_the_sum(scale):
    """b keeps half of its weight, being above one of the two that are worth less than 1; a is not
    in the sum.
    """
    qrels = {"q": {"a": scale, "b": 1e-17 * scale, "c": 0}}
    run = {"q": {"a": 3.0, "c": 2.0, "b": 1.0}}
    assert RPref(top="drop", max_rel=scale).evaluate(qrels, run)["q"] == pytest.approx(
        0.5, rel=1e-15
    )


def test_a_document_is_not_dropped_where_nothing_would_be_left():
    qrels = {"q": {"a": 1, "c": 0}}
    assert RPref(top="drop", max_rel=1).evaluate(qrels, {"q": {"a": 2.0, "c": 1.0}}) == {"q": 1.0}


@pytest.mark.parametrize("name", WEIGHING)
@pytest.mark.parametrize("beta", [0.0, 1e-307, 1e-300, 1e-290, 1e-250, 1e-100, 1.0, 1e30])
@pytest.mark.parametrize("gain", [1e200, 7e255])
def test_a_small_beta_beside_large_gains(name, beta, gain):
    qrels = {"q": {"a": gain, "b": 1, "c": gain / 2, "d": 0, "e": gain}}
    run = {"q": {"d": 5.0, "b": 4.0, "c": 3.0, "a": 2.0}}
    measure = getattr(irpref, name)(beta=beta)
    expected = oracle_calc(name, qrels, run, beta=beta)["q"]
    assert measure.evaluate(qrels, run)["q"] == pytest.approx(expected, rel=1e-12, abs=1e-307)


@pytest.mark.parametrize("how", ["grade", "gains"])
@pytest.mark.parametrize(
    "measure", [irpref.QMeasure, irpref.OriginalNDCG, irpref.GRecall, RPref(max_rel=1e300)]
)
def test_gains_whose_sums_could_leave_the_range_of_a_double_are_refused(measure, how):
    grade = 1e256 if how == "grade" else 1
    if how == "gains":
        measure = measure(gains={1: 1e256})
    with refuses(JudgmentsError, value=1e256) as error:
        measure.evaluate({"q": {"a": grade, "b": 0}}, {"q": {"a": 1.0}})
    assert "2^850" in str(error.value)


def test_grades_of_any_size_are_fine_where_none_is_a_gain():
    evaluator = irpref.evaluator(["AP"], {"q": {"a": 1e300, "b": 0}})
    assert [*evaluator.values({"q": {"a": 1.0}}).values()] == [[1.0]]


def test_beta_and_gains_may_cancel():
    # BR of a at rank 2: (1e-250 * 1e250 + 1) / (1e-250 * 1e250 + 2) = 2/3.
    assert QMeasure(beta=1e-250).evaluate({"q": {"a": 1e250}}, {"q": {"x": 2.0, "a": 1.0}})[
        "q"
    ] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    "measure", [RPref(max_rel=1e250), RPref(max_rel=1e250, norm="relative"), RPref]
)
def test_gains_too_small_for_the_scale_are_refused(measure):
    qrels = {"q": {"a": 1e-100, "b": 0}, "p": {"a": 1e250}}
    run = {"q": {"b": 2.0, "a": 1.0}}
    bound = measure if "max_rel" in measure.params else irpref.bind(measure, qrels)
    with refuses(MeasureError) as error:
        bound.evaluate(qrels, run)
    numbers = re.findall(r"1e[+-]\d+", str(error.value))
    assert numbers == ["1e-100", "1e+250", "1e-250"]  # the gain, the scale, the least share of it


@pytest.mark.parametrize("unretrieved", ["zero", "infinity"])
@pytest.mark.parametrize("norm", ["absolute", "relative", "relative2"])
def test_the_smallest_gains_that_are_not_refused_are_exact(norm, unretrieved):
    qrels = {"q": {"a": 1.5e-100, "b": 0, "c": 1e-100, "d": 1.5e-100}}
    run = {"q": {"b": 3.0, "c": 2.0, "a": 1.0}}
    options = {"max_rel": 1e150, "norm": norm, "unretrieved": unretrieved}
    expected = oracle_calc("RPref", qrels, run, **options)["q"]
    assert RPref(**options).evaluate(qrels, run)["q"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("small", [1e-5, 1e-15, 1e-17, 1e-200])
def test_what_is_left_of_a_weight_is_exact_to_the_last_digit_of_one(small):
    """c stands below b alone, which is worth `small`, and keeps as much; b is not in the sum of
    `top='zero'`.
    """
    qrels, run = {"q": {"b": small, "c": 1}}, {"q": {"b": 2.0, "c": 1.0}}
    found = RPref(norm="relative", top="zero", max_rel=1).evaluate(qrels, run)["q"]
    assert abs(found - small / (1 + small)) < 1.2e-16


def test_partitions_of_the_largest_grades():
    qrels = {"q": {"a": 2e255, "b": 0, "c": 6.9e255}}
    run = {"q": {"b": 3.0, "a": 2.0, "c": 1.0}}
    found = NPref(n=100, max_rel=7e255).evaluate(qrels, run)["q"]
    assert found == pytest.approx(oracle_calc("NPref", qrels, run, n=100, max_rel=7e255)["q"])


@pytest.mark.parametrize("grade", [1_000_001, 10**30])
def test_grades_that_ir_measures_does_not_take_are_no_matter_if_it_computes_nothing(
    grade, tmp_path, capsys
):
    (tmp_path / "qrels").write_text(f"1 0 a {grade}\n1 0 b 0\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 t\n")
    assert main(["eval", str(tmp_path / "qrels"), str(tmp_path / "run"), "AP", "nDCG"]) == 0
    assert capsys.readouterr().out.split() == ["AP", "1.0000", "nDCG", "1.0000"]


def test_gains_of_all_sizes_in_ndcg():
    qrels = {"q": {"a": 7e255, "b": 7e255, "c": 7e255, "d": 1e-300}}
    assert OriginalNDCG.evaluate(qrels, {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}) == {
        "q": 1.0
    }


NEGATIVE = {"q": {"a": 1, "spam": -1}, "p": {"a": 1, "b": 0}}


def test_ncrp_falls_below_zero_with_several_relevant_grades():
    """Grades 1 1 2 against the ideal 2 1 1: -1, 0 and +2 ranks, 1 in sum, over the worst case -3 *
    4 / 2.
    """
    qrels, run = {"q": {"a": 1, "b": 1, "c": 2}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    assert irpref.nCRP.evaluate(qrels, run) == {"q": pytest.approx(-1 / 6)}


@pytest.mark.parametrize("depth", [5, 50, 500])
def test_ncrp_has_no_bound_with_negative_grades_and_says_so_once_a_call(depth):
    """A document of grade -1 at the top stands `depth` ranks too high, and rank 1 is where CRP is
    read.
    """
    run = {"q": {"spam": 1e9, **{f"u{i}": float(i) for i in range(depth)}}}
    with pytest.warns(irpref.RangeWarning) as caught:
        values = irpref.evaluator([irpref.nCRP, irpref.CRP], NEGATIVE).values(run)
    assert values[irpref.nCRP].tolist() == [depth + 1, 1]
    assert sorted(warning.message.measure for warning in caught) == ["CRP", "nCRP"]


FAMILY = {"CRP", "nCRP", "CRPRecovery", "Twist"}


@pytest.mark.parametrize("name", sorted(FAMILY))
def test_all_of_the_crp_family_warns_of_negative_grades(name):
    with warns_of(irpref.RangeWarning, measure=name) as caught:
        irpref.evaluator([name], NEGATIVE)
    assert "negative grades" in str(caught[0])


def test_one_negative_grade_moves_loss_and_recovery():
    """Without the warning nobody would look for it: 50 unjudged documents below one of grade -1 and
    a relevant one.
    """
    run = {"q": {"spam": 99.0, "a": 98.0, **{f"u{i}": float(i) for i in range(50)}}}
    measures = [irpref.parse(name) for name in ("CRP", "CRPRecovery")]
    before = irpref.evaluator(measures, {"q": {"a": 1, "spam": 0}}).calc_aggregate(run)
    with pytest.warns(irpref.RangeWarning):
        after = irpref.evaluator(measures, {"q": {"a": 1, "spam": -1}}).calc_aggregate(run)
    crp, recovery = measures
    assert (before[crp], after[crp]) == (-1, -51)  # the place of the negative one is rank 52
    # RP is -51, +1, then 0 down to rank 51, and +1 for the last document, which the negative one
    # should follow.
    assert (before[recovery], after[recovery]) == (1 / 2, 0)


@pytest.mark.registry
def test_negative_grades_are_no_news_for_other_measures(recwarn):
    measures = [
        measure for name, measure in irpref.measures.registered().items() if name not in FAMILY
    ]
    plain = [type(measure).variants()[0] for measure in measures if "known" not in measure.NEEDS]
    irpref.evaluator(plain, NEGATIVE)
    irpref.evaluator([irpref.nCRP], {"q": {"a": 1, "b": 0}})
    assert not [warning for warning in recwarn if issubclass(warning.category, irpref.RangeWarning)]
