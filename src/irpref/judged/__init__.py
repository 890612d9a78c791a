"""From identifiers to arrays: the only place with ids, frames and the tie rule.

`Pool` indexes the qrels once; `Pool.judge` aligns a run with it and returns a `JudgedRun`, which holds
arrays only. Everything after it (measures, curves, explanations) works on arrays.

Two questions shape this package.

**How are ids turned into arrays?** Only the judged documents that a run retrieved can matter beyond their
number: every measure is a function of them (rank, grade) and of how many documents were retrieved. So a run
is never converted row by row; its documents are looked up in the topic's judged ones, by hash, and only
the hits become rows. Python strings (dicts, namedtuples, object columns) are probed topic by topic with
set and dict operations, which are C loops over hashes that the strings carry; Arrow columns (polars,
pandas on pyarrow, TREC files) are joined by polars, which needs no Python string at all.

**How does a value stay the same bit for bit whatever other topics are present?** Sums are taken inside a
topic's own slice (see `irpref.segments`); choices between a fast and a general path are made from the topic's
own data or are exact, so that they never show in a value; the pool stands in ideal order, so that no sum
depends on the order of the rows of the qrels.
"""

from irpref.judged.pool import Judgments, Pool
from irpref.judged.run import JudgedRun, Listing

__all__ = ["JudgedRun", "Judgments", "Listing", "Pool"]
