"""What results of resampling have in common: the measure, the systems, and two tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd


@dataclass(frozen=True, eq=False)
class Result:
    """What was found about one measure.

    Attributes
    ----------
    measure : str
    systems : tuple of str
    """

    measure: str
    systems: tuple[str, ...]

    def _frame(self, **columns: Any) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame({"measure": self.measure, **columns})
