"""pytrec_eval ends the process on topics whose grades are all below -1: whatever asks it gives it -1
in their place.
"""

from pathlib import Path

import pytest

from command_server import CommandServer

QRELS = "q1 0 a -2\nq1 0 b -2\nq2 0 a 1\nq2 0 b -2\nq2 0 c 0\nq3 0 z -3\n"
SUBTOPICS = "q1 1 a -2\nq1 2 a -3\nq2 1 a 1\nq2 2 a -2\nq2 2 b -2\nq3 1 z -3\n"
RUN = "q1 Q0 a 1 2 r\nq2 Q0 b 1 3 r\nq2 Q0 a 2 1 r\nq3 Q0 z 1 1 r\n"


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in (("qrels", QRELS), ("subtopics", SUBTOPICS), ("run", RUN)):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "words",
    [
        "eval qrels run infAP IPrec@0.1",
        "eval qrels run AP nDCG@10 --provider pytrec_eval",
        "eval qrels run infAP --provider pytrec_eval -o jsonl",
        "eval subtopics run infAP IPrec@0.1",
        "eval subtopics run AP --provider pytrec_eval",
        "crosscheck qrels run infAP AP IPrec@0.1",
        "crosscheck subtopics run infAP AP",
        "check qrels run infAP",
        "leaderboard qrels run infAP --pairs none",
    ],
)
def test_no_command_ends_the_process(
    words: str, judged: None, command_server: CommandServer
) -> None:
    done = command_server(*words.split())
    assert done.returncode == 0, done.stderr


SHOWN = """
import ir_measures, irpref, pandas as pd
dicts = {"q1": {"a": -2, "b": -2}, "q2": {"a": 1, "b": -2, "c": 0}}
run = {"q1": {"a": 2.0}, "q2": {"b": 3.0, "a": 1.0}}
rows = [(q, d, g) for q, docs in dicts.items() for d, g in docs.items()]
frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
tuples = [ir_measures.Qrel(*row) for row in rows]
for qrels in (dicts, frame, tuples, irpref.judgments(dicts)):
    print(sorted(irpref.evaluator(["infAP", "IPrec@0.1", "AP"], qrels).calc_aggregate(run).values()))
"""


def test_no_form_of_judgments_does(command_server: CommandServer) -> None:
    done = command_server(code=SHOWN)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["[0.25, 0.25, 0.375]"] * 4


# What is asked of ir_measures itself, beside the same without the topic that ends the process.
ASKED = (
    SHOWN.partition("for qrels in")[0]
    + """
from ir_measures import AP, infAP, IPrec
measures = [infAP, IPrec @ 0.1, AP]
before = list(ir_measures.DefaultPipeline.providers)
alone = {"q2": dicts["q2"]}
print(sorted(ir_measures.calc_aggregate(measures, alone, run).values()))
irpref.accelerate()
for qrels in (alone, dicts, frame, tuples):
    print(sorted(ir_measures.calc_aggregate(measures, qrels, run).values()))
print(dicts["q1"]["a"])
irpref.accelerate(False)
print(ir_measures.DefaultPipeline.providers == before)
"""
)


def test_nor_does_the_host_after_accelerate(command_server: CommandServer) -> None:
    done = command_server(code=ASKED)
    assert done.returncode == 0, done.stderr
    values = ["[0.5, 0.5, 0.75]"] * 2 + ["[0.25, 0.25, 0.375]"] * 3
    assert done.stdout.splitlines() == [*values, "-2", "True"]
