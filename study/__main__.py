"""The robustness study: `python -m study FOLDER...` computes, `python -m study page` writes docs/robustness.md."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from study.cells import Cell, Found, Plan
    from study.data import Collection

HERE = Path(__file__).parent


def parser() -> argparse.ArgumentParser:
    """The command."""
    made = argparse.ArgumentParser(
        prog="python -m study",
        description="Compute the result files of the robustness study, one folder a collection; "
        "`python -m study page` writes the page from them.",
    )
    made.add_argument("folders", nargs="+", metavar="FOLDER", help="a collection: qrels/, runs/ and perhaps runs.tsv")
    made.add_argument("-o", "--output", default=str(HERE / "results"), help="where results go (default: study/results)")
    made.add_argument("--resume", action="store_true", help="keep what an interrupted study has computed")
    made.add_argument("--samples", type=int, default=100, help="samples of each loss (default: 100)")
    made.add_argument("--replicates", type=int, default=1000, help="of the bootstrap (default: 1000)")
    made.add_argument("--seed", type=int, default=2006, help="of all draws (default: 2006)")
    made.add_argument("--other-seed", type=int, metavar="SEED", help="also say what another seed moves (seed.csv)")
    made.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    made.add_argument(
        "--rel",
        action="append",
        default=[],
        metavar="[NAME=]GRADE",
        help="lowest relevant grade, of one collection or of all (default: 2 for names like dl19, else 1)",
    )
    made.add_argument(
        "--depths", type=int, nargs="+", help="depths to cut the runs to (default: 100 and, where runs go on, more)"
    )
    made.add_argument(
        "--quick", action="store_true", help="beyond the first depth only the levels that the hypotheses are about"
    )
    made.add_argument("--qrels", metavar="FILE", help="file in qrels/, where there are several")
    return made


def main(given: list[str] | None = None) -> int:
    """Run the command; errors in one line."""
    arguments = sys.argv[1:] if given is None else given
    if arguments[:1] == ["page"]:
        from study import page

        return int(page.main(arguments[1:]) or 0)
    asked = parser().parse_args(arguments)
    try:
        from study.data import named

        rels = named(asked.rel)
        if asked.samples < 1 or asked.replicates < 0 or asked.jobs < 1 or asked.seed < 0:
            raise ValueError("--samples and --jobs are at least 1, --replicates and --seed at least 0")
        for folder in asked.folders:
            study_folder(folder, asked, rels)
    except (ValueError, OSError) as error:
        print(f"study: {error}", file=sys.stderr)
        return 1
    return 0


def study_folder(folder: str, asked: argparse.Namespace, rels: dict[str | None, float]) -> None:
    """All cells of a collection, then its files."""
    from study import cells, data, results

    name = Path(folder).resolve().name
    collection = data.read(folder, rels.get(name, rels.get(None)), asked.qrels)
    depths = sorted(set(asked.depths or collection.depths()))
    plan = cells.Plan(asked.samples, asked.seed, asked.replicates)
    out = Path(asked.output) / collection.name
    print(results.describe(collection, depths, plan), file=sys.stderr, flush=True)
    for depth in depths:
        collection.setting(depth)  # says what is wrong before hours of work
    one_team = any(len(collection.setting(depth).teams) < 2 for depth in depths)
    if one_team:
        print(f"{name}: one team only, so that none can be left out: no losses shallow and team", file=sys.stderr)
    wanted = cells.cells_of(depths, one_team)
    if asked.quick:
        wanted = [cell for cell in wanted if cell.primary or cell.depth == depths[0]]
    kept = out / "cells"
    if not asked.resume and kept.exists():
        shutil.rmtree(kept)
    found = _compute(collection, plan, wanted, kept, asked.jobs)
    results.write_all(out, cells.Study(collection, plan), found)
    if asked.other_seed is not None:
        second = cells.Plan(asked.samples, asked.other_seed, 0)
        other = _compute(collection, second, wanted, out / "cells" / f"seed-{asked.other_seed}", asked.jobs)
        results.write_seeds(out, found, other)


def _compute(collection: Collection, plan: Plan, wanted: list[Cell], kept: Path, jobs: int) -> dict[Cell, Found]:
    """Cells that are kept, and those that are not yet."""
    from study import cells, workers

    kept.mkdir(parents=True, exist_ok=True)
    keys = {cell: cells.key_of(collection, plan, cell) for cell in wanted}
    todo = [cell for cell in wanted if cells.read(kept / cell.file, keys[cell]) is None]
    began = time.monotonic()
    for number, cell in enumerate(workers.run(collection, plan, todo, str(kept), jobs), 1):
        passed = time.monotonic() - began
        print(
            f"  {collection.name} {number}/{len(todo)}: depth {cell.depth}, {cell.loss} {cell.level} ({passed:.0f} s)",
            file=sys.stderr,
            flush=True,
        )
    found = {cell: cells.read(kept / cell.file, keys[cell]) for cell in wanted}
    return {cell: of for cell, of in found.items() if of is not None}


if __name__ == "__main__":
    sys.exit(main())
