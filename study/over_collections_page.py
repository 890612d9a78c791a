"""Write docs/many-collections.md from study/over-collections.json and study/five-collections.csv:
every figure is computed, none typed.
"""

from __future__ import annotations

import json
from pathlib import Path
from runpy import run_path
from typing import Any

import irpref_lab
from study import five_collections
from study import over_collections as made
from study.error_rates import MEASURES
from study.error_rates_page import percent, table

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "many-collections.md"


def cells_of(stored: dict[str, Any], world: str) -> list[dict[str, Any]]:
    """Return the cells of one kind of experiment."""
    return [cell for cell in stored["cells"] if cell["world"] == world]


def rates(stored: dict[str, Any], world: str, over: str) -> str:
    """Tabulate errors and misses: a row for each measure."""
    cells = {(one["measure"], one["collections"]): one for one in cells_of(stored, world)}

    def both(cell: dict[str, Any]) -> str:
        shares = [cell[f"{what}_{over}"] for what in ("error", "miss")]
        return "-" if None in shares else f"{percent(shares[0])}; {percent(shares[1])}"

    head = ["measure", *(f"{k} collections" for k in made.COUNTS)]
    rows = ([m, *(both(cells[m, k]) for k in made.COUNTS)] for m in MEASURES)
    return table(head, rows)


def spread(cells: list[dict[str, Any]], name: str) -> tuple[str, str]:
    """Return the least and the largest share of some cells, in per cent."""
    shares = [cell[name] for cell in cells if cell[name] is not None]
    return percent(min(shares)), percent(max(shares))


def page() -> str:
    """Return the page of the documentation."""
    stored = json.loads(made.RESULTS.read_text(encoding="utf-8"))
    five = irpref_lab.collections(irpref_lab.values(five_collections.VALUES))
    measure = five_collections.MEASURE
    board: Any = irpref_lab.leaderboard(measure, five, by_collection=True)
    first, last = board["run"].iloc[0], board["run"].iloc[-1]
    means = board.by_collection[measure].loc[first]
    shown = board[["run", "mean", "place", "letters", "borda", *means.index]]
    fixed, sample = cells_of(stored, "fixed"), cells_of(stored, "sample")
    error, miss = spread(fixed, "error_topics"), spread(fixed, "miss_topics")
    of_sample = spread(sample, "error_collections")
    pair, of_others = (
        irpref_lab.compare(measure, five, last, first, over=over).text.splitlines()[0]
        for over in ("topics", "collections")
    )
    topics: Any = irpref_lab.compare(measure, five, last, first)
    return (
        (HERE / "many-collections.md.in")
        .read_text(encoding="utf-8")
        .format(
            topics=int(topics["topics"].iloc[0]),
            board=shown.round(4).to_string(index=False),
            first=first,
            last=last,
            pair=pair,
            sample=of_others,
            low=f"{means.min():.2f}",
            high=f"{means.max():.2f}",
            experiments=f"{stored['experiments']:,}",
            populations=stored["populations"],
            sizes=f"{min(made.SIZES)} to {max(made.SIZES):,}",
            counts=", ".join(map(str, made.COUNTS[:-1])) + f" and {made.COUNTS[-1]}",
            fixed=rates(stored, "fixed", "topics"),
            sample_table=rates(stored, "sample", "collections"),
            error_low=error[0],
            error_high=error[1],
            miss_low=miss[0],
            miss_high=miss[1],
            worst=spread(sample, "error_topics")[1],
            sample_low=of_sample[0],
            sample_high=of_sample[1],
        )
    )


def write() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    run_path(str(Path(__file__).parents[1] / "docs" / "own_source.py"))
    write()
