"""docs/robustness-appendix.md: tables by measure and collection, related work, checklist, deviations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from study.claims import CONDENSED, PLAIN, Verdict
from study.results import Results
from study.text import fraction, interval, percent, signed, table, times

HERE = Path(__file__).parent
DEPTHS = (3, 10, 30, 100)


def page(results: Results) -> str:
    """The page."""
    parts = [
        "# Robustness: appendix",
        "<!-- Written by `python -m study` from study/results; change those, or study/appendix.py. -->",
        "Details of the [study](robustness.md). The numbers are in `study/results` (a CSV for each collection, and "
        "`verdicts.csv`); `python -m study FOLDER...` computes them.",
        "## Collections",
        collections(results),
        "*Left*: the share of all judgments that is left, in per cent: with a tenth at random (each topic keeps at least 1 "
        "relevant and 10 other documents), and in pools of half of the teams, by depth.",
        "## Hypotheses by collection",
        hypotheses(results),
        "Estimate and 95 % interval over topics, teams and samples; × marks ratios. *DL as one*: the verdict if the two years "
        "of TREC DL count once.",
        "## Outcomes",
    ]
    for title, loss, outcome, show in (
        ("Own ranking, a tenth of the judgments at random", "random 10", "own", fraction),
        ("Prediction, a tenth of the judgments at random", "random 10", "prediction", fraction),
        ("Prediction, all judgments", "random 100", "prediction", fraction),
        ("Wrong calls of significance, a tenth at random, per cent of all pairs", "random 10", "wrong", percent),
        ("Calls of significance that are kept, a tenth at random, per cent", "random 10", "kept", percent),
        ("Own ranking, pools of depth 10 of half of the teams", "pools 10", "own", fraction),
        ("Prediction, pools of depth 10 of half of the teams", "pools 10", "prediction", fraction),
    ):
        parts += [f"### {title}", by_collection(results, loss, outcome, show)]
    parts += [
        "### Bias by depth of the pool",
        "Net share of pairs that reverse in favour of the system that was not pooled, per cent, by depth of the pool "
        f"({', '.join(map(str, DEPTHS))}).",
        bias(results),
        sakai(results),
        "### How fast the ranking is lost",
        "Own ranking by the share of judgments left at random, mean over collections. Then, by collection, the share of the "
        "judgments that each measure needs to predict as well as nDCG' does with a tenth (0: fewer than 5 %; –: more than "
        "there are).",
        levels(results),
        "## Robust 2003 beside Sakai and Kando 2008",
        robust03(results),
    ]
    for name in ("related", "CHECKLIST", "DEVIATIONS"):
        parts.append((HERE / f"{name}.md").read_text(encoding="utf-8").strip())
    return "\n\n".join(part for part in parts if part) + "\n"


def collections(results: Results) -> str:
    """What each collection is."""
    rows = []
    for name in results.names:
        of = results.about[name]
        total = of["judgments"]["random 100"]
        left = [
            percent(of["judgments"][f"pools {k}"] / total) if f"pools {k}" in of["judgments"] else "–" for k in DEPTHS
        ]
        grades = ", ".join(f"{g}: {n:,}" for g, n in of["grades"].items())
        rows.append(
            [
                results.title(name),
                str(of["runs"]),
                f"{of['teams']} ({of['teams_from']})",
                str(of["topics"]),
                grades,
                f"{of['rel']:g}",
                percent(of["judgments"]["random 10"] / total),
                " / ".join(left),
            ]
        )
    head = [
        "",
        "runs",
        "teams",
        "topics",
        "judgments by grade",
        "relevant from",
        "left at 10 %",
        "left in pools 3 / 10 / 30 / 100",
    ]
    return table(head, rows)


def _interval(results: Results, name: str, v: Verdict) -> str:
    found = results.within(name, v.hypothesis)
    if found is None:
        return "–"
    estimate, low, high = map(times if v.hypothesis.ratio else signed, found)
    return f"{estimate} {interval(low, high)}"


def hypotheses(results: Results) -> str:
    """Every hypothesis in every collection."""
    merged = {v.hypothesis.name: v.verdict for v in results.verdicts(merged=True)}
    rows = [
        [
            v.hypothesis.name,
            *(_interval(results, name, v) for name in results.names),
            v.verdict,
            merged[v.hypothesis.name],
        ]
        for v in results.verdicts()
    ]
    return table(["", *map(results.title, results.names), "verdict", "DL as one"], rows)


def by_collection(results: Results, loss: str, outcome: str, show: Callable[[float], str]) -> str:
    """An outcome by measure and collection."""
    rows = []
    for measure in results.measures:
        each = [results.estimate(name, loss, outcome, measure) for name in results.names]
        rows.append([measure, *map(show, each), show(results.mean(loss, outcome, measure))])
    return table(["", *map(results.title, results.names), "mean"], rows)


def bias(results: Results) -> str:
    """Bias of each measure by depth of the pool."""
    rows = []
    for measure in results.measures:
        row = [measure]
        for name in results.names:
            row.append(" / ".join(percent(results.estimate(name, f"pools {k}", "bias", measure), True) for k in DEPTHS))
        rows.append(row)
    return table(["", *map(results.title, results.names)], rows)


def sakai(results: Results) -> str:
    """Whether condensed measures overestimate more than plain ones underestimate, by depth."""
    rows, deep = [], []
    for k in DEPTHS:
        row = [str(k)]
        for name in results.names:
            means = [
                float(np.mean([results.estimate(name, f"pools {k}", "bias", m) for m in group]))
                for group in (PLAIN, CONDENSED)
            ]
            row.append(" / ".join(percent(x, True) for x in (*means, sum(means))))
            if k == DEPTHS[-1]:
                deep.append([*means, sum(means)])
        rows.append(row)
    return (
        "Sakai (2008) finds that condensed measures overestimate new systems by more than plain ones underestimate them, with "
        "pools of depth 100; in shallow pools he finds condensed lists no better than plain ones (2009). Mean over AP, Q, "
        "nDCG and RBP, plain / condensed / their sum (above 0: the overestimation is larger):\n\n"
        + table(["depth", *map(results.title, results.names)], rows)
        + "\n\nOnly Robust 2003 was pooled to depth 100; elsewhere *100* means all judged documents that half of the teams "
        "retrieved. With half of the teams pooled, the sum is above 0 at depth 100 in "
        f"{sum(of[-1] > 0 for of in deep)} of {len(deep)} collections: his finding, for pools from one or a few teams, "
        "does not hold for these pools."
    )


def levels(results: Results) -> str:
    """Own ranking by level; and judgments needed."""
    rows = []
    for measure in results.measures:
        row = [measure, *(fraction(results.mean(f"random {k}", "own", measure)) for k in (50, 20, 10, 5))]
        for name in results.names:
            found = results.about[name]["needed"][measure][0]
            row.append("–" if found is None else f"{found:.0f}")
        rows.append(row)
    return table(
        ["", "50 %", "20 %", "10 %", "5 %", *(f"needed, {results.title(name)}" for name in results.names)], rows
    )


def robust03(results: Results) -> str:
    """Our numbers for the measures of Sakai and Kando; and what their abstract says."""
    name = "robust03"
    if name not in results.names:
        return "Robust 2003 is not among these collections."
    theirs = ("AP'", "Q'", "nDCG'", "bpref", "AP", "Q", "nDCG", "RBP", "RBP'")
    rows = []
    for measure in theirs:
        tau = [fraction(results.estimate(name, f"random {k}", "own", measure)) for k in (50, 20, 10, 5)]
        kept = [percent(results.estimate(name, f"random {k}", "kept", measure)) for k in (50, 20, 10, 5)]
        rows.append([measure, *tau, *kept])
    own = {m: results.estimate(name, "random 10", "own", m) for m in theirs}
    ahead = [m for m in ("AP'", "Q'", "nDCG'") if own[m] > max(own["bpref"], own["RBP"])]
    return (
        "They, too, remove judgments at random, with the runs submitted to the track (we have 17) at depth 1000 (here 100), "
        "and conclude that Q', nDCG' and AP' are superior to bpref and RBP. We had only their introduction, without the "
        "tables, so that we compare the order: at 10 %, "
        f"{len(ahead)} of the three ({', '.join(ahead) or 'none'}) are ahead of both bpref and RBP in own ranking.\n\n"
        + table(["", *(f"tau, {k} %" for k in (50, 20, 10, 5)), *(f"kept, {k} %" for k in (50, 20, 10, 5))], rows)
    )
