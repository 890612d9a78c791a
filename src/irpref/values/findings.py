"""What `irpref_lab.check` finds: a row of its table. Levels and sentences are in findings.toml."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from irpref.judged.pool import Pool
from irpref.kernel.segments import Bools
from irpref.messages import have


@dataclass(frozen=True, slots=True)
class Finding:
    """A row of the table: see `irpref_lab.check`."""

    code: str
    level: str
    run: str | None
    count: int
    example: str | None
    text: str


@cache
def sentences(file: str) -> dict[str, dict[str, str]]:
    """The sentences of a TOML file in this package."""
    with open(os.path.join(os.path.dirname(__file__), file), "rb") as opened:
        return tomllib.load(opened)


def finding(
    code: str,
    count: int,
    example: str | None = None,
    sentence: str = "text",
    level: str | None = None,
    **words: Any,
) -> Finding:
    """A finding without a run; `words` fill in what its sentence says besides count and example.

    For a count of 1, `one` replaces the sentence `text`, and `NAME-one` any other.
    """
    known = sentences("findings.toml")[code]
    singular = "one" if sentence == "text" else f"{sentence}-one"
    text = known.get(singular, known[sentence]) if count == 1 else known[sentence]
    return Finding(
        code,
        level or known["level"],
        None,
        count,
        example,
        text.format(n=count, first=example, **words),
    )


def of_topics(
    code: str,
    pool: Pool,
    which: Bools,
    *how: str,
    count: int | None = None,
    first: int | None = None,
    **words: Any,
) -> Iterator[Finding]:
    """A finding about the topics that a mask (n_topics,) selects, if there are any.

    Parameters
    ----------
    how : sentence and level, as `finding` takes them
    count : int, optional
        If the finding does not count these topics.
    first : int, optional
        Number of the topic to name, by default the first of them.
    """
    if which.any():
        n, topic = int(which.sum()), int(which.argmax()) if first is None else first
        share = f"{n} of {which.size} topics"
        number = n if count is None else count
        words |= {"of": share, "have": have(n)}
        yield finding(code, number, pool.topic_ids[topic], *how, **words)
