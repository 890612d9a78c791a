"""-f never overwrites what the command has read."""

import os
import sys

import pytest

from shells import R1

MEASURE = """
import helper, ir_measures
One = ir_measures.define_byquery(lambda qrels, run: 1.0, "One")
"""


@pytest.fixture
def folder(files, monkeypatch):
    """The two runs in a folder as .tsv and .csv, groups, a judge, values and a module."""
    pd = pytest.importorskip("pandas")
    monkeypatch.setattr("sys.path", [*sys.path])
    (files / "runs").mkdir()
    for name in ("r1", "r2"):
        (files / "runs" / f"{name}.tsv").write_bytes((files / name).read_bytes())
    (files / "groups.tsv").write_text("1\tone\n2\ttwo\n3\ttwo\n")
    (files / "judge.tsv").write_text("1 0 a 1\n1 0 b 1\n1 0 c 0\n2 0 a 1\n2 0 d 0\n3 0 x 1\n")
    values = [(run, t, "AP", v) for run in "ab" for t, v in (("1", 0.5), ("2", 1.0))]
    columns = ["system", "topic", "measure", "value"]
    pd.DataFrame(values, columns=columns).to_csv(files / "values.csv", index=False)
    (files / "helper.py").write_text("")
    (files / "mine.py").write_text(MEASURE)
    os.link(files / "r1", files / "other-name.tsv")
    os.symlink("r1", files / "link.tsv")
    yield files
    from ir_measures.measures import registry

    registry.pop("One", None)
    sys.modules.pop("helper", None)


@pytest.mark.parametrize(
    ("words", "file"),
    [
        ("eval qrels r1 AP", "qrels"),
        ("eval qrels r1 r2 AP", "r2"),
        ("eval qrels r1 AP", "other-name.tsv"),
        ("eval qrels r1 AP", "link.tsv"),
        ("eval qrels r1 AP --groups groups.tsv", "groups.tsv"),
        ("eval qrels r1 One --import mine", "mine.py"),
        ("eval qrels r1 One --import mine.py", "helper.py"),
        ("leaderboard qrels r1 r2 AP --judge judge.tsv", "judge.tsv"),
        ("fill qrels judge.tsv", "judge.tsv"),
        ("meta ranking qrels runs AP", "runs/r1.tsv"),
        ("meta ranking --values values.csv", "values.csv"),
    ],
)
def test_what_was_read_is_kept(words, file, folder, call):
    before = (folder / file).read_bytes()
    status, _, err = call(*words.split(), "-o", "csv", "-f", file)
    assert (status, (folder / file).read_bytes()) == (2, before)
    assert err.startswith(f"irpref: -f {file}: ")


def test_a_part_of_a_folder_of_parquet_is_kept(folder, call):
    pytest.importorskip("pyarrow")
    import irpref

    (folder / "parts").mkdir()
    part = folder / "parts" / "part-0.parquet"
    irpref.read_run("r1").rename(columns={"query_id": "qid", "doc_id": "docno"}).to_parquet(part)
    os.link(part, folder / "same.csv")
    assert call("eval", "qrels", "parts", "AP", "-f", "same.csv")[0] == 2


def test_standard_input_is_a_file_that_is_kept(folder, command_server):
    with open("r1", "rb") as file:
        done = command_server("eval", "qrels", "-", "AP", "-f", "other-name.tsv", stdin=file)
    assert done.returncode == 2
    assert (folder / "r1").read_text() == R1


def test_pictures_and_pages(folder, call):
    pytest.importorskip("matplotlib")
    pytest.importorskip("vl_convert")
    for words, name in (
        ("plot pr qrels runs/r1.png", "link.png"),
        ("report qrels runs/r1.png AP", "link.html"),
    ):
        (folder / "runs" / "r1.png").write_bytes((folder / "r1").read_bytes())
        os.link(folder / "runs" / "r1.png", folder / name)
        assert call(*words.split(), "-f", name)[0] == 2


def test_other_files_are_written(folder, call):
    (folder / "old.csv").write_text("x")
    assert call("eval", "qrels", "r1", "AP", "-f", "old.csv")[0] == 0
    assert (folder / "old.csv").read_text().endswith("AP,0.4444\n")
    # Of a command before, by the same process.
    assert call("eval", "qrels", "r2", "AP", "-f", "r1")[0] == 0
