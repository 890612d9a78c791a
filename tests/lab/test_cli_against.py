"""`irpref against`: it words what `irpref_lab.against` returns."""

import gzip
import json

import pytest

import irpref_lab
from shells import golden


@pytest.fixture
def many(files):
    """Twenty topics; `good` finds the relevant document of all, `bad` of five."""
    (files / "many").write_text("".join(f"{t} 0 a 1\n" for t in range(20)))
    good = "".join(f"{t} Q0 a 1 1 t\n" for t in range(20))
    (files / "good.run.gz").write_bytes(gzip.compress(good.encode()))
    bad = "".join(f"{t} Q0 {'b' if t % 4 else 'a'} 1 1 t\n" for t in range(20))
    (files / "bad.run").write_text(bad)
    return "against", "many", "bad.run", "good.run.gz", "RR"


MARK = "† differs from bad; a value without † is not shown to differ"
TEST = "test: paired t-test, 20 topics; family: one pair of runs, by measure; family-wise level 5 %"


def test_marks_in_every_format(call, many):
    head = golden(
        """
        RR: good (1.0000) is better than bad (0.2500): +0.7500, 20 topics.

        run         RR
        bad   0.2500
        good  1.0000*†
        * best
        """
    )
    assert call(*many)[1] == f"{head}{MARK}\n{TEST}\n"
    lines = call(*many, "-o", "markdown")[1].splitlines()
    assert [line.replace(" ", "") for line in lines[4:6]] == ["|bad|0.2500|", "|good|**1.0000**†|"]
    assert "Bold: best" in lines
    lines = call(*many, "-o", "latex")[1].splitlines()
    good = next(line for line in lines if line.startswith("good"))
    assert good.split() == ["good", "&", r"\textbf{1.0000}$^{\dagger}$", r"\\"]
    assert lines[-3:] == ["% bold: best", f"% {MARK}", f"% {TEST}"]


def test_programs_get_the_table_of_the_function(call, many):
    expected = irpref_lab.against(["RR"], "many", "bad.run", ["good.run.gz"])
    rows = [json.loads(line) for line in call(*many, "-o", "jsonl")[1].splitlines()]
    assert [row["run"] for row in rows] == ["bad", "good"]
    assert rows[1]["p_adjusted"] == expected["p_adjusted"][1]
    assert (rows[0]["p"], rows[0]["differs"], rows[1]["differs"]) == (None, None, True)
    last = call(*many, "--pairs", "holm", "-o", "csv")[1].splitlines()[-1].split(",")
    # t = 0.75 / sqrt(0.1875 * 20 / 19 / 20) = sqrt(57); p = I(19 / (19 + 57); 19 / 2, 1 / 2), the
    # incomplete beta function.
    assert float(last[-4]) == pytest.approx(3.918e-07, rel=1e-3)


def test_the_baseline_may_be_among_the_runs(call):
    for runs in (("r1", "r2"), ("r1", "r1", "r2"), ("r1", "r2", "./r1")):
        status, out, _ = call("against", "qrels", *runs, "AP", "EMeasure@2", "-o", "csv")
        assert status == 0
        assert [line.split(",")[0] for line in out.splitlines()] == [
            "run",
            *["r1"] * 2,
            *["r2"] * 2,
        ]
    out = call("against", "qrels", "r1", "r2", "EMeasure@2")[1]
    assert "better: EMeasure@2)" in out


def test_groups_have_rows_of_their_own(call, files):
    (files / "groups").write_text("1 some\n2 some\n3 other\n4 other\n")
    (files / "qrels").write_text((files / "qrels").read_text() + "4 0 a 1\n")
    out = call("against", "qrels", "r1", "r2", "AP", "--groups", "groups")[1]
    rows = [line.split()[:2] for line in out.splitlines()[4:8]]
    assert rows == [["r1", "other"], ["r1", "some"], ["r2", "other"], ["r2", "some"]]


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["qrels", "r1", "AP"], 2, "expected at least two runs after the qrels, got 1: r1"),
        (["qrels", "nope", "r2", "AP"], 2, "'nope' is neither a file nor a measure"),
        (["qrels", "r1", "r2", "AP", "--pairs", "hlm"], 2, "did you mean 'holm'?"),
        (["qrels", "r1", "r2", "AP", "--level", "2"], 2, "expected a number between 0 and 1"),
    ],
)
def test_what_is_refused(call, arguments, status, said):
    found, out, err = call("against", *arguments)
    assert (found, out, err.count("\n")) == (status, "", 1)
    assert said in err
