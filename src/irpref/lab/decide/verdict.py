"""Is B better than A? `compare` answers it with an interval and a sentence; `gate` decides whether
a change may ship.

    compare   the sign-flip test of the mean difference, and the interval of all differences that it does not reject:
              it holds 0 if and only if the runs are not shown to differ. See
              `irpref.lab.decide.sign_flips`
    gate      one-sided bounds of the mean difference by the paired t distribution,
              d -+ t(q; n - 1) s / sqrt(n), n topics, s the standard deviation of the differences by
              topic, q = level
              for the lower bound and 1 - (1 - level) / k for the upper bound of each of k measures:
              pass          the lower bound is above -margin for every measure
              block         else, if for any measure the upper bound is below 0 and half the p of `compare` (for a
                            one-sided test) is at most 0.85 (1 - level) / k
              inconclusive  else

A pass needs every measure, so each lower bound uses the whole level; a block needs only one, so the
measures share it. If a change has no effect but to swap the two values of a topic at random, the
sign-flip test is exact, and fewer than 1 - level of such changes are blocked, with any measure and
any number of topics. With skewed differences both tests exceed their level, mostly by less than an
eighth; 0.85 makes up for that. See docs/significance.md.

Topics are seen as a sample of those that the system will serve. A topic that a run does not answer
has the value of an empty list, as everywhere."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy import special

from irpref.data.columns import as_list
from irpref.data.run_names import named_runs
from irpref.judged.fingerprint import hash_of_pool
from irpref.judged.groups import groups_of
from irpref.judged.inputs import as_table, opened
from irpref.judged.kept import kept_pool
from irpref.judged.order import Alignment
from irpref.judged.types import Groups, Qrels, Run
from irpref.kernel.segments import Floats
from irpref.lab.decide.all_pairs import described, significant
from irpref.lab.decide.board import FURTHER
from irpref.lab.decide.sign_flips import N_PERMUTATIONS, interval, stepdown
from irpref.lab.judges.filling import with_judge
from irpref.lab.trust.design import residual_variance, topics_needed
from irpref.lab.trust.frames import ResultFrame
from irpref.lab.trust.holes import pair_intervals
from irpref.lab.trust.samples import Rng, fixed_seed
from irpref.lab.trust.topics import check_level
from irpref.measures.declare import Measures
from irpref.measures.names import parse_all
from irpref.messages import p_equals
from irpref.values.matrix import TopicValues, evaluated
from irpref.values.means import magnitude, settled

MOST_TOPICS = (
    1000  # with more topics we do not ask whether judging further documents could change a verdict
)
# share of the level that a block may use: with skewed differences the tests exceed their level
RESERVE = 0.85
POWER = 0.8  # chance behind "this many topics would show a difference"


class Comparison(ResultFrame):
    """What `compare` returns.

    Attributes
    ----------
    text : str
        One sentence for each measure, then the test in one line.
    test : str
        Test, family, level and permutations.
    by_topic : DataFrame
        A row for each measure and topic, the largest difference first: `measure`, `group` (if there
        are groups), `query_id`, `a`, `b`, `difference` (b - a).
    """

    _metadata: ClassVar[list[str]] = ["text", "test", "by_topic"]


def compare(
    measures: Measures,
    qrels: Qrels,
    a: Run,
    b: Run,
    *,
    level: float = 0.95,
    margin: float | None = None,
    groups: Groups | None = None,
    rng: Rng | None = None,
    float32: bool = False,
    ties: str = "id",
    judge: Qrels | Sequence[Any] | None = None,
    names: Sequence[str] | None = None,
) -> Comparison:
    """Is run b better than run a? Test the mean difference, and answer with an interval and a
    sentence.

    Parameters
    ----------
    measures : measures of any toolkit, or their names
    qrels : in any form that `irpref.evaluator` takes
    a, b : runs in any form that `irpref.evaluator` takes
    level : float in (0, 1)
        Confidence level of the interval; 1 - level is the level of the test.
    margin : float of at least 0, optional
        The smallest difference that matters to you: the text tells you if differences of this size
        are ruled out.
    groups : mapping of topic to group, path of a file, or name of a column of the qrels, optional
        A comparison for each group of topics, with a column `group`.
    rng : seed or numpy Generator, optional
        Random numbers of the sign flips. By default seed 0, so that p is that of
        `irpref.lab.leaderboard`.
    float32, ties : see `irpref.evaluator`
    judge : qrels of a judge, or several as a list, optional
        Grades for documents that no human judged, see `irpref.lab.fill`.
    names : two different str, optional
        Names of the runs in the text. By default paths are named as `irpref eval` names them, other
        runs `a` and `b`.

    Returns
    -------
    Comparison
        A DataFrame with a row for each measure: `measure`, `mean_a`, `mean_b`, `difference` (b -
        a), `low`, `high` (interval of the difference), `p`, `effect_size` (difference over the
        residual standard deviation of the two runs), `wins`, `losses`, `equal` (topics on which b
        is better, worse, the same), `topics`, `verdict`: `'b better'`, `'a better'` or `'not shown
        to differ'`, in the direction of the measure. `text` has the sentences.

    Raises
    ------
    ValueError
        A level or margin that is not accepted, no measure, a topic without a group; what the
        evaluator raises.

    Examples
    --------
    >>> from irpref.datasets import load
    >>> made = load("synthetic")
    >>> found = compare(["AP"], made.qrels, made.runs["noisy"], made.runs["baseline"])
    >>> print(found.text.splitlines()[0])
    AP: b (0.5177) is better than a (0.3443) by 0.1734 (95 % interval 0.0737 to 0.2744, p = 0.0014,
    30 topics).
    """
    level = check_level(level)
    if margin is not None:
        _check_margin(margin)
    measures = parse_all(measures)
    names = _names(a, b) if names is None else list(names)
    qrels = opened(
        with_judge(qrels, judge), "relevance", preferences=True
    )  # read again for the groups
    runs, seed = dict(zip(names, (a, b), strict=True)), fixed_seed(rng)
    rows, text, topics = [], [], []
    for whole in evaluated(measures, qrels, runs, Alignment(ties, float32)):
        parts = []
        for group, inside in groups_of(groups, qrels, whole.topics).items():
            of = whole.on(inside)
            about = {"measure": of.measure, **({} if group is None else {"group": group})}
            rows.append({**about, **_compared(of, level, seed)})
            text.append(_sentence(rows[-1], of, names, level, margin))
            values = {
                "query_id": of.topics,
                "a": of.values[0],
                "b": of.values[1],
                "difference": _differences(of),
            }
            parts.append(pd.DataFrame({**about, **values}))
        topics.append(pd.concat(parts).sort_values("difference", ascending=False, kind="stable"))
    table = Comparison(rows)
    table.by_topic = pd.concat(topics, ignore_index=True)
    n_topics = int(table["topics"].iloc[0]) if groups is None else None
    table.test = described("stepdown", 2, n_topics, level, N_PERMUTATIONS)
    table.text = "\n".join([*text, f"test: {table.test}"])
    return table


def _names(*runs: Any) -> list[str]:
    """Names of two runs: for two different paths, as in `irpref eval`."""
    try:
        names = list(named_runs(list(runs)))
    except TypeError:
        names = []
    return names if len(names) == 2 else ["a", "b"]


def _check_margin(margin: Any) -> None:
    if not (isinstance(margin, (int, float)) and 0 <= margin < math.inf):
        raise ValueError(
            f"margin={margin!r} is not accepted, expected a difference of at least 0, such as 0.02"
        )


def _differences(of: TopicValues) -> Floats:
    """Second run minus first run by topic, with rounding errors set to 0."""
    return settled(of.values[1] - of.values[0], magnitude(of.values).max(keepdims=True))


def _gains(of: TopicValues) -> tuple[Floats, float]:
    """Gain of the second run by topic, positive if it is better, and the mean; rounding errors are
    set to 0.
    """
    gain = _differences(of) if of.higher_is_better else -_differences(of)
    return gain, float(settled(gain.mean(), magnitude(of.values).max()))


def _compared(of: TopicValues, level: float, seed: int | None) -> dict[str, Any]:
    gain, mean = _gains(of)
    sign = 1.0 if of.higher_is_better else -1.0
    low, high = interval(sign * gain, level, rng=seed)
    p = float(stepdown(gain[None], rng=seed)[0][0])
    variance = residual_variance(of.values) if gain.size > 1 else 0.0
    effect = mean / math.sqrt(variance) if variance else 0.0 if mean == 0 else math.nan
    differs = mean != 0 and bool(significant(p, level))
    return {
        "mean_a": float(of.means[0]),
        "mean_b": float(of.means[1]),
        "difference": sign * mean * of.scale + 0.0,
        "low": low * of.scale,
        "high": high * of.scale,
        "p": p,
        "effect_size": sign * effect + 0.0,
        "wins": int((gain > 0).sum()),
        "losses": int((gain < 0).sum()),
        "equal": int((gain == 0).sum()),
        "topics": gain.size,
        "verdict": "not shown to differ" if not differs else "b better" if mean > 0 else "a better",
    }


def _sentence(
    row: Mapping[str, Any],
    of: TopicValues,
    names: Sequence[str],
    level: float,
    margin: float | None,
) -> str:
    said = of.measure + ("" if of.higher_is_better else " (lower is better)")
    said += f", {row['group']}" if "group" in row else ""
    a, b = f"{names[0]} ({row['mean_a']:.4f})", f"{names[1]} ({row['mean_b']:.4f})"
    low, high, n = row["low"], row["high"], row["topics"]
    differs = row["verdict"] != "not shown to differ"
    if differs:
        better, worse = (b, a) if row["verdict"] == "b better" else (a, b)
        low, high = sorted((abs(low), abs(high)))
        text = f"{said}: {better} is better than {worse} by {abs(row['difference']):.4f}"
    else:
        text = f"{said}: {a} and {b} are not shown to differ: {names[1]} scores {_gap(row['difference'])}"
    interval = f"{100 * level:.4g} % interval {low:.4f} to {high:.4f}"
    if not math.isfinite(high):
        interval = "too few topics for an interval"
    text += f" ({interval}, {p_equals(row['p'])}, {n:,} topic{'s' * (n != 1)})."
    variance = residual_variance(of.values) if n > 1 and not differs else 0.0
    if needed := _needed(abs(row["difference"]) / of.scale, variance, level):
        text += f" About {_about(needed):,} topics would show a difference of this size."
    if margin is not None:
        ruled_out = -margin < row["low"] and row["high"] < margin
        text += f" A difference of {margin:g} or more is {'' if ruled_out else 'not '}ruled out."
    return text


def _gap(difference: float) -> str:
    """A difference in words."""
    return (
        "the same"
        if difference == 0
        else f"{abs(difference):.4f} {'higher' if difference > 0 else 'lower'}"
    )


def _needed(difference: float, variance: float, level: float, method: str = "t") -> int | None:
    """Number of topics that would show such a difference in 4 of 5 experiments; None if there is
    none.
    """
    try:
        return topics_needed(difference, variance, method=method, level=level, power=POWER)
    except ValueError:  # no difference, nothing varies, or more than 10^9 topics
        return None


def _about(n: int) -> int:
    """The number rounded up to two significant digits."""
    unit: int = 10 ** max(len(str(n)) - 2, 0)
    return -(-n // unit) * unit


class Gate(ResultFrame):
    """What `gate` returns.

    Attributes
    ----------
    verdict : {'pass', 'block', 'inconclusive'}
    text : str
        The verdict in one line.
    qrels : str
        Hash of the judgments: the same for the same judgments in any order and form.
    """

    _metadata: ClassVar[list[str]] = ["verdict", "text", "qrels"]


def gate(
    measures: Measures,
    qrels: Qrels,
    baseline: Run,
    candidate: Run,
    *,
    margin: float = 0.02,
    level: float = 0.95,
    float32: bool = False,
    ties: str = "id",
    judge: Qrels | Sequence[Any] | None = None,
) -> Gate:
    """May this change ship? Decide whether it passes, is blocked, or needs more topics.

    Parameters
    ----------
    measures : measures of any toolkit, or their names
    qrels : in any form that `irpref.evaluator` takes
    baseline, candidate : runs in any form that `irpref.evaluator` takes
    margin : float of at least 0
        The largest loss of the mean that you tolerate.
    level : float in (0, 1)
        Confidence level of the one-sided bounds. For a block, k measures share the level, (1 -
        level) / k each, so that the chance of a false block does not grow with k.
    float32, ties : see `irpref.evaluator`
    judge : qrels of a judge, or several as a list, optional
        Grades for documents that no human judged, see `irpref.lab.fill`.

    Returns
    -------
    Gate
        A DataFrame with a row for each measure: `measure`, `baseline`, `candidate` (means),
        `difference`, `low`, `high` (candidate minus baseline and its bounds, with the sign changed
        if lower is better: a loss is negative), `p` (as in `compare`), `worse` (whether the
        candidate is shown to be worse by this measure), `verdict` (of this measure alone),
        `topics`, `topics_needed` (how many would decide in 4 of 5 experiments if the difference is
        as observed; missing if it is decided), `missing_baseline`, `missing_candidate` (topics
        without documents), `unjudged_baseline`, `unjudged_candidate` (share of unjudged documents
        in the first ten), `could_turn` (whether judging unjudged documents could change the verdict
        of this measure; missing if unknown).

    Raises
    ------
    ValueError
        A margin or level that is not accepted, fewer than two topics, no measure, no relevant
        document; what the evaluator raises.

    Examples
    --------
    >>> from irpref.datasets import load
    >>> made = load("synthetic")
    >>> found = gate(["AP"], made.qrels, made.runs["strong"], made.runs["broad"])
    >>> found.verdict, found.text
    ('block', 'blocked: AP fell by 0.093 (0.022 to 0.165 at 95 %), 30 queries')
    """
    level = check_level(level)
    _check_margin(margin)
    chosen = list(dict.fromkeys(parse_all(measures)))
    if not chosen:
        raise ValueError("a gate needs at least one measure")
    baseline, candidate = opened(baseline, "score"), opened(candidate, "score")
    runs = {"baseline": baseline, "candidate": candidate}
    qrels = opened(with_judge(qrels, judge), "relevance", preferences=True)
    found = {
        of.measure: of
        for of in evaluated([*chosen, *FURTHER], qrels, runs, Alignment(ties, float32))
    }
    n_topics = len(found["NumQ"].topics)
    if n_topics < 2:
        raise ValueError(f"a gate needs at least 2 topics, got {n_topics}")
    pool = kept_pool(qrels, preferences=True)
    if not (pool.grade > 0).any():
        raise ValueError("a gate needs relevant documents, and no grade is above 0")
    missing, unjudged = (
        (found["NumQ"].values == 0).sum(axis=1).tolist(),
        (1 - found["Judged@10"].means).tolist(),
    )
    facts = {f"missing_{name}": number for name, number in zip(runs, missing, strict=True)}
    facts |= {f"unjudged_{name}": share for name, share in zip(runs, unjudged, strict=True)}
    asked = n_topics <= MOST_TOPICS  # whether judging further documents could change a verdict
    same = asked and _rows(baseline) == _rows(candidate)
    rows: list[dict[str, Any]] = []
    for measure in chosen:
        of = found[str(measure)]
        row = _bounds(of, margin, level, len(chosen)) | facts
        row["could_turn"] = (
            False if same else _could_turn(row, of, qrels, runs, margin) if asked else None
        )
        rows.append(row)
    table = Gate(rows).astype({"topics_needed": "Int64", "could_turn": "boolean"})
    table.qrels = hash_of_pool(pool)
    if all(row["verdict"] == "pass" for row in rows):
        table.verdict = "pass"
    else:
        table.verdict = "block" if any(row["worse"] for row in rows) else "inconclusive"
    table.text = _summary(table, rows, level, margin)
    return table


def _verdict(low: float, worse: bool, margin: float) -> str:
    """The verdict of one measure."""
    return "pass" if low > -margin else "block" if worse else "inconclusive"


def _bounds(of: TopicValues, margin: float, level: float, n_measures: int) -> dict[str, Any]:
    n = len(of.topics)
    gain, mean = _gains(of)
    spread = 0.0 if np.ptp(gain) == 0 else float(gain.std(ddof=1))
    error = spread / math.sqrt(n)
    low = mean - float(special.stdtrit(n - 1, level)) * error
    high = mean + float(special.stdtrit(n - 1, 1 - (1 - level) / n_measures)) * error
    row: dict[str, Any] = {
        "measure": of.measure,
        "baseline": float(of.means[0]),
        "candidate": float(of.means[1]),
        "difference": mean * of.scale + 0.0,
        "low": low * of.scale + 0.0,
        "high": high * of.scale + 0.0,
    }
    # Half the p, since only a loss counts; times the number of measures, since they share the
    # level.
    row["p"] = float(stepdown(gain[None])[0][0])
    row["worse"] = row["high"] < 0 and bool(significant(row["p"] / 2 * n_measures / RESERVE, level))
    row["verdict"] = _verdict(row["low"], row["worse"], margin)
    needed = None
    if row["verdict"] == "inconclusive":
        distance = max(
            mean + margin / of.scale, -mean
        )  # from the threshold of the verdict that is easier to reach
        needed = _needed(distance, spread**2 / 2, level, "t_one_sided")
    return row | {"topics": n, "topics_needed": needed and max(needed, n + 1)}


def _rows(run: Run) -> Any:
    """Documents and scores of a run, independent of the order of its rows."""
    table = as_table(run, "score")
    return sorted(
        zip(as_list(table.query_id), as_list(table.doc_id), table.value.tolist(), strict=True)
    )


def _could_turn(
    row: Mapping[str, Any], of: TopicValues, qrels: Qrels, runs: Mapping[str, Run], margin: float
) -> bool | None:
    """Whether judging unjudged documents could change the verdict, with bounds of the same width;
    None if unknown.

    A search finds values that can occur, but there may be values beyond them: then "no" is unknown.
    So it is if the verdict depends on the sign-flip test, which here is taken to agree with the
    bounds as it does now."""
    try:
        found = pair_intervals(
            [of.measure], qrels, {name: runs[name] for name in ("candidate", "baseline")}
        )
    except ValueError:  # no bounds for this measure, or with these judgments
        return None
    ((low, high, exact),) = found[["low", "high", "exact"]].astype(object).to_numpy().tolist()
    if low == high and exact:
        return False
    if not of.higher_is_better:
        low, high = -high, -low
    down, up = row["difference"] - row["low"], row["high"] - row["difference"]
    agrees = row["worse"] or row["high"] >= 0
    verdicts = {_verdict(end - down, end + up < 0 and agrees, margin) for end in (low, high)}
    return True if verdicts != {row["verdict"]} else False if exact and agrees else None


def _summary(table: Gate, rows: Sequence[Mapping[str, Any]], level: float, margin: float) -> str:
    """The verdict in one line."""
    sizes = [row["topics"] for row in rows]
    queries = " to ".join(f"{n:,}" for n in dict.fromkeys((min(sizes), max(sizes)))) + " queries"
    at = f"at {100 * level:.4g} %"
    if table.verdict == "block":
        said = []
        for row in rows:
            if row["worse"]:
                verb = "fell" if row["candidate"] < row["baseline"] else "rose"
                size, least, most = -row["difference"], -row["high"], -row["low"]
                said.append(
                    f"{row['measure']} {verb} by {size:.3f} ({least:.3f} to {most:.3f} {at})"
                )
        return f"blocked: {', '.join(said)}, {queries}"
    if table.verdict == "pass":
        said = [
            f"{row['measure']} {row['difference']:+.3f}, at worst {row['low']:+.3f}" for row in rows
        ]
        return f"passed: {'; '.join(said)} ({at}, margin {margin:g}), {queries}"
    needed = [row["topics_needed"] for row in rows if row["verdict"] == "inconclusive"]
    known = [n for n in needed if n is not None]
    undecided = [row["measure"] for row in rows if row["verdict"] == "inconclusive"]
    which = f" ({', '.join(undecided)})" if len(rows) > 1 else ""
    decide = (
        f"; about {_about(max(known)):,} would decide"
        if known and len(known) == len(needed)
        else ""
    )
    return f"cannot tell: {queries}{decide}{which}"
