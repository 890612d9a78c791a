"""Refuse to go on unless `irpref` is this checkout's: imported first by each script that writes here.

With an installed copy, as of `pip install .`, a script would describe the copy, or write into it,
and report success.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

_spec = find_spec("irpref")
_found = Path(_spec.origin).resolve() if _spec and _spec.origin else None
if _found is None or not _found.is_relative_to(ROOT / "src"):
    sys.exit(
        f"irpref is {f'imported from {_found.parent}' if _found else 'not installed'}, "
        f"not from {ROOT / 'src'}: run pip install -e '.[test,docs]' in {ROOT}"
    )
