"""Cost of a leaderboard of many runs beside their evaluation, in seconds of CPU and in memory.

    python -m benchmarks.boards            # 332 runs of 41 topics, 1,000 of 50, by both tests
    python -m benchmarks.boards --files    # runs are read from files, and let go

Runs are synthetic, of 100 documents a topic, with nDCG@10. Each board is made in a process of its
own, with one thread, so that its peak memory is its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np

BOARDS = ((332, 41), (1000, 50))
TESTS = ("holm", "stepdown")
AIMS = {332: 15, 1000: 40}  # times the evaluation of the runs
MOST = 1000  # MB
DEPTH, POOL = 100, 300
MEASURE = "nDCG@10"


def judged(n_topics: int, rng: np.random.Generator) -> dict[str, dict[str, int]]:
    """Draw judgments: three in ten documents have a grade from 0 to 3."""
    return {
        f"q{t:03}": {
            f"d{t}-{i}": int(rng.integers(0, 4) * (rng.random() < 0.3)) for i in range(POOL)
        }
        for t in range(n_topics)
    }


def run(n_topics: int, rng: np.random.Generator) -> dict[str, dict[str, float]]:
    """Draw a run: a third of its documents are judged."""
    return {
        f"q{t:03}": {
            f"d{t}-{i}": float(DEPTH - k) for k, i in enumerate(rng.permutation(3 * POOL)[:DEPTH])
        }
        for t in range(n_topics)
    }


def measure(n_runs: int, n_topics: int, test: str, files: bool) -> dict[str, Any]:
    """Evaluate the runs, then make the board, in this process."""
    import resource

    import irpref
    from irpref_lab import leaderboard

    rng = np.random.default_rng(1)
    qrels = irpref.judgments(judged(n_topics, rng))
    with tempfile.TemporaryDirectory() as folder:
        runs: dict[str, Any] = {}
        for i in range(n_runs):
            made = run(n_topics, rng)
            runs[f"r{i:04}"] = written(made, Path(folder) / f"r{i:04}") if files else made
        evaluator = irpref.evaluator([MEASURE], qrels)
        start = time.process_time()
        for one in runs.values():
            evaluator.values(one)
        middle = time.process_time()
        leaderboard(MEASURE, qrels, runs, pairs=test)
        end = time.process_time()
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return {
        **{"runs": n_runs, "topics": n_topics, "test": test, "files": files},
        **{"evaluation": middle - start, "board": end - middle},
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit,
    }


def written(made: dict[str, dict[str, float]], path: Path) -> str:
    """Write a run to a file, and return its path."""
    lines = (
        f"{topic} Q0 {doc} 0 {score} t\n"
        for topic, docs in made.items()
        for doc, score in docs.items()
    )
    path.write_text("".join(lines), encoding="ascii")
    return str(path)


def main() -> None:
    """Measure each board in a process of its own, and print it beside its aim."""
    files = "--files" in sys.argv
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    for n_runs, n_topics in BOARDS:
        for test in TESTS:
            asked = [str(n_runs), str(n_topics), test, str(int(files))]
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.boards", "--one", *asked],
                capture_output=True,
                check=True,
                env=environment,
            )
            found = json.loads(done.stdout)
            ratio = found["board"] / found["evaluation"]
            print(
                f"{n_runs:,} runs x {n_topics} topics, {test}: evaluation "
                f"{found['evaluation']:.2f} s, board {found['board']:.2f} s, {ratio:.0f} x "
                f"(aim {AIMS[n_runs]} x), {found['memory']:.0f} MB",
                flush=True,
            )


if __name__ == "__main__":
    run_path(str(Path(__file__).parents[1] / "docs" / "own_source.py"))
    if "--one" in sys.argv:
        of_runs, of_topics, of_test, from_files = sys.argv[-4:]
        print(json.dumps(measure(int(of_runs), int(of_topics), of_test, from_files == "1")))
    else:
        main()
