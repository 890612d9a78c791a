"""Pictures: what the artists hold, and what the texts say. How they look is for eyes: docs/gallery.md."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import irpref
import irpref_lab
from irpref import curves
from irpref.datasets import load
from irpref.errors import ArgumentError
from irpref_lab import plots
from irpref_lab.meta import TopicValues, topic_values
from irpref_lab.plots import drawing
from shells import script

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot

BOOK = load("mir-textbook")
POSTER = load("rpref-figure-1")
RECOVERY = load("crp-recovery")
SYNTHETIC = load("synthetic")
THREE = {name: SYNTHETIC.runs[name] for name in ("strong", "baseline", "noisy")}
MINUS = "\N{MINUS SIGN}"


@pytest.fixture(autouse=True)
def fresh_colours():
    drawing.forget()


def lines(ax):
    """The labelled lines by label: (x, y)."""
    return {
        line.get_label(): (np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float))
        for line in ax.get_lines()
        if not line.get_label().startswith("_")
    }


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def notes(ax):
    return [text.get_text() for text in ax.texts]


# --------------------------------------------------------------------------------------- CRP sketch


def test_sketch_has_the_curves_of_the_paper():
    ax = plots.crp_sketch(RECOVERY.qrels, RECOVERY.runs["run"], query_id="plateau")
    found = lines(ax)
    expected = [float(v) for v in RECOVERY.curve("CRP", "plateau").values]
    assert_array_equal(found["run"][0], np.arange(15))
    assert_array_equal(found["run"][1], [0, *expected])
    assert_array_equal(found["nothing relevant"][1], [0, -5, -9, -12, -14, *[-15] * 10])  # R = 5
    assert_array_equal(found["ideal"][1], [0, 0])
    # The curve is lowest at R, with -10; the balance point of the example is 12.
    points = [
        "min = $R$ = 5",
        "$b$ = 12",
        f"CRP($r$, $R$) = {MINUS}10",
        f"CRP($w$, $R$) = {MINUS}15",
    ]
    assert legend(ax) == ["ideal", "nothing relevant", "run", *points]
    assert [found[point][0][0] for point in points] == [5, 12, 5, 5]
    assert [found[point][1].tolist() for point in points[2:]] == [[-10], [-15]]


def test_sketch_of_a_curve_without_a_balance_point():
    properties = load("crp-properties")
    never = plots.crp_sketch(properties.qrels, properties.runs["run"], query_id="never-balanced")
    assert not any("$b$" in label for label in legend(never))
    of = plots.crp_sketch(SYNTHETIC.qrels, THREE, run="noisy", query_id="7", judged_only=True)
    assert of.get_title().endswith("noisy, topic 7")
    assert of.get_ylabel().splitlines() == ["CRP (ranks)", "judged documents only"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"run": "noisy"},
            "the table holds 30 topics (1, 2, 3, 4, 5, 6, ...): name one with query_id=",
        ),
        ({"query_id": "1"}, "the table holds 3 runs (strong, baseline, noisy): name one with run="),
        ({"run": "noisy", "query_id": "77"}, "no topic '77' in the table"),
        ({"run": "best", "query_id": "7"}, "no run 'best' in the table"),
    ],
)
def test_sketch_asks_for_what_it_is_to_draw(options, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (the message is compared below)
        plots.crp_sketch(SYNTHETIC.qrels, THREE, **options)
    assert message in str(caught.value)
    assert not pyplot.get_fignums()


# ------------------------------------------------------------------------------------------- curves


def plain(qrels):
    """The judgments without grades below 0."""
    qrels = irpref.judgments(qrels).frame()
    qrels["relevance"] = qrels["relevance"].clip(lower=0)
    return qrels


def test_crp_of_systems_shows_median_and_quartiles():
    table = curves.crp(plain(SYNTHETIC.qrels), THREE, depth=40)
    by_topic = curves.crp(plain(SYNTHETIC.qrels), THREE, depth=40, per_topic=True)
    ax = plots.crp(table, cut=100)
    found = lines(ax)
    assert list(found) == list(THREE)
    for (name, (x, y)), band in zip(found.items(), ax.collections, strict=True):
        rows = table[(table["run"] == name) & (table["exhausted"] < 1)]
        of = by_topic[by_topic["run"] == name].groupby("rank")["share"]
        assert_array_equal(x, rows["rank"])
        assert_allclose(y, of.median().loc[x], atol=1e-15)
        corners = band.get_paths()[0].vertices[:, 1]
        assert corners.min() == rows["share_low"].min()
        assert corners.max() == rows["share_high"].max()
        # The line stays in its band, whatever a few topics do.
        assert ((rows["share_low"] <= y) & (y <= rows["share_high"])).all()
    assert ax.get_title().startswith("CRP: median ")
    assert ax.get_title().endswith(", 30 topics")
    assert f"0 ideal, {MINUS}1 nothing relevant at R" in ax.get_ylabel()


def test_crp_in_ranks_shows_a_run_with_nothing_relevant_and_no_band_for_many_systems():
    table = curves.crp(plain(SYNTHETIC.qrels), SYNTHETIC.runs, depth=40)
    ax = plots.crp(table, normalized=False, cut=100)
    found = lines(ax)
    below = "median with nothing relevant"
    assert list(found) == [*SYNTHETIC.runs, below]
    rows = table[(table["run"] == "broad") & (table["exhausted"] < 1)]
    assert_array_equal(found["broad"][1], rows["crp_median"])
    rows = table[(table["run"] == "broad") & (table["rank"] <= found[below][0].max())]
    assert_array_equal(found[below][1], rows["worst_median"])
    for name in SYNTHETIC.runs:
        assert (found[name][1] >= found[below][1][: found[name][1].size]).all()
    assert len(ax.collections) == 0
    head, best, above = ax.get_ylabel().splitlines()
    assert (head, best, above.partition(":")[0]) == ("CRP in ranks", "0 ideal", "above 0")


def test_the_axis_of_crp_says_what_its_values_mean_and_fits_it():
    # One S and three A, ranked A A S A: -1, -1, +1 (see irpref.measures.crp).
    ax = plots.crp(
        {"q": {"s": 2, "a": 1, "b": 1, "c": 1}}, {"q": {"a": 4.0, "b": 3.0, "s": 2.0, "c": 1.0}}
    )
    assert ax.get_ylabel().endswith("\nabove 0: more too low than too high")
    ax.figure.draw_without_rendering()
    assert ax.yaxis.label.get_window_extent().height < ax.get_window_extent().height
    perfect = plots.crp({"q": {"s": 2, "a": 1}}, {"q": {"s": 2.0, "a": 1.0}})
    assert "above 0" not in perfect.get_ylabel()
    # Ideal r, n1, n2. The run n1 n2 r has CRP -1, -2, 0, a run with nothing relevant -1 at R = 1.
    below = plots.crp(
        {"q": {"r": 1, "n1": -1, "n2": -1}}, {"q": {"n1": 3, "n2": 2, "r": 1}}, cut=100
    )
    assert any(note.startswith("grades below 0") for note in notes(below))


def test_crp_is_cut_at_a_multiple_of_r_and_says_so():
    # R is 1 in each topic: four ranks of twelve are drawn.
    qrels = {t: {"d0": 1, **{f"d{i}": 0 for i in range(1, 12)}} for t in "ab"}
    run = {t: {f"d{i}": float(i) for i in range(12)} for t in "ab"}
    ax = plots.crp(qrels, {"one": run})
    assert lines(ax)["one"][0].tolist() == [1, 2, 3, 4]
    (note,) = notes(ax)
    assert note.startswith("cut at 4 times ")
    assert note.endswith(" R, rank 4")
    for whole in (plots.crp(qrels, {"one": run}, cut=20), plots.crp(qrels, {"one": run}, depth=12)):
        assert lines(whole)["one"][0].tolist() == list(range(1, 13))
        assert "cut" not in " ".join(notes(whole))
    with pytest.raises(ArgumentError) as error:
        plots.crp(qrels, {"one": run}, cut=0)
    assert (error.value.parameter, error.value.value) == ("cut", 0)


@pytest.mark.parametrize("draw", [plots.crp, plots.cumulated_gain])
def test_a_curve_ends_where_its_run_ends(draw):
    qrels = {"q": {"d0": 1, "d1": 0}}
    runs = {
        name: {"q": {f"d{i}": -float(i) for i in range(n)}}
        for name, n in (("short", 3), ("long", 6))
    }
    more = {"cut": 100} if draw is plots.crp else {}
    found = lines(draw(qrels, runs, **more))
    assert found["short"][0].tolist() == [1, 2, 3]
    assert found["long"][0].tolist() == [1, 2, 3, 4, 5, 6]


def test_npref_shows_values_and_limit():
    measure = irpref.RPref(norm="relative", max_rel=1)
    table = curves.npref_convergence(POSTER.qrels, POSTER.runs, measure)
    ax = plots.npref_convergence(table)
    found = lines(ax)
    assert list(found) == ["T1", "T2", "T3"]
    for name, (x, y) in found.items():
        rows = table[table["run"] == name]
        assert_array_equal(x, rows["n"])
        assert_array_equal(y, rows["value"])
    limits = [line.get_ydata()[0] for line in ax.get_lines() if line.get_label().startswith("_")]
    assert_allclose(limits, [0.848101, 0.674729, 0.067511], atol=1e-6)
    assert notes(ax) == ["RPref(norm='relative',max_rel=1)"]
    assert [label.get_text() for label in ax.get_xticklabels()] == [
        "2",
        "4",
        "8",
        "16",
        "32",
        "64",
        "rpref",
    ]


def test_precision_recall_shows_the_book():
    ax = plots.precision_recall(BOOK.qrels, {"book": BOOK.runs["run"]})
    x, y = lines(ax)["book"]
    assert_allclose(x, np.arange(11) / 10)
    assert_allclose(y, [float(v) for v in BOOK.curve("interpolated_precision").values])
    assert "11 levels of recall" in ax.get_title()
    assert ax.get_title().endswith(", 2 topics")
    assert legend(ax) == ["book"]


@pytest.mark.parametrize(("quantity", "name"), [("cg", "CG"), ("dcg", "DCG")])
@pytest.mark.parametrize("ideal", ["judged", "retrieved"])
def test_cumulated_gain_is_below_its_ideal(quantity, name, ideal):
    ax = plots.cumulated_gain(
        BOOK.qrels, {"book": BOOK.runs["run"]}, quantity=quantity, ideal=ideal
    )
    found = lines(ax)
    assert_allclose(found["book"][1], [float(v) for v in BOOK.curve(name).values])
    best = np.mean(
        [
            [
                float(v)
                for v in BOOK.curve(f"I{name}{'/retrieved' * (ideal == 'retrieved')}", q).values
            ]
            for q in BOOK.qrels
        ],
        axis=0,
    )
    assert_allclose(found["ideal"][1], best)
    assert ("of the retrieved" in " ".join(notes(ax))) == (ideal == "retrieved")


def test_ratios_are_drawn_against_one_and_other_curves_against_their_own_ideal():
    ax = plots.cumulated_gain(BOOK.qrels, BOOK.runs["run"], quantity="ndcg", base=3, gains={3: 7})
    assert_array_equal(lines(ax)["ideal"][1], [1, 1])
    assert notes(ax) == ["OriginalNDCG(base=3,gains={3:7})"]
    assert ax.get_ylabel().startswith("NDCG (share ")
    several = plots.cumulated_gain(
        SYNTHETIC.qrels, {"_mine": THREE["noisy"], **THREE}, ideal="retrieved", depth=10
    )
    names = ["_mine", *THREE]
    assert [label.strip() for label in legend(several)] == [
        *names,
        *(f"ideal of {name}" for name in names),
    ]


# ---------------------------------------------------------------------------------- values by topic


def test_histogram_is_sorted_and_tells_wins_from_losses_without_colour():
    table = curves.precision_histogram(SYNTHETIC.qrels, THREE, "baseline")
    ax = plots.precision_histogram(table, run="noisy")
    rows = table[table["run"] == "noisy"].sort_values("difference", ascending=False, kind="stable")
    bars = {round(bar.get_x() + bar.get_width() / 2): bar for bar in ax.patches}
    heights = [bars[i].get_height() if i in bars else 0.0 for i in range(30)]
    assert heights == rows["difference"].tolist()
    assert [text.get_text() for text in ax.get_xticklabels()] == rows["query_id"].tolist()
    for bar in bars.values():
        assert bool(bar.get_hatch()) == (bar.get_height() < 0)
    wins, losses, ties = ((rows["difference"] * sign > 0).sum() for sign in (1, -1, 0))
    ties = 30 - wins - losses
    assert legend(ax) == [f"noisy higher: {wins}", f"baseline higher: {losses}", f"equal: {ties}"]
    assert ax.get_ylabel() == f"R-precision: noisy {MINUS} baseline"


def test_strip_has_every_topic_of_every_system_best_on_top():
    (values,) = topic_values(["QMeasure"], SYNTHETIC.qrels, SYNTHETIC.runs).values()
    ax = plots.topic_strip(values)
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names == [values.systems[i] for i in (-values.means).argsort()]
    assert ax.yaxis_inverted()
    dots = [line for line in ax.get_lines() if line.get_linestyle() == "None"]
    bars = [line for line in ax.get_lines() if line.get_linestyle() != "None"]
    for place, (name, of, bar) in enumerate(zip(names, dots, bars, strict=True)):
        row = values.matrix[values.systems.index(name)]
        assert_array_equal(of.get_xdata(), row)
        assert np.abs(np.asarray(of.get_ydata()) - place).max() < 0.4
        assert_allclose(bar.get_xdata(), row.mean())
        # No two topics at one point.
        assert len(set(zip(of.get_xdata(), of.get_ydata(), strict=True))) == 30
    assert ax.get_title().startswith("QMeasure by topic")
    assert ax.get_title().endswith(", 30 topics")
    long = plots.topic_strip(SYNTHETIC.qrels, SYNTHETIC.runs, "RPref(norm='relative2')")
    assert long.get_title().splitlines() == ["RPref(norm='relative2') by topic,", "30 topics"]
    lower = plots.topic_strip(SYNTHETIC.qrels, SYNTHETIC.runs, "nCRP")
    assert lower.get_yticklabels()[0].get_text() == "strong"
    assert lower.get_xlabel().endswith("(lower is better)")


def test_scatter_shows_means_and_tau():
    # Of the six pairs of systems one is ordered differently: (5 - 1) / 6.
    a = TopicValues(
        "A", ["s", "t", "u", "v"], ["1", "2"], [[0.1, 0.3], [0.3, 0.3], [0.3, 0.5], [0.5, 0.5]]
    )
    b = TopicValues(
        "B", ["v", "u", "t", "s"], ["1", "2"], [[0.9, 0.9], [0.2, 0.2], [0.3, 0.3], [0.1, 0.1]]
    )
    ax = plots.measure_scatter([a, b])
    x, y = (
        np.concatenate(v) for v in zip(*(line.get_data() for line in ax.get_lines()), strict=True)
    )
    assert_allclose(x, [0.2, 0.3, 0.4, 0.5])
    assert_allclose(y, [0.1, 0.3, 0.2, 0.9])
    assert ax.get_title() == "Kendall's \N{GREEK SMALL LETTER TAU} = 0.67"
    assert (notes(ax), legend(ax)) == (["4 systems, 2 topics"], ["s", "t", "u", "v"])
    flat = TopicValues("A", ["s", "t"], ["1"], [[0.5], [0.5]])
    assert plots.measure_scatter([flat, flat]).get_title().endswith("undefined")
    lower = plots.measure_scatter(SYNTHETIC.qrels, SYNTHETIC.runs, ["AP", "nCRP"])
    assert (lower.yaxis_inverted(), lower.xaxis_inverted()) == (True, False)
    assert lower.get_ylabel().startswith("mean nCRP (lower ")


def test_scatter_highlights_the_systems_on_which_the_measures_differ():
    # The first measure has the last system first, the second has it last.
    a = TopicValues(
        "A",
        [f"system-{i}" for i in range(30)],
        ["1"],
        [[0.5 + i / 1e4] for i in range(29)] + [[0.9]],
    )
    b = TopicValues("B", a.systems, ["1"], [[0.5 + i / 1e4] for i in range(29)] + [[0.1]])
    assert "system-29" in legend(plots.measure_scatter([a, b]))
    ax = plots.measure_scatter([a, b], highlight="system-3")
    assert legend(ax) == ["system-3", "29 other runs"]
    assert [line.get_xdata()[0] for line in ax.lines if line.get_color() != drawing.PALE] == [
        0.5003
    ]


def test_one_topic_is_one_topic():
    one = {"q": {"a": 1, "b": 0}}
    runs = {name: {"q": {"a": score, "b": 1.0}} for name, score in (("x", 2.0), ("y", 0.5))}
    assert plots.crp(one, runs).get_title() == "CRP, 1 topic"
    histogram = plots.precision_histogram(one, runs, "y")
    assert histogram.get_title().endswith(", 1 topic")
    assert "2 systems, 1 topic" in notes(plots.measure_scatter(one, runs, ["AP", "RR"]))
    # There is no spread over one topic, and no mean beside it.
    assert not plots.crp(one, runs).collections
    assert legend(plots.topic_strip(one, runs, "AP")) == ["topic"]


# -------------------------------------------------------------------------------- PyTerrier's forms


def experiment(values):
    """The table of `pt.Experiment(perquery=True)`."""
    import pandas as pd

    grids = [
        pd.DataFrame(of.matrix, of.systems, of.topics).stack().rename("value") for of in values
    ]
    rows = pd.concat(grids, keys=[of.measure for of in values], names=["measure", "name", "qid"])
    return rows.reset_index()


def test_histogram_of_an_experiment():
    values = topic_values(["AP", "RR"], SYNTHETIC.qrels, THREE)
    ax = plots.precision_histogram(
        experiment(values.values()), baseline="baseline", run="noisy", measure="AP"
    )
    expected = plots.precision_histogram(
        curves.paired_differences(SYNTHETIC.qrels, THREE, "baseline", "AP", per_topic=True),
        run="noisy",
    )
    assert [bar.get_height() for bar in ax.patches] == [
        bar.get_height() for bar in expected.patches
    ]
    assert (ax.get_title(), ax.get_ylabel()) == (expected.get_title(), expected.get_ylabel())
    with pytest.raises(ArgumentError, match=r"\(AP, RR\)") as error:
        plots.precision_histogram(experiment(values.values()), baseline="baseline")
    assert error.value.parameter == "measure"
    assert str(error.value).endswith("measure='AP'")
    with pytest.raises(ValueError, match="give the baseline"):
        plots.precision_histogram(experiment(values.values()), measure="AP")
    with pytest.raises(ArgumentError) as error:
        plots.precision_histogram(values["AP"], baseline="best")
    assert (error.value.parameter, error.value.value) == ("baseline", "best")


# ----------------------------------------------------------------------------------- names, colours


def test_long_names_lose_what_all_share_and_the_picture_says_so():
    runs = {
        f"input.trec-covid-submission-{name}-reranked-final": run for name, run in THREE.items()
    }
    ax = plots.precision_recall(SYNTHETIC.qrels, runs)
    assert legend(ax) == list(THREE)
    note = ax.get_legend().get_title().get_text()
    quoted = r"\N{LEFT DOUBLE QUOTATION MARK}(.*?)\N{RIGHT DOUBLE QUOTATION MARK}"
    assert re.findall(quoted, "".join(note.split())) == [
        "input.trec-co\N{HORIZONTAL ELLIPSIS}-submission-",
        "-reranked-final",
    ]
    strip = plots.topic_strip(SYNTHETIC.qrels, runs, "AP")
    assert {label.get_text() for label in strip.get_yticklabels()} == set(THREE)
    assert "names without" in " ".join(notes(strip))


def test_names_that_share_nothing_are_shortened_in_the_middle_and_stay_different():
    assert drawing.short_names(["a", "b" * 24]) == ({"a": "a", "b" * 24: "b" * 24}, "")
    names = ["first" + "x" * 40 + "1", "second" + "y" * 40 + "2"]
    shown, note = drawing.short_names(names)
    assert note == ""
    for name, short in shown.items():
        assert len(short) == 24
        assert name.startswith(short.split("\N{HORIZONTAL ELLIPSIS}")[0])
        assert name.endswith(short.split("\N{HORIZONTAL ELLIPSIS}")[1])
    alike = ["A" * 30 + str(i) + "b" * 30 for i in range(9)]
    assert len(set(drawing.short_names(alike).shown.values())) == 9
    for names in (["-" * 30, "-" * 31], ["a-" * 15, "a-" * 16], ["run-" * 10, "x"], ["y" * 50]):
        shown = drawing.short_names(names).shown
        assert all(text.strip() for text in shown.values())
        assert len(set(shown.values())) == len(names)


def test_a_system_has_one_colour_in_all_pictures_whatever_the_order():
    def colours(ax):
        return {
            line.get_label(): line.get_color()
            for line in ax.get_lines()
            if line.get_label() in THREE
        }

    first = colours(plots.precision_recall(SYNTHETIC.qrels, THREE))
    turned = dict(reversed(THREE.items()))
    assert colours(plots.cumulated_gain(SYNTHETIC.qrels, turned)) == first
    assert colours(plots.crp(SYNTHETIC.qrels, {"noisy": THREE["noisy"]})) == {
        "noisy": first["noisy"]
    }
    strip = plots.topic_strip(SYNTHETIC.qrels, turned, "AP")
    names = [label.get_text() for label in strip.get_yticklabels()]
    dots = [line.get_color() for line in strip.get_lines() if line.get_linestyle() == "None"]
    assert dict(zip(names, dots, strict=True)) == first
    bars = plots.precision_histogram(SYNTHETIC.qrels, THREE, "baseline", run="noisy").patches
    assert {matplotlib.colors.to_hex(bar.get_edgecolor()) for bar in bars} == {
        first["noisy"],
        first["baseline"],
    }


@pytest.mark.parametrize("n", [3, 40])
@pytest.mark.parametrize("name", ["D_BERT_KD_TASB.{}.2023-09-1", "W" * 14 + "{}", "i{}"])
def test_legends_cover_no_data_and_stay_in_the_figure(n, name):
    runs = {name.format(i): THREE["noisy"] for i in range(n)}
    ax = plots.precision_recall(SYNTHETIC.qrels, runs)
    figure = ax.figure
    figure.draw_without_rendering()
    box, axes_box = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert box.y1 <= axes_box.y0
    assert box.x0 >= 0
    assert box.y0 >= 0
    assert box.x1 <= figure.bbox.x1
    assert axes_box.height > 100


# ------------------------------------------------------------------------------------------- common

DRAW = {
    "crp_sketch": lambda **more: plots.crp_sketch(
        RECOVERY.qrels, RECOVERY.runs["run"], query_id="plateau", **more
    ),
    "crp": lambda **more: plots.crp(SYNTHETIC.qrels, THREE, depth=20, **more),
    "npref_convergence": lambda **more: plots.npref_convergence(
        SYNTHETIC.qrels, THREE, measure=irpref.RPref(max_rel=3), **more
    ),
    "precision_recall": lambda **more: plots.precision_recall(SYNTHETIC.qrels, THREE, **more),
    "cumulated_gain": lambda **more: plots.cumulated_gain(SYNTHETIC.qrels, THREE, depth=20, **more),
    "precision_histogram": lambda **more: plots.precision_histogram(
        SYNTHETIC.qrels, THREE, "baseline", run="noisy", **more
    ),
    "topic_strip": lambda **more: plots.topic_strip(SYNTHETIC.qrels, THREE, "AP", **more),
    "measure_scatter": lambda **more: plots.measure_scatter(
        SYNTHETIC.qrels, THREE, ["AP", "RR"], **more
    ),
}


@pytest.mark.parametrize("name", DRAW)
def test_every_picture_draws_on_the_axes_given_and_returns_them(name, tmp_path):
    figure, (_, ax) = pyplot.subplots(1, 2)
    assert DRAW[name](ax=ax) is ax
    assert pyplot.get_fignums() == [figure.number]
    assert ax.get_title()
    figure.savefig(tmp_path / "figure.pdf")


@pytest.mark.parametrize("name", DRAW)
def test_without_matplotlib_one_sentence_says_what_to_install(name, monkeypatch):
    for module in [m for m in sys.modules if m.partition(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r"^pictures need matplotlib: pip install matplotlib$"):
        DRAW[name]()


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (
            lambda: plots.crp(BOOK.qrels),
            "expected the table of irpref.curves.crp or qrels and runs",
        ),
        (
            lambda: plots.crp_sketch(curves.crp(BOOK.qrels, BOOK.runs)),
            "column 'query_id' is missing",
        ),
        (lambda: plots.crp(curves.crp({"q": {"a": 0}}, {})), "is empty: there is nothing to draw"),
        (
            lambda: plots.cumulated_gain(BOOK.qrels, BOOK.runs, quantity="gain"),
            "quantity='gain' is not known",
        ),
        (lambda: plots.topic_strip(BOOK.qrels, BOOK.runs), "say which measure"),
        (lambda: plots.topic_strip([3]), "expected irpref_lab.meta.TopicValues"),
        (
            lambda: plots.measure_scatter(BOOK.qrels, BOOK.runs, ["AP"]),
            "the picture is of 2 measures, got 1 measure",
        ),
    ],
)
def test_what_cannot_be_drawn_is_an_error(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()


# ------------------------------------------------------------------------------------------ gallery


@pytest.mark.slow
def test_the_gallery_is_what_its_script_makes(tmp_path):
    docs = Path(__file__).resolve().parents[2] / "docs"
    gallery = script(docs / "make_gallery.py")
    gallery.main(tmp_path)
    written = (tmp_path / "gallery.md").read_text(encoding="utf-8")
    assert written == (docs / "gallery.md").read_text(encoding="utf-8"), "run docs/make_gallery.py"
    names = [picture.name for picture in gallery.PICTURES]
    for folder in (tmp_path, docs):
        assert sorted(path.stem for path in (folder / "gallery").iterdir()) == sorted(names)
    for name in names:
        assert f"](gallery/{name}.png)" in written
        assert (tmp_path / "gallery" / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_drawing_leaves_a_notebook_interactive(tmp_path):
    """Its backend switches that on when it is loaded, which is when the first picture is drawn."""
    (tmp_path / "notebooks_backend.py").write_text(
        "import matplotlib\n"
        "from matplotlib.backends.backend_agg import FigureCanvasAgg as FigureCanvas\n"
        "matplotlib.interactive(True)\n"
    )
    code = "from irpref_lab.plots import drawing; drawing.axes(); from matplotlib import pyplot; print(pyplot.isinteractive())"
    environment = {**os.environ, "MPLBACKEND": "module://notebooks_backend"}
    environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), environment.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.strip() == "True", done.stdout + done.stderr


# ---------------------------------------------------------------------------------------- many runs


def _many(n):
    """Runs of the synthetic collection, and worse and worse copies of them."""
    rng = np.random.default_rng(0)
    return {
        f"run{i:02}": {
            q: {d: s + 0.2 * i * float(rng.normal()) for d, s in docs.items()}
            for q, docs in SYNTHETIC.runs["strong"].items()
        }
        for i in range(n)
    }


@pytest.mark.filterwarnings("ignore::irpref.ScaleWarning")
@pytest.mark.parametrize(
    "draw", [plots.crp, plots.precision_recall, plots.npref_convergence, plots.cumulated_gain]
)
def test_of_many_runs_the_best_few_are_in_colour_and_the_others_grey(draw):
    ax = draw(SYNTHETIC.qrels, _many(12))
    words = [entry.get_text() for entry in ax.get_legend().get_texts()]
    assert sum("other run" in word for word in words) == 1
    assert "7 other runs" in words
    assert len(words) <= 7  # five runs, the others, the ideal
    assert sum(line.get_color() == drawing.PALE for line in ax.lines) == 7
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().height <= ax.get_window_extent().height
    few = draw(SYNTHETIC.qrels, _many(8))
    assert sum(line.get_color() == drawing.PALE for line in few.lines) == 0


def test_a_run_is_not_among_the_best_because_it_is_short():
    runs = _many(12)
    runs["short"] = {
        q: dict(sorted(docs.items(), key=lambda d: -d[1])[:2]) for q, docs in runs["run11"].items()
    }
    for draw in (plots.crp, plots.cumulated_gain):
        assert "short" not in legend(draw(SYNTHETIC.qrels, runs))


def test_npref_says_that_it_is_constant_on_binary_judgments():
    qrels = {"q": {"a": 1, "b": 0, "c": 1, "d": 0}}
    ax = plots.npref_convergence(
        qrels, {"q": {"b": 4.0, "a": 3.0, "d": 2.0, "c": 1.0}}, measure="RPref(max_rel=1)"
    )
    assert any("same for every" in note for note in notes(ax))
    graded = plots.npref_convergence(SYNTHETIC.qrels, THREE, measure="RPref(max_rel=3)")
    assert not any("same for every" in note for note in notes(graded))


def test_a_board_over_collections_says_so_and_which_runs_are_left_out():
    topics = sorted(SYNTHETIC.qrels)
    given = {
        name: ({t: SYNTHETIC.qrels[t] for t in some}, {run: SYNTHETIC.runs[run] for run in runs})
        for name, some, runs in (
            ("x", topics[:15], ("baseline", "strong", "broad")),
            ("y", topics[15:], ("baseline", "strong")),
        )
    }
    board = irpref_lab.leaderboard("AP", irpref_lab.collections(given))
    ax = plots.leaderboard(board)
    assert [label.get_text() for label in ax.get_yticklabels()] == board["run"].tolist()
    assert notes(ax)[2] == "left out"
    assert "2 collections" in ax.get_xlabel()


def test_the_leaderboard_has_an_interval_and_a_range_of_places_for_each_run():
    board = irpref_lab.leaderboard(["AP", "EMeasure"], SYNTHETIC.qrels, SYNTHETIC.runs)
    ax = plots.leaderboard(board, "EMeasure")
    of = board[board["measure"] == "EMeasure"]
    assert [label.get_text() for label in ax.get_yticklabels()] == of["run"].tolist()
    ends = [tuple(line.get_xdata()) for line in ax.lines if len(line.get_xdata()) == 2]
    assert ends == list(zip(of["low"], of["high"], strict=True))
    assert [line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 1] == of[
        "mean"
    ].tolist()
    ends = zip(of["place_low"], of["place_high"], strict=True)
    places = [str(low) if low == high else f"{low}\N{EN DASH}{high}" for low, high in ends]
    assert notes(ax)[: len(of)] == places
    many = irpref_lab.leaderboard(["AP"], SYNTHETIC.qrels, _many(12), pairs="none")
    for highlight, grey in ((None, 7), (["run03"], 11)):
        drawn = plots.leaderboard(many, highlight=highlight).lines
        assert sum(line.get_color() == drawing.PALE for line in drawn) == 2 * grey
    with pytest.raises(ArgumentError) as error:
        plots.leaderboard(board, "RR")
    assert (error.value.parameter, error.value.value) == ("measure", "RR")
