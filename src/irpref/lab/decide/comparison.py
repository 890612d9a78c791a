"""Is B better than A? `compare` answers it with an interval and a sentence.

The test is the sign-flip test of the mean difference, and the interval holds all differences that
it does not reject: it holds 0 if and only if the runs are not shown to differ. See
`irpref.lab.decide.sign_flips`.

Topics are seen as a sample of those that the system will serve. A topic that a run does not answer
has the value of an empty list, as everywhere. If too many topics are missing, or a measure tells
too little, there are means and the reason, and no test: see `irpref.lab.decide.grounds`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from ir_measures.measures import Measure

from irpref.data.run_names import named_runs
from irpref.errors import ArgumentError, MeasureError
from irpref.judged.groups import groups_of
from irpref.judged.inputs import in_memory
from irpref.judged.judgments import judgments
from irpref.judged.types import Groups, Qrels, Run
from irpref.kernel.segments import Bools
from irpref.lab.decide.all_pairs import LEVEL, PAIRS, described, significant
from irpref.lab.decide.grounds import (
    Ground,
    check_missing,
    grounds,
)
from irpref.lab.decide.on_samples import (
    NO_LOOK,
    go_on,
    judged_interval,
    parts_of,
    stands_against,
)
from irpref.lab.decide.paired import (
    NOT_EXACT,
    about,
    differences,
    gains,
    is_skewed,
    needed,
    without_missing,
)
from irpref.lab.decide.sign_flips import N_PERMUTATIONS, interval, stepdown
from irpref.lab.decide.turning import Turning
from irpref.lab.judges.sampled import Sampled
from irpref.lab.printed_tables import of_comparison
from irpref.lab.remarks import (
    about_topics,
    by_judge,
    columns_of_judge,
    columns_of_repeats,
    repeated,
    topics_by_code,
    within_repeats,
)
from irpref.lab.trust.design import residual_variance
from irpref.lab.trust.frames import ResultFrame
from irpref.lab.trust.samples import Rng, fixed_seed
from irpref.lab.trust.topics import FEWEST, check_level, difference_in_range
from irpref.measures.declare import Measures
from irpref.measures.names import parse_all
from irpref.messages import once_per_call, p_equals
from irpref.show.text import Table
from irpref.values.evidence import gathered, repeats_in
from irpref.values.facts import MISSING, Evidence, check_present
from irpref.values.matrix import TopicValues
from irpref.values.means import have_a_value
from irpref.values.thresholds import thresholds_on

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
    qrels: Qrels,
    a: Run | Sequence[Run],
    b: Run | Sequence[Run],
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
    qrels : in any form that `irpref.evaluator` takes, or what `irpref.lab.sampled` returns
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
        `irpref.lab.leaderboard`.
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
        `irpref.lab.decide.grounds`), `topics_by_code` (what the topics cannot say, see
        `irpref.evidence`), `could_turn` (whether judging unjudged documents could change the
        verdict; missing if unknown). With a judge, also `by_judge_a`, `by_judge_b` (share of the
        first ten that the judge alone graded). If a system was run several times, also `repeats_a`,
        `repeats_b` and `sd_repeats_a`, `sd_repeats_b` (standard deviation of the mean between
        them). `text` has the sentences.

        On judgments of a sample there are two more columns, `low_judged` and `high_judged`: the
        interval of the difference under full human judgments of these topics. What a sample does
        not say (means of single runs among it) is missing: see `irpref.lab.decide.on_samples`.

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
    a has no documents for 1 of 30 topics; they count as empty rankings
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
    runs = {
        name: [in_memory(one) for one in repeats_in(run)]
        for name, run in zip(names, (a, b), strict=True)
    }
    seed = fixed_seed(rng)
    facts = gathered(chosen, read, runs)
    check_present(facts.systems, len(facts.topics))
    parts = groups_of(groups, read, facts.topics)
    turning = Turning(read, {name: one[0] for name, one in runs.items()}, facts)
    rows, text, topics = [], [], []
    for measure in facts.measures:
        tables = []
        for group, inside in parts.items():
            pair = _Compared(facts, measure, inside, level, missing)
            about_it = {"measure": str(measure), **({} if group is None else {"group": group})}
            row = {**about_it, **pair.row(seed)}
            row["could_turn"] = pair.could_turn(row, turning)
            rows.append(row)
            text.append(pair.sentence(row, margin))
            tables.append(pd.DataFrame({**about_it, **pair.by_topic()}))
        topics.append(pd.concat(tables).sort_values("difference", ascending=False, kind="stable"))
    table = Comparison(rows).astype({"could_turn": "boolean"})
    table.by_topic, table.evidence = pd.concat(topics, ignore_index=True), facts.frame(parts)
    n_topics = int(table["topics"].iloc[0]) if groups is None else None
    table.test = described(PAIRS, 2, n_topics, level, N_PERMUTATIONS)
    table.text = "\n".join([*text, f"test: {table.test}"])
    table.names, table.level = names, level
    everything: Bools = np.ones(len(facts.topics), bool)
    table.notes = [
        *about_topics(facts, facts.measures, everything, codes=_IN_NOTES),
        *repeated(facts, facts.measures, everything),
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
        raise ArgumentError(
            f"margin={margin!r} is not accepted, expected a difference of at least 0, such as 0.02",
            parameter="margin",
            value=margin,
        )


class _Compared:
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
            for ground in grounds(self.facts, self.measure, baseline, self.inside, self.missing)
            if ground.code != "few-topics"  # the sentence says how many there are
        }
        answerable = self.facts.answerable & self.inside
        unanswered = self.facts.unanswered(self.measure) & answerable
        for name, lost in zip(self.names, unanswered.sum(axis=1).tolist(), strict=True):
            if lost > self.missing * answerable.sum() and "unanswered" not in by_code:
                text = f"{name} has no documents for {lost:,} of {answerable.sum():,} topics"
                by_code["unanswered"] = Ground("unanswered", text)
        return list(by_code.values())

    def by_topic(self) -> dict[str, Any]:
        """Columns of the values by topic."""
        a, b = self.values.values
        return {
            "query_id": self.values.topics,
            "a": a,
            "b": b,
            "difference": differences(self.values),
        }

    def row(self, seed: int | None) -> dict[str, Any]:
        """The numbers, and the verdict."""
        values = self.values
        gain, mean = gains(values)
        sign = 1.0 if values.higher_is_better else -1.0
        low = high = p = effect = math.nan
        verdict = UNKNOWN
        if not self.grounds:
            p = float(stepdown(gain[None], rng=seed)[0][0])
            variance = residual_variance(values.values) if gain.size > 1 else 0.0
            effect = mean / math.sqrt(variance) if variance else 0.0 if mean == 0 else math.nan
            differs = mean != 0 and bool(significant(p, self.level))
            verdict = EQUAL if not differs else "b better" if mean > 0 else "a better"
            if gain.size >= FEWEST:
                low, high = interval(sign * gain, self.level, rng=seed)
                if values.is_sum:
                    low, high = low * values.scale, high * values.scale
                else:
                    low, high = difference_in_range(self.measure, low, high)
        return {
            "mean_a": float(values.means[0]),
            "mean_b": float(values.means[1]),
            "difference": sign * mean * values.scale + 0.0,
            "low": low,
            "high": high,
            "p": p,
            "effect_size": sign * effect + 0.0,
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

    def could_turn(self, row: Mapping[str, Any], turning: Turning) -> bool | None:
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

    def sentence(self, row: Mapping[str, Any], margin: float | None) -> str:
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
            text += f" About {about(wanted):,} topics would show a difference of this size."
        if margin is not None and not math.isnan(row["low"]):
            ruled_out = -margin < row["low"] and row["high"] < margin
            text += (
                f" A difference of {margin:g} or more is {'' if ruled_out else 'not '}ruled out."
            )
        return " ".join([text, *self._notes(row)])

    def _notes(self, row: Mapping[str, Any]) -> list[str]:
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
        notes += (
            f"{text[0].upper()}{text[1:]}." for text in self._where_both_answer(row["verdict"])
        )
        valued = int((self.topics & answerable).sum())
        if text := have_a_value([valued], int(answerable.sum())):
            notes.append(f"{text}.")
        if text := facts.own_text(inside):
            notes.append(f"{text}.")
        if row["could_turn"] is True:
            notes.append("Judging the unjudged documents could change this.")
        if row["verdict"] != UNKNOWN and is_skewed(differences(self.values)):
            notes.append(f"{NOT_EXACT[0].upper()}{NOT_EXACT[1:]}.")
        common = [
            *by_judge(facts, inside),
            *within_repeats(facts, measure, self.topics, (0, 1), row["difference"]),
        ]
        return [*notes, *(f"{sentence[0].upper()}{sentence[1:]}." for sentence in common)]

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


# On a sample --------------------------------------------------------------------------------------


def _compare_sample(
    chosen: Sequence[Measure],
    judgments: Sampled,
    runs: Mapping[str, Any],
    *,
    level: float,
    margin: float | None,
    missing: float,
    groups: Groups | None,
    seed: int | None,
) -> Comparison:
    """`irpref.lab.compare` on a sample."""
    parts, share = parts_of(groups, judgments), judgments.share(level)
    rows, text, topics = [], [], []
    for whole in judgments.values(chosen, runs):
        tables = []
        for group, inside in parts.items():
            estimates = whole.on(inside)
            estimated = estimates.values
            named = {"measure": estimated.measure, **({} if group is None else {"group": group})}
            against = stands_against(judgments, estimates, missing, (0, 1))
            row = (
                named
                | _sample_row(estimated, share, seed, against)
                | judged_interval(judgments, estimates, level)
            )
            rows.append(row)
            text.append(_sample_sentence(row, estimated, share, margin, against))
            text[-1] += " " + go_on(judgments, estimates, row)
            values = {"query_id": estimated.topics, "a": math.nan, "b": math.nan}
            tables.append(pd.DataFrame({**named, **values, "difference": differences(estimated)}))
        topics.append(pd.concat(tables).sort_values("difference", ascending=False, kind="stable"))
    counted = dict.fromkeys(("wins", "losses", "equal"), "Int64")
    table = Comparison(rows).astype({**counted, "could_turn": "boolean"})
    table.by_topic, table.evidence = pd.concat(topics, ignore_index=True), None
    n_topics = int(table["topics"].iloc[0]) if groups is None else None
    table.test = described(PAIRS, 2, n_topics, share, N_PERMUTATIONS)
    table.text = "\n".join([*text, judgments.text, f"test: {table.test}"])
    table.names, table.level = list(runs), level
    table.notes = thresholds_on(chosen, judgments)
    return table.made()


def _sample_row(
    values: TopicValues, share: float, seed: int | None, against: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    gain, mean = gains(values)
    low = high = p = effect = math.nan
    codes = [code for code, _ in against]
    if codes in ([], [NO_LOOK]):
        p = float(stepdown(gain[None], rng=seed)[0][0])
        variance = residual_variance(values.values) if gain.size > 1 else 0.0
        effect = mean / math.sqrt(variance) if variance else 0.0 if mean == 0 else math.nan
        if gain.size >= FEWEST:
            low, high = interval(gain, share, rng=seed)
    verdict = UNKNOWN
    if not against:
        differs = mean != 0 and bool(significant(p, share))
        verdict = EQUAL if not differs else "b better" if mean > 0 else "a better"
    return {
        "mean_a": math.nan,
        "mean_b": math.nan,
        "difference": mean + 0.0,
        "low": low,
        "high": high,
        "p": p,
        "effect_size": effect + 0.0,
        "wins": None,
        "losses": None,
        "equal": None,
        "topics": gain.size,
        "verdict": verdict,
        "codes": ", ".join(codes),
        "could_turn": None,
    }


def _sample_sentence(
    row: Mapping[str, Any],
    values: TopicValues,
    share: float,
    margin: float | None,
    against: Sequence[tuple[str, str]],
) -> str:
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
    higher = f"{b} scores {gap:.4f} {'higher' if row['difference'] > 0 else 'lower'}"
    if row["difference"] == 0:
        higher = "both score the same"
    if row["verdict"] == UNKNOWN:
        reasons = "; ".join(text for _, text in against)
        return f"{head}: {higher} ({numbers}); cannot tell, {reasons}."
    if row["verdict"] == EQUAL:
        text = f"{head}: {a} and {b} are not shown to differ: {higher} ({numbers})."
    else:
        better, worse = (b, a) if row["difference"] > 0 else (a, b)
        text = f"{head}: {better} is better than {worse} by {gap:.4f} ({numbers})."
    if margin is not None and math.isfinite(row["high"]):
        ruled_out = -margin < row["low"] and row["high"] < margin
        text += f" A difference of {margin:g} or more is {'' if ruled_out else 'not '}ruled out."
    if is_skewed(differences(values)):
        text += f" {NOT_EXACT[0].upper()}{NOT_EXACT[1:]}."
    return text
