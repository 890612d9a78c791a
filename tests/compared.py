"""How many values were compared with which other tool: tests count where they compare, `--compared
FILE` writes it down.

`docs/make_proved.py` makes a page of it.
"""

import json
import os
from collections import Counter

# What values are compared with -> how.
ORACLE = "loops written from the formula, by the definition alone (`tests/reference`)"
PAPERS = "values printed in the papers, and worked out by hand as fractions (`irpref.datasets`)"
HOST = "ir_measures, with pytrec_eval behind it"
TREC_EVAL = "trec_eval 10.0, the program: what it printed"
NTCIREVAL = "NTCIREVAL, the program: what it printed for its own sample"
PYNTCIREVAL = "pyNTCIREVAL"
NIST = "NIST's published figures of TREC-COVID, round 3"
ORDERS = "every order of tied documents, one after the other"

VALUES: Counter[tuple[str, str]] = Counter()


def count(other: str, n: int) -> None:
    """Note that the running test compared `n` values with `other`."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0].partition("[")[0]
    VALUES[other, test] += n


def written() -> str:
    """Write the counts as JSON: compared with, test, number."""
    rows = [
        {"with": other, "test": test, "values": n} for (other, test), n in sorted(VALUES.items())
    ]
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"
