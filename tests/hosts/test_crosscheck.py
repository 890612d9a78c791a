"""Our values beside those of other tools: agreement, differences with a reason, differences without
one.
"""

import gzip
import os
import shutil
import stat

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, RBP, RR, Bpref, nDCG

import irpref
import real_runs
from irpref.cli import main
from irpref.errors import ArgumentError, MeasureError
from irpref.hosts import other_tools as module
from irpref.hosts.other_tools import (
    COLUMNS,
    DEEP,
    FLOAT32,
    LEFT,
    RISING,
    ROWS,
    SEEN,
    UNEXPLAINED,
    trec_name,
)
from irpref.values.others import Others
from refused import refuses

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1, "b": 0}, "bad": {"a": -1}}
RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"b": 2.0, "a": 1.0}, "bad": {"a": 1.0}}


@pytest.fixture(autouse=True)
def no_binary(monkeypatch):
    """A trec_eval that happens to be installed is no part of these tests."""
    find = shutil.which
    monkeypatch.setattr(
        module.shutil, "which", lambda name: None if name == "trec_eval" else find(name)
    )


def row(table, measure, tool):
    (found,) = table[(table["measure"] == str(measure)) & (table["tool"] == tool)].itertuples(
        index=False
    )
    return found


def test_tools_that_agree():
    table = irpref.crosscheck(["AP", "nDCG@10", "RR@10", "Judged@5"], QRELS, {"mine": RUN})
    assert list(table.columns) == list(COLUMNS)
    tools = {
        "AP": "pytrec_eval",
        "nDCG@10": "pytrec_eval",
        "RR@10": "msmarco",
        "Judged@5": "judged",
    }
    for measure, tool in tools.items():
        # The topic of negative grades alone would end the process.
        assert row(table, measure, tool) == ("mine", measure, tool, 2, 0, 0, 0, None, "")
    assert not table["tool"].str.startswith("irpref").any()


def test_differences_with_a_known_reason():
    qrels = {"short": {"a": 1, "b": 0}, "tied": {"a": 1, "b": 0}, "lost": {"a": 1, "z": 1}}
    run = {
        "short": {"a": 1.00000001, "b": 1.0},
        "tied": {"a": 1.0, "b": 1.0},
        "lost": {"a": 1.0, "b": 0.5},
    }
    table = irpref.crosscheck([RR, RBP(rel=1), AP], qrels, {"mine": run})
    found = row(table, "RR", "pytrec_eval")
    assert (found.topics, found.differ, found.topic, found.why) == (3, 1, "short", f"{FLOAT32} (1)")
    assert found.largest == pytest.approx(1 / 2 - 1)
    found = row(table, RBP(rel=1), "cwl_eval")
    assert (found.differ, found.topic, found.why) == (1, "tied", f"{ROWS} (1)")
    assert found.largest == pytest.approx(0.2 - 0.16)
    # Of AP, the relevant documents that the run lacks are left out, too.
    found = row(table, "AP", "cwl_eval")
    assert (found.differ, found.unexplained) == (2, 0)
    assert set(found.why.split("; ")) == {f"{ROWS} (1)", f"{SEEN} (1)"}
    assert not table["unexplained"].any()


def test_two_reasons_of_one_difference_are_both_named():
    qrels = {"q": {"a": 1, "b": 0, "z": 1}}
    table = irpref.crosscheck([AP], qrels, {"mine": {"q": {"a": 1.0, "b": 1.0}}})
    found = row(table, "AP", "cwl_eval")
    assert (found.largest, found.why) == (1 - 1 / 4, f"{ROWS} and {SEEN} (1)")


def test_depth_is_a_reason_only_where_the_cut_ranking_has_the_tools_value():
    deep = {f"d{i:04}": float(-i) for i in range(1500)}
    qrels = {"late": {"d1200": 1}, "early": {"d0001": 1}, "both": {"d0001": 1, "d1200": 1}}
    table = irpref.crosscheck([RR, AP], qrels, {"mine": dict.fromkeys(qrels, deep)})
    found = row(table, "RR", "cwl_eval")
    assert (found.differ, found.topic, found.why) == (1, "late", f"{DEEP} (1)")
    assert found.largest == pytest.approx(-1 / 1201)
    found = row(table, "AP", "cwl_eval")
    # `both`: (1/2) / 1 for 1000 documents and what is seen of them.
    assert found.why == f"{DEEP} (1); {DEEP} and {SEEN} (1)"
    assert found.largest == pytest.approx(1 / 2 - (1 / 2 + 2 / 1201) / 2)


def test_documents_of_negative_grade_are_judged_inside_ir_measures_alone():
    qrels = {"q1": {"a": 1, "b": -1, "c": 0}, "q2": {"a": 1, "b": 0}}
    table = irpref.crosscheck(["Judged@5"], qrels, {"mine": RUN})
    found = row(table, "Judged@5", "judged")
    assert (found.topics, found.differ, found.unexplained) == (2, 1, 0)
    assert found.why.startswith("negative grades ")
    assert found.why.endswith(" (1)")
    (value,) = irpref.evaluator(["Judged@5"], qrels).calc_aggregate(RUN).values()
    assert value == pytest.approx((2 / 3 + 1) / 2)


def test_measures_that_are_left_to_a_tool_and_tools_that_fail():
    table = irpref.crosscheck(["IPrec@0.5"], QRELS, {"mine": RUN})
    assert row(table, "IPrec@0.5", "pytrec_eval").why == LEFT
    with pytest.raises(MeasureError, match="no measures"):
        irpref.crosscheck([], QRELS, {"mine": RUN})
    with pytest.raises(ValueError, match="qrels are empty"):
        irpref.crosscheck(["AP"], {}, {"mine": RUN})


class Wrong(ir_measures.providers.Provider):
    """Another tool's values, changed by a function of its metrics."""

    def __init__(self, name, tool, change):
        super().__init__()
        self.NAME, self.tool, self.change = name, tool, change
        self.SUPPORTED_MEASURES = tool.SUPPORTED_MEASURES

    def is_available(self):
        return True

    def iter_calc(self, measures, qrels, run):
        return self.change(list(self.tool.iter_calc(measures, qrels, run)))


@pytest.fixture
def inject(monkeypatch):
    """Put a wrong tool into the pipeline, in place of one of its name."""

    def put(name, tool, change):
        others = [p for p in ir_measures.DefaultPipeline.providers if name != p.NAME]
        providers = [Wrong(name, tool, change), *others]
        monkeypatch.setattr(ir_measures.DefaultPipeline, "providers", providers)

    return put


def first_moved(by):
    return lambda metrics: [metrics[0]._replace(value=metrics[0].value + by), *metrics[1:]]


def no_p(metrics):
    if metrics[0].measure.NAME == "P":
        raise RuntimeError("no P today")
    return first_moved(0.1)(metrics)


@pytest.fixture
def wrong(inject):
    inject("wrong", ir_measures.pytrec_eval, no_p)


MANY = {f"q{i}": {"a": 1, "b": 0, "c": 1, "d": 0} for i in range(12)}
TIED = {f"q{i}": {"a": 2.0, "b": 2.0, "c": 2.0, "d": 1.0} for i in range(12)}


# Only the tool in question is asked: another one takes a third of a second for these topics.
@pytest.mark.parametrize("name", ["wrong", "pytrec_eval"])
@pytest.mark.parametrize("by", [0.0003, -0.0003])
def test_ties_do_not_excuse_a_value_that_no_order_has(name, by, inject):
    inject(name, ir_measures.pytrec_eval, first_moved(by))
    for measure in ("AP", "nDCG@10", "P@5"):
        found = row(irpref.crosscheck([measure], MANY, {"mine": TIED}, tools=[name]), measure, name)
        assert (found.differ, found.unexplained, found.why) == (1, 1, f"{UNEXPLAINED} (1)")
        assert found.largest == pytest.approx(by)


def test_the_order_of_an_unknown_tool_is_recognised_by_its_values(inject):
    # Rising ids: a, b, c: precision 1 and 2/3; ours, by falling ids: c, b, a: the same.
    qrels = {"q": {"a": 1, "b": 0}}
    inject("wrong", ir_measures.msmarco, lambda metrics: metrics)
    found = row(irpref.crosscheck([RR], qrels, {"mine": {"q": {"a": 1.0, "b": 1.0}}}), RR, "wrong")
    assert (found.largest, found.unexplained, found.why) == (1 / 2, 0, f"{ROWS} (1)")
    run = {"q": {"b": 1.0, "a": 1.0, "c": 1.0}}
    found = row(irpref.crosscheck([RR], qrels, {"mine": run}), RR, "wrong")
    assert (found.unexplained, found.why) == (0, f"{RISING} (1)")


@pytest.mark.parametrize("name", ["wrong", "pytrec_eval"])
def test_topics_that_a_tool_leaves_out_differ(name, inject):
    inject(name, ir_measures.pytrec_eval, lambda metrics: metrics[:3])
    found = row(irpref.crosscheck(["AP"], MANY, {"mine": TIED}, tools=[name]), "AP", name)
    assert (found.topics, found.differ, found.unexplained) == (12, 9, 9)
    assert "9 topics" in found.why


def test_topics_under_other_names_are_left_out(inject):
    inject(
        "wrong",
        ir_measures.pytrec_eval,
        lambda metrics: [m._replace(query_id=f"0{m.query_id}") for m in metrics],
    )
    found = row(irpref.crosscheck(["AP"], MANY, {"mine": TIED}, tools=["wrong"]), "AP", "wrong")
    assert (found.topics, found.unexplained) == (12, 12)
    assert "12 topics" in found.why


def test_a_value_that_is_no_number_differs(inject):
    inject("wrong", ir_measures.pytrec_eval, first_moved(float("nan")))
    found = row(irpref.crosscheck(["AP"], MANY, {"mine": TIED}, tools=["wrong"]), "AP", "wrong")
    assert (found.differ, found.unexplained, found.why) == (1, 1, f"{UNEXPLAINED} (1)")
    assert found.largest != found.largest
    assert found.topic == "q0"


def test_long_lists_do_not_excuse_a_value_that_no_cut_has(inject):
    inject("cwl_eval", ir_measures.cwl_eval, first_moved(0.1))
    deep = {f"d{i:04}": float(-i) for i in range(1500)}
    qrels = {"q": {"d0001": 1, "d1200": 1}}
    found = row(irpref.crosscheck(["P@10"], qrels, {"mine": {"q": deep}}), "P@10", "cwl_eval")
    assert (found.unexplained, found.why) == (1, f"{UNEXPLAINED} (1)")


def fails(metrics):
    raise RuntimeError("out of order")


def test_a_tool_that_computes_nothing_is_one_line(inject):
    inject("wrong", ir_measures.pytrec_eval, fails)
    runs = {"one": TIED, "two": TIED}
    table = irpref.crosscheck(["AP", "nDCG"], MANY, runs)
    (line,) = table[table["tool"] == "wrong"].to_dict("records")
    assert pd.isna(line["run"])
    assert pd.isna(line["measure"])
    assert (line["topics"], line["unexplained"]) == (0, 0)
    assert line["why"].endswith(": RuntimeError: out of order")
    # It has to work if it is asked for by name.
    table = irpref.crosscheck(["AP", "nDCG"], MANY, runs, tools=["wrong", "pytrec_eval"])
    assert table["tool"].unique().tolist() == ["pytrec_eval", "wrong"]
    assert table["unexplained"].tolist() == [0, 0, 0, 0, 12]


def test_tools_that_are_asked_for_by_name():
    table = irpref.crosscheck(["AP"], MANY, {"mine": TIED}, tools=["trec_eval", "gdeval"])
    assert table[["tool", "unexplained"]].to_numpy().tolist() == [["trec_eval", 12], ["gdeval", 12]]
    assert "installed" in table["why"].iloc[0]
    assert "none of these" in table["why"].iloc[1]
    with refuses(ArgumentError, parameter="tools", value="pytrec-eval") as error:
        irpref.crosscheck(["AP"], MANY, {"mine": TIED}, tools="pytrec-eval")
    assert str(error.value).endswith("did you mean 'pytrec_eval'?")


def test_ranx_gets_the_ids_in_the_type_that_it_asks_for(monkeypatch):
    frames = []

    class Ranx(ir_measures.providers.Provider):
        NAME = "ranx"

        def is_available(self):
            return True

        def supports(self, measure):
            return measure.NAME == "AP"

        def evaluator(self, measures, qrels):
            own = self

            class Evaluator:
                def iter_calc(self, run):
                    return own.iter_calc(measures, qrels, run)

            return Evaluator()

        def iter_calc(self, measures, qrels, run):
            frames.extend([qrels, run])
            for frame in frames:
                assert frame["query_id"].dtype == frame["doc_id"].dtype == "O"
            assert set(qrels["query_id"]) == set(run["query_id"])
            return ir_measures.pytrec_eval.iter_calc(measures, qrels, run)

    monkeypatch.setattr(ir_measures.DefaultPipeline, "providers", [Ranx()])
    qrels, run = {**MANY, "unanswered": {"a": 1}}, {**TIED, "unjudged": {"a": 1.0}}
    found = row(irpref.crosscheck(["AP"], qrels, {"mine": run}), "AP", "ranx")
    assert (found.topics, found.differ, found.why) == (12, 0, "")
    assert [frame.iloc[:, 2].dtype.kind for frame in frames] == ["i", "f"]
    # So does `irpref eval --provider ranx`.
    frames.clear()
    judgments = irpref.judgments(qrels)
    values, _, lacking = Others([AP], judgments, Ranx()).values(run, judgments.topic_ids)
    assert len(frames) == 2
    assert values[AP].tolist() == irpref.evaluator([AP], qrels).values(run)[AP].tolist()
    assert lacking == {(AP, "unanswered")}


def test_the_values_of_ranx():
    pytest.importorskip("ranx")
    generator = np.random.default_rng(0)
    docs = [f"d{i:02}" for i in range(60)]
    qrels = {
        f"q{t}": dict(zip(docs, generator.integers(0, 3, 60).tolist(), strict=True))
        for t in range(9)
    }
    run = {q: dict(zip(docs, generator.integers(0, 9, 60) * 1.0, strict=True)) for q in qrels}
    table = irpref.crosscheck(["AP", "nDCG@10", "P@5", "RR"], qrels, {"mine": run}, tools=["ranx"])
    assert table["unexplained"].tolist() == [0] * 4
    assert table["topics"].tolist() == [9] * 4


def test_grades_below_minus_one_reach_no_other_tool(inject):
    seen = []

    class Spy(Wrong):
        def iter_calc(self, measures, qrels, run):
            seen.append(qrels)
            return super().iter_calc(measures, qrels, run)

    ir_measures.DefaultPipeline.providers, before = (
        [Spy("wrong", ir_measures.pytrec_eval, list)],
        ir_measures.DefaultPipeline.providers,
    )
    try:
        irpref.crosscheck(["AP"], {"q": {"a": -2, "b": 1}, "bad": {"a": -2}}, {"mine": RUN})
    finally:
        ir_measures.DefaultPipeline.providers = before
    assert seen == [{"q": {"a": -1, "b": 1}}]


def test_a_difference_without_a_reason_and_the_exit_status(wrong, tmp_path, monkeypatch, capsys):
    table = irpref.crosscheck(["AP", "P@5"], QRELS, {"mine": RUN})
    found = row(table, "AP", "wrong")
    assert (found.differ, found.why) == (1, f"{UNEXPLAINED} (1)")
    assert found.largest == pytest.approx(0.1)
    assert row(table, "P@5", "wrong").why.endswith(": RuntimeError: no P today")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q").write_text(
        "".join(f"{t} 0 {d} {g}\n" for t, docs in QRELS.items() for d, g in docs.items())
    )
    (tmp_path / "r").write_text(
        "".join(f"{t} Q0 {d} 1 {s} x\n" for t, docs in RUN.items() for d, s in docs.items())
    )
    assert main(["crosscheck", "q", "r", "AP"]) == 1
    assert UNEXPLAINED in capsys.readouterr().out
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert main(["crosscheck", "q", "r", "AP", "nDCG@10", "-o", "tsv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("\t") == list(COLUMNS)
    assert main(["crosscheck", "q", "r", "AP", "--tool", "cwl_eval", "-o", "tsv"]) == 0
    assert {line.split("\t")[2] for line in capsys.readouterr().out.splitlines()[1:]} == {
        "cwl_eval"
    }
    assert main(["crosscheck", "q", "r", "AP", "--tool", "trec_eval"]) == 1
    assert "is not installed" in capsys.readouterr().out


def test_a_binary_is_asked_where_there_is_one(tmp_path, monkeypatch):
    binary = tmp_path / "trec_eval"
    binary.write_text(
        '#!/bin/sh\necho "$@" >> "$0.log"\nprintf "map\\tq1\\t1.0000\\nmap\\tall\\t1.0000\\n"\n'
    )
    binary.chmod(binary.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setattr(
        module.shutil, "which", lambda name: os.fspath(binary) if name == "trec_eval" else None
    )
    found = row(
        irpref.crosscheck([AP(rel=2, judged_only=True)], QRELS, {"mine": RUN}),
        AP(rel=2, judged_only=True),
        "trec_eval",
    )
    # c, of grade 2, is third; and there is no line of q2.
    assert (found.topics, found.differ, found.unexplained) == (2, 2, 2)
    assert found.why.startswith(f"{UNEXPLAINED} (1); ")
    assert found.why.endswith(" 1 topic")  # that has no value
    assert found.largest == pytest.approx(2 / 3, abs=1e-4)
    assert (tmp_path / "trec_eval.log").read_text().startswith("-q -c -m map -l 2 -J ")


def test_names_of_trec_eval():
    names = {"AP": "map", "AP@5": "map_cut.5", "nDCG@10": "ndcg_cut.10", "P@5": "P.5"}
    names |= {"NumRet": "num_ret", "NumRet(rel=1)": "num_rel_ret"}
    names |= {
        "iprec_at_recall_0.40": "iprec_at_recall.0.4",
        "11pt_avg": "11pt_avg",
        "BprefVariant": "bpref",
    }
    names |= {
        "InterpolatedPrecision@0.4": None,
        "BprefR": None,
        "QMeasure": None,
        "RR@10": None,
        "P(rel=2)@5": "P.5",
    }
    assert {name: trec_name(irpref.parse(name)) for name in names} == names


@pytest.mark.slow
def test_a_submitted_run_has_no_difference_without_a_reason(data_dir):
    measures = [
        AP,
        nDCG,
        nDCG @ 10,
        RR,
        Bpref,
        RBP(rel=1),
        "P@10",
        "R@100",
        "Rprec",
        "ERR@20",
        "SetF",
        "RR@10",
    ]
    (path,) = (data_dir / "cast2021" / "qrels").glob("*.gz")
    run = next((data_dir / "cast2021" / "runs").glob("*convdr_bert*.gz"))  # with ties
    with gzip.open(path):
        table = irpref.crosscheck(measures, real_runs.read_qrels(path), {"run": str(run)})
    assert not table["unexplained"].any()
    assert {"pytrec_eval", "cwl_eval", "msmarco"} <= set(table["tool"])
    assert table["differ"].sum() > 0  # cwl_eval's ties and AP


def test_reasons_are_broken_at_the_width_of_the_screen(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "q").write_text("t1 0 a 1\nt1 0 b 1\nt1 0 c 1\n")
    (tmp_path / "baseline.run").write_text("t1 Q0 a 1 2 x\nt1 Q0 n 2 1 x\n")
    assert main(["crosscheck", "q", "baseline.run", "AP", "--tool", "cwl_eval"]) == 0
    printed = capsys.readouterr().out
    assert "relevant documents retrieved" in " ".join(printed.split())
    assert max(map(len, printed.splitlines())) <= 80
