"""Warnings that users can filter by class."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import TypeAlias


class IrprefWarning(UserWarning):
    """Base of all warnings of this package."""

    kind: str | None = None  # what it has in common with such warnings about other runs


class ScaleWarning(IrprefWarning):
    """The top of the grade scale was taken from the qrels at hand."""


class DuplicateWarning(IrprefWarning):
    """A run holds the same document twice in one topic."""


class TieWarning(IrprefWarning):
    """Scores that differ as 64-bit floats are ties as 32-bit floats, so that pytrec_eval has
    another order.
    """


class RangeWarning(IrprefWarning):
    """On these judgments a measure leaves the range that makes its values comparable."""


class DegenerateWarning(IrprefWarning):
    """The judgments leave a measure nothing to tell apart."""


_PACKAGES = ("irpref", "ir_measures", "pyterrier")
_SAID = "_irpref_said"


# A warning that waits for somebody to say what it is about: the arguments of `warn_user`.
Held: TypeAlias = tuple[str, type[IrprefWarning], object]
_held: ContextVar[list[Held] | None] = ContextVar("held", default=None)
_about: ContextVar[str | None] = ContextVar("about", default=None)


@contextmanager
def held() -> Iterator[list[Held]]:
    """Keep the warnings of this package that this thread gives, in place of showing them.

    `warnings.catch_warnings` is for all threads at once, so that one would take those of another.
    """
    found: list[Held] = []
    before = _held.set(found)
    try:
        yield found
    finally:
        _held.reset(before)


def warn_user(
    message: str, category: type[IrprefWarning], once: object = None, run: str | None = None
) -> None:
    """Warn at the line of the user's code that led here, past the frames of this package and of its
    hosts.

    With `once`, only the first warning with this key is given in a call of the user's, however many
    systems and batches that call looks at. Inside of `about`, or with `run`, the warning says which
    run it is about, and a key is one for each. Its attribute `kind` is then what warnings about
    other runs have in common with it."""
    waiting, name = _held.get(), _about.get()
    kind = None
    if name is not None or run is not None:
        kind = re.sub(r"'[^']*'|\d+", "", message)[
            -40:
        ]  # "in 3 topics, ..." and "in topic '7', ..." end alike
        message = f"{run}: {message}" if name is None else f"{name!r}: {message}"
        once = once if once is None else (name or run, once)
    if waiting is not None:
        waiting.append((message, category, once))
        return
    frame, level = sys._getframe(1), 2
    entry = frame
    while frame.f_back is not None:
        if not _is_ours_or_host(frame):
            break
        entry = frame
        frame, level = frame.f_back, level + 1
    if once is not None and entry.f_code.co_name != "<module>":
        # Kept in the frame of the function that the user called, so that it is forgotten when that
        # returns. Python's own memory is no help: the hosts reset it.
        said = entry.f_locals.setdefault(_SAID, set())
        if (category, once) in said:
            return
        said.add((category, once))
    warning = category(message)
    warning.kind = kind
    warnings.warn(warning, stacklevel=level)


def _is_ours_or_host(frame: FrameType) -> bool:
    return frame.f_globals.get("__name__", "").partition(".")[0] in _PACKAGES


def our_name() -> str:
    """What users call this package where they called it from: `pt.irpref` inside of PyTerrier, else
    `irpref`.
    """
    inside = (
        "pyterrier.",
        "irpref.transformers.",
        "irpref.hosts.pyterrier.",
        "irpref.lab.pyterrier.",
    )
    return "pt.irpref" if any(name.startswith(inside) for name in _callers()) else "irpref"


def on_command_line() -> bool:
    """Whether a command of ours is being run, so that calls of functions are no advice."""
    return any(name.startswith("irpref.cli") for name in _callers())


def _callers() -> Iterator[str]:
    """Modules that led here, up to the user's."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours_or_host(frame):
        yield f"{frame.f_globals['__name__']}."
        frame = frame.f_back


@contextmanager
def about(name: str | None, several: bool = True) -> Iterator[None]:
    """Say in a `ValueError`, and in warnings, which of `several` runs it is about."""
    if not several or name is None:
        yield
        return
    before = _about.set(name)
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{name!r}: {error}") from None
    finally:
        _about.reset(before)


def is_named() -> bool:
    """Whether warnings say which run they are about."""
    return _about.get() is not None


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name that looks most like a name that nobody knows; None if none does."""
    from difflib import get_close_matches

    names: dict[str, str] = {}
    for other in known:
        names.setdefault(other.lower(), other)
    return next(
        (names[near] for near in get_close_matches(name.lower(), list(names), n=1, cutoff=cutoff)),
        None,
    )


def did_you_mean(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """`nearest` as the end of a message; nothing if there is none."""
    near = nearest(name, known, cutoff)
    return f"; did you mean {near!r}?" if near else ""


def check_choice(name: str, value: object, choices: Iterable[str]) -> None:
    """`ValueError` for the value of an argument that is none of its choices."""
    known = list(choices)
    if value not in known:
        names = ", ".join(map(repr, known))
        raise ValueError(
            f"{name}={value!r} is not known, expected one of "
            f"{names}{did_you_mean(str(value), known)}"
        )


def clipped(value: object, longest: int = 80) -> object:
    """The value for a message, at most so many characters of it."""
    text = value if isinstance(value, str) else repr(value)
    return value if len(text) <= longest else text[: longest - 3] + "..."


def p_value(p: float) -> str:
    """A p-value as all outputs for readers show it; a dash if no test was possible."""
    return "-" if p != p else f"{p:.4f}" if p >= 0.0001 else "<0.0001"


def p_equals(p: float) -> str:
    """The same in a sentence: `p = 0.0014`."""
    shown = p_value(p)
    return f"p < {shown[1:]}" if shown.startswith("<") else f"p = {shown}"


def visible(text: str) -> str:
    """The text with what moves cursors or ends rows written out, and bytes of file names that are
    no UTF-8.
    """
    return text if text.isprintable() else "".join(map(_written, text))


def _written(char: str) -> str:
    from unicodedata import category

    if char.isprintable() or category(char) == "Zs":
        return char
    if "\udc80" <= char <= "\udcff":  # os.fsdecode
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape").decode()
