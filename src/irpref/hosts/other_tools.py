"""Compare irpref's values with those of other tools, one by one, and give the reason for each
difference.

Tools are the providers of ir_measures' pipeline that are installed, each asked for one measure at a
time, and a `trec_eval` binary if there is one. A difference has a known reason if it vanishes
without that reason:

float32     pytrec_eval keeps scores as 32-bit floats; with these (`float32=True`) our value is its value
ties        the tool's value is within the interval over all orders of the tied documents
cut         the topic has more than 1000 documents, and cwl_eval reads no further
seen        cwl_eval divides AP by the relevant documents retrieved, not by all: it is our SeenAP

What a tool prints rounded (gdeval 5 digits, trec_eval 4) is compared to these digits.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ir_measures import util
from ir_measures.measures import Measure

from irpref.data.run_names import named_runs
from irpref.judged.inputs import opened
from irpref.lab.trust.ties import tie_intervals
from irpref.measures.everyday import supports
from irpref.measures.names import parse_all
from irpref.measures.seen_ap import SeenAP
from irpref.measures.support import HIGHEST, check_parameters, in_words
from irpref.messages import about, clipped
from irpref.values.evaluator import evaluator
from irpref.values.kernels import KernelEvaluator
from irpref.values.others import for_host

if TYPE_CHECKING:
    import pandas as pd

    from irpref.judged.types import Qrels, Runs
    from irpref.measures.declare import Measures

    Judged = Mapping[str, Mapping[str, int]]
    Scored = Mapping[str, Mapping[str, float]]

COLUMNS = ("run", "measure", "tool", "topics", "differ", "largest", "topic", "why")
UNEXPLAINED = "no known reason"
FLOAT32 = "scores that differ in 64 bits are tied in 32"
TIES = "equal scores in another order"
DEEP = "more than 1000 documents, of which it reads no more"
SEEN = "divided by the relevant documents retrieved, not by all of them"
LEFT = "left to this tool"
_DEEPEST = 1000
_SLACK = {"gdeval": 5.001e-6, "trec_eval": 5.001e-5}  # what is printed rounded
_EXACT = 1e-9
# ir_measures' names and trec_eval's, without and with a number.
_TREC: dict[str, tuple[str | None, str | None]] = {
    **{
        "AP": ("map", "map_cut"),
        "nDCG": ("ndcg", "ndcg_cut"),
        "P": (None, "P"),
        "R": (None, "recall"),
    },
    **{
        "RR": ("recip_rank", None),
        "Rprec": ("Rprec", None),
        "Bpref": ("bpref", None),
        "Success": (None, "success"),
    },
    **{
        "SetP": ("set_P", None),
        "SetR": ("set_recall", None),
        "SetAP": ("set_map", None),
        "infAP": ("infAP", None),
    },
    **{"NumRel": ("num_rel", None), "BprefVariant": ("bpref", None)},
    "InterpolatedPrecision": ("11pt_avg", "iprec_at_recall"),
}


def crosscheck(measures: Measures, qrels: Qrels, runs: Runs) -> pd.DataFrame:
    """Compare our values with those of every tool at hand, topic by topic.

    Parameters
    ----------
    measures : measures of any toolkit, or their names
    qrels : in any form that `irpref.evaluator` takes
    runs : mapping of name to run, or list of paths

    Returns
    -------
    pandas.DataFrame
        A row for each run, measure and tool that computes the measure: how many `topics` were
        compared, on how many the values `differ`, the `largest` difference (the tool's value minus
        ours) and its `topic`, and `why`: the reasons, `'no known reason'`, or the error of a tool
        that could not compute it. A measure without rows is computed by no other tool here.

    Raises
    ------
    ValueError
        No measures; bad qrels or runs, as for `irpref.evaluator`.

    Examples
    --------
    >>> table = crosscheck(["AP"], {"q": {"a": 1, "b": 0}}, {"mine": {"q": {"a": 1.0, "b": 1.0}}})
    >>> table.loc[table["tool"] == "pytrec_eval", ["topics", "differ"]].to_numpy().tolist()
    [[1, 0]]
    """
    import pandas as pd

    chosen = parse_all(measures)
    if not chosen:
        raise ValueError("there are no measures to evaluate")
    judged = util.QrelsConverter(
        for_host(opened(qrels, "relevance"), "relevance")
    ).as_dict_of_dict()
    rows = []
    named = named_runs(runs)
    for name, run in named.items():
        with about(name, len(named) > 1):
            scored = util.RunConverter(for_host(opened(run, "score"), "score")).as_dict_of_dict()
            for measure in chosen:
                check_parameters(measure)
                rows += [(name, str(measure), *row) for row in _compared(measure, judged, scored)]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(
        {"topics": int, "differ": int, "largest": float}
    )


def _compared(measure: Measure, judged: Judged, scored: Scored) -> Iterator[tuple[Any, ...]]:
    """Rows of one measure and run, without the columns that name these two."""
    # Tools crash on grades that they cannot hold, and pytrec_eval on topics with negative grades
    # only.
    usable = {
        topic: docs
        for topic, docs in judged.items()
        if 0 <= max(docs.values(), default=-1) <= HIGHEST
    }
    mine = _values(measure, judged, scored) if supports(measure) else None
    why = _reasons(measure, judged, scored)
    for tool, compute in _tools(measure):
        if mine is None:
            yield tool, 0, 0, 0.0, None, LEFT
            continue
        try:
            theirs = compute(usable, scored)
        except (Exception, SystemExit) as error:  # of other people's code
            yield tool, 0, 0, 0.0, None, f"could not compute it: {clipped(in_words(error))}"
            continue
        slack = _SLACK.get(tool, _EXACT)
        common = [topic for topic in theirs if topic in mine and topic in scored]
        gaps = {
            topic: theirs[topic] - mine[topic]
            for topic in common
            if not abs(theirs[topic] - mine[topic]) <= slack
        }
        worst = max(gaps, key=lambda topic: abs(gaps[topic]), default=None)
        found = Counter(why(tool, topic, theirs[topic], slack) for topic in gaps)
        said = "; ".join(f"{reason} ({number})" for reason, number in found.most_common())
        yield tool, len(common), len(gaps), gaps[worst] if worst is not None else 0.0, worst, said


def _values(
    measure: Measure, judged: Judged, scored: Scored, float32: bool = False
) -> dict[str, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the scale, ties, ...: this is about values
        made = evaluator([measure], judged, float32=float32)
        assert isinstance(made, KernelEvaluator)
        return dict(zip(made.topic_ids, made.values(scored)[measure].tolist(), strict=True))


def _reasons(
    measure: Measure, judged: Judged, scored: Scored
) -> Callable[[str, str, float, float], str]:
    """A function of tool, topic, value and slack: why the tool has this value. What it needs is
    computed once.
    """

    @cache
    def rounded() -> dict[str, float]:
        return _values(measure, judged, scored, float32=True)

    @cache
    def ends(of: Measure) -> dict[str, tuple[float, float]]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = tie_intervals([of], judged, scored)
        return dict(
            zip(table["query_id"], zip(table["low"], table["high"], strict=True), strict=True)
        )

    def of_ties(of: Measure, topic: str, value: float, slack: float) -> bool:
        low, high = ends(of)[topic]
        return bool(low - slack <= value <= high + slack)

    def why(tool: str, topic: str, value: float, slack: float) -> str:
        if tool == "pytrec_eval" and abs(rounded()[topic] - value) <= slack:
            return FLOAT32
        if tool == "cwl_eval" and len(scored[topic]) > _DEEPEST:
            return DEEP
        if of_ties(measure, topic, value, slack):
            return TIES
        if (
            tool == "cwl_eval"
            and measure.NAME == "AP"
            and of_ties(SeenAP(rel=measure["rel"]), topic, value, slack)
        ):
            return SEEN
        return UNEXPLAINED

    return why


def _tools(measure: Measure) -> Iterator[tuple[str, Callable[[Judged, Scored], dict[str, float]]]]:
    """The tools that compute a measure: name, and function of judgments and run."""
    import ir_measures

    for provider in ir_measures.DefaultPipeline.providers:
        if str(provider.NAME).startswith("irpref") or not provider.is_available():
            continue
        try:
            able = provider.supports(measure)
        except (AssertionError, ValueError):  # it does not take these parameters
            continue
        if able:
            yield str(provider.NAME), partial(_by_provider, provider, measure)
    binary, name = shutil.which("trec_eval"), trec_name(measure)
    if binary is not None and name is not None:
        options = ["-m", name, "-l", f"{measure.params.get('rel', 1):g}"]
        if measure.params.get("judged_only"):
            options.append("-J")
        yield "trec_eval", partial(_by_trec_eval, [binary, "-q", "-c", *options])


def _by_provider(
    provider: Any, measure: Measure, judged: Judged, scored: Scored
) -> dict[str, float]:
    if provider.NAME != "gdeval":
        return {
            metric.query_id: metric.value
            for metric in provider.iter_calc([measure], judged, scored)
        }
    # Its topics are numbers.
    topics = {str(number): topic for number, topic in enumerate(judged, start=1)}
    grades = {number: judged[topic] for number, topic in topics.items()}
    scores = {number: scored[topic] for number, topic in topics.items() if topic in scored}
    return {
        topics[metric.query_id]: metric.value
        for metric in provider.iter_calc([measure], grades, scores)
    }


def trec_name(measure: Measure) -> str | None:
    """What trec_eval calls a measure, as its option `-m` takes it; None if it has no such measure."""
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
        found = (
            (topic, doc, score) for topic, docs in scored.items() for doc, score in docs.items()
        )
        run.write_text("".join(f"{topic} Q0 {doc} 0 {score!r} x\n" for topic, doc, score in found))
        done = subprocess.run(
            [*command, os.fspath(qrels), os.fspath(run)],
            capture_output=True,
            text=True,
            check=True,
            timeout=600,
        )
    lines = [line.split() for line in done.stdout.splitlines()]
    return {topic: float(value) for _, topic, value in lines if topic != "all"}
