"""Results in a notebook and by print(): what the shell shows."""

import re
import sys
import types
import warnings

import pytest

import irpref
import irpref_lab
from irpref import messages
from irpref.cli import main
from shells import qrels_text, run_text

QRELS = {f"q{t}": {f"d{i}": (i + t) % 3 for i in range(12)} for t in range(12)}


def _run(shift):
    return {
        topic: {f"d{i}": float((i * (3 + shift) + 5 * t + shift) % 13) for i in range(12)}
        for t, topic in enumerate(QRELS)
    }


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "qrels").write_text(qrels_text(QRELS))
    (tmp_path / "half").write_text(qrels_text(dict(list(QRELS.items())[:6])))
    for number, name in enumerate(("bm25", "dense", "late")):
        (tmp_path / f"{name}.run").write_text(run_text(_run(number)))
    return ["bm25.run", "dense.run", "late.run"]


MEASURES = ["nDCG@5", "AP", "EMeasure"]
RESULTS = {
    "compare": (2, lambda runs: irpref_lab.compare(MEASURES, "qrels", *runs[:2])),
    "gate": (2, lambda runs: irpref_lab.gate(MEASURES, "qrels", *runs[:2])),
    "against": (3, lambda runs: irpref_lab.against(MEASURES, "qrels", runs[0], runs)),
    "leaderboard": (3, lambda runs: irpref_lab.leaderboard(MEASURES, "qrels", runs)),
    "judge": (3, lambda runs: irpref_lab.judge(MEASURES, "half", "qrels", runs)),
}


@pytest.mark.parametrize("command", RESULTS)
def test_print_shows_what_the_shell_shows(files, capsys, command):
    n, call = RESULTS[command]
    judgments = ["half", "qrels"] if command == "judge" else ["qrels"]
    main([command, *judgments, *files[:n], *MEASURES])
    shell = capsys.readouterr().out
    print(call(files))
    assert capsys.readouterr().out == shell


@pytest.mark.parametrize("command", RESULTS)
def test_a_notebook_shows_sentence_names_marks_test_and_legend(files, command):
    _, call = RESULTS[command]
    result = call(files)
    html = result._repr_html_()
    assert html.count("<table>") == html.count("</table>") == len(result.tables())
    heads = re.findall(r"<th [^>]*>\s*(.*?)\s*</th>", html)
    for words in {
        "compare": [*str(getattr(result, "text", "")).splitlines(), "low, high: its 95 % interval"],
        "gate": [str(getattr(result, "text", "")), "one-sided bounds"],
        "against": ["† differs from bm25; a value", "bold: best", "<b>"],
        "leaderboard": ["test: paired t-tests", "share a letter"],
        "judge": ["How well the judge agrees", "95 % interval"],
    }[command]:
        assert words in html
    names = {"compare": ["bm25", "dense"], "leaderboard": ["run", "letters"]}.get(command, [])
    assert {*names} <= {*heads}


def test_a_part_of_a_result_is_a_data_frame(files):
    board = irpref_lab.leaderboard(MEASURES, "qrels", files)
    for part in (board[["run", "mean"]], board.head(2), board.round(2), board.copy()):
        assert str(part).splitlines()[0].split()[:2] == ["run", list(part.columns)[1]]
        assert 'class="dataframe"' in part._repr_html_()
    board["mine"] = 1  # no longer what the shell would print
    assert "mine" in str(board)


@pytest.fixture
def notebook(monkeypatch):
    """As if IPython ran the code."""
    module = types.ModuleType("IPython")
    module.get_ipython = lambda: object()
    monkeypatch.setitem(sys.modules, "IPython", module)
    messages.forget()


def test_a_warning_comes_once_in_a_notebook(files, notebook):
    def cell(number):
        code = "\n" * number + "irpref.evaluator('RPref', QRELS).calc_aggregate(RUN)"
        names = {"irpref": irpref, "QRELS": QRELS, "RUN": _run(0)}
        exec(compile(code, f"/tmp/ipykernel_1/{number}.py", "exec"), names)

    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        for number in range(3):
            cell(number)
    assert [warning.category for warning in shown] == [irpref.ScaleWarning]
    assert shown[0].filename == "/tmp/ipykernel_1/0.py"


def test_legends_are_once_below_the_boards(files):
    page = repr(irpref_lab.leaderboard(MEASURES, "qrels", files))
    for legend in ("low, high:", "place_low, place_high:", "test: "):
        assert page.count(legend) == 1


def test_more_than_two_runs_are_sent_to_the_leaderboard(files, capsys):
    assert main(["compare", "qrels", *files, "AP"]) == 2
    assert "irpref leaderboard" in capsys.readouterr().err
    assert main(["compare", "qrels", files[0], "AP"]) == 2
    assert "irpref leaderboard" not in capsys.readouterr().err


def test_each_number_of_topics_has_its_meaning(files, capsys):
    assert main(["leaderboard", "qrels", *files, "AP", "--design", "-o", "table"]) == 0
    page = capsys.readouterr().out
    for estimate in ("topics (t):", "topics (ANOVA):", "topics (margin):"):
        assert page.count(estimate) == 1


def test_a_tilde_is_the_home_folder(files, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "groups").write_text("".join(f"{q} {int(q[1:]) % 2}\n" for q in QRELS))
    whole = irpref_lab.compare("AP", "qrels", *files[:2], groups="groups")
    monkeypatch.chdir(tmp_path.parent)
    a, b = (f"~/{name}" for name in files[:2])
    from_home = irpref_lab.compare("AP", "~/qrels", a, b, groups="~/groups")
    assert from_home["difference"].tolist() == whole["difference"].tolist()
    assert irpref.evaluator(["AP"], "~/qrels").calc_aggregate(a)
    (tmp_path / "table.csv").write_text(f"run,AP\n{files[0]},0.5\n")
    assert irpref_lab.verify("~/table.csv", "~/qrels", {files[0]: a}).to_dict("records")
    preferences = irpref.preferences_from("~/qrels")
    irpref.write_preferences(preferences, "~/preferences")
    assert (tmp_path / "preferences").read_text()
    for folder in ("one", "two"):
        (tmp_path / "many" / folder).mkdir(parents=True)
        for name in ("qrels", *files[:2]):
            copy = tmp_path / "many" / folder / name
            copy.write_text((tmp_path / name).read_text())
    assert irpref_lab.collections("~/many").names == ("one", "two")
    monkeypatch.chdir(tmp_path)
    assert main(["compare", "qrels", *files[:2], "AP", "--groups=~/groups"]) == 0
    assert main(["eval", "qrels", files[0], "AP", "-o", "table"]) == 0
    assert "AP: rel=1" in capsys.readouterr().out


def test_binary_judgments_have_no_scale_to_be_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        irpref.evaluator(["RPref"], {"q": {"a": 1, "b": 0}}).calc_aggregate({"q": {"a": 1.0}})


def test_tests_of_pairs_have_the_columns_and_p_values_of_other_tables(tmp_path, capsys):
    topics = [f"q{t}" for t in range(40)]
    (tmp_path / "q").write_text(qrels_text({t: {"a": 1, "b": 0} for t in topics}))
    for name, good in (("good", 38), ("bad", 1)):
        run = {
            t: {"a": 2.0, "b": 1.0} if i < good else {"a": 1.0, "b": 2.0}
            for i, t in enumerate(topics)
        }
        (tmp_path / f"{name}.run").write_text(run_text(run))
    (tmp_path / "groups").write_text("".join(f"{t} {t[-1]}\n" for t in topics))
    words = ["leaderboard", *(str(tmp_path / name) for name in ("q", "good.run", "bad.run"))]
    words += ["AP", "--tests"]
    assert main(words) == 0
    head, row = capsys.readouterr().out.splitlines()[-2:]
    assert "group" not in head.split()
    assert row.split()[-2:] == ["<0.0001", "<0.0001"]
    assert main([*words, "-o", "tsv"]) == 0
    assert "group" not in capsys.readouterr().out.splitlines()[0].split("\t")
    assert main([*words, "--groups", str(tmp_path / "groups")]) == 0
    assert "group" in capsys.readouterr().out.splitlines()[-11].split()
