"""Write benchmarks/RESULTS.md from results; docs/benchmarks.md has the main figures.

    python -m benchmarks.report results.json [more.json ...]

Later files replace the results of earlier ones. With --keep, sections of the page that have no
results stay as they are."""

# ruff: noqa: RUF001  (the page writes ratios with a multiplication sign)

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterable
from pathlib import Path
from runpy import run_path
from typing import Any

from benchmarks import lab
from benchmarks.commands import verdicts
from benchmarks.run import target_of

OUT = Path(__file__).with_name("RESULTS.md")

INTRO = """\
# Results of the benchmarks

<!-- Written by benchmarks/report.py; change that, or run the benchmarks again. -->

How long does an evaluation take, and how much memory? irpref computes 21 of its measures together; the other tools
compute `Bpref` alone. Both run in the same process, in turns; times are medians. Compare the ratios: absolute times
depend on the machine. *Target* is the ratio that we aim at, *missed* marks a row that falls short of it. Run the
benchmarks yourself:

```console
$ python -m benchmarks all --json results.json    # A B C D, files, start-up, kernels, Spark
$ python -m benchmarks.report results.json
```

Tools that you have not installed are left out. The values are compared, too: `BprefVariant` must equal the others'
bpref.
"""

WORKLOADS = {
    "A": "50 topics, 1,000 retrieved each, 1,500 judged each, 4 grades",
    "B": "many runs of A over the same qrels",
    "C": "the shape of MS MARCO dev: 6,980 topics, 1,000 retrieved each, 1.07 judged each",
    "D": "dense: 1,000 topics, 1,000 retrieved each, all of them judged, 4 grades",
}
FORMS = {
    "dict": "dict of dicts",
    "tuples": "namedtuples",
    "object": "pandas, `object` strings",
    "str": "pandas, `str` without pyarrow",
    "str-arrow": "pandas, `str` on pyarrow",
    "category": "pandas, categorical",
    "polars": "polars",
}


def main() -> None:
    """Write the page."""
    names = [name for name in sys.argv[1:] if name != "--keep"]
    made = page([json.loads(Path(name).read_text()) for name in names])
    if "--keep" in sys.argv:
        made = merged(OUT.read_text(encoding="utf-8"), made)
    OUT.write_text(made, encoding="utf-8")


def merged(old: str, new: str) -> str:
    """Put the sections of a new page in the place of a page's own; new ones stand before
    start-up.
    """
    parts = {text.partition("\n")[0]: text for text in old.split("\n## ")}
    fresh = {text.partition("\n")[0]: text for text in new.split("\n## ")[1:]}
    keys = list(parts)
    added = [key for key in fresh if key not in parts]
    at = keys.index("Start-up") if "Start-up" in keys else len(keys)
    keys[at:at] = added
    return "\n## ".join((fresh.get(key) or parts[key]).rstrip("\n") + "\n" for key in keys)


def page(files: list[dict[str, Any]]) -> str:
    """Return the whole page."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for file in files:
        for result in file["results"]:
            found[result["workload"], result["form"], result["who"]] = result
    results = list(found.values())
    parts = [INTRO, about(files[-1])]
    parts += [
        section(name, text, results) for name, text in WORKLOADS.items() if _of(results, name)
    ]
    if _of(results, "files"):
        parts.append(files_section(_of(results, "files")))
    if _of(results, "growth"):
        parts.append(growth_section(_of(results, "growth")))
    jobs = [r for r in results if r["workload"] in JOB_NAMES]
    if jobs:
        parts.append(jobs_section(jobs, files[-1]))
    if _of(results, "lab"):
        parts.append(lab_section(_of(results, "lab"), files[-1]))
    if _of(results, "start"):
        parts.append(start_section(_of(results, "start")))
    stages = [r for r in results if r["workload"].startswith("stages")]
    if stages:
        parts.append(stages_section(stages))
    if _of(results, "kernels"):
        parts.append(kernels_section(_of(results, "kernels")))
    if _of(results, "spark"):
        parts.append(spark_section(_of(results, "spark")))
    return "\n".join(parts)


def about(file: dict[str, Any]) -> str:
    """Describe machine, versions and date."""
    versions = ", ".join(
        f"{name} {version}" for name, version in file["versions"].items() if version
    )
    return (
        f"Measured on {file['date']}: {file['cpu']}, {file['cores']} cores, {file['system']}, "
        f"Python {file['python']}, {versions}. "
        + (
            "Times of A to D, of commands and of start-up are CPU time of all threads, since the "
            "machine had "
            "other work to do; those of stages and Spark are wall time.\n"
            if file.get("clock") == "cpu"
            else "Times are wall time.\n"
        )
    )


def section(name: str, text: str, results: list[dict[str, Any]]) -> str:
    """Tabulate a workload: a row for each form."""
    here = _of(results, name)
    rows = []
    for form in FORMS:
        of = [r for r in here if r["form"] == form]
        base = next((r for r in of if r["who"] == "ir_measures"), None)
        for r in of:
            if not r["who"].startswith("irpref"):
                continue
            others = [o for o in of if not o["who"].startswith("irpref")]
            ratio = seconds(base) / seconds(r) if base else None
            target = target_of(r)
            rows.append(
                [
                    FORMS[form] + (f" ({r['who'].partition(', ')[2]})" if "," in r["who"] else ""),
                    _time(seconds(r)),
                    "; ".join(f"{o['who']} {_time(seconds(o))}" for o in others),
                    f"{ratio:.1f} ×" if ratio else "",
                    _verdict(ratio, target),
                ]
            )
    n_rows = here[0]["rows"]
    head = ["input", "irpref, all measures", "others, Bpref", "ratio to ir_measures", "target"]
    note = (
        "\nir_measures does not read polars frames; its time is for the same rows as pandas "
        "frames with `object` "
        "strings.\n"
        if any(r["form"] == "polars" for r in here)
        else ""
    )
    return f"## {name}: {text}\n\n{n_rows:,} rows.\n\n" + table(head, rows) + note


def files_section(results: list[dict[str, Any]]) -> str:
    """Tabulate command lines on files."""
    whos = list(dict.fromkeys(r["who"] for r in results))
    rows = []
    for form in dict.fromkeys(r["form"] for r in results):
        of = {r["who"]: r for r in results if r["form"] == form}
        row = [form]
        for who in whos:
            row.append(
                f"{_time(seconds(of[who]))}, {of[who]['megabytes']:.0f} MB" if who in of else ""
            )
        if "irpref" in of:
            ratios = [
                f"{seconds(of[w]) / seconds(of['irpref']):.1f} × {w}"
                for w in whos
                if w != "irpref" and w in of
            ]
            row.append(", ".join(ratios))
        else:
            row.append("")
        rows.append([*row, ", ".join(verdicts(list(of.values())))])
    return (
        "## From files, start-up included\n\n"
        "Time and peak memory of `irpref eval QRELS RUN MEASURE...` with all measures, `trec_eval "
        "-m bpref QRELS RUN` "
        "and `ir_measures QRELS RUN Bpref`, on files sorted by topic.\n\n"
        + table(["rows of the run", *whos, "ratio", "target"], rows)
        + "\nFor small files, most of the time goes into importing NumPy and ir_measures. For "
        "large ones, one core "
        "parses blocks while the other evaluates those before.\n"
    )


def growth_section(results: list[dict[str, Any]]) -> str:
    """Time and memory by number of topics and length of the lists."""
    rows = []
    for r in results:
        took = seconds(r)
        cost = f"{took / r['rows'] * 1e9:.0f}"
        rows.append([r["form"], f"{r['rows']:,}", _time(took), cost, f"{r['megabytes']:.0f}"])
    return (
        "## Growth\n\n`irpref eval` with all measures, start-up included, on files sorted by "
        "topic, 100 judged "
        "documents a topic. Memory grows with the judgments, not with the run.\n\n"
        + table(["topics x retrieved", "rows of the run", "time", "ns a row", "MB"], rows)
    )


def jobs_section(results: list[dict[str, Any]], file: dict[str, Any]) -> str:
    """Tabulate the jobs of `benchmarks/track.py`: each contestant beside ours."""
    rows = []
    for workload, form in dict.fromkeys((r["workload"], r["form"]) for r in results):
        of = {r["who"]: r for r in results if (r["workload"], r["form"]) == (workload, form)}
        ours = of["irpref"]
        reached = (
            ""
            if file.get("clock") == "cpu" and workload in ON_CORES
            else _reached(workload, form, of)
        )
        others = [f"{who} {_time(seconds(r))}" for who, r in of.items() if r is not ours]
        ratios = [
            f"{seconds(r) / seconds(ours):.1f} × {who}"
            for who, r in of.items()
            if not who.startswith("irpref")
        ]
        rate = f"{ours['rows'] / seconds(ours) / 1e6:.1f}"
        target = JOBS.get((workload, form), JOBS.get((workload, ""), "")) + reached
        rows.append(
            [
                JOB_NAMES[workload],
                form,
                _time(seconds(ours)),
                rate,
                "; ".join(others),
                ", ".join(ratios),
                target,
            ]
        )
    busy = max(r.get("load", 0.0) for r in results)
    cpu = (
        " Times are CPU time of all threads and processes, so they do not show what several cores "
        "gain; the targets "
        "of a track and of Parquet, which count on two cores, are left out."
    )
    return (
        "## Tracks, frames, Parquet\n\n"
        "- *track*: all runs of a track on one command line with seven measures, start-up "
        "included, beside one process "
        "that reads them with pytrec_eval's parser and computes three\n"
        "- *read_run*: beside `pandas.read_csv` of six columns with ids as text\n"
        "- *frames*: C with all measures. In *scattered* frames each id is an object of its own "
        "anywhere in memory, as "
        "after merges and sorts\n"
        "- *Parquet*: all measures, some topics at a time\n"
        "- *pt.Experiment*: thirteen measures, with and without `accelerate()`\n"
        "- *leaderboard*: two measures, step-down test with 10,000 sign vectors\n"
        "- *intervals over ties*, *report*: seven measures\n"
        "- *meta robustness*: fourteen measures at sixteen levels of judgments, one sample, "
        "beside pytrec_eval with "
        "five measures\n\n"
        f"Measured on {file['date']} with irpref {file['versions']['irpref']}; the machine's "
        f"load, the benchmark's own "
        f"included, was up to {busy:.0f}.{cpu if file.get('clock') == 'cpu' else ''}\n\n"
        + table(
            ["job", "form", "irpref", "million rows a second", "others", "ratio", "target"], rows
        )
    )


def _reached(workload: str, form: str, of: dict[str, dict[str, Any]]) -> str:
    """Say whether the target of a row is met, where a ratio or a rate says so."""
    ours = of["irpref"]
    least = LEAST.get((workload, form), LEAST.get((workload, "")))
    if least is None:
        return ""
    if workload == "parquet":
        found = ours["rows"] / seconds(ours) / 1e6
    else:
        found = next(
            seconds(r) / seconds(ours) for who, r in of.items() if not who.startswith("irpref")
        )
    return ": met" if found >= least else ": **missed**"


JOB_NAMES = {
    "track": "track",
    "reading": "read_run",
    "scattered": "frames",
    "parquet": "Parquet",
    "experiment": "pt.Experiment",
    "leaderboard": "leaderboard",
    "ties": "intervals over ties",
    "robustness": "meta robustness",
    "report": "report",
}
ON_CORES = ("track", "parquet")  # targets that count on several cores
LEAST = {
    ("track", "plain"): 6,
    ("track", "ties, topics mixed"): 5,
    ("reading", ""): 2.5,
    ("scattered", "tidy"): 20,
    ("scattered", "dict, scattered"): 3,
    ("scattered", ""): 15,
    ("parquet", ""): 10,
}
JOBS = {
    ("track", "plain"): "6 × pytrec_eval",
    ("track", "gzip"): "2 × plain",
    ("track", "ties, topics mixed"): "5 × pytrec_eval",
    ("reading", ""): "2.5 × pandas",
    ("scattered", "tidy"): "20 ×",
    ("scattered", "dict, scattered"): "3 ×",
    ("scattered", ""): "15 ×",
    ("parquet", ""): "10 million",
    ("leaderboard", ""): "10 s",
    ("ties", ""): "20 s",
    ("report", ""): "15 s",
}


def lab_section(results: list[dict[str, Any]], file: dict[str, Any]) -> str:
    """Tabulate what verdicts and boards cost beside the evaluation of their runs."""
    rows, load = [], max(r.get("load", 0.0) for r in results)
    for r in results:
        evaluation, took, form = statistics.median(r["evaluation"]), seconds(r), r["form"]
        ratio, aim, memory = f"{took / evaluation:.1f} ×", "", ""
        if form.startswith("report"):
            aim = _at_most(took, lab.SECONDS_OF_REPORT, "s")
        elif form in lab.AIMS:
            aim = _at_most(took / evaluation, lab.AIMS[form], "×")
        else:
            most = lab.AIMS_OF_BOARDS[int(form.split()[0].replace(",", ""))]
            memory = f"{r['megabytes']:,.0f} MB"
            aim = f"{_at_most(took / evaluation, most, '×')}; "
            aim += _at_most(r["megabytes"], lab.MOST, "MB")
        rows.append(
            [form.replace(" x ", " × "), _time(evaluation), _time(took), ratio, memory, aim]
        )
    return (
        "## Verdicts and boards beside the evaluation of their runs\n\n"
        "- verdicts and `check`: the runs of TREC CAsT 2021 in memory, 158 topics; *compare* and "
        "*gate* are of two runs\n"
        "- boards: synthetic runs of 100 documents a topic, with nDCG@10. In *dicts*, all runs lie "
        "in memory, and their memory is included; *made one at a time* is a mapping that makes "
        "each run when it is asked for (making it is left out of the times)\n"
        "- report: synthetic runs of 40 topics × 1,000 documents, from files\n"
        "- aims are no floors: where one would cost simplicity, the simpler code stays\n\n"
        f"Measured on {file['date']}: seconds of CPU, each case in a process of its own with one "
        f"thread; medians of {lab.TRIES} calls, boards and report once. The machine was shared "
        f"(load {load:.0f} on {file['cores']} cores), so a ratio is good to about a third.\n\n"
        + table(["call", "evaluation", "irpref", "ratio", "memory", "aim"], rows)
    )


def _at_most(value: float, most: float, unit: str) -> str:
    return f"{most:g} {unit}: {'met' if value <= most else '**missed**'}"


def start_section(results: list[dict[str, Any]]) -> str:
    """Tabulate imports."""
    took = {r["form"]: seconds(r) for r in results}
    rows = [[form, _time(value)] for form, value in took.items()]
    text = "## Start-up\n\n" + table(["process", "time"], rows)
    if "import irpref" in took:
        more = took["import irpref"] - took["import ir_measures"]
        text += f"\n`import irpref` adds {more:.3f} s to `import ir_measures` (target: at most 0.1 s).\n"
    return text


def stages_section(results: list[dict[str, Any]]) -> str:
    """Tabulate where the time goes."""
    rows = []
    for r in results:
        if r["who"] not in ("index the qrels", "align the run", "all kernels"):
            continue  # parts of the alignment: for who makes it faster
        took = seconds(r)
        rows.append(
            [
                r["workload"][-1],
                FORMS[r["form"]],
                r["who"],
                _time(took),
                f"{took / r['rows'] * 1e9:.0f}",
            ]
        )
    return (
        "## Where the time goes\n\n"
        "An evaluation indexes the qrels, aligns the run with them (documents looked up, ties "
        "broken, input checked), "
        "and runs the kernels.\n\n"
        + table(["workload", "input", "stage", "time", "ns a row"], rows)
    )


def kernels_section(results: list[dict[str, Any]]) -> str:
    """Tabulate the cost of rpref by number of grades."""
    rows = [[r["form"], f"{seconds(r) / r['rows'] * 1e9:.0f}"] for r in results]
    return (
        "## Number of grades\n\n`RPref` on an aligned run, 20 topics × 5,000 judged documents. "
        "The time is near-linear "
        "in documents for any number of grades.\n\n" + table(["scale", "ns a document"], rows)
    )


def spark_section(results: list[dict[str, Any]]) -> str:
    """Tabulate Spark in local mode."""
    rows = []
    for r in results:
        rate = "" if "session" in r["form"] else f"{r['rows'] / seconds(r) / 1e6:.2f}"
        rows.append([r["form"], _time(seconds(r)), rate])
    return (
        f"## Spark, local mode, {results[0]['cores']} cores\n\n"
        f"All measures over {results[0]['rows']:,} rows in Parquet; see [Spark](../docs/spark.md).\n\n"
        + table(["", "time", "million rows a second"], rows)
    )


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a table in Markdown."""
    head = list(head)
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def seconds(result: dict[str, Any]) -> float:
    """Return the median of the seconds."""
    return statistics.median(result["seconds"])


def _time(value: float) -> str:
    return f"{value * 1000:.1f} ms" if value < 0.1 else f"{value:.2f} s"


def _verdict(ratio: float | None, target: float | None) -> str:
    if target is None:
        return ""
    return f"{target:g} ×" + (": met" if ratio and ratio >= target else ": **missed**")


def _of(results: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [r for r in results if r["workload"] == name]


if __name__ == "__main__":
    run_path(str(Path(__file__).parents[1] / "docs" / "own_source.py"))
    main()
