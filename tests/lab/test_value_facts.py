"""Values alone answer the questions of verdicts: the same numbers, and nothing that they cannot
know."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import irpref
from irpref.datasets import load
from irpref.errors import ArgumentError
from irpref.measures.declare import rises
from irpref.observed import gathered
from irpref_lab.given_values import Values, values
from irpref_lab.given_values.facts import GivenMeasure, facts_of, measures_of
from irpref_lab.meta import topic_values
from irpref_lab.trust.topics import limits_of

MADE = load("synthetic")
RUNS = {name: MADE.runs[name] for name in ("noisy", "baseline")}
MEASURES = ["AP", "nDCG@10", "RR", "EMeasure@10"]


@pytest.fixture(scope="module")
def given() -> Values:
    """The values of two runs, without the topic that the first does not answer."""
    answered = {name: set(irpref.run(run).frame()["query_id"]) for name, run in RUNS.items()}
    rows = [
        (system, topic, name, value)
        for name, table in topic_values(MEASURES, MADE.qrels, RUNS).items()
        for system, row in zip(table.systems, table.values, strict=True)
        for topic, value in zip(table.topics, row.tolist(), strict=True)
        if topic in answered[system]
    ]
    return values(pd.DataFrame(rows, columns=["system", "topic", "measure", "value"]))


def test_values_of_runs_are_those_of_the_runs_to_the_bit(given: Values) -> None:
    facts = facts_of(given, measures_of(given, MEASURES), list(RUNS))
    judged = gathered(MEASURES, irpref.judgments(MADE.qrels), RUNS)
    assert facts.topics == judged.topics
    for measure in judged.measures:
        assert np.array_equal(facts.values(measure), judged.values(measure))
        assert np.array_equal(facts.unanswered(measure), judged.unanswered(measure))
        table = facts.topic_values(measure, facts.everything)
        assert table.higher_is_better == rises(measure)


@pytest.mark.parametrize("missing", [0.0, 0.05])
def test_topics_that_a_system_lacks_stand_against_verdicts_as_unanswered_ones(
    given: Values, missing: float
) -> None:
    facts = facts_of(given, measures_of(given, MEASURES), list(RUNS))
    judged = gathered(MEASURES, irpref.judgments(MADE.qrels), RUNS)
    for measure in facts.measures:
        for baseline in (0, 1):
            codes, expected = (
                [
                    ground.code
                    for ground in one.against("claim", measure, baseline, one.everything, missing)
                    if ground.code == "unanswered"
                ]
                for one in (facts, judged)
            )
            assert codes == expected
            assert codes == ["unanswered"] * (baseline == 0 and missing == 0)


def test_what_values_cannot_know_is_missing(given: Values) -> None:
    facts = facts_of(given, measures_of(given, MEASURES), list(RUNS))
    found = facts.frame({None: facts.everything})
    assert set(found["code"]) == {"unanswered"}
    assert set(found["run"]) == {"noisy"}
    assert not facts.shallow(facts.measures[0]).any()
    assert not facts.has_grades
    assert facts.answerable.all()


def test_few_topics_are_few() -> None:
    given = values({name: {"AP": {"q1": 0.5, "q2": 0.25}} for name in "ab"})
    (measure,) = measures_of(given, "AP")
    facts = facts_of(given, [measure])
    grounds = facts.against("pass", measure, 0, facts.everything, 0.05)
    assert [ground.code for ground in grounds] == ["few-topics"]


def test_a_measure_that_nobody_knows_has_its_name_direction_and_no_limits() -> None:
    frame = pd.DataFrame(
        {"system": ["a", "b"], "topic": "q1", "measure": "latency", "value": [120.0, 80.0]}
    )
    given = values(frame, higher_is_better=False)
    (measure,) = measures_of(given, ["latency"])
    assert str(measure) == "latency"
    assert limits_of(measure) == (-np.inf, np.inf)
    table = facts_of(given, [measure]).topic_values(measure, np.ones(1, bool))
    assert table.best_first.tolist() == [1, 0]
    again = pickle.loads(pickle.dumps(measure))
    assert isinstance(again, GivenMeasure)
    assert again == measure


def test_the_baselines_missing_topics_can_be_left_out() -> None:
    data: dict[str, Any] = {"a": {"AP": {"q1": 0.5}}, "b": {"AP": {"q1": 0.5, "q2": 0.25}}}
    given = values(data)
    facts = replace(facts_of(given, measures_of(given, ["AP", "map"])), leaves_out="a")
    assert len(facts.measures) == 1
    texts = [row["text"] for row in facts.rows(facts.measures[0], facts.everything)]
    assert len(texts) == 1
    assert facts.compared(facts.measures[0], 0, facts.everything).tolist() == [True, False]
    assert facts.so(facts.systems[0], 1) != facts.so(facts.systems[1], 1)


def test_unknown_systems_and_measures_are_refused() -> None:
    given = values({"a": {"AP": {"q1": 0.5}}})
    with pytest.raises(ArgumentError):
        measures_of(given, ["nDCG"])
    with pytest.raises(ArgumentError):
        facts_of(given, measures_of(given, ["AP"]), ["a", "b"])
