"""Names, papers and sentences that are kept as data, in the TOML files of this folder."""

import os
from functools import cache
from typing import Any


@cache
def data(file: str) -> dict[str, Any]:
    """What a file says. `names.toml`: names of trec_eval alone, those that mean no measure here,
    misnomers, papers.
    """
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), file), "rb") as opened:
        return tomllib.load(opened)
