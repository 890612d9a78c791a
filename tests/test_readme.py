"""The README says what the package does: its table is the registry's, its Python runs, its commands exist."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "README.md").read_text("utf8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", TEXT, flags=re.S)


def test_the_table_of_measures_is_the_registry():
    spec = importlib.util.spec_from_file_location("make_readme", ROOT / "docs" / "make_readme.py")
    make_readme = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_readme)
    assert make_readme.with_table(TEXT) == TEXT, "run: python docs/make_readme.py"


def test_the_two_commands_stand_in_the_readme():
    assert "pip install '.[all]' && irpref demo\n" in blocks("sh")
    assert "pip install -e '.[test]' && pytest -n auto\n" in blocks("sh")


@pytest.mark.parametrize("code", [code for code in blocks("python") if "pyterrier" not in code])
def test_python_of_the_readme_runs(code):
    exec(compile(code, "README.md", "exec"), {})


def test_the_experiment_of_the_readme_runs():
    pytest.importorskip("pyterrier")
    (code,) = [code for code in blocks("python") if "pyterrier" in code]
    body, _, call = code.partition("pt.Experiment(")
    space = {}
    exec(compile(f"{body}table = pt.Experiment({call}", "README.md", "exec"), space)
    assert list(space["table"]["name"]) == ["baseline", "strong"]
    assert "QMeasure(judged_only=True)@10" in space["table"].columns


def test_links_to_papers_end_with_the_doi():
    assert not re.findall(r"\]\(https://doi\.org/[^)]*[;,.]\)", TEXT)


def test_links_of_the_readme_lead_somewhere():
    missing = [link for link in re.findall(r"\]\(((?!http)[^)#]+)\)", TEXT) if not (ROOT / link).exists()]
    assert not missing
