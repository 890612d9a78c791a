"""PyTerrier: our measures in `pyterrier.measures`, searches, data sets, and functions that are
called as `pt.Experiment` is. `irpref_pyterrier` puts them together as `pt.irpref`.
"""

from __future__ import annotations


def add_measures() -> None:
    """Add our measures to `pyterrier.measures`.

    PyTerrier copies the names that ir_measures has when `pyterrier.measures` is imported, which may
    have been before ours came.
    """
    import ir_measures
    from pyterrier import measures

    from irpref.measures.declare import KernelMeasure

    for name, measure in ir_measures.measures.registry.items():
        if isinstance(measure, KernelMeasure):
            setattr(measures, name, measure)
