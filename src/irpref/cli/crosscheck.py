"""`irpref crosscheck`: our values beside other tools' values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from irpref.cli import options
from irpref.cli.arguments import Inputs
from irpref.cli.command import ERROR, OK, command
from irpref.cli.output import Output
from irpref.cli.parameter_types import none_of
from irpref.messages import visible
from irpref.observed.thresholds import thresholds_on
from irpref.show.text import of_frame, rounded

MEASURES = (
    *("AP", "nDCG", "nDCG@10", "P@10", "R@100"),
    *("RR", "Rprec", "Bpref", "RBP(rel=1)", "ERR@20"),
)


@command(
    "crosscheck",
    epilog="""\b
Examples:
  irpref crosscheck qrels.txt run.txt
  irpref crosscheck qrels.txt run.txt AP nDCG@10 iprec_at_recall_0.40
  irpref crosscheck qrels.txt run.txt AP nDCG@10 --tool ranx

Exit status: 0, or 1 if a difference has no known reason, a tool has no value for some topics, or a
tool named by --tool computes nothing.""",
)
@options.inputs("RUN... [MEASURE...]", measures=MEASURES)
@options.topics
@options.option(
    "--tool",
    "tools",
    multiple=True,
    metavar="NAME",
    help="compare with this tool alone (repeatable)",
)
@options.reading
@options.writing
def crosscheck(given: Inputs, out: Output, tools: tuple[str, ...]) -> int:
    """Compare the values of irpref with those of other tools on your own files, and explain each
    difference.

    Compares topic by topic with the providers of ir_measures that you have installed (pytrec_eval,
    cwl_eval, gdeval, ...), with pyNTCIREVAL and ranx, and with trec_eval and ntcir_eval if the
    shell finds them.
    """
    import irpref
    from irpref.hosts.other_tools import tool_names

    for name in tools:
        if name not in tool_names():
            raise none_of(name, tool_names(), param_hint="'--tool'")
    qrels = given.judgments()
    differences = irpref.crosscheck(given.measures, qrels, given.runs(), tools=tools or None)
    line = _in_one_line(differences) or _without_tools(given.measures)
    table = of_frame(differences, rounded(), title=f"{line}\n\n")
    *columns, why = table.columns
    table.columns = [*columns, replace(why, prose=True, narrowest=44)]
    table.notes = [
        "largest: the tool's value minus ours",
        *thresholds_on(given.measures, qrels),
    ]
    out.show(table)
    return ERROR if differences["unexplained"].any() else OK


def _in_one_line(differences: Any) -> str:
    """Say which tools have other values, and whether that has a known reason; empty if no tool
    computes a measure.
    """
    if differences.empty:
        return ""
    unknown = differences[differences["unexplained"] > 0]
    if len(unknown):
        which = [
            f"{row.measure}{f' of {visible(row.run)}' if row.run else ''} by {row.tool}"
            for row in unknown.itertuples()
        ]
        more = f" and {len(which) - 3:,} more" if len(which) > 3 else ""
        return f"Values differ without a known reason: {', '.join(which[:3])}{more}."
    differ = differences[differences["differ"] > 0]
    tools = ", ".join(dict.fromkeys(differences["tool"]))
    if differ.empty:
        return f"All values equal those of {tools}, topic by topic."
    others = ", ".join(dict.fromkeys(differ["tool"]))
    known = f"All values equal those of {tools}, or differ for a known reason"
    return f"{known} ({others})."


def _without_tools(measures: Any) -> str:
    from irpref.hosts.other_tools import to_install

    there_are = to_install(measures)
    return "no tool here computes these measures" + (
        f"; install one: {there_are}" if there_are else ""
    )
