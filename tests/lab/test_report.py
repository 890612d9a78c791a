"""`irpref_lab.report`: what the page says, that it says it as text, and that it loads nothing."""

import base64
import gzip
import hashlib
import html
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

import irpref
import irpref_lab
from irpref.cli import main
from irpref.errors import AbsentRunError, ArgumentError, InputError
from irpref_lab.page import as_json
from irpref_lab.page.query_texts import texts

pytest.importorskip("jinja2", reason="a report needs Jinja")
vl_convert = pytest.importorskip("vl_convert", reason="a report needs Vega")

QRELS = {f"q{t}": {f"d{d}": int(d < 2 + t % 3) + (d == 0) for d in range(8)} for t in range(6)}
MEASURES = ["nDCG@10", "RPref(max_rel=2)", "EMeasure@3", "NumRet"]
HOSTILE = [
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(2)>",
    "$x^{2}$ {{ 7 * 7 }} {% raw %}",
    "=cmd|' /C calc'!A0",
    "\u202eright to left\u202c",
    "</script><!--",
    "]]> & &amp; \\u003c",
]


def _run(shift):
    docs = [f"d{d}" for d in range(8)] + ["unknown"]
    return {
        q: {doc: float(-((i * (t + shift)) % 9)) for i, doc in enumerate(docs)}
        for t, q in enumerate(QRELS)
    }


RUNS = {f"run{shift}": _run(shift) for shift in (1, 2, 4, 5)}
APART = {q: {f"d{d}": float(-d) for d in range(8)} for q in QRELS}  # no two scores are equal


class Page(HTMLParser):
    """Elements with their attributes, tables as rows of text, and the text of scripts."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.tables, self.scripts, self.styles = [], [], [], []
        self._cell = self._into = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self._cell = []
        elif tag in ("script", "style"):
            self._into = self.scripts if tag == "script" else self.styles
            self._into.append("")

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self._cell is not None:
            self.tables[-1][-1].append("".join(self._cell).strip())
            self._cell = None
        elif tag in ("script", "style"):
            self._into = None

    def handle_data(self, data):
        if self._into is not None:
            self._into[-1] += data
        elif self._cell is not None:
            self._cell.append(data)

    @property
    def data(self):
        return json.loads(self.scripts[0])


@pytest.fixture(scope="module")
def made():
    return irpref_lab.report(MEASURES, QRELS, RUNS)


def _means(page, measures):
    """Means of the leaderboard, by run, as they are written."""
    head, *rows = page.tables[0]
    columns = [
        next(i for i, name in enumerate(head) if name.split(" ↓")[0] == str(m)) for m in measures
    ]
    return {row[0]: [row[i] for i in columns] for row in rows}


def _write(folder, name, rows):
    path = folder / name
    path.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.fixture
def files(tmp_path):
    qrels = _write(
        tmp_path, "qrels.txt", [(q, 0, d, g) for q, docs in QRELS.items() for d, g in docs.items()]
    )
    runs = [
        _write(
            tmp_path,
            f"{name}.run",
            [(q, "Q0", d, 0, s, name) for q, docs in run.items() for d, s in docs.items()],
        )
        for name, run in RUNS.items()
    ]
    return qrels, runs


def test_the_command_writes_the_numbers_that_eval_prints(files, tmp_path, capsys):
    qrels, runs = files
    page = tmp_path / "page.html"
    assert main(["report", qrels, *runs, *MEASURES, "-f", str(page)]) == 0
    assert f" MB, written to {page}\n" in capsys.readouterr().err
    assert main(["eval", qrels, *runs, *MEASURES, "-o", "tsv"]) == 0
    printed = {}
    for line in capsys.readouterr().out.splitlines():
        run, _measure, value = line.split("\t")
        printed.setdefault(run, []).append(value)
    found = _means(Page(page.read_text(encoding="utf-8")), MEASURES)
    assert found == printed
    assert list(found) == sorted(found, key=lambda name: -float(found[name][0]))


def test_tests_on_the_page_are_those_of_the_leaderboard(made):
    data = Page(made.html).data
    board = irpref_lab.leaderboard(MEASURES, QRELS, RUNS)
    n = len(RUNS)
    for m, measure in enumerate(map(str, irpref.parse_all(MEASURES))):
        rows = board[board["measure"] == measure].set_index("run")
        assert data["board"][m]["letters"] == rows.loc[data["runs"], "letters"].tolist()
        assert data["board"][m]["low"] == pytest.approx(rows.loc[data["runs"], "low"].tolist())
        pairs = board.pairs[board.pairs["measure"] == measure].set_index(["a", "b"])
        at = 0
        for i in range(n):
            for j in range(i + 1, n):
                pair = data["runs"][i], data["runs"][j]
                sign, row = (
                    (-1, pairs.loc[pair]) if pair in pairs.index else (1, pairs.loc[pair[::-1]])
                )
                assert data["pairs"][m]["difference"][at] == pytest.approx(
                    sign * row["difference"], abs=1e-8
                )
                assert data["pairs"][m]["p_adjusted"][at] == pytest.approx(
                    row["p_adjusted"], abs=1e-8
                )
                at += 1
        assert at == len(data["pairs"][m]["p"])


def test_tied_documents_have_the_number_of_their_group():
    run = {"q0": {"d0": 3, "d1": 2, "d2": 2, "d3": 1, "d4": 0.5, "d5": 0.5, "d6": 0.5}}
    page = irpref_lab.report(["AP"], QRELS, {"run": run, "other": RUNS["run1"]}, depth=5)
    found = Page(page.html).data["rankings"]
    (one,) = [of for of in found["lists"][found["runs"].index("run")] if of["docs"]]
    assert (one["tied"], one["length"]) == ([0, 1, 1, 0, 2], 7)


def test_bounds_are_those_of_the_intervals(made):
    tied = {q: {d: 1.0 for d in docs} for q, docs in RUNS["run1"].items()}
    ties = Page(
        irpref_lab.report(["nDCG@10", "AP"], QRELS, {"apart": APART, "tied": tied}).html
    ).data["ties"]
    assert [row["run"] for row in ties["runs"]] == ["tied"]
    bounds = Page(made.html).data["bounds"]
    assert bounds["measure"] == ties["measure"] == "nDCG@10"
    for over, rows in (("ties", ties["runs"]), ("unjudged", bounds["runs"])):
        for row in rows:
            of = irpref_lab.intervals(
                ["nDCG@10"], QRELS, {**RUNS, "tied": tied}[row["run"]], over=over
            )
            mean = of[of["query_id"].isna()].iloc[0]
            for key in ("value", "low", "high", *(["expected"] if over == "ties" else [])):
                assert row[key] == pytest.approx(mean[key])
            assert mean["low"] < mean["high"]


def test_the_page_names_measures_that_suit_the_judgments(made):
    suggested = irpref_lab.check(QRELS, RUNS, MEASURES).attrs["measures"]
    assert Page(made.html).data["suggested"] == suggested
    text = html.unescape(made.html)
    assert all(f"<bdi>{row['measure']}</bdi> (" in text for row in suggested)


def test_what_is_known_of_no_measure_is_said():
    assert (
        "Accuracy"
        in Page(irpref_lab.report(["Accuracy", "AP"], QRELS, RUNS).html).data["bounds"]["reason"]
    )


def test_ends_that_a_search_found_may_lie_further_out():
    # Eleven unjudged documents have 3^11 assignments of grades, too many to try: a search.
    qrels = {"q": {"a": 2, "b": 1, "c": 0}}
    run = {"q": {"a": 1.0, "b": 2.0, "c": 3.0} | {f"u{i}": -float(i) for i in range(11)}}
    for measure, signs in (("nCRP", ("≤ ", "≥ ")), ("P@3", ("", ""))):
        page = irpref_lab.report([measure], qrels, {"run": run}, pairs="none").html
        table = page[page.index("over all grades of unjudged documents") :]
        low, high = re.findall(r'<td class="number">([≤≥ ]*)-?[\d.]+</td>', table)[1:3]
        assert (low, high) == signs


def test_shares_of_unjudged_documents_by_rank():
    qrels = {"q1": {"a": 1}, "q2": {"b": 0}}
    run = {"q1": {"a": 3, "x": 2, "y": 1}, "q2": {"x": 2, "b": 1}}
    (of,) = Page(irpref_lab.report(["AP"], qrels, {"run": run}).html).data["holes"]
    # Rank 1: a is judged, x is not; rank 2: b is, x is not; rank 3: y, of q1 alone, is not.
    assert (of["x"], of["y"]) == ([1, 2, 3], [[0.5, 0.5, 1]])
    # A document of negative grade is unjudged, as for Judged@10.
    data = Page(
        irpref_lab.report(
            ["AP"], {"q": {"a": -1, "b": 1}}, {"run": {"q": {"a": 2, "b": 1, "x": 0}}}
        ).html
    ).data
    assert data["holes"][0]["y"] == [[1, 0, 1]]
    assert data["judged"] == pytest.approx([1 / 3])


def test_runs_without_ties_and_ties_that_change_nothing_are_said():
    apart = irpref_lab.report(["AP"], QRELS, {"apart": APART}).html
    assert "No run has documents with equal scores." in apart
    harmless = {q: {"d0": 2.0, "x": 1.0, "y": 1.0} for q in QRELS}
    page = irpref_lab.report(["AP"], QRELS, {"apart": APART, "harmless": harmless}).html
    assert "1 run has documents with equal scores; their order changes no value" in page


def test_crp_is_drawn_down_to_four_times_the_mean_r_with_what_its_axis_means():
    qrels = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1, "b": 0}}
    run = {
        q: {d: float(-i) for i, d in enumerate(["x", "a", "b", *map(str, range(30))])}
        for q in qrels
    }
    measures = ["AP", "nCRP", "NPref(n=2, max_rel=1)"]
    *_, crp, npref = Page(irpref_lab.report(measures, qrels, {"run": run}).html).data["curves"]
    assert "binary judgments" in npref["note"]
    assert crp["x"] == [1, 2, 3, 4, 5, 6]  # the mean of R is 1.5
    assert crp["yLabel"].startswith("CRP (0 ideal, \N{MINUS SIGN}1 nothing ")
    table = irpref.curves.crp(qrels, {"run": run})
    assert crp["y"][0] == pytest.approx(table["share_median"].tolist()[:6])


# --------------------------------------------------------------------------------------- long names


LONG = [
    f"input.trec-covid-submission-{name}-reranked-final"
    for name in ("bm25", "dense", "mixed", "other")
]


def test_long_names_lose_in_the_page_what_they_lose_in_pictures_and_are_whole_in_its_text():
    pytest.importorskip("matplotlib")
    from irpref_lab.plots import drawing

    page = Page(irpref_lab.report(["AP"], QRELS, dict(zip(LONG, RUNS.values(), strict=True))).html)
    shown, note = drawing.short_names(LONG)
    assert page.data["short"] == [shown[name] for name in page.data["runs"]]
    assert set(page.data["short"]) == {"bm25", "dense", "mixed", "other"}
    assert page.data["left_out"] == note
    assert {row[0] for row in page.tables[0][1:]} == set(LONG)
    for name, parts in page.data["parts"].items():
        assert "".join(parts) == name


# --------------------------------------------------------------------------------- without a script


def _captions(html):
    return re.findall(r"<caption>(.*?)</caption>", html, re.S)


def test_without_a_script_pairs_topics_and_curves_are_tables(made):
    outside = re.sub(r"<noscript>.*?</noscript>", "", made.html, flags=re.S)
    inside = "".join(re.findall(r"<noscript>(.*?)</noscript>", made.html, re.S))
    titles = " ".join(_captions(inside))
    for words in (
        "The best 4 runs",
        "Values of the topics",
        "Unjudged",
        "Precision and recall",
    ):
        assert words in titles
        assert words not in " ".join(_captions(outside))
    pairs, topics, *_ = Page(inside).tables
    board = irpref_lab.leaderboard(MEASURES, QRELS, RUNS)
    of = board.pairs[board.pairs["measure"] == "nDCG@10"]
    assert sorted(row[4:] for row in pairs[1:]) == sorted(
        [f"{p:.4f}" if p >= 0.0001 else "< 0.0001" for p in row]
        for row in of[["p", "p_adjusted"]].to_numpy()
    )
    names = topics[0][1:]
    values = {
        name: irpref.evaluator(irpref.parse_all(["nDCG@10"]), QRELS).iter_calc(RUNS[name])
        for name in names
    }
    by_topic = {
        name: {m.query_id: f"{m.value:.4f}" for m in found} for name, found in values.items()
    }
    assert {row[0]: row[1:] for row in topics[1:]} == {
        q: [by_topic[name][q] for name in names] for q in QRELS
    }


def test_without_a_script_the_rankings_are_tables(made):
    inside = made.html.split("<h2>Rankings</h2>")[1].split("</noscript>")[0]
    tables = Page(inside).tables
    measure = irpref.parse("nDCG@10")  # the first of them that is a sum over documents
    runs = Page(made.html).data["rankings"]["runs"]
    assert len(tables) == len(QRELS) * len(runs)
    lists = iter(tables)
    for topic in QRELS:
        for run in runs:
            of = irpref.explain(measure, QRELS, RUNS[run], topic)
            of = of[of["rank"].notna()]
            head, *rows = next(lists)
            assert head == ["#", "Document", "Grade", "Adds", "Why"]
            assert [row[0].strip("=") for row in rows] == [str(int(rank)) for rank in of["rank"]]
            assert [row[1] for row in rows] == of["doc_id"].tolist()
            assert [row[2] for row in rows] == [
                str(QRELS[topic].get(doc, "\u2013")) for doc in of["doc_id"]
            ]
            assert [row[3] for row in rows] == [f"{value:.4f}" for value in of["contribution"]]
            assert [row[4] for row in rows] == of["why"].tolist()


# ------------------------------------------------------------------------------------------- safety


@pytest.fixture(scope="module")
def hostile():
    runs = {name: _run(i + 1) for i, name in enumerate(HOSTILE)}
    rename = dict(zip([*QRELS, "d0"], HOSTILE, strict=False))
    qrels = {
        rename.get(q, q): {rename["q0"] if d == "d0" else d: g for d, g in docs.items()}
        for q, docs in QRELS.items()
    }
    runs = {
        name: {
            rename.get(q, q): {rename["q0"] if d == "d0" else d: s for d, s in docs.items()}
            for q, docs in run.items()
        }
        for name, run in runs.items()
    }
    asked = dict(zip(qrels, HOSTILE, strict=False))
    titles = {name: HOSTILE[0] for docs in qrels.values() for name in docs}
    page = irpref_lab.report(
        ["AP", "RPref(max_rel=2)"],
        qrels,
        runs,
        baseline=HOSTILE[0],
        title=HOSTILE[1],
        topics=asked,
        titles=titles,
    )
    return page.html


def test_names_are_text(hostile):
    page = Page(hostile)
    assert {row[0] for row in page.tables[0][1:]} == set(HOSTILE)
    assert set(page.data["runs"]) == set(HOSTILE)
    # Data, Vega, our script, and nothing that came with a name.
    assert [dict(attrs) for tag, attrs in page.elements if tag == "script"] == [
        {"id": "data", "type": "application/json"},
        {},
        {},
    ]
    assert not [
        tag
        for tag, _ in page.elements
        if tag in ("img", "iframe", "object", "link", "base", "form")
    ]
    assert not [
        name
        for _, attrs in page.elements
        for name in attrs
        if name.startswith("on") or name == "style"
    ]
    assert "49" not in {row[0] for row in page.tables[0]}


def test_a_policy_admits_the_scripts_and_the_style_by_their_hashes_alone(hostile):
    page = Page(hostile)
    (policy,) = [a["content"] for tag, a in page.elements if tag == "meta" and "http-equiv" in a]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";") if rule.strip())

    def hashed(text):
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == f"{hashed(page.scripts[1])} {hashed(page.scripts[2])}"
    assert rules["style-src"] == hashed(page.styles[0])
    # Before anything that it rules.
    assert hostile.index("Content-Security-Policy") < hostile.index("<style")


def test_the_script_of_the_pictures_is_that_of_the_package_with_its_licence(made):
    script = Page(made.html).scripts[1]
    assert vl_convert.javascript_bundle() in script  # nothing in it would have ended the element
    licence = script[: script.index("*/")]
    for words in (
        f"Vega {vl_convert.get_vega_version()}",
        "BSD 3-Clause",
        "Redistribution and use",
        "Copyright",
    ):
        assert words in licence


@pytest.mark.slow
@pytest.mark.parametrize("python", ["''", "'/bin/false'"])
def test_the_script_of_the_pictures_needs_no_second_process(python):
    code = f"""
import os, sys
sys.executable = {python}
from irpref_lab.page import vega
with vega.made_beside() as made:
    print(vega.package().javascript_bundle() in made())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_without_the_package_of_the_pictures_its_name_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(ImportError, match=r"irpref\[lab\]"):
        irpref_lab.report(["AP"], QRELS, RUNS)


def test_nothing_is_loaded(made):
    page = Page(made.html)
    for _tag, attrs in page.elements:
        assert not {"src", "srcset", "poster", "data", "action"} & set(attrs)
        assert attrs.get("href", "#").startswith("#")
    namespaces = {"http://www.w3.org/2000/svg"}
    assert set(re.findall(r"https?://[^\s\"'<)]*", page.scripts[2] + page.styles[0])) <= namespaces
    assert "url(" not in page.styles[0]
    assert "@import" not in page.styles[0]


@pytest.mark.parametrize("text", ["</script>", "<!--", "\u2028", "&lt;", "\ud800", "\x00", '"\\'])
def test_json_stays_data_and_reads_the_same(text):
    written = as_json({"a": text})
    assert not set(written) & set("<>&\u2028")
    assert written.isascii()
    assert json.loads(written) == {"a": text}


# --------------------------------------------------------------------------------------- odd inputs


def test_one_run_and_one_topic():
    page = Page(irpref_lab.report(["AP"], {"q0": QRELS["q0"]}, {"only": RUNS["run1"]}).html)
    assert len(page.tables[0]) == 2
    assert page.data["pairs"] == []
    two = Page(irpref_lab.report(["AP"], {"q0": QRELS["q0"]}, RUNS).html)
    assert [row[0] for row in two.tables[0][1:]] == two.data["runs"]
    one = Page(irpref_lab.report(["AP"], QRELS, {"only": RUNS["run1"]}).html)
    assert one.data["board"][0]["letters"] == [None]


def test_grave_findings_come_before_the_numbers():
    lacking = {q: docs for q, docs in RUNS["run1"].items() if q != "q3"}
    found = irpref_lab.report(["AP"], QRELS, {**RUNS, "lacking": lacking})
    page = found.html
    checked = irpref_lab.check(QRELS, {**RUNS, "lacking": lacking}, ["AP"])
    unanswered = checked.set_index("code").loc["unanswered"]
    assert (unanswered["run"], unanswered["count"], unanswered["example"]) == ("lacking", 1, "q3")
    assert Page(page).data["grave"][0] == unanswered["text"]
    assert page.index('id="grave"') < page.index('id="board"')
    assert found.grave == Page(page).data["grave"]
    assert 'id="grave"' not in irpref_lab.report(["AP"], QRELS, RUNS).html


def test_what_the_evaluation_warns_of_is_said_once():
    twice = pd.DataFrame(
        [(q, d, s) for q, docs in RUNS["run1"].items() for d, s in docs.items()] * 2
    )
    twice.columns = ["query_id", "doc_id", "score"]
    with pytest.warns(irpref.IrprefWarning) as given:
        page = irpref_lab.report(["AP", "RPref"], QRELS, {**RUNS, "twice": twice})
    assert sorted(warning.category.__name__ for warning in given) == [
        "DuplicateWarning",
        "ScaleWarning",
    ]
    assert "repeats" in {finding["code"] for finding in Page(page.html).data["findings"]}


def test_runs_without_documents():
    page = irpref_lab.report(["AP"], QRELS, {**RUNS, "empty": {}})
    assert _means(Page(page.html), ["AP"])["empty"] == ["0.0000"]
    assert Page(irpref_lab.report(["AP"], QRELS, {"empty": {}}).html).tables[0][1][:2] == [
        "empty",
        "0.0000",
    ]


def test_groups_of_topics_have_their_own_tests():
    groups = {q: "even" if t % 2 else "odd" for t, q in enumerate(QRELS)}
    data = Page(irpref_lab.report(["AP"], QRELS, RUNS, groups=groups).html).data
    board = irpref_lab.leaderboard(["AP"], QRELS, RUNS, groups=groups)
    assert [(group["name"], group["topics"]) for group in data["groups"]] == [
        ("even", 3),
        ("odd", 3),
    ]
    for group in data["groups"]:
        of = board.pairs[board.pairs["group"] == group["name"]]
        assert sorted(group["pairs"][0]["p"]) == pytest.approx(sorted(of["p"]), abs=1e-8)


def test_preferences_without_grades_have_their_page():
    preferences = pd.DataFrame(
        [
            (q, "1", f"{a}{b}", doc, level)
            for q in QRELS
            for a, b in ((0, 1), (1, 2), (0, 5))
            for doc, level in ((f"d{a}", 1), (f"d{b}", 0))
        ],
        columns=["query_id", "group", "subgroup", "doc_id", "relevance"],
    )
    page = Page(irpref_lab.report(["PrefAP", "PrefShare"], preferences, RUNS).html)
    evaluate = irpref.evaluator(irpref.parse_all(["PrefAP"]), preferences)
    for name, (shown,) in _means(page, ["PrefAP"]).items():
        assert shown == f"{next(iter(evaluate.calc_aggregate(RUNS[name]).values())):.4f}"
    # A document is on several levels: it has no grade, and there are no curves of grades.
    assert (page.data["rankings"]["graded"], page.data["curves"], page.data["holes"]) == (
        False,
        [],
        [],
    )
    assert "preferences" in page.data["bounds"]["reason"]


def test_the_same_data_give_the_same_page(made):
    assert irpref_lab.report(MEASURES, QRELS, RUNS).html == made.html


def test_texts_from_files(tmp_path):
    (tmp_path / "topics.tsv").write_text("q0\twhat is asked\nq1\tsomething else\n")
    (tmp_path / "docs.jsonl").write_text('{"doc_id": "d0", "title": "A title"}\n')
    page = irpref_lab.report(
        ["AP"], QRELS, RUNS, topics=tmp_path / "topics.tsv", titles=str(tmp_path / "docs.jsonl")
    )
    data = Page(page.html).data
    assert data["queries"][:3] == ["what is asked", "something else", None]
    assert data["rankings"]["titles"][data["rankings"]["docs"].index("d0")] == "A title"


@pytest.mark.parametrize(
    ("written", "found"),
    [
        *(
            (f"d0\twhat is{mark}asked\r\nd1\tB\r\n", ["what is asked", "B"])
            for mark in "\u2028\u2029\x85\x0b\x0c\x1c"
        ),
        *(
            (
                '{"doc_id": "d0", "title": "A' + mark + 'title"}\n{"id": "d1", "title": "B"}',
                ["A title", "B"],
            )
            for mark in "\u2028\x85"
        ),
        ("d0\t\nd1\tB\n", [None, "B"]),
        (
            '{"doc_id": "d0", "title": ""}\n{"docno": "d1", "title": null, "body": "B"}\n',
            [None, "B"],
        ),
    ],
)
def test_a_line_of_texts_ends_at_a_line_feed_only_and_may_be_empty(tmp_path, written, found):
    (tmp_path / "docs").write_bytes(written.encode())
    assert texts(tmp_path / "docs", "titles", ["d0", "d1"]) == found


@pytest.mark.parametrize(
    "line",
    [
        '{"doc_id": "d0", "title": "A',
        "[" * 100_000,
        '{"doc_id": "d0", "title": "A", "title": "B"}',
        '{"doc_id": "d0"}',
        '{"title": "A"}',
        "d0 no tab",
    ],
)
def test_a_line_of_texts_that_cannot_be_read_is_named(tmp_path, line):
    (tmp_path / "docs").write_text('{"doc_id": "d1", "title": "B"}\n' + line)
    with pytest.raises(InputError, match=r"`id<TAB>text`") as error:
        texts(tmp_path / "docs", "titles", ["d0"])
    assert (error.value.path, error.value.line) == (str(tmp_path / "docs"), 2)
    (tmp_path / "docs").write_bytes(b"d1\tB\nd0\tcaf\xe9\n")
    with pytest.raises(InputError, match="not UTF-8") as error:
        texts(tmp_path / "docs", "titles", ["d0"])
    assert (error.value.path, error.value.line) == (str(tmp_path / "docs"), 2)


def test_a_page_that_is_not_written_names_save(tmp_path):
    page = irpref_lab.report(["AP"], QRELS, RUNS)
    assert "save(path)" in page._repr_html_()
    assert "save(path)" in repr(page)
    assert "save(path)" not in page.save(tmp_path / "page.html")._repr_html_()


def test_it_is_shown_in_a_notebook_in_a_frame_of_its_own(made, tmp_path):
    shown = made._repr_html_()
    (frame,) = [attrs for tag, attrs in Page(shown).elements if tag == "iframe"]
    assert frame["srcdoc"] == made.html
    assert "allow-same-origin" not in frame["sandbox"]
    path = tmp_path / "page.html"
    assert made.save(path).path == str(path)
    assert path.read_text(encoding="utf-8") == made.html
    assert repr(made) == f"<irpref report: {made.text}>"
    assert made.text.endswith(f" MB, written to {path}")


@pytest.mark.parametrize(
    ("arguments", "refused"),
    [
        ({"baseline": "run9"}, ("baseline", "run9")),
        ({"rankings": ["run9"]}, ("rankings", "run9")),
        ({"depth": 0}, ("depth", 0)),
        ({"pairs": "all"}, ("pairs", "all")),
    ],
)
def test_what_cannot_be_is_said(arguments, refused):
    with pytest.raises(ArgumentError) as error:
        irpref_lab.report(["AP"], QRELS, RUNS, **arguments)
    assert (error.value.parameter, error.value.value) == refused


def test_the_command_line_says_what_is_missing(files, capsys, tmp_path):
    qrels, runs = files
    assert main(["report", qrels, *runs, "-f", str(tmp_path / "page.html")]) == 2
    assert "no measure given" in capsys.readouterr().err
    assert (
        main(
            ["report", qrels, *runs, "AP", "--baseline", runs[1], "-f", str(tmp_path / "page.html")]
        )
        == 0
    )
    data = Page((tmp_path / "page.html").read_text(encoding="utf-8")).data
    assert data["runs"][data["baseline"]] == "run2"
    assert {of["hash"] for of in data["inputs"]} >= {
        hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in runs
    }


def test_the_hash_of_an_input_is_that_of_its_bytes(tmp_path):
    text = "".join(
        f"{q} Q0 {d} 1 {s} t\n" for q, docs in RUNS["run1"].items() for d, s in docs.items()
    )
    plain, packed, columns = (tmp_path / f"a{end}" for end in (".run", ".run.gz", ".parquet"))
    plain.write_text(text)
    packed.write_bytes(gzip.compress(text.encode()))
    rows = [(q, d, s) for q, docs in RUNS["run2"].items() for d, s in docs.items()]
    pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]).to_parquet(columns)
    runs = {"plain": plain, "packed": packed, "columns": columns, "read": irpref.run(plain)}
    data = Page(irpref_lab.report(["AP"], QRELS, runs | {"dict": RUNS["run4"]}).html).data
    paths = {"plain": plain, "packed": packed, "columns": columns, "read": plain}
    assert {of["name"]: of["hash"] for of in data["inputs"]} == {
        **{name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in paths.items()},
        "judgments": None,
        "dict": None,
    }


def test_systems_of_pyterrier_retrieve_for_the_topics():
    pt = pytest.importorskip("pyterrier")
    frames = {
        name: pd.DataFrame(
            [(q, d, s) for q, docs in run.items() for d, s in docs.items()],
            columns=["qid", "docno", "score"],
        )
        for name, run in RUNS.items()
    }
    topics = pd.DataFrame({"qid": list(QRELS), "query": [f"query of {q}" for q in QRELS]})
    systems = {name: pt.Transformer.from_df(found, uniform=False) for name, found in frames.items()}
    found = Page(pt.irpref.report(systems, topics, QRELS, ["AP"]).html).data
    assert found["board"] == Page(irpref_lab.report(["AP"], QRELS, RUNS).html).data["board"]
    assert found["queries"] == topics["query"].tolist()
    alike = Page(pt.irpref.report(list(systems.values()), topics, QRELS, ["AP"]).html).data["runs"]
    assert len(set(alike)) == len(systems)
    of_frames = Page(pt.irpref.report(list(frames.values()), None, QRELS, ["AP"]).html).data
    assert sorted(of_frames["runs"]) == ["run 1", "run 2", "run 3", "run 4"]
    with pytest.raises(ValueError, match="expected 4 different names"):
        pt.irpref.report(list(systems.values()), topics, QRELS, ["AP"], ["a", "a", "b", "c"])
    with pytest.raises(TypeError, match="retrieves for topics"):
        pt.irpref.report(systems, None, QRELS, ["AP"])


def test_a_page_of_two_runs_begins_with_what_compare_says():
    two = dict([*RUNS.items()][:2])
    first, second = two
    for baseline, names in ((None, [first, second]), (second, [second, first])):
        page = irpref_lab.report(["AP", "nDCG@10"], QRELS, two, baseline=baseline)
        said = irpref_lab.compare(["AP", "nDCG@10"], QRELS, *map(two.get, names), names=names)
        assert Page(page.html).data["verdict"] == said.text.splitlines()
        assert page.html.index("Is one better?") < page.html.index('id="leaderboard"')
    untested = irpref_lab.report(["AP"], QRELS, two, pairs="none")
    board = irpref_lab.leaderboard(["AP"], QRELS, two, pairs="none")
    assert Page(untested.html).data["verdict"] == [board.text]


def _ranked_first(topics, share):
    """A run that ranks the one relevant document first in a share of the topics, else last."""
    return {
        topic: {"a": 2.0 if i < share * len(topics) else 0.0, "b": 1.0}
        for i, topic in enumerate(topics)
    }


def test_a_page_of_three_runs_begins_with_the_best_one_and_those_not_shown_to_differ():
    qrels = {f"q{t}": {"a": 1, "b": 0} for t in range(40)}
    runs = {name: _ranked_first(qrels, share) for name, share in (("x", 1), ("y", 0.95), ("z", 0))}
    page = irpref_lab.report(["AP", "P@1"], qrels, runs)
    board = irpref_lab.leaderboard(["AP", "P@1"], qrels, runs)
    assert Page(page.html).data["verdict"] == [*board.text.splitlines(), f"test: {board.test}"]
    assert board.text.startswith(
        "AP: x has the best mean (1.0000, 40 topics); 1 of the other 2 runs is not shown to differ "
        "from it: y."
    )
    assert page.html.index("Which is best?") < page.html.index('id="leaderboard"')
    one = irpref_lab.report(["AP"], qrels, {"x": runs["x"]})
    assert Page(one.html).data["verdict"] == ["AP: x has a mean of 1.0000, 40 topics."]


def test_the_page_says_when_it_was_made_of_which_judgments_and_versions(files, monkeypatch):
    qrels, runs = files
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    made = Page(irpref_lab.report(["AP"], qrels, runs).html).data["made"]
    assert made.split(" · ")[:2] == ["1970-01-02", "judgments: qrels.txt"]
    assert " · irpref " in made
    assert "ir-measures" in made


def test_curves_and_columns_that_nobody_asked_for_are_left_out():
    page = irpref_lab.report(["AP", "RPref(max_rel=2)"], QRELS, RUNS)
    assert [curve["title"] for curve in Page(page.html).data["curves"]] == [
        "Precision and recall",
        "Cumulated gain",
    ]
    assert ">Question</th>" in page.html
    assert ">Question</th>" not in irpref_lab.report(["AP", "nDCG@10"], QRELS, RUNS).html
    two = dict([*RUNS.items()][:2])
    assert 'id="pairs"' not in irpref_lab.report(["AP"], QRELS, two).html


@pytest.mark.filterwarnings("ignore")
def test_a_page_with_groups_says_of_each_what_compare_does():
    qrels = {f"q{t}": {"a": 1, "b": 0} for t in range(40)}
    best = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    worst = {topic: {"b": 2.0, "a": 1.0} for topic in [*qrels][:39]}
    groups = {topic: "few" if t >= 30 else "many" for t, topic in enumerate(qrels)}
    page = irpref_lab.report(["AP"], qrels, {"best": best, "worst": worst}, groups=groups)
    data = Page(page.html).data
    said = [
        irpref_lab.compare("AP", qrels, best, worst, groups=of, names=["best", "worst"])
        for of in (None, groups)
    ]
    assert data["verdict"][:-1] == [line for one in said for line in one.text.splitlines()[:-1]]
    assert "AP, few: " in data["verdict"][1]
    assert "cannot tell" in data["verdict"][1]  # 1 of 10 topics, and 1 of 40, are missing
    assert "cannot tell" not in "".join(data["verdict"][2:])
    few, many = (group["pairs"][0] for group in data["groups"])
    assert few["p_adjusted"] == [None]
    assert many["p_adjusted"][0] < 0.05


@pytest.mark.filterwarnings("ignore")
def test_what_compare_cannot_tell_is_no_tested_difference_on_the_page():
    qrels = {f"q{t}": {"a": 1, "b": 0} for t in range(20)}
    best = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    worst = {topic: {"b": 2.0, "a": 1.0} for topic in [*qrels][:12]}
    data = Page(irpref_lab.report(["AP"], qrels, {"best": best, "worst": worst}).html).data
    assert "cannot tell" in data["verdict"][0].lower()
    assert data["pairs"][0]["p_adjusted"] == [None]
    assert data["board"][0]["place_low"] == data["board"][0]["letters"] == [None, None]


def test_with_few_topics_there_is_no_interval():
    for n in (1, 2, 4):
        qrels = dict([*QRELS.items()][:n])
        page = irpref_lab.report(["AP"], qrels, RUNS)
        board = Page(page.html).data["board"][0]
        assert board["low"] == board["high"] == [None] * len(RUNS)
        assert "Interval</button>" not in page.html
        assert "bootstrap intervals" not in page.html


def test_a_system_that_was_run_several_times_is_one_row_and_its_first_run_is_drawn():
    first, second, third = [*RUNS.values()][:3]
    page = irpref_lab.report(["AP"], QRELS, {"several": [first, second], "one": third})
    data = Page(page.html).data
    assert sorted(data["runs"]) == ["one", "several"]
    assert [row["name"] for row in data["inputs"]] == ["judgments", "several", "several", "one"]
    assert any(note.startswith("several ") and "mean of 2 runs" in note for note in data["notes"])


def test_colour_is_only_for_differences_that_are_shown():
    folder = Path(irpref_lab.page.__file__).parent
    css, js = ((folder / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    grey = {"#fff", "#ffffff"}
    for name, value in re.findall(r"--([a-z0-9]+): (#[0-9a-f]{3,8})", css):
        red, green, blue = (int(value[i : i + 2], 16) for i in (1, 3, 5))
        coloured = max(red, green, blue) - min(red, green, blue) > 12 and value not in grey
        assert coloured == (name in ("blue", "orange", "worse")), name
    # Who uses them: shown differences on the board and in the matrix of pairs.
    assert js.count("--blue") == js.count("--orange") == 1
    users = re.findall(r"^(.*?) \{[^}]*var\(--(?:blue|orange|worse)\)", css, re.MULTILINE)
    assert set(users) == {"#board td span.better", "#board td span.worse", "svg .better"}


@pytest.mark.filterwarnings("ignore")
def test_runs_that_answer_nothing_are_marked_and_take_no_part():
    absent = {
        "none": {},
        "elsewhere": {"x": {"d": 1.0}},
        "unjudged": {t: {"?": 1.0} for t in QRELS},
    }
    whole, found = (irpref_lab.report(MEASURES, QRELS, runs) for runs in (RUNS, absent | RUNS))
    data, more = Page(whole.html).data, Page(found.html).data
    n = len(RUNS)
    assert more["runs"] == [*data["runs"], *absent]
    assert list(more["absent"]) == list(absent)
    for board, of in zip(more["board"], data["board"], strict=True):
        assert board["place"] == of["place"] + [None] * 3
        assert (board["low"][:n], board["low"][n:]) == (of["low"], [None] * 3)
    for pairs, of in zip(more["pairs"], data["pairs"], strict=True):
        assert [p for p in pairs["p"] if p is not None] == of["p"]
        assert len(pairs["p"]) == (n + 3) * (n + 2) / 2
    assert "<bdi>none is left" in found.html
    one = {"one": RUNS[next(iter(RUNS))]}
    for runs, strict in ((absent | RUNS, True), (absent | one, False)):
        with pytest.raises(AbsentRunError, match="'none': "):
            irpref_lab.report(MEASURES, QRELS, runs, strict=strict)


def test_of_many_runs_fewer_pairs_are_checked_for_reversal():
    many = {f"run{i}": RUNS[f"run{(1, 2, 4, 5)[i % 4]}"] for i in range(11)}
    for runs, best in ((dict([*many.items()][:10]), 6), (many, 3)):
        bounds = Page(irpref_lab.report(["AP"], QRELS, runs).html).data["bounds"]
        assert (bounds["best"], len(bounds["pairs"])) == (best, best * (best - 1) / 2)


def test_a_report_is_saved_in_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    cast = irpref.datasets.load("synthetic")
    irpref_lab.report(["AP"], cast.qrels, {"strong": cast.runs["strong"]}).save("~/page.html")
    assert (tmp_path / "page.html").stat().st_size > 1000
