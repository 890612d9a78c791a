"""How many human grades a sample would need, against loops and samples that were drawn."""

from itertools import permutations

import ir_measures
import numpy as np
import pandas as pd
import pytest

from irpref_lab import sample, sampled
from irpref_lab.judges.savings import _squared_errors, documents_instead


def test_errors_of_levels_and_what_documents_of_a_topic_share() -> None:
    level, topic = np.array([1, 1, 2, 1, 2, 0, 1]), np.array([0, 0, 0, 1, 1, 1, 2])
    gain, known = np.array([3.0, 2, 3, 0, 1, 1]), np.array([True] * 5 + [False, True])
    squared, shared = _squared_errors(level, topic, gain, known)
    seen = [*zip(level[known].tolist(), topic[known].tolist(), gain.tolist(), strict=True)]
    # Of each level's gains and two more with the mean of all.
    of_level = [[g for a, _, g in seen if a == b] + [gain.mean()] * 2 for b in range(3)]
    error = [g - np.mean(of_level[a]) for a, _, g in seen]
    mean = np.mean(np.square(error))
    for b in range(3):
        squares = [e**2 for e, (a, _, _) in zip(error, seen, strict=True) if a == b]
        assert squared[b] == pytest.approx(np.mean([*squares, mean, mean]))
    both = [*permutations(range(6), 2)]
    products = [error[i] * error[j] for i, j in both if seen[i][1] == seen[j][1]]
    assert shared == pytest.approx(np.mean(products))
    assert 0 < shared < squared.min()
    # Two documents of a topic with opposite errors share nothing; one of each topic says nothing.
    assert _squared_errors(level[:2], topic[:2], np.array([0.0, 2]), known[:2])[1] == 0
    assert _squared_errors(level[:2], np.arange(2), np.array([0.0, 2]), known[:2])[1] == 0


@pytest.mark.slow
def test_a_sample_of_that_many_documents_has_such_intervals() -> None:
    """Humans are more generous than the judge in some topics, and stricter in others."""
    rng = np.random.default_rng(5)
    human, judge = {}, {}
    runs: dict[str, dict[str, dict[str, float]]] = {"a": {}, "b": {}}
    for query_id in map(str, range(30)):
        quality, shift = rng.integers(0, 4, 12), rng.integers(-2, 3)
        noise = rng.integers(-1, 2, 12)
        docs = [f"d{i:02}" for i in range(12)]
        judge[query_id] = dict(zip(docs, np.clip(quality + noise, 0, 3).tolist(), strict=True))
        human[query_id] = dict(zip(docs, np.clip(quality + shift, 0, 3).tolist(), strict=True))
        for name in runs:
            scores = 0.5 * quality + rng.normal(size=12)
            runs[name][query_id] = dict(zip(docs, scores.tolist(), strict=True))
    of_humans, of_judge = (
        pd.DataFrame(
            [(q, d, float(g)) for q, docs in each.items() for d, g in docs.items()],
            columns=["query_id", "doc_id", "relevance"],
        )
        for each in (human, judge)
    )
    half, dcg = 0.5, ir_measures.parse_measure("DCG@5")
    labelled = of_humans[of_humans["query_id"].astype(int) < 15]
    n = int(documents_instead(dcg, labelled, of_judge, runs, np.array([half]), 0.95))
    drawn = []
    for seed in range(15):
        plan = sample("DCG@5", None, judge, runs, n=n, rng=seed)
        grades = plan.head(n).merge(of_humans)[["query_id", "doc_id", "relevance"]]
        (values,) = sampled(grades, judge, plan).values("DCG@5", runs)
        low, high = values.intervals(np.array([0]), np.array([1]), 0.95)
        drawn.append((high - low)[0] / 2)
    assert 0.75 * half < np.mean(drawn) < 1.25 * half
