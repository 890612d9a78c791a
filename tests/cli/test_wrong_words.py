"""What newcomers type first, and what the command answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from irpref.cli import main


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judgments and two runs in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    topics = [f"red, size {n}" for n in range(20)]
    Path("q.csv").write_text(
        "query_id,doc_id,relevance\n" + "".join(f'"{t}",a,1\n"{t}",b,0\n' for t in topics)
    )
    for name, first in {"r.csv": "a", "s.csv": "b"}.items():
        rows = (
            f'"{t}",{d},{2 if (d == first) != (n == 3) else 1}\n'
            for n, t in enumerate(topics)
            for d in "ab"
        )
        Path(name).write_text("query_id,doc_id,score\n" + "".join(rows))
    Path("groups.csv").write_text("".join(f'"{t}","x, y"\n' for t in topics))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("curve q.csv r.csv", "expected one of areas, crp, "),
        ("eval q.csv r.csv AP --per-query", "no such option: --per-query; did you mean '--by-que"),
        ("gate q.csv r.csv s.csv AP --threshold 1", "--threshold; did you mean '--margin'?"),
        ("compare q.csv r.csv s.csv AP --alpha 0.05", "--level 0.95 is the same as an alpha of"),
        ("eval q.csv r.csv AP --baseline s.csv", "type irpref against QRELS BASELINE RUN..."),
        ("eval q.csv r.csv AP --judge s.csv", "type irpref fill HUMAN JUDGE -f filled.tsv"),
        ("sample q.csv r.csv AP --judge q.csv", "as in irpref sample HUMAN JUDGE RUN... MEASURE"),
        ("fill --qrels q.csv", "files are given without an option, as in irpref fill HUMAN JUDGE"),
        (
            "gate --baseline r.csv --candidate s.csv AP",
            "as in irpref gate QRELS BASELINE CANDIDATE",
        ),
        ("against q.csv r.csv s.csv AP --baseline r.csv", "as in irpref against QRELS BASELINE RU"),
        ("eval q.csv r.csv AP --rel 2", "it is a part of the name of a measure, as in AP(rel=2)"),
        ("eval q.csv r.csv AP -l 2", "it is a part of the name of a measure, as in AP(rel=2)"),
        ("report q.csv r.csv AP -o html", "no such option: -o; did you mean '--file'?"),
        ("plot pr q.csv r.csv AP -f x.png", "'AP' is a measure, and this command takes none"),
        ("compare q.csv r.csv s.csv AP --level 95", "'95': expected a number between 0 and 1, su"),
        ("gate q.csv r.csv s.csv AP --level 95%", "'95%': expected a number between 0 and 1, su"),
        ("intervals q.csv r.csv AP --level 0", "'0': expected a number between 0 and 1, such as"),
        ("eval q.csv r.csv AP --columns sku=doc_id", "our name comes first: doc_id=sku"),
        ("eval q.csv r.csv AP --columns sku", "'sku': expected OURS=YOURS, such as query_id=query"),
        ("eval q.csv r.csv AP --labels good:1", "'good:1': expected LABEL=GRADE, such as good=1,"),
        ("eval q.csv r.csv AP --labels good=x", "good=x: a grade is a number, or the word unjudg"),
    ],
)
def test_wrong_words_are_answered_with_the_right_ones(
    line: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line.split()) == 2
    out, err = capsys.readouterr()
    assert message in err, err
    assert not out
    assert err.count("\n") == 1


def test_a_list_of_topics_is_answered_with_one_option_each(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("q.txt").write_text("1 0 a 1\n2 0 a 1\n")
    Path("r.txt").write_text("1 Q0 a 1 1 x\n")
    assert main(["eval", "q.txt", "r.txt", "AP", "-t", "1,2"]) == 2
    assert "give -t 1 -t 2" in capsys.readouterr().err
    assert main(["eval", "q.txt", "r.txt", "AP", "-t", "1,3"]) == 1


def test_a_data_set_is_found_by_a_part_of_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("ir_datasets")
    assert main(["settings", "trec-dl-2019"]) == 1
    assert "/trec-dl-2019'?" in capsys.readouterr().err


def test_groups_of_topics_with_commas_come_from_csv(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "q.csv", "r.csv", "s.csv", "AP", "--groups", "groups.csv"]) == 0
    assert "x, y" in capsys.readouterr().out


def test_the_file_named_minus_is_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "q.csv", "r.csv", "AP", "-f", "-"]) == 0
    assert capsys.readouterr().out.startswith("AP\t")
    assert not Path("-").exists()


def test_a_line_that_was_cut_is_not_taken_for_another_form(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("cut.run").write_text("red Q0 a 1 2 t\nred Q0 b")
    assert main(["eval", "q.csv", "cut.run", "AP"]) == 1
    err = capsys.readouterr().err
    assert "cut.run, line 2: 3 fields" in err
    assert "msmarco" not in err


def test_a_decimal_comma_is_answered_with_a_point(capsys: pytest.CaptureFixture[str]) -> None:
    Path("comma.csv").write_text("query_id;doc_id;score\nq;a;2,5\n")
    assert main(["eval", "q.csv", "comma.csv", "AP"]) == 1
    err = capsys.readouterr().err
    assert "'2,5'" in err
    assert "decimal point" in err
