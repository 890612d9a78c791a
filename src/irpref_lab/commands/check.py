"""`irpref check`: problems in judgments and runs."""

from __future__ import annotations

from irpref.cli import options
from irpref.cli.arguments import Inputs
from irpref.cli.command import ERROR, OK, command
from irpref.cli.output import Output
from irpref.messages import whole_files
from irpref.show import of_frame, rounded
from irpref_lab.checking.findings import of_findings


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
        out.show(of_findings(findings))
    return ERROR if strict and (findings["level"] == "grave").any() else OK
