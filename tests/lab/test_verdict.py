"""Is B better than A? `compare` and `gate`, in Python and in the shell."""

import json
import math
import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import irpref
import irpref_lab
from irpref.cli import main
from irpref.datasets import load
from irpref.errors import ArgumentError, EmptyJudgmentsError
from irpref_lab.trust.design import (
    residual_variance,
    topics_for_each,
    topics_for_margin,
    topics_needed,
)
from shells import qrels_text, run_text

UNDECIDED = "not shown to differ"  # as a value of the column `verdict`
COLUMNS = [
    *(
        "measure",
        "mean_a",
        "mean_b",
        "difference",
        "low",
        "high",
        "p",
        "effect_size",
        "wins",
        "losses",
        "equal",
    ),
    *("topics", "verdict", "codes"),
    *("missing_a", "missing_b", "unjudged_a", "unjudged_b", "topics_by_code", "could_turn"),
]


def _runs(a, b):
    """Judgments and two runs whose R@10 are the values given, in tenths."""
    qrels = {f"q{t:03}": {f"d{i}": 1 for i in range(10)} for t in range(len(a))}
    runs = [
        {
            q: {f"{'d' if i < n else 'x'}{i}": -float(i) for i in range(10)}
            for q, n in zip(qrels, of, strict=True)
        }
        for of in (a, b)
    ]
    return qrels, *runs


def _drawn(n, shift, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.integers(2, 8, n)
    return _runs(a.tolist(), np.clip(a + rng.integers(-2, 3, n) + shift, 0, 10).tolist())


# Half a tail of 2.5 % of eight topics, none of which differs from the commonest value: at most
# 1 - .025^(1/8) = .3694 of all queries do, each by at most 1.1 or .9.
OTHERS = 1 - 0.025 ** (1 / 8)


def test_a_comparison_by_hand():
    # Differences of one tenth on eight topics: t is infinite, and p that of 2 of 256 sign vectors.
    found = irpref_lab.compare(["R@10", "EMeasure"], *_runs([3] * 8, [4] * 8))
    assert list(found.columns) == COLUMNS
    recall, e = found.to_dict("records")
    assert (recall["mean_a"], recall["mean_b"]) == pytest.approx((0.3, 0.4))
    ends = (0.1 - 1.1 * OTHERS, 0.1 + 0.9 * OTHERS)
    assert (recall["difference"], recall["low"], recall["high"]) == pytest.approx((0.1, *ends))
    assert recall["p"] == 2 / 256
    assert (recall["wins"], recall["losses"], recall["equal"], recall["topics"]) == (8, 0, 0, 8)
    # Nothing was seen of queries unlike these eight.
    assert recall["verdict"] == e["verdict"] == UNDECIDED
    assert e["difference"] < 0 < e["wins"]
    same = irpref_lab.compare("R@10", *_runs([4] * 8, [4] * 8))
    (row,) = same.to_dict("records")
    assert (row["difference"], row["p"], row["effect_size"], row["equal"]) == (0, 1, 0, 8)
    assert (row["low"], row["high"]) == pytest.approx((-OTHERS, OTHERS))
    assert same["verdict"].item() == UNDECIDED


def test_the_sentence_has_the_sign_of_its_table():
    # Gains of .1 to .4: mean .25, s .1195, t(.975; 7) = 2.3646, half .0999; t = 5.916, p = .0006.
    gains = [1, 2, 3, 4, 1, 2, 3, 4]
    inputs = _runs([3] * 8, [3 + gain for gain in gains])
    better = irpref_lab.compare("R@10", *inputs).text.splitlines()
    assert better == [
        "R@10: b (0.5500) is better than a (0.3000): +0.2500 (95 % interval +0.1501 to +0.3499, "
        "p = 0.0006, 8 topics). Judging the unjudged documents could change this.",
        "test: paired t-test, 8 topics; family: one pair of runs, by measure; family-wise level 5 %",
    ]
    worse = irpref_lab.compare("R@10", inputs[0], inputs[2], inputs[1])
    assert worse.text.startswith(
        "R@10: b (0.3000) is worse than a (0.5500): -0.2500 (95 % interval -0.3499 to -0.1501, "
    )
    assert worse["verdict"].item() == "a better"
    for n in (4, 5):
        few = irpref_lab.compare("R@10", *_runs([3] * n, [4] * (n - 1) + [1])).text
        assert ("(too few topics " in few) == (n < 5)
        assert f", {n} topics)." in few


def test_a_margin_says_what_is_ruled_out_and_how_many_topics_would_do_it():
    qrels, a, b = _drawn(20, 0)
    text = irpref_lab.compare("R@10", qrels, a, b, margin=0.3, level=0.9).text
    assert "a (0.4" in text
    assert f" are {UNDECIDED}: " in text
    assert "(90 % interval " in text
    assert "A difference of 0.3 or more is ruled out." in text
    found = irpref_lab.compare("R@10", qrels, a, b, margin=0.001)
    assert "0.001 or more is not ruled out. About " in found.text
    gate = irpref_lab.gate("R@10", qrels, a, b, margin=0.001)
    assert re.search("about [0-9,]+ would .* 0.001", gate.text)
    values = irpref_lab.meta.topic_values(["R@10"], qrels, {"a": a, "b": b})["R@10"]
    assert gate["topics_needed"].item() == topics_for_margin(0.001, residual_variance(values))


def test_the_verdict_is_that_of_the_leaderboard_and_the_interval_agrees():
    for seed in range(8):
        qrels, a, b = _drawn(25, seed % 3 / 2, seed)
        (row,) = irpref_lab.compare("R@10", qrels, a, b).to_dict("records")
        board = irpref_lab.leaderboard("R@10", qrels, {"a": a, "b": b})
        assert board.pairs["p"].item() == board.pairs["p_adjusted"].item() == row["p"]
        assert board.pairs["effect_size"].abs().item() == pytest.approx(abs(row["effect_size"]))
        sign = 1 if board.pairs["a"].item() == "a" else -1
        assert board.pairs["difference"].item() == pytest.approx(sign * row["difference"])
        assert (row["verdict"] == UNDECIDED) == (row["low"] <= 0 <= row["high"])
        assert (row["verdict"] == UNDECIDED) == (row["p"] > 0.05)


def test_paths_are_named_and_groups_have_a_row_each(tmp_path):
    qrels, a, b = _drawn(16, 1)
    for name, run in (("bm25", a), ("mine", b)):
        (tmp_path / f"{name}.run").write_text(run_text(run))
    groups = {q: "odd" if t % 2 else "even" for t, q in enumerate(qrels)}
    found = irpref_lab.compare(
        "R@10", qrels, tmp_path / "bm25.run", str(tmp_path / "mine.run"), groups=groups
    )
    assert found[["group", "topics"]].values.tolist() == [["even", 8], ["odd", 8]]
    assert found.text.startswith("R@10, even: mine (")
    named = irpref_lab.compare("R@10", qrels, a, b, groups=groups, names=("BM25", "ours"))
    assert named.text == found.text.replace("bm25", "BM25").replace("mine", "ours")


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        *(("level", value) for value in (2, 0.05, 0.5)),
        *(("margin", value) for value in (-1, 2, 1)),
    ],
)
@pytest.mark.parametrize("decide", [irpref_lab.compare, irpref_lab.gate])
def test_options_that_make_no_sense_are_refused(decide, parameter, value):
    with pytest.raises(ArgumentError) as error:
        decide("R@10", *_runs([3] * 4, [4] * 4), **{parameter: value})
    assert (error.value.parameter, error.value.value) == (parameter, value)


def test_a_gate_needs_a_margin():
    with pytest.raises(ArgumentError) as error:
        irpref_lab.gate("R@10", *_runs([3] * 4, [4] * 4), margin=None)
    assert (error.value.parameter, error.value.value) == ("margin", None)


# --------------------------------------------------------------------------------------------- gate


def test_a_gate_needs_relevant_documents():
    run = {"1": {"a": 1.0}, "2": {"a": 1.0}}
    with pytest.raises(EmptyJudgmentsError, match="needs relevant documents"):
        irpref_lab.gate("AP", {"1": {"a": 0}, "2": {"a": -1}}, run, run)


def test_bounds_are_those_of_the_paired_t_distribution():
    qrels, a, b = _drawn(20, 0.4)
    found = irpref_lab.gate(["R@10", "EMeasure"], qrels, a, b, level=0.9)
    for row in found.to_dict("records"):
        of = irpref_lab.meta.topic_values([row["measure"]], qrels, {"a": a, "b": b})[row["measure"]]
        z = of.matrix[1] - of.matrix[0]
        # On the side of a gain, two measures share the level.
        levels = (0.9, 0.95) if of.higher_is_better else (0.95, 0.9)
        for side, name, level in zip(("greater", "less"), ("low", "high"), levels, strict=True):
            interval = stats.ttest_1samp(z, 0, alternative=side).confidence_interval(level)
            assert row[name] == pytest.approx(getattr(interval, name))
        assert row["difference"] == pytest.approx(z.mean())
        assert (row["baseline"], row["candidate"]) == pytest.approx(tuple(of.means))


SAME, DOWN, APART = [3] * 10, [2] * 5 + [1] * 5, [1] * 5 + [5] * 5


@pytest.mark.parametrize(
    ("b", "margin", "verdict", "text"),
    [
        (
            SAME,
            0.02,
            "pass",
            r"passed: R@10 \+0\.0000, at worst \+0\.0000 \(at 95 %, margin 0\.02\), 10 topics",
        ),
        # Five topics lose 0.1 and five 0.2: mean 0.15, s 0.0527, t(.95; 9) = 1.833, half 0.0306.
        (
            DOWN,
            0.02,
            "block",
            r"blocked: R@10 is worse, -0\.1500 \(-0\.1806 to -0\.1194 at 95 %\), 10 topics",
        ),
        (DOWN, 0.2, "pass", "passed"),
        (APART, 0.02, "inconclusive", r"cannot tell: 10 topics; about 690 would rule out"),
    ],
)
def test_the_verdict_of_a_gate(b, margin, verdict, text):
    found = irpref_lab.gate("R@10", *_runs(SAME, b), margin=margin)
    assert (found.verdict, found["verdict"].item()) == (verdict, verdict)
    assert re.match(text, found.text)


def test_every_measure_passes_or_one_blocks():
    qrels, a, b = _drawn(30, 0)
    one, two = (irpref_lab.gate(m, qrels, a, b, margin=0.005) for m in ("R@10", "R@1"))
    both = irpref_lab.gate(["R@10", "R@1"], qrels, a, b, margin=0.005)
    assert both["verdict"].tolist() == [one.verdict, two.verdict]
    assert both.verdict == ("pass" if {one.verdict, two.verdict} == {"pass"} else "inconclusive")
    worse = _runs(SAME, DOWN)
    assert irpref_lab.gate(["R@10", "Judged@10"], *worse).verdict == "block"
    rises = irpref_lab.gate("EMeasure", *worse)  # lower is better
    assert (rises.verdict, rises["difference"].item() > 0) == ("block", True)
    assert "EMeasure is worse, +" in rises.text


def test_a_loss_that_does_not_vary_blocks_only_with_enough_topics():
    # Without variance p is 2^(1 - n), and half of it counts for a loss.
    for n, verdict in ((5, "block"), (10, "block")):
        assert irpref_lab.gate("R@10", *_runs([3] * n, [2] * n)).verdict == verdict
    # Two measures share the level: 2 / 32 is more than 5 %.
    both = irpref_lab.gate(["R@10", "Rprec"], *_runs([3] * 5, [2] * 5))
    assert (both["p"].tolist(), both["worse"].any()) == ([2 / 32] * 2, False)
    # The p is that of the comparison.
    five = _runs([3] * 5, [2] * 4 + [1])
    p = irpref_lab.compare("R@10", *five)["p"].item()
    assert p == irpref_lab.gate("R@10", *five)["p"].item()


def test_a_reference_blocks_what_many_small_losses_add_up_to():
    n = 40
    released, last = [6, 5] * (n // 2), [5, 5] * (n // 2)
    qrels, baseline, candidate = _runs(last, [4, 5] * (n // 2))
    _, reference, _ = _runs(released, released)
    alone = irpref_lab.gate("R@10", qrels, baseline, candidate, margin=0.1)
    beside = irpref_lab.gate("R@10", qrels, baseline, candidate, margin=0.1, reference=reference)
    assert (alone.verdict, beside.verdict) == ("pass", "block")
    assert "than the reference, -0.1000" in beside.text
    row = beside.iloc[0]
    assert (row["reference"], row["difference_reference"]) == pytest.approx((0.55, -0.1))
    # The reference alone never makes a verdict inconclusive, whatever its runs lack.
    few = {q: docs for q, docs in list(reference.items())[:3]}
    assert irpref_lab.gate("R@10", qrels, baseline, baseline, reference=few).verdict == "pass"
    same = irpref_lab.gate("R@10", qrels, baseline, candidate, margin=0.1, reference=baseline)
    assert same.verdict == "pass"
    assert any("one comparison" in note for note in same.notes)


def test_a_margin_that_the_baseline_cannot_lose_is_never_passed():
    inputs = _runs([1] * 30, [1] * 30)
    assert irpref_lab.gate("R@10", *inputs).verdict == "pass"
    found = irpref_lab.gate("R@10", *inputs, margin=0.1)
    assert (found.verdict, found["codes"].item()) == ("inconclusive", "wide-margin")
    worse = irpref_lab.gate("R@10", *_runs([1, 2] * 15, [1, 0] * 15), margin=0.2)
    assert worse.verdict == "block"


def test_losses_on_few_topics_may_be_frequent_elsewhere():
    # Three of fifty queries break: t says at most .05, but up to 15 % of all may break.
    qrels, a, b = _runs([5] * 50, [0] * 2 + [6] + [5] * 47)
    found = irpref_lab.gate("R@10", qrels, a, b, margin=0.05)
    share = stats.beta.ppf(0.95, 3, 48)
    assert found["low"].item() == pytest.approx(0.1 / 50 - share * 0.5)
    assert found.verdict == "inconclusive"
    # No loss was seen: it passes, and the notes say how much could be lost unseen.
    fine = irpref_lab.gate("R@10", qrels, a, a, margin=0.05)
    assert fine.verdict == "pass"
    assert any("could break unseen" in note for note in fine.notes)


def test_topics_needed_decide_in_four_of_five_experiments():
    # One query rises by .1, the next falls by .1: s = .1 sqrt(n / (n - 1)), and a pass needs a
    # lower bound above -.02.
    found = irpref_lab.gate("R@10", *_runs([5] * 40, [6, 4] * 20), margin=0.02)
    (n,) = found["topics_needed"]
    z = np.random.default_rng(3).normal(0, 0.1 * (40 / 39) ** 0.5, (4000, n))
    low = z.mean(axis=1) - stats.t.ppf(0.95, n - 1) * z.std(axis=1, ddof=1) / math.sqrt(n)
    assert (low > -0.02).mean() == pytest.approx(0.8, abs=0.03)
    # Without a margin, a mean of exactly 0 is never decided.
    assert (
        irpref_lab.gate("R@10", *_runs([5] * 40, [6, 4] * 20), margin=0)["topics_needed"]
        .isna()
        .all()
    )


def test_an_unjudged_document_that_could_turn_the_verdict():
    # The candidate puts an unjudged document first where the baseline has the relevant one: a block
    # by the judgments at hand. If all of them are relevant, the two have the same RR.
    qrels = {f"q{t}": {"r": 1, "n": 0} for t in range(10)}
    baseline = {q: {"r": 2.0, "n": 1.0} for q in qrels}
    candidate = {q: {"x": 2.0, "r": 1.0} for q in qrels}
    found = irpref_lab.gate("RR", qrels, baseline, candidate)
    assert (found.verdict, found["could_turn"].item()) == ("block", True)
    candidate = {q: {"n": 2.0, "r": 1.0} for q in qrels}
    found = irpref_lab.gate("RR", qrels, baseline, candidate)
    assert (found.verdict, found["could_turn"].item()) == ("block", False)
    # Lower is better: the candidate's E is 1 whatever x is, the baseline's 0 or 1/3.
    candidate = {q: {"n": 3.0, "x": 2.0, "r": 1.0} for q in qrels}
    found = irpref_lab.gate("EMeasure@1", qrels, baseline, candidate)
    assert (found.verdict, found["could_turn"].item()) == ("block", False)


def test_what_a_search_does_not_find_is_not_known():
    cast = load("cast2021")
    a, b = cast.runs["org_manual_bm25"], cast.runs["org_manual_ance_bert"]
    # No grades were found that turn it; for nDCG the search is not exhaustive.
    found = irpref_lab.gate("nDCG@10", cast.qrels, a, b, margin=0.3)
    assert (found.verdict, found["could_turn"].isna().item()) == ("pass", True)
    # The same run twice has no difference, whatever is judged.
    for run in (a, cast.run_frame("org_manual_bm25")):
        assert irpref_lab.gate("nDCG@10", cast.qrels, run, run)["could_turn"].tolist() == [False]


def test_the_hash_is_that_of_the_judgments_in_any_order_and_form():
    qrels, a, b = _runs([3] * 6, [3] * 6)
    rows = [(q, d, g) for q, docs in reversed(qrels.items()) for d, g in docs.items()]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
    one, other = (irpref_lab.gate("R@10", of, a, b).qrels for of in (qrels, frame))
    assert one == other
    qrels["q001"]["d1"] = 2
    assert irpref_lab.gate("R@10", qrels, a, b).qrels != one


# ------------------------------------------------------------------------------------- the commands


@pytest.fixture
def shell(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def write(qrels, a, b):
        for name, text in (
            ("qrels", qrels_text(qrels)),
            ("a.run", run_text(a)),
            ("b.run", run_text(b)),
        ):
            (tmp_path / name).write_text(text)

    def call(*arguments):
        return main(list(arguments)), *capsys.readouterr()

    call.write = write
    return call


def test_compare_prints_the_sentences(shell):
    inputs = _drawn(20, 1)
    shell.write(*inputs)
    status, out, _ = shell(
        "compare", "qrels", "a.run", "b.run", "R@10", "EMeasure", "--margin", "0.05"
    )
    assert status == 0
    *sentences, test = irpref_lab.compare(
        ["R@10", "EMeasure"], inputs[0], "a.run", "b.run", margin=0.05
    ).text.splitlines()
    assert out.splitlines()[:4] == [*sentences, "", out.splitlines()[3]]
    assert out.splitlines()[3].split()[:4] == ["measure", "a", "b", "difference"]
    assert f"\n{test}\n" in out
    (row, _) = map(
        json.loads,
        shell("compare", "qrels", "a.run", "b.run", "R@10", "AP", "-o", "jsonl")[1].splitlines(),
    )
    assert list(row) == ["a", "b", *COLUMNS, "sentence"]
    assert row["sentence"].startswith("R@10: b (")
    assert (row["a"], row["b"], row["verdict"]) == ("a", "b", "b better")


@pytest.mark.parametrize(
    ("b", "status", "word"), [(SAME, 0, "passed"), (DOWN, 1, "blocked"), (APART, 3, "cannot")]
)
def test_the_exit_status_is_the_verdict(shell, b, status, word):
    shell.write(*_runs(SAME, b))
    done, out, err = shell("gate", "qrels", "a.run", "b.run", "R@10", "--margin", "0.02")
    assert (done, out.startswith(f"{word}"), err) == (status, True, "")
    done, out, err = shell("gate", "qrels", "a.run", "b.run", "R@10", "AP", "-o", "jsonl")
    assert done == status
    assert err.startswith(f"irpref: {word}")
    rows = [json.loads(line) for line in out.splitlines()]
    assert {row["gate"] for row in rows} == {{0: "pass", 1: "block", 3: "inconclusive"}[status]}
    assert [row["measure"] for row in rows] == ["R@10", "AP"]
    assert {
        "low",
        "high",
        "topics_needed",
        "missing_candidate",
        "unjudged_candidate",
        "could_turn",
    } <= rows[0].keys()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gate", "qrels", "a.run", "none.run", "R@10"], "none.run: no such file"),
        (["gate", "nowhere", "a.run", "b.run", "R@10"], "nowhere"),
        (["gate", "qrels", "a.run", "b.run"], "no measure given"),
        (["gate", "qrels", "a.run", "R@10"], "expected two runs"),
        (
            ["gate", "qrels", "a.run", "b.run", "R@10", "--margin", "-1"],
            "expected a difference of at least 0, such as 0.02",
        ),
        (["gate", "qrels", "a.run", "b.run", "R@10", "--margin", "x"], "--margin"),
        (["gate", "qrels", "a.run", "qrels", "R@10"], "qrels"),
        (
            ["gate", "qrels", "a.run", "b.run", "R@10", "--expect-qrels", "12"],
            "have changed: expected 12, got",
        ),
    ],
)
def test_every_error_is_status_2(shell, arguments, message):
    shell.write(*_runs(SAME, SAME))
    status, out, err = shell(*arguments)
    assert (status, out) == (2, "")
    assert message in err


def test_a_gate_says_what_is_missing_and_prints_a_hash_that_it_understands(shell):
    qrels, a, b = _runs(SAME, SAME)
    del b["q003"]
    shell.write(qrels, a, b)
    gate = ["gate", "qrels", "a.run", "b.run", "R@10"]
    status, out, _ = shell(*gate)
    assert re.search("candidate has .* 1 of 10 ", out)
    assert "baseline 70.0 %, candidate 73.0 %" in out
    (of_qrels,) = re.findall(r"^qrels: (\w+)$", out, re.MULTILINE)
    assert shell(*gate, "--expect-qrels", of_qrels)[0] == status != 2


def test_a_gate_leaves_out_what_the_baseline_does_not_answer_and_says_so():
    qrels, a, b = _runs(SAME, SAME)
    del a["q003"]
    decision = irpref_lab.gate("R@10", qrels, a, b, missing=0.5)
    assert decision["left_out"].tolist() == [1]
    said = f"baseline has no documents for 1 of {len(qrels)} topics; it is left out"
    assert said in decision.notes
    assert decision.evidence["text"].tolist().count(said) == 1
    empty = f"baseline has no documents for 1 of {len(qrels)} topics; it counts as an empty ranking"
    assert empty in irpref.evidence("R@10", qrels, {"baseline": a})["text"].tolist()


def test_a_gate_over_groups_in_the_shell(shell, tmp_path):
    # Ten topics are as good as before, ten are worse: the whole is within the margin.
    qrels, a, b = _runs([3] * 40, [3] * 30 + [2] * 10)
    shell.write(qrels, a, b)
    names = {q: "new" if t >= 30 else "old" for t, q in enumerate(qrels)}
    (tmp_path / "groups").write_text("".join(f"{q} {g}\n" for q, g in names.items()))
    gate = ["gate", "qrels", "a.run", "b.run", "R@10", "--margin", "0.05"]
    assert shell(*gate)[0] == 0
    status, out, _ = shell(*gate, "--groups", "groups")
    assert status == 1
    assert out.startswith("blocked: R@10 in new is worse, -0.1000")
    (inputs,) = re.findall(r"^inputs: (\w+)$", out, re.MULTILINE)
    assert shell(*gate, "--groups", "groups", "--expect", inputs)[0] == 1
    assert shell(*gate, "--expect", inputs)[0] == 2
    status, out, _ = shell(*gate, "--groups", "groups", "-o", "jsonl")
    rows = [json.loads(line) for line in out.splitlines()]
    assert [(row["group"], row["verdict"]) for row in rows] == [
        (None, "pass"),
        ("new", "block"),
        ("old", "pass"),
    ]
    assert {row["version"] for row in rows} == {2}
    # Groups in which no loss could be shown are named.
    (tmp_path / "groups").write_text("".join(f"{q} {t % 10}\n" for t, q in enumerate(qrels)))
    out = shell(*gate, "--groups", "groups")[1]
    assert "; groups too small " in out
    assert ": 0 (4), 1 (4), " in out


def test_what_is_left_out_is_said_in_the_first_line_and_why_in_the_notes(shell):
    qrels, a, b = _runs([3] * 20, [3] * 20)
    shell.write(qrels | {"q000": {"d0": 0}}, a, b)
    status, out, _ = shell("gate", "qrels", "a.run", "b.run", "R@10")
    assert status == 0
    assert "19 topics compared, 1 left " in out.splitlines()[0]
    assert re.search("1 of 20 topics has .* relevant ", out)
    shell.write(qrels, dict(list(a.items())[:10]), b)
    status, out, _ = shell("gate", "qrels", "a.run", "b.run", "R@10")
    assert status == 3
    first = "cannot tell: baseline has no documents for 10 of 20 topics; 10 topics compared, 10 "
    assert out.startswith(first)
    assert shell("gate", "qrels", "a.run", "b.run", "R@10", "--missing", "0.5")[0] == 0


def test_depth_cuts_both_runs(shell):
    qrels, a, b = _runs([3] * 20, [3] * 20)
    short = {q: dict(list(docs.items())[:5]) for q, docs in a.items()}
    shell.write(qrels, short, b)
    gate = ["gate", "qrels", "a.run", "b.run", "R@10"]
    status, out, _ = shell(*gate)
    assert (status, "baseline has 5 documents" in out) == (3, True)
    assert shell(*gate, "--depth", "5")[0] == 0


@pytest.mark.parametrize(
    ("n", "gains", "said"),
    [
        (30, [9, 9, 8], True),  # few topics, and few differ
        (60, [9, 9, 8], True),  # fewer than 20 differ
        (60, [5] * 15 + [1] * 15, False),
        (30, [4, 5, 6] * 10, False),  # few, and not skewed
    ],
)
def test_few_and_skewed_differences_are_said_by_every_verdict(n, gains, said):
    b = [1 + gain for gain in gains] + [1] * (n - len(gains))
    inputs = _runs([1] * n, b)
    words = "differences are few and skewed: the level of the test is not exact here"
    assert (words in irpref_lab.compare("R@10", *inputs).text) is said
    assert any(words in note for note in irpref_lab.gate("R@10", *inputs).notes) is said


def test_topics_needed_is_one_computation():
    # By --design, for many pairs at once, and by the margin.
    qrels, a, b = _drawn(20, 1)
    compared = irpref_lab.compare("R@10", qrels, a, b)
    values = irpref_lab.meta.topic_values(["R@10"], qrels, {"a": a, "b": b})["R@10"]
    difference, variance = abs(compared["difference"].item()), residual_variance(values.values)
    design = irpref_lab.meta.topic_set_size(values, difference).iloc[0]
    gap = values.values[1] - values.values[0]
    (pair,) = topics_for_each([difference / gap.std(ddof=1)])
    assert design["topics_t"] == pair == topics_needed(difference, variance)
    assert design["topics_margin"] == topics_for_margin(difference, variance)
    for level in (0.9, 0.99):
        (pair,) = topics_for_each([difference / gap.std(ddof=1)], level)
        assert pair == topics_needed(difference, variance, level=level)


def test_boards_and_against_say_of_a_pair_what_compare_says():
    # All of eight topics gain .1: nothing was seen of queries unlike these.
    qrels, a, b = _runs([3] * 8, [4] * 8)
    assert irpref_lab.compare("R@10", qrels, a, b)["verdict"].item() == UNDECIDED
    board = irpref_lab.leaderboard("R@10", qrels, {"a": a, "b": b})
    assert board.pairs["p_adjusted"].item() == 2 / 256
    assert board.pairs["codes"].item() == "few-topics"
    assert len(set(board["letters"])) == 1
    found = irpref_lab.against("R@10", qrels, "a", {"a": a, "b": b})
    assert found["differs"].tolist()[1] is False
