"""Every public function takes judgments and runs that can be read only once: iterators and pipes."""

import inspect
import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import pytest

import irpref
import irpref_lab
from irpref import curves
from irpref_lab import plots

pytest.importorskip("matplotlib").use("Agg")

QRELS = {
    f"q{t}": {f"d{d}": (d * 7 + t * 3) % 4 if d % 3 else d % 2 for d in range(12)}
    for t in range(12)
}
JUDGE = {t: {**docs, "d20": 2, "d21": 0} for t, docs in QRELS.items()}
HUMAN = {t: docs for t, docs in QRELS.items() if t < "q5"}


def _run(step: int) -> dict[str, dict[str, float]]:
    return {
        t: {f"d{d}": float((d * step + i) % 17) for d in range(22)} for i, t in enumerate(QRELS)
    }


RUNS = {"first": _run(5), "second": _run(7), "third": _run(11)}
MEASURES = ["nDCG@5", "AP", "IPrec@0.5"]
OURS = ["nDCG@5", "AP", "RPref(max_rel=3)"]

Data = dict[str, dict[str, Any]]
Form = Callable[[Data, str], Any]


def rows(data: Data, value: str) -> Iterator[Any]:
    """The rows, one by one: a generator."""
    for topic, docs in data.items():
        for doc, number in docs.items():
            if value == "score":
                yield ir_measures.ScoredDoc(topic, doc, number)
            else:
                yield ir_measures.Qrel(topic, doc, number, "0")


class Pipes:
    """Named pipes, each of which is written once."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.number = folder, 0

    def __call__(self, data: Data, value: str) -> str:
        path = self.folder / f"pipe{self.number}"
        self.number += 1
        os.mkfifo(path)
        form = "{0} Q0 {1} 0 {2!r} t\n" if value == "score" else "{0} 0 {1} {2!r}\n"
        text = "".join(form.format(t, d, n) for t, docs in data.items() for d, n in docs.items())

        def write() -> None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

        threading.Thread(target=write, daemon=True).start()
        return str(path)


def of_runs(made: Form, *names: str) -> dict[str, Any]:
    return {name: made(RUNS[name], "score") for name in names or RUNS}


def first(made: Form) -> Any:
    return made(RUNS["first"], "score")


def second(made: Form) -> Any:
    return made(RUNS["second"], "score")


def judged(made: Form) -> Any:
    return made(QRELS, "relevance")


def plan() -> Any:
    return irpref_lab.sample("P@3", None, JUDGE, RUNS, n=400, rng=7)


def drawn(ax: Any) -> Any:
    from matplotlib import pyplot

    lines = [line.get_xydata().round(9).tolist() for line in ax.get_lines()]
    pyplot.close(ax.figure)
    return lines


def values_of(measures: Any, qrels: Any, run: Any) -> dict[str, list[float]]:
    found = irpref.evaluator(measures, qrels).values(run)
    return {str(measure): values.tolist() for measure, values in found.items()}


# A call of each public function that reads judgments or runs, by the name of the function.
USES: dict[str, Callable[[Form], Any]] = {
    "evaluator": lambda m: values_of(MEASURES, judged(m), first(m)),
    "judgments": lambda m: (
        irpref.judgments(judged(m), known=(first(m), 3)).frame()["known"].tolist()
    ),
    "run": lambda m: irpref.run(first(m), ties="input").frame(),
    "preferences_from": lambda m: irpref.preferences_from(judged(m)),
    "bind": lambda m: irpref.bind(["RPref"], judged(m)),
    "evidence": lambda m: irpref.evidence(MEASURES, judged(m), of_runs(m)),
    "crosscheck": lambda m: irpref.crosscheck(["AP"], judged(m), of_runs(m), tools=["pytrec_eval"]),
    "explain": lambda m: irpref.explain("QMeasure", judged(m), first(m), "q1"),
    "settings.scale_of": lambda m: irpref.settings.scale_of(judged(m)).grades,
    "curves.crp": lambda m: curves.crp(judged(m), of_runs(m)),
    "curves.npref_convergence": lambda m: curves.npref_convergence(
        judged(m), of_runs(m), measure="RPref(max_rel=3)"
    ),
    "curves.interpolated_precision": lambda m: curves.interpolated_precision(judged(m), first(m)),
    "curves.f_and_e": lambda m: curves.f_and_e(judged(m), of_runs(m)),
    "curves.cumulated_gain": lambda m: curves.cumulated_gain(judged(m), of_runs(m)),
    "curves.gain_areas": lambda m: curves.gain_areas(judged(m), of_runs(m)),
    "curves.precision_histogram": lambda m: curves.precision_histogram(
        judged(m), first(m), second(m)
    ),
    "curves.paired_differences": lambda m: curves.paired_differences(
        judged(m), of_runs(m), "first", "infAP"
    ),
    "curves.summary_table": lambda m: curves.summary_table(judged(m), of_runs(m)),
    "irpref_lab.plots.crp": lambda m: drawn(plots.crp(judged(m), of_runs(m))),
    "irpref_lab.plots.crp_sketch": lambda m: drawn(
        plots.crp_sketch(judged(m), first(m), query_id="q1")
    ),
    "irpref_lab.plots.npref_convergence": lambda m: drawn(
        plots.npref_convergence(judged(m), of_runs(m), measure="RPref(max_rel=3)")
    ),
    "irpref_lab.plots.precision_recall": lambda m: drawn(
        plots.precision_recall(judged(m), of_runs(m))
    ),
    "irpref_lab.plots.cumulated_gain": lambda m: drawn(plots.cumulated_gain(judged(m), of_runs(m))),
    "irpref_lab.plots.precision_histogram": lambda m: drawn(
        plots.precision_histogram(judged(m), first(m), second(m))
    ),
    "irpref_lab.plots.topic_strip": lambda m: drawn(plots.topic_strip(judged(m), of_runs(m), "AP")),
    "irpref_lab.plots.measure_scatter": lambda m: drawn(
        plots.measure_scatter(judged(m), of_runs(m), ["AP", "infAP"])
    ),
    "irpref_lab.against": lambda m: irpref_lab.against(OURS, judged(m), "first", of_runs(m)),
    "irpref_lab.check": lambda m: irpref_lab.check(judged(m), of_runs(m), MEASURES),
    "irpref_lab.compare": lambda m: irpref_lab.compare(MEASURES, judged(m), first(m), second(m)),
    "irpref_lab.fill": lambda m: irpref_lab.fill(
        m(HUMAN, "relevance"), m(JUDGE, "relevance"), of_runs(m)
    ).frame()[["query_id", "doc_id", "relevance", "source"]],
    "irpref_lab.gate": lambda m: irpref_lab.gate(MEASURES, judged(m), first(m), second(m)),
    "irpref_lab.intervals over ties": lambda m: irpref_lab.intervals(
        OURS, judged(m), first(m), "ties"
    ),
    "irpref_lab.intervals over unjudged": lambda m: irpref_lab.intervals(
        OURS, judged(m), first(m), "unjudged"
    ),
    "irpref_lab.intervals of a judge": lambda m: irpref_lab.intervals(
        OURS, irpref_lab.fill(judged(m), m(JUDGE, "relevance")), first(m), "unjudged"
    ),
    "irpref_lab.intervals": lambda m: irpref_lab.intervals(
        MEASURES, judged(m), first(m), "topics", method="t"
    ),
    "irpref_lab.judge": lambda m: irpref_lab.judge(
        ["AP"], m(HUMAN, "relevance"), m(JUDGE, "relevance"), of_runs(m)
    ),
    "irpref_lab.leaderboard": lambda m: irpref_lab.leaderboard(
        MEASURES, judged(m), of_runs(m), n_permutations=50
    ),
    "irpref_lab.report": lambda m: irpref_lab.report(["nDCG@5"], judged(m), of_runs(m)).grave,
    "irpref_lab.sample": lambda m: irpref_lab.sample(
        "P@3", m(HUMAN, "relevance"), m(JUDGE, "relevance"), of_runs(m), n=5, rng=3
    ),
    "irpref_lab.sampled": lambda m: irpref_lab.sampled(
        m(JUDGE, "relevance"), m(JUDGE, "relevance"), plan()
    ).frame(),
    "irpref_lab.verify": lambda m: irpref_lab.verify(
        "run,AP,P@3\nfirst,.5,.25\nsecond,.1,.2\n", judged(m), of_runs(m, "first", "second")
    ),
    "irpref_lab.meta.topic_values": lambda m: {
        name: values.matrix.tolist()
        for name, values in irpref_lab.meta.topic_values(MEASURES, judged(m), of_runs(m)).items()
    },
    "irpref_lab.meta.incompleteness": lambda m: (
        irpref_lab.meta.incompleteness(
            ["AP", "infAP"], judged(m), of_runs(m), levels=[50], n_samples=1
        ).means
    ),
    "irpref_lab.meta.robustness": lambda m: irpref_lab.meta.robustness(
        ["AP"], judged(m), of_runs(m), levels=[50], n_samples=2, n_halves=2
    ).table(),
    "irpref_lab.meta.thin": lambda m: irpref_lab.meta.thin(judged(m), 50, least=(1, 1)),
}
# Names of parameters for judgments and runs.
READ = {
    "data",
    "qrels",
    "run",
    "runs",
    "source",
    "human",
    "judge",
    "baseline",
    "candidate",
    "a",
    "b",
}
# What they call runs or data are the names of runs, or values.
OTHERS = {
    *("curves.curve_table", "curves.value_differences", "irpref_lab.meta.kendall_tau"),
    *("irpref_lab.values", "irpref_lab.collections"),
}


@pytest.fixture
def not_for_ever() -> Iterator[None]:
    """An error in place of waiting for a pipe that nobody writes a second time."""

    def over(*_: Any) -> None:
        raise TimeoutError("a pipe is opened again")

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, 60)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def plain(found: Any) -> Any:
    """What can be compared."""
    if isinstance(found, pd.DataFrame):
        return found.astype(object).where(found.notna(), None).to_dict("list")
    return found


@pytest.mark.usefixtures("not_for_ever")
@pytest.mark.parametrize("name", USES)
@pytest.mark.parametrize("form", ["iterators", "pipes"])
def test_what_can_be_read_once_has_the_values_of_dicts(
    name: str, form: str, tmp_path: Path
) -> None:
    if name == "irpref_lab.report":
        pytest.importorskip("vl_convert")
    if form == "pipes" and not hasattr(os, "mkfifo"):
        pytest.skip("there are no named pipes here")
    use = USES[name]
    expected = plain(use(lambda data, value: data))
    assert plain(use(rows if form == "iterators" else Pipes(tmp_path))) == expected


def public() -> Iterator[tuple[str, Any]]:
    """Every public function, with its name."""
    modules = [irpref, curves, plots, irpref.settings, irpref_lab, irpref_lab.meta]
    for module in modules:
        prefix = "" if module is irpref else f"{module.__name__.removeprefix('irpref.')}."
        names = dir(module) if module is irpref else getattr(module, "__all__", dir(module))
        for name in names:
            found = getattr(module, name)
            home = getattr(found, "__module__", "")
            own = module in (irpref, irpref_lab) or home.startswith(module.__name__)
            if inspect.isfunction(found) and not name.startswith("_") and own:
                yield f"{prefix}{name}", found


def test_every_function_that_reads_is_tried() -> None:
    tried = {name.partition(" ")[0] for name in USES} | OTHERS
    reading = {
        name for name, function in public() if READ & set(inspect.signature(function).parameters)
    }
    assert reading - tried == set()
