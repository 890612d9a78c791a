"""Documents: links lead somewhere, code runs, commands are understood, and pages of measures have all their parts.

The tutorials run when the site is built, which also checks its links (`docs/check_site.py`); blocks that begin with
`>>>` are run by the tests of their pages.
"""

import contextlib
import importlib.util
import io
import re
import shlex
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import irpref
from irpref.cli import COMMANDS, whole_parser
from irpref.datasets import load
from irpref.measures import registered

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the documents are not part of the sdist")

GENERATED = ("docs/measures/", "docs/reference/")  # written when the site is built
PAGES = [
    path
    for path in [*ROOT.glob("*.md"), *sorted(DOCS.rglob("*.md"))]
    if not path.relative_to(ROOT).as_posix().startswith(GENERATED)
]
names = [path.relative_to(ROOT).as_posix() for path in PAGES]


def plain(text):
    """Without code, in which brackets mean something else."""
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)


def anchors(path):
    """Addresses of the headings of a document, as GitHub and the site make them."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf8"), flags=re.S)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_links_and_anchors_lead_somewhere(page):
    wrong = []
    for link in re.findall(r"\]\(([^)\s]+)\)", plain(page.read_text(encoding="utf8"))):
        if link.startswith(("http:", "https:", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if target.is_relative_to(ROOT) and target.relative_to(ROOT).as_posix().startswith(GENERATED):
            continue
        if not target.exists() or (anchor and anchor not in anchors(target)):
            wrong.append(link)
    assert wrong == []


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf8"), re.MULTILINE | re.DOTALL)


# What the code of a page takes as given: that of a reader.
def given():
    example = load("synthetic")
    return {
        "irpref": irpref,
        "qrels": example.qrels,
        "runs": {name: example.runs[name] for name in ("strong", "baseline", "broad")},
        "run": example.runs["strong"],
        "run_a": example.runs["strong"],
        "run_b": example.runs["baseline"],
    }


@pytest.mark.filterwarnings("ignore::irpref.IrprefWarning")
@pytest.mark.parametrize("name", ["python.md", "holes.md", "settings.md"])
def test_code_of_a_page_runs_and_prints_what_stands_below_it(name):
    if name == "settings.md":
        pytest.importorskip("ir_datasets")
    text = (DOCS / name).read_text(encoding="utf8")
    space = given()
    found = re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", text, re.MULTILINE | re.DOTALL)
    assert found
    for code, expected in found:
        if ">>>" in code:
            continue
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, name, "exec"), space)
        if expected and "print(" in code:
            assert out.getvalue() == expected


def commands():
    """Command lines of the documents: after a prompt, in shell blocks, set in."""
    for page in PAGES:
        text = page.read_text(encoding="utf8")
        for line in re.findall(r"^(?:\$ |    )?(irpref [a-z]+ .*)$", text, re.MULTILINE):
            command = re.sub(r"\s+#.*| [|>].*$", "", line)
            if command.split()[1] in COMMANDS:
                yield pytest.param(command, id=f"{page.name}: {command}")


@pytest.mark.parametrize("command", list(commands()))
def test_commands_of_the_documents_are_understood(command):
    command = command.replace("\\|", "|").replace("bash|zsh|fish", "bash")
    words = shlex.split(command.replace(" || true", "").replace(" 2>&1", ""))[1:]
    whole_parser().parse_args(words)


def test_the_shell_block_of_the_benchmarks_names_a_module_that_is_there():
    assert importlib.util.find_spec("benchmarks", [str(ROOT)]) or (ROOT / "benchmarks" / "__main__.py").is_file()


# Pages of measures -------------------------------------------------------------------------------------------

HEADINGS = ["Formula", "Worked example", "In other tools", "Parameters", "Calls", "Cite"]


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """The generator of the pages, writing pictures to another folder."""
    pytest.importorskip("matplotlib")
    sys.path.insert(0, str(DOCS / "_ext"))
    try:
        spec = importlib.util.spec_from_file_location("generated", DOCS / "_ext" / "generated.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        import pictures  # noqa: F401  (found while the path is there)
    finally:
        sys.path.remove(str(DOCS / "_ext"))
    module.HERE = tmp_path_factory.mktemp("docs")
    (module.HERE / "measures").mkdir()
    return module


@pytest.mark.parametrize("name", list(registered()))
def test_the_page_of_a_measure_has_all_its_parts(name, generated):
    measure = registered()[name]
    text = generated.measure_page(measure)
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert [heading for heading in headings if heading in HEADINGS] == HEADINGS
    assert measure.QUESTION in text
    assert measure.RANGE in text
    assert ("higher" if measure.higher_is_better else "lower") + " is better" in text
    assert type(measure).USE in text
    assert type(measure).TRAPS in text
    assert re.search(r"\{admonition\} When to use it\n.*\n\S", text)
    assert re.search(r"\{admonition\} Traps\n.*\n\S", text)
    assert "![The ranking from rank 1: " in text
    assert (generated.HERE / "measures" / f"{name}.png").stat().st_size > 3000
    assert "| by hand | computed |" in text
    assert re.search(r"^(Step by step|.*[Bb]y hand)", text, re.MULTILINE)
    assert "```bibtex\n@" in text
    for call in ("ir_measures.calc_aggregate([", "pt.Experiment(", "irpref eval qrels.txt"):
        assert call in text
    assert "The same under another name" in text or "No other tool that we know of computes it" in text


@pytest.mark.parametrize("name", list(registered()))
def test_other_names_of_a_measure_are_measures_of_its_kind_here(name):
    for other, text in type(registered()[name]).ELSEWHERE.items():
        assert name == irpref.parse(text).NAME, other


@pytest.mark.parametrize("name", [n for n, measure in registered().items() if type(measure).DIFFERS])
def test_where_another_tool_differs_our_number_is_that_of_the_example(name):
    for tool, theirs, ours, why in type(registered()[name]).DIFFERS:
        assert theirs != ours, tool
        example = re.match(r"`([a-z0-9-]+)`", why)
        if example:
            printed = {str(e.value) for e in load(example[1]).expected if name == irpref.parse(e.measure).NAME}
            rounded = {f"{float(Fraction(value) if '/' in value else float(value)):.4f}" for value in printed}
            assert ours in printed | rounded, (tool, ours)
