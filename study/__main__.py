"""The robustness study: `python -m study FOLDER...` computes and writes the page, `python -m study`
writes the page.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from runpy import run_path

HERE = Path(__file__).parent


def parser() -> argparse.ArgumentParser:
    """Make the parser of the command."""
    made = argparse.ArgumentParser(
        prog="python -m study",
        description="Compute results and verdicts of collections; without FOLDER write pages and "
        "verdicts from the "
        "results that are stored.",
    )
    made.add_argument(
        "folders",
        nargs="*",
        metavar="FOLDER",
        help="a collection (qrels/, runs/ and perhaps runs.tsv), or a folder of collections",
    )
    made.add_argument(
        "-o",
        "--output",
        default=str(HERE / "results"),
        help="where results go (default: study/results)",
    )
    made.add_argument(
        "--docs", help="where the pages go (default: docs; with -o, beside the results)"
    )
    made.add_argument(
        "--rel",
        action="append",
        default=[],
        metavar="NAME=GRADE",
        help="lowest relevant grade of a collection",
    )
    made.add_argument("--samples", type=int, default=30, help="samples of each loss (default: 30)")
    return made


def collections_in(folders: list[str]) -> list[Path]:
    """Find the folders with qrels and runs: folders named, and folders inside of these."""
    homes = []
    for folder in map(Path, folders):
        inside = (
            [folder]
            if (folder / "qrels").is_dir()
            else sorted(p.parent for p in folder.glob("*/qrels"))
        )
        inside = [home for home in inside if (home / "runs").is_dir()]
        if not inside:
            raise ValueError(f"{folder}: no qrels/ and runs/, and no folder with both")
        homes += inside
    return homes


def main(given: list[str] | None = None) -> int:
    """Run the command; errors in one line."""
    from study import data, page, run

    asked = parser().parse_args(given)
    try:
        rels = dict(text.split("=") for text in asked.rel)
        for folder in collections_in(asked.folders):
            began = time.process_time()
            name = folder.resolve().name
            collection = data.read(folder, float(rels[name]) if name in rels else None)
            run.write(Path(asked.output), *run.compute(collection, asked.samples))
            print(f"{name}: {time.process_time() - began:.0f} s", file=sys.stderr, flush=True)
        results = Path(asked.output)
        ours = results == HERE / "results"
        docs = Path(asked.docs) if asked.docs else HERE.parent / "docs" if ours else results
        page.write(results, docs, HERE if ours else results)
    except (ValueError, OSError) as error:
        print(f"study: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    run_path(str(Path(__file__).parents[1] / "docs" / "own_source.py"))
    sys.exit(main())
