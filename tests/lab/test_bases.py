"""Each basis of verdicts answers about any pair of its systems as it does about two alone."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest

import irpref
import irpref_lab
from irpref.datasets import load
from irpref_lab.decide.basis import basis_of
from irpref_lab.decide.comparison import decide
from irpref_lab.decide.questions import Basis, pairs

CAST = load("cast2021")
MEASURES = irpref.parse_all(["nDCG@10", "AP(rel=2)"])
NAMES = list(CAST.runs)
SHORT = {topic: docs for topic, docs in CAST.runs[NAMES[3]].items() if not topic.startswith("12")}
RUNS = dict(CAST.runs) | {NAMES[3]: SHORT}


def judged(runs: Mapping[str, Any]) -> Basis:
    return basis_of(MEASURES, CAST.qrels, runs)


def of_values(runs: Mapping[str, Any]) -> Basis:
    score = irpref.evaluator(MEASURES, CAST.qrels)
    values = {
        name: [metric for metric in score.iter_calc(run) if metric.query_id in run]
        for name, run in runs.items()
    }
    given = irpref_lab.values(values)
    return basis_of(given.measures_of(MEASURES), given, dict(zip(runs, runs, strict=True)))


@pytest.mark.parametrize("make", [judged, of_values])
@pytest.mark.parametrize("numbers", [(1, 3), (4, 0)])
def test_a_pair_of_many_is_answered_as_two_alone(make: Any, numbers: tuple[int, int]) -> None:
    two = {NAMES[number]: RUNS[NAMES[number]] for number in numbers}
    every, alone = make(RUNS), make(two)
    asked = partial(decide, level=0.95)
    of_every = pairs(every, "claim", every.parts(None), 0.05, [numbers], decide=asked)
    of_two = pairs(alone, "claim", alone.parts(None), 0.05, decide=asked)
    for one, other in zip(of_every, of_two, strict=True):
        assert one.names == other.names
        assert one.codes == other.codes
        assert one.means == other.means
        assert one.interval(0.95) == other.interval(0.95)
        row, same = (
            basis.columns(pair, "ab", 0.95) for basis, pair in ((every, one), (alone, other))
        )
        assert row == pytest.approx(same, nan_ok=True)
        turned = [
            basis.could_turn(pair, lambda gap: "more" if gap > 0 else "less", "more")
            for basis, pair in ((every, one), (alone, other))
        ]
        assert turned[0] == turned[1]
