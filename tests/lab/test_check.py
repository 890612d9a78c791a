"""What to know before any number is read."""

import pathlib

import numpy as np
import pandas as pd
import pytest

import irpref
import irpref_lab
import real_runs
from irpref.observed import LEVELS
from irpref_lab.checking import COLUMNS, grave

QRELS = {f"q{t}": {f"d{d}": (1 - d) % 3 for d in range(20)} for t in range(6)}


def _run(depth=20, first=0, topics=QRELS, offset=0.0):
    return {q: {f"d{d}": offset - d for d in range(first, first + depth)} for q in topics}


def _one(findings, code):
    """The only finding with this code."""
    (row,) = findings[findings["code"] == code].itertuples(index=False)
    return row


def _codes(findings):
    return set(findings["code"]) - {"grade-scale"}


def test_the_path_of_one_run_is_accepted(tmp_path):
    path = tmp_path / "mine.run"
    path.write_text("".join(f"{t} Q0 d{d} {d + 1} {-d} x\n" for t in QRELS for d in range(5)))
    for one in (path, str(path)):
        pd.testing.assert_frame_equal(
            irpref_lab.check(QRELS, one), irpref_lab.check(QRELS, [path]), check_exact=True
        )
    assert "mine" in set(irpref_lab.check(QRELS, path)["run"])


def test_what_is_given_in_place_of_several_runs_is_answered_with_what_to_type(tmp_path):
    (tmp_path / "a.run").write_text("q0 Q0 d1 1 2 x\n")
    (tmp_path / "b.run").write_text("q0 Q0 d2 1 2 x\n")
    rows = [(s, t, f"d{d}", -d) for s in "ab" for t in QRELS for d in range(3)]
    frame = pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "score"])
    folder = f"sorted(pathlib.Path({str(tmp_path)!r}).iterdir())"
    for given, hint in ((frame, "dict(list(frame.groupby('system')))"), (str(tmp_path), folder)):
        for function in (
            lambda runs: irpref_lab.check(QRELS, runs),
            lambda runs: irpref_lab.leaderboard("AP", QRELS, runs),
        ):
            with pytest.raises(TypeError, match="runs: expected a mapping") as error:
                function(given)
            assert hint in str(error.value)
            runs = eval(hint, {"frame": frame, "pathlib": pathlib})
            assert len(function(runs))


def test_nothing_is_found_where_nothing_is_wrong():
    findings = irpref_lab.check(QRELS, {"good": _run()}, ["AP(rel=2)", "nDCG@10", "QMeasure"])
    assert list(findings.columns) == list(COLUMNS)
    assert findings[["code", "level"]].to_numpy().tolist() == [["grade-scale", "note"]]
    assert findings["text"].item() == "grades (judgments): 0 (42), 1 (42), 2 (36)"
    assert grave(findings) == []


def test_the_worst_comes_first():
    runs = {
        "cut": _run(topics=["q0", "q1"]),
        "tied": {q: dict.fromkeys(docs, 1.0) for q, docs in QRELS.items()},
    }
    findings = irpref_lab.check(QRELS, runs, ["AP"])
    places = [LEVELS.index(level) for level in findings["level"]]
    assert places == sorted(places)
    assert findings["code"].iloc[0] == "unanswered"


def test_topics_without_documents_are_grave_be_it_one():
    runs = {"cut": _run(topics=["q0", "q1"]), "one": _run(topics=["q0", "q1", "q2", "q3", "q5"])}
    runs["empty"] = {**_run(topics=["q0", "q1", "q2", "q3", "q4"]), "q5": {}}
    findings = irpref_lab.check(QRELS, runs)
    rows = findings[findings["code"] == "unanswered"].set_index("run")
    assert rows["level"].unique().tolist() == ["grave"]
    assert rows["count"].to_dict() == {"cut": 4, "one": 1, "empty": 1}
    assert rows["example"].to_dict() == {"cut": "q2", "one": "q4", "empty": "q5"}
    (line,) = grave(findings)
    assert line == f"{rows['text']['cut']} (2 more runs like this)"


@pytest.mark.parametrize("form", ["dicts", "frame"])
def test_no_topic_and_no_document_in_common(form):
    runs = {"other": _run(topics=["x1", "x2"]), "docs": {q: {"x": 1.0} for q in QRELS}}
    if form == "frame":
        runs = {name: _frame(run) for name, run in runs.items()}
    findings = irpref_lab.check(QRELS, runs)
    topics, docs = _one(findings, "unanswered"), _one(findings, "unseen")
    assert (topics.level, topics.run, topics.count, topics.example) == ("grave", "other", 6, "x1")
    assert (docs.level, docs.run, docs.count) == ("grave", "docs", 6)
    assert len(grave(findings)) == 2


def _frame(run):
    rows = [(q, d, s) for q, docs in run.items() for d, s in docs.items()]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])


def test_ids_that_differ_in_case_or_white_space_only_are_grave():
    runs = {
        "case": {q: {d.upper(): s for d, s in docs.items()} for q, docs in _run().items()},
        "space": {q: {f"{d} ": s for d, s in docs.items()} for q, docs in _run().items()},
        "topics": {q.upper(): docs for q, docs in _run().items()},
    }
    rows = irpref_lab.check(QRELS, runs)
    rows = rows[rows["code"] == "changed-ids"].set_index("run")
    assert rows["level"].unique().tolist() == ["grave"]
    assert rows["example"].to_dict() == {"case": "D0", "space": "d0 ", "topics": "Q0"}
    assert rows["count"].to_dict() == {"case": 60, "space": 60, "topics": 6}
    # Two ids that differ in case only, both judged: nothing is mangled.
    qrels = {"q": {"a": 1, "A": 0, "b": 0}}
    assert "changed-ids" not in _codes(irpref_lab.check(qrels, {"r": {"q": {"a": 3.0, "A": 2.0}}}))
    # So is a topic whose own id is in the run, too.
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
    run = {"q1": {"a": 2.0}, "Q1": {"a": 1.0}, "q2": {"a": 1.0}}
    assert "changed-ids" not in _codes(irpref_lab.check(qrels, {"r": run}))


def test_the_number_of_ids_that_are_compared_is_bounded_and_said(monkeypatch):
    run = {q.upper(): {d.upper(): s for d, s in docs.items()} for q, docs in _run().items()}
    run |= _run(topics=["q0", "q1"])
    for module in ("run_codes", "changed_ids"):
        monkeypatch.setattr(f"irpref.observed.{module}.MOST", 15)
    of_topics, of_docs = (
        irpref_lab.check(QRELS, {"r": topics}).query("code == 'changed-ids'").iloc[0]
        for topics in (run, {q: run[q.upper()] for q in list(QRELS)[2:]})
    )
    assert of_topics["count"] == 4
    assert of_topics["text"].startswith("4 of 6 unjudged topics of r ")
    assert of_docs["count"] == 15
    assert "only in case" in of_docs["text"]


@pytest.mark.parametrize(
    ("judged", "run", "said"),
    [
        ({"a b": 1, "c": 0}, {"AB": 2.0, "c": 1.0}, "'AB' for 'a b'"),
        (
            {"a": 1, "b": 0, "C": 1},
            {"a": 1.0, "b": 2.0, "c": 3.0},
            "'c' for 'C'",
        ),  # not in the order of its rows
    ],
)
def test_a_mangled_id_is_named_beside_the_judged_one(judged, run, said):
    assert said in _one(irpref_lab.check({"1": judged}, {"r": {"1": run}}), "changed-ids").text


def test_negative_grades_are_not_relevant_in_a_tie():
    found = irpref_lab.check(
        {"q": {"a": -1, "b": 0, "c": 1}}, {"r": {"q": {"c": 3.0, "a": 1.0, "b": 1.0}}}
    )
    assert _one(found, "ties").level == "note"


def test_runs_that_differ_in_the_order_of_their_ties_are_identical_by_id_alone():
    rows = [
        pd.DataFrame({"query_id": "q", "doc_id": list(docs), "score": 1.0}) for docs in ("ab", "ba")
    ]
    for ties in ("id", "input"):
        runs = {name: irpref.run(run, ties=ties) for name, run in zip("xy", rows, strict=True)}
        found = irpref_lab.check({"q": {"a": 1, "b": 0}}, runs)
        assert ("identical-runs" in _codes(found)) == (ties == "id")


def test_a_run_that_cannot_be_evaluated_is_a_finding_and_the_others_are_looked_at():
    runs = {"nan": {"q0": {"d0": float("nan")}}, "text": {"q0": {"d0": "high"}}, "good": _run()}
    findings = irpref_lab.check(QRELS, runs)
    rows = findings[findings["code"] == "invalid-run"].set_index("run")
    assert set(rows.index) == {"nan", "text"}
    assert "'d0'" in rows["text"]["nan"]
    assert not (findings["run"] == "good").any()


def test_repeated_documents_are_counted():
    frame = _frame(_run())
    findings = irpref_lab.check(
        QRELS, {"twice": pd.concat([frame, frame[frame["query_id"] == "q3"][:2]])}
    )
    row = _one(findings, "repeats")
    assert (row.level, row.run, row.count, row.example) == ("warning", "twice", 2, "d0")
    assert "'q3'" in row.text


def test_ties_are_grave_enough_where_grades_differ_at_the_top():
    harmless = _run()
    harmless["q2"]["d18"] = harmless["q2"]["d19"]  # ranks 19 and 20
    same = _run()
    same["q1"] = {"d0": 5.0, "d3": 5.0, "d1": 1.0}  # both not relevant
    deciding = _run()
    deciding["q4"]["d1"] = deciding["q4"]["d2"]
    findings = irpref_lab.check(QRELS, {"harmless": harmless, "same": same, "deciding": deciding})
    rows = findings[findings["code"] == "ties"].set_index("run")
    assert rows["level"].to_dict() == {"harmless": "note", "same": "note", "deciding": "warning"}
    assert rows["count"].tolist() == [2, 2, 2]
    assert rows["example"].to_dict() == {"harmless": "q2", "same": "q1", "deciding": "q4"}


def test_unjudged_documents_are_not_relevant_in_a_tie():
    findings = irpref_lab.check({"q": {"a": 1, "b": 0}}, {"r": {"q": {"a": 1.0, "x": 1.0}}})
    assert _one(findings, "ties").level == "warning"
    findings = irpref_lab.check(
        {"q": {"a": 1, "b": 0}}, {"r": {"q": {"a": 2.0, "b": 1.0, "x": 1.0}}}
    )
    assert _one(findings, "ties").level == "note"


def test_a_constant_scorer_is_found():
    constant = {q: dict.fromkeys(docs, 0.5) for q, docs in QRELS.items()}
    paired = {q: {f"d{d}": -(d // 2) for d in range(20)} for q in QRELS}  # all tied, not all alike
    findings = irpref_lab.check(QRELS, {"constant": constant, "paired": paired})
    row = _one(findings, "equal-scores")
    assert (row.level, row.run, row.count, row.example) == ("warning", "constant", 6, "q0")


def test_scores_that_32_bits_do_not_tell_apart():
    run = _run()
    run["q3"] = {"d0": 1.0, "d1": 1.00000001}
    row = _one(irpref_lab.check(QRELS, {"r": run, "s": _run()}), "float32-ties")
    assert (row.level, row.run, row.count, row.example) == ("note", "r", 1, "q3")
    large = {"q0": {"d0": 1e300, "d1": 2e300}}  # infinite as 32-bit floats
    assert _one(irpref_lab.check({"q0": QRELS["q0"]}, {"r": large}), "float32-ties").count == 1


def test_rankings_shorter_than_a_cutoff_or_than_others():
    findings = irpref_lab.check(QRELS, {"r": _run(depth=20)}, ["P@5", "nDCG@100", "AP"])
    row = _one(findings, "shallow")
    assert (row.level, row.run, row.count) == ("warning", "r", 6)
    assert "has 20 documents" in row.text
    assert "nDCG@100 looks at the first 100" in row.text
    findings = irpref_lab.check(QRELS, {"r": _run(depth=20), "s": _run(depth=9)}, ["AP"])
    row = _one(findings, "shallow")
    assert (row.level, row.run, row.count) == ("warning", "s", 6)


def test_topics_with_few_documents_are_uneven():
    run = _run()
    run["q2"] = {"d0": 1.0}
    run["q4"] = {"d0": 2.0, "d1": 1.0}
    row = _one(irpref_lab.check(QRELS, {"r": run}), "uneven-depth")
    assert (row.level, row.count, row.example) == ("warning", 2, "q2")
    assert row.text.endswith("the fewest 1")


def test_one_topic_has_and_several_have():
    run = _run()
    run["q2"] = {"d0": 1.0}
    assert " has fewer " in _one(irpref_lab.check(QRELS, {"r": run}), "uneven-depth").text
    del run["q2"]
    assert "; it counts " in _one(irpref_lab.check(QRELS, {"r": run}), "unanswered").text
    one = {"q0": {"d0": 2, "d1": 0, "d2": -1}}
    findings = irpref_lab.check(one, {"r": {"q0": {"x": 1.0}}, "s": {"q0": {"d0": 1.0}}}, ["P@5"])
    assert _one(findings, "negative-grades").text.startswith("1 judgment is negative: it ")
    shallow = findings.loc[findings["code"] == "shallow", "text"]
    assert shallow.str.contains(" 1 document for the topic").tolist() == [True, True]
    assert _one(findings, "unseen").text.startswith("the only document of r ")


@pytest.mark.parametrize(("unjudged", "level"), [(0, None), (1, "note"), (3, "warning")])
def test_the_unjudged_share_of_the_top(unjudged, level):
    # d20 and on are unjudged.
    run = {q: {f"d{20 + d}" if d < unjudged else f"d{d}": -d for d in range(18)} for q in QRELS}
    findings = irpref_lab.check(QRELS, {"r": run})
    if level is None:
        assert "unjudged" not in _codes(findings)
    else:
        row = _one(findings, "unjudged")
        assert (row.level, row.count) == (level, 6 * unjudged)
        assert f"{unjudged * 10}% of the first 10 " in row.text


def test_identical_runs_name_the_first_of_them():
    close = _run()
    close["q0"] = {**close["q0"], "x1": -50.0}
    closer = _run()
    closer["q0"] = {**closer["q0"], "x2": -50.0}  # for every measure the same as `close`
    scaled = {q: {d: s / 7 for d, s in docs.items()} for q, docs in reversed(_run().items())}
    runs = {"a": _run(), "close": close, "b": scaled, "closer": closer, "c": _frame(_run())}
    rows = irpref_lab.check(QRELS, runs)
    rows = rows[rows["code"] == "identical-runs"]
    assert rows[["run", "example"]].to_numpy().tolist() == [
        ["closer", "close"],
        ["b", "a"],
        ["c", "a"],
    ]


def test_topics_without_judgments_are_a_note():
    row = _one(
        irpref_lab.check(QRELS, {"r": {**_run(), "x7": {"d": 1.0}, "x8": {"d": 1.0}}}),
        "unjudged-topics",
    )
    assert (row.level, row.run, row.count, row.example) == ("note", "r", 2, "x7")


def test_measures_that_need_judged_non_relevant_documents():
    relevant = {q: {d: 1 for d in docs} for q, docs in QRELS.items()}
    for measure in ("Bpref", "RPref(max_rel=1)", "BprefVariant(norm='N')"):
        row = _one(irpref_lab.check(relevant, {"r": _run()}, [measure, "AP"]), "no-nonrelevant")
        assert (row.level, row.run, row.count, row.example) == ("warning", None, 6, "q0")
        assert f": {measure} says " in row.text
    assert "no-nonrelevant" not in _codes(irpref_lab.check(relevant, {"r": _run()}, ["AP"]))
    assert (
        "Bpref" in _one(irpref_lab.check(relevant, {"r": _run()}), "no-nonrelevant").text
    )  # of all, where none is asked
    some = {**QRELS, "q3": relevant["q3"]}
    row = _one(irpref_lab.check(some, {"r": _run()}, ["Bpref"]), "no-nonrelevant")
    assert (row.level, row.count, row.example) == ("note", 1, "q3")
    # Grade 1 is not relevant where the threshold is 2.
    graded = {q: {d: 1 + (d == "d0") for d in docs} for q, docs in QRELS.items()}
    assert "no-nonrelevant" not in _codes(irpref_lab.check(graded, {"r": _run()}, ["Bpref(rel=2)"]))


def test_a_measure_that_was_named_is_told_that_the_judgments_suit_it():
    judged = {
        "q0": {"a": 1, "b": 0, "c": 0, "d": 0},
        "q1": {"a": 2, "b": 0},
        "q2": {"a": 1, "b": 0, "c": 0, "d": -1},
    }
    row = _one(
        irpref_lab.check(judged, measures=["Bpref", "AP"]), "has-nonrelevant"
    )  # and it needs no run
    assert (row.level, row.run, row.count, row.example) == ("note", None, 3, "Bpref")
    assert row.text.endswith("(1 to 3, median 2), as Bpref needs")
    two = ["Bpref", "RPref(max_rel=2)"]
    both = _one(irpref_lab.check(judged, measures=two), "has-nonrelevant")
    assert both.text.endswith(f", as {', '.join(two)} need")
    at_2 = irpref_lab.check(
        judged, measures=["Bpref(rel=2)"]
    )  # grade 1 is not relevant either: 4, 1 and 3
    assert "1 to 4, median 3" in _one(at_2, "has-nonrelevant").text
    assert "has-nonrelevant" not in _codes(irpref_lab.check(judged))
    assert "has-nonrelevant" not in _codes(
        irpref_lab.check(judged | {"q3": {"a": 1}}, measures=["Bpref"])
    )


def test_the_scale_is_held_against_the_measures():
    findings = irpref_lab.check(
        QRELS, {"r": _run()}, ["AP(rel=3)", "RPref", "QMeasure", "NPref(max_rel=1,n=5)"]
    )
    assert "AP(rel=3)" in _one(findings, "out-of-reach").text
    assert "2 would be used" in _one(findings, "max-rel-missing").text
    assert _one(findings, "max-rel-below-scale").level == "warning"
    for n in (10, 40):
        many = {f"q{t}": {"d1": int(t > 0), "d2": 0} for t in range(n)}
        row = _one(irpref_lab.check(many), "unanswerable")
        assert (row.level, row.count, row.example) == ("note" if n == 40 else "grave", 1, "q0")
        assert ("by the factor 0.90" in row.text) == (n == 10)
    row = _one(irpref_lab.check({"q9": {"d1": 0}, "q8": {"d2": -1}}), "unanswerable")
    assert (row.level, row.count) == ("grave", 2)


def test_negative_grades_are_told_and_what_a_measure_says_of_them():
    qrels = {**QRELS, "q3": {**QRELS["q3"], "d7": -2}}
    findings = irpref_lab.check(qrels, {"r": _run()}, ["AP"])
    row = _one(findings, "negative-grades")
    assert (row.level, row.count, row.example) == ("note", 1, "d7")
    assert "caution" not in _codes(findings)
    findings = irpref_lab.check(qrels, {"r": _run()}, ["AP", "nCRP"])
    assert "but nCRP takes it as" in _one(findings, "negative-grades").text
    row = _one(findings, "caution")
    assert (row.level, row.example) == ("warning", "nCRP")
    assert "no bounds" in row.text
    assert "caution" not in _codes(irpref_lab.check(QRELS, {"r": _run()}, ["nCRP"]))


def test_grades_that_run_the_other_way_are_found():
    scipy_stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(5)
    qrels = {f"q{t}": {f"d{d}": int(rng.integers(-1, 5)) for d in range(12)} for t in range(30)}
    run, other = (
        {
            q: {d: -2 * g + rng.normal(scale=4) for d, g in docs.items() if rng.random() < 0.8}
            for q, docs in qrels.items()
        }
        for _ in range(2)
    )
    rows = irpref_lab.check(qrels, {"one": run, "two": other})
    rows = rows[rows["code"].isin(["grades-reversed", "grade-order"])]
    assert rows["code"].tolist() == ["grades-reversed", "grade-order"]
    assert rows["level"].tolist() == ["grave", "warning"]
    assert rows["run"].isna().all()

    # The same by SciPy, grades of 0 and more: places of documents not retrieved are tied at the
    # end.
    def correlation(run, q, rows):
        place = {d: n for n, d in enumerate(sorted(run[q], key=lambda d: -run[q][d]))}
        return scipy_stats.spearmanr(
            [-place.get(d, 99) for d in rows], [qrels[q][d] for d in rows]
        )[0]

    kept = {q: [d for d, g in docs.items() if g >= 0] for q, docs in qrels.items()}
    mean = np.mean([[correlation(of, q, rows) for q, rows in kept.items()] for of in (run, other)])
    assert f"(rank correlation {mean:.2f} over 30 topics" in rows["text"].iloc[0]
    # One run is told as one, turned grades are in order, and three topics are too few to say
    # anything.
    alone = irpref_lab.check(qrels, {"one": run})
    assert _one(alone, "grade-order").text.startswith("the run ranks ")
    turned = {q: {d: 4 - g for d, g in docs.items()} for q, docs in qrels.items()}
    assert "grade-order" not in _codes(irpref_lab.check(turned, {"one": run, "two": other}))
    few = dict(list(qrels.items())[:3])
    assert "grade-order" not in _codes(irpref_lab.check(few, {"one": run}))


@pytest.mark.parametrize(
    "folder",
    [
        "dl20-passage",
        "trec-covid-r1",
        "clef-ehealth-2018",
        "robust03",
        "cast2021",
        "cacm",
        "beir-scifact",
    ],
)
def test_the_grades_of_real_collections_are_in_order(folder, data_dir):
    paths = sorted((data_dir / folder / "runs").glob("*.gz"))
    findings = irpref_lab.check(
        str(next((data_dir / folder / "qrels").glob("*.gz"))),
        [str(path) for path in paths[:: max(1, len(paths) // 5)]],
    )
    assert "grade-order" not in _codes(findings)


def test_cranfield_runs_the_other_way(data_dir):
    qrels = real_runs.read_qrels(next((data_dir / "cranfield" / "qrels").glob("*.gz")))
    run = real_runs.tf_idf(data_dir / "cranfield")
    findings = irpref_lab.check(qrels, {"tf-idf": run})
    assert set(findings["code"][findings["level"] == "grave"]) >= {"grades-reversed"}
    assert "negative grade above" in _one(findings, "grade-order").text
    # As `settings` and the tutorial have it.
    turned = {q: {d: 5 - g for d, g in docs.items() if g > 0} for q, docs in qrels.items()}
    turned = {q: docs for q, docs in turned.items() if docs}
    assert "grade-order" not in _codes(irpref_lab.check(turned, {"tf-idf": run}))


def test_iterators_are_read_once_and_inputs_stay():
    frame = _frame(_run())
    before = frame.copy()
    rows = list(frame.itertuples(index=False))
    findings = irpref_lab.check(QRELS, {"a": iter(rows), "b": frame})
    assert _one(findings, "identical-runs").run == "b"
    pd.testing.assert_frame_equal(frame, before)


def test_without_runs_the_qrels_are_looked_at():
    assert irpref_lab.check(QRELS, {})["code"].tolist() == ["grade-scale"]
    with pytest.raises(ValueError, match="qrels are empty"):
        irpref_lab.check({}, {})
    with pytest.raises(TypeError, match="mapping of names"):
        irpref_lab.check(QRELS, 7)


def _grades(topics, top, n=60, seed=0):
    rng = np.random.default_rng(seed)
    return {
        t: {f"{t}-{i}": int(g) for i, g in enumerate(rng.integers(0, top + 1, n))} for t in topics
    }


@pytest.mark.parametrize("name", ["iteration", "source"])
@pytest.mark.parametrize(("human", "judge", "said"), [(3, 5, "human"), (3, 1, "llm")])
def test_grades_of_a_judge_on_another_scale_are_found(name, human, judge, said):
    rows = [
        (t, d, g, "human") for t, docs in _grades("abcd", human).items() for d, g in docs.items()
    ]
    rows += [
        (t, "x" + d, g, "llm")
        for t, docs in _grades("abcd", judge, seed=1).items()
        for d, g in docs.items()
    ]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", name])
    row = irpref_lab.check(frame, {}).set_index("code").loc["mixed-scales"]
    assert (row["level"], row["count"]) == ("warning", 240)
    assert (
        f"grades whose {name} is '{said}' end at {min(human, judge)}, others at {max(human, judge)}"
        in row["text"]
    )


def test_topics_graded_on_another_scale_are_found():
    qrels = _grades("abcdef", 3) | _grades("uvwxyz", 1)
    row = irpref_lab.check(qrels, {}).set_index("code").loc["mixed-scales"]
    assert (row["count"], row["example"]) == (6, "u")


def test_one_scale_is_no_finding():
    filled = irpref_lab.fill(
        _grades("abcd", 3), {t: {**docs, f"{t}-y": 3} for t, docs in _grades("abcd", 3).items()}
    )
    for qrels in (
        _grades("abcdef", 3),
        _grades("abcdef", 1),
        filled,
        {"q": {"a": 1}, "r": {"a": 3}},
    ):
        assert "mixed-scales" not in set(irpref_lab.check(qrels, {})["code"])


def test_the_scale_of_err_ends_at_four():
    qrels = {"q": {"a": 1, "b": 0}}
    assert (
        "is worth 0.0625, not 1"
        in _one(irpref_lab.check(qrels, {}, ["ERR@10"]), "fixed-scale").text
    )
    assert "fixed-scale" not in _codes(irpref_lab.check({"q": {"a": 4, "b": 0}}, {}, ["ERR@10"]))


def test_results_hold_what_check_finds_grave():
    made = irpref.datasets.load("synthetic")
    few = {topic: docs for topic, docs in list(made.runs["noisy"].items())[:20]}
    runs = {"baseline": made.runs["baseline"], "few": few}
    expected = grave(irpref_lab.check(made.qrels, runs, ["AP"]))
    assert expected
    halves = {topic: f"{i % 2}" for i, topic in enumerate(made.qrels)}
    two = [*runs.values()]
    compared = irpref_lab.compare("AP", made.qrels, *two, names=list(runs), groups=halves)
    assert compared.grave == expected
    assert irpref_lab.against("AP", made.qrels, "baseline", runs).grave == expected
    assert irpref_lab.leaderboard("AP", made.qrels, runs).grave == expected
    gated = irpref_lab.gate("AP", made.qrels, *two).grave
    assert len(gated) == len(expected)
    both = irpref_lab.collections({"x": (made.qrels, runs), "y": (made.qrels, runs)})
    lines = [f"{name}: {line}" for name in "xy" for line in expected]
    assert irpref_lab.leaderboard("AP", both).grave == lines
