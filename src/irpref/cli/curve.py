"""Print a curve as a table, one row a point.

You get the mean over topics; --groups gives one for each group, -q adds each topic, -t selects one.
The documentation of `irpref.curves` describes the columns.
"""

from __future__ import annotations

import argparse
import tomllib
from importlib.resources import files
from typing import Any

from irpref.arrays.record import Record
from irpref.cli import frame
from irpref.cli.frame import Command, Parser, UsageError, option
from irpref.show.text import FORMS, LINES, of_frame, rounded, significant


class Kind(Record):
    """A curve or picture, declared by an entry of `curves.toml` alone."""

    function: str
    help: str
    runs: str = "RUN..."
    options: str = ""
    measures: list[str] = []
    groups: str = ""

    @property
    def n_runs(self) -> int | None:
        """How many runs it takes; None for any number."""
        return {"RUN": 1, "A B [MEASURE]": 2}.get(self.runs)


def _integers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of whole numbers such as 2,4,8") from None


def _gains(text: str) -> dict[float, float]:
    try:
        pairs = [part.replace(":", "=").split("=") for part in text.split(",")]
        return {float(grade): float(gain) for grade, gain in pairs}
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of gains such as 1=1,2=3,3=7") from None


def _size(text: str) -> tuple[float, float]:
    try:
        width, height = (float(part) for part in text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no size such as 4.4x3.2") from None
    if not (0 < width < 100 and 0 < height < 100):
        raise argparse.ArgumentTypeError(f"{text!r} is no size in inches")
    return width, height


_TYPES = {"integer": int, "number": float, "integers": _integers, "gains": _gains, "size": _size}
_DATA = tomllib.loads(files("irpref.cli").joinpath("curves.toml").read_text(encoding="utf-8"))


def _option(flag: str, type: str | None = None, **more: Any) -> frame.Option:
    return option(flag, **more, **({} if type is None else {"type": _TYPES[type]}))


def kinds(command: str) -> dict[str, Kind]:
    """The curves of `curve`, or the pictures of `plot`."""
    return {name: Kind(**entry) for name, entry in _DATA[command].items()}


CURVES = kinds("curve")
# Options by the name that functions have for them.
OPTIONS = frame.OPTIONS | {name: _option(**entry) for name, entry in _DATA["option"].items()}


def _arguments(kind: str, parser: Parser) -> None:
    curve = CURVES[kind]
    frame.add_inputs(parser, curve.runs)
    frame.add(parser, *curve.options.split(), among=OPTIONS)
    if kind != "histogram":
        frame.add(parser, "by_query")
    own: dict[str, Any] = {
        "topic": {"action": "store", "help": "only this topic"},
        "output": f"{', '.join(FORMS)} (default: tsv)",
    }
    frame.add(parser, "topic", *frame.READING, *frame.RANKING, *frame.WRITING, **own)


def given_options(args: argparse.Namespace, given: frame.Inputs, names: str) -> dict[str, Any]:
    """The options of these names, and the measure, as functions take them.

    Raises
    ------
    UsageError
        There are several measures.
    """
    out = {name: getattr(args, name) for name in names.split() if getattr(args, name) is not None}
    if len(given.measures) > 1:
        raise UsageError(f"expected one measure, got {len(given.measures)}: {', '.join(map(str, given.measures))}")
    if given.measures:
        out.pop("rel", None)
        out["measure"] = given.measures[0]
    return out


def run(args: argparse.Namespace) -> None:
    """Print the table. Raises `ValueError` as the functions of `irpref.curves`."""
    form = frame.form_of(args, "tsv")
    frame.show(args, of_frame(_table(args), significant(10) if form in LINES else rounded()), "tsv")


def _table(args: argparse.Namespace) -> Any:
    from irpref import curves

    curve, by_topic = CURVES[args.kind], args.topic is not None or getattr(args, "by_query", True)
    given = frame.inputs(args, curve.n_runs, default=())
    more = given_options(args, given, curve.options) | frame.ranking(args)
    qrels, runs = given.judgments(), given.runs()
    function = getattr(curves, curve.function)
    if args.kind == "histogram":
        more["baseline"] = list(runs)[1]
        function = curves.paired_differences if given.measures else function
    if args.topic is not None:
        frame.only_topics(frame.topic_ids(qrels), [args.topic])
    # Computed on all topics, so that what is taken from the qrels as a whole (max_rel) stays the same.
    table = function(qrels, runs, per_topic=by_topic, **more)
    return table if args.topic is None else table[table["query_id"] == args.topic]


COMMAND = Command(
    run,
    _arguments,
    description=__doc__,
    kinds={kind: curve.help for kind, curve in CURVES.items()},
    kind="CURVE",
)
