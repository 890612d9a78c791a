"""What the build does to the README and to the C source.

Links of the README, which lead to files of the repository, are made absolute for package indexes, by the addresses of
`[project.urls]`; pages of `docs/` are pages of the site. The package is installed from the index there, not from a clone.

`irpref.data._native` is compiled if that is possible; else, or if `IRPREF_PURE=1` asks for it, the wheel is
pure Python. `python hatch_build.py` compiles it beside its source, as an editable installation does. With `--sanitize`,
reading outside of memory and undefined behaviour end the process (LD_PRELOAD must name libasan then).
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

SOURCE = Path(__file__).resolve().parent / "src" / "irpref" / "data"
MODULE = "_native.pyd" if os.name == "nt" else "_native.abi3.so"
LIMITED = "Py_LIMITED_API=0x030B0000"  # what the tag of the wheel promises


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


def for_index(text: str, urls: Mapping[str, str]) -> str:
    """The text of the README for people who have no clone."""
    text = text.replace("Run this in a clone of the repository. ", "")
    return with_addresses(text.replace("pip install '.[all]'", "pip install 'irpref[all]'"), urls)


class Readme(MetadataHookInterface):
    """Sets `readme`."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": for_index(text, metadata["urls"]),
        }


def compile_native(folder: Path, sanitize: bool = False) -> str:
    """Compile the module into a folder, replacing an older one. Returns why it failed, in one line, or nothing."""
    (folder / MODULE).unlink(missing_ok=True)
    if os.environ.get("IRPREF_PURE", "0") not in {"", "0"}:
        return "IRPREF_PURE is set"
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "compiled only for CPython with its global lock"
    with tempfile.TemporaryDirectory() as beside:
        command = _for_windows(folder, beside) if os.name == "nt" else _for_posix(folder, sanitize)
        try:  # Beside the source: no path of this machine gets into the file, and two builds are the same.
            done = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True)
        except OSError as error:
            return str(error)
    errors = [line for line in (done.stderr + done.stdout).splitlines() if "error" in line]
    return [*errors, f"{command[0]} failed"][0] if done.returncode else ""


def _for_posix(folder: Path, sanitize: bool) -> list[str]:
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    shared = (
        ["-bundle", "-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-shared"]
    )
    how = ["-O3", "-g0", "-DNDEBUG", "-Wl,-x" if sys.platform == "darwin" else "-Wl,-s"]
    if sanitize:
        how = [
            "-O1",
            "-g",
            "-fno-omit-frame-pointer",
            "-fsanitize=address,undefined",
            "-fno-sanitize-recover=all",
        ]
    # Products are rounded before they are added, as elsewhere: some compilers fuse the two where the processor can.
    flags = ["-fPIC", "-ffp-contract=off", f"-D{LIMITED}", f"-I{sysconfig.get_path('include')}"]
    return [*compiler, *how, *flags, *shared, "_native.c", "-o", str(folder / MODULE)]


def _for_windows(folder: Path, beside: str) -> list[str]:
    """A command for Microsoft's compiler, which must be on the path; what it makes besides is left `beside`."""
    flags = ["/nologo", "/O2", "/LD", "/std:c11", "/fp:precise", "/DNDEBUG", f"/D{LIMITED}"]
    linked = [
        f"/OUT:{folder / MODULE}",
        f"/IMPLIB:{beside}\\_native.lib",
        f"/LIBPATH:{sys.base_prefix}\\libs",
        "/Brepro",
    ]
    include = f"/I{sysconfig.get_path('include')}"
    return [
        os.environ.get("CC") or "cl",
        *flags,
        include,
        "_native.c",
        f"/Fo{beside}\\",
        "/link",
        *linked,
    ]


class Native(BuildHookInterface[Any]):
    """Adds the compiled module to a wheel, or puts it beside its source if the installation is editable."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self.temporary = tempfile.TemporaryDirectory()
        folder = SOURCE if version == "editable" else Path(self.temporary.name)
        reason = compile_native(folder)
        if reason:
            self.app.display_warning(
                f"irpref is built as pure Python, with the same values: {reason}"
            )
        elif version != "editable":
            platform = self.build_config.builder.get_best_matching_tag().split("-")[-1]
            build_data |= {"tag": f"cp311-abi3-{platform}", "pure_python": False}
            build_data["force_include"][str(folder / MODULE)] = f"irpref/data/{MODULE}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self.temporary.cleanup()


if __name__ == "__main__":
    sys.exit(compile_native(SOURCE, sanitize="--sanitize" in sys.argv[1:]) or None)
