"""Run the test suites of ir_measures and PyTerrier with irpref imported, and with `accelerate()`
on.

    python tests/host_suites.py
    python tests/host_suites.py --ir-measures DIRECTORY --pyterrier DIRECTORY

Their tests come with their source distributions, which pip downloads; those lack some files that
tests import, and such test files are named and left out. Directories are checkouts of the sources,
which lack nothing. Each suite runs three times: as it is, with irpref, accelerated. A test that
passes as it is must pass in the other two, so tests that need Java, the network or a package that
is not installed drop out by themselves. Ends with status 1 if one does not."""

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import version
from pathlib import Path

# PyTerrier's tests start Java before anything else, those that do not need it as well.
BARE = """
try:
    import pyterrier as pt
    pt.java.init = lambda *args, **kwargs: None
except ImportError:
    pass
"""
WAYS = {
    "as it is": BARE,
    "with irpref": "import irpref" + BARE,
    "accelerated": "import irpref\nirpref.accelerate()" + BARE,
}
# What has to do with measures; the others index, retrieve and download.
FILES = {
    "ir-measures": ("test_*.py",),
    "pyterrier": (
        *(
            "test_experiment_*.py",
            "test_grid.py",
            "test_debug.py",
            "test_inspect.py",
            "test_model.py",
            "test_new.py",
        ),
        *(
            "test_validate.py",
            "test_transformer.py",
            "test_radix_trie.py",
            "test_from_df.py",
            "test_dunder.py",
        ),
    ),
}
SECONDS = 900


def sources(package: str, home: Path) -> Path:
    """Unpack the source distribution of the version that is installed."""
    wanted = f"{package}=={version(package)}"
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--no-binary",
        ":all:",
        wanted,
    ]
    subprocess.run(command, cwd=home, check=True, stdout=subprocess.DEVNULL)
    (archive,) = home.glob(f"{package.replace('-', '_')}-*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(home, filter="data")
    return home / archive.name.removesuffix(".tar.gz")


def outcomes(tests: Path, files: list[str], plugin: str, home: Path) -> dict[str, str]:
    """Map each test to its outcome: passed, failed, skipped, error."""
    name = "way_" + str(abs(hash(plugin)))
    (home / f"{name}.py").write_text(plugin)
    paths = [str(home), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        name,
        "-rA",
        "--tb=no",
    ]
    command += ["-W", "default", "-c", os.devnull, "--rootdir", str(tests.parent)]
    done = subprocess.run(
        [*command, *files],
        cwd=tests.parent,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    found = {}
    for line in done.stdout.splitlines():
        word, _, rest = line.partition(" ")
        if word in ("PASSED", "FAILED", "ERROR", "SKIPPED"):
            found[rest.partition(" - ")[0]] = word.lower()
    return found


def check(package: str, given: str | None, home: Path) -> bool:
    """Run a suite three times, and print the results."""
    # Absolute: pytest is started elsewhere.
    tests = (Path(given) if given else sources(package, home)).resolve() / "tests"
    files = sorted(
        str(path.relative_to(tests.parent)) for name in FILES[package] for path in tests.glob(name)
    )
    lacking = [name for name in files if "from .base" in (tests.parent / name).read_text("utf-8")]
    if not (tests / "base.py").exists() and lacking:
        print(
            f"{package}: left out, since the distribution lacks a file that they import: "
            f"{', '.join(lacking)}"
        )
        files = [name for name in files if name not in lacking]
    found = {way: outcomes(tests, files, plugin, home) for way, plugin in WAYS.items()}
    passing = {test for test, outcome in found["as it is"].items() if outcome == "passed"}
    good = bool(passing)
    if not passing:
        print(f"{package}: no test of {tests} passes as it is, so there is nothing to compare")
    for way, results in found.items():
        lost = sorted(test for test in passing if results.get(test) != "passed")
        print(
            f"{package} {way}: {sum(of == 'passed' for of in results.values())} of {len(results)} "
            f"pass"
        )
        for test in lost:
            print(f"    passes as it is, not {way}: {test}")
        good &= not lost
    return good


def main() -> int:
    """Run both suites."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ir-measures", metavar="DIRECTORY", help="checkout of ir_measures")
    parser.add_argument("--pyterrier", metavar="DIRECTORY", help="checkout of PyTerrier")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        good = [
            check("ir-measures", given.ir_measures, Path(home)),
            check("pyterrier", given.pyterrier, Path(home)),
        ]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
