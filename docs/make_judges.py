"""Measures what docs/judges.md says, from grades of five LLM judges for TREC DL 2019 and 2020.

    IRPREF_DATA=FOLDER python docs/make_judges.py
    python docs/make_judges.py --stored               # tables and pictures alone

The folder has `dl19-passage`, `dl20-passage` (judgments, runs) and `llm-judges`. Only numbers are kept:
docs/judges/results.json and the pictures beside it. Takes about eight minutes.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

import irpref
from irpref.analysis.predictions import estimates

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("IRPREF_DATA") or HERE.parents[1] / "shared" / "data")
OUT = HERE / "judges"
JUDGES = ("umbrela-gpt4", "binary-gpt4", "binary-gpt4o", "binary-llama3.2", "exam-gpt4")
MEASURES = ("nDCG@10", "AP", "QMeasure", "RPref(max_rel=3)")
CONDENSED = ("nDCG(judged_only=True)@10", "AP(judged_only=True)", "QMeasure(judged_only=True)", "RPref(max_rel=3)")
IDS = ["query_id", "doc_id"]
DRAWS, POOLED, DEPTH, PAIRS, REPEATS, TOPICS = 5, 8, 10, 200, 250, 10


def load(name):
    """Human grades, judges' grades and runs of a collection."""
    human = irpref.read_qrels(DATA / f"{name}-passage" / "qrels" / "qrels.txt.gz")
    files = sorted((DATA / f"{name}-passage" / "runs").glob("*.gz"))
    runs = {file.name.removesuffix(".run.gz"): irpref.read_run(file) for file in files}
    judged = human[IDS].drop_duplicates()
    # What was never judged plays no part: there is no telling how humans would grade it.
    judges = {j: irpref.read_qrels(DATA / "llm-judges" / name / f"{j}.qrels.gz").merge(judged, on=IDS) for j in JUDGES}
    return human[[*IDS, "relevance"]], judges, runs


def values(measures, qrels, runs):
    """Values of all runs: measure to array (n_runs, n_topics), topics by id."""
    evaluate = irpref.evaluator(measures, qrels)
    order = np.argsort(np.array(evaluate.topic_ids, dtype=object))
    found = [evaluate.values(run) for run in runs.values()]
    return [np.array([of[irpref.parse(m)] for of in found])[:, order] for m in measures]


def pool(human, runs, names):
    """The human grades of the first documents of some runs."""
    top = [runs[n].sort_values("score", ascending=False).groupby("query_id").head(DEPTH)[IDS] for n in names]
    return human.merge(pd.concat(top).drop_duplicates(), on=IDS)


def mixed(known, judge):
    """Human grades where there are some, the judge's own elsewhere."""
    both = pd.concat([known, judge[[*IDS, "relevance"]]])
    return both.drop_duplicates(IDS, keep="first")


def order_and_bias(human, judges, runs):
    """Agreement with the order under full judgments, and bias, of five ways to treat unjudged documents."""
    true = [v.mean(axis=1) for v in values(MEASURES, human, runs)]
    rows = []
    rng = np.random.default_rng(1)
    for _ in range(DRAWS):
        known = pool(human, runs, rng.choice(sorted(runs), POOLED, replace=False))
        of_all = {"not relevant": values(MEASURES, known, runs), "condensed": values(CONDENSED, known, runs)}
        for name, judge in judges.items():
            ways = {
                **of_all,
                "judge's grade": values(MEASURES, mixed(known, judge), runs),
                "judge alone": values(MEASURES, judge, runs),
                "irpref.fill": values(MEASURES, irpref.fill(known, judge), runs),
            }
            for way, found in ways.items():
                for measure, t, v in zip(MEASURES, true, found, strict=True):
                    mean = v.mean(axis=1)
                    tau = stats.kendalltau(t, mean).statistic
                    rows.append((name, way, measure, tau, (mean - t).mean()))
    table = pd.DataFrame(rows, columns=["judge", "way", "measure", "tau", "bias"])
    return table.groupby(["measure", "judge", "way"], sort=False).mean().reset_index()


def held(human, judges, runs):
    """Intervals over unjudged documents with a judge: how many hold the value under full judgments, and how wide."""
    some = dict(list(runs.items())[::2])
    measures = MEASURES[:2]
    true = [v.mean(axis=1) for v in values(measures, human, some)]
    known = pool(human, runs, np.random.default_rng(2).choice(sorted(runs), POOLED, replace=False))
    rows, points = [], {}
    for name, judge in judges.items():
        filled = irpref.fill(known, judge)
        tables = [irpref.intervals(measures, filled, run, "unjudged") for run in some.values()]
        means = [table[table["query_id"].isna()].set_index("measure") for table in tables]
        for measure, t in zip(measures, true, strict=True):
            low, mid, high = (np.array([m.loc[measure, c] for m in means]) for c in ("low", "expected", "high"))
            rows.append((measure, name, ((low <= t) & (t <= high)).mean(), (high - low).mean()))
            if measure == "nDCG@10":
                points[name] = np.round([low, mid, high, t], 4).tolist()
    return pd.DataFrame(rows, columns=["measure", "judge", "held", "width"]), points


def useless(human, judge):
    """A judge whose grades were shuffled."""
    return judge.assign(relevance=np.random.default_rng(3).permutation(judge["relevance"].to_numpy()))


def predicted(human, judges, runs):
    """Differences of two runs with ten human topics: coverage, and width against the t interval of humans alone."""
    topics = sorted(human["query_id"].unique())
    judges = {**judges, "shuffled": useless(human, judges["umbrela-gpt4"])}
    of_humans = values(MEASURES[:2], human, runs)
    grades = {name: human.merge(judge, on=IDS) for name, judge in judges.items()}
    of_judges = {name: values(MEASURES[:2], judge, runs) for name, judge in judges.items()}
    rng = np.random.default_rng(4)
    n_runs, n = len(runs), len(topics)
    a, b = np.triu_indices(n_runs, 1)
    chosen = rng.choice(a.size, PAIRS, replace=False)
    a, b = a[chosen], b[chosen]
    rows = []
    for kind in ("sample", "fixed"):
        sums: dict = {}
        for _ in range(REPEATS):
            drawn = rng.integers(0, n, n) if kind == "sample" else rng.permutation(n)
            seen = [topics[t] for t in drawn[:TOPICS]]
            labelled = np.arange(n) < TOPICS
            for name in judges:
                both = grades[name]
                both = both[both["query_id"].isin(seen)]
                r = np.corrcoef(both["relevance_x"], both["relevance_y"])[0, 1]
                weight = np.sqrt(max(r, 0)) if r >= 0.1 else 0.0
                for k, measure in enumerate(MEASURES[:2]):
                    every = of_humans[k][a] - of_humans[k][b]
                    y, f = every[:, drawn[:TOPICS]], (of_judges[name][k][a] - of_judges[name][k][b])[:, drawn]
                    estimate, error, df = estimates(y, f, labelled, weight, kind == "fixed")
                    half = stats.t.ppf(0.975, df) * error
                    hold = np.abs(estimate - every.mean(axis=1)) <= half + 1e-12
                    human_half = stats.t.ppf(0.975, TOPICS - 1) * y.std(axis=1, ddof=1) / np.sqrt(TOPICS)
                    sums.setdefault((measure, name), []).append((hold.mean(), half.mean(), human_half.mean()))
        for (measure, name), of in sums.items():
            hold, width, alone = np.mean(of, axis=0)
            rows.append((kind, measure, name, hold, width / alone))
    return pd.DataFrame(rows, columns=["topics", "measure", "judge", "held", "width"])


def circular(human, judges, runs):
    """A system that ranks by the judge's own grades, and rerankers that are language models, by different qrels."""
    first = next(run for name, run in runs.items() if "BM25" in name and "first" in name and "RM3" not in name)
    judge = judges["umbrela-gpt4"]
    own = first.merge(judge[[*IDS, "relevance"]], on=IDS, how="left").fillna({"relevance": -1})
    place = own.groupby("query_id")["score"].rank(ascending=False)
    own = own.assign(score=own["relevance"] - place / 1000)[[*IDS, "score"]]
    every = {**runs, "ranked by the judge": own}
    known = pool(human, runs, np.random.default_rng(5).choice(sorted(runs), POOLED, replace=False))
    rows = []
    for way, qrels in {"humans": human, "judge alone": judge, "irpref.fill": irpref.fill(known, judge)}.items():
        means = values(MEASURES[:1], qrels, every)[0].mean(axis=1)
        kind = ["first stage" if "first" in n else "GPT-3.5" if "gpt-3.5" in n else "Vicuna" for n in runs]
        groups = {k: means[:-1][np.array(kind) == k].mean() for k in ("first stage", "Vicuna", "GPT-3.5")}
        rows.append({"way": way, "own": means[-1], "place": int(1 + (means[:-1] > means[-1]).sum()), **groups})
    return pd.DataFrame(rows)


def tables(results):
    """The tables of the page, as Markdown: name of the file to text."""

    def markdown(rows, head):
        lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
        return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"

    def short(number):
        return f"{number:+.3f}".replace("0.", ".") if number == number else ""

    out = {}
    ways = ["not relevant", "condensed", "judge's grade", "judge alone", "irpref.fill"]
    rows = []
    for name, of in results.items():
        table = pd.DataFrame(of["order"])
        for measure in MEASURES:
            for judge in JUDGES:
                part = table[(table["measure"] == measure) & (table["judge"] == judge)].set_index("way")
                tau = [part.loc[way, "tau"] for way in ways]
                shown = [f"**{t:.3f}**" if t == max(tau) else f"{t:.3f}" for t in tau]
                rows.append([name.upper(), measure, judge, *shown, short(part.loc["irpref.fill", "bias"])])
    out["order"] = markdown(rows, ["", "measure", "judge", *ways, "bias of fill"])
    rows = []
    for judge in JUDGES:
        row = [judge]
        for measure in MEASURES[:2]:
            for of in results.values():
                one = next(r for r in of["intervals"] if r["judge"] == judge and r["measure"] == measure)
                row.append(f"{one['held']:.2f}, {one['width']:.3f}")
        rows.append(row)
    head = [f"{name.upper()} {m}" for m in MEASURES[:2] for name in results]
    out["intervals"] = markdown(rows, ["held, mean width", *head])
    rows = []
    for judge in (*JUDGES, "shuffled"):
        for kind in ("sample", "fixed"):
            row = [judge, kind]
            for measure in MEASURES[:2]:
                for of in results.values():
                    wanted = {"judge": judge, "measure": measure, "topics": kind}
                    one = next(r for r in of["predicted"] if wanted.items() <= r.items())
                    row.append(f"{one['held']:.3f}, {one['width']:.2f}")
            rows.append(row)
    out["predicted"] = markdown(rows, ["held, width", "topics", *head])
    rows = [
        [name.upper(), r["way"], f"{r['own']:.3f}", str(r["place"]), *(f"{r[k]:.3f}" for k in list(r)[3:])]
        for name, of in results.items()
        for r in of["circular"]
    ]
    kinds = ["first stages", "Vicuna rerankers", "GPT-3.5 rerankers"]
    out["circular"] = markdown(rows, ["", "judged by", "ranked by the judge", "place", *kinds])
    return out


def draw(results):
    """The pictures of the page."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    ways = {
        "not relevant": ("#b0b0b0", "v"), "condensed": ("#8c6d31", "s"), "judge alone": ("#d6616b", "x"),
        "judge's grade": ("#e7969c", "+"), "irpref.fill": ("#1f4e9c", "o"),
    }  # fmt: skip
    figure, axes = plt.subplots(2, len(MEASURES), figsize=(11, 4.6), sharey=True, sharex=True, layout="constrained")
    for row, (name, of) in zip(axes, results.items(), strict=True):
        table = pd.DataFrame(of["order"])
        for axis, measure in zip(row, MEASURES, strict=True):
            for way, (colour, marker) in ways.items():
                part = table[(table["measure"] == measure) & (table["way"] == way)].set_index("judge")
                axis.plot(part.loc[list(JUDGES), "tau"], range(len(JUDGES)), marker, color=colour, label=way, ms=6)
            axis.set_title(f"{name.upper()}, {measure}", fontsize=9)
            axis.set_yticks(range(len(JUDGES)), JUDGES, fontsize=8)
            axis.grid(axis="x", alpha=0.3)
            axis.set_xlim(0.3, 1)
    axes[0][0].invert_yaxis()
    axes[1][0].set_xlabel("Kendall's tau with full human judgments", fontsize=8)
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=len(ways), fontsize=8)
    figure.savefig(OUT / "order.png", dpi=110)
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
    for axis, (name, of) in zip(axes, results.items(), strict=True):
        low, mid, high, true = np.array(of["points"]["umbrela-gpt4"])
        order = np.argsort(true)
        x = np.arange(order.size)
        axis.vlines(x, low[order], high[order], color="#9db7dd", lw=4)
        axis.plot(x, mid[order], "o", color="#1f4e9c", ms=4, label="expected: filled")
        axis.plot(x, true[order], "_", color="black", ms=9, mew=2, label="full human judgments")
        axis.set_title(f"{name.upper()}, UMBRELA: nDCG@10 of runs", fontsize=9)
        axis.set_xticks([])
    axes[0].legend(fontsize=8)
    figure.savefig(OUT / "intervals.png", dpi=110)


def main():
    """Compute, store and draw."""
    OUT.mkdir(exist_ok=True)
    results = {}
    for name in ("dl19", "dl20"):
        human, judges, runs = load(name)
        intervals, points = held(human, judges, runs)
        tables = {
            "order": order_and_bias(human, judges, runs),
            "intervals": intervals,
            "predicted": predicted(human, judges, runs),
            "circular": circular(human, judges, runs),
        }
        results[name] = {k: t.round(4).to_dict("records") for k, t in tables.items()} | {"points": points}
    (OUT / "results.json").write_text(json.dumps(results, indent=0) + "\n", encoding="utf-8")
    write(results)


def write(results):
    """The files of the page, from what was stored."""
    for name, text in tables(results).items():
        (OUT / f"{name}.inc").write_text(text, encoding="utf-8")
    draw(results)


if __name__ == "__main__":
    main() if "--stored" not in sys.argv else write(json.loads((OUT / "results.json").read_text(encoding="utf-8")))
