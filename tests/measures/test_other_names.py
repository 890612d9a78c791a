"""Names of MTEB, ranx, recommenders and RAG tools: read where the tool's own value is equal."""

import math
import random

import pytest
import pytrec_eval

import irpref
from irpref.errors import UnknownMeasureError
from irpref.measures.names import known_names
from refused import refuses


@pytest.fixture(scope="module")
def collection():
    """Graded judgments and runs without ties, since tools differ in the order of tied documents.

    Some lists are shorter than any cutoff, some topics have more relevant documents than a cutoff.
    """
    draw = random.Random(11)
    qrels, run = {}, {}
    for topic in map(str, range(60)):
        docs = [f"d{number}" for number in range(draw.choice([3, 8, 40]))]
        qrels[topic] = {doc: draw.choice([0, 0, 1, 2, 3]) for doc in docs if draw.random() < 0.7}
        qrels[topic].setdefault(docs[0], draw.choice([1, 2, 3]))
        answer = [doc for doc in docs if draw.random() < 0.6] + ["u1", "u2"]
        run[topic] = dict(zip(answer, draw.sample(range(1000), len(answer)), strict=True))
    return qrels, {topic: {doc: float(s) for doc, s in docs.items()} for topic, docs in run.items()}


# As the tools compute them, from the documentation and source of each: `hits` holds, for the
# documents of a list from the top, whether they are relevant; `r` is the number of relevant
# documents.


def hit_rate(hits, r, k):
    return float(any(hits[:k]))


def reciprocal_rank(hits, r, k):
    return next((1 / rank for rank, hit in enumerate(hits[:k], 1) if hit), 0.0)


def average_precision(hits, r, k):
    """Divided by R, also by ranx with a cutoff."""
    found = [rank for rank, hit in enumerate(hits[:k], 1) if hit]
    return sum(n / rank for n, rank in enumerate(found, 1)) / r if r else 0.0


def precision(hits, r, k):
    return sum(hits[:k]) / k


def recall(hits, r, k):
    return sum(hits[:k]) / r if r else 0.0


def r_precision(hits, r, k):
    return sum(hits[:r]) / r if r else 0.0


def f1(hits, r, k):
    p, s = precision(hits, r, k), recall(hits, r, k)
    return 2 * p * s / (p + s) if p + s else 0.0


def capped_recall(hits, r, k):
    return sum(hits[:k]) / min(r, k) if r else 0.0


def of_hits(formula, k, rel=1):
    def by_topic(qrels, run):
        for topic, judged in qrels.items():
            ranked = sorted(run[topic], key=run[topic].get, reverse=True)
            hits = [judged.get(doc, 0) >= rel for doc in ranked]
            yield formula(hits, sum(grade >= rel for grade in judged.values()), k)

    return by_topic


def of_pytrec_eval(name):
    def by_topic(qrels, run):
        found = pytrec_eval.RelevanceEvaluator(qrels, {name}).evaluate(run)
        return [found[topic][name.replace(".", "_")] for topic in qrels]

    return by_topic


READ = {
    # MTEB 2 asks pytrec_eval for all but the reciprocal rank, which it computes itself, and has
    # BEIR's capped recall.
    "ndcg_at_10": of_pytrec_eval("ndcg_cut.10"),
    "map_at_100": of_pytrec_eval("map_cut.100"),
    "recall_at_100": of_pytrec_eval("recall.100"),
    "precision_at_5": of_pytrec_eval("P.5"),
    "hit_rate_at_5": of_pytrec_eval("success.5"),
    "mrr_at_10": of_hits(reciprocal_rank, 10),
    "R_cap_at_10": of_hits(capped_recall, 10),
    "NDCG_AT_10": of_pytrec_eval("ndcg_cut.10"),
    # RecBole (`hit`), MTEB (`HitRate`), ragas, ranx; in BEIR, `R_cap`.
    **dict.fromkeys(["HR@5", "Hit@5", "hit_rate@5", "HitRate@5", "hit-ratio@5"], of_hits(hit_rate, 5)),
    "MRR@10": of_hits(reciprocal_rank, 10),
    "R_cap@10": of_hits(capped_recall, 10),
    "recall_cap@3": of_hits(capped_recall, 3),
    # ranx.
    "map@100": of_hits(average_precision, 100),
    "map@5": of_hits(average_precision, 5),
    "r-precision": of_hits(r_precision, None),
    "f1@10": of_hits(f1, 10),
    "map@100-l2": of_hits(average_precision, 100, rel=2),
    "map-l2": of_hits(average_precision, None, rel=2),
    "mrr@10-l3": of_hits(reciprocal_rank, 10, rel=3),
    "precision@5-l2": of_hits(precision, 5, rel=2),
    "recall@10-l2": of_hits(recall, 10, rel=2),
    "hit_rate@5-l2": of_hits(hit_rate, 5, rel=2),
    "r-precision-l2": of_hits(r_precision, None, rel=2),
    "f1@10-l2": of_hits(f1, 10, rel=2),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_a_name_is_read_where_the_values_of_the_tool_are_equal(name, collection):
    qrels, run = collection
    measure = irpref.parse(name)
    evaluator = irpref.evaluator([measure], qrels)
    (values,) = evaluator.values(run).values()
    ours = dict(zip(evaluator.topic_ids, values.tolist(), strict=True))
    theirs = dict(zip(qrels, READ[name](qrels, run), strict=True))
    assert ours == pytest.approx(theirs, abs=1e-12)
    assert len(set(theirs.values())) > 1


REFUSED = {
    "hits@10": "Success@k",
    "hits": "Success@k",
    "ndcg@10-l2": "nDCG(gains={1:0})@10",
    "ndcg@10-l4": "nDCG(gains={1:0,2:0,3:0})@10",
    "dcg@10-l2": "drops the documents below grade 2",
    "bpref-l2": "drops the documents below grade 2",
    "apk@10": "divides by min(R, k)",
    "mapk@10": "divides by min(R, k)",
    "arhr@10": "of all relevant documents",
    "ndcg_burges@10": "nDCG(dcg='exp-log2')",
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_name_of_something_else_is_refused_with_the_difference(name):
    with pytest.raises(UnknownMeasureError) as told:
        irpref.parse(name)
    assert REFUSED[name] in told.value.message
    assert told.value.nearest is None


def test_what_the_refusals_say():
    """The differences that they name, by hand: a and c relevant (c of grade 1), 12 more besides."""
    qrels = {"q": {"a": 2, "c": 1, **{f"r{i}": 2 for i in range(12)}}}
    run = {"q": {"a": 3.0, "x": 2.0, "c": 1.0}}

    def value(text):
        (found,) = irpref.evaluator([text], qrels).calc_aggregate(run).values()
        return found

    hits, r = [True, False, True], 14
    # ranx's hits@10 is 2; Success@10 is 1.
    assert (10 * value("P@10"), value("Success@10")) == (pytest.approx(2), 1)
    # RecBole's MAP@10 and ml_metrics' mapk@10 divide by min(R, 10).
    assert value("AP@10") == pytest.approx((1 + 2 / 3) / r)
    assert value("AP@10") != pytest.approx((1 + 2 / 3) / min(r, 10))
    # ranx's ndcg@3-l2 has no c, neither in the list nor in the ideal one.
    ideal = 2 * sum(1 / math.log2(rank + 1) for rank in (1, 2, 3))
    assert value("nDCG(gains={1:0})@3") == pytest.approx(2 / ideal)
    assert sum(hits) == 2


@pytest.mark.parametrize(
    "text",
    [
        *("nauc", "diversity", "faithfulness", "context_precision", "context_recall"),
        *("serendipity", "gauc", "answer_relevancy", "mrr_at_", "xyz_at_10", "bpref_at_10"),
    ],
)
def test_a_name_that_nobody_here_computes_suggests_no_other_measure(text):
    with pytest.raises(UnknownMeasureError) as told:
        irpref.parse(text)
    near = told.value.nearest
    assert near is None or near.lower() in text.replace("_at_", "@").lower(), near


@pytest.mark.parametrize(
    "text",
    [
        *("GMAP", "gmap@10", "GMRR", "MedAP", "unjudged", "unjudged@10", "apref", "SE", "iNCU"),
        *("Gm_MAP", "NDCG_rel", "RNDCG", "Relative_P@5"),  # names of trec_eval in another case
    ],
)
def test_a_name_with_another_beginning_is_no_misspelling(text):
    with refuses(UnknownMeasureError, nearest=None):
        irpref.parse(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        *(("NCDG@10", "nDCG"), ("nDGC", "nDCG"), ("QMesure", "QMeasure"), ("MAPP", "MAP")),
        *(("acc@5", "Accuracy"), ("presicion", "Precision"), ("ERRR", "ERR"), ("dncg", "nDCG")),
    ],
)
def test_a_misspelling_suggests_the_measure_that_was_meant(text, meant):
    with refuses(UnknownMeasureError, nearest=meant):
        irpref.parse(text)


def test_a_cutoff_after_at_is_suggested_with_the_sign():
    with refuses(UnknownMeasureError, nearest="QMeasure@10"):
        irpref.parse("q_measure_at_10")


def test_names_with_several_cutoffs_and_parameters():
    assert irpref.parse_all("HR@5,10") == irpref.parse_all("Success@5,10")
    assert irpref.parse("hit_rate(rel=2)@5") == irpref.parse("Success(rel=2)@5")
    assert "HR" not in known_names()
    with pytest.raises(ValueError, match="at least 1"):
        irpref.parse("ndcg_at_0")
