"""The arguments of `pt.Experiment`, as the functions of `pt.irpref` take them: systems, topics,
qrels.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from irpref.errors import ArgumentError, NoCommonTopicError
from irpref.judged.inputs import id_text
from irpref.judged.judgments import Judgments, as_judgments
from irpref.judged.types import QrelsLike

if TYPE_CHECKING:
    import pandas as pd

Names: TypeAlias = Sequence[str] | None
LONGEST_NAME = 40  # characters of what a pipeline prints that are a name as they are
# Text in quotation marks, which may hold parentheses; the beginning of a stage's arguments; others.
_TOKENS = re.compile(r"""'[^']*'|"[^"]*"|(?<=\w)\(|.""", re.DOTALL)
_ADDRESS = re.compile(r"<[\w.<>]*?(\w+) object at 0x[0-9a-fA-F]+>")


def qrels(data: QrelsLike) -> pd.DataFrame:
    """Return judgments as the frame that `pt.Experiment` takes, with grades that count up.

    In Cranfield, for example, 1 is the best grade and 4 the worst, so that every measure would
    reward the worst documents of `pt.get_dataset("irds:cranfield").get_qrels()`. Given the data set
    or its id, this turns such grades round, as `irpref.evaluator` does.

    Parameters
    ----------
    data : id of a data set of ir_datasets (with or without `irds:`), dataset of PyTerrier, or any
        other qrels

    Returns
    -------
    DataFrame
        With the columns `qid`, `docno`, `label`, and further ones of the judgments.

    Raises
    ------
    ValueError
        Bad qrels, see `irpref.judgments`.

    Warns
    -----
    IrprefWarning
        The grades were turned round.

    Examples
    --------
    >>> qrels({"q1": {"d1": 2, "d2": 0}})
      qid docno  label
    0  q1    d1      2
    1  q1    d2      0
    """
    if isinstance(data, str):
        data = data.removeprefix("irds:")
        data = re.sub("^irpref:", "irpref/", data)
    return as_judgments(data).frame(pyterrier=True)


def judgments_of(qrels: QrelsLike, topics: pd.DataFrame | None) -> Judgments:
    """Select the judgments of these topics, as `pt.Experiment` uses them.

    Raises
    ------
    TypeError
        `topics` is not a frame with a column `qid`.
    ValueError
        No topic has judgments.
    """
    if topics is None:
        return as_judgments(qrels)
    if "qid" not in getattr(topics, "columns", ()):
        what = ", ".join(map(str, getattr(topics, "columns", [type(topics).__name__])))
        raise TypeError(f"topics: expected a frame with the columns qid and query, got {what}")
    wanted = list(dict.fromkeys(map(id_text, topics["qid"])))
    read = as_judgments(qrels)
    if len(read) and not set(wanted) & set(read.topic_ids):
        begin = [", ".join(map(repr, ids[:3])) or "none" for ids in (wanted, read.topic_ids)]
        raise NoCommonTopicError(
            f"topics and qrels have no topic in common: the first topics are {begin[0]}, and "
            f"{begin[1]} in the qrels"
        )
    return read.only(wanted)


def check_systems(systems: Any) -> None:
    """Raise `TypeError` if the first argument is one system, or no systems at all."""
    import pyterrier
    from ir_measures.measures import Measure

    if hasattr(systems, "columns") or isinstance(systems, (str, pyterrier.Transformer, Measure)):
        raise TypeError(
            f"systems: expected a list of pipelines or frames, got {type(systems).__name__}; "
            f"functions of pt.irpref take (systems, topics, qrels, measures), as pt.Experiment does"
        )


def runs_of(systems: Any, topics: Any, names: Names) -> dict[str, Any]:
    """Collect the runs of systems by name; pipelines retrieve for the topics.

    Parameters
    ----------
    systems : list of pipelines, result frames, or runs in any other form; or a mapping of their
        names to these
    topics : frame with columns `qid` and `query`, or None if there are no pipelines
    names : list of str, optional
        Names of the systems, if these are a list. None: pipelines are named as they print, as in
        `pt.Experiment`, though without the addresses of objects, and long ones by their stages
        alone; frames `run 1`, `run 2`, ...

    Raises
    ------
    TypeError
        There are pipelines and no `topics`, or `systems` is not a list or mapping.
    ValueError
        There are not as many names as systems, or two names are equal.
    """
    import pyterrier

    pipeline = pyterrier.Transformer
    check_systems(systems)
    if isinstance(systems, Mapping):
        given = {str(name): system for name, system in systems.items()}
    else:
        given = _named(list(systems), names, pipeline)
    for name, system in given.items():
        if isinstance(system, pipeline) and topics is None:
            raise TypeError(
                f"the system {name!r} retrieves for topics: pass a frame with the columns qid and "
                f"query"
            )
    return {
        name: system(topics) if isinstance(system, pipeline) else system
        for name, system in given.items()
    }


def _stages(printed: str) -> str:
    """Shorten the text of a long pipeline to the names of its stages."""
    # A stage that says nothing of itself prints an address: its class is enough.
    printed = _ADDRESS.sub(r"\1", printed)
    if len(printed) <= LONGEST_NAME:
        return printed
    kept, depth = "", 0  # depth: of parentheses, from a stage's arguments on
    for match in _TOKENS.finditer(printed):
        token = match.group()
        opens = token == "(" and (depth > 0 or printed[: match.start()][-1:].isidentifier())
        depth += opens
        if depth == 0:
            kept += token
        depth -= token == ")" and depth > 0
    # Parentheses that are left group stages; the ones around the whole say nothing.
    return kept[1:-1] if re.fullmatch(r"\([^()]*\)", kept) else kept


def _named(systems: Sequence[Any], names: Names, pipeline: type) -> dict[str, Any]:
    if names is None:
        names = [
            _stages(str(system)) if isinstance(system, pipeline) else f"run {i}"
            for i, system in enumerate(systems, 1)
        ]
        names = [
            f"{name} ({i})" if names.count(name) > 1 else name for i, name in enumerate(names, 1)
        ]
    if isinstance(names, str):
        raise TypeError(f"names: expected a list of names, one per system, got the text {names!r}")
    if len(names) != len(systems) or len(set(names)) < len(systems):
        raise ArgumentError(
            f"names: expected {len(systems)} different names, one per run, got {list(names)!r}",
            parameter="names",
            value=names,
        )
    return dict(zip(names, systems, strict=True))
