"""What each document contributes to a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from irpref.arrays.record import Record
from irpref.arrays.segments import Bools, Floats, Ints

ByRank = Callable[[Ints, Ints], Floats]
_NONE: Mapping[str, Any] = MappingProxyType({})


class Terms(Record):
    """The summands of a measure: judged, unjudged and rest of a topic add up to its value.

    Attributes
    ----------
    judged : float array (n_judged,)
        Contribution of each row of the pool, retrieved or not.
    unjudged : callable, optional
        From topics (int array) and ranks (int array) of retrieved documents without a judgment to their
        contributions. None: they add nothing.
    rest : float array (n_topics,), optional
        What belongs to no document, such as the ranks below the end of a short list. None: nothing.
    columns : mapping of str to float array (n_judged,)
        What the contributions are made of; NaN if a document has no such thing.
    unjudged_columns : mapping of str to callable
        The same for retrieved documents without a judgment, called as `unjudged`.
    counts : bool array (n_judged,), optional
        Documents that would add something at some rank. None: relevant ones, by the parameter `rel` if any.
    """

    judged: Floats
    unjudged: ByRank | None = None
    rest: Floats | None = None
    columns: Mapping[str, Floats] = _NONE
    unjudged_columns: Mapping[str, ByRank] = _NONE
    counts: Bools | None = None
