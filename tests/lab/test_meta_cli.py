"""`irpref meta`: files in, tables and pictures out."""

import gzip
import io
import os
import re

import numpy as np
import pandas as pd
import pytest

from irpref.cli import main
from irpref_lab.meta import discriminative_power, incompleteness, stability, swap, topic_values
from shells import qrels_text, run_text


def call(*arguments):
    return main(["meta", *map(str, arguments)])


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Qrels and a folder of four runs in TREC format, one of them compressed."""
    root = tmp_path_factory.mktemp("collection")
    rng = np.random.default_rng(3)
    qrels = {f"q{t}": {f"d{i}": int(rng.integers(0, 3)) for i in range(20)} for t in range(6)}
    lines = [f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items()]
    (root / "qrels.txt").write_text("".join(lines))
    (root / "runs").mkdir()
    runs = {}
    for k, noise in enumerate((0.5, 1, 2, 4)):
        runs[f"run{k}"] = {
            q: {d: round(g + noise * rng.random(), 4) for d, g in docs.items()}
            for q, docs in qrels.items()
        }
        text = "".join(
            f"{q} Q0 {d} 1 {s} tag\n"
            for q, docs in runs[f"run{k}"].items()
            for d, s in docs.items()
        )
        if k:
            (root / "runs" / f"run{k}.run").write_text(text)
        else:
            (root / "runs" / "run0.txt.gz").write_bytes(gzip.compress(text.encode()))
    (root / "runs" / ".hidden").write_text("no run")
    return root, qrels, runs


@pytest.fixture
def data(files):
    return [files[0] / "qrels.txt", files[0] / "runs", "AP", "RPref(max_rel=2)"]


NOTE = "AP: rel=1, so all grades from 1 to 2 count alike"


def table(text):
    """The printed table after its head, without what is said below it."""
    lines = text.split("\n\n", 1)[1].splitlines()
    return [line.split() for line in lines if line != NOTE]


def test_stability(files, data, capsys, tmp_path):
    csv = tmp_path / "all.csv"
    assert call("stability", *data, "--seed", 4, "--samples", 100, "-f", csv) == 0
    assert capsys.readouterr().out == ""
    assert call("stability", *data, "--seed", 4, "--samples", 100) == 0
    shown = capsys.readouterr().out
    line, title, blank, *_ = shown.splitlines()
    assert (title, blank) == ("4 systems, 6 topics, 100 samples of the topics; fuzziness 5 %", "")
    values = topic_values(["AP", "RPref(max_rel=2)"], files[1], files[2])
    assert line == "AP and RPref(max_rel=2) have the lowest minority rate (0.0000) of 2 measures."
    expected = [stability(v, n_samples=100, rng=4) for v in values.values()]
    assert table(shown)[1:] == [
        [one.measure, f"{one.minority_rate[4]:.4f}", f"{one.ties[4]:.4f}"] for one in expected
    ]
    whole = pd.read_csv(csv)
    assert len(whole) == 20
    assert whole["ties"].to_numpy() == pytest.approx(np.concatenate([one.ties for one in expected]))


def test_values_that_are_there_already(files, capsys, tmp_path):
    values = topic_values(["AP", "nDCG"], files[1], files[2])
    rows = [
        (s, q, m, v.frame().loc[s, q])
        for m, v in values.items()
        for s in v.systems
        for q in v.topics
    ]
    frame = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    frame.to_csv(tmp_path / "perquery.csv", index=False)
    assert call("swap", "--values", tmp_path, "--samples", 50) == 0
    shown = table(capsys.readouterr().out)
    expected = swap(values["nDCG"], n_samples=50, rng=0)
    assert shown[2] == [
        "nDCG",
        f"{expected.difference_required():.4f}",
        f"{expected.sensitivity():.4f}",
    ]
    assert call("power", "--values", tmp_path / "perquery.csv", "-m", "AP", "--top", 3) == 0
    shown = capsys.readouterr().out
    assert shown.splitlines()[1].startswith("3 systems, 6 topics")
    best = values["AP"].select(
        sorted(values["AP"].systems, key=lambda s: -values["AP"].frame().loc[s].mean())[:3]
    )
    expected = discriminative_power(best, rng=0)
    assert table(shown)[1] == ["AP", f"{expected.power:.4f}", f"{expected.difference_required:.4f}"]


@pytest.mark.parametrize("option", ["-q", "-n"])
def test_means_among_values_are_no_topic(files, capsys, tmp_path, option):
    qrels, runs = files[0] / "qrels.txt", sorted((files[0] / "runs").glob("run*"))
    out = tmp_path / "values.csv"
    words = [*map(str, [qrels, *runs]), "AP", "-q", option, "-o", "csv", "-f", str(out)]
    assert main(["eval", *words]) == 0
    assert ("all" in out.read_text()) == (option == "-q")
    assert call("power", "--values", out) == 0
    assert f"{len(runs)} systems, 6 topics" in capsys.readouterr().out


def test_ranking(data, capsys):
    assert call("ranking", *data) == 0
    shown = table(capsys.readouterr().out)
    assert [row[0] for row in shown] == ["measure", "AP", "RPref(max_rel=2)"]
    assert shown[1][1] == "1.0000"


@pytest.mark.parametrize("method", ["ranking", "power", "robustness"])
def test_the_threshold_of_binary_measures_is_said_once(method, data, capsys):
    assert call(method, *data, *(["--samples", 2] if method != "ranking" else [])) == 0
    assert capsys.readouterr().out.splitlines().count(NOTE) == 1


def test_robustness_resumes(data, capsys, tmp_path):
    keep = tmp_path / "means.csv"
    arguments = ["robustness", *data, "--levels", "50,10", "--samples", 2, "--resume", keep]
    assert call(*arguments) == 0
    first = capsys.readouterr()
    assert table(first.out)[0] == ["level", "AP", "RPref(max_rel=2)"]
    assert [row[0] for row in table(first.out)[1:]] == ["100", "50", "10"]
    assert first.err == ""  # no bar where there is no terminal
    assert len(keep.read_text().splitlines()) == 5 * 2 * 4
    assert call(*arguments) == 0
    assert capsys.readouterr().out == first.out
    assert "with AP" not in first.out
    assert call(*arguments, "--reference", "AP") == 0
    assert "with AP" in capsys.readouterr().out
    teams = tmp_path / "teams"
    teams.write_text("run0 one\nrun1 one\n")
    pooled = [*arguments[:-1], tmp_path / "pools.csv", "--loss", "pools", "--teams", teams]
    assert call(*pooled) == 0
    first, text = capsys.readouterr().out, (tmp_path / "pools.csv").read_text()
    assert call(*pooled) == 0
    assert (capsys.readouterr().out, (tmp_path / "pools.csv").read_text()) == (first, text)


@pytest.mark.parametrize(
    ("loss", "more", "level"),
    [
        ("random", [], "judgments left"),
        ("pools", ["--depth", "2", "--teams", "teams"], "runs pooled"),
        ("documents", [], "documents left in the collection"),
        ("flip", [], "grades unchanged"),
        ("judges", ["--judges", "judge"], "topics with the grades of the qrels"),
    ],
)
def test_robustness_to_every_loss_is_that_of_the_library(
    loss, more, level, files, data, capsys, tmp_path
):
    _, qrels, runs = files
    (tmp_path / "teams").write_text("run0 one\nrun1 one\n")
    judge = {q: dict(zip(docs, reversed(docs.values()), strict=True)) for q, docs in qrels.items()}
    lines = (f"{q} 0 {d} {g}\n" for q, docs in judge.items() for d, g in docs.items())
    (tmp_path / "judge").write_text("".join(lines))
    more = [tmp_path / word if word in ("teams", "judge") else word for word in more]
    args = ["robustness", *data, "--loss", loss, *more, "--levels", "50,20", "--samples", 2]
    assert call(*args) == 0
    shown = capsys.readouterr().out
    assert shown.splitlines()[1].endswith(f"; level: {level} (%)")
    options = {
        "pools": {"depth": 2, "teams": {"run0": "one", "run1": "one"}},
        "judges": {"judges": [judge]},
    }.get(loss, {})
    found = incompleteness(
        data[2:], qrels, runs, levels=(50, 20), n_samples=2, rng=0, loss=loss, **options
    ).table()
    tau = found.pivot(index="level", columns="measure", values="tau")[data[2:]]
    for line, wanted in zip(table(shown)[1:], (100, 50, 20), strict=True):
        assert line == [
            str(wanted),
            *(f"{value:.4f}" for value in tau.loc[wanted] if value == value),
        ]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--depth", "3"], "--depth is for --loss pools, got --loss random"),
        (["--judges", "x"], "--judges is for --loss judges, got --loss random"),
        (["--loss", "judges"], "--loss judges: name the other assessors' files, --judges FILE"),
        (
            ["--teams", "x"],
            "--teams is for --loss pools, --intervals and --needed, got --loss random",
        ),
    ],
)
def test_options_of_another_loss_are_refused(more, says, data, capsys):
    assert call("robustness", *data, *more) == 2
    assert capsys.readouterr().err == f"irpref: {says}\n"


def test_levels_that_are_nearly_equal_are_told_apart(data, capsys):
    assert call("robustness", *data, "--levels", "50,49.99999999", "--samples", 1) == 0
    shown = table(capsys.readouterr().out)
    assert [line[0] for line in shown[-2:]] == ["50", "49.99999999"]


def test_runs_are_named_after_their_files_in_the_order_of_their_names(files, monkeypatch, capsys):
    listed = sorted(os.listdir(files[0] / "runs"), reverse=True)
    monkeypatch.setattr(os, "listdir", lambda path: listed)

    def names(*paths):
        assert call("power", files[0] / "qrels.txt", *paths, "AP", "--samples", 2, "-o", "csv") == 0
        table = pd.read_csv(io.StringIO(capsys.readouterr().out))
        return list(dict.fromkeys([*table["system"], *table["other"]]))

    assert names(files[0] / "runs") == ["run0", "run1", "run2", "run3"]
    assert names(*sorted((files[0] / "runs").iterdir())[2:4]) == ["run1", "run2"]


@pytest.mark.parametrize(
    ("change", "says", "status"),
    [(["RPreff"], "did you mean 'RPref'", 2), (["--top", "1"], "at least 2 systems", 1)],
)
def test_problems_are_told_in_one_line(change, says, status, data, capsys):
    assert call("stability", *data, *change) == status
    said = capsys.readouterr().err
    assert said.startswith("irpref: ")
    assert says in said
    assert said.count("\n") == 1


def test_what_is_no_table_of_values_and_a_folder_without_runs(files, capsys, tmp_path):
    assert call("stability", "--values", files[0] / "qrels.txt") == 1
    assert "as judgments" in capsys.readouterr().err
    assert call("stability", files[0] / "qrels.txt", tmp_path) == 2
    assert f"no runs in {tmp_path}" in capsys.readouterr().err


def test_something_to_read_is_needed(files, data, capsys):
    assert call("power") == 2
    assert "QRELS and RUNS" in capsys.readouterr().err
    assert call("power", files[0] / "qrels.txt") == 2
    assert "no runs" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "method", [["power", "--samples", "20"], ["ranking"], ["robustness", "--samples", "2"]]
)
def test_methods_say_what_the_runs_lack(tmp_path, capsys, monkeypatch, method):
    monkeypatch.chdir(tmp_path)
    qrels = {f"q{t}": {f"d{i}": (i + t) % 3 for i in range(12)} for t in range(12)}
    run = {t: {d: float(n) for n, d in enumerate(docs)} for t, docs in qrels.items()}
    turned = {t: {d: -s for d, s in docs.items()} for t, docs in run.items()}
    lost = {t: {f"x{d}": s for d, s in docs.items()} for t, docs in run.items()}
    (tmp_path / "qrels").write_text(qrels_text(qrels))
    for name, one in {"a": run, "b": turned, "c": dict(list(run.items())[:7]), "d": lost}.items():
        (tmp_path / f"{name}.run").write_text(run_text(one))
    command = ["meta", method[0], "qrels", "a.run", "b.run", "c.run"]
    assert main([*command, "AP", "nDCG", *method[1:]]) == 0
    lacks = "c has no documents for 5 of 12 topics; they count as empty rankings"
    assert lacks in capsys.readouterr().out
    assert main([*command, "d.run", "AP", "nDCG", *method[1:]]) == 1
    assert re.search("'d': none .* 144 ", capsys.readouterr().err)
