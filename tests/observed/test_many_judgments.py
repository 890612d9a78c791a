"""Of very many judgments, little is kept from topic to topic; what is found is the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event, Thread

import pandas as pd
import pytest

import irpref
from irpref.datasets import load
from irpref.observed import changed_ids

CAST = load("cast2021")
RUN = CAST.runs["org_manual_bm25"]
TOPICS = list(RUN)
CHANGES: dict[str, Callable[[str], str]] = {
    "case": str.lower,
    "end": lambda doc: doc + ".txt",
    "last character": lambda doc: doc[:-1],
    "marks": lambda doc: doc.replace("_", "-"),
}


@pytest.mark.parametrize("change", [*CHANGES, "topics"])
def test_changed_ids_and_shifted_topics_are_found_whether_or_not_known_ids_are_kept(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if change == "topics":
        other = dict(zip(TOPICS, [*TOPICS[1:], TOPICS[0]], strict=True))
        run = {other[topic]: docs for topic, docs in RUN.items()}
    else:
        run = {t: {CHANGES[change](doc): s for doc, s in docs.items()} for t, docs in RUN.items()}
    found = irpref.evidence("AP", CAST.qrels, {"run": run})
    code = "other-topic" if change == "topics" else "changed-ids"
    assert code in set(found["code"])
    monkeypatch.setattr(changed_ids, "_KEPT", 0)
    monkeypatch.setattr(changed_ids, "_PART", 7)
    again = irpref.evidence("AP", CAST.qrels, {"run": run})
    pd.testing.assert_frame_equal(found, again)


def test_threads_that_ask_at_once_find_the_same_changes() -> None:
    asked: list[set[changed_ids.Change]] = []
    is_half_way, may_end = Event(), Event()

    def every() -> Iterator[list[str]]:
        yield ["ab"]
        is_half_way.set()
        may_end.wait(10)
        yield ["AB"]

    known = changed_ids.KnownIds(lambda _: ["ab", "AB"], every, keeps=False)
    in_case = changed_ids.CHANGES[0]
    threads = [Thread(target=lambda: asked.append(known.touched_by([in_case]))) for _ in range(2)]
    for thread in threads:
        thread.start()
        is_half_way.wait(10)
    may_end.set()
    for thread in threads:
        thread.join()
    assert asked == [{in_case}, {in_case}]
