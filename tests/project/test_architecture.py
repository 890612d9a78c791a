"""Imports go in one direction: the plugin never needs the lab, and no two files need each other."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

import irpref

HOME = Path(irpref.__file__).parent
LAB_HOME = HOME.parent / "irpref_lab"
# From the bottom up: a package imports from those before it.
LAYERS = (
    *(
        "errors",
        "messages",
        "datasets",
        "kernel",
        "data",
        "judged",
        "measures",
    ),
    *("settings", "values", "observed", "explanation", "curves", "show", "testing"),
)
SURFACES = ("transformers", "hosts", "cli")  # each may import all layers, and other surfaces
# The lab's own: those of one row may not import each other.
LAB = (
    ("messages", "short_names", "given_values"),
    ("arguments", "calls"),
    ("trust", "remarks"),
    ("across",),
    ("decide", "checking", "judges", "meta", "verifying"),
    ("plots", "spark"),
    ("page",),
    ("commands", "pyterrier"),
)
# Where one part of the lab is part of another's question: compare, gate and intervals with a judge.
ASKED = {
    ("given_values", "decide"),
    ("given_values", "remarks"),
    ("given_values", "trust"),
    ("judges", "decide"),
    ("trust", "judges"),
}


def _name(path):
    parts = path.relative_to(HOME.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {_name(path): path for home in (HOME, LAB_HOME) for path in home.rglob("*.py")}


def _is_of_lab(name):
    return name.partition(".")[0] == "irpref_lab"


def _is_ours(name):
    return name.partition(".")[0] in {"irpref", "irpref_lab"}


def _statements(tree):
    """All statements of a file; imports are no expressions, and those are many more."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(node, block, [])


def _imports(text, types=False):
    """Files of the package that a file imports, wherever in it; with `types`, those of type
    checkers, too.
    """
    tree = ast.parse(text)
    files = set()
    for node in [] if types else _statements(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            (node.orelse if isinstance(node.test, ast.UnaryOp) else node.body).clear()
    for node in ast.walk(tree) if "import_module" in text else _statements(tree):
        if isinstance(node, ast.ImportFrom) and node.module and _is_ours(node.module):
            submodules = {f"{node.module}.{alias.name}" for alias in node.names}
            files |= {name for name in submodules if name in FILES}
            if not submodules <= FILES.keys():
                files.add(node.module)
        elif isinstance(node, ast.Import):
            files |= {alias.name for alias in node.names if _is_ours(alias.name)}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            # A name that is put together at run time may be any file; `irpref` represents it.
            named = node.args[0].value if isinstance(node.args[0], ast.Constant) else "irpref"
            files |= {named} if _is_ours(named) else set()
    return files & FILES.keys()


def _named(tree):
    """Files of the package that a file names for a later import: as whole strings
    (`"irpref.curves"`, or `"curves.blocks"` in a table of names), or as attributes of `irpref`.
    """
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value.partition(":")[0]
            names |= {text, f"irpref.{text}"}
        elif isinstance(node, ast.Attribute):
            names.add(ast.unparse(node))
    return names & FILES.keys()


TREES = {name: path.read_text(encoding="utf-8") for name, path in FILES.items()}
# `irpref` names everything inside; nothing inside but surfaces and the lab imports it.
INSIDE = sorted(FILES.keys() - {"irpref", "irpref.__main__"})
GRAPH = {name: _imports(TREES[name]) - {name} for name in INSIDE}
# Two files may name each other's types; but no type comes from above.
WITH_TYPES = {name: _imports(TREES[name], types=True) for name in INSIDE}


def _circle(graph):
    """A way from a file back to itself; None if there is none."""
    done = set()

    def walk(name, way):
        if name in way:
            return [*way[way.index(name) :], name]
        if name in done:
            return None
        for other in sorted(graph.get(name, ())):
            circle = walk(other, [*way, name])
            if circle:
                return circle
        done.add(name)
        return None

    return next(filter(None, (walk(name, []) for name in sorted(graph))), None)


@pytest.mark.registry
def test_a_circle_would_be_found():
    assert _circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]


@pytest.mark.registry
def test_no_circle_between_files():
    assert _circle(GRAPH) is None


@pytest.mark.parametrize(
    "line",
    [
        "import irpref.curves",
        "from irpref import curves",
        "from irpref.curves import crp",
        "def f():\n    return import_module('irpref.curves')",
        "def f():\n    return importlib.import_module('irpref.curves')",
        "if not TYPE_CHECKING:\n    import irpref.curves",
    ],
)
def test_an_import_is_seen_however_it_is_written(line):
    assert "irpref.curves" in _imports(line)


@pytest.mark.registry
def test_an_import_of_type_checkers_is_one_of_names_only():
    line = "if TYPE_CHECKING:\n    from irpref.curves import crp"
    assert _imports(line) == set()
    assert _imports(line, types=True) == {"irpref.curves"}


@pytest.mark.registry
def test_a_module_that_is_put_together_at_run_time_counts_as_irpref():
    assert _imports("import_module(f'irpref.{name}')") == {"irpref"}


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("HOMES = {'compare': 'irpref_lab.pyterrier'}", "irpref_lab.pyterrier"),
        ("import_module(f'irpref.{name}' if name else 'irpref_lab')", "irpref_lab"),
        ("import_module(f'irpref.{name}' if name else 'curves')", "irpref.curves"),
        ("load('irpref_lab.pyterrier:compare')", "irpref_lab.pyterrier"),
        ("load('irpref_lab.pyterrier')", "irpref_lab.pyterrier"),
        ("import irpref\nirpref.curves.crp(1)", "irpref.curves"),
        ("raise ValueError('irpref_lab.compare(measures, qrels, a, b) compares runs')", None),
    ],
)
def test_a_file_that_is_named_for_later_is_seen(line, name):
    assert _named(ast.parse(line)) == ({name} if name else set())


@pytest.mark.registry
def test_the_top_holds_these_packages_and_no_others():
    top = {
        path.stem
        for path in HOME.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert top - {"__init__", "__main__"} <= {*LAYERS, *SURFACES}


PLUGIN = [name for name in INSIDE if not _is_of_lab(name)]
# Its warnings name the user's line, past the files of all packages that come with it.
NAMES_ALL_PACKAGES = "irpref.messages"


@pytest.mark.parametrize("name", [name for name in PLUGIN if name != NAMES_ALL_PACKAGES])
def test_the_plugin_does_not_know_the_lab(name):
    tree = ast.parse(TREES[name])
    names = WITH_TYPES[name] | _named(tree)
    assert not set(filter(_is_of_lab, names))


@pytest.mark.registry
def test_the_front_door_only_opens_the_lab_when_it_is_asked_for():
    """And then only to say in an error where a name is."""
    tree = ast.parse(TREES["irpref"])
    assert not any(map(_is_of_lab, _imports(ast.unparse(tree.body[:-2]), types=True)))


@pytest.mark.registry
def test_imports_go_in_one_direction():
    against = [
        f"{name} -> {other}"
        for name in PLUGIN
        for other in WITH_TYPES[name]
        if other != "irpref" and _floor(other) > _floor(name)
    ]
    assert not against


def _floor(name):
    layer = name.split(".")[1]
    return LAYERS.index(layer) if layer in LAYERS else len(LAYERS)


@pytest.mark.registry
def test_imports_of_the_lab_go_in_one_direction():
    row = {part: number for number, parts in enumerate(LAB) for part in parts}
    edges = {
        (name.split(".")[1], other.split(".")[1])
        for name in filter(_is_of_lab, INSIDE)
        for other in WITH_TYPES[name]
        if _is_of_lab(other) and "." in name and "." in other
    }
    against = {(a, b) for a, b in edges if a != b and row[b] >= row[a]}
    assert against <= ASKED


@pytest.mark.registry
def test_only_surfaces_come_in_by_the_front_door():
    through = {name.split(".")[1] for name in PLUGIN if "irpref" in WITH_TYPES[name]}
    assert through <= set(SURFACES)


# Packages and modules of the plugin that others may build on: what each exports in `__all__`.
KIT = (
    "kernel",
    "data",
    "judged",
    "measures",
    "values",
    "observed",
    "messages",
    "show",
    *("measures.declare", "measures.names", "measures.everyday"),
    *("cli.command", "cli.arguments", "cli.options", "cli.output", "cli.parameter_types"),
    "cli.say",
)
# Names beyond that which the lab still takes. The number may only fall.
PRIVATE_NAMES_OF_THE_LAB = 30


def _taken(tree):
    """Names of the plugin that a file takes, each with its module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "irpref":
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            modules = (alias.name for alias in node.names)
            yield from (("", name) for name in modules if name.startswith("irpref."))


def _is_public(module, name):
    """Whether a name is one of `irpref` itself, of its public modules, or of the kit; or a module
    of the kit.
    """
    package = module.removeprefix("irpref").removeprefix(".")
    if not package:
        return name in dir(irpref)
    if f"{package}.{name}" in KIT:
        return True
    exported = getattr(import_module(module), "__all__", ()) if package in KIT else ()
    return name in exported or package in irpref._MODULES


@pytest.mark.registry
def test_the_lab_takes_what_the_plugin_exports():
    taken = {pair for name in filter(_is_of_lab, FILES) for pair in _taken(ast.parse(TREES[name]))}
    private = sorted(".".join(pair) for pair in taken if not _is_public(*pair))
    assert len(private) <= PRIVATE_NAMES_OF_THE_LAB, private


@pytest.mark.registry
def test_only_names_that_belong_together_meet_in_pyterrier():
    """`irpref_pyterrier` puts plugin and lab together as `pt.irpref`; nothing here imports it."""
    beside = HOME.parent / "irpref_pyterrier"
    assert {path.stem for path in beside.glob("*.py")} == {"__init__", "namespace"}
    assert not [name for name, text in TREES.items() if "import irpref_pyterrier" in text]


@pytest.mark.registry
@pytest.mark.parametrize("name", sorted(TREES))
def test_errors_are_of_our_own_classes(name):
    """A program can tell them apart."""
    plain = [
        node.lineno
        for node in ast.walk(ast.parse(TREES[name]))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "ValueError"
    ]
    assert not plain


# Where the shell's words belong.
SHELL = ("irpref.cli", "irpref_lab.commands")


def _prose(tree):
    """The texts of a file that are no docstrings."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docstrings
        ):
            yield node.value


@pytest.mark.registry
def test_nothing_below_the_surfaces_names_an_option_or_a_command_of_the_shell():
    """A remedy names an argument, which each surface words."""
    commands = "|".join(["check", "compare", "eval", "explain", "gate", "intervals", "judge"])
    shell = re.compile(rf"irpref ({commands}|leaderboard|list|sample) |(^|[\s(`'])--[a-z]")
    texts = [
        (name, text)
        for name, source in TREES.items()
        if not name.startswith(SHELL)
        for text in _prose(ast.parse(source))
    ]
    texts += [(path.name, path.read_text(encoding="utf-8")) for path in HOME.rglob("*.toml")]
    assert [name for name, text in texts if shell.search(text)] == []


@pytest.mark.registry
def test_sentences_about_findings_leave_the_names_of_arguments_to_the_surface():
    """`{remedy}` and `irpref.messages.argument` name one as Python does, or as the shell does."""
    names = {
        name
        for function in (irpref.run, irpref.judgments, irpref.evaluator)
        for name in inspect.signature(function).parameters
    }
    named = re.compile(rf"\b({'|'.join(names)})=|\b({'|'.join(n for n in names if '_' in n)})\b")
    modules = [name for name in TREES if re.match(r"irpref\.observed\b|irpref_lab\.remarks", name)]
    assert modules
    sentences = [
        (name, text) for name in modules for text in _prose(ast.parse(TREES[name])) if " " in text
    ]
    assert [pair for pair in sentences if named.search(pair[1])] == []
