"""Do runs differ from a baseline? Their means, the differences, and tests of all pairs with the
baseline.

For each measure (and group of topics), the pairs of the baseline with each other run are a family
of tests: `p` is for the pair alone, `p_adjusted` for all of the family. See
`irpref_lab.decide.all_pairs` for the tests."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from irpref.data.run_names import named_runs, run_names
from irpref.errors import ArgumentError, JudgmentsError, MeasureError
from irpref.judged import Groups, QrelsLike, RunLike, Runs, judgments
from irpref.judged.groups import groups_of
from irpref.kernel import Bools
from irpref.measures.declare import Measures
from irpref.measures.names import parse_all
from irpref.messages import check_choice, once_per_call, whole_files
from irpref.observed import Evidence, check_present, gathered, thresholds_on
from irpref.show.text import Table
from irpref.values.matrix import TopicValues
from irpref_lab.decide.all_pairs import LEVEL, METHODS, PAIRS, described, pair_tests, significant
from irpref_lab.decide.grounds import absent_runs
from irpref_lab.decide.paired import without_missing
from irpref_lab.printed_tables import of_differences
from irpref_lab.remarks import columns_of_runs, of_many_runs, within_repeats
from irpref_lab.trust.frames import ResultFrame, Row
from irpref_lab.trust.topics import check_level

_MISSING = {"difference": np.nan, "p": np.nan, "p_adjusted": np.nan, "differs": None}


class Differences(ResultFrame):
    """What `against` returns.

    Attributes
    ----------
    baseline : str
        The name of the run that all others are compared with.
    level : float
    method : str
        How the pairs are tested.
    test : str
        Test, family, level and permutations in one line; empty for `none`.
    by_topic : DataFrame
        A row for each measure, run and topic: `run`, `group` (if there are groups), `query_id`,
        `measure`, `value`, `difference`.
    evidence : DataFrame
        What the values rest on, as `irpref.evidence` returns it.
    notes : list of str
        The same in words, a sentence each.
    """

    _metadata: ClassVar[list[str]] = [
        *("baseline", "level", "method", "test", "by_topic", "evidence", "notes")
    ]

    def _tables(self) -> Sequence[Table]:
        return of_differences(self)


@once_per_call
def against(
    measures: Measures,
    qrels: QrelsLike,
    baseline: RunLike,
    runs: Runs,
    *,
    pairs: str = PAIRS,
    level: float = LEVEL,
    groups: Groups | None = None,
    strict: bool = False,
) -> Differences:
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
    pairs : {'stepdown', 'holm', 'none'}
        How all pairs with the baseline are tested: see `irpref_lab.decide.all_pairs`.
    level : float in (0, 1)
        Differences with an adjusted p-value of at most 1 - level are significant.
    groups : mapping of topic to group, path of a file, or name of a column of the qrels, optional
        Means and tests for each group of topics.
    strict : bool
        Whether a run that answers no judged topic, or retrieves no judged document, is an error; so
        is a file that may have been cut off.

    Returns
    -------
    Differences
        A DataFrame with a row for each run, group and measure, the baseline first: `run`, `group`
        (only with groups), `measure`, `value` (mean as `irpref eval` prints it; a sum for measures
        that count), `difference` (value minus the baseline's), `p` (of this pair alone),
        `p_adjusted` (for all pairs with the baseline), `differs` (whether the difference is
        significant). The last four are missing for the baseline, the last three in a group of one
        topic. `topics_by_code` has what the topics cannot say (see `irpref.evidence`), such as
        `unseen 12, unanswered 3`; `repeats` and `sd_repeats` are as in `irpref_lab.leaderboard`. A
        run that answers no judged topic, or retrieves no judged document, comes last and takes no
        part in the tests: a column `reason` says why, if there are any.

    Raises
    ------
    ValueError
        No run besides the baseline, no measure, fewer than two topics, a level outside (0, 1), an
        unknown method, a topic without a group; the baseline answers no judged topic or retrieves
        no judged document; what the evaluator raises.

    Examples
    --------
    >>> from irpref.datasets import load
    >>> made = load("synthetic")
    >>> table = against(["AP"], made.qrels, "baseline", made.runs)
    >>> table[["run", "value", "difference", "p_adjusted"]].round(4)
            run   value  difference  p_adjusted
    0  baseline  0.5177         NaN         NaN
    1    strong  0.7533      0.2356      0.0001
    2   precise  0.5730      0.0552      0.0468
    3     broad  0.6600      0.1423      0.0043
    4     noisy  0.3443     -0.1734      0.0043
    """
    level = check_level(level)
    check_choice("pairs", pairs, METHODS)
    chosen = parse_all(measures)
    if not chosen:
        raise MeasureError("against needs at least one measure")
    base, named = _with_baseline(baseline, runs)
    with whole_files(strict):
        read = judgments(qrels)
        facts = gathered(chosen, read, named)
    check_present(facts.systems[:1], len(facts.topics))
    absent = absent_runs(facts, strict)
    rows: dict[str, list[Row]] = {name: [] for name in [*named, *absent]}
    if len(facts.topics) < 2:
        raise JudgmentsError(f"a test needs at least 2 topics, got {len(facts.topics)}")
    topics: list[pd.DataFrame] = []
    parts = groups_of(groups, read, facts.topics)
    for measure, whole in zip(facts.measures, facts.tables(), strict=True):
        present = [name for name in whole.systems if name not in absent]
        for group, inside in groups_of(groups, read, whole.topics).items():
            labels = {} if group is None else {"group": group}
            part = whole.on(inside)
            more = columns_of_runs(facts, measure, parts[group])
            results = _rows(part.select(present), pairs, level)
            of_absent = part.select(absent).means.tolist() if absent else []
            results += [{"value": mean, **_MISSING} for mean in of_absent]
            for name, row in zip([*present, *absent], results, strict=True):
                row |= more[name]
                row |= {"reason": absent.get(name)} if absent else {}
                rows[name].append({"run": name, **labels, "measure": part.measure, **row})
            topics += [_topics(part, name, labels) for name in part.systems]
    last = [name for name in named if name not in absent] + list(absent)
    table = Differences([row for name in last for row in sorted(rows[name], key=_group)]).astype(
        {"differs": "boolean"}
    )
    table.by_topic = pd.concat(topics, ignore_index=True)
    table.evidence = facts.frame(parts)
    table.notes = [
        *of_many_runs(facts, facts.measures, absent),
        *_of_differences(facts, table, parts, level),
        *thresholds_on(facts.measures, read),
    ]
    table.baseline, table.level, table.method, table.test = base, level, pairs, ""
    if pairs != "none":
        n_topics = None if groups is not None else whole.n_topics
        table.test = described(pairs, len(present), n_topics, level, baseline=base)
    return table.made()


def _of_differences(
    facts: Evidence, table: pd.DataFrame, parts: Mapping[str | None, Bools], level: float
) -> list[str]:
    """Significant differences that rest on topics that one of the two runs lacks, or that are not
    larger than between runs of one system.
    """
    measures = {str(measure): measure for measure in facts.measures}
    numbers = {system.name: number for number, system in enumerate(facts.systems)}
    sentences = []
    for row in table[table["differs"].fillna(False)].to_dict("records"):
        pair, group = [0, numbers[row["run"]]], row.get("group")
        measure, inside = measures[row["measure"]], parts[group]
        unanswered = facts.unanswered(measure)[pair]
        inside = inside & ~np.isnan(facts.values(measure)[pair]).any(axis=0)
        values = facts.topic_values(measure, inside).select([facts.systems[i].name for i in pair])
        about_it = [
            without_missing(values, unanswered[:, inside], level),
            *within_repeats(facts, measure, parts[group], pair, row["difference"]),
        ]
        where = "" if group is None else f" in {group}"
        sentences += [f"{row['run']}, {measure}{where}: {text}" for text in about_it if text]
    return sentences


def _group(row: Row) -> str:
    return str(row.get("group", ""))


def _with_baseline(baseline: Any, runs: Any) -> tuple[str, Row]:
    """The name of the baseline, and all runs by name with the baseline first."""
    named = named_runs(runs)
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
        raise ArgumentError(f"runs: {base!r} is the name of the baseline and of another run")
    if len(named) < 2:
        raise ArgumentError("against needs another run to compare with the baseline")
    return base, {base: named[base], **named}


def _same_file(a: Any, b: Any) -> bool:
    if not all(isinstance(path, (str, os.PathLike)) for path in (a, b)):
        return False
    return os.path.exists(a) and os.path.exists(b) and os.path.samefile(a, b)


def _rows(part: TopicValues, pairs: str, level: float) -> list[Row]:
    """Mean of each run, and its difference from the first and the tests of it."""
    rows = [{"value": mean, **_MISSING} for mean in part.means.tolist()]
    baseline, *others = rows
    for row in others:
        row["difference"] = row["value"] - baseline["value"]
    if part.n_topics > 1:  # else there is nothing to test
        tests = pair_tests(part.values, pairs, baseline=0)
        different = significant(tests.p_adjusted, level)
        for i, row in enumerate(others):
            row["p"], row["p_adjusted"] = float(tests.p[i]), float(tests.p_adjusted[i])
            row["differs"] = bool(different[i])
    return rows


def _topics(part: TopicValues, name: str, labels: Row) -> pd.DataFrame:
    """The values of a run by topic, and their differences from the baseline's."""
    number = part.systems.index(name)
    values = part.values[number]
    difference = values - part.values[0] if number else np.full(values.size, np.nan)
    columns = {"query_id": part.topics, "measure": part.measure, "value": values}
    return pd.DataFrame({"run": name, **labels, **columns, "difference": difference})
