"""Decide in CI whether a change may ship: compare a candidate run with a baseline.

At confidence --level, it passes if every measure lost less than --margin, and is blocked if any measure got worse.
Otherwise there are too few topics to tell, and the summary estimates how many you need.
"""

from __future__ import annotations

import argparse
from typing import Any

from irpref.cli import frame
from irpref.cli.frame import OK, USAGE, Command, Parser, option
from irpref.show.text import LINES, of_frame, rounded

EPILOG = """\
examples:
  irpref gate qrels.txt main.run candidate.run nDCG@10 --margin 0.01
  irpref gate qrels.txt main.run candidate.run nDCG@10 -o jsonl --expect-qrels 6e414d0cb16048d2

exit status: 0 passed, 1 blocked, 3 cannot tell, 2 an error, 130 interrupted
"""
STATUS = {"pass": OK, "block": 1, "inconclusive": 3}
_COUNTS = ("missing_baseline", "missing_candidate")


def _arguments(parser: Parser) -> None:
    frame.add_inputs(parser, "BASELINE CANDIDATE MEASURE...")
    margin = option("--margin", type=float, default=0.02, help="smallest loss that matters (default: %(default)s)")
    text = "fail if the judgments changed; each run of the command prints their hash"
    names = ("topic", "level", "judge", *frame.READING, *frame.RANKING, *frame.WRITING)
    level = "confidence of each one-sided bound (default: %(default)s)"
    frame.add(parser, margin, option("--expect-qrels", metavar="HASH", help=text), *names, level=level)


def run(args: argparse.Namespace) -> int:
    """Print the verdict; returns the exit status, 2 for every error."""
    try:
        return _run(args)
    except BrokenPipeError:
        raise
    except (ValueError, KeyError, ImportError, OSError, RuntimeError, MemoryError) as error:
        frame.complain(error)
        return USAGE


def _run(args: argparse.Namespace) -> int:
    from irpref import gate

    given = frame.inputs(args, n_runs=2)
    qrels, runs = given.read()
    how = {"margin": args.margin, "level": args.level, **frame.ranking(args)}
    found = gate(given.measures, qrels, *runs.values(), **how)
    if args.expect_qrels not in (None, found.qrels):
        raise ValueError(f"{given.qrels}: the judgments have changed: expected {args.expect_qrels}, got {found.qrels}")
    if frame.form_of(args) in LINES:
        frame.say(found.text)
        frame.show(args, of_frame(found.assign(gate=found.verdict, qrels=found.qrels), str))
        return STATUS[found.verdict]
    table = of_frame(_shown(found), rounded(), title=found.text)
    table.notes = [
        f"difference: candidate minus baseline{_turned(found)}",
        f"low, high: one-sided bounds at {100 * args.level:g} %, paired t"
        + (f"; high shares the level among {len(found)} measures" if len(found) > 1 else ""),
        "worse: high is below 0, and the sign-flip test agrees (p, two-sided)",
        *_notes(found, bool(args.judge)),
        f"qrels: {found.qrels}",
    ]
    frame.show(args, table)
    return STATUS[found.verdict]


def _shown(found: Any) -> Any:
    """The columns that say something: what is the same for all measures is in the notes."""
    drop = [*_COUNTS, "unjudged_baseline", "unjudged_candidate", "topics", "could_turn"]
    shown = found.drop(columns=drop)
    return shown.drop(columns="topics_needed") if shown["topics_needed"].isna().all() else shown


def _turned(found: Any) -> str:
    from irpref.values.matrix import higher_is_better

    lower = [name for name in found["measure"] if not higher_is_better(name)]
    return f" (turned round for {', '.join(lower)}, for which lower is better)" if lower else ""


def _notes(found: Any, filled: bool) -> list[str]:
    first = found.iloc[0]
    notes = []
    if first[list(_COUNTS)].any():
        notes.append(
            f"topics without documents, which count as empty lists: baseline {first[_COUNTS[0]]}, candidate "
            f"{first[_COUNTS[1]]} of {first['topics']}"
        )
    shares = [f"{100 * first[name]:.1f} %" for name in ("unjudged_baseline", "unjudged_candidate")]
    turning = found.loc[found["could_turn"].fillna(False), "measure"].tolist()
    unknown = found.loc[found["could_turn"].isna(), "measure"].tolist()
    turn = f"judging them could change the verdict of {', '.join(turning)}" if turning else ""
    open_ = f"whether judging them could change the verdict is not known for {', '.join(unknown)}" if unknown else ""
    said = "; ".join(filter(None, [turn, open_])) or "judging them could not change the verdict"
    what = "graded by neither humans nor the judge" if filled else "unjudged"
    notes.append(f"{what} in the first ten: baseline {shares[0]}, candidate {shares[1]}; {said}")
    return notes


COMMAND = Command(run, _arguments, __doc__, EPILOG)
