"""`--import MODULE`: measures of a file of your own, or of another package, on the command line."""

from __future__ import annotations

import importlib
import os
import sys


def imported(name: str) -> str:
    """Import a module and make its measures known by their names, those of
    `ir_measures.define_byquery` among them.
    """
    from ir_measures.measures import Measure, registry

    folder, module = os.path.split(name.removesuffix(".py")) if name.endswith(".py") else ("", name)
    sys.path.insert(0, os.path.abspath(folder))
    try:
        found = importlib.import_module(module)
    except (Exception, SystemExit) as error:  # whatever that file does
        if isinstance(error, ModuleNotFoundError) and error.name == module.partition(".")[0]:
            raise ValueError(f"{name}: no such module") from None
        raise ValueError(f"{name} cannot be imported: {type(error).__name__}: {error}") from None
    for measure in vars(found).values():
        if isinstance(measure, Measure):
            known = registry.setdefault(str(measure.NAME), measure)
            if type(known) is not type(measure):
                raise ValueError(f"{name}: {measure.NAME} is the name of another measure already")
    return name
