"""Write the parameters of the measures for editors and type checkers, from their declarations.

python docs/make_types.py       # writes src/irpref/measures/__init__.pyi
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from pathlib import Path
from typing import Any

from ir_measures.measures.base import _NOT_PROVIDED

from irpref import measures
from irpref.measures.declare import KernelMeasure
from irpref.measures.docstring import prose

OUT = Path(measures.__file__).with_suffix(".pyi")

HEAD = '''\
"""The measures, as type checkers see them. Written by docs/make_types.py from the declarations."""

# ruff: noqa: RUF022
from collections.abc import Mapping
from typing import Literal, NoReturn

from irpref.measures.declare import KernelMeasure as KernelMeasure
from irpref.measures.declare import registered as registered

'''


def stub() -> str:
    """Write the text of the file."""
    blocks = [class_of(type(measure)) for measure in measures.registered().values()]
    names = "".join(
        f"{name}: {type(getattr(measures, name)).__name__}\n" for name in measures.__all__
    )
    listed = "".join(f'    "{name}",\n' for name in sorted(measures.__all__))
    return HEAD + "\n".join(blocks) + f"\n{names}\n__all__ = [\n{listed}]\n"


def class_of(of: type[KernelMeasure]) -> str:
    """Write a class with the signatures of calling a measure, and of `@`."""
    name = of.__name__
    lines = [f"class {name}(KernelMeasure):", *textwrap.indent(docstring(of), "    ").splitlines()]
    lines += [
        "    def __call__(  # type: ignore[override]  # the host takes any",
        "        self,",
        *(["        *,"] if of.SUPPORTED_PARAMS else []),
    ]
    lines += [
        f"        {parameter}: {hint(spec)} = ...,"
        for parameter, spec in of.SUPPORTED_PARAMS.items()
    ]
    lines += [f"    ) -> {name}: ..."]
    at = of.SUPPORTED_PARAMS.get(of.AT_PARAM)
    if at is None:
        lines.append(
            "    def __matmul__(self, at_param: NoReturn) -> NoReturn: ...  # it has no cutoff"
        )
    else:
        lines.append(f"    def __matmul__(self, at_param: {at.annotation()}) -> {name}: ...")
    return "\n".join(lines) + "\n"


def docstring(of: type[KernelMeasure]) -> str:
    """Write use and parameters; `help` shows the rest."""
    lines = [
        *(of.__doc__ or "").splitlines(),
        "",
        prose(of).question,
        f"{prose(of).range}.",
        f"{prose(of).source}.",
        "",
        "Parameters",
        "-" * 10,
    ]
    for name, spec in of.SUPPORTED_PARAMS.items():
        default = "" if spec.default is _NOT_PROVIDED else f" (default {spec.default!r})"
        lines += textwrap.wrap(f"{name} : {spec.desc}{default}", 92, subsequent_indent="    ")
    return inspect.cleandoc('"""' + "\n".join(lines) + '\n"""')


def hint(spec: Any) -> str:
    """Write the type of a parameter; None stands for not given."""
    return f"{spec.annotation()} | None".replace("'", '"')


if __name__ == "__main__":
    import own_source  # noqa: F401  # first

    OUT.write_text(stub(), encoding="utf-8")
    sys.stdout.write(f"wrote {OUT.name}\n")
