"""Submitted runs of public collections as dictionaries, read by a few plain lines of their own."""

import gzip
import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

# Folder -> number of runs.
COLLECTIONS = {"trec-covid-r3": 79, "dl19-passage": 43}


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Read TREC qrels: topic -> document -> grade."""
    out: dict[str, dict[str, int]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            topic, _, doc, grade = line.split()
            out.setdefault(topic, {})[doc] = int(grade)
    return out


def read_run(path: Path) -> dict[str, dict[str, float]]:
    """Read a TREC run: topic -> document -> score."""
    out: dict[str, dict[str, float]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            topic, _, doc, _, score, _ = line.split()
            out.setdefault(topic, {})[doc] = float(score)
    return out


def qrels_of(data: Path, collection: str) -> dict[str, dict[str, int]]:
    """Read the qrels of a collection."""
    (path,) = (data / collection / "qrels").glob("*.gz")
    return read_qrels(path)


def runs_of(data: Path, collection: str) -> Iterator[tuple[str, dict[str, dict[str, float]]]]:
    """Yield the runs of a collection, one at a time, with their names."""
    paths = sorted((data / collection / "runs").glob("*.gz"))
    assert len(paths) == COLLECTIONS[collection]
    for path in paths:
        yield path.name, read_run(path)


def tf_idf(folder: Path, depth: int = 200) -> dict[str, dict[str, float]]:
    """Make a run here, of a collection that has documents and queries and no runs."""
    with gzip.open(folder / "docs" / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        docs = {doc["docno"]: Counter(doc["text"].split()) for doc in map(json.loads, lines)}
    with gzip.open(folder / "queries" / "queries.tsv.gz", "rt", encoding="utf-8") as lines:
        queries = dict(line.rstrip("\n").split("\t") for line in lines)
    weights: dict[str, dict[str, float]] = {}
    for name, words in docs.items():
        for word, n in words.items():
            weights.setdefault(word, {})[name] = n / (n + 1) / (1 + words.total() / 100)
    out: dict[str, dict[str, float]] = {}
    for topic, text in queries.items():
        scores: Counter[str] = Counter()
        for word in set(text.split()):
            holding = weights.get(word, {})
            for name, weight in holding.items():
                scores[name] += weight * math.log(len(docs) / len(holding))
        out[topic] = dict(scores.most_common(depth))
    return out
