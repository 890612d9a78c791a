"""Do runs differ from a baseline? Their means, the differences, and tests of all pairs with the
baseline.

For each measure (and group of topics), the pairs of the baseline with each other run are a family
of tests: `p` is for the pair alone, `p_adjusted` for all of the family. See
`irpref_lab.decide.all_pairs` for the tests."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

from irpref.data import named_runs, run_names
from irpref.errors import ArgumentError
from irpref.judged import Groups, QrelsLike, RunLike, Runs
from irpref.measures.declare import Measures
from irpref.messages import check_choice, check_measures, once_per_call, whole_files
from irpref.observed import MISSING
from irpref.values import TopicValues
from irpref_lab.across import Collections, several
from irpref_lab.arguments import LEVEL, check_level, check_missing, check_topics, check_unused
from irpref_lab.calls import by_line
from irpref_lab.decide.all_pairs import (
    METHODS,
    PAIRS,
    OverTies,
    decided_by_ties,
    described,
    pair_tests,
    significant,
)
from irpref_lab.decide.basis import basis_of
from irpref_lab.decide.first_lines import (
    Field,
    Sentences,
    Standing,
    against_one,
    n_topics,
    where,
)
from irpref_lab.decide.in_place import measures_of, runs_named
from irpref_lab.decide.over_collections.pairs import against_over
from irpref_lab.decide.pair import Pair, Row, labels
from irpref_lab.decide.questions import PairBasis
from irpref_lab.decide.questions import pairs as every_pair
from irpref_lab.decide.results.collections import CollectionDifferences
from irpref_lab.decide.results.differences import Differences
from irpref_lab.given_values.basis import GivenValues

_MISSING = {"difference": np.nan, "p": np.nan, "p_adjusted": np.nan, "differs": None, "codes": ""}


@by_line("baseline", repeats=True)
@once_per_call
def against(
    measures: Measures,
    qrels: QrelsLike | GivenValues | Collections,
    baseline: RunLike,
    runs: Runs | None = None,
    *,
    pairs: str = PAIRS,
    level: float = LEVEL,
    missing: float = MISSING,
    groups: Groups | None = None,
    strict: bool = False,
    over: str = "topics",
) -> Differences | CollectionDifferences:
    """Test whether runs differ from a baseline.

    Parameters
    ----------
    measures : measures of any toolkit, or their names
    qrels : in any form that `irpref.evaluator` takes
    baseline : run in any form that `irpref.evaluator` takes, or the name of one of `runs`
        A path is named as `irpref eval` names it, a run in another form `baseline`.
    runs : mapping of name to run, or list of paths
        The baseline may be among them. A list of runs under one name is one system that was run
        several times: its value of a topic is the mean of theirs.
    pairs : {'holm', 'stepdown', 'none'}
        How all pairs with the baseline are tested: see `irpref_lab.decide.all_pairs`. Over
        collections, 'holm' or 'none'.
    level : float in (0.5, 1)
        Differences with an adjusted p-value of at most 1 - level are significant.
    missing : float in [0, 1)
        Share of the answerable topics that a run may lack.
    groups : mapping of topic to group, path of a file, or name of a column of the qrels, optional
        Means and tests for each group of topics.
    strict : bool
        Whether a run that answers no judged topic, or retrieves no judged document, is an error; so
        is a file that may have been cut off.

    over : {'topics', 'collections'}
        Of collections: whether topics of these collections are the sample, or collections. See
        `irpref_lab.across.strata`.

    Returns
    -------
    Differences
        A DataFrame with a row for each run, group and measure, the baseline first: `run`, `group`
        (only with groups), `measure`, `value` (mean as `irpref eval` prints it; a sum for measures
        that count), `difference` (value minus the baseline's), `p` (of this pair alone),
        `p_adjusted` (for all pairs with the baseline), `differs` (whether the difference is
        significant; missing where `irpref_lab.compare` cannot tell), `codes` (the reasons why not,
        see `irpref.evidence`). The four before are missing for the baseline, the last three in a
        group of one topic. `topics_by_code` has what the topics cannot say, such as `unseen 12,
        unanswered 3`; `repeats` and `sd_repeats` are as in `irpref_lab.leaderboard`. A run that
        answers no judged topic, or retrieves no judged document, comes last and takes no part in
        the tests: a column `reason` says why, if there are any. The attribute `text` says in one
        line for each measure which runs are better or worse than the baseline.

    Raises
    ------
    ValueError
        No run besides the baseline, no measure, fewer than two topics, a level outside (0.5, 1), an
        unknown method, a topic without a group; the baseline answers no judged topic or retrieves
        no judged document; whatever the evaluator raises.

    Examples
    --------
    >>> from irpref.datasets import load
    >>> made = load("synthetic")
    >>> table = against(["AP"], made.qrels, "baseline", made.runs)
    >>> table[["run", "value", "difference", "p_adjusted"]].round(4)
            run   value  difference  p_adjusted
    0  baseline  0.5177         NaN         NaN
    1    strong  0.7533      0.2356      0.0000
    2   precise  0.5730      0.0552      0.0457
    3     broad  0.6600      0.1423      0.0035
    4     noisy  0.3443     -0.1734      0.0035
    """
    level, missing = check_level(level), check_missing(missing)
    check_choice("pairs", pairs, METHODS)
    if (of_several := several(qrels)) is not None:
        check_unused("several collections", groups=groups, strict=strict)
        systems = None if runs is None else list(map(str, runs))
        return against_over(
            measures,
            of_several,
            str(baseline),
            systems,
            over=over,
            pairs=pairs,
            level=level,
            missing=missing,
        )
    check_unused("one collection", over=over)
    chosen = measures_of(measures, qrels)
    check_measures(chosen, "a test")
    base, named = _with_baseline(baseline, runs_named(runs, qrels) if runs is None else runs)
    with whole_files(strict):
        basis = basis_of(chosen, qrels, named, present=[base])
    basis.check_values()
    absent = basis.absent(strict)
    parts = basis.parts(groups)
    check_topics(sum(int(inside.sum()) for inside in parts.values()), "a test")
    others = [(0, i) for i, name in enumerate(basis.names) if i and name not in absent]
    rows: list[Row] = []
    topics: list[pd.DataFrame] = []
    notes: list[str] = []
    sentences: Sentences = {}
    of_measure = {table.measure: table for table in basis.tables()}
    every = every_pair(basis, "claim", parts, missing, others)
    for (measure, group), some in groupby(every, key=lambda pair: (pair.measure, pair.group)):
        compared = {pair.names[1]: pair for pair in some}
        about = labels(measure, group, groups is not None)
        values = of_measure[str(measure)].among(next(iter(compared.values())).query_ids)
        over_ties = basis.over_ties(measure, parts[group])
        found = _of_runs(values, base, compared, pairs, level, over_ties)
        columns = basis.columns_of_runs(measure, parts[group])
        for name, row in found.items():
            if row["differs"]:
                notes += _remarks(compared[name], basis, row, level)
            row |= {"reason": absent.get(name)} if absent else {}
            rows.append({"run": name, **about, **row, **columns[name]})
        topics += [_topics(values, name, about) for name in values.systems]
        line = _sentence(values, base, group, found, compared, list(absent), pairs)
        sentences[str(measure), group] = basis.heading + line
    order = {name: i for i, name in enumerate([*(n for n in named if n not in absent), *absent])}
    rows.sort(key=lambda row: (order[row["run"]], str(row.get("group", ""))))
    table = Differences(rows).astype({"differs": "boolean"})
    table.by_topic = pd.concat(topics, ignore_index=True)
    table.evidence = basis.frame(parts)
    table.notes = [*basis.notes_of_many(absent), *notes]
    table.sentences, table.text = sentences, "\n".join(sentences.values())
    table.baseline, table.level, table.method, table.test = base, level, pairs, ""
    if pairs != "none":
        number = None if groups is not None else values.n_topics
        table.test = described(pairs, len(others) + 1, number, level, baseline=base)
    table.grave = basis.grave()
    return table.made()


def _remarks(pair: Pair, basis: PairBasis, row: Row, level: float) -> Iterator[str]:
    """Yield remarks on a significant difference: topics that one run lacks, repeats."""
    where = "" if pair.group is None else f" in {pair.group}"
    about_it = [pair.where_both_answer(level), *basis.repeats(pair, row)]
    for text in filter(None, about_it):
        yield f"{pair.names[1]}, {pair.measure}{where}: {text}"


def _with_baseline(baseline: Any, runs: Any) -> tuple[str, Row]:
    """Return the name of the baseline, and all runs by name with the baseline first."""
    named = dict(named_runs(runs))
    is_text = isinstance(baseline, (str, os.PathLike))
    base = str(baseline) if is_text and str(baseline) in named else None
    if base is None:
        same = (name for name, run in named.items() if run is baseline or _same_file(run, baseline))
        base = next(same, None)
    if base is None and is_text:
        paths = {name: run for name, run in named.items() if isinstance(run, (str, os.PathLike))}
        if not isinstance(runs, Mapping) and len(paths) == len(named):
            both = run_names([os.fspath(baseline), *map(os.fspath, named.values())])
            base, named = next(iter(both)), dict(both)
        else:
            base = next(iter(run_names([os.fspath(baseline)])))
    if base is None:
        base = "baseline"
    if base not in named:
        named[base] = baseline
    elif named[base] is not baseline and not is_text:
        raise ArgumentError(
            f"runs: {base!r} is the name of the baseline and of another run",
            parameter="runs",
            value=base,
        )
    if len(named) < 2:
        raise ArgumentError(
            "against needs another run to compare with the baseline", parameter="runs"
        )
    return base, {base: named[base], **named}


def _same_file(a: Any, b: Any) -> bool:
    if not all(isinstance(path, (str, os.PathLike)) for path in (a, b)):
        return False
    return os.path.exists(a) and os.path.exists(b) and os.path.samefile(a, b)


def _of_runs(
    values: TopicValues,
    base: str,
    compared: Mapping[str, Pair],
    pairs: str,
    level: float,
    over_ties: OverTies | None,
) -> dict[str, Row]:
    """Return the mean of each run and, if it takes part, its difference from the baseline.

    Pairs that tied documents decide get this as a ground.
    """
    rows: dict[str, Row] = {
        name: {"value": mean, **_MISSING}
        for name, mean in zip(values.systems, values.means.tolist(), strict=True)
    }
    others = list(compared)
    for name in others:
        rows[name]["difference"] = rows[name]["value"] - rows[base]["value"]
    if values.n_topics > 1:  # else there is nothing to test
        tested, test = values.select([base, *others]), partial(pair_tests, method=pairs, baseline=0)
        tests = test(tested.values)
        different = significant(tests.p_adjusted, level)
        for i, name in enumerate(others):
            rows[name]["p"], rows[name]["p_adjusted"] = (
                float(tests.p[i]),
                float(tests.p_adjusted[i]),
            )
            rows[name]["differs"] = bool(different[i])
        by_ties = decided_by_ties(tested, tests, over_ties, level, test)
        for name, pair in compared.items():
            ties = by_ties.get(frozenset((base, name)))
            pair.grounds.extend([] if ties is None else [ties])
    for name, pair in compared.items():
        row, shown = rows[name], rows[name]["differs"] and pair.is_shown(level)
        row |= {"codes": pair.codes, "differs": None if pair.grounds else shown}
    return rows


def _sentence(
    values: TopicValues,
    base: str,
    group: str | None,
    found: Mapping[str, Row],
    compared: Mapping[str, Pair],
    absent: Sequence[str],
    method: str,
) -> str:
    """Say which runs are better or worse than the baseline by a measure, on a group of topics."""
    runs = {}
    for name, pair in compared.items():
        row, is_better = found[name], pair.mean_gain > 0
        kind = "ahead" if is_better else "behind"
        if pair.grounds:
            kind = "unknown"
        elif method != "none" and values.n_topics > 1:
            kind = ("better" if is_better else "worse") if row["differs"] else "equal"
        runs[name] = Standing(row["difference"], kind, pair.reason)
    best_first = sorted(runs, key=lambda name: -compared[name].mean_gain)
    field = Field(
        where(values.measure, group, values.higher_is_better),
        n_topics(values.n_topics),
        {name: found[name]["value"] for name in (base, *compared)},
        absent,
        "sum" if values.is_sum else "mean",
    )
    return against_one(field, base, {name: runs[name] for name in best_first})


def _topics(part: TopicValues, name: str, labels: Row) -> pd.DataFrame:
    """Return the values of a run by topic, and their differences from the baseline's."""
    number = part.systems.index(name)
    values = part.values[number]
    difference = values - part.values[0] if number else np.full(values.size, np.nan)
    columns = {"query_id": part.topics, "measure": part.measure, "value": values}
    return pd.DataFrame({"run": name, **labels, **columns, "difference": difference})
