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
from pathlib import Path

import pytest

UPSTREAM = Path(__file__).parents[2] / "upstream"
PATCHES = [  # patch, distribution, version, module, the patch's own test
    ("ir-measures/plugins.patch", "ir-measures", "0.4.3", "ir_measures", "test/test_plugins.py"),
    ("pyterrier/names.patch", "pyterrier", "1.1.2", "pyterrier", "tests/test_experiment_names.py"),
    ("ir-datasets/scale.patch", "ir-datasets", "0.6.3", "ir_datasets", "test/test_scale.py"),
]


def run(command, folder, **environment):
    """What a command says in a folder, with its copies before everything that is installed."""
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, **environment}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("patch", "distribution", "version", "module", "test"), PATCHES, ids=lambda value: str(value)
)
def test_a_patch_applies_and_its_test_passes_with_it_alone(
    patch, distribution, version, module, test, tmp_path
):
    if shutil.which("patch") is None:
        pytest.skip("there is no command named patch")
    try:
        installed = importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{distribution} is not installed")
    if installed != version:
        pytest.skip(f"{patch} is for {distribution} {version}, and {installed} is installed")
    package = Path(importlib.util.find_spec(module).origin).parent
    shutil.copytree(package, tmp_path / module, ignore=shutil.ignore_patterns("__pycache__"))
    applied = run(["patch", "-p1", "--fuzz=0", "-i", str(UPSTREAM / patch)], tmp_path)
    assert applied.returncode == 0, applied.stdout + applied.stderr
    code = f"import sys, pytest, {module}; print({module}.__file__); sys.exit(pytest.main(sys.argv[1:]))"
    tested = [sys.executable, "-c", code, "-q", "-p", "no:cacheprovider", test]
    patched = run(tested, tmp_path)
    assert patched.returncode == 0, patched.stdout + patched.stderr
    assert Path(patched.stdout.partition("\n")[0]).is_relative_to(tmp_path), patched.stdout
    # What its note shows of the change; examples with `>>>` are those of the host as it is.
    for code in re.findall(
        r"^```python\n(.*?)^```",
        (UPSTREAM / patch).with_name("note.md").read_text("utf8"),
        re.M | re.S,
    ):
        if ">>>" not in code:
            shown = run([sys.executable, "-c", f"import {module}\n{code}"], tmp_path)
            assert shown.returncode == 0, shown.stderr

    # Without the change, the same test fails: it tests the patch, not the host.
    shutil.rmtree(tmp_path / module)
    shutil.copytree(package, tmp_path / module, ignore=shutil.ignore_patterns("__pycache__"))
    unpatched = run(tested, tmp_path)
    assert unpatched.returncode != 0, unpatched.stdout


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
