"""Is B better than A? `compare` answers it with an interval and a sentence.

The test is the paired t-test, and the interval is its own, widened where almost all topics have the
same difference: see `irpref_lab.trust.t_tests` and `irpref_lab.trust.bounds`. A difference is
shown if the test rejects and the interval does not contain 0.

Topics are seen as a sample of those that the system will serve. A topic that a run does not answer
has the value of an empty list, as everywhere. If too many topics are missing, or a measure tells
too little, there are means and the reason, and no test: see `irpref.observed.codes`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import pandas as pd

from irpref.judged import Groups, QrelsLike, RunLike
from irpref.measures.declare import Measures
from irpref.messages import once_per_call
from irpref.observed import MISSING, limits_of
from irpref_lab.across import Collections, several
from irpref_lab.arguments import (
    LEVEL,
    check_level,
    check_margin,
    check_missing,
    check_names,
    check_unused,
)
from irpref_lab.calls import by_line
from irpref_lab.decide.all_pairs import EQUAL, UNKNOWN, described, named_verdict
from irpref_lab.decide.basis import basis_of
from irpref_lab.decide.in_place import measures_of, names_of_two
from irpref_lab.decide.over_collections.pairs import compare_over
from irpref_lab.decide.pair import NOT_EXACT, Pair, Row, labels, rounded_up
from irpref_lab.decide.questions import PairBasis, pairs
from irpref_lab.decide.results.collections import CollectionComparison
from irpref_lab.decide.results.comparison import Comparison
from irpref_lab.given_values.basis import GivenValues
from irpref_lab.messages import p_equals

_OF_TOPICS = ("measure", "group", "query_id", "difference")  # columns of `by_topic`


@by_line("a", "b", repeats=True)
@once_per_call
def compare(
    measures: Measures,
    qrels: QrelsLike | GivenValues | Collections,
    a: RunLike | Sequence[RunLike],
    b: RunLike | Sequence[RunLike],
    *,
    level: float = LEVEL,
    margin: float | None = None,
    missing: float = MISSING,
    groups: Groups | None = None,
    names: Sequence[str] | None = None,
    over: str = "topics",
) -> Comparison | CollectionComparison:
    """Test whether run b is better than run a: answer with an interval of the mean difference and a
    sentence.

    Parameters
    ----------
    measures : measures of any toolkit, or their names
    qrels : in any form that `irpref.evaluator` takes, or what `irpref_lab.sampled`,
        `irpref_lab.values` or `irpref_lab.collections` returns
    a, b : runs in any form that `irpref.evaluator` takes; of values and collections, names of
        systems
        A list of runs is one system that was run several times: its value of a topic is the mean of
        theirs.
    level : float in (0.5, 1)
        Confidence level of the interval; 1 - level is the level of the test.
    margin : float of at least 0, optional
        The smallest difference that matters to you: the text tells you if differences of this size
        are ruled out, and about how many topics would rule out a loss of this size. It must be
        smaller than the range of the measure.
    missing : float in [0, 1)
        Share of the answerable topics that may be missing from a run.
    groups : mapping of topic to group, path of a file, or name of a column of the qrels, optional
        A comparison for each group of topics, with a column `group`.
    names : two different str, optional
        Names of the runs in the text. By default paths are named as `irpref eval` names them, other
        runs `a` and `b`.

    over : {'topics', 'collections'}
        Of collections: whether topics of these collections are the sample, or collections. See
        `irpref_lab.across.strata`.

    Returns
    -------
    Comparison
        A DataFrame with a row for each measure: `measure`, `mean_a`, `mean_b`, `difference` (b -
        a), `low`, `high` (interval of the difference; missing with fewer than five topics), `p`,
        `effect_size` (difference over the residual standard deviation of the two runs), `wins`,
        `losses`, `equal` (topics on which b is better, worse, the same), `topics`, `verdict`: `'b
        better'`, `'a better'`, `'not shown to differ'`, in the direction of the measure, or
        `'cannot tell'`, with `low`, `high` and `p` missing; `codes` (the reasons why not, see
        `irpref.evidence`), `topics_by_code` (what the topics cannot say, see `irpref.evidence`),
        `could_turn` (whether judging unjudged documents could change the verdict; missing if
        unknown), `missing_a`, `missing_b` (topics without documents), `unjudged_a`, `unjudged_b`
        (share of unjudged documents in the first ten). With a judge, also `by_judge_a`,
        `by_judge_b` (share of the first ten that the judge alone graded). If a system was run
        several times, also `repeats_a`, `repeats_b` and `sd_repeats_a`, `sd_repeats_b` (standard
        deviation of the mean between them). `text` has the sentences.

        On judgments of a sample there are two more columns, `low_judged` and `high_judged`: the
        interval of the difference under full human judgments of these topics. What a sample does
        not say (means of single runs among it) is missing: see `irpref_lab.judges.sampled_runs`.

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
    AP: b (0.5177) is better than a (0.3443): +0.1734 (95 % interval ... p = 0.0012, 30 topics)
    a has no documents for 1 of 30 topics; it counts as an empty ranking
    b has 34 to 49 documents for 22 of 30 topics, fewer than half as many as another run, ... ranks
    Judging the unjudged documents could change this.
    """
    level, missing = check_level(level), check_missing(missing)
    if (of_several := several(qrels)) is not None:
        check_unused("several collections", margin=margin, groups=groups)
        return compare_over(
            measures,
            of_several,
            str(a),
            str(b),
            over=over,
            level=level,
            missing=missing,
            names=names,
        )
    check_unused("one collection", over=over)
    chosen = measures_of(measures, qrels)
    for measure in chosen if margin is not None else ():
        check_margin(margin, limits_of(measure))
    names = (names_of_two(a, b) or ["a", "b"]) if names is None else list(names)
    check_names(names, _OF_TOPICS)
    basis = basis_of(chosen, qrels, dict(zip(names, (a, b), strict=True)))
    parts, share = basis.parts(groups), basis.share(level)
    rows, text, topics = [], [], []

    for pair in pairs(basis, "claim", parts, missing, decide=partial(_decided, level=share)):
        row = _row(pair, basis, groups is not None, share, level)
        rows.append(row)
        text.append(basis.heading + _sentence(pair, basis, row, share, margin, missing))
        of_pair = labels(pair.measure, pair.group, groups is not None) | pair.by_topic()
        topics.append(pd.DataFrame(of_pair))
    counts = dict.fromkeys(("wins", "losses", "equal"), "Int64")
    table = Comparison(rows).astype({"could_turn": "boolean", **counts})
    by_measure = pd.concat(topics).groupby("measure", sort=False)
    table.by_topic = pd.concat(
        [part.sort_values("difference", ascending=False, kind="stable") for _, part in by_measure],
        ignore_index=True,
    )
    n_topics = None if groups is not None else rows[0]["topics"]
    table.test = described("holm", 2, n_topics, share)
    table.text = "\n".join([*text, f"test: {table.test}"])
    table.evidence, table.names, table.level = basis.frame(parts), names, level
    table.notes = [*basis.notes("claim"), *_tested_alone(basis, share)]
    table.grave = basis.grave()
    return table.made()


def _row(pair: Pair, basis: PairBasis, grouped: bool, share: float, level: float) -> Row:
    """Return the numbers of a pair, and the verdict."""
    low, high, p, effect = math.nan, math.nan, math.nan, math.nan
    verdict = UNKNOWN
    if pair.has_numbers:
        (low, high), p, effect = pair.interval(share), pair.p, pair.effect_size
    if not pair.grounds:
        verdict = decide(pair, share)
    mean_a, mean_b = pair.means
    row = {
        **labels(pair.measure, pair.group, grouped),
        "mean_a": mean_a,
        "mean_b": mean_b,
        "difference": pair.difference,
        "low": low,
        "high": high,
        "p": p,
        "effect_size": effect,
        **pair.counts(),
        "topics": pair.n_topics,
        "verdict": verdict,
        "codes": pair.codes,
        **basis.columns(pair, "ab", level),
    }
    row["could_turn"] = _could_turn(pair, basis, row)
    return row


def _decided(pair: Pair, level: float) -> str:
    """Return the verdict with the name of the better system."""
    return named_verdict(decide(pair, level), pair.names)


def decide(pair: Pair, level: float) -> str:
    """Return the verdict on a pair if nothing rules it out."""
    return _verdict(pair.mean_gain if pair.is_shown(level) else 0.0)


def _verdict(shown_gain: float) -> str:
    if not shown_gain:
        return EQUAL
    return "b better" if shown_gain > 0 else "a better"


def _could_turn(pair: Pair, basis: PairBasis, row: Row) -> bool | None:
    """Tell whether judging unjudged documents could change the verdict."""
    if row["verdict"] == UNKNOWN or not math.isfinite(row["low"] + row["high"]):
        return None
    down, up = row["difference"] - row["low"], row["high"] - row["difference"]

    def verdict(end: float) -> str:
        low, high = end * pair.scale - down, end * pair.scale + up
        return _verdict(0.0 if low <= 0 <= high else pair.sign * low)

    return basis.could_turn(pair, verdict, row["verdict"])


def _sentence(
    pair: Pair, basis: PairBasis, row: Row, share: float, margin: float | None, missing: float
) -> str:
    """State the verdict, the numbers behind it, and its limits."""
    a, b = (
        name if math.isnan(mean) else f"{name} ({mean:.4f})"
        for name, mean in zip(pair.names, pair.means, strict=True)
    )
    verdict = row["verdict"]
    numbers = f"{row['difference']:+.4f} {_numbers(row, share)}"
    if verdict == UNKNOWN:
        known = "" if pair.knows_means else f" {numbers},"
        text = f"{pair.where}: {a} and {b}:{known} {UNKNOWN}, {pair.reason}."
    elif verdict == EQUAL:
        text = f"{pair.where}: {b} and {a} are {EQUAL}: {numbers}."
    else:
        how = "better" if verdict == "b better" else "worse"
        text = f"{pair.where}: {b} is {how} than {a}: {numbers}."
    if margin is not None and verdict != UNKNOWN and math.isfinite(row["high"]):
        text += _ruled_out(pair, row, margin, share)
    notes = basis.sentences("claim", pair, row, missing)
    if verdict not in (UNKNOWN, EQUAL):
        notes += filter(None, [pair.where_both_answer(share)])
    if verdict != UNKNOWN and pair.is_skewed:
        notes.append(NOT_EXACT)
    return " ".join([text, *(_as_sentence(note, pair.names) for note in notes)])


def _as_sentence(text: str, names: Sequence[str]) -> str:
    """End with a full stop, and begin with a capital unless a name comes first."""
    begins_with_name = any(text.startswith(f"{name} ") for name in names)
    return f"{text}." if begins_with_name else f"{text[0].upper()}{text[1:]}."


def _numbers(row: Row, level: float) -> str:
    """Return the numbers behind a difference, in brackets."""
    parts = []
    if math.isfinite(row["high"]):
        parts.append(f"{100 * level:.4g} % interval {row['low']:+.4f} to {row['high']:+.4f}")
    elif not math.isnan(row["p"]):
        parts.append("too few topics for an interval")
    if not math.isnan(row["p"]):
        parts.append(p_equals(row["p"]))
    parts.append(f"{row['topics']:,} topic{'s' * (row['topics'] != 1)}")
    return f"({', '.join(parts)})"


def _ruled_out(pair: Pair, row: Row, margin: float, level: float) -> str:
    if -margin < row["low"] and row["high"] < margin:
        return f" A difference of {margin:g} or more is ruled out."
    text = f" A difference of {margin:g} or more is not ruled out."
    needed = pair.topics_needed(margin, level)
    if needed and min(pair.sign * row["low"], pair.sign * row["high"]) <= -margin:
        text += f" About {rounded_up(needed):,} topics would rule out a loss of {margin:g}."
    return text


def _tested_alone(basis: PairBasis, level: float) -> list[str]:
    """Say that each of several measures is tested on its own."""
    n = len(basis.measures)
    if n < 2:
        return []
    most = min(n * (1 - level), 1.0)
    return [
        f"{n} measures are tested, each at {100 * level:.4g} %: if the runs were equal, one of "
        f"them could be called different with a chance of up to {100 * most:.0f} %"
    ]
