"""Draw curves and values as png, pdf or svg. Needs matplotlib (pip install matplotlib).

irpref plot PICTURE QRELS RUN... [MEASURE...] -f FILE
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from io import BytesIO
from pathlib import Path

from irpref.cli import shared as frame
from irpref.cli.curve import given_options
from irpref.cli.shared import UsageError
from irpref.data.replace import replaced

FORMATS = ("png", "pdf", "svg")


def run(args: argparse.Namespace) -> None:
    """Write the picture. Raises `ValueError` as the functions of `irpref.plots`."""
    check_picture(args.file)
    kind, of_values = args.kind, args.declared.get("measures", [])
    if kind == "sketch" and args.topic is None:
        raise UsageError("one topic is drawn: give -t ID")
    given = frame.inputs(args)
    if of_values and len(given.measures) != (n := len(of_values)):
        got = ", ".join(map(str, given.measures))
        raise UsageError(
            f"this picture is of {n} measure{'s' * (n > 1)}, got {len(given.measures)}: {got}"
        )
    qrels = given.judgments() if kind == "sketch" else given.of_topics()
    more = given_options(args, replace(given, measures=[]) if of_values else given)
    if kind == "sketch":
        more["query_id"] = args.topic
    elif kind == "histogram":
        more["baseline"] = list(given.files)[1]
    if more.get("highlight"):
        name_of = {path: name for name, path in given.files.items()}
        more["highlight"] = [name_of.get(name, name) for name in more["highlight"]]

    import irpref
    from irpref import plots

    ax = plots.axes(args.size) if args.size else None
    runs, ranking = given.runs(), frame.options(args, frame.RANKING)
    data = [qrels, runs]
    if kind == "leaderboard":
        asked = {name: more.pop(name) for name in ("pairs", "level")}
        data = [irpref.lab.leaderboard(given.measures, qrels, runs, **asked, **ranking)]
    elif of_values:
        data = [irpref.lab.meta.topic_values(given.measures, qrels, runs, **ranking)]
    else:
        more |= ranking
    ax = getattr(plots, args.declared["function"])(*data, ax=ax, **more)
    if args.title is not None:
        ax.set_title(args.title)
    save(ax, args.file, dpi=args.dpi)


def check_picture(path: str) -> None:
    """Raise `UsageError` if a file's name has no known ending, before anything is computed."""
    if Path(path).suffix.lstrip(".").lower() not in FORMATS:
        raise UsageError(f"the name of the picture must end in .png, .pdf or .svg, got {path!r}")


def save(ax: object, path: str, **more: object) -> None:
    """Write the figure of `ax`, whole or not at all, and close it."""
    from matplotlib import pyplot

    figure = ax.figure  # type: ignore[attr-defined]
    data = BytesIO()
    try:
        # In memory first: matplotlib's writer of PDF breaks down in other ways on a disk that is
        # full.
        figure.savefig(data, format=Path(path).suffix[1:].lower(), **more)
    finally:
        pyplot.close(figure)
    with replaced(path) as beside:
        Path(beside).write_bytes(data.getvalue())
