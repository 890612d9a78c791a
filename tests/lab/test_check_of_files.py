"""What `check` says of a run beside its values: tags, ranks, ids that another tool changed, ids of
topics among the documents."""

import json
import unicodedata
from urllib.parse import quote

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import irpref
import irpref_lab
from irpref.cli import main
from irpref_lab.checking import grave

IDS = ["Café_noir", "Zürich", "Ångström", "naïve", "007", "042", "Paris", "Rome"]
QRELS = {f"q{t}": {d: 1 - i % 2 for i, d in enumerate(IDS)} for t in range(6)}


def _codes(findings):
    return dict(zip(findings["code"], findings["level"], strict=True))


def _text(findings, code):
    (text,) = findings.loc[findings["code"] == code, "text"]
    return text


# Ids that another tool changed ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "words", "count"),
    [
        (str.upper, "in case", 36),
        (lambda d: f"{d} ", "in blanks", 48),
        (lambda d: unicodedata.normalize("NFD", d), "in Unicode form", 24),
        (quote, "in percent-encoding", 24),
        (lambda d: d.lstrip("0"), "in leading zeros", 12),
        (lambda d: d + ".0" if d.isdigit() else d, "in a '.0' at the end", 12),
        (lambda d: d.encode().decode("latin-1"), "in encoding", 24),
        (lambda d: f"{d}#1", "in a suffix after '#' or '_'", 48),
        (lambda d: f"{d}_chunk_3", "in a suffix after '#' or '_'", 48),
    ],
)
@pytest.mark.parametrize("of_topics", [False, True])
def test_the_change_that_another_tool_made_is_named(change, words, count, of_topics):
    run = {t: {d: -i for i, d in enumerate(IDS)} for t in QRELS}
    if of_topics:
        qrels = {d: docs for d, docs in zip(IDS, [*QRELS.values()] * 2, strict=False)}
        findings = irpref_lab.check(qrels, {"r": {change(t): run["q0"] for t in qrels}})
        count //= 6
    else:
        findings = irpref_lab.check(
            QRELS, {"r": {t: {change(d): s for d, s in docs.items()} for t, docs in run.items()}}
        )
    rows = findings[findings["code"] == "changed-ids"]
    assert rows["level"].tolist() == ["grave"]
    assert rows["count"].tolist() == [count]
    assert words in rows["text"].item()


@pytest.mark.parametrize(
    "write",
    [
        lambda n: f"{n:.6e}",
        lambda n: f"{n:.6E}",
        lambda n: f"{n:.18e}",  # numpy.savetxt
        lambda n: np.format_float_scientific(n, exp_digits=1).replace("e+", "E"),  # Java
    ],
)
def test_ids_in_scientific_notation_are_named(write):
    ids = [8641107, 1200000, 7, 10, 250]
    qrels = {t: {str(n): 1 - i % 2 for i, n in enumerate(ids)} for t in QRELS}
    topics = list(QRELS)
    run = {t: {str(n): -i for i, n in enumerate(ids)} for t in topics[::2]}
    run |= {t: {write(n): -i for i, n in enumerate(ids)} for t in topics[1::2]}
    findings = irpref_lab.check(qrels, {"r": run})
    assert _codes(findings)["changed-ids"] == "grave"
    assert "in scientific notation for 3 of 6 topics" in _text(findings, "changed-ids")


def test_an_exponent_does_not_make_every_id_a_number():
    qrels = {t: {"3000": 1, "1e": 0, "15": 1} for t in QRELS}
    # Of another number, of a fraction, of no number.
    run = {t: {"3.1e+03": 9.0, "1.55e+01": 8.0, "x3e+03": 7.0, "3e+03x": 6.0} for t in QRELS}
    assert "changed-ids" not in _codes(irpref_lab.check(qrels, {"r": run}))


def test_judgments_may_be_what_was_changed():
    qrels = {t: {f"{d}#0": g for d, g in docs.items()} for t, docs in QRELS.items()}
    findings = irpref_lab.check(qrels, {"r": {t: dict.fromkeys(IDS, 1.0) for t in QRELS}})
    assert "suffix" in _text(findings, "changed-ids")


def test_other_documents_are_no_changed_ones():
    qrels = {t: {"Paris": 1, "Paris_Texas": 0, "7": 1} for t in QRELS}
    # Retrieved as it is; another part of the same article; one of many numbers.
    run = {t: {"Paris": 9.0, "Paris_Hilton": 8.0} for t in QRELS}
    assert "changed-ids" not in _codes(irpref_lab.check(qrels, {"r": run}))
    run = {t: {"7": 9.0, "07": 8.0} for t in QRELS}
    assert "changed-ids" not in _codes(irpref_lab.check(qrels, {"r": run}))
    run = {t: {f"{i}_x": -i for i in range(1, 10)} for t in QRELS}
    assert "changed-ids" not in _codes(irpref_lab.check(qrels, {"r": run}))


def test_eval_names_the_change_of_topics(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q").write_text("001 0 a 1\n002 0 a 1\n10 0 a 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 1 r\n2 Q0 a 1 1 r\n10 Q0 a 1 1 r\n")
    assert main(["eval", "q", "r", "AP"]) == 0
    said = capsys.readouterr().err
    assert "2 of 2 unjudged topics of " in said
    assert "leading zeros" in said


# Tags and ranks ------------------------------------------------------------------------------------

JUDGED = {"q1": {"a": 1, "b": 0, "c": 0, "d": 0}, "q2": {"a": 1}}
TWO = [
    ("q1", "b", 1, 9.0, "bm25"),
    ("q1", "c", 2, 8.0, "bm25"),
    ("q2", "a", 1, 9.0, "bm25"),
    ("q1", "a", 1, 0.9, "dense"),
    ("q1", "d", 2, 0.8, "dense"),
    ("q2", "x", 1, 0.7, "dense"),
]
DISTANCES = [
    ("q1", "a", 1, 0.1, "knn"),
    ("q1", "b", 2, 0.5, "knn"),
    ("q1", "c", 3, 0.6, "knn"),
    ("q2", "a", 1, 0.1, "knn"),
    ("q2", "b", 2, 0.7, "knn"),
    ("q2", "c", 3, 0.8, "knn"),
]
NAMES = ["query_id", "doc_id", "rank", "score", "tag"]


def _trec(rows, folder):
    path = folder / "run.txt"
    path.write_text("".join(f"{q} Q0 {d} {r} {s} {t}\n" for q, d, r, s, t in rows))
    return path


def _table(ending, separator):
    def write(rows, folder):
        path = folder / f"run{ending}"
        pd.DataFrame(rows, columns=NAMES).to_csv(path, index=False, sep=separator)
        return path

    return write


def _lines(rows, folder):
    path = folder / "run.jsonl"
    records = (dict(zip(NAMES, row, strict=True)) for row in rows)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def _parquet(rows, folder):
    path = folder / "run.parquet"
    pd.DataFrame(rows, columns=NAMES).to_parquet(path)
    return path


FORMS = {
    "trec": _trec,
    "csv": _table(".csv", ","),
    "tsv.gz": _table(".tsv.gz", "\t"),
    "jsonl": _lines,
    "parquet": _parquet,
    "pandas": lambda rows, _: pd.DataFrame(rows, columns=NAMES),
    "pyterrier": lambda rows, _: pd.DataFrame(rows, columns=["qid", "docno", *NAMES[2:]]),
    "polars": lambda rows, _: pl.DataFrame(rows, schema=NAMES, orient="row").lazy(),
    "pyarrow": lambda rows, _: pa.Table.from_pylist(
        [dict(zip(NAMES, r, strict=True)) for r in rows]
    ),
    "iterator": lambda rows, _: iter([dict(zip(NAMES, row, strict=True)) for row in rows]),
}


@pytest.mark.parametrize("form", FORMS)
def test_several_runs_in_one_file_are_found(form, tmp_path):
    findings = irpref_lab.check(JUDGED, {"r": FORMS[form](TWO, tmp_path)})
    codes = _codes(findings)
    assert (codes["several-tags"], codes["ranks-restart"]) == ("warning", "warning")
    assert "('bm25', 'dense') in 2 of 2 " in _text(findings, "several-tags")


@pytest.mark.parametrize("form", FORMS)
def test_ranks_that_say_the_reverse_of_the_scores(form, tmp_path):
    findings = irpref_lab.check(JUDGED, {"r": FORMS[form](DISTANCES, tmp_path)})
    assert _codes(findings)["upside-down"] == "grave"
    assert "the reverse" in _text(findings, "upside-down")


def test_ranks_that_agree_are_no_finding(tmp_path):
    said = {"several-tags", "ranks-restart", "upside-down"}
    good = [("q1", "a", 1, 2.0, "r"), ("q1", "b", 2, 1.0, "r"), ("q2", "a", 1, 1.0, "r")]
    constant = [(q, d, 0, s, t) for q, d, _, s, t in good]
    ties = [("q1", "a", 1, 2.0, "r"), ("q1", "b", 1, 2.0, "r"), ("q1", "c", 3, 1.0, "r")]
    shuffled = [good[1], good[2], good[0]]
    for rows in (good, constant, ties, shuffled):
        findings = irpref_lab.check(JUDGED, {"r": _trec(rows, tmp_path)})
        assert said.isdisjoint(_codes(findings)), rows
    one_off = [("q1", "a", 1, 2.0, "r"), ("q1", "b", 2, 1.0, "r"), ("q1", "c", 3, 1.5, "r")]
    other = [("q2", d, i + 1, -i, "r") for i, d in enumerate("abc")]
    findings = irpref_lab.check(JUDGED, {"r": _trec(one_off + other, tmp_path)})
    assert _codes(findings)["upside-down"] == "note"


def test_a_file_of_topics_with_different_tags_is_a_note(tmp_path):
    rows = [("q1", "a", 1, 2.0, "first"), ("q2", "a", 1, 2.0, "second")]
    findings = irpref_lab.check(JUDGED, {"r": _trec(rows, tmp_path)})
    assert _codes(findings)["several-tags"] == "note"


# Documents that are topics, and ids that are none --------------------------------------------------


def _self(n=20, own=()):
    qrels = {f"arg{t}": {f"arg{t}b": 1} for t in range(n)}
    run = {q: ({q: 9.0} if q in own else {}) | {f"{q}b": 8.0, f"z{q}": 7.0} for q in qrels}
    return qrels, run


def test_documents_with_the_id_of_their_topic():
    qrels, clean = _self()
    _, own = _self(own=qrels)
    findings = irpref_lab.check(qrels, {"self": own, "clean": clean})
    rows = findings[findings["code"] == "own-topic"]
    assert rows[["run", "level", "count"]].to_numpy().tolist() == [["self", "grave", 20]]
    assert grave(findings) == rows["text"].tolist()
    for runs in ({"self": own}, {"self": own, "again": own}):
        assert _codes(irpref_lab.check(qrels, runs))["own-topic"] == "warning"
    assert "own-topic" not in _codes(irpref_lab.check(qrels, {"clean": clean}))
    # Judged: it is a document like any other.
    judged = {q: docs | {q: 1} for q, docs in qrels.items()}
    assert "own-topic" not in _codes(irpref_lab.check(judged, {"self": own, "clean": clean}))


def test_numbers_of_topics_and_documents_agree_by_chance():
    qrels = {str(t): {str(500 + t): 1} for t in range(40)}
    run = {q: {str(d): -abs(d - 500) for d in range(1000)} for q in qrels}
    run["7"] |= {"7": 9.0}
    assert "own-topic" not in _codes(irpref_lab.check(qrels, {"r": run}))
    run = {q: docs | {q: 9.0} for q, docs in run.items()}
    assert "own-topic" in _codes(irpref_lab.check(qrels, {"r": run}))


@pytest.mark.parametrize("n", [3, 1000])  # few ids are compared one by one
@pytest.mark.parametrize("name", ["None", "nan", "<NA>", "null"])
def test_ids_that_say_that_they_are_missing(name, n):
    run = {t: {name: 9.0} | {f"x{i}": -i for i in range(n)} for t in QRELS}
    findings = irpref_lab.check(QRELS, {"r": run})
    row = findings[findings["code"] == "missing-ids"]
    assert row[["level", "run", "count"]].to_numpy().tolist() == [["warning", "r", 6]]
    assert repr(name) in row["text"].item()
    findings = irpref_lab.check({name: {"a": 1}, "q": {name: 0}}, {"r": {name: {"a": 1.0}}})
    assert findings.loc[findings["code"] == "missing-ids", "run"].isna().all()
    assert (findings["code"] == "missing-ids").sum() == 2


def test_own_ids_and_missing_ones_among_coded_ids():
    qrels, run = _self(200, own=[f"arg{t}" for t in range(200)])
    rows = [(q, d, s) for q, docs in run.items() for d, s in docs.items()]
    frame = pd.DataFrame([*rows, ("arg0", "nan", 1.0)], columns=["query_id", "doc_id", "score"])
    findings = irpref_lab.check(qrels, {"r": frame.astype({"doc_id": "category"})})
    assert {"own-topic", "missing-ids"} <= set(_codes(findings))


# What is suggested ---------------------------------------------------------------------------------


def test_which_grades_count_is_said_of_the_measures_that_are_named():
    some = {"q1": {"a": 1.0, "b": 0.7}, "q2": {"e": 0.7, "g": 0.0}}
    run = {q: {d: -i for i, d in enumerate(docs)} for q, docs in some.items()}
    text = _text(irpref_lab.check(some, {"r": run}, ["AP", "nDCG"]), "threshold")
    assert text.startswith("AP: rel=1, ")
    assert text.endswith(": 0.7 (2)")
    stars = {f"q{t}": {"a": 5, "b": 1, "c": 1, "d": 2} for t in range(12)}
    runs = {
        "up": {q: dict(zip("adbc", (4, 3, 2, 1), strict=True)) for q in stars},
        "down": {q: dict(zip("bcda", (4, 3, 2, 1), strict=True)) for q in stars},
    }
    findings = irpref_lab.check(stars, runs, ["AP"])
    text = findings.loc[findings["code"] == "blind", "text"].iloc[0]
    assert "same for AP (" in text
    assert "(grades 1 to 5, rel=1)" in text
    named = [row["measure"] for row in findings.attrs["measures"]]
    assert named == ["nDCG@10", "QMeasure", "RPref(norm='relative2')"]
    assert [row["measure"] for row in irpref_lab.check(stars).attrs["measures"]] == named


@pytest.mark.slow
def test_the_advice_does_not_change_with_a_pair_of_real_runs(data_dir):
    folder = data_dir / "dl19-passage"
    (qrels,) = (folder / "qrels").iterdir()
    runs = sorted(map(str, (folder / "runs").iterdir()))
    judged = irpref.judgments(str(qrels))
    expected = irpref_lab.check(judged).attrs["measures"]
    assert expected[0]["measure"] == "AP(judged_only=True,rel=2)"  # as in the study
    assert "2 of 5 cases" in expected[0]["why"]
    rng = np.random.default_rng(7)
    for _ in range(30):
        pair = [runs[i] for i in rng.choice(len(runs), 2, replace=False)]
        assert irpref_lab.check(judged, pair).attrs["measures"] == expected


# The table in a terminal ---------------------------------------------------------------------------


def test_equal_findings_of_many_runs_are_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q").write_text("".join(f"q 0 d{i} {i % 2}\n" for i in range(9)))
    names = [f"r{i:02}" for i in range(12)]
    for i, name in enumerate(names):
        rows = [f"q Q0 d{j} 1 {-(j ^ i)} x\n" for j in range(9)] + [f"q Q0 u{i} 1 5 x\n"] * 1
        (tmp_path / name).write_text("".join(rows))
    assert main(["check", "q", *names]) == 0
    shown = capsys.readouterr().out
    assert shown.count("are unjudged") == 1
    assert "(11 more runs " in shown
    assert ": r01, r02, " in shown
    assert main(["check", "q", *names, "-o", "jsonl"]) == 0
    assert capsys.readouterr().out.count("are unjudged") == 12
    assert main(["check", "q", *names[:3]]) == 0
    assert capsys.readouterr().out.count("are unjudged") == 3
