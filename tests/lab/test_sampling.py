"""Plans, and judgments of a sample: frames, files, refusals, and estimates on a small collection."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import irpref
import irpref_lab
from irpref.errors import ArgumentError, InputError, JudgmentsError
from irpref_lab import sample, sampled
from irpref_lab.judges.additive import additive
from irpref_lab.judges.plans import COLUMNS, read_plan

TOPICS = [f"q{i}" for i in range(12)]
DOCS = [f"d{i:02}" for i in range(15)]
MEASURES = ["P@5", "CG@5", "DCG@5", "RBP(rel=1)@5"]


def made(seed: int = 0, n_runs: int = 3) -> tuple[Any, Any, Any]:
    """Human grades of all documents, a judge's, and runs of different quality."""
    rng = np.random.default_rng(seed)
    human = {
        t: {d: int(g) for d, g in zip(DOCS, rng.integers(0, 4, 15), strict=True)} for t in TOPICS
    }
    judge = {
        t: {d: int(max(0, g + rng.integers(-1, 2))) for d, g in grades.items()}
        for t, grades in human.items()
    }
    runs = {
        f"r{k}": {
            t: {d: g * k + float(rng.normal(0, 2)) for d, g in grades.items()}
            for t, grades in human.items()
        }
        for k in range(n_runs)
    }
    return human, judge, runs


def grades_of(plan: pd.DataFrame, human: Any, n: int | None = None) -> Any:
    """Human grades of the first documents of a plan."""
    rows = plan[plan["order"] > 0][["query_id", "doc_id"]].head(n).itertuples(index=False)
    grades: dict[str, dict[str, int]] = {}
    for query_id, doc_id in rows:
        grades.setdefault(query_id, {})[doc_id] = human[query_id][doc_id]
    return grades


def test_a_plan_holds_what_the_runs_weight_differently() -> None:
    _, judge, runs = made()
    plan = sample("P@5", None, judge, runs, n=20, rng=1)
    assert list(plan.columns) == COLUMNS
    top = {
        name: {(t, d) for t, of in run.items() for d in sorted(of, key=lambda d: (-of[d], d))[:5]}
        for name, run in runs.items()
    }
    differ = set.union(*top.values()) - set.intersection(*top.values())
    assert set(zip(plan["query_id"], plan["doc_id"], strict=True)) == differ
    assert plan["order"].tolist() == list(range(1, len(plan) + 1))
    assert plan["priority"].is_monotonic_decreasing
    p = np.minimum(1, plan["size"] / plan["priority"][20])
    assert plan["probability"][:20].tolist() == p[:20].tolist()
    assert plan["probability"][20:].isna().all()


def test_a_plan_depends_on_the_seed_and_not_on_the_order_of_rows() -> None:
    _, judge, runs = made()
    plan = sample(MEASURES, None, judge, runs, rng=1)
    turned = {t: dict(reversed(of.items())) for t, of in reversed(judge.items())}
    assert sample(MEASURES, None, turned, runs, rng=1).equals(plan)
    assert not sample(MEASURES, None, judge, runs, rng=2).equals(plan)
    fresh = sample(MEASURES, None, judge, runs)
    assert sample(MEASURES, None, judge, runs, rng=fresh.attrs["seed"]).equals(fresh)


def test_documents_judged_before_are_certain() -> None:
    human, judge, runs = made()
    before = {"q1": human["q1"], "q2": {"d00": -1}}
    plan = sample("DCG@5", before, judge, runs, n=10, rng=1)
    first = plan[plan["order"] == 0]
    assert set(first["query_id"]) == {"q1"}  # a negative grade is no judgment
    assert first["probability"].eq(1).all()
    assert np.isinf(first["priority"]).all()
    assert (plan["order"] == 0).to_numpy().nonzero()[0].tolist() == list(range(len(first)))
    assert sampled(before | {"q2": {}} | grades_of(plan, human, 4), judge, plan).n_judged == 4


def test_a_plan_says_that_nothing_is_left_to_judge() -> None:
    human, judge, runs = made()
    everything = {t: dict.fromkeys(docs, 0) | human.get(t, {}) for t, docs in judge.items()}
    for docs in runs.values():
        for t in docs:
            everything[t] = dict.fromkeys(docs[t], 0) | everything[t]
    plan = sample("DCG@5", everything, judge, runs, n=10, rng=1)
    assert len(plan) > 0
    assert (plan["order"] == 0).all()
    assert "nothing is left to judge" in plan.text


def test_partners_are_drawn_together_and_the_first_one_waits_for_the_next() -> None:
    human, judge, runs = made(n_runs=2)
    plan = sample("DCG@5", None, judge, runs, n=20, looks=[20, 40], rng=1)
    together = plan[plan["priority"].duplicated(keep=False)]
    assert 0 < len(together) < len(plan)
    for _, two in together.groupby("priority"):
        assert two["query_id"].nunique() == two["size"].nunique() == 1
        assert np.diff(two["order"]).tolist() == [1]
    cut = int(together["order"].iloc[8])  # the first of two
    at = sample("DCG@5", None, judge, runs, n=cut, looks=[cut, 40], rng=1)
    p = np.minimum(1, plan["size"] / plan["priority"][cut])
    assert at["probability"][: cut - 1].tolist() == p[: cut - 1].tolist()
    later = plan["size"][cut] / plan["priority"][cut + 1]  # once its partner is judged
    assert at["probability"][cut - 1] == min(1, later)
    assert at["probability"][cut:].isna().all()
    assert sampled(grades_of(at, human, 1), judge, at).n_judged == 1  # one of the first two
    grades = [grades_of(at, human, n) for n in (cut - 1, cut, cut + 1)]
    fewer, here, more = (sampled(each, judge, at) for each in grades)
    assert (fewer.at_look, here.at_look, more.at_look) == (True, True, False)
    values = [each.values("DCG@5", runs)[0].values.values.tolist() for each in (fewer, here, more)]
    assert values[1] != values[2]
    pair = np.array([0]), np.array([1]), 0.95
    low = [each.values("DCG@5", runs)[0].intervals(*pair)[0][0] for each in (fewer, here, more)]
    assert low[0] == pytest.approx(low[1], abs=0.1)  # only predictions of others may move
    assert abs(low[1] - low[2]) > 1


def test_the_grade_of_a_document_that_does_not_count_yet_tells_nothing() -> None:
    human, judge, runs = made(n_runs=2)
    plan = sample("DCG@5", None, judge, runs, n=20, rng=1)
    first = plan["order"][plan["priority"].duplicated()].to_numpy() - 1  # of two partners
    assert first[0] == 1
    for number, ground in (
        (int(first[5]), f"all {first[5] - 1} judged documents count the same"),
        (1, "the judged document does not count before its partner is judged"),
    ):
        grades = {query_id: dict.fromkeys(docs, 1) for query_id, docs in human.items()}
        query_id, doc_id = plan[["query_id", "doc_id"]].iloc[number - 1]
        grades[query_id][doc_id] = 3
        judgments = sampled(grades_of(plan, grades, number), judge, plan)
        comparison = irpref_lab.compare("DCG@5", judgments, *runs.values())
        # Not an interval of no width, from the counted grades alone.
        assert comparison[["low_judged", "high_judged"]].isna().all(axis=None)
        assert comparison["verdict"].item() == "cannot tell"
        assert ground in comparison.text


def test_a_document_whose_partner_was_judged_before_is_drawn_alone() -> None:
    human, judge, runs = made(n_runs=2)
    plan = sample("DCG@5", None, judge, runs, rng=1)
    two = plan[plan["priority"].duplicated(keep=False)].head(2)
    (query_id,), (first, second) = set(two["query_id"]), two["doc_id"]
    before = {query_id: {first: human[query_id][first]}}
    again = sample("DCG@5", before, judge, runs, rng=2).set_index(["query_id", "doc_id"])
    alone = again.loc[(query_id, second)]
    assert alone["order"] > 0
    assert (again["priority"] == alone["priority"]).sum() == 1
    # Each has its own size; drawn together, they have the root mean square.
    sizes_alone = again.loc[[(query_id, first), (query_id, second)], "size"]
    assert sizes_alone.nunique() == 2
    assert np.sqrt((sizes_alone**2).mean()) == pytest.approx(two["size"].iloc[0])


@pytest.mark.parametrize("measure", MEASURES)
def test_a_census_gives_the_differences_of_full_judgments(measure: str) -> None:
    human, judge, runs = made()
    plan = sample(measure, None, judge, runs, rng=1)
    judgments = sampled(grades_of(plan, human), judge, plan)
    (estimates,) = judgments.values(measure, runs)
    evaluate = irpref.evaluator([measure], human)
    full = np.array([evaluate.values(run)[irpref.parse(measure)] for run in runs.values()])
    order = np.argsort(evaluate.topic_ids)
    differences = estimates.values.values[1:] - estimates.values.values[:1]
    assert differences == pytest.approx((full[1:] - full[:1])[:, order])
    low, high = estimates.intervals(np.array([0]), np.array([1]), 0.95)
    assert low[0] == high[0] == pytest.approx(differences[0].mean())


@pytest.mark.slow
@pytest.mark.parametrize(("measure", "kind"), list(product(["P@5", "DCG@5"], ["own", "inverted"])))
def test_differences_are_unbiased_and_intervals_hold_them(measure: str, kind: str) -> None:
    human, judge, runs = made()
    if kind == "inverted":
        judge = {t: {d: 9 - g for d, g in of.items()} for t, of in judge.items()}
    plan = sample(measure, None, judge, runs, rng=0)
    (full,) = sampled(grades_of(plan, human), judge, plan).values(measure, runs)
    true = full.values.means[1] - full.values.means[0]
    errors, held = [], []
    for seed in range(120):
        plan = sample(measure, None, judge, runs, n=40, rng=seed)
        (estimates,) = sampled(grades_of(plan, human, 40), judge, plan).values(measure, runs)
        errors.append(estimates.values.means[1] - estimates.values.means[0] - true)
        low, high = estimates.intervals(np.array([0]), np.array([1]), 0.95)
        held.append(low[0] <= true <= high[0])
    assert abs(np.mean(errors)) < 4 * np.std(errors) / np.sqrt(len(errors))
    assert np.mean(held) > 0.9


def test_a_gap_ends_the_sample_and_other_grades_are_counted() -> None:
    human, judge, runs = made()
    plan = sample("P@5", None, judge, runs, n=10, looks=[5, 10], rng=1)
    grades = grades_of(plan, human, 10)
    query_id, doc_id = plan.loc[5, ["query_id", "doc_id"]]
    grades[query_id][doc_id] = -1  # unjudged: the sample ends before it
    grades["q0"]["elsewhere"] = 2
    judgments = sampled(grades, judge, plan)
    assert (judgments.n_judged, judgments.n_unused, judgments.at_look) == (5, 5, True)
    assert judgments.n_drawn == len(plan)
    first, *rest = judgments.text.split("; ")
    assert first.startswith(f"judged 5 of {len(plan)} ")
    assert rest[-1].startswith("5 human grades outside")
    del grades[plan.loc[4, "query_id"]][plan.loc[4, "doc_id"]]
    judgments = sampled(grades, judge, plan)
    assert (judgments.at_look, judgments.looks) == (False, (5, 10))
    assert "looks at 5, 10, so " in judgments.text
    assert "no verdict now" in judgments.text


def test_a_document_that_cannot_be_judged_has_grade_0_by_decision(tmp_path: Path) -> None:
    human, judge, runs = made()
    plan = sample("P@5", None, judge, runs, n=10, rng=1)
    grades = grades_of(plan, human, 10)
    query_id, doc_id = plan.loc[5, ["query_id", "doc_id"]]
    decided = plan.assign(decision=np.where(plan["order"] == 6, "unjudgeable", ""))
    decided.attrs = plan.attrs
    with pytest.raises(JudgmentsError) as graded:
        sampled(grades, judge, decided)
    assert (graded.value.topic, graded.value.doc) == (query_id, doc_id)
    del grades[query_id][doc_id]
    assert sampled(grades, judge, plan).n_judged == 5
    judgments = sampled(grades, judge, decided)
    assert judgments.n_judged == 10
    assert judgments.frame()["relevance"][5] == 0
    plan.save(tmp_path / "plan.tsv")  # as a person does it: a word at the end of the line
    lines = (tmp_path / "plan.tsv").read_text().split("\n")
    (at,) = (i for i, line in enumerate(lines) if line.startswith("6\t"))
    lines[at] += "\tunjudgeable"
    (tmp_path / "plan.tsv").write_text("\n".join(lines))
    assert sampled(grades, judge, tmp_path / "plan.tsv").hash == judgments.hash
    lines[at] += " today"
    (tmp_path / "plan.tsv").write_text("\n".join(lines))
    with pytest.raises(InputError) as unknown:
        sampled(grades, judge, tmp_path / "plan.tsv")
    assert (unknown.value.path, unknown.value.column, unknown.value.value) == (
        str(tmp_path / "plan.tsv"),
        "decision",
        "unjudgeable today",
    )


def test_a_plan_comes_back_from_its_file(tmp_path: Path) -> None:
    human, judge, runs = made()
    plan = sample(MEASURES, {"q3": human["q3"]}, judge, runs, n=30, looks=3, rng=1)
    plan.save(tmp_path / "plan.tsv")
    back = read_plan(tmp_path / "plan.tsv")
    assert back.equals(plan)
    assert back.attrs == plan.attrs
    assert plan.attrs["looks"] == [10, 20, 30]
    assert plan.text in str(plan.text)


def test_a_plan_that_was_cut_or_changed_is_refused(tmp_path: Path) -> None:
    _, judge, runs = made()
    path = tmp_path / "plan.tsv"
    plan = sample("P@5", None, judge, runs, rng=1)
    plan.save(path)
    whole = path.read_text()
    lines = whole.split("\n")
    for text in ("", "\n".join(lines[:-5]) + "\n", whole[:-20], whole[:200], whole[:-1]):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"plan\.tsv"):
            read_plan(path)
    path.write_text(whole.replace("\td01\t", "\td99\t"))
    with pytest.raises(ValueError, match="was changed"):
        read_plan(path)
    with pytest.raises(InputError, match="cut off") as cut:
        sampled({"q1": {"d01": 1}}, judge, plan.head(9))
    assert (cut.value.path, cut.value.value) == (None, 9)
    with pytest.raises(ValueError, match="no plan"):
        sampled({"q1": {"d01": 1}}, judge, pd.DataFrame(plan.to_dict("list")))


@pytest.mark.parametrize(
    ("measure", "use"),
    [("nDCG@10", "DCG@10"), ("AP", "P@k"), ("DCG", "DCG@k"), ("NCG@5", "CG@5"), ("RR@10", "CG@k"),
     ("P(judged_only=True)@5", "P@k"), ("RBP@10", "use RBP(rel=1)@10")],
)  # fmt: skip
def test_measures_that_are_no_sums_are_refused(measure: str, use: str) -> None:
    human, judge, runs = made()
    with pytest.raises(ValueError, match="cannot be estimated") as error:
        sample(measure, None, judge, runs)
    assert use in str(error.value)
    plan = sample("P@5", None, judge, runs, rng=1)
    with pytest.raises(ValueError, match="cannot be estimated"):
        sampled(grades_of(plan, human, 9), judge, plan).values(measure, runs)


def test_the_seed_of_earlier_judgments_is_refused() -> None:
    human, judge, runs = made()
    plan = sample("P@5", None, judge, runs, rng=1)
    grades = grades_of(plan, human, 20)
    with pytest.raises(ValueError, match="use another seed"):
        sample("P@5", grades, judge, runs, rng=1)
    assert sample("P@5", grades, judge, runs, rng=2).attrs["seed"] == 2
    assert sample("P@5", grades, judge, runs).attrs["seed"] != 1
    # So it is with what `sampled` returned.
    earlier = sampled(grades, judge, plan)
    with pytest.raises(ValueError, match="use another seed"):
        sample("P@5", earlier, judge, runs, rng=1)
    again = sample("P@5", earlier, judge, runs, rng=2)
    assert again.equals(sample("P@5", grades, judge, runs, rng=2))


def test_there_may_be_no_human_judgments_yet() -> None:
    _, judge, runs = made()
    plan = sample("P@5", None, judge, runs, rng=1)
    assert sample("P@5", {}, judge, runs, rng=1).equals(plan)
    empty = pd.DataFrame({"query_id": [], "doc_id": [], "relevance": []})
    assert sample("P@5", empty, judge, runs, rng=1).equals(plan)
    with pytest.raises(ValueError, match="sample needs topics"):
        sample("P@5", {}, None, runs)


def test_what_does_not_fit_the_plan_is_refused() -> None:
    human, judge, runs = made()
    plan = sample("P@5", None, judge, runs, n=10, rng=1)
    grades = grades_of(plan, human, 10)
    judgments = sampled(grades, judge, plan)
    drawn = set(zip(plan["query_id"], plan["doc_id"], strict=True))
    other = {"r0": runs["r0"], "other": made(seed=1)[2]["r2"]}
    for measure, of in (("P@10", runs), ("P@5", other)):
        with pytest.raises(ArgumentError) as beside:
            judgments.values(measure, of)
        assert (beside.value.parameter, beside.value.measure) == ("runs", measure)
        assert (beside.value.topic, beside.value.doc) not in drawn
    with pytest.raises(JudgmentsError) as of_judge:
        sampled(grades, made(seed=1)[1], plan)
    assert of_judge.value.parameter == "judge"
    with pytest.raises(JudgmentsError, match="judged yet") as nothing:
        sampled({"q1": {"nowhere": 1}}, judge, plan)
    assert (nothing.value.topic, nothing.value.doc) == tuple(plan.loc[0, ["query_id", "doc_id"]])
    before = sample("P@5", {"q3": human["q3"]}, judge, runs, rng=1)
    with pytest.raises(JudgmentsError, match="judged before") as lost:
        sampled(grades, judge, before)
    assert (lost.value.topic, lost.value.doc) == ("q3", before["doc_id"][0])


@pytest.mark.parametrize(
    ("options", "message"),
    [({"n": 0}, "n=0"), ({"n": 2.5}, "n=2.5"), ({"looks": []}, "looks="),
     ({"looks": [20, 10]}, "looks="), ({"looks": 0}, "looks=0"), ({"rng": "x"}, "rng='x'")],
)  # fmt: skip
def test_options_that_are_not_accepted(options: dict[str, Any], message: str) -> None:
    _, judge, runs = made()
    with pytest.raises(ValueError, match=message):
        sample("P@5", None, judge, runs, **options)


def test_runs_that_do_not_differ_are_refused() -> None:
    _, judge, runs = made()
    with pytest.raises(ValueError, match="at least 2, got 1"):
        sample("P@5", None, judge, {"r0": runs["r0"]})
    with pytest.raises(ValueError, match="do not differ"):
        sample("P@5", None, judge, {"a": runs["r0"], "b": runs["r0"]})


def test_documents_without_a_grade_of_the_judge_are_drawn() -> None:
    _, judge, runs = made()
    some = {t: dict(list(of.items())[:7]) for t, of in judge.items()}
    every = sample("P@5", None, judge, runs, rng=1)
    assert len(sample("P@5", None, some, runs, rng=1)) == len(every)
    failed = {t: {d: g if d in some[t] else -1 for d, g in of.items()} for t, of in judge.items()}
    plan = sample("P@5", None, failed, runs, n=9, rng=1)
    human = made()[0]
    table = sampled(grades_of(plan, human, 9), failed, plan).frame()
    assert table["judge"].isna().any()  # a negative grade is none


def test_without_a_judge_there_is_one_level() -> None:
    human, _, runs = made()
    plan = sample("P@5", human, None, runs, rng=1)
    assert (plan["order"] == 0).all()  # all of them are judged
    some = {t: {"d00": of["d00"]} for t, of in human.items()}
    plan = sample("P@5", some, None, runs, n=9, rng=1)
    grades = {
        t: some[t] | of for t, of in ({t: {} for t in TOPICS} | grades_of(plan, human, 9)).items()
    }
    judgments = sampled(grades, None, plan)
    assert judgments.n_judged == 9
    (values,) = judgments.values("P@5", runs)
    assert len(set(values.estimate.level.tolist())) == 1
    with pytest.raises(JudgmentsError) as of_judge:
        sampled(grades, human, plan)
    assert of_judge.value.parameter == "judge"
    with pytest.raises(ValueError, match="needs topics"):
        sample("P@5", None, None, runs)


def test_several_runs_of_one_system_share_its_weight() -> None:
    _, judge, runs = made()
    plan = sample("P@5", None, judge, {"a": runs["r0"], "b": [runs["r1"], runs["r2"]]}, rng=1)
    assert set(zip(plan["query_id"], plan["doc_id"], strict=True)) == set(
        zip(
            *(sample("P@5", None, judge, runs, rng=1)[c] for c in ("query_id", "doc_id")),
            strict=True,
        )
    )


def test_topics_without_a_difference_count() -> None:
    human, judge, runs = made()
    same = {name: run | {"same": {"x": 2.0, "y": 1.0}} for name, run in runs.items()}
    plan = sample("P@5", None, judge | {"same": {"x": 1}}, same, rng=1)
    assert plan.attrs["topics"] == ["same"]
    judgments = sampled(grades_of(plan, human), judge | {"same": {"x": 1}}, plan)
    (estimates,) = judgments.values("P@5", same)
    assert estimates.values.n_topics == len(TOPICS) + 1
    assert estimates.values.values[:, estimates.values.topics.index("same")].tolist() == [0, 0, 0]


def test_weights_and_gains_are_those_of_the_measure() -> None:
    dcg, rbp, p = additive(["DCG@4", "RBP(rel=2,p=0.5)@3", "P(rel=2)@4"])
    assert dcg.weight == pytest.approx([1, 1, 1 / np.log2(3), 1 / 2])
    assert rbp.weight == pytest.approx([1 / 2, 1 / 4, 1 / 8])
    assert p.weight == pytest.approx([1 / 4] * 4)
    grade = np.array([0.0, 1, 2, 3, 0.5])
    assert dcg.gains(grade) == pytest.approx([0, 1, 2, 3, 0.5])
    assert rbp.gains(grade).tolist() == p.gains(grade).tolist() == [0, 0, 1, 1, 0]


# Verdicts -----------------------------------------------------------------------------------------


def judged(n: int, looks: Any = 1, seed: int = 1, measure: Any = "DCG@5") -> tuple[Any, ...]:
    """Judgments of the first documents of a plan for three runs, and the runs."""
    human, judge, runs = made()
    plan = sample(measure, None, judge, runs, n=n, looks=looks, rng=seed)
    return sampled(grades_of(plan, human, n), judge, plan), human, runs


def test_compare_says_what_full_judgments_would_say_and_whether_to_go_on() -> None:
    judgments, human, runs = judged(60)
    comparison = irpref_lab.compare("DCG@5", judgments, runs["r0"], runs["r2"])
    (row,) = comparison.to_dict("records")
    full = irpref_lab.compare("DCG@5", human, runs["r0"], runs["r2"])["difference"].item()
    assert row["low_judged"] <= full <= row["high_judged"]
    assert row["low_judged"] > 0
    assert row["verdict"] == "b better"
    assert (
        comparison[["mean_a", "mean_b", "wins", "losses", "equal", "could_turn"]]
        .isna()
        .all(axis=None)
    )
    least, most = row["low_judged"], row["high_judged"]
    assert (
        f"On these topics full judgments would put b ahead by {least:.3f} to {most:.3f}: you may "
        "stop." in comparison.text
    )
    assert any("judged 60 of " in note for note in comparison.notes)
    assert comparison.by_topic["difference"].mean() == pytest.approx(row["difference"])


def test_a_sample_that_could_be_either_says_how_many_more() -> None:
    judgments, _, runs = judged(12)
    comparison = irpref_lab.compare("DCG@5", judgments, runs["r1"], runs["r2"])
    assert comparison["low_judged"].item() < 0 < comparison["high_judged"].item()
    (low, high), text = comparison.iloc[0][["low_judged", "high_judged"]], comparison.text
    assert f"could still put either ahead ({low:.3f} to {high:.3f}): about " in text
    assert "documents would halve" in text


def test_looks_share_the_level_and_elsewhere_there_is_no_verdict() -> None:
    one, _, runs = judged(60)
    five, _, _ = judged(60, looks=5)
    assert 0.96 < five.share(0.95) < 0.99  # estimates of nested samples are correlated
    narrow, wide = (
        irpref_lab.compare("DCG@5", of, runs["r0"], runs["r2"]).iloc[0] for of in (one, five)
    )
    assert wide["low_judged"] < narrow["low_judged"]
    assert wide["low"] < narrow["low"]
    between, _, _ = judged(60, looks=[50, 100])
    comparison = irpref_lab.compare("DCG@5", between, runs["r0"], runs["r2"])
    assert comparison["verdict"].item() == "cannot tell"
    assert comparison["codes"].item() == "no-look"
    assert comparison[["difference", "low", "p", "low_judged"]].notna().all(axis=None)
    assert "you may stop" not in comparison.text
    gate = irpref_lab.gate("DCG@5", between, runs["r0"], runs["r2"])
    assert gate.verdict == "inconclusive"
    assert gate["codes"].item() == "no-look"
    assert "looks at 50, 100" in gate.text
    board = irpref_lab.leaderboard("DCG@5", between, runs)
    assert board["letters"].isna().all()
    assert board["place_low"].isna().all()


def test_a_census_gives_the_verdict_of_full_judgments() -> None:
    judgments, human, runs = judged(10_000)
    comparison = irpref_lab.compare("DCG@5", judgments, runs["r0"], runs["r2"]).iloc[0]
    full = irpref_lab.compare("DCG@5", human, runs["r0"], runs["r2"]).iloc[0]
    for column in ("difference", "low", "high", "p", "verdict", "topics"):
        assert comparison[column] == pytest.approx(full[column])
    assert (
        comparison["low_judged"] == comparison["high_judged"] == pytest.approx(full["difference"])
    )
    gates = [
        irpref_lab.gate("DCG@5", of, runs["r2"], runs["r0"]).iloc[0] for of in (judgments, human)
    ]
    for column in ("difference", "low", "high", "p", "verdict", "topics", "missing_candidate"):
        assert gates[0][column] == pytest.approx(gates[1][column])
    boards = [irpref_lab.leaderboard("DCG@5", of, runs) for of in (judgments, human)]
    for column in ("run", "place", "place_low", "place_high", "letters"):
        assert boards[0][column].tolist() == boards[1][column].tolist()
    assert boards[0].pairs["p"].tolist() == pytest.approx(boards[1].pairs["p"].tolist())


def test_a_gate_passes_and_blocks_on_a_sample() -> None:
    judgments, _, runs = judged(80)
    better = irpref_lab.gate("DCG@5", judgments, runs["r0"], runs["r2"])
    assert better.verdict == "pass"
    assert (
        better[["baseline", "candidate", "unjudged_baseline", "could_turn"]].isna().all(axis=None)
    )
    worse = irpref_lab.gate("DCG@5", judgments, runs["r2"], runs["r0"])
    assert worse.verdict == "block"
    assert worse.text.startswith("blocked: DCG@5 ")
    assert any("you may stop" in note for note in worse.notes)
    other, _, _ = judged(80, seed=2)
    assert worse.inputs != irpref_lab.gate("DCG@5", other, runs["r2"], runs["r0"]).inputs


def test_intervals_of_a_board_hold_for_all_pairs() -> None:
    judgments, _, runs = judged(60)
    board = irpref_lab.leaderboard(["DCG@5", "P@5"], judgments, runs)
    assert board[["mean", "low", "high", "judged@10"]].isna().all(axis=None)
    assert board["run"].tolist() == ["r2", "r1", "r0"] * 2
    pair = board.pairs.iloc[0]
    alone = irpref_lab.compare("DCG@5", judgments, runs[pair["a"]], runs[pair["b"]]).iloc[0]
    assert pair["low_judged"] < alone["low_judged"] < alone["high_judged"] < pair["high_judged"]
    assert pair["difference"] == pytest.approx(alone["difference"])


def test_runs_that_lack_topics_are_not_decided() -> None:
    human, judge, runs = made()
    short = {t: of for t, of in runs["r2"].items() if t not in ("q1", "q2")}
    plan = sample("DCG@5", None, judge, {"a": runs["r0"], "b": short}, rng=1)
    judgments = sampled(grades_of(plan, human), judge, plan)
    comparison = irpref_lab.compare("DCG@5", judgments, runs["r0"], short)
    assert (comparison["verdict"].item(), comparison["codes"].item()) == (
        "cannot tell",
        "unanswered",
    )
    gate = irpref_lab.gate("DCG@5", judgments, short, runs["r0"])
    assert (gate.verdict, gate["codes"].item()) == ("block", "unanswered")  # a loss still blocks
    gate = irpref_lab.gate("DCG@5", judgments, short, short)
    assert gate.verdict == "inconclusive"
    gate = irpref_lab.gate("DCG@5", judgments, runs["r0"], short)
    assert gate["missing_candidate"].item() == 2
    with pytest.raises(irpref.errors.AbsentRunError):
        irpref_lab.compare("DCG@5", judgments, runs["r0"], {"q1": {}, "q99": {"x": 1.0}})


def test_line_and_notes_of_a_board_allow_as_many_missing_topics() -> None:
    judgments, _, runs = judged(10_000)
    short = runs | {"r0": {t: of for t, of in runs["r0"].items() if t not in ("q1", "q2")}}
    for missing, code in ((0.5, ""), (0.0, "unanswered")):
        board = irpref_lab.leaderboard("DCG@5", judgments, short, missing=missing)
        assert board["codes"].tolist() == [code] * 3
        assert ("cannot tell" in board.text) == (code != "")
        assert any("cannot tell" in note for note in board.notes) == (code != "")


def test_groups_of_topics_have_intervals_of_their_own() -> None:
    judgments, _, runs = judged(100)
    groups = {t: "even" if i % 2 == 0 else "odd" for i, t in enumerate(TOPICS)}
    comparison = irpref_lab.compare("DCG@5", judgments, runs["r0"], runs["r2"], groups=groups)
    whole = irpref_lab.compare("DCG@5", judgments, runs["r0"], runs["r2"])
    assert comparison["group"].tolist() == ["even", "odd"]
    assert comparison["difference"].mean() == pytest.approx(whole["difference"].item())
    assert (comparison["low_judged"] < comparison["difference"]).all()


def test_an_evaluator_refuses_a_sample() -> None:
    judgments, human, runs = judged(60)
    with pytest.raises(JudgmentsError, match="compare, gate"):
        irpref.evaluator(["DCG@5"], judgments)
    for refused in (
        lambda: irpref_lab.intervals(["DCG@5"], judgments, runs["r0"]),
        lambda: irpref_lab.fill(judgments, human),
        lambda: judgments.only(["q1"]),
        lambda: irpref_lab.check(judgments, runs),
    ):
        with pytest.raises(JudgmentsError):
            refused()
    assert repr(irpref.judgments(judgments)).splitlines()[2] == judgments.text
