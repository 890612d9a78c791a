"""How a page was made: the inputs with their hashes, the day, and the versions."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from irpref.data import digest_of
from irpref.judged import Judgments, Run

_PACKAGES = (
    "irpref",
    "ir-measures",
    "numpy",
    "scipy",
    "pandas",
    "pyarrow",
    "pytrec-eval-terrier",
    "vl-convert-python",
)


def input_facts(name: str, data: object) -> dict[str, Any]:
    """Describe one of the inputs: a file with its hash, a data set, or something in memory."""
    if isinstance(data, (Judgments, Run)) and data.path is not None:
        data = data.path
    if not isinstance(data, (str, os.PathLike)):
        return {"name": name, "what": f"in memory ({type(data).__name__})", "hash": None}
    path = os.fspath(data)
    if os.path.isfile(path):
        return {"name": name, "what": os.path.basename(path), "hash": digest_of(path)}
    folder = os.path.basename(path) or path if os.path.exists(path) else f"ir_datasets {path}"
    return {"name": name, "what": "standard input" if path == "-" else folder, "hash": None}


def versions() -> list[tuple[str, str]]:
    """List Python and the packages that the page depends on, with their versions."""
    out = [("Python", platform.python_version())]
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):
            out.append((name, version(name)))
    return out


def made_line(read: Mapping[str, Any]) -> str:
    """Say when the page was made, from which judgments or values and with which versions.

    The day is the one of SOURCE_DATE_EPOCH if that is set, so that a page can be made again.
    """
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    day = datetime.fromtimestamp(int(seconds), UTC) if seconds else datetime.now(UTC)
    known = dict(versions())
    ours = ", ".join(f"{name} {known[name]}" for name in ("irpref", "ir-measures") if name in known)
    return f"{day:%Y-%m-%d} · {read['name']}: {read['what']} · {ours}"
