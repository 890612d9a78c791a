"""Curves and tables: what lies behind the single numbers, as tidy pandas frames.

    crp                     relative position and its cumulation by rank, with the points on the curve
    npref_convergence       n-pref by number of partitions, and how many pairs are misplaced
    interpolated_precision  precision at the 11 levels of recall
    cumulated_gain          CG, DCG, their ideals and ratios by rank
    gain_areas              the areas under these curves
    precision_histogram     R-precision of one run minus that of another, topic by topic
    paired_differences      the same for any measure, with the tests of the difference
    summary_table           how much was asked, retrieved, relevant, found

All take every form of qrels and runs that `irpref.evaluator` takes, each read once. `runs` is one run, or a dict of
name to run, or a list of paths, for several at once. Every table has a column `run`. With `per_topic=True`
there is also `query_id`, and one block of rows for each topic of the qrels, in their order; otherwise values
are means over these topics, a topic that the run does not answer included. With `groups` (a mapping of topic to group,
the path of a file with lines `topic group`, or the name of a column of the qrels) there is a column `group`, and means
are over the topics of each group. The options of a table are kept in
its `attrs`, where `irpref.plots` finds them.

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

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.analysis.significance import SAME, randomisation_test
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Floats, Ints, Segments
from irpref.evaluation import KernelEvaluator, note_ties, prepare, resolve
from irpref.formats.runs import named_runs as of_paths
from irpref.judged.align import judge
from irpref.judged.groups import Part, group_column, parts_of
from irpref.judged.inputs import opened
from irpref.judged.pool import Pool
from irpref.judged.types import Qrels, Run, Runs
from irpref.measures.crp import CRP, crp_balance, crp_curve, ideal, worst
from irpref.measures.cumulated_gain import gain_curves
from irpref.measures.declare import REL, KernelMeasure, MeasureLike, Param
from irpref.measures.original_ndcg import OriginalNDCG
from irpref.measures.precision import LEVELS, counts, r_precision
from irpref.measures.precision import interpolated_precision as precision_at_levels
from irpref.measures.rpref import NPref, rpref_terms
from irpref.messages import about

if TYPE_CHECKING:
    import pandas as pd

    from irpref.judged.types import Groups
    from irpref.values.matrix import TopicValues

PARTITIONS = (2, 4, 8, 16, 32, 64)
_DEPTH = Param(int, "last rank of the table", minimum=1)


# ------------------------------------------------------------------------------------------------- the tables


def crp(
    qrels: Qrels,
    runs: Run | Runs,
    *,
    judged_only: bool = False,
    depth: int | None = None,
    per_topic: bool = False,
    groups: Groups | None = None,
) -> pd.DataFrame:
    """Relative position (RP) and Cumulated Relative Position (CRP) by rank.

    The curve of a topic ends at the last retrieved document or at rank R, whichever comes later; beyond its
    end it stays where it is. A topic without relevant documents has the curve 0, as it has the value 0 for
    `CRP`.

    Parameters
    ----------
    qrels, runs : any form of qrels and run; several runs as a dict of name to run, or a list of paths
    judged_only : bool
        Drop documents without a judgment first; a negative grade is a judgment here.
    depth : int, optional
        Last rank of the table, for every topic. Default: the end of each curve with `per_topic`, else the end
        of the longest. It cuts the table, not the ranking.
    per_topic : bool
    groups : optional
        See the module.

    Returns
    -------
    pandas.DataFrame
        One row a rank. With `per_topic`: `run`, `query_id`, `rank`, `rp`, `crp`, `worst` (the curve of a run
        with nothing relevant, down to -R(R+1)/2 at rank R), `share` (CRP over R(R+1)/2: 0 ideal, -1 the worst
        case; at rank R it is minus `nCRP`), `recall_base` (R), `balance` (first rank from R on where the
        curve is not below 0, missing if there is none), `turn_around` (first rank where the curve attains its
        minimum).

        Otherwise means over the topics of `rp`, `crp`, `share`, `worst`, `recall_base`; the quartiles
        `crp_low`, `crp_high`, `share_low`, `share_high`; `recovered`, the share of topics whose balance
        point lies at this rank or above it; the medians `crp_median`, `share_median`, `worst_median`; and
        `ended`, the share of topics whose curve ended above this rank (it goes on to R where the ranking is shorter);
        and `exhausted`, the share of topics whose ranking has no document at this rank.

        Documents with grades below 0 can take a curve below `worst`; `attrs["negative_topics"]` names the topics
        that have some.

    Raises
    ------
    ValueError
        An option is not accepted; see also `Pool.build` and `Pool.judge`.

    References
    ----------
    Angelini et al., IIR 2013, equations (4) and (5) and figure 1. Adding up RP over topics favours topics
    with many relevant documents: CRP grows with the square of R. Compare systems by `share`.

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
    measure = CRP(judged_only=judged_only)
    judged, pool, parts = _judged(qrels, runs, groups)
    views = {name: run.condensed(negative=True) if judged_only else run for name, run in judged.items()}
    r = ideal(pool).relevant
    natural = {name: np.maximum(view.n_retrieved, r) for name, view in views.items()}
    loss = worst(pool)
    empty = judge(pool, {})

    def columns(view: JudgedRun, depths: Ints) -> tuple[Segments, dict[str, Any], dict[str, Ints]]:
        ranks, rp = crp_curve(view)
        rp = np.where(ranks.spread(r) > 0, rp, 0.0)
        curve = ranks.running(rp)
        lowest = -ranks.maximum(-curve, empty=0.0)
        turn = np.append(ranks.position + 1, 0)[ranks.first(curve == ranks.spread(lowest))]
        points = {"balance": crp_balance(view), "turn_around": np.where(r > 0, turn, 0)}
        # A ranking with nothing in it, filled up with non-relevant documents, is the worst case.
        none, none_rp = crp_curve(empty)
        shown = Segments.of_lengths(depths)
        rp, none_rp = _fit(ranks, rp, shown), _fit(none, none_rp, shown)
        total = shown.running(rp)
        divisor = shown.spread(loss)
        by_rank = {
            "rp": rp,
            "crp": total,
            "share": np.divide(total, -divisor, out=np.zeros_like(total), where=divisor < 0),
            "worst": shown.running(none_rp),
        }
        return shown, by_rank, points

    below = pool.judged.total(pool.grade < 0) > 0
    options = {
        "measure": str(measure),
        "judged_only": judged_only,
        "negative_topics": [topic for topic, some in zip(pool.topic_ids, below.tolist(), strict=True) if some],
    }
    if per_topic:

        def block(name: str) -> dict[str, Any]:
            shown, by_rank, points = columns(views[name], _depths(natural[name], depth))
            whole = {key: by_rank[key].astype(np.int64) for key in ("rp", "crp", "worst")}
            return {
                **_keys(pool, name, shown, parts),
                "rank": shown.position + 1,
                **whole,
                "share": by_rank["share"],
                "recall_base": shown.spread(r),
                **{key: _or_missing(shown.spread(point)) for key, point in points.items()},
            }

        return _table(map(block, views), "crp", **options)

    width = _longest(natural.values(), depth)

    def mean_block(name: str, part: Part) -> dict[str, Any]:
        shown, by_rank, points = columns(views[name], np.full(pool.n_topics, width))
        grid = {key: _grid(shown, value) for key, value in by_rank.items()}
        rank = np.arange(1, width + 1)
        balance = points["balance"][part.topics]
        out: dict[str, Any] = {"run": name, **part.key, "rank": rank}
        for key in ("rp", "crp", "share"):
            out[key] = _mean(grid[key], part.order)
            if key != "rp":
                out[f"{key}_low"], out[f"{key}_high"] = np.quantile(grid[key][part.topics], [0.25, 0.75], axis=0)
        out["worst"] = _mean(grid["worst"], part.order)
        out["recall_base"] = float(r[part.topics].mean())
        out["recovered"] = np.searchsorted(np.sort(balance[balance > 0]), rank, side="right") / part.topics.size
        for key in ("crp", "share", "worst"):
            out[f"{key}_median"] = np.median(grid[key][part.topics], axis=0)
        out["ended"] = _ended(natural[name][part.topics], rank)
        out["exhausted"] = _ended(views[name].n_retrieved[part.topics], rank)
        return out

    return _table(_each(mean_block, views, parts), "crp", **options, n_topics=pool.n_topics)


def npref_convergence(
    qrels: Qrels,
    runs: Run | Runs,
    measure: MeasureLike = "RPref",
    *,
    n: Iterable[int] = PARTITIONS,
    per_topic: bool = False,
    groups: Groups | None = None,
) -> pd.DataFrame:
    """n-pref by the number of partitions, next to the rpref that it approaches.

    Parameters
    ----------
    qrels, runs : any form of qrels and run; several runs as a dict of name to run, or a list of paths
    measure : RPref with any options, or its text
        Without `max_rel`, the highest grade of the qrels is taken, with a `ScaleWarning`.
    n : iterable of int
        Numbers of partitions, at least 2 each. Powers of two split every partition again and again.
    per_topic : bool
    groups : optional
        See the module.

    Returns
    -------
    pandas.DataFrame
        One row a number of partitions: `run`, (`query_id`,) `n`, `value` (n-pref), `limit` (rpref),
        `misplaced` (pairs of retrieved judged documents in the wrong order, as far as n partitions tell them
        apart) and `misplaced_limit` (all of them). Means over the topics unless `per_topic`.

    Raises
    ------
    ValueError
        `measure` is no RPref, or an `n` is not accepted; see also `Pool.build` and `Pool.judge`.

    References
    ----------
    De Beer & Moens, SIGIR 2006, section 3 and figure 1: with n = 2, 4, 8, ... the misplaced pairs can only
    become more; the value may go either way.

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
        raise ValueError(f"npref_convergence: measure={measure!s} is not accepted, expected RPref with its options")
    steps = sorted({int(NPref(n=value).params["n"]) for value in n})
    if not steps:
        raise ValueError("npref_convergence: n names no number of partitions")
    judged, pool, parts = _judged(qrels, runs, groups)
    arguments = resolve(measure, pool)
    measure = measure(max_rel=arguments["max_rel"])
    options = measure.params
    parted = {step: NPref(n=step, **options) for step in steps}
    evaluator = KernelEvaluator([measure, *parted.values()], pool)

    def pairs(run: JudgedRun, step: int | None) -> Floats:
        # The pairs in which a document loses are among its terms.
        lost = rpref_terms(run, **arguments, n=step).columns["lost"]
        return pool.judged.total(np.nan_to_num(lost))

    def grids_of(name: str) -> dict[str, Floats]:
        run = judged[name]
        values = evaluator.values_of(run)
        return {
            "value": np.stack([values[parted[step]] for step in steps], axis=1),
            "limit": np.repeat(values[measure][:, None], len(steps), axis=1),
            "misplaced": np.stack([pairs(run, step) for step in steps], axis=1),
            "misplaced_limit": np.repeat(pairs(run, None)[:, None], len(steps), axis=1),
        }

    grids = {name: grids_of(name) for name in judged}

    def by_topic(name: str) -> dict[str, Any]:
        keys = _keys(pool, name, Segments.of_lengths(np.full(pool.n_topics, len(steps))), parts)
        out = {**keys, "n": np.tile(steps, pool.n_topics), **{key: grid.ravel() for key, grid in grids[name].items()}}
        return {key: v.astype(np.int64) if key.startswith("misplaced") else v for key, v in out.items()}

    def mean(name: str, part: Part) -> dict[str, Any]:
        values = {key: _mean(grid, part.order) for key, grid in grids[name].items()}
        return {"run": name, **part.key, "n": steps, **values}

    blocks = map(by_topic, judged) if per_topic else _each(mean, judged, parts)
    return _table(blocks, "npref_convergence", measure=str(measure), n_topics=pool.n_topics)


def interpolated_precision(
    qrels: Qrels,
    runs: Run | Runs,
    *,
    rel: float = 1,
    judged_only: bool = False,
    per_topic: bool = False,
    groups: Groups | None = None,
) -> pd.DataFrame:
    """Precision at the 11 levels of recall: the highest precision at any rank whose recall reaches the level.

    Levels are compared in whole numbers. `ir_measures.IPrec` compares in floating point and reports .25
    instead of .20 for the second query of the book at recall 0.7.

    Parameters
    ----------
    qrels, runs : any form of qrels and run; several runs as a dict of name to run, or a list of paths
    rel : number
        Minimum grade counted as relevant.
    judged_only : bool
        Drop documents without a judgment first.
    per_topic : bool
    groups : optional
        See the module.

    Returns
    -------
    pandas.DataFrame
        Eleven rows: `run`, (`query_id`,) `recall`, `precision`; a topic without relevant documents has
        precision 0. Means over the topics unless `per_topic`.

    References
    ----------
    Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, ch. 4.
    """
    _check("interpolated_precision", rel=(REL, rel))
    judged, pool, parts = _judged(qrels, runs, groups, by_pytrec=True)
    recall = np.array(LEVELS)
    grids = {name: precision_at_levels(run.view(None, judged_only), rel=rel) for name, run in judged.items()}

    def by_topic(name: str) -> dict[str, Any]:
        keys = _keys(pool, name, Segments.of_lengths(np.full(pool.n_topics, len(LEVELS))), parts)
        return {**keys, "recall": np.tile(recall, pool.n_topics), "precision": grids[name].ravel()}

    def mean(name: str, part: Part) -> dict[str, Any]:
        return {"run": name, **part.key, "recall": recall, "precision": _mean(grids[name], part.order)}

    return _table(
        map(by_topic, judged) if per_topic else _each(mean, judged, parts),
        "interpolated_precision",
        rel=rel,
        judged_only=judged_only,
        n_topics=pool.n_topics,
    )


def cumulated_gain(
    qrels: Qrels,
    runs: Run | Runs,
    *,
    base: float = 2,
    gains: Mapping[float, float] | None = None,
    ideal: str = "judged",
    judged_only: bool = False,
    depth: int | None = None,
    per_topic: bool = False,
    groups: Groups | None = None,
) -> pd.DataFrame:
    """Cumulated gain and discounted cumulated gain by rank, with the ideal curves and the ratios to them.

    Over several topics `ncg` and `ndcg` are ratios of means, as the book has them. The mean of the ratios of
    the topics is the measure `OriginalNDCG`.

    Parameters
    ----------
    qrels, runs : any form of qrels and run; several runs as a dict of name to run, or a list of paths
    base : number
        Base of the logarithm, and first rank that is discounted.
    gains : dict, optional
        Gain of a grade; a grade not named keeps its value.
    ideal : 'judged' or 'retrieved'
        Whether the ideal list holds all judged documents or only those the run retrieved. The numbers printed
        in the book follow from the second; it does not punish a run for what it misses.
    judged_only : bool
        Drop documents without a judgment first.
    depth : int, optional
        Last rank of the table, for every topic. Default: with `per_topic` the end of the ranking or the
        number of judged documents with a gain, whichever is more; else the largest of these. Curves go on
        level.
    per_topic : bool
    groups : optional
        See the module.

    Returns
    -------
    pandas.DataFrame
        One row a rank: `run`, (`query_id`,) `rank`, `gain`, `cg`, `dcg`, `ideal_cg`, `ideal_dcg`, `ncg`,
        `ndcg`. Ratios to an ideal of 0 are 0. Without `per_topic` also `ended`, the share of topics whose ranking
        ended above this rank.

    Raises
    ------
    ValueError
        An option is not accepted; see also `Pool.build` and `Pool.judge`.

    References
    ----------
    Järvelin & Kekäläinen, TOIS 2002; Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, ch. 4.

    Examples
    --------
    >>> from irpref.datasets import load
    >>> book = load("mir-textbook")
    >>> table = cumulated_gain(book.qrels, book.runs["run"], ideal="retrieved")
    >>> table["ncg"].round(2).tolist()
    [0.17, 0.09, 0.29, 0.27, 0.25, 0.44, 0.44, 0.5, 0.5, 0.62, 0.62, 0.62, 0.62, 0.62, 1.0]
    """
    choice = Param(str, "documents of the ideal list", choices=("judged", "retrieved"))
    _check("cumulated_gain", ideal=(choice, ideal), depth=(_DEPTH, depth))
    measure = OriginalNDCG(base=base, gains=gains, judged_only=judged_only)
    judged, pool, parts = _judged(qrels, runs, groups)
    arguments = {key: value for key, value in resolve(measure, pool).items() if key != "cutoff"}
    useful = pool.count_levels(pool.level_gain(arguments["gains"]) > 0)
    natural = {name: np.maximum(run.view(None, judged_only).n_retrieved, useful) for name, run in judged.items()}
    width = _longest(natural.values(), depth)

    def with_ratios(values: dict[str, Floats]) -> dict[str, Floats]:
        for key in ("cg", "dcg"):
            best = values[f"ideal_{key}"]
            values[f"n{key}"] = np.divide(values[key], best, out=np.zeros_like(best), where=best > 0)
        return values

    def by_rank(name: str) -> tuple[Segments, dict[str, Floats]]:
        depths = _depths(natural[name], depth) if per_topic else np.full(pool.n_topics, width)
        return gain_curves(judged[name], depths, ideal=ideal, **arguments)

    def by_topic(name: str) -> dict[str, Any]:
        ranks, values = by_rank(name)
        return {**_keys(pool, name, ranks, parts), "rank": ranks.position + 1, **with_ratios(values)}

    def mean(name: str, part: Part) -> dict[str, Any]:
        ranks, values = by_rank(name)
        rank = np.arange(1, width + 1)
        means = with_ratios({key: _mean(_grid(ranks, value), part.order) for key, value in values.items()})
        retrieved = judged[name].view(None, judged_only).n_retrieved
        return {"run": name, **part.key, "rank": rank, **means, "ended": _ended(retrieved[part.topics], rank)}

    return _table(
        map(by_topic, judged) if per_topic else _each(mean, judged, parts),
        "cumulated_gain",
        measure=str(measure),
        ideal=ideal,
        n_topics=pool.n_topics,
    )


def gain_areas(
    qrels: Qrels,
    runs: Run | Runs,
    *,
    base: float = 2,
    gains: Mapping[float, float] | None = None,
    ideal: str = "judged",
    judged_only: bool = False,
    depth: int | None = None,
    per_topic: bool = False,
    groups: Groups | None = None,
) -> pd.DataFrame:
    """Area under the curves of `cumulated_gain`: one row a run (and topic), the larger the better.

    The area is that under the steps, one rank wide each, divided by the number of ranks: the mean height of the curve.
    So `ncg` and `ndcg` are in [0, 1], and 1 for the ideal list. The sum over the ranks is `depth` times as much. Set
    `depth` where topics or collections are compared: the mean height depends on where the curve ends.

    Parameters
    ----------
    qrels, runs, base, gains, ideal, judged_only, depth, per_topic, groups : as in `cumulated_gain`

    Returns
    -------
    pandas.DataFrame
        `run`, (`query_id`,) `depth`, `cg`, `dcg`, `ideal_cg`, `ideal_dcg`, `ncg`, `ndcg`. Over several topics these are
        areas under the mean curves, and under the ratios of the means.

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
    table = cumulated_gain(
        qrels,
        runs,
        base=base,
        gains=gains,
        ideal=ideal,
        judged_only=judged_only,
        depth=depth,
        per_topic=per_topic,
        groups=groups,
    )
    by = [name for name in ("run", "query_id", "group") if name in table]
    heights = ["cg", "dcg", "ideal_cg", "ideal_dcg", "ncg", "ndcg"]
    grouped = table.groupby(by, sort=False)
    areas = grouped[heights].mean()
    areas.insert(0, "depth", grouped.size())
    areas = areas.reset_index()
    areas.attrs = {**table.attrs, "curve": "gain_areas"}
    return areas


def precision_histogram(
    qrels: Qrels,
    runs: Run | Runs,
    baseline: Run,
    *,
    rel: float = 1,
    per_topic: bool = True,
    groups: Groups | None = None,
) -> pd.DataFrame:
    """R-precision of runs minus that of a baseline, topic by topic.

    Parameters
    ----------
    qrels, runs : any form of qrels and run; several runs as a dict of name to run, or a list of paths
    baseline : a run, or the name of one of `runs`
        The run B that is subtracted; one named in `runs` is not compared with itself.
    rel : number
        Minimum grade counted as relevant.
    per_topic : bool
        A histogram is about topics, so they are the default here.
    groups : optional
        See the module.

    Returns
    -------
    pandas.DataFrame
        `run`, (`query_id`,) `value` and `baseline` (R-precision of each), `difference` (positive: the run is
        better than the baseline). Without `per_topic`: the means, and what `paired_differences` adds to them.

    References
    ----------
    Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, ch. 4. A topic that a run does not answer counts
    with R-precision 0.
    """
    _check("precision_histogram", rel=(REL, rel))
    pool, parts = _pool(qrels, groups)
    others, (base_name, base_run) = _against(runs, baseline, pool.topic_of)
    (reference,) = _judge(pool, {base_name: base_run}, by_pytrec=True, several=True).values()
    judged = _judge(pool, others, by_pytrec=True, several=True)
    values = {name: r_precision(run, rel=rel) for name, run in judged.items()}
    return _differences(
        pool.topic_ids,
        values,
        r_precision(reference, rel=rel),
        parts,
        per_topic,
        "precision_histogram",
        measure="Rprec" if rel == 1 else f"Rprec(rel={rel:g})",
        baseline=base_name,
    )


def paired_differences(
    qrels: Qrels,
    runs: Run | Runs,
    baseline: Run,
    measure: MeasureLike = "Rprec",
    *,
    per_topic: bool = False,
    float32: bool = False,
    ties: str = "id",
    groups: Groups | None = None,
) -> pd.DataFrame:
    """Values of runs minus those of a baseline, by any measure, with the test of the difference.

    Parameters
    ----------
    qrels, runs : any form of qrels and run; several runs as a dict of name to run, or a list of paths
    baseline : a run, or the name of one of `runs`
    measure : ir_measures measure, or its name
    per_topic : bool
    float32, ties : see `irpref.evaluator`
    groups : optional
        See the module.

    Returns
    -------
    pandas.DataFrame
        With `per_topic`: `run`, `query_id`, `value`, `baseline`, `difference`. Otherwise the means of these,
        and `wins`, `losses`, `ties` (topics; a win is a better value, also where lower is better), and `p` (of
        `irpref.significance.randomisation_test`, two-sided: 1 if no topic differs).
    """
    from irpref.values.matrix import topic_values

    others, (base_name, base_run) = _against(runs, baseline)
    last = base_name
    while last in others:
        last += "'"
    if groups is not None:
        qrels = opened(qrels, "relevance")  # read again for the groups
    (of,) = topic_values([measure], qrels, {**others, last: base_run}, float32=float32, ties=ties).values()
    values = dict(zip(others, of.matrix[:-1], strict=True))
    return _differences_of(of, values, of.matrix[-1], base_name, parts_of(groups, qrels, of.topics), per_topic)


def value_differences(
    values: TopicValues, baseline: str, *, per_topic: bool = False, groups: Groups | None = None
) -> pd.DataFrame:
    """The table of `paired_differences` from values that are there already.

    Parameters
    ----------
    values : irpref.meta.TopicValues
    baseline : str
        Name of the system that is subtracted.
    per_topic : bool
    groups : mapping of topic to group, or path of a file, optional

    Raises
    ------
    ValueError
        `baseline` is none of the systems, or the only one.
    """
    others, (_, reference) = _against(dict(zip(values.systems, values.matrix, strict=True)), str(baseline))
    parts = parts_of(groups, None, values.topics)
    return _differences_of(values, others, reference, str(baseline), parts, per_topic)


def _differences_of(
    of: TopicValues,
    others: Mapping[str, Floats],
    reference: Floats,
    baseline: str,
    parts: Sequence[Part],
    per_topic: bool,
) -> pd.DataFrame:
    return _differences(
        list(of.topics),
        others,
        reference,
        parts,
        per_topic,
        "paired_differences",
        higher_is_better=of.higher_is_better,
        measure=of.measure,
        baseline=baseline,
    )


def summary_table(
    qrels: Qrels, runs: Run | Runs, *, rel: float = 1, per_topic: bool = False, groups: Groups | None = None
) -> pd.DataFrame:
    """How much was asked, retrieved, relevant, and found: the totals over all topics of the qrels.

    `ir_measures.NumQ` and `NumRel` leave out topics that the run does not answer; these counts do not.

    Parameters
    ----------
    qrels, runs : any form of qrels and run; several runs as a dict of name to run, or a list of paths
    rel : number
        Minimum grade counted as relevant.
    per_topic : bool
    groups : optional
        See the module.

    Returns
    -------
    pandas.DataFrame
        One row a run: `run`, (`query_id`,) `num_q`, `num_ret`, `num_rel`, `num_rel_ret`. Totals unless
        `per_topic`.

    Examples
    --------
    >>> from irpref.datasets import load
    >>> book = load("mir-textbook")
    >>> summary_table(book.qrels, book.runs["run"])
       run  num_q  num_ret  num_rel  num_rel_ret
    0  run      2       30       13            8
    """
    _check("summary_table", rel=(REL, rel))
    judged, pool, parts = _judged(qrels, runs, groups)
    names = ("num_ret", "num_rel", "num_rel_ret")
    numbers = {name: dict(zip(names, counts(run, rel=rel), strict=True)) for name, run in judged.items()}

    def by_topic(name: str) -> dict[str, Any]:
        keys = _keys(pool, name, Segments.of_lengths(np.ones(pool.n_topics, np.int64)), parts)
        return {**keys, "num_q": 1, **numbers[name]}

    def total(name: str, part: Part) -> dict[str, Any]:
        totals = {key: int(v[part.topics].sum()) for key, v in numbers[name].items()}
        return {"run": [name], **part.key, "num_q": part.topics.size, **totals}

    return _table(map(by_topic, judged) if per_topic else _each(total, judged, parts), "summary_table", rel=rel)


# ----------------------------------------------------------------------------------------------------- inputs


def _pool(qrels: Qrels, groups: Groups | None) -> tuple[Pool, list[Part]]:
    if groups is not None:
        qrels = opened(qrels, "relevance")  # read again for the groups
    pool, _ = prepare((), qrels)
    return pool, parts_of(groups, qrels, pool.topic_ids)


def _judged(
    qrels: Qrels, runs: Run | Runs, groups: Groups | None, by_pytrec: bool = False
) -> tuple[dict[str, JudgedRun], Pool, list[Part]]:
    pool, parts = _pool(qrels, groups)
    return _judge(pool, named_runs(runs, pool.topic_of), by_pytrec), pool, parts


def _judge(pool: Pool, runs: Mapping[str, Run], by_pytrec: bool = False, several: bool = False) -> dict[str, JudgedRun]:
    """The runs aligned; with `by_pytrec`, warning where pytrec_eval, which has such measures, has another order."""
    judged = {}
    for name, run in runs.items():
        with about(name, several or len(runs) > 1):
            judged[name] = run if isinstance(run, JudgedRun) else judge(pool, run, single=by_pytrec)
            if by_pytrec:
                note_ties(judged[name], pool)
    return judged


def named_runs(runs: Run | Runs, topics: Iterable[str] = ()) -> dict[str, Any]:
    """Several runs by name, of a dict or a list of paths; one run is named `run`.

    A dict of dicts of numbers is one run; any other dict is several. A dict of empty dicts is one run, unless `topics`
    are given and none of them is a key.
    """
    if isinstance(runs, list) and runs and isinstance(runs[0], (str, os.PathLike)):
        return of_paths(runs)
    if not isinstance(runs, Mapping) or not runs:
        return {"run": runs}
    inner = [docs for docs in runs.values() if isinstance(docs, Mapping)]
    # A run maps topics to documents with scores; one level more, and it is several runs.
    if len(inner) == len(runs) and not any(isinstance(v, Mapping) for docs in inner for v in docs.values()):
        known = set(topics)
        if any(inner) or not known or known.intersection(map(str, runs)):
            return {"run": runs}
    return {str(name): run for name, run in runs.items()}


def _against(runs: Run | Runs, baseline: Run, topics: Iterable[str] = ()) -> tuple[dict[str, Any], tuple[str, Any]]:
    """The runs to compare, and name and run of the baseline."""
    named = named_runs(runs, topics)
    if isinstance(baseline, str) and (baseline in named or not os.path.exists(baseline)):
        if baseline not in named:
            raise ValueError(f"baseline={baseline!r} is none of the runs: {', '.join(named)}")
        reference = (baseline, named.pop(baseline))
        if not named:
            raise ValueError(f"there is no run to compare with the baseline {baseline!r}")
        return named, reference
    return named, ("baseline", baseline)


def _check(function: str, **given: tuple[Param, Any]) -> None:
    """`ValueError` where an option is not accepted; None is 'not given'."""
    for name, (param, value) in given.items():
        if value is None:
            continue
        try:
            param.clean(value)
        except (ValueError, OverflowError):
            raise ValueError(f"{function}: {name}={value!r} is not accepted, expected {param.accepted()}") from None


# ----------------------------------------------------------------------------------------------------- arrays


def _depths(natural: Ints, depth: int | None) -> Ints:
    return natural if depth is None else np.full(natural.size, depth)


def _longest(lengths: Iterable[Ints], depth: int | None) -> int:
    return int(depth or max((int(n.max(initial=0)) for n in lengths), default=0))


def _ended(lengths: Ints, rank: Ints) -> Floats:
    """Share of the topics whose curve ended above each rank."""
    return np.searchsorted(np.sort(lengths), rank, side="left") / max(lengths.size, 1)


def _fit(ranks: Segments, values: Floats, shown: Segments) -> Floats:
    """Values by rank cut to, or continued with zeros to, other lengths."""
    inside = ranks.position < ranks.spread(shown.lengths)
    out = np.zeros(shown.size)
    out[(ranks.spread(shown.starts) + ranks.position)[inside]] = values[inside]
    return out


def _grid(ranks: Segments, values: Floats) -> Floats:
    """Topics of equal length as a matrix: shape (n_topics, length)."""
    return values.reshape(ranks.n, -1)


def _each(
    block: Callable[[str, Part], dict[str, Any]], names: Iterable[str], parts: Sequence[Part]
) -> Iterator[dict[str, Any]]:
    """The blocks of all runs and groups, run by run."""
    return (block(name, part) for name in names for part in parts)


def _mean(grid: Floats, order: Sequence[int]) -> Floats:
    """Mean over the topics, added one by one: (n_topics, width) to (width,)."""
    total = np.zeros(grid.shape[1])
    for topic in order:
        total += grid[topic]
    return total / max(len(order), 1)


def _or_missing(point: Ints) -> Any:
    import pandas as pd

    column = pd.array(point, dtype="Int64")
    column[point == 0] = pd.NA
    return column


def _differences(
    topics: Sequence[str],
    values: Mapping[str, Floats],
    reference: Floats,
    parts: Sequence[Part],
    per_topic: bool,
    curve: str,
    higher_is_better: bool = True,
    **options: Any,
) -> pd.DataFrame:
    ids = np.array(topics, dtype=object)

    def by_topic(name: str) -> dict[str, Any]:
        return {
            "run": np.full(ids.size, name, dtype=object),
            "query_id": ids,
            **group_column(ids.size, parts),
            "value": values[name],
            "baseline": reference,
            "difference": values[name] - reference,
        }

    def over_topics(name: str, part: Part) -> dict[str, Any]:
        value, base = values[name][part.topics], reference[part.topics]
        difference = value - base
        gained = difference if higher_is_better else -difference
        # Values that are equal but for rounding are ties.
        wins, losses = int((gained > SAME).sum()), int((gained < -SAME).sum())
        means = {"value": value.mean(), "baseline": base.mean(), "difference": difference.mean()}
        counted = {"wins": wins, "losses": losses, "ties": value.size - wins - losses}
        by_id = sorted(part.topics.tolist(), key=topics.__getitem__)  # so that p does not depend on the qrels' order
        p = randomisation_test(values[name][by_id], reference[by_id])[1]
        return {"run": [name], **part.key, **means, **counted, "p": p}

    blocks = map(by_topic, values) if per_topic else _each(over_topics, values, parts)
    return _table(blocks, curve, higher_is_better=higher_is_better, n_topics=ids.size, **options)


def _keys(pool: Pool, name: str, rows: Segments, parts: Sequence[Part]) -> dict[str, Any]:
    of_topic = {"query_id": np.array(pool.topic_ids, dtype=object), **group_column(pool.n_topics, parts)}
    return {
        "run": np.full(rows.size, name, dtype=object),
        **{key: rows.spread(values) for key, values in of_topic.items()},
    }


def _table(blocks: Iterable[dict[str, Any]], curve: str, **options: Any) -> pd.DataFrame:
    import pandas as pd

    table = pd.concat([pd.DataFrame(block) for block in blocks], ignore_index=True)
    table.attrs.update({"curve": curve, **options})
    return table
