"""Formulas as text, and their symbols: each measure defines those of its own formula."""

import pytest

from irpref.cli import main
from irpref.measures import registered
from irpref.measures.docstring import items, prose
from irpref.measures.notation import plain, symbols

MEASURES = registered()


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac{1}{R} \sum_{r} \mathrm{rel}(r)", ["1/R sum_r rel(r)"]),
        (r"Q = \frac{a + b}{2}, \quad a = \frac{|A \cap B|}{n}", ["Q = (a + b) / 2", "a = |A and B|/n"]),
        (r"\mathrm{P}@k = \left(1 - \beta\right)^{i - 1}", ["P@k = (1 - beta)^(i - 1)"]),
        (r"\sum_{i \ge b} \frac{g_i}{\log_b i} + \log_2(1 + r)", ["sum_{i >= b} g_i / (log_b i) + log2(1 + r)"]),
        (r"\min \{ j : x_{\max} > 0 \}", ["min {j : x_max > 0}"]),
    ],
)  # fmt: skip
def test_formulas_as_text(latex, text):
    assert plain(latex) == text


def test_symbols_are_whole_names():
    meanings = {r"\mathrm{cg}(r)": "1", "R": "2", "r": "3", "r_p": "4"}
    assert symbols(r"\mathrm{BR}(r_p) + \mathrm{cg}(1)", meanings) == {
        r"\mathrm{cg}(r)": "1",
        "r": "3",
        "r_p": "4",
    }


@pytest.mark.parametrize("name", MEASURES)
def test_each_measure_defines_the_symbols_of_its_formula(name):
    measure = MEASURES[name]
    said = prose(measure)
    text = " ".join(plain(said.formula))
    assert text.isascii()
    assert not set(text) & set("\\~")
    used = symbols(said.formula, said.symbols)
    assert used
    own = vars(type(measure))["__doc__"].sections.get("Symbols")
    # A symbol that is declared for one measure is in its formula.
    assert own is None or items(own) == used, (
        "section `Symbols`: one symbol a line, each as the formula writes it"
    )


@pytest.mark.parametrize("name", MEASURES)
def test_the_page_of_a_measure_in_the_shell_fits_80_columns(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["list", name]) == 0
    out, said = capsys.readouterr().out, prose(MEASURES[name])
    assert max(map(len, out.splitlines())) <= 80
    for symbol in symbols(said.formula, said.symbols):
        assert f"\n{plain(symbol)[0]} " in out
