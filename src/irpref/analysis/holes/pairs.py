"""What unjudged documents could make of the difference of two runs, and which of them matter most.

A document that both runs retrieve has one grade: it moves both values, and the difference less than either, or not at
all. So the interval of a difference is narrower than the intervals of the two values suggest.

For P, R, RR, Success, nDCG and what is made like them the extremes are known: see `joint`. For the others (AP, Q,
bpref, rpref, ...) low(A) - high(B) and high(A) - low(B) enclose the difference, where the pool of each run grows with
the documents of both; `low_attained` and `high_attained` are differences that some grades reach. Where both agree, and
in topics with few holes, whose assignments are all tried, the bounds are exact.

B. Carterette, J. Allan and R. Sitaraman, Minimal test collections for retrieval evaluation, SIGIR 2006, 268-275,
doi:10.1145/1148170.1148219, choose documents to judge for one pair of systems and average precision, by how much each
could change the sign of the difference. `judge_next` sums such weights over the pairs that could turn round.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irpref.analysis.holes.algorithms import EXHAUSTIVE, extremes
from irpref.analysis.holes.bounds import bounded, grade_grid, negative_is_a_grade, prepared
from irpref.analysis.holes.filled import Holes
from irpref.analysis.holes.joint import Seen, joint_ways
from irpref.analysis.interval_table import interval_table
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools, Floats, Ints, Segments
from irpref.evaluation import KernelEvaluator
from irpref.formats.runs import named_runs
from irpref.judged.align import listing
from irpref.measures import everyday
from irpref.measures.everyday import hosted
from irpref.messages import DuplicateWarning

if TYPE_CHECKING:
    import pandas as pd
    from ir_measures.measures import Measure

    from irpref.judged.types import Qrels, Run
    from irpref.measures.declare import Measures

_SAME = 1e-12


class _Listed(NamedTuple):
    """A run, and the ids of its holes."""

    judged: JudgedRun
    values: dict[Any, Floats]
    negative_rows: Ints  # of the pool: judgments of retrieved documents that are none
    holes: dict[bool, list[dict[str, int]]]  # by whether negative grades are judgments: topic by topic, rank by id
    codes: dict[bool, list[Ints]]  # the same documents as numbers, which all runs share
    rank_rising: dict[bool, Ints]  # the same holes in the same order: their ranks if ties stood by rising id


def _listed(evaluate: KernelEvaluator, run: Run, numbers: list[dict[str, int]]) -> _Listed:
    """A run; `numbers` holds, topic by topic, the number of each document met so far, and grows."""
    run = list(run) if isinstance(run, Iterator) else run
    judged = evaluate.judge(run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DuplicateWarning)  # was given just now
        every = listing(evaluate.pool, run)
    unjudged, negative = every.row < 0, every.grade < 0
    opens = np.ones(every.score.size + 1, bool)
    opens[1:-1] = every.score[1:] != every.score[:-1]
    opens[every.topics.offsets] = True
    ties = Segments(np.flatnonzero(opens))
    rank_rising = every.rank - ties.position + ties.spread(ties.lengths) - 1 - ties.position
    holes: dict[bool, list[dict[str, int]]] = {}
    codes: dict[bool, list[Ints]] = {}
    other: dict[bool, Ints] = {}
    for counts in (False, True):
        rows = np.flatnonzero(unjudged if counts else unjudged | negative)
        found: list[dict[str, int]] = [{} for _ in range(evaluate.pool.n_topics)]
        topic, rank = every.topics.topic[rows].tolist(), every.rank[rows].tolist()
        for t, j, row in zip(topic, rank, rows.tolist(), strict=True):
            found[t][every.doc_ids[row]] = j
        holes[counts], other[counts] = found, rank_rising[rows]
        codes[counts] = [
            np.array([known.setdefault(doc, len(known)) for doc in docs], dtype=np.int64)
            for known, docs in zip(numbers, found, strict=True)
        ]
    return _Listed(judged, evaluate.values_of(judged), every.row[negative], holes, codes, other)


def _all_listed(evaluate: KernelEvaluator, runs: Mapping[str, Run]) -> dict[str, _Listed]:
    numbers: list[dict[str, int]] = [{} for _ in range(evaluate.pool.n_topics)]
    return {name: _listed(evaluate, run, numbers) for name, run in runs.items()}


class _Pair(NamedTuple):
    """Two runs with all the holes of both: the documents of a topic stand in one order for either."""

    a: Holes
    b: Holes
    to_b: list[Ints]  # topic by topic: which hole of `a` each hole of `b` is

    def seen(self, t: int, rising: bool) -> tuple[Seen, Seen]:
        """The runs in one topic, holes in the order of `a`; with `rising`, ties stand by rising id."""
        found = []
        for of, turn in ((self.a, None), (self.b, self.to_b[t])):
            topic, base = of.topic(t), of.base
            rank, hit_rank = topic.rank, topic.hit_rank
            if rising and of.rank_rising is not None and base.rank_rising is not None:
                rank = of.rank_rising[of.holes.offsets[t] : of.holes.offsets[t + 1]]
                hit_rank = base.rank_rising[base.hits.offsets[t] : base.hits.offsets[t + 1]]
            if turn is not None:
                turned = np.empty_like(rank)
                turned[turn] = rank
                rank = turned
            found.append(Seen(topic, rank, hit_rank, topic.hit_grade))
        return found[0], found[1]

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


class _Difference(NamedTuple):
    """Bounds of the difference of each topic: arrays (n_topics,)."""

    value: Floats
    low: Floats
    high: Floats
    low_attained: Floats
    high_attained: Floats
    exact: Bools


def _difference(measure: Measure, task: partial[Floats], pair: _Pair, grid: Floats, value: Floats) -> _Difference:
    n = value.size
    of_host = hosted(measure)
    rising = of_host is not None and of_host.ties(measure)
    known = np.zeros(n, bool)
    ways: list[list[Floats]] = []
    outer: list[tuple[float, float]] = []
    for t in range(n):
        turn = pair.to_b[t]
        if not turn.size:
            ways.append([np.zeros(0)])
            outer.append((-np.inf, np.inf))
            continue
        joint = joint_ways(task, *pair.seen(t, rising), grid)
        if joint is None and grid.size**turn.size <= EXHAUSTIVE:
            joint = [np.array(way) for way in product(grid.tolist(), repeat=turn.size)]
        if joint is not None:
            known[t] = True
            ways.append(joint)
            outer.append((-np.inf, np.inf))
            continue
        rank_a = pair.a.topic(t).rank
        rank_b = np.empty_like(rank_a)
        rank_b[turn] = pair.b.topic(t).rank
        seen_a = rank_a <= pair.a.topic(t).limit(task.keywords.get("cutoff"))
        seen_b = rank_b <= pair.b.topic(t).limit(task.keywords.get("cutoff"))
        low, high = grid[0], grid[-1]
        only_a, only_b = seen_a & ~seen_b, seen_b & ~seen_a
        some = [np.where(only_a, high, low), np.where(only_b, high, low)]
        some += [np.where(only_b, low, high), np.where(only_a, low, high)]
        above = (rank_a < rank_b) & seen_a
        some += [np.where(above, high, low), np.where(seen_b & (rank_b < rank_a), high, low)]
        if pair.a.rank_rising is not None and pair.b.rank_rising is not None:
            other_a = pair.a.rank_rising[pair.a.holes.offsets[t] : pair.a.holes.offsets[t + 1]]
            other_b = np.empty_like(other_a)
            other_b[turn] = pair.b.rank_rising[pair.b.holes.offsets[t] : pair.b.holes.offsets[t + 1]]
            some += [np.where(other_a < other_b, high, low), np.where(other_b < other_a, high, low)]
        found_a, found_b = (extremes(measure, task, holes, t, grid) for holes in (pair.a, pair.b))
        a = bounded(found_a, pair.a.values(task, [(t, found_a.ways)])[0])
        of_b = pair.b.values(task, [(t, found_b.ways)])[0]
        b = bounded(found_b, of_b)
        outer.append((a[0] - b[1], a[1] - b[0]))
        back = []
        for way in found_b.ways[:16]:
            other = np.empty_like(way)
            other[turn] = way
            back.append(other)
        some += [*found_a.ways[:16], *back]
        # Documents of one run as suits it, of the other as suits that one; those of both either way.
        some += [np.where(seen_b, y, x) for x in found_a.ways[:4] for y in back[:4]]
        some += [np.where(seen_a, x, y) for x in found_a.ways[:4] for y in back[:4]]
        ways.append(some)
    values_a = pair.a.values(task, enumerate(ways))
    values_b = pair.b.values(task, ((t, [way[pair.to_b[t]] for way in some]) for t, some in enumerate(ways)))
    reached = [x - y for x, y in zip(values_a, values_b, strict=True)]
    low_attained, high_attained = np.array([r.min() for r in reached]), np.array([r.max() for r in reached])
    free = known | np.array([not turn.size for turn in pair.to_b], dtype=bool)
    low = np.array([x for x, _ in outer])
    high = np.array([y for _, y in outer])
    low = np.where(free | (low > low_attained - _SAME), low_attained, low)
    high = np.where(free | (high < high_attained + _SAME), high_attained, high)
    exact = (low == low_attained) & (high == high_attained)
    return _Difference(value, low, high, low_attained, high_attained, exact)


def _differences(
    measure: Measure, task: partial[Floats], listed: Mapping[str, _Listed], grid: Floats
) -> Iterator[_Difference]:
    """Differences of all pairs of runs, in the order of `itertools.combinations`."""
    if task.func is everyday.precision:
        yield from _of_precision(measure, list(listed.values()), grid, **task.keywords)
        return
    negative = negative_is_a_grade(measure)
    for one, two in combinations(listed.values(), 2):
        value = one.values[measure] - two.values[measure]
        yield _difference(measure, task, _Pair.of(one, two, negative), grid, value)


def _of_precision(measure: Measure, runs: list[_Listed], grid: Floats, *, rel: float, cutoff: int, **_: Any) -> Any:
    """P of all pairs at once: only the numbers of holes in the first ranks of one run, and of both, matter."""
    n_topics = runs[0].judged.n_topics
    found = np.array([run.judged.hits.count((run.judged.rank <= cutoff) & (run.judged.grade >= rel)) for run in runs])
    alone = np.zeros((len(runs), len(runs), n_topics), np.int64)  # holes of the first run that the second lacks
    for t in range(n_topics):
        seen = [run.codes[False][t][: _n_above(run.holes[False][t], cutoff)] for run in runs]
        numbers, column = np.unique(np.concatenate(seen), return_inverse=True)
        holds = np.zeros((len(runs), numbers.size), np.float32)  # sums of ones are exact
        holds[np.repeat(np.arange(len(runs)), [codes.size for codes in seen]), column] = 1
        alone[:, :, t] = holds.sum(axis=1)[:, None] - holds @ holds.T
    some, all_ = grid[-1] >= rel, grid[0] >= rel
    for i, j in combinations(range(len(runs)), 2):
        # Holes that both hold add to neither, unless no grade is below `rel`.
        a, b = found[i], found[j]
        one, two = (alone[i, j], alone[j, i]) if some else (0 * a, 0 * b)
        low = (a + one * all_) / cutoff - (b + two) / cutoff
        high = (a + one) / cutoff - (b + two * all_) / cutoff
        yield _Difference(
            runs[i].values[measure] - runs[j].values[measure], low, high, low, high, np.ones(n_topics, bool)
        )


def _n_above(holes: Mapping[str, int], cutoff: int) -> int:
    """How many of the holes, which stand by rising rank, are in the first ranks."""
    number = 0
    for rank in holes.values():
        if rank > cutoff:
            break
        number += 1
    return number


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
    order = sorted(range(len(evaluate.topic_ids)), key=evaluate.topic_ids.__getitem__)
    columns: dict[str, list[Any]] = {name: [] for name in ("query_id", "measure", "expected", *_Difference._fields)}
    for measure in chosen:
        task, negative = evaluate.tasks[measure], negative_is_a_grade(measure)
        assert isinstance(task, partial)
        if negative not in pairs:
            pairs[negative] = _Pair.of(one, two, negative)
        grid = grade_grid(measure, task.keywords, evaluate.pool, grades)
        found = _difference(measure, task, pairs[negative], grid, one.values[measure] - two.values[measure])
        columns["query_id"] += [evaluate.topic_ids[t] for t in order] + [None]
        columns["measure"] += [str(measure)] * (len(order) + 1)
        columns["expected"] += [np.nan] * (len(order) + 1)
        for name, of in found._asdict().items():
            columns[name] += of[order].tolist()
            columns[name].append(bool(of.all()) if name == "exact" else evaluate.means_of({measure: of})[measure])
    return interval_table(**columns)


def pair_intervals(
    measures: Measures, qrels: Qrels, runs: Mapping[str, Run] | Iterable[Any], grades: Iterable[float] | None = None
) -> pd.DataFrame:
    """Intervals of the mean differences of all pairs of runs: which of them could turn round?

    Returns
    -------
    pandas.DataFrame
        `measure, a, b, value, low, high, exact, low_attained, high_attained, could_turn`. `could_turn`: the run that
        is behind could be level or ahead, as far as the bounds say; so where they are not exact it may be True
        although no grades turn the pair round, but never the other way.
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
            exact = bool(found.exact.all())
            means = {
                name: evaluate.means_of({measure: of})[measure]
                for name, of in found._asdict().items()
                if name != "exact"
            }
            turns = (means["low"] <= 0 <= means["high"]) and means["low"] < means["high"]
            rows.append({"measure": str(measure), "a": a, "b": b, **means, "exact": exact, "could_turn": turns})
    names = ["measure", "a", "b", "value", "low", "high", "exact", "low_attained", "high_attained", "could_turn"]
    return pd.DataFrame(rows, columns=names)


class _Effects(NamedTuple):
    """What the documents of a topic that could be judged next would do to each run."""

    docs: list[str]
    effect: Floats  # (n_runs, n_docs)
    found: list[list[str]]  # by document, the runs that retrieve it


def _effects(measure: Measure, task: partial[Floats], listed: dict[str, _Listed], grid: Floats, depth: int) -> Any:
    """Value of each run with all holes of the lowest grade, (n_runs, n_topics), and `_Effects` of each topic.

    The effect of a document is what the value gains if it has the highest grade instead.
    """
    negative = negative_is_a_grade(measure)
    cutoff = task.keywords.get("cutoff")
    depth = depth if cutoff is None else min(depth, cutoff)
    n_topics = next(iter(listed.values())).judged.n_topics
    docs: list[dict[str, int]] = [{} for _ in range(n_topics)]
    found: list[list[list[str]]] = [[] for _ in range(n_topics)]
    shallow: dict[str, list[list[str]]] = {}
    for name, run in listed.items():
        shallow[name] = []
        for t, holes in enumerate(run.holes[negative]):
            high = [doc for doc, rank in holes.items() if rank <= depth]
            shallow[name].append(high)
            for doc in high:
                place = docs[t].setdefault(doc, len(docs[t]))
                if place == len(found[t]):
                    found[t].append([])
                found[t][place].append(name)
    base = np.empty((len(listed), n_topics))
    effects = [np.empty((len(listed), len(of))) for of in docs]
    for i, (name, run) in enumerate(listed.items()):
        holes_of = Holes(run.judged, negative, np.ones(n_topics, np.int64), None, run.rank_rising[negative])
        ways = []
        for t in range(n_topics):
            size = int(holes_of.holes.lengths[t])
            some = [np.full(size, grid[0])]
            for place in (*range(len(shallow[name][t])), size - 1):
                way = some[0].copy()
                way[place] = grid[-1]
                some.append(way)
            ways.append(some)
        for t, values in enumerate(holes_of.values(task, enumerate(ways))):
            base[i, t] = values[0]
            effects[t][i, :] = values[-1] - values[0]  # one that this run did not retrieve, or too low to be seen
            at = [docs[t][doc] for doc in shallow[name][t]]
            effects[t][i, at] = values[1:-1] - values[0]
    return base, [_Effects(list(of), effects[t], found[t]) for t, of in enumerate(docs)]


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
    for other measures the sum of the effects of single documents stands for what they do together.

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
    first, second = map(np.array, zip(*combinations(range(len(listed)), 2), strict=True))
    weights: dict[tuple[str, str], float] = {}
    retrieved: dict[tuple[str, str], list[str]] = {}
    for measure in chosen:
        task = evaluate.tasks[measure]
        assert isinstance(task, partial)
        grid = grade_grid(measure, task.keywords, evaluate.pool, grades)
        base, effects = _effects(measure, task, listed, grid, depth)
        lead = base.sum(axis=1)[first] - base.sum(axis=1)[second]
        sign = np.where(lead < 0, -1.0, 1.0)
        # How far the run behind can come nearer; of two that are level, either way.
        nearer, farther = np.zeros(first.size), np.zeros(first.size)
        for of in effects:
            change = sign[:, None] * (of.effect[first] - of.effect[second])
            nearer += np.maximum(-change, 0.0).sum(axis=1)
            farther += np.maximum(change, 0.0).sum(axis=1)
        turns = np.where(lead == 0, nearer + farther > 0, (nearer > 0) & (nearer >= np.abs(lead) - _SAME))
        a, b = first[turns], second[turns]
        for t, of in enumerate(effects):
            weight = np.abs(of.effect[a] - of.effect[b]).sum(axis=0) / (len(effects) * len(chosen))
            for doc, w, names in zip(of.docs, weight.tolist(), of.found, strict=True):
                key = evaluate.topic_ids[t], doc
                weights[key] = weights.get(key, 0.0) + w
                known = retrieved.setdefault(key, [])
                known += [name for name in names if name not in known]
    best = sorted((key for key in weights if weights[key] > _SAME), key=lambda key: (-weights[key], key))[:n]
    return pd.DataFrame(
        {
            "query_id": [topic for topic, _ in best],
            "doc_id": [doc for _, doc in best],
            "weight": [weights[key] for key in best],
            "runs": [retrieved[key] for key in best],
        }
    )
