"""Marks parts that pages should not break, squeeze or cut: sentences in boxes, short names, long cells,
wide pictures.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any

from docutils import nodes

SHORT = 24  # letters of a name that stays on one line
LONG = 30  # letters of a cell that needs some width
WIDE = 1.8  # width over height of a picture that a phone cannot show as a whole


def mark(app: Any, tree: nodes.document) -> None:
    """Give classes to nodes, for `site.css`."""
    for box in tree.findall(nodes.literal_block):
        lines = [line.strip() for line in box.astext().splitlines()]
        if box.get("language") == "bibtex" or (
            box.get("language") == "text"
            and not any(re.search(r"\S {2,}\S|[\u2500-\u259f]", line) for line in lines)
        ):
            box["classes"].append("wrapped")
    for name in tree.findall(nodes.literal):
        if len(name.astext()) <= SHORT:
            name["classes"].append("short")
    for cell in tree.findall(nodes.entry):
        row = cell.parent
        if len(row) > 4 and len(cell.astext()) > LONG:
            cell["classes"].append("long")
    for image in tree.findall(nodes.image):
        if shape(Path(app.srcdir) / image["uri"]) > WIDE:
            image["classes"].append("wide")
            image.parent["classes"].append("scrolled")


def shape(path: Path) -> float:
    """Compute width over height of a PNG or SVG; 0 of anything else."""
    if not path.is_file() or path.suffix not in (".png", ".svg"):
        return 0.0
    if path.suffix == ".png":
        width, height = struct.unpack(">II", path.read_bytes()[16:24])
    else:
        found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', path.read_text("utf-8"))
        width, height = map(float, found.groups()) if found else (0.0, 1.0)
    return float(width / height)


def setup(app: Any) -> dict[str, bool]:
    """Look at each page once its pictures are found."""
    app.connect("doctree-read", mark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
