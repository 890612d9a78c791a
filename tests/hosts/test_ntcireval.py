"""NTCIREVAL and pyNTCIREVAL as tools of `crosscheck`: which measures they are asked for, and how."""

import os
import shutil
import stat

import pytest

import irpref
from irpref.datasets import load
from irpref.hosts import other_tools
from irpref.hosts.ntcireval import ntcir_name, python_name

QRELS = {"q1": {"a": 2, "b": 1, "c": 0, "lost": -1}, "q2": {"a": 1, "b": 0}, "q3": {"a": 0}}
RUN = {"q1": {"c": 3.0, "x": 2.5, "a": 2.0}, "q2": {"b": 1.0, "a": 1.0}}
NAMES = {
    "QMeasure": "Q-measure",
    "QMeasure(judged_only=True)@10": "Q@0010",
    "OMeasure": "O-measure",
    "OMeasure@10": None,
    "PMeasure": "P-measure",
    "P+": "P-plus",
    "NCU(stop='graded')": "NCUgu,BR",
    "NCU(stop='rank_biased',utility='P')": "NCUrb,P",
    "NCU": None,
    "BprefVariant": "bpref",
    "BprefR": "bpref_R",
    "BprefN": "bpref_N",
    "Bpref10": None,
    "BprefVariant(rel=2)": None,
    "BprefVariant(norm='relative',top='zero')": "bpref_relative",
    "RPref": "rpref_N",
    "RPref(norm='relative',top='zero')": "rpref_relative",
    "RPref(norm='relative')": None,
    "RPref(norm='relative2')": "rpref_relative2",
    "RPref(unretrieved='infinity')": None,
    "AP": None,
}
ASKED = [name for name, theirs in NAMES.items() if theirs]


def test_names_of_ntcireval():
    assert {name: ntcir_name(irpref.parse(name)) for name in NAMES} == NAMES
    assert python_name(irpref.parse("QMeasure@10")) == "QMeasure"
    assert python_name(irpref.parse("NCU(stop='graded')")) == "NCUguBR"
    assert python_name(irpref.parse("RPref")) is None


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program that writes down how it was called, and prints values of its own."""
    binary = tmp_path / "ntcir_eval"
    binary.write_text(
        '#!/bin/sh\necho "$@" >> "$0.args"\ncat "$3" >> "$0.rel"\ncat >> "$0.in"\n'
        "echo ' # syslen=3'\necho ' rpref_N= 0.2500'\necho ' Q-measure=   0.4000'\n"
    )
    binary.chmod(binary.stat().st_mode | stat.S_IEXEC)
    find = shutil.which  # providers look for programs, too, and remember what they found
    monkeypatch.setattr(
        other_tools.shutil,
        "which",
        lambda name, *given: os.fspath(binary) if name == binary.name else find(name, *given),
    )
    return lambda part: (tmp_path / f"ntcir_eval.{part}").read_text()


def test_the_program_gets_levels_gains_and_judged_documents_alone(program):
    asked = irpref.RPref(gains={1: 1, 2: 5}, max_rel=3)
    table = irpref.crosscheck([asked], QRELS, {"mine": RUN}, tools=["ntcir_eval"])
    (row,) = table.itertuples()
    assert (row.tool, row.topics, row.unexplained) == ("ntcir_eval", 2, 2)
    first = program("args").splitlines()[0].split()
    assert first[:2] == ["compute", "-r"]
    assert first[3:] == ["-g", "1:5:3", "-j"]
    # The judged documents of q1 and of q2, then of each what was retrieved, best first: c and a;
    # equal scores by falling id.
    assert program("rel").split() == ["d0", "L2", "d1", "L1", "d2", "L0", "d0", "L1", "d1", "L0"]
    assert program("in").split() == ["d2", "L0", "d0", "L2", "d1", "L0", "d0", "L1"]


def test_the_program_gets_the_whole_list_beta_and_gamma(program):
    measure = irpref.QMeasure(beta=2)
    found = irpref.crosscheck([measure], QRELS, {"mine": RUN}, tools=["ntcir_eval"])
    assert found["topics"].tolist() == [2]
    assert program("args").splitlines()[0].split()[3:] == ["-g", "1:2", "-beta", "2"]
    assert program("in").splitlines()[:3] == ["d2 L0", "d3", "d0 L2"]  # x is not judged


def test_pyntcireval_has_our_values():
    pytest.importorskip("pyNTCIREVAL")
    data = load("synthetic")
    table = irpref.crosscheck(ASKED, data.qrels, data.runs, tools=["pyNTCIREVAL"])
    assert len(table) == 7 * len(data.runs)
    assert (table["topics"] >= 29).all()
    assert (table["differ"] == 0).all()


def test_topics_that_pyntcireval_refuses_have_no_value():
    pytest.importorskip("pyNTCIREVAL")
    run = {**RUN, "q3": {"a": 1.0}}  # without a relevant document
    (row,) = irpref.crosscheck(
        ["QMeasure"], QRELS, {"mine": run}, tools=["pyNTCIREVAL"]
    ).itertuples()
    assert (row.topics, row.differ, row.unexplained) == (3, 1, 1)


@pytest.mark.skipif(shutil.which("ntcir_eval") is None, reason="there is no ntcir_eval")
def test_ntcireval_has_our_values():
    data = load("synthetic")
    table = irpref.crosscheck(ASKED, data.qrels, data.runs, tools=["ntcir_eval"])
    assert len(table) == len(ASKED) * len(data.runs)
    assert (table["differ"] == 0).all()


def test_what_could_be_installed_is_named(monkeypatch):
    monkeypatch.setattr(other_tools, "_is_there", lambda name: False)
    assert "pyNTCIREVAL" in other_tools.to_install(["QMeasure"])
    assert "ntcir_eval" in other_tools.to_install(["RPref(norm='relative2')"])
    assert "pyNTCIREVAL" not in other_tools.to_install(["RPref(norm='relative2')"])
    assert "ranx" in other_tools.to_install(["BprefVariant"])
    assert other_tools.to_install(["CRP"]) == ""
    monkeypatch.setattr(other_tools, "_is_there", lambda name: True)
    assert other_tools.to_install(["QMeasure", "RPref", "BprefVariant"]) == ""


def test_ranx_is_asked_for_its_bpref_of_one_threshold():
    asked = ["Bpref", "Bpref(rel=1)", "BprefVariant", "BprefVariant(rel=2)", "BprefR", "AP"]
    found = [other_tools.ranx_bpref(irpref.parse(name)) for name in asked]
    assert found == [True, True, True, False, False, False]


@pytest.mark.filterwarnings("ignore")  # of numba
def test_ranx_has_our_bpref():
    pytest.importorskip("ranx")
    data = load("synthetic")
    table = irpref.crosscheck(["Bpref", "BprefVariant"], data.qrels, data.runs, tools=["ranx"])
    assert len(table) == 2 * len(data.runs)
    assert (table["unexplained"] == 0).all()
