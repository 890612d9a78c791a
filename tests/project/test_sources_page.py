"""The page that walks through the five sources: its calls run, and it leaves out no measure of
theirs.
"""

import doctest
from pathlib import Path

import pytest

from irpref.measures import registered

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "study" / "SOURCES.md"
SHORT = ROOT / "docs" / "sources.md"
NAMES = """
RPref NPref BprefVariant BprefR Bpref10 GPrecision GRecall
QMeasure OMeasure PMeasure PPlus RMeasure WeightedRR CRP nCRP CRPRecovery SeenAP
FMeasure EMeasure Coverage Novelty RelativeRecall RecallEffort InterpolatedPrecision CG@ DCG@ NCG@
"""
THEIRS = NAMES.split()


@pytest.mark.filterwarnings("ignore:.*non-interactive.*")
def test_the_calls_of_the_page_run():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")

    done = doctest.testfile(str(PAGE), module_relative=False)
    assert done.attempted > 60
    assert done.failed == 0


@pytest.mark.registry
def test_the_page_names_the_measures_of_the_sources():
    calls = [
        line
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith((">>>", "..."))
    ]
    assert [name for name in THEIRS if not any(name in line for line in calls)] == []
    short = SHORT.read_text(encoding="utf-8")
    assert [name for name in THEIRS if f"`{name.rstrip('@')}" not in short] == []
    assert {name.rstrip("@") for name in THEIRS} - {"BprefR", "Bpref10"} <= set(registered())
