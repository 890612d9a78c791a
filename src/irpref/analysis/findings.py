"""What `irpref.check` finds: a row of its table. Levels and sentences are in findings.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from irpref.arrays.record import Record
from irpref.arrays.segments import Bools
from irpref.judged.pool import Pool


class Finding(Record):
    """A row of the table: see `irpref.check`."""

    code: str
    level: str
    run: str | None
    count: int
    example: str | None
    text: str


@cache
def sentences(file: str) -> dict[str, dict[str, str]]:
    """The sentences of a TOML file in this package."""
    return tomllib.loads(Path(__file__).with_name(file).read_text(encoding="utf-8"))


def finding(
    code: str, count: int, example: str | None = None, sentence: str = "text", level: str | None = None, **said: Any
) -> Finding:
    """A finding without a run; `said` fills in what its sentence says besides count and example."""
    known = sentences("findings.toml")[code]
    text = known["one"] if count == 1 and "one" in known else known[sentence]
    return Finding(code, level or known["level"], None, count, example, text.format(n=count, first=example, **said))


class Topics(Record):
    """Some of the topics: how many, the id of the first, and the numbers in words. False if there are none."""

    n: int
    first: str
    of: str

    def __bool__(self) -> bool:
        return self.n > 0


def topics_of(pool: Pool, which: Bools) -> Topics:
    """The topics of a pool that a mask (n_topics,) selects."""
    n = int(which.sum())
    return Topics(n, pool.topic_ids[int(which.argmax())], f"{n} of {which.size} topics")
