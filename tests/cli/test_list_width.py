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
