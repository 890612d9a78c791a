"""`irpref gate`: may this change ship?"""

from __future__ import annotations

from typing import Any

from irpref.cli import options
from irpref.cli.arguments import Inputs
from irpref.cli.command import OK, USAGE, command
from irpref.cli.output import Output
from irpref.cli.say import say
from irpref.errors import ArgumentError
from irpref.lab.commands import lab_options
from irpref.messages import p_value, whole_files
from irpref.show.text import of_frame, rounded
from irpref.values.thresholds import threshold_of, thresholds_on

STATUS = {"pass": OK, "block": 1, "inconclusive": 3}
_COUNTS = ("missing_baseline", "missing_candidate")


@command(
    "gate",
    error_status=USAGE,  # 1 is a verdict
    epilog="""\b
Examples:
  irpref gate qrels.txt main.run candidate.run nDCG@10 --margin 0.01
  irpref gate qrels.txt main.run candidate.run nDCG@10 -o jsonl \\
    --expect-qrels 6e414d0cb16048d2

Exit status: 0 passed, 1 blocked, 3 cannot tell, 2 an error, 130 interrupted.""",
)
@options.inputs("BASELINE CANDIDATE MEASURE...")
@options.option(
    "--margin", type=float, default=0.02, show_default=True, help="smallest loss that matters"
)
@options.option(
    "--expect-qrels",
    metavar="HASH",
    help="fail if the judgments changed; each run of the command prints their hash",
)
@options.option(
    "--expect", metavar="HASH", help="fail if the judgments, the judge or the groups changed"
)
@options.option(
    "--missing",
    type=float,
    default=0.05,
    show_default=True,
    help="share of the topics that the baseline may lack",
)
@options.option(
    "--depth", type=int, metavar="K", help="only the first K documents of each topic count"
)
@options.option("--groups", metavar="FILE", help="also block a change that is worse in a group")
@options.topics
@options.option(
    "--level",
    type=float,
    default=0.95,
    show_default=True,
    help="confidence of each one-sided bound",
)
@lab_options.judge
@lab_options.sample
@options.reading
@options.ranking
@options.writing
def gate(
    given: Inputs,
    out: Output,
    margin: float,
    expect_qrels: str | None,
    expect: str | None,
    missing: float,
    depth: int | None,
    groups: str | None,
    level: float,
    judge: tuple[str, ...],
    plan: str | None,
) -> int:
    """Decide in CI whether a change may ship: compare a candidate run with a baseline.

    At confidence --level, it passes if every measure lost less than --margin, and is blocked if any
    measure got worse, over all topics or in a group of --groups. Otherwise it cannot tell: there
    are too few topics, and the summary estimates how many you need, or too much is missing, and it
    says what.
    """
    from irpref import lab

    with whole_files():
        qrels, runs = lab_options.read(given, judge, plan)
    how = lab_options.some(depth=depth, groups=groups)
    how |= {"margin": margin, "level": level, "missing": missing}
    decision = lab.gate(given.measures, qrels, *runs.values(), **how)
    if expect_qrels not in (None, decision.qrels):
        raise ArgumentError(
            f"{given.qrels}: the judgments have changed: expected {expect_qrels}, "
            f"got {decision.qrels}",
            parameter="expect_qrels",
            value=expect_qrels,
        )
    if expect not in (None, decision.inputs):
        raise ArgumentError(
            f"the inputs have changed: expected {expect}, got {decision.inputs}",
            parameter="expect",
            value=expect,
        )
    if out.for_programs:
        say(decision.text)
    table = of_frame(_shown(decision), rounded(), shows={"p": p_value}, title=decision.text)
    table.notes = [
        f"difference: candidate minus baseline{_turned(decision)}",
        f"low, high: one-sided bounds at {100 * level:g} %, paired t"
        + (f"; high shares the level among {len(decision)} rows" if len(decision) > 1 else ""),
        "worse: high is below 0, and the sign-flip test agrees (p is two-sided; half of it counts)",
        *([] if plan else _notes(decision, bool(judge))),
        *decision.notes,
        *thresholds_on(given.measures, qrels),
        f"qrels: {decision.qrels}",
        *([f"inputs: {decision.inputs}"] if decision.inputs != decision.qrels else []),
    ]
    whole = {"qrels": decision.qrels, "inputs": decision.inputs, "version": decision.version}
    rel = {str(measure): threshold_of(measure) for measure in given.measures}
    whole["rel"] = [rel.get(name) for name in decision["measure"]]
    out.show(table, of_frame(decision.assign(gate=decision.verdict, **whole), str))
    return STATUS[decision.verdict]


def _shown(decision: Any) -> Any:
    """The columns that say something: what is the same for all measures is in the notes."""
    drop = [*_COUNTS, "unjudged_baseline", "unjudged_candidate", "could_turn", "reason"]
    drop += [name for name in ("by_judge_baseline", "by_judge_candidate") if name in decision]
    drop += [] if decision["baseline"].notna().any() else ["baseline", "candidate"]
    drop += [] if "group" in decision else ["topics"]
    drop += [] if decision["left_out"].any() else ["left_out"]
    drop += [] if (decision["codes"] != "").any() else ["codes"]
    shown = decision.drop(columns=drop)
    if "group" in shown:
        shown["group"] = shown["group"].fillna("all")
    return shown.drop(columns="topics_needed") if shown["topics_needed"].isna().all() else shown


def _turned(decision: Any) -> str:
    from irpref.values.matrix import higher_is_better

    lower = [name for name in dict.fromkeys(decision["measure"]) if not higher_is_better(name)]
    return f" (turned round for {', '.join(lower)}, for which lower is better)" if lower else ""


def _notes(decision: Any, filled: bool) -> list[str]:
    first = decision.iloc[0]
    notes = []
    if first[list(_COUNTS)].any():
        notes.append(
            f"topics without documents: baseline {first[_COUNTS[0]]}, which are left out; "
            f"candidate {first[_COUNTS[1]]}, which count as empty rankings"
        )
    shares = [f"{100 * first[name]:.1f} %" for name in ("unjudged_baseline", "unjudged_candidate")]
    turning = decision.loc[decision["could_turn"].fillna(False), "measure"].tolist()
    unknown = decision.loc[decision["could_turn"].isna(), "measure"].tolist()
    turn = f"judging them could change the verdict of {', '.join(turning)}" if turning else ""
    open_ = (
        f"whether judging them could change the verdict is not known for {', '.join(unknown)}"
        if unknown
        else ""
    )
    turned = "; ".join(filter(None, [turn, open_])) or "judging them could not change the verdict"
    what = "graded by neither humans nor the judge" if filled else "unjudged"
    notes.append(f"{what} in the first ten: baseline {shares[0]}, candidate {shares[1]}; {turned}")
    return notes
