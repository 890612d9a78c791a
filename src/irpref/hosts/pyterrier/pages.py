"""`pt.irpref.report`: a page of systems, or of their results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import irpref


def report(measures: Any, qrels: Any, runs: Any, path: Any = None, *, topics: Any = None, **options: Any) -> Any:
    """An evaluation as one page, see `irpref.report`; systems among the runs retrieve for the topics first.

    Parameters
    ----------
    measures, qrels, path, **options : as `irpref.report` takes them
    runs : mapping of name to system, result frame, or any other form of a run; or list of paths
    topics : frame with columns `qid` and `query`, or as `irpref.report` takes them
        Systems need the frame.

    Raises
    ------
    TypeError
        There are systems, and `topics` is no frame.

    Returns
    -------
    irpref.show.report.Report
    """
    import pyterrier

    if isinstance(runs, Mapping):
        systems = {name for name, run in runs.items() if isinstance(run, pyterrier.Transformer)}
        if systems and not hasattr(topics, "columns"):
            raise TypeError(
                f"the system {next(iter(systems))!r} retrieves for topics: pass a frame with the columns qid and "
                f"query, got topics={type(topics).__name__}"
            )
        runs = {name: run(topics) if name in systems else run for name, run in runs.items()}
    return irpref.report(measures, qrels, runs, path, topics=topics, **options)
