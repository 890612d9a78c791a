"""Which threshold binary measures use on graded judgments, said once."""

import pytest

import irpref
from irpref.observed.thresholds import thresholds


@pytest.mark.parametrize(
    ("names", "highest", "texts"),
    [
        ("AP P@10 nDCG RPref", 3, ["AP, P@10: rel=1, so all grades from 1 to 3 count alike"]),
        ("AP(rel=2) P(rel=1)@10", 3, []),  # their names say it
        ("AP RR Bpref", 1, []),
        ("AP", 0.8, []),
        ("nDCG@10 QMeasure NumRet", 4, []),
        ("BprefVariant", 2, ["BprefVariant: rel=1, so all grades from 1 to 2 count alike"]),
    ],
)
def test_which_measures_are_named(names, highest, texts):
    assert thresholds(irpref.parse_all(names), highest) == texts
