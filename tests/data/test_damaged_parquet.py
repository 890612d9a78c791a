"""Damaged Parquet files: one clear line with the file's name, whatever is damaged, and never the
end of the process.

The files are read by a process of its own: what ends it could not be caught.
"""

import itertools
import random
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

N = 600
COLUMNS = {
    "query_id": [f"q{i // 20}" for i in range(N)],
    "doc_id": [f"doc-{i % 97}-é" for i in range(N)],
    "score": [float(i % 13) for i in range(N)],
}
READ = """
import sys, traceback
import irpref
from irpref.data.trec import Source
from irpref.judged import stream
from irpref.judged.judgments import judgments

pool = judgments({f"q{t}": {f"doc-{d}-é": d % 3 for d in range(50)} for t in range(30)}).pool()
for path in sys.argv[1:]:
    for read in (irpref.read_run, lambda path: stream.align_file(pool, Source(path)), irpref.read_qrels):
        try:
            read(path)
            print("read")
        except (ValueError, OSError) as error:
            text = str(error)
            print("named" if path in text and "\\n" not in text else f"NOT NAMED {text!r}")
        except BaseException:
            print("TRACEBACK", path, traceback.format_exc().replace("\\n", " | "))
print("end")
"""


def _whole(path: Path, **how) -> bytes:
    pq.write_table(pa.table({**COLUMNS, "relevance": [i % 3 for i in range(N)]}), path, **how)
    return path.read_bytes()


def _damaged(folder: Path, data: bytes, what: str, rng: random.Random) -> None:
    """Files in which the end is missing, bytes are others, or a stretch is gone or there twice."""
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    for i, size in enumerate(
        [0, 3, 4, 12, footer // 3, footer, footer + 10, len(data) - 9, len(data) - 1]
    ):
        (folder / f"{what}-cut{i}.parquet").write_bytes(data[:size])
    places = {
        "footer": range(footer, len(data) - 8),
        "pages": range(4, footer),
        "ends": range(len(data) - 8, len(data)),
    }
    for where, range_ in places.items():
        for i in range(40 if where != "ends" else 8):
            found = bytearray(data)
            for at in rng.sample(range_, min(1 + i % 3, len(range_))):
                found[at] ^= 1 << rng.randrange(8) if i % 2 else rng.randrange(1, 256)
            (folder / f"{what}-{where}{i}.parquet").write_bytes(found)
    for i in range(6):
        a, b = sorted(rng.sample(range(4, footer), 2))
        (folder / f"{what}-gone{i}.parquet").write_bytes(data[:a] + data[b:])
        (folder / f"{what}-twice{i}.parquet").write_bytes(data[:b] + data[a:])


WRITTEN = {
    "as usual": {},
    "plain": {"compression": "none", "use_dictionary": False, "row_group_size": 100},
    "checksums": {"compression": "zstd", "data_page_version": "2.0", "write_page_checksum": True},
    "deltas": {
        "column_encoding": {"doc_id": "DELTA_BYTE_ARRAY", "score": "BYTE_STREAM_SPLIT"},
        "use_dictionary": ["query_id"],
    },
}


def test_each_damaged_file_is_named_in_one_line(tmp_path):
    paths = {}
    for how, options in WRITTEN.items():
        folder = tmp_path / how
        folder.mkdir()
        _damaged(folder, _whole(folder / "whole.parquet", **options), "x", random.Random(0))
        paths[how] = sorted(map(str, folder.glob("x-*.parquet")))
    done = subprocess.run(
        [sys.executable, "-c", READ, *itertools.chain(*paths.values())],
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert [line for line in lines if line not in ("read", "named", "end")] == []
    assert (done.returncode, lines[-1:]) == (0, ["end"]), done.stderr[-2000:]
    answers = iter(lines[:-1])
    for of_one in paths.values():
        found = list(itertools.islice(answers, 3 * len(of_one)))
        assert len(found) == 3 * len(of_one)
        assert found.count("named") > len(of_one)
    assert list(answers) == []
