"""docs/robustness.md, its figure and its appendix, and the verdicts as a file: all from the stored results."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from irpref.formats.replace import replaced
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
from study.text import code, count, fraction, listed, percent, signed, table, times

USABLE = (
    *("AP", "Q", "nDCG", "nDCG@10", "RBP", "AP'", "Q'", "nDCG'", "nDCG'@10", "RBP'", "bpref"),
    *("rpref absolute", "rpref relative", "rpref relative2"),
)
# What follows of each verdict, as clauses of the first sentence; `{x}` is the mean, a factor.
CLAUSES = {
    "H1": {
        SUPPORTED: "rpref ranks systems about as stably as bpref",
        REFUTED: "rpref ranks systems less stably than bpref",
        OPEN: "rpref ranks systems about as stably as bpref in these collections (too few to show it of others)",
    },
    "H5": {
        SUPPORTED: "condensed AP, Q and nDCG do so, too",
        REFUTED: "condensed AP, Q and nDCG do not",
        OPEN: "so do condensed AP, Q and nDCG, with the same reservation",
    },
    "H3": {
        NO_EFFECT: "its grades add nothing that matters",
        SUPPORTED: "its grades help",
        REFUTED: "its grades harm",
        OPEN: "whether its grades help is open",
    },
    "H10": {
        SUPPORTED: "the literal reading of unretrieved documents makes {x} times as many pairs of systems change places",
        NO_EFFECT: "the reading of unretrieved documents makes no difference",
        REFUTED: "the literal reading of unretrieved documents makes it more stable",
        OPEN: "the literal reading of unretrieved documents makes {x} times as many pairs of systems change places here",
    },
}


def write(results: Path, docs: Path) -> None:
    """Both pages, the figure and `verdicts.csv`."""
    found = Results(results)
    files = {
        docs / "robustness.md": page(found),
        docs / "robustness-appendix.md": appendix.page(found),
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
        ("hypothesis", "claim", "units", "mean", "low", "high", "level", "p_holm", "verdict", *results.names)
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
        "```{toctree}\n:hidden:\npreregistration\nrobustness-appendix\n```",
        f"**{sentence(results, verdicts)}**",
        f"These are the answers of {len(results.names)} collections with {_runs(results):,} runs. Rounds of one "
        f"collection share their topics and count once, so that the claims rest on {count(k)} units. The hypotheses, the "
        "margins and the power were [preregistered](preregistration.md); "
        + _seen(results)
        + " Tables by measure and collection, related work and a reviewer's checklist are in the "
        "[appendix](robustness-appendix.md).",
        "![Kendall's tau of each measure less that of bpref, by collection, under random loss and in shallow pools]"
        "(robustness.svg)",
        f"Tau of each measure less that of bpref, a dot for each collection. In the grey band a difference is smaller "
        f"than what halving the judgments costs nDCG' ({fraction(OWN)} of its own ranking, {fraction(PREDICTION)} of "
        "prediction). Arrows lie outside. A prime marks condensed lists (unjudged documents left "
        "out first). *Prediction* is the agreement with nDCG@10 and AP by all judgments on other topics.",
        "## What was asked, and what came out",
        verdict_table(results, list(verdicts.values())),
        _reading(list(verdicts.values())),
        "## What to use",
        decisions(results),
        numbers(results),
        "*Own* and *prediction* are tau, *wrong* is the share of all pairs of systems that a paired t-test calls different "
        "with a tenth of the judgments and not, or the other way round, with all. *Bias* is the share of pairs of a pooled "
        "and an unpooled system that turn in favour of the unpooled one, less the share that turns against it: mean, then "
        "the lowest and highest collection. Bold: passes.",
        advice(results),
        needed(results),
        "## Of your own collection",
        "[`irpref meta robustness --intervals`](command-line.md) gives these outcomes with intervals for your own judgments "
        "and runs, and `--needed nDCG` says how many judgments each measure needs to predict other topics as well as nDCG "
        "does. In Python: `irpref.meta.robustness`.",
        "```bash\nirpref meta robustness qrels.txt runs nDCG 'nDCG(judged_only=True)' Bpref RPref --samples 30 --intervals\n```",
        "## What this cannot say",
        "All judgments are themselves a pool, which the criteria take for the truth. Loss is simulated. The runs of the two "
        "years of TREC DL are research runs, and many are variants of one another. Prediction favours measures that "
        "ask what nDCG@10 and AP ask; the agreement of a measure with itself favours those that count what was retrieved. "
        "That is why both are here. " + _merged(results),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def sentence(results: Results, verdicts: dict[str, Verdict]) -> str:
    """The first sentence, from the verdicts."""
    said = {
        name: of[verdicts[name].verdict].replace("{x}", times(verdicts[name].mean)[1:]) for name, of in CLAUSES.items()
    }
    joint = ", but " if verdicts["H1"].verdict == SUPPORTED == verdicts["H5"].verdict else ", and "
    start = f"With a tenth of the judgments left at random, {said['H1']}{joint}{said['H5']}"
    return f"{start}; {said['H3']}; {said['H10']}; and {_bias(results, verdicts)}."


def _bias(results: Results, verdicts: dict[str, Verdict]) -> str:
    worst = min(max(map(abs, results.span("pools 10", "bias", m))) for m in USABLE)
    if worst > PAIRS:
        return "in shallow pools no measure is safe for teams that were not pooled"
    safe = [m for m in USABLE if max(map(abs, results.span("pools 10", "bias", m))) <= PAIRS]
    return f"in shallow pools {listed(safe)} treat teams that were not pooled as they do the others"


def _merged(results: Results) -> str:
    """What is left if the years of TREC DL count once."""
    left = [v.hypothesis.name for v in results.verdicts(merged=True) if v.verdict != OPEN]
    still = f"{listed(left)} keep their verdicts" if left else "no hypothesis gets a verdict"
    return f"If the two years of TREC DL count once, {still}: collections are few."


def _runs(results: Results) -> int:
    return sum(of["runs"] for of in results.about.values())


def _seen(results: Results) -> str:
    if not results.unseen:
        return (
            "earlier results of these collections were known by then, so that new collections have yet to confirm them."
        )
    return (
        f"earlier results of {len(results.names) - len(results.unseen)} of them were known by then; "
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
            f"{show(v.mean)} [{show(v.low)}, {show(v.high)}]",
            bound,
            f"{so} / {against} of {every}",
            f"{strength:.2f}",
        ]
        if results.unseen:
            low, high = results.predicted(h)
            new = results.claim(h, results.unseen)
            row.append(f"{sum(low <= x <= high for x in new.values())} of {len(new)}")
        rows.append([*row, f"**{v.verdict}**"])
    head = ["", "claim", "mean, interval", "margin", "here: so / not so", "power"]
    head += ["unseen as predicted"] * bool(results.unseen)
    return table([*head, "verdict"], rows)


def within(results: Results, hypothesis: Hypothesis) -> tuple[int, int, int]:
    """Collections whose own interval is on the side claimed, is not, and all of them."""
    intervals = [found for name in results.names if (found := results.within(name, hypothesis)) is not None]
    said = [hypothesis.read(low, high) for _, low, high in intervals]
    return said.count(SUPPORTED), said.count(REFUTED) + said.count(NO_EFFECT), len(said)


def _reading(verdicts: Sequence[Verdict]) -> str:
    opened = [v.hypothesis.name for v in verdicts if v.verdict == OPEN]
    weak = [v.hypothesis.name for i, v in enumerate(verdicts) if v.verdict == OPEN and simulated(v.units)[i] < LOW]
    text = (
        "Numbers with × are ratios. The interval is over collections, at the level that Holm's procedure leaves the "
        "hypothesis; *no effect*: it lies inside the margin; *here*: collections whose own 95 % interval, over topics and "
        "teams, is on the side claimed, and those where it shows the opposite or no effect; *power*: the chance of a verdict "
        "by simulation, reported before the run."
    )
    if opened:
        text += f" Open: {listed(opened)}" + (
            ", all of which had low power."
            if len(weak) == len(opened)
            else f"; of these {listed(weak) or 'none'} had low power."
        )
    return text


def numbers(results: Results) -> str:
    """Order, prediction, wrong calls and bias of each measure that one would use; bold if it passes."""
    random, pools = (dict(asked) for _, asked in situations(results)[:2])
    columns = [
        ("random 10", "own", fraction, random["order"]),
        ("random 10", "prediction", fraction, random["prediction"]),
        ("random 10", "wrong", percent, random["wrong calls"]),
        ("pools 10", "own", fraction, pools["order"]),
        ("pools 10", "prediction", fraction, pools["prediction"]),
    ]
    rows = []
    for measure in USABLE:
        row = [measure]
        for loss, outcome, show, passed in columns:
            row.append(_bold(show(results.mean(loss, outcome, measure)), measure in passed))
        low, high = results.span("pools 10", "bias", measure)
        span = f"{percent(low, True)} to {percent(high, True)}"
        row.append(
            _bold(percent(results.mean("pools 10", "bias", measure), True), measure in pools["bias"]) + f" ({span})"
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
    """Measures whose bias is, in the mean of its size over collections, within the margin of the smallest."""
    size = {m: _size(results, m) for m in USABLE}
    least = min(size.values())
    return {m for m, x in size.items() if x <= least + PAIRS}


def situations(results: Results) -> list[tuple[str, list[tuple[str, set[str]]]]]:
    """What is asked of a measure in each situation: the measures that pass each question."""
    random = [
        ("order", _best(results, "random 10", "own", OWN)),
        ("prediction", _best(results, "random 10", "prediction", PREDICTION)),
        ("wrong calls", few_wrong(results)),
    ]
    pools = [
        ("order", _best(results, "pools 10", "own", OWN)),
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
            [situation, questions, f"**{', '.join(passing)}**" if passing else "none", ", ".join(nearly) or "none"]
        )
    rule = (
        f"A measure passes a question if its mean is within the margin of the best in order ({fraction(OWN)}) or prediction "
        f"({fraction(PREDICTION)}), if it makes at most {WRONG} times the wrong calls of nDCG', and if the size of its bias is "
        f"within {percent(PAIRS)} % of the smallest. Wrong calls are those under random loss in all rows. The rule is no test."
    )
    return rule + "\n\n" + table(["situation", "questions", "pass all", "fail one"], rows)


def needed(results: Results) -> str:
    """Judgments that measures need to predict as well as nDCG' does with a tenth."""

    def span(measure: str) -> str:
        found = [results.about[name]["needed"][measure][0] for name in results.names]
        known = [x for x in found if x is not None]
        ends = [f"{min(known):.0f}"] if known else []
        if not known or len(known) < len(found):
            ends.append("more than all")
        elif f"{max(known):.0f}" not in ends:
            ends.append(f"{max(known):.0f}")
        return f"{measure} {' to '.join(ends)}"

    shown = listed(span(m) for m in ("AP'", "rpref relative2", "bpref", "nDCG", "AP"))
    return (
        "**In judgments:** to predict other topics as well as nDCG' does with 10 % of them, you need, in per cent by collection: "
        f"{shown}."
    )


def advice(results: Results) -> str:
    """What follows, and what earlier advice got wrong."""
    top = [results.mean("random 10", "wrong", m) for m in ("RBP'", "nDCG'@10")]
    spans = [results.span("random 10", "wrong", m) for m in ("RBP'", "nDCG'@10")]
    low, high = min(s[0] for s in spans), max(s[1] for s in spans)
    one = results.span("random 10", "wrong", "nDCG'")
    return (
        f"An earlier version of this page put RBP' and nDCG'@10 first for random loss, since they predict well. **Do not use "
        f"them to test**: they call {percent(low)} to {percent(high)} % of all pairs wrongly significant (mean "
        f"{percent(float(np.mean(top)))}), nDCG' {percent(one[0])} to {percent(one[1])} %. With a tenth of the judgments left, the "
        "first ten judged documents reach far deeper than the measure was meant to look: it answers another question, precisely."
    )
