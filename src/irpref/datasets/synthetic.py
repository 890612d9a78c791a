"""A synthetic test collection: 30 topics, 600 documents, graded judgments, five runs. Nothing in it is real.

The documents are bags of words drawn from the lists below, the judgments follow from how a document was
drawn, and the runs are made from the judgments with more or less noise (one run, `baseline`, really matches
words). It exists so that measures can be seen to differ, and so that an engine has something to index,
without a network or a licence. It says nothing about real documents, judges or systems.

What differs between the runs:

    baseline   counts occurrences of the query's words: honest matching, many tied scores
    strong     follows the grades with some noise
    precise    almost perfect at the top, and only six documents
    broad      finds nearly everything but does not tell the grades apart
    noisy      much noise, many unjudged documents; returns nothing at all for the last topic

The same collection comes out on every platform and with every NumPy: all choices are integers taken from the
raw output of PCG64, which NumPy keeps stable (the streams of `Generator` methods it may change).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from irpref.datasets.example import Example

SEED = 2006
RUNS = ("baseline", "strong", "precise", "broad", "noisy")

_Item = TypeVar("_Item")

# Ten themes of three topics each. A topic is its query and further words of its subject; topics of one theme
# are mistaken for each other.
_THEMES: tuple[tuple[tuple[str, str], ...], ...] = (
    (
        ("hydrogen storage of wind power", "turbine electrolysis surplus grid tank compressor offshore fuel"),
        ("recycling of lithium batteries", "cathode cobalt nickel shredder electrolyte cell graphite scrap"),
        ("heat pumps in old houses", "radiator insulation compressor boiler refrigerant retrofit noise"),
    ),
    (
        ("repair of medieval bridges", "arch mortar pier masonry flood limestone scaffold vault"),
        ("wooden church towers", "shingle beam carpenter belfry oak joint spire lightning"),
        ("roman roads and milestones", "gravel paving legion inscription province ditch survey itinerary"),
    ),
    (
        ("migration of arctic terns", "colony ringing feather flight antarctic logger nesting season"),
        ("decline of wild bees", "pollen nectar pesticide hedge meadow orchard larva nest"),
        ("return of the european otter", "river holt fish spraint tunnel bank trap habitat"),
    ),
    (
        ("sourdough bread fermentation", "starter yeast flour acid crust oven crumb hydration"),
        ("alpine cheese ripening", "rind cellar brine milk rennet mould wheel salt"),
        ("green tea processing", "leaf steam oxidation harvest roast bitter aroma tin"),
    ),
    (
        ("glacier retreat in the himalaya", "moraine meltwater snow debris basin valley altitude satellite"),
        ("flood forecasting on small rivers", "gauge rainfall model warning runoff catchment soil radar"),
        ("coral reef bleaching", "algae temperature lagoon polyp acidity storm fish nursery"),
    ),
    (
        ("tuning of church organs", "pipe bellows temperament pitch reed keyboard stop chapel"),
        ("violin varnish chemistry", "resin maker spruce pigment lacquer spectrum maple oil"),
        ("field recordings of folk songs", "singer cylinder melody archive village dialect tape verse"),
    ),
    (
        ("night trains across europe", "sleeper carriage timetable border locomotive berth ticket couchette"),
        ("cargo bicycles in cities", "courier parcel pedal lane kerb warehouse battery van"),
        ("airships for freight", "helium envelope mast payload ballast hangar hull crew"),
    ),
    (
        ("reading of carbonised scrolls", "papyrus tomography ink letter villa layer scan greek"),
        ("dating of cave paintings", "ochre charcoal uranium calcite bison pigment hand sample"),
        ("shipwreck timber conservation", "wax hull freeze salt museum anchor dendrochronology tank"),
    ),
    (
        ("vaccination of wild animals", "bait rabies fox dose virus helicopter herd antibody"),
        ("sleep in shift workers", "melatonin rota fatigue lamp nap clock nurse accident"),
        ("training of rescue dogs", "handler rubble scent avalanche search command puppy harness"),
    ),
    (
        ("spell checking of rare languages", "lexicon suffix corpus dialect keyboard grammar typo script"),
        ("indexing of handwritten letters", "scan ink clerk archive stroke transcript diary envelope"),
        ("search in chess endgames", "pawn rook table bishop engine mate move stalemate"),
    ),
)

# Words of every document.
_BACKGROUND = """
about above account across after again almost already although among another answer around because become
before began behind between both called carry case certain change clear close common complete course daily
described different during early either enough especially every example expected experience few figure final
found four further general given great group half however human important increase interest kept known large
later least less likely little local long made many matter mean method might more most much nearly need
never number often only order other part people perhaps place point possible present problem question quite
rather reason report result seen several short show similar simple since small some still such taken than
there these third those though three through time together toward under until useful usual value various
very week well while whole within without work world would year young
"""

_FUNCTION_WORDS = {"of", "in", "the", "and", "on", "for", "across"}

# For each grade: percentage of the words of a document from its topic, and from the other topics of the
# theme.
_WORDS = {3: (40, 5), 2: (28, 8), 1: (16, 10), 0: (6, 25)}

GRADES = {
    3: "highly relevant",
    2: "relevant",
    1: "marginally relevant",
    0: "not relevant",
    -1: "misleading: worse than not relevant",
}

_PER_TOPIC = 20


class _Draws:
    """Choices made from the raw 64-bit integers of PCG64."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.PCG64(seed)

    def below(self, n: int) -> int:
        """An integer from 0 to n - 1."""
        return ((int(self._bits.random_raw()) >> 32) * n) >> 32

    def chance(self, percent: int) -> bool:
        return self.below(100) < percent

    def pick(self, items: Sequence[_Item]) -> _Item:
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[_Item]) -> list[_Item]:
        rest = list(items)
        for last in range(len(rest) - 1, 0, -1):
            other = self.below(last + 1)
            rest[last], rest[other] = rest[other], rest[last]
        return rest


def generate(seed: int = SEED) -> Example:
    """Make the collection.

    Parameters
    ----------
    seed : int
        Seed of everything; the shipped collection has the default.

    Returns
    -------
    Example
        30 topics, 600 documents with text, judgments from -1 to 3 with holes, the columns `known` and
        `expected`, and the runs `baseline`, `strong`, `precise`, `broad`, `noisy`. No expected values.
    """
    draw = _Draws(seed)
    background = _BACKGROUND.split()
    topics = [topic for theme in _THEMES for topic in theme]
    query_ids = [str(number) for number in range(1, len(topics) + 1)]
    queries = {query_id: query for query_id, (query, _) in zip(query_ids, topics, strict=True)}
    words = {
        query_id: [word for word in query.split() if word not in _FUNCTION_WORDS] + subject.split()
        for query_id, (query, subject) in zip(query_ids, topics, strict=True)
    }
    n_in_theme = len(_THEMES[0])
    siblings = {
        query_id: [
            other
            for position, other in enumerate(query_ids)
            if position // n_in_theme == at // n_in_theme and other != query_id
        ]
        for at, query_id in enumerate(query_ids)
    }

    # Documents: each is written for one topic, with a grade.
    numbers = iter(draw.shuffled(range(1, _PER_TOPIC * len(topics) + 1)))
    texts: dict[str, str] = {}
    # Grades as meant; 0 for a document on the theme.
    truth: dict[str, dict[str, int]] = {query_id: {} for query_id in query_ids}
    for query_id in query_ids:
        n_relevant = {3: 1 + draw.below(3), 2: 2 + draw.below(3), 1: 3 + draw.below(4)}
        for number in range(_PER_TOPIC):
            grade = next((g for g in (3, 2, 1) if number < sum(n_relevant[h] for h in range(g, 4))), 0)
            doc_id = f"syn{next(numbers):03d}"
            own, near = _WORDS[grade]
            text = []
            for _ in range(40 + draw.below(41)):
                at = draw.below(100)
                source = words[query_id] if at < own else words[draw.pick(siblings[query_id])]
                text.append(draw.pick(source if at < own + near else background))
            texts[doc_id] = " ".join(text)
            truth[query_id][doc_id] = grade
            for sibling in siblings[query_id]:
                # A good document is now and then of some use for a neighbouring topic.
                truth[sibling][doc_id] = int(grade >= 2 and draw.chance(12))

    # Judgments: not everything was judged, and a few documents of every third topic mislead.
    qrels: dict[str, dict[str, int]] = {}
    known: dict[str, frozenset[str]] = {}
    wanted: dict[str, int] = {}
    for at, query_id in enumerate(query_ids):
        judged = {
            doc_id: grade for doc_id, grade in truth[query_id].items() if draw.chance({3: 100, 0: 65}.get(grade, 80))
        }
        if at % 3 == 0:
            for doc_id in [doc_id for doc_id, grade in judged.items() if grade == 0][:2]:
                judged[doc_id] = -1
        # In order of id, so that the file says nothing about how it was made.
        qrels[query_id] = {doc_id: judged[doc_id] for doc_id in sorted(judged)}
        relevant = [doc_id for doc_id, grade in qrels[query_id].items() if grade > 0]
        known[query_id] = frozenset(doc_id for doc_id in relevant if draw.chance(33))
        wanted[query_id] = 1 + draw.below(max(1, len(relevant)))

    runs = {
        "baseline": _matches(queries, texts, depth=60),
        "strong": _guided(draw, truth, texts, steps=(20, 100, 200, 300), noise=160, depth=60),
        "precise": _guided(draw, truth, texts, steps=(20, 100, 220, 340), noise=60, depth=6),
        "broad": _guided(draw, truth, texts, steps=(90, 200, 200, 200), noise=190, depth=150),
        "noisy": _guided(draw, truth, texts, steps=(20, 70, 140, 210), noise=330, depth=100),
    }
    del runs["noisy"][query_ids[-1]]
    return Example(
        id="synthetic",
        title="Synthetic collection: 30 topics, 600 generated documents, five made-up systems",
        source=(
            f"Synthetic: generated by irpref.datasets.synthetic with seed {seed}. No real documents, judges or systems."
        ),
        queries=queries,
        qrels=qrels,
        runs=runs,
        grades=GRADES,
        known=known,
        wanted=wanted,
        texts={doc_id: texts[doc_id] for doc_id in sorted(texts)},
    )


def _matches(queries: dict[str, str], texts: dict[str, str], depth: int) -> dict[str, dict[str, float]]:
    """A run that really looks at the words: occurrences of the words of the query."""
    split = {doc_id: text.split() for doc_id, text in texts.items()}
    run = {}
    for query_id, query in queries.items():
        asked = set(query.split()) - _FUNCTION_WORDS
        scores = {doc_id: float(sum(word in asked for word in words)) for doc_id, words in split.items()}
        run[query_id] = _top({doc_id: score for doc_id, score in scores.items() if score > 0}, depth)
    return run


def _guided(
    draw: _Draws,
    truth: dict[str, dict[str, int]],
    texts: dict[str, str],
    *,
    steps: tuple[int, int, int, int],
    noise: int,
    depth: int,
) -> dict[str, dict[str, float]]:
    """A run that knows the grades: points by grade (`steps`) for documents on the theme, plus noise."""
    run = {}
    for query_id, grades in truth.items():
        scores = {}
        for doc_id in texts:
            points = steps[grades[doc_id]] if doc_id in grades else 0
            # Thousandths keep ties rare; all scores are integers below 2^24, so float32 tells them apart as
            # well.
            scores[doc_id] = float(1000 * points + draw.below(1000 * noise))
        run[query_id] = _top(scores, depth)
    return run


def _top(scores: dict[str, float], depth: int) -> dict[str, float]:
    """The best `depth` documents, equal scores by id descending as trec_eval has it."""
    ranked = sorted(scores, key=lambda doc_id: (scores[doc_id], doc_id), reverse=True)
    return {doc_id: scores[doc_id] for doc_id in ranked[:depth]}
