"""Many files evaluated by several processes: the same output, whatever happens to one of them."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are forked on Linux only")

# A fresh interpreter, in which nothing has been imported that forbids to fork, and files are large at once.
START = """
import os, sys
from irpref.cli import main
from irpref.judged import processes
processes.LEAST = 1
before = os.getpid()
"""


@pytest.fixture(scope="module")
def track(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgments and nine runs, the fifth of which is broken."""
    folder = tmp_path_factory.mktemp("track")
    (folder / "qrels").write_text("".join(f"{q} 0 d{i} {(i * q) % 3}\n" for q in range(9) for i in range(12)))
    for n in range(9):
        rows = [f"{q} Q0 d{(i * 7 + n) % 15} 1 {(i * n) % 5} t\n" for q in range(n % 2, 9) for i in range(9)]
        (folder / f"run{n}").write_text("".join(rows) if n != 4 else "1 Q0 a\n")
    return folder


def run(folder: Path, code: str = "", *options: str, begin: str = START) -> tuple[int, str, str]:
    arguments = ["eval", "qrels", *(f"run{n}" for n in range(9)), "AP", "RPref", "nDCG@3", *options]
    code = f"{begin}\n{textwrap.dedent(code)}\nsys.exit(main({arguments!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=100)
    return done.returncode, done.stdout, done.stderr


# Tells on standard output which processes there are.
TELL = """
fork = os.fork
def told():
    process = fork()
    if process:
        print("forked", flush=True)
    return process
os.fork = told
"""


@pytest.mark.parametrize("options", [(), ("-q", "-o", "jsonl"), ("--baseline", "run1", "-o", "csv")])
def test_processes_print_what_one_prints(track: Path, options: tuple[str, ...]) -> None:
    alone = run(track, TELL, *options, "--jobs", "1")
    several = run(track, TELL, *options, "--jobs", "3")
    assert several == (1, "forked\nforked\n" + alone[1], alone[2])
    # One scale for all, said once; the run that cannot be read by its name; topics that a run lacks.
    assert alone[2].count("max_rel is not given") == 1
    assert "irpref: run4, line 1: 3 fields" in alone[2]
    assert alone[2].count("no documents for 1 of 9 topics, first '0'; they count as empty rankings (3 more runs") == 1


def test_what_a_process_leaves_undone_is_done_by_the_first(track: Path) -> None:
    dying = """
    from irpref.cli import scoring
    score = scoring.Scorer.score
    def once(self, path, *more):
        if os.getpid() != before and path == "run2":
            os.kill(os.getpid(), 9)
        if os.getpid() == before and path != "run2":
            import time
            time.sleep(0.2)  # the other one comes first
        return score(self, path, *more)
    scoring.Scorer.score = once
    """
    assert run(track, dying, "--jobs", "2") == run(track, "", "--jobs", "1")


def test_a_mistake_of_ours_is_not_hidden_by_a_process(track: Path) -> None:
    wrong = """
    from irpref.cli import scoring
    def fail(self, path, *more):
        raise LookupError("a bug")
    scoring.Scorer.score = fail
    """
    status, out, err = run(track, wrong, "--jobs", "2")
    assert (status, out) == (1, "")
    assert "LookupError: a bug" in err


def test_what_cannot_be_prepared_is_told_once(track: Path) -> None:
    status, out, err = run(track, "", "Coverage", "--jobs", "3")
    assert (status, out) == (1, "")
    assert err.startswith("irpref: Coverage needs the column 'known' of the qrels")
    assert err.count("Coverage") == 1


def test_no_process_is_left_behind_where_the_reader_goes_away(track: Path) -> None:
    code = START + 'sys.exit(main(["eval", "qrels", *(f"run{n}" for n in range(9)), "AP", "-q", "-o", "tsv"]))'
    command = f"{sys.executable} -c '{code}' 2>/dev/null | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=track, capture_output=True, text=True, timeout=100)
    assert done.stdout.splitlines()[-1] in ("141", "1")  # all may be written before the reader goes
    assert len(done.stdout.splitlines()) == 2


def test_there_are_threads_where_a_fork_would_be_unsafe(track: Path) -> None:
    why = "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()"
    assert "forked" not in run(track, why + "\n" + TELL, "--jobs", "3")[1]


def test_standard_input_and_few_bytes_need_no_processes(track: Path) -> None:
    from irpref.judged.processes import LEAST, n_processes

    names = [os.fspath(track / f"run{n}") for n in range(3)]
    assert n_processes(names) == n_processes(["-"]) == n_processes([]) == 1
    assert (
        run(track, TELL, "--jobs", "3", begin=START.replace("processes.LEAST = 1", f"processes.LEAST = {LEAST}"))[0]
        == 1
    )


def test_judgments_from_a_pipe_are_read_once(track: Path) -> None:
    code = START + TELL + 'sys.exit(main(["eval", "-", "run1", "run2", "run3", "AP", "--jobs", "2"]))'
    command = [sys.executable, "-c", code]
    qrels = (track / "qrels").read_text()
    done = subprocess.run(command, cwd=track, input=qrels, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0
    assert done.stdout.startswith("run ")


def test_processes_are_as_many_as_files_and_jobs_are_worth(track: Path) -> None:
    code = """
    import os, threading, time
    from irpref.judged import processes
    names = [f"run{n}" for n in range(5)]
    assert processes.n_processes(names, jobs=3) == 1
    processes.LEAST = 1
    assert processes.n_processes(names, jobs=3) == processes.n_processes(names[:3], jobs=9) == 3
    assert processes.n_processes(names, ["qrels", None, "no such file"], jobs=3) == 3
    assert processes.n_processes([*names, "no such file"], jobs=3) == 1
    with processes.processes(lambda: len, names, jobs=2) as some:
        assert [done.value for done in some.each(len)] == [4] * 5
    while threading.active_count() > 1:  # who listened to the others
        time.sleep(0.01)
    assert processes.n_processes(names * 4000, jobs=3) == 1
    processes.LARGEST = 10
    assert processes.n_processes(names, jobs=3) == 1
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, timeout=100, cwd=track)


# Processes without a command: `told` is a file with a byte for each file worked on, by whomever.
ALONE = """
import os, threading, time
from irpref.judged import processes
paths = [str(i) for i in range(40)]
first = os.getpid()
told = os.open("told", os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_APPEND)
def work(path):
    os.write(told, b".")
    time.sleep(0.01)
    return os.getpid()
"""


@pytest.mark.parametrize(
    "code",
    {
        "each file is worked on once, by all, and nothing stays open": """
        before = os.listdir("/proc/self/fd")
        some = processes.Processes(paths)
        some.start(1, lambda: work)
        found = [done.value for done in some.each(work)]
        some.close()
        assert len(set(found)) == 2 and os.path.getsize("told") == len(paths)
        while threading.active_count() > 1:
            time.sleep(0.01)
        assert len(os.listdir("/proc/self/fd")) == len(before)
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            sys.exit()
        raise AssertionError("a process is left")
        """,
        "work that nobody waits for is not done": """
        some = processes.Processes(paths)
        some.start(1, lambda: work)
        some.close()
        assert os.path.getsize("told") < len(paths)
        """,
    }.items(),
    ids=lambda item: item[0],
)
def test_of_processes(code: tuple[str, str], tmp_path: Path) -> None:
    program = f"import sys\n{ALONE}\n{textwrap.dedent(code[1])}"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=20, cwd=tmp_path)


# Results fill the pipe many times over; who does a thing that is waited for says so in a file of its name.
FULL = """
import os, time
from irpref.cli import scoring
score = scoring.Scorer.score
ready = scoring.Scorer.__init__
def large(self, path, *more):
    found = score(self, path, *more)
    found.lines = [("0", "AP", float(i)) for i in range(100_000)]
    os.close(os.open("child" if os.getpid() != before else "parent", os.O_CREAT))
    return found
scoring.Scorer.score = large
"""
PREPARING = """
def slow(self, *args, **options):
    ready(self, *args, **options)
    if os.getpid() == before:
        until("child")
        {then}
def until(name):
    while not os.path.exists(name):
        time.sleep(0.01)
    time.sleep(0.2)  # it goes on until the pipe is full
scoring.Scorer.__init__ = slow
"""
WAIT = """open("ready", "w").close(); time.sleep(60)"""
CHILDREN_WAIT = """
waiting = large
def large(self, path, *more):
    if os.getpid() != before:
        open("ready", "w").close()
        time.sleep(60)
    return waiting(self, path, *more)
scoring.Scorer.score = large
"""


@pytest.fixture
def fresh(track: Path) -> Path:
    for name in ("ready", "child", "parent"):
        (track / name).unlink(missing_ok=True)
    return track


@pytest.mark.parametrize("whole_group", [False, True])
@pytest.mark.parametrize(
    "code",
    [FULL + PREPARING.format(then=WAIT), FULL + CHILDREN_WAIT, FULL + CHILDREN_WAIT + PREPARING.format(then=WAIT)],
    ids=["while it prepares, with full pipes", "while it waits for another", "while all wait"],
)
def test_an_interrupt_ends_all_processes_within_a_second(fresh: Path, code: str, whole_group: bool) -> None:
    if "until" in code and CHILDREN_WAIT in code:
        code = code.replace('until("child")', "")
    arguments = ["eval", "qrels", *(f"run{n}" for n in range(9)), "AP", "RPref", "--jobs", "3"]
    command = [sys.executable, "-c", f"{START}\n{code}\nsys.exit(main({arguments!r}))"]
    took = []
    while not took or (took[-1] >= 1 and len(took) < 4):  # other work on the machine may have made it late
        for name in ("ready", "child", "parent"):
            (fresh / name).unlink(missing_ok=True)
        took.append(_interrupted(command, fresh, whole_group))
    assert took[-1] < 1


def _interrupted(command: list[str], folder: Path, whole_group: bool) -> float:
    """Seconds from the interrupt to the end of all processes: all have the same standard output."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as process:
        try:
            deadline = time.monotonic() + 60
            while not (folder / "ready").exists():
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.01)
            begin = time.monotonic()
            (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=10)
            seconds = time.monotonic() - begin
        finally:
            process.kill()
    assert (process.returncode, out, err.splitlines()[-1]) == (130, "", "irpref: interrupted")
    return seconds


def test_an_error_while_full_pipes_wait_is_told_at_once(fresh: Path) -> None:
    code = FULL + PREPARING.format(then='raise ValueError("something is wrong")')
    begin = time.monotonic()
    status, out, err = run(fresh, code, "--jobs", "3")
    assert (status, out) == (1, "")
    assert err.splitlines()[-1] == "irpref: something is wrong"
    assert time.monotonic() - begin < 10


def test_a_process_that_is_told_to_end_changes_nothing(track: Path) -> None:
    def dying(how: str) -> str:
        return f"""
        from irpref.cli import scoring
        score = scoring.Scorer.score
        def once(self, path, *more):
            if os.getpid() != before and path in ("run2", "run3"):
                {how}
            return score(self, path, *more)
        scoring.Scorer.score = once
        """

    alone = run(track, "", "--jobs", "1")
    for how in ("os.kill(os.getpid(), 2)", "os.kill(os.getpid(), 15)", "raise MemoryError", "os.close(1)"):
        assert run(track, dying(how), "--jobs", "3") == alone
