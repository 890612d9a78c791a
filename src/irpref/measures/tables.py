"""Names, papers and sentences that are kept as data, in the TOML files of this folder."""

from functools import cache
from pathlib import Path
from typing import Any


@cache
def data(file: str) -> dict[str, Any]:
    """What a file says. `names.toml`: names of trec_eval alone, those that mean no measure here, misnomers, papers."""
    import tomllib

    return tomllib.loads(Path(__file__).with_name(file).read_text(encoding="utf-8"))
