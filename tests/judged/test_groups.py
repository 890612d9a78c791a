"""Groups of topics: every table has for each group what it has for its topics alone."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

import irpref_lab
from irpref import curves
from irpref.cli import main
from irpref.datasets import load
from irpref.errors import ArgumentError, InputError
from irpref.judged.groups import read_groups
from refused import refuses
from shells import qrels_text, run_text

EXAMPLE = load("synthetic")
RUNS = {name: EXAMPLE.runs[name] for name in ("baseline", "strong", "noisy")}
GROUPS = {
    topic: ("a few", "b", "c")[min(i, 2) if i < 2 else i % 2 + 1]
    for i, topic in enumerate(EXAMPLE.qrels)
}
PARTS = {group: [t for t in GROUPS if GROUPS[t] == group] for group in sorted(set(GROUPS.values()))}
TABLES = {
    "crp": lambda qrels, runs, **more: curves.crp(qrels, runs, depth=60, **more),
    "npref": lambda qrels, runs, **more: curves.npref_convergence(
        qrels, runs, "RPref(max_rel=3)", n=(2, 4), **more
    ),
    "pr": curves.interpolated_precision,
    "fe": lambda qrels, runs, **more: curves.f_and_e(qrels, runs, depth=20, **more),
    "gain": lambda qrels, runs, **more: curves.cumulated_gain(qrels, runs, depth=20, **more),
    "areas": lambda qrels, runs, **more: curves.gain_areas(qrels, runs, depth=20, **more),
    "histogram": lambda qrels, runs, **more: curves.precision_histogram(
        qrels, runs, "baseline", **{"per_topic": False, **more}
    ),
    "differences": lambda qrels, runs, **more: curves.paired_differences(
        qrels, runs, "strong", "AP", **more
    ),
    "summary": curves.summary_table,
}


def only(topics):
    return {topic: EXAMPLE.qrels[topic] for topic in topics}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("per_topic", [False, True])
def test_a_group_has_the_rows_of_its_topics_alone(name, per_topic):
    more = {"per_topic": True} if per_topic else {}
    table = TABLES[name](EXAMPLE.qrels, RUNS, groups=GROUPS, **more)
    assert sorted(set(table["group"])) == list(PARTS)
    for one in (table, getattr(table, "pairs", table)):
        assert one.index.tolist() == list(
            range(len(one))
        )  # `table.loc[0]` is one row, not one of each group
    for group, topics in PARTS.items():
        alone = TABLES[name](only(topics), RUNS, **more)
        part = table[table["group"] == group].drop(columns="group").reset_index(drop=True)
        pd.testing.assert_frame_equal(pd.DataFrame(part), pd.DataFrame(alone), check_exact=True)


def test_intervals_of_a_group_are_those_of_its_topics_alone():
    qrels = pd.DataFrame(
        [(t, d, g, GROUPS[t]) for t, docs in EXAMPLE.qrels.items() for d, g in docs.items()],
        columns=["query_id", "doc_id", "relevance", "kind"],
    )
    qrels = qrels[qrels["kind"] != "a few"]  # of one topic there is no interval over topics
    measures = ["P@5", "RR", "NumRelRet"]
    found = irpref_lab.intervals(measures, qrels, RUNS["noisy"], over="topics", groups="kind")
    again = irpref_lab.intervals(measures, qrels, RUNS["noisy"], over="topics", groups=GROUPS)
    pd.testing.assert_frame_equal(found, again)
    for group in ("b", "c"):
        alone = irpref_lab.intervals(measures, only(PARTS[group]), RUNS["noisy"], over="topics")
        part = found[found["group"] == group].drop(columns="group").reset_index(drop=True)
        pd.testing.assert_frame_equal(part, alone, check_exact=True)
    with refuses(ArgumentError, parameter="groups", value="kind") as error:
        irpref_lab.intervals(measures, qrels, RUNS["noisy"], groups="kind")
    assert "over='topics'" in str(error.value)  # of which it is an option


# The command line ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    home = tmp_path_factory.mktemp("groups")
    (home / "groups").write_text("".join(f"{t} {g}\n" for t, g in GROUPS.items()))
    (home / "two").write_text(
        "".join(f"{t} {'c' if g == 'c' else 'a'}\n" for t, g in GROUPS.items())
    )
    parts = {**PARTS, "a": [*PARTS["a few"], *PARTS["b"]]}
    for name, qrels in {
        "all": EXAMPLE.qrels,
        **{g: only(topics) for g, topics in parts.items()},
    }.items():
        (home / f"{name}.qrels").write_text(qrels_text(qrels))
    for name, run in RUNS.items():
        (home / f"{name}.run").write_text(run_text(run))
    return home


def rows(capsys, *arguments):
    assert main([*map(str, arguments), "-o", "csv"]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def without(column, found, group):
    return [{k: v for k, v in row.items() if k != column} for row in found if row[column] == group]


@pytest.mark.parametrize(
    ("command", "more"),
    [
        (["eval"], ["AP", "nCRP", "NumRet", "P@5"]),
        (["eval"], ["AP", "RR"]),
        (["compare"], ["AP", "EMeasure"]),
        (["curve", "pr"], []),
        (["curve", "areas"], ["--depth", "10"]),
        (["curve", "summary"], []),
        (["curve", "histogram"], []),
        (["meta", "stability"], ["AP", "RPref(max_rel=3)", "--samples", "20"]),
        (["meta", "swap"], ["AP", "Bpref", "--samples", "20"]),
        (["meta", "power"], ["AP", "Bpref", "--samples", "20"]),
        (["meta", "ranking"], ["AP", "Bpref", "RR"]),
        (["meta", "robustness"], ["AP", "nDCG", "--levels", "50,10", "--samples", "2"]),
    ],
    ids=lambda words: "-".join(words),
)
def test_commands_print_for_a_group_what_they_print_for_its_topics(command, more, files, capsys):
    n = 2 if command[0] == "compare" or command[-1] == "histogram" else 3
    runs = [files / f"{name}.run" for name in list(RUNS)[:n]]
    of, parts = "groups", list(PARTS)
    if command[-1] == "power":  # a test needs two topics
        words = list(
            map(str, [*command, files / "all.qrels", *runs, *more, "--groups", files / "groups"])
        )
        assert main(words) == 1
        assert "'a few'" in capsys.readouterr().err
        of, parts = "two", ["a", "c"]
    found = rows(capsys, *command, files / "all.qrels", *runs, *more, "--groups", files / of)
    assert {row["group"] for row in found} == set(parts)
    for group in parts:
        alone = rows(capsys, *command, files / f"{group}.qrels", *runs, *more)
        for row in [*found, *alone]:
            row.pop("sentence", None)  # which names the group
        assert without("group", found, group) == alone


def test_meta_keeps_the_scale_of_all_judgments_in_each_group(files, capsys, tmp_path):
    runs = [files / f"{name}.run" for name in RUNS]
    groups = ["--groups", files / "groups"]
    found = rows(
        capsys, "meta", "robustness", files / "all.qrels", *runs, "RPref", "--levels", "50", *groups
    )
    for group in PARTS:
        scaled = "RPref(max_rel=3)"
        alone = rows(
            capsys, "meta", "robustness", files / f"{group}.qrels", *runs, scaled, "--levels", "50"
        )
        assert [float(row["mean"]) for row in found if row["group"] == group] == [
            float(row["mean"]) for row in alone
        ]
    for method in ("stability", "swap", "power", "robustness"):
        more = ["AP", "Bpref", "--samples", "3"]
        shown = rows(
            capsys, "meta", method, files / "all.qrels", *runs, *more, "--groups", files / "two"
        )
        assert {row["group"] for row in shown} == {"a", "c"}
    kept = ["AP", "--levels", "50", *groups, "--resume", tmp_path / "kept"]
    first, again = (
        rows(capsys, "meta", "robustness", files / "all.qrels", *runs, *kept) for _ in range(2)
    )
    assert (
        first == again == rows(capsys, "meta", "robustness", files / "all.qrels", *runs, *kept[:-2])
    )


def test_a_file_of_groups_has_the_topics_of_trec_files(tmp_path):
    (tmp_path / "groups").write_bytes("t\u00a01 a b \nt2\tc\u2028\n".encode())
    assert read_groups(tmp_path / "groups") == {"t\u00a01": "a b", "t2": "c\u2028"}
    (tmp_path / "groups").write_bytes(b"t1 a\nt2 \xe9\n")
    with refuses(InputError, path=str(tmp_path / "groups"), line=2) as error:
        read_groups(tmp_path / "groups")
    assert "UTF-8" in error.value.message


def test_eval_says_the_group_of_each_topic(files, capsys):
    found = rows(
        capsys,
        "eval",
        files / "all.qrels",
        files / "strong.run",
        "AP",
        "-q",
        "--groups",
        files / "groups",
    )
    assert {row["query_id"]: row["group"] for row in found if row["query_id"] != "all"} == GROUPS
    assert [row["group"] for row in found if row["query_id"] == "all"] == list(PARTS)
    assert (
        main(
            [
                "eval",
                str(files / "all.qrels"),
                str(files / "strong.run"),
                "AP",
                "--groups",
                "nowhere",
            ]
        )
        == 1
    )
    assert "groups: 'nowhere'" in capsys.readouterr().err


def test_tables_for_readers_have_a_row_for_each_group(files, capsys):
    runs = [str(files / f"{name}.run") for name in list(RUNS)[:2]]
    for command in ("eval", "compare"):
        assert (
            main(
                [
                    command,
                    str(files / "all.qrels"),
                    *runs,
                    "AP",
                    "--groups",
                    str(files / "groups"),
                ]
            )
            == 0
        )
        shown = capsys.readouterr().out
        assert all(group in shown for group in PARTS)


# Pictures -----------------------------------------------------------------------------------------


@pytest.fixture
def plots():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")

    from irpref_lab import plots

    return plots


def test_a_line_is_a_run_on_a_group(plots):
    table = curves.interpolated_precision(EXAMPLE.qrels, RUNS, groups=GROUPS)
    ax = plots.precision_recall(
        table, highlight=[f"{run} ({group})" for run in RUNS for group in PARTS]
    )  # nine
    drawn = {line.get_label(): line.get_ydata().tolist() for line in ax.lines}
    assert set(drawn) == {f"{run} ({group})" for run in RUNS for group in PARTS}
    for (run, group), rows_of in table.groupby(["run", "group"]):
        assert drawn[f"{run} ({group})"] == rows_of["precision"].tolist()
    one = plots.precision_recall(EXAMPLE.qrels, RUNS["strong"], groups=GROUPS)
    assert [line.get_label() for line in one.lines] == list(PARTS)


def test_each_group_has_its_own_ideal_and_worst_case(plots):
    table = curves.cumulated_gain(EXAMPLE.qrels, RUNS["strong"], groups=GROUPS, depth=30)
    ax = plots.cumulated_gain(table)
    assert sum("ideal" in str(line.get_label()) for line in ax.lines) == len(PARTS)
    crp = curves.crp(EXAMPLE.qrels, RUNS, groups=GROUPS)
    ax = plots.crp(crp, normalized=False)
    dotted = [line.get_ydata() for line in ax.lines if line.get_linestyle() == ":"]
    expected = [
        rows_of["worst_median"].to_numpy()
        for _, rows_of in crp[crp["run"] == "baseline"].groupby("group")
    ]
    grey = [y for y in dotted if any(np.array_equal(y, e[: y.size]) for e in expected)]
    assert len(grey) >= len(PARTS)
