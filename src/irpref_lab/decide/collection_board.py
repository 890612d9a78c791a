"""Results of `leaderboard`, `compare` and `against` over several collections.

The numbers are in `irpref_lab.decide.over_collections`, the statistics in
`irpref_lab.across.strata`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from ir_measures.measures import Measure

from irpref.errors import AbsentRunError, ArgumentError
from irpref.measures.declare import Measures
from irpref.measures.names import parse_all
from irpref.messages import check_choice, once_per_call, visible
from irpref.observed import MISSING, Evidence, Ground
from irpref.show import Column, ResultFrame, Table, of_frame, rounded
from irpref.values import higher_is_better
from irpref_lab.across import Collections, strata
from irpref_lab.arguments import check_level
from irpref_lab.decide import over_collections as numbers
from irpref_lab.decide.all_pairs import significant
from irpref_lab.decide.first_lines import (
    Field,
    Sentences,
    Standing,
    against_one,
    beside_best,
    best_of,
    n_topics,
    where,
)
from irpref_lab.decide.over_collections import Part, Strata
from irpref_lab.given_values import Values
from irpref_lab.given_values.facts import facts_of, measures_of
from irpref_lab.given_values.given import FIRST_LINE
from irpref_lab.messages import p_equals, p_value
from irpref_lab.remarks import grave_lines
from irpref_lab.trust.t_tests import holm
from irpref_lab.trust.topics import limits_named

OVER = tuple(strata.METHODS)
_SCALE = 10  # times by which the largest values of two collections may differ
UNKNOWN, EQUAL = "cannot tell", "not shown to differ"


def described(of: Strata, over: str, tests: int, level: float, baseline: str | None = None) -> str:
    """Describe test, sample and family in one line."""
    k, n = len(of.names), of.n_topics
    if over == "collections" and k < strata.FEWEST:
        return f"none: {k} collections are too few to be a sample"
    test = f"t-test of the means of {k} collections"
    if over == "topics":
        test = f"stratified t-test, {n:,} topics nested in {k} collections"
    family = "one pair of systems"
    if tests > 1:
        pairs = f"pairs of {len(of.systems):,} systems"
        if baseline is not None:
            pairs = f"pairs with {visible(baseline)}"
        family = f"{tests:,} {pairs}, adjusted after Holm, by measure"
    return f"{test}; family: {family}; family-wise level {100 * (1 - level):.4g} %"


def says_of(over: str, k: int, n: int) -> str:
    """Name the sample behind an interval."""
    if over == "topics":
        return f"{k} collections, {n:,} topics; these collections, other topics"
    return f"{k} collections, a sample of others"


# Boards -------------------------------------------------------------------------------------------


class CollectionBoard(ResultFrame):
    """A leaderboard over several collections.

    Attributes
    ----------
    text : str
        Which system is best, and which are not shown to differ from it: a line for each measure.
    sentences : dict of (measure, None) to str
        The same, line by line.
    pairs : pandas.DataFrame
        A row for each pair of systems and measure: `measure`, `a`, `b`, `difference` (mean of `b`
        minus mean of `a`), `low`, `high`, `p`, `p_adjusted` (after Holm), `codes` (why the pair is
        not called different).
    by_collection : dict of measure to DataFrame
        Mean of each system on each collection.
    over : {'topics', 'collections'}
    level : float
    values_only : bool
        Whether nothing is known of the runs behind the values.
    method : str
        'holm', or 'none' if nothing was tested.
    test : str
        Test, sample and family in one line.
    notes : list of str
    grave : list of str
        Findings that would mislead, as `irpref check` words them, by collection.
    """

    _metadata: ClassVar[list[str]] = [
        *("text", "sentences", "pairs", "by_collection", "over", "level", "values_only"),
        *("method", "test", "notes", "grave"),
    ]

    def different_pairs(self) -> pd.DataFrame:
        """Select the rows of `pairs` with a significant difference that nothing rules out."""
        shown = significant(self.pairs["p_adjusted"], self.level)
        return self.pairs[shown & (self.pairs["codes"] == "").to_numpy()]

    def _tables(self) -> Sequence[Table]:
        return of_collection_board(self)


@once_per_call
def leaderboard_over(
    measures: Measures,
    given: Collections,
    systems: Sequence[str] | None = None,
    *,
    over: str = "topics",
    pairs: str = "holm",
    level: float = 0.95,
    by_collection: bool = False,
    missing: float = MISSING,
) -> CollectionBoard:
    """Rank systems by the mean of their means on several collections.

    Parameters
    ----------
    measures : measures of any toolkit, or their names
    given : Collections
    systems : sequence of str, optional
        Only these; all systems if not given.
    over : {'topics', 'collections'}
        Of which the data are a sample: topics of these collections, or collections.
    pairs : {'holm', 'none'}
        Whether pairs are tested.
    level : float in (0, 1)
    by_collection : bool
        Add a column for each collection, with the mean there.
    missing : float in [0, 1)
        Share of the topics of a collection that may be missing from a system.

    Returns
    -------
    CollectionBoard
        A row for each system and measure, the best first: `run`, `measure`, `group` (None), `mean`,
        `low`, `high`, `place`, `place_low`, `place_high`, `letters`, `borda` (rank by Borda's
        count: how many systems each one beats, on average over the collections), `codes` (what
        rules out the claim that another system is better), `reason` (why a system is left
        out, if one is).

    Raises
    ------
    ValueError
        Fewer than two systems are on all collections; a measure that counts; errors of
        the evaluator.
    """
    level = check_level(level)
    check_choice("over", over, OVER)
    check_choice("pairs", pairs, ("holm", "none"))
    _check_known(given, systems or (), "runs")
    chosen = measures_over(measures, given)
    parts = numbers.gathered_parts(chosen, given, systems)
    wanted = [name for name in given.systems if systems is None or name in set(systems)]
    out = {name: why for name, why in numbers.left_out(given, parts).items() if name in wanted}
    tested = [name for name in wanted if name not in out]
    if not tested or (len(tested) < 2 and pairs != "none"):
        reasons = "; ".join(f"{name}: {why}" for name, why in out.items())
        raise AbsentRunError(
            f"{len(tested) or 'no'} system{'s' * (len(tested) != 1)} left to compare: {reasons}"
        )
    boards, rows, means, sentences = [], [], {}, Sentences()
    scales: list[str] = []
    for measure in chosen:
        of = numbers.strata_of(parts, measure, tested)
        grounds = _grounds_of_systems(given, parts, measure, tested, missing)
        stopped = {name: list(dict.fromkeys(g.code for g in of)) for name, of in grounds.items()}
        board, of_pairs = numbers.board_over(of, over, level, pairs != "none", stopped)
        board["codes"] = [", ".join(stopped[name]) for name in board["run"]]
        line = _best(of, board, of_pairs, level, grounds, list(out))
        sentences[str(measure), None] = _heading(parts) + line
        means[str(measure)] = numbers.by_collection(parts, measure, wanted)
        boards.append(_with_left_out(board, out))
        rows.append(of_pairs)
        scales += _decides(of)
        if by_collection:
            boards[-1] = boards[-1].join(means[str(measure)], on="run")
    table = CollectionBoard(pd.concat(boards, ignore_index=True))
    table.insert(2, "group", pd.Series([None] * len(table), dtype=object))
    table.pairs, table.by_collection = pd.concat(rows, ignore_index=True), means
    table.sentences, table.text = sentences, "\n".join(sentences.values())
    table.over, table.level, table.values_only = over, level, _values_only(parts)
    table.grave = _grave(parts)
    table.method = "none" if table["place_low"].isna().all() else pairs
    table.test = ""
    if pairs != "none":
        n = len(tested)
        table.test = described(of, over, n * (n - 1) // 2, level)
    table.notes = [
        *(f"{name} is left out of all tests: {why}" for name, why in out.items()),
        *scales,
        *_notes(parts),
    ]
    return table.made()


def _decides(of: Strata) -> list[str]:
    """Say if values of an unlimited measure are on another scale on one of the collections."""
    if np.isfinite(limits_named(of.measure)).all():
        return []
    largest = np.array([np.abs(part).max() for part in of.values])
    most, least = int(largest.argmax()), int(largest.argmin())
    if largest[most] <= _SCALE * largest[least]:
        return []
    return [
        f"{of.measure}: values reach {largest[most]:g} on {of.names[most]} and "
        f"{largest[least]:g} on {of.names[least]}, so {of.names[most]} decides the mean; Borda's "
        f"count does not depend on the scale"
    ]


def _grounds_of_systems(
    given: Collections, parts: Sequence[Part], measure: Measure, names: list[str], missing: float
) -> dict[str, list[Ground]]:
    """Find reasons against the claim that another system is better, on any collection."""
    grounds: dict[str, list[Ground]] = {name: [] for name in names}
    for part in parts:
        facts = _facts(given, part, measure, names)
        for number, name in enumerate(names):
            for ground in facts.against("claim", measure, number, facts.everything, missing):
                grounds[name].append(Ground(ground.code, f"{part.name}: {ground.text}"))
    return grounds


def _best(
    of: Strata,
    board: pd.DataFrame,
    pairs: pd.DataFrame,
    level: float,
    grounds: Mapping[str, Sequence[Ground]],
    out: Sequence[str],
) -> str:
    """Say which system is best, and which are not shown to differ from it."""
    means = dict(zip(board["run"], board["mean"], strict=True))
    size = f"{len(of.names)} collections, {n_topics(of.n_topics)}"
    field = Field(where(of.measure, None, of.higher_is_better), size, means, out)
    best = board.loc[board["place"] == 1, "run"].tolist()
    if pairs.empty or pairs["p"].isna().all():
        return best_of(field, best, None, {})
    return best_of(field, best, *beside_best(best, means, pairs, level, grounds))


def _heading(parts: Sequence[Part]) -> str:
    """Return what all lines begin with."""
    return f"{FIRST_LINE}: " if _values_only(parts) else ""


def _with_left_out(board: pd.DataFrame, out: Mapping[str, str]) -> pd.DataFrame:
    """Add rows of the systems that are left out, with the reason."""
    if not out:
        return board
    board = board.astype({"place": "Int64", "borda": "Int64"})
    last = pd.DataFrame({"run": list(out), "measure": board["measure"].iloc[0]})
    last = last.reindex(columns=board.columns).astype(board.dtypes.to_dict())
    board = pd.concat([board, last], ignore_index=True)
    reasons = [None] * (len(board) - len(out)) + list(out.values())
    return board.assign(reason=pd.Series(reasons, dtype=object))


def measures_over(measures: Measures, given: Collections) -> list[Measure]:
    """Return the measures that a user names; measures that only values know stay names."""
    of_values = [part for part in given.parts.values() if isinstance(part, Values)]
    if len(of_values) == len(given.parts):
        return measures_of(of_values[0], measures)
    return parse_all(measures)


def _values_only(parts: Sequence[Part]) -> bool:
    """Test whether there are values only, without runs."""
    return all(part.facts is None for part in parts)


def _notes(parts: Sequence[Part]) -> list[str]:
    """Name the collections that have values only."""
    only = [part.name for part in parts if part.facts is None]
    if not only:
        return []
    if _values_only(parts):
        return ["values only: unjudged documents and depth are unknown"]
    return [f"values only of {', '.join(only)}: unjudged documents and depth are unknown there"]


def _grave(parts: Sequence[Part]) -> list[str]:
    """List what `irpref_lab.check` would find grave on each collection."""
    return [
        f"{part.name}: {line}"
        for part in parts
        if part.facts is not None
        for line in grave_lines(part.facts)
    ]


def of_collection_board(board: CollectionBoard, top: int | None = None) -> list[Table]:
    """Make a table for each measure."""
    tables = []
    for measure, part in board.groupby("measure", sort=False):
        shown = part.drop(columns=["measure", "group"])
        few = top is not None and top < len(shown)
        shown = shown.iloc[:top] if few else shown
        empty = [
            name
            for name in ("low", "high", "place_low", "place_high", "letters", "codes", "reason")
            if name in shown and not _says_something(shown[name])
        ]
        shown = shown.drop(columns=empty)
        table = of_frame(shown, rounded())
        table.title = board.sentences[measure, None] + "\n\n"
        table.notes = [f"the best {len(shown):,} of {len(part):,} systems"] * few
        table.notes.append("mean: of the collections' means; borda: rank by Borda's count")
        if "low" in shown:
            what = "topics of these collections" if board.over == "topics" else "collections"
            table.notes.append(f"low, high: {100 * board.level:g} % interval over {what}")
        if "place_low" in shown:
            also = "; systems that share a letter are not shown to differ"
            table.notes.append(
                "place_low, place_high: range of places consistent with the tests"
                + also * ("letters" in shown)
            )
        if "codes" in shown:
            table.notes.append("codes: why no other system is called better than this one")
        tables.append(table)
    tables[-1].notes += [f"test: {board.test}"] * bool(board.test) + board.notes
    return tables


# One pair, and all against one --------------------------------------------------------------------


class CollectionComparison(ResultFrame):
    """A comparison of two systems over several collections.

    Attributes
    ----------
    text : str
        One sentence for each measure, then the test in one line.
    test : str
    by_collection : DataFrame
        A row for each measure and collection: `measure`, `collection`, `topics`, a column for each
        system, `difference` (b - a).
    names : list of str
        The two systems.
    over : {'topics', 'collections'}
    level : float
    notes : list of str
    grave : list of str
        Findings that would mislead, as `irpref check` words them, by collection.
    """

    _metadata: ClassVar[list[str]] = [
        *("text", "test", "by_collection", "names", "over", "level", "notes", "grave")
    ]

    def _tables(self) -> Sequence[Table]:
        return of_collection_comparison(self)


@once_per_call
def compare_over(
    measures: Measures,
    given: Collections,
    a: str,
    b: str,
    *,
    over: str = "topics",
    level: float = 0.95,
    missing: float = MISSING,
) -> CollectionComparison:
    """Test whether system b is better than system a over several collections.

    Parameters
    ----------
    measures : measures of any toolkit, or their names
    given : Collections
    a, b : str
        Names of systems.
    over : {'topics', 'collections'}
        Of which the data are a sample.
    level : float in (0, 1)
    missing : float in [0, 1)
        Share of the topics of a collection that may be missing from a system.

    Returns
    -------
    CollectionComparison
        A row for each measure: `measure`, `mean_a`, `mean_b`, `difference` (b - a), `low`, `high`,
        `p`, `wins`, `losses`, `equal` (collections on which b is better, worse, the same),
        `collections`, `topics`, `verdict` as of `irpref_lab.compare`, and `codes`.

    Raises
    ------
    ValueError
        A system is unknown, or lacks a collection; errors of `leaderboard_over`.
    """
    names = [str(a), str(b)]
    for name, parameter in zip(names, "ab", strict=True):
        _check_known(given, [name], parameter)
    level = check_level(level)
    check_choice("over", over, OVER)
    chosen = measures_over(measures, given)
    parts = numbers.gathered_parts(chosen, given, names)
    for name, why in numbers.left_out(given, parts).items():
        if name in names:
            raise AbsentRunError(why, run=name)
    rows, text, collected = [], [], []
    for measure in chosen:
        of = numbers.strata_of(parts, measure, names)
        grounds = _grounds(given, parts, measure, names, missing)
        rows.append(_row(of, over, level, grounds))
        text.append(_heading(parts) + _sentence(of, rows[-1], over, level, grounds))
        collected.append(_by_collection(of))
    table = CollectionComparison(rows)
    table.test = described(of, over, 1, level)
    table.text = "\n".join([*text, f"test: {table.test}"])
    table.by_collection = pd.concat(collected, ignore_index=True)
    table.names, table.over, table.level, table.notes = names, over, level, _notes(parts)
    table.grave = _grave(parts)
    return table.made()


def _check_known(given: Collections, systems: Sequence[str], parameter: str) -> None:
    """Refuse names that are in no collection."""
    for name in systems:
        if name not in given.systems:
            raise ArgumentError(
                f"no collection has a system {name!r} (there are: {', '.join(given.systems[:5])})",
                parameter=parameter,
                value=name,
            )


def _grounds(
    given: Collections, parts: Sequence[Part], measure: Measure, names: list[str], missing: float
) -> list[Ground]:
    """Find reasons against a claim on any collection."""
    grounds = []
    for part in parts:
        table = part.tables[str(measure)].select(names)
        means = table.means.tolist()
        baseline = int((means[0] < means[1]) != table.higher_is_better)
        facts = _facts(given, part, measure, names)
        for ground in facts.against("claim", measure, baseline, facts.everything, missing):
            if ground.code != "few-topics":  # the sentence says how many there are
                grounds.append(Ground(ground.code, f"{part.name}: {ground.text}"))
    return grounds


def _facts(given: Collections, part: Part, measure: Measure, names: list[str]) -> Evidence:
    """Return the evidence of some systems on a collection."""
    if part.facts is None:
        return facts_of(given.parts[part.name], [measure], names)
    by_name = {system.name: system for system in part.facts.systems}
    return replace(part.facts, systems=[by_name[name] for name in names])


def _differences(of: Strata) -> list[Any]:
    """Subtract the first system from the second by topic of each collection, (n_k,) each."""
    parts = strata.differences(of.values, np.array([1]), np.array([0]))
    return [part[0] for part in parts]


def _row(of: Strata, over: str, level: float, grounds: Sequence[Ground]) -> dict[str, Any]:
    """Return the numbers of a comparison, and the verdict."""
    numbers.check_topics(of, over)
    difference = _differences(of)
    by_mean = strata.stratum_means(difference)
    low = high = p = np.nan
    if not grounds:
        low, high = map(float, strata.intervals(difference, level, over))
        p = float(strata.p_values(difference, over))
    means = of.by_mean.means.tolist()
    sign = 1 if of.higher_is_better else -1
    mean = float(strata.METHODS[over](difference)[0])
    verdict = UNKNOWN
    if not grounds and not np.isnan(p):
        verdict = EQUAL
        if significant(p, level) and mean:
            verdict = "b better" if sign * mean > 0 else "a better"
    return {
        "measure": of.measure,
        "mean_a": means[0],
        "mean_b": means[1],
        "difference": mean,
        "low": low,
        "high": high,
        "p": p,
        "wins": int((sign * by_mean > 0).sum()),
        "losses": int((sign * by_mean < 0).sum()),
        "equal": int((by_mean == 0).sum()),
        "collections": len(of.names),
        "topics": of.n_topics,
        "verdict": verdict,
        "codes": ", ".join(dict.fromkeys(ground.code for ground in grounds)),
    }


def _sentence(
    of: Strata,
    row: dict[str, Any],
    over: str,
    level: float,
    grounds: Sequence[Ground],
) -> str:
    """State the verdict in a sentence, and on how many collections it holds."""
    head = where(of.measure, None, of.higher_is_better)
    first, second = of.systems
    a, b = f"{first} ({row['mean_a']:.4f})", f"{second} ({row['mean_b']:.4f})"
    k = row["collections"]
    if row["verdict"] == UNKNOWN:
        reason = _reason(grounds, row)
        return f"{head}: {a} and {b}, means of {k} collections: cannot tell, {reason}."
    verdicts = {"b better": f"{b} is better than {a}", "a better": f"{b} is worse than {a}"}
    text = verdicts.get(row["verdict"], f"{b} and {a} are {EQUAL}")
    text = f"{head}: {text}: {row['difference']:+.4f} ({100 * level:.4g} % interval "
    text += f"{row['low']:+.4f} to {row['high']:+.4f}, {p_equals(row['p'])}, "
    text += f"{says_of(over, k, row['topics'])}). "
    return f"{text}{second} is better on {row['wins']} and worse on {row['losses']} of them."


def _reason(grounds: Sequence[Ground], row: Mapping[str, Any]) -> str:
    """Return why there is no verdict."""
    reason = "; ".join(ground.text for ground in grounds)
    return reason or f"{row['collections']} collections are too few to be a sample"


def _by_collection(of: Strata) -> pd.DataFrame:
    """Return a row for each collection."""
    means = of.by_mean.values
    return pd.DataFrame(
        {
            "measure": of.measure,
            "collection": list(of.names),
            "topics": [part.shape[1] for part in of.values],
            **dict(zip(of.systems, means, strict=True)),
            "difference": strata.stratum_means(_differences(of)),
        }
    )


class CollectionDifferences(ResultFrame):
    """Systems compared with a baseline over several collections.

    Attributes
    ----------
    text : str
        Which systems are better or worse than the baseline: a line for each measure.
    sentences : dict of (measure, None) to str
        The same, line by line.
    baseline : str
    left_out : dict of system to str
        Systems that lack a collection, with the reason.
    over : {'topics', 'collections'}
    level : float
    test : str
        Test, sample and family in one line.
    notes : list of str
    grave : list of str
        Findings that would mislead, as `irpref check` words them, by collection.
    """

    _metadata: ClassVar[list[str]] = [
        *("text", "sentences", "baseline", "left_out", "over", "level", "test", "notes", "grave")
    ]

    def _tables(self) -> Sequence[Table]:
        return of_collections_against(self)


@once_per_call
def against_over(
    measures: Measures,
    given: Collections,
    baseline: str,
    systems: Sequence[str] | None = None,
    *,
    over: str = "topics",
    level: float = 0.95,
    missing: float = MISSING,
) -> CollectionDifferences:
    """Compare all systems with one over several collections, adjusted after Holm.

    Parameters
    ----------
    measures, given, over, level, missing : see `compare_over`
    baseline : str
        Name of a system.
    systems : sequence of str, optional
        The others; all systems if not given.

    Returns
    -------
    CollectionDifferences
        The rows of `compare_over` for each other system, with `run` first (`a` is the baseline,
        `b` the run) and `p_adjusted`; the verdict is by `p_adjusted`. A system that lacks a
        collection has no row.
    """
    level = check_level(level)
    check_choice("over", over, OVER)
    _check_known(given, [baseline], "baseline")
    _check_known(given, systems or (), "runs")
    chosen = measures_over(measures, given)
    wanted = given.systems if systems is None else (baseline, *systems)
    parts = numbers.gathered_parts(chosen, given, wanted)
    out = {name: why for name, why in numbers.left_out(given, parts).items() if name in wanted}
    if baseline in out:
        raise AbsentRunError(out[baseline], run=baseline)
    others = [name for name in dict.fromkeys(wanted) if name not in out and name != baseline]
    if not others:
        raise AbsentRunError(f"no system is left to compare with {baseline}")
    rows, why = [], dict[tuple[str, str], str]()
    for measure in chosen:
        for name in others:
            names = [baseline, name]
            grounds = _grounds(given, parts, measure, names, missing)
            of = numbers.strata_of(parts, measure, names)
            rows.append({"run": name} | _row(of, over, level, grounds))
            why[str(measure), name] = _reason(grounds, rows[-1])
    table = CollectionDifferences(rows)
    table["p_adjusted"] = table.groupby("measure")["p"].transform(lambda p: holm(p.to_numpy()))
    lost = table["verdict"].isin(["a better", "b better"]) & ~significant(
        table["p_adjusted"], level
    )
    table.loc[lost, "verdict"] = EQUAL
    table.sentences = {
        (measure, None): _heading(parts) + _against(of_measure, baseline, list(out), why)
        for measure, of_measure in table.groupby("measure", sort=False)
    }
    table.text = "\n".join(table.sentences.values())
    of = numbers.strata_of(parts, chosen[0], [baseline, *others])
    table.test = described(of, over, len(others), level, baseline)
    table.baseline, table.left_out, table.over, table.level = baseline, out, over, level
    table.notes = [*(f"{name} is left out: {why}" for name, why in out.items()), *_notes(parts)]
    table.grave = _grave(parts)
    return table.made()


def _against(
    rows: pd.DataFrame, baseline: str, out: Sequence[str], why: Mapping[tuple[str, str], str]
) -> str:
    """Say which systems are better or worse than the baseline by a measure."""
    first = rows.iloc[0]
    measure, higher = first["measure"], higher_is_better(first["measure"])
    kinds = {"b better": "better", "a better": "worse", EQUAL: "equal", UNKNOWN: "unknown"}
    means = {baseline: first["mean_a"]} | dict(zip(rows["run"], rows["mean_b"], strict=True))
    size = f"{first['collections']} collections, {n_topics(int(first['topics']))}"
    best_first = rows.sort_values("difference", ascending=not higher, kind="stable")
    runs = {
        row["run"]: Standing(row["difference"], kinds[row["verdict"]], why[measure, row["run"]])
        for row in best_first.to_dict("records")
    }
    return against_one(Field(where(measure, None, higher), size, means, out), baseline, runs)


def of_collections_against(table: CollectionDifferences) -> list[Table]:
    """Make a table of `against_over` for each measure."""
    baseline = table.baseline
    heads = {"mean_b": "mean"}
    shows = {"p": p_value, "p_adjusted": p_value}
    columns = [
        *("run", "mean_b", "difference", "low", "high", "p", "p_adjusted"),
        *("wins", "losses", "equal", "codes"),
    ]
    tables = []
    for measure, part in table.groupby("measure", sort=False):
        shown = part[columns]
        empty = [name for name in ("low", "high", "codes") if not _says_something(shown[name])]
        made = of_frame(shown.drop(columns=empty), rounded(), heads, shows)
        made.title = table.sentences[measure, None] + "\n\n"
        tables.append(made)
    tables[-1].notes = [
        f"mean: of the collections' means; difference: run minus {visible(baseline)}; low, high: "
        f"its {100 * table.level:g} % interval",
        "wins, losses, equal: collections on which the run is better, worse or the same",
        f"test: {table.test}",
        *table.notes,
    ]
    return tables


def _says_something(column: pd.Series) -> bool:
    return bool((column.notna() & (column.astype(str) != "")).any())


def of_collection_comparison(comparison: CollectionComparison) -> list[Table]:
    """Make the sentences, then a table of the measures, and one of the collections."""
    a, b = map(visible, comparison.names)
    four, gap = rounded(), rounded(4, "+")
    columns = {
        "measure": Column("measure", left=True),
        "mean_a": Column(a, four),
        "mean_b": Column(b, four),
        "difference": Column("difference", gap),
        "low": Column("low", gap),
        "high": Column("high", gap),
        "p": Column("p", p_value),
        "wins": Column("wins"),
        "losses": Column("losses"),
        "equal": Column("equal"),
    }
    *sentences, test = comparison.text.splitlines()
    rows = comparison[list(columns)].to_numpy().tolist()
    notes = [
        f"difference: {b} minus {a}; low, high: its {100 * comparison.level:g} % interval",
        f"wins, losses, equal: collections on which {b} is better, worse or the same",
        test,
        *comparison.notes,
    ]
    return [Table(list(columns.values()), rows, "\n".join([*sentences, "", ""]), notes)]
