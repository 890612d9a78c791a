"""The figure: tau of every measure less that of bpref, a dot for each collection, the margin as a
grey band.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from irpref.data.replace import replaced
from study.claims import OWN, PREDICTION
from study.results import Results

PANELS = (
    ("own ranking, a tenth of the judgments left", "random 10", "own", OWN),
    ("prediction of other topics, a tenth left", "random 10", "prediction", PREDICTION),
    ("own ranking, pools of depth 10", "pools 10", "own", OWN),
)
ROWS = (
    *("AP", "Q", "nDCG", "nDCG@10", "RBP", "AP'", "Q'", "nDCG'", "nDCG'@10", "RBP'"),
    *(
        "rpref absolute",
        "rpref relative",
        "rpref relative2",
        "rpref absolute infinity",
        "rpref relative infinity",
    ),
)
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7f7f7f")
MARKERS = "osD^vP*X"
LOW, HIGH = -0.32, 0.2


def draw(results: Results, path: Path) -> None:
    """Write the figure as SVG, the same bytes for the same numbers."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context(
        {
            "svg.hashsalt": "irpref",
            "svg.fonttype": "none",
            "font.size": 8,
            "font.family": "sans-serif",
        }
    ):
        figure = Figure(figsize=(9.2, 4.8), layout="constrained")
        FigureCanvasSVG(figure)
        every = figure.subplots(1, 3, sharey=True)
        for ax, (title, loss, outcome, margin) in zip(every, PANELS, strict=True):
            _panel(ax, results, loss, outcome, margin)
            ax.set_title(title, fontsize=7.5)
        every[0].set_yticks([-i for i in range(len(ROWS))], ROWS)
        every[1].set_xlabel("Kendall's tau less that of bpref")
        handles = [
            every[0].plot(
                [], [], MARKERS[i % 8], color=COLOURS[i % 8], ms=4, label=results.title(name)
            )[0]
            for i, name in enumerate(results.names)
        ]
        handles.append(every[0].plot([], [], "|", color="k", ms=9, label="mean")[0])
        figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False)
        with replaced(path) as beside:
            figure.savefig(beside, format="svg", metadata={"Date": None, "Creator": None})


def _panel(ax: Any, results: Results, loss: str, outcome: str, margin: float) -> None:
    ax.axvspan(-margin, margin, color="0.88", linewidth=0)
    ax.axvline(0, color="0.4", linewidth=0.8)
    for i, measure in enumerate(ROWS):
        for k, name in enumerate(results.names):
            x = results.row(name, loss, outcome, measure)[2]
            if np.isfinite(x):
                # What lies outside stands at the edge, as an arrow.
                marker = "<" if x < LOW else ">" if x > HIGH else MARKERS[k % 8]
                ax.plot(
                    min(max(x, LOW), HIGH),
                    -i,
                    marker,
                    color=COLOURS[k % 8],
                    ms=4,
                    alpha=0.85,
                    clip_on=False,
                )
        mean = results.mean(loss, outcome, measure, less=True)
        if LOW < mean < HIGH:
            ax.plot(mean, -i, "|", color="k", ms=9)
    ax.set_xlim(LOW, HIGH)
    for at in (-4.5, -9.5):
        ax.axhline(at, color="0.8", linewidth=0.6)
    ax.spines[["top", "right"]].set_visible(False)
