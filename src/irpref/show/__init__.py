"""Tables as text, and results that are data frames and look like the tables of the shell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irpref.show.text import Cell, Column, Table, of_frame, page_of, rounded

if TYPE_CHECKING:
    from irpref.show.frames import ResultFrame as ResultFrame

__all__ = ["Cell", "Column", "ResultFrame", "Table", "of_frame", "page_of", "rounded"]


def __getattr__(name: str) -> Any:
    if name == "ResultFrame":  # on first use: it imports pandas
        from irpref.show.frames import ResultFrame

        return ResultFrame
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
