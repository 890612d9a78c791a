"""Short names of judgments, the same whatever their order and form, and of texts."""

from __future__ import annotations

from typing import Any

import numpy as np

from irpref.judged.pool import Pool
from irpref.kernel.memo import shared
from irpref.kernel.segments import Ints


@shared
def canonical(pool: Pool) -> Ints:
    """Order the rows of the pool by topic id and document id: the lines of the qrels may come in
    any order.
    """
    docs, offsets = list(pool.doc_ids), pool.judged.offsets.tolist()
    topics = sorted(range(pool.n_topics), key=pool.topic_ids.__getitem__)
    by_topic = (sorted(range(offsets[t], offsets[t + 1]), key=docs.__getitem__) for t in topics)
    return np.array([row for rows in by_topic for row in rows], dtype=np.int64)


def hash_of_text(text: str) -> str:
    """Hash a text that says all that matters."""
    digest = _hash()
    digest.update(text.encode("utf-8", "surrogatepass"))
    return str(digest.hexdigest())


def hash_of_pool(pool: Pool) -> str:
    """Hash the judgments, to the last digit of each grade."""
    order = canonical(pool)
    topic = pool.judged.topic.tolist()
    digest = _hash()
    for row, grade in zip(order.tolist(), pool.grade[order].tolist(), strict=True):
        digest.update(
            f"{pool.topic_ids[topic[row]]!r} {pool.doc_ids[row]!r} {grade!r}\n".encode(
                "utf-8", "surrogatepass"
            )
        )
    for name in sorted(pool.columns):
        digest.update(f"{name!r} {pool.columns[name][order].tolist()!r}\n".encode())
    return str(digest.hexdigest())


def _hash() -> Any:
    from hashlib import blake2b  # few commands need it

    return blake2b(digest_size=8)
