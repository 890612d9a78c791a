# ruff: noqa: E501  (a line a case)
"""Warnings and errors, each made to happen when the site is built, with what to do about it."""

from __future__ import annotations

import os
import tempfile
import warnings
from pathlib import Path

# What is done; what to do. The code runs in a folder of its own, with QRELS and RUN.
QRELS = {"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1, "d3": 0}}
RUN = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d3": 2.0, "d1": 1.0}}
WARNINGS = (
    (
        "irpref.RPref.evaluate(QRELS, RUN)",
        "Write `RPref(max_rel=...)`, or let `irpref.bind(measures, qrels)` fill it in from the whole collection.",
    ),
    (
        "import pandas as pd\nrows = [('q1', 'd1', 2.0), ('q1', 'd1', 1.0)]\n"
        "irpref.QMeasure.evaluate(QRELS, pd.DataFrame(rows, columns=['query_id', 'doc_id', 'score']))",
        "Find out why the run repeats documents; the last row counts. `irpref eval --strict` refuses such runs.",
    ),
    (
        "irpref.evaluator(['AP'], QRELS).calc_aggregate({'q1': {'d1': 16777217.0, 'd2': 16777216.0}})",
        "Say in the paper which order was used; `float32=True` (`--float32`) gives that of pytrec_eval.",
    ),
    (
        "irpref.nCRP.evaluate({'q1': {'d1': 1, 'd2': -1}}, RUN)",
        "Set negative grades to 0 where they should count as not relevant.",
    ),
    (
        "irpref.BprefVariant.evaluate({'q1': {'d1': 1}}, RUN)",
        "Take a measure that does not need judged non-relevant documents: `AP`, `nDCG`, `QMeasure`.",
    ),
)
ERRORS = (
    ("irpref.RPref(maxrel=3)", "Spell the parameter as the message says; `help(irpref.RPref)` has all of them."),
    ("irpref.RPref(norm='relativ')", "One of the values named."),
    ("irpref.parse('nDGC@10')", "The nearest name is in the message; `irpref list` has all."),
    ("irpref.NPref.evaluate(QRELS, RUN)", "Give the parameter: `NPref(n=4)`."),
    ("irpref.QMeasure(gains={1: 3, 2: 1})", "Gains must not fall as grades rise."),
    ("irpref.evaluator(['AP'], {})", "Look at what was read: an empty file, a wrong path, a filter that left nothing."),
    (
        "irpref.evaluator(['AP'], QRELS).calc_aggregate({'t1': {'d1': 1.0}})",
        "Compare the first ids of both sides: another collection, or ids that were changed (`irpref check`).",
    ),
    (
        "irpref.QMeasure.evaluate(QRELS, {'q1': {'d1': float('nan')}})",
        "Remove the document, or give it a finite score.",
    ),
    ("irpref.QMeasure.evaluate({'q1': {'d1': float('nan')}}, RUN)", "Remove the judgment, or give it a grade."),
    (
        "import ir_measures\nirpref.QMeasure.evaluate([ir_measures.Qrel('q1', 'd1', 1, '0'), ir_measures.Qrel('q1', 'd1', 2, '0')], RUN)",
        "Judgments of subtopics or of several assessors: reduce them to one a document first.",
    ),
    ("irpref.Coverage.evaluate(QRELS, RUN)", "Add the column: `irpref.with_known(qrels, known)`."),
    (
        "Path('run.txt').write_text('q1 Q0 d1 1 2.5 x\\nq1 Q0 d2 two\\n')\nirpref.read_run('run.txt')",
        "Repair the line; nothing is skipped.",
    ),
    ("irpref.read_run('missing.txt')", "Look at the path."),
    (
        "Path('p.txt').write_text('q1 a b ann\\nq1 b a ann\\n')\nirpref.read_preferences('p.txt')",
        "Ask the judge again, or give judges who may disagree names of their own.",
    ),
    (
        "irpref.explain.explain(QRELS, RUN, 'EMeasure', 'q1')",
        "Explain the measure that the message names: this one is no sum over documents.",
    ),
    ("irpref.leaderboard(['AP'], QRELS, {'only': RUN})", "Give at least two runs, or `pairs='none'`."),
)


def happened(code: str) -> tuple[list[tuple[str, str]], str | None]:
    """Warnings (class and message) and the error of a piece of code."""
    import irpref

    space = {"irpref": irpref, "QRELS": QRELS, "RUN": RUN, "Path": Path}
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        os.chdir(folder)
        error = None
        try:
            exec(compile(code, "troubles", "exec"), space)
        except Exception as found:
            error = f"{type(found).__name__}: {found}"
        finally:
            os.chdir(before)
    return [(w.category.__name__, str(w.message)) for w in caught], error


def tables() -> list[str]:
    """The two tables, as Markdown."""

    def cell(text: str) -> str:
        return text.replace("|", r"\|").replace("\n", " ")

    lines = ["## Warnings", "", "| class | it says, for example | what to do |", "| --- | --- | --- |"]
    for code, remedy in WARNINGS:
        found, _ = happened(code)
        ours = [(name, text) for name, text in found if name in CLASSES]
        if not ours:
            raise ValueError(f"no warning of ours: {code}")
        lines.append(f"| `irpref.{ours[0][0]}` | {cell(ours[0][1])} | {remedy} |")
    lines += ["", "## Errors", "", "| code | it says | what to do |", "| --- | --- | --- |"]
    for code, remedy in ERRORS:
        _, error = happened(code)
        if error is None:
            raise ValueError(f"no error: {code}")
        last = cell(code.splitlines()[-1])
        lines.append(f"| `{last}` | {cell(error)} | {remedy} |")
    return lines


CLASSES = ("ScaleWarning", "DuplicateWarning", "TieWarning", "RangeWarning", "DegenerateWarning")
