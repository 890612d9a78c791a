"""What is published: the metadata agree, and the wheel holds the package and nothing else."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

import pytest

import irpref
from irpref.datasets.catalogue import COLLECTIONS

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def citation():
    yaml = pytest.importorskip("yaml", reason="comes with the extra `datasets`")
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_version_is_one(citation):
    headings = re.findall(
        r"^## (?!Unreleased)(\S+)",
        (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert citation["version"] == irpref.__version__
    # Until the day of the release the newest entries stand under "Unreleased".
    unreleased = "\n## Unreleased" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert unreleased or headings[0] == irpref.__version__


def test_the_changelog_keeps_its_form(citation):
    """That of https://keepachangelog.com: versions with their day, the newest first, and six kinds
    of changes.
    """
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    for version in versions:
        assert re.match(
            r"Unreleased\n|\d+\.\d+\.\d+ (- \d{4}-\d{2}-\d{2}|\(unreleased\))\n", version
        )
        headings = re.findall(r"^### (.*)$", version, re.MULTILINE)
        assert set(headings) <= kinds
        assert len(set(headings)) == len(headings)
    assert f"## {citation['version']} - {citation['date-released']}\n" in text


def test_the_licence_is_one(citation):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"] == citation["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License")


def run(command, folder, **environment):
    """What a command says, in the environment of the tests but for what asks for pure Python."""
    inherited = {name: value for name, value in os.environ.items() if name != "IRPREF_PURE"}
    command = [sys.executable, *map(str, command)]
    env = {**inherited, **environment}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300)


def built(target, root, folder, **environment):
    """A wheel or an sdist, built as the release does but without a network, and what was said."""
    pytest.importorskip("hatchling", reason="builds the wheel")
    done = run(["-m", "hatchling", "build", "-t", target, "-d", folder], root, **environment)
    assert done.returncode == 0, done.stderr
    (path,) = folder.iterdir()
    return path, done.stdout + done.stderr


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    return built("sdist", ROOT, tmp_path_factory.mktemp("sdist"))[0]


@pytest.fixture
def unpacked(sdist, tmp_path):
    """The folder of the sdist, which may be built in: other tests use the one that they run from."""
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    return tmp_path / "unpacked" / sdist.name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def compiler():
    """Skips if nothing can be compiled against Python."""
    command = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    there = shutil.which(command[0]) and Path(sysconfig.get_path("include"), "Python.h").exists()
    if (
        os.name != "posix"
        or sys.implementation.name != "cpython"
        or sysconfig.get_config_var("Py_GIL_DISABLED")
    ):
        pytest.skip("only where a POSIX compiler makes modules for CPython with its global lock")
    if not there:
        pytest.skip("no C compiler here, or no headers of Python")


@pytest.fixture(scope="module", params=["pure", "compiled"])
def wheels(request, tmp_path_factory, sdist):
    """Both wheels, each built from this folder and from the sdist, elsewhere."""
    if request.param == "compiled":
        request.getfixturevalue("compiler")
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    with tarfile.open(sdist) as archive:
        archive.extractall(elsewhere, filter="data")
    environment = {"IRPREF_PURE": "1"} if request.param == "pure" else {}
    return [
        built("wheel", root, tmp_path_factory.mktemp("wheel"), **environment)[0]
        for root in (ROOT, elsewhere / sdist.name.removesuffix(".tar.gz"))
    ]


def sources():
    """The files of `src`; caches and what was compiled there are none."""
    paths = [
        path
        for path in (ROOT / "src").rglob("*")
        if path.is_file() and path.suffix not in (".so", ".pyd")
    ]
    return {path.relative_to(ROOT).as_posix() for path in paths if "__pycache__" not in path.parts}


def is_pure(wheel):
    return wheel.name == f"irpref-{irpref.__version__}-py3-none-any.whl"


def modules(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return [name for name in archive.namelist() if name.endswith((".so", ".pyd", ".c"))]


def test_a_wheel_of_the_sdist_is_by_the_byte_the_one_of_the_repository(wheels):
    assert wheels[0].name == wheels[1].name
    assert wheels[0].read_bytes() == wheels[1].read_bytes()


def test_a_wheel_is_pure_or_for_all_versions_of_python_on_one_platform(wheels, tmp_path):
    with zipfile.ZipFile(wheels[0]) as archive:
        archive.extractall(tmp_path)
        said = archive.read(f"irpref-{irpref.__version__}.dist-info/WHEEL").decode()
    if is_pure(wheels[0]):
        assert modules(wheels[0]) == []
        assert "Root-Is-Purelib: true\nTag: py3-none-any\n" in said
    else:
        assert modules(wheels[0]) == ["irpref/data/_native.abi3.so"]
        tag = wheels[0].stem.removeprefix(f"irpref-{irpref.__version__}-")
        assert re.fullmatch(r"cp311-abi3-(linux|macosx)_\w+", tag)
        assert f"Root-Is-Purelib: false\nTag: {tag}\n" in said
        imported = "from irpref.data.texts import _native; print(_native.__file__)"
        done = run(["-c", imported], tmp_path, PYTHONPATH=str(tmp_path))
        assert Path(done.stdout.strip()) == tmp_path / "irpref/data/_native.abi3.so", done.stderr


@pytest.mark.parametrize(
    ("environment", "reason"),
    [
        ({"IRPREF_PURE": "1"}, "IRPREF_PURE is set"),
        ({"CC": f"{sys.executable} -c 'raise SystemExit(1)'"}, "failed"),
        ({"CC": "no-such-compiler"}, "no-such-compiler"),
    ],
)
def test_where_nothing_can_be_compiled_the_wheel_is_pure_and_one_line_says_so(
    environment, reason, tmp_path
):
    wheel, said = built("wheel", ROOT, tmp_path, **environment)
    assert is_pure(wheel)
    assert modules(wheel) == []
    (line,) = [line for line in said.splitlines() if not line.endswith(wheel.name)]
    assert "pure Python" in line
    assert reason in line


def test_an_editable_installation_compiles_beside_the_source_and_leaves_nothing_old(
    compiler, unpacked, tmp_path
):
    module = unpacked / "src/irpref/data/_native.abi3.so"
    for number, (environment, there) in enumerate(
        [({}, True), ({"IRPREF_PURE": "1"}, False), ({}, True)]
    ):
        wheel, _ = built("wheel:editable", unpacked, tmp_path / str(number), **environment)
        assert is_pure(wheel)
        assert modules(wheel) == []
        assert module.exists() == there
    # A wheel takes nothing that lies there.
    assert modules(built("wheel", unpacked, tmp_path / "pure", IRPREF_PURE="1")[0]) == []


def test_one_command_compiles_anew(compiler, unpacked):
    module = unpacked / "src/irpref/data/_native.abi3.so"
    module.write_text("old")
    assert run(["hatch_build.py"], unpacked).returncode == 0
    assert module.read_bytes() != b"old"
    failed = run(["hatch_build.py"], unpacked, CC="no-such-compiler")
    assert failed.returncode == 1
    assert "no-such-compiler" in failed.stderr
    assert not module.exists()


def test_what_is_compiled_beside_the_source_is_not_older():
    """Else the tests run against what was once written: `python hatch_build.py` compiles it anew."""
    for module in (ROOT / "src").rglob("*.so"):
        assert module.stat().st_mtime >= module.with_name("_native.c").stat().st_mtime, module


def test_the_wheel_holds_the_package_and_nothing_else(wheels):
    with zipfile.ZipFile(wheels[0]) as wheel:
        names = {PurePosixPath(name) for name in wheel.namelist()}
    info = PurePosixPath(f"irpref-{irpref.__version__}.dist-info")
    assert {name for name in names if name.parts[0] == info.name} == {
        info / name
        for name in [
            "METADATA",
            "WHEEL",
            "RECORD",
            "entry_points.txt",
            "licenses/LICENSE",
            "licenses/src/irpref/datasets/cast2021/LICENSE",
        ]
    }
    package = {name for name in names if name.parts[0] != info.name}
    tops = ["irpref", "irpref_command", "irpref_lab", "irpref_pyterrier"]
    assert {name.parts[0] for name in package} == set(tops)
    compiled = set() if is_pure(wheels[0]) else {PurePosixPath("irpref/data/_native.abi3.so")}
    # Every file of the source tree; caches and what editors leave are no part of it.
    files = {path.removeprefix("src/") for path in sources() if not path.endswith(".c")}
    assert package == {PurePosixPath(path) for path in files} | compiled
    package -= compiled
    # No tests: modules, types, the literature, examples, the page of a report, the pages for
    # PyTerrier.
    assert not [name for name in package if "tests" in name.parts or name.name.startswith("test_")]
    others = {name.as_posix() for name in package if name.suffix not in {".py", ".pyi"}}
    elsewhere = ("irpref/pt_docs/", "irpref_lab/page/page.", "irpref/datasets/worked/")
    assert {
        name for name in others if not name.startswith(elsewhere) and not name.endswith(".toml")
    } == {
        "irpref/py.typed",
        "irpref_lab/py.typed",
        "irpref/measures/literature.bib",
        "irpref/datasets/cast2021/LICENSE",
        *(
            f"irpref/datasets/{id}/{file}"
            for id in COLLECTIONS
            for file in ("about.json", "documents.tsv.gz")
        ),
    }
    assert {
        PurePosixPath(name).suffix for name in others if name.startswith("irpref/datasets/worked/")
    } == {".json"}
    assert {
        PurePosixPath(name).suffix for name in others if name.startswith("irpref/pt_docs/")
    } == {".rst"}


@pytest.mark.skipif(os.name == "nt", reason="needs bash")
def test_the_first_commands_of_the_package_index_work_in_a_fresh_environment(wheels, tmp_path):
    """A folder is the index; what irpref needs is what is installed here."""
    with zipfile.ZipFile(wheels[0]) as archive:
        page = archive.read(f"irpref-{irpref.__version__}.dist-info/METADATA").decode()
    commands = re.search(r"^```sh\n(.*?)^```", page, re.M | re.S)[1]
    assert commands.startswith("pip install 'irpref[all]'")
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "new"], check=True)
    (packages,) = (tmp_path / "new").glob("lib/python*/site-packages")
    (packages / "installed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    environment |= {
        "PATH": os.pathsep.join([str(tmp_path / "new" / "bin"), os.environ["PATH"]]),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels[0].parent),
        "PIP_NO_DEPS": "1",
        "PIP_FORCE_REINSTALL": "1",  # another one is seen, but is not in this environment
    }
    where = "irpref --version && python -c 'import irpref; print(irpref.__file__)'"
    done = subprocess.run(
        ["bash", "-ec", f"{commands}\n{where}"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.splitlines()[-1]).is_relative_to(packages)


def test_the_sdist_holds_the_sources_the_examples_and_what_is_said_of_them(sdist):
    with tarfile.open(sdist) as archive:
        names = {
            PurePosixPath(*PurePosixPath(name).parts[1:]).as_posix() for name in archive.getnames()
        }
    said = {"README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "PKG-INFO"}
    build = {"pyproject.toml", "hatch_build.py", ".gitignore"}
    examples = {
        f"examples/{path.name}"
        for ending in ("py", "ipynb")
        for path in (ROOT / "examples").glob(f"*.{ending}")
    }
    assert names == said | build | examples | sources()
