"""Several collections, put together from judgments and runs, values, or folders."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from irpref.errors import ArgumentError
from irpref_lab.across import collections
from irpref_lab.given_values import values

QRELS = {"q1": {"a": 1, "b": 0}}
RUN = {"q1": {"a": 2.0, "b": 1.0}}


def test_runs_of_one_name_are_one_system() -> None:
    both = collections({"x": (QRELS, {"s": RUN, "t": RUN}), "y": (QRELS, {"t": RUN, "u": RUN})})
    assert both.names == ("x", "y")
    assert both.systems == ("s", "t", "u")
    assert both.lacking() == {"s": ("y",), "u": ("x",)}
    assert collections(both) is both


def test_a_column_of_values_is_collections() -> None:
    frame = pd.DataFrame(
        {"system": ["s", "s"], "topic": ["1", "1"], "measure": "AP", "value": [0.5, 0.25]}
    ).assign(collection=["x", "y"])
    both = collections(values(frame))
    assert both.systems_of("y") == ("s",)
    assert both.parts["y"].of("AP").values.tolist() == [[0.25]]


def test_a_folder_has_a_folder_for_each(tmp_path: Path) -> None:
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "qrels.txt").write_text("q1 0 a 1\n")
        (tmp_path / name / "s.run").write_text("q1 Q0 a 1 1 t\n")
    (tmp_path / "z").mkdir()
    (tmp_path / "z" / "s.txt").write_text("AP\tq1\t0.5\nAP\tall\t0.5\n")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "notes.txt").write_text("")
    every = collections(tmp_path)
    assert every.names == ("x", "y", "z")
    assert every.systems == ("s",)
    assert every.lacking() == {}
    (tmp_path / "x" / "qrels.tsv").write_text("q1 0 a 1\n")
    with pytest.raises(ArgumentError):
        collections(tmp_path)


def test_a_file_of_values_with_a_column_of_collections_is_several(tmp_path: Path) -> None:
    path = tmp_path / "values.csv"
    path.write_text("system,topic,measure,value,collection\ns,1,AP,0.5,x\ns,1,AP,0.25,y\n")
    assert collections(path).names == ("x", "y")


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere: no such folder"):
        collections(str(tmp_path / "nowhere"))


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"x": (QRELS, {"s": RUN})},
        {1: (QRELS, {"s": RUN}), "1": (QRELS, {"s": RUN}), 2: (QRELS, {"s": RUN})},
        {"x": (QRELS, {"s": RUN}), "y": QRELS},
        {"x": (QRELS, {"s": RUN}), "y": (QRELS, {})},
        values({"s": {"AP": {"q1": 0.5}}}),
        3,
    ],
)
def test_what_is_not_several_collections_is_refused(data: object) -> None:
    with pytest.raises(ArgumentError):
        collections(data)
