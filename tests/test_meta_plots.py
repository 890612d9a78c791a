"""Pictures show the numbers of the results, no others."""

import sys

import numpy as np
import pytest

from irpref.meta import (
    TopicValues,
    discriminative_power,
    incompleteness,
    plot_incompleteness,
    plot_significance,
    plot_stability,
    plot_swap,
    stability,
    swap,
)

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def closed_figures():
    from matplotlib import pyplot

    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def values():
    rng = np.random.default_rng(0)
    quality = np.linspace(0.3, 0.6, 6)[:, None]
    names = [f"s{i}" for i in range(6)], [f"q{i}" for i in range(20)]
    return [TopicValues(m, *names, quality + 0.1 * rng.standard_normal((6, 20))) for m in ("AP", "RR")]


def test_stability_and_swap_curves(values):
    stable = [stability(v, n_samples=50, rng=0) for v in values]
    ax = plot_stability(stable, styles={"RR": {"label": "reciprocal rank", "color": "black"}})
    for line, one in zip(ax.lines, stable, strict=True):
        assert line.get_xdata() == pytest.approx(100 * one.ties)
        assert line.get_ydata() == pytest.approx(100 * one.minority_rate)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["AP", "reciprocal rank"]
    assert ax.lines[1].get_color() == "black"

    swaps = [swap(v, n_samples=50, rng=0) for v in values]
    ax = plot_swap(swaps)
    for line, one in zip(ax.lines, swaps, strict=False):
        assert line.get_xdata() == pytest.approx(one.edges)
        assert line.get_ydata() == pytest.approx(100 * one.rate, nan_ok=True)
    assert ax.lines[2].get_ydata()[0] == 5  # the swap rate asked for


def test_one_result_needs_no_list_and_axes_can_be_given(values):
    from matplotlib.figure import Figure

    given = Figure().add_subplot()
    assert plot_stability(stability(values[0], n_samples=5, rng=0), given) is given
    assert len(given.lines) == 1


def test_significance_matrix_is_ordered_best_first(values):
    result = discriminative_power(values[0], n_samples=200, rng=0)
    ax = plot_significance(result)
    order = np.argsort(-values[0].means)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == [f"s{i} {place}" for place, i in enumerate(order, 1)]
    shade = ax.images[0].get_array()
    asl = result.matrix()[np.ix_(order, order)]
    assert (shade == (asl < 0.05) * 1 + (asl < 0.01) * 1).all()
    assert f"{100 * result.power:.1f} %" in ax.get_title()


def test_long_names_are_shortened_and_many_left_out(values):
    wide = TopicValues("AP", ["x" * 60, "b"], values[0].topics, values[0].matrix[:2])
    labels = plot_significance(discriminative_power(wide, n_samples=5, rng=0)).get_yticklabels()
    assert max(len(label.get_text()) for label in labels) <= 26
    many = TopicValues("AP", range(40), range(5), np.random.default_rng(0).random((40, 5)))
    ax = plot_significance(discriminative_power(many, n_samples=5, rng=0))
    assert ax.get_ylabel() == "systems, best first"


def test_robustness_curves():
    rng = np.random.default_rng(0)
    qrels = {f"q{t}": {f"d{i}": int(i < 5) for i in range(30)} for t in range(3)}
    runs = {f"r{k}": {t: {f"d{i}": float(s) for i, s in enumerate(rng.random(30))} for t in qrels} for k in range(4)}
    found = incompleteness(["AP", "RPref(max_rel=1)"], qrels, runs, levels=(50, 10), n_samples=2, rng=0)
    table = found.table()
    for value in ("tau", "tau_ap", "mean"):
        ax = plot_incompleteness(found, value=value)
        for line, measure in zip(ax.lines, found.measures, strict=True):
            part = table[table["measure"] == measure]
            assert line.get_xdata().tolist() == [100, 50, 10]
            assert line.get_ydata() == pytest.approx(part[value].to_numpy())
        left, right = ax.get_xlim()
        assert left > 100 > 10 > right
    assert "AP by all judgments" in plot_incompleteness(found, reference="AP").get_ylabel()
    with pytest.raises(ValueError, match="'tau', 'tau_ap', 'mean'"):
        plot_incompleteness(found, value="rho")


def test_without_matplotlib_one_sentence_says_what_to_install(values, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plot_stability(stability(values[0], n_samples=5, rng=0))
