"""A home for ir_datasets made of the collections at hand: each file in the place to which it would
have downloaded it.

ir_datasets reads $IR_DATASETS_HOME when it is imported, so the tests that use it run a new process.
"""

import gzip
import json
import zipfile
from pathlib import Path


def prepare(data: Path, home: Path) -> None:
    """Put Vaswani, Cranfield and the test split of NFCorpus (as `beir/nfcorpus`) where ir_datasets
    looks.
    """
    for name in ("vaswani", "cranfield"):
        (home / name).mkdir(parents=True)
        for part in ("docs", "queries", "qrels"):
            with gzip.open(data / name / "ir_datasets" / f"{part}.txt.gz") as source:
                (home / name / f"{part}.txt").write_bytes(source.read())
    nfcorpus(data / "nfcorpus-test", home / "beir" / "nfcorpus")


def nfcorpus(source: Path, target: Path) -> None:
    """Write the archive that BEIR distributes: `corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv`."""
    target.mkdir(parents=True)
    with zipfile.ZipFile(target / "source.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        with gzip.open(source / "docs" / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
            docs = [json.loads(line) for line in lines]
        fields = [
            {"_id": d["docno"], "title": "", "text": d["text"], "metadata": {"url": ""}}
            for d in docs
        ]
        archive.writestr("nfcorpus/corpus.jsonl", "".join(json.dumps(f) + "\n" for f in fields))
        with gzip.open(source / "queries" / "queries.tsv.gz", "rt", encoding="utf-8") as lines:
            queries = [line.rstrip("\n").split("\t") for line in lines]
        fields = [{"_id": qid, "text": text, "metadata": {"url": ""}} for qid, text in queries]
        archive.writestr("nfcorpus/queries.jsonl", "".join(json.dumps(f) + "\n" for f in fields))
        with gzip.open(source / "qrels" / "qrels.2-1-0.txt.gz", "rt", encoding="utf-8") as lines:
            judged = [line.split() for line in lines]
        rows = "".join(f"{qid}\t{doc}\t{grade}\n" for qid, _, doc, grade in judged)
        archive.writestr("nfcorpus/qrels/test.tsv", "query-id\tcorpus-id\tscore\n" + rows)
