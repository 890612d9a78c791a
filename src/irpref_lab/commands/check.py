"""`irpref check`: problems in judgments and runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

from irpref.cli import options
from irpref.cli.arguments import Inputs
from irpref.cli.command import ERROR, OK, command
from irpref.cli.output import Output
from irpref.messages import whole_files
from irpref.show.text import Column, Table, of_frame, rounded

MOST = 3  # runs with the same finding that are listed one by one
ROOM = 60  # characters for the names of the others


@command("check", epilog="Exit status: 0; with --strict, 1 if a problem is grave.")
@options.inputs("[RUN...] [MEASURE...]")
@options.option("--strict", is_flag=True, help="exit with status 1 if a problem is grave")
@options.topics
@options.reading
@options.ties
@options.writing
def check(given: Inputs, out: Output, strict: bool) -> int:
    """Find problems in judgments and runs before you trust a value.

    Reports, worst first: topics without documents, repeated documents, ties, unjudged documents,
    ids that do not match, and measures that cannot tell runs apart on these judgments. At the end
    it names three measures that suit the judgments. Without runs, it checks the judgments alone:
    irpref check qrels.txt Bpref.
    """
    import irpref_lab

    with whole_files(strict):
        qrels = given.judgments()
        findings = irpref_lab.check(
            qrels, given.files, given.measures, jobs=given.jobs, form=given.form
        )
    if out.for_programs:
        out.show(of_frame(findings, rounded()))
    else:
        records = findings.astype(object).where(findings.notna(), None).to_dict("records")
        sentences = [Column("", left=True, prose=True)]
        columns = [Column("", left=True), *sentences]
        tables = [
            Table(sentences, [(f"- {line}",) for line in _lines(rows)], level.capitalize())
            for level, rows in groupby(records, key=lambda row: str(row["level"]))
        ]
        advice = [(row["measure"], row["why"]) for row in findings.attrs.get("measures", ())]
        tables += [Table(columns, advice, "Measures that suit these judgments")] * bool(advice)
        out.show(tables)
    return ERROR if strict and (findings["level"] == "grave").any() else OK


def _lines(findings: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield findings as sentences, findings about the judgments first; of a code that more than
    `MOST` runs have, the first finding and the names of some other runs.
    """
    rows = list(findings)
    yield from (row["text"] for row in rows if not row["run"])
    for _, same in groupby((row for row in rows if row["run"]), key=itemgetter("code")):
        first, *others = same
        if len(others) < MOST:
            yield from (row["text"] for row in (first, *others))
        else:
            names = list(dict.fromkeys(row["run"] for row in others))
            more = f"{len(names)} more runs like this: {_some(names)}"
            yield f"{first['text']} ({more})"


def _some(names: list[str]) -> str:
    """List the first names, at least one, in about `ROOM` characters."""
    shown = names[:1]
    for name in names[1:]:
        if len(", ".join([*shown, name])) > ROOM:
            return ", ".join(shown) + ", ..."
        shown.append(name)
    return ", ".join(shown)
