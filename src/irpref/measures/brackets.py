"""Brackets and cutoff of a measure's name, `(beta=2)@10`, as parameters of the measure."""

from __future__ import annotations

import ast
import re
from contextlib import suppress
from typing import Any

from ir_measures.measures import Measure

from irpref.errors import MeasureError
from irpref.measures.declare import PACKAGE
from irpref.measures.support import any_rel, check_limits
from irpref.messages import clipped, did_you_mean


def measures_with(text: str, base: Measure, rest: str) -> list[Measure]:
    """Make a measure with these brackets and this cutoff; several for `@5,10`.

    Parameters
    ----------
    text : str
        The whole name, for errors.
    base : Measure
    rest : str
        What follows the name itself.

    Raises
    ------
    MeasureError
        This is no form of brackets and cutoff, or the measure does not accept a value.
    """
    brackets, _, at = _cut(rest)
    numbers = (
        [number.strip() for number in at.split(",")]
        if at and re.fullmatch(r"[\d.,\s]+", at)
        else [at]
    )
    if (
        (not rest.startswith(("(", "@")) and rest)
        or rest.rstrip().endswith("@")
        or re.search(r"\d_\d|\d\(", at)
    ):
        raise unreadable(text)
    return [_built(text, base, brackets + (f"@{number}" if at else "")) for number in numbers]


def _cut(rest: str) -> tuple[str, str, str]:
    """Split a name at the last `@` outside of brackets: brackets, `@`, and the rest."""
    if rest.startswith("(") and not rest.rstrip().endswith(")"):
        at = rest.rfind("@", rest.rfind(")"))
        return (rest[:at], "@", rest[at + 1 :]) if at >= 0 else (rest, "", "")
    return (rest, "", "") if rest.startswith("(") else ("", *rest.partition("@")[1:])


def _built(text: str, base: Measure, rest: str) -> Measure:
    code = f"measure{rest}"
    try:
        node = ast.parse(code, mode="eval").body
        keywords, at = _take_apart(node)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise unreadable(text) from None
    given: dict[str, Any] = {}
    for keyword in keywords:
        if keyword.arg is None:
            raise MeasureError(f"{clipped(text)!r}: '**' is not accepted")
        if keyword.arg in given:
            raise MeasureError(f"{clipped(text)!r}: {keyword.arg} is given twice")
        given[keyword.arg] = _value(keyword.value, text, code)
    if at is not None:
        given[base.AT_PARAM] = _value(at, text, code)
    of_host = type(base).__module__.partition(".")[0] != PACKAGE
    if of_host:
        for name, value in given.items():
            spec = base.SUPPORTED_PARAMS.get(name)
            if spec is None:
                near = did_you_mean(str(name), base.SUPPORTED_PARAMS)
                takes = (
                    f" (it takes {', '.join(base.SUPPORTED_PARAMS)})"
                    if base.SUPPORTED_PARAMS
                    else ""
                )
                raise MeasureError(
                    f"{base.NAME} has no parameter {name!r}{near}{takes}",
                    measure=str(base.NAME),
                    parameter=name,
                    value=value,
                )
            # bool is an int to the host: P@True would be P@1 under another name.
            truth = spec.dtype is not bool and isinstance(value, bool)
            if name == "rel" and any_rel(base, value):
                given[name] = int(value) if value.is_integer() else value
                continue
            # The host takes no int for a float: SetF(beta=2) would fail at evaluation.
            if spec.dtype is float and type(value) is int:
                with suppress(OverflowError):  # told as any other value that is not accepted
                    value = given[name] = float(value)
            if truth or not spec.validate(value):
                raise MeasureError(
                    f"{base.NAME}: {name}={clipped(value)!r} is not accepted{_expected(spec)}",
                    measure=str(base.NAME),
                    parameter=name,
                    value=value,
                )
    built: Measure = base(**given)
    if of_host:
        check_limits(built)
    return built


def _expected(spec: Any) -> str:
    if isinstance(spec.choices, list):
        return f", expected one of {', '.join(map(repr, spec.choices))}"
    kinds = {
        int: "a whole number",
        float: "a number",
        bool: "True or False",
        dict: "a dict such as {1: 3}",
    }
    return f", expected {kinds[spec.dtype]}" if spec.dtype in kinds else ""


def _take_apart(node: ast.expr) -> tuple[list[ast.keyword], ast.expr | None]:
    """Parse keywords and cutoff of `measure(...)@...`. `ValueError` for anything else."""
    at = None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        at, node = node.right, node.left
    keywords: list[ast.keyword] = []
    if isinstance(node, ast.Call):
        if node.args:
            raise ValueError
        keywords, node = node.keywords, node.func
    if not isinstance(node, ast.Name):
        raise ValueError
    return keywords, at


def _value(node: ast.expr, text: str, code: str) -> Any:
    _check_numbers(node, text, code)
    # literal_eval handles signs, and knows the syntax tree of the Python it runs on; ir_measures'
    # own parser does neither.
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        word = ast.get_source_segment(code, node) or ""
        # A shell takes quotes away.
        if re.fullmatch(r"[A-Za-z][\w.-]*", word):
            return word
        raise MeasureError(
            f"{clipped(text)!r}: expected a number, a word, True, False or a dict, such as beta=2 "
            f"or norm='relative'"
        ) from None
    if isinstance(value, (list, tuple, set)):
        raise MeasureError(f"{clipped(text)!r}: lists are not accepted as values of parameters")
    if isinstance(node, ast.Dict) and len(node.keys) != len(value):
        raise MeasureError(
            f"{clipped(text)!r}: a grade is given twice in {clipped(ast.unparse(node))}"
        )
    return value


def _check_numbers(node: ast.expr, text: str, code: str) -> None:
    """Refuse numbers that say something else than they look: 0x10 is 16, and 1e-400 is 0."""
    for part in ast.walk(node):
        if not isinstance(part, ast.Constant) or type(part.value) not in (int, float, complex):
            continue
        written = ast.get_source_segment(code, part) or ""
        is_decimal = re.fullmatch(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", written)
        if not is_decimal:
            expected = "a decimal number, such as 10 or 0.8"
        elif not part.value and re.search("[1-9]", re.split("[eE]", written)[0]):
            expected = "0 or a number above 1e-308"
        else:
            continue
        raise MeasureError(f"{clipped(text)!r}: {written} is not accepted, expected {expected}")


def unreadable(text: str) -> MeasureError:
    """Make the error for a text that is not written like a measure."""
    examples = "such as RPref, nDCG@10 or QMeasure(beta=2)@10"
    if re.fullmatch(r"[^()]+,[^()]*", re.sub(r"\([^()]*\)", "", text)):
        examples += "; separate several with spaces"
    elif text.count("(") > text.count(")"):
        examples += "; a bracket is not closed"
    elif text.startswith("("):
        examples += "; remove the space before the bracket"
    elif text.startswith("@"):
        examples += "; the name comes before '@', without a space"
    elif text.endswith("@"):
        examples += "; the cutoff follows '@' without a space"
    elif turned := re.fullmatch(r"(\w+)(@\d+)(\(.+\))", text):
        examples += f"; the cutoff comes last: {turned[1]}{turned[3]}{turned[2]}"
    elif re.fullmatch(r"[^(]+\([^=]+\).*", text):
        examples += "; parameters have names"
    return MeasureError(
        f"{clipped(text)!r} is not written like a measure, {examples}",
        measure=text,
        hint=f", {examples}",
    )
