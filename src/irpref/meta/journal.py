"""The results file of `incompleteness`: what was computed stays computed, whenever the process ends.

    # {"seed": 0, ..., "irpref": "0.1.0"}        what the results depend on, as JSON
    level,sample,measure,system,mean,run         names of the columns
    100,0,AP,bm25,0.25,5a1f...                   a row for each mean, with a hash of the run

A row is one line: line breaks, other control characters and backslashes in a name are written as in Python strings.
Numbers are written so that they are read back exactly.

Rows are only ever appended. If rows have to go (a run has changed, the end of the file is half a line), the rest is
written beside the file and takes its place. While a process writes, others are kept out.
"""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from irpref.formats.replace import replaced
from irpref.messages import IrprefWarning, warn_user

COLUMNS = ("level", "sample", "measure", "system", "mean", "run")

Cell = tuple[float, int, str, str]  # level, sample, measure, system

_VERSIONS = ("irpref", "ir_measures")  # packages whose versions stand in the first line

# What would end a line, or cannot be written as UTF-8; and how that is written.
_CONTROL = re.compile(r"[\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(?:\\|[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4})")


class Journal:
    """Means that are there already, and a place for new ones. A context manager: it lets go of the file at the end.

    Parameters
    ----------
    path : Path
    settings : mapping
        What all means depend on.
    hashes : mapping of system to str
        Of its run. Means of other runs of the same name are forgotten.

    Raises
    ------
    ValueError
        The file holds something else, or results of other settings; a row is damaged; another process writes to it.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any], hashes: Mapping[str, str]) -> None:
        self.path, self.hashes = path, hashes
        self.cells: dict[Cell, float] = {}
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = _Lock(path)
        try:
            # Compared as they are stored: JSON has lists and no tuples, and numbers of one kind.
            self._open(json.loads(json.dumps(dict(settings), default=lambda number: number.item())))
        except BaseException:
            self._lock.close()
            raise

    def _open(self, settings: dict[str, Any]) -> None:
        versions = {name: _version(name) for name in _VERSIONS}
        rows: list[tuple[Cell, float, str]] = []
        whole = False
        if self.path.exists() and self.path.stat().st_size:
            old, rows, whole = _read(self.path)
            for name in {**settings, **old}:
                if name not in versions and old.get(name) != settings.get(name):
                    raise ValueError(
                        f"{self.path} holds results with {name}={old.get(name)!r}, now it is {settings.get(name)!r}: "
                        "choose another file, or delete this one"
                    )
            if any(old.get(name) != value for name, value in versions.items()):
                was = ", ".join(f"{name} {old.get(name, 'unknown')}" for name in _VERSIONS)
                warn_user(f"{self.path} holds results of {was}: they are computed again", IrprefWarning)
                rows, whole = [], False
        # Runs that are not asked for now may be asked for again.
        kept = [row for row in rows if self.hashes.get(row[0][3], row[2]) == row[2]]
        if not whole or len(kept) < len(rows):
            with replaced(self.path) as beside, open(beside, "w", encoding="utf-8", newline="") as file:
                file.write(f"# {json.dumps({**settings, **versions})}\n{','.join(COLUMNS)}\n")
                file.write(_lines(kept))
        self.cells = {cell: mean for cell, mean, _ in kept}

    def append(self, cells: Mapping[Cell, float]) -> None:
        """Add means. The process may end at any time after this."""
        text = _lines((cell, mean, self.hashes[cell[3]]) for cell, mean in cells.items())
        try:
            with open(self.path, "a", encoding="utf-8", newline="") as file:
                file.write(text)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from None
        self.cells.update(cells)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *error: object) -> None:
        self._lock.close()


def read(path: Path) -> tuple[dict[str, Any], dict[Cell, float]]:
    """Settings and means of a results file: by part of the judgments, measure and system, in order of appearance."""
    settings, rows, _ = _read(path)
    cells = {cell: mean for cell, mean, _ in rows}
    parts, measures, systems = (
        (
            {name: i for i, name in enumerate(dict.fromkeys(names))}
            for names in zip(
                *(((level, sample), measure, system) for level, sample, measure, system in cells), strict=True
            )
        )
        if cells
        else ({}, {}, {})
    )
    ordered = sorted(cells.items(), key=lambda of: (parts[of[0][:2]], measures[of[0][2]], systems[of[0][3]]))
    return settings, dict(ordered)


def _read(path: Path) -> tuple[dict[str, Any], list[tuple[Cell, float, str]], bool]:
    """Settings, rows, and whether all of the file is rows of this form; half a line at its end is left out."""
    data = path.read_bytes()
    try:
        head, _, body = data.decode().partition("\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path}, line {line}: the row is damaged (no UTF-8)") from None
    settings = None
    if head.startswith("# {"):
        with suppress(ValueError):
            settings = json.loads(head[2:])
    if not isinstance(settings, dict):
        raise ValueError(f"{path} holds no results of incompleteness (it does not begin with its settings)")
    ended = body[: body.rfind("\n") + 1]
    reader = csv.reader(io.StringIO(ended, newline=""), strict=True)
    rows = []
    try:
        names = tuple(next(reader, ()))
        if names and names != COLUMNS:
            raise ValueError(f"expected the columns {','.join(COLUMNS)}, got {','.join(names)}")
        for row in reader:
            if len(row) != len(COLUMNS) or not row[2]:
                raise ValueError(f"expected {len(COLUMNS)} fields with a number, got {','.join(row)!r}")
            level, sample, measure, system, mean, run = row
            cell = (float(level), int(sample), _unescaped(measure), _unescaped(system))
            rows.append((cell, float(mean), run))
    except (ValueError, csv.Error) as error:
        # The settings are line 1 of the file.
        raise ValueError(f"{path}, line {reader.line_num + 1}: the row is damaged ({error})") from None
    return settings, rows, bool(names) and ended == body


def _lines(rows: Iterable[tuple[Cell, float, str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(
        (exactly(level), sample, _escaped(measure), _escaped(system), repr(mean), run)
        for (level, sample, measure, system), mean, run in rows
    )
    return out.getvalue()


def exactly(number: float) -> str:
    """A number as text that gives the same number back: 50, 33.333333, 49.99999999."""
    return repr(float(number)).removesuffix(".0")


def _escaped(name: str) -> str:
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), name)


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: found[0].encode().decode("unicode_escape"), text)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


class _Lock:
    """A file beside the results that one process holds at a time; it goes with the process, however that ends."""

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(f".{path.name}.lock")
        while True:
            self._file = open(self.path, "w")  # noqa: SIM115  # held until `close`
            try:
                _hold(self._file)
            except OSError:
                self._file.close()
                raise ValueError(f"{path}: another process writes its results there") from None
            try:
                # The one who held it before may have taken it away between these lines.
                if os.path.samestat(os.stat(self.path), os.fstat(self._file.fileno())):
                    return
            except FileNotFoundError:
                pass
            self._file.close()

    def close(self) -> None:
        if not self._file.closed:
            self.path.unlink(missing_ok=True)
            self._file.close()


def _hold(file: Any) -> None:
    """Lock a file, or raise OSError if somebody else has."""
    try:
        import fcntl
    except ImportError:  # Windows: an open file cannot be taken away there, which does no harm
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


# What results depend on -----------------------------------------------------------------------------------------


def hash_of_run(run: Mapping[str, Mapping[str, float]]) -> str:
    """Of the ids and scores of a run whose documents stand in the order of their ranks."""
    found = hashlib.blake2b(digest_size=8)
    for topic in sorted(run):
        # Quoted and counted, so that nothing else has the same bytes.
        ids = repr([topic, *run[topic]]).encode()
        scores = np.array([*run[topic].values()], dtype=np.float64).tobytes()
        found.update(b"%d %d " % (len(ids), len(scores)) + ids + scores)
    return found.hexdigest()
