"""Imports go in one direction, and no two files need each other."""

import ast
from pathlib import Path

import pytest

import irpref

HOME = Path(irpref.__file__).parent
# From the bottom up: a package imports from those before it. `messages` is below all of them.
LAYERS = (
    *("messages", "reference", "arrays", "datasets", "formats", "judged", "measures", "values"),
    *("analysis", "meta", "show"),
)
SURFACES = ("hosts", "cli")


def _name(path):
    parts = ["irpref", *path.relative_to(HOME).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {_name(path): path for path in HOME.rglob("*.py")}


def _imports(tree, types=False):
    """Files of the package that a file imports, wherever in it; with `types`, those of type
    checkers, too.
    """
    found = set()
    for node in [] if types else list(ast.walk(tree)):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            (node.orelse if isinstance(node.test, ast.UnaryOp) else node.body).clear()
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.partition(".")[0] == "irpref"
        ):
            submodules = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name for name in submodules if name in FILES} or {node.module}
            if not submodules <= FILES.keys():
                found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {
                alias.name for alias in node.names if alias.name.partition(".")[0] == "irpref"
            }
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            # A name that is put together at run time may be any file; `irpref` represents it.
            text = node.args[0].value if isinstance(node.args[0], ast.Constant) else "irpref"
            found |= {text} if text.partition(".")[0] == "irpref" else set()
    return found & FILES.keys()


# `irpref` names everything inside; nothing inside imports it.
INSIDE = {name: path for name, path in FILES.items() if name not in ("irpref", "irpref.__main__")}
GRAPH = {
    name: _imports(ast.parse(path.read_text(encoding="utf-8"))) - {name}
    for name, path in INSIDE.items()
}
# Two files may name each other's types; but no type comes from above.
NAMED = {
    name: _imports(ast.parse(path.read_text(encoding="utf-8")), types=True)
    for name, path in INSIDE.items()
}


def _circle(graph):
    """A way from a file back to itself; None if there is none."""
    done = set()

    def walk(name, way):
        if name in way:
            return [*way[way.index(name) :], name]
        if name in done:
            return None
        for other in sorted(graph.get(name, ())):
            found = walk(other, [*way, name])
            if found:
                return found
        done.add(name)
        return None

    return next(filter(None, (walk(name, []) for name in sorted(graph))), None)


def test_a_circle_would_be_found():
    assert _circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]


def test_no_circle_between_files():
    assert _circle(GRAPH) is None


@pytest.mark.parametrize(
    "line",
    [
        "import irpref.plots",
        "from irpref.show import plots",
        "from irpref.plots import crp",
        "def f():\n    return import_module('irpref.plots')",
        "def f():\n    return importlib.import_module('irpref.plots')",
        "if not TYPE_CHECKING:\n    import irpref.plots",
    ],
)
def test_an_import_is_seen_however_it_is_written(line):
    assert "irpref.plots" in _imports(ast.parse(line))


def test_an_import_of_type_checkers_is_one_of_names_only():
    line = "if TYPE_CHECKING:\n    from irpref.plots import crp"
    assert _imports(ast.parse(line)) == set()
    assert _imports(ast.parse(line), types=True) == {"irpref.plots"}


def test_a_module_that_is_put_together_at_run_time_counts_as_irpref():
    assert _imports(ast.parse("import_module(f'irpref.{name}')")) == {"irpref"}


def test_the_top_holds_these_packages_and_no_others():
    found = {
        path.stem
        for path in HOME.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert found - {"__init__", "__main__"} == {*LAYERS, *SURFACES}


def test_imports_go_in_one_direction():
    against = [
        f"{name} -> {other}"
        for name, others in NAMED.items()
        for other in others
        if other != "irpref" and _floor(other) > _floor(name)
    ]
    assert not against


def _floor(name):
    layer = name.split(".")[1]
    return LAYERS.index(layer) if layer in LAYERS else len(LAYERS)


def test_only_surfaces_come_in_by_the_front_door():
    assert {name.split(".")[1] for name, others in NAMED.items() if "irpref" in others} <= set(
        SURFACES
    )


def test_the_picture_of_the_house_names_what_is_in_its_rooms():
    page = (Path(__file__).resolve().parents[2] / "docs" / "architecture.md").read_text(
        encoding="utf-8"
    )
    paths = [
        path
        for layer in ("arrays", "formats", "judged", "measures")
        for path in (HOME / layer).glob("*.py")
    ]
    # A definition has a page of its own.
    parts = [path.stem for path in paths if "= register(" not in path.read_text(encoding="utf-8")]
    assert [name for name in parts if name != "__init__" and f"`{name}`" not in page] == []
