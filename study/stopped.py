"""Ask for the verdicts of gate and compare about all pairs of submitted runs, as they are and
damaged, and count the verdicts that each code stops.

    python -m study.stopped DATA [COLLECTION...]   # DATA/dl19-passage, ...; half an hour for all
    python -m study.stopped                        # write the page from the stored counts

Of a collection with two runs or more, all pairs are asked about, in both orders, then with a
damaged baseline: `DAMAGED` runs, drawn with a fixed seed, beside each other run; then with damaged
judgments. If DATA/llm-judges has grades for it, humans judge every second topic and a judge the
others. Runs without a judged document are in no pair: verdicts refuse these.

**Split.** The rules were chosen and mended on the collections of `CHOSEN_ON`. Those of `NEW`
(runs as they were submitted, of a mirror of NIST's archive: github.com/castorini/TREC-COVID, with
the judgments of castorini/anserini-tools) were asked about once the rules had been fixed. On round
4 two of these were mended after all, see the page.

Only counts are stored, in `stopped.json`."""

from __future__ import annotations

import json
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from runpy import run_path
from typing import Any, Literal, NamedTuple

import numpy as np

import irpref
import irpref_lab
from irpref.errors import InputError
from irpref.judged import Judgments, Run
from irpref.measures.names import parse_all
from irpref.observed import MISSING, Evidence, Gatherer, System
from irpref_lab.decide import comparison
from irpref_lab.decide.basis import JudgedRuns
from irpref_lab.decide.gating import Rule
from irpref_lab.decide.pair import Pair
from irpref_lab.decide.questions import Question
from study import damages

RESULTS = Path(__file__).parent / "stopped.json"
CHOSEN_ON: tuple[str, ...] = (
    *("cacm", "cast2021", "clef-ehealth-2018", "dl19-passage", "dl20-passage", "robust03"),
    *("trec-covid-r1", "trec-covid-r3"),
)
NAMES = {
    **{"cacm": "CACM", "cast2021": "CAsT 2021", "clef-ehealth-2018": "CLEF eHealth 2018"},
    **{"dl19-passage": "TREC DL 2019", "dl20-passage": "TREC DL 2020", "robust03": "Robust 2003"},
    **{f"trec-covid-r{i}": f"TREC-COVID round {i}" for i in range(1, 6)},
}
NEW: tuple[str, ...] = ("trec-covid-r2", "trec-covid-r4", "trec-covid-r5")
MEASURES: tuple[str, ...] = ("nDCG@10", "AP")  # the damaged runs by the first one alone
LEVEL, MARGIN, SEED, DAMAGED = 0.95, 0.02, 49, 10
FIRST = 100  # documents of a topic that are given the wrong way round
JUDGES = {"dl19-passage": "dl19", "dl20-passage": "dl20"}
Row = dict[str, Any]
Numbers = Iterable[tuple[int, int]]


class Answer(NamedTuple):
    """The verdict that values alone have, and the codes against it."""

    first: str
    second: str
    verdict: str
    codes: tuple[str, ...]


def ask(
    kind: Literal["pass", "claim"], facts: Evidence, pairs: Numbers, measure: str = MEASURES[0]
) -> list[Answer]:
    """Ask for the verdict of each pair of runs, by number: of `gate` or of `compare`."""
    rule = Rule(MARGIN, LEVEL, 1, MISSING)
    (asked,) = (one for one in facts.measures if str(one) == measure)

    def claim(pair: Pair) -> str:
        return comparison.decide(pair, LEVEL)

    decide: Callable[[Pair], str] = rule.decide if kind == "pass" else claim
    margin = MARGIN if kind == "pass" else None
    answers = []
    for two in pairs:
        basis = JudgedRuns(facts)  # one keeps all of its pairs
        pair = basis.pair(
            Question(kind, asked, None, facts.everything, MISSING, two, margin, decide)
        )
        codes = tuple(ground.code for ground in pair.grounds)
        answers.append(Answer(*pair.names, decide(pair), codes))
    return answers


def both_orders(n: int) -> Numbers:
    """Yield all pairs in both orders."""
    return ((a, b) for a in range(n) for b in range(n) if a != b)


def each_once(n: int) -> Numbers:
    """Yield all pairs once."""
    return ((a, b) for b in range(n) for a in range(b))


def systems_of(gatherer: Gatherer, runs: dict[str, Run]) -> list[System]:
    """Evaluate and observe runs; those without a judged document are in no pair."""
    every = [gatherer.system(name, [run], keep=True) for name, run in runs.items()]
    return [system for system in every if not system.is_absent]


def evidence(qrels: Judgments, runs: dict[str, Run], names: Iterable[str] = MEASURES) -> Evidence:
    """Gather the evidence of runs on some judgments."""
    gatherer = Gatherer(parse_all(list(names)), qrels)
    return gatherer.evidence(systems_of(gatherer, runs))


def by_code(answers: Iterable[Answer]) -> Row:
    """Count the answers that each code is against."""
    return dict(sorted(Counter(code for one in answers for code in one.codes).items()))


# As they are --------------------------------------------------------------------------------------


def undamaged(facts: Evidence) -> Iterator[tuple[Row, list[Answer]]]:
    """Ask about all pairs: a row for each measure and kind of verdict, with its answers."""
    n = len(facts.systems)
    for measure in MEASURES:
        for kind, pairs in (("pass", both_orders(n)), ("claim", each_once(n))):
            answers = ask(kind, facts, pairs, measure)  # type: ignore[arg-type]
            positive = [one for one in answers if is_positive(one)]
            yield (
                {
                    "measure": measure,
                    "kind": kind,
                    "pairs": len(answers),
                    "against": by_code(answers),
                    "verdicts": len(positive),
                    "stopped": by_code(positive),
                    "stopped_by_any": sum(bool(one.codes) for one in positive),
                },
                answers,
            )


def is_positive(answer: Answer) -> bool:
    """Tell whether it is a pass, or a claim that one run is better."""
    return answer.verdict == "pass" or answer.verdict.endswith(" better")


def swapped(qrels: Judgments, runs: dict[str, Run]) -> Row:
    """Give judgments and the first documents of runs, as dicts, the right and the wrong way
    round.
    """
    grades = _as_dict(qrels.frame(), "relevance")
    found = {"runs": len(runs), "right_refused": 0, "swapped_refused": 0}
    for run in runs.values():
        first = run.frame().groupby("query_id", sort=False).head(FIRST)
        scores = _as_dict(first, "score")
        for name, given in (("right", (grades, scores)), ("swapped", (scores, grades))):
            try:
                irpref.evaluator(MEASURES[0], given[0]).calc_aggregate(given[1])
            except InputError:
                found[f"{name}_refused"] += 1
    return found


def _as_dict(frame: Any, value: str) -> dict[str, dict[str, float]]:
    return {
        topic: dict(zip(rows["doc_id"], rows[value].tolist(), strict=True))
        for topic, rows in frame.groupby("query_id")
    }


# Damaged ------------------------------------------------------------------------------------------


def damaged(code: str, what: str, answers: list[Answer], truth: dict[tuple[str, str], str]) -> Row:
    """Count what a damage does, and what the codes find.

    Parameters
    ----------
    code, what : str
        The code that should find the damage, and the damage.
    answers : list of Answer
        Of gates on damaged data.
    truth : dict of (baseline, candidate) to verdict
        Of gates on the undamaged data.
    """
    wrong = [
        one for one in answers if one.verdict == "pass" and truth[one.first, one.second] != "pass"
    ]
    return {
        "code": code,
        "damage": what,
        "pairs": len(answers),
        "found": sum(code in one.codes for one in answers),
        "wrong": len(wrong),
        "wrong_found": sum(code in one.codes for one in wrong),
        "wrong_stopped": sum(bool(one.codes) for one in wrong),
    }


def of_runs(
    facts: Evidence, truth: dict[tuple[str, str], str], rng: np.random.Generator
) -> Iterator[Row]:
    """Damage some baselines."""
    n, kept = len(facts.systems), {system.name: system.runs[0] for system in facts.systems}
    some = [facts.systems[i].name for i in rng.choice(n, min(DAMAGED, n), replace=False).tolist()]
    gatherer = Gatherer(parse_all([MEASURES[0]]), facts.qrels)
    whole = gatherer.evidence(systems_of(gatherer, kept))
    for code, of_code in damages.DAMAGES.items():
        for what, damage in of_code.items():
            made = {}
            for name in some:
                other = next(each for each in kept if each != name)
                rows = damage(damages.rows_of(kept[name]), damages.rows_of(kept[other]), rng)
                made[name] = irpref.run(rows)
            found = systems_of(gatherer, made)
            renamed = [replace(system, name=f"{what}: {system.name}") for system in found]
            both = replace(whole, systems=[*whole.systems, *renamed])
            pairs = (
                (n + a, b)
                for a, system in enumerate(found)
                for b in range(n)
                if both.systems[b].name != system.name
            )
            answers = [
                one._replace(first=one.first.removeprefix(f"{what}: "))
                for one in ask("pass", both, pairs)
            ]
            yield damaged(code, what, answers, truth)


def of_judgments(facts: Evidence, truth: dict[tuple[str, str], str]) -> Iterator[Row]:
    """Damage the judgments."""
    kept = {system.name: system.runs[0] for system in facts.systems}
    made = {"grades-reversed": ("grades turned round", damages.reversed_grades(facts.qrels))}
    if np.unique(facts.pool.grade).size > 1:
        swapped_ones = damages.swapped_columns(facts.qrels)
        made["one-grade"] = ("grade and the column before the document swapped", swapped_ones)
    for code, (what, qrels) in made.items():
        turned = evidence(qrels, kept, MEASURES[:1])
        answers = ask("pass", turned, both_orders(len(turned.systems)))
        yield damaged(code, what, answers, truth)


def relevant_only(facts: Evidence, rng: np.random.Generator) -> Row:
    """Ask about all pairs on judgments of relevant documents alone."""
    kept = {system.name: system.runs[0] for system in facts.systems}
    only = evidence(damages.relevant_only(facts.qrels, rng), kept, MEASURES[:1])
    answers = ask("pass", only, both_orders(len(only.systems)))
    passes = [one for one in answers if one.verdict == "pass"]
    return {"pairs": len(answers), "against": by_code(answers), "verdicts": len(passes)}


# With a judge -------------------------------------------------------------------------------------


def judged(
    facts: Evidence, folder: Path, truth: dict[tuple[str, str], str], rng: np.random.Generator
) -> Iterator[Row]:
    """Let humans judge every second topic, and judges the others: LLMs, then partisan ones."""
    n, kept = len(facts.systems), {system.name: system.runs[0] for system in facts.systems}
    human = set(sorted(facts.topics)[::2])
    rows = facts.qrels.frame()
    half = rows[rows["query_id"].isin(human)]
    for path in sorted(folder.glob("*.qrels.gz")):
        filled = evidence(irpref_lab.fill(half, str(path)), kept, MEASURES[:1])
        answers = ask("pass", filled, both_orders(len(filled.systems)))
        name = path.name.removesuffix(".qrels.gz")
        yield damaged("judge-decides", name, answers, truth) | {"judge": "LLM"}
    for i in rng.choice(n, min(DAMAGED, n), replace=False).tolist():
        favoured = facts.systems[i]
        judge = damages.partisan(facts.qrels, human, favoured.runs[0])
        filled = evidence(irpref_lab.fill(half, judge), kept, MEASURES[:1])
        names = [system.name for system in filled.systems]
        to = names.index(favoured.name)
        pairs = ((a, to) for a in range(len(names)) if a != to)
        answers = ask("pass", filled, pairs)
        yield damaged("judge-decides", "partisan", answers, truth) | {"judge": "partisan"}


# All ----------------------------------------------------------------------------------------------


def compute(home: Path) -> Row:
    """Ask about a collection."""
    (qrels,) = (home / "qrels").iterdir()
    read = irpref.judgments(str(qrels))
    runs = {path.name: irpref.run(str(path)) for path in sorted((home / "runs").iterdir())}
    facts = evidence(read, runs)
    asked = list(undamaged(facts))
    truth = {(one.first, one.second): one.verdict for one in asked[0][1]}
    rng = np.random.default_rng(SEED)
    out = {
        "runs": len(runs),
        "topics": len(facts.topics),
        "undamaged": [row for row, _ in asked],
        "swapped": swapped(read, runs),
        "relevant_only": relevant_only(facts, rng),
        "damaged": [*of_runs(facts, truth, rng), *of_judgments(facts, truth)],
    }
    if home.name in JUDGES:
        folder = home.parent / "llm-judges" / JUDGES[home.name]
        out["judged"] = list(judged(facts, folder, truth, rng))
    return out


def stored() -> dict[str, Row]:
    """Return the stored counts, by collection."""
    with suppress(FileNotFoundError):
        return dict(json.loads(RESULTS.read_text(encoding="utf-8")))
    return {}


def main(data: Path, names: list[str]) -> None:
    """Ask about collections, and store the counts of each as soon as they are there."""
    for name in names or [name for name in (*CHOSEN_ON, *NEW) if (data / name).is_dir()]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = compute(data / name)
        every = stored() | {name: found}
        text = json.dumps(dict(sorted(every.items())), indent=1)
        RESULTS.write_text(text + "\n", encoding="utf-8")
        print(f"{name}: {found['runs']} runs", file=sys.stderr, flush=True)


if __name__ == "__main__":
    run_path(str(Path(__file__).parents[1] / "docs" / "own_source.py"))
    from study import stopped_page

    if sys.argv[1:]:
        main(Path(sys.argv[1]), sys.argv[2:])
    stopped_page.write()
