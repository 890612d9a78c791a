"""The site: python -m sphinx -W docs site"""

from __future__ import annotations

import sys
from pathlib import Path

import irpref

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
sys.path.append(str(HERE.parent / "tests"))  # pages of measures quote its `reference`

project = "irpref"
author = "The irpref developers"
release = version = irpref.__version__
copyright = author

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "mathml",
    "pages",
    "widths",
    "generated",
]
smartquotes = False  # options begin with two dashes, and names are quoted as they are typed
html_math_renderer = "mathml"
myst_enable_extensions = ["colon_fence", "dollarmath", "deflist"]
myst_heading_anchors = 3
myst_links_external_new_tab = False
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True  # attributes of classes are no targets of their own
exclude_patterns = ["_ext", "_build"]

# python -m sphinx -b linkcheck docs site/links: needs a network. The address of the project is not
# filled in yet.
linkcheck_ignore = [r"https://(github\.com/)?OWNER\b"]
linkcheck_anchors = False
linkcheck_retries = 3


def setup(app):
    """Ask the registry of DOIs in the place of publishers, which turn programs away."""
    app.connect(
        "linkcheck-process-uri", lambda _, uri: uri.replace("//doi.org/", "//doi.org/api/handles/")
    )


html_theme = "furo"
html_title = f"irpref {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
