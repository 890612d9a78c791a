"""What to cite."""

import re

import pytest

import irpref
from irpref.measures import registered
from irpref.measures.literature import cite, entries, methods


@pytest.mark.parametrize("name", list(registered()))
def test_every_measure_has_a_paper_with_an_entry(name):
    measure = registered()[name]
    assert measure.CITE
    assert set(measure.CITE) <= set(entries())


def test_entries_have_what_bibtex_wants():
    for key, entry in entries().items():
        assert entry.count("{") == entry.count("}"), key
        assert re.match(r"@(article|book|inproceedings){" + key + ",\n", entry)
        assert all(f"\n  {field} = {{" in entry for field in ("author", "title", "year")), key
        doi = re.search(r"doi = {(.*)}", entry)
        assert doi is None or re.fullmatch(r"10\.\d{4,}/\S+", doi[1])


def test_a_doi_that_a_measure_names_is_that_of_its_entry():
    for measure in registered().values():
        named = re.findall(r"doi:(\S+?)[;,]?(?:\s|$)", measure.SOURCE)
        assert all(any(doi in entries()[key] for key in measure.CITE) for doi in named), measure


def test_the_sentence_names_all_parameters_as_they_were_used():
    said = methods(irpref.parse_all(["RPref(max_rel=3)@10", "AP"]))
    used = "(norm='absolute', unretrieved='zero', top='keep', max_rel=3, cutoff=10)"
    assert rf"RPref(max_rel=3)@10 {used} \cite{{debeer2006rpref}}" in said
    assert r"AP (rel=1, judged_only=False), computed with irpref \cite{irpref}" in said
    assert "falling id" in said


def test_the_entries_of_several_measures_stand_once():
    text = cite(irpref.parse_all(["QMeasure", "PPlus", "AP"]))
    assert text.count("@inproceedings{sakai2006pmeasure") == 1
    assert f"version = {{{irpref.__version__}}}" in text
    assert "AP is a measure of ir_measures" in text
    assert irpref.PPlus.cite().startswith("% P+-measure (PPlus: beta=1.0, judged_only=False)")


def test_the_command(capsys):
    from irpref.cli import main

    assert main(["cite", "CRP"]) == 0
    assert "@inproceedings{angelini2013crp," in capsys.readouterr().out
    assert main(["cite"]) == 0
    assert capsys.readouterr().out.startswith("@inproceedings{macavaney2022irmeasures")
