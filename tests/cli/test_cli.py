"""The command line: what it prints, what it refuses, and that it prints what the host's command
prints.
"""

import io
import json
import random
import re
import sys
from functools import partial
from pathlib import Path

import ir_measures
import pytest

import irpref
import irpref_lab
from command_server import CommandServer
from irpref.cli import main
from irpref.cli.arguments import sort_arguments
from irpref.data import trec as trec
from irpref.judged.stream import align_file
from shells import MISSING, QRELS, R1, Call, golden

# One run --------------------
# AP of r1: (1 + 2/3) / 2, 1/2, 0; of r2: 1/4, 1, 1. EMeasure@2 = 1 - 2r / (m + n): of r1 1/2, 1/3, 1;
# of r2 1/2, 1/3, 1/3.


def test_by_query(call: Call) -> None:
    _, out, _ = call("eval", "qrels", "r1", "CRPRecovery", "-q")
    assert out.splitlines()[0] == "1\tCRPRecovery\t0.6667"
    assert out.splitlines()[-1].startswith("all\tCRPRecovery\t")
    _, out, _ = call("eval", "qrels", "r1", "-q", "-n", "AP")
    assert out == "1\tAP\t0.8333\n2\tAP\t0.5000\n3\tAP\t0.0000\n"


def test_json_lines(call: Call) -> None:
    _, out, _ = call("eval", "qrels", "r1", "AP", "-o", "jsonl")
    assert json.loads(out) == {"measure": "AP", "value": pytest.approx(4 / 9)}
    _, out, err = call(
        "eval", "qrels", "r1", "AP", "--output_format", "jsonl", "-q", "-n", "-p", "2"
    )
    assert [json.loads(line) for line in out.splitlines()][1] == {
        "query_id": "2",
        "measure": "AP",
        "value": 0.5,
    }
    assert re.findall("--[a-z]+|ignored", err) == ["--places", "ignored", "--output"]


def test_table_of_one_run(call: Call) -> None:
    _, out, _ = call("eval", "qrels", "r1", "AP", "EMeasure@2", "-o", "table")
    assert out == golden(
        """
        measure      value
        AP          0.4444
        EMeasure@2  0.6111
        AP, EMeasure@2: rel=1, so all grades from 1 to 2 count alike
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
        AP, RR: rel=1, so all grades from 1 to 2 count alike
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
    assert call("eval", "qrels", "AP", "r1", "RR", "-p", "2") == expected  # so may measures
    assert (
        call("eval", "qrels", "r1", "AP", "-p", "-1")[1] == f"AP\t{((1 + 2 / 3) / 2 + 1 / 2) / 3}\n"
    )


# Several runs --------------------


def test_table_of_runs_marks_the_best(call: Call) -> None:
    _, out, _ = call("eval", "qrels", "r1", "r2", "AP", "EMeasure@2", "NumRel", "RR(rel=3)")
    assert out == golden(
        """
        run       AP  EMeasure@2  NumRel  RR(rel=3)  answered
        r1   0.4444      0.6111   4.0000     0.0000         2
        r2   0.7500*     0.3889*  4.0000     0.0000         3
        * best (lower is better: EMeasure@2)
        answered: topics with documents, of 3
        AP, EMeasure@2, NumRel: rel=1, so all grades from 1 to 2 count alike
        """
    )


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
    assert status == 1
    assert "--known" in err


def test_standard_input(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (
        R1,
        R1 + "1 Q0 zzz 9 0 t\n",
    ):  # the second has a topic in two places, and cannot be read twice
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert call("eval", "qrels", "-", "RR", "CRPRecovery")[1].startswith("RR\t0.5000\n")


def test_provider_of_the_host(call: Call) -> None:
    assert call("eval", "qrels", "r1", "AP", "--provider", "pytrec_eval") == (0, "AP\t0.4444\n", "")
    status, _, err = call("eval", "qrels", "r1", "AP", "--provider", "none")
    assert status == 2
    assert "pytrec_eval" in err


def test_large_files_stream_to_the_same_values(
    call: Call, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(1)
    lines = [
        f"{t} Q0 d{rng.randrange(30)} 1 {rng.randrange(5)} x\n"
        for t in range(40)
        for _ in range(25)
    ]
    (files / "q").write_text(
        "".join(f"{t} 0 d{d} {rng.randrange(4)}\n" for t in range(41) for d in range(20))
    )
    (files / "sorted").write_text("".join(lines))
    rng.shuffle(lines)
    (files / "mixed").write_text("".join(lines))
    measures = (
        "AP",
        "RR@10",
        "Judged@10",
        "nDCG",
        "QMeasure",
        "RPref(max_rel=3)",
        "CRPRecovery",
        "NumRet",
    )
    for run in ("sorted", "mixed"):
        expected = call("eval", "q", run, *measures, "-p", "-1")
        monkeypatch.setattr("irpref.judged.stream.align_file", partial(align_file, block_bytes=500))
        assert call("eval", "q", run, *measures, "-p", "-1")[:2] == expected[:2]
        monkeypatch.undo()
        monkeypatch.chdir(files)


# Bad input --------------------


@pytest.fixture
def wrong(files: Path) -> None:
    """Files that something is wrong with."""
    for name, text in {
        "my run": "1 Q0 a 1 2 t\n",
        "twice": "1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n",
        "short": "1 Q0 a 1 2 t\n1 Q0 a 2 1\n",
        "nan": "1 Q0 a 1 nan t\n",
        "other": "x Q0 a 1 1 t\n",
        "empty": "",
        "header": "query_id iteration doc_id relevance\n1 0 a 1\n",
        "r.csv": "query_id,d,s\n1,a,2\n",
        "high": "1 0 a 3000000000\n",
    }.items():
        (files / name).write_text(text)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["qrels", "nope", "AP"], 1, "nope: no such file"),
        (["nope", "r1", "AP"], 1, "nope: no such file"),
        (["qrels", ".", "AP"], 1, ".: a folder without .parquet files"),
        (["qrels", "r1"], 2, "no measure given"),
        (["qrels", "AP"], 2, "no run given: 'AP' is a measure"),
        (
            ["qrels"],
            2,
            "missing argument 'RUN... MEASURE...', as in irpref eval [OPTIONS] QRELS RUN... MEASURE...",
        ),
        (["qrels", "r1", "RR @10"], 2, "the name comes before '@', without a space"),
        (["qrels", "r1", "nDCG@"], 2, "the cutoff follows '@' without a space"),
        (["qrels", "r1", "AP@10(rel=2)"], 2, "the cutoff comes last: AP(rel=2)@10"),
        (
            ["--qrels", "qrels", "--run", "r1"],
            2,
            "files are given without an option, as in irpref eval QRELS RUN...",
        ),
        (["qrels", "r1", "AP", "--perquery"], 2, "did you mean '--by-query'?"),
        (["qrels", "r1", "AP", "-n"], 2, "--no-summary (-n) needs --by-query"),
        (
            ["qrels", "r1", "AP", "-j", "0"],
            2,
            "'-j' / '--jobs': '0': expected a number of at least 1",
        ),
        (
            ["qrels", "r1", "AP", "-p", "-2"],
            2,
            "'-2': expected a number of decimal places, or -1 for all",
        ),
        (
            ["qrels", "r1", "AP", "--frobnicate"],
            2,
            "no such option: --frobnicate (see irpref eval --help)",
        ),
        (["qrels", "r1", "AP", "-o", "xml"], 2, "'xml' is not one of table, tsv, csv"),
        (["-", "-", "AP"], 2, "standard input ('-') can be read only once"),
        (
            ["qrels", "twice", "CRPRecovery", "--strict"],
            1,
            "document 'a' occurs twice in topic '1'",
        ),
        (["qrels", "twice", "AP", "--strict"], 1, "document 'a' occurs twice in topic '1'"),
        (["qrels", "short", "AP"], 1, "short, line 2: 5 fields, expected 6"),
        (["qrels", "nan", "AP"], 1, "nan: the score of topic '1', document 'a' is nan"),
        (["qrels", "other", "RPref(max_rel=2)"], 1, "no topic in common"),
        (["empty", "r1", "AP"], 1, "empty: the qrels are empty"),
        (["qrels", "r1", "no.gzz", "AP"], 2, "'no.gzz' is neither a file nor a measure"),
        (
            ["qrels", "r1", "ndcg10"],
            2,
            "'ndcg10' is neither a file nor a measure; did you mean 'nDCG@10'?",
        ),
        (["qrels", "r1", "ndcg_cut10"], 2, "did you mean 'ndcg_cut_10'?"),
        (
            ["qrels", "r1", "rprecc"],
            2,
            "'rprecc' is neither a file nor a measure; did you mean 'Rprec'?",
        ),
        (
            ["cast2021", "r1", "AP"],
            1,
            "ir_datasets has no data set 'cast2021'; did you mean 'irpref/cast2021'?",
        ),
        (["qrels", "r1", "hits@10"], 2, "'hits@10' has no measure here: ranx counts"),
        (
            ["qrels", "my", "run", "AP"],
            2,
            "put quotes around the name of a file with spaces: 'my run'",
        ),
        (
            ["qrels", "r1", "xyzzy"],
            2,
            "'xyzzy' is neither a file nor a measure; irpref list shows them all",
        ),
        (["qrels", "r1", "AP,", "P@5"], 2, "separate several with spaces"),
        (["qrels", "r1", "AP,RR(rel=2)@3,P@5"], 2, "separate several with spaces"),
        (["qrels", "r1", "RPref(3)"], 2, "parameters have names"),
        (["qrels", "r1", "RPref(max_rel=3"], 2, "a bracket is not closed"),
        (["", "r1", "AP"], 2, "an argument is empty"),
        (
            ["qrels", "r1", "NERR8@10"],
            2,
            "NERR8 needs max_rel: maximum relevance score, as in NERR8(max_rel=...)",
        ),
        (["qrels", "r1", "IPrec"], 2, "IPrec needs recall: recall threshold, as in IPrec@0.1"),
        (
            ["qrels", "r1", "AP", "--provider", "gdeval"],
            1,
            "the provider gdeval does not compute AP",
        ),
        (
            ["qrels", "r1", "AP@99999999999999999999999"],
            2,
            "is not accepted, expected at most 2147483647",
        ),
        (["qrels", "r1", "Bpref(rel=-1)"], 2, "Bpref: rel=-1 is not accepted, expected at least 1"),
        (
            ["qrels", "r1", "Bpref(rel=1000000)"],
            2,
            "Bpref: rel=1000000 is not accepted, expected at most 100000",
        ),
        (
            ["high", "r1", "infAP"],
            1,
            "infAP: computed by ir_measures, which takes grades up to 1000000, not 3e+09",
        ),
        (
            ["qrels", "r1", "SetF(beta=-1.0)"],
            2,
            "SetF: beta=-1.0 is not accepted, expected at least 0",
        ),
        (
            ["qrels", "r1", "SetF(beta=1e400)"],
            2,
            "SetF: beta=inf is not accepted, expected a number",
        ),
        (["qrels", "r1", "IPrec@99"], 2, "IPrec: recall=99.0 is not accepted, expected at most 1"),
        (
            ["qrels", "r1", "nDCG(gains={1:'a'})"],
            2,
            "nDCG: gains={1: 'a'} is not accepted, expected a dict such as",
        ),
        (
            ["qrels", "r1", "AP", "-f", "./r1"],
            2,
            "-f ./r1: this is an input file, and would be overwritten",
        ),
        (
            ["header", "r1", "AP", "PrefShare"],
            1,
            "header, line 1: the relevance 'relevance' is not a number",
        ),
        (
            ["qrels", "r.csv", "AP", "--columns", "score=s", "--columns", "doc_id=x"],
            1,
            "(found: query_id, d, s)",
        ),
    ],
)
def test_errors_are_one_line(
    call: Call, wrong: None, arguments: list[str], status: int, message: str
) -> None:
    found = call("eval", *arguments)
    assert found[:2] == (status, "")
    assert found[2].count("\n") == 1
    assert found[2].startswith("irpref: ")
    assert message in found[2]


@pytest.mark.parametrize("command", ["eval", "compare", "gate", "leaderboard"])
def test_without_a_measure_three_that_suit_are_named(call: Call, command: str) -> None:
    status, out, err = call(command, "qrels", "r1", "r2")
    a, b, c = (row["measure"] for row in irpref_lab.check("qrels").attrs["measures"])
    said = (
        f"no measure given: {a}, {b} or {c} would suit these judgments (irpref check qrels says why"
    )
    assert (status, out) == (2, "")
    assert err.startswith(f"irpref: {said}")
    assert call(command, "qrels", "r1", "r2", a, b, c)[0] in (0, 1, 3)


def test_a_measure_that_no_installed_provider_computes(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    for provider in ("cwl_eval", "pyndeval", "ranx"):
        monkeypatch.setattr(ir_measures.providers.registry[provider], "_is_available", False)
    monkeypatch.setattr(ir_measures.providers.registry["gdeval"], "_is_available", True)
    for name, hint in (
        (
            "alpha_nDCG@5",
            "computes alpha_nDCG@5; pyndeval (pip install ir-measures[pyndeval]) does\n",
        ),
        (
            "INSQ(max_rel=2)",
            "computes INSQ(max_rel=2); cwl_eval (pip install ir-measures[cwl_eval]) does\n",
        ),
        (
            "RBP",
            "computes RBP; give RBP(rel=1), with the grade from which a document is relevant\n",
        ),
        ("NumRel(rel=2)", "computes NumRel(rel=2); pytrec_eval does, without rel=2\n"),
    ):
        status, out, err = call("eval", "qrels", "r1", name)
        assert (status, out, err.count("\n")) == (1, "", 1)
        assert hint in err
    status, _, err = call("compare", "qrels", "r1", "r2", "-m", "NumRel(rel=2)")
    assert status == 1
    assert "computes NumRel(rel=2)" in err


@pytest.mark.parametrize(
    ("name", "binary"),
    [
        ("RBP", "RBP(rel=1)"),
        ("RBP@3", "RBP(rel=1)@3"),
        ("RBP(p=0.5)", "RBP(p=0.5,rel=1)"),
    ],
)
def test_a_measure_that_needs_rel_has_the_same_advice_everywhere(
    name: str, binary: str, call: Call, files: Path
) -> None:
    advice = f"{binary}, with the grade from which a document is relevant"
    for words in (["eval", "qrels", "r1", name], ["explain", "qrels", "r1", name, "-t", "1"]):
        status, out, err = call(*words)
        assert (status, out, err.count("\n")) == (1, "", 1), err
        assert err.endswith(f" {advice}\n")
    with pytest.raises(irpref.errors.MeasureError, match="no installed provider") as caught:
        irpref.evaluator([name], str(files / "qrels"))
    assert str(caught.value).endswith(f"; give {advice}")
    assert call("eval", "qrels", "r1", binary)[0] == 0


def test_the_advice_for_a_folder_leaves_out_the_judgments(call: Call, files: Path) -> None:
    folder = files / "data"
    folder.mkdir()
    for name in ("a.run", "b.run"):
        (folder / name).write_bytes((files / "r1").read_bytes())
    asked = ("eval", str(folder / "qrels.txt"), str(folder), "AP")
    every = str(folder / "*")
    assert call("eval", "qrels", str(folder), "AP")[2].endswith(f" {every}\n")
    (folder / "qrels.txt").write_bytes((files / "qrels").read_bytes())
    assert call(*asked)[2].endswith(f" {every}.run\n")
    (folder / "c.txt").write_bytes((files / "r1").read_bytes())
    assert call(*asked)[2].endswith(f" {every} without the judgments\n")


def test_a_page_of_a_measure_says_that_irpref_computes_it(call: Call) -> None:
    for name, said in (("RBP", "irpref (with rel), cwl_eval"), ("AP", "irpref, pytrec_eval")):
        assert f"Computed by: {said}" in call("list", name)[1]
    assert "irpref" not in call("list", "INST")[1].partition("Computed by")[2].partition("\n\n")[0]


def test_what_the_script_of_the_host_refuses(call: Call, files: Path) -> None:
    if not ir_measures.gdeval.is_available():
        pytest.skip("no perl for ir_measures' gdeval")
    left = "ERR@5 is computed by gdeval of ir_measures, which"
    for topic, grade, more, said in (
        ("a", 1, "", f"{left} needs numeric topic ids, not 'a'"),
        ("1", 5, "", f"{left} takes grades up to 4, not 5"),
        ("1", 0.5, "", f"{left} takes whole grades, not 0.5"),
        (
            "w-1",
            3,
            "b Q0 d 1 1 t\n",
            "r: ir_measures could not compute ERR@5: perl ended with status 25",
        ),
    ):
        (files / "q").write_text(f"{topic} 0 d {grade}\n")
        (files / "r").write_text(f"{topic} Q0 d 1 1 t\n{more}")
        _, _, err = call("eval", "q", "r", "ERR@5", "--provider", "gdeval")
        assert err.splitlines()[-1] == f"irpref: {said}"


@pytest.mark.parametrize("options", [[], ["--provider", "pytrec_eval"]])
def test_runs_are_looked_at_whoever_computes(call: Call, wrong: None, options: list[str]) -> None:
    for run, status, said in (
        ("nan", 1, "is nan"),
        ("other", 1, "no topic in common"),
        ("twice", 0, "repeats 1 document"),
        ("empty", 0, "the run is empty"),
    ):
        found, _, err = call("eval", "qrels", run, "AP", "IPrec@0.1", *options)
        assert (found, err.count("\n")) == (status, 1)
        assert said in err


def test_what_only_the_host_computes_fails_in_one_line(call: Call, files: Path) -> None:
    (files / "half").write_text("1 0 a 0.5\n1 0 b 1.5\n")
    said = (
        "IPrec@0.1 is computed by pytrec_eval of ir_measures, which takes whole grades, not 1.5\n"
    )
    assert call("eval", "half", "r1", "IPrec@0.1", "AP") == (1, "", f"irpref: {said}")
    (files / "all").write_text(
        "1 0 a 1\n1 0 b 0\n2 0 a 1\n"
    )  # Accuracy divides by the non-relevant of topic 2
    (files / "r").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 1 t\n")
    said = "ir_measures could not compute Accuracy: ZeroDivisionError: float division by zero\n"
    assert call("eval", "all", "r", "Accuracy") == (1, "", f"irpref: r: {said}")
    assert call("compare", "all", "r", "r1", "-m", "Accuracy") == (1, "", f"irpref: 'r': {said}")


def test_topics_that_the_host_leaves_out_of_a_measure(call: Call, files: Path) -> None:
    """Beside measures of other providers they count as 0 there, alone they do not count."""
    (files / "first").write_text("1 Q0 a 1 3 t\n1 Q0 c 2 2 t\n2 Q0 d 1 2 t\n2 Q0 a 2 1 t\n")
    (files / "other").write_text("1 Q0 c 1 3 t\n1 Q0 a 2 2 t\n")
    for measures in (
        ["Accuracy@2"],
        ["Accuracy@2", "AP"],
        ["Accuracy@2", "AP", "RPref(max_rel=2)"],
    ):
        _, out, _ = call("eval", "qrels", "first", *measures)
        found = ir_measures.calc_aggregate(
            irpref.parse_all(measures), irpref.read_qrels("qrels"), irpref.read_run("first")
        )
        assert out.splitlines()[0] == f"Accuracy@2\t{found[ir_measures.Accuracy @ 2]:.4f}"
        for more in ([], ["-q"]):
            assert call("eval", "qrels", "first", "other", *measures, *more)[0] == 0


def test_judgments_that_differ(call: Call, files: Path) -> None:
    (files / "q").write_text("1 0 a 1\n1 0 a 2\n1 0 c 0\n")
    status, out, err = call("eval", "q", "r1", "AP")
    assert (status, out) == (0, "AP\t1.0000\n")
    assert re.findall(r"'(\w+)'", err) == ["1", "a"]  # topic and document
    assert err.endswith(" the later line counts\n")
    status, out, err = call("eval", "q", "r1", "AP", "QMeasure")
    assert (status, out) == (1, "")
    assert err.startswith("irpref: q: topic '1' ")


def test_closed_standard_output(files: Path, command_server: CommandServer) -> None:
    for command in (["eval", "qrels", "r1", "AP"], ["list"]):
        for stream in ("stdout", "stderr"):
            code = f"import sys; sys.{stream} = None; from irpref.cli import main; sys.exit(main({command!r}))"
            done = command_server(code=code)
            said = done.stderr.replace(MISSING, "")
            assert (done.returncode, said) == (0, "")
            assert bool(done.stdout) == (stream == "stderr")


def test_closed_standard_input(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    status, out, err = call("eval", "qrels", "-", "AP")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("irpref: <stdin>: ")


def test_a_run_where_judgments_belong(call: Call) -> None:
    err = call("eval", "r1", "qrels", "AP")[2]
    assert err.startswith("irpref: r1, line 1: ")
    assert "; this looks like a run: '1 Q0 a 1 3 t'" in err
    assert "like judgments: '1 0 a 2'" in call("eval", "qrels", "qrels", "AP")[2]


@pytest.mark.parametrize(
    ("typed", "right"),
    [
        ("eval r1 qrels AP", "eval qrels r1 AP"),
        ("gate r1 r2 qrels AP --margin 0.1", "gate qrels r1 r2 AP --margin 0.1"),
        ("compare r1 qrels r2 AP", "compare qrels r1 r2 AP"),
        ("explain r1 qrels QMeasure -t 1", "explain qrels r1 QMeasure -t 1"),
        ("eval r1 r2 AP", "eval QRELS RUN... MEASURE..."),
        ("eval qrels qrels AP", "eval QRELS RUN... MEASURE..."),
        ("fill r1 qrels", "fill HUMAN JUDGE..."),
    ],
)
def test_the_right_order_is_shown(typed: str, right: str, call: Call) -> None:
    status, _, err = call(*typed.split())
    assert status in (1, 2)
    assert err.endswith(f" before runs: irpref {right}\n")


def test_the_right_order_is_quoted_for_a_shell(call: Call) -> None:
    assert call("eval", "r1", "qrels", "RPref(norm='relative2')")[2].endswith(
        """: irpref eval qrels r1 "RPref(norm='relative2')"\n"""
    )


def test_empty_runs_are_remarked_upon_everywhere(call: Call, wrong: None) -> None:
    for command in (["compare", "qrels", "empty", "r1", "AP"], ["curve", "pr", "qrels", "empty"]):
        assert "warning: empty: " in call(*command)[2]


def test_warnings_about_one_of_several_runs_name_it(call: Call, wrong: None) -> None:
    status, _, err = call("eval", "qrels", "r1", "twice", "empty", "CRPRecovery")
    assert status == 0
    assert [line.split(": ")[:3] for line in err.splitlines()] == [
        ["irpref", "warning", "twice"],
        ["irpref", "warning", "empty"],
    ]


def test_a_name_that_is_file_and_measure(call: Call, files: Path) -> None:
    (files / "AP").write_text(R1)
    status, _, err = call("eval", "qrels", "r1", "AP")
    assert status == 2
    assert err.endswith("write ./AP or -m AP\n")  # both work:
    assert call("eval", "qrels", "r1", "-m", "AP")[1] == "AP\t0.4444\n"
    assert call("eval", "qrels", "./AP", "RR")[1] == "RR\t0.5000\n"
    assert sort_arguments(["AP", "RR"]) == (
        ["AP"],
        ["RR"],
    )  # what follows the qrels is a run, as for the host


# Many files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [[], ["--jobs", "1"], ["-j", "2"], ["-j", "7"]])
@pytest.mark.parametrize("output", ["table", "tsv"])
def test_a_run_that_cannot_be_read_is_named_and_the_others_are_printed(
    call: Call, wrong: None, jobs: list[str], output: str
) -> None:
    whole = call("eval", "qrels", "r1", "r2", "AP", "RPref(max_rel=2)", "-o", output)
    assert whole[0] == 0
    status, out, err = call(
        "eval", "qrels", "short", "r1", "nan", "r2", "AP", "RPref(max_rel=2)", "-o", output, *jobs
    )
    assert (status, out) == (1, whole[1])
    first, second = err.splitlines()
    assert first.startswith("irpref: short, line 2: ")
    assert second.startswith("irpref: nan: ")


def test_where_no_run_can_be_read_nothing_is_printed(call: Call, files: Path) -> None:
    for name in ("a.run", "b.run"):
        (files / name).write_text("1 Q0 a 1\n")
    status, out, err = call("eval", "qrels", "a.run", "b.run", "AP")
    assert (status, out) == (1, "")
    assert len(err.splitlines()) == 2


# What `irpref check` finds --------------------


def test_topics_without_documents_are_told_on_standard_error(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "qrels", "r1", "AP"]) == 0
    assert capsys.readouterr() == ("AP\t0.4444\n", MISSING)
    assert main(["eval", "qrels", "r2", "r1", "AP", "-o", "csv"]) == 0
    assert capsys.readouterr().err == MISSING.replace("the run", "r1")
    assert main(["eval", "qrels", "r2", "AP"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["compare", "qrels", "r1", "r2", "AP", "-o", "csv"]) == 0
    assert MISSING.replace("the run", "r1") in capsys.readouterr().err


GRAVE = [
    (
        "1 Q0 A 1 3 t\n1 Q0 b 1 2 t\n2 Q0 y 1 1 t\n3 Q0 z 1 1 t\n",
        ["{} has document ids that differ from judged ones only in case"],
    ),
    (
        "1 Q0 v 1 3 t\n2 Q0 w 1 1 t\n3 Q0 w 1 1 t\n",
        ["none of the 3 documents of {} is judged: every value is 0 or meaningless"],
    ),
    (
        "1 Q0 v 1 3 t\n",
        [
            "{} has no documents for 2 of 3 topics (first '2')",
            "the only document of {} is not judged",
        ],
    ),
]


@pytest.mark.parametrize(("text", "said"), GRAVE)
@pytest.mark.parametrize("many", [False, True])
def test_eval_says_what_check_finds_grave(
    files: Path, capsys: pytest.CaptureFixture[str], text, said, many
) -> None:
    (files / "bad").write_text(text)
    runs = ["bad", "r2"] if many else ["bad"]
    assert main(["eval", "qrels", *runs, "AP", "nDCG@10"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(said)
    for line, words in zip(lines, said, strict=True):
        name = "bad" if many else "the run"
        assert line.startswith(f"irpref: check: {words.format(name)}")
    assert main(["check", "qrels", *runs, "AP", "nDCG@10", "-o", "jsonl"]) == 0
    rows = [json.loads(row) for row in capsys.readouterr().out.splitlines()]
    found = [row["text"] for row in rows if row["level"] == "grave"]
    assert [line.partition("check: ")[2].replace("the run", "bad") for line in lines] == found


def test_topics_without_documents_come_first_and_of_an_empty_run_there_is_one_line(
    files: Path, capsys
) -> None:
    (files / "lost").write_text("".join(f"{topic} Q0 x 1 1 t\n" for topic in (1, 2, 3)))
    (files / "part").write_text("1 Q0 a 1 1 t\n")
    (files / "empty").write_text("")
    assert main(["eval", "qrels", "lost", "part", "empty", "AP"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert " part " in lines[0]
    assert " lost " in lines[1]
    assert lines[2].startswith("irpref: warning: empty:")


def test_eval_looks_at_ids_of_a_long_run_where_no_document_is_judged(
    files: Path, capsys, monkeypatch
) -> None:
    monkeypatch.setattr("irpref.observed.scored_files._LOOKED_AT", 0)
    (files / "upper").write_text((files / "r2").read_text().upper().replace("Q0", "Q0"))
    assert main(["eval", "qrels", "upper", "AP"]) == 0
    # The cause alone: that no document is judged follows from it.
    (line,) = capsys.readouterr().err.splitlines()
    assert "only in case" in line


def test_a_run_whose_ids_are_compared_is_not_read_as_a_whole(
    files: Path, capsys, monkeypatch
) -> None:
    def whole(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("irpref.judged.stream.read_table", whole)
    monkeypatch.setattr("irpref.observed.scored_files.read_table", whole)
    (files / "upper").write_text((files / "r2").read_text().upper())
    assert main(["eval", "qrels", "upper", "AP"]) == 0
    assert "only in case" in capsys.readouterr().err
