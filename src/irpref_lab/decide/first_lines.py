"""The line that a result about many runs begins with, which stands alone: which run is best and
which are not shown to differ from it, or which are better or worse than a baseline.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from irpref.messages import visible
from irpref.observed import FEW_TOPICS, OF_BOTH
from irpref_lab.decide.all_pairs import AgainstClaims, significant

MOST_NAMED = 3  # runs of one kind, before their number is given
NOT_TESTED = "differences were not tested"

Sentences: TypeAlias = dict[tuple[str, str | None], str]  # by measure and group


@dataclass(frozen=True, slots=True)
class Field:
    """The runs that a line describes, by one measure on some topics.

    Attributes
    ----------
    where : str
        Measure and group, as the line begins.
    size : str
        How many topics there are.
    means : mapping of run to float
        The runs that take part; NaN if a mean is not known.
    left_out : sequence of str
        Runs that take no part.
    value : str
        The word for a mean: "sum" for measures that count.
    """

    where: str
    size: str
    means: Mapping[str, float]
    left_out: Sequence[str] = ()
    value: str = "mean"

    def line(self, text: str) -> str:
        """Return the line, with the runs that take no part at its end."""
        n = len(self.left_out)
        out = f"; {named_in_short(self.left_out)} take{'s' * (n == 1)} no part" if n else ""
        return f"{self.where}: {text}{out}."

    def known(self, name: str, *more: str) -> str:
        """Return the mean of a run, if it is known, and more, in brackets."""
        mean = self.means[name]
        inside = ", ".join([*([] if math.isnan(mean) else [f"{mean:.4f}"]), *more])
        return f" ({inside})" if inside else ""


def where(measure: Any, group: str | None, higher_is_better: bool) -> str:
    """Return measure and group, as a line begins."""
    text = str(measure) + ("" if higher_is_better else " (lower is better)")
    return text if group is None else f"{text}, {group}"


def n_topics(n: int) -> str:
    """Return a number of topics in words."""
    return f"{n:,} topic{'s' * (n != 1)}"


# Which is best? -----------------------------------------------------------------------------------


def best_of(
    field: Field,
    best: Sequence[str],
    worse: Collection[str] | None,
    unknown: Mapping[str, str],
) -> str:
    """Say which run is best, and which are not shown to differ from it.

    Parameters
    ----------
    field : Field
    best : sequence of str
        The runs with the best mean; several if it is the same.
    worse : collection of str, optional
        Runs that are shown to be worse than all of these. None: nothing was tested.
    unknown : mapping of run to str
        Runs of which this cannot be told, with the reason.
    """
    others = [name for name in field.means if name not in best]
    mean = field.known(best[0], field.size)
    if not others and len(best) == 1:
        known = "" if math.isnan(field.means[best[0]]) else f" of {field.means[best[0]]:.4f}"
        return field.line(f"{visible(best[0])} has a {field.value}{known}, {field.size}")
    if not others:
        every = named_in_short(best) if len(best) == 2 else f"all {len(best):,} runs"
        return field.line(f"{every} have the same {field.value}{mean}")
    head = (
        f"{named_in_short(best)} {'has' if len(best) == 1 else 'have'} the best {field.value}{mean}"
    )
    if worse is None:
        return field.line(f"{head} of {len(field.means):,} runs; {NOT_TESTED}")
    if len(field.means) == 2:
        return field.line(_of_two(field, best[0], others[0], worse, unknown))
    alike = [name for name in others if name not in worse and name not in unknown]
    lost = [name for name in others if name in unknown]
    n, them = len(others), "it" if len(best) == 1 else "them"
    if not alike and not lost:
        every = f"each of the other {n:,} runs" if n > 1 else visible(others[0])
        return field.line(f"{head} and {'is' if len(best) == 1 else 'are'} better than {every}")
    parts = [head]
    if len(alike) == n > 1:
        parts.append(f"none of the other {n:,} runs is shown to differ from {them}")
    elif len(alike) == n:
        parts.append(f"{visible(alike[0])} is not shown to differ from {them}")
    elif alike:
        parts.append(
            f"{len(alike):,} of the other {n:,} runs {_are(alike)} not shown to differ from "
            f"{them}: {named_in_short(alike)}"
        )
    if lost:
        differ = f"{named_in_short(lost)} differ{'s' * (len(lost) == 1)} from {them}"
        if len(lost) == n > 1:
            differ = f"any of the other {n:,} runs differs from {them}"
        parts.append(f"cannot tell whether {differ}: {_why(lost, unknown)}")
    return field.line("; ".join(parts))


def beside_best(
    best: Sequence[str],
    runs: Iterable[str],
    pairs: Any,
    level: float,
    against: AgainstClaims,
) -> tuple[set[str], dict[str, str]]:
    """Find the runs that are shown to be worse than the best, and those of which it cannot be told,
    with the reason.

    Parameters
    ----------
    best : sequence of str
    runs : iterable of str
        All runs.
    pairs : DataFrame
        Tests of all pairs, with `a`, `b`, `p_adjusted` and `codes`.
    level : float
    against : AgainstClaims
    """
    worse, unknown = set(runs), dict[str, str]()
    for name in best:
        of_best = pairs[(pairs["a"] == name) | (pairs["b"] == name)]
        others = of_best["b"].where(of_best["a"] == name, of_best["a"])
        shown = significant(of_best["p_adjusted"], level)
        worse &= set(others[shown & (of_best["codes"] == "").to_numpy()])
        # With few-topics the interval leaves it open, which is not shown to differ.
        for other in others[~of_best["codes"].isin(["", FEW_TOPICS.name])]:
            of_other, of_name = (against.by_run.get(one, ()) for one in (other, name))
            of_both = [ground for ground in of_name if ground.code in OF_BOTH]
            # Of equal means, the codes may be those of `name`.
            first, *_ = *of_other, *of_both, *against.beside(other, name), *of_name
            unknown.setdefault(other, first.text)
    return worse, unknown


def _of_two(
    field: Field,
    best: str,
    other: str,
    worse: Collection[str],
    unknown: Mapping[str, str],
) -> str:
    """Say whether the better one of two runs is shown to be better."""
    a, b = (f"{visible(name)}{field.known(name)}" for name in (best, other))
    if other in unknown:
        return f"{a} and {b}, {field.size}: cannot tell, {unknown[other]}"
    if other in worse:
        return f"{a} is better than {b}, {field.size}"
    return f"{a} and {b} are not shown to differ, {field.size}"


# Which differ from a baseline? --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Standing:
    """How a run compares with a baseline.

    Attributes
    ----------
    difference : float
        Its mean minus the baseline's.
    kind : {'better', 'worse', 'equal', 'unknown', 'ahead', 'behind'}
        'ahead' and 'behind': its mean is better, or not, and nothing was tested.
    why : str
        The reason if it is unknown.
    """

    difference: float
    kind: str
    why: str = ""


def against_one(field: Field, base: str, runs: Mapping[str, Standing]) -> str:
    """Say which runs are shown to be better or worse than a baseline.

    Parameters
    ----------
    field : Field
    base : str
    runs : mapping of run to Standing
        The others, the best first.
    """
    baseline = f"{visible(base)}{field.known(base, field.size)}"
    by_kind: dict[str, list[str]] = {}
    for name, run in runs.items():
        by_kind.setdefault(run.kind, []).append(name)
    if {"ahead", "behind"} & set(by_kind):
        return field.line(_ahead(field, baseline, by_kind.get("ahead", []), len(runs)))
    if len(runs) == 1:
        return field.line(_of_one(field, base, *next(iter(runs.items()))))
    n = len(runs)
    parts: list[str] = []
    for kind in ("better", "worse"):
        if names := by_kind.get(kind):
            than = "" if parts else f" than {baseline}"
            which = f"{len(names):,}" + ("" if parts else f" of the {n:,} runs")
            head = f"each of the {n:,} runs is" if len(names) == n else f"{which} {_are(names)}"
            shown = [f"{name} ({runs[name].difference:+.4f})" for name in names]
            parts.append(f"{head} {kind}{than}: {named_in_short(shown)}")
    alike, lost = by_kind.get("equal", []), by_kind.get("unknown", [])
    if not parts and alike:
        parts.append(f"none of the {n:,} runs is shown to differ from {baseline}")
    elif alike:
        parts.append(f"{len(alike):,} {_are(alike)} not shown to differ: {named_in_short(alike)}")
    if not parts:
        why = _why(lost, {name: run.why for name, run in runs.items()})
        return field.line(
            f"cannot tell whether any of the {n:,} runs differs from {baseline}: {why}"
        )
    if lost:
        why = _why(lost, {name: run.why for name, run in runs.items()})
        parts.append(f"cannot tell about {len(lost):,}, {named_in_short(lost)}: {why}")
    return field.line("; ".join(parts))


def _ahead(field: Field, baseline: str, ahead: Sequence[str], n: int) -> str:
    """Count the runs with a better mean, if nothing was tested."""
    if len(ahead) == n:
        which = f"each of the {n:,} runs has" if n > 1 else f"{visible(ahead[0])} has"
    elif not ahead:
        which = f"none of the {n:,} runs has" if n > 1 else "the other run does not have"
    else:
        which = f"{len(ahead):,} of the {n:,} runs {'has' if len(ahead) == 1 else 'have'}"
    best = f", {visible(ahead[0])} the best{field.known(ahead[0])}" if ahead and n > 1 else ""
    return f"{which} a better {field.value} than {baseline}{best}; {NOT_TESTED}"


def _of_one(field: Field, base: str, name: str, run: Standing) -> str:
    """Say how the only run compares with the baseline."""
    a, b = (f"{visible(one)}{field.known(one)}" for one in (base, name))
    if run.kind == "unknown":
        return f"{a} and {b}, {field.size}: cannot tell, {run.why}"
    if run.kind == "equal":
        return f"{b} and {a} are not shown to differ: {run.difference:+.4f}, {field.size}"
    return f"{b} is {run.kind} than {a}: {run.difference:+.4f}, {field.size}"


# Words --------------------------------------------------------------------------------------------


def named_in_short(names: Sequence[str]) -> str:
    """Name the first few, and count the rest."""
    first, more = list(map(visible, names[:MOST_NAMED])), len(names) - MOST_NAMED
    if more > 0:
        return f"{', '.join(first)} and {more:,} more"
    return " and ".join([", ".join(first[:-1]), first[-1]] if len(first) > 1 else first)


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _why(names: Sequence[str], reasons: Mapping[str, str]) -> str:
    """Give the reason of the first run, and count further ones."""
    first, *others = dict.fromkeys(reasons[name] for name in names)
    if not others:
        return first
    return f"{first} (and {len(others):,} more reason{'s' * (len(others) > 1)})"
