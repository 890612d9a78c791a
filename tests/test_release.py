"""What is published: the metadata agree, and the wheel holds the package and nothing else."""

import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

import pytest

import irpref

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def citation():
    yaml = pytest.importorskip("yaml", reason="comes with the extra `datasets`")
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_citation_and_codemeta_agree(citation):
    codemeta = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    assert codemeta["name"] == citation["title"]
    assert codemeta["version"] == citation["version"] == citation["preferred-citation"]["version"]
    assert codemeta["license"].endswith("/" + citation["license"])
    assert codemeta["datePublished"] == str(citation["date-released"])
    assert codemeta["keywords"] == citation["keywords"]
    # An entity, where cffconvert writes a person.
    assert codemeta["author"] == [{"@type": "Organization", **author} for author in citation["authors"]]


def test_the_version_is_one(citation):
    headings = re.findall(r"^## (?!Unreleased)(\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert citation["version"] == irpref.__version__
    # Until the day of the release the newest entries stand under "Unreleased".
    unreleased = "\n## Unreleased" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert unreleased or headings[0] == irpref.__version__


def test_the_changelog_keeps_its_form(citation):
    """That of https://keepachangelog.com: versions with their day, the newest first, and six kinds of changes."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    for version in versions:
        assert re.match(r"Unreleased\n|\d+\.\d+\.\d+ (- \d{4}-\d{2}-\d{2}|\(unreleased\))\n", version)
        headings = re.findall(r"^### (.*)$", version, re.MULTILINE)
        assert set(headings) <= kinds
        assert len(set(headings)) == len(headings)
    assert f"## {citation['version']} - {citation['date-released']}\n" in text


def test_the_licence_is_one(citation):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"] == citation["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License")


def test_the_address_of_the_repository_is_one():
    """It is filled in in `[project.urls]`; what repeats it must follow."""
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    others = [path for path in ("recipe/meta.yaml", "docs/upstream/pyterrier/note.md") if (ROOT / path).is_file()]
    for path in others:
        addresses = re.findall(r"https://github\.com/[\w-]+/irpref\b", (ROOT / path).read_text(encoding="utf-8"))
        assert set(addresses) == {urls["Repository"]}, path
    assert urls["Issues"] == urls["Repository"] + "/issues"
    assert urls["Changelog"].startswith(urls["Repository"] + "/")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """The wheel, built twice as the release does, without a network."""
    pytest.importorskip("hatchling", reason="builds the wheel")
    paths = []
    for turn in ["first", "second"]:
        folder = tmp_path_factory.mktemp(turn)
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
        built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
        assert built.returncode == 0, built.stderr
        paths += folder.glob("*.whl")
    return paths


def test_the_wheel_is_pure_and_built_twice_is_the_same(wheels):
    assert [path.name for path in wheels] == [f"irpref-{irpref.__version__}-py3-none-any.whl"] * 2
    assert wheels[0].read_bytes() == wheels[1].read_bytes()


def test_the_wheel_holds_the_package_and_nothing_else(wheels):
    with zipfile.ZipFile(wheels[0]) as wheel:
        names = {PurePosixPath(name) for name in wheel.namelist()}
    info = PurePosixPath(f"irpref-{irpref.__version__}.dist-info")
    assert {name for name in names if name.parts[0] == info.name} == {
        info / name for name in ["METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"]
    }
    package = {name for name in names if name.parts[0] != info.name}
    tops = ["irpref", "irpref_command", "irpref_pyterrier"]
    assert {name.parts[0] for name in package} == set(tops)
    # Every file of the source tree; caches and what editors leave are no part of it.
    files = {
        path.relative_to(ROOT / "src") for top in tops for path in (ROOT / "src" / top).rglob("*") if path.is_file()
    }
    assert package == {PurePosixPath(path.as_posix()) for path in files if "__pycache__" not in path.parts}
    # No tests and no data: modules, types, the literature, the page of a report, the pages for PyTerrier.
    assert not [name for name in package if "tests" in name.parts or name.name.startswith("test_")]
    others = {name.as_posix() for name in package if name.suffix not in {".py", ".pyi"}}
    assert {name for name in others if not name.startswith(("irpref/pt_docs/", "irpref/show/report/page."))} == {
        "irpref/py.typed",
        "irpref/measures/literature.bib",
    }
    assert {PurePosixPath(name).suffix for name in others if name.startswith("irpref/pt_docs/")} == {".rst"}


def test_the_sdist_holds_the_sources_the_examples_and_what_is_said_of_them(tmp_path):
    pytest.importorskip("hatchling", reason="builds the sdist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, capture_output=True, timeout=300, check=True)
    with tarfile.open(tmp_path / f"irpref-{irpref.__version__}.tar.gz") as archive:
        names = {PurePosixPath(*PurePosixPath(name).parts[1:]).as_posix() for name in archive.getnames()}
    said = {"README.md", "CHANGELOG.md", "CITATION.cff", "codemeta.json", "LICENSE", "PKG-INFO"}
    build = {"pyproject.toml", "hatch_build.py", ".gitignore"}
    examples = {f"examples/{path.name}" for path in (ROOT / "examples").glob("*.py")}
    sources = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "src").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert names == said | build | examples | sources
