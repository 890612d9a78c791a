"""Makes docs/gallery.md and docs/gallery/*.png from the data that comes with the package.

    python docs/make_gallery.py [FOLDER]

The code printed beside each picture is the code that draws it.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).resolve().parent


class Picture(NamedTuple):
    """A picture: file name, heading, what it shows, and the code that leaves it in `ax`."""

    name: str
    heading: str
    text: str
    code: str


SETUP = """\
import irpref
from irpref import plots
from irpref.datasets import load

poster, recovery, book = load("rpref-figure-1"), load("crp-recovery"), load("mir-textbook")
made_up = load("synthetic")
three = {name: made_up.runs[name] for name in ("strong", "baseline", "noisy")}
"""

PICTURES = (
    Picture(
        "crp-sketch",
        "Cumulated Relative Position of one topic",
        "The sketch of the paper (Angelini et al. 2013, figure 1) from a worked example with five relevant documents. "
        "Documents above their place in the ideal list pull the curve down, documents below it pull it up. *min* is "
        "the turn-around point, *R* the number of relevant documents, where the loss is read, and *b* the balance "
        "point: `CRPRecovery` is R/b = 5/12, `nCRP` is 10/15.",
        'ax = plots.crp_sketch(recovery.qrels, recovery.runs["run"], query_id="plateau")',
    ),
    Picture(
        "crp-sketch-system",
        "The same of a system",
        "Topic 4 of the synthetic collection. It has documents judged worse than non-relevant (grade -1); where the "
        "run returns them, far above their place at the very end, the curve falls again.",
        'ax = plots.crp_sketch(made_up.qrels, three, run="baseline", query_id="4")',
    ),
    Picture(
        "crp-systems",
        "Cumulated Relative Position of several systems",
        "Mean over the topics and the band from the first to the third quartile. Curves are divided by R(R + 1)/2, so "
        "that topics with many relevant documents do not prevail. A curve above 0 is no merit: it says how late "
        "the relevant documents come that were missing above.",
        "ax = plots.crp(made_up.qrels, three, depth=60)",
    ),
    Picture(
        "npref",
        "From bpref to rpref",
        "The demonstration of the poster (De Beer & Moens 2006, figure 1): with two partitions n-pref is a bpref, with "
        "more it approaches rpref. The pairs it finds misplaced can only become more, the value may go either way.",
        "ax = plots.npref_convergence(\n"
        '    poster.qrels, poster.runs, measure=irpref.RPref(norm="relative", max_rel=1)\n'
        ")",
    ),
    Picture(
        "precision-recall",
        "Precision and recall",
        "Interpolated at the 11 levels of recall, which are compared in whole numbers.",
        "ax = plots.precision_recall(made_up.qrels, made_up.runs)",
    ),
    Picture(
        "dcg",
        "Discounted cumulated gain",
        "With the ideal list of all judged documents (Järvelin & Kekäläinen 2002).",
        "ax = plots.cumulated_gain(made_up.qrels, made_up.runs, depth=20)",
    ),
    Picture(
        "cg-book",
        "Cumulated gain of the book's example",
        "Baeza-Yates & Ribeiro-Neto compute their ideal from the retrieved documents only, so a run that ends with its "
        "last relevant document reaches it.",
        'ax = plots.cumulated_gain(book.qrels, book.runs, quantity="cg", ideal="retrieved")',
    ),
    Picture(
        "ndcg",
        "NDCG as a ratio of means",
        "With other gains: 7 for grade 3 and 3 for grade 2.",
        'ax = plots.cumulated_gain(made_up.qrels, three, quantity="ndcg", depth=20, gains={2: 3, 3: 7})',
    ),
    Picture(
        "histogram",
        "Precision histogram",
        "Which topics does a system win? `irpref compare` prints the same as text, with paired tests.",
        'ax = plots.precision_histogram(made_up.qrels, three, "baseline", run="noisy")',
    ),
    Picture(
        "strip",
        "Values by topic",
        "Means hide how much topics differ.",
        'ax = plots.topic_strip(made_up.qrels, made_up.runs, "QMeasure")',
    ),
    Picture(
        "scatter",
        "Two measures over the same systems",
        "Better is to the right and up, whichever way a measure points.",
        'ax = plots.measure_scatter(made_up.qrels, made_up.runs, ["AP", "nCRP"])',
    ),
)

HEAD = """\
# Gallery

Every picture is one call of `irpref.plots`, with the table of `irpref.curves` or with qrels and runs. It returns
matplotlib's Axes, and draws on yours with `ax=`. On the command line: `irpref plot`. The data come with the package:
worked examples of the papers, and a synthetic collection in which nothing is real. This page is made by
`docs/make_gallery.py`, which runs the code shown, after

```python
{setup}```
"""

ENTRY = """
## {heading}

![{heading}](gallery/{name}.png)

{text}

```python
{code}
```
"""


def page() -> str:
    """The page in Markdown."""
    return HEAD.format(setup=SETUP) + "".join(ENTRY.format(**picture._asdict()) for picture in PICTURES)


def draw(folder: Path) -> dict[str, object]:
    """Draw every picture into the folder; the Axes by name."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    drawn = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        names: dict[str, object] = {}
        exec(SETUP, names)
        for picture in PICTURES:
            exec(picture.code, names)
            ax = names["ax"]
            # Without the version of matplotlib the same picture is the same file.
            ax.figure.savefig(folder / f"{picture.name}.png", dpi=150, metadata={"Software": None})
            drawn[picture.name] = ax
            pyplot.close(ax.figure)
    return drawn


def main(docs: Path = DOCS) -> None:
    """Write the page and its pictures."""
    draw(docs / "gallery")
    (docs / "gallery.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
