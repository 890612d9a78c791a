"""Where tables are written, and how."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

import click

from irpref.cli.command import before_writing
from irpref.show.text import ENDINGS, LINES, Table, page_of, write

__all__ = ["Output"]

PICTURES = (".png", ".pdf", ".svg")
# Endings of files that a table as text would be hidden in.
NO_TEXT = (
    *PICTURES,
    *(".jpg", ".jpeg", ".html", ".htm"),
    *(".xlsx", ".xls", ".ods", ".parquet", ".gz", ".zst", ".zip", ".bz2", ".xz"),
)


@dataclass(frozen=True, slots=True)
class Output:
    """The choices of -f and -o.

    Parameters
    ----------
    file : str or None
        None: standard output.
    asked : str or None
        The format of -o.
    default : str
        The format of the command.
    pictures : bool
        Whether the command draws, too.

    Raises
    ------
    click.UsageError
        A table is not written to a file of this name.
    """

    file: str | None
    asked: str | None
    default: str = "table"
    pictures: bool = False

    def __post_init__(self) -> None:
        ending = self._ending
        # A number is no ending: results.2
        if self.draws or ending in ENDINGS or not ending.strip(".0123456789"):
            return
        if self.asked is None or ending in NO_TEXT:
            known = ", ".join([*ENDINGS, *PICTURES * self.pictures])
            other = "" if ending in NO_TEXT else "; for any other ending, give -o FORMAT"
            raise click.UsageError(
                f"-f {self.file}: tables are not written as {ending}, but as {known}{other}"
            )

    @property
    def _ending(self) -> str:
        return os.path.splitext(self.file or "")[1].lower()

    @property
    def draws(self) -> bool:
        """Whether the file is a picture."""
        return self.pictures and self._ending in PICTURES

    @property
    def form(self) -> str:
        """The text format: given by -o, by the name of the file, or by the command."""
        return self.asked or ENDINGS.get(self._ending, self.default)

    @property
    def for_programs(self) -> bool:
        """Whether programs read the output."""
        return self.form in LINES

    @contextmanager
    def open(self) -> Iterator[TextIO]:
        """Open standard output, or the file, which ends up whole or as it was.

        Raises
        ------
        click.UsageError
            See `irpref.cli.command.before_writing`.
        """
        before_writing(self.file)
        if self.file is None:
            yield sys.stdout
            return
        from irpref.data.replace import replaced

        with replaced(self.file) as beside, open(beside, "w", encoding="utf-8", newline="") as out:
            yield out

    def show(
        self,
        tables: Table | Sequence[Table],
        data: Table | None = None,
        head: bool = True,
        widest: int | None = None,
    ) -> None:
        """Write a table, or several.

        Parameters
        ----------
        tables : Table or sequence of Table
        data : Table, optional
            The table that is written in their place for programs.
        head : bool
            Whether tsv begins with the names of the columns.
        widest : int, optional
            Characters of a line on a wider screen.
        """
        if data is not None and self.for_programs:
            tables = data
        with self.open() as out:
            page = page_of(out, widest)
            for i, table in enumerate([tables] if isinstance(tables, Table) else tables):
                if i and not self.for_programs:
                    out.write("\n")
                write(table, self.form, out, page, head)
