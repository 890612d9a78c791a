"""Runs and their names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

from irpref.data.forms import is_folder, without_endings

_EXPECTED = "runs: expected a mapping of names to runs, or a list of paths"
# Columns of a frame that may say of each row which run it belongs to.
_SYSTEMS = ("system", "run", "run_id", "name")


def run_names(paths: Sequence[str]) -> dict[str, str]:
    """Choose a short name for each run file, in their order; the whole path if two would have the
    same name. Bytes that are not UTF-8 are escaped, since names are printed and written.
    """
    names = [_as_text(_short(path)) for path in paths]
    if len(set(names)) < len(names):
        names = list(map(_as_text, paths))
    return dict(zip(names, paths, strict=True))


def _as_text(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "backslashreplace")


class _Named(Mapping[str, Any]):
    """A mapping of runs that is asked for each run when it is needed, with names as `str`."""

    def __init__(self, runs: Mapping[Any, Any]) -> None:
        self._runs, self._keys = runs, {str(name): name for name in runs}

    def __getitem__(self, name: str) -> Any:
        return self._runs[self._keys[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


def named_runs(
    runs: Any, alone: str = "", topics: Iterable[str] = (), takes_path: bool = False
) -> Mapping[str, Any]:
    """Map names to runs: a mapping as it is (names as `str`), paths by the names that `irpref eval`
    gives them. A mapping that is no dict may make its runs when they are asked for.

    Parameters
    ----------
    runs : mapping of names to runs, or list of paths
    alone : str
        The name of a single run, if one is accepted in their place. A dict of dicts of numbers is
        one run.
    topics : iterable of str, optional
        A dict of empty dicts is one run, unless `topics` are given and none is a key.
    takes_path : bool
        Whether the path of one run is accepted, too.

    Raises
    ------
    TypeError
        A single run or path in place of several, or a list of something other than paths.
    """
    of_paths = isinstance(runs, list) and runs and isinstance(runs[0], (str, os.PathLike))
    if (
        alone
        and not of_paths
        and (not isinstance(runs, Mapping) or not runs or _is_run(runs, set(topics)))
    ):
        return {alone: runs}
    is_path = isinstance(runs, (str, os.PathLike))
    if takes_path and is_path and not _holds_files(runs):
        runs = [runs]
    if isinstance(runs, dict):
        if _has_scores(runs):
            raise TypeError(f"{_EXPECTED}, got the run itself (one run: {{'name': run}})")
        return {str(name): run for name, run in runs.items()}
    if isinstance(runs, Mapping):
        return _Named(runs)
    if (
        isinstance(runs, (str, bytes, os.PathLike))
        or hasattr(runs, "columns")
        or not isinstance(runs, Iterable)
    ):
        raise TypeError(f"{_EXPECTED}, got {_as_typed(runs)}")
    paths = list(runs)
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(
                f"runs: a list holds paths, got {type(path).__name__}; name other runs in a mapping"
            )
    return dict(run_names(list(dict.fromkeys(map(os.fspath, paths)))))


def _holds_files(path: Any) -> bool:
    """Test whether this is a folder of files, not one run that was written in parts."""
    return os.path.isdir(path) and not is_folder(path)


def _as_typed(runs: Any) -> str:
    """Name the object that was given in place of several runs, with the code to type."""
    kind = type(runs).__name__
    if not isinstance(runs, (str, os.PathLike)):
        columns = list(getattr(runs, "columns", ()))
        system = next((name for name in _SYSTEMS if name in columns), None)
        if system is not None and hasattr(runs, "groupby"):
            return f"{kind} (several runs: dict(list(frame.groupby({system!r}))))"
        return f"{kind} (one run: {{'name': run}})"
    path = os.fspath(runs)
    if _holds_files(path):
        return f"a folder (its files: sorted(pathlib.Path({path!r}).iterdir()))"
    return f"{kind} (one run: [{path!r}])"


def _has_scores(runs: Mapping[Any, Any]) -> bool:
    """Test whether a dict maps topics to documents with scores, by its first topic."""
    first = next(iter(runs.values()), None)
    return isinstance(first, Mapping) and isinstance(next(iter(first.values()), None), Real)


def _is_run(runs: Mapping[Any, Any], topics: set[str]) -> bool:
    """Test whether a dict maps topics to documents with scores; one level more, and it is several
    runs.
    """
    inner = [docs for docs in runs.values() if isinstance(docs, Mapping)]
    if len(inner) < len(runs) or any(
        isinstance(value, Mapping) for docs in inner for value in docs.values()
    ):
        return False
    return any(inner) or not topics or not topics.isdisjoint(map(str, runs))


def _short(path: str) -> str:
    return without_endings(os.path.basename(path)) or path


def each_run(runs: Any) -> Iterator[tuple[str, Any]]:
    """Yield name and run, one by one, in any form that `named_runs` takes, or of an iterable of
    (name, run).
    """
    if isinstance(runs, Mapping):
        yield from ((str(name), run) for name, run in runs.items())
    elif (
        isinstance(runs, (str, bytes, os.PathLike))  # which is refused there
        or hasattr(runs, "columns")
        or (
            isinstance(runs, (list, tuple))
            and (not runs or isinstance(runs[0], (str, os.PathLike)))
        )
    ):
        yield from named_runs(runs).items()
    else:
        yield from ((str(name), run) for name, run in runs)
