"""Writes docs/robustness.md, its pictures and docs/robustness/claims.csv from the result files.

    python -m study page [-o docs] [--results study/results] [--no-pictures]

Sentences with a number or a comparison are made here from the files: the words follow the verdict, and files that
contradict each other stop the build.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from study.cells import MEANS
from study.hypotheses import (
    CONTRADICTED,
    HOLDS,
    IGNORING,
    OPEN,
    PRIMARY_LEVEL,
    REFUTED,
    SUPPORTED,
    TAKING,
    UNDECIDED,
    Claim,
)
from study.reading import DEPTH, Difference, Model, Results, Tested, mixed_model

HERE = Path(__file__).parent
LOSSES = ("random", "shallow", "gone", "judges")
LOSS_WORDS = {
    "random": "random loss, 10 % left",
    "shallow": "pools of depth 10 from half of the teams",
    "team": "one team left out",
    "gone": "30 % of the documents gone",
    "judges": "20 % of the relevant documents exchanged",
}
OUTCOME_WORDS = {
    "tau": "difference of tau with the own full ranking",
    "prediction": "difference of prediction",
    "power": "difference of the share of pairs told apart",
    "bias_value": "change of the value of left-out systems (%)",
    "bias_size": "difference of the size of the change (points of %)",
    "tau_full_ap": "difference of tau with AP by all judgments",
    "tau_deeper": "difference of tau",
}
CONDENSING = (("AP'", "AP"), ("nDCG'", "nDCG"), ("nDCG'@10", "nDCG@10"), ("Q'", "Q"), ("RBP'", "RBP"))
GRADING = tuple(
    (m, f"{m} binary")
    for m in ("nDCG", "Q", "RBP", "nDCG'", "Q'", "RBP'", "rpref absolute", "rpref relative", "rpref relative2")
)
NORMS = (
    ("rpref relative", "rpref absolute"),
    ("rpref relative2", "rpref absolute"),
    ("bpref N", "bpref"),
    ("bpref-10", "bpref"),
)
PENALTY = (("rpref absolute infinity", "rpref absolute"), ("rpref relative infinity", "rpref relative"))
ABLATION = {
    "Unjudged documents left out (condensed list) rather than taken as not relevant": CONDENSING,
    "Grades rather than relevant or not": GRADING,
    "Norm": NORMS,
    "A penalty for what was not retrieved (infinity) rather than none (zero)": PENALTY,
}
COMPARED = (
    *("AP", "nDCG", "Q", "RBP", "P+", "nDCG@10"),
    *("AP'", "Q'", "RBP'", "nDCG'@10", "bpref", "bpref-10", "bpref N", "n-pref"),
    *("rpref absolute", "rpref relative", "rpref relative2", "rpref absolute infinity", "rpref relative infinity"),
)

# What a hypothesis comes to, by its verdict. Numbers are added from the files.
PHRASES: dict[str, dict[str, str]] = {
    "H1": {
        SUPPORTED: "Absolute rpref keeps its ranking under random loss as bpref does, or better.",
        REFUTED: "Absolute rpref does not keep its ranking under random loss as bpref does.",
        UNDECIDED: "Whether absolute rpref keeps its ranking under random loss as bpref does is not decided.",
    },
    "H2": {
        SUPPORTED: "Under random loss Q' and nDCG' predict as absolute rpref does: preferences add nothing that a condensed "
        "list does not.",
        REFUTED: "Under random loss Q' or nDCG' does not predict as absolute rpref does.",
        UNDECIDED: "That Q' and nDCG' predict as absolute rpref does under random loss is neither shown nor excluded: the "
        "intervals are wider than the margin.",
    },
    "H3": {
        SUPPORTED: "Grades help under random loss: rpref, Q' and nDCG' predict better than their binary twins.",
        REFUTED: "Grades do not help in general under random loss: a binary twin predicts better.",
        UNDECIDED: "That grades help under random loss was not shown for rpref, Q' and nDCG' together.",
    },
    "H4": {
        SUPPORTED: "Leaving unjudged documents out is the ingredient: AP', nDCG', Q' and RBP' predict better under random loss "
        "than AP, nDCG, Q and RBP.",
        REFUTED: "Leaving unjudged documents out does not help every measure under random loss.",
        UNDECIDED: "That leaving unjudged documents out helps AP, nDCG, Q and RBP alike under random loss was not shown.",
    },
    "H5": {
        SUPPORTED: "Its price: systems that were not pooled gain with every measure that ignores unjudged documents, and "
        "lose with the usual ones.",
        REFUTED: "Not every measure that ignores unjudged documents favours systems that were not pooled, or not every usual "
        "one is against them.",
        UNDECIDED: "That systems which were not pooled gain with every measure that ignores unjudged documents and lose "
        "with the usual ones is not shown for all of these measures.",
    },
    "H6": {
        SUPPORTED: "Of the norms, the absolute one is biased less than the relative one.",
        REFUTED: "The absolute norm is not biased less than the relative one.",
        UNDECIDED: "That the absolute norm is biased less than the relative one is not decided.",
    },
    "H7": {
        SUPPORTED: "What the absolute norm is ahead of the relative one in agreeing with itself grows with depth, and with depth "
        "it is near to recall.",
        REFUTED: "That the absolute norm's agreement with itself comes with depth is refuted.",
        UNDECIDED: "That the absolute norm's agreement with itself comes with depth is not decided.",
    },
    "H8": {
        SUPPORTED: "A penalty for what was not retrieved (`unretrieved='infinity'`, absolute norm) costs robustness to random loss.",
        REFUTED: "A penalty for what was not retrieved (`unretrieved='infinity'`, absolute norm) does not cost robustness to "
        "random loss.",
        UNDECIDED: "That a penalty for what was not retrieved (`unretrieved='infinity'`, absolute norm) costs robustness is not "
        "shown for most collections.",
    },
    "H9": {
        SUPPORTED: "Under random loss Q' and nDCG' tell more systems apart than absolute rpref, and rpref more than bpref.",
        REFUTED: "The order of discriminative power under random loss, Q' and nDCG' above rpref above bpref, is refuted.",
        UNDECIDED: "The order of discriminative power under random loss, Q' and nDCG' above rpref above bpref, is not decided.",
    },
    "H10": {
        SUPPORTED: "In shallow pools from half of the teams no measure that ignores unjudged documents predicts better than nDCG'.",
        REFUTED: "In shallow pools from half of the teams a measure that ignores unjudged documents predicts better than nDCG'.",
        UNDECIDED: "Whether in shallow pools from half of the teams nothing that ignores unjudged documents predicts better than "
        "nDCG' is not decided.",
    },
    "H11": {
        SUPPORTED: "When documents are gone, measures that ignore what is not there keep their ranking better than AP.",
        REFUTED: "When documents are gone, not every measure on judged documents keeps its ranking better than AP.",
        UNDECIDED: "That, when documents are gone, every measure on judged documents keeps its ranking better than AP is not "
        "shown.",
    },
    "H12": {
        SUPPORTED: "infAP predicts AP's full ranking better under random loss than AP' does.",
        REFUTED: "infAP does not predict AP's full ranking better under random loss than AP' does.",
        UNDECIDED: "Whether infAP predicts AP's full ranking better under random loss than AP' does is not decided.",
    },
}


# ------------------------------------------------------------------------------------------------------ words


def number(value: float, digits: int = 2, signed: bool = False) -> str:
    """A number with a real minus, never -0."""
    if not np.isfinite(value):
        return "–"
    text = f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("+-")
    return text.replace("-", "−")


def span(low: float, high: float, digits: int = 2, signed: bool = False) -> str:
    """'0.81 to 0.93'."""
    return ends(number(low, digits, signed), number(high, digits, signed))


def ends(low: str, high: str) -> str:
    """Two ends of a range, or what both are."""
    return low if low == high else f"{low} to {high}"


def few(counts: Sequence[int]) -> str:
    """'2' or '0 to 3'."""
    return str(counts[0]) if len(set(counts)) == 1 else f"{min(counts)} to {max(counts)}"


def p_text(p: float) -> str:
    """A p-value."""
    if not np.isfinite(p):
        return "–"
    return "< .01" if p < 0.01 else f"{p:.2f}".lstrip("0") if p < 1 else "1"


def listed(names: Sequence[str], last: str = "and") -> str:
    """'a, b and c'; 'none'."""
    if not names:
        return "none"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> list[str]:
    """A table of Markdown; the first `left` columns are words."""
    marks = ["---" if k < left else "--:" for k in range(len(head))]
    return ["", f"| {' | '.join(head)} |", f"| {' | '.join(marks)} |", *(f"| {' | '.join(row)} |" for row in rows), ""]


def digits_of(outcome: str) -> int:
    return 1 if outcome.startswith("bias") else 2


def cell(one: Difference | None, outcome: str, signed: bool = True) -> str:
    """A difference with its interval, bold where this does not hold 0."""
    if one is None:
        return "–"
    d = digits_of(outcome)
    text = number(one.estimate, d, signed)
    return (f"**{text}**" if one.sign else text) + f" [{number(one.low, d, signed)}, {number(one.high, d, signed)}]"


def over_cell(one: Difference) -> str:
    """A mean over collections with its interval."""
    if not np.isfinite(one.low):
        return number(one.estimate, 2, True)
    return cell(one, "prediction")


def claim_words(claim: Claim) -> str:
    """A claim as a formula."""
    inner = {
        "tau_deeper": "lead in tau at the deepest setting less that at 100, {a} − {b}",
        "tau_recall": "tau with recall, {a} − {b}",
        "tau_full_ap": "tau with AP's full ranking, {a} − {b}",
        "bias_size": "size of the bias, {a} − {b}",
        "bias_value": "bias of {a}",
    }.get(claim.outcome, f"{claim.outcome}, {{a}} − {{b}}").format(a=claim.a, b=claim.b)
    low, high = claim.low, claim.high
    if np.isfinite(low) and np.isfinite(high):
        return f"{inner}, within ±{number(high)}"
    bound = low if np.isfinite(low) else high
    return f"{inner} {'>' if np.isfinite(low) else '<'} {number(bound) if bound else '0'}"


class Page:
    """The page: results in, text out."""

    def __init__(self, results: Results) -> None:
        self.r = results
        self.models: dict[str, Model] = {loss: mixed_model(results, loss) for loss in LOSSES}

    # ------------------------------------------------------------------------------------------ sentences

    def phrase(self, name: str) -> str:
        """What a hypothesis comes to, with the numbers that it rests on."""
        tested = self.r.tested[name]
        return f"{PHRASES[name][tested.verdict]} {self.evidence(tested)}"

    def short(self, name: str) -> str:
        """The same in a line: for the abstract."""
        tested = self.r.tested[name]
        parts = [part for part in tested.parts if part.rows]
        told = f"{name}, **{tested.verdict}**"
        if parts:
            outcome = parts[0].claim.outcome
            values = [value for part in parts for value in part.estimates]
            unit = " %" if outcome.startswith("bias") else ""
            told += f"; estimates {span(min(values), max(values), digits_of(outcome), True)}{unit}"
        if second := self.second_look(tested):
            told += f"; second look: {second}"
        if pooled := self.pooled(tested):
            told += f"; {pooled}"
        return f"{PHRASES[name][tested.verdict]} ({told})"

    @staticmethod
    def pooled(tested: Tested) -> str:
        """For how many parts the interval over collections lies on the side claimed, or beyond; empty where there is none."""
        parts = [part for part in tested.parts if len(part.rows) > 2]
        states = [part.claim.state(part.together.low, part.together.high) for part in parts]
        if not states:
            return ""
        return (
            f"mean over collections as claimed for {states.count(HOLDS)} and against it for {states.count(CONTRADICTED)} of "
            f"{len(states)} part{'s' if len(states) > 1 else ''}"
        )

    def advice(self, name: str) -> str:
        """What a hypothesis comes to, with what the collections say together."""
        tested = self.r.tested[name]
        pooled = self.pooled(tested)
        return PHRASES[name][tested.verdict] + (f" ({name}; {pooled}.)" if pooled else f" ({name}.)")

    def second_look(self, tested: Tested) -> str:
        """In how many cases the intervals of means over samples say so; empty where there are none."""
        states = [state for part in tested.parts for state in self.r.second_states(part)]
        if not states:
            return ""
        return f"holds in {states.count(HOLDS)}, contradicted in {states.count(CONTRADICTED)} of {len(states)}"

    def evidence(self, tested: Tested) -> str:
        """The range of the estimates, and in how many collections the claims hold."""
        parts = [part for part in tested.parts if part.rows]
        if not parts:
            return f"({tested.hypothesis.name}, **{tested.verdict}**: no collection to test it in.)"
        outcome = parts[0].claim.outcome
        unit = " %" if outcome.startswith("bias") else ""
        values = [value for part in parts for value in part.estimates]
        holds, contra = [part.count(HOLDS) for part in parts], [part.count(CONTRADICTED) for part in parts]
        told = [
            f"estimates {span(min(values), max(values), digits_of(outcome), True)}{unit}",
            f"holds in {few(holds)} and is contradicted in {few(contra)} of {len(parts[0].rows)} collections",
        ]
        if len(parts) > 1:
            states = [part.verdict for part in tested.parts]
            told.append(
                f"of its {len(states)} parts {states.count(SUPPORTED)} are supported, {states.count(REFUTED)} refuted, "
                f"{states.count(UNDECIDED)} undecided"
            )
        said = f"({tested.hypothesis.name}, **{tested.verdict}**: {'; '.join(told)}.)"
        if second := self.second_look(tested):
            said += f" Second look: {second} cases (a part in a collection)."
        return f"{said} {self.together(tested)}".strip()

    @staticmethod
    def together(tested: Tested) -> str:
        """What the collections say as a sample: not preregistered, and said so."""
        sides: dict[str, list[str]] = {HOLDS: [], CONTRADICTED: [], OPEN: []}
        for part in tested.parts:
            if len(part.rows) < 3:
                continue
            one = part.together
            name = f"{part.claim.a} − {part.claim.b}" if part.claim.b else part.claim.a
            d = digits_of(part.claim.outcome)
            told = f"{name} {number(one.estimate, d, True)} [{number(one.low, d, True)}, {number(one.high, d, True)}]"
            sides[part.claim.state(one.low, one.high)].append(told)
        words = {HOLDS: "as claimed", CONTRADICTED: "against the claim", OPEN: "either way"}
        parts = [f"{words[side]}: {listed(of)}" for side, of in sides.items() if of]
        return f"Means over collections, with intervals over collections — {'; '.join(parts)}." if parts else ""

    def best(self, loss: str) -> str:
        """How the measures stand to nDCG' under a loss, in words: means over collections."""
        sides: dict[int, list[str]] = {1: [], -1: [], 0: []}
        for measure in COMPARED:
            one = self.r.over(measure, "nDCG'", loss)
            sides[one.sign].append(measure if not one.sign else f"{measure} ({number(one.estimate, 2, True)})")
        return f"better on average: {listed(sides[1])}; worse on average: {listed(sides[-1])}; not told apart: {listed(sides[0])}"

    def closest(self, losses: Sequence[str]) -> str:
        """Measures by their largest distance from the best of a collection, under any of these losses."""
        measures = ["nDCG'", *COMPARED]
        worst = dict.fromkeys(measures, 0.0)
        for loss in losses:
            for m, lost in self.r.shortfalls(loss, measures).items():
                worst[m] = max(worst[m], *lost)
        order = sorted(measures, key=lambda m: worst[m])

        def told(some: Sequence[str]) -> str:
            return ", ".join(f"{m} ({number(worst[m])})" for m in some)

        return (
            "Nearest to the best prediction of every collection (largest distance from it): "
            f"{told(order[:6])}; furthest: {told(order[-3:])}."
        )

    def neutral(self, bias: Sequence[tuple[float, str, float, float]]) -> str:
        """Whether a measure leaves left-out teams where they were, in all collections."""
        found = []
        for _, m, _, _ in bias:
            ends = [self.r.difference(c, d, "team", "bias_value", m) for c, d in self.r.primary]
            if not any(one.sign for one in ends if one is not None):
                found.append(m)
        if not found:
            return "Every measure moves left-out teams in at least one collection."
        return f"In no collection moved left-out teams by the interval: {listed(found)}; all others in at least one."

    def biases(self, measures: Sequence[str]) -> list[tuple[float, str, float, float]]:
        """Mean size over settings of the bias of left-out teams, the measure, and the smallest and largest bias."""
        found = []
        for m in measures:
            values = [self.r.mean(c, d, "team", PRIMARY_LEVEL["team"], m, "bias_value") for c, d in self.r.primary]
            values = [v for v in values if np.isfinite(v)]
            if values:
                found.append((float(np.mean(np.abs(values))), m, min(values), max(values)))
        return sorted(found)

    # ------------------------------------------------------------------------------------------- sections

    def text(self) -> str:
        """The whole page."""
        parts = [
            self.head(),
            self.abstract(),
            (HERE / "related.md").read_text(encoding="utf-8").strip(),
            self.method(),
            self.results_hypotheses(),
            self.results_by_loss(),
            self.results_bias(),
            self.results_power(),
            self.ablation(),
            self.model(),
            self.depth(),
            self.precision(),
            self.recommendations(),
            self.limits(),
            self.old_claims(),
            self.reproduce(),
        ]
        return "\n\n".join(part.strip() for part in parts) + "\n"

    def head(self) -> str:
        return (
            "# Robust to missing judgments: which ingredient, and at what price?\n\n"
            "<!-- Written by `python -m study page` from study/results/; change those, or study/page.py. -->\n\n"
            "```{toctree}\n:hidden:\npreregistration\n```"
        )

    def abstract(self) -> str:
        r = self.r
        bias = self.biases([*IGNORING, *TAKING])
        lines = [
            "## Abstract",
            "",
            f"Measures for incomplete judgments have several ingredients at once: unjudged documents are left out, grades count, "
            f"a norm divides, what was not retrieved is punished or not. We take them apart on {len(r.names)} collections "
            f"({sum(of['runs'] for of in r.settings.values())} runs), with judgments lost in five ways, and ask how well a measure predicts "
            f"others on topics that it has not seen, what it does to systems that were not pooled, and how many systems it "
            f"tells apart. The hypotheses were [preregistered](preregistration.md).",
            "",
        ]
        for name in ("H1", "H2", "H4", "H3", "H5", "H6", "H8", "H9", "H10"):
            lines.append(f"- {self.short(name)}")
        if bias:
            lines.append(
                f"- {self.neutral(bias)} Smallest mean size of the change over collections: {bias[0][1]} ({number(bias[0][0], 1)} %), "
                f"largest: {bias[-1][1]} ({number(bias[-1][0], 1)} %)."
            )
        verdicts = [of.verdict for of in r.tested.values()]
        lines += [
            "",
            f"Of {len(verdicts)} hypotheses {verdicts.count(SUPPORTED)} are supported, {verdicts.count(REFUTED)} refuted and "
            f"{verdicts.count(UNDECIDED)} undecided by the rule set down before. *Undecided* is not *equal*: intervals that hold "
            "topics, teams and a single sample are wide. The *second look* takes means over samples, and means over collections have "
            "intervals over collections; neither was preregistered, and neither decides a verdict. What follows for use is under [What to use](#what-to-use).",
        ]
        return "\n".join(lines)

    def method(self) -> str:
        r = self.r
        rows = []
        for name in r.names:
            of = r.settings[name]
            depths = [
                str(one["depth"]) + (f" ({one['runs']} runs)" if one["runs"] < of["runs"] else "")
                for one in of["settings"]
            ]
            first = of["settings"][0]
            rows.append(
                (
                    r.title(name),
                    str(of["runs"]),
                    str(of["teams"]),
                    of["team_source"],
                    str(of["topics"]),
                    f"{of['judgments']:,}",
                    ", ".join(f"{grade}: {count:,}" for grade, count in of["grades"].items()),
                    f"{of['rel']:g}",
                    str(first["pool_depth"]),
                    ", ".join(depths),
                )
            )
        head = (
            "collection",
            "runs",
            "teams",
            "teams by",
            "topics",
            "judgments",
            "by grade",
            "relevant from",
            "pool depth",
            "depths",
        )
        any_of = next(iter(r.settings.values()))
        lost = []
        for loss in LOSS_WORDS:
            level = PRIMARY_LEVEL[loss]
            row = [LOSS_WORDS[loss]]
            for name in r.names:
                of = r.losses
                of = of[
                    (of["collection"] == name) & (of["depth"] == DEPTH) & (of["loss"] == loss) & (of["level"] == level)
                ]
                if of.empty:
                    row.append("–")
                    continue
                judged = 100 * float(of["judgments"].iloc[0])
                row.append(f"{judged:.0f} %, {number(float(of['topics_lost'].iloc[0]), 1)}")
            lost.append(row)
        return "\n".join(
            [
                "## Method",
                "",
                "The plan, with hypotheses, thresholds and analysis, was committed before the first result: "
                "[the preregistration](preregistration.md). In short:",
                *table(head, rows),
                "Every run is cut to one depth; the primary analysis is at 100 for all collections. Teams, not runs, are what is "
                "resampled and left out. Where no record says which runs were in the pool, contributions are computed from the "
                "runs' tops, down to the pool depth in the table.",
                "",
                "**Losses.** *random*: judgments removed at random by topic, relevant and others separately (Buckley and Voorhees "
                "2004), 50, 20, 10 and 5 % left. *shallow*: pools of depth 30, 10 and 3 from a random half of the teams. *team*: "
                "what only one team contributed is removed, for each team in turn. *gone*: 10, 30 and 50 % of the documents vanish from "
                "all runs. *judges*: 10, 20 and 40 % of the relevant documents of a topic exchange their grades with other judged "
                "ones; a model of a second judge, not one. Hypotheses are about one level each, the one in this table of what is left: "
                "share of the judgments, and topics without a relevant document (they count 0 for all).",
                *table(("loss", *(r.title(name) for name in r.names)), lost),
                "**Outcomes.** *prediction*, the primary one: topics are split in halves; tau between the ranking by the measure on one "
                "half, with what is left, and by nDCG@10 or AP on the other half, with all judgments (the mean of both). *tau*, *tau_ap*: "
                "with the measure's own ranking by all judgments. *bias*: signed change of systems that were not pooled, in per cent of "
                "their value with all judgments, and in places. *power*: share of pairs that a paired t-test tells apart at .05; *kept* and "
                "*wrong*: of those told apart with all judgments, and of all pairs told apart without being so before. *stability*: root mean "
                "square change of the systems' means in standard deviations between systems, without the shift that all share.",
                "",
                f"**Intervals.** {any_of['samples']} samples of every loss; bootstrap of topics × teams × samples, {any_of['replicates']:,} "
                "replicates that all measures share; 95 % percentile intervals of differences. p-values are two-sided, of no difference, "
                f"adjusted by Holm within a hypothesis; no p-value can be below {2 / (any_of['replicates'] + 1):.3f}, which Holm multiplies by the number of parts and collections. A claim *holds* in a collection where its interval lies wholly on the side claimed, "
                "and is *contradicted* where it lies wholly on the other. A hypothesis is supported where it holds in two thirds of the "
                "collections and is contradicted in none, refuted where it is contradicted in more than it holds in, otherwise undecided.",
                "",
                "**Second look**, not preregistered. An interval that draws a single sample tells what one study with so few judgments could "
                f"find. To learn about the measures, replicates are also made of the mean over {MEANS} samples, with the same topics and teams; "
                "and the mean of a claim over collections is shown with a t-interval that takes collections as the sample. Neither decides a "
                "verdict.",
                "",
                "A prime marks condensed lists (documents without a judgment are removed first); *binary* twins have grades reduced to "
                "relevant or not; *infinity* is the literal reading of rpref, in which judged documents that were not retrieved stay in the "
                "sum; *recall* and the number of judged documents *retrieved* are controls that look at no rank.",
            ]
        )

    def results_hypotheses(self) -> str:
        rows = []
        for of in self.r.tested.values():
            for k, part in enumerate(of.parts):
                d = digits_of(part.claim.outcome)
                p = [row.found.p for row in part.rows]
                holm = [row.p_holm for row in part.rows]
                rows.append(
                    (
                        f"**{of.hypothesis.name}**" if not k else "",
                        claim_words(part.claim),
                        f"{part.count(HOLDS)} / {part.count(CONTRADICTED)} / {len(part.rows)}",
                        f"{second.count(HOLDS)} / {second.count(CONTRADICTED)} / {len(second)}"
                        if (second := self.r.second_states(part))
                        else "–",
                        span(min(part.estimates), max(part.estimates), d, True) if part.rows else "–",
                        cell(part.together, part.claim.outcome) if len(part.rows) > 2 else "–",
                        ends(p_text(min(p)), p_text(max(p))) if p else "–",
                        ends(p_text(min(holm)), p_text(max(holm))) if p else "–",
                        part.verdict if len(of.parts) > 1 else "",
                        f"**{of.verdict}**" if not k else "",
                    )
                )
        lines = [
            "## Results",
            "",
            "### The hypotheses",
            "",
            "Each claim with the number of collections in which it holds, is contradicted, and was tested, and the range of its "
            "estimates and p-values (of no difference) over them. The second look and the mean over collections were not preregistered and decide no verdict; the mean is bold where its interval does not hold 0. All intervals are in [claims.csv](robustness/claims.csv).",
            *table(
                (
                    "",
                    "claim",
                    "holds / contra / of",
                    "second look",
                    "estimates",
                    "mean, interval over collections",
                    "p",
                    "p, Holm",
                    "part",
                    "verdict",
                ),
                rows,
                2,
            ),
        ]
        for name, of in self.r.tested.items():
            lines += [
                "",
                f"#### {name}: {of.hypothesis.words}",
                "",
                self.phrase(name),
                "",
                picture(
                    f"hypothesis-{name.lower()}.png",
                    f"Estimates and 95 % intervals of the claims of {name} by collection; the side claimed is shaded.",
                ),
            ]
        return "\n".join(lines)

    def results_by_loss(self) -> str:
        lines = ["### By loss"]
        for loss in LOSSES:
            level = PRIMARY_LEVEL[loss]
            rows = []
            for m in COMPARED_AND_CONTROLS:
                row = [m]
                for c, d in self.r.primary:
                    prediction = self.r.mean(c, d, loss, level, m, "prediction")
                    tau = self.r.mean(c, d, loss, level, m, "tau")
                    row.append(f"{number(prediction)} ({number(tau)})")
                row.append(over_cell(self.r.over(m, "nDCG'", loss)) if m != "nDCG'" else "–")
                rows.append(row)
            lines += [
                "",
                f"#### {loss}: {LOSS_WORDS[loss]}",
                "",
                f"Prediction compared with that of nDCG', by the interval over collections (not preregistered) — {self.best(loss)}.",
                "",
                picture(
                    f"{loss}.png",
                    f"Prediction with its 95 % interval (dots) and tau with the own full ranking (rings) of every measure in every "
                    f"collection under {LOSS_WORDS[loss]}. Orange: unjudged documents count as not relevant; blue: condensed lists; green: "
                    f"preferences; grey: controls.",
                ),
                "",
                "Prediction, in brackets tau; in the last column the difference of prediction from nDCG', mean over collections with its interval, bold where it does not hold 0.",
                *table(("measure", *(self.r.title(c) for c in self.r.names), "less nDCG'"), rows),
            ]
            if loss in ("random", "shallow"):
                more = [
                    [m]
                    + [
                        f"{number(self.r.mean(c, d, loss, level, m, 'tau_ap'))} / {number(self.r.mean(c, d, loss, level, m, 'stability'))}"
                        for c, d in self.r.primary
                    ]
                    for m in COMPARED_AND_CONTROLS
                    if np.isfinite(self.r.mean(*self.r.primary[0], loss, level, m, "tau"))
                ]
                lines += [
                    "tau_ap with the own full ranking (higher is better) / stability of the values (lower is better)."
                ]
                lines += table(("measure", *(self.r.title(c) for c in self.r.names)), more)
            if loss == "random":
                lines += [
                    picture(
                        "levels.png",
                        "Tau with the own full ranking at 50, 20, 10 and 5 % of the judgments, six measures in each collection; the "
                        "bands are a standard deviation of the samples wide on either side.",
                    )
                ]
        return "\n".join(lines)

    def results_bias(self) -> str:
        r = self.r
        rows = []
        for m in (
            *TAKING,
            "nDCG@10",
            "P+",
            *IGNORING,
            "nDCG'@10",
            "bpref-10",
            "bpref N",
            "n-pref",
            "rpref absolute infinity",
            "rpref relative infinity",
            "recall",
        ):
            row = [m]
            for c, d in r.primary:
                one = r.interval(c, d, "team", PRIMARY_LEVEL["team"], "bias_value", m)
                place = r.mean(c, d, "team", PRIMARY_LEVEL["team"], m, "bias_place")
                row.append("–" if one is None else f"{cell(one, 'bias')}; {number(place, 1, True)}")
            rows.append(row)
        worst = r.teams[r.teams["depth"] == DEPTH]
        told = []
        for m in ("AP", "nDCG'", "Q'", "bpref", "rpref absolute", "rpref relative"):
            of = worst[worst["measure"] == m]
            if len(of):
                told.append(f"{m} {span(float(of['bias_place'].min()), float(of['bias_place'].max()), 1, True)}")
        order = self.biases([*IGNORING, *TAKING])
        return "\n".join(
            [
                "### Systems that were not pooled",
                "",
                f"{PHRASES['H5'][r.tested['H5'].verdict]} {PHRASES['H6'][r.tested['H6'].verdict]} By the size of the change, the mean over "
                "collections: "
                + ", ".join(f"{m} {number(size, 1)} % ({span(low, high, 1, True)})" for size, m, low, high in order)
                + ".",
                "",
                "A single team can move much further than the mean. The mean places that a team's runs fell or rose, worst and best team: "
                + "; ".join(told)
                + ".",
                "",
                picture(
                    "team.png",
                    "Change of the value of left-out teams with its 95 % interval, every measure in every collection. Orange: unjudged "
                    "documents count as not relevant; blue: condensed lists; green: preferences; grey: controls.",
                ),
                "",
                "Change in per cent of the value with all judgments, with its interval; then the change in places (+ is up).",
                *table(("measure", *(r.title(c) for c in r.names)), rows),
                "With pools of depth 10 from half of the teams:",
                "",
                picture(
                    "shallow-bias.png",
                    "The same for the systems that were not pooled, in pools of depth 10 from half of the teams.",
                ),
            ]
        )

    def results_power(self) -> str:
        r = self.r
        rows = []
        level = PRIMARY_LEVEL["random"]
        for m in COMPARED_AND_CONTROLS[:-1]:
            row = [m]
            for c, d in r.primary:
                found = [100 * r.mean(c, d, "random", level, m, what) for what in ("power", "kept", "wrong")]
                found.insert(0, 100 * r.mean(c, d, "none", PRIMARY_LEVEL["none"], m, "power"))
                row.append(" / ".join(number(v, 0) for v in found))
            rows.append(row)
        return "\n".join(
            [
                "### Discriminative power",
                "",
                self.phrase("H9"),
                "",
                "Pairs of systems told apart by a paired t-test, in per cent: with all judgments / with 10 % of them; then of the former "
                "kept / of all pairs wrongly told apart.",
                *table(("measure", *(r.title(c) for c in r.names)), rows),
            ]
        )

    def ablation(self) -> str:
        r = self.r
        lines = [
            "## Ablation: one ingredient at a time",
            "",
            "Differences of prediction, in every setting and under the four losses that have samples, at their primary levels; bold "
            "where the 95 % interval does not hold 0.",
        ]
        for words, pairs in ABLATION.items():
            rows = []
            for a, b in pairs:
                for loss in LOSSES:
                    if np.isfinite(r.over(a, b, loss).estimate):
                        found = [r.difference(c, d, loss, "prediction", a, b) for c, d in r.every]
                        cells = (cell(one, "prediction") for one in found)
                        rows.append([f"{a} − {b}", loss, *cells, over_cell(r.over(a, b, loss))])
            if not rows:
                continue
            lines += ["", f"### {words}", "", self.ablation_sentence(pairs)]
            lines += table(
                ("", "loss", *(f"{r.title(c)}, {d}" for c, d in r.every), "mean at 100, over collections"), rows
            )
        lines += [
            "",
            picture(
                "ablation.png",
                "Differences of prediction with 95 % intervals, one ingredient a row, by collection, under random loss, shallow pools, "
                "documents gone and other judges.",
            ),
        ]
        return "\n".join(lines)

    def ablation_sentence(self, pairs: Sequence[tuple[str, str]]) -> str:
        """In how many collections and pairs the ingredient helps and hurts, by loss."""
        told = []
        for loss in LOSSES:
            estimates, signs, second = [], [], []
            for a, b in pairs:
                for c, d in self.r.primary:
                    if (one := self.r.difference(c, d, loss, "prediction", a, b)) is not None:
                        estimates.append(one.estimate)
                        signs.append(one.sign)
                    if (two := self.r.second(c, d, loss, "prediction", a, b)) is not None:
                        second.append(two.sign)
            if estimates:
                more = f"; second look {second.count(1)} and {second.count(-1)} of {len(second)}" if second else ""
                told.append(
                    f"{loss}: better in {signs.count(1)} and worse in {signs.count(-1)} of {len(signs)}{more} "
                    f"({span(min(estimates), max(estimates), 2, True)}){self.together_of(pairs, loss)}"
                )
        return f"Cases (a pair in a collection at depth 100) in which the interval lies above or below 0 — {'. '.join(told)}."

    def together_of(self, pairs: Sequence[tuple[str, str]], loss: str) -> str:
        """In how many pairs the mean over collections lies above or below 0."""
        signs = [self.r.over(a, b, loss).sign for a, b in pairs]
        return (
            f"; mean over collections better in {signs.count(1)} and worse in {signs.count(-1)} of {len(pairs)} pairs"
        )

    def model(self) -> str:
        lines = [
            "### All ingredients together",
            "",
            "A linear mixed model of prediction, one row a collection, sample and measure at depth 100 and the primary level, with random "
            "intercepts for collections and samples. The design is balanced, so that the estimates are those of least squares within "
            "samples. Its errors take measures as independent within a sample, which they are not: read the last column, the effect in "
            "each collection by itself, for what to expect of another collection.",
        ]
        for loss, of in self.models.items():
            rows = [
                (
                    e.name,
                    number(e.estimate, 3, True),
                    number(e.error, 3) if e.error >= 0.0005 else "< 0.001",
                    span(min(e.by_collection.values()), max(e.by_collection.values()), 3, True),
                )
                for e in of.effects
            ]
            lines += ["", f"**{loss}** ({LOSS_WORDS[loss]}; {of.rows:,} rows)"]
            lines += table(("effect on prediction", "estimate", "error", "smallest to largest by collection"), rows)
            lines.append(
                f"Standard deviations: collections {number(of.collection**0.5, 3)}, samples {number(of.sample**0.5, 3)}, rest "
                f"{number(of.residual**0.5, 3)}. Variance by factor, each after the others: "
                + "; ".join(f"{f.name} F({f.df}) = {f.f:,.0f}, partial η² = {number(f.share, 3)}" for f in of.table)
                + ". "
                + self.steady(of)
            )
        return "\n".join(lines)

    @staticmethod
    def steady(model: Model) -> str:
        """Which effects have one sign in all collections."""
        same = [e.name for e in model.effects if len({v > 0 for v in e.by_collection.values()}) == 1]
        other = [e.name for e in model.effects if e.name not in same]
        return f"One sign in all collections: {listed(same)}. Not so: {listed(other)}."

    def depth(self) -> str:
        r = self.r
        rows = []
        for c, d in r.every:
            of = r.full[(r.full["collection"] == c) & (r.full["depth"] == d)]
            known = {
                frozenset((a, b)): tau for a, b, tau in of[["measure_a", "measure_b", "tau"]].itertuples(index=False)
            }

            def agree(a: str, b: str = "recall", known: dict[frozenset[str], float] = known) -> str:
                return number(known.get(frozenset((a, b)), float("nan")))

            runs = next(one["runs"] for one in r.settings[c]["settings"] if one["depth"] == d)
            rows.append(
                (
                    r.title(c),
                    str(d),
                    str(runs),
                    *(
                        number(r.mean(c, d, "random", 10, m, "tau"))
                        for m in ("bpref", "rpref absolute", "rpref relative", "recall")
                    ),
                    *(agree(m) for m in ("AP", "nDCG'", "bpref", "rpref absolute", "rpref relative")),
                )
            )
        head = (
            *("collection", "depth", "runs"),
            *("tau at 10 %: bpref", "rpref absolute", "rpref relative", "recall"),
            *("tau with recall, all judgments: AP", "nDCG'", "bpref", "rpref absolute", "rpref relative"),
        )
        return "\n".join(["### Depth", "", self.phrase("H7"), *table(head, rows)])

    def precision(self) -> str:
        r = self.r
        of = r.outcomes
        of = of[(of["depth"] == DEPTH) & (of["outcome"].isin(["tau", "prediction"])) & (of["loss"].isin(LOSSES))]
        of = of[[PRIMARY_LEVEL[loss] == level for loss, level in zip(of["loss"], of["level"], strict=True)]]
        lines = ["### How precise is this?", ""]
        for outcome in ("tau", "prediction"):
            part = of[of["outcome"] == outcome]
            top = part.loc[(part["max"] - part["min"]).idxmax()]
            lines.append(
                f"Over the samples of one measure, {outcome} has a standard deviation of {span(part['sd'].min(), part['sd'].max())} at the "
                f"primary levels; the widest range is {span(top['min'], top['max'])} ({top['measure']}, {r.title(top['collection'])}, "
                f"{top['loss']}). Its mean over {int(part['n'].median())} samples has an error of at most "
                f"{number(float((part['sd'] / np.sqrt(part['n'])).max()), 3)} from sampling alone."
            )
        if len(r.seed):
            seed = r.seed[(r.seed["depth"] == DEPTH) & r.seed["outcome"].isin(["tau", "prediction"])]
            moved = (seed["mean"] - seed["other"]).abs()
            top = seed.loc[moved.idxmax()]
            lines.append(
                f"Another seed, run on {listed([r.title(c) for c in r.names if c in set(seed['collection'])])}, moves these means by {number(float(moved.median()), 3)} (median) and at most {number(float(moved.max()), 3)} "
                f"({top['measure']}, {r.title(top['collection'])}, {top['loss']} {top['level']}). What topics, teams and a single sample "
                "do is more, and is what the intervals hold."
            )
        residual = r.losses[r.losses["depth"] == DEPTH]
        told = []
        for loss in ("none", *LOSSES):
            some = residual[(residual["loss"] == loss) & (residual["level"] == PRIMARY_LEVEL[loss])]["residual"]
            if len(some):
                told.append(f"{span(float(some.min()), float(some.max()))} ({loss})")
        if told:
            lines += [
                "",
                "The residual of RBP (p = 0.8), the part of its value that documents without a judgment could still add, says how much is "
                f"unknown whatever the measure: mean over systems and topics, range over collections: {', '.join(told)}.",
            ]
        return "\n".join(lines)

    def recommendations(self) -> str:
        r = self.r
        bias = self.biases([*IGNORING, *TAKING])
        known = {m: (low, high) for _, m, low, high in bias}
        lines = [
            "## What to use",
            "",
            f"Drawn from the verdicts above, for collections like these {len(r.names)}: runs of one track or one kind, at least depth "
            "100, judged by pools. They are to be tested on others.",
            "",
            f"- **Judgments missing at random, or a sample of a larger pool.** {self.closest(['random'])} {self.advice('H4')} "
            f"{self.advice('H2')}",
            f"- **Shallow pools from few teams.** {self.closest(['shallow'])} {self.advice('H10')}",
            "- **Systems that were not pooled.** " + self.advice_bias(known, bias),
            f"- **Documents that are gone.** {self.closest(['gone'])} {self.advice('H11')}",
            f"- **Judges who differ.** {self.closest(['judges'])}",
            f"- **Whatever the loss.** {self.closest(LOSSES)} Distances of a few hundredths are within what topics, teams and samples do.",
            f"- **rpref, which norm?** {self.advice('H6')} {self.advice('H7')} Prediction of the "
            f"absolute norm against the relative one, mean over collections with its interval: {self.norms()}.",
            f"- **`unretrieved='infinity'`.** {self.advice('H8')} {self.infinity()}",
            "- **In any case** report the share of judged documents beside the number (`Judged@10`), and what unjudged ones could do "
            '(`irpref.intervals(..., over="unjudged")`): no ranking of systems with few judgments is as sure as its digits.',
        ]
        return "\n".join(lines)

    def advice_bias(
        self, known: dict[str, tuple[float, float]], bias: Sequence[tuple[float, str, float, float]]
    ) -> str:
        if not bias:
            return "No collection here has more than one team."
        usual = [known[m] for m in TAKING if m in known]
        ignoring = [known[m] for m in IGNORING if m in known]
        return (
            f"{self.advice('H5')} Means by collection: {span(min(a for a, _ in usual), max(b for _, b in usual), 1, True)} % "
            f"({listed(list(TAKING))}) and {span(min(a for a, _ in ignoring), max(b for _, b in ignoring), 1, True)} % (measures that ignore them). The "
            f"smallest change on average had {bias[0][1]}. {self.neutral(bias)} Look at a measure of either kind; where they disagree about a system that was "
            "not pooled, judge its documents."
        )

    def norms(self) -> str:
        told = [f"{loss} {over_cell(self.r.over('rpref absolute', 'rpref relative', loss))}" for loss in LOSSES]
        return ", ".join(told)

    def infinity(self) -> str:
        told = [
            f"{a.removeprefix('rpref ').removesuffix(' infinity')} norm {over_cell(self.r.over(a, b, loss))} ({loss})"
            for a, b in PENALTY
            for loss in ("random", "shallow")
        ]
        return f"Prediction less that with `'zero'`, mean over collections with its interval: {', '.join(told)}."

    def limits(self) -> str:
        deviations = (HERE / "DEVIATIONS.md").read_text(encoding="utf-8").split("\n", 1)[1].strip()
        return "\n".join(
            [
                (HERE / "limits.md").read_text(encoding="utf-8").strip(),
                "",
                "## Clarifications and deviations",
                "",
                deviations,
            ]
        )

    def old_claims(self) -> str:
        """What the earlier page said, and what became of it."""
        t = {name: of.verdict for name, of in self.r.tested.items()}

        def lead(a: str, b: str, loss: str) -> str:
            counted = f", mean {over_cell(self.r.over(a, b, loss, 'tau'))}"
            low_high = [
                one.estimate
                for c, d in self.r.primary
                if (one := self.r.difference(c, d, loss, "tau", a, b)) is not None
            ]
            return f"{span(min(low_high), max(low_high), 2, True)} in tau{counted}"

        taus = []
        for c in self.r.names:
            of = self.r.full
            of = of[
                (of["collection"] == c)
                & (of["depth"] == DEPTH)
                & (of[["measure_a", "measure_b"]].isin(["recall", "rpref absolute"]).all(axis=1))
            ]
            taus += of["tau"].tolist()
        rows = [
            (
                "rpref (absolute) keeps bpref's robustness to random loss",
                f"{t['H1']} (H1): {lead('rpref absolute', 'bpref', 'random')}",
            ),
            (
                "the relative norm is a little less robust to random loss than the absolute one",
                f"relative − absolute at depth 100: {lead('rpref relative', 'rpref absolute', 'random')}",
            ),
            (
                "in shallow pools the relative norm keeps the ranking better than the absolute one",
                f"relative − absolute: {lead('rpref relative', 'rpref absolute', 'shallow')}",
            ),
            (
                "systems that were not pooled: use relative rpref (withdrawn before)",
                f"bias less with the absolute norm: {t['H6']} (H6); gain with measures that ignore unjudged documents: {t['H5']} (H5)",
            ),
            (
                "the literal reading (`infinity`) is not robust at all",
                f"{t['H8']} (H8): {lead('rpref absolute infinity', 'rpref absolute', 'random')}",
            ),
            (
                "condensed lists do about as well",
                f"within ±0.03 of prediction: {t['H2']} (H2); Q' − rpref absolute: {lead(chr(81) + chr(39), 'rpref absolute', 'random')}",
            ),
            (
                "plain recall is as robust, and absolute rpref is close to it",
                f"recall − rpref absolute: {lead('recall', 'rpref absolute', 'random')}; tau of the two with all judgments at depth 100 "
                + (span(min(taus), max(taus)) if taus else "–"),
            ),
            (
                "values of rpref from samples of different size can be compared",
                f"mean value at 10 % less that by all judgments: absolute {self.shift('rpref absolute')}, relative {self.shift('rpref relative')}, "
                f"bpref {self.shift('bpref')}, AP {self.shift('AP')}",
            ),
            (
                "rpref tells about as many pairs apart as bpref, or more",
                f"with all judgments rpref absolute less bpref {self.told_apart()} points; under random loss see H9 ({t['H9']})",
            ),
            (
                "stability and swap rates of Buckley and Voorhees (2000, 2002)",
                "not repeated here; `irpref meta` has them",
            ),
        ]
        return "\n".join(
            [
                "## The earlier page, and what became of it",
                "",
                "An earlier version of this page looked at three collections with 10 samples and without intervals, mixed depths, and did "
                "not know the literature. Its claims:",
                *table(("it said", "now"), rows, 2),
            ]
        )

    def shift(self, measure: str) -> str:
        """Change of the mean value over all systems, in per cent of it, at 10 %."""
        found = []
        for c, d in self.r.primary:
            before = self.r.mean(c, d, "none", PRIMARY_LEVEL["none"], measure, "value")
            after = self.r.mean(c, d, "random", 10, measure, "value")
            if np.isfinite(before) and before:
                found.append(100 * (after - before) / before)
        return f"{span(min(found), max(found), 0, True)} %" if found else "–"

    def told_apart(self) -> str:
        found = [
            100
            * (
                self.r.mean(c, d, "none", PRIMARY_LEVEL["none"], "rpref absolute", "power")
                - self.r.mean(c, d, "none", PRIMARY_LEVEL["none"], "bpref", "power")
            )
            for c, d in self.r.primary
        ]
        return span(min(found), max(found), 1, True)

    def reproduce(self) -> str:
        any_of = next(iter(self.r.settings.values()))
        versions = ", ".join(f"{name} {version}" for name, version in any_of["versions"].items())
        hashes = ", ".join(f"{self.r.title(name)} `{of['inputs']}`" for name, of in self.r.settings.items())
        names = " ".join(f"data/{name}" for name in self.r.names)
        return "\n".join(
            [
                "## Reproduce it",
                "",
                "```sh",
                "pip install -e '.[all]'   # in a copy of the repository",
                f"python -m study {names} --resume   # result files: study/results/",
                "python -m study page   # this page and its pictures",
                "```",
                "",
                "A collection of your own is a folder with `qrels/`, `runs/` and, if there is one, `runs.tsv` (run, team, "
                "contributed_judgments); `--rel 2` says from which grade on documents are relevant. An interrupted study goes on where it was "
                f"with `--resume`. The files of this page were made with {any_of['samples']} samples, {any_of['replicates']:,} replicates, seed "
                f"{any_of['seed']}, and {versions}. Hashes of the inputs: {hashes}.",
            ]
        )


COMPARED_AND_CONTROLS = (*COMPARED[:6], "nDCG'", *COMPARED[6:], "infAP", "recall", "retrieved")


def picture(name: str, words: str) -> str:
    """A picture that opens in its own size."""
    return f"[![{words}](robustness/{name})](robustness/{name})"


def claims_csv(results: Results) -> str:
    """All claims in all settings."""
    head = "hypothesis,loss,outcome,a,b,collection,depth,estimate,low,high,p,p_holm,state"
    rows = [
        ",".join(f"{v:.5g}" if isinstance(v, float) else str(v) for v in row).replace("nan", "")
        for row in results.claims()
    ]
    return "\n".join([head, *rows]) + "\n"


def draw(results: Results, folder: Path) -> None:
    """All pictures."""
    from study import pictures

    look: Callable[..., None]
    folder.mkdir(parents=True, exist_ok=True)
    for loss in LOSSES:
        look = pictures.ranked
        look(
            results,
            loss,
            ("prediction", "tau"),
            "prediction (dots, 95 % interval) and tau (rings)",
            folder / f"{loss}.png",
        )
    pictures.ranked(results, "team", ("bias_value",), "change of the value (%)", folder / "team.png", zero=True)
    pictures.ranked(
        results, "shallow", ("bias_value",), "change of the value (%)", folder / "shallow-bias.png", zero=True
    )
    pictures.levels(results, "random", folder / "levels.png")
    for name, of in results.tested.items():
        words = OUTCOME_WORDS[of.parts[0].claim.outcome]
        pictures.hypothesis(results, of, words, folder / f"hypothesis-{name.lower()}.png")
    pairs = [pair for group in ABLATION.values() for pair in group]
    pictures.ablation(results, pairs, LOSSES, "prediction", folder / "ablation.png")


def main(given: Sequence[str] | None = None) -> int:
    """Write the page."""
    made = argparse.ArgumentParser(
        prog="python -m study page", description="Write docs/robustness.md from the result files."
    )
    made.add_argument("--results", type=Path, default=HERE / "results", help="default: study/results")
    made.add_argument("-o", "--output", type=Path, default=HERE.parent / "docs", help="default: docs")
    made.add_argument("--no-pictures", action="store_true")
    asked = made.parse_args(given)
    try:
        results = Results(asked.results)
        text = Page(results).text()
    except ValueError as error:
        print(f"study page: {error}", file=sys.stderr)
        return 1
    (asked.output / "robustness").mkdir(parents=True, exist_ok=True)
    (asked.output / "robustness.md").write_text(text, encoding="utf-8")
    (asked.output / "robustness" / "claims.csv").write_text(claims_csv(results), encoding="utf-8")
    if not asked.no_pictures:
        draw(results, asked.output / "robustness")
    return 0


if __name__ == "__main__":
    sys.exit(main())
