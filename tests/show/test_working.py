"""The sum by hand: a student who has only what `explain` shows gets the value, at 80 columns."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irpref
from irpref.datasets import load
from irpref.explanation import MISSED, REST, RETRIEVED, Explainer
from irpref.measures import registered
from irpref.measures.docstring import prose
from irpref.measures.everyday_terms import prose_of
from irpref.show.explained import explanation_text
from irpref.show.text import Page
from strategies import collections, parameters, positive_grades

EXPLAINABLE = [name for name, measure in registered().items() if type(measure).terms is not None]
# The value is a mean over groups that each have another number of documents: no sum over documents.
NO_STEPS = {"PrefShare": {"nonrelevant": "R"}}
RUN = {"q": {"x": 5.0, "s": 4.0, "a": 3.0, "y": 2.0, "b": 1.0}}
QRELS = {"q": {"s": 2, "a": 1, "b": 1, "x": 0, "m": 1}}


def done(step, names):
    """A step by hand, for all documents at once; 0 / 0 is 0."""

    def upto(x):
        return np.cumsum(np.nan_to_num(x))

    def log(x, base):
        return np.log2(x) if base == 2 else np.log(x) / np.log(base)

    functions = {
        "min": np.minimum, "max": np.maximum, "log": log, "log2": np.log2, "upto": upto,
    }  # fmt: skip
    with np.errstate(all="ignore"):
        values = eval(step, {"__builtins__": {}}, {**functions, **names})
        numerator = np.nan_to_num(np.asarray(values, float), nan=0.0, posinf=0.0, neginf=0.0)
    lacking = np.zeros(names["rank"].size, bool)
    for name in re.findall(r"\w+", step):
        if isinstance(names.get(name), np.ndarray):
            lacking |= np.isnan(names[name])
    return np.where(lacking, np.nan, numerator)


def check_by_hand(measure, qrels, run):
    explainer = Explainer(measure, irpref.judgments(qrels))
    account = explainer.account(run)
    excused = NO_STEPS.get(measure.NAME, {})
    if excused.items() <= measure.params.items() and measure.NAME in NO_STEPS:
        assert not account.steps
        return
    assert list(account.steps)[-1] == "adds", measure
    described = {name.partition("(")[0] for name in prose_of(measure).columns}
    for t in range(account.topics.n):
        rows = slice(*account.topics.offsets[[t, t + 1]].tolist())
        numbers = account.numbers_of(t)
        arguments = {k: v for k, v in explainer.arguments.items() if isinstance(v, (int, float))}
        columns = {name: values[rows] for name, values in account.columns.items()}
        known = {"rank": account.rank[rows] * 1.0, "grade": account.grade[rows]}
        names = {**arguments, **numbers, **known, **columns}
        for name, step in account.steps.items():
            used = set(re.findall(r"[a-zA-Z_]\w*", step))
            functions = {"min", "max", "log", "log2"}
            unknown = used - {*names, *functions, "upto"}
            assert not unknown, f"{measure}: {step!r} needs them in `columns` or `numbers`"
            undescribed = used - {*arguments, *known, *functions} - described
            assert not undescribed, f"{measure}: {step!r} needs them in the section `Columns`"
            by_hand = done(step, names)
            if name != "adds":
                there = ~np.isnan(columns[name])
                np.testing.assert_allclose(
                    np.nan_to_num(by_hand)[there], columns[name][there], rtol=1e-9, atol=1e-12
                )
                continue
            contribution, kind = account.contribution[rows], account.kind[rows]
            cutoff = explainer.arguments.get("cutoff")
            below = (
                (known["rank"] > cutoff)
                if cutoff and explainer.declared.CUTOFF_ENDS_LIST
                else np.zeros(kind.size, bool)
            )
            if explainer.arguments.get("judged_only"):
                judged = np.nan_to_num(known["grade"], nan=-1) >= 0
                place = columns.get("place", np.cumsum(judged & (kind == RETRIEVED)))
                below = (place > cutoff) if cutoff else np.zeros(kind.size, bool)
            # What was not retrieved adds nothing unless the table says that it does.
            free = (kind == REST) | ((below | (kind == MISSED)) & (contribution == 0))
            np.testing.assert_allclose(
                np.nan_to_num(by_hand)[~free], contribution[~free], rtol=1e-9, atol=1e-12,
                err_msg=f"{measure}: {step!r} (actual) is not what documents add (desired); a document "
                "adds nothing if it lacks a column that the step names",
            )  # fmt: skip


@pytest.mark.parametrize("name", EXPLAINABLE)
@given(data=st.data())
def test_what_each_document_adds_follows_from_the_numbers_shown(name, data):
    collection = data.draw(collections())
    qrels = collection.qrels
    if "known" in registered()[name].NEEDS:
        qrels = irpref.judgments(qrels).frame()
        qrels["known"] = [ord(doc[-1]) % 2 == 1 for doc in qrels["doc_id"]]
    given = data.draw(parameters(name, positive_grades(collection.qrels)))
    check_by_hand(type(registered()[name]).variants()[0](**given), qrels, collection.run)


@pytest.mark.parametrize("name", EXPLAINABLE)
def test_every_variant_has_steps_that_lead_to_the_value(name):
    qrels = with_columns(QRELS)
    if worked := prose(registered()[name]).worked_example:
        example = load(worked)
        collections = [(example.qrels_frame(), run) for run in example.runs.values()]
    for variant in type(registered()[name]).variants():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", irpref.IrprefWarning)
            check_by_hand(variant, qrels, RUN)
            for judged, run in collections:
                check_by_hand(variant, judged, run)


@pytest.mark.parametrize("measure", ["CRP@2", "CRP(judged_only=True)@2"])
def test_a_topic_without_relevant_documents_but_with_negative_grades_adds_nothing(measure):
    qrels, run = {"q": {"a": -3, "b": 0}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    check_by_hand(irpref.parse(measure), qrels, run)


def with_columns(qrels):
    """What measures need of the judgments beyond grades: every second document was known."""
    frame = irpref.judgments(qrels).frame()
    return frame.assign(known=np.arange(len(frame)) % 2 == 0, expected=2.0)


def long_ids(records):
    return {
        topic: {f"3f2a77b0-19c4-4be1-9d58-{doc:>012}": x for doc, x in docs.items()}
        for topic, docs in records.items()
    }


@pytest.mark.parametrize("name", EXPLAINABLE)
def test_explanations_are_one_table_of_80_columns(name):
    """Also with identifiers of 36 characters, which are broken; reasons are then below their rows,
    as wide as the page.
    """
    qrels, run = with_columns(long_ids(QRELS)), long_ids(RUN)
    for variant in type(registered()[name]).variants():
        text = explanation_text(qrels, run, variant, "q", page=Page(80))
        lines = text.splitlines()
        assert max(map(len, lines)) <= 80, text
        heads = [line for line in lines if re.match(r" *rank +document", line)]
        assert len(heads) == 1, text
        assert {"adds", "why"} & set(heads[0].split()[-1:]), text
        table = text[text.index(heads[0]) :].split("\n\n       sum")[0]
        if "why" not in heads[0]:
            reasons = [line for line in table.splitlines() if re.match(r"    \S", line)]
            longest = max(map(len, irpref.explain(variant, qrels, run, "q")["why"]))
            assert max(map(len, reasons)) >= min(longest, 60), text
        else:
            assert not re.search(r"\n {20,}\S.*" * 3, table), text


def test_a_reason_without_room_is_a_line_below_its_row():
    qrels, run = long_ids({"q": {"a": 2, "b": 0}}), long_ids({"q": {"b": 2.0, "a": 1.0}})
    text = explanation_text(qrels, run, "RPref(norm='relative2')", "q", page=Page(80))
    # b, ranked first, takes a half of a's weight: 1 / (1 * (1 + 1)).
    assert (
        text.split("\n\n")[2]
        == """\
rank  document                  grade  rho  loss  above  penalty    adds
   1  3f2a77b0-19c4-4be1-9d58-      0    0            0           0.0000
      00000000000b
    above preferred 3f2a77b0-19c4-4be1-9d58-00000000000a
   2  3f2a77b0-19c4-4be1-9d58-      2    1     1      1      0.5  0.5000
      00000000000a
    below less relevant 3f2a77b0-19c4-4be1-9d58-00000000000b: loses 50.0%"""
    )
    wide = explanation_text(qrels, run, "RPref(norm='relative2')", "q", page=Page(140))
    assert "adds  why\n" in wide


def test_a_sum_by_hand():
    """Q of figure 1 of the P-measure paper: (1 + 1) / (3 + 1) and (4 + 2) / (5 + 2), over 3."""
    example = load("p-measure-figure-1")
    text = explanation_text(example.qrels, example.runs["X"], "QMeasure", "1", page=Page(80))
    assert (
        text
        == """\
Topic 1: QMeasure = 0.4524 (higher is better)
How early and how completely does the ranking have the relevant documents, the
better ones first?

gain = grade
BR = (beta * cg + count) / (beta * cg_I + rank)
adds = BR / R
R = 3, beta = 1

rank  document  grade  cg  count  cg_I      BR    adds  why
   1  B1            1   1      1     3  0.5000  0.1667  relevant
   2  S1            3   4      2     5  0.8571  0.2857  relevant

   -  A1            2                           0.0000  not retrieved

      sum                                       0.4524

gain   gain of its grade
cg     gain cumulated down to its rank
count  relevant documents down to its rank
cg_I   gain that the ideal list has cumulated there
BR     blended ratio at its rank
R      relevant documents that were judged
"""
    )


def test_the_frame_of_one_topic_brings_steps_and_numbers():
    table = irpref.explain("RPref(max_rel=2)", QRELS, RUN, "q")
    assert table.attrs == {
        "steps": {"penalty": "loss / (rho * N)", "adds": "rho * (1 - penalty) / R"},
        "numbers": {"R": 2.5, "N": 2.5},
    }
