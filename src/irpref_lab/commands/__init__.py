"""The commands of the lab, which join `irpref` as any package's may."""

from irpref.cli.command import Section

# Each command is the function of this name in the module of this name.
_COMMANDS = {
    "demo": "try irpref on real runs that come with it",
    "compare": "is B better than A? one sentence with an interval",
    "gate": "may this change ship? for CI: pass, block, or cannot tell",
    "against": "do runs differ from a baseline? a table with tests",
    "leaderboard": "rank runs: means, intervals, significant differences",
    "plot": "draw curves, or values by topic, as png, pdf or svg",
    "report": "write an evaluation as one HTML page that works offline",
    "check": "find problems in judgments and runs before you trust a value",
    "verify": "recompute a published table, and say why its figures differ",
    "intervals": "how much ties, unjudged documents or topics can change a value",
    "fill": "fill in an LLM judge's grades where no human judged",
    "judge": "combine human judgments of some topics with a judge's of all",
    "sample": "choose what humans must judge to learn which run is better",
    "meta": "test measures on your data: stability, power, robustness",
}
SECTION = Section(
    "The lab (decisions, trust, judges)",
    {name: (f"irpref_lab.commands.{name}:{name}", help) for name, help in _COMMANDS.items()},
)
