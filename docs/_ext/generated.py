"""Pages that are written when the site is built: a page a measure, the commands, the functions, the warnings.

Every number on them is computed in the build, and compared with the worked example of the measure's paper: a number
that does not agree ends the build.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent.parent
SHOWN = 12  # rows of a worked example


def write(app: Any) -> None:
    """Write all pages below `measures/` and `reference/`."""
    from irpref.measures import registered

    measures = HERE / "measures"
    measures.mkdir(exist_ok=True)
    for name, measure in registered().items():
        _save(measures / f"{name}.md", measure_page(measure))
    _save(measures / "index.md", measure_index(registered().values()))
    reference = HERE / "reference"
    reference.mkdir(exist_ok=True)
    _save(reference / "commands.md", commands_page())
    _save(reference / "functions.md", functions_page())
    _save(reference / "warnings.md", warnings_page())
    _save(reference / "index.md", "# Reference\n\n```{toctree}\nfunctions\ncommands\nwarnings\n```\n")


def _save(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:  # Sphinx reads again what is newer
        path.write_text(text, encoding="utf-8")


# A page a measure -----------------------------------------------------------------------------------------------


def measure_index(measures: Iterable[Any]) -> str:
    """The list of measures."""
    chosen = list(measures)
    rows = [f"| [{m.NAME}]({m.NAME}.md) | {m.PRETTY_NAME} | {m.QUESTION} |" for m in chosen]
    tree = "\n".join(str(m.NAME) for m in chosen)
    return "\n".join(
        [
            "# Measures",
            "",
            "| name | measure | question |",
            "| --- | --- | --- |",
            *rows,
            "",
            f"```{{toctree}}\n:hidden:\n{tree}\n```",
            "",
        ]
    )


def measure_page(measure: Any) -> str:
    """Question, formula, parameters, worked example, decisions, calls and sources of a measure, as MyST Markdown."""
    from irpref.measures.declare import NEEDS
    from irpref.measures.literature import entries

    better = "higher" if measure.higher_is_better else "lower"
    ideal = "depends on the topic" if measure.IDEAL is None else f"{measure.IDEAL:g}"
    source = re.sub(r"doi:(\S+?)([;,]?)(?=\s|$)", r"[doi:\1](https://doi.org/\1)\2", measure.SOURCE)
    definition = inspect.cleandoc(sys.modules[type(measure).__module__].__doc__ or "")
    facts = [
        f"| range | {measure.RANGE}, {better} is better |",
        f"| an ideal list | {ideal} |",
        *(f"| needs | {NEEDS[need]} |" for need in measure.NEEDS),
        f"| source | {source} |",
    ]
    parts = [
        f"# {measure.NAME}",
        f"**{measure.PRETTY_NAME}.** {measure.QUESTION}",
        inspect.cleandoc(type(measure).__doc__ or ""),
        "\n".join(["| | |", "| --- | --- |", *facts]),
        "## Formula",
        *([f"$$\n{measure.FORMULA}\n$$"] if measure.FORMULA else []),
        prose(definition),
        "## Worked example",
        *worked_example(measure),
        "## Parameters",
        parameters_table(measure),
        "## Calls",
        calls(measure),
        "## Cite",
        "```bibtex\n" + "\n\n".join(entries()[key] for key in measure.CITE) + "\n```",
        f"`irpref cite {measure.NAME}` prints this with a sentence for the methods section.",
    ]
    return "\n\n".join(parts) + "\n"


def prose(text: str) -> str:
    """A module's docstring as Markdown: formulas and lists of symbols stay as they were set, the rest is prose."""
    parts = []
    for part in text.split("\n\n"):
        lines = part.split("\n")
        plain = not lines[0].startswith(" ") and not any(re.search(r"\S {2,}\S", line.strip()) for line in lines)
        parts.append(re.sub(r"(?<!\S)\*(?=\S)", r"\\*", part) if plain else f"```text\n{part}\n```")
    return "\n\n".join(parts)


def parameters_table(measure: Any) -> str:
    """Name, default, values and meaning of each parameter."""
    if not measure.SUPPORTED_PARAMS:
        return "None."
    rows = ["| parameter | default | accepts | |", "| --- | --- | --- | --- |"]
    for name, spec in measure.SUPPORTED_PARAMS.items():
        default = spec.default if isinstance(spec.default, (str, int, float, bool)) else None
        shown = "required" if spec.required else "" if default is None else f"`{default!r}`"
        rows.append(f"| `{name}` | {shown} | {spec.accepted()} | {spec.desc} |")
    return "\n".join(rows)


def worked_example(measure: Any) -> list[str]:
    """Judgments, ranking, what each document contributes, and the values, each compared with the paper's."""
    import irpref
    from irpref.datasets import load

    if measure.EXAMPLE is None:
        return ["None is known."]
    example = load(measure.EXAMPLE)
    wanted = [e for e in example.expected if irpref.parse(e.measure).NAME == measure.NAME]
    rows = ["| measure | run | topic | by hand | computed |", "| --- | --- | --- | --- | --- |"]
    qrels = example.qrels_frame()  # with the columns that measures read
    evaluators: dict[str, Any] = {}
    for expected in wanted:
        if expected.measure not in evaluators:
            evaluators[expected.measure] = irpref.evaluator([expected.measure], qrels)
        evaluator = evaluators[expected.measure]
        of = irpref.parse(expected.measure)
        values = evaluator.values(example.runs[expected.run])[of]
        value = float(
            values.mean() if expected.query_id is None else values[evaluator.topic_ids.index(expected.query_id)]
        )
        if not expected.admits(value):
            raise ValueError(f"{measure.EXAMPLE}: {expected} is computed as {value!r}")
        exact = expected.value
        by_hand = str(exact) if isinstance(exact, Fraction) else f"{exact:.{expected.places or 4}f}"
        rows.append(
            f"| `{expected.measure}` | {expected.run} | {expected.query_id or 'mean'} | {by_hand} | {value:.6f} |"
        )
    out = [f"{example.title} ({example.source})", "\n".join(rows[: SHOWN + 2])]
    steps = contributions(measure, example, wanted)
    return [*out, *steps]


def contributions(measure: Any, example: Any, wanted: list[Any]) -> list[str]:
    """What each document of the first topic of the example contributes, and why."""
    import irpref
    from irpref.analysis.explain import explain

    if type(measure).terms is None or not wanted:
        return []
    first = wanted[0]
    query_id = first.query_id or next(iter(example.qrels))
    table = explain(example.qrels_frame(), example.runs[first.run], irpref.parse(first.measure), query_id).head(SHOWN)
    columns = [name for name in table.columns if name not in ("query_id", "score", "judged")]
    rows = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    for row in table[columns].itertuples(index=False):
        rows.append("| " + " | ".join(_cell(value) for value in row) + " |")
    return [f"Step by step, `{first.measure}` of run {first.run}:", "\n".join(rows)]


def _cell(value: Any) -> str:
    import pandas as pd

    if value is None or value is pd.NA or value != value:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value).replace("|", r"\|")


def calls(measure: Any) -> str:
    """The same measure in every surface."""
    import irpref
    from irpref.measures.names import OTHER_NAMES

    plain = measure.variants()[0]
    other = [f"`{name}`" for name, text in OTHER_NAMES.items() if irpref.parse(text).NAME == measure.NAME]
    lines = [
        "```python",
        "import ir_measures",
        f"from irpref import {measure.NAME}",
        "",
        f"ir_measures.calc_aggregate([{plain}], qrels, run)",
        f"pt.Experiment(systems, topics, qrels, [{plain}])",
        "```",
        "",
        "```sh",
        f'irpref eval qrels.txt run.txt "{plain}"' if "(" in str(plain) else f"irpref eval qrels.txt run.txt {plain}",
        "```",
    ]
    if other:
        lines += ["", f"Names of trec_eval that are understood: {', '.join(other)}."]
    if measure.STANDS_FOR:
        same = ", ".join(
            f"`{type(measure)(**parameters)}` for `{name}`" for name, parameters in measure.STANDS_FOR.items()
        )
        lines += ["", f"Beside measures of ir_measures: {same}."]
    return "\n".join(lines)


# Reference ------------------------------------------------------------------------------------------------------


def commands_page() -> str:
    """Help of every command, from its parser."""
    from irpref.cli import COMMANDS, whole_parser

    parser = whole_parser(list(COMMANDS))
    blocks = ["# Commands", f"```text\n{parser.format_help()}```"]
    for action in parser._actions:
        for name, sub in (getattr(action, "choices", None) or {}).items():
            blocks += [f"## irpref {name}", f"```text\n{sub.format_help()}```"]
    return "\n\n".join(blocks) + "\n"


def functions_page() -> str:
    """Public functions, from their docstrings."""
    import irpref
    from irpref.measures.declare import KernelMeasure

    names = []
    for name in irpref.__all__:
        thing = getattr(irpref, name)
        if inspect.isfunction(thing) and not isinstance(thing, KernelMeasure):
            names.append(f".. autofunction:: {thing.__module__}.{thing.__qualname__}")
    body = "\n".join(names)
    return f"# Functions\n\nEach is `irpref.NAME`.\n\n```{{eval-rst}}\n{body}\n```\n"


def warnings_page() -> str:
    """Classes of warnings and errors, from their docstrings."""
    from irpref import messages
    from irpref.measures.names import UnknownMeasureError

    found = [c for c in vars(messages).values() if inspect.isclass(c) and issubclass(c, messages.IrprefWarning)]
    rows = [f"| `irpref.{c.__name__}` | {inspect.getdoc(c)} |" for c in [*found, UnknownMeasureError]]
    return "\n".join(
        [
            "# Warnings and errors",
            "",
            "All warnings are `irpref.IrprefWarning`, and are given once a measure and call. "
            "`warnings.simplefilter('error', irpref.IrprefWarning)` makes errors of them. Errors are "
            "`ValueError`s that name what was given and what is accepted.",
            "",
            "| class | |",
            "| --- | --- |",
            *rows,
            "",
        ]
    )


def setup(app: Any) -> dict[str, bool]:
    """Write the pages before Sphinx looks for them."""
    app.connect("builder-inited", write, priority=10)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
