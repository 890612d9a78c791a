"""The search above the facts: which codes hold, and which of them rule out a verdict."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from ir_measures.measures import Measure

from irpref.kernel.segments import Bools, Floats
from irpref.observed.codes import CODES, OF_BOTH
from irpref.observed.facts import Facts
from irpref.observed.finding import Code, Ground, View

if TYPE_CHECKING:
    import pandas as pd

Row: TypeAlias = dict[str, Any]  # of what was found, see `Evidence.every_row`


class Evidence(Facts):
    """Runs, judged and observed, and the codes that hold on them."""

    @property
    def codes(self) -> Sequence[Code]:
        """The codes that are looked for."""
        return CODES

    def every_row(
        self,
        inside: Bools,
        names_first: bool = False,
        measures: Iterable[Measure] | None = None,
        called: str = "",
    ) -> list[Row]:
        """List all findings on the topics of a mask: a row for each code, run and measure. The
        texts name the measure as it is `called`, by default `str(measure)`.

        Besides the columns of `irpref.evidence`, a row has `count` (the number found, if it is not
        topics), `here` (its topics as a mask), and `record` (the `Code`).
        """
        rows: list[Row] = []
        chosen = self.measures if measures is None else list(measures)
        for code in self.codes:
            of_code: list[Measure | None] = [*chosen] if code.by_measure else [None]
            if not of_code and code.about == "run":
                of_code = [None]
            for measure in of_code:
                rows += self._rows_of(code, inside, measure, called, names_first)
        return [row for row in rows if not _is_explained(row, rows)]

    def frame(self, parts: Mapping[str | None, Bools]) -> pd.DataFrame:
        """Make the table of `irpref.evidence`, with rows for each of these groups of topics."""
        import pandas as pd

        rows = [
            row | {"group": group}
            for group, inside in parts.items()
            for row in self.every_row(inside)
        ]
        columns = ("measure", "group", "run", "code", "level", "topics", "example", "text")
        kinds = {"topics": "int64"}
        return pd.DataFrame(
            {
                name: pd.Series([row[name] for row in rows], dtype=kinds.get(name, object))
                for name in columns
            }
        )

    def masks(self, measure: Measure) -> dict[str, Bools]:
        """Mark the topics of each code by which a topic's value is no evidence: (n_topics,), or
        (n_systems, n_topics) if it is about runs.
        """
        out: dict[str, Bools] = {}
        for code in self.codes:
            if "values" not in code.against:
                continue
            masks = [
                np.any([found.topics for found in code.found(view)] or [self.none], axis=0)
                for view in self._views(code, self.everything, measure)
            ]
            out[code.name] = np.array(masks) if code.is_of_runs else masks[0]
        return out

    def rows(self, measure: Measure, inside: Bools, called: str | None = None) -> Iterator[Row]:
        """Yield a row for each code and run: the limits of topics as evidence by a measure, over
        the topics of a mask (n_topics,). The texts name the measure as it is `called`, by default
        `str(measure)`.
        """
        name = str(measure) if called is None else called
        for code in self.codes:
            if "values" in code.against:
                yield from self._rows_of(code, inside, measure, name)

    def notes(self, inside: Bools) -> list[str]:
        """List the notes of verdicts that are given once for all measures."""
        return [
            row["text"]
            for code in self.codes
            if code.in_notes and not code.against
            for row in self._rows_of(code, inside, None)
        ]

    def against(
        self,
        verdict: Literal["pass", "claim"],
        measure: Measure,
        baseline: int,
        inside: Bools,
        missing: float,
        other: int | None = None,
        margin: float | None = None,
        decide: Callable[[Floats, Bools], str] | None = None,
        *,
        among: Collection[str] | None = None,
    ) -> list[Ground]:
        """Return the reasons not to call another system as good as the baseline (a pass), or better
        (a claim).

        Parameters
        ----------
        verdict : {'pass', 'claim'}
        measure : Measure
        baseline : int
            Number of the system.
        inside : bool array (n_topics,)
            The topics to look at.
        missing : float
            Share of the answerable topics that may be missing.
        other : int, optional
            Number of the other system; None: any, so that codes about two are not asked.
        margin : float, optional
            The largest loss of a mean that a pass tolerates.
        decide : callable, optional
            The verdict that other values, (n_systems, n_topics), would have on some topics.
        among : collection of str, optional
            The codes to ask, by name; all by default.
        """
        grounds: list[Ground] = []
        view = View(
            self, inside, baseline, other, measure, str(measure), missing, margin, decide, grounds
        )
        explained: set[str] = set()
        for code in self.codes:
            is_asked = verdict in code.against and (among is None or code.name in among)
            if not is_asked or code.name in explained:
                continue
            text = code.against_verdict(view)
            if text is None:
                continue
            grounds.append(Ground(code.name, text))
            explained.update(code.instead_of)
            if code.ends_search:
                break
        return grounds

    def against_claim(
        self,
        measure: Measure,
        worse: int,
        better: int,
        inside: Bools,
        missing: float,
        decide: Callable[[Floats, Bools], str] | None = None,
    ) -> list[Ground]:
        """Return the reasons not to call one system better than another: all reasons about the
        worse one, and the codes in `OF_BOTH` about the better one.

        Parameters
        ----------
        measure, inside, missing, decide : see `against`
        worse, better : int
            Numbers of the systems.
        """
        grounds = self.against("claim", measure, worse, inside, missing, better, None, decide)
        further = OF_BOTH - {ground.code for ground in grounds}
        return grounds + self.against(
            "claim", measure, better, inside, missing, worse, among=further
        )

    def _views(
        self, code: Code, inside: Bools, measure: Measure | None = None, called: str = ""
    ) -> Iterator[View]:
        """Yield the views in which a code is looked for: one of each run if it is about one."""
        if code.is_of_runs:
            for number in range(len(self.systems)):
                yield View(self, inside, number, None, measure, called)
        else:
            yield View(self, inside, None, None, measure, called)

    def _rows_of(
        self,
        code: Code,
        inside: Bools,
        measure: Measure | None,
        called: str = "",
        names_first: bool = False,
    ) -> Iterator[Row]:
        for view in self._views(code, inside, measure, called):
            for found in code.found(view):
                here = found.topics & inside
                first = self.topics[int(here.argmax())] if here.any() else None
                if code.about == "measure" and found.count is not None:
                    first = str(measure)  # it is counted, not its topics
                yield {
                    "measure": None if measure is None else str(measure),
                    "run": None if view.run is None else view.system.name,
                    "code": code.name,
                    "level": found.level or code.level,
                    "topics": int(here.sum()),
                    "count": int(here.sum()) if found.count is None else found.count,
                    "example": first if found.example is None else found.example,
                    "text": code.text(view, found, names_first),
                    "here": here,
                    "record": code,
                }


def _is_explained(row: Row, rows: Sequence[Row]) -> bool:
    """Test whether other codes explain all topics of a row, so that one cause is reported once."""
    explained = [
        other["here"]
        for other in rows
        if row["code"] in other["record"].instead_of
        and row["run"] in (None, other["run"])
        and other["measure"] in (None, row["measure"])
    ]
    if not explained or not row["topics"]:
        return False
    return not (row["here"] & ~np.any(explained, axis=0)).any()
