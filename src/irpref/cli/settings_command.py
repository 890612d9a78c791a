"""`irpref settings`: which thresholds and gains fit public data sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from irpref.cli import options
from irpref.cli.command import Argument, command
from irpref.cli.output import Output
from irpref.show.text import Column, Table

TEXTS = ("data set", "grades", "gains", "non-relevant", "notes", "note")


@command("settings")
@click.argument(
    "names",
    cls=Argument,
    metavar="[DATASET...]",
    nargs=-1,
    help="ids of ir_datasets (default: all that have judgments)",
)
@options.writing
def settings(names: tuple[str, ...], out: Output) -> None:
    """Show which rel, gains and max_rel suit public data sets.

    Everything comes from ir_datasets; nothing is downloaded if it knows the grades of a data set.
    If the column non-relevant says "none", bpref ranks systems exactly as recall does; so do rpref
    and n-pref if there is a single grade.

    \b
    irpref settings msmarco-passage/trec-dl-2019 cranfield
    irpref settings -f settings.md      # all public data sets
    """
    from irpref.settings import names_with_qrels, scale_of

    numbers: dict[str, int] = {}  # of the notes, each of which is printed once
    rows = []
    for name in names or names_with_qrels():
        scale = scale_of(name)
        notes = [numbers.setdefault(note, len(numbers) + 1) for note in scale.note.splitlines()]
        rows.append(
            {
                "data set": name,
                "grades": " ".join(f"{grade:g}" for grade in scale.grades),
                "rel": scale.rel,
                "gains": ",".join(f"{grade}={gain}" for grade, gain in scale.gains.items()),
                "max_rel": scale.max_rel,
                "non-relevant": "yes" if scale.has_nonrelevant else "none",
                "notes": " ".join(map(str, notes)),
                "note": " ".join(scale.note.splitlines()),
            }
        )
    out.show(
        _table(rows, "note", [f"{number}  {note}" for note, number in numbers.items()]),
        data=_table(rows, "notes"),
    )


def _table(rows: list[dict[str, Any]], without: str, notes: Sequence[str] = ()) -> Table:
    """Show all columns but one."""
    columns = [name for name in rows[0] if name != without]
    return Table(
        [Column(name, left=name in TEXTS) for name in columns],
        [[row[name] for name in columns] for row in rows],
        notes=notes,
        labels=1,
    )
