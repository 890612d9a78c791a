"""Results of the lab: data frames with attributes, which look in Python as in the shell."""

from __future__ import annotations

from typing import Any, TypeAlias

from irpref.show import ResultFrame

__all__ = ["ResultFrame", "Row"]

Row: TypeAlias = dict[str, Any]  # of a table: a value for each column
