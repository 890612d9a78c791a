"""How equal scores are ranked: by id, descending, or in the order of the input; the same at every
entry point.
"""

import warnings

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irpref
from forms import FORMS, WAYS, looked_up
from irpref.cli import main
from irpref.judged.order import Alignment

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


def values(qrels, run, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irpref.TieWarning)
        found = irpref.evaluator(MEASURES, qrels, **options).values(run)
    return {measure: of.tolist() for measure, of in found.items()}


@given(collections(), st.booleans())
def test_ties_in_the_order_of_the_input_are_a_stable_sort(collection, float32):
    judged, rows = collection
    qrels, expected = frame(judged, "relevance"), frame(in_order(rows), "score")
    for way in WAYS:
        with looked_up(way):
            assert values(qrels, frame(rows, "score"), ties="input", float32=float32) == values(
                qrels, expected
            )


@pytest.mark.parametrize("form", FORMS)
def test_rows_of_every_form_are_the_order_of_the_input(form):
    judged = [
        ir_measures.Qrel("q", doc, grade, "0") for doc, grade in [("a", 0), ("b", 2), ("c", 1)]
    ]
    rows = [ir_measures.ScoredDoc("q", doc, 1.0) for doc in "bca"]
    found = irpref.evaluator(["nDCG"], judged, ties="input").calc_aggregate(FORMS[form](rows))
    assert found == {irpref.parse("nDCG"): 1.0}
    assert (
        irpref.evaluator(["nDCG"], judged).calc_aggregate(FORMS[form](rows))[irpref.parse("nDCG")]
        < 1
    )


def test_scores_that_32_bits_do_not_tell_apart_stay_in_the_order_of_the_input():
    qrels = {"q": {"a": 1, "b": 0}}
    run = {"q": {"b": 16777216.0, "a": 16777217.0}}
    for name in ("AP", "IPrec@0.5"):
        measure = irpref.parse(name)
        for float32, rank in ((False, 1), (True, 2)):
            found = irpref.evaluator(
                [measure], qrels, ties="input", float32=float32
            ).calc_aggregate(run)
            assert found == {measure: 1 / rank}


def test_no_warning_compares_with_pytrec_eval_where_ties_are_in_the_order_of_the_input():
    run = {"q": {"b": 16777216.0, "a": 16777217.0}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        irpref.evaluator(["AP"], {"q": {"a": 1, "b": 0}}, ties="input").calc_aggregate(run)


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
        ["prefer", "--tests"],
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


def test_other_functions_rank_ties_in_the_order_of_the_input(files):
    qrels = irpref.read_qrels("qrels")
    one, listed = (irpref.read_run(name) for name in ("one", "one.listed"))
    table = irpref.explain("QMeasure", qrels, one, "q1", ties="input")
    pd.testing.assert_frame_equal(
        table.drop(columns="score"),
        irpref.explain("QMeasure", qrels, listed, "q1").drop(columns="score"),
    )
    # Which runs are identical depends on how ties are broken.
    pairs = {"one": one, "listed": listed}
    assert "identical-runs" in irpref.lab.check(qrels, pairs, ties="input")["code"].tolist()
    assert "identical-runs" not in irpref.lab.check(qrels, pairs)["code"].tolist()


def test_results_of_one_rule_are_not_taken_for_those_of_the_other(files, tmp_path):
    runs = {name: irpref.read_run(name) for name in ("one", "two")}
    options = {"levels": [50], "n_samples": 1, "rng": 1, "output": tmp_path / "means"}
    irpref.lab.meta.incompleteness(["AP"], "qrels", runs, **options)
    found = irpref.lab.meta.incompleteness(["AP"], "qrels", runs, ties="input", **options).means
    del options["output"]
    assert found.equals(
        irpref.lab.meta.incompleteness(["AP"], "qrels", runs, ties="input", **options).means
    )
    assert not found.equals(irpref.lab.meta.incompleteness(["AP"], "qrels", runs, **options).means)


def test_the_rule_is_one_of_two():
    with pytest.raises(
        ValueError, match="ties='score' is not known, expected one of 'id', 'input'"
    ):
        irpref.evaluator(["AP"], {"q": {"a": 1}}, ties="score")
    assert (Alignment().ties, Alignment().float32) == ("id", False)
