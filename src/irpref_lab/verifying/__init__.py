"""Recompute a published table, and find out why its figures differ.

A figure is equal if our mean is printed like it. If not, known reasons (`irpref.values.reasons`)
are computed with, alone and then in pairs, and those are said with which our mean becomes the
figure. Only the order of tied documents is said without an order that gives the figure, if the
figure lies between the lowest and the highest mean over all orders.

What cannot be compared (a row without a run, a column of numbers that is no measure, a cell in
which the figure is not clear) counts as a figure that is not checked: a table is equal if all of it
is."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ir_measures.measures import Measure

import irpref
from irpref.data import named_runs
from irpref.errors import InputError, MeasureError, Remedy
from irpref.judged import Judgments, QrelsLike, RunLike, Runs, as_judgments
from irpref.messages import about, clipped
from irpref.show import Column, ResultFrame, Table, rounded
from irpref_lab.calls import by_line
from irpref_lab.verifying.published import (
    FURTHER,
    NO_NUMBER,
    NO_VALUE,
    NOT_ALONE,
    OTHER_TABLE,
    UNCLEAR,
    Figure,
    Published,
    Unread,
    published,
)
from irpref_lab.verifying.recomputing import TIES, Recomputed, Together

__all__ = ["Verification", "verify"]

COLUMNS = ("run", "measure", "printed", "computed", "checked", "equal", "explained", "why")
UNEXPLAINED = "not explained"
NO_RUN = "no run is named like its row"


class Verification(ResultFrame):
    """Each figure of a published table, recomputed.

    Attributes
    ----------
    text : str
        How many figures were checked and are equal, and which reasons explain the others.
    notes : tuple of str
        Columns that are no measures or cannot be computed, cells whose figure is not clear, figures
        that alone in their column are in percent, rows and runs that have no counterpart, a row
        that is taken for a run of another name.
    """

    text: str
    notes: Sequence[str]

    def tables(self) -> list[Table]:
        """Say how many figures of a published table are equal, with a line for each that is not."""
        rows = self[self["checked"] & ~self["equal"]]
        columns = {
            "run": Column("run", left=True),
            "measure": Column("measure", left=True),
            "printed": Column("printed", left=False),
            "computed": Column("computed", rounded(5)),
            "why": Column("why", left=True, prose=True, narrowest=30, below=4),
        }
        title = self.text + "\n" * 2 * (not rows.empty)
        if rows.empty:
            return [Table([], [], title, list(self.notes))]
        lines = rows[list(columns)].to_numpy().tolist()
        return [Table(list(columns.values()), lines, title, list(self.notes), labels=2)]

    def __bool__(self) -> bool:
        """Tell whether all figures were checked and are equal."""
        return bool(self["equal"].all())


@by_line()
def verify(table: Any, qrels: QrelsLike, runs: Runs) -> Verification:
    """Compare a published table with our values, and say why figures differ.

    Parameters
    ----------
    table : path, text, or DataFrame
        A row a run, a column a measure, as CSV or Markdown; or the columns run, measure and value.
        Columns are read as `irpref.parse` reads the names of measures, figures in percent as such.
        Of several tables in a file, the first with a measure is read; of those that
        `irpref leaderboard` wrote, the column `mean` of each.
        A frame has the names of the runs as its index or in its first column; numbers of type float
        are compared with the digits that they have as text.
    qrels : in any form that `irpref.evaluator` takes
    runs : mapping of name to run, or list of paths
        Named as the rows of the table. If there are one run and one row, they belong together.

    Returns
    -------
    Verification
        A DataFrame with a row for each figure: `run`, `measure` (of a column that is none, its
        heading), `printed` (the cell), `computed` (our mean over all topics of the judgments; of a
        figure in percent, times 100), `checked` (whether it was compared), `equal` (whether it has
        the digits printed), `explained` (whether a reason is known, if not), and `why`: each
        reason, or pair of reasons, with which our mean becomes the figure; of several, first those
        that explain more figures of the measure. Before pairs, it says which means another order of
        tied documents can give, if the figure lies between them. Figures that could not be compared
        come last, and `why` says what was in the way. The truth value is whether all are equal.

    Raises
    ------
    ValueError, OSError
        The table cannot be read, has no row named like a run, or no measure that can be computed;
        bad qrels or runs, as for `irpref.evaluator`.

    Examples
    --------
    >>> qrels = {"1": {"a": 1, "b": 2}, "2": {"c": 1}}
    >>> runs = {"mine": {"1": {"x": 3.0, "a": 2.0, "b": 1.0}, "2": {"c": 1.0}}}
    >>> found = verify("run,P@2,MRR\\nmine,0.50,0.33\\n", qrels, runs)
    >>> found[["measure", "printed", "computed", "equal"]].values.tolist()
    [['P@2', '0.50', 0.5, True], ['RR', '0.33', 0.75, False]]
    >>> found["why"][1]
    'relevant from grade 2 on and topics without ...'
    """
    read = as_judgments(qrels)
    printed, named = published(table), named_runs(runs)
    evaluator, refused = _evaluator(printed.measures, read)
    rows, left, notes = _matched(printed.without(refused), list(named))
    notes += tuple(f"not computed: {why}" for why in refused.values())
    grades = _grades(read)
    found: dict[Figure, tuple[float, list[Together]]] = {}
    for name, run in named.items():
        own = [figure for figure, of in rows if of == name]
        if own:
            with about(name, len(named) > 1):
                found |= _of_run(own, run, evaluator, read, grades)
    return _made([(figure, name, *found[figure]) for figure, name in rows], left, notes)


def _evaluator(
    measures: Sequence[Measure], read: Judgments
) -> tuple[Any, dict[Measure, MeasureError]]:
    """Make the evaluator of the measures that can be computed; return it with the errors of the
    others. If none can, raise the error of the first.
    """

    def made(measures: Sequence[Measure]) -> Any:
        out = irpref.evaluator(measures, read)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the runs will warn of the same
            out.calc_aggregate(irpref.run({}))  # ERR refuses grades above 4 when it computes
        return out

    try:
        return made(measures) if measures else None, {}
    except MeasureError:
        refused: dict[Measure, MeasureError] = {}
        for measure in measures:
            try:
                made([measure])
            except MeasureError as error:
                refused[measure] = error
        good = [measure for measure in measures if measure not in refused]
        if not good:
            raise next(iter(refused.values())) from None
        return irpref.evaluator(good, read), refused


def _of_run(
    figures: Iterable[Figure],
    data: RunLike,
    evaluator: Any,
    read: Judgments,
    grades: Mapping[str, Mapping[str, int]] | None,
) -> dict[Figure, tuple[float, list[Together]]]:
    """Compute the mean for each figure of a run, and find reasons if it is printed otherwise."""
    run = irpref.run(data)
    means = evaluator.calc_aggregate(run)
    again: Recomputed | None = None
    out: dict[Figure, tuple[float, list[Together]]] = {}
    for figure in figures:
        mean = float(means[figure.measure])
        why: list[Together] = []
        if not figure.shows(mean) and grades is not None:
            again = again or Recomputed(read, grades, run)
            why = again.why(figure)
        out[figure] = mean, why
    return out


def _grades(read: Judgments) -> dict[str, dict[str, int]] | None:
    """Return topic to document to grade; None if the judgments are preferences without grades."""
    frame = read.frame()
    if "relevance" not in frame:
        return None
    out: dict[str, dict[str, int]] = {topic: {} for topic in read.topic_ids}
    columns = (frame[name].tolist() for name in ("query_id", "doc_id", "relevance"))
    for topic, doc, grade in zip(*columns, strict=True):
        out[topic][doc] = int(grade) if grade == int(grade) else grade
    return out


def _matched(
    printed: Published, names: Sequence[str]
) -> tuple[list[tuple[Figure, str]], list[Unread], tuple[str, ...]]:
    """Find the run of each figure, the cells that are left out, and notes of what they are."""
    run_of = _by_name(names)
    figures = printed.figures
    labels = list(dict.fromkeys([*(f.run for f in figures), *(c.run for c in printed.unread)]))
    of_label = {label: run_of(label) for label in labels}
    taken = []
    if len(labels) == len(names) == 1 and None in of_label.values():
        of_label = {labels[0]: names[0]}
        taken = [f"{labels[0]} is taken for the run {names[0]}"] * bool(labels[0])
    rows = [(f, name) for f in figures if (name := of_label[f.run]) is not None]
    if set(of_label.values()) <= {None}:
        raise InputError(
            f"no row of the table is named like a run (rows: {_listed(labels)}; runs: "
            f"{_listed(names)})",
            remedy=Remedy(effect="name the files, or the keys of a dict of runs, like the rows"),
        )
    beside = [c for c in printed.beside if run_of(c.run) or c.run in of_label]
    left = [*printed.unread, *beside]
    others = dict.fromkeys([*printed.others, *(cell.heading for cell in beside)])
    alone = [f for f in figures if of_label[f.run] is None]
    left += [Unread(f.run, str(f.measure), f.text, NO_RUN) for f in alone]
    left = [replace(c, run=of_label.get(c.run) or run_of(c.run) or c.run) for c in left]

    def cells(*why: str) -> list[str]:
        return [f"{c.run} {c.heading} ({clipped(c.text)})" for c in left if c.why in why]

    tables = [cell for cell in left if cell.why == OTHER_TABLE]
    without = {
        "not read as measures": [name or "(no heading)" for name in others],
        "cells without a number": cells(NO_NUMBER),
        "cells with more than one": cells(FURTHER, UNCLEAR),
        "cells whose number may be no figure": cells(NOT_ALONE, NO_VALUE),
        "in percent, unlike the rest of the column": _odd([f for f, _ in rows]),
        "in tables that are not read": list(dict.fromkeys(cell.heading for cell in tables)),
        "rows without a run": [label for label in labels if of_label[label] is None],
        "runs without a row": [name for name in names if name not in of_label.values()],
    }
    notes = [f"{what}: {_listed(which)}" for what, which in without.items() if which]
    return rows, left, (*taken, *notes)


def _odd(figures: Sequence[Figure]) -> list[str]:
    """Name the figures in percent where most of the measure are not."""
    usual = Counter((f.measure, f.factor != 1) for f in figures)
    odd = [
        f for f in figures if f.factor != 1 and usual[f.measure, False] >= usual[f.measure, True]
    ]
    return [f"{f.run} {f.measure} ({clipped(f.text)})" for f in odd]


def _by_name(names: Sequence[str]) -> Callable[[str], str | None]:
    """Return the function that finds the run of a row: the one of its name, or the only one whose
    name differs in capitals alone.
    """
    lowered: dict[str, list[str]] = {}
    for name in names:
        lowered.setdefault(name.strip().lower(), []).append(name)

    def run_of(label: str) -> str | None:
        if label in names:
            return label
        alike = lowered.get(label.lower(), [])
        return alike[0] if len(alike) == 1 else None

    return run_of


def _listed(names: Sequence[str]) -> str:
    more = len(names) - 8
    shown = ", ".join(str(clipped(name)) for name in names[:8])
    return shown + f" and {more} more" * (more > 0)


def _said(why: Iterable[Together], often: Mapping[str, int]) -> list[str]:
    """Word the reasons for a figure: the order of ties first, then by how many figures they
    explain. Those that differ in a rank only, and explain as many, are worded together.

    Where the order of ties can give the figure, a pair that explains no other one is left out: of
    hundreds of pairs, one often gives a figure by chance."""
    known = {_words(together): together for together in why}
    ties = {words for words, together in known.items() if together[0].kind == TIES}
    if ties:
        known = {words: t for words, t in known.items() if len(t) == 1 or often[words] > 1}
    alike: dict[Any, list[Together]] = {}
    for words in sorted(known, key=lambda words: (words not in ties, -often[words])):
        together = known[words]
        same = (reason.words if reason.at is None else reason.kind for reason in together)
        alike.setdefault((often[words], *same), []).append(together)
    return [_words(*group) for group in alike.values()]


def _words(*alike: Together) -> str:
    """Word reasons that hold together; of several that differ in a rank, with all ranks."""
    parts = []
    for of_all in zip(*alike, strict=True):
        words, ranks = of_all[0].words, [f"{r.at:,}" for r in dict.fromkeys(of_all) if r.at]
        if ranks:
            listed = " or ".join(filter(None, [", ".join(ranks[:-1]), ranks[-1]]))
            words = words.replace(ranks[0], listed)
        parts.append(words)
    return " and ".join(parts)


def _made(
    rows: Sequence[tuple[Figure, str, float, list[Together]]],
    left: Sequence[Unread],
    notes: tuple[str, ...],
) -> Verification:
    """Make the result; reasons that explain most figures of a measure come first."""
    often: dict[str, Counter[str]] = {}
    for figure, _, _, why in rows:
        often.setdefault(str(figure.measure), Counter()).update({_words(t) for t in why})
    lines: list[list[Any]] = []
    for figure, name, mean, why in rows:
        measure, equal = str(figure.measure), figure.shows(mean)
        said = _said(why, often[measure])
        words = "; or ".join(said) or ("" if equal else UNEXPLAINED)
        if figure.factor != 1:
            words = "; ".join(filter(None, ["in percent", words]))
        shown = mean * figure.factor
        lines.append([name, measure, figure.text, shown, True, equal, equal or bool(said), words])
    for cell in left:
        words = f"not checked: {cell.why}"
        lines.append([cell.run, cell.heading, cell.text, math.nan, False, False, False, words])
    out = Verification(lines, columns=list(COLUMNS))
    out.notes, out.text = notes, _text(out, often)
    return out.made()


def _text(found: Verification, often: Mapping[str, Counter[str]]) -> str:
    """Say how many figures were checked and are equal, and the commonest reason for each
    measure.
    """
    checked = found[found["checked"]]
    n, equal, explained = (int(checked[c].sum()) for c in ("checked", "equal", "explained"))
    part = f"{n} of {len(found)} figures {'was' if n == 1 else 'were'} checked"
    if not n:
        return f"{part}."
    if equal == n:
        if n < len(found):
            return f"{part}, and {'agrees' if n == 1 else 'agree'} to the digits printed."
        if n == 1:
            return "The figure agrees with what irpref computes, to the digits printed."
        return f"All {n} figures agree with what irpref computes, to the digits printed."
    before = f"{part}. " * (n < len(found))
    if n == 1:
        reason = "for a known reason" if explained else "and no known reason explains it"
        return f"{before}The figure differs, {reason}."
    known = explained - equal
    agree = "agrees" if equal == 1 else "agree"
    lines = [
        f"{before}{equal} of {n} figures {agree} to the digits printed; "
        f"{known} {'differs' if known == 1 else 'differ'} for a known "
        f"reason, {n - explained} {'is' if n - explained == 1 else 'are'} not explained."
    ]
    for measure in dict.fromkeys(checked["measure"]):
        wrong = int((~checked.loc[checked["measure"] == measure, "equal"]).sum())
        best = often[measure].most_common(1)
        if wrong > 1 and best and best[0][1] > 1:
            words, k = best[0]
            lines.append(f"{measure}: {words} explains {k} of {wrong}.")
    return "\n".join(lines)
