"""The command line: what it prints, what it refuses, and that it prints what the host's command prints."""

import gzip
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import ir_measures
import pytest

import irpref
from irpref.cli import COMMANDS, main
from irpref.cli.frame import sort_arguments
from irpref.formats import trec as trec
from irpref.formats.runs import RUN_ENDINGS, run_names
from irpref.judged.stream import judge_file
from irpref.measures.declare import registered
from irpref.show import text as printing

QRELS = "1 0 a 2\n1 0 b 1\n1 0 c 0\n2 0 a 1\n2 0 d 0\n3 0 a 1\n"
R1 = "1 Q0 a 1 3 t\n1 Q0 c 2 2 t\n1 Q0 b 3 1 t\n2 Q0 d 1 2 t\n2 Q0 a 2 1 t\n"
R2 = "1 Q0 c 1 3 t\n1 Q0 a 2 2 t\n2 Q0 a 1 2 t\n2 Q0 d 2 1 t\n3 Q0 a 1 1 t\n"

MISSING = "irpref: check: no documents for 1 of 3 topics, first '3'; they count as empty rankings\n"

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with judgments and two runs, as the current one."""
    for name, text in (("qrels", QRELS), ("r1", R1), ("r2", R2)):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def call(files: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run the command in this process: status, output, errors but for findings (`r1` lacks a topic)."""

    def called(*arguments: str) -> tuple[int, str, str]:
        status = main(list(arguments))
        out, err = capsys.readouterr()
        return status, out, "".join(line for line in err.splitlines(True) if not line.startswith("irpref: check: "))

    return called


def golden(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")


# One run --------------------
# AP of r1: (1 + 2/3) / 2, 1/2, 0; of r2: 1/4, 1, 1. EMeasure@2 = 1 - 2r / (m + n): of r1 1/2, 1/3, 1;
# of r2 1/2, 1/3, 1/3.


def test_one_run_prints_what_the_host_prints(call: Call) -> None:
    assert call("eval", "qrels", "r1", "AP", "RR") == (0, "AP\t0.4444\nRR\t0.5000\n", "")


def test_by_query(call: Call) -> None:
    _, out, _ = call("eval", "qrels", "r1", "CRPRecovery", "-q")
    assert out.splitlines()[0] == "1\tCRPRecovery\t0.6667"
    assert out.splitlines()[-1].startswith("all\tCRPRecovery\t")
    _, out, _ = call("eval", "qrels", "r1", "-q", "-n", "AP")
    assert out == "1\tAP\t0.8333\n2\tAP\t0.5000\n3\tAP\t0.0000\n"


def test_json_lines(call: Call) -> None:
    _, out, _ = call("eval", "qrels", "r1", "AP", "-o", "jsonl")
    assert json.loads(out) == {"measure": "AP", "value": pytest.approx(4 / 9)}
    _, out, err = call("eval", "qrels", "r1", "AP", "--output_format", "jsonl", "-q", "-n", "-p", "2")
    assert [json.loads(line) for line in out.splitlines()][1] == {"query_id": "2", "measure": "AP", "value": 0.5}
    assert err == "--places is ignored when using --output jsonl\n"


def test_table_of_one_run(call: Call) -> None:
    _, out, _ = call("eval", "qrels", "r1", "AP", "EMeasure@2", "-o", "table")
    assert out == golden(
        """
        measure      value
        AP          0.4444
        EMeasure@2  0.6111
        """
    )
    _, out, _ = call("eval", "qrels", "r1", "AP", "RR", "-o", "table", "-q")
    assert out == golden(
        """
        topic      AP      RR
        1      0.8333  1.0000
        2      0.5000  0.5000
        3      0.0000  0.0000
        all    0.4444  0.5000
        """
    )


def test_names_with_blanks_several_in_one_argument_and_of_trec_eval(call: Call) -> None:
    _, out, _ = call("eval", "qrels", "r1", "RPref(max_rel=2, norm='relative') map", "P.1,2")
    assert [line.split("\t")[0] for line in out.splitlines()] == [
        "RPref(norm='relative',max_rel=2)",
        "AP",
        "P@1",
        "P@2",
    ]


def test_options_may_stand_between_arguments(call: Call) -> None:
    expected = call("eval", "qrels", "r1", "AP", "RR", "-p", "2")
    assert expected[1] == "AP\t0.44\nRR\t0.50\n"
    assert call("eval", "-p", "2", "qrels", "r1", "AP", "RR") == expected
    assert call("eval", "qrels", "-p", "2", "r1", "AP", "RR") == expected
    assert call("eval", "qrels", "r1", "-p", "2", "AP", "RR") == expected


def test_all_places(call: Call) -> None:
    assert call("eval", "qrels", "r1", "AP", "-p", "-1")[1] == f"AP\t{((1 + 2 / 3) / 2 + 1 / 2) / 3}\n"


# Several runs --------------------


def test_table_of_runs_marks_the_best(call: Call) -> None:
    _, out, _ = call("eval", "qrels", "r1", "r2", "AP", "EMeasure@2", "NumRel", "RR(rel=3)")
    assert out == golden(
        """
        run       AP  EMeasure@2  NumRel  RR(rel=3)  answered
        r1   0.4444      0.6111   3.0000     0.0000         2
        r2   0.7500*     0.3889*  4.0000     0.0000         3
        * best (lower is better: EMeasure@2)
        answered: topics with documents, of 3
        """
    )


def test_baseline_with_marks_in_every_format(call: Call, files: Path) -> None:
    many = "".join(f"{t} 0 a 1\n" for t in range(20))
    (files / "many").write_text(many)
    (files / "good.run.gz").write_bytes(gzip.compress("".join(f"{t} Q0 a 1 1 t\n" for t in range(20)).encode()))
    (files / "bad.run").write_text("".join(f"{t} Q0 {'b' if t % 4 else 'a'} 1 1 t\n" for t in range(20)))
    arguments = ("eval", "many", "bad.run", "good.run.gz", "RR", "--baseline", "bad.run")
    note = (
        "step-down sign-flip t-test, 10,000 sign vectors, 20 topics; family: one pair of runs, by measure; "
        "family-wise level 5 %; a value without † is not shown to differ"
    )

    def golden_with_note(text: str) -> str:
        return golden(text).replace("NOTE", note)

    assert call(*arguments)[1] == golden_with_note(
        """
        run         RR
        bad   0.2500
        good  1.0000*†
        * best
        † differs from bad: NOTE
        """
    )
    assert call(*arguments, "-o", "markdown")[1] == golden_with_note(
        """
        | run | RR |
        | --- | ---: |
        | bad | 0.2500 |
        | good | **1.0000**† |

        Bold: best

        † differs from bad: NOTE
        """
    )
    assert call(*arguments, "-o", "latex")[1] == golden_with_note(
        r"""
        % \usepackage{booktabs,graphicx}
        \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%
        \begin{tabular}{lr}
        \toprule
        run & RR \\
        \midrule
        bad & 0.2500 \\
        good & \textbf{1.0000}$^{\dagger}$ \\
        \bottomrule
        \end{tabular}}
        % bold: best
        % † differs from bad: NOTE
        """
    )
    assert call(*arguments, "-o", "tsv")[1].splitlines()[0] == "bad\tRR\t0.2500\t\t\t"
    last = json.loads(call(*arguments, "-o", "jsonl")[1].splitlines()[-1])
    # Differences of 1 in 15 topics and of 0 in 5: 2 of 2^15 sign vectors have as large a sum, 10,000 are drawn.
    assert 1 / 10_001 <= last["p"] == last["p_adjusted"] < 10 / 10_001
    of_t = call(*arguments, "--pairs", "holm", "-o", "csv")[1]
    # t = 0.75 / sqrt(0.1875 * 20 / 19 / 20) = sqrt(57); p = I(19 / (19 + 57); 19 / 2, 1 / 2), the incomplete beta
    # function.
    assert of_t == golden(
        """
        run,measure,value,difference,p,p_adjusted
        bad,RR,0.2500,,,
        good,RR,1.0000,0.7500,3.918e-07,3.918e-07
        """
    )


def test_a_pair_has_the_p_of_the_leaderboard(call: Call) -> None:
    board = call("leaderboard", "qrels", "r1", "r2", "AP", "--tests", "-o", "jsonl")[1]
    of_board = json.loads(board)
    last = json.loads(call("eval", "qrels", "r1", "r2", "AP", "--baseline", "r1", "-o", "jsonl")[1].splitlines()[-1])
    assert (last["p"], last["p_adjusted"]) == (of_board["p"], of_board["p_adjusted"])


def test_baseline_is_evaluated_even_if_it_is_not_among_the_runs(call: Call) -> None:
    _, out, _ = call("eval", "qrels", "r2", "AP", "--baseline", "r1", "-o", "csv")
    assert [line.split(",")[0] for line in out.splitlines()] == ["run", "r1", "r2"]


def test_baseline_by_the_name_that_the_table_shows(call: Call, files: Path) -> None:
    (files / "runs").mkdir()
    for name in ("r1", "r2"):
        (files / "runs" / f"{name}.run").write_bytes((files / name).read_bytes())
    by_path = call("eval", "qrels", "runs/r1.run", "runs/r2.run", "AP", "--baseline", "runs/r2.run")
    assert call("eval", "qrels", "runs/r1.run", "runs/r2.run", "AP", "--baseline", "r2") == by_path
    assert by_path[0] == 0


def test_quotes_in_csv_and_bars_in_markdown(call: Call) -> None:
    _, out, _ = call("eval", "qrels", "r1", "nDCG(gains={1:1,2:3})@2", "SetF(rel=2,beta=2)", "-o", "csv")
    assert out.splitlines()[2].startswith('"SetF(rel=2,beta=2.0)",')
    table = printing.Table([printing.Column("run", left=True), printing.Column("AP")], [["a|b", 1]])
    assert printing.text(table, "markdown") == "| run | AP |\n| --- | ---: |\n| a\\|b | 1 |\n"


def test_names_of_runs() -> None:
    assert run_names(["x/a.run.gz", "x/b.txt"]) == {"a": "x/a.run.gz", "b": "x/b.txt"}
    assert list(run_names([f"a{i}{ending}" for i, ending in enumerate(RUN_ENDINGS)])) == [
        f"a{i}" for i in range(len(RUN_ENDINGS))
    ]
    assert list(run_names(["x/a.gz", "y/a.gz"])) == ["x/a.gz", "y/a.gz"]


# Other inputs --------------------


def test_float_grades_work_for_the_measures_of_the_host(call: Call, files: Path) -> None:
    (files / "half").write_text(QRELS.replace("1 0 b 1", "1 0 b 0.5"))
    _, out, _ = call("eval", "half", "r2", "RR", "-q", "-n")
    assert out == "1\tRR\t0.5000\n2\tRR\t1.0000\n3\tRR\t1.0000\n"


def test_known_documents(call: Call, files: Path) -> None:
    (files / "seen").write_text("1 0 a 1\n")
    _, out, _ = call("eval", "qrels", "r1", "Coverage", "Novelty", "--known", "seen", "-q", "-n")
    assert "1\tCoverage\t1.0000" in out.splitlines()
    assert "1\tNovelty\t0.5000" in out.splitlines()
    status, _, err = call("eval", "qrels", "r1", "Coverage")
    assert status == 2
    assert "give --known FILE" in err


def test_examples_of_ir_datasets(call: Call, files: Path) -> None:
    pytest.importorskip("ir_datasets")
    (files / "run").write_text("1 Q0 D1 1 1 t\n")
    assert call("eval", "irpref/rpref-figure-1/T1", "run", "P@1") == (0, "P@1\t1.0000\n", "")


def test_standard_input(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (R1, R1 + "1 Q0 zzz 9 0 t\n"):  # the second has a topic in two places, and cannot be read twice
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert call("eval", "qrels", "-", "RR", "CRPRecovery")[1].startswith("RR\t0.5000\n")


def test_provider_of_the_host(call: Call) -> None:
    assert call("eval", "qrels", "r1", "AP", "--provider", "pytrec_eval") == (0, "AP\t0.4444\n", "")
    status, _, err = call("eval", "qrels", "r1", "AP", "--provider", "none")
    assert status == 2
    assert "pytrec_eval" in err


def test_large_files_stream_to_the_same_values(call: Call, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)
    lines = [f"{t} Q0 d{rng.randrange(30)} 1 {rng.randrange(5)} x\n" for t in range(40) for _ in range(25)]
    (files / "q").write_text("".join(f"{t} 0 d{d} {rng.randrange(4)}\n" for t in range(41) for d in range(20)))
    (files / "sorted").write_text("".join(lines))
    rng.shuffle(lines)
    (files / "mixed").write_text("".join(lines))
    measures = ("AP", "RR@10", "Judged@10", "nDCG", "QMeasure", "RPref(max_rel=3)", "CRPRecovery", "NumRet")
    for run in ("sorted", "mixed"):
        expected = call("eval", "q", run, *measures, "-p", "-1")
        monkeypatch.setattr("irpref.judged.stream.judge_file", partial(judge_file, block_bytes=500))
        assert call("eval", "q", run, *measures, "-p", "-1")[:2] == expected[:2]
        monkeypatch.undo()
        monkeypatch.chdir(files)


# Bad input --------------------


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["qrels", "nope", "AP"], 1, "nope: no such file"),
        (["nope", "r1", "AP"], 1, "nope: no such file"),
        (["qrels", "r1", "runs/x.run", "AP"], 1, "runs/x.run: no such file"),
        (["qrels", ".", "AP"], 1, ".: a folder without .parquet files"),
        (["qrels", "r1", "nDGC@10"], 2, "unknown measure 'nDGC'; did you mean 'nDCG'?"),
        (["qrels", "r1", "RPref(norm='rel')"], 2, "expected one of 'absolute'"),
        (["qrels", "r1", "NPref"], 2, "NPref needs n"),
        (["qrels", "r1"], 2, "no measure given"),
        (["qrels", "AP"], 2, "no run given: 'AP' is a measure"),
        (
            ["qrels"],
            2,
            "arguments are required: RUN... MEASURE..., as in irpref eval [options] QRELS RUN... MEASURE...",
        ),
        (["qrels", "r1", "RR @10"], 2, "write no blanks beside '@'"),
        (["qrels", "r1", "AP@10(rel=2)"], 2, "the cutoff comes last: AP(rel=2)@10"),
        (["qrels", "r1", "AP", "-o", "a.csv"], 2, "-o is a format of text; a file is written with -f a.csv"),
        (["--qrels", "qrels", "--run", "r1"], 2, "files are given without an option, as in irpref eval QRELS RUN..."),
        (["qrels", "r1", "AP", "--perquery"], 2, "did you mean '--by_query'?"),
        (["qrels", "r1", "AP", "-n"], 2, "only supported with --by_query"),
        (["qrels", "r1", "AP", "-p", "-2"], 2, "--places -2"),
        (["qrels", "r1", "AP", "--frobnicate"], 2, "unrecognized arguments: --frobnicate"),
        (["qrels", "r1", "AP", "-o", "xml"], 2, "invalid choice: 'xml'"),
        (["-", "-", "AP"], 2, "standard input ('-') can be read once only"),
        (["qrels", "r1", "AP", "--baseline", "r1"], 2, "--baseline needs another run"),
        (["qrels", "r1", "AP", "--baseline", "nope"], 1, "--baseline nope: no such file"),
        (["qrels", "twice", "CRPRecovery", "--strict"], 1, "document 'a' twice in topic '1'"),
        (["qrels", "twice", "AP", "--strict"], 1, "document 'a' twice in topic '1'"),
        (["qrels", "short", "AP"], 1, "short, line 2: 5 fields, expected 6"),
        (["qrels", "nan", "AP"], 1, "nan: run: the score of topic '1', document 'a' is nan"),
        (["qrels", "other", "RPref(max_rel=2)"], 1, "no topic in common"),
        (["empty", "r1", "RPref(max_rel=2)"], 1, "empty: the qrels are empty"),
        (["empty", "r1", "AP"], 1, "empty: the qrels are empty"),
        (["empty", "r1", "r2", "AP", "--baseline", "r1"], 1, "empty: the qrels are empty"),
        (["qrels", "r1", "r2", "AP", "--pairs", "holm"], 2, "--pairs and --level need --baseline"),
        (["qrels", "r1", "r2", "AP", "--level", "0.9"], 2, "--pairs and --level need --baseline"),
        (["qrels", "r1", "no.gzz", "AP"], 2, "'no.gzz' is neither a file nor a measure"),
        (["qrels", "r1", "ndcg10"], 2, "'ndcg10' is neither a file nor a measure; did you mean 'nDCG@10'?"),
        (["qrels", "r1", "P10"], 2, "did you mean 'P@10'?"),
        (["qrels", "r1", "ndcg_cut10"], 2, "did you mean 'ndcg_cut_10'?"),
        (["qrels", "r1", "ndcg_cut_1O"], 2, "did you mean 'ndcg_cut_10'?"),
        (["qrels", "r1", "F1"], 2, "did you mean 'SetF'?"),
        (["qrels", "r1", "hits@10"], 2, "unknown measure 'hits'; did you mean 'Success'?"),
        (["qrels", "r1", "xyzzy"], 2, "'xyzzy' is neither a file nor a measure; irpref list shows them all"),
        (["qrels", "r1", "AP,P@5"], 2, "is not written like a measure"),
        (["qrels", "r1", "AP,", "P@5"], 2, "several are written with blanks between them"),
        (["qrels", "r1", "RPref(3)"], 2, "parameters have names"),
        (["qrels", "r1", "RPref(max_rel=3"], 2, "a bracket is not closed"),
        (["qrels", "r1", "RPref(maxrel=3)"], 2, "irpref: RPref has no parameter 'maxrel'; did you mean 'max_rel'?"),
        (["qrels", "", "AP"], 2, "an argument is empty"),
        (["", "r1", "AP"], 2, "an argument is empty"),
        (["qrels", "r1", "AP", "--by-querry"], 2, "did you mean '--by-query'?"),
        (["qrels", "r1", "NERR8@10"], 2, "NERR8 needs max_rel: maximum relevance score, as in NERR8(max_rel=...)"),
        (["qrels", "r1", "IPrec"], 2, "IPrec needs recall: recall threshold, as in IPrec@0.1"),
        (["qrels", "r1", "BPM"], 2, "BPM needs cutoff: ranking cutoff threshold, as in BPM@10"),
        (["qrels", "r1", "AP", "--provider", "gdeval"], 1, "the provider gdeval does not compute AP"),
        (["qrels", "r1", "P@0"], 2, "P: cutoff=0 is not accepted, expected at least 1"),
        (["qrels", "r1", "P_0"], 2, "P: cutoff=0 is not accepted, expected at least 1"),
        (["qrels", "r1", "AP@99999999999999999999999"], 2, "is not accepted, expected at most 2147483647"),
        (["qrels", "r1", "AP(rel=0)"], 2, "AP: rel=0 is not accepted, expected at least 1"),
        (["qrels", "r1", "Bpref(rel=-1)"], 2, "Bpref: rel=-1 is not accepted, expected at least 1"),
        (["qrels", "r1", "Bpref(rel=1000000)"], 2, "Bpref: rel=1000000 is not accepted, expected at most 100000"),
        (["qrels", "r1", "nDCG(gains={1:1e400})"], 2, "is not accepted, expected a dict such as"),
        (["high", "r1", "infAP"], 1, "infAP: left to ir_measures, whose grades end at 1000000, not 3e+09"),
        (["qrels", "r1", "SetF(beta=-1.0)"], 2, "SetF: beta=-1.0 is not accepted, expected at least 0"),
        (["qrels", "r1", "SetF(beta=1e400)"], 2, "SetF: beta=inf is not accepted, expected a number"),
        (["qrels", "r1", "IPrec@99"], 2, "IPrec: recall=99.0 is not accepted, expected at most 1"),
        (["qrels", "r1", "nDCG(gains={1:'a'})"], 2, "nDCG: gains={1: 'a'} is not accepted, expected a dict such as"),
        (["qrels", "r1", "r1", "AP", "--baseline", "r1"], 2, "--baseline needs another run"),
    ],
)
def test_errors_are_one_line(call: Call, files: Path, arguments: list[str], status: int, message: str) -> None:
    (files / "twice").write_text("1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n")
    (files / "short").write_text("1 Q0 a 1 2 t\n1 Q0 a 2 1\n")
    (files / "nan").write_text("1 Q0 a 1 nan t\n")
    (files / "other").write_text("x Q0 a 1 1 t\n")
    (files / "empty").write_text("")
    (files / "high").write_text("1 0 a 3000000000\n")
    found = call("eval", *arguments)
    assert found[:2] == (status, "")
    assert found[2].count("\n") == 1
    assert found[2].startswith("irpref: ")
    assert message in found[2]


def test_an_unknown_option_is_named(call: Call) -> None:
    assert call("--foo") == (2, "", "irpref: unrecognized arguments: --foo (see irpref --help)\n")


def test_a_measure_that_no_installed_provider_computes(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in ("cwl_eval", "pyndeval", "ranx"):
        monkeypatch.setattr(ir_measures.providers.registry[provider], "_is_available", False)
    monkeypatch.setattr(ir_measures.providers.registry["gdeval"], "_is_available", True)
    for name, hint in (
        ("alpha_nDCG@5", "computes alpha_nDCG@5; pyndeval (pip install ir-measures[pyndeval]) does\n"),
        ("INSQ(max_rel=2)", "computes INSQ(max_rel=2); cwl_eval (pip install ir-measures[cwl_eval]) does\n"),
        ("RBP", "computes RBP; cwl_eval (pip install ir-measures[cwl_eval]) does, with rel\n"),
        ("NumRel(rel=2)", "computes NumRel(rel=2); pytrec_eval does, without rel=2\n"),
    ):
        status, out, err = call("eval", "qrels", "r1", name)
        assert (status, out, err.count("\n")) == (1, "", 1)
        assert hint in err
    status, _, err = call("compare", "qrels", "r1", "r2", "-m", "NumRel(rel=2)")
    assert (status, err.partition(";")[0]) == (1, "irpref: no provider that is installed computes NumRel(rel=2)")


def test_what_the_script_of_the_host_refuses(call: Call, files: Path) -> None:
    if not ir_measures.gdeval.is_available():
        pytest.skip("no perl for ir_measures' gdeval")
    (files / "q").write_text("a 0 d 1\n")
    (files / "r").write_text("a Q0 d 1 1 t\n")
    _, _, err = call("eval", "q", "r", "ERR@5", "--provider", "gdeval")
    assert err == "irpref: ERR@5 is left to gdeval of ir_measures, whose topics are numbers, not 'a'\n"
    (files / "q").write_text("1 0 d 5\n")
    (files / "r").write_text("1 Q0 d 1 1 t\n")
    _, _, err = call("eval", "q", "r", "ERR@5", "--provider", "gdeval")
    assert err == "irpref: ERR@5 is left to gdeval of ir_measures, whose highest grade is 4, not 5\n"
    (files / "q").write_text("1 0 d 0.5\n")
    _, _, err = call("eval", "q", "r", "ERR@5", "--provider", "gdeval")
    assert err == "irpref: ERR@5 is left to gdeval of ir_measures, whose grades are whole numbers, not 0.5\n"
    (files / "q").write_text("w-1 0 d 3\n")
    (files / "r").write_text("w-1 Q0 d 1 1 t\nb Q0 d 1 1 t\n")
    _, _, err = call("eval", "q", "r", "ERR@5", "--provider", "gdeval")
    assert err.splitlines()[-1] == "irpref: r: ir_measures could not compute ERR@5: perl ended with status 25"


@pytest.mark.parametrize("options", [[], ["-q"], ["--provider", "pytrec_eval"]])
def test_runs_are_looked_at_whoever_computes(call: Call, files: Path, options: list[str]) -> None:
    measures = ["AP", "IPrec@0.1"]
    (files / "twice").write_text("1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n")
    (files / "nan").write_text("1 Q0 a 1 nan t\n")
    (files / "other").write_text("x Q0 a 1 1 t\n")
    (files / "empty").write_text("")
    assert call("eval", "qrels", "nan", *measures, *options)[0] == 1
    assert "no topic in common" in call("eval", "qrels", "other", *measures, *options)[2]
    status, _, err = call("eval", "qrels", "twice", *measures, *options)
    assert (status, err.count("\n")) == (0, 1)
    assert "repeats 1 document" in err
    status, _, err = call("eval", "qrels", "empty", *measures, *options)
    assert (status, err.count("\n")) == (0, 1)
    assert "the run is empty" in err


def test_values_of_topics_do_not_depend_on_the_company(call: Call, files: Path) -> None:
    """The host computes these wrongly together, or crashes, so with -q they are not left to it either."""
    (files / "q").write_text(QRELS + "4 0 a -1\n4 0 b -2\n")
    for qrels, measures in (
        ("qrels", ["AP(judged_only=True)", "NumRet"]),
        ("qrels", ["nDCG(gains={1:3,2:5})@10", "nDCG@10"]),
        ("q", ["AP", "nDCG", "nDCG@10", "Rprec", "Bpref"]),
    ):
        _, out, _ = call("eval", qrels, "r1", *measures, "-q")
        _, alone, _ = call("eval", qrels, "r1", *measures)
        means = [line.removeprefix("all\t") for line in out.splitlines() if line.startswith("all\t")]
        assert sorted(means) == sorted(alone.splitlines())


def test_what_only_the_host_computes_fails_in_one_line(call: Call, files: Path) -> None:
    (files / "half").write_text("1 0 a 0.5\n1 0 b 1.5\n")
    said = "IPrec@0.1 is left to pytrec_eval of ir_measures, whose grades are whole numbers, not 1.5\n"
    assert call("eval", "half", "r1", "IPrec@0.1", "AP") == (1, "", f"irpref: {said}")
    (files / "all").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")  # Accuracy divides by the non-relevant of topic 2
    (files / "r").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 1 t\n")
    said = "ir_measures could not compute Accuracy: ZeroDivisionError: float division by zero\n"
    assert call("eval", "all", "r", "Accuracy") == (1, "", f"irpref: r: {said}")
    assert call("compare", "all", "r", "r1", "-m", "Accuracy") == (1, "", f"irpref: 'r': {said}")


def test_topics_that_the_host_leaves_out_of_a_measure(call: Call, files: Path) -> None:
    """Beside measures of other providers they count as 0 there, alone they do not count."""
    (files / "first").write_text("1 Q0 a 1 3 t\n1 Q0 c 2 2 t\n2 Q0 d 1 2 t\n2 Q0 a 2 1 t\n")
    (files / "other").write_text("1 Q0 c 1 3 t\n1 Q0 a 2 2 t\n")
    for measures in (["Accuracy@2"], ["Accuracy@2", "AP"], ["Accuracy@2", "AP", "RPref(max_rel=2)"]):
        _, out, _ = call("eval", "qrels", "first", *measures)
        found = ir_measures.calc_aggregate(
            irpref.parse_all(measures), irpref.read_qrels("qrels"), irpref.read_run("first")
        )
        assert out.splitlines()[0] == f"Accuracy@2\t{found[ir_measures.Accuracy @ 2]:.4f}"
        for more in ([], ["-q"], ["--baseline", "other"], ["-q", "--baseline", "first"]):
            assert call("eval", "qrels", "first", "other", *measures, *more)[0] == 0


def test_judgments_that_differ(call: Call, files: Path) -> None:
    (files / "q").write_text("1 0 a 1\n1 0 a 2\n1 0 c 0\n")
    status, out, err = call("eval", "q", "r1", "AP")
    assert (status, out) == (0, "AP\t1.0000\n")
    assert err.startswith("irpref: warning: qrels: topic '1' judges document 'a' twice, as 2 and as 1: ")
    assert err.endswith(" ir_measures counts the later line\n")
    status, out, err = call("eval", "q", "r1", "AP", "QMeasure")
    assert (status, out) == (1, "")
    assert err.startswith("irpref: q: topic '1' judges document 'a' twice, as 2 and as 1. ")


def test_options_may_be_short(call: Call) -> None:
    assert call("eval", "qrels", "r1", "--by", "--no", "AP")[1] == "1\tAP\t0.8333\n2\tAP\t0.5000\n3\tAP\t0.0000\n"
    assert call("eval", "qrels", "r1", "--out", "csv", "AP")[1].startswith("measure,")
    assert "ambiguous" not in call("eval", "qrels", "r1", "--prov", "pytrec_eval", "AP")[2]
    assert "ambiguous option: --pr could match" not in call("eval", "qrels", "r1", "--pr", "pytrec_eval", "AP")[2]


def test_closed_standard_output(files: Path) -> None:
    for command in (["eval", "qrels", "r1", "AP"], ["list"]):
        for stream in ("stdout", "stderr"):
            code = f"import sys; sys.{stream} = None; from irpref.cli import main; sys.exit(main({command!r}))"
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
            said = done.stderr.replace(MISSING, "")
            assert (done.returncode, said) == (0, "")
            assert bool(done.stdout) == (stream == "stderr")


def test_closed_standard_input(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert call("eval", "qrels", "-", "AP") == (1, "", "irpref: <stdin>: standard input is closed\n")


def test_measures_may_stand_before_runs(call: Call) -> None:
    assert call("eval", "qrels", "AP", "r1", "RR") == (0, "AP\t0.4444\nRR\t0.5000\n", "")


def test_a_run_where_judgments_belong(call: Call) -> None:
    assert call("eval", "r1", "qrels", "AP")[2].startswith("irpref: r1, line 1: 6 fields, expected 4")
    assert "; this looks like a run: '1 Q0 a 1 3 t'" in call("eval", "r1", "qrels", "AP")[2]
    assert "; this looks like judgments: '1 0 a 2'" in call("eval", "qrels", "qrels", "AP")[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["meta", "stability", "qrels", "r1", "r2", "--samples", "0"], "--samples 0: expected a number of at least 1"),
    ],
)
def test_numbers_out_of_range(call: Call, arguments: list[str], message: str) -> None:
    assert call(*arguments) == (2, "", f"irpref: {message}\n")


def test_empty_runs_are_remarked_upon_everywhere(call: Call, files: Path) -> None:
    (files / "empty").write_text("")
    for command in (["compare", "qrels", "empty", "r1"], ["curve", "pr", "qrels", "empty"]):
        assert "irpref: warning: empty: the run is empty" in call(*command)[2]


def test_explain_takes_data_sets_too(call: Call, files: Path) -> None:
    pytest.importorskip("ir_datasets")
    (files / "run").write_text("1 Q0 D1 1 1 t\n")
    status, out, _ = call("explain", "irpref/rpref-figure-1/T1", "run", "QMeasure")
    assert status == 0
    assert out.startswith("Topic 1: QMeasure")
    assert call("explain", "qrels", "r1", "QMeasure", "-t", "1")[0] == 0
    assert call("explain", "-", "-", "QMeasure", "-t", "1")[0] == 2


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (OSError("HTTPSConnectionPool(host='a.org', port=443): Max retries exceeded"), "no connection to a.org"),
        (
            RuntimeError("All download sources failed", [OSError("host=\\'a.org\\'"), OSError("host='b.org'")]),
            "no connection to a.org, b.org",
        ),
        (OSError("disk full"), "disk full"),
    ],
)
def test_a_data_set_that_cannot_be_loaded(
    call: Call, error: Exception, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ir_datasets = pytest.importorskip("ir_datasets")

    class Unreachable:
        def has_qrels(self) -> bool:
            return True

        def has_scoreddocs(self) -> bool:
            return False

        def qrels_iter(self) -> object:
            raise error

    monkeypatch.setattr(ir_datasets, "load", lambda name: Unreachable())
    said = f"irpref: some/set: ir_datasets could not load it ({why})\n"
    assert call("eval", "some/set", "r1", "AP") == (1, "", said)


def test_warnings_are_one_line_each(call: Call, files: Path) -> None:
    (files / "twice").write_text("1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n")
    status, out, err = call("eval", "qrels", "twice", "RPref", "CRPRecovery")
    assert (status, out.count("\n")) == (0, 2)
    lines = err.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("irpref: warning: RPref: max_rel is not given")
    assert lines[1].startswith("irpref: warning: the run repeats 1 document inside a topic")


def test_warnings_about_one_of_several_runs_name_it(call: Call, files: Path) -> None:
    (files / "twice").write_text("1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n")
    (files / "empty").write_text("")
    status, _, err = call("eval", "qrels", "r1", "twice", "empty", "CRPRecovery")
    assert status == 0
    assert [line.partition(" inside")[0] for line in err.splitlines()] == [
        "irpref: warning: twice: the run repeats 1 document",
        "irpref: warning: empty: the run is empty: all topics have the value of an empty ranking",
    ]


def test_an_empty_run_is_evaluated_with_a_warning(call: Call, files: Path) -> None:
    (files / "empty").write_text("")
    assert call("eval", "qrels", "empty", "QMeasure") == (
        0,
        "QMeasure\t0.0000\n",
        "irpref: warning: the run is empty: all topics have the value of an empty ranking\n",
    )


def test_a_name_that_is_file_and_measure(call: Call, files: Path) -> None:
    (files / "AP").write_text(R1)
    status, _, err = call("eval", "qrels", "r1", "AP")
    assert status == 2
    assert err == "irpref: 'AP' is both a file and a measure: write ./AP or -m AP\n"
    assert call("eval", "qrels", "r1", "-m", "AP")[1] == "AP\t0.4444\n"
    assert call("eval", "qrels", "./AP", "RR")[1] == "RR\t0.5000\n"
    assert sort_arguments(["AP", "RR"]) == (["AP"], ["RR"])  # what follows the qrels is a run, as for the host


def test_commands(call: Call) -> None:
    status, out, err = call("--help")
    assert (status, err) == (0, "")
    assert all(name in out for name in COMMANDS)
    assert call() == (0, out, "")
    assert call("--version")[1] == f"irpref {irpref.__version__}\n"
    assert call("evl") == (2, "", "irpref: unknown command 'evl'; did you mean 'eval'?\n")
    assert call("qrels", "r1") == (2, "", "irpref: no command given: did you mean irpref eval qrels ...?\n")
    assert call("eval", "--help")[1].startswith("usage: irpref eval [options] QRELS RUN... MEASURE...")


def test_help_is_a_word_as_well(call: Call) -> None:
    assert call("help") == call("--help")
    assert call("help", "eval") == call("eval", "--help")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_loaded(name: str, call: Call) -> None:
    status, out, err = call(name, "--help")
    assert (status, err) == (0, "")
    assert "usage: irpref" in out


FULL = "/dev/full"


@pytest.mark.skipif(not os.path.exists(FULL), reason="needs a device that is always full")
@pytest.mark.parametrize(
    "words", ["--help", "eval --help", "--version", "list", "eval qrels r1 AP", f"eval qrels r1 AP -f {FULL}"]
)
def test_a_full_disk_is_an_error(words: str, files: Path) -> None:
    program = "import sys; from irpref_command import main; sys.exit(main())"
    with open(FULL, "w") as full:
        command = [sys.executable, "-c", program, *words.split()]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    said = f"irpref: {f'{FULL}: ' * words.endswith(FULL)}No space left on device"
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, said)


def test_interruption(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("irpref.cli.frame.inputs", interrupted)
    assert call("eval", "qrels", "r1", "AP") == (130, "", "irpref: interrupted\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes that say how much is in them")
@pytest.mark.parametrize("named", [False, True])
def test_interruption_while_a_pipe_is_silent(named: bool, files: Path) -> None:
    import fcntl
    import termios

    if named:
        os.mkfifo("pipe")
        reader = writer = os.open("pipe", os.O_RDWR)
    else:
        reader, writer = os.pipe()
    command = [sys.executable, "-c", "import sys, irpref_command; sys.exit(irpref_command.main())"]
    command += ["eval", "qrels", "pipe" if named else "-", "QMeasure"]
    with subprocess.Popen(command, stdin=reader, stderr=subprocess.PIPE, text=True) as process:
        os.write(writer, b"1 Q0")
        left = bytearray(b"1234")
        while any(left):  # until it was read: then the command waits for more
            fcntl.ioctl(reader, termios.FIONREAD, left)
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        try:
            _, said = process.communicate(timeout=20)
        finally:
            process.kill()
            for pipe in {reader, writer}:
                os.close(pipe)
    assert (process.returncode, said) == (130, "irpref: interrupted\n")


def test_interruption_while_packages_are_imported() -> None:
    program = """
import sys

class Interrupting:
    def find_spec(self, name, *_):
        if name == "irpref.cli":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupting())
import irpref_command
sys.argv = ["irpref", "list"]
sys.exit(irpref_command.main())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "irpref: interrupted\n")


def test_broken_pipe(files: Path) -> None:
    (files / "big").write_text("".join(f"{t} 0 a 1\n" for t in range(20000)))
    (files / "run").write_text("".join(f"{t} Q0 a 1 1 t\n" for t in range(20000)))
    process = subprocess.Popen(
        [sys.executable, "-m", "irpref", "eval", "big", "run", "CRPRecovery", "-q"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 141
    assert err == ""


def test_help_imports_nothing_heavy() -> None:
    code = "import sys; from irpref.cli import main; main(['--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "ir_measures" in loaded
    assert not loaded & {"pandas", "polars", "scipy", "matplotlib", "pytrec_eval", "ir_datasets", "pyterrier"}


@pytest.mark.parametrize("words", [[], ["-h"], ["--help"], ["help"]])
def test_the_list_of_commands_needs_no_package_and_is_what_the_package_prints(words: list[str], call: Call) -> None:
    code = f"""
import sys, irpref_command
sys.argv = ["irpref", *{words}]
status = irpref_command.main()
print(status, "numpy" in sys.modules, "irpref" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *lines, last = done.stdout.splitlines(keepends=True)
    assert (call(*words), last, done.stderr) == ((0, "".join(lines), ""), "0 False False\n", "")


# irpref list --------------------------------------------------------------------------


def test_list_names_all_measures(call: Call) -> None:
    _, out, _ = call("list")
    for name in (*irpref.measures.registered(), "nDCG", "AP", "Compat"):
        assert re.search(rf"^[- ] {name}(\(|$)", out, re.M), name
    there = ir_measures.cwl_eval.is_available()
    assert ("\n  SDCG(" in out) == there
    assert ("pip install 'irpref[providers]'" in out) == (not there or not ir_measures.pyndeval.is_available())


def test_page_of_a_measure(call: Call) -> None:
    _, out, _ = call("list", "EMeasure")
    assert "Range: [0, 1], lower is better; 0 for the ideal list" in out
    assert (
        "\nNeeds: the top of the grade scale (`max_rel`)\nNeeds: documents judged non-rel" in call("list", "RPref")[1]
    )
    assert "ideal list" not in call("list", "Novelty")[1]
    assert "van Rijsbergen" in out
    assert "beta (float, default 1.0)" in out
    assert "Computed by: irpref" in out
    assert "Computed by: pytrec_eval" in call("list", "AP")[1]
    page = call("list", "ERR_IA")[1]
    assert "Computed by: pyndeval" in page
    assert "cite." not in page
    assert call("list", "ndcg_cut_10")[1].startswith("nDCG")
    assert call("list", "emeasures") == (2, "", "irpref: unknown measure 'emeasures'; did you mean 'EMeasure'?\n")


@pytest.mark.parametrize("name", registered())
def test_a_measure_is_explained_on_one_screen_and_in_full_on_request(call: Call, name: str) -> None:
    _, out, _ = call("list", name)
    assert out.count("\n") <= 40
    assert "\nWhen to use it: " in out
    assert f"irpref list {name} --long" in out
    _, whole, _ = call("list", name, "--long")
    assert "\nDefinition\n\n  " in whole
    assert len(whole) > len(out)


def test_list_as_json(call: Call) -> None:
    facts = {fact["name"]: fact for fact in json.loads(call("list", "-o", "json")[1])}
    assert facts["EMeasure"]["higher_is_better"] is False
    assert facts["NPref"]["parameters"][0]["required"] is True
    assert facts["nDCG"]["from"] == "ir_measures"
    assert [fact["name"] for fact in json.loads(call("list", "RPref", "-o", "json")[1])] == ["RPref"]


# Against the host's command --------------------

HOST_MEASURES = [
    *("AP", "AP(rel=2)", "nDCG", "nDCG@10", "P@5", "R@100", "RR", "RR@10", "Rprec", "Bpref", "Success@5", "Judged@10"),
    *("NumRet", "NumRet(rel=1)", "NumRel", "NumQ", "SetP", "SetR", "SetF", "IPrec@0.1", "infAP"),
]


def both(*arguments: object) -> Iterator[tuple[str, int]]:
    """Output and status of our command, in pytrec_eval's order, and of the host's, each in a process of its own."""
    environment = {**os.environ, "PYTHONHASHSEED": "0"}  # the host's order of lines depends on it
    for command in (["irpref", "eval", "--float32"], ["ir_measures"]):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", *command, *map(str, arguments)],
            capture_output=True,
            text=True,
            env=environment,
        )
        yield done.stdout, done.returncode


@pytest.mark.parametrize("options", [[], ["-q"], ["-p", "-1"], ["-q", "-n", "-o", "jsonl"]], ids=" ".join)
def test_same_output_as_the_host_on_its_test_data(data_dir: Path, options: list[str]) -> None:
    folder = data_dir / "trec_eval-test"
    ours, host = both(
        folder / "qrels" / "qrels.rel_level.gz", folder / "runs" / "results.test.gz", *HOST_MEASURES, *options
    )
    assert ours == host


def test_same_output_as_the_host_with_repeated_documents(files: Path) -> None:
    (files / "twice").write_text(R1 + "1 Q0 c 9 0.5 t\n3 Q0 a 1 1 t\n1 Q0 zzz 1 9 t\n")
    for options in ([], ["-q"]):
        ours, host = both("qrels", "twice", *HOST_MEASURES, *options)
        assert ours == host


@pytest.mark.parametrize("rows", [40, 1500], ids=["small", "large"])
def test_same_output_as_the_host_on_generated_files(files: Path, rows: int) -> None:
    rng = random.Random(rows)
    judged = [f"{t} 0 d{d:04} {rng.randrange(-1, 4)}\n" for t in range(30) for d in range(50)]
    found = [
        # Scores that only 64 bits tell apart, ties, and topics in a strange order.
        f"{t} Q0 d{d:04} {i} {10 + rng.randrange(5) + rng.randrange(3) * 1e-9!r} system-with-a-name-{'x' * 200}\n"
        for t in rng.sample(range(32), 32)
        for i, d in enumerate(rng.sample(range(2000), rows))
    ]
    (files / "judged").write_text("".join(judged))
    (files / "found").write_text("".join(found))
    assert ((files / "found").stat().st_size > trec.BLOCK_BYTES) == (rows > 40)
    for options in ([], ["-p", "-1"]):
        ours, host = both("judged", "found", *HOST_MEASURES, *options)
        assert ours == host


# Many files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [[], ["--jobs", "1"], ["-j", "2"], ["-j", "7"]])
@pytest.mark.parametrize("output", ["table", "tsv"])
def test_a_run_that_cannot_be_read_is_named_and_the_others_are_printed(
    call: Call, files: Path, jobs: list[str], output: str
) -> None:
    (files / "short").write_text("1 Q0 a 1 2 t\n1 Q0 a 2 1\n")
    (files / "nan").write_text("1 Q0 a 1 nan t\n")
    whole = call("eval", "qrels", "r1", "r2", "AP", "RPref(max_rel=2)", "-o", output)
    assert whole[0] == 0
    status, out, err = call("eval", "qrels", "short", "r1", "nan", "r2", "AP", "RPref(max_rel=2)", "-o", output, *jobs)
    assert (status, out) == (1, whole[1])
    first, second = err.splitlines()
    assert first.startswith("irpref: short, line 2: 5 fields, expected 6")
    assert second.startswith("irpref: nan: run: the score of topic '1', document 'a' is nan")


def test_where_no_run_can_be_read_nothing_is_printed(call: Call, files: Path) -> None:
    for name in ("a.run", "b.run"):
        (files / name).write_text("1 Q0 a 1\n")
    status, out, err = call("eval", "qrels", "a.run", "b.run", "AP")
    assert (status, out) == (1, "")
    assert len(err.splitlines()) == 2
    status, out, err = call("eval", "qrels", "a.run", "r1", "AP", "--baseline", "a.run")  # nothing to compare with
    assert (status, out) == (1, "")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_warnings_are_about_their_run_however_many_are_read_at_once(call: Call, files: Path, jobs: str) -> None:
    for i in range(6):
        (files / f"twice{i}").write_text(f"1 Q0 d{i} 1 2 t\n1 Q0 d{i} 2 1 t\n")
    names = [f"twice{i}" for i in range(6)]
    status, _, err = call("eval", "qrels", *names, "AP", "-j", jobs)
    assert status == 0
    lines = [line for line in err.splitlines() if "repeats" in line]
    assert [line.split()[2] for line in lines] == ["twice0:"]
    assert "'d0'" in lines[0]
    assert "irpref: warning: likewise 5 other runs (DuplicateWarning)\n" in err


def test_jobs_are_at_least_one(call: Call, files: Path) -> None:
    status, out, err = call("eval", "qrels", "r1", "AP", "-j", "0")
    assert (status, out) == (2, "")
    assert err.startswith("irpref: argument -j/--jobs: '0': expected a number of at least 1")


def test_files_of_every_form(call: Call, files: Path) -> None:
    import polars as pl

    from irpref.formats import tables

    expected = call("eval", "qrels", "r1", "AP", "nDCG", "RPref(max_rel=2)")
    run, qrels = (tables.read_table(str(files / name), kind) for name, kind in (("r1", "run"), ("qrels", "qrels")))
    frames = [tables.to_pandas(table) for table in (run, qrels)]
    made = [pl.DataFrame({name: frame[name].to_numpy() for name in frame.columns[:3]}) for frame in frames]
    for frame, name in zip(made, ("x", "q"), strict=True):
        frame.write_parquet(files / f"{name}.parquet")
        frame.write_csv(files / f"{name}.csv")
        frame.write_ndjson(files / f"{name}.jsonl")
    (files / "folder").mkdir()
    made[0].write_parquet(files / "folder", partition_by="query_id")
    for form in ("parquet", "csv", "jsonl"):
        assert call("eval", f"q.{form}", f"x.{form}", "AP", "nDCG", "RPref(max_rel=2)") == expected
        (files / "plain").write_bytes((files / f"x.{form}").read_bytes())
        assert call("eval", "qrels", "plain", "--format", form, "AP", "nDCG", "RPref(max_rel=2)") == expected
    assert call("eval", "qrels", "folder", "AP", "nDCG", "RPref(max_rel=2)") == expected


# What `irpref check` finds --------------------


def test_topics_without_documents_are_told_on_standard_error(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "qrels", "r1", "AP"]) == 0
    assert capsys.readouterr() == ("AP\t0.4444\n", MISSING)
    assert main(["eval", "qrels", "r2", "r1", "AP", "-o", "csv"]) == 0
    assert capsys.readouterr().err == MISSING.replace("no documents", "r1: no documents")
    assert main(["eval", "qrels", "r2", "AP"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["compare", "qrels", "r1", "r2", "AP"]) == 0
    assert MISSING.replace("no documents", "r1: no documents") in capsys.readouterr().err


GRAVE = [
    (
        "1 Q0 A 1 3 t\n1 Q0 b 1 2 t\n2 Q0 y 1 1 t\n3 Q0 z 1 1 t\n",
        ["1 ids differ from those of the qrels in case .* 'A' for 'a'"],
    ),
    (
        "1 Q0 v 1 3 t\n2 Q0 w 1 1 t\n3 Q0 w 1 1 t\n",
        ["none of its 3 documents is judged: every value is 0, or says nothing"],
    ),
    ("1 Q0 v 1 3 t\n", ["no documents for 2 of 3 topics, first '2'", "none of its 1 documents is judged"]),
]


@pytest.mark.parametrize(("text", "said"), GRAVE)
@pytest.mark.parametrize("many", [False, True])
def test_eval_says_what_check_finds_grave(files: Path, capsys: pytest.CaptureFixture[str], text, said, many) -> None:
    (files / "bad").write_text(text)
    runs = ["bad", "r2"] if many else ["bad"]
    assert main(["eval", "qrels", *runs, "AP", "nDCG@10"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(said)
    for line, words in zip(lines, said, strict=True):
        assert re.match(f"irpref: check: {'bad: ' * many}{words}", line)
    assert main(["check", "qrels", *runs, "AP", "nDCG@10", "-o", "jsonl"]) == 0
    rows = [json.loads(row) for row in capsys.readouterr().out.splitlines()]
    found = [row["text"] for row in rows if row["level"] == "grave"]
    assert [line.partition("check: ")[2].removeprefix("bad: ") for line in lines] == found


def test_eval_looks_at_ids_of_a_long_run_where_no_document_is_judged(files: Path, capsys, monkeypatch) -> None:
    monkeypatch.setattr("irpref.cli.scoring._LOOKED_AT", 0)
    (files / "upper").write_text((files / "r2").read_text().upper().replace("Q0", "Q0"))
    assert main(["eval", "qrels", "upper", "AP"]) == 0
    first, second = capsys.readouterr().err.splitlines()
    assert "ids differ from those of the qrels in case or white space only" in first
    assert "is judged: every value is 0" in second


def test_check(call: Call) -> None:
    status, out, _ = call("check", "qrels", "r1", "r2", "AP")
    assert status == 0
    grave = "no documents for 1 of 3 topics, first '3'; they count as empty rankings"
    assert out.startswith(f"Grave\nr1  {grave}\n\n")
    status, out, _ = call("check", "qrels", "r1", "--strict", "-o", "jsonl")
    assert status == 1
    assert json.loads(out.splitlines()[0]) == {
        "code": "topics-without-documents",
        "level": "grave",
        "run": "r1",
        "count": 1,
        "example": "3",
        "text": grave,
    }
    assert call("check", "qrels", "r2", "--strict")[0] == 0


def test_leaderboard(call: Call) -> None:
    status, out, _ = call("leaderboard", "qrels", "r1", "r2", "AP", "--permutations", "100")
    assert status == 0
    lines = out.splitlines()
    assert lines[:2] == [
        "AP",
        "run    mean    from      to  place  best  worst  letters  answered  Judged@10",
    ]
    assert lines[2].split()[:2] == ["r2", "0.7500"]
    assert lines[2].split()[-2] == "3"
    assert lines[3].split()[-2:] == ["2", "0.6667"]
    assert "answered: topics with documents, of 3" in lines
    assert "answered" not in call("leaderboard", "qrels", "r2", "./r2", "AP", "--permutations", "100")[1]
    rows = call("leaderboard", "qrels", "r1", "r2", "AP", "nCRP", "--pairs", "none", "-o", "jsonl")[1].splitlines()
    assert [(json.loads(row)["run"], json.loads(row)["measure"]) for row in rows][1:3] == [("r1", "AP"), ("r2", "nCRP")]
    assert call("leaderboard", "qrels", "r1", "r2")[0] == 2


def test_a_board_of_a_group_counts_its_own_topics(call: Call, files: Path) -> None:
    (files / "groups").write_text("1 some\n2 some\n3 other\n4 other\n")
    (files / "qrels").write_text((files / "qrels").read_text() + "4 0 a 1\n")
    (files / "r2").write_text((files / "r2").read_text() + "4 Q0 a 1 1 t\n")
    out = call("leaderboard", "qrels", "r1", "r2", "AP", "--groups", "groups", "--permutations", "100")[1]
    other, some = out.split("AP, topics of some")
    assert "answered: topics with documents, of 2" in other
    assert [line.split()[-2] for line in other.splitlines()[2:4]] == ["2", "0"]
    assert "answered" not in some


# One grammar --------------------


def test_a_topic_and_a_file_to_write(call: Call, files: Path) -> None:
    assert call("eval", "qrels", "r1", "AP", "-t", "2")[1] == "2\tAP\t0.5000\n"
    assert (
        call("eval", "qrels", "r1", "AP", "-t", "9")[2] == "irpref: the qrels have no topic '9' (they begin 1, 2, 3)\n"
    )
    expected = call("eval", "qrels", "r1", "r2", "AP", "-o", "csv")[1]
    assert call("eval", "qrels", "r1", "r2", "AP", "-f", "out.csv") == (0, "", "")
    assert (files / "out.csv").read_text() == expected
    assert call("eval", "qrels", "r1", "nDGC", "-f", "out.csv")[0] == 2
    assert (files / "out.csv").read_text() == expected  # whole or as it was
    assert call("eval", "qrels", "r1", "AP", "-f", "no/out.csv")[2] == "irpref: no/out.csv: No such file or directory\n"
    assert sorted(p.name for p in files.iterdir()) == ["out.csv", "qrels", "r1", "r2"]


def test_the_form_of_runs_and_the_format_of_the_text_are_not_taken_for_each_other(call: Call) -> None:
    status, _, err = call("curve", "pr", "qrels", "r1", "--format", "latex")
    assert status == 2
    assert "'latex' is no form of runs; the format of the text is -o latex" in err
    status, _, err = call("curve", "pr", "qrels", "r1", "--format", "csv")  # a form of runs now, which this is not
    assert status == 1
    assert err.startswith("irpref: r1: ")
    assert err.endswith("(--format csv is how runs are read; the format of the text is -o csv)\n")
    status, _, err = call("plot", "pr", "qrels", "r1", "-f", "a.png", "-o", "b.png")
    assert (status, err) == (2, "irpref: -o is no option of this command (see irpref plot --help)\n")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("irpref cur", {"curve"}),
        ("irpref curve hist", {"histogram"}),
        ("irpref eval --base", {"--baseline"}),
        ("irpref eval -o mark", {"markdown"}),
        ("irpref eval q r -m Rela", {"RelativeRecall"}),
        ("irpref eval q r QMea", {"QMeasure"}),
        ("irpref eval q", {"qrels"}),
        ("irpref cite NPre", {"NPref"}),
        ("irpref curve crp q r NPre", set()),
    ],
)
def test_completion(line: str, expected: set[str], files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a shell asks through argcomplete: the line typed so far in, what could stand at its end out."""
    pytest.importorskip("argcomplete")
    asked = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_SUPPRESS_SPACE": "1", "_ARGCOMPLETE_IFS": " ", "COMP_LINE": line}
    asked |= {"COMP_POINT": str(len(line)), "_ARGCOMPLETE_STDOUT_FILENAME": str(files / "found")}
    code = "import sys; from irpref_command import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **asked}, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert set((files / "found").read_text().split()) == expected


# Tables --------------------


def test_tables_fit_the_screen(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    measures = ["AP", "RPref(norm='relative',max_rel=2)@10", "QMeasure(judged_only=True)", "nDCG@10", "P@5"]
    whole = call("eval", "qrels", "r1", "r2", *measures)[1]
    for width in (30, 40, 60, 80):
        monkeypatch.setenv("COLUMNS", str(width))
        out = call("eval", "qrels", "r1", "r2", *measures)[1]
        assert max(map(len, out.splitlines())) <= width
        assert sorted(re.findall(r"\d\.\d{4}", out)) == sorted(re.findall(r"\d\.\d{4}", whole))
    monkeypatch.setenv("COLUMNS", "200")
    assert call("eval", "qrels", "r1", "r2", *measures)[1] == whole


def test_lower_is_better_is_said_in_every_table(call: Call) -> None:
    for form, said in (
        ("table", "lower is better: nCRP"),
        ("markdown", "lower is better: nCRP"),
        ("latex", "downarrow"),
    ):
        assert said in call("eval", "qrels", "r1", "r2", "AP", "nCRP", "-o", form)[1]


def test_names_do_not_move_the_cursor_or_break_rows(call: Call, files: Path) -> None:
    name = "a\x1b[31m\nb,\r"
    (files / name).write_text(R1)
    for form in ("table", "tsv", "markdown", "latex"):
        out = call("eval", "qrels", "r2", name, "AP", "-o", form)[1]
        assert "\x1b" not in out
        assert "\r" not in out
        assert out.count("\n") == call("eval", "qrels", "r2", "r1", "AP", "-o", form)[1].count("\n")
    assert '\n"a\\x1b[31m\nb,\r",AP,' in call("eval", "qrels", "r2", name, "AP", "-o", "csv")[1]
    assert "\x1b" not in call("eval", "qrels", name, "nope\x1b[1m.txt", "AP")[2]


def test_an_encoding_without_daggers() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    page = printing.page_of(stream)
    table = printing.Table([printing.Column("AP")], [[printing.Cell("0.5", True, True)]], notes=["† differs"])
    assert printing.text(table, page=page) == "   AP\n0.5*#\n# differs\n"


# How runs are read, for every command ------------------------------------------------


def test_every_command_that_reads_runs_has_format_and_jobs(call: Call, files: Path) -> None:
    (files / "c1").write_text("query_id,doc_id,score\n1,a,3\n1,c,2\n1,b,1\n2,d,2\n2,a,1\n")
    (files / "c2").write_text("query_id,doc_id,score\n1,c,3\n1,a,2\n2,a,2\n2,d,1\n3,a,1\n")
    for command, measures in (
        (["compare"], ["AP"]),
        (["compare"], []),
        (["curve", "pr"], []),
        (["curve", "histogram"], []),
        (["curve", "npref"], []),
        (["leaderboard"], ["AP"]),
        (["check"], ["AP"]),
        (["meta", "ranking"], ["AP", "nDCG"]),
        (["meta", "robustness"], ["AP", "--levels", "50"]),
    ):
        plain = call(*command, "qrels", "r1", "r2", *measures, "-o", "csv")
        assert plain[0] == 0, (command, plain)
        for jobs in ("1", "2"):
            other = call(*command, "qrels", "c1", "c2", *measures, "-o", "csv", "--format", "csv", "--jobs", jobs)
            assert other == (0, plain[1].replace("r1", "c1").replace("r2", "c2"), plain[2]), command
    assert call("explain", "qrels", "c1", "AP", "-t", "1", "--format", "csv") == call(
        "explain", "qrels", "r1", "AP", "-t", "1"
    )


def test_one_bad_run_names_itself(call: Call, files: Path) -> None:
    (files / "bad").write_text("1 Q0 a 1 x t\n")
    for command in (["leaderboard"], ["curve", "pr"], ["meta", "ranking"]):
        status, out, err = call(*command, "qrels", "r1", "bad", "r2", *(["AP"] if command != ["curve", "pr"] else []))
        assert (status, out) == (1, "")
        assert err.startswith("irpref: bad, line 1: ")
    assert call("compare", "qrels", "r1", "bad", "AP")[2].startswith("irpref: bad, line 1: ")
    status, out, _ = call("check", "qrels", "r1", "bad", "r2", "-o", "jsonl")  # the others are looked at
    found = {(row["run"], row["code"]) for row in map(json.loads, out.splitlines())}
    assert status == 0
    assert {("bad", "invalid-run"), ("r1", "topics-without-documents")} <= found
    assert call("check", "qrels", "r1", "bad", "AP", "--judge-next", "1")[0] == 1


def test_float32_gives_the_order_of_pytrec_eval_in_every_command(call: Call, files: Path) -> None:
    # 2^24 + 1 is 2^24 in 32 bits: a tie, in which the later id stands first.
    (files / "q").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    (files / "close").write_text("1 Q0 a 1 16777217 t\n1 Q0 b 2 16777216 t\n2 Q0 a 1 1 t\n")
    (files / "other").write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n2 Q0 a 1 1 t\n")

    def of(*command: str) -> list[dict[str, str]]:
        import csv

        return list(csv.DictReader(io.StringIO(call(*command, "-o", "csv")[1])))

    for more, value in (([], 1.0), (["--float32"], 0.75)):
        assert float(of("eval", "q", "close", "AP", *more)[0]["value"]) == value
        assert float(of("compare", "q", "close", "other", "AP", *more)[0]["mean_a"]) == value
        board = of("leaderboard", "q", "close", "other", "AP", "--permutations", "10", *more)
        assert [float(row["mean"]) for row in board if row["run"] == "close"] == [value]
        assert float(of("curve", "pr", "q", "close", *more)[0]["precision"]) == value
    for more, value in (([], 1.0), (["--float32"], 0.5)):  # R-precision
        assert float(of("compare", "q", "close", "other", *more)[0]["mean_a"]) == value
        rows = of("curve", "histogram", "q", "close", "other", *more)
        assert sorted(float(row["value"]) for row in rows) == sorted([2 * value - 1, 1.0])


def test_a_warning_about_many_runs_is_printed_once(call: Call, files: Path) -> None:
    (files / "q").write_text("1 0 a 1\n1 0 b 0\n2 0 a 0\n2 0 b 1\n")
    for i in range(5):  # b is first by 64 bits, and the larger id of a tie by 32
        lines = [f"{t} Q0 {d} 0 {s} x\n" for t in "12"[: 1 + i % 2] for d, s in (("a", 1.00000001), ("b", 1.0))]
        (files / f"close{i}").write_text("".join(lines))
    names = [f"close{i}" for i in range(5)]
    for command in ("eval", "leaderboard"):
        err = call(command, "q", *names, "AP")[2].splitlines()
        warned = [line for line in err if "warning" in line]
        assert len(warned) == 2
        assert "close0" in warned[0]
        assert warned[1] == "irpref: warning: likewise 4 other runs (TieWarning)"
    assert "likewise" not in call("eval", "q", "close0", "AP")[2]


def test_documents_to_judge_next(call: Call, files: Path) -> None:
    (files / "q").write_text("q 0 r 1\nq 0 s 1\n")
    (files / "a").write_text("q Q0 r 1 3 t\nq Q0 x 2 2 t\nq Q0 y 3 1 t\n")
    (files / "b").write_text("q Q0 x 1 3 t\nq Q0 s 2 2 t\nq Q0 z 3 1 t\n")
    # P@3 is 1/3 for both; y and z each move one of them by 1/3, x both alike.
    status, out, _ = call("check", "q", "a", "b", "P@3", "--judge-next", "5", "-o", "csv")
    assert (status, out) == (0, "query_id,doc_id,weight,runs\nq,y,0.3333,a\nq,z,0.3333,b\n")
    assert "\nJudge next\n" in call("check", "q", "a", "b", "P@3", "--judge-next", "1")[1]
    for wrong in (["a", "b"], ["a", "P@3"]):
        assert call("check", "q", *wrong, "--judge-next", "5")[0] == 2
    assert call("check", "q", "a", "b", "P@3", "--judge-next", "0")[0] == 2


def test_topics_needed_beside_the_leaderboard(call: Call) -> None:
    from irpref.meta import topics_needed

    # AP: 5/6, 1/2, 0 and 1/4, 1, 1. Differences 7/12, -1/2, -1, mean -11/36: half of their variance is 1698/5184.
    variance, observed = 1698 / 5184, 11 / 36
    for option, difference in (["--design"], observed), (["--design", "0.1"], 0.1):
        (row,) = map(json.loads, call("leaderboard", "qrels", "r1", "r2", "AP", "-o", "jsonl", *option)[1].splitlines())
        assert float(row["variance"]) == pytest.approx(variance)
        assert float(row["difference"]) == pytest.approx(difference)
        assert int(row["topics_t"]) == topics_needed(difference, variance)
    out = call("leaderboard", "qrels", "r1", "r2", "AP", "--permutations", "10", "--design")[1]
    assert out.startswith("AP\n")
    assert "\nHow many topics?\n" in out
    assert call("leaderboard", "qrels", "r1", "AP", "--design")[0] == 2
    assert call("leaderboard", "qrels", "r1", "r2", "AP", "--design", "-0.1")[0] == 2


GROUPED = {
    "prefs": "1 g0 s a 2\n1 g0 s b 1\n1 g1 s c 2\n1 g1 s a 1\n2 g0 s a 2\n2 g0 s d 1\n",
    "qrels_prefs": "1 0 a 2\n1 0 b 1\n1 1 c 2\n1 1 a 1\n2 0 a 2\n2 0 d 1\n",
    "pairs": "1 a b\n1 c a\n2 a d\n",
}


# r1: a c b in topic 1 (a>b kept, c>a lost), d a in topic 2 (a>d lost); r2 keeps all. Pairs are one group: c>b, too.
@pytest.mark.parametrize(
    ("form", "first", "share", "count"),
    [("prefs", 1 / 2, 1 / 4, 3), ("qrels_prefs", 1 / 2, 1 / 4, 3), ("pairs", 2 / 3, 1 / 3, 4)],
)
def test_preferences_keep_their_groups_in_every_command(
    call: Call, files: Path, form: str, first: float, share: float, count: int
) -> None:
    (files / "p").write_text(GROUPED[form])
    assert call("eval", "p", "r1", "PrefShare", "NumPrefs")[1] == f"PrefShare\t{share:.4f}\nNumPrefs\t{count}.0000\n"
    status, out, _ = call("leaderboard", "p", "r1", "r2", "PrefShare", "-o", "jsonl")
    assert status == 0
    assert [(row["run"], row["mean"]) for row in map(json.loads, out.splitlines())] == [("r2", 1.0), ("r1", share)]
    status, out, _ = call("compare", "p", "r1", "r2", "PrefShare", "-o", "jsonl")
    assert (status, json.loads(out)["difference"]) == (0, pytest.approx(1 - share))
    status, out, _ = call("compare", "p", "r1", "r2", "PrefShare")
    assert status == 0
    assert "relevant: grade" not in out  # a has two levels
    assert call("meta", "ranking", "p", "r1", "r2", "PrefShare")[0] == 0
    assert call("check", "p", "r1", "PrefShare")[0] == 0
    assert call("eval", "p", "r1", "PrefShare", "-t", "1")[1] == f"1\tPrefShare\t{first:.4f}\n"


def test_preferences_of_documents_never_compared_are_not_made_up(call: Call, files: Path) -> None:
    # a>b and c>d say nothing of a and d: r has a above b and c above d, and d above a.
    (files / "p").write_text("1 a b\n1 c d\n2 a b\n")
    (files / "r").write_text("1 Q0 c 1 4 t\n1 Q0 d 2 3 t\n1 Q0 a 3 2 t\n1 Q0 b 4 1 t\n2 Q0 a 1 1 t\n")
    _, out, _ = call("leaderboard", "p", "r", "r1", "PrefShare", "-o", "jsonl")
    assert json.loads(out.splitlines()[0])["mean"] == 1.0


@pytest.mark.parametrize("command", ["check", "leaderboard"])
def test_only_some_topics(call: Call, command: str) -> None:
    status, out, _ = call(command, "qrels", "r1", "r2", "AP", "-t", "1", "-t", "2", "-o", "jsonl")
    rows = list(map(json.loads, out.splitlines()))
    assert status == 0
    if command == "leaderboard":  # AP of r1: 5/6 and 1/2; of r2: 1/4 and 1
        assert [(row["run"], round(row["mean"], 4)) for row in rows] == [("r1", 0.6667), ("r2", 0.625)]
    else:
        assert "topics-without-documents" not in {row["code"] for row in rows}
    status, _, err = call(command, "qrels", "r1", "r2", "AP", "-t", "9")
    assert (status, err) == (1, "irpref: the qrels have no topic '9' (they begin 1, 2, 3)\n")


@pytest.mark.parametrize(("name", "status"), [("page.html", 0), ("page", 0), ("page.pdf", 2), ("page.csv", 2)])
def test_a_page_is_not_written_under_the_name_of_another_form(call: Call, files: Path, name: str, status: int) -> None:
    pytest.importorskip("vl_convert")
    found, _, err = call("report", "qrels", "r1", "AP", "-f", name)
    assert found == status, err
    assert (files / name).exists() == (status == 0)
