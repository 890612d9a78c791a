"""Measures that the judgments leave nothing to tell apart say so at every entry point, once a
measure and call.
"""

import warnings

import ir_measures
import pandas as pd
import pytest

import irpref
import irpref_lab
from irpref import BprefVariant, NPref, RPref
from irpref.cli import main
from irpref.judged.pool_cache import forget
from shells import run_text

QRELS = {f"q{t}": {"a": 1, "b": 1} for t in range(4)}
RUN = {q: {"a": 2.0 + t, "x": 1.0, "b": 0.5 * t} for t, q in enumerate(QRELS)}
OTHER = {q: {"x": 2.0, "b": 1.0} for q in QRELS}
MEASURES = ["AP", "Bpref", "BprefVariant(norm='R')", "RPref(max_rel=1)", "NPref(n=3,max_rel=1)"]
DEGENERATE = MEASURES[1:]
SAID = (
    "no document of these qrels is judged non-relevant, so the measure says little more than recall"
)


def _names(caught):
    found = [
        warning for warning in caught if issubclass(warning.category, irpref.DegenerateWarning)
    ]
    assert {warning.filename for warning in found} <= {__file__}
    assert all(str(warning.message).endswith(SAID) for warning in found)
    return sorted(str(warning.message).partition(": ")[0] for warning in found)


ENTRY_POINTS = {
    "evaluator": lambda: irpref.evaluator(MEASURES, QRELS).values(RUN),
    "score": lambda: [irpref.score(measure, [[1, 1]], [[2.0, 1.0]]) for measure in MEASURES],
    "ties": lambda: irpref_lab.intervals(MEASURES, QRELS, RUN),
    "holes": lambda: irpref_lab.intervals(MEASURES, QRELS, RUN, over="unjudged"),
    "topics": lambda: irpref_lab.intervals(MEASURES, QRELS, RUN, over="topics"),
    "leaderboard": lambda: irpref_lab.leaderboard(
        MEASURES, QRELS, {"run": RUN, "other": OTHER}, n_permutations=10
    ),
    "topic_values": lambda: irpref_lab.meta.topic_values(
        MEASURES, QRELS, {"run": RUN, "other": OTHER}
    ),
    "differences": lambda: [
        irpref.curves.paired_differences(QRELS, {"a": RUN, "b": OTHER}, "b", m) for m in MEASURES
    ],
}


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_every_entry_point_says_it_once(name):
    with pytest.warns(irpref.DegenerateWarning) as caught:
        ENTRY_POINTS[name]()
    assert _names(caught) == sorted(str(irpref.parse(measure)) for measure in DEGENERATE)


def test_the_provider_says_it_inside_ir_measures():
    ours = [RPref(max_rel=1), NPref(n=3, max_rel=1), BprefVariant(norm="R"), ir_measures.AP]
    with pytest.warns(irpref.DegenerateWarning) as caught:
        ir_measures.calc_aggregate(ours, QRELS, RUN)
    assert _names(caught) == sorted(map(str, ours[:3]))
    with pytest.warns(irpref.DegenerateWarning) as caught:
        RPref(max_rel=1).evaluate(QRELS, RUN)
    assert _names(caught) == ["RPref(max_rel=1)"]


@pytest.mark.parametrize("plan", [{}, {"batch_size": 1}], ids=["whole", "batches"])
def test_an_experiment_says_it_once_however_many_systems_and_batches(plan):
    pt = pytest.importorskip("pyterrier")
    forget()
    qrels = pd.DataFrame(
        [(q, d, 1) for q, docs in QRELS.items() for d in docs], columns=["qid", "docno", "label"]
    )
    topics = pd.DataFrame({"qid": list(QRELS), "query": list(QRELS)})
    rows = [(q, q, d, s, 0) for q, docs in RUN.items() for d, s in docs.items()]
    results = pd.DataFrame(rows, columns=["qid", "query", "docno", "score", "rank"])
    systems = [pt.Transformer.from_df(results) for _ in range(3)]
    with pytest.warns(irpref.DegenerateWarning) as caught:
        pt.Experiment(systems, topics, qrels, [RPref(max_rel=1), BprefVariant], **plan)
    assert _names(caught) == ["BprefVariant", "RPref(max_rel=1)"]


def test_one_judged_non_relevant_document_of_all_is_enough():
    qrels = {**QRELS, "q0": {"a": 1, "n": 0}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        irpref.evaluator(MEASURES, qrels).values(RUN)


def test_what_is_relevant_is_up_to_the_measure():
    graded = {"q": {"a": 2, "b": 1}}
    with pytest.warns(irpref.DegenerateWarning) as caught:
        irpref.evaluator(
            ["Bpref", "Bpref(rel=2)", "RPref(max_rel=2)", "RPref(max_rel=2,gains={1:0})"], graded
        )
    said = {warning.message.measure: str(warning.message) for warning in caught}
    assert said.keys() == {"Bpref", "RPref(max_rel=2)"}
    assert said["Bpref"].endswith(SAID)
    assert said["RPref(max_rel=2)"].endswith("compares only relevant documents with each other")
    # Negative grades are no judgments.
    with pytest.warns(irpref.DegenerateWarning):
        irpref.evaluator(["Bpref"], {"q": {"a": 1, "b": -1}})


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text(
        "".join(f"{q} 0 {d} 1\n" for q, docs in QRELS.items() for d in docs)
    )
    for name, run in (("one", RUN), ("two", OTHER)):
        (tmp_path / name).write_text(run_text(run))
    return [str(tmp_path / name) for name in ("qrels", "one", "two")]


@pytest.mark.parametrize(
    ("command", "measures"),
    [
        *((command, MEASURES) for command in ("eval", "eval -q", "compare", "leaderboard")),
        ("eval --provider irpref", DEGENERATE[1:]),
    ],
)
def test_the_command_line_says_it_once(files, command, measures, capsys):
    name, *rest = command.split()
    main([name, *files, *measures, *rest])
    said = [line for line in capsys.readouterr().err.splitlines() if SAID in line]
    assert len(said) == len([measure for measure in measures if measure in DEGENERATE])
