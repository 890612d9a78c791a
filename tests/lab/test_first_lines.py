"""The line that boards and comparisons with a baseline begin with."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import pytest

import irpref_lab
from irpref_lab.decide.first_lines import Field, Standing, against_one, best_of

N = 24
SIZE = f"{N} topics"


def _runs(seed: int = 1) -> tuple[dict[str, dict[str, int]], dict[str, Any]]:
    """Judgments of 24 topics, and runs of rising noise."""
    rng = np.random.default_rng(seed)
    qrels = {f"q{t:02}": {f"d{d}": int(rng.integers(0, 3)) for d in range(15)} for t in range(N)}
    runs = {
        name: {
            q: {f"d{d}": grade + noise * rng.normal() for d, grade in enumerate(docs.values())}
            for q, docs in qrels.items()
        }
        for name, noise in (("good", 0.1), ("fair", 1.0), ("like", 1.0), ("bad", 20.0))
    }
    return qrels, runs


QRELS, RUNS = _runs()


def _named(line: str) -> set[str]:
    return set(re.findall(r"\b(?:good|fair|like|bad|half|none)\b", line))


# On real functions --------------------------------------------------------------------------------


def test_a_board_begins_with_the_best_run_and_those_not_shown_to_differ():
    board = irpref_lab.leaderboard(["nDCG", "AP"], QRELS, RUNS)
    assert board.text.splitlines() == [board.sentences["nDCG", None], board.sentences["AP", None]]
    assert repr(board).split("\n\n")[0].replace("\n", " ") == board.sentences["nDCG", None]
    assert board._repr_html_().startswith(f"<p>{board.sentences['nDCG', None]}</p>")
    first = board.iloc[0]
    shown = board.different_pairs()
    apart = shown[(shown["measure"] == "nDCG") & (shown[["a", "b"]] == "good").any(axis=1)]
    assert len(apart) == 3
    assert board.sentences["nDCG", None] == (
        f"nDCG: good has the best mean ({first['mean']:.4f}, {SIZE}) and is better than each of "
        "the other 3 runs."
    )


def test_runs_that_are_not_shown_to_differ_are_named():
    three = {name: RUNS[name] for name in ("fair", "like", "bad")}
    board = irpref_lab.leaderboard("nDCG", QRELS, three)
    best, second = board["run"].iloc[:2]
    assert {best, second} == {"fair", "like"}
    assert board.text.endswith(f"1 of the other 2 runs is not shown to differ from it: {second}.")


@pytest.mark.parametrize("pairs", ["holm", "none"])
def test_lower_is_better_and_groups_are_said(pairs):
    groups = {q: "odd" if i % 2 else "even" for i, q in enumerate(QRELS)}
    board = irpref_lab.leaderboard("EMeasure@5", QRELS, RUNS, groups=groups, pairs=pairs)
    table = irpref_lab.against("EMeasure@5", QRELS, "bad", RUNS, groups=groups, pairs=pairs)
    for group in ("even", "odd"):
        head = f"EMeasure@5 (lower is better), {group}: "
        assert board.sentences["EMeasure@5", group].startswith(f"{head}good has the best mean")
        line = table.sentences["EMeasure@5", group]
        assert line.startswith(head)
        assert "12 topics" in line
        assert ("not tested" in line) == (pairs == "none")
        if pairs == "holm":
            assert re.search(r"good \(-0\.\d+\)", line)  # the sign of the table


def test_topics_that_a_run_lacks_make_it_a_cannot_tell_as_in_compare():
    half = dict(list(RUNS["good"].items())[: N // 2])
    runs = {"good": RUNS["good"], "bad": RUNS["bad"], "half": half}
    why = f"half has no documents for {N // 2} of {N} topics"
    board = irpref_lab.leaderboard("nDCG", QRELS, runs)
    assert board.text.endswith(f"cannot tell whether half differs from it: {why}.")
    table = irpref_lab.against("nDCG", QRELS, "good", runs)
    assert table.text.endswith(f"cannot tell about 1, half: {why}.")
    found = irpref_lab.compare("nDCG", QRELS, runs["good"], half, names=["good", "half"])
    assert why in found.text
    two = irpref_lab.leaderboard("nDCG", QRELS, {"good": RUNS["good"], "half": half})
    assert two.text.endswith(f"{SIZE}: cannot tell, {why}.")


def test_runs_that_take_no_part_are_named():
    runs = RUNS | {"none": {"x": {"d0": 1.0}}}
    for made in (
        irpref_lab.leaderboard("nDCG", QRELS, runs),
        irpref_lab.against("nDCG", QRELS, "good", runs),
    ):
        assert made.text.endswith("; none takes no part.")


def test_a_board_of_one_run_has_its_mean():
    board = irpref_lab.leaderboard("nDCG", QRELS, {"good": RUNS["good"]}, pairs="none")
    assert board.text == f"nDCG: good has a mean of {board['mean'].iloc[0]:.4f}, {SIZE}."


def test_two_runs_are_worded_as_in_compare():
    two = {name: RUNS[name] for name in ("good", "bad")}
    board = irpref_lab.leaderboard("nDCG", QRELS, two)
    row = irpref_lab.compare("nDCG", QRELS, two["bad"], two["good"], names=["bad", "good"]).iloc[0]
    better = f"good ({row['mean_b']:.4f}) is better than bad ({row['mean_a']:.4f})"
    assert board.text == f"nDCG: {better}, {SIZE}."
    table = irpref_lab.against("nDCG", QRELS, "bad", two)
    assert table.text == f"nDCG: {better}: {row['difference']:+.4f}, {SIZE}."


def test_values_only_is_said_first():
    given = irpref_lab.values(
        {
            name: {"AP": {q: value + 0.01 * i for i, q in enumerate(QRELS)}}
            for name, value in (("good", 0.5), ("fair", 0.3), ("bad", 0.1))
        }
    )
    both = irpref_lab.collections({"x": given, "y": given})
    for made in (
        irpref_lab.leaderboard("AP", given),
        irpref_lab.against("AP", given, "bad"),
        irpref_lab.leaderboard("AP", both),
        irpref_lab.against("AP", both, "bad"),
        irpref_lab.compare("AP", both, "bad", "good"),
    ):
        assert made.text.startswith("values only: AP: ")
        assert repr(made).startswith("values only: AP: ")


def test_collections_have_the_line_and_one_sign():
    both = irpref_lab.collections({"x": (QRELS, RUNS), "y": _runs(2)})
    size = f"2 collections, {2 * N} topics"
    board = irpref_lab.leaderboard("nDCG", both)
    assert board.text.startswith(
        f"nDCG: good has the best mean ({board['mean'].iloc[0]:.4f}, {size})"
    )
    row = irpref_lab.compare("nDCG", both, "good", "bad")
    difference = row["difference"].iloc[0]
    assert difference < 0
    assert f"bad ({row['mean_b'].iloc[0]:.4f}) is worse than good" in row.text
    assert f": {difference:+.4f} (95 % interval {row['low'].iloc[0]:+.4f}" in row.text
    assert list(row.by_collection) == [
        *("measure", "collection", "topics", "good", "bad", "difference")
    ]
    table = irpref_lab.against("nDCG", both, "fair")
    assert f"1 is worse: bad ({table.set_index('run')['difference']['bad']:+.4f})" in table.text
    assert repr(table).startswith("nDCG: ")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{q} 0 {d} {g}\n" for q, docs in QRELS.items() for d, g in docs.items()]
    (tmp_path / "qrels").write_text("".join(lines))
    for name, run in RUNS.items():
        rows = [f"{q} Q0 {d} 1 {s} t\n" for q, docs in run.items() for d, s in docs.items()]
        (tmp_path / name).write_text("".join(rows))
    return tmp_path


@pytest.mark.parametrize("command", ["leaderboard", "against"])
def test_the_shell_says_it_in_every_form(command, files, capsys):
    from irpref.cli import main

    words = [command, "qrels", *RUNS, "nDCG", "AP"]

    def printed(*more: str) -> str:
        assert main([*words, *more]) == 0
        return capsys.readouterr().out

    runs = {name: str(files / name) for name in RUNS}
    made = (
        irpref_lab.leaderboard(["nDCG", "AP"], "qrels", runs)
        if command == "leaderboard"
        else irpref_lab.against(["nDCG", "AP"], "qrels", "good", runs)
    )
    first, second = made.text.splitlines()
    assert printed().startswith(first)
    assert printed("-o", "markdown").startswith(first)
    assert [f"% {first}", f"% {second}"] == printed("-o", "latex").splitlines()[1:3]
    records = [json.loads(line) for line in printed("-o", "jsonl").splitlines()]
    assert {(row["measure"], row["sentence"]) for row in records} == {
        ("nDCG", first),
        ("AP", second),
    }
    assert json.loads(printed("-o", "json")) == records
    for form in ("csv", "tsv"):
        assert printed("-o", form).splitlines()[0] == (
            {"csv": ",", "tsv": "\t"}[form].join(made.columns)
        )


# Words --------------------------------------------------------------------------------------------


def _field(*names: str, mean: float = 0.5, **more: Any) -> Field:
    return Field("AP", "9 topics", dict.fromkeys(names, mean), **more)


def test_equal_best_means_are_said():
    of = _field("a", "b", "c")
    assert best_of(of, ["a", "b", "c"], set(), {}) == (
        "AP: all 3 runs have the same mean (0.5000, 9 topics)."
    )
    assert best_of(of, ["a", "b"], {"c"}, {}) == (
        "AP: a and b have the best mean (0.5000, 9 topics) and are better than c."
    )
    assert best_of(of, ["a", "b"], set(), {}).endswith("; c is not shown to differ from them.")


def test_a_mean_that_is_not_known_is_left_out():
    of = _field("a", "b", "c", mean=math.nan)
    assert best_of(of, ["a"], {"b", "c"}, {}) == (
        "AP: a has the best mean (9 topics) and is better than each of the other 2 runs."
    )


def test_many_names_are_counted():
    of = _field(*"abcdefg")
    assert best_of(of, ["a"], {"g"}, {}).endswith(
        "5 of the other 6 runs are not shown to differ from it: b, c, d and 2 more."
    )
    runs = {name: Standing(0.1, "better") for name in "bcdef"} | {"g": Standing(-0.2, "worse")}
    assert against_one(of, "a", runs) == (
        "AP: 5 of the 6 runs are better than a (0.5000, 9 topics): b (+0.1000), c (+0.1000), "
        "d (+0.1000) and 2 more; 1 is worse: g (-0.2000)."
    )


def test_nothing_but_unknown_is_said_first():
    why = {"b": "b is odd", "c": "c is cut"}
    said = "b is odd (and 1 more reason)."
    of = _field("a", "b", "c")
    assert best_of(of, ["a"], set(), why).endswith(
        f"cannot tell whether any of the other 2 runs differs from it: {said}"
    )
    runs = {name: Standing(0.1, "unknown", text) for name, text in why.items()}
    assert against_one(of, "a", runs) == (
        f"AP: cannot tell whether any of the 2 runs differs from a (0.5000, 9 topics): {said}"
    )
    equal = runs | {"b": Standing(0.0, "equal")}
    assert against_one(of, "a", equal) == (
        "AP: none of the 2 runs is shown to differ from a (0.5000, 9 topics); cannot tell about 1, "
        "c: c is cut."
    )


# Other results ------------------------------------------------------------------------------------


def test_findings_begin_with_whether_values_can_be_trusted():
    half = dict(list(RUNS["good"].items())[: N // 2])
    bad = irpref_lab.check(QRELS, {"half": half})
    assert bad.text.startswith("Values would mislead: 1 grave finding")
    assert repr(bad).startswith(bad.text)
    assert bad._repr_html_().startswith(f"<p>{bad.text}</p><p>Grave</p>")
    fine = irpref_lab.check(QRELS, {"good": RUNS["good"]})
    assert set(fine["level"]) <= {"note"}
    assert fine.text.startswith("No problem was found")


@pytest.mark.parametrize(
    ("over", "said"),
    [
        ("ties", "nDCG: another order of tied documents cannot change any of 4 means."),
        ("unjudged", "nDCG: grades for unjudged documents cannot change any of 4 means."),
        ("topics", "nDCG: the 95 % interval over topics is widest for "),
    ],
)
def test_intervals_begin_with_how_far_means_can_move(over, said, files, capsys):
    from irpref.cli import main

    assert main(["intervals", "qrels", *RUNS, "nDCG", "--over", over]) == 0
    assert capsys.readouterr().out.startswith(said)


def test_a_crosscheck_begins_with_whether_values_are_equal(files, capsys):
    from irpref.cli import main

    words = ["crosscheck", "qrels", "good", "AP", "--tool", "pytrec_eval"]
    assert main(words) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first == "All values equal those of pytrec_eval, topic by topic."
