"""Results of the lab as tables for readers: printed by the shell, and shown by notebooks."""

from __future__ import annotations

import math
from typing import Any

from irpref.messages import visible
from irpref.show import Cell, Column, Table, of_frame, rounded
from irpref.values import higher_is_better
from irpref_lab.messages import p_value

# Comparisons --------------------------------------------------------------------------------------


def of_comparison(comparison: Any) -> list[Table]:
    """Show the sentences of a comparison, then a line a measure, or a measure and group."""
    a, b = map(visible, comparison.names)
    four, gap = rounded(), rounded(4, "+")
    columns = {"measure": Column("measure", left=True)}
    if "group" in comparison:
        columns |= {"group": Column("group", left=True), "topics": Column("topics")}
    columns |= {
        "mean_a": Column(a, four),
        "mean_b": Column(b, four),
        "difference": Column("difference", gap),
        **{end: Column(end, _end) for end in ("low", "high")},
        "p": Column("p", p_value),
        **{name: Column(name) for name in ("wins", "losses", "equal")},
    }
    *sentences, test = comparison.text.splitlines()
    notes = [
        f"difference: {b} minus {a}; low, high: its {100 * comparison.level:g} % interval",
        f"wins, losses, equal: topics on which {b} is better, worse or the same",
    ]
    if "low_judged" in comparison:  # a sample, which knows no values of single runs
        for name in ("mean_a", "mean_b", "wins", "losses", "equal"):
            del columns[name]
        for end in ("low_judged", "high_judged"):
            columns[end] = Column(end, _end)
        notes = [
            f"difference: {b} minus {a}; low, high: its interval over topics",
            "low_judged, high_judged: interval of the difference under full judgments of these "
            "topics",
        ]
    if (comparison["codes"] != "").any():
        columns["codes"] = Column("codes", left=True)
        notes.append("codes: why there is no verdict")
    rows = comparison[list(columns)].to_numpy().tolist()
    title = "\n".join([*sentences, "", ""])
    return [Table(list(columns.values()), rows, title, [*notes, test, *comparison.notes])]


def _end(end: float) -> str:
    return f"{end:+.4f}" if math.isfinite(end) else "-"


def topics_of_comparison(comparison: Any) -> list[Table]:
    """Tabulate the values of each measure by topic."""
    heads = {"query_id": "topic"} | {name: visible(name) for name in comparison.names}
    return [
        of_frame(part.drop(columns="measure"), rounded(), heads, title=str(part["measure"].iloc[0]))
        for _, part in comparison.by_topic.groupby("measure", sort=False)
    ]


# Gates --------------------------------------------------------------------------------------------


def of_gate(decision: Any) -> list[Table]:
    """Show the verdict of a gate in one line, and its rows."""
    table = of_frame(_shown(decision), rounded(), shows={"p": p_value}, title=decision.text)
    lower = [name for name in dict.fromkeys(decision["measure"]) if not higher_is_better(name)]
    turned = f"; lower is better for {', '.join(lower)}" if lower else ""
    n_rows = len(decision)
    shared = f"; the {n_rows} rows share the level of the other side" if n_rows > 1 else ""
    table.notes = [
        f"difference: candidate minus baseline{turned}",
        f"low, high: one-sided bounds by the paired t-test, at {100 * decision.level:.4g} % on the "
        f"side of a loss{shared}",
        "worse: at least one measure is significantly worse, by the bound and the test alike",
        *([_what_is_unjudged(decision)] if _knows_unjudged(decision) else []),
        *decision.notes,
        f"qrels: {decision.qrels}",
        *([f"inputs: {decision.inputs}"] if decision.inputs != decision.qrels else []),
    ]
    return [table]


def _shown(decision: Any) -> Any:
    """Select the columns that say something: facts that are the same for all measures are in the
    notes.
    """
    shares = ("missing", "unjudged", "by_judge")
    drop = [f"{what}_{name}" for what in shares for name in ("baseline", "candidate")]
    drop += ["could_turn", "reason", "topics_by_code"] + ["largest_loss"] * (
        "group" not in decision
    )
    drop += [name for name in decision if "repeats_" in name]
    if decision["baseline"].isna().all():
        drop += ["baseline", "candidate"]
    if "group" not in decision:
        drop.append("topics")
    if not decision["left_out"].any():
        drop.append("left_out")
    if (decision["codes"] == "").all():
        drop.append("codes")
    if "reference" in decision:
        shown_reference = ["reference", "difference_reference", "high_reference", "low_reference"]
        drop += [name for name in shown_reference if decision[name].isna().all()]
    if decision["topics_needed"].isna().all():
        drop.append("topics_needed")
    shown = decision.drop(columns=drop, errors="ignore")
    if "group" in shown:
        shown["group"] = shown["group"].fillna("all")
    return shown


def _knows_unjudged(decision: Any) -> bool:
    """Test whether anything is known of unjudged documents: not on a sample, not of values
    alone.
    """
    known = "low_judged" not in decision and "unjudged_baseline" in decision
    return known and bool(decision["unjudged_baseline"].notna().any())


def _what_is_unjudged(decision: Any) -> str:
    """Say how many documents are unjudged, and what judging them could change."""
    first = decision.iloc[0]
    shares = [f"{100 * first[name]:.1f} %" for name in ("unjudged_baseline", "unjudged_candidate")]
    turning = decision.loc[decision["could_turn"].fillna(False), "measure"].tolist()
    unknown = decision.loc[decision["could_turn"].isna(), "measure"].tolist()
    parts = []
    if turning:
        parts.append(
            f"judging them could change the verdict on {', '.join(dict.fromkeys(turning))}"
        )
    if unknown:
        names = ", ".join(dict.fromkeys(unknown))
        parts.append(f"whether judging them could change the verdict on {names} is not known")
    outcome = "; ".join(parts) or "judging them could not change the verdict"
    filled = "by_judge_baseline" in decision
    what = "graded neither by humans nor by the judge" if filled else "unjudged"
    return f"{what} in the first ten: baseline {shares[0]}, candidate {shares[1]}; {outcome}"


# Against a baseline -------------------------------------------------------------------------------


def of_differences(differences: Any, places: int = 4) -> list[Table]:
    """Show a row for each run (and group), a column for each measure, the best values marked."""
    number = rounded(places)
    labels = ["run", "group"] if "group" in differences else ["run"]
    measures = list(dict.fromkeys(differences["measure"]))
    lower = [name for name in measures if not higher_is_better(name)]
    ranked = differences.assign(shown=[number(value) for value in differences["value"]])
    best = {}
    for key, part in ranked.groupby(["measure", *labels[1:]], sort=False):
        values = part["value"].dropna()
        if part["shown"].nunique() > 1 and values.size:
            place = values.idxmin() if key[0] in lower else values.idxmax()
            best[key] = ranked.loc[place, "shown"]
    rows: dict[tuple[Any, ...], dict[str, Cell]] = {}
    for row in ranked.to_dict("records"):
        is_best = best.get((row["measure"], *(row[name] for name in labels[1:]))) == row["shown"]
        cell = Cell(row["shown"], is_best, row["differs"] is True)
        rows.setdefault(tuple(row[name] for name in labels), {})[row["measure"]] = cell
    columns = [Column(name, left=True) for name in labels]
    columns += [Column(name, number, lower=name in lower) for name in measures]
    cells = [[*key, *(values.get(name) for name in measures)] for key, values in rows.items()]
    note = "* best" + f" (lower is better: {', '.join(lower)})" * bool(lower)
    notes = [note] * bool(best)
    if differences.test:
        notes += [
            f"† differs from {differences.baseline}; a value without † is not shown to differ",
            f"test: {differences.test}",
        ]
    title = f"{differences.text}\n\n"
    return [Table(columns, cells, title, notes=[*notes, *differences.notes])]


# Boards -------------------------------------------------------------------------------------------

_HEADS = {"judged@10": "Judged@10"}


def of_board(board: Any, top: int | None = None) -> list[Table]:
    """Show a table for each measure, and group of topics, of the best `top` runs."""
    tables = [
        _of_measure(part, board, top)
        for _, part in board.groupby(["group", "measure"], sort=False, dropna=False)
    ]
    # A legend (`name: meaning`) that all tables share is once below the last one.
    shared = [
        note
        for note in tables[-1].notes
        if ": " in note and all(note in table.notes for table in tables[:-1])
    ]
    for table in tables[:-1]:
        table.notes = [note for note in table.notes if note not in shared]
    tables[-1].notes = [*tables[-1].notes, *board.notes]
    return tables


def _of_measure(part: Any, board: Any, top: int | None) -> Table:
    """Show the rows of one measure: facts that all rows share are said once or not at all."""
    group, measure = _group_of(part), part["measure"].iloc[0]
    shown = part.drop(columns=["measure", "group", "topics_by_code"], errors="ignore")
    if top is not None and top < len(shown):
        shown = shown.iloc[:top]
    sampled = bool(shown["mean"].isna().all())  # which knows no values of single runs
    if sampled:
        shown = shown.drop(columns=["mean", "low", "high"])
    elif shown["low"].isna().all():
        shown = shown.drop(columns=["low", "high"])
    if board.method == "none":
        shown = shown.drop(columns=["place_low", "place_high"])
    if shown["letters"].isna().all():
        shown = shown.drop(columns="letters")
    if "codes" in shown and not shown["codes"].astype(bool).any():
        shown = shown.drop(columns="codes")
    n_topics = board.n_topics[group]
    lacking = shown.pop("topics_without_documents")
    differs = lacking.nunique() > 1
    if differs:
        shown.insert(shown.columns.get_loc("judged@10"), "answered", n_topics - lacking)
    if sampled:
        shown = shown.drop(columns="judged@10")
    table = of_frame(shown, rounded(), _HEADS)
    table.title = board.sentences[measure, group] + "\n\n"
    table.notes = [f"the best {len(shown):,} of {len(part):,} runs"] * (len(shown) < len(part))
    if differs:
        table.notes.append(f"answered: topics with documents, of {n_topics}")
    if "low" in shown:
        table.notes.append(f"low, high: {100 * board.level:g} % interval of the mean over topics")
    if board.method != "none":
        letters = "; runs that share a letter are not shown to differ" if "letters" in shown else ""
        table.notes += [
            f"place_low, place_high: range of places consistent with the tests{letters}",
            f"test: {board.test}",
        ]
    if "codes" in shown:
        table.notes.append("codes: why no other run is called better than this one")
    return table


def _group_of(part: Any) -> str | None:
    """Return the group of topics that these rows are about; None without groups."""
    group = part["group"].iloc[0]
    return None if group != group else group  # NaN is not itself


def of_board_in_paper(board: Any, top: int | None = None) -> list[Table]:
    """Show a row for each run and a column for each measure, for each group of topics, with a
    caption.

    The best values are marked. Runs that share a letter are not shown to differ; where letters
    would be too many, runs that differ from the best are marked.
    """
    if board["mean"].isna().all():  # a sample, which knows no values of single runs
        return of_board(board, top)
    return [
        _of_group(part, board, top) for _, part in board.groupby("group", sort=False, dropna=False)
    ]


def _of_group(part: Any, board: Any, top: int | None) -> Table:
    measures = list(dict.fromkeys(part["measure"]))
    runs = part.loc[part["measure"] == measures[0], "run"].tolist()
    group = _group_of(part)
    lower = [name for name in measures if not higher_is_better(name)]
    cells: dict[str, list[Cell]] = {run: [] for run in runs}
    lettered, marked = False, False
    for measure in measures:
        rows = part[part["measure"] == measure].set_index("run")
        best = rows["place"].idxmin()
        letters = rows["letters"].fillna("")
        lettered |= bool((letters != "").any())
        differs = set() if (letters != "").any() else _different_from(best, measure, group, board)
        marked |= bool(differs)
        for run in runs:
            row = rows.loc[run]
            is_best = bool(row["place"] == 1) and len(runs) > 1
            cells[run].append(Cell(row["mean"], is_best, run in differs, letters[run]))
    shown = runs if top is None else runs[:top]
    columns = [Column("run", left=True)]
    columns += [Column(name, rounded(), lower=name in lower) for name in measures]
    of_group = "" if group is None else f" of {group}"
    which = f"Means of {len(runs):,} runs"
    if len(shown) < len(runs):
        which = f"The best {len(shown):,} of {len(runs):,} runs"
    sentences = [f"{which} over {board.n_topics[group]:,} topics{of_group}", "Best means are bold"]
    if lettered:
        sentences.append("In a column, runs that share a letter are not shown to differ")
    if marked:
        sentences.append("†: differs from the best run of the column")
    if board.test:
        sentences.append(f"Test: {board.test}")
    caption = ". ".join(sentences) + "."
    title = "\n".join(board.sentences[measure, group] for measure in measures)
    rows = [[run, *cells[run]] for run in shown]
    return Table(columns, rows, title, board.notes, caption=caption)


def _different_from(best: str, measure: str, group: str | None, board: Any) -> set[str]:
    """Find the runs that are shown to differ from the best one."""
    pairs = board.different_pairs()
    pairs = pairs[pairs["measure"] == measure]
    pairs = pairs[pairs["group"].isna() if group is None else pairs["group"] == group]
    return {*pairs.loc[pairs["a"] == best, "b"], *pairs.loc[pairs["b"] == best, "a"]}


# Judges -------------------------------------------------------------------------------------------


_OF_PREDICTIONS = {
    "human": "humans",
    "judge": "judge",
    "topics_human": "topics (humans)",
    "topics_judge": "topics (judge)",
    "p_human": "p (humans)",
    "p_judge": "p (judge)",
    "topics_needed": "topics needed",
    "judge_only": "judge only",
    "human_only": "humans only",
    "judged": "human grades",
    "sample": "if sampled",
}


def of_predictions(predictions: Any, tests: bool = False) -> list[Table]:
    """Show a table for each measure, of runs or of pairs of runs, and how far the judge agrees."""
    shown = predictions.pairs if tests else predictions
    if "codes" in shown and not shown["codes"].astype(bool).any():
        shown = shown.drop(columns="codes")
    what = "difference (b minus a)" if tests else "estimate"
    shows: dict[str, Any] = {name: p_value for name in ("p", "p_human", "p_judge")}
    counts = {"sample": _count, "topics_needed": _count}
    tables = [
        of_frame(
            part.drop(columns="measure"),
            rounded(),
            _OF_PREDICTIONS,
            shows=shows | counts,
            title=f"{predictions.sentences[measure, None]}\n\n",
        )
        for measure, part in shown.groupby("measure", sort=False)
    ]
    for table in tables:
        table.notes = [
            "humans: by human grades, on the topics that humans judged; judge: by the judge's "
            "grades, on all topics",
            f"{what}: the humans' value, adjusted by the judge's; low, high: its "
            f"{100 * predictions.level:g} % interval",
        ]
    agreement = of_frame(
        predictions.agreement,
        rounded(),
        _OF_PREDICTIONS,
        shows=counts,
        title="How well the judge agrees with the humans",
    )
    agreement.notes = [
        "documents: graded by both; correlation, kappa: of their grades; weight: of the judge in "
        "the estimate; tau: of the two rankings of the runs",
        "both, judge only, humans only: who shows a pair of runs to differ (t-test at "
        f"{1 - predictions.level:.3g}); reversed: both do, with opposite signs",
        "topics needed: human topics that would settle half of the pairs that only the judge shows "
        "to differ or that it reverses",
        "if sampled: human grades that `irpref sample` needs for intervals as narrow",
    ]
    agreement.notes += predictions.notes
    return [*tables, agreement]


def _count(n: float) -> str:
    return f"{n:.0f}" if math.isfinite(n) else "-"


# Published tables ---------------------------------------------------------------------------------


def of_verification(found: Any) -> list[Table]:
    """Say how many figures of a published table are equal, with a line for each that is not."""
    rows = found[~found["equal"]]
    columns = {
        "run": Column("run", left=True),
        "measure": Column("measure", left=True),
        "printed": Column("printed", left=False),
        "computed": Column("computed", rounded(5)),
        "why": Column("why", left=True, prose=True, narrowest=30, below=4),
    }
    title = found.text + "\n" * 2 * (not rows.empty)
    if rows.empty:
        return [Table([], [], title, list(found.notes))]
    lines = rows[list(columns)].to_numpy().tolist()
    return [Table(list(columns.values()), lines, title, list(found.notes), labels=2)]
