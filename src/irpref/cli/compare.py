"""Is B better than A? Compare two runs topic by topic, with a verdict in words.

Draws the difference of each topic by the first measure (R-precision if you name none), then prints the means with a
confidence interval of their difference, how many relevant documents each run retrieved, and the verdict.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from irpref.cli import frame
from irpref.cli.frame import Command, Parser, UsageError
from irpref.judged.types import Qrels, Runs
from irpref.messages import visible
from irpref.show.text import (
    LINES,
    Column,
    Page,
    Table,
    of_frame,
    p_value,
    page_of,
    rounded,
    significant,
    text,
    wide,
)

if TYPE_CHECKING:
    from ir_measures.measures import Measure

_HALF = 20  # characters of the longest bar


def _arguments(parser: Parser) -> None:
    frame.add_inputs(parser, "A B [MEASURE...]")
    frame.add_rel(parser)
    parser.add_argument(
        "--bars", metavar="N", type=int, default=50, help="topics to draw, from both ends (default: 50)"
    )
    frame.add_topic(parser, "draw only this topic", several=True)
    frame.add_groups(parser, "a comparison over each group of topics")
    frame.add_judge(parser)
    parser.add_argument("--level", type=float, default=0.95, help="confidence level (default: %(default)s)")
    parser.add_argument("--margin", type=float, help="also say whether a difference this large is ruled out")
    parser.add_argument("-q", "--by-query", action="store_true", help="with -o: print each topic, without verdict")
    frame.add_reading(parser)
    frame.add_output(parser)


def run(args: argparse.Namespace) -> None:
    """Print the comparison. Raises `ValueError` for input that cannot be evaluated."""
    from irpref import bind, curves, parse_all
    from irpref.analysis.verdict import compared

    if args.bars < 0:
        raise UsageError(f"--bars {args.bars}: expected a number of at least 0")
    given = frame.inputs(args, n_runs=2)
    judgments, runs = given.judgments(), given.runs(args)
    qrels = judgments.table()
    a, b = runs
    frame.say_grave(qrels, runs, given.measures)
    measures = bind(given.measures or parse_all("Rprec" if args.rel == 1 else f"Rprec(rel={args.rel:g})"), qrels)
    form = frame.form_of(args)
    topics: list[Any] = []
    for measure in measures if args.by_query else measures[:1] if form == "table" else []:
        of = {"per_topic": True, "groups": args.groups, **frame.ranking(args)}
        topics.append(curves.paired_differences(qrels, runs, a, measure, **of))
    if args.topic:
        args.topic = frame.only_topics(judgments.topic_ids(), args.topic)
        topics = [_with_attrs(table[table["query_id"].isin(args.topic)], table) for table in topics]
    if args.by_query:
        frame.show(args, _long(topics, a, form))
        return
    how = {"level": args.level, "margin": args.margin, "groups": args.groups}
    found = compared(measures, qrels, runs, **how, alignment=frame.alignment(args))
    if form == "table":
        with frame.opened(args) as out:
            page = page_of(out)
            parts = [_bars(topics[0], args.bars, page), _means(found, measures), _documents(qrels, runs, args.rel)]
            out.write(
                _report(given, [*filter(None, parts)], page)
                + "\n"
                + "".join(f"{visible(line)}\n" for line in found.text.splitlines())
            )
    elif form in LINES:
        found.insert(0, "b", b)
        found.insert(0, "a", a)
        frame.show(args, of_frame(found, significant(10)))
    else:
        table = _means(found, measures)
        table.notes = found.text.splitlines()
        frame.show(args, table)


def _documents(qrels: Qrels, runs: Runs, rel: float) -> Table | None:
    """Documents retrieved, relevant, found; None for preferences that put a document on several levels."""
    from irpref import curves
    from irpref.judged.pool import ConflictError

    try:
        summary = curves.summary_table(qrels, runs, rel=rel)
    except ConflictError:
        return None
    # Topics of the qrels that a run has documents for.
    by_run = curves.summary_table(qrels, runs, per_topic=True).groupby("run", sort=False)["num_ret"]
    answered = [int((retrieved > 0).sum()) for _, retrieved in by_run]
    columns = {"run": "AB", "topics": summary["num_q"], "retrieved": summary["num_ret"]}
    columns |= {"relevant": summary["num_rel"], "found": summary["num_rel_ret"]}
    notes = []
    if len(set(answered)) > 1:
        columns["answered"] = answered
        notes = [f"answered: topics with documents, of {summary['num_q'].iloc[0]}"]
    return Table(
        [Column(name, left=i == 0) for i, name in enumerate(columns)],
        list(zip(*columns.values(), strict=True)),
        f"Documents of these topics; relevant: grade {rel:g} or above",
        notes,
    )


def _with_attrs(table: Any, of: Any) -> Any:
    table.attrs.update(of.attrs)
    return table


def _report(given: frame.Inputs, parts: list[Table], page: Page) -> str:
    width = max(map(wide, given.files))
    files = [f"{x}  {visible(f'{n:{width}}  {path}')}" for x, (n, path) in zip("AB", given.files.items(), strict=True)]
    return "\n".join(["\n".join([*files, ""]), *(text(part, "table", page) for part in parts)])


def _bars(table: Any, shown: int, page: Page) -> Table:
    """A line for each topic, by falling difference: losses reach left, wins right."""
    table = table.sort_values("difference", ascending=False, kind="stable")
    names = ["query_id", "baseline", "value", "difference", *(["group"] if "group" in table else [])]
    rows = list(zip(*(table[name] for name in names), strict=True))
    most = max((abs(row[3]) for row in rows), default=0.0) or 1.0
    taken = max([5, *(len(row[0]) for row in rows)]) + 3 * 11 + 3
    taken += max((2 + len(row[4]) for row in rows if len(row) > 4), default=0)
    half = _HALF if page.width is None else min(_HALF, max((page.width - taken) // 2, 4))
    lower = "" if table.attrs["higher_is_better"] else " (lower is better)"
    head = rows if len(rows) <= shown else rows[: (shown + 1) // 2]
    tail = [] if len(rows) <= shown else rows[len(rows) - shown // 2 :]
    lines: list[Any] = [(*row, _bar(row[3] / most, half)) for row in head]
    if len(rows) > len(head) + len(tail):
        lines.append(f"{'...'.ljust(5)}  {len(rows) - len(head) - len(tail)} topics between these")
    lines += [(*row, _bar(row[3] / most, half)) for row in tail]
    four = rounded()
    return Table(
        [
            Column("topic", left=True, least=5),
            Column("A", four, least=9),
            Column("B", four, least=9),
            Column("B - A", rounded(4, "+"), least=9),
            *([Column("group", left=True)] if "group" in names else []),
            Column("", left=True),
        ],
        lines,
        f"{_name(table.attrs['measure'])} by topic{lower}, sorted by B - A; the longest bar is {most:.4f}",
    )


def _bar(share: float, half: int) -> str:
    # A difference is never drawn as none.
    length = math.ceil(abs(share) * half - 1e-9)
    left, right = ("-" * length, "") if share < 0 else ("", "+" * length)
    return f"{left.rjust(half)}|{right}"


def _name(measure: str) -> str:
    return "R-precision" + measure.removeprefix("Rprec") if measure.startswith("Rprec") else measure


def _means(found: Any, measures: Sequence[Measure]) -> Table:
    """Means, their difference with its interval, wins and losses: one line a measure, or a measure and group."""
    four, gap = rounded(), rounded(4, "+")
    lower = {str(measure) for measure in measures if not getattr(measure, "higher_is_better", True)}
    grouped = "group" in found
    columns = [
        Column("measure", left=True),
        *([Column("group", left=True), Column("topics")] if grouped else []),
        *(Column(name, four) for name in "AB"),
        Column("B - A", gap),
        *(Column(name, lambda end: gap(end) if math.isfinite(end) else "-") for name in ("from", "to")),
        Column("p", p_value),
        *(Column(name) for name in ("B better", "A better", "equal")),
    ]
    keys = ["mean_a", "mean_b", "difference", "low", "high", "p", "wins", "losses", "equal"]
    rows = []
    for row in found.to_dict("records"):
        name = _name(row["measure"]) + (" (lower is better)" if row["measure"] in lower else "")
        rows.append([name, *([row["group"], row["topics"]] if grouped else []), *(row[key] for key in keys)])
    over = "the topics of each group" if grouped else f"{found['topics'].iloc[0]} topics"
    return Table(columns, rows, f"Means over {over}")


def _long(tables: list[Any], baseline: str, form: str) -> Table:
    """The tables of all measures below each other."""
    import pandas as pd

    frames = [table.assign(compared_with=baseline, measure=table.attrs["measure"]) for table in tables]
    whole = pd.concat(frames)
    first = ["run", "compared_with", "measure"]
    whole = whole[first + [name for name in whole.columns if name not in first]]
    return of_frame(whole, significant(10) if form in LINES else rounded())


COMMAND = Command(run, _arguments, __doc__)
