"""Every table that a command writes is LaTeX, and a board is one table for a paper."""

import re
import shutil
import subprocess

import pytest

import irpref
import irpref_lab
from irpref.cli import main
from shells import qrels_text, run_text

QRELS = {f"q{t}": {f"d{i}": (i + t) % 3 for i in range(12)} for t in range(12)}
NAMES = ["a_b & 100%", "c#d", "e{f}$g^2", "h~i", "bm25"]


def _run(shift):
    return {
        topic: {f"d{i}": float((i * (3 + shift) + 5 * t + shift) % 13) for i in range(12)}
        for t, topic in enumerate(QRELS)
    }


@pytest.fixture
def inputs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(qrels_text(QRELS))
    (tmp_path / "half").write_text(qrels_text(dict(list(QRELS.items())[:6])))
    (tmp_path / "groups").write_text(
        "".join(f"q{t} {'a&b' if t % 2 else 'c_d'}\n" for t in range(12))
    )
    for number, name in enumerate(NAMES):
        (tmp_path / f"{name}.run").write_text(run_text(_run(number)))
    return [f"{name}.run" for name in NAMES]


def _sound(text):
    """Whether environments are closed in order, and rows have as many cells as the head."""
    open_ = []
    for kind, name in re.findall(r"^[^%\n]*?\\(begin|end)\{(\w+)\}", text, re.MULTILINE):
        if kind == "begin":
            open_.append(name)
        elif not open_ or open_.pop() != name:
            return False
    rows = [line for line in text.splitlines() if line.endswith(r" \\") and line[0] != "%"]
    cells = {len(re.findall(r"(?<!\\)&", row)) for row in rows}
    return not open_ and (len(cells) == 1 or text.count(r"\begin{tabular}") > 1)


COMMANDS = {
    "leaderboard": ["nDCG@5", "AP", "EMeasure"],
    "leaderboard-groups": ["nDCG@5", "AP", "--groups", "groups"],
    "leaderboard-top": ["nDCG@5", "--top", "2", "--pairs", "none"],
    "leaderboard-tests": ["nDCG@5", "--tests", "--design"],
    "against": ["nDCG@5", "AP", "EMeasure", "--groups", "groups"],
    "check": ["AP"],
    "intervals": ["AP", "--over", "topics"],
    "eval": ["AP", "EMeasure", "-q"],
    "crosscheck": ["AP"],
    "curve pr": [],
    "meta power": ["AP", "nDCG@5", "--samples", "20"],
    "compare": ["AP", "EMeasure", "--groups", "groups", "-q"],
    "gate": ["AP", "EMeasure", "--groups", "groups"],
    "explain": ["RPref(max_rel=2)", "-t", "q3"],
}
N_RUNS = {"compare": 2, "gate": 2, "explain": 1}


@pytest.fixture
def written(inputs, capsys):
    """The files of all commands, by name."""
    files = {}
    for name, more in COMMANDS.items():
        command = name.partition("-")[0].split()
        file = f"{name.replace(' ', '-')}.tex"
        status = main([*command, "qrels", *inputs[: N_RUNS.get(name, 5)], *more, "-f", file])
        capsys.readouterr()
        assert status in (0, 1, 3), name
        files[name] = file
    assert main(["judge", "half", "qrels", *inputs, "AP", "-f", "judge.tex"]) == 0
    runs = []
    for number in range(45):
        runs.append(f"system_{number}.run")
        with open(runs[-1], "w") as out:
            out.write(run_text(_run(number % 11)))
    assert main(["leaderboard", "qrels", *runs, "AP", "nDCG@5", "-f", "long.tex"]) == 0
    return files | {"judge": "judge.tex", "long": "long.tex"}


@pytest.mark.filterwarnings("ignore")
def test_every_table_is_sound(written):
    for name, file in written.items():
        with open(file) as text:
            assert _sound(text.read()), name


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed")
def test_pdflatex_sets_every_table(written, tmp_path):
    parts = "\n\n".join(rf"\input{{{file}}}" for file in written.values())
    (tmp_path / "paper.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs,graphicx,longtable}\\begin{document}\n"
        f"{parts}\n\\end{{document}}\n"
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    too_wide = [line for line in done.stdout.splitlines() if line.startswith("Overfull")]
    assert not [line for line in too_wide if float(re.search(r"\(([\d.]+)pt", line)[1]) > 3]


def test_a_board_is_one_table_with_a_caption_and_marks(inputs, capsys):
    main(["leaderboard", "qrels", *inputs, "nDCG@5", "EMeasure", "-o", "latex"])
    text = capsys.readouterr().out
    assert text.count(r"\begin{tabular}") == 1
    board = irpref_lab.leaderboard(["nDCG@5", "EMeasure"], "qrels", inputs)
    test = board.test.replace("%", r"\%")
    assert f"Test: {test}." in text
    assert r"EMeasure $\downarrow$" in text
    for measure in ("nDCG@5", "EMeasure"):
        rows = board[board["measure"] == measure]
        for row in rows.to_dict("records"):
            value = f"{row['mean']:.4f}"
            value = rf"\textbf{{{value}}}" if row["place"] == 1 else value
            assert rf"{value}\textsuperscript{{{row['letters']}}}" in text
    main(["leaderboard", "qrels", *inputs, "nDCG@5", "-o", "latex", "--top", "2"])
    text = capsys.readouterr().out
    assert text.count(r" \\") == 3
    assert "The best 2 of 5 " in text


def test_a_long_board_breaks_over_pages(inputs, capsys):
    runs = {f"r{n}": _run(n % 11) for n in range(41)}
    board = irpref_lab.leaderboard("AP", "qrels", runs)
    from irpref.show.text import text

    (table,) = board.in_paper()
    latex = text(table, "latex")
    assert r"\begin{longtable}{lr}" in latex
    heads = [line.split() for line in latex.splitlines() if line.startswith("run")]
    assert heads == [["run", "&", "AP", r"\\"]] * 2
    assert r"\endhead" in latex
    (short,) = board.in_paper(top=40)
    assert "longtable" not in text(short, "latex")


def test_top_shows_the_best_runs_of_each_table(inputs, capsys):
    main(["leaderboard", "qrels", *inputs, "nDCG@5", "AP", "--top", "2"])
    out = capsys.readouterr().out
    assert out.count("best 2 of 5 runs") == 2
    assert "10 pairs of 5 runs" in out


def test_a_board_can_be_written_for_a_paper_where_results_of_experiments_can():
    from irpref.show.experiment import table

    cast = irpref.datasets.load("cast2021")
    board = irpref_lab.leaderboard(["nDCG@10", "AP"], cast.qrels, cast.runs)
    latex = table(board, "latex")
    assert "\\caption{Means of 5 runs over 158 topics" in latex
    assert "run                     &" in latex
    assert "org\\_convdr" in table(board, "latex")
    assert "| org_convdr" in table(board, "markdown")
    with pytest.raises(irpref.IrprefError, match=r"pt\.Experiment"):
        table(board[board["measure"] == "AP"], "latex")
