"""How the measures get into ir_measures and PyTerrier."""

import json
import os
import re
import shlex
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from types import FunctionType
from typing import ClassVar

import ir_measures
import pytest

import irpref
from irpref.errors import MeasureError
from irpref.measures import declare
from irpref.measures.declare import KernelMeasure, Param, needs, registered, rises
from irpref.measures.docstring import Prose, prose
from irpref.measures.toml_files import data

HERE = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def fresh():
    """What the scenarios of `fresh_interpreters` found, by name."""
    if not hasattr(os, "fork"):
        pytest.skip("the scenarios are run by fork")
    done = subprocess.run(
        [sys.executable, str(HERE / "fresh_interpreters.py")],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.registry
def test_no_name_of_one_letter():
    ours = [
        name for name, m in ir_measures.measures.registry.items() if isinstance(m, KernelMeasure)
    ]
    assert len(ours) > 20
    assert min(map(len, ours)) > 1


@pytest.mark.registry
def test_our_provider_stands_last_and_takes_nothing_from_the_others():
    providers = ir_measures.DefaultPipeline.providers
    assert [getattr(p, "NAME", "") for p in providers].count("irpref") == 1
    last = providers[-1]
    assert last.NAME == "irpref"
    assert ir_measures.providers.registry["irpref"] is last
    built_in = [
        m for m in ir_measures.measures.registry.values() if not isinstance(m, KernelMeasure)
    ]
    assert len(built_in) > 25
    assert not any(last.supports(measure) for measure in built_in)


def test_entry_points():
    found = {
        group: [ep.value for ep in entry_points(group=group) if ep.name == "irpref"]
        for group in ("pyterrier.modules", "pyterrier.dataset_provider")
    }
    # Of ir_measures: tests/project/test_upstream.py.
    # Into a package of their own: see test_a_broken_package_does_not_break_pyterrier.
    assert found == {
        "pyterrier.modules": ["irpref_pyterrier:load"],
        "pyterrier.dataset_provider": ["irpref_pyterrier:dataset_provider"],
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "scenario", ["irpref_first", "pyterrier_first", "stages_first", "measures_of_pyterrier_first"]
)
def test_the_order_of_imports_does_not_matter(fresh, scenario):
    pytest.importorskip("pyterrier")
    facts = fresh[scenario]
    assert {name: facts[name] for name in ("bound", "stage", "measures", "java")} == {
        "bound": True,
        "stage": True,
        "measures": True,
        "java": False,
    }
    assert facts["providers"] == [1, "irpref"]


def test_star_import_from_pyterrier_measures_has_ours(fresh):
    pytest.importorskip("pyterrier")
    facts = fresh["measures_of_pyterrier_first"]
    assert (facts["starred"], facts["built-in"]) == ("RPref(max_rel=3)@10", "nDCG@10")


def test_pyterrier_alone_is_enough_and_loads_nothing_heavy(fresh):
    pytest.importorskip("pyterrier")
    assert fresh["only_pyterrier"] == {
        "loaded": [],
        "measure": "QMeasure@5",
        "named": ["RPref(max_rel=4)", "PPlus"],
        "stage": "Oracle",
    }


def test_importing_the_package_loads_nothing_optional(fresh):
    assert fresh["only_irpref"] == []


def test_importing_replaces_one_function_of_ir_measures_and_adds_measures(fresh):
    facts = fresh["importing_beside_ir_measures"]
    assert facts["replaced"] == [["ir_measures", "parse_trec_measure"]]
    assert facts["added"] == facts["removed"] == facts["measures_replaced"] == []
    assert {"RPref", "QMeasure", "BprefN"} <= set(facts["measures"])
    assert facts["providers_kept"]
    assert facts["providers_added"] == ["irpref"]


def test_pyterrier_gets_measures_and_nothing_of_it_is_replaced(fresh):
    pytest.importorskip("pyterrier")
    facts = fresh["loading_into_pyterrier"]
    assert facts["replaced"] == [["ir_measures", "parse_trec_measure"]]
    assert facts["added"] == [["pyterrier.measures", name] for name in facts["measures"]]
    assert facts["removed"] == facts["measures_replaced"] == []
    assert facts["providers_kept"]


def test_the_command_of_ir_measures_with_our_measures_prints_what_irpref_eval_prints(tmp_path):
    page = (HERE.parent / "docs" / "python.md").read_text("utf8")
    (line,) = re.findall(r"^python -c .*main_cli.*$", page, re.MULTILINE)
    code, *arguments = shlex.split(line)[2:]
    assert arguments == ["qrels.txt", "run.txt", "QMeasure"]
    (tmp_path / "qrels.txt").write_text("q 0 a 2\nq 0 b 0\nr 0 a 1\n")
    (tmp_path / "run.txt").write_text("q Q0 b 1 3.0 s\nq Q0 a 2 2.0 s\nr Q0 c 1 1.0 s\n")

    def printed(*command):
        done = subprocess.run(
            [sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    theirs = printed("-c", code, *arguments)
    # q: a at rank 2 has the blended ratio (1 + 2) / (2 + 2); r: nothing relevant.
    assert theirs == ["QMeasure", "0.3750"]
    ours = printed("-m", "irpref", "eval", *arguments)
    assert ours[-1] == "0.3750"


def test_an_evaluation_loads_nothing_of_the_lab(fresh):
    assert fresh["only_an_evaluation"] == []


@pytest.mark.parametrize(
    ("scenario", "cause"),
    [
        ("broken_irpref", "irpref"),
        ("broken_behind_the_door", "a bug"),
        ("name_taken", "cannot register 'RPref'"),
    ],
)
def test_a_broken_package_does_not_break_pyterrier(fresh, scenario, cause):
    pytest.importorskip("pyterrier")
    answer = fresh[scenario]
    (warning,) = answer["warnings"]
    assert warning.startswith("pt.irpref ")
    assert cause in warning
    assert answer["error"].startswith("pt.irpref ")
    assert cause in answer["error"]
    assert answer["built-in"] == "nDCG@10"
    # Data sets have a door of their own.
    assert answer["datasets"] == (scenario == "broken_behind_the_door")


def test_a_name_of_another_package_is_refused(fresh):
    answer = fresh["name_taken"]
    assert "'RPref'" in answer["refused"]
    assert answer["refused"].endswith(" __main__.name_taken.<locals>.Theirs")
    assert answer["kept"]


def test_a_measure_may_be_made_again_but_takes_no_name_of_ours(monkeypatch):
    monkeypatch.setattr(declare, "_REGISTERED", dict(declare._REGISTERED))
    monkeypatch.setattr(ir_measures.measures, "registry", dict(ir_measures.measures.registry))
    for _ in range(2):

        class _Mine(KernelMeasure):
            """Mine.

            Parameters
            ----------
            cutoff : pages
            """

            SUPPORTED_PARAMS: ClassVar = {"cutoff": declare.CUTOFF}

        mine = declare.register(_Mine())
    assert (
        mine.SUPPORTED_PARAMS["cutoff"].desc == "pages" != declare.CUTOFF.desc
    )  # which others share
    with pytest.raises(MeasureError, match=r"'RPref': .* irpref\.measures\.rpref\._RPref"):
        declare.register(mine, "RPref")
    with pytest.raises(MeasureError, match=r"_Odd: .* 'Parameters' has 'cutoff'"):
        type(
            "_Odd",
            (KernelMeasure,),
            {"__doc__": "Odd.\n\nParameters\n---\ncutoff : pages", "SUPPORTED_PARAMS": {}},
        )


def test_registration_survives_reloading(fresh):
    answer = fresh["reloaded"]
    assert answer["providers"] == [1, "irpref"]
    assert answer["equal"]
    # rho of a 1, b 1/2, c 0 with c on top: N = 1.5, penalties 1/1.5 each, (1 + 0.5) * (1 - 2/3) /
    # 1.5 = 1/3.
    assert answer["values"] == pytest.approx([1 / 3, 1 / 3])


def test_a_docstring_with_an_unknown_section_is_refused():
    with pytest.raises(MeasureError, match=r"_Odd: .*'Pitfals', .*'Pitfalls'\?"):

        class _Odd(KernelMeasure):
            """Odd.

            Pitfals
            -------
            None.
            """


def test_prose_is_read_from_the_sections_of_a_docstring():
    class _Base(KernelMeasure):
        """What some share.

        Symbols
        -------
        p : persistence
        """

    class _Odd(_Base):
        r"""Odd.

        More of it.

        Formula
        -------
        \frac{1}{2}
        + 1

        Columns
        -------
        gain : its grade,
            or another
        rank : its place

        Parameters
        ----------
        p : persistence

        Source
        ------
        A. Author, doi:10.1/x [author2000a] [author2001b]
        """

        SUPPORTED_PARAMS: ClassVar = {"p": Param(float)}

    measure = _Odd()
    assert (measure.NAME, measure.__name__, type(measure).__doc__) == (
        "Odd",
        "Odd",
        "Odd.\n\nMore of it.",
    )
    said = prose(measure)
    assert said == prose(_Odd)
    assert (said.short, said.formula, said.range) == ("Odd.", r"\frac{1}{2} + 1", "[0, 1]")
    assert said.columns == {"gain": "its grade, or another", "rank": "its place"}
    assert said.symbols == {"p": "persistence"}  # of the class below
    assert (said.source, said.cites) == ("A. Author, doi:10.1/x", ("author2000a", "author2001b"))
    assert (measure.PRETTY_NAME, measure.SHORT_DESC) == ("Odd", "Odd.")
    assert measure.SUPPORTED_PARAMS["p"].desc == "persistence"
    assert prose(ir_measures.AP) == Prose()


FOURTEEN = {
    *("kernel", "terms", "reasons", "over_ties", "HOLES"),
    *("SUPPORTED_PARAMS", "DEFAULT", "BOUNDS", "higher_is_better"),
    *("NEEDS", "NEGATIVE_GRADES", "TIES_BY_RISING_ID", "CUTOFF_ENDS_LIST"),
    "VARIANTS",
}
# Attributes that ir_measures reads, which follow from the name, the docstring and the parameters.
OF_HOST = {"NAME", "PRETTY_NAME", "SHORT_DESC", "AT_PARAM"}


def attributes(cls):
    """What a class declares, without methods."""
    names = {*vars(cls), *vars(cls).get("__annotations__", {})}
    methods = {name for name, value in vars(cls).items() if isinstance(value, METHODS)}
    return {name for name in names - (methods - FOURTEEN) if not name.startswith("_")}


METHODS = FunctionType, classmethod, staticmethod


@pytest.mark.registry
def test_a_class_of_measures_has_fourteen_attributes():
    """Whoever adds one removes one."""
    assert attributes(KernelMeasure) == FOURTEEN | OF_HOST - {"NAME", "AT_PARAM"}
    assert len(FOURTEEN) == 14
    for measure in registered().values():
        for cls in type(measure).__mro__[: type(measure).__mro__.index(KernelMeasure)]:
            assert attributes(cls) <= FOURTEEN | OF_HOST, cls


@pytest.mark.registry
def test_a_class_and_its_plain_measure_give_the_same_answers():
    for measure in registered().values():
        for name in FOURTEEN | OF_HOST:
            assert getattr(type(measure), name) == getattr(measure, name) or callable(
                getattr(measure, name)
            ), (measure, name)
        classes = [cls for cls in reversed(type(measure).__mro__) if cls is not object]
        inherited = {name: value for cls in classes for name, value in vars(cls).items()}
        descriptors = {
            name
            for name, value in inherited.items()
            if hasattr(type(value), "__get__") and not isinstance(value, METHODS)
            if getattr(type(measure), name) != getattr(measure, name, None)
        }
        assert descriptors <= {"__doc__", "__signature__", "__weakref__", "__dict__"}


def test_a_variant_has_its_own_direction_and_needs():
    assert not type(irpref.nCRP).higher_is_better
    assert [irpref.nCRP(norm=norm).higher_is_better for norm in ("worst", "range")] == [False, True]
    scale = {norm: "scale" in irpref.RPref(norm=norm).NEEDS for norm in NORMS}
    assert scale == {"absolute": True, "relative": False, "relative2": False}
    # Where partitions begin depends on the top of the scale, whatever the norm.
    assert all("scale" in irpref.NPref(n=3, norm=norm).NEEDS for norm in NORMS)
    assert needs(ir_measures.Bpref) == ("nonrelevant",)
    assert needs(ir_measures.P) == ()


def test_a_measure_of_the_host_that_does_not_say_its_direction_rises():
    assert rises(ir_measures.P)
    assert [rises(irpref.nCRP(norm=norm)) for norm in ("worst", "range")] == [False, True]


NORMS = ("absolute", "relative", "relative2")


@pytest.mark.registry
def test_every_measure_is_in_the_table_that_compares_them():
    assert set(data("measures.toml")) == set(registered())
