"""May a change ship? `gate` decides whether it passes, is blocked, or cannot be told.

One-sided bounds of the mean difference by the paired t distribution, d -+ t(q; n - 1) s / sqrt(n),
n topics, s the standard deviation of the differences by topic, q = level for the bound on the side
of a loss and 1 - (1 - level) / k for the other one. There are k rows: measures, times groups of
topics and all topics together. Where few topics differ and some lose, the bound on the side of a
loss is at most that of `irpref_lab.trust.bounds.few_differences`. By row, where higher is better:

    pass          the lower bound is above -margin, and nothing rules out a pass
    block         else, if the upper bound is below 0, and half the p of `irpref_lab.compare` (for a
                  one-sided test) is at most (1 - level) / k
    inconclusive  else

The change passes if all rows over all topics do and no group is blocked. A pass needs every
measure, so each lower bound uses the whole level; a block needs only one, so the rows share it. A
reference, which does not move with each commit, can block a change, at a level of its own, and
nothing else. See docs/significance.md for the errors.

The grounds against a pass are codes, see `irpref.observed.codes`. A topic that is unanswerable, out
of reach of the measure, or unanswered by the baseline is left out. One that only the candidate does
not answer has the value of an empty ranking and is never a gain."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from ir_measures.measures import Measure

from irpref.errors import MeasureError
from irpref.judged import Groups, QrelsLike, RunLike
from irpref.kernel import Bools
from irpref.measures.declare import Measures
from irpref.messages import check_measures, once_per_call, whole_files
from irpref.observed import FEWEST, MISSING, is_count, limits_of
from irpref_lab.across import check_single
from irpref_lab.arguments import (
    LEVEL,
    MARGIN,
    check_depth,
    check_level,
    check_margin,
    check_missing,
    check_topics,
)
from irpref_lab.calls import by_line
from irpref_lab.decide.all_pairs import significant
from irpref_lab.decide.basis import basis_of
from irpref_lab.decide.gate_text import first_line
from irpref_lab.decide.in_place import measures_of, names_of_two
from irpref_lab.decide.pair import NOT_EXACT, Pair, Row, labels
from irpref_lab.decide.questions import GateBasis, pairs
from irpref_lab.decide.results.gate import Gate
from irpref_lab.trust import bounds, t_tests

VERSION = 2  # of what `irpref gate -o json` prints
_RUNS = ("baseline", "candidate")


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule of a verdict.

    Attributes
    ----------
    margin : float
        The largest loss that is tolerated.
    level : float
    n_rows : int
        Rows that share the level of a block.
    missing : float
    """

    margin: float
    level: float
    n_rows: int
    missing: float

    def decide(self, pair: Pair) -> str:
        """Return the verdict on a pair if nothing rules it out."""
        found = _bounds(pair, self.level, self.n_rows)
        return _verdict(found.low, found.worse, self.margin)


@by_line("baseline", "candidate", repeats=True)
@once_per_call
def gate(
    measures: Measures,
    qrels: QrelsLike,
    baseline: RunLike | Sequence[RunLike],
    candidate: RunLike | Sequence[RunLike],
    *,
    margin: float = MARGIN,
    level: float = LEVEL,
    missing: float = MISSING,
    depth: int | None = None,
    groups: Groups | None = None,
    reference: RunLike | Sequence[RunLike] | None = None,
) -> Gate:
    """Decide whether a change may ship: it passes, is blocked, or cannot be told.

    Parameters
    ----------
    measures : measures of any toolkit, or their names
        Counts (`NumRel`) are refused, and measures that do not depend on grades (`Judged@10`) if
        they are alone: they do not say which ranking is better.
    qrels : in any form that `irpref.evaluator` takes, or the result of `irpref_lab.sampled`
    baseline, candidate : runs in any form that `irpref.evaluator` takes
        A list of runs is one system that was run several times: its value of a topic is the mean of
        theirs.
    margin : float of at least 0
        The largest loss of the mean that you tolerate, smaller than the range of the measure. With
        a margin of at least what the baseline has to lose, a change can be blocked but not passed.
    level : float in (0.5, 1)
        Confidence level of the one-sided bounds. For a block, all rows share the level, so that the
        chance of a false block does not grow with their number.
    missing : float in [0, 1)
        Share of the answerable topics that the baseline may lack.
    depth : int, optional
        Only so many documents of each topic count, of both runs.
    groups : mapping of topic to group, path of a file, or name of a column of the qrels, optional
        Also block a change that is shown to be worse on one of these groups of topics. Groups are
        watched for losses that are shown; they are not protected to the margin.
    reference : run in any form that `irpref.evaluator` takes, optional
        A run that does not move with each commit, such as the last release: also block a change
        that is shown to be worse than this one. Many small losses, each within the margin, add up.

    Returns
    -------
    Gate
        A DataFrame with a row for each measure, and for each group and measure: `measure`, `group`
        (only with groups; missing for all topics), `baseline`, `candidate` (means), `difference`,
        `low`, `high` (candidate minus baseline, in the units of the measure, and its one-sided
        bounds; these are missing with fewer than five topics), `p` (as in `compare`), `worse`
        (whether the candidate is shown to be worse), `verdict` (of this row alone), `codes` (what
        rules out a pass, see `irpref.evidence`), `reason` (the same in words), `topics` (how
        many were compared), `left_out` (how many were not), `largest_loss` (the largest loss that
        is not ruled out), `topics_needed` (about how many would rule out a loss as large as the
        margin, in 4 of 5 experiments without a loss; missing if it is decided),
        `missing_baseline`, `missing_candidate` (topics without documents), `unjudged_baseline`,
        `unjudged_candidate` (share of unjudged documents in the first ten), `by_judge_baseline`,
        `by_judge_candidate` (share graded by a judge alone; only with a judge), `could_turn`
        (whether judging unjudged documents could change the verdict of this row; missing if
        unknown). If a system was run several times, also `repeats` and `sd_repeats`, as
        `irpref_lab.compare` has them. With a reference, also `reference` (mean),
        `difference_reference`, `low_reference`, `high_reference` and `worse_reference`, the same of
        candidate minus reference; missing in groups.

        On judgments of a sample there are two more columns, `low_judged` and `high_judged`: the
        interval of the difference under full human judgments of these topics. What a sample does
        not say (means of single runs among it) is missing: see `irpref_lab.judges.sampled_runs`.

    Raises
    ------
    ValueError
        An argument that is not accepted, fewer than two topics, no measure, a count, no relevant
        document, a topic without a group; a run that answers no judged topic or retrieves no judged
        document; a judge whose grades say nothing; a file that may have been cut off; what the
        evaluator raises.

    Examples
    --------
    >>> from irpref.datasets import load
    >>> made = load("synthetic")
    >>> decision = gate(["AP"], made.qrels, made.runs["strong"], made.runs["broad"])
    >>> decision.verdict, decision.text
    ('block', 'blocked: AP is worse, -0.0934 (-0.1652 to -0.0216 at 95 %), 30 topics')
    """
    level, missing, depth = check_level(level), check_missing(missing), check_depth(depth)
    check_single(qrels)
    chosen = _measures(measures, qrels)
    for measure in chosen:
        check_margin(margin, limits_of(measure))
    given = dict(zip(_RUNS, (baseline, candidate), strict=True))
    if reference is not None:
        given["reference"] = reference
    with whole_files():
        all_runs = basis_of(chosen, qrels, given, depth, leaves_out="baseline")
    all_runs.check_gate()
    basis = all_runs.only((0, 1)) if reference is not None else all_runs
    everything = basis.parts(None)
    check_topics(everything[None].size, "a gate")
    parts = everything | ({} if groups is None else basis.parts(groups))
    rule = Rule(margin, basis.share(level), len(chosen) * len(parts), missing)
    rows: list[Row] = []
    notes: list[str] = []
    unanswered: list[str] = []

    for pair in pairs(basis, "pass", parts, missing, margin=margin, decide=rule.decide):
        row = _row(pair, basis, rule, groups is not None, level)
        rows.append(row)
        if pair.group is None:
            notes += [f"{pair.measure}: {text}" for text in _remarks(pair, basis, row, rule)]
            unanswered += filter(None, [_unanswered(pair, basis.lacking)])
    beside: list[str] = []
    if reference is not None:
        notes += _beside_reference(rows, all_runs, rule, beside)
    table = Gate(rows).astype({"topics_needed": "Int64", "could_turn": "boolean"})
    table.version, table.level = VERSION, rule.level
    table.verdict = _overall(rows)
    table.text = basis.heading + first_line(rows, rule, table.verdict, unanswered)
    table.text += "".join(f"; {text}" for text in beside)
    table.evidence, table.notes = basis.frame(parts), [*basis.notes("pass"), *notes]
    table.qrels, table.inputs = basis.hashes(parts)
    table.hashed, table.names = basis.hashed, names_of_two(baseline, candidate)
    table.grave = basis.grave()
    return table.made()


def _measures(measures: Measures, qrels: QrelsLike) -> list[Measure]:
    """Return the measures; `ArgumentError` if there is none, `MeasureError` if one is a count."""
    chosen = measures_of(measures, qrels)
    check_measures(chosen, "a gate")
    if counts := [str(measure) for measure in chosen if is_count(measure)]:
        raise MeasureError(
            f"{', '.join(counts)}: a gate takes measures that have a mean over topics, and counts "
            f"say nothing about which ranking is better",
            measure=counts[0],
        )
    return chosen


def _overall(rows: Sequence[Row]) -> str:
    """Return the verdict of all rows."""
    whole = [row for row in rows if row.get("group") is None]
    passes = all(row["verdict"] == "pass" for row in whole)
    blocked = any(row["verdict"] == "block" or row.get("worse_reference") for row in rows)
    if blocked or (not passes and any(row["worse"] for row in whole)):
        return "block"
    return "pass" if passes else "inconclusive"


@dataclass(frozen=True, slots=True)
class _Bounds:
    """One-sided bounds of the mean gain, and whether a loss is shown."""

    low: float = math.nan
    high: float = math.nan
    worse: bool = False


def _bounds(pair: Pair, level: float, n_rows: int) -> _Bounds:
    """Return the bounds of a pair; NaN with fewer than five topics, unless nothing differs."""
    if not pair.n_topics or (pair.n_topics < FEWEST and pair.gain.any()):
        return _Bounds()
    if pair.n_topics < FEWEST and pair.grounds:
        return _Bounds()
    low = float(bounds.lower(pair.gain, level))
    high = float(t_tests.upper(pair.gain, 1 - (1 - level) / n_rows))
    # Half the p, since only a loss counts; times the number of rows, since they share the level.
    shown = bool(significant(pair.p / 2 * n_rows, level))
    return _Bounds(low, high, high < 0 and shown)


def _verdict(low: float, worse: bool, margin: float, stands_against: bool = False) -> str:
    """Return the verdict of one row."""
    if low > -margin and not stands_against:
        return "pass"
    return "block" if worse else "inconclusive"


def _row(pair: Pair, basis: GateBasis, rule: Rule, grouped: bool, level: float) -> Row:
    """Return the numbers of a pair, and its verdict."""
    found = _bounds(pair, rule.level, rule.n_rows)
    if pair.is_between_looks:
        found = _Bounds(found.low, found.high)
    verdict = _verdict(found.low, found.worse, rule.margin, bool(pair.grounds))
    low, high = pair.in_units(found.low, found.high)
    of_baseline, of_candidate = pair.means
    decided = verdict != "inconclusive" or pair.grounds or not math.isfinite(found.low)
    row = labels(pair.measure, pair.group, grouped) | {
        "baseline": of_baseline,
        "candidate": of_candidate,
        "difference": pair.difference,
        "low": low,
        "high": high,
        "p": pair.p if math.isfinite(found.low) else math.nan,
        "worse": found.worse,
        "verdict": verdict,
        "codes": pair.codes,
        "reason": pair.reason,
        "topics": pair.n_topics,
        "left_out": int(pair.inside.sum()) - pair.n_topics,
        "largest_loss": max(-found.low, 0.0) if math.isfinite(found.low) else math.nan,
        "topics_needed": None if decided else pair.topics_needed(rule.margin, rule.level),
        **basis.columns(pair, _RUNS, level),
    }
    row["could_turn"] = _could_turn(pair, basis, found, row, rule)
    return row


def _unanswered(pair: Pair, lacking: str, whose: str = "") -> str:
    """Say how many topics the candidate lacks, and the difference on the others; empty if none."""
    answered: Bools = np.logical_not(pair.lacking[1])
    if answered.all():
        return ""
    n, lost = int(answered.sum()), int(pair.lacking[1].sum())
    text = f"the {pair.names[1]} {lacking} for {lost:,} of {pair.n_topics:,} topics{whose}"
    if not n:
        return text
    mean = float(pair.differences[answered].mean())
    return f"{text}, and on the {n:,} others {pair.measure} differs by {mean:+.4f}"


def _could_turn(pair: Pair, basis: GateBasis, found: _Bounds, row: Row, rule: Rule) -> bool | None:
    """Tell whether judging unjudged documents could change the verdict."""
    if not math.isfinite(found.low) or pair.grounds:
        return None
    down, up = pair.mean_gain - found.low, found.high - pair.mean_gain
    agrees = found.worse or found.high >= 0

    def verdict(end: float) -> str:
        gain = pair.sign * end
        return _verdict(gain - down, gain + up < 0 and agrees, rule.margin)

    return basis.could_turn(pair, verdict, row["verdict"], agrees)


def _remarks(pair: Pair, basis: GateBasis, row: Row, rule: Rule) -> Iterator[str]:
    """Yield facts that a reader must know about the numbers of a pair, in sentences."""
    if row["verdict"] == "pass" and row["worse"]:
        yield f"a loss is shown, and the margin of {rule.margin:g} tolerates it"
    if row["verdict"] == "pass" and pair.knows_means:
        worst = pair.limits[0] if pair.higher_is_better else pair.limits[1]
        cost = bounds.unseen_loss(pair.gain, pair.values[0], rule.level, worst)
        if cost:
            share = bounds.unseen(pair.n_topics, rule.level)
            yield (
                f"no topic loses; up to {100 * share:.2g} % of other queries could break unseen, "
                f"which would cost up to {cost:.3f}"
            )
    yield from basis.sentences("pass", pair, row, rule.missing)
    if pair.is_skewed:
        yield NOT_EXACT


def _beside_reference(
    rows: Sequence[Row], all_runs: GateBasis, rule: Rule, beside: list[str]
) -> Iterator[str]:
    """Add columns about the reference to the rows over all topics; yield its remarks.

    What the first line must say goes into `beside`: topics that the candidate lacks, and why the
    comparison with the reference says nothing.
    """
    names = ("reference", "difference_reference", "low_reference", "high_reference")
    for row in rows:
        row |= dict.fromkeys(names, math.nan) | {"worse_reference": False}
    if all_runs.same_order(0, 2):
        yield f"the reference has the same {all_runs.same} as the baseline: this is one comparison"
        return
    of_all = {row["measure"]: row for row in rows if row.get("group") is None}
    basis = all_runs.only((2, 1))
    for pair in pairs(basis, "pass", basis.parts(None), rule.missing, margin=rule.margin):
        found = _bounds(pair, rule.level, len(of_all))
        bounds_of_pair = pair.in_units(found.low, found.high)
        values = (pair.means[0], pair.difference, *bounds_of_pair)
        of_all[str(pair.measure)] |= dict(zip(names, values, strict=True))
        of_all[str(pair.measure)]["worse_reference"] = found.worse
        if found.worse:
            beside += filter(None, [_unanswered(pair, basis.lacking, " of the reference")])
        elif pair.grounds:
            why = f"the reference says nothing about a loss of {pair.measure}: {pair.reason}"
            beside.append(why)
