"""What an editor and a type checker know of the measures, and `help`."""

import inspect
import pydoc
import subprocess
import sys
from pathlib import Path

import pytest

import irpref
import irpref_lab
from irpref import measures
from irpref.measures.declare import KernelMeasure
from irpref.measures.docstring import prose
from shells import script

ROOT = Path(__file__).resolve().parents[2]

# A line of a user's file, and what a strict type checker says of it: nothing, or a part of the
# message.
USER = {
    "from ir_measures import nDCG": "",
    "import irpref": "",
    "import irpref_lab": "",
    "from irpref import BprefR, CRP, MeasureLike, NPref, QMeasure, QrelsLike, RPref, RunLike, nCRP": "",
    "RPref(max_rel=3) @ 10": "",
    "QMeasure(gains={1: 3}, beta=2, judged_only=True) @ 5": "",
    "NPref(n=4)(max_rel=2, norm='relative')(norm=None)": "",
    "irpref.CRP(cutoff=7)": "",
    "chosen: list[MeasureLike] = [RPref(max_rel=3), 'AP', nDCG @ 10]": "",
    "qrels: QrelsLike = {'q1': {'a': 1, 'b': 0}}": "",
    "run: RunLike = {'q1': {'a': 1.0}}": "",
    "once: RunLike = irpref.run(run)": "",
    "irpref_lab.compare('AP', irpref.judgments(qrels), irpref.run(run), run)": "",
    "print(irpref.evaluator(chosen, qrels).calc_aggregate(run))": "",
    "irpref.evaluator(RPref, 'qrels.txt')": "",
    "irpref_lab.leaderboard('AP', qrels, {'a': run}, sort=nDCG, rng=7, groups={'q1': 'short'})": "",
    "irpref_lab.leaderboard(chosen, 'qrels.txt', ['a.run', 'b.run'], groups='groups.txt')": "",
    "irpref_lab.intervals(chosen, qrels, run, over='unjudged', grades=[0, 1])": "",
    "irpref_lab.check(qrels, {'a': run}, 'AP')": "",
    "found = irpref_lab.meta.topic_values(chosen, qrels, iter([('a', run)]))": "",
    "irpref_lab.plots.topic_strip(found['AP'])": "",
    "irpref_lab.plots.topic_strip(qrels, {'a': run}, 'AP')": "",
    "irpref_lab.plots.measure_scatter(list(found.values()))": "",
    "irpref_lab.plots.crp(irpref.curves.crp(qrels, run))": "",
    "irpref_lab.plots.precision_histogram(qrels, {'a': run}, 'a')": "",
    "irpref.score('AP', [[1, 0]], [[0.2, 0.1]])": "",
    "RPref(maxrel=3)": 'Unexpected keyword argument "maxrel"',
    "RPref(norm='relativ')": "Literal['absolute', 'relative', 'relative2'] | None",
    "RPref(max_rel='3')": 'incompatible type "str"; expected "float | None"',
    "RPref(3)": "Too many positional arguments",
    "BprefR(rel='1')": 'incompatible type "str"',
    "CRP(cutoff=2.5)": 'incompatible type "float"',
    "nCRP @ 10": "Unsupported operand types",
    "irpref.evaluator(3, qrels)": "Argument 1",
    "irpref.evaluator(chosen, 3)": "Argument 2",
    "irpref_lab.leaderboard(chosen, qrels, 3)": "Argument 3",
    "irpref_lab.intervals(chosen, qrels, 3)": "Argument 3",
    "irpref_lab.plots.topic_strip(3)": "Argument 1",
    "irpref.no_such_thing": "has no attribute",
}


# What can only be `Any`, and why.
ANY = {
    "Judgments.column": "an array or a list, as it was read",
    "bind": "overloads: one measure for one, a list for several",
    "KernelMeasure.aggregator": "an object of ir_measures, which has no types",
    "KernelMeasure.per_query": "a transformer of PyTerrier, which need not be installed",
    "Param.clean": "the value of a parameter of any type",
}


def public():
    """Functions and methods that users can call, by name."""
    modules = [
        *(irpref, irpref_lab, irpref.curves, irpref_lab.plots, irpref_lab.meta),
        *(irpref.errors, irpref.testing, irpref.transformers, irpref.settings, irpref.datasets),
        irpref_lab.spark,
    ]
    for module in modules:
        listed = getattr(module, "__all__", [])
        for name in dir(module):
            value = getattr(module, name, None)
            home = getattr(value, "__module__", "") or ""
            if name.startswith("_") or not home.startswith("irpref"):
                continue
            if (
                module not in (irpref, irpref_lab)
                and name not in listed
                and home != module.__name__
            ):
                continue  # what the module imports for itself
            if inspect.isfunction(value):
                yield name, value
            elif inspect.isclass(value):
                for method, member in vars(value).items():
                    member = getattr(member, "fget", None) or getattr(member, "__func__", member)
                    if inspect.isfunction(member) and not method.startswith("_"):
                        yield f"{name}.{method}", member


def test_py_typed_promises_a_type_for_each_argument_and_result():
    assert (Path(irpref.__file__).parent / "py.typed").is_file()
    functions = dict(public())
    assert len(functions) > 100
    for name, function in functions.items():
        signature = inspect.signature(function)
        for parameter in signature.parameters.values():
            typed = parameter.annotation is not parameter.empty
            assert typed or parameter.name in ("self", "cls"), (name, parameter.name)
        assert signature.return_annotation is not signature.empty, name
        assert (signature.return_annotation == "Any") <= (name in ANY), name


@pytest.mark.registry
@pytest.mark.slow
def test_a_strict_type_checker_knows_the_parameters(tmp_path):
    file = tmp_path / "user.py"
    file.write_text("\n".join(USER) + "\n")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--follow-imports=silent",
            "--cache-dir=.mypy",
            "user.py",
        ],
        cwd=tmp_path,
        env={"MYPYPATH": str(Path(irpref.__file__).parents[2]), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=600,
    )
    said = {}
    for line in done.stdout.splitlines():
        if ": error: " in line:
            said.setdefault(int(line.split(":")[1]), line.split(": error: ")[1])
    for number, (line, message) in enumerate(USER.items(), 1):
        assert message in said.get(number, "") if message else number not in said, (
            line,
            said.get(number),
        )
    assert said


@pytest.mark.registry
def test_the_file_for_type_checkers_is_what_the_declarations_say():
    make_types = script(ROOT / "docs" / "make_types.py")
    assert make_types.OUT.read_text(encoding="utf-8") == make_types.stub(), (
        "run: python docs/make_types.py"
    )


@pytest.mark.registry
def test_help_says_which_way_is_better_and_what_a_measure_needs():
    assert "[0, 1]; lower is better." in irpref.EMeasure.__doc__
    assert "[0, 1]; higher is better." in irpref.QMeasure.__doc__
    assert "(`max_rel`)" in irpref.RPref.__doc__
    assert "Needs" not in irpref.QMeasure.__doc__


@pytest.mark.parametrize("name", measures.__all__)
def test_help_shows_all_that_is_declared(name):
    measure = getattr(irpref, name)
    said, text = prose(measure), pydoc.plain(pydoc.render_doc(measure))
    parts = [type(measure).__doc__, said.question, said.range, said.source]
    parts += [f"{parameter} : " for parameter in measure.SUPPORTED_PARAMS]
    parts += [spec.desc for spec in measure.SUPPORTED_PARAMS.values()]
    for line in "\n".join(parts).splitlines():
        assert line in text
    assert (
        inspect.cleandoc(sys.modules[type(measure).__module__].__doc__) in measure.__doc__
    )  # the formula
    assert type(measure).__doc__ in measure.__doc__ != type(measure).__doc__


@pytest.mark.parametrize("name", measures.__all__)
def test_the_signature_is_that_of_calling_the_measure(name):
    measure = getattr(irpref, name)
    parameters = inspect.signature(measure).parameters
    assert list(parameters) == list(measure.SUPPORTED_PARAMS)
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in parameters.values())
    assert (
        measure(**{name: parameter.default for name, parameter in parameters.items()}) is not None
    )
    assert inspect.signature(type(measure)).parameters.keys() == {"params"}


@pytest.mark.registry
def test_a_star_brings_the_measures_and_nothing_else():
    assert set(irpref.__all__) == set(measures.__all__)
    assert all(isinstance(getattr(irpref, name), KernelMeasure) for name in irpref.__all__)


@pytest.mark.registry
def test_dir_shows_what_can_be_used():
    assert {*irpref.__all__, "evaluator", "parse", "curves", "__version__"} <= set(dir(irpref))
    functions = [getattr(irpref.curves, name) for name in dir(irpref.curves)]
    assert {function.__module__.rpartition(".")[0] for function in functions} <= {
        "irpref",
        "irpref.curves",
    }
    assert {function.__name__ for function in functions} == set(irpref.curves.__all__)
    assert not {"Any", "sys", "annotations", "import_module"} & set(dir(irpref))
    for name in dir(irpref):
        assert getattr(irpref, name) is not None
