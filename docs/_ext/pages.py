"""One line about each page, from pages.toml: in lists of pages, as meta description, and words for the search."""

from __future__ import annotations

import tomllib
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util import logging

SAID = tomllib.loads((Path(__file__).resolve().parent.parent / "pages.toml").read_text("utf-8"))


def description(page: str) -> str | None:
    """What a page is about, in a line."""
    from irpref.measures import registered

    measure = registered().get(page.removeprefix("measures/"))
    return SAID["descriptions"].get(page) or (measure and str(measure.SHORT_DESC))


def index(app: Any, tree: nodes.document) -> None:
    """Let the search find a page by words that people use for it."""
    page = app.env.docname
    entries = app.env.get_domain("index").entries.setdefault(page, [])
    entries += [("single", words, "", "", None) for words in SAID["search"].get(page, ())]
    if description(page) is None:
        logging.getLogger(__name__).warning("no description in pages.toml", location=page)


def lists(app: Any, tree: nodes.document, page: str) -> None:
    """Put the description behind each title in a list of pages."""
    named = {app.builder.get_relative_uri(page, other): other for other in app.env.found_docs}
    for item in tree.findall(nodes.list_item):
        if "toctree-l1" in item["classes"]:
            for link in item.findall(nodes.reference):
                if said := description(named.get(link["refuri"], "")):
                    link.parent += nodes.inline("", said, classes=["about"])


def meta(app: Any, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Add the description to the head of the page."""
    if said := description(page):
        context["metatags"] = f'{context.get("metatags", "")}<meta name="description" content="{escape(said)}">\n'


def setup(app: Any) -> dict[str, bool]:
    app.connect("doctree-read", index)
    app.connect("doctree-resolved", lists)
    app.connect("html-page-context", meta)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
