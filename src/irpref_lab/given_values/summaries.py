"""Rows that summarise the topics, such as the mean under a table: they are no topics."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from irpref.errors import InputError
from irpref.kernel import Bools
from irpref.messages import IrprefWarning, warn_user
from irpref.observed import is_count
from irpref_lab.given_values.tables import MEANS, known_measure

# What tools call the mean or sum of all topics. `all` is never a topic; a topic may have one of the
# other names.
_NAMES = frozenset(
    {"all", "amean", "average", "avg", "macro", "macroaverage", "macroavg", "mean", "overall"}
    | {"total"}
)
_DEVIATIONS = frozenset({"sd", "std", "stddev", "stdev"})
_OF_TREC_EVAL = ("gm_", "num_")  # how names begin of its means of logarithms, and of its sums
_ABSOLUTE, _RELATIVE = 5e-4, 1e-3  # by which a printed mean may differ from that of the values
_PRINTED = 4  # digits that trec_eval prints
_SERIES = ["system", "collection", "measure"]


def is_all(topic: str) -> bool:
    """Tell whether a topic is the line of means that `trec_eval -q` prints."""
    return _word(topic) == "all"


def without_summaries(rows: pd.DataFrame) -> pd.DataFrame:
    """Leave out rows of means, and of deviations beside these.

    `all` is left out in any case. Another name is of a summary if, for most systems and measures,
    its value is the mean or the sum of the other topics, or their deviation. Systems and measures
    with the same value on all topics say nothing about this.

    Raises
    ------
    InputError
        A system has such rows only, and others have more.

    Warns
    -----
    IrprefWarning
        `all` has another mean than the topics; a topic with the name of a mean is none; a row with
        another name than `all` is left out.
    """
    words = {topic: _word(topic) for topic in pd.unique(rows["topic"])}
    named = [topic for topic, word in words.items() if word in _NAMES]
    deviations = {topic for topic, word in words.items() if word in _DEVIATIONS}
    if not named or len(named) + len(deviations) == len(words):
        return rows
    found = {topic for topic in named if words[topic] == "all"}
    for topic in named:
        # The other names may be those of topics.
        for others in ({*named, *deviations}, {*found, topic}):
            if topic not in found and _summarises(topic, rows, others, ("mean", "sum")):
                found.add(topic)
    candidates = list(named)
    if found:
        candidates += [topic for topic in words if topic in deviations]
        without = found | deviations
        found |= {topic for topic in deviations if _summarises(topic, rows, without, ("std", "sd"))}
    for topic in candidates:
        if topic not in found:
            what = "deviations" if topic in deviations else "means"
            warn_user(
                f"topic {topic!r} counts as one: its values are not the {what} of the other topics",
                IrprefWarning,
            )
    if told := [topic for topic in words if topic in found and words[topic] != "all"]:
        warn_user(
            f"{', '.join(map(repr, told))}: left out, since the values are those of the other "
            f"topics together",
            IrprefWarning,
        )
    is_summary = rows["topic"].isin(found)
    kept = rows[~is_summary]
    only_means = set(rows.loc[is_summary, "system"]) - set(kept["system"])
    if only_means:
        raise InputError(f"system {min(only_means)!r} {MEANS}")
    for topic in named:
        if words[topic] == "all":
            _check_means(rows[rows["topic"] == topic], kept)
    return kept


def _word(topic: str) -> str:
    return "".join(c for c in topic.lower() if c not in " _-")


def _summarises(
    topic: str, rows: pd.DataFrame, without: Collection[str], statistics: Sequence[str]
) -> bool:
    """Test whether most values of a topic are statistics of the topics but those `without`."""
    both = _beside(rows[rows["topic"] == topic], rows[~rows["topic"].isin(without)])
    both = both[both["sd"] > 0]
    rounding = max(_ABSOLUTE, 0.5 * 10.0 ** -max(_digits(both["value"]), 2))
    fits = [_is_near(both["value"], both[name], rounding) for name in statistics]
    return 2 * int(np.any(fits, axis=0).sum()) > len(both)


def _beside(summaries: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Put the mean, the sum, the number and the deviations of other values of its series beside
    each summary.
    """
    series = others.assign(collection=others["collection"].fillna(""))
    grouped = series.groupby(_SERIES)["value"]
    of_series = grouped.agg(["mean", "sum", "count", "std"]).reset_index()
    of_series["sd"] = of_series["std"] * np.sqrt(1 - 1 / of_series["count"])  # of a population
    mine = summaries.assign(collection=summaries["collection"].fillna(""))
    both = mine.merge(of_series, on=_SERIES)
    return both[both["value"].notna() & both["mean"].notna()]


def _is_near(printed: pd.Series, expected: pd.Series, rounding: float) -> Bools:
    return np.isclose(printed, expected, rtol=_RELATIVE, atol=rounding)


def _check_means(summaries: pd.DataFrame, kept: pd.DataFrame) -> None:
    """Warn if a tool printed another mean than the values have, by a measure with a mean."""
    of_means = [name for name in pd.unique(summaries["measure"]) if _has_mean(name)]
    both = _beside(summaries[summaries["measure"].isin(of_means)], kept)
    if not len(both):
        return
    # Zeros at the end of a number are not known, so that one mean does not tell the digits.
    digits = max(_digits(both["value"]), min(_PRINTED, _digits(kept["value"])))
    # The mean is rounded, and so are the values.
    apart = both[(both["value"] - both["mean"]).abs() > 1.01 * 10.0**-digits + 1e-12]
    for row in apart.itertuples():
        of = f" of {row.system}" * (kept["system"].nunique() > 1)
        warn_user(
            f"{row.measure}: the line {row.topic!r}{of} has the mean {row.value:.{digits}f}, and "
            f"the mean of the {row.count:,} topics here is {row.mean:.4g}: are topics missing?",
            IrprefWarning,
        )


def _has_mean(measure: str) -> bool:
    known = known_measure(measure)
    is_other = measure.lower().startswith(_OF_TREC_EVAL)
    return known is not None and not is_count(known) and not is_other


def _digits(values: pd.Series) -> int:
    """Count the decimal places of the longest of some numbers, six at most."""
    texts = {f"{value:.6f}".rstrip("0") for value in values.dropna()}
    return max((len(text.partition(".")[2]) for text in texts), default=0)
