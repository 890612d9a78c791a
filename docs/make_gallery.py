"""Makes docs/gallery.md and docs/gallery/*.png from the data that comes with the package.

    python docs/make_gallery.py [FOLDER]

The code printed beside each picture is the code that draws it.
"""

from __future__ import annotations

import sys
import warnings
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from irpref_lab.plots import drawing

DOCS = Path(__file__).resolve().parent
DPI = 200


class Picture(NamedTuple):
    """A picture: file name, heading, its subject, the code that leaves it in `ax`, and a
    description for people who do not see it.
    """

    name: str
    heading: str
    text: str
    code: str
    alt: str


SETUP = """\
import irpref
import irpref_lab
from irpref_lab import meta, plots
from irpref.datasets import load

poster, recovery = load("rpref-figure-1"), load("crp-recovery")
made_up, cast = load("synthetic"), load("cast2021")
three = {name: made_up.runs[name] for name in ("strong", "baseline", "noisy")}
measures = ["AP", "nDCG@10", "P@5", "RR", "Bpref", "QMeasure", "RPref(norm='relative2')"]
"""

PICTURES = (
    Picture(
        "crp-sketch",
        "Cumulated Relative Position of one topic",
        "Figure 1 of the paper (Angelini et al. 2013). Documents above their place in the ideal"
        " list pull the curve down, documents below it pull it up. *min* is the turn-around "
        "point, *R* the number of relevant documents, *b* the balance point: `CRPRecovery` is "
        "R/b = 5/12, `nCRP` is 10/15.",
        'ax = plots.crp_sketch(recovery.qrels, recovery.runs["run"], query_id="plateau")',
        "A stepped curve falls from 0 to -10 at rank 5 and rises to 0 at rank 12. The dotted line "
        "of a run "
        "with nothing relevant falls to -15 at rank 5 and stays. Vertical lines mark ranks 5 "
        "(minimum and R) and 12 "
        "(balance point).",
    ),
    Picture(
        "crp-systems",
        "Cumulated Relative Position of several systems",
        "The median over topics, with a band from the first to the third quartile. A curve "
        "above 0 is not good: it shows how late the missing relevant documents come.",
        "ax = plots.crp(made_up.qrels, three)",
        "Three curves with bands by rank, below the ideal at first. The lower the curve, the more "
        "relevant "
        "documents are missing above.",
    ),
    Picture(
        "npref",
        "From bpref to rpref",
        "Figure 1 of De Beer & Moens 2006: with two partitions n-pref is a form of bpref; with "
        "more it approaches rpref.",
        "ax = plots.npref_convergence(\n"
        '    poster.qrels, poster.runs, measure=irpref.RPref(norm="relative", max_rel=1)\n'
        ")",
        "Three curves over 2, 4, 8 to 64 partitions, each ending in a short line at the right, "
        "its rpref: 0.85 "
        "for T1, 0.67 for T2, 0.07 for T3.",
    ),
    Picture(
        "precision-recall",
        "Precision and recall",
        "Interpolated precision at 11 recall levels.",
        "ax = plots.precision_recall(made_up.qrels, made_up.runs)",
        "A falling curve for each of five runs, precision against recall from 0 to 1.",
    ),
    Picture(
        "dcg",
        "Discounted cumulated gain",
        "The ideal list contains all judged documents (Järvelin & Kekäläinen 2002).",
        "ax = plots.cumulated_gain(made_up.qrels, made_up.runs, depth=20)",
        "Rising curves of five runs by rank, all below the dotted curve of the ideal list.",
    ),
    Picture(
        "histogram",
        "Precision histogram",
        "Which topics does a system win? `irpref compare -q` prints the same as text, with an "
        "interval and a test.",
        'ax = plots.precision_histogram(made_up.qrels, three, "baseline", run="noisy")',
        "Bars of the difference in R-precision for each of 30 topics, sorted: filled bars above "
        "the line where "
        "noisy is higher, hatched bars below it where baseline is higher.",
    ),
    Picture(
        "strip",
        "Values by topic",
        "Means hide how much topics differ.",
        "ax = plots.topic_strip(cast.qrels, cast.runs, \"RPref(norm='relative2')\")",
        "A row of 158 dots for each of five runs, the best on top, with a black bar at the mean.",
    ),
    Picture(
        "leaderboard",
        "A leaderboard with intervals and ranges of places",
        "Means with their intervals over topics; on the right, the range of places consistent "
        "with the tests of all pairs. In a shell: `irpref leaderboard ... -f board.png`.",
        'ax = plots.leaderboard(irpref_lab.leaderboard(["nDCG@10"], cast.qrels, cast.runs))',
        "Five runs, the best on top, each a dot at its mean nDCG@10 on a line for its interval. "
        "The first two have "
        "places 1 to 2.",
    ),
    Picture(
        "collections",
        "A leaderboard over several collections",
        "The mean of the collections' means, with its interval over topics: see "
        "[Many collections](many-collections.md). Here one collection is cut into three.",
        "topics = sorted(made_up.qrels)\n"
        'cut = {"first": topics[:6], "second": topics[6:16], "third": topics[16:]}\n'
        "three_parts = irpref_lab.collections({\n"
        "    name: ({t: made_up.qrels[t] for t in part}, made_up.runs) for name, part in cut.items()\n"
        "})\n"
        'ax = plots.leaderboard(irpref_lab.leaderboard("nDCG@10", three_parts))',
        "Five runs, the best on top, each a dot at its mean over three collections on a line for its "
        "interval, with its range of places on the right. The last one lacks a topic of one collection, "
        "so that nothing is claimed about it: its places are 1 to 5.",
    ),
    Picture(
        "scatter",
        "Two measures over the same systems",
        "Better is right and up, even for a measure whose lower values are better.",
        'ax = plots.measure_scatter(made_up.qrels, made_up.runs, ["AP", "RPref(norm=\'relative2\')"])',
        "Five marks, mean AP against mean rpref, a legend below, and Kendall's tau in the title.",
    ),
    Picture(
        "incompleteness",
        "Fewer and fewer judgments",
        "Does a measure still rank the systems the same way when most judgments are gone? Lines"
        " are means over the samples, bands their range. In a shell: `irpref meta robustness`.",
        "found = meta.incompleteness(\n"
        "    measures[:3], made_up.qrels, made_up.runs, levels=(70, 50, 30, 20, 10, 5), "
        "n_samples=5, rng=0\n"
        ")\n"
        "ax = plots.incompleteness(found)",
        "Kendall's tau of three measures, each a line in a band, from 100 to 5 per cent of the "
        "judgments.",
    ),
    Picture(
        "stability",
        "Stability",
        "Minority rate against ties (Buckley & Voorhees 2000). Stable measures are at the lower"
        " left.",
        "values = list(meta.topic_values(measures, made_up.qrels, made_up.runs).values())\n"
        "ax = plots.stability([meta.stability(one, n_samples=200, rng=0) for one in values])",
        "The curves of seven measures: the more ties, the lower the minority rate.",
    ),
    Picture(
        "swap",
        "Swap rate",
        "How often a difference reverses on other topics (Voorhees & Buckley 2002).",
        "ax = plots.swap([meta.swap(one, n_samples=200, rng=0) for one in values[:3]])",
        "Falling curves of three measures: the larger the difference, the rarer a swap; a dotted "
        "line at 5 per cent.",
    ),
    Picture(
        "significance",
        "Which pairs are told apart",
        "Discriminative power (Sakai 2006). Systems are sorted from best to worst; pairs that "
        "the measure tells apart are dark.",
        "ax = plots.significance(meta.discriminative_power(values[0], n_samples=500, rng=0))",
        "A square of five by five cells in three shades: not told apart, below 0.05, below 0.01.",
    ),
)

HEAD = """\
# Gallery

Draw any of these pictures with one call of `irpref_lab.plots`, from qrels and runs or from a table of `irpref.curves`; in
a shell, use `irpref plot`. Pictures of values by topic also take the result of `pt.Experiment(..., perquery=True)`.
Each call returns matplotlib Axes; pass `ax=` to draw on your own. If there are more than eight runs, only the best
five are in colour, or those that you name with `highlight=`. Run this first:

```python
{setup}```
"""

ENTRY = """
## {heading}

![{alt}](gallery/{name}.png)

{text}

```python
{code}
```
"""


def page() -> str:
    """Write the page in Markdown."""
    return HEAD.format(setup=SETUP) + "".join(
        ENTRY.format(**picture._asdict()) for picture in PICTURES
    )


def save(figure: Any, path: Path, alt: str) -> None:
    """Write a picture with few colours: a third of the bytes, and no difference to see."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    held = BytesIO()
    figure.savefig(held, dpi=DPI)
    words = PngInfo()
    words.add_itxt("Description", alt)
    Image.open(held).convert("RGB").quantize(128).save(path, optimize=True, pnginfo=words)


def draw(folder: Path) -> dict[str, object]:
    """Draw every picture into the folder; the Axes by name."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    drawn = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawing.forget()  # the same colours, whatever was drawn before
        names: dict[str, object] = {}
        exec(SETUP, names)
        for picture in PICTURES:
            exec(picture.code, names)
            ax = names["ax"]
            save(ax.figure, folder / f"{picture.name}.png", picture.alt)
            drawn[picture.name] = ax
            pyplot.close(ax.figure)
    return drawn


def main(docs: Path = DOCS) -> None:
    """Write the page and its pictures."""
    draw(docs / "gallery")
    (docs / "gallery.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    import own_source  # noqa: F401  # first

    main(*map(Path, sys.argv[1:]))
