"""How often judgments and runs are read, looked up, ordered and evaluated, for each public function
that asks several questions of them."""

from collections import Counter

import pytest

import irpref
import irpref_lab
from irpref.datasets import load
from irpref.judged import align, run
from irpref.judged.pool import Pool
from irpref.values.kernels import KernelEvaluator

CAST = load("cast2021")
NAMES = list(CAST.runs)
TWO = {name: CAST.runs[name] for name in NAMES[:2]}


@pytest.fixture
def counts(monkeypatch):
    """Counts of what is done from here on."""
    counted = Counter()

    def counting_calls(owner, name, key):
        original = getattr(owner, name)

        def counting(*arguments, **options):
            counted[key] += 1
            return original(*arguments, **options)

        monkeypatch.setattr(owner, name, counting)

    looked_up = align._parts_of

    def lookups(pool, *arguments):
        counted["lookups"] += pool.n_topics == len(CAST.qrels)  # not of small ones made by us
        return looked_up(pool, *arguments)

    monkeypatch.setattr(align, "_parts_of", lookups)
    counting_calls(run, "_rows_of", "reads of runs")
    counting_calls(KernelEvaluator, "__init__", "evaluators")
    counting_calls(KernelEvaluator, "values_of", "kernel passes")
    monkeypatch.setattr(Pool, "from_table", _counting_pools(counted))
    return counted


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
def test_a_run_is_read_looked_up_and_ordered_once(counts, name):
    runs = TWO if name in ("compare", "gate") else CAST.runs
    ask(name, runs)
    assert counts["reads of runs"] == len(runs)
    assert counts["lookups"] == len(runs)
    assert counts["pools"] == 1


def test_a_report_reads_and_looks_up_each_run_once(counts):
    pytest.importorskip("vl_convert")
    ask("report", TWO)
    assert counts["reads of runs"] == len(TWO)
    assert counts["lookups"] == len(TWO)
    assert counts["pools"] == 1


def test_judgments_and_runs_are_opened_once(counts, monkeypatch, tmp_path):
    opened = Counter()

    def opening(file, *arguments, **options):
        opened[file] += isinstance(file, str)
        return open(file, *arguments, **options)

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
    monkeypatch.setattr("irpref.data.source.open", opening, raising=False)
    irpref_lab.compare("nDCG@10", *paths)
    assert {opened[path] for path in paths} == {1}
