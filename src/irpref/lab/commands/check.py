"""`irpref check`: problems in judgments and runs."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import click

from irpref.cli import options
from irpref.cli.command import ERROR, OK, command
from irpref.cli.inputs import Inputs
from irpref.cli.output import Output
from irpref.cli.types import COUNT
from irpref.errors import ArgumentError
from irpref.show.text import Column, Table, of_frame, rounded


@command("check", epilog="Exit status: 0; with --strict, 1 if a problem is grave.")
@options.inputs("[RUN...] [MEASURE...]")
@options.option(
    "--judge-next",
    metavar="N",
    type=COUNT,
    help="also list the N unjudged documents that matter most to which run is better",
)
@options.option("--strict", is_flag=True, help="exit with status 1 if a problem is grave")
@options.topics
@options.reading
@options.ties
@options.writing
def check(given: Inputs, out: Output, judge_next: int | None, strict: bool) -> int:
    """Find problems in judgments and runs before you trust a value.

    Reports, worst first: topics without documents, repeated documents, ties, unjudged documents,
    ids that do not match, and measures that cannot tell runs apart on these judgments. At the end
    it names three measures that suit the judgments. Without runs, it checks the judgments alone:
    irpref check qrels.txt Bpref. --judge-next N also lists the unjudged documents that you should
    judge first (-o tsv, csv, json and jsonl print only these).
    """
    from irpref import lab

    if judge_next is not None and (not given.measures or len(given.files) < 2):
        raise click.UsageError(
            "--judge-next needs at least two runs, and a measure such as P@10 or nDCG@10"
        )
    qrels = given.judgments()
    runs = given.runs() if given.reorders else given.files
    found = lab.check(qrels, runs, given.measures, jobs=given.jobs, form=given.form)
    if judge_next is not None and (found["code"] == "invalid-run").any():
        bad = found[found["code"] == "invalid-run"].iloc[0]
        raise ArgumentError(
            f"--judge-next: {bad['run']} {bad['text']}", parameter="run", value=bad["run"]
        )
    if out.for_programs:
        shown = found if judge_next is None else _next(given, qrels, judge_next)
        out.show(of_frame(shown, rounded()))
    else:
        records = found.astype(object).where(found.notna(), None).to_dict("records")
        columns = [Column("", left=True), Column("", left=True, prose=True)]
        tables = [
            Table(columns, [(row["run"] or "", row["text"]) for row in rows], level.capitalize())
            for level, rows in groupby(records, key=lambda row: str(row["level"]))
        ]
        advice = [(row["measure"], row["why"]) for row in found.attrs.get("measures", ())]
        tables += [Table(columns, advice, "Measures that suit these judgments")] * bool(advice)
        if judge_next is not None:
            documents = of_frame(_next(given, qrels, judge_next), rounded())
            documents.title = "Judge next"
            documents.notes = [
                "weight: what the grade of the document could change in the differences of pairs "
                "of runs that could turn round"
            ]
            tables.append(documents)
        out.show(tables)
    return ERROR if strict and (found["level"] == "grave").any() else OK


def _next(given: Inputs, qrels: Any, n: int) -> Any:
    """The documents to judge next, a row each."""
    from irpref.lab import judge_next

    found = judge_next(given.measures, qrels, given.runs(), n)
    return found.assign(runs=[" ".join(names) for names in found["runs"]])
