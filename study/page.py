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
    Verdict,
    units,
)
from study.power import LOW, simulated
from study.results import Results
from study.text import (
    code,
    count,
    fraction,
    interval,
    listed,
    percent,
    signed,
    span,
    table,
    thousandths,
    times,
)

USABLE = (
    *("AP", "Q", "nDCG", "nDCG@10", "RBP", "AP'", "Q'", "nDCG'", "nDCG'@10", "RBP'", "bpref"),
    *("rpref absolute", "rpref relative", "rpref relative2"),
)
IMPERFECT = ("AP", "nDCG", "AP'", "bpref", "rpref absolute", "rpref relative", "rpref relative2")
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
    """Write the page and its figure, the appendix and `verdicts.csv`."""
    stored = Results(results)
    files = {
        docs / "robustness.md": page(stored),
        appendix_to / "APPENDIX.md": appendix_page(stored),
        results / "verdicts.csv": verdicts_csv(stored),
    }
    docs.mkdir(parents=True, exist_ok=True)
    for path, text in files.items():
        with replaced(path) as beside, open(beside, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    figure.draw(stored, docs / "robustness.svg")


def verdicts_csv(results: Results) -> str:
    """Write a row for each hypothesis; the interval is at its own level of Holm's procedure."""
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


def appendix_page(results: Results) -> str:
    """Write the appendix, with the tables behind the page."""
    verdicts = results.verdicts()
    tables = "\n\n".join([verdict_table(results, verdicts), _reading(verdicts)])
    return appendix.page(results, tables, numbers(results))


def page(results: Results) -> str:
    """Write the page of the site, at most 1,200 words."""
    verdicts = {v.hypothesis.name: v for v in results.verdicts()}
    parts = [
        "# Robustness to missing judgments",
        "<!-- Written by `python -m study` from study/results; change those, or study/page.py. -->",
        "Can you still rank systems if most judgments are missing? In "
        f"{len(results.counted)} collections with {_runs(results):,} runs, we kept a tenth of the "
        "judgments at random, or only those of the first ten documents of half of the teams "
        "(shallow pools). A prime marks [condensed lists](glossary.md#condensed-list) (without "
        "unjudged documents), as in AP'.",
        "## What to use",
        decisions(results),
        advice(results),
        needed(results),
        "## What we found",
        answers(results, verdicts),
        "![Kendall's tau of each measure less that of bpref, by collection, under random loss and "
        "in shallow pools](robustness.svg)",
        "[Kendall's tau](glossary.md#kendalls-tau) of each measure minus that of bpref; a dot for each collection "
        "(arrows: beyond the axis). *Own*: agreement with the measure's own ranking by all judgments. "
        "*Prediction*: agreement with nDCG@10 and AP by all judgments, on other topics. Grey: "
        "differences smaller than what nDCG' loses if judgments are halved "
        f"({fraction(OWN)} and {fraction(PREDICTION)}).",
        "## How sure this is",
        f"Rounds of a collection share topics and count once, so the claims rest on "
        f"{count(len(results.units))} collections. Hypotheses and margins were preregistered. "
        + _seen(results)
        + " Nobody outside the project has reviewed the study. The plan, deviations from it, and "
        "tables by measure and collection are in `study/` in the repository.",
        _verdicts(list(verdicts.values()), len(results.units)),
        "## Imperfect judgments" if results.imperfect else "",
        imperfect(results) if results.imperfect else "",
        "## On your own collection",
        "[`irpref meta robustness`](command-line.md) does this with your judgments and runs; "
        "`--loss documents`, `flip` and `judges` make the judgments imperfect. `--intervals` adds "
        "intervals, and `--needed nDCG` tells you how many judgments each measure needs.",
        "```bash\nirpref meta robustness qrels.txt runs nDCG 'nDCG(judged_only=True)' Bpref RPref "
        "--samples 30 --intervals\n```",
        "## Limits",
        "The study takes the full judgments for the truth, though they are a pool themselves. The "
        "loss is simulated. The runs of TREC DL are research runs, many of them variants of one "
        "another. Prediction favours measures that resemble nDCG@10 and AP; own ranking favours "
        "measures that count what was retrieved. " + _merged(results),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def answers(results: Results, verdicts: dict[str, Verdict]) -> str:
    """Give the answers in short, from the verdicts."""
    clauses = {
        name: words[verdicts[name].verdict].replace("{x}", times(verdicts[name].mean)[1:])
        for name, words in CLAUSES.items()
    }
    lines = [
        f"With a tenth of the judgments left at random, {clauses['H1']}",
        clauses["H5"],
        _grades(results, verdicts["H3"]),
        _pooled(results, verdicts["H7"]),
        clauses["H10"],
        _bias(results),
    ]
    return "\n".join(f"- {line[0].upper()}{line[1:]}." for line in lines)


def _grades(results: Results, verdict: Verdict) -> str:
    """State H3, with the gain of grades as judgments."""
    from scipy import stats

    gains = units(results.claim(verdict.hypothesis))
    k, mean = len(gains), float(np.mean(gains))
    half = float(stats.t.isf(0.025, k - 1) * np.std(gains, ddof=1) / np.sqrt(k))
    ends = [thousandths(x) for x in (mean, mean - half, mean + half)]
    worth = results.worth_of_grades()
    most = sorted(worth, key=worth.__getitem__, reverse=True)[:2]
    above = listed(f"{worth[name]:.1f} on {results.title(name)}" for name in most)
    average = float(np.exp(np.mean(np.log(list(worth.values())))))
    return (
        f"on the {count(k)} graded collections, grades add {ends[0]} {interval(*ends[1:])} (95 % "
        f"interval) to the tau of the prediction, as much as {average:.2f} times the judgments would "
        f"({above}). The margin of the plan, {fraction(PREDICTION)}, is worth twice the "
        "judgments, so a gain inside it can still matter"
    )


def _pooled(results: Results, verdict: Verdict) -> str:
    """State H7, by t and by sign flips."""
    bias = results.claim(verdict.hypothesis, results.names)
    below = sum(x < 0 for x in bias.values())
    many = "all" if below == len(bias) else str(below)
    return (
        f"in shallow pools, AP, Q, nDCG and RBP put teams that were not pooled too low in {many} "
        f"of {len(bias)} collections (by {percent(-max(bias.values()))} to "
        f"{percent(-min(bias.values()))} % of the pairs). Over {count(verdict.units)} units, exact "
        f"sign flips give p = {thousandths(verdict.flips)[1:]}"
        + (", the smallest possible" if verdict.flips == 2.0 ** (1 - verdict.units) else "")
        + f"; by Student's t the claim is {verdict.verdict}, as the size of the bias varies"
    )


def _bias(results: Results) -> str:
    worst = min(max(map(abs, results.span("pools 10", "bias", m))) for m in USABLE)
    if worst > PAIRS:
        return "in shallow pools, every measure favours or disadvantages teams that were not pooled in some collection"
    safe = [m for m in USABLE if max(map(abs, results.span("pools 10", "bias", m))) <= PAIRS]
    return (
        f"in shallow pools, {listed(safe)} treat teams that were not pooled as they do the others"
    )


def _verdicts(verdicts: Sequence[Verdict], k: int) -> str:
    """Count the hypotheses with each verdict."""
    named = {
        word: [v.hypothesis.name for v in verdicts if v.verdict == word]
        for word in (SUPPORTED, NO_EFFECT, REFUTED, OPEN)
    }
    counts = "; ".join(f"{listed(names)} {word}" for word, names in named.items() if names)
    return (
        f"Of the {len(verdicts)} hypotheses, each tested over collections with Holm's correction: "
        f"{counts}. *Open* is not *refuted*: {count(k)} collections are few. `study/APPENDIX.md` states "
        "each hypothesis."
    )


def _merged(results: Results) -> str:
    """Say which verdicts are left if the years of TREC DL count once."""
    left = [v.hypothesis.name for v in results.verdicts(merged=True) if v.verdict != OPEN]
    still = f"only {listed(left)} keep their verdicts" if left else "no hypothesis gets a verdict"
    return f"There are few collections: if the two years of TREC DL count as one, {still}."


def _runs(results: Results) -> int:
    return sum(results.about[name]["runs"] for name in results.counted)


def _seen(results: Results) -> str:
    known = count(sum(name not in results.unseen for name in results.names))
    text = f"The hypotheses were written with earlier results of {known} collections in mind"
    if not results.unseen:
        return f"{text}, so that new collections must confirm the claims."
    every = [results.is_predicted(v.hypothesis) for v in results.verdicts()]
    inside = [one for by_name in every for one in by_name.values()]
    return (
        f"{text}; {listed(map(results.title, results.unseen))} had not been looked at: "
        f"{sum(inside)} of {len(inside)} new estimates lie in the 95 % prediction intervals of the "
        f"others. {_not_counted(results)}"
    )


def _not_counted(results: Results) -> str:
    """Name collections of too few teams, and the verdicts if they counted."""
    small = [name for name in results.names if name not in results.counted]
    if not small:
        return ""
    pairs = zip(results.verdicts(), results.with_all().verdicts(), strict=True)
    other = [(now.hypothesis.name, new.verdict) for now, new in pairs if now.verdict != new.verdict]
    by_verdict: dict[str, list[str]] = {}
    for name, verdict in other:
        by_verdict.setdefault(verdict, []).append(name)
    changed = "; ".join(f"{listed(names)} {verdict}" for verdict, names in by_verdict.items())
    named = listed(map(results.title, small))
    return (
        f"{named} has fewer than six teams, too few to conclude about other systems, so the "
        f"verdicts do not count it. If they did, these would change: {changed or 'none'}."
    )


def verdict_table(results: Results, verdicts: Sequence[Verdict]) -> str:
    """Tabulate every hypothesis with its estimate, interval, verdict and power."""
    rows = []
    for i, v in enumerate(verdicts):
        h, strength = v.hypothesis, simulated(v.units)[i]
        show: Callable[[float], str] = times if h.ratio else signed
        bound = times(h.bound) if h.ratio else fraction(h.margin)
        row = [
            h.name,
            code(h.words),
            f"{show(v.mean)} {interval(show(v.low), show(v.high))}",
            bound,
            str(v.units),
            f"{v.flips:.3f}",
            f"{strength:.2f}",
        ]
        if results.unseen:
            predicted = results.is_predicted(h)
            row.append(f"{sum(predicted.values())} of {len(predicted)}")
        rows.append([*row, f"**{v.verdict}**"])
    head = ["", "claim", "mean, interval", "margin", "collections", "sign flips", "power"]
    head += ["unseen as predicted"] * bool(results.unseen)
    return table([*head, "verdict"], rows)


def _reading(verdicts: Sequence[Verdict]) -> str:
    opened = [v.hypothesis.name for v in verdicts if v.verdict == OPEN]
    weak = [
        v.hypothesis.name
        for i, v in enumerate(verdicts)
        if v.verdict == OPEN and simulated(v.units)[i] < LOW
    ]
    text = (
        "Numbers with × are ratios. The interval is Student's, over collections, at the level that "
        "Holm's procedure leaves for the hypothesis. *No effect*: it is inside the margin. *Sign "
        "flips*: p of the exact test over the collections, for this hypothesis alone; with k "
        "collections it is at least 2^(1 - k). *Power*: the chance of a verdict if the earlier "
        "estimates on these same collections were the truth. It describes this design on these "
        "collections, not what new ones would show."
    )
    if opened:
        low = (
            "All open ones" if len(weak) == len(opened) else listed(weak) or "None of the open ones"
        )
        text += f" {low} had low power."
    return text


def imperfect(results: Results) -> str:
    """Tabulate the own ranking with imperfect judgments, from `study.imperfect`; exploratory."""
    heads = {
        "documents 50": "half of the documents gone",
        "flip 80": "one grade in five changed",
        "judges 0": "grades of language models",
    }
    rows = [
        [measure, *(fraction(_imperfect(results, loss, measure)) for loss in heads)]
        for measure in IMPERFECT
    ]
    top = {
        loss: max(results.imperfect_measures, key=lambda m: _imperfect(results, loss, m))
        for loss in heads
    }
    first = listed(
        f"{measure} ({'; '.join(heads[loss] for loss in heads if top[loss] == measure)})"
        for measure in dict.fromkeys(top.values())
    )
    n = len({name for name, loss, _ in results.imperfect if loss == "judges 0"})
    return (
        "De Beer and Moens also leave open how robust rpref is to wrong judgments. This part is "
        "exploratory: tau with the measure's own ranking by the original judgments, mean over "
        "collections. Documents vanish from the runs, but keep their judgments; grades change to a "
        "neighbouring one; or each topic has the grades of one of several language models "
        f"({count(n)} collections).\n\n"
        + table(["", *heads.values()], rows)
        + f"\n\nHighest of the {len(results.imperfect_measures)} measures that were tried: {first}."
    )


def _imperfect(results: Results, loss: str, measure: str) -> float:
    """Mean over collections of tau with a measure's own ranking."""
    taus = {
        name: tau
        for (name, which, other), tau in results.imperfect.items()
        if (which, other) == (loss, measure) and name in results.counted
    }
    return float(np.mean(units(taus))) if taus else float("nan")


def numbers(results: Results) -> str:
    """Tabulate own ranking, prediction, wrong calls and bias of each measure that one would use;
    bold if it passes.
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
    """Find measures whose mean is within the margin of the best."""
    mean = {m: results.mean(loss, outcome, m) for m in USABLE}
    top = max(mean.values())
    return {m for m, x in mean.items() if x >= top - margin}


def few_wrong(results: Results) -> set[str]:
    """Find measures with at most half as many wrong calls again as nDCG'."""
    most = WRONG * results.mean("random 10", "wrong", "nDCG'")
    return {m for m in USABLE if results.mean("random 10", "wrong", m) <= most}


def _size(results: Results, measure: str) -> float:
    """Mean size of the bias over collections."""
    sizes = [abs(results.estimate(name, "pools 10", "bias", measure)) for name in results.counted]
    return float(np.nanmean(sizes))


def least_biased(results: Results) -> set[str]:
    """Find measures whose bias is, in the mean of its size over collections, within the margin of
    the smallest.
    """
    size = {m: _size(results, m) for m in USABLE}
    least = min(size.values())
    return {m for m, x in size.items() if x <= least + PAIRS}


def situations(results: Results) -> list[tuple[str, list[tuple[str, set[str]]]]]:
    """List the questions to a measure in each situation: the measures that pass each question."""
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
    """Tabulate each situation with the measures that pass all questions, and those that fail
    one.
    """
    rows = []
    for situation, asked in situations(results):
        failed = {m: sum(m not in passed for _, passed in asked) for m in USABLE}
        passing, nearly = ([m for m, n in failed.items() if n == k] for k in (0, 1))
        criteria = ", ".join(dict.fromkeys(name for name, _ in asked))
        rows.append(
            [
                situation,
                criteria,
                f"**{', '.join(passing)}**" if passing else "none",
                ", ".join(nearly) or "none",
            ]
        )
    rule = (
        "Measures in bold meet all criteria of a situation, on average over collections: they are "
        f"within a margin of the best in own ranking (tau {fraction(OWN)}) and prediction "
        f"({fraction(PREDICTION)}), make at most {WRONG} times the wrong calls of nDCG' (under "
        f"random loss), and their bias is at most {percent(PAIRS)} points larger than the "
        "smallest. This rule is not a test. " + _left_out(results)
    )
    return table(["situation", "criteria", "meet all", "miss one"], rows) + "\n\n" + rule


def _left_out(results: Results) -> str:
    """Count how often the advice is the same if a collection is left out."""

    def best(part: Results) -> set[str]:
        _, asked = situations(part)[2]
        return set.intersection(*(passed for _, passed in asked))

    kept = dict.fromkeys(sorted(best(results)), 0)
    for name in results.units:
        for measure in best(results.without(name)) & kept.keys():
            kept[measure] += 1
    n = len(results.units)
    words = listed(f"{measure} ({times_kept} of {n} times)" for measure, times_kept in kept.items())
    small = [name for name in results.names if name not in results.counted]
    text = f"With one collection left out in turn, these still meet all criteria of the third row: {words}."
    if small:
        still = listed(sorted(best(results.with_all()))) or "none"
        text += f" With {listed(map(results.title, small))} added: {still}."
    return text if kept else ""


def needed(results: Results) -> str:
    """Give the judgments that measures need to predict as well as nDCG' does with a tenth."""

    def share(measure: str) -> str:
        shares = [results.about[name]["needed"][measure][0] for name in results.counted]
        known = [x for x in shares if x is not None]
        ends = [f"{min(known):.0f}"] if known else []
        if not known or len(known) < len(shares):
            ends.append("more than all")
        elif f"{max(known):.0f}" not in ends:
            ends.append(f"{max(known):.0f}")
        return f"{measure} {span(ends[0], ends[-1])}"

    shown = listed(share(m) for m in ("AP'", "rpref relative2", "bpref", "nDCG", "AP"))
    return (
        "**How many judgments do you need** to predict other topics as well as nDCG' does with 10 "
        f"% of them? In per cent, lowest and highest collection: {shown}."
    )


def advice(results: Results) -> str:
    """Draw the conclusions, and name the errors of earlier advice."""
    top = [results.mean("random 10", "wrong", m) for m in ("RBP'", "nDCG'@10")]
    spans = [results.span("random 10", "wrong", m) for m in ("RBP'", "nDCG'@10")]
    low, high = min(s[0] for s in spans), max(s[1] for s in spans)
    one = results.span("random 10", "wrong", "nDCG'")
    return (
        f"**Do not test differences by RBP' or nDCG'@10** if judgments are missing at random. "
        f"They predict well, but they call {percent(low)} to {percent(high)} "
        f"% of all pairs wrongly "
        f"significant (mean {percent(float(np.mean(top)))}), and nDCG' {percent(one[0])} to "
        f"{percent(one[1])} %, since the first ten judged documents then lie deep in the ranking."
    )
