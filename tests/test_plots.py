"""Pictures: what stands on the artists, and what the texts say. How they look is for eyes: docs/gallery.md."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import irpref
from irpref import curves, plots
from irpref.datasets import load
from irpref.meta import TopicValues, topic_values

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  (the backend comes first)

BOOK = load("mir-textbook")
POSTER = load("rpref-figure-1")
RECOVERY = load("crp-recovery")
SYNTHETIC = load("synthetic")
THREE = {name: SYNTHETIC.runs[name] for name in ("strong", "baseline", "noisy")}
MINUS = "\N{MINUS SIGN}"


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


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


# ------------------------------------------------------------------------------------------------------ CRP sketch


def test_sketch_has_the_curves_of_the_paper():
    ax = plots.crp_sketch(RECOVERY.qrels, RECOVERY.runs["run"], query_id="plateau")
    found = lines(ax)
    expected = [float(v) for v in RECOVERY.curve("CRP", "plateau").values]
    assert_array_equal(found["run"][0], np.arange(15))
    assert_array_equal(found["run"][1], [0, *expected])
    assert_array_equal(found["worst case"][1], [0, -5, -9, -12, -14, *[-15] * 10])  # R = 5
    assert_array_equal(found["ideal"][1], [0, 0])
    assert legend(ax) == ["ideal", "worst case", "run"]


def test_sketch_marks_the_points():
    ax = plots.crp_sketch(RECOVERY.qrels, RECOVERY.runs["run"], query_id="plateau")
    # The curve is lowest at R, with -10; the balance point of the example is 12.
    assert notes(ax)[:2] == ["min = $R$ = 5", "$b$ = 12"]
    assert notes(ax)[2:] == [f"CRP($r$, $R$) = {MINUS}10", f"CRP($w$, $R$) = {MINUS}15"]
    vertical = [line.get_xdata()[0] for line in ax.get_lines() if len(set(line.get_xdata())) == 1]
    assert vertical[:2] == [5, 12]
    points = {(line.get_xdata()[0], line.get_ydata()[0]) for line in ax.get_lines() if line.get_marker() == "o"}
    assert points == {(5, -10), (5, -15)}


def test_sketch_without_a_balance_point_has_no_mark_for_it():
    properties = load("crp-properties")
    ax = plots.crp_sketch(properties.qrels, properties.runs["run"], query_id="never-balanced")
    assert not any("$b$" in note for note in notes(ax))


def test_sketch_names_run_topic_and_unit():
    ax = plots.crp_sketch(SYNTHETIC.qrels, THREE, run="noisy", query_id="7", judged_only=True)
    assert ax.get_title() == "CRP of noisy, topic 7"
    assert ax.get_ylabel() == "CRP, judged documents only (ranks)"
    assert ax.get_xlabel() == "rank"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"run": "noisy"}, "the table holds 30 topics (1, 2, 3, 4, 5, 6, ...): name one with query_id="),
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


# ---------------------------------------------------------------------------------------------------------- curves


def test_crp_of_systems_shows_mean_and_quartiles():
    table = curves.crp(SYNTHETIC.qrels, THREE, depth=40)
    ax = plots.crp(table)
    found = lines(ax)
    assert list(found) == list(THREE)
    bands = ax.collections
    for (name, (x, y)), band in zip(found.items(), bands, strict=True):
        rows = table[table["run"] == name]
        assert_array_equal(x, rows["rank"])
        assert_array_equal(y, rows["share"])
        corners = band.get_paths()[0].vertices[:, 1]
        assert corners.min() == rows["share_low"].min()
        assert corners.max() == rows["share_high"].max()
    assert ax.get_title() == "CRP: mean and quartiles, 30 topics"
    assert f"0 ideal, {MINUS}1 worst case at R" in ax.get_ylabel()


def test_crp_in_ranks_shows_the_worst_case_and_no_band_for_many_systems():
    table = curves.crp(SYNTHETIC.qrels, SYNTHETIC.runs, depth=40)
    ax = plots.crp(table, normalized=False)
    found = lines(ax)
    assert list(found) == [*SYNTHETIC.runs, "worst case"]
    rows = table[table["run"] == "broad"]
    assert_array_equal(found["broad"][1], rows["crp"])
    assert_array_equal(found["worst case"][1], rows["worst"])
    assert len(ax.collections) == 0
    assert ax.get_ylabel() == "CRP (ranks)"


def test_npref_shows_values_limit_and_pairs():
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
    assert [note for note in notes(ax) if note.isdigit()][6:12] == ["4", "8", "9", "9", "9", "9"]
    assert "norm=relative, max_rel=1; numbers: misplaced pairs" in notes(ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["2", "4", "8", "16", "32", "64", "rpref"]


def test_precision_recall_shows_the_book():
    ax = plots.precision_recall(BOOK.qrels, {"book": BOOK.runs["run"]})
    x, y = lines(ax)["book"]
    assert_allclose(x, np.arange(11) / 10)
    assert_allclose(y, [float(v) for v in BOOK.curve("interpolated_precision").values])
    assert ax.get_title() == "Precision at 11 levels of recall, 2 topics"
    assert legend(ax) == ["book"]


def test_a_run_without_a_name_needs_no_legend():
    assert plots.precision_recall(BOOK.qrels, BOOK.runs["run"]).get_legend() is None


@pytest.mark.parametrize(("quantity", "name"), [("cg", "CG"), ("dcg", "DCG")])
@pytest.mark.parametrize("ideal", ["judged", "retrieved"])
def test_cumulated_gain_stands_below_its_ideal(quantity, name, ideal):
    ax = plots.cumulated_gain(BOOK.qrels, {"book": BOOK.runs["run"]}, quantity=quantity, ideal=ideal)
    found = lines(ax)
    assert_allclose(found["book"][1], [float(v) for v in BOOK.curve(name).values])
    best = np.mean(
        [
            [float(v) for v in BOOK.curve(f"I{name}{'/retrieved' * (ideal == 'retrieved')}", q).values]
            for q in BOOK.qrels
        ],
        axis=0,
    )
    assert_allclose(found["ideal"][1], best)
    assert ("ideal of the retrieved documents" in " ".join(notes(ax))) == (ideal == "retrieved")


def test_ratios_are_drawn_against_one():
    ax = plots.cumulated_gain(BOOK.qrels, {"book": BOOK.runs["run"]}, quantity="ndcg", base=3, gains={3: 7})
    assert_array_equal(lines(ax)["ideal"][1], [1, 1])
    assert "base=3, gains={3:7}" in notes(ax)
    assert ax.get_ylabel() == "NDCG (share of the ideal)"


def test_each_run_has_its_own_ideal_of_retrieved_documents():
    ax = plots.cumulated_gain(SYNTHETIC.qrels, THREE, ideal="retrieved", depth=10)
    assert [label for label in lines(ax) if label.startswith("ideal")] == [f"ideal of {name}" for name in THREE]


# ------------------------------------------------------------------------------------------------- values by topic


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


def test_histogram_of_another_measure():
    table = curves.paired_differences(SYNTHETIC.qrels, THREE, "baseline", "nCRP", per_topic=True)
    ax = plots.precision_histogram(table, run="noisy")
    assert ax.get_ylabel() == f"nCRP: noisy {MINUS} baseline"


def test_strip_has_every_topic_of_every_system_best_on_top():
    (values,) = topic_values(["QMeasure"], SYNTHETIC.qrels, SYNTHETIC.runs).values()
    ax = plots.topic_strip(values)
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names == [values.systems[i] for i in values.means.argsort()]
    dots = [line for line in ax.get_lines() if line.get_linestyle() == "None"]
    bars = [line for line in ax.get_lines() if line.get_linestyle() != "None"]
    for place, (name, of, bar) in enumerate(zip(names, dots, bars, strict=True)):
        row = values.matrix[values.systems.index(name)]
        assert_array_equal(of.get_xdata(), row)
        assert np.abs(np.asarray(of.get_ydata()) - place).max() < 0.4
        assert_allclose(bar.get_xdata(), row.mean())
        # No two topics at one point.
        assert len(set(zip(of.get_xdata(), of.get_ydata(), strict=True))) == 30
    assert ax.get_title() == "QMeasure by topic, 30 topics"


def test_strip_puts_the_lowest_on_top_where_lower_is_better():
    ax = plots.topic_strip(SYNTHETIC.qrels, SYNTHETIC.runs, "nCRP")
    assert ax.get_yticklabels()[-1].get_text() == "strong"
    assert ax.get_xlabel() == "nCRP (lower is better)"


def test_scatter_shows_means_and_tau():
    # Of the six pairs of systems one is ordered differently: (5 - 1) / 6.
    a = TopicValues("A", ["s", "t", "u", "v"], ["1", "2"], [[0.1, 0.3], [0.3, 0.3], [0.3, 0.5], [0.5, 0.5]])
    b = TopicValues("B", ["v", "u", "t", "s"], ["1", "2"], [[0.9, 0.9], [0.2, 0.2], [0.3, 0.3], [0.1, 0.1]])
    ax = plots.measure_scatter([a, b])
    x, y = (np.asarray(v) for v in ax.get_lines()[0].get_data())
    assert_allclose(x, [0.2, 0.3, 0.4, 0.5])
    assert_allclose(y, [0.1, 0.3, 0.2, 0.9])
    assert ax.get_title() == "Kendall's \N{GREEK SMALL LETTER TAU} = 0.67"
    assert notes(ax) == ["4 systems, 2 topics", "s", "t", "u", "v"]


def test_scatter_turns_the_axis_where_lower_is_better():
    ax = plots.measure_scatter(SYNTHETIC.qrels, SYNTHETIC.runs, ["AP", "nCRP"])
    assert ax.yaxis_inverted()
    assert not ax.xaxis_inverted()
    assert ax.get_ylabel() == "mean nCRP (lower is better)"


def test_scatter_of_equal_means_has_no_tau():
    flat = TopicValues("A", ["s", "t"], ["1"], [[0.5], [0.5]])
    assert plots.measure_scatter([flat, flat]).get_title().endswith("undefined")


# ---------------------------------------------------------------------------------------------------------- common

DRAW = {
    "crp_sketch": lambda **more: plots.crp_sketch(RECOVERY.qrels, RECOVERY.runs["run"], query_id="plateau", **more),
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
    "measure_scatter": lambda **more: plots.measure_scatter(SYNTHETIC.qrels, THREE, ["AP", "RR"], **more),
}


@pytest.mark.parametrize("name", DRAW)
def test_every_picture_draws_on_the_axes_given_and_returns_them(name, tmp_path):
    figure, (_, ax) = pyplot.subplots(1, 2)
    assert DRAW[name](ax=ax) is ax
    assert pyplot.get_fignums() == [figure.number]
    assert ax.get_title()
    figure.savefig(tmp_path / "figure.pdf")


@pytest.mark.parametrize("name", DRAW)
def test_every_picture_makes_a_figure_of_its_own(name, tmp_path):
    ax = DRAW[name]()
    for ending in ("png", "svg"):
        ax.figure.savefig(tmp_path / f"figure.{ending}")
        assert (tmp_path / f"figure.{ending}").stat().st_size > 1000


@pytest.mark.parametrize("name", DRAW)
def test_without_matplotlib_one_sentence_says_what_to_install(name, monkeypatch):
    for module in [m for m in sys.modules if m.partition(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r"^pictures need matplotlib: pip install matplotlib$"):
        DRAW[name]()


def test_styles_reach_the_lines():
    ax = plots.precision_recall(SYNTHETIC.qrels, THREE, styles={"noisy": {"color": "black", "label": "ours"}})
    (ours,) = (line for line in ax.get_lines() if line.get_label() == "ours")
    assert ours.get_color() == "black"


def test_runs_differ_by_more_than_colour():
    ax = plots.precision_recall(SYNTHETIC.qrels, SYNTHETIC.runs)
    looks = {(line.get_linestyle(), line.get_marker()) for line in ax.get_lines()}
    assert len(looks) == len(SYNTHETIC.runs)


def test_names_with_an_underscore_are_in_the_legend():
    ax = plots.precision_recall(SYNTHETIC.qrels, {"_mine": THREE["noisy"], "yours": THREE["strong"]})
    assert [text.strip() for text in legend(ax)] == ["_mine", "yours"]


def test_many_runs_have_their_legend_below_a_taller_figure():
    runs = {f"run {i}": THREE["noisy"] for i in range(9)}
    few = plots.precision_recall(SYNTHETIC.qrels, THREE).figure.get_size_inches()[1]
    assert plots.precision_recall(SYNTHETIC.qrels, runs).figure.get_size_inches()[1] > few


def test_long_measures_are_broken_into_lines():
    measure = "RPref(norm='relative',unretrieved='infinity',top='drop',max_rel=3)@10"
    strip = plots.topic_strip(SYNTHETIC.qrels, THREE, measure)
    assert max(map(len, strip.get_xlabel().split("\n"))) < 40
    ax = plots.npref_convergence(SYNTHETIC.qrels, THREE, measure=measure)
    assert "norm=relative, unretrieved=infinity, top=drop, max_rel=3, cutoff=10" in " ".join(notes(ax)).replace(
        "\n", " "
    )


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plots.crp(BOOK.qrels), "expected the table of irpref.curves.crp or qrels and runs"),
        (lambda: plots.crp_sketch(curves.crp(BOOK.qrels, BOOK.runs)), "column 'query_id' is missing"),
        (lambda: plots.crp(curves.crp({"q": {"a": 0}}, {})), "is empty: there is nothing to draw"),
        (lambda: plots.cumulated_gain(BOOK.qrels, BOOK.runs, quantity="gain"), "quantity='gain' is not accepted"),
        (lambda: plots.topic_strip(BOOK.qrels, BOOK.runs), "say which measure"),
        (lambda: plots.topic_strip([3]), "expected irpref.meta.TopicValues"),
        (lambda: plots.measure_scatter(BOOK.qrels, BOOK.runs, ["AP"]), "draws two measures, got 1"),
    ],
)
def test_what_cannot_be_drawn_is_an_error(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()


# --------------------------------------------------------------------------------------------------------- gallery


def test_the_gallery_is_what_its_script_makes(tmp_path):
    docs = Path(__file__).resolve().parents[1] / "docs"
    spec = importlib.util.spec_from_file_location("make_gallery", docs / "make_gallery.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.main(tmp_path)
    written = (tmp_path / "gallery.md").read_text(encoding="utf-8")
    assert written == (docs / "gallery.md").read_text(encoding="utf-8"), "run docs/make_gallery.py"
    names = [picture.name for picture in script.PICTURES]
    for folder in (tmp_path, docs):
        assert sorted(path.stem for path in (folder / "gallery").iterdir()) == sorted(names)
    for name in names:
        assert f"](gallery/{name}.png)" in written
        assert (tmp_path / "gallery" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
