"""Grades of documents as frames: of humans, of a judge, and of both in the result of `fill`."""

from __future__ import annotations

import pandas as pd

from irpref.judged import FILLED, SOURCE, Judgments, as_judgments, hash_of_pool

IDS = ["query_id", "doc_id"]


def grades_frame(read: Judgments) -> pd.DataFrame:
    """Turn judgments into a frame with one row for each document. Raises as `Judgments.pool`."""
    read.pool()  # grades are finite numbers, and one a document
    return read.frame().drop_duplicates(IDS).reset_index(drop=True)


def human_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Select the rows of human grades from a frame that `fill` returned; all rows of any other
    frame.
    """
    return frame[frame[SOURCE] != FILLED] if SOURCE in frame else frame


def no_grades() -> pd.DataFrame:
    """Return qrels without a row."""
    return pd.DataFrame({"query_id": [], "doc_id": [], "relevance": []})


def hash_of_grades(frame: pd.DataFrame) -> str:
    """Hash grades; empty if there are none."""
    return hash_of_pool(as_judgments(frame).pool()) if len(frame) else ""
