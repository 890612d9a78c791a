"""Vega, the script that draws the pictures of a page: Vega, Vega-Lite and Vega-Embed, as bundled
by vl-convert-python.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import distribution
from types import ModuleType

PACKAGE = "vl-convert-python"
_MADE_BY = (
    "Vega {vega}, Vega-Lite and Vega-Embed, (c) University of Washington Interactive Data Lab and "
    "contributors, BSD 3-Clause; with D3 and TopoJSON, (c) Mike Bostock, ISC, and other parts "
    "under MIT; in one file by {package} {version}:"
)


@contextmanager
def needed(module: str, what: str) -> Iterator[None]:
    """Turn the ImportError of this module in the block into one that names the package to
    install.
    """
    try:
        yield
    except ModuleNotFoundError as problem:
        if problem.name != module:
            raise
        raise ImportError(f"a report needs {what}: pip install irpref[lab]") from None


def package() -> ModuleType:
    """Import the package that brings Vega. Raises as `needed`."""
    with needed("vl_convert", "Vega"):
        import vl_convert
    return vl_convert


@contextmanager
def made_beside() -> Iterator[Callable[[], str]]:
    """Start to make JavaScript that defines `vegaEmbed`, which takes 2 s; yields a function that
    waits for it.

    In a process of its own, since vl-convert lets no other thread run meanwhile.
    """
    package()
    code = (
        "import sys, vl_convert; sys.stdout.buffer.write(vl_convert.javascript_bundle().encode())"
    )
    command = [sys.executable or "", "-P", "-c", code]
    try:
        beside = (
            None
            if _made
            else subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        )
    except OSError:  # Python is part of another program
        beside = None
    if beside is None:
        yield _script
        return

    def script() -> str:
        words = beside.communicate()[0].decode()
        return _script("" if beside.returncode else words)

    with beside:
        try:
            yield script
        finally:
            beside.kill()  # an error in the inputs does not wait for it


_made: list[str] = []


def _script(words: str = "") -> str:
    """Return the script with its licence, in a form that may be an element of a page; made here if
    there is none yet.
    """
    if not _made:
        vl_convert = package()
        words = words or vl_convert.javascript_bundle()
        # Escape what would end the script element. It occurs only inside strings: both spellings
        # mean the same.
        words = words.replace("</script", "<\\/script").replace("<!--", "\\x3c!--")
        made_by = _MADE_BY.format(
            vega=vl_convert.get_vega_version(), package=PACKAGE, version=vl_convert.__version__
        )
        # In a function, so that its names are not those of the page.
        _made.append(f'/*! {made_by}\n{_licence()} */\n(() => {{"use strict";\n{words}\n}})();')
    return _made[0]


def _licence() -> str:
    """Read the licence that the package brings."""
    files = distribution(PACKAGE).files or []
    texts = [file.read_text() for file in files if file.name.startswith("LICENSE")]
    return "\n".join(texts).replace("*/", "* /").replace("</", "< /")
