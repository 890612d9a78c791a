"""The results file of `incompleteness`: computed means are kept, even if the process is killed.

    ["5a1f...", 50.0, 0, "AP", "bm25", 0.25]         key, level, sample, measure, system, mean

The key is a hash of all else that a mean depends on: the run, the judgments, the options and the
versions of irpref and ir_measures. So one file can hold the results of several computations, and
they are never mixed up. Each line is JSON, which reads every number and name back exactly. Lines
are only ever appended; if a process is killed in the middle of a line, the fragment is ignored."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import numpy as np

from irpref.errors import ArgumentError
from irpref.judged import hash_of_text

Cell = tuple[float, int, str, str]
CELL = ("level", "sample", "measure", "system")
_START = '["'


class Journal:
    """The means in a results file, and a way to append more.

    Parameters
    ----------
    output : path, optional
        None: means are not kept.
    keys : mapping of system to str
        Hash of all that the means of each system depend on. Means with other keys do not count.

    Raises
    ------
    ValueError
        The file holds something else.
    """

    def __init__(self, output: str | Path | None, keys: Mapping[str, str]) -> None:
        self.path, self.keys = None if output is None else Path(output).expanduser(), keys
        self.cells: dict[Cell, float] = {}
        if (path := self.path) is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="ascii", errors="replace") if path.exists() else ""
        if text[: len(_START)] != _START[: len(text)]:
            raise ArgumentError(
                f"{path} holds something other than results of incompleteness: choose another file",
                parameter="output",
                value=output,
            )
        for line in text.splitlines():
            with suppress(ValueError, TypeError):  # no whole line: computed again
                key, level, sample, measure, system, mean = json.loads(line)
                if key == keys.get(system):
                    self.cells[level, sample, measure, system] = float(mean)
        if text and not text.endswith("\n"):
            _write(path, "\n")

    def append(self, cells: Mapping[Cell, float]) -> None:
        """Append means. They are safe once this returns."""
        self.cells.update(cells)
        if self.path is not None:
            rows = ([self.keys[cell[3]], *cell, mean] for cell, mean in cells.items())
            _write(self.path, "".join(json.dumps(row) + "\n" for row in rows))


def _write(path: Path, text: str) -> None:
    try:
        with open(path, "a", encoding="ascii") as file:
            file.write(text)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def hash_of(*settings: Any) -> str:
    """Hash settings and the versions of the packages that compute values."""
    packages = (
        [package.version for package in distributions(name=name)]
        for name in ("irpref", "ir_measures")
    )
    # JSON has one kind of whole number, whatever NumPy calls it.
    text = json.dumps([*settings, *packages], default=lambda number: number.item())
    return hash_of_text(text)


def hash_of_run(run: Mapping[str, Mapping[str, float]]) -> str:
    """Hash the ids and scores of a run whose documents are in the order of their ranks."""
    digest = hashlib.blake2b(digest_size=8)
    for topic in sorted(run):
        digest.update(repr([topic, *run[topic]]).encode())
        digest.update(np.array([*run[topic].values()], dtype=np.float64).tobytes())
    return digest.hexdigest()
