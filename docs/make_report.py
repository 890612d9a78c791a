"""Makes docs/report/*.png: pictures of a page of `irpref report`, taken in Chromium.

    python docs/make_report.py [DATA]

DATA is a folder of real collections (default: `$IRPREF_DATA`), of which TREC-COVID's third round is
taken."""

from __future__ import annotations

import base64
import io
import os
import sys
import tempfile
import warnings
from pathlib import Path

import irpref
import irpref_lab

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "tests"))
from browser import Browser  # noqa: E402  (the tests drive it)

RUNS = (
    *(
        "BioInfo-run1",
        "BioInfo-run3",
        "BioInfo-run2",
        "CSIROmedNIR",
        "CORD-19-LTR",
        "CincyMedIR-1",
        "CSIROmedFusion",
    ),
    *("CSIROmedNIRR", "CincyMedIR-12", "BITEM_BL", "CincyMedIR-9", "BITEM_AX0"),
)
MEASURES = ("nDCG@10", "AP", "RPref(max_rel=2)", "nCRP")
WIDTH, SCALE = 1120, 1.8  # pixels of the page, and of the picture for each of these
BASELINE = "document.querySelectorAll('#board tbody tr')[2].querySelector('bdi').click()"
# The picture, the first and the last element on it, and what is done before it is taken.
PICTURES = (
    ("leaderboard", "h1", "#board", BASELINE),
    ("pairs", "#pairs-head", "#pairs .beside", BASELINE),
    ("two-systems", "#two-head", "#two-plots", ""),
    (
        "topic",
        "#topic-head",
        "#topic-lists",
        "document.querySelectorAll('.ranking tbody tr')[2].click()",
    ),
    ("curves", "#curves-head", "#curves-plots", ""),
)


def picture(browser: Browser, path: Path, first: str, last: str) -> None:
    """Take a picture from one element to another."""
    from PIL import Image

    top = (
        browser.run(f"document.querySelector('{first}').getBoundingClientRect().top + scrollY") - 8
    )
    end = (
        browser.run(f"document.querySelector('{last}').getBoundingClientRect().bottom + scrollY")
        + 8
    )
    clip = {"x": 0, "y": max(0, top), "width": WIDTH, "height": end - max(0, top), "scale": SCALE}
    data = browser.send("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
    Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB").quantize(96).save(
        path, optimize=True
    )


def main(data: str) -> None:
    """Write the pictures."""
    home = Path(data) / "trec-covid-r3"
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", irpref.IrprefWarning)
        page = Path(folder) / "page.html"
        irpref_lab.report(
            MEASURES,
            home / "qrels" / "qrels.txt.gz",
            {name: home / "runs" / f"{name}.run.gz" for name in RUNS},
            page,
            title="TREC-COVID, round 3: twelve runs",
            topics=home / "queries" / "queries.tsv.gz",
        )
        with Browser() as browser:
            browser.open(page, width=WIDTH)
            for name, first, last, action in PICTURES:
                if action:
                    browser.run(action)
                    browser.drawn()
                picture(browser, DOCS / "report" / f"{name}.png", first, last)


if __name__ == "__main__":
    import own_source  # noqa: F401  # first

    main(*(sys.argv[1:] or [os.environ["IRPREF_DATA"]]))
