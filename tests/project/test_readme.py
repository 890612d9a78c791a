"""The README says what the package does: it names every measure, its Python runs, its commands
exist.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from shells import script

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "README.md").read_text("utf8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", TEXT, flags=re.S)


@pytest.mark.registry
def test_the_table_of_measures_is_the_registry():
    assert script(ROOT / "docs" / "make_readme.py").with_names(TEXT) == TEXT, (
        "run: python docs/make_readme.py"
    )


def test_the_two_commands_stand_in_the_readme():
    assert "pip install '.[all]' && irpref demo\n" in blocks("sh")
    assert "pip install -e '.[test]' && pytest -n auto\n" in blocks("sh")


def test_it_answers_in_the_order_in_which_people_ask():
    headings = re.findall(r"^## (.*)$", TEXT, flags=re.M)
    asked = ["names", "everyday", "is b better", "wrong with my files", "rare measures", "licence"]
    places = [next(i for i, h in enumerate(headings) if word in h.lower()) for word in asked]
    assert places == sorted(places)


@pytest.mark.registry
def test_each_measure_has_a_place_in_the_row_of_its_family():
    from irpref.measures import registered
    from irpref.measures.toml_files import compared

    rows = [row.split(" | ") for row in TEXT.splitlines() if "](src/irpref/measures/" in row]
    placed = {
        name: row[0].removeprefix("| ") for row in rows for name in re.findall(r"\[(\w+)\]", row[2])
    }
    assert placed == {name: compared(measure).group for name, measure in registered().items()}
    assert all(row[1].endswith("?") for row in rows)
    (known,) = (row for row in rows if "[Novelty]" in row[2])
    assert "Coverage, Novelty: " in known[3]


def test_its_python_runs(capsys):
    pytest.importorskip("pyterrier")
    experiment, host, everyday = blocks("python")
    exec(compile(host, "README.md", "exec"), {})
    assert "nDCG@10: 0.3763" in capsys.readouterr().out
    exec(compile(everyday, "README.md", "exec"), {})
    # (0.5 + 1 / log2(3)) / (1 + 0.5 / log2(3)), and 1
    assert "nDCG@10: 0.8597" in (said := capsys.readouterr().out)
    assert "AP(rel=0.5): 1.0" in said
    body, _, call = experiment.partition("pt.Experiment(")
    space = {}
    exec(compile(f"{body}table = pt.Experiment({call}", "README.md", "exec"), space)
    table = space["table"]
    assert list(table["name"]) == ["BM25", "reranker"]
    assert table["nDCG@10"].round(4).tolist() == [0.3764, 0.3911]
    assert table["RPref(norm='relative2')"].round(4).tolist() == [0.2613, 0.2788]


def test_the_hosts_refuse_the_fractions_that_it_shows():
    """With the words that it quotes."""
    import ir_measures

    (said,) = re.findall(r'refuses them \("(.*?)"\)', TEXT.replace("\n", " "))
    with pytest.raises(TypeError, match=said):
        ir_measures.calc_aggregate([ir_measures.nDCG @ 10], {"q": {"a": 0.5}}, {"q": {"a": 1.0}})


def test_the_licence_of_trec_eval_is_of_what_the_host_compiles_in():
    """pytrec_eval says 9.0.8 in its `setup.py`, and a wheel says nothing: its measures tell versions
    apart, of which 10 alone has `rbp`.
    """
    import pytrec_eval

    assert "trec_eval 9" in TEXT
    assert "rbp" not in pytrec_eval.supported_measures


def test_everyday_measures_are_computed_without_trec_eval():
    code = (
        "import sys, irpref\n"
        "irpref.evaluator(['AP', 'nDCG@10', 'RR', 'P@5', 'R@5'], {'q': {'a': 1}}).calc_aggregate({'q': {'a': 1.0}})\n"
        "assert 'pytrec_eval_ext' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


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
    build = script(ROOT / "hatch_build.py")
    text = build.with_addresses(TEXT, urls)
    links = dict(
        zip(re.findall(r"\]\(([^)]+)\)", TEXT), re.findall(r"\]\(([^)]+)\)", text), strict=True)
    )
    assert links["docs/trust.md"] == "https://docs.example/irpref/trust.html"
    assert (
        links["docs/tutorials/adding-a-measure.md"]
        == "https://docs.example/irpref/tutorials/adding-a-measure.html"
    )
    assert links["CONTRIBUTING.md"] == "https://git.example/me/irpref/blob/main/CONTRIBUTING.md"
    assert (
        links["docs/gallery/strip.png"]
        == "https://git.example/me/irpref/raw/main/docs/gallery/strip.png"
    )
    assert all(link.startswith("https://") for link in links.values())
    # There is no clone there.
    shown = build.for_index(TEXT, urls)
    assert "'irpref[all]' && irpref demo\n" in shown
    assert "in a clone" not in shown
