"""`irpref.explain`: an explanation as a frame, and of one topic as text: the sum, and a line for
each document that matters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Self

import numpy as np
import pandas as pd
from ir_measures.measures import Measure

from irpref.explanation import MISSED, REST, RETRIEVED, Explainer
from irpref.judged.judgments import as_judgments
from irpref.judged.types import QrelsLike, RunLike
from irpref.kernel.segments import Floats
from irpref.measures.declare import MeasureLike
from irpref.measures.everyday_terms import prose_of
from irpref.show.frames import ResultFrame
from irpref.show.text import PAPER, Column, Page, Table, rounded, text

_FIXED = ("query_id", "rank", "doc_id", "score", "grade", "judged", "contribution", "why")


class Explanation(ResultFrame):
    """Contributions of documents to a value; of one topic, printed as the sum that it is.

    Attributes
    ----------
    measure : Measure
    query_id : str or None
        The topic, if it is one.
    value : float
        The value of that topic.
    """

    measure: Measure
    query_id: str | None
    value: float
    _declared: Any
    _parameters: Mapping[str, Any]
    _by_topic: Mapping[str, float]

    def tables(self) -> Sequence[Table]:
        """Return the topic as a table for readers."""
        return [self.table()]

    def table(self, every: bool = False, form: str = "table") -> Table:
        """Lay out one topic: how to do the sum, the documents, the meaning of the columns.

        Parameters
        ----------
        every : bool
            Whether each document has a line. By default adjacent ones that add nothing for the same
            reason share one.
        form : str
            The format that it is written in.
        """
        parts = {name: self[name].to_numpy() for name in self.columns if name not in _FIXED}
        steps = self._working()
        judged = self["judged"].to_numpy()
        grades, added = self["grade"].to_numpy(), self["contribution"].to_numpy()
        plain = "gain" in parts and "gain" not in self.attrs["steps"]
        if plain and np.array_equal(parts["gain"][judged], grades[judged]):
            del parts["gain"]  # one column less, so that the table fits
            steps.insert(0, "gain = grade")
        names = list(parts)
        columns = [
            Column("rank"),
            Column("document", left=True, narrowest=10),
            *(Column(name) for name in ("grade", *names)),
            Column("adds", rounded()),
            *([Column("why", left=True, prose=True, narrowest=12, below=3)] * ("why" in self)),
        ]
        numbers = [_numbers(values) for values in (grades, *parts.values())]
        rows = [*self._rows(numbers, added, every), []]
        rows.append([None, "sum", *[None] * len(numbers), added.sum()])
        rows = [[*row, *[None] * (len(columns) - len(row))] if row else row for row in rows]
        notes = self._legend({*names, *re.findall(r"\w+", " ".join(steps))})
        title = self._title(steps, form)
        return Table(columns, rows, title, ["", *notes] if notes else [], labels=2)

    def _title(self, steps: Sequence[str], form: str) -> str:
        """Write the value, the question that it answers, and how to do the sum."""
        declared = self._declared
        between = "\n\n" if form == "markdown" else "\n"  # lines of Markdown run together
        direction = "higher" if declared.higher_is_better else "lower"
        value = f"{self.value:.4f} ({direction} is better)"
        question = prose_of(self.measure).question
        title = f"Topic {self.query_id}: {self.measure} = {value}{between}{question}\n\n"
        return title + between.join([*steps, ""]) + "\n" * bool(steps)

    def _working(self) -> list[str]:
        """Write how to do the sum by hand: a line for each step, and the numbers in them."""
        steps: Mapping[str, str] = self.attrs["steps"]
        lines = [f"{name} = {step}" for name, step in steps.items()]
        named = set(re.findall(r"\w+", " ".join(steps.values())))
        parameters = {
            name: value
            for name, value in self._parameters.items()
            if name in named and isinstance(value, (int, float))
        }
        numbers = {**self.attrs["numbers"], **parameters}
        if numbers:
            shown = (f"{name} = {_numbers(np.array([x]))[0]}" for name, x in numbers.items())
            lines.append(", ".join(shown))
        return lines

    def _legend(self, used: set[str]) -> list[str]:
        """Describe all names in the table and the steps: `upto(x)` is listed with its argument."""
        known = [
            (name, meaning)
            for name, meaning in prose_of(self.measure).columns.items()
            if name.partition("(")[0] in used
        ]
        width = max((len(name) for name, _ in known), default=0)
        return [f"{name.ljust(width)}  {meaning}" for name, meaning in known]

    def _rows(
        self, numbers: Sequence[Sequence[str]], added: Floats, every: bool
    ) -> list[list[Any]]:
        """Lay out a line for each document, or for several; a blank one before missed documents."""
        why = self["why"].tolist() if "why" in self else [""] * len(self)
        kind, rank = self._kind(), self["rank"].tolist()
        doc_ids = self["doc_id"].tolist()
        rows: list[list[Any]] = []
        before = RETRIEVED
        for first, last in _groups(kind, self["grade"].to_numpy(), added, why, every):
            if before == RETRIEVED != kind[first]:
                rows.append([])
            before = int(kind[first])
            many = last > first
            ranks = f"{rank[first]}-{rank[last]}" if many else f"{rank[first]}"
            document = f"({last - first + 1} docs)" if many else doc_ids[first] or ""
            own = [None if many else column[first] for column in numbers]
            shown = ranks if before == RETRIEVED else "-"
            rows.append([shown, document, *own, added[first], *[why[first]] * ("why" in self)])
        return rows

    def _kind(self) -> Any:
        """Tell for each row whether it was retrieved, was missed, or is the rest."""
        lost = np.where(self["doc_id"].isna(), REST, MISSED)
        return np.where(self["rank"].notna(), RETRIEVED, lost)


class Explanations(ResultFrame):
    """Explanations for several systems and measures: those of one topic are printed one after the
    other, and of all topics the means, with the topics to look at.
    """

    _each: list[tuple[str, Explanation]]

    @classmethod
    def joined(cls, parts: Sequence[tuple[str, str, Explanation]]) -> Self:
        """Join explanations, each with its system and measure, which become columns."""
        rows = []
        for name, measure, part in parts:
            frame = pd.DataFrame(part)
            frame.insert(0, "measure", measure)
            frame.insert(0, "name", name)
            rows.append(frame)
        joined = cls(pd.concat(rows, ignore_index=True))
        joined._each = [(name, part) for name, _, part in parts]
        return joined.made()

    def tables(self) -> Sequence[Table]:
        """Return the explanations as tables for readers."""
        tables = []
        if any(part.query_id is None for _, part in self._each):
            return [_of_all_topics(self._each)]
        for name, part in self._each:
            table = part.table()
            table.title = f"{name}\n\n{table.title}"
            tables.append(table)
        return tables


def _of_all_topics(parts: Sequence[tuple[str, Explanation]]) -> Table:
    """Tabulate the mean of each system and measure, and the topics with extreme values."""
    columns = [Column("system", left=True), Column("measure", left=True)]
    columns += [Column("mean", rounded()), Column("lowest"), Column("highest")]
    rows = []
    for name, part in parts:
        known = {topic: value for topic, value in part._by_topic.items() if value == value}
        row: list[Any] = [name, str(part.measure), None, None, None]
        if known:
            extreme = [choose(known, key=known.__getitem__) for choose in (min, max)]
            row[2:] = [sum(known.values()) / len(known), *extreme]
        rows.append(row)
    topics = list(parts[0][1]._by_topic)
    title = (
        f"{len(topics):,} topic{'s' * (len(topics) != 1)}: query_id= shows the documents of one, "
        f"such as query_id={(rows[0][3] or topics[0])!r}\n\n"
    )
    notes = ["lowest, highest: the topics with the lowest and the highest value"]
    return Table(columns, rows, title, notes, labels=2)


def explain(
    measure: MeasureLike,
    qrels: QrelsLike,
    run: RunLike,
    query_id: str | None = None,
    why: bool | None = None,
) -> Explanation:
    """Show how much each document contributes to the value of a measure.

    Parameters
    ----------
    measure : measure of irpref, everyday measure of ir_measures, or its name
        Of ir_measures: AP, nDCG, P, R, RR, Rprec, RBP (with `rel`), Success, Judged, SetP, SetR
        and ERR.
    qrels, run : as `ir_measures.calc` takes them
    query_id : str, optional
        Topic to explain; all topics of the qrels if None.
    why : bool, optional
        Whether to add a column of reasons in words. By default only if you give `query_id`.

    Returns
    -------
    Explanation
        A DataFrame. With `query_id` it is printed, and shown in a notebook, as `irpref explain`
        prints it: the sum, a line for each document that matters, the legend.

        Columns query_id, rank, doc_id, score, grade (NaN: unjudged), judged (whether the grade is
        at least 0), the columns that the measure is computed from (the legend of one topic
        explains them), and contribution. The ranking comes first, in the order of evaluation; then,
        with a missing rank, judged documents that were not retrieved but count, or would have;
        then, if a part of the value belongs to no document (ranks below the end of a short list),
        one row without a document. The contributions of a topic add up to its value. With
        `query_id`, `attrs` has the `steps` that compute each contribution from the columns, and the
        `numbers` of the topic that they need.

    Raises
    ------
    ValueError
        The measure is not a sum over documents (the message names one that is); the topic has no
        judgments; bad input, as for the measures.
    """
    explainer = Explainer(measure, as_judgments(qrels))
    wanted = None if query_id is None else [explainer.topic_number(query_id)]
    account = explainer.account(run, wanted)
    ids = np.array(explainer.pool.topic_ids, dtype=object)
    frame = Explanation(
        {
            "query_id": ids[account.topics.topic],
            "rank": pd.Series(account.rank, dtype="Int64").where(account.kind == RETRIEVED),
            "doc_id": account.doc_ids,
            "score": account.score,
            "grade": account.grade,
            "judged": account.grade >= 0,
            **account.columns,
            "contribution": account.contribution,
        }
    )
    frame.measure, frame.query_id, frame.value = explainer.measure, None, float("nan")
    frame._declared, frame._parameters = explainer.declared, explainer.arguments
    frame._by_topic = dict(zip(explainer.pool.topic_ids, account.value.tolist(), strict=True))
    if why or (why is None and query_id is not None):
        frame["why"] = np.array(explainer.reasons(account), dtype=object)
    if wanted is None:
        return frame
    (t,) = wanted
    frame.attrs = {"steps": dict(account.steps), "numbers": account.numbers_of(t)}
    frame.query_id, frame.value = explainer.pool.topic_ids[t], float(account.value[t])
    return frame.made()


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
    return text(explain(measure, qrels, run, query_id).table(every, form), form, page)


def _groups(
    kind: Any, grade: Floats, added: Floats, why: Sequence[str], every: bool
) -> list[tuple[int, int]]:
    """Return the first and last row of each line: adjacent rows that add nothing for the same
    reason share one.
    """
    many_missed = (kind == MISSED).sum() > 20

    def alike(i: int) -> tuple[int, str] | int:
        """Return kind and reason of a row that shares its line; the row itself if it has a line of
        its own.
        """
        # A document with a positive grade has its own line, unless it is below the cutoff or one of
        # very many missed.
        minor = not grade[i] > 0 or (many_missed and kind[i] == MISSED)
        minor |= why[i].startswith("below the cutoff")
        shares = added[i] == 0 and kind[i] != REST and minor and not every
        return (int(kind[i]), why[i]) if shares else i

    groups = [list(rows) for _, rows in groupby(range(len(why)), alike)]
    return [(rows[0], rows[-1]) for rows in groups]


def _numbers(values: Floats) -> list[str]:
    """Format numbers with as many decimals as they need, at most four; empty for NaN."""
    finite = values[~np.isnan(values)]
    digits = next(
        (d for d in range(4) if np.allclose(finite, np.round(finite, d), rtol=0, atol=1e-9)), 4
    )
    return ["" if v != v else f"{v:.{digits}f}" for v in values.tolist()]
