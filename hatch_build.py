"""What the build does to the README and to the C source.

Links of the README, which lead to files of the repository, are made absolute for package indexes, by the addresses of
`[project.urls]`; pages of `docs/` are pages of the site.

`irpref.formats._native` is compiled where that can be done; else, or where `IRPREF_PURE=1` asks for it, the wheel is
pure Python. `python hatch_build.py` compiles it beside its source, as an editable installation does.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

SOURCE = Path(__file__).resolve().parent / "src" / "irpref" / "formats"
MODULE = "_native.abi3.so"


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


def compile_native(folder: Path) -> str:
    """Compile the module into a folder, in place of an older one. Returns, in one line, why not; "" where it did."""
    (folder / MODULE).unlink(missing_ok=True)
    if os.environ.get("IRPREF_PURE", "0") not in {"", "0"}:
        return "IRPREF_PURE is set"
    if os.name != "posix" or sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "compiled only on Linux and macOS, for CPython with its global lock"
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    shared = ["-shared", "-Wl,-s"]
    if sys.platform == "darwin":
        shared = ["-bundle", "-undefined", "dynamic_lookup", "-Wl,-x"]
    # Products are rounded before they are added, as elsewhere: some compilers fuse the two where the processor can. The
    # limited API of 3.11 is what the tag of the wheel promises.
    flags = ["-O3", "-g0", "-fPIC", "-ffp-contract=off", "-DNDEBUG", "-DPy_LIMITED_API=0x030B0000"]
    headers = f"-I{sysconfig.get_path('include')}"
    command = [*compiler, *flags, headers, *shared, "_native.c", "-o", str(folder / MODULE)]
    try:  # Beside the source: no path of this machine gets into the file, and two builds are the same.
        done = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True)
    except OSError as error:
        return str(error)
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    return [*errors, f"{compiler[0]} failed"][0] if done.returncode else ""


class Native(BuildHookInterface[Any]):
    """Adds the compiled module to a wheel, or puts it beside its source where the installation is editable."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self.temporary = tempfile.TemporaryDirectory()
        folder = SOURCE if version == "editable" else Path(self.temporary.name)
        reason = compile_native(folder)
        if reason:
            self.app.display_warning(f"irpref is built as pure Python, with the same values: {reason}")
        elif version != "editable":
            platform = self.build_config.builder.get_best_matching_tag().split("-")[-1]
            build_data |= {"tag": f"cp311-abi3-{platform}", "pure_python": False}
            build_data["force_include"][str(folder / MODULE)] = f"irpref/formats/{MODULE}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self.temporary.cleanup()


if __name__ == "__main__":
    sys.exit(compile_native(SOURCE) or None)
