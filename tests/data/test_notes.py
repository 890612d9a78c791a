"""What is noted about files lasts as long as somebody asks for it, also if blocks overlap."""

import hashlib
import os
from contextlib import contextmanager

import pytest

from irpref.data.notes import digest_of, hashed, remember, remembered, was_read
from irpref.data.source import Source


@contextmanager
def overlapping(block):
    """Begin two blocks, and end the first before the second, as two threads may."""
    first, second = block(), block()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    yield
    second.__exit__(None, None, None)


def read(path):
    with Source(path).open() as file:
        file.read()


def sha256(text):
    return hashlib.sha256(text).hexdigest()


def replaced_unseen(path, text):
    """Rewrite a file in place with a text of the same length, at the same time."""
    status = os.stat(path)
    assert len(text) == status.st_size
    path.write_bytes(text)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("block", [hashed, lambda: overlapping(hashed)])
def test_a_hash_is_that_of_the_bytes_that_were_read_until_the_last_block_ends(tmp_path, block):
    path = tmp_path / "a.run"
    path.write_bytes(b"one")
    with block():
        read(path)
        replaced_unseen(path, b"two")
        assert digest_of(path) == sha256(b"one")  # not opened again
    assert digest_of(path) == sha256(b"two")
    read(path)
    replaced_unseen(path, b"six")
    assert digest_of(path) == sha256(b"six")


def test_a_file_that_was_changed_is_hashed_again(tmp_path):
    path = tmp_path / "a.run"
    path.write_bytes(b"one")
    with hashed():
        read(path)
        path.write_bytes(b"three")
        assert digest_of(path) == sha256(b"three")
        read(path)
        assert digest_of(path) == sha256(b"three")


@pytest.mark.parametrize("block", [remembered, lambda: overlapping(remembered)])
def test_a_file_is_remembered_as_read_until_the_last_block_ends(tmp_path, block):
    path, other = tmp_path / "a.run", tmp_path / "b.run"
    path.write_bytes(b"one")
    other.write_bytes(b"one")
    with block():
        read(path)
        path.write_bytes(b"changed")
        assert was_read(path)
        assert not was_read(other)
    assert not was_read(path)
    remember(os.stat(path))
    assert not was_read(path)
