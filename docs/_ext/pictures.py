"""A picture of a worked example: the ranking as boxes shaded by grade, the amount that each
document adds, and the ideal list."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

INK, PALE = "#1b2a41", "#dfe7ef"


def draw(
    path: Path,
    title: str,
    ranking: Sequence[Any],
    ideal: Sequence[Any],
    added: Sequence[float] | None,
) -> str:
    """Write the picture; return a description in words.

    Parameters
    ----------
    ranking, ideal : (document, grade) from rank 1 on; the grade is None without a judgment
    added : the amount that each document of the ranking adds to the value; None where the value is no sum
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.colors import to_rgb
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    n = max(len(ranking), len(ideal), 1)
    bars = added is not None and any(added)
    figure = Figure(figsize=(max(4.2, 0.62 * n + 1.3), 3.1 if bars else 2.2), dpi=130)
    FigureCanvasAgg(figure)
    ax = figure.add_axes((0.01, 0.01, 0.98, 0.9))
    top = max([float(grade) for _, grade in [*ranking, *ideal] if grade is not None] + [1.0])

    def row(documents: Sequence[Any], y: float, name: str) -> None:
        ax.text(-0.15, y + 0.4, name, ha="right", va="center", fontsize=8, color=INK)
        for place, (document, grade) in enumerate(documents):
            share = 0.0 if grade is None else max(float(grade), 0.0) / top
            fill = [
                (1 - share) * light + share * dark
                for light, dark in zip(to_rgb(PALE), to_rgb("#1f5f8b"), strict=True)
            ]
            ax.add_patch(
                Rectangle(
                    (place, y), 0.92, 0.8,
                    facecolor="white" if grade is None else fill,
                    edgecolor=INK, linewidth=0.7, linestyle=":" if grade is None else "-",
                )
            )  # fmt: skip
            colour = "white" if share > 0.55 else INK
            ax.text(
                place + 0.46,
                y + 0.52,
                str(document),
                ha="center",
                va="center",
                fontsize=7.5,
                color=colour,
            )
            if grade is not None:
                ax.text(
                    place + 0.46,
                    y + 0.2,
                    f"{grade:g}",
                    ha="center",
                    va="center",
                    fontsize=7,
                    color=colour,
                )

    for place in range(len(ranking)):
        ax.text(place + 0.46, 2.02, str(place + 1), ha="center", va="bottom", fontsize=7, color=INK)
    ax.text(-0.15, 2.02, "rank", ha="right", va="bottom", fontsize=7, color=INK)
    row(ranking, 1.1, "ranking")
    if ideal:
        row(ideal, 0.1, "best order")
    low = 0.0
    if bars and added is not None:
        largest = max(abs(share) for share in added)
        base = -0.75 if min(added) < 0 else -1.1
        for place, share in enumerate(added):
            height = 0.75 * share / largest * (0.5 if min(added) < 0 else 1)
            ax.add_patch(Rectangle((place + 0.16, base), 0.6, height, facecolor="#d9822b"))
            label = f"{share:.3g}" if share else "0"
            ax.text(
                place + 0.46,
                base + max(height, 0) + 0.03,
                label,
                ha="center",
                va="bottom",
                fontsize=7,
                color=INK,
            )
        ax.plot([0, len(added)], [base, base], color=INK, linewidth=0.6)
        ax.text(-0.15, base + 0.2, "adds", ha="right", va="center", fontsize=8, color=INK)
        low = base - 0.5
    ax.set_xlim(-1.5, n + 0.1)
    ax.set_ylim(low, 2.35)
    ax.axis("off")
    figure.suptitle(title, fontsize=9, color=INK, y=0.985)
    figure.savefig(path, metadata={"Software": None})
    words = ", ".join(
        f"{document} ({'unjudged' if grade is None else f'grade {grade:g}'})"
        for document, grade in ranking
    )
    return f"The ranking from rank 1: {words}."
