"""The robustness study: its statistics against slow definitions."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from irpref.meta import kendall_tau, tau_ap

ROOT = Path(__file__).resolve().parent.parent
if not (ROOT / "study").is_dir():
    pytest.skip("the study is in the repository, not in the package", allow_module_level=True)
sys.path.insert(0, str(ROOT))

from study import outcomes  # noqa: E402


def values_of(seed: int, n_samples: int = 4, n_systems: int = 9, n_topics: int = 12, ties: bool = False):
    draw = np.random.default_rng(seed)
    ability = draw.random(n_systems)[:, None]
    full = ability + 0.3 * draw.standard_normal((n_systems, n_topics))
    left = full + 0.3 * draw.standard_normal((n_samples, n_systems, n_topics))
    if ties:
        full, left = np.round(full), np.round(left)
    return left, full


@pytest.mark.parametrize("n_systems", [2, 3, 8, 9])
@pytest.mark.parametrize("ties", [False, True])
def test_taus_are_those_of_scipy_row_by_row(n_systems, ties):
    draw = np.random.default_rng(n_systems)
    a, b = (draw.integers(0, 4 if ties else 10**6, (200, n_systems)).astype(float) for _ in range(2))
    expected = [kendall_tau(x, y) for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(outcomes.taus(a, b), expected, rtol=0, atol=1e-12)
    one = [kendall_tau(x, b[0]) for x in a]
    np.testing.assert_allclose(outcomes.taus(a, b[0]), one, rtol=0, atol=1e-12)


@pytest.mark.parametrize("ties", [False, True])
def test_a_weight_counts_a_system_as_often_as_its_copies_would(ties):
    draw = np.random.default_rng(5)
    a, b = (draw.integers(0, 4 if ties else 10**6, (100, 10)).astype(float) for _ in range(2))
    w = draw.integers(0, 4, (100, 10))
    expected = [kendall_tau(np.repeat(x, k), np.repeat(y, k)) for x, y, k in zip(a, b, w, strict=True)]
    np.testing.assert_allclose(outcomes.taus(a, b, w), expected, rtol=0, atol=1e-6)


def test_tau_of_a_list_that_is_all_ties_is_no_number_and_rounding_makes_no_order():
    assert np.isnan(outcomes.taus([1.0, 1.0, 1.0], [1.0, 2.0, 3.0])).all()
    assert np.isnan(outcomes.taus([1.0], [1.0])).all()
    assert np.isnan(outcomes.taus([0.3, 0.1 + 0.2], [1.0, 2.0])).all()


@pytest.mark.parametrize("ties", [False, True])
def test_taus_ap_are_those_of_the_package_row_by_row(ties):
    draw = np.random.default_rng(11)
    a, b = (draw.integers(0, 4 if ties else 10**6, (200, 9)).astype(float) for _ in range(2))
    expected = [tau_ap(x, y) for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(outcomes.taus_ap(a, b), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(outcomes.taus_ap(a, b[0]), [tau_ap(x, b[0]) for x in a], rtol=0, atol=1e-12)


def test_prediction_ranks_on_one_half_and_asks_the_criterion_on_the_other():
    left, _ = values_of(1)
    criterion = values_of(2)[1]
    halves = np.random.default_rng(3).random((4, 12)) < 0.5
    expected = [
        kendall_tau(one[:, half].mean(axis=1), criterion[:, ~half].mean(axis=1))
        for one, half in zip(left, halves, strict=True)
    ]
    np.testing.assert_allclose(outcomes.prediction(left, criterion, halves), expected, rtol=0, atol=1e-12)
    # What the measure says on the other half does not matter.
    other = np.where(halves[:, None, :], left, 99.0)
    np.testing.assert_allclose(outcomes.prediction(other, criterion, halves), expected, rtol=0, atol=1e-12)


def test_bias_is_the_change_of_the_systems_that_were_not_pooled():
    full = np.array([[0.4, 0.6], [0.2, 0.2], [0.3, 0.3]])  # means 1/2, 1/5, 3/10
    left = np.array([[[0.2, 0.3], [0.2, 0.2], [0.4, 0.2]]])  # means 1/4, 1/5, 3/10
    found = outcomes.bias(left, full, [[False, True, True]])
    assert found.value == pytest.approx([-50])
    assert found.place == pytest.approx([-1])  # from the first to the second
    assert found.value_pooled == pytest.approx([0])
    assert found.place_pooled == pytest.approx([0.5])  # one up, one stays
    assert np.isnan(outcomes.bias(left, full, [[True, True, True]]).value).all()


def test_tied_systems_share_the_mean_of_their_places():
    assert outcomes.places([3, 1, 3, 2]).tolist() == [[1.5, 4, 1.5, 3]]


def test_stability_takes_the_common_shift_out():
    full = np.array([[0.1, 0.3], [0.4, 0.6]])  # means 1/5 and 1/2, standard deviation 3/20
    assert outcomes.stability(full[None] / 1 - 0.1, full) == pytest.approx([0])
    moved = np.array([[[0.1, 0.3], [0.5, 0.8]]])  # means 1/5 and 13/20: changes 0 and 3/20, sd 3/40
    assert outcomes.stability(moved, full) == pytest.approx([1 / 2])


def told_apart(a, b):
    found = stats.ttest_rel(a, b)
    return int(np.sign(found.statistic)) if found.pvalue < 0.05 else 0


def test_power_kept_and_wrong_count_t_tests_of_all_pairs():
    left, full = values_of(21, n_systems=12, n_topics=15)
    pairs = [(i, j) for i in range(12) for j in range(i)]
    before = np.array([told_apart(full[i], full[j]) for i, j in pairs])
    found = outcomes.power(left, full)
    for sample, values in enumerate(left):
        now = np.array([told_apart(values[i], values[j]) for i, j in pairs])
        assert found.power[sample] == pytest.approx((now != 0).mean())
        assert found.kept[sample] == pytest.approx(((now == before) & (before != 0)).sum() / (before != 0).sum())
        assert found.wrong[sample] == pytest.approx(((now != 0) & (now != before)).mean())
    assert 0 < found.kept.mean() < 1
    assert found.wrong.max() > 0


def test_pairs_that_do_not_differ_or_differ_by_a_constant_are_not_told_apart():
    one = np.array([0.1, 0.7, 0.3])
    same = np.array([one, one, one + 0.1])
    assert outcomes.power(same[None], same).power == 0
    single = np.array([[0.1], [0.9]])  # one topic: no variance
    found = outcomes.power(single[None], single)
    assert found.power == 0
    assert np.isnan(found.kept).all()


def copies(array, boot, r):
    """Systems and topics of a replicate, as often as they were drawn."""
    systems = np.repeat(np.arange(array.shape[0]), boot.systems[r].astype(int))
    topics = np.repeat(np.arange(array.shape[1]), boot.topics[r].astype(int))
    return array[np.ix_(systems, topics)]


@pytest.mark.parametrize("ties", [False, True])
def test_a_replicate_is_the_outcome_on_the_topics_teams_and_sample_that_it_drew(ties):
    left, full = values_of(31, ties=ties)
    criterion = values_of(32, ties=ties)[1]
    team = np.array([7, 7, 2, 3, 3, 3, 5, 6, 8])
    halves = np.random.default_rng(3).random((4, 12)) < 0.5
    pooled = np.random.default_rng(4).random((4, 9)) < 0.5
    boot = outcomes.Bootstrap(12, team, 4, replicates=60, seed=1)
    assert (boot.topics.sum(axis=1) == 12).all()
    assert (boot.teams.sum(axis=1) == 6).all()
    tau, agreement = boot.tau(left, full), boot.tau(criterion, full)
    prediction, bias, power = boot.prediction(left, criterion, halves), boot.bias(left, full, pooled), boot.power(left)
    for r in range(60):
        s = boot.sample[r]
        mine, whole = copies(left[s], boot, r), copies(full, boot, r)
        assert tau[r] == pytest.approx(kendall_tau(mine.mean(axis=1), whole.mean(axis=1)), abs=1e-6, nan_ok=True)
        outer = copies(criterion, boot, r)
        assert agreement[r] == pytest.approx(kendall_tau(outer.mean(axis=1), whole.mean(axis=1)), abs=1e-6, nan_ok=True)
        half = np.repeat(halves[s], boot.topics[r].astype(int))
        expected = float("nan")
        if half.any() and not half.all():
            expected = kendall_tau(mine[:, half].mean(axis=1), outer[:, ~half].mean(axis=1))
        assert prediction[r] == pytest.approx(expected, abs=1e-6, nan_ok=True)
        new = ~np.repeat(pooled[s], boot.systems[r].astype(int))
        if new.any() and abs(whole[new].sum()) > 1e-9:
            assert bias[r] == pytest.approx(100 * (mine[new].sum() - whole[new].sum()) / whole[new].sum())
        names = np.repeat(np.arange(9), boot.systems[r].astype(int))
        pairs = [(i, j) for i in range(len(mine)) for j in range(len(mine)) if names[i] != names[j]]
        with np.errstate(all="ignore"):
            told = [told_apart(mine[i], mine[j]) != 0 if np.ptp(mine[i] - mine[j]) > 1e-9 else 0 for i, j in pairs]
        every = len(mine) ** 2 - (boot.systems[r] ** 2).sum()
        assert power[r] == pytest.approx(np.sum(told) / every)


def test_replicates_of_left_out_teams_are_means_over_the_teams_drawn():
    left, full = values_of(41, n_samples=3, n_systems=5)
    team = np.array([4, 4, 1, 2, 2])
    pooled = np.array([team != t for t in (1, 2, 4)])
    boot = outcomes.Bootstrap(12, team, 3, replicates=40, seed=1)
    found = boot.bias_left_out(left, full, pooled)
    for r in range(40):
        topics = np.repeat(np.arange(12), boot.topics[r].astype(int))
        changes = []
        for sample in range(3):
            before = full[~pooled[sample]][:, topics].sum()
            changes.append(100 * (left[sample][~pooled[sample]][:, topics].sum() - before) / before)
        assert found[r] == pytest.approx(np.average(changes, weights=boot.teams[r]))
    with pytest.raises(ValueError, match="give one a team"):
        boot.bias_left_out(left[:2], full, pooled[:2])


def test_draws_are_shared_by_measures_and_follow_the_seed():
    first, again, other = (outcomes.Bootstrap(12, np.arange(9), 4, 50, seed) for seed in (1, 1, 2))
    left, full = values_of(51)
    assert (first.tau(left, full) == again.tau(left, full)).all()
    assert (first.tau(left, full) != other.tau(left, full)).any()
    assert np.ptp(first.tau(left, full) - first.tau(left, full)) == 0


def test_an_interval_of_the_bootstrap_covers_a_difference_of_zero_about_as_often_as_it_says():
    # Two measures that are the same ranking with independent noise: their true difference is 0.
    covered = rejected = 0
    for seed in range(200):
        draw = np.random.default_rng(seed)
        full = draw.random(10)[:, None] + 0.3 * draw.standard_normal((10, 25))
        a, b = (full + 0.4 * draw.standard_normal((1, 10, 25)) for _ in range(2))
        boot = outcomes.Bootstrap(25, np.arange(10), 1, replicates=200, seed=seed)
        difference = boot.tau(a, full) - boot.tau(b, full)
        low, high = outcomes.interval(difference)
        covered += low <= 0 <= high
        rejected += outcomes.p_value(difference) < 0.05
    assert covered >= 184  # 92 %: the interval is allowed to be too wide, not too narrow
    assert rejected <= 16


def test_p_values_count_both_tails_and_are_never_zero():
    assert outcomes.p_value(np.arange(1, 100)) == pytest.approx(2 / 100)
    assert outcomes.p_value(np.arange(-49, 50)) == 1
    assert outcomes.p_value(np.arange(1, 100), null=10.5) == pytest.approx(2 * 11 / 100)
    assert np.isnan(outcomes.p_value([np.nan]))
    assert outcomes.interval(np.arange(101)) == pytest.approx((2.5, 97.5))
    assert np.isnan(outcomes.interval([])).all()


def test_holm_multiplies_the_smallest_by_the_number_and_keeps_the_order():
    assert outcomes.holm([0.04, 0.01, np.nan, 0.03]).tolist() == pytest.approx([0.06, 0.03, np.nan, 0.06], nan_ok=True)


def test_many_rankings_are_compared_in_little_time():
    import time

    draw = np.random.default_rng(0)
    a, b = draw.random((2, 2000, 143))
    weights = draw.poisson(1, (2000, 143))
    start = time.perf_counter()
    outcomes.taus(a, b, weights)
    assert time.perf_counter() - start < 2  # scipy needs about 2 ms each, 0.05 are usual here


def test_verdicts_follow_the_preregistered_rule():
    from study.hypotheses import claim_verdict, verdict

    h, c, o = "holds", "contradicted", "open"
    assert claim_verdict([h, h, o]) == "supported"
    assert claim_verdict([h, h, h, h, o, o]) == "supported"
    assert claim_verdict([h, h, h, o, o, o]) == "undecided"
    assert claim_verdict([h, h, h, h, h, c]) == "undecided"
    assert claim_verdict([h, c, c]) == "refuted"
    assert claim_verdict([o, o, c]) == "refuted"
    assert claim_verdict([o, o]) == "undecided"
    assert claim_verdict([]) == "undecided"
    assert verdict(["supported", "supported"]) == "supported"
    assert verdict(["supported", "undecided"]) == "undecided"
    assert verdict(["supported", "undecided", "refuted"]) == "refuted"


def test_a_claim_holds_where_the_interval_lies_inside_of_it_and_is_contradicted_where_it_lies_outside():
    from study.hypotheses import Claim

    equal = Claim("random", "prediction", "a", "b", -0.03, 0.03)
    assert equal.state(-0.02, 0.02) == "holds"
    assert equal.state(0.04, 0.08) == equal.state(-0.08, -0.04) == "contradicted"
    assert equal.state(-0.04, 0.02) == equal.state(float("nan"), float("nan")) == "open"
    more = Claim("random", "prediction", "a", "b", low=0)
    assert [more.state(*ends) for ends in ((0.01, 0.2), (-0.1, 0.1), (-0.2, -0.1))] == ["holds", "open", "contradicted"]
