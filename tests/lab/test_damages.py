"""Damages that a look at the runs shows: no gate passes on them, and no claim rests on them. Beside
each are users who are right.

The baseline is damaged; the candidate is the same run undamaged, or one that is better or worse."""

import numpy as np
import pandas as pd
import pytest

import irpref
import irpref_lab

N_TOPICS, N_DOCS = 40, 30
UNKNOWN = "inconclusive"


def _made():
    """Judgments with grades 0 to 3 of documents with ids in no order, and a run that ranks them."""
    rng = np.random.default_rng(8)
    qrels, run = {}, {}
    for t in range(N_TOPICS):
        docs = [f"doc-{n:06}" for n in rng.choice(900_000, N_DOCS, replace=False).tolist()]
        grades = rng.choice([0, 0, 0, 1, 2, 3], N_DOCS).tolist()
        qrels[f"q{t}"] = dict(zip(docs, grades, strict=True))
        qrels[f"q{t}"][docs[0]] = 3
        scores = np.array(grades) + rng.normal(0, 0.7, N_DOCS)
        run[f"q{t}"] = dict(zip(docs, scores.tolist(), strict=True))
    return qrels, run


QRELS, GOOD = _made()


def rows_of(run, first_rank=1):
    """The run as rows with ranks."""
    rows = [
        (topic, doc, run[topic][doc], rank)
        for topic in run
        for rank, doc in enumerate(sorted(run[topic], key=run[topic].get, reverse=True), first_rank)
    ]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "rank"])


def noisy(run, size=0.05):
    """The run with scores that are a little different."""
    rng = np.random.default_rng(3)
    return {t: {d: s + rng.normal(0, size) for d, s in docs.items()} for t, docs in run.items()}


def shifted(n, run):
    """The documents of the first topics, each under the next of these topics."""
    topics = list(run)[:n]
    return run | {a: run[b] for a, b in zip(topics, topics[1:] + topics[:1], strict=True)}


def copied(run, every=2):
    """The documents of a topic under the next one, too, in each so manyth pair."""
    topics = list(run)
    pairs = list(zip(topics[::2], topics[1::2], strict=True))[:: every // 2]
    return run | {b: run[a] for a, b in pairs}


def but_one(damaged, run):
    """The damaged run, but for its first topic."""
    first = next(iter(run))
    return damaged | {first: run[first]}


def renamed(change, run, every=1):
    """Other ids for each so manyth document."""
    return {
        topic: {doc if i % every else change(doc): s for i, (doc, s) in enumerate(docs.items())}
        for topic, docs in run.items()
    }


def twice(run):
    """Two runs in one file."""
    return pd.concat([rows_of(run), rows_of(noisy(run, 2))], ignore_index=True)


def without_first(n, run):
    """The rows of a run without the first of each topic."""
    rows = rows_of(run)
    return rows[rows["rank"] > n]


def by_ids(run, reverse=False):
    """Documents in the order of their ids, with the numbers of the rows for scores."""
    return {
        topic: {doc: -float(i) for i, doc in enumerate(sorted(docs, reverse=reverse))}
        for topic, docs in run.items()
    }


DAMAGES = {
    "all topics but one are shifted": (shifted(39, GOOD), "other-topic"),
    "a tenth of the topics is shifted": (shifted(4, GOOD), "other-topic"),
    "half of the topics have the documents of the one before": (copied(GOOD), "other-topic"),
    "a quarter of the topics has": (copied(GOOD, 4), "other-topic"),
    "U+200B": (renamed(lambda doc: doc[:3] + "\u200b" + doc[3:], GOOD, 3), "changed-ids"),
    "U+00AD": (renamed(lambda doc: doc + "\u00ad", GOOD, 2), "changed-ids"),
    "a hyphen": (renamed(lambda doc: doc.replace("-", ""), GOOD, 2), "changed-ids"),
    "a full stop": (renamed(lambda doc: doc + ".", GOOD, 2), "changed-ids"),
    "a character less": (renamed(lambda doc: doc[:-1], GOOD, 2), "changed-ids"),
    "a character more": (renamed(lambda doc: doc + "x", GOOD, 2), "changed-ids"),
    "a prefix": (renamed(lambda doc: "corpus/" + doc, GOOD, 2), "changed-ids"),
    "a suffix": (renamed(lambda doc: doc + ".html", GOOD, 2), "changed-ids"),
    "a prefix lost": (renamed(lambda doc: doc[2:], GOOD, 2), "changed-ids"),
    "two runs in one file": (twice(GOOD), "repeats"),
    "the first rows of each topic are lost": (without_first(3, GOOD), "ranks-begin-late"),
    "the order of ids": (by_ids(GOOD), "id-order"),
    "the order of ids but for one topic": (but_one(by_ids(GOOD), GOOD), "id-order"),
    "the falling order of ids": (by_ids(GOOD, reverse=True), "id-order"),
}


@pytest.mark.parametrize("what", DAMAGES)
@pytest.mark.filterwarnings("ignore")
def test_a_gate_on_a_damaged_baseline_never_passes(what):
    baseline, code = DAMAGES[what]
    assert irpref_lab.gate("AP", QRELS, GOOD, noisy(GOOD)).verdict == "pass"
    decision = irpref_lab.gate("AP", QRELS, baseline, noisy(GOOD))
    assert decision.verdict == UNKNOWN
    assert code in decision["codes"].item().split(", ")
    assert irpref_lab.gate("AP", QRELS, noisy(GOOD), baseline).verdict != "pass"


@pytest.mark.parametrize("what", DAMAGES)
@pytest.mark.filterwarnings("ignore")
def test_a_claim_rests_on_no_shifted_topics_and_no_changed_ids(what):
    damaged, code = DAMAGES[what]
    compared = irpref_lab.compare("AP", QRELS, damaged, GOOD)
    claimed = compared["verdict"].item() != "cannot tell"
    assert claimed == (code not in ("other-topic", "changed-ids"))


@pytest.mark.parametrize("what", DAMAGES)
@pytest.mark.filterwarnings("ignore")
def test_evidence_names_the_damage(what):
    damaged, code = DAMAGES[what]
    rows = irpref.evidence(["AP"], QRELS, {"one": GOOD, "two": damaged})
    assert rows.loc[rows["code"] == code, "run"].unique().tolist() == ["two"]


# ------------------------------------------------------------------------------- users who are right


def _sparse():
    """One relevant document a topic and no other judgment, which most runs do not have at rank
    1.
    """
    rng = np.random.default_rng(2)
    qrels = {f"q{t}": {f"r{t * 7919 % 1000:03}": 1} for t in range(60)}
    run = {}
    for topic, docs in qrels.items():
        found = [f"x{n}" for n in rng.choice(10_000, 12, replace=False).tolist()]
        place = int(rng.choice([0, 0, 1, 3, 8, 12]))
        found[place:place] = docs
        run[topic] = {doc: -float(i) for i, doc in enumerate(found)}
    return qrels, run


def _variants():
    """Four variants of each query, which share documents and judgments, as user query variants."""
    names = {f"{topic}-{variant}": topic for topic in QRELS for variant in "abcd"}
    qrels, run = ({n: table[topic] for n, topic in names.items()} for table in (QRELS, GOOD))
    return qrels, run


def _queries_that_are_documents(run):
    """The rows of a run from which a tool took the query itself, which was first everywhere."""
    return rows_of(run, first_rank=2)


def _fused(run):
    """Reciprocal-rank fusion of two rankings, with ties."""
    first, second = rows_of(run), rows_of(noisy(run, 1))
    both = pd.concat([first, second], ignore_index=True)
    both["score"] = 1 / (60 + both["rank"])
    return both.groupby(["query_id", "doc_id"], as_index=False)["score"].sum()


def _cut_to(n, run):
    """A first stage cut to so many documents."""
    return rows_of(run)[lambda rows: rows["rank"] <= n].drop(columns="rank")


def _weak(run):
    """A run that puts unpooled documents, and those of one topic, first for every third topic."""
    hub = sorted(run["q0"])[:4]
    out = {}
    for t, (topic, docs) in enumerate(run.items()):
        strange = [*hub, *(f"new-{t}-{i}" for i in range(7))] if t % 3 == 1 else []
        out[topic] = docs | {doc: 100.0 - i for i, doc in enumerate(strange)}
    return out


def _diverse(run):
    """A run of many aspects: two new documents first, then the others in no order."""
    rng = np.random.default_rng(5)
    return {
        topic: {
            doc: -float(i)
            for i, doc in enumerate([f"x{t}", f"y{t}", *rng.permutation([*docs]).tolist()])
        }
        for t, (topic, docs) in enumerate(run.items())
    }


def _whole(run):
    """Whole numbers for scores: a grader's points."""
    return {t: {d: float(round(2 * s)) for d, s in docs.items()} for t, docs in run.items()}


SPARSE, FOUND = _sparse()
VARIANTS = _variants()
ONE_SCORE = {topic: dict.fromkeys(docs, 1.0) for topic, docs in GOOD.items()}
FIRST = {topic: [max(docs, key=docs.get)] for topic, docs in GOOD.items()}
REREAD = irpref.run(twice(GOOD), repeats="first")
RIGHT = {
    "sparse judgments": (SPARSE, FOUND, noisy(FOUND, 0.3), ["RR@10", "P@1", "R@10"]),
    "variants of queries": (*VARIANTS, VARIANTS[1], ["AP", "nDCG@10"]),
    "weak and unpooled runs": (QRELS, _weak(GOOD), GOOD, ["AP", "nDCG@20"]),
    "a run of many aspects": (QRELS, _diverse(GOOD), GOOD, ["AP"]),
    "equal scores in both runs": (QRELS, ONE_SCORE, ONE_SCORE, ["P@10", "AP"]),
    "the order of ids in both runs": (QRELS, by_ids(GOOD), by_ids(GOOD), ["P@10", "AP"]),
    "sets, written in the order of ids": (QRELS, by_ids(GOOD), GOOD, ["SetP", "SetR"]),
    "whole numbers for scores": (QRELS, _whole(GOOD), _whole(noisy(GOOD)), ["AP", "nDCG@10"]),
    "reciprocal-rank fusion": (QRELS, _fused(GOOD), _fused(noisy(GOOD)), ["AP", "nDCG@10"]),
    "a first stage cut to ten": (QRELS, _cut_to(10, GOOD), _cut_to(10, noisy(GOOD)), ["nDCG@10"]),
    "queries that are documents": (
        QRELS,
        _queries_that_are_documents(GOOD),
        _queries_that_are_documents(noisy(GOOD)),
        ["AP"],
    ),
    "documents that were excluded": (
        QRELS,
        *(irpref.run(rows_of(run), exclude=FIRST) for run in (GOOD, noisy(GOOD))),
        ["AP"],
    ),
    "ranks from 0": (QRELS, rows_of(GOOD, first_rank=0), rows_of(noisy(GOOD)), ["AP"]),
    "repeated documents, read so": (QRELS, REREAD, noisy(GOOD), ["AP"]),
    "a chosen last row": (QRELS, irpref.run(twice(GOOD), repeats="last"), GOOD, ["AP"]),
    "a row written twice": (
        QRELS,
        pd.concat([rows_of(GOOD), rows_of(GOOD)], ignore_index=True),
        noisy(GOOD),
        ["AP"],
    ),
}


@pytest.mark.parametrize("who", RIGHT)
@pytest.mark.filterwarnings("ignore")
def test_who_is_right_passes(who):
    qrels, baseline, candidate, measures = RIGHT[who]
    decision = irpref_lab.gate(measures, qrels, baseline, candidate, margin=0.05)
    assert (decision.verdict, decision["codes"].unique().tolist()) == ("pass", [""])
    compared = irpref_lab.compare(measures, qrels, baseline, candidate)
    assert "cannot tell" not in compared["verdict"].tolist()


def test_a_verdict_says_where_ids_decide_and_it_would_be_the_same_without():
    coarse = {t: {d: float(s > 1) for d, s in docs.items()} for t, docs in GOOD.items()}
    said = "ids decide the order of tied documents of different grades in 100 % of the top tens"
    decision = irpref_lab.gate("nDCG@10", QRELS, coarse, GOOD)
    assert (decision.verdict, decision["codes"].item()) == ("pass", "")
    assert f"the baseline: {said}" in decision.notes
    assert f"b: {said}" in irpref_lab.compare("nDCG@10", QRELS, GOOD, coarse).notes
    assert not any("ids" in note for note in irpref_lab.gate("AP", QRELS, GOOD, GOOD).notes)


def test_numbered_documents_are_not_each_other_but_for_a_character():
    qrels = {f"q{t}": {f"d{i}": i % 3 for i in range(20)} for t in range(10)}
    run = {topic: {f"d{n}": -float(i) for i, n in enumerate((25, 3, 31, 4, 40))} for topic in qrels}
    assert "changed-ids" not in set(irpref.evidence(["AP"], qrels, {"a": run})["code"])


@pytest.mark.parametrize("repeats", ["last", "first", "best"])
def test_a_choice_of_the_row_that_counts_is_no_warning(recwarn, repeats):
    read = irpref.run(twice(GOOD), repeats=repeats)
    irpref.evidence(["AP"], QRELS, {"a": read})
    assert len(read) == N_TOPICS * N_DOCS
    assert not recwarn


@pytest.mark.parametrize("decide", [irpref_lab.gate, irpref_lab.compare])
def test_an_absent_run_is_told_how_its_ids_were_changed(decide):
    qrels = {f"{t}": {f"D{i}": i % 2 for i in range(8)} for t in range(1, 13)}
    run = {t: {d: -i for i, d in enumerate(docs)} for t, docs in qrels.items()}
    small = {t: {d.lower(): s for d, s in docs.items()} for t, docs in run.items()}
    long = {f"00{t}": docs for t, docs in run.items()}
    for damaged, example in ((small, "'d0' for 'D0'"), (long, "'001' for '1'")):
        with pytest.raises(irpref.errors.AbsentRunError, match=example):
            decide("AP", qrels, run, damaged)
