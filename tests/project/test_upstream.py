"""The patches for the hosts apply to the versions that they name, and pass the tests that they
bring.
"""

import doctest
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

UPSTREAM = Path(__file__).parents[2] / "upstream"
PATCHES = [  # patch, distribution, version, module, the patch's own test
    ("ir-measures/plugins.patch", "ir-measures", "0.4.3", "ir_measures", "tests/test_plugins.py"),
    ("ir-measures/literals.patch", "ir-measures", "0.4.3", "ir_measures", "tests/test_literals.py"),
    ("pyterrier/names.patch", "pyterrier", "1.1.2", "pyterrier", "tests/test_experiment_names.py"),
    (
        "pyterrier/frames.patch",
        "pyterrier",
        "1.1.2",
        "pyterrier",
        "tests/test_experiment_frames.py",
    ),
    ("ir-datasets/scale.patch", "ir-datasets", "0.6.3", "ir_datasets", "test/test_scale.py"),
]


def run(command, folder, **environment):
    """What a command says in a folder, with its copies before everything that is installed."""
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, **environment}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )


# The host as it is without us.
ALONE = """import sys, types
sys.modules["irpref_pyterrier"] = types.SimpleNamespace(load=lambda: None, plugin=lambda: None)
"""


def copied(module, folder):
    """A copy of an installed package in a folder."""
    package = Path(importlib.util.find_spec(module).origin).parent
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(package, folder / module, ignore=ignored, dirs_exist_ok=True)


def skip_without(patch, distribution, version):
    """Skip if the patch is for another version, or cannot be applied here."""
    if shutil.which("patch") is None:
        pytest.skip("there is no command named patch")
    try:
        installed = importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{distribution} is not installed")
    if installed != version:
        pytest.skip(f"{patch} is for {distribution} {version}, and {installed} is installed")


def apply(patch, folder):
    applied = run(["patch", "-p1", "--fuzz=0", "-i", str(UPSTREAM / patch)], folder)
    assert applied.returncode == 0, applied.stdout + applied.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("patch", "distribution", "version", "module", "test"), PATCHES, ids=lambda value: str(value)
)
def test_a_patch_applies_and_its_test_passes_with_it_alone(
    patch, distribution, version, module, test, tmp_path
):
    skip_without(patch, distribution, version)
    copied(module, tmp_path)
    apply(patch, tmp_path)
    code = (
        f"{ALONE}import pytest, {module}\nprint({module}.__file__)\n"
        "sys.exit(pytest.main(sys.argv[1:]))"
    )
    tested = [sys.executable, "-c", code, "-q", "-p", "no:cacheprovider", test]
    patched = run(tested, tmp_path)
    assert patched.returncode == 0, patched.stdout + patched.stderr
    assert Path(patched.stdout.partition("\n")[0]).is_relative_to(tmp_path), patched.stdout
    # Without the change, the same test fails: it tests the patch, not the host.
    shutil.rmtree(tmp_path / module)
    copied(module, tmp_path)
    unpatched = run(tested, tmp_path)
    assert unpatched.returncode != 0, unpatched.stdout


@pytest.mark.slow
@pytest.mark.parametrize("package", ["ir-measures", "pyterrier"])
def test_the_patches_of_a_package_apply_together_and_show_what_their_note_says(package, tmp_path):
    mine = [patch for patch in PATCHES if patch[1] == package]
    for patch, distribution, version, module, _ in mine:
        skip_without(patch, distribution, version)
        if not (tmp_path / module).is_dir():
            copied(module, tmp_path)
        apply(patch, tmp_path)
    note = (UPSTREAM / package / "note.md").read_text("utf8")
    # Examples with `>>>` are of the host as it is.
    for code in re.findall(r"^```python\n(.*?)^```", note, re.M | re.S):
        if ">>>" not in code:
            shown = run([sys.executable, "-c", f"import {module}\n{code}"], tmp_path)
            assert shown.returncode == 0, shown.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "first", ["import ir_measures, irpref", "import irpref, ir_measures", "import ir_measures"]
)
def test_ir_measures_with_its_patch_finds_us_whatever_comes_first(first, tmp_path):
    skip_without(*PATCHES[0][:3])
    copied("ir_measures", tmp_path)
    apply(PATCHES[0][0], tmp_path)
    # Declared here, too, in case irpref was installed before it was declared there.
    project = tomllib.loads((UPSTREAM.parent / "pyproject.toml").read_text("utf8"))["project"]
    declared = project["entry-points"]["ir_measures.plugins"]
    info = tmp_path / "declared-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: declared\nVersion: 0\n")
    points = "".join(f"{name} = {value}\n" for name, value in declared.items())
    (info / "entry_points.txt").write_text(f"[ir_measures.plugins]\n{points}")
    code = (
        f"{first}\nimport sys; assert 'irpref' in sys.modules\n"
        "names = [p.NAME for p in ir_measures.DefaultPipeline.providers]\n"
        "print(names.count('irpref'), names[-1], ir_measures.parse_measure('QMeasure'))"
    )
    done = run([sys.executable, "-W", "error::UserWarning", "-c", code], tmp_path)
    assert (done.stdout, done.stderr) == ("1 irpref QMeasure\n", "")
    (tmp_path / "q").write_text("q 0 a 1\nq 0 b 0\n")
    (tmp_path / "r").write_text("q Q0 a 1 2 s\nq Q0 b 2 1 s\n")
    done = run([sys.executable, "-m", "ir_measures", "q", "r", "QMeasure"], tmp_path)
    assert done.stdout.split() == ["QMeasure", "1.0000"], done.stderr


@pytest.mark.parametrize(
    "note", sorted(UPSTREAM.glob("*/note.md")), ids=lambda note: note.parent.name
)
def test_the_examples_of_a_note_are_true(note):
    failed, tried = doctest.testfile(str(note), module_relative=False)
    assert failed == 0
    assert tried > 0 or note.parent.name != "ir-measures"


def test_every_patch_is_tested():
    assert sorted(
        path.relative_to(UPSTREAM).as_posix() for path in UPSTREAM.glob("*/*.patch")
    ) == sorted(patch for patch, *_ in PATCHES)
