"""Data frames with attributes, which look in Python as in the shell: results of `explain` and
the lab.
"""

from __future__ import annotations

from collections.abc import Sequence
from inspect import get_annotations
from shutil import get_terminal_size
from typing import Self

import pandas as pd

from irpref.show.text import Page, Table, text


class ResultFrame(pd.DataFrame):  # type: ignore[misc]  # pandas ships no types
    """A DataFrame that keeps the attributes that its class declares when pandas derives another
    frame from it.

    Printed, and in a notebook, a result that has `tables` looks as in the shell. Part of it
    (other rows or columns) looks as any DataFrame.
    """

    _whole: tuple[int, tuple[str, ...]] | None = None  # rows and columns of the result

    def __init_subclass__(cls) -> None:
        cls._metadata = [*cls._metadata, *get_annotations(cls)]

    @property
    def _constructor(self) -> type[Self]:
        return type(self)

    def tables(self) -> Sequence[Table]:
        """Return the result as tables for readers."""
        raise NotImplementedError

    def in_paper(self) -> Sequence[Table]:
        """Return the result as tables for a paper."""
        return self.tables()

    def made(self) -> Self:
        """Return the result itself, now that it has all its rows and columns."""
        object.__setattr__(self, "_whole", (len(self), tuple(self.columns)))
        return self

    @property
    def is_whole(self) -> bool:
        """Whether this is the result itself, not part of it."""
        return self._whole == (len(self), tuple(self.columns))

    def __repr__(self) -> str:
        """Print it as the shell does."""
        if not self.is_whole:
            return str(super().__repr__())
        page = Page(get_terminal_size((80, 24)).columns)
        return "\n".join(text(table, page=page) for table in self.tables()).rstrip("\n")

    def _repr_html_(self) -> str | None:
        if not self.is_whole:
            shown: str | None = super()._repr_html_()
            return shown
        return "\n".join(text(table, "html") for table in self.tables())
