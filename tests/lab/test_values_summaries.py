"""Rows of means and sums among values by topic are no topics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import irpref_lab
from irpref.errors import InputError
from irpref.messages import IrprefWarning
from irpref_lab.given_values import values

A = {"1": 0.5, "2": 0.3, "3": 0.4, "4": 0.45, "5": 0.35}
B = {"1": 0.62, "2": 0.31, "3": 0.5, "4": 0.44, "5": 0.41}
MEANS = {"A": sum(A.values()) / 5, "B": sum(B.values()) / 5}


def by_topic(name: str, change: float = 0.0) -> dict[str, dict[str, dict[str, float]]]:
    """Values as pytrec_eval has them, with a summary of this name."""
    return {
        system: {
            topic: {"map": value}
            for topic, value in (of | {name: round(MEANS[system] + change, 4)}).items()
        }
        for system, of in (("A", A), ("B", B))
    }


def long(data: dict[str, Any]) -> pd.DataFrame:
    """The same values as a long table."""
    rows = [
        (system, topic, measure, value)
        for system, topics in data.items()
        for topic, cells in topics.items()
        for measure, value in cells.items()
    ]
    return pd.DataFrame(rows, columns=["system", "topic", "measure", "value"])


def given_as(form: str, data: dict[str, Any], folder: Path) -> Any:
    """The same values in one of the forms."""
    table = long(data)
    path = folder / f"v.{form}"
    if form == "frame":
        return table
    if form == "records":
        return table.to_dict("records")
    if form in ("csv", "tsv"):
        table.to_csv(path, sep="," if form == "csv" else "\t", index=False)
    elif form == "json":
        path.write_text(json.dumps(data))
    elif form == "q":
        paths = []
        for system, part in table.groupby("system"):
            path = folder / f"{system}.txt"
            lines = zip(part["measure"], part["topic"], part["value"], strict=True)
            path.write_text("".join(f"{m}\t{t}\t{v:.4f}\n" for m, t, v in lines))
            paths.append(path)
        return paths
    else:
        return data
    return path


@pytest.mark.filterwarnings("ignore:.*left out, since")
@pytest.mark.parametrize("form", ["mapping", "frame", "records", "csv", "tsv", "json", "q"])
@pytest.mark.parametrize("name", ["all", "All", "mean", "AVG", "Overall", "macro avg"])
def test_a_row_of_means_is_no_topic(form: str, name: str, tmp_path: Path) -> None:
    found = values(given_as(form, by_topic(name), tmp_path), columns={})
    assert found.topics == tuple(A)
    verdict = irpref_lab.compare("AP", found, "A", "B")
    assert verdict["p"][0] == pytest.approx(0.0888, abs=1e-4)


def test_sums_and_deviations_beside_a_summary_are_no_topics() -> None:
    data = {
        topic: {"num_ret": 10 + i, "AP": value} for i, (topic, value) in enumerate(A.items())
    } | {"total": {"num_ret": 60, "AP": 0.4}, "std": {"num_ret": 1.58, "AP": 0.079}}
    with pytest.warns(IrprefWarning, match="'total', 'std': left out"):
        assert values({"A": data}).topics == tuple(A)


def test_topics_with_the_names_of_statistics_stay() -> None:
    """Where all topics have the same value, any topic has their mean."""
    words = {"mean": 0.9, "variance": 0.1, "mode": 0.2, "median": 0.3}
    data = {word: {"AP": value, "num_ret": 1000, "num_rel": 1} for word, value in words.items()}
    with pytest.warns(IrprefWarning, match="'mean' counts as one"):
        assert set(values({"A": data}).topics) == set(words)
    diseases = {"hiv": 0.9, "flu": 0.8, "std": 0.1, "tb": 0.6, "all": 0.6}
    with pytest.warns(IrprefWarning, match="'std' counts as one"):
        found = values({"A": {topic: {"AP": value} for topic, value in diseases.items()}})
    assert set(found.topics) == {"hiv", "flu", "std", "tb"}


def test_a_mean_with_fewer_digits_is_one() -> None:
    data = {topic: {"AP": value} for topic, value in (A | {"mean": 0.4}).items()}
    data["5"] = {"AP": 0.3612}
    with pytest.warns(IrprefWarning, match="'mean': left out"):
        assert values({"A": data}).topics == tuple(A)


@pytest.mark.filterwarnings("ignore:.*left out, since")
def test_a_topic_with_the_name_of_a_mean_stays_and_is_said() -> None:
    with pytest.warns(IrprefWarning, match="'mean' counts as one"):
        found = values(by_topic("mean", 0.2))
    assert found.topics == (*A, "mean")
    # A deviation beside no summary is a topic.
    assert "std" in values(by_topic("std")).topics
    # One of the names may be a topic, another the mean with it.
    both = {"A": {t: {"AP": v} for t, v in A.items()}}
    both["A"] |= {"total": {"AP": 0.7}, "mean": {"AP": 0.45}}
    with pytest.warns(IrprefWarning, match="'total' counts as one"):
        assert values(both).topics == (*A, "total")


@pytest.mark.parametrize("form", ["mapping", "csv", "q"])
def test_all_is_left_out_though_it_has_another_mean_and_this_is_said(
    form: str, tmp_path: Path
) -> None:
    with pytest.warns(IrprefWarning, match=r"AP|map: the line 'all'.*are topics missing") as shown:
        assert values(given_as(form, by_topic("all", 0.01), tmp_path)).topics == tuple(A)
    assert len(shown) == 2


def test_a_system_with_means_only_is_named() -> None:
    data = by_topic("all") | {"C": {"all": {"map": 0.5}}}
    with pytest.raises(InputError, match="'C' has means only"):
        values(data)
