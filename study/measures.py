"""The measures of the study, by label: the measure of the package, its kernel, and what it is made of.

Kernels are irpref's own; three that it has not stand here: RBP with graded gains, infAP, and the sum over what was not
retrieved without a row for each document.

    RBP    (1 - p) sum over ranks i of g_i p^(i - 1)      g = grade / highest grade; its residual is the weight of
                                                          the ranks without a judgment
    infAP  1/R sum over judged relevant documents, at rank k, of
           1/k + (k - 1)/k * (d / (k - 1)) * (r + e) / (r + n + 2 e)
                                                          above it: d documents of the pool (judged or not any more),
                                                          r and n judged relevant and not; e = 0.00001

A. Moffat and J. Zobel, Rank-biased precision for measurement of retrieval effectiveness, ACM TOIS 27(1), 2008,
doi:10.1145/1416950.1416952. E. Yilmaz and J. A. Aslam, Estimating average precision with incomplete and imperfect
judgments, CIKM 2006, doi:10.1145/1183614.1183633; the form is that of trec_eval's m_infap.c.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from irpref.arrays.judgments import Gains
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Floats, Ints, Segments
from irpref.measures.declare import KernelMeasure
from irpref.measures.everyday import arguments_of, hosted
from irpref.measures.names import parse
from irpref.measures.rpref import summands
from irpref.measures.scale import scale

P = 0.8  # persistence of RBP
EPSILON = 0.00001  # of infAP, as in trec_eval


class Sampled(JudgedRun):
    """A judged run that knows how many documents of the pool before the loss stand above each hit: (n_hits,)."""

    pool_above: Ints | None = None


@dataclass(frozen=True)
class Facts:
    """What a measure is made of: the factors of the study.

    Attributes
    ----------
    family : 'AP', 'nDCG', 'Q', 'RBP', 'P+', 'preferences', 'control'
    condensed : whether unjudged documents are left out
    graded : whether grades count, and not relevance alone
    norm : of preferences: what their number is divided by; '' for others
    unretrieved : of preferences: 'zero' or 'infinity'; '' for others
    binary : label of the same measure with grades reduced to relevance, '' where there is none
    uncondensed : label of the same measure with unjudged documents in the list
    """

    family: str
    condensed: bool
    graded: bool
    norm: str = ""
    unretrieved: str = ""
    binary: str = ""
    uncondensed: str = ""


FACTS: dict[str, Facts] = {
    "AP": Facts("AP", False, False),
    "nDCG": Facts("nDCG", False, True, binary="nDCG binary"),
    "nDCG@10": Facts("nDCG", False, True),
    "Q": Facts("Q", False, True, binary="Q binary"),
    "RBP": Facts("RBP", False, True, binary="RBP binary"),
    "P+": Facts("P+", False, True),
    "AP'": Facts("AP", True, False, uncondensed="AP"),
    "nDCG'": Facts("nDCG", True, True, binary="nDCG' binary", uncondensed="nDCG"),
    "nDCG'@10": Facts("nDCG", True, True, uncondensed="nDCG@10"),
    "Q'": Facts("Q", True, True, binary="Q' binary", uncondensed="Q"),
    "RBP'": Facts("RBP", True, True, binary="RBP' binary", uncondensed="RBP"),
    "bpref": Facts("preferences", True, False, "R", "zero"),
    "bpref-10": Facts("preferences", True, False, "R + 10", "zero"),
    "bpref N": Facts("preferences", True, False, "N", "zero"),
    "n-pref": Facts("preferences", True, False, "N", "zero"),
    "rpref absolute": Facts("preferences", True, True, "N", "zero", binary="rpref absolute binary"),
    "rpref relative": Facts("preferences", True, True, "relative", "zero", binary="rpref relative binary"),
    "rpref relative2": Facts("preferences", True, True, "relative2", "zero", binary="rpref relative2 binary"),
    "rpref absolute infinity": Facts("preferences", True, True, "N", "infinity"),
    "rpref relative infinity": Facts("preferences", True, True, "relative", "infinity"),
    "nDCG binary": Facts("nDCG", False, False),
    "nDCG' binary": Facts("nDCG", True, False, uncondensed="nDCG binary"),
    "Q binary": Facts("Q", False, False),
    "Q' binary": Facts("Q", True, False, uncondensed="Q binary"),
    "RBP binary": Facts("RBP", False, False),
    "RBP' binary": Facts("RBP", True, False, uncondensed="RBP binary"),
    "rpref absolute binary": Facts("preferences", True, False, "N", "zero"),
    "rpref relative binary": Facts("preferences", True, False, "relative", "zero"),
    "rpref relative2 binary": Facts("preferences", True, False, "relative2", "zero"),
    "infAP": Facts("AP", False, False),
    "recall": Facts("control", False, False),
    "retrieved": Facts("control", False, False),
}
LABELS = tuple(FACTS)
RANDOM_ONLY = ("infAP",)  # the sampling it is made for
RESIDUAL = "RBP residual"  # a value, not a ranking

# What every measure is compared with, beside the pairs that the hypotheses name.
REFERENCES = ("AP", "nDCG'", "Q'", "bpref", "rpref absolute")


@dataclass(frozen=True)
class Grades:
    """The grades of a collection.

    Attributes
    ----------
    rel : lowest relevant grade
    top : highest grade
    levels : all grades that occur, from 0 on
    """

    rel: float
    top: float
    levels: tuple[float, ...]

    @classmethod
    def of(cls, grade: Floats, rel: float) -> Grades:
        """Those of judgments."""
        return cls(rel, float(grade.max()), tuple(np.unique(grade[grade >= 0]).tolist()))

    @property
    def relevance(self) -> tuple[tuple[float, float], ...]:
        """Gains that leave of a grade whether it is relevant."""
        return tuple((g, float(g >= self.rel)) for g in self.levels if g > 0)


def expression(label: str, grades: Grades) -> str | None:
    """The measure as the package writes it; None for those that have a kernel here alone."""

    def number(value: float) -> str:
        return f"{value:g}"

    rel, top = number(grades.rel), number(grades.top)
    gains = "gains={" + ",".join(f"{number(g)}:{number(v)}" for g, v in grades.relevance) + "}"
    known = {
        "AP": f"AP(rel={rel})",
        "nDCG": "nDCG",
        "nDCG@10": "nDCG@10",
        "Q": "QMeasure",
        "P+": "PPlus",
        "AP'": f"AP(rel={rel},judged_only=True)",
        "nDCG'": "nDCG(judged_only=True)",
        "nDCG'@10": "nDCG(judged_only=True)@10",
        "Q'": "QMeasure(judged_only=True)",
        "bpref": f"Bpref(rel={rel})",
        "bpref-10": f"Bpref10(rel={rel})",
        "bpref N": f"BprefN(rel={rel})",
        "rpref absolute": f"RPref(max_rel={top})",
        "rpref relative": f"RPref(norm='relative',max_rel={top})",
        "rpref relative2": f"RPref(norm='relative2',max_rel={top})",
        "rpref absolute infinity": f"RPref(unretrieved='infinity',max_rel={top})",
        "rpref relative infinity": f"RPref(norm='relative',unretrieved='infinity',max_rel={top})",
        "nDCG binary": f"nDCG({gains})",
        "nDCG' binary": f"nDCG({gains},judged_only=True)",
        "Q binary": f"QMeasure({gains})",
        "Q' binary": f"QMeasure({gains},judged_only=True)",
        "rpref absolute binary": f"RPref({gains},max_rel=1)",
        "rpref relative binary": f"RPref(norm='relative',{gains},max_rel=1)",
        "rpref relative2 binary": f"RPref(norm='relative2',{gains},max_rel=1)",
        "n-pref": f"NPref(n=2,max_rel={top})",
    }
    return known.get(label)


Kernel = Callable[[JudgedRun], Floats]


def kernels(grades: Grades) -> dict[str, Kernel]:
    """Each measure as a function of judged runs: values of shape (n_topics,)."""
    found: dict[str, Kernel] = {}
    for label in LABELS:
        text = expression(label, grades)
        if text is not None and "infinity" not in label:
            found[label] = _of_package(parse(text))
    top, relevance = grades.top, grades.relevance
    for name, judged_only in (("RBP", False), ("RBP'", True)):
        found[name] = lambda run, j=judged_only: rbp(run, None, top, j)  # type: ignore[misc]
        found[f"{name} binary"] = lambda run, j=judged_only: rbp(run, relevance, 1.0, j)  # type: ignore[misc]
    for norm in ("absolute", "relative"):
        found[f"rpref {norm} infinity"] = lambda run, n=norm: rpref_infinity(run, n, top)  # type: ignore[misc]
    found["infAP"] = lambda run: inf_ap(run, grades.rel)
    found["recall"] = lambda run: _share(run, grades.rel)
    found["retrieved"] = lambda run: run.hits.count(run.grade >= 0).astype(np.float64)
    return {label: found[label] for label in LABELS}


def _of_package(measure: Any) -> Kernel:
    if isinstance(measure, KernelMeasure):
        measure.validate_params()
        arguments = measure.arguments()
        kernel = type(measure).kernel
        return lambda run: kernel(run, **arguments)
    of = hosted(measure)
    if of is None:
        raise ValueError(f"{measure} has no kernel")
    given = arguments_of(measure)
    everyday = of.kernel
    return lambda run: everyday(run, **given)


def _share(run: JudgedRun, rel: float) -> Floats:
    return run.hits.count(run.grade >= rel) / np.maximum(run.pool.count_relevant(rel), 1)


def _discount(run: JudgedRun, p: float) -> Floats:
    return run.memo((_discount, p), lambda: (1 - p) * p ** (run.rank - 1.0))


def rbp(run: JudgedRun, gains: Gains, top: float, judged_only: bool, p: float = P) -> Floats:
    """RBP of each topic: shape (n_topics,), in [0, 1); gains are divided by `top`, negative grades are no judgment."""
    view = run.view(None, judged_only)
    return view.hits.total(_discount(view, p) * (view.gain(gains) / top))


def rbp_residual(run: JudgedRun) -> Floats:
    """Weight of the ranks without a judgment, those behind the end of the list among them: shape (n_topics,)."""
    return 1 - run.hits.total(np.where(run.grade >= 0, _discount(run, P), 0.0))


def inf_ap(run: JudgedRun, rel: float) -> Floats:
    """infAP of each topic: shape (n_topics,). What was in the pool before the loss is told by `Sampled.pool_above`.

    Runs that are not `Sampled` have lost nothing: their pool is what is judged.
    """
    found = getattr(run, "pool_above", None)
    above = run.hits.position if found is None else found
    relevant, judged = run.grade >= rel, run.grade >= 0
    r = run.hits.running_count(relevant) - 1.0
    both = run.hits.running_count(judged) - 1.0
    before = np.maximum(run.rank - 1.0, 1.0)  # above rank 1 stands nothing
    expected = 1 / run.rank + (run.rank - 1.0) / run.rank * (above / before) * ((r + EPSILON) / (both + 2 * EPSILON))
    return run.hits.total(np.where(relevant, expected, 0.0)) / np.maximum(run.pool.count_relevant(rel), 1)


def rpref_infinity(run: JudgedRun, norm: str, top: float) -> Floats:
    """rpref with `unretrieved='infinity'`: documents that were not retrieved stand below all that were.

    Their penalty depends on the grade alone, so that they are counted by grade; sums are equal to those of the package
    up to the order of addition.
    """
    pool = run.pool
    parts = summands(run, norm, "zero", "keep", top, None, None, None)
    hits = parts.view.hits
    of = scale(pool, None, top, None)

    def make() -> tuple[Floats, Floats, Floats]:
        counts = np.bincount(parts.view.level, minlength=of.value.size).astype(np.float64)
        lower, lower_total = (_below(pool.levels, v) for v in (counts, counts * of.value))
        missed = (pool.level_size - counts) * (pool.level_grade >= 0)
        return missed, lower * of.value - lower_total, of.value / pool.levels.spread(of.unit)

    missed, differences, weight = run.memo(rpref_infinity, make)
    den = of.value * (pool.levels.spread(of.n) if norm == "absolute" else 1.0)
    den = np.where(den > 0, den, 1.0)
    if norm == "absolute":
        penalty = differences * of.top / den
    else:
        penalty = differences / (den * np.maximum(pool.levels.spread(hits.lengths), 1.0))
    unretrieved = pool.levels.total(missed * weight * (1 - penalty)) * (hits.lengths > 0)
    value = parts.found.hits.total(parts.hits) + unretrieved
    value = np.divide(value, parts.size, out=np.zeros_like(value), where=parts.size > 0)
    return np.clip(value, 0.0, 1.0)


def _below(levels: Segments, values: Floats) -> Floats:
    """Sum of the values of the levels with lower grades, in each topic: (n_levels,) to (n_levels,)."""
    return levels.spread(levels.total(values)) - levels.running(values)
