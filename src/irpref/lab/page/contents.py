"""What is on the page: plain data from the functions that compute it, and pictures as `charts.toml`
describes them.
"""

from __future__ import annotations

import hashlib
import math
import os
import platform
import tomllib
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irpref import curves
from irpref.data.columns import Reading
from irpref.data.run_names import named_runs
from irpref.data.tables import read_run
from irpref.errors import ArgumentError
from irpref.judged.align import align_run
from irpref.judged.groups import groups_of
from irpref.judged.inputs import in_memory
from irpref.judged.judgments import Judgments, judgments
from irpref.judged.stream import each
from irpref.judged.types import Groups, Qrels, Run, Runs
from irpref.kernel.segments import Bools
from irpref.lab.decide.all_pairs import METHODS
from irpref.lab.decide.board import FURTHER, board_of
from irpref.lab.decide.grounds import absent_runs
from irpref.lab.findings.checks import check, grave
from irpref.lab.findings.rankings import rankings, unjudged_by_rank
from irpref.lab.judges.filling import Filled
from irpref.lab.page.query_texts import Texts, texts
from irpref.lab.remarks import of_many_runs
from irpref.lab.trust.holes import hole_intervals, judge_next, pair_intervals
from irpref.lab.trust.samples import Rng
from irpref.lab.trust.ties import tie_intervals
from irpref.lab.trust.topics import check_level
from irpref.measures import literature
from irpref.measures.declare import Measures
from irpref.measures.names import parse_all
from irpref.measures.rpref import RPref
from irpref.messages import IrprefWarning, about, check_choice, did_you_mean, give, whole_files
from irpref.plots.drawing import CRP_CUT
from irpref.plots.plot_data import constant_npref
from irpref.show.short_names import left_out, parts
from irpref.values.evidence import gathered
from irpref.values.matrix import TopicValues, on_the_same_topics

if TYPE_CHECKING:
    import pandas as pd
    from ir_measures.measures import Measure

# A part of the page.
Part: TypeAlias = dict[str, Any]

N_RANKINGS = 10  # runs whose rankings are shown if none is named
N_PAIRS = 6  # best runs, whose pairs are checked: can unjudged documents reverse them?
MOST_BOUNDS = 2000  # topics times runs up to which this is done
MOST_TIED = 12_000  # topics times runs up to which values are bounded over all orders of ties
MOST_EXPLAINED = 4  # measures whose contributions are shown
MOST_VALUES = 400_000  # values of topics that the page holds
MOST_ROWS = 40_000  # documents of rankings that the page holds
# of these, the first ranks are also in tables, up to so many rows, for readers without JavaScript
MOST_PLAIN = 10_000
DIGITS = 9  # of numbers in the data of the page
CURVE_RANKS = (*range(1, 21), 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 750, 1000)
_BOARD = ["mean", "low", "high", "place", "place_low", "place_high", "letters", "shown"]
_PAIRS = ["difference", "effect_size", "p", "p_adjusted"]
_PACKAGES = (
    "irpref",
    "ir-measures",
    "numpy",
    "scipy",
    "pandas",
    "pyarrow",
    "pytrec-eval-terrier",
    "vl-convert-python",
)


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """The options of a report, see `irpref.lab.report`."""

    baseline: str | None
    title: str
    topics: Texts | None
    documents: Texts | None
    groups: Groups | None
    rankings: str | Iterable[str] | None
    depth: int
    pairs: str
    level: float
    rng: Rng | None
    jobs: int | None
    form: str | Reading | None
    strict: bool = False


def contents(measures: Measures, given: Qrels, runs: Runs, asked: Asked) -> Part:
    """Everything that the page shows: lists, numbers and text, as JSON has them."""
    chosen = list(dict.fromkeys(parse_all(measures)))
    if not chosen:
        raise ArgumentError(
            "a report needs at least one measure, such as AP or nDCG@10", parameter="measures"
        )
    if asked.depth < 1:
        raise ArgumentError(
            f"depth={asked.depth!r} is not accepted, expected a number of ranks of at least 1",
            parameter="depth",
            value=asked.depth,
        )
    asked = replace(asked, level=check_level(asked.level))
    check_choice("pairs", asked.pairs, METHODS)
    named = named_runs(runs)
    if not named:
        raise ArgumentError("a report needs at least one run", parameter="runs")
    shown_first = (
        [asked.rankings] if isinstance(asked.rankings, str) else list(asked.rankings or ())
    )
    for name in (*shown_first, *([] if asked.baseline is None else [asked.baseline])):
        if name not in named:
            known = f"{did_you_mean(str(name), named)} (there are {', '.join([*named][:5])})"
            raise ArgumentError(f"no run is called {name!r}{known}", parameter="runs", value=name)
    inputs = [_input(name, data) for name, data in [("judgments", given), *named.items()]]
    with whole_files(asked.strict):
        qrels = judgments(given)
        named = _opened(named, asked)  # each file is read once
    facts = gathered([*chosen, *FURTHER], qrels, named)
    absent = absent_runs(facts, asked.strict, alone=len(named) < 2)
    by_measure = {values.measure: values for values in on_the_same_topics(facts.tables())}
    names = [str(measure) for measure in chosen]
    first = by_measure[names[0]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrprefWarning)  # were given by the evaluation
        within = None if asked.groups is None else groups_of(asked.groups, qrels, first.topics)
        board = _board(names, by_measure, within, asked, absent)
        runs_by_place: list[str] = board["runs"]
        named = {name: named[name] for name in runs_by_place}
        order = [first.systems.index(name) for name in runs_by_place]
        present = [name for name in runs_by_place if name not in absent]
        shown = dict.fromkeys(shown_first or present[:N_RANKINGS])
        shown |= {} if asked.baseline is None else {asked.baseline: None}
        findings = check(qrels, named, chosen)
        named |= {name: {} for name in absent}  # nothing of them could be drawn
        whole = len(order) * len(first.topics) * len(names) <= MOST_VALUES
        with_values = [r for r, name in enumerate(runs_by_place) if whole or name in shown]
        tied = findings.loc[findings["code"] == "ties", "run"]
        n_topics, short = len(first.topics), parts(runs_by_place)
        of_shown = {name: named[name] for name in shown}
        bounds = _bounds(
            hole_intervals, chosen[0], qrels, of_shown, n_topics * len(shown) > MOST_BOUNDS
        )
        bounds |= _turns(chosen[0], qrels, of_shown if bounds["runs"] else {})
        ties = _bounds(
            tie_intervals,
            chosen[0],
            qrels,
            {name: named[name] for name in tied},
            n_topics * len(tied) > MOST_TIED,
        )
        ties |= {
            "tied": len(tied),
            "runs": [row for row in ties["runs"] if row["low"] < row["high"]],
        }
        return plain(
            {
                "title": asked.title,
                "short": [short[name].shown for name in runs_by_place],
                "parts": {name: words for name, words in short.items() if words.shown != name},
                "left_out": left_out(short),
                "tested": asked.pairs if board["pairs"] else "none",
                "level": asked.level,
                "measures": [_measure(measure, by_measure[str(measure)]) for measure in chosen],
                **board,
                "absent": absent,
                "rests_on": of_many_runs(facts, chosen, absent),
                "topics": first.topics,
                "queries": texts(asked.topics, "topics", first.topics),
                "judged": by_measure["Judged@10"].means[order],
                "answered": (by_measure["NumRet"].values[order] > 0).sum(axis=1),
                "values": [
                    [by_measure[name].values[order[r]] for r in with_values] for name in names
                ],
                "with_values": with_values,
                "baseline": None if asked.baseline is None else runs_by_place.index(asked.baseline),
                "rankings": _rankings(
                    chosen, qrels, {name: named[name] for name in shown}, first.topics, asked
                ),
                **_drawn(qrels, named),
                "bounds": bounds,
                "ties": ties,
                "findings": findings[["level", "code", "run", "count", "text"]].to_dict("records"),
                "suggested": findings.attrs.get("measures", []),
                "grave": grave(findings),
                "inputs": inputs,
                "filled": qrels.text if isinstance(qrels, Filled) else None,
                "versions": _versions(),
                "methods": literature.methods(chosen),
                "bibtex": literature.cite(chosen),
            }
        )


def plain(value: Any) -> Any:
    """Values as JSON has them: arrays and frames as lists, numbers to `DIGITS` digits, None for
    NaN.
    """
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        short = float(f"{value:.{DIGITS}g}")
        return int(short) if short.is_integer() and abs(short) < 1e15 else short
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if hasattr(value, "columns"):
        return plain(value.to_dict("list"))
    return plain(value.tolist()) if hasattr(value, "tolist") else None  # pandas.NA


def _opened(runs: Mapping[str, Run], asked: Asked) -> dict[str, Any]:
    """The runs, with files read, several at a time."""

    def read(run: Run) -> Run:
        if asked.form and isinstance(run, (str, os.PathLike)):
            return read_run(run, asked.form)
        return in_memory(run)

    out = {}
    for name, done in zip(runs, each(read, runs.values(), asked.jobs), strict=True):
        with about(name, len(runs) > 1):
            for warning in done.warnings:
                give(warning)
        if done.error is not None:
            raise done.error
        out[name] = done.value
    return out


# -------------------------------------------------------------------------------------- leaderboard


def _board(
    names: Sequence[str],
    by_measure: Mapping[str, TopicValues],
    groups: Mapping[str | None, Bools] | None,
    asked: Asked,
    absent: Mapping[str, str],
) -> Part:
    """Rows of each measure and the tests of all pairs; means alone if there is one topic."""
    import pandas as pd

    first = by_measure[names[0]]
    runs = [first.systems[i] for i in first.best_first.tolist()]
    runs = [name for name in runs if name not in absent] + list(absent)
    if len(first.topics) < 2:
        of_measure = {name: by_measure[name].select(runs) for name in names}
        rows = [
            pd.DataFrame({"mean": values.means, "place": values.places})
            for values in of_measure.values()
        ]
        return {
            "runs": runs,
            "board": [_rows(row) for row in rows],
            "pairs": [],
            "test": "",
            "groups": [],
        }
    several = len(runs) - len(absent) > 1
    seed = (
        int(asked.rng.integers(2**63)) if isinstance(asked.rng, np.random.Generator) else asked.rng
    )

    def board_on(topics: Mapping[str | None, Bools]) -> Any:
        return board_of(
            by_measure,
            names,
            names[0],
            topics,
            asked.pairs if several else "none",
            asked.level,
            seed=seed,
            absent=absent,
        )

    board = board_on({None: np.ones(len(first.topics), bool)})
    tested = board_on(groups).pairs if groups and several else pd.DataFrame({"group": []})
    return {
        "runs": runs,
        "board": [_rows(board[board["measure"] == name]) for name in names],
        "pairs": _pairs(board.pairs, names, runs) if several else [],
        "test": board.test,
        "groups": [
            {"name": group, "topics": groups[group].sum(), "pairs": _pairs(pairs, names, runs)}
            for group, pairs in tested.groupby("group", sort=False)
            if groups
        ],
    }


def _rows(board: pd.DataFrame) -> pd.DataFrame:
    """The columns of a leaderboard by one measure, and its means as they are written."""
    return board.assign(shown=board["mean"].map("{:.4f}".format)).reindex(columns=_BOARD)


def _pairs(tested: pd.DataFrame, names: Sequence[str], runs: Sequence[str]) -> list[pd.DataFrame]:
    """For each measure, the pairs of runs i < j of the board, row by row: `i` minus `j`."""
    import pandas as pd

    place = {name: i for i, name in enumerate(runs)}
    a, b = (tested[side].map(place) for side in ("a", "b"))
    sign = np.where(a < b, 1.0, -1.0)
    signed = tested.assign(
        difference=sign * tested["difference"], effect_size=sign * tested["effect_size"]
    )
    rows = signed.assign(i=np.minimum(a, b), j=np.maximum(a, b)).set_index(["i", "j"])
    i, j = np.triu_indices(len(runs), 1)
    every = pd.MultiIndex.from_arrays([i, j])  # also the pairs that are not tested
    return [rows.loc[rows["measure"] == name, _PAIRS].reindex(every) for name in names]


def _measure(measure: Measure, values: TopicValues) -> Part:
    question = str(getattr(measure, "QUESTION", "") or "")
    parameters = literature.parameters(measure)
    return {
        "name": str(measure),
        "higher": values.higher_is_better,
        "parameters": parameters,
        "question": question,
    }


# ----------------------------------------------------------------------------------------- rankings


def _rankings(
    chosen: Sequence[Measure],
    qrels: Judgments,
    runs: Mapping[str, Run],
    topics: Sequence[str],
    asked: Asked,
) -> Part:
    """First ranks of some runs, with ids and reasons as numbers of lists that hold each once."""
    n_lists = max(1, len(runs) * len(topics))
    depth = max(1, min(asked.depth, MOST_ROWS // n_lists))
    table = rankings(chosen, qrels, runs, depth, MOST_EXPLAINED)
    explained = table.attrs["explained"]
    rows = table.groupby(["run", "query_id"], sort=False).indices
    answering = set(table["run"])
    columns = {name: table[name].to_numpy() for name in table}
    any_filled = bool(qrels.filled.any())
    docs: dict[str, int] = {}
    words: dict[str, int] = {"": 0}

    def of_topic(run: str, topic: str) -> Part:
        at = rows.get((run, topic), np.zeros(0, np.int64))
        part: Part = {
            "docs": [docs.setdefault(doc, len(docs)) for doc in columns["doc_id"][at]],
            "grades": columns["grade"][at],
            "scores": columns["score"][at],
            "filled": columns["filled"][at].astype(int) if any_filled else [],
            "tied": columns["tie"][at],
            "length": columns["retrieved"][at[0]] if at.size else 0,
        }
        if explained:
            part["parts"] = [columns[f"contribution {name}"][at] for name in explained]
            part["why"] = [
                [words.setdefault(reason, len(words)) for reason in columns[f"reason {name}"][at]]
                for name in explained
            ]
        return part

    lists = [
        [of_topic(run, topic) if run in answering else None for topic in topics] for run in runs
    ]
    return {
        "runs": list(runs),
        "chosen": asked.rankings is not None,
        "depth": depth,
        "plain": max(1, min(depth, MOST_PLAIN // n_lists)),
        "explained": explained,
        "most_explained": MOST_EXPLAINED,
        "docs": list(docs),
        "titles": texts(asked.documents, "documents", docs),
        "words": list(words),
        "lists": lists,
        "graded": table.attrs["graded"],
        "least": table.attrs["least"],
        "relevant": [table.attrs["relevant"][topic] for topic in topics],
    }


# ------------------------------------------------------------------------------------------- curves


def _drawn(qrels: Judgments, runs: Mapping[str, Run]) -> dict[str, list[Part]]:
    """Curves of the runs, and shares of documents by rank: means over the topics."""
    try:
        pool = qrels.pool()
    except ValueError:  # preferences without grades
        return {"curves": [], "holes": []}
    seen = {name: align_run(pool, run) for name, run in runs.items()}  # aligned once for all curves
    ends = {name: int(judged.n_retrieved.max(initial=0)) for name, judged in seen.items()}
    looks = tomllib.loads(
        files("irpref.lab.page").joinpath("charts.toml").read_text(encoding="utf-8")
    )

    def chart(name: str, table: pd.DataFrame, **more: str) -> Part:
        """A picture with a line for each run, which ends where the run ends."""
        look = looks[name]
        lines = table.pivot(index=look["x"], columns="run", values=look["y"])
        if look["x"] == "rank":
            lines = lines[lines.index.isin(CURVE_RANKS)]
            lines = lines.where(
                lines.index.to_numpy()[:, None] <= [ends[name] for name in lines.columns]
            )
        return look | more | {"x": lines.index, "y": [lines[name] for name in runs]}

    crp = curves.crp(qrels, seen, depth=CURVE_RANKS[-1])
    # As in `irpref.plots.crp`: later ranks say little about a run.
    last = math.ceil(CRP_CUT * max(float(crp["recall_base"].iloc[0]), 1))
    rpref = RPref(norm="relative", max_rel=max(1.0, pool.max_gain(None)))
    npref = curves.npref_convergence(qrels, seen, rpref)
    constant = constant_npref(npref)
    drawn = [
        chart("precision", curves.interpolated_precision(qrels, seen)),
        chart("gain", curves.cumulated_gain(qrels, seen, depth=CURVE_RANKS[-1])),
        chart("crp", crp[crp["rank"] <= last]),
        chart("npref", npref, title=f"n-pref, {rpref}", **({"note": constant} if constant else {})),
    ]

    # After one mark of the axis, up to the next.
    shares = unjudged_by_rank(qrels, seen)
    unjudged = {
        "x": shares["rank"].unique(),
        "y": [shares.loc[shares["run"] == name, "unjudged"] for name in runs],
    }
    return {"curves": drawn, "holes": [looks["unjudged"] | unjudged]}


# ---------------------------------------------------------------------- unjudged documents and ties


def _bounds(
    over: Callable[..., pd.DataFrame],
    measure: Measure,
    qrels: Judgments,
    runs: Mapping[str, Run],
    many: bool,
) -> Part:
    """Intervals of the means of runs, unless there are too many topics and runs."""
    out: Part = {"measure": str(measure), "runs": [], "reason": "", "many": many}
    try:
        for name, run in () if many else runs.items():
            intervals = over([measure], qrels, run)
            out["runs"].append({"run": name, **intervals[intervals["query_id"].isna()].iloc[0]})
    except ValueError as error:  # nothing is known of this measure, or of these judgments
        out["reason"] = str(error)
    return out


def _turns(measure: Measure, qrels: Qrels, runs: Mapping[str, Run]) -> Part:
    """The pairs of the best runs that unjudged documents could reverse, and which of them to judge
    next.
    """
    if len(runs) < 2:
        return {"pairs": [], "next": []}
    best = dict([*runs.items()][:N_PAIRS])
    following = judge_next([measure], qrels, runs)
    return {
        "pairs": pair_intervals([measure], qrels, best).to_dict("records"),
        "next": following.assign(runs=following["runs"].map(len)).to_dict("records"),
        "best": len(best),
    }


# ------------------------------------------------------------------------------------ what was done


def _input(name: str, data: object) -> Part:
    """What one of the inputs was: a file with its hash, a data set, or something in memory."""
    if isinstance(data, Judgments) and data.path is not None:
        data = data.path
    if not isinstance(data, (str, os.PathLike)):
        return {"name": name, "what": f"in memory ({type(data).__name__})", "hash": None}
    path = os.fspath(data)
    if os.path.isfile(path):
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return {"name": name, "what": os.path.basename(path), "hash": digest}
    folder = os.path.basename(path) or path if os.path.exists(path) else f"ir_datasets {path}"
    return {"name": name, "what": "standard input" if path == "-" else folder, "hash": None}


def _versions() -> list[tuple[str, str]]:
    out = [("Python", platform.python_version())]
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):
            out.append((name, version(name)))
    return out
