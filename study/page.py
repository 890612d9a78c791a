"""docs/robustness.md and its figure, study/APPENDIX.md, and the verdicts as a file: all from the stored
results.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from irpref.data.replace import replaced
from study import appendix, figure
from study.claims import (
    NO_EFFECT,
    OPEN,
    OWN,
    PAIRS,
    PREDICTION,
    REFUTED,
    SUPPORTED,
    WRONG,
    Hypothesis,
    Verdict,
    unit,
)
from study.power import LOW, simulated
from study.results import Results
from study.text import code, count, fraction, interval, listed, percent, signed, span, table, times

USABLE = (
    *("AP", "Q", "nDCG", "nDCG@10", "RBP", "AP'", "Q'", "nDCG'", "nDCG'@10", "RBP'", "bpref"),
    *("rpref absolute", "rpref relative", "rpref relative2"),
)
# What follows of each verdict, as clauses of the first sentence; `{x}` is the mean, a factor.
CLAUSES = {
    "H1": {
        SUPPORTED: "rpref keeps its ranking of the systems about as well as bpref",
        REFUTED: "rpref keeps its ranking of the systems less well than bpref",
        OPEN: "rpref keeps its ranking of the systems about as well as bpref in these "
        "collections, which are too few to "
        "show it for others",
    },
    "H5": {
        SUPPORTED: "AP, Q and nDCG on condensed lists do so as well",
        REFUTED: "AP, Q and nDCG on condensed lists do not keep theirs as well as bpref",
        OPEN: "whether AP, Q and nDCG on condensed lists do so is open",
    },
    "H3": {
        NO_EFFECT: "the grades of rpref do not improve its prediction by an amount that matters",
        SUPPORTED: "the grades of rpref improve its prediction",
        REFUTED: "the grades of rpref make its prediction worse",
        OPEN: "whether the grades of rpref improve its prediction is open",
    },
    "H10": {
        SUPPORTED: "with `unretrieved='infinity'`, the paper's literal formula, {x} times as many "
        "pairs of systems reverse",
        NO_EFFECT: "`unretrieved='infinity'`, the paper's literal formula, makes no difference",
        REFUTED: "with `unretrieved='infinity'`, the paper's literal formula, fewer pairs of "
        "systems reverse",
        OPEN: "with `unretrieved='infinity'`, the paper's literal formula, {x} times as many "
        "pairs of systems reverse in "
        "these collections",
    },
}


def write(results: Path, docs: Path, appendix_to: Path) -> None:
    """The page and its figure, the appendix and `verdicts.csv`."""
    found = Results(results)
    files = {
        docs / "robustness.md": page(found),
        appendix_to / "APPENDIX.md": appendix.page(found),
        results / "verdicts.csv": verdicts_csv(found),
    }
    docs.mkdir(parents=True, exist_ok=True)
    for path, text in files.items():
        with replaced(path) as beside, open(beside, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    figure.draw(found, docs / "robustness.svg")


def verdicts_csv(results: Results) -> str:
    """A row for each hypothesis; the interval is at its own level of Holm's procedure."""
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(
        (
            "hypothesis",
            "claim",
            "units",
            "mean",
            "low",
            "high",
            "level",
            "p_holm",
            "verdict",
            *results.names,
        )
    )
    for v in results.verdicts():
        numbers = [f"{x:.5g}" for x in (v.mean, v.low, v.high, v.level, v.p)]
        each = results.claim(v.hypothesis)
        lines.writerow(
            (
                v.hypothesis.name,
                v.hypothesis.words,
                v.units,
                *numbers,
                v.verdict,
                *(each.get(n, "") for n in results.names),
            )
        )
    return out.getvalue()


def page(results: Results) -> str:
    """The page, at most 1,500 words."""
    verdicts = {v.hypothesis.name: v for v in results.verdicts()}
    k = len({unit(name) for name in results.names})
    parts = [
        "# Robustness to missing judgments",
        "<!-- Written by `python -m study` from study/results; change those, or study/page.py. -->",
        "Can you still rank systems if most judgments are missing? This study removes judgments "
        "at random until a tenth is "
        "left, or judges only the top documents of half of the teams (shallow pools). To choose a "
        "measure, "
        "see [What to use](#what-to-use).",
        answers(results, verdicts),
        f"The study has {len(results.names)} collections with {_runs(results):,} runs. Rounds of "
        f"a collection share topics "
        f"and count once, so that the claims rest on {count(k)} units. Hypotheses, margins and "
        f"power were "
        "preregistered (`study/PREREGISTRATION.md`); "
        + _seen(results)
        + " Details are in `study/APPENDIX.md`.",
        "![Kendall's tau of each measure less that of bpref, by collection, under random loss and "
        "in shallow pools]"
        "(robustness.svg)",
        "[Kendall's tau](glossary.md#kendalls-tau) of each measure less that of bpref; a dot for each collection "
        "(arrows: outside). A "
        "prime marks [condensed lists](glossary.md#condensed-list) (without unjudged documents). "
        "*Own*: agreement with the measure's ranking by all "
        "judgments. *Prediction*: agreement with nDCG@10 and AP by all judgments, on other "
        "topics. Grey: differences smaller "
        f"than what halving the judgments costs nDCG' ({fraction(OWN)} and {fraction(PREDICTION)}).",
        "## Questions and answers",
        verdict_table(results, list(verdicts.values())),
        _reading(list(verdicts.values())),
        "## What to use",
        decisions(results),
        numbers(results),
        "*Own* and *prediction* are tau. *Wrong*: pairs of systems that a paired t-test calls "
        "different with a tenth of the "
        "judgments, but not (or the other way round) with all. *Bias*: pairs of a pooled and an "
        "unpooled system that reverse in "
        "favour of the unpooled one, less those that reverse against it; mean, lowest and highest "
        "collection. Bold: passes.",
        advice(results),
        needed(results),
        "## On your own collection",
        "[`irpref meta robustness --intervals`](command-line.md) computes these outcomes with "
        "intervals for your own judgments "
        "and runs, and `--needed nDCG` tells you how many judgments each measure needs to predict "
        "other topics as well as "
        "nDCG does.",
        "```bash\nirpref meta robustness qrels.txt runs nDCG 'nDCG(judged_only=True)' Bpref RPref "
        "--samples 30 --intervals\n```",
        "## Limits",
        "The full judgments are themselves a pool, and the study takes them for the truth. The "
        "loss is simulated. The runs of "
        "the two years of TREC DL are research runs, and many are variants of one another. "
        "Prediction favours measures "
        "that resemble nDCG@10 and AP; own ranking favours measures that count what was "
        "retrieved. That is why the study has "
        "both. " + _merged(results),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def answers(results: Results, verdicts: dict[str, Verdict]) -> str:
    """The answers in short, from the verdicts."""
    said = {
        name: of[verdicts[name].verdict].replace("{x}", times(verdicts[name].mean)[1:])
        for name, of in CLAUSES.items()
    }
    lines = [
        f"With a tenth of the judgments left at random, {said['H1']}",
        *(said[h] for h in ("H5", "H3", "H10")),
    ]
    return "\n".join(f"- {line[0].upper()}{line[1:]}." for line in [*lines, _bias(results)])


def _bias(results: Results) -> str:
    worst = min(max(map(abs, results.span("pools 10", "bias", m))) for m in USABLE)
    if worst > PAIRS:
        return "in shallow pools every measure favours or disadvantages teams that were not pooled, in some collection"
    safe = [m for m in USABLE if max(map(abs, results.span("pools 10", "bias", m))) <= PAIRS]
    return f"in shallow pools {listed(safe)} treat teams that were not pooled as they do the others"


def _merged(results: Results) -> str:
    """What is left if the years of TREC DL count once."""
    left = [v.hypothesis.name for v in results.verdicts(merged=True) if v.verdict != OPEN]
    still = f"only {listed(left)} keep their verdicts" if left else "no hypothesis gets a verdict"
    return f"There are few collections: if the two years of TREC DL count as one, {still}."


def _runs(results: Results) -> int:
    return sum(of["runs"] for of in results.about.values())


def _seen(results: Results) -> str:
    if not results.unseen:
        return "earlier results of these collections were known by then, so that new collections must confirm the claims."
    return (
        f"earlier results of {len(results.names) - len(results.unseen)} of them were known by "
        f"then; "
        f"{listed(results.title(n) for n in results.unseen)} had not been looked at."
    )


def verdict_table(results: Results, verdicts: Sequence[Verdict]) -> str:
    """Every hypothesis with its estimate, interval, verdict and power."""
    rows = []
    for i, v in enumerate(verdicts):
        h, strength = v.hypothesis, simulated(v.units)[i]
        show: Callable[[float], str] = (lambda x: times(x)) if h.ratio else signed
        bound = times(h.bound) if h.ratio else fraction(h.margin)
        so, against, every = within(results, h)
        row = [
            h.name,
            code(h.words),
            f"{show(v.mean)} {interval(show(v.low), show(v.high))}",
            bound,
            f"{so}\u00a0/\u00a0{against} of\u00a0{every}",
            f"{strength:.2f}",
        ]
        if results.unseen:
            low, high = results.predicted(h)
            new = results.claim(h, results.unseen)
            row.append(f"{sum(low <= x <= high for x in new.values())} of {len(new)}")
        rows.append([*row, f"**{v.verdict}**"])
    head = ["", "claim", "mean, interval", "margin", "collections: yes / no", "power"]
    head += ["unseen as predicted"] * bool(results.unseen)
    return table([*head, "verdict"], rows)


def within(results: Results, hypothesis: Hypothesis) -> tuple[int, int, int]:
    """Collections whose own interval is on the side claimed, is not, and all of them."""
    intervals = [
        found for name in results.names if (found := results.within(name, hypothesis)) is not None
    ]
    said = [hypothesis.read(low, high) for _, low, high in intervals]
    return said.count(SUPPORTED), said.count(REFUTED) + said.count(NO_EFFECT), len(said)


def _reading(verdicts: Sequence[Verdict]) -> str:
    opened = [v.hypothesis.name for v in verdicts if v.verdict == OPEN]
    weak = [
        v.hypothesis.name
        for i, v in enumerate(verdicts)
        if v.verdict == OPEN and simulated(v.units)[i] < LOW
    ]
    text = (
        "Numbers with × are ratios. The interval is over collections, at the level that Holm's "
        "procedure leaves for the "
        "hypothesis. *No effect*: it is inside the margin. *Collections*: how many have a 95 % "
        "interval of their own, over "
        "topics and teams, on the side of the claim, and how many show the opposite or no effect. "
        "*Power*: the chance of a "
        "verdict, by simulation, reported before the run."
    )
    if opened:
        low = (
            "All open ones" if len(weak) == len(opened) else listed(weak) or "None of the open ones"
        )
        text += f" {low} had low power."
    return text


def numbers(results: Results) -> str:
    """Own ranking, prediction, wrong calls and bias of each measure that one would use; bold if it
    passes.
    """
    random, pools = (dict(asked) for _, asked in situations(results)[:2])
    columns = [
        ("random 10", "own", fraction, random["own ranking"]),
        ("random 10", "prediction", fraction, random["prediction"]),
        ("random 10", "wrong", percent, random["wrong calls"]),
        ("pools 10", "own", fraction, pools["own ranking"]),
        ("pools 10", "prediction", fraction, pools["prediction"]),
    ]
    rows = []
    for measure in USABLE:
        row = [measure]
        for loss, outcome, show, passed in columns:
            row.append(_bold(show(results.mean(loss, outcome, measure)), measure in passed))
        low, high = results.span("pools 10", "bias", measure)
        mean = percent(results.mean("pools 10", "bias", measure), True)
        row.append(
            _bold(mean, measure in pools["bias"])
            + f" ({span(percent(low, True), percent(high, True))})"
        )
        rows.append(row)
    head = ["", "random: own", "prediction", "wrong, %", "pools: own", "prediction", "bias, %"]
    return table(head, rows)


def _bold(text: str, passed: bool) -> str:
    return f"**{text}**" if passed else text


def _best(results: Results, loss: str, outcome: str, margin: float) -> set[str]:
    """Measures whose mean is within the margin of the best."""
    mean = {m: results.mean(loss, outcome, m) for m in USABLE}
    top = max(mean.values())
    return {m for m, x in mean.items() if x >= top - margin}


def few_wrong(results: Results) -> set[str]:
    """Measures with at most half as many wrong calls again as nDCG'."""
    most = WRONG * results.mean("random 10", "wrong", "nDCG'")
    return {m for m in USABLE if results.mean("random 10", "wrong", m) <= most}


def _size(results: Results, measure: str) -> float:
    """Mean size of the bias over collections."""
    found = [abs(results.estimate(name, "pools 10", "bias", measure)) for name in results.names]
    return float(np.nanmean(found))


def least_biased(results: Results) -> set[str]:
    """Measures whose bias is, in the mean of its size over collections, within the margin of the
    smallest.
    """
    size = {m: _size(results, m) for m in USABLE}
    least = min(size.values())
    return {m for m, x in size.items() if x <= least + PAIRS}


def situations(results: Results) -> list[tuple[str, list[tuple[str, set[str]]]]]:
    """What is asked of a measure in each situation: the measures that pass each question."""
    random = [
        ("own ranking", _best(results, "random 10", "own", OWN)),
        ("prediction", _best(results, "random 10", "prediction", PREDICTION)),
        ("wrong calls", few_wrong(results)),
    ]
    pools = [
        ("own ranking", _best(results, "pools 10", "own", OWN)),
        ("prediction", _best(results, "pools 10", "prediction", PREDICTION)),
        ("wrong calls", few_wrong(results)),
        ("bias", least_biased(results)),
    ]
    every = [("prediction", _best(results, "random 100", "prediction", PREDICTION))]
    return [
        ("judgments missing at random", random),
        ("shallow pools, some systems not pooled", pools),
        ("either, and you do not know which", [*random, *pools]),
        ("nothing missing", every),
    ]


def decisions(results: Results) -> str:
    """Situation by the measures that pass all questions, and those that fail one."""
    rows = []
    for situation, asked in situations(results):
        failed = {m: sum(m not in passed for _, passed in asked) for m in USABLE}
        passing, nearly = ([m for m, n in failed.items() if n == k] for k in (0, 1))
        questions = ", ".join(dict.fromkeys(name for name, _ in asked))
        rows.append(
            [
                situation,
                questions,
                f"**{', '.join(passing)}**" if passing else "none",
                ", ".join(nearly) or "none",
            ]
        )
    rule = (
        "Bold measures pass all questions of a situation: they are within the margin of the best "
        "in own ranking "
        f"({fraction(OWN)}) and prediction ({fraction(PREDICTION)}), make at most {WRONG} times "
        f"the wrong calls of nDCG' (under "
        f"random loss), and their bias is at most {percent(PAIRS)} points larger than the "
        f"smallest. This rule is not a test."
    )
    return rule + "\n\n" + table(["situation", "questions", "pass all", "fail one"], rows)


def needed(results: Results) -> str:
    """Judgments that measures need to predict as well as nDCG' does with a tenth."""

    def share(measure: str) -> str:
        found = [results.about[name]["needed"][measure][0] for name in results.names]
        known = [x for x in found if x is not None]
        ends = [f"{min(known):.0f}"] if known else []
        if not known or len(known) < len(found):
            ends.append("more than all")
        elif f"{max(known):.0f}" not in ends:
            ends.append(f"{max(known):.0f}")
        return f"{measure} {span(ends[0], ends[-1])}"

    shown = listed(share(m) for m in ("AP'", "rpref relative2", "bpref", "nDCG", "AP"))
    return (
        "**How many judgments do you need** to predict other topics as well as nDCG' does with 10 "
        "% of them? By collection, in "
        f"per cent: {shown}."
    )


def advice(results: Results) -> str:
    """What follows, and what earlier advice got wrong."""
    top = [results.mean("random 10", "wrong", m) for m in ("RBP'", "nDCG'@10")]
    spans = [results.span("random 10", "wrong", m) for m in ("RBP'", "nDCG'@10")]
    low, high = min(s[0] for s in spans), max(s[1] for s in spans)
    one = results.span("random 10", "wrong", "nDCG'")
    return (
        f"**Do not test differences by RBP' or nDCG'@10** if judgments are missing at random. "
        f"They predict well, and an earlier "
        f"version of this page recommended them, but they call {percent(low)} to {percent(high)} "
        f"% of all pairs wrongly "
        f"significant (mean {percent(float(np.mean(top)))}), and nDCG' {percent(one[0])} to "
        f"{percent(one[1])} %. The first ten judged documents are then too "
        "deep in the ranking."
    )
