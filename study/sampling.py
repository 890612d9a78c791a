"""Simulates the claims of docs/judge-until-sure.md and study/SAMPLING.md, on seven collections.

    IRPREF_DATA=FOLDER python -m study.sampling [draws] [known] [unseen] [oracle] [few] [along]
    python -m study.sampling --stored         # tables and picture alone

The folder has the judgments and runs of the collections below, and `llm-judges`. A document that no
human judged counts as not relevant, so that full judgments are known. CACM and Robust 2003 have
binary grades (here: any grade above 0), and a judge made from them with errors. The method was
chosen on judges and collections of `KNOWN`; judges and collections of `UNSEEN` were only tried,
afterwards. Only numbers are kept: docs/sampling/results.json and the picture beside it. 2,000 draws a cell take
about half an hour. Cells that are stored with as many draws are not simulated again."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from runpy import run_path

import numpy as np
import pandas as pd
from scipy import special

import irpref
from irpref_lab.judges.additive import additive
from irpref_lab.judges.grades import IDS
from irpref_lab.judges.looks import level_of_looks, variances_at
from irpref_lab.judges.partners import partners
from irpref_lab.judges.priority_sampling import (
    estimated,
    half_widths,
    levels,
    sizes,
    united,
)
from irpref_lab.judges.rank_weights import rank_weights

DOCS = Path(__file__).resolve().parents[1] / "docs"
OUT = DOCS / "sampling"
KNOWN = {
    "dl19-passage": "DL 2019",
    "dl20-passage": "DL 2020",
    "cacm": "CACM",
    "robust03": "Robust 2003",
}
UNSEEN = {
    "dl19-passage": "DL 2019",
    "dl20-passage": "DL 2020",
    "trec-covid-r1": "TREC-COVID round 1",
    "clef-ehealth-2018": "CLEF eHealth 2018",
    "cast2021": "CAsT 2021",
}
BINARY = ("cacm", "robust03")
WITH_LLMS = ("dl19-passage", "dl20-passage")
JUDGES = ("umbrela-gpt4", "binary-gpt4", "binary-gpt4o", "binary-llama3.2", "exam-gpt4")
MEASURES = ("DCG@10", "P@10")
LOOKS = (50, 100, 200, 400, 800)
LEFT = 30  # cells with fewer documents that were not drawn are reported apart
FEWEST = 100  # draws of a number in the table
FALLS_SHORT = {  # of what was aimed at, or does so with other ways of drawing
    "dl19-passage": ("30 % missing",),
    "dl20-passage": ("30 % missing", "binary-gpt4", "exam-gpt4"),
    "cacm": ("made",),
}
ORACLE = {"nothing": "nothing more", "means": "means of levels", "spreads": "spreads, too"}
LEVEL = 0.95
FEW = (10, 25)  # topics
EARLY = (25, *LOOKS)  # looks, if there are few topics and so fewer documents
SETS = 20  # of few topics


def load(name):
    """Read topics, gains and weights of all documents that some run ranks above the cutoff."""
    folder = Path(os.environ["IRPREF_DATA"]) / name
    human = irpref.read_qrels(next((folder / "qrels").glob("*.gz")))
    human = human[[*IDS, "relevance"]].drop_duplicates(IDS)
    files = sorted((folder / "runs").glob("*.gz"))
    runs = {file.name: irpref.read_run(file) for file in files}
    measures = additive(MEASURES)
    topics = sorted(human["query_id"].unique())
    weights = rank_weights(measures, runs, topics)
    documents = weights.documents.merge(human, on=IDS, how="left")
    grade = documents["relevance"].fillna(0).clip(lower=0).to_numpy()
    if name in BINARY:
        grade = (grade > 0).astype(float)
    return {
        "name": name,
        "documents": documents,
        "grade": grade,
        "topic": np.searchsorted(np.array(topics, object), documents["query_id"].to_numpy(object)),
        "n_topics": len(topics),
        "gains": [one.gains(grade) for one in measures],
        "weights": weights.of_measure,
    }


def known_judges(collection):
    """Read the grades of the judges with which the method was chosen, by name."""
    grade, documents = collection["grade"], collection["documents"]
    folder = Path(os.environ["IRPREF_DATA"]) / "llm-judges" / collection["name"].partition("-")[0]
    grades = {}
    for judge in JUDGES if collection["name"] not in BINARY else ():
        of_judge = irpref.read_qrels(folder / f"{judge}.qrels.gz")
        merged = documents[IDS].merge(of_judge, on=IDS, how="left")
        grades[judge] = merged["relevance"].to_numpy()
    rng = np.random.default_rng(7)
    if not grades:
        grades["made"] = np.clip(np.round(2.4 * grade + rng.normal(0.3, 1, grade.size)), 0, 3)
    first = next(iter(grades.values()))
    grades["shuffled"] = rng.permutation(first)
    grades["inverted"] = np.nanmax(first) - first
    grades["constant"] = np.zeros(grade.size)
    grades["30 % missing"] = np.where(rng.random(grade.size) < 0.3, np.nan, first)
    return grades


def unseen_judges(collection):
    """Make the grades of judges that are wrong in other ways, from the human grades."""
    rng = np.random.default_rng(21)
    grade, topic = collection["grade"], collection["topic"]
    weights = collection["weights"][0]
    scaled = grade / grade.max()
    noise = rng.normal(0, 1, grade.size)
    good = np.round(3 * scaled + 0.8 * noise)
    half = weights[: len(weights) // 2].any(axis=0)
    depth = weights.max(axis=0) / weights.max()
    odd = rng.random(collection["n_topics"]) < 0.2
    absent = rng.random(grade.size) < np.where(grade > 0, 0.6, 0.1)
    grades = {
        "good for half of the runs": np.where(half, good, rng.permutation(good)),
        "likes what is ranked high": np.round(1.5 * scaled + 3 * depth + 0.5 * noise),
        "yes or no": (2 * scaled + noise > 1).astype(float),
        "lacks most relevant ones": np.where(absent, np.nan, good),
        "inverted in a fifth of the topics": np.where(odd[topic], 3 - good, good),
    }
    return {name: np.clip(values, 0, 3) for name, values in grades.items()}


def correlation(judge, gain):
    """Correlate the judge's grades with the gains of human ones, over documents that it graded."""
    known = ~np.isnan(judge)
    if np.ptp(judge[known]) == 0:
        return 0.0
    return float(np.corrcoef(judge[known], gain[known])[0, 1])


class Simulation:
    """Draws of pairs of runs for one collection, judge and measure."""

    def __init__(self, collection, judge, m, seed):
        self.rng = np.random.default_rng(seed)
        self.gains, self.weights = collection["gains"][m], collection["weights"][m]
        self.topic, self.n_topics = collection["topic"], collection["n_topics"]
        self.level = levels(judge)
        self.rows = []
        self.n_pairs = 0
        self.documents = np.array(
            [[int((b != a).sum()) for b in self.weights] for a in self.weights]
        )

    def draw(self, n_draws, ways, looks=LOOKS):
        """Draw pairs of runs with enough documents for the first look, once each.

        Ways: `drawn` by priority with the judge, `uniform` with the judge, `alone`: uniform
        without, where every document is predicted to have the mean gain.
        """
        enough = np.argwhere(self.documents > looks[0] + (LEFT if looks != LOOKS else 0))
        for _ in range(n_draws if len(enough) else 0):
            a, b = enough[self.rng.integers(len(enough))]
            difference = self.weights[b] - self.weights[a]
            place = np.flatnonzero(difference)
            topic = self.topic[place]
            partner = partners([self.weights[[a, b]][:, place]], topic)
            self._judge("fixed", a, b, place, topic, partner, ways, looks)
            # Topics as a sample of more like them: drawn with replacement, each with numbers of
            # its own. This pair may lack documents in the topics that are drawn.
            times = np.bincount(
                self.rng.integers(0, self.n_topics, self.n_topics), minlength=self.n_topics
            )
            copies = times[topic]
            start = np.cumsum(copies) - copies
            place, topic = np.repeat(place, copies), np.repeat(topic, copies)
            nth = np.arange(place.size) - np.repeat(start, copies)
            partner = np.repeat(start[partner], copies) + nth
            topic = np.cumsum(times)[topic] - 1 - nth
            self._judge("sample", a, b, place, topic, partner, ("drawn",), looks)
            self.n_pairs += 1

    def _judge(self, kind, a, b, place, topic, partner, ways, looks):
        difference = (self.weights[b] - self.weights[a])[place]
        # Under full judgments of all topics of the collection.
        true = float((self.weights[b] - self.weights[a]) @ self.gains) / self.n_topics
        uniform = 1 - self.rng.random(place.size)
        for way in ways:
            size, number = np.ones(place.size), uniform
            if way == "drawn":
                two = self.weights[[a, b]][:, place]
                size, number = united(sizes([two]), uniform, partner)
            order = np.argsort(-size / number, kind="stable")
            z, q, w, t = size[order], (size / number)[order], difference[order], topic[order]
            known = self.level_of(a, b)[place][order]
            at = known if way != "alone" else np.zeros(place.size, np.int64)
            # Without a judge the sample is predicted by its mean: each document a topic.
            of_topic = t if way != "alone" else np.arange(place.size)
            gain = self.gains[place][order]
            within = [n for n in looks if n < place.size]
            share = _share(variances_at(z, q, within)) if kind == "fixed" and way == "drawn" else 0
            for n in within:
                estimate = estimated(at, of_topic, gain[:n], z, q, 0)
                if kind == "fixed":
                    middle = estimate.gain @ w / self.n_topics
                    variance, freedom = estimate.variances(w[None])
                    half, shared = (
                        float(half_widths(variance, freedom, level)[0]) / self.n_topics
                        for level in (LEVEL, share)
                    )
                else:
                    values = np.bincount(t, estimate.gain * w, self.n_topics)
                    middle, shared = values.mean(), np.nan
                    quantile = special.stdtrit(self.n_topics - 1, (1 + LEVEL) / 2)
                    half = quantile * values.std(ddof=1) / np.sqrt(self.n_topics)
                self.rows.append(
                    (self.n_pairs, kind, way, n, place.size, middle - true, half, shared, true)
                )

    def level_of(self, a, b):
        """Return the levels of the judge's grades, for all documents."""
        return self.level

    def table(self):
        """Return a row for each pair, way and number of documents."""
        names = ["pair", "kind", "way", "n", "documents", "error", "half", "shared", "true"]
        return pd.DataFrame(self.rows, columns=names)

    def short_of(self, n_draws):
        """Find numbers of documents with fewer draws, and how many lack."""
        table = self.table()
        table = table[(table["documents"] - table["n"] >= LEFT) & (table["way"] == "drawn")]
        number = table.groupby(["n", "kind"]).size().unstack(fill_value=0).min(axis=1)
        return {int(n): n_draws - int(k) for n, k in number.items() if 0 < k < n_draws}


def _share(variances):
    """Compute the level of each look; ratios of variances are rounded, so that few are computed."""
    rounded = [1.0]
    for before, after in pairwise(variances):
        rounded.append(rounded[-1] * round(50 * after / before) / 50)
    return level_of_looks(tuple(rounded), LEVEL)


def simulated(collection, judge, m, n_draws, seed, first):
    """Simulate one cell and summarise it."""
    simulation = Simulation(collection, judge, m, seed)
    if m == 0:  # half widths vary little
        simulation.draw(
            n_draws // 4, ("drawn", "alone", "uniform") if first else ("drawn", "alone")
        )
    simulation.draw(n_draws - simulation.n_pairs, ("drawn",))
    table = simulation.table()
    for n, lack in simulation.short_of(n_draws).items():
        more = Simulation(collection, judge, m, [*seed, n])
        more.draw(int(1.3 * lack), ("drawn",), (n,))
        extra = more.table()
        table = pd.concat([table, extra.assign(pair=-1)], ignore_index=True)
    return summary(table)


def summary(table):
    """Summarise one cell: coverage by number of documents, half widths, and when pairs are sure."""
    table = table.assign(held=table["error"].abs() <= table["half"] + 1e-12)
    table["enough"] = table["documents"] - table["n"] >= LEFT
    drawn = table[(table["kind"] == "fixed") & (table["way"] == "drawn")]
    over = table[(table["kind"] == "sample")]
    compared = set(table[table["way"] == "alone"]["pair"])
    out = {"held": {}, "near": {}, "topics": {}, "bias": {}, "half": {}, "pairs": {}}
    for n in LOOKS:
        here = drawn[(drawn["n"] == n) & drawn["enough"]]
        near = drawn[(drawn["n"] == n) & ~drawn["enough"]]
        if len(here) >= FEWEST:
            out["held"][n] = float(here["held"].mean())
            out["bias"][n] = float(here["error"].mean() / here["error"].std())
            out["topics"][n] = float(over[(over["n"] == n) & over["enough"]]["held"].mean())
            out["pairs"][n] = len(here)
        if len(near) >= FEWEST:
            out["near"][n] = float(near["held"].mean())
        fixed = table[(table["kind"] == "fixed") & (table["n"] == n) & table["enough"]]
        half = fixed[fixed["pair"].isin(compared)].groupby("way")["half"]
        if half.ngroups and half.size().min() >= FEWEST:
            out["half"][n] = {way: float(value) for way, value in half.median().items()}
    # Looks that share the level: a pair is sure at the first one whose interval leaves out 0.
    drawn = drawn[drawn["pair"] >= 0]
    ends = drawn.assign(middle=drawn["error"] + drawn["true"])
    out["together"] = float(
        (ends["error"].abs() <= ends["shared"] + 1e-12).groupby(ends["pair"]).all().mean()
    )
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


class ErringAlong(Simulation):
    """Draws with a judge whose errors favour the second run of each pair.

    It grades a document `LIFT` too high if the second run ranks it higher than the first, and
    `LIFT` too low if the first does.
    """

    LIFT = 1.5

    def __init__(self, collection, m, seed):
        grade = collection["grade"]
        noise = np.random.default_rng(21).normal(0, 0.8, grade.size)
        self.judge = 3 * grade / grade.max() + noise
        super().__init__(collection, np.zeros(grade.size), m, seed)

    def level_of(self, a, b):
        lift = self.LIFT * np.sign(self.weights[b] - self.weights[a])
        return levels(np.clip(np.round(self.judge + lift), 0, 3))


def of_topics(collection, chosen):
    """Restrict a collection to some of its topics, by number."""
    kept = np.isin(collection["topic"], chosen)
    return collection | {
        "grade": collection["grade"][kept],
        "topic": np.searchsorted(chosen, collection["topic"][kept]),
        "n_topics": len(chosen),
        "gains": [gains[kept] for gains in collection["gains"]],
        "weights": [weights[:, kept] for weights in collection["weights"]],
    }


def sure_with_few_topics(collection, judge, n_topics, n_draws, seed):
    """Compute when the median pair is decided on random sets of topics.

    Returns the median over the sets, the lowest and the highest: of the share of documents, and the
    median number of documents of a pair.
    """
    rng = np.random.default_rng(seed)
    shares, documents = [], []
    n_sets = SETS if n_topics < collection["n_topics"] else 1
    for number in range(n_sets):
        chosen = np.sort(rng.permutation(collection["n_topics"])[:n_topics])
        kept = np.isin(collection["topic"], chosen)
        simulation = Simulation(of_topics(collection, chosen), judge[kept], 0, [seed, number])
        simulation.draw(n_draws // n_sets, ("drawn",), EARLY)
        cell = summary(simulation.table())
        shares.append(cell["share"])
        documents.append(cell["documents"])
    low, middle, high = np.quantile(shares, [0, 0.5, 1])
    return {
        "draws": n_draws,
        "share": [float(middle), float(low), float(high)],
        "documents": float(np.median(documents)),
    }


def known_to_an_oracle(collection, judge, n_draws, seed):
    """Compute half widths, as a share of `alone`, and sure pairs, if more is known than a sample
    can tell.

    Ways: `nothing` more; `means`: the true mean gain of each level of the judge, over the documents
    of the pair; `spreads`: the level's mean squared errors, too, and sizes follow them.
    """
    simulation = Simulation(collection, judge, 0, seed)
    pairs = np.argwhere(simulation.documents > LOOKS[0])
    rows = []
    for _ in range(n_draws):
        two = simulation.weights[pairs[simulation.rng.integers(len(pairs))]]
        place = np.flatnonzero(two[0] != two[1])
        rows += _of_oracle(simulation, two[:, place], place)
    table = pd.DataFrame(rows, columns=["way", "n", "half", "sure"]).groupby(["way", "n"])
    half, sure = table["half"].median(), table["sure"].mean()
    return {
        way: {"half": (half[way] / half["alone"]).to_dict(), "sure": sure[way].to_dict()}
        for way in ("nothing", "means", "spreads")
    }


def _of_oracle(simulation, two, place):
    """Return for one pair of runs: way, number of documents, half width, whether it is sure by
    then.
    """
    level, topic = simulation.level[place], simulation.topic[place]
    gain, w = simulation.gains[place], two[1] - two[0]
    load = np.maximum(np.bincount(level, abs(w)), 1e-12)
    mean = (np.bincount(level, abs(w) * gain) / load)[level]
    spread = np.sqrt(np.bincount(level, abs(w) * (gain - mean) ** 2) / load)[level]
    uniform, partner = 1 - simulation.rng.random(w.size), partners([two], topic)
    own, best = sizes([two]), np.maximum(abs(w) * spread, 1e-3)
    rows = []
    for way in ("alone", "nothing", "means", "spreads"):
        alone = {"alone": np.ones(w.size), "spreads": best}.get(way, own)
        together = partner if way != "alone" else np.arange(w.size)
        size, number = united(alone, uniform, together)
        order = np.argsort(-size / number, kind="stable")
        z, q, f, c = (each[order] for each in (size, size / number, gain, mean))
        at, t = level[order], topic[order]
        if way == "alone":
            at, t = np.zeros_like(at), np.arange(at.size)
        looks = [n for n in LOOKS if n < w.size]
        share, sure = _share(variances_at(z, q, looks)), False
        for n in looks:
            estimate = estimated(at, t, f[:n], z, q, 0)
            if way in ("means", "spreads"):
                n_counted, p = estimate.probability.size, estimate.probability
                residual, known = (f - c)[:n_counted], c.copy()
                known[:n_counted] += residual / p
                estimate = replace(estimate, gain=known, residual=residual)
            variance, freedom = estimate.variances(w[None, order])
            sure |= bool(abs(estimate.gain @ w[order]) > half_widths(variance, freedom, share)[0])
            rows.append((way, n, half_widths(variance, freedom, LEVEL)[0], sure))
    return rows


def table_of_oracle(results):
    """Tabulate the gain of an oracle, as Markdown."""
    numbers = [str(n) for n in LOOKS[:3]]
    columns = [f"half width, {n}" for n in numbers] + [f"sure, {n}" for n in numbers]
    lines = [f"| collection, judge | known | {' | '.join(columns)} |", "|---|---|" + "---:|" * 6]
    for name, judges in results.items():
        for judge, ways in judges.items():
            for way, label in ORACLE.items():
                shares = [ways[way][what][n] for what in ("half", "sure") for n in numbers]
                cells = [f"{KNOWN[name]}, {judge}", label, *(f"{x:.2f}"[-3:] for x in shares)]
                lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def table_of_few(results):
    """Tabulate when the median pair is decided on few topics, as Markdown."""
    head = ["collection", "topics", "documents", "decided after", "lowest", "highest"]
    lines = [f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1)]
    for name, cells in results.items():
        for n_topics, cell in cells.items():
            shares = [f"{share:.2f}"[-3:] for share in cell["share"]]
            # All topics are one set, which has no lowest and highest.
            shares = shares if int(n_topics) in FEW else [shares[0], "", ""]
            row = [KNOWN[name], n_topics, f"{cell['documents']:.0f}", *shares]
            lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def table_of_along(results):
    """Tabulate how many intervals hold if the judge errs along the comparison, as Markdown."""
    lines = [f"| collection | {' | '.join(map(str, LOOKS))} |", "|---|" + "---:|" * len(LOOKS)]
    for name, cell in results.items():
        held = [cell["held"].get(str(n)) for n in LOOKS]
        cells = [KNOWN[name], *("" if share is None else short(share) for share in held)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def short(number):
    return f"{number:.3f}".replace("0.", ".", 1)


def table_of(results, names):
    """Write a table of the page, as Markdown."""
    head = ["collection, judge", "draws", "correlation", "held: all looks", "lowest", "together"]
    head += ["over topics", "lowest", "half width", "sure after", "wrong"]
    lines = [f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1)]
    for name, judges in results.items():
        for judge, cell in judges.items():
            cells = [cell[measure] for measure in MEASURES if measure in cell]
            held = [value for one in cells for value in one["held"].values()]
            topics = [value for one in cells for value in one["topics"].values()]
            dcg = cells[0]
            ratios = [half["drawn"] / half["alone"] for half in dcg["half"].values()]
            row = [f"{names[name]}, {judge}", f"{cell['draws']:,}", short(cell["correlation"])]
            row += [short(np.mean(held)), short(min(held)), short(dcg["together"])]
            row += [short(np.mean(topics)), short(min(topics))]
            row += [f"{min(ratios):.2f} to {max(ratios):.2f}"]
            row += [f"{dcg['sure_at']:.0f} of {dcg['documents']:.0f} ({dcg['share']:.2f})"]
            row += [short(dcg["wrong"])]
            lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def draw(results):
    """Draw the picture: documents judged against half width, three ways."""
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
            values = [by_way[way] for by_way in half.values()]
            axis.plot([int(n) for n in half], values, marker=marker, color=colour, label=label)
        axis.set(xscale="log", yscale="log", title=f"{KNOWN[name]}, {judge}")
        axis.title.set_fontsize(9)
        axis.set_xticks([int(n) for n in half], [str(n) for n in half])
        axis.minorticks_off()
        axis.set_xlabel("documents judged", fontsize=8)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel(f"half width, {MEASURES[0]}", fontsize=8)
    handles, names = axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=3, fontsize=8)
    figure.savefig(OUT / "half-width.png", dpi=110)


def stored():
    """Read docs/sampling/results.json: results by part, collection and judge."""
    file = OUT / "results.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def store(results):
    """Write docs/sampling/results.json."""
    text = json.dumps(results, indent=0) + "\n"
    (OUT / "results.json").write_text(text, encoding="utf-8")


def run(part, n_draws):
    """Simulate the cells that are not stored with as many draws, and store each."""
    names, judges_of, measures, seed = PARTS[part]
    for name in names:
        collection = load(name)
        for number, (judge, grades) in enumerate(judges_of(collection).items()):
            results = stored()
            of_collection = results.setdefault(part, {}).setdefault(name, {})
            if of_collection.get(judge, {"draws": 0})["draws"] >= n_draws:
                continue
            cell = {"correlation": correlation(grades, collection["gains"][0]), "draws": n_draws}
            for m, measure in enumerate(measures):
                first = number == 0 and m == 0
                cell[measure] = simulated(collection, grades, m, n_draws, [seed, number, m], first)
            of_collection[judge] = cell
            store(results)
            print(name, judge, json.dumps(cell), file=sys.stderr, flush=True)


def ask_the_oracle(n_draws):
    """Simulate and store the gain of more knowledge where the method falls short."""
    found = {}
    for name, judges in FALLS_SHORT.items():
        collection = load(name)
        grades = known_judges(collection)
        found[name] = {
            judge: known_to_an_oracle(collection, grades[judge], n_draws // 4, 3)
            for judge in judges
        }
    store(stored() | {"oracle": found})


def try_few_topics(n_draws):
    """Simulate and store when pairs are decided on few topics, with the first of the judges."""
    found = {}
    for name in WITH_LLMS:
        collection = load(name)
        judge = known_judges(collection)[JUDGES[0]]
        found[name] = {
            str(n): sure_with_few_topics(collection, judge, n, n_draws, [4, n])
            for n in (*FEW, collection["n_topics"])
        }
    store(stored() | {"few": found})


def err_along(n_draws):
    """Simulate and store how many intervals hold if the judge errs along the comparison."""
    found = {}
    for name in WITH_LLMS:
        simulation = ErringAlong(load(name), 0, 5)
        simulation.draw(n_draws, ("drawn",))
        found[name] = {"draws": n_draws, "held": summary(simulation.table())["held"]}
    store(stored() | {"along": found})


def main(n_draws, parts):
    """Simulate the cells, store and draw them."""
    OUT.mkdir(exist_ok=True)
    for part in parts:
        if part in MORE:
            MORE[part](n_draws)
        else:
            run(part, n_draws)
    write(stored())


def write(results):
    """Write the files of the page from the results stored."""
    (OUT / "table.inc").write_text(table_of(results["known"], KNOWN), encoding="utf-8")
    (OUT / "unseen.inc").write_text(table_of(results["unseen"], UNSEEN), encoding="utf-8")
    (OUT / "oracle.inc").write_text(table_of_oracle(results["oracle"]), encoding="utf-8")
    (OUT / "few.inc").write_text(table_of_few(results["few"]), encoding="utf-8")
    (OUT / "along.inc").write_text(table_of_along(results["along"]), encoding="utf-8")
    draw(results["known"])


# Collections, judges, measures, and a seed.
PARTS = {
    "known": (KNOWN, known_judges, MEASURES, 1),
    "unseen": (UNSEEN, unseen_judges, MEASURES[:1], 2),
}
MORE = {"oracle": ask_the_oracle, "few": try_few_topics, "along": err_along}

if __name__ == "__main__":
    run_path(str(Path(__file__).parents[1] / "docs" / "own_source.py"))

    if "--stored" in sys.argv:
        write(stored())
    else:
        parts = [*PARTS, *MORE]
        wanted = [part for part in parts if part in sys.argv] or parts
        main(next((int(word) for word in sys.argv[1:] if word.isdigit()), 2000), wanted)
