"""The contents of the page: plain data from the functions that compute it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from ir_measures.measures import Measure

from irpref.data import hashed
from irpref.errors import ArgumentError
from irpref.judged import (
    Groups,
    Judgments,
    QrelsLike,
    RunLike,
    Runs,
    as_judgments,
    each,
    group_of_topic,
)
from irpref.kernel import Bools
from irpref.measures import literature
from irpref.measures.declare import Measures
from irpref.measures.docstring import prose
from irpref.measures.names import parse_all
from irpref.messages import (
    IrprefWarning,
    about,
    check_choice,
    check_measures,
    did_you_mean,
    give,
    message_of,
    whole_files,
)
from irpref.observed import MISSING, read_repeats, repeats_in
from irpref.values import TopicValues
from irpref.values.progress import progress
from irpref_lab.across import check_single
from irpref_lab.arguments import check_level
from irpref_lab.checking import check, grave
from irpref_lab.decide.all_pairs import METHODS, UNKNOWN
from irpref_lab.decide.basis import basis_of
from irpref_lab.decide.board import (
    Reasons,
    board_of,
    reasons_of,
    sentences_of,
    ties_of,
    with_further,
)
from irpref_lab.decide.comparison import compare
from irpref_lab.decide.in_place import runs_by_name
from irpref_lab.decide.questions import Basis
from irpref_lab.decide.results.comparison import Comparison
from irpref_lab.decide.results.leaderboard import Leaderboard
from irpref_lab.given_values.basis import GivenValues
from irpref_lab.judges.filling import Filled
from irpref_lab.messages import not_accepted
from irpref_lab.page.curve_charts import curve_charts
from irpref_lab.page.provenance import input_facts, made_line, versions
from irpref_lab.page.query_texts import Texts, texts
from irpref_lab.page.rankings import rankings
from irpref_lab.short_names import left_out, parts
from irpref_lab.trust.holes import hole_intervals, notes_on, pair_intervals
from irpref_lab.trust.samples import Rng, fixed_seed
from irpref_lab.trust.ties import tie_intervals

# A part of the page.
Part: TypeAlias = dict[str, Any]

N_RANKINGS = 10  # runs whose rankings are shown if none is named
# Best runs, whose pairs are checked: can unjudged documents reverse them? Of many runs fewer.
N_PAIRS, N_PAIRS_OF_MANY = 6, 3
MOST_BOUNDS = 2000  # topics times runs up to which this is done
MOST_TIED = 12_000  # topics times runs up to which values are bounded over all orders of ties
MOST_EXPLAINED = 4  # measures whose contributions are shown
MOST_VALUES = 400_000  # values of topics that the page holds
MOST_ROWS = 40_000  # documents of rankings that the page holds
# of these, the first ranks are also in tables, up to so many rows, for readers without JavaScript
MOST_PLAIN = 10_000
DIGITS = 9  # of numbers in the data of the page
_BOARD = ["mean", "low", "high", "place", "place_low", "place_high", "letters", "shown"]
_P_VALUES = ["p", "p_adjusted"]
_PAIRS = ["difference", "effect_size", *_P_VALUES]


@dataclass(frozen=True, slots=True, eq=False)
class Options:
    """The options of a report, see `irpref_lab.report`."""

    baseline: str | None
    title: str
    topics: Texts | None
    titles: Texts | None
    groups: Groups | None
    rankings: str | Iterable[str] | None
    depth: int
    pairs: str
    level: float
    rng: Rng | None
    strict: bool = False

    @property
    def named_runs(self) -> list[str]:
        """Runs whose rankings are asked for, in their order."""
        if isinstance(self.rankings, str):
            return [self.rankings]
        return list(self.rankings or ())


def contents(
    measures: Measures, given: QrelsLike | GivenValues, runs: Runs | None, options: Options
) -> Part:
    """Collect everything that the page shows: lists, numbers and text, as JSON has them."""
    check_single(given)
    if isinstance(given, GivenValues):
        return _of_values(measures, given, runs, options)
    chosen = parse_all(measures)
    named = runs_by_name(runs)
    options = _checked(options, chosen, named)
    sources = [("judgments", given)]
    sources += [(name, one) for name, run in named.items() for one in repeats_in(run)]
    with whole_files(options.strict), hashed():
        qrels = as_judgments(given)
        named = _opened(named)  # each file is read once
        inputs = [input_facts(name, data) for name, data in sources]
    basis = basis_of(chosen, qrels, named, present=(), keep=False, ties=options.pairs != "none")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrprefWarning)  # were given by the evaluation
        return plain(
            {
                **_summary(basis, named, options),
                "values_only": False,
                "inputs": inputs,
                "filled": qrels.text if isinstance(qrels, Filled) else None,
                "made": made_line(inputs[0]),
                "methods": literature.methods(chosen),
                "bibtex": literature.cite(chosen),
                **_parts(chosen, qrels, named, basis, options),
            }
        )


def _of_values(measures: Measures, given: GivenValues, runs: Runs | None, options: Options) -> Part:
    """Collect everything that a page about values shows: nothing about rankings and judgments."""
    inputs = [input_facts("values", given)]
    chosen, named = given.measures_of(measures), given.systems_named(runs)
    options = _checked(options, chosen, named)
    basis = given.basis(chosen, named)
    if options.groups is not None:
        options = replace(options, groups=group_of_topic(options.groups, None))
    board = _board_and_topics(chosen, given, named, basis, options)
    nothing: Part = {"measure": "", "runs": [], "reason": "", "many": False, "pairs": []}
    names = ", ".join(map(str, chosen))
    return plain(
        {
            **_summary(basis, named, options),
            "values_only": True,
            "inputs": inputs,
            "made": made_line(inputs[0]),
            "filled": None,
            "methods": f"We compare values of {names} by topic, which other software computed, "
            f"with irpref \\cite{{{literature.PACKAGE_KEY}}}.",
            "bibtex": literature.package_entry(),
            **board,
            "judged": [None] * len(board["runs"]),
            "findings": [],
            "suggested": [],
            "grave": [],
            "curves": [],
            "holes": [],
            "rankings": {"runs": [], "lists": [], "explained": [], "docs": [], "depth": 0},
            "bounds": nothing | {"notes": []},
            "ties": nothing | {"tied": 0},
        }
    )


def _summary(basis: Basis, named: Mapping[str, Any], options: Options) -> Part:
    """Collect title, notes and versions."""
    absent = basis.absent(options.strict, alone=len(named) < 2)
    return {
        "title": options.title,
        "level": options.level,
        "absent": absent,
        "notes": basis.notes_of_many(absent),
        "versions": versions(),
    }


def _checked(options: Options, chosen: Sequence[Measure], named: Mapping[str, RunLike]) -> Options:
    """Check the options. Raise `ValueError` for one that is not accepted."""
    check_measures(chosen, "a report")
    if options.depth < 1:
        raise not_accepted("depth", options.depth, "a number of ranks of at least 1")
    check_choice("pairs", options.pairs, METHODS)
    if not named:
        raise ArgumentError("a report needs at least one run", parameter="runs")
    asked = [("rankings", name) for name in options.named_runs]
    if options.baseline is not None:
        asked.append(("baseline", options.baseline))
    for parameter, name in asked:
        if name not in named:
            known = f"{did_you_mean(str(name), named)} (there are {', '.join([*named][:5])})"
            raise ArgumentError(
                f"no run is called {name!r}{known}", parameter=parameter, value=name
            )
    return replace(options, level=check_level(options.level), rng=fixed_seed(options.rng))


def _parts(
    chosen: Sequence[Measure],
    qrels: Judgments,
    named: Mapping[str, list[Any]],
    basis: Basis,
    options: Options,
) -> Part:
    """Make the sections of the page, one after the other, with a bar."""
    if options.groups is not None:
        options = replace(options, groups=group_of_topic(options.groups, qrels))
    board = _board_and_topics(chosen, qrels, named, basis, options)
    topics: Sequence[str] = board["topics"]
    absent = basis.absent(options.strict, alone=len(named) < 2)
    present = [name for name in board["runs"] if name not in absent]
    # Of a system that was run several times, the first run; nothing of an absent one is drawn.
    drawn: dict[str, Any] = {
        name: {} if name in absent else named[name][0] for name in board["runs"]
    }
    of_shown = {name: drawn[name] for name in _shown(options, present)}

    def computed() -> Iterator[Part]:
        findings = check(qrels, {name: drawn[name] for name in present}, chosen)
        yield _findings(findings)
        yield {"rankings": _rankings(chosen, qrels, of_shown, topics, options)}
        yield curve_charts(chosen, qrels, drawn)
        yield _unjudged(chosen[0], qrels, of_shown, len(topics), len(board["runs"]))
        tied = findings.loc[findings["code"] == "ties", "run"].tolist()
        of_tied = {name: drawn[name] for name in tied}
        yield _ties(chosen[0], qrels, of_tied, len(topics))

    sections: Part = {}
    with progress(computed(), 5, "section") as steps:
        for section in steps:
            sections |= section
    return board | sections


def _shown(options: Options, present: Sequence[str]) -> list[str]:
    """Choose the runs whose rankings are on the page: those named or the best, and the baseline."""
    shown = dict.fromkeys(options.named_runs or present[:N_RANKINGS])
    return list(shown | ({} if options.baseline is None else {options.baseline: None}))


def _board_and_topics(
    chosen: Sequence[Measure],
    qrels: Judgments | GivenValues,
    named: Mapping[str, Any],
    basis: Basis,
    options: Options,
) -> Part:
    """Make the leaderboard, the verdict on two runs, and the values of topics."""
    absent = basis.absent(options.strict, alone=len(named) < 2)
    by_measure = with_further(basis)
    names = [str(measure) for measure in chosen]
    first = by_measure[names[0]]
    verdicts = _verdicts(chosen, qrels, named, options)
    within = None if options.groups is None else basis.parts(options.groups)
    board = _board(names, by_measure, within, options, basis, absent, verdicts)
    order: list[str] = board["runs"]
    shown = set(_shown(options, [name for name in order if name not in absent]))
    whole = len(order) * len(first.topics) * len(names) <= MOST_VALUES
    with_values = [r for r, name in enumerate(order) if whole or name in shown]
    place = {name: i for i, name in enumerate(first.systems)}
    rows = [place[order[r]] for r in with_values]
    short = parts(order)
    return {
        "measures": [_measure(measure, by_measure[str(measure)]) for measure in chosen],
        "short": [short[name].shown for name in order],
        "parts": {name: words for name, words in short.items() if words.shown != name},
        "left_out": left_out(short),
        "tested": options.pairs if board["pairs"] else "none",
        **board,
        "verdict": _lines(verdicts) or board["verdict"],
        "topics": first.topics,
        "queries": texts(options.topics, "topics", first.topics),
        "values": [[by_measure[name].values[row] for row in rows] for name in names],
        "with_values": with_values,
        "baseline": None if options.baseline is None else order.index(options.baseline),
        "two": [order.index(name) for name in _first_two(named, order, options.baseline)],
    }


def _first_two(named: Mapping[str, Any], order: Sequence[str], baseline: str | None) -> list[str]:
    """Choose the runs that the page first compares topic by topic: the two of the verdict. Of many
    runs, these are the second-best and the best, or the baseline and the best other one.
    """
    if len(named) == 2:
        return _compared(named, baseline)
    others = [name for name in order if name != baseline]
    return others[1::-1] if baseline is None else [baseline, *others[:1]]


def _compared(named: Mapping[str, Any], baseline: str | None) -> list[str]:
    """List two runs as `compare` takes them: the baseline, or the one given first, comes first."""
    return sorted(named, key=lambda name: name != baseline)


def _verdicts(
    chosen: Sequence[Measure],
    qrels: Judgments | GivenValues,
    named: Mapping[str, Any],
    options: Options,
) -> list[Comparison]:
    """Compare two runs by `irpref_lab.compare`, the baseline or the first one being `a`: over all
    topics, then in each group of topics if there are groups.
    """
    if len(named) != 2 or options.pairs == "none":
        return []
    names = _compared(named, options.baseline)
    a, b = (named[name] for name in names)
    how: dict[str, Any] = {"level": options.level, "names": names}
    verdicts = [compare(chosen, qrels, a, b, **how)]
    if options.groups is not None:
        verdicts.append(compare(chosen, qrels, a, b, groups=options.groups, **how))
    return verdicts


def _lines(verdicts: Sequence[Comparison]) -> list[str]:
    """List the sentences of comparisons, then the test."""
    sentences = [line for verdict in verdicts for line in verdict.text.splitlines()[:-1]]
    return [*sentences, *(f"test: {verdict.test}" for verdict in verdicts[:1])]


def plain(value: Any) -> Any:
    """Return values as JSON has them: arrays and frames as lists, numbers to `DIGITS` digits, None
    for NaN.
    """
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        short = float(f"{value:.{DIGITS}g}")
        return int(short) if short.is_integer() and abs(short) < 1e15 else short
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if hasattr(value, "columns"):
        return plain(value.to_dict("list"))
    return plain(value.tolist()) if hasattr(value, "tolist") else None  # pandas.NA


def _opened(runs: Mapping[str, RunLike]) -> dict[str, list[Any]]:
    """Read the runs of each system from their files, several at a time, with a bar."""
    out: dict[str, list[Any]] = {}
    read_runs = zip(runs, each(read_repeats, runs.values(), None), strict=True)
    with progress(read_runs, len(runs)) as steps:
        for name, done in steps:
            with about(name, len(runs) > 1):
                for warning in done.warnings:
                    give(warning)
            if done.error is not None:
                raise done.error
            out[name] = done.value or []
    return out


# -------------------------------------------------------------------------------------- leaderboard


def _board(
    names: Sequence[str],
    by_measure: Mapping[str, TopicValues],
    groups: Mapping[str | None, Bools] | None,
    options: Options,
    basis: Basis,
    absent: Mapping[str, str],
    verdicts: Sequence[Comparison],
) -> Part:
    """Make rows of each measure and the tests of all pairs, as they are on
    `irpref_lab.leaderboard`.
    """
    first = by_measure[names[0]]
    several = len(first.systems) - len(absent) > 1 and first.n_topics > 1
    pairs = options.pairs if several else "none"

    def board_on(parts: Mapping[str | None, Bools]) -> tuple[Leaderboard, Reasons]:
        return board_of(
            by_measure,
            names,
            names[0],
            basis.on_tables(parts),
            pairs,
            options.level,
            seed=options.rng,
            absent=absent,
            reasons=reasons_of(basis, parts, MISSING),
            ties=ties_of(basis, parts),
        )

    board, reasons = board_on(basis.parts(None))
    untold = {
        (row["measure"], row.get("group"))
        for verdict in verdicts
        for row in verdict[verdict["verdict"] == UNKNOWN].to_dict("records")
    }
    lines = [*sentences_of(board, basis.measures, reasons, basis.heading).values()]
    of_pairs = _blanked(board.pairs, _P_VALUES, untold)
    board = _blanked(board, ["place_low", "place_high", "letters"], untold)
    tested = pd.DataFrame({"group": []})
    if groups and several:
        of_groups, _ = board_on(groups)
        tested = _blanked(of_groups.pairs, _P_VALUES, untold)
    rows = [board[board["measure"] == name] for name in names]
    runs = rows[0]["run"].tolist()
    return {
        "runs": runs,
        "board": [_rows(part) for part in rows],
        "judged": rows[0]["judged@10"],
        "answered": first.n_topics - rows[0]["topics_without_documents"],
        "pairs": _pairs(of_pairs, names, runs) if several else [],
        "test": board.test,
        "verdict": [*lines, *([f"test: {board.test}"] if board.test else [])],
        "groups": [
            {"name": group, "topics": groups[group].sum(), "pairs": _pairs(part, names, runs)}
            for group, part in tested.groupby("group", sort=False)
            if groups
        ],
    }


def _blanked(table: Any, columns: list[str], untold: Collection[tuple[str, str | None]]) -> Any:
    """Clear the results of tests by measures, and in groups, where `compare` cannot tell, and of
    pairs that something rules out.
    """
    out = table.copy()
    if "a" in out:
        out.loc[out["codes"] != "", columns] = None
    groups = (None if group != group else group for group in out["group"])
    keys = zip(out["measure"], groups, strict=True)
    out.loc[[key in untold for key in keys], columns] = None
    return out


def _rows(board: pd.DataFrame) -> pd.DataFrame:
    """Select the columns of a leaderboard by one measure, and its means as they are written."""
    return board.assign(shown=board["mean"].map("{:.4f}".format)).reindex(columns=_BOARD)


def _pairs(tested: pd.DataFrame, names: Sequence[str], runs: Sequence[str]) -> list[pd.DataFrame]:
    """Return the pairs of runs i < j of the board by each measure, row by row: `i` minus `j`."""
    place = {name: i for i, name in enumerate(runs)}
    a, b = (tested[side].map(place) for side in ("a", "b"))
    sign = np.where(a < b, -1.0, 1.0)
    signed = tested.assign(
        difference=sign * tested["difference"], effect_size=sign * tested["effect_size"]
    )
    rows = signed.assign(i=np.minimum(a, b), j=np.maximum(a, b)).set_index(["i", "j"])
    i, j = np.triu_indices(len(runs), 1)
    every = pd.MultiIndex.from_arrays([i, j])  # also the pairs that are not tested
    return [rows.loc[rows["measure"] == name, _PAIRS].reindex(every) for name in names]


def _measure(measure: Measure, values: TopicValues) -> Part:
    return {
        "name": str(measure),
        "higher": values.higher_is_better,
        "parameters": literature.parameters(measure),
        "question": prose(measure).question,
    }


# ----------------------------------------------------------------------------------------- rankings


def _rankings(
    chosen: Sequence[Measure],
    qrels: Judgments,
    runs: Mapping[str, RunLike],
    topics: Sequence[str],
    options: Options,
) -> Part:
    """Return the first ranks of some runs, with ids and reasons as numbers of lists that hold each
    once.
    """
    n_lists = max(1, len(runs) * len(topics))
    depth = max(1, min(options.depth, MOST_ROWS // n_lists))
    table = rankings(chosen, qrels, runs, depth, MOST_EXPLAINED)
    explained = table.attrs["explained"]
    rows = table.groupby(["run", "query_id"], sort=False).indices
    answering = set(table["run"])
    columns = {name: table[name].to_numpy() for name in table}
    any_filled = bool(qrels.filled.any())
    docs: dict[str, int] = {}
    words: dict[str, int] = {"": 0}

    def of_topic(run: str, topic: str) -> Part:
        at = rows.get((run, topic), np.zeros(0, np.int64))
        part: Part = {
            "docs": [docs.setdefault(doc, len(docs)) for doc in columns["doc_id"][at]],
            "grades": columns["grade"][at],
            "scores": columns["score"][at],
            "filled": columns["filled"][at].astype(int) if any_filled else [],
            "tied": columns["tie"][at],
            "length": columns["retrieved"][at[0]] if at.size else 0,
        }
        if explained:
            part["parts"] = [columns[f"contribution {name}"][at] for name in explained]
            part["why"] = [
                [words.setdefault(reason, len(words)) for reason in columns[f"reason {name}"][at]]
                for name in explained
            ]
        return part

    lists = [
        [of_topic(run, topic) if run in answering else None for topic in topics] for run in runs
    ]
    return {
        "runs": list(runs),
        "chosen": options.rankings is not None,
        "depth": depth,
        "plain": max(1, min(depth, MOST_PLAIN // n_lists)),
        "explained": explained,
        "most_explained": MOST_EXPLAINED,
        "docs": list(docs),
        "titles": texts(options.titles, "titles", docs),
        "words": list(words),
        "lists": lists,
        "graded": table.attrs["graded"],
        "least": table.attrs["least"],
        "relevant": [table.attrs["relevant"][topic] for topic in topics],
    }


# ---------------------------------------------------------------------- unjudged documents and ties


def _bounds(
    over: Callable[..., pd.DataFrame],
    measure: Measure,
    qrels: Judgments,
    runs: Mapping[str, RunLike],
    many: bool,
) -> Part:
    """Find the intervals of the means of runs, unless there are too many topics and runs."""
    out: Part = {"measure": str(measure), "runs": [], "reason": "", "many": many}
    try:
        for name, run in () if many else runs.items():
            intervals = over([measure], qrels, run)
            out["runs"].append({"run": name, **intervals[intervals["query_id"].isna()].iloc[0]})
    except ValueError as error:  # nothing is known of this measure, or of these judgments
        out["reason"] = message_of(error)
    return out


def _findings(findings: pd.DataFrame) -> Part:
    """Return the findings of `irpref_lab.check`, and the measures that it names."""
    return {
        "findings": findings[["level", "code", "run", "count", "text"]].to_dict("records"),
        "suggested": findings.attrs.get("measures", []),
        "grave": grave(findings),
    }


def _unjudged(
    measure: Measure, qrels: Judgments, runs: Mapping[str, RunLike], n_topics: int, n_runs: int
) -> Part:
    """Find the bounds over the grades of unjudged documents, and the pairs of the best runs that
    these could turn round.
    """
    bounds = _bounds(hole_intervals, measure, qrels, runs, n_topics * len(runs) > MOST_BOUNDS)
    bounds |= {"pairs": [], "notes": []}
    if bounds["runs"]:
        table = pd.DataFrame(bounds["runs"])
        beyond = "" if table["exact"].all() else " (\u2264, \u2265: or beyond)"
        bounds["notes"] = notes_on(table, f"lowest, highest{beyond}")
    if bounds["runs"] and len(runs) > 1:
        most = N_PAIRS if n_runs <= N_RANKINGS else N_PAIRS_OF_MANY
        best = dict([*runs.items()][:most][::-1])  # of two, the better one is the second
        pairs = pair_intervals([measure], qrels, best).to_dict("records")
        bounds |= {"pairs": pairs, "best": len(best)}
    return {"bounds": bounds}


def _ties(measure: Measure, qrels: Judgments, runs: Mapping[str, RunLike], n_topics: int) -> Part:
    """Find the values over the orders of tied documents, of the runs that have some."""
    many = n_topics * len(runs) > MOST_TIED
    ties = _bounds(tie_intervals, measure, qrels, runs, many)
    changed = [row for row in ties["runs"] if row["low"] < row["high"]]
    return {"ties": ties | {"tied": len(runs), "runs": changed}}
