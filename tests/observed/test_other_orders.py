"""A run whose tied documents stand in another order has the values of that order, by whichever
provider."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

import irpref
import irpref_lab
from irpref.datasets import load
from irpref.judged.judgments import judgments
from irpref.observed.gathering import Gatherer
from irpref.observed.orders import tied_orders

CAST = load("cast2021")
# By kernels; by pytrec_eval, which reads unjudged documents, too; by another provider.
MEASURES = irpref.parse_all(["AP", "infAP", "P@10", "Accuracy", "Judged@10", "Compat(p=0.8)"])


def _rounded(run: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Tie many documents."""
    return {t: {doc: float(round(score)) for doc, score in docs.items()} for t, docs in run.items()}


@pytest.mark.parametrize("depth", [None, 20])
def test_a_run_in_its_own_order_has_its_own_values(depth: int | None) -> None:
    gatherer = Gatherer(MEASURES, judgments(CAST.qrels), depth)
    run = irpref.run(_rounded(CAST.runs["org_manual_bm25"]))
    values = gatherer.system("bm25", [run]).values
    same = gatherer.in_order(run, np.arange(run.on(gatherer.pool).row.size))
    for measure in MEASURES:
        np.testing.assert_array_equal(same[measure], values[measure][0])


def test_a_run_in_another_order_has_the_values_of_a_run_with_such_scores() -> None:
    gatherer = Gatherer(MEASURES, judgments(CAST.qrels))
    run = irpref.run(_rounded(CAST.runs["org_manual_bm25"]))
    every = run.on(gatherer.pool)
    *_, order = tied_orders(every)
    docs, topics = every.docs_of(order), every.topics.topic.tolist()
    scored: dict[str, dict[str, float]] = {}
    for place, (topic, doc) in enumerate(zip(topics, docs, strict=True)):
        scored.setdefault(gatherer.pool.topic_ids[topic], {})[doc] = -float(place)
    expected = irpref.evaluator(MEASURES, CAST.qrels)
    values, found = expected.values(scored), gatherer.in_order(run, order)
    by_id = np.argsort(expected.topic_ids)
    for measure in MEASURES:
        np.testing.assert_array_equal(found[measure], values[measure][by_id])


def test_a_verdict_by_a_provider_is_the_one_by_the_kernel_if_their_values_are_the_same() -> None:
    # infAP is AP where nothing is left to be judged.
    runs = [CAST.runs[name] for name in ("org_convdr_bert", "org_manual_ance")]
    gates = [irpref_lab.gate(name, CAST.qrels, *runs) for name in ("AP", "infAP")]
    assert gates[0]["verdict"].tolist() == ["pass"]
    assert gates[1]["verdict"].tolist() == ["pass"]
