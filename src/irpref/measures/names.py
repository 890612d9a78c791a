"""Measures from strings: our names, those of ir_measures, those of trec_eval."""

from __future__ import annotations

import ast
import contextlib
import io
from collections.abc import Iterable
from typing import Any

from ir_measures import measures as host
from ir_measures import util
from ir_measures.measures import Measure

from irpref.measures.declare import PACKAGE
from irpref.messages import did_you_mean, nearest

# What trec_eval calls its measures; `ir_measures.parse_trec_measure` turns them into the host's.
TREC_NAMES = (
    *("map", "map_cut", "P", "recall", "ndcg", "ndcg_cut", "bpref", "recip_rank", "Rprec", "success", "infAP"),
    *("set_P", "set_recall", "set_F", "set_map", "set_relative_P", "iprec_at_recall"),
    *("num_ret", "num_rel", "num_rel_ret", "num_q", "official", "all_trec"),
)


class UnknownMeasureError(ValueError, NameError):
    """No measure has this name."""


def parse(text: str | Measure) -> Measure:
    """One measure from its name.

    Parameters
    ----------
    text : str or Measure
        `RPref(max_rel=3)@10`, `nDCG@10`, `ndcg_cut_10`; a measure is returned as it is.

    Raises
    ------
    ValueError
        The text is no name of a measure (`UnknownMeasureError`, with the nearest name), names several, or has a
        parameter that the measure does not accept.

    Examples
    --------
    >>> parse("RPref(max_rel=3)@10")
    RPref(max_rel=3)@10
    >>> parse("ndcg_cut_10")
    nDCG@10
    >>> parse("QMeasure(gains={-1:0,2:3})@10").params["gains"]
    {-1: 0, 2: 3}
    """
    found = _parse(text)
    if len(found) != 1:
        raise ValueError(f"{text!r} names {len(found)} measures ({', '.join(map(str, found[:3]))}, ...): use parse_all")
    return found[0]


def parse_all(texts: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """Measures from their names, in their order, each once.

    Parameters
    ----------
    texts : str, Measure, or iterable of them
        A name of trec_eval may stand for several (`P`, `ndcg_cut.5,10`, `official`). One string may hold several
        names with blanks between them.

    Raises
    ------
    ValueError
        As `parse`.

    Examples
    --------
    >>> parse_all(["map", "bpref", "RPref@10"])
    [AP, Bpref, RPref@10]
    """
    if isinstance(texts, (str, Measure)):
        texts = [texts]
    found: dict[Measure, None] = {}
    for text in texts:
        for name in split_names(text) if isinstance(text, str) else [text]:
            found.update(dict.fromkeys(_parse(name)))
    return list(found)


def split_names(text: str) -> list[str]:
    """Split at the blanks that are not inside brackets; brackets inside quotes are text."""
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
    """Every name that `parse` understands; of those that differ in case, what the measure calls itself first."""

    def place(name: str) -> tuple[str, bool, str]:
        return name.lower(), name not in host.registry or str(host.registry[name].NAME) != name, name

    return sorted({*host.registry, *TREC_NAMES}, key=place)


def _parse(text: str | Measure) -> list[Measure]:
    if isinstance(text, Measure):
        return [text]
    if not isinstance(text, str):
        raise ValueError(f"expected the name of a measure, got {text!r}")
    name = text.strip()
    try:
        node = ast.parse(name, mode="eval").body
    except (SyntaxError, ValueError):
        node = None
    if node is not None:
        bare, keywords, at = _take_apart(node)
        if isinstance(bare, str) and bare in host.registry:
            # `P` and `infAP` mean something to both tools: ir_measures' meaning goes first, except where
            # it would need a parameter that trec_eval's form brings along.
            built = _build(text, host.registry[bare], keywords, at)
            if not (bare in TREC_NAMES and not keywords and at is None and _missing(built)):
                return [built]
    with contextlib.suppress(ValueError), contextlib.redirect_stdout(io.StringIO()):
        return list(util.parse_trec_measure(name))
    if node is None or not isinstance(_take_apart(node)[0], str):
        raise ValueError(f"{text!r} is not written like a measure, such as RPref, nDCG@10 or QMeasure(beta=2)@10")
    bare = str(_take_apart(node)[0])
    if bare in TREC_NAMES and bare != name:
        # A name of trec_eval, which knows neither brackets nor `@`.
        meant = name.replace(bare, _host_name(bare) or bare, 1)
        raise UnknownMeasureError(
            f"{name!r}: names of trec_eval, such as {bare!r}, take no parameters"
            + (f"; did you mean {meant!r}?" if meant != name and _is_known(meant) else "")
        )
    near = next((known for known in known_names() if known.lower() == bare.lower()), None)
    near = near or _near_cutoff(bare) or nearest(bare, known_names(), cutoff=0.5)
    raise UnknownMeasureError(f"unknown measure {bare!r}" + (f"; did you mean {near!r}?" if near else ""))


def _host_name(trec: str) -> str | None:
    """The host's name for a measure of trec_eval; None where that stands for several."""
    with contextlib.suppress(ValueError), contextlib.redirect_stdout(io.StringIO()):
        names = {str(measure.NAME) for measure in util.parse_trec_measure(trec)}
        return names.pop() if len(names) == 1 else None
    return None


def _is_known(text: str) -> bool:
    try:
        return bool(_parse(text))
    except ValueError:
        return False


def _near_cutoff(bare: str) -> str | None:
    """What trec_eval's form with a number at its end may have meant: `ndcg_cut_10` for `ndgc_cut_10`."""
    name, _, number = bare.rpartition("_")
    if number.isdigit() and name in host.registry:
        return name
    if number.isdigit():
        near = nearest(name, TREC_NAMES, cutoff=0.5)
        with contextlib.suppress(ValueError), contextlib.redirect_stdout(io.StringIO()):
            if near and list(util.parse_trec_measure(f"{near}_{number}")):
                return f"{near}_{number}"
    return None


def _take_apart(node: ast.expr) -> tuple[str | None, list[ast.keyword] | None, ast.expr | None]:
    at = None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        at, node = node.right, node.left
    keywords: list[ast.keyword] = []
    if isinstance(node, ast.Call):
        if node.args:
            return None, None, None
        keywords, node = node.keywords, node.func
    return (node.id, keywords, at) if isinstance(node, ast.Name) else (None, None, None)


def _build(text: str, of: Measure, keywords: list[ast.keyword] | None, at: ast.expr | None) -> Measure:
    given: dict[str, Any] = {}
    for keyword in keywords or []:
        if keyword.arg is None:
            raise ValueError(f"{text!r}: '**' is not accepted")
        if keyword.arg in given:
            raise ValueError(f"{text!r}: {keyword.arg} is given twice")
        given[keyword.arg] = _value(keyword.value, text)
    if at is not None:
        given[of.AT_PARAM] = _value(at, text)
    if type(of).__module__.partition(".")[0] != PACKAGE:
        for name, value in given.items():
            spec = of.SUPPORTED_PARAMS.get(name)
            if spec is None:
                raise ValueError(f"{of.NAME} has no parameter {name!r}{did_you_mean(str(name), of.SUPPORTED_PARAMS)}")
            # The host takes no int for a float: SetF(beta=2) would fail at evaluation.
            if spec.dtype is float and type(value) is int:
                value = given[name] = float(value)
            if not spec.validate(value):
                raise ValueError(f"{of.NAME}: {name}={value!r} is not accepted")
    return of(**given)


def _missing(measure: Measure) -> list[str]:
    return [name for name, spec in measure.SUPPORTED_PARAMS.items() if spec.required and name not in measure.params]


def _value(node: ast.expr, text: str) -> Any:
    # literal_eval handles signs, and knows the syntax tree of the Python it runs on; ir_measures' own parser
    # does neither.
    try:
        value = ast.literal_eval(node)
    except ValueError:
        raise ValueError(
            f"{text!r}: expected a number, a quoted string, True, False or a dict, such as beta=2 or norm='relative'"
        ) from None
    if isinstance(value, (list, tuple, set)):
        raise ValueError(f"{text!r}: lists are not accepted as values of parameters")
    return value
