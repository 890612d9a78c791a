"""Write an evaluation as one HTML page that works offline.

The page has a leaderboard, tests of all pairs, two systems topic by topic, rankings side by side,
unjudged documents, ties and curves. It also says what was done: inputs, versions, parameters, a
methods paragraph and BibTeX. You can download every table as CSV."""

from __future__ import annotations

import argparse
import os
import sys

from irpref.cli import shared as frame
from irpref.cli.shared import UsageError


def run(args: argparse.Namespace) -> None:
    """Write the page.

    Raises
    ------
    UsageError, ValueError, OSError
        Shown by `irpref.cli.main`.
    """
    import irpref

    given = frame.inputs(args)
    if args.file is not None and os.path.splitext(args.file)[1].lower() not in (
        "",
        ".html",
        ".htm",
    ):
        raise UsageError(f"-f {args.file}: the page is HTML, its name ends in .html")
    if args.file is None and sys.stdout.isatty():
        raise UsageError("name the file to write, such as -f report.html")
    name_of = {path: name for name, path in given.files.items()}
    qrels = given.of_topics() if args.topic or args.judge or args.known else given.qrels
    made = irpref.lab.report(
        given.measures,
        qrels,
        given.files,
        baseline=name_of.get(args.baseline, args.baseline),
        rankings=args.rankings and [name_of.get(name, name) for name in args.rankings],
        form=frame.reading(args),
        **frame.options(args, f"title topics documents groups depth jobs {frame.RANKING}"),
    )
    for line in made.grave:
        frame.say(f"check: {line}")
    if args.file is None:
        sys.stdout.write(made.html)
    else:
        made.save(args.file)
        frame.say(f"wrote {args.file} (open it in a browser)")
