"""`irpref list NAME --long` fits the terminal."""

import pytest

from irpref.cli import main


@pytest.mark.parametrize("name", ["QMeasure", "RPref", "nDCG", "CRP"])
def test_a_long_page_is_no_wider_than_the_terminal(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["list", name, "--long"]) == 0
    page = capsys.readouterr().out
    unbroken = ("http", "doi:")
    assert [
        line
        for line in page.splitlines()
        if len(line) > 80 and not any(word in line for word in unbroken)
    ] == []
    assert "Parameters" in page


def test_a_long_page_begins_with_the_measure_before_the_definition_of_its_family(capsys):
    assert main(["list", "QMeasure", "--long"]) == 0
    own, _, family = capsys.readouterr().out.partition(
        "\nDefinition of QMeasure, RMeasure, OMeasure, PMeasure, PPlus\n"
    )
    assert "    Q = 1/R sum_r rel(r) BR(r)\n" in own
    assert "P+" not in own
    assert "P+ = mean of BR" in family


def test_items_of_a_definition_are_filled_with_a_hanging_indent(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["list", "QMeasure", "--long"]) == 0
    assert (
        "  - r_p is found by grade, not by gain: if two grades have one gain, the higher\n"
        "    grade is still preferred;\n"
    ) in capsys.readouterr().out
