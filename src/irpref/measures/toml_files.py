"""Names, papers and sentences that are kept as data, in the TOML files of this folder."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """The row of one measure in `measures.toml`, which compares all.

    Attributes
    ----------
    group : str
        The heading under which it is listed.
    recommended : mapping
        Parameters that examples show, if these are not the plain measure's.
    stands_for : mapping
        Measures of ir_measures that it equals or comes closest to, and with which parameters.
    elsewhere : mapping of str to str
        Names that it has in other tools, each with the text form of the same measure here.
    differs : sequence of mappings
        Tools with a different value: `tool` and version, `theirs`, `here`, and `why`, on what data.
    """

    group: str = "Other measures"
    recommended: Mapping[str, Any] = field(default_factory=dict)
    stands_for: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    differs: Sequence[Mapping[str, str]] = ()


def compared(measure: Any) -> Row:
    """Return the facts about a measure of ours beside all others; nothing of a stranger's."""
    return Row(**data("measures.toml").get(str(measure.NAME), {}))


@cache
def data(file: str) -> dict[str, Any]:
    """Read a file. `names.toml`: names of trec_eval alone, names that mean no measure here,
    misnomers, papers. `measures.toml`: see `Row`.
    """
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), file), "rb") as opened:
        return tomllib.load(opened)
