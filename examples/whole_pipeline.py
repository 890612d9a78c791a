"""From systems to a table of measures: one Experiment, its tests, the losses, and one topic
explained.

    python examples/whole_pipeline.py                       # five real runs of the package, offline
    python examples/whole_pipeline.py --dataset vaswani     # index, and search with four models
    python examples/whole_pipeline.py --dataset cranfield
    python examples/whole_pipeline.py --dataset beir/nfcorpus/test

Any ir_datasets id with documents, queries and qrels works. PISA indexes the documents (`pip install
pyterrier_pisa`; Linux, no Java); the shipped runs need no engine."""

import argparse
import contextlib
import os
import re
import sys
import tempfile
import warnings

import ir_datasets
import pandas as pd
import pyterrier as pt
from ir_measures import AP, Bpref, R, nDCG

import irpref
from irpref import CRPRecovery, NPref, PPlus, QMeasure, RPref, nCRP
from irpref.settings import scale_of

SHIPPED = "irpref/cast2021"


def read(dataset):
    """Read topics and judgments of an ir_datasets data set in PyTerrier's columns."""
    topics = pd.DataFrame(
        [(query.query_id, plain(query.default_text())) for query in dataset.queries_iter()],
        columns=["qid", "query"],
    )
    qrels = pd.DataFrame(
        [(qrel.query_id, qrel.doc_id, qrel.relevance) for qrel in dataset.qrels_iter()],
        columns=["qid", "docno", "label"],
    )
    # Cranfield's grades count down, and its -1 is no judgment; others are as measures take them.
    regrade = scale_of(dataset).regrade
    if regrade:
        qrels = qrels[qrels["label"].isin(list(regrade))].replace({"label": dict(regrade)})
    return topics, qrels


def shipped():
    """Return systems, topics and judgments of TREC CAsT 2021: the runs of its organisers are the
    systems.
    """
    dataset = pt.get_dataset(SHIPPED.replace("/", ":"))
    runs = irpref.datasets.load("cast2021").runs
    return {
        name: pt.Transformer.from_df(dataset.get_results(name)) for name in runs
    }, *dataset.get_topicsqrels()


def indexed(dataset, folder):
    """Index the documents with PISA for four models."""
    import pyterrier_pisa

    index = pyterrier_pisa.PisaIndex(folder, text_field="text", threads=1, overwrite=True)
    with quiet():
        index.index(
            {"docno": doc.doc_id, "text": doc.default_text()} for doc in dataset.docs_iter()
        )
        systems = {"BM25": index.bm25(), "PL2": index.pl2(), "DPH": index.dph(), "QLD": index.qld()}
        for system in systems.values():
            system.search("warm up")  # each model writes its files on the first query
    return systems


def plain(query):
    """Lower case, no punctuation: PISA takes the query as it is given."""
    return " ".join(re.findall(r"\w+", query.lower()))


@contextlib.contextmanager
def quiet():
    """Silence PISA, which reports its progress from C++."""
    sys.stdout.flush()
    sys.stderr.flush()
    saved = os.dup(1), os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        for number, copy in enumerate(saved, start=1):
            os.dup2(copy, number)
            os.close(copy)


def measures_for(dataset):
    """Choose built-in measures and ours, on the scale of the collection."""
    scale = scale_of(dataset)
    # bind() writes the top of the grade scale into each measure that needs it, so that values do
    # not change when PyTerrier evaluates in batches. (It warns about bpref and its family where
    # nothing is judged non-relevant, as in Vaswani; these are left out then.)
    bpref_family = [Bpref, RPref(norm="relative2"), NPref(n=4)] if scale.has_nonrelevant else []
    # The CRP family takes negative grades for real ones, and is far from its usual values then.
    positions = [nCRP, CRPRecovery] if scale.min_grade >= 0 else []
    graded = [QMeasure, QMeasure(judged_only=True), PPlus, *positions]
    return irpref.bind([AP, nDCG @ 10, R @ 100, *bpref_family, *graded], dataset)


def main(arguments=None):
    """Return the table and the systems, for whoever imports this file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dataset", default=SHIPPED, help="any ir_datasets id")
    parser.add_argument("--save", metavar="FILE", help="write the table to a CSV file")
    options = parser.parse_args(arguments)

    irpref.datasets.register()  # the examples of the package, for ir_datasets
    dataset = ir_datasets.load(options.dataset)
    with tempfile.TemporaryDirectory() as folder:
        if options.dataset == SHIPPED:
            systems, topics, qrels = shipped()
        else:
            systems, (topics, qrels) = indexed(dataset, folder), read(dataset)
        first = next(iter(systems))
        # Nothing below reads the columns + and -, which count higher and lower values.
        warnings.filterwarnings("ignore", "nCRP: lower is better")
        table = pt.Experiment(
            list(systems.values()),
            topics,
            qrels,
            measures_for(dataset),
            names=list(systems),
            baseline=0,
            correction="holm",
        )
        lost = what_is_lost(systems[first], topics, qrels)
        explained = one_topic(systems[first], topics, qrels)
        values = table[[c for c in table.columns if c == "name" or not c.endswith(SIGNIFICANCE)]]
        print(values.round(4).T.to_string(header=False))
        print()
        print("\n".join(differences(table)))
        print(f"\nWhat {first} loses:")
        print(lost.round(4).T.to_string(header=False))
        print(
            f"\nThe topic where it does worst: {explained['qid'].iloc[0]} "
            f"{explained['query'].iloc[0]}"
        )
        judged = explained[explained["judged"]].drop(columns=["qid", "query", "judged"])
        best = judged.sort_values("contribution", ascending=False, kind="stable")
        print(best.head(8).round(4).to_string(index=False))
    if options.save:
        table.to_csv(options.save, index=False)
    return table


def what_is_lost(system, topics, qrels):
    """Evaluate the same documents without the unjudged ones, in the best order, and the best list
    there is.
    """
    variants = {
        "as it is": system,
        "judged only": system >> pt.irpref.Condense(qrels),
        "best order": system >> pt.irpref.Oracle(qrels),
        "ideal": pt.irpref.Oracle(qrels),
    }
    return pt.Experiment(variants, topics, qrels, [AP, nDCG @ 10, QMeasure, PPlus])


def one_topic(system, topics, qrels):
    """Show how much each document contributes to QMeasure, for the topic with the lowest value
    above 0.
    """
    results = system(topics)
    values = pt.irpref.PerQuery(qrels, QMeasure)(results)
    worst = values[values["QMeasure"] > 0].sort_values("QMeasure")["qid"].iloc[0]
    return pt.irpref.Explain(qrels, QMeasure)(results[results["qid"] == worst])


SIGNIFICANCE = ("+", "-", "p-value", "reject", "corrected")


def probability(p):
    """Put a p-value in words; no test gives 0."""
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"


def differences(table):
    """Write one line for each significant difference to the baseline."""
    found = [
        f"{row['name']} differs from {table['name'][0]} in {column.removesuffix(' reject')} "
        f"({probability(row[column.replace(' reject', ' p-value corrected')])}, Holm)"
        for column in table.columns
        if column.endswith(" reject")
        for _, row in table.iloc[1:].iterrows()
        if row[column]
        and row[column.replace(" reject", " p-value")] < 1  # NaN where no topic differs
    ]
    return found or [f"No run is shown to differ from {table['name'][0]}."]


if __name__ == "__main__":
    main()
