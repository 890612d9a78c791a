"""Values by topic of four rankers on five collections: the example of docs/many-collections.md.

    python -m study.five_collections DATA    # DATA/cacm, ...; needs pyterrier_pisa; a minute

Each collection is indexed, and its topics are searched, with four models of PISA. The result,
`five-collections.csv`, has `system, collection, topic, measure, value`: a table as
`irpref_lab.values` reads it."""

from __future__ import annotations

import gzip
import json
import re
import sys
import tempfile
from pathlib import Path
from runpy import run_path
from typing import Any

HERE = Path(__file__).parent
VALUES = HERE / "five-collections.csv"
COLLECTIONS = ("cacm", "cranfield", "beir-scifact", "nfcorpus-test", "vaswani")
SYSTEMS = ("BM25", "QLD", "DPH", "PL2")
MEASURE = "nDCG@10"
CRANFIELD = {1: 4, 2: 3, 3: 2, 4: 1, -1: 0}  # its grades count down


def read(path: Path) -> list[str]:
    """Return the lines of a compressed file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.read().splitlines()


def searched(folder: Path) -> dict[str, Any]:
    """Index a collection and search its topics: a run for each system."""
    import pandas as pd
    from pyterrier_pisa import PisaIndex

    docs = [json.loads(line) for line in read(folder / "docs/docs.jsonl.gz")]
    docs = [
        {"docno": doc["docno"], "text": f"{doc.get('title', '')} {doc['text']}"} for doc in docs
    ]
    topics = [line.split("\t") for line in read(folder / "queries/queries.tsv.gz")]
    words = [" ".join(re.findall(r"[a-z0-9]+", text.lower())) for _, text in topics]
    queries = pd.DataFrame({"qid": [topic for topic, _ in topics], "query": words})
    with tempfile.TemporaryDirectory() as home:
        index = PisaIndex(home, overwrite=True)
        index.index(docs)
        models = {
            **{"BM25": index.bm25(num_results=100), "QLD": index.qld(num_results=100)},
            **{"DPH": index.dph(num_results=100), "PL2": index.pl2(num_results=100)},
        }
        return {name: models[name](queries) for name in SYSTEMS}


def judged(folder: Path) -> Any:
    """Return the judgments of a collection, higher grades for better documents."""
    name = "qrels.2-1-0.txt.gz" if folder.name == "nfcorpus-test" else "qrels.txt.gz"
    rows = [line.split() for line in read(folder / "qrels" / name)]
    qrels: dict[str, dict[str, int]] = {}
    for topic, _, doc, grade in rows:
        worth = int(grade)
        if folder.name == "cranfield":
            worth = CRANFIELD.get(worth, 0)
        qrels.setdefault(topic, {})[doc] = worth
    return qrels


def main(data: Path) -> None:
    """Write the values of all collections."""
    import pandas as pd

    import irpref_lab

    parts = []
    for name in COLLECTIONS:
        runs = searched(data / name)
        table = irpref_lab.meta.topic_values([MEASURE], judged(data / name), runs)[MEASURE]
        frame = table.frame().stack().rename("value").reset_index()
        frame = frame.rename(columns={"query_id": "topic"}).assign(measure=MEASURE)
        parts.append(frame.assign(collection=name.removesuffix("-test").removeprefix("beir-")))
        print(name, table.means.round(4), table.n_topics)
    whole = pd.concat(parts)[["system", "collection", "topic", "measure", "value"]]
    whole.round({"value": 5}).to_csv(VALUES, index=False)


if __name__ == "__main__":
    run_path(str(Path(__file__).parents[1] / "docs" / "own_source.py"))
    main(Path(sys.argv[1]))
