"""Cost of the lab beside the evaluation of its runs, in seconds of CPU and in memory.

    python -m benchmarks lab --json lab.json    # all
    python -m benchmarks lab --only "gate, 1 measure" "332 runs x 41 topics, holm, dicts"

Verdicts are on the runs of TREC CAsT 2021 that irpref brings (158 topics, in memory). Boards are of
synthetic runs of 100 documents a topic with nDCG@10, and the report of synthetic runs of 1,000
documents. Each case is measured in a process of its own, with one thread: CPU time does not depend
on what else a machine does, and peak memory is that of the case."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np

TRIES = 15  # of a verdict; a board is made once
BOARDS = ((332, 41), (1000, 50))
DEPTH, POOL = 100, 300
MEASURE = "nDCG@10"
THREE = ("nDCG@10", "AP", "RR")
SEVEN = ("AP", "nDCG@10", "Bpref", "RPref(max_rel=3)", "QMeasure", "PPlus", "NCU")
REPORTED, TOPICS = 79, 40  # runs and topics of the report
# Aims: times the evaluation of the same runs, or seconds (of the report).
AIMS: dict[str, float] = {
    **{f"compare, {n}": 20 for n in ("1 measure", "3 measures")},
    **{f"compare without could_turn, {n}": 6 for n in ("1 measure", "3 measures")},
    **{f"gate, {n}": 20 for n in ("1 measure", "3 measures")},
    **{f"gate without could_turn, {n}": 9 for n in ("1 measure", "3 measures")},
    **{f"leaderboard of 5, {n}": 15 for n in ("1 measure", "3 measures")},
    **{f"check of 5, {n}": 6 for n in ("1 measure", "3 measures")},
}
AIMS_OF_BOARDS = {332: 15.0, 1000: 40.0}
MOST = 1000  # MB, of boards
SECONDS_OF_REPORT = 6.0


def cases() -> list[str]:
    """Return the names of all cases, in the order of the page."""
    boards = [
        f"{n_runs:,} runs x {n_topics} topics, {test}, {form}"
        for n_runs, n_topics in BOARDS
        for form in ("dicts", "made one at a time", "files")
        for test in ("holm", "stepdown")
    ]
    return [*AIMS, *boards, f"report, {REPORTED} runs, {len(SEVEN)} measures"]


def lab(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure each case in a process of its own."""
    results: list[dict[str, Any]] = []
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    for case in cases():
        if options.only is not None and case not in options.only:
            continue
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.lab", case],
            stdout=subprocess.PIPE,
            check=True,
            env=environment,
        )
        found = json.loads(done.stdout)
        named = {"workload": "lab", "form": case, "who": "irpref", "rows": 0}
        results.append({**named, "load": os.getloadavg()[0], **found})
        evaluation, took = sorted(found["evaluation"]), sorted(found["seconds"])
        ratio = took[len(took) // 2] / evaluation[len(evaluation) // 2]
        print(
            f"{case}: evaluation {evaluation[len(evaluation) // 2]:.4f} s, {ratio:.1f} x, "
            f"{took[len(took) // 2]:.4f} s, {found['megabytes']:.0f} MB",
            flush=True,
        )
    return results


def measured(case: str) -> dict[str, Any]:
    """Measure a case in this process."""
    import resource

    what, *parts = case.split(", ")
    if what.startswith("report"):
        found = _report()
    elif " runs x " in what:
        n_runs, n_topics = (int(part.split()[0].replace(",", "")) for part in what.split(" x "))
        found = _board(n_runs, n_topics, *parts)
    else:
        found = _verdict(what, THREE[: int(parts[0].split()[0])])
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return {**found, "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit}


def _taken(call: Callable[[], Any], tries: int) -> list[float]:
    """Return the seconds of CPU of each try; of several, the first one does not count."""
    taken = []
    for _ in range(tries + (tries > 1)):
        start = time.process_time()
        call()
        taken.append(time.process_time() - start)
    return taken[tries > 1 :]


def _verdict(what: str, measures: tuple[str, ...]) -> dict[str, Any]:
    """Compare, gate, rank or check runs of CAsT 2021."""
    import irpref
    import irpref_lab
    from irpref.datasets import load
    from irpref_lab.decide.basis import JudgedRuns

    data = load("cast2021")
    qrels = irpref.judgments(data.qrels)
    runs = {name: dict(run) for name, run in data.runs.items()}
    two = list(runs.values())[:2]
    if "without could_turn" in what:
        JudgedRuns.could_turn = lambda *_, **__: None  # type: ignore[method-assign]
    calls: dict[str, Callable[[], Any]] = {
        "compare": lambda: irpref_lab.compare(measures, qrels, *two),
        "gate": lambda: irpref_lab.gate(measures, qrels, *two),
        "leaderboard": lambda: irpref_lab.leaderboard(measures, qrels, runs),
        "check": lambda: irpref_lab.check(qrels, runs, measures, jobs=1),
    }
    evaluated = list(runs.values()) if "of 5" in what else two
    return {
        "evaluation": _taken(lambda: _evaluate(measures, qrels, evaluated), TRIES),
        "seconds": _taken(calls[what.split()[0]], TRIES),
    }


def _evaluate(measures: Any, qrels: Any, runs: Any) -> None:
    import irpref

    evaluator = irpref.evaluator(list(measures), qrels)
    for one in runs:
        evaluator.values(one)


def _board(n_runs: int, n_topics: int, test: str, form: str) -> dict[str, Any]:
    """Rank synthetic runs."""
    import irpref
    from irpref_lab import leaderboard

    qrels = irpref.judgments(judged(n_topics, np.random.default_rng(1)))
    made: Any = Made(n_runs, n_topics)
    with tempfile.TemporaryDirectory() as folder:
        runs: Any = made
        if form == "files":
            runs = {name: written(run, Path(folder) / name) for name, run in made.items()}
        elif form == "dicts":
            runs = dict(made.items())
        making = _taken(lambda: list(map(len, runs.values())), 1)[0] if runs is made else 0.0
        evaluation = _taken(lambda: _evaluate([MEASURE], qrels, runs.values()), 1)
        board = _taken(lambda: leaderboard(MEASURE, qrels, runs, pairs=test), 1)
    # What it takes to make the runs is no part of either.
    return {
        "evaluation": [evaluation[0] - making],
        "seconds": [board[0] - making],
    }


def _report() -> dict[str, Any]:
    """Make a page of a track."""
    import irpref
    import irpref_lab
    from benchmarks import workloads

    load = workloads.build("B", topics=TOPICS, runs=REPORTED)
    with tempfile.TemporaryDirectory() as folder:
        workloads.write(load.qrels, Path(folder) / "qrels")
        paths = []
        for i, run in enumerate(load.runs):
            paths.append(str(Path(folder) / f"run{i}"))
            workloads.write(run, Path(paths[-1]))
        qrels = irpref.judgments(Path(folder) / "qrels")
        return {
            "evaluation": _taken(lambda: _evaluate(SEVEN, qrels, paths), 1),
            "seconds": _taken(lambda: irpref_lab.report(SEVEN, qrels, paths, rng=0), 1),
        }


def judged(n_topics: int, rng: np.random.Generator) -> dict[str, dict[str, int]]:
    """Draw judgments: three in ten documents have a grade from 0 to 3."""
    return {
        f"q{t:03}": {
            f"d{t}-{i}": int(rng.integers(0, 4) * (rng.random() < 0.3)) for i in range(POOL)
        }
        for t in range(n_topics)
    }


class Made(Mapping[str, Any]):
    """Runs that are made when they are asked for: a third of their documents are judged."""

    def __init__(self, n_runs: int, n_topics: int) -> None:
        self.n_runs, self.n_topics = n_runs, n_topics

    def __getitem__(self, name: str) -> dict[str, dict[str, float]]:
        rng = np.random.default_rng(int(name[1:]))
        return {
            f"q{t:03}": {
                f"d{t}-{i}": float(DEPTH - k)
                for k, i in enumerate(rng.permutation(3 * POOL)[:DEPTH])
            }
            for t in range(self.n_topics)
        }

    def __iter__(self) -> Iterator[str]:
        return (f"r{i:04}" for i in range(self.n_runs))

    def __len__(self) -> int:
        return self.n_runs


def written(made: dict[str, dict[str, float]], path: Path) -> str:
    """Write a run to a file, and return its path."""
    lines = (
        f"{topic} Q0 {doc} 0 {score} t\n"
        for topic, docs in made.items()
        for doc, score in docs.items()
    )
    path.write_text("".join(lines), encoding="ascii")
    return str(path)


if __name__ == "__main__":
    run_path(str(Path(__file__).parents[1] / "docs" / "own_source.py"))
    print(json.dumps(measured(sys.argv[1])))
