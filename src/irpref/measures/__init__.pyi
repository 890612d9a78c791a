"""The measures, as type checkers see them. Written by docs/make_types.py from the declarations."""

# ruff: noqa: RUF022
from collections.abc import Mapping
from typing import Literal, NoReturn

from irpref.measures.declare import KernelMeasure as KernelMeasure
from irpref.measures.declare import registered as registered

class _RPref(KernelMeasure):
    """Share of the preferences between judged documents that the ranking keeps, weighted by
    grades.

    bpref for graded relevance: every judged document loses weight for each less relevant document
    ranked above it, in proportion to how much less relevant it is. Documents without a judgment (or
    with a negative grade) do not count. Grades may be fractions.

    How well does the ranking keep the graded preferences between judged documents?
    [0, 1].
    De Beer & Moens, SIGIR 2006, eq. (1), doi:10.1145/1148170.1148293.

    Parameters
    ----------
    norm : what a document's penalty is divided by: N, the number of judged documents above it,
        or this number + 1 (default 'absolute')
    unretrieved : judged documents that were not retrieved: they add nothing, or are ranked
        below all retrieved ones (default 'zero')
    top : the highest ranked judged document: in the sum, out of it and of R, or out of the sum
        only (default 'keep')
    max_rel : top of the grade scale; higher grades count as this one (default: highest grade of
        the qrels, with a warning)
    gains : gain of a grade; a grade not named keeps its value
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        norm: Literal["absolute", "relative", "relative2"] | None = ...,
        unretrieved: Literal["zero", "infinity"] | None = ...,
        top: Literal["keep", "drop", "zero"] | None = ...,
        max_rel: float | None = ...,
        gains: Mapping[float, float] | Mapping[int, float] | None = ...,
        cutoff: int | None = ...,
    ) -> _RPref: ...
    def __matmul__(self, at_param: int) -> _RPref: ...

class _NPref(KernelMeasure):
    """rpref after the grade scale has been cut into n partitions: bpref for n = 2, close to rpref
    for large n.

    How well does the ranking keep preferences if only n levels of relevance are distinguished?
    [0, 1].
    De Beer & Moens, SIGIR 2006, section 3, doi:10.1145/1148170.1148293.

    Parameters
    ----------
    n : number of partitions of the grade scale
    norm : what a document's penalty is divided by: N, the number of judged documents above it,
        or this number + 1 (default 'absolute')
    unretrieved : judged documents that were not retrieved: they add nothing, or are ranked
        below all retrieved ones (default 'zero')
    top : the highest ranked judged document: in the sum, out of it and of R, or out of the sum
        only (default 'keep')
    max_rel : top of the grade scale; higher grades count as this one (default: highest grade of
        the qrels, with a warning)
    gains : gain of a grade; a grade not named keeps its value
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        n: int | None = ...,
        norm: Literal["absolute", "relative", "relative2"] | None = ...,
        unretrieved: Literal["zero", "infinity"] | None = ...,
        top: Literal["keep", "drop", "zero"] | None = ...,
        max_rel: float | None = ...,
        gains: Mapping[float, float] | Mapping[int, float] | None = ...,
        cutoff: int | None = ...,
    ) -> _NPref: ...
    def __matmul__(self, at_param: int) -> _NPref: ...

class _BprefVariant(KernelMeasure):
    """The forms of bpref in the literature and in tools; without parameters, ir_measures' `Bpref`.

    `BprefR`, `BprefN` and `Bpref10` are names for `norm='R'`, `'N'` and `'10'`.

    How often are judged non-relevant documents ranked above relevant ones?
    [0, 1].
    Buckley & Voorhees, SIGIR 2004, doi:10.1145/1008992.1009000; trec_eval m_bpref.c.

    Parameters
    ----------
    norm : cap and denominator of the penalty (default 'min')
    rel : minimum grade counted as relevant (default 1)
    top : the highest judged document: in the sum, out of it and of R, or out of the sum only
        (default 'keep')
    unretrieved : relevant documents that were not retrieved: they add nothing, or are ranked
        below all retrieved ones (default 'zero')
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        norm: Literal["min", "R", "N", "10", "10min", "old", "relative", "relative2"] | None = ...,
        rel: float | None = ...,
        top: Literal["keep", "drop", "zero"] | None = ...,
        unretrieved: Literal["zero", "infinity"] | None = ...,
        cutoff: int | None = ...,
    ) -> _BprefVariant: ...
    def __matmul__(self, at_param: int) -> _BprefVariant: ...

class _QMeasure(KernelMeasure):
    """Average precision for graded relevance: the mean of the blended ratio over all relevant
    documents.

    `judged_only=True` gives Q', the measure on the condensed list, which is never lower than Q.
    With a cutoff the sum is divided by min(cutoff, R). `beta=0` is AP. Doubling all gains is the
    same as doubling `beta`.

    How early and how completely does the ranking have the relevant documents, the better ones first?
    [0, 1].
    Sakai, SIGIR 2006, section 2, doi:10.1145/1148170.1148322.

    Parameters
    ----------
    beta : weight of the cumulated gain; with 0 only precision is left (default 1.0)
    gains : gain of a grade; a grade not named keeps its value
    judged_only : drop documents without a judgment and rank again, before the cutoff (default
        False)
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        beta: float | None = ...,
        gains: Mapping[float, float] | Mapping[int, float] | None = ...,
        judged_only: bool | None = ...,
        cutoff: int | None = ...,
    ) -> _QMeasure: ...
    def __matmul__(self, at_param: int) -> _QMeasure: ...

class _RMeasure(KernelMeasure):
    """R-precision for graded relevance: the blended ratio at rank R.

    It is 1 for every order of the relevant documents at the top, even the ideal order reversed. If
    the order within the top R matters, use `QMeasure`.

    How good are the top R documents, if R are relevant?
    [0, 1].
    T. Sakai, NTCIR-4 2004; named by Sakai, SIGIR 2006, section 4, doi:10.1145/1148170.1148322.

    Parameters
    ----------
    beta : weight of the cumulated gain; with 0 only precision is left (default 1.0)
    gains : gain of a grade; a grade not named keeps its value
    judged_only : drop documents without a judgment and rank again, before the cutoff (default
        False)
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        beta: float | None = ...,
        gains: Mapping[float, float] | Mapping[int, float] | None = ...,
        judged_only: bool | None = ...,
    ) -> _RMeasure: ...
    def __matmul__(self, at_param: NoReturn) -> NoReturn: ...  # it has no cutoff

class _OMeasure(KernelMeasure):
    """Reciprocal rank for graded relevance: the blended ratio at the first relevant document.

    It is 1 if and only if a document of the topic's highest grade is ranked first. With one
    positive grade it equals RR down to rank R, and is larger below, since the ideal list gains
    nothing more there.

    How good, and how early, is the first relevant document?
    [0, 1].
    Sakai, SIGIR 2006, section 2, doi:10.1145/1148170.1148322.

    Parameters
    ----------
    beta : weight of the cumulated gain; with 0 only precision is left (default 1.0)
    gains : gain of a grade; a grade not named keeps its value
    judged_only : drop documents without a judgment and rank again, before the cutoff (default
        False)
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        beta: float | None = ...,
        gains: Mapping[float, float] | Mapping[int, float] | None = ...,
        judged_only: bool | None = ...,
        cutoff: int | None = ...,
    ) -> _OMeasure: ...
    def __matmul__(self, at_param: int) -> _OMeasure: ...

class _PMeasure(KernelMeasure):
    """For one highly relevant document: the blended ratio at the rank of the best retrieved
    document.

    Its user can tell a good document from a fair one and reads on to the best in the list, as in a
    search for a known item. It is 1 even for some rankings that are not ideal, such as the ideal
    order reversed; `PPlus` is not.

    How soon does a user who wants the best document on offer find it?
    [0, 1].
    Sakai, SIGIR 2006, section 2, doi:10.1145/1148170.1148322.

    Parameters
    ----------
    beta : weight of the cumulated gain; with 0 only precision is left (default 1.0)
    gains : gain of a grade; a grade not named keeps its value
    judged_only : drop documents without a judgment and rank again, before the cutoff (default
        False)
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        beta: float | None = ...,
        gains: Mapping[float, float] | Mapping[int, float] | None = ...,
        judged_only: bool | None = ...,
        cutoff: int | None = ...,
    ) -> _PMeasure: ...
    def __matmul__(self, at_param: int) -> _PMeasure: ...

class _PPlus(KernelMeasure):
    """P-measure that also counts the relevant documents above the best one: the mean of their
    blended ratios.

    Like `OMeasure`, it is 1 if and only if a document of the topic's highest grade is ranked first,
    but a fair document above a good one costs only part of the value.

    How good is the ranking down to the best retrieved document?
    [0, 1].
    Sakai, SIGIR 2006, section 4, doi:10.1145/1148170.1148322.

    Parameters
    ----------
    beta : weight of the cumulated gain; with 0 only precision is left (default 1.0)
    gains : gain of a grade; a grade not named keeps its value
    judged_only : drop documents without a judgment and rank again, before the cutoff (default
        False)
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        beta: float | None = ...,
        gains: Mapping[float, float] | Mapping[int, float] | None = ...,
        judged_only: bool | None = ...,
        cutoff: int | None = ...,
    ) -> _PPlus: ...
    def __matmul__(self, at_param: int) -> _PPlus: ...

class _GPrecision(KernelMeasure):
    """Precision in which a document counts by its grade: 1 only if all retrieved documents have
    the best grade.

    How relevant, on the scale of the grades, is a retrieved document on average?
    [0, 1].
    Kekäläinen & Järvelin, JASIST 2002, doi:10.1002/asi.10137.

    Parameters
    ----------
    max_rel : top of the grade scale (default: highest grade of the qrels)
    gains : gain of a grade; a grade not named keeps its value
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        max_rel: float | None = ...,
        gains: Mapping[float, float] | Mapping[int, float] | None = ...,
        cutoff: int | None = ...,
    ) -> _GPrecision: ...
    def __matmul__(self, at_param: int) -> _GPrecision: ...

class _GRecall(KernelMeasure):
    """Recall in which a document counts by its grade.

    How much of all judged relevance did the list find?
    [0, 1].
    Kekäläinen & Järvelin, JASIST 2002, doi:10.1002/asi.10137.

    Parameters
    ----------
    gains : gain of a grade; a grade not named keeps its value
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        gains: Mapping[float, float] | Mapping[int, float] | None = ...,
        cutoff: int | None = ...,
    ) -> _GRecall: ...
    def __matmul__(self, at_param: int) -> _GRecall: ...

class _WeightedRR(KernelMeasure):
    """Reciprocal rank for graded relevance: the rank of the first relevant document is reduced by
    up to 1 for its grade.

    How early is the first relevant document, and how good is it?
    [0, 1]; with norm='none' up to max_rel + 1.
    Eguchi et al., NTCIR-3 2003; normalised as by T. Sakai.

    Parameters
    ----------
    norm : 'ideal': over the best value that the topic admits; 'none': as published, up to
        max_rel + 1 (default 'ideal')
    rel : minimum grade counted as relevant (default 1)
    max_rel : top of the grade scale (default: highest grade of the qrels)
    gains : gain of a grade; a grade not named keeps its value
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        norm: Literal["ideal", "none"] | None = ...,
        rel: float | None = ...,
        max_rel: float | None = ...,
        gains: Mapping[float, float] | Mapping[int, float] | None = ...,
        cutoff: int | None = ...,
    ) -> _WeightedRR: ...
    def __matmul__(self, at_param: int) -> _WeightedRR: ...

class _NCU(KernelMeasure):
    """Mean utility for a population of users who stop at different relevant documents.

    What do users get on average if they stop at different relevant documents?
    [0, 1].
    Sakai & Robertson, EVIA 2008; NTCIREVAL.

    Parameters
    ----------
    stop : at which relevant document users stop (default 'uniform')
    utility : blended ratio or precision (default 'BR')
    gamma : persistence of rank-biased stopping (default 0.95)
    beta : weight of the cumulated gain; with 0 only precision is left (default 1.0)
    gains : gain of a grade; a grade not named keeps its value
    judged_only : drop documents without a judgment and rank again, before the cutoff (default
        False)
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        stop: Literal["uniform", "graded", "rank_biased"] | None = ...,
        utility: Literal["BR", "P"] | None = ...,
        gamma: float | None = ...,
        beta: float | None = ...,
        gains: Mapping[float, float] | Mapping[int, float] | None = ...,
        judged_only: bool | None = ...,
    ) -> _NCU: ...
    def __matmul__(self, at_param: NoReturn) -> NoReturn: ...  # it has no cutoff

class _CRP(KernelMeasure):
    """Net displacement of the documents down to rank R, against the ideal list: the paper's loss
    value.

    CRP grows with the square of R, so average `nCRP` over topics instead.

    By how many ranks are documents away from their place in the ideal list?
    from -R(R+1)/2; 0 is ideal; positive values are possible.
    Angelini et al., IIR 2013, eq. (5), CEUR-WS 964 paper 9.

    Parameters
    ----------
    cutoff : rank at which the curve is read (default: R)
    judged_only : drop documents without a judgment and rank again; a negative grade is a
        judgment here (default False)
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        cutoff: int | None = ...,
        judged_only: bool | None = ...,
    ) -> _CRP: ...
    def __matmul__(self, at_param: int) -> _CRP: ...

class _nCRP(KernelMeasure):
    """CRP at R as a share of its worst case: 0 for an ideal ranking, 1 if nothing relevant is in
    the top R.

    What share of the worst possible displacement does the ranking have down to rank R?
    0 (ideal) to 1; below 0 with several relevant grades; no bounds with negative grades.
    after Angelini et al., IIR 2013, figure 1: CRP(r, R) and CRP(w, R).

    Parameters
    ----------
    norm : divide by the worst case, or map CRP to the range of the reversed ideal list's curve,
        as MATTERS does; higher is then better (default 'worst')
    worst : worst case that CRP is divided by: nothing relevant in the top R, or the ideal list
        reversed; has no effect with `norm='range'` (default 'bound')
    judged_only : drop documents without a judgment and rank again; a negative grade is a
        judgment here (default False)
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        norm: Literal["worst", "range"] | None = ...,
        worst: Literal["bound", "reversed"] | None = ...,
        judged_only: bool | None = ...,
    ) -> _nCRP: ...
    def __matmul__(self, at_param: NoReturn) -> NoReturn: ...  # it has no cutoff

class _CRPRecovery(KernelMeasure):
    """R over the rank at which the CRP curve comes back to 0: 1 for an ideal ranking, 0 if it
    never does.

    How soon does the ranking make up for early mistakes?
    [0, 1].
    Angelini et al., IIR 2013, section 2 (rho), CEUR-WS 964 paper 9.

    Parameters
    ----------
    balance : 'first', as in the paper: the first rank from R on at which the curve is at least
        0; 'last', as in MATTERS: the last rank before the curve is first positive (default
        'first')
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    judged_only : drop documents without a judgment and rank again; a negative grade is a
        judgment here (default False)
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        balance: Literal["first", "last"] | None = ...,
        cutoff: int | None = ...,
        judged_only: bool | None = ...,
    ) -> _CRPRecovery: ...
    def __matmul__(self, at_param: int) -> _CRPRecovery: ...

class _Twist(KernelMeasure):
    """Effort caused by misplaced documents: how soon the ranking makes up for them, and how far
    they are misplaced.

    How much effort do misplaced documents cost the user?
    [0, 1].
    Ferro et al., JASIST 2016, doi:10.1002/asi.23416; MATTERS twist.m.

    Parameters
    ----------
    depth : ranks that count; shorter lists are filled up (default 1000)
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        depth: int | None = ...,
    ) -> _Twist: ...
    def __matmul__(self, at_param: NoReturn) -> NoReturn: ...  # it has no cutoff

class _Coverage(KernelMeasure):
    """Share of the relevant documents known to the user that were retrieved.

    Does the system find what the user already knows to be relevant?
    [0, 1].
    Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, ch. 4.

    Parameters
    ----------
    known : column of the qrels, true for documents that the user knew (default 'known')
    undefined : value of 0/0: 0, or NaN, which means leave the topic out (default 'zero')
    rel : minimum grade counted as relevant (default 1)
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        known: str | None = ...,
        undefined: Literal["zero", "nan"] | None = ...,
        rel: float | None = ...,
        cutoff: int | None = ...,
    ) -> _Coverage: ...
    def __matmul__(self, at_param: int) -> _Coverage: ...

class _Novelty(KernelMeasure):
    """Share of the relevant documents retrieved that the user did not know.

    How much of what is found and relevant is new to the user?
    [0, 1].
    Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, ch. 4.

    Parameters
    ----------
    known : column of the qrels, true for documents that the user knew (default 'known')
    undefined : value of 0/0: 0, or NaN, which means leave the topic out (default 'zero')
    rel : minimum grade counted as relevant (default 1)
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        known: str | None = ...,
        undefined: Literal["zero", "nan"] | None = ...,
        rel: float | None = ...,
        cutoff: int | None = ...,
    ) -> _Novelty: ...
    def __matmul__(self, at_param: int) -> _Novelty: ...

class _RelativeRecall(KernelMeasure):
    """Relevant documents found, as a share of those the user expected to find.

    Did users find as many relevant documents as they expected?
    [0, 1]; without a cap, from 0.
    Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, ch. 4.

    Parameters
    ----------
    expected : relevant documents the user expected to find (default: R)
    capped : whether to limit values to 1, however much was found (default True)
    rel : minimum grade counted as relevant (default 1)
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        expected: float | str | None = ...,
        capped: bool | None = ...,
        rel: float | None = ...,
        cutoff: int | None = ...,
    ) -> _RelativeRecall: ...
    def __matmul__(self, at_param: int) -> _RelativeRecall: ...

class _RecallEffort(KernelMeasure):
    """Relevant documents expected, as a share of the documents examined to find that many. Higher
    is better.

    How many documents had to be examined to find the expected relevant ones?
    [0, 1].
    Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, ch. 4.

    Parameters
    ----------
    expected : relevant documents the user expected to find (default: R)
    rel : minimum grade counted as relevant (default 1)
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        expected: float | str | None = ...,
        rel: float | None = ...,
        cutoff: int | None = ...,
    ) -> _RecallEffort: ...
    def __matmul__(self, at_param: int) -> _RecallEffort: ...

class _TSE(KernelMeasure):
    """Exposure of the last relevant document, for users who want all of them. 0 if one is missing.

    How early does a user have every relevant document?
    [0, 1].
    Diaz, Ekstrand & Mitra, ACM TORS 2025, doi:10.1145/3728373.

    Parameters
    ----------
    exposure : of a rank p: 1/p (inverse) or 1/log2(p + 1) (dcg) (default 'inverse')
    rel : minimum grade counted as relevant (default 1)
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        exposure: Literal["inverse", "dcg"] | None = ...,
        rel: float | None = ...,
        cutoff: int | None = ...,
    ) -> _TSE: ...
    def __matmul__(self, at_param: int) -> _TSE: ...

class _EMeasure(KernelMeasure):
    """Distance of the retrieved set from the relevant set, 0 (the same set) to 1 (nothing in
    common).

    How far is the retrieved set from exactly the relevant documents?
    [0, 1].
    van Rijsbergen 1979, ch. 7.

    Parameters
    ----------
    beta : weight of recall relative to precision (not squared) (default 1.0)
    rel : minimum grade counted as relevant (default 1)
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        beta: float | None = ...,
        rel: float | None = ...,
        cutoff: int | None = ...,
    ) -> _EMeasure: ...
    def __matmul__(self, at_param: int) -> _EMeasure: ...

class _FMeasure(KernelMeasure):
    """Weighted harmonic mean of precision and recall, with van Rijsbergen's beta (SetF takes its
    square).

    How complete and how pure is the retrieved set, in one number?
    [0, 1].
    van Rijsbergen 1979, ch. 7.

    Parameters
    ----------
    beta : weight of recall relative to precision (not squared) (default 1.0)
    rel : minimum grade counted as relevant (default 1)
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        beta: float | None = ...,
        rel: float | None = ...,
        cutoff: int | None = ...,
    ) -> _FMeasure: ...
    def __matmul__(self, at_param: int) -> _FMeasure: ...

class _SeenAP(KernelMeasure):
    """Mean precision at the relevant documents that were retrieved. Unlike AP, it ignores those
    that were not.

    How precise is the list down to each relevant document in it?
    [0, 1].
    Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, ch. 4.

    Parameters
    ----------
    rel : minimum grade counted as relevant (default 1)
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        rel: float | None = ...,
        cutoff: int | None = ...,
    ) -> _SeenAP: ...
    def __matmul__(self, at_param: int) -> _SeenAP: ...

class _OriginalNDCG(KernelMeasure):
    """Normalised discounted cumulated gain of Järvelin and Kekäläinen: no discount before rank
    `base`.

    How much gain do users collect, compared with the ideal list, if later ranks count less?
    [0, 1].
    Järvelin & Kekäläinen, TOIS 2002, section 2, doi:10.1145/582415.582418.

    Parameters
    ----------
    base : base of the logarithm, and first rank discounted (default 2)
    gains : gain of a grade; a grade not named keeps its value
    judged_only : drop documents without a judgment and rank again, before the cutoff (default
        False)
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        base: float | None = ...,
        gains: Mapping[float, float] | Mapping[int, float] | None = ...,
        judged_only: bool | None = ...,
        cutoff: int | None = ...,
    ) -> _OriginalNDCG: ...
    def __matmul__(self, at_param: int) -> _OriginalNDCG: ...

class _CG(KernelMeasure):
    """Gain collected down to the cutoff: the sum of the gains of the documents retrieved.

    How much gain has a user collected down to this rank?
    from 0.
    Järvelin & Kekäläinen, TOIS 2002, section 2, doi:10.1145/582415.582418.

    Parameters
    ----------
    gains : gain of a grade; a grade not named keeps its value
    judged_only : drop documents without a judgment and rank again, before the cutoff (default
        False)
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        gains: Mapping[float, float] | Mapping[int, float] | None = ...,
        judged_only: bool | None = ...,
        cutoff: int | None = ...,
    ) -> _CG: ...
    def __matmul__(self, at_param: int) -> _CG: ...

class _DCG(KernelMeasure):
    """Gain collected down to the cutoff, each gain discounted by its rank from rank `base` on.

    How much gain has a user collected down to this rank, if later ranks count less?
    from 0.
    Järvelin & Kekäläinen, TOIS 2002, section 2, doi:10.1145/582415.582418.

    Parameters
    ----------
    base : base of the logarithm, and first rank discounted (default 2)
    gains : gain of a grade; a grade not named keeps its value
    judged_only : drop documents without a judgment and rank again, before the cutoff (default
        False)
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        base: float | None = ...,
        gains: Mapping[float, float] | Mapping[int, float] | None = ...,
        judged_only: bool | None = ...,
        cutoff: int | None = ...,
    ) -> _DCG: ...
    def __matmul__(self, at_param: int) -> _DCG: ...

class _NCG(KernelMeasure):
    """Gain collected down to the cutoff, as a share of what the ideal list has there.

    What share of the gain available down to this rank has a user collected?
    [0, 1].
    Järvelin & Kekäläinen, TOIS 2002, section 2, doi:10.1145/582415.582418.

    Parameters
    ----------
    gains : gain of a grade; a grade not named keeps its value
    judged_only : drop documents without a judgment and rank again, before the cutoff (default
        False)
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        gains: Mapping[float, float] | Mapping[int, float] | None = ...,
        judged_only: bool | None = ...,
        cutoff: int | None = ...,
    ) -> _NCG: ...
    def __matmul__(self, at_param: int) -> _NCG: ...

class _RBPResidual(KernelMeasure):
    """How far RBP could rise if all unjudged documents were relevant: the weight of everything
    unjudged.

    How much of rank-biased precision is unknown because documents are unjudged?
    [0, 1].
    Moffat & Zobel, TOIS 2008, section 5, doi:10.1145/1416950.1416952.

    Parameters
    ----------
    p : persistence (default 0.8)
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        p: float | None = ...,
        cutoff: int | None = ...,
    ) -> _RBPResidual: ...
    def __matmul__(self, at_param: int) -> _RBPResidual: ...

class _InterpolatedPrecision(KernelMeasure):
    """Highest precision at any rank at which a recall level is reached; without a level, the mean
    over eleven of them.

    How precise is the ranking for a user who wants this share of the relevant documents?
    [0, 1].
    Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, ch. 4; trec_eval 10 m_iprec_at_recall.c.

    Parameters
    ----------
    recall : recall level (default: the mean over 0, 0.1, ..., 1)
    rounding : how many documents reach a level, see the definition (default 'up')
    rel : minimum grade counted as relevant (default 1)
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        recall: float | None = ...,
        rounding: Literal["up", "nearest"] | None = ...,
        rel: float | None = ...,
    ) -> _InterpolatedPrecision: ...
    def __matmul__(self, at_param: float) -> _InterpolatedPrecision: ...

class _CappedRecall(KernelMeasure):
    """Share of the relevant documents that the first k ranks can hold and do hold.

    Of the relevant documents that fit into the first k ranks, how many are there?
    [0, 1].
    Thakur et al., NeurIPS 2021 Datasets and Benchmarks, arXiv:2104.08663.

    Parameters
    ----------
    rel : minimum grade counted as relevant (default 1)
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        rel: float | None = ...,
        cutoff: int | None = ...,
    ) -> _CappedRecall: ...
    def __matmul__(self, at_param: int) -> _CappedRecall: ...

class _FullRecall(KernelMeasure):
    """Whether all relevant documents are in the first k ranks.

    Do the first k documents hold everything that is relevant?
    [0, 1].
    Asai et al., ICLR 2020, arXiv:1911.10470, "paragraph exact match".

    Parameters
    ----------
    rel : minimum grade counted as relevant (default 1)
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        rel: float | None = ...,
        cutoff: int | None = ...,
    ) -> _FullRecall: ...
    def __matmul__(self, at_param: int) -> _FullRecall: ...

class _PrefShare(KernelMeasure):
    """Share of the preferences between documents that a ranking fulfils: trec_eval's `prefs_`
    measures.

    For preferences (`irpref.read_preferences`) and for grades, of which a higher one is preferred
    to a lower one. `irpref.parse("prefs_simp_ret")` and the like return the measure of that name.

    How many of the preferences does the ranking fulfil?
    [0, 1].
    trec_eval 10.0, m_prefs_simp.c, m_prefs_pair.c, m_prefs_avgjg.c and their variants.

    Parameters
    ----------
    pairs : preferences that count: all, those between retrieved documents, or those with at
        least one retrieved document (default 'all')
    by : what has the same weight: each preference, each pair of documents, or each group
        (default 'preference')
    nonrelevant : non-relevant documents of a group that count: all, or as many as there are
        relevant ones (by='group' only) (default 'all')
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        pairs: Literal["all", "retrieved", "implied"] | None = ...,
        by: Literal["preference", "pair", "group"] | None = ...,
        nonrelevant: Literal["all", "R"] | None = ...,
        cutoff: int | None = ...,
    ) -> _PrefShare: ...
    def __matmul__(self, at_param: int) -> _PrefShare: ...

class _NumPrefs(KernelMeasure):
    """Number of preferences of a topic, including implied ones; the mean is a sum.

    How many preferences does the topic have?
    [0, inf).
    trec_eval 10.0, m_prefs_num_prefs_poss.c.

    Parameters
    ----------
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
    ) -> _NumPrefs: ...
    def __matmul__(self, at_param: NoReturn) -> NoReturn: ...  # it has no cutoff

class _NumPrefsFulfilled(KernelMeasure):
    """Number of preferences that a ranking fulfils; the mean is a sum.

    How many preferences does the ranking fulfil?
    [0, inf).
    trec_eval 10.0, m_prefs_num_prefs_ful.c, m_prefs_num_prefs_ful_ret.c.

    Parameters
    ----------
    pairs : fulfilled if the preferred document was retrieved and the other is below it or was
        not retrieved (all, implied), or if both were retrieved, too (retrieved) (default 'all')
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        pairs: Literal["all", "retrieved", "implied"] | None = ...,
        cutoff: int | None = ...,
    ) -> _NumPrefsFulfilled: ...
    def __matmul__(self, at_param: int) -> _NumPrefsFulfilled: ...

class _PrefPrecision(KernelMeasure):
    """Precision of preferences: of the pairs that the first k documents put into an order, the
    share in the right one.

    Of the preferences that the top of the ranking decides, how many does it decide correctly?
    [0, 1].
    Carterette et al., ECIR 2008, doi:10.1007/978-3-540-78646-7_5.

    Parameters
    ----------
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        cutoff: int | None = ...,
    ) -> _PrefPrecision: ...
    def __matmul__(self, at_param: int) -> _PrefPrecision: ...

class _PrefRecall(KernelMeasure):
    """Recall of preferences: the share of all preferences that the first k documents put in the
    right order.

    The authors call it rpref. It is not De Beer and Moens' rpref, which is `RPref` here.

    Of all preferences, how many does the top of the ranking decide correctly?
    [0, 1].
    Carterette et al., ECIR 2008, doi:10.1007/978-3-540-78646-7_5.

    Parameters
    ----------
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        cutoff: int | None = ...,
    ) -> _PrefRecall: ...
    def __matmul__(self, at_param: int) -> _PrefRecall: ...

class _WeightedPrefPrecision(KernelMeasure):
    """Precision of preferences in which a pair weighs more, the higher its better-ranked document.

    How many preferences are decided correctly, if those at the top count most?
    [0, 1].
    Carterette et al., ECIR 2008, doi:10.1007/978-3-540-78646-7_5.

    Parameters
    ----------
    cutoff : ranking cutoff: documents below this rank count as not retrieved
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
        *,
        cutoff: int | None = ...,
    ) -> _WeightedPrefPrecision: ...
    def __matmul__(self, at_param: int) -> _WeightedPrefPrecision: ...

class _PrefAP(KernelMeasure):
    """Average precision of preferences: mean of `PrefPrecision` over the ranks at which
    `PrefRecall` rises.

    How precisely are preferences decided, on average over the ranks that decide some correctly?
    [0, 1].
    Carterette et al., ECIR 2008, doi:10.1007/978-3-540-78646-7_5.

    Parameters
    ----------
    """
    def __call__(  # type: ignore[override]  # the host takes any
        self,
    ) -> _PrefAP: ...
    def __matmul__(self, at_param: NoReturn) -> NoReturn: ...  # it has no cutoff

NPref: _NPref
RPref: _RPref
Bpref10: _BprefVariant
BprefN: _BprefVariant
BprefR: _BprefVariant
BprefVariant: _BprefVariant
OMeasure: _OMeasure
PMeasure: _PMeasure
PPlus: _PPlus
QMeasure: _QMeasure
RMeasure: _RMeasure
GPrecision: _GPrecision
GRecall: _GRecall
WeightedRR: _WeightedRR
NCU: _NCU
CRP: _CRP
CRPRecovery: _CRPRecovery
nCRP: _nCRP
Twist: _Twist
Coverage: _Coverage
Novelty: _Novelty
RecallEffort: _RecallEffort
RelativeRecall: _RelativeRecall
TSE: _TSE
EMeasure: _EMeasure
FMeasure: _FMeasure
SeenAP: _SeenAP
OriginalNDCG: _OriginalNDCG
CG: _CG
DCG: _DCG
NCG: _NCG
RBPResidual: _RBPResidual
InterpolatedPrecision: _InterpolatedPrecision
CappedRecall: _CappedRecall
FullRecall: _FullRecall
NumPrefs: _NumPrefs
NumPrefsFulfilled: _NumPrefsFulfilled
PrefShare: _PrefShare
PrefAP: _PrefAP
PrefPrecision: _PrefPrecision
PrefRecall: _PrefRecall
WeightedPrefPrecision: _WeightedPrefPrecision

__all__ = [
    "Bpref10",
    "BprefN",
    "BprefR",
    "BprefVariant",
    "CG",
    "CRP",
    "CRPRecovery",
    "CappedRecall",
    "Coverage",
    "DCG",
    "EMeasure",
    "FMeasure",
    "FullRecall",
    "GPrecision",
    "GRecall",
    "InterpolatedPrecision",
    "NCG",
    "NCU",
    "NPref",
    "Novelty",
    "NumPrefs",
    "NumPrefsFulfilled",
    "OMeasure",
    "OriginalNDCG",
    "PMeasure",
    "PPlus",
    "PrefAP",
    "PrefPrecision",
    "PrefRecall",
    "PrefShare",
    "QMeasure",
    "RBPResidual",
    "RMeasure",
    "RPref",
    "RecallEffort",
    "RelativeRecall",
    "SeenAP",
    "TSE",
    "Twist",
    "WeightedPrefPrecision",
    "WeightedRR",
    "nCRP",
]
