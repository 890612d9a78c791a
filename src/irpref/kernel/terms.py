"""The contribution of each document to a value, and measures that are sums of contributions."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import update_wrapper
from typing import Any

import numpy as np

from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Bools, Floats, Ints, ratio

ByRank = Callable[[Ints, Ints], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """The summands of a measure: judged, unjudged and rest of a topic add up to its value.

    Attributes
    ----------
    judged : float array (n_judged,)
        Contribution of each row of the pool, retrieved or not.
    unjudged : callable, optional
        From topics (int array) and ranks (int array) of retrieved documents without a judgment to
        their contributions. None: they add nothing.
    rest : float array (n_topics,), optional
        The part that belongs to no document, such as the ranks below the end of a short list. None:
        nothing.
    columns : mapping of str to float array (n_judged,)
        Numbers that the contributions are made of; NaN if a document has no such number.
    unjudged_columns : mapping of str to callable
        The same for retrieved documents without a judgment, called as `unjudged`.
    counts : bool array (n_judged,), optional
        Documents that would add something at some rank. None: relevant ones, by the parameter `rel`
        if any.
    steps : mapping of str to str
        How to do the sum by hand, see `Working`.
    numbers : mapping of str to array (n_topics,)
        Numbers of the topic that the steps need.
    """

    judged: Floats
    unjudged: ByRank | None = None
    rest: Floats | None = None
    columns: Mapping[str, Floats] = field(default_factory=dict)
    unjudged_columns: Mapping[str, ByRank] = field(default_factory=dict)
    counts: Bools | None = None
    steps: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, Floats | Ints] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Working:
    """How to do the sum by hand: the steps, and the numbers that go into them.

    Attributes
    ----------
    steps : mapping of str to str
        The arithmetic by name: `{"precision": "count / rank", "adds": "precision / n"}`. The
        last one, `adds`, is the contribution of a document. A step is arithmetic of Python in the
        names of columns, of `numbers`, of parameters, and of `rank` and `grade`; it may call `min`,
        `max`, `log(x, base)`, `log2`, and `upto(x)` for the sum of x from rank 1 down to a
        document. 0 / 0 counts as 0. A document that lacks one of the columns adds nothing.
    numbers : mapping of str to array (n_topics,)
        Numbers of the topic.
    columns : mapping of str to array (n_hits of the documents,)
        Numbers of each document that can add something; NaN for one that has no such number.
    """

    steps: Mapping[str, str]
    numbers: Mapping[str, Floats | Ints] = field(default_factory=dict)
    columns: Mapping[str, Floats | Ints] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """A value as a sum over retrieved documents, divided by one number a topic.

    Attributes
    ----------
    documents : JudgedRun
        The documents that can add something.
    adds : float array (n_hits of documents,)
    size : array (n_topics,)
        The divisor of the sum; a topic with 0 has the value 0.
    working : callable, optional
        () -> `Working`: how to do the sum by hand, for explanations. It is not called for values.
    gain : callable, optional
        () -> float array (n_judged,): gain of each judged document. It is the first column of an
        explanation, and documents that have one count as in `Terms.counts`.
    counts : callable, optional
        () -> bool array (n_judged,): as `Terms.counts`, of a measure without gains.
    most : float
        The highest value. The same numbers added in another order may exceed it in the last digit.
    """

    documents: JudgedRun
    adds: Floats
    size: Floats | Ints
    working: Callable[[], Working] | None = None
    gain: Callable[[], Floats] | None = None
    counts: Callable[[], Bools] | None = None
    most: float = math.inf


class Sum:
    """The kernel of a measure that is a sum over documents: `@Sum` above a function that returns
    `Parts`.

    Its `terms` follow from the same parts, so the measure can be explained.
    """

    def __init__(self, parts: Callable[..., Parts]) -> None:
        self.parts = parts
        update_wrapper(self, parts)

    def __reduce__(self) -> Any:
        # The name of the decorated function now means this object, which is pickled by that name.
        # In `__main__`, the function itself is pickled, if that is possible.
        module, name = (
            getattr(self.parts, "__module__", ""),
            getattr(self.parts, "__qualname__", ""),
        )
        named = module != "__main__" and getattr(sys.modules.get(module), name, None) is self
        return name if named else (Sum, (self.parts,))

    def __call__(self, run: JudgedRun, **parameters: Any) -> Floats:
        parts = self.parts(run, **parameters)
        return np.minimum(ratio(parts.documents.hits.total(parts.adds), parts.size), parts.most)

    def terms(self, run: JudgedRun, **parameters: Any) -> Terms:
        """Compute how much each document adds: shape (n_judged,)."""
        parts = self.parts(run, **parameters)
        working = Working({}) if parts.working is None else parts.working()
        columns = {
            name: parts.documents.on_pool(values * 1.0) for name, values in working.columns.items()
        }
        counts = parts.counts and parts.counts()
        if parts.gain is not None:
            gain = parts.gain()
            columns, counts = {"gain": gain, **columns}, gain > 0
        size: Any = parts.documents.hits.spread(parts.size)
        return Terms(
            parts.documents.on_pool(ratio(parts.adds, size), 0.0),
            columns=columns,
            counts=counts,
            steps=working.steps,
            numbers=working.numbers,
        )
