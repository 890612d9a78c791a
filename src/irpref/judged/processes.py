"""Many small files worked on by several processes.

Threads share one interpreter, which does a large part of the work on a small file: two threads are hardly faster than
one. Processes share nothing. They are forked before anything is read; each prepares for itself, and takes the next
file when it has finished one.

Only the command does this, which has no other threads that a fork could interrupt: a library must not.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from os.path import isdir, isfile
from typing import Any, Generic, TypeVar

from irpref.formats.source import PACKED, Source
from irpref.judged.stream import Done, done, n_jobs

T = TypeVar("T")
LEAST = 24 << 20  # bytes of text from which another process is worth its start
LARGEST = 64 << 20  # of a file: larger ones are read by several threads
_PACKED = 4  # bytes of text in a byte of a packed file, about
_MOST = 1 << 14  # files whose numbers a pipe holds before they are read


def n_processes(paths: Sequence[str], shared: Sequence[str | None] = (), jobs: int | None = None) -> int:
    """How many processes these files are worth, this one included; 1 if there can be no other. See `processes`."""
    if not sys.platform.startswith("linux") or threading.active_count() > 1:
        return 1
    if any(name == "-" or (name and os.path.exists(name) and not (isfile(name) or isdir(name))) for name in shared):
        return 1
    sizes = []
    for path in paths:
        if path == "-" or not Source(path).is_file():
            return 1
        sizes.append(os.path.getsize(path) * (_PACKED if path.lower().endswith(PACKED) else 1))
    if not sizes or max(sizes) > LARGEST or len(sizes) > _MOST:
        return 1
    return max(min(n_jobs() if jobs is None else jobs, len(sizes), sum(sizes) // LEAST), 1)


class Processes(Generic[T]):
    """Processes that wait for work: see `processes`."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = list(paths)
        self._found: dict[int, Done[str, T]] = {}
        self._news = threading.Condition()
        self._away = 0  # other processes that may still send results
        self._tickets, give = os.pipe()
        os.write(give, b"".join(map(_TICKET.pack, range(len(self.paths)))))
        os.close(give)
        self._others: list[int] = []

    def start(self, others: int, prepare: Callable[[], Callable[[str], T]]) -> None:
        """Start `others` processes and listen to them. The caller must `close`, whatever happens."""
        # An interrupt comes before the first of them starts, or after all are known and `close` can end them.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            # All start before the first thread does. Threads listen even while this process waits for the judgments:
            # a process whose pipe is full would wait, too.
            ends = [self._fork(prepare) for _ in range(others)]
            self._away = others
            for back in ends:
                threading.Thread(target=self._listen, args=(back,), daemon=True).start()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def _fork(self, prepare: Callable[[], Callable[[str], T]]) -> int:
        """Start a process; returns the end of the pipe that its results come from."""
        back, forth = os.pipe()
        with warnings.catch_warnings():
            # From 3.12 on, Python warns of threads here. They are those of NumPy's linear algebra, which handles forks.
            warnings.simplefilter("ignore", DeprecationWarning)
            process = os.fork()
        if process:
            os.close(forth)
            self._others.append(process)
            return back
        try:  # the new process: it must not return, and the first one ends it if the user interrupts
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            os.close(back)
            # If preparing fails, it fails in the first process, too, which reports it.
            with open(forth, "wb", buffering=0) as out:
                for i, result in self._work(prepare):
                    out.write(pickle.dumps((i, result), pickle.HIGHEST_PROTOCOL))
        finally:
            os._exit(0)

    def _work(self, prepare: Callable[[], Callable[[str], T]]) -> Iterator[tuple[int, Done[str, T]]]:
        work: Callable[[str], T] | None = None
        while ticket := os.read(self._tickets, _TICKET.size):
            if work is None:
                prepared = done(lambda _: prepare(), "")
                if prepared.value is None:
                    return
                work = prepared.value
            (i,) = _TICKET.unpack(ticket)
            yield i, done(work, self.paths[i])

    def each(self, work: Callable[[str], T]) -> Iterator[Done[str, T]]:
        """As `irpref.judged.stream.each`; this process works, too."""
        mine = self._work(lambda: work)
        for i in range(len(self.paths)):
            while i not in self._found:
                result = next(mine, None)
                if result is not None:
                    self._found[result[0]] = result[1]
                    continue
                with self._news:
                    while i not in self._found and self._away:
                        self._news.wait()
                if i not in self._found:  # the process that took it is gone
                    self._found[i] = done(work, self.paths[i])
            yield self._found.pop(i)

    def _listen(self, back: int) -> None:
        # If a result cannot be read, this process works on the file again.
        with open(back, "rb") as results, suppress(Exception):
            while True:
                i, result = pickle.load(results)
                with self._news:
                    self._found[i] = result
                    self._news.notify()
        with self._news:
            self._away -= 1
            self._news.notify()

    def close(self) -> None:
        """End the other processes, which have nothing left to do once all results are here."""
        os.close(self._tickets)
        for process in self._others:
            with suppress(ProcessLookupError, ChildProcessError):  # if the system itself collects those that end
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)


_TICKET = struct.Struct("=I")


@contextmanager
def processes(
    prepare: Callable[[], Callable[[str], Any]],
    paths: Sequence[str],
    shared: Sequence[str | None] = (),
    jobs: int | None = None,
) -> Iterator[Processes[Any] | None]:
    """Start other processes for the files; None if this one works as fast alone.

    Parameters
    ----------
    prepare : callable
        Called in each of the others; returns the function to apply to each file. Values must pickle.
    paths : sequence of str
    shared : sequence of str or None
        Names of what each of them reads while it prepares: a pipe can be read once only.
    jobs : int, optional
        How many at a time, by default the number of cores.
    """
    size = n_processes(paths, shared, jobs)
    if size == 1:
        yield None
        return
    found: Processes[Any] = Processes(paths)
    try:
        found.start(size - 1, prepare)
        yield found
    finally:
        found.close()
