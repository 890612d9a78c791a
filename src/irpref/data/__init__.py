"""Files of runs and judgments, read into tables."""

from irpref.data.notes import digest_of, hashed
from irpref.data.replace import replaced
from irpref.data.run_names import each_run, named_runs, run_names
from irpref.data.source import Ending, Source

__all__ = [
    "Ending",
    "Source",
    "digest_of",
    "each_run",
    "hashed",
    "named_runs",
    "replaced",
    "run_names",
]
