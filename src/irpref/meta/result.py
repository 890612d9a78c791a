"""What results of resampling have in common: the measure, the systems, and two tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

    def table(self) -> pd.DataFrame:
        """Everything that was found: columns as the class lists them."""
        return self._frame(self._rows())

    def summary(self) -> pd.DataFrame:
        """The numbers that are usually reported: one row."""
        return self._frame({name: [value] for name, value in self._numbers().items()})

    def _frame(self, columns: Mapping[str, Any]) -> pd.DataFrame:
        import pandas as pd

        frame = pd.DataFrame(dict(columns))
        frame.insert(0, "measure", self.measure)
        return frame

    def _rows(self) -> Mapping[str, Any]:
        raise NotImplementedError

    def _numbers(self) -> Mapping[str, float]:
        raise NotImplementedError
