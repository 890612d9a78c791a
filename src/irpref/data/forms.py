"""The forms of files that are read, how the names of files say which one it is, and folders of
Parquet files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

# The endings of names by form. If `irpref.data.records` has a function of a form's name, that reads
# it; the other forms are TREC's.
ENDINGS = {
    "trec": (".txt", ".run", ".trec", ".res"),
    "msmarco": (),
    "parquet": (".parquet", ".pq"),
    "csv": (".csv",),
    "tsv": (".tsv",),
    "json": (".json",),
    "jsonl": (".jsonl", ".ndjson"),
}
FORMS = tuple(ENDINGS)
# Those whose columns have names.
NAMED = ("parquet", "csv", "tsv", "json", "jsonl")
# Those of preferences, which are judgments only: see `irpref.data.preference_files`.
PREFERENCES = ("prefs", "qrels_prefs", "pairs")
PACKED = (".gz", ".zst", ".zstd")
# Those of packed files first, since they come last in a name.
ALL_ENDINGS = (*PACKED, *(ending for endings in ENDINGS.values() for ending in endings))


def is_packed(name: str) -> bool:
    """Test whether a file is packed, by its name."""
    return name.lower().endswith(PACKED)


def form_of_name(name: str) -> str:
    """Find the form of a file by its name, packed or not; TREC's if the ending says nothing."""
    name = name.lower()
    for ending in PACKED:
        name = name.removesuffix(ending)
    return next((form for form, endings in ENDINGS.items() if name.endswith(endings)), "trec")


def without_endings(name: str) -> str:
    """Strip the endings of packed files and forms from a name."""
    for ending in ALL_ENDINGS:
        name = name.removesuffix(ending)
    return name


def is_folder(path: str) -> bool:
    """Test whether this is a folder with Parquet files."""
    return os.path.isdir(path) and next(parquet_files(path), None) is not None


def parquet_files(folder: str) -> Iterator[str]:
    """List the Parquet files of a folder and the folders in it, by name; hidden ones are left
    out.
    """
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _is_hidden(name))
        yield from (
            os.path.join(where, name)
            for name in sorted(names)
            if name.lower().endswith(ENDINGS["parquet"]) and not _is_hidden(name)
        )


def _is_hidden(name: str) -> bool:
    """Test whether Spark leaves out a file or folder of this name: checksums, attempts, unfinished
    files.

    A partition by a column whose name begins with `_` is none of these.
    """
    return name.startswith(".") or (name.startswith("_") and "=" not in name)
