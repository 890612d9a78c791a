"""Give warnings at the user's line, name the run that they are about, and put values into words."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from itertools import islice
from typing import Any, Literal, TypeVar

from irpref.errors import ArgumentError, CutWarning, InputError, IrprefError, Remedy
from irpref.errors import DegenerateWarning as DegenerateWarning
from irpref.errors import DuplicateWarning as DuplicateWarning
from irpref.errors import IrprefWarning as IrprefWarning
from irpref.errors import RangeWarning as RangeWarning
from irpref.errors import ScaleWarning as ScaleWarning

# Names that other packages may use.
__all__ = [
    "IrprefWarning",
    "about",
    "argument",
    "check_choice",
    "check_measures",
    "clipped",
    "did_you_mean",
    "give",
    "have",
    "held",
    "message_of",
    "nearest",
    "no_such_file",
    "once_per_call",
    "visible",
    "warn_user",
    "whole_files",
    "wrong_number",
]

_PACKAGES = ("irpref", "irpref_lab", "irpref_pyterrier", "ir_measures", "pyterrier")

# Warnings that were shown `once`: class, text, and the file and line of the user's code.
_shown: set[tuple[type[IrprefWarning], str, str, int]] = set()
_held: ContextVar[list[IrprefWarning] | None] = ContextVar("held", default=None)
_about: ContextVar[str | None] = ContextVar("about", default=None)
_whole: ContextVar[bool] = ContextVar("whole", default=False)
_arguments: ContextVar[Callable[[str], str]] = ContextVar("arguments", default=str)
_errors: ContextVar[Callable[[Exception], str]] = ContextVar("errors", default=str)
_in_call: ContextVar[set[tuple[type[IrprefWarning], str]] | None] = ContextVar("call", default=None)

_Function = TypeVar("_Function", bound=Callable[..., Any])


@contextmanager
def held() -> Iterator[list[IrprefWarning]]:
    """Keep the warnings of this package that this thread gives, in place of showing them.

    `warnings.catch_warnings` is for all threads at once, so that one would take the warnings of
    another.
    """
    kept: list[IrprefWarning] = []
    before = _held.set(kept)
    try:
        yield kept
    finally:
        _held.reset(before)


def once_per_call(function: _Function) -> _Function:
    """Make a function give each warning once, whichever of its steps finds the cause again."""

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if _in_call.get() is not None:  # a step of another call
            return function(*args, **kwargs)
        before = _in_call.set(set())
        try:
            return function(*args, **kwargs)
        finally:
            _in_call.reset(before)

    return called  # type: ignore[return-value]  # of the same signature


@contextmanager
def whole_files(strict: bool = True) -> Iterator[None]:
    """Refuse a file that may have been cut off, which else is a warning; only if `strict`."""
    before = _whole.set(strict or _whole.get())
    try:
        yield
    finally:
        _whole.reset(before)


def wants_whole_files() -> bool:
    """Tell whether a file that may have been cut off is refused here."""
    return _whole.get()


@contextmanager
def arguments_as(
    word: Callable[[str], str], of_error: Callable[[Exception], str] = str
) -> Iterator[None]:
    """Name arguments in the words of a surface, such as the options of a shell, in sentences about
    findings; `of_error` words errors that are a part of such sentences.
    """
    before = _arguments.set(word), _errors.set(of_error)
    try:
        yield
    finally:
        _arguments.reset(before[0])
        _errors.reset(before[1])


def argument(name: str) -> str:
    """Return the name of an argument in the words of the surface that asked."""
    return _arguments.get()(name)


def message_of(error: Exception) -> str:
    """Return the message of an error in the words of the surface that asked, for a sentence of
    which it is a part; in Python, its own text.
    """
    return _errors.get()(error)


def warn_user(
    message: str, category: type[IrprefWarning], *, remedy: Remedy | None = None, **about: Any
) -> None:
    """Warn at the line of the user's code that led here; `about`: attributes of the warning.

    Inside of `irpref.messages.about`, the warning says which run it is about.
    """
    give(category(message, remedy=remedy, **about))


def give(warning: IrprefWarning, once: bool | Literal["session"] = False) -> None:
    """Show a warning, or keep it inside of `held`.

    Its place is the line of the user's code that led here, past this package and its hosts. By
    default, Python shows one text once for each such line, as long as nobody resets its memory;
    ir_measures and PyTerrier do. In a notebook, one text is shown once, whatever the cell.

    Parameters
    ----------
    warning : IrprefWarning
    once : bool or 'session'
        Whether to remember in their place which text was shown where; for 'session', anywhere.

    Raises
    ------
    InputError
        A file may have been cut off, inside of `whole_files`.
    """
    if warning.run is None:
        warning.run = _about.get()
    if isinstance(warning, CutWarning) and _whole.get():
        raise InputError(warning.message, path=warning.path, run=warning.run)
    waiting = _held.get()
    if waiting is not None:
        waiting.append(warning)
        return
    shown = _in_call.get()
    if shown is not None:
        if (type(warning), str(warning)) in shown:
            return
        shown.add((type(warning), str(warning)))
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in _PACKAGES:
            break
        frame, level = frame.f_back, level + 1
    in_notebook = is_interactive()
    if once or in_notebook:
        anywhere = in_notebook or once == "session"
        place = ("", 0) if anywhere else (frame.f_code.co_filename, frame.f_lineno)
        key = type(warning), str(warning), *place
        if key in _shown:
            return
        _shown.add(key)
    warnings.warn(warning, stacklevel=level)


def forget() -> None:
    """Forget which warnings were shown `once`, so that they are shown again."""
    _shown.clear()


def is_interactive() -> bool:
    """Test whether IPython runs the code, as in a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return shell is not None and shell() is not None


@contextmanager
def about(name: str | None, several: bool = True) -> Iterator[None]:
    """Say in errors and warnings which of `several` runs they are about."""
    if not several or name is None:
        yield
        return
    before = _about.set(name)
    try:
        yield
    except IrprefError as error:
        if error.run is None:
            error.run = name
        raise
    except ValueError as error:
        raise IrprefError(str(error), run=name) from None
    finally:
        _about.reset(before)


def is_named() -> bool:
    """Tell whether warnings name the run that they are about."""
    return _about.get() is not None


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Find the known name that looks most like a name that nobody knows; None if none does."""
    from difflib import get_close_matches

    names: dict[str, str] = {}
    for other in known:
        names.setdefault(other.lower(), other)
    return next(
        (names[near] for near in get_close_matches(name.lower(), list(names), n=1, cutoff=cutoff)),
        None,
    )


def did_you_mean(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Put `nearest` as the end of a message; nothing if there is none."""
    near = nearest(name, known, cutoff)
    return f"; did you mean {near!r}?" if near else ""


def check_choice(name: str, value: object, choices: Iterable[str]) -> None:
    """Raise `ArgumentError` for the value of an argument that is none of its choices."""
    known = list(choices)
    if value not in known:
        names = ", ".join(map(repr, known))
        raise ArgumentError(
            f"{name}={value!r} is not known, expected one of "
            f"{names}{did_you_mean(str(value), known)}",
            parameter=name,
            value=value,
        )


def check_measures(measures: Sized, what: str) -> None:
    """Raise `ArgumentError` if there are no measures for something, such as "a gate"."""
    if not len(measures):
        raise ArgumentError(
            f"{what} needs at least one measure, such as AP or nDCG@10", parameter="measures"
        )


def unknown_topic(
    topic: str, known: Iterable[str], parameter: str, where: str = "the qrels"
) -> ArgumentError:
    """Make the error about an argument that names a topic without judgments, or values."""
    first = ", ".join(map(repr, islice(known, 3)))
    return ArgumentError(
        f"{where} have no topic {topic!r} (the first are {first})",
        parameter=parameter,
        value=topic,
    )


def no_such_file(name: str, reason: str = "no such file") -> FileNotFoundError:
    """Make the error for a file that is not there."""
    return FileNotFoundError(f"{name}: {reason}")


def clipped(value: object) -> object:
    """Clip a value for a message to at most 80 characters."""
    text = value if isinstance(value, str) else repr(value)
    return value if len(text) <= 80 else text[:77] + "..."


def wrong_number(expected: str, got: int, about: str = "", leaderboard: str = "") -> str:
    """Say how many runs are expected, which are there (`about`), and the function for more."""
    more = f"; {leaderboard} compares more" if leaderboard else ""
    return f"expected {expected}, got {got}{about}{more}"


def have(number: int) -> str:
    """Choose the verb for so many topics: `1 of 3 topics has`, `2 of 3 topics have`."""
    return "has" if number == 1 else "have"


def visible(text: str) -> str:
    """Write out characters of a text that move cursors or end rows, and bytes of file names that
    are no UTF-8.
    """
    return text if text.isprintable() else "".join(map(_written, text))


def _written(char: str) -> str:
    from unicodedata import category

    if char.isprintable() or category(char) == "Zs":
        return char
    if "\udc80" <= char <= "\udcff":  # os.fsdecode
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape").decode()
