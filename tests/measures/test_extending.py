"""A form of files, a picture and a command, added in a copy of the repository as CONTRIBUTING.md
says.

Nothing else has to be written.
"""

import re
import shutil
from pathlib import Path

import pytest
from test_adding_a_measure import ROOT, ran

pytestmark = pytest.mark.slow

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
EXAMPLE = r"^## Add a command\n.*?^```python\n(.*?)^```"
(COMMAND,) = re.findall(EXAMPLE, PAGE, re.DOTALL | re.MULTILINE)

READER = '''

def psv(source: Source, value: str, how: Reading) -> Iterator[Table]:
    """Cells between bars, below a header."""
    return csv(source, value, how, "|")
'''
PICTURE = '''

@drawing.styled
def topic_box(data: Values, runs: Runs | None = None, measure: MeasureLike | None = None, *, ax=None) -> Axes:
    """Quartiles of the values of a measure over the topics: a box for each run."""
    (of,) = values(data, runs, [] if measure is None else [measure], 1)
    ax = axes() if ax is None else ax
    ax.boxplot(of.matrix.T, vert=False)
    ax.set_xlabel(_axis(of))
    return drawing.finish(ax)
'''
BOX = '''

@plot.command("box")
@options.inputs("RUN... [MEASURE...]", measures=("AP",))
@_last
def box(given, **how):
    """Quartiles over the topics."""
    from irpref_lab.plots import topic_box

    _draw_values(topic_box, 1, given, how)
'''
# File, what a newcomer finds there, and what stands there afterwards.
EDITS = [
    ("src/irpref/data/records.py", None, READER),
    ("src/irpref/data/forms.py", "ENDINGS = {\n", 'ENDINGS = {\n    "psv": (".psv",),\n'),
    (
        "tests/forms.py",
        "FILES = {\n",
        'FILES = {\n    "psv": lambda frame: frame.to_csv(index=False, sep="|"),\n',
    ),
    ("src/irpref_lab/plots/value_plots.py", None, PICTURE),
    (
        "src/irpref_lab/plots/__init__.py",
        "import measure_scatter,",
        "import topic_box, measure_scatter,",
    ),
    ("src/irpref_lab/plots/__init__.py", "__all__ = [\n", '__all__ = [\n    "topic_box",\n'),
    ("src/irpref_lab/commands/plot.py", None, BOX),
    (
        "src/irpref/cli/command.py",
        '        "list": (',
        '        "depth": ("irpref.cli.depth:depth", "documents of each run"),\n        "list": (',
    ),
]


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A copy of the repository in which all three were added."""
    home = tmp_path_factory.mktemp("repository")
    for folder in ("src", "tests"):
        shutil.copytree(ROOT / folder, home / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", home)
    for name, found, written in EDITS:
        text = (home / name).read_text(encoding="utf-8")
        assert found is None or text.count(found) == 1, name
        (home / name).write_text(
            text + written if found is None else text.replace(found, written), encoding="utf-8"
        )
    (home / "src/irpref/cli/depth.py").write_text(COMMAND, encoding="utf-8")
    (home / "qrels.psv").write_text("query_id|doc_id|relevance\n1|a|1\n1|b|0\n2|a|1\n2|b|0\n")
    (home / "r.psv").write_text("query_id|doc_id|score\n1|a|2\n1|b|1\n2|b|2\n2|a|1\n")
    return home


def irpref(home, *words):
    return ran(home, "-m", "irpref", *words)


def test_the_page_names_these_places():
    assert all(Path(name).name in PAGE for name, *_ in EDITS)


def test_the_command_of_the_page_is_written_as_ruff_wants_it(repository):
    ran(repository, "-m", "ruff", "check", "src/irpref/cli/depth.py")
    ran(repository, "-m", "ruff", "format", "--check", "src/irpref/cli/depth.py")


def test_the_tests_of_all_forms_pictures_and_commands_take_them(repository):
    chosen = "psv or every_form_is_tried or box or depth"
    files = ["tests/data/test_tables.py", "tests/cli/test_commands.py"]
    said = ran(repository, "-m", "pytest", "-x", "-p", "no:cacheprovider", *files, "-k", chosen)
    assert int(said.rpartition(" passed")[0].split()[-1]) >= 15, said


def test_users_see_the_new_form_and_command(repository):
    assert irpref(repository, "eval", "qrels.psv", "r.psv", "AP") == "AP\t0.7500\n"
    assert (
        irpref(repository, "depth", "qrels.psv", "r.psv", "-o", "tsv") == "run\tdocuments\nr\t4\n"
    )
    assert "\n  depth " in irpref(repository, "--help")
    assert "psv" in irpref(repository, "eval", "--help")


def test_users_see_the_new_picture(repository):
    irpref(repository, "plot", "box", "qrels.psv", "r.psv", "-f", "box.png")
    assert (repository / "box.png").read_bytes().startswith(b"\x89PNG")
    assert "\n  box " in irpref(repository, "plot", "--help")
