"""The robustness study: its engine against the package's own evaluator on qrels and runs that are really thinned."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import irpref
from irpref.measures.names import parse
from irpref.meta import incompleteness

ROOT = Path(__file__).resolve().parent.parent
if not (ROOT / "study").is_dir():
    pytest.skip("the study is in the repository, not in the package", allow_module_level=True)
sys.path.insert(0, str(ROOT))

from study import __main__ as command  # noqa: E402
from study import cells, data, engine, losses, measures  # noqa: E402

Qrels = dict[str, dict[str, int]]
Runs = dict[str, dict[str, dict[str, float]]]


def collection_of(
    seed: int = 3, n_topics: int = 7, n_runs: int = 6, grades=(0, 1, 2), share=(0.6, 0.25, 0.15)
) -> tuple[Qrels, Runs]:
    """Judgments of some of the documents, and runs with ties, gaps and different lengths."""
    draw = np.random.default_rng(seed)
    qrels: Qrels = {}
    worth: dict[str, dict[str, float]] = {}
    for t in range(n_topics):
        docs = [f"d{t % 3}-{i}" for i in range(60)]  # topics share documents
        judged = draw.permutation(60)[: int(draw.integers(25, 45))]
        drawn = draw.choice(grades, judged.size, p=share)
        drawn[:2] = max(grades), 0
        qrels[f"q{t}"] = {docs[i]: int(g) for i, g in zip(judged.tolist(), drawn.tolist(), strict=True)}
        worth[f"q{t}"] = {doc: qrels[f"q{t}"].get(doc, 0) + 1.5 * draw.random() for doc in docs}
    runs: Runs = {}
    for k in range(n_runs):
        runs[f"{'abcdefghij'[k // 2]}_{k}"] = {
            topic: {
                doc: round(of[doc] + (0.5 + 0.2 * k) * draw.standard_normal(), 1)
                for doc in draw.permutation(list(of))[: int(draw.integers(20, 60))].tolist()
            }
            for topic, of in worth.items()
        }
    return qrels, runs


def folder_of(path: Path, qrels: Qrels, runs: Runs, table: str | None = None) -> Path:
    (path / "qrels").mkdir(parents=True)
    (path / "runs").mkdir()
    lines = [f"{t} 0 {d} {g}" for t, of in qrels.items() for d, g in of.items()]
    with gzip.open(path / "qrels" / "qrels.txt.gz", "wt") as file:
        file.write("\n".join(lines) + "\n")
    for name, run in runs.items():
        lines = [f"{t} Q0 {d} 0 {s} {name}" for t, of in run.items() for d, s in of.items()]
        with gzip.open(path / "runs" / f"{name}.run.gz", "wt") as file:
            file.write("\n".join(lines) + "\n")
    if table is not None:
        (path / "runs.tsv").write_text(table)
    return path


def cut(runs: Runs, depth: int) -> Runs:
    """The first `depth` documents, with scores that keep their order."""
    found: Runs = {}
    for name, run in runs.items():
        found[name] = {}
        for topic, of in run.items():
            order = sorted(of, key=lambda doc: (of[doc], doc), reverse=True)[:depth]
            found[name][topic] = {doc: float(len(order) - i) for i, doc in enumerate(order)}
    return found


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    qrels, runs = collection_of()
    return qrels, runs, data.read(folder_of(tmp_path_factory.mktemp("c") / "small", qrels, runs))


DEPTH = 25


def thinned(qrels: Qrels, setting: data.Setting, part: losses.Part, sample: int) -> Qrels:
    """The judgments that are left in a sample, by their ids."""
    pool = setting.pool
    keep = np.ones(pool.grade.size, bool) if part.keep is None else part.keep[sample]
    grade = pool.grade if part.grade is None else part.grade[sample]
    left: Qrels = {topic: {} for topic in pool.topic_ids}
    for row in np.flatnonzero(keep).tolist():
        left[pool.topic_ids[int(pool.judged.topic[row])]][str(pool.doc_ids[row])] = int(grade[row])
    if part.keep is not None:
        assert all(qrels[t][d] == g for t, of in left.items() for d, g in of.items())
    return left


def gone(qrels: Qrels, runs: Runs, setting: data.Setting, part: losses.Part, sample: int) -> Runs:
    """The runs without the documents that vanished in a sample."""
    assert part.there is not None
    every = sorted(
        {d for of in qrels.values() for d in of} | {d for r in runs.values() for of in r.values() for d in of}
    )
    assert len(every) == setting.n_docs
    there = {doc for doc, left in zip(every, part.there[sample].tolist(), strict=True) if left}
    return {
        name: {topic: {d: s for d, s in of.items() if d in there} for topic, of in run.items()}
        for name, run in cut(runs, setting.depth).items()
    }


@pytest.mark.parametrize("loss", ["none", "random", "shallow", "team", "gone", "judges"])
def test_values_are_those_of_the_evaluator_on_what_is_really_left(small, loss):
    qrels, runs, collection = small
    setting = collection.setting(DEPTH)
    level = losses.LEVELS[loss][-1]
    of = losses.Loss(setting, loss, level, 3, 11)
    values, _ = engine.values_of(of)
    part = of.part(0, of.n_samples)
    grades = measures.Grades.of(setting.pool.grade, setting.rel)
    wanted = {label: measures.expression(label, grades) for label in engine.labels_for(loss)}
    names = {label: text for label, text in wanted.items() if text is not None}
    assert len(names) == 25
    for sample in range(of.n_samples):
        left = thinned(qrels, setting, part, sample)
        seen = gone(qrels, runs, setting, part, sample) if loss == "gone" else cut(runs, DEPTH)
        evaluator = irpref.evaluator(list(names.values()), left)
        order = [evaluator.topic_ids.index(t) for t in setting.pool.topic_ids if left[t]]
        for s, name in enumerate(collection.runs):
            found = evaluator.values(seen[name])
            for label, text in names.items():
                expected = np.zeros(setting.n_topics)
                expected[[bool(left[t]) for t in setting.pool.topic_ids]] = found[parse(text)][order]
                if "infinity" in label:  # the same terms, added by grade
                    np.testing.assert_allclose(values[label][sample, s], expected, rtol=0, atol=1e-14, err_msg=label)
                else:
                    np.testing.assert_array_equal(values[label][sample, s], expected, err_msg=label)


def test_infap_is_that_of_trec_eval_where_lost_judgments_are_marked(small):
    import pytrec_eval

    qrels, runs, collection = small
    setting = collection.setting(DEPTH)
    for loss, level in (("none", 0), ("random", 20), ("random", 5)):
        of = losses.Loss(setting, loss, level, 3, 5)
        values, _ = engine.values_of(of)
        part = of.part(0, of.n_samples)
        for sample in range(of.n_samples):
            left = thinned(qrels, setting, part, sample)
            marked = {t: {d: left[t].get(d, -1) for d in judged} for t, judged in qrels.items()}
            host = pytrec_eval.RelevanceEvaluator(marked, {"infAP"})
            for s, name in enumerate(collection.runs):
                found = host.evaluate(cut(runs, DEPTH)[name])
                expected = [found[t]["infAP"] for t in setting.pool.topic_ids]
                np.testing.assert_allclose(values["infAP"][sample, s], expected, rtol=0, atol=1e-12)


def rbp_by_hand(qrels: dict[str, int], run: dict[str, float], top: int, rel: int | None, judged_only: bool, p=0.8):
    docs = sorted(run, key=lambda d: (run[d], d), reverse=True)
    if judged_only:
        docs = [d for d in docs if qrels.get(d, -1) >= 0]
    total = residual = 0.0
    for i, doc in enumerate(docs):
        grade = qrels.get(doc, -1)
        gain = max(grade, 0) / top if rel is None else float(grade >= rel)
        total += (1 - p) * p**i * gain
        residual += (1 - p) * p**i * (grade < 0)
    return total, residual + p ** len(docs)


@pytest.mark.parametrize("loss", ["random", "gone"])
def test_rbp_and_its_residual_are_the_sums_over_ranks(small, loss):
    qrels, runs, collection = small
    setting = collection.setting(DEPTH)
    of = losses.Loss(setting, loss, losses.LEVELS[loss][-1], 2, 5)
    values, _ = engine.values_of(of)
    part = of.part(0, of.n_samples)
    for sample in range(of.n_samples):
        left = thinned(qrels, setting, part, sample)
        seen = gone(qrels, runs, setting, part, sample) if loss == "gone" else cut(runs, DEPTH)
        for s, name in enumerate(collection.runs):
            for t, topic in enumerate(setting.pool.topic_ids):
                for label, rel, judged_only in (
                    ("RBP", None, False),
                    ("RBP'", None, True),
                    ("RBP binary", 1, False),
                    ("RBP' binary", 1, True),
                ):
                    value, residual = rbp_by_hand(left[topic], seen[name][topic], 2, rel, judged_only)
                    assert values[label][sample, s, t] == pytest.approx(value, abs=1e-12), label
                    if label == "RBP":
                        assert values[measures.RESIDUAL][sample, s, t] == pytest.approx(residual, abs=1e-12)


def test_binary_rbp_is_that_of_ir_measures(small):
    pytest.importorskip("cwl", reason="needs cwl_eval, which computes RBP for ir_measures")
    import ir_measures

    qrels, runs, _ = small
    evaluator = irpref.evaluator(["AP"], qrels)
    for run in cut(runs, DEPTH).values():
        judged = evaluator.judge(run)
        values = measures.rbp(judged, ((1.0, 1.0), (2.0, 1.0)), 1.0, judged_only=False)
        found = dict(zip(evaluator.topic_ids, values.tolist(), strict=True))
        host = ir_measures.iter_calc([ir_measures.RBP(rel=1, p=measures.P)], qrels, run)
        assert {m.query_id: pytest.approx(m.value, abs=1e-12) for m in host} == found


def test_graded_rbp_is_that_of_nist_for_the_runs_of_trec_covid():
    home = Path(os.environ.get("IRPREF_DATA", ROOT.parent / "shared" / "data")) / "trec-covid-r1"
    if not home.is_dir():
        pytest.skip("needs ../shared/data")
    published = pd.read_csv(home / "published.tsv", sep="\t")
    published = published[published["measure"].str.startswith("RBP")].set_index("run")["value"]
    evaluator = irpref.evaluator(["AP"], home / "qrels" / "qrels.txt.gz")
    for name in list(published.index)[:8]:
        judged = evaluator.judge(irpref.read_run(home / "runs" / f"{name}.run.gz"))
        assert measures.rbp(judged, None, 2.0, False, p=0.5).mean() == pytest.approx(published[name], abs=5.1e-5)


@pytest.mark.parametrize(("loss", "there"), [("random", "random"), ("judges", "flip"), ("gone", "documents")])
def test_samples_are_those_of_the_package_with_the_same_seed(small, loss, there):
    qrels, runs, collection = small
    setting = collection.setting(DEPTH)
    level = losses.LEVELS[loss][1]
    of = losses.Loss(setting, loss, level, 3, 2006)
    values, _ = engine.values_of(of)
    if loss == "gone":  # there, documents are those of the runs as they are given
        every = {d for judged in qrels.values() for d in judged}
        every |= {d for r in cut(runs, DEPTH).values() for listed in r.values() for d in listed}
        if len(every) != setting.n_docs:
            pytest.skip("documents below the depth")
    grades = measures.Grades.of(setting.pool.grade, setting.rel)
    names = {m: str(parse(measures.expression(m, grades) or "")) for m in ("AP", "nDCG'", "rpref absolute", "bpref")}
    found = incompleteness(
        list(names.values()), qrels, cut(runs, DEPTH), levels=[level], n_samples=3, rng=2006, loss=there, progress=False
    ).means
    for label, measure in names.items():
        for sample in range(3):
            rows = found[(found["level"] == level) & (found["sample"] == sample) & (found["measure"] == measure)]
            mean = rows.set_index("system")["mean"].reindex(collection.runs).to_numpy()
            np.testing.assert_allclose(values[label][sample].mean(axis=1), mean, rtol=0, atol=1e-14)


def test_shallow_pools_hold_the_first_documents_of_half_of_the_teams(small):
    qrels, runs, collection = small
    setting = collection.setting(DEPTH)
    of = losses.Loss(setting, "shallow", 3, 6, 1)
    assert of.in_pool is not None
    assert (of.in_pool.sum(axis=1) == len(setting.teams) // 2).all()
    assert len({tuple(row) for row in of.in_pool.tolist()}) > 1
    part = of.part(0, 6)
    lists = cut(runs, 3)
    for sample in range(6):
        pooled = {name for name, k in zip(collection.runs, setting.team, strict=True) if of.in_pool[sample, k]}
        expected = {
            t: {d: g for d, g in judged.items() if any(d in lists[name][t] for name in pooled)}
            for t, judged in qrels.items()
        }
        assert thinned(qrels, setting, part, sample) == expected
    # The same halves at every level: smaller pools lie in larger ones.
    deeper = losses.Loss(setting, "shallow", 10, 6, 1).part(0, 6)
    assert deeper.keep is not None
    assert part.keep is not None
    assert not (part.keep & ~deeper.keep).any()


def test_a_team_left_out_takes_what_only_its_contributing_runs_have_within_the_pool(tmp_path):
    qrels, runs = collection_of(n_runs=6)
    table = "run\tteam\tcontributed_judgments\n" + "".join(
        f"{name}\tteam {name[0]}\t{'no' if name in ('a_0', 'c_4', 'c_5') else 'yes'}\n" for name in runs
    )
    collection = data.read(folder_of(tmp_path / "c", qrels, runs, table))
    setting = collection.setting(DEPTH)
    assert setting.teams == ["team a", "team b", "team c"]
    of = losses.Loss(setting, "team", 0, 100, 1)
    assert of.n_samples == 3
    lists = cut(runs, setting.pool_depth)
    part = of.part(0, 3)
    for k, letter in enumerate("abc"):
        mine = [n for n in ("a_1", "b_2", "b_3") if n[0] == letter]
        others = [n for n in ("a_1", "b_2", "b_3") if n[0] != letter]
        lost = {
            (t, d)
            for t, judged in qrels.items()
            for d in judged
            if any(d in lists[n][t] for n in mine) and not any(d in lists[n][t] for n in others)
        }
        left = thinned(qrels, setting, part, k)
        assert {(t, d) for t, judged in qrels.items() for d in judged if d not in left[t]} == lost
    assert of.pooled is not None
    # Team c contributed nothing: it is not left out.
    assert of.pooled.tolist()[2] == [True] * 6
    assert of.pooled.tolist()[1] == [True, True, False, False, True, True]


def test_the_pool_depth_is_the_deepest_that_the_median_contributing_run_is_judged_to(small):
    qrels, runs, collection = small
    setting = collection.setting(DEPTH)
    share = setting.judged_at(0, DEPTH)
    name = collection.runs[0]
    for d in (1, 7, DEPTH):
        lists = cut(runs, d)[name]
        by_hand = [sum(doc in qrels[t] for doc in of) / len(of) for t, of in lists.items()]
        assert share[d - 1] == pytest.approx(np.mean(by_hand))
    assert setting.pool_depth == 5  # half of the documents are judged, which is less than 95 % at any depth


def test_random_losses_are_nested_and_keep_the_least(small):
    setting = small[2].setting(DEPTH)
    parts = [losses.Loss(setting, "random", level, 4, 9).part(0, 4).keep for level in losses.LEVELS["random"]]
    for more, fewer in pairwise(parts):
        assert more is not None
        assert fewer is not None
        assert not (fewer & ~more).any()
        for keep in fewer:
            assert (setting.pool.judged.count(keep & (setting.pool.grade >= 1)) >= 1).all()
            assert (setting.pool.judged.count(keep & (setting.pool.grade < 1)) >= 10).all()


def test_chunks_do_not_change_values(small, monkeypatch):
    of = losses.Loss(small[2].setting(DEPTH), "random", 20, 5, 1)
    whole, left = engine.values_of(of)
    monkeypatch.setattr(engine, "HITS", 1)
    parts, left_in_parts = engine.values_of(of)
    assert left == left_in_parts
    for label, values in whole.items():
        np.testing.assert_array_equal(values, parts[label])


def test_identities_between_measures_of_the_study(small):
    values, _ = engine.values_of(losses.Loss(small[2].setting(DEPTH), "random", 20, 5, 1))
    for a, b in (
        ("rpref absolute binary", "bpref N"),
        ("n-pref", "bpref N"),
        ("rpref relative2 binary", "AP'"),  # 1 - the share of less relevant documents down to rank k is precision
    ):
        np.testing.assert_allclose(values[a], values[b], rtol=0, atol=1e-14)


# ------------------------------------------------------------------------------------------------ the command


def run(folder: Path, out: Path, *more: str) -> int:
    arguments = ["--samples", "3", "--replicates", "20", "--jobs", "1"]
    return command.main([str(folder), "-o", str(out), *arguments, *more])


FILES = (
    "settings.json",
    "outcomes.csv",
    "intervals.csv",
    "differences.csv",
    "samples.csv.gz",
    "teams.csv",
    "full.csv",
    "losses.csv",
)


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


def test_what_was_computed_is_kept_and_the_bytes_are_the_same(tmp_path, capsys):
    qrels, runs = collection_of()
    home = folder_of(tmp_path / "c", qrels, runs)
    assert run(home, tmp_path / "whole") == 0
    assert run(home, tmp_path / "parts") == 0
    kept = tmp_path / "parts" / "c" / "cells"
    for cell in sorted(kept.glob("*.npz"))[::2]:
        cell.unlink()
    (kept / "100-random-50.npz").write_bytes(b"half a file")
    left = {cell.name: cell.stat().st_mtime_ns for cell in kept.glob("*.npz") if cell.stat().st_size > 100}
    assert run(home, tmp_path / "parts", "--resume") == 0
    assert contents(tmp_path / "whole" / "c") == contents(tmp_path / "parts" / "c")
    assert left.items() <= {cell.name: cell.stat().st_mtime_ns for cell in kept.glob("*.npz")}.items()
    # Other judgments: nothing is kept.
    qrels["q0"] = {doc: 2 - grade for doc, grade in qrels["q0"].items()}
    (home / "qrels" / "qrels.txt.gz").unlink()
    lines = [f"{t} 0 {d} {g}" for t, of in qrels.items() for d, g in of.items()]
    (home / "qrels" / "qrels.txt").write_text("\n".join(lines) + "\n")
    assert run(home, tmp_path / "parts", "--resume") == 0
    assert contents(tmp_path / "whole" / "c") != contents(tmp_path / "parts" / "c")
    assert not left.items() & {cell.name: cell.stat().st_mtime_ns for cell in kept.glob("*.npz")}.items()


def test_a_killed_study_goes_on_to_the_same_bytes(tmp_path):
    qrels, runs = collection_of()
    home = folder_of(tmp_path / "c", qrels, runs)
    line = [sys.executable, "-m", "study", str(home), "--samples", "3", "--replicates", "20", "--jobs", "2"]
    where = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    started = subprocess.Popen([*line, "-o", str(tmp_path / "killed")], cwd=ROOT, env=where, stderr=subprocess.DEVNULL)
    kept = tmp_path / "killed" / "c" / "cells"
    until = time.monotonic() + 120
    while started.poll() is None and len(list(kept.glob("[0-9]*.npz"))) < 3 and time.monotonic() < until:
        time.sleep(0.02)
    if started.poll() is None:
        os.kill(started.pid, signal.SIGKILL)  # the one process; those that it started end by themselves
    started.wait()
    assert list(kept.glob("[0-9]*.npz"))
    subprocess.run([*line, "-o", str(tmp_path / "killed"), "--resume"], cwd=ROOT, env=where, check=True)
    assert run(home, tmp_path / "whole") == 0
    assert contents(tmp_path / "whole" / "c") == contents(tmp_path / "killed" / "c")


def test_result_files_hold_every_measure_and_the_claims_of_the_hypotheses(tmp_path):
    from study.hypotheses import HYPOTHESES

    qrels, runs = collection_of(n_runs=12)
    long = {
        name: {t: of | {f"x{i}": -9.0 - i for i in range(230)} for t, of in run.items()} for name, run in runs.items()
    }
    assert run(folder_of(tmp_path / "c", qrels, long), tmp_path / "r") == 0
    home = tmp_path / "r" / "c"
    found = pd.read_csv(home / "outcomes.csv", keep_default_na=False)
    assert set(found["measure"]) == set(measures.LABELS)
    assert set(found[found["measure"] == "infAP"]["loss"]) == {"none", "random"}
    deep = max(found["depth"])
    assert deep > 200
    assert min(found["depth"]) == 100
    told = pd.read_csv(home / "differences.csv", keep_default_na=False)
    rows = set(told[["depth", "loss", "level", "outcome", "a", "b"]].itertuples(index=False, name=None))
    for of in HYPOTHESES:
        for claim in of.claims:
            depth = deep if claim.deepest else 100
            assert (depth, claim.loss, claim.level, claim.outcome, claim.a, claim.b) in rows
    assert not pd.read_csv(home / "samples.csv.gz").isna().any().any()


def test_names_of_teams_are_published_only_where_a_file_says_them(tmp_path):
    qrels, runs = collection_of()
    assert run(folder_of(tmp_path / "secret", qrels, runs), tmp_path / "r") == 0
    table = "run\tteam\n" + "".join(f"{name}\tteam of {name[0]}\n" for name in runs)
    assert run(folder_of(tmp_path / "public", qrels, runs, table), tmp_path / "r") == 0
    said = [set(pd.read_csv(tmp_path / "r" / c / "teams.csv")["team"]) for c in ("secret", "public")]
    assert said == [{"team 1", "team 2", "team 3"}, {"team of a", "team of b", "team of c"}]
    for name in FILES:
        content = (tmp_path / "r" / "secret" / name).read_bytes()
        assert not any(run.encode() in (gzip.decompress(content) if name.endswith("gz") else content) for run in runs)


@pytest.mark.parametrize(
    ("odd", "change"),
    [
        ("binary grades", {"grades": (0, 1), "share": (0.7, 0.3)}),
        ("negative grades", {"grades": (-1, 0, 1, 2), "share": (0.2, 0.4, 0.25, 0.15)}),
        ("gaps in the grades", {"grades": (0, 1, 4), "share": (0.6, 0.25, 0.15)}),
        ("five runs", {"n_runs": 5}),
    ],
)
def test_odd_collections_are_studied(tmp_path, odd, change):
    qrels, runs = collection_of(**change)
    assert run(folder_of(tmp_path / "c", qrels, runs), tmp_path / "r") == 0
    found = pd.read_csv(tmp_path / "r" / "c" / "outcomes.csv")
    assert len(set(found["measure"])) == len(measures.LABELS)
    assert len(found[found["outcome"] == "tau"]) > 300


def test_topics_without_judgments_topics_that_runs_miss_and_short_runs_are_taken(tmp_path):
    qrels, runs = collection_of()
    for name in runs:
        runs[name]["unjudged"] = {"d1": 1.0}
    qrels["nobody"] = {"d1": 1, "d2": 0}
    qrels["nothing"] = {"d1": 0, "d2": 0}
    for name in runs:
        runs[name]["nothing"] = {"d1": 1.0}
    del runs["a_0"]["q1"]
    runs["b_2"] = {topic: dict(list(of.items())[:3]) for topic, of in runs["b_2"].items()}
    collection = data.read(folder_of(tmp_path / "c", qrels, runs))
    assert collection.left_out == {"no relevant document": 1, "no run answers": 1}
    values, _ = engine.values_of(losses.Loss(collection.setting(100), "none", 0, 1, 1))
    assert values["nDCG"].shape == (1, 6, 7)
    assert values["nDCG"][0, 0, 1] == 0
    expected = irpref.evaluator(["nDCG"], {t: of for t, of in qrels.items() if t.startswith("q")})
    for s, name in enumerate(collection.runs):
        of = {t: docs for t, docs in runs[name].items() if t.startswith("q")}
        np.testing.assert_array_equal(values["nDCG"][0, s], next(iter(expected.values(of).values())))
    assert run(tmp_path / "c", tmp_path / "r") == 0


def test_one_team_leaves_out_the_losses_that_need_two(tmp_path, capsys):
    qrels, runs = collection_of()
    table = "run\tteam\n" + "".join(f"{name}\tus\n" for name in runs)
    assert run(folder_of(tmp_path / "c", qrels, runs, table), tmp_path / "r") == 0
    assert "one team only" in capsys.readouterr().err
    found = pd.read_csv(tmp_path / "r" / "c" / "outcomes.csv")
    assert set(found["loss"]) == {"none", "random", "gone", "judges"}


def test_what_cannot_be_studied_ends_in_one_sentence(tmp_path, capsys):
    qrels, runs = collection_of()

    def said(folder: Path, *more: str) -> str:
        assert run(folder, tmp_path / "r", *more) == 1
        text = capsys.readouterr().err
        assert "Traceback" not in text
        return text.splitlines()[-1]

    assert "is no folder" in said(tmp_path / "nowhere")
    assert "at least 3" in said(folder_of(tmp_path / "two", qrels, dict(list(runs.items())[:2])))
    few = folder_of(tmp_path / "few", dict(list(qrels.items())[:2]), runs)
    assert "2 topics" in said(few)
    assert "grade of 9" in said(few, "--rel", "9").replace("of grade 9", "grade of 9")
    home = folder_of(tmp_path / "c", qrels, runs)
    (home / "qrels" / "other.txt").write_text("q 0 d 1\n")
    assert "--qrels" in said(home)
    assert "no file 'x'" in said(home, "--qrels", "x")
    assert run(home, tmp_path / "r", "--qrels", "qrels.txt.gz") == 0
    capsys.readouterr()
    (home / "runs" / "b_2.run.gz").unlink()
    (home / "runs" / "b_2.run").write_text("q1 Q0 d1 1 high tag\n")
    assert "b_2" in said(home, "--qrels", "qrels.txt.gz")
    assert "runs are 500 documents deep" in said(folder_of(tmp_path / "d", qrels, runs), "--depths", "500")
    assert "--rel" in said(tmp_path / "d", "--rel", "high")
    (tmp_path / "d" / "runs.tsv").write_text("name\tteam\n")
    assert "no column run" in said(tmp_path / "d")


def test_grades_that_are_relevant_can_be_given_for_one_collection_or_all():
    assert data.named(["2", "dl19=1"]) == {None: 2.0, "dl19": 1.0}
    assert [data.guess_rel(n) for n in ("dl19-passage", "trec-dl-2020", "dl21", "web2011", "trec-covid-r1")] == [
        2,
        2,
        2,
        1,
        1,
    ]


def test_another_seed_is_another_draw_and_is_told_beside_the_first(tmp_path):
    qrels, runs = collection_of()
    assert run(folder_of(tmp_path / "c", qrels, runs), tmp_path / "r", "--other-seed", "7") == 0
    told = pd.read_csv(tmp_path / "r" / "c" / "seed.csv")
    drawn = told[(told["loss"] == "random") & (told["outcome"] == "tau")]
    assert (drawn["mean"] != drawn["other"]).mean() > 0.8
    fixed = told[told["outcome"].isin(["value", "power"]) & told["loss"].isin(["none", "team"])]
    np.testing.assert_array_equal(fixed["mean"], fixed["other"])


def test_one_process_and_two_give_the_same_bytes(tmp_path):
    qrels, runs = collection_of()
    home = folder_of(tmp_path / "c", qrels, runs)
    assert run(home, tmp_path / "one") == 0
    assert run(home, tmp_path / "two", "--jobs", "2") == 0
    assert contents(tmp_path / "one" / "c") == contents(tmp_path / "two" / "c")


def test_cells_are_all_settings_losses_and_levels():
    every = cells.cells_of([100, 500], one_team=False)
    assert len(every) == 2 * 15
    assert sum(cell.primary for cell in every) == 2 * 6
