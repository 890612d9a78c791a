"""The step of action.yml: run `irpref gate`, and tell the runner and the pull request what it says.

Inputs come as variables `GATE_NAME`. A verdict has its exit status and a table; whatever else
happens is an error, and an error fails the job.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import subprocess
import sys
import traceback
from collections.abc import Mapping
from typing import NamedTuple

OPTIONS = ("margin", "missing", "reference", "groups", "format", "columns", "labels")
NEEDED = ("margin", "missing")  # passed on even if empty, which the command refuses
# Inputs that name a file, and what it holds.
FILES = {
    "qrels": "a file of judgments or the id of a data set of ir_datasets",
    "baseline": "a run file",
    "candidate": "a run file",
}
VERDICTS = {0: "pass", 1: "block", 3: "inconclusive"}
SAID = {
    "pass": "the change may ship",
    "block": "blocked: the change is worse",
    "inconclusive": "inconclusive: the data cannot tell whether the change is worse",
    "error": "error: no verdict",
}
LONGEST = 60_000  # characters of a comment, of which GitHub takes 65,536


class Outcome(NamedTuple):
    """A verdict, the table that it rests on, and what else was said."""

    verdict: str
    table: str
    notes: str

    @property
    def sentence(self) -> str:
        """The first line of the table, or the error."""
        lines = [*self.table.splitlines()[:1], *self.notes.splitlines()[-1:]]
        return lines[0].removeprefix("irpref: ") if lines else SAID[self.verdict]

    def markdown(self) -> str:
        """Return the summary of the job, which is the comment, too."""
        notes = "".join(f"    {line}\n" for line in self.notes.splitlines())
        parts = [f"## irpref gate: {SAID[self.verdict]}", self.table.strip(), notes]
        return "\n\n".join(filter(None, parts)).rstrip() + "\n"


def measures(text: str) -> list[str]:
    """Split at blanks, but not at those between brackets."""
    return re.findall(r"(?:\([^)]*\)?|[^\s(])+", text)


def arguments(given: Mapping[str, str]) -> list[str]:
    """Return the words of `irpref gate`."""
    options = [f"--{name}={given[name]}" for name in OPTIONS if given[name] or name in NEEDED]
    files = [given["qrels"], given["baseline"], given["candidate"]]
    # What follows -- is never an option: a file called --help is not a question for help.
    return [*options, "--output=markdown", "--", *files, *measures(given["measures"])]


def flag(name: str, text: str) -> bool:
    """Read an input that is true or false.

    Raises
    ------
    ValueError
        It is neither.
    """
    if text.strip().lower() not in ("true", "false"):
        raise ValueError(f"input `{name}`: {text!r}: expected true or false")
    return text.strip().lower() == "true"


def unusable(given: Mapping[str, str]) -> str:
    """Return a sentence on the first input that is empty or a run that is no file."""
    for name, what in FILES.items():
        if not given[name].strip():
            return f"input `{name}`: empty, expected {what}"
    for name in ("baseline", "candidate", "reference"):
        if (name != "reference" or given[name]) and not os.path.exists(given[name]):
            return f"input `{name}`: {given[name]}: no such file"
    return ""


def in_inputs(text: str, given: Mapping[str, str]) -> str:
    """Word a message of the command for somebody who knows the action's inputs, not its options."""
    names = "|".join(OPTIONS)
    text = re.sub(rf"invalid value for '--({names})'", r"input `\1`", text)
    text = re.sub(rf"--({names})[ =]('[^']*'|[^\s;)]*[^\s;),:.])", r"`\1: \2`", text)
    text = re.sub(rf"--({names})\b", r"`\1`", text)
    text = re.sub(
        rf"^(irpref: )?({names})(?:=(?=\S+ is not)|: )", r"\1input `\2`: ", text, flags=re.M
    )
    text = re.sub(rf"(input `({names})`: )\2: ", r"\1", text)
    asked = (
        r"no measure given|unknown measure|\S.* is (neither a file nor|not written like) a measure"
    )
    text = re.sub(rf"^(irpref: )(?={asked})", r"\1input `measures`: ", text, flags=re.M)
    files = [given[name] for name in FILES]
    for name, file in zip(FILES, files, strict=True):
        if files.count(file) == 1:
            words = rf"^(irpref: )(?={re.escape(file)}[ :,])"
            text = re.sub(words, rf"\1input `{name}`: ", text, flags=re.M)
    order = r"judgments come before runs: irpref gate [A-Z. ]+"
    text = re.sub(order, "judgments belong in `qrels`, runs in `baseline` and `candidate`", text)
    return text.replace(" (see irpref gate --help)", "")


def gated(given: Mapping[str, str]) -> Outcome:
    """Run the command."""
    if why := unusable(given):
        return Outcome("error", "", why)
    done = subprocess.run(
        [sys.executable, "-I", "-X", "utf8", "-m", "irpref", "gate", *arguments(given)],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
    )
    return outcome(done.returncode, done.stdout, in_inputs(done.stderr, given))


def outcome(status: int, table: str, notes: str) -> Outcome:
    """Return the verdict of a status; without a table there is none."""
    if status in VERDICTS and table.strip():
        return Outcome(VERDICTS[status], table, notes)
    return Outcome("error", "", notes or f"no verdict (exit status {status})\n")


def append(variable: str, text: str) -> None:
    """Add to a file of the runner."""
    with open(os.environ[variable], "a", encoding="utf-8") as file:
        file.write(text)


def annotate(level: str, text: str) -> None:
    """Print a line that the runner shows beside the change."""
    for character, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text = text.replace(character, code)
    print(f"::{level} title=irpref gate::{text}")


def comment(given: Mapping[str, str], text: str) -> None:
    """Write the comment on the pull request, or bring the one of an earlier run up to date."""
    with open(os.environ["GITHUB_EVENT_PATH"], encoding="utf-8") as file:
        number = json.load(file).get("pull_request", {}).get("number")
    if number is None:
        return
    # Gates of one pull request that compare other things have comments of their own.
    what = [given[name] for name in ("qrels", "baseline", "candidate", "measures")]
    key = hashlib.sha256("\n".join(what).encode()).hexdigest()[:16]
    mark = f"<!-- irpref gate {key} -->"
    place = f"repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    body = json.dumps({"body": f"{mark}\n{text[:LONGEST]}"})
    choose = f'.[] | select(.body | startswith("{mark}")) | .id'
    found = gh(given["token"], f"{place}/{number}/comments", "--paginate", "--jq", choose).split()
    if found:
        gh(
            given["token"],
            f"{place}/comments/{found[-1]}",
            *("--method", "PATCH", "--input", "-"),
            text=body,
        )
    else:
        gh(
            given["token"],
            f"{place}/{number}/comments",
            *("--method", "POST", "--input", "-"),
            text=body,
        )


def gh(token: str, *words: str, text: str = "") -> str:
    """Call GitHub's interface.

    Raises
    ------
    OSError, subprocess.CalledProcessError
        There is no `gh`, or it failed.
    """
    done = subprocess.run(
        ["gh", "api", *words],
        input=text,
        env={**os.environ, "GH_TOKEN": token},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


def report(given: Mapping[str, str], said: Outcome, allowed: bool) -> int:
    """Tell the runner, and return the exit status."""
    append("GITHUB_STEP_SUMMARY", said.markdown())
    append("GITHUB_OUTPUT", f"verdict={said.verdict}\n")
    # Names of files are printed: until the token, no line of them is a command to the runner.
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}\n{said.table}{said.notes}\n::{token}::")
    passes = said.verdict == "pass" or (said.verdict == "inconclusive" and allowed)
    level = "error" if not passes else "notice" if said.verdict == "pass" else "warning"
    annotate(level, said.sentence)
    if passes:
        return 0
    return {word: status for status, word in VERDICTS.items()}.get(said.verdict, 2)


def main() -> int:
    """Gate, report and comment."""
    given = {
        name.removeprefix("GATE_").lower(): os.environ.pop(name)
        for name in list(os.environ)
        if name.startswith("GATE_")
    }
    allowed = wanted = False
    try:
        allowed = flag("allow-inconclusive", given["allow_inconclusive"])
        wanted = flag("comment", given["comment"])
        said = gated(given)
    except (ValueError, OSError) as error:
        said = Outcome("error", "", f"{error}\n")
    status = report(given, said, allowed)
    if wanted:
        try:
            comment(given, said.markdown())
        except (OSError, subprocess.CalledProcessError) as error:
            why = getattr(error, "stderr", None) or str(error)
            annotate(
                "warning",
                "no comment was written; the job needs `permissions: pull-requests: write`, "
                f"which pull requests of forks do not have: {why.strip()}",
            )
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception:  # whose own status would be that of a block
        traceback.print_exc()
        sys.exit(2)
