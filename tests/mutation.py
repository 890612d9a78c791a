"""Break the code in many small ways and see which of them no test notices.

    python tests/mutation.py                                    60 mutants of kernels, alignment and reading
    python tests/mutation.py --number 20 --seed 3 src/irpref/measures/rpref.py
    python tests/mutation.py --number 2000 --map map.json --results mutants.txt

Each mutant changes one comparison, operator, number, truth value, condition or statement of a copy of the package.
First, all tests run once to see which function is called by which test, and how long that takes (some minutes; `--map`
keeps it in a file). A mutant is then shown to the tests that call its function, those that call least else first, until
one fails or their time is used up. Arrays, measures, alignment and reading take turns, and so do the files of each, so
that a run may be stopped at any time; `--results` takes a line a mutant as they come, and what is in it already is not
tried again.

What survives is printed with file and line: a test is missing, or the change means nothing. Not a test itself, and not
part of continuous integration: it takes some seconds a mutant.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.util
import itertools
import json
import os
import random
import resource
import shutil
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / "src" / "irpref"
WINGS = ("arrays", "measures", "judged", "formats")
# Tests of pictures, pages and installations: slow, and they look at kernels from far.
LEFT_OUT = {
    *("adding_a_measure", "architecture", "bare", "demo", "examples", "literature", "meta_plots", "plots", "readme"),
    *("registration", "release", "report", "report_browser", "sources_page", "spark", "statistics_pages", "types"),
    "upstream",
}
COMPARISONS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
NAMES = {
    **{"maximum": "minimum", "minimum": "maximum", "ceil": "floor", "floor": "ceil"},
    **{"any": "all", "all": "any", "starts": "ends", "ends": "starts"},
}
SIDES = {"left": "right", "right": "left"}

Mutation = tuple[int, str, ast.AST, str, object]


def mutations(tree: ast.Module) -> Iterator[Mutation]:
    """Line, what changes in words, node, attribute, new value."""
    passive = _passive(tree)
    for node in ast.walk(tree):
        if node in passive:
            continue
        if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
            new = COMPARISONS[type(node.ops[0])]
            yield node.lineno, f"{type(node.ops[0]).__name__} to {new.__name__}", node, "ops", [new(), *node.ops[1:]]
        elif isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in OPERATORS:
            other = OPERATORS[type(node.op)]
            yield node.lineno, f"{type(node.op).__name__} to {other.__name__}", node, "op", other()
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            yield node.lineno, f"{node.value} to {node.value + 1}", node, "value", node.value + 1
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield node.lineno, f"{node.value} to {not node.value}", node, "value", not node.value
        elif isinstance(node, ast.Constant) and node.value in SIDES:
            yield node.lineno, f"{node.value} to {SIDES[node.value]}", node, "value", SIDES[node.value]
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield node.lineno, "not dropped", node, "operand", ast.UnaryOp(ast.Not(), node.operand)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            yield node.lineno, "~ dropped", node, "operand", ast.UnaryOp(ast.Invert(), node.operand)
        elif isinstance(node, ast.Attribute) and node.attr in NAMES:
            yield node.lineno, f"{node.attr} to {NAMES[node.attr]}", node, "attr", NAMES[node.attr]
        elif isinstance(node, ast.BoolOp):
            swapped = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield node.lineno, f"{type(node.op).__name__} to {type(swapped).__name__}", node, "op", swapped
        elif isinstance(node, (ast.If, ast.IfExp)):
            for value in (True, False):
                yield node.lineno, f"condition {value}", node, "test", ast.Constant(value)
        body = getattr(node, "body", None)
        for i, statement in enumerate(body if isinstance(body, list) else []):
            kept = isinstance(statement, ast.Assign) and not isinstance(statement.targets[0], ast.Subscript)
            call = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
            if isinstance(node, ast.Module) or statement in passive or kept:
                continue
            if isinstance(statement, (ast.Assign, ast.AugAssign, ast.Continue, ast.Break)) or call:
                gone = [*body[:i], ast.copy_location(ast.Pass(), statement), *body[i + 1 :]]
                yield statement.lineno, "statement left out", node, "body", gone


def _passive(tree: ast.Module) -> set[ast.AST]:
    """What nothing computes with: annotations, the imports of a type checker, and the examples a declaration names."""
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        parts: list[ast.AST | None] = []
        if isinstance(node, ast.arg):
            parts.append(node.annotation)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            parts.append(node.returns)
        elif isinstance(node, ast.AnnAssign):
            parts.append(node.annotation)
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            parts.append(node)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            parts += [node] * (node.targets[0].id in {"VARIANTS", "EXAMPLE", "__all__"})
        for part in parts:
            found.update(ast.walk(part) if part else ())
    return found


def function_of(tree: ast.Module, line: int) -> int:
    """First line of the innermost function around a line, decorators included, as its code object has it; 0: none."""
    first = 0
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.lineno <= line <= (node.end_lineno or 0):
            first = max(first, min([node.lineno, *(d.lineno for d in node.decorator_list)]))
    return first


def main() -> int:
    """Run some mutants; the exit status is the number of survivors, at most 100."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="default: all of arrays, formats, judged, measures")
    parser.add_argument("--number", type=int, default=60, help="mutants (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--budget", type=float, default=8, help="seconds of tests for one mutant (default: %(default)s)"
    )
    parser.add_argument("--map", type=Path, help="file that keeps which test calls which function")
    parser.add_argument("--results", type=Path, help="file that takes a line a mutant")
    args = parser.parse_args()
    chosen = _sample([path.resolve() for path in args.files], args.seed)
    done = (
        set(args.results.read_text(encoding="utf-8").splitlines()) if args.results and args.results.exists() else set()
    )
    tried = {line.split(" ", 1)[1].strip() for line in done}
    for name in ("hypothesis", "ir_measures", "matplotlib.pyplot", "pandas", "scipy.stats"):
        importlib.import_module(name)
    survivors = number = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "src"
        shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__"))
        tests = Tests(copy, args.map or Path(folder) / "map.json")
        if tests.verdict("arrays/segments.py", 0, args.budget) == "noticed":
            raise SystemExit("the tests fail without a mutant: see them run first")
        for path, index in chosen:
            if number == args.number:
                break
            text = path.read_text(encoding="utf-8")
            tree = ast.parse(text)
            line, words, node, attribute, value = list(mutations(tree))[index]
            where = f"{path.relative_to(ROOT)}:{line}: {words} [{index}]: {text.splitlines()[line - 1].strip()}"
            if where in tried:
                continue
            function = function_of(tree, line)
            setattr(node, attribute, value)
            number += 1
            target = copy / path.relative_to(ROOT / "src")
            _write(target, ast.unparse(ast.fix_missing_locations(tree)))
            try:
                verdict = tests.verdict(path.relative_to(HOME).as_posix(), function, args.budget)
            finally:
                _write(target, text)
            survivors += verdict != "noticed"
            print(f"{verdict:8} {where}", flush=True)
            if args.results:
                with args.results.open("a", encoding="utf-8") as file:
                    file.write(f"{verdict:8} {where}\n")
    print(f"{survivors} of {number} survived")
    return min(survivors, 100)


def _sample(files: list[Path], seed: int) -> list[tuple[Path, int]]:
    """All mutants in an order of which every beginning is a fair sample: groups take turns, and files in a group."""
    chance = random.Random(seed)
    groups = [files] if files else [sorted((HOME / wing).glob("*.py")) for wing in WINGS]
    turns: list[list[tuple[Path, int]]] = []
    for group in groups:
        every: dict[Path, list[int]] = {}
        for path in group:
            every[path] = list(range(sum(1 for _ in mutations(ast.parse(path.read_text(encoding="utf-8"))))))
            chance.shuffle(every[path])
        # A file of a thousand mutants is tried more often than one of ten, but not a hundred times.
        order = [
            ((rank + chance.random()) / len(numbers) ** 0.5, path, i)
            for path, numbers in every.items()
            for rank, i in enumerate(numbers)
        ]
        turns.append([(path, i) for _, path, i in sorted(order)])
    return [one for turn in itertools.zip_longest(*turns) for one in turn if one is not None]


def _write(target: Path, text: str) -> None:
    """Write a module and forget what was compiled of it: two mutants may have one size and one second."""
    target.write_text(text, encoding="utf-8")
    Path(importlib.util.cache_from_source(str(target))).unlink(missing_ok=True)


class Tests:
    """The tests that may notice: which of them call a function, and how long they take."""

    def __init__(self, source: Path, known: Path) -> None:
        self.source, self.folder = source, source.parent
        if not known.exists():
            print("looking which test calls what", flush=True)
            self._pytest([p.name for p in self._files()], 3600, MUTATION_MAP=str(known))
        found = json.loads(known.read_text(encoding="utf-8"))
        self.seconds: dict[str, float] = {name: entry["seconds"] for name, entry in found.items()}
        self.breadth = {name: len(entry["functions"]) for name, entry in found.items()}
        self.callers: dict[str, set[str]] = defaultdict(set)
        for name, entry in found.items():
            for function in entry["functions"]:
                self.callers[function].add(name)
                self.callers[function.split(":")[0]].add(name)

    def verdict(self, module: str, function: int, budget: float) -> str:
        """`noticed`, `SURVIVED`, or `UNCALLED` where no test calls the function."""
        names = self.callers[f"{module}:{function}" if function else module]
        chosen, total, opened = [], 0.0, set()
        for name in sorted(names, key=lambda n: (self.breadth[n] * (0.05 + self.seconds[n]), n)):
            # To import a file of tests takes time, too.
            cost = self.seconds[name] + 0.3 * (name.split("::")[0] not in opened)
            if total + cost <= budget:
                chosen.append(name)
                opened.add(name.split("::")[0])
                total += cost
        if not chosen:
            return "UNCALLED"
        only = self.folder / "only.json"
        only.write_text(json.dumps(chosen), encoding="utf-8")
        files = sorted({name.split("::")[0].rsplit("/", 1)[-1] for name in chosen})
        code = self._pytest(files, 20 + 4 * total, str(self.source / "irpref" / module), MUTATION_ONLY=str(only))
        # 2: a module cannot be imported any more; below 0: it crashed, or ran in circles; 4 and 5: our own mistake.
        if code in (4, 5):
            raise SystemExit(f"pytest ended with {code} for {module}")
        return "noticed" if code else "SURVIVED"

    @staticmethod
    def _files() -> list[Path]:
        return [p for p in sorted((ROOT / "tests").glob("test_*.py")) if p.stem.removeprefix("test_") not in LEFT_OUT]

    def _pytest(self, files: list[str], seconds: float, *more: str, **environment: str) -> int:
        """Exit status of pytest in a process of its own, below 0 where it crashed or took too long.

        The process begins as a copy of this one, which has imported what all tests import but for the package.
        """
        stop = [] if "MUTATION_MAP" in environment else ["-x"]
        tests = [str(ROOT / "tests" / name) for name in files]
        child = os.fork()
        if child == 0:
            code = 3
            try:
                # Of the processor, not of the clock: others may be at work here.
                resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
                silent = os.open(os.devnull, os.O_WRONLY)
                os.dup2(silent, 1)
                os.dup2(silent, 2)
                os.chdir(ROOT)
                path = [str(self.source), str(ROOT / "tests")]
                sys.path[:0] = path
                os.environ.update(PYTHONPATH=os.pathsep.join(path), HYPOTHESIS_PROFILE="quick", **environment)
                options = ["-q", "-p", "mutation", "-p", "no:cacheprovider", *stop]
                # What this process has imported cannot be rewritten, and need not be.
                options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
                code = int(pytest.main([*options, *tests, *more]))
            finally:
                os._exit(code)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


# What follows runs inside pytest, as its plugin (-p mutation).


def pytest_configure(config: Any) -> None:
    """Register what is asked for."""
    if where := os.environ.get("MUTATION_MAP"):
        config.pluginmanager.register(_Recorder(Path(where)))
    if only := os.environ.get("MUTATION_ONLY"):
        config.pluginmanager.register(_Chooser(json.loads(Path(only).read_text(encoding="utf-8"))))


class _Chooser:
    """Run the tests named, in this order, and the doctests of the module before."""

    def __init__(self, names: list[str]) -> None:
        self.place = {name: i for i, name in enumerate(names)}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        kept = [item for item in items if item.nodeid in self.place or not item.nodeid.startswith("tests/")]
        items[:] = sorted(kept, key=lambda item: self.place.get(item.nodeid, -1))


class _Recorder:
    """Write down which functions of the package each test calls."""

    def __init__(self, where: Path) -> None:
        self.where = where
        self.found: dict[str, Any] = {}
        self.codes: dict[int, Any] = {}

    def _trace(self, frame: Any, event: str, arg: Any) -> None:
        code = frame.f_code
        if id(code) not in self.codes:  # a code object is slow to hash
            self.codes[id(code)] = code

    def pytest_runtest_logstart(self) -> None:
        self.codes = {}
        self.began = time.process_time()
        threading.settrace(self._trace)  # type: ignore[arg-type]
        sys.settrace(self._trace)  # type: ignore[arg-type]

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" and report.passed:
            home = os.sep + "irpref" + os.sep
            called = {
                f"{code.co_filename.rpartition(home)[2]}:{code.co_firstlineno}"
                for code in list(self.codes.values())
                if home in code.co_filename
            }
            seconds = time.process_time() - self.began
            self.found[report.nodeid] = {"seconds": seconds, "functions": sorted(called)}

    def pytest_runtest_logfinish(self) -> None:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]

    def pytest_sessionfinish(self) -> None:
        self.where.write_text(json.dumps(self.found), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
