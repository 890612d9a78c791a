"""Where the time of an evaluation goes, and the cost of the checks that stay on in every fast
path."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import irpref
from benchmarks import peers, workloads


def stages(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure the seconds of the three stages, and of each check on its own."""
    from irpref.judged import match
    from irpref.judged.align import Part, _at_once
    from irpref.judged.judgments import judgments
    from irpref.judged.order import evaluation_order
    from irpref.kernel.segments import Segments

    results: list[dict[str, Any]] = []
    names = [n for n in "ACD" if n in options.what] or list("AD")
    for name in names:
        load = workloads.build(name, topics=options.topics)
        rows = load.run
        topics = Segments(np.searchsorted(rows.topic, np.arange(int(rows.topic.max()) + 2)))
        ids = workloads.FORMS["object"](rows)["doc_id"].to_numpy()

        def read(ids: Any = ids) -> Any:
            return match.texts_of(ids)

        docs = read()
        if docs is None:
            raise SystemExit(
                "the stages of looking ids up are those of compiled code, which is not here"
            )
        part = Part(np.arange(topics.n), topics.lengths, docs, rows.value)
        pool = judgments(workloads.FORMS["object"](load.qrels)).pool()

        checks = {
            "ids from Python": read,
            "judgments found": lambda part=part, pool=pool: _at_once(pool, part),
            "check: tie rule": lambda part=part, topics=topics: evaluation_order(
                part.score, topics, part.falling
            ),
            "check: repeated documents": lambda docs=docs, topics=topics: docs.repeated(
                topics.lengths
            ),
            "check: scores finite": lambda rows=rows: np.isfinite(rows.value).all(),
            "check: grades finite": lambda rows=load.qrels: np.isfinite(rows.value).all(),
        }
        for form in ("dict", "object", "polars"):
            qrels, run = workloads.FORMS[form](load.qrels), workloads.FORMS[form](load.run)
            evaluator = irpref.evaluator(peers.measures(), qrels)

            def fresh(qrels: Any = qrels, run: Any = run) -> tuple[Any, Any]:
                peers.fresh()
                evaluator = irpref.evaluator(peers.measures(), qrels)
                return evaluator, evaluator.align(run)

            calls: dict[str, Any] = {
                "index the qrels": lambda q=qrels: judgments(q).pool(),
                "align the run": lambda e=evaluator, r=run: e.align(r),
                "all kernels": (lambda pair: pair[0].values_of(pair[1]), fresh),
                **(checks if form == "object" else {}),
            }
            for what, call in calls.items():
                call, given = call if isinstance(call, tuple) else (call, None)
                seconds = repeated(call, options.seconds / 10, given)
                result = {
                    "workload": f"stages {name}",
                    "form": form,
                    "who": what,
                    "rows": len(rows),
                }
                results.append({**result, "seconds": seconds})
                took = statistics.median(seconds)
                print(
                    f"{name} {form:7} {what:28} {took:8.4f} s  {took / len(rows) * 1e9:6.0f} ns a "
                    f"row",
                    flush=True,
                )
    return results


def repeated(
    call: Callable[..., Any], seconds: float, given: Callable[[], Any] | None = None
) -> list[float]:
    """Measure the seconds of each call, with arguments that `given` made before the clock was
    started.
    """
    times: list[float] = []
    began = time.perf_counter()
    while len(times) < 4 or (time.perf_counter() - began < seconds and len(times) < 30):
        peers.fresh()
        arguments = () if given is None else (given(),)
        start = time.perf_counter()
        call(*arguments)
        times.append(time.perf_counter() - start)
    return times[1:]
