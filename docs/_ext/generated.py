"""Pages that are written when the site is built: a page a measure, the commands, the functions, the
errors.

Every number on them is computed in the build, and compared with the worked example of the measure's
paper: a number that does not agree ends the build."""

from __future__ import annotations

import inspect
import re
import sys
import warnings
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from textwrap import dedent
from typing import Any

from irpref.measures.docstring import prose as of_class
from irpref.measures.toml_files import compared

HERE = Path(__file__).resolve().parent.parent
SHOWN = 15  # rows of a worked example, so that what adds to a value is among them


def write(app: Any) -> None:
    """Write all pages below `measures/` and `reference/`, and that for PyTerrier."""
    from irpref.measures import registered
    from irpref.measures.toml_files import data

    measures = HERE / "measures"
    measures.mkdir(exist_ok=True)
    for name, measure in registered().items():
        _save(measures / f"{name}.md", measure_page(measure))
    for name in data("everyday.toml"):
        _save(measures / f"{name}.md", everyday_page(name))
    for page, text in measure_groups(registered()).items():
        _save(measures / f"{page}.md", text)
    reference = HERE / "reference"
    reference.mkdir(exist_ok=True)
    _save(reference / "commands.md", commands_page())
    _save(reference / "functions.md", functions_page())
    _save(reference / "modules.md", modules_page())
    _save(reference / "lab.md", lab_page())
    # The page that PyTerrier collects from its extensions.
    _save(
        HERE / "pyterrier.rst",
        (HERE.parent / "src/irpref/pt_docs/index.rst").read_text(encoding="utf-8"),
    )
    _save(reference / "forms.md", forms_page())
    _save(reference / "errors.md", errors_page())
    _save(
        reference / "index.md",
        "# Reference\n\n```{toctree}\nfunctions\nmodules\nlab\ncommands\nforms\nerrors\n```\n",
    )


def _save(path: Path, text: str) -> None:
    if (
        not path.exists() or path.read_text(encoding="utf-8") != text
    ):  # Sphinx reads again what is newer
        path.write_text(text, encoding="utf-8")


# A page a measure ---------------------------------------------------------------------------------


def slug(title: str) -> str:
    """Name the page of a group of measures."""
    return "-".join(re.findall(r"\w+", title.lower()))


def measure_groups(measures: dict[str, Any]) -> dict[str, str]:
    """Write the list of all measures as `index`, and a page for each group that they declare."""
    groups: dict[str, list[str]] = {}
    for name, measure in measures.items():
        groups.setdefault(compared(measure).group, []).append(name)
    index = [
        "# All measures",
        "Write a cutoff with `@`, as in `QMeasure@10`. Every measure prints and parses "
        "(`irpref.parse(str(m)) == m`), and equals its own name.",
    ]
    pages = {}
    for title, names in groups.items():
        table = measure_table(measures[name] for name in names)
        index += [f"## [{title}]({slug(title)}.md)", table]
        pages[slug(title)] = "\n\n".join([f"# {title}", table, toctree(names)]) + "\n"
    title, text = EVERYDAY, everyday_table()
    index += [f"## [{title}]({slug(title)}.md)", text]
    pages[slug(title)] = everyday_group(text)
    index.append(toctree([*map(slug, groups), slug(title)]))
    return {"index": "\n\n".join(index) + "\n", **pages}


EVERYDAY = "Everyday measures of ir-measures"


def everyday_group(table: str) -> str:
    """The page of the group of everyday measures."""
    from irpref.measures.toml_files import data

    text = (
        "irpref computes these measures of ir-measures, too, with the same values "
        "([see how they are compared](../proved.md)), and `irpref explain` shows what each document adds."
    )
    return "\n\n".join([f"# {EVERYDAY}", text, table, toctree(data("everyday.toml"))]) + "\n"


def everyday_table() -> str:
    """The question, range, direction and source of each everyday measure."""
    from irpref.measures.toml_files import data

    rows = [
        f"| [{name}]({name}.md) | {said['question']} | {said['range']} | higher | "
        f"{linked(said['source'])} |"
        for name, said in data("everyday.toml").items()
    ]
    return "\n".join([*MEASURE_HEAD, *rows])


def everyday_page(name: str) -> str:
    """When to use an everyday measure of ir-measures, its formula, an example by hand, pitfalls."""
    import ir_measures

    import irpref
    from irpref.measures.everyday_terms import by_hand, described
    from irpref.show.explained import explanation_text

    said: Any = described(name)
    example = said["example"]
    run = {"q": {doc: -float(rank) for rank, doc in enumerate(example["ranking"])}}
    qrels = {"q": example["grades"]}
    rows = ["| measure | by hand | computed |", "| --- | --- | --- |"]
    for measure, value in example["values"].items():
        (computed,) = irpref.evaluator([measure], qrels).calc_aggregate(run).values()
        if abs(computed - float(Fraction(value))) > 1e-12:
            raise ValueError(f"{measure} is {value} by hand and computed as {computed!r}")
        rows.append(f"| `{measure}` | {value} | {computed:.6f} |")
    first = next(iter(example["values"]))
    shell = f'"{first}"' if "(" in first else first
    parts = [
        f"# {name}",
        f"**{said['title'].capitalize() if said['title'].islower() else said['title']}.** {said['question']}",
        f"**When to use it.** {said['use']}",
        f"| | |\n| --- | --- |\n| range | {said['range']}, higher is better |\n"
        f"| source | {linked(said['source'])} |",
        "## Formula",
        f"$$\n{said['formula']}\n$$",
        symbols_rows(said["formula"], said["symbols"]),
        "## Parameters",
        host_parameters(ir_measures.measures.registry[name]),
        f"```sh\nirpref eval qrels.txt run.txt {shell}\n"
        f"irpref explain qrels.txt run.txt {shell} -t 101\n```",
        "## Example",
        f"By hand: {by_hand(example)}",
        "\n".join(rows),
        "What each document adds, as `irpref explain` prints it:",
        f"```text\n{explanation_text(qrels, run, first, 'q')}```",
        "## Pitfalls",
        said["pitfalls"],
    ]
    return "\n\n".join(parts) + "\n"


def host_parameters(measure: Any) -> str:
    """Name, default and meaning of each parameter of a measure of ir-measures."""
    rows = ["| parameter | default | |", "| --- | --- | --- |"]
    for name, spec in measure.SUPPORTED_PARAMS.items():
        default = spec.default if isinstance(spec.default, (str, int, float, bool)) else None
        shown = "required" if spec.required else "" if default is None else f"`{default!r}`"
        rows.append(f"| `{name}` | {shown} | {spec.desc} |")
    return "\n".join(rows)


MEASURE_HEAD = [
    "| measure | question it answers | range | better | source |",
    "| --- | --- | --- | --- | --- |",
]


def measure_table(measures: Iterable[Any]) -> str:
    """Tabulate the question, range, direction and source of each measure."""
    rows = [
        f"| [{m.NAME}]({m.NAME}.md) | {of_class(m).question} | {of_class(m).range} | "
        f"{'higher' if m.higher_is_better else 'lower'} | "
        f"{linked(of_class(m).source)} |"
        for m in measures
    ]
    return "\n".join([*MEASURE_HEAD, *rows])


def toctree(pages: Iterable[str]) -> str:
    """List pages below a page in the menu."""
    return "\n".join(["```{toctree}", ":hidden:", *pages, "```"])


def linked(source: str) -> str:
    """Turn the DOIs and addresses of a text into links."""
    text = re.sub(r"https?://[^\s)>,;]*[\w/]", r"<\g<0>>", source)
    return re.sub(r"doi:(10\.[^\s;,]*\w)", r"[doi:\1](https://doi.org/\1)", text)


# First words of a paragraph of a definition, and the part of the page where it and what follows are
# shown.
PARTS = (
    ("decided", r"Left open there|Decided here"),
    ("equals", r"What equals what"),
    ("tools", r"Where tools differ"),
    ("computed", r"How it is computed|How the file is|How to read the file"),
    ("hand", r"By hand"),
    ("extremes", r"When 1|When 0|When E is 0"),
    ("sensitive", r"What (it is|they are) sensitive to"),
    ("use", r"When to use"),
)

# The page has a heading in place of these.
LABEL = re.compile(
    r"\A(What equals what|Left open there, decided here|Decided here|When to use "
    r"(which|it|them)):\s*"
)


def sections(definition: str, symbols: bool) -> dict[str, str]:
    """Split a module's docstring into parts; before the first part, `symbols` of the formula and
    `background`.

    The formula itself is left out: the page has it in LaTeX, and its `symbols` if they are
    declared.
    """
    found: dict[str, list[str]] = {}
    part = "symbols"
    for paragraph in definition.split("\n\n")[1:]:
        part = next((name for name, words in PARTS if re.match(words, paragraph)), part)
        first = paragraph.split("\n")[0]
        if part == "symbols":
            if first.startswith(" ") and (" = " in first or " sum over " in paragraph):
                continue
            if not first.startswith(" ") and not is_prose(paragraph) and symbols:
                continue  # the page has them in a table
            if is_prose(paragraph) and not paragraph.endswith(":"):
                part = "background"
        found.setdefault(part, []).append(paragraph)
    text = {
        name: LABEL.sub("", "\n\n".join(paragraphs), count=1) for name, paragraphs in found.items()
    }
    if "use" in text:
        text["use"] = text["use"][:1].upper() + text["use"][1:]
    return {name: prose(part) for name, part in text.items()}


def is_prose(paragraph: str) -> bool:
    """Test whether a paragraph of a docstring is no formula, table or list of symbols."""
    lines = paragraph.split("\n")
    return not lines[0].startswith(" ") and not any(
        re.search(r"\S {2,}\S", line.strip()) for line in lines
    )


def measure_page(measure: Any) -> str:
    """Write a measure's page: when to use it, a picture, formula, parameters, example, pitfalls;
    then the details, as MyST Markdown.
    """
    from irpref.measures.declare import NEEDS
    from irpref.measures.literature import entries

    better = "higher" if measure.higher_is_better else "lower"
    words = of_class(measure)
    said = sections(
        inspect.cleandoc(sys.modules[type(measure).__module__].__doc__ or ""), bool(words.symbols)
    )
    facts = [
        f"| range | {words.range}, {better} is better |",
        *(
            [f"| needs | {'<br>'.join(NEEDS[need] for need in measure.NEEDS)} |"]
            if measure.NEEDS
            else []
        ),
        f"| source | {linked(words.source)} |",
    ]
    parts = [
        f"# {measure.NAME}",
        f"**{measure.PRETTY_NAME}.** {words.question}",
        f"**When to use it.** {words.use}",
        *real_runs(measure),
        inspect.cleandoc(type(measure).__doc__ or ""),
        "\n".join(["| | |", "| --- | --- |", *facts]),
        "## Formula",
        f"$$\n{words.formula}\n$$",
        *symbols_table(measure),
        *([said["symbols"]] if "symbols" in said else []),
        "## Parameters",
        parameters_table(measure),
        calls(measure),
        "## Example",
        *worked_example(measure),
        *([said["hand"]] if "hand" in said else []),
        "## Pitfalls",
        words.pitfalls or "None that we know of.",
        *headed("## When to use which", said.get("use")),
        *headed("## Background", said.get("background")),
        *headed("## What the paper leaves open, and what was decided", said.get("decided")),
        *headed("## What equals what", said.get("equals")),
        "## In other tools",
        *other_tools(measure, said.get("tools")),
        *headed("## Extremes and sensitivity", said.get("extremes"), said.get("sensitive")),
        *headed("## How it is computed", said.get("computed")),
        "## The formula, read plainly",
        plainly(measure),
        "## Cite",
        "```bibtex\n" + "\n\n".join(entries()[key] for key in words.cites) + "\n```",
        f"`irpref cite {measure.NAME}` prints this with a sentence for the methods section.",
    ]
    return "\n\n".join(parts) + "\n"


def symbols_table(measure: Any) -> list[str]:
    """Tabulate the symbols of the formula, only those of this measure."""
    table = symbols_rows(of_class(measure).formula, of_class(measure).symbols)
    return [table] if table else []


def symbols_rows(formula: str, meanings: dict[str, str]) -> str:
    """A table of the symbols in a formula; empty if none has a meaning."""
    from irpref.measures.notation import symbols

    rows = [f"| ${symbol}$ | {meaning} |" for symbol, meaning in symbols(formula, meanings).items()]
    return "\n".join(["| symbol | meaning |", "| --- | --- |", *rows]) if rows else ""


def real_runs(measure: Any) -> list[str]:
    """Draw the measure on the five runs of TREC CAsT 2021: a dot for each topic, the mean as a
    bar.
    """
    from matplotlib import pyplot

    from irpref.datasets import load
    from irpref_lab import plots

    if {"known", "preferences"} & set(measure.NEEDS):  # which that collection has not
        return []
    cast = load("cast2021")
    of = type(measure).recommended()
    of = of(max_rel=4) if "max_rel" in of.params else of
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ax = plots.topic_strip(cast.qrels, cast.runs, of)
    path = HERE / "measures" / f"{measure.NAME}-cast2021.png"
    ax.figure.savefig(path, dpi=130, metadata={"Software": None})
    pyplot.close(ax.figure)
    caption = f"`{of}` of the five runs of TREC CAsT 2021 that come with irpref: a dot for each topic, the mean as a bar."
    return [f"![{of} of five runs, by topic]({path.name})\n\n{caption}"]


def plainly(measure: Any) -> str:
    """Quote the loops of `tests/reference` for a measure, with its parts that have a name of their
    own.
    """
    from reference import FORMULAS

    listed = [inspect.unwrap(FORMULAS[measure.NAME])]
    # Not what all of them share: cutoffs, order, exact numbers.
    own = {"preference", "graded", "position", "user", "preferences"}
    for function in listed:  # grows as parts of parts are met
        for name in re.findall(r"\w+", inspect.getsource(function)):
            part = sys.modules[function.__module__].__dict__.get(name)
            home, _, module = getattr(part, "__module__", "").rpartition(".")
            if home == "reference" and module in own and name != "entered" and part not in listed:
                listed.append(part)
    code = "\n\n".join(inspect.getsource(part) for part in listed)
    file = Path(inspect.getfile(listed[0])).name
    said = (
        f"From `tests/reference/{file}`, written to be read; the tests compare it with the kernel."
    )
    return f"{said}\n\n```python\n{code}```"


def headed(heading: str, *texts: str | None) -> list[str]:
    """Put the heading before the texts, if there is any."""
    there = [text for text in texts if text]
    return [heading, *there] if there else []


def other_tools(measure: Any, said: str | None) -> list[str]:
    """Give the measure's names elsewhere, and where values differ, with both numbers."""
    import irpref
    from irpref.measures.toml_files import data

    of_trec_eval = {
        f"trec_eval {name}": text for name, text in data("names.toml")["trec_eval"].items()
    }
    own = {
        name: text for name, text in of_trec_eval.items() if irpref.parse(text).NAME == measure.NAME
    }
    names = [
        f"{name.replace(' ', ' `', 1)}` is `{text}`"
        for name, text in {**compared(measure).elsewhere, **own}.items()
    ]
    out = []
    if names:
        listed = "\n".join(f"- {name}" for name in names)
        out.append(f":::{{admonition}} The same under another name\n:class: note\n{listed}\n:::")
    else:
        out.append("No other tool that we know of computes it.")
    rows = [
        *beside_the_host(measure),
        *(
            f"| {one['tool']} | {one['theirs']} | {one['here']} | {one['why']} |"
            for one in compared(measure).differs
        ),
    ]
    if rows:
        out.append(
            "\n".join(
                ["| tool | there | here | where, and why |", "| --- | --- | --- | --- |", *rows]
            )
        )
    return [*out, *([said] if said else [])]


def beside_the_host(measure: Any) -> list[str]:
    """Compare the measure with the nearest measures of ir_measures on its worked example: computed
    now, by both.
    """
    from importlib.metadata import version

    import ir_measures

    import irpref
    from irpref.datasets import load

    stands_for, worked = compared(measure).stands_for, of_class(measure).worked_example
    if not stands_for or not worked:
        return []
    example = load(worked)
    qrels, run = example.qrels_frame(), example.run_frame(next(iter(example.runs)))
    top = (
        {"max_rel": int(qrels["relevance"].max())} if "max_rel" in measure.SUPPORTED_PARAMS else {}
    )
    rows = []
    for name, parameters in stands_for.items():
        mine = type(measure)(**{**measure.params, **top, **parameters})
        mine, theirs = (
            (mine @ 5, irpref.parse("P@5")) if name == "P" else (mine, irpref.parse(name))
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (here,) = irpref.evaluator([mine], qrels).calc_aggregate(run).values()
            (there,) = ir_measures.calc_aggregate([theirs], qrels, run).values()
        equal = "equal" if abs(here - there) < 1e-12 else "another formula"
        tool = f"ir_measures {version('ir-measures')}, `{theirs}`"
        rows.append(
            f"| {tool} | {there:.6f} | {here:.6f} | `{mine}` on the worked example, mean: {equal} |"
        )
    return rows


def prose(text: str) -> str:
    """Turn a module's docstring into Markdown: formulas and lists of symbols stay as they were set,
    the rest is prose.
    """
    parts = []
    for part in text.split("\n\n"):
        text = linked(re.sub(r"(?<!\S)\*(?=\S)(?!\w+\*)", r"\\*", part))
        parts.append(text if is_prose(part) else f"```text\n{dedent(part)}\n```")
    return "\n\n".join(parts)


def parameters_table(measure: Any) -> str:
    """Tabulate name, default, values and meaning of each parameter."""
    if not measure.SUPPORTED_PARAMS:
        return "None."
    rows = ["| parameter | default | accepts | meaning |", "| --- | --- | --- | --- |"]
    for name, spec in measure.SUPPORTED_PARAMS.items():
        default = spec.default if isinstance(spec.default, (str, int, float, bool)) else None
        shown = "required" if spec.required else "" if default is None else f"`{default!r}`"
        rows.append(f"| `{name}` | {shown} | {spec.accepted()} | {spec.desc} |")
    return "\n".join(rows)


def worked_example(measure: Any) -> list[str]:
    """Show judgments, ranking, the contribution of each document, and the values, each compared
    with the paper's.
    """
    import irpref
    from irpref.datasets import load

    worked = of_class(measure).worked_example
    if not worked:
        return ["None is known."]
    example = load(worked)
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
            values.mean()
            if expected.query_id is None
            else values[evaluator.topic_ids.index(expected.query_id)]
        )
        if not expected.admits(value):
            raise ValueError(f"{worked}: {expected} is computed as {value!r}")
        exact = expected.value
        by_hand = str(exact) if isinstance(exact, Fraction) else f"{exact:.{expected.places or 4}f}"
        rows.append(
            f"| `{expected.measure}` | {expected.run} | {expected.query_id or 'mean'} | {by_hand} "
            f"| {value:.6f} |"
        )
    out = [f"{example.title} ({linked(example.source)})", "\n".join(rows[: SHOWN + 2])]
    out += [
        "<details><summary>Worked out by hand</summary>",
        f"```text\n{example.worked}\n```",
        "</details>",
    ]
    steps, picture = contributions(measure, example, wanted), picture_of(measure, example, wanted)
    return [*out, *picture, *steps]


def telling(measure: Any, wanted: list[Any]) -> Any:
    """Choose the value to show in full: of the plain measure, of a list that is neither ideal nor
    hopeless.
    """
    of_one = [one for one in wanted if one.measure == wanted[0].measure]

    def size(one: Any) -> float:
        return abs(float(one.value))

    if measure.BOUNDS != (0.0, 1.0):
        return max(of_one, key=size)
    return min(of_one, key=lambda one: abs(float(one.value) - 0.5))


def picture_of(measure: Any, example: Any, wanted: list[Any]) -> list[str]:
    """Draw the ranking of the first value of the example."""
    import pictures

    import irpref
    from irpref.show.explained import explain

    if not wanted:
        return []
    first = telling(measure, wanted)
    query_id = first.query_id or next(iter(example.qrels))
    qrels, scores = example.qrels_frame(), example.runs[first.run].get(query_id, {})
    grades = dict(example.qrels[query_id]) if "group" not in qrels else {}
    ranked = sorted(sorted(scores, reverse=True), key=lambda doc: -scores[doc])[:SHOWN]
    added = None
    if type(measure).terms is not None:
        table = explain(irpref.parse(first.measure), qrels, example.runs[first.run], query_id)
        shares = dict(zip(table["doc_id"], table["contribution"], strict=True))
        added = [float(shares.get(doc, 0.0) or 0.0) for doc in ranked]
    best = sorted(grades.items(), key=lambda item: -item[1])[:SHOWN]
    path = HERE / "measures" / f"{measure.NAME}.png"
    value = str(first.value) if isinstance(first.value, Fraction) else f"{first.value:.4f}"
    title = f"{first.measure} = {value}" + ("" if first.query_id else " (mean; one topic is shown)")
    alt = pictures.draw(path, title, [(doc, grades.get(doc)) for doc in ranked], best, added)
    return [f"![{alt}]({path.name})"]


def contributions(measure: Any, example: Any, wanted: list[Any]) -> list[str]:
    """Tabulate how much each document of the first topic of the example contributes, and why."""
    import irpref
    from irpref.show.explained import explain

    if type(measure).terms is None or not wanted:
        return []
    first = telling(measure, wanted)
    query_id = first.query_id or next(iter(example.qrels))
    table = explain(
        irpref.parse(first.measure), example.qrels_frame(), example.runs[first.run], query_id
    ).head(SHOWN)
    columns = [name for name in table.columns if name not in ("query_id", "score", "judged")]
    numbers = (f"{name} = {value:.4g}" for name, value in table.attrs["numbers"].items())
    steps = [f"`{name} = {step}`" for name, step in table.attrs["steps"].items()]
    steps += [f"`{', '.join(numbers)}`"] if table.attrs["numbers"] else []
    rows = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    for row in table[columns].itertuples(index=False):
        rows.append("| " + " | ".join(_cell(value) for value in row) + " |")
    caption = f"Step by step, `{first.measure}` of `{first.run}`, topic {query_id}:"
    return [caption, *(["<br>\n".join(steps)] if steps else []), "\n".join(rows)]


def _cell(value: Any) -> str:
    import pandas as pd

    if value is None or value is pd.NA or value != value:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value).replace("|", r"\|")


def calls(measure: Any) -> str:
    """Show the same measure in every surface."""
    plain = str(measure.recommended())
    known = "known" in measure.NEEDS
    shell = f'"{plain}"' if "(" in plain else plain

    def opened(host: str, frame: str) -> list[str]:
        lines = [host, *["import irpref"] * known, f"from irpref import {measure.NAME}", ""]
        if known:
            lines += [
                "# known: topic -> documents that the user knew, or a file",
                f"qrels = irpref.judgments(qrels, known=known).{frame}",
            ]
        return lines

    return "\n".join(
        [
            "```python",
            *opened("import ir_measures", "frame()"),
            f"ir_measures.calc_aggregate([{plain}], qrels, run)",
            "```",
            "",
            "```python",
            *opened("import pyterrier as pt", "frame(pyterrier=True)"),
            f"pt.Experiment(systems, topics, qrels, [{plain}])",
            "```",
            "",
            "```sh",
            f"irpref eval qrels.txt run.txt {shell}{' --known known.txt' * known}",
            "```",
        ]
    )


# Reference ----------------------------------------------------------------------------------------


def commands_page() -> str:
    """Write the help of every command."""
    from irpref.cli.command import helps

    (_, whole), *others = helps()
    blocks = ["# Commands", f"```text\n{whole}\n```"]
    for name, text in others:
        blocks += [f"{'#' * len(name.split())} {name}", f"```text\n{text}\n```"]
    return "\n\n".join(blocks) + "\n"


# Public functions by what they are for; those that are in none of these come last.
PLUGIN = {
    "Measures and their values": (
        *("parse", "parse_all", "bind", "evaluator", "score", "explain", "evidence"),
        *("crosscheck", "cite"),
    ),
    "Judgments and runs": (
        *("judgments", "preferences_from", "run", "read_qrels", "read_run"),
        *("read_preferences", "write_preferences"),
    ),
    "ir-measures and PyTerrier": ("accelerate", "register_names", "unregister_names"),
}
LAB = {
    "Which system is better": ("compare", "gate", "against", "leaderboard"),
    "How far a value can be trusted": ("check", "verify", "intervals", "topics_needed"),
    "Few human judgments, LLM judges": ("fill", "judge", "sample", "sampled"),
    "Everything on one page": ("report",),
}


def public(module: Any, kind: Any) -> list[str]:
    """List the public names of a package that are of a kind, such as functions."""
    return [name for name in dir(module) if kind(getattr(module, name))]


def described(names: Iterable[str], directive: str = "autofunction") -> str:
    """List the docstrings of these objects, one after the other."""
    listed = "\n".join(f".. {directive}:: {name}" for name in names)
    return f"```{{eval-rst}}\n{listed}\n```"


def by_purpose(package: Any, groups: dict[str, tuple[str, ...]]) -> list[str]:
    """Write a section for each group of the functions of a package."""
    grouped = {name for group in groups.values() for name in group}
    others = tuple(name for name in public(package, inspect.isfunction) if name not in grouped)
    parts = []
    for heading, group in {**groups, "Other functions": others}.items():
        if group:
            listed = described(f"{package.__name__}.{name}" for name in group)
            parts += [f"## {heading}", listed]
    return parts


def functions_page() -> str:
    """Write the page of the plugin's public functions, from their docstrings."""
    import irpref

    parts = [
        "# Functions of the plugin",
        "What `irpref` offers besides its [measures](../measures/index.md). "
        "Functions that decide, judge and report are in [the lab](lab.md).",
        *by_purpose(irpref, PLUGIN),
        "## Classes",
        described(["irpref.Judgments", "irpref.Run"], "autoclass"),
    ]
    return "\n\n".join(parts) + "\n"


def lab_page() -> str:
    """Write the page of the lab's public functions and modules, from their docstrings."""
    import irpref_lab

    parts = [
        "# Functions and modules of the lab",
        inspect.cleandoc(irpref_lab.__doc__ or "").partition("\n\n")[2],
        "In PyTerrier, `pt.irpref.compare` and the others take systems, topics, judgments and measures, "
        "in the order of `pt.Experiment`: see [the page for PyTerrier](../pyterrier.rst).",
        *by_purpose(irpref_lab, LAB),
        *modules(irpref_lab),
    ]
    return "\n\n".join(parts) + "\n"


def modules_page() -> str:
    """Write the page of the plugin's public modules, from their docstrings."""
    import irpref

    return "\n\n".join(["# Modules of the plugin", *modules(irpref)]) + "\n"


# Modules of irpref that are imported with it and are not public, and those with a page of their own.
NOT_LISTED = {
    "data", "explanation", "hosts", "judged", "kernel", "measures", "messages", "observed", "show",
    "values",
    "errors", "lab", "transformers",
}  # fmt: skip


def modules(package: Any) -> list[str]:
    """Write a section for each public module of a package: its purpose, its classes and
    functions.
    """
    parts, shown = [], set()
    for name in public(package, inspect.ismodule):
        if name in NOT_LISTED:
            continue
        module = getattr(package, name)
        summary = inspect.cleandoc(module.__doc__ or "").split("\n\n")[0]
        listed = getattr(module, "__all__", None) or sorted(vars(module))
        # What is not listed must be its own.
        home = "irpref" if hasattr(module, "__all__") else module.__name__
        lines = []
        for member in listed:
            thing = getattr(module, member)
            if (
                member.startswith("_")
                or not getattr(thing, "__module__", "").startswith(home)
                or getattr(package, member, None) is thing
                or id(thing) in shown
                or member in ("KernelMeasure", "Terms")
            ):
                continue
            shown.add(id(thing))
            path = f"{package.__name__}.{name}.{member}"
            if inspect.isclass(thing):
                lines.append(f".. autoclass:: {path}")
            elif inspect.isfunction(inspect.unwrap(thing)):  # some keep their results
                lines.append(f".. autofunction:: {path}")
                if name == "significance":  # has its place on the page for PyTerrier
                    lines.append("   :no-index:\n")
        parts += [f"## {package.__name__}.{name}", summary]
        if lines:
            body = "\n".join(lines)
            parts.append(f"```{{eval-rst}}\n{body}\n```")
    return parts


def forms_page() -> str:
    """Write the page of forms of files, from the modules that read them."""
    from irpref.data import preference_files as preferences
    from irpref.data import tables, trec

    parts = ["# Forms of files"]
    for heading, module in (
        ("Runs and judgments", tables),
        ("TREC", trec),
        ("Preferences", preferences),
    ):
        parts += [f"## {heading}", prose(inspect.cleandoc(module.__doc__ or ""))]
    return "\n\n".join(parts) + "\n"


def errors_page() -> str:
    """Write the tree of errors and warnings, and the attributes of classes that have some."""
    from irpref import errors

    classes = [c for c in vars(errors).values() if inspect.isclass(c)]
    with_attributes = [c for c in classes if "Attributes\n" in (c.__doc__ or "")]
    parts = [
        "# Errors and warnings",
        prose(inspect.cleandoc(errors.__doc__ or "")),
        "On the command line an error is one line, with exit status 1 if the input cannot be "
        "evaluated (2 for `gate`) and 2 if the command cannot be understood. "
        "`warnings.simplefilter('error', irpref.IrprefWarning)` turns warnings into errors. "
        "[irpref_lab.check](../check.md) finds problems before you evaluate anything.",
        "## Attributes",
        "All of them have the attributes of `Told`; some have more.",
        described((f"irpref.errors.{c.__name__}" for c in with_attributes), "autoclass"),
    ]
    return "\n\n".join(parts) + "\n"


def example_report(app: Any, exception: Exception | None) -> None:
    """Write the page that the tutorial on reports walks through."""
    if exception is None and app.builder.format == "html":
        import irpref_lab
        from irpref.datasets import load

        example = load("synthetic")
        measures = ["nDCG@10", "AP", "RPref(norm='relative2')"]
        path = Path(app.outdir) / "example-report.html"
        irpref_lab.report(
            measures, example.qrels, example.runs, path, baseline="baseline", topics=example.queries
        )


def setup(app: Any) -> dict[str, bool]:
    """Write the pages before Sphinx looks for them."""
    app.connect("builder-inited", write, priority=10)
    app.connect("build-finished", example_report)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
