"""What a cutoff costs: the table of `meta.cutoffs`, its command and its picture."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

from irpref import meta, plots
from irpref.cli import main
from irpref.datasets import load

EXAMPLE = load("synthetic")
MEASURES = ["AP", "PPlus", "RMeasure", "WeightedRR(max_rel=3)"]


def test_every_row_is_what_the_three_methods_say_of_the_measure_at_its_cutoff():
    table = meta.cutoffs(MEASURES, EXAMPLE.qrels, EXAMPLE.runs, at=(5, None), n_samples=60, rng=3)
    cutoffs = table["cutoff"].astype(object).where(table["cutoff"].notna(), None)
    assert list(zip(table["measure"], cutoffs, strict=True)) == [
        ("AP", 5),
        ("AP", None),
        ("PPlus", 5),
        ("PPlus", None),
        ("RMeasure", None),  # has no cutoff
        ("WeightedRR(max_rel=3)", 5),
        ("WeightedRR(max_rel=3)", None),
    ]
    for row in table.to_dict("records"):
        name = row["measure"] + ("" if pd.isna(row["cutoff"]) else f"@{row['cutoff']}")
        (of,) = meta.topic_values([name], EXAMPLE.qrels, EXAMPLE.runs).values()
        steady = meta.stability(of, fuzziness=[0.05], n_samples=60, rng=3)
        swap = meta.swap(of, n_samples=60, rng=3)
        power = meta.discriminative_power(of, n_samples=60, rng=3)
        assert row["mean"] == pytest.approx(of.means.mean())
        assert [row[key] for key in list(table.columns)[3:]] == [
            steady.minority_rate[0],
            steady.ties[0],
            swap.difference_required(),
            swap.sensitivity(),
            power.power,
            power.difference_required,
        ]
    assert table.attrs == {"systems": 5, "topics": 30, "n_samples": 60}


def test_the_best_systems_are_those_of_the_first_measure_on_whole_lists():
    means = {name: value for name, value in zip(*_means("AP"), strict=True)}
    best = sorted(means, key=means.__getitem__)[-2:]
    table = meta.cutoffs(["AP", "RR"], EXAMPLE.qrels, EXAMPLE.runs, at=(10,), top=2, n_samples=20, rng=0)
    runs = {name: run for name, run in EXAMPLE.runs.items() if name in best}
    alone = meta.cutoffs(["AP", "RR"], EXAMPLE.qrels, runs, at=(10,), n_samples=20, rng=0)
    pd.testing.assert_frame_equal(table, alone)
    lowest = meta.cutoffs(["nCRP"], EXAMPLE.qrels, EXAMPLE.runs, top=2, n_samples=5, rng=0)
    systems, values = _means("nCRP")
    assert lowest["mean"].tolist() == [pytest.approx(sorted(values)[:2][0] / 2 + sorted(values)[1] / 2)]
    assert len(systems) == 5


def _means(name):
    (of,) = meta.topic_values([name], EXAMPLE.qrels, EXAMPLE.runs).values()
    return of.systems, of.means.tolist()


@pytest.mark.parametrize(
    ("measures", "more", "says"),
    [
        (["AP@5"], {}, "AP@5 has a cutoff: give the measure without it"),
        (["AP"], {"at": (0,)}, "cutoff"),
        (["AP"], {"at": ()}, "at least one measure and one cutoff"),
        (["AP"], {"rng": None}, "give rng"),
        (["AP"], {"top": 1}, "at least 2 systems"),
    ],
)
def test_what_cannot_be_compared_is_refused(measures, more, says):
    with pytest.raises(ValueError, match=says):
        meta.cutoffs(measures, EXAMPLE.qrels, EXAMPLE.runs, **{"rng": 0, "n_samples": 5, **more})


def test_the_command_prints_the_table(tmp_path, capsys):
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"{t} 0 {d} {g}\n" for t, docs in EXAMPLE.qrels.items() for d, g in docs.items()))
    (tmp_path / "runs").mkdir()
    for name, run in EXAMPLE.runs.items():
        lines = [f"{t} Q0 {d} 1 {s!r} x\n" for t, docs in run.items() for d, s in docs.items()]
        (tmp_path / "runs" / f"{name}.run").write_text("".join(lines))
    asked = ["meta", "cutoffs", str(qrels), str(tmp_path / "runs"), "AP", "RMeasure", "--samples", "20"]
    more = ["--cutoffs", "5,all", "--top", "3", "--seed", "4"]
    assert main([*asked, *more, "-o", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    expected = meta.cutoffs(["AP", "RMeasure"], EXAMPLE.qrels, EXAMPLE.runs, at=(5, None), top=3, n_samples=20, rng=4)
    assert [(row["measure"], row["cutoff"]) for row in rows] == [("AP", "5"), ("AP", ""), ("RMeasure", "")]
    assert [float(row["power"]) for row in rows] == expected["power"].tolist()
    assert main([*asked, *more]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "3 systems, 30 topics, 20 samples; all: whole lists"
    assert [line.split()[:2] for line in shown[3:]] == [["AP", "5"], ["AP", "all"], ["RMeasure", "all"]]
    assert main([*asked, "--cutoffs", "5,x"]) == 2
    assert "'5,x' is no list of cutoffs such as 5,10,all" in capsys.readouterr().err


def test_the_picture_draws_the_table():
    pytest.importorskip("matplotlib").use("Agg")

    table = meta.cutoffs(MEASURES, EXAMPLE.qrels, EXAMPLE.runs, at=(5, 20, None), n_samples=20, rng=3)
    for quantity in ("power", "swap_difference"):
        ax = plots.cutoffs(table, quantity=quantity)
        scale = 100 if quantity == "power" else 1
        lines = {line.get_label(): line for line in ax.lines}
        for measure, part in table.groupby("measure"):
            line = lines[measure]
            if len(part) == 1:
                assert np.ptp(line.get_ydata()) == 0
            else:
                assert line.get_xdata().tolist() == [5, 20, 40]
                assert line.get_ydata().tolist() == (scale * part[quantity]).tolist()
        assert [tick.get_text() for tick in ax.get_xticklabels()] == ["5", "20", "all"]
    with pytest.raises(ValueError, match="quantity='powers' is not accepted"):
        plots.cutoffs(table, quantity="powers")
