"""The script `irpref`, from its first moment: all else is imported when Ctrl-C is one line.

It is a package of its own because `import irpref` comes before all modules of `irpref`."""

from __future__ import annotations

import gc
import os
import signal

TYPE_CHECKING = False  # `typing` itself takes a tenth of the time until Ctrl-C is one line
if TYPE_CHECKING:
    from typing import Any, NoReturn

_INTERRUPTED = 130
_OBJECTS = 100_000


def _interrupted(*_: Any) -> NoReturn:
    """End while modules are imported: there is nothing to clean up, and half a module stays."""
    os.write(2, b"irpref: interrupted\n")
    os._exit(_INTERRUPTED)


def script() -> NoReturn:
    """Run the command and end the process."""
    # Modules and tables are many objects with few cycles: looking for these after every 700 costs
    # up to a twentieth of a command's time.
    gc.set_threshold(_OBJECTS)
    before = signal.getsignal(signal.SIGINT)
    # Whoever started the process may have it ignore the signal, as `nohup` and `&` do.
    is_usual = before is signal.default_int_handler
    if is_usual:
        signal.signal(signal.SIGINT, _interrupted)
    from irpref.cli import script as command

    if is_usual:
        signal.signal(signal.SIGINT, before)
    try:
        command()
    except KeyboardInterrupt:
        _interrupted()
    finally:
        # The process ends: Python would look for cycles among all modules, several times, which
        # takes a fifth of the time of a command on small files.
        gc.freeze()
