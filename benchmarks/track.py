"""The jobs that people have: a whole track from files, reading into frames, frames as they lie in
memory, Parquet.
"""

from __future__ import annotations

import argparse
import dataclasses
import gzip
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import irpref
import irpref_lab
from benchmarks import commands, peers, workloads

RUNS = 129
TURNS = 5
SEVEN = ("AP", "nDCG@10", "Bpref", "RPref(max_rel=3)", "QMeasure", "PPlus", "NCU")
# What a script does with the runs of a track, one after the other.
_PYTREC_EVAL = """
import gzip, sys, pytrec_eval
with open(sys.argv[1]) as file:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), {"map", "ndcg_cut.10", "bpref"})
for path in sys.argv[2:]:
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path)) as file:
        values = evaluator.evaluate(pytrec_eval.parse_run(file))
    for measure in ("map", "ndcg_cut_10", "bpref"):
        print(path, measure, sum(of[measure] for of in values.values()) / len(values))
"""


def track(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Time `irpref eval` with seven measures over all runs of a track, start-up included, and
    pytrec_eval with three.
    """
    results = []
    n_runs = min(options.runs, RUNS) if options.runs != 100 else RUNS
    load = workloads.build("B", topics=options.topics, runs=n_runs)
    rows = sum(map(len, load.runs))
    with tempfile.TemporaryDirectory() as folder:
        qrels = Path(folder) / "qrels"
        workloads.write(load.qrels, qrels)
        for form in ("plain", "gzip", "ties, topics mixed"):
            paths = []
            for i, run in enumerate(load.runs):
                path = Path(folder) / f"run{i}"
                if form == "plain":
                    workloads.write(run, path)
                elif form != "gzip":
                    workloads.write(_whole_numbers(run) if i % 3 == 0 else run, path)
                    if i % 20 == 1:
                        _mix(path)
                else:
                    packed = path.with_suffix(".gz")
                    packed.write_bytes(gzip.compress(path.read_bytes()))
                    path = packed
                paths.append(str(path))
            ours = [*commands._irpref(), "eval", str(qrels), *paths, *SEVEN]
            contestants = {
                "irpref": ours,
                "irpref, --jobs 1": [*ours, "--jobs", "1"],
                "pytrec_eval": [sys.executable, "-c", _PYTREC_EVAL, str(qrels), *paths],
            }
            taken: dict[str, list[tuple[float, float]]] = {who: [] for who in contestants}
            for turn in range(TURNS + 1):
                for who, command in contestants.items():
                    found = commands.timed(command, options.clock)
                    if turn:  # the first one compiles
                        taken[who].append(found)
            for who, pairs in taken.items():
                _note(
                    results,
                    "track",
                    form,
                    who,
                    rows,
                    [s for s, _ in pairs],
                    max(m for _, m in pairs),
                )
    return results


def _whole_numbers(run: workloads.Rows) -> workloads.Rows:
    """Return the run with scores rounded, so that many documents tie."""
    return dataclasses.replace(run, value=np.round(run.value))


def _mix(path: Path) -> None:
    """Put the lines of a file in any order, topics all over it."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[i] for i in np.random.default_rng(1).permutation(len(lines))))


def reading(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Time `read_run` beside pandas' reader (six columns, ids as text)."""
    import pandas as pd

    import irpref

    results: list[dict[str, Any]] = []
    names = ["query_id", "q0", "doc_id", "rank", "score", "tag"]
    types = {"query_id": str, "doc_id": str}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        workloads.write(workloads.build("S", topics=900).run, path)
        whole = path.read_bytes()
        for megabytes in (1, 4, 32):
            data = whole[: whole.rfind(b"\n", 0, megabytes << 20) + 1]
            for form in ("plain", "gzip"):
                file = str(path) + (".gz" if form == "gzip" else "")
                Path(file).write_bytes(gzip.compress(data) if form == "gzip" else data)
                calls: dict[str, Callable[[], Any]] = {
                    "irpref": lambda file=file: irpref.read_run(file),
                    "pandas": lambda file=file: pd.read_csv(
                        file, sep=" ", header=None, names=names, dtype=types
                    ),
                }
                form = f"{megabytes} MB, {form}"
                for who, seconds in in_turns(
                    calls, 21 if megabytes < 32 else 5, options.clock
                ).items():
                    _note(results, "reading", form, who, data.count(b"\n"), seconds)
    return results


def scattered(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Time C with frames as they lie in memory: tidy, and as `DataFrame(list of tuples)` and
    `merge` leave them.
    """
    results: list[dict[str, Any]] = []
    load = workloads.build("C", topics=options.topics or 2000)
    for form, made in {
        "tidy": workloads.FORMS["object"],
        "scattered": lambda rows: _scattered(rows, object),
        "scattered `str`": lambda rows: _scattered(rows, workloads._str_python()),
        "dict, scattered": _scattered_dict,
    }.items():
        qrels, run = made(load.qrels), made(load.run)
        calls: dict[str, Callable[[], Any]] = {
            "irpref": lambda qrels=qrels, run=run: peers.irpref_each(qrels, [run]),
            "ir_measures": lambda qrels=qrels, run=run: peers.ir_measures_each(qrels, [run]),
        }
        for who, seconds in in_turns(calls, 3, options.clock).items():
            _note(results, "scattered", form, who, len(load.run), seconds)
    return results


def _scattered(rows: workloads.Rows, dtype: Any) -> Any:
    """Make a frame of one block of columns, whose strings are objects of their own, wherever there
    was room for them.
    """
    import pandas as pd

    names = [str(1 + t) for t in range(int(rows.topic.max()) + 1)]
    block = np.empty((len(rows), 3), dtype=object)
    texts = rows.doc_ids()
    for i in np.random.default_rng(7).permutation(len(rows)).tolist():
        # Joined again: a string of its own.
        block[i, 0] = "".join(list(names[rows.topic[i]]))
        block[i, 1] = "".join(list(texts[i]))
    block[:, 2] = rows.values()
    frame = pd.DataFrame(block, columns=["query_id", "doc_id", rows.name], dtype=object)
    types = {"query_id": dtype, "doc_id": dtype, rows.name: float if rows.name == "score" else int}
    return frame.astype(types)


def _scattered_dict(rows: workloads.Rows) -> Any:
    frame = _scattered(rows, object)
    out: dict[str, dict[str, Any]] = {}
    for topic, doc, value in frame.itertuples(index=False, name=None):
        out.setdefault(topic, {})[doc] = value
    return out


def parquet(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Time all measures over a run in Parquet: one file, and a folder partitioned by topic."""
    from irpref.data.source import Source
    from irpref.judged.stream import align_file

    results: list[dict[str, Any]] = []
    load = workloads.build("S", topics=options.topics or 4000)
    with tempfile.TemporaryDirectory() as folder:
        frame = workloads.as_polars(load.run)
        frame.write_parquet(Path(folder) / "run.parquet")
        for i in range(0, len(frame), 40_000):
            part = Path(folder) / "run" / f"part={i:09d}"
            part.mkdir(parents=True)
            frame[i : i + 40_000].write_parquet(part / "0.parquet")
        qrels = workloads.as_polars(load.qrels)
        for form, name in (("one file", "run.parquet"), ("folder, 40 topics a file", "run")):

            def evaluate(path: Path = Path(folder) / name) -> Any:
                evaluator = irpref.evaluator(peers.measures(), qrels)
                return evaluator.values_of(align_file(evaluator.pool, Source(path)).run)

            (seconds,) = in_turns({"irpref": evaluate}, 3, options.clock).values()
            _note(results, "parquet", form, "irpref", len(frame), seconds)
    return results


THIRTEEN = (*SEVEN, "OMeasure", "PMeasure", "P@10", "RR", "CRPRecovery", "nCRP")


def experiment(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Time `pt.Experiment` of systems that are frames, with thirteen measures: as it is, and with
    `accelerate()`.
    """
    import pyterrier as pt

    import irpref

    results: list[dict[str, Any]] = []
    load = workloads.build("B", topics=options.topics or 25, runs=min(options.runs, 20))
    names = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
    qrels = workloads.FORMS["object"](load.qrels).rename(columns=names)
    systems = [
        workloads.FORMS["object"](run).rename(columns=names).assign(rank=0) for run in load.runs
    ]
    topics = qrels[["qid"]].drop_duplicates().assign(query="")
    measures = irpref.parse_all(THIRTEEN)

    def evaluate(on: bool) -> None:
        irpref.accelerate(on)
        try:
            pt.Experiment(systems, topics, qrels, measures)
        finally:
            irpref.accelerate(False)

    calls: dict[str, Callable[[], Any]] = {
        "irpref": lambda: evaluate(True),
        "pt.Experiment": lambda: evaluate(False),
    }
    form = f"{len(systems)} systems, {len(topics)} topics"
    for who, seconds in in_turns(calls, 3, options.clock).items():
        _note(results, "experiment", form, who, sum(map(len, systems)), seconds)
    return results


FOURTEEN = (
    "AP",
    "nDCG",
    "nDCG@10",
    "Bpref",
    "BprefVariant",
    "RPref",
    "RPref@10",
    "QMeasure",
    "QMeasure@10",
)
FOURTEEN += ("OMeasure", "PPlus", "NPref(n=2)", "nCRP", "P@10")
LEVELS = (90, 80, 70, 60, 50, 40, 30, 25, 20, 15, 10, 5, 4, 3, 2, 1)


def statistics_(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Time the statistics of a whole track, from files: leaderboard, ties, robustness, and the
    report of 79 runs.
    """
    import irpref

    results: list[dict[str, Any]] = []
    load = workloads.build(
        "B", topics=options.topics, runs=min(options.runs, RUNS) if options.runs != 100 else RUNS
    )
    rows = sum(map(len, load.runs))
    with tempfile.TemporaryDirectory() as folder:
        qrels = Path(folder) / "qrels"
        workloads.write(load.qrels, qrels)
        paths = []
        for i, run in enumerate(load.runs):
            paths.append(str(Path(folder) / f"run{i}"))
            workloads.write(run, Path(paths[-1]))
        judged = irpref.read_qrels(qrels)
        some = judged[judged["query_id"].isin(judged["query_id"].unique()[:40])]

        def ties() -> None:
            for path in paths:
                irpref_lab.intervals(SEVEN, qrels, path, over="ties")

        def robustness() -> None:
            runs = {path: irpref.read_run(path) for path in paths}
            irpref_lab.meta.incompleteness(
                FOURTEEN, qrels, runs, levels=LEVELS, n_samples=1, rng=0
            ).table()

        n = len(paths)
        jobs: dict[tuple[str, str], dict[str, Callable[[], Any]]] = {
            ("leaderboard", f"{n} runs"): {
                "irpref": lambda: irpref_lab.leaderboard(
                    SEVEN[:2], qrels, paths, pairs="stepdown", rng=0
                ),
            },
            ("ties", f"{n} runs"): {"irpref": ties},
            ("robustness", f"{n} runs, {len(LEVELS)} levels"): {
                "irpref": robustness,
                "pytrec_eval": lambda: _thinned(qrels, paths),
            },
            ("report", f"{min(n, 79)} runs"): {
                "irpref": lambda: irpref_lab.report(SEVEN, some, paths[:79], rng=0)
            },
        }
        for (job, form), calls in jobs.items():
            for who, seconds in in_turns(calls, 1, options.clock).items():
                _note(
                    results,
                    job,
                    form,
                    who,
                    min(n, 79) * 40 * 1000 if job == "report" else rows,
                    seconds,
                )
    return results


def _read(
    qrels: Path, paths: list[str]
) -> tuple[dict[str, dict[str, int]], list[dict[str, dict[str, float]]]]:
    import pytrec_eval

    runs = []
    for path in paths:
        with open(path) as file:
            runs.append(pytrec_eval.parse_run(file))
    with open(qrels) as file:
        return pytrec_eval.parse_qrel(file), runs


def _thinned(qrels: Path, paths: list[str]) -> None:
    """Evaluate five measures with some of the judgments, level by level, by pytrec_eval."""
    import pytrec_eval

    judged, runs = _read(qrels, paths)
    rng = np.random.default_rng(0)
    place = {
        topic: dict(zip(docs, rng.permutation(len(docs)).tolist(), strict=True))
        for topic, docs in judged.items()
    }
    for level in (100, *LEVELS):
        left = {
            topic: {
                doc: grade
                for doc, grade in docs.items()
                if place[topic][doc] * 100 < level * len(docs)
            }
            for topic, docs in judged.items()
        }
        asked = {"map", "ndcg", "ndcg_cut.10", "bpref", "P.10"}
        for run in runs:
            pytrec_eval.RelevanceEvaluator(left, asked).evaluate(run)


def in_turns(calls: dict[str, Callable[[], Any]], turns: int, clock: str) -> dict[str, list[float]]:
    """Measure the seconds of each call, one after the other, the first turn not counted."""
    now = time.process_time if clock == "cpu" else time.perf_counter
    taken: dict[str, list[float]] = {who: [] for who in calls}
    for turn in range(turns + 1):
        for who, call in calls.items():
            peers.fresh()
            start = now()
            call()
            if turn:
                taken[who].append(now() - start)
    return taken


def _note(
    results: list[dict[str, Any]],
    workload: str,
    form: str,
    who: str,
    rows: int,
    seconds: list[float],
    megabytes: float = 0.0,
) -> None:
    result = {"workload": workload, "form": form, "who": who, "rows": rows, "seconds": seconds}
    results.append({**result, "megabytes": megabytes, "load": os.getloadavg()[0]})
    took = statistics.median(seconds)
    print(
        f"{workload} {form:26} {who:18} {took:8.4f} s  {rows / took / 1e6:6.2f} M rows a second",
        flush=True,
    )
