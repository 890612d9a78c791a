"""Our values beside those of other tools: agreement, differences with a reason, differences without
one.
"""

import gzip
import os
import shutil
import stat

import ir_measures
import pytest
from ir_measures import AP, RBP, RR, Bpref, nDCG

import irpref
import real_runs
from irpref.cli import main
from irpref.hosts import other_tools as module
from irpref.hosts.other_tools import COLUMNS, FLOAT32, LEFT, SEEN, TIES, UNEXPLAINED, trec_name

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
        assert row(table, measure, tool) == ("mine", measure, tool, 2, 0, 0, None, "")
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
    found = row(table, RBP(rel=1), "cwl_eval")  # the order of the rows
    assert (found.differ, found.topic, found.why) == (1, "tied", f"{TIES} (1)")
    assert found.largest == pytest.approx(0.2 - 0.16)
    found = row(table, "AP", "cwl_eval")
    assert (found.differ, found.topic) == (2, "tied") or (found.differ, found.topic) == (2, "lost")
    assert set(found.why.split("; ")) == {f"{TIES} (1)", f"{SEEN} (1)"}


def test_measures_that_are_left_to_a_tool_and_tools_that_fail():
    table = irpref.crosscheck(["IPrec@0.5"], QRELS, {"mine": RUN})
    assert row(table, "IPrec@0.5", "pytrec_eval").why == LEFT
    with pytest.raises(ValueError, match="there are no measures"):
        irpref.crosscheck([], QRELS, {"mine": RUN})
    with pytest.raises(ValueError, match="qrels are empty"):
        irpref.crosscheck(["AP"], {}, {"mine": RUN})


class Wrong(ir_measures.providers.Provider):
    """Adds a tenth to the first topic, and cannot compute P at all."""

    NAME = "wrong"
    SUPPORTED_MEASURES = ir_measures.pytrec_eval.SUPPORTED_MEASURES

    def is_available(self):
        return True

    def iter_calc(self, measures, qrels, run):
        if measures[0].NAME == "P":
            raise RuntimeError("no P today")
        for n, metric in enumerate(ir_measures.pytrec_eval.iter_calc(measures, qrels, run)):
            yield metric._replace(value=metric.value + 0.1 * (n == 0))


@pytest.fixture
def wrong(monkeypatch):
    providers = [Wrong(), *ir_measures.DefaultPipeline.providers]
    monkeypatch.setattr(ir_measures.DefaultPipeline, "providers", providers)


def test_a_difference_without_a_reason_and_the_exit_status(wrong, tmp_path, monkeypatch, capsys):
    table = irpref.crosscheck(["AP", "P@5"], QRELS, {"mine": RUN})
    found = row(table, "AP", "wrong")
    assert (found.differ, found.why) == (1, f"{UNEXPLAINED} (1)")
    assert found.largest == pytest.approx(0.1)
    assert row(table, "P@5", "wrong").why == "could not compute it: RuntimeError: no P today"
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
    assert (found.topics, found.differ, found.why) == (
        1,
        1,
        f"{UNEXPLAINED} (1)",
    )  # c, of grade 2, is third
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


@pytest.mark.once
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
    assert not table["why"].str.contains(UNEXPLAINED).any()
    assert {"pytrec_eval", "cwl_eval", "msmarco"} <= set(table["tool"])
    assert table["differ"].sum() > 0  # cwl_eval's ties and AP
