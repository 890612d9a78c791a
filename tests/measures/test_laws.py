"""Laws that every registered measure obeys, as it declares itself.

A new measure is covered as soon as it is registered. The two tables below hold exceptions from
single laws, with the reason; a measure that declares itself truly needs no entry."""

import copy
import itertools
import os
import pickle
import re
import subprocess
import sys
from functools import cache
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irpref
from irpref.datasets import load
from irpref.judged.run import align_run
from irpref.measures import registered
from irpref.measures.declare import NEEDS
from irpref.measures.docstring import prose
from irpref.measures.toml_files import Row, compared
from irpref.values.prepare import prepare
from strategies import Collection, collections, parameters, positive_grades

# Value of a topic of which nothing was retrieved, where it is not DEFAULT: of its grades (docs),
# relevant documents (r), pairs with different grades (n_prefs) and the measure's parameters.
EMPTY = {
    "CRP": lambda r, cutoff=None, **_: sum(j - (r + 1) for j in range(1, min(cutoff or r, r) + 1)),
    "nCRP": lambda r, norm="worst", **_: float(r > 0) * (-1 if norm == "range" else 1),
    "NumPrefs": lambda n_prefs, **_: n_prefs,  # of the judgments, whatever was retrieved
}

# Value of the ideal list, if it is not the best that the range allows; None: it depends on the topic.
IDEAL = {
    **dict.fromkeys(["CRP", "nCRP"], 0.0),  # without bounds
    **dict.fromkeys(["RelativeRecall", "WeightedRR"], 1.0),
    # No matter how much there is to find, more of it is more.
    **dict.fromkeys(["CG", "DCG", "TSE"]),
    "GPrecision": None,  # 1 only if all relevant documents have the highest grade
    "RBPResidual": None,  # of documents that are not retrieved
    "Novelty": None,  # what is new may not be all that is relevant
    # Not of relevant documents.
    **{name: None for name, measure in registered().items() if "preferences" in measure.NEEDS},
}

# Rankings better than the ideal list are possible: (measure, whether these parameters allow it,
# why).
NOT_IDEAL = {
    # It asks what was judged, not what is relevant.
    "RBPResidual": (lambda p: True, "every judged document lowers it"),
    "CRP": (lambda _: True, "graded judgments: A A S A has +1 against the ideal S A A A"),
    "nCRP": (lambda _: True, "as CRP"),
    "Coverage": (
        lambda p: "cutoff" in p,
        "the documents that the user knew may stand below the cutoff",
    ),
    "Novelty": (
        lambda _: True,
        "it rewards documents that are new, not documents that are relevant",
    ),
    "RPref": (
        lambda p: p.get("top") == "zero",
        "the best document is out of the sum, but not out of R",
    ),
    "BprefVariant": (lambda p: p.get("top") == "zero", "as RPref"),
    "GPrecision": (
        lambda p: "cutoff" not in p,
        "the ideal list ends with its least relevant documents",
    ),
    "RecallEffort": (lambda p: "expected" in p, "an e beyond R is never reached"),
    # The ideal list ends with the relevant documents; preferences between others are not fulfilled
    # by it, and of those between retrieved documents there are more in other lists.
    **{
        name: (lambda _: True, "documents that are not relevant are preferred to others")
        for name, measure in registered().items()
        if "preferences" in measure.NEEDS
    },
}


VARIANTS = [variant for measure in registered().values() for variant in type(measure).variants()]
every_variant = pytest.mark.parametrize("measure", VARIANTS, ids=str)
every_measure = pytest.mark.parametrize("name", list(registered()))


def plain(name):
    """The measure with what it cannot do without."""
    return type(registered()[name]).variants()[0]


# Data ---------------------------------------------------------------------------------------------


class Judgment(NamedTuple):
    query_id: str
    doc_id: str
    relevance: float
    known: bool
    expected: float


class Retrieved(NamedTuple):
    query_id: str
    doc_id: str
    score: float


def judgments(qrels: dict) -> list[Judgment]:
    """Rows with the columns that some measures read, which follow from the row alone."""
    return [
        Judgment(q, d, grade, sum(map(ord, d)) % 3 == 0, 1.0 + sum(map(ord, q)) % 4 / 2)
        for q, docs in qrels.items()
        for d, grade in docs.items()
    ]


def retrieved(run: dict) -> list[Retrieved]:
    return [Retrieved(q, d, score) for q, docs in run.items() for d, score in docs.items()]


def awkward(seed: int = 2006) -> Collection:
    """Topics of all sorts in one collection: long, empty, tied, with float, many, and negative
    grades.
    """
    rng = np.random.default_rng(seed)
    kinds = {
        "binary": lambda n: rng.integers(0, 2, n),
        "graded": lambda n: rng.choice([0, 0, 0, 1, 1, 2, 3], n),
        "float": lambda n: rng.choice([0, 0.1, 0.29, 0.7, 1.1, 2.3], n),
        "continuous": lambda n: np.round(rng.uniform(0, 3, n), 4),
        "negative": lambda n: rng.choice([-2, -1, -0.5, 0, 1, 2.5], n),
        "one grade": lambda n: np.full(n, 2),
        "nothing relevant": lambda n: rng.choice([-1, 0], n),
    }
    qrels, run = {}, {}
    for i, (kind, grades) in enumerate(kinds.items()):
        for j, (n_judged, n_retrieved) in enumerate(
            [(1, 1), (5, 40), (60, 30), (300, 250), (37, 0)]
        ):
            topic = f"{kind} {j}"
            docs = [f"d{k}" for k in range(n_judged + n_retrieved // 3)]
            rng.shuffle(docs)
            qrels[topic] = dict(zip(docs, grades(n_judged).tolist(), strict=False))
            rng.shuffle(docs)
            answer = docs[:n_retrieved]
            scores = (
                rng.normal(size=len(answer)) if (i + j) % 2 else rng.integers(0, 9, len(answer))
            )
            run[topic] = dict(zip(answer, scores.astype(float).tolist(), strict=True))
    del run["graded 4"]  # a topic that the run leaves out
    run["no such topic"] = {"d1": 1.0}
    return Collection(qrels, run)


@pytest.fixture(scope="module")
def collection() -> Collection:
    return awkward()


@pytest.fixture(scope="module")
def usual(collection) -> dict:
    """Value of every variant by topic."""
    return values(VARIANTS, judgments(collection.qrels), collection.run)


@cache
def unanswered(*topics: str) -> dict:
    """Value of every variant by topic where nothing is retrieved, for these topics in words."""
    return values(VARIANTS, judgments(awkward().qrels), {topic: {} for topic in topics})


def values(measures, qrels, run) -> dict:
    """Measure -> topic -> value."""
    return by_topic(irpref.evaluator(measures, qrels), run)


def by_topic(evaluator, run) -> dict:
    """Measure -> topic -> value, of an evaluator."""
    found = evaluator.values(run)
    return {
        measure: dict(zip(evaluator.topic_ids, of.tolist(), strict=True))
        for measure, of in found.items()
    }


def relevant(docs: dict) -> int:
    return sum(grade > 0 for grade in docs.values())


def n_prefs(docs: dict) -> int:
    return sum(a != b for a, b in itertools.combinations(docs.values(), 2))


# The table above ----------------------------------------------------------------------------------


@pytest.mark.registry
def test_the_tables_name_registered_measures_only():
    assert {*EMPTY, *IDEAL, *NOT_IDEAL} <= set(registered())
    declared = {name for name, measure in registered().items() if prose(measure).empty_ranking}
    assert set(EMPTY) == declared, "the table EMPTY and the sections `Empty ranking` differ"


@every_measure
def test_every_measure_says_what_it_is(name):
    measure = registered()[name]
    said = prose(measure)
    for section in ("name", "short", "question", "use", "range", "formula", "source"):
        assert getattr(said, section), f"no section {section!r}"
    assert said.worked_example, "no section 'Worked example'"
    assert said.question.endswith("?")
    assert (said.name, said.short) == (measure.PRETTY_NAME, measure.SHORT_DESC)
    assert compared(measure).group != Row().group, f"{name} is not in measures.toml"
    assert all(spec.desc for spec in measure.SUPPORTED_PARAMS.values())
    assert set(measure.NEEDS) <= set(NEEDS)
    assert (said.range == "[0, 1]") == (measure.BOUNDS == (0.0, 1.0)), (
        f"BOUNDS are {measure.BOUNDS}, but the section `Range` has {said.range!r}"
    )
    assert getattr(irpref, name) is measure
    assert ir_measures.measures.registry[name] is measure


@every_measure
def test_the_worked_example_has_values_of_the_measure(name):
    example = load(prose(registered()[name]).worked_example)
    assert any(re.match(rf"{name}\b", one.measure) for one in example.expected)


@every_measure
def test_what_a_measure_needs_shows_in_its_parameters(name):
    measure = registered()[name]
    assert ("scale" in measure.NEEDS) == ("max_rel" in measure.SUPPORTED_PARAMS)
    columns = {name: spec.column for name, spec in measure.SUPPORTED_PARAMS.items() if spec.column}
    assert columns.items() <= {"known": bool, "expected": float}.items(), (
        "readers, commands and tests know the columns `known` and `expected` only: take the "
        "parameter from known.py or expected.py"
    )
    assert ("known" in measure.NEEDS) == ("known" in columns)


@every_measure
def test_the_first_variant_is_the_plain_measure(name):
    assert plain(name) == registered()[name](**type(registered()[name]).VARIANTS[0])
    allowed = {p for p, spec in registered()[name].SUPPORTED_PARAMS.items() if spec.required} | {
        "max_rel"
    }
    assert set(plain(name).params) <= allowed


# Range and defaults -------------------------------------------------------------------------------


@every_variant
def test_values_stay_in_range(measure, usual):
    low, high = measure.BOUNDS
    found = list(usual[measure].values())
    assert all(type(value) is float for value in found)
    assert not any(
        value == 0 and np.signbit(value) for value in found
    )  # -0.0000 looks like a mistake
    assert min(found) >= low - 1e-12
    assert max(found) <= high + 1e-12


@every_measure
@given(collection=collections(), data=st.data())
def test_drawn_values_stay_in_range(name, collection, data):
    options = data.draw(parameters(name, positive_grades(collection.qrels)))
    measure = plain(name)(**options)
    low, high = measure.BOUNDS
    for value in values([measure], judgments(collection.qrels), collection.run)[measure].values():
        assert low - 1e-12 <= value <= high + 1e-12


@every_variant
@pytest.mark.parametrize("topics", [[], ["graded 1"]], ids=["empty run", "empty topic"])
def test_an_empty_ranking_has_the_default_value(measure, topics, collection):
    found = unanswered(*topics)[measure]
    assert list(found) == list(collection.qrels)
    special = EMPTY.get(measure.NAME)
    for topic, value in found.items():
        facts = {
            "docs": collection.qrels[topic],
            "r": relevant(collection.qrels[topic]),
            "n_prefs": n_prefs(collection.qrels[topic]),
        }
        negative = min(collection.qrels[topic].values()) < 0
        # Documents below non-relevant ones come first in the reversed ideal list: a worse list
        # than an empty one.
        if negative and measure.params.get("norm") == "range":
            assert (-1 <= value < 1) if facts["r"] else value == 0
            continue
        if negative and measure.params.get("worst") == "reversed":
            assert (0 < value <= 1) if facts["r"] else value == 0
            continue
        wanted = special(**facts, **measure.params) if special else measure.DEFAULT
        assert value == wanted, (
            f"nothing retrieved for topic {topic!r}: {value}, but "
            f"{'EMPTY' if special else 'DEFAULT'} says {wanted}"
        )


@every_variant
def test_a_topic_left_out_has_the_value_of_an_empty_ranking(measure, usual):
    empty = unanswered()[measure]
    for topic in ("graded 4", "binary 4"):  # left out, and there without a document
        assert usual[measure][topic] == empty[topic]


@pytest.mark.parametrize(
    "measure",
    # Of documents that are not relevant, some are preferred to others: by a grade of 0 to one
    # below.
    [
        measure
        for measure in VARIANTS
        if "preferences" not in measure.NEEDS and measure.NAME != "RBPResidual"
    ],
    ids=str,
)
def test_nothing_relevant_is_worth_the_worst(measure, usual, collection):
    # A loss has nothing to lose then: `nothing relevant` is ideal. Elsewhere it is what an empty
    # list scores.
    worst = 0.0 if measure.NAME in EMPTY else measure.DEFAULT
    for topic, docs in collection.qrels.items():
        if relevant(docs) == 0:
            assert usual[measure][topic] == worst, f"nothing is relevant; DEFAULT says {worst}"


# What does not matter -----------------------------------------------------------------------------


@pytest.mark.registry
def test_a_topic_does_not_depend_on_the_others(usual, collection):
    for topic, docs in collection.qrels.items():
        mine = {topic: collection.run[topic]} if topic in collection.run else {}
        alone = values(VARIANTS, irpref.judgments(judgments({topic: docs})), mine)
        for measure in VARIANTS:
            assert alone[measure][topic] == usual[measure][topic], (measure, topic)


@pytest.mark.registry
@pytest.mark.parametrize("rows", [1, 100, 1000])
def test_groups_of_topics_do_not_matter(rows, usual, collection):
    pool, arguments = prepare(VARIANTS, irpref.judgments(judgments(collection.qrels)))
    judged = align_run(pool, collection.run, ties=True)
    for measure in VARIANTS:
        batches = itertools.starmap(judged.topics, judged.batches(rows))
        parts = [type(measure).kernel(batch, **arguments[measure]) for batch in batches]
        found = dict(zip(pool.topic_ids, np.concatenate(parts).tolist(), strict=True))
        assert found == usual[measure], measure


@pytest.mark.registry
def test_more_judgments_than_one_group_holds():
    rng = np.random.default_rng(7)
    docs = [f"d{i}" for i in range(3000)]
    qrels, run = {}, {}
    for t in range(
        30
    ):  # 90,000 judgments; every third topic has more grades than are told apart one by one
        grades = (
            rng.uniform(0, 3, 3000).round(3)
            if t % 3 == 0
            else rng.choice([0, 0.1, 1, 2.7, -1], 3000)
        )
        qrels[f"t{t}"] = dict(zip(docs, grades.tolist(), strict=True))
        answer = rng.choice(3500, 800, replace=False)
        run[f"t{t}"] = {
            f"d{i}": float(s) for i, s in zip(answer, rng.integers(0, 500, 800), strict=True)
        }
    together = values(VARIANTS, judgments(qrels), run)
    for topic in ("t0", "t1", "t17", "t21", "t29"):
        alone = values(VARIANTS, judgments({topic: qrels[topic]}), {topic: run[topic]})
        for measure in VARIANTS:
            assert alone[measure][topic] == together[measure][topic], (measure, topic)


@pytest.mark.registry
@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_rows_does_not_matter(seed, usual, collection):
    rng = np.random.default_rng(seed)
    qrels, run = judgments(collection.qrels), retrieved(collection.run)
    shuffled = (
        [qrels[i] for i in rng.permutation(len(qrels))],
        [run[i] for i in rng.permutation(len(run))],
    )
    assert values(VARIANTS, *shuffled) == usual
    evaluators = irpref.evaluator(VARIANTS, qrels), irpref.evaluator(VARIANTS, shuffled[0])
    assert evaluators[0].calc_aggregate(run) == evaluators[1].calc_aggregate(
        shuffled[1]
    )  # means, too


@pytest.mark.registry
def test_the_names_of_topics_do_not_matter(usual, collection):
    renamed = {topic: f"{hash((i, 5)) % 997}-é{i}" for i, topic in enumerate(collection.qrels)}
    qrels = [
        row._replace(query_id=renamed[row.query_id]) for row in judgments(collection.qrels)
    ]  # `expected` stays that of the topic
    run = {renamed.get(topic, topic): docs for topic, docs in collection.run.items()}
    found = values(VARIANTS, qrels, run)
    for measure in VARIANTS:
        assert {t: found[measure][new] for t, new in renamed.items()} == usual[measure]


@pytest.mark.registry
def test_ids_matter_by_their_order_only(usual, collection):
    # A name in front of all ids keeps their order, which decides among ties.
    qrels = [row._replace(doc_id="clueweb-" + row.doc_id) for row in judgments(collection.qrels)]
    run = {t: {"clueweb-" + d: s for d, s in docs.items()} for t, docs in collection.run.items()}
    assert values(VARIANTS, qrels, run) == usual


@pytest.mark.registry
def test_scores_matter_by_their_order_only(usual, collection):
    run = {}
    for topic, docs in collection.run.items():
        rank = {score: i for i, score in enumerate(sorted(set(docs.values())))}
        run[topic] = {doc: rank[score] - 1e6 for doc, score in docs.items()}
    assert values(VARIANTS, judgments(collection.qrels), run) == usual


@pytest.mark.registry
def test_a_rank_column_is_not_read(usual, collection):
    run = pd.DataFrame(retrieved(collection.run))
    run["rank"] = np.random.default_rng(1).permutation(len(run))
    assert values(VARIANTS, judgments(collection.qrels), run) == usual


@pytest.mark.registry
def test_measures_do_not_depend_on_the_measures_beside_them(usual, collection):
    qrels = judgments(collection.qrels)
    for measure in VARIANTS:
        assert values([measure], qrels, collection.run)[measure] == usual[measure]


# Names --------------------------------------------------------------------------------------------


@pytest.mark.registry
def test_an_evaluator_pickles(usual, collection):
    evaluator = pickle.loads(pickle.dumps(irpref.evaluator(VARIANTS, judgments(collection.qrels))))
    assert by_topic(evaluator, collection.run) == usual


def same(measure, other):
    assert other == measure
    assert type(other) is type(measure)
    assert hash(other) == hash(measure)
    assert str(other) == str(measure)
    assert other.params == measure.params
    assert list(other.params) == list(measure.params)


@every_variant
def test_a_measure_equals_its_own_name(measure):
    assert measure == str(measure)
    assert hash(measure) == hash(str(measure))
    assert {str(measure): 1}[measure] == 1
    assert {measure: 1}[str(measure)] == 1
    assert measure != str(measure) + "x"
    assert measure != 1
    same(measure, copy.deepcopy(measure))
    same(measure, irpref.parse(measure))


@every_measure
@given(data=st.data())
def test_every_drawn_measure_prints_parses_and_pickles(name, data):
    options = data.draw(parameters(name, (1, 2, 3)))
    measure = registered()[name](**options)
    for other in (irpref.parse(str(measure)), pickle.loads(pickle.dumps(measure)), measure()):
        same(measure, other)
    cutoff = options.pop("cutoff", None)
    shuffled = dict(reversed(options.items()))
    same(
        measure,
        registered()[name](**shuffled, cutoff=cutoff) if cutoff else registered()[name](**shuffled),
    )
    if cutoff:
        same(measure, registered()[name](**options) @ cutoff)


@pytest.mark.registry
def test_none_means_not_given():
    for measure in registered().values():
        same(measure, measure(**dict.fromkeys(measure.SUPPORTED_PARAMS)))


@pytest.mark.registry
def test_a_default_that_is_given_is_not_printed():
    for measure in registered().values():
        specs = measure.SUPPORTED_PARAMS.items()
        same(
            measure,
            measure(
                **{name: s.default for name, s in specs if isinstance(s.default, (str, int, float))}
            ),
        )


def test_names_of_variants_print_as_the_variant():
    assert str(irpref.BprefR) == "BprefVariant(norm='R')"
    assert str(irpref.parse("BprefN(rel=2)@10")) == "BprefVariant(norm='N',rel=2)@10"
    assert irpref.Bpref10 == irpref.BprefVariant(norm="10")
    assert str(ir_measures.measures.registry["BprefN"]) == "BprefVariant(norm='N')"
    assert irpref.RPref @ 10 == "RPref@10"


# What the surroundings are ------------------------------------------------------------------------


HASH_SEED = """
import irpref, test_laws
data = test_laws.awkward()
evaluator = irpref.evaluator(test_laws.VARIANTS, test_laws.judgments(data.qrels))
for metric in evaluator.iter_calc(data.run):
    print(metric.query_id, metric.measure, metric.value.hex())
print(evaluator.calc_aggregate(data.run))
"""


@pytest.mark.slow
@pytest.mark.registry
def test_the_hash_seed_does_not_show():
    here = os.path.dirname(__file__)
    path = os.pathsep.join([here, os.path.dirname(here), os.environ.get("PYTHONPATH", "")])
    outputs = {
        subprocess.run(
            [sys.executable, "-c", HASH_SEED],
            cwd=here,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "42")
    }
    assert len(outputs) == 1
    assert outputs.pop().count("\n") > 1000


# Direction ----------------------------------------------------------------------------------------


def ideal_list(docs: dict, measure=None) -> dict[str, float]:
    least = measure["rel"] if measure is not None and "rel" in measure.SUPPORTED_PARAMS else 0
    found = sorted(
        (doc for doc in docs if docs[doc] > 0 and docs[doc] >= least), key=lambda doc: -docs[doc]
    )
    return {doc: -float(rank) for rank, doc in enumerate(found)}


def ideal_value(measure):
    """The value of the ideal list: the best of the range, or as the table says."""
    return IDEAL.get(measure.NAME, measure.BOUNDS[1 if measure.higher_is_better else 0])


def may_beat_the_ideal_list(measure):
    return measure.NAME in NOT_IDEAL and NOT_IDEAL[measure.NAME][0](measure.params)


@pytest.mark.parametrize(
    "measure", [m for m in VARIANTS if not may_beat_the_ideal_list(m)], ids=str
)
def test_no_list_is_better_than_the_ideal_list(measure, usual, collection):
    qrels = judgments(collection.qrels)
    best = values(
        [measure], qrels, {t: ideal_list(docs, measure) for t, docs in collection.qrels.items()}
    )[measure]
    sign = 1 if measure.higher_is_better else -1
    rng = np.random.default_rng(3)
    others = [usual[measure]]
    for _ in range(3):
        run = {}
        for topic, docs in collection.qrels.items():
            names = [*docs, "u1", "u2"]
            rng.shuffle(names)
            run[topic] = {
                d: float(-i) for i, d in enumerate(names[: int(rng.integers(1, len(names) + 1))])
            }
        others.append(values([measure], qrels, run)[measure])
    for other in others:
        for topic, value in other.items():
            assert sign * best[topic] >= sign * value - 1e-12, (
                f"a list of topic {topic!r} is better than the ideal one: if that is right, give "
                "the reason in the table NOT_IDEAL"
            )


def topics_of(measure, qrels):
    """Topics in which the measure has something to find: relevant documents, known to the user
    where it asks so.
    """
    known = {row.query_id for row in judgments(qrels) if row.known and row.relevance >= 1}
    for topic, docs in qrels.items():
        # Fractional grades below 1 are relevant to the graded measures and not to those that take
        # `rel`.
        if "rel" in measure.SUPPORTED_PARAMS and any(0 < grade < 1 for grade in docs.values()):
            continue
        if relevant(docs) and ("known" not in measure.NEEDS or topic in known):
            yield topic


@pytest.mark.parametrize(
    "name", [name for name, measure in registered().items() if ideal_value(measure) is not None]
)
def test_the_ideal_list_has_the_best_value(name, collection):
    measure = plain(name)
    run = {t: ideal_list(docs) for t, docs in collection.qrels.items()}
    found = values([measure], judgments(collection.qrels), run)[measure]
    for topic in topics_of(measure, collection.qrels):
        assert found[topic] == pytest.approx(ideal_value(measure), abs=1e-12), (
            f"ideal list of topic {topic!r}: if that is right, add the measure to the table IDEAL"
        )


@every_measure
def test_the_direction_of_better(name, collection):
    """The ideal list is better than an empty one, and no worse than itself below forty documents
    nobody judged.
    """
    measure = plain(name)
    best = {t: ideal_list(docs) for t, docs in collection.qrels.items()}
    late = {t: {**docs, **{f"u{i}": float(i) for i in range(1, 41)}} for t, docs in best.items()}
    qrels = judgments(collection.qrels)
    sign = 1 if measure.higher_is_better else -1
    good, bad, none = (values([measure], qrels, run)[measure] for run in (best, late, {}))
    for topic in topics_of(measure, collection.qrels):
        lists = (
            f"higher_is_better is {measure.higher_is_better}; ideal list {good[topic]}, "
            f"forty ranks lower {bad[topic]}, empty {none[topic]}"
        )
        assert sign * good[topic] >= sign * bad[topic] - 1e-12, lists
        assert sign * good[topic] > sign * none[topic] or ideal_value(measure) is None, lists


@pytest.mark.parametrize(
    ("name", "grades", "moved", "before", "after"),
    [
        ("PMeasure", "012", "021", 5 / 6, 3 / 5),
        ("PPlus", "012", "021", 37 / 60, 3 / 5),
        ("CRP", "112", "121", 1, 0),
        ("nCRP", "112", "121", -1 / 6, 0),
        ("PrefAP", "1001", "1010", 1, 7 / 8),
    ],
)
def test_a_better_document_moved_up_can_make_it_worse(name, grades, moved, before, after):
    for order, value in ((grades, before), (moved, after)):
        qrels = {"q": {f"d{rank}": int(grade) for rank, grade in enumerate(order)}}
        run = {"q": {doc: -float(rank) for rank, doc in enumerate(qrels["q"])}}
        found = irpref.evaluator([irpref.parse(name)], qrels).calc_aggregate(run)
        assert list(found.values()) == pytest.approx([value])
