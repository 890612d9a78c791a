"""Docstrings say first what a function does; figures may only get better."""

from pathlib import Path

import pytest

import english

ROOT = Path(__file__).parents[2]
# The least share of functions whose docstring begins with a verb, and the most uses of words in
# 1,000, over all packages.
LEAST_VERBS = 0.60
MOST = {"what": 2.6, "that of": 0.33, "those of": 0.46, "of them": 0.65}


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
