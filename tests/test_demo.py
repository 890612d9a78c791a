"""`irpref demo`: what it prints is true, fits the page, and needs no network."""

import gzip
import os
import re
import socket
import subprocess
import sys

import ir_measures
import pytest

import irpref
from irpref.cli import main
from irpref.datasets import load
from irpref.reference import order


def run_demo(*arguments):
    """Exit code of `irpref demo` with these arguments."""
    return main(["demo", *arguments])


@pytest.fixture
def printed(capsys):
    """Run the demo successfully and return what it printed."""

    def call(*arguments):
        assert run_demo(*arguments) == 0
        captured = capsys.readouterr()
        assert captured.err == ""
        return captured.out

    return call


def tables(text):
    """Every table of the output: list of dicts, system -> {column head -> number}."""
    found = []
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if not line.startswith("system "):
            continue
        # A column ends where its name ends; the rest of a long name stands below it.
        ends = [match.end() for match in re.finditer(r"\S+", line)][1:]
        heads = line.split()[1:]
        below = at + 1
        while lines[below].startswith("  "):
            for match in re.finditer(r"\S+", lines[below]):
                column = ends.index(match.end())
                heads[column] += match.group()
            below += 1
        table = {}
        for row in lines[below:]:
            if not row.strip():
                break
            name, *numbers = row.replace("*", "").split()
            table[name] = dict(zip(heads, map(float, numbers), strict=True))
        found.append(table)
    return found


def test_the_tables_show_what_ir_measures_computes(printed):
    example = load("synthetic")
    shown = {}
    for table in tables(printed())[:4]:
        for name, row in table.items():
            shown.setdefault(name, {}).update(row)
    assert list(shown) == list(example.runs)
    columns = ["AP", "nDCG@10", "Bpref", "RPref(max_rel=3)", "RPref(norm='relative',max_rel=3)", "nCRP", "EMeasure@10"]
    columns += ["QMeasure(judged_only=True)", "NCU(stop='rank_biased')", "Coverage@10"]
    measures = {column: irpref.parse(column) for column in columns}  # what is printed is what can be typed
    for name, run in example.runs.items():
        values = ir_measures.calc_aggregate(list(measures.values()), example.qrels_frame(), run)
        for column, measure in measures.items():
            assert shown[name][column] == pytest.approx(values[measure], abs=5e-5), (name, column)


def test_it_fits_the_page_and_explains_every_measure(printed):
    text = printed()
    assert max(map(len, text.split("\n"))) <= 100
    assert text.isascii()
    for name, measure in irpref.measures.registered().items():
        if re.search(rf"^  {name} +\S", text, re.M):
            assert " ".join(measure.SHORT_DESC.split()).rstrip(".") in " ".join(text.split())
    assert len(re.findall(r"lower is better", text)) == 2  # nCRP and E
    assert "Synthetic" in text
    assert "No real documents" in text


def test_it_needs_no_network_and_little_time(monkeypatch, printed):
    def refused(*_, **__):
        raise AssertionError("the demo opened a socket")

    monkeypatch.setattr(socket, "socket", refused)
    seconds = float(re.search(r"([\d.]+) seconds", printed()).group(1))
    assert seconds < 20


def test_the_topic_shown_is_one_on_which_measures_disagree(printed):
    text = printed()
    said = re.search(r"(\w+) prefers (\w+) to (\w+), (\S+) (\w+) to (\w+)\.", text)
    assert said.group(2, 3) == said.group(6, 5)
    table = tables(text)[-1]
    better, worse = table[said.group(2)], table[said.group(3)]
    assert better["AP"] > worse["AP"]
    assert better["RPref(max_rel=3)"] < worse["RPref(max_rel=3)"]


def test_the_grades_of_a_topic_stand_in_the_order_of_the_evaluation(printed):
    example = load("synthetic")
    text = printed("-t", "17")
    assert f"One topic: 17, {example.queries['17']!r}." in text
    pictures = dict(re.findall(r"^(\w+) +((?:[-.\d]+ ){2}[-.\d ]+)$", text.split("Grades of the first")[1], re.M))
    for name, run in example.runs.items():
        grades = [example.qrels["17"].get(doc_id) for doc_id in order(run["17"])[:20]]
        assert pictures[name].split() == ["." if grade is None else str(grade) for grade in grades]
    assert pictures["ideal"].split()[0] == str(max(example.qrels["17"].values()))


def test_a_topic_missing_from_a_run_is_shown_as_such(printed):
    assert "noisy     (nothing retrieved)" in printed("-t", "30")


def write_run(path, run):
    text = "".join(
        f"{query_id} Q0 {doc_id} {rank} {scores[doc_id]} tag\n"
        for query_id, scores in run.items()
        for rank, doc_id in enumerate(order(scores), 1)
    ).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


def test_run_files_take_the_place_of_the_shipped_runs(printed, tmp_path):
    example = load("synthetic")
    for name in ("strong", "broad"):
        write_run(tmp_path / f"{name}.txt{'.gz' if name == 'broad' else ''}", example.runs[name])
    text = printed("irpref/synthetic", str(tmp_path / "broad.txt.gz"), str(tmp_path / "strong.txt"))
    assert "2 systems" in text
    own, shipped = tables(text)[0], tables(printed())[0]
    assert own == {name: shipped[name] for name in ("broad", "strong")}


def test_long_names_of_run_files_fit_the_page(printed, tmp_path):
    run = load("rpref-figure-1").runs["T1"]
    (tmp_path / "again").mkdir()
    files = [tmp_path / f"{'x' * 60}2019.run", tmp_path / "a.txt", tmp_path / "again" / "a.txt.gz"]
    for file in files:
        write_run(file, run)
    text = printed("rpref-figure-1", *map(str, files))
    assert "3 systems" in text
    assert max(map(len, text.split("\n"))) <= 100


def test_one_run_of_an_example(printed):
    text = printed("irpref/rpref-figure-1/T2")
    assert "1 system;" in text
    assert "*" not in text.replace("**", "").split("Notes")[0]


def test_other_measures_on_request(printed):
    text = printed("irpref/synthetic", "map RPref@10", "QMeasure(gains={1:1,2:3,3:7})@10")
    heads = {head for table in tables(text) for row in table.values() for head in row}
    assert heads == {"AP", "RPref(max_rel=3)@10", "QMeasure(gains={2:3,3:7})@10"}


def test_float_grades_are_for_all_measures(printed):
    table = tables(printed("rpref-figure-1"))[0]
    assert table["T2"]["RPref(max_rel=1)"] == 0.7031
    example = load("rpref-figure-1")
    values = irpref.evaluator(["AP"], example.qrels_frame()).calc_aggregate(example.run_frame("T2"))
    assert table["T2"]["AP"] == pytest.approx(next(iter(values.values())), abs=5e-5)


@pytest.mark.parametrize(("options", "value"), [([], 1.0), (["--float32"], 0.5)])
def test_files_of_judgments_and_runs(options, value, printed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("x 0 a 1\nx 0 b 0\n")
    (tmp_path / "run").write_text("x Q0 a 1 16777217 t\nx Q0 b 1 16777216 t\n")
    (tmp_path / "other").write_text("x Q0 a 1 1 t\n")
    text = printed("qrels", "run", "other", "AP", *options)
    assert tables(text)[0] == {"run": {"AP": value}, "other": {"AP": 1.0}}
    assert ("pytrec_eval, which cuts scores to 32 bits" in " ".join(text.split())) == (not options)


def test_without_a_column_known_the_first_run_says_what_was_known(printed):
    text = printed("irpref/rpref-figure-1")
    assert "Known to the user: the first 10 documents of T1" in text
    assert tables(text)[3]["T1"]["Novelty@10"] == 0
    assert "Coverage and Novelty need to know" in printed("irpref/bpref-bug")


def test_collections_without_judged_nonrelevant_documents_are_remarked(printed):
    text = " ".join(printed("irpref/mir-textbook").split())
    assert text.count("Bpref: no document of these qrels is judged non-relevant, so the measure says little more") == 1
    assert text.count("NPref(n=2): no document of these qrels is judged non-relevant, so the measure compares") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["irpref/synthetic/brod"], "'synthetic' has no run 'brod'; it has baseline"),
        (["vaswanni"], "no data set 'vaswanni'; did you mean 'vaswani'"),
        (["-t", "99"], "topic '99' is not in the judgments"),
        (["synthetic", "RPref QMeasur"], "unknown measure 'QMeasur'; did you mean 'QMeasure'"),
        (["synthetic", "RPref(norm='best')"], "RPref: norm='best' is not accepted"),
        (["synthetic", "no/such/file.txt"], "no/such/file.txt"),
    ],
)
def test_what_cannot_be_evaluated_is_said_in_one_line(arguments, message, capsys):
    pytest.importorskip("ir_datasets")
    assert main(["demo", *arguments]) in (1, 2)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("irpref: ")
    assert captured.err.count("\n") == 1
    assert message in captured.err


def test_a_run_of_another_collection(tmp_path, capsys):
    (tmp_path / "other.run").write_text("nothing Q0 d 1 1 t\n")
    assert main(["demo", "irpref/synthetic", str(tmp_path / "other.run")]) == 1
    assert "other: the run has no topic in common with the judgments of irpref/synthetic" in capsys.readouterr().err


def test_a_public_collection_with_run_files(data_dir, tmp_path):
    """Vaswani from prepared files, with a run made of its own judgments, in a fresh process."""
    pytest.importorskip("ir_datasets")
    folder = data_dir / "vaswani" / "ir_datasets"
    if not folder.is_dir():
        pytest.skip(f"no Vaswani files at {folder}")
    (tmp_path / "vaswani").mkdir()
    for file in folder.glob("*.gz"):
        (tmp_path / "vaswani" / file.stem).write_bytes(gzip.decompress(file.read_bytes()))
    rows = gzip.decompress((data_dir / "vaswani" / "qrels" / "qrels.txt.gz").read_bytes()).decode().split("\n")
    judged = [line.split() for line in rows if line]
    run = tmp_path / "judged.txt"
    run.write_text("".join(f"{query_id} Q0 {doc_id} 1 1 tag\n" for query_id, _, doc_id, _ in judged))
    code = "import sys; from test_demo import run_demo; sys.exit(run_demo(*sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, "vaswani", str(run)],
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "IR_DATASETS_HOME": str(tmp_path),
            "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *filter(None, sys.path)]),
        },
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert tables(done.stdout)[0]["judged"]["AP"] == 1
    assert "vaswani" in done.stdout
    assert "93 topics; 1 system" in done.stdout
