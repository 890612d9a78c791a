"""The verdict of a gate in one line, which stands alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from irpref.observed import FEWEST
from irpref.values import higher_is_better
from irpref_lab.decide.all_pairs import significant
from irpref_lab.decide.pair import Row, rounded_up

if TYPE_CHECKING:
    from irpref_lab.decide.gating import Rule


def first_line(rows: Sequence[Row], rule: Rule, verdict: str, unanswered: Sequence[str]) -> str:
    """Return the verdict in one line.

    Parameters
    ----------
    rows : rows of the table
    rule : Rule
    verdict : {'pass', 'block', 'inconclusive'}
    unanswered : sequence of str
        The effect on each measure of topics that the candidate does not answer.
    """
    body = {"block": _blocked, "pass": _passed, "inconclusive": _unknown}[verdict]
    return body(_Summary(rows, rule, unanswered)) + _groups(rows, rule)


class _Summary:
    """The rows over all topics, and how many topics they are about."""

    def __init__(self, rows: Sequence[Row], rule: Rule, unanswered: Sequence[str]) -> None:
        self.rows, self.rule, self.unanswered = rows, rule, unanswered
        self.whole = [row for row in rows if row.get("group") is None]
        self.at = f"at {100 * rule.level:.4g} %"
        sizes, lost = ([row[name] for row in self.whole] for name in ("topics", "left_out"))
        self.topics = f"{_range(sizes)} topic{'s' * (max(sizes) != 1)}"
        self.compared = f"{self.topics} compared"
        if any(lost):
            self.topics = self.compared = f"{self.compared}, {_range(lost)} left out"


def _blocked(summary: _Summary) -> str:
    shown = [row for row in summary.rows if row["verdict"] == "block"]
    if any(row["verdict"] != "pass" for row in summary.whole):
        shown += [row for row in summary.whole if row["worse"] and row not in shown]
    losses = [
        f"{row['measure']}{_where(row)} is worse, {row['difference']:+.4f} "
        f"({row['low']:+.4f} to {row['high']:+.4f} {summary.at})"
        for row in summary.rows
        if any(row is one for one in shown)
    ]
    losses += [
        f"{row['measure']} is worse than the reference, {row['difference_reference']:+.4f} "
        f"({row['low_reference']:+.4f} to {row['high_reference']:+.4f} {summary.at})"
        for row in summary.whole
        if row.get("worse_reference")
    ]
    first = f"{'; '.join(summary.unanswered)}; " if summary.unanswered else ""
    return f"blocked: {first}{', '.join(losses)}, {summary.topics}"


def _passed(summary: _Summary) -> str:
    changes = [
        f"{row['measure']} {row['difference']:+.4f}, at worst "
        f"{row['low' if higher_is_better(row['measure']) else 'high']:+.4f}"
        for row in summary.whole
    ]
    at = f"{summary.at}, margin {summary.rule.margin:g}"
    return f"passed: {'; '.join(changes)} ({at}), {summary.topics}"


def _unknown(summary: _Summary) -> str:
    open_rows = [row for row in summary.whole if row["verdict"] == "inconclusive"]
    reasons: dict[str, list[str]] = {}
    for row in open_rows:
        reasons.setdefault(row["reason"], []).append(row["measure"])
    stopped = [f"{text}{_of(names, summary.whole)}" for text, names in reasons.items() if text]
    if stopped:
        return f"cannot tell: {'; '.join(stopped)}; {summary.compared}"
    known = [row["topics_needed"] for row in open_rows if row["topics_needed"] is not None]
    decide = ""
    if known:
        number = f"{rounded_up(max(known)):,}"
        decide = f"; about {number} would rule out a loss of {summary.rule.margin:g}"
    which = f" ({', '.join(row['measure'] for row in open_rows)})" if len(summary.whole) > 1 else ""
    return f"cannot tell: {summary.topics}{decide}{which}"


def _groups(rows: Sequence[Row], rule: Rule) -> str:
    """Say how groups of topics are watched, and which are too small to show any loss."""
    groups = [row for row in rows if row.get("group") is not None]
    if not groups:
        return ""
    small: dict[str, int] = {}
    for row in groups:
        # The smallest p of so many topics is that of losses that are all the same.
        least = 2.0 ** -max(row["topics"], 1) * rule.n_rows
        if row["topics"] < FEWEST or not significant(least, rule.level):
            small[str(row["group"])] = row["topics"]
    text = "; groups are watched for losses that are shown, not protected to the margin"
    if small:
        named = ", ".join(f"{group} ({n})" for group, n in small.items())
        text += f"; groups too small to tell: {named}"
    return text


def _where(row: Row) -> str:
    return "" if row.get("group") is None else f" in {row['group']}"


def _range(numbers: Sequence[int]) -> str:
    return " to ".join(f"{n:,}" for n in dict.fromkeys((min(numbers), max(numbers))))


def _of(names: Sequence[str], whole: Sequence[Row]) -> str:
    """Return the measures that a reason concerns, if not all."""
    return f" ({', '.join(names)})" if len(names) < len(whole) else ""
