"""Find problems in judgments and runs before you evaluate them.

A finding has a code of `irpref.observed.codes`, a level, a count, the first example, and a sentence
about the consequences:

    grave    values would mislead: topics without documents, no topic or document in common, ids
             that another tool changed, ranks and scores reversed, a run that cannot be evaluated
    warning  values depend on it: documents repeated, several runs in one file, a ranking shorter
             than a cutoff, ties across grades at the top, identical runs, many unjudged documents,
             judgments on which a measure is degenerate
    note     good to know: the scale, harmless ties, uneven depth, topics that are only answered

>>> qrels = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1, "d": 0}}
>>> findings = check(qrels, {"mine": {"q1": {"a": 2.0, "b": 1.0}}})
>>> findings[["code", "level", "run", "count", "example"]].head(1)
         code  level   run  count example
0  unanswered  grave  mine      1      q2
>>> grave(findings)
["mine has no documents for 1 of 2 topics (first 'q2'); it counts as an empty ranking"]
"""

from __future__ import annotations

import os

import pandas as pd

from irpref.data import named_runs
from irpref.data.columns import Reading, reading
from irpref.errors import ConflictError
from irpref.judged import QrelsLike, RunLike, Runs, as_judgments, each, read_once
from irpref.measures.declare import Measures, needs
from irpref.measures.names import parse_all
from irpref.messages import about, give, message_of
from irpref.observed import CONTRADICTING_PREFERENCES, INVALID_RUN, Code, Row, System, lines
from irpref_lab.calls import by_line
from irpref_lab.checking.advice import Advice
from irpref_lab.checking.findings import Findings
from irpref_lab.remarks import NAMES, worst_first

COLUMNS = ("code", "level", "run", "count", "example", "text")


@by_line()
def check(
    qrels: QrelsLike,
    runs: Runs | str | os.PathLike[str] = (),
    measures: Measures = (),
    *,
    jobs: int | None = None,
    form: str | Reading | None = None,
) -> pd.DataFrame:
    """Find problems in qrels and runs before you evaluate them.

    Parameters
    ----------
    qrels : in any form that `irpref.evaluator` takes
    runs : mapping of name to run, list of paths, or path of one run; optional
        Without runs, only the judgments are checked.
    measures : measures of any toolkit, or their names, optional
        Measures that you want to compute: their cutoffs, thresholds and needs are compared with the
        data.
    jobs : int, optional
        Number of runs read in parallel; by default the number of cores.
    form : str, optional
        Form of files, as for `irpref.read_run`.

    Returns
    -------
    pandas.DataFrame
        A row for each finding, the worst first: `code`, `level` ('grave', 'warning', 'note'), `run`
        (None: about qrels or measures), `count` (of topics, documents or judgments, as the text
        says), `example` (the first topic, document or run concerned), `text`. The codes are
        listed in docs/check.md.

        Printed, and in a notebook, the findings are sentences, as in the shell.

        `attrs["measures"]` names up to three measures that suit these judgments and can tell the
        given runs apart (a list of dicts: `measure`, `why`).

    Raises
    ------
    ValueError, OSError
        The qrels cannot be read. A fault of a run is a finding.
    """
    chosen = parse_all(measures)
    of_grades = [measure for measure in chosen if "preferences" not in needs(measure)]
    judged = as_judgments(qrels)
    try:
        pool = judged.pool(preferences=len(of_grades) < len(chosen) or None)
    except ConflictError as error:
        if not error.preferences:
            raise
        # Nothing to compare runs with.
        return _table([_failure(CONTRADICTING_PREFERENCES, None, error.message)])
    given, how = named_runs(runs, takes_path=True), reading(form)
    advice = Advice(pool, judged, pool.of_preferences, chosen)

    def observed(item: tuple[str, RunLike]) -> System:
        name, run = item
        with about(name, len(given) > 1):
            return advice.system(name, read_once(run, how))

    systems, failures = [], list[Row]()
    done_of = each(observed, given.items(), jobs)
    for name, done in zip(given, done_of, strict=True):
        for warning in done.warnings:
            give(warning)
        if isinstance(done.error, (ValueError, OSError)):  # no number, no column, nothing in common
            failures.append(_failure(INVALID_RUN, name, message_of(done.error)))
        elif done.error is not None:
            raise done.error
        elif done.value is not None:
            systems.append(done.value)
    facts = advice.evidence(systems)
    rows = facts.every_row(facts.everything, names_first=True, measures=advice.chosen, called=NAMES)
    suited, dropped = advice.given(facts)
    table = _table([*failures, *rows, *dropped])
    table.attrs["measures"] = suited
    return table


def _failure(code: Code, run: str | None, error: str) -> Row:
    """Make a row about judgments or a run that cannot be evaluated."""
    text = code.worded(run=run, error=error)
    return {"code": code.name, "level": code.level, "run": run, "count": 1, "example": None} | {
        "text": text
    }


def _table(rows: list[Row]) -> Findings:
    """Show the findings as a table, the worst first."""
    once = worst_first(rows)
    kinds = {"run": object, "example": object, "count": "int64"}  # as text, None would become NaN
    return Findings(
        {name: pd.Series([row[name] for row in once], dtype=kinds.get(name)) for name in COLUMNS}
    ).made()


def grave(findings: pd.DataFrame) -> list[str]:
    """List the grave findings as lines, one for each code: the first run, and how many more runs
    have the same problem.

    Parameters
    ----------
    findings : result of `check`
    """
    return lines(findings[findings["level"] == "grave"].to_dict("records"))
