"""Published tables, recomputed: every cause that is put into a table is found, and no other is
said.
"""

import csv
import itertools
import json
import math
import random
import re

import ir_measures
import numpy as np
import pandas as pd
import pytest

import irpref
import irpref_lab
from irpref.cli import main
from irpref.errors import InputError, MeasureError
from irpref_lab.verifying.published import measure_of, number, published
from real_runs import qrels_of, read_run

pytestmark = pytest.mark.filterwarnings("ignore::irpref.IrprefWarning")

# ------------------------------------------------------------------------- figures by plain loops


def ordered(rows, key):
    return [doc for doc, _ in sorted(rows, key=key)]


def in_order(rows):
    """Score, then id, both descending; the last row of a repeated document counts."""
    return [doc for doc, _ in sorted(dict(rows).items(), key=lambda row: row[::-1], reverse=True)]


def relevant(grades, doc, rel):
    return grades.get(doc, 0) >= rel


def ap(docs, grades, rel=1, **_):
    hits, total = 0, 0.0
    for rank, doc in enumerate(docs, 1):
        if relevant(grades, doc, rel):
            hits += 1
            total += hits / rank
    n = sum(grade >= rel for grade in grades.values())
    return total / n if n else 0.0


def rr(docs, grades, rel=1, **_):
    ranks = [rank for rank, doc in enumerate(docs, 1) if relevant(grades, doc, rel)]
    return 1 / ranks[0] if ranks else 0.0


def p5(docs, grades, rel=1, **_):
    return sum(relevant(grades, doc, rel) for doc in docs[:5]) / 5


def ndcg10(docs, grades, gain=lambda g: g, by=lambda rank: math.log2(rank + 1), ideal=None, **_):
    def dcg(gains):
        return sum(g / by(rank) for rank, g in enumerate(gains[:10], 1))

    best = [gain(g) for d, g in grades.items() if g > 0 and (ideal is None or d in ideal(docs))]
    found = dcg([gain(max(grades.get(doc, 0), 0)) for doc in docs])
    return found / dcg(sorted(best, reverse=True)) if best else 0.0


PLAIN = {"AP": ap, "RR": rr, "P@5": p5, "nDCG@10": ndcg10}


def figures(rows, qrels, topics=None, depth=None, order=in_order, **how):
    """Means of the measures; all topics of the qrels count."""
    out = {}
    for name, measure in PLAIN.items():
        lists = {t: order(docs)[:depth] for t, docs in rows.items()}
        topics = list(qrels) if topics is None else topics
        values = [measure(lists.get(t, []), qrels.get(t, {}), **how) for t in topics]
        out[name] = sum(values) / len(values)
    return out


# -------------------------------------------------------------------------------------- collection


def collection(seed=0):
    """Ties, scores that differ in the 8th digit, repeated documents, the topic among its results, a
    topic without documents, one without relevant documents, one without judgments.
    """
    rng = random.Random(seed)
    qrels, rows = {}, {}
    for t in range(14):
        topic = f"q{t:02}"
        docs = [f"{topic}d{i:03}" for i in range(60)]
        qrels[topic] = {doc: rng.choice([0, 0, 1, 2, 3]) for doc in rng.sample(docs, 30)}
        rng.shuffle(docs)
        del docs[40:]
        scored = [(doc, rng.choice([3.0, 2.0, 1.0]) + rng.choice([0, 1, 2]) * 1e-9) for doc in docs]
        scored.insert(rng.randrange(3), (topic, 9.0))
        scored += [(docs[i], 10.0 * (i % 2)) for i in (1, 2, 3, 4)]
        rows[topic] = scored
    qrels["q12"] = dict.fromkeys(qrels["q12"], 0)
    del rows["q13"]
    rows |= {"q98": [("a", 1.0)], "q99": [("a", 1.0)]}
    return qrels, rows


def framed(rows):
    return pd.DataFrame(
        [(t, doc, score) for t, docs in rows.items() for doc, score in docs],
        columns=["query_id", "doc_id", "score"],
    )


QRELS, ROWS = collection()
RUN = framed(ROWS)
BASE = figures(ROWS, QRELS)


def float32(rows):
    import numpy as np

    return in_order([(doc, float(np.float32(score))) for doc, score in dict(rows).items()])


def best_rows(rows):
    best = {}
    for doc, score in rows:
        best[doc] = max(score, best.get(doc, score))
    return in_order(best.items())


ALONE = {
    "scores rounded to 32 bits": {"order": float32},
    "equal scores by ascending id": {
        "order": lambda rows: ordered(dict(rows).items(), lambda row: (-row[1], row[0]))
    },
    "equal scores in the order of the rows": {
        "order": lambda rows: ordered(dict(rows).items(), lambda row: -row[1])
    },
    "relevant from grade 2 on": {"rel": 2},
    "relevant from grade 3 on": {"rel": 3},
    "cut at 10": {"depth": 10},
    "only the first 5 documents of a ranking are read": {"depth": 5},
    "topics without documents are left out, as trec_eval without -c does": {
        "topics": [t for t in QRELS if t in ROWS]
    },
    "topics without a relevant document are left out": {
        "topics": [t for t in QRELS if max(QRELS[t].values()) > 0]
    },
    "topics of the run without judgments count as 0": {"topics": list(ROWS)},
    "of repeated documents the first row counts": {
        "order": lambda rows: in_order(dict(reversed(rows)).items())
    },
    "of repeated documents the best row counts": {"order": best_rows},
    "gain 2^grade - 1": {"gain": lambda g: 2**g - 1},
    "gain 1 for every relevant document": {"gain": lambda g: 1 if g else 0},
    "no discount before rank 3: log2(rank), as first published": {
        "by": lambda rank: max(1, math.log2(rank))
    },
    "the ideal list is made of the retrieved documents alone": {"ideal": lambda docs: docs},
    "the ideal list is made of the documents down to the cutoff alone": {
        "ideal": lambda docs: docs[:10]
    },
}


def without_own(rows):
    return {t: [row for row in docs if row[0] != t] for t, docs in rows.items()}


def verified(values, digits=6, run=RUN):
    table = pd.DataFrame({m: [f"{v:.{digits}f}"] for m, v in values.items()}, index=["mine"])
    return irpref_lab.verify(table, QRELS, {"mine": run}).set_index("measure")


def said_of(found, measure):
    """Each reason for a figure in its own words, though those that differ in a rank are one."""
    said = []
    for why in found.loc[measure, "why"].split("; or "):
        ranks = re.search(r"(?<=cut at )[\d, ]+ or [\d,]+|(?<=the first )[\d, ]+ or [\d,]+", why)
        each = re.split(", | or ", ranks[0]) if ranks else [""]
        said += [why.replace(ranks[0], rank) if ranks else why for rank in each]
    return said


def test_a_table_without_any_cause_is_equal():
    found = verified(BASE)
    assert found["equal"].all()
    assert found["why"].tolist() == [""] * 4
    assert irpref_lab.verify("run,P@5\nmine,0\n", {"q": {"a": 0}}, {"mine": {"q": {"b": 1.0}}})


@pytest.mark.parametrize(("words", "how"), ALONE.items())
def test_each_cause_alone_is_found(words, how):
    values = figures(ROWS, QRELS, **how)
    found = verified(values)
    changed = [m for m in PLAIN if abs(values[m] - BASE[m]) > 1e-6]
    assert changed
    assert found["equal"].tolist() == [m not in changed for m in found.index]
    for measure in changed:
        said = said_of(found, measure)
        # A measure that can be cut has one reason for a shorter ranking.
        alike = {"only the first 5 documents of a ranking are read": "cut at 5"}
        assert words in said or alike.get(words) in said, (measure, said)
        assert found.loc[measure, "explained"]


def test_the_query_among_its_results_is_found():
    values = figures(without_own(ROWS), QRELS)
    found = verified(values)
    for measure in PLAIN:
        said = found.loc[measure, "why"].split("; or ")
        assert any(why.startswith("the query ") for why in said)


def test_a_mean_reciprocal_rank_cut_at_10_is_found_under_the_name_mrr():
    late = {"q": {"z": 1}, "p": {"z": 1}}
    run = {
        "q": {doc: -float(i) for i, doc in enumerate("abcdefghijklz")},  # rank 13
        "p": {"z": 2.0, "a": 1.0},
    }
    found = irpref_lab.verify("| model | MRR |\n|---|---|\n| x | 0.500 |\n", late, {"x": run})
    assert found["computed"].tolist() == [pytest.approx((1 / 13 + 1) / 2)]
    assert found["why"].tolist() == ["cut at 1, 3, 5 or 10"]


PAIRS = [
    ("relevant from grade 2 on", "cut at 10"),
    ("relevant from grade 2 on", "equal scores by ascending id"),
    ("equal scores by ascending id", "topics without a relevant document are left out"),
    (
        "topics without documents are left out, as trec_eval without -c does",
        "gain 2^grade - 1",
    ),
    ("gain 2^grade - 1", "no discount before rank 3: log2(rank), as first published"),
    ("gain 1 for every relevant document", "equal scores in the order of the rows"),
    ("scores rounded to 32 bits", "relevant from grade 3 on"),
    (
        "topics without documents are left out, as trec_eval without -c does",
        "topics without a relevant document are left out",
    ),
]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_two_causes_together_are_found(first, second):
    how = {**ALONE[first], **ALONE[second]}
    if "topics" in ALONE[first] and "topics" in ALONE[second]:
        how["topics"] = [t for t in ALONE[first]["topics"] if t in ALONE[second]["topics"]]
    # Where the order of ties may explain a figure, a pair is said if it explains two of a measure.
    both = {"mine": ROWS, "yours": collection(1)[1]}
    values = pd.DataFrame({name: figures(rows, QRELS, **how) for name, rows in both.items()}).T
    runs = {name: framed(rows) for name, rows in both.items()}
    found = irpref_lab.verify(values.map("{:.9f}".format), QRELS, runs)
    found = found[found["run"] == "mine"].set_index("measure")
    alone = [figures(ROWS, QRELS, **ALONE[cause]) for cause in (first, second)]
    n = 0
    for measure in PLAIN:
        if any(abs(o[measure] - values.loc["mine", measure]) < 1e-9 for o in (BASE, *alone)):
            continue  # one of them makes no difference to this measure
        said = said_of(found, measure)
        either = {" and ".join(order) for order in itertools.permutations((first, second))}
        assert either & set(said) or found.loc[measure, "explained"], (measure, said)
        n += bool(either & set(said))
    assert n


def test_another_order_of_tied_documents_is_a_reason():
    def ndcg(*gains):
        return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1)) / ideal

    ideal = 2 + 1 / math.log2(3)
    qrels = {"q": {"b": 2, "c": 1, "d": 0}}
    run = {"q": {"a": 2.0, "b": 1.0, "c": 1.0, "d": 1.0}}  # here: a, d, c, b
    low, other, high = ndcg(0, 0, 1, 2), ndcg(0, 1, 0, 2), ndcg(0, 2, 1, 0)
    can = f"another order of tied documents can give {low:.4f} to {high:.4f}"
    for figure, why in (
        (other, can),
        (low - 0.01, "not explained"),
        (high + 0.01, "not explained"),
    ):
        found = irpref_lab.verify(f"run,nDCG\nx,{figure:.4f}\n", qrels, {"x": run})
        assert found["why"].tolist() == [why]
        assert found["explained"].tolist() == [why == can]
    found = irpref_lab.verify(f"run,nDCG\nx,{100 * other:.2f}\n", qrels, {"x": run})
    can = f"another order of tied documents can give {100 * low:.2f} to {100 * high:.2f}"
    assert found["why"].tolist() == [f"in percent; {can}"]


def test_a_pair_of_reasons_that_explains_one_figure_is_not_said_beside_ties(data_dir):
    home = data_dir / "dl19-passage"
    runs = {"x": home / "runs" / "first.REP_LLAMA.run.gz"}
    found = irpref_lab.verify("run,nDCG@10\nx,0.7439\n", qrels_of(data_dir, home.name), runs)
    assert found["why"].tolist() == ["another order of tied documents can give 0.7340 to 0.7505"]
    assert found.text == "The figure differs, for a known reason."


@pytest.mark.parametrize("measure", PLAIN)
def test_what_no_reason_explains_is_said_to_be_unexplained(measure):
    found = verified({measure: 0.95 + math.pi / 100}, 12)  # no order of ties reaches it
    assert found["why"].tolist() == ["not explained"]
    assert not found["explained"].any()


@pytest.mark.parametrize("digits", [1, 2, 3, 4, 5])
def test_digits_are_those_printed(digits):
    assert verified(BASE, digits)["equal"].all()
    one_off = {m: round(v, digits) + 10.0**-digits for m, v in BASE.items()}
    assert not verified(one_off, digits)["equal"].any()


@pytest.mark.parametrize("heading", ["AP", "AP (%)", "MAP [%]", "map"])
def test_figures_in_percent_are_read_as_such(heading):
    cell = f"{100 * BASE['AP']:.1f}"
    found = irpref_lab.verify(f"system,{heading}\nmine,{cell}\n", QRELS, {"mine": RUN})
    assert found[["equal", "why"]].values.tolist() == [[True, "in percent"]]
    assert found["computed"][0] == pytest.approx(100 * BASE["AP"])


def test_a_figure_below_1_that_is_in_percent_has_that_reason():
    qrels = {"q": {"z": 1}}
    run = {"q": {f"d{i:03}": -float(i) for i in range(199)} | {"z": -500.0}}  # rank 200
    found = irpref_lab.verify("run,RR\nx,0.50\n", qrels, {"x": run})
    assert found["why"].tolist() == ["in percent"]


# ---------------------------------------------------------------------------------- what is printed


@pytest.mark.parametrize(
    ("cell", "value", "places"),
    [
        ("0.774", 0.774, 3),
        (".774", 0.774, 3),
        ("0,774", 0.774, 3),
        ("1,000", 1000.0, 0),
        ("77.4%", 77.4, 1),
        (r"77.4\%", 77.4, 1),
        ("**0.7740**", 0.774, 4),
        ("0.774†", 0.774, 3),
        ("0.774*", 0.774, 3),
        (r"\textbf{0.774}", 0.774, 3),
        ("0.774^{ab}", 0.774, 3),
        ("$0.774$", 0.774, 3),
        ("0.774 ± 0.02", 0.774, 3),
        ("\N{MINUS SIGN}0.10", -0.1, 2),
        ("\N{EN DASH}0.10", -0.1, 2),
        ("1,234.5", 1234.5, 1),
        ("4.2e-3", 0.0042, 4),
        ("12", 12.0, 0),
        ("0,5058", 0.5058, 4),
        ("1,2345", 1.2345, 4),
        ("1,234,567", 1234567.0, 0),
        ("0.774 (+3.2%)", 0.774, 3),
        ("0.774²", 0.774, 3),
        (r"\cellcolor{gray!20}0.774", 0.774, 3),
        (r"\cellcolor[HTML]{AABBCC} 0.774", 0.774, 3),
        (r"\textcolor[rgb]{0,0,1}{0.774}", 0.774, 3),
        (r"\colorbox{gray!20}{\textbf{0.774}}$^{1}$", 0.774, 3),
        (r"\fcolorbox{red!1}{blue!2}{0.774}", 0.774, 3),
        (r"0.774\textsuperscript{2}", 0.774, 3),
        ('<b style="color:#010203">0.774</b>', 0.774, 3),
    ],
)
def test_a_figure_is_read_as_people_write_it(cell, value, places):
    assert number(cell) == (pytest.approx(value), places)


# The value of x is 1, that of y 0.5.
BESIDE = {
    "(1) 0.9": "it is not clear which number in its cell is the figure",
    "#1: 0.9": "it is not clear which number in its cell is the figure",
    "[1](run1.txt) 0.9": "it is not clear which number in its cell is the figure",
    "1\N{VARIATION SELECTOR-16}\N{COMBINING ENCLOSING KEYCAP} 0.9": "it is not clear which number "
    "in its cell is the figure",
    "1.0 -> 0.9": "it is not clear which number in its cell is the figure",
    "~~1.0~~ 0.9": "it is not clear which number in its cell is the figure",
    "1.0 vs 0.9": "it is not clear which number in its cell is the figure",
    "1.0<br>0.9": "it is not clear which number in its cell is the figure",
    "1.0 0.9": "it is not clear which number in its cell is the figure",
    "1.0-0.9": "it is not clear which number in its cell is the figure",
    "1.0 (0.03) 0.9": "it is not clear which number in its cell is the figure",
    "#1": "a whole number beside something else may not be the figure",
    "1 (0.9)": "a whole number beside something else may not be the figure",
    "2": "the measure has no such value",
    "1e2": "the measure has no such value",
    "1e400": "the measure has no such value",
}


@pytest.mark.parametrize("cell", BESIDE)
def test_a_figure_is_not_confirmed_by_another_number_of_its_cell(cell):
    found = irpref_lab.verify(f"| run | P@1 |\n|---|---|\n| y | 0.0 |\n| x | {cell} |\n", *RIGHT)
    assert found["printed"].tolist() == ["0.0", cell]
    assert found["why"].tolist() == ["", f"not checked: {BESIDE[cell]}"]
    assert any(cell in note for note in found.notes)


@pytest.mark.parametrize(
    "after",
    [
        "(+3.2%)",
        "(0.03)",
        "± 0.03",
        "+/- 0.03",
        "[0.9, 1.1]",
        "(1)",
        "+3.2%",
        "<sup>2</sup>",
        "<sub>0.03</sub>",
    ],
)
def test_what_is_clearly_no_figure_may_follow_one(after):
    found = irpref_lab.verify(f"| run | P@1 |\n|---|---|\n| x | 1.0 {after} |\n", *RIGHT)
    assert found[["checked", "equal", "why"]].values.tolist() == [[True, True, ""]]


def test_a_table_whose_cells_are_all_unclear_is_not_checked(files, capsys):
    found = irpref_lab.verify("run,P@1\nx,#1 0.9\n", *RIGHT)
    assert not found
    assert found.text == "0 of 1 figures were checked."
    assert found.notes == ("cells with more than one: x P@1 (#1 0.9)", "runs without a row: y")
    (files / "t.csv").write_text("run,RR\nx,(1) 0.9999\n")
    assert main(["verify", *(str(files / name) for name in ("t.csv", "qrels", "x.run"))]) == 1
    assert "0 of 1 figures were checked." in capsys.readouterr().out


PERCENT = {
    # The cells of x and y, and which are read as percent.
    ("1.0", "0.0", "50%"): [False, False, True],
    ("0.45", "0.55", "51.58"): [False, False, True],
    ("45.3", "0.4531", "51.6"): [True, False, True],
    ("45.3", "0.9", "51.6"): [True, True, True],
    ("45", "1", "52"): [True, True, True],
    ("0.45 (+5%)", "0.55", "0.1"): [False, False, False],
}


@pytest.mark.parametrize("cells", PERCENT, ids=" ".join)
def test_each_figure_of_a_mixed_column_is_in_percent_or_not(cells):
    rows = "".join(f"{run},{cell}\n" for run, cell in zip("xyz", cells, strict=True))
    read = published(f"run,R@100\n{rows}").figures
    assert [f.factor == 100 for f in read] == PERCENT[cells]


def test_the_figure_in_percent_among_others_is_named():
    found = irpref_lab.verify("run,P@2\nx,0.5\ny,50.0\n", *RIGHT)
    assert found["equal"].all()
    assert found["why"].tolist() == ["", "in percent"]
    assert found.notes == ("in percent, unlike the rest of the column: y P@2 (50.0)",)


def test_a_comma_is_a_decimal_one_where_the_column_shows_it():
    def values(measure, *cells):
        rows = "".join(f"x{i};{cell}\n" for i, cell in enumerate(cells))
        return [f.value for f in published(f"run;{measure}\n{rows}").figures]

    assert values("DCG@10", "1,234", "12,345") == [1234, 12345]
    assert values("DCG@10", "1,234", "0,5") == [1.234, 0.5]
    assert values("RR", "1,000", "0,774") == [1.0, 0.774]
    assert values("nDCG@10", "0,5058", "51,158") == [0.5058, 51.158]


def test_a_table_that_is_not_utf_8_is_named(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"run,P@1\n\xe9,1.0\n")
    with pytest.raises(InputError, match=r"t\.csv, line 2: this is not UTF-8$"):
        irpref_lab.verify(tmp_path / "t.csv", *RIGHT)


@pytest.mark.parametrize("cell", ["", "-", "\N{EN DASH}", "n/a"])
def test_a_cell_without_a_number_is_no_figure(cell):
    assert number(cell) is None


@pytest.mark.parametrize(
    ("heading", "measure"),
    [
        ("NDCG@10", "nDCG@10"),
        ("MRR", "RR"),
        ("MRR@10", "RR@10"),
        ("**MAP** ↑", "AP"),
        ("Recall@100 (%)", "R@100"),
        ("`ndcg_cut_10`", "nDCG@10"),
        ("P@5", "P@5"),
        ("QMeasure@10", "QMeasure@10"),
    ],
)
def test_headings_are_names_of_measures(heading, measure):
    assert str(measure_of(heading)) == measure


@pytest.mark.parametrize(
    "heading",
    ["params (M)", "year", "latency", "", "nDCG<sub>10</sub>", r"nDCG\textsubscript{10}"],
)
def test_other_headings_are_none(heading):
    assert measure_of(heading) is None


TABLES = {
    "csv": "run,nDCG@10,size\nx,0.50,7\ny,0.25,8\n",
    "semicolons": "system;nDCG@10;size\nx;0,50;7\ny;0,25;8\n",
    "tabs": "run\tnDCG@10\tsize\nx\t0.50\t7\ny\t0.25\t8\n",
    "markdown": "Our results:\n\n| Model | nDCG@10 | size |\n|:--|--:|:-:|\n| x | **0.50** | 7 |\n"
    "| y | 0.25 | 8 |\n\nMore text | with a bar.\n",
    "long": "run\tmeasure\tvalue\nx\tnDCG@10\t0.50\ny\tnDCG@10\t0.25\n",
}


@pytest.mark.parametrize("form", TABLES)
def test_tables_come_in_several_forms(form, tmp_path):
    (tmp_path / "table").write_text(TABLES[form], encoding="utf-8")
    for table in (TABLES[form], tmp_path / "table", str(tmp_path / "table")):
        read = published(table)
        assert [(f.run, str(f.measure), f.value, f.places) for f in read.figures] == [
            ("x", "nDCG@10", 0.5, 2),
            ("y", "nDCG@10", 0.25, 2),
        ]
        assert read.others == (() if form == "long" else ("size",))


def test_a_table_of_one_run_need_not_name_it():
    found = irpref_lab.verify(
        "measure,value\nP@1,1.0\nRR,0.5\n", {"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}}
    )
    assert found[["run", "equal"]].values.tolist() == [["x", True], ["x", False]]


@pytest.mark.parametrize("name", ["table.md", "table.csv"])
def test_what_eval_writes_is_equal(name, files, capsys):
    words = [str(files / "qrels"), str(files / "x.run")]
    assert main(["eval", *words, "AP", "RR(rel=2)", "-f", str(files / name)]) == 0
    assert main(["verify", str(files / name), *words]) == 0
    assert "All 2 figures" in capsys.readouterr().out


def test_what_has_no_counterpart_is_said():
    runs = {"x": {"q": {"a": 1.0}}, "z": {"q": {"a": 1.0}}}
    found = irpref_lab.verify("run,P@1,size\nX,1.0,3\nother,0.5,4\n", {"q": {"a": 1}}, runs)
    assert found.loc[found["checked"], "run"].tolist() == ["x"]
    columns, rows, without = found.notes
    assert columns.endswith("measures: size")
    assert rows.endswith("a run: other")
    assert without.endswith("a row: z")
    assert "All" not in str(found)
    assert all(note in str(found) for note in found.notes)


RIGHT = {"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0, "a": 0.5}}}
NOT_CHECKED = {
    "a row without a run": (
        "run,P@1\nx,1.0\nother,0.5\n",
        ("other", "P@1", "0.5", "not checked: no run is named like its row"),
        "rows without a run: other",
    ),
    "a column that is no measure": (
        "run,P@1,P@1 (dev)\nX,1.0,0.9\n",
        ("x", "P@1 (dev)", "0.9", "not checked: its column is not read as a measure"),
        "not read as measures: P@1 (dev)",
    ),
    "a word among figures": (
        "run,P@1\nx,1.0\ny,abc\n",
        ("y", "P@1", "abc", "not checked: there is no number in it"),
        "cells without a number: y P@1 (abc)",
    ),
    "a dash among figures": (
        "run,P@1\nx,1.0\ny,-\n",
        ("y", "P@1", "-", "not checked: there is no number in it"),
        "cells without a number: y P@1 (-)",
    ),
    "a cell without a heading": (
        "run,P@1\nx,1.0,0.7\n",
        ("x", "", "0.7", "not checked: its column is not read as a measure"),
        "not read as measures: (no heading)",
    ),
    "a column beside measure and value": (
        "run,measure,value,low\nx,P@1,1.0,0.8\n",
        ("x", "low", "0.8", "not checked: its column is not read as a measure"),
        "not read as measures: low",
    ),
    "a second number in a cell": (
        "run,P@1\nx,1.0 / 0.48\n",
        (
            "x",
            "P@1",
            "1.0 / 0.48",
            "not checked: a further number in its cell is not compared",
        ),
        "cells with more than one: x P@1 (1.0 / 0.48)",
    ),
    "another table": (
        "| run | P@1 |\n|---|---|\n| x | 1.0 |\n\n| run | P@1 |\n|---|---|\n| x | 0.3 |\n",
        ("x", "P@1", "0.3", "not checked: it is in another table of the file"),
        "in tables that are not read: P@1",
    ),
    "a table of the runs without a measure": (
        "| run | P@1 |\n|---|---|\n| x | 1.0 |\n\n| run | dev |\n|---|---|\n| x | 0.3 |\n",
        ("x", "dev", "0.3", "not checked: its column is not read as a measure"),
        "not read as measures: dev",
    ),
}


@pytest.mark.parametrize("case", NOT_CHECKED)
def test_a_figure_that_is_left_out_is_counted_and_named(case, tmp_path, capsys):
    table, row, note = NOT_CHECKED[case]
    found = irpref_lab.verify(table, *RIGHT)
    assert not found
    assert found.text == "1 of 2 figures was checked, and agrees to the digits printed."
    assert note in found.notes
    assert found["checked"].tolist() == [True, False]
    assert found["equal"].tolist() == [True, False]
    assert tuple(found.loc[1, ["run", "measure", "printed", "why"]]) == row
    (tmp_path / "table").write_text(table)
    (tmp_path / "q").write_text("q 0 a 1\n")
    (tmp_path / "x").write_text("q 0 a 1 1.0 t\n")
    (tmp_path / "y").write_text("q 0 b 1 1.0 t\nq 0 a 2 0.5 t\n")
    words = ["verify", *(str(tmp_path / name) for name in ("table", "q", "x", "y"))]
    assert main(words) == 1
    assert capsys.readouterr().out.startswith(found.text + "\n")
    assert main([*words, "-o", "json"]) == 1
    assert [line["checked"] for line in json.loads(capsys.readouterr().out)] == [True, False]


def test_the_run_of_a_row_is_the_one_of_its_name():
    # Not the one whose name has other capitals; if there are two such, none.
    good, bad = RIGHT[1]["x"], RIGHT[1]["y"]
    found = irpref_lab.verify("run,P@1\nX,0.0\nx,1.0\n", RIGHT[0], {"X": bad, "x": good})
    assert found
    with pytest.raises(InputError):
        irpref_lab.verify("run,P@1\nBM25,0.0\n", RIGHT[0], {"Bm25": bad, "bm25": good})


def test_differences_are_counted_among_the_figures_checked():
    found = irpref_lab.verify("run,P@1,P@2\nx,0.0,0.5\nother,0.5,0.5\n", *RIGHT)
    assert found.text.startswith("2 of 4 figures were checked. 1 of 2 figures agrees to the ")
    found = irpref_lab.verify("run,P@1\nx,0.0\nother,0.5\n", *RIGHT)
    assert found.text.startswith("1 of 2 figures was checked. The figure differs, ")
    assert "other" not in str(found).partition("rows without a run")[0]


@pytest.mark.parametrize(
    "table",
    [
        "run,P@1,RR\nx,1.0,\ny,0.0,0.5\n",  # nothing is printed
        "run,P@1,encoder\nx,1.0,7B\ny,0.0,2019-passage\n",
        ",run,P@1\n0,x,1.0\n1,y,0.0\n",  # as pandas writes the index
        "| speed | of 3 |\n|---|---|\n| ours | 7.5 |\n\n| run | P@1 |\n|---|---|\n| x | 1.0 |\n",
    ],
)
def test_what_is_no_figure_is_not_missed(table):
    found = irpref_lab.verify(table, *RIGHT)
    assert found, str(found)
    assert found["checked"].all()


def test_a_missing_value_of_a_frame_is_no_figure():
    frame = pd.DataFrame({"P@1": [1.0, None]}, index=["x", "y"])
    assert irpref_lab.verify(frame, *RIGHT).text == (
        "The figure agrees with what irpref computes, to the digits printed."
    )


def test_a_row_that_is_taken_for_a_run_of_another_name_is_said():
    qrels, runs = RIGHT[0], {"x": RIGHT[1]["x"]}
    found = irpref_lab.verify("run,P@1\nnosuch,1.0\n", qrels, runs)
    assert found
    assert found.notes == ("nosuch is taken for the run x",)
    assert irpref_lab.verify("run,P@1\nX,1.0\n", qrels, runs).notes == ()


@pytest.mark.parametrize("name", ["board.md", "board.csv"])
def test_the_means_of_a_leaderboard_are_checked(name, files, capsys):
    (files / "y.run").write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    words = [str(files / name) for name in ("qrels", "x.run", "y.run")]
    board = str(files / name)
    assert (
        main(["leaderboard", *words, "RR(rel=2)", "nDCG@10", "--pairs", "none", "-f", board]) == 0
    )
    assert main(["verify", board, *words, "-o", "csv"]) == 1  # places are not recomputed
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    checked = {(row["run"], row["measure"]) for row in rows if row["checked"] == "True"}
    assert checked >= set(itertools.product("xy", ["RR(rel=2)", "nDCG@10"]))
    assert {row["equal"] for row in rows if row["checked"] == "True"} == {"True"}
    assert "place" in {row["measure"] for row in rows if row["checked"] == "False"}


@pytest.mark.parametrize("table", ["", "text\nalone\n", "run,size\nx,3\n", "run,AP\nx,-\n"])
def test_what_is_no_table_of_measures_is_refused(table):
    with pytest.raises(irpref.errors.InputError):
        irpref_lab.verify(table + "\n", {"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}})


@pytest.mark.parametrize(
    ("heading", "grade", "why"),
    [
        ("Recall", 1, "R needs cutoff: ranking cutoff threshold, as in R@10"),
        ("RBP(p=0.5)", 1, "no installed provider computes RBP(p=0.5); give RBP(p=0.5,rel=1), "),
        ("ERR@10", 7, "ERR is defined for grades up to 4, and the qrels have 7"),
    ],
)
def test_a_measure_that_is_not_computed_is_left_out_and_named(heading, grade, why):
    qrels, runs = {"q": {"a": grade}}, {"x": {"q": {"a": 1.0}}}
    found = irpref_lab.verify(f"run,{heading},P@1\nx,0.5,1.0\n", qrels, runs)
    assert found.text.startswith("1 of 2 figures was checked")
    assert found["measure"].tolist() == ["P@1", str(measure_of(heading))]
    assert found["why"][1].startswith(f"not checked: {why}")
    assert found.notes[0].startswith(f"not computed: {why}")
    with pytest.raises(MeasureError) as caught:
        irpref_lab.verify(f"run,{heading}\nx,0.5\n", qrels, runs)
    assert str(caught.value).startswith(why)


@pytest.mark.parametrize("corner", ["run", "measure", ""])
def test_a_table_with_a_row_for_each_measure_is_to_be_transposed(corner):
    with pytest.raises(InputError, match=r"rows are measures \(P@1, RR\); transpose it, so that "):
        irpref_lab.verify(f"{corner},x,y\nP@1,1.0,0.0\nRR,1.0,0.5\n", *RIGHT)


def test_a_table_in_latex_is_refused_as_such(files, capsys):
    words, table = [str(files / "qrels"), str(files / "x.run")], str(files / "t.tex")
    assert main(["eval", *words, "AP", "RR", "-f", table]) == 0
    assert main(["verify", table, *words]) == 2
    assert "t.tex: LaTeX is not read, expected CSV or Markdown" in capsys.readouterr().err


def test_a_table_of_other_runs_is_refused():
    two = {name: {"q": {"a": 1.0}} for name in "xy"}
    with pytest.raises(InputError) as caught:
        irpref_lab.verify("run,AP\nBM25+RM3,0.5\n", {"q": {"a": 1}}, two)
    assert str(caught.value) == (
        "no row of the table is named like a run (rows: BM25+RM3; runs: x, y); name the files, or "
        "the keys of a dict of runs, like the rows"
    )


def test_the_commonest_reason_comes_first_and_is_summed_up():
    qrels = {"q": {"a": 2, "b": 1, "c": 1}}
    runs = {"x": {"q": {"b": 2.0, "a": 1.0}}, "y": {"q": {"b": 3.0, "c": 2.0, "a": 1.0}}}
    found = irpref_lab.verify("run,RR\nx,0.500\ny,0.333\n", qrels, runs)
    assert found["why"].str.startswith("relevant from grade 2").all()
    assert found.text == (
        "0 of 2 figures agree to the digits printed; 2 differ for a known reason, 0 are not explained.\n"
        "RR: relevant from grade 2 on explains 2 of 2."
    )


# ------------------------------------------------------------------------------------ the command


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text("q 0 a 2\nq 0 b 1\n")
    (tmp_path / "x.run").write_text("q Q0 b 1 2 t\nq Q0 a 2 1 t\n")
    return tmp_path


@pytest.mark.parametrize(("figure", "status"), [("1.00", 0), ("0.50", 1), ("0.77", 1)])
def test_the_status_says_whether_all_figures_are_equal(figure, status, files, capsys):
    (files / "t.csv").write_text(f"run,RR\nx,{figure}\n")
    words = ["verify", *(str(files / name) for name in ("t.csv", "qrels", "x.run"))]
    assert main(words) == status
    out = capsys.readouterr().out
    assert ("relevant from grade 2" in out) == (figure == "0.50")
    assert ("not explained\n" in out) == (figure == "0.77")
    assert main([*words, "-o", "csv"]) == status
    lines = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [(row["run"], row["printed"], row["equal"]) for row in lines] == [
        ("x", figure, str(status == 0))
    ]


def test_wrong_usage_has_another_status_than_a_difference(files, capsys):
    (files / "t.csv").write_text("run,size\nx,3\n")
    assert main(["verify", str(files / "t.csv"), str(files / "qrels"), str(files / "x.run")]) == 2
    assert main(["verify", str(files / "none"), str(files / "qrels"), str(files / "x.run")]) == 2
    assert main(["verify", str(files / "t.csv"), str(files / "qrels")]) == 2
    assert f"{files / 't.csv'}: no column " in capsys.readouterr().err


# --------------------------------------------------------------------------------- public figures


def test_figures_of_nist_are_equal_or_not_explained(data_dir):
    """48 runs are stored to a lesser depth than NIST evaluated them."""
    home = data_dir / "trec-covid-r3"
    (qrels,) = (home / "qrels").glob("*.gz")
    table = pd.read_csv(home / "published.tsv", sep="\t", dtype=str)
    table = table.pivot(index="run", columns="measure", values="value")
    table = table[["AP", "bpref", "nDCG@10", "P@5"]].iloc[::6]
    runs = {name: home / "runs" / f"{name}.run.gz" for name in table.index}
    found = irpref_lab.verify(table, qrels, runs)
    kinds = pd.read_csv(home / "runs.tsv", sep="\t", dtype=str).set_index("run")
    whole = found["run"].map(kinds["contributed_judgments"]) == "yes"
    deep = found["measure"].isin(["AP", "Bpref"])
    assert found["equal"].tolist() == (whole | ~deep).tolist()
    assert (found.loc[~found["equal"], "why"] == "not explained").all()
    assert 0 < (~found["equal"]).sum() < len(found)


def test_figures_of_anserini_are_equal(data_dir):
    home = data_dir / "beir-scifact"
    (qrels,), runs = (home / "qrels").glob("*.gz"), list((home / "runs").glob("*.gz"))
    found = irpref_lab.verify(home / "published.tsv", qrels, runs)
    assert found.loc[found["measure"] == "nDCG@10", "printed"].tolist() == ["0.6789"]
    assert found["equal"].all()


LEFT_OUT = "topics without documents are left out, as trec_eval without -c does"
PUT_IN = {
    # Reasons, and how pytrec_eval is asked: threshold, documents, topics without documents.
    ("relevant from grade 2 on",): (2, 1000, 0),
    ("relevant from grade 3 on",): (3, 1000, 0),
    ("cut at 10",): (1, 10, 0),
    (LEFT_OUT,): (1, 1000, 5),
    ("relevant from grade 2 on", "cut at 10"): (2, 10, 0),
    ("relevant from grade 3 on", LEFT_OUT): (3, 1000, 5),
    ("cut at 10", LEFT_OUT): (1, 10, 5),
}


@pytest.mark.parametrize("causes", PUT_IN, ids=" and ".join)
def test_causes_put_into_figures_of_submitted_runs_are_found(causes, data_dir):
    """The figures are those of pytrec_eval, with its own threshold and its own mean."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    rel, depth, absent = PUT_IN[causes]
    qrels = qrels_of(data_dir, "dl19-passage")
    files = sorted((data_dir / "dl19-passage" / "runs").glob("*.gz"))[::9]
    figures_of, runs = {}, {}
    for file in files:
        run = read_run(file)
        for topic in list(qrels)[:absent]:
            run.pop(topic, None)
        runs[file.name] = run
        cut = {t: dict.fromkeys(in_order(docs.items())[:depth]) for t, docs in run.items()}
        scored = {t: {doc: -float(i) for i, doc in enumerate(docs)} for t, docs in cut.items()}
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map"}, relevance_level=rel)
        values = [found["map"] for found in evaluator.evaluate(scored).values()]
        mean = sum(values) / (len(values) if LEFT_OUT in causes else len(qrels))
        figures_of[file.name] = f"{mean:.6f}"
    table = pd.DataFrame({"map": figures_of})
    found = irpref_lab.verify(table, qrels, runs)
    differ = found[~found["equal"]]
    assert len(differ) > 1
    either = {" and ".join(order) for order in itertools.permutations(causes)}
    # What explains all figures comes first, but for the order of ties.
    ties = "another order of tied documents "
    for why in differ.index:
        said = [words for words in said_of(differ, why) if not words.startswith(ties)]
        assert said[0] in either, said


def test_means_of_other_tools_are_equal_to_the_last_digit():
    """Sums in another order differ in the last bit; a count is the sum over topics."""
    rng = np.random.default_rng(2)
    qrels = {f"q{t}": {f"d{i}": int(rng.integers(0, 3)) for i in range(12)} for t in range(31)}
    run = {q: {doc: float(rng.random()) for doc in docs} for q, docs in qrels.items()}
    names = ["AP", "nDCG@10", "NumRelRet", "NumRet"]
    means = ir_measures.calc_aggregate(irpref.parse_all(names), qrels, run)
    exact = pd.DataFrame({str(measure): [value] for measure, value in means.items()}, index=["r"])
    assert irpref_lab.verify(exact, qrels, {"r": run})["equal"].all()
    found = irpref_lab.verify("run,NumRet\nr,12\n", qrels, {"r": run})
    assert "topics without documents" not in " ".join(map(str, found.to_dict("records")))
