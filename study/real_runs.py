"""Measures that look for one relevant document, on real runs: results in study/real-runs/, and
study/REAL-RUNS.md.

    python -m study.real_runs FOLDER     # computes: FOLDER holds the collections, each with qrels/ and runs/
    python -m study.real_runs            # writes study/REAL-RUNS.md and study/real-runs/README.md from the results stored

Every number of both is read from the files in study/real-runs/; statements that depend on them are
checked, and the script stops where the results no longer bear one out. The collections are not to
be published again: neither names nor values of their runs are stored."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from runpy import run_path
from typing import Any

import pandas as pd

HERE = Path(__file__).parent
OUT = HERE / "REAL-RUNS.md"
RESULTS = HERE / "real-runs"
TABLES = RESULTS / "README.md"
SEED, SAMPLES, TOP = 2006, 1000, 50
CUTOFFS = (5, 10, 20, 50, 100, None)
COLLECTIONS = {
    "trec-covid-r3": "TREC-COVID round 3",
    "trec-covid-r1": "TREC-COVID round 1",
    "clef-ehealth-2018": "CLEF eHealth 2018",
    "robust03": "TREC 2003 Robust",
    "dl19-passage": "TREC DL 2019 passages",
    "dl20-passage": "TREC DL 2020 passages",
}
DRAWN = (
    "trec-covid-r3",
    "clef-ehealth-2018",
)  # as the poster, two collections of different systems
# The first orders the systems, of which the best 50 take part.
MEASURES = {
    "AP": "AP",
    "QMeasure": "Q",
    "RMeasure": "R-measure",
    "PMeasure": "P",
    "PPlus": "P+",
    "OMeasure": "O",
    "RR": "RR",
    "WeightedRR": "weighted RR",
}
ONE = ("P", "P+", "O", "RR", "weighted RR")  # those that look for one document
CRP_OF = ("trec-covid-r3", "10")  # collection and topic of the CRP curve


# Computing ----------------------------------------------------------------------------------------


def compute(data: Path) -> None:
    """Evaluate the collections and store tables and pictures."""
    import irpref
    from irpref.data.run_names import named_runs

    RESULTS.mkdir(exist_ok=True)
    settings: dict[str, Any] = {"samples": SAMPLES, "seed": SEED, "top": TOP, "collections": {}}
    for key in COLLECTIONS:
        started = time.perf_counter()
        qrels = irpref.read_qrels(data / key / "qrels" / "qrels.txt.gz")
        files = named_runs(sorted((data / key / "runs").iterdir()))
        runs = {name: irpref.read_run(path) for name, path in files.items()}
        measures = dict(zip(irpref.bind(list(MEASURES), qrels), MEASURES.values(), strict=True))
        table, systems, topics = by_cutoff(measures, qrels, runs)
        table.to_csv(RESULTS / f"{key}.csv", index=False, float_format="%.6g", lineterminator="\n")
        settings["collections"][key] = {
            "runs": len(runs),
            "systems": systems,
            "topics": topics,
            "judgments": len(qrels),
            "depth": int(max(run.groupby("query_id").size().max() for run in runs.values())),
            "seconds": round(time.perf_counter() - started),
        }
        if key in DRAWN:
            pictures(key, table, measures, qrels, runs)
        if key == CRP_OF[0]:
            settings["crp"] = crp(qrels, runs)
        print(key, settings["collections"][key], flush=True)
    text = json.dumps(settings, indent=1) + "\n"
    (RESULTS / "settings.json").write_text(text, encoding="utf-8")


def by_cutoff(measures: dict[Any, str], qrels: Any, runs: Any) -> tuple[pd.DataFrame, int, int]:
    """Compute stability, sensitivity and power of each measure at each cutoff, of the best systems;
    return them, the number of these systems, and the number of topics.
    """
    from irpref_lab import meta

    asked = {
        (label, cutoff): measure if cutoff is None else measure(cutoff=cutoff)
        for measure, label in measures.items()
        for cutoff in (CUTOFFS if "cutoff" in measure.SUPPORTED_PARAMS else (None,))
    }
    values = meta.topic_values(list(asked.values()), qrels, runs)
    best = meta.system_ranking(values[str(next(iter(measures)))]).systems[:TOP]
    rows = []
    for (label, cutoff), measure in asked.items():
        best_systems = values[str(measure)].select(best)
        steady = meta.stability(best_systems, fuzziness=[0.05], n_samples=SAMPLES, rng=SEED)
        swap = meta.swap(best_systems, n_samples=SAMPLES, rng=SEED)
        power = meta.discriminative_power(best_systems, n_samples=SAMPLES, rng=SEED)
        rows.append(
            {
                "measure": label,
                "cutoff": cutoff,
                "mean": float(best_systems.means.mean()),
                "minority_rate": float(steady.minority_rate[0]),
                "ties": float(steady.ties[0]),
                "swap_difference": swap.difference_required(),
                "sensitivity": swap.sensitivity(),
                "power": power.power,
                "power_difference": power.difference_required,
            }
        )
    return pd.DataFrame(rows).astype({"cutoff": "Int64"}), len(best), best_systems.n_topics


def draw(table: pd.DataFrame, quantity: str, words: str) -> Any:
    """Draw a line for each measure by cutoff, whole lists at the right; a measure without a cutoff
    is a line throughout.
    """
    from irpref_lab.plots import axes
    from irpref_lab.plots.drawing import finish, introduce, legend, style

    ax, shown = axes((6.0, 4.2)), [str(cutoff or "all") for cutoff in CUTOFFS]
    introduce(list(dict.fromkeys(table["measure"])), "measure")
    for label, part in table.groupby("measure", sort=False):
        values = (100 * part[quantity]).tolist()
        values = values * len(shown) if len(values) == 1 else values
        ax.plot(shown, values, **style(label, kind="measure"))
    ax.set(xlabel="cutoff", ylabel=words, ylim=(0, None))
    legend(ax)
    return finish(ax)


def pictures(
    key: str, table: pd.DataFrame, measures: dict[Any, str], qrels: Any, runs: Any
) -> None:
    """Draw minority rate against ties on whole lists, and discriminative power by cutoff."""
    from dataclasses import replace

    from irpref_lab import meta, plots
    from irpref_lab.plots import axes

    values = meta.topic_values(list(measures), qrels, runs)
    (first, *_) = values.values()
    best = [first.systems[i] for i in (-first.means).argsort(kind="stable")[:TOP].tolist()]
    chosen = [
        replace(one.select(best), measure=label)
        for one, label in zip(values.values(), measures.values(), strict=True)
    ]
    steady = [meta.stability(one, n_samples=SAMPLES, rng=SEED) for one in chosen]
    drawn = plots.stability(steady, axes((6.0, 4.2)), highlight=[one.measure for one in steady])
    save(drawn, f"{key}-stability.png")
    save(draw(table, "power", "discriminative power (%)"), f"{key}-power.png")
    save(draw(table, "minority_rate", "minority rate (%)"), f"{key}-minority.png")


def crp(qrels: Any, runs: dict[str, Any]) -> dict[str, Any]:
    """Draw the curve of the deepest run that is the median one by nCRP on the topic, and return the
    facts about it.
    """
    import irpref
    from irpref import curves
    from irpref_lab import plots

    topic = CRP_OF[1]
    judged = qrels[qrels["query_id"] == topic]
    there = {name: run[run["query_id"] == topic] for name, run in runs.items()}
    deepest = max(map(len, there.values()))
    deep = {name: run for name, run in there.items() if len(run) == deepest}
    values = {
        name: irpref.evaluator(["nCRP"], judged).calc_aggregate(run)[irpref.nCRP]
        for name, run in deep.items()
    }
    name = sorted(values, key=lambda run: (values[run], run))[len(values) // 2]
    table = curves.crp(judged, {"one run": deep[name]}, per_topic=True)
    save(plots.crp_sketch(table), "crp.png")
    row = table.iloc[-1]
    loss = table[table["rank"] == row["recall_base"]]["crp"].iloc[0]
    return {
        "topic": topic,
        "R": int(row["recall_base"]),
        "retrieved": deepest,
        "loss": int(loss),
        "worst": int(row["worst"]),
        "turn_around": int(row["turn_around"]),
        "balance": None if pd.isna(row["balance"]) else int(row["balance"]),
        "lowest": int(table["crp"].min()),
    }


def save(ax: Any, file: str) -> None:
    """Write a figure as a small picture: few colours, no more pixels than a page needs."""
    from matplotlib import pyplot
    from PIL import Image

    path = RESULTS / file
    ax.figure.savefig(path, dpi=110, bbox_inches="tight")
    pyplot.close(ax.figure)
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(256)
    small.save(path, optimize=True)


# The page -----------------------------------------------------------------------------------------


@cache
def settings() -> dict[str, Any]:
    return json.loads((RESULTS / "settings.json").read_text(encoding="utf-8"))


@cache
def results(key: str) -> pd.DataFrame:
    table = pd.read_csv(RESULTS / f"{key}.csv")
    table["cutoff"] = table["cutoff"].fillna(0).astype(int)  # 0: whole lists
    return table.set_index(["measure", "cutoff"])


def quantity_of(key: str, measure: str, quantity: str, cutoff: int = 0) -> float:
    return float(results(key).loc[(measure, cutoff), quantity])


def number(measure: str, quantity: str, other: str) -> int:
    """Count the collections in which a measure has more of a quantity than another, on whole
    lists.
    """
    return sum(
        quantity_of(key, measure, quantity) > quantity_of(key, other, quantity)
        for key in COLLECTIONS
    )


def claim(holds: Any, text: str) -> str:
    """Return the text if the results bear it out; stop otherwise."""
    if not holds:
        raise SystemExit(f"the results no longer bear this out: {text}")
    return text


def percent(value: float) -> str:
    return f"{100 * value:.1f}"


def grid(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a table; the first column is text, the others are numbers."""
    names = list(head)
    lines = [names, ["---", *["--:"] * (len(names) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def best(shown: list[str], highest: bool) -> list[str]:
    """Print the best of some numbers, which are text, in bold."""
    top = (max if highest else min)((s for s in shown if s != "-"), key=float)
    return [f"**{s}**" if s == top else s for s in shown]


def table_of(key: str) -> str:
    """Tabulate discriminative power and minority rate by cutoff; ties, difference required and
    sensitivity on whole lists.
    """
    columns: list[tuple[str, list[str]]] = []
    cutoffs = (5, 10, 0)

    def column(head: str, quantity: str, cutoff: int, show: Any, highest: bool | None) -> None:
        there = results(key).index
        shown = [
            show(quantity_of(key, m, quantity, cutoff)) if (m, cutoff) in there else "-"
            for m in MEASURES.values()
        ]
        columns.append((head, shown if highest is None else best(shown, highest)))

    for cutoff in cutoffs:
        column(f"power @{cutoff}" if cutoff else "power", "power", cutoff, percent, True)
    for cutoff in cutoffs:
        column(
            f"minority @{cutoff}" if cutoff else "minority", "minority_rate", cutoff, percent, False
        )
    column("ties", "ties", 0, percent, None)
    column("difference", "swap_difference", 0, lambda v: f"{v:.2f}", None)
    column("sensitivity", "sensitivity", 0, percent, True)
    return grid(
        ["measure", *(head for head, _ in columns)],
        ([label, *(shown[i] for _, shown in columns)] for i, label in enumerate(MEASURES.values())),
    )


def page() -> str:
    """Write the page of the site: the message of the results, without the tables."""
    of_all = settings()["collections"]
    n = len(COLLECTIONS)
    every = list(COLLECTIONS)
    whole = [m for m in MEASURES.values() if m not in ONE]
    crp = settings()["crp"]
    lowest_whole = {k: min(quantity_of(k, m, "power") for m in whole) for k in every}
    highest_one = {k: max(quantity_of(k, m, "power") for m in ONE) for k in every}
    apart = [k for k in every if lowest_whole[k] > 1.5 * highest_one[k]]
    lost = {
        m: [quantity_of(k, m, "power") - quantity_of(k, m, "power", 5) for k in every]
        for m in ("AP", "Q", *ONE)
    }
    times = {
        m: [
            quantity_of(k, m, "minority_rate", 5) / quantity_of(k, m, "minority_rate")
            for k in every
        ]
        for m in ("AP", "Q", *ONE)
    }
    one_lost = max(abs(x) for m in ONE for x in lost[m])
    one_times = max(x for m in ONE for x in times[m])
    gain = [quantity_of(k, "P", "power") - quantity_of(k, "RR", "power") for k in every]
    lower = [
        k
        for k in every
        if quantity_of(k, "P", "minority_rate") < quantity_of(k, "RR", "minority_rate")
    ]
    both = [k for k in lower if quantity_of(k, "P", "ties") < quantity_of(k, "RR", "ties")]
    worst_wrr = sum(
        quantity_of(k, "weighted RR", "minority_rate")
        == max(quantity_of(k, m, "minority_rate") for m in MEASURES.values())
        for k in every
    )
    fewest_ties = sum(
        quantity_of(k, "weighted RR", "ties") == min(quantity_of(k, m, "ties") for m in ONE)
        for k in every
    )
    plus = max(abs(quantity_of(k, "P", "power") - quantity_of(k, "P+", "power")) for k in every)
    ap_below_q = sum(
        quantity_of(k, "AP", "power", 5) < quantity_of(k, "Q", "power", 5) for k in every
    )
    fewer = {m: sum(x > 0 for x in lost[m]) for m in lost}
    less_steady = {m: sum(x > 1 for x in times[m]) for m in times}

    return f"""# Measures of the sources on real runs

<!-- Written by `python -m study.real_runs` from the files in study/real-runs/; change those. -->

How stable and sensitive is a measure that looks for one relevant document? Sakai (*Give me just one highly relevant document:
P-measure*, SIGIR 2006, [doi](https://doi.org/10.1145/1148170.1148322)) finds P-measure more stable and more sensitive than RR, but less
so than Q-measure and AP, and announces a comparison by bootstrap. This is that comparison on {n} public collections: the best
{settings()["top"]} runs of each by mean AP (or all), {settings()["samples"]:,} bootstrap samples of topics, whole lists and cutoffs of 5 to 100. The tables by collection and
the pictures are in `study/real-runs` in the repository.

There are no intervals: with {min(v["systems"] for v in of_all.values())} to {max(v["systems"] for v in of_all.values())} systems and {min(v["topics"] for v in of_all.values())} to {max(v["topics"] for v in of_all.values())} topics, a difference of a few points in one collection says little.

- **All relevant documents or one.** {claim(len(apart) == n - 1 and "trec-covid-r1" not in apart, f"In {len(apart)} of {n} collections")} AP, Q and R-measure distinguish at least {percent(min(lowest_whole[k] for k in apart))} % of the pairs of systems on whole lists, the measures
  of one document at most {percent(max(highest_one[k] for k in apart))} %. In TREC-COVID round 1, whose lists have 100 documents, it is at least {percent(lowest_whole["trec-covid-r1"])} % against at most {percent(highest_one["trec-covid-r1"])} %.
- **P-measure and RR.** P {claim(min(gain) > 0, f"has more discriminative power in {n} of {n} collections")}, by {percent(min(gain))} to {percent(max(gain))} points, and {claim(number("P", "sensitivity", "RR") == n, f"is more sensitive by swaps in {n} of {n}")}, as in the paper.
  It is clearly more stable in {len(both)}: it has the lower minority rate and fewer ties. {claim(all(quantity_of(k, "P", "ties") < quantity_of(k, "RR", "ties") for k in every), f"In the other {n - len(both)} RR has the lower minority rate but more ties")}.
- **P+, O, weighted RR.** P+ has more power than RR in {number("P+", "power", "RR")} of {n}, O in {number("O", "power", "RR")}, weighted RR in {number("weighted RR", "power", "RR")}. P and P+ differ by at most {percent(plus)} points; P has more than O in {number("P", "power", "O")} of {n}.
  Weighted RR has {claim(worst_wrr == n, f"the highest minority rate of all measures in {worst_wrr} of {n}")}, and {claim(fewest_ties == n, f"the fewest ties of the measures of one document in {fewest_ties}")}.
- **"A small cut-off makes IR evaluation unstable"** {claim(min(fewer["AP"], less_steady["AP"]) == n, f"holds for AP in {n} of {n} collections")}: at 5 documents it loses {percent(min(lost["AP"]))} to {percent(max(lost["AP"]))} points of
  power, and its minority rate is {min(times["AP"]):.1f} to {max(times["AP"]):.1f} times as high. It holds for {claim(fewer["Q"] == less_steady["Q"] == n - 1 and lost["Q"][every.index("trec-covid-r1")] < 0 and times["Q"][every.index("trec-covid-r1")] < 1, f"Q in {fewer['Q']}, but not in TREC-COVID round 1")}, where Q@5 is better on both counts.
  Measures of one document hardly change: their power by {claim(one_lost < 0.06, f"at most {percent(one_lost)} points")}, up or down, and their minority rate to {claim(one_times < 1.6, f"at most {one_times:.1f} times")} the value.
  RR, O and weighted RR never look beyond the first relevant document.
- **At 5 documents** AP has {claim(ap_below_q >= n - 1, f"less power than Q in {ap_below_q} of {n}")}. AP@5 is divided by R, however large, Q@5 by at most 5.

## The CRP curve of a run

Angelini et al. (IIR 2013) draw a sketch in figure 1, and beside it the curve of a run. This is the curve of a run of TREC-COVID
round 3 on topic {crp["topic"]}: of the runs that retrieve {crp["retrieved"]:,} documents, the middle one by nCRP.

![CRP of one run by rank, beside a run with nothing relevant](real-runs/crp.png)

R is {crp["R"]}. At that rank the run has lost {-crp["loss"]:,} of at most {-crp["worst"]:,}, so nCRP is {crp["loss"] / crp["worst"]:.2f}. The curve turns at rank {crp["turn_around"]} and is back
at 0 at rank {crp["balance"]}, so the recovery value is {crp["R"]}/{crp["balance"]} = {crp["R"] / crp["balance"]:.2f}.
"""


def tables() -> str:
    """Write the README of study/real-runs: the data compared, and a table for each collection."""
    compared = grid(
        ["collection", "runs", "compared", "topics", "judgments", "deepest list"],
        (
            [
                COLLECTIONS[k],
                str(v["runs"]),
                str(v["systems"]),
                str(v["topics"]),
                f"{v['judgments']:,}",
                f"{v['depth']:,}",
            ]
            for k, v in settings()["collections"].items()
        ),
    )
    parts = [
        """# Measures that look for one relevant document: tables

<!-- Written by `python -m study.real_runs` from the files in this folder; change those. -->

What they say is on [the page](../REAL-RUNS.md).""",
        compared,
        f"""As Sakai does, we compare the best {settings()["top"]} runs by mean AP (or all) with {settings()["samples"]:,} bootstrap samples of topics, the same for all
measures, and do not correct for the number of pairs. Documents are relevant from grade 1, and grades are gains. RR is that of
irpref, ties broken by document id, descending.

The runs of TREC DL are research runs, many of them variants of one another; the track itself counts documents as relevant from grade
2. TREC-COVID was judged from shallow pools, and unjudged documents count as not relevant.

*power* (discriminative power): share of the pairs of systems with ASL < 0.05 (%, bootstrap; Sakai, SIGIR 2006), at a cutoff and on whole lists. *minority*,
*ties*: minority rate and share of ties (%) at fuzziness 5 % (Buckley and Voorhees, SIGIR 2000); a measure with many ties easily has a
low minority rate, so compare both. *difference*: the smallest difference of means that at most 5 % of other topic samples reverse;
*sensitivity*: the share of observations (%) that reach it (Voorhees and Buckley, SIGIR 2002). The best of a column is bold.""",
    ]
    for key in COLLECTIONS:
        parts.append(f"## {COLLECTIONS[key]}\n\n{table_of(key)}")
        if key in DRAWN:
            name = COLLECTIONS[key]
            parts.append(
                f"![Discriminative power by cutoff, {name}]({key}-power.png)\n\n"
                f"![Minority rate by cutoff, {name}]({key}-minority.png)\n\n"
                f"![Minority rate against ties for fuzziness 1 to 10 %, {name}]({key}-stability.png)"
            )
    parts.append(f"""## Do it yourself

```sh
irpref meta power QRELS RUNS AP AP@5 AP@10 QMeasure QMeasure@5 QMeasure@10 RMeasure RR RR@5 --top 50 --seed {settings()["seed"]}
irpref meta stability QRELS RUNS AP QMeasure PMeasure OMeasure RR
irpref plot sketch QRELS RUN -t TOPIC -f crp.png
```
""")
    return "\n\n".join(parts)


def main() -> None:
    if len(sys.argv) > 1:
        compute(Path(sys.argv[1]))
    OUT.write_text(page(), encoding="utf-8")
    TABLES.write_text(tables(), encoding="utf-8")


if __name__ == "__main__":
    run_path(str(Path(__file__).parents[1] / "docs" / "own_source.py"))
    main()
