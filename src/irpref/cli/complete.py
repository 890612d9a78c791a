"""Completion of arguments: files, and names of measures among them.

click asks either the shell for files or a function for names. A text that may be a run or a measure
is looked up here unless only files fit."""

from __future__ import annotations

import os
from typing import Any

import click
from click.shell_completion import CompletionItem
from ir_measures.measures import registry


def files_and_measures(
    ctx: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """List files and measures that begin like this."""
    # All measures are too many to show unasked.
    names = measures_only(ctx, parameter, incomplete) if incomplete else []
    if not names:
        return [CompletionItem(incomplete, type="file")]
    return [*map(CompletionItem, _files(incomplete)), *names]


def measures_only(
    ctx: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """List measures that begin like this."""
    return [CompletionItem(name) for name in sorted(registry) if name.startswith(incomplete)]


def _files(incomplete: str) -> list[str]:
    folder, start = os.path.split(incomplete)
    try:
        names: Any = sorted(os.listdir(folder or "."))
    except OSError:
        return []
    paths = (os.path.join(folder, name) for name in names if name.startswith(start))
    return [path + os.sep * os.path.isdir(path) for path in paths]
