"""Judgments and runs of a command line, as commands of the lab read them: filled with a judge's
grades, of a sample, or values and collections in their place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from irpref.cli.arguments import Inputs, read_judgments
from irpref.cli.say import say
from irpref.judged import Judgments, as_judgments
from irpref_lab.commands.value_options import CollectionInputs, ValueInputs


def filled(
    given: Inputs, judges: Sequence[str], runs: Callable[[], dict[str, Any] | None] = dict
) -> Judgments:
    """Read the judgments of the topics asked for, their holes filled with the grades of judges.

    Judgments are read before the runs, which are asked for only if their ranks say how many filled
    documents are relevant.
    """
    qrels = read_judgments(given.qrels, given.form)
    if judges:
        from irpref_lab import fill

        grades = [read_judgments(path, given.form) for path in judges]
        by_judge = fill(qrels, grades, runs() or None)
        say(by_judge.text)
        qrels = by_judge
    # A document that only a judge graded may be known, too.
    return given.of_topics(as_judgments(qrels, known=given.known_documents()))


def _of_sample(given: Inputs, judges: Sequence[str], plan: str) -> Judgments:
    """Read the judgments of a sample."""
    if len(judges) > 1:
        raise click.UsageError("--sample takes the one --judge that the plan was drawn with")
    if given.topics:
        raise click.UsageError("--sample: the topics are those of the plan, so -t does not apply")
    from irpref_lab import sampled

    judge = read_judgments(judges[0], given.form) if judges else None
    estimable = sampled(read_judgments(given.qrels, given.form), judge, plan)
    say(estimable.text)
    return estimable


def read(
    given: Inputs, judges: Sequence[str] = (), plan: str | None = None, ranks: bool = False
) -> tuple[Any, dict[str, Any]]:
    """Read judgments, and the run of each system, or the list of its runs. With `ranks`, the ranks
    of several runs say how many filled documents are relevant.
    """
    if isinstance(given, CollectionInputs):
        return given.collections, {name: name for name in given.systems}
    if isinstance(given, ValueInputs):
        return given.values, {name: name for name in given.systems}
    for name, repeated in given.systems.items():
        if len(repeated) > 1:
            say(f"{name}: {len(repeated)} runs of one system ({', '.join(repeated)})")
    if plan is not None:
        return _of_sample(given, judges, plan), given.of_systems(given.runs())
    runs: dict[str, Any] = {}

    def of_ranks() -> dict[str, Any] | None:
        runs.update(given.runs())
        return runs if ranks and len(runs) > 1 else None

    qrels = filled(given, judges, of_ranks)
    return qrels, given.of_systems(runs or given.runs())
