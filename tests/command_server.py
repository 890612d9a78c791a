"""The command in a process of its own, without importing everything again for each: a process that
has imported what the commands need is forked for every call.

What is only true of a fresh interpreter (how early Ctrl-C is heard, what is imported) needs one, and
so do hosts without irpref.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Any

CLOSED = -1  # for a stream: not opened at all
File = IO[Any] | int


class CommandServer:
    """Runs `python -m irpref`, one call at a time."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                # A process with threads should not be forked.
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )
        self._socket, self._lines = ours, ours.makefile("rw")

    def start(
        self,
        words: Sequence[str],
        stdin: File,
        stdout: File,
        stderr: File,
        env: Mapping[str, str] | None = None,
        code: str | None = None,
    ) -> None:
        """Start a command in the current directory; or `code` in its place."""
        streams = [
            file if isinstance(file, int) else file.fileno() for file in (stdin, stdout, stderr)
        ]
        request = {
            "words": list(words),
            "code": code,
            "folder": os.getcwd(),
            "environment": dict(os.environ if env is None else env),
            "closed": [i for i, number in enumerate(streams) if number == CLOSED],
        }
        socket.send_fds(self._socket, [b"."], [n for n in streams if n != CLOSED])
        print(json.dumps(request), file=self._lines, flush=True)

    def wait(self) -> int:
        """Wait for the end of what was started; return its status."""
        answer = self._lines.readline()
        assert answer, "the process that starts commands ended"
        return int(answer)

    def __call__(
        self,
        *words: str,
        stdin: File | None = None,
        stdout: File | None = None,
        stderr: File | None = None,
        env: Mapping[str, str] | None = None,
        code: str | None = None,
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end; what has no file to go to is in the answer."""
        with (
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
            open(os.devnull, "rb") as nothing,
        ):
            streams = (
                nothing if stdin is None else stdin,
                out if stdout is None else stdout,
                err if stderr is None else stderr,
            )
            self.start(words, *streams, env=env, code=code)
            status = self.wait()
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode("utf-8"))
        return subprocess.CompletedProcess(words, status, *texts)

    def close(self) -> None:
        self._lines.close()
        self._socket.close()
        self._process.wait()


# In the process itself --------------------


def _stream(number: int, mode: str, **how: Any) -> IO[str] | None:
    """Open a standard stream as Python does at its start."""
    try:
        screen = os.isatty(number)
        os.fstat(number)
    except OSError:
        return None
    return open(number, mode, closefd=False, encoding="utf-8", **how, buffering=1 if screen else -1)


def _become(request: Mapping[str, Any], descriptors: Sequence[int]) -> None:
    """Take the streams, the directory, the environment and the words of a command."""
    given = iter(descriptors)
    for number in range(3):
        if number in request["closed"]:
            os.close(number)
        else:
            descriptor = next(given)
            os.dup2(descriptor, number)
            os.close(descriptor)
    sys.stdin = _stream(0, "r")  # type: ignore[assignment]
    sys.stdout = _stream(1, "w")  # type: ignore[assignment]
    sys.stderr = _stream(2, "w", errors="backslashreplace")  # type: ignore[assignment]
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = ["irpref", *request["words"]]


def _next_command(channel: socket.socket) -> str | None:
    """Return, in the process of a command, its code; and in the first process after the last
    command, None.
    """
    lines = channel.makefile("rw")
    while True:
        begun, descriptors, _, _ = socket.recv_fds(channel, 1, 3)
        if not begun:
            return None
        request = json.loads(lines.readline())
        child = os.fork()
        if not child:
            _become(request, descriptors)
            return request["code"] or "from irpref.cli import script; script()"
        for descriptor in descriptors:
            os.close(descriptor)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(status, file=lines, flush=True)


def _import_all() -> None:
    import pandas  # noqa: F401
    import pytrec_eval  # noqa: F401
    import scipy.stats  # noqa: F401

    import irpref.cli
    import irpref_lab

    for module in (irpref, irpref_lab):
        for name in module.__all__:
            with suppress(ImportError):  # of an extra
                getattr(module, name)


def _main() -> None:
    channel = socket.socket(fileno=int(sys.argv[1]))
    _import_all()
    code = _next_command(channel)
    if code is not None:
        exec(code, {"__name__": "__main__"})


if __name__ == "__main__":
    sys.path.pop(0)  # tests/: nobody's path
    _main()
