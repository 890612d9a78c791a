"""`irpref.testing.check_measure` finds what is wrong with a measure, and says so."""

import itertools

import ir_measures
import pytest
from ir_measures import AP, RR, SetP, nDCG
from ir_measures.measures.base import MeanAgg

from irpref.measures import registered
from irpref.testing import check_measure


@pytest.mark.parametrize("measure", [type(m).variants()[0] for m in registered().values()], ids=str)
def test_our_measures_keep_all_laws(measure):
    check_measure(measure)


@pytest.mark.parametrize("measure", ["Novelty(known='seen')", "RecallEffort(expected='wanted')@10"])
def test_a_measure_gets_the_columns_that_it_reads(measure):
    assert check_measure(measure) == []


@pytest.mark.parametrize("measure", [AP, nDCG @ 10, RR, SetP, "P@5", "Bpref", "infAP"], ids=str)
def test_so_do_those_that_trec_eval_computes(measure):
    assert check_measure(measure) == []


def test_ir_measures_own_reciprocal_rank_ranks_ties_by_row():
    """It breaks ties by the order of the rows, which irpref.evaluator avoids."""
    (fault,) = check_measure(RR @ 10, on_fail="return")
    assert fault.law == "ties"
    assert "irpref.evaluator" in fault.text


# Ten faults: how each is made, and the laws that it breaks.


def ranked(run):
    return run.sort_values(["score", "doc_id"], ascending=False)["doc_id"]


def precision(qrels, run):
    """A sound measure, which the faulty ones start from: precision of the first five documents."""
    return ranked(run).head(5).isin(qrels["doc_id"][qrels["relevance"] > 0]).sum() / 5


def by_query(impl, cutoff=False):
    return ir_measures.define_byquery(impl, name="Faulty", support_cutoff=cutoff)


def random_part():
    calls = itertools.count()
    return by_query(lambda qrels, run: precision(qrels, run) + next(calls) * 1e-3)


def nan_where_nothing_is_judged():
    def impl(qrels, run):
        judged = ranked(run).isin(qrels["doc_id"])
        found = ranked(run).isin(qrels["doc_id"][qrels["relevance"] > 0])
        return found.sum() / (judged.sum() or float("nan"))

    return by_query(impl)


def ties_by_rising_id():
    def impl(qrels, run):
        order = run.sort_values(["score", "doc_id"], ascending=[False, True])["doc_id"]
        return order.head(5).isin(qrels["doc_id"][qrels["relevance"] > 0]).mean()

    return by_query(impl)


def score_in_the_value():
    return by_query(lambda qrels, run: precision(qrels, run) * run["score"].max())


def reads_the_ids():
    return by_query(
        lambda qrels, run: precision(qrels, run) + 1e-3 * ranked(run).iloc[0].startswith("d")
    )


def normalised_by_the_batch():
    def impl(qrels, run):
        found = {
            topic: precision(qrels[qrels.query_id == topic], rows)
            for topic, rows in run.groupby("query_id")
        }
        yield from ((topic, value / (max(found.values()) or 1)) for topic, value in found.items())

    return ir_measures.define(impl, name="Faulty", support_cutoff=False)


def wrong_direction():
    measure = by_query(lambda qrels, run: precision(qrels, run))
    type(measure).higher_is_better = False
    return measure


def out_of_range():
    measure = by_query(lambda qrels, run: 5 * precision(qrels, run))
    type(measure).BOUNDS = (0.0, 1.0)
    return measure


def cutoff_that_is_not_kept():
    def impl(qrels, run):
        return ranked(run).isin(qrels["doc_id"][qrels["relevance"] > 0]).mean()

    measure = ir_measures.define_byquery(impl, name="Faulty")
    whole = type(measure).runtime_impl

    def runtime_impl(self, qrels, run):
        yield from (metric._replace(measure=self) for metric in whole(type(self)(), qrels, run))

    type(measure).runtime_impl = runtime_impl
    return measure


def mean_of_its_own():
    class Largest(MeanAgg):
        def result(self):
            return super().result() + 0.1

    measure = by_query(precision)
    type(measure).aggregator = lambda self: Largest()
    return measure


def first_row_counts():
    """The order of the rows decides, whatever the scores."""
    return by_query(
        lambda qrels, run: float(run.sort_index()["doc_id"].iloc[0] in set(qrels["doc_id"]))
    )


FAULTS = {
    random_part: "repeatable",
    nan_where_nothing_is_judged: "finite",
    ties_by_rising_id: "ties",
    score_in_the_value: "scores",
    reads_the_ids: "ids",
    normalised_by_the_batch: "batches",
    wrong_direction: "direction",
    out_of_range: "range",
    cutoff_that_is_not_kept: "cutoff",
    mean_of_its_own: "mean",
    first_row_counts: "rows",
}


@pytest.mark.slow
@pytest.mark.parametrize("plant", FAULTS, ids=lambda plant: plant.__name__)
def test_a_planted_fault_is_found(plant):
    found = {fault.law for fault in check_measure(plant(), on_fail="return")}
    assert FAULTS[plant] in found


def test_the_sound_measure_that_they_start_from_keeps_all_laws():
    check_measure(by_query(precision))


def test_an_input_that_is_changed_is_found(monkeypatch):
    whole = ir_measures.iter_calc

    def iter_calc(measures, qrels, run):
        if hasattr(run, "columns"):
            run["rank"] = 1
        return whole(measures, qrels, run)

    monkeypatch.setattr(ir_measures, "iter_calc", iter_calc)
    assert [fault.law for fault in check_measure(AP, on_fail="return")] == ["inputs"]


def test_a_measure_that_fails_on_plain_data_is_one_fault():
    measure = by_query(lambda qrels, run: 1 / 0)
    with pytest.raises(AssertionError, match="ZeroDivisionError") as error:
        check_measure(measure)
    assert str(error.value).count("\n") == 1


@pytest.mark.parametrize("plant", [wrong_direction, cutoff_that_is_not_kept])
def test_each_fault_is_one_line(plant):
    faults = check_measure(plant(), on_fail="return")
    assert faults
    assert not any("\n" in fault.text or "  " in fault.text for fault in faults)


def test_other_ways_to_fail_are_refused():
    with pytest.raises(ValueError, match="on_fail"):
        check_measure(AP, on_fail="warn")
