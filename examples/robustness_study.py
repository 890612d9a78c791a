"""How robust, stable and sensitive are preference measures on a collection of yours?

    python examples/robustness_study.py --qrels QRELS --runs FOLDER --out RESULTS --name 'My collection'

Evaluates all runs (TREC format, plain or .gz) with rpref in its readings, n-pref, bpref, Q, AP, nDCG and P+,
some of them also on condensed lists (marked '), and writes into RESULTS

    settings.json       what was evaluated, and how
    measures.csv        label and full name of each measure
    robustness.csv      tau with the ranking by all judgments when 90 ... 1 % are left, by measure
    robustness_ap.csv   the same with the ranking by AP
    paired.csv          in how many samples a measure is more robust than bpref, AP and Q'
    stability.csv       minority rate and ties
    swap.csv, sensitivity.csv   swap rates; difference required, sensitivity, discriminative power
    agreement.csv       tau of the rankings by all judgments
    shallow.csv         what becomes of the ranking if only half of the runs had been pooled, to a small depth
    *.png               pictures (with matplotlib)
    means.csv           means of all systems at all levels; a study that was stopped goes on from it

The page docs/robustness.md is made from such files by docs/make_robustness.py.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import AP, Bpref, SetR, nDCG

import irpref
from irpref import NPref, PPlus, QMeasure, RPref, read_qrels
from irpref.formats.runs import named_runs
from irpref.judged.align import judge
from irpref.judged.pool import Pool
from irpref.meta import (
    Incompleteness,
    TopicValues,
    agreement,
    discriminative_power,
    incompleteness,
    kendall_tau,
    plot_incompleteness,
    plot_significance,
    plot_stability,
    plot_swap,
    stability,
    swap,
    topic_values,
)
from irpref.show.meta_plots import axes

SEED = 2006
SHALLOW = (3, 10, 30)  # depths of the pools that are simulated

# Colours by family, dashes for condensed lists and for the reading 'infinity'.
STYLES: dict[str, dict[str, Any]] = {
    "AP": {"color": "#4477aa", "marker": "o"},
    "AP'": {"color": "#4477aa", "marker": "o", "linestyle": "--"},
    "nDCG": {"color": "#228833", "marker": "s"},
    "nDCG'": {"color": "#228833", "marker": "s", "linestyle": "--"},
    "Q": {"color": "#66ccee", "marker": "^"},
    "Q'": {"color": "#66ccee", "marker": "^", "linestyle": "--"},
    "P+": {"color": "#999999", "marker": "v"},
    "bpref": {"color": "#222222", "marker": "D"},
    "n-pref (n=2)": {"color": "#997700", "marker": "P"},
    "rpref": {"color": "#ee6677", "marker": "X"},
    "rpref relative": {"color": "#aa3377", "marker": "*", "markersize": 6},
    "rpref infinity": {"color": "#ee6677", "marker": "X", "linestyle": ":"},
    "rpref relative infinity": {"color": "#aa3377", "marker": "*", "markersize": 6, "linestyle": ":"},
    "recall": {"color": "#bbbbbb", "marker": ".", "linestyle": "-."},
}
STYLES = {name: {"linestyle": "-", **style} for name, style in STYLES.items()}


def measures(rel: int, qrels: Any) -> dict[str, Any]:
    """The measures by label; `rel` is the lowest grade that counts as relevant for the binary ones."""
    chosen = {
        "AP": AP(rel=rel),
        "AP'": AP(rel=rel, judged_only=True),
        "nDCG": nDCG,
        "nDCG'": nDCG(judged_only=True),
        "Q": QMeasure,
        "Q'": QMeasure(judged_only=True),
        "P+": PPlus,
        "bpref": Bpref(rel=rel),
        "n-pref (n=2)": NPref(n=2),
        "rpref": RPref,
        "rpref relative": RPref(norm="relative"),
        "rpref infinity": RPref(unretrieved="infinity"),
        "rpref relative infinity": RPref(norm="relative", unretrieved="infinity"),
        # A control: it looks at no rank at all.
        "recall": SetR(rel=rel),
    }
    return dict(zip(chosen, irpref.bind(list(chosen.values()), qrels), strict=True))


def labelled(found: Incompleteness, labels: Mapping[str, str]) -> Incompleteness:
    """The same with labels for names of measures."""
    return Incompleteness(found.means.assign(measure=found.means["measure"].map(labels)))


def paired(samples: pd.DataFrame) -> pd.DataFrame:
    """In how many samples a measure keeps its ranking better than bpref, AP and Q' do."""
    wide = samples[samples["level"] < 100].pivot(index=["level", "sample"], columns="measure", values="tau")
    rows = []
    for other in ("bpref", "AP", "Q'"):
        for measure in samples["measure"].unique():
            gain = wide[measure] - wide[other]
            for level, part in gain.groupby(level="level", sort=False):
                rows.append((measure, other, level, part.mean(), int((part > 0).sum()), len(part)))
    columns = ["measure", "other", "level", "difference", "better", "samples"]
    return pd.DataFrame(rows, columns=columns).sort_values(
        ["other", "measure", "level"], ascending=[True, True, False], kind="stable"
    )


def shallow_pools(
    chosen: Mapping[str, Any],
    qrels: pd.DataFrame,
    runs: Mapping[str, pd.DataFrame],
    full: Mapping[str, TopicValues],
    groups: Mapping[str, str],
    n_samples: int,
) -> pd.DataFrame:
    """Evaluate as if only some runs had been pooled: not a random part of the judgments, but a biased one.

    Half of the groups (teams) are drawn; what their runs have in the first ranks stays judged. `tau` compares
    with the ranking by all judgments; `gain` is by how much the other systems rise, as a share of the whole
    ranking.
    """
    pool = Pool.build(qrels)
    topics = np.array(pool.topic_ids, dtype=object)[pool.judged.topic]
    every = pd.DataFrame({"query_id": topics, "doc_id": pool.doc_ids, "relevance": pool.grade})
    every["relevance"] = every["relevance"].astype(qrels["relevance"].dtype)
    found = {name: judge(pool, run) for name, run in runs.items()}
    teams = sorted({groups.get(name, name) for name in runs})
    rows = []
    for depth in SHALLOW:
        for sample in range(n_samples):
            draw = np.random.default_rng([SEED, sample])
            chance = set(draw.permutation(teams)[: len(teams) // 2].tolist())
            pooled = {name for name in runs if groups.get(name, name) in chance}
            keep = np.zeros(len(every), bool)
            for name in pooled:
                keep[found[name].row[found[name].rank <= depth]] = True
            left = topic_values(chosen.values(), every[keep], runs)
            for label, measure in chosen.items():
                before = pd.Series(full[label].means, full[label].systems)
                after = pd.Series(left[str(measure)].means, left[str(measure)].systems)
                new = [name for name in runs if name not in pooled]
                rise = (after.rank() - before.rank())[new].mean() / (len(runs) - 1)
                tau = kendall_tau(after.to_numpy(), before[after.index].to_numpy())
                rows.append((label, depth, sample, keep.mean(), tau, rise))
    table = pd.DataFrame(rows, columns=["measure", "depth", "sample", "judged", "tau", "gain"])
    grouped = table.groupby(["measure", "depth"], sort=False)
    return grouped.agg(
        samples=("sample", "size"),
        judged=("judged", "mean"),
        tau=("tau", "mean"),
        gain=("gain", "mean"),
        gain_min=("gain", "min"),
        gain_max=("gain", "max"),
    ).reset_index()


def save(ax: Any, path: Path) -> None:
    """Write a figure as a small picture: few colours, no more pixels than a page needs."""
    from matplotlib import pyplot
    from PIL import Image

    ax.figure.savefig(path, dpi=110, bbox_inches="tight")
    pyplot.close(ax.figure)
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(256)
    small.save(path, optimize=True)


def pictures(out: Path, stable: list[Any], swaps: list[Any], powers: list[Any], found: Incompleteness) -> None:
    """Draw everything; without matplotlib say so, once."""
    try:
        ax = plot_stability(stable, styles=STYLES)
    except ImportError as problem:
        print(problem, file=sys.stderr)
        return
    # One bad measure would press all others to the bottom of a linear scale.
    ax.set_yscale("log")
    ax.set_ylim(0.05, 20)
    ax.set_yticks([0.1, 0.2, 0.5, 1, 2, 5, 10, 20], ["0.1", "0.2", "0.5", "1", "2", "5", "10", "20"])
    seen = [100 * one.ties[one.minority_rate > 0.0005].max(initial=0) for one in stable]
    ax.set_xlim(0, min(40, max(10, 1.05 * max(seen))))
    save(ax, out / "stability.png")
    ax = plot_swap(swaps, styles=STYLES)
    ax.set_yscale("log")
    ax.set_ylim(0.05, 60)
    ax.set_yticks([0.1, 0.5, 1, 5, 10, 50], ["0.1", "0.5", "1", "5", "10", "50"])
    save(ax, out / "swap.png")
    ax = plot_incompleteness(found, axes((7.4, 5.6)), styles=STYLES)
    ax.set_ylim(0.35, 1.02)  # what falls below is in the table, and would press the others together
    save(ax, out / "robustness.png")
    save(plot_incompleteness(found, styles=STYLES, value="mean"), out / "means.png")
    from matplotlib import pyplot

    figure, squares = pyplot.subplots(2, 2, figsize=(6.4, 6.9))
    shown = [p for p in powers if p.measure in ("AP", "bpref", "rpref", "rpref relative")]
    for ax, one in zip(squares.flat, shown, strict=True):
        plot_significance(one, ax)
        ax.set(xlabel="", ylabel="", xticks=[], yticks=[])
        legend = ax.get_legend()
        legend.remove()
    # One legend for the four.
    words = [text.get_text() for text in legend.get_texts()]
    figure.legend(legend.legend_handles, words, loc="lower center", ncols=3, frameon=False)
    figure.subplots_adjust(left=0.02, right=0.98, top=0.95, bottom=0.07, hspace=0.12, wspace=0.05)
    save(squares.flat[0], out / "significance.png")


def study(
    qrels_path: Path,
    runs_path: list[Path],
    out: Path,
    name: str,
    rel: int,
    n_samples: int,
    bootstrap: int,
    groups: Mapping[str, str],
) -> None:
    """Compute everything and write it to `out`."""
    out.mkdir(parents=True, exist_ok=True)
    seconds = {}
    start = time.perf_counter()

    def clock(what: str) -> None:
        nonlocal start
        seconds[what] = round(time.perf_counter() - start, 2)
        start = time.perf_counter()

    qrels = read_qrels(qrels_path)
    chosen = measures(rel, qrels)
    labels = {str(measure): label for label, measure in chosen.items()}
    files = [file for path in runs_path for file in (sorted(path.iterdir()) if path.is_dir() else [path])]
    runs = {name: irpref.read_run(file) for name, file in named_runs(files).items() if not name.startswith(".")}
    clock("reading")
    values: list[TopicValues] = [
        replace(v, measure=labels[v.measure]) for v in topic_values(chosen.values(), qrels, runs).values()
    ]
    clock("evaluation")
    stable = [stability(v, n_samples=bootstrap, rng=SEED) for v in values]
    clock("stability")
    swaps = [swap(v, n_samples=bootstrap, rng=SEED) for v in values]
    clock("swap")
    powers = [discriminative_power(v, n_samples=bootstrap, rng=SEED) for v in values]
    clock("power")
    result = incompleteness(
        chosen.values(), qrels, runs, n_samples=n_samples, rel=rel, rng=SEED, output=out / "means.csv"
    )
    found = labelled(result, labels)
    clock("incompleteness")

    full = {v.measure: v for v in values}
    shallow = shallow_pools(chosen, qrels, runs, full, groups, n_samples)
    clock("shallow pools")

    def write(table: pd.DataFrame, file: str, **more: Any) -> None:
        table.to_csv(out / file, index=False, float_format="%.6g", lineterminator="\n", **more)

    write(found.table(), "robustness.csv")
    write(found.table("AP"), "robustness_ap.csv")
    write(shallow, "shallow.csv")
    write(paired(found.samples()), "paired.csv")
    write(pd.concat([one.table() for one in stable]), "stability.csv")
    write(pd.concat([one.table() for one in swaps]), "swap.csv")
    write(
        pd.DataFrame(
            {
                "measure": [v.measure for v in values],
                "mean": [v.means.mean() for v in values],
                "swap_difference": [one.difference_required() for one in swaps],
                "sensitivity": [one.sensitivity() for one in swaps],
                "power": [one.power for one in powers],
                "bootstrap_difference": [one.difference_required for one in powers],
            }
        ),
        "sensitivity.csv",
    )
    table = agreement(full).rename_axis("measure").reset_index()
    write(table, "agreement.csv")
    write(pd.DataFrame({"label": list(chosen), "measure": list(map(str, chosen.values()))}), "measures.csv")
    pictures(out, stable, swaps, powers, found)
    clock("tables and pictures")
    grades = qrels["relevance"].value_counts().sort_index()
    settings = {
        "name": name,
        "runs": len(runs),
        "topics": values[0].n_topics,
        "judgments": len(qrels),
        "grades": {f"{grade:g}": int(n) for grade, n in grades.items()},
        "retrieved": int(sum(map(len, runs.values()))),
        "rel": rel,
        "groups": len({groups.get(run, run) for run in runs}),
        "judgment_samples": n_samples,
        "topic_samples": bootstrap,
        "seed": SEED,
        "irpref": irpref.__version__,
        "seconds": seconds,
    }
    (out / "settings.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
    columns = ["measure", "level", "tau"]
    wide = found.table()[columns].pivot(index="measure", columns="level", values="tau").loc[list(chosen)]
    print(f"{name}: Kendall's tau with the ranking by all judgments")
    print(wide[[90, 50, 20, 10, 5, 1]].round(3).to_string())
    print(f"Everything else is in {out} ({sum(seconds.values()):.0f} seconds).")


def main(arguments: list[str] | None = None) -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--qrels", type=Path, required=True, help="judgments in TREC format, plain or .gz")
    parser.add_argument("--runs", type=Path, nargs="+", required=True, help="run files, or folders of them")
    parser.add_argument("--out", type=Path, required=True, help="folder for the results")
    parser.add_argument("--name", help="of the collection (default: that of the folder)")
    parser.add_argument("--rel", type=int, default=1, help="lowest relevant grade (default: %(default)s)")
    parser.add_argument("--samples", type=int, default=10, help="of the judgments (default: %(default)s)")
    parser.add_argument("--bootstrap", type=int, default=1000, help="samples of topics (default: %(default)s)")
    parser.add_argument(
        "--groups", type=Path, help="table with run and team in its first columns: a team is pooled or not"
    )
    args = parser.parse_args(arguments)
    groups = {}
    if args.groups is not None:
        table = pd.read_csv(args.groups, sep="\t", dtype=str)
        groups = dict(zip(table.iloc[:, 0], table.iloc[:, 1], strict=True))
    name = args.name or args.out.name
    study(args.qrels, args.runs, args.out, name, args.rel, args.samples, args.bootstrap, groups)


if __name__ == "__main__":
    main()
