"""How equal scores are ranked: by id, descending, or in the order of the input; the same at every
entry point.
"""

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irpref
import irpref_lab
from forms import FORMS, WAYS, looked_up
from irpref.cli import main
from irpref.errors import ArgumentError, RunError
from refused import refuses

# Kernels of ours and of the host, measures that rank ties by rising id elsewhere, and those of
# other providers.
NAMES = [
    "AP",
    "RR@3",
    "Judged@2",
    "nDCG@2",
    "QMeasure",
    "RPref(max_rel=2)",
    "PrefShare",
    "Rprec",
    "IPrec@0.5",
    "SetP",
]
MEASURES = irpref.parse_all(NAMES)


@st.composite
def collections(draw):
    """Judgments, and a run in rows with few different scores."""
    judged = [(f"q{t}", f"d{d}", draw(st.integers(0, 2))) for t in range(2) for d in range(6)]
    rows = []
    for t in range(2):
        docs = draw(st.permutations([f"d{d}" for d in range(8)]))
        rows += [(f"q{t}", doc, float(draw(st.integers(0, 2)))) for doc in docs]
    return judged, draw(st.permutations(rows))


def in_order(rows):
    """The same ranking in other scores, none of them equal: a stable sort by score."""
    out = []
    for topic in dict.fromkeys(q for q, _, _ in rows):
        ranked = sorted((row for row in rows if row[0] == topic), key=lambda row: -row[2])
        out += [(q, d, -float(i)) for i, (q, d, _) in enumerate(ranked)]
    return out


def frame(rows, value):
    return pd.DataFrame(rows, columns=["query_id", "doc_id", value])


def values(qrels, run):
    found = irpref.evaluator(MEASURES, qrels).values(run)
    return {measure: of.tolist() for measure, of in found.items()}


@given(collections(), st.booleans())
def test_ties_in_the_order_of_the_input_are_a_stable_sort(collection, float32):
    judged, rows = collection
    qrels, expected = frame(judged, "relevance"), frame(in_order(rows), "score")
    for way in WAYS:
        with looked_up(way):
            ranked = irpref.run(frame(rows, "score"), ties="input", float32=float32)
            assert values(qrels, ranked) == values(qrels, expected)


@pytest.mark.parametrize("form", FORMS)
def test_rows_of_every_form_are_the_order_of_the_input(form):
    judged = [
        ir_measures.Qrel("q", doc, grade, "0") for doc, grade in [("a", 0), ("b", 2), ("c", 1)]
    ]
    rows = [ir_measures.ScoredDoc("q", doc, 1.0) for doc in "bca"]
    evaluator = irpref.evaluator(["nDCG"], judged)
    ndcg = irpref.parse("nDCG")
    assert evaluator.calc_aggregate(irpref.run(FORMS[form](rows), ties="input")) == {ndcg: 1.0}
    assert evaluator.calc_aggregate(irpref.run(FORMS[form](rows)))[ndcg] < 1
    assert evaluator.calc_aggregate(FORMS[form](rows))[ndcg] < 1


def test_scores_that_32_bits_do_not_tell_apart_are_tied_for_every_measure():
    qrels = {"q": {"a": 1, "b": 0}}
    run = {"q": {"b": 16777216.0, "a": 16777217.0}}
    for name in ("AP", "IPrec@0.5", "RR@10", "RPref(max_rel=1)", "Compat(p=0.8)"):
        found = irpref.evaluator([name], qrels)
        for options, rank in (
            ({}, 1),
            ({"ties": "input"}, 1),
            ({"float32": True}, 2),
            ({"ties": "input", "float32": True}, 2),
        ):
            expected = {"q": {"a": 2.0, "b": 1.0} if rank == 1 else {"b": 2.0, "a": 1.0}}
            same = found.calc_aggregate(expected)
            assert found.calc_aggregate(irpref.run(run, **options)) == same


def test_scores_of_an_order_of_the_input_fall_by_one():
    run = frame([("q", "a", 1.0), ("p", "x", 7.0), ("q", "b", 1.0), ("q", "c", 2.0)], "score")
    assert irpref.run(run, ties="input").frame().values.tolist() == [
        ["q", "c", 3.0, 1],
        ["q", "a", 2.0, 2],
        ["q", "b", 1.0, 3],
        ["p", "x", 1.0, 1],
    ]
    assert run["score"].tolist() == [1.0, 7.0, 1.0, 2.0]


def test_a_score_that_is_no_number_does_not_get_a_rank():
    with refuses(RunError, topic="q", doc="b"):
        irpref.run({"q": {"a": 1.0, "b": float("nan")}}, ties="input")


def test_every_measure_sees_one_order_of_tied_documents():
    """With scores that are equal and with scores that fall in the order of trec_eval, values are the
    same: also those of measures for which their own providers break ties by rising id."""
    rng = np.random.default_rng(5)
    docs = [f"d{i:02}" for i in range(12)]
    qrels = {f"q{t}": {d: int(rng.integers(0, 4)) for d in docs} for t in range(8)}
    tied = {t: {d: float(rng.integers(0, 3)) for d in docs[:10]} for t in qrels}
    apart = {
        t: {
            d: -float(i) for i, d in enumerate(sorted(run, key=lambda d: (run[d], d), reverse=True))
        }
        for t, run in tied.items()
    }
    names = (
        "AP RR RR@5 RR@10 RR(rel=2)@5 Judged@5 Judged@10 Compat(p=0.8) Compat(p=0.95) ERR@5 RBP(rel=1) "
        "infAP BPM(max_rel=3)@5 IPrec@0.1 SDCG(max_rel=3)@5 nDCG(dcg='exp-log2')@5 NERR8(max_rel=3)@5"
    )
    evaluator = irpref.evaluator(names, qrels)
    assert evaluator.calc_aggregate(tied) == evaluator.calc_aggregate(apart)


@pytest.fixture
def files(tmp_path, monkeypatch):
    rng = np.random.default_rng(5)
    judged = [(f"q{t}", f"d{d}", int(rng.integers(3))) for t in range(6) for d in range(12)]
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g in judged))
    for name in ("one", "two"):
        rows = [
            (f"q{t}", f"d{d}", float(rng.integers(3)))
            for t in range(6)
            for d in rng.permutation(15).tolist()
        ]
        for file, some in ((name, rows), (f"{name}.listed", in_order(rows))):
            (tmp_path / file).write_text("".join(f"{q} Q0 {d} 1 {s!r} t\n" for q, d, s in some))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        ["eval", "AP", "RPref", "RR@3", "IPrec@0.5"],
        ["eval", "-q", "AP", "Judged@2", "nDCG@2"],
        ["leaderboard", "AP", "QMeasure"],
        ["compare", "AP"],
        ["curve", "pr"],
        [
            "meta",
            "robustness",
            "AP",
            "RPref",
            "infAP",
            "--levels",
            "50",
            "--samples",
            "1",
            "-o",
            "tsv",
        ],
    ],
    ids=lambda command: " ".join(command),
)
def test_commands_rank_ties_in_the_order_of_the_file(command, files, capsys):
    def said(one, two, *options):
        named = {"one.listed": "one", "two.listed": "two"}
        assert (
            main(
                [
                    command[0],
                    *command[1:2] * (command[0] in ("curve", "meta")),
                    "qrels",
                    one,
                    two,
                    *options,
                ]
            )
            == 0
        )
        out = capsys.readouterr().out
        for listed, name in named.items():
            out = out.replace(listed, name)
        return [line.split() for line in out.splitlines()]

    rest = command[2:] if command[0] in ("curve", "meta") else command[1:]
    by_id = said("one", "two", *rest)
    assert (
        said("one", "two", *rest, "--ties", "input")
        == said("one.listed", "two.listed", *rest)
        != by_id
    )


def test_a_run_is_read_in_the_order_of_its_file(files):
    read = irpref.run(irpref.read_run("one", ties="input"))
    pd.testing.assert_frame_equal(read.frame(), irpref.run("one", ties="input").frame())


def test_other_functions_rank_ties_in_the_order_of_the_input(files):
    qrels = irpref.read_qrels("qrels")
    one, listed = (irpref.read_run(name) for name in ("one", "one.listed"))
    ranked = irpref.run(one, ties="input")
    pd.testing.assert_frame_equal(
        irpref.explain("QMeasure", qrels, ranked, "q1").drop(columns="score"),
        irpref.explain("QMeasure", qrels, listed, "q1").drop(columns="score"),
    )
    # Which runs are identical depends on how ties are broken.
    codes = irpref_lab.check(qrels, {"ranked": ranked, "listed": listed})["code"].tolist()
    assert "identical-runs" in codes
    codes = irpref_lab.check(qrels, {"one": one, "listed": listed})["code"].tolist()
    assert "identical-runs" not in codes


def test_the_rule_is_one_of_two():
    with refuses(ArgumentError, parameter="ties", value="score") as error:
        irpref.run({"q": {"a": 1.0}}, ties="score")
    assert str(error.value).endswith("'id', 'input'")
