"""Is B better than A? `compare` answers it with an interval and a sentence.

The test is the sign-flip test of the mean difference, and the interval holds all differences that
it does not reject: it holds 0 if and only if the runs are not shown to differ. See
`irpref_lab.decide.sign_flips`.

Topics are seen as a sample of those that the system will serve. A topic that a run does not answer
has the value of an empty list, as everywhere. If too many topics are missing, or a measure tells
too little, there are means and the reason, and no test: see `irpref_lab.decide.grounds`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from ir_measures.measures import Measure

from irpref.data.run_names import named_runs
from irpref.errors import MeasureError
from irpref.judged import Groups, QrelsLike, RunLike, judgments
from irpref.judged.groups import groups_of
from irpref.kernel import Bools
from irpref.measures.declare import Measures
from irpref.measures.names import parse_all
from irpref.messages import once_per_call
from irpref.observed import (
    MISSING,
    Evidence,
    Ground,
    check_present,
    gathered,
    read_repeats,
    thresholds_on,
)
from irpref.show.text import Table
from irpref.values.matrix import TopicValues
from irpref.values.means import have_a_value
from irpref_lab.decide.all_pairs import LEVEL, PAIRS, described, significant
from irpref_lab.decide.grounds import check_missing
from irpref_lab.decide.on_samples import (
    NO_LOOK,
    go_on,
    grounds_on_sample,
    judged_interval,
    parts_of,
)
from irpref_lab.decide.paired import (
    NOT_EXACT,
    differences,
    gains,
    is_skewed,
    needed,
    rounded_up,
    without_missing,
)
from irpref_lab.decide.sign_flips import N_PERMUTATIONS, interval, p_of_pair
from irpref_lab.decide.turning import Turning
from irpref_lab.judges.sampled import Sampled
from irpref_lab.messages import not_accepted, p_equals
from irpref_lab.printed_tables import of_comparison
from irpref_lab.remarks import (
    about_topics,
    by_judge,
    columns_of_judge,
    columns_of_repeats,
    own_topics,
    repeated,
    topics_by_code,
    within_repeats,
)
from irpref_lab.trust.design import residual_variance
from irpref_lab.trust.frames import ResultFrame, Row
from irpref_lab.trust.samples import Rng, fixed_seed
from irpref_lab.trust.topics import FEWEST, check_level, difference_in_range

_IN_NOTES = ("unanswerable", "unseen")  # facts that no sentence needs
UNKNOWN, EQUAL = "cannot tell", "not shown to differ"


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
    evidence : DataFrame
        What the values rest on, as `irpref.evidence` returns it.
    names : list of str
        The names of the two runs.
    level : float
    notes : list of str
        What all sentences have in common, a sentence each: systems that are the mean of several
        runs, which grades count as relevant.
    """

    _metadata: ClassVar[list[str]] = [
        *("text", "test", "by_topic", "evidence", "names", "level", "notes")
    ]

    def _tables(self) -> Sequence[Table]:
        return of_comparison(self)


@once_per_call
def compare(
    measures: Measures,
    qrels: QrelsLike,
    a: RunLike | Sequence[RunLike],
    b: RunLike | Sequence[RunLike],
    *,
    level: float = LEVEL,
    margin: float | None = None,
    missing: float = MISSING,
    groups: Groups | None = None,
    rng: Rng | None = None,
    names: Sequence[str] | None = None,
) -> Comparison:
    """Is run b better than run a? Test the mean difference, and answer with an interval and a
    sentence.

    Parameters
    ----------
    measures : measures of any toolkit, or their names
    qrels : in any form that `irpref.evaluator` takes, or what `irpref_lab.sampled` returns
    a, b : runs in any form that `irpref.evaluator` takes
        A list of runs is one system that was run several times: its value of a topic is the mean of
        theirs.
    level : float in (0, 1)
        Confidence level of the interval; 1 - level is the level of the test.
    margin : float of at least 0, optional
        The smallest difference that matters to you: the text tells you if differences of this size
        are ruled out.
    missing : float in [0, 1)
        Share of the answerable topics that may be missing from a run.
    groups : mapping of topic to group, path of a file, or name of a column of the qrels, optional
        A comparison for each group of topics, with a column `group`.
    rng : seed or numpy Generator, optional
        Random numbers of the sign flips. By default seed 0, so that p is that of
        `irpref_lab.leaderboard`.
    names : two different str, optional
        Names of the runs in the text. By default paths are named as `irpref eval` names them, other
        runs `a` and `b`.

    Returns
    -------
    Comparison
        A DataFrame with a row for each measure: `measure`, `mean_a`, `mean_b`, `difference` (b -
        a), `low`, `high` (interval of the difference; missing with fewer than five topics), `p`,
        `effect_size` (difference over the residual standard deviation of the two runs), `wins`,
        `losses`, `equal` (topics on which b is better, worse, the same), `topics`, `verdict`: `'b
        better'`, `'a better'`, `'not shown to differ'`, in the direction of the measure, or
        `'cannot tell'`, with `low`, `high` and `p` missing; `codes` (the reasons why not, see
        `irpref_lab.decide.grounds`), `topics_by_code` (what the topics cannot say, see
        `irpref.evidence`), `could_turn` (whether judging unjudged documents could change the
        verdict; missing if unknown). With a judge, also `by_judge_a`, `by_judge_b` (share of the
        first ten that the judge alone graded). If a system was run several times, also `repeats_a`,
        `repeats_b` and `sd_repeats_a`, `sd_repeats_b` (standard deviation of the mean between
        them). `text` has the sentences.

        On judgments of a sample there are two more columns, `low_judged` and `high_judged`: the
        interval of the difference under full human judgments of these topics. What a sample does
        not say (means of single runs among it) is missing: see `irpref_lab.decide.on_samples`.

    Raises
    ------
    ValueError
        A level or margin that is not accepted, no measure, a topic without a group; a run that
        answers no judged topic or retrieves no judged document; a judge whose grades say nothing;
        what the evaluator raises.

    Examples
    --------
    >>> from irpref.datasets import load
    >>> made = load("synthetic")
    >>> comparison = compare(["AP"], made.qrels, made.runs["noisy"], made.runs["baseline"])
    >>> for sentence in comparison.text.splitlines()[0].split(". "):
    ...     print(sentence)
    AP: b (0.5177) is better than a (0.3443) by 0.1734 (95 % interval ... p = 0.0014, 30 topics)
    a has no documents for 1 of 30 topics; it counts as an empty ranking
    b has 34 to 49 documents for 22 of 30 topics, less than half of another run's, and AP ... ranks
    Judging the unjudged documents could change this.
    """
    level, missing = check_level(level), check_missing(missing)
    if margin is not None:
        check_margin(margin)
    chosen = parse_all(measures)
    names = _names(a, b) if names is None else list(names)
    if isinstance(qrels, Sampled):
        return _compare_sample(
            chosen,
            qrels,
            dict(zip(names, (a, b), strict=True)),
            level=level,
            margin=margin,
            missing=missing,
            groups=groups,
            seed=fixed_seed(rng),
        )
    read = judgments(qrels)
    runs = {name: read_repeats(run) for name, run in zip(names, (a, b), strict=True)}
    seed = fixed_seed(rng)
    facts = gathered(chosen, read, runs, keep=True)
    check_present(facts.systems, len(facts.topics))
    parts = groups_of(groups, read, facts.topics)
    turning = Turning(read, {name: one[0] for name, one in runs.items()}, facts)
    rows, text, topics = [], [], []
    for measure in facts.measures:
        for group, inside in parts.items():
            pair = _Pair(facts, measure, inside, level, missing)
            labels: Row = {"measure": str(measure), **({} if group is None else {"group": group})}
            row = labels | pair.row(seed)
            row["could_turn"] = pair.could_turn(row, turning)
            rows.append(row)
            text.append(pair.sentence(row, margin))
            topics.append(pd.DataFrame(labels | pair.by_topic()))
    table = _comparison(rows, topics, text, level)
    table.evidence, table.names, table.level = facts.frame(parts), names, level
    everything: Bools = np.ones(len(facts.topics), bool)
    table.notes = [
        *about_topics(facts, facts.measures, everything, codes=_IN_NOTES),
        *repeated(facts, facts.measures, everything),
        *filter(None, map(facts.equal_in_words, range(len(names)))),
        *thresholds_on(facts.measures, read),
    ]
    return table.made()


def _names(*runs: Any) -> list[str]:
    """Names of two runs: for two different paths, as in `irpref eval`."""
    try:
        names = list(named_runs(list(runs)))
    except TypeError:
        names = []
    return names if len(names) == 2 else ["a", "b"]


def check_margin(margin: Any) -> None:
    """`ValueError` unless this is a finite number of at least 0."""
    if not (isinstance(margin, (int, float)) and 0 <= margin < math.inf):
        raise not_accepted("margin", margin, "a difference of at least 0, such as 0.02")


def _comparison(
    rows: Sequence[Row],
    topics: Sequence[pd.DataFrame],
    text: Sequence[str],
    level: float,
) -> Comparison:
    """The result, from its rows, the values by topic of each, the sentences, and the level of the
    tests.
    """
    table = Comparison(rows).astype({"could_turn": "boolean"})
    by_measure = pd.concat(topics).groupby("measure", sort=False)
    table.by_topic = pd.concat(
        [part.sort_values("difference", ascending=False, kind="stable") for _, part in by_measure],
        ignore_index=True,
    )
    n_topics = None if "group" in table else int(table["topics"].iloc[0])
    table.test = described(PAIRS, 2, n_topics, level, N_PERMUTATIONS)
    table.text = "\n".join([*text, f"test: {table.test}"])
    return table


def _tested(values: TopicValues, level: float, seed: int | None) -> dict[str, float]:
    """Test of the difference, second run minus first, and its interval (before it is scaled)."""
    gain, mean = gains(values)
    sign = 1.0 if values.higher_is_better else -1.0
    variance = residual_variance(values.values) if gain.size > 1 else 0.0
    effect = mean / math.sqrt(variance) if variance else 0.0 if mean == 0 else math.nan
    low = high = math.nan
    if gain.size >= FEWEST:
        low, high = interval(sign * gain, level, rng=seed)
    p = p_of_pair(gain, seed)
    return {"low": low, "high": high, "p": p, "effect_size": sign * effect + 0.0}


def _verdict(mean_gain: float, p: float, level: float) -> str:
    if mean_gain == 0 or not significant(p, level):
        return EQUAL
    return "b better" if mean_gain > 0 else "a better"


_UNTESTED = dict.fromkeys(("low", "high", "p", "effect_size"), math.nan)


class _Pair:
    """Two runs by one measure on some topics."""

    def __init__(
        self, facts: Evidence, measure: Measure, inside: Bools, level: float, missing: float
    ) -> None:
        self.facts, self.measure, self.inside, self.level = facts, measure, inside, level
        self.missing = missing
        valued = ~np.isnan(facts.values(measure)).any(axis=0)
        self.topics: Bools = inside & valued
        if not self.topics.any():
            raise MeasureError(
                f"{measure} has no value for both runs on any topic", measure=str(measure)
            )
        self.values: TopicValues = facts.topic_values(measure, self.topics)
        self.names = self.values.systems
        self.grounds: list[Ground] = self._grounds()

    def _grounds(self) -> list[Ground]:
        """Why it cannot be told whether the run with the better mean is better."""
        _, mean = gains(self.values)
        baseline = 1 if mean < 0 else 0
        by_code = {
            ground.code: ground
            for ground in self.facts.against(
                "claim", self.measure, baseline, self.inside, self.missing
            )
            if ground.code != "few-topics"  # the sentence says how many there are
        }
        answerable = self.facts.answerable & self.inside
        unanswered = self.facts.unanswered(self.measure) & answerable
        for name, lost in zip(self.names, unanswered.sum(axis=1).tolist(), strict=True):
            if lost > self.missing * answerable.sum() and "unanswered" not in by_code:
                text = f"{name} has no documents for {lost:,} of {answerable.sum():,} topics"
                by_code["unanswered"] = Ground("unanswered", text)
        return list(by_code.values())

    def by_topic(self) -> Row:
        """Columns of the values by topic."""
        a, b = self.values.values
        return {
            "query_id": self.values.topics,
            "a": a,
            "b": b,
            "difference": differences(self.values),
        }

    def row(self, seed: int | None) -> Row:
        """The numbers, and the verdict."""
        values = self.values
        gain, mean = gains(values)
        sign = 1.0 if values.higher_is_better else -1.0
        tested, verdict = _UNTESTED, UNKNOWN
        if not self.grounds:
            tested = _tested(values, self.level, seed)
            verdict = _verdict(mean, tested["p"], self.level)
        low, high = tested["low"], tested["high"]
        if values.is_sum:
            low, high = low * values.scale, high * values.scale
        else:
            low, high = difference_in_range(self.measure, low, high)
        return {
            "mean_a": float(values.means[0]),
            "mean_b": float(values.means[1]),
            "difference": sign * mean * values.scale + 0.0,
            **tested,
            "low": low,
            "high": high,
            "wins": int((gain > 0).sum()),
            "losses": int((gain < 0).sum()),
            "equal": int((gain == 0).sum()),
            "topics": gain.size,
            "verdict": verdict,
            "codes": ", ".join(ground.code for ground in self.grounds),
            "topics_by_code": topics_by_code(self.facts, self.measure, self.inside, self.names),
            **columns_of_judge(self.facts, self.inside, "ab"),
            **columns_of_repeats(self.facts, self.measure, self.topics, "ab"),
        }

    def could_turn(self, row: Row, turning: Turning) -> bool | None:
        """Whether judging unjudged documents could turn the verdict."""
        if row["verdict"] == UNKNOWN or not math.isfinite(row["low"] + row["high"]):
            return None
        scale, sign = self.values.scale, 1.0 if self.values.higher_is_better else -1.0
        down, up = row["difference"] - row["low"], row["high"] - row["difference"]

        def verdict(end: float) -> str:
            low, high = end * scale - down, end * scale + up
            if low <= 0 <= high:
                return EQUAL
            return "b better" if sign * low > 0 else "a better"

        return turning.could(self.measure, self.topics, verdict, row["verdict"])

    def sentence(self, row: Row, margin: float | None) -> str:
        """The verdict, and what it rests on."""
        values, names = self.values, self.names
        head = values.measure + ("" if values.higher_is_better else " (lower is better)")
        head += f", {row['group']}" if "group" in row else ""
        a, b = f"{names[0]} ({row['mean_a']:.4f})", f"{names[1]} ({row['mean_b']:.4f})"
        if row["verdict"] == UNKNOWN:
            reasons = "; ".join(ground.text for ground in self.grounds)
            return " ".join([f"{head}: {a} and {b}: cannot tell, {reasons}.", *self._notes(row)])
        low, high, n = row["low"], row["high"], row["topics"]
        differs = row["verdict"] != EQUAL
        if differs:
            better, worse = (b, a) if row["verdict"] == "b better" else (a, b)
            low, high = sorted((abs(low), abs(high)))
            text = f"{head}: {better} is better than {worse} by {abs(row['difference']):.4f}"
        else:
            text = f"{head}: {a} and {b} are not shown to differ: "
            text += f"{names[1]} scores {_gap(row['difference'])}"
        bounds = f"{100 * self.level:.4g} % interval {low:.4f} to {high:.4f}"
        if not math.isfinite(high):
            bounds = "too few topics for an interval"
        text += f" ({bounds}, {p_equals(row['p'])}, {n:,} topic{'s' * (n != 1)})."
        variance = residual_variance(values.values) if n > 1 and not differs else 0.0
        if wanted := needed(abs(row["difference"]) / values.scale, variance, self.level):
            text += f" About {rounded_up(wanted):,} topics would show a difference of this size."
        if margin is not None and not math.isnan(row["low"]):
            text += _ruled_out(row, margin)
        return " ".join([text, *self._notes(row)])

    def _notes(self, row: Row) -> list[str]:
        """Sentences about what is missing and did not stand against the verdict."""
        facts, measure, inside = self.facts, self.measure, self.inside
        stopped = {ground.code for ground in self.grounds}
        answerable = facts.answerable & inside
        notes = []
        for fact in facts.rows(measure, inside):
            least = 0 if fact["code"] in ("unanswered", "blind") else self.missing * inside.sum()
            is_said = fact["code"] in (*stopped, *_IN_NOTES)
            if not is_said and fact["topics"] > least:
                notes.append(f"{fact['text']}.")
        notes += map(_capitalised, self._where_both_answer(row["verdict"]))
        valued = int((self.topics & answerable).sum())
        if text := have_a_value([valued], int(answerable.sum())):
            notes.append(f"{text}.")
        notes += (f"{text}." for text in own_topics(facts, inside))
        if row["could_turn"] is True:
            notes.append("Judging the unjudged documents could change this.")
        common = [
            *by_judge(facts, inside),
            *within_repeats(facts, measure, self.topics, (0, 1), row["difference"]),
        ]
        if row["verdict"] != UNKNOWN and is_skewed(differences(self.values)):
            common = [NOT_EXACT, *common]
        return [*notes, *map(_capitalised, common)]

    def _where_both_answer(self, verdict: str) -> list[str]:
        """Whether a claim rests on the topics that the other run does not answer, in words."""
        if verdict not in ("a better", "b better"):
            return []
        unanswered = self.facts.unanswered(self.measure)[:, self.topics]
        text = without_missing(self.values, unanswered, self.level)
        return [text] if text else []


def _gap(difference: float) -> str:
    """A difference in words."""
    if difference == 0:
        return "the same"
    return f"{abs(difference):.4f} {'higher' if difference > 0 else 'lower'}"


def _ruled_out(row: Row, margin: float) -> str:
    ruled_out = -margin < row["low"] and row["high"] < margin
    return f" A difference of {margin:g} or more is {'' if ruled_out else 'not '}ruled out."


def _capitalised(sentence: str) -> str:
    return f"{sentence[0].upper()}{sentence[1:]}."


# On a sample --------------------------------------------------------------------------------------


def _compare_sample(
    chosen: Sequence[Measure],
    judgments: Sampled,
    runs: Row,
    *,
    level: float,
    margin: float | None,
    missing: float,
    groups: Groups | None,
    seed: int | None,
) -> Comparison:
    """`irpref_lab.compare` on a sample."""
    parts, share = parts_of(groups, judgments), judgments.share(level)
    rows, text, topics = [], [], []
    for whole in judgments.values(chosen, runs):
        for group, inside in parts.items():
            estimates = whole.on(inside)
            estimated = estimates.values
            labels: Row = {
                "measure": estimated.measure,
                **({} if group is None else {"group": group}),
            }
            against = grounds_on_sample(judgments, estimates, missing, (0, 1))
            row = labels | _sample_row(estimated, share, seed, against)
            row |= judged_interval(judgments, estimates, level)
            rows.append(row)
            sentence = _sample_sentence(row, estimated, share, margin, against)
            text.append(f"{sentence} {go_on(judgments, estimates, row)}")
            values = {"query_id": estimated.topics, "a": math.nan, "b": math.nan}
            topics.append(pd.DataFrame({**labels, **values, "difference": differences(estimated)}))
    table = _comparison(rows, topics, [*text, judgments.text], share)
    table = table.astype(dict.fromkeys(("wins", "losses", "equal"), "Int64"))
    table.evidence, table.names, table.level = None, list(runs), level
    table.notes = thresholds_on(chosen, judgments)
    return table.made()


def _sample_row(
    values: TopicValues, share: float, seed: int | None, against: Sequence[Ground]
) -> Row:
    """The numbers that a sample says, and the verdict."""
    gain, mean = gains(values)
    codes = [ground.code for ground in against]
    tested = _tested(values, share, seed) if codes in ([], [NO_LOOK]) else _UNTESTED
    return {
        "mean_a": math.nan,
        "mean_b": math.nan,
        "difference": mean + 0.0,
        **tested,
        "wins": None,
        "losses": None,
        "equal": None,
        "topics": gain.size,
        "verdict": UNKNOWN if against else _verdict(mean, tested["p"], share),
        "codes": ", ".join(codes),
        "could_turn": None,
    }


def _sample_sentence(
    row: Row,
    values: TopicValues,
    share: float,
    margin: float | None,
    against: Sequence[Ground],
) -> str:
    """The verdict on a sample, and the numbers that it rests on."""
    head = values.measure + (f", {row['group']}" if "group" in row else "")
    a, b = values.systems
    gap = abs(row["difference"])
    numbers = f"{row['topics']:,} topic{'s' * (row['topics'] != 1)}"
    if not math.isnan(row["p"]):
        numbers = f"{p_equals(row['p'])}, {numbers}"
    if math.isfinite(row["high"]):
        low, high = row["low"], row["high"]
        if row["verdict"] not in (EQUAL, UNKNOWN):
            low, high = sorted((abs(low), abs(high)))
        numbers = f"{100 * share:.4g} % interval {low:.4f} to {high:.4f}, {numbers}"
    higher = f"{b} scores {_gap(row['difference'])}"
    if row["difference"] == 0:
        higher = "both score the same"
    if row["verdict"] == UNKNOWN:
        reasons = "; ".join(ground.text for ground in against)
        return f"{head}: {higher} ({numbers}); cannot tell, {reasons}."
    if row["verdict"] == EQUAL:
        text = f"{head}: {a} and {b} are not shown to differ: {higher} ({numbers})."
    else:
        better, worse = (b, a) if row["difference"] > 0 else (a, b)
        text = f"{head}: {better} is better than {worse} by {gap:.4f} ({numbers})."
    if margin is not None and math.isfinite(row["high"]):
        text += _ruled_out(row, margin)
    if is_skewed(differences(values)):
        text += f" {_capitalised(NOT_EXACT)}"
    return text
