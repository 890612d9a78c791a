"""`irpref gate`: may this change ship?"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from irpref.cli import options
from irpref.cli.arguments import Inputs
from irpref.cli.command import OK, USAGE, command
from irpref.cli.output import Output
from irpref.cli.parameter_types import COUNT
from irpref.cli.say import say
from irpref.errors import ArgumentError
from irpref.messages import whole_files
from irpref.observed import threshold_of
from irpref.show import of_frame
from irpref_lab.arguments import LEVEL, MARGIN
from irpref_lab.commands import lab_inputs, lab_options, value_options
from irpref_lab.commands.lab_types import LEVEL as A_LEVEL
from irpref_lab.commands.lab_types import MARGIN as A_MARGIN

STATUS = {"pass": OK, "block": 1, "inconclusive": 3}


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
@options.inputs("BASELINE CANDIDATE MEASURE...", build=value_options.runs_or_values)
@value_options.values
@options.option(
    "--margin", type=A_MARGIN, default=MARGIN, show_default=True, help="smallest loss that matters"
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
    "--reference",
    metavar="FILE",
    help="also block a loss against this run (or file of values), which stays the same from change "
    "to change, such as the last release's",
)
@lab_options.missing("the baseline may lack")
@options.option(
    "--depth", type=COUNT, metavar="K", help="only the first K documents of each topic count"
)
@options.groups_as("also block a change that is worse in a group")
@options.topics
@options.option(
    "--level",
    type=A_LEVEL,
    default=LEVEL,
    show_default=True,
    help="confidence of each one-sided bound",
)
@lab_options.repeats
@lab_options.judge
@lab_options.sample
@options.reading
@options.ranking
@options.writing
def gate(
    given: Inputs,
    out: Output,
    expect_qrels: str | None,
    expect: str | None,
    reference: str | None,
    judge: tuple[str, ...],
    plan: str | None,
    **how: Any,
) -> int:
    """Decide in CI whether a change may ship: compare a candidate run with a baseline.

    At confidence --level, the change passes if each measure is shown to have lost less than
    --margin. It is blocked if at least one measure is significantly worse: over all topics, in a
    group (--groups), or compared with --reference. Otherwise the gate cannot tell, because there
    are too few topics (it estimates how many would rule out such a loss) or because too much is
    missing.
    """
    import irpref
    import irpref_lab

    with whole_files():
        qrels, runs = lab_inputs.read(given, judge, plan)
        if isinstance(given, value_options.ValueInputs):
            how["reference"] = given.reference
        elif reference is not None:
            how["reference"] = irpref.run(reference, form=given.form)
    decision = irpref_lab.gate(given.measures, qrels, *runs.values(), **lab_options.some(**how))
    lab_options.say_grave(decision.grave)
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
    whole = {"qrels": decision.qrels, "inputs": decision.inputs, "version": decision.version}
    rel = {str(measure): threshold_of(measure) for measure in given.measures}
    whole["rel"] = [rel.get(name) for name in decision["measure"]]
    data = decision.assign(gate=decision.verdict, **whole)
    data = lab_options.with_sentences(data, defaultdict(lambda: decision.text), out)
    out.show(decision.tables(), of_frame(data, str))
    return STATUS[decision.verdict]
