"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def replaced(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield a name beside `path` to write to; that file replaces `path` when all is written, and
    never before.

    A pipe or /dev/stdout is written to directly.

    Raises
    ------
    OSError
        The file cannot be written; the error names `path`.
    """
    path = os.path.expanduser(os.fspath(path))
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    beside = ""
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            yield path
            return
        # The ending stays, since it says the format of a picture.
        handle, beside = tempfile.mkstemp(
            prefix=".part-", suffix=os.path.splitext(name)[1], dir=folder
        )
        os.close(handle)
        yield beside
        _sync(beside)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(
            beside, os.stat(target).st_mode & 0o777 if os.path.exists(target) else 0o666 & ~mask
        )
        os.replace(beside, target)
    except OSError as error:
        # The error names our file, or none, as on a full disk; errors of files that the caller
        # reads name these.
        ours = error.filename is None or str(error.filename).startswith(
            os.path.join(folder, ".part-")
        )
        if error.strerror and ours and not isinstance(error, BrokenPipeError):
            raise OSError(error.errno, error.strerror, path) from None
        raise
    finally:
        if beside:
            with suppress(FileNotFoundError):
                os.unlink(beside)


def _sync(path: str) -> None:
    """Wait until the file is on the disk: a rename that comes first leaves nothing after a power
    cut.
    """
    with open(path, "rb+") as file:
        os.fsync(file.fileno())
