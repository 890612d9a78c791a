"""What NIST published of submitted runs is what we compute of them."""

import csv

import irpref
from compared import NIST, count
from real_runs import qrels_of, runs_of

COLLECTION = "trec-covid-r3"
# NIST's name -> ours, and whether runs must be there to their full depth.
FIGURES = {
    "nDCG@10": ("nDCG@10", False),
    "P@5": ("P@5", False),
    "AP": ("AP", True),
    "bpref": ("Bpref", True),
}


def tsv(path):
    with open(path, encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def test_means_of_submitted_runs_are_those_that_nist_published(data_dir):
    home = data_dir / COLLECTION
    whole = {row["run"] for row in tsv(home / "runs.tsv") if row["contributed_judgments"] == "yes"}
    published = {(row["run"], row["measure"]): row["value"] for row in tsv(home / "published.tsv")}
    evaluator = irpref.evaluator(
        [ours for ours, _ in FIGURES.values()], qrels_of(data_dir, COLLECTION)
    )
    wrong, compared = [], 0
    for file, run in runs_of(data_dir, COLLECTION):
        name = file.removesuffix(".run.gz")
        found = {str(m): v for m, v in evaluator.calc_aggregate(run).items()}
        for theirs, (ours, depth) in FIGURES.items():
            if depth and name not in whole:
                continue
            compared += 1
            if f"{found[ours]:.4f}" != published[name, theirs]:
                wrong.append((name, theirs, published[name, theirs], found[ours]))
    assert wrong == []
    assert compared == 2 * 79 + 2 * len(whole)
    count(NIST, compared)
