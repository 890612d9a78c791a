"""Every measure once more, to be read: the formula as the paper has it, in plain loops and exact
fractions.

The kernels that irpref computes with work on arrays of all topics at once. What is here does one
topic, slowly, and shares nothing with them: no arrays, no NumPy. The tests compare the two, on
drawn and on submitted runs.

    FORMULAS[name](ranking, judgments, **parameters) -> value of one topic

ranking     document ids, best first (`order` makes one of scores)
judgments   document id -> grade, all judged documents of the topic
parameters  the measure's own, with the same names and defaults

One topic does not know everything. Give `scale`, the highest gain of the whole qrels (at least 1),
in place of `max_rel`; `known`, the set of documents the user knew, and `expected`, a number, to the
user-oriented measures; `scores`, document to score, to the measures of preferences. `values` does
this for a whole collection.

>>> from reference import FORMULAS
>>> FORMULAS["RPref"](["c", "a", "b"], {"a": 2, "b": 1, "c": 0}, max_rel=2)
Fraction(1, 3)
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from reference import explicit as preferences  # they enter their formulas
from reference import graded, position, preference, user  # they enter their formulas
from reference import host_measures as everyday  # they enter their formulas
from reference.symbols import FORMULAS, Judgments, Number, formula, order, scale_of

__all__ = ["FORMULAS", "formula", "order", "scale_of", "values"]
__all__ += ["everyday", "graded", "position", "preference", "preferences", "user"]


def values(
    name: str,
    qrels: Mapping[str, Judgments],
    run: Mapping[str, Mapping[str, Number]],
    *,
    known: Mapping[str, set[str]] | None = None,
    expected: Number | Mapping[str, Number] | None = None,
    **parameters: Any,
) -> dict[str, float]:
    """Value of each topic of the qrels, in their order; a topic missing from the run is an empty
    ranking.

    Parameters
    ----------
    name : str
        Name of the measure.
    qrels : mapping
        Topic to document to grade.
    run : mapping
        Topic to document to score.
    known : mapping, optional
        Topic to the documents that the user knew.
    expected : number, or mapping of topics to numbers, optional
        How many relevant documents the user expected.
    **parameters
        Of the measure.

    Returns
    -------
    dict of str to float
        Values by topic.
    """
    wanted = inspect.signature(FORMULAS[name]).parameters
    if "scale" in wanted:
        parameters["scale"] = scale_of(qrels, parameters.get("gains"))
    by_topic = {}
    for query_id, judgments in qrels.items():
        own = dict(parameters)
        if "known" in wanted:
            own["known"] = set((known or {}).get(query_id, ()))
        if "scores" in wanted:
            own["scores"] = run.get(query_id, {})
        if expected is not None:
            own["expected"] = expected[query_id] if isinstance(expected, Mapping) else expected
        by_topic[query_id] = float(FORMULAS[name](order(run.get(query_id, {})), judgments, **own))
    return by_topic
