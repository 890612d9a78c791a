"""From identifiers to arrays: the only place with ids, frames and the tie rule.

`Pool` indexes the qrels once; `align_run` aligns a run with it and returns a `JudgedRun`, which
holds arrays only. Everything after it (measures, curves, explanations) works on arrays.

Two questions shape this package.

**How are ids turned into arrays?** Every measure is a function of the judged documents that a run
retrieved (rank, grade) and of the number of documents retrieved. So a run is never converted row by
row; its documents are looked up among the topic's judged ones, and only the hits become rows. With
compiled code, many documents are looked up at once: a table of hashes for each topic
(`irpref.data.texts`) shows repeated documents and finds the judged ones; ids with the same hash are
compared, since only the ids decide. Few documents, and all documents without compiled code, are
looked up in dicts. Both ways give the same hits.

**How does a value stay the same bit for bit whatever other topics are present?** Sums are taken
inside a topic's own slice (see `irpref.kernel.segments`); choices between a fast and a general path
are made from the topic's own data or are exact, so that they never show in a value; the pool is in
ideal order, so that no sum depends on the order of the rows of the qrels."""

from irpref.judged.align import Listing
from irpref.judged.fingerprint import canonical, hash_of_pool, hash_of_text
from irpref.judged.groups import group_of_topic, groups_of, read_groups
from irpref.judged.inputs import as_table, id_text, rereadable, unwrapped
from irpref.judged.judgments import Judgments, as_judgments
from irpref.judged.pool import FILLED, LOWEST, SOURCE, Pool
from irpref.judged.run import Run, align_run, listing, read_once
from irpref.judged.stream import each
from irpref.judged.types import EachRun, Frame, Groups, QrelsLike, RunLike, Runs

__all__ = [
    "FILLED",
    "LOWEST",
    "SOURCE",
    "EachRun",
    "Frame",
    "Groups",
    "Judgments",
    "Listing",
    "Pool",
    "QrelsLike",
    "Run",
    "RunLike",
    "Runs",
    "align_run",
    "as_judgments",
    "as_table",
    "canonical",
    "each",
    "group_of_topic",
    "groups_of",
    "hash_of_pool",
    "hash_of_text",
    "id_text",
    "listing",
    "read_groups",
    "read_once",
    "rereadable",
    "unwrapped",
]
