"""Labels instead of grades: which ones are known, and the grade of each.

S A B C        NTCIR: highly relevant 3, relevant 2, partially relevant 1, not relevant 0
L0 L1 ... L9   NTCIR's later tracks: the number
nr pr fr hr    Kekäläinen and Järvelin: not 0, partially 1, fairly 2, highly relevant 3
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from irpref.errors import ArgumentError, LabelError, Remedy
from irpref.kernel.segments import Floats
from irpref.messages import IrprefWarning, warn_user

# Labels of one of `SCHEMES` (`'S A B C'`), or the grade of each label, None for what is not a grade
# (where a judge failed); None: those that are found, if they are known.
Labels: TypeAlias = str | Mapping[str, float | None] | None

SCHEMES: tuple[Mapping[str, int], ...] = (
    {"C": 0, "B": 1, "A": 2, "S": 3},
    {f"L{i}": i for i in range(10)},
    {"nr": 0, "pr": 1, "fr": 2, "hr": 3},
)


# What to do about a label that is not known.
WORTH = Remedy("labels", {"LABEL": "GRADE"}, effect="says what labels are worth")


def worth(cells: Iterable[object]) -> Remedy:
    """Word the remedy for labels among grades: say the grade of each."""
    words = sorted({str(cell) for cell in cells if not are_numbers([str(cell)])})
    if not words or len(words) > 8 or any("," in word or "=" in word for word in words):
        return WORTH
    return Remedy("labels", dict.fromkeys(words, "GRADE"), effect=WORTH.effect)


def scheme(words: Iterable[str]) -> Mapping[str, float] | None:
    """Find the known grades of these labels, at least one; None if no scheme has all labels."""
    wanted = set(words)
    return next((grades for grades in SCHEMES if wanted and wanted <= grades.keys()), None)


def checked(labels: Labels) -> Labels:
    """Return the labels unchanged. Raises `ValueError` if they are not known, or a grade is not a
    number.
    """
    if isinstance(labels, str) and scheme(_words(labels)) is None:
        known = ", ".join(repr(" ".join(grades)) for grades in SCHEMES)
        raise ArgumentError(
            f"labels={labels!r}: expected some of {known}, or the grade of each label",
            parameter="labels",
            value=labels,
        )
    if isinstance(labels, Mapping):
        for label, grade in labels.items():
            if grade is not None and (
                isinstance(grade, bool)
                or not isinstance(grade, (int, float, np.number))
                or not np.isfinite(grade)
            ):
                raise ArgumentError(
                    f"labels: the grade of {label!r} is {grade!r}, expected a number",
                    parameter="labels",
                    value=grade,
                )
    return labels


def are_numbers(cells: Iterable[str]) -> bool:
    """Test whether all cells are numbers."""
    try:
        list(map(float, cells))
    except ValueError:
        return False
    return True


def lacks_grades(labels: Labels) -> bool:
    """Test whether some labels are no grades."""
    return isinstance(labels, Mapping) and any(grade is None for grade in labels.values())


def _is_finite(word: str) -> bool:
    try:
        return bool(np.isfinite(float(word)))
    except ValueError:
        return False


def _words(text: str) -> list[str]:
    return text.replace(",", " ").replace("...", " ").split()


def grades_of(cells: Sequence[object], labels: Labels, where: str) -> Floats | None:
    """Find the grades of a column of labels.

    Parameters
    ----------
    cells : sequence of str or numbers
        A number is the label that is the same number: 1.0 is the label 1.
    labels : Labels
    where : name of the file

    Returns
    -------
    float array, or None
        NaN for cells that are no grade; None if `labels` is None and not all cells are labels of
        one scheme, or if the labels are words and the cells are numbers (human grades beside the
        words of a judge).

    Raises
    ------
    ValueError
        A cell is not one of the labels that were given.

    Warns
    -----
    IrprefWarning
        Which grades were assumed, unless `labels` gives the grade of each.
    """
    texts = [str(int(cell) if isinstance(cell, (bool, np.bool_)) else cell) for cell in cells]
    words = set(texts)
    if isinstance(labels, Mapping):
        given = {str(label): np.nan if g is None else float(g) for label, g in labels.items()}
        if labels and all(grade is None for grade in labels.values()):
            # They only say what is not a grade.
            given = {word: float(word) for word in words if _is_finite(word)} | given
        grade_of: Mapping[str, float] | None = given
    else:
        grade_of = scheme(_words(labels) if labels else words)
    if grade_of is None:
        return None
    if are_numbers(words) and not are_numbers(grade_of) and not lacks_grades(labels):
        return None
    grade_of = _with_numbers(grade_of, words)
    if unknown := sorted(words - grade_of.keys()):
        known = map(str, labels if isinstance(labels, Mapping) else grade_of)
        raise LabelError(
            f"{unknown[0]!r} is not one of the labels {', '.join(known)}",
            path=where,
            label=unknown[0],
        )
    if not isinstance(labels, Mapping):
        listed = ", ".join(
            f"{label} is {grade_of[label]:g}"
            for label in sorted(words, key=grade_of.__getitem__, reverse=True)
        )
        warn_user(f"labels are read as grades: {listed}", IrprefWarning, path=where)
    return np.array([grade_of[text] for text in texts], dtype=np.float64)


def _with_numbers(grade_of: Mapping[str, float], words: Iterable[str]) -> Mapping[str, float]:
    """Add words that are other spellings of numbers among the labels."""
    numbers = {float(label): grade for label, grade in grade_of.items() if _is_finite(label)}
    others = [word for word in words if word not in grade_of and _is_finite(word)]
    same = {word: numbers[float(word)] for word in others if float(word) in numbers}
    return {**grade_of, **same}
