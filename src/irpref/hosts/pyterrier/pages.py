"""`pt.irpref.report`: a page of systems, or of their results."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import irpref
from irpref.judged.types import Qrels
from irpref.measures.declare import Measures

if TYPE_CHECKING:
    from irpref.show.report import Report
    from irpref.show.report.texts import Texts


def report(
    measures: Measures,
    qrels: Qrels,
    runs: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    topics: Texts | None = None,
    names: Sequence[str] | None = None,
    **options: Any,
) -> Report:
    """An evaluation as one page, see `irpref.report`; systems among the runs retrieve for the topics first.

    Parameters
    ----------
    measures, qrels, path, **options : as `irpref.report` takes them
    runs : mapping of name to system, result frame, or any other form of a run; or list of them, or of paths
    topics : frame with columns `qid` and `query`, or as `irpref.report` takes them
        Systems need the frame.
    names : list of str, optional
        Names of a list of runs. Systems are called as they print, as in `pt.Experiment`, and frames `run 1`, `run 2`,
        ... if None.

    Raises
    ------
    TypeError
        There are systems, and `topics` is no frame.
    ValueError
        As many names as runs are needed, all different.

    Returns
    -------
    irpref.show.report.Report
    """
    import pyterrier

    if isinstance(runs, (list, tuple)) and (
        names is not None or not all(isinstance(run, (str, os.PathLike)) for run in runs)
    ):
        runs = _named(runs, names)
    if isinstance(runs, Mapping):
        systems = {name for name, run in runs.items() if isinstance(run, pyterrier.Transformer)}
        if systems and not hasattr(topics, "columns"):
            raise TypeError(
                f"the system {next(iter(systems))!r} retrieves for topics: pass a frame with the columns qid and "
                f"query, got topics={type(topics).__name__}"
            )
        runs = {name: run(topics) if name in systems else run for name, run in runs.items()}
    return irpref.report(measures, qrels, runs, path, topics=topics, **options)


def _named(runs: Sequence[Any], names: Sequence[str] | None) -> dict[str, Any]:
    import pyterrier

    if names is None:
        systems = pyterrier.Transformer
        names = [str(run) if isinstance(run, systems) else f"run {i}" for i, run in enumerate(runs, 1)]
        names = [f"{name} ({i})" if names.count(name) > 1 else name for i, name in enumerate(names, 1)]
    if len(names) != len(runs) or len(set(names)) < len(runs):
        raise ValueError(f"names: expected {len(runs)} different names, one a run, got {list(names)!r}")
    return dict(zip(names, runs, strict=True))
