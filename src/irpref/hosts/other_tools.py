"""Compare irpref's values with other tools' values, topic by topic, and explain each difference.

Tools are the providers of ir_measures' pipeline that are installed, each asked for one measure at a
time, programs that are on the path (`trec_eval`, Sakai's `ntcir_eval`), pyNTCIREVAL, and ranx's own
bpref. A difference is explained only by a reason that has been verified: our value, computed again
with a habit of the tool, is the tool's value. The habits are reasons of `irpref.values.reasons`,
the list that `verify` has, too: orders of equal scores, how many documents are read, another
formula, the meaning of negative grades. Each is tried alone, then several together. Values that a
tool prints rounded (gdeval to 5 digits, trec_eval to 4) are compared to these digits.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from ir_measures import util
from ir_measures.measures import Measure

from irpref.data.run_names import named_runs
from irpref.errors import ArgumentError, MeasureError
from irpref.hosts.ntcireval import by_package, by_program, ntcir_name, python_name
from irpref.judged.judgments import as_judgments
from irpref.measures.everyday import supports
from irpref.measures.names import parse_all
from irpref.measures.support import HIGHEST, check_parameters, in_words, pipeline
from irpref.messages import about, clipped, did_you_mean
from irpref.values.evaluator import evaluator
from irpref.values.kernels import KernelEvaluator
from irpref.values.others import for_ranx, qrels_for_host, run_for_host
from irpref.values.reasons import (
    DEEP,
    FLOAT32,
    NEGATIVE,
    ORDERS,
    RISING,
    ROWS,
    SEEN,
    UNSTABLE,
    Reason,
    in_our_order,
    measured,
    ranked,
)

if TYPE_CHECKING:
    import pandas as pd

    from irpref.judged.types import QrelsLike, Runs
    from irpref.measures.declare import Measures

Judged: TypeAlias = Mapping[str, Mapping[str, int]]
Scored: TypeAlias = Mapping[str, Mapping[str, float]]
Tool: TypeAlias = Callable[[Judged, Scored], Mapping[str, float]]  # value by topic

COLUMNS = ("run", "measure", "tool", "topics", "differ", "unexplained", "largest", "topic", "why")
UNEXPLAINED = "no known reason"
LEFT = "left to this tool"
_EXACT = 1e-9


def _in_our_order(docs: Mapping[str, float]) -> list[str]:
    return in_our_order(docs.items())


@dataclass(frozen=True, slots=True)
class Habits:
    """How a tool is known to differ from trec_eval's definitions.

    Attributes
    ----------
    reasons : tuple of Reason
        Habits of the tool: orders, depths, formulas, grades.
    slack : float
        The largest difference that rounding of the tool's output can make.
    """

    reasons: tuple[Reason, ...] = ()
    slack: float = _EXACT


_HABITS = {
    "pytrec_eval": Habits((FLOAT32,)),
    "trec_eval": Habits((FLOAT32,), slack=5.001e-5),
    "cwl_eval": Habits((ROWS, DEEP, SEEN)),
    "gdeval": Habits(slack=5.001e-6),
    "msmarco": Habits((RISING,)),
    "judged": Habits((RISING, NEGATIVE)),
    "compat": Habits((RISING,)),
    "ranx": Habits((UNSTABLE, NEGATIVE)),
    "pyNTCIREVAL": Habits(),
    "ntcir_eval": Habits(slack=5.001e-5),
}
# Of a tool that we do not know, only its order may be any of these.
_ANY = Habits(ORDERS)
# ir_measures' names and trec_eval's, without and with a number.
_TREC: dict[str, tuple[str | None, str | None]] = {
    "AP": ("map", "map_cut"),
    "nDCG": ("ndcg", "ndcg_cut"),
    "P": (None, "P"),
    "R": (None, "recall"),
    "RR": ("recip_rank", None),
    "Rprec": ("Rprec", None),
    "Bpref": ("bpref", None),
    "Success": (None, "success"),
    "SetP": ("set_P", None),
    "SetR": ("set_recall", None),
    "SetAP": ("set_map", None),
    "infAP": ("infAP", None),
    "NumRel": ("num_rel", None),
    "BprefVariant": ("bpref", None),
    "InterpolatedPrecision": ("11pt_avg", "iprec_at_recall"),
}


def crosscheck(
    measures: Measures, qrels: QrelsLike, runs: Runs, *, tools: Iterable[str] | None = None
) -> pd.DataFrame:
    """Compare irpref's values with the values of every installed tool, topic by topic.

    Parameters
    ----------
    measures : measures of any toolkit, or their names
    qrels : in any form that `irpref.evaluator` takes
    runs : mapping of name to run, or list of paths
    tools : names of tools, optional
        Only these: providers of ir_measures, `trec_eval`, `pyNTCIREVAL`, `ntcir_eval`. By default
        all that are installed.

    Returns
    -------
    pandas.DataFrame
        A row for each run, measure and tool that computes the measure: `topics` is the number of
        judged topics that the run answers, `differ` the number of topics on which the tool has a
        different value or none, `unexplained` the number of these without a verified reason,
        `largest` the largest difference (the tool's value minus ours), `topic` its topic, and `why`
        the reasons. A tool that can compute nothing has one row, without run and measure; if you
        named it in `tools`, all topics are unexplained. No other tool here computes a measure
        without rows.

    Raises
    ------
    ValueError
        No measures; an unknown tool; bad qrels or runs, as for `irpref.evaluator`.

    Examples
    --------
    >>> table = crosscheck(["AP"], {"q": {"a": 1, "b": 0}}, {"mine": {"q": {"a": 1.0, "b": 1.0}}})
    >>> table.loc[table["tool"] == "pytrec_eval", ["topics", "differ"]].to_numpy().tolist()
    [[1, 0]]
    """
    import pandas as pd

    chosen, asked = parse_all(measures), _asked(tools)
    if not chosen:
        raise MeasureError("there are no measures to evaluate")
    for measure in chosen:
        check_parameters(measure)
    judged = util.QrelsConverter(qrels_for_host(as_judgments(qrels))).as_dict_of_dict()
    rows: list[_Row] = []
    most = 0
    named = named_runs(runs)
    for name, run in named.items():
        with about(name, len(named) > 1):
            scored = util.RunConverter(run_for_host(run)).as_dict_of_dict()
            most = max(most, sum(topic in scored for topic in judged))
            for measure in chosen:
                rows += _compared(name, measure, judged, scored, asked)
    rows = _in_one_line(rows, asked, most)
    frame = pd.DataFrame(
        [[getattr(row, name) for name in COLUMNS] for row in rows], columns=COLUMNS
    )
    return frame.astype({"topics": int, "differ": int, "unexplained": int, "largest": float})


@dataclass(slots=True)
class _Row:
    """A row of the result; `error` if the tool could not compute the measure."""

    run: str | None
    measure: str | None
    tool: str
    topics: int = 0
    differ: int = 0
    unexplained: int = 0
    largest: float = 0.0
    topic: str | None = None
    why: str = ""
    error: str = ""


def tool_names() -> list[str]:
    """Return the names of all tools: the providers of ir_measures, and tools of their own."""
    return [*(str(provider.NAME) for provider in pipeline(ours=False)), *_INSTALL]


# How to get the tools that are no providers of ir_measures.
_INSTALL = {
    "trec_eval": "trec_eval, on the path",
    "pyNTCIREVAL": "pip install pyNTCIREVAL",
    "ntcir_eval": "ntcir_eval of NTCIREVAL, on the path",
}


def to_install(measures: Measures) -> str:
    """Say how to get the tools that are not here and compute some of these measures; empty if there
    are none.
    """
    chosen = parse_all(measures)
    computes = {"trec_eval": trec_name, "pyNTCIREVAL": python_name, "ntcir_eval": ntcir_name}
    able = [name for name, of in computes.items() if any(map(of, chosen))]
    lines = [_INSTALL[name] for name in able if not _is_there(name)]
    if any(ranx_bpref(measure) for measure in chosen) and not _is_there("ranx"):
        lines.insert(0, "pip install ranx")
    return " or ".join(lines)


def _is_there(name: str) -> bool:
    """Test whether a tool is installed."""
    if name == "pyNTCIREVAL":
        return find_spec(name) is not None
    if name in _INSTALL:
        return shutil.which(name) is not None
    return any(name == p.NAME and p.is_available() for p in pipeline(ours=False))


def _asked(tools: Iterable[str] | None) -> list[str] | None:
    """Return the names of tools, without repetitions. Raise `ArgumentError` for one that nobody
    knows.
    """
    if tools is None:
        return None
    asked = list(dict.fromkeys([tools] if isinstance(tools, str) else tools))
    known = tool_names()
    for name in asked:
        if name not in known:
            raise ArgumentError(
                f"there is no tool {name!r}, expected one of {', '.join(known)}"
                f"{did_you_mean(name, known)}",
                parameter="tools",
                value=name,
            )
    return asked


def _in_one_line(rows: list[_Row], asked: list[str] | None, topics: int) -> list[_Row]:
    """Replace the rows of each tool that could not compute anything by one row."""
    able = {row.tool for row in rows if not row.error}
    lines: dict[str, str] = {}
    for row in rows:
        if row.tool not in able:
            lines.setdefault(row.tool, f"could not compute anything: {row.error}")
    for name in asked or ():
        if name not in able:
            lines.setdefault(name, _absence(name))
    missed = topics if asked is not None else 0
    return [row for row in rows if row.tool in able] + [
        _Row(None, None, tool, unexplained=missed, why=why) for tool, why in lines.items()
    ]


def _absence(name: str) -> str:
    """Say why a tool that was asked for by name computes nothing."""
    there = _is_there(name)
    return "computes none of these measures" if there else "is not installed"


def _compared(
    name: str, measure: Measure, judged: Judged, scored: Scored, asked: list[str] | None
) -> Iterator[_Row]:
    """Yield the rows of one measure and run."""
    # Tools crash on grades that they cannot hold, and pytrec_eval on topics with negative grades
    # only.
    usable = {
        topic: docs
        for topic, docs in judged.items()
        if 0 <= max(docs.values(), default=-1) <= HIGHEST
    }
    answered = [topic for topic in usable if scored.get(topic)]
    ours = _values(measure, judged, scored) if supports(measure) else None
    for tool, compute in _tools(measure):
        if asked is not None and tool not in asked:
            continue
        row = _Row(name, str(measure), tool)
        if ours is None:
            row.why = LEFT
            yield row
            continue
        try:
            theirs = compute(usable, scored)
        except (Exception, SystemExit) as error:  # of other people's code
            row.error = str(clipped(in_words(error)))
            row.why = f"could not compute it: {row.error}"
            yield row
            continue
        _fill(row, measure, judged, {topic: scored[topic] for topic in answered}, ours, theirs)
        yield row


def _fill(
    row: _Row,
    measure: Measure,
    judged: Judged,
    scored: Scored,
    ours: Mapping[str, float],
    theirs: Mapping[str, float],
) -> None:
    """Count the topics of `scored` on which the values differ, and explain them."""
    habits = _HABITS.get(row.tool, _ANY)
    absent = [topic for topic in scored if topic not in theirs]
    gaps = {
        topic: theirs[topic] - ours[topic]
        for topic in scored
        if topic in theirs and not _is_same(theirs[topic], ours[topic], habits.slack)
    }
    values = {topic: theirs[topic] for topic in gaps}
    reasons = Counter(_reasons(habits, measure, judged, scored, values))
    row.topics, row.differ = len(scored), len(gaps) + len(absent)
    row.unexplained = reasons[UNEXPLAINED] + len(absent)
    if gaps:
        row.topic = max(gaps, key=lambda topic: np.nan_to_num(abs(gaps[topic]), nan=np.inf))
        row.largest = gaps[row.topic]
    elif absent:
        row.topic, row.largest = absent[0], np.nan
    texts = [f"{reason} ({number})" for reason, number in reasons.most_common()]
    if absent:
        texts.append(f"no value for {len(absent)} topic{'s' * (len(absent) > 1)}")
    row.why = "; ".join(texts)


def _is_same(theirs: float, ours: float, slack: float) -> bool:
    return abs(theirs - ours) <= slack or (theirs != theirs and ours != ours)


def _values(measure: Measure, judged: Judged, scored: Scored) -> dict[str, float]:
    """Compute our value of each topic."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the scale, ties, ...: this is about values
        kernels = evaluator([measure], judged)
        assert isinstance(kernels, KernelEvaluator)
        return dict(zip(kernels.topic_ids, kernels.values(scored)[measure].tolist(), strict=True))


def _reasons(
    habits: Habits,
    measure: Measure,
    judged: Judged,
    scored: Scored,
    theirs: Mapping[str, float],
) -> list[str]:
    """Find the reason for each of the tool's values: the fewest habits that turn our value into
    it.
    """
    open_topics, reasons = dict(theirs), []
    for together in _combined(habits.reasons):
        computed = measured(measure, together)
        if computed is None or not open_topics:
            continue
        regraded = judged
        for change in (reason.change for reason in together if reason.kind == "grades"):
            regraded = change(regraded)
        again = ranked({topic: scored[topic].items() for topic in open_topics}, together)
        values = _values(computed, regraded, _by_rank(again))
        for topic, value in list(open_topics.items()):
            if _is_same(value, values[topic], habits.slack):
                reasons.append(" and ".join(map(str, together)))
                del open_topics[topic]
    return reasons + [UNEXPLAINED] * len(open_topics)


def _combined(reasons: Sequence[Reason]) -> list[tuple[Reason, ...]]:
    """List reasons alone, then several of different kinds together."""
    kinds = dict.fromkeys(reason.kind for reason in reasons)
    choices = [[None, *(r for r in reasons if r.kind == kind)] for kind in kinds]
    chosen = [tuple(filter(None, together)) for together in product(*choices)]
    return sorted(filter(None, chosen), key=len)


def _by_rank(lists: Mapping[str, Sequence[str]]) -> Scored:
    """Score the documents by rank, so that nothing is left to the order of ties."""
    return {
        topic: {doc: -float(rank) for rank, doc in enumerate(docs)} for topic, docs in lists.items()
    }


def _tools(measure: Measure) -> Iterator[tuple[str, Tool]]:
    """Yield the tools that compute a measure: name, and function of judgments and run."""
    for provider in pipeline(ours=False):
        if not provider.is_available():
            continue
        try:
            able = provider.supports(measure)
        except (AssertionError, ValueError):  # it does not take these parameters
            continue
        if able and not (provider.NAME == "ranx" and ranx_bpref(measure)):
            yield str(provider.NAME), partial(_by_provider, provider, measure)
    if ranx_bpref(measure) and _is_there("ranx"):
        yield "ranx", _by_ranx
    binary, name = shutil.which("trec_eval"), trec_name(measure)
    if binary is not None and name is not None:
        options = ["-m", name, "-l", f"{measure.params.get('rel', 1):g}"]
        if measure.params.get("judged_only"):
            options.append("-J")
        yield "trec_eval", partial(_by_trec_eval, [binary, "-q", "-c", *options])
    if python_name(measure) is not None and _is_there("pyNTCIREVAL"):
        yield "pyNTCIREVAL", partial(by_package, measure, _in_our_order)
    binary = shutil.which("ntcir_eval")
    if binary is not None and ntcir_name(measure) is not None:
        yield "ntcir_eval", partial(by_program, binary, measure, _in_our_order)


def ranx_bpref(measure: Measure) -> bool:
    """Return whether a measure is ranx's bpref, for which ir_measures' provider of ranx does not
    ask. With a higher threshold, ranx takes documents below it for unjudged.
    """
    return (
        measure.NAME in ("Bpref", "BprefVariant")
        and set(measure.params) <= {"rel"}
        and (measure.params.get("rel", 1) == 1)
    )


def _by_ranx(judged: Judged, scored: Scored) -> dict[str, float]:
    import ranx

    both = [topic for topic in judged if scored.get(topic)]
    qrels = ranx.Qrels({topic: dict(judged[topic]) for topic in both})
    run = ranx.Run({topic: dict(scored[topic]) for topic in both})
    ranx.evaluate(qrels, run, "bpref")
    return {topic: float(value) for topic, value in run.scores["bpref"].items()}


def _by_provider(
    provider: Any, measure: Measure, judged: Judged, scored: Scored
) -> dict[str, float]:
    qrels: Any = judged
    run: Any = scored
    names = {topic: topic for topic in judged}
    if provider.NAME == "gdeval":  # its topics are numbers
        names = {str(number): topic for number, topic in enumerate(judged, start=1)}
        qrels = {number: judged[topic] for number, topic in names.items()}
        run = {number: scored[topic] for number, topic in names.items() if topic in scored}
    elif provider.NAME == "ranx":
        qrels, run = for_ranx(judged, scored)
    metrics = provider.iter_calc([measure], qrels, run)
    return {names.get(metric.query_id, metric.query_id): metric.value for metric in metrics}


def trec_name(measure: Measure) -> str | None:
    """Name a measure as trec_eval's option `-m` takes it; None if trec_eval has no such measure."""
    params = {
        key: value for key, value in measure.params.items() if key not in ("rel", "judged_only")
    }
    number = params.pop("cutoff", params.pop("recall", None))
    if measure.NAME == "InterpolatedPrecision" and params.pop("rounding", None) != "nearest":
        return None
    if measure.NAME == "NumRet":
        return ("num_rel_ret" if "rel" in measure.params else "num_ret") if not params else None
    plain, numbered = _TREC.get(str(measure.NAME), (None, None))
    if params or (numbered if number is not None else plain) is None:
        return None
    return plain if number is None else f"{numbered}.{number:g}"


def _by_trec_eval(command: list[str], judged: Judged, scored: Scored) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = Path(folder, "qrels"), Path(folder, "run")
        rows = (
            (topic, doc, grade) for topic, docs in judged.items() for doc, grade in docs.items()
        )
        qrels.write_text("".join(f"{topic} 0 {doc} {grade}\n" for topic, doc, grade in rows))
        ranked = (
            (topic, doc, score) for topic, docs in scored.items() for doc, score in docs.items()
        )
        run.write_text("".join(f"{topic} Q0 {doc} 0 {score!r} x\n" for topic, doc, score in ranked))
        process = subprocess.run(
            [*command, os.fspath(qrels), os.fspath(run)],
            capture_output=True,
            text=True,
            check=True,
            timeout=600,
        )
    lines = [line.split() for line in process.stdout.splitlines()]
    return {topic: float(value) for _, topic, value in lines if topic != "all"}
