"""Try irpref on real runs that come with it: which of two systems is better?

Uses five runs of TREC CAsT 2021 (`irpref.datasets.load("cast2021")`). Two measures disagree about BM25 and a reranker.
The demo shows what unjudged documents and the number of topics let you conclude, and writes an HTML report.
"""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
from typing import Any

from irpref.cli.eval import best_of
from irpref.cli.frame import Command, Parser
from irpref.messages import p_equals
from irpref.show.text import Cell, Column, Table, page_of, rounded
from irpref.show.text import text as printed

WIDTH = 100  # at most
PAIR = ("org_manual_bm25", "org_convdr_bert")
NDCG, CONDENSED, RPREF, JUDGED = "nDCG@10", "nDCG(judged_only=True)@10", "RPref(max_rel=4)", "Judged@10"
ALPHA = 0.05
MEASURES = (NDCG, RPREF, "QMeasure", "Bpref", "AP", JUDGED)
EPILOG = """\
examples:
  irpref demo
  irpref demo -f report.html
"""


def _arguments(parser: Parser) -> None:
    default = "irpref-demo.html"
    parser.add_argument("-f", "--file", default=default, help="write the report to this file (default: %(default)s)")


def run(args: argparse.Namespace) -> None:
    """Print the story and write the report."""
    import irpref
    from irpref.datasets import load

    data = load("cast2021")
    qrels, runs = data.qrels_frame(), {name: data.run_frame(name) for name in data.runs}
    board = irpref.leaderboard([*MEASURES, CONDENSED], qrels, runs)
    means = board.pivot(index="run", columns="measure", values="mean")
    ends = {}
    for name in PAIR:
        table = irpref.intervals([NDCG], qrels, runs[name], over="unjudged")
        ends[name] = table.set_index("query_id").loc[None]
    lines = [
        data.title,
        *_filled(f"{len(qrels):,} judgments with grades 0 to {qrels['relevance'].max()}. Which system is better?"),
        "",
        *_table(means),
        "",
        *_filled(
            f"1. Measures disagree. nDCG@10 ranks {_ahead(means, NDCG)}; RPref ranks {_ahead(means, RPREF)}. nDCG@10 "
            "looks at the first ten documents and takes unjudged ones for worthless. RPref compares the order of "
            "judged documents, down the list."
        ),
        *_filled(_unjudged(means, ends)),
        *_filled(_chance(means, board)),
        "",
        *_next(_report(qrels, runs, args.file)),
    ]
    sys.stdout.write("\n".join(lines) + "\n")


def _table(means: Any) -> list[str]:
    """Runs by measures, the best of a column starred, the first measure's order."""
    from irpref import parse

    four, means = rounded(), means.sort_values(NDCG, ascending=False)
    best = {measure: best_of(parse(measure), list(means[measure]), four) for measure in MEASURES}
    rows = [
        [name, *(Cell(four(row[measure]), best[measure] == four(row[measure])) for measure in MEASURES)]
        for name, row in means.iterrows()
    ]
    columns = [Column("run", left=True), *(Column(measure) for measure in MEASURES)]
    return printed(Table(columns, rows), page=page_of(sys.stdout, WIDTH)).splitlines()


def _ahead(means: Any, measure: str) -> str:
    of = means[measure]
    better, worse = sorted(PAIR, key=lambda name: -of[name])
    return f"{better} above {worse}, {of[better]:.4f} to {of[worse]:.4f}"


def _unjudged(means: Any, ends: dict[str, Any]) -> str:
    shares = " and ".join(f"{means[JUDGED][name]:.0%} of {name}'s" for name in PAIR)
    could = ", ".join(f"{name} {ends[name]['low']:.4f} to {ends[name]['high']:.4f}" for name in PAIR)
    overlap = max(end["low"] for end in ends.values()) < min(end["high"] for end in ends.values())
    return (
        f"2. Much was never judged: {shares} first ten documents were. Without the unjudged ones (condensed lists, "
        f"judged_only=True) nDCG@10 ranks {_ahead(means, CONDENSED)}. Depending on their grades, nDCG@10 could be as "
        f"low and as high as: {could}. The ranges "
        f"{'overlap: the judgments alone do not decide' if overlap else 'do not overlap'}."
    )


def _chance(means: Any, board: Any) -> str:
    pairs = board.pairs[board.pairs["a"].isin(PAIR) & board.pairs["b"].isin(PAIR)].set_index("measure")
    same: list[str] = []
    differ: list[str] = []
    for measure in (NDCG, RPREF, CONDENSED):
        p = pairs["p_adjusted"][measure]
        better = max(PAIR, key=means[measure].get)
        by = f"{measure} (adjusted {p_equals(p)})"
        (same if p > ALPHA else differ).append(by if p > ALPHA else f"{better} is better by {by}")
    parts = [f"The two are not shown to differ by {' and '.join(same)}"] if same else []
    return f"3. Could it be chance? {'; '.join([*parts, *differ])}. Test: {board.test}."


def _report(qrels: Any, runs: dict[str, Any], path: str) -> str:
    """Write the report; what to say of it."""
    import irpref

    try:
        made = irpref.report(
            [NDCG, RPREF, "QMeasure"], qrels, runs, title="TREC CAsT 2021", baseline=PAIR[0], rankings=PAIR, depth=10
        )
    except ImportError as lacking:
        return f"No report was written ({lacking})."
    made.save(path)
    return f"All of it on one page, with every topic: {os.path.abspath(path)} (open it in a browser)."


def _next(report: str) -> list[str]:
    return [
        *textwrap.wrap(report, WIDTH, break_on_hyphens=False, break_long_words=False),
        "",
        "Next, with files of yours:",
        "  irpref list RPref                                          what a measure means, when to use it",
        "  irpref compare qrels.txt a.run b.run nDCG@10 AP            is B better than A?",
        "  irpref leaderboard qrels.txt a.run b.run c.run nDCG@10     all runs, with intervals",
        "  irpref report qrels.txt a.run b.run nDCG@10 -f page.html   the page above, of your runs",
    ]


def _filled(text: str) -> list[str]:
    """A paragraph as wide as the page, indented below its number."""
    width = page_of(sys.stdout, WIDTH).width
    return textwrap.wrap(text, width or WIDTH, subsequent_indent="   " if text[:1].isdigit() and text[1] == "." else "")


COMMAND = Command(run, _arguments, __doc__, EPILOG)
