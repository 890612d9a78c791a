"""Which documents a human should judge, in which order: plans of priority sampling.

A plan holds every document that the runs weight differently, in the order in which to judge them.
Documents that humans judged before come first, with order 0; they are known for certain. Two
documents with the same priority are drawn together. The statistics are in
`irpref_lab.judges.priority_sampling`.

Decided here:

- the sizes of several measures are averaged, each scaled to a mean of 1;
- random numbers are drawn for the documents in ascending order of topic and document, including
  those judged before, so that a plan depends on nothing but its inputs and the seed;
- a negative grade of the judge is no grade;
- topics are those of the judge and of the human judgments. A topic in which the runs weight no
  document differently has no line in the plan, and a difference of 0."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from irpref.data.replace import replaced
from irpref.data.run_names import named_runs
from irpref.data.source import Source
from irpref.errors import ArgumentError, EmptyJudgmentsError, InputError, RunError
from irpref.judged import QrelsLike, RunLike, Runs, as_judgments, hash_of_pool
from irpref.kernel import Bools, Floats
from irpref.measures.declare import Measures
from irpref_lab.judges.additive import Additive, additive, top_documents
from irpref_lab.judges.filling import grades_frame, human_rows
from irpref_lab.judges.partners import partners
from irpref_lab.judges.priority_sampling import probabilities, repeated, sizes, united, whole
from irpref_lab.trust.frames import ResultFrame
from irpref_lab.trust.samples import Rng

IDS = ["query_id", "doc_id"]
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


def sample(
    measures: Measures,
    qrels: QrelsLike | None,
    judge: QrelsLike | None,
    runs: Runs,
    n: int = 100,
    *,
    looks: int | Sequence[int] = 1,
    rng: Rng | None = None,
) -> Plan:
    """Plan which documents a human should judge until it is known which run is better.

    Parameters
    ----------
    measures : P@k, CG@k, DCG@k, RBP(rel=...)@k, or several
    qrels : any form of qrels, or None
        Human judgments so far, an earlier sample's included; they may be empty. Their
        documents are not drawn.
    judge : any form of qrels, or None
        The judge's grades on any scale. Without a judge you need more documents.
    runs : mapping of name to run, or list of paths
        At least two. A list of runs under one name is one system.
    n : int
        Documents to judge now. You can go on later: the plan holds all documents.
    looks : int or sequence of int
        After how many documents you look at the result, or how many times, evenly up to `n`. Looks
        share the level, and only at looks there is a verdict.
    rng : seed or numpy Generator, optional
        None draws a fresh seed. A plan over judgments that came from an earlier plan needs another
        seed than that plan.

    Returns
    -------
    Plan
        A row for each document that the runs weight differently, in the order in which to judge
        them: `order` (0: judged before), `query_id`, `doc_id`, `size` (how much it can move the
        differences), `priority`, `probability` (of the first `n` to be among them; NaN below).
        Two documents of a topic that favour different runs are drawn together, with the same
        priority; where `n` ends between them, the first one counts as soon as the second is judged,
        and has the probability of then. `attrs` has the seed, the looks, and further facts that
        `sampled` checks.

    Raises
    ------
    ValueError
        A measure that is no such sum; fewer than two runs; runs that do not differ; neither qrels
        nor a judge; `n` or `looks` that are not accepted; the seed of the plan that `qrels` came
        from.

    Examples
    --------
    >>> judge = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"a": 1, "b": 0}}
    >>> first = {"q1": {"a": 3, "b": 2, "c": 1}, "q2": {"a": 2, "b": 1}}
    >>> second = {"q1": {"c": 3, "a": 2, "b": 1}, "q2": {"a": 2, "b": 1}}
    >>> plan = sample("P@1", None, judge, {"first": first, "second": second}, n=1, rng=7)
    >>> plan[["order", "query_id", "doc_id", "size"]].values.tolist()
    [[1, 'q1', 'a', 1.0], [2, 'q1', 'c', 1.0]]
    """
    chosen = additive(measures)
    n = _count("n", n)
    looked = _looks(looks, n)
    seed = _seed(rng)
    judged_by = no_grades() if judge is None else grades_frame(as_judgments(judge))
    human = _humans(qrels)
    if not len(judged_by) and not len(human):
        raise EmptyJudgmentsError(
            "sample needs topics: those of human judgments, of a judge, or of both"
        )
    topics = {*judged_by["query_id"], *human["query_id"]}
    weights = rank_weights(chosen, runs, sorted(topics))
    if len(weights.runs) < 2:
        raise RunError(f"sample compares runs: it needs at least 2, got {len(weights.runs)}")
    differ = np.max([np.ptp(each, axis=0) > 0 for each in weights.of_measure], axis=0)
    if not differ.any():
        raise RunError(
            "the runs do not differ: "
            + ", ".join(str(one.measure) for one in chosen)
            + " weight every document alike in all runs"
        )
    plan = weights.documents[differ].reset_index(drop=True)
    of_measure = [each[:, differ] for each in weights.of_measure]
    partner = partners(of_measure, pd.factorize(plan["query_id"])[0])
    alone = sizes(of_measure)
    size, uniform = united(alone, 1 - np.random.default_rng(seed).random(alone.size), partner)
    before = _among(plan, human)
    if rng is not None:
        earlier = getattr(qrels, "seeds", ())
        if seed in earlier or repeated(size, uniform, before):
            raise ArgumentError(
                f"rng: the judgments came from a plan with the seed {seed}. Estimates from the "
                "same random numbers are biased: use another seed, or none",
                parameter="rng",
                value=seed,
            )
    # A document whose partner was judged before is drawn alone, with its own size.
    partner = np.where(before | before[partner], np.arange(alone.size), partner)
    size, uniform = united(alone, uniform, partner)
    plan["size"] = size
    plan["priority"] = np.where(before, np.inf, size / uniform)
    plan = plan.sort_values("priority", ascending=False, kind="stable", ignore_index=True)
    n_before = int(before.sum())
    plan.insert(0, "order", np.maximum(np.arange(1, size.size + 1) - n_before, 0))
    priority = plan["priority"].to_numpy()
    drawn_size = np.where(plan["order"] == 0, np.inf, plan["size"])
    n_counted = whole(priority, n_before + n)
    p = probabilities(drawn_size, priority, n_counted)
    if n_counted < n_before + n < p.size:  # `n` ends between partners: as if both were judged
        p[n_counted] = probabilities(drawn_size, priority, n_counted + 2)[n_counted]
    plan["probability"] = np.where(plan["order"] <= n, p, np.nan)
    out = Plan(plan[COLUMNS])
    out.attrs = {
        "seed": seed,
        "looks": sorted({min(look, size.size - n_before) for look in looked}) or [0],
        "judge": hash_of_judge(judged_by),
        "judge_rows": len(judged_by),
        "rows": len(out),
        "topics": sorted(topics - set(out["query_id"])),
        "measures": [str(one.measure) for one in chosen],
        "checksum": _checksum(out),
    }
    return out


def _count(name: str, value: Any) -> int:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
        raise ArgumentError(
            f"{name}={value!r} is not accepted, expected a whole number of at least 1",
            parameter=name,
            value=value,
        )
    return int(value)


def _looks(looks: Any, n: int) -> list[int]:
    if isinstance(looks, Iterable) and not isinstance(looks, (str, bytes)):
        numbers = [_count("looks", look) for look in looks]
        if not numbers or numbers != sorted(set(numbers)):
            raise ArgumentError(
                f"looks={list(looks)!r} is not accepted, expected rising numbers of documents "
                "such as [50, 100, 200]",
                parameter="looks",
                value=looks,
            )
        return numbers
    number = _count("looks", looks)
    return sorted({max(1, round(n * (i + 1) / number)) for i in range(number)})


def _seed(rng: Rng | None) -> int:
    """Return a seed that can be written down."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**53))
    if rng is None:
        return int(np.random.default_rng().integers(2**53))
    if not isinstance(rng, (int, np.integer)) or isinstance(rng, bool) or rng < 0:
        raise ArgumentError(
            f"rng={rng!r} is not accepted, expected a seed such as 7 or a numpy Generator",
            parameter="rng",
            value=rng,
        )
    return int(rng)


def no_grades() -> pd.DataFrame:
    """Return qrels without a row."""
    return pd.DataFrame({"query_id": [], "doc_id": [], "relevance": []})


def hash_of_judge(frame: pd.DataFrame) -> str:
    """Hash a judge's grades; empty without a judge."""
    return hash_of_pool(as_judgments(frame).pool()) if len(frame) else ""


def _humans(qrels: QrelsLike | None) -> pd.DataFrame:
    """Select human grades: a judge's grades, and negative ones, are left out."""
    if qrels is None:
        return no_grades()
    if hasattr(qrels, "seeds"):  # an earlier sample, which has no values of runs
        return human_rows(as_judgments(qrels).frame())
    try:
        frame = human_rows(grades_frame(as_judgments(qrels)))
    except EmptyJudgmentsError:
        return no_grades()
    return frame[frame["relevance"] >= 0]


def _among(documents: pd.DataFrame, others: pd.DataFrame) -> Any:
    """Mark documents that are among others: bool array."""
    keys = pd.MultiIndex.from_frame(documents[IDS])
    return keys.isin(pd.MultiIndex.from_frame(others[IDS]))


@dataclass(frozen=True, eq=False)
class RankWeights:
    """The amounts that runs add to their values for a unit of gain, document by document.

    Attributes
    ----------
    runs : list of str
    documents : pandas.DataFrame
        `query_id`, `doc_id`, ascending: documents that a run ranks above a cutoff.
    of_measure : for each measure, float array (n_runs, n_documents)
    answers : bool array (n_runs, n_topics)
        Topics for which a run (each run of a system) has documents.
    """

    runs: list[str]
    documents: pd.DataFrame
    of_measure: Sequence[Floats]
    answers: Bools


def rank_weights(measures: Sequence[Additive], runs: Runs, topics: Sequence[str]) -> RankWeights:
    """Compute the weights of each measure; topics in ascending order. A list of runs under one name
    has the mean of their weights.
    """
    depth = max(one.weight.size for one in measures)
    # The pool serves to group and order documents: its judgment of a made-up one is never used.
    pool = as_judgments(
        pd.DataFrame({"query_id": list(topics), "doc_id": "", "relevance": 0})
    ).pool()
    named = named_runs(runs)
    parts = []
    answers = np.ones((len(named), len(topics)), bool)
    for number, run in enumerate(named.values()):
        repeats = _repeats(run)
        for repeat in repeats:
            top = top_documents(pool, repeat, depth)
            answers[number] &= np.bincount(top["topic"], minlength=len(topics)) > 0
            parts.append(top.assign(run=number, share=1 / len(repeats)))
    top = pd.concat(parts, ignore_index=True)
    top["query_id"] = np.array(pool.topic_ids, object)[top["topic"].to_numpy()]
    documents = top[IDS].drop_duplicates().sort_values(IDS, ignore_index=True)
    documents = pd.DataFrame({name: documents[name].tolist() for name in IDS})
    column = pd.MultiIndex.from_frame(documents).get_indexer(pd.MultiIndex.from_frame(top[IDS]))
    rank, share = top["rank"].to_numpy(), top["share"].to_numpy()
    of_measure: list[Floats] = []
    for one in measures:
        weights = np.zeros((len(named), len(documents)))
        inside = rank <= one.weight.size
        place = top["run"].to_numpy()[inside], column[inside]
        np.add.at(weights, place, one.weight[rank[inside] - 1] * share[inside])
        of_measure.append(weights)
    return RankWeights(list(named), documents, of_measure, answers)


def _repeats(run: Any) -> list[RunLike]:
    """List the runs of one system: items of a list that are runs, not records."""
    if isinstance(run, (list, tuple)) and run:
        first = run[0]
        if isinstance(first, (str, os.PathLike, Mapping)) or hasattr(first, "columns"):
            return list(run)
    return [run]


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
    if _checksum(out) != out.attrs["checksum"]:
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


def _checksum(plan: pd.DataFrame) -> str:
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
