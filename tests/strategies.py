"""Hypothesis strategies: awkward collections of judgments and runs, valid parameters of every
measure.
"""

import random
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from hypothesis import settings
from hypothesis import strategies as st
from ir_measures.measures import registry

from irpref.measures.declare import Param

# Orders that go wrong easily: numbers as text, case, accents, and code points from U+10000 on,
# which a UTF-16 comparison puts before U+E000.
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

INTEGER_SCALES = (
    (0, 1),
    (0, 1, 2),
    (0, 1, 2, 3),
    (0, 3),
    (0, 1, 3),
    (0, 2),
    (1,),
    (0,),
    (1, 2, 3, 4),
)
FLOAT_SCALES = ((0.0, 0.29, 0.5, 1.0), (0.1, 0.2, 0.3), (0, 0.5, 1, 2.5), (0.0, 0.7, 0.8, 0.9, 1.0))
NEGATIVE = {True: (-1, -2), False: (-0.5, -1, -2)}

# Few different values make ties; the others are what float64 keeps apart and float32 does not, what
# neither does, and zeros of both signs.
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


def at_most(examples: int) -> settings:
    """Set a number of examples for a test whose examples are dear, or the profile's where that is
    lower.
    """
    return settings(max_examples=min(examples, settings().max_examples))


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
    """Draw several topics judged on one scale, and a run that answers some topics.

    Every topic has its own part of the scale (so some have only relevant, only non-relevant or only
    unjudged documents) and its own kind of scores. Every topic of the qrels has a judgment; a run
    that is not empty answers at least one."""
    scales = INTEGER_SCALES if integer_only else INTEGER_SCALES + FLOAT_SCALES
    if max_grade is not None:
        scales = tuple(scale for scale in scales if max(scale) <= max_grade)
    scale: tuple[float, ...] = draw(st.sampled_from(scales))
    if negative and draw(st.booleans()):
        scale = scale + NEGATIVE[integer_only]

    query_ids = draw(
        st.lists(st.sampled_from(QUERY_IDS), min_size=1, max_size=max_topics, unique=True)
    )
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
    """List the different positive grades of a collection, ascending."""
    return sorted(
        {grade for judgments in qrels.values() for grade in judgments.values() if grade > 0}
    )


@st.composite
def gains(draw: st.DrawFn, grades: Iterable[float]) -> dict[float, float]:
    """Draw gains that do not fall as grades rise, for all of the grades given; some may be equal,
    or 0.
    """
    grades = list(grades)
    value = st.sampled_from((0, 1, 2, 3, 4, 9, 0.5, 1.5))
    values = draw(st.lists(value, min_size=len(grades), max_size=len(grades)))
    return dict(zip(grades, sorted(values), strict=True))


NUMBERS = (0.0, 0.1, 0.5, 0.95, 1, 1.5, 2, 2.5, 2.718281828459045, 3, 4, 5, 7, 10)
INTEGERS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 20, 40, 100)


def _values(spec: Param, grades: list[float]) -> st.SearchStrategy | None:
    """Draw values that a parameter accepts; None where there are none to draw."""
    if isinstance(spec.choices, tuple):
        # NaN equals nothing, so topics without a value have tests of their own.
        return st.sampled_from([choice for choice in spec.choices if choice != "nan"])
    if dict in spec.types:
        return gains(grades) if grades else None
    if bool in spec.types:
        return st.booleans()
    numbers = [
        n
        for n in (INTEGERS if spec.types == (int,) else NUMBERS)
        if _accepted(spec.clean, {"value": n})
    ]
    # Text is the name of a column, which the data lack.
    return st.sampled_from(numbers) if numbers else None


def parameters(name: str, grades: Iterable[float] = ()) -> st.SearchStrategy[dict]:
    """Draw valid parameters of the named measure, as it declares them, any part left out.

    `grades` are the positive grades of the data, for `gains`. Where `max_rel` is left out a measure
    infers it, with a warning."""
    grades = list(grades)
    measure = registry[name]
    drawn = {
        parameter: values
        for parameter, spec in measure.SUPPORTED_PARAMS.items()
        if parameter not in measure.params and (values := _values(spec, grades)) is not None
    }
    spec = measure.SUPPORTED_PARAMS
    required = {
        parameter: drawn.pop(parameter) for parameter in list(drawn) if spec[parameter].required
    }
    return st.fixed_dictionaries(required, optional=drawn).filter(
        lambda values: _accepted(measure, values)
    )


def _accepted(make: Any, values: dict) -> bool:
    """Test whether a measure takes these parameters together, or a parameter this value."""
    try:
        make(**values)
    except ValueError:
        return False
    return True


def random_collection(
    seed: int,
    n_topics: int = 20,
    n_docs: int = 60,
    grades: tuple[float, ...] = (0, 0, 0, 1, 1, 2, 3),
) -> Collection:
    """Make longer lists than Hypothesis likes to draw: half of the documents judged, many ties."""
    rng = random.Random(seed)
    qrels, run = {}, {}
    for number in range(n_topics):
        docs = [f"d{i}" for i in range(n_docs)]
        judged = rng.sample(docs, rng.randint(1, n_docs // 2))
        retrieved = rng.sample(docs, rng.randint(0, n_docs))
        qrels[f"q{number}"] = {doc: rng.choice(grades) for doc in judged}
        run[f"q{number}"] = {doc: float(rng.randint(0, n_docs)) for doc in retrieved}
    return Collection(qrels, run)


def few_relevant(seed: int, n_topics: int = 12, n_judged: int = 3, n_holes: int = 0) -> Collection:
    """Short lists of all judged documents, of which one or two are relevant: that everything
    relevant is found, which random lists seldom do, is common here. Scores are tied.
    """
    rng = random.Random(seed)
    docs = [f"d{i}" for i in range(n_judged + n_holes)]
    qrels, run = {}, {}
    for number in range(n_topics):
        judged = rng.sample(docs, n_judged)
        grades = dict.fromkeys(judged, 0) | {
            d: rng.randint(1, 2) for d in judged[: rng.choice([1, 2])]
        }
        qrels[f"q{number}"] = grades
        run[f"q{number}"] = {doc: float(rng.randint(0, 1)) for doc in docs}
    return Collection(qrels, run)


def for_the_host(collection: Collection) -> Collection:
    """Keep the order of scores in numbers that 32 bits hold; no topic with negative grades alone,
    no empty topic in the run.
    """
    qrels = {topic: docs for topic, docs in collection.qrels.items() if max(docs.values()) >= 0}
    run = {}
    for topic, docs in collection.run.items():
        place = {score: float(i) for i, score in enumerate(sorted(set(docs.values())))}
        if docs:
            run[topic] = {doc: place[score] for doc, score in docs.items()}
    return Collection(qrels, run)
