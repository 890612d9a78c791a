"""Warnings that users can filter by class."""


class IrprefWarning(UserWarning):
    """Base of all warnings of this package."""


class ScaleWarning(IrprefWarning):
    """The top of the grade scale was taken from the qrels at hand."""


class DuplicateWarning(IrprefWarning):
    """A run holds the same document twice in one topic."""


class DegenerateWarning(IrprefWarning):
    """The judgments leave a measure nothing to tell apart."""
