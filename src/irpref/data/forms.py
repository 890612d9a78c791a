"""The forms of files that are read, and how the names of files say which one it is."""

from __future__ import annotations

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
PACKED = (".gz", ".zst", ".zstd")
# Those of packed files first, since they come last in a name.
ALL_ENDINGS = (*PACKED, *(ending for endings in ENDINGS.values() for ending in endings))


def is_packed(name: str) -> bool:
    """Whether a file is packed, by its name."""
    return name.lower().endswith(PACKED)


def form_of_name(name: str) -> str:
    """The form of a file by its name, packed or not; TREC's if the ending says nothing."""
    name = name.lower()
    for ending in PACKED:
        name = name.removesuffix(ending)
    return next((form for form, endings in ENDINGS.items() if name.endswith(endings)), "trec")


def without_endings(name: str) -> str:
    """A name without the endings of packed files and forms."""
    for ending in ALL_ENDINGS:
        name = name.removesuffix(ending)
    return name
