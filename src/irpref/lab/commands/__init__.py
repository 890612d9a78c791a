"""The commands of the lab, which join `irpref` as those of any package may."""

from irpref.cli.command import Section

SECTION = Section(
    "The lab (decisions, trust, judges)",
    {
        "demo": ("irpref.lab.commands.demo:demo", "try irpref on real runs that come with it"),
        "compare": (
            "irpref.lab.commands.compare:compare",
            "is B better than A? one sentence with an interval",
        ),
        "gate": (
            "irpref.lab.commands.gate:gate",
            "may this change ship? for CI: pass, block, or cannot tell",
        ),
        "against": (
            "irpref.lab.commands.against:against",
            "do runs differ from a baseline? a table with tests",
        ),
        "leaderboard": (
            "irpref.lab.commands.leaderboard:leaderboard",
            "rank runs: means, intervals, significant differences",
        ),
        "prefer": (
            "irpref.lab.commands.prefer:prefer",
            "compare rankings directly, without a measure",
        ),
        "report": (
            "irpref.lab.commands.report:report",
            "write an evaluation as one HTML page that works offline",
        ),
        "check": (
            "irpref.lab.commands.check:check",
            "find problems in judgments and runs before you trust a value",
        ),
        "intervals": (
            "irpref.lab.commands.intervals:intervals",
            "how much ties, unjudged documents or topics can change a value",
        ),
        "fill": (
            "irpref.lab.commands.fill:fill",
            "fill in an LLM judge's grades where no human judged",
        ),
        "judge": (
            "irpref.lab.commands.judge:judge",
            "combine human judgments of some topics with a judge's of all",
        ),
        "sample": (
            "irpref.lab.commands.sample:sample",
            "choose what humans must judge to learn which run is better",
        ),
        "meta": (
            "irpref.lab.commands.meta:meta",
            "test measures on your data: stability, power, robustness",
        ),
    },
)
