"""TREC CAsT 2021: a real graded collection with holes, and the five runs of its organisers.

`cast2021/documents.tsv.gz` has a line for each document that was judged or retrieved for a topic: its grade, empty if
nobody judged it, and its score in each run, empty if the run does not return it. The runs are cut to the judged topics
and their ranks left out (evaluation goes by score); nothing else was changed. The queries are other people's sentences
and are not part of it. The judgments and runs are MIT licensed, see `cast2021/LICENSE`.
"""

from __future__ import annotations

import gzip
from importlib.resources import files

from irpref.datasets.example import Example

FOLDER = files(__package__) / "cast2021"
RUNS = ("org_manual_bm25", "org_manual_ance", "org_manual_ance_bert", "org_convdr", "org_convdr_bert")
GRADES = {
    4: "fully meets the information need",
    3: "highly meets it",
    2: "moderately meets it",
    1: "slightly meets it",
    0: "fails to meet it",
}


def read() -> Example:
    """Return the collection: 158 topics (turns of conversations), grades 0 to 4, five runs, no texts."""
    qrels: dict[str, dict[str, int]] = {}
    with (FOLDER / "documents.tsv.gz").open("rb") as packed, gzip.open(packed, "rt", encoding="utf-8") as lines:
        runs: dict[str, dict[str, dict[str, float]]] = {name: {} for name in RUNS}
        next(lines)  # the names of the columns
        for line in lines:
            query_id, doc_id, grade, *scores = line.rstrip("\n").split("\t")
            if grade:
                qrels.setdefault(query_id, {})[doc_id] = int(grade)
            for name, score in zip(RUNS, scores, strict=True):
                if score:
                    runs[name].setdefault(query_id, {})[doc_id] = float(score)
    return Example(
        id="cast2021",
        title="TREC CAsT 2021: conversational search, 158 judged turns, the organisers' five runs",
        source=(
            "Judgments and runs of the TREC Conversational Assistance Track 2021 (J. Dalton, C. Xiong and J. Callan), "
            "https://github.com/daltonj/treccastweb, MIT licence, cut to the judged turns; the utterances are not "
            "included."
        ),
        queries=dict.fromkeys(qrels, ""),
        qrels=qrels,
        runs=runs,
        grades=GRADES,
    )
