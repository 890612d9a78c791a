"""Pictures show the numbers of the results, no others."""

import dataclasses

import numpy as np
import pytest

import irpref_lab
from irpref.errors import ArgumentError
from irpref_lab import plots
from irpref_lab.meta import TopicValues, discriminative_power, incompleteness, stability, swap

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def values():
    rng = np.random.default_rng(0)
    quality = np.linspace(0.3, 0.6, 6)[:, None]
    names = [f"s{i}" for i in range(6)], [f"q{i}" for i in range(20)]
    return [
        TopicValues(m, *names, quality + 0.1 * rng.standard_normal((6, 20))) for m in ("AP", "RR")
    ]


def test_stability_and_swap_curves(values):
    stable = [stability(v, n_samples=50, rng=0) for v in values]
    ax = plots.stability(stable)
    for line, one in zip(ax.lines, stable, strict=True):
        assert line.get_xdata() == pytest.approx(100 * one.ties)
        assert line.get_ydata() == pytest.approx(100 * one.minority_rate)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["AP", "RR"]

    swaps = [swap(v, n_samples=50, rng=0) for v in values]
    colours = [line.get_color() for line in ax.lines]
    ax = plots.swap(swaps[::-1])
    assert [line.get_color() for line in ax.lines[1::-1]] == colours  # those of the measures
    ax = plots.swap(swaps)
    for line, one in zip(ax.lines, swaps, strict=False):
        assert line.get_xdata() == pytest.approx(one.edges)
        assert line.get_ydata() == pytest.approx(100 * one.rate, nan_ok=True)
    assert ax.lines[2].get_ydata()[0] == 5  # the swap rate asked for


@pytest.mark.parametrize(
    ("method", "draw"), [(stability, irpref_lab.plots.stability), (swap, irpref_lab.plots.swap)]
)
def test_of_many_measures_five_or_those_named_are_in_colour(values, method, draw):
    names = [
        "AP",
        "RR",
        "P@5",
        "nDCG",
        "$x^{",
        "R@20",
        "Bpref",
        "RPref(max_rel=3,norm='relative')@10",
        "P@10",
    ]
    found = [
        method(dataclasses.replace(values[0], measure=name), n_samples=5, rng=0) for name in names
    ]

    def in_colour(ax):
        looks = {
            (line.get_color(), line.get_linestyle(), line.get_marker())
            for line in ax.lines
            if len(line.get_xdata()) > 2
        }
        assert len(looks) == len(ax.get_legend().get_texts())
        ax.figure.draw_without_rendering()
        assert ax.get_legend().get_window_extent().y1 < ax.get_window_extent().y0
        return [text.get_text().replace("\\$", "$") for text in ax.get_legend().get_texts()]

    assert in_colour(draw(found)) == [*names[:5], "4 other measures"]
    assert in_colour(draw(found[:8])) == names[:8]
    assert in_colour(draw(found, plots.axes(), highlight=names[7:])) == [
        *names[7:],
        "7 other measures",
    ]


def test_significance_matrix_is_ordered_best_first(values):
    result = discriminative_power(values[0], n_samples=200, rng=0)
    ax = plots.significance(result)
    order = np.argsort(-values[0].means)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == [f"s{i} ({place})" for place, i in enumerate(order, 1)]
    shade = ax.images[0].get_array()
    asl = result.matrix()[np.ix_(order, order)]
    assert (shade == (asl < 0.05) * 1 + (asl < 0.01) * 1).all()
    assert f"{100 * result.power:.1f} %" in ax.get_title()


def test_long_names_are_shortened_and_many_left_out(values):
    wide = TopicValues("AP", ["x" * 60, "b"], values[0].topics, values[0].matrix[:2])
    labels = plots.significance(discriminative_power(wide, n_samples=5, rng=0)).get_yticklabels()
    assert max(len(label.get_text()) for label in labels) <= 28
    many = TopicValues("AP", range(40), range(5), np.random.default_rng(0).random((40, 5)))
    ax = plots.significance(discriminative_power(many, n_samples=5, rng=0))
    assert ax.get_ylabel() == "systems, best first"


def test_robustness_curves():
    rng = np.random.default_rng(0)
    qrels = {f"q{t}": {f"d{i}": int(i < 5) for i in range(30)} for t in range(3)}
    runs = {
        f"r{k}": {t: {f"d{i}": float(s) for i, s in enumerate(rng.random(30))} for t in qrels}
        for k in range(4)
    }
    found = incompleteness(
        ["AP", "RPref(max_rel=1)"], qrels, runs, levels=(50, 10), n_samples=2, rng=0
    )
    table = found.table()
    for value in ("tau", "tau_ap", "mean"):
        ax = plots.incompleteness(found, value=value)
        for line, measure in zip(ax.lines, found.measures, strict=True):
            part = table[table["measure"] == measure]
            assert line.get_xdata().tolist() == [100, 50, 10]
            assert line.get_ydata() == pytest.approx(part[value].to_numpy())
        samples = found.samples().groupby(["measure", "level"])[value]
        for band, measure in zip(ax.collections, found.measures, strict=True):
            heights = band.get_paths()[0].vertices[:, 1]
            assert heights.min() == pytest.approx(samples.min().loc[measure].min())
            assert heights.max() == pytest.approx(samples.max().loc[measure].max())
        assert ax.get_xlabel().endswith("range of 2 samples")
        left, right = ax.get_xlim()
        assert left > 100 > 10 > right
    assert [label.get_text() for label in ax.get_xticklabels()] == ["100", "50", "10"]
    assert len(plots.incompleteness(found, highlight="AP").collections) == 1
    assert "with AP" in plots.incompleteness(found, reference="AP").get_ylabel()
    with pytest.raises(ArgumentError) as error:
        plots.incompleteness(found, value="rho")
    assert (error.value.parameter, error.value.value) == ("value", "rho")


def test_dollars_in_names_of_systems_and_measures_are_text(tmp_path):
    wide = TopicValues("A$x^{", ["$x^{", "b$_$"], ["1", "2"], [[0.1, 0.2], [0.3, 0.5]])
    for ax in (
        plots.significance(discriminative_power(wide, n_samples=5, rng=0)),
        plots.stability(stability(wide, n_samples=5, rng=0)),
        plots.swap(swap(wide, n_samples=5, rng=0)),
    ):
        ax.figure.savefig(tmp_path / "one.png", dpi=50)
