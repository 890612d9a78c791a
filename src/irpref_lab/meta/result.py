"""The common part of results of resampling: the measure, the systems, and two tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd


@dataclass(frozen=True, eq=False)
class Result:
    """The result for one measure.

    Attributes
    ----------
    measure : str
    systems : tuple of str
    """

    measure: str
    systems: tuple[str, ...]

    def _frame(self, **columns: Any) -> pd.DataFrame:
        return pd.DataFrame({"measure": self.measure, **columns})
