"""Completion of the command line, by argcomplete: options, their values, files, and measures."""

from __future__ import annotations

from typing import Any


def complete() -> None:
    """Answer a shell that asks through argcomplete, and end the process."""
    import argcomplete

    from irpref.cli import whole_parser

    argcomplete.autocomplete(whole_parser(), default_completer=_files_and_measures)  # type: ignore[arg-type]  # any function will do


def _files_and_measures(prefix: str, action: Any, **_: Any) -> list[str]:
    from argcomplete.completers import FilesCompleter

    found = [] if action.metavar == "MEASURE" else list(FilesCompleter()(prefix))
    if "MEASURE" in str(action.metavar) or action.dest == "measure":
        from irpref.cli.listing import listed

        # If a run is possible, too, all measures are too many to show unasked.
        names = (
            [str(measure.NAME) for measure in listed()]
            if prefix or action.metavar == "MEASURE"
            else []
        )
        found += [name for name in names if name.startswith(prefix)]
    return found
