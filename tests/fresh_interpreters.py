"""Facts that only a fresh interpreter can show: orders of import, broken installations.

Run as a script it forks once for each scenario before anything heavy is imported, and prints their
results as one JSON object: one start of Python for all scenarios. There is no network in any."""

import json
import multiprocessing
import socket
import sys
import traceback
import types
import warnings


def _facts():
    """Collect the facts once everything has been imported."""
    import ir_measures
    import pyterrier as pt

    import irpref
    import irpref.transformers
    import irpref_pyterrier.namespace

    names = [getattr(p, "NAME", None) for p in ir_measures.DefaultPipeline.providers]
    return {
        "bound": pt.irpref is irpref_pyterrier.namespace,
        "stage": pt.irpref.Judge is irpref.transformers.Judge,
        "measures": all(
            getattr(pt.measures, name) is getattr(irpref, name)
            for name in [*irpref.measures.registered(), "BprefN"]
        ),
        "providers": (names.count("irpref"), names[-1]),
        "java": "jnius" in sys.modules or pt.java.started(),
    }


def irpref_first():
    import irpref
    import pyterrier

    return _facts()


def pyterrier_first():
    import pyterrier
    import irpref

    return _facts()


def stages_first():
    import irpref.transformers

    return _facts()


def measures_of_pyterrier_first():
    scope = {}
    exec("from pyterrier.measures import *", scope)
    return {
        **_facts(),
        "starred": str(scope["RPref"](max_rel=3) @ 10),
        "built-in": str(scope["nDCG"] @ 10),
    }


def only_pyterrier():
    """Import PyTerrier alone: nothing of ours is imported by the user, and nothing heavy by us."""
    import pyterrier as pt
    from ir_measures import parse_trec_measure

    before = sorted(
        name
        for name in ("irpref.transformers", "matplotlib", "irpref.explanation", "irpref_lab.decide")
        if name in sys.modules
    )
    return {
        "loaded": before,
        "measure": str(pt.measures.QMeasure @ 5),
        "named": [str(m) for name in ("rpref(max_rel=4)", "P+") for m in parse_trec_measure(name)],
        "stage": pt.irpref.Oracle.__name__,
    }


def only_irpref():
    import irpref

    heavy = ("pyterrier", "matplotlib", "pandas", "polars", "ir_datasets", "pyspark")
    return [name for name in heavy if name in sys.modules]


def _contents():
    """Collect the contents of the hosts' modules, and of their classes: (module, name) to
    object.
    """
    found = {}
    for module_name, module in sorted(sys.modules.items()):
        if module_name.partition(".")[0] in ("ir_measures", "pyterrier") and module is not None:
            for name, value in vars(module).items():
                found[module_name, name] = value
                if isinstance(value, type):
                    for inner, member in vars(value).items():
                        found[value.__module__, f"{value.__qualname__}.{inner}"] = member
    return found


def _differences(change):
    """Find names in the hosts that a change replaces, adds and removes, and measures that it
    adds.
    """
    import ir_measures

    registry, before = dict(ir_measures.measures.registry), _contents()
    providers, by_name = (
        list(ir_measures.DefaultPipeline.providers),
        dict(ir_measures.providers.registry),
    )
    change()
    after = _contents()
    now = ir_measures.measures.registry
    return {
        "replaced": sorted(key for key in before if key in after and after[key] is not before[key]),
        "added": sorted(set(after) - set(before)),
        "removed": sorted(set(before) - set(after)),
        "measures": sorted(set(now) - set(registry)),
        "measures_replaced": [name for name in registry if now.get(name) is not registry[name]],
        "providers_kept": ir_measures.DefaultPipeline.providers[:-1] == providers
        and {**ir_measures.providers.registry, **by_name} == ir_measures.providers.registry,
        "providers_added": sorted(set(ir_measures.providers.registry) - set(by_name)),
    }


def importing_beside_ir_measures():
    """Find the changes of `import irpref` in ir_measures."""
    import ir_measures
    import ir_measures.__main__

    return _differences(lambda: __import__("irpref"))


def loading_into_pyterrier():
    """Find the changes of `import irpref` and its entry points in PyTerrier."""
    # In its place, an entry point that does nothing: PyTerrier as it is without us.
    sys.modules["irpref_pyterrier"] = types.SimpleNamespace(load=lambda: None)
    import pyterrier

    del sys.modules["irpref_pyterrier"]
    assert "irpref" not in sys.modules

    def load():
        import irpref
        import irpref_pyterrier

        irpref_pyterrier.load()
        irpref_pyterrier.dataset_provider()

    return _differences(load)


def only_an_evaluation():
    """Evaluate runs, which loads nothing of the lab."""
    import ir_measures

    import irpref

    qrels, run = {"q": {"a": 2, "b": 0}}, {"q": {"a": 1.0, "b": 2.0}}
    irpref.evaluator(["AP", "RPref(max_rel=2)", "IPrec@0.5"], qrels).calc(run)
    ir_measures.calc([irpref.QMeasure, irpref.parse("P+")], qrels, run)
    irpref.accelerate()
    ir_measures.calc_aggregate([ir_measures.AP, irpref.QMeasure], qrels, run)
    irpref.explain("QMeasure", qrels, run)
    irpref.crosscheck(["AP"], qrels, {"run": run})
    return sorted(name for name in sys.modules if name.startswith("irpref_lab"))


def _import_pyterrier():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        import pyterrier as pt
    said = [str(w.message) for w in caught if "irpref" in str(w.message)]
    try:
        pt.irpref.Judge
        error = ""
    except ImportError as e:
        error = str(e)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        datasets = "irpref:synthetic" in list(pt.list_datasets()["dataset"])
    return {
        "warnings": said,
        "error": error,
        "datasets": datasets,
        "built-in": str(pt.measures.nDCG @ 10),
    }


def broken_irpref():
    """Let `import irpref` fail."""
    sys.modules["irpref"] = None
    return _import_pyterrier()


def broken_behind_the_door():
    """Let irpref be imported, but fail in its work for PyTerrier."""
    import irpref.hosts.pyterrier

    def fail():
        raise RuntimeError("a bug")

    irpref.hosts.pyterrier.add_measures = fail
    return _import_pyterrier()


def name_taken():
    """Register another package's measure under one of our names."""
    import ir_measures

    class Theirs(ir_measures.measures.Measure):
        __name__ = NAME = "RPref"
        SUPPORTED_PARAMS = {}

    theirs = Theirs()
    ir_measures.measures.register(theirs)
    try:
        import irpref

        error = ""
    except ValueError as e:
        error = str(e)
    kept = ir_measures.measures.registry["RPref"] is theirs
    return {"refused": error, "kept": kept, **_import_pyterrier()}


def reloaded():
    """Reload the package, and a module with measures, which leaves one provider and measures that
    work.
    """
    import importlib

    import ir_measures

    import irpref
    import irpref.measures.rpref as module

    old = irpref.RPref(max_rel=2)
    importlib.reload(irpref)
    importlib.reload(module)
    importlib.reload(irpref.hosts.ir_measures)
    importlib.reload(irpref)
    new = module.RPref(max_rel=2)
    qrels = {"q": {"a": 2, "b": 1, "c": 0}}
    run = {"q": {"c": 3.0, "a": 2.0, "b": 1.0}}
    names = [getattr(p, "NAME", None) for p in ir_measures.DefaultPipeline.providers]
    return {
        "providers": (names.count("irpref"), names[-1]),
        "equal": old == new and hash(old) == hash(new),
        "values": [ir_measures.calc_aggregate([m], qrels, run)[m] for m in (new, old)],
    }


SCENARIOS = [
    irpref_first,
    pyterrier_first,
    stages_first,
    measures_of_pyterrier_first,
    only_pyterrier,
    only_irpref,
    importing_beside_ir_measures,
    loading_into_pyterrier,
    only_an_evaluation,
    broken_irpref,
    broken_behind_the_door,
    name_taken,
    reloaded,
]


def _no_network(*args, **kwargs):
    raise OSError("no network in these tests")


def _answer(scenario):
    socket.socket.connect = _no_network
    try:
        return scenario()
    except BaseException:
        return traceback.format_exc()


def main():
    """Run every scenario in a process of its own, two at a time."""
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        answers = pool.map(_answer, SCENARIOS, chunksize=1)
    print(
        json.dumps(
            {scenario.__name__: answer for scenario, answer in zip(SCENARIOS, answers, strict=True)}
        )
    )


if __name__ == "__main__":
    main()
