"""Write an evaluation as one HTML page that works offline.

The page has a leaderboard, tests of all pairs, two systems topic by topic, rankings side by side, unjudged documents,
ties and curves. It also says what was done: inputs, versions, parameters, a methods paragraph and BibTeX. You can
download every table as CSV.
"""

from __future__ import annotations

import argparse
import os
import sys

from irpref.cli import frame
from irpref.cli.frame import Command, Parser, UsageError, option, several

EPILOG = """\
examples:
  irpref report qrels.txt runs/*.gz nDCG@10 AP 'RPref(max_rel=3)' -f report.html
  irpref report qrels.txt bm25.run mine.run AP --baseline bm25.run --topics topics.tsv -f report.html
"""
_OPTIONS = ("title", "topics", "documents", "groups", "depth", "jobs", *frame.RANKING)


def _arguments(parser: Parser) -> None:
    frame.add_inputs(parser, end=" -f report.html")
    topics = "texts of the queries: lines id<TAB>text, .jsonl, or an id of ir_datasets"
    rankings = "show the rankings of this run; default: the best ten and the baseline"
    frame.add(
        parser,
        "file",
        option("--baseline", metavar="RUN", help="the run to compare the others with"),
        option("--title", default="Evaluation", help="title of the page (default: %(default)s)"),
        option("--topics", metavar="FILE", help=topics),
        option("--documents", metavar="FILE", help="titles of the documents, in the same formats"),
        several("--rankings", metavar="RUN", help=rankings),
        option("--depth", type=int, default=20, help="last rank to show (default: %(default)s)"),
        *("topic", "groups", "known", "judge", *frame.READING, *frame.RANKING),
        file="write the page to this file (default: standard output)",
        groups="show groups of topics",
    )


def run(args: argparse.Namespace) -> None:
    """Write the page.

    Raises
    ------
    UsageError, ValueError, OSError
        Shown by `irpref.cli.main`.
    """
    import irpref

    given = frame.inputs(args)
    if args.file is not None and os.path.splitext(args.file)[1].lower() not in ("", ".html", ".htm"):
        raise UsageError(f"-f {args.file}: the page is HTML, its name ends in .html")
    if args.file is None and sys.stdout.isatty():
        raise UsageError("name the file to write, such as -f report.html")
    name_of = {path: name for name, path in given.files.items()}
    qrels = given.of_topics() if args.topic or args.judge or args.known else given.qrels
    made = irpref.report(
        given.measures,
        qrels,
        given.files,
        baseline=name_of.get(args.baseline, args.baseline),
        rankings=args.rankings and [name_of.get(name, name) for name in args.rankings],
        form=frame.reading(args),
        **{name: getattr(args, name) for name in _OPTIONS},
    )
    for line in made.grave:
        frame.say(f"check: {line}")
    if args.file is None:
        sys.stdout.write(made.html)
    else:
        made.save(args.file)
        frame.say(f"wrote {args.file} (open it in a browser)")


COMMAND = Command(run, _arguments, __doc__, EPILOG)
