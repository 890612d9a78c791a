"""Draws every picture on data that are hard to draw, on one sheet to look at.

    python docs/make_contact_sheet.py SHEET.png [DATA]

DATA is a folder of real collections (default: `$IRPREF_DATA`); without it the synthetic collection
stands for them. Seven rows of data (real runs, long names, one topic, 200 topics, 40 runs, grades
below 0, depths that differ) by the pictures of `irpref_lab.plots`; the results of `irpref_lab.meta`
have a row of their own."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import irpref
import irpref_lab
from irpref.datasets import load
from irpref_lab import plots
from irpref_lab.meta import (
    discriminative_power,
    incompleteness,
    stability,
    swap,
    topic_values,
)
from irpref_lab.plots import drawing

WIDTH = 620  # pixels of a picture on the sheet
Data = tuple[dict[str, dict[str, float]], dict[str, dict[str, dict[str, float]]]]


def made_up(
    n_topics: int, n_runs: int, *, negative: bool = False, names: str = "run{}", seed: int = 7
) -> Data:
    """Make up judgments and runs of which the first are better."""
    rng = np.random.default_rng(seed)
    qrels, runs = {}, {names.format(r): {} for r in range(n_runs)}
    for t in range(n_topics):
        grades = rng.choice([0, 1, 2, 3], 60, p=[0.6, 0.2, 0.15, 0.05])
        grades[0] = 1
        if negative:
            grades[rng.random(60) < 0.25] = -2
        qrels[f"q{t}"] = {f"d{i}": int(grade) for i, grade in enumerate(grades)}
        for r, run in enumerate(runs.values()):
            scores = grades * (1 - 0.9 * r / n_runs) + rng.normal(0, 1.5, 60)
            if negative and r == n_runs - 1:
                scores = -grades.astype(float)
            run[f"q{t}"] = {f"d{i}": float(score) for i, score in enumerate(scores)}
    return qrels, runs


def depths(data: Data) -> Data:
    """Cut the runs to 5, 15, 25, ... documents."""
    qrels, runs = data
    cut = {}
    for r, (name, run) in enumerate(runs.items()):
        of = {
            t: sorted(docs.items(), key=lambda doc: -doc[1])[: 5 + 10 * r]
            for t, docs in run.items()
        }
        cut[name] = {t: dict(docs) for t, docs in of.items()}
    return qrels, cut


def real(folder: str | None) -> Data:
    """Read four runs of TREC Deep Learning 2019, or the data that come with the package."""
    if folder is None or not (Path(folder) / "dl19-passage").exists():
        data = load("synthetic")
        return data.qrels, data.runs
    home = Path(folder) / "dl19-passage"
    files = sorted((home / "runs").iterdir())
    chosen = {
        file.name.removesuffix(".gz"): irpref.read_run(file)
        for file in files[:: max(1, len(files) // 5)][:5]
    }
    return irpref.read_qrels(next(iter(sorted((home / "qrels").iterdir())))), chosen


def rows(folder: str | None) -> Iterator[tuple[str, Data]]:
    """Yield the data: a description, judgments and runs."""
    yield "real", real(folder)
    yield (
        "long names",
        made_up(
            12, 5, names="input.trec-covid-round3-submission-{}-neural$reranker_fusion-final.v2"
        ),
    )
    yield "one topic", made_up(1, 3)
    yield "200 topics", made_up(200, 4)
    yield "40 runs", made_up(15, 40, names="organisation-{}-bm25-rerank")
    yield "grades below 0", made_up(15, 3, negative=True)
    yield "depths", depths(made_up(15, 3))


def pictures(data: Data) -> dict[str, Callable[[], Any]]:
    """Name the pictures of data, each with the call that draws it."""
    qrels, runs = data
    names = list(runs)
    first = next(iter(irpref.curves.summary_table(qrels, runs, per_topic=True)["query_id"]))
    three = {name: runs[name] for name in names[:3]}
    top = RPREF
    return {
        "sketch": lambda: plots.crp_sketch(qrels, runs, run=names[-1], query_id=first),
        "crp": lambda: plots.crp(qrels, runs),
        "crp ranks": lambda: plots.crp(qrels, three, normalized=False),
        "npref": lambda: plots.npref_convergence(qrels, three, measure=top),
        "pr": lambda: plots.precision_recall(qrels, runs),
        "dcg": lambda: plots.cumulated_gain(qrels, runs),
        "histogram": lambda: plots.precision_histogram(qrels, runs, names[-1], run=names[0]),
        "strip": lambda: plots.topic_strip(qrels, runs, "AP"),
        "scatter": lambda: plots.measure_scatter(qrels, runs, ["AP", top]),
        # A leaderboard needs two topics.
        **(
            {"leaderboard": lambda: plots.leaderboard(irpref_lab.leaderboard(["AP"], qrels, runs))}
            if len(qrels) > 1
            else {}
        ),
    }


RPREF = "RPref(max_rel=3)"
MEASURES = (
    "AP",
    "nDCG",
    "nDCG@10",
    "P@5",
    "P@10",
    "RR",
    "Rprec",
    "Bpref",
    "QMeasure",
    "R@20",
    RPREF,
    "AP@20",
    "RR@10",
)


def of_meta(data: Data) -> dict[str, Callable[[], Any]]:
    """Name the pictures of meta-evaluation, with few and with many measures."""
    qrels, runs = data
    values = list(topic_values(MEASURES, qrels, runs).values())
    found = incompleteness(MEASURES, qrels, runs, levels=(50, 20, 5), n_samples=3, rng=0)
    few = incompleteness(MEASURES[:3], qrels, runs, levels=(50, 20, 5), n_samples=3, rng=0)
    stable = [stability(one, n_samples=30, rng=0) for one in values]
    swaps = [swap(one, n_samples=30, rng=0) for one in values]
    return {
        "stability": lambda: plots.stability(stable),
        "stability, few": lambda: plots.stability(stable[:3]),
        "swap": lambda: plots.swap(swaps),
        "swap, few": lambda: plots.swap(swaps[:3]),
        "incompleteness": lambda: plots.incompleteness(found),
        "incompleteness, few": lambda: plots.incompleteness(few),
        "means": lambda: plots.incompleteness(found, value="mean"),
        "significance": lambda: plots.significance(
            discriminative_power(values[0], n_samples=100, rng=0)
        ),
    }


def image(draw: Callable[[], Any]) -> Any:
    """Return the picture as Pillow has it."""
    from matplotlib import pyplot
    from PIL import Image

    ax = draw()
    held = io.BytesIO()
    ax.figure.savefig(held, dpi=130)
    pyplot.close(ax.figure)
    found = Image.open(held).convert("RGB")
    return found.resize((WIDTH, round(found.height * WIDTH / found.width)))


def strip(sheet: str, what: str, draw: dict[str, Callable[[], Any]]) -> Any:
    """Draw a row of the sheet, also written to a file of its own."""
    from PIL import Image, ImageDraw

    found = [(name, image(one)) for name, one in draw.items()]
    row = Image.new(
        "RGB", (WIDTH * len(found), 24 + max(picture.height for _, picture in found)), "white"
    )
    pen = ImageDraw.Draw(row)
    for place, (name, picture) in enumerate(found):
        pen.text((WIDTH * place + 8, 6), f"{what}: {name}", fill="black")
        row.paste(picture, (WIDTH * place, 24))
    row.save(Path(sheet).with_name(f"{Path(sheet).stem}-{what.replace(' ', '-')}.png"))
    return row


def main(sheet: str, folder: str | None = os.environ.get("IRPREF_DATA")) -> None:
    """Draw the sheet, and each row beside it."""
    import matplotlib

    matplotlib.use("Agg")
    from PIL import Image

    strips = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irpref.IrprefWarning)
        for what, data in rows(folder):
            drawing.forget()
            strips.append(strip(sheet, what, pictures(data)))
        long = made_up(12, 12, names="input.trec-covid-round3-{}-neural-reranker_fusion-final.v2")
        strips.append(strip(sheet, "meta", of_meta(long)))
    whole = Image.new(
        "RGB", (max(one.width for one in strips), sum(one.height for one in strips)), "white"
    )
    down = 0
    for one in strips:
        whole.paste(one, (0, down))
        down += one.height
    whole.save(sheet, optimize=True)


if __name__ == "__main__":
    import own_source  # noqa: F401  # first

    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
