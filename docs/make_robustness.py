# ruff: noqa: E501  (the lines of the page are as long as its sentences want)
"""Write docs/robustness.md from the results of examples/robustness_study.py.

    python docs/make_robustness.py            # writes docs/robustness.md
    python docs/make_robustness.py -          # prints it

Every number on the page is read from the files in docs/robustness/; statements that depend on them are checked, and
the script stops where the results no longer bear one out.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

HERE = Path(__file__).parent
OUT = HERE / "robustness.md"
RESULTS = HERE / "robustness"

COLLECTIONS = ("trec-covid-r3", "trec-covid-r1", "dl19-passage")
LEVELS = (90, 70, 50, 30, 20, 10, 5, 2, 1)
ZERO = ("rpref", "rpref relative")
INFINITY = ("rpref infinity", "rpref relative infinity")
NAMES = {
    "rpref": "rpref, absolute",
    "rpref relative": "rpref, relative",
    "rpref infinity": "rpref, absolute, infinity",
    "rpref relative infinity": "rpref, relative, infinity",
}


@dataclass(frozen=True)
class Results:
    """The files of one collection."""

    key: str

    def _table(self, name: str) -> pd.DataFrame:
        return pd.read_csv(RESULTS / self.key / name)

    @cached_property
    def settings(self) -> dict[str, Any]:
        return json.loads((RESULTS / self.key / "settings.json").read_text(encoding="utf-8"))

    @cached_property
    def measures(self) -> dict[str, str]:
        return dict(self._table("measures.csv").itertuples(index=False))

    @cached_property
    def robustness(self) -> pd.DataFrame:
        return self._table("robustness.csv").set_index(["measure", "level"]).sort_index()

    @cached_property
    def paired(self) -> pd.DataFrame:
        return self._table("paired.csv").set_index(["measure", "other", "level"]).sort_index()

    @cached_property
    def shallow(self) -> pd.DataFrame:
        return self._table("shallow.csv").set_index(["measure", "depth"]).sort_index()

    @cached_property
    def stability(self) -> pd.DataFrame:
        return self._table("stability.csv").set_index(["measure", "fuzziness"]).sort_index()

    @cached_property
    def sensitivity(self) -> pd.DataFrame:
        return self._table("sensitivity.csv").set_index("measure")

    @cached_property
    def agreement(self) -> pd.DataFrame:
        return self._table("agreement.csv").set_index("measure")

    def tau(self, measure: str, level: float) -> float:
        """Agreement of the measure's ranking with the one by all judgments."""
        return float(self.robustness.loc[(measure, level), "tau"])

    def mean(self, measure: str, level: float) -> float:
        """Mean value of the systems."""
        return float(self.robustness.loc[(measure, level), "mean"])

    def kept(self, measure: str, level: float) -> float:
        """Mean value at a level as a share of that by all judgments."""
        return self.mean(measure, level) / self.mean(measure, 100)


def claim(holds: Any, text: str) -> str:
    """The text, if the results bear it out."""
    if not holds:
        raise SystemExit(f"the results no longer bear this out: {text}")
    return text


def row(cells: Iterable[object]) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def grid(head: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """A table; the first column is text, the others are numbers."""
    names = list(head)
    return "\n".join([row(names), row(["---", *["--:"] * (len(names) - 1)]), *map(row, rows)])


def best(values: list[float], text: Callable[[float], str], highest: bool = True) -> list[str]:
    """Numbers as text, the best of them bold."""
    shown = [text(v) for v in values]
    top = text(max(values) if highest else min(values))
    return [f"**{s}**" if s == top else s for s in shown]


def name(measure: str) -> str:
    return NAMES.get(measure, measure)


def two(value: float) -> str:
    return f"{value:.2f}"


def three(value: float) -> str:
    return f"{value:.3f}"


def percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def between(values: Iterable[float], text: Callable[[float], str] = two) -> str:
    """Lowest and highest value in words."""
    values = list(values)
    low, high = text(min(values)), text(max(values))
    return low if low == high else f"{low} to {high}"


def collections(every: list[Results]) -> str:
    return grid(
        ["collection", "runs", "topics", "judgments", "by grade", "relevant from grade"],
        (
            [
                f"[{r.settings['name']}](#{anchor(r)})",
                r.settings["runs"],
                r.settings["topics"],
                f"{r.settings['judgments']:,}",
                ", ".join(f"{grade}: {n:,}" for grade, n in r.settings["grades"].items()),
                r.settings["rel"],
            ]
            for r in every
        ),
    )


def anchor(r: Results) -> str:
    return r.settings["name"].lower().replace(" ", "-")


def robustness(r: Results) -> str:
    """Tau by level, and tau_ap at 10 %."""
    columns = [best([r.tau(m, level) for m in r.measures], two) for level in LEVELS]
    columns.append(best([float(r.robustness.loc[(m, 10), "tau_ap"]) for m in r.measures], two))
    head = ["measure", *(f"{level} %" for level in LEVELS), "tau_ap, 10 %"]
    return grid(head, ([name(m), *cells] for m, *cells in zip(r.measures, *columns, strict=True)))


def sensitivity(r: Results) -> str:
    s, at = r.sensitivity, r.stability.xs(0.05, level="fuzziness")
    columns = [
        [percent(v) for v in at.loc[list(r.measures), "minority_rate"]],
        [percent(v) for v in at.loc[list(r.measures), "ties"]],
        [two(v) for v in s["swap_difference"]],
        best(list(s["sensitivity"]), percent),
        best(list(s["power"]), percent),
        [three(v) for v in s["bootstrap_difference"]],
    ]
    head = [
        "measure",
        "minority rate",
        "ties",
        "difference required (swap)",
        "sensitivity (swap)",
        "discriminative power",
        "difference required (bootstrap)",
    ]
    return grid(head, ([name(m), *cells] for m, *cells in zip(r.measures, *columns, strict=True)))


def means(every: list[Results]) -> str:
    head = ["measure"]
    for r in every:
        head += [f"{r.settings['name']}: all", "10 %", "1 %"]
    rows = []
    for m in every[0].measures:
        cells: list[object] = [name(m)]
        for r in every:
            cells += [three(r.mean(m, 100)), *(f"{100 * (r.kept(m, level) - 1):+.0f} %" for level in (10, 1))]
        rows.append(cells)
    return grid(head, rows)


def shallow(every: list[Results]) -> str:
    head = ["measure"]
    for r in every:
        head += [f"{r.settings['name']}: tau at 3", "10", "30", "new systems at 10"]
    columns = []
    for r in every:
        for depth in (3, 10, 30):
            columns.append(best([float(r.shallow.loc[(m, depth), "tau"]) for m in r.measures], two))
        columns.append([f"{100 * float(r.shallow.loc[(m, 10), 'gain']):+.1f}" for m in r.measures])
    return grid(head, ([name(m), *cells] for m, *cells in zip(every[0].measures, *columns, strict=True)))


def agreement(every: list[Results]) -> str:
    others = ("AP", "nDCG", "bpref", "recall")
    head = ["measure"]
    for r in every:
        head += [f"{r.settings['name']}: {others[0]}", *others[1:]]
    return grid(
        head,
        (
            [name(m), *(two(float(r.agreement.loc[m, other])) for r in every for other in others)]
            for m in every[0].measures
        ),
    )


def picture(r: Results, file: str, text: str) -> str:
    return f"![{text}, {r.settings['name']}](robustness/{r.key}/{file}.png)"


def in_short(every: list[Results]) -> list[str]:
    """The answer, in statements that are checked."""
    low = (20, 10, 5, 2, 1)

    def at(measure: str, level: float) -> str:
        return ", ".join(two(r.tau(measure, level)) for r in every)

    def gap(measure: str, other: str, levels: Iterable[float]) -> list[float]:
        return [r.tau(measure, level) - r.tau(other, level) for r in every for level in levels]

    order = ", ".join(r.settings["name"] for r in every)
    absolute_gap, relative_gap = gap("rpref", "bpref", LEVELS), gap("rpref relative", "bpref", LEVELS)
    condensed = [
        r.tau("rpref", level) - max(r.tau(m, level) for m in ("AP'", "nDCG'", "Q'")) for r in every for level in LEVELS
    ]
    shallow_gap = [
        float(r.shallow.loc[("rpref", d), "tau"] - r.shallow.loc[("rpref relative", d), "tau"])
        for r in every
        for d in (3, 10)
    ]
    return [
        claim(
            min(absolute_gap) > -0.02 and all(g > 0 for g in gap("rpref", "AP", low)),
            f"**Yes, for judgments that are missing at random.** With one judgment in ten left, rpref (absolute, the "
            f"default) still ranks systems with a tau of {at('rpref', 10)} to its full ranking ({order}); bpref has "
            f"{at('bpref', 10)}, AP {at('AP', 10)}. Over all levels shown below rpref is never more than "
            f"{three(-min(absolute_gap))} below bpref and up to {three(max(absolute_gap))} above: the robustness of bpref does "
            f"extend to rpref.",
        ),
        claim(
            max(relative_gap) < 0.1 and min(relative_gap) > -0.1 and min(relative_gap) < min(absolute_gap),
            f"**The relative norm is a little less robust to random loss than the absolute one** ({at('rpref relative', 10)} at 10 %; between "
            f"{three(-min(relative_gap))} below and {three(max(relative_gap))} above bpref).",
        ),
        claim(
            max(shallow_gap) < 0,
            f"**When judgments are missing because systems were not pooled, it is the other way round.** In pools of depth 3 "
            f"and 10 from half of the systems the relative norm keeps the ranking better than the absolute one in all three "
            f"collections (by {between((-g for g in shallow_gap), three)}).",
        ),
        claim(
            all(r.tau("rpref infinity", 1) < 0.35 for r in every)
            and all(r.tau("rpref infinity", 10) < r.tau("rpref", 10) - 0.1 for r in every)
            and all(r.tau("rpref relative infinity", 10) < r.tau("rpref relative", 10) - 0.05 for r in every)
            and all(r.agreement.loc["rpref infinity", "AP"] < 0 for r in every[:2]),
            f"**The literal reading of the paper is not robust at all.** If judged documents that were not retrieved stay in "
            f"the sum (`unretrieved='infinity'`), tau at 10 % is {at('rpref infinity', 10)}, at 1 % "
            f"{at('rpref infinity', 1)}; with the relative norm it is {at('rpref relative infinity', 10)} at 10 %. In both rounds of "
            f"TREC-COVID the absolute norm read this way contradicts the other measures even with all judgments (tau with AP "
            f"{', '.join(two(float(r.agreement.loc['rpref infinity', 'AP'])) for r in every[:2])}).",
        ),
        claim(
            max(map(abs, condensed)) < 0.1,
            f"**Condensed lists do about as well.** Against the best of AP', nDCG' and Q', absolute rpref is between "
            f"{three(-min(condensed))} below and {three(max(condensed))} above, depending on level and collection. What "
            f"helps is to leave unjudged documents out; preferences are one way to do so.",
        ),
        claim(
            all(r.tau("recall", 10) > 0.8 for r in every)
            and all(r.agreement.loc["rpref", "recall"] > 0.85 for r in every),
            f"**Robust does not mean good.** Plain recall, which looks at no rank, is as robust ({at('recall', 10)} at 10 %), "
            f"and absolute rpref is close to it: tau with recall "
            f"{', '.join(two(float(r.agreement.loc['rpref', 'recall'])) for r in every)}, where relative rpref has "
            f"{', '.join(two(float(r.agreement.loc['rpref relative', 'recall'])) for r in every)}.",
        ),
    ]


def page() -> str:
    """The whole page."""
    every = [Results(key) for key in COLLECTIONS]
    r3 = every[0]
    settings = r3.settings
    samples, topics = settings["judgment_samples"], settings["topic_samples"]
    lists = "\n".join(f"- {statement}" for statement in in_short(every))
    labels = grid(
        ["label", "measure"], ([name(label), f"`{measure}`"] for label, measure in r3.measures.items())
    ).replace("--:", "---")
    parts = [
        f"""\
# Is rpref robust to incomplete judgments?

<!-- Written by docs/make_robustness.py from the files in docs/robustness/; change those. -->

De Beer and Moens end their description of rpref (SIGIR 2006, section 2.5) with an open question: whether the robustness of
bpref extends to rpref was "yet to be verified experimentally". This page verifies it on three public collections, next
to bpref, n-pref, AP, nDCG, Q and P+, and looks at the stability and sensitivity of these measures, too. Numbers
are read from the results by a script, and the statements in the next section are checked against them.

## Under revision

This study is being done again. What does not hold as it stands here:

- **Prior work.** T. Sakai, *Alternatives to Bpref*, SIGIR 2007 ([doi](https://doi.org/10.1145/1277741.1277756)), compares rpref with
  nine other measures on four graded collections, and finds Q, nDCG and AP on condensed lists better than bpref, and that
  graded relevance adds robustness; T. Sakai and N. Kando, Information Retrieval 11, 2008
  ([doi](https://doi.org/10.1007/s10791-008-9059-7)), add RBP and more collections. (Abstracts were read here, not the full texts.)
- **Systems that were not pooled.** Repeated on two other collections, leaving out one team at a time with what it really
  contributed, the values of left-out teams *rise* most with bpref and relative rpref: measures on condensed lists reward
  runs that were not pooled. The advice of an earlier version, relative rpref for such systems, is withdrawn.
- **Depth is a confound.** With all runs cut to 100 documents absolute rpref leads nowhere; the runs of round 3 have
  different depths.
- **Precision.** Another seed can move a tau by more than its digits suggest; levels on the same topics are not independent,
  and means over samples hide wide ranges.

## In short

{lists}

## What was done

{collections(every)}

The runs are those that took part in TREC-COVID (round 3, most of them cut to depth 500, and round 1, cut to depth 100), and
first-stage runs and rerankings by language models for TREC DL 2019. AP, bpref and recall are binary: a document is relevant from the grade
in the last column on. All other measures use the grades as they are. `max_rel` is the top of the scale, at every level.

{labels}

A prime marks condensed lists (documents without a judgment are removed first); *infinity* is the reading of rpref in which
judged documents that were not retrieved stay in the sum. Recall is a control, not a candidate.

**Random loss** (Buckley and Voorhees, SIGIR 2004). In each topic, relevant and judged non-relevant documents are put in random
order, and the first {" / ".join(f"{level}" for level in (90, 80, 70, 60, 50, 40, 30, 25, 20, 15, 10, 5, 4, 3, 2, 1))} % of both stay judged, at
least 1 and 10. All systems are evaluated again; the value is Kendall's tau (tau-b) between this ranking and the measure's own
ranking by all judgments, the mean of {samples} samples. All measures see the same samples.

**Shallow pools** (ours). Judgments are rarely missing at random: they are missing where nobody looked. Half of the teams
(for DL 2019: of the {every[2].settings["groups"]} first stages) are drawn, and only what their runs have in ranks 1 to 3, 10 or 30 stays judged. Again
tau with the measure's own ranking by all judgments, and by how much the systems that were not pooled rise
or fall, the mean of {samples} draws.

**Stability, sensitivity, discriminative power.** {topics} bootstrap samples of topics; definitions in
`irpref.meta`: Buckley and Voorhees (SIGIR 2000) with fuzziness 5 %, Voorhees and Buckley (SIGIR 2002) with a
swap rate of at most 5 %, Sakai (SIGIR 2006) with ASL < 0.05. All systems take part.

## Random loss of judgments

Kendall's tau with the measure's own ranking by all judgments; in the last column tau_ap, which weighs the top of the
ranking more. The best of each column is bold. Curves that leave a picture at the bottom go on in its table."""
    ]
    for r in every:
        parts.append(
            f"""\
### {r.settings["name"]}

{picture(r, "robustness", "Tau against the share of judgments left")}

{robustness(r)}"""
        )
    held = {m: max(abs(r.kept(m, 10) - 1) for r in every) for m in (*ZERO, "bpref")}
    fallen = [1 - r.kept(m, 10) for r in every for m in ("AP", "Q")]
    wins = {
        m: sum(int(r.paired.loc[(m, "bpref", level), "better"]) for r in every for level in (20, 10, 5)) for m in ZERO
    }
    trials = sum(int(r.paired.loc[("rpref", "bpref", level), "samples"]) for r in every for level in (20, 10, 5))
    parts.append(
        f"""\
Sample by sample, at 20, 10 and 5 % in the three collections, absolute rpref keeps its ranking better than bpref in {wins["rpref"]} of
{trials} samples, relative rpref in {wins["rpref relative"]}.

### Do the values stay what they were?

Mean over all systems and topics by all judgments, and its change at 10 % and 1 %.

{means(every)}

{claim(held["rpref"] < 0.03 and max(held.values()) < 0.2 and min(fallen) > 0.4, f"When nine of ten judgments are gone, values of absolute rpref (zero) have moved by at most {percent(held['rpref'])}, those of bpref by {percent(held['bpref'])} and of relative rpref by {percent(held['rpref relative'])}; those of AP and Q lose {between(fallen, percent)}. Values of rpref from samples of different size can be compared, with care for the relative norm; values of AP cannot.")}

{picture(r3, "means", "Mean values against the share of judgments left")}

## Shallow pools

Tau with the ranking by all judgments, for pools of depth 3, 10 and 30 from half of the systems; in the last column, for depth 10,
by how many per cent of the ranking the systems that were not pooled rise (+) or fall (-).

{shallow(every)}

Share of the judgments that are left: {"; ".join(f"{r.settings['name']} " + ", ".join(percent(float(r.shallow.loc[("AP", d), "judged"])) for d in (3, 10, 30)) for r in every)}.

{claim(all(r.shallow.loc[(m, 10), "gain"] < -0.015 for r in every for m in ("AP", "Q", "nDCG")) and all(abs(r.shallow.loc[(m, 10), "gain"]) < 0.01 for r in every for m in ZERO), "AP, nDCG and Q take unjudged documents for bad ones and push systems down that were not pooled. Both norms of rpref move them by less than 1 % of the ranking, as condensed lists do.")}
{claim(all(r.shallow.loc[("rpref relative infinity", 10), "gain"] > 0.005 for r in every), "The reading 'infinity' lifts them (relative norm): it rewards a system for retrieving little that is judged.")}

## Stability and sensitivity

High sensitivity and discriminative power are good, and so is a low minority rate; a measure can buy the latter with many
ties. Compare the differences required within a row with the spread of the measure's values, not between measures."""
    )
    for r in every:
        parts.append(
            f"""\
### {r.settings["name"]}: stability

{sensitivity(r)}

{picture(r, "stability", "Minority rate against ties for fuzziness 1 to 10 %")}

{picture(r, "swap", "Swap rate by difference")}

{picture(r, "significance", "Significantly different pairs of systems, best at the top left")}"""
        )
    apart = [float(r.sensitivity.loc[m, "power"] - r.sensitivity.loc["bpref", "power"]) for r in every for m in ZERO]
    parts.append(
        f"""\
{claim(min(apart) > -0.02, f"rpref tells about as many pairs apart as bpref, or more: the share of significant pairs differs by {100 * min(apart):+.1f} to {100 * max(apart):+.1f} points.")}
{claim(all(r.sensitivity.loc["P+", "power"] < r.sensitivity.loc["rpref", "power"] - 0.1 and r.stability.xs(0.05, level="fuzziness")["minority_rate"].idxmax() == "P+" for r in every), "P+ looks at one document and the few above it: it is the least stable measure here, and tells far fewer pairs apart than rpref.")}

## How the measures agree

Kendall's tau between the rankings by all judgments.

{agreement(every)}

## Where rpref is not robust

- *Read literally* (`unretrieved='infinity'`), see above. A document that was not retrieved keeps most of its weight, so
  a run that retrieves little of what is judged has a value near 1: the mean over all systems is
  {", ".join(two(r.mean("rpref infinity", 100)) for r in every)}. The default is `'zero'` for this reason.
- *The absolute norm, when pools are shallow.* Presumably because it divides by N, all judged non-relevant documents, retrieved
  or not: with many of them hardly any penalty is left, and the value comes close to recall; a shallow pool holds mostly
  documents that are ranked high, so the penalties grow and the same measure asks another question. The relative norm has no N.
- *The absolute norm, among rerankings of the same documents.* In {every[2].settings["name"]} most runs rerank the same top 100, recall has
  large groups of ties, and so, nearly, has absolute rpref (the blocks in its significance matrix). Its tau there is
  carried by differences between groups.
- *Very few judgments.* At 1 % most topics are left with one relevant document and ten others: tau is
  {", ".join(two(r.tau("rpref", 1)) for r in every)} for absolute and {", ".join(two(r.tau("rpref relative", 1)) for r in every)} for relative rpref.

## What to use

- Judgments missing at random, or a sample of a larger pool: rpref keeps bpref's robustness; its differences from bpref and
  from Q on condensed lists are within what topics and seeds do to them. Report recall beside it.
- Systems that were not pooled: no measure of this page is known to be fair to them, see *Under revision*. Report the share of
  judged documents, and what unjudged ones could do (`irpref.intervals(..., over="unjudged")`).
- `unretrieved='infinity'`: to read the paper, not to compare systems.
- Binary judgments: absolute rpref *is* bpref with the denominator N (`BprefN`); the relative norm is still a measure of its own.

## Limits

"All judgments" are what TREC assessed, and not complete: in round 1 of TREC-COVID a fifth of the top ten of a median run is
unjudged. A measure is compared with itself, which says nothing about whether it was right to begin with. The runs of
DL 2019 are variants of a few systems. Ranges over the samples (`tau_min`, `tau_max`) are in the files; where two measures differ by less than about
0.01, another seed can turn them round. Shallow pools were simulated inside the pools that exist.

## Do it yourself

```
python examples/robustness_study.py --qrels QRELS --runs FOLDER --out docs/robustness/mine --name 'My collection'
irpref meta robustness QRELS FOLDER -m AP -m Bpref -m RPref --plot tau.png
```

This study took {" / ".join(f"{sum(r.settings['seconds'].values()):.0f}" for r in every)} seconds on two cores shared with other work
({" / ".join(str(r.settings["runs"]) for r in every)} runs, {len(r3.measures)} measures, 16 levels, {samples} samples), of which the random loss
{" / ".join(f"{r.settings['seconds']['incompleteness']:.0f}" for r in every)}."""
    )
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Write the page, or print it."""
    if sys.argv[1:] == ["-"]:
        print(page(), end="")
    else:
        OUT.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
