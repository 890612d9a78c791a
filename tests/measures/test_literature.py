"""What to cite."""

import re

import pytest

import irpref
from irpref.errors import UnknownMeasureError
from irpref.measures import registered
from irpref.measures.docstring import prose
from irpref.measures.literature import cite, entries, keys_of, methods
from refused import refuses


@pytest.mark.parametrize("name", list(registered()))
def test_every_measure_has_a_paper_with_an_entry(name):
    measure = registered()[name]
    assert prose(measure).cites, (
        "its section `Source` must end with keys of literature.bib: [moffat2008rbp]"
    )
    unknown = set(prose(measure).cites) - set(entries())
    assert not unknown, "add these papers to literature.bib"


def test_entries_have_what_bibtex_wants():
    for key, entry in entries().items():
        assert entry.count("{") == entry.count("}"), key
        assert re.match(r"@(article|book|incollection|inproceedings){" + key + ",\n", entry)
        assert all(f"\n  {field} = {{" in entry for field in ("author", "title", "year")), key
        doi = re.search(r"doi = {(.*)}", entry)
        assert doi is None or re.fullmatch(r"10\.\d{4,}/\S+", doi[1])


@pytest.mark.registry
def test_a_doi_that_a_measure_names_is_that_of_its_entry():
    for measure in registered().values():
        named = re.findall(r"doi:(\S+?)[;,]?(?:\s|$)", prose(measure).source)
        assert all(any(doi in entries()[key] for key in prose(measure).cites) for doi in named), (
            measure
        )


def test_names_are_cited_as_measures_are():
    assert irpref.cite("RPref@10") == irpref.cite([irpref.RPref @ 10]) == (irpref.RPref @ 10).cite()
    assert irpref.cite(["map", "QMeasure"]).count("@") == 4  # both papers, ir_measures and irpref
    assert irpref.cite().startswith("\n@inproceedings{macavaney2022irmeasures,")
    with refuses(UnknownMeasureError, nearest="RPref"):
        irpref.cite("RPreff")


def test_the_sentence_names_all_parameters_as_they_were_used():
    said = methods(irpref.parse_all(["RPref(max_rel=3)@10", "AP"]))
    used = r"(norm='absolute', unretrieved='zero', top='keep', max\_rel=3, cutoff=10)"
    assert rf"RPref(max\_rel=3)@10 {used} \cite{{debeer2006rpref}}" in said
    assert r"AP (rel=1, judged\_only=False) \cite{buckley2005evaluation}" in said
    assert r"irpref \cite{irpref}" in said
    assert "document id, descending" in said


def test_the_entries_of_several_measures_stand_once():
    text = cite(irpref.parse_all(["QMeasure", "PPlus", "AP"]))
    assert text.count("@inproceedings{sakai2006pmeasure") == 1
    assert f"version = {{{irpref.__version__}}}" in text
    assert "measure of ir_measures" not in text
    assert "measure of ir_measures" in cite(irpref.parse_all(["Judged@10"]))
    assert irpref.PPlus.cite().startswith("% P+-measure (PPlus: beta=1.0, judged_only=False)")


@pytest.mark.registry
def test_everyday_measures_have_papers():
    measures = irpref.parse_all(
        ["AP", "nDCG", "P@5", "R@5", "RR", "Rprec", "Bpref", "ERR@10", "RBP", "SetF", "infAP"]
    )
    assert all(set(keys_of(measure)) & set(entries()) for measure in measures)
    assert keys_of(irpref.parse("RR")) == ("kantor2000confusion",)
    assert "@article{jarvelin2002cg," in cite([irpref.parse("nDCG@10")])


@pytest.mark.registry
def test_no_entry_begins_in_what_is_said_above_the_entries():
    text = cite(irpref.parse_all(["RPref(max_rel=2)@10", "nDCG(gains={0:0,1:1,2:3})@10", "AP"]))
    above = [line for line in text.split("\n") if line.startswith("%")]
    assert len(above) == 5
    assert not any("@" in line for line in above)
    assert "RPref(max_rel=2) at 10" in above[0]


def test_the_command(capsys):
    from irpref.cli import main

    assert main(["cite", "CRP"]) == 0
    assert "@inproceedings{angelini2013crp," in capsys.readouterr().out
    for words in (["cite"], ["cite", "irpref"]):
        assert main(words) == 0
        assert capsys.readouterr().out.startswith("@inproceedings{macavaney2022irmeasures")
