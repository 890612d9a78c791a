"""How a kernel becomes an ir_measures measure.

A measure is a class: kernel, parameters, the question it answers, its source. `register` makes one
instance of it known to ir_measures under its name. Parameters are checked when the measure is
built, with `ValueError`s that name the accepted values."""

from __future__ import annotations

import inspect
import math
import numbers
import sys
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from operator import ge, gt, le
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, TypeVar

import numpy as np
from ir_measures import measures as host
from ir_measures import providers
from ir_measures.measures.base import _NOT_PROVIDED, MeanAgg

from irpref.errors import MeasureError
from irpref.kernel import Floats, Holes, JudgedRun, Sum, Terms
from irpref.kernel.reasons import default_reasons
from irpref.kernel.uncertain import NOTHING_KNOWN, OverTies
from irpref.measures.docstring import Docstring, items, prose
from irpref.measures.toml_files import compared
from irpref.messages import clipped, did_you_mean

if TYPE_CHECKING:
    from irpref.judged.types import QrelsLike, RunLike

__all__ = [
    "COUNTED_GAINS",
    "CUTOFF",
    "GAINS",
    "JUDGED_ONLY",
    "REL",
    "KernelMeasure",
    "MeasureLike",
    "Measures",
    "Param",
    "needs",
    "register",
    "registered",
    "rises",
]

# A measure of any toolkit, or its name.
MeasureLike: TypeAlias = host.Measure | str
# Several of them, or one.
Measures: TypeAlias = MeasureLike | Iterable[MeasureLike]

# What a measure may need of the judgments, beyond grades.
Need = Literal["scale", "nonrelevant", "known", "preferences"]
NEEDS: dict[Need, str] = {
    "scale": "the top of the grade scale (`max_rel`)",
    "nonrelevant": "documents judged non-relevant; without them it says little more than recall",
    "known": "a column of the qrels that says which documents the user knew",
    "preferences": "judgments that say which of two documents is better",
}
# Of the measures of ir_measures, which do not say it.
_NEEDS_OF_HOST: dict[str, tuple[Need, ...]] = {"Bpref": ("nonrelevant",)}


class Param(host.ParamInfo):
    """A parameter of a measure.

    Parameters
    ----------
    dtype : type
        `int`, `float`, `str`, `bool`, `dict` (grade to gain), or a tuple of them. `float` accepts
        integers; `(int, float)` stores `3.0` as `3`.
    default : object, optional
        Value if the parameter is not given. Without one, the kernel receives None.
    required : bool
        Whether a value must be given before the measure is evaluated.
    choices : sequence, optional
    minimum : float, optional
        Lowest value allowed.
    above : float, optional
        Bound that a value must exceed.
    maximum : float, optional
    column : type, optional
        If text names a column of the qrels, what that column holds: `bool`, whether the document
        has some property; `float`, a number of at least 1 for the topic, the same in all its rows.
    counts : bool
        Of gains: whether every document with a gain counts as relevant, with no parameter `rel`.
        Grades that a judge filled in (see `irpref_lab.fill`) then count from the lowest positive
        human grade on.
    desc : str, optional
        What it means. Without one, the section "Parameters" in the docstring of the class of
        measures says it.
    """

    def __init__(
        self,
        dtype: Any,
        desc: str = "",
        default: Any = _NOT_PROVIDED,
        required: bool = False,
        choices: Any = _NOT_PROVIDED,
        minimum: float | None = None,
        above: float | None = None,
        maximum: float | None = None,
        column: type[bool] | type[float] | None = None,
        counts: bool = False,
    ) -> None:
        super().__init__(
            dtype=dtype, required=required, choices=choices, default=default, desc=desc
        )
        self.types: tuple[type, ...] = dtype if isinstance(dtype, tuple) else (dtype,)
        limits = ("of at least", minimum, ge), ("above", above, gt), ("of at most", maximum, le)
        self.limits = [(text, limit, holds) for text, limit, holds in limits if limit is not None]
        self.column, self.counts = column, counts

    def annotation(self) -> str:
        """Write the accepted types as a type checker does."""
        if self.choices is not _NOT_PROVIDED:
            return f"Literal[{', '.join(map(repr, self.choices))}]"
        if dict in self.types:
            return "Mapping[float, float] | Mapping[int, float]"
        if float in self.types:  # an int is taken for a float
            return " | ".join(t.__name__ for t in self.types if t is not int)
        return " | ".join(t.__name__ for t in self.types)

    def accepted(self) -> str:
        """Describe the accepted values in words."""
        if self.choices is not _NOT_PROVIDED:
            return "one of " + ", ".join(map(repr, self.choices))
        words = []
        if dict in self.types:
            words.append("a dict of numbers, grade to gain, such as {1: 1, 2: 3}")
        elif bool in self.types:
            words.append("True or False")
        else:
            if float in self.types or int in self.types:
                kind = "number" if float in self.types else "integer"
                bound = [f"{text} {limit:g}" for text, limit, _ in self.limits]
                words.append(
                    " ".join(
                        [f"{'an' if kind == 'integer' else 'a'} {kind}", " and ".join(bound)]
                    ).strip()
                )
            if str in self.types:
                words.append("the name of a column of the qrels")
        return " or ".join(words)

    def clean(self, value: Any) -> Any:
        """Return the value in the form we store; `ValueError` if it is not accepted."""
        fits = False
        if self.choices is not _NOT_PROVIDED:
            fits = any(type(value) is type(choice) and value == choice for choice in self.choices)
        elif dict in self.types:
            return _clean_gains(value)
        elif bool in self.types:
            if fits := isinstance(value, (bool, np.bool_)):
                value = bool(value)
        elif isinstance(value, str):
            fits = str in self.types and value != ""
        elif float in self.types or int in self.types:
            value = clean_number(value)
            fits = all(holds(value, limit) for _, limit, holds in self.limits)
            fits &= float in self.types or isinstance(value, int)
            value = float(value) if self.types == (float,) else value
        if not fits:
            raise ValueError
        return value


def clean_number(value: Any) -> int | float:
    """Return a finite number as int if it is whole, else float; `ValueError` for anything else."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise ValueError
    number = float(value)
    if not math.isfinite(number):
        raise ValueError
    # Beyond 2^53 doubles are whole but not exact, and would print with hundreds of digits.
    return int(number) if number.is_integer() and abs(number) <= 2**53 else number


def _clean_gains(value: Any) -> dict[int | float, int | float]:
    if not isinstance(value, Mapping):
        raise ValueError
    gains = {clean_number(grade): clean_number(gain) for grade, gain in value.items()}
    # As in the host's text form, a grade that keeps its value is not named.
    return {grade: gain for grade, gain in sorted(gains.items()) if grade != gain}


def check_rising(name: str, gains: Mapping[float, float], grades: Any, zero: bool = False) -> None:
    """Raise `ValueError` if a higher one of these positive grades has a lower gain, or any a
    negative one.

    `zero`: whether grade 0 may have a gain, too.
    """
    below, least = 0.0, 0.0
    for grade in sorted(float(g) for g in grades if g > 0 or (zero and g == 0)):
        gain = gains.get(grade, grade)
        given = f"{name}: gains={clipped(dict(gains))!r}"
        about: dict[str, Any] = {"measure": name, "parameter": "gains", "value": dict(gains)}
        if gain < 0:
            raise MeasureError(
                f"{given} has a negative gain, {gain:g} for grade {grade:g}", **about
            )
        if gain < least:
            raise MeasureError(
                f"{given} falls as grades rise: grade {below:g} has gain {least:g}, grade "
                f"{grade:g} has gain {gain:g}",
                **about,
            )
        below, least = grade, gain


class _Signature:
    """The signature of a measure, which `help` shows; its class has its constructor's."""

    def __get__(self, measure: KernelMeasure | None, owner: type[KernelMeasure]) -> Any:
        return None if measure is None else signature(measure)


class _FromProse:
    """An attribute of ir_measures' measures that is read from the docstring, the same of a class
    and its measures.
    """

    def __init__(self, read: Callable[[type[KernelMeasure]], str]) -> None:
        self.read = read

    def __get__(self, measure: KernelMeasure | None, owner: type[KernelMeasure]) -> str:
        return self.read(owner)


class _MeanOfValues(MeanAgg):
    """The mean of ir_measures, without topics that have no value."""

    def add(self, value: float) -> None:
        if value == value:
            self.sum += value
            self.count += 1


class KernelMeasure(host.Measure):
    """A measure computed by a kernel over all topics at once.

    A class of measures has fourteen attributes, listed below; a test pins them, and whoever adds
    one removes one. Prose is in the docstring of the class: `irpref.measures.docstring` lists its
    sections. Facts that compare measures (groups, names and values in other tools) are a table of
    all, `measures.toml`. The value of an ideal list is one of the laws in `tests/measures`.

    Functions are passed with the class: `class _SeenAP(KernelMeasure, kernel=seen_ap,
    terms=seen_ap_terms)`. The measure has the name of its class, without the underscore.

    Attributes
    ----------
    kernel : callable
        (run: JudgedRun, **parameters) -> float array (n_topics,), a row for each topic of the run.
        `SUPPORTED_PARAMS` describes the parameters; help, pages and the command line read it there.
    terms : callable or None
        The same, -> `Terms`: what each document contributes. None if the value is not a sum over
        documents.
    reasons : callable
        (topic: irpref.kernel.reasons.Topic) -> None, sets the reasons that `explain` gives, row by
        row.
    over_ties : callable or None
        (run: JudgedRun, **parameters) -> `WeightedSum`, `OneDocument`, `Unmoved` or None: the form
        of the value from which its lowest, mean and highest value over the orders of tied documents
        follow. See `irpref.kernel.uncertain`. None: orders are tried, or drawn at random.
    HOLES : Holes
        How the grades of unjudged documents (holes) may move the value. See
        `irpref.kernel.uncertain`.
    SUPPORTED_PARAMS : dict of str to Param
    DEFAULT : float
        Value of a topic for which nothing was retrieved, unless the section `Empty ranking` of the
        docstring says that it depends on the topic.
    BOUNDS : (float, float)
        The values it takes; the section `Range` says it in words.
    higher_is_better : bool
        Of the class: of the plain measure. A variant may set its own.
    NEEDS : tuple of str
        What judgments must have besides grades: keys of `declare.NEEDS`. Of the class: of the plain
        measure. A variant may set its own.
    NEGATIVE_GRADES : bool
        Whether negative grades count, as grades below non-relevant; if not, they count as unjudged.
    TIES_BY_RISING_ID : bool
        Whether equal scores are ordered by ascending id, as in trec_eval's `prefs_` measures; the
        kernel then reads `rank_rising`.
    CUTOFF_ENDS_LIST : bool
        Whether documents below the cutoff count as not retrieved; if not, it is the rank at which a
        curve is read.
    VARIANTS : tuple of dict
        Parameters that make a difference to the kernel, for tests. The first belong to the plain
        measure: what it cannot do without, and what keeps its values independent of other topics
        (`max_rel`).
    """

    kernel: ClassVar[Callable[..., Floats]]
    terms: ClassVar[Callable[..., Terms] | None] = None
    reasons: ClassVar[Callable[..., None]] = staticmethod(default_reasons)
    over_ties: ClassVar[OverTies | None] = None
    HOLES: ClassVar[Holes] = NOTHING_KNOWN
    SUPPORTED_PARAMS: dict[str, Any]
    DEFAULT: float
    BOUNDS: ClassVar[tuple[float, float]] = (0.0, 1.0)
    higher_is_better: bool = True
    NEEDS: tuple[Need, ...] = ()
    NEGATIVE_GRADES: ClassVar[bool] = False
    TIES_BY_RISING_ID: ClassVar[bool] = False
    CUTOFF_ENDS_LIST: ClassVar[bool] = True
    VARIANTS: ClassVar[tuple[Mapping[str, Any], ...]] = ({},)
    # What hosts read of every measure.
    PRETTY_NAME = _FromProse(lambda cls: prose(cls).name or str(cls.NAME))
    SHORT_DESC = _FromProse(lambda cls: prose(cls).short)
    __signature__ = _Signature()

    def __init_subclass__(cls, **functions: Any) -> None:
        super().__init_subclass__()
        name_of_class = cls.__qualname__.rpartition(".")[2]
        docstring: Any = Docstring(name_of_class, cls.__doc__ or "", description)
        described = items(docstring.sections.get("Parameters", ()))
        if unknown := described.keys() - cls.SUPPORTED_PARAMS.keys():
            raise MeasureError(
                f"{name_of_class}: section 'Parameters' has {min(unknown)!r}, which is not a "
                "parameter"
            )
        if described:  # other measures may share a parameter
            own = {name: copy(spec) for name, spec in cls.SUPPORTED_PARAMS.items()}
            cls.SUPPORTED_PARAMS = own
            for name, text in described.items():
                own[name].desc = text
        if isinstance(functions.get("kernel"), Sum):
            functions.setdefault("terms", functions["kernel"].terms)
        given = {name: staticmethod(function) for name, function in functions.items()}
        for name, value in {"NAME": name_of_class.lstrip("_"), **given}.items():
            if name not in vars(cls):
                setattr(cls, name, value)
        cls.__doc__ = docstring

    def __init__(self, **params: Any) -> None:
        given = {}
        for name, value in params.items():
            spec = self.SUPPORTED_PARAMS.get(name)
            if spec is None:
                raise MeasureError(
                    f"{self.NAME} has no parameter {name!r}"
                    + did_you_mean(name, self.SUPPORTED_PARAMS)
                    + f" (it takes {', '.join(self.SUPPORTED_PARAMS) or 'none'})",
                    measure=str(self.NAME),
                    parameter=name,
                    value=value,
                )
            if value is None:
                continue
            try:
                cleaned = spec.clean(value)
            except (ValueError, OverflowError):
                hint = ""
                if spec.choices is not _NOT_PROVIDED and isinstance(value, str):
                    hint = did_you_mean(value, spec.choices)
                raise MeasureError(
                    f"{self.NAME}: {name}={clipped(value)!r} is not accepted, expected "
                    f"{spec.accepted()}{hint}",
                    measure=str(self.NAME),
                    parameter=name,
                    value=value,
                ) from None
            if name == "gains":
                check_rising(str(self.NAME), cleaned, cleaned, zero=self._maps_zero())
            if cleaned != {} and cleaned != spec.default:
                given[name] = cleaned
        # One order of parameters: measures that are equal print, hash and pickle alike.
        super().__init__(**{name: given[name] for name in self.SUPPORTED_PARAMS if name in given})
        self.__name__ = str(self.NAME)
        self._name = super().__repr__()

    def __call__(self, *values: Any, **params: Any) -> KernelMeasure:
        """Make the measure with these parameters in place of its own."""
        if values:
            names = ", ".join(self.SUPPORTED_PARAMS)
            raise TypeError(
                f"{self.NAME} takes its parameters by name, got {values[0]!r} (it takes {names})"
            )
        changed: KernelMeasure = super().__call__(**params)
        return changed

    def aggregator(self) -> Any:
        """Return the aggregator: the mean over the topics that have a value."""
        return _MeanOfValues()

    def __repr__(self) -> str:
        return self._name  # asked for once per topic and measure by the host's dictionaries

    def validate_params(self) -> None:
        """Raise `ValueError` if a required parameter is missing; the others were checked when they
        were given.
        """
        if self.validated:  # the host asks for each of its providers
            return
        for name, spec in self.SUPPORTED_PARAMS.items():
            if spec.required and name not in self.params:
                raise MeasureError(f"{self.NAME} needs {name}: {spec.desc}, {spec.accepted()}")
        self.validated = True

    def _maps_zero(self) -> bool:
        # On a scale up to `max_rel`, `gains` can raise grade 0; elsewhere relevant means a gain
        # above 0.
        return "max_rel" in self.SUPPORTED_PARAMS

    def check_gains(self, grades: Any) -> None:
        """Raise `ValueError` if the gains fall as these grades rise."""
        if self.params.get("gains"):
            check_rising(str(self.NAME), self.params["gains"], grades, zero=self._maps_zero())

    def _param_repr(self, v: Any) -> str:
        if isinstance(v, dict):
            return "{" + ",".join(f"{k}:{v[k]}" for k in sorted(v)) + "}"
        return repr(v)

    def __eq__(self, other: object) -> bool:
        # Equal to its own name: PyTerrier keys results by name and looks them up by measure.
        if isinstance(other, str):
            return self._name == other
        return super().__eq__(other)

    def __hash__(self) -> int:
        return hash(self._name)

    @classmethod
    def variants(cls) -> list[KernelMeasure]:
        """List the measure with each of its `VARIANTS`; the first is the plain one."""
        return [cls(**{**cls.VARIANTS[0], **parameters}) for parameters in cls.VARIANTS]

    @classmethod
    def recommended(cls) -> KernelMeasure:
        """Return the measure that examples show: as `measures.toml` recommends it, or the plain
        one.
        """
        return cls(**(compared(cls).recommended or cls.VARIANTS[0]))

    def lacks_scale(self) -> bool:
        """Test whether its values depend on `max_rel`, and none was given."""
        return "scale" in self.NEEDS and self.params.get("max_rel") is None

    def caution(self, grades: Floats) -> str:
        """Warn in words of pitfalls of its values on judgments with these grades; empty if there
        are none.
        """
        below_zero = prose(self).negative_grades if (grades < 0).any() else ""
        if not below_zero:
            return ""
        return (
            f"the qrels have negative grades, and with these {below_zero} (set them to 0 if they "
            "should count as not relevant)"
        )

    def cite(self) -> str:
        """Cite the measure's papers and this package in BibTeX, with a sentence for the methods
        section.

        Examples
        --------
        >>> from irpref import QMeasure
        >>> QMeasure(beta=2).cite().splitlines()[0]
        '% Q-measure (QMeasure(beta=2.0): beta=2.0, judged_only=False)'
        """
        from irpref.measures.literature import cite

        return cite([self])

    def compute(self, run: JudgedRun) -> Floats:
        """Compute the value of each topic: shape (n_topics,). `max_rel` must be given; columns of
        the pool must be ready, see `irpref.values.prepare`.
        """
        return type(self).kernel(run, **arguments_of(self))

    def evaluate(self, qrels: QrelsLike, run: RunLike) -> dict[str, float]:
        """Compute values by topic id.

        Parameters
        ----------
        qrels, run : as `ir_measures.calc` takes them
        """
        # By its name, since the provider is made of what is defined here.
        provider: Any = providers.registry[PACKAGE]
        evaluator = provider.own([self], qrels)
        return dict(zip(evaluator.topic_ids, evaluator.values(run)[self].tolist(), strict=True))

    def per_query(self, qrels: QrelsLike) -> Any:
        """Make the stage of a PyTerrier pipeline that gives this measure by query: `bm25 >>
        RPref(max_rel=3).per_query(qrels)`.

        Parameters
        ----------
        qrels : as `pt.irpref.PerQuery` takes them
        """
        import pyterrier

        namespace: Any = pyterrier  # it finds `irpref` by its entry points
        return namespace.irpref.PerQuery(qrels, [self])


def arguments_of(measure: host.Measure) -> dict[str, Any]:
    """Collect every parameter, of ours or of the host's, as a kernel takes it: None without a
    value, gains as sorted pairs.
    """
    given = {name: measure[name] for name in measure.SUPPORTED_PARAMS}
    none = {name: None for name, value in given.items() if value is _NOT_PROVIDED}
    return (
        given
        | none
        | {name: tuple(sorted(v.items())) for name, v in given.items() if isinstance(v, Mapping)}
    )


def signature(measure: KernelMeasure) -> inspect.Signature:
    """Show how a measure is called: its parameters by name, with types and defaults; None if a
    value is not given.
    """
    return inspect.Signature(
        [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=None if spec.default is _NOT_PROVIDED else spec.default,
                annotation=spec.annotation(),
            )
            for name, spec in measure.SUPPORTED_PARAMS.items()
        ]
    )


def description(measure: KernelMeasure) -> str:
    """Write all declarations of a measure as a docstring: use, parameters, range, source,
    definition.
    """
    said = prose(measure)
    lines = [type(measure).__doc__ or "", "", said.question, "", "Parameters", "----------"]
    for name, spec in measure.SUPPORTED_PARAMS.items():
        default = "required" if spec.required else "optional"
        if spec.default is not _NOT_PROVIDED:
            default = f"default {spec.default!r}"
        lines += [f"{name} : {spec.annotation()}, {default}", f"    {spec.desc}"]
    better = "higher" if measure.higher_is_better else "lower"
    lines += [
        "",
        "Range",
        "-----",
        f"{said.range}; {better} is better. "
        f"Nothing retrieved: {said.empty_ranking or format(measure.DEFAULT, 'g')}",
    ]
    needed = [f"- {NEEDS[need]}" for need in measure.NEEDS]
    lines += ["", "Needs", "-----", *needed] if needed else []
    lines += ["", "Source", "------", said.source]
    definition = inspect.cleandoc(sys.modules[type(measure).__module__].__doc__ or "")
    return "\n".join([*lines, "", "Definition", "----------", definition])


# Parameters that several measures share.
CUTOFF = Param(int, "ranking cutoff: documents below this rank count as not retrieved", minimum=1)
JUDGED_ONLY = Param(
    bool, "drop documents without a judgment and rank again, before the cutoff", default=False
)
GAINS = Param(dict, "gain of a grade; a grade not named keeps its value")
COUNTED_GAINS = Param(dict, GAINS.desc, counts=True)
REL = Param((int, float), "minimum grade counted as relevant", default=1, above=0)

PACKAGE = __name__.partition(".")[0]
_REGISTERED: dict[str, KernelMeasure] = {}
M = TypeVar("M", bound=KernelMeasure)


def registered() -> dict[str, KernelMeasure]:
    """Return our measures by name, each without parameters, in the order of the documentation."""
    return dict(_REGISTERED)


def nearest_of_ours(measure: host.Measure) -> KernelMeasure | None:
    """Find the measure of ours that a measure of the host equals or comes closest to; None if there
    is none.
    """
    for known in _REGISTERED.values():
        parameters = compared(known).stands_for.get(str(measure.NAME))
        if parameters is not None:
            return known(**parameters)
    return None


def needs(measure: host.Measure) -> tuple[Need, ...]:
    """Return the needs of a measure, also of the host, beyond grades: keys of `NEEDS`."""
    if isinstance(measure, KernelMeasure):
        return measure.NEEDS
    return _NEEDS_OF_HOST.get(str(measure.NAME), ())


def rises(measure: host.Measure) -> bool:
    """Tell whether a measure, also of the host, rises as rankings get better."""
    return bool(getattr(measure, "higher_is_better", True))


def register(measure: M, name: str | None = None) -> M:
    """Make a measure known to ir_measures under its name, or under `name` as a short form.

    May be repeated (after a reload). Raises `ValueError` if another measure has the name.
    """
    key = name or measure.__name__
    other = host.registry.get(key)
    theirs, ours = (
        f"{type(registered).__module__}.{type(registered).__qualname__}"
        for registered in (other, measure)
    )
    if other is not None and theirs != ours:
        raise MeasureError(
            f"cannot register {key!r}: ir_measures already has a measure of this name, {theirs}"
        )
    host.registry[key] = measure
    if name is None:
        _REGISTERED[key] = measure
    return measure


def is_ours(measure: host.Measure) -> bool:
    """Test whether this is one of our registered measures. `ValueError` if a required parameter is
    missing.
    """
    if not isinstance(measure, KernelMeasure) or measure.NAME not in _REGISTERED:
        return False
    measure.validate_params()
    return True
