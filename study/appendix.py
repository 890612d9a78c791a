"""study/APPENDIX.md: tables by measure and collection, related work, checklist,
deviations.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from study.claims import CONDENSED, PLAIN, Verdict
from study.results import Results
from study.text import fraction, interval, percent, signed, span, table, times

HERE = Path(__file__).parent
DEPTHS = (3, 10, 30, 100)


def page(results: Results, verdicts: str, numbers: str) -> str:
    """Write the page; `verdicts`, `numbers`: the tables behind its claims and its decisions."""
    parts = [
        "# Robustness: appendix",
        "<!-- Written by `python -m study` from study/results; change those, or "
        "study/appendix.py. -->",
        "These are tables, related work and a checklist for readers who want to judge the "
        "[study](../docs/robustness.md). [results](results) has every "
        "number by collection (a CSV each, and `verdicts.csv`); `python -m study FOLDER...` "
        "computes them.",
        "## Collections",
        collections(results),
        "*Left*: judgments left, in per cent of all, with a tenth kept at random (each topic keeps "
        "at least 1 relevant and 10 other documents), and in pools of half of the teams, by depth.",
        "## Hypotheses",
        verdicts,
        "### By collection",
        hypotheses(results),
        "Estimate and 95 % interval over topics, teams and samples; × marks ratios. *Without "
        "the unseen*: the verdict of the collections that the hypotheses were written with. *DL as "
        "one*: the verdict if the two years of TREC DL count once.",
        "## Numbers behind the decisions",
        numbers,
        "*Own* and *prediction* are tau. *Wrong*: pairs of systems that a paired t-test calls "
        "different with a tenth of the judgments, but not (or the other way round) with all. "
        "*Bias*: pairs of a pooled and an unpooled system that reverse in favour of the unpooled "
        "one, less those that reverse against it; mean, lowest and highest collection. Bold: meets "
        "the criterion.",
        "## Outcomes",
        "Mean over collections, and the lowest and highest collection. *Kept*: pairs of systems "
        "that are significantly different "
        "by all judgments and still are with a tenth of them.",
        outcomes(results),
        "### Bias by depth of the pool",
        "Pairs of systems that reverse in favour of the one that was not pooled, less those that "
        "reverse against it, per cent: "
        "mean over collections, lowest and highest, by depth of the pool.",
        bias(results),
        sakai(results),
        "### How fast the ranking is lost",
        "*Own* is the mean over collections, by the share of judgments left at random. "
        "*Needed* is the share of judgments with which a measure predicts as well as nDCG' does "
        "with a tenth, in the lowest and the highest collection.",
        levels(results),
        "## Robust 2003 beside Sakai and Kando 2008",
        robust03(results),
    ]
    for name in ("related", "CHECKLIST", "DEVIATIONS"):
        parts.append((HERE / f"{name}.md").read_text(encoding="utf-8").strip())
    return "\n\n".join(part for part in parts if part) + "\n"


def collections(results: Results) -> str:
    """Describe each collection."""
    rows = []
    for name in results.names:
        about = results.about[name]
        total = about["judgments"]["random 100"]
        left = [
            percent(about["judgments"][f"pools {k}"] / total)
            if f"pools {k}" in about["judgments"]
            else "–"
            for k in DEPTHS
        ]
        grades = ", ".join(f"{g}: {n:,}" for g, n in about["grades"].items())
        rows.append(
            [
                results.title(name),
                str(about["runs"]),
                f"{about['teams']} ({about['teams_from']})",
                str(about["topics"]),
                grades,
                f"{about['rel']:g}",
                percent(about["judgments"]["random 10"] / total),
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
    within = results.within(name, v.hypothesis)
    if within is None:
        return "–"
    estimate, low, high = map(times if v.hypothesis.ratio else signed, within)
    return f"{estimate} {interval(low, high)}"


def hypotheses(results: Results) -> str:
    """Tabulate every hypothesis in every collection."""
    merged = {v.hypothesis.name: v.verdict for v in results.verdicts(merged=True)}
    seen = [name for name in results.names if name not in results.unseen]
    before = {v.hypothesis.name: v.verdict for v in results.verdicts(seen)} if seen else {}
    rows = [
        [
            v.hypothesis.name,
            *(_interval(results, name, v) for name in results.names),
            v.verdict,
            before.get(v.hypothesis.name, "–"),
            merged[v.hypothesis.name],
        ]
        for v in results.verdicts()
    ]
    titles = map(results.title, results.names)
    head = ["", *titles, "verdict", "without the unseen", "DL as one"]
    return table(head, rows) + "\n\n" + _all_grades(results)


def _all_grades(results: Results) -> str:
    """Give H3 with the collections that it leaves out."""
    left_out = [results.title(name) for name in results.names if not results.is_graded(name)]
    if not left_out:
        return "All of these collections are graded."
    whole = next(v for v in results.verdicts(graded=False) if v.hypothesis.name == "H3")
    low, high = signed(whole.low), signed(whole.high)
    return (
        f"H3 leaves out {', '.join(left_out)}. With it, the mean over {whole.units} collections is "
        f"{signed(whole.mean)} {interval(low, high)}: {whole.verdict}."
    )


def _range(
    results: Results, loss: str, outcome: str, measure: str, show: Callable[[float], str]
) -> str:
    """Mean over collections, with the lowest and the highest."""
    return f"{show(results.mean(loss, outcome, measure))} ({span(*map(show, results.span(loss, outcome, measure)))})"


def outcomes(results: Results) -> str:
    """Tabulate every outcome of every measure."""
    columns = {
        "own, 10 %": ("random 10", "own", fraction),
        "prediction, 10 %": ("random 10", "prediction", fraction),
        "wrong, %": ("random 10", "wrong", percent),
        "kept, %": ("random 10", "kept", percent),
        "own, pools 10": ("pools 10", "own", fraction),
        "prediction, pools 10": ("pools 10", "prediction", fraction),
        "prediction, all": ("random 100", "prediction", fraction),
    }
    rows = []
    for measure in results.measures:
        cells = (
            _range(results, loss, outcome, measure, show)
            for loss, outcome, show in columns.values()
        )
        rows.append([measure, *cells])
    return table(["", *columns], rows)


def bias(results: Results) -> str:
    """Tabulate the bias of each measure by depth of the pool."""
    rows = []
    for m in results.measures:
        rows.append(
            [
                m,
                *(
                    _range(results, f"pools {k}", "bias", m, lambda x: percent(x, True))
                    for k in DEPTHS
                ),
            ]
        )
    return table(["", *(f"depth {k}" for k in DEPTHS)], rows)


def sakai(results: Results) -> str:
    """Say whether condensed measures overestimate more than plain ones underestimate, by depth."""
    above = []
    for k in DEPTHS:
        each = [
            sum(
                np.mean([results.estimate(name, f"pools {k}", "bias", m) for m in measures])
                for measures in (PLAIN, CONDENSED)
            )
            for name in results.names
        ]
        above.append(sum(x > 0 for x in each))
    return (
        "Sakai (2008) finds, with pools of depth 100, that condensed lists overestimate new "
        "systems by more than whole lists "
        "underestimate them; in shallow pools he finds condensed lists no better (2009). Here, by "
        "the mean over AP, Q, nDCG and "
        f"RBP, the overestimation is larger in {', '.join(map(str, above))} of "
        f"{len(results.names)} collections at depths "
        f"{', '.join(map(str, DEPTHS))}. His finding is about pools from one or a few teams; with "
        f"half of the teams pooled, it does not "
        "hold. Only Robust 2003 was pooled to depth 100; elsewhere *100* means all judged "
        "documents that half of the teams retrieved."
    )


def levels(results: Results) -> str:
    """Tabulate the own ranking by level, and judgments needed."""
    rows = []
    for measure in results.measures:
        shares = [results.about[name]["needed"][measure][0] for name in results.names]
        needed = sorted(float("inf") if x is None else x for x in shares)
        ends = [f"{x:.0f}" if x < float("inf") else "over 100" for x in (needed[0], needed[-1])]
        own = (fraction(results.mean(f"random {k}", "own", measure)) for k in (50, 20, 10, 5))
        rows.append([measure, *own, span(*ends)])
    return table(["", "own, 50 %", "own, 20 %", "own, 10 %", "own, 5 %", "needed, %"], rows)


def robust03(results: Results) -> str:
    """Compare our numbers for the measures of Sakai and Kando with their abstract."""
    name = "robust03"
    if name not in results.names:
        return "Robust 2003 is not among these collections."
    theirs = ("AP'", "Q'", "nDCG'", "bpref", "AP", "Q", "nDCG", "RBP", "RBP'")
    rows = []
    for measure in theirs:
        tau = [
            fraction(results.estimate(name, f"random {k}", "own", measure)) for k in (50, 20, 10, 5)
        ]
        kept = [
            percent(results.estimate(name, f"random {k}", "kept", measure)) for k in (50, 20, 10, 5)
        ]
        rows.append([measure, *tau, *kept])
    own = {m: results.estimate(name, "random 10", "own", m) for m in theirs}
    ahead = [m for m in ("AP'", "Q'", "nDCG'") if own[m] > max(own["bpref"], own["RBP"])]
    return (
        "They, too, remove judgments at random. They use all runs submitted to the track (we have "
        "17) at depth 1000 (here 100), "
        "and conclude that Q', nDCG' and AP' are superior to bpref and RBP. We had their "
        "introduction but not their tables, so we "
        f"compare the order only: at 10 %, {len(ahead)} of the three "
        f"({', '.join(ahead) or 'none'}) are ahead of both bpref and RBP "
        "in own ranking.\n\n"
        + table(
            [
                "",
                *(f"tau, {k} %" for k in (50, 20, 10, 5)),
                *(f"kept, {k} %" for k in (50, 20, 10, 5)),
            ],
            rows,
        )
    )
