"""The explanation of one topic as text: how to do the sum, and a line for each document that
matters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from irpref.explanation import MISSED, REST, RETRIEVED, Account, Explainer
from irpref.judged.judgments import as_judgments
from irpref.judged.types import QrelsLike, RunLike
from irpref.kernel.segments import Floats
from irpref.measures.declare import MeasureLike
from irpref.measures.docstring import prose
from irpref.show.text import PAPER, Column, Page, Table, rounded, text


def explanation_text(
    qrels: QrelsLike,
    run: RunLike,
    measure: MeasureLike,
    query_id: str,
    every: bool = False,
    form: str = "table",
    page: Page = PAPER,
) -> str:
    """Explain one topic as text.

    Adjacent documents that add nothing for the same reason share a line, unless `every` is true.

    Parameters
    ----------
    qrels, run, measure : as `irpref.explain` takes them
    query_id : str
    every : bool
    form : 'table', 'markdown' or 'latex'
    page : Page
        The page that it is printed on, which sets the width of a table.

    Raises
    ------
    ValueError
        As `irpref.explain`.
    """
    explainer = Explainer(measure, as_judgments(qrels))
    explained = explainer.measure
    t = explainer.topic_number(query_id)
    account = explainer.account(run, [t])
    direction = "higher" if explained.higher_is_better else "lower"
    value = f"{account.value[t]:.4f} ({direction} is better)"
    parts = dict(account.columns)
    steps = working(explainer, account, t)
    judged = account.grade >= 0
    if "gain" in parts and np.array_equal(parts["gain"][judged], account.grade[judged]):
        del parts["gain"]  # one column less, so that the table fits
        steps.insert(0, "gain = grade")
    between = "\n\n" if form == "markdown" else "\n"  # lines of Markdown run together
    title = f"Topic {query_id}: {explained} = {value}{between}{prose(explained).question}\n\n"
    title += between.join([*steps, ""]) + "\n" * bool(steps)
    names = list(parts)
    columns = [
        Column("rank"),
        Column("document", left=True, narrowest=10),
        *(Column(name) for name in ("grade", *names)),
        Column("adds", rounded()),
        Column("why", left=True, prose=True, narrowest=12, below=3),
    ]
    numbers = [_numbers(values) for values in (account.grade, *parts.values())]
    why = explainer.reasons(account)
    rows: list[Any] = []
    before = RETRIEVED
    for first, last in _groups(account, why, every):
        kind = int(account.kind[first])
        if before == RETRIEVED != kind:
            rows.append([])
        before = kind
        many = last > first
        ranks = f"{account.rank[first]}-{account.rank[last]}" if many else f"{account.rank[first]}"
        document = f"({last - first + 1} docs)" if many else account.doc_ids[first] or ""
        own = [None if many else column[first] for column in numbers]
        rows.append(
            [
                ranks if kind == RETRIEVED else "-",
                document,
                *own,
                account.contribution[first],
                why[first],
            ]
        )
    rows += [[], [None, "sum", *[None] * len(numbers), account.contribution.sum(), None]]
    # Names in the table and the steps: `upto(x)` is listed with its argument.
    used = {*names, *re.findall(r"\w+", " ".join(steps))}
    known = [
        (name, meaning)
        for name, meaning in prose(explained).columns.items()
        if name.partition("(")[0] in used
    ]
    width = max((len(name) for name, _ in known), default=0)
    notes = [f"{name.ljust(width)}  {meaning}" for name, meaning in known]
    return text(Table(columns, rows, title, ["", *notes] if notes else [], labels=2), form, page)


def working(explainer: Explainer, account: Account, t: int) -> list[str]:
    """Show how to do the sum of one topic by hand: a line for each step, and the numbers in
    them.
    """
    lines = [f"{name} = {step}" for name, step in account.steps.items()]
    named = set(re.findall(r"\w+", " ".join(account.steps.values())))
    parameters = {
        name: value
        for name, value in explainer.arguments.items()
        if name in named and isinstance(value, (int, float))
    }
    numbers = {**account.numbers_of(t), **parameters}
    if numbers:
        shown = (f"{name} = {_numbers(np.array([value]))[0]}" for name, value in numbers.items())
        lines.append(", ".join(shown))
    return lines


def _groups(account: Account, why: Sequence[str], every: bool) -> list[tuple[int, int]]:
    """Find first and last row of each line: adjacent rows that add nothing for the same reason
    share one.
    """
    many_missed = (account.kind == MISSED).sum() > 20

    def alike(i: int) -> tuple[int, str] | int:
        """Return kind and reason of a row that shares its line; the row itself if it has a line of
        its own.
        """
        # A document with a positive grade has its own line, unless it is below the cutoff or one of
        # very many missed.
        minor = not account.grade[i] > 0 or (many_missed and account.kind[i] == MISSED)
        minor |= why[i].startswith("below the cutoff")
        shares = account.contribution[i] == 0 and account.kind[i] != REST and minor and not every
        return (int(account.kind[i]), why[i]) if shares else i

    groups = [list(rows) for _, rows in groupby(range(account.rank.size), alike)]
    return [(rows[0], rows[-1]) for rows in groups]


def _numbers(values: Floats) -> list[str]:
    """Format numbers with as many decimals as they need, at most four; empty for NaN."""
    finite = values[~np.isnan(values)]
    digits = next(
        (d for d in range(4) if np.allclose(finite, np.round(finite, d), rtol=0, atol=1e-9)), 4
    )
    return ["" if v != v else f"{v:.{digits}f}" for v in values.tolist()]
