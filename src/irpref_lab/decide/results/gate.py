"""The result of `irpref_lab.gate`, and its table."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from irpref.messages import visible
from irpref.show import Table, of_frame, rounded
from irpref.values import higher_is_better
from irpref_lab.decide.results import VerdictFrame
from irpref_lab.messages import p_value


class Gate(VerdictFrame):
    """Result of `gate`.

    Attributes
    ----------
    verdict : {'pass', 'block', 'inconclusive'}
    text : str
        The verdict in one line.
    notes : list of str
        Its grounds and remarks, a sentence each.
    evidence : DataFrame
        The same as a table, as `irpref.evidence` returns it.
    qrels : str
        Hash of the judgments: the same for the same judgments in any order and form. Of values
        alone, hash of their topics.
    hashed : {'qrels', 'topics'}
        Which of these it is.
    names : sequence of str
        Names of baseline and candidate for readers; empty if the roles are enough.
    inputs : str
        Hash of all that a verdict is about besides the runs: the judgments, those of a judge
        included, and the groups.
    version : int
        Of the table: it rises if a column changes its meaning.
    """

    verdict: str
    evidence: pd.DataFrame
    qrels: str
    hashed: str
    names: Sequence[str]
    inputs: str
    version: int

    def tables(self) -> list[Table]:
        """Show the verdict of a gate in one line, and its rows."""
        table = of_frame(_shown(self), rounded(), shows={"p": p_value}, title=self.text)
        lower = [name for name in dict.fromkeys(self["measure"]) if not higher_is_better(name)]
        turned = f"; lower is better for {', '.join(lower)}" if lower else ""
        names = [f" ({visible(name)})" for name in self.names] or ["", ""]
        baseline, candidate = f"baseline{names[0]}", f"candidate{names[1]}"
        n_rows = len(self)
        shared = f"; the {n_rows} rows share the level of the other side" if n_rows > 1 else ""
        table.notes = [
            f"difference: {candidate} minus {baseline}{turned}",
            f"low, high: one-sided bounds by the paired t-test, at {100 * self.level:.4g} % on the "
            f"side of a loss{shared}",
            "worse: at least one measure is significantly worse, by the bound and the test alike",
            *([_what_is_unjudged(self)] if _knows_unjudged(self) else []),
            *self.notes,
            f"{self.hashed}: {self.qrels}",
            *([f"inputs: {self.inputs}"] if self.inputs != self.qrels else []),
        ]
        return [table]


def _shown(decision: Gate) -> pd.DataFrame:
    """Select the columns that say something: facts that are the same for all measures are in the
    notes.
    """
    shares = ("missing", "unjudged", "by_judge")
    drop = [f"{what}_{name}" for what in shares for name in ("baseline", "candidate")]
    drop += ["could_turn", "reason", "topics_by_code"] + ["largest_loss"] * (
        "group" not in decision
    )
    drop += [name for name in decision if "repeats_" in name]
    if decision["baseline"].isna().all():
        drop += ["baseline", "candidate"]
    if "group" not in decision:
        drop.append("topics")
    if not decision["left_out"].any():
        drop.append("left_out")
    if (decision["codes"] == "").all():
        drop.append("codes")
    if "reference" in decision:
        shown_reference = ["reference", "difference_reference", "high_reference", "low_reference"]
        drop += [name for name in shown_reference if decision[name].isna().all()]
    if decision["topics_needed"].isna().all():
        drop.append("topics_needed")
    shown = decision.drop(columns=drop, errors="ignore")
    if "group" in shown:
        shown["group"] = shown["group"].fillna("all")
    return shown


def _knows_unjudged(decision: Gate) -> bool:
    """Test whether anything is known of unjudged documents: not on a sample, not of values
    alone.
    """
    known = "low_judged" not in decision and "unjudged_baseline" in decision
    return known and bool(decision["unjudged_baseline"].notna().any())


def _what_is_unjudged(decision: Gate) -> str:
    """Say how many documents are unjudged, and what judging them could change."""
    first = decision.iloc[0]
    shares = [f"{100 * first[name]:.1f} %" for name in ("unjudged_baseline", "unjudged_candidate")]
    turning = decision.loc[decision["could_turn"].fillna(False), "measure"].tolist()
    unknown = decision.loc[decision["could_turn"].isna(), "measure"].tolist()
    parts = []
    if turning:
        parts.append(
            f"judging them could change the verdict on {', '.join(dict.fromkeys(turning))}"
        )
    if unknown:
        names = ", ".join(dict.fromkeys(unknown))
        parts.append(f"whether judging them could change the verdict on {names} is not known")
    outcome = "; ".join(parts) or "judging them could not change the verdict"
    filled = "by_judge_baseline" in decision
    what = "graded neither by humans nor by the judge" if filled else "unjudged"
    return f"{what} in the first ten: baseline {shares[0]}, candidate {shares[1]}; {outcome}"
