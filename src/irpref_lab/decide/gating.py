"""May a change ship? `gate` decides whether it passes, is blocked, or cannot be told.

One-sided bounds of the mean difference by the paired t distribution, d -+ t(q; n - 1) s / sqrt(n),
n topics, s the standard deviation of the differences by topic, q = level for the lower bound and
1 - (1 - level) / k for the upper bound. There are k rows: measures, times groups of topics and all
topics together. By row:

    pass          the lower bound is above -margin, and nothing stands against a pass
    block         else, if the upper bound is below 0 and half the p of `irpref_lab.compare` (for a
                  one-sided test) is at most 0.85 (1 - level) / k
    inconclusive  else

The change passes if all rows over all topics do and no group is blocked. A pass needs every
measure, so each lower bound uses the whole level; a block needs only one, so the rows share it. If
a change has no effect but to swap the two values of a topic at random, the sign-flip test is exact,
and fewer than 1 - level of such changes are blocked, with any measure and any number of topics.
With skewed differences both tests exceed their level, mostly by less than an eighth; 0.85 makes up
for that. See docs/significance.md.

What stands against a pass are codes, see `irpref.observed.codes`. A topic that is unanswerable, out
of reach of the measure, or unanswered by the baseline is left out. One that only the candidate does
not answer has the value of an empty ranking and is never a gain."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import compress
from typing import Any, ClassVar, NamedTuple

import numpy as np
from ir_measures.measures import Measure
from scipy import special

from irpref.errors import EmptyJudgmentsError, MeasureError
from irpref.judged import Groups, QrelsLike, RunLike, hash_of_pool, hash_of_text, judgments
from irpref.judged.groups import groups_of
from irpref.kernel import Bools, Floats
from irpref.measures.declare import Measures
from irpref.measures.names import parse_all
from irpref.messages import once_per_call, whole_files
from irpref.observed import (
    MISSING,
    TOP,
    Evidence,
    Ground,
    check_present,
    gathered,
    is_count,
    read_repeats,
    sees_grades,
    thresholds_on,
    too_few,
)
from irpref.show.text import Table
from irpref.values.matrix import TopicValues
from irpref_lab.decide.all_pairs import LEVEL, significant
from irpref_lab.decide.comparison import check_margin
from irpref_lab.decide.grounds import check_depth, check_missing
from irpref_lab.decide.on_samples import go_on, grounds_on_sample, judged_interval, parts_of
from irpref_lab.decide.paired import NOT_EXACT, differences, gains, is_skewed, needed, rounded_up
from irpref_lab.decide.sign_flips import p_of_pair
from irpref_lab.decide.turning import Turning
from irpref_lab.judges.sampled import Sampled, SampledValues
from irpref_lab.printed_tables import of_gate
from irpref_lab.remarks import (
    about_topics,
    by_judge,
    columns_of_judge,
    columns_of_repeats,
    each_within_repeats,
    repeated,
    topics_by_code,
    without_value,
)
from irpref_lab.trust.frames import ResultFrame, Row
from irpref_lab.trust.topics import FEWEST, check_level, difference_in_range

# Share of the level that a block may use: with skewed differences the tests exceed their level.
RESERVE = 0.85
VERSION = 1  # of what `irpref gate -o json` prints
_RUNS = ("baseline", "candidate")
_NUMBERS = (*_RUNS, "difference", "low", "high", "p")


class _Rule(NamedTuple):
    """What decides: the largest loss that is tolerated, and the level that so many rows share."""

    margin: float
    level: float
    n_rows: int


class Gate(ResultFrame):
    """What `gate` returns.

    Attributes
    ----------
    verdict : {'pass', 'block', 'inconclusive'}
    text : str
        The verdict in one line.
    notes : list of str
        What it rests on, a sentence each.
    evidence : DataFrame
        The same as a table, as `irpref.evidence` returns it.
    qrels : str
        Hash of the judgments: the same for the same judgments in any order and form.
    inputs : str
        Hash of all that a verdict is about besides the runs: the judgments, those of a judge
        included, and the groups.
    version : int
        Of the table: it rises if a column changes its meaning.
    level : float
    """

    _metadata: ClassVar[list[str]] = [
        *("verdict", "text", "notes", "evidence", "qrels", "inputs", "version", "level")
    ]

    def _tables(self) -> Sequence[Table]:
        return of_gate(self)


@once_per_call
def gate(
    measures: Measures,
    qrels: QrelsLike,
    baseline: RunLike | Sequence[RunLike],
    candidate: RunLike | Sequence[RunLike],
    *,
    margin: float = 0.02,
    level: float = LEVEL,
    missing: float = MISSING,
    depth: int | None = None,
    groups: Groups | None = None,
) -> Gate:
    """May this change ship? Decide whether it passes, is blocked, or cannot be told.

    Parameters
    ----------
    measures : measures of any toolkit, or their names
        Counts (`NumRel`) are refused, and measures that do not depend on grades (`Judged@10`) if
        they are alone: they do not say which ranking is better.
    qrels : in any form that `irpref.evaluator` takes, or what `irpref_lab.sampled` returns
    baseline, candidate : runs in any form that `irpref.evaluator` takes
        A list of runs is one system that was run several times: its value of a topic is the mean of
        theirs.
    margin : float of at least 0
        The largest loss of the mean that you tolerate.
    level : float in (0, 1)
        Confidence level of the one-sided bounds. For a block, all rows share the level, so that the
        chance of a false block does not grow with their number.
    missing : float in [0, 1)
        Share of the answerable topics that the baseline may lack.
    depth : int, optional
        Only so many documents of each topic count, of both runs.
    groups : mapping of topic to group, path of a file, or name of a column of the qrels, optional
        Also block a change that is worse on one of these groups of topics.

    Returns
    -------
    Gate
        A DataFrame with a row for each measure, and for each group and measure: `measure`, `group`
        (only with groups; missing for all topics), `baseline`, `candidate` (means), `difference`,
        `low`, `high` (candidate minus baseline and its bounds, with the sign changed if lower is
        better: a loss is negative; bounds are missing with fewer than five topics), `p` (as in
        `compare`), `worse` (whether the candidate is shown to be worse), `verdict` (of this row
        alone), `codes` (what stands against a pass, see `irpref_lab.decide.grounds`), `topics` (how
        many were compared), `left_out` (how many were not), `topics_needed` (how many would decide
        in 4 of 5 experiments if the difference is as observed; missing if it is decided),
        `missing_baseline`, `missing_candidate` (topics without documents), `unjudged_baseline`,
        `unjudged_candidate` (share of unjudged documents in the first ten), `by_judge_baseline`,
        `by_judge_candidate` (share graded by a judge alone; only with a judge), `could_turn`
        (whether judging unjudged documents could change the verdict of this row; missing if
        unknown). If a system was run several times, also `repeats` and `sd_repeats`, as
        `irpref_lab.compare` has them.

        On judgments of a sample there are two more columns, `low_judged` and `high_judged`: the
        interval of the difference under full human judgments of these topics. What a sample does
        not say (means of single runs among it) is missing: see `irpref_lab.decide.on_samples`.

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
    ('block', 'blocked: AP fell by 0.093 (0.022 to 0.165 at 95 %), 30 topics')
    """
    level, missing, depth = check_level(level), check_missing(missing), check_depth(depth)
    check_margin(margin)
    chosen = _measures(measures)
    given = dict(zip(_RUNS, (baseline, candidate), strict=True))
    if isinstance(qrels, Sampled):
        with whole_files():
            return _gate_sample(
                chosen, qrels, given, margin=margin, level=level, missing=missing, groups=groups
            )
    with whole_files():
        read = judgments(qrels)
        runs = {name: read_repeats(run) for name, run in given.items()}
    facts = replace(gathered(chosen, read, runs, depth, keep=True), leaves_out="baseline")
    everything = _all_topics(len(facts.topics))
    if not facts.answerable.any():
        raise EmptyJudgmentsError("a gate needs relevant documents, and no grade is above 0")
    _check_measures(facts)
    check_present(facts.systems, everything.size)
    parts: dict[str | None, Bools] = {None: everything}
    if groups is not None:
        parts |= groups_of(groups, read, facts.topics)
    rule = _Rule(margin, level, len(chosen) * len(parts))
    turning = Turning(read, {name: one[0] for name, one in runs.items()}, facts, facts.same_order)
    rows, not_exact = [], []
    for measure in facts.measures:
        for group, inside in parts.items():
            pair = _Pair(facts, measure, inside, missing)
            labels = {"measure": str(measure)} | ({} if groups is None else {"group": group})
            rows.append(labels | pair.row(rule, turning))
            if group is None and pair.is_skewed:
                not_exact.append(f"{measure}: {NOT_EXACT}")
    table = _gate(rows, rule)
    table.evidence = facts.frame(parts)
    table.qrels = hash_of_pool(facts.pool)
    table.inputs = _hash_of_inputs(table.qrels, parts, facts.topics)
    over_all = [("", _RUNS, row) for row in rows if row.get("group") is None]
    table.notes = [
        *about_topics(facts, facts.measures, everything),
        *without_value(facts, facts.measures, everything),
        *by_judge(facts, everything),
        *repeated(facts, facts.measures, everything),
        *each_within_repeats(facts, parts, over_all),
        *not_exact,
        *_orders(facts),
        *thresholds_on(chosen, read),
    ]
    return table.made()


def _orders(facts: Evidence) -> Iterator[str]:
    """What is strange about the order of documents."""
    if facts.same_order:
        yield "both runs have the same ranking"
    for number, system in enumerate(facts.systems):
        if text := facts.equal_in_words(number, f"the {system.name}"):
            yield text


def _all_topics(n_topics: int) -> Bools:
    """The mask of all topics, (n_topics,); `ValueError` if they are fewer than two."""
    if n_topics < 2:
        raise EmptyJudgmentsError(f"a gate needs at least 2 topics, got {n_topics}")
    return np.ones(n_topics, bool)


def _gate(rows: Sequence[Row], rule: _Rule) -> Gate:
    """The result, with what follows from its rows."""
    table = Gate(rows).astype({"topics_needed": "Int64", "could_turn": "boolean"})
    table.version, table.level = VERSION, rule.level
    table.verdict = _overall(rows)
    table.text = _Summary(rows, rule).text(table.verdict)
    return table


def _measures(measures: Measures) -> list[Measure]:
    chosen = parse_all(measures)
    if not chosen:
        raise MeasureError("a gate needs at least one measure")
    if counts := [str(measure) for measure in chosen if is_count(measure)]:
        raise MeasureError(
            f"{', '.join(counts)}: a gate takes measures that have a mean over topics, and counts "
            f"say nothing about which ranking is better",
            measure=counts[0],
        )
    return chosen


def _check_measures(facts: Evidence) -> None:
    """`MeasureError` if no measure depends on grades: Judged@10 may stand beside others only."""
    in_reach = [measure for measure in facts.measures if facts.reached[measure].any()]
    if in_reach and not any(sees_grades(measure, facts.pool) for measure in in_reach):
        raise MeasureError(
            f"{', '.join(map(str, in_reach))}: a gate needs a measure that depends on grades, and "
            f"others say nothing about which ranking is better",
            measure=str(in_reach[0]),
        )


def _hash_of_inputs(
    hash_of_qrels: str, parts: Mapping[str | None, Bools], topics: Sequence[str]
) -> str:
    """Hash of the judgments and the groups; without groups that of the judgments."""
    if len(parts) == 1:
        return hash_of_qrels
    text = hash_of_qrels
    for group, inside in parts.items():
        if group is not None:
            members = list(compress(topics, inside.tolist()))
            text += f"{group!r} {members!r}\n"
    return hash_of_text(text)


def _overall(rows: Sequence[Row]) -> str:
    """The verdict of all rows."""
    whole = [row for row in rows if row.get("group") is None]
    passes = all(row["verdict"] == "pass" for row in whole)
    if any(row["verdict"] == "block" for row in rows) or (
        not passes and any(row["worse"] for row in whole)
    ):
        return "block"
    return "pass" if passes else "inconclusive"


def _verdict(low: float, worse: bool, rule: _Rule, against: Sequence[Ground] = ()) -> str:
    """The verdict of one row, if these grounds stand against a pass."""
    if low > -rule.margin and not against:
        return "pass"
    return "block" if worse else "inconclusive"


def _reasons(against: Sequence[Ground]) -> dict[str, str]:
    """The columns that say what stands against a pass."""
    return {
        "codes": ", ".join(ground.code for ground in against),
        "reason": "; ".join(ground.text for ground in against),
    }


def _bounds(values: TopicValues, rule: _Rule) -> Row:
    """Means, bounds and p of two runs, and whether the second is worse."""
    n = len(values.topics)
    gain, mean = gains(values)
    spread = 0.0 if np.ptp(gain) == 0 else float(gain.std(ddof=1))
    error = spread / math.sqrt(n)
    low = mean - float(special.stdtrit(n - 1, rule.level)) * error
    high = mean + float(special.stdtrit(n - 1, 1 - (1 - rule.level) / rule.n_rows)) * error
    row: Row = {
        "baseline": float(values.means[0]),
        "candidate": float(values.means[1]),
        "difference": mean + 0.0,
        "low": low + 0.0,
        "high": high + 0.0,
    }
    # Half the p, since only a loss counts; times the number of rows, since they share the level.
    row["p"] = p_of_pair(gain)
    p = row["p"] / 2 * rule.n_rows / RESERVE
    row["worse"] = high < 0 and bool(significant(p, rule.level))
    return row


class _Pair:
    """Two runs by one measure on some topics."""

    def __init__(self, facts: Evidence, measure: Measure, inside: Bools, missing: float) -> None:
        self.facts, self.measure, self.inside, self.same = facts, measure, inside, facts.same_order
        values = facts.values(measure)
        lacking = facts.unanswered(measure)[1]
        no_value = lacking & np.isnan(values[1])
        values[1, no_value] = facts.empty[measure][no_value]
        self.topics: Bools = facts.compared(measure, 0, inside) & ~np.isnan(values).any(axis=0)
        # Not to answer is never a gain.
        worst = np.minimum if getattr(measure, "higher_is_better", True) else np.maximum
        values[1, lacking] = worst(values[1, lacking], values[0, lacking])
        self.values: Floats = values
        self.grounds: list[Ground] = facts.against("pass", measure, 0, inside, missing)
        if self.same:  # a change of nothing needs no number of topics
            self.grounds = [ground for ground in self.grounds if ground.code != "few-topics"]

    @cached_property
    def paired(self) -> TopicValues:
        """The values of both runs on the topics that are compared."""
        return self.facts.topic_values(self.measure, self.topics, self.values)

    @property
    def is_skewed(self) -> bool:
        """Whether the level of the test is not exact on these topics."""
        return bool(self.topics.sum() >= FEWEST) and is_skewed(differences(self.paired))

    def row(self, rule: _Rule, turning: Turning) -> Row:
        """The numbers, and the verdict."""
        n = int(self.topics.sum())
        row: Row = dict.fromkeys(_NUMBERS, math.nan) | {"worse": False}
        if n:
            if n >= FEWEST or self.same:
                row = _bounds(self.paired, rule)
            else:
                row |= zip(_RUNS, self.paired.means.tolist(), strict=True)
                row["difference"] = gains(self.paired)[1] + 0.0
        row["verdict"] = _verdict(row["low"], row["worse"], rule, self.grounds)
        row |= _reasons(self.grounds)
        row |= {"topics": n, "left_out": int(self.inside.sum()) - n}
        row["topics_needed"] = self._needed(row, rule)
        row |= self._facts()
        row["could_turn"] = self._could_turn(row, rule, turning)
        row["low"], row["high"] = difference_in_range(self.measure, row["low"], row["high"])
        return row

    def _needed(self, row: Row, rule: _Rule) -> int | None:
        """How many topics would decide, for the verdict that is easier to reach."""
        if row["verdict"] != "inconclusive" or self.grounds or not math.isfinite(row["low"]):
            return None
        gain, mean = gains(self.paired)
        variance = 0.0 if np.ptp(gain) == 0 else float(gain.var(ddof=1)) / 2
        block = 1 - RESERVE * (1 - rule.level) / rule.n_rows
        numbers = [
            needed(mean + rule.margin, variance, rule.level, one_sided=True),
            needed(-mean, variance, block, one_sided=True),
        ]
        known = [number for number in numbers if number is not None]
        return max(min(known), gain.size + 1) if known else None

    def _facts(self) -> Row:
        """What is missing from each run."""
        facts, inside = self.facts, self.inside
        columns: Row = {}
        for name, system in zip(_RUNS, facts.systems, strict=True):
            columns[f"missing_{name}"] = int((system.retrieved[inside] == 0).sum())
        for name, system in zip(_RUNS, facts.systems, strict=True):
            judged = system.judged[TOP][inside] / system.n_repeats
            columns[f"unjudged_{name}"] = float(1 - (judged / TOP).mean())
        columns |= columns_of_judge(facts, inside, _RUNS)
        columns |= columns_of_repeats(facts, self.measure, self.topics, _RUNS)
        columns["topics_by_code"] = topics_by_code(facts, self.measure, inside, _RUNS)
        return columns

    def _could_turn(self, row: Row, rule: _Rule, turning: Turning) -> bool | None:
        """Whether judging unjudged documents could change the verdict."""
        if not math.isfinite(row["low"]) or self.grounds:
            return None
        down, up = row["difference"] - row["low"], row["high"] - row["difference"]
        sign = 1.0 if self.paired.higher_is_better else -1.0
        agrees = bool(row["worse"] or row["high"] >= 0)

        def verdict(end: float) -> str:
            return _verdict(sign * end - down, sign * end + up < 0 and agrees, rule)

        return turning.could(self.measure, self.topics, verdict, row["verdict"], agrees)


class _Summary:
    """The verdict in one line."""

    def __init__(self, rows: Sequence[Row], rule: _Rule) -> None:
        self.rows, self.rule = rows, rule
        self.whole = [row for row in rows if row.get("group") is None]
        self.groups = [row for row in rows if row.get("group") is not None]
        self.at = f"at {100 * rule.level:.4g} %"
        sizes, lost = ([row[name] for row in self.whole] for name in ("topics", "left_out"))
        self.topics = f"{_range(sizes)} topic{'s' * (max(sizes) != 1)}"
        self.compared = f"{self.topics} compared"
        if any(lost):
            self.topics = self.compared = f"{self.compared}, {_range(lost)} left out"

    def text(self, verdict: str) -> str:
        """The line."""
        body = {"block": self._blocked, "pass": self._passed, "inconclusive": self._unknown}
        return body[verdict]() + self._small()

    def _blocked(self) -> str:
        losses = []
        every = {id(row): row for row in self.rows if row["verdict"] == "block"}
        if any(row["verdict"] != "pass" for row in self.whole):
            every |= {id(row): row for row in self.whole if row["worse"]}
        for row in self.rows:
            if id(row) in every:
                # Means are missing on a sample, whose measures are all better if higher.
                verb = "rose" if row["candidate"] > row["baseline"] else "fell"
                where = "" if row.get("group") is None else f" in {row['group']}"
                size, least, most = -row["difference"], -row["high"], -row["low"]
                losses.append(
                    f"{row['measure']}{where} {verb} by {size:.3f} "
                    f"({least:.3f} to {most:.3f} {self.at})"
                )
        return f"blocked: {', '.join(losses)}, {self.topics}"

    def _passed(self) -> str:
        changes = [
            f"{row['measure']} {row['difference']:+.3f}, at worst {row['low']:+.3f}"
            for row in self.whole
        ]
        return (
            f"passed: {'; '.join(changes)} ({self.at}, margin {self.rule.margin:g}), {self.topics}"
        )

    def _unknown(self) -> str:
        open_rows = [row for row in self.whole if row["verdict"] == "inconclusive"]
        reasons: dict[str, list[str]] = {}
        for row in open_rows:
            reasons.setdefault(row["reason"], []).append(row["measure"])
        stopped = [f"{text}{_of(names, self.whole)}" for text, names in reasons.items() if text]
        if stopped:
            return f"cannot tell: {'; '.join(stopped)}; {self.compared}"
        wanted = [row["topics_needed"] for row in open_rows]
        known = [number for number in wanted if number is not None]
        decide = ""
        if known and len(known) == len(wanted):
            decide = f"; about {rounded_up(max(known)):,} would decide"
        undecided = [row["measure"] for row in open_rows]
        which = f" ({', '.join(undecided)})" if len(self.whole) > 1 else ""
        return f"cannot tell: {self.topics}{decide}{which}"

    def _small(self) -> str:
        """Groups in which no loss could have been shown."""
        small: dict[str, int] = {}
        for row in self.groups:
            least = 2.0 ** -max(row["topics"], 1) * self.rule.n_rows / RESERVE
            if row["topics"] < FEWEST or not significant(least, self.rule.level):
                small[str(row["group"])] = row["topics"]
        if not small:
            return ""
        named = ", ".join(f"{group} ({n})" for group, n in small.items())
        return f"; groups too small to tell: {named}"


def _range(numbers: Sequence[int]) -> str:
    return " to ".join(f"{n:,}" for n in dict.fromkeys((min(numbers), max(numbers))))


def _of(names: Sequence[str], whole: Sequence[Any]) -> str:
    """Which measures a reason is about, if not all."""
    return f" ({', '.join(names)})" if len(names) < len(whole) else ""


# On a sample --------------------------------------------------------------------------------------


def _gate_sample(
    chosen: Sequence[Measure],
    judgments: Sampled,
    runs: Row,
    *,
    margin: float,
    level: float,
    missing: float,
    groups: Groups | None,
) -> Gate:
    """`irpref_lab.gate` on a sample."""
    parts: dict[str | None, Bools] = {None: _all_topics(len(judgments.topic_ids))}
    if groups is not None:
        parts |= parts_of(groups, judgments)
    rule = _Rule(margin, judgments.share(level), len(chosen) * len(parts))
    rows, notes = [], [judgments.text]
    for whole in judgments.values(chosen, runs):
        for group, inside in parts.items():
            estimates = whole.on(inside)
            labels: Row = {"measure": estimates.values.measure}
            labels |= {} if groups is None else {"group": group}
            row = labels | _sample_row(judgments, estimates, rule, missing)
            row |= judged_interval(judgments, estimates, level)
            rows.append(row)
            if group is None:
                notes.append(f"{row['measure']}: {go_on(judgments, estimates, row)}")
    table = _gate(rows, rule)
    table.evidence, table.qrels = None, judgments.hash
    members = [(group, inside.tolist()) for group, inside in parts.items()]
    table.inputs = hash_of_text(f"{judgments.hash} {members!r}")
    table.notes = [*notes, *thresholds_on(chosen, judgments)]
    return table.made()


def _sample_row(judgments: Sampled, estimates: SampledValues, rule: _Rule, missing: float) -> Row:
    """The numbers of one row, and its verdict. Topics without documents of the baseline are left
    out; those without documents of the candidate are never a gain.
    """
    against = grounds_on_sample(judgments, estimates, missing, (0,))
    lost = (~estimates.answers).sum(axis=1).tolist()
    kept = estimates.on(estimates.answers[0])
    values = kept.values.values.copy()
    lacking = ~kept.answers[1]
    values[1, lacking] = np.minimum(values[1, lacking], values[0, lacking])
    paired = TopicValues(kept.values.measure, kept.values.systems, kept.values.topics, values)
    row = _bounds(paired, rule)
    if paired.n_topics < FEWEST:
        against.append(Ground("few-topics", too_few(paired.n_topics)))
        row |= {"low": math.nan, "high": math.nan, "worse": False}
    if not judgments.at_look:
        row["worse"] = False
    row["verdict"] = _verdict(row["low"], row["worse"], rule, against)
    return {
        **row,
        "baseline": math.nan,
        "candidate": math.nan,
        **_reasons(against),
        "topics": paired.n_topics,
        "left_out": lost[0],
        "topics_needed": None,
        "missing_baseline": lost[0],
        "missing_candidate": lost[1],
        "unjudged_baseline": math.nan,
        "unjudged_candidate": math.nan,
        "could_turn": None,
    }
