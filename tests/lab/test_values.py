"""Values by topic that other tools computed: read from files of the tools, or refused."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import irpref
import irpref_lab
from irpref.cli import main
from irpref.datasets import load
from irpref.errors import ArgumentError, ColumnError, CutWarning, InputError
from irpref.messages import IrprefWarning, whole_files
from irpref_lab.given_values import Values, values
from irpref_lab.meta import TopicValues

TOOLS = Path(__file__).parent / "values_of_tools"
TOPICS = ("1", "10", "11", "12", "13", "14", "15", "16")
# AP of `noisy`, which does not answer topic 11, as trec_eval prints it.
NOISY = [0.4156, 0.6023, 0.0, 0.2381, 0.3249, 0.0994, 0.6107, 0.1914]
ROUNDED = 0.5e-4 * (1 + 1e-9)


def of_noisy(given: Values) -> Any:
    """Its AP by topic."""
    return given.of("map", ["noisy"]).values[0]


# What tools write ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["trec_eval", "ir_measures", "pyterrier", "ranx/scores.json"])
def test_values_of_several_systems_are_those_that_the_tool_wrote(name: str) -> None:
    given = values(TOOLS / name)
    assert given.systems == ("baseline", "noisy")
    assert given.topics == TOPICS
    assert given.measures[0] in ("AP", "RR")
    assert set(given.measures) == {"AP", "RR", "nDCG@10"}
    table = given.of("AP")
    assert table.systems == given.systems
    assert table.topics == TOPICS
    np.testing.assert_allclose(table.values[1], NOISY, rtol=0, atol=ROUNDED)
    assert np.abs(table.values[0] - table.values[1]).max() > 0.1


def test_trec_eval_leaves_out_topics_without_documents_and_others_do_not() -> None:
    for name, answers in (("trec_eval", 7), ("ir_measures", 8), ("pyterrier", 8)):
        given = values(TOOLS / name)
        assert given.answered("AP", ["baseline", "noisy"]).sum(axis=1).tolist() == [8, answers]
    assert of_noisy(values(TOOLS / "trec_eval")).size == 7  # the union of this system's topics


@pytest.mark.parametrize("name", ["trec_eval-10.txt", "ir_measures.jsonl"])
def test_a_file_is_a_system_of_its_name(name: str) -> None:
    given = values(TOOLS / name)
    assert given.systems == (Path(name).stem,)
    np.testing.assert_allclose(given.of("AP").values[0], NOISY, rtol=0, atol=ROUNDED)


def test_all_measures_of_trec_eval_are_read_but_not_its_means() -> None:
    given = values(TOOLS / "trec_eval-10.txt")
    assert len(given.measures) == 27
    assert {"P@5", "Rprec", "Bpref", "NumRet"} <= {*given.measures}
    assert "all" not in given.topics


def test_frames_of_pyterrier_are_read_as_they_are() -> None:
    frame = pd.read_csv(TOOLS / "pyterrier/perquery.csv", dtype={"qid": str})
    of_file = values(TOOLS / "pyterrier").of("nDCG@10")
    for data in (frame, pl.from_pandas(frame), type("Both", (), {"perquery": frame})()):
        assert np.array_equal(values(data).of("nDCG@10").values, of_file.values)


def test_samples_of_inspect_are_a_wide_table_and_its_letters_are_numbers() -> None:
    columns = {"system": "task_name", "topic": "id", "measures": ["score_match", "score_recall"]}
    given = values(TOOLS / "inspect/samples.csv", columns=columns)
    assert set(given.systems) == {"first", "second"}
    # Every fourth answer of the first is wrong.
    assert given.of("score_match", ["first"]).values.tolist() == [[0, 1, 1, 1, 0, 1, 1, 1]]
    assert given.of("score_recall", ["second"]).values[0, :3].tolist() == [0.1, 0.2, 0.3]


def test_a_table_of_ragas_is_a_system() -> None:
    columns = {"topic": "user_input", "measures": ["id_based_context_recall"]}
    given = values(TOOLS / "ragas/first.csv", columns=columns)
    assert given.systems == ("first",)
    assert given.topics[0] == "question 0"
    table = pd.read_csv(TOOLS / "ragas/first.csv")
    expected = table["id_based_context_recall"].tolist()
    assert given.of("id_based_context_recall").values[0].tolist() == expected


def test_results_of_promptfoo_are_records_with_fields_inside_of_fields() -> None:
    columns: dict[str, Any] = {"system": "provider.label", "topic": "vars.question"}
    of_score = columns | {"measures": {"namedScores.recall": "recall", "score": "score"}}
    given = values(TOOLS / "promptfoo/out.jsonl", columns=of_score)
    assert given.systems == ("first", "second")
    assert given.measures == ("recall", "score")
    # The retriever returns 2 n % 5 + 1 of five documents.
    expected = [(2 * n % 5 + 1) / 5 for n in range(1, 9)]
    assert given.of("recall", ["first"]).values[0].tolist() == expected
    records = list(map(json.loads, (TOOLS / "promptfoo/out.jsonl").read_text().splitlines()))
    passed = values(records, columns=columns | {"measures": ["success"]})
    assert passed.of("success", ["first"]).values[0].tolist() == [float(r >= 0.6) for r in expected]


def test_predictions_of_mteb_are_runs_and_its_means_leave_out_topics_without_documents() -> None:
    path = TOOLS / "mteb/noisy/Synthetic_predictions.json"
    run = irpref.run(path)
    made = load("synthetic")
    qrels = {topic: made.qrels[topic] for topic in TOPICS}
    answered = {topic: grades for topic, grades in qrels.items() if topic != "11"}
    assert {*run.frame()["query_id"]} == {*answered}
    of_mteb = json.loads((TOOLS / "mteb/results.json").read_text())["scores"]["test"][0]
    for name in ("ndcg_at_10", "mrr_at_10", "map_at_100", "recall_at_100", "precision_at_5"):
        found = irpref.evaluator([name], answered).calc_aggregate(run)
        assert next(iter(found.values())) == pytest.approx(of_mteb[name], abs=0.5e-5)
    with pytest.raises(InputError):
        values(path)


def test_predictions_of_several_splits_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    splits = {"test": {"q": {"d": 1.0}}, "dev": {"q": {"d": 1.0}}}
    path.write_text(json.dumps({"mteb_model_meta": {}, "default": splits}))
    with pytest.raises(InputError, match=r"\['default'\]\['dev'\]") as error:
        irpref.run(path)
    assert error.value.remedy is not None
    path.write_text(json.dumps({"mteb_model_meta": {}}))
    with pytest.raises(InputError):
        irpref.run(path)


def test_tasks_of_mteb_can_stand_for_topics() -> None:
    columns = {"system": "model_name", "topic": "task_name", "value": "score"}
    given = values(TOOLS / "mteb/tasks.csv", columns=columns, measure="ndcg_at_10")
    assert len(given.systems) == 5
    assert given.topics == tuple(f"Synthetic{i}" for i in range(1, 7))
    table = pd.read_csv(TOOLS / "mteb/tasks.csv").query("model_name == 'synthetic/strong'")
    assert given.of("nDCG@10", ["synthetic/strong"]).values[0].tolist() == table["score"].tolist()


def test_means_are_refused() -> None:
    with pytest.raises(ColumnError) as error:
        values(TOOLS / "pyterrier/aggregated.csv")
    assert error.value.missing == ("topic",)
    with pytest.raises(InputError):
        values(TOOLS / "ranx/report.json")
    with pytest.raises(InputError):
        values(TOOLS / "mteb/results.json")


def test_what_irpref_eval_prints_by_topic_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 c 1\n")
    (tmp_path / "one.run").write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n2 Q0 c 1 1 t\n")
    (tmp_path / "two.run").write_text("1 Q0 a 1 2 t\n2 Q0 b 1 1 t\n")
    paths = [str(tmp_path / name) for name in ("qrels", "one.run", "two.run")]
    for more in (["-o", "csv"], ["-o", "json"]):
        assert main(["eval", "-q", *more, *paths, "AP", "P@1"]) == 0
        (tmp_path / "out").write_text(capsys.readouterr().out)
        given = values(tmp_path / "out")
        assert given.systems == ("one", "two")
        assert given.of("AP").values.tolist() == [[0.5, 1.0], [1.0, 0.0]]
        assert given.of("P@1").values.tolist() == [[0.0, 1.0], [1.0, 0.0]]


# Other forms --------------------------------------------------------------------------------------

FIRST = {"q1": {"AP": 0.5, "RR": 1.0}, "q2": {"AP": 0.25, "RR": 0.5}}
SECOND = {"q1": {"AP": 0.75, "RR": 1.0}, "q2": {"AP": 0.0, "RR": 0.0}}
AP = [[0.5, 0.25], [0.75, 0.0]]
LONG = pd.DataFrame(
    [
        (system, topic, measure, value)
        for system, topics in (("first", FIRST), ("second", SECOND))
        for topic, by_measure in topics.items()
        for measure, value in by_measure.items()
    ],
    columns=["system", "topic", "measure", "value"],
)
WIDE = LONG.pivot(index=["system", "topic"], columns="measure", values="value")
TURNED = LONG[LONG["measure"] == "AP"].pivot(index="topic", columns="system", values="value")
BY_SYSTEM = {"first": FIRST, "second": SECOND}


@pytest.mark.parametrize(
    "data",
    [
        LONG,
        WIDE,
        WIDE.reset_index(),
        BY_SYSTEM,
        {name: part for name, part in LONG.drop(columns="system").groupby(LONG["system"])},
        TopicValues("AP", ["first", "second"], ["q1", "q2"], AP),
        [TopicValues("AP", ["first", "second"], ["q1", "q2"], AP)],
        values(BY_SYSTEM),
    ],
    ids=["long", "index", "wide", "mappings", "frames", "TopicValues", "list", "Values"],
)
def test_every_form_gives_the_same_values(data: Any) -> None:
    given = values(data)
    assert given.systems == ("first", "second")
    assert given.of("AP").values.tolist() == AP


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "jsonl", "csv.gz"])
def test_tables_are_read_from_files(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"v.{form}"
    if "json" in form:
        LONG.to_json(path, orient="records", lines=form == "jsonl")
    else:
        LONG.to_csv(path, index=False, sep="\t" if form == "tsv" else ",")
    assert values(path).of("AP").values.tolist() == AP


def test_an_index_of_text_has_the_topics() -> None:
    nameless = TURNED.rename_axis(None)
    assert values(nameless, measure="AP").of("AP").values.tolist() == AP
    by_topic = pd.DataFrame(FIRST).T
    assert (
        values({"first": by_topic, "second": pd.DataFrame(SECOND).T}).of("AP").values.tolist() == AP
    )
    assert values(by_topic["AP"]).of("AP").values.tolist() == AP[:1]
    with pytest.raises(ColumnError):
        values(nameless.reset_index(drop=True), measure="AP")  # rows by number


def test_a_measure_that_nobody_knows_is_found_in_mappings_by_its_name() -> None:
    by_topic = {topic: {"trust": cells["AP"]} for topic, cells in FIRST.items()}
    by_measure = {"trust": {topic: cells["AP"] for topic, cells in FIRST.items()}}
    with pytest.raises(InputError) as error:
        values({"first": by_topic})
    assert error.value.remedy is not None
    assert error.value.remedy.argument == "measure"
    for mapping in (by_topic, by_measure):
        given = values({"first": mapping}, measure="trust")
        assert given.systems == ("first",)
        assert given.of("trust").values.tolist() == AP[:1]


def test_a_column_is_a_system_if_the_measure_is_named() -> None:
    assert values(TURNED.reset_index(), measure="AP").of("AP").values.tolist() == AP
    columns = {"systems": ["first", "second"]}
    given = values(TURNED.reset_index(), measure="AP", columns=columns)
    assert given.of("AP").values.tolist() == AP


def test_whether_columns_are_measures_or_systems_is_not_guessed() -> None:
    with pytest.raises(ColumnError) as error:
        values(TURNED.reset_index())
    assert error.value.remedy is not None
    columns = error.value.remedy.example
    assert values(TURNED.reset_index(), columns=columns).measures == ("first", "second")


def test_mappings_of_measures_to_topics_are_read_too() -> None:
    turned = {
        measure: {topic: FIRST[topic][measure] for topic in FIRST} for measure in ("AP", "RR")
    }
    assert values(turned).of("AP").values.tolist() == AP[:1]
    assert values({"q1": 0.5, "q2": 0.25}, measure="AP").of("AP").values.tolist() == AP[:1]
    by_name = {"first": {"q1": 0.5, "q2": 0.25}, "second": {"q1": 0.75, "q2": 0.0}}
    assert values(by_name, measure="AP").of("AP").values.tolist() == AP
    with pytest.raises(InputError):
        values(by_name)


def test_one_measure_by_two_names_is_one_measure(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("map                   \tq1\t0.5\nmap   \tall\t0.5\n")
    (tmp_path / "b.txt").write_text("q1\tAP\t0.25\nall\tAP\t0.25\n")
    given = values([tmp_path / "a.txt", tmp_path / "b.txt"])
    assert given.measures == ("AP",)
    assert given.of("AP").values.tolist() == [[0.5], [0.25]]


def test_the_field_of_the_measure_is_found_without_means(tmp_path: Path) -> None:
    for name, line in (("a", "AP\tq1\t0.5\n"), ("b", "q1\tAP\t0.5\n"), ("c", "q1 AP 0.5\n")):
        (tmp_path / name).write_text(line)
        assert values(tmp_path / name).of("AP").topics == ("q1",)
    (tmp_path / "d").write_text("this\tthat\t0.5\n")
    with pytest.raises(InputError):
        values(tmp_path / "d")


def test_quotation_marks_are_text_where_tabs_separate(tmp_path: Path) -> None:
    topics = ['"open the pod', "plain", '"star wars plot', 'a "b" c']
    path = tmp_path / "v.tsv"
    path.write_text("topic\tAP\n" + "".join(f"{topic}\t0.5\n" for topic in topics))
    assert set(values(path).topics) == set(topics)


@pytest.mark.parametrize("rows", ["q1,0.5,\nq2,0.25,\n", "q1,0.5\nq2,0.25,0.75\n"])
def test_rows_with_more_cells_than_the_header_are_refused(rows: str, tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text(f"topic,AP\n{rows}")
    with pytest.raises(InputError):
        values(tmp_path / "v.csv")
    (tmp_path / "v.csv").write_text("topic,AP,,\nq1,0.5,,\nq2,0.25,,\n")
    assert values(tmp_path / "v.csv").of("AP").values.tolist() == AP[:1]


@pytest.mark.parametrize("header", ["topic,AP,AP", "topic,topic,AP"])
def test_two_columns_of_one_name_are_refused(header: str, tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text(f"{header}\nq1,0.5,0.25\n")
    frame = pd.DataFrame([["q1", 0.5, 0.25]], columns=header.split(","))
    for data in (tmp_path / "v.csv", frame):
        with pytest.raises(ColumnError) as error:
            values(data)
        assert error.value.header == tuple(header.split(","))


@pytest.mark.parametrize(
    "text",
    [
        '{"q1": {"AP": 0.5}, "q1": {"AP": 0.25}}',
        '{\n"q1": {"AP": 0.5, "AP": 0.25}}',
        '{"topic": "q1", "AP": 0.5}\n{"topic": "q2", "AP": 0.5, "AP": 0.25}\n',
    ],
)
def test_a_key_that_occurs_twice_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "v.json").write_text(text)
    with pytest.raises(InputError, match="occurs twice") as error:
        values(tmp_path / "v.json")
    assert error.value.path == str(tmp_path / "v.json")
    assert error.value.line == (2 if "topic" in text else None)


def test_a_mean_that_is_not_that_of_the_topics_is_said(tmp_path: Path) -> None:
    lines = (TOOLS / "trec_eval-10.txt").read_text().splitlines(keepends=True)
    path = tmp_path / "v.txt"
    path.write_text("".join(lines))
    values(path)  # sums and geometric means are none
    path.write_text("".join(line for line in lines if "map" not in line or "\t12\t" not in line))
    with pytest.warns(IrprefWarning) as shown:
        assert values(path).of("AP").values.shape == (1, 7)
    assert len(shown) == 1


@pytest.mark.parametrize(
    "text",
    [
        "map\tq1\t0.5000\nmap\tq2\t0.25",
        "topic,AP\nq1,0.5\nq2,0.25",
        "topic,AP\nq1,0.5123\nq2,0.",
        "topic,AP\nq1,0.5123\nq2,0",
        "topic\tAP\nq1\t0.5123\nq2\t0",
        "map q1 0.5123\nmap q2 0.4\nmap q3 0",
        "topic,AP\nq1,0.5123\nq2,",
        "topic,AP\nq1,0.5123\nq2",
        "topic,AP,P@5\nq1,0.5123,0.2\nq2,0.4\n",
    ],
)
def test_a_file_that_may_be_cut_off_is_said(text: str, tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text(text)
    with pytest.warns(CutWarning) as shown:
        values(tmp_path / "v.txt")
    assert len(shown) == 1
    with whole_files(), pytest.raises(InputError, match="cut off") as error:
        values(tmp_path / "v.txt")
    assert error.value.path == str(tmp_path / "v.txt")


@pytest.mark.parametrize(
    "text",
    [
        "topic,AP\nq1,0.5123\nq2,0\n",
        "topic,Success@5\nq1,1\nq2,0",
        "topic,AP\nq1,0.5\nq2,1\nq3,0",
        "topic,AP,P@5\nq1,0.5123,\nq2,0.4,",
        "topic,AP\nq1,0.5123\nq2,\n",
        'topic,AP\n"q1",0.5\nq2,0.4\n',
        'topic,text,AP\nq1,"a, b",0.5\nq2,c,0.4\n',
        '{"map": {"q1": 0.5,\n "q2": 0.4,\n"q3": 0.1}\n}',
    ],
)
def test_a_file_whose_end_may_be_whole_is_read_in_silence(text: str, tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text(text)
    assert values(tmp_path / "v.txt").topics[:2] == ("q1", "q2")


# Missing values -----------------------------------------------------------------------------------


def test_topics_are_the_union_of_the_systems_that_are_asked_for() -> None:
    data = {
        "a": {"q1": {"AP": 0.5}},
        "b": {"q2": {"AP": 0.5}},
        "c": {"q3": {"AP": 0.5}, "q1": {"AP": 0.5}},
    }
    given = values(data)
    assert given.of("AP", ["a", "b"]).topics == ("q1", "q2")
    assert given.of("AP", ["a", "b"]).values.tolist() == [[0.5, 0.0], [0.0, 0.5]]
    assert given.answered("AP", ["a", "c"]).tolist() == [[True, False], [True, True]]


def test_a_missing_value_is_that_of_an_empty_list_or_the_worst() -> None:
    def worst(measure: str, **how: Any) -> float:
        cells = [("a", "q1", 0.5), ("a", "q2", 0.75), ("b", "q1", 0.5)]
        rows = [(system, topic, measure, value) for system, topic, value in cells]
        given = values(pd.DataFrame(rows, columns=LONG.columns), **how)
        return float(given.of(measure).values[1, 1])

    assert worst("AP") == 0.0
    assert worst("EMeasure") == 1.0  # lower is better
    assert worst("faithfulness") == 0.0
    assert worst("latency", higher_is_better=False) == 0.75


def test_a_missing_value_is_never_better_than_any_other() -> None:
    """The empty list of CRP has -R (R + 1) / 2, and nobody knows R: 0 is the ideal's value."""

    def worst(measure: str, cells: list[float], **how: Any) -> float:
        by_topic = {f"q{i}": cell for i, cell in enumerate(cells)}
        data = {"a": by_topic, "b": {"q0": cells[0]}}
        given = values(data, measure=measure, **how)
        assert given.of(measure, ["b", "a"]).values[0, -1] == given.worst(measure)
        return given.worst(measure)

    assert worst("CRP", [-3.0, -12.0, -1.0]) == worst("CRP@10", [-3.0, -12.0, -1.0]) == -12.0
    assert worst("CRP", [-3.0, 2.0]) == -3.0
    assert worst("CRP", [1.0, 2.0]) == 0.0
    assert worst("NumRelRet", [5.0, 3.0]) == 0.0
    assert worst("gain", [-3.0, -12.0, -1.0]) == -12.0
    assert worst("loss", [-3.0, -12.0, -1.0], higher_is_better=False) == 0.0


def test_cells_without_a_value_are_missing() -> None:
    frame = LONG.assign(value=[0.5, 1.0, np.nan, 0.5, 0.75, 1.0, 0.0, 0.0])
    assert values(frame).answered("AP").tolist() == [[True, False], [True, True]]


@pytest.mark.parametrize("word", ["", "nan", "NaN", "NA", "n/a", "null", "None"])
def test_words_for_a_missing_value(word: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"topic,AP\nq1,0.5\nq2,{word}\n")
    given = values(tmp_path / "a.csv")
    assert given.of("AP").topics == ("q1",)
    assert given.topics == ("q1", "q2")


def test_a_topic_or_system_without_a_value_stays_one() -> None:
    frame = LONG.query("measure == 'AP'").assign(value=[0.5, np.nan, 0.75, np.nan])
    for given in (values(frame), values(values(frame))):
        assert given.topics == ("q1", "q2")
        assert given.of("AP").values.tolist() == [[0.5], [0.75]]
        assert given.frame()["value"].isna().sum() == 2
        assert given.only(["q1"]).topics == ("q1",)
    both = pd.concat([frame.assign(collection="x"), frame.assign(collection="y", value=np.nan)])
    given = values(both)
    assert given.collections == ("x", "y")
    assert given.collection("x").topics == ("q1", "q2")
    with pytest.raises(InputError, match="'y'"):
        given.collection("y")
    # Rows of which one has a value and the other has none, as an outer join makes them.
    joined = pd.concat([frame, frame.assign(value=[np.nan, 0.25, np.nan, 0.0])])
    assert values(joined).of("AP").values.tolist() == AP


@pytest.mark.parametrize("key", ["system", "topic", "measure"])
@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA, ""])
def test_a_value_without_an_id_is_refused(key: str, nothing: Any) -> None:
    rows = LONG.astype(object)
    rows.loc[1, key] = nothing
    with pytest.raises(InputError) as error:
        values(rows)
    assert error.value.column == key
    rows.loc[1, "value"] = np.nan  # an empty row of a sheet
    assert values(rows).of("AP").values.tolist() == AP


def test_passed_and_failed_tests_are_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("topic,passed\nq1,True\nq2,FALSE\n")
    given = values(tmp_path / "a.csv", columns={"measures": ["passed"]})
    assert given.of("passed").values.tolist() == [[1.0, 0.0]]


def test_some_topics_and_the_measures_that_have_a_value_there() -> None:
    data = {"a": {"q1": {"AP": 0.5}, "q2": {"AP": 0.25, "RR": 1.0}}, "b": {"q1": {"AP": 0.75}}}
    given = values(data).only(["q1", "other"])
    assert (given.topics, given.measures, given.systems) == (("q1",), ("AP",), ("a", "b"))
    assert given.of("AP").values.tolist() == [[0.5], [0.75]]
    assert values(data).topics == ("q1", "q2")


# Directions ---------------------------------------------------------------------------------------


def test_directions_come_from_the_user_the_table_or_the_measure() -> None:
    frame = LONG.replace({"measure": {"AP": "latency", "RR": "EMeasure"}})
    assert values(frame).higher_is_better("latency")
    assert not values(frame).higher_is_better("EMeasure")
    assert not values(frame, higher_is_better={"latency": False}).higher_is_better("latency")
    lower = frame.assign(higher_is_better=False)
    assert not values(lower).higher_is_better("latency")


def test_a_measure_with_both_directions_is_refused() -> None:
    frame = LONG.replace({"measure": {"AP": "latency"}}).query("measure == 'latency'")
    with pytest.raises(InputError) as error:
        values(frame.assign(higher_is_better=[True, False, True, True]))
    assert error.value.column == "higher_is_better"
    with pytest.raises(InputError):
        values(LONG.assign(higher_is_better="false"))  # AP
    with pytest.raises(InputError):
        values(LONG, higher_is_better={"AP": False})
    with pytest.raises(ArgumentError):
        values(LONG, higher_is_better={"latency": False})


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    text = (TOOLS / "ir_measures/noisy.txt").read_text()
    threading.Thread(target=path.write_text, args=[text], daemon=True).start()
    assert values(path).topics == TOPICS


# What is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "q1 Q0 d1 1 0.5 run\n",
        "q1 0 d1 1\n",
        "",
        "all\tAP\t0.5\n",
        "q1\tAP\t0.5\nq2\tAP\n",
        "topic,measure,value\nq1,AP,high\n",
        "topic,measure,value\nq1,AP,inf\n",
        "topic,measure,value\nq1,AP,0.5\nq1,map,0.5\n",
        "query_id,doc_id,value\nq1,d1,0.5\n",
        "topic,value\nq1,0.5\n",
        '{"stat_test": "t", "model_names": []}',
        "[1, 2]",
        "{",
        "topic,AP\nq1,53.3\n",
        "topic,AP\nq1,-0.1\n",
        "topic;AP\nq1;0,5\n",
        "topic,AP\nq1,50%\n",
        "\x89PNG\r\n\x1a\n\0",
        '{"a": "other.txt"}',
    ],
)
def test_other_files_are_refused_by_name(text: str, tmp_path: Path) -> None:
    path = tmp_path / "v"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        values(path)
    if error.value.path is not None:
        assert error.value.path == str(path)


@pytest.mark.parametrize(
    "data",
    [b"AP q\xdf1 0.5\n", b"query_id,AP\nq\xdf1,0.5\n", b'{"q\xdf1": {"AP": 0.5}}', b"A\0P\0"],
)
def test_bytes_that_are_no_text_are_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "values.txt"
    path.write_bytes(data)
    with pytest.raises(InputError) as error:
        values(path)
    assert error.value.path == str(path)


def test_unknown_names_are_refused() -> None:
    given = values(BY_SYSTEM)
    for call in (
        lambda: given.of("nDCG"),
        lambda: given.of("AP", ["third"]),
        lambda: given.collection("dl19"),
        lambda: values(3),
        lambda: values(type("Report", (), {"model_names": [], "win_tie_loss": {}})()),
    ):
        with pytest.raises(ArgumentError):
            call()
    with pytest.raises(ColumnError):
        values(LONG, columns={"score": "value"})
    with pytest.raises(ColumnError):
        values(LONG, columns={"measures": ["AP"], "systems": ["first"]})
    with pytest.raises(InputError):
        values({})


@pytest.mark.parametrize("given", ["no", 0, 1.0, {"AP": "false"}, {"AP": 0}, {"AP": None}])
def test_directions_are_true_or_false(given: Any) -> None:
    with pytest.raises(ArgumentError) as error:
        values(LONG, higher_is_better=given)
    assert error.value.parameter == "higher_is_better"


@pytest.mark.parametrize(
    "given", [["x"], "topic", {"measures": 3}, {"topic": 3}, {"system": ["a"]}]
)
def test_columns_of_another_kind_are_refused(given: Any) -> None:
    with pytest.raises(ArgumentError) as error:
        values(LONG, columns=given)
    assert error.value.parameter == "columns"


def test_complex_numbers_are_no_values() -> None:
    for cell in (0.5 + 1j, 0.5 + 0j, np.complex128(1)):
        with pytest.raises(InputError) as error:
            values(pd.DataFrame({"topic": ["q1"], "AP": [cell]}))
        assert error.value.value == cell


def test_lazy_frames_are_collected() -> None:
    assert values(pl.from_pandas(LONG).lazy()).of("AP").values.tolist() == AP
    assert values({"a": pl.from_pandas(WIDE.loc["first"].reset_index()).lazy()}).systems == ("a",)


def test_letters_among_numbers_are_no_values() -> None:
    with pytest.raises(InputError):
        values(LONG.assign(value=["C", 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]))


# Collections --------------------------------------------------------------------------------------


def test_a_column_of_collections_keeps_their_topics_apart() -> None:
    both = pd.concat([LONG.assign(collection="x"), LONG.assign(collection="y")])
    given = values(both)
    assert given.collections == ("x", "y")
    assert given.topics == ("x/q1", "x/q2", "y/q1", "y/q2")
    assert given.collection("y").topics == ("q1", "q2")
    assert given.collection("y").of("AP").values.tolist() == AP
    with pytest.raises(InputError):
        values(pd.concat([LONG.assign(collection="x"), LONG]))


def test_a_collection_may_lack_a_measure_that_others_have() -> None:
    part = LONG.query("measure == 'AP'").assign(collection="y")
    given = values(pd.concat([LONG.assign(collection="x"), part]))
    assert given.collection("x").measures == ("AP", "RR")
    assert given.collection("y").measures == ("AP",)
    compared = irpref_lab.compare("AP", given, "first", "second")
    assert compared["collections"].tolist() == [2]
    with pytest.raises(ArgumentError, match="'y'"):
        irpref_lab.compare("RR", given, "first", "second")


def test_a_thousand_systems_are_read_in_a_moment() -> None:
    n, topics = 1000, 50
    frame = pd.DataFrame(
        {
            "system": np.repeat([f"s{i}" for i in range(n)], topics),
            "topic": np.tile([f"q{t}" for t in range(topics)], n),
            "measure": "AP",
            "value": np.arange(n * topics) / (n * topics),
        }
    )
    table = values(frame).of("AP")
    assert table.values.shape == (n, topics)
    assert json.dumps(table.values[1, :1].tolist()) == "[0.001]"


@pytest.mark.parametrize("form", [str, lambda path: [path], lambda path: {"main": path}])
def test_a_file_that_is_not_there_is_named(form: Any) -> None:
    with pytest.raises(FileNotFoundError, match=r"^nosuch\.csv: no such file$"):
        values(form("nosuch.csv"))


@pytest.mark.parametrize("measures", [["nDCG@10"], ["nDCG@10", "AP"]])
@pytest.mark.parametrize("runs", [1, 2])
# TSV of several runs has their names where `ir_measures -q` has topics: it cannot be told.
@pytest.mark.parametrize("form", ["json", "jsonl", "csv", "text"])
def test_means_that_irpref_eval_prints_are_refused(
    form: str, runs: int, measures: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ("strong", "noisy")[:runs]
    qrels, *paths = (str(tmp_path / name) for name in ("qrels.txt", *names))
    made = load("synthetic")
    grades = [(q, d, grade) for q, docs in made.qrels.items() for d, grade in docs.items()]
    Path(qrels).write_text("".join(f"{q} 0 {d} {grade}\n" for q, d, grade in grades))
    for name, path in zip(names, paths, strict=True):
        scores = [(q, d, x) for q, docs in made.runs[name].items() for d, x in docs.items()]
        Path(path).write_text("".join(f"{q} Q0 {d} 0 {x} {name}\n" for q, d, x in scores))
    output = [] if form == "text" else ["-o", form]
    assert main(["eval", qrels, *paths, *measures, *output]) == 0
    file = tmp_path / "means"
    file.write_text(capsys.readouterr().out)
    with pytest.raises(InputError, match="-q") as error:
        values(str(file))
    assert "means only" in str(error.value) or form == "text"


@pytest.mark.parametrize(
    "data",
    [
        {"NDCG@10": 0.4, "MAP@10": 0.2},
        {"ndcg": {"NDCG@1": 0.4, "NDCG@10": 0.5}, "recall": {"Recall@10": 0.4}},
        {"mteb_version": "1", "scores": {}, "task_name": "SciFact"},
        {"stat_test": "student", "model_names": ["a"], "a": {"scores": {"mrr": 0.5}}},
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_means_of_other_tools_are_refused(data: Any, indent: int | None, tmp_path: Path) -> None:
    file = tmp_path / "means.json"
    file.write_text(json.dumps(data, indent=indent))
    with pytest.raises(InputError, match="means"):
        values(str(file))


def test_a_star_of_a_table_for_readers_is_explained(tmp_path: Path) -> None:
    file = tmp_path / "v.txt"
    file.write_text("run topic AP\nfirst q1 0.3009*\nsecond q1 0.2\n")
    with pytest.raises(InputError, match=r"'0\.3009\*' .*-o csv"):
        values(str(file))


def test_a_column_beside_known_measures_is_said_not_to_be_read(tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.csv" for name in ("a", "b")]
    for path in paths:
        path.write_text("topic,nDCG@10,myscore,text\nq1,0.5,3,all\nall,0.5,3,all\n")
    said = r"of 'myscore' \(there are: nDCG@10; columns not read: myscore, text\)"
    for data in (paths, pd.read_csv(paths[0])):
        with pytest.raises(ArgumentError, match=said):
            values(data).of("myscore")
    named = values(paths, columns={"measures": ["nDCG@10", "myscore"]})
    assert named.of("myscore").values.tolist() == [[3.0], [3.0]]


def test_quotation_marks_around_a_cell_are_not_text(tmp_path: Path) -> None:
    # As R and pandas write tables with tabs.
    path = tmp_path / "values.tsv"
    path.write_text('"system"\t"topic"\t"AP"\n"a ""x"""\t"1"\t0.5\n"b"\t"say ""hi"\t0.25\n')
    given = values(path)
    assert (given.systems, given.topics) == (('a "x"', "b"), ("1", 'say "hi'))


@pytest.mark.parametrize(
    ("columns", "measure", "key"),
    [({"AP": [0.1, 0.2], "R": [12, 14]}, None, "measures"), (None, "AP", "systems")],
)
def test_a_column_that_is_no_measure_or_system_is_left_out_by_naming_the_others(
    columns: Any, measure: str | None, key: str
) -> None:
    table = pd.DataFrame({"topic": ["1", "2"], **(columns or {"a": [0.1, 0.2], "n": [3.5, 0]})})
    with pytest.raises(InputError, match="divide percentages") as error:
        values(table, measure=measure)
    remedy = error.value.remedy
    assert remedy is not None
    assert values(table, measure=measure, columns=remedy.example).measures == ("AP",)
    assert list(remedy.example) == [key]
    with pytest.raises(InputError) as error:
        values(table[["topic", table.columns[2]]], measure=measure)
    assert error.value.remedy is not None
    assert not error.value.remedy.argument


def test_a_misspelt_column_is_named_where_values_occur_twice() -> None:
    rows = [(system, topic, 0.5) for system in "ab" for topic in ("1", "2")]
    table = pd.DataFrame(rows, columns=["sytem", "topic", "AP"])
    with pytest.raises(InputError, match="columns not read: sytem") as error:
        values(table)
    assert error.value.remedy is not None
    assert values(table, columns=error.value.remedy.example).systems == ("a", "b")
    with pytest.raises(InputError, match="columns not read: fold") as error:
        values(table.rename(columns={"sytem": "fold"}))
    assert error.value.remedy is None


def test_means_by_pyterrier_are_refused_with_the_argument_for_values() -> None:
    with pytest.raises(InputError, match="perquery=True"):
        values(pd.DataFrame({"name": ["a", "b"], "AP": [0.2, 0.3]}))


NESTED = {"A": {"AP": {"1": 0.2, "2": 0.3}}, "B": {"AP": {"1": 0.2, "2": 0.4}}}


@pytest.mark.parametrize(
    "data",
    [
        {"dl19": NESTED},
        {"dl19": NESTED, "dl20": {"A": {"AP": {"9": 0.5}}}},
        {"dl19": values(NESTED), "dl20": values({"A": {"AP": {"9": 0.5}}})},
        {"dl19": values(NESTED).frame(), "dl20": values({"A": {"AP": {"9": 0.5}}}).frame()},
        {"dl19": {"A": values(NESTED).frame()}},
    ],
)
def test_collections_are_not_pooled_as_systems(data: Any) -> None:
    with pytest.raises(InputError, match=r"'dl(19|20)' holds systems itself") as error:
        values(data)
    assert "irpref_lab.collections" in str(error.value)


def test_a_text_of_several_runs_is_refused(tmp_path: Path) -> None:
    text = "map\t1\t0.5\nrunid\tall\tA\nmap\tall\t0.5\n"
    (tmp_path / "v.txt").write_text(text)
    assert values(tmp_path / "v.txt").topics == ("1",)
    (tmp_path / "v.txt").write_text(text + text.replace("A", "B").replace("\t1", "\t2"))
    with pytest.raises(InputError, match=r"2 runs \(A, B\)"):
        values(tmp_path / "v.txt")


def test_columns_of_counts_are_no_systems_beside_fractions() -> None:
    table = pd.DataFrame(
        {"topic": ["1", "2"], "A": [0.1, 0.2], "B": [0.2, 1.0], "n_rel": [3, 4], "len": [5, 100]}
    )
    with pytest.raises(ColumnError, match="n_rel, len hold counts") as error:
        values(table, measure="myscore")
    assert error.value.remedy is not None
    chosen = values(table, measure="myscore", columns=error.value.remedy.example)
    assert chosen.systems == ("A", "B")
    assert values(table[["topic", "n_rel", "len"]], measure="n").systems == ("n_rel", "len")


def test_values_in_place_of_judgments_are_said_to_be_values(tmp_path: Path) -> None:
    table = values(NESTED).frame()
    for one in (table, table.rename(columns={"system": "name", "topic": "qid"})):
        with pytest.raises(InputError, match=r"values by topic.*irpref_lab\.values\(") as error:
            irpref_lab.compare("AP", one, "A", "B")
        assert error.value.remedy is not None
    for path in ("trec_eval/noisy.txt", "ir_measures/noisy.txt"):
        with pytest.raises(InputError, match="values by topic"):
            irpref_lab.compare("AP", TOOLS / path, TOOLS / path, TOOLS / path)


@pytest.mark.parametrize("name", ["trec_eval", "ir_measures"])
def test_the_shell_names_its_option_for_values(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(TOOLS / name / f"{system}.txt") for system in ("baseline", "noisy")]
    assert main(["compare", *files, files[0], "AP"]) == 1
    assert "--values reads them" in capsys.readouterr().err
