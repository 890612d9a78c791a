"""The README says what the package does: it names every measure, its Python runs, its commands
exist.
"""

import re
import shlex
from pathlib import Path

import pytest

from shells import qrels_text, run_text, script

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "README.md").read_text("utf8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", TEXT, flags=re.S)


@pytest.mark.registry
def test_the_list_of_measures_is_the_registry():
    assert script(ROOT / "docs" / "make_readme.py").with_names(TEXT) == TEXT, (
        "run: python docs/make_readme.py"
    )


def test_the_two_commands_stand_in_the_readme():
    assert "pip install '.[all]' && irpref demo\n" in blocks("sh")
    assert "pip install -e '.[test]' && pytest -n auto\n" in blocks("sh")


def test_the_experiment_of_the_readme_runs():
    pytest.importorskip("pyterrier")
    (code,) = [code for code in blocks("python") if "pyterrier" in code]
    body, _, call = code.partition("pt.Experiment(")
    space = {}
    exec(compile(f"{body}table = pt.Experiment({call}", "README.md", "exec"), space)
    assert list(space["table"]["name"]) == ["BM25", "reranker"]
    # The one is better by nDCG@10, the other by RPref.
    assert space["table"]["nDCG@10"].round(4).tolist() == [0.3764, 0.3911]
    assert space["table"]["RPref(max_rel=4)"].round(4).tolist() == [0.4114, 0.3808]
    assert "QMeasure(judged_only=True)@10" in space["table"].columns


def test_the_readme_is_short():
    assert len(TEXT.splitlines()) <= 90
    assert len(blocks("python")) == 1


def test_its_command_lines_run(tmp_path, monkeypatch, capsys):
    pytest.importorskip("jinja2", reason="writes the report")
    from irpref.cli import main
    from irpref.datasets import load

    cast = load("cast2021")
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text(qrels_text(cast.qrels), encoding="utf8")
    for path, name in (("run1.txt", "org_manual_bm25"), ("run2.txt", "org_manual_ance")):
        Path(path).write_text(run_text(cast.runs[name]), encoding="utf8")
    (block,) = [block for block in blocks("sh") if block.startswith("irpref ")]
    for command in block.replace(" -t 1 ", " -t 106_1 ").splitlines():
        assert main(shlex.split(command, comments=True)[1:]) == 0, command
    out = capsys.readouterr().out
    (shown,) = blocks("console")
    assert shown.splitlines()[1] in out
    assert Path("report.html").is_file()


def test_on_a_package_index_every_link_is_absolute_and_has_the_address_of_the_project():
    """The build makes them so; the address stands in `[project.urls]`."""
    pytest.importorskip("hatchling", reason="builds the wheel")
    urls = {
        "Repository": "https://git.example/me/irpref",
        "Documentation": "https://docs.example/irpref",
    }
    text = script(ROOT / "hatch_build.py").with_addresses(TEXT, urls)
    links = dict(
        zip(re.findall(r"\]\(([^)]+)\)", TEXT), re.findall(r"\]\(([^)]+)\)", text), strict=True)
    )
    assert links["docs/check.md"] == "https://docs.example/irpref/check.html"
    assert (
        links["docs/tutorials/own-measure.md"]
        == "https://docs.example/irpref/tutorials/own-measure.html"
    )
    assert links["CONTRIBUTING.md"] == "https://git.example/me/irpref/blob/main/CONTRIBUTING.md"
    assert (
        links["docs/gallery/strip.png"]
        == "https://git.example/me/irpref/raw/main/docs/gallery/strip.png"
    )
    assert all(link.startswith("https://") for link in links.values())
