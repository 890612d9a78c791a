"""Processes that compute cells side by side, and that end with the one that started them, however it ends."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing.connection import wait

from study import cells
from study.data import Collection


def _start(collection: Collection, plan: cells.Plan) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    cells.start_worker(collection, plan)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)  # killed: nobody waits for what this process computes


def run(
    collection: Collection, plan: cells.Plan, wanted: Sequence[cells.Cell], folder: str, jobs: int
) -> Iterator[cells.Cell]:
    """Compute cells and keep them in a folder; yields each when it is there."""
    if jobs == 1 or len(wanted) < 2:
        cells.start_worker(collection, plan)
        for cell in wanted:
            yield cells.run_cell(cell, folder)
        return
    context = multiprocessing.get_context("spawn")  # threads of the readers do not survive a fork
    with ProcessPoolExecutor(jobs, context, _start, (collection, plan)) as workers:
        futures = [workers.submit(cells.run_cell, cell, folder) for cell in wanted]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            workers.shutdown(wait=False, cancel_futures=True)
            raise
