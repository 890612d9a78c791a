"""`irpref curve`, `plot` and `compare`: what they print, to the letter, for data small enough to
check by hand.
"""

import errno
import re
from pathlib import Path
from textwrap import dedent

import pytest

from irpref.datasets import load
from shells import qrels_text, run_text

BOOK = load("mir-textbook")
PAIR_QRELS = {str(q): {"a": 1, "b": 1, "c": 0} for q in range(1, 6)}
BETTER = {str(q): {"a": 3.0, "b": 2.0, "c": 1.0} for q in (1, 2, 3)} | {"4": {"c": 2.0, "b": 1.0}}
WORSE = {
    "1": {"a": 1.0},
    "2": {"c": 2.0, "a": 1.0},
    "3": {"a": 2.0, "b": 1.0},
    "4": {"b": 2.0, "a": 1.0},
}
WHOLE = WORSE | {"1": {"a": 2.0, "c": 1.0}}


def write_qrels(path, qrels):
    path.write_text(qrels_text(qrels))
    return str(path)


def write_run(path, run):
    path.write_text(run_text(run))
    return str(path)


@pytest.fixture
def book(tmp_path):
    """Qrels and run of the book, as files."""
    return write_qrels(tmp_path / "book.qrels", BOOK.qrels), write_run(
        tmp_path / "book.run", BOOK.runs["run"]
    )


@pytest.fixture
def pair(tmp_path):
    """Five topics and two runs, as files."""
    return (
        write_qrels(tmp_path / "pair.qrels", PAIR_QRELS),
        write_run(tmp_path / "new.run", BETTER),
        write_run(tmp_path / "old.run.txt", WORSE),
    )


@pytest.fixture
def whole(tmp_path):
    """The same, with documents for each topic, so that the runs can be compared."""
    nothing = {"5": {"c": 1.0}}
    return (
        write_qrels(tmp_path / "pair.qrels", PAIR_QRELS),
        write_run(tmp_path / "new.run", BETTER | nothing),
        write_run(tmp_path / "old.run.txt", WHOLE | nothing),
    )


@pytest.fixture
def printed(call):
    """Run the command successfully and return what it printed."""

    def called(*arguments, remark=""):
        status, out, err = call(*map(str, arguments))
        assert (status, bool(err)) == (0, bool(remark)), err
        assert remark in err
        return out

    return called


@pytest.fixture
def refused(call):
    """Run the command, and return exit status and message."""

    def called(*arguments):
        status, out, err = call(*map(str, arguments))
        assert out == ""
        return status, err

    return called


def tabs(text):
    return dedent(text).lstrip("\n").replace(" ", "\t")


# -------------------------------------------------------------------------------------------- curve


def test_gain_of_a_topic_as_csv(printed, book):
    # Gains 1 0 1 against 3 3 3: DCG(3) = 1 + 1/log2(3) = 1.6309..., ideal 3 + 3 + 3/log2(3).
    assert printed("curve", "gain", *book, "-t", "q1", "--depth", "3", "-o", "csv") == dedent(
        """\
        run,query_id,rank,gain,cg,dcg,ideal_cg,ideal_dcg,ncg,ndcg
        book,q1,1,1,1,1,3,3,0.3333333333,0.3333333333
        book,q1,2,0,1,1,6,6,0.1666666667,0.1666666667
        book,q1,3,1,2,1.630929754,9,7.892789261,0.2222222222,0.2066354111
        """
    )


def test_gain_takes_base_gains_and_ideal(printed, book):
    shown = printed(
        "curve",
        "gain",
        *book,
        "--depth",
        "2",
        "--base",
        "3",
        "--gains",
        "1=5,2=6,3=7",
        "--ideal",
        "retrieved",
    )
    # Mean gain 5/2, 0; ideals of the retrieved: 7 + 7 and 7 + 6; rank 2 is not discounted with base
    # 3.
    assert shown == tabs(
        """
        run rank gain cg dcg ideal_cg ideal_dcg ncg ndcg ended
        book 1 2.5 2.5 2.5 7 7 0.3571428571 0.3571428571 0
        book 2 0 2.5 2.5 13.5 13.5 0.1851851852 0.1851851852 0
        """
    )


def test_crp_by_topic(printed, tmp_path):
    example = load("crp-recovery")
    files = (
        write_qrels(tmp_path / "q", example.qrels),
        write_run(tmp_path / "r", example.runs["run"]),
    )
    assert printed("curve", "crp", *files, "-t", "one-later") == tabs(
        """
        run query_id rank rp crp worst share recall_base balance turn_around
        r one-later 1 -1 -1 -1 -1 1 3 1
        r one-later 2 0 -1 -1 -1 1 3 1
        r one-later 3 2 1 -1 1 1 3 1
        """
    )
    # A balance point that is never reached is an empty cell.
    never = printed("curve", "crp", *files, "-t", "unanswered").splitlines()[1]
    assert never.split("\t")[-2:] == ["", "2"]  # two relevant: -2, -3


def test_crp_over_topics(printed, pair):
    shown = printed("curve", "crp", *pair[:2], "--depth", "2")
    # Topics 1 to 3 are ideal; 4 has c b: -2, -2; 5 is not answered: -2, -3. Worst -2, -3.
    assert shown == tabs(
        """
        run rank rp crp crp_low crp_high share share_low share_high worst recall_base recovered crp_median share_median worst_median ended exhausted
        new 1 -0.8 -0.8 -2 0 -0.2666666667 -0.6666666667 0 -2 2 0 0 0 -2 0 0.2
        new 2 -0.2 -1 -2 0 -0.3333333333 -0.6666666667 0 -3 2 0.6 0 0 -3 0 0.2
        """
    )


def test_npref_says_which_scale_it_took(printed, book):
    printed("curve", "npref", *book, "--partitions", "2", remark="max_rel was not given; 3 is used")
    # Of all topics, also when one is shown.
    printed("curve", "npref", *book, "-t", "q2", remark="max_rel was not given; 3 is used")


def test_histogram_and_summary(printed, pair):
    assert printed("curve", "histogram", *pair) == tabs(
        """
        run query_id value baseline difference
        new 1 1 0.5 0.5
        new 2 1 0.5 0.5
        new 3 1 1 0
        new 4 0.5 1 -0.5
        new 5 0 0 0
        """
    )
    assert printed("curve", "summary", *pair) == tabs(
        """
        run num_q num_ret num_rel num_rel_ret
        new 5 11 10 7
        old 5 7 10 6
        """
    )


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (
            ("curve", "pr", "{q}", "{r}", "--rel", "0"),
            2,
            "'--rel': '0': expected a number above 0",
        ),
        (
            ("curve", "pr", "{q}", "{r}", "-t", "q9"),
            1,
            "the qrels have no topic 'q9' (the first are 'q1', 'q2'",
        ),
        (("curve", "crp", "{q}", "nowhere.run"), 1, "nowhere.run: no such file"),
        (("curve", "gain", "{q}", "{r}", "--gains", "3"), 2, "expected gains such as 1=1,2=3,3=7"),
        (("curve", "npref", "{q}", "{r}", "--partitions", "2,x"), 2, "expected whole numbers"),
        (("curve", "histogram", "{q}", "{r}"), 2, "expected two runs after the qrels, got 1"),
        (
            ("curve", "histogram", "{q}", "{r}", "{q}", "-m", "AP", "--rel", "2"),
            2,
            "--rel does not apply to a measure",
        ),
        (("curve", "crpp", "{q}", "{r}"), 2, "unknown command 'crpp'; did you mean 'crp'?"),
        (("compare", "{q}", "{r}", "{r}", "AP"), 2, "is given twice, expected different runs"),
        (
            (
                *("leaderboard", "{q}", "{r}", "AP", "--pairs", "none"),
                *("--highlight", "x", "-f", "f.png"),
            ),
            2,
            "'--highlight': 'x' is not one of book",
        ),
        (("plot", "pr", "{q}", "{r}", "-f", "figure.jpg"), 2, "must end in .png, .pdf or .svg"),
        (
            ("plot", "pr", "{q}", "{r}", "-f", "f.png", "--size", "4"),
            2,
            "expected a size in inches such as 4.4x3.2",
        ),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(refused, book, arguments, status, message):
    found, text = refused(*(argument.format(q=book[0], r=book[1]) for argument in arguments))
    assert found == status
    assert message in text.splitlines()[-1]


# ------------------------------------------------------------------------------------------ compare


def test_compare(printed, whole):
    # Differences -1/2 -1/2 0 0 1/2: mean -.1, variance .7 / 4 = .175, t = -.1 / sqrt(.175 / 5) =
    # -.5345 with 4 degrees of freedom. The interval is -.1 -+ 2.7764 sqrt(.175 / 5).
    assert printed("compare", *whole, "Rprec", "-q") == dedent(
        """
        Rprec: old (0.6000) and new (0.7000) are not shown to differ: -0.1000 (95 % interval -0.6194 to \
+0.4194, p = 0.6213, 5 topics).

        measure     new     old  difference      low     high       p  wins  losses  equal
        Rprec    0.7000  0.6000     -0.1000  -0.6194  +0.4194  0.6213     1       2      2
        difference: old minus new; low, high: its 95 % interval
        wins, losses, equal: topics on which old is better, worse or the same
        test: paired t-test, 5 topics; family: one pair of runs, by measure; family-wise level 5 %

        Rprec
        topic     new     old  difference
        4      0.5000  1.0000      0.5000
        3      1.0000  1.0000      0.0000
        5      0.0000  0.0000      0.0000
        1      1.0000  0.5000     -0.5000
        2      1.0000  0.5000     -0.5000
        """
    ).lstrip("\n")


def test_compare_by_other_measures(printed, whole):
    shown = printed("compare", *whole, "EMeasure@2", "P@1")
    assert shown.startswith("EMeasure@2 (lower is better): old (0.4000) and new (0.3000) ")
    # E is 1 - 2 found / (2 + 2), so its differences are those of R-precision with the other sign.
    assert re.search(
        r"^EMeasure@2  0.3000  0.4000 +\+0.1000  -0.4194  \+0.6194  0.6213 +1 +2 +2$", shown, re.M
    )
    # First documents: a a a c - against a c a b -: differences 0 -1 0 1 0, 2.7764 sqrt(.5 / 5).
    numbers = r"^P@1 +0.6000  0.6000 +\+0.0000  -0.8780  \+0.8780  1.0000 +1 +1 +3$"
    assert re.search(numbers, shown, re.M)


def test_two_files_of_the_same_name_keep_their_paths(printed, whole, tmp_path):
    (tmp_path / "other").mkdir()
    other = write_run(tmp_path / "other" / "new.run", WHOLE | {"5": {"c": 1.0}})
    shown = printed("compare", whole[0], whole[1], other, "Rprec")
    assert shown.startswith(f"Rprec: {other} (0.6000) and {whole[1]} (0.7000) ")


# --------------------------------------------------------------------------------------------- plot

PLOTS = [
    ("sketch", "-t", "1"),
    ("crp", "--ranks"),
    ("npref", "RPref(max_rel=1)"),
    ("pr", "--title", "ours"),
    ("gain", "--quantity", "ndcg", "--base", "10"),
    ("histogram",),
    ("strip", "QMeasure"),
    ("scatter", "AP", "RR"),
]


BEGINS = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}


@pytest.mark.parametrize("arguments", PLOTS, ids=[p[0] for p in PLOTS])
def test_plot_writes_the_picture_and_names_of_runs_are_text(printed, tmp_path, arguments):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    kind, *options = arguments
    qrels = write_qrels(tmp_path / "pair.qrels", PAIR_QRELS)
    runs = [
        write_run(tmp_path / name, run)
        for name, run in (("a$b$c^_{.run", BETTER), ("$x.run", WORSE))
    ]
    # Each ending has a canvas of its own, which draws all kinds alike.
    for ending, begins in BEGINS.items() if kind == "pr" else [("png", BEGINS["png"])]:
        out = tmp_path / f"figure.{ending}"
        given = runs[:1] if kind == "sketch" else runs
        assert (
            printed(
                "plot", kind, qrels, *given, *options, "-f", out, "--size", "3x2", "--dpi", "50"
            )
            == ""
        )
        assert out.read_bytes().startswith(begins)
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize("ending", BEGINS)
def test_a_leaderboard_is_drawn_to_a_picture(printed, refused, pair, tmp_path, ending):
    pytest.importorskip("matplotlib.pyplot").switch_backend("Agg")
    out = tmp_path / f"board.{ending}"
    assert printed("leaderboard", *pair, "RR", "--pairs", "holm", "--size", "3x2", "-f", out) == ""
    assert out.read_bytes().startswith(BEGINS[ending])
    assert refused("leaderboard", *pair, "RR", "AP", "-f", out)[0] == 2


@pytest.mark.parametrize("form", ["png", "pdf", "svg"])
def test_a_picture_that_cannot_be_written_leaves_nothing(
    form, refused, pair, tmp_path, monkeypatch
):
    pytest.importorskip("matplotlib.figure")

    def full(self, data):
        self.touch()
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(Path, "write_bytes", full)
    out = tmp_path / "out" / f"figure.{form}"
    out.parent.mkdir()
    assert refused("plot", "pr", *pair, "-f", out) == (1, f"irpref: {out}: full\n")
    assert list(out.parent.iterdir()) == []
