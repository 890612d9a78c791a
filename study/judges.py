"""Measures the claims of docs/judges.md: five LLM judges on TREC DL 2019 and 2020, made judges on two
other collections.

    IRPREF_DATA=FOLDER python -m study.judges
    python -m study.judges --stored               # tables and pictures alone

The folder has `dl19-passage`, `dl20-passage`, `trec-covid-r3`, `clef-ehealth-2018` (judgments,
runs) and `llm-judges`. Only numbers are kept: docs/judges/results.json and the pictures beside it.
Takes about seven minutes."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from runpy import run_path

import numpy as np
import pandas as pd
from scipy import stats

import irpref
import irpref_lab
from irpref_lab.judges.predictions import estimates

DOCS = Path(__file__).resolve().parents[1] / "docs"
DATA = Path(os.environ["IRPREF_DATA"])
OUT = DOCS / "judges"
JUDGES = ("umbrela-gpt4", "binary-gpt4", "binary-gpt4o", "binary-llama3.2", "exam-gpt4")
MEASURES = ("nDCG@10", "AP", "QMeasure", "RPref(max_rel=3)")
CONDENSED = (
    "nDCG(judged_only=True)@10",
    "AP(judged_only=True)",
    "QMeasure(judged_only=True)",
    "RPref(max_rel=3)",
)
IDS = ["query_id", "doc_id"]
DRAWS, POOLED, DEPTH, PAIRS, REPEATS, TOPICS = 5, 8, 10, 200, 250, 10
MADE = {"trec-covid-r3": "TREC-COVID 3", "clef-ehealth-2018": "CLEF eHealth"}


def load(name):
    """Read human grades, judges' grades and runs of a collection."""
    human = irpref.read_qrels(DATA / f"{name}-passage" / "qrels" / "qrels.txt.gz")
    files = sorted((DATA / f"{name}-passage" / "runs").glob("*.gz"))
    runs = {file.name.removesuffix(".run.gz"): irpref.read_run(file) for file in files}
    judged = human[IDS].drop_duplicates()
    # What was never judged plays no part: there is no telling how humans would grade it.
    judges = {
        j: irpref.read_qrels(DATA / "llm-judges" / name / f"{j}.qrels.gz").merge(judged, on=IDS)
        for j in JUDGES
    }
    return human[[*IDS, "relevance"]], judges, runs


def load_made(name):
    """Read a collection and make judges from its human grades, with the errors of an LLM judge in
    four ways.
    """
    human = irpref.read_qrels(next((DATA / name / "qrels").glob("*.gz")))[
        [*IDS, "relevance"]
    ].drop_duplicates(IDS)
    human["relevance"] = human["relevance"].clip(lower=0)
    files = sorted((DATA / name / "runs").glob("*.gz"))
    some = np.random.default_rng(6).choice(len(files), min(24, len(files)), replace=False)
    runs = {
        files[i].name.removesuffix(".run.gz"): irpref.read_run(files[i]).drop_duplicates(IDS)
        for i in some
    }
    rng = np.random.default_rng(7)
    n = len(human)
    right = human["relevance"].to_numpy() / human["relevance"].max()
    lenient = pd.Series(
        rng.normal(0, 0.35, human["query_id"].nunique()), index=human["query_id"].unique()
    )
    rank = sum(
        1 / human.merge(ranked(run), on=IDS, how="left")["rank"].fillna(1000).to_numpy()
        for run in runs.values()
    )
    high = pd.Series(rank).groupby(human["query_id"].to_numpy()).rank(pct=True).to_numpy()
    said = {
        "noise": right + rng.normal(0, 0.45, n),
        "by topic": right + rng.normal(0, 0.4, n) + lenient[human["query_id"]].to_numpy(),
        "likes what is ranked high": right + rng.normal(0, 0.4, n) + 0.6 * (high - 0.6),
    }
    judges = {j: human.assign(relevance=np.clip(np.round(3 * of), 0, 3)) for j, of in said.items()}
    judges["weak, yes or no"] = human.assign(
        relevance=(right + rng.normal(0, 0.9, n) > 0.2).astype(float)
    )
    return human, judges, runs


def ranked(run):
    """Add ranks to a run."""
    order = run.sort_values(["query_id", "score", "doc_id"], ascending=[True, False, False])
    return order.assign(rank=order.groupby("query_id").cumcount() + 1)[[*IDS, "rank"]]


def values(measures, qrels, runs):
    """Compute the values of all runs: measure to array (n_runs, n_topics), topics by id."""
    evaluate = irpref.evaluator(measures, qrels)
    order = np.argsort(np.array(evaluate.topic_ids, dtype=object))
    found = [evaluate.values(run) for run in runs.values()]
    return [np.array([of[irpref.parse(m)] for of in found])[:, order] for m in measures]


def pool(human, runs, names):
    """Select the human grades of the first documents of some runs."""
    top = [
        runs[n].sort_values("score", ascending=False).groupby("query_id").head(DEPTH)[IDS]
        for n in names
    ]
    return human.merge(pd.concat(top).drop_duplicates(), on=IDS)


def mixed(known, judge):
    """Take human grades where there are some, the judge's own elsewhere."""
    both = pd.concat([known, judge[[*IDS, "relevance"]]])
    return both.drop_duplicates(IDS, keep="first")


def order_and_bias(human, judges, runs, draws):
    """Measure agreement with the order under full judgments, and bias, of five ways to treat
    unjudged documents.
    """
    true = [v.mean(axis=1) for v in values(MEASURES, human, runs)]
    rows = []
    rng = np.random.default_rng(1)
    for _ in range(draws):
        known = pool(human, runs, rng.choice(sorted(runs), POOLED, replace=False))
        of_all = {
            "not relevant": values(MEASURES, known, runs),
            "condensed": values(CONDENSED, known, runs),
        }
        for name, judge in judges.items():
            ways = {
                **of_all,
                "judge's grade": values(MEASURES, mixed(known, judge), runs),
                "judge alone": values(MEASURES, judge, runs),
                "fill": values(MEASURES, irpref_lab.fill(known, judge), runs),
                "fill with runs": values(MEASURES, irpref_lab.fill(known, judge, runs), runs),
            }
            for way, found in ways.items():
                for measure, t, v in zip(MEASURES, true, found, strict=True):
                    mean = v.mean(axis=1)
                    tau = stats.kendalltau(t, mean).statistic
                    rows.append((name, way, measure, tau, (mean - t).mean()))
    table = pd.DataFrame(rows, columns=["judge", "way", "measure", "tau", "bias"])
    return table.groupby(["measure", "judge", "way"], sort=False).mean().reset_index()


def useless(human, judge):
    """Make a useless judge: shuffle its grades."""
    return judge.assign(
        relevance=np.random.default_rng(3).permutation(judge["relevance"].to_numpy())
    )


def predicted(human, judges, runs):
    """Estimate differences of two runs with ten human topics: coverage, and width against the t
    interval of humans alone.
    """
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
                    y, f = (
                        every[:, drawn[:TOPICS]],
                        (of_judges[name][k][a] - of_judges[name][k][b])[:, drawn],
                    )
                    estimate, error, df = estimates(
                        y, f, labelled, weight, kind == "fixed", shared=True
                    )
                    half = stats.t.ppf(0.975, df) * error
                    hold = np.abs(estimate - every.mean(axis=1)) <= half + 1e-12
                    human_half = (
                        stats.t.ppf(0.975, TOPICS - 1) * y.std(axis=1, ddof=1) / np.sqrt(TOPICS)
                    )
                    sums.setdefault((measure, name), []).append(
                        (hold.mean(), half.mean(), human_half.mean())
                    )
        for (measure, name), of in sums.items():
            hold, width, alone = np.mean(of, axis=0)
            rows.append((kind, measure, name, hold, width / alone))
    return pd.DataFrame(rows, columns=["topics", "measure", "judge", "held", "width"])


def circular(human, judges, runs):
    """Evaluate a system that ranks by the judge's own grades, and rerankers that are language
    models, by different qrels.
    """
    first = next(
        run
        for name, run in runs.items()
        if "BM25" in name and "first" in name and "RM3" not in name
    )
    judge = judges["umbrela-gpt4"]
    own = first.merge(judge[[*IDS, "relevance"]], on=IDS, how="left").fillna({"relevance": -1})
    place = own.groupby("query_id")["score"].rank(ascending=False)
    own = own.assign(score=own["relevance"] - place / 1000)[[*IDS, "score"]]
    every = {**runs, "ranked by the judge": own}
    known = pool(human, runs, np.random.default_rng(5).choice(sorted(runs), POOLED, replace=False))
    rows = []
    for way, qrels in {
        "humans": human,
        "judge alone": judge,
        "fill with runs": irpref_lab.fill(known, judge, every),
    }.items():
        means = values(MEASURES[:1], qrels, every)[0].mean(axis=1)
        kind = [
            "first stage" if "first" in n else "GPT-3.5" if "gpt-3.5" in n else "Vicuna"
            for n in runs
        ]
        groups = {
            k: means[:-1][np.array(kind) == k].mean() for k in ("first stage", "Vicuna", "GPT-3.5")
        }
        rows.append(
            {
                "way": way,
                "own": means[-1],
                "place": int(1 + (means[:-1] > means[-1]).sum()),
                **groups,
            }
        )
    return pd.DataFrame(rows)


WAYS = ["not relevant", "condensed", "judge's grade", "judge alone", "fill", "fill with runs"]
SHORT = dict(zip(MEASURES, ("nDCG@10", "AP", "Q", "rpref"), strict=True))


def tables(results):
    """Write the tables of the page, as Markdown: name of the file to text."""

    def markdown(rows, head):
        lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
        return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"

    def short(number, sign=""):
        return f"{number:{sign}.3f}".replace("0.", ".", 1)

    out = {}
    order, bias, apart = [], [], []
    for name, of in results.items():
        table = pd.DataFrame(of["order"])
        for measure, label in SHORT.items():
            part = table[table["measure"] == measure]
            tau, off = (
                part.pivot(index="judge", columns="way", values=value)[WAYS]
                for value in ("tau", "bias")
            )
            mean = tau.mean().round(3)
            first = f"{MADE.get(name, name.upper())} {label}"
            level = (tau[WAYS[4:]].to_numpy() >= tau.max(axis=1).to_numpy()[:, None] - 0.01).sum(
                axis=0
            )
            shown = [f"**{short(t)}**" if t == mean.max() else short(t) for t in mean]
            order.append([first, *shown, f"{level[0]}, {level[1]} of {len(tau)}"])
            bias.append([first, *(short(off[way].abs().mean()) for way in (*WAYS[2:3], *WAYS[4:]))])
    out["order"] = markdown(order, ["tau", *WAYS, "best or within .01: fill, with runs"])
    out["bias"] = markdown(bias, ["bias", "judge's grade", *WAYS[4:]])
    rows = []
    real = {name: of for name, of in results.items() if "predicted" in of}
    for kind in ("sample", "fixed"):
        for judge in (*JUDGES, "shuffled"):
            row = [f"{judge}, {kind}"]
            for measure in MEASURES[:2]:
                for of in real.values():
                    wanted = {"judge": judge, "measure": measure, "topics": kind}
                    one = next(r for r in of["predicted"] if wanted.items() <= r.items())
                    row.append(f"{short(one['held'])}, {one['width']:.2f}")
            rows.append(row)
    head = [f"{name.upper()} {m}" for m in MEASURES[:2] for name in real]
    out["predicted"] = markdown(rows, ["held, width", *head])
    for name, of in real.items():
        for r in of["circular"]:
            apart.append([f"{name.upper()}, {r['way']}", f"{short(r['own'])} ({r['place']})"])
            apart[-1] += [short(r[k]) for k in list(r)[3:]]
    out["circular"] = markdown(
        apart, ["judged by", "ranked by the judge", "first stages", "Vicuna", "GPT-3.5"]
    )
    return out


def draw(results):
    """Draw the pictures of the page."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    ways = {
        "not relevant": ("#b0b0b0", "v"), "condensed": ("#8c6d31", "s"), "judge alone": ("#d6616b", "x"),
        "judge's grade": ("#e7969c", "+"), "fill": ("#1f4e9c", "o"), "fill with runs": ("#7fb3e6", "D"),
    }  # fmt: skip
    real = {name: of for name, of in results.items() if name not in MADE}
    figure, axes = plt.subplots(
        2, len(MEASURES), figsize=(11, 4.6), sharey=True, sharex=True, layout="constrained"
    )
    for row, (name, of) in zip(axes, real.items(), strict=True):
        table = pd.DataFrame(of["order"])
        for axis, measure in zip(row, MEASURES, strict=True):
            for way, (colour, marker) in ways.items():
                part = table[(table["measure"] == measure) & (table["way"] == way)].set_index(
                    "judge"
                )
                axis.plot(
                    part.loc[list(JUDGES), "tau"],
                    range(len(JUDGES)),
                    marker,
                    color=colour,
                    label=way,
                    ms=6,
                )
            axis.set_title(f"{name.upper()}, {measure}", fontsize=9)
            axis.set_yticks(range(len(JUDGES)), JUDGES, fontsize=8)
            axis.grid(axis="x", alpha=0.3)
            axis.set_xlim(0.3, 1)
    axes[0][0].invert_yaxis()
    axes[1][0].set_xlabel("Kendall's tau with full human judgments", fontsize=8)
    figure.legend(
        *axes[0][0].get_legend_handles_labels(),
        loc="outside lower center",
        ncols=len(ways),
        fontsize=8,
    )
    figure.savefig(OUT / "order.png", dpi=110)


def main():
    """Compute the results, store them and draw."""
    OUT.mkdir(exist_ok=True)
    results = {}
    for name in ("dl19", "dl20", *MADE):
        made = name in MADE
        human, judges, runs = load_made(name) if made else load(name)
        found = {"order": order_and_bias(human, judges, runs, 2 if made else DRAWS)}
        if not made:
            found |= {
                "predicted": predicted(human, judges, runs),
                "circular": circular(human, judges, runs),
            }
        results[name] = {k: t.round(4).to_dict("records") for k, t in found.items()}
    (OUT / "results.json").write_text(json.dumps(results, indent=0) + "\n", encoding="utf-8")
    write(results)


def write(results):
    """Write the files of the page from the results stored."""
    for name, text in tables(results).items():
        (OUT / f"{name}.inc").write_text(text, encoding="utf-8")
    every = pd.concat(
        [pd.DataFrame(of["order"]).assign(collection=name) for name, of in results.items()]
    )
    every.to_csv(OUT / "order.csv", index=False)
    draw(results)


if __name__ == "__main__":
    run_path(str(Path(__file__).parents[1] / "docs" / "own_source.py"))

    main() if "--stored" not in sys.argv else write(
        json.loads((OUT / "results.json").read_text(encoding="utf-8"))
    )
