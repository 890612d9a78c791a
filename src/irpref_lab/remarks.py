"""The limits of values, in sentences: the words of all verdicts and boards, without full stops.

`irpref.evidence` has the facts and their words. Here it is decided which facts a reader is told,
and what a judge and repeated runs mean for a verdict."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from ir_measures.measures import Measure

from irpref.kernel import Bools
from irpref.messages import argument
from irpref.observed import LEVELS, MISSING, TOP, UNANSWERED, Evidence, Row, lines
from irpref.values import have_a_value

_FEW = 3  # so many runs are named
NAMES = "\0"  # the place of measures' names in a sentence; no name of a run has it


def topics_by_code(facts: Evidence, measure: Measure, inside: Bools, names: Sequence[str]) -> str:
    """Count the topics of each code: `unseen 12, unanswered 3 (a)`, with the names of systems."""
    counts = [
        (code, int((row & inside).sum()), name)
        for code, mask in facts.masks(measure).items()
        for row, name in zip(np.atleast_2d(mask), names if mask.ndim > 1 else [""], strict=True)
    ]
    return ", ".join(f"{code} {n}" + f" ({name})" * bool(name) for code, n, name in counts if n)


def columns_of_runs(facts: Evidence, measure: Measure, inside: Bools) -> dict[str, dict[str, Any]]:
    """Make the columns of a row about each system besides its values: see `irpref_lab.against`.

    `topics_by_code` is without names: `unseen 12, unanswered 3`.
    """
    masks = {code: np.atleast_2d(mask) & inside for code, mask in facts.masks(measure).items()}
    counts = {
        code: np.broadcast_to(mask.sum(axis=1), len(facts.systems)).tolist()
        for code, mask in masks.items()
    }
    repeated = any(system.n_repeats > 1 for system in facts.systems)
    rows: dict[str, dict[str, Any]] = {}
    for number, system in enumerate(facts.systems):
        by_code = (f"{code} {some[number]}" for code, some in counts.items() if some[number])
        row: dict[str, Any] = {"topics_by_code": ", ".join(by_code)}
        if repeated:
            row |= {"repeats": system.n_repeats, "sd_repeats": system.sd_of_mean(measure, inside)}
        rows[system.name] = row
    return rows


def of_many_runs(
    facts: Evidence,
    measures: Sequence[Measure],
    absent: Mapping[str, str] = MappingProxyType({}),
    called: str | None = None,
) -> list[str]:
    """List the limits of a board, a sentence each; `called` is the readers' name of the
    measures.
    """
    everything: Bools = np.ones(len(facts.topics), bool)
    lost = [f"{name} is left out of all tests: {reason}" for name, reason in absent.items()]
    return [
        *lost,
        *about_topics(facts, measures, everything, absent=absent, called=called),
        *without_value(facts, measures, everything),
        *by_judge(facts, everything, "the runs"),
        *repeated(facts, measures, everything),
        *_orders_of_many(facts, absent),
    ]


def _orders_of_many(facts: Evidence, absent: Container[str]) -> list[str]:
    """Say whose order ids decide, one run a sentence, or all in one if there are more than two."""
    said = {
        system.name: facts.equal_in_words(number) or facts.ties_in_words(number)
        for number, system in enumerate(facts.systems)
        if system.name not in absent
    }
    of_ids = {name: text for name, text in said.items() if text}
    if len(of_ids) <= 2:
        return list(of_ids.values())
    names = ", ".join(list(of_ids)[:3]) + (", ..." if len(of_ids) > 3 else "")
    return [
        f"ids decide the order of tied documents in more than {100 * MISSING:g} % of the top tens "
        f"of {len(of_ids):,} runs ({names}): see intervals over ties"
    ]


def about_topics(
    facts: Evidence,
    measures: Iterable[Measure],
    inside: Bools,
    absent: Iterable[str] = (),
    in_notes: bool = False,
    called: str | None = None,
) -> list[str]:
    """List how runs were read, and the limits of the topics: one sentence for each cause, the same
    for several measures once.

    Parameters
    ----------
    facts : Evidence
    measures : measures
    inside : bool array (n_topics,)
    absent : runs that are not told about
    in_notes : bool
        Whether only codes are told that no sentence about a pair tells.
    called : str, optional
        The words in place of the measure's name.
    """
    # The names of the measures that a sentence is about.
    sentences: dict[str, list[str]] = {}
    for measure in measures:
        by_code: dict[str, list[Mapping[str, Any]]] = {}
        for row in facts.rows(measure, inside, called=NAMES):
            if row["run"] not in absent and (row["record"].in_notes or not in_notes):
                by_code.setdefault(row["code"], []).append(row)
        for rows in by_code.values():
            shown = [row["text"] for row in rows]
            if len(rows) > _FEW:
                most = max(rows, key=lambda row: int(row["topics"]))
                verb = most["record"].of_many or f"have {most['code']} for"
                shown = [f"{len(rows):,} runs {verb} some topics; the worst: {most['text']}"]
            for sentence in shown:
                sentences.setdefault(sentence, []).append(called or str(measure))
    by_measure = [with_names(sentence, names) for sentence, names in sentences.items()]
    return [*facts.notes(inside), *by_measure]


def with_names(sentence: str, names: Sequence[str]) -> str:
    """Put the names of the measures into a sentence in their place, and its verb in number."""
    if len(names) > 1:
        sentence = sentence.replace(f"{NAMES} looks at", f"{NAMES} look at", 1)
    return sentence.replace(NAMES, ", ".join(names), 1)


def worst_first(rows: Iterable[Row]) -> list[Row]:
    """Sort findings by level, the worst first; a text that holds for several measures is said
    once.
    """
    alike: dict[tuple[str, str | None, str], list[Row]] = {}
    for row in rows:
        alike.setdefault((row["code"], row["run"], row["text"]), []).append(row)
    once = [
        rows[0] | {"text": with_names(text, [str(row.get("measure")) for row in rows])}
        for (_, _, text), rows in alike.items()
    ]
    first = {code: place for place, code in enumerate(dict.fromkeys(row["code"] for row in once))}

    def place(row: Row) -> tuple[int, bool, int, int]:
        level = LEVELS.index(row["level"])
        return level, row["code"] != UNANSWERED.name, first[row["code"]], -row["count"]

    return sorted(once, key=place)


def grave_lines(facts: Evidence) -> list[str]:
    """List the grave findings over all topics as `irpref_lab.check` words them, a line for each
    code.
    """
    rows = facts.every_row(facts.everything, names_first=True, called=NAMES)
    return lines(worst_first(row for row in rows if row["level"] == "grave"))


def without_value(facts: Evidence, measures: Iterable[Measure], inside: Bools) -> list[str]:
    """Name measures that have no value for some topics, whose means leave these out."""
    sentences = []
    for measure in measures:
        valued = ~np.isnan(facts.values(measure)).any(axis=0) & inside
        if text := have_a_value([int(valued.sum())], int(inside.sum())):
            sentences.append(f"{measure}: {text}")
    return sentences


def own_topics(facts: Evidence, inside: Bools) -> list[str]:
    """Say which runs retrieve documents with the id of their topic."""
    names = [system.name for system in facts.systems if (system.own & inside).any()]
    if not names:
        return []
    where = np.any([system.own for system in facts.systems], axis=0) & inside
    who = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    if len(names) > _FEW:
        who = f"{len(names):,} runs"
    verb = "retrieves documents" if len(names) == 1 else "retrieve documents"
    return [
        f"{who} {verb} with the id of the topic for {facts.some(where, inside)}, as if the query "
        f"were in the collection; {argument('ignore_self')} leaves them out"
    ]


def by_judge(facts: Evidence, inside: Bools, whose: str = "both runs") -> list[str]:
    """Say how much of the first ten no human graded, if a judge did."""
    graded = sum(int(system.by_judge[inside].sum()) for system in facts.systems)
    if not graded:
        return []
    returned = sum(int(system.returned[TOP][inside].sum()) for system in facts.systems)
    return [
        f"only the judge graded {100 * graded / returned:.0f} % of the first ten documents of "
        f"{whose}; its grades carry no guarantee"
    ]


def columns_of_judge(facts: Evidence, inside: Bools, names: Sequence[str]) -> dict[str, float]:
    """Compute the share of the first ten of each system that a judge alone graded; nothing without
    a judge.
    """
    columns: dict[str, float] = {}
    if any(system.by_judge.any() for system in facts.systems):
        for name, system in zip(names, facts.systems, strict=True):
            returned = max(int(system.returned[TOP][inside].sum()), 1)
            columns[f"by_judge_{name}"] = int(system.by_judge[inside].sum()) / returned
    return columns


def within_repeats(
    facts: Evidence, measure: Measure, topics: Bools, runs: Sequence[int], difference: float
) -> list[str]:
    """Say whether runs of one system differ as much as these systems do."""
    most, name = max(
        (facts.systems[i].range_of_mean(measure, topics), facts.systems[i].name) for i in runs
    )
    if not most or abs(difference) > most:
        return []
    return [f"the difference is no larger than that between repeats of {name} ({most:.4f})"]


def each_within_repeats(
    facts: Evidence,
    parts: Mapping[str | None, Bools],
    pairs: Iterable[tuple[str, Sequence[str], Mapping[str, Any]]],
) -> list[str]:
    """Apply `within_repeats` to the rows of a table: which pair, by which measure, in which
    group.

    Parameters
    ----------
    facts : Evidence
    parts : mapping of group to bool array (n_topics,)
    pairs : iterable of (str, two names of systems, row of a table)
        The text is the beginning of the sentence.
    """
    if all(system.n_repeats == 1 for system in facts.systems):
        return []
    measures = {str(measure): measure for measure in facts.measures}
    numbers = {system.name: number for number, system in enumerate(facts.systems)}
    sentences = []
    for beginning, names, row in pairs:
        measure, group = row["measure"], row.get("group")
        where = "" if group is None else f" in {group}"
        runs = [numbers[name] for name in names]
        for sentence in within_repeats(
            facts, measures[measure], parts[group], runs, row["difference"]
        ):
            sentences.append(f"{beginning}{measure}{where}: {sentence}")
    return sentences


def columns_of_repeats(
    facts: Evidence, measure: Measure, topics: Bools, names: Sequence[str]
) -> dict[str, Any]:
    """Count how often each system was run, and say how much its mean varies: nothing if all were
    run once.

    Parameters
    ----------
    names : sequence of str
        Suffix of each system's columns `repeats_` and `sd_repeats_`.
    """
    columns: dict[str, Any] = {}
    if any(system.n_repeats > 1 for system in facts.systems):
        for name, system in zip(names, facts.systems, strict=True):
            columns[f"repeats_{name}"] = system.n_repeats
            columns[f"sd_repeats_{name}"] = system.sd_of_mean(measure, topics)
    return columns


def repeated(facts: Evidence, measures: Iterable[Measure], inside: Bools) -> list[str]:
    """Say which systems were run several times, and how much their means vary."""
    sentences = []
    for system in facts.systems:
        if system.n_repeats > 1:
            spread = (f"{name} {system.sd_of_mean(name, inside):.4f}" for name in measures)
            sentences.append(
                f"{system.name} is the mean of {system.n_repeats} runs; standard deviation of "
                f"their means: {', '.join(spread)}"
            )
    return sentences
