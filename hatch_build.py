"""The README as package indexes show it: its links, which lead to files of the repository, made absolute.

The addresses are those of `[project.urls]`. Pages of `docs/` are pages of the site.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


def with_addresses(text: str, urls: Mapping[str, str]) -> str:
    """The text of the README with absolute links."""

    def absolute(link: re.Match[str]) -> str:
        path, anchor = link["path"], link["anchor"] or ""
        if path.startswith("docs/") and path.endswith(".md"):
            page = path.removeprefix("docs/").removesuffix(".md")
            return f"]({urls['Documentation']}/{page}.html{anchor})"
        kind = "raw" if path.endswith(".png") else "blob"
        return f"]({urls['Repository']}/{kind}/main/{path}{anchor})"

    return re.sub(r"\]\((?!https?:)(?P<path>[^)#]+)(?P<anchor>#[^)]*)?\)", absolute, text)


class Readme(MetadataHookInterface):
    """Sets `readme`."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": with_addresses(text, metadata["urls"])}
