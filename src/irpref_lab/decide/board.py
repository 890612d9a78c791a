"""A leaderboard with intervals of means and ranks, and with groups of runs that are not shown to
differ.

Beside each mean you find

- its confidence interval over topics (`irpref_lab.intervals(over='topics')`);
- the run's place, and the range of places consistent with the tests: every run that is
  significantly better is above it, and every run that is significantly worse is below;
- its letters, if eight are enough: two runs share a letter if and only if they are not shown to
  differ;
- for how many topics it has no documents (these count, with the value of an empty list), and the
  share of its first ten documents that are judged.

Ranges of places follow M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm, Inference for ranks with
applications to mobility across neighbourhoods and academic achievement across countries, Review of
Economic Studies 91 (2024) 476-518, doi:10.1093/restud/rdad006. If the family-wise error of all
pairs is at most a, and each significant difference is taken with its sign, then with a probability
of at least 1 - a all ranges hold the true places at once. Theirs come from simultaneous intervals
of differences, ours from the tests of `irpref_lab.decide.all_pairs`, which decide in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from ir_measures.measures import Measure

from irpref.errors import ArgumentError
from irpref.judged import Groups, QrelsLike, Runs
from irpref.kernel import Bools
from irpref.measures.declare import MeasureLike, Measures, rises
from irpref.messages import check_choice, check_measures, once_per_call, whole_files
from irpref.observed import FEW_TOPICS, FEWEST, MISSING, is_count
from irpref.values import TopicValues
from irpref_lab.across import Collections, several
from irpref_lab.arguments import LEVEL, check_level, check_missing, check_topics, check_unused
from irpref_lab.calls import by_line
from irpref_lab.decide import all_pairs as tests
from irpref_lab.decide.all_pairs import PAIRS
from irpref_lab.decide.basis import basis_of
from irpref_lab.decide.first_lines import (
    Field,
    Sentences,
    beside_best,
    best_of,
    n_topics,
    where,
)
from irpref_lab.decide.in_place import measures_of, runs_named
from irpref_lab.decide.letters import places
from irpref_lab.decide.over_collections.board import leaderboard_over
from irpref_lab.decide.pair import FURTHER
from irpref_lab.decide.questions import BoardBasis
from irpref_lab.decide.results.collections import CollectionBoard
from irpref_lab.decide.results.leaderboard import Leaderboard
from irpref_lab.decide.sign_flips import N_PERMUTATIONS
from irpref_lab.given_values.basis import GivenValues
from irpref_lab.trust.samples import Rng, fixed_seed
from irpref_lab.trust.topics import limits_named, mean_intervals, on_the_same_topics

_JUDGED, _ANSWERED = FURTHER
_PAIRS = (
    *("measure", "group", "a", "b", "difference", "effect_size", "p", "p_adjusted"),
    "codes",
)


Reasons: TypeAlias = Mapping[tuple[str, str | None], tests.AgainstClaims]
Ties: TypeAlias = Mapping[tuple[str, str | None], tests.OverTies | None]


@by_line()
@once_per_call
def leaderboard(
    measures: Measures,
    qrels: QrelsLike | GivenValues | Collections,
    runs: Runs | None = None,
    *,
    sort: MeasureLike | None = None,
    pairs: str = PAIRS,
    level: float = LEVEL,
    groups: Groups | None = None,
    n_permutations: int = N_PERMUTATIONS,
    rng: Rng | None = None,
    strict: bool = False,
    missing: float = MISSING,
    over: str = "topics",
    by_collection: bool = False,
) -> Leaderboard | CollectionBoard:
    """Rank runs by their means, with intervals, places and letters from tests of all pairs.

    Parameters
    ----------
    measures : measures of any toolkit, or their names
    qrels : in any form that `irpref.evaluator` takes, or what `irpref_lab.sampled`,
        `irpref_lab.values` or `irpref_lab.collections` returns
        On a sample, means are missing, and `.pairs` has `low_judged` and `high_judged`: intervals
        of the differences under full human judgments of these topics, that hold for all pairs.
    runs : mapping of name to run, or list of paths
        Of values and collections, names of systems: all of them if none are named. Paths are named
        as `irpref eval` names them. A list of runs under one name is one system that was run
        several times: its value of a topic is the mean of theirs. Each run is let go once it is
        read, so a mapping that makes its runs when they are asked for needs little memory.
    sort : measure or name, optional
        The measure that orders the runs of every board, best first. By default each board's own
        measure does.
    pairs : {'holm', 'stepdown', 'none'}
        How all pairs are tested: see `irpref_lab.decide.all_pairs`. With `none` there are no
        letters, adjusted p-values or ranges of places. Over collections, 'holm' or 'none'.
    level : float in (0.5, 1)
        Confidence level of the intervals; pairs with an adjusted p-value of at most 1 - level are
        significantly different.
    groups : mapping of topic to group, path of a file, or name of a column of the qrels, optional
        A leaderboard for each group of topics; lines of a file are `topic group`. Every topic of
        the qrels needs a group, every group 2 topics.
    n_permutations : int
        Number of sign vectors, for `pairs='stepdown'`.
    rng : seed or numpy Generator, optional
        Random numbers of intervals and sign vectors. By default seed 0, so that the same data give
        the same digits.
    strict : bool
        Whether a run that answers no judged topic, or retrieves no judged document, is an error; so
        is a file that may have been cut off.
    missing : float in [0, 1)
        Share of the answerable topics that a run may lack before no verdict rests on it.

    over : {'topics', 'collections'}
        Of collections: whether topics of these collections are the sample, or collections. See
        `irpref_lab.across.strata`.
    by_collection : bool
        Of collections: add a column for each, with the mean there.

    Returns
    -------
    Leaderboard
        A DataFrame with a row for each group, measure and run, in this order, with the runs sorted
        by `sort`: `run`, `measure`, `group` (None without groups), `mean` (as `irpref eval` prints
        it; a sum for measures that count), `low`, `high`, `place` (1 for the best mean; equal means
        share a place), `place_low`, `place_high`, `letters` (None if more than eight would be
        needed), `topics_without_documents`, `judged@10`, `topics_by_code` (the limits of the
        topics, see `irpref.evidence`, such as `unseen 12, unanswered 3`), `codes` (what stands
        against the claim that another run is better: such pairs are not called different);
        `repeats` and `sd_repeats` (standard deviation of the mean between them) if a system was run
        several times. Intervals are missing with fewer than five topics. Runs that answer no judged
        topic, or retrieve no judged document, come last, without a place or interval, and take no
        part in tests: a column `reason` says why, if there are any. The attribute `text` says in
        one line for each measure which run is best; `pairs` holds the
        results of the tests, `test` describes the test.

    Raises
    ------
    ValueError
        Fewer than two runs that answer (unless `pairs='none'`) or topics, a level outside (0.5, 1),
        an unknown method or measure to sort by, topics without a group; errors of the evaluator.

    Notes
    -----
    Elinor (Rust) has the same tests for values computed elsewhere; this function adds places,
    letters, and facts about the runs. `pt.Experiment` tests each run against one baseline, and
    corrects for these comparisons.

    Examples
    --------
    >>> from irpref.datasets import load
    >>> book = load("mir-textbook")
    >>> run = book.runs["run"]
    >>> upside_down = {q: {d: -s for d, s in docs.items()} for q, docs in run.items()}
    >>> board = leaderboard(["Rprec"], book.qrels, {"run": run, "reversed": upside_down})
    >>> board[["run", "mean", "place", "place_low", "place_high", "letters"]].round(4)
            run    mean  place  place_low  place_high letters
    0       run  0.3667      1          1           2       a
    1  reversed  0.3167      2          1           2       a
    """
    level, missing = check_level(level), check_missing(missing)
    check_choice("pairs", pairs, tests.METHODS)
    if (of_several := several(qrels)) is not None:
        drawn = None if n_permutations == N_PERMUTATIONS else n_permutations
        of_one = {"sort": sort, "groups": groups, "strict": strict, "rng": rng}
        check_unused("several collections", **of_one, n_permutations=drawn)
        return leaderboard_over(
            measures,
            of_several,
            None if runs is None else list(map(str, runs)),
            over=over,
            pairs=pairs,
            level=level,
            by_collection=by_collection,
            missing=missing,
        )
    check_unused("one collection", over=over, by_collection=by_collection)
    chosen = measures_of(measures, qrels)
    check_measures(chosen, "a leaderboard")
    names = [str(measure) for measure in chosen]
    by = None if sort is None else str(measures_of([sort], qrels)[0])
    if by is not None:
        check_choice("sort", by, names)
    named = runs_named(runs, qrels)
    if len(named) < 2 and pairs != "none":
        raise ArgumentError(
            f"pairs={pairs!r} compares runs and needs at least 2, got {len(named)} ('none' shows "
            f"one)",
            parameter="runs",
        )
    with whole_files(strict):
        basis = basis_of(chosen, qrels, named, present=(), keep=False, ties=pairs != "none")
    absent = basis.absent(strict, alone=pairs == "none")
    parts = basis.parts(groups)
    reasons = reasons_of(basis, parts, missing)
    board, reasons = board_of(
        with_further(basis),
        names,
        by,
        basis.on_tables(parts),
        pairs,
        basis.share(level),
        n_permutations,
        fixed_seed(rng),
        absent,
        reasons,
        ties_of(basis, parts),
    )
    basis.complete(board, parts, level)
    board.sentences = sentences_of(board, chosen, reasons, basis.heading)
    board.text = "\n".join(board.sentences.values())
    board.evidence = basis.frame(parts)
    board.notes = [*basis.notes_of_many(absent), *basis.notes_of_pairs(board, parts, missing)]
    board.grave = basis.grave()
    return board.made()


def sentences_of(
    board: Leaderboard, measures: Sequence[Measure], reasons: Reasons, heading: str = ""
) -> Sentences:
    """Say which run is best, in one line for each measure and group that stands alone.

    Parameters
    ----------
    board : Leaderboard
    measures : sequence of Measure
    reasons : Reasons
        See `reasons_of`.
    heading : str
        What all lines begin with.
    """
    by_name = {str(measure): measure for measure in measures}
    lines = {}
    for (group, name), rows in board.groupby(["group", "measure"], sort=False, dropna=False):
        key = (name, None if group != group else group)
        lines[key] = heading + _sentence(board, rows, by_name[name], key[1], reasons[key])
    return lines


def _sentence(
    board: Leaderboard,
    rows: pd.DataFrame,
    measure: Measure,
    group: str | None,
    reasons: tests.AgainstClaims,
) -> str:
    """Say which run is best by a measure, and which are not shown to differ from it."""
    size = board.n_topics[group]
    takes_part = rows["reason"].isna() if "reason" in rows else rows["place"].notna() | True
    means = dict(zip(rows.loc[takes_part, "run"], rows.loc[takes_part, "mean"], strict=True))
    field = Field(
        where(measure, group, rises(measure)),
        n_topics(size),
        means,
        rows.loc[~takes_part, "run"].tolist(),
        "sum" if is_count(measure) else "mean",
    )
    best = rows.loc[(rows["place"] == 1).fillna(False), "run"].tolist()
    if not best:  # a sample that does not tell runs apart
        why = next(ground.text for grounds in reasons.by_run.values() for ground in grounds)
        return field.line(f"cannot tell which run is best, {field.size}: {why}")
    if board.method == "none" or size < 2:
        return best_of(field, best, None, {})
    pairs = board.pairs[board.pairs["measure"] == str(measure)]
    pairs = pairs[pairs["group"].isna() if group is None else pairs["group"] == group]
    return best_of(field, best, *beside_best(best, means, pairs, board.level, reasons))


def with_further(basis: BoardBasis) -> dict[str, TopicValues]:
    """Return the values of the measures, and of `FURTHER`.

    Raises
    ------
    ValueError
        A measure has no value for some topics.
    """
    every = on_the_same_topics([*basis.tables(), *basis.further()])
    # A measure that the user asks for, too, has its own table, where it may be a sum.
    return {one.measure: one for one in reversed(every)}


def reasons_of(basis: BoardBasis, parts: Mapping[str | None, Bools], missing: float) -> Reasons:
    """Map each measure and group to the reasons against claims."""
    return {
        (str(measure), group): tests.AgainstClaims(
            basis.against_runs(measure, inside, missing),
            partial(basis.against_pair, measure, inside, missing),
        )
        for measure in basis.measures
        for group, inside in parts.items()
    }


def ties_of(basis: BoardBasis, parts: Mapping[str | None, Bools]) -> Ties:
    """Map each measure and group to the values in expectation over the orders of tied documents."""
    return {
        (str(measure), group): basis.over_ties(measure, inside)
        for measure in basis.measures
        for group, inside in parts.items()
    }


def board_of(
    by_measure: Mapping[str, TopicValues],
    names: Sequence[str],
    by: str | None,
    groups: Mapping[str | None, Bools],
    pairs: str,
    level: float,
    n_permutations: int = N_PERMUTATIONS,
    seed: Rng | None = None,
    absent: Mapping[str, str] | None = None,
    reasons: Reasons | None = None,
    ties: Ties | None = None,
) -> tuple[Leaderboard, Reasons]:
    """Make a leaderboard from values that you already have, and the reasons against its claims.

    Parameters
    ----------
    by_measure : mapping of name of a measure to TopicValues
        Values of the measures in `names` and in `FURTHER`.
    names : sequence of str
        The measures of the boards, in order.
    by : str, optional
        The measure that orders the runs; if None, each board's own.
    groups : mapping of group to bool array (n_topics,)
        Which topics are in each group; {None: all} without groups.
    pairs, level, n_permutations : as for `leaderboard`
    seed : seed, optional
        None is seed 0.
    absent : mapping of run to reason, optional
        Runs that take no part in tests, and have no place.
    reasons : mapping, optional
        See `reasons_of`. Those that tied documents give come on top.
    ties : mapping, optional
        See `ties_of`.

    Raises
    ------
    ValueError
        A group of fewer than two topics, unless `pairs` is 'none'.
    """
    boards, tested, all_reasons = [], [], {**(reasons or {})}
    test = partial(tests.pair_tests, method=pairs, n_permutations=n_permutations, rng=seed)
    whole, absent = by_measure[names[0]], dict(absent or {})
    present = [name for name in whole.systems if name not in absent]
    n_runs = len(present)
    for group, inside in groups.items():
        check_topics(int(inside.sum()), "a leaderboard", group, 1 if pairs == "none" else 2)
        of_group = {name: values.on(inside) for name, values in by_measure.items()}
        for name in names:
            first, different = of_group[by or name].select(present), None
            best_first = [first.systems[i] for i in first.best_first.tolist()]
            values = of_group[name].select(best_first)
            if n_runs > 1 and inside.sum() > 1:
                compared, over_ties = test(values.values), (ties or {}).get((name, group))
                against = all_reasons.get((name, group), tests.NOTHING)._replace(
                    of_ties=tests.decided_by_ties(values, compared, over_ties, level, test)
                )
                all_reasons[name, group] = against
                codes = _codes_of_pairs(values, compared, level, against)
                few = ~tests.shows_more_than_few_topics(values, compared, level)
                codes[few & (codes == "")] = FEW_TOPICS.name
                tested.append(_tests(values, group, compared, codes))
                different = None if pairs == "none" else compared.different(level, codes == "")
            table = _board(of_group, name, best_first, group, different, level, seed)
            if reasons is not None:
                of_runs = reasons[name, group].codes()
                table["codes"] = [", ".join(of_runs.get(run, ())) for run in table["run"]]
            if absent:
                last = _board(of_group, name, list(absent), group, None, level, seed)
                table = _with_absent(table, last, absent)
            boards.append(table)
    board = Leaderboard(pd.concat(boards, ignore_index=True))
    board.pairs = (
        pd.concat(tested, ignore_index=True) if tested else pd.DataFrame(columns=list(_PAIRS))
    )
    board.level, board.method, board.test, board.notes = level, pairs, "", []
    board.n_topics = {group: int(inside.sum()) for group, inside in groups.items()}
    board.topic_values = [by_measure[name].select(present) for name in names]
    if pairs != "none" and n_runs > 1:
        n_topics = whole.n_topics if len(groups) == 1 else None
        board.test = tests.described(pairs, n_runs, n_topics, level, n_permutations)
    return board, all_reasons


def _with_absent(
    table: pd.DataFrame, last: pd.DataFrame, absent: Mapping[str, str]
) -> pd.DataFrame:
    """Add the rows of runs that take no part to the end of the board, and a column that says
    why.
    """
    table = table.astype({"place": "Int64"}).assign(reason=None).astype({"reason": object})
    unknown = pd.array([pd.NA] * len(last), dtype="Int64")
    last = last.assign(low=np.nan, high=np.nan, place=unknown, reason=list(absent.values()))
    return pd.concat([table, last], ignore_index=True)


def _board(
    by_measure: Mapping[str, TopicValues],
    name: str,
    runs: Sequence[str],
    group: str | None,
    different: Bools | None,
    level: float,
    seed: Rng | None,
) -> pd.DataFrame:
    """Make a row for each of these runs, by one measure.

    Parameters
    ----------
    by_measure : mapping of name of a measure to TopicValues
        Values on the topics of the group.
    different : bool array (n_runs, n_runs), optional
        Whether two runs are significantly different; None if they were not tested.
    """
    n = len(runs)
    values, answered, judged = (
        by_measure[other].select(runs) for other in (name, _ANSWERED, _JUDGED)
    )
    low = high = np.full(n, np.nan)
    if values.n_topics >= FEWEST:
        limits = limits_named(values.measure)
        low, high, _ = mean_intervals(values.values, level, rng=seed, limits=limits)
    return pd.DataFrame(
        {
            "run": list(values.systems),
            "measure": values.measure,
            "group": pd.Series([group] * n, dtype=object),
            "mean": values.means,
            "low": low * values.scale,
            "high": high * values.scale,
            **places(values.places, values.best_first, different),
            "topics_without_documents": (answered.values == 0).sum(axis=1),
            "judged@10": judged.means,
        }
    )


def _codes_of_pairs(
    values: TopicValues, compared: tests.Pairs, level: float, against: tests.AgainstClaims
) -> Any:
    """Return why each pair is not called different, (n_pairs,)."""
    gain = compared.difference * (1 if values.higher_is_better else -1)
    shown = tests.significant(compared.p_adjusted, level)
    return tests.codes_of_pairs(
        values.systems, compared.first, compared.second, gain, shown, against
    )


def _tests(
    values: TopicValues, group: str | None, compared: tests.Pairs, codes: Any
) -> pd.DataFrame:
    """Return a row for each pair of runs."""
    names = np.array(values.systems, dtype=object)
    return pd.DataFrame(
        {
            "measure": values.measure,
            "group": pd.Series([group] * compared.first.size, dtype=object),
            "a": names[compared.first],
            "b": names[compared.second],
            "difference": compared.difference * values.scale,
            "effect_size": compared.effect_size,
            "p": compared.p,
            "p_adjusted": compared.p_adjusted,
            "codes": codes,
        }
    )
