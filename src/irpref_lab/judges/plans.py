"""A plan, as an object and as a file: which documents a human should judge, in which order.

A plan holds every document that the runs weight differently, in the order in which to judge them.
Documents that humans judged before come first, with order 0; they are known for certain. Two
documents with the same priority are drawn together. `irpref_lab.judges.planning` draws plans."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from irpref.data import Source, replaced
from irpref.errors import InputError
from irpref.show import ResultFrame
from irpref_lab.judges.grades import IDS

COLUMNS = ["order", *IDS, "size", "priority", "probability"]
DECISION, UNJUDGEABLE = "decision", "unjudgeable"
_FACTS = ("seed", "looks", "judge", "judge_rows", "rows", "topics", "measures", "checksum")
_FIRST_LINE = "# irpref plan"


class Plan(ResultFrame):
    """The result of `sample`: documents in the order in which to judge them.

    Attributes
    ----------
    attrs : dict
        `seed`, `looks`, `judge` (hash of its grades), `judge_rows` (their number), `rows` (of the
        plan), `topics` (without a line), `measures`, `checksum`.
    """

    @property
    def text(self) -> str:
        """One line: how many documents to judge, of how many."""
        drawn = int((self["order"] > 0).sum())
        n_now = int((self["probability"].notna() & (self["order"] > 0)).sum())
        before = len(self) - drawn
        if not drawn:
            return (
                f"the {before:,} documents that the runs weight differently were judged before: "
                "nothing is left to judge"
            )
        return (
            f"judge the first {n_now:,} of {drawn:,} documents that the runs weight differently"
            + (f" ({before:,} were judged before)" if before else "")
            + f"; {looks_in_words(self.attrs['looks'])}; seed {self.attrs['seed']}"
        )

    def lines(self) -> Iterator[str]:
        """Yield the plan as tab-separated values, with its facts in lines that begin with `#`.

        Raises
        ------
        ValueError
            An id holds a tab or a line end.
        """
        checked = read_plan(self)
        for name in IDS:
            for value in checked[name]:
                if any(sign in value for sign in "\t\n\r"):
                    raise InputError(f"{name} {value!r} holds a tab or a line end")
        columns = [*COLUMNS, *([DECISION] if DECISION in checked else [])]
        yield f"{_FIRST_LINE}\n"
        yield from (f"# {name}: {json.dumps(checked.attrs[name])}\n" for name in _FACTS)
        yield "\t".join(columns) + "\n"
        for row in checked[columns].itertuples(index=False, name=None):
            yield "\t".join(map(_cell, row)) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `lines` to a file, which is whole or as it was."""
        with replaced(path) as beside, open(beside, "w", encoding="utf-8", newline="") as file:
            file.writelines(self.lines())


def looks_in_words(numbers: Sequence[int]) -> str:
    """Put the looks of a plan into words."""
    listed = ", ".join(f"{look:,}" for look in numbers)
    return f"looks at {listed}" if len(numbers) > 1 else f"one look, at {listed}"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return str(value)


def read_plan(plan: Any) -> Plan:
    """Read a plan from a file, or take a frame that `sample` returned, and check it.

    Raises
    ------
    ValueError
        No plan; a plan that was cut or changed.
    """
    if isinstance(plan, (str, os.PathLike)):
        frame, path = _of_file(plan), os.fspath(plan)
    else:
        frame, path = plan, None
    absent = [name for name in COLUMNS if name not in getattr(frame, "columns", ())]
    missing = [name for name in _FACTS if name not in getattr(frame, "attrs", {})]
    if absent or missing:
        raise InputError(
            f"this is no plan of irpref_lab.sample: it lacks {', '.join(absent or missing)}. "
            f"Plan.save writes a plan with all that is needed",
            path=path,
        )
    out = Plan(frame)
    out.attrs = dict(frame.attrs)
    if len(out) != out.attrs["rows"]:
        raise InputError(
            f"the plan has {len(out):,} of its {out.attrs['rows']:,} lines: was it cut off?",
            path=path,
            value=len(out),
        )
    if checksum(out) != out.attrs["checksum"]:
        raise InputError(
            "the plan was changed: its documents, sizes and priorities must stay as "
            "they were drawn",
            path=path,
        )
    if DECISION in out and not set(out[DECISION].fillna("")) <= {"", UNJUDGEABLE}:
        other = next(iter(set(out[DECISION].fillna("")) - {"", UNJUDGEABLE}))
        raise InputError(
            f"decision {other!r} is not known, expected {UNJUDGEABLE!r}",
            path=path,
            column=DECISION,
            value=other,
        )
    return out


def _of_file(path: str | os.PathLike[str]) -> pd.DataFrame:
    with Source(path).open() as file:
        text = file.read().decode("utf-8")
    lines = text.split("\n")
    if lines[0].rstrip("\r") != _FIRST_LINE:
        raise InputError(f"{os.fspath(path)}: this is no plan: its first line is not {_FIRST_LINE}")
    if lines.pop():
        raise InputError(f"{os.fspath(path)}: the last line has no end: was the file cut off?")
    facts: dict[str, Any] = {}
    rows: list[list[str]] = []
    for number, line in enumerate(lines[1:], 2):
        line = line.rstrip("\r")
        name, colon, value = line.removeprefix("# ").partition(": ")
        if line.startswith("# ") and colon and name in _FACTS:
            try:
                facts[name] = json.loads(value)
            except ValueError:
                raise InputError(
                    f"{os.fspath(path)}:{number}: {name} is {value!r}, expected JSON"
                ) from None
        elif not line.startswith("#"):
            cells = line.split("\t")
            if not len(COLUMNS) <= len(cells) <= len(COLUMNS) + 1:
                raise InputError(
                    f"{os.fspath(path)}:{number}: expected {len(COLUMNS)} columns and a decision, "
                    f"got {len(cells)}: was the file cut off?"
                )
            rows.append(cells)
    if not rows or rows[0][: len(COLUMNS)] != COLUMNS:
        raise InputError(f"{os.fspath(path)}: the plan has no heading {' '.join(COLUMNS)}")
    full = [row + [""] * (len(COLUMNS) + 1 - len(row)) for row in rows[1:]]
    table = pd.DataFrame(full, columns=[*COLUMNS, DECISION], dtype=object)
    if not table[DECISION].any():
        table = table.drop(columns=DECISION)
    try:
        table["order"] = table["order"].astype(np.int64)
        for name in ("size", "priority", "probability"):
            table[name] = table[name].replace("", "nan").astype(np.float64)
    except ValueError as error:
        raise InputError(f"{os.fspath(path)}: {error}") from None
    for name in IDS:
        table[name] = table[name].tolist()  # pandas' own type of text, as `sample` has it
    table.attrs = facts
    return table


def checksum(plan: pd.DataFrame) -> str:
    """Hash the documents of a plan, their order, sizes and priorities."""
    digest = hashlib.blake2b(digest_size=8)
    columns = (plan[name].tolist() for name in COLUMNS[:-1])
    for order, query_id, doc_id, size, priority in zip(*columns, strict=True):
        line = f"{order} {query_id!r} {doc_id!r} {float(size)!r} {float(priority)!r}\n"
        digest.update(line.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def hash_of_plan(plan: pd.DataFrame) -> str:
    """Hash a plan with its facts and decisions."""
    decisions = plan[DECISION].fillna("").tolist() if DECISION in plan else []
    facts = json.dumps([[plan.attrs[name] for name in _FACTS], decisions])
    return hashlib.blake2b(facts.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
