"""Every name that trec_eval 10 prints with -m all_trec: computed to its digits, or refused with an
alternative.
"""

import gzip
import math
import re

import numpy as np
import pytest

import irpref
from irpref.measures.toml_files import data
from refused import refuses

SLACK = 0.5e-4 + 1e-9  # four digits are printed


def printed(path):
    """Lines `name topic value` that hold numbers."""
    rows = [line.split() for line in path.read_text().splitlines()]
    return [
        (name, topic, float(value))
        for name, topic, value in rows
        if re.fullmatch(r"-?[\d.]+", value)
    ]


@pytest.fixture(scope="module")
def given(data_dir, tmp_path_factory):
    """trec_eval's own test files, unpacked."""
    folder, home = data_dir / "trec_eval-test", tmp_path_factory.mktemp("trec_eval")
    for packed in [folder / "qrels" / "qrels.test.gz", folder / "runs" / "results.test.gz"]:
        (home / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    return folder / "expected", str(home / "qrels.test"), str(home / "results.test")


def values(measures, qrels, run):
    evaluator = irpref.evaluator(measures, qrels)
    by_topic = evaluator.values(run)
    means = evaluator.means_of(by_topic)
    out = {
        (m, topic): of[t]
        for m, of in by_topic.items()
        for t, topic in enumerate(evaluator.topic_ids)
    }
    return out | {(m, "all"): value for m, value in means.items()}


def test_every_name_is_computed_to_its_digits_or_refused(given):
    expected, qrels, run = given
    rows = printed(expected / "out.test.aq")
    assert len({name for name, _, _ in rows}) == 98
    known, refused = {}, set()
    for name in dict.fromkeys(name for name, _, _ in rows):
        try:
            known[name] = irpref.parse(name)
        except irpref.UnknownMeasureError:
            refused.add(re.sub(r"_[\d.]+$", "", name))
    assert refused == data("names.toml")["refused"].keys() - {"runid", "relstring"}
    found = values(list(dict.fromkeys(known.values())), qrels, run)
    differing = [
        (name, topic)
        for name, topic, value in rows
        if name in known and abs(found[known[name], topic] - value) > SLACK
    ]
    assert differing == []
    assert sum(name in known for name, _, _ in rows) > 250


def test_what_a_refusal_names_instead_is_right(given):
    """Binary judgments; each as the message says."""
    expected, qrels, run = given
    table = {(name, topic): value for name, topic, value in printed(expected / "out.test.aq")}
    topics = sorted({topic for _, topic in table} - {"all"})
    names = [
        "RBP(rel=1,p=0.9)",
        "RBPResidual(p=0.9)",
        "NumRelRet",
        "NumRet",
        "Judged",
        "AP",
        "Bpref",
        "Rprec",
    ]
    at = {
        k: (irpref.parse(f"NCG@{k}"), irpref.parse(f"Judged@{k}"))
        for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    }
    measures = irpref.parse_all(names)
    found = values([*measures, *(m for pair in at.values() for m in pair)], qrels, run)
    rbp, residual, rel_ret, ret, judged, ap, bpref, rprec = measures
    for t in topics:
        assert found[rbp, t] == pytest.approx(table["rbp", t], abs=SLACK)
        assert found[residual, t] == pytest.approx(table["rbp_resid", t], abs=SLACK)
        assert 2 * found[rel_ret, t] - found[ret, t] == pytest.approx(
            table["utility", t], abs=SLACK
        )
        rest = found[ret, t] * found[judged, t] - found[rel_ret, t]
        assert rest == pytest.approx(table["num_nonrel_judged_ret", t], abs=SLACK)
        assert found[rprec, t] == pytest.approx(table["Rprec_mult_1.00", t], abs=SLACK)
        for k, (ncg, judged_at) in at.items():
            assert found[ncg, t] == pytest.approx(table[f"relative_P_{k}", t], abs=SLACK)
            if k in (5, 10, 20):
                assert 1 - found[judged_at, t] == pytest.approx(table[f"unj_{k}", t], abs=SLACK)
    for name, measure in (("gm_map", ap), ("gm_bpref", bpref)):
        mean = math.exp(np.mean([math.log(max(found[measure, t], 0.00001)) for t in topics]))
        assert mean == pytest.approx(table[name, "all"], abs=SLACK)


@pytest.mark.parametrize(
    ("name", "has", "has_not"),
    [
        ("rbp_resid", "RBPResidual(p=0.9)", "RPref"),
        ("gm_map", "geometric mean", "MAP"),
        ("unj_10", "1 - Judged@k", "NERR10"),
        ("rbp", "RBP(rel=1,p=0.9)", "RPref"),
        ("Rprec_mult_0.20", "Rprec is the one at R", "RPref"),
    ],
)
def test_a_refusal_names_the_right_measure(name, has, has_not):
    with refuses(irpref.UnknownMeasureError, measure=name) as refused:
        irpref.parse(name)
    assert has in str(refused.value)
    assert has_not not in str(refused.value)


def test_levels_of_recall_are_those_of_version_10():
    # Relevant at ranks 1 and 5 of three: 0.4 * 3 = 1.2 is one document, 0.7 * 3 = 2.1 two; version
    # 9 has 2 and 2.
    qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    run = {"q": {d: -float(i) for i, d in enumerate(["a", "u", "v", "w", "b"])}}
    found = irpref.evaluator(
        ["iprec_at_recall_0.40", "iprec_at_recall_0.70", "IPrec@0.4", "11pt_avg"], qrels
    )
    by_name = {str(m): value for m, value in found.calc_aggregate(run).items()}
    # Levels 0 to .4 reach a, .5 (1.5 is rounded to 2) to .8 b, .9 (2.7) and 1 nothing.
    assert by_name == {
        "InterpolatedPrecision(rounding='nearest')@0.4": 1,
        "InterpolatedPrecision(rounding='nearest')@0.7": 2 / 5,
        "IPrec@0.4": 2 / 5,
        "InterpolatedPrecision(rounding='nearest')": pytest.approx((5 * 1 + 4 * 2 / 5) / 11),
    }
    assert [m.params["recall"] for m in irpref.parse_all("iprec_at_recall")] == [
        i / 10 for i in range(11)
    ]
    assert irpref.parse("RBP(rel=1)")["p"] == 0.8  # as in cwl_eval; trec_eval 10 has .9
