"""Break the code in many small ways and see which of them no test notices.

    python tests/mutation.py                                     40 mutants of arrays and measures
    python tests/mutation.py src/irpref/arrays/inversions.py --tests tests/test_inversions.py --number 10 --seed 3

Each mutant changes one comparison, operator, number, truth value, condition or statement of a copy of the package, and
is shown to the tests until one fails. What survives is printed with file and line: a test is missing, or the change
means nothing. Not a test itself, and not part of continuous integration: it takes up to a minute a mutant.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The quick ones first: most mutants are noticed by them.
TESTS = [f"tests/test_{name}.py" for name in ("segments", "inversions", "datasets", "laws", "oracles", "preferences")]
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


def main() -> int:
    """Run some mutants; the exit status is the number of survivors, at most 100."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="default: all of arrays and measures")
    parser.add_argument("--tests", nargs="+", default=TESTS, help="files of tests (default: those of kernels)")
    parser.add_argument("--number", type=int, default=40, help="mutants (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    home = ROOT / "src" / "irpref"
    files = [path.resolve() for path in args.files] or [*home.glob("arrays/*.py"), *home.glob("measures/*.py")]
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(files)}
    every = [(path, index) for path, tree in trees.items() for index, _ in enumerate(mutations(tree))]
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "src"
        shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__"))
        if noticed(copy, args.tests):
            raise SystemExit("the tests fail without a mutant: see them run first")
        for path, index in random.Random(args.seed).sample(every, min(args.number, len(every))):
            text = path.read_text(encoding="utf-8")
            tree = ast.parse(text)
            line, words, node, attribute, value = list(mutations(tree))[index]
            setattr(node, attribute, value)
            target = copy / path.relative_to(ROOT / "src")
            target.write_text(ast.unparse(ast.fix_missing_locations(tree)), encoding="utf-8")
            found = noticed(copy, args.tests)
            target.write_text(text, encoding="utf-8")
            survivors += not found
            where = f"{path.relative_to(ROOT)}:{line}: {words}: {text.splitlines()[line - 1].strip()}"
            print("noticed " if found else "SURVIVED", where, flush=True)
    print(f"{survivors} of {args.number} survived")
    return min(survivors, 100)


def noticed(copy: Path, tests: list[str]) -> bool:
    """Whether a test fails with this copy of the package, or does not end."""
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(copy), "HYPOTHESIS_PROFILE": "quick"}
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=600)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


if __name__ == "__main__":
    sys.exit(main())
