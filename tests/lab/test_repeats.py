"""Several runs of one system in the shell: `--repeats`."""

import json

import pytest

import irpref
import irpref_lab
from irpref.cli.arguments import systems_of
from shells import qrels_text, run_text

QRELS = {f"q{t}": {f"d{i}": int(i % 3 == t % 3) for i in range(12)} for t in range(30)}


def _run(shift):
    return {
        topic: {f"d{i}": float((i * (7 + shift) + 5 * t + shift) % 13) for i in range(12)}
        for t, topic in enumerate(QRELS)
    }


@pytest.fixture
def inputs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(qrels_text(QRELS))
    for name, shift in {"bm25.run": 0, "llm-1.run": 1, "llm-2.run": 2, "llm-3.run": 3}.items():
        (tmp_path / name).write_text(run_text(_run(shift)))
    return [f"llm-{i}.run" for i in (1, 2, 3)]


@pytest.mark.parametrize(
    ("paths", "systems"),
    [
        (["a.run", "b.run"], {"a": ["a"], "b": ["b"]}),
        (["x/a-1.run", "x/a-2.run.gz"], {"a": ["a-1", "a-2"]}),
        (["a_1.run", "b.run", "a_2.run"], {"a": ["a_1", "a_2"], "b": ["b"]}),
        (["a.1.run", "a.2.run", "a.10.run"], {"a": ["a.1", "a.2", "a.10"]}),
        (["a-1.run", "b-1.run"], {"a-1": ["a-1"], "b-1": ["b-1"]}),
        (["a1.run", "a2.run"], {"a1": ["a1"], "a2": ["a2"]}),
        (["bm25.run", "bm25-2.run"], {"bm25": ["bm25"], "bm25-2": ["bm25-2"]}),
        (
            ["x/a-1.run", "y/a-1.run"],
            {"x/a-1.run": ["x/a-1.run"], "y/a-1.run": ["y/a-1.run"]},
        ),
        (
            ["x/a-1.run", "x/a-2.run", "y/a-1.run", "y/a-2.run"],
            {"x/a": ["x/a-1.run", "x/a-2.run"], "y/a": ["y/a-1.run", "y/a-2.run"]},
        ),
    ],
)
def test_files_whose_names_differ_in_a_last_number_are_one_system(paths, systems):
    assert systems_of(paths, repeats=True) == systems


def test_without_the_option_each_file_is_a_system():
    assert systems_of(["a-1.run", "a-2.run"], repeats=False) == {"a-1": ["a-1"], "a-2": ["a-2"]}


@pytest.mark.filterwarnings("ignore")
def test_a_system_of_the_name_of_a_file_is_refused(inputs, capsys):
    from irpref.cli import main

    open("llm.run", "w").close()
    assert main(["compare", "qrels", *inputs, "llm.run", "AP", "--repeats"]) == 2
    assert "the same name" in capsys.readouterr().err


def test_every_command_with_a_verdict_takes_them(inputs, capsys):
    from irpref.cli import main

    def rows(*words):
        status = main([*words, "AP", "--repeats", "-o", "jsonl"])
        out, err = capsys.readouterr()
        assert "llm: 3 runs" in err
        assert "(llm-1, llm-2, llm-3)" in err
        return status, [json.loads(line) for line in out.splitlines()]

    systems = {"bm25": "bm25.run", "llm": inputs}
    expected = irpref_lab.leaderboard("AP", "qrels", systems)
    _, board = rows("leaderboard", "qrels", "bm25.run", *inputs)
    assert [row["mean"] for row in board] == expected["mean"].tolist()
    assert {row["run"]: row["repeats"] for row in board} == {"bm25": 1, "llm": 3}
    _, (design,) = rows("leaderboard", "--design", "-j", "1", "qrels", "bm25.run", *inputs)
    assert (design["difference"], design["n_topics"]) == (0.02, 30)
    _, (compared,) = rows("compare", "qrels", "bm25.run", *inputs)
    assert (compared["repeats_a"], compared["repeats_b"]) == (1, 3)
    assert compared["mean_b"] == pytest.approx(expected.set_index("run")["mean"]["llm"])
    status, (decided,) = rows("gate", "qrels", *inputs, "bm25.run")
    assert status == {"pass": 0, "block": 1, "inconclusive": 3}[decided["gate"]]
    assert (decided["repeats_baseline"], decided["sd_repeats_candidate"]) == (3, None)
    _, (base, other) = rows("against", "qrels", *inputs, "bm25.run")
    assert (base["run"], base["repeats"], other["repeats"]) == ("llm", 3, 1)
    assert base["sd_repeats"] == compared["sd_repeats_b"]


def test_a_comparison_takes_two_systems(inputs, capsys):
    from irpref.cli import main

    assert main(["compare", "qrels", *inputs, "AP", "--repeats"]) == 2
    said = capsys.readouterr().err
    assert "expected two systems" in said
    assert "got 1: llm" in said


def test_what_all_outputs_say_of_repeats(inputs):
    systems = {"bm25": "bm25.run", "llm": inputs}
    note = "llm is the mean of 3 runs; standard deviation of their means: AP "
    compared = irpref_lab.compare("AP", "qrels", *systems.values(), names=[*systems])
    for result in (
        compared,
        irpref_lab.leaderboard("AP", "qrels", systems),
        irpref_lab.against("AP", "qrels", "bm25.run", systems),
    ):
        assert any(sentence.startswith(note) for sentence in result.notes)
        assert note in str(result).replace("\n  ", " ")


def test_a_topic_that_one_repeat_lacks_is_empty_there():
    run = {topic: {"d0": 3.0, "d1": 2.0, "d2": 1.0} for topic in QRELS}
    cut = dict(list(run.items())[:29])
    gate = irpref_lab.gate("R@3", QRELS, run, [run, cut])
    values = irpref.evaluator("R@3", QRELS)
    means = [float(*values.calc_aggregate(one).values()) for one in (run, cut)]
    assert gate["candidate"].item() == pytest.approx(sum(means) / 2)
    assert gate["missing_candidate"].item() == 1
    # Of a baseline, the topic is left out.
    assert irpref_lab.gate("R@3", QRELS, [run, cut], run)["left_out"].item() == 1


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ({}, "run 2 of 2 answers none of the 30 judged topics"),
        ({f"x{t}": docs for t, docs in _run(1).items()}, "run 2 of 2 answers none of the 30"),
        (
            {t: {f"x{d}": s for d, s in docs.items()} for t, docs in _run(1).items()},
            "none of the 360 documents of run 2 of 2 is judged",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_repeat_that_answers_nothing_is_no_repeat(broken, said):
    for decide in (irpref_lab.gate, irpref_lab.compare):
        for systems in (([_run(0), broken], _run(2)), (_run(2), [_run(0), broken])):
            with pytest.raises(irpref.errors.AbsentRunError, match=said):
                decide("AP", QRELS, *systems)
    runs = {"a": _run(2), "b": _run(3), "c": [_run(0), broken]}
    board = irpref_lab.leaderboard("AP", QRELS, runs).set_index("run")
    assert said in board.loc["c", "reason"]
