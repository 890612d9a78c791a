"""`irpref_lab.report`: an evaluation as one page that opens without a network.

The page holds the results of other functions: `irpref_lab.leaderboard` (means, intervals, places,
letters, pairs), `check`, `explain`, `intervals`, the curves and `cite`. It loads nothing: its
scripts (Vega, which draws the pictures, and its own) and its style are in the file. A content
security policy allows these, by their hashes, and nothing else; no text is compiled to code. Names,
ids and texts reach the page as text (Jinja escapes them) or as JSON without `<`, which the script
inserts as text."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from irpref.data import replaced
from irpref.messages import once_per_call
from irpref_lab.arguments import LEVEL
from irpref_lab.calls import by_line
from irpref_lab.decide.all_pairs import PAIRS
from irpref_lab.page import vega
from irpref_lab.page.contents import Options, contents

if TYPE_CHECKING:
    from jinja2 import Template

    from irpref.judged import Groups, QrelsLike, Runs
    from irpref.measures.declare import Measures
    from irpref_lab.given_values.basis import GivenValues
    from irpref_lab.page.query_texts import Texts
    from irpref_lab.trust.samples import Rng

__all__ = ["Report", "report"]

LARGEST_FRAME = 8_000_000  # characters of a page that a notebook embeds; it links to a larger one


class Report:
    """A page, and where it was written.

    Attributes
    ----------
    html : str
    path : str or None
        Where it was written last; None if it was not.
    grave : list of str
        Grave findings of `irpref_lab.check`, which the page shows before all numbers.
    holds : str
        The contents in short: `2 runs, 30 topics, 3 measures`.
    """

    def __init__(self, page: str, grave: Sequence[str] = (), holds: str = "") -> None:
        self.html = page
        self.path: str | None = None
        self.grave, self.holds = list(grave), holds

    def save(self, path: str | os.PathLike[str]) -> Report:
        """Write the page to a file, whole or not at all; returns the report."""
        with (
            replaced(path) as beside,
            open(beside, "w", encoding="utf-8", errors="xmlcharrefreplace", newline="") as out,
        ):
            out.write(self.html)
        self.path = os.fspath(path)
        return self

    @property
    def text(self) -> str:
        """What was written, and where, in one line."""
        where = (
            "not written yet: save(path) does" if self.path is None else f"written to {self.path}"
        )
        return f"{self.holds}, {len(self.html) / 1e6:.1f} MB, {where}"

    def _repr_html_(self) -> str:
        """Show the page in a frame of its own; a link to the file if it is too large for a
        notebook.
        """
        if len(self.html) > LARGEST_FRAME and self.path is not None:
            address = html.escape(self.path, quote=True)
            return f'<a href="{address}" target="_blank">{address}</a>'
        inside = html.escape(self.html, quote=True)
        return (
            f'<iframe srcdoc="{inside}" sandbox="allow-scripts allow-downloads" '
            'title="irpref report" '
            'style="width: 100%; height: 800px; border: 1px solid #8888"></iframe>'
            + (
                ""
                if self.path
                else "<p><small><code>.save(path)</code> writes this page.</small></p>"
            )
        )

    def __repr__(self) -> str:
        return f"<irpref report: {self.text}>"


@by_line()
@once_per_call
def report(
    measures: Measures,
    qrels: QrelsLike | GivenValues,
    runs: Runs | None = None,
    path: str | os.PathLike[str] | None = None,
    *,
    baseline: str | None = None,
    title: str = "Evaluation",
    topics: Texts | None = None,
    titles: Texts | None = None,
    groups: Groups | None = None,
    rankings: str | Iterable[str] | None = None,
    depth: int = 20,
    pairs: str = PAIRS,
    level: float = LEVEL,
    rng: Rng | None = None,
    strict: bool = False,
) -> Report:
    """Write an evaluation as one HTML page: leaderboard, pairs, topics, rankings, unjudged
    documents, curves, and how it was done.

    Parameters
    ----------
    measures : measures of any toolkit, or their names
        The first one orders the runs.
    qrels : in any form that `irpref.evaluator` takes, or the result of `irpref_lab.values`
        The page marks grades that `irpref_lab.fill` filled in. Of values it has no rankings, curves
        or holes.
    runs : mapping of name to run, or list of paths
        Of values, names of systems: all of them if none are named.
        A list of runs under one name is one system that was run several times.
    path : path, optional
        Where the page is written; without one it is only returned.
    baseline : name of a run, optional
        The run that the others are compared with when the page opens.
    title : str
    topics : mapping of query_id to text, frame, path, or id of a data set of ir_datasets, optional
        Texts of the queries.
    titles : mapping of doc_id to text, frame, path, or id of a data set of ir_datasets, optional
        Titles (or beginnings) of the documents. Files hold `id<TAB>text` or JSON records a line.
    groups : as `irpref_lab.leaderboard` takes them, optional
        Groups of topics.
    rankings : names of runs, optional
        Runs whose rankings are on the page. None: the ten best and the baseline.
    depth : int
        Number of ranks shown of each.
    pairs, level, rng : as `irpref_lab.leaderboard` takes them
    strict : bool
        Whether a run that answers no judged topic, or retrieves no judged document, is an error;
        else it is marked, and takes no part in tests. So is a file that may have been cut off,
        about which there is a warning else.

    Returns
    -------
    Report
        It shows itself in a notebook; `html` is the page, `path` where it was written.

    Raises
    ------
    ValueError
        A name belongs to no run; also as `irpref_lab.leaderboard` and `irpref.evaluator`.
    ImportError
        Jinja or vl-convert-python is not installed: `pip install irpref[lab]`.

    Examples
    --------
    >>> from irpref.datasets import load
    >>> book = load("mir-textbook")
    >>> page = report(["AP", "Rprec"], book.qrels, book.runs)
    >>> "<!doctype html>" in page.html, page.path
    (True, None)
    """
    template = _template()  # before the work: Jinja may be missing
    options = Options(
        baseline=baseline,
        title=title,
        topics=topics,
        titles=titles,
        groups=groups,
        rankings=rankings,
        depth=depth,
        pairs=pairs,
        level=level,
        rng=rng,
        strict=strict,
    )
    with vega.made_beside() as made_script:
        parts = contents(measures, qrels, runs, options)
        drawing = made_script()
    script, style = _part("page.js"), _part("page.css")
    page = template.render(
        page=parts,
        data=as_json(parts),
        charts=drawing,
        script=script,
        style=style,
        policy=f"default-src 'none'; script-src {_hash(drawing)} {_hash(script)}; "
        f"style-src {_hash(style)}; img-src data:; base-uri 'none'; form-action 'none'",
    )
    sizes = ((parts[name], name[:-1]) for name in ("runs", "topics", "measures"))
    holds = ", ".join(f"{len(items)} {what}{'s' * (len(items) != 1)}" for items, what in sizes)
    written = Report(page, parts["grave"], holds)
    return written if path is None else written.save(path)


def as_json(data: object) -> str:
    """Write JSON that is data anywhere in a page: ASCII, and no `<`, `>` or `&` in it."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def _part(name: str) -> str:
    return resources.files("irpref_lab.page").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _template() -> Template:
    with vega.needed("jinja2", "Jinja"):
        from jinja2 import Environment, StrictUndefined
    # Everything is escaped; the template lets through the JSON, the script and the style alone.
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(_part("page.html"))
