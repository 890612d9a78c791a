"""One line about each page, from pages.toml: in lists of pages, as meta description, and words for
the search.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.domains.python import PythonDomain
from sphinx.search import languages
from sphinx.search.en import SearchEnglish
from sphinx.util import logging

SAID = tomllib.loads((Path(__file__).resolve().parent.parent / "pages.toml").read_text("utf-8"))


def description(page: str) -> str | None:
    """Describe a page in a line."""
    from generated import slug

    from irpref.measures import registered
    from irpref.measures.everyday_terms import described
    from irpref.measures.toml_files import compared

    name = page.removeprefix("measures/")
    if known := SAID["descriptions"].get(page):
        return str(known)
    if measure := registered().get(name):
        return str(measure.SHORT_DESC)
    if page.startswith("measures/") and (said := described(name)):
        return str(said["question"])
    group = [
        measure.NAME for measure in registered().values() if slug(compared(measure).group) == name
    ]
    return f"The measures {', '.join(group)}." if group else None


class Words(SearchEnglish):
    """The words that the search knows, without the word that is on every page and contains
    others.
    """

    stopwords = frozenset({*SearchEnglish.stopwords, "irpref", "irpref_lab"})


class Names(PythonDomain):
    """Functions by the part of their names that tells them apart."""

    def get_objects(self) -> Iterator[tuple[str, str, str, str, str, int]]:
        """Yield the objects, shown and searched without the name of the package."""
        for name, shown, *rest in super().get_objects():
            yield name, re.sub(r"^irpref(_lab)?\.", "", shown), *rest


def keywords(page: str) -> list[str]:
    """List words that people use for a page: a measure's name in words, the functions' names."""
    import irpref
    import irpref_lab
    from irpref.measures import registered
    from irpref.measures.everyday_terms import described

    if measure := registered().get(page.removeprefix("measures/")):
        return list(dict.fromkeys([measure.NAME, measure.PRETTY_NAME]))
    if page.startswith("measures/") and (said := described(page.removeprefix("measures/"))):
        return [page.removeprefix("measures/"), str(said["title"])]
    package = {"reference/functions": irpref, "reference/lab": irpref_lab}.get(page)
    names = [f"{package.__name__}.{name}" for name in dir(package)] if package else []
    return [*names, *SAID["search"].get(page, ())]


def index(app: Any, tree: nodes.document) -> None:
    """Let the search find a page by words that people use for it."""
    page = app.env.docname
    entries = [("single", words, "", "main", None) for words in keywords(page)]
    if entries:
        next(tree.findall(nodes.section)).append(addnodes.index(entries=entries))
    if description(page) is None:
        logging.getLogger(__name__).warning("no description in pages.toml", location=page)


def add(app: Any, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Put the description into the head of the page, and other pages' descriptions behind their
    titles in lists of pages.
    """
    if said := description(page):
        context["metatags"] = (
            f'{context.get("metatags", "")}<meta name="description" content="{escape(said)}">\n'
        )
    named = {app.builder.get_relative_uri(page, other): other for other in app.env.found_docs}

    def about(link: re.Match[str]) -> str:
        said = description(named.get(link["page"], ""))
        return f'{link[0]}<span class="about">{escape(said)}</span>' if said else link[0]

    link = r'<li class="toctree-l1"><a class="reference internal" href="(?P<page>[^"#]+)">.*?</a>'
    context["body"] = re.sub(link, about, context.get("body", ""))


def setup(app: Any) -> dict[str, bool]:
    languages["en"] = Words
    app.add_domain(Names, override=True)
    app.connect("doctree-read", index)
    app.connect("html-page-context", add)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
