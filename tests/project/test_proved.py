"""The page on how values are checked says what the tests counted, of the tests that there are."""

import ast
import json
from pathlib import Path

import pytest

import compared
from irpref.datasets import examples, load
from shells import script

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def make_proved():
    return script(ROOT / "docs" / "make_proved.py")


@pytest.fixture(scope="module")
def counted(make_proved):
    return json.loads(make_proved.COUNTS.read_text("utf8"))


@pytest.mark.registry
def test_the_page_is_written_from_the_counts(make_proved, counted):
    assert make_proved.PAGE.read_text("utf8") == make_proved.page(counted), (
        "run: python docs/make_proved.py --page"
    )


@pytest.mark.registry
def test_the_tests_that_counted_are_there(counted):
    for row in counted["counts"]:
        file, _, name = row["test"].partition("::")
        tree = ast.parse((ROOT / file).read_text("utf8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, (
            "run docs/make_proved.py"
        )
        assert row["values"] > 0


@pytest.mark.registry
def test_the_files_that_count_and_what_they_compare_with_are_on_the_page(make_proved, counted):
    assert {row["test"].partition("::")[0] for row in counted["counts"]} == set(
        make_proved.counting()
    )
    others = {
        value for name, value in vars(compared).items() if name.isupper() and isinstance(value, str)
    }
    assert {row["with"] for row in counted["counts"]} == others


@pytest.mark.registry
def test_the_page_counts_no_more_expected_values_than_the_worked_examples_have(counted):
    """Who adds an example need not count again: releases do."""
    values = sum(len(load(name).expected) for name in examples())
    assert (
        0
        < sum(row["values"] for row in counted["counts"] if row["with"] == compared.PAPERS)
        <= values
    )
