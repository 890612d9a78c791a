"""Pictures of the study, in the style of the package: intervals, small multiples, names beside what they name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from irpref.show import look
from study.hypotheses import PRIMARY_LEVEL
from study.reading import Difference, Results, Tested

DPI = 200
CONDENSED = "#0072b2"  # measures that leave unjudged documents out
TAKING = "#d55e00"  # measures that take them as not relevant
PREFERENCES = "#009e73"
CONTROL = "0.45"
SHOWN = (
    *("AP", "nDCG", "nDCG@10", "Q", "RBP", "P+"),
    *("AP'", "nDCG'", "nDCG'@10", "Q'", "RBP'"),
    *("bpref", "bpref-10", "bpref N", "n-pref", "rpref absolute", "rpref relative", "rpref relative2"),
    *("rpref absolute infinity", "rpref relative infinity", "infAP", "recall", "retrieved"),
)
CURVES = ("AP", "nDCG'", "Q'", "bpref", "rpref absolute", "rpref relative")


def colour(measure: str) -> str:
    """By what a measure does with unjudged documents."""
    from study.measures import FACTS

    facts = FACTS[measure]
    if facts.family == "control":
        return CONTROL
    if facts.family == "preferences":
        return PREFERENCES
    return CONDENSED if facts.condensed else TAKING


def save(figure: Any, path: Path) -> None:
    """Write a picture with few colours, so that it is small."""
    from io import BytesIO

    from PIL import Image

    memory = BytesIO()
    figure.savefig(memory, dpi=DPI, metadata={"Software": None})
    look.load().close(figure)
    memory.seek(0)
    with Image.open(memory) as picture:
        picture.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


def panels(n: int, columns: int, size: tuple[float, float], **more: Any) -> tuple[Any, list[Any]]:
    """A figure of n axes."""
    pyplot = look.load()
    rows = -(-n // columns)
    figure, axes = pyplot.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False, **more)
    every = list(axes.flat)
    for ax in every[n:]:
        ax.set_axis_off()
    for ax in every[:n]:
        ax.grid(True, axis="x", color="0.9", linewidth=0.6)
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(labelsize=8)
    return figure, every[:n]


@look.styled
def levels(results: Results, loss: str, path: Path) -> None:
    """Tau with the full ranking by how much is left, of a few measures; the band is one sd of the samples."""
    order = sorted(results.outcomes.loc[results.outcomes["loss"] == loss, "level"].unique(), reverse=True)
    x = np.arange(len(order))
    figure, every = panels(len(results.names), 3, (8.4, 5.6), sharey=True)
    look.introduce(CURVES, "measure")
    for k, (ax, name) in enumerate(zip(every, results.names, strict=True)):
        lines = []
        for measure in CURVES:
            means = [results.mean(name, 100, loss, level, measure, "tau") for level in order]
            rows = results.outcomes
            rows = rows[
                (rows["collection"] == name)
                & (rows["depth"] == 100)
                & (rows["loss"] == loss)
                & (rows["measure"] == measure)
                & (rows["outcome"] == "tau")
            ].set_index("level")["sd"]
            spread = rows.reindex(order).to_numpy()
            style = {**look.style(measure, kind="measure"), "markersize": 3.5, "linewidth": 1.2}
            lines += ax.plot(x, means, **style)
            ax.fill_between(x, means - spread, means + spread, color=style["color"], alpha=0.08, linewidth=0)
        ax.set_title(results.title(name), fontsize=9)
        ax.set_xticks(x, [f"{level} %" for level in order])
        if k % 3 == 0:
            ax.set_ylabel("tau with the full ranking", fontsize=8)
        ax.grid(True, color="0.9", linewidth=0.6)
        ax.set_xlim(-0.15, len(order) - 0.85)
    figure.get_layout_engine().set(w_pad=0.05)
    handles, labels = every[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=6, frameon=False, fontsize=8)
    save(figure, path)


@look.styled
def ranked(results: Results, loss: str, outcomes: Sequence[str], words: str, path: Path, zero: bool = False) -> None:
    """Every measure in every setting at depth 100: the first outcome with its interval, the second as a small ring."""
    from matplotlib.lines import Line2D

    level = PRIMARY_LEVEL[loss]
    shown = [
        m for m in SHOWN if any(np.isfinite(results.mean(c, 100, loss, level, m, outcomes[0])) for c in results.names)
    ]
    names = [c for c in results.names if np.isfinite(results.mean(c, 100, loss, level, shown[0], outcomes[0]))]
    size = (8.4, 6.8 if len(names) > 3 else 3.9)
    figure, every = panels(len(names), 3, size, sharex=not zero, sharey=True)
    y = -np.arange(len(shown))
    for ax, name in zip(every, names, strict=True):
        if zero:
            ax.axvline(0, color="0.5", linewidth=0.8)
        for at, measure in zip(y, shown, strict=True):
            found = results.interval(name, 100, loss, level, outcomes[0], measure)
            mean = results.mean(name, 100, loss, level, measure, outcomes[0])
            if found is not None:
                ax.plot([found.low, found.high], [at, at], color=colour(measure), linewidth=1.4, alpha=0.6)
            ax.plot([mean], [at], "o", color=colour(measure), markersize=3.6)
            if len(outcomes) > 1:
                other = results.mean(name, 100, loss, level, measure, outcomes[1])
                ax.plot([other], [at], "o", mfc="white", mec=colour(measure), markersize=3.6, mew=0.8)
        ax.set_title(results.title(name), fontsize=9)
        ax.set_yticks(y, shown, fontsize=7)
        ax.set_ylim(y[-1] - 0.7, 0.7)
        if zero:
            ax.set_xlabel(words, fontsize=8)
        else:
            ax.set_xlim(-0.42, 1.02)
    kinds = {
        "unjudged is not relevant": TAKING,
        "condensed list": CONDENSED,
        "preferences": PREFERENCES,
        "control": CONTROL,
    }
    dot: dict[str, Any] = {"marker": "o", "markersize": 3.6}
    handles = [Line2D([], [], color=c, linewidth=1.4, label=kind, **dot) for kind, c in kinds.items()]
    if len(outcomes) > 1:
        handles.append(Line2D([], [], label=f"{outcomes[0]}, 95 % interval", color="0.2", linewidth=1.4, **dot))
        handles.append(Line2D([], [], label=outcomes[1], mfc="white", mec="0.2", linestyle="", **dot))
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    save(figure, path)


Forest = Sequence[tuple[str, Sequence[tuple[str, Difference | None]]]]


def _forest(ax: Any, rows: Forest, collections: Sequence[str], title: Callable[[str], str]) -> None:
    """Differences with intervals: a band of lines a row, one line a collection."""
    step = 0.8 / max(len(collections), 1)
    look.introduce(collections, "collection")
    for k, (_, found) in enumerate(rows):
        if k % 2:
            ax.axhspan(-k - 0.5, -k + 0.5, color="0.96", linewidth=0)
        for name, one in found:
            if one is None:
                continue
            style = look.style(name, kind="collection")
            at = -k + 0.4 - step * (list(collections).index(name) + 0.5)
            ax.plot([one.low, one.high], [at, at], color=style["color"], linewidth=1.1)
            ax.plot([one.estimate], [at], marker=style["marker"], color=style["color"], markersize=3, linestyle="")
    ax.set_yticks([-k for k in range(len(rows))], [name for name, _ in rows], fontsize=8)
    ax.set_ylim(-len(rows) + 0.5, 0.5)
    ax.axvline(0, color="0.4", linewidth=0.8)


def _key(figure: Any, results: Results, names: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=s["color"], marker=s["marker"], markersize=3, linewidth=1.1, label=results.title(name))
        for name in names
        for s in [look.style(name, kind="collection")]
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False, fontsize=8)


@look.styled
def hypothesis(results: Results, tested: Tested, words: str, path: Path) -> None:
    """The claims of a hypothesis in every setting; the region that a claim allows is shaded."""
    names = results.names
    rows = []
    for part in tested.parts:
        a, b = part.claim.a, part.claim.b
        what = {"tau_deeper": "lead at depth", "tau_recall": "tau with recall"}.get(part.claim.outcome, "")
        label = f"{a} − {b}" if b else a
        rows.append((f"{label}\n({what})" if what else label, [(row.collection, row.found) for row in part.rows]))
    height = max(1.6, 0.5 + len(rows) * (0.34 if len(rows) > 3 else 0.6)) + 0.6
    figure, (ax,) = panels(1, 1, (7.2, height))
    _forest(ax, rows, names, results.title)
    low, high = ax.get_xlim()
    for k, part in enumerate(tested.parts):
        left, right = max(part.claim.low, low), min(part.claim.high, high)
        if left < right:
            ax.fill_between([left, right], -k - 0.5, -k + 0.5, color="#009e73", alpha=0.10, linewidth=0)
    ax.set_xlim(low, high)
    ax.set_xlabel(words, fontsize=9)
    _key(figure, results, names)
    save(figure, path)


@look.styled
def ablation(
    results: Results, pairs: Sequence[tuple[str, str]], losses: Sequence[str], outcome: str, path: Path
) -> None:
    """One ingredient at a time, under every loss, in every setting at depth 100."""
    pairs = [
        (a, b)
        for a, b in pairs
        if any(results.difference(c, 100, loss, outcome, a, b) for c in results.names for loss in losses)
    ]
    figure, every = panels(len(losses), len(losses), (9.0, 0.42 * len(pairs) + 1.4), sharey=True)
    for ax, loss in zip(every, losses, strict=True):
        rows = [
            (f"{a} − {b}", [(c, results.difference(c, 100, loss, outcome, a, b)) for c in results.names])
            for a, b in pairs
        ]
        _forest(ax, rows, results.names, results.title)
        ax.set_title(loss, fontsize=9)
        ax.set_xlabel(f"difference of {outcome}", fontsize=8)
    _key(figure, results, results.names)
    save(figure, path)
