"""Names of measures in MTEB, ranx, recommenders and tools for RAG.

    ndcg_at_10, recall_at_100      MTEB: `_at_` before the cutoff
    HR@5, Hit@10, hit_rate@5       hit rate, which is Success here
    map@100-l2                     ranx: `-l2` for the lowest relevant grade

`names.toml` lists them. A name is read if the tool's own value is equal here, which a test shows
with the formula of that tool; others are refused with the difference."""

from __future__ import annotations

import re

from irpref.errors import UnknownMeasureError
from irpref.measures.toml_files import data
from irpref.messages import clipped

AT = re.compile(r"([A-Za-z][A-Za-z0-9_-]*)_at_([0-9]+)", re.IGNORECASE)
_LEVEL = re.compile(r"([A-Za-z][A-Za-z0-9_-]*)((?:@[0-9]+)?)-l([1-9][0-9]*)", re.IGNORECASE)


def translated(name: str) -> str:
    """Return a name of MTEB or ranx in the words of this package, and any other as it is.

    Raises
    ------
    ValueError
        The tool computes something else under this name.

    Examples
    --------
    >>> translated("ndcg_at_10"), translated("map@100-l2"), translated("nDCG@10")
    ('nDCG@10', 'AP(rel=2)@100', 'nDCG@10')
    """
    if at := AT.fullmatch(name):
        head, cutoff = at.groups()
        check_equal(name, head)
        known = _table("at").get(plain(head))
        return f"{known}@{cutoff}" if known else name
    level = _LEVEL.fullmatch(name)
    if level is None:
        return name
    head, cutoff, least = level.groups()
    check_equal(name, head)
    if known := _table("level").get(plain(head)):
        return f"{known}(rel={least}){cutoff}"
    same = ""
    if plain(head) == "ndcg" and 1 < int(least) < 10:
        gains = ",".join(f"{grade}:0" for grade in range(1, int(least)))
        same = f"; nDCG(gains={{{gains}}}){cutoff} is the same for whole grades"
    raise _differs(name, f"ranx drops the documents below grade {least} from the judgments{same}")


def same_elsewhere(head: str) -> str | None:
    """Return the measure here that other tools call `head`, whatever its parameters."""
    return _table("named").get(plain(head))


def check_equal(name: str, head: str) -> None:
    """Refuse a name that stands for something else elsewhere, with the difference."""
    if why := _table("differs").get(plain(head)):
        raise _differs(name, why)


def plain(name: str) -> str:
    """Return a name without what people spell differently: case, hyphens, blanks; `+` is `plus`."""
    return re.sub(r"[-_\s]", "", name.lower().replace("+", "plus"))


def _table(which: str) -> dict[str, str]:
    found: dict[str, str] = data("names.toml")["elsewhere"][which]
    return found


def _differs(name: str, why: str) -> UnknownMeasureError:
    return UnknownMeasureError(f"{clipped(name)!r} has no measure here: {why}", measure=name)
