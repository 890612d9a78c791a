"""What unjudged documents could make of the difference of two runs, and which of them matter most.

A document that both runs retrieve has one grade: it moves both values, and the difference less than either, or not at
all. So the interval of a difference is narrower than the intervals of the two values suggest. Ways to give grades to
the holes of both runs, see `search`, are put through the measure for either run.

B. Carterette, J. Allan and R. Sitaraman, Minimal test collections for retrieval evaluation, SIGIR 2006, 268-275,
doi:10.1145/1148170.1148219, choose documents to judge for one pair of systems and average precision, by how much each
could change the sign of the difference. `judge_next` sums such weights over the pairs that could turn round.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irpref.analysis.frames import COLUMNS, interval_table
from irpref.analysis.holes.bounds import Bounds, add_rows, by_rising_id, grade_grid, negative_is_a_grade, prepared
from irpref.analysis.holes.filled import Holes, hole_ids
from irpref.analysis.holes.search import (
    FIRST,
    PAIR_CORNERS,
    Places,
    Ways,
    alone,
    attained,
    every_way,
    pair_corners,
    search,
)
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools, Floats, Ints
from irpref.formats.runs import named_runs
from irpref.judged.align import listing
from irpref.measures import everyday
from irpref.messages import DuplicateWarning
from irpref.values.kernels import KernelEvaluator

if TYPE_CHECKING:
    import pandas as pd
    from ir_measures.measures import Measure

    from irpref.judged.types import Qrels, Run
    from irpref.measures.declare import Measures

_SAME = 1e-12


class _Listed(NamedTuple):
    """A run, and its holes, by whether negative grades are judgments: which documents they are, topic by topic."""

    judged: JudgedRun
    values: dict[Any, Floats]
    negative_rows: Ints  # of the pool: judgments of retrieved documents that are none
    doc_ids: dict[bool, list[list[str]]]
    codes: dict[bool, list[Ints]]  # the same as numbers, which all runs share
    rank_rising: dict[bool, Ints]  # their ranks if ties were ranked by rising id


def _listed(evaluate: KernelEvaluator, run: Run, numbers: list[dict[str, int]]) -> _Listed:
    """A run; `numbers` holds, topic by topic, the number of each document met so far, and grows."""
    run = list(run) if isinstance(run, Iterator) else run
    judged = evaluate.align(run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DuplicateWarning)  # was given just now
        every = listing(evaluate.pool, run)
    out = _Listed(judged, evaluate.values_of(judged), every.row[every.grade < 0], {}, {}, {})
    for negative in (False, True):
        out.doc_ids[negative], out.rank_rising[negative] = hole_ids(every, negative)
        out.codes[negative] = [
            np.array([known.setdefault(doc, len(known)) for doc in docs], dtype=np.int64)
            for known, docs in zip(numbers, out.doc_ids[negative], strict=True)
        ]
    return out


def _all_listed(evaluate: KernelEvaluator, runs: Mapping[str, Run]) -> dict[str, _Listed]:
    numbers: list[dict[str, int]] = [{} for _ in range(evaluate.pool.n_topics)]
    return {name: _listed(evaluate, run, numbers) for name, run in runs.items()}


class _Pair(NamedTuple):
    """Two runs with all the holes of both: the documents of a topic have one order for both."""

    a: Holes
    b: Holes
    to_b: list[Ints]  # topic by topic: which hole of `a` each hole of `b` is

    def ranks(self, t: int, rising: bool) -> tuple[Ints, Ints]:
        """Ranks of the holes of a topic in either run, in the order of `a`."""
        rank_b = np.empty_like(self.to_b[t])
        rank_b[self.to_b[t]] = self.b.ranks(t, rising)
        return self.a.ranks(t, rising), rank_b

    def seen(self, t: int, cutoff: int | None, rising: bool) -> tuple[Bools, Bools]:
        """Which of them either run has retrieved, down to the cutoff."""
        seen_b = np.empty(self.to_b[t].size, bool)
        seen_b[self.to_b[t]] = self.b.seen(t, cutoff, rising)
        return self.a.seen(t, cutoff, rising), seen_b

    def values(self, task: partial[Floats], filled: list[tuple[int, Ways]]) -> list[Floats]:
        """Differences of the two runs: see `Holes.values`."""
        of_b = [(t, [way[self.to_b[t]] for way in some]) for t, some in filled]
        return [x - y for x, y in zip(self.a.values(task, filled), self.b.values(task, of_b), strict=True)]

    @classmethod
    def of(cls, one: _Listed, two: _Listed, negative: bool) -> _Pair:
        pool = one.judged.pool
        gone = np.zeros(pool.grade.size, bool)
        if not negative:
            gone[one.negative_rows] = gone[two.negative_rows] = True
        to_b: list[Ints] = []
        only_a, only_b = [], []
        for first, second in zip(one.codes[negative], two.codes[negative], strict=True):
            order = np.argsort(first)
            ascending = np.append(first[order], -1)
            at = np.searchsorted(ascending[:-1], second)
            shared = ascending[at] == second
            place = np.where(shared, np.append(order, 0)[at], first.size + np.cumsum(~shared) - 1)
            alone = np.ones(first.size, bool)
            alone[place[shared]] = False
            rest = np.flatnonzero(alone)
            only_a.append(rest.size)
            only_b.append(int(second.size - shared.sum()))
            to_b.append(np.append(place, rest))
        return cls(
            Holes(one.judged, negative, np.array(only_b), gone, one.rank_rising[negative]),
            Holes(two.judged, negative, np.array(only_a), gone, two.rank_rising[negative]),
            to_b,
        )


def _difference(measure: Measure, task: partial[Floats], pair: _Pair, grid: Floats) -> Bounds:
    """Bounds of the difference of two runs in each topic."""
    rising, cutoff = by_rising_id(measure), task.keywords.get("cutoff")
    some: dict[int, Ways] = {}
    rest: dict[int, Places] = {}
    for t, turn in enumerate(pair.to_b):
        seen_a, seen_b = pair.seen(t, cutoff, rising)
        rank_a, rank_b = pair.ranks(t, rising)
        if task.func in PAIR_CORNERS:
            every: Ways | None = pair_corners(seen_a, seen_b, grid)
        elif task.func in FIRST:
            every = alone(np.where(seen_a, rank_a, np.inf), np.where(seen_b, rank_b, np.inf), grid)
        else:
            every = every_way(turn.size, grid)
        if every is None:
            effect = np.where(seen_a, 1 / np.log2(rank_a + 1), 0) - np.where(seen_b, 1 / np.log2(rank_b + 1), 0)
            rest[t] = Places.of(effect, seen_a | seen_b)
        else:
            some[t] = every
    values = partial(pair.values, task)
    return Bounds.of(attained(values, some) | search(values, rest, grid))


def _differences(
    measure: Measure, task: partial[Floats], listed: Mapping[str, _Listed], grid: Floats
) -> Iterator[Bounds]:
    """Differences of all pairs of runs, in the order of `itertools.combinations`."""
    if task.func is everyday.precision:
        yield from _of_precision(list(listed.values()), grid, **task.keywords)
        return
    negative = negative_is_a_grade(measure)
    for one, two in combinations(listed.values(), 2):
        yield _difference(measure, task, _Pair.of(one, two, negative), grid)


def _of_precision(runs: list[_Listed], grid: Floats, *, rel: float, cutoff: int, **_: Any) -> Iterator[Bounds]:
    """P of all pairs at once: only the numbers of holes in the first ranks of one run, and of both, matter."""
    n_topics = runs[0].judged.n_topics
    found = np.array([run.judged.hits.count((run.judged.rank <= cutoff) & (run.judged.grade >= rel)) for run in runs])
    every = [Holes(run.judged, False) for run in runs]
    lacks = np.zeros((len(runs), len(runs), n_topics), np.int64)  # holes of the first run that the second lacks
    for t in range(n_topics):
        seen = [of.codes[False][t][holes.seen(t, cutoff)] for of, holes in zip(runs, every, strict=True)]
        numbers, column = np.unique(np.concatenate(seen), return_inverse=True)
        holds = np.zeros((len(runs), numbers.size), np.float32)  # sums of ones are exact
        holds[np.repeat(np.arange(len(runs)), [codes.size for codes in seen]), column] = 1
        lacks[:, :, t] = holds.sum(axis=1)[:, None] - holds @ holds.T
    some, all_ = grid[-1] >= rel, grid[0] >= rel
    for i, j in combinations(range(len(runs)), 2):
        # Holes that both hold add to neither, unless no grade is below `rel`.
        a, b = found[i], found[j]
        one, two = (lacks[i, j], lacks[j, i]) if some else (0 * a, 0 * b)
        low = (a + one * all_) / cutoff - (b + two) / cutoff
        high = (a + one) / cutoff - (b + two * all_) / cutoff
        yield Bounds(low, high, np.ones(n_topics, bool))


def difference_intervals(
    measures: Measures, qrels: Qrels, run_a: Run, run_b: Run, grades: Iterable[float] | None = None
) -> pd.DataFrame:
    """Lowest and highest difference of two runs over the grades that unjudged documents of either could have.

    Parameters
    ----------
    measures : measures that are computed here, or their names
    qrels, run_a, run_b : in any form that `irpref.evaluator` takes
    grades : as `irpref.intervals(over='unjudged')` takes them

    Returns
    -------
    pandas.DataFrame
        As `irpref.intervals(over='unjudged')`, of the value of `run_a` less that of `run_b`.

    Raises
    ------
    ValueError
        As `hole_intervals`.

    Examples
    --------
    Both retrieve x, which nobody judged; b retrieves y besides.

    >>> qrels, a, b = {"q": {"r": 1}}, {"q": {"r": 2, "x": 1}}, {"q": {"x": 2, "y": 1}}
    >>> difference_intervals("P@2", qrels, a, b)[["query_id", "value", "low", "high", "exact"]]
      query_id  value  low  high  exact
    0        q    0.5  0.0   0.5   True
    1     None    0.5  0.0   0.5   True
    """
    chosen, evaluate = prepared(measures, qrels)
    one, two = _all_listed(evaluate, {"a": run_a, "b": run_b}).values()
    pairs: dict[bool, _Pair] = {}
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for measure in chosen:
        task, negative = evaluate.tasks[measure], negative_is_a_grade(measure)
        assert isinstance(task, partial)
        if negative not in pairs:
            pairs[negative] = _Pair.of(one, two, negative)
        grid = grade_grid(measure, task.keywords, evaluate.pool, grades)
        found = _difference(measure, task, pairs[negative], grid)
        add_rows(columns, evaluate, measure, one.values[measure] - two.values[measure], found)
    return interval_table(**columns)


def pair_intervals(
    measures: Measures, qrels: Qrels, runs: Mapping[str, Run] | Iterable[Any], grades: Iterable[float] | None = None
) -> pd.DataFrame:
    """Intervals of the mean differences of all pairs of runs: which of them could turn round?

    Returns
    -------
    pandas.DataFrame
        `measure, a, b, value, low, high, exact, could_turn`. `could_turn`: there are grades with which the run that is
        behind is level or ahead. If `exact` is False, the bounds were found by a search, and a pair of which
        `could_turn` is False may still turn round.
    """
    import pandas as pd

    chosen, evaluate = prepared(measures, qrels)
    listed = _all_listed(evaluate, named_runs(runs))
    rows = []
    for measure in chosen:
        task = evaluate.tasks[measure]
        assert isinstance(task, partial)
        grid = grade_grid(measure, task.keywords, evaluate.pool, grades)
        pairs = zip(combinations(listed, 2), _differences(measure, task, listed, grid), strict=True)
        for (a, b), found in pairs:
            value = listed[a].values[measure] - listed[b].values[measure]
            means = [evaluate.means_of({measure: of})[measure] for of in (value, found.low, found.high)]
            turns = (means[1] <= 0 <= means[2]) and means[1] < means[2]
            rows.append([str(measure), a, b, *means, bool(found.exact.all()), turns])
    return pd.DataFrame(rows, columns=["measure", "a", "b", "value", "low", "high", "exact", "could_turn"])


class _Effects(NamedTuple):
    """What documents that could be judged next would do to a run: what its value gains if one has the highest grade."""

    base: Floats  # (n_topics,), all holes of the lowest grade
    of: list[dict[str, float]]  # topic by topic, of the holes of its first ranks
    other: Floats  # (n_topics,), of any other document


def _effects(measure: Measure, task: partial[Floats], run: _Listed, grid: Floats, depth: int) -> _Effects:
    negative, n_topics = negative_is_a_grade(measure), run.judged.n_topics
    depth = min(depth, task.keywords.get("cutoff") or depth)
    holes = Holes(run.judged, negative, np.ones(n_topics, np.int64), None, run.rank_rising[negative])
    docs, filled = [], []
    for t, doc_ids in enumerate(run.doc_ids[negative]):
        rank = holes.ranks(t)
        docs.append(doc_ids[: int(np.searchsorted(rank[:-1], depth, side="right"))])
        ways = np.full((len(docs[t]) + 2, rank.size), grid[0])
        ways[np.arange(1, len(docs[t]) + 1), np.arange(len(docs[t]))] = ways[-1, -1] = grid[-1]
        filled.append((t, list(ways)))
    values = holes.values(task, filled)
    of = [dict(zip(some, (v[1:-1] - v[0]).tolist(), strict=True)) for some, v in zip(docs, values, strict=True)]
    return _Effects(np.array([v[0] for v in values]), of, np.array([v[-1] - v[0] for v in values]))


def _weights(runs: list[_Effects]) -> dict[tuple[int, str], float]:
    """How much each document of a topic could change the differences of pairs of runs that could turn round."""
    first, second = map(np.array, zip(*combinations(range(len(runs)), 2), strict=True))
    docs = [list(dict.fromkeys(chain.from_iterable(some))) for some in zip(*(run.of for run in runs), strict=True)]
    effects = []
    for t, some in enumerate(docs):
        rows = [[run.of[t].get(doc, run.other[t]) for doc in some] for run in runs]
        effects.append(np.array(rows).reshape(len(runs), len(some)))
    total = np.array([run.base.sum() for run in runs])
    lead = total[first] - total[second]
    # How far the run behind can come nearer; of two that are level, either way.
    sign = np.where(lead < 0, -1.0, 1.0)
    nearer, farther = np.zeros(first.size), np.zeros(first.size)
    for effect in effects:
        change = sign[:, None] * (effect[first] - effect[second])
        nearer += np.maximum(-change, 0.0).sum(axis=1)
        farther += np.maximum(change, 0.0).sum(axis=1)
    turns = np.where(lead == 0, nearer + farther > 0, (nearer > 0) & (nearer >= np.abs(lead) - _SAME))
    a, b = first[turns], second[turns]
    out: dict[tuple[int, str], float] = {}
    for t, (some, effect) in enumerate(zip(docs, effects, strict=True)):
        weight = np.abs(effect[a] - effect[b]).sum(axis=0) / len(effects)
        out.update({(t, doc): w for doc, w in zip(some, weight.tolist(), strict=True)})
    return out


def judge_next(
    measures: Measures,
    qrels: Qrels,
    runs: Mapping[str, Run] | Iterable[Any],
    n: int = 20,
    grades: Iterable[float] | None = None,
    depth: int = 20,
) -> pd.DataFrame:
    """The unjudged documents whose judgments would say most about which run is better.

    Let e be what a document adds to the mean of a run if it has the highest grade and not the lowest, all other
    unjudged documents having the lowest. A pair of runs could turn round if the documents that favour the run that is
    behind, taken together, make up for its lag; a document's weight is the sum of the sizes of e(A) - e(B) over such
    pairs, averaged over the measures.

    Parameters
    ----------
    measures : measures that are computed here, or their names
    qrels : in any form that `irpref.evaluator` takes
    runs : mapping of name to run, or paths
    n : int
        Number of documents.
    grades : as `irpref.intervals(over='unjudged')` takes them
    depth : int
        Documents below this rank (or the measure's cutoff) in all runs are not looked at.

    Returns
    -------
    pandas.DataFrame
        `query_id, doc_id, weight, runs`, highest weight first; `runs`: list of the runs that have the document among
        their first `depth` (or the cutoff). Fewer than `n` rows where no more documents have a weight.

    Raises
    ------
    ValueError
        As `hole_intervals`; fewer than two runs; `n` or `depth` below 1.

    Notes
    -----
    For P with a cutoff of at most `depth` the pairs are exactly those that could turn round, since values are sums;
    for other measures the sum of the effects of single documents approximates what they do together.

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
            raise ValueError(f"{name}={number!r} is not accepted, expected an integer of at least 1")
    chosen, evaluate = prepared(measures, qrels)
    listed = _all_listed(evaluate, named_runs(runs))
    if len(listed) < 2:
        raise ValueError(f"judge_next compares runs: it needs at least 2, got {len(listed)}")
    weights: dict[tuple[str, str], float] = {}
    retrieved: dict[tuple[str, str], dict[str, None]] = {}
    for measure in chosen:
        task = evaluate.tasks[measure]
        assert isinstance(task, partial)
        grid = grade_grid(measure, task.keywords, evaluate.pool, grades)
        found = {name: _effects(measure, task, run, grid, depth) for name, run in listed.items()}
        for (t, doc), weight in _weights(list(found.values())).items():
            key = evaluate.topic_ids[t], doc
            weights[key] = weights.get(key, 0.0) + weight / len(chosen)
            retrieved.setdefault(key, {}).update(dict.fromkeys(name for name, of in found.items() if doc in of.of[t]))
    best = sorted((key for key in weights if weights[key] > _SAME), key=lambda key: (-weights[key], key))[:n]
    return pd.DataFrame(
        {
            "query_id": [topic for topic, _ in best],
            "doc_id": [doc for _, doc in best],
            "weight": [weights[key] for key in best],
            "runs": [list(retrieved[key]) for key in best],
        }
    )
