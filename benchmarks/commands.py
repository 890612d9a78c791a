"""From files to values: command lines, start-up included; and the cost of an import."""

from __future__ import annotations

import argparse
import atexit
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks import peers, workloads

TRIES = 5
SHORT, MANY_TRIES = (
    200_000,
    25,
)  # rows below which a command takes as long as it takes to start, which varies
SMALL = 2_000_000  # above this number of rows, two tries
# Below so many rows a command takes as long as it takes to start; ours loads more than the host's.
TINY, SLOWER = 50_000, 1.5
SIZES = [
    (1000, 1000),
    (5000, 1000),
    (20_000, 1000),
    (50_000, 1000),
    (500, 10_000),
    (50, 100_000),
]  # of `growth`


def files(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Time `irpref eval` with all measures, trec_eval and ir_measures with bpref, on files sorted
    by topic.
    """
    sizes = [(int(rows), min(1000, max(1, int(rows) // 10))) for rows in options.rows]
    named = {f"{rows:,}": (rows // depth, depth) for rows, depth in sizes}
    return _on_files("files", named, _commands(options), options)


def growth(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Time `irpref eval` alone on ever more topics, and on ever longer lists."""
    sizes = {f"{topics:,} x {depth:,}": (topics, depth) for topics, depth in SIZES}
    ours = {who: command for who, command in _commands(options).items() if who == "irpref"}
    return _on_files("growth", sizes, ours, options)


def _on_files(
    workload: str,
    sizes: dict[str, tuple[int, int]],
    contestants: dict[str, Callable[[str, str], list[str]]],
    options: argparse.Namespace,
) -> list[dict[str, Any]]:
    """Time each contestant on files of so many topics and so many documents a topic, in turns."""
    results = []
    for form, (topics, depth) in sizes.items():
        rows = topics * depth
        with tempfile.TemporaryDirectory() as folder:
            qrels, run = Path(folder) / "qrels", Path(folder) / "run"
            load = workloads.build("S", topics=topics, depth=depth)
            workloads.write(load.qrels, qrels)
            workloads.write(load.run, run)
            del load
            here = {who: command(str(qrels), str(run)) for who, command in contestants.items()}
            taken: dict[str, list[tuple[float, float]]] = {who: [] for who in here}
            if not results:
                for command in here.values():
                    timed(command)  # the first one compiles
            for _ in range(MANY_TRIES if rows < SHORT else TRIES if rows <= SMALL else 2):
                for who, command in here.items():
                    taken[who].append(timed(command, options.clock))
        for who, pairs in taken.items():
            seconds, megabytes = [s for s, _ in pairs], max(m for _, m in pairs)
            results.append(
                {
                    "workload": workload,
                    "form": form,
                    "who": who,
                    "rows": rows,
                    "seconds": seconds,
                    "megabytes": megabytes,
                }
            )
            took = statistics.median(seconds)
            print(f"{workload} {form:>16}  {who:12} {took:8.3f} s {megabytes:7.0f} MB", flush=True)
        for line in verdicts([r for r in results if r["form"] == form]):
            print(f"{workload} {form:>16}  {line}", flush=True)
    return results


def verdicts(results: list[dict[str, Any]]) -> list[str]:
    """Say whether the targets for files are met, of the results for one file."""
    of = {r["who"]: r for r in results}
    if "irpref" not in of:
        return []
    ours = of["irpref"]
    took = statistics.median(ours["seconds"])
    out = []
    rows = ours["rows"]
    targets = {
        "ir_measures": 1 if rows >= TINY else 1 / SLOWER,
        "trec_eval": 5 if rows >= 5e6 else 1,
    }
    for who, least in targets.items():
        if who in of and (who != "trec_eval" or rows >= 1e6):
            met = statistics.median(of[who]["seconds"]) >= least * took
            times = f"{least} x {who}" if least >= 1 else f"at most {SLOWER} x the time of {who}"
            out.append(f"{times}: {'met' if met else '**missed**'}")
    if rows == 2e7:
        met = ours["megabytes"] * 1.048576 < 400
        out.append(f"under 400 MB: {'met' if met else '**missed**'}")
    return out


def _commands(options: argparse.Namespace) -> dict[str, Callable[[str, str], list[str]]]:
    found: dict[str, Callable[[str, str], list[str]]] = {}
    try:
        subprocess.run([*_irpref(), "eval", "--help"], check=True, capture_output=True)
        found["irpref"] = lambda qrels, run: [*_irpref(), "eval", qrels, run, *peers.OURS]
    except (subprocess.CalledProcessError, OSError):
        print("irpref has no command `eval` here: left out")
    binary = options.trec_eval or shutil.which("trec_eval")
    if binary:
        found["trec_eval"] = lambda qrels, run: [str(binary), "-m", "bpref", qrels, run]
    else:
        print("trec_eval is not on PATH (give --trec-eval): left out")
    if peers.installed("ir_measures"):
        found["ir_measures"] = lambda qrels, run: [
            sys.executable,
            "-m",
            "ir_measures",
            qrels,
            run,
            "Bpref",
        ]
    return {who: c for who, c in found.items() if options.only is None or who in options.only}


def _irpref() -> list[str]:
    beside = Path(sys.executable).with_name("irpref")
    return [str(beside)] if beside.exists() else [sys.executable, "-m", "irpref.cli"]


# In a process of its own, since a child's peak memory starts at that of the process it was forked
# from.
_LAUNCHER = """
import json, os, subprocess, sys, time
start = time.perf_counter()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
wall = time.perf_counter() - start
child.returncode = 0  # taken by wait4
print(json.dumps([status, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss]))
"""


@cache
def _environment() -> dict[str, str]:
    """Keep byte code, as it is for installed packages; this checkout may be run without."""
    folder = tempfile.mkdtemp(prefix="bytecode")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**environment, "PYTHONPYCACHEPREFIX": folder}


def timed(command: Sequence[str], clock: str = "wall") -> tuple[float, float]:
    """Measure the seconds of a command (of all threads together by the `cpu` clock), and its
    megabytes at the peak.
    """
    launcher = [sys.executable, "-S", "-c", _LAUNCHER, *command]
    done = subprocess.run(launcher, check=True, capture_output=True, text=True, env=_environment())
    status, wall, cpu, peak = json.loads(done.stdout)
    if status:
        raise SystemExit(f"{' '.join(command[:4])} ... ended with status {status}")
    return cpu if clock == "cpu" else wall, peak / (1024**2 if sys.platform == "darwin" else 1024)


def start(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Time imports, and `irpref --help`."""
    cases = {
        "python": [sys.executable, "-c", "pass"],
        "import ir_measures": [sys.executable, "-c", "import ir_measures"],
        "import irpref": [sys.executable, "-c", "import ir_measures, irpref"],
    }
    if (Path(sys.executable).with_name("irpref")).exists():
        cases["irpref --help"] = [*_irpref(), "--help"]
    taken: dict[str, list[float]] = {who: [] for who in cases}
    for turn in range(12):
        for who, command in cases.items():
            try:
                seconds = timed(command, options.clock)[0]
            except SystemExit:
                continue
            if turn:  # the first one reads from disk
                taken[who].append(seconds)
    results = []
    for who, seconds in taken.items():
        if seconds:
            print(f"start {who:20} {statistics.median(seconds):7.3f} s")
            results.append(
                {"workload": "start", "form": who, "who": who, "rows": 0, "seconds": seconds}
            )
    return results
