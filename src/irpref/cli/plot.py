"""Draw curves and values as png, pdf or svg. Needs matplotlib (pip install matplotlib).

irpref plot PICTURE QRELS RUN... [MEASURE...] -f FILE
"""

from __future__ import annotations

import argparse
from io import BytesIO
from pathlib import Path
from typing import Any

from irpref.cli import frame
from irpref.cli.curve import OPTIONS, given_options, kinds
from irpref.cli.frame import Command, Parser, UsageError
from irpref.formats.replace import replaced

PICTURES = kinds("plot")
FORMATS = ("png", "pdf", "svg")
_FILE = {"required": True, "help": "picture: .png, .pdf or .svg"}


def _arguments(kind: str, parser: Parser) -> None:
    picture = PICTURES[kind]
    frame.add_inputs(parser, picture.runs + " [MEASURE...]" * bool(picture.measures), " -f FILE")
    frame.add(parser, *picture.options.split(), among=OPTIONS)
    if picture.groups:
        frame.add(parser, "groups", groups=f"a {picture.groups} for each run and group of topics")
    one: dict[str, Any] = {"topic": {"action": "store", "help": "the topic"}} if kind == "sketch" else {}
    frame.add(parser, "topic", *frame.READING, *frame.RANKING, **one)
    frame.add(parser, "file", "size", "dpi", "title", among=OPTIONS, file=_FILE)


def run(args: argparse.Namespace) -> None:
    """Write the picture. Raises `ValueError` as the functions of `irpref.plots`."""
    check_picture(args.file)
    kind, picture = args.kind, PICTURES[args.kind]
    if kind == "sketch" and args.topic is None:
        raise UsageError("one topic is drawn: give -t ID")
    given = frame.inputs(args, picture.n_runs, picture.measures)
    if picture.measures and len(given.measures) != (n := len(picture.measures)):
        got = ", ".join(map(str, given.measures))
        raise UsageError(f"this picture is of {n} measure{'s' * (n > 1)}, got {len(given.measures)}: {got}")
    qrels = given.judgments() if kind == "sketch" else given.of_topics()
    measured = given.but(measures=[]) if picture.measures else given
    more = given_options(args, measured, picture.options + " groups" * bool(picture.groups))
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
    runs, ranking = given.runs(), frame.ranking(args)
    data = [qrels, runs]
    if kind == "leaderboard":
        asked = {name: more.pop(name) for name in ("pairs", "level")}
        data = [irpref.leaderboard(given.measures, qrels, runs, **asked, **ranking)]
    elif picture.measures:
        data = [irpref.meta.topic_values(given.measures, qrels, runs, **ranking)]
    else:
        more |= ranking
    ax = getattr(plots, picture.function)(*data, ax=ax, **more)
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
        # In memory first: matplotlib's writer of PDF breaks down in other ways on a disk that is full.
        figure.savefig(data, format=Path(path).suffix[1:].lower(), **more)
    finally:
        pyplot.close(figure)
    with replaced(path) as beside:
        Path(beside).write_bytes(data.getvalue())


COMMAND = Command(
    run,
    _arguments,
    description=__doc__,
    kinds={kind: picture.help for kind, picture in PICTURES.items()},
    kind="PICTURE",
)
