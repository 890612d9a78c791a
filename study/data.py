"""Collections of the study: a folder with `qrels/` (one file), `runs/`, and perhaps `runs.tsv`
(run, team).
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

import irpref

CUTOFF = 100
LEAST_RUNS, LEAST_TOPICS = 3, 4


@dataclass(frozen=True)
class Collection:
    """A folder, read.

    Attributes
    ----------
    qrels : columns query_id, doc_id, relevance; topics with a relevant document that a run answers
    runs : name to frame of the first `CUTOFF` documents of each topic
    teams : run to team
    source : where the teams come from
    """

    name: str
    rel: float
    qrels: pd.DataFrame
    runs: dict[str, pd.DataFrame]
    teams: dict[str, str]
    source: str


def guess_rel(name: str) -> float:
    """Guess the lowest relevant grade where none is given: 2 for the passages of TREC's Deep
    Learning track, as there; else 1.
    """
    return 2.0 if re.search(r"(^|[^a-z])dl-?(20)?\d\d|deep-?learning", name.lower()) else 1.0


def read(folder: str | Path, rel: float | None = None) -> Collection:
    """Read a folder.

    Raises
    ------
    ValueError
        Something is missing, or too little to rank systems by.
    """
    home = Path(folder)
    if not home.is_dir():
        raise ValueError(f"{folder} is no folder")
    name = home.resolve().name
    rel = guess_rel(name) if rel is None else rel
    judged, runs = _files(home / "qrels"), _files(home / "runs")
    if len(judged) != 1:
        raise ValueError(f"{home / 'qrels'}: expected one file, there are {len(judged)}")
    qrels = _frame(irpref.read_qrels(judged[0]))
    relevant = set(qrels.loc[qrels["relevance"] >= rel, "query_id"])
    by_name = {
        re.sub(r"(\.(run|txt|res))?(\.gz)?$", "", path.name): _cut(path, relevant) for path in runs
    }
    if len(by_name) < max(len(runs), LEAST_RUNS):
        raise ValueError(
            f"{home / 'runs'}: {len(by_name)} runs of different names, which needs at least "
            f"{LEAST_RUNS}"
        )
    topics = relevant & {topic for run in by_name.values() for topic in run["query_id"].unique()}
    if len(topics) < LEAST_TOPICS:
        raise ValueError(
            f"{name}: {len(topics)} topics have a relevant document and a run, at least "
            f"{LEAST_TOPICS}"
        )
    teams, source = _teams(home, list(by_name))
    return Collection(
        name,
        rel,
        qrels[qrels["query_id"].isin(topics)].reset_index(drop=True),
        by_name,
        teams,
        source,
    )


def _files(folder: Path) -> list[Path]:
    """List the files of a folder but not those that explain it."""
    every = (p for p in folder.glob("*") if p.is_file() and not p.name.startswith("."))
    return sorted(
        p for p in every if p.suffix.lower() != ".md" and not p.name.lower().startswith("readme")
    )


def _frame(table: object) -> pd.DataFrame:
    return table if isinstance(table, pd.DataFrame) else pd.DataFrame(table)


def _cut(path: Path, topics: set[str]) -> pd.DataFrame:
    """Cut a run after the first documents of each topic, in trec_eval's order."""
    run = _frame(irpref.read_run(path))
    run = run[run["query_id"].isin(topics)]
    run = run.sort_values(
        ["query_id", "score", "doc_id"], ascending=[True, False, False], kind="stable"
    )
    return run.groupby("query_id", sort=False).head(CUTOFF).reset_index(drop=True)


def _teams(home: Path, runs: list[str]) -> tuple[dict[str, str], str]:
    """Find the team of each run, and say how it was found."""
    path = home / "runs.tsv"
    if path.exists():
        with open(path, encoding="utf-8", newline="") as file:
            known = {
                row["run"]: (row.get("team") or "").strip()
                for row in csv.DictReader(file, delimiter="\t")
            }
        if any(known.get(run) for run in runs):
            return {run: known.get(run) or run for run in runs}, "runs.tsv"
    if any(re.search(r"(^|_)first[._]", run) for run in runs):
        return {
            run: re.sub(r"^first\.", "", run).split("__")[0].split(".")[0] for run in runs
        }, "first stage"
    teams = {run: re.sub(r"[^A-Za-z].*", "", run) or run for run in runs}
    if len(set(teams.values())) > 1:
        return teams, "letters of the name"
    return {run: run for run in runs}, "each run by itself"
