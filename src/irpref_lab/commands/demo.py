"""`irpref demo`: real runs that come with irpref."""

from __future__ import annotations

import os
import sys
import textwrap
from pathlib import Path
from typing import Any

import click

import irpref_lab
from irpref.cli import options
from irpref.cli.command import command
from irpref.cli.parameter_types import FileName
from irpref.data import replaced
from irpref.show import of_frame, page_of, rounded
from irpref.show.text import text as printed
from irpref_lab.commands.lab_options import named_as_page
from irpref_lab.messages import p_equals

WIDTH = 100  # at most
PAIR = ("org_manual_bm25", "org_convdr")
NDCG, CONDENSED, RPREF, JUDGED = (
    "nDCG@10",
    "nDCG(judged_only=True)@10",
    "RPref(norm='relative2')",
    "Judged@10",
)
ALPHA = 0.05
MEASURES = (NDCG, RPREF, "QMeasure", "AP", JUDGED)
NEXT = """\
Next, with your own files:
  irpref list RPref                                     what a measure means
  irpref compare qrels.txt a.run b.run nDCG@10          is B better than A?
  irpref leaderboard qrels.txt a.run b.run c.run AP     all runs, with intervals
  irpref report qrels.txt a.run b.run AP -f page.html   this page for your runs
"""


@command(
    "demo",
    epilog="""\b
Examples:
  irpref demo
  irpref demo -f report.html
  irpref demo --files cast""",
)
@options.option(
    "-f",
    "--file",
    metavar="FILE",
    default="irpref-demo.html",
    show_default=True,
    help="write the report to this file",
)
@options.option(
    "--files",
    "folder",
    metavar="DIR",
    type=FileName(file_okay=False),
    help="only write the judgments and runs to this folder, as files to try commands on",
)
def demo(file: str, folder: str | None) -> None:
    """Try irpref on real runs that come with it: which of two systems is better?

    Uses five runs of TREC CAsT 2021 (irpref.datasets.load("cast2021")). Two measures disagree about
    BM25 and a dense retriever. The demo shows what unjudged documents and the number of topics let
    you conclude, and writes an HTML report.
    """
    from irpref.datasets import load

    data = load("cast2021")
    qrels, runs = data.qrels_frame(), {name: data.run_frame(name) for name in data.runs}
    if folder is not None:
        _write_files(folder, qrels, runs)
        return
    named_as_page(file)
    writes = _may_write(file)
    board = irpref_lab.leaderboard([*MEASURES, CONDENSED], qrels, runs)
    means = board.pivot(index="run", columns="measure", values="mean").sort_values(
        NDCG, ascending=False
    )
    of_pair = {
        name: irpref_lab.intervals([NDCG], qrels, runs[name], over="unjudged") for name in PAIR
    }
    ends = {name: table.set_index("query_id").loc[None] for name, table in of_pair.items()}
    pairs = board.pairs[board.pairs["a"].isin(PAIR) & board.pairs["b"].isin(PAIR)].set_index(
        "measure"
    )
    table = of_frame(means[list(MEASURES)].reset_index(), rounded())
    judgments = f"{len(qrels):,} judgments with grades 0 to {qrels['relevance'].max()}."
    paragraphs = (
        f"1. Measures disagree. nDCG@10 ranks {_ahead(means[NDCG])}; RPref ranks "
        f"{_ahead(means[RPREF])}. nDCG@10 looks "
        "at the first ten documents and counts unjudged ones as not relevant. RPref looks at the "
        "order of the judged documents, all the way down.",
        _unjudged(means, ends),
        _chance(means, pairs["p_adjusted"], board.test),
    )
    width = page_of(sys.stdout, WIDTH).width or WIDTH
    story = [
        line for text in paragraphs for line in textwrap.wrap(text, width, subsequent_indent="   ")
    ]
    lines = [
        *textwrap.wrap(data.title, width),
        f"{judgments} Which system is better?",
        "",
        printed(table, page=page_of(sys.stdout, WIDTH)),
    ]
    sys.stdout.write("\n".join([*lines, *story, "", _report(qrels, runs, file, writes), "", NEXT]))


def _write_files(folder: str, qrels: Any, runs: dict[str, Any]) -> None:
    """Write qrels.txt and a run file for each run, in TREC's format."""
    os.makedirs(folder, exist_ok=True)
    judged = qrels.assign(iteration=0)[["query_id", "iteration", "doc_id", "relevance"]]
    tables = {"qrels.txt": judged}
    for name, run in runs.items():
        order, rising = ["query_id", "score", "doc_id"], [True, False, False]
        run = run.sort_values(order, ascending=rising, kind="stable")
        ranked = run.assign(iteration="Q0", rank=run.groupby("query_id").cumcount() + 1, tag=name)
        columns = ["query_id", "iteration", "doc_id", "rank", "score", "tag"]
        tables[f"{name.removeprefix('org_')}.run"] = ranked[columns]
    texts = {
        os.path.join(folder, name): table.to_csv(sep=" ", header=False, index=False)
        for name, table in tables.items()
    }
    for path, text in texts.items():
        if os.path.exists(path) and Path(path).read_bytes() != text.encode():
            raise click.UsageError(f"{path} exists with other contents: name another folder")
    for path, text in texts.items():
        with replaced(path) as beside, open(beside, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    sys.stdout.write(f"Wrote {', '.join(tables)} to {folder}.\n")


def _may_write(path: str) -> bool:
    """Ask whether the page may be written: a file that exists is only overwritten after a
    question.
    """
    if not os.path.isfile(path):
        return True
    if not sys.stdin.isatty():
        return False
    return click.confirm(f"{path} exists. Overwrite it?", err=True)


def _ahead(means: Any) -> str:
    better, worse = sorted(PAIR, key=lambda name: -means[name])
    return f"{better} above {worse}, {means[better]:.4f} to {means[worse]:.4f}"


def _unjudged(means: Any, ends: dict[str, Any]) -> str:
    shares = " and ".join(f"{means[JUDGED][name]:.0%} of {name}'s" for name in PAIR)
    could = " and from ".join(
        f"{ends[name]['low']:.4f} to {ends[name]['high']:.4f} for {name}" for name in PAIR
    )
    overlap = max(end["low"] for end in ends.values()) < min(end["high"] for end in ends.values())
    return (
        f"2. Judgments are incomplete: {shares} first ten documents have one. Without the others "
        f"(condensed lists, judged_only=True) nDCG@10 ranks {_ahead(means[CONDENSED])}. "
        f"Depending on their grades, nDCG@10 could lie anywhere from {could}. The ranges "
        f"{'overlap: the judgments alone do not decide' if overlap else 'do not overlap'}."
    )


def _chance(means: Any, p: Any, test: str) -> str:
    by = {
        measure: f"{measure} (adjusted {p_equals(p[measure])})"
        for measure in (NDCG, RPREF, CONDENSED)
    }
    *others, last = [by[measure] for measure in by if p[measure] > ALPHA] or [""]
    same = " and ".join(filter(None, [", ".join(others), last]))
    better = [f"{max(PAIR, key=means[m].get)} is better by {by[m]}" for m in by if p[m] <= ALPHA]
    parts = "; ".join([f"The two are not shown to differ by {same}"] * bool(same) + better)
    return f"3. Could it be chance? {parts}. Test: {test}."


def _report(qrels: Any, runs: dict[str, Any], path: str, writes: bool) -> str:
    """Write the report if that is wanted, and return a sentence about it."""
    if not writes:
        return f"No report was written, since {path} exists.\nName another file with -f."

    how: dict[str, Any] = {
        "title": "TREC CAsT 2021",
        "baseline": PAIR[0],
        "rankings": PAIR,
        "depth": 10,
    }
    try:
        irpref_lab.report([NDCG, RPREF, "QMeasure"], qrels, runs, path, **how)
    except ImportError as lacking:
        return f"No report was written ({lacking})."
    page = os.path.abspath(path)
    return f"All of it on one page, with every topic (open it in a browser):\n   {page}"
