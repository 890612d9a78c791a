"""Searches of PyTerrier by measures of either direction, names that it understands, and the
randomisation test.
"""

import warnings
from fractions import Fraction as F

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP

import irpref
from irpref import RPref, nCRP
from irpref.errors import ArgumentError
from irpref_lab.decide.significance import randomisation_test
from refused import refuses

pt = pytest.importorskip("pyterrier")

# PyTerrier 1.1.2 under pandas 3.1: `add_ranks`, behind most stages of its own.
old_pandas = pytest.mark.filterwarnings(
    "ignore:The inplace keyword in DataFrame:DeprecationWarning"
)
pytestmark = [pytest.mark.usefixtures("offline"), old_pandas]

# What is wrong in this version may be mended in another: then these tests have to be looked at
# again.
this_version = pytest.mark.skipif(
    pt.__version__ != "1.1.2", reason="pins what PyTerrier 1.1.2 does"
)


class Mixed(pt.Transformer):
    """Scores of one run, disturbed by `noise` times a fixed noise."""

    def __init__(self, res, noise):
        super().__init__()
        self.res = res
        self.noise = noise

    def transform(self, inp):
        pt.validate.query_frame(inp)
        res = self.res[self.res.qid.isin(inp.qid)]
        shift = np.array(
            [sum(map(ord, q + d)) * 7919 % 1000 for q, d in zip(res.qid, res.docno, strict=True)]
        )
        return pt.model.add_ranks(res.assign(score=res.score + self.noise * 1000 * shift))


@pytest.fixture
def mixed(dataset):
    return Mixed(dataset.get_results("strong"), 0)


# ------------------------------------------------------------------------------------- significance


def test_randomisation_is_exact_for_few_topics():
    a, b = [0.5, 0.7, 0.2, 0.9], [0.4, 0.4, 0.3, 0.5]
    # Differences .1 .3 -.1 .4 with mean .7/4. Of 16 sums of +-.1 +-.3 +-.1 +-.4 those of at least
    # .7 in size: .9 .7 .7 and their opposites.
    statistic, p = randomisation_test(a, b)
    assert statistic == pytest.approx(0.7 / 4)
    assert p == F(6, 16)


def test_randomisation_of_many_topics_is_repeatable_and_near_the_exact_value():
    rng = np.random.default_rng(5)
    a, b = rng.random(12), rng.random(12)
    exact = randomisation_test(a, b)[1]
    drawn = [randomisation_test(a, b, n_permutations=2000, seed=seed)[1] for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1]
    # 2000 draws of a share p differ from it by about sqrt(p (1 - p) / 2000).
    assert drawn == pytest.approx([exact] * 3, abs=4 * np.sqrt(exact * (1 - exact) / 2000))
    assert randomisation_test(rng.random(500), rng.random(500))[1] > 1e-4


def test_swapped_systems_turn_the_sign_of_the_statistic_and_nothing_else():
    rng = np.random.default_rng(6)
    a, b = rng.random(40), rng.random(40)
    (there, p), (back, same) = randomisation_test(a, b), randomisation_test(b, a)
    assert (there, p) == (-back, same)
    # Topics in another order have other draws.
    order = rng.permutation(40)
    assert randomisation_test(a[order], b[order])[1] == pytest.approx(
        p, abs=4 * np.sqrt(p * (1 - p) / 10_000)
    )


def test_randomisation_of_equal_systems_and_of_undefined_values():
    assert randomisation_test([0.3, 0.4], [0.3, 0.4]) == (0.0, 1.0)
    assert np.isnan(randomisation_test([0.3, np.nan], [0.3, 0.4])[1])
    with pytest.raises(ArgumentError, match=r"shapes \(1,\) and \(2,\)"):
        randomisation_test([0.3], [0.3, 0.4])


# --------------------------------------------------------------------------- searches and the table


class Turned(pt.Transformer):
    """Results in their order (weight 1), or the other way round (weight -1)."""

    def __init__(self, results):
        super().__init__()
        self.results, self.weight = results, 1.0

    def transform(self, inp):
        found = self.results[self.results.qid.isin(inp.qid)]
        return found.assign(score=found.score * self.weight)


@pytest.mark.parametrize(
    "metric", ["nCRP", nCRP, irpref.EMeasure @ 5, AP, "map", "nDCG@10", RPref(max_rel=3)]
)
def test_searches_choose_the_best_value_whichever_way_is_better(
    dataset, topics, qrels, metric, capsys
):
    stage = Turned(dataset.get_results("strong"))
    grid = {stage: {"weight": [-1.0, 1.0]}}
    stage.weight = 0.5
    value, setting = pt.irpref.GridSearch(
        stage, grid, topics, qrels, metric, return_type="best_setting"
    )
    assert stage.weight == 0.5  # as it was
    assert [(name, best) for _, name, best in setting] == [("weight", 1.0)]
    measure = irpref.parse(metric)
    assert value == pytest.approx(
        irpref.evaluator([measure], qrels).calc_aggregate(stage.results)[measure]
    )
    stage.weight = -1.0
    assert pt.irpref.GridSearch(stage, grid, topics, qrels, metric) is stage
    assert stage.weight == 1.0


def test_each_fold_has_the_setting_that_is_best_on_the_others(topics, capsys):
    # Scores are right in the first two topics and turned round in the other two.
    docs = [f"d{n}" for n in range(4)]
    rows = [
        (q, d, (n if q in ("q0", "q1") else -n))
        for q in ("q0", "q1", "q2", "q3")
        for n, d in enumerate(docs)
    ]
    results = (
        pd.DataFrame(rows, columns=["qid", "docno", "score"])
        .astype({"score": float})
        .assign(rank=0, query="a")
    )
    judged = pd.DataFrame(
        [(q, "d3", 1) for q in ("q0", "q1", "q2", "q3")], columns=["qid", "docno", "label"]
    )
    queries = pd.DataFrame({"qid": ["q0", "q1", "q2", "q3"], "query": "a"})
    stage = Turned(results)
    stage.weight = 0.5
    folds = [queries.iloc[:2], queries.iloc[2:]]
    for given in (judged, [judged.iloc[:2], judged.iloc[2:]]):
        found, settings = pt.irpref.KFoldGridSearch(
            stage, {stage: {"weight": [1.0, -1.0]}}, folds, given, "RR"
        )
        assert [best for ((_, _, best),) in settings] == [-1.0, 1.0]
        # So every topic is served by the wrong one, and d3 comes last.
        assert irpref.evaluator("RR", judged).calc_aggregate(found)[ir_measures.RR] == 1 / 4
        assert found.qid.drop_duplicates().tolist() == ["q0", "q1", "q2", "q3"]
    with pytest.raises(ValueError, match="unknown measure"):
        pt.irpref.KFoldGridSearch(
            stage, {stage: {"weight": [-1.0]}}, folds, judged, "no_such_measure"
        )
    assert stage.weight == 0.5  # as it was


TYPED = [
    "map",
    "RPref(max_rel=3)",
    "nDCG@10",
    "qmeasure",
    "P_10",
    "P+",
    "ndcg_cut_5",
    "QMeasure(gains={2:3,3:7})@10",
]


@pytest.mark.parametrize(
    "plan", [{}, {"batch_size": 7}, {"plan": "tree"}], ids=["linear", "batches", "tree"]
)
def test_experiments_understand_every_name(dataset, systems, topics, qrels, plan, capsys):
    table = pt.Experiment(systems, topics, qrels, TYPED, **plan).set_index("name")
    assert set(table.columns) == set(TYPED)  # as typed
    for system in systems:
        run = pt.model.to_ir_measures(dataset.get_results(system))
        values = ir_measures.calc_aggregate(
            irpref.parse_all(TYPED), pt.model.to_ir_measures(qrels), run
        )
        for name in TYPED:
            assert table[name][system] == pytest.approx(values[irpref.parse(name)], abs=1e-12)


def test_searches_understand_every_name(mixed, topics, qrels, capsys):
    grid = {mixed: {"noise": [5, 0]}}
    for name in ("RPref(max_rel=3)", "nDCG@10", "QMeasure@10"):
        value, setting = pt.GridSearch(mixed, grid, topics, qrels, name, return_type="best_setting")
        assert setting[0][2] == 0
        assert value == pytest.approx(
            pt.irpref.GridSearch(mixed, grid, topics, qrels, name, return_type="both")[1]
        )
        folds = [topics.iloc[:15], topics.iloc[15:]]
        assert [s[0][2] for s in pt.KFoldGridSearch(mixed, grid, folds, qrels, name)[1]] == [0, 0]
        assert pt.GridScan(mixed, grid, topics, qrels, [name]).columns.tolist()[-1] == name


@pytest.fixture
def registered():
    yield
    irpref.register_names()


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("RPref(max_rel=4)", RPref(max_rel=4)),
        ("RPref(max_rel=3)@10", RPref(max_rel=3) @ 10),
        ("rpref", RPref),
        ("P+", irpref.PPlus),
        ("q-measure@10", irpref.QMeasure @ 10),
        ("map", AP),
        ("AP", AP),
        ("P_10", ir_measures.P @ 10),
        ("ndcg_cut_10", ir_measures.nDCG @ 10),
        ("QMeasure(gains={-1:0,2:3})", irpref.QMeasure(gains={-1: 0, 2: 3})),
    ],
)
def test_the_parser_that_experiments_ask_understands_every_name(name, measure):
    assert ir_measures.parse_trec_measure(name) == [measure]


def test_what_the_host_knows_keeps_its_meaning():
    assert ir_measures.parse_trec_measure("map_cut.5,10") == [AP @ 5, AP @ 10]
    assert ir_measures.parse_trec_measure("P") == [
        ir_measures.P @ k for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    ]


@pytest.mark.parametrize("name", ["P+", "rpref", "q-measure", "map"])
def test_the_other_parser_of_ir_measures_keeps_its_own_grammar(name):
    assert ir_measures.parse_measure is ir_measures.util.parse_measure
    assert ir_measures.parse_measure("RPref") == RPref  # as of every registered measure
    with pytest.raises((NameError, ValueError)):
        ir_measures.parse_measure(name)


def test_a_name_that_nobody_knows_is_an_error_of_the_hosts_kind_with_the_nearest_name():
    with pytest.raises(irpref.UnknownMeasureError) as error:
        ir_measures.parse_trec_measure("RPreff")
    assert error.value.nearest == "RPref"
    assert isinstance(error.value, NameError)
    assert isinstance(error.value, ValueError)


def test_no_name_is_the_error_of_the_host():
    with pytest.raises(ValueError, match="measure"):
        ir_measures.parse_trec_measure("")


def test_names_are_unregistered(registered):
    irpref.register_names()  # twice is once
    irpref.unregister_names()
    assert ir_measures.parse_trec_measure is ir_measures.util.parse_trec_measure
    irpref.accelerate()  # which is about values, not names
    irpref.accelerate(False)
    with pytest.raises(ValueError, match="unkonwn measure"):
        ir_measures.parse_trec_measure("RPref")
    irpref.unregister_names()
    irpref.register_names()
    assert ir_measures.parse_trec_measure("RPref") == [RPref]


def test_a_search_refuses_what_it_cannot_return(topics, qrels):
    with refuses(ArgumentError, parameter="return_type", value="best"):
        pt.irpref.GridSearch(None, {}, topics, qrels, return_type="best")


def _of_direction(caught):
    return [w.message for w in caught if "lower is better" in str(w.message)]


@pytest.fixture
def always_warned():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


def test_that_pyterrier_counts_higher_values_is_said_once(
    dataset, topics, qrels, capsys, always_warned
):
    systems = [dataset.get_results("baseline"), dataset.get_results("strong")]
    pt.Experiment(systems, topics, qrels, ["map", "QMeasure", "RPref(max_rel=3)"], baseline=0)
    assert _of_direction(always_warned) == []
    for _ in range(2):
        pt.Experiment(systems, topics, qrels, ["map", "nCRP"], baseline=0)
    pt.Experiment(systems, topics, qrels, ["nCRP"], batch_size=7)
    (warning,) = _of_direction(always_warned)
    assert isinstance(warning, irpref.IrprefWarning)
    assert str(warning).startswith("nCRP:")


def test_pyterriers_own_search_takes_the_highest_value_and_is_warned_of(
    dataset, topics, qrels, capsys, always_warned
):
    stage = Turned(dataset.get_results("strong"))
    grid = {stage: {"weight": [-1.0, 1.0]}}
    pt.irpref.GridSearch(stage, grid, topics, qrels, nCRP)  # asks for the direction
    assert _of_direction(always_warned) == []
    best, _ = pt.GridSearch(stage, grid, topics, qrels, nCRP, return_type="best_setting")
    assert len(_of_direction(always_warned)) == 1
    scan = pt.GridScan(stage, grid, topics, qrels, [nCRP])
    assert best == scan["nCRP"].max() > scan["nCRP"].min()
