"""Makes docs/proved.md: which values were compared with which tool, how many, counted by the tests
that compare.

    python docs/make_proved.py            # runs these tests (minutes) and writes docs/proved.json and docs/proved.md
    python docs/make_proved.py --page     # writes docs/proved.md from docs/proved.json

Tests on public collections need `IRPREF_DATA`, see CONTRIBUTING.md; without them nothing is
written."""

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
TEXT = """# How values are checked

<!-- Written by docs/make_proved.py; change that. -->

Values are compared with the paper's own numbers, with a second implementation
that shares no code with the first, and with independent programs. The tests counted these comparisons in one run
({tools}; 100 random examples per test, always the same).

| compared with | values | in `tests/` |
| --- | ---: | --- |
{table}

A value is one number, for a topic or the mean of a run. Most values that ir_measures computes under another name are
equal to the last bit. Others agree to 12 digits because sums are added in another order, or to every digit that a
program or paper printed.

## Other checks

- *Laws*: each measure keeps its range; an ideal list has the value that its page says; no value depends on other
  topics, on the order of rows, or on the form of the input; text forms parse back (`test_laws.py`,
  `test_every_form.py`).
- *Rounding*: sums are compared with exact fractions (`test_segments.py`, `test_rounding.py`).
- *Statistics*: tests of all pairs, sample sizes and variances are compared with statsmodels and SciPy
  (`test_pairs.py`, `test_topic_set_size.py`). Error rates are measured by [simulation](significance.md).
- *Toolkits*: the test suites of ir_measures and PyTerrier run with irpref imported, and with `accelerate()`
  (`python tests/host_suites.py`).

No check can show what authors had in mind if their paper leaves it open. Each measure's page says what was left open
and what we decided.
"""
TOOLS = ("ir-measures", "pytrec_eval-terrier", "pyNTCIREVAL", "hypothesis", "numpy")


def counting() -> list[str]:
    """List the test files that count the values they compare."""
    tests = sorted((DOCS.parent / "tests").rglob("test_*.py"))
    return [
        path.relative_to(DOCS.parent).as_posix()
        for path in tests
        if re.search(r"^\s+count\(", path.read_text("utf8"), re.MULTILINE)
    ]


def page(counted: dict[str, object]) -> str:
    """Write the page."""
    rows: list[dict[str, object]] = counted["counts"]  # type: ignore[assignment]
    tools: dict[str, str] = counted["versions"]  # type: ignore[assignment]
    values: dict[str, int] = defaultdict(int)
    files: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        values[str(row["with"])] += int(str(row["values"]))
        files[str(row["with"])].add(str(row["test"]).partition("::")[0].partition("/")[2])
    table = [
        f"| {other} | {n:,} | {', '.join(f'`{file}`' for file in sorted(files[other]))} |"
        for other, n in sorted(values.items(), key=lambda item: -item[1])
    ]
    return TEXT.format(
        tools=", ".join(f"{name} {number}" for name, number in tools.items()),
        table="\n".join(table),
    )


def main() -> None:
    if "--page" not in sys.argv:
        written = COUNTS.with_suffix(".new")
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-o",
            "addopts=",
            *counting(),
        ]
        environment = {**os.environ, "HYPOTHESIS_PROFILE": "ci"}
        done = subprocess.run(
            [*command, "-rs", "--compared", str(written)],
            cwd=DOCS.parent,
            env=environment,
            check=False,
        )
        if done.returncode:
            raise SystemExit("a test failed: nothing is written")
        rows = json.loads(written.read_text("utf8"))
        written.unlink()
        if not any("submitted_runs" in row["test"] for row in rows):
            raise SystemExit(
                "the public collections were not there (IRPREF_DATA): nothing is written"
            )
        counted = {"versions": {name: version(name) for name in TOOLS}, "counts": rows}
        COUNTS.write_text(json.dumps(counted, indent=1, ensure_ascii=False) + "\n", "utf8")
    PAGE.write_text(page(json.loads(COUNTS.read_text("utf8"))), "utf8")


if __name__ == "__main__":
    import own_source  # noqa: F401  # first

    main()
