"""`leaderboard` over several collections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from irpref.errors import AbsentRunError
from irpref.measures.declare import Measures
from irpref.messages import check_choice, once_per_call
from irpref.observed import MISSING
from irpref_lab.across import Collections
from irpref_lab.arguments import LEVEL, OVER, check_level
from irpref_lab.decide.all_pairs import PAIRS, AgainstClaims
from irpref_lab.decide.first_lines import (
    Field,
    Sentences,
    beside_best,
    best_of,
    n_topics,
    where,
)
from irpref_lab.decide.over_collections import numbers
from irpref_lab.decide.over_collections.claims import claims_of
from irpref_lab.decide.over_collections.numbers import METHODS, Strata, described
from irpref_lab.decide.over_collections.parts import (
    check_known,
    gathered_parts,
    grave_of,
    heading,
    left_out,
    means_by_collection,
    measures_over,
    notes_of,
    values_only,
)
from irpref_lab.decide.results.collections import CollectionBoard


@once_per_call
def leaderboard_over(
    measures: Measures,
    given: Collections,
    systems: Sequence[str] | None = None,
    *,
    over: str = "topics",
    pairs: str = PAIRS,
    level: float = LEVEL,
    by_collection: bool = False,
    missing: float = MISSING,
) -> CollectionBoard:
    """Rank systems by the mean of their means on several collections.

    Parameters
    ----------
    measures : measures of any toolkit, or their names
    given : Collections
    systems : sequence of str, optional
        Only these; all systems if not given.
    over : {'topics', 'collections'}
        Of which the data are a sample: topics of these collections, or collections.
    pairs : {'holm', 'none'}
        Whether pairs are tested.
    level : float in (0.5, 1)
    by_collection : bool
        Add a column for each collection, with the mean there.
    missing : float in [0, 1)
        Share of the topics of a collection that may be missing from a system.

    Returns
    -------
    CollectionBoard
        A row for each system and measure, the best first: `run`, `measure`, `group` (None), `mean`,
        `low`, `high`, `place`, `place_low`, `place_high`, `letters`, `borda` (rank by Borda's
        count: how many systems each one beats, on average over the collections), `codes` (what
        rules out the claim that another system is better), `reason` (why a system is left
        out, if one is).

    Raises
    ------
    ValueError
        Fewer than two systems are on all collections; a measure that counts; errors of
        the evaluator.
    """
    level = check_level(level)
    check_choice("over", over, OVER)
    check_choice("pairs", pairs, METHODS)
    check_known(given, systems or (), "runs")
    chosen = measures_over(measures, given)
    parts = gathered_parts(chosen, given, systems, ties=pairs != "none")
    wanted = [name for name in given.systems if systems is None or name in set(systems)]
    out = {name: why for name, why in left_out(given, parts).items() if name in wanted}
    tested = _taking_part(wanted, out, fewest=1 if pairs == "none" else 2)
    boards, rows, means, sentences = [], [], {}, Sentences()
    scales: list[str] = []
    for measure in chosen:
        of = numbers.strata_of(parts, measure, tested)
        claims = claims_of(parts, measure, of, missing)
        board, of_pairs, against = numbers.board_over(
            of, over, level, pairs != "none", claims.against(), claims.over_ties(of)
        )
        codes = against.codes()
        board["codes"] = [", ".join(codes[name]) for name in board["run"]]
        line = _best(of, board, of_pairs, level, against, list(out))
        sentences[str(measure), None] = heading(parts) + line
        means[str(measure)] = means_by_collection(parts, measure, wanted)
        boards.append(_with_left_out(board, out))
        rows.append(of_pairs)
        scales += [
            f"{note}; Borda's count does not depend on the scale"
            for note in numbers.decided_by_scale(of)
        ]
        if by_collection:
            boards[-1] = boards[-1].join(means[str(measure)], on="run")
    table = CollectionBoard(pd.concat(boards, ignore_index=True))
    table.insert(2, "group", pd.Series([None] * len(table), dtype=object))
    table.pairs, table.by_collection = pd.concat(rows, ignore_index=True), means
    table.sentences, table.text = sentences, "\n".join(sentences.values())
    table.over, table.level, table.values_only = over, level, values_only(parts)
    table.grave = grave_of(parts)
    table.method = "none" if table["place_low"].isna().all() else pairs
    table.test = ""
    if pairs != "none":
        n = len(tested)
        table.test = described(of, over, n * (n - 1) // 2, level)
    table.notes = [
        *(f"{name} is left out of all tests: {why}" for name, why in out.items()),
        *scales,
        *notes_of(parts),
    ]
    return table.made()


def _taking_part(wanted: Sequence[str], out: Mapping[str, str], fewest: int) -> list[str]:
    """Return the systems that are on all collections, of which there must be so many."""
    tested = [name for name in wanted if name not in out]
    if len(tested) < fewest:
        reasons = "; ".join(f"{name}: {why}" for name, why in out.items())
        raise AbsentRunError(
            f"{len(tested) or 'no'} system{'s' * (len(tested) != 1)} left to compare: {reasons}"
        )
    return tested


def _best(
    of: Strata,
    board: pd.DataFrame,
    pairs: pd.DataFrame,
    level: float,
    against: AgainstClaims,
    out: Sequence[str],
) -> str:
    """Say which system is best, and which are not shown to differ from it."""
    means = dict(zip(board["run"], board["mean"], strict=True))
    size = f"{len(of.names)} collections, {n_topics(of.n_topics)}"
    field = Field(where(of.measure, None, of.higher_is_better), size, means, out)
    best = board.loc[board["place"] == 1, "run"].tolist()
    if pairs.empty or pairs["p"].isna().all():
        return best_of(field, best, None, {})
    return best_of(field, best, *beside_best(best, means, pairs, level, against))


def _with_left_out(board: pd.DataFrame, out: Mapping[str, str]) -> pd.DataFrame:
    """Add rows of the systems that are left out, with the reason."""
    if not out:
        return board
    board = board.astype({"place": "Int64", "borda": "Int64"})
    last = pd.DataFrame({"run": list(out), "measure": board["measure"].iloc[0]})
    last = last.reindex(columns=board.columns).astype(board.dtypes.to_dict())
    board = pd.concat([board, last], ignore_index=True)
    reasons = [None] * (len(board) - len(out)) + list(out.values())
    return board.assign(reason=pd.Series(reasons, dtype=object))
