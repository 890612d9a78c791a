"""The README says what the package does: it names every measure, its Python runs, its commands
exist.
"""

import re
import shlex
from pathlib import Path

import pytest

from shells import script

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


def test_its_python_runs(capsys):
    pytest.importorskip("pyterrier")
    plain, experiment = blocks("python")
    exec(compile(plain, "README.md", "exec"), {})
    assert "nDCG@10: 0.3763" in capsys.readouterr().out
    body, _, call = experiment.partition("pt.Experiment(")
    space = {}
    exec(compile(f"{body}table = pt.Experiment({call}", "README.md", "exec"), space)
    table = space["table"]
    assert list(table["name"]) == ["BM25", "reranker"]
    assert table["nDCG@10"].round(4).tolist() == [0.3764, 0.3911]
    assert table["RPref(norm='relative2')"].round(4).tolist() == [0.2613, 0.2788]


@pytest.mark.slow
def test_its_command_lines_run(tmp_path, monkeypatch, capsys):
    pytest.importorskip("jinja2", reason="writes the report")
    from irpref.cli import main

    monkeypatch.chdir(tmp_path)
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    commands = [line for line in lines if line.startswith("irpref ")]
    assert len(commands) > 8
    for line in commands:
        words = shlex.split(line, comments=True)[1:]
        expanded = [
            path
            for word in words
            for path in (sorted(map(str, Path().glob(word))) if "*" in word else [word])
        ]
        assert main(expanded) == 0, line
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
    assert links["docs/trust.md"] == "https://docs.example/irpref/trust.html"
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
