"""Show how much a value depends on ties, on unjudged documents, or on the choice of topics.

    --over ties       lowest and highest value over all orders of documents with equal scores
    --over unjudged   lowest and highest value over all grades that unjudged documents could have
    --over topics     confidence interval of the mean over topics

The last row of each measure, without a topic, is the mean.
"""

from __future__ import annotations

import argparse

from irpref.cli import shared as frame
from irpref.messages import about
from irpref.show.text import of_frame, rounded


def run(args: argparse.Namespace) -> None:
    """Print the intervals. Raises `ValueError` as `irpref.lab.intervals`."""
    import pandas as pd

    from irpref.lab import intervals

    given = frame.inputs(args)
    how = frame.options(args, "over grades level method groups rng")
    qrels, runs = given.read()
    tables = {}
    for name, run in runs.items():
        with about(name, len(runs) > 1):
            tables[name] = intervals(given.measures, qrels, run, **how)
    whole = pd.concat(tables, names=["run", None]).reset_index("run").reset_index(drop=True)
    shown = whole if args.by_query else whole[whole["query_id"].isna()].drop(columns="query_id")
    frame.show(args, of_frame(shown, rounded()), of_frame(whole, str))
