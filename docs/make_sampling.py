"""Simulates what docs/judge-until-sure.md says, on four collections.

    IRPREF_DATA=FOLDER python docs/make_sampling.py [draws]
    python docs/make_sampling.py --stored               # table and picture alone

The folder has `dl19-passage`, `dl20-passage`, `cacm`, `robust03` (judgments, runs) and `llm-judges`.
A document that no human judged counts as not relevant, so that full judgments are known. CACM and
Robust 2003 have binary grades (here: any grade above 0), and a judge made from them with errors.
Only numbers are kept: docs/sampling/results.json and the picture beside it. 2,000 draws a cell take
about half an hour."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import special

import irpref
from irpref.lab.judges.additive import additive
from irpref.lab.judges.plans import IDS, rank_weights
from irpref.lab.judges.priority_sampling import estimated, half_widths, levels, sizes

HERE = Path(__file__).resolve().parent
OUT = HERE / "sampling"
COLLECTIONS = {
    "dl19-passage": "DL 2019",
    "dl20-passage": "DL 2020",
    "cacm": "CACM",
    "robust03": "Robust 2003",
}
JUDGES = ("umbrela-gpt4", "binary-gpt4", "binary-gpt4o", "binary-llama3.2", "exam-gpt4")
MEASURES = ("DCG@10", "P@10")
LOOKS = (50, 100, 200, 400, 800)
LEFT = 30  # cells with fewer documents that were not drawn are reported apart
LEVEL = 0.95


def load(name):
    """Topics, gains and weights of all documents that some run ranks above the cutoff, and the
    grades of judges.
    """
    folder = Path(os.environ["IRPREF_DATA"])
    human = irpref.read_qrels(next((folder / name / "qrels").glob("*.gz")))
    human = human[[*IDS, "relevance"]].drop_duplicates(IDS)
    files = sorted((folder / name / "runs").glob("*.gz"))
    runs = {file.name: irpref.read_run(file) for file in files}
    measures = additive(MEASURES)
    topics = sorted(human["query_id"].unique())
    weights = rank_weights(measures, runs, topics)
    documents = weights.documents.merge(human, on=IDS, how="left")
    grade = documents["relevance"].fillna(0).clip(lower=0).to_numpy()
    if name in ("cacm", "robust03"):
        grade = (grade > 0).astype(float)
    said = {}
    for judge in JUDGES if name.startswith("dl") else ():
        path = folder / "llm-judges" / name.partition("-")[0] / f"{judge}.qrels.gz"
        of_judge = irpref.read_qrels(path)
        said[judge] = documents[IDS].merge(of_judge, on=IDS, how="left")["relevance"].to_numpy()
    rng = np.random.default_rng(7)
    if not said:
        said["made"] = np.clip(np.round(2.4 * grade + rng.normal(0.3, 1, grade.size)), 0, 3)
    first = next(iter(said.values()))
    said["shuffled"] = rng.permutation(first)
    said["inverted"] = np.nanmax(first) - first
    said["constant"] = np.zeros(grade.size)
    said["30 % missing"] = np.where(rng.random(grade.size) < 0.3, np.nan, first)
    return {
        "topic": np.searchsorted(np.array(topics, object), documents["query_id"].to_numpy(object)),
        "n_topics": len(topics),
        "gains": [one.gains(grade) for one in measures],
        "weights": weights.of_measure,
        "judges": said,
    }


def correlation(collection, judge):
    """Of the judge's grades with human ones, over documents that have both."""
    said = collection["judges"][judge]
    known = ~np.isnan(said)
    if np.ptp(said[known]) == 0:
        return 0.0
    return float(np.corrcoef(said[known], collection["gains"][0][known])[0, 1])


def draws(collection, judge, m, n_draws, seed):
    """Simulate pairs of runs, one draw each: a row for each pair, way and number of documents.

    Ways: `drawn` by priority with the judge, `uniform` with the judge, `alone`: uniform without.
    """
    rng = np.random.default_rng(seed)
    gains, weights = collection["gains"][m], collection["weights"][m]
    level = levels(collection["judges"][judge])
    n_topics = collection["n_topics"]
    rows = []
    different = [
        (a, b)
        for a in range(len(weights))
        for b in range(len(weights))
        if a != b and (weights[a] != weights[b]).sum() > LOOKS[0]
    ]
    for pair in range(n_draws):
        a, b = different[rng.integers(len(different))]
        # Topics as a sample of more like them: drawn with replacement, each with numbers of its own.
        for kind in ("fixed", "sample"):
            difference = weights[b] - weights[a]
            place = np.flatnonzero(difference)
            topic = collection["topic"][place]
            if kind == "sample":  # this pair may lack documents in the topics that are drawn
                times = np.bincount(rng.integers(0, n_topics, n_topics), minlength=n_topics)
                copies = times[topic]
                place = np.repeat(place, copies)
                nth = np.arange(place.size) - np.repeat(np.cumsum(copies) - copies, copies)
                topic = np.cumsum(times)[collection["topic"][place]] - 1 - nth
            true = float(difference @ gains) / n_topics
            of_pair = np.stack([weights[a][place], weights[b][place]])
            uniform = 1 - rng.random(place.size)
            ways = {"drawn": (sizes([of_pair]), level[place])}
            if kind == "fixed":
                ways["uniform"] = (np.ones(place.size), level[place])
                ways["alone"] = (np.ones(place.size), np.zeros(place.size, np.int64))
            for way, (size, at) in ways.items():
                order = np.argsort(-size / uniform)
                z, q, w = size[order], (size / uniform)[order], difference[place][order]
                gain = gains[place][order]
                for n in (n for n in LOOKS if n < place.size):
                    found = estimated(at[order], gain[:n], z, q, 0)
                    if kind == "fixed":
                        middle = found.gain @ w / n_topics
                        variance, freedom = found.variances(w[None])
                        half, shared = (
                            float(half_widths(variance, freedom, of)[0]) / n_topics
                            for of in (LEVEL, 1 - (1 - LEVEL) / len(LOOKS))
                        )
                    else:
                        values = np.bincount(topic[order], found.gain * w, n_topics)
                        middle, shared = values.mean(), np.nan
                        t = special.stdtrit(n_topics - 1, (1 + LEVEL) / 2)
                        half = t * values.std(ddof=1) / np.sqrt(n_topics)
                    rows.append((pair, kind, way, n, place.size, middle - true, half, shared, true))
    names = ["pair", "kind", "way", "n", "documents", "error", "half", "shared", "true"]
    return pd.DataFrame(rows, columns=names)


def summary(table):
    """Of one cell: coverage by number of documents, half widths, and when pairs are sure."""
    table = table.assign(held=table["error"].abs() <= table["half"] + 1e-12)
    table["enough"] = table["documents"] - table["n"] >= LEFT
    drawn = table[(table["kind"] == "fixed") & (table["way"] == "drawn")]
    over = table[(table["kind"] == "sample")]
    out = {"held": {}, "near": {}, "topics": {}, "bias": {}, "half": {}, "pairs": {}}
    for n in LOOKS:
        here = drawn[(drawn["n"] == n) & drawn["enough"]]
        near = drawn[(drawn["n"] == n) & ~drawn["enough"]]
        if len(here) >= 100:
            out["held"][n] = float(here["held"].mean())
            out["bias"][n] = float(here["error"].mean() / here["error"].std())
            out["topics"][n] = float(over[(over["n"] == n) & over["enough"]]["held"].mean())
            out["pairs"][n] = len(here)
        if len(near) >= 100:
            out["near"][n] = float(near["held"].mean())
        fixed = table[(table["kind"] == "fixed") & (table["n"] == n) & table["enough"]]
        if len(here) >= 100:
            half = fixed.groupby("way")["half"].median()
            out["half"][n] = {way: float(half[way]) for way in ("alone", "uniform", "drawn")}
    # Looks that share the level: a pair is sure at the first one whose interval leaves out 0.
    ends = drawn.assign(middle=drawn["error"] + drawn["true"])
    sure = ends[ends["middle"].abs() > ends["shared"]]
    first = sure.groupby("pair").first()
    every = drawn.groupby("pair")[["documents", "true"]].first()
    share = (first["n"] / first["documents"]).reindex(every.index).fillna(1.0)
    wrong = np.sign(first["middle"]) != np.sign(first["true"])
    out["share"] = float(share.median())
    out["sure_at"] = float((share * every["documents"]).median())
    out["documents"] = float(every["documents"].median())
    out["wrong"] = float(wrong.sum() / len(every))
    return out


def short(number):
    return f"{number:.3f}".replace("0.", ".", 1)


def table_of(results):
    """The table of the page, as Markdown."""
    head = ["collection, judge", "correlation", "held: all looks", "lowest", "over topics"]
    head += ["half width", "sure after", "wrong"]
    lines = [f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1)]
    for name, judges in results.items():
        for judge, cell in judges.items():
            of = [cell[measure] for measure in MEASURES]
            held = [value for one in of for value in one["held"].values()]
            topics = [value for one in of for value in one["topics"].values()]
            dcg = of[0]
            ratios = [half["drawn"] / half["alone"] for half in dcg["half"].values()]
            row = [f"{COLLECTIONS[name]}, {judge}", short(cell["correlation"])]
            row += [short(np.mean(held)), short(min(held)), short(np.mean(topics))]
            row += [f"{min(ratios):.2f} to {max(ratios):.2f}"]
            row += [f"{dcg['sure_at']:.0f} of {dcg['documents']:.0f}", short(dcg["wrong"])]
            lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def draw(results):
    """The picture: documents judged against half width, three ways."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    ways = {
        "alone": ("uniform, no judge", "#b0b0b0", "v"),
        "uniform": ("uniform, with the judge", "#8c6d31", "s"),
        "drawn": ("drawn, with the judge", "#1f4e9c", "o"),
    }
    figure, axes = plt.subplots(1, len(results), figsize=(11, 3.2), layout="constrained")
    for axis, (name, judges) in zip(axes, results.items(), strict=True):
        judge = next(iter(judges))
        half = judges[judge][MEASURES[0]]["half"]
        for way, (label, colour, marker) in ways.items():
            values = [of[way] for of in half.values()]
            axis.plot([int(n) for n in half], values, marker=marker, color=colour, label=label)
        axis.set(xscale="log", yscale="log", title=f"{COLLECTIONS[name]}, {judge}")
        axis.title.set_fontsize(9)
        axis.set_xticks([int(n) for n in half], [str(n) for n in half])
        axis.minorticks_off()
        axis.set_xlabel("documents judged", fontsize=8)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel(f"half width, {MEASURES[0]}", fontsize=8)
    handles, names = axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=3, fontsize=8)
    figure.savefig(OUT / "half-width.png", dpi=110)


def main(n_draws):
    """Simulate, store and draw."""
    OUT.mkdir(exist_ok=True)
    results = {}
    for name in COLLECTIONS:
        collection = load(name)
        results[name] = {}
        for number, judge in enumerate(collection["judges"]):
            cell = {"correlation": correlation(collection, judge)}
            for m, measure in enumerate(MEASURES):
                cell[measure] = summary(draws(collection, judge, m, n_draws, [number, m]))
            results[name][judge] = cell
            print(name, judge, json.dumps(cell), file=sys.stderr, flush=True)
    text = json.dumps(results, indent=0)
    (OUT / "results.json").write_text(text + "\n", encoding="utf-8")
    write(json.loads(text))


def write(results):
    """The files of the page, from what was stored."""
    (OUT / "table.inc").write_text(table_of(results), encoding="utf-8")
    draw(results)


if __name__ == "__main__":
    if "--stored" in sys.argv:
        write(json.loads((OUT / "results.json").read_text(encoding="utf-8")))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
