"""What is on the page: plain data from the functions that compute it.

Nothing is computed here but shares of documents, positions in lists, and how a number is written.
"""

from __future__ import annotations

import hashlib
import math
import os
import platform
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irpref.analysis import curves
from irpref.analysis.check import check, grave
from irpref.analysis.explain import Explainer, explainable
from irpref.analysis.holes import hole_intervals, judge_next, pair_intervals
from irpref.analysis.judges import Filled
from irpref.analysis.leaderboard import FURTHER, board_of
from irpref.analysis.pairs import check_method
from irpref.analysis.ties import tie_intervals
from irpref.analysis.topics import check_level
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools
from irpref.formats.columns import Reading
from irpref.formats.runs import named_runs
from irpref.formats.tables import read_run
from irpref.judged.align import Listing, NoCommonTopicError, align_run, listing
from irpref.judged.groups import groups_of
from irpref.judged.inputs import as_frame, opened
from irpref.judged.kept import kept_pool
from irpref.judged.order import Alignment, rounded
from irpref.judged.pool import FILLED, Pool
from irpref.judged.stream import each
from irpref.measures import literature
from irpref.measures.everyday import hosted, in_32_bits
from irpref.measures.names import parse_all
from irpref.messages import IrprefWarning, about, did_you_mean, warn_user
from irpref.show.drawing import CRP_CUT, MINUS
from irpref.show.inputs import constant_npref
from irpref.show.names import left_out, parts
from irpref.show.report.texts import Texts, texts
from irpref.values.matrix import TopicValues, evaluated, on_the_same_topics
from irpref.values.prepare import columns_for

if TYPE_CHECKING:
    import pandas as pd
    from ir_measures.measures import Measure

    from irpref.judged.types import Groups, Qrels, Run, Runs
    from irpref.measures.declare import Measures
    from irpref.values.samples import Rng

# A part of the page, as JSON has it.
Part: TypeAlias = dict[str, Any]

N_RANKINGS = 10  # runs whose rankings are shown if none is named
N_PAIRS = 6  # best runs whose pairs are looked at for what unjudged documents could turn
MOST_BOUNDS = 2000  # topics times runs for which this is done
MOST_TIED = 12_000  # topics times runs whose values are bounded over the orders of their ties
MOST_EXPLAINED = 4  # measures whose contributions are shown
MOST_VALUES = 400_000  # values of topics that the page holds
MOST_ROWS = 40_000  # documents of rankings that the page holds
MOST_PLAIN = 10_000  # those that are in tables, too, for readers without JavaScript
DIGITS = 9  # of numbers in the data of the page
CURVE_RANKS = (*range(1, 21), 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 750, 1000)
BANDS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000)
_PACKAGES = ("irpref", "ir-measures", "numpy", "scipy", "pandas", "pyarrow", "pytrec-eval-terrier", "vl-convert-python")


def contents(
    measures: Measures,
    qrels: Qrels,
    runs: Runs,
    *,
    baseline: str | None,
    title: str,
    topics: Texts | None,
    documents: Texts | None,
    groups: Groups | None,
    rankings: str | Iterable[str] | None,
    depth: int,
    pairs: str,
    level: float,
    rng: Rng | None,
    alignment: Alignment,
    jobs: int | None,
    form: str | Reading | None,
) -> Part:
    """Everything that the page shows, see `irpref.report`: lists, numbers and text, as JSON has them."""
    chosen = list(dict.fromkeys(parse_all(measures)))
    if not chosen:
        raise ValueError("a report needs at least one measure, such as AP or nDCG@10")
    if depth < 1:
        raise ValueError(f"depth={depth!r} is not accepted, expected a number of ranks of at least 1")
    level = check_level(level)
    check_method(pairs)
    named = named_runs(runs)
    if not named:
        raise ValueError("a report needs at least one run")
    if baseline is not None:
        _known(baseline, named)
    given = [("judgments", qrels), *((name, run) for name, run in named.items())]
    inputs = [_input(name, data) for name, data in given]
    # Each file is read once.
    qrels = opened(qrels, "relevance", any("preferences" in getattr(measure, "NEEDS", ()) for measure in chosen))
    named = _opened(named, form, jobs)

    extra = [measure for measure in parse_all(FURTHER) if measure not in chosen]
    found = {of.measure: of for of in on_the_same_topics(evaluated([*chosen, *extra], qrels, named, alignment))}
    names = [str(measure) for measure in chosen]
    first = found[names[0]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrprefWarning)  # were given by the evaluation
        within = None if groups is None else groups_of(groups, qrels, first.topics)
        board = _board(names, found, pairs, level, within, rng)
        order = [first.systems.index(name) for name in board["runs"]]
        shown = _shown_runs(rankings, board["runs"], baseline)
        findings = check(qrels, named, chosen)
        whole = len(order) * len(first.topics) * len(names) <= MOST_VALUES
        with_values = list(range(len(order))) if whole else [board["runs"].index(name) for name in shown]
        seen = _in_32_bits(named) if alignment.float32 and hosted(chosen[0]) and in_32_bits(chosen[0]) else named
        lists = _rankings(
            chosen, qrels, {name: named[name] for name in shown}, first.topics, depth, documents, alignment
        )
        return {
            "title": title,
            **_short(board["runs"]),
            "tested": pairs if board["pairs"] else "none",
            "measures": [_measure(measure, found[str(measure)]) for measure in chosen],
            **board,
            "topics": list(first.topics),
            "queries": texts(topics, "topics", first.topics),
            "judged": numbers(found["Judged@10"].means[order]),
            "answered": [int(row.sum()) for row in found["NumQ"].values[order] > 0],
            "values": [[numbers(found[name].values[order[r]]) for r in with_values] for name in names],
            "with_values": with_values,
            "baseline": None if baseline is None else board["runs"].index(baseline),
            "rankings": lists | {"chosen": rankings is not None},
            **_drawn(qrels, named, board["runs"]),
            "bounds": _bounds(chosen[0], qrels, {name: seen[name] for name in shown}, len(first.topics)),
            "ties": _ties(chosen[0], qrels, seen, _tied_runs(findings, board["runs"]), len(first.topics)),
            "findings": findings[["level", "code", "run", "count", "text"]].to_dict("records"),
            "grave": grave(findings),
            "inputs": inputs,
            "filled": qrels.text if isinstance(qrels, Filled) else None,
            "versions": _versions(),
            "methods": _methods(chosen, board["test"], level, len(first.topics), len(order)),
            "bibtex": literature.cite(chosen),
        }


def _short(runs: Sequence[str]) -> Part:
    """How much of long names is shown where there is little room."""
    found = parts(runs)
    return {
        "short": [found[name].shown for name in runs],
        "parts": {name: list(of) for name, of in found.items() if of.shown != name},
        "left_out": left_out(found),
    }


def _opened(runs: Mapping[str, Run], form: str | Reading | None, jobs: int | None) -> dict[str, Run]:
    """The runs, files read, several at a time."""

    def read(run: Run) -> Run:
        return opened(read_run(run, form) if form and isinstance(run, (str, os.PathLike)) else run, "score")

    out = {}
    for name, done in zip(runs, each(read, runs.values(), jobs), strict=True):
        with about(name, len(runs) > 1):
            for warning in done.warnings:
                warn_user(*warning)
        if done.error is not None:
            raise done.error
        assert done.value is not None
        out[name] = done.value
    return out


def _in_32_bits(runs: Mapping[str, Run]) -> dict[str, Any]:
    """The runs with their scores in 32 bits."""
    frames = {name: as_frame(run, "score") for name, run in runs.items()}
    return {name: of.assign(score=rounded(of["score"].to_numpy(np.float64))) for name, of in frames.items()}


def numbers(values: Iterable[float]) -> list[float | int | None]:
    """Numbers as JSON writes them, to `DIGITS` digits; None for what is none."""
    return [number(value) for value in np.array(list(values), dtype=np.float64).tolist()]


def number(value: float | None) -> float | int | None:
    """One of `numbers`."""
    if value is None or value != value or math.isinf(value):
        return None
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def _known(name: object, runs: Iterable[str]) -> str:
    names = list(runs)
    if name not in names:
        raise ValueError(
            f"no run is called {name!r}{did_you_mean(str(name), names)} (there are {', '.join(names[:5])})"
        )
    return str(name)


def _shown_runs(rankings: str | Iterable[str] | None, runs: Sequence[str], baseline: str | None) -> list[str]:
    if rankings is None:
        wanted = list(runs[:N_RANKINGS])
    else:
        wanted = [_known(name, runs) for name in ([rankings] if isinstance(rankings, str) else rankings)]
    return list(dict.fromkeys([*wanted, *([baseline] if baseline is not None else [])]))


# ------------------------------------------------------------------------------------------------------- leaderboard


def _board(
    names: Sequence[str],
    found: Mapping[str, TopicValues],
    pairs: str,
    level: float,
    groups: Mapping[str | None, Bools] | None,
    rng: Rng | None,
) -> Part:
    """Rows of each measure and the tests of all pairs; means alone where there is one topic."""
    import pandas as pd

    first = found[names[0]]
    if len(first.topics) < 2:
        order = first.best_first
        runs = [first.systems[i] for i in order.tolist()]
        means = [pd.DataFrame({"mean": found[name].means[order], "place": found[name].places[order]}) for name in names]
        rows = [_rows(of.reindex(columns=_COLUMNS)) for of in means]
        return {"runs": runs, "board": rows, "pairs": [], "test": "", "level": level, "groups": []}
    several = len(first.systems) > 1
    seed = int(rng.integers(2**63)) if isinstance(rng, np.random.Generator) else rng
    whole: dict[str | None, Bools] = {None: np.ones(len(first.topics), bool)}
    board = board_of(found, names, names[0], whole, pairs if several else "none", level, seed=seed)
    runs = board.loc[board["measure"] == names[0], "run"].tolist()
    of_groups = []
    if groups is not None and several:
        by_group = board_of(found, names, names[0], groups, pairs, level, seed=seed).pairs
        for group, tested in by_group.groupby("group", sort=False):
            n_topics = int(groups[group].sum())
            of_groups.append({"name": group, "topics": n_topics, "pairs": _pairs(tested, names, runs)})
    return {
        "runs": runs,
        "board": [_rows(board[board["measure"] == name]) for name in names],
        "pairs": _pairs(board.pairs, names, runs) if several else [],
        "test": board.test,
        "level": level,
        "groups": of_groups,
    }


_COLUMNS = ("mean", "low", "high", "place", "place_low", "place_high", "letters")


def _rows(of: pd.DataFrame) -> Part:
    """The columns of a leaderboard by one measure, and its means as they are written."""
    columns = {name: of[name].astype(object).where(of[name].notna(), None).tolist() for name in _COLUMNS}
    shown = [f"{mean:.4f}" for mean in columns["mean"]]
    return {name: column if name == "letters" else numbers(column) for name, column in columns.items()} | {
        "shown": shown
    }


def _pairs(tested: pd.DataFrame, names: Sequence[str], runs: Sequence[str]) -> list[Part]:
    """For each measure, the pairs of runs i < j of the board, row by row: `i` minus `j`."""
    place = {name: i for i, name in enumerate(runs)}
    out = []
    for name in names:
        of = tested[tested["measure"] == name]
        a, b = (of[side].map(place).to_numpy(np.int64) for side in ("a", "b"))
        order = np.lexsort((np.maximum(a, b), np.minimum(a, b)))
        sign = np.where(a < b, 1.0, -1.0)
        columns = {"difference": sign * of["difference"], "effect": sign * of["effect_size"]}
        columns |= {"p": of["p"], "adjusted": of["p_adjusted"]}
        out.append({key: numbers(column.to_numpy(np.float64)[order]) for key, column in columns.items()})
    return out


def _measure(measure: Measure, of: TopicValues) -> Part:
    return {
        "name": str(measure),
        "higher": of.higher_is_better,
        "parameters": literature.parameters(measure),
        "question": str(getattr(measure, "QUESTION", "") or ""),
    }


# ---------------------------------------------------------------------------------------------------------- rankings


def _explainers(chosen: Sequence[Measure], pool: Pool, alignment: Alignment) -> list[Explainer]:
    out = []
    for measure in chosen:
        try:
            explainable(measure)
        except ValueError:  # no sum over documents
            continue
        out.append(Explainer(measure, pool, alignment))
    return out[:MOST_EXPLAINED]


def _rankings(
    chosen: Sequence[Measure],
    qrels: Qrels,
    runs: Mapping[str, Run],
    topics: Sequence[str],
    depth: int,
    documents: Texts | None,
    alignment: Alignment,
) -> Part:
    """First ranks of some runs: documents, grades, ties, contributions and reasons."""
    columns = columns_for(chosen)
    pool = kept_pool(qrels, columns, preferences=True)
    n_lists = max(1, len(runs) * len(topics))
    depth = max(1, min(depth, MOST_ROWS // n_lists))
    explainers = _explainers(chosen, pool, alignment)
    of_judge = qrels[qrels["source"] == FILLED] if isinstance(qrels, Filled) else None
    filled = set() if of_judge is None else set(zip(of_judge["query_id"], of_judge["doc_id"], strict=True))
    docs: dict[str, int] = {}
    words: dict[str, int] = {"": 0}
    lists: list[list[Part | None]] = []
    for run in runs.values():
        try:
            seen = listing(pool, run, alignment=alignment)
        except NoCommonTopicError:
            lists.append([None] * len(topics))
            continue
        accounts = [explainer.account(run, missed=False) for explainer in explainers]
        reasons = [explainer.reasons(account, depth) for explainer, account in zip(explainers, accounts, strict=True)]
        of_run: list[Part | None] = []
        for topic in topics:
            start, stop = seen.topics.offsets[pool.topic_of[topic] : pool.topic_of[topic] + 2].tolist()
            rows = range(start, min(stop, start + depth))
            one: Part = {
                "docs": [docs.setdefault(seen.doc_ids[i], len(docs)) for i in rows],
                "grades": numbers(seen.grade[rows.start : rows.stop]),
                "scores": numbers(seen.score[rows.start : rows.stop]),
                "filled": [int((topic, seen.doc_ids[i]) in filled) for i in rows] if filled else [],
                "tied": _tied(seen, start, rows.stop, stop),
                "length": stop - start,
            }
            if explainers:
                one["parts"] = [numbers(account.contribution[rows.start : rows.stop]) for account in accounts]
                one["why"] = [[words.setdefault(why[i], len(words)) for i in rows] for why in reasons]
            of_run.append(one)
        lists.append(of_run)
    return {
        "runs": list(runs),
        "depth": depth,
        "plain": max(1, min(depth, MOST_PLAIN // n_lists)),
        "explained": [str(explainer.measure) for explainer in explainers],
        "most_explained": MOST_EXPLAINED,
        "docs": list(docs),
        "titles": texts(documents, "documents", docs),
        "words": list(words),
        "lists": lists,
        "graded": pool.graded,
        "relevant": [int(n) for n in _relevant(pool, topics)],
    }


def _relevant(pool: Pool, topics: Sequence[str]) -> list[int]:
    """Documents of grade 1 or more of each topic."""
    counts = pool.judged.count(pool.grade >= 1).tolist()
    return [counts[pool.topic_of[topic]] for topic in topics]


def _tied(seen: Listing, start: int, shown: int, stop: int) -> list[int]:
    """Number of the tied group of each shown document, 0 for a score of its own."""
    score = seen.score[start : min(shown + 1, stop)]
    same = score[1:] == score[:-1]
    out, group = [], 0
    for i in range(shown - start):
        before = i > 0 and bool(same[i - 1])
        after = i < same.size and bool(same[i])
        group += after and not before
        out.append(group if before or after else 0)
    return out


# ------------------------------------------------------------------------------------------------------------ curves


def _drawn(qrels: Qrels, named: Mapping[str, Run], runs: Sequence[str]) -> dict[str, list[Part]]:
    """Curves of the runs, and shares of documents by rank: means over the topics."""
    pool = kept_pool(qrels, preferences=True)
    if not pool.graded:
        return {"curves": [], "holes": []}
    seen = {name: align_run(pool, named[name]) for name in runs}  # aligned once for all curves
    ends = {name: int(judged.n_retrieved.max(initial=0)) for name, judged in seen.items()}

    def chart(table: pd.DataFrame, x: str, y: str, title: str, said: str, label: str, **more: Any) -> Part:
        lines = {name: rows.set_index(x)[y] for name, rows in table.groupby("run", sort=False)}
        at = next(iter(lines.values())).index.tolist()
        if x == "rank":
            at = [rank for rank in CURVE_RANKS if rank <= len(at)]
        # A curve by rank ends where the run ends.
        drawn = [lines[name].reindex([place for place in at if x != "rank" or place <= ends[name]]) for name in runs]
        across = "partitions" if x == "n" else x
        return _chart(title, said, at, across, label, [line.reindex(at) for line in drawn], **more)

    crp = curves.crp(pool, seen, depth=CURVE_RANKS[-1])
    # As in `irpref.plots.crp`: later ranks say little of a run.
    last = math.ceil(CRP_CUT * max(float(crp["recall_base"].iloc[0]), 1))
    rpref = parse_all([f"RPref(max_rel={max(1.0, pool.max_gain(None)):g})"])[0]
    npref = curves.npref_convergence(pool, seen, rpref)
    at_r = f"0 ideal, {MINUS}1 nothing relevant at R"
    drawn = [
        chart(
            curves.interpolated_precision(pool, seen),
            "recall",
            "precision",
            "Precision and recall",
            "precision at eleven levels of recall",
            "precision",
            **{"from": 0, "to": 1},
        ),
        chart(
            curves.cumulated_gain(pool, seen, depth=CURVE_RANKS[-1]),
            "rank",
            "ndcg",
            "Cumulated gain",
            "mean DCG by rank over that of the ideal rankings, as first published: logarithm to base 2 from rank 2 on",
            "DCG / ideal DCG",
            **{"from": 0, "log": True},
        ),
        chart(
            crp[crp["rank"] <= last],
            "rank",
            "share_median",
            "Cumulated relative position",
            f"median over the topics of CRP / [R(R + 1)/2]: {at_r}, above 0 more too low than too high; ranks up to "
            f"{CRP_CUT} times the mean R",
            f"CRP ({at_r})",
            log=True,
            zero=True,
        ),
        chart(
            npref,
            "n",
            "value",
            f"n-pref, {rpref}",
            constant_npref(npref) or "by number of partitions n of the grade scale; it approaches rpref",
            "n-pref",
            **{"from": None, "log": True},
        ),
    ]
    return {"curves": drawn, "holes": [_holes(seen)]}


def _chart(
    title: str, said: str, x: Sequence[Any], across: str, up: str, lines: Iterable[Iterable[float]], **more: Any
) -> Part:
    """A picture with a line for each run; `more` is about its axes."""
    y = [numbers(line) for line in lines]
    return {"title": title, "said": said, "x": list(x), "xLabel": across, "yLabel": up, "y": y, **more}


def _holes(runs: Mapping[str, JudgedRun]) -> Part:
    """Share of the documents at some ranks that are not judged: at those after the rank before, up to this one."""
    deepest = max([1, *(int(judged.n_retrieved.max(initial=0)) for judged in runs.values())])
    at = [rank for rank in BANDS if rank <= deepest]
    lines = []
    for judged in runs.values():
        there = np.minimum.outer(judged.n_retrieved, at).sum(axis=0)  # documents down to each of these ranks
        # With those of grades below 0, which are judgments, too.
        known = np.searchsorted(np.sort(judged.rank), at, side="right")
        own, hits = np.diff(there, prepend=0), np.diff(known, prepend=0)
        lines.append(1 - np.divide(hits, own, out=np.full(own.size, np.nan), where=own > 0))
    said = "share of the documents without a judgment, from one mark of the axis to the next"
    more = {"from": 0, "to": 1, "log": True}
    return _chart("Unjudged documents by rank", said, at, "rank", "share unjudged", lines, **more)


# --------------------------------------------------------------------------------------- unjudged documents and ties


def _intervals(
    over: Callable[..., pd.DataFrame], measure: Measure, qrels: Qrels, runs: Mapping[str, Run], *keys: str
) -> list[Part]:
    """Intervals of the means of runs."""
    out = []
    for name, run in runs.items():
        of = over([measure], qrels, run)
        row = of[of["query_id"].isna()].iloc[0]
        out.append({"run": name, "exact": bool(row["exact"]), **{key: number(row[key]) for key in keys}})
    return out


def _bounds(measure: Measure, qrels: Qrels, runs: Mapping[str, Run], n_topics: int) -> Part:
    """What unjudged documents could make of a measure, which pairs they could turn, which to judge next."""
    best = min(N_PAIRS, len(runs))
    out: Part = {"measure": str(measure), "runs": [], "pairs": [], "next": [], "said": "", "best": best}
    if n_topics * len(runs) > MOST_BOUNDS:
        out["said"] = f"left out, as there are {n_topics} topics: irpref.intervals(over='unjudged') gives them"
        return out
    ends = ("value", "low", "high")
    try:
        out["runs"] = _intervals(hole_intervals, measure, qrels, runs, *ends)
        if len(runs) > 1:
            pairs = pair_intervals([measure], qrels, dict(list(runs.items())[:N_PAIRS]))
            for row in pairs.to_dict("records"):
                turns = {"a": row["a"], "b": row["b"], "turns": bool(row["could_turn"])}
                out["pairs"].append(turns | {key: number(row[key]) for key in ends})
            for row in judge_next([measure], qrels, runs).to_dict("records"):
                document = {"query_id": row["query_id"], "doc_id": row["doc_id"], "runs": len(row["runs"])}
                out["next"].append(document | {"weight": number(row["weight"])})
    except ValueError as error:  # nothing is known of this measure, or of these judgments
        out["said"] = str(error)
    return out


def _tied_runs(findings: pd.DataFrame, runs: Sequence[str]) -> list[str]:
    """Runs with documents of equal scores, in the order of the leaderboard."""
    tied = set(findings.loc[findings["code"] == "ties", "run"])
    return [name for name in runs if name in tied]


def _ties(measure: Measure, qrels: Qrels, runs: Mapping[str, Run], tied: Sequence[str], n_topics: int) -> Part:
    """What other orders of tied documents would make of a measure: the runs for which it is another value."""
    out: Part = {"measure": str(measure), "tied": len(tied), "runs": [], "said": ""}
    if n_topics * len(tied) > MOST_TIED:
        out["said"] = f"left out, as {len(tied)} runs have ties: irpref.intervals(over='ties') gives them"
        return out
    try:
        ends = ("value", "low", "expected", "high")
        found = _intervals(tie_intervals, measure, qrels, {name: runs[name] for name in tied}, *ends)
        out["runs"] = [row for row in found if row["low"] < row["high"]]
    except ValueError as error:  # nothing is known of this measure
        out["said"] = str(error)
    return out


# ------------------------------------------------------------------------------------------------------ what was done


def _input(name: str, data: object) -> Part:
    """What one of the inputs was: a file with its hash, a data set, or something in memory."""
    out: Part = {"name": name, "what": f"in memory ({type(data).__name__})", "hash": None}
    if isinstance(data, (str, os.PathLike)):
        path = os.fspath(data)
        out["what"] = os.path.basename(path) or path
        if os.path.isfile(path):
            with open(path, "rb") as file:
                out["hash"] = hashlib.file_digest(file, "sha256").hexdigest()
        elif path == "-":
            out["what"] = "standard input"
        elif not os.path.exists(path):
            out["what"] = f"ir_datasets {path}"
    return out


def _versions() -> list[tuple[str, str]]:
    out = [("Python", platform.python_version())]
    for name in _PACKAGES:
        try:
            out.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return out


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _methods(chosen: Sequence[Measure], test: str, level: float, n_topics: int, n_runs: int) -> str:
    said = [
        literature.methods(chosen),
        f"Values are means over {_counted(n_topics, 'topic')} of {_counted(n_runs, 'run')}.",
    ]
    if n_topics > 1:
        said.append(f"Intervals are {100 * level:g} % bootstrap intervals over topics.")
    if test:
        said.append(
            f"Test of differences: {test}. Effect sizes are differences over the square root of the residual variance "
            "of a two-way analysis of variance."
        )
    return " ".join(said)
