"""Warnings that users can filter by class."""

import sys
import warnings


class IrprefWarning(UserWarning):
    """Base of all warnings of this package."""


class ScaleWarning(IrprefWarning):
    """The top of the grade scale was taken from the qrels at hand."""


class DuplicateWarning(IrprefWarning):
    """A run holds the same document twice in one topic."""


class DegenerateWarning(IrprefWarning):
    """The judgments leave a measure nothing to tell apart."""


def warn_user(message: str, category: type[IrprefWarning]) -> None:
    """Warn at the line of the user's code that led here, past the frames of this package and of its hosts."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in ("irpref", "ir_measures", "pyterrier"):
            break
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
