"""The page of `irpref report` in a real browser: it sorts and chooses, asks for nothing, and
complains of nothing.
"""

import base64
import csv
import json
import math
import re
from contextlib import contextmanager

import pandas as pd
import pytest
from test_report import HOSTILE, QRELS, RUNS, _run

import irpref
import irpref_lab
from browser import Browser, program

pytest.importorskip("jinja2", reason="a report needs Jinja")
pytest.importorskip("vl_convert", reason="a report needs Vega")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        program() is None, reason="no Chromium on this machine: pages are not opened"
    ),
]

MEASURES = ["nDCG@10", "RPref(max_rel=2)", "EMeasure@3"]


@pytest.fixture(scope="module")
def browser():
    with Browser() as found:
        yield found
        del found.messages[:]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "page.html"
    irpref_lab.report(MEASURES, QRELS, RUNS, path, topics={"q0": "what is asked"})
    return path


@contextmanager
def opened(path):
    """The page in a browser of its own, which complains of nothing and asks for nothing."""
    with Browser() as found:
        found.open(path)
        yield found
        assert found.messages == []
        assert found.requests == [path.resolve().as_uri()]


@pytest.fixture(scope="module")
def page(file):
    """One page for all tests that need no other: none of them relies on how the ones before left
    it.
    """
    with opened(file) as found:
        yield found


COUNTED = ["1", "10", "2", "9"]  # topics, by name
SEVERAL = [f"input.trec-covid-submission-{i}-reranked-final" for i in range(10)]


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """Ten runs with long names, topics that are numbers, and measures of which the first is better
    if it is lower.
    """
    path = tmp_path_factory.mktemp("odd") / "page.html"
    runs = {name: dict.fromkeys(COUNTED, _run(i + 1)["q1"]) for i, name in enumerate(SEVERAL)}
    irpref_lab.report(["nCRP", "RPref(max_rel=2)"], dict.fromkeys(COUNTED, QRELS["q1"]), runs, path)
    with opened(path) as found:
        yield found


def _column(page, place):
    cells = f"[...document.querySelectorAll('#board tbody tr')].map(row => row.cells[{place}].firstChild.textContent)"
    return [float(text) for text in page.run(cells)]


def _click(page, place):
    page.run(f"document.querySelectorAll('#board thead th')[{place}].click()")


@pytest.mark.parametrize("place", [1, 2, 3])
def test_a_click_on_a_head_sorts_and_a_second_one_turns_it_round(page, place):
    _click(page, place)
    once = _column(page, place)
    _click(page, place)
    twice = _column(page, place)
    assert len(set(once)) > 1
    assert sorted([once, twice]) == [sorted(once), sorted(once, reverse=True)]
    _click(page, 0)
    names = page.run(
        "[...document.querySelectorAll('#board tbody th')].map(cell => cell.textContent)"
    )
    assert names == sorted(RUNS)


def test_a_click_on_a_run_compares_the_others_with_it(page):
    page.run("document.querySelector('#board tbody tr th bdi').click()")
    base = page.run("document.querySelector('#board tr.baseline th').textContent")
    pairs = irpref_lab.leaderboard(MEASURES, QRELS, RUNS).pairs
    turned = pairs.rename(columns={"a": "b", "b": "a"}).assign(difference=-pairs["difference"])
    against = pd.concat([pairs, turned]).query("a == @base").sort_index(kind="stable")
    shown = page.run(
        "Object.fromEntries([...document.querySelectorAll('#board tbody tr')].map(r => "
        "[r.cells[0].textContent, "
        "[1, 2, 3].map(i => [...r.cells[i].querySelectorAll('.delta')].map(d => "
        "d.textContent).join())]))"
    )
    assert shown.pop(base) == ["", "", ""]
    for name, texts in shown.items():
        rows = against[against["b"] == name]
        for text, difference, p in zip(texts, rows["difference"], rows["p_adjusted"], strict=True):
            sign = "+" if difference > 0 else "\u2212" if difference < 0 else ""
            assert text.startswith(f"{sign}{abs(difference):.4f}")
            assert text.endswith(f",p {p:.4f}")
    page.run("document.querySelector('#board tr.baseline th bdi').click()")
    assert page.count(".delta") == 0


def test_a_measure_that_is_sorted_by_or_chosen_brings_its_places_and_letters(page):
    board = irpref_lab.leaderboard(MEASURES, QRELS, RUNS)
    choose = "const s = document.getElementById('board-measure'); s.value = '1'; s.dispatchEvent(new Event('change'))"
    for measure, act in (
        ("EMeasure@3", lambda: _click(page, 3)),
        ("RPref(max_rel=2)", lambda: page.run(choose)),
    ):
        act()
        chosen = page.run("document.getElementById('board-measure').selectedOptions[0].textContent")
        assert chosen == f"\u2068{measure}\u2069"
        rows = board[board["measure"] == measure].set_index("run")
        shown = page.run(
            "[...document.querySelectorAll('#board tbody tr')].map(r => [...r.cells].map(c => "
            "c.textContent))"
        )
        if measure == "EMeasure@3":
            assert shown[0][0] == rows["mean"].idxmin()  # lower is better
        for name, *_, place, _interval, _topics, _judged, letters in shown:
            of = rows.loc[name]
            assert place == f"{of['place']} ({of['place_low']}\u2013{of['place_high']})"
            assert letters == of["letters"]


def test_a_cell_of_the_matrix_opens_the_two_runs(page):
    page.run("document.querySelector('#pairs-plot [role=application]').focus()")
    for key in ("ArrowRight", "ArrowDown", "ArrowRight", "Enter"):
        page.press(key)
    order = page.run("[...document.querySelectorAll('#two-a option')].map(o => o.textContent)")
    found = page.run(
        "[document.getElementById('two-a').value, document.getElementById('two-b').value]"
    )
    assert found == ["3", "1"]  # the run of the row is compared with the one of the column
    assert [name.strip("\u2068\u2069") for name in order] == list(
        irpref_lab.leaderboard(MEASURES, QRELS, RUNS)["run"][: len(RUNS)]
    )
    a, b = (order[int(i)].strip("\u2068\u2069") for i in found)
    evaluate = irpref.evaluator(irpref.parse_all(MEASURES[:1]), QRELS)
    values = [{m.query_id: m.value for m in evaluate.iter_calc(RUNS[name])} for name in (a, b)]
    rows = page.run(
        "[...document.querySelectorAll('#two-table tbody tr')].map(r => [...r.cells].map(c => "
        "c.textContent))"
    )
    assert {row[0]: row[2:4] for row in rows} == {
        q: [f"{values[0][q]:.4f}", f"{values[1][q]:.4f}"] for q in QRELS
    }
    assert {row[0]: row[4].lstrip("+").replace("\N{MINUS SIGN}", "-") for row in rows} == {
        q: f"{values[1][q] - values[0][q]:.4f}" for q in QRELS
    }
    wins = sum(values[1][q] > values[0][q] for q in QRELS)
    said = page.run("document.getElementById('two-said').textContent")
    assert f"{b} minus {a}: " in said
    assert f"{b}: {wins} topics won" in said


@pytest.mark.parametrize("place", [2, 4])
def test_a_topic_chosen_in_a_picture_is_marked_everywhere_and_opens(page, place):
    click = (
        "const at = dot.getBoundingClientRect(); dot.dispatchEvent(new MouseEvent('click', "
        "{bubbles: true, clientX: at.x + at.width / 2, clientY: at.y + at.height / 2}))"
    )
    page.run(
        f"{{ const dot = document.querySelectorAll('#two-plots .mark-symbol path')[{place}]; "
        f"{click} }}"
    )
    topic = page.run("document.querySelector('#two-table tr.chosen th').textContent")
    marked = page.run(
        "[...document.querySelectorAll('#two-plots .mark-symbol path, #two-plots .mark-rect path')]"
        ".filter(mark => mark.getAttribute('stroke-width') === '3').map(mark => mark.ariaLabel)"
    )
    assert len(marked) == 2
    assert all(f"\u2068{topic}\u2069" in said for said in marked)
    numbers = page.run(
        "[...document.querySelectorAll('#two-table tr.chosen td')].map(cell => "
        "cell.textContent).slice(-3)"
    )
    assert all(said.endswith(": {} and {}, difference {}".format(*numbers)) for said in marked)
    chosen = page.run("document.getElementById('topic-id').selectedOptions[0].textContent")
    assert topic in chosen
    left = page.run("document.getElementById('topic-left').selectedOptions[0].textContent").strip(
        "\u2068\u2069"
    )
    measure = page.run(
        "document.getElementById('topic-measure').selectedOptions[0].textContent"
    ).strip("\u2068\u2069")
    table = irpref.explain(measure, QRELS, RUNS[left], topic)
    rows = page.run(
        "[...document.querySelectorAll('[data-side=left] tbody tr')].map("
        "row => [...row.cells].map(c => c.textContent.trim()))"
    )
    expected = table[table["rank"].notna()]
    assert [row[2] for row in rows] == expected["doc_id"].tolist()
    assert [row[4] for row in rows] == [f"{value:.4f}" for value in expected["contribution"]]
    page.run("document.querySelector('[data-side=left] tbody tr').click()")
    assert expected["why"].iloc[0] in page.run("document.getElementById('topic-why').textContent")


def test_curves_follow_the_ticks(page):
    lines = "[...document.querySelectorAll('#curves-plots .mark-line path')].map(line => line.getAttribute('stroke-dasharray'))"
    before = page.run(lines)
    page.run("document.querySelector('#board input:checked').click()")
    page.drawn()
    (gone,) = set(before) - set(page.run(lines))
    assert page.run(lines) == [dashes for dashes in before if dashes != gone]


def test_every_table_comes_as_a_file_with_the_numbers_of_the_page(page):
    page.run(
        "window.made = {}; let last; URL.createObjectURL = blob => (last = blob, '#'); "
        "for (const at of document.querySelectorAll('[data-csv]')) { at.click(); "
        "made[at.dataset.csv] = last; }"
    )
    tables = {}
    for name in page.run("Object.keys(made)"):
        tables[name] = list(csv.reader(page.run(f"made['{name}'].text()").splitlines()))
    assert set(tables) >= {
        "leaderboard",
        "pairs",
        "two",
        "topic",
        "topics",
        "curves",
        "unjudged",
        "bounds",
        "findings",
    }
    assert set(tables) >= {"turns", "measures", "inputs"}
    assert tables["leaderboard"][0][:5] == ["run", "measure", "mean", "low", "high"]
    assert len(tables["leaderboard"]) == 1 + len(RUNS) * len(MEASURES)
    for rows in tables.values():
        assert {len(row) for row in rows} == {len(rows[0])}
        assert len(rows) > 1
    evaluate = irpref.evaluator(irpref.parse_all(MEASURES), QRELS)
    values = {
        (run, m.query_id, str(m.measure)): m.value
        for run in RUNS
        for m in evaluate.iter_calc(RUNS[run])
    }
    found = {tuple(row[:3]): float(row[3]) for row in tables["topics"][1:]}
    assert found == pytest.approx(values, abs=1e-8)


def test_where_lower_is_better_what_adds_is_worse(odd):
    parts = odd.run(
        "[...document.querySelectorAll('.ranking td.part')].filter(cell => "
        "cell.querySelector('rect'))"
        ".map(cell => [cell.textContent.trim().startsWith('\u2212'), "
        "cell.querySelector('rect').getAttribute('class')])"
    )
    assert {tuple(part) for part in parts} <= {(True, "gain"), (False, "cost")}
    assert len(parts) > 0


def test_long_names_are_short_on_the_screen_and_whole_in_files(odd):
    shown = odd.run(
        "[...document.querySelectorAll('#board tbody th bdi')].map(name => [name.innerText, "
        "name.title])"
    )
    assert {short for short, _ in shown} == set("0123456789")
    assert odd.count(".middle") == 0  # nothing is left out there: no dots
    assert {whole for _, whole in shown} == set(SEVERAL)
    assert "names without" in odd.text("#leaderboard")
    odd.run(
        "URL.createObjectURL = blob => (window.made = blob, '#'); "
        "document.querySelector('[data-csv=leaderboard]').click()"
    )
    assert all(name in odd.run("made.text()") for name in SEVERAL)
    odd.send("Emulation.setEmulatedMedia", media="print", features=[])
    names = odd.run(
        "[...document.querySelectorAll('#board tbody th bdi')].map(name => name.innerText)"
    )
    odd.send("Emulation.setEmulatedMedia", media="", features=[])
    assert set(names) == set(SEVERAL)


def test_topics_are_in_the_order_in_which_people_count(odd):
    shown = odd.run("[...document.querySelectorAll('#topic-id option')].map(o => o.textContent)")
    assert [name.strip("\u2068\u2069") for name in shown] == ["1", "2", "9", "10"]
    odd.run("document.querySelector('#two-table th[data-key=topic]').click()")
    cells = "[...document.querySelectorAll('#two-table tbody th')]"
    listed = odd.run(f"{cells}.map(cell => cell.textContent)")
    assert listed == ["1", "2", "9", "10"]
    odd.run(f"{cells}[3].click()")
    chosen = odd.run("document.getElementById('topic-id').selectedOptions[0].textContent")
    assert chosen.strip("\u2068\u2069") == "10"


def test_a_ninth_curve_is_refused_in_words(odd):
    odd.run(
        "for (const box of document.querySelectorAll('#board input:not(:checked)')) box.click()"
    )
    assert odd.count("#board input:checked") == 8
    assert "untick one first" in odd.run("document.getElementById('board-said').textContent")


def test_one_topic_has_no_tests_and_says_nothing_of_them(browser, tmp_path):
    path = tmp_path / "page.html"
    irpref_lab.report(["AP", "nDCG@10"], {"q0": QRELS["q0"]}, RUNS, path)
    browser.open(path)
    heads = browser.run(
        "[...document.querySelectorAll('#board thead th')].map(head => "
        "head.innerText.split('\\n')[0].trim())"
    )
    assert heads == ["Run", "AP", "nDCG@10", "Place", "Topics", "Judged@10"]
    text = browser.run("document.body.innerText")
    for words in ("1 topics", "share a letter", "compares all others", "NaN", "undefined", "null"):
        assert words not in text
    assert browser.messages == []


def test_grades_that_a_judge_filled_in_are_marked(browser, tmp_path):
    # The judge's grades are twice the human ones, so that the odd documents get what a human would
    # have given.
    human = {
        q: {d: grade for d, grade in docs.items() if int(d[1]) % 2 == 0}
        for q, docs in QRELS.items()
    }
    judge = {q: {d: 2 * grade for d, grade in docs.items()} for q, docs in QRELS.items()}
    path = tmp_path / "page.html"
    irpref_lab.report(["RPref(max_rel=2)"], irpref_lab.fill(human, judge), RUNS, path)
    browser.open(path)
    assert "24 of 48 grades" in browser.text("header p")
    topic = browser.run("document.getElementById('topic-id').selectedOptions[0].textContent").strip(
        "\u2068\u2069"
    )
    rows = browser.run(
        "[...document.querySelectorAll('[data-side=left] tbody tr')]"
        ".map(row => [row.cells[2].textContent, row.cells[3].textContent, "
        "row.cells[3].className.includes('relevant')])"
    )
    shown = {doc: (grade, bold) for doc, grade, bold in rows if doc != "unknown"}
    assert shown == {
        d: (f"~{g:.2f}" if int(d[1]) % 2 else str(g), g > 0) for d, g in QRELS[topic].items()
    }
    assert "~: a grade filled" in browser.text("#topic .note")
    assert browser.messages == []


def test_a_notebook_shows_the_page_in_its_frame(browser, tmp_path):
    # The sandbox gives the frame an origin of its own; only without that can it be looked into from
    # outside.
    shown = (
        irpref_lab.report(MEASURES, QRELS, RUNS)
        ._repr_html_()
        .replace('sandbox="allow-scripts allow-downloads"', "")
    )
    assert "sandbox" not in shown.split("srcdoc")[0]
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><meta charset=utf-8>{shown}", encoding="utf-8")
    browser.open(path)
    inside = "frames[0].document"
    assert browser.count("#board tbody tr", inside) == len(RUNS)
    curves = browser.count("#curves-plots .mark-line path", inside)
    assert curves == 2 * len(RUNS)  # those that belong to the measures asked for
    assert browser.messages == []
    assert [
        address for address in browser.requests if not address.startswith(("file:", "about:"))
    ] == []


def test_on_paper_topic_and_pair_are_named_and_three_runs_take_six_pages(browser, tmp_path):
    cast = irpref.datasets.load("cast2021")  # 158 topics, long names
    qrels, runs = cast.qrels, dict(list(cast.runs.items())[:3])
    path = tmp_path / "page.html"
    irpref_lab.report(["nDCG@10", "AP", "RPref(norm='relative2')"], qrels, runs, path)
    browser.open(path)
    browser.send("Emulation.setEmulatedMedia", media="print", features=[])
    pair, topic = (
        browser.run(f"document.getElementById('{name}').innerText")
        for name in ("two-said", "topic-said")
    )
    browser.send("Emulation.setEmulatedMedia", media="", features=[])
    first, second = irpref_lab.leaderboard("nDCG@10", qrels, runs)["run"][:2]
    assert pair.startswith("nDCG@10: ")
    assert first in pair
    assert second in pair
    assert re.match(r"Topic \d+_\d+\. ", topic)
    assert " Adds: to nDCG@10" in topic
    paper = base64.b64decode(browser.send("Page.printToPDF")["data"])
    assert len(re.findall(rb"/Type ?/Page\b", paper)) <= 6


def _opening_topic(browser, path):
    browser.open(path)
    chosen = "document.getElementById('topic-id').selectedOptions[0].textContent"
    return browser.run(chosen).strip("\u2068\u2069")


@pytest.mark.parametrize("baseline", [None, "good"])
def test_two_systems_are_the_second_minus_the_first_as_in_the_verdict(browser, tmp_path, baseline):
    path = tmp_path / "page.html"
    qrels = {f"q{t}": {"a": 1} for t in range(8)}
    good, bad = ({q: {"a": score, "b": 1.0} for q in qrels} for score in (2.0, 0.0))
    runs = {"bad": bad, "good": good}
    irpref_lab.report(["AP"], qrels, runs, path, baseline=baseline)
    first, second = ("good", "bad") if baseline else ("bad", "good")
    said = irpref_lab.compare(["AP"], qrels, runs[first], runs[second], names=[first, second])
    (sign,) = {math.copysign(1, difference) for difference in said["difference"]}
    browser.open(path)
    text = browser.run("document.getElementById('two-said').textContent")
    assert f"{second} minus {first}: {'+' if sign > 0 else chr(0x2212)}0.5000" in text
    names = browser.run(
        "[...document.querySelectorAll('#two-plots .role-axis-title text')].map(t => t.textContent)"
    )
    assert [name.strip("\u2068\u2069") for name in names[:2]] == [first, second]
    dots = "[...document.querySelectorAll('#two-plots .mark-symbol path')].map(d => d.ariaLabel)"
    values = [f"{1.0 if name == 'good' else 0.5:.4f}" for name in (first, second)]
    assert all(" and ".join(values) in label for label in browser.run(dots))


def test_a_topic_opens_on_the_largest_difference_and_of_one_run_on_the_worst_value(
    browser, tmp_path
):
    path = tmp_path / "page.html"
    qrels = {f"q{t}": {"a": 1} for t in range(6)}
    good, bad = ({q: {"a": score, "b": 1.0} for q in qrels} for score in (2.0, 2.0))
    bad["q3"] = {"b": 2.0, "a": 1.0}
    irpref_lab.report(["AP"], qrels, {"good": good, "bad": bad}, path)
    assert _opening_topic(browser, path) == "q3"
    irpref_lab.report(["AP"], qrels, {"bad": bad}, path)
    assert _opening_topic(browser, path) == "q3"


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_is_no_wider_than_the_screen(browser, file, width):
    browser.open(file, width=width)
    assert browser.run("document.documentElement.scrollWidth") <= width


def test_hostile_names_do_nothing(browser, tmp_path):
    runs = {name: _run(i + 1) for i, name in enumerate(HOSTILE)}
    path = tmp_path / "page.html"
    texts = dict(zip(QRELS, HOSTILE, strict=False))
    irpref_lab.report(
        ["AP", "RPref(max_rel=2)"],
        QRELS,
        runs,
        path,
        topics=texts,
        titles={"d0": HOSTILE[1]},
        baseline=HOSTILE[0],
    )
    browser.open(path)
    names = browser.run(
        "[...document.querySelectorAll('#board tbody th bdi')].map(cell => cell.textContent)"
    )
    assert set(names) == set(HOSTILE)
    browser.run(
        "window.made = []; URL.createObjectURL = blob => (made.push(blob), '#'); "
        "for (const button of document.querySelectorAll('[data-csv]')) button.click();"
        "for (const node of document.querySelectorAll('#two-table tr, .ranking tr')) node.click();"
    )
    assert browser.count("img") == 0
    table = browser.run("made[0].text()")
    assert f"\n'{HOSTILE[3]}," in table
    assert browser.messages == []
    assert browser.requests == [path.resolve().as_uri()]
    # The page's own words could not load anything, either: its policy holds.
    browser.run(
        "document.body.append(Object.assign(new Image(), {src: 'http://127.0.0.1:9/x.png'})), 1"
    )
    browser.run("new Promise(done => setTimeout(done, 200))")
    assert any("Content Security Policy" in text for text in browser.messages), json.dumps(
        browser.messages
    )


MANY = {
    f"run-{i:02}": {
        topic: docs if i % 2 else dict(list(docs.items())[:-1]) for topic, docs in run.items()
    }
    for i in range(40)
    for run in [dict.fromkeys(QRELS, _run(i + 1)["q1"])]
}


def test_of_many_runs_the_first_and_the_last_are_shown_until_all_are_asked_for(tmp_path):
    path = tmp_path / "page.html"
    irpref_lab.report(MEASURES[:1], QRELS, MANY, path)
    rows = "[...document.querySelectorAll('#board tbody tr')]"
    with opened(path) as page:

        def seen():
            return page.run(
                f"{rows}.filter(row => !row.hidden).map(row => row.cells[0].textContent)"
            )

        order = page.run(f"{rows}.map(row => row.cells[0].textContent)")
        assert len(order) == 40
        assert seen() == [*order[:20], *order[-5:]]
        assert page.count("#board tr.gap") == 1
        _click(page, 0)
        names = sorted(MANY)
        assert seen() == [*names[:20], *names[-5:]]
        page.run(
            "document.querySelectorAll('#board tbody tr')[30].cells[0].querySelector('bdi').click()"
        )
        assert names[30] in seen()
        find = "{{ const f = document.getElementById('board-find'); f.value = {!r}; f.dispatchEvent(new Event('input')) }}"
        page.run(find.format("RUN-2"))
        assert seen() == [name for name in names if name.startswith("run-2")]
        page.run(find.format(""))
        page.run("document.getElementById('board-all').click()")
        assert seen() == names
        page.run("document.getElementById('board-all').click()")
        assert len(seen()) == 26
