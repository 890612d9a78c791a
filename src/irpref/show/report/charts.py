"""The script that draws the pictures of a page: Vega, Vega-Lite and Vega-Embed, as bundled by vl-convert-python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import distribution
from types import ModuleType

PACKAGE = "vl-convert-python"
_MADE_BY = (
    "Vega {vega}, Vega-Lite and Vega-Embed, (c) University of Washington Interactive Data Lab and contributors, BSD "
    "3-Clause; with D3 and TopoJSON, (c) Mike Bostock, ISC, and other parts under MIT; in one file by {package} "
    "{version}:"
)


@contextmanager
def needed(module: str, what: str) -> Iterator[None]:
    """Turn the ImportError of this module in the block into one that says what to install."""
    try:
        yield
    except ModuleNotFoundError as problem:
        if problem.name != module:
            raise
        raise ImportError(f"a report needs {what}: pip install irpref[report]") from None


def package() -> ModuleType:
    """The package that brings Vega. Raises as `needed`."""
    with needed("vl_convert", "Vega"):
        import vl_convert
    return vl_convert


@cache
def script() -> str:
    """JavaScript that defines `vegaEmbed`, with its licence; made in about 2 s the first time."""
    vl_convert = package()
    words = vl_convert.javascript_bundle()
    # Escape what would end the script element. It occurs only inside strings, in which both spellings mean the same.
    words = words.replace("</script", "<\\/script").replace("<!--", "\\x3c!--")
    made_by = _MADE_BY.format(vega=vl_convert.get_vega_version(), package=PACKAGE, version=vl_convert.__version__)
    # In a function, so that its names are not those of the page.
    return f'/*! {made_by}\n{_licence()} */\n(() => {{"use strict";\n{words}\n}})();'


def _licence() -> str:
    """The licence that the package brings."""
    files = distribution(PACKAGE).files or []
    texts = [file.read_text() for file in files if file.name.startswith("LICENSE")]
    return "\n".join(texts).replace("*/", "* /").replace("</", "< /")
