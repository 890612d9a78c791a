"""The page of the robustness study says what the result files say, and stops where they contradict each other."""

from __future__ import annotations

import gzip
import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parent.parent
if not (ROOT / "study").is_dir():
    pytest.skip("the study is in the repository, not in the package", allow_module_level=True)
sys.path.insert(0, str(ROOT))

from study.hypotheses import HYPOTHESES, PRIMARY_LEVEL  # noqa: E402
from study.measures import FACTS, LABELS  # noqa: E402
from study.page import ABLATION, Page, claims_csv, main  # noqa: E402
from study.reading import Results, fit, over_collections  # noqa: E402

LEVELS = {"none": [0], "random": [50, 10], "shallow": [10], "team": [0], "gone": [70], "judges": [80]}
OUTCOMES = {
    "none": ["value", "power", "prediction", "tau_recall"],
    "random": ["value", "power", "kept", "wrong", "prediction", "tau", "tau_full_ap"],
    "shallow": ["prediction", "tau", "power", "bias_value", "bias_place"],
    "team": ["bias_value", "bias_place"],
    "gone": ["prediction", "tau", "power"],
    "judges": ["prediction", "tau", "power"],
}


def pairs():
    found = dict.fromkeys((claim.a, claim.b) for of in HYPOTHESES for claim in of.claims if claim.b)
    found |= dict.fromkeys(pair for group in ABLATION.values() for pair in group)
    others = ("AP", "AP'", "RBP", "RBP'", "nDCG'", "bpref", "rpref absolute")
    return list(found | dict.fromkeys((a, b) for a in LABELS for b in others if a != b))


def write(folder, frame, columns):
    frame = pd.DataFrame(frame, columns=columns.split(","))
    text = frame.to_csv(index=False, float_format="%.5g", lineterminator="\n")
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_bytes(gzip.compress(text.encode(), mtime=0) if folder.suffix == ".gz" else text.encode())


def make(folder, seed, deep=True):
    """Result files of a made-up collection: condensed lists predict better, left-out teams gain with them."""
    draw = np.random.default_rng(seed)
    depths = [100, 1000] if deep else [100]
    none = ("", "", "")  # a second look is not taken at all
    outcomes, intervals, differences, teams, full, losses = ([] for _ in range(6))
    for depth in depths:
        for loss, levels in LEVELS.items():
            for level in levels:
                losses.append((depth, loss, level, level / 100, level / 100, 0.5, 0.4))
                for outcome in OUTCOMES[loss]:
                    mean = {}
                    for k, m in enumerate(LABELS):
                        good = 0.2 * FACTS[m].condensed + 0.01 * FACTS[m].graded + 0.002 * k + 0.01 * draw.random()
                        value = 4 * FACTS[m].condensed - 2 if outcome.startswith("bias") else 0.5 + good
                        mean[m] = value = round(value, 4)
                        outcomes.append((depth, loss, level, m, outcome, value, 0.01, value - 0.02, value + 0.02, 4))
                        intervals.append((depth, loss, level, outcome, m, value, value - 0.05, value + 0.05))
                        if outcome == "bias_value":
                            differences.append(
                                (depth, loss, level, outcome, m, "", value, value - 1, value + 1, 0.01, "", "", "")
                            )
                    for a, b in pairs():
                        d = round(mean[a] - mean[b], 5)
                        ends = (d - 0.02, d + 0.02, 0.02, d - 0.01, d + 0.01, 0.01)
                        differences.append((depth, loss, level, outcome, a, b, d, *ends))
                        if outcome == "bias_value":
                            size = abs(mean[a]) - abs(mean[b])
                            differences.append(
                                (depth, loss, level, "bias_size", a, b, size, size - 1, size + 1, 0.5, "", "", "")
                            )
        if depth > 100:
            a, b = "rpref absolute", "rpref relative"
            differences.append((depth, "random", 10, "tau_deeper", a, b, 0.1, 0.05, 0.15, 0.01, *none))
        full += [(depth, a, b, 0.8) for k, a in enumerate(LABELS) for b in LABELS[:k]]
        teams += [(depth, f"team {t}", m, 1.0 - t, 2.0 - t, 2) for t in range(3) for m in LABELS]
    samples = [
        (100, loss, PRIMARY_LEVEL[loss], s, m, 0.8, round(0.5 + 0.2 * FACTS[m].condensed + 0.05 * draw.random(), 4))
        for loss in ("random", "shallow", "gone", "judges")
        for s in range(4)
        for m in LABELS
    ]
    write(folder / "outcomes.csv", outcomes, "depth,loss,level,measure,outcome,mean,sd,min,max,n")
    write(folder / "intervals.csv", intervals, "depth,loss,level,outcome,measure,estimate,low,high")
    write(
        folder / "differences.csv",
        differences,
        "depth,loss,level,outcome,a,b,estimate,low,high,p,mean_low,mean_high,mean_p",
    )
    write(folder / "samples.csv.gz", samples, "depth,loss,level,sample,measure,tau,prediction")
    write(folder / "teams.csv", teams, "depth,team,measure,bias_value,bias_place,n_runs")
    write(folder / "full.csv", full, "depth,measure_a,measure_b,tau")
    write(folder / "losses.csv", losses, "depth,loss,level,judgments,relevant,topics_lost,residual")
    (folder / "settings.json").write_text(
        json.dumps(
            {
                **{"collection": folder.name, "rel": 1.0, "runs": 20, "teams": 5, "team_source": "runs.tsv"},
                **{"topics": 30, "judgments": 1000, "grades": {"0": 700, "1": 300}, "samples": 4, "seed": 2006},
                **{"replicates": 50, "versions": {"irpref": "1", "numpy": "2", "scipy": "1"}, "inputs": "abc"},
                "settings": [{"depth": d, "runs": 20, "pool_depth": 10, "teams": 5} for d in depths],
            }
        )
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    for k, name in enumerate(("one", "two", "robust03")):
        make(folder / name, k, deep=name != "one")
    return folder


@pytest.fixture
def copy(made, tmp_path):
    shutil.copytree(made, tmp_path / "results")
    return tmp_path / "results"


def change(folder, file, edit):
    for path in folder.glob(f"*/{file}"):
        table = pd.read_csv(path, keep_default_na=False)
        write(path, edit(table), ",".join(table.columns))


def swap(folder, a, b, files=("outcomes", "intervals", "differences", "teams", "full", "samples")):
    """Exchange two measures."""
    turn = {a: b, b: a}
    for file in files:
        change(folder, f"{file}.csv*", lambda table: table.map(lambda cell: turn.get(cell, cell)))


def sentence(page, name):
    return page.short(name), page.phrase(name)


def test_verdicts_and_sentences_follow_the_files(made):
    page = Page(Results(made))
    assert page.r.tested["H4"].verdict == "supported"
    assert "is the ingredient" in page.short("H4")
    assert "holds in 3 and is contradicted in 0 of 3 collections" in page.phrase("H4")
    assert page.r.tested["H5"].verdict == "supported"
    text = page.text()
    for name in page.r.tested:
        assert f"#### {name}:" in text
    assert "TREC Robust 2003" in text
    assert "nan" not in text


@pytest.mark.parametrize(("a", "b", "hypothesis"), [("AP", "AP'", "H4"), ("RBP", "RBP'", "H5"), ("bpref", "AP", "H11")])
def test_two_measures_exchanged_in_all_files_change_the_sentence(made, copy, a, b, hypothesis):
    before = Page(Results(made))
    swap(copy, a, b)
    after = Page(Results(copy))
    assert before.r.tested[hypothesis].verdict == "supported"
    assert after.r.tested[hypothesis].verdict == "refuted"
    for old, new in zip(sentence(before, hypothesis), sentence(after, hypothesis), strict=True):
        assert old != new
    assert before.text() != after.text()


@pytest.mark.parametrize("file", ["outcomes", "intervals", "differences"])
def test_two_measures_exchanged_in_one_file_stop_the_build(copy, file, capsys):
    swap(copy, "AP", "AP'", [file])
    assert main(["--results", str(copy), "-o", str(copy), "--no-pictures"]) == 1
    assert "study page:" in capsys.readouterr().err


def test_a_claim_without_its_numbers_stops_the_build(copy):
    change(copy, "differences.csv", lambda table: table[table["a"] != "infAP"])
    with pytest.raises(ValueError, match="no tau_full_ap of infAP and AP' under random, which H12 is about"):
        _ = Results(copy).tested


def test_results_of_different_studies_are_not_put_together(copy):
    path = copy / "one" / "settings.json"
    path.write_text(path.read_text().replace('"samples": 4', '"samples": 5'))
    with pytest.raises(ValueError, match="differ in samples, seed or replicates"):
        Results(copy)
    with pytest.raises(ValueError, match="has no results"):
        Results(copy / "one")


def test_unknown_measures_are_named(copy):
    change(copy, "outcomes.csv", lambda table: table.replace({"AP": "APP"}))
    with pytest.raises(ValueError, match="unknown measures in the results: APP"):
        Results(copy)


def test_a_difference_is_found_however_it_is_stored(made):
    results = Results(made)
    one = results.difference("one", 100, "random", "prediction", "AP'", "AP")
    turned = results.difference("one", 100, "random", "prediction", "AP", "AP'")
    assert (turned.estimate, turned.low, turned.high) == (-one.estimate, -one.high, -one.low)
    assert one.sign == 1
    assert turned.sign == -1
    assert results.difference("one", 100, "random", "prediction", "Q", "P+") is None


def test_shortfalls_are_distances_from_the_best_of_a_collection(made):
    results = Results(made)
    measures = ["AP", "AP'", "Q'"]
    values = {m: [results.mean(c, 100, "random", 10, m, "prediction") for c in results.names] for m in measures}
    best = [max(of) for of in zip(*values.values(), strict=True)]
    found = results.shortfalls("random", measures)
    assert list(found)[-1] == "AP"
    for m in measures:
        assert found[m] == pytest.approx([b - v for b, v in zip(best, values[m], strict=True)])


def test_means_over_collections_have_students_interval():
    from scipy import stats

    found = over_collections([0.1, 0.3, 0.2])
    assert found.estimate == pytest.approx(0.2)
    assert (found.low, found.high) == pytest.approx(
        stats.t.interval(0.95, 2, loc=0.2, scale=stats.sem([0.1, 0.3, 0.2]))
    )
    assert np.isnan(over_collections([0.1, 0.3]).low)


def test_the_mixed_model_is_least_squares_with_a_term_for_each_sample():
    draw = np.random.default_rng(1)
    owner = ["a"] * 5 + ["b"] * 6
    factors = {"one": draw.integers(0, 2, (8, 1)).astype(float), "two": draw.random((8, 2))}
    values = draw.random((11, 1)) + draw.random((11, 8)) + 0.5 * factors["one"][:, 0]
    model = fit(values, owner, factors, {"one": ["first"], "two": ["second", "third"]})
    # The slow way: one row a value, a column a sample.
    x = np.concatenate([factors["one"], factors["two"]], axis=1)
    design = np.concatenate([np.tile(x, (11, 1)), np.kron(np.eye(11), np.ones((8, 1)))], axis=1)
    y = values.ravel()
    coefficients, squares, *_ = np.linalg.lstsq(design, y, rcond=None)
    df = y.size - design.shape[1]
    sigma2 = float(squares[0]) / df
    errors = np.sqrt(np.diag(np.linalg.inv(design.T @ design)) * sigma2)
    assert [e.estimate for e in model.effects] == pytest.approx(coefficients[:3].tolist())
    assert [e.error for e in model.effects] == pytest.approx(errors[:3].tolist())
    assert model.residual == pytest.approx(sigma2)
    without = np.delete(design, [1, 2], axis=1)
    more = float(np.linalg.lstsq(without, y, rcond=None)[1][0]) - float(squares[0])
    two = model.table[1]
    assert (two.name, two.df) == ("two", 2)
    assert two.squares == pytest.approx(more)
    assert two.f == pytest.approx(more / 2 / sigma2)
    assert set(model.effects[0].by_collection) == {"a", "b"}


def test_the_mixed_model_agrees_with_statsmodels():
    mixed = pytest.importorskip("statsmodels.regression.mixed_linear_model")
    draw = np.random.default_rng(2)
    x = draw.random((10, 2))
    values = 2 * draw.random((40, 1)) + 0.3 * draw.random((40, 10)) + x @ [1.0, -0.5]
    model = fit(values, ["a"] * 40, {"x": x}, {"x": ["first", "second"]})
    exog = np.concatenate([np.ones((400, 1)), np.tile(x, (40, 1))], axis=1)
    found = mixed.MixedLM(values.ravel(), exog, np.repeat(np.arange(40), 10)).fit()
    assert [e.estimate for e in model.effects] == pytest.approx(found.fe_params[1:].tolist(), abs=1e-6)
    assert [e.error for e in model.effects] == pytest.approx(found.bse_fe[1:].tolist(), rel=0.01)
    assert model.sample == pytest.approx(float(found.cov_re[0, 0]), rel=0.02)
    assert model.residual == pytest.approx(float(found.scale), rel=0.01)


def test_every_claim_is_listed_with_its_interval(made):
    rows = claims_csv(Results(made)).splitlines()
    assert rows[0].startswith("hypothesis,loss,outcome,a,b,collection,depth,estimate")
    claims = sum(len(of.claims) * 3 for of in HYPOTHESES if of.name != "H7") + 2 * 2
    assert len(rows) == 1 + claims


def test_pictures_are_drawn_and_show_the_intervals(made, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    from study import pictures

    kept = {}
    monkeypatch.setattr(pictures, "save", lambda figure, path: kept.update({path.name: figure}))
    results = Results(made)
    pictures.hypothesis(results, results.tested["H1"], "difference", tmp_path / "h1.png")
    lines = kept["h1.png"].axes[0].get_lines()
    drawn = {tuple(np.round(line.get_xdata(), 6)) for line in lines if len(set(line.get_xdata())) == 2}
    expected = {(round(row.found.low, 6), round(row.found.high, 6)) for row in results.tested["H1"].parts[0].rows}
    assert expected <= drawn
    monkeypatch.undo()
    assert main(["--results", str(made), "-o", str(tmp_path)]) == 0
    text = (tmp_path / "robustness.md").read_text(encoding="utf-8")
    for name in sorted(path.name for path in (tmp_path / "robustness").glob("*.png")):
        assert f"](robustness/{name})" in text
    assert text.count(".png)](") == len(list((tmp_path / "robustness").glob("*.png")))


def test_the_page_is_what_the_stored_results_say():
    stored = ROOT / "study" / "results"
    if not list(stored.glob("*/settings.json")):
        pytest.skip("no results are stored")
    results = Results(stored)
    assert Page(results).text() == (ROOT / "docs" / "robustness.md").read_text(encoding="utf-8")
    assert claims_csv(results) == (ROOT / "docs" / "robustness" / "claims.csv").read_text(encoding="utf-8")


def test_what_other_pages_say_of_the_study_is_so():
    stored = ROOT / "study" / "results"
    if not list(stored.glob("*/settings.json")):
        pytest.skip("no results are stored")
    results = Results(stored)
    tutorial = " ".join((ROOT / "docs" / "tutorials" / "which-measure.md").read_text(encoding="utf-8").split())
    assert "documents out predict other topics better under random loss" in tutorial
    assert all(part.together.low > 0 for part in results.tested["H4"].parts)
    import irpref

    assert "No norm is fair to systems that were not pooled" in type(irpref.RPref).TRAPS
    for norm in ("absolute", "relative", "relative2"):
        found = [results.difference(c, d, "team", "bias_value", f"rpref {norm}") for c, d in results.primary]
        assert any(one.sign for one in found if one is not None)
    assert "a run gains by retrieving little that is judged" in type(irpref.RPref).TRAPS
    found = [results.difference(c, d, "team", "bias_value", "rpref relative infinity") for c, d in results.primary]
    assert sum(one.sign > 0 for one in found if one is not None) > len(found) / 2
