"""Runs judged as they are read, from one file or many, whatever lies where in memory."""

import gc
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irpref
from irpref.data import parquet as arrow
from irpref.data import source, texts
from irpref.data.columns import changes
from irpref.data.replace import replaced
from irpref.data.source import Source
from irpref.errors import ArgumentError, InputError
from irpref.judged import match, stream
from irpref.judged.align import JudgedFile
from irpref.judged.judgments import judgments
from irpref.judged.pool import Pool
from irpref.judged.run import align_run
from irpref.messages import DuplicateWarning, held, warn_user
from irpref.values.kernels import KernelEvaluator
from refused import refuses

MEASURES = irpref.parse_all(["RPref(max_rel=2)", "QMeasure", "nDCG@3", "AP", "Bpref"])


def rows_of(topics: int, depth: int, seed: int = 0) -> list[tuple[str, str, float]]:
    rng = np.random.default_rng(seed)
    return [
        (f"{t:03d}", f"d{i}", float(rng.integers(9)))
        for t in range(topics)
        for i in rng.permutation(depth)
    ]


QRELS = pd.DataFrame(
    [(f"{t:03d}", f"d{i}", (i * (t + 1)) % 3) for t in range(30) for i in range(12)],
    columns=["query_id", "doc_id", "relevance"],
)


def frame_of(rows: list[tuple[str, str, float]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")


def values(pool: Pool, run: Any) -> list[list[float]]:
    found = KernelEvaluator(MEASURES, pool)
    return [of.tolist() for of in found.values_of(run).values()]


# Parquet, some topics at a time -------------------------------------------------------------------


@pytest.mark.parametrize("rows_at_a_time", [1, 7, 1 << 20])
@pytest.mark.parametrize("returning", [False, True])
def test_parquet_is_judged_in_parts_as_it_is_as_a_whole(
    rows_at_a_time: int, returning: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = rows_of(30, 8)
    if returning:  # rows of the first topic stand at the end
        rows = [*rows[4:], *rows[:4]]
    frame_of(rows).write_parquet(tmp_path / "run.parquet", row_group_size=50)
    monkeypatch.setattr(arrow, "ROWS", rows_at_a_time)
    pool = judgments(QRELS).pool()
    judged = stream.align_file(pool, Source(tmp_path / "run.parquet"), ties=True)
    assert values(pool, judged.run) == values(pool, align_run(pool, frame_of(rows), ties=True))
    assert judged.topics == list(dict.fromkeys(row[0] for row in rows))


@pytest.mark.parametrize("rows_at_a_time", [1, 5, 1 << 20])
@pytest.mark.parametrize("partitioned", [False, True])
def test_a_folder_is_judged_file_after_file(
    rows_at_a_time: int, partitioned: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = frame_of(rows_of(12, 8))
    for i, part in enumerate(frame.partition_by("query_id", maintain_order=True)):
        folder = (
            tmp_path / "run" / f"query_id={part['query_id'][0]}"
            if partitioned
            else tmp_path / "run"
        )
        folder.mkdir(parents=True, exist_ok=True)
        (part.drop("query_id") if partitioned else part).write_parquet(folder / f"{i:03d}.parquet")
    monkeypatch.setattr(arrow, "ROWS", rows_at_a_time)
    pool = judgments(QRELS).pool()
    judged = stream.align_file(pool, Source(tmp_path / "run"), ties=True)
    assert values(pool, judged.run) == values(pool, align_run(pool, frame, ties=True))
    assert judged.topics == frame["query_id"].unique(maintain_order=True).to_list()


def test_damaged_parquet_inside_a_folder_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "a.parquet").write_bytes(b"junk")
    with refuses(InputError, path=str(tmp_path / "run" / "a.parquet")) as found:
        stream.align_file(judgments(QRELS).pool(), Source(tmp_path / "run"))
    assert "Parquet" in found.value.message
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("block_bytes", [200, 1 << 20])
@pytest.mark.parametrize("returning", [False, True])
def test_the_first_documents_of_a_file_are_kept_in_the_order_of_evaluation(
    returning: bool, block_bytes: int, tmp_path: Path
) -> None:
    # Twelve of thirty documents are judged, and most are tied: ids decide, descending.
    rows = [row for row in rows_of(9, 30, seed=3) if row[0] != "004"]
    if returning:
        rows = [*rows[40:], *rows[:40]]
    lines = [f"{topic} Q0 {doc} 0 {score} t\n" for topic, doc, score in rows]
    (tmp_path / "run").write_text("".join(lines))
    pool = judgments(QRELS).pool()
    source = Source(tmp_path / "run", keep=True)
    top = stream.align_file(pool, source, block_bytes=block_bytes, top=4).top
    assert top.topics.lengths.tolist() == [4 * (t < 9 and t != 4) for t in range(30)]
    found: dict[str, list[str]] = {}
    for topic, doc in zip(top.topics.topic.tolist(), top.docs_of(slice(None)), strict=True):
        found.setdefault(pool.topic_ids[topic], []).append(doc)
    expected = {
        topic: sorted((doc for t, doc, _ in rows if t == topic), reverse=True)
        for topic in sorted({row[0] for row in rows})
    }
    for topic, docs in expected.items():
        scores = {doc: score for t, doc, score in rows if t == topic}
        expected[topic] = sorted(docs, key=lambda doc: -scores[doc])[:4]
    assert found == expected
    judged = {(topic, doc) for topic, doc, _ in QRELS.itertuples(index=False)}
    pairs = [(topic, doc) for topic, docs in expected.items() for doc in docs]
    assert [row >= 0 for row in top.row.tolist()] == [pair in judged for pair in pairs]


# Many files ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def track(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("track")
    paths = []
    for i in range(9):
        text = "".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows_of(20, 10, seed=i))
        paths.append(folder / f"run{i}")
        paths[-1].write_text("1 Q0 a\n" if i == 4 else text)
    return paths


def judged_beside_others(pool: Pool, path: Path) -> JudgedFile:
    source = Source(path)
    source.alone = True
    return stream.align_file(pool, source, ties=True)


@pytest.mark.parametrize("jobs", [1, 2, 5, None])
def test_files_are_judged_in_their_order_and_a_bad_one_does_not_end_the_others(
    track: list[Path], jobs: int
) -> None:
    pool = judgments(QRELS).pool()
    done = list(stream.each(lambda path: judged_beside_others(pool, path), track, jobs))
    assert [d.item for d in done] == track
    assert str(done[4].error).startswith(f"{track[4]}, line 1: 3 fields")
    for path, each in zip(track, done, strict=True):
        if each.value is not None:
            alone = stream.align_file(pool, Source(path), ties=True)
            assert values(pool, each.value.run) == values(pool, alone.run)
    assert [d.error is None for d in done] == [True] * 4 + [False] + [True] * 4


def test_only_a_few_are_worked_on_before_the_caller_takes_them() -> None:
    begun: list[int] = []

    def work(i: int) -> int:
        begun.append(i)
        return i

    results = stream.each(work, iter(range(1000)), jobs=2)
    assert [next(results).value for _ in range(3)] == [0, 1, 2]
    assert len(begun) < 12
    results.close()  # type: ignore[attr-defined]
    assert len(begun) < 14


@pytest.mark.parametrize(
    "threads",
    [lambda work, of: stream.each(work, of, jobs=2), lambda work, of: source.ahead(map(work, of))],
)
def test_what_a_caller_leaves_can_be_collected_by_a_thread_that_works(
    threads: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors: list[object] = []
    begun: list[int] = []
    left = threading.Event()
    monkeypatch.setattr(sys, "unraisablehook", errors.append)

    def work(i: int) -> int:
        if i:
            begun.append(i)
            left.wait()
            gc.collect()
        return i

    def leave() -> None:
        results = threads(work, iter(range(1000)))
        cycle: list[object] = [results]
        cycle.append(cycle)
        next(results)

    before = threading.active_count()
    gc.disable()
    try:
        leave()
        left.set()
        while threading.active_count() > before:
            time.sleep(0.01)
    finally:
        gc.enable()
    assert (errors, len(begun) < 4) == ([], True)


def test_errors_that_are_no_fault_of_the_input_end_all() -> None:
    def work(i: int) -> int:
        raise RuntimeError("a bug")

    for jobs in (1, 2):
        with pytest.raises(RuntimeError, match="a bug"):
            list(stream.each(work, [1, 2], jobs))
    with refuses(ArgumentError, parameter="jobs", value=0):
        list(stream.each(work, [1], 0))


def test_warnings_are_kept_for_their_thread() -> None:
    both = threading.Barrier(2, timeout=10)
    found: dict[str, list[str]] = {}

    def work(name: str) -> None:
        with held() as warned:
            both.wait()
            warn_user(f"about {name}", DuplicateWarning)
            both.wait()
        found[name] = [warning.message for warning in warned]

    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {"a": ["about a"], "b": ["about b"]}
    with pytest.warns(DuplicateWarning, match="about c"):
        warn_user("about c", DuplicateWarning)


@pytest.mark.parametrize(
    ("relevant", "other", "ap", "in_float32"),
    [
        (
            16777217,
            16777216,
            1.0,
            0.5,
        ),  # one number in 32 bits: the later id, which is not relevant, stands first
        (16777217, 16777215, 1.0, 1.0),  # two numbers in 32 bits
        (16777216, 16777217, 0.5, 0.5),
        (16777217, 16777217, 0.5, 0.5),  # a tie in both
        (1e300, 1e299, 1.0, 0.5),  # beyond the range of 32 bits
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_rounding_to_32_bits_is_seen_where_it_makes_ties(
    relevant: float, other: float, ap: float, in_float32: float, turned: bool, tmp_path: Path
) -> None:
    path = tmp_path / "run"
    lines = [f"1 Q0 a 1 {relevant} t\n", f"1 Q0 b 1 {other} t\n"]
    path.write_text("".join(reversed(lines) if turned else lines))
    evaluator = irpref.evaluator(["AP"], {"1": {"a": 1, "b": 0}})
    found = [
        evaluator.values(run)[irpref.parse("AP")].tolist()
        for run in (path, irpref.run(path, float32=True))
    ]
    assert found == [[ap], [in_float32]]


# Anywhere in memory -------------------------------------------------------------------------------


def anywhere(ids: list[str], seed: int = 0) -> Any:
    """An object array whose strings were made in another order, each an object of its own."""
    column = np.empty(len(ids), dtype=object)
    for i in np.random.default_rng(seed).permutation(len(ids)).tolist():
        column[i] = "".join(list(ids[i]))
    return column


@pytest.mark.parametrize("compiled", sorted({False, texts.compiled}))
@pytest.mark.parametrize("letter", ["x", "é", "文", "\U0001f600", ""])
def test_ids_anywhere_in_memory_are_read_as_they_are(
    letter: str, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "compiled", compiled)
    rng = np.random.default_rng(1)
    topics = np.repeat([f"{letter}{t}" for t in range(300)], rng.integers(1, 200, 300)).tolist()
    assert changes(anywhere(topics)).tolist() == [
        i for i, t in enumerate(topics) if i == 0 or t != topics[i - 1]
    ]
    docs = [f"{letter}{i % 977}" for i in range(20_000)]
    strided = np.empty((20_000, 2), dtype=object)
    strided[:, 1] = anywhere(docs)
    found = match.texts_of(strided[:, 1])
    assert (found is not None) == compiled
    assert found is None or found.to_list() == docs


def test_whole_numbers_are_not_taken_for_addresses() -> None:
    numbers = np.random.default_rng(2).integers(0, 2**62, 20_000)
    found = match.texts_of(numbers)
    assert (found is not None) == texts.compiled
    assert found is None or found.to_list() == [str(number) for number in numbers.tolist()]


def test_frames_of_tuples_have_the_values_of_tidy_ones() -> None:
    rows = [(t, d, s) for t, d, s in rows_of(30, 900)]
    ids = [anywhere([row[i] for row in rows], i) for i in (0, 1)]
    scattered = pd.DataFrame(
        {"query_id": ids[0], "doc_id": ids[1], "score": [row[2] for row in rows]}, dtype=object
    )
    scattered["score"] = scattered["score"].astype(float)
    evaluator = irpref.evaluator(irpref.parse_all(["RPref(max_rel=2)", "QMeasure"]), QRELS)
    expected = evaluator.values(frame_of(rows))
    assert {m: v.tolist() for m, v in evaluator.values(scattered).items()} == {
        m: v.tolist() for m, v in expected.items()
    }


@given(st.lists(st.binary(max_size=5000), max_size=4), st.integers(0, 40), st.integers(1, 3000))
def test_gzip_in_members(parts: list[bytes], zeros: int, size: int) -> None:
    import gzip
    import io

    packed = b"".join(gzip.compress(part) + b"\0" * zeros for part in parts)
    if not packed:
        return
    kept, found = Source(io.BytesIO(packed), keep=True), b""
    with kept.open() as file:
        while more := file.read(size):
            assert len(more) <= size
            found += more
    with kept.open() as file:
        assert found == b"".join(parts) == file.read()


def test_memory_does_not_grow_with_the_number_of_files(track: list[Path]) -> None:
    """Results are handed on one by one: those that the caller drops are gone."""
    import gc
    import weakref

    pool = judgments(QRELS).pool()
    alive: list[Any] = []
    most = 0
    good = [path for path in track if path.name != "run4"]
    gc.freeze()  # or what other tests left is looked through each time
    try:
        for each in stream.each(lambda path: judged_beside_others(pool, path), good * 6, 2):
            assert each.value is not None
            alive.append(weakref.ref(each.value.run))
            del each
            gc.collect()
            most = max(most, sum(ref() is not None for ref in alive))
    finally:
        gc.unfreeze()
    assert most <= 6


def test_a_file_that_is_written_leaves_none_open(tmp_path: Path) -> None:
    def lowest_free() -> int:
        handle = os.open(os.devnull, os.O_RDONLY)
        os.close(handle)
        return handle

    before = lowest_free()
    for text in ("first", "second"):
        with replaced(tmp_path / "out.txt") as beside:
            Path(beside).write_text(text, encoding="utf-8")
    assert lowest_free() <= before
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"]
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == "second"
