"""The file that `irpref plot` and `irpref leaderboard` draw into."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import click

from irpref.cli.command import before_writing
from irpref.cli.output import PICTURES
from irpref.data import replaced


class Picture:
    """The file of a picture, and how it is drawn.

    Raises
    ------
    click.UsageError
        The name has no known ending.
    """

    def __init__(
        self, file: str, size: tuple[float, float] | None, dpi: int, title: str | None
    ) -> None:
        if Path(file).suffix.lower() not in PICTURES:
            raise click.UsageError(
                f"the name of the picture must end in .png, .pdf or .svg, got {file!r}"
            )
        self.file, self.size, self.dpi, self.title = file, size, dpi, title

    @classmethod
    def from_options(cls, how: dict[str, Any]) -> Picture:
        """Take the options of `lab_options.picture` out of others."""
        return cls(*(how.pop(name) for name in ("file", "size", "dpi", "title")))

    def axes(self) -> Any:
        """Return the axes to draw on; None for the function's own."""
        from irpref_lab.plots import axes

        return axes(self.size) if self.size else None

    def save(self, ax: Any) -> None:
        """Write the figure, whole or not at all, and close it."""
        from matplotlib import pyplot

        before_writing(self.file)
        if self.title is not None:
            ax.set_title(self.title)
        data = BytesIO()
        try:
            # In memory first: matplotlib's writer of PDF breaks down in other ways on a disk that
            # is full.
            ax.figure.savefig(data, format=Path(self.file).suffix[1:].lower(), dpi=self.dpi)
        finally:
            pyplot.close(ax.figure)
        with replaced(self.file) as beside:
            Path(beside).write_bytes(data.getvalue())
