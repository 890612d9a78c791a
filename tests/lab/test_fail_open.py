"""No verdict rests on what is missing: everything that may be wrong with the inputs of a gate.

The candidate of every row is the baseline upside down, so a gate on whole data blocks it. A row
damages something; the gate must then block, say that it cannot tell, or refuse. A new row needs a
decision: what is the right answer?

Beside these are users who are right, and whom no rule may stop."""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path

import ir_measures
import numpy as np
import pytest

import irpref
import irpref_lab
from irpref.cli import main
from irpref.errors import MeasureError
from shells import qrels_text, run_text

N_TOPICS, N_DOCS = 40, 30
BLOCK, UNKNOWN, REFUSED = "block", "inconclusive", "refused"


def _made():
    """Judgments with grades 0 to 3, and a run that ranks them well."""
    rng = np.random.default_rng(5)
    qrels, run = {}, {}
    for t in range(N_TOPICS):
        grades = rng.choice([0, 0, 0, 1, 2, 3], N_DOCS)
        grades[:2] = 0, 3
        qrels[f"q{t}"] = {f"d{t}-{i}": int(grade) for i, grade in enumerate(grades)}
        scores = grades + rng.normal(0, 0.7, N_DOCS)
        run[f"q{t}"] = {f"d{t}-{i}": float(score) for i, score in enumerate(scores)}
    return qrels, run


QRELS, GOOD = _made()


def turned(run):
    """The run upside down."""
    return {topic: {doc: -score for doc, score in docs.items()} for topic, docs in run.items()}


def _noise():
    """A run that orders the documents at random."""
    rng = np.random.default_rng(6)
    return {
        topic: dict(zip(docs, rng.random(len(docs)).tolist(), strict=True))
        for topic, docs in GOOD.items()
    }


BAD = _noise()


def first(n, run):
    """The first topics of a run."""
    return dict(list(run.items())[:n])


def top(n, run):
    """The first documents of each topic."""
    return {
        topic: dict(sorted(docs.items(), key=lambda item: -item[1])[:n])
        for topic, docs in run.items()
    }


def graded(grade_of):
    """The judgments with other grades."""
    return {
        topic: {doc: grade_of(grade) for doc, grade in docs.items()}
        for topic, docs in QRELS.items()
    }


def renamed(table):
    """Other document ids."""
    return {
        topic: {f"chunk-{doc}": value for doc, value in docs.items()}
        for topic, docs in table.items()
    }


def moved(table):
    """Other topics."""
    return {f"topic-{topic}": docs for topic, docs in table.items()}


def unjudged(run):
    """Ten documents that nobody judged before those of a run."""
    return {topic: {f"x{i}": 100.0 - i for i in range(10)} | docs for topic, docs in run.items()}


def changed(change, share, run):
    """The ids of a run, so many of them changed."""
    draw = np.random.default_rng(1)
    return {
        topic: {change(doc) if draw.random() < share else doc: score for doc, score in docs.items()}
        for topic, docs in run.items()
    }


# What tools do to ids.
CHANGES = {
    "case": str.upper,
    "a suffix": lambda doc: f"{doc}#1",
    "another suffix": lambda doc: f"{doc}_1",
    "a blank": lambda doc: f"{doc} ",
    "percent-encoding": lambda doc: doc.replace("-", "%2D"),
}
OF_NUMBERS = {"leading zeros": lambda doc: f"00{doc}", "a '.0'": lambda doc: f"{doc}.0"}


def constant(run):
    """The same score for all documents."""
    return {topic: dict.fromkeys(docs, 1.0) for topic, docs in run.items()}


COUNTS = ("NumQ", "NumRel", "NumRet", "NumPrefs", "NumPrefsFulfilled")
BINARY = ("AP", "P@10", "R@10", "RR", "Bpref", "Rprec", "SetP", "Success@1", "infAP", "EMeasure")
# What is wrong: judgments, baseline, measure, and what the gate may say.
WRONG = {
    "nothing": (QRELS, GOOD, "AP", {BLOCK}),
    "the baseline is empty": (QRELS, {}, "AP", {REFUSED}),
    "the baseline has empty topics": (QRELS, {topic: {} for topic in GOOD}, "AP", {REFUSED}),
    "the baseline ends after 5 topics": (QRELS, first(5, GOOD), "AP", {BLOCK, UNKNOWN}),
    "the baseline ends after 1 topic": (QRELS, first(1, GOOD), "AP", {UNKNOWN}),
    "the baseline lacks a tenth of the topics": (QRELS, first(36, GOOD), "AP", {BLOCK}),
    "the baseline has other ids": (QRELS, renamed(GOOD), "AP", {REFUSED}),
    "the baseline has other topics": (QRELS, moved(GOOD), "AP", {REFUSED}),
    "the baseline is a tenth of one ranking": (QRELS, top(3, GOOD), "AP", {BLOCK, UNKNOWN}),
    "the baseline is ten deep, measured at 30": (QRELS, top(5, GOOD), "R@30", {UNKNOWN}),
    "the baseline's first ten are unjudged": (QRELS, unjudged(GOOD), "P@10", {UNKNOWN}),
    **{
        f"no document is judged non-relevant, and {measure} leaves out the others": (
            {topic: {doc: 1 for doc, g in docs.items() if g} for topic, docs in QRELS.items()},
            GOOD,
            measure,
            {UNKNOWN},
        )
        for measure in ("Bpref", "RPref(max_rel=3)")
    },
    **{
        f"{share:.0%} of the baseline's ids differ in {name}": (
            QRELS,
            changed(change, share, GOOD),
            "AP",
            {UNKNOWN},
        )
        for name, change in CHANGES.items()
        for share in (0.5, 0.7, 0.96)
    },
    "both runs have other ids": (renamed(QRELS), GOOD, "AP", {REFUSED}),
    "the qrels have other topics": (moved(QRELS), GOOD, "AP", {REFUSED}),
    "no grade is positive": (graded(lambda g: 0), GOOD, "AP", {REFUSED}),
    "no grade reaches rel": (graded(lambda g: min(g, 2)), GOOD, "AP(rel=3)", {UNKNOWN}),
    "all gains are 0": (QRELS, GOOD, "nDCG(gains={1:0,2:0,3:0})", {UNKNOWN}),
    "ratings are .8 and 0": (graded(lambda g: 0.8 * (g > 0)), GOOD, "AP", {UNKNOWN}),
    **{
        f"grades begin at 1, and {measure}": (graded(lambda g: g + 1), GOOD, measure, {UNKNOWN})
        for measure in BINARY
    },
    **{f"{measure} is a count": (QRELS, GOOD, measure, {REFUSED}) for measure in COUNTS},
    "Judged is no measure of quality": (QRELS, GOOD, "Judged@10", {REFUSED}),
    "there is one topic": (first(1, QRELS), first(1, GOOD), "AP", {REFUSED}),
    "there are four topics": (first(4, QRELS), first(4, GOOD), "AP", {UNKNOWN}),
}


def verdict(qrels, baseline, candidate, measure, **more):
    """What the gate says."""
    try:
        return irpref_lab.gate(measure, qrels, baseline, candidate, **more).verdict
    except ValueError:
        return REFUSED


@pytest.mark.parametrize("what", WRONG)
@pytest.mark.filterwarnings("ignore")
def test_what_is_wrong_never_passes(what):
    qrels, baseline, measure, allowed = WRONG[what]
    assert verdict(qrels, baseline, BAD, measure) in allowed


@pytest.mark.parametrize("what", WRONG)
@pytest.mark.filterwarnings("ignore")
def test_no_claim_of_a_comparison_rests_on_what_is_wrong(what):
    qrels, baseline, measure, allowed = WRONG[what]
    for one, two, better in ((baseline, BAD, "b better"), (BAD, baseline, "a better")):
        try:
            found = irpref_lab.compare(measure, qrels, one, two)
        except ValueError:
            continue
        assert found["verdict"].item() != better
        if allowed == {UNKNOWN} and len(qrels) > 4:
            assert not found["verdict"].item().endswith("better")
            assert (found["verdict"].item() == "cannot tell") == found["p"].isna().item()


@cache
def _sparse_with_ids(relevant, other):
    """Sparse judgments and a baseline whose ids have these words, and a worse run, which a gate
    blocks.
    """

    def with_ids(table):
        return {
            topic: {doc.replace("r", relevant).replace("x", other): v for doc, v in docs.items()}
            for topic, docs in table.items()
        }

    qrels, baseline, _ = map(with_ids, _sparse())
    worse = {
        topic: {doc: score for doc, score in docs.items() if t % 4 or doc not in qrels[topic]}
        for t, (topic, docs) in enumerate(baseline.items())
    }
    assert verdict(qrels, baseline, worse, "RR@10") == BLOCK
    return qrels, baseline, worse


@pytest.mark.parametrize("change", [*CHANGES, *OF_NUMBERS])
@pytest.mark.parametrize("share", [0.5, 0.96, "of half of the topics"])
@pytest.mark.filterwarnings("ignore")
def test_changed_ids_are_found_where_few_documents_are_judged(change, share):
    words = ("r-", "x-") if change in CHANGES else ("1", "2")
    qrels, baseline, worse = _sparse_with_ids(*words)
    made = (CHANGES | OF_NUMBERS)[change]
    some = changed(made, share if isinstance(share, float) else 1, baseline)
    if not isinstance(share, float):
        some = {topic: some[topic] if t % 2 else baseline[topic] for t, topic in enumerate(some)}
    decision = irpref_lab.gate("RR@10", qrels, some, worse)
    assert (decision.verdict, decision["codes"].item()) == (UNKNOWN, "changed-ids"), decision.text
    assert "only in" in decision.text
    assert "changed-ids" in decision["topics_by_code"].item()
    compared = irpref_lab.compare("RR@10", qrels, some, worse)
    assert compared["verdict"].item() == "cannot tell"


def test_a_baseline_without_an_order_is_no_baseline_unless_order_does_not_count():
    for runs in (constant(GOOD), constant(first(25, GOOD)) | dict(list(GOOD.items())[25:])):
        decision = irpref_lab.gate("P@10", QRELS, runs, GOOD, depth=20)
        assert (decision.verdict, decision["codes"].item()) == (UNKNOWN, "equal-scores")
        assert "the baseline" in decision.text
        assert verdict(QRELS, runs, GOOD, "SetP") == "pass"
    assert verdict(QRELS, constant(GOOD), constant(GOOD), "P@10") == "pass"  # a change of nothing
    assert verdict(QRELS, GOOD, constant(GOOD), "P@10") == BLOCK
    compared = irpref_lab.compare("P@10", QRELS, constant(GOOD), GOOD)
    found = compared.evidence.set_index("code").loc["equal-scores"]
    assert (found["run"], found["topics"]) == ("a", N_TOPICS)
    assert any("scores of a are" in note for note in compared.notes)
    few = constant(first(15, GOOD)) | dict(list(GOOD.items())[15:])
    assert irpref_lab.gate("P@10", QRELS, few, GOOD)["codes"].item() == ""


def of_another_kind(doc):
    """An id of its own for each document, as an index of another kind has them."""
    return hashlib.sha256(doc.encode()).hexdigest()[:12]


# What cannot be seen in any table: a document with another id looks like one that nobody judged, and
# so does what a system of another kind retrieves. `unjudged_baseline` says how many there are, and
# `could_turn` that they decide.
@pytest.mark.parametrize("share", [0.6, 0.7, 0.8])
def test_ids_of_other_documents_pass_and_the_table_shows_it(share):
    decision = irpref_lab.gate("AP", QRELS, changed(of_another_kind, share, GOOD), BAD)
    assert (decision.verdict, decision["codes"].item()) == ("pass", "")
    assert decision["unjudged_baseline"].item() > share - 0.1
    assert decision["could_turn"].item()


@pytest.mark.parametrize(("other", "said"), [("same", True), ("better", False)])
def test_a_claim_says_whether_it_rests_on_topics_that_a_run_lacks(other, said):
    qrels = {f"q{t}": {"a": 1, "b": 0} for t in range(200)}
    full = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    lacking = {t: docs if other == "same" else {"b": 1.0, "a": 0.0} for t, docs in full.items()}
    for t in range(9):
        del lacking[f"q{t}"]
    for runs, better in (((lacking, full), "b better"), ((full, lacking), "a better")):
        comparison = irpref_lab.compare("RR", qrels, *runs)
        assert comparison["verdict"].item() == better
        sentence = "On the 191 topics that both answer, this is not shown."
        assert (sentence in comparison.text.replace("\n", " ")) == said
        found = irpref_lab.against("RR", qrels, "one", dict(zip(("one", "two"), runs, strict=True)))
        assert found["differs"].tolist()[1]
        assert (f"two, RR: {sentence[0].lower()}{sentence[1:-1]}" in found.notes) == said


def test_a_topic_that_the_candidate_does_not_answer_is_no_gain():
    # nCRP of an empty ranking is 0, and below it for a ranking that is worse than chance.
    candidate = {topic: docs for t, (topic, docs) in enumerate(BAD.items()) if t % 2}
    found = irpref_lab.gate("nCRP", QRELS, BAD, candidate)
    assert found["difference"].item() >= 0  # lower is better
    assert (found["missing_candidate"].item(), found["left_out"].item()) == (N_TOPICS / 2, 0)


@pytest.mark.parametrize("measure", ["P@10", "nDCG@10", "RR@10", "Success@5"])
def test_judged_documents_below_the_cutoff_are_no_evidence(measure):
    relevant = {topic: {doc: g for doc, g in docs.items() if g} for topic, docs in QRELS.items()}
    k = measure.partition("@")[2]
    for qrels, candidate in ((QRELS, unjudged(BAD)), (relevant, BAD)):
        decision = irpref_lab.gate(measure, qrels, unjudged(GOOD), candidate)
        assert decision.verdict == UNKNOWN
        assert "unseen" in decision["codes"].item()
        assert f"in its first {k} " in decision.text
    assert irpref_lab.gate("nDCG@20", QRELS, unjudged(GOOD), unjudged(GOOD)).verdict == "pass"


# ------------------------------------------------------------------------------- users who are right


def _sparse():
    """One relevant document a topic, which 38 % of the runs' first ten have, as in MS MARCO."""
    rng = np.random.default_rng(1)
    qrels = {f"q{t}": {f"r{t}": 1} for t in range(200)}
    runs = []
    for shift in (0, 1):
        run = {}
        for t in range(200):
            docs = [f"x{t}-{i}" for i in range(10)]
            if (t + shift) % 200 < 76:
                docs[int(rng.integers(0, 4))] = f"r{t}"
            run[f"q{t}"] = {doc: -float(i) for i, doc in enumerate(docs)}
        runs.append(run)
    return qrels, *runs


def _golden():
    """A golden set with hard negatives: recall is 1 on 34 of 40 topics."""
    qrels = {f"q{t}": {f"r{t}": 1, **{f"n{t}-{i}": 0 for i in range(4)}} for t in range(40)}
    run = {
        f"q{t}": {doc: -float(i) for i, doc in enumerate(docs)}
        for t in range(40)
        for docs in [[f"n{t}-0", *([f"r{t}"] if t < 34 else []), f"n{t}-1", f"x{t}", f"y{t}"]]
    }
    return qrels, run, {**run, "q1": {"r1": 1.0, "n1-0": 0.0, "z": -1.0, "y": -2.0, "x": -3.0}}


def _relevant_only():
    """Grades 1 and 2 and none of 0, a quarter of the first ten judged, as in NFCorpus."""
    rng = np.random.default_rng(3)
    qrels, one, two = {}, {}, {}
    for t in range(60):
        docs = [f"r{t}-{i}" for i in range(12)]
        qrels[f"q{t}"] = {doc: int(rng.integers(1, 3)) for doc in docs}
        order = [docs[i] if i < 6 and i % 2 == 0 else f"x{t}-{i}" for i in range(50)]
        one[f"q{t}"] = {doc: -float(i) for i, doc in enumerate(order)}
        two[f"q{t}"] = dict(one[f"q{t}"]) | ({order[1]: 0.5} if t % 30 == 0 else {})
    return qrels, one, two


def _unanswerable():
    """A fifth of the queries has no answer in the collection."""
    qrels = {t: docs for t, docs in QRELS.items()}
    for t in range(0, N_TOPICS, 5):
        qrels[f"q{t}"] = dict.fromkeys(QRELS[f"q{t}"], 0)
    return qrels, GOOD, GOOD | {"q1": {doc: s + (s > 2) for doc, s in GOOD["q1"].items()}}


def _few_answers():
    """Some queries have three documents in either run, which measures look at ten of."""
    run = GOOD | {topic: docs for topic, docs in top(3, GOOD).items() if int(topic[1:]) % 5 == 0}
    return QRELS, run, run


RIGHT = {
    "sparse judgments, runs ten deep": (_sparse(), ["RR@10", "nDCG@10", "R@10", "AP"], 0.1),
    "a golden set with hard negatives": (_golden(), ["R@5", "RR"], 0.2),
    "relevant documents only": (_relevant_only(), ["AP", "nDCG@10", "R@50"], 0.02),
    "a fifth of unanswerable queries": (_unanswerable(), ["AP", "nDCG@10"], 0.02),
    "equal runs": ((QRELS, GOOD, GOOD), ["AP", "nDCG@10", "RPref(max_rel=3)"], 0.0001),
    "the same run under other scores": (
        (QRELS, GOOD, {q: {d: 2 * s for d, s in docs.items()} for q, docs in GOOD.items()}),
        ["AP"],
        0.0001,
    ),
    "queries with few answers": (_few_answers(), ["nDCG@10", "P@10", "AP"], 0.0001),
    "a threshold that some topics do not reach": (
        (QRELS | {f"q{t}": dict.fromkeys(QRELS[f"q{t}"], 1) for t in range(7)}, GOOD, GOOD),
        ["AP(rel=3)", "P(rel=3)@10"],
        0.02,
    ),
    "a threshold that half of the topics do not reach": (
        (QRELS | {f"q{t}": {f"d{t}-0": 1, f"d{t}-1": 0} for t in range(23)}, GOOD, GOOD),
        ["AP(rel=2)"],
        0.02,
    ),
    "a candidate that is better": ((QRELS, BAD, GOOD), ["AP", "P@10", "RR", "Bpref"], 0.02),
}


@pytest.mark.parametrize("who", RIGHT)
@pytest.mark.filterwarnings("ignore")
def test_who_is_right_passes(who):
    (qrels, baseline, candidate), measures, margin = RIGHT[who]
    found = irpref_lab.gate(measures, qrels, baseline, candidate, margin=margin)
    assert (found.verdict, found["codes"].unique().tolist()) == ("pass", [""]), found.text
    compared = irpref_lab.compare(measures, qrels, baseline, candidate)
    assert "cannot tell" not in compared["verdict"].tolist()


@pytest.mark.parametrize(
    ("collection", "measures"),
    [("dl19-passage", ["AP(rel=3)", "P(rel=3)@10"]), ("robust03", ["AP(rel=2)", "P(rel=2)@10"])],
)
@pytest.mark.filterwarnings("ignore")
def test_thresholds_that_some_topics_do_not_reach_pass_on_real_runs(data_dir, collection, measures):
    home = data_dir / collection
    qrels = irpref.judgments(home / "qrels" / "qrels.txt.gz")
    run = irpref.read_run(max((home / "runs").iterdir(), key=lambda path: path.stat().st_size))
    gate = irpref_lab.gate(measures, qrels, run, run)
    assert (gate.verdict, gate["codes"].unique().tolist()) == ("pass", [""])
    assert gate["left_out"].max() > 0  # out of reach for 16 % and 57 % of the topics


@pytest.mark.filterwarnings("ignore")
def test_judgments_without_a_non_relevant_document_pass(data_dir):
    """NFCorpus: grades of 1 and 2 alone, of a part of what runs retrieve."""
    path = next((data_dir / "nfcorpus-test" / "qrels").iterdir())
    qrels = irpref.judgments(path)
    table = qrels.frame()
    assert table["relevance"].min() > 0
    baseline, candidate = {}, {}
    for topic, rows in table.groupby("query_id"):
        relevant = rows["doc_id"].tolist()[:4]
        docs = [
            one for number, doc in enumerate(relevant) for one in (doc, f"x{number}", f"y{number}")
        ]
        baseline[topic] = {doc: -float(rank) for rank, doc in enumerate(docs)}
        candidate[topic] = baseline[topic] | {docs[0]: 1.0}
    gate = irpref_lab.gate(["nDCG@10", "AP", "R@10", "RR"], qrels, baseline, candidate)
    assert (gate.verdict, gate["codes"].unique().tolist()) == ("pass", [""])


# ---------------------------------------------------------- files, and what interrupts the command


def cut(text):
    """The text up to the middle of its middle line."""
    return text[: text.index("\n", len(text) // 2) + 3]


DAMAGES = {
    "absent": None,
    "empty": lambda text: "",
    "cut in the middle": cut,
    "cut at the end of a line": lambda text: cut(text).rpartition("\n")[0] + "\n",
    "other ids": lambda text: text.replace(" d", " other"),
    "half of the ids in other case": lambda text: "".join(
        line.upper().replace("Q", "q") if number % 2 else line
        for number, line in enumerate(text.splitlines(keepends=True))
    ),
    "other topics": lambda text: text.replace("q", "topic"),
    "unreadable": lambda text: "\x00\xff" + text[1:],
    "NaN": lambda text: text.replace(text.split("\n")[5].split()[-2], "nan", 1),
}
# What cannot be seen: a file that ends at the end of a line looks whole. Judgments and a judge's
# grades are then what is left of them (`--expect` finds it); a run lacks topics, and groups refuse.


def write_inputs(folder: Path) -> None:
    """Write the files of a gate that blocks."""
    groups = "".join(f"{topic} {'odd' if t % 2 else 'even'}\n" for t, topic in enumerate(QRELS))
    judge = graded(lambda g: g)
    for name, text in (
        ("qrels", qrels_text(QRELS)),
        ("baseline", run_text(GOOD)),
        ("candidate", run_text(BAD)),
        ("judge", qrels_text(judge)),
        ("groups", groups),
    ):
        (folder / name).write_text(text)


@pytest.fixture
def inputs(tmp_path, monkeypatch) -> Path:
    """A folder with the files of a gate that blocks."""
    monkeypatch.chdir(tmp_path)
    write_inputs(tmp_path)
    return tmp_path


COMMAND = ("gate", "qrels", "baseline", "candidate", "AP", "nDCG@10")


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("what", ["qrels", "baseline", "candidate", "judge", "groups"])
@pytest.mark.filterwarnings("ignore")
def test_a_damaged_file_never_passes(inputs, capsys, what, damage):
    change: Callable[[str], str] | None = DAMAGES[damage]
    path = inputs / what
    if change is None:
        path.unlink()
    else:
        path.write_bytes(change(path.read_text()).encode("latin-1"))
    more = [f"--{what}", what] if what in ("judge", "groups") else []
    status = main([*COMMAND, *more])
    capsys.readouterr()
    assert status in (1, 2, 3)


ON_A_SAMPLE = [
    "gate",
    *("human", "baseline", "candidate", "DCG@10", "--judge", "judge", "--sample", "plan"),
]


@pytest.fixture(scope="session")
def drawn(tmp_path_factory) -> Path:
    """The files of a gate on a sample that blocks: humans judged the first 200 documents; and
    plans of other runs and of other grades.
    """
    folder = tmp_path_factory.mktemp("drawn")
    write_inputs(folder)
    runs = {"baseline": GOOD, "candidate": BAD}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        plan = irpref_lab.sample("DCG@10", None, "judge", runs, 200, looks=[200], rng=1)
        plan.save("plan")
        first_200 = plan.iloc[:200]
        grades = {}
        for topic, doc in zip(first_200["query_id"], first_200["doc_id"], strict=True):
            grades.setdefault(topic, {})[doc] = QRELS[topic][doc]
        (folder / "human").write_text(qrels_text(grades))
        assert main(ON_A_SAMPLE) == 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            others = {"one": top(3, GOOD), "two": top(3, turned(GOOD))}
            irpref_lab.sample("DCG@10", None, "judge", others, 50, rng=2).save("plan-2")
            other = graded(lambda g: 3 - g)
            irpref_lab.sample("DCG@10", None, other, runs, 200, rng=1).save("plan-3")
    return folder


@pytest.fixture
def sample(inputs, drawn) -> list[str]:
    """The command of a gate on a sample that blocks."""
    shutil.copytree(drawn, inputs, dirs_exist_ok=True)
    return ON_A_SAMPLE


@pytest.mark.parametrize(
    ("grade_of", "measure", "code"),
    [
        (lambda g: g + 1, "P@10", "blind"),
        (lambda g: 0.8 * (g > 0), "P@10", "out-of-reach"),
        (lambda g: g, "P(rel=4)@10", "out-of-reach"),
        (lambda g: 0, "P@10", "unanswerable"),
        (lambda g: g + 1, "DCG@10", ""),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_sample_whose_grades_count_the_same_never_passes(grade_of, measure, code):
    plan = irpref_lab.sample("DCG@10", None, QRELS, {"good": GOOD, "bad": BAD}, 200, rng=1)
    grades, judged = graded(grade_of), {}
    for topic, doc in plan[["query_id", "doc_id"]].iloc[:200].itertuples(index=False):
        judged.setdefault(topic, {})[doc] = grades[topic][doc]
    sample = irpref_lab.sampled(judged, QRELS, plan)
    decision = irpref_lab.gate(measure, sample, GOOD, BAD)
    assert decision.verdict == (UNKNOWN if code else BLOCK), decision.text
    comparison = irpref_lab.compare(measure, sample, GOOD, BAD)
    assert decision["codes"].item() == comparison["codes"].item() == code
    assert comparison["verdict"].item() == ("cannot tell" if code else "a better")
    assert ("not show yet" in comparison.text) == bool(code)
    for found in (decision, comparison):
        assert np.isnan(found["low_judged"].item()) == bool(code)
    board = irpref_lab.leaderboard([measure], sample, {"good": GOOD, "bad": BAD})
    assert board["letters"].isna().all() == board["place"].isna().all() == bool(code)
    assert board.pairs["p"].isna().item() == board.pairs["low_judged"].isna().item() == bool(code)
    assert board["codes"].unique().tolist() == [code]
    assert any(f"{measure}: cannot tell, " in note for note in board.notes) == bool(code)


OF_PLAN = DAMAGES | {
    "other ids": lambda text: text.replace("\td", "\tother"),
    "other topics": lambda text: text.replace("\tq", "\ttopic"),
    "NaN": lambda text: text.replace(text.splitlines()[20].split("\t")[3], "nan", 1),
    "of other runs": lambda text: Path("plan-2").read_text(),
    "of other grades": lambda text: Path("plan-3").read_text(),
}


@pytest.mark.parametrize("damage", OF_PLAN)
@pytest.mark.parametrize("what", ["plan", "human", "judge", "baseline", "candidate"])
@pytest.mark.filterwarnings("ignore")
def test_a_damaged_sample_never_passes(inputs, sample, capsys, what, damage):
    table = OF_PLAN if what == "plan" else DAMAGES
    if damage not in table:
        pytest.skip("of plans alone")
    change = table[damage]
    path = inputs / what
    if change is None:
        path.unlink()
    else:
        path.write_bytes(change(path.read_text()).encode("latin-1"))
    status = main(sample)
    capsys.readouterr()
    assert status in (1, 2, 3)


@pytest.mark.parametrize("what", ["qrels", "judge", "groups"])
@pytest.mark.parametrize("damage", ["cut at the end of a line", "another"])
def test_expect_finds_inputs_that_changed(inputs, capsys, what, damage):
    command = [*COMMAND, "-o", "jsonl", "--judge", "judge", "--groups", "groups"]
    (inputs / "qrels").write_text(qrels_text(first(30, QRELS)))  # the judge fills the rest
    assert main(command) == 1
    expected = json.loads(capsys.readouterr().out.splitlines()[0])["inputs"]
    assert main([*command, "--expect", expected]) == 1
    text = (inputs / what).read_text()
    # The last line: of a topic that no human judged, or of a document that a human did.
    other = text[: text.rindex(text.split()[-1])] + ("odd" if what == "groups" else "2") + "\n"
    if other == text:
        other = text[: text.rindex(text.split()[-1])] + ("even" if what == "groups" else "1") + "\n"
    lost = text.rstrip("\n").rpartition("\n")[0] + "\n"
    (inputs / what).write_text(lost if damage.startswith("cut") else other)
    capsys.readouterr()
    assert main([*command, "--expect", expected]) == 2
    error = capsys.readouterr().err
    assert f"expected {expected}, got " in error or what == "groups"


def test_expect_finds_a_sample_that_changed(inputs, sample, capsys):
    def hashes(*more):
        capsys.readouterr()
        status = main([*sample, "-o", "jsonl", *more])
        out, err = capsys.readouterr()
        return status, [json.loads(line)["inputs"] for line in out.splitlines()], err

    _, (expected,), _ = hashes()
    assert hashes("--expect", expected)[0] == 1
    lines = (inputs / "human").read_text().splitlines(keepends=True)
    changed = lines[0][:-2] + ("1\n" if lines[0][-2] != "1" else "2\n")
    (inputs / "human").write_text("".join([changed, *lines[1:]]))
    status, _, error = hashes("--expect", expected)
    assert (status, f"expected {expected}, got " in error) == (2, True)
    (inputs / "human").write_text("".join(lines))
    runs = {"baseline": GOOD, "candidate": BAD}
    irpref_lab.sample("DCG@10", None, "judge", runs, 200, looks=[100, 200], rng=1).save("plan")
    status, _, error = hashes("--expect", expected)
    assert (status, f"expected {expected}, got " in error) == (2, True)


def end_with_a_number(path):
    """Cut a file within its last number, as far as one can see."""
    path.write_text(path.read_text().rstrip("\n").rpartition(" ")[0] + " 12")


@pytest.mark.parametrize("what", ["qrels", "baseline", "candidate", "judge"])
@pytest.mark.parametrize(
    "command",
    [
        ("gate", "qrels", "baseline", "candidate", "AP", "--judge", "judge"),
        ("eval", "qrels", "baseline", "candidate", "AP", "--strict"),
        ("check", "qrels", "baseline", "candidate", "AP", "--strict"),
        ("against", "qrels", "baseline", "candidate", "AP", "--strict"),
        ("leaderboard", "qrels", "baseline", "candidate", "AP", "--strict"),
        ("report", "qrels", "baseline", "candidate", "AP", "--strict"),
    ],
    ids=lambda command: command[0],
)
def test_a_file_whose_last_line_has_no_end_is_refused(inputs, capsys, command, what):
    if what not in command:
        pytest.skip("not read")
    end_with_a_number(inputs / what)
    status = main(list(command))
    assert status != 0
    assert "cut off?" in "".join(capsys.readouterr())


@pytest.mark.parametrize("command", ["against", "leaderboard", "report"])
@pytest.mark.filterwarnings("ignore")
def test_strict_refuses_a_run_that_answers_nothing(inputs, capsys, command):
    (inputs / "candidate-2").write_text(run_text(GOOD))
    (inputs / "lost").write_text(run_text(moved(BAD)))
    arguments = [command, "qrels", "baseline", "candidate-2", "lost", "AP"]
    assert main(arguments) == 0
    assert "none of the 40 " in capsys.readouterr().out
    assert main([*arguments, "--strict"]) != 0
    assert re.search("'lost': .* none of the 40 ", capsys.readouterr().err)


def test_python_refuses_a_file_whose_last_line_has_no_end(inputs):
    end_with_a_number(inputs / "candidate")
    with pytest.raises(irpref.errors.InputError, match="cut off") as error:
        irpref_lab.gate("AP", "qrels", "baseline", "candidate")
    assert error.value.path == "candidate"
    runs = {"baseline": "baseline", "candidate": "candidate"}
    for decide in (
        lambda **how: irpref_lab.leaderboard("AP", "qrels", runs, **how),
        lambda **how: irpref_lab.against("AP", "qrels", "baseline", {"b": "candidate"}, **how),
    ):
        with pytest.raises(irpref.errors.InputError, match="cut off"):
            decide(strict=True)
        with pytest.warns(irpref.CutWarning):
            decide()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("candidate", ["candidate", "baseline-copy", "of a sample"])
@pytest.mark.parametrize("how", ["interrupted", "closed output", "full disk"])
def test_an_interrupted_gate_never_passes(inputs, sample, candidate, how):
    (inputs / "baseline-copy").write_text(run_text(GOOD))
    arguments = sample if candidate == "of a sample" else [*COMMAND[:3], candidate, "AP"]
    command = [sys.executable, "-m", "irpref", *arguments, "-o", "jsonl"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    if how == "interrupted":
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode != 0
    elif how == "closed output":
        read, write = os.pipe()
        os.close(read)
        status = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, env=environment)
        os.close(write)
        # The verdict of equal runs is a pass, whether somebody reads it or not.
        assert status.returncode != 0 or candidate == "baseline-copy"
    else:
        if not Path("/dev/full").exists():
            pytest.skip("no /dev/full")
        with open("/dev/full", "wb") as full:
            status = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=environment)
        assert status.returncode == 2


@pytest.mark.parametrize(
    "text", ["import sys\nsys.exit(0)\n", "raise GeneratorExit\n", "raise BaseException\n"]
)
def test_a_module_that_exits_is_an_error(inputs, capsys, text):
    (inputs / "leaves.py").write_text(text)
    assert main([*COMMAND, "--import", "leaves.py"]) == 2
    assert "leaves.py" in capsys.readouterr().err


def test_a_measure_that_exits_is_an_error():
    leaves = ir_measures.define_byquery(lambda qrels, run: sys.exit(0), name="Leaves")
    with pytest.raises(MeasureError, match="ended the process"):
        irpref_lab.gate([leaves], QRELS, GOOD, BAD)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_measure_of_infinite_or_no_values_is_an_error_about_the_measure():
    infinite = ir_measures.define_byquery(lambda qrels, run: np.inf, name="Infinite")
    with pytest.raises(MeasureError, match="depends on grades") as error:
        irpref_lab.gate([infinite], QRELS, GOOD, BAD)
    assert error.value.measure == "Infinite"
    none = ir_measures.define_byquery(lambda qrels, run: np.nan, name="NoValue")
    with pytest.raises(MeasureError, match="no value") as error:
        irpref_lab.compare([none], QRELS, GOOD, BAD)
    assert error.value.measure == "NoValue"


def test_every_surface_says_what_topics_cannot_say(inputs, capsys):
    (inputs / "qrels").write_text(
        qrels_text(QRELS | {f"q{t}": dict.fromkeys(QRELS[f"q{t}"], 0) for t in range(4)})
    )
    (inputs / "candidate").write_text(run_text(first(39, BAD)))
    sentences = ("4 of 40 topics have no relevant document", "has no documents for 1 of 40 topics")
    for command in ("compare", "gate", "leaderboard", "against"):
        main([command, "qrels", "baseline", "candidate", "AP"])
        out = capsys.readouterr().out
        assert all(sentence in out for sentence in sentences), command
        main([command, "qrels", "baseline", "candidate", "AP", "-o", "json"])
        rows = json.loads(capsys.readouterr().out)
        codes = [row["topics_by_code"] for row in rows]
        assert all("unanswerable 4" in code for code in codes), command
        assert any("unanswered 1" in code for code in codes), command
