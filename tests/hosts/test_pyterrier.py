"""Our measures in PyTerrier's experiments: the same values in every plan, and what PyTerrier itself
gets wrong.

No Java and no network.
"""

import html
import importlib
import inspect
import re
import textwrap
from pathlib import Path
from types import SimpleNamespace

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, nDCG

import irpref
import irpref_lab
from irpref import (
    CRP,
    Coverage,
    EMeasure,
    Novelty,
    NPref,
    PPlus,
    QMeasure,
    RelativeRecall,
    RPref,
    nCRP,
)
from irpref.datasets import load
from irpref.errors import ArgumentError, MeasureError, NoCommonTopicError
from irpref.hosts.pyterrier.systems import runs_of
from irpref_lab.decide.significance import randomisation_test
from refused import refuses, warns_of

pt = pytest.importorskip("pyterrier")

from ir_datasets.formats import TrecQrel

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "src" / "irpref" / "pt_docs" / "index.rst"

MEASURES = [
    AP,
    nDCG @ 10,
    RPref(max_rel=3),
    RPref(norm="relative", unretrieved="infinity", max_rel=3) @ 20,
    NPref(n=4, max_rel=3),
    QMeasure(gains={2: 3, 3: 7}) @ 10,
    PPlus(judged_only=True),
    CRP,
    EMeasure(beta=2),
    Coverage @ 20,  # the column `known`
    Novelty,
    RelativeRecall(expected="expected"),
]

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


@pytest.fixture(scope="module")
def values():
    """The values by system, topic and measure, as ir_measures alone computes them."""
    example = load("synthetic")
    return {
        (name, metric.query_id, str(metric.measure)): metric.value
        for name in ("baseline", "strong", "noisy")
        for metric in ir_measures.iter_calc(
            MEASURES, example.qrels_frame(), example.run_frame(name)
        )
    }


def perquery(systems, topics, qrels, **plan):
    frame = pt.Experiment(systems, topics, qrels, MEASURES, perquery=True, **plan)
    return {
        (n, q, m): v
        for n, q, m, v in frame[["name", "qid", "measure", "value"]].itertuples(index=False)
    }


# -------------------------------------------------------------------------------------------- plans


@pytest.mark.parametrize(
    "plan", [{}, {"batch_size": 7}, {"plan": "tree"}], ids=["linear", "batches", "tree"]
)
def test_every_plan_gives_the_values_of_ir_measures(systems, topics, qrels, values, plan, capsys):
    found = perquery(systems, topics, qrels, **plan)
    assert len(found) == 3 * 30 * len(MEASURES)
    assert found == values  # to the last bit


def test_a_scale_taken_from_a_batch_warns_and_binding_it_helps(dataset, topics):
    # Grades to 3, but only two topics have a document of grade 3.
    qrels = dataset.get_qrels()
    few = set(qrels[qrels.label == 3].qid.unique()[:2])
    qrels = qrels.assign(
        label=np.where(qrels.qid.isin(few), qrels.label, qrels.label.clip(upper=2))
    )
    system = [pt.Transformer.from_df(dataset.get_results("noisy"))]

    def of_batch(measure):
        frame = pt.Experiment(system, topics, qrels, [measure], perquery=True, batch_size=2)
        return dict(zip(frame.qid, frame.value, strict=True))

    (bound,) = irpref.bind([RPref], dataset.get_qrels().rename(columns=NAMES))
    assert bound == RPref(max_rel=3)
    with pytest.warns(irpref.ScaleWarning):
        inferred = of_batch(RPref)
    assert inferred != of_batch(bound)
    assert of_batch(bound) == RPref(max_rel=3).evaluate(
        qrels.rename(columns=NAMES), load("synthetic").runs["noisy"]
    )


NAMES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}


@pytest.mark.filterwarnings("ignore:There are shared pipeline components:UserWarning")
def test_stages_stand_in_experiments(systems, topics, qrels):
    source = systems["noisy"]
    measures = [AP, RPref(max_rel=3), QMeasure, QMeasure(judged_only=True)]
    pipelines = {
        "as it is": source,
        "condensed": source >> pt.irpref.Condense(qrels),
        "explained": source >> pt.irpref.Explain(qrels, RPref(max_rel=3)),
        "judged": source >> pt.irpref.Judge(qrels),
        "best order": source >> pt.irpref.Oracle(qrels),
        "ideal": pt.irpref.Oracle(qrels),
    }
    frames = [
        pt.Experiment(pipelines, topics, qrels, measures, plan=plan).set_index("name")
        for plan in ("linear", "tree")
    ]
    pd.testing.assert_frame_equal(*[frame.loc[list(pipelines)] for frame in frames])
    frame = frames[0]
    for name in ("explained", "judged"):
        assert frame.loc[name].tolist() == frame.loc["as it is"].tolist()
    assert frame.loc["condensed", "QMeasure"] == frame.loc["as it is", "QMeasure(judged_only=True)"]
    assert frame.loc["condensed", "RPref(max_rel=3)"] == frame.loc["as it is", "RPref(max_rel=3)"]
    assert (frame.loc["as it is"] < frame.loc["best order"]).all()
    assert (frame.loc["best order"] < frame.loc["ideal"]).all()


def test_a_pipeline_is_drawn_with_its_columns(systems, qrels):
    pipeline = (
        systems["noisy"] >> pt.irpref.Condense(qrels) >> pt.irpref.Explain(qrels, RPref(max_rel=3))
    )
    html = pipeline._repr_html_()
    for word in ("Condense", "Explain", "RPref(max_rel=3)", "30 topics", "contribution", "penalty"):
        assert word in html
    assert repr(pipeline).endswith("Condense(qrels) >> Explain(qrels, RPref(max_rel=3)))")


# -------------------------------------------------------------------------------------- comparisons


def test_baseline_with_tests_and_corrections(systems, topics, qrels, values):
    measure = RPref(max_rel=3)
    frame = pt.Experiment(
        systems,
        topics,
        qrels,
        [measure],
        baseline="baseline",
        test=randomisation_test,
        correction="holm",
    ).set_index("name")
    of = {n: np.array([values[n, q, str(measure)] for q in topics.qid]) for n in systems}
    for name in ("strong", "noisy"):
        row = frame.loc[name]
        assert row[f"{measure} +"] == (of[name] > of["baseline"]).sum()
        assert row[f"{measure} -"] == (of[name] < of["baseline"]).sum()
        assert row[f"{measure} p-value"] == randomisation_test(of[name], of["baseline"])[1]
        assert row[f"{measure} p-value corrected"] >= row[f"{measure} p-value"]
    assert np.isnan(frame.loc["baseline", f"{measure} p-value"])


def test_leaderboard_and_compare_are_called_as_experiments_are(systems, topics, qrels):
    pipelines, measures = list(systems.values()), [RPref(max_rel=3), AP]
    board = pt.irpref.leaderboard(pipelines, topics, qrels, measures, names=list(systems))
    frames = {name: system(topics) for name, system in systems.items()}
    assert board.equals(irpref_lab.leaderboard(measures, qrels, frames))
    assert board.equals(
        pt.irpref.leaderboard(list(frames.values()), None, qrels, measures, list(systems))
    )
    found = pt.irpref.compare(
        pipelines[:2], topics, qrels, measures, names=["one", "two"], level=0.9
    )
    expected = irpref_lab.compare(measures, qrels, *list(frames.values())[:2], level=0.9)
    pd.testing.assert_frame_equal(pd.DataFrame(found), pd.DataFrame(expected))
    assert "two (" in found.text
    found = pt.irpref.gate(pipelines[:2], topics, qrels, measures, names=["one", "two"])
    expected = irpref_lab.gate(measures, qrels, *list(frames.values())[:2])
    pd.testing.assert_frame_equal(pd.DataFrame(found), pd.DataFrame(expected))
    found = pt.irpref.against(pipelines, topics, qrels, measures, list(systems))
    expected = irpref_lab.against(measures, qrels, next(iter(frames)), frames)
    pd.testing.assert_frame_equal(pd.DataFrame(found), pd.DataFrame(expected))
    for baseline in (names := list(systems))[2], 2:
        found = pt.irpref.against(
            pipelines, topics, qrels, measures, names=names, baseline=baseline
        )
        expected = irpref_lab.against(measures, qrels, names[2], frames)
        pd.testing.assert_frame_equal(pd.DataFrame(found), pd.DataFrame(expected))
    for baseline in "two", 1:
        found = pt.irpref.gate(
            pipelines[:2], topics, qrels, measures, names=["one", "two"], baseline=baseline
        )
        expected = irpref_lab.gate(measures, qrels, *list(frames.values())[1::-1])
        pd.testing.assert_frame_equal(pd.DataFrame(found), pd.DataFrame(expected))
    for wrong in (names[0] + "x", 9, -9, True, None):
        for function, n in ((pt.irpref.against, 3), (pt.irpref.gate, 2)):
            with refuses(ArgumentError, parameter="baseline", value=wrong) as error:
                function(pipelines[:n], topics, qrels, measures, names=names[:n], baseline=wrong)
            assert repr(names[0]) in str(error.value)
    with pytest.raises(ValueError, match=r"^gate .* two systems, got 1"):
        pt.irpref.gate(pipelines[:1], topics, qrels, measures)
    with pytest.raises(ValueError, match=r"^compare .* two systems, got 3"):
        pt.irpref.compare(pipelines[:3], topics, qrels, measures)
    with pytest.raises(TypeError, match="retrieves for topics"):
        pt.irpref.leaderboard(pipelines, None, qrels, measures)
    with pytest.raises(TypeError, match=r"^systems: .* got DataFrame;"):
        pt.irpref.leaderboard(frames["strong"], topics, qrels, measures)


def test_systems_that_say_nothing_of_themselves_are_named_by_their_class(systems, topics, qrels):
    results = systems["baseline"]
    frame = results(topics)
    pipelines = [results, results >> pt.irpref.Condense(qrels), frame]
    board = pt.irpref.leaderboard(pipelines, topics, qrels, ["map"])
    assert set(board["run"]) == {
        "SourceTransformer",
        "(SourceTransformer >> Condense(qrels))",
        "run 3",
    }


def test_other_functions_are_called_as_experiments_are(systems, topics, qrels):
    few = topics.head(4)
    judged = qrels[qrels.qid.isin(few.qid)]
    names = ["one", "two"]
    pipelines = list(systems.values())[:2]
    runs = dict(zip(names, (system(few) for system in pipelines), strict=True))
    measures = ["RPref(max_rel=3)", "QMeasure"]

    table = pt.irpref.crosscheck(pipelines, few, qrels, ["AP"], names)
    pd.testing.assert_frame_equal(table, irpref.crosscheck(["AP"], judged, runs))

    table = pt.irpref.check(pipelines, few, qrels, ["AP@1000"], names)
    pd.testing.assert_frame_equal(table, irpref_lab.check(judged, runs, ["AP@1000"]))

    table = pt.irpref.intervals(pipelines, few, qrels, measures, names, over="topics")
    assert table["name"].unique().tolist() == names
    for name, run in runs.items():
        mine = table[table["name"] == name].drop(columns="name").reset_index(drop=True)
        expected = irpref_lab.intervals(measures, judged, run, over="topics")
        pd.testing.assert_frame_equal(mine, expected)

    table = pt.irpref.explain(pipelines, few, qrels, measures, names)
    assert list(table.columns[:4]) == ["name", "measure", "query_id", "rank"]
    totals = table.groupby(["name", "measure", "query_id"])["contribution"].sum()
    for name, run in runs.items():
        evaluator = irpref.evaluator(measures, judged)
        for measure, values in evaluator.values(run).items():
            for topic, value in zip(evaluator.topic_ids, values, strict=True):
                assert totals[name, str(measure), topic] == pytest.approx(value)
    with pytest.raises(MeasureError, match="no measures"):
        pt.irpref.explain(pipelines, few, qrels, [], names)


@pytest.mark.parametrize("of", ["pipelines", "frames"])
def test_only_judgments_of_the_topics_are_used_as_in_experiments(of, systems, topics, qrels):
    few, given = topics.head(3), list(systems.values())
    given = given if of == "pipelines" else [system(topics) for system in given]
    expected = pt.Experiment(given, few, qrels, [AP], names=list(systems)).set_index("name")["AP"]
    board = pt.irpref.leaderboard(given, few, qrels, ["AP"], list(systems), pairs="none").set_index(
        "run"
    )["mean"]
    assert board.to_dict() == pytest.approx(expected.to_dict())
    found = pt.irpref.compare(given[:2], few, qrels, ["AP"])
    assert found[["mean_a", "mean_b"]].iloc[0].tolist() == pytest.approx(expected.iloc[:2].tolist())
    with refuses(NoCommonTopicError):
        pt.irpref.leaderboard(given, few.assign(qid="x" + few["qid"]), qrels, ["AP"])
    for wrong in ("cast2021", few[["query"]]):
        with pytest.raises(TypeError, match=r"^topics: .* qid and query,"):
            pt.irpref.report(given, wrong, qrels, ["AP"])


@this_version
def test_integer_qids_of_qrels_break_built_in_measures_but_not_ours(systems, topics, qrels):
    numbers = qrels.assign(qid=qrels.qid.astype(int))
    with pytest.raises(TypeError):
        pt.Experiment(systems, topics, numbers, [AP], filter_by_topics=False)
    ours = pt.Experiment(systems, topics, numbers, [QMeasure], filter_by_topics=False)
    pd.testing.assert_frame_equal(ours, pt.Experiment(systems, topics, qrels, [QMeasure]))


@this_version
def test_ranks_of_equal_scores_are_not_those_of_evaluation(qrels):
    res = pd.DataFrame([("q", "a", 1.0), ("q", "b", 1.0)], columns=["qid", "docno", "score"])
    own = pd.DataFrame([("q", "a", 1), ("q", "b", 0)], columns=["qid", "docno", "label"])
    ranked = pt.model.add_ranks(res)
    assert dict(zip(ranked.docno, ranked["rank"], strict=True)) == {"a": 0, "b": 1}
    # Evaluated, and in our stages, b stands first.
    assert pt.irpref.Condense(own)(ranked).docno.tolist() == ["b", "a"]
    # A first relevant document at rank 2, of gain 1: precision 1/2, blended ratio (1 + 1) / (1 +
    # 2).
    assert pt.irpref.PerQuery(own, [AP, QMeasure])(ranked).iloc[0].tolist() == ["q", 1 / 2, 2 / 3]


# -------------------------------------------------------------------- what pt.irpref adds to irpref


def test_bind_takes_data_sets_and_frames_of_pyterrier(dataset, qrels):
    for source in (dataset, qrels, qrels.rename(columns=NAMES)):
        assert pt.irpref.bind([RPref @ 5, AP], source) == [RPref(max_rel=3) @ 5, AP]
        assert pt.irpref.bind("RPref", source) == RPref(max_rel=3)


def test_documents_known_from_another_system(dataset, systems, topics, qrels):
    seen = dataset.get_results("baseline")
    judgments = pt.irpref.judgments(qrels.drop(columns="known"), known=(seen, 10))
    known = judgments.frame(pyterrier=True)
    assert list(known.columns) == ["qid", "docno", "label", "expected", "known"]
    top = seen[seen["rank"] < 10].merge(known, on=["qid", "docno"])
    assert known.known.sum() == top.known.sum() == len(top)
    values = pt.Experiment(systems, topics, known, [Coverage, Novelty @ 10]).set_index("name")
    # What the user knows are the first ten documents of this system: it covers them, and they are
    # not new.
    assert values.loc["baseline", "Novelty@10"] == 0
    assert values["Coverage"].idxmax() == "baseline"


@pytest.mark.registry
def test_everything_of_the_package_is_in_reach():
    for name in irpref.__all__:
        assert hasattr(pt.irpref, name)
    assert pt.irpref.parse_all is irpref.parse_all
    assert pt.irpref.values is irpref_lab.values  # not the package irpref.values
    assert {"Judge", "Oracle", "RPref", "bind", "randomisation_test"} <= set(dir(pt.irpref))
    importlib.import_module("irpref.cli")  # whatever else is loaded
    listed = [name for name in dir(pt.irpref) if inspect.ismodule(getattr(pt.irpref, name))]
    assert listed == ["curves", "datasets", "errors", "meta", "plots", "significance", "spark"]
    assert not {"testing", "QrelsLike"} & set(dir(pt.irpref))
    with pytest.raises(AttributeError, match="RPreff"):
        pt.irpref.RPreff


# ------------------------------------------------------------------------------------ documentation


@pytest.mark.filterwarnings("ignore:There are shared pipeline components:UserWarning")
def test_the_page_prints_what_it_says(capsys):
    text = PAGE.read_text("utf-8")
    blocks = re.findall(r"\.\. code-block:: (python|text)\n\n((?:    .*\n|\n)+)", text)
    assert len(blocks) >= 12
    scope: dict = {}
    for kind, block in blocks:
        printed = capsys.readouterr().out
        if kind == "python":
            assert printed == "", "nothing stands below what prints"
            exec(textwrap.dedent(block), scope)
        else:
            assert printed == textwrap.dedent(block).rstrip("\n") + "\n"
    for name in re.findall(r"auto(?:class|function):: (\S+)", text):
        module, _, name = name.rpartition(".")
        assert getattr(importlib.import_module(module), name).__doc__


def test_a_table_of_an_experiment(systems, topics, qrels):
    measures = [AP, nCRP, "mrt"]
    with pytest.warns(irpref.IrprefWarning, match="^nCRP: lower"):
        result = pt.Experiment(
            systems, topics, qrels, measures, baseline="baseline", correction="holm"
        )
    shown = pt.irpref.table(result)
    assert {column.name.removesuffix(" ↓") for column in shown.columns[1:]} == {"AP", "nCRP", "mrt"}
    best = result.set_index("name")
    lines = {line.split()[0]: line for line in str(shown).splitlines()[1:4]}
    assert f"{best.AP.max():.4f}*" in lines[best.AP.idxmax()]
    assert f"{best.nCRP.min():.4f}*" in lines[best.nCRP.idxmin()]
    for name, line in lines.items():
        assert ("†" in line) == bool(best.loc[name, "AP reject"] or best.loc[name, "nCRP reject"])
    assert r"nCRP $\downarrow$" in shown.to_latex()
    assert rf"\textbf{{{best.nCRP.min():.4f}}}" in shown.to_latex()
    page = shown._repr_html_()
    assert f"<b>{best.nCRP.min():.4f}</b>" in page
    assert "nCRP ↓" in page
    assert "p-value" not in page


def test_names_of_systems_are_text_in_a_table():
    frame = pd.DataFrame({"name": ["<b>x</b>", "a_b"], "AP": [0.1, 0.2]})
    assert "&lt;b&gt;x" in pt.irpref.table(frame)._repr_html_()
    assert r"a\_b" in pt.irpref.table(frame).to_latex()


@pytest.mark.parametrize(
    ("n_systems", "breaks"), [(2, False), (80, True)], ids=["short", "over several pages"]
)
def test_a_table_in_latex_has_a_caption_and_breaks_if_it_is_long(n_systems, breaks):
    names = [f"s{i}" for i in range(n_systems)]
    values = [i / 100 for i in range(n_systems)]
    frame = pd.DataFrame({"name": names, "AP": values, "nCRP": values, "AP p-value": values})
    source = pt.irpref.table(frame, "latex")
    assert source == pt.irpref.table(frame).to_latex()
    assert rf"\caption{{Means of {n_systems} systems. Best means are bold." in source
    assert "lower is better: nCRP" in source
    assert ("longtable}{" in source) == breaks
    assert pt.irpref.table(frame, "markdown") == pt.irpref.table(frame).to_markdown()
    with pytest.raises(ValueError, match="latex"):
        pt.irpref.table(frame, "word")


class _Wordy(pt.Transformer):
    def __init__(self, words):
        self.words = words

    def transform(self, frame):
        return frame

    def __repr__(self):
        return f"Wordy(Index('a (b'), model={self.words!r}, controls={{'c': (1, (2, 3))}})"


def test_a_long_pipeline_is_named_by_its_stages(systems, topics):
    long = pt.Transformer.identity() >> _Wordy("BM25") >> _Wordy("x" * 40)
    found = runs_of([long, _Wordy("y" * 40), _Wordy("z" * 40)], topics, None)
    first, *others = found
    assert "Wordy >> Wordy" in first
    assert "model" not in first
    assert others == ["Wordy (2)", "Wordy (3)"]


def test_explanations_of_a_topic_are_shown_one_after_the_other(systems, topics, qrels):
    measures = ["nDCG@10", "QMeasure(beta=2)"]
    named = dict(list(systems.items())[:2])
    topic = topics["qid"][0]
    explained = pt.irpref.explain(named, topics, qrels, measures, query_id=topic)
    page = html.unescape(explained._repr_html_())
    runs = {name: system(topics) for name, system in named.items()}
    shown = [
        part
        for run in runs.values()
        for measure in measures
        for part in [repr(irpref.explain(measure, qrels, run, topic))]
    ]
    places = [repr(explained).index(part) for part in shown]
    assert places == sorted(places)
    assert [page.count(f"<p>{name}</p>") for name in named] == [2, 2]
    assert "contribution" not in page
    assert "contribution" in explained.head(3)._repr_html_()  # part of it is any frame


def test_explanations_of_all_topics_name_topics_to_look_at(systems, topics, qrels):
    measures = ["nDCG@10", "QMeasure(beta=2)"]
    named = dict(list(systems.items())[:2])
    explained = pt.irpref.explain(named, topics, qrels, measures)
    first, _, head, *rows = repr(explained).splitlines()
    assert "query_id=" in first
    assert head.split() == ["system", "measure", "mean", "lowest", "highest"]
    by_topic = pt.Experiment(
        list(named.values()), topics, qrels, measures, names=list(named), perquery=True
    )
    values = by_topic.set_index(["name", "measure", "qid"])["value"].astype(float).sort_index()
    found = [row.rsplit(maxsplit=3) for row in rows[: len(named) * len(measures)]]
    pairs = [(name, measure) for name in named for measure in measures]
    for (name, measure), (label, mean, low, high) in zip(pairs, found, strict=True):
        of_pair = values[name, measure]
        assert label.split() == [name, str(irpref.parse(measure))]
        assert float(mean) == pytest.approx(of_pair.mean(), abs=5e-5)
        assert (of_pair[low], of_pair[high]) == (of_pair.min(), of_pair.max())
    page = html.unescape(explained._repr_html_())
    assert page.startswith(f"<p>{first}</p>")
    assert "contribution" not in page
    assert "contribution" in explained.head(3)._repr_html_()


def test_findings_are_sentences_in_a_notebook_and_printed(systems, topics, qrels):
    found = pt.irpref.check(systems, topics, qrels, [AP])
    assert len(found)
    for text in found["text"]:
        assert f"- {text}" in html.unescape(found._repr_html_())
    assert "<th>code" not in found._repr_html_()
    assert "- " in repr(found)
    part = found[["code", "text"]]
    assert "code" in part._repr_html_()


def test_a_table_is_of_systems(systems, topics, qrels):
    by_query = pt.Experiment(systems, topics, qrels, [AP], perquery=True)
    with refuses(ArgumentError, parameter="result") as error:
        pt.irpref.table(by_query)
    assert "name, qid, measure, value" in str(error.value)  # its columns
    both = pt.Experiment(systems, topics, qrels, [AP], perquery="both")
    assert str(pt.irpref.table(both)) == str(
        pt.irpref.table(pt.Experiment(systems, topics, qrels, [AP]))
    )


# ------------------------------------------------------------------------------ the host's contract


@pytest.fixture(params=[False, True], ids=["", "accelerated"])
def accelerated(request):
    irpref.accelerate(request.param)
    yield request.param
    irpref.accelerate(False)


RESULTS = pd.DataFrame(
    {
        "qid": ["q2", "q2", "q1", "x"],
        "docno": ["a", "b", "b", "z"],
        "score": [2.0, 1.0, 1.0, 1.0],
        "rank": [0, 1, 0, 0],
    }
)
FEW = pd.DataFrame({"qid": ["q1", "q2"], "docno": ["b", "b"], "label": [1, 1]})
ASKED = pd.DataFrame({"qid": ["q2", "q1", "x"], "query": ["2", "1", "x"]})


@pytest.mark.filterwarnings("ignore:.*topic.* not found in qrels", "ignore::irpref.IrprefWarning")
@pytest.mark.parametrize("plan", [{}, {"batch_size": 1}, {"batch_size": 2}, {"plan": "tree"}])
def test_unjudged_topics_are_treated_as_the_host_treats_them(accelerated, plan):
    system = [pt.Transformer.from_df(RESULTS)]
    options = {"filter_by_qrels": False, **plan}

    def frames(measure):
        found = pt.Experiment(system, ASKED, FEW, [measure], perquery=True, **options)
        return found.assign(measure="m"), pt.Experiment(
            system, ASKED, FEW, [measure], **options
        ).iloc[:, 1].item()

    irpref.accelerate(False)
    expected, mean = frames(AP)
    irpref.accelerate(accelerated)
    for measure in (AP, irpref.QMeasure, irpref.BprefVariant(norm="R")):
        found, own = frames(measure)
        assert found[["qid", "measure"]].equals(expected[["qid", "measure"]])
        assert found.value.isna().tolist() == expected.value.isna().tolist()
        if measure is AP:
            pd.testing.assert_frame_equal(found, expected)
            assert own == mean


def test_results_for_unjudged_topics_only(accelerated):
    system = [pt.Transformer.from_df(RESULTS[RESULTS.qid == "x"])]
    with pytest.warns(irpref.IrprefWarning, match="in common") as caught:
        found = pt.Experiment(
            system, ASKED, FEW, [irpref.QMeasure, irpref.EMeasure], filter_by_qrels=False
        )
    assert found.QMeasure.item() == 0.0
    assert found.EMeasure.item() == 1.0
    assert len([w for w in caught if "in common" in str(w.message)]) == 1


# ----------------------------------------------------------------------------------------- warnings


def test_files_of_your_own_are_read_as_the_tutorial_says(tmp_path, monkeypatch):
    page = (Path(__file__).parents[2] / "docs/tutorials/experiment.md").read_text(encoding="utf8")
    block = page.partition("your own files")[2].partition("```python\n")[2].partition("```")[0]
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("1 0 a 2\n1 0 b 0\n2 0 a 1\n2 0 b 0\n")
    for name, first in (("run1", "a"), ("run2", "b")):
        other = "ab".replace(first, "")
        Path(f"{name}.txt").write_text(
            "".join(f"{t} Q0 {first} 1 2 x\n{t} Q0 {other} 2 1 x\n" for t in (1, 2))
        )
    exec(block, names := {"pt": pt})
    qrels = names["qrels"]
    found = pt.Experiment(
        names["systems"], names["topics"], qrels, pt.irpref.bind([AP, RPref], qrels)
    )
    # run2: topic 1 keeps nothing; in topic 2, N = (1 - 1/2) + 1, so a keeps 1 - 1 / (3/2) = 1/3 of
    # its weight.
    assert found["name"].tolist() == ["run1", "run2"]
    np.testing.assert_allclose(found.to_numpy()[:, 1:].astype(float), [[1, 1], [1 / 2, 1 / 6]])


def test_a_system_of_other_topics_warns_whatever_the_systems_are_called():
    lost = RESULTS.assign(qid="nowhere")
    with pytest.warns(irpref.IrprefWarning, match="in common"):
        pt.Experiment([RESULTS, lost], ASKED, FEW, [irpref.QMeasure], filter_by_qrels=False)


@pytest.mark.parametrize(
    "plan", [{}, {"batch_size": 7}, {"plan": "tree"}], ids=["linear", "batches", "tree"]
)
def test_a_baseline_and_a_measure_whose_lower_values_are_better(systems, topics, qrels, plan):
    measures = [irpref.nCRP, AP]
    with pytest.warns(irpref.IrprefWarning, match="^nCRP: lower is") as caught:
        table = pt.Experiment(systems, topics, qrels, measures, baseline="baseline", **plan)
    assert len([w for w in caught if "lower is better" in str(w.message)]) == 1
    assert {warning.filename for warning in caught} == {__file__}
    values = {
        name: irpref.evaluator(irpref.nCRP, qrels).values(system(topics))[irpref.nCRP]
        for name, system in systems.items()
    }
    rises = (values["strong"] > values["baseline"]).sum()
    assert table.set_index("name").loc["strong", "nCRP +"] == rises


def test_warnings_point_at_the_users_line(systems, topics, qrels):
    twice = pd.DataFrame({"query_id": "q", "doc_id": ["a", "a"], "score": [1.0, 2.0]})
    for category, call in [
        (irpref.ScaleWarning, lambda: pt.Experiment(systems, topics, qrels, [RPref])),
        (irpref.ScaleWarning, lambda: pt.irpref.Explain(qrels, RPref)),
        (
            irpref.ScaleWarning,
            lambda: ir_measures.calc_aggregate([RPref], {"q": {"a": 2}}, {"q": {"a": 1.0}}),
        ),
        (irpref.ScaleWarning, lambda: irpref.explain(RPref, {"q": {"a": 2}}, {"q": {"a": 1.0}})),
        (irpref.DuplicateWarning, lambda: QMeasure.evaluate({"q": {"a": 1}}, twice)),
        (irpref.DegenerateWarning, lambda: pt.irpref.bind([RPref], qrels[qrels.label > 0])),
    ]:
        with pytest.warns(category) as caught:
            call()
        assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.parametrize(
    "plan", [{}, {"batch_size": 2}, {"plan": "tree"}], ids=["linear", "batches", "tree"]
)
def test_one_warning_a_measure_and_call(dataset, topics, qrels, plan, capsys):
    # PyTerrier resets Python's memory of warnings, so that each system and batch would warn again.
    several = {str(n): pt.Transformer.from_df(dataset.get_results("noisy")) for n in range(3)}
    with pytest.warns(irpref.ScaleWarning) as caught:
        pt.Experiment(several, topics, qrels, [RPref, NPref(n=4)], **plan)
    mine = [w.message for w in caught if issubclass(w.category, irpref.IrprefWarning)]
    assert sorted(w.measure for w in mine) == ["NPref(n=4)", "RPref"]
    assert {w.remedy.call for w in mine} == {"bind"}
    with warns_of(irpref.ScaleWarning, measure="RPref"):
        pt.irpref.PerQuery(qrels, RPref)
    with pytest.warns(irpref.ScaleWarning) as again:  # another call
        pt.Experiment(several, topics, qrels, [RPref], **plan)
    assert len([w for w in again if issubclass(w.category, irpref.ScaleWarning)]) == 1


@pytest.mark.parametrize(
    ("call", "text"),
    [
        # The order of irpref_lab, one system for a list, a path for names.
        ("pt.irpref.compare('AP', qrels, run, run)", "take (systems, topics, qrels, measures)"),
        ("pt.irpref.check(run, topics, qrels)", "expected a list of pipelines or frames"),
        ("pt.irpref.report([run], topics, qrels, ['AP'], 'page.html')", "the text 'page.html'"),
        ("pt.irpref.leaderbord", "pt.irpref has no attribute 'leaderbord'; did you mean 'leader"),
        ("irpref.compare", "did you mean irpref_lab.compare?"),
        ("pt.Experiment([run], topics, qrels, 'map')", "as a list; in pt.Experiment, eval_metrics"),
    ],
)
def test_what_newcomers_type_is_told_in_a_sentence(call, text, dataset, topics, qrels):
    run = dataset.get_results("baseline")
    space = {"pt": pt, "irpref": irpref, "run": run, "topics": topics, "qrels": qrels}
    with pytest.raises((AttributeError, TypeError, ValueError), match=re.escape(text)):
        eval(call, space)


def rows(frame, *columns):
    return list(frame[list(columns)].itertuples(index=False, name=None))


class _CountsDown:
    """Cranfield as ir_datasets has it: 1 is best."""

    def dataset_id(self):
        return "cranfield"

    def has_qrels(self):
        return True

    def qrels_iter(self):
        grades = {"complete": 1, "minimal": 4, "source": -1}
        return iter([TrecQrel("q", doc, grade, "0") for doc, grade in grades.items()])


@pytest.mark.parametrize(
    "given", ["cranfield", "irds:cranfield", _CountsDown(), SimpleNamespace(irds_ref=_CountsDown)]
)
def test_judgments_for_experiments_have_grades_that_count_up(given, monkeypatch):
    monkeypatch.setattr("ir_datasets.load", lambda name: _CountsDown())
    with pytest.warns(irpref.IrprefWarning, match="count down"):
        judged = pt.irpref.qrels(given)
    assert rows(judged, "qid", "docno", "label") == [("q", "complete", 4), ("q", "minimal", 1)]
    topics = pd.DataFrame({"qid": ["q"], "query": "a"})
    found = pd.DataFrame({"qid": "q", "docno": ["complete", "minimal"], "score": [2.0, 1.0]})
    runs = [found, found.assign(score=[1.0, 2.0])]
    best, worst = pt.Experiment(runs, topics, judged, ["nDCG@10"])["nDCG@10"]
    assert best == 1 > worst


def test_judgments_for_experiments_are_those_of_the_examples(dataset, qrels):
    expected = set(rows(qrels, "qid", "docno", "label"))
    for given in ("irpref:synthetic", "irpref/synthetic", dataset, qrels):
        assert set(rows(pt.irpref.qrels(given), "qid", "docno", "label")) == expected
