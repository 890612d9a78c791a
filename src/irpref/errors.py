"""Errors and warnings that a program can tell apart.

    ValueError
      IrprefError                  everything that this package refuses
        InputError                 a file or a table cannot be read
          ColumnError              it lacks columns, or has one twice
          LabelError               it has a label instead of a grade, of unknown worth
        JudgmentsError             the judgments cannot be used
          EmptyJudgmentsError      there are none
          ConflictError            two judgments contradict each other
        RunError                   the run cannot be evaluated
          NoCommonTopicError       it answers no topic of the judgments
          AbsentRunError           no verdict: it answers no judged topic, or has no judged document
        MeasureError               a measure, or one of its parameters, is not accepted
          UnknownMeasureError      no measure has this name (a NameError, too)
        ArgumentError              an argument of a function is not accepted

    UserWarning
      IrprefWarning                everything that this package warns of
        ScaleWarning               the top of the grade scale was taken from the judgments
        DuplicateWarning           a run holds the same document twice in one topic
        RangeWarning               on these judgments, a measure leaves its usual range
        DegenerateWarning          the judgments leave a measure nothing to tell apart
        CutWarning                 a file may have been cut off

Attributes tell the subject of an error or a warning; attributes that do not apply are None. `str`
returns the whole message. `remedy` is a way to mend it: the message words it for Python, the
`irpref` command as an option.

>>> from irpref import read_qrels
>>> from irpref.errors import ColumnError
>>> import io
>>> try:
...     read_qrels(io.BytesIO(b"query_id,doc_id,useful\\n1,a,2\\n"), "csv")
... except ColumnError as error:
...     print(error.missing, error.header, error.remedy.argument, error.remedy.example)
('relevance',) ('query_id', 'doc_id', 'useful') columns {'relevance': 'useful'}

A file that does not exist raises Python's `FileNotFoundError`, and an object of an unsupported type
raises `TypeError`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

# The arguments before the one that a remedy names, in calls of these functions.
_CALLS = {
    "read_run": "path, ",
    "run": "data, ",
    "read_qrels": "path, ",
    "bind": "measures, qrels",
    "judgments": "qrels, ",
}


@dataclass(frozen=True, slots=True)
class Remedy:
    """What you can do about an error or a warning, mostly an argument to pass.

    Attributes
    ----------
    argument : str
        Its name in Python, such as `columns`, `labels`, `form` or `known`; empty if the remedy is a
        call, or `effect` says it all.
    example : object
        A value for it, such as `{"score": "NAME"}`; None if any value will do.
    call : str
        The public function that takes it; empty if that is clear.
    effect : str
        Its effect, as the end of the sentence: "names it".
    """

    argument: str = ""
    example: Any = None
    call: str = ""
    effect: str = ""

    def __str__(self) -> str:
        """Word the remedy for Python."""
        given = ""
        if self.argument:
            example = "..." if self.example is None else repr(self.example)
            given = f"{self.argument}={example}"
        if self.call:
            package = "" if self.call.startswith("irpref_lab.") else "irpref."
            given = f"{package}{self.call}({_CALLS.get(self.call, '')}{given})"
        return f"{given} {self.effect}".strip()


# Of judgments where a run is expected, and of a run where judgments are.
QRELS_FIRST = Remedy(effect="judgments come before runs")


class Told(Exception):  # warnings are exceptions, too
    """A message, its subject, and what you can do: shared by errors and warnings.

    Parameters
    ----------
    message : str
        Without the place, which is put in front of it.
    remedy : Remedy, optional
    **about : the attributes below

    Attributes
    ----------
    message : str
    remedy : Remedy or None
    run : str or None
        Name of the run, if there are several.
    path : str or None
        Name of the file.
    line : int, tuple of int, or None
        Number of the line, or of the lines, from 1.
    record : int or None
        Number of the record (or row) of a file without lines, from 1.
    topic, doc, column, measure, parameter : str or None
    value : object
        The value that was found, or passed for the parameter.
    """

    run: str | None = None
    path: str | None = None
    line: int | tuple[int, ...] | None = None
    record: int | None = None
    topic: str | None = None
    doc: str | None = None
    column: str | None = None
    measure: str | None = None
    parameter: str | None = None
    value: Any = None
    _place = ""  # the beginning of the message if there is no file
    _joint = ": "

    def __init__(self, message: str, *, remedy: Remedy | None = None, **about: Any) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        for name, value in about.items():
            if not hasattr(type(self), name):
                raise TypeError(f"{type(self).__name__} has no attribute {name!r}")
            setattr(self, name, value)

    @property
    def where(self) -> str:
        """The place in words: the file, and the line or record."""
        place = self._place if self.path is None else self.path
        if isinstance(self.line, int):
            place += f", line {self.line}"
        elif self.line is not None:
            shown = ", ".join(map(str, self.line[:6])) + ", ..." * (len(self.line) > 6)
            place += f", line{'s' * (len(self.line) > 1)} {shown}"
        elif self.record is not None:
            place += f", record {self.record}"
        return place.removeprefix(", ")

    def worded(self, remedy: str) -> str:
        """Return the whole message, with the remedy in words of your own (none if they are
        empty).
        """
        text = f"{self.where}{self._joint}{self.message}" if self.where else self.message
        if self.run not in (None, self.path):
            text = f"{self.run!r}: {text}"
        return f"{text}; {remedy}" if remedy else text

    def __str__(self) -> str:
        return self.worded("" if self.remedy is None else str(self.remedy))


# Errors -------------------------------------------------------------------------------------------


class IrprefError(Told, ValueError):
    """Base of all errors of this package."""


class InputError(IrprefError):
    """A file or a table cannot be read."""


class ColumnError(InputError):
    """A file or a table lacks columns, or has one twice.

    Attributes
    ----------
    missing : tuple of str
        The columns that are not there, by our names.
    header : tuple of str
        All columns that are there.
    table : str
        Its kind, if it is not a file: `DataFrame`.
    """

    missing: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    table: str = ""
    _joint = " "

    @property
    def where(self) -> str:
        """The place in words: the file and line, or the table."""
        return super().where or self.table


class LabelError(InputError):
    """A file has a label instead of a grade, and the label's grade is unknown.

    Attributes
    ----------
    label : str
    """

    label: str = ""


class JudgmentsError(IrprefError):
    """The judgments cannot be used."""

    _place = "qrels"


class EmptyJudgmentsError(JudgmentsError):
    """There are no judgments."""

    _place = ""


class ConflictError(JudgmentsError):
    """Two judgments contradict each other: of a document judged twice, `value` holds both values.

    Attributes
    ----------
    preferences : bool
        Whether these are preferences of one group rather than two grades of a document.
    """

    preferences: bool = False


class RunError(IrprefError):
    """The run cannot be evaluated."""

    _place = "run"


class NoCommonTopicError(RunError):
    """The run answers no topic of the judgments."""

    _place = ""


class AbsentRunError(RunError):
    """There can be no verdict about a run: it answers no judged topic, or none of its documents is
    judged.
    """

    _place = ""


class MeasureError(IrprefError):
    """A measure, or one of its parameters, is not accepted: of a parameter, `parameter` is the
    name and `value` what was given.

    Attributes
    ----------
    hint : str
        The end of the message for an unknown name: how names are written, or the nearest one.
    """

    hint: str = ""


class UnknownMeasureError(MeasureError, NameError):
    """No measure has this name.

    Attributes
    ----------
    nearest : str or None
        The name that was probably meant.
    """

    nearest: str | None = None


class ArgumentError(IrprefError):
    """An argument of a function is not accepted: `parameter` is its name, `value` its value."""


# Warnings -----------------------------------------------------------------------------------------


class IrprefWarning(Told, UserWarning):
    """Base of all warnings of this package."""


class ScaleWarning(IrprefWarning):
    """The top of the grade scale was taken from the qrels that were passed."""


class DuplicateWarning(IrprefWarning):
    """A run holds the same document twice in one topic."""


class RangeWarning(IrprefWarning):
    """On these judgments a measure leaves the range that makes its values comparable."""


class DegenerateWarning(IrprefWarning):
    """The judgments leave a measure nothing to tell apart."""


class CutWarning(IrprefWarning):
    """The last line of a file has no line end, and ends in a number that may have been longer."""
