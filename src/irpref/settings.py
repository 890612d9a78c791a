"""Which settings fit a collection: the scale of its grades, and the parameters of measures that
follow.

Nothing is downloaded. ir_datasets ships, with its code, three facts about the qrels of its data
sets:

definitions
    `qrels_defs()`, the grades assessors could give and their meanings;
counts
    how often each grade occurs in the file;
official measures
    for some, the measures of the shared task, among them thresholds such as `AP(rel=2)`.

The recommendations follow rules, so that you can disagree with them:

1. *Scale.* The defined grades count, used or not: a scale does not shrink because nobody gave its
   top grade. If the file holds a grade that is not defined, the definitions belong to another file
   and the counted grades are the scale (nfcorpus defines 0 to 2 and holds 1 to 3).
2. *rel.* The threshold of the official measures (the highest, if they name several). Else the
   lowest positive grade whose definition does not deny relevance ("does not answer the question",
   "Not valuable").
3. *gains.* Grades between 0 and `rel` get gain 0, so that graded and binary measures agree on which
   documents are relevant. Leave out `gains` to give them partial credit, as nDCG does in most
   tracks.
4. *max_rel.* The top of the scale.
5. *Negative grades* are left alone: they count as unjudged (except for the CRP family). If they
   mean "judged and worthless", the note says how to have them count as judged and not relevant.
6. *Direction.* Cranfield's grades count down, and ir_datasets describes them the other way round.
   `regrade` maps each grade of the file to a scale where higher is better, and everything else
   refers to that scale.

Judged non-relevant documents have a grade of at least 0 and below `rel`. Without them no
preference "relevant before non-relevant" can be violated: `Bpref` and its variants are recall, and
so are `RPref` and `NPref` if all grades are the same. `Scale.note` says so."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import redirect_stderr
from dataclasses import dataclass, field, replace
from typing import Any

from irpref.data.collections import TURNED
from irpref.data.collections import dataset as load
from irpref.judged.types import QrelsLike
from irpref.measures.declare import clean_number
from irpref.measures.toml_files import data

Number = int | float

# How the definition of a grade denies relevance: by an opening verdict, or by a phrase.
_DENIES = re.compile(
    r"^\W*(no|non|not|irrelevant|excluded|unrelated|negative)\b"
    r"|does not (directly )?answer|out of context|not relevant to the|little or no",
    re.IGNORECASE,
)
# Negative grades that ask for the document's removal rather than pass a verdict on it.
_REMOVED = re.compile(r"excluded from", re.IGNORECASE)


@dataclass(frozen=True)
class Scale:
    """The grades of a collection, and the settings that follow.

    Attributes
    ----------
    max_rel : int or float
        Top of the scale, at least 1.
    min_grade : int or float
        Lowest grade, possibly negative.
    has_nonrelevant : bool
        Whether documents with a grade of at least 0 and below `rel` exist.
    note : str
        Remarks to read before choosing a measure, a line each; empty if there is nothing to say.
    rel : int or float
        Recommended threshold of binary measures.
    gains : mapping of grade to gain
        Recommended gains of the grades that do not keep their value; empty if all do.
    grades : tuple
        All grades of the scale, ascending.
    meanings : mapping of grade to str
        Definitions, if there are any.
    given : tuple
        Grades that occur in the file, ascending; all of the scale if nobody counted.
    source : 'definitions', 'counts' or 'qrels'
        Where the grades were taken from.
    regrade : mapping of grade to grade
        If the grades of the file count down: the grade to put in place of each before you evaluate;
        leave out judgments with a grade that is not named. All of the above refers to the result.
        Empty if the file can be used as it is.
    """

    max_rel: Number
    min_grade: Number
    has_nonrelevant: bool
    note: str
    rel: Number = 1
    gains: Mapping[Number, Number] = field(default_factory=dict, hash=False)
    grades: tuple[Number, ...] = ()
    meanings: Mapping[Number, str] = field(
        default_factory=dict, hash=False, compare=False, repr=False
    )
    given: tuple[Number, ...] = ()
    source: str = "qrels"
    regrade: Mapping[Number, Number] = field(default_factory=dict, hash=False)


def names_with_qrels() -> list[str]:
    """List the ids of the public data sets of ir_datasets that have qrels.

    Returns
    -------
    list of str
        In alphabetical order, without names that ir_datasets calls deprecated, and without the
        collections of irpref.
    """
    import ir_datasets

    names = []
    with redirect_stderr(io.StringIO()):  # ir_datasets prints a line for each deprecated name
        for name in sorted(ir_datasets.registry):
            dataset = ir_datasets.registry[name]
            current = not hasattr(dataset, "deprecated") and not name.startswith("irpref")
            if current and dataset.has_qrels():
                names.append(name)
    return names


def scale_of(dataset: Any) -> Scale:
    """Find the scale of a data set, or of qrels.

    Parameters
    ----------
    dataset : str, ir_datasets or PyTerrier dataset, or qrels
        The id of an ir_datasets data set, the data set (PyTerrier's wrapper of one will do), or
        qrels in any form that the measures take.

    Returns
    -------
    Scale
        From definitions and counts if ir_datasets has them; nothing is downloaded then. Otherwise
        from the judgments, which ir_datasets may have to fetch.

    Raises
    ------
    ValueError
        The id is not known, the data set has no qrels, or the qrels are empty.

    Examples
    --------
    >>> scale = scale_of("msmarco-passage/trec-dl-2019")
    >>> scale.max_rel, scale.rel, dict(scale.gains), scale.has_nonrelevant
    (3, 2, {1: 0}, True)
    >>> scale_of("vaswani").has_nonrelevant
    False
    >>> scale_of({"t1": {"a": 2, "b": 0}}).max_rel
    2
    """
    if isinstance(dataset, str):
        dataset = dataset if os.path.exists(dataset) else load(dataset)
    elif hasattr(dataset, "irds_ref"):  # PyTerrier's wrapper
        dataset = dataset.irds_ref()
    if not hasattr(dataset, "qrels_iter"):
        return _scale_of_qrels(dataset)
    meanings = {
        clean_number(float(g)): str(text) for g, text in (dataset.qrels_defs() or {}).items()
    }
    counts = _counts(dataset)
    if not meanings and not counts:
        return _scale_of_qrels(dataset.qrels_iter())
    turned, why = TURNED.get(dataset.dataset_id(), ({}, ""))
    if turned:  # the definitions are right once the numbers are
        meanings = {grade: meanings[grade] for grade in turned.values()}
        counts = {turned[grade]: n for grade, n in counts.items() if grade in turned}
    scale = _scale(meanings, counts, _official_rel(dataset))
    if turned:
        scale = replace(scale, regrade=turned, note=f"{why}\n{scale.note}".rstrip())
    if "subtopic_id" in getattr(dataset.qrels_cls(), "_fields", ()):
        # One document can carry a grade for each subtopic; measures of ours take one grade a
        # document.
        scale = replace(scale, note=f"{data('notes.toml')['by-subtopic']}\n{scale.note}".rstrip())
    return scale


def _counts(dataset: Any) -> dict[Number, int]:
    """Count how often each grade occurs, as far as ir_datasets says."""
    metadata = dataset.metadata().get("qrels", {}) if hasattr(dataset, "metadata") else {}
    by_grade = metadata.get("fields", {}).get("relevance", {}).get("counts_by_value", {})
    return {clean_number(float(grade)): int(n) for grade, n in by_grade.items()}


def _official_rel(dataset: Any) -> Number | None:
    """Find the highest threshold that the official measures of the task name."""
    documentation = dataset.documentation() if hasattr(dataset, "documentation") else None
    names = (documentation or {}).get("official_measures") or []
    stated = [int(n) for name in names for n in re.findall(r"\brel=(\d+)", str(name))]
    return max(stated, default=None)


def _scale_of_qrels(qrels: QrelsLike) -> Scale:
    import numpy as np

    from irpref.judged.judgments import as_judgments

    grades, counts = np.unique(as_judgments(qrels).pool().grade, return_counts=True)
    by_grade = {clean_number(float(g)): int(n) for g, n in zip(grades, counts, strict=True)}
    return replace(_scale({}, by_grade, None), source="qrels")


def _scale(
    meanings: Mapping[Number, str], counts: Mapping[Number, int], official: Number | None
) -> Scale:
    fits = bool(meanings) and counts.keys() <= meanings.keys()
    grades = sorted(meanings if fits else counts)
    positive = [g for g in grades if g > 0]
    top = max([*positive, 1])
    # Definitions that do not fit the file still help with the words, if the number is defined.
    rel = official if official is not None else _first_relevant(positive, meanings if fits else {})
    gains: dict[Number, Number] = {g: 0 for g in positive if g < rel}
    occurs = counts or dict.fromkeys(grades, 1)
    has_nonrelevant = any(0 <= g < rel for g in occurs)
    note = "\n".join(_notes(grades, occurs, meanings, fits, has_nonrelevant))
    return Scale(
        max_rel=top,
        min_grade=min(grades),
        has_nonrelevant=has_nonrelevant,
        note=note,
        rel=rel,
        gains=gains,
        grades=tuple(grades),
        meanings={g: meanings[g] for g in grades if g in meanings} if fits else {},
        given=tuple(sorted(occurs)),
        source="definitions" if fits else "counts",
    )


def _first_relevant(positive: Iterable[Number], meanings: Mapping[Number, str]) -> Number:
    """Find the lowest positive grade whose definition does not deny relevance; 1 if none is
    defined.
    """
    for grade in positive:
        if not _DENIES.search(meanings.get(grade, "")):
            return grade if grade in meanings else min(1, grade)
    return 1


def _notes(
    grades: list[Number],
    occurs: Mapping[Number, int],
    meanings: Mapping[Number, str],
    fits: bool,
    has_nonrelevant: bool,
) -> Iterable[str]:
    """Yield the sentences of `notes.toml` that hold, each with the grades that it is about."""
    notes, positive = data("notes.toml"), [g for g in occurs if g > 0]
    removed = [g for g in grades if g < 0 and _REMOVED.search(meanings.get(g, ""))]
    about = {
        "undefined": sorted(g for g in occurs if g not in meanings)
        if meanings and not fits
        else [],
        "unused": [g for g in grades if g > max(positive, default=0)],
        "removed": removed,
        "negative": [g for g in grades if g < 0 and g not in removed],
    }
    if not has_nonrelevant:
        yield notes["no-nonrelevant" if len(positive) > 1 else "binary-no-nonrelevant"]
    for name, about_grades in about.items():
        if about_grades:
            yield notes[name].format(
                grades=_listed(about_grades), defined=_listed(sorted(meanings))
            )


def _listed(grades: Iterable[Number]) -> str:
    return ", ".join(str(g) for g in grades)
