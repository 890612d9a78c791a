"""Collections by name, each with its judgments and runs, or with values."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from irpref.data import named_runs
from irpref.errors import ArgumentError
from irpref.messages import no_such_file
from irpref_lab.given_values import Values

_JUDGMENTS = ("qrels", "judgments")  # what a file of judgments is called in a folder


@dataclass(frozen=True, eq=False)
class Collections:
    """Collections by name, the result of `irpref_lab.collections`.

    It takes the place of judgments in `irpref_lab.leaderboard`, `compare` and `against`; the names
    of its systems replace runs.

    Attributes
    ----------
    parts : dict of name to (judgments, dict of name to run), or to Values
    systems : tuple of str
        Names of all systems, in order of first appearance.
    """

    parts: Mapping[str, Any]
    systems: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the collections."""
        return tuple(self.parts)

    def inputs_of(self, name: str) -> tuple[Any, Mapping[str, Any]]:
        """Return the judgments of a collection and its runs by name, as verdicts take them: values,
        and the names of systems, stand in their place.
        """
        part = self.parts[name]
        if isinstance(part, Values):
            return part, dict(zip(part.systems, part.systems, strict=True))
        return part

    def systems_of(self, name: str) -> tuple[str, ...]:
        """Return the names of the systems of a collection."""
        return tuple(self.inputs_of(name)[1])

    def lacking(self) -> dict[str, tuple[str, ...]]:
        """Map each system that lacks a collection to the collections that it lacks."""
        lacks = {
            system: tuple(name for name in self.parts if system not in self.systems_of(name))
            for system in self.systems
        }
        return {system: names for system, names in lacks.items() if names}

    def __repr__(self) -> str:
        n, k = len(self.systems), len(self.parts)
        text = f"{k:,} collections ({', '.join(self.parts)}), {n:,} system{'s' * (n != 1)}"
        return "\n".join(
            [text, *(f"{system} lacks {', '.join(of)}" for system, of in self.lacking().items())]
        )


def collections(data: Any) -> Collections:
    """Put several collections together, to compare systems over all collections.

    Parameters
    ----------
    data : mapping, `Values`, or path
        - a mapping of name to `(qrels, runs)`, each in any form that `irpref_lab.leaderboard`
          takes; or of name to a result of `irpref_lab.values`;
        - the result of `irpref_lab.values` for a table with a column `collection`, or its file;
        - a folder with a folder for each collection: a file `qrels` (with any ending) and files of
          runs; or, without it, files of values.

    Returns
    -------
    Collections
        A system has the same name in all collections. One that lacks a collection is left out of
        tests.

    Raises
    ------
    ValueError
        There are fewer than two collections, or one has no system.
    FileNotFoundError
        There is no such folder or file.

    Examples
    --------
    >>> from irpref_lab import values
    >>> both = {name: values({"a": {"AP": {"q1": 0.5}}}) for name in ("first", "second")}
    >>> collections(both | {"third": values({"b": {"AP": {"q1": 0.5}}})})
    3 collections (first, second, third), 2 systems
    a lacks third
    b lacks first, second
    """
    if isinstance(data, Collections):
        return data
    if isinstance(data, (str, os.PathLike)):
        data = _of_path(os.path.expanduser(os.fspath(data)))
    if isinstance(data, Values):
        parts: dict[str, Any] = {name: data.collection(name) for name in data.collections}
    elif isinstance(data, Mapping):
        parts = {str(name): _part(str(name), one) for name, one in data.items()}
        if len(parts) < len(data):
            raise ArgumentError(
                "two collections have one name as text, such as 1 and '1'", parameter="collections"
            )
    else:
        raise ArgumentError(
            f"expected a mapping of names to (qrels, runs), values or a folder, got "
            f"{type(data).__name__}",
            parameter="collections",
        )
    if len(parts) < 2:
        raise ArgumentError(
            f"there {'is' if len(parts) == 1 else 'are'} {len(parts) or 'no'} "
            f"collection{'s' * (len(parts) != 1)}, and a mean over collections needs two",
            parameter="collections",
        )
    given = Collections(parts, ())
    names = (system for name in parts for system in given.systems_of(name))
    return Collections(parts, tuple(dict.fromkeys(names)))


def several(given: Any) -> Collections | None:
    """Return the collections that take the place of judgments, or None: `Collections`, or values
    with a column `collection` that names several.
    """
    if isinstance(given, Values) and len(given.collections) > 1:
        return collections(given)
    return given if isinstance(given, Collections) else None


def check_single(given: Any) -> None:
    """Refuse several collections where a verdict is about one.

    Raises
    ------
    ArgumentError
    """
    found = several(given)
    if found is not None:
        raise ArgumentError(
            f"this is about one collection, and there are {len(found.parts):,} "
            f"({', '.join(found.names[:5])}); leaderboard, compare and against take several",
            parameter="qrels",
        )


def _part(name: str, one: Any) -> Any:
    """Check a collection, and name its runs."""
    if isinstance(one, Values):
        return one
    if not isinstance(one, (tuple, list)) or len(one) != 2:
        raise ArgumentError(
            f"collection {name!r}: expected (qrels, runs), or values, got {type(one).__name__}",
            parameter="collections",
        )
    runs = named_runs(one[1])
    if not runs:
        raise ArgumentError(f"collection {name!r} has no runs", parameter="collections")
    return one[0], runs


def _of_path(path: str) -> Values | dict[str, Any]:
    """Read a folder with a folder for each collection, or a file of values."""
    from irpref_lab.given_values import values

    if not os.path.exists(path):
        raise no_such_file(path, "no such folder")
    if not os.path.isdir(path):
        return values(path)
    parts: dict[str, Any] = {}
    for entry in sorted(os.scandir(path), key=lambda one: one.name):
        if not entry.is_dir() or entry.name.startswith((".", "_")):
            continue
        files = sorted(
            one.path for one in os.scandir(entry.path) if one.is_file() and one.name[0] not in "._"
        )
        is_qrels = [os.path.basename(one).split(".")[0] in _JUDGMENTS for one in files]
        if sum(is_qrels) > 1:
            raise ArgumentError(
                f"{entry.path} has {sum(is_qrels)} files of judgments", parameter="collections"
            )
        if not any(is_qrels):
            parts[entry.name] = values(entry.path)
            continue
        runs = [one for one, judged in zip(files, is_qrels, strict=True) if not judged]
        parts[entry.name] = files[is_qrels.index(True)], runs
    return parts
