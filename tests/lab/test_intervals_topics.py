"""Confidence intervals of means over topics."""

import statistics

import ir_measures
import numpy as np
import pytest
from scipy import stats

import irpref
import irpref_lab
from irpref.errors import ArgumentError
from irpref_lab.trust.topics import mean_intervals

DRAW = np.random.default_rng(7)
N_TOPICS = 23
QRELS = {f"q{t}": {f"d{d}": int(DRAW.integers(0, 3)) for d in range(12)} for t in range(N_TOPICS)}
RUN = {f"q{t}": {f"d{d}": float(DRAW.random()) for d in range(15)} for t in range(N_TOPICS)}
MEASURES = ["AP", "RPref(max_rel=2)", "nDCG@5", "NumRet(rel=1)"]


def _by_topic(measure):
    return {m.query_id: m.value for m in ir_measures.iter_calc([irpref.parse(measure)], QRELS, RUN)}


def test_only_the_means_are_rows_and_their_value_is_what_the_evaluator_gives():
    table = irpref_lab.intervals(MEASURES, QRELS, RUN, over="topics")
    assert list(table.columns) == [
        "query_id",
        "measure",
        "value",
        "low",
        "expected",
        "high",
        "exact",
        "error",
    ]
    assert table["query_id"].tolist() == [None] * len(MEASURES)
    assert table["measure"].tolist() == MEASURES
    expected = irpref.evaluator(MEASURES, QRELS).calc_aggregate(RUN)
    assert table["value"].tolist() == [expected[irpref.parse(name)] for name in MEASURES]
    assert table["expected"].tolist() == table["value"].tolist()
    assert not table["exact"].any()
    assert (table["error"] > 0).all()


def test_the_t_interval_is_that_of_scipy():
    table = irpref_lab.intervals(
        MEASURES, QRELS, RUN, over="topics", method="t", level=0.9
    ).set_index("measure")
    assert table["exact"].all()
    for measure in MEASURES[:3]:
        values = list(_by_topic(measure).values())
        low, high = stats.t.interval(0.9, N_TOPICS - 1, np.mean(values), stats.sem(values))
        assert table.loc[measure, ["low", "high"]].tolist() == pytest.approx([low, high], rel=1e-12)


def test_the_bootstrap_draws_topics_and_widens_the_quantiles_as_the_t_distribution_does():
    (row,) = irpref_lab.intervals(["AP"], QRELS, RUN, over="topics", rng=5).itertuples()
    values = [value for _, value in sorted(_by_topic("AP").items())]
    draws = np.random.default_rng(5).integers(0, N_TOPICS, size=(10_000, N_TOPICS))
    means = [statistics.fmean(values[t] for t in draw) for draw in draws.tolist()]
    normal = statistics.NormalDist()
    share = normal.cdf(-((N_TOPICS / (N_TOPICS - 1)) ** 0.5) * stats.t.ppf(0.975, N_TOPICS - 1))
    assert [row.low, row.high] == pytest.approx(
        np.quantile(means, [share, 1 - share]).tolist(), rel=1e-12
    )


def test_the_interval_of_a_sum_is_that_of_the_mean_times_the_topics():
    (row,) = irpref_lab.intervals(
        ["NumRet(rel=1)"], QRELS, RUN, over="topics", method="t"
    ).itertuples()
    values = list(_by_topic("NumRet(rel=1)").values())
    low, high = stats.t.interval(0.95, N_TOPICS - 1, np.mean(values), stats.sem(values))
    assert row.value == sum(values)
    assert [row.low, row.high] == pytest.approx([low * N_TOPICS, high * N_TOPICS], rel=1e-12)


def test_the_same_data_give_the_same_digits_in_any_order():
    turned = [dict(reversed(data.items())) for data in (QRELS, RUN)]
    one, other = (
        irpref_lab.intervals(MEASURES, *data, over="topics") for data in ((QRELS, RUN), turned)
    )
    assert one.equals(other)
    assert not one.equals(irpref_lab.intervals(MEASURES, QRELS, RUN, over="topics", rng=1))


def test_values_that_do_not_vary_have_an_interval_of_length_zero():
    values = np.full((1, 7), 0.1)
    for method in ("t", "bootstrap"):
        low, high, error = mean_intervals(values, method=method)
        assert low == high == pytest.approx(0.1)
        assert error == 0


@pytest.mark.slow
@pytest.mark.parametrize("method", ["t", "bootstrap"])
@pytest.mark.parametrize("shape", [(2, 2), (1, 3), (2, 1)])
def test_95_of_100_intervals_hold_the_true_mean_at_40_topics(method, shape):
    rng = np.random.default_rng(11)
    values = rng.beta(*shape, size=(4000, 40))
    low, high, _ = mean_intervals(values, method=method, rng=3)
    mean = shape[0] / sum(shape)
    covered = ((low <= mean) & (mean <= high)).mean()
    assert 0.935 <= covered <= 0.965  # 4,000 intervals: a standard error of 0.0035


def test_the_bootstrap_stays_in_the_range_of_the_values():
    values = np.array([[0.0] * 19 + [1.0]])
    (low,), (high,), _ = mean_intervals(values)
    assert 0 <= low < 0.05 < high <= 1
    # No sample of these reaches far enough: 5^-5 is more than q.
    few = np.array([[0.1, 0.2, 0.6, 0.7, 0.3]])
    assert mean_intervals(few, 0.99)[:2] == mean_intervals(few, 0.99, method="t")[:2]
    assert mean_intervals(few, 0.8)[0] != mean_intervals(few, 0.8, "t")[0]
    assert np.isnan(mean_intervals(few[:, :4])[:2]).all()
    assert mean_intervals(values, method="t")[0] < 0


@pytest.mark.parametrize(
    ("parameter", "options"),
    [
        *(("level", {"level": level}) for level in (0, 1, 95, -0.1, float("nan"), "0.95", None)),
        ("method", {"method": "jackknife"}),
        ("measures", {"measures": []}),
        ("over", {"over": "topic"}),
        ("level", {"over": "ties", "level": 0.9}),  # for topics alone
        ("grades", {"grades": [0, 1]}),  # for unjudged documents alone
    ],
)
def test_what_does_not_fit_is_refused(parameter, options):
    given = {"measures": ["AP"], "qrels": QRELS, "run": RUN, "over": "topics", **options}
    with pytest.raises(ArgumentError) as error:
        irpref_lab.intervals(**given)
    assert error.value.parameter == parameter


def test_an_interval_over_topics_needs_two():
    with pytest.raises(ValueError, match="2 topics, got 1"):
        irpref_lab.intervals(["AP"], {"q1": QRELS["q1"]}, RUN, over="topics")
