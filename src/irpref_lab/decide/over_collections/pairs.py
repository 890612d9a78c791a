"""`compare` and `against` over several collections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from irpref.errors import AbsentRunError
from irpref.measures.declare import Measures
from irpref.messages import check_choice, once_per_call
from irpref.observed import MISSING, Ground
from irpref.values import higher_is_better
from irpref_lab.across import Collections, strata
from irpref_lab.arguments import LEVEL, OVER, check_level, check_names
from irpref_lab.decide.all_pairs import EQUAL, PAIRS, UNKNOWN, named_verdict, significant
from irpref_lab.decide.first_lines import (
    Field,
    Standing,
    against_one,
    n_topics,
    where,
)
from irpref_lab.decide.over_collections import numbers
from irpref_lab.decide.over_collections.claims import Claims, claims_of
from irpref_lab.decide.over_collections.numbers import METHODS, Strata, described
from irpref_lab.decide.over_collections.parts import (
    check_known,
    gathered_parts,
    grave_of,
    heading,
    left_out,
    measures_over,
    notes_of,
)
from irpref_lab.decide.results.collections import (
    CollectionComparison,
    CollectionDifferences,
)
from irpref_lab.messages import p_equals
from irpref_lab.trust.t_tests import holm

_OF_COLLECTIONS = ("measure", "collection", "topics", "difference")  # columns of `by_collection`


def sample_in_words(over: str, k: int, n: int) -> str:
    """Name the sample behind an interval."""
    if over == "topics":
        return f"{k} collections, {n:,} topics; these collections, other topics"
    return f"{k} collections, a sample of others"


@once_per_call
def compare_over(
    measures: Measures,
    given: Collections,
    a: str,
    b: str,
    *,
    over: str = "topics",
    level: float = LEVEL,
    missing: float = MISSING,
    names: Sequence[str] | None = None,
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
    level : float in (0.5, 1)
    missing : float in [0, 1)
        Share of the topics of a collection that may be missing from a system.
    names : two different str, optional
        Names of the systems in the text; by default `a` and `b` as they are given.

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
    systems = [str(a), str(b)]
    for name, parameter in zip(systems, "ab", strict=True):
        check_known(given, [name], parameter)
    if names is not None:
        check_names(names, _OF_COLLECTIONS)
    called = systems if names is None else list(names)
    level = check_level(level)
    check_choice("over", over, OVER)
    chosen = measures_over(measures, given)
    parts = gathered_parts(chosen, given, systems, keep=True)
    for name, why in left_out(given, parts).items():
        if name in systems:
            raise AbsentRunError(why, run=name)
    rows, text, collected, scales = [], [], [], list[str]()
    for measure in chosen:
        of = numbers.strata_of(parts, measure, systems)
        claims = claims_of(parts, measure, of, missing, called)
        of = of.named(called)
        numbers.check_sizes(of, over)
        grounds = _grounds(claims, of, over, level)
        rows.append(_row(of, over, level, grounds))
        text.append(heading(parts) + _sentence(of, rows[-1], over, level, grounds))
        collected.append(_by_collection(of))
        scales += numbers.decided_by_scale(of)
    table = CollectionComparison(rows)
    table.test = described(of, over, 1, level)
    table.text = "\n".join([*text, f"test: {table.test}"])
    table.by_collection = pd.concat(collected, ignore_index=True)
    table.names, table.over, table.level = called, over, level
    table.notes = [*scales, *notes_of(parts)]
    table.grave = grave_of(parts)
    return table.made()


def _differences(of: Strata) -> list[Any]:
    """Subtract the first system from the second by topic of each collection, (n_k,) each."""
    parts = strata.differences(of.values, np.array([1]), np.array([0]))
    return [part[0] for part in parts]


def _grounds(claims: Claims, of: Strata, over: str, level: float) -> list[Ground]:
    """Return all reasons against the claim that one of two systems is better."""
    first, second = of.systems
    found, ties = claims.between(first, second), claims.over_ties(of)
    if ties is not None:
        now, then = (
            named_verdict(_decide(one, over, level), of.systems) for one in (of, ties.values)
        )
        found += [] if now == then else [ties.ground(first, second, now, then)]
    return found


def _decide(of: Strata, over: str, level: float) -> str:
    """Return the verdict on two systems if nothing rules it out."""
    difference = _differences(of)
    p, mean = float(strata.p_values(difference, over)), float(strata.METHODS[over](difference)[0])
    if np.isnan(p):
        return UNKNOWN
    low, high = numbers.interval_of(difference, of.measure, over, level)
    if not significant(p, level) or not mean or low <= 0 <= high:
        return EQUAL
    return "b better" if (mean > 0) == of.higher_is_better else "a better"


def _row(of: Strata, over: str, level: float, grounds: Sequence[Ground]) -> dict[str, Any]:
    """Return the numbers of a comparison, and the verdict."""
    difference = _differences(of)
    by_mean = strata.stratum_means(difference)
    low = high = p = np.nan
    if not grounds:
        low, high = numbers.interval_of(difference, of.measure, over, level)
        p = float(strata.p_values(difference, over))
    means = of.by_mean.means.tolist()
    sign = 1 if of.higher_is_better else -1
    mean = float(strata.METHODS[over](difference)[0])
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
        "verdict": UNKNOWN if grounds else _decide(of, over, level),
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
    text += f"{sample_in_words(over, k, row['topics'])}). "
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


@once_per_call
def against_over(
    measures: Measures,
    given: Collections,
    baseline: str,
    systems: Sequence[str] | None = None,
    *,
    over: str = "topics",
    pairs: str = PAIRS,
    level: float = LEVEL,
    missing: float = MISSING,
) -> CollectionDifferences:
    """Compare all systems with one over several collections.

    Parameters
    ----------
    measures, given, over, level, missing : see `compare_over`
    baseline : str
        Name of a system.
    systems : sequence of str, optional
        The others; all systems if not given.
    pairs : {'holm', 'none'}
        Whether the pairs with the baseline are tested.

    Returns
    -------
    CollectionDifferences
        The rows of `compare_over` for each other system, with `run` first (`a` is the baseline,
        `b` the run) and `p_adjusted`; the verdict is by `p_adjusted`. Without tests both are
        missing, but for verdicts that cannot be told. A system that lacks a collection has no row.
    """
    level = check_level(level)
    check_choice("over", over, OVER)
    check_choice("pairs", pairs, METHODS)
    check_known(given, [baseline], "baseline")
    check_known(given, systems or (), "runs")
    chosen = measures_over(measures, given)
    wanted = given.systems if systems is None else (baseline, *systems)
    parts = gathered_parts(chosen, given, wanted, keep=True)
    out = {name: why for name, why in left_out(given, parts).items() if name in wanted}
    if baseline in out:
        raise AbsentRunError(out[baseline], run=baseline)
    others = [name for name in dict.fromkeys(wanted) if name not in out and name != baseline]
    if not others:
        raise AbsentRunError(f"no system is left to compare with {baseline}")
    rows, why, scales = [], dict[tuple[str, str], str](), list[str]()
    for measure in chosen:
        every = numbers.strata_of(parts, measure, [baseline, *others])
        numbers.check_sizes(every, over)
        claims = claims_of(parts, measure, every, missing)
        of_measure = []
        for name in others:
            grounds = claims.between(baseline, name)
            row = _row(every.select([baseline, name]), over, level, grounds)
            of_measure.append({"run": name} | row)
            why[str(measure), name] = _reason(grounds, row)
        if pairs != "none":
            for name, ground in _adjusted(of_measure, every, over, level, claims).items():
                why[str(measure), name] = ground.text
        rows += of_measure
        scales += numbers.decided_by_scale(every)
    table = CollectionDifferences(rows)
    if pairs == "none":
        table["p_adjusted"] = np.nan
        table.loc[table["codes"] == "", "verdict"] = None
    table.sentences = {
        (measure, None): heading(parts) + _against(of_measure, baseline, list(out), why)
        for measure, of_measure in table.groupby("measure", sort=False)
    }
    table.text = "\n".join(table.sentences.values())
    table.test = ""
    if pairs != "none":
        table.test = described(every, over, len(others), level, baseline)
    table.baseline, table.left_out, table.over, table.level = baseline, out, over, level
    table.notes = [
        *(f"{name} is left out: {why}" for name, why in out.items()),
        *scales,
        *notes_of(parts),
    ]
    table.grave = grave_of(parts)
    return table.made()


def _adjusted(
    rows: Sequence[dict[str, Any]], every: Strata, over: str, level: float, claims: Claims
) -> dict[str, Ground]:
    """Adjust the p-values of rows after Holm, and their verdicts. Return the reason for each system
    about which tied documents decide.
    """
    p = np.array([row["p"] for row in rows])
    second = np.arange(1, len(rows) + 1)
    first, ties = np.zeros_like(second), claims.over_ties(every)
    by_ties = numbers.decided_by_ties(every, over, level, first, second, p, ties)
    baseline, *others = every.systems
    of_system = {
        name: by_ties[frozenset((baseline, name))]
        for name in others
        if frozenset((baseline, name)) in by_ties
    }
    for row, adjusted in zip(rows, holm(p).tolist(), strict=True):
        row["p_adjusted"] = adjusted
        if row["run"] in of_system:
            nothing = dict.fromkeys(("low", "high", "p", "p_adjusted"), np.nan)
            row |= {"verdict": UNKNOWN, "codes": of_system[row["run"]].code, **nothing}
        elif row["verdict"] != UNKNOWN and not significant(adjusted, level):
            row["verdict"] = EQUAL
    return of_system


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
    sign = 1 if higher else -1
    runs = {
        row["run"]: Standing(
            row["difference"],
            kinds.get(row["verdict"], "ahead" if sign * row["difference"] > 0 else "behind"),
            why[measure, row["run"]],
        )
        for row in best_first.to_dict("records")
    }
    return against_one(Field(where(measure, None, higher), size, means, out), baseline, runs)
