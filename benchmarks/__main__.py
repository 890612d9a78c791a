"""`python -m benchmarks`."""

import sys
from pathlib import Path
from runpy import run_path

from benchmarks.run import main

run_path(str(Path(__file__).parents[1] / "docs" / "own_source.py"))
sys.exit(main())
