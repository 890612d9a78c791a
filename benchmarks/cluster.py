"""Spark in local mode: rows a second by size of bucket, and the time of one process for the
same."""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import irpref
from benchmarks import peers, workloads

ROWS = 5_000_000
TRIES = 2


def spark(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Time all measures over a run of five million rows in Parquet. ImportError where pyspark is
    not installed.
    """
    import polars as pl
    import pyarrow  # noqa: F401
    from pyspark.sql import SparkSession

    from irpref_lab.spark import evaluate

    cores = min(os.cpu_count() or 1, 8)
    rows = (options.topics or ROWS // 1000) * 1000
    results: list[dict[str, Any]] = []

    def note(form: str, seconds: list[float]) -> None:
        result = {
            "workload": "spark",
            "form": form,
            "who": "irpref",
            "rows": rows,
            "seconds": seconds,
        }
        results.append({**result, "cores": cores})
        took = statistics.median(seconds)
        print(
            f"spark {form:28} {took:8.2f} s  {rows / took / 1e6:6.2f} M rows a second", flush=True
        )

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", "PySpark does not yet fully support pandas", FutureWarning
        )
        load = workloads.build("S", topics=rows // 1000)
        frames = {}
        for name, data in (("run", load.run), ("qrels", load.qrels)):
            (Path(folder) / name).mkdir()
            frames[name] = workloads.as_polars(data)
            # In row groups that several tasks can read.
            frames[name].write_parquet(Path(folder) / name / "part.parquet", row_group_size=500_000)
        measures = peers.measures()
        alone = []
        for _ in range(TRIES):
            peers.fresh()
            start = time.perf_counter()
            irpref.evaluator(measures, pl.read_parquet(Path(folder) / "qrels")).values(
                pl.read_parquet(Path(folder) / "run")
            )
            alone.append(time.perf_counter() - start)
        note("one process, no Spark", alone)

        os.environ["PYSPARK_PYTHON"] = sys.executable
        start = time.perf_counter()
        session = (
            SparkSession.builder.master(f"local[{cores}]")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.driver.memory", "4g")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.sql.adaptive.coalescePartitions.enabled", "false")
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("ERROR")
        note("start of the session", [time.perf_counter() - start])
        for buckets in (2, 10, 50, 500):
            session.conf.set(
                "spark.sql.shuffle.partitions", str(max(cores, min(buckets, 4 * cores)))
            )
            run, qrels = (session.read.parquet(f"{folder}/{name}") for name in ("run", "qrels"))
            seconds = []
            for turn in range(TRIES + (buckets == 2)):
                start = time.perf_counter()
                evaluate(run, qrels, measures, buckets=buckets).write.format("noop").mode(
                    "overwrite"
                ).save()
                if buckets > 2 or turn:  # the first one starts the workers
                    seconds.append(time.perf_counter() - start)
            note(f"{buckets} buckets of {rows // buckets:,} rows", seconds)
        session.stop()
    return results
