"""Which runs, and what they are called."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

ENDINGS = (
    *(".gz", ".zst", ".zstd"),
    *(".txt", ".run", ".trec", ".res", ".parquet", ".csv", ".tsv", ".jsonl", ".json"),
)


def run_names(paths: Sequence[str]) -> dict[str, str]:
    """A short name for each run file, in their order; the whole path where two would have the same."""
    short = [_short(path) for path in paths]
    if len(set(short)) < len(short):
        return {path: path for path in paths}
    return dict(zip(short, paths, strict=True))


def named_runs(runs: Mapping[Any, Any] | Iterable[str | os.PathLike[str]]) -> dict[str, Any]:
    """Runs by name: a mapping as it is (names as `str`), paths by the names that `irpref eval` gives them.

    Raises
    ------
    TypeError
        A single run or path in place of several, or something else than paths in a list.
    """
    if isinstance(runs, Mapping):
        return {str(name): run for name, run in runs.items()}
    if isinstance(runs, (str, bytes, os.PathLike)) or hasattr(runs, "columns") or not isinstance(runs, Iterable):
        raise TypeError(
            f"runs: expected a mapping of names to runs, or a list of paths, got {type(runs).__name__}"
            + (f" (one run: [{os.fspath(runs)!r}])" if isinstance(runs, (str, os.PathLike)) else "")
        )
    paths = list(runs)
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"runs: a list holds paths, got {type(path).__name__}; name other runs in a mapping")
    return dict(run_names(list(dict.fromkeys(map(os.fspath, paths)))))


def _short(path: str) -> str:
    name = os.path.basename(path)
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    return name or path


def each_run(runs: Any) -> Iterator[tuple[str, Any]]:
    """Name and run, one by one: of what `named_runs` takes, or of an iterable of (name, run)."""
    if isinstance(runs, Mapping):
        yield from ((str(name), run) for name, run in runs.items())
    elif isinstance(runs, (list, tuple)) and (not runs or isinstance(runs[0], (str, os.PathLike))):
        yield from named_runs(runs).items()
    else:
        yield from ((str(name), run) for name, run in runs)
