"""Who takes part: ours with every measure of the package, the others with Bpref alone.

A contestant takes qrels and runs in one of the forms of `workloads.FORMS` and returns the average
of each measure. A tool that is not installed is left out, with one line."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import cache
from typing import Any

# All measures of the package that any qrels will do for. (Coverage and Novelty need a column with
# the documents that users knew, which dicts and TREC files cannot hold.) The scale is explicit.
OURS = (
    "RPref(max_rel=3)",
    "RPref(norm='relative',max_rel=3)",
    "NPref(n=4,max_rel=3)",
    "BprefVariant",
    "BprefVariant(norm='R')",
    "BprefVariant(norm='N')",
    "BprefVariant(norm='10')",
    "QMeasure",
    "OMeasure",
    "PMeasure",
    "PPlus",
    "NCU",
    "CRP",
    "nCRP",
    "CRPRecovery",
    "Twist",
    "RelativeRecall",
    "RecallEffort",
    "EMeasure",
    "FMeasure",
    "OriginalNDCG",
)

Contestant = Callable[[Any, list[Any]], list[dict[str, float]]]


def irpref_each(qrels: Any, runs: list[Any]) -> list[dict[str, float]]:
    """Evaluate with ours, a new evaluator for every run, as PyTerrier builds them."""
    return [_named(_evaluator(qrels).calc_aggregate(run)) for run in runs]


def irpref_once(qrels: Any, runs: list[Any]) -> list[dict[str, float]]:
    """Evaluate with ours, one evaluator for all runs."""
    evaluator = _evaluator(qrels)
    return [_named(evaluator.calc_aggregate(run)) for run in runs]


def _evaluator(qrels: Any) -> Any:
    """Make an evaluator by ir_measures' own entry, which users have; by ours for polars frames,
    which that does not pass on.
    """
    import ir_measures

    import irpref

    entry = irpref if type(qrels).__module__.startswith("polars") else ir_measures
    return entry.evaluator(measures(), qrels)


def ir_measures_each(qrels: Any, runs: list[Any]) -> list[dict[str, float]]:
    """Evaluate with ir_measures' Bpref, a new evaluator for every run."""
    import ir_measures

    return [_named(ir_measures.calc_aggregate([ir_measures.Bpref], qrels, run)) for run in runs]


def ir_measures_once(qrels: Any, runs: list[Any]) -> list[dict[str, float]]:
    """Evaluate with ir_measures' Bpref, one evaluator for all runs."""
    import ir_measures

    evaluator = ir_measures.evaluator([ir_measures.Bpref], qrels)
    return [_named(evaluator.calc_aggregate(run)) for run in runs]


def pytrec_eval_once(qrels: Any, runs: list[Any]) -> list[dict[str, float]]:
    """Evaluate with pytrec_eval itself, on dicts."""
    import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator(qrels, ["bpref"])
    out = []
    for run in runs:
        values = evaluator.evaluate(run)
        out.append({"Bpref": sum(v["bpref"] for v in values.values()) / len(qrels)})
    return out


def ranx_each(qrels: Any, runs: list[Any]) -> list[dict[str, float]]:
    """Evaluate with ranx' bpref, from frames or dicts to the value."""
    import ranx

    def made(kind: Any, data: Any, value: str) -> Any:
        if isinstance(data, dict):
            return kind.from_dict(data) if kind is ranx.Run else kind(data)
        data = data.astype(
            {"query_id": object, "doc_id": object, value: float if value == "score" else int}
        )
        return kind.from_df(data, q_id_col="query_id", doc_id_col="doc_id", score_col=value)

    out = []
    for run in runs:
        value = ranx.evaluate(
            made(ranx.Qrels, qrels, "relevance"), made(ranx.Run, run, "score"), "bpref"
        )
        out.append({"Bpref": float(value)})
    return out


@cache
def measures() -> tuple[Any, ...]:
    """Read all measures of the package once, since a program has them as objects."""
    import irpref

    return tuple(irpref.parse_all(OURS))


def _named(values: dict[Any, float]) -> dict[str, float]:
    return {str(measure): value for measure, value in values.items()}


# Name, function, module that must be there, forms it takes.
FRAMES = ("object", "str", "str-arrow", "category")
CONTESTANTS: dict[str, tuple[Contestant, str, tuple[str, ...]]] = {
    "irpref": (irpref_each, "irpref", ("dict", "tuples", *FRAMES, "polars")),
    "ir_measures": (ir_measures_each, "ir_measures", ("dict", "tuples", *FRAMES)),
    "pytrec_eval": (pytrec_eval_once, "pytrec_eval", ("dict",)),
    "ranx": (ranx_each, "ranx", ("dict", "object")),
}
# Against each other where there are many runs.
MANY: dict[str, tuple[Contestant, str, tuple[str, ...]]] = {
    "irpref, new evaluator": (irpref_each, "irpref", ("dict", *FRAMES, "polars")),
    "irpref, prepared": (irpref_once, "irpref", ("dict", *FRAMES, "polars")),
    "ir_measures": (ir_measures_each, "ir_measures", ("dict", *FRAMES)),
    "ir_measures, prepared": (ir_measures_once, "ir_measures", ("dict", *FRAMES)),
}


def fresh() -> None:
    """Forget the earlier qrels that irpref keeps: a first evaluation is the one most people wait
    for.
    """
    from irpref.judged import pool_cache

    pool_cache.forget()


def installed(module: str) -> bool:
    """Test whether a contestant's package is there."""
    return importlib.util.find_spec(module) is not None
