"""What the project writes is read by what it is written for: BibTeX, LaTeX, browsers, trec_eval,
Markdown, JSON.

BibTeX and pdfLaTeX are run where they are installed (CI installs them); pybtex parses as BibTeX
does, everywhere."""

import csv
import io
import json
import shutil
import subprocess

import html5lib
import pandas as pd
import pybtex.database
import pytest
import pytrec_eval
from markdown_it import MarkdownIt

import irpref
import irpref_lab
from irpref.measures import registered
from irpref.measures.literature import cite, methods
from irpref.show.text import Cell, Column, Page, Table, rounded, text

HOST = irpref.parse_all(
    ["AP", "nDCG@10", "P@5", "RR", "Bpref", "ERR@20", "RBP(p=0.8)", "alpha_nDCG@10", "Judged@10"]
)
NAMES = [
    "a|b",
    "`rm`",
    "<script>x</script>",
    "a_b",
    "_a_",
    "*bold*",
    "[x](y)",
    "$x^2$ & 100% #1 {~}",
    "\\end",
    "&lt;",
]
latex = pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed")


def _measures():
    return [*registered().values(), irpref.parse("RPref(max_rel=2)@10"), *HOST]


def _wide():
    columns = [
        Column("run", left=True),
        *(Column(f"measure_{i}(rel=2)@10", rounded()) for i in range(12)),
    ]
    rows = [
        [name, *(Cell(i / 7, best=i == 3, differs=i == 4) for i in range(12))] for name in NAMES
    ]
    return Table(columns, rows, title="AP on <qrels>", notes=["* best", "† differs, p < 0.05"])


def test_bibtex_reads_what_is_to_be_cited():
    found = pybtex.database.parse_string(cite(_measures()), "bibtex")
    assert {"irpref", "debeer2006rpref", "buckley2005evaluation", "moffat2008rbp"} <= set(
        found.entries
    )
    assert found.entries["clarke2008novelty"].persons["author"][5].last_names == [r"B{\"u}ttcher"]


@pytest.mark.skipif(not shutil.which("bibtex"), reason="bibtex is not installed")
def test_bibtex_itself_has_no_complaint(tmp_path):
    (tmp_path / "found.bib").write_text(cite(_measures()), encoding="utf-8")
    (tmp_path / "paper.aux").write_text("\\citation{*}\n\\bibdata{found}\n\\bibstyle{plain}\n")
    done = subprocess.run(
        ["bibtex", "paper"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    complaints = [
        line
        for line in done.stdout.splitlines()
        if line.startswith("Warning") and "@software" not in line
    ]
    # The standard styles have no type for software, and take its entry for one of `misc`.
    assert all("entry type for" in line for line in complaints), done.stdout
    assert done.returncode == 0
    assert "error" not in done.stdout


@latex
def test_pdflatex_sets_tables_and_the_methods_sentence(tmp_path):
    narrow = Table([Column("run", left=True), Column("AP", rounded(), lower=True)], [["a", 0.5]])
    (tmp_path / "paper.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs,graphicx}\\begin{document}\\setlength{\\parindent}{0pt}\n"
        f"{{\\sloppy "
        f"{methods(_measures())}\\par}}\n\n{text(_wide(), 'latex')}\n\n{text(narrow, 'latex')}\n"
        "\\end{document}\n",
        encoding="utf-8",
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    too_wide = [line for line in done.stdout.splitlines() if line.startswith("Overfull")]
    assert not [line for line in too_wide if int(line.rpartition("--")[2]) > 3], (
        "a table is wider than the text"
    )


@pytest.mark.slow
def test_a_browser_reads_the_report():
    qrels = {
        t: {d: (i + j) % 3 for j, d in enumerate("abcde")} for i, t in enumerate(["q1", "q2", "q3"])
    }
    runs = {
        name: {t: {d: (len(name) * j) % 5 for j, d in enumerate("abcde")} for t in qrels}
        for name in NAMES[:4]
    }
    parser = html5lib.HTMLParser(strict=True)  # raises where a browser would guess
    page = parser.parse(irpref_lab.report(["AP", "RPref(max_rel=2)"], qrels, runs).html)
    assert page.tag.endswith("html")


@pytest.fixture
def grades(tmp_path):
    frame = irpref.read_preferences(io.BytesIO(b"1 0 a 2\n1 0 b 0\n2 0 c 1\n"), "qrels_prefs")
    irpref.write_preferences(frame, tmp_path / "prefs", "qrels_prefs")
    return tmp_path / "prefs"


def test_trec_eval_reads_the_grades_of_preferences(grades):
    with open(grades) as file:
        assert pytrec_eval.parse_qrel(file) == {"1": {"a": 2, "b": 0}, "2": {"c": 1}}


def test_ranx_reads_the_grades_of_preferences(grades):
    ranx = pytest.importorskip("ranx", reason="ranx is not installed (CI installs it)")
    assert ranx.Qrels.from_file(str(grades), kind="trec").to_dict() == {
        "1": {"a": 2, "b": 0},
        "2": {"c": 1},
    }


def test_json_is_one_array_of_the_rows_of_jsonl():
    table = _wide()
    one = json.loads(text(table, "json"))
    assert one == [json.loads(line) for line in text(table, "jsonl").split("\n")[:-1]]
    assert [row["run"] for row in one] == NAMES
    assert json.loads(text(Table([Column("a")], []), "json")) == []


def test_csv_keeps_names_as_they_are():
    names = ['a"b', "a,b", "a\r\nb", "a=b", "'=1"]
    made = text(Table([Column("run", left=True)], [[name] for name in names]), "csv")
    assert pd.read_csv(io.StringIO(made, newline=""))["run"].tolist() == names


def test_no_cell_of_csv_is_a_formula():
    names = ["=1+1", "+x", "-x", "@x", "\t=1", " =1", "-1+1", "=cmd|' /C calc'!A0"]
    made = text(Table([Column("=run", left=True)], [[name] for name in names]), "csv")
    head, *rows = csv.reader(io.StringIO(made, newline=""))
    assert head == ["'=run"]
    assert rows == [[f"'{name}"] for name in names]
    numbers = ["-0.5", "+0.5", "-1e-05", "-inf", "-3"]
    made = text(Table([Column("value")], [[number] for number in numbers]), "csv")
    assert made.splitlines() == ["value", *numbers]


def test_markdown_shows_names_as_they_are():
    tokens = (
        MarkdownIt("commonmark")
        .enable("table")
        .enable("strikethrough")
        .parse(text(_wide(), "markdown"))
    )
    cells = [token.children for token in tokens if token.type == "inline"]
    plain = [
        "".join(part.content for part in cell)
        for cell in cells
        if all(p.type.startswith("text") for p in cell)
    ]
    assert plain[0] == "AP on <qrels>"
    assert set(NAMES) <= set(plain)


def test_the_lines_of_an_item_begin_below_its_first_word():
    items = [("- " + "word " * 8,), ("- short",), ("word " * 6,)]
    shown = text(Table([Column("", left=True, prose=True)], items), page=Page(24))
    assert shown.splitlines() == [
        "- word word word word",
        "  word word word word",
        "- short",
        "word word word word word",
        "word",
    ]
