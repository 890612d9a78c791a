"""The measures in ir_measures alone: no PyTerrier, no engine, runs and qrels as dicts, frames or tuples.

python examples/plain_ir_measures.py
"""

import ir_measures
from ir_measures import AP, nDCG

import irpref
from irpref import PPlus, QMeasure, RPref
from irpref.datasets import load


def main():
    """Return the averages of each run."""
    example = load("synthetic")
    qrels = example.qrels  # topic -> document -> grade, 0 to 3

    # Once for all runs: the judgments are indexed when the evaluator is built.
    measures = irpref.bind([AP, nDCG @ 10, RPref, QMeasure, PPlus], qrels)
    evaluator = ir_measures.evaluator(measures, qrels)
    averages = {name: evaluator.calc_aggregate(run) for name, run in example.runs.items()}

    print("".join(f"{name:>18}" for name in ["", *map(str, measures)]))
    for name, values in averages.items():
        print(f"{name:>18}" + "".join(f"{values[measure]:18.4f}" for measure in measures))

    # Topic by topic: which topics does one measure reward and the other not?
    print("\nTopics of the run 'broad' on which RPref and nDCG@10 disagree most:")
    by_topic = {}
    for metric in evaluator.iter_calc(example.runs["broad"]):
        by_topic.setdefault(metric.query_id, {})[metric.measure] = metric.value
    rpref, ndcg = measures[2], measures[1]
    gaps = sorted(by_topic, key=lambda topic: by_topic[topic][rpref] - by_topic[topic][ndcg], reverse=True)
    for topic in gaps[:3]:
        values = by_topic[topic]
        print(f"  {topic}: {rpref} {values[rpref]:.4f}, {ndcg} {values[ndcg]:.4f}  {example.queries[topic]}")
    return averages


if __name__ == "__main__":
    main()
