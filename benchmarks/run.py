"""Run the benchmarks and print ratios against the targets.

    python -m benchmarks                      # A B C D, all forms
    python -m benchmarks A --forms object str
    python -m benchmarks files --rows 1e5 1e6 5e6 --trec-eval /path/to/trec_eval
    python -m benchmarks growth               # up to 50 million rows, and 100,000 documents a topic
    python -m benchmarks track reading scattered parquet experiment statistics
    python -m benchmarks lab                  # verdicts and boards beside evaluating their runs
    python -m benchmarks start stages kernels # start-up; where time goes; cost by number of grades
    python -m benchmarks all --json results.json && python -m benchmarks.report results.json

All contestants run in one process, in turns, and the medians are compared: absolute times wander
with the machine, ratios hold. A ratio is the time of ir_measures with Bpref alone, divided by ours
with all measures of the package. pandas' `str` dtype on pyarrow is measured by a second interpreter
that has pyarrow (`--arrow-python`, or $IRPREF_ARROW_PYTHON), since installing pyarrow changes how
pandas stores strings."""

from __future__ import annotations

import argparse
import datetime
import gc
import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from runpy import run_path
from typing import Any

import irpref
from benchmarks import cluster, commands, lab, peers, stages, track, workloads
from irpref.data import texts
from irpref.messages import IrprefWarning

# (workload, form) or (workload, form, contestant): how many times faster than ir_measures with
# Bpref alone.
TARGETS: dict[tuple[str, ...], float] = {
    **{(w, form): t for w, t in (("A", 7), ("C", 20), ("D", 4)) for form in peers.FRAMES},
    **{(w, "dict"): t for w, t in (("A", 1.5), ("C", 3), ("D", 1))},
    **{(w, "tuples"): t for w, t in (("A", 1.5), ("C", 2), ("D", 1.2))},
    **{("B", form, "irpref, new evaluator"): 5 for form in peers.FRAMES},
    **{("B", form, "irpref, prepared"): 10 for form in peers.FRAMES},
}
SECONDS = 8.0  # a workload and form is repeated until this time is used up
LEAST, MOST = 3, 15
WHAT = (
    "A",
    "B",
    "C",
    "D",
    "files",
    "growth",
    "track",
    "reading",
    "scattered",
    "parquet",
    "experiment",
    "statistics",
    "lab",
    "start",
    "stages",
    "kernels",
    "spark",
)
ROWS = [1e2, 1e3, 1e4, 1e5, 1e6, 5e6, 2e7]
PACKAGES = (
    "irpref",
    "ir-measures",
    "pytrec_eval-terrier",
    "ranx",
    "numpy",
    "pandas",
    "polars",
    "pyarrow",
)

Result = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the workloads asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "what", nargs="*", default=["A", "B", "C", "D"], help=f"{' '.join(WHAT)}, or all"
    )
    forms = list(workloads.FORMS)
    parser.add_argument("--forms", nargs="+", choices=forms, default=forms)
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="CONTESTANT",
        help="irpref, ir_measures, pytrec_eval, ranx; of lab, cases",
    )
    parser.add_argument("--runs", type=int, default=100, help="runs of workload B")
    parser.add_argument(
        "--topics", type=int, help="fewer topics than the workload has (for a quick look)"
    )
    parser.add_argument("--rows", type=float, nargs="+", default=ROWS, help="rows of the files")
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help="least time for each workload and form"
    )
    parser.add_argument(
        "--clock", choices=["wall", "cpu"], default="wall", help="cpu: on a busy machine"
    )
    parser.add_argument("--trec-eval", default=None, help="the binary (default: on PATH)")
    parser.add_argument("--arrow-python", default=os.environ.get("IRPREF_ARROW_PYTHON"))
    parser.add_argument("--json", metavar="FILE", help="write the results")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", IrprefWarning)  # of collections made for their size
    global _clock
    _clock = time.process_time if options.clock == "cpu" else time.perf_counter
    what = options.what
    if "all" in what:
        what = options.what = list(WHAT)
    results: list[Result] = []

    def save() -> None:
        if options.json:
            Path(options.json).write_text(
                json.dumps({**machine(), "clock": options.clock, "results": results}, indent=1)
            )

    for name in what:
        if name in "ABCD":
            found = memory(name, options)
        elif name == "files":
            found = commands.files(options)
        elif name == "growth":
            found = commands.growth(options)
        elif name == "start":
            found = commands.start(options)
        elif name == "spark":
            try:
                found = cluster.spark(options)
            except ImportError as missing:
                found = _elsewhere(name, None, options, missing)
        elif name in ("track", "reading", "scattered", "parquet", "experiment"):
            found = getattr(track, name)(options)
        elif name == "statistics":
            found = track.statistics_(options)
        elif name == "lab":
            found = lab.lab(options)
        elif name == "stages":
            found = stages.stages(options)
        elif name == "kernels":
            found = kernels(options.seconds)
        else:
            parser.error(f"no benchmark {name!r}")
        results += found
        save()  # a long run that is interrupted leaves what it has
    return 0


def memory(name: str, options: argparse.Namespace) -> list[Result]:
    """Run a workload that is in memory: A, B, C, D."""
    results = []
    load = workloads.build(name, topics=options.topics, runs=options.runs)
    for form in options.forms:
        contestants = {
            who: call
            for who, (call, module, forms) in (
                peers.MANY if name == "B" else peers.CONTESTANTS
            ).items()
            if form in forms
            and (options.only is None or who.split(",")[0] in options.only)
            and _there(module)
        }
        try:
            qrels = workloads.FORMS[form](load.qrels)
            runs = [workloads.FORMS[form](run) for run in load.runs]
        except ImportError as missing:
            results += _elsewhere(name, form, options, missing)
            continue
        if form == "polars" and (options.only is None or "ir_measures" in options.only):
            # ir_measures does not take polars frames: compare with what its users would hand in
            # instead.
            contestants["ir_measures"] = peers.ir_measures_each
            results += _compare(name, form, contestants, qrels, runs, load, options, other="object")
        else:
            results += _compare(name, form, contestants, qrels, runs, load, options)
        del qrels, runs
        gc.collect()
    return results


def _compare(
    name: str,
    form: str,
    contestants: dict[str, peers.Contestant],
    qrels: Any,
    runs: list[Any],
    load: workloads.Workload,
    options: argparse.Namespace,
    other: str | None = None,
) -> list[Result]:
    """Time contestants in turns."""
    given = {who: (qrels, runs) for who in contestants}
    if other is not None and "ir_measures" in contestants:
        make = workloads.FORMS[other]
        given["ir_measures"] = (make(load.qrels), [make(run) for run in load.runs])
    calls = {
        who: (lambda call=call, args=given[who]: call(*args)) for who, call in contestants.items()
    }
    times, values = in_turns(calls, options.seconds, least=1 if name == "B" else LEAST)
    _agree(values)
    rows = len(load.run) * len(load.runs)
    out = []
    for who in calls:
        out.append(
            {"workload": name, "form": form, "who": who, "rows": rows, "seconds": times[who]}
        )
    report(out)
    return out


def in_turns(
    calls: dict[str, Callable[[], Any]], seconds: float, least: int = LEAST
) -> tuple[dict[str, list[float]], dict[str, Any]]:
    """Time calls in turns until `seconds` are over.

    The first round, which imports and compiles, is not counted, unless it alone took the time; then
    one more follows."""
    values = {}
    first: dict[str, list[float]] = {}
    for who, call in calls.items():
        first[who], values[who] = _timed(call)
    used = sum(t[0] for t in first.values())
    times: dict[str, list[float]] = {who: [] for who in calls}
    if used > seconds:
        times, least, seconds = first, least - LEAST + 1, 0
    started = time.perf_counter()
    for turn in range(MOST):
        if turn >= least and time.perf_counter() - started > seconds:
            break
        # Every other turn backwards, so that nobody always follows the one who fills the memory.
        for who in list(calls)[:: 1 if turn % 2 else -1]:
            times[who] += _timed(calls[who])[0]
    return times, values


_clock: Callable[[], float] = time.perf_counter


def _timed(call: Callable[[], Any]) -> tuple[list[float], Any]:
    peers.fresh()
    gc.collect()
    start = _clock()
    value = call()
    return [_clock() - start], value


def _agree(values: dict[str, list[dict[str, float]]]) -> None:
    """Stop if values differ, since a fast wrong answer is no result: BprefVariant is ir_measures'
    Bpref (scores fit float32 here).
    """
    ours = [v for who, v in values.items() if who.startswith("irpref")]
    for who, theirs in values.items():
        if ours and not who.startswith(("irpref", "ranx")):
            for a, b in zip(ours[0], theirs, strict=True):
                if abs(a["BprefVariant"] - b["Bpref"]) > 1e-9:
                    raise SystemExit(
                        f"{who} has Bpref {b['Bpref']!r}, irpref {a['BprefVariant']!r}"
                    )


def _there(module: str) -> bool:
    if peers.installed(module):
        return True
    if module not in _told:
        _told.add(module)
        print(f"{module} is not installed: left out")
    return False


_told: set[str] = set()


def _elsewhere(
    name: str, form: str | None, options: argparse.Namespace, missing: ImportError
) -> list[Result]:
    """Measure a form in another interpreter, which has what is missing here."""
    if not options.arrow_python:
        print(f"{name} {form or ''}: left out, {missing} (give --arrow-python)")
        return []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "results.json"
        command = [options.arrow_python, "-m", "benchmarks", name, "--json", str(file)]
        command += ["--forms", form] if form else []
        command += [
            "--clock",
            options.clock,
            "--runs",
            str(options.runs),
            "--seconds",
            str(options.seconds),
        ]
        command += ["--topics", str(options.topics)] if options.topics else []
        command += ["--only", *options.only] if options.only else []
        subprocess.run(command, check=True, cwd=Path(__file__).parents[1])
        found: list[Result] = json.loads(file.read_text())["results"]
        return found


def kernels(seconds: float) -> list[Result]:
    """Measure the seconds a judged document, by number of distinct grades: RPref over a dense
    list.
    """
    import numpy as np
    import pandas as pd

    results: list[Result] = []
    topics, depth = 20, 5000
    for grades in (2, 4, 16, 32, 256, depth):
        rng = np.random.default_rng(grades)
        query_id = [str(t) for t in range(topics) for _ in range(depth)]
        doc_id = [f"d{d}" for _ in range(topics) for d in range(depth)]
        levels = (
            rng.random(topics * depth)
            if grades == depth
            else rng.integers(0, grades, topics * depth)
        )
        qrels = pd.DataFrame({"query_id": query_id, "doc_id": doc_id, "relevance": levels})
        run = pd.DataFrame(
            {"query_id": query_id, "doc_id": doc_id, "score": rng.random(topics * depth)}
        )
        top = grades - 1 if grades < depth else 1
        evaluator = irpref.evaluator([irpref.RPref(max_rel=top)], qrels)
        # An aligned run that no measure has touched yet, each time.
        times = stages.repeated(
            evaluator.values_of, seconds / 8, lambda e=evaluator, r=run: e.align(r)
        )
        who = f"{grades} grades" if grades < depth else "continuous grades"
        results.append(
            {
                "workload": "kernels",
                "form": who,
                "who": "irpref",
                "rows": topics * depth,
                "seconds": times,
            }
        )
        print(f"RPref, {who}: {statistics.median(times) / topics / depth * 1e9:.0f} ns a document")
    return results


def report(results: list[Result]) -> None:
    """Print medians, and ratios against the targets."""
    base = next((r for r in results if r["who"] == "ir_measures"), None)
    for r in results:
        took = statistics.median(r["seconds"])
        line = f"{r['workload']} {r['form']:9} {r['who']:22} {took:9.4f} s  ({len(r['seconds'])} times)"
        if base and r["who"].startswith("irpref"):
            ratio = statistics.median(base["seconds"]) / took
            line += f"  {ratio:6.1f} x"
            target = target_of(r)
            if target:
                line += f"  target {target:g} x: {'met' if ratio >= target else 'MISSED'}"
        print(line, flush=True)


def target_of(result: Result) -> float | None:
    """Return the least ratio asked for, if any."""
    key = (result["workload"], result["form"])
    return TARGETS.get(
        (*key, result["who"]), TARGETS.get(key) if result["who"] == "irpref" else None
    )


def machine() -> dict[str, Any]:
    """Describe where and with which versions the results were measured."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = None
    if not texts.compiled:
        versions["irpref"] = f"{versions['irpref']} (nothing compiled)"
    cpu = platform.processor()
    if Path("/proc/cpuinfo").exists():
        found = [
            line
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ]
        cpu = found[0].split(":")[1].strip() if found else cpu
    return {
        "date": datetime.date.today().isoformat(),
        "python": platform.python_version(),
        "system": platform.platform(terse=True),
        "cpu": cpu,
        "cores": os.cpu_count(),
        "versions": versions,
    }


if __name__ == "__main__":
    run_path(str(Path(__file__).parents[1] / "docs" / "own_source.py"))
    sys.exit(main())
