"""Results of verdicts: data frames with attributes, and the tables that readers see."""

from __future__ import annotations

from irpref.show import ResultFrame


class VerdictFrame(ResultFrame):
    """The common part of all results.

    Attributes
    ----------
    text : str
        The verdict in a line for each measure; of a gate, in one line.
    level : float
    notes : list of str
        The evidence and remarks in words, a sentence each.
    grave : list of str
        Findings that would mislead, as `irpref check` words them, a line for each code.
    """

    text: str
    level: float
    notes: list[str]
    grave: list[str]
