"""Submitted runs of public collections as dictionaries, read by a few plain lines of their own."""

import gzip
from collections.abc import Iterator
from pathlib import Path

# Folder -> number of runs.
COLLECTIONS = {"trec-covid-r3": 79, "dl19-passage": 43}


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """TREC qrels: topic -> document -> grade."""
    out: dict[str, dict[str, int]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            topic, _, doc, grade = line.split()
            out.setdefault(topic, {})[doc] = int(grade)
    return out


def read_run(path: Path) -> dict[str, dict[str, float]]:
    """TREC run: topic -> document -> score."""
    out: dict[str, dict[str, float]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            topic, _, doc, _, score, _ = line.split()
            out.setdefault(topic, {})[doc] = float(score)
    return out


def qrels_of(data: Path, collection: str) -> dict[str, dict[str, int]]:
    """The qrels of a collection."""
    (path,) = (data / collection / "qrels").glob("*.gz")
    return read_qrels(path)


def runs_of(data: Path, collection: str) -> Iterator[tuple[str, dict[str, dict[str, float]]]]:
    """The runs of a collection, one at a time, with their names."""
    paths = sorted((data / collection / "runs").glob("*.gz"))
    assert len(paths) == COLLECTIONS[collection]
    for path in paths:
        yield path.name, read_run(path)
