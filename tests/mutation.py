"""Break the code in many small ways and see which of them no test notices.

    python tests/mutation.py                                    60 mutants of kernels, alignment and reading
    python tests/mutation.py --number 20 --seed 3 src/irpref/measures/rpref.py

Each mutant changes one comparison, operator, constant or truth value of a copy of the package, and runs the tests that
look at that wing. What survives is printed with file and line: a test is missing, or the change means nothing. Not a
test itself: it takes some seconds a mutant.
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
WINGS = {
    "arrays": ["test_segments.py", "test_oracles.py", "test_laws.py"],
    "measures": ["test_oracles.py", "test_laws.py", "test_agreement.py", "test_datasets.py", "test_accelerate.py"],
    "judged": ["test_match.py", "test_laws.py", "test_bad_input.py", "test_trec.py"],
    "formats": ["test_trec.py", "test_bad_input.py"],
}
COMPARISONS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.BitAnd: ast.BitOr}
NAMES = {"maximum": "minimum", "minimum": "maximum", "ceil": "floor", "floor": "ceil", "left": "right"}


def mutations(tree: ast.Module) -> Iterator[tuple[int, str, ast.AST, str, object]]:
    """Line, what changes in words, node, attribute, new value."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
            new = COMPARISONS[type(node.ops[0])]
            yield node.lineno, f"{type(node.ops[0]).__name__} to {new.__name__}", node, "ops", [new(), *node.ops[1:]]
        elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            other = OPERATORS[type(node.op)]
            yield node.lineno, f"{type(node.op).__name__} to {other.__name__}", node, "op", other()
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            yield node.lineno, f"{node.value} to {node.value + 1}", node, "value", node.value + 1
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield node.lineno, f"{node.value} to {not node.value}", node, "value", not node.value
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.Invert)):
            yield node.lineno, "negation dropped", node, "op", ast.UAdd()
        elif isinstance(node, ast.Attribute) and node.attr in NAMES:
            yield node.lineno, f"{node.attr} to {NAMES[node.attr]}", node, "attr", NAMES[node.attr]


def main() -> int:
    """Run some mutants; the exit status is the number of survivors, at most 100."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="default: all of arrays, formats, judged, measures")
    parser.add_argument("--number", type=int, default=60, help="mutants (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=240, help="for one mutant, then it counts as noticed")
    args = parser.parse_args()
    home = ROOT / "src" / "irpref"
    files = [path.resolve() for path in args.files] or [p for wing in WINGS for p in sorted((home / wing).glob("*.py"))]
    every = [(path, i) for path in files for i, _ in enumerate(mutations(ast.parse(path.read_text(encoding="utf-8"))))]
    chosen = random.Random(args.seed).sample(every, min(args.number, len(every)))
    print(f"{len(every)} mutants, {len(chosen)} tried")
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "src"
        shutil.copytree(ROOT / "src", copy)
        for path, number in sorted(chosen):
            text = path.read_text(encoding="utf-8")
            tree = ast.parse(text)
            line, words, node, attribute, value = list(mutations(tree))[number]
            setattr(node, attribute, value)
            target = copy / path.relative_to(ROOT / "src")
            target.write_text(ast.unparse(tree), encoding="utf-8")
            try:
                noticed = _noticed(path.relative_to(home).parts[0], copy, args.seconds)
            finally:
                target.write_text(text, encoding="utf-8")
            survivors += not noticed
            where = f"{path.relative_to(ROOT)}:{line}: {words}"
            print(f"{'noticed ' if noticed else 'SURVIVED'} {where}: {text.splitlines()[line - 1].strip()}", flush=True)
    print(f"{survivors} of {len(chosen)} survived")
    return min(survivors, 100)


def _noticed(wing: str, source: Path, seconds: int) -> bool:
    tests = [str(ROOT / "tests" / name) for name in WINGS[wing]]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    path = os.pathsep.join([str(source), str(ROOT / "tests")])
    try:
        return bool(
            subprocess.run(
                command,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": path, "HYPOTHESIS_PROFILE": "dev"},
                capture_output=True,
                timeout=seconds,
                check=False,
            ).returncode
        )
    except subprocess.TimeoutExpired:
        return True


if __name__ == "__main__":
    sys.exit(main())
