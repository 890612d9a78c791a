"""Documents: links lead somewhere, code runs, commands are understood, and pages of measures have
all their parts.

The build of the site checks its links once more (`docs/check_site.py`); blocks that begin with `>>>`
are run by the tests of their pages."""

import ast
import contextlib
import glob
import gzip
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import irpref
import irpref_lab
from irpref.cli import main
from irpref.cli.command import helps
from irpref.datasets import load
from irpref.measures import registered
from irpref.measures.docstring import prose
from irpref.measures.toml_files import compared, data
from shells import qrels_text, run_text, script

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

GENERATED = (
    "docs/measures/",
    "docs/reference/",
    "docs/pyterrier.rst",
)  # written when the site is built
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
        if target.is_relative_to(ROOT) and target.relative_to(ROOT).as_posix().startswith(
            GENERATED
        ):
            continue
        if not target.exists() or (anchor and anchor not in anchors(target)):
            wrong.append(link)
    assert wrong == []


def blocks(page, language):
    return re.findall(
        rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf8"), re.MULTILINE | re.DOTALL
    )


# Modules as the pages call them.
MODULES = {"irpref", "irpref_lab", "ir_measures", "collections", "pathlib", "np", "pd", "pl", "pt"}


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_the_code_of_a_page_imports_what_it_uses(page):
    known, lacking = set(), set()
    for code in blocks(page, "python"):
        if ">>> " in code:
            code = "\n".join(re.findall(r"^(?:>>>|\.\.\.) ?(.*)$", code, re.MULTILINE))
        try:
            nodes = list(ast.walk(ast.parse(code)))
        except SyntaxError:  # a line of a list
            continue
        for node in nodes:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                known |= {(name.asname or name.name).partition(".")[0] for name in node.names}
        used = {node.id for node in nodes if isinstance(node, ast.Name)}
        lacking |= (used & MODULES) - known
    assert not lacking


# What the code of a page takes as given: that of a reader.
def given():
    example = load("synthetic")
    return {
        "irpref": irpref,
        "irpref_lab": irpref_lab,
        "qrels": example.qrels,
        "runs": {name: example.runs[name] for name in ("strong", "baseline", "broad")},
        "judge_of_all": {
            q: {d: 2 * g for d, g in docs.items()} for q, docs in example.qrels.items()
        },
        "run": example.runs["strong"],
        "run_a": example.runs["strong"],
        "run_b": example.runs["baseline"],
    }


# Pages of which all code runs and is followed by what it prints: `python docs/make_output.py PAGE`.
SHOWN = (
    "tutorials/adding-a-measure.md",
    "tutorials/benchmark.md",
    "tutorials/experiment.md",
    "tutorials/own-measure.md",
    "tutorials/preferences.md",
    "tutorials/reading-a-report.md",
    "tutorials/rag.md",
    "tutorials/run-files.md",
    "tutorials/which-measure.md",
    "why-numbers-differ.md",
)
# These take some judgments and runs as given, and run no shell lines of their own.
GIVEN = (
    "python.md",
    "better.md",
    "what-a-verdict-rests-on.md",
    "holes.md",
    "judges.md",
    "judge-until-sure.md",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SHOWN, *GIVEN])
def test_code_of_a_page_runs_and_prints_what_stands_below_it(name, tmp_path, monkeypatch):
    for package in ("matplotlib", "pyterrier", "ir_datasets", "jinja2"):
        pytest.importorskip(package)
    if name in SHOWN:  # in a process of its own: some register measures
        source = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
        done = subprocess.run(
            [sys.executable, DOCS / "make_output.py", "--check", DOCS / name],
            env={**os.environ, "PYTHONPATH": source},
            capture_output=True,
            encoding="utf8",
            timeout=300,
        )
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        return
    # Shell lines of these pages are run by the test below.
    text = (DOCS / name).read_text(encoding="utf8")
    python = re.sub(r"^```sh\n.*?^```\n", "", text, flags=re.MULTILINE | re.DOTALL)
    assert "```python" in python
    monkeypatch.chdir(tmp_path)
    with_output = script(DOCS / "make_output.py").with_output
    assert with_output(python, given()) == python, f"the output on {name} differs"


# Shell lines --------------------------------------------------------------------------------------
#
# Lines of `irpref` run, with the shipped collection under the names of files that a line has. The others (they install,
# build or measure the package itself, or fetch it) begin with one of these; CONTRIBUTING.md says who runs them.
OTHERS = {"pip", "git", "cd", ".", "python", "ruff", "mypy", "pytest"}
PLACEHOLDERS = {
    "REPOSITORY": ".",
    "QRELS": "qrels.txt",
    "RUNS": "runs",
    "RUN": "run.txt",
    "TOPIC": "3",
    "101": "3",
}
PUBLIC = {"beir/scifact/test": "irpref/synthetic"}  # an id of ir_datasets, which would download it


def shell_lines(text):
    """Lines of shell blocks, of blocks that are set in, and of examples in the help of commands."""
    for code in re.findall(r"^```(?:sh|console|bash)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in code.splitlines():
            if not line.startswith(("irpref ", "$ ")) and "$ irpref" in code:
                continue  # what was printed
            yield from line.removeprefix("$ ").partition("   #")[0].split(" && ")
    examples = re.findall(
        r"^(?:    \$? ?(?=irpref [a-z]+ \S*\.\S)|  (?=(?:zcat \S+ \| )?irpref [a-z]+ ))(\S.*)$",
        text,
        re.M,
    )
    yield from (line.partition("   #")[0] for line in examples)


def lines_of_the_documents():
    """Each line once, with the first place that has it."""
    places = {}
    for page in PAGES:
        # Their lines run one after the other, in test_readme.py and above.
        if page == ROOT / "README.md" or page in [DOCS / name for name in SHOWN]:
            continue
        for line in shell_lines(page.read_text(encoding="utf8")):
            places.setdefault(line.strip(), page.name)
    for _, text in helps():
        # A line that ends with a backslash goes on.
        for line in shell_lines(re.sub(r" \\\n +", " ", text)):
            places.setdefault(line.strip(), "help")
    return [pytest.param(line, id=f"{place}: {line}") for line, place in places.items()]


@pytest.fixture(scope="module")
def collection():
    """Files of the shipped collection, as lines: judgments, runs, known documents, topics."""
    example = load("synthetic")
    return {
        "qrels": qrels_text(example.qrels),
        "runs": [run_text(run) for run in example.runs.values()],
        "judge": qrels_text(
            {
                q: {d: 2 * docs[d] + i % 2 for i, d in enumerate(docs)}
                for q, docs in example.qrels.items()
            }
        ),
        "known": qrels_text(
            {q: dict.fromkeys(list(docs)[:2], 1) for q, docs in example.qrels.items()}
        ),
        "topics": "".join(f"{q}\t{text}\n" for q, text in example.queries.items()),
    }


def put_files(line, collection):
    """Write the files that a line names; those that it would write are no files of ours."""
    inputs = re.sub(r"(-f|>) \S+", "", line)
    names = [
        name
        for word in inputs.split()
        for name in ([word] if "*" not in word else ["runs/a.gz", "runs/b.gz"])
    ]
    names += ["runs/a.gz", "runs/b.gz", "runs/bm25.gz"] if "runs" in names else []
    if "filled.csv" in names:  # as `irpref fill` writes it
        rows = (line.split() for line in collection["qrels"].splitlines())
        filled = "".join(f"{topic},{doc},{grade}\n" for topic, _, doc, grade in rows)
        Path("filled.csv").write_text(f"query_id,doc_id,relevance\n{filled}", encoding="utf8")
    number = 0
    for name in names:
        path = Path(name)
        if name == "plan.tsv" or not re.fullmatch(r"[\w./-]+\.(txt|tsv|run|gz)", name):
            continue
        if path.exists():
            continue
        kind = next(
            (
                kind
                for kind in ("qrels", "human", "judge", "known", "seen", "topics")
                if path.name.startswith(kind)
            ),
            "runs",
        )
        text = collection[{"seen": "known", "human": "qrels"}.get(kind, kind)]
        if kind == "runs":
            text, number = text[number % len(text)], number + 1
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())


def put_table(line, collection):
    """Write the published table that a line reads, with a figure of each run, all equal."""
    n = len({row.split()[0] for row in collection["qrels"].splitlines()})
    names = [Path(word).stem for word in line.split() if word.endswith(".run")] or ["a", "b"]
    rows = "".join(f"{name},{n}\n" for name in names)
    Path(line.split()[2]).write_text(f"run,NumQ\n{rows}", encoding="utf8")


def put_values(line, collection):
    """Write the values by topic that a line reads, in the form of `trec_eval -q`, or a folder of
    collections.
    """
    topics = sorted({row.split()[0] for row in collection["qrels"].splitlines()})
    for place, name in enumerate(("main", "candidate", "release", "results/a", "results/b")):
        path = Path(f"{name}.txt")
        path.parent.mkdir(exist_ok=True)
        rows = (
            f"nDCG@10\t{q}\t{0.1 * (i % 7) + 0.001 * (i * (place + 3) % 11):.4f}\n"
            for i, q in enumerate(topics)
        )
        path.write_text("".join(rows), encoding="utf8")
    for name in ("one", "two"):
        folder = Path("folder") / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "qrels.txt").write_text(collection["qrels"], encoding="utf8")
        for run, text in zip(("bm25", "dense"), collection["runs"], strict=False):
            (folder / f"{run}.run").write_text(text, encoding="utf8")


def put_plan(line):
    """Write the plan that a line reads: documents that nobody judged cannot be judged."""
    words = line.split()
    plan = irpref_lab.sample("DCG@10", None, "judge.txt", ["a.run", "b.run"], rng=1)
    judged = irpref.read_qrels(words[2])
    known = set(zip(judged["query_id"], judged["doc_id"], strict=True))
    drawn = zip(plan["query_id"], plan["doc_id"], strict=True)
    facts = plan.attrs
    plan = plan.assign(decision=["" if pair in known else "unjudgeable" for pair in drawn])
    plan.attrs = facts
    plan.save("plan.tsv")


def run_line(line, collection):
    """Run a line where we are; what it printed."""
    if os.name == "nt" or (sys.platform == "darwin" and "zcat" in line):
        pytest.skip("a line for another shell")
    if "--tool ranx" in line:
        pytest.importorskip("ranx")
    words = [PUBLIC.get(word, PLACEHOLDERS.get(word, word)) for word in line.split(" ")]
    line = " ".join(words)
    if "--values" in line or "--collections" in line:
        put_values(line, collection)
    else:
        put_files(line, collection)
    if line.startswith("irpref verify "):
        put_table(line, collection)
    if "--sample plan.tsv" in line:
        put_plan(line)
    if words[0] == "irpref" and not set("|<>;&$") & set(line):
        out, err = io.StringIO(), io.StringIO()
        typed = shlex.split(line)[1:]
        expanded = [
            name for word in typed for name in (sorted(glob.glob(word)) if "*" in word else [word])
        ]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            assert main(expanded) == 0, err.getvalue()
        return out.getvalue()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    source = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    env = {**os.environ, "PATH": path, "PYTHONPATH": source, "PYTHONUTF8": "1"}
    done = subprocess.run(
        ["bash", "-ec", line], capture_output=True, text=True, env=env, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("line", lines_of_the_documents())
def test_shell_lines_of_the_documents_run(line, collection, tmp_path, monkeypatch):
    if "irpref" not in line.split() or line.split()[0] in OTHERS:
        assert line.split()[0] in OTHERS, line
        module = re.match(r"python -m (\w+)", line)
        assert (
            module is None
            or module[1] in ("venv", "sphinx")
            or (ROOT / module[1] / "__main__.py").is_file()
        )
        return
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    run_line(line, collection)


DL19 = Path(os.environ.get("IRPREF_DATA", "no-collections")) / "dl19-passage"


@pytest.mark.skipif(not DL19.is_dir(), reason="TREC-DL 2019 is not among the collections at hand")
def test_the_tables_of_the_command_line_page_are_those_of_the_track(
    tmp_path, monkeypatch, collection
):
    monkeypatch.chdir(tmp_path)
    shutil.copy(DL19 / "qrels" / "qrels.txt.gz", "qrels.txt.gz")
    for ours, theirs in (("bm25", "BM25"), ("bm25_rm3", "BM25_RM3"), ("tasb", "D_BERT_KD_TASB")):
        shutil.copy(DL19 / "runs" / f"first.{theirs}.run.gz", f"{ours}.gz")
    found = blocks(DOCS / "command-line.md", "console")
    assert len(found) == 2
    for block in found:
        line, _, printed = block.removeprefix("$ ").partition("\n")
        assert run_line(line, collection) == printed


# Pages of measures --------------------------------------------------------------------------------

HEADINGS = [
    "Formula",
    "Parameters",
    "Example",
    "Pitfalls",
    "In other tools",
    "The formula, read plainly",
    "Cite",
]


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """The generator of the pages, writing pictures to another folder."""
    pytest.importorskip("matplotlib")
    sys.path.insert(0, str(DOCS / "_ext"))
    try:
        module = script(DOCS / "_ext" / "generated.py")
        import pictures  # noqa: F401  (found while the path is there)
    finally:
        sys.path.remove(str(DOCS / "_ext"))
    module.HERE = tmp_path_factory.mktemp("docs")
    (module.HERE / "measures").mkdir()
    return module


@pytest.mark.slow
@pytest.mark.parametrize("name", list(registered()))
def test_the_page_of_a_measure_has_all_its_parts(name, generated):
    measure = registered()[name]
    said, text = prose(measure), generated.measure_page(measure)
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert [heading for heading in headings if heading in HEADINGS] == HEADINGS
    assert said.question in text
    assert said.formula
    assert f"$$\n{said.formula}\n$$" in text
    assert said.range in text
    assert ("higher" if measure.higher_is_better else "lower") + " is better" in text
    assert f"**When to use it.** {said.use}" in text
    assert said.pitfalls in text
    assert ("-cast2021.png" in text) == (not {"known", "preferences"} & set(measure.NEEDS))
    assert "![The ranking from " in text
    assert (generated.HERE / "measures" / f"{name}.png").stat().st_size > 3000
    assert "| by hand | computed |" in text
    assert re.search(r"^(Step by step|.*[Bb]y hand)", text, re.MULTILINE)
    assert "```bibtex\n@" in text
    for call in ("ir_measures.calc_aggregate([", "pt.Experiment(", "irpref eval qrels.txt"):
        assert call in text
    assert "under another name" in text or "No other tool" in text


@pytest.mark.parametrize("name", list(data("everyday.toml")))
def test_the_page_of_a_measure_of_ir_measures_has_formula_and_example(name, generated):
    said = data("everyday.toml")[name]
    text = generated.everyday_page(name)
    headings = ["Formula", "Parameters", "Example", "Pitfalls"]
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == headings
    for part in ("question", "use", "pitfalls", "formula"):
        assert said[part] in text
    assert said["example"]["hand"] in text
    assert "sum  " in text
    assert f"[{name}]({name}.md)" in generated.everyday_table()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::irpref.IrprefWarning")
@pytest.mark.parametrize("name", list(registered()))
def test_the_calls_of_a_page_run(name, generated, collection, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    example = load("synthetic")
    data = pytest.importorskip("pyterrier").get_dataset("irpref:synthetic")
    known = {q: list(docs)[:2] for q, docs in example.qrels.items()}
    systems = [data.get_results("strong"), data.get_results("noisy")]
    in_pyterrier = {"systems": systems, "topics": data.get_topics(), "qrels": data.get_qrels()}
    text = generated.calls(registered()[name])
    host, pyterrier = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    exec(compile(host, name, "exec"), {**given(), "known": known})
    exec(compile(pyterrier, name, "exec"), {**in_pyterrier, "known": known})
    (line,) = re.findall(r"^```sh\n(.*)\n```", text, re.M)
    assert run_line(line, collection)


@pytest.mark.parametrize("name", list(registered()))
def test_other_names_of_a_measure_are_measures_of_its_kind_here(name):
    for other, text in compared(registered()[name]).elsewhere.items():
        assert name == irpref.parse(text).NAME, other


@pytest.mark.parametrize(
    "name", [n for n, measure in registered().items() if compared(measure).differs]
)
def test_where_another_tool_differs_our_number_is_that_of_the_example(name):
    for one in compared(registered()[name]).differs:
        tool, ours = one["tool"], one["here"]
        assert one["theirs"] != ours, tool
        example = re.match(r"`([a-z0-9-]+)`", one["why"])
        if example:
            printed = {
                str(e.value)
                for e in load(example[1]).expected
                if name == irpref.parse(e.measure).NAME
            }
            rounded = {
                f"{float(Fraction(value) if '/' in value else float(value)):.4f}"
                for value in printed
            }
            assert ours in printed | rounded, (tool, ours)


def test_links_that_leave_the_site_have_one_form(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    from check_site import outside

    doi = "https://doi.org/10.1145/582415.582418"
    assert outside({doi, "#here", "page.html"}) == []
    for wrong in (
        "http://trec.nist.gov",
        "https://doi.org/582415",
        doi.replace("doi", "dx.doi", 1),
        "mailto:",
    ):
        assert outside({wrong}) == [line for line in outside({wrong}) if wrong in line] != []
    assert len(outside({"https://www.a.org/b/", "https://a.org/b"})) == 1
