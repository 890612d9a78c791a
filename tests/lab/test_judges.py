"""Holes filled with what humans gave where a judge said the same."""

from fractions import Fraction

import ir_measures
import numpy as np
import pandas as pd
import pytest

import irpref
import irpref_lab
from irpref.errors import ArgumentError
from irpref_lab.judges.calibration import Completion

# Both graded a to f. Where the judge said 0, humans gave 0, 0 and 1; where it said 2, they gave 1,
# 2 and 2.
HUMAN = {"q1": {"a": 0, "b": 0, "c": 1}, "q2": {"d": 1, "e": 2, "f": 2}}
JUDGE = {"q1": {"a": 0, "b": 0, "c": 0, "x": 2, "y": 0}, "q2": {"d": 2, "e": 2, "f": 2, "z": 1}}
RUN = {"q1": {"x": 4.0, "c": 3.0, "y": 2.0, "unseen": 1.0}, "q2": {"z": 2.0, "e": 1.0}}


def mean(measure, qrels, run):
    return next(iter(irpref.evaluator([measure], qrels).calc_aggregate(run).values()))


def grades(filled, source="judge"):
    frame = filled.frame()
    rows = frame[frame["source"] == source]
    return {
        (q, d): r
        for q, d, r in zip(rows["query_id"], rows["doc_id"], rows["relevance"], strict=True)
    }


def test_a_filled_grade_is_the_mean_human_grade_of_the_judges_grade():
    filled = irpref_lab.fill(HUMAN, JUDGE)
    assert grades(filled) == {
        ("q1", "x"): float(Fraction(5, 3)),
        ("q1", "y"): float(Fraction(1, 3)),
        ("q2", "z"): 1.0,  # halfway between the grades that were seen
    }
    assert grades(filled, "human") == {
        (q, d): r for q, docs in HUMAN.items() for d, r in docs.items()
    }
    assert ("q1", "unseen") not in {*grades(filled), *grades(filled, "human")}


def test_the_calibration_says_how_many_documents_and_how_sure():
    table = irpref_lab.fill(HUMAN, JUDGE).calibration
    assert table["grade"].tolist() == [0, 2]
    assert table["documents"].tolist() == [3, 3]
    assert table["mean"].tolist() == [1 / 3, 5 / 3]
    # Deviations -1/3, -1/3 and 2/3: variance 1/3, of the mean of three 1/9.
    assert table["error"].tolist() == pytest.approx([1 / 3, 1 / 3])


def test_one_line_says_what_was_filled_in():
    assert irpref_lab.fill(HUMAN, JUDGE).text == (
        "3 of 9 grades are filled in: the judge's 0 as 0.33, 2 as 1.67, the mean human grades of "
        "6 documents that both "
        "graded (correlation 0.82); with rel=2 none of them counts as relevant"
    )
    line = irpref_lab.fill(HUMAN, {**JUDGE, "q3": {"w": 2}}).text
    assert line.split("; ")[-1].startswith("1 of 3 topics has ")
    assert line.endswith("(use judge for these)")


def test_means_that_would_fall_are_pooled():
    human = {"q": {"a": 2, "b": 1, "c": 0, "d": 3}}
    judge = {"q": {"a": 0, "b": 1, "c": 1, "d": 2, "x": 0, "y": 1, "z": 2}}
    assert grades(irpref_lab.fill(human, judge)) == {
        ("q", "x"): 1.0,
        ("q", "y"): 1.0,
        ("q", "z"): 3.0,
    }


@pytest.mark.parametrize("scale", [lambda g: 10 * g + 7, lambda g: g / 5])
def test_the_scale_of_the_judge_does_not_matter(scale):
    other = {
        topic: {doc: scale(grade) for doc, grade in docs.items()} for topic, docs in JUDGE.items()
    }
    assert grades(irpref_lab.fill(HUMAN, other)) == pytest.approx(
        grades(irpref_lab.fill(HUMAN, JUDGE))
    )


def test_a_judge_that_agrees_is_taken_at_its_word():
    judge = {"q1": {**HUMAN["q1"], "x": 1, "y": 2}, "q2": HUMAN["q2"]}
    assert grades(irpref_lab.fill(HUMAN, judge)) == {("q1", "x"): 1.0, ("q1", "y"): 2.0}


def test_a_negative_grade_is_no_judgment():
    human = {"q": {"a": -2, "b": 1, "c": 0, "d": -1}}
    judge = {"q": {"a": 0, "b": 1, "c": 0, "x": 0, "y": -1}}
    filled = irpref_lab.fill(human, judge)
    assert filled.calibration["documents"].tolist() == [1, 1]
    assert grades(filled) == {("q", "a"): 0.0, ("q", "x"): 0.0}
    assert grades(filled, "human") == {("q", "b"): 1.0, ("q", "c"): 0.0, ("q", "d"): -1.0}
    with_runs = irpref_lab.fill(human, judge, {"r": {"q": {"x": 2.0, "a": 1.0}}})
    assert set(grades(with_runs)) == set(grades(filled))


def test_topics_that_no_human_judged_are_filled_too():
    assert grades(irpref_lab.fill(HUMAN, {**JUDGE, "q3": {"w": 2}}))["q3", "w"] == 5 / 3


def test_several_judges_are_calibrated_one_by_one_and_then_together():
    human = {"q": {"a": 0, "b": 1, "c": 2, "d": 3}}
    one = {"q": {"a": 0, "b": 0, "c": 1, "d": 1, "x": 0, "y": 1}}  # means 1/2 and 5/2
    two = {"q": {"a": 0, "b": 7, "c": 0, "d": 7, "x": 0, "y": 7}}  # means 1 and 2
    # Together a is 3/4, b 5/4, c 7/4 and d 9/4, in the order of the human grades.
    assert grades(irpref_lab.fill(human, [one, two])) == {("q", "x"): 0.0, ("q", "y"): 3.0}


def test_further_columns_of_the_qrels_stay():
    frame = pd.DataFrame(
        {"qid": ["q", "q"], "docno": [1, 2], "label": [0, 1], "known": [True, False]}
    )
    filled = irpref_lab.fill(frame, {"q": {"1": 0, "2": 1, "3": 1}}).frame()
    assert filled.columns.tolist() == [
        "query_id",
        "doc_id",
        "relevance",
        "source",
        "calibrated",
        "known",
        "lowest",
    ]
    assert filled["known"].tolist()[:2] == [True, False]


def test_no_common_document_is_refused():
    with pytest.raises(ArgumentError, match="no document") as error:
        irpref_lab.fill(HUMAN, {"q1": {"x": 1}})
    assert error.value.parameter == "judge"


@pytest.mark.parametrize("kind", ["random", "the other way round", "always the same"])
def test_a_judge_that_says_nothing_is_found_out(kind):
    rng = np.random.default_rng(0)
    true = rng.integers(0, 4, 400)
    by_judge = {
        "random": rng.permutation(true),
        "the other way round": 3 - true,
        "always the same": 0 * true,
    }[kind]
    human, judge = (
        {"q": {f"d{i}": int(g) for i, g in enumerate(grades)}} for grades in (true, by_judge)
    )
    judge["q"]["x"] = 2
    with pytest.raises(ArgumentError, match="say nothing") as error:
        irpref_lab.fill(human, judge)
    assert error.value.parameter == "judge"
    said = str(error.value)
    assert ("reverse it (correlation -1.00 " in said) == (kind == "the other way round")


def test_grades_that_were_filled_in_are_no_human_ones():
    once = irpref_lab.fill(HUMAN, JUDGE)
    again = irpref_lab.fill(once, JUDGE)
    pd.testing.assert_frame_equal(again.frame(), once.frame())
    assert again.text == once.text
    pd.testing.assert_frame_equal(
        irpref_lab.fill(irpref_lab.fill(HUMAN, JUDGE, {"a": RUN}), JUDGE).frame(), once.frame()
    )
    # Another judge: it calibrates on human grades alone, and what it did not grade stays as it was.
    other = {"q1": {"a": 1, "c": 5, "x": 5}}
    assert grades(irpref_lab.fill(once, other)) == grades(once) | {("q1", "x"): 1.0}
    judged = [irpref_lab.judge(["AP"], human, JUDGE, {"a": RUN}) for human in (HUMAN, once)]
    pd.testing.assert_frame_equal(*judged)


def test_preferences_and_no_judge_are_refused():
    rows = [("q1", "0", "0", "a", 1), ("q1", "0", "0", "b", 0)]
    with pytest.raises(ArgumentError, match="preferences") as error:
        irpref_lab.fill(
            pd.DataFrame(rows, columns=["query_id", "group", "subgroup", "doc_id", "relevance"]),
            JUDGE,
        )
    assert error.value.parameter == "qrels"
    with pytest.raises(ArgumentError, match="empty list") as error:
        irpref_lab.fill(HUMAN, [])
    assert error.value.parameter == "judge"


def test_filled_documents_are_no_subtopic_of_their_own(tmp_path):
    path = tmp_path / "qrels"
    path.write_text(
        "".join(f"{q} 0 {d} {g}\n" for q, docs in HUMAN.items() for d, g in docs.items())
    )
    assert set(irpref_lab.fill(path, JUDGE).frame()["iteration"]) == {"0"}


# Ranks of runs ------------------------------------------------------------------------------------


def test_the_deviation_of_a_topic_is_shrunk_by_its_number_of_documents():
    # The judge says 0 of all, so m = 1/2; topic 0 has 0 and 0, topic 1 has 1, 1, 1 and 0, topic 2
    # no human grade.
    human = np.array([0, 0, 1, 1, 1, 0, np.nan])
    topic = np.array([0, 0, 1, 1, 1, 1, 2])
    own = Completion(human, np.zeros(7), topic, np.zeros(7)).deviation()
    within = Fraction(3, 4) / (6 - 2)  # squares in topic 1: 3/16 + 9/16
    between = (2 * Fraction(1, 4) + 4 * Fraction(1, 16) - 2 * within) / 6
    share = [n * between / (n * between + within) for n in (2, 4)]
    assert own == pytest.approx(
        [float(x) for x in (-share[0] / 2, -share[0] / 2, *[share[1] / 4] * 4, 0)]
    )


def test_as_many_documents_count_as_relevant_as_are_expected():
    rng = np.random.default_rng(4)
    n = 6000
    topic = np.arange(n) % 20
    quality = rng.normal(rng.normal(0, 1, 20)[topic], 1)
    human = np.where(np.arange(n) < n // 2, (quality > 0).astype(float), np.nan)
    by_judge = (quality + rng.normal(0, 1, n) > 0).astype(float)
    completion = Completion(human, by_judge, topic, quality + rng.normal(0, 1, n))
    graded, filled = completion.both, completion.missing
    assert completion.relevant == pytest.approx((quality[filled] > 0).sum(), rel=0.1)
    grades = completion.grades()
    assert grades[graded].tolist() == human[graded].tolist()
    counted = grades[filled] >= 1
    # Documents of one topic and one grade are alike: all of them count, or none.
    largest = np.unique(
        np.column_stack([topic, completion.mean])[filled], axis=0, return_counts=True
    )[1].max()
    assert abs(counted.sum() - completion.relevant) <= largest / 2
    assert completion.mean[filled][counted].min() >= completion.mean[filled][~counted].max()


@pytest.mark.parametrize(
    ("human", "relevant"), [([1.0, 2.0, np.nan, np.nan], 2.0), ([0.0, 0.0, np.nan, np.nan], 0.0)]
)
def test_if_all_judged_documents_are_alike_the_others_are_like_them(human, relevant):
    completion = Completion(np.array(human), np.zeros(4), np.zeros(4, int), np.arange(4.0))
    assert completion.relevant == relevant
    assert (completion.grades()[2:] > 0).all() == (relevant > 0)


def test_documents_that_no_run_ranks_high_are_relevant_less_often():
    """Pooled documents overstate the others: fewer than the judge's grades promise count, and AP is
    less biased.
    """
    rng = np.random.default_rng(9)
    off = {"ranks": [], "no ranks": []}
    for _ in range(6):
        human, judge, runs = collection(rng, n_docs=150)
        judge = {
            t: {d: int(g > rng.integers(0, 4)) for d, g in docs.items()}
            for t, docs in judge.items()
        }
        known = pooled(human, [runs["r0"], runs["r1"]], 10)
        for kind, filled in {
            "ranks": irpref_lab.fill(known, judge, runs),
            "no ranks": irpref_lab.fill(known, judge),
        }.items():
            for run in runs.values():
                off[kind].append(mean("AP", filled, run) - mean("AP", human, run))
        ranked = irpref_lab.fill(known, judge, runs)
        away = ranked.frame().query("source == 'judge'")
        relevant = sum(
            human[t][d] > 0 for t, d in zip(away["query_id"], away["doc_id"], strict=True)
        )
        positive = {t: {d: int(g > 0) for d, g in docs.items()} for t, docs in known.items()}
        by_judge = irpref_lab.fill(positive, judge).frame().query("source == 'judge'")
        promised = by_judge["relevance"].sum()
        assert ranked.ranked[0] == len(runs)
        assert relevant < ranked.ranked[1] < promised
    assert abs(np.mean(off["ranks"])) < 0.04 < abs(np.mean(off["no ranks"]))


def test_runs_may_be_read_once():
    once = {"r": (row for row in [ir_measures.ScoredDoc("q1", "x", 1.0)])}
    board = irpref_lab.leaderboard(["AP"], irpref_lab.fill(HUMAN, JUDGE), once, pairs="none")
    assert board["judged@10"].tolist() == [0.5]  # q2 has no documents


# What measures see --------------------------------------------------------------------------------


def test_measures_that_sum_gains_see_expected_grades():
    filled = irpref_lab.fill(HUMAN, JUDGE)
    log = np.log2(np.arange(2, 6))
    first = (5 / 3 / log[0] + 1 / log[1] + 1 / 3 / log[2]) / (
        5 / 3 / log[0] + 1 / log[1] + 1 / 3 / log[2]
    )
    second = (1 / log[0] + 2 / log[1]) / (2 / log[0] + 2 / log[1] + 1 / log[2] + 1 / log[3])
    values = irpref.evaluator(["nDCG"], filled)
    assert next(iter(values.values(RUN).values())) == pytest.approx([first, second])


@pytest.mark.parametrize(
    "measure", ["AP", "QMeasure", "OMeasure", "RPref(max_rel=2)", "NPref(n=3,max_rel=2)"]
)
def test_documents_that_probably_are_not_relevant_are_not_counted(measure):
    filled = irpref_lab.fill(HUMAN, JUDGE)
    table = filled.frame()
    low = table["relevance"].between(0.01, 0.99)
    assert low.sum() == 1  # y, of which a third of humans would say 1
    zero = table[["query_id", "doc_id", "relevance"]].assign(
        relevance=table["relevance"].where(~low, 0.0)
    )
    assert mean(measure, filled, RUN) == mean(measure, zero, RUN)


def test_fractional_grades_of_humans_count_as_before():
    frame = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b", "c"], "relevance": [0.5, 0.2, 0.0]})
    run = {"q": {"b": 2.0, "a": 1.0}}
    for source in ("human", ["x", "y", "z"]):
        assert mean("QMeasure", frame.assign(source=source), run) == mean("QMeasure", frame, run)


# Intervals ----------------------------------------------------------------------------------------


def collection(rng, n_topics=20, n_docs=60):
    """Human grades of everything, a judge's of everything, and runs; topics differ in how much is
    relevant.
    """
    human, judge, runs = {}, {}, {f"r{i}": {} for i in range(6)}
    for t in range(n_topics):
        topic = f"t{t:02}"
        quality = rng.normal(rng.normal(-1, 0.7), 1, n_docs)
        human[topic] = {f"d{i}": int(g) for i, g in enumerate(np.clip(np.round(quality), 0, 3))}
        judge[topic] = {
            f"d{i}": int(g)
            for i, g in enumerate(np.clip(np.round(quality + rng.normal(0, 1, n_docs)), 0, 5))
        }
        for k, run in enumerate(runs.values()):
            scores = quality + rng.normal(0, 0.5 + 0.3 * k, n_docs)
            run[topic] = {f"d{i}": float(s) for i, s in enumerate(scores)}
    return human, judge, runs


def pooled(human, runs, depth):
    """The human grades of what some runs have on top."""
    out = {}
    for topic, docs in human.items():
        seen = {
            d for run in runs for d in sorted(run[topic], key=run[topic].get, reverse=True)[:depth]
        }
        out[topic] = {doc: grade for doc, grade in docs.items() if doc in seen}
    return out


def test_verdicts_say_how_much_of_the_first_ten_only_the_judge_graded():
    human = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}
    judge = {"q1": {"a": 1, "b": 0, "x": 1, "y": 0}, "q2": {"c": 1, "z": 1}}
    first = {"q1": {"x": 3.0, "a": 2.0, "y": 1.0}, "q2": {"z": 2.0, "c": 1.0}}
    second = {"q1": {"b": 3.0, "a": 2.0, "y": 1.0}, "q2": {"c": 1.0}}
    found = irpref_lab.compare("AP", irpref_lab.fill(human, judge), first, second)
    # x, y and z of five documents; y of four.
    assert found["by_judge_a"].tolist() == [3 / 5]
    assert found["by_judge_b"].tolist() == [1 / 4]
    # 4 of 9 documents.
    assert "44 %" in found.text


def test_intervals_with_a_judge_are_the_bounds_and_the_value_under_the_fill():
    human, judge, runs = collection(np.random.default_rng(5))
    known = pooled(human, [runs["r0"], runs["r3"]], 10)
    filled = irpref_lab.fill(known, judge, runs)
    measures = ["nDCG@10", "AP"]
    bounds = irpref_lab.intervals(measures, known, runs["r1"], "unjudged")
    for table in (
        irpref_lab.intervals(measures, filled, runs["r1"], "unjudged"),
        irpref_lab.intervals(measures, irpref_lab.fill(known, judge), runs["r1"], "unjudged"),
    ):
        pd.testing.assert_frame_equal(
            table.drop(columns="expected"), bounds.drop(columns="expected")
        )
    means = table[table["query_id"].isna()].set_index("measure")["expected"]
    plain = irpref_lab.fill(known, judge)
    assert means.to_dict() == {m: mean(m, plain, runs["r1"]) for m in measures}


def test_what_counts_does_not_depend_on_other_topics():
    human = {"q1": {"a": 2, "b": 0}, "q2": {"a": 1, "b": 0, "c": 2}}
    filled = irpref_lab.fill(
        human, {"q1": {"a": 2, "b": 0, "x": 1}, "q2": {"a": 1, "b": 0, "c": 2, "x": 0}}
    )
    run = {"q1": {"x": 3.0, "a": 2.0, "b": 1.0}}
    alone = irpref.QMeasure.evaluate(filled.only(["q1"]), run)["q1"]
    assert alone == irpref.QMeasure.evaluate(filled, run)["q1"] == pytest.approx(5 / 6)


# Real grades --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["umbrela-gpt4", "binary-llama3.2"])
def test_systems_of_dl19_keep_their_order(name, data_dir):
    from scipy.stats import kendalltau

    if not (data_dir / "llm-judges").is_dir():
        pytest.skip(f"no grades of LLM judges at {data_dir}")

    files = sorted((data_dir / "dl19-passage" / "runs").glob("*.gz"))
    runs = {file.name: irpref.read_run(file) for file in files}
    human = irpref.read_qrels(data_dir / "dl19-passage" / "qrels" / "qrels.txt.gz")
    top = pd.concat(
        run.sort_values("score", ascending=False).groupby("query_id").head(10)
        for run in list(runs.values())[::6]
    )
    known = human.merge(top[["query_id", "doc_id"]].drop_duplicates(), on=["query_id", "doc_id"])
    judge = data_dir / "llm-judges" / "dl19" / f"{name}.qrels.gz"

    def means(qrels):
        evaluate = irpref.evaluator(["nDCG@10"], qrels)
        return np.array(
            [next(iter(evaluate.calc_aggregate(run).values())) for run in runs.values()]
        )

    filled = irpref_lab.fill(known, judge, runs)
    true, found = means(human), means(filled)
    assert kendalltau(found, true).statistic > max(0.9, kendalltau(means(known), true).statistic)
    off = (found - true).mean()
    assert abs(off) < 0.04
