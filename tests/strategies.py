"""Hypothesis strategies: awkward collections of judgments and runs, valid parameters of every measure."""

import random
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from hypothesis import strategies as st

# Orders that go wrong easily: numbers as text, case, accents, and code points from U+10000 on, which a UTF-16
# comparison puts before U+E000.
DOC_IDS = (
    "d1",
    "d2",
    "d10",
    "d9",
    "D1",
    "é",
    "e",
    "文書",
    "\ue000x",
    "\U0001d518x",
    "a",
    "a.",
    "0",
    "00",
    "-1",
)
QUERY_IDS = ("q1", "q10", "q2", "301", "Frage", "問い")
OTHER_QUERY_IDS = ("unjudged-1", "q3")

INTEGER_SCALES = ((0, 1), (0, 1, 2), (0, 1, 2, 3), (0, 3), (0, 1, 3), (0, 2), (1,), (0,), (1, 2, 3, 4))
FLOAT_SCALES = ((0.0, 0.29, 0.5, 1.0), (0.1, 0.2, 0.3), (0, 0.5, 1, 2.5), (0.0, 0.7, 0.8, 0.9, 1.0))
NEGATIVE = {True: (-1, -2), False: (-0.5, -1, -2)}

# Few different values make ties; the others are what float64 keeps apart and float32 does not, what neither
# does, and zeros of both signs.
SCORES = (
    (0.0,),
    (1.0, 2.0),
    (3, 2, 1),
    (-1.5, 0.0, 1.5),
    (0.0, -0.0, 5e-324, -5e-324),
    (16777216.0, 16777217.0, 16777218.0),
    (1.0, 1.0 + 2**-52, 1.00000001),
    (2**53, 2**53 + 1, 2**53 + 2),
    (1e300, -1e300, 1.7976931348623157e308),
    tuple(range(12)),
)


class Collection(NamedTuple):
    """Judgments and a run, both as dictionaries of dictionaries."""

    qrels: dict[str, dict[str, float]]
    run: dict[str, dict[str, float]]


@st.composite
def collections(
    draw: st.DrawFn,
    *,
    integer_only: bool = False,
    negative: bool = True,
    max_grade: float | None = None,
    max_topics: int = 4,
    max_docs: int = 10,
) -> Collection:
    """Several topics judged on one scale, and a run that answers some of them.

    Every topic has its own part of the scale (so some have only relevant, only non-relevant or only unjudged
    documents) and its own kind of scores. Every topic of the qrels has a judgment; a run that is not empty
    answers at least one of them.
    """
    scales = INTEGER_SCALES if integer_only else INTEGER_SCALES + FLOAT_SCALES
    if max_grade is not None:
        scales = tuple(scale for scale in scales if max(scale) <= max_grade)
    scale: tuple[float, ...] = draw(st.sampled_from(scales))
    if negative and draw(st.booleans()):
        scale = scale + NEGATIVE[integer_only]

    query_ids = draw(st.lists(st.sampled_from(QUERY_IDS), min_size=1, max_size=max_topics, unique=True))
    qrels, run = {}, {}
    for query_id in query_ids:
        judgments, scores = draw(_topics(scale, max_docs))
        qrels[query_id] = judgments
        if scores is not None:
            run[query_id] = scores
    if any(run.values()):
        for query_id in draw(st.lists(st.sampled_from(OTHER_QUERY_IDS), max_size=2, unique=True)):
            run[query_id] = {"d1": 2.0, "only-here": 1.0}
    return Collection(qrels, run)


@st.composite
def _topics(
    draw: st.DrawFn, scale: tuple[float, ...], max_docs: int
) -> tuple[dict[str, float], dict[str, float] | None]:
    levels = draw(st.lists(st.sampled_from(scale), min_size=1, max_size=4, unique=True))
    score = st.sampled_from(draw(st.sampled_from(SCORES)))
    grade = st.sampled_from(levels)
    doc_ids = draw(st.lists(st.sampled_from(DOC_IDS), min_size=1, max_size=max_docs, unique=True))
    judgments: dict[str, float] = {doc_ids[0]: draw(grade)}
    scores: dict[str, float] = {}
    if draw(st.booleans()):
        scores[doc_ids[0]] = draw(score)
    for doc in doc_ids[1:]:
        where = draw(st.sampled_from(("both", "both", "run", "qrels")))
        if where != "run":
            judgments[doc] = draw(grade)
        if where != "qrels":
            scores[doc] = draw(score)
    if not scores and draw(st.booleans()):
        return judgments, None
    return judgments, scores


def positive_grades(qrels: Mapping[str, Mapping[str, float]]) -> list[float]:
    """The different positive grades of a collection, ascending."""
    return sorted({grade for judgments in qrels.values() for grade in judgments.values() if grade > 0})


@st.composite
def gains(draw: st.DrawFn, grades: Iterable[float]) -> dict[float, float]:
    """Gains that do not fall as grades rise, for all of the grades given; some of them equal, or 0."""
    grades = list(grades)
    values = draw(
        st.lists(
            st.sampled_from((0, 1, 2, 3, 4, 9, 0.5, 1.5)),
            min_size=len(grades),
            max_size=len(grades),
        )
    )
    return dict(zip(grades, sorted(values), strict=True))


def _optional(**choices: st.SearchStrategy) -> st.SearchStrategy[dict]:
    """Dictionaries with any part of the keys: a parameter left out takes its default."""
    return st.fixed_dictionaries({}, optional=choices)


def parameters(name: str, grades: Iterable[float] = ()) -> st.SearchStrategy[dict]:
    """Valid parameters of the named measure. `grades` are the positive grades of the data, for `gains`.

    For RPref and NPref without `max_rel` the measure infers it, with a warning.
    """
    grades = list(grades)
    cutoff = st.integers(1, 12)
    rel = st.integers(1, 3)
    beta = st.sampled_from((0.0, 0.5, 1.0, 2.0, 10.0))
    of_gains = {"gains": gains(grades)} if grades else {}
    judged_only = st.booleans()
    preference = {
        "norm": st.sampled_from(("absolute", "relative", "relative2")),
        "unretrieved": st.sampled_from(("zero", "infinity")),
        "top": st.sampled_from(("keep", "drop", "zero")),
        "max_rel": st.sampled_from((1, 2, 3, 4)),
        "cutoff": cutoff,
        **of_gains,
    }
    blended = {"beta": beta, "judged_only": judged_only, "cutoff": cutoff, **of_gains}
    strategies = {
        "RPref": _optional(**preference),
        "NPref": st.fixed_dictionaries({"n": st.sampled_from((2, 3, 4, 5, 7, 10, 11, 100))}, optional=preference),
        "BprefVariant": _optional(
            norm=st.sampled_from(("min", "R", "N", "10", "10min", "old")), rel=rel, cutoff=cutoff
        ),
        "BprefR": _optional(rel=rel, cutoff=cutoff),
        "BprefN": _optional(rel=rel, cutoff=cutoff),
        "Bpref10": _optional(rel=rel, cutoff=cutoff),
        "QMeasure": _optional(**blended),
        "OMeasure": _optional(**blended),
        "PMeasure": _optional(**blended),
        "PPlus": _optional(**blended),
        "NCU": _optional(
            stop=st.sampled_from(("uniform", "graded", "rank_biased")),
            utility=st.sampled_from(("BR", "P")),
            gamma=st.sampled_from((0.1, 0.5, 0.95, 1.0)),
            beta=beta,
            judged_only=judged_only,
            **of_gains,
        ),
        "OriginalNDCG": _optional(
            base=st.sampled_from((2, 3, 10, 1.5, 2.718281828459045)),
            judged_only=judged_only,
            cutoff=cutoff,
            **of_gains,
        ),
        "CRP": _optional(cutoff=cutoff, judged_only=judged_only),
        "nCRP": _optional(judged_only=judged_only),
        "CRPRecovery": _optional(cutoff=cutoff, judged_only=judged_only),
        "Twist": _optional(depth=st.sampled_from((1, 2, 5, 8, 20, 40))),
        "Coverage": _optional(rel=rel, cutoff=cutoff),
        "Novelty": _optional(rel=rel, cutoff=cutoff),
        "RelativeRecall": _optional(
            expected=st.sampled_from((1, 2, 3, 2.5, 7)), capped=st.booleans(), rel=rel, cutoff=cutoff
        ),
        "RecallEffort": _optional(expected=st.sampled_from((1, 2, 3, 2.5, 7)), rel=rel, cutoff=cutoff),
        "EMeasure": _optional(beta=beta, rel=rel, cutoff=cutoff),
        "FMeasure": _optional(beta=beta, rel=rel, cutoff=cutoff),
    }
    return strategies[name]


def random_collection(
    seed: int, n_topics: int = 20, n_docs: int = 60, grades: tuple[float, ...] = (0, 0, 0, 1, 1, 2, 3)
) -> Collection:
    """Longer lists than Hypothesis likes to draw: half of the documents judged, many ties."""
    rng = random.Random(seed)
    qrels, run = {}, {}
    for number in range(n_topics):
        docs = [f"d{i}" for i in range(n_docs)]
        judged = rng.sample(docs, rng.randint(1, n_docs // 2))
        retrieved = rng.sample(docs, rng.randint(0, n_docs))
        qrels[f"q{number}"] = {doc: rng.choice(grades) for doc in judged}
        run[f"q{number}"] = {doc: float(rng.randint(0, n_docs)) for doc in retrieved}
    return Collection(qrels, run)
