"""The measures in ir_measures alone: no PyTerrier, no engine; runs and qrels as dicts, frames or
tuples.

    python examples/plain_ir_measures.py
"""

import ir_measures
from ir_measures import AP, Bpref, nDCG

from irpref import QMeasure, RPref
from irpref.datasets import load


def main():
    """Return the averages of each run."""
    data = load("cast2021")  # TREC CAsT 2021: grades 0 to 4, incomplete, and five runs
    qrels = data.qrels  # topic -> document -> grade

    # Once for all runs: the judgments are indexed when the evaluator is built.
    measures = [RPref(norm="relative2"), Bpref, nDCG @ 10, QMeasure, AP]
    evaluator = ir_measures.evaluator(measures, qrels)
    averages = {name: evaluator.calc_aggregate(run) for name, run in data.runs.items()}

    print(f"{'':22}" + "".join(f"{measure!s:>18}" for measure in measures))
    for name, values in averages.items():
        print(f"{name:22}" + "".join(f"{values[measure]:18.4f}" for measure in measures))

    # Topic by topic: where does nDCG@10 prefer the reranker to BM25, and RPref BM25 to the
    # reranker?
    rpref, ndcg = measures[0], measures[2]
    gain = {}
    for name, sign in (("org_convdr_bert", 1), ("org_manual_bm25", -1)):
        for metric in evaluator.iter_calc(data.runs[name]):
            of = gain.setdefault(metric.query_id, {rpref: 0.0, ndcg: 0.0})
            if metric.measure in of:
                of[metric.measure] += sign * metric.value
    disputed = [topic for topic, of in gain.items() if of[ndcg] > 0 > of[rpref]]
    print(
        f"\nIn {len(disputed)} of {len(qrels)} topics the reranker is better by nDCG@10 and BM25 "
        f"by RPref, such as"
    )
    for topic in sorted(disputed, key=lambda topic: gain[topic][rpref] - gain[topic][ndcg])[:3]:
        print(f"  {topic}: {ndcg} {gain[topic][ndcg]:+.4f}, {rpref} {gain[topic][rpref]:+.4f}")
    return averages


if __name__ == "__main__":
    main()
