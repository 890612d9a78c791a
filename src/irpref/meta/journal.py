"""The results file of `incompleteness`: what was computed is kept, even if the process is killed.

    {"seed": 0, ..., "irpref": "0.2.0"}              what the results below depend on
    [100.0, 0, "AP", "bm25", 0.25, "5a1f..."]        level, sample, measure, system, mean, hash of the run

Each line is JSON, which reads every number and name back exactly. Lines are only ever appended: if a mean has two rows,
the later one counts, and results of another version of irpref or ir_measures end at the next line of settings. If a
process is killed in the middle of a line, the next process removes the fragment. The file is locked while a process
writes to it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from irpref.messages import IrprefWarning, warn_user

Cell = tuple[float, int, str, str]
CELL = ("level", "sample", "measure", "system")

_VERSIONS = ("irpref", "ir_measures")  # packages whose versions are among the settings


class Journal:
    """The means in a results file, and a way to append more: a context manager that keeps the file locked.

    Parameters
    ----------
    path : Path
    settings : mapping
        What all means depend on.
    hashes : mapping of system to str
        Hash of each system's run. The mean of another run of the same name does not count.

    Raises
    ------
    ValueError
        The file holds something else, or results of other settings; a row is damaged; another process is writing to it.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any], hashes: Mapping[str, str]) -> None:
        self.path, self.hashes = path, hashes
        self.cells: dict[Cell, float] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = open(path, "ab")  # noqa: SIM115  # locked until the end
        try:
            _lock(self._file, path)
            # Compare settings as they are stored: JSON has no tuples and one kind of number.
            self._open(json.loads(json.dumps(dict(settings), default=lambda number: number.item())))
        except BaseException:
            self._file.close()
            raise

    def _open(self, settings: dict[str, Any]) -> None:
        versions = {name: _version(name) for name in _VERSIONS}
        old, rows, whole = _read(self.path)
        self._file.truncate(whole)
        for name in {**settings, **old} if old else ():
            if name not in versions and old.get(name) != settings.get(name):
                raise ValueError(
                    f"{self.path} holds results with {name}={old.get(name)!r}, now it is {settings.get(name)!r}: "
                    "choose another file, or delete this one"
                )
        if any(old.get(name) != value for name, value in versions.items()):
            if old:
                was = ", ".join(f"{name} {old.get(name, 'unknown')}" for name in _VERSIONS)
                warn_user(f"{self.path} holds results of {was}: they are computed again", IrprefWarning)
                rows = {}
            self._write([{**settings, **versions}])
        self.cells = {cell: mean for cell, (mean, run) in rows.items() if self.hashes.get(cell[3]) == run}

    def append(self, cells: Mapping[Cell, float]) -> None:
        """Append means. They are safe once this returns."""
        self._write([[*cell, mean, self.hashes[cell[3]]] for cell, mean in cells.items()])
        self.cells.update(cells)

    def _write(self, lines: list[Any]) -> None:
        try:
            with open(self.path, "a", encoding="ascii") as file:
                file.write("".join(json.dumps(line) + "\n" for line in lines))
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from None

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()


def read(path: Path) -> tuple[dict[str, Any], dict[Cell, float]]:
    """Read the settings and means of a results file."""
    settings, rows, _ = _read(path)
    if not settings:
        raise ValueError(f"{path} holds no results of incompleteness (it is empty)")
    return settings, {cell: mean for cell, (mean, _) in rows.items()}


def _read(path: Path) -> tuple[dict[str, Any], dict[Cell, tuple[float, str]], int]:
    """Settings, means with the hash of their run, and how many bytes are whole lines; all empty for an empty file."""
    settings: dict[str, Any] = {}
    rows: dict[Cell, tuple[float, str]] = {}
    whole = path.read_bytes().rpartition(b"\n")[0]  # drop a half-written last line
    lines = whole.split(b"\n") if whole else []
    for number, line in enumerate(lines, 1):
        try:
            found = json.loads(line)
            if isinstance(found, dict):
                settings, rows = found, {}
            elif settings:
                level, sample, measure, system, mean, run = found
                rows[float(level), int(sample), str(measure), str(system)] = float(mean), str(run)
        except (ValueError, TypeError) as error:
            if settings:
                raise ValueError(f"{path}, line {number}: the row is damaged ({error})") from None
        if not settings:
            raise ValueError(f"{path} holds no results of incompleteness (it does not begin with its settings)")
    return settings, rows, len(whole) + bool(lines)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def _lock(file: Any, path: Path) -> None:
    """Lock the file until it is closed or the process ends; `ValueError` if another process has locked it."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise ValueError(f"{path}: another process writes its results there") from None


def hash_of_run(run: Mapping[str, Mapping[str, float]]) -> str:
    """Hash of the ids and scores of a run whose documents are in the order of their ranks."""
    found = hashlib.blake2b(digest_size=8)
    for topic in sorted(run):
        found.update(repr([topic, *run[topic]]).encode())
        found.update(np.array([*run[topic].values()], dtype=np.float64).tobytes())
    return found.hexdigest()
