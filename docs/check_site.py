"""Checks a built site: every link and anchor, that nothing is loaded from elsewhere, that search
works from the disk.

    python docs/check_site.py site

Search is tried in a headless Chromium, if there is one. Of links that leave the site the form is
checked; whether they lead somewhere only a network knows: `python -m sphinx -b linkcheck docs
site/links`."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

DOCS = Path(__file__).resolve().parent
# What people type, and the page that should be among the first three.
SEARCHED = {
    "rpref": "measures/RPref.html",
    "Q-measure": "measures/QMeasure.html",
    "grid search": "pyterrier.html",
    "GridSearch": "pyterrier.html",
    "irpref.evaluator": "reference/functions.html",
    "unjudged": "holes.html",
    "is B better than A": "better.html",
    "LLM judge": "judges.html",
    "RAG": "tutorials/rag.html",
    "irpref": "index.html",
    "which measure": "tutorials/which-measure.html",
}
FEW = 20  # more pages than these are no answer to the name of the package
WIDTHS = (390, 800, 1024, 1200)  # of windows in which no page scrolls sideways
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}


class Page(HTMLParser):
    """Links, anchors and the files that a page loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        for name in ("id", "name"):
            if given.get(name):
                self.anchors.add(str(given[name]))
        if tag == "a" and given.get("href"):
            self.links.append(str(given["href"]))
        address = given.get(LOADED.get(tag, ""))
        if address and (
            tag != "link" or given.get("rel") in ("stylesheet", "icon", "preload", "search")
        ):
            self.loaded.append(address)


def problems(site: Path) -> list[str]:
    """List the problems, a line each."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = outside({link for page in pages.values() for link in page.links})
    for path, page in pages.items():
        here = path.relative_to(site)
        for address in page.loaded:
            if urlsplit(address).netloc:
                found.append(f"{here}: loads {address}")
        for address in [*page.links, *page.loaded]:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                found.append(f"{here}: {address} is not there")
            elif (
                parts.fragment
                and target in pages
                and unquote(parts.fragment) not in pages[target].anchors
            ):
                found.append(f"{here}: {address} has no such anchor")
    return found


def outside(links: Iterable[str]) -> list[str]:
    """Find faults in the form of addresses elsewhere: no https, no DOI, one place spelled in two
    ways.
    """
    found, spellings = [], defaultdict(set)
    for link in sorted(links):
        parts = urlsplit(link)
        if not parts.scheme and not parts.netloc:
            continue
        if parts.scheme != "https" or "." not in parts.netloc:
            found.append(f"{link} is no https address")
        if "doi.org" in parts.netloc and not re.fullmatch(
            r"https://doi\.org/10\.\d{4,9}/[!-~]*[\w)]", link
        ):
            found.append(f"{link} is not written as a DOI is")
        spellings[
            (parts.netloc.removeprefix("www.") + parts.path).rstrip("/").lower(), parts.fragment
        ].add(link)
    return found + [
        f"one place, several spellings: {', '.join(sorted(s))}"
        for s in spellings.values()
        if len(s) > 1
    ]


def search(site: Path, picture: Path | None = None) -> list[str]:
    """Search the site, opened from the disk, for words of its pages, and list the failures."""
    sys.path.insert(0, str(DOCS.parent / "tests"))
    from browser import Browser, program

    if program() is None:
        sys.stdout.write("no Chromium: search is not tried\n")
        return []
    found = []
    with Browser() as browser:
        browser.open(site / "search.html")
        browser.run("document.querySelector('#search-results') !== null")
        address = (site / "search.html").resolve().as_uri()
        for words, wanted in SEARCHED.items():
            browser.send("Page.navigate", url=f"{address}?q={quote(words)}")
            count = (
                "new Promise(done => { let tries = 0; const look = () => { const links = "
                "[...document.querySelectorAll("
                "'#search-results li a')].map(a => a.href); if (links.length || tries++ > 100) "
                "done(links);"
                " else setTimeout(look, 100); }; look(); })"
            )
            browser.run("new Promise(done => setTimeout(done, 500))")
            links = browser.run(count) or []
            if not any(wanted in link for link in links[:3]):
                found.append(
                    f"search for {words!r} from the disk finds {len(links)} pages, {wanted} is "
                    f"not among the first three"
                )
            if words == "irpref" and len(links) > FEW:
                found.append(f"search for {words!r} finds {len(links)} pages, which is no help")
            elsewhere = [url for url in browser.requests if url.startswith("http")]
            if elsewhere:
                found.append(f"search loads {elsewhere[0]}")
        if picture is not None:
            browser.picture(picture)
        for width in WIDTHS:
            browser.open(site / "index.html", width=width)
            wide = browser.run("document.documentElement.scrollWidth")
            if wide > width:
                found.append(f"the first page is {wide} pixels wide in a window of {width}")
    return found


if __name__ == "__main__":
    where = Path(sys.argv[1]).resolve()
    wrong = [*problems(where), *search(where, Path(sys.argv[2]) if len(sys.argv) > 2 else None)]
    sys.stdout.write("".join(f"{line}\n" for line in wrong))
    raise SystemExit(1 if wrong else 0)
