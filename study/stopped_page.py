"""Write docs/what-a-verdict-rests-on.md from study/stopped.json: every count is computed, none
typed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from irpref.observed import CODES
from study import stopped as made
from study.error_rates_page import table

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "what-a-verdict-rests-on.md"
Row = dict[str, Any]


class Counts:
    """The counts of some collections, added up."""

    def __init__(self, stored: dict[str, Row], names: Sequence[str]) -> None:
        self.names = [name for name in names if name in stored]
        self.rows = [stored[name] for name in self.names]

    @property
    def n_runs(self) -> int:
        """Number of runs."""
        return sum(row["runs"] for row in self.rows)

    def undamaged(self, kind: str, measures: Sequence[str] = made.MEASURES) -> list[Row]:
        """Return the rows about undamaged pairs."""
        rows = [one for row in self.rows for one in row["undamaged"]]
        return [one for one in rows if one["kind"] == kind and one["measure"] in measures]

    def total(self, kind: str, name: str, code: str | None = None) -> int:
        """Add up a column of undamaged pairs, or its numbers of a code."""
        rows = self.undamaged(kind)
        return sum(one[name] if code is None else one[name].get(code, 0) for one in rows)

    @property
    def n_pairs(self) -> int:
        """Number of pairs, in both orders."""
        return sum(one["pairs"] for one in self.undamaged("pass", made.MEASURES[:1]))

    def damaged(self, code: str, damage: str, part: str = "damaged") -> Row:
        """Add up the rows of a damage."""
        names = ("pairs", "found", "wrong", "wrong_found", "wrong_stopped")
        rows = [
            one
            for row in self.rows
            for one in row.get(part, ())
            if one["code"] == code and damage in (one["damage"], one.get("judge"))
        ]
        return {name: sum(one[name] for one in rows) for name in names}

    def swapped(self, name: str) -> int:
        """Add up a count of swapped inputs."""
        return sum(row["swapped"][name] for row in self.rows)

    def relevant_only(self, code: str) -> int:
        """Count the pairs that a code is against on judgments of relevant documents alone."""
        return sum(row["relevant_only"]["against"].get(code, 0) for row in self.rows)


def number(n: int) -> str:
    """Return a count with separators."""
    return f"{n:,}"


def of(part: int, whole: int) -> str:
    """Return a count of another one, a dash if there is none."""
    return f"{part:,} of {whole:,}" if whole else "-"


def codes_of(parts: Iterable[Counts]) -> list[str]:
    """List the codes that stop an undamaged pair, by name."""
    return sorted(
        {
            code
            for counts in parts
            for kind in ("pass", "claim")
            for row in counts.undamaged(kind)
            for code in row["stopped"]
        }
    )


def of_undamaged(parts: Sequence[Counts]) -> str:
    """Tabulate the undamaged verdicts that each code stops."""
    columns = [(counts, kind) for counts in parts for kind in ("pass", "claim")]
    rows = [
        [f"`{code}`", *(number(counts.total(kind, "stopped", code)) for counts, kind in columns)]
        for code in codes_of(parts)
    ]
    every = ["any", *(number(counts.total(kind, "stopped_by_any")) for counts, kind in columns)]
    whole = ["all", *(number(counts.total(kind, "verdicts")) for counts, kind in columns)]
    head = ["code", "passes", "claims", "passes, new", "claims, new"]
    return table(head, [*rows, every, whole])


def of_damaged(parts: Sequence[Counts]) -> str:
    """Tabulate the damages that are found."""
    every = (one for counts in parts for row in counts.rows for one in row["damaged"])
    rows = []
    for code, damage in dict.fromkeys((one["code"], one["damage"]) for one in every):
        cells = []
        for counts in parts:
            one = counts.damaged(code, damage)
            cells += [of(one["found"], one["pairs"]), of(one["wrong_stopped"], one["wrong"])]
        if set(cells) != {of(0, 0)}:  # else verdicts refuse all runs that are so damaged
            rows.append([f"`{code}`", damage, *cells])
    head = ["code", "damage", "found", "wrong passes stopped", "found, new", "stopped, new"]
    return table(head, rows)


def _listed(words: Sequence[str]) -> str:
    """Join words as in a sentence."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def page() -> str:
    """Return the page of the documentation."""
    stored = made.stored()
    old, new = (Counts(stored, names) for names in (made.CHOSEN_ON, made.NEW))
    both = Counts(stored, (*made.CHOSEN_ON, *made.NEW))
    llm, partisan = (
        both.damaged("judge-decides", judge, "judged") for judge in ("LLM", "partisan")
    )
    coarse = both.damaged("ties", "scores rounded to 4 levels")
    stopping = {code.name for code in CODES if code.against & {"pass", "claim"}}
    never = sorted(stopping - set(codes_of([both])))
    return (
        (HERE / "what-a-verdict-rests-on.md.in")
        .read_text(encoding="utf-8")
        .format(
            names=_listed([made.NAMES[name] for name in old.names]),
            runs=number(old.n_runs),
            pairs=number(old.n_pairs),
            new_names=_listed([made.NAMES[name] for name in new.names]),
            new_runs=number(new.n_runs),
            new_pairs=number(new.n_pairs),
            undamaged=of_undamaged([old, new]),
            damaged=of_damaged([old, new]),
            never=", ".join(f"`{code}`" for code in never),
            swapped=of(both.swapped("swapped_refused"), both.swapped("runs")),
            right=number(both.swapped("right_refused")),
            one_grade=number(both.relevant_only("one-grade")),
            one_grade_pairs=number(sum(row["relevant_only"]["pairs"] for row in both.rows)),
            llm_wrong=number(llm["wrong"]),
            llm_pairs=number(llm["pairs"]),
            llm_stopped=number(llm["wrong_found"]),
            llm_right=number(llm["found"] - llm["wrong_found"]),
            partisan_wrong=number(partisan["wrong"]),
            partisan_stopped=number(partisan["wrong_found"]),
            coarse_wrong=number(coarse["wrong"]),
            coarse_stopped=number(coarse["wrong_stopped"]),
        )
    )


def write() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")
