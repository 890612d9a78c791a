"""Write docs/significance.md and study/ERROR-RATES.md from study/error-rates.json: every figure is
computed, none typed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from runpy import run_path
from typing import Any

from study import error_rates as made

HERE = Path(__file__).parent
PAGE, TABLES = HERE.parent / "docs" / "significance.md", HERE / "ERROR-RATES.md"
NAMES = {
    **{"trec-covid-r3": "TREC-COVID 3", "robust03": "Robust 2003", "dl19-passage": "DL 2019"},
    **{"trec-covid-r1": "TREC-COVID 1", "dl20-passage": "DL 2020"},
    "clef-ehealth-2018": "CLEF eHealth 2018",
}
NULLS = {"exchange": "exchanged", "weights": "weighted", "near": "nearly equal"}
Cells = list[dict[str, Any]]


def matching(cells: Cells, **wanted: Any) -> Cells:
    """Return the cells with these values; a tuple means any of them."""

    def fits(cell: dict[str, Any]) -> bool:
        return all(
            cell.get(name) in value if isinstance(value, tuple) else cell.get(name) == value
            for name, value in wanted.items()
        )

    return [cell for cell in cells if fits(cell)]


def chosen(cells: Cells, **wanted: Any) -> Cells:
    """Return the cells with these values, of which there must be some."""
    found = matching(cells, **wanted)
    assert found, wanted
    return found


def mean(cells: Cells, name: str) -> float:
    """Return the mean of a column."""
    return math.fsum(cell[name] for cell in cells) / len(cells)


def most(cells: Cells, name: str) -> float:
    """Return the largest value of a column."""
    return float(max(cell[name] for cell in cells))


def least(cells: Cells, name: str) -> float:
    """Return the smallest value of a column."""
    return float(min(cell[name] for cell in cells))


def percent(share: float) -> str:
    """Return a share in per cent, with one decimal place."""
    return f"{100 * share:.1f}"


def two(cells: Cells, name: str, worst: Callable[[Cells, str], float] = most) -> str:
    """Return the mean over collections and, in brackets, the worst collection."""
    return f"{percent(mean(cells, name))} ({percent(worst(cells, name))})"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


class Numbers:
    """The stored results, as tables and figures."""

    def __init__(self, stored: dict[str, Cells]) -> None:
        self.stored = stored

    def worst(self) -> str:
        """Say in which cell boards are worst, and how it is with more sets of runs."""
        (cell,) = self.stored[made.WORST]
        before = most(self.stored["boards"], "holm")
        return (
            f"The worst cell is {cell['measure']} on {NAMES[cell['collection']]} with "
            f"{cell['topics']} topics: {percent(before)} % (standard error "
            f"{percent(cell['error_before'])}, with {made.BOARDS} sets of runs). With "
            f"{cell['boards']:,} other sets it is {percent(cell['holm'])} % (standard error "
            f"{percent(cell['error'])})."
        )

    def boards(self) -> str:
        """Tabulate errors on boards: mean and worst collection."""
        cells = self.stored["boards"]
        return table(
            ["measure", "equal runs", *(f"{n} topics" for n in made.TOPICS)],
            (
                [measure, NULLS[null]]
                + [
                    f"{two(of, 'holm')}; {two(of, 'stepdown')}"
                    for n in made.TOPICS
                    for of in [chosen(cells, measure=measure, null=null, topics=n)]
                ]
                for measure in made.MEASURES
                for null in ("exchange", "weights")
            ),
        )

    def by_collection(
        self, part: str, names: tuple[str, ...], topics: Iterable[int], **wanted: Any
    ) -> str:
        """Tabulate each cell of a part: rows are collections and numbers of topics."""
        measures = [m for m in (*made.MEASURES, made.BINARY) if self._has(part, m, wanted)]
        return table(
            ["collection", "topics", *measures],
            (
                [NAMES[name], str(n)]
                + [self._cell(part, names, wanted, name, n, measure) for measure in measures]
                for name in NAMES
                for n in topics
            ),
        )

    def _has(self, part: str, measure: str, wanted: dict[str, Any]) -> bool:
        return bool(matching(self.stored[part], measure=measure, **wanted))

    def _cell(
        self,
        part: str,
        names: tuple[str, ...],
        wanted: dict[str, Any],
        collection: str,
        n: int,
        measure: str,
    ) -> str:
        found = matching(
            self.stored[part], collection=collection, topics=n, measure=measure, **wanted
        )
        if not found:
            return "-"
        return " / ".join(percent(found[0][name]) for name in names)

    def over_measures(
        self, part: str, columns: dict[str, str], topics: Iterable[int], **wanted: Any
    ) -> str:
        """Tabulate means over collections and the worst: rows are measures."""
        measures = [m for m in (*made.MEASURES, made.BINARY) if self._has(part, m, wanted)]
        topics = list(topics)
        lows = {"held", "t_held", "hull"}
        return table(
            ["measure", *(f"{n} topics{label}" for n in topics for label in columns.values())],
            (
                [measure]
                + [
                    two(of, name, least if name in lows else most)
                    for n in topics
                    for of in [chosen(self.stored[part], measure=measure, topics=n, **wanted)]
                    for name in columns
                ]
                for measure in measures
            ),
        )

    def figures(self) -> dict[str, str]:
        """Compute all that the text names."""
        s = self.stored
        nulls = ("exchange", "weights", "near")
        pairs, real = chosen(s["pairs"], null=nulls), chosen(s["pairs"], null="real")
        exact = chosen(s["pairs"], null=("exchange", "weights"))
        fifty, rr = (
            chosen(s["boards"], topics=50),
            chosen(s["differences"], measure="RR", topics=10),
        )
        sparse = ("RR", "P@5", made.BINARY)
        small = chosen(real, measure=("RR", "P@5"), topics=10)
        ten = chosen(s["hulls"], measure=("RR", made.BINARY), topics=10)
        broken = chosen(s["passes"], change="broken")
        hundred = chosen(broken, topics=100)
        at = {n: chosen(broken, topics=n) for n in (20, 50, 100, 200, 400)}
        touched = chosen(s["right"], topics=20, touched=0.1, size=0.2)
        heavy = chosen(s["right"], topics=20, touched=0.3, size=0.2)
        chains = {d: chosen(s["chains"], drift=d) for d in (0.0, 0.0006)}
        lost = chosen(s["passes"], change="lost")
        confirmed = chosen(s["boards"], collection=made.CONFIRMATION)
        found = chosen(s["found"], measure=("nDCG@10", "AP"))
        error = math.sqrt(0.05 * 0.95 / made.CHANGES)

        def kept(cells: Cells) -> list[float]:
            return [cell["both"] / cell["t"] for cell in cells]

        shares: dict[str, float] = {
            "pair_most": most(pairs, "t"),
            "pair_mean": mean(pairs, "t"),
            "pair_sparse": mean(chosen(pairs, measure=sparse), "t"),
            "pair_sparse_ten": mean(chosen(pairs, measure=sparse, topics=10), "t"),
            "flips_sparse_ten": mean(chosen(pairs, measure=sparse, topics=10), "flips"),
            "holm_fifty": most(fifty, "holm"),
            "holm_most": most(s["boards"], "holm"),
            "holm_confirmed": most(confirmed, "holm"),
            "holm_mean": mean(s["boards"], "holm"),
            "step_fifty": most(fifty, "stepdown"),
            "step_most": most(s["boards"], "stepdown"),
            "step_mean": mean(s["boards"], "stepdown"),
            "held_rr": mean(rr, "t"),
            "held_rr_hull": mean(rr, "hull"),
            "held_rr_least": least(rr, "t"),
            "held_rr_hull_least": least(rr, "hull"),
            "held_others": least(chosen(s["differences"], measure=("nDCG@10", "AP")), "hull"),
            "over_ten": mean(chosen(s["differences"], topics=10), "overruled"),
            "over_fifty": mean(chosen(s["differences"], topics=50), "overruled"),
            "small_t": mean(small, "t"),
            "small_flips": mean(small, "flips"),
            "fifty_t": mean(chosen(real, measure=("RR", "P@5"), topics=50), "t"),
            "fifty_flips": mean(chosen(real, measure=("RR", "P@5"), topics=50), "flips"),
            "found_holm": mean(chosen(found, topics=10), "holm"),
            "found_step": mean(chosen(found, topics=10), "stepdown"),
            "found_holm_fifty": mean(chosen(found, topics=50), "holm"),
            "found_step_fifty": mean(chosen(found, topics=50), "stepdown"),
            "hull_least": least(ten, "hull"),
            "hull_most": most(ten, "hull"),
            "hull_t_least": least(ten, "t"),
            "hull_t_most": most(ten, "t"),
            "hull_run": least(ten, "lowest_run"),
            "block_most": most(pairs, "blocked"),
            "block_mean": mean(pairs, "blocked"),
            "block_exact": most(exact, "blocked"),
            "block_flips": most(pairs, "blocked_with_flips"),
            "block_flips_mean": mean(pairs, "blocked_with_flips"),
            "four_most": most(s["four"], "blocked"),
            "cost_ten": mean(small, "blocked") - mean(small, "blocked_with_flips"),
            "pass_lost": most(chosen(lost, measure=("nDCG@10", "AP")), "both"),
            "pass_lost_sparse": most(chosen(lost, measure=("RR", "P@5"), topics=10), "both"),
            "pass_lost_mean": mean(lost, "both"),
            **{f"broken_{n}": mean(cells, "both") for n, cells in at.items()},
            **{f"broken_t_{n}": mean(cells, "t") for n, cells in at.items()},
            "broken_most": most(hundred, "both"),
            "broken_late": most(at[400], "both"),
            "seen_fifty": mean(at[50], "both_loss_seen"),
            "kept": math.fsum(kept(touched)) / len(touched),
            "kept_least": min(kept(touched)),
            "kept_heavy": math.fsum(kept(heavy)) / len(heavy),
            "kept_heavy_least": min(kept(heavy)),
            "chain_alone": mean(chosen(chains[0.0006], topics=(100, 200)), "last"),
            "chain_reference": mean(chosen(chains[0.0006], topics=(100, 200)), "reference"),
            "chain_alone_fifty": mean(chosen(chains[0.0006], topics=50), "last"),
            "chain_reference_fifty": mean(chosen(chains[0.0006], topics=50), "reference"),
            "chain_none": mean(chosen(chains[0.0], topics=(100, 200)), "reference"),
            "chain_none_alone_fifty": mean(chosen(chains[0.0], topics=50), "last"),
            "group_passed": most(s["groups"], "passed"),
            "group_blocked": mean(s["groups"], "blocked"),
            "plan_margin": mean(s["planned"], "margin"),
            "plan_difference": mean(s["planned"], "difference"),
        }
        others = {
            "experiments": f"{made.EXPERIMENTS:,}",
            "changes": f"{made.CHANGES:,}",
            "chain_fell": f"{mean(chains[0.0006], 'fell'):.3f}",
            "cells": f"{len(pairs):,}",
            "error": f"{100 * error:.1f}",
            "board_error": f"{100 * math.sqrt(0.05 * 0.95 / made.EXPERIMENTS):.1f}",
            "failing": f"{sum(cell['holm'] > 0.06 for cell in s['boards']):,}",
            "failing_step": f"{sum(cell['stepdown'] > 0.06 for cell in s['boards']):,}",
            "worst": self.worst(),
            "worst_error": percent(s[made.WORST][0]["error_before"]),
            "sets": f"{made.BOARDS:,}",
            "board_cells": f"{len(s['boards']):,}",
        }
        return {name: percent(share) for name, share in shares.items()} | others


def page(numbers: Numbers) -> str:
    """Return the page of the documentation."""
    text = (HERE / "significance.md.in").read_text(encoding="utf-8")
    of_broken = chosen(numbers.stored["passes"], change="broken")
    passes = table(
        ["topics", "by t alone", "by both bounds", "of these, with a loss seen"],
        (
            [str(n), *(two(cells, name) for name in ("t", "both", "both_loss_seen"))]
            for n in (10, 20, 50, 100, 200, 400)
            for cells in [chosen(of_broken, topics=n)]
        ),
    )
    hulls = table(
        ["measure", *(f"{n} topics" for n in (5, *made.TOPICS))],
        (
            [measure]
            + [
                f"{two(of, 't', least)}; {two(of, 'hull', least)}"
                for n in (5, *made.TOPICS)
                for of in [chosen(numbers.stored["hulls"], measure=measure, topics=n)]
            ]
            for measure in ("RR", made.BINARY, "P@5", "nDCG@10", "AP")
        ),
    )
    return text.format(
        **numbers.figures(),
        boards=numbers.boards(),
        sizes=numbers.over_measures(
            "pairs", {"t": ""}, (*made.TOPICS, 100), null=("exchange", "weights", "near")
        ),
        passes=passes,
        hulls=hulls,
    )


def tables(numbers: Numbers) -> str:
    """Return all tables, cell by cell."""
    parts = [TABLES_HEAD.format(**numbers.figures())]

    def add(title: str, words: str, *args: Any, **wanted: Any) -> None:
        parts.append(f"## {title}\n\n{words}\n\n{numbers.by_collection(*args, **wanted)}")

    for null, words in (
        ("exchange", "Values of a topic exchanged at random"),
        ("weights", "Equal by weights on topics"),
    ):
        add(
            f"Boards of eight equal runs: {NULLS[null]}",
            f"{words}. Any pair called different: Holm's t / step-down.",
            *("boards", ("holm", "stepdown"), made.TOPICS),
            null=null,
        )
    add(
        "What boards find",
        "Share of the 28 pairs of eight real runs: Holm's t / step-down.",
        *("found", ("holm", "stepdown"), made.TOPICS),
    )
    for null, name in NULLS.items():
        add(
            f"One pair: {name}",
            "Called different by t / by sign flips / blocked by the gate / blocked if sign flips "
            "must agree.",
            *("pairs", ("t", "flips", "blocked", "blocked_with_flips"), (*made.TOPICS, 100)),
            null=null,
        )
    add(
        "One pair: real differences",
        "Found by t / by sign flips / blocked by the gate / blocked if sign flips must agree / "
        "t intervals that hold the difference of all topics.",
        *("pairs", ("t", "flips", "blocked", "blocked_with_flips", "held"), (*made.TOPICS, 100)),
        null="real",
    )
    four = numbers.stored["four"]
    parts.append(
        "## A gate on four measures\n\nChanges without effect that are blocked, by bounds alone / "
        "if sign flips must agree.\n\n"
        + table(
            ["collection", "equal runs", *(f"{n} topics" for n in made.TOPICS)],
            (
                [NAMES[name], NULLS[null]]
                + [
                    f"{percent(cell['blocked'])} / {percent(cell['blocked_with_flips'])}"
                    for n in made.TOPICS
                    for cell in four
                    if (cell["collection"], cell["null"], cell["topics"]) == (name, null, n)
                ]
                for name in NAMES
                for null in ("exchange", "near")
                if any((c["collection"], c["null"]) == (name, null) for c in four)
            ),
        )
    )
    add(
        "Passes of a change that breaks queries",
        "A random share of the queries gets 0, and the expected loss is the margin: passes by t / "
        "by both bounds / by both, with a loss seen.",
        *("passes", ("t", "both", "both_loss_seen"), (10, 20, 50, 100, 200, 400)),
        change="broken",
    )
    add(
        "Passes of a change that loses the margin",
        "Two real runs, topics weighted so that the second loses exactly the margin: passes by t / "
        "by both bounds.",
        *("passes", ("t", "both"), (10, 20, 50, 100, 200, 400)),
        change="lost",
    )
    for touched in (0.1, 0.3):
        for size in (1.0, 0.2):
            add(
                f"Right users: {touched:.0%} of the queries touched, differences times {size:g}",
                "Changes without effect that pass, by t / by both bounds.",
                *("right", ("t", "both"), (20, 50, 100)),
                touched=touched,
                size=size,
            )
    add(
        "Intervals of means",
        "Hold the mean of all topics: t / hull / hull of the worst run.",
        *("hulls", ("t", "hull", "lowest_run"), (5, *made.TOPICS)),
    )
    add(
        "Intervals of differences",
        "Hold the difference of all topics: t / hull / of those significant by t, the share whose "
        "hull holds 0.",
        *("differences", ("t", "hull", "overruled"), (*made.TOPICS, 100)),
    )
    add(
        "A group of ten topics that loses four margins",
        "Blocked / passed.",
        *("groups", ("blocked", "passed"), (50, 100)),
    )
    parts.append(
        "## A hundred commits, each against the last\n\nChains stopped, over collections: by the "
        "gate against the last commit alone / with a reference; loss of nDCG@10 over the chain.\n\n"
        + table(
            ["topics", *(f"{d} a commit" for d in (0.0, 0.0003, 0.0006, 0.0015))],
            (
                [str(n)]
                + [
                    f"{percent(mean(of, 'last'))} / {percent(mean(of, 'reference'))}; "
                    f"{mean(of, 'fell') + 0.0:.3f}"
                    for d in (0.0, 0.0003, 0.0006, 0.0015)
                    for of in [chosen(numbers.stored["chains"], topics=n, drift=d)]
                ]
                for n in (50, 100, 200)
            ),
        )
    )
    parts.append(
        "## Topics needed\n\nWithin a factor of two of the right number, planned from 25 topics: "
        "for the margin / for the observed difference.\n\n"
        + table(
            ["measure", "margin", "observed difference"],
            (
                [measure, *(two(of, name, least) for name in ("margin", "difference"))]
                for measure in made.MEASURES
                for of in [chosen(numbers.stored["planned"], measure=measure)]
            ),
        )
    )
    return "\n".join(parts)


TABLES_HEAD = """\
# Error rates and power of the significance test

<!-- Written by study/error_rates_page.py from study/error-rates.json. -->

These are the tables behind [How often the test is wrong](../docs/significance.md). All numbers are
per cent. A cell of boards has {experiments} experiments (standard error of 5 %: {board_error}; in
the weighted cells, which have {sets} sets of runs, up to {worst_error}), one of pairs and gates
{changes} ({error}). The methods, seeds and the split of the collections are
in `study/error_rates.py`: earlier defaults were chosen on TREC-COVID 3, Robust 2003 and DL 2019;
nothing was chosen on TREC-COVID 1, DL 2020 and CLEF eHealth 2018. A dash: too few runs could be
made equal.
"""


def write() -> None:
    """Write both pages."""
    numbers = Numbers(json.loads(made.RESULTS.read_text(encoding="utf-8")))
    PAGE.write_text(page(numbers), encoding="utf-8")
    TABLES.write_text(tables(numbers), encoding="utf-8")


if __name__ == "__main__":
    run_path(str(Path(__file__).parents[1] / "docs" / "own_source.py"))
    write()
