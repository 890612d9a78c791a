"""The door through which the `irpref` command comes in.

Outside of `irpref`, since what it does must come before that package and all that it needs are imported.
"""

from __future__ import annotations

import gc
import sys


def main() -> int:
    """Run the command with the arguments of the process; returns its exit status."""
    # Modules stay to the end: looking for garbage while they are imported takes a twentieth of a short run.
    gc.disable()
    try:
        from irpref.cli import main as run
    except KeyboardInterrupt:
        sys.stderr.write("irpref: interrupted\n")
        return 130
    return run()
