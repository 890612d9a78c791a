"""The result of `irpref_lab.judge`, and its tables."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from irpref.show import ResultFrame, Table, of_frame, rounded
from irpref_lab.decide.first_lines import Sentences
from irpref_lab.judges.additive import refusal
from irpref_lab.messages import p_value

_OF_PREDICTIONS = {
    "human": "humans",
    "judge": "judge",
    "topics_human": "topics (humans)",
    "topics_judge": "topics (judge)",
    "p_human": "p (humans)",
    "p_judge": "p (judge)",
    "topics_needed": "topics needed",
    "judge_only": "judge only",
    "human_only": "humans only",
    "judged": "human grades",
    "sample": "if sampled",
}


class Predictions(ResultFrame):
    """The result of `judge`: a row for each run and measure.

    Attributes
    ----------
    text : str
        Which run has the best estimate, and which are not shown to differ from it: a line for each
        measure.
    sentences : dict of (measure, None) to str
        The same, line by line.
    pairs : pandas.DataFrame
        A row for each measure and pair of runs: `measure`, `a`, `b`, `human`, `judge` and
        `difference` (mean of b minus mean of a: by humans over their topics, by the judge over all
        topics, and estimated), `low`, `high`, `p`, `p_human`, `p_judge` (t-tests of each alone),
        `topics_needed` (human topics with which humans alone would show a difference of this size
        in 4 of 5 experiments), `codes` (`unanswered` if more than 5 % of the topics lack documents
        of one of the runs: `low`, `high` and `p` are missing then).
    agreement : pandas.DataFrame
        A row for each measure: `documents` (graded by both), `correlation` of their grades, `kappa`
        (weighted by squared differences; NaN if the judge uses grades that humans do not), `weight`
        (lambda), `tau` (Kendall's, of the runs' means over the human topics), `pairs`, and how many
        of these are significant by `both`, by the judge only (`judge_only`), by humans only
        (`human_only`), or with opposite signs (`reversed`); `topics_needed`, the median over pairs
        that only the judge calls significant, or that it reverses; `judged`, the human grades, and
        `sample`, how many `irpref_lab.sample` would need for intervals as narrow (of the
        differences on the judge's topics; NaN for measures that are no sums over documents).
    evidence : pandas.DataFrame
        The limits of the values, as `irpref.evidence` returns them.
    level : float
    notes : list of str
        The limits of the values in words, a sentence each.
    """

    text: str
    sentences: Sentences
    pairs: pd.DataFrame
    agreement: pd.DataFrame
    evidence: pd.DataFrame
    level: float
    notes: list[str]

    def tables(self, tests: bool = False) -> list[Table]:
        """Show a table for each measure, of runs or of pairs, and how far the judge agrees."""
        shown = self.pairs if tests else self
        if "codes" in shown and not shown["codes"].astype(bool).any():
            shown = shown.drop(columns="codes")
        what = "difference (b minus a)" if tests else "estimate"
        shows: dict[str, Any] = {name: p_value for name in ("p", "p_human", "p_judge")}
        counts = {"sample": _count, "topics_needed": _count}
        tables = [
            of_frame(
                part.drop(columns="measure"),
                rounded(),
                _OF_PREDICTIONS,
                shows=shows | counts,
                title=f"{self.sentences[measure, None]}\n\n",
            )
            for measure, part in shown.groupby("measure", sort=False)
        ]
        for table in tables:
            table.notes = [
                "humans: by human grades, on the topics that humans judged; judge: by the judge's "
                "grades, on all topics",
                f"{what}: the humans' value, adjusted by the judge's; low, high: its "
                f"{100 * self.level:g} % interval",
            ]
        agreement = of_frame(
            self.agreement,
            rounded(),
            _OF_PREDICTIONS,
            shows=counts,
            title="How well the judge agrees with the humans",
        )
        agreement.notes = [
            "documents: graded by both; correlation, kappa: of their grades; weight: of the judge "
            "in the estimate; tau: of the two rankings of the runs",
            "both, judge only, humans only: who shows a pair of runs to differ (t-test at "
            f"{1 - self.level:.3g}); reversed: both do, with opposite signs",
            "topics needed: human topics that would settle half of the pairs that only the judge "
            "shows to differ or that it reverses",
            "if sampled: human grades that `irpref sample` needs for intervals as narrow",
        ]
        agreement.notes += self.notes
        return [*tables, agreement]

    @property
    def advice(self) -> str:
        """When a sample would need fewer human grades, a line for each measure, and a line on those
        that no sample estimates; else empty.
        """
        better = self.agreement[self.agreement["sample"] < self.agreement["judged"]]
        lines = [
            f"{row['measure']}: for intervals as narrow on these topics, sample would need about "
            f"{row['sample']:,.0f} human grades instead of {row['judged']:,}"
            for row in better.to_dict("records")
        ]
        return "\n".join(filter(None, [*lines, refusal(self.agreement["measure"].tolist())]))


def _count(n: float) -> str:
    return f"{n:.0f}" if math.isfinite(n) else "-"
