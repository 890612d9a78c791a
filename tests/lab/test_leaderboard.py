"""The leaderboard: means, intervals, places, letters, pairs."""

import collections
import contextlib
import math
import time
import weakref

import numpy as np
import pandas as pd
import pytest

import irpref
import irpref_lab
import real_runs
from irpref.errors import AbsentRunError, ArgumentError, JudgmentsError
from irpref_lab.decide import sign_flips
from irpref_lab.decide.all_pairs import pair_tests

COLUMNS = [
    "run",
    "measure",
    "group",
    "mean",
    "low",
    "high",
    "place",
    "place_low",
    "place_high",
    "letters",
    "topics_without_documents",
    "judged@10",
    "codes",
    "topics_by_code",
]
PAIRS = ["measure", "group", "a", "b", "difference", "effect_size", "p", "p_adjusted", "codes"]
MEASURES = ["AP", "EMeasure", "nDCG@5", "NumRet(rel=1)"]
METHODS = ["stepdown", "holm"]


def _collection(n_topics=24, seed=1):
    """Runs of rising noise over 20 documents a topic, one of them twice, one without the last
    topics.
    """
    rng = np.random.default_rng(seed)
    qrels = {
        f"q{t}": {f"d{d}": int(rng.integers(0, 3)) for d in range(15)} for t in range(n_topics)
    }
    runs = {}
    for name, noise in (("good", 0.3), ("fair", 1.0), ("poor", 2.0), ("bad", 9.0)):
        runs[name] = {
            q: {f"d{d}": float(docs.get(f"d{d}", 0) + noise * rng.normal()) for d in range(20)}
            for q, docs in qrels.items()
        }
    runs["twin"] = {q: dict(docs) for q, docs in runs["fair"].items()}
    runs["cut"] = {q: dict(docs) for q, docs in list(runs["good"].items())[:6]}
    return qrels, runs


QRELS, RUNS = _collection()


@pytest.fixture(scope="module")
def board():
    return irpref_lab.leaderboard(MEASURES, QRELS, RUNS, n_permutations=999)


def test_a_row_for_each_run_and_measure_best_first(board):
    assert list(board.columns) == COLUMNS
    assert list(board.pairs.columns) == PAIRS
    assert len(board) == len(MEASURES) * len(RUNS)
    for _, of in board.groupby("measure"):
        assert of["place"].is_monotonic_increasing
        assert sorted(of["run"]) == sorted(RUNS)
    assert board["measure"].drop_duplicates().tolist() == MEASURES
    assert len(board.pairs) == len(MEASURES) * 15
    assert set(board["group"]) == {None}
    # By one measure if that is asked for.
    by_e = irpref_lab.leaderboard(MEASURES, QRELS, RUNS, sort="EMeasure", pairs="none")
    orders = {tuple(of["run"]) for _, of in by_e.groupby("measure")}
    assert orders == {tuple(board.loc[board["measure"] == "EMeasure", "run"])}


def test_the_test_is_named_in_one_line(board):
    assert board.test == (
        "paired t-tests adjusted after Holm, 24 topics; family: all 15 pairs of 6 runs, "
        "by measure; "
        "family-wise level 5 %"
    )
    two = {name: RUNS[name] for name in ("good", "bad")}
    few = {q: QRELS[q] for q in list(QRELS)[:8]}
    assert irpref_lab.leaderboard(["AP"], few, two, level=0.9).test == (
        "paired t-test, 8 topics; family: one pair of runs, by measure; family-wise level 10 %"
    )
    assert irpref_lab.leaderboard(["AP"], few, two, pairs="holm").test.startswith(
        "paired t-test, 8 t"
    )
    assert irpref_lab.leaderboard(["AP"], few, two, pairs="none").test == ""


def test_the_p_of_a_pair_is_the_same_whichever_other_runs_there_are(board):
    two = irpref_lab.leaderboard(
        ["AP"], QRELS, {name: RUNS[name] for name in ("fair", "poor")}, n_permutations=999
    )
    of = board.pairs.query("measure == 'AP' and a in ('fair', 'poor') and b in ('fair', 'poor')")
    assert two.pairs["p"].tolist() == of["p"].tolist() == two.pairs["p_adjusted"].tolist()
    assert of["p_adjusted"].item() >= of["p"].item()


def test_more_than_eight_letters_are_none():
    qrels = {f"q{t}": {f"d{d}": 1 for d in range(60)} for t in range(12)}

    def first(n):
        return {f"{'d' if i < n else 'x'}{i}": -float(i) for i in range(60)}

    rng = np.random.default_rng(1)
    runs = {
        f"r{r}": {q: first(4 * r + int(rng.integers(0, 4))) for q in qrels} for r in range(1, 13)
    }
    board = irpref_lab.leaderboard(["P@60"], qrels, runs)
    assert board["letters"].isna().all()
    assert board["place_low"].tolist() == board["place"].tolist() == board["place_high"].tolist()
    few = irpref_lab.leaderboard(["P@60"], qrels, dict(list(runs.items())[:8]))
    assert few["letters"].tolist() == list("abcdefgh")


def test_a_run_that_answers_nothing_is_kept_and_takes_no_part():
    absent = {
        "none": {},
        "elsewhere": {"x": {"d": 1.0}},
        "unjudged": {t: {"?": 1.0} for t in QRELS},
    }
    whole = irpref_lab.leaderboard(["AP"], QRELS, RUNS)
    board = irpref_lab.leaderboard(["AP"], QRELS, absent | RUNS)
    n = len(RUNS)
    assert board.iloc[:n][list(whole)].astype({"place": "int64"}).equals(whole)
    assert board.pairs.equals(whole.pairs)
    last = board.iloc[n:]
    assert last["run"].tolist() == list(absent)
    assert last[["low", "high", "place", "place_low", "letters"]].isna().all(axis=None)
    answers = f"the run answers none of the {len(QRELS)} judged topics"
    none = f"none of the run's {len(QRELS)} documents is judged"
    assert last["reason"].tolist() == [answers, answers, none]
    assert set(board.evidence["code"]) >= {"unanswered"}
    found = irpref_lab.against(["AP"], QRELS, "fair", absent | RUNS)
    assert found["reason"].tolist()[n:] == last["reason"].tolist()
    assert found["p"].tolist()[n:] != found["p"].tolist()[:1]
    for runs, strict in ((RUNS, True), ({"fair": RUNS["fair"]}, False)):
        with pytest.raises(
            ValueError, match=f"'none': {answers}; 'elsewhere': {answers}; 'unjudged': "
        ):
            irpref_lab.leaderboard(["AP"], QRELS, absent | runs, strict=strict)
    for name in absent:
        with pytest.raises(AbsentRunError) as error:
            irpref_lab.against(["AP"], QRELS, name, absent | RUNS)
        assert error.value.run == name


def test_a_note_about_several_measures_is_one_whatever_runs_are_called():
    docs = [f"d{i:02}" for i in range(20)]
    qrels = {f"q{i}": {doc: int(doc < "d10") for doc in docs} for i in range(6)}
    long = {q: {doc: -i for i, doc in enumerate(docs)} for q in qrels}
    short = {q: dict(list(scores.items())[:5]) for q, scores in long.items()}
    runs = {"long": long, "to AP {} looks at": short}
    board = irpref_lab.leaderboard(["AP", "nDCG", "P@10"], qrels, runs)
    has = "to AP {} looks at has 5 documents for 6 of 6 topics"
    several, one = board.notes[:2]
    assert several.startswith(f"{has}, fewer than half ")
    assert "AP, nDCG look " in several
    assert one.removeprefix(has).endswith("P@10 looks at the first 10")


def test_several_runs_of_a_system_are_one():
    values = irpref_lab.meta.topic_values(["AP"], QRELS, RUNS)["AP"]
    names = list(RUNS)[:2]
    pair = {"both": [RUNS[name] for name in names], list(RUNS)[2]: RUNS[list(RUNS)[2]]}
    board = irpref_lab.leaderboard(["AP"], QRELS, pair).set_index("run")
    means = values.select(names).means
    assert board["mean"]["both"] == pytest.approx(means.mean())
    assert board["repeats"].to_dict() == {"both": 2, list(RUNS)[2]: 1}
    assert board["sd_repeats"]["both"] == pytest.approx(means.std(ddof=1))
    assert math.isnan(board["sd_repeats"][list(RUNS)[2]])
    found = irpref_lab.compare("AP", QRELS, pair["both"], RUNS[names[0]])
    assert found["repeats_a"].item() == 2
    assert f"repeats of a ({np.ptp(means):.4f})." in found.text


def test_few_topics_have_no_interval_and_no_interval_leaves_the_range():
    few = {topic: QRELS[topic] for topic in list(QRELS)[:4]}
    assert irpref_lab.leaderboard(["AP"], few, RUNS)[["low", "high"]].isna().all(axis=None)
    qrels = {f"q{t}": {"a": 1, "b": 0} for t in range(5)}
    run = {f"q{t}": {"a": float(t > 0), "b": 0.5} for t in range(5)}
    board = irpref_lab.leaderboard(["AP"], qrels, {"one": run, "two": run}, level=0.999)
    assert board["high"].tolist() == [1.0, 1.0]


def test_means_are_what_eval_prints(board):
    for name, run in RUNS.items():
        expected = irpref.evaluator([*MEASURES, "Judged@10"], QRELS).calc_aggregate(run)
        for measure in MEASURES:
            (row,) = board[(board["run"] == name) & (board["measure"] == measure)].to_dict(
                "records"
            )
            assert row["mean"] == expected[irpref.parse(measure)]
            assert row["judged@10"] == expected[irpref.parse("Judged@10")]


def test_intervals_are_those_over_topics(board):
    for name in ("good", "bad"):
        table = irpref_lab.intervals(MEASURES, QRELS, RUNS[name], over="topics")
        mine = board[board["run"] == name].set_index("measure").loc[MEASURES]
        assert mine[["low", "high"]].to_numpy() == pytest.approx(
            table[["low", "high"]].to_numpy(), rel=1e-12
        )


def test_topics_without_documents_are_counted_and_count(board):
    missing = board.drop_duplicates("run").set_index("run")["topics_without_documents"]
    assert missing["cut"] == 18
    assert missing.drop("cut").eq(0).all()
    cut, good = (
        board[(board["run"] == r) & (board["measure"] == "AP")]["mean"].item()
        for r in ("cut", "good")
    )
    assert cut < good / 3


@pytest.mark.parametrize("method", METHODS)
def test_places_and_letters_follow_from_the_pairs(method):
    board = irpref_lab.leaderboard(
        MEASURES, QRELS, RUNS, pairs=method, n_permutations=999, level=0.9
    )
    for measure, rows in board.groupby("measure"):
        sign = -1 if measure == "EMeasure" else 1
        pairs = board.pairs[board.pairs["measure"] == measure]
        differ = {
            frozenset((pair.a, pair.b)): pair.p_adjusted <= 0.1 and not pair.codes
            for pair in pairs.itertuples()
        }
        mean = rows.set_index("run")["mean"]
        assert pairs["difference"].to_numpy() == pytest.approx(
            mean[pairs["b"]].to_numpy() - mean[pairs["a"]].to_numpy()
        )
        mean *= sign
        text = rows.set_index("run")["letters"]
        for row in rows.itertuples():
            others = [r for r in RUNS if r != row.run]
            better = [
                r for r in others if differ[frozenset((r, row.run))] and mean[r] > mean[row.run]
            ]
            worse = [
                r for r in others if differ[frozenset((r, row.run))] and mean[r] < mean[row.run]
            ]
            assert row.place == 1 + (mean > mean[row.run]).sum()
            assert (row.place_low, row.place_high) == (1 + len(better), len(RUNS) - len(worse))
            assert row.place_low <= row.place <= row.place_high
            for r in others:
                assert bool(set(text[r]) & set(row.letters)) != differ[frozenset((r, row.run))]
        assert text["twin"] == text["fair"]


def test_none_has_no_letters_and_no_adjusted_p():
    board = irpref_lab.leaderboard(["AP"], QRELS, RUNS, pairs="none")
    assert board["letters"].isna().all()
    assert board[["place_low", "place_high"]].isna().all(axis=None)
    assert board.pairs["p_adjusted"].isna().all()
    assert board.pairs["p"].notna().all()
    assert board["place"].tolist()[:3] == [1, 2, 2]  # the twins share a place
    single = irpref_lab.leaderboard(["AP"], QRELS, {"good": RUNS["good"]}, pairs="none")
    assert single["place"].tolist() == [1]
    assert list(single.pairs.columns) == PAIRS


def test_the_same_data_give_the_same_board_in_any_order(board):
    turned = {q: dict(reversed(docs.items())) for q, docs in reversed(QRELS.items())}
    again = irpref_lab.leaderboard(MEASURES, turned, RUNS, n_permutations=999)
    assert board.equals(again)
    assert board.pairs.equals(again.pairs)
    other = irpref_lab.leaderboard(MEASURES, QRELS, RUNS, n_permutations=999, rng=1)
    assert not board.equals(other)
    generated = [
        irpref_lab.leaderboard(
            MEASURES, QRELS, RUNS, n_permutations=99, rng=np.random.default_rng(4)
        )
        for _ in "ab"
    ]
    assert generated[0].equals(generated[1])


# ------------------------------------------------------------------------------------------- groups

GROUP_OF = {q: "short" if t % 3 else "long" for t, q in enumerate(QRELS)}


def test_a_board_for_each_group_of_topics(tmp_path):
    board = irpref_lab.leaderboard(
        ["AP", "EMeasure"], QRELS, RUNS, groups=GROUP_OF, n_permutations=199
    )
    assert board["group"].drop_duplicates().tolist() == ["long", "short"]
    for group in ("long", "short"):
        inside = {q: docs for q, docs in QRELS.items() if GROUP_OF[q] == group}
        alone = irpref_lab.leaderboard(["AP", "EMeasure"], inside, RUNS, n_permutations=199)
        mine = board[board["group"] == group].reset_index(drop=True)
        pd.testing.assert_frame_equal(
            pd.DataFrame(mine.drop(columns="group")), pd.DataFrame(alone.drop(columns="group"))
        )
        pairs = board.pairs[board.pairs["group"] == group].reset_index(drop=True)
        pd.testing.assert_frame_equal(
            pairs.drop(columns="group"), alone.pairs.drop(columns="group")
        )
    # The same from a file, a series and a column of the qrels.
    file = tmp_path / "groups.txt"
    file.write_text("".join(f"{q}\t{group}\n" for q, group in GROUP_OF.items()))
    frame = pd.DataFrame([(q, d, g) for q, docs in QRELS.items() for d, g in docs.items()])
    frame.columns = ["query_id", "doc_id", "relevance"]
    frame["length"] = frame["query_id"].map(GROUP_OF)
    rows = collections.namedtuple("Qrel", frame.columns)
    tuples = [rows(*row) for row in frame.itertuples(index=False)]
    for groups, qrels in (
        (str(file), QRELS),
        (file, QRELS),
        (pd.Series(GROUP_OF), QRELS),
        ("length", frame),
        ("length", tuples),
        ("length", iter(tuples)),
    ):
        again = irpref_lab.leaderboard(
            ["AP", "EMeasure"], qrels, RUNS, groups=groups, n_permutations=199
        )
        assert again.equals(board)


def test_a_selection_of_rows_keeps_the_pairs(board):
    some = board[board["measure"] == "AP"]
    assert some.pairs.equals(board.pairs)
    assert (some.level, some.method, some.test) == (0.95, "holm", board.test)


def test_files_and_columns_of_groups_are_checked(tmp_path):
    file = tmp_path / "groups"
    for text, message in (
        ("q1 a\nq1 b\n", "line 2: topic 'q1' is in group 'a' and in 'b'"),
        ("\nq1\n", "line 2: expected `topic group`, got 'q1'"),
        ("q1 a\u2028b c\nq2\n", "line 2: expected `topic group`, got 'q2'"),  # U+2028 ends no line
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=message):
            irpref_lab.leaderboard(["AP"], QRELS, RUNS, groups=file)
    frame = pd.DataFrame(
        {"query_id": ["q1", "q1"], "doc_id": ["a", "b"], "relevance": [1, 0], "kind": ["x", "y"]}
    )
    with pytest.raises(JudgmentsError, match="'x' and 'y'") as error:
        irpref_lab.leaderboard(
            ["AP"], frame, {"r": {"q1": {"a": 1}}, "s": {"q1": {"b": 1}}}, groups="kind"
        )
    assert (error.value.column, error.value.topic) == ("kind", "q1")
    with pytest.raises(TypeError, match=r"^groups: .* got list"):
        irpref_lab.leaderboard(["AP"], QRELS, RUNS, groups=["a"])


# ---------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("parameter", "value"), [("level", 1), ("level", "high"), ("pairs", "hom"), ("sort", "P@5")]
)
def test_options_that_make_no_sense_are_refused(parameter, value):
    with pytest.raises(ArgumentError) as error:
        irpref_lab.leaderboard(["AP"], QRELS, RUNS, **{parameter: value})
    assert (error.value.parameter, error.value.value) == (parameter, value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"runs": {"good": RUNS["good"]}}, "compares runs and needs at least 2, got 1"),
        ({"runs": {}}, "compares runs and needs at least 2, got 0"),
        ({"qrels": {"q1": QRELS["q1"]}}, "a leaderboard needs at least 2 topics, got 1"),
        ({"measures": []}, "at least one measure"),
        (
            {"groups": {"q1": "a"}},
            r"groups: 23 of 24 topics have no group, first 'q0'; every topic",
        ),
        (
            {"groups": {q: None if q == "q3" else "b" for q in QRELS}},
            "groups: 1 of 24 topics has no group, first 'q3'",
        ),
        (
            {"groups": {q: "a" if q == "q3" else "b" for q in QRELS}},
            "at least 2 topics, got 1 in group 'a'",
        ),
        (
            {"groups": "nowhere"},
            r"groups: 'nowhere' is neither a file nor a column of the qrels \(found: ",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        irpref_lab.leaderboard(**{"measures": ["AP"], "qrels": QRELS, "runs": RUNS, **arguments})


# ------------------------------------------------------------------------------------- many runs


class Made(dict):
    """A run that knows whether it is still there."""

    alive = weakref.WeakValueDictionary()

    def __init__(self, run):
        super().__init__(run)
        Made.alive[id(self)] = self


class Making(collections.abc.Mapping):
    """Runs that are made when they are asked for."""

    def __init__(self, runs):
        self.runs, self.names, self.most = runs, [], 0

    def __iter__(self):
        return iter(self.runs)

    def __len__(self):
        return len(self.runs)

    def __getitem__(self, name):
        self.names.append(name)
        made = Made(self.runs[name])
        self.most = max(self.most, len(Made.alive))
        return made


def test_a_mapping_that_makes_its_runs_is_asked_for_one_at_a_time():
    runs = {f"{name}{i}": run for i in range(3) for name, run in RUNS.items()}
    making = Making(runs)
    found = irpref_lab.leaderboard("AP", QRELS, making)
    assert making.names == list(runs)
    assert making.most <= 3
    pd.testing.assert_frame_equal(found, irpref_lab.leaderboard("AP", QRELS, runs))


@pytest.mark.parametrize("shown", [True, False])
def test_the_step_down_test_of_many_runs_shows_its_progress(shown, monkeypatch):
    counted = []

    def noted(items, total, unit="run"):
        counted.append((total, unit))
        return contextlib.nullcontext(items)

    monkeypatch.setattr(sign_flips, "progress", noted)
    n = 210 if shown else 10
    values = np.random.default_rng(0).random((n, 6))
    pair_tests(values, "stepdown", n_permutations=40)
    assert {unit for _, unit in counted} == {"pair"}
    assert {total for total, _ in counted} == {n * (n - 1) // 2 if shown else 0}


# -------------------------------------------------------------------------------------- true places


def test_places_hold_the_true_ones_in_95_of_100_experiments():
    rng, experiments, missed = np.random.default_rng(5), 300, 0
    truth = np.array([0.45, 0.42, 0.42, 0.35, 0.30])
    best = 1 + (truth[:, None] < truth).sum(axis=1)  # of equal runs, any of the places they share
    worst = 5 - (truth[:, None] > truth).sum(axis=1)
    for number in range(experiments):
        values = truth[:, None] + rng.normal(0, 0.2, 25) + rng.normal(0, 0.1, (5, 25))
        found = pair_tests(values, n_permutations=199, rng=number)
        different = found.different(0.95)
        mean = values.mean(axis=1)
        low = 1 + (different & (mean[:, None] < mean)).sum(axis=1)
        high = 5 - (different & (mean[:, None] > mean)).sum(axis=1)
        missed += bool(((low > worst) | (high < best) | (low > best) | (high < worst)).any())
    assert missed / experiments <= 0.05 + 2 * 0.0126


# ---------------------------------------------------------------------------------------- real runs


@pytest.mark.slow
def test_the_leaderboard_of_a_track(data_dir):
    collection = "trec-covid-r3"
    qrels = real_runs.qrels_of(data_dir, collection)
    runs = dict(real_runs.runs_of(data_dir, collection))
    start = time.perf_counter()
    board = irpref_lab.leaderboard(["nDCG@10", "RPref(max_rel=2)"], qrels, runs)
    assert time.perf_counter() - start < 60
    rows = board[board["measure"] == "nDCG@10"]
    assert rows["letters"].isna().all()
    pairs = board.pairs[board.pairs["measure"] == "nDCG@10"]
    assert (pairs["p_adjusted"] <= 0.05).sum() == 1403
    more = irpref_lab.leaderboard("nDCG@10", qrels, runs, pairs="stepdown").pairs
    assert (more["p_adjusted"] <= 0.05).sum() > 1450
    assert (rows["topics_without_documents"] == 0).all()


def _of_other_depths():
    """Runs over 40 documents a topic: whole, of a few documents, and hardly judged."""
    rng = np.random.default_rng(6)
    qrels = {f"q{t}": {f"d{d}": int(rng.integers(0, 2)) for d in range(40)} for t in range(30)}

    def run(noise, depth, other=0):
        """Rank that many of the documents, after others that nobody judged."""
        return {
            q: {f"x{d}": 90.0 - d for d in range(other)}
            | {
                d: g + noise * rng.normal()
                for d, g in sorted(docs.items(), key=lambda item: -item[1])[:depth]
            }
            for q, docs in qrels.items()
        }

    runs = {"whole": run(0.1, 40), "noisy": run(1.5, 40), "few": run(0.1, 8), "fewer": run(0.1, 7)}
    return qrels, {**runs, "unknown": run(0.1, 40, other=9)}


@pytest.mark.parametrize("measure", ["AP", "nDCG@10"])
def test_a_board_tells_apart_no_pair_that_compare_cannot(measure):
    qrels, runs = _of_other_depths()
    board = irpref_lab.leaderboard(measure, qrels, runs)
    pairs = board.pairs[board.pairs["p_adjusted"] < 0.05]
    beside = {
        (a, b): irpref_lab.compare(measure, qrels, runs[a], runs[b])["codes"].item()
        for a, b in zip(pairs["a"], pairs["b"], strict=True)
    }
    assert (
        dict(zip(zip(pairs["a"], pairs["b"], strict=True), pairs["codes"], strict=True)) == beside
    )
    assert set(beside.values()) == {"", "shallow", "unjudged"}
    # Beside each other, two runs of a few documents are deep enough for AP.
    assert beside["few", "fewer"] == ("" if measure == "AP" else "shallow")
