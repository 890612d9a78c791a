"""Docstrings say first what a function does; figures may only get better."""

import inspect
from pathlib import Path

import pytest

import english
import irpref
import irpref_lab

ROOT = Path(__file__).parents[2]
# The least share of functions whose docstring begins with a verb, and the most uses of words in
# 1,000, over all packages.
LEAST_VERBS = 0.97
MOST = {"what": 0.9, "that of": 0.1, "those of": 0.25, "of them": 0.25}


def docstring(text, counts=True):
    return english.Docstring("file.py::f", text, counts)


@pytest.mark.parametrize("text", ["Return the mean.", "Rank systems.", "Map topics to groups."])
def test_a_verb_comes_first(text):
    assert docstring(text).begins_with_a_verb


@pytest.mark.parametrize(
    "text", ["The mean.", "Rank of a system.", "Map, by topic.", "Returns it."]
)
def test_a_noun_or_another_form_of_a_verb_does_not_count(text):
    assert not docstring(text).begins_with_a_verb


def test_figures_of_a_file(tmp_path):
    file = tmp_path / "file.py"
    file.write_text(
        '"""What is what."""\n'
        'def f():\n    """Return one of them."""\n'
        'def g():\n    """The second."""\n'
        'class C:\n    """A class."""\n'
        '    @property\n    def p(self):\n        """A property."""\n'
    )
    number, share, of_1000 = english.figures(english.docstrings_of(file))
    assert (number, share) == (2, 0.5)
    words = 13
    assert of_1000 == {"what": 2000 / words, "that of": 0, "those of": 0, "of them": 1000 / words}


def test_docstrings_get_no_worse():
    _, share, of_1000 = english.figures(english.docstrings_in(ROOT / "src"))
    assert share >= LEAST_VERBS
    assert {word: value for word, value in of_1000.items() if value > MOST[word]} == {}


def _public_functions():
    """Yield the public functions of both packages and of their public modules, by name."""
    for package in (irpref, irpref_lab):
        yield from _functions_in(package, dir(package), package.__name__)
        for name in dir(package):
            module = getattr(package, name)
            if inspect.ismodule(module):
                listed = getattr(module, "__all__", None)
                home = package.__name__ if listed else module.__name__
                yield from _functions_in(module, listed or dir(module), home)


def _functions_in(module, names, home):
    for name in names:
        thing = getattr(module, name)
        is_ours = inspect.isfunction(thing) and thing.__module__.startswith(home)
        if is_ours and not name.startswith("_"):
            yield f"{module.__name__}.{name}", thing


def test_public_functions_begin_with_a_verb():
    otherwise = {
        name
        for name, function in _public_functions()
        if not docstring(inspect.getdoc(function)).begins_with_a_verb
    }
    assert otherwise == set()
