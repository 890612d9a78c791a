"""`irpref demo`: several systems, many measures, one look.

Without arguments it evaluates the five systems of the synthetic collection that comes with the package;
`irpref demo QRELS RUN... MEASURE...` does the same for your judgments, or a public collection, and real runs.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import textwrap
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from irpref.cli import frame
from irpref.cli.eval import best_of, lower_is_better
from irpref.cli.frame import Command, Parser
from irpref.formats.collections import dataset as load_dataset
from irpref.formats.collections import not_loaded
from irpref.formats.runs import run_names
from irpref.judged.align import listing as listing_of
from irpref.show.text import Cell, Column, Page, Table, page_of, rounded
from irpref.show.text import text as printed

if TYPE_CHECKING:
    import pandas as pd
    from ir_measures.measures import Measure

WIDTH = 100  # at most
SHOWN_DOCUMENTS = 20
# More rows than this are cut in the view of one topic; the tables over all topics have every system.
SHOWN_SYSTEMS = 12


class Group(NamedTuple):
    """Measures that answer a question together: one table."""

    question: str
    measures: tuple[str, ...]


GROUPS = (
    Group(
        "Preferences: is the order of the judged documents right?",
        ("AP", "nDCG@10", "Bpref", "RPref", "RPref(norm='relative')", "NPref(n=2)"),
    ),
    Group(
        "Graded relevance: how much relevance, how early?",
        (
            "RR",
            "QMeasure",
            "QMeasure(judged_only=True)",
            "OMeasure",
            "PMeasure",
            "PPlus",
            "NCU(stop='rank_biased')",
        ),
    ),
    Group(
        "Position: how far are documents from their place in the ideal list?",
        ("OriginalNDCG@10", "nCRP", "CRPRecovery", "Twist"),
    ),
    Group(
        "The user: what was wanted, what was known before, what is new?",
        ("Coverage@10", "Novelty@10", "RelativeRecall", "RecallEffort", "EMeasure@10", "FMeasure@10"),
    ),
)
# What the view of one topic shows of them.
ONE_TOPIC = ("AP", "nDCG@10", "Bpref", "RPref", "QMeasure", "PMeasure", "nCRP", "EMeasure@10")


@dataclass
class Collection:
    """What is evaluated: judgments, topics, runs, and remarks for the reader."""

    title: str
    source: str
    qrels: pd.DataFrame  # query_id, doc_id, relevance, perhaps known and expected
    scale: Any  # what `irpref.bind` reads the grades from
    queries: Mapping[str, str]
    runs: Mapping[str, pd.DataFrame]  # query_id, doc_id, score
    notes: list[str] = field(default_factory=list)


class Results(NamedTuple):
    """Means (systems x measures) and values (name, qid, measure, value)."""

    means: pd.DataFrame
    values: pd.DataFrame


def _arguments(parser: Parser) -> None:
    parser.add_argument(
        "qrels",
        metavar="QRELS",
        nargs="?",
        help="a file of judgments, an ir_datasets collection, or a shipped example (default: irpref/synthetic)",
    )
    parser.add_argument(
        "arguments",
        metavar="RUN... MEASURE...",
        nargs="*",
        help="files in place of the runs that the collection has; other measures",
    )
    parser.add_argument("-m", "--measure", metavar="NAME", action="append", default=[], help="a measure")
    frame.add_topic(parser, "topic of the second view (default: the most disputed one)")
    frame.old(parser, "--dataset", "the first argument", dest="qrels")
    frame.old(parser, "--run", "an argument after the collection", dest="arguments", action="append")
    frame.old(parser, "--measures", "arguments after the collection", dest="measure", action="append")
    frame.old(parser, "--query", "-t, --topic", dest="topic")
    frame.add_reading(parser)
    parser.add_argument("-f", "--file", metavar="FILE", help="write there")


def run(args: argparse.Namespace) -> None:
    """Print the experiment. Raises `ValueError` and the like for input that cannot be evaluated."""
    started = time.perf_counter()
    files: dict[str, str] = {}
    names = list(args.measure)
    if args.arguments:
        paths, more = frame.sort_arguments(args.arguments, runs=False)
        files, names = run_names(paths), more + names
    collection = _collection(args.qrels or "irpref/synthetic", files, args)
    lines = _report(collection, frame.named_measures(names), args.topic, args.float32)
    with frame.opened(args) as out:
        out.write("\n".join([*lines, f"{time.perf_counter() - started:.1f} seconds.\n"]))


def _report(collection: Collection, asked: Sequence[Any], query_id: str | None, float32: bool) -> list[str]:
    from irpref import bind

    groups = [Group("Measures", tuple(map(str, asked)))] if asked else _groups(collection)
    with _noted(collection.notes):
        bound = [bind(list(group.measures), collection.scale) for group in groups]
        measures = list(dict.fromkeys(measure for group in bound for measure in group))
        results = _experiment(collection, measures, float32)

    lines = _heading(collection)
    if len(collection.runs) > 1:
        lines += ["", "* is the best of a column. Higher is better where nothing else is said."]
    for group, of_group in zip(groups, bound, strict=True):
        lines += ["", group.question, ""]
        lines += _table(results.means[[str(measure) for measure in of_group]], of_group)
        lines += ["", *_legend(of_group)]
    lines += ["", *_one_topic(collection, results, measures, query_id)]
    lines += ["", *_filled("Notes: ", collection.notes)] if collection.notes else []
    n_values = len(results.values)
    return [*lines, "", f"{n_values:,} values, scale bound by irpref.bind."]


# ------------------------------------------------------------------------------------------ what to evaluate


def _collection(dataset: str, files: dict[str, str], args: argparse.Namespace) -> Collection:
    from irpref.datasets import examples

    shipped, _, name = dataset.removeprefix("irpref/").partition("/")
    ours = shipped in examples()
    if os.path.exists(dataset) or dataset == "-":
        collection = _file(dataset)
    else:
        collection = _shipped(shipped, name) if ours else _public(dataset, with_scores=not files)
    if files:
        collection.runs = dict(frame.read_runs(files, args))
    if not collection.runs:
        raise ValueError(f"{dataset} has no scored documents: name files of runs after it")
    topics = set(collection.qrels["query_id"])
    for title, run in collection.runs.items():
        if not topics.intersection(run["query_id"]):
            raise ValueError(f"{title}: the run has no topic in common with the judgments of {dataset}")
    return collection


def _file(name: str) -> Collection:
    from irpref import read_qrels

    qrels = read_qrels(name)
    return Collection(title=os.path.basename(name), source=name, qrels=qrels, scale=qrels, queries={}, runs={})


def _shipped(id: str, run: str = "") -> Collection:
    """A shipped example with its runs, or the one run named."""
    from irpref.datasets import load

    example = load(id)
    return Collection(
        title=example.title,
        source=example.source,
        qrels=example.qrels_frame(),
        scale=example.qrels,
        queries=example.queries,
        runs={name: example.run_frame(name) for name in ([run] if run else example.runs)},
    )


def _public(id: str, *, with_scores: bool) -> Collection:
    import pandas as pd

    try:
        dataset = load_dataset(id)
    except ImportError:
        raise ImportError(
            f"{id} is not among the shipped examples; for other collections: pip install ir_datasets"
        ) from None
    try:
        qrels = pd.DataFrame(dataset.qrels_iter())
    except (OSError, RuntimeError) as error:
        raise not_loaded(id, error) from None
    if "relevance" not in qrels:
        raise ValueError(f"the judgments of {id} have no relevance, only {', '.join(qrels.columns)}")
    columns = [name for name in ("query_id", "doc_id", "relevance", "known", "expected") if name in qrels]
    runs = {}
    if with_scores and dataset.has_scoreddocs():
        runs["scoreddocs"] = pd.DataFrame(dataset.scoreddocs_iter())[["query_id", "doc_id", "score"]]
    notes: list[str] = []
    return Collection(
        title=id,
        source=f"ir_datasets, https://ir-datasets.com/{id.split('/', 1)[0]}.html",
        qrels=qrels[columns],
        scale=dataset,
        queries=_queries(dataset, notes),
        runs=runs,
        notes=notes,
    )


def _queries(dataset: Any, notes: list[str]) -> dict[str, str]:
    """Text of the topics; empty where it cannot be had (often only the judgments are at hand)."""
    if not dataset.has_queries():
        return {}
    try:
        return {
            query.query_id: query.default_text() if hasattr(query, "default_text") else str(query[1])
            for query in dataset.queries_iter()
        }
    except Exception as problem:  # a download that fails, in as many ways as there are sources
        notes.append(f"The text of the topics is not at hand ({type(problem).__name__}).")
        return {}


def _groups(collection: Collection) -> list[Group]:
    """The groups, without what the collection cannot answer; what is left out is noted."""
    from irpref import parse, with_known
    from irpref.measures import registered

    left_out: set[str] = set()
    if "known" not in collection.qrels:
        if len(collection.runs) > 1:
            first = next(iter(collection.runs))
            collection.qrels = with_known(collection.qrels, run=collection.runs[first], depth=10)
            collection.notes.append(f"Known to the user: the first 10 documents of {first} (no column `known`).")
        else:
            need_known = {name for name, measure in registered().items() if "known" in measure.NEEDS}
            left_out |= need_known
            collection.notes.append(f"{' and '.join(sorted(need_known))} need to know what the user knew; left out.")
    kept = []
    for group in GROUPS:
        measures = tuple(name for name in group.measures if parse(name).NAME not in left_out)
        kept.append(Group(group.question, measures))
    return kept


@contextmanager
def _noted(notes: list[str]) -> Iterator[None]:
    """Turn warnings into notes for the reader, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    from irpref import IrprefWarning

    # The same remark about several measures ("RPref: no document ...") is made once.
    about: dict[str, list[str]] = {}
    for warning in caught:
        if issubclass(warning.category, IrprefWarning):
            measure, _, remark = str(warning.message).partition(": ")
            about.setdefault(remark or measure, []).extend([measure] if remark else [])
    for remark, names in about.items():
        notes.append(f"{', '.join(dict.fromkeys(names))}: {remark}." if names else f"{remark}.")


# ------------------------------------------------------------------------------------------------ evaluation


def _experiment(collection: Collection, measures: Sequence[Measure], float32: bool) -> Results:
    import pandas as pd

    from irpref import evaluator
    from irpref.messages import about

    asked = evaluator(measures, collection.qrels, float32=float32)
    means, values = {}, []
    for name, run in collection.runs.items():
        with about(name, len(collection.runs) > 1):
            of, per_topic = asked.calc(run)
        means[name] = {str(measure): of[measure] for measure in measures}  # type: ignore[index]
        values += [(name, row.query_id, str(row.measure), row.value) for row in per_topic]
    return Results(
        pd.DataFrame.from_dict(means, orient="index"),
        pd.DataFrame(values, columns=["name", "qid", "measure", "value"]),
    )


# ------------------------------------------------------------------------------------------------ the report


def _heading(collection: Collection) -> list[str]:
    grades = collection.qrels["relevance"].value_counts().sort_index(ascending=False)
    if len(grades) <= 8:
        shown = ", ".join(f"{count:,} of grade {grade:g}" for grade, count in grades.items())
    else:
        shown = f"{grades.sum():,} with {len(grades)} grades from {grades.index[-1]:g} to {grades.index[0]:g}"
    n_topics = collection.qrels["query_id"].nunique()
    counts = f"{_many(n_topics, 'topic')}; {_many(len(collection.runs), 'system')}; judgments: {shown}."
    return [*_filled("", [collection.title]), *_filled("  ", [collection.source]), *_filled("  ", [counts])]


def _width() -> int:
    return min(page_of(sys.stdout).width or WIDTH, WIDTH)


def _many(n: int, what: str) -> str:
    return f"{n:,} {what}" + ("s" if n != 1 else "")


def _filled(indent: str, texts: Iterable[str]) -> list[str]:
    """Paragraphs no wider than the page; the first begins with `indent`, the rest stand below its text."""
    lines = []
    for number, text in enumerate(texts):
        first = indent if number == 0 else " " * len(indent)
        lines += textwrap.wrap(
            text, _width(), initial_indent=first, subsequent_indent=" " * len(indent), break_on_hyphens=False
        )
    return lines


def _table(frame: pd.DataFrame, measures: Sequence[Measure]) -> list[str]:
    """Systems by measures, the best of a column starred."""
    four = rounded()
    best = {m: best_of(m, list(frame[str(m)]), four) for m in measures} if len(frame) > 1 else {}
    rows = [
        [name, *(Cell(four(row[str(m)]), best.get(m) == four(row[str(m)])) for m in measures)]
        for name, row in frame.iterrows()
    ]
    columns = [Column("system", left=True), *(Column(str(measure), four) for measure in measures)]
    return printed(Table(columns, rows), page=Page(_width())).splitlines()


def _legend(measures: Sequence[Measure]) -> list[str]:
    """One line for each measure: what it means, its range and direction."""
    first = {str(measure.NAME): measure for measure in reversed(measures)}
    names = [str(measure.NAME) for measure in measures]
    width = max(map(len, names))
    lines = []
    for name in dict.fromkeys(names):
        measure = first[name]
        meaning = " ".join((getattr(measure, "SHORT_DESC", "") or "").split()).rstrip(".")
        if not meaning:
            meaning = " ".join((type(measure).__doc__ or "").split()).partition(". ")[0]
        facts = [fact for fact in (_range(measure), "lower is better" if lower_is_better(measure) else "") if fact]
        text = ". ".join((meaning, "; ".join(facts).capitalize())) if facts else meaning
        lines += _filled(f"  {name.ljust(width)}  ", [f"{text}."])
    return lines


def _range(measure: Measure) -> str:
    return str(getattr(measure, "RANGE", "")).replace("[0, 1]", "0 to 1")


def _one_topic(
    collection: Collection, results: Results, measures: Sequence[Measure], query_id: str | None
) -> list[str]:
    """One topic: values of every system, and the grades of its first documents."""
    named = {measure.NAME: measure for measure in reversed(measures)}
    wanted = [name.partition("@")[0] for name in ONE_TOPIC]
    chosen = [named[name] for name in wanted if name in named] or list(measures)[: len(ONE_TOPIC)]
    values = results.values
    if query_id is not None and query_id not in set(collection.qrels["query_id"]):
        raise ValueError(f"topic {query_id!r} is not in the judgments")

    why = ""
    systems = list(collection.runs)
    if query_id is None:
        query_id, why, systems = _disputed(collection, values, [str(measure) for measure in chosen])
    values = values[(values["qid"] == query_id) & values["name"].isin(systems)]
    frame = values.pivot(index="name", columns="measure", values="value").reindex(systems)

    text = collection.queries.get(query_id, "")
    lines = _filled("", [f"One topic: {query_id}" + (f", {text!r}" if text else "") + "."])
    lines += _filled("  ", [why]) if why else []
    lines += ["", *_table(frame[[str(measure) for measure in chosen]], chosen)]
    return [*lines, "", *_pictures(collection, query_id, systems)]


def _disputed(collection: Collection, values: pd.DataFrame, measures: Sequence[str]) -> tuple[str, str, list[str]]:
    """The topic on which two measures disagree most about two systems; why; the systems to show."""
    query_ids = list(dict.fromkeys(collection.qrels["query_id"]))
    names = list(collection.runs)
    pair = measures[0], next((name for name in measures if name.startswith("RPref")), measures[-1])
    best: tuple[float, str, str, str] = (0.0, query_ids[0], "", "")
    tables = {
        measure: values[values["measure"] == measure].pivot(index="qid", columns="name", values="value")
        for measure in set(pair)
    }
    # All pairs of many systems take long; the first ones are enough to find a case.
    compared = names[:SHOWN_SYSTEMS]
    for at, a in enumerate(compared):
        for b in compared[at + 1 :]:
            first, second = (tables[measure][a] - tables[measure][b] for measure in pair)
            size = first.abs().combine(second.abs(), min).where(first * second < 0, 0)
            if len(size) and size.max() > best[0]:
                topic = size.idxmax()
                better, worse = (a, b) if first[topic] > 0 else (b, a)
                best = (float(size.max()), str(topic), better, worse)
    size, query_id, better, worse = best
    if not better:
        return query_id, "", compared
    return query_id, f"{pair[0]} prefers {better} to {worse}, {pair[1]} {worse} to {better}.", compared


def _pictures(collection: Collection, query_id: str, systems: Sequence[str]) -> list[str]:
    """Grades of the first documents of each system, in the order in which they are evaluated."""
    from irpref.judged.pool import Pool

    judgments = collection.qrels[collection.qrels["query_id"] == query_id]
    pool = Pool.build(judgments[["query_id", "doc_id", "relevance"]])
    # Half of the line is for grades.
    short = {name: name if len(name) <= 40 else f"{name[:18]}...{name[-19:]}" for name in systems}
    width = max(5, *map(len, short.values()))

    def row(name: str, grades: Iterable[float]) -> str:
        return f"{name.ljust(width)}  " + " ".join("." if math.isnan(g) else f"{g:g}" for g in grades)

    lines = [f"Grades of the first {SHOWN_DOCUMENTS} documents ( . is unjudged):", ""]
    for name in systems:
        run = collection.runs[name]
        own = run[run["query_id"] == query_id]
        grades = listing_of(pool, own).grade.tolist() if len(own) else []
        lines.append(
            row(short[name], grades[:SHOWN_DOCUMENTS]) if grades else f"{short[name].ljust(width)}  (nothing retrieved)"
        )
    ideal = sorted(judgments["relevance"].tolist(), reverse=True)
    return [*lines, row("ideal", ideal[:SHOWN_DOCUMENTS])]


COMMAND = Command(run, _arguments, __doc__)
