"""`--import MODULE`: measures of a file of your own, or of another package, on the command line."""

from __future__ import annotations

import importlib
import os
import sys
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

from irpref.data.notes import remember
from irpref.errors import ArgumentError


def imported(name: str) -> str:
    """Import a module and make its measures known by their names, including measures made with
    `ir_measures.define_byquery`.

    Parameters
    ----------
    name : str
        A file, with or without `.py`; or a module that Python finds.

    Raises
    ------
    ValueError
        There is no such module; it cannot be imported, or ends the process; a measure has the name
        of another one.
    """
    from ir_measures.measures import Measure, registry

    if not name.strip():
        raise ArgumentError("expected a file or a module, got ''", parameter="name", value=name)
    before = set(sys.modules)
    try:
        module = _loaded(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever that file does, SystemExit among it
        names = (name, name.partition(".")[0])  # that of a package, too
        if isinstance(error, ModuleNotFoundError) and error.name in names:
            raise ArgumentError(f"{name}: no such module", parameter="name", value=name) from None
        raise ArgumentError(
            f"{name} cannot be imported: {type(error).__name__}: {error}",
            parameter="name",
            value=name,
        ) from None
    _remember([module, *(sys.modules[new] for new in sys.modules.keys() - before)])
    for measure in vars(module).values():
        if isinstance(measure, Measure):
            known = registry.setdefault(str(measure.NAME), measure)
            if type(known) is not type(measure):
                raise ArgumentError(
                    f"{name}: {measure.NAME} is the name of another measure already",
                    parameter="name",
                    value=name,
                )
    return name


def _loaded(name: str) -> ModuleType:
    """Import the module of a file if there is one, else the module that Python finds."""
    path = os.path.realpath(name if name.endswith(".py") else f"{name}.py")
    if not os.path.isfile(path):
        if name.endswith(".py"):
            raise ModuleNotFoundError(name=name)
        _add_to_path(os.getcwd())
        return importlib.import_module(name)
    from hashlib import blake2b  # which loads OpenSSL

    # A name of its own: a file called json.py is neither the standard library's module nor in its
    # place, and two files of one name are two modules.
    stem = os.path.splitext(os.path.basename(path))[0]
    own = f"{stem}_{blake2b(path.encode(errors='surrogateescape'), digest_size=8).hexdigest()}"
    if own in sys.modules:
        return sys.modules[own]
    _add_to_path(os.path.dirname(path))  # for the modules that it imports
    spec = spec_from_file_location(own, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[own] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[own]
        raise
    return module


def _add_to_path(folder: str) -> None:
    """Let Python look for modules in a folder, too, after everywhere else."""
    if folder not in sys.path:
        sys.path.append(folder)


def _remember(modules: list[ModuleType]) -> None:
    """Remember the files of modules as read, so that -f does not overwrite them."""
    for module in modules:
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and os.path.isfile(file):
            remember(os.stat(file))
