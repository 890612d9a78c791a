"""Find pairs of runs that could change places once unjudged documents are judged, and the documents that matter most.

B. Carterette, J. Allan and R. Sitaraman, Minimal test collections for retrieval evaluation, SIGIR 2006, 268-275,
doi:10.1145/1148170.1148219, choose documents to judge for one pair of systems and average precision, by how much each
document could change the sign of the difference. `judge_next` sums such weights over the pairs that could change
places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irpref.analysis.holes.bounds import Bounds, bounds_of, negative_is_a_grade, prepared, tasks_of
from irpref.analysis.holes.filled import Holes, Retrieved, retrieved
from irpref.arrays.segments import Floats, Ints
from irpref.formats.runs import named_runs
from irpref.measures import everyday

if TYPE_CHECKING:
    import pandas as pd

    from irpref.judged.types import Qrels, Run
    from irpref.measures.declare import Measures

_SAME = 1e-12


def pair_intervals(
    measures: Measures, qrels: Qrels, runs: Mapping[str, Run] | Iterable[Any], grades: Iterable[float] | None = None
) -> pd.DataFrame:
    """Intervals of the mean differences of all pairs of runs: which pairs could change places?

    Returns
    -------
    pandas.DataFrame
        `measure, a, b, value, low, high, exact, could_turn`. `could_turn`: with some grades the run that is behind is
        level or ahead. If `exact` is False, the bounds were found by a search, and a pair may still change places even
        if `could_turn` is False.
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
            bounds = (bounds_of(measure, task, Holes(evaluate.pool, pair, negative), grid) for pair in pairs)
        for (a, b), found in zip(combinations(listed, 2), bounds, strict=True):
            value = listed[a].values[measure] - listed[b].values[measure]
            means = [evaluate.means_of({measure: of})[measure] for of in (value, found.low, found.high)]
            turns = (means[1] <= 0 <= means[2]) and means[1] < means[2]
            rows.append([str(measure), a, b, *means, bool(found.exact.all()), turns])
    return pd.DataFrame(rows, columns=["measure", "a", "b", "value", "low", "high", "exact", "could_turn"])


def _of_precision(runs: list[Retrieved], grid: Floats, *, rel: float, cutoff: int, **_: Any) -> Iterator[Bounds]:
    """P of all pairs at once: only the numbers of holes in the top ranks of each run, and of both, matter."""
    n_topics = runs[0].topics.n
    seen = [run.topics.position < cutoff for run in runs]
    found = np.array([run.topics.count(top & (run.grade >= rel)) for run, top in zip(runs, seen, strict=True)])
    lacks = np.zeros((len(runs), len(runs), n_topics), np.int64)  # holes of the first run that the second lacks
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
        a, b = found[i], found[j]
        one, two = (lacks[i, j], lacks[j, i]) if some else (0 * a, 0 * b)
        low = (a + one * all_) / cutoff - (b + two) / cutoff
        high = (a + one) / cutoff - (b + two * all_) / cutoff
        yield Bounds(low, high, np.ones(n_topics, bool))


class _Effects(NamedTuple):
    """What a run's value gains if one of the documents that could be judged next has the highest grade."""

    base: Floats  # (n_topics,), value with the lowest grade for all holes
    code: list[Ints]  # by topic, the holes in its first ranks
    of: list[Floats]  # what each of these adds
    other: Floats  # (n_topics,), what any other document adds


def _effects(task: partial[Floats], holes: Holes, grid: Floats, depth: int) -> _Effects:
    filled, code = {}, []
    for t in range(holes.holes.n):
        (rank,) = holes.ranks(t)
        rows = np.flatnonzero(rank <= depth)
        code.append(holes.code[holes.holes.starts[t] + rows])
        ways = np.full((rows.size + 2, rank.size), grid[0])
        ways[np.arange(1, rows.size + 1), rows] = ways[-1, -1] = grid[-1]
        filled[t] = list(ways)
    values = holes.values(task, filled)
    of = [v[1:-1] - v[0] for v in values]
    return _Effects(np.array([v[0] for v in values]), code, of, np.array([v[-1] - v[0] for v in values]))


def _weights(runs: list[_Effects]) -> dict[tuple[int, int], float]:
    """How much each document of a topic could change the differences of pairs of runs that could change places."""
    first, second = map(np.array, zip(*combinations(range(len(runs)), 2), strict=True))
    effects = []
    codes = [np.unique(np.concatenate(some)) for some in zip(*(run.code for run in runs), strict=True)]
    for t, some in enumerate(codes):
        effect = np.array([np.full(some.size, run.other[t]) for run in runs])
        for run, row in zip(runs, effect, strict=True):
            row[np.searchsorted(some, run.code[t])] = run.of[t]
        effects.append(effect)
    total = np.array([run.base.sum() for run in runs])
    lead = total[first] - total[second]
    # How far the run behind can catch up; if two runs are level, in either direction.
    sign = np.where(lead < 0, -1.0, 1.0)
    nearer, farther = np.zeros(first.size), np.zeros(first.size)
    for effect in effects:
        change = sign[:, None] * (effect[first] - effect[second])
        nearer += np.maximum(-change, 0.0).sum(axis=1)
        farther += np.maximum(change, 0.0).sum(axis=1)
    turns = np.where(lead == 0, nearer + farther > 0, (nearer > 0) & (nearer >= np.abs(lead) - _SAME))
    a, b = first[turns], second[turns]
    out: dict[tuple[int, int], float] = {}
    for t, (some, effect) in enumerate(zip(codes, effects, strict=True)):
        weight = np.abs(effect[a] - effect[b]).sum(axis=0) / len(effects)
        out.update({(t, code): w for code, w in zip(some.tolist(), weight.tolist(), strict=True)})
    return out


def judge_next(
    measures: Measures,
    qrels: Qrels,
    runs: Mapping[str, Run] | Iterable[Any],
    n: int = 20,
    grades: Iterable[float] | None = None,
    depth: int = 20,
) -> pd.DataFrame:
    """Rank the unjudged documents by how much their judgments would tell you about which run is better.

    Let e be what a document adds to the mean of a run if it has the highest grade instead of the lowest, and all other
    unjudged documents have the lowest. A pair of runs could change places if the documents that favour the run that is
    behind can together make up its deficit. The weight of a document is the sum of the absolute values of e(A) - e(B)
    over such pairs, averaged over the measures.

    Parameters
    ----------
    measures : measures that are computed here, or their names
    qrels : in any form that `irpref.evaluator` takes
    runs : mapping of name to run, or paths
    n : int
        Number of documents.
    grades : as `irpref.intervals(over='unjudged')` takes them
    depth : int
        Documents below this rank (or the measure's cutoff) in all runs are not considered.

    Returns
    -------
    pandas.DataFrame
        `query_id, doc_id, weight, runs`, highest weight first; `runs`: list of the runs that have the document among
        their first `depth` (or the cutoff). There are fewer than `n` rows if no more documents have a weight.

    Raises
    ------
    ValueError
        As `hole_intervals`; fewer than two runs; `n` or `depth` below 1.

    Notes
    -----
    For P with a cutoff of at most `depth` these are exactly the pairs that could change places, since values are sums.
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
            raise ValueError(f"{name}={number!r} is not accepted, expected an integer of at least 1")
    chosen, evaluate = prepared(measures, qrels)
    listed = retrieved(evaluate, named_runs(runs))
    if len(listed) < 2:
        raise ValueError(f"judge_next compares runs: it needs at least 2, got {len(listed)}")
    ids = next(iter(listed.values())).ids
    weights: dict[tuple[str, str], float] = {}
    having: dict[tuple[str, str], dict[str, None]] = {}
    for measure, task, grid in tasks_of(chosen, evaluate, grades):
        found, last = {}, min(depth, task.keywords.get("cutoff") or depth)
        for name, run in listed.items():
            holes = Holes(evaluate.pool, [run], negative_is_a_grade(measure), spare=True)
            found[name] = _effects(task, holes, grid, last)
        for (t, code), weight in _weights(list(found.values())).items():
            key = evaluate.topic_ids[t], ids[t][code]
            weights[key] = weights.get(key, 0.0) + weight / len(chosen)
            having.setdefault(key, {}).update(dict.fromkeys(name for name, of in found.items() if code in of.code[t]))
    best = sorted((key for key in weights if weights[key] > _SAME), key=lambda key: (-weights[key], key))[:n]
    return pd.DataFrame(
        {
            "query_id": [topic for topic, _ in best],
            "doc_id": [doc for _, doc in best],
            "weight": [weights[key] for key in best],
            "runs": [list(having[key]) for key in best],
        }
    )
