"""Runs against a baseline: means, differences, and tests of the pairs with the baseline."""

import numpy as np
import pandas as pd
import pytest

import irpref
import irpref_lab
from irpref.datasets import load
from irpref.errors import ArgumentError
from shells import run_text

MADE = load("synthetic")
THREE = {name: MADE.runs[name] for name in ("baseline", "strong", "noisy")}


def test_the_table_of_the_shell():
    found = irpref_lab.against(["AP", "EMeasure"], MADE.qrels, "baseline", THREE)
    columns = ["run", "measure", "value", "difference", "p", "p_adjusted", "differs"]
    assert list(found) == [*columns, "codes", "topics_by_code"]
    assert found["run"].tolist() == [name for name in THREE for _ in range(2)]
    means = irpref.evaluator(["AP", "EMeasure"], MADE.qrels)
    for name, rows in found.groupby("run"):
        values = means.calc_aggregate(THREE[name])
        assert rows["value"].tolist() == [values[irpref.parse(m)] for m in rows["measure"]]
    assert found["difference"].iloc[:2].isna().all()
    assert found["differs"].iloc[:2].isna().all()
    assert found["difference"].iloc[2] == found["value"].iloc[2] - found["value"].iloc[0]
    assert "2 pairs with baseline" in found.test


def test_p_of_a_pair_is_that_of_a_comparison():
    found = irpref_lab.against("AP", MADE.qrels, "baseline", THREE).set_index("run")
    for name in ("strong", "noisy"):
        alone = irpref_lab.compare("AP", MADE.qrels, THREE["baseline"], THREE[name])
        assert found["p"][name] == alone["p"].item()
        assert found["p_adjusted"][name] >= found["p"][name]
        assert found["differs"][name] == (found["p_adjusted"][name] <= 0.05)


def test_the_baseline_joins_the_runs(tmp_path):
    others = {name: THREE[name] for name in ("strong", "noisy")}
    found = irpref_lab.against("AP", MADE.qrels, THREE["baseline"], others)
    assert found.baseline == "baseline"
    assert found["run"].tolist() == ["baseline", "strong", "noisy"]
    for name, run in THREE.items():
        (tmp_path / f"{name}.run").write_text(run_text(run))
    paths = [tmp_path / f"{name}.run" for name in THREE]
    for given in (paths, paths[1:]):
        again = irpref_lab.against("AP", MADE.qrels, paths[0], given)
        assert again.equals(found)


def test_groups_have_rows_of_their_own():
    groups = {topic: "odd" if int(topic) % 2 else "even" for topic in MADE.qrels}
    found = irpref_lab.against("AP", MADE.qrels, "baseline", THREE, groups=groups)
    assert found["group"].tolist() == ["even", "odd"] * 3
    odd = {topic: docs for topic, docs in MADE.qrels.items() if groups[topic] == "odd"}
    alone = irpref_lab.against("AP", odd, "baseline", THREE)
    columns = ["run", "value", "p"]
    assert (
        found.loc[found["group"] == "odd", columns].values.tolist()[1:]
        == (alone[columns].values.tolist()[1:])
    )
    assert set(found.by_topic["group"]) == {"even", "odd"}


def test_what_is_refused():
    with pytest.raises(ArgumentError, match="another run") as alone:
        irpref_lab.against("AP", MADE.qrels, "noisy", {"noisy": THREE["noisy"]})
    assert alone.value.parameter == "runs"
    for option in ({"pairs": "t"}, {"level": 2}):
        with pytest.raises(ArgumentError) as error:
            irpref_lab.against("AP", MADE.qrels, "noisy", THREE, **option)
        assert {error.value.parameter: error.value.value} == option
    without = irpref_lab.against("AP", MADE.qrels, "noisy", THREE, pairs="none")
    assert (without.test, without["p_adjusted"].isna().all()) == ("", True)


def test_a_group_of_one_topic_has_means_and_no_test():
    qrels = {f"q{t}": {"a": 1, "b": 0} for t in range(6)}
    runs = [{topic: docs for topic in qrels} for docs in ({"a": 2.0, "b": 1.0}, {"a": 1, "b": 2})]
    groups = {topic: "last" if topic == "q5" else "first" for topic in qrels}
    table = irpref_lab.against(["AP"], qrels, runs[0], {"b": runs[1]}, groups=groups)
    (row,) = table[(table["group"] == "last") & (table["run"] == "b")].to_dict("records")
    assert (row["value"], row["difference"]) == (0.5, -0.5)
    assert np.isnan(row["p"])
    assert np.isnan(row["p_adjusted"])
    assert pd.isna(row["differs"])
