"""The script that draws the pictures of a page: Vega, Vega-Lite and Vega-Embed, as vl-convert-python has them."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import distribution
from typing import Any

PACKAGE = "vl-convert-python"
_MADE_BY = (
    "Vega {vega}, Vega-Lite and Vega-Embed, (c) University of Washington Interactive Data Lab and contributors, BSD "
    "3-Clause; with D3 and TopoJSON, (c) Mike Bostock, ISC, and other parts under MIT; in one file by {package} "
    "{version}:"
)


def needed(module: str, what: str) -> Any:
    """A module that is not among the core dependencies.

    Raises
    ------
    ImportError
        It is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as problem:
        if problem.name != module:
            raise
        raise ImportError(f"a report needs {what}: pip install irpref[report]") from None


@cache
def script() -> str:
    """JavaScript that defines `vegaEmbed`, with its licence; made in about 2 s the first time."""
    vl_convert = needed("vl_convert", "Vega")
    words = vl_convert.javascript_bundle()
    # What would end the element that it is in; both mean the same inside of strings, the only place where they occur.
    words = words.replace("</script", "<\\/script").replace("<!--", "\\x3c!--")
    made_by = _MADE_BY.format(vega=vl_convert.get_vega_version(), package=PACKAGE, version=vl_convert.__version__)
    # In a function, so that its names are not those of the page.
    return f'/*! {made_by}\n{_licence()} */\n(() => {{"use strict";\n{words}\n}})();'


def _licence() -> str:
    """The licence that the package brings."""
    files = distribution(PACKAGE).files or []
    texts = [file.read_text() for file in files if file.name.startswith("LICENSE")]
    return "\n".join(texts).replace("*/", "* /").replace("</", "< /")
