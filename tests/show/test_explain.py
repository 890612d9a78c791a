"""Explanations: contributions add up, reasons are right, and the table reads well."""

from fractions import Fraction as F

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irpref
from irpref import CRP, BprefVariant, EMeasure, FMeasure, NPref, QMeasure, RPref
from irpref.cli import main
from irpref.datasets import load
from irpref.errors import ArgumentError, MeasureError
from irpref.judged.judgments import judgments
from irpref.judged.run import listing as listing_of
from irpref.measures import registered
from irpref.measures.docstring import prose
from irpref.show.explained import explain, explanation_text
from refused import refuses
from strategies import collections, parameters, positive_grades

# D7 and D10 are preferred to D12. rho: D7 1, D3 1, D10 1/2, D12 0, so R = 5/2 and N = 3/2. Each of
# D7 and D10 loses its rho - 0 over N, so 2/3 of its weight; the value is (1/3 + 1/6) / (5/2) = 1/5.
QRELS = {"q1": {"D7": 2, "D10": 1, "D12": 0, "D3": 2, "D5": -1}}
RUN = {"q1": {"D12": 9.0, "D7": 8.0, "D1": 7.0, "D2": 6.0, "D10": 5.0, "D5": 4.0}}

TEXT = """\
Topic q1: RPref(max_rel=2) = 0.2000 (higher is better)
How well does the ranking keep the graded preferences between judged documents?

penalty = loss / (rho * N)
adds = rho * (1 - penalty) / R
R = 2.5, N = 1.5

rank  document  grade  rho  loss  penalty    adds  why
   1  D12           0  0.0                 0.0000  above preferred D7 and D10
   2  D7            2  1.0   1.0   0.6667  0.1333  below less relevant D12: loses 66.7%
 3-4  (2 docs)                             0.0000  no judgment
   5  D10           1  0.5   0.5   0.6667  0.0667  below less relevant D12: loses 66.7%
   6  D5           -1                      0.0000  negative grade: no judgment

   -  D3            2  1.0                 0.0000  not retrieved

      sum                                  0.2000

rho      grade on the scale from 0 to 1
loss     sum of the differences in rho to the less relevant judged documents ranked above it
penalty  share of its weight that it loses to them
R        sum of rho over the judged documents
N        sum of 1 - rho over them
"""

EXPLAINABLE = [name for name, measure in registered().items() if type(measure).terms is not None]


def why(table: pd.DataFrame) -> dict[str, str]:
    return dict(zip(table["doc_id"], table["why"], strict=True))


def test_losses_of_the_third_tool_in_figure_1_of_the_rpref_paper():
    example = load("rpref-figure-1")
    table = explain(RPref(max_rel=1), example.qrels_frame(), example.runs["T3"], "1").set_index(
        "doc_id"
    )
    # D16 D14 D13 D15 D7 D11 D10 D5: differences to the less relevant documents above each, added by
    # hand in the figure; a penalty is such a sum over N = 8.1 and over its own rho.
    loss = {"D14": 0.1, "D13": 0.1, "D7": 2.2, "D11": 1.0, "D10": 1.0, "D5": 4.2}
    assert table["loss"].dropna().to_dict() == pytest.approx(loss)
    assert table.attrs["numbers"] == pytest.approx({"R": 7.9, "N": 8.1})
    assert table.loc["D5", "penalty"] == pytest.approx(4.2 / 8.1 / 0.8)
    assert table.loc["D7", "why"] == (
        "below less relevant D16, D14, D13 and D15: loses 45.3%; above preferred D5"
    )
    assert "D16, D14, D13 and 4 more" in table.loc["D5", "why"]
    assert set(table.index[table["rank"].isna()]) == {
        "D1",
        "D2",
        "D3",
        "D4",
        "D6",
        "D8",
        "D9",
        "D12",
    }


@pytest.mark.parametrize("name", EXPLAINABLE)
@given(data=st.data())
def test_contributions_add_up_to_the_value(name, data):
    collection = data.draw(collections())
    if "known" in registered()[name].NEEDS:
        qrels = irpref.judgments(collection.qrels).frame()
        qrels["known"] = [ord(doc[-1]) % 2 == 1 for doc in qrels["doc_id"]]
    else:
        qrels = collection.qrels
    given = data.draw(parameters(name, positive_grades(collection.qrels)))
    measure = type(registered()[name]).variants()[0](**given)
    table = explain(measure, qrels, collection.run, why=True)
    sums = table.groupby("query_id", sort=False)["contribution"].sum()
    for topic, value in measure.evaluate(qrels, collection.run).items():
        assert sums.get(topic, 0.0) == pytest.approx(value, abs=1e-12)


@given(collection=collections())
def test_rows_are_the_ranking_then_what_was_missed(collection):
    table = explain(QMeasure, collection.qrels, collection.run)
    listing = listing_of(judgments(collection.qrels).pool(), collection.run)
    ranked = table[table["rank"].notna()]
    assert ranked["doc_id"].tolist() == listing.doc_ids
    assert ranked["rank"].tolist() == listing.rank.tolist()
    np.testing.assert_array_equal(ranked["grade"], listing.grade)
    for topic, rows in table.groupby("query_id"):
        lost = rows[rows["rank"].isna()]
        assert set(lost["doc_id"]) == {
            doc
            for doc, grade in collection.qrels[topic].items()
            if grade > 0 and doc not in collection.run.get(topic, {})
        }
        assert lost["grade"].is_monotonic_decreasing
        assert rows["rank"].isna().is_monotonic_increasing  # at the end


@given(collection=collections(), n=st.sampled_from([None, 2, 5]))
def test_preferences_are_named_as_often_as_they_are_counted(collection, n):
    measure = RPref(max_rel=3) if n is None else NPref(n=n, max_rel=3)
    table = explain(measure, collection.qrels, collection.run, why=True)
    for _, rows in table[table["rank"].notna() & table["judged"]].groupby("query_id"):
        rho = rows["rho"].tolist()
        for at, (loss, reason) in enumerate(zip(rows["loss"], rows["why"], strict=True)):
            above = sum(rho[k] < rho[at] for k in range(at))
            below = sum(rho[k] > rho[at] for k in range(at + 1, len(rho)))
            assert loss == pytest.approx(sum(max(rho[at] - rho[k], 0) for k in range(at))) or (
                np.isnan(loss) and rho[at] == 0
            )
            assert ("less relevant" in reason) == (above > 0 or rho[at] > 0)
            assert ("preferred" in reason) == (below > 0)


def test_a_topic_that_the_run_lacks_has_its_missed_documents():
    table = explain(RPref(max_rel=2), {**QRELS, "q2": {"a": 1, "b": 0}}, RUN, "q2")
    assert table[["doc_id", "why"]].values.tolist() == [["a", "not retrieved"]]


def test_options_of_rpref_have_their_reasons():
    def reasons(measure, run=RUN):
        return why(explain(measure, QRELS, run, "q1"))

    assert reasons("RPref(max_rel=2,unretrieved='infinity')")["D3"] == (
        "not retrieved, so below all that was, less relevant D12 and D10 included: loses 100.0% "
        "of its weight"
    )
    dropped = reasons("RPref(max_rel=2,top='drop')", {"q1": {"D7": 3.0, "D12": 2.0, "D10": 1.0}})
    assert dropped["D7"].endswith("not in the sum (top='drop')")
    cut = reasons("RPref(max_rel=2)@2")
    assert cut["D10"].startswith("below the cutoff 2")
    assert cut["D12"] == "above preferred D7"


def test_bpref_names_non_relevant_documents_and_caps_the_loss():
    qrels = {"q": {"r": 1, "n1": 0, "n2": 0, "n3": 0}}
    run = {"q": {"n1": 4.0, "n2": 3.0, "n3": 2.0, "r": 1.0}}
    reasons = why(explain(BprefVariant, qrels, run, "q"))
    assert "n1, n2 and n3: loses 100.0%" in reasons["r"]
    assert reasons["n3"] == "above preferred r"


def test_measures_of_a_set_say_what_each_document_is():
    qrels = {"q": {"a": 1, "b": 0, "c": -1, "d": 1, "e": 0}}
    run = {"q": {"a": 6.0, "b": 5.0, "x": 4.0, "c": 3.0, "e": 2.0}}
    assert why(explain(FMeasure @ 4, qrels, run, "q")) == {
        "a": "relevant and retrieved",
        "b": "not relevant",
        "x": "no judgment",
        "c": "negative grade: no judgment",
        "e": "below the cutoff 4: counts as not retrieved",
        "d": "not retrieved",
    }


FIRST, LATER = "first relevant document", "below the first relevant document a: not counted"
BEST = "best document retrieved"


@pytest.mark.parametrize(
    ("measure", "a", "b", "c"),
    [
        ("SeenAP", "relevant", "not relevant", "relevant"),
        (
            "GRecall",
            "retrieved",
            "no gain",
            "retrieved",
        ),
        ("OriginalNDCG", "gain 2, not discounted", "no gain", "gain 1 divided by 2 at rank 4"),
        (
            "OriginalNDCG(base=3)",
            "gain 2, not discounted",
            "no gain",
            "gain 1 divided by 1.262 at rank 4",
        ),
        (
            "GPrecision(max_rel=2)",
            "retrieved",
            "no gain",
            "retrieved",
        ),
        ("RelativeRecall", "relevant and retrieved", "not relevant", "relevant and retrieved"),
        # R = 3, and the 3 relevant documents are where a third of the users stop each.
        (
            "QMeasure",
            "relevant",
            "not relevant",
            "relevant",
        ),
        (
            "RMeasure",
            "relevant, down to rank R = 3",
            "not relevant",
            "below rank R = 3: not counted",
        ),
        (
            "NCU",
            "relevant: 0.333 of the users stop here",
            "not relevant",
            "relevant: 0.333 of the users stop here",
        ),
        ("OMeasure", f"{FIRST}: its BR is the value", "not relevant", LATER),
        (
            "WeightedRR(max_rel=2)",
            f"{FIRST}: its rank and gain make the value",
            "not relevant",
            LATER,
        ),
        (
            "PMeasure",
            f"{BEST}: its BR is the value",
            "not relevant",
            "not the best document retrieved, a",
        ),
        (
            "PPlus",
            BEST,
            "not relevant",
            "below the best document, a: not counted",
        ),
    ],
)
def test_each_document_has_the_reason_of_its_grade_and_rank(measure, a, b, c):
    qrels = {"q": {"a": 2, "b": 0, "c": 1, "d": 1, "e": 0}}
    run = {"q": {"b": 6.0, "a": 5.0, "x": 4.0, "c": 3.0}}
    reasons = {"b": b, "a": a, "x": "no judgment", "c": c, "d": "not retrieved"}
    assert why(explain(measure, qrels, run, "q")) == reasons


def test_what_the_user_knew_is_said_of_documents_that_were_not_retrieved_too():
    qrels = {"q": {"a": 1, "b": 1, "c": 1, "d": 1, "e": 0, "f": 0}}
    known, run = (
        irpref.judgments(qrels, known={"q": ["a", "c", "e", "f"]}),
        {"q": {"a": 3.0, "b": 2.0, "e": 1.0}},
    )
    assert why(explain("Coverage", known, run, "q")) == {
        "a": "relevant and known to the user",
        "b": "relevant, but not known to the user",
        "e": "not relevant",
        "c": "relevant and known to the user, not retrieved",
    }
    assert why(explain("Novelty", known, run, "q")) == {
        "a": "relevant, but known to the user",
        "b": "relevant and new to the user",
        "e": "not relevant",
        "d": "relevant and new to the user, not retrieved",
    }


@pytest.mark.parametrize("measure", ["PrefShare", "PrefAP", CRP])
def test_where_a_negative_grade_is_a_judgment_nothing_says_that_it_is_none(measure):
    qrels = {"q": {"a": 1, "b": -1}}
    reasons = why(explain(measure, qrels, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}, "q"))
    assert "no judgment" not in reasons["b"]


def test_position_measures_say_where_documents_belong():
    # Ideal: S A A n ... R = 3. Ranked n S A n A: rp = 1 - 4, 2 - 1, 0; then n at rank 4, A two
    # ranks too low.
    qrels = {"q": {"s": 2, "a": 1, "b": 1}}
    run = {"q": {"x": 5.0, "s": 4.0, "a": 3.0, "y": 2.0, "b": 1.0}}
    table = explain(CRP, qrels, run, "q").set_index("doc_id")
    assert table["rp"].tolist() == [-3, 1, 0, 0, 2]
    assert table["crp"].tolist() == [-3, -2, -2, -2, 0]
    assert table["contribution"].tolist() == [-3, 1, 0, 0, 0]
    assert table["why"].tolist() == [
        "3 ranks too high, the ideal list has its grade from rank 4; no judgment: non-relevant",
        "1 rank too low, the ideal list has its grade to rank 1",
        "where the ideal list has its grade",
        "where the ideal list has its grade",
        "2 ranks too low, the ideal list has its grade to rank 3; below rank 3, where CRP is read",
    ]


def test_preferences_are_credited_to_their_higher_document():
    # Of the five preferences, b is ranked above a, c and d, and a above c and d: 2 of 5 are kept.
    qrels = {"q": {"a": 2, "b": 0, "c": 1, "d": 1}}
    table = explain("PrefPrecision", qrels, {"q": {"b": 4.0, "a": 3.0, "c": 1.0}}, "q").set_index(
        "doc_id"
    )
    assert table["correct"].dropna().to_dict() == {"b": 0, "a": 2, "c": 0}
    assert table["wrong"].dropna().to_dict() == {"b": 3, "a": 0, "c": 0}
    assert table["contribution"].to_dict() == {"b": 0, "a": 2 / 5, "c": 0, "d": 0}


@pytest.mark.parametrize(
    ("measure", "first", "second"),
    [
        ("RelativeRecall(expected=3)", F(1, 3), F(1, 3)),
        ("RelativeRecall(expected=1.5)", F(2, 3), F(1, 3)),
        ("RelativeRecall(expected=1)", F(1), F(0)),
        ("RelativeRecall(expected=1,capped=False)", F(1), F(1)),
    ],
)
def test_relevant_documents_count_until_as_many_are_found_as_were_expected(measure, first, second):
    qrels = {"q": {"a": 1, "b": 0, "c": 1, "d": 1}}
    table = explain(measure, qrels, {"q": {"b": 4.0, "a": 3.0, "x": 2.0, "c": 1.0}}, "q").set_index(
        "doc_id"
    )
    assert table.loc[["a", "c"], "contribution"].tolist() == pytest.approx(
        [float(first), float(second)], abs=1e-15
    )
    assert table.at["a", "why"] == "relevant and retrieved"
    assert ("more than" in table.at["c", "why"]) == (not second)


def test_positions_are_not_spoken_of_where_nothing_is_relevant():
    assert why(explain(CRP, {"q": {"b": 0}}, {"q": {"b": 2.0, "x": 1.0}}, "q")) == {
        "b": "",
        "x": "no judgment",
    }


def test_ranks_below_the_end_of_a_short_list_have_a_row_of_their_own():
    # R = 3, one document: ranks 2 and 3 are filled up, at 2 - 4 and 3 - 4.
    table = explain(CRP, {"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"a": 1.0}}, "q")
    assert table["contribution"].tolist() == [0, 0, 0, -3]
    assert pd.isna(table["doc_id"].iloc[-1])
    assert table["why"].iloc[-1] == "the list ends here: as if non-relevant documents followed"


@pytest.mark.parametrize(
    ("measure", "alternative"),
    [
        (EMeasure(beta=2) @ 10, "explain FMeasure(beta=2.0)@10"),
        ("CRPRecovery", "explain CRP"),
        ("Twist", "explain CRP"),
        ("RecallEffort", "explain RelativeRecall"),
        ("RR(judged_only=True)@10", "it is not known here what each document adds"),
        ("Bpref", "explain BprefVariant, the nearest measure of irpref"),
    ],
)
def test_no_sum_over_documents_is_refused_with_an_alternative(measure, alternative):
    with refuses(MeasureError, measure=str(irpref.parse(measure))) as error:
        explain(measure, QRELS, RUN)
    assert alternative in str(error.value)


def test_arguments_in_another_order_are_named():
    with pytest.raises(TypeError, match=r"got dict: .* measure, qrels, run"):
        explain(QRELS, RUN, "RPref")


@pytest.mark.registry
def test_every_measure_can_be_explained_or_has_an_alternative():
    for name, measure in registered().items():
        if name in EXPLAINABLE:
            continue
        with pytest.raises(ValueError, match="; explain "):
            explain(measure, QRELS, RUN)


def test_a_topic_without_judgments_is_refused():
    with refuses(ArgumentError, parameter="query_id", value="q9"):
        explain(QMeasure, QRELS, RUN, "q9")


@pytest.mark.registry
def test_every_column_of_a_measure_is_described():
    qrels = irpref.judgments({"q": {"a": 1, "b": 0}}, known={"q": ["a"]})
    for name in EXPLAINABLE:
        measure = type(registered()[name]).variants()[0]
        table = explain(measure, qrels, {"q": {"a": 1.0}})
        own = set(table.columns) - {"query_id", "rank", "doc_id", "score", "grade", "judged"}
        assert own <= {*prose(measure).columns, "contribution"}, name
        assert all(prose(measure).columns.values())


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text("".join(f"q1 0 {d} {g}\n" for d, g in QRELS["q1"].items()))
    (tmp_path / "run").write_text("".join(f"q1 Q0 {d} 0 {s} x\n" for d, s in RUN["q1"].items()))
    (tmp_path / "known").write_text("q1 0 D7 1\n")
    return tmp_path


def command(*words: object) -> int:
    return main(["explain", *map(str, words)])


def test_command(files, capsys):
    assert command(files / "qrels", files / "run", "RPref(max_rel=2)", "-t", "q1") == 0
    assert capsys.readouterr() == (TEXT, "")
    # The one topic of the qrels need not be named.
    assert command(files / "qrels", files / "run", "RPref(max_rel=2)") == 0
    assert capsys.readouterr() == (TEXT, "")


def test_command_with_known_documents_as_csv(files, capsys):
    arguments = ("--known", files / "known", files / "qrels", files / "run", "Novelty", "-t", "q1")
    assert command("-o", "csv", *arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "query_id,rank,doc_id,score,grade,judged,known,contribution,why"
    assert lines[2].startswith('q1,2,D7,8.0,2.0,True,1.0,0.0,"relevant, ')
    assert lines[5].startswith("q1,5,D10,5.0,1.0,True,0.0,0.5,relevant ")


def test_command_says_which_option_brings_what_the_user_knew(files, capsys):
    assert command(files / "qrels", files / "run", "Coverage") == 1
    assert "; --known FILE " in capsys.readouterr().err


def test_documents_below_the_cutoff_share_a_line():
    qrels = {"q": {f"d{i}": i % 2 for i in range(50)}}
    run = {"q": {f"d{i}": 50.0 - i for i in range(50)}}
    lines = explanation_text(qrels, run, "QMeasure@4", "q").splitlines()
    table = lines[next(i for i, line in enumerate(lines) if line.lstrip().startswith("rank")) + 1 :]
    assert [line.split()[0] for line in table[:5]] == ["1", "2", "3", "4", "5-50"]
    assert "(46 docs)" in table[4]
    assert "below the cutoff 4" in table[4]
    assert len(explanation_text(qrels, run, "QMeasure@4", "q", every=True).splitlines()) > 50


@pytest.mark.parametrize(
    ("run", "why"),
    [
        (
            "acbd",
            {
                "a": "another one is ranked below",
                "c": "not relevant",
                "d": "the last of 3 relevant documents",
            },
        ),
        (
            "acb",
            {
                "a": "but 1 other is missing",
                "b": "but 1 other is missing",
                "d": "the value is 0",
            },
        ),
        (
            "ac",
            {
                "a": "but 2 others are missing",
                "b": "relevant, not retrieved",
                "c": "not relevant",
            },
        ),
    ],
)
def test_search_efficiency_names_the_last_relevant_document_and_those_that_are_missing(run, why):
    qrels = {"t": {"a": 1, "b": 1, "c": 0, "d": 1}}
    scores = {doc: float(-i) for i, doc in enumerate(run)}
    table = irpref.explain("TSE", qrels, {"t": scores}, "t").set_index("doc_id")
    for doc, words in why.items():
        assert words in table["why"][doc]


def test_a_measure_that_needs_a_threshold_names_it():
    with refuses(MeasureError, measure="RBP(p=0.9)") as caught:
        irpref.explain("RBP(p=0.9)", {"q": {"a": 1}}, {"q": {"a": 1.0}})
    assert "RBP(p=0.9,rel=1)" in str(caught.value)
