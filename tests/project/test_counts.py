"""How often judgments and runs are read, looked up, ordered and evaluated, for each public function
that asks several questions of them."""

import json
import os
import sys
from collections import Counter
from pathlib import Path

import click
import pytest
from test_read_once import QRELS, USES

import irpref
import irpref_lab
from irpref.cli import main
from irpref.cli.command import irpref as irpref_command
from irpref.datasets import load
from irpref.judged import align, run
from irpref.judged.order import evaluation_order
from irpref.judged.pool import Pool
from irpref.observed import observation, sensitivity
from irpref.values.kernels import KernelEvaluator

CAST = load("cast2021")
NAMES = list(CAST.runs)
TWO = {name: CAST.runs[name] for name in NAMES[:2]}


@pytest.fixture
def counts(monkeypatch):
    """Counts of what is done from here on, as the first time in a process."""
    sensitivity._tells_two_apart.cache_clear()
    sensitivity.can_see_grades.cache_clear()
    counted = Counter()

    def counting_calls(owner, name, key):
        original = getattr(owner, name)

        def counting(*arguments, **options):
            counted[key] += 1
            return original(*arguments, **options)

        monkeypatch.setattr(owner, name, counting)

    looked_up = align._parts_of

    def lookups(pool, *arguments):
        # Not of small ones made by us.
        counted["lookups"] += pool.n_topics in (len(CAST.qrels), len(QRELS))
        return looked_up(pool, *arguments)

    monkeypatch.setattr(align, "_parts_of", lookups)
    for module in (align, run):
        monkeypatch.setattr(module, "evaluation_order", _counting_topics(counted))
    counting_calls(run, "_rows_of", "reads of runs")
    counting_calls(observation, "_noted", "observations")
    counting_calls(KernelEvaluator, "__init__", "evaluators")
    counting_calls(KernelEvaluator, "values_of", "kernel passes")
    monkeypatch.setattr(Pool, "from_table", _counting_pools(counted))
    return counted


def _counting_topics(counted):
    def ordered(score, topics, *arguments):
        # A ranking of one topic is made by us, to try a measure.
        counted["topics ordered"] += topics.n if topics.n > 1 else 0
        return evaluation_order(score, topics, *arguments)

    return ordered


def _counting_pools(counted):
    original = Pool.from_table.__func__

    def from_table(cls, data):
        counted["pools"] += len(data) > 1000
        return original(cls, data)

    return classmethod(from_table)


def ask(name, runs):
    first, second, *_ = runs.values()
    return {
        "compare": lambda: irpref_lab.compare("nDCG@10", CAST.qrels, first, second),
        "gate": lambda: irpref_lab.gate("nDCG@10", CAST.qrels, first, second),
        "against": lambda: irpref_lab.against("nDCG@10", CAST.qrels, next(iter(runs)), runs),
        "leaderboard": lambda: irpref_lab.leaderboard("nDCG@10", CAST.qrels, runs),
        "check": lambda: irpref_lab.check(CAST.qrels, runs, "nDCG@10"),
        "evidence": lambda: irpref.evidence("nDCG@10", CAST.qrels, runs),
        "report": lambda: irpref_lab.report("nDCG@10", CAST.qrels, runs),
    }[name]()


@pytest.mark.parametrize("name", ["compare", "gate", "against", "leaderboard", "check", "evidence"])
def test_a_run_is_read_looked_up_ordered_and_observed_once(counts, name):
    runs = TWO if name in ("compare", "gate") else CAST.runs
    ask(name, runs)
    assert counts["reads of runs"] == len(runs)
    assert counts["lookups"] == len(runs)
    assert counts["topics ordered"] == len(runs) * len(CAST.qrels)
    assert counts["observations"] == len(runs)
    assert counts["pools"] == 1


def test_a_report_reads_looks_up_orders_and_observes_each_run_once(counts):
    pytest.importorskip("vl_convert")
    ask("report", TWO)
    assert counts["reads of runs"] == len(TWO)
    assert counts["lookups"] == len(TWO)
    assert counts["topics ordered"] == len(TWO) * len(CAST.qrels)
    assert counts["observations"] == len(TWO)
    assert counts["pools"] == 1


# Evaluators made, and kernel passes, of each function. A pass is all measures on one run: of each
# run as it is and with the documents that it lacks, and of the rankings that show what a measure
# can tell apart; the first time, the usual measures beside a threshold are evaluated on these, too.
# Each run is read from the end once, and a verdict on a run with tied documents sees it in ten other
# orders (here one of two, and three of five).
OF_TWO_RUNS = {
    "compare": (1, 20),
    "gate": (2, 24),
    # A section each makes its own: whether another measure says something else, intervals over tied
    # and over unjudged documents of each run and pair, curves.
    "report": (9, 62),
}
OF_FIVE_RUNS = {"against": (1, 49), "leaderboard": (1, 49), "evidence": (1, 19), "check": (2, 26)}


@pytest.mark.parametrize("groups", [None, {t: t < "115" for t in CAST.qrels}])
@pytest.mark.parametrize("measures", ["nDCG@10", ["nDCG@10", "AP", "RR", "P@10"]])
@pytest.mark.parametrize("name", ["compare", "gate"])
def test_a_verdict_makes_one_evaluator_whatever_is_asked(counts, name, measures, groups):
    function = getattr(irpref_lab, name)
    first, second = TWO.values()
    assert function(measures, CAST.qrels, first, second, groups=groups)["could_turn"].any()
    evaluators, passes = OF_TWO_RUNS[name]
    assert counts["evaluators"] <= evaluators
    assert counts["kernel passes"] <= passes
    assert counts["pools"] == 1
    assert counts["lookups"] == 2


@pytest.mark.parametrize("name", [*OF_TWO_RUNS, *OF_FIVE_RUNS])
def test_evaluators_and_kernel_passes_do_not_grow(counts, name):
    if name == "report":
        pytest.importorskip("vl_convert")
    ask(name, TWO if name in OF_TWO_RUNS else CAST.runs)
    evaluators, passes = (OF_TWO_RUNS | OF_FIVE_RUNS)[name]
    assert counts["evaluators"] <= evaluators
    assert counts["kernel passes"] <= passes


@pytest.mark.parametrize("words", [["leaderboard"], ["leaderboard", "--design"], ["intervals"]])
def test_commands_read_a_run_once_and_evaluate_no_more_than_their_functions(
    counts, words, tmp_path
):
    (tmp_path / "qrels.json").write_text(json.dumps({t: dict(g) for t, g in CAST.qrels.items()}))
    for name, run_ in TWO.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({t: dict(d) for t, d in run_.items()}))
    paths = [str(tmp_path / f"{name}.json") for name in ("qrels", *TWO)]
    command, *options = words
    assert main([command, *paths, "nDCG@10", *options]) == 0
    assert counts["reads of runs"] == len(TWO)
    assert counts["lookups"] == len(TWO)
    # A board makes one evaluator; an interval one more for each run.
    assert counts["evaluators"] <= (1 if command == "leaderboard" else 1 + len(TWO))


def test_eval_looks_up_a_run_once_whose_documents_are_compared_with_other_topics(
    counts, tmp_path, capsys
):
    topics = list(CAST.qrels)
    qrels = [f"{t} 0 {doc} {grade}\n" for t in topics for doc, grade in CAST.qrels[t].items()]
    (tmp_path / "qrels").write_text("".join(qrels))
    other = dict(zip(topics, [*topics[1:], topics[0]], strict=True))
    run_ = CAST.runs[NAMES[0]]
    rows = [f"{other[t]} Q0 {doc} 0 {score!r} t\n" for t in run_ for doc, score in run_[t].items()]
    (tmp_path / "run").write_text("".join(rows))
    assert main(["eval", str(tmp_path / "qrels"), str(tmp_path / "run"), "AP"]) == 0
    assert "other topic" in capsys.readouterr().err
    assert counts["lookups"] == 1


# Runs are judged by two sets of judgments: those of humans and those of a judge, too.
TWICE = ("irpref_lab.intervals of a judge", "irpref_lab.judge")


@pytest.mark.parametrize("name", USES)
def test_every_function_opens_each_file_once_and_looks_up_and_orders_each_run_once(
    counts, opened, name, tmp_path
):
    pytest.importorskip("matplotlib")
    if name == "irpref_lab.report":
        pytest.importorskip("vl_convert")
    runs = []

    def written(data, value):
        path = tmp_path / f"{value}{len(list(tmp_path.iterdir()))}"
        middle, end = ("Q0", "{} 0 {!r} t\n") if value == "score" else ("0", "{} {!r}\n")
        path.write_text(
            "".join(
                f"{topic} {middle} " + end.format(doc, number)
                for topic, docs in data.items()
                for doc, number in docs.items()
            )
        )
        if value == "score":
            runs.append(path)
        return str(path)

    USES[name](written)
    assert all(opened[str(path)] == 1 for path in runs)
    assert all(n == 1 for path, n in opened.items() if Path(path).parent == tmp_path)
    # A plan is drawn here from runs in memory, and a published figure is explained by changed runs.
    if name not in ("irpref_lab.sampled", "irpref_lab.verify"):
        assert counts["reads of runs"] <= len(runs)
        times = 2 if name in TWICE else 1
        assert counts["lookups"] <= len(runs) * times
        assert counts["topics ordered"] <= len(runs) * len(QRELS) * times


# Sees each file that Python opens for reading, whoever opens it; a hook can never be removed.
_watchers: list[Counter[str]] = []
_TO_WRITE = os.O_WRONLY | os.O_RDWR


def _count_opening(event, arguments):
    if event == "open" and _watchers:
        path, _, flags = arguments
        if isinstance(path, (str, os.PathLike)) and not flags & _TO_WRITE:
            for watcher in _watchers:
                watcher[os.fspath(path)] += 1


sys.addaudithook(_count_opening)


@pytest.fixture
def opened():
    """How often each path is opened to be read from here on."""
    counted = Counter()
    _watchers.append(counted)
    yield counted
    _watchers.remove(counted)


# The words of each command that reads judgments (j: a judge's) or runs, in the folder of `files`.
COMMANDS = {
    **{"eval": "q r s AP", "explain": "q r AP -t 1", "crosscheck": "q r s AP"},
    **{"compare": "q r s AP", "gate": "q r s AP --reference u", "against": "q r s AP"},
    **{"leaderboard": "q r s RR", "check": "q r s AP", "intervals": "q r s AP", "fill": "q j"},
    **{"judge": "q j r s AP", "sample": "q j r s P@3", "verify": "t q r s"},
    "report": "q r s AP -f page.html --topics texts.tsv --groups groups.tsv",
    **{f"curve {curve}": "q r s" for curve in ("areas", "crp", "fe", "gain", "histogram")},
    **{f"curve {curve}": "q r s" for curve in ("npref", "pr", "summary")},
    **{f"plot {curve}": "q r s -f x.png" for curve in ("crp", "gain", "histogram", "npref", "pr")},
    **{"plot scatter": "q r s AP RR -f x.png", "plot sketch": "q r -t 1 -f x.png"},
    "plot strip": "q r s AP -f x.png",
    **{f"meta {method}": "q r s RR AP" for method in ("power", "ranking", "stability", "swap")},
    "meta robustness": "q r s RR AP",
}
WITHOUT_FILES = {"list", "settings", "cite", "demo"}
# Reads runs one by one for its notes and again for its values, so that many need not be held.
RUNS_TWICE = {"meta robustness"}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Judgments, a judge's grades, three runs, a published table, texts and groups of topics."""
    monkeypatch.chdir(tmp_path)
    topics, docs = range(1, 9), "abcdef"
    for name, relevant in {"q": "ab", "j": "abc"}.items():
        rows = (f"{t} 0 {d} {d in relevant:d}\n" for t in topics for d in docs)
        Path(name).write_text("".join(rows))
    for name, order in {"r": "abcdef", "s": "fbaced", "u": "bacdef"}.items():
        rows = (f"{t} Q0 {d} {i} {9 - i} x\n" for t in topics for i, d in enumerate(order, 1))
        Path(name).write_text("".join(rows))
    Path("t").write_text("run,P@1\nr,1\n")
    Path("texts.tsv").write_text("".join(f"{t}\ttext {t}\n" for t in topics))
    Path("groups.tsv").write_text("".join(f"{t}\t{'ab'[t % 2]}\n" for t in topics))


def test_the_words_of_every_command_are_here():
    assert COMMANDS.keys() | WITHOUT_FILES == set(leaves(irpref_command, ""))


def leaves(command, name):
    """Yield the names of the commands below one."""
    if not isinstance(command, click.Group):
        yield name
        return
    with click.Context(command) as ctx:
        for word in command.list_commands(ctx):
            yield from leaves(command.get_command(ctx, word), f"{name} {word}".strip())


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_opens_each_file_once(opened, command):
    if command == "report":
        pytest.importorskip("vl_convert")
    if command.startswith("plot"):
        pytest.importorskip("matplotlib")
    words = COMMANDS[command].split()
    assert main([*command.split(), *words]) in ((0, 1, 3) if command == "gate" else (0,))
    read = [word for word in words if Path(word).is_file() and "." not in word]
    read += [word for word in ("texts.tsv", "groups.tsv") if word in words]
    times = {word: 2 if command in RUNS_TWICE and word in "rs" else 1 for word in read}
    assert {word: opened[word] for word in read} == times


@pytest.fixture
def written_track(tmp_path):
    """Paths of the judgments and of two runs."""
    paths = []
    for name, frame in (("qrels", CAST.qrels_frame()), *((n, CAST.run_frame(n)) for n in TWO)):
        path = tmp_path / name
        value = frame.columns[2]
        lines = (
            f"{row.query_id} 0 {row.doc_id} {getattr(row, value)}\n"
            if name == "qrels"
            else f"{row.query_id} Q0 {row.doc_id} 1 {row.score!r} t\n"
            for row in frame.itertuples()
        )
        path.write_text("".join(lines))
        paths.append(str(path))
    return paths


@pytest.mark.parametrize("measure", ["nDCG@10", "IPrec@0.5"], ids=["kernel", "provider"])
def test_eval_opens_each_file_once(opened, written_track, measure):
    assert main(["eval", *written_track, measure]) == 0
    assert {opened[path] for path in written_track} == {1}


@pytest.mark.parametrize("options", [[], ["--ties", "input"]])
def test_a_reference_is_opened_once_and_read_as_the_other_runs(
    opened, written_track, options, tmp_path
):
    reference = str(tmp_path / "reference")
    Path(reference).write_text(Path(written_track[1]).read_text().replace(" 1 ", " 2 "))
    opened.clear()
    command = ["gate", *written_track, "nDCG@10", "--reference", reference, *options]
    assert main(command) in (0, 1, 3)
    assert {opened[path] for path in [*written_track, reference]} == {1}


def test_judgments_and_runs_are_opened_once(opened, written_track):
    irpref_lab.compare("nDCG@10", *written_track)
    assert {opened[path] for path in written_track} == {1}
