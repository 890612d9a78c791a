"""Every message of the package has its place on the page of warnings and errors: its words, its
meaning, a remedy.
"""

import ast
import re
from pathlib import Path

import pytest

from shells import script

ROOT = Path(__file__).resolve().parents[2]

# What gives a message to a user, and the functions that put one together from parts.
GIVES = re.compile(r".*Error|BadGzipFile|_Malformed|warn_user|warn|hint|say|write")
WORDS = {
    "_unknown",
    "_no_measure",
    "sort_arguments",
    "_another_kind",
    "_fields_wrong",
    "_csv_fault",
    "conflict_text",
    "_same_judgment",
    "caution",
    "_first_wrong",
}
# Frames around the message of another error, which is there itself; parts; progress; what the user
# did.
AROUND = {
    "{} {}\n",
    "{} warning: {}\n",
    "irpref: {}\n",
    "hint: {}",
    "{}, line {}: {}",
    "group {}: {}",
}
PARTS = {"topic {}, group {}: ", "; judges who may disagree belong to different groups"}
PARTS |= {"did you mean {}?", "irpref list shows them all"}
NO_FAULT = {"\r{} million rows\x1b[K", "irpref: interrupted\n", "wrote {} (open it in a browser)"}


def texts(node):
    """Texts that an expression can give, with `{}` for what is filled in."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.IfExp):
        return texts(node.body) + texts(node.orelse)
    parts = []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [texts(node.left) or ["{}"], texts(node.right) or ["{}"]]
    elif isinstance(node, ast.JoinedStr):
        values = [part if isinstance(part, ast.Constant) else part.value for part in node.values]
        parts = [texts(v) if isinstance(v, (ast.Constant, ast.IfExp)) else ["{}"] for v in values]
    found = [""] if parts else []
    for part in parts:
        found = [before + text for before in found for text in part]
    return found


def messages():
    """Where a message is made, and each form that it can have."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf8"))
        made = [
            argument
            for call in ast.walk(tree)
            if isinstance(call, ast.Call)
            and GIVES.fullmatch(ast.unparse(call.func).rpartition(".")[2])
            if not ast.unparse(call.func).endswith("write") or "stderr" in ast.unparse(call.func)
            for argument in call.args
        ]
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef) and function.name in WORDS:
                assigned = [
                    n for n in ast.walk(function) if isinstance(n, (ast.Return, ast.Assign))
                ]
                made += [part for n in assigned for part in getattr(n.value, "elts", [n.value])]
        for node in made:
            for text in texts(node):
                if (
                    re.search("[a-z]{2}", text.replace("{}", ""))
                    and text not in AROUND | PARTS | NO_FAULT
                ):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", text


@pytest.fixture(scope="module")
def troubles():
    return script(ROOT / "docs" / "_ext" / "troubles.py")


@pytest.mark.once
def test_every_message_is_of_a_kind_that_the_page_explains(troubles):
    kinds = [kind for kinds in troubles.KINDS.values() for kind in kinds]
    found = list(messages())
    assert len(found) > 350
    assert [message for message in found if not any(kind.fits(message[1]) for kind in kinds)] == []


@pytest.mark.once
def test_the_words_of_the_page_are_those_of_messages(troubles):
    found = [text for _, text in messages()]
    words = [
        words for kinds in troubles.KINDS.values() for kind in kinds for words in kind.spellings()
    ]
    assert len(set(words)) == len(words)
    assert [
        one for one in words if not any(re.search(troubles.pattern(one), text) for text in found)
    ] == []


def test_a_message_of_each_kind_happens(troubles):
    pytest.importorskip("pyterrier")
    page = "\n".join(troubles.sections())
    assert page.count("\n### ") == sum(map(len, troubles.KINDS.values()))
