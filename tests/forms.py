"""The same rows in every form that users may hand in, and in each way that documents are looked
up."""

import contextlib
import io
import json

import numpy as np
import pandas as pd
import pytest

from irpref import read_qrels, read_run
from irpref.data import texts


def _of_arrow(rows):
    with np.errstate(invalid="ignore"):  # pandas 2.1 tries whether infinite numbers are whole
        return pd.DataFrame(rows).convert_dtypes(dtype_backend="pyarrow")


def _pandas(rows, dtype):
    frame = pd.DataFrame(rows)
    return frame.astype({"query_id": dtype, "doc_id": dtype})


def _from_trec(rows):
    """Write the rows as a TREC file and read it again; as a frame where an id is no word, which a
    file cannot hold.
    """
    rows = list(rows)
    if any(
        [text] != text.split() or text.startswith("#")
        for row in rows
        for text in (row.query_id, row.doc_id)
    ):
        return pd.DataFrame(rows)
    if hasattr(rows[0], "score"):
        return read_run(
            io.BytesIO(
                "".join(f"{r.query_id} Q0 {r.doc_id} 1 {r.score!r} t\n" for r in rows).encode()
            )
        )
    lines = "".join(f"{r.query_id} 0 {r.doc_id} {r.relevance!r}\n" for r in rows)
    frame = read_qrels(io.BytesIO(lines.encode()))
    further = [name for name in rows[0]._fields if name not in ("query_id", "doc_id", "relevance")]
    return frame.assign(**{name: [getattr(row, name) for row in rows] for name in further})


FORMS = {
    "namedtuples": list,
    "iterator": iter,
    "generator": lambda rows: (row for row in rows),
    "pandas": pd.DataFrame,
    "pandas object": lambda rows: _pandas(rows, object),
    "pandas string": lambda rows: _pandas(rows, pd.StringDtype("python")),
    "pandas categorical": lambda rows: _pandas(rows, "category"),
    "pandas, odd index": lambda rows: pd.DataFrame(rows).set_index(pd.Index([7] * len(rows))),
    "pandas, columns of other order": lambda rows: pd.DataFrame(rows).iloc[:, ::-1],
    "TREC file": _from_trec,
}
try:
    import polars as pl
except ImportError:  # neither is needed by what is installed without extras
    pass
else:
    FORMS["polars"] = lambda rows: pl.DataFrame(rows, infer_schema_length=None)
    FORMS["polars lazy"] = lambda rows: pl.LazyFrame(rows, infer_schema_length=None)
    FORMS["polars categorical"] = lambda rows: pl.DataFrame(
        rows, infer_schema_length=None
    ).with_columns(pl.col("query_id", "doc_id").cast(pl.Categorical))
try:
    import pyarrow  # noqa: F401
except ImportError:
    pass
else:
    FORMS["pandas on pyarrow"] = lambda rows: _pandas(rows, "string[pyarrow]")
    FORMS["pandas ArrowDtype"] = _of_arrow


def _in_parquet(frame):
    out = io.BytesIO()
    pl.DataFrame(frame.to_dict("list")).write_parquet(out)
    return out.getvalue()


def _in_json(frame):
    query_id, doc_id, value = frame.columns
    return json.dumps(
        {
            topic: dict(zip(of[doc_id], of[value], strict=True))
            for topic, of in frame.groupby(query_id, sort=False)
        }
    )


# The forms of files with named columns: what a frame of topic, document and value looks like there.
FILES = {
    "parquet": _in_parquet,
    "csv": lambda frame: frame.to_csv(index=False),
    "tsv": lambda frame: frame.to_csv(index=False, sep="\t", quoting=3),
    "json": _in_json,
    "jsonl": lambda frame: frame.to_json(orient="records", lines=True),
}


# How documents are looked up: one by one, by keys in compiled code.
ONE_BY_ONE, TEXTS = "one by one", "texts"
WAYS = [ONE_BY_ONE, *([TEXTS] if texts.compiled else [])]


def look_up(patch, way):
    """Look documents up in this way from now on, however few they are."""
    patch.setattr(texts, "compiled", way == TEXTS)
    for module in ("match", "inputs"):
        patch.setattr(f"irpref.judged.{module}.FEW", 0)


@contextlib.contextmanager
def looked_up(way):
    """Look documents up in this way, however few they are."""
    with pytest.MonkeyPatch.context() as patch:
        look_up(patch, way)
        yield
