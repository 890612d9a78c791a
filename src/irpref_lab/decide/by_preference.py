"""Compare two rankings directly, without a measure: only by the ranks of their relevant documents.

    p_i, q_i        rank of the i-th relevant document in ranking a, in ranking b; infinite if fewer
                    were retrieved
    R               relevant documents of the topic: i = 1 ... R
    s_i             1 if p_i < q_i, -1 if p_i > q_i, 0 if they are equal

    rpp             sum over i of w_i s_i: users who want i relevant documents prefer the list that
                    has them earlier
    lexirecall      the last s_i that is not 0: the users who want most decide, then those who want
                    one less, ...
    lexiprecision   the first s_i that is not 0: the users who want one document decide, then those
                    who want two, ...

w_i is 1/R (`uniform`), or proportional to 1/i (`inverse`) or 1/log2(i + 1) (`dcg`), with sum 1.
Every value is in [-1, 1], positive if a is better; if you swap a and b, it changes its sign.

F. Diaz and A. Ferraro, Offline retrieval evaluation without evaluation metrics, SIGIR 2022,
doi:10.1145/3477495.3532033 (rpp). F. Diaz, M. D. Ekstrand and B. Mitra, Recall, robustness, and
lexicographic evaluation, ACM TORS 2025, arXiv:2302.11370 (lexirecall). F. Diaz, Best-case retrieval
evaluation: improving the sensitivity of reciprocal rank with lexicographic precision, EVIA 2023,
doi:10.20736/0002001353 (lexiprecision). With one threshold of relevance the values are those of the
first author's scripts, github.com/diazf/pref_eval.

Relation to measures: if reciprocal ranks differ, lexiprecision has the sign of their difference. If
`TSE` and `RecallEffort` differ, which use only the rank of the last relevant document, lexirecall
has the sign of theirs. If one list retrieves more relevant documents than the other, lexirecall
prefers it.

Decided here:

- with several grades (`graded=True`) rpp is computed with each grade of the topic as the threshold,
  and averaged with the number of documents that reach it as the weight. The scripts are meant to do
  so, but use the ranks of the first threshold for all of them: their values for graded judgments
  are binary ones;
- a topic without relevant documents has preference 0 and counts in means; the authors leave it out;
- runs are ordered by their mean preference over all other runs and topics. The authors aggregate by
  Markov chains or Borda counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from irpref.data.run_names import named_runs
from irpref.errors import ArgumentError
from irpref.judged.groups import group_of_topic, groups_of
from irpref.judged.inputs import in_memory
from irpref.judged.judgments import judgments
from irpref.judged.pool import Pool
from irpref.judged.run import align_run
from irpref.judged.types import Groups, Qrels, Runs
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Floats, Ints, Segments
from irpref.measures.declare import REL
from irpref.messages import about, check_choice, not_accepted, once_per_call
from irpref.observed.evidence import check_present
from irpref.observed.gathering import gathered
from irpref.values.matrix import PairDifferences
from irpref.values.means import SAME, best_first, magnitude, places, settled
from irpref_lab.decide.grounds import absent_runs
from irpref_lab.decide.significance import sign_test
from irpref_lab.remarks import of_many_runs
from irpref_lab.trust.frames import ResultFrame
from irpref_lab.trust.samples import pairs_of_systems

HOW = ("rpp", "lexirecall", "lexiprecision")
WEIGHTS = ("uniform", "inverse", "dcg")
_RETRIEVED = "NumRet"  # what runs retrieve says all that preferences rest on


class PreferenceTable(ResultFrame):
    """What `prefer` returns for many runs: a row for each run, best first, with the pairs behind
    it.

    Attributes
    ----------
    pairs : pandas.DataFrame
        A row for each pair of runs: `a`, `b`, (`group`,) `preference` (mean over the topics,
        positive if `a` is better), `wins`, `losses`, `ties` (numbers of topics; a win is one for
        `a`), `p_sign` (two-sided sign test of wins and losses; not adjusted for the number of
        pairs).
    differences : irpref_lab.meta.PairDifferences
        The preference of each pair and topic, for `irpref_lab.meta.discriminative_power`.
    notes : list of str
        What the preferences rest on, a sentence each.
    """

    _metadata: ClassVar[list[str]] = ["pairs", "differences", "notes"]


@once_per_call
def prefer(
    qrels: Qrels,
    runs: Runs,
    other: Any = None,
    *,
    how: str = "rpp",
    weights: str = "uniform",
    rel: float = 1,
    graded: bool = False,
    groups: Groups | None = None,
) -> pd.DataFrame:
    """Compare two runs directly, topic by topic, or order many runs by such comparisons.

    Parameters
    ----------
    qrels : in any form that `irpref.evaluator` takes
    runs : a run in any form; or, without `other`, mapping of name to run, or list of paths
    other : run, optional
        The run to compare with.
    how : {'rpp', 'lexirecall', 'lexiprecision'}
        Recall-paired preference: average over all numbers of relevant documents that users may
        want. Lexicographic recall: users who want all decide first. Lexicographic precision: users
        who want one decide first.
    weights : {'uniform', 'inverse', 'dcg'}
        For rpp: weights of these numbers.
    rel : number
        Minimum grade counted as relevant.
    graded : bool
        For rpp: every grade from `rel` on is a threshold in turn.
    groups : mapping of topic to group, path of a file, or name of a column of the qrels, optional
        A table for each group of topics, one below the other.

    Returns
    -------
    pandas.DataFrame
        For two runs: a row for each topic of the qrels, in their order, with `query_id`, (`group`)
        and `preference`: in [-1, 1], positive if the first run is better. For many runs: a
        `PreferenceTable`, with a row for each run, best first: `run`, (`group`,) `preference` (mean
        over the other runs and all topics), `wins`, `losses`, `ties` (numbers of topics, over all
        other runs), `place`; its attribute `pairs` has a row for each pair. Runs that answer no
        judged topic, or retrieve no judged document, are compared with no other and come last: a
        column `reason` says why, if there are any.

    Raises
    ------
    ValueError
        An option is not accepted; fewer than two runs that answer a judged topic; what
        `irpref.evaluator` raises.
    TypeError
        A single run without `other`.

    Notes
    -----
    Deep lists decide more comparisons: documents that were not retrieved are ranked after all
    others, for both runs.

    Examples
    --------
    Relevant documents at ranks 1 and 4, against 2 and 3: users who want one prefer `a`, users who
    want both prefer `b`.

    >>> qrels = {"q": {"x": 1, "y": 1}}
    >>> a = {"q": {"x": 9, "n1": 8, "n2": 7, "y": 6}}
    >>> b = {"q": {"n1": 9, "x": 8, "y": 7}}
    >>> for how in HOW:
    ...     print(how, prefer(qrels, a, b, how=how)["preference"].tolist())
    rpp [0.0]
    lexirecall [-1.0]
    lexiprecision [1.0]
    >>> prefer(qrels, {"a": a, "b": b}, how="lexirecall")
      run  preference  wins  losses  ties  place
    0   b         1.0     1       0     0      1
    1   a        -1.0     0       1     0      2
    """
    _check(how, weights, rel, graded)
    read = judgments(qrels)
    pool = read.pool()
    masks = groups_of(groups, read, pool.topic_ids)
    named = named_runs(runs) if other is None else {"the first run": runs, "the second run": other}
    if len(named) < 2:
        raise ArgumentError(
            f"prefer compares runs and needs at least 2, got {len(named)}", parameter="runs"
        )
    named = {name: in_memory(run) for name, run in named.items()}
    facts = gathered([_RETRIEVED], read, named)
    if other is not None:
        check_present(facts.systems, len(facts.topics))
    absent = absent_runs(facts)
    aligned = {}
    for name, run in named.items():
        if name not in absent:
            with about(name):
                aligned[name] = align_run(pool, run)
    preferences = _preferences(pool, list(aligned.values()), how, weights, rel, graded)
    if other is not None:
        table = pd.DataFrame({"query_id": pool.topic_ids, "preference": preferences[0]})
        if groups is not None:
            group_of = group_of_topic(groups, read)
            table.insert(1, "group", [group_of[topic] for topic in pool.topic_ids])
    else:
        differences = PairDifferences(how, list(aligned), pool.topic_ids, preferences)
        tables = [_table(differences.on(inside), group) for group, inside in masks.items()]
        shown = [_with_absent(part, absent) for part in tables]
        table = PreferenceTable(pd.concat(shown, ignore_index=True))
        table.notes = of_many_runs(facts, facts.measures, absent, called=how)
        table.pairs = pd.concat([part.pairs for part in tables], ignore_index=True)
        table.differences = differences
    table.attrs.update(how=how, weights=weights, rel=rel, graded=graded)
    return table


def _with_absent(table: PreferenceTable, absent: Mapping[str, str]) -> pd.DataFrame:
    """The table with the runs that take no part at its end, and a column that says why."""
    if not absent:
        return table
    rows = pd.DataFrame({"run": list(absent), "reason": list(absent.values())})
    if "group" in table:
        rows["group"] = table["group"].iloc[0]
    counts = ("wins", "losses", "ties", "place")
    joined = pd.concat([pd.DataFrame(table).assign(reason=None), rows], ignore_index=True)
    return joined[[*table.columns, "reason"]].astype(dict.fromkeys(counts, "Int64"))


def _check(how: str, weights: str, rel: float, graded: bool) -> None:
    check_choice("how", how, HOW)
    check_choice("weights", weights, WEIGHTS)
    try:
        REL.clean(rel)
    except (ValueError, OverflowError):
        raise not_accepted("rel", rel, REL.accepted()) from None
    if how != "rpp" and (graded or weights != "uniform"):
        given = "graded=True" if graded else f"weights={weights!r}"
        raise ArgumentError(
            f"{given} is for how='rpp', got how={how!r}, which looks at ranks one after the other",
            parameter="how",
            value=how,
        )


def _preferences(
    pool: Pool, runs: Sequence[JudgedRun], how: str, weights: str, rel: float, graded: bool
) -> Floats:
    """Preference for the first run of each pair in each topic: shape (n_pairs, n_topics), in [-1,
    1].
    """
    first, second = pairs_of_systems(len(runs))
    out, size = np.zeros((first.size, pool.n_topics)), np.zeros(pool.n_topics)
    thresholds = np.unique(pool.level_grade[pool.level_grade >= rel]).tolist() if graded else [rel]
    for threshold in thresholds:
        number = pool.count_relevant(threshold)
        if graded:  # skip topics that do not have this grade
            there = pool.levels.count(pool.level_grade == threshold) > 0
            number = np.where(there, number, 0)
        size += number
        rows = Segments.of_lengths(number)
        places = np.array([_places(run, rows, threshold) for run in runs]).reshape(
            len(runs), rows.size
        )
        if how == "lexirecall":  # the last difference is the first of the reversed ranks
            places = places[:, rows.spread(rows.starts + rows.ends - 1) - np.arange(rows.size)]
        weight = _weights(rows, weights)
        for preference, a, b in zip(out, places[first], places[second], strict=True):
            sign = np.sign(b - a)
            if how == "rpp":
                preference += rows.total(weight * sign)
            else:
                preference += np.append(sign, 0)[rows.first(sign != 0)]
    if how == "rpp":
        out = np.clip(out / np.maximum(size, 1), -1.0, 1.0)
        out[np.abs(out) < SAME] = 0.0  # 1 - 1/2 - 1/3 - 1/6 is 0, but not in floating point
    return out


def _places(run: JudgedRun, rows: Segments, threshold: float) -> Ints:
    """Rank of the i-th relevant document of each topic, beyond all ranks if it was not retrieved:
    shape (n_rows,).
    """
    relevant = run.at_least(threshold)
    out = np.full(rows.size, np.iinfo(np.int64).max)
    # None if the topic lacks this grade.
    kept = relevant.hits.position < relevant.hits.spread(rows.lengths)
    out[(relevant.hits.spread(rows.starts) + relevant.hits.position)[kept]] = relevant.rank[kept]
    return out


def _weights(rows: Segments, weights: str) -> Floats:
    """Weight of each number of relevant documents, with sum R in each topic: shape (n_rows,)."""
    i = rows.position + 1.0
    if weights == "uniform":
        return np.ones_like(i)  # exact sums
    raw = 1 / i if weights == "inverse" else 1 / np.log2(i + 1)
    return raw * rows.spread(rows.lengths / np.where(rows.lengths > 0, rows.total(raw), 1.0))


def _table(preferences: PairDifferences, group: str | None) -> PreferenceTable:
    """The runs of one group of topics, best first, with their pairs."""
    names = np.array(preferences.systems, dtype=object)
    n, matrix = preferences.n_systems, preferences.matrix
    key = {} if group is None else {"group": group}
    first, second = pairs_of_systems(n)
    size = magnitude(matrix)
    value = settled(matrix.mean(axis=1), size)
    wins, losses = (matrix > 0).sum(axis=1), (matrix < 0).sum(axis=1)
    ties = matrix.shape[1] - wins - losses

    def of_runs(of_first: Any, of_second: Any) -> Any:
        """Sums over the pairs of each run."""
        return np.bincount(first, of_first, n) + np.bincount(second, of_second, n)

    preferred, sizes = of_runs(value, -value) / (n - 1), of_runs(size, size) / (n - 1)
    preferred = settled(preferred, sizes) + 0.0
    place = places(preferred, sizes)
    won = {
        "wins": of_runs(wins, losses),
        "losses": of_runs(losses, wins),
        "ties": of_runs(ties, ties),
    }
    order = best_first(place, preferences.systems)
    table = PreferenceTable(
        {
            "run": names[order],
            **key,
            "preference": preferred[order],
            **{name: number[order].astype(np.int64) for name, number in won.items()},
            "place": place[order],
        }
    )
    table.pairs = pd.DataFrame(
        {
            "a": names[first],
            "b": names[second],
            **key,
            "preference": value,
            "wins": wins,
            "losses": losses,
            "ties": ties,
            "p_sign": list(map(sign_test, wins.tolist(), losses.tolist())),
        }
    )
    return table
