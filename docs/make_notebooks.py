"""Run the notebooks of `examples/` and store their output.

    python docs/make_notebooks.py

Run it after a change of code that they call; the tests run them, too, and store nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))


def executed(path: Path, folder: Path) -> Any:
    """Run all cells of a notebook in a folder of its own, and return the notebook.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        A cell failed.
    """
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it ran
    notebook.metadata.language_info = {"name": "python"}
    return notebook


def main() -> None:
    """Run all and write them."""
    import tempfile

    import nbformat

    for path in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(executed(path, Path(folder)), path)


if __name__ == "__main__":
    import own_source  # noqa: F401  # first

    main()
