"""Find pairs of runs that could change places once unjudged documents are judged, and the documents
that matter most.

B. Carterette, J. Allan and R. Sitaraman, Minimal test collections for retrieval evaluation, SIGIR
2006, 268-275, doi:10.1145/1148170.1148219, choose documents to judge for one pair of systems and
average precision, by how much each document could change the sign of the difference. `judge_next`
sums such weights over the pairs that could change places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.data.run_names import named_runs
from irpref.errors import ArgumentError
from irpref.kernel.segments import Floats, Ints
from irpref.lab.trust.holes.bounds import Bounds, bounds_of, negative_is_a_grade, prepared, tasks_of
from irpref.lab.trust.holes.filled import Holes, Retrieved, retrieved
from irpref.lab.trust.holes.search import Ways, attained, corners, one_relevant
from irpref.measures import everyday
from irpref.measures.everyday import declaration

if TYPE_CHECKING:
    import pandas as pd

    from irpref.judged.types import Qrels, Run
    from irpref.measures.declare import MeasureLike, Measures

_SAME = 1e-12
_TOP = 10


def pair_intervals(
    measures: Measures,
    qrels: Qrels,
    runs: Mapping[str, Run] | Iterable[Any],
    grades: Iterable[float] | None = None,
) -> pd.DataFrame:
    """Intervals of the mean differences of all pairs of runs: which pairs could change places?

    Returns
    -------
    pandas.DataFrame
        `measure, a, b, value, low, high, exact, could_turn`. `could_turn`: with some grades the run
        that is behind is level or ahead. If `exact` is False, the bounds were found by a search,
        and a pair may still change places even if `could_turn` is False.
    """
    import pandas as pd

    chosen, evaluate = prepared(measures, qrels)
    listed = retrieved(evaluate, named_runs(runs))
    rows = []
    for measure, task, grid in tasks_of(chosen, evaluate, grades):
        negative = negative_is_a_grade(measure)
        pairs = combinations(listed.values(), 2)
        if task.func is everyday.precision:
            bounds = _of_precision(list(listed.values()), grid, **task.keywords)
        else:
            bounds = (
                bounds_of(measure, task, Holes(evaluate.pool, pair, negative), grid)
                for pair in pairs
            )
        for (a, b), extremes in zip(combinations(listed, 2), bounds, strict=True):
            value = listed[a].values[measure] - listed[b].values[measure]
            means = [
                evaluate.means_of({measure: column})[measure]
                for column in (value, extremes.low, extremes.high)
            ]
            turns = (means[1] <= 0 <= means[2]) and means[1] < means[2]
            rows.append([str(measure), a, b, *means, bool(extremes.exact.all()), turns])
    return pd.DataFrame(
        rows, columns=["measure", "a", "b", "value", "low", "high", "exact", "could_turn"]
    )


def bounds_of_pair(
    measure: MeasureLike,
    qrels: Qrels,
    runs: Mapping[str, Run],
    is_enough: Callable[[float], bool],
) -> tuple[float, float, bool]:
    """Lowest and highest mean difference of two runs, as `pair_intervals` has them.

    First a few ways to grade the unjudged documents are tried, which often suffice: those that only
    one run retrieves are all good or all bad. There is no search if one of the differences that
    they attain `is_enough`.

    Returns
    -------
    low, high : float
    exact : bool
    """
    chosen, evaluate = prepared([measure], qrels)
    listed = list(retrieved(evaluate, named_runs(runs)).values())
    ((one, task, grid),) = tasks_of(chosen, evaluate, None)

    def means(bounds: Bounds) -> tuple[float, float]:
        low, high = (
            float(evaluate.means_of({one: column})[one]) for column in (bounds.low, bounds.high)
        )
        return low, high

    if task.func is everyday.precision:
        (bounds,) = _of_precision(listed, grid, **task.keywords)
        return *means(bounds), True
    holes = Holes(evaluate.pool, listed, negative_is_a_grade(one))
    if not holes.holes.size:
        values = listed[0].values[one] - listed[1].values[one]
        mean = float(evaluate.means_of({one: values})[one])
        return mean, mean, True
    cutoff = task.keywords.get("cutoff")
    rising = getattr(one, "TIES_BY_RISING_ID", False)
    declared = declaration(one)
    first_only = declared is not None and declared.HOLES.first_only
    ways: dict[int, Ways] = {}
    for t in range(holes.holes.n):
        rank = holes.ranks(t, rising)
        if first_only:  # the highest ranks change most
            first, second = np.where(rank <= min(cutoff or _TOP, _TOP), rank, np.inf)
            ways[t] = one_relevant(first, second, grid)
        else:
            ways[t] = corners(rank < np.inf if cutoff is None else rank <= cutoff, grid)
    ends = attained(partial(holes.values, task), ways)
    low, high = np.array([ends[t] for t in ways]).T
    tried = means(Bounds(low, high, np.zeros(low.size, bool)))
    if any(map(is_enough, tried)):
        return *tried, False
    bounds = bounds_of(one, task, holes, grid)
    return *means(bounds), bool(bounds.exact.all())


def _of_precision(
    runs: list[Retrieved], grid: Floats, *, rel: float, cutoff: int, **_: Any
) -> Iterator[Bounds]:
    """P of all pairs at once: only the numbers of holes in the top ranks of each run, and of both,
    matter.
    """
    n_topics = runs[0].topics.n
    seen = [run.topics.position < cutoff for run in runs]
    n_relevant = np.array(
        [run.topics.count(top & (run.grade >= rel)) for run, top in zip(runs, seen, strict=True)]
    )
    lacks = np.zeros(
        (len(runs), len(runs), n_topics), np.int64
    )  # holes of the first run that the second lacks
    holes = [top & run.unjudged(negative=False) for run, top in zip(runs, seen, strict=True)]
    for t in range(n_topics):
        codes = []
        for run, hole in zip(runs, holes, strict=True):
            rows = slice(run.topics.offsets[t], run.topics.offsets[t + 1])
            codes.append(run.code[rows][hole[rows]])
        numbers, column = np.unique(np.concatenate(codes), return_inverse=True)
        holds = np.zeros((len(runs), numbers.size), np.float32)  # sums of ones are exact
        holds[np.repeat(np.arange(len(runs)), list(map(len, codes))), column] = 1
        lacks[:, :, t] = holds.sum(axis=1)[:, None] - holds @ holds.T
    some, all_ = grid[-1] >= rel, grid[0] >= rel
    for i, j in combinations(range(len(runs)), 2):
        # Holes that both runs hold cancel out. `some`: a hole can be relevant; `all_`: it must be.
        a, b = n_relevant[i], n_relevant[j]
        one, two = (lacks[i, j], lacks[j, i]) if some else (0 * a, 0 * b)
        low = (a + one * all_) / cutoff - (b + two) / cutoff
        high = (a + one) / cutoff - (b + two * all_) / cutoff
        yield Bounds(low, high, np.ones(n_topics, bool))


def _effects(
    task: partial[Floats], holes: Holes, grid: Floats, own: list[Ints], some: list[Ints]
) -> tuple[Floats, ...]:
    """What a run's value gains if one of the documents that could be judged next has the highest
    grade.

    Parameters
    ----------
    holes : Holes
        Of the run, and a spare one: documents that are not in `own` have its effect.
    own, some : lists of int arrays, by topic
        Codes of the holes in the first ranks of the run, and of any run.

    Returns
    -------
    base : float array (n_topics,)
        The values with the lowest grade for all holes.
    effect : float array (n_documents,)
        What each document of `some` adds, topic after topic.
    """
    filled, which = {}, []
    for t, (mine, every) in enumerate(zip(own, some, strict=True)):
        rows = holes.holes.offsets[t : t + 2]
        at = np.full(every.size, rows[1] - rows[0] - 1)
        at[np.searchsorted(every, mine)] = np.searchsorted(holes.code[rows[0] : rows[1]], mine)
        tried, back = np.unique(at, return_inverse=True)
        ways = np.full((tried.size + 1, rows[1] - rows[0]), grid[0])
        ways[np.arange(tried.size), tried] = grid[-1]
        filled[t] = list(ways)
        which.append(back)
    values = holes.values(task, filled)
    effects = [(of[:-1] - of[-1])[back] for of, back in zip(values, which, strict=True)]
    return np.array([of[-1] for of in values]), np.concatenate(effects)


def _weights(base: Floats, effect: Floats) -> Floats:
    """How much each document could change the differences of the pairs of runs that could change
    places.

    Parameters
    ----------
    base : float array (n_runs, n_topics)
    effect : float array (n_runs, n_documents)
    """
    total, out = base.sum(axis=1), np.zeros(effect.shape[1])
    for a, b in combinations(range(total.size), 2):
        ahead, behind = (a, b) if total[a] >= total[b] else (b, a)
        lead, change = total[ahead] - total[behind], effect[behind] - effect[ahead]
        # How far the run behind can catch up; if two runs are level, in either direction.
        nearer = np.maximum(change, 0.0).sum()
        if change.any() if lead == 0 else nearer > 0 and nearer >= lead - _SAME:
            out += np.abs(change)
    return out / base.shape[1]


def judge_next(
    measures: Measures,
    qrels: Qrels,
    runs: Mapping[str, Run] | Iterable[Any],
    n: int = 20,
    grades: Iterable[float] | None = None,
    depth: int = 20,
) -> pd.DataFrame:
    """Rank the unjudged documents by how much their judgments would tell you about which run is
    better.

    Let e be what a document adds to the mean of a run if it has the highest grade instead of the
    lowest, and all other unjudged documents have the lowest. A pair of runs could change places if
    the documents that favour the run that is behind can together make up its deficit. The weight of
    a document is the sum of the absolute values of e(A) - e(B) over such pairs, averaged over the
    measures.

    Parameters
    ----------
    measures : measures that are computed here, or their names
    qrels : in any form that `irpref.evaluator` takes
    runs : mapping of name to run, or paths
    n : int
        Number of documents.
    grades : as `irpref.lab.intervals(over='unjudged')` takes them
    depth : int
        Documents below this rank (or the measure's cutoff) in all runs are not considered.

    Returns
    -------
    pandas.DataFrame
        `query_id, doc_id, weight, runs`, highest weight first; `runs`: list of the runs that have
        the document among their first `depth` (or the cutoff). There are fewer than `n` rows if no
        more documents have a weight.

    Raises
    ------
    ValueError
        As `hole_intervals`; fewer than two runs; `n` or `depth` below 1.

    Notes
    -----
    For P with a cutoff of at most `depth` these are exactly the pairs that could change places,
    since values are sums.
    For other measures the sum of the effects of single documents approximates their joint effect.

    Examples
    --------
    >>> qrels = {"q": {"r": 1, "s": 1}}
    >>> runs = {"a": {"q": {"r": 3, "x": 2, "y": 1}}, "b": {"q": {"x": 3, "s": 2, "z": 1}}}
    >>> judge_next("P@3", qrels, runs, n=1)
      query_id doc_id    weight runs
    0        q      y  0.333333  [a]
    """
    import pandas as pd

    for name, number in (("n", n), ("depth", depth)):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 1:
            raise ArgumentError(
                f"{name}={number!r} is not accepted, expected an integer of at least 1",
                parameter=name,
                value=number,
            )
    chosen, evaluate = prepared(measures, qrels)
    listed = retrieved(evaluate, named_runs(runs))
    if len(listed) < 2:
        raise ArgumentError(
            f"judge_next compares runs: it needs at least 2, got {len(listed)}", parameter="runs"
        )
    ids = next(iter(listed.values())).ids
    weights: dict[tuple[str, str], float] = {}
    having: dict[tuple[str, str], dict[str, None]] = {}
    for measure, task, grid in tasks_of(chosen, evaluate, grades):
        last = min(depth, task.keywords.get("cutoff") or depth)
        every = [
            Holes(evaluate.pool, [run], negative_is_a_grade(measure), spare=True)
            for run in listed.values()
        ]
        own = [[holes.topmost(t, last) for t in range(evaluate.pool.n_topics)] for holes in every]
        some = [np.unique(np.concatenate(of)) for of in zip(*own, strict=True)]
        effects = [
            _effects(task, holes, grid, mine, some) for holes, mine in zip(every, own, strict=True)
        ]
        weight = _weights(*map(np.array, zip(*effects, strict=True)))
        documents = [(t, code) for t, of in enumerate(some) for code in of.tolist()]
        for (t, code), w in zip(documents, weight.tolist(), strict=True):
            key = evaluate.topic_ids[t], ids[t][code]
            weights[key] = weights.get(key, 0.0) + w / len(chosen)
            names = (name for name, mine in zip(listed, own, strict=True) if code in mine[t])
            having.setdefault(key, {}).update(dict.fromkeys(names))
    best = sorted(
        (key for key in weights if weights[key] > _SAME), key=lambda key: (-weights[key], key)
    )[:n]
    rows = [[*key, weights[key], list(having[key])] for key in best]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "weight", "runs"])
