"""Measures from strings: our names, those of ir_measures, those of trec_eval, common spellings of
all of them, and names of other tools (`irpref.measures.other_names`).

A name is understood whole or not at all: `recall_100k` is no `R@100`. Here it is found which
measures the name itself stands for; brackets and cutoff are read in `irpref.measures.brackets`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ir_measures import measures as host
from ir_measures import util
from ir_measures.measures import Measure

from irpref.errors import MeasureError, Remedy, UnknownMeasureError
from irpref.measures.brackets import measures_with, unreadable
from irpref.measures.declare import KernelMeasure
from irpref.measures.other_names import AT, check_equal, plain, same_elsewhere, translated
from irpref.measures.precision import LEVELS, InterpolatedPrecision
from irpref.measures.support import check_limits
from irpref.measures.toml_files import data
from irpref.messages import IrprefWarning, clipped, nearest, warn_user

__all__ = ["parse", "parse_all"]

# What trec_eval calls its measures; `ir_measures.parse_trec_measure` turns them into the host's.
_TREC_WITH_NUMBERS = ("map_cut", "P", "recall", "ndcg_cut", "success", "set_F", "iprec_at_recall")
_TREC_GROUPS = ("official", "all_trec")
TREC_NAMES = (
    *_TREC_WITH_NUMBERS,
    *[
        "map",
        "ndcg",
        "bpref",
        "recip_rank",
        "Rprec",
        "infAP",
        "set_P",
        "set_recall",
        "set_map",
        "set_relative_P",
    ],
    *["num_ret", "num_rel", "num_rel_ret", "num_q", *_TREC_GROUPS],
)
_TREC_SPELLED = {name.lower(): name for name in TREC_NAMES}
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_TREC_10 = InterpolatedPrecision(rounding="nearest")
_SHORT = 5  # letters of a name in which a second wrong letter makes another name
LONGEST = 10_000  # characters of one name; no measure comes near it


def parse(text: str | Measure) -> Measure:
    """Parse the name of a measure.

    Parameters
    ----------
    text : str or Measure
        `RPref(norm='relative2')@10`, `nDCG@10`, `ndcg_cut_10`; a measure is returned as it is.
        Case, hyphens and spaces in a name do not matter (`Q-measure@10`, `P+`, `bpref-10`), nor
        quotes around words (`RPref(norm=relative)`). Names of MTEB (`ndcg_at_10`), ranx
        (`map@100-l2`), recommenders and RAG tools (`HR@5`, `hit_rate@5`) are read where their value
        is equal here.

    Raises
    ------
    ValueError
        The text is not the name of a measure (`UnknownMeasureError`, with the nearest name, or with
        the difference to the tool that has this name), names several, or has a parameter that the
        measure does not accept.

    Examples
    --------
    >>> parse("RPref(norm='relative2')@10")
    RPref(norm='relative2')@10
    >>> parse("ndcg_cut_10")
    nDCG@10
    >>> parse("P+@5")
    PPlus@5
    >>> parse("QMeasure(gains={-1:0,2:3})@10").params["gains"]
    {-1: 0, 2: 3}
    """
    measures = _parse(text)
    if len(measures) != 1:
        several = ", ".join(map(str, measures[:3])) + (", ..." if len(measures) > 3 else "")
        raise MeasureError(
            f"{clipped(text)!r} names {len(measures)} measures ({several}): use parse_all"
        )
    return measures[0]


def parse_all(texts: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """Parse names of measures. The result keeps their order, with each measure once.

    Parameters
    ----------
    texts : str, Measure, or iterable of them
        A name can stand for several measures (`P@5,10`; trec_eval's `P`, `ndcg_cut.5,10`,
        `official`), and a string can contain several names, separated by spaces.

    Raises
    ------
    ValueError
        As `parse`.

    Examples
    --------
    >>> parse_all(["map", "bpref", "RPref@5,10"])
    [AP, Bpref, RPref@5, RPref@10]
    """
    return list(names_typed(texts))


def names_typed(texts: str | Measure | Iterable[str | Measure]) -> dict[Measure, str]:
    """Parse names as `parse_all` does, and map each measure to the name that was typed, as columns
    of `pt.Experiment` are called: `map`, `P+`. Measures of a name that stands for several, and
    those that are given as objects, are called as they print.
    """
    if isinstance(texts, (str, Measure)):
        texts = [texts]
    if (
        isinstance(texts, Mapping)
        or hasattr(type(texts), "columns")
        or not isinstance(texts, Iterable)
    ):
        raise TypeError(
            f"expected measures or their names, which come first, got {type(texts).__name__}"
        )
    typed: dict[Measure, str] = {}
    for text in texts:
        for name in split_names(text) if isinstance(text, str) else [text]:
            measures = _parse(name)
            for measure in measures:
                typed.setdefault(measure, str(name if len(measures) == 1 else measure))
    return typed


def split_names(text: str) -> list[str]:
    """Split at the blanks that are not inside brackets; brackets inside quotes are text."""
    if text.isspace() or not text:
        return []
    if not any(char.isspace() for char in text[: LONGEST + 1]):
        return [text]
    names, depth, quote, escaped = [""], 0, "", False
    for char in text:
        if quote:
            if char == quote and not escaped:
                quote = ""
            escaped = char == "\\" and not escaped
        elif char in "'\"" and depth > 0:
            quote = char
        else:
            depth += (char in "({[") - (char in ")}]")
        if char.isspace() and depth <= 0:
            names.append("")
        else:
            names[-1] += char
    return [name for name in names if name]


def known_names() -> list[str]:
    """List every name that `parse` understands; of names that differ in case, the measure's own
    first.
    """

    def place(name: str) -> tuple[str, bool, str]:
        return (
            name.lower(),
            name not in host.registry or str(host.registry[name].NAME) != name,
            name,
        )

    return sorted({*host.registry, *TREC_NAMES, *data("names.toml")["trec_eval"]}, key=place)


def _parse(text: str | Measure) -> list[Measure]:
    if isinstance(text, Measure):
        return [text]
    if not isinstance(text, str):
        raise MeasureError(f"expected the name of a measure, got {clipped(text)!r}")
    name = text.strip()
    if len(name) > LONGEST:
        raise MeasureError(
            f"{clipped(name)!r}: {len(name)} characters are not the name of a measure"
        )
    if not name.endswith(")"):
        name = translated(name)
    head, rest = _head(name)
    if head not in host.registry:  # else the names of trec_eval need not be read
        name = data("names.toml")["trec_eval"].get(name, name)
        head, rest = _head(name)
    key = head if head in host.registry else None
    # `P` and `infAP` mean something to both tools: ir_measures' meaning goes first, unless it needs
    # a parameter that trec_eval's form brings along.
    if key is not None:
        measures = measures_with(text, host.registry[key], rest)
        if not (name in TREC_NAMES and _missing(measures[0])):
            return measures
    trec = _trec(name)
    if trec is not None:
        return trec
    refused = data("names.toml")["refused"]
    without = re.sub(r"[._][\d.,]+$", "", name)
    if name in refused or without in refused:
        raise _refused(name, refused.get(name) or refused[without])
    key = key or (None if head.endswith(("_", "-")) else _spellings().get(plain(head)))
    if key is None:
        check_equal(name, head)
        key = same_elsewhere(head)
    if key is not None:
        return measures_with(text, host.registry[key], rest)
    written = re.fullmatch(rf"([A-Za-z_]+?)((?:[._]{_NUMBER}(?:,{_NUMBER})*)?)", name)
    spelled = written and _TREC_SPELLED.get(written[1].lower())
    trec = _trec(f"{spelled}{written[2]}") if written and spelled else None
    if trec is not None:
        return trec
    raise _unknown(name, head, rest)


def _head(name: str) -> tuple[str, str]:
    """Split the name itself from the rest: brackets and the cutoff."""
    end = min(at for at in (name.find("("), name.find("@"), len(name)) if at >= 0)
    return name[:end].strip(), name[end:]


def _spellings() -> dict[str, str]:
    """Map the plain form of names of the registry to them, without forms that mean different
    measures.
    """
    meanings: dict[str, set[str]] = {}
    names: dict[str, str] = {}
    for key, measure in host.registry.items():
        forms = {plain(key)}
        if isinstance(measure, KernelMeasure) and str(measure) == str(measure.NAME):
            forms.add(plain(measure.PRETTY_NAME))
        for form in forms:
            meanings.setdefault(form, set()).add(str(measure))
            names.setdefault(form, key)
    return {form: names[form] for form, several in meanings.items() if form and len(several) == 1}


def _trec(name: str) -> list[Measure] | None:
    """Find the measures of one of trec_eval's names; None if it is none, `ValueError` if its number
    is not accepted.
    """
    if name in _TREC_GROUPS:
        return _group(name)
    if name not in TREC_NAMES:
        match = re.fullmatch(rf"([A-Za-z_]+)[._]({_NUMBER}(?:,{_NUMBER})*)", name)
        if not match or match[1] not in _TREC_WITH_NUMBERS:
            return None
        base, numbers = match.groups()
        if base not in ("set_F", "iprec_at_recall") and "." in numbers:
            raise MeasureError(f"{clipped(name)!r}: {base} takes whole numbers, such as {base}_10")
        if base == "iprec_at_recall":  # of version 10; the host's `IPrec` is that of version 9
            return [_TREC_10(recall=float(number)) for number in numbers.split(",")]
    elif name == "iprec_at_recall":
        return [_TREC_10(recall=level) for level in LEVELS]
    # Of `util`, which `register_names` leaves alone: `ir_measures.parse_trec_measure` asks us.
    measures: list[Measure] = util.parse_trec_measure(name)
    for measure in measures:
        check_limits(measure)
    return measures


def _group(name: str) -> list[Measure]:
    """Find the measures of `official` or `all_trec`; warn of names that have no measure here."""
    import pytrec_eval

    measures: list[Measure] = []
    left = []
    for part in sorted(pytrec_eval.supported_nicknames[name]):
        try:
            measures += _parse(part)
        except UnknownMeasureError:
            left += [part] * (part not in ("runid", "relstring"))  # no measures
    warn_user(
        f"{name}: without {', '.join(left)}, for which there is no measure",
        IrprefWarning,
        measure=name,
    )
    return measures


def _missing(measure: Measure) -> list[str]:
    return [
        name
        for name, spec in measure.SUPPORTED_PARAMS.items()
        if spec.required and name not in measure.params
    ]


def _refused(name: str, why: str) -> UnknownMeasureError:
    """Make the error for a measure of trec_eval that is not here."""
    return UnknownMeasureError(
        f"{clipped(name)!r} of trec_eval has no measure here: {why}", measure=name
    )


def _unknown(name: str, head: str, rest: str) -> ValueError:
    """Make the error for a name that nobody knows."""
    trec = (head not in _TREC_GROUPS and _trec_or_none(head)) or []
    if trec or head in TREC_NAMES or head in data("names.toml")["trec_eval"]:
        cutoff = trec[0].params.get("cutoff") if len(trec) == 1 else None
        meant = f"{trec[0].NAME}{rest}{f'@{cutoff}' if cutoff else ''}" if len(trec) == 1 else ""
        return UnknownMeasureError(
            f"{clipped(name)!r}: names of trec_eval, such as {head!r}, take no parameters"
            + (f"; did you mean {meant!r}?" if _is_known(meant) else "")
        )
    if not re.fullmatch(r"[^\W\d][\w-]*\+?(?:[._]\d.*)?", head):
        return unreadable(name)
    if plain(head).removeprefix("metric") in data("names.toml")["compared"]:
        return UnknownMeasureError(
            f"{clipped(head)!r} compares two rankings, so it is not a measure, and is not offered "
            "here",
            measure=head,
        )
    if len(name) == 1:  # of a text that was taken for a list
        return UnknownMeasureError(
            f"unknown measure {name!r}",
            measure=name,
            remedy=Remedy(
                "measures",
                ["map"],
                effect="(names of measures are passed as a list; in pt.Experiment, eval_metrics)",
            ),
        )
    bare = plain(re.sub(r"[._]\d.*$", "", head))
    for known, why in data("names.toml")["refused"].items():
        if bare == plain(known):  # in another case: no typing error
            return _refused(name, why)
    near = _near_cutoff(head) or data("names.toml")["meant"].get(plain(head))
    if near is None and len(head) < 100 and not AT.fullmatch(head):
        near = _nearest(head, known_names(), cutoff=0.7)
    hint = f"; did you mean {near!r}?" if near else ""
    return UnknownMeasureError(
        f"unknown measure {clipped(head)!r}{hint}",
        measure=head,
        nearest=near,
        hint=hint,
        remedy=None if near else Remedy(call="measures.names.known_names", effect="shows them all"),
    )


def _trec_or_none(name: str) -> list[Measure] | None:
    try:
        return _trec(name)
    except ValueError:
        return None


def _is_known(text: str) -> bool:
    try:
        return bool(_trec(text) or (_head(text)[0] in host.registry and _parse(text)))
    except ValueError:
        return False


def _nearest(name: str, known: Iterable[str], cutoff: float) -> str | None:
    """Find the name of which this one may be a misspelling; None if it is rather another measure.

    The beginnings of names make them measures of their own (AP, GMAP; Judged, unjudged), so the
    first letter must agree, or be swapped with the second. Of a short name, one letter may be
    wrong, or two neighbours swapped, which is more likely than any other error (NCDG is no NCG).
    """
    typed, alike = plain(name), []
    for other in known:
        meant = plain(other)
        if _is_swapped(typed, meant):
            return other
        if typed[:1] == meant[:1] and (len(typed) > _SHORT or _edits(typed, meant) < 2):
            alike.append(other)
    return nearest(name, alike, cutoff)


def _is_swapped(typed: str, meant: str) -> bool:
    """Test whether two texts differ by the order of two neighbours alone."""
    places = [i for i, (a, b) in enumerate(zip(typed, meant, strict=False)) if a != b]
    if len(typed) != len(meant) or len(places) != 2:
        return False
    first, second = places
    return second == first + 1 and typed[first] + typed[second] == meant[second] + meant[first]


def _edits(typed: str, meant: str) -> int:
    """Count the letters to put in, take out or replace (the distance of Levenshtein)."""
    row = list(range(len(meant) + 1))
    for i, a in enumerate(typed, 1):
        above = row
        row = [i]
        for j, b in enumerate(meant, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (a != b)))
    return row[-1]


def _near_cutoff(head: str) -> str | None:
    """Guess the meaning of a name with a number at its end: `ndcg_cut_10` for `ndgc_cut_10`,
    `nDCG@10` for `ndcg10`.
    """
    if at := AT.fullmatch(head):
        form = f"{_spellings().get(plain(at[1]))}@{at[2]}"
        return form if _is_known(form) else None
    match = re.fullmatch(r"(.*?)([._]?)([0-9]{1,6}).{0,6}", re.sub(r"(?<=\d)[oO]", "0", head))
    if not match:
        return None
    name, between, number = match.groups()
    key = name if name in host.registry else _spellings().get(plain(name))
    near = name if name in TREC_NAMES else _nearest(name, TREC_NAMES, cutoff=0.5)
    forms = [f"{name}_{number}"] * (name in _TREC_WITH_NUMBERS and name not in host.registry)
    if key and (not between or name not in TREC_NAMES):
        forms.append(f"{key}@{number}")
    elif near:
        forms += [f"{near}_{number}", f"{near}_cut_{number}"]
        forms += [f"{measure.NAME}@{number}" for measure in _trec_or_none(near) or ()]
    return next(filter(_is_known, forms), None)
