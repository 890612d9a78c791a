"""The door through which the `irpref` command comes in.

Outside of `irpref`, since what it does must come before that package and all that it needs are imported.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys


def main() -> int:
    """Run the command with the arguments of the process; returns its exit status."""
    # Modules stay to the end: looking for garbage while they are imported takes a twentieth of a short run.
    gc.disable()
    # Nothing here multiplies matrices; the threads that would do so take as long to start as our own modules to load.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    ended: list[int] = []
    # What is registered first is called last: threads have ended by then, and everybody else has tidied up.
    atexit.register(_leave, ended)
    try:
        from irpref.cli import main as run
    except KeyboardInterrupt:
        sys.stderr.write("irpref: interrupted\n")
        return 130
    ended.append(run())
    return ended[0]


def _leave(ended: list[int]) -> None:
    """End the process as it stands: to take its modules apart, one by one, is a tenth of a short run."""
    if not ended:
        return  # an error of ours, which Python shows
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return  # Python says so in its own way
    os._exit(ended[0])
