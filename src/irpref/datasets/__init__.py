"""Worked examples as data, a real collection (`cast2021`), and a small synthetic one.

Tests, doctests, documentation and the demonstration all read their expected values from here.

>>> from irpref.datasets import examples, load
>>> examples()[-2:]
['cast2021', 'synthetic']
>>> list(load("cast2021").runs)
['org_manual_bm25', 'org_manual_ance', 'org_manual_ance_bert', 'org_convdr', 'org_convdr_bert']
>>> example = load("p-measure-figure-1")
>>> example.runs["X"]
{'1': {'B1': 2.0, 'S1': 1.0}}
>>> [str(e.value) for e in example.expected if (e.run, e.measure) == ("X", "PMeasure")]
['6/7']

Each example is also an ir_datasets dataset (`ir_datasets.load("irpref/p-measure-figure-1")`, see
`register`) and a PyTerrier dataset (`pt.get_dataset("irpref:p-measure-figure-1")`)."""

from __future__ import annotations

from irpref.datasets.catalogue import examples, load
from irpref.datasets.example import Curve, Example, Expected

__all__ = ["Curve", "Example", "Expected", "examples", "load", "register"]


def register() -> list[str]:
    """Register the examples with ir_datasets, as `irpref/<example>` and `irpref/<example>/<run>`.

    Returns
    -------
    list of str
        The ids registered now; empty if all were registered already.

    Raises
    ------
    ImportError
        ir_datasets is not installed.
    """
    from irpref.datasets import irds

    return irds.register()
