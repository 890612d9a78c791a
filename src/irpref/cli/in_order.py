"""The command line in the right order, for judgments in the place of a run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from shlex import quote

import click

from irpref.cli.command import CALLED
from irpref.errors import QRELS_FIRST, Remedy
from irpref.messages import held


def in_order(words: Sequence[str], ctx: click.Context | None) -> Remedy:
    """Say how to type these words: with the judgments first, if they are among the files that were
    taken for runs; else by the usage of the command.
    """
    called = ctx and ctx.meta.get(CALLED)
    if not called:
        return QRELS_FIRST
    pieces = called.command.collect_usage_pieces(called)[1:]  # without [OPTIONS]
    right = " ".join([called.command_path, *pieces])
    first, files = called.params.get("qrels"), called.params.get("arguments", ())
    found = next((f for f in files if os.path.isfile(f) and _are_judgments(f)), None)
    if found is not None and not _are_judgments(first):
        moved = list(words)  # the runs stay in their order
        moved.remove(found)
        moved.insert(moved.index(first), found)
        right = " ".join(["irpref", *map(_quoted, moved)])
    return Remedy(effect=f"{QRELS_FIRST.effect}: {right}")


def _quoted(word: str) -> str:
    """Quote a word for a shell; double quotes around single ones."""
    return f'"{word}"' if "'" in word and not set('"$`\\!') & set(word) else quote(word)


def _are_judgments(path: str) -> bool:
    from irpref.judged.judgments import as_judgments

    with held(), suppress(ValueError, OSError):
        return len(as_judgments(path)) > 0
    return False
