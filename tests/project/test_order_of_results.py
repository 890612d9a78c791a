"""Every result of ours lists measures in the order that they were asked for, each once."""

import inspect
import re
from types import FunctionType

import pytest

import irpref
import irpref_lab
from irpref.datasets import load
from shells import qrels_text, run_text

# By name, by kernel and by provider these have other orders; a repeated one counts at its first
# place.
ASKED = ["RR@10", "QMeasure@10", "AP", "RPref(max_rel=3)", "QMeasure@10", "AP@10", "nDCG@10"]
WITH_OTHERS = [*ASKED[:2], "IPrec@0.5", *ASKED[2:]]


def once(names):
    return list(dict.fromkeys(map(str, names)))


DATA = load("synthetic")
RUNS = {name: DATA.runs[name] for name in ("baseline", "strong", "noisy")}
GIVEN = (DATA.qrels, DATA.runs["baseline"])
PAIR = (DATA.qrels, DATA.runs["baseline"], DATA.runs["strong"])
JUDGE = {t: {d: 3 - g for d, g in docs.items()} for t, docs in DATA.qrels.items()}


def of_column(table):
    return once(table["measure"])


def by_evaluator(measures):
    evaluator = irpref.evaluator(measures, DATA.qrels)
    run = GIVEN[1]
    found = [
        once(evaluator.calc_aggregate(run)),
        once(metric.measure for metric in evaluator.iter_calc(run)),
        once(evaluator.calc(run).aggregated),
        once(metric.measure for metric in evaluator.calc(run).per_query),
        once(evaluator.values(run)),
    ]
    assert all(order == found[0] for order in found)
    return found[0]


def by_citations(measures):
    """Measures of the lines with which `irpref.cite` begins."""
    lines = [line for line in irpref.cite(measures).splitlines() if re.match("% .*:", line)]
    return [
        name
        for line, name in zip(lines, once(measures), strict=False)
        if f"({irpref.parse(name).NAME}" in line
    ]


def by_evidence(measures):
    found = irpref.evidence(measures, DATA.qrels, RUNS)
    return of_column(found.dropna(subset="measure"))  # others are about judgments and runs


def by_report(measures):
    """Measures as the data of the report's page list them."""
    page = irpref_lab.report(measures, DATA.qrels, RUNS).html
    at = {name: page.index(f'"name":"{name}"') for name in once(measures)}
    return sorted(at, key=at.__getitem__)


FUNCTIONS = {
    "evaluator": by_evaluator,
    "bind": lambda measures: once(irpref.bind(measures, DATA.qrels)),
    "compare": lambda measures: of_column(irpref_lab.compare(measures, *PAIR)),
    "gate": lambda measures: of_column(irpref_lab.gate(measures, *PAIR)),
    "against": lambda measures: of_column(
        irpref_lab.against(measures, *GIVEN, {"strong": PAIR[2], "noisy": RUNS["noisy"]})
    ),
    "leaderboard": lambda measures: of_column(irpref_lab.leaderboard(measures, DATA.qrels, RUNS)),
    "cite": by_citations,
    "report": by_report,
    "topic_values": lambda measures: once(irpref_lab.meta.topic_values(measures, DATA.qrels, RUNS)),
}
# Of kernels alone: a value over ties, or with a judge's grades, needs one.
OF_KERNELS = {
    "evidence": by_evidence,
    "intervals": lambda measures: of_column(irpref_lab.intervals(measures, *GIVEN)),
    "judge": lambda measures: of_column(irpref_lab.judge(measures, DATA.qrels, JUDGE, RUNS)),
}
# What is no list of all measures, and so has its own test or none.
OTHERS = {
    "check": "findings about judgments and runs",
    "crosscheck": "only what other tools compute",
    "sample": "a plan of documents to judge",
}


@pytest.mark.filterwarnings("ignore::irpref.IrprefWarning")
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("asked", [ASKED, WITH_OTHERS], ids=["kernels", "providers"])
def test_results_have_the_order_that_was_asked_for(name, asked):
    assert FUNCTIONS[name](asked) == once(asked)


@pytest.mark.filterwarnings("ignore::irpref.IrprefWarning")
@pytest.mark.parametrize("name", OF_KERNELS)
def test_results_of_kernels_have_the_order_that_was_asked_for(name):
    assert OF_KERNELS[name](ASKED) == once(ASKED)


def test_other_tools_are_asked_in_the_same_order():
    pytest.importorskip("pytrec_eval")
    found = of_column(irpref.crosscheck(ASKED, DATA.qrels, RUNS, tools=["pytrec_eval"]))
    assert {"AP", "nDCG@10"} <= set(found)
    assert found == [name for name in once(ASKED) if name in found]


@pytest.mark.parametrize("asked", [ASKED, WITH_OTHERS], ids=["kernels", "providers"])
def test_the_stage_by_query_has_columns_in_the_order_that_was_asked_for(asked, dataset, qrels):
    pt = pytest.importorskip("pyterrier")
    values = pt.irpref.PerQuery(qrels, asked)(dataset.get_results("strong"))
    assert [name for name in values if name in asked] == once(asked)


@pytest.mark.parametrize("asked", [ASKED, WITH_OTHERS], ids=["kernels", "providers"])
@pytest.mark.parametrize("command", ["eval", "compare", "leaderboard", "gate"])
def test_commands_print_measures_in_the_order_that_was_asked_for(command, asked, tmp_path, call):
    paths = [tmp_path / name for name in ("qrels.txt", "a.txt", "b.txt")]
    paths[0].write_text(qrels_text(DATA.qrels))
    for path, run in zip(paths[1:], RUNS.values(), strict=False):
        path.write_text(run_text(run))
    status, out, _ = call(command, *map(str, paths), *asked)
    assert status in (0, 1, 2), out
    at = {name: re.search(rf"(?<!\S){re.escape(name)}(?![^\s:])", out) for name in once(asked)}
    assert sorted(at, key=lambda name: at[name].start()) == once(asked)


def test_every_public_function_of_measures_is_looked_at():
    public = {
        name
        for module in (irpref, irpref_lab)
        for name in dir(module)
        if isinstance(found := getattr(module, name), FunctionType)
        and "measures" in inspect.signature(found).parameters
    }
    assert public - {*FUNCTIONS, *OF_KERNELS, *OTHERS} == set()
