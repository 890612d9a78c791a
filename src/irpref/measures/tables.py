"""Names and papers that are kept as data, in `names.toml`."""

from functools import cache
from pathlib import Path


@cache
def other_names() -> dict[str, dict[str, str]]:
    """What `names.toml` says: names of trec_eval alone, those that mean no measure here, common misnomers, papers."""
    import tomllib

    return tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))
