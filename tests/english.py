"""Count how docstrings are worded: whether functions' docstrings begin with a verb, and how often
words that good documentation rarely needs are used.

``python tests/english.py [FILE_OR_FOLDER ...]`` prints the figures of each, and with ``--list`` the
functions whose docstring begins otherwise.
"""

import ast
import re
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Their first words, in the imperative. One that is a noun as well ("Rank", "Name") counts unless a
# comma, a colon or "of" follows.
VERBS = frozenset(
    """
    accept add adjust admit align allow append apply arrange ask assign attach average begin bind
    bound break bring build cache calculate calibrate call cast change check choose cite clear clip
    close collect color colour combine compare compile complete compute concatenate condense
    configure connect convert copy correct correlate count cover create cut decide declare decode
    decorate decrease derive describe detect display divide do download draft draw drive drop
    encode end ensure enter escape estimate evaluate exclude expand expect explain export extend
    extract factorize fetch fill filter find fit fix fold follow forget format gather generate get
    give go grade group guess hash hold identify ignore import include increase index infer insert
    interpolate invert iterate join judge keep label lay leave let limit list load locate log look
    lower make map mark match mean measure merge move multiply name narrow normalise note number
    observe obtain offer omit open order pad pair parse pass permute pick place plan plot pool predict
    prefer prepare press print project prove provide publish put quote raise rank reach read
    rebuild receive recognise recompute record reduce refuse register reload remember remove rename
    render repeat replace report reshape resolve restore restrict return reverse round run sample
    save say scale scan score search see select send serialise set shift shorten show shuffle
    silence simulate sketch skip smooth solve sort spell split spread stack start state stop store
    strip subtract suggest sum summarise suppress swap tabulate take tell test time transform
    translate trim truncate try turn undo unite unpack update use validate view visit wait walk
    warn weigh weight widen word wrap write yield
    """.split()  # noqa: SIM905
)
RARE = {
    word: re.compile(rf"\b{word}\b", re.I) for word in ("what", "that of", "those of", "of them")
}


class Docstring(NamedTuple):
    """A docstring; `counts` if it is a function's, properties and declared overloads apart."""

    where: str
    text: str
    counts: bool

    @property
    def begins_with_a_verb(self):
        word, _, rest = self.text.partition(" ")
        is_noun = rest.startswith("of ") and word != "Warn"
        return word.lower() in VERBS and not is_noun


def docstrings_of(path):
    """Yield each docstring of a file."""
    yield from _inside(ast.parse(path.read_text(encoding="utf-8")), path.as_posix(), "::")


def _inside(node, name, separator):
    if isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS)) and (
        text := ast.get_docstring(node)
    ):
        yield Docstring(name, text, isinstance(node, FUNCTIONS) and not _is_property(node))
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.ClassDef, *FUNCTIONS)):
            yield from _inside(child, f"{name}{separator}{child.name}", ".")
        else:
            yield from _inside(child, name, separator)


def _is_property(function):
    return any(
        ast.unparse(decorator).rpartition(".")[2] in {"property", "cached_property", "setter"}
        for decorator in function.decorator_list
    )


def figures(docstrings):
    """Return the number of functions' docstrings, the share that begins with a verb, and for each
    rare word its uses in 1,000 words of all docstrings.
    """
    docstrings = list(docstrings)
    functions = [docstring for docstring in docstrings if docstring.counts]
    verbs = sum(docstring.begins_with_a_verb for docstring in functions)
    words = Counter()
    for docstring in docstrings:
        words["all"] += len(re.findall(r"[\w'-]+", docstring.text))
        words.update({word: len(rare.findall(docstring.text)) for word, rare in RARE.items()})
    of_1000 = {word: 1000 * words[word] / max(words["all"], 1) for word in RARE}
    return len(functions), verbs / max(len(functions), 1), of_1000


def docstrings_in(place):
    """Yield each docstring of a file, or of all files in a folder."""
    for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
        yield from docstrings_of(path)


def main(arguments):
    places = [Path(name) for name in arguments if name != "--list"] or [ROOT / "src"]
    for place in places:
        number, share, of_1000 = figures(docstrings_in(place))
        rare = ", ".join(f"{word} {value:.2f}" for word, value in of_1000.items())
        print(f"{place}: {number} functions, {share:.1%} begin with a verb; of 1,000 words: {rare}")
        if "--list" in arguments:
            for docstring in docstrings_in(place):
                if docstring.counts and not docstring.begins_with_a_verb:
                    print(f"  {docstring.where}: {docstring.text.splitlines()[0]}")


if __name__ == "__main__":
    main(sys.argv[1:])
