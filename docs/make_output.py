"""Write the output of a page's code below it, so that a page can be read as it is.

    python docs/make_output.py docs/tutorials/*.md     # in place
    python docs/make_output.py --check docs/better.md  # status 1 if a page would change

Blocks of `python` run one after the other in one namespace, blocks of `sh` in a shell, all in one
empty folder. A block of `text` that follows is their output, or the value of the last expression, as
at a prompt; blocks without one run, too. Blocks with `>>>` are left to doctest. A comment above a
block, `<!-- not run -->` or `<!-- file NAME -->`, leaves it out or makes a file of it. Code in a
comment that begins with `<!-- run` runs unseen. A picture that the code saves is copied beside the page."""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(
    r"(?:<!-- (?P<skip>not run|file (?P<file>\S+)) -->\n\n?)?"
    r"^(?:```(?P<kind>python|sh)\n(?P<code>.*?)^```\n|<!-- run\n(?P<hidden>.*?)^-->\n)"
    r"(?P<gap>\n```text\n)?(?P<output>(?<=```text\n).*?^```\n)?",
    re.MULTILINE | re.DOTALL,
)
WIDTH = 96


def with_output(text: str, space: dict[str, Any] | None = None) -> str:
    """Run the text of a page in the present folder, and return it with the output of its code.

    Parameters
    ----------
    text : str
    space : dict, optional
        Names that the code takes as given.
    """
    space = {"__name__": "__main__"} if space is None else space

    def run(block: re.Match[str]) -> str:
        if block["file"]:
            Path(block["file"]).write_text(block["code"], "utf-8")
        if block["skip"] or ">>>" in (block["code"] or ""):
            return block[0]
        printed = (
            in_shell(block["code"])
            if block["kind"] == "sh"
            else in_python(block["hidden"] or block["code"], space)
        )
        if not block["output"]:
            return block[0]
        before = block[0][: block.start("output") - block.start()]
        return f"{before}{printed.rstrip()}\n```\n"

    with wide(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return BLOCK.sub(run, text)


@contextlib.contextmanager
def wide() -> Iterator[None]:
    """Make tables of pandas, and of commands in a shell, as wide as a page."""
    import pandas as pd

    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(WIDTH)
    try:
        look = ("display.width", WIDTH, "display.max_columns", 20, "display.max_colwidth", 64)
        with pd.option_context(*look):
            yield
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before


def in_python(code: str, space: dict[str, Any]) -> str:
    """Return the output of a block, then its last expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    out = io.StringIO()
    sys.path.insert(0, os.getcwd())  # modules that the page writes
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(tree, "page", "exec"), space)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), "page", "eval"), space)
                if value is not None:
                    print(repr(value))
    finally:
        sys.path.remove(os.getcwd())
    return out.getvalue()


def in_shell(lines: str) -> str:
    """Return the output of a shell for lines, in one piece. Raise `RuntimeError` if one fails."""
    source = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PYTHONPATH": source, "PATH": path, "PYTHONUTF8": "1"}
    environment.setdefault("MPLBACKEND", "agg")
    done = subprocess.run(
        ["bash", "-ec", f'irpref() {{ "{sys.executable}" -m irpref "$@"; }}\n{lines}'],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        env=environment,
        timeout=300,
    )
    if done.returncode:
        raise RuntimeError(f"{lines}{done.stdout}")
    return done.stdout


def main() -> int:
    """Run the pages of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    home, status = Path.cwd(), 0
    for page in (path.resolve() for path in asked.pages):
        text = page.read_text("utf-8")
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                written = with_output(text)
            finally:
                os.chdir(home)
            for picture in Path(folder).glob("*.png"):
                if not asked.check and f"({picture.name})" in text:
                    shutil.copy(picture, page.parent)
        if written != text:
            status = 1
            sys.stdout.write(
                f"{page.relative_to(ROOT)} {'differs' if asked.check else 'written'}\n"
            )
            if not asked.check:
                page.write_text(written, "utf-8")
    return status if asked.check else 0


if __name__ == "__main__":
    import own_source  # noqa: F401  # first

    raise SystemExit(main())
