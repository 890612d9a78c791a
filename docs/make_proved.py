"""Makes docs/proved.md: what was compared with what, how many values, counted by the tests that compare.

    python docs/make_proved.py            # runs these tests (minutes) and writes docs/proved.json and docs/proved.md
    python docs/make_proved.py --page     # writes docs/proved.md from docs/proved.json

Tests on public collections need `IRPREF_DATA`, see CONTRIBUTING.md; without them nothing is written.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path

DOCS = Path(__file__).resolve().parent
COUNTS, PAGE = DOCS / "proved.json", DOCS / "proved.md"
TOOLS = ("ir-measures", "pytrec_eval-terrier", "pyNTCIREVAL", "hypothesis", "numpy")


def counting() -> list[str]:
    """The test files that count what they compare."""
    tests = sorted((DOCS.parent / "tests").glob("test_*.py"))
    return [f"tests/{path.name}" for path in tests if re.search(r"^\s+count\(", path.read_text("utf8"), re.MULTILINE)]


def first_sentence(test: str) -> str:
    """A test's name, as words."""
    return test.rpartition("::")[2].removeprefix("test_").replace("_", " ")


def page(counted: dict[str, object]) -> str:
    """The page."""
    rows: list[dict[str, object]] = counted["counts"]  # type: ignore[assignment]
    tools: dict[str, str] = counted["versions"]  # type: ignore[assignment]
    of: dict[str, list[dict[str, object]]] = defaultdict(list)
    for row in rows:
        of[str(row["with"])].append(row)
    total = {other: sum(int(str(r["values"])) for r in found) for other, found in of.items()}
    lines = [
        "# How values are proved",
        "",
        "<!-- Written by docs/make_proved.py; change that. -->",
        "",
        "A value of this package is not expected to be what the package computed yesterday. It is "
        "compared with papers, with a "
        "second implementation that shares no code with the first, and with independent programs. The "
        "numbers on this page "
        "were counted by the tests that compare, in one run of them "
        f"({', '.join(f'{name} {number}' for name, number in tools.items())}; drawn data: the profile `ci` of "
        "`tests/conftest.py`, 100 examples a test, the same in every run).",
        "",
        "| compared with | values |",
        "| --- | ---: |",
        *(f"| {other} | {n:,} |" for other, n in sorted(total.items(), key=lambda item: -item[1])),
        "",
        "A value is one number: of one topic, or the mean of a run. *Equal* means to the last bit where "
        "the tests say so (most "
        "measures that have another name in ir_measures), to 12 digits where sums are added in another "
        "order, and to every "
        "printed digit where a program or paper printed it.",
        "",
        "## By test",
        "",
        "| test | compared with | values |",
        "| --- | --- | ---: |",
    ]
    for row in sorted(rows, key=lambda r: (str(r["test"]), str(r["with"]))):
        file = str(row["test"]).partition("::")[0]
        short = re.sub(r" \(.*\)$|,.*$|: .*$", "", str(row["with"]))
        lines.append(f"| {first_sentence(str(row['test']))} (`{file}`) | {short} | {int(str(row['values'])):,} |")
    lines += [
        "",
        "## What is proved otherwise",
        "",
        "- *Laws*: each measure keeps its range; an ideal list has the value that its page says; no "
        "value depends on other "
        "topics, on the order of rows, or on the form of the input; text forms parse back (`tests/test_laws.py`, "
        "`tests/test_every_form.py`).",
        "- *Bits*: `tests/test_segments.py` and `tests/test_rounding.py` hold sums against exact fractions.",
        "- *Statistics*: tests of all pairs, sample sizes and variances against statsmodels and SciPy "
        "(`tests/test_pairs.py`, `tests/test_topic_set_size.py`).",
        "- *Hosts*: ir_measures' and PyTerrier's own test suites run with irpref imported, and with `accelerate()` on "
        "(`python tests/host_suites.py`).",
        "- *The tests themselves*: `python tests/mutation.py` breaks the code in many small ways and "
        "lists what no test "
        "noticed.",
        "",
        "What is not proved: that a definition is the one its authors had in mind where their paper "
        "leaves it open. Each "
        "measure's page says what was left open and what was decided.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    if "--page" not in sys.argv:
        written = COUNTS.with_suffix(".new")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=", *counting()]
        environment = {**os.environ, "HYPOTHESIS_PROFILE": "ci"}
        done = subprocess.run(
            [*command, "-rs", "--compared", str(written)], cwd=DOCS.parent, env=environment, check=False
        )
        if done.returncode:
            raise SystemExit("a test failed: nothing is written")
        rows = json.loads(written.read_text("utf8"))
        written.unlink()
        if not any("submitted_runs" in row["test"] for row in rows):
            raise SystemExit("the public collections were not there (IRPREF_DATA): nothing is written")
        counted = {"versions": {name: version(name) for name in TOOLS}, "counts": rows}
        COUNTS.write_text(json.dumps(counted, indent=1, ensure_ascii=False) + "\n", "utf8")
    PAGE.write_text(page(json.loads(COUNTS.read_text("utf8"))), "utf8")


if __name__ == "__main__":
    main()
