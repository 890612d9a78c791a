"""The frame of preferences that every reader of preferences returns."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.data.columns import objects, to_frame
from irpref.errors import ConflictError, InputError

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("query_id", "group", "subgroup", "doc_id", "relevance")


def of_pairs(
    topic: Any,
    docs: Any,
    judge: Any,
    preferred: Any,
    place: Callable[[Collection[int]], dict[str, Any]],
) -> pd.DataFrame:
    """Make the frame of pairs: the winner on level 2, the loser on level 1 of a subgroup of their
    own.

    Parameters
    ----------
    topic : object array (n_pairs,)
    docs : object array (n_pairs, 2)
        The winner first, unless `preferred` says which one is.
    judge, preferred : object array (n_pairs,), or None
    place : callable
        Of numbers of pairs, from 0, to the attributes of an error about them.

    Raises
    ------
    InputError
        The preferred document is neither of the two.
    ConflictError
        Preferences of a judge contradict each other.
    """
    import pandas as pd

    number = pd.Series(topic, dtype=object).groupby(topic).cumcount() + 1
    pair = objects(list(map(str, number)))
    if preferred is not None:
        # Several people may have judged a pair, and disagree: each line has a judge of its own.
        judge, docs = pair, _preferred_first(docs, preferred, place)
    ids = (topic, zeros(len(topic)) if judge is None else judge, pair)
    columns = (*(np.repeat(column, 2) for column in ids), docs.ravel(), np.tile([2, 1], len(topic)))
    frame: pd.DataFrame = to_frame(dict(zip(COLUMNS, columns, strict=True)))
    check_preferences(frame, 2, place)
    return frame


def _preferred_first(
    docs: Any, preferred: Any, place: Callable[[Collection[int]], dict[str, Any]]
) -> Any:
    """Put the preferred document of each pair first: (n_pairs, 2). Raises as `of_pairs`."""
    is_preferred = docs == preferred[:, None]
    for bad in np.flatnonzero(~is_preferred.any(axis=1))[:1].tolist():
        shown = " ".join([*docs[bad], preferred[bad]])
        raise InputError(f"the preferred document is neither of the two: {shown!r}", **place([bad]))
    return np.where(is_preferred[:, :1], docs, docs[:, ::-1])


def zeros(size: int) -> Any:
    """Make a column of the group `0`."""
    return np.repeat(objects(["0"]), size)


def check_preferences(
    frame: pd.DataFrame,
    rows_of_line: int,
    place: Callable[[Collection[int]], dict[str, Any]],
) -> None:
    """Raise `ConflictError` with its place if preferences contradict each other."""
    import pandas as pd

    from irpref.kernel.closure import ConflictingError, check, conflict_text

    # Sorted by name, so that the message names the same contradiction whatever the order of the
    # lines.
    topic, group, subgroup, doc = (pd.factorize(frame[name], sort=True)[0] for name in COLUMNS[:-1])
    row = topic * (int(doc.max(initial=0)) + 1) + doc
    try:
        check(topic, group, subgroup, row, frame["relevance"].to_numpy(dtype=np.float64))
    except ConflictingError as error:
        wanted = {row // rows_of_line for pair in error.rows for row in pair}

        def judgment(at: int) -> tuple[str, str, str]:
            return tuple(frame[name].iloc[at] for name in ("query_id", "group", "doc_id"))

        raise ConflictError(
            conflict_text(error, judgment),
            preferences=True,
            topic=judgment(error.rows[0][0])[0],
            doc=judgment(error.rows[0][0])[2],
            **place(wanted),
        ) from None
