"""Find problems in judgments and runs before you trust a value.

Reports, worst first: topics without documents, repeated documents, ties, unjudged documents, ids
that do not match, and measures that cannot tell runs apart on these judgments. At the end it names
three measures that suit the judgments. Without runs, it checks the judgments alone: irpref check
qrels.txt Bpref. --judge-next N also lists the unjudged documents that you should judge first (-o
tsv, csv, json and jsonl print only these).

exit status: 0; with --strict, 1 if a problem is grave
"""

from __future__ import annotations

import argparse
from itertools import groupby
from typing import Any

from irpref.cli import shared as frame
from irpref.cli.shared import ERROR, OK, UsageError
from irpref.show.text import LINES, Column, Table, of_frame, rounded


def run(args: argparse.Namespace) -> int:
    """Print the findings. Raises `ValueError` for judgments that cannot be read."""
    from irpref.lab import check

    given = frame.inputs(args)
    if args.judge_next is not None and (not given.measures or len(given.files) < 2):
        raise UsageError(
            "--judge-next needs at least two runs, and a measure such as P@10 or nDCG@10"
        )
    qrels = given.of_topics()
    found = check(
        qrels, given.files, given.measures, jobs=args.jobs, form=frame.reading(args), ties=args.ties
    )
    if args.judge_next is not None and (found["code"] == "invalid-run").any():
        bad = found[found["code"] == "invalid-run"].iloc[0]
        raise ValueError(f"--judge-next: {bad['run']} {bad['text']}")
    if frame.form_of(args) in LINES:
        frame.show(
            args, of_frame(found if args.judge_next is None else _next(given, qrels), rounded())
        )
    else:
        records = found.astype(object).where(found.notna(), None).to_dict("records")
        columns = [Column("", left=True), Column("", left=True, prose=True)]
        tables = [
            Table(columns, [(row["run"] or "", row["text"]) for row in rows], level.capitalize())
            for level, rows in groupby(records, key=lambda row: str(row["level"]))
        ]
        advice = [(row["measure"], row["why"]) for row in found.attrs.get("measures", ())]
        tables += [Table(columns, advice, "Measures that suit these judgments")] * bool(advice)
        if args.judge_next is not None:
            documents = of_frame(_next(given, qrels), rounded())
            documents.title = "Judge next"
            documents.notes = [
                "weight: what the grade of the document could change in the differences of pairs "
                "of runs that could "
                "turn round"
            ]
            tables.append(documents)
        frame.show(args, tables)
    return ERROR if args.strict and (found["level"] == "grave").any() else OK


def _next(given: frame.Inputs, qrels: Any) -> Any:
    """The documents to judge next, a row each."""
    from irpref.lab import judge_next

    found = judge_next(given.measures, qrels, given.runs(), given.args.judge_next)
    return found.assign(runs=[" ".join(names) for names in found["runs"]])
