"""Curves and tables behind the single values, as tidy pandas frames.

    crp                     relative position and its cumulation by rank, with the points on the
                            curve
    npref_convergence       n-pref by number of partitions, and how many pairs are misplaced
    interpolated_precision  precision at the 11 levels of recall
    f_and_e                 recall, precision, F and E by rank
    cumulated_gain          CG, DCG, their ideals and ratios by rank
    gain_areas              the areas under these curves
    paired_differences      values of runs minus a baseline's by any measure, with wins and
                            losses
    precision_histogram     the same for R-precision, topic by topic
    summary_table           numbers of topics, and of documents retrieved, relevant, and both

All take qrels and runs in any form that `irpref.evaluator` takes, and read each once. Pass one run
as `runs`, or a dict of name to run, or a list of paths. Every table has a column `run`. With
`per_topic=True` there is also `query_id`, and one block of rows for each topic of the qrels, in
their order; otherwise values are means over these topics, including those that the run does not
answer. With `groups` (a mapping of topic to group, the path of a file with lines `topic group`, or
the name of a column of the qrels) there is a column `group`, and means are over the topics of each
group. The `attrs` of a table keep its options, for `irpref_lab.plots`.

>>> from irpref.datasets import load
>>> book = load("mir-textbook")
>>> table = interpolated_precision(book.qrels, book.runs["run"])
>>> table[table["recall"].isin([0.0, 0.5, 1.0])]
    run  recall  precision
0   run     0.0   0.666667
5   run     0.5   0.291667
10  run     1.0   0.100000
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from irpref.curves.blocks import Aligned, Columns, Rows, ended, mean, means
from irpref.curves.differences import paired_differences as paired_differences
from irpref.curves.differences import precision_histogram as precision_histogram
from irpref.curves.differences import value_differences as value_differences
from irpref.errors import ArgumentError
from irpref.judged.align import align_tables
from irpref.judged.groups import Part
from irpref.judged.types import QrelsLike, RunLike, Runs
from irpref.kernel.grades import Gains, Grades
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Floats, Ints, Segments, ratio
from irpref.measures.crp import CRP, crp_balance
from irpref.measures.cumulated_gain import gain_curves
from irpref.measures.declare import REL, KernelMeasure, MeasureLike, Param
from irpref.measures.original_ndcg import OriginalNDCG
from irpref.measures.precision import LEVELS, counts
from irpref.measures.precision import interpolated_precision as precision_at_levels
from irpref.measures.relative_position import crp_curve, ideal, worst
from irpref.measures.rpref import NPref, misplaced_pairs
from irpref.measures.scale import scale
from irpref.values.kernels import KernelEvaluator
from irpref.values.prepare import resolve, warn_of_scale

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "crp",
    "cumulated_gain",
    "f_and_e",
    "gain_areas",
    "interpolated_precision",
    "npref_convergence",
    "paired_differences",
    "precision_histogram",
    "summary_table",
    "value_differences",
]


def __dir__() -> list[str]:
    return list(__all__)


PARTITIONS = (2, 4, 8, 16, 32, 64)
_BETA = Param((int, float), "weight of recall", minimum=0)
_DEPTH = Param(int, "last rank of the table", minimum=1)
_IDEAL = Param(str, "documents of the ideal list", choices=("judged", "retrieved"))

# --------------------------------------------------------------------------------------- the tables


def crp(
    qrels: QrelsLike,
    runs: RunLike | Runs,
    *,
    judged_only: bool = False,
    depth: int | None = None,
    **rows: Unpack[Rows],
) -> pd.DataFrame:
    """Compute relative position (RP) and Cumulated Relative Position (CRP) by rank.

    The curve of a topic ends at the last retrieved document or at rank R, whichever comes later;
    beyond its end it is constant. For a topic without relevant documents the curve is 0, as is the
    value of `CRP`.

    Parameters
    ----------
    qrels, runs : any form of qrels and run; several runs as a dict of name to run, or a list of
        paths
    judged_only : bool
        Drop documents without a judgment first; a negative grade is a judgment here.
    depth : int, optional
        Last rank of the table, for every topic. By default the end of each curve with `per_topic`,
        else the end of the longest. It cuts the table, not the ranking.
    **rows : `per_topic`, `groups`
        See the module.

    Returns
    -------
    pandas.DataFrame
        A row for each rank. With `per_topic`: `run`, `query_id`, `rank`, `rp`, `crp`, `worst` (the
        curve of a run with no relevant documents, down to -R(R+1)/2 at rank R), `share` (CRP over
        R(R+1)/2: 0 ideal, -1 the worst case; at rank R it is minus `nCRP`), `recall_base` (R),
        `balance` (first rank from R on at which the curve is at least 0, missing if there is none),
        `turn_around` (first rank at which the curve attains its minimum).

        Otherwise means over the topics of `rp`, `crp`, `share`, `worst`, `recall_base`; the
        quartiles `crp_low`, `crp_high`, `share_low`, `share_high`; `recovered`, the share of topics
        whose balance point lies at this rank or above it; the medians `crp_median`, `share_median`,
        `worst_median`; `ended`, the share of topics whose curve ended above this rank (it goes on
        to R if the ranking is shorter); and `exhausted`, the share of topics whose ranking has no
        document at this rank.

        Documents with negative grades can take a curve below `worst`; `attrs["negative_topics"]`
        names the topics that have such documents.

    Raises
    ------
    ValueError
        An option is not accepted; see also `irpref.evaluator`.

    References
    ----------
    Angelini et al., IIR 2013, equations (4) and (5) and figure 1. A sum of RP over topics favours
    topics with many
    relevant documents, since CRP grows with the square of R: compare systems by `share`.

    Examples
    --------
    >>> from irpref.datasets import load
    >>> example = load("crp-recovery")
    >>> table = crp(example.qrels, example.runs["run"], per_topic=True)
    >>> table.loc[table["query_id"] == "one-later", ["rank", "rp", "crp", "worst", "balance"]]
       rank  rp  crp  worst  balance
    2     1  -1   -1     -1        3
    3     2   0   -1     -1        3
    4     3   2    1     -1        3
    """
    _check("crp", depth=(_DEPTH, depth))
    aligned = Aligned(qrels, runs, **rows)
    pool, r, loss = aligned.pool, ideal(aligned.pool).relevant, worst(aligned.pool)
    views = {name: run.view(None, judged_only, negative=True) for name, run in aligned.runs.items()}
    natural = {name: np.maximum(view.n_retrieved, r) for name, view in views.items()}
    # The worst case is an empty ranking, filled up with non-relevant documents.
    nothing = align_tables(pool, []).run

    def relative_position(view: JudgedRun) -> tuple[Segments, Floats]:
        curve = crp_curve(view)
        ranks = Segments.of_lengths(curve.end)
        rp = np.zeros(ranks.size)
        rp[curve.ranks.spread(ranks.starts) + curve.rank[:-1] - 1] = np.where(
            curve.ranks.spread(r) > 0, curve.rp[:-1], 0.0
        )
        return ranks, rp

    def block(name: str) -> tuple[Ints, Columns]:
        lengths = aligned.lengths(natural, name, depth)
        shown = Segments.of_lengths(lengths)
        rp, least = (_fit(*relative_position(view), shown) for view in (views[name], nothing))
        total, below = shown.running(rp), -shown.spread(loss)
        columns: Columns = {"rp": rp, "crp": total, "worst": shown.running(least)}
        columns = {
            "rank": shown.position + 1,
            **{key: of_rank.astype(np.int64) for key, of_rank in columns.items()},
        }
        columns["share"] = np.divide(total, below, out=np.zeros_like(total), where=below > 0)
        if aligned.per_topic:
            ranks, rp = relative_position(views[name])
            curve = ranks.running(rp)
            lowest = ranks.spread(-ranks.maximum(-curve, empty=0.0))
            turn = np.append(ranks.position + 1, 0)[ranks.first(curve == lowest)]
            columns["recall_base"] = shown.spread(r)
            columns["balance"] = _or_missing(shown.spread(crp_balance(views[name])))
            columns["turn_around"] = _or_missing(shown.spread(np.where(r > 0, turn, 0)))
        return lengths, columns

    def over(name: str, part: Part, grid: dict[str, Any]) -> Columns:
        balance, rank = crp_balance(views[name])[part.topics], grid["rank"][0]
        low, high = np.quantile(
            np.stack([grid["crp"], grid["share"]])[:, part.topics], [0.25, 0.75], axis=1
        )
        return {
            **means(part, {key: grid[key] for key in ("rank", "rp", "crp")}),
            "crp_low": low[0],
            "crp_high": high[0],
            "share": mean(grid["share"], part.order),
            "share_low": low[1],
            "share_high": high[1],
            "worst": mean(grid["worst"], part.order),
            "recall_base": float(r[part.topics].mean()),
            "recovered": np.searchsorted(np.sort(balance[balance > 0]), rank, side="right")
            / part.topics.size,
            **{
                f"{key}_median": np.median(grid[key][part.topics], axis=0)
                for key in ("crp", "share", "worst")
            },
            "ended": ended(natural[name][part.topics], rank),
            "exhausted": ended(views[name].n_retrieved[part.topics], rank),
        }

    below = pool.judged.total(pool.grade < 0) > 0
    negative = [topic for topic, some in zip(pool.topic_ids, below.tolist(), strict=True) if some]
    measure = str(CRP(judged_only=judged_only))
    return aligned.table(
        "crp", block, over, measure=measure, judged_only=judged_only, negative_topics=negative
    )


def npref_convergence(
    qrels: QrelsLike,
    runs: RunLike | Runs,
    measure: MeasureLike = "RPref(norm='relative')",
    *,
    n: Iterable[int] | None = None,
    **rows: Unpack[Rows],
) -> pd.DataFrame:
    """Compute n-pref by the number of partitions, next to its limit, rpref.

    Parameters
    ----------
    qrels, runs : any form of qrels and run; several runs as a dict of name to run, or a list of
        paths
    measure : RPref with any options, or its text
        Default: the relative norm, as in figure 1 of the paper. Without `max_rel`, the highest
        grade of the qrels is taken, with a `ScaleWarning`.
    n : iterable of int, optional
        Numbers of partitions, each at least 2. Each power of two splits the partitions of the one
        before. None: 2, 4, 8, ..., 64 and, if all grades are whole numbers, `max_rel` + 1, where
        n-pref equals rpref.
    **rows : `per_topic`, `groups`
        See the module.

    Returns
    -------
    pandas.DataFrame
        A row for each number of partitions: `run`, (`query_id`,) `n`, `value` (n-pref), `limit`
        (rpref), `misplaced` (pairs of retrieved judged documents in the wrong order that n
        partitions tell apart) and `misplaced_limit` (all such pairs). With
        `unretrieved='infinity'`, judged documents that were not retrieved are below all retrieved
        ones, and pairs with them count. Means over the topics unless `per_topic`.

    Raises
    ------
    ValueError
        `measure` is not RPref, or an `n` is not accepted; see also `irpref.evaluator`.

    References
    ----------
    De Beer & Moens, SIGIR 2006, section 3 and figure 1: with n = 2, 4, 8, ... the number of
    misplaced pairs never falls; the value may rise or fall.

    Examples
    --------
    >>> import irpref
    >>> from irpref.datasets import load
    >>> example = load("rpref-figure-1")
    >>> relative = irpref.RPref(norm="relative", max_rel=1)
    >>> npref_convergence(example.qrels, example.runs["T2"], relative, n=[2, 4, 8]).round(4)
       run  n   value   limit  misplaced  misplaced_limit
    0  run  2  0.6726  0.6747        4.0              9.0
    1  run  4  0.6505  0.6747        8.0              9.0
    2  run  8  0.6873  0.6747        9.0              9.0
    """
    from irpref.measures.names import parse

    measure = parse(measure) if isinstance(measure, str) else measure
    if not isinstance(measure, KernelMeasure) or measure.NAME != "RPref":
        raise ArgumentError(
            f"npref_convergence: measure={measure!s} is not accepted, expected RPref with its "
            f"options",
            parameter="measure",
            value=measure,
        )
    chosen = None if n is None else sorted({int(NPref(n=value).params["n"]) for value in n})
    if chosen == []:
        raise ArgumentError(
            "npref_convergence: n is empty, expected numbers of partitions", parameter="n", value=n
        )
    aligned = Aligned(qrels, runs, **rows)
    arguments = resolve(measure, aligned.pool)
    steps = chosen or _partitions(aligned.pool, arguments["gains"], arguments["max_rel"])
    if "max_rel" not in measure.params and not measure.lacks_scale():
        # It cancels in rpref with this norm, but decides where the partitions of n-pref begin.
        warn_of_scale(measure, arguments["max_rel"], aligned.pool)
    measure = measure(max_rel=arguments["max_rel"])
    parted = [NPref(n=step, **measure.params) for step in steps]
    evaluator = KernelEvaluator([measure, *parted], aligned.pool)

    def pairs(run: JudgedRun, step: int | None) -> Ints:
        view = run.at(arguments["cutoff"]).at_least(0)
        on_scale = scale(aligned.pool, arguments["gains"], arguments["max_rel"], step)
        return misplaced_pairs(view, on_scale, arguments["unretrieved"])

    def block(name: str) -> tuple[Ints, Columns]:
        run = aligned.runs[name]
        values = evaluator.values_of(run)
        return np.full(aligned.pool.n_topics, len(steps)), {
            "n": np.tile(steps, aligned.pool.n_topics),
            "value": np.stack([values[each] for each in parted], axis=1).ravel(),
            "limit": np.repeat(values[measure], len(steps)),
            "misplaced": np.stack([pairs(run, step) for step in steps], axis=1).ravel(),
            "misplaced_limit": np.repeat(pairs(run, None), len(steps)),
        }

    return aligned.table("npref_convergence", block, measure=str(measure))


def _partitions(pool: Grades, gains: Gains, max_rel: float) -> list[int]:
    """List 2, 4, 8, ... and, if all grades are whole numbers, the n at which n-pref equals
    rpref.
    """
    values = np.append(pool.level_mapped(gains)[pool.level_grade >= 0], max_rel)
    whole = bool((values == np.rint(values)).all())
    return sorted({*PARTITIONS, int(max_rel) + 1} if whole else PARTITIONS)


def interpolated_precision(
    qrels: QrelsLike,
    runs: RunLike | Runs,
    *,
    rel: float = 1,
    judged_only: bool = False,
    **rows: Unpack[Rows],
) -> pd.DataFrame:
    """Compute precision at the 11 recall levels: the highest precision at any rank whose recall
    reaches the level.

    Levels are compared in integers. `ir_measures.IPrec` compares in floating point and reports .25
    instead of .20 for the second query of the book at recall 0.7.

    Parameters
    ----------
    qrels, runs : any form of qrels and run; several runs as a dict of name to run, or a list of
        paths
    rel : number
        Minimum grade counted as relevant.
    judged_only : bool
        Drop documents without a judgment first.
    **rows : `per_topic`, `groups`
        See the module.

    Returns
    -------
    pandas.DataFrame
        Eleven rows: `run`, (`query_id`,) `recall`, `precision`; a topic without relevant documents
        has precision 0. Means over the topics unless `per_topic`.

    References
    ----------
    Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, ch. 4.
    """
    _check("interpolated_precision", rel=(REL, rel))
    aligned = Aligned(qrels, runs, **rows)

    def block(name: str) -> tuple[Ints, Columns]:
        precision = precision_at_levels(aligned.runs[name].view(None, judged_only), rel=rel)
        return np.full(len(precision), len(LEVELS)), {
            "recall": np.tile(LEVELS, len(precision)),
            "precision": precision.ravel(),
        }

    return aligned.table("interpolated_precision", block, rel=rel, judged_only=judged_only)


def f_and_e(
    qrels: QrelsLike,
    runs: RunLike | Runs,
    *,
    beta: float = 1,
    rel: float = 1,
    judged_only: bool = False,
    depth: int | None = None,
    **rows: Unpack[Rows],
) -> pd.DataFrame:
    """Compute recall and precision at each rank, their harmonic mean F, and E.

    F(j) = 2 / (1/r(j) + 1/P(j)) and E(j) = 1 - (1 + b^2) / (b^2/r(j) + 1/P(j)), with recall r(j)
    and precision P(j) in the first j ranks. Where no relevant document was retrieved, F is 0 and E
    is 1. They are the measures `FMeasure@j` and `EMeasure(beta=b)@j`.

    Parameters
    ----------
    qrels, runs : any form of qrels and run; several runs as a dict of name to run, or a list of
        paths
    beta : number of at least 0
        Weight of recall in E; above 1 it favours recall. (The book's formula does so; its text says
        precision.)
    rel : number
        Minimum grade counted as relevant.
    judged_only : bool
        Drop documents without a judgment first.
    depth : int, optional
        Last rank of the table, for every topic. By default, with `per_topic`, the length of the
        ranking or the number of relevant documents, whichever is larger; else the largest of these.
        Ranks beyond the end of a ranking count in P.
    **rows : `per_topic`, `groups`
        See the module.

    Returns
    -------
    pandas.DataFrame
        A row for each rank: `run`, (`query_id`,) `rank`, `recall`, `precision`, `f`, `e`. Means
        over the topics unless `per_topic`; then also `ended`, the share of topics whose ranking
        ended above this rank.

    Raises
    ------
    ValueError
        An option is not accepted; see also `irpref.evaluator`.

    References
    ----------
    Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, ch. 4; van Rijsbergen, Information
    Retrieval, ch. 7.

    Examples
    --------
    >>> from irpref.datasets import load
    >>> book = load("mir-textbook")
    >>> table = f_and_e(book.qrels, book.runs["run"], per_topic=True)
    >>> table[(table["query_id"] == "q1") & table["rank"].isin([1, 3, 15])].round(3)
        run query_id  rank  recall  precision      f      e
    0   run       q1     1     0.1      1.000  0.182  0.818
    2   run       q1     3     0.2      0.667  0.308  0.692
    14  run       q1    15     0.5      0.333  0.400  0.600
    """
    _check("f_and_e", beta=(_BETA, beta), rel=(REL, rel), depth=(_DEPTH, depth))
    aligned = Aligned(qrels, runs, **rows)
    views = {name: run.view(None, judged_only) for name, run in aligned.runs.items()}
    retrieved = {name: run.n_retrieved for name, run in views.items()}
    size = aligned.pool.count_relevant(rel)
    natural = {name: np.maximum(number, size) for name, number in retrieved.items()}

    def block(name: str) -> tuple[Ints, Columns]:
        lengths = aligned.lengths(natural, name, depth)
        ranks = Segments.of_lengths(lengths)
        return lengths, {
            "rank": ranks.position + 1,
            **_by_rank(views[name], ranks, size, rel, beta),
        }

    def over(name: str, part: Part, grid: dict[str, Any]) -> Columns:
        values = means(part, grid)
        return {**values, "ended": ended(retrieved[name][part.topics], values["rank"])}

    return aligned.table("f_and_e", block, over, beta=beta, rel=rel, judged_only=judged_only)


def _by_rank(run: JudgedRun, ranks: Segments, size: Ints, rel: float, beta: float) -> Columns:
    """Compute recall, precision, F and E at each rank of some topics: arrays (n_ranks,).

    `size`, (n_topics,), is the number of relevant documents of each topic.
    """
    relevant = run.at_least(rel)
    inside = relevant.rank <= relevant.hits.spread(ranks.lengths)
    found = np.zeros(ranks.size)
    found[(relevant.hits.spread(ranks.starts) + relevant.rank - 1)[inside]] = 1
    n = ranks.running_count(found > 0).astype(np.float64)
    j, of_topic = ranks.ordinal, ranks.spread(size.astype(np.float64))
    square = min(float(beta) ** 2, 1e300)  # as in `EMeasure`
    weighted = (1 + square) * n / (square * of_topic + j)
    return {
        "recall": ratio(n, of_topic),
        "precision": n / j,
        "f": 2 * n / (of_topic + j),
        "e": 1 - weighted,
    }


def cumulated_gain(
    qrels: QrelsLike,
    runs: RunLike | Runs,
    *,
    base: float = 2,
    gains: Mapping[float, float] | None = None,
    ideal: str = "judged",
    judged_only: bool = False,
    depth: int | None = None,
    **rows: Unpack[Rows],
) -> pd.DataFrame:
    """Compute cumulated gain and discounted cumulated gain by rank, with the ideal curves and the
    ratios to these.

    Over several topics `ncg` and `ndcg` are ratios of means, as in the book. For the mean of the
    ratios, use the measure `OriginalNDCG`.

    Parameters
    ----------
    qrels, runs : any form of qrels and run; several runs as a dict of name to run, or a list of
        paths
    base : number
        Base of the logarithm, and first rank that is discounted.
    gains : dict, optional
        Gain of each grade; a grade not named keeps its value.
    ideal : 'judged' or 'retrieved'
        Whether the ideal list holds all judged documents, or only those that the run retrieved. The
        book's numbers follow from the second, which does not punish a run for missing documents.
    judged_only : bool
        Drop documents without a judgment first.
    depth : int, optional
        Last rank of the table, for every topic. By default, with `per_topic`, the length of the
        ranking or the number of judged documents with a gain, whichever is larger; else the largest
        of these. Beyond its end a curve is constant.
    **rows : `per_topic`, `groups`
        See the module.

    Returns
    -------
    pandas.DataFrame
        A row for each rank: `run`, (`query_id`,) `rank`, `gain`, `cg`, `dcg`, `ideal_cg`,
        `ideal_dcg`, `ncg`, `ndcg`. Ratios to an ideal of 0 are 0. Without `per_topic` also `ended`,
        the share of topics whose ranking ended above this rank.

    Raises
    ------
    ValueError
        An option is not accepted; see also `irpref.evaluator`.

    References
    ----------
    Järvelin & Kekäläinen, TOIS 2002; Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, ch.
    4.

    Examples
    --------
    >>> from irpref.datasets import load
    >>> book = load("mir-textbook")
    >>> table = cumulated_gain(book.qrels, book.runs["run"], ideal="retrieved")
    >>> table["ncg"].round(2).tolist()
    [0.17, 0.09, 0.29, 0.27, 0.25, 0.44, 0.44, 0.5, 0.5, 0.62, 0.62, 0.62, 0.62, 0.62, 1.0]
    """
    _check("cumulated_gain", ideal=(_IDEAL, ideal), depth=(_DEPTH, depth))
    measure = OriginalNDCG(base=base, gains=gains, judged_only=judged_only)
    aligned = Aligned(qrels, runs, **rows)
    pool = aligned.pool
    arguments = {key: value for key, value in resolve(measure, pool).items() if key != "cutoff"}
    useful = pool.count_levels(pool.level_gain(arguments["gains"]) > 0)
    retrieved = {
        name: run.view(None, judged_only).n_retrieved for name, run in aligned.runs.items()
    }
    natural = {name: np.maximum(number, useful) for name, number in retrieved.items()}

    def with_ratios(values: Columns) -> Columns:
        for key in ("cg", "dcg"):
            best = values[f"ideal_{key}"]
            values[f"n{key}"] = np.divide(
                values[key], best, out=np.zeros_like(best), where=best > 0
            )
        return values

    def block(name: str) -> tuple[Ints, Columns]:
        lengths = aligned.lengths(natural, name, depth)
        ranks, values = gain_curves(aligned.runs[name], lengths, ideal=ideal, **arguments)
        return lengths, {
            "rank": ranks.position + 1,
            **(with_ratios(values) if aligned.per_topic else values),
        }

    def over(name: str, part: Part, grid: dict[str, Any]) -> Columns:
        values = with_ratios(means(part, grid))
        return {**values, "ended": ended(retrieved[name][part.topics], values["rank"])}

    return aligned.table("cumulated_gain", block, over, measure=str(measure), ideal=ideal)


def gain_areas(qrels: QrelsLike, runs: RunLike | Runs, **options: Any) -> pd.DataFrame:
    """Compute the area under the curves of `cumulated_gain`: a row for each run (and topic), the
    larger the better.

    The area under the steps, each one rank wide, is divided by the number of ranks: it is the mean
    height of the curve. So `ncg` and `ndcg` are in [0, 1], and 1 for the ideal list. The sum over
    the ranks is `depth` times as much. Set `depth` to compare topics or collections, since the mean
    height depends on where the curve ends.

    Parameters
    ----------
    qrels, runs, **options : as `cumulated_gain` takes them

    Returns
    -------
    pandas.DataFrame
        `run`, (`query_id`,) `depth`, `cg`, `dcg`, `ideal_cg`, `ideal_dcg`, `ncg`, `ndcg`. Over
        several topics these are areas under the mean curves, and under the ratios of the means.

    Raises
    ------
    ValueError
        As `cumulated_gain`.

    References
    ----------
    Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, ch. 4, "Normalized DCG".

    Examples
    --------
    >>> from irpref.datasets import load
    >>> book = load("mir-textbook")
    >>> gain_areas(book.qrels, book.runs["run"])[["run", "depth", "cg", "ncg"]].round(4)
       run  depth      cg     ncg
    0  run     15  3.6667  0.3295
    """
    table = cumulated_gain(qrels, runs, **options)
    grouped = table.groupby(
        [name for name in ("run", "query_id", "group") if name in table], sort=False
    )
    areas = grouped[["cg", "dcg", "ideal_cg", "ideal_dcg", "ncg", "ndcg"]].mean()
    areas.insert(0, "depth", grouped.size())
    areas = areas.reset_index()
    areas.attrs = {**table.attrs, "curve": "gain_areas"}
    return areas


def summary_table(
    qrels: QrelsLike, runs: RunLike | Runs, *, rel: float = 1, **rows: Unpack[Rows]
) -> pd.DataFrame:
    """Count topics, and documents retrieved, relevant, and both: totals over all topics of the
    qrels.

    These counts include topics that the run does not answer; `ir_measures.NumQ` and `NumRel` leave
    them out.

    Parameters
    ----------
    qrels, runs : any form of qrels and run; several runs as a dict of name to run, or a list of
        paths
    rel : number
        Minimum grade counted as relevant.
    **rows : `per_topic`, `groups`
        See the module.

    Returns
    -------
    pandas.DataFrame
        A row for each run: `run`, (`query_id`,) `num_q`, `num_ret`, `num_rel`, `num_rel_ret`.
        Totals unless `per_topic`.

    Examples
    --------
    >>> from irpref.datasets import load
    >>> book = load("mir-textbook")
    >>> summary_table(book.qrels, book.runs["run"])
       run  num_q  num_ret  num_rel  num_rel_ret
    0  run      2       30       13            8
    """
    _check("summary_table", rel=(REL, rel))
    aligned = Aligned(qrels, runs, **rows)

    def block(name: str) -> tuple[Ints, Columns]:
        one = np.ones(aligned.pool.n_topics, np.int64)
        documents = counts(aligned.runs[name], rel=rel)
        return one, dict(
            zip(("num_q", "num_ret", "num_rel", "num_rel_ret"), (one, *documents), strict=True)
        )

    def over(_: str, part: Part, grid: dict[str, Any]) -> Columns:
        return {key: column[part.topics].sum(axis=0) for key, column in grid.items()}

    return aligned.table("summary_table", block, over, rel=rel)


# ------------------------------------------------------------------------------------------ helpers


def _check(function: str, **given: tuple[Param, Any]) -> None:
    """Raise `ValueError` if an option is not accepted; None means not given."""
    for name, (param, value) in given.items():
        try:
            if value is not None:
                param.clean(value)
        except (ValueError, OverflowError):
            raise ArgumentError(
                f"{function}: {name}={value!r} is not accepted, expected {param.accepted()}",
                parameter=name,
                value=value,
            ) from None


def _fit(ranks: Segments, values: Floats, shown: Segments) -> Floats:
    """Cut values by rank, or pad them with zeros, to other lengths."""
    inside = ranks.position < ranks.spread(shown.lengths)
    out = np.zeros(shown.size)
    out[(ranks.spread(shown.starts) + ranks.position)[inside]] = values[inside]
    return out


def _or_missing(point: Ints) -> Any:
    import pandas as pd

    column = pd.array(point, dtype="Int64")
    column[point == 0] = pd.NA
    return column
