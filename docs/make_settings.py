"""Write docs/settings.md: which settings fit which collection.

    python docs/make_settings.py            # writes docs/settings.md
    python docs/make_settings.py -          # prints it

Everything comes from what ir_datasets ships with its code; nothing is downloaded.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import ir_datasets

from irpref.settings import Scale, scale_of

OUT = Path(__file__).with_name("settings.md")

INTRO = """\
# Which settings for which collection

<!-- Written by docs/make_settings.py; change that. -->

Look up your collection in the [table](#the-table) to choose `rel`, `gains` and `max_rel`. The table covers every public data set
with {{term}}`qrels` in ir_datasets {version}: {n_ids} ids, in {n_groups} groups with the same {{term}}`grades <grade>` and definitions.

`irpref.bind(measures, dataset)` sets `max_rel` from the same source and warns you if a measure is
{{term}}`degenerate` on these judgments. Set the other parameters yourself:

```python
from ir_measures import AP, nDCG
from irpref import RPref
from irpref.settings import scale_of

scale = scale_of("msmarco-passage/trec-dl-2019")
scale.max_rel, scale.rel, scale.gains        # 3, 2, {{1: 0}}
measures = [RPref(max_rel=scale.max_rel, gains=scale.gains), AP(rel=scale.rel), nDCG @ 10]
```

## How the recommendations are made

1. **Scale.** All defined grades, even if no document has them. If the file has a grade that is not defined, we use the grades in
   the file instead, because the definitions belong to another file.
2. **`rel`** (for AP, P, Bpref, BprefVariant, EMeasure, ...): the threshold of the task's official measures (the highest, if
   there are several). Without one, the lowest positive grade whose definition does not deny relevance
   ("does not answer the question", "Not valuable", "Excluded").
3. **`gains`** (for RPref, NPref, QMeasure, PPlus, ...): grades between 0 and `rel` get {{term}}`gain` 0, so that graded and
   binary measures agree on what is relevant. Leave out `gains` to give these grades partial credit, as nDCG does in
   most of these tracks. Other grades keep their value.
4. **`max_rel`** (for RPref, NPref): the top of the scale.
5. **Negative grades** count as {{term}}`unjudged`. Only the CRP family reads them as a grade below non-relevant.
6. **Direction.** Cranfield's grades count down: 1 is a complete answer, 4 is of minimum interest. Its row describes the
   grades after `scale.regrade`: `5 - grade`, without -1. [`irpref check`](check.md) finds such scales if you give it a run.
7. **Labels.** Some tracks publish labels instead of grades. `irpref.read_qrels` and the commands know the three schemes below, and
   a warning tells you the grades. For other labels or grades, use `labels={{"good": 1, "bad": 0}}` (`--labels good=1,bad=0`).

   | labels | grades | from |
   |---|---|---|
   | `S` `A` `B` `C` | 3 2 1 0 | NTCIR: highly relevant, relevant, partially relevant, not relevant |
   | `L0` `L1` ... `L9` | 0 1 ... 9 | NTCIR's later tracks |
   | `hr` `fr` `pr` `nr` | 3 2 1 0 | Kekäläinen and Järvelin: highly, fairly, partially, not relevant |

The column *non-relevant* tells you whether any document was judged non-relevant (a grade from 0 to below `rel`). In {n_without} of
the {n_ids} ids, none was. Do not use Bpref, BprefVariant, RPref and NPref there: they look for judged documents that are wrongly
ranked above relevant ones. With one positive grade they equal recall. With several, RPref still compares the relevant grades
with each other.

The definitions of grades are those of ir_datasets; we did not compare them with the tracks' guidelines.

## The table

`name/*` means all data sets with qrels below that name. A number in brackets counts the ids of a row. Grades in
parentheses are defined but no document has them. The last column refers to the notes below the table.

| data sets | grades | grade 1 means | non-relevant | `rel` | `gains` | `max_rel` | notes |
|---|---|---|---|---|---|---|---|
"""


def main() -> None:
    """Write the page."""
    text = page()
    if sys.argv[1:] == ["-"]:
        sys.stdout.write(text)
    else:
        OUT.write_text(text, encoding="utf-8")


def page() -> str:
    """Return the whole page."""
    datasets = with_qrels()
    groups: dict[Any, list[str]] = defaultdict(list)
    scales: dict[Any, Scale] = {}
    for name, dataset in datasets.items():
        scale = scale_of(dataset)
        # `meanings` does not take part in the comparison of scales, but makes a row of its own
        # here.
        key = (
            scale.grades,
            scale.rel,
            scale.note,
            scale.source,
            given(dataset),
            tuple(scale.meanings.items()),
        )
        groups[key].append(name)
        scales[key] = scale
    notes: dict[str, int] = {}
    rows = []
    for key, names in sorted(groups.items(), key=lambda item: item[1][0]):
        scale = scales[key]
        numbers = []
        for sentence in sentences(scale):
            numbers.append(str(notes.setdefault(sentence, len(notes) + 1)))
        cells = [
            collapsed(names, list(datasets)) + (f" ({len(names)})" if len(names) > 1 else ""),
            grades(scale, key[4]),
            meaning(scale),
            "yes" if scale.has_nonrelevant else "**none**",
            f"{scale.rel}",
            "{" + ", ".join(f"{g}: {gain}" for g, gain in scale.gains.items()) + "}"
            if scale.gains
            else "",
            f"{scale.max_rel}",
            ", ".join(numbers),
        ]
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    intro = INTRO.format(
        version=ir_datasets.__version__,
        n_ids=len(datasets),
        n_groups=len(groups),
        n_without=sum(
            len(names) for key, names in groups.items() if not scales[key].has_nonrelevant
        ),
    )
    listed = "\n".join(f"{number}. {sentence}" for sentence, number in notes.items())
    return intro + "\n".join(rows) + "\n\n### Notes\n\n" + listed + "\n"


def with_qrels() -> dict[str, Any]:
    """Data sets with qrels by id, without names that ir_datasets calls deprecated and without ours."""
    found = {}
    for name in sorted(ir_datasets.registry):
        dataset = ir_datasets.registry[name]
        if (
            dataset.has_qrels()
            and not hasattr(dataset, "deprecated")
            and not name.startswith("irpref")
        ):
            found[name] = dataset
    return found


def given(dataset: Any) -> tuple[str, ...] | None:
    """Grades that occur, or None where ir_datasets has not counted them."""
    counts = (
        dataset.metadata()
        .get("qrels", {})
        .get("fields", {})
        .get("relevance", {})
        .get("counts_by_value")
    )
    return None if counts is None else tuple(sorted(f"{float(grade):g}" for grade in counts))


def grades(scale: Scale, occurring: tuple[str, ...] | None) -> str:
    """The scale, with the grades that never occur in parentheses."""
    names = [f"{grade:g}" for grade in scale.grades]
    return " ".join(n if occurring is None or n in occurring else f"({n})" for n in names)


def meaning(scale: Scale) -> str:
    """What grade 1 means, shortened to a line."""
    if not scale.meanings:
        return "*not defined*"
    text = " ".join(scale.meanings.get(1, "*no grade 1*").split())
    return text if len(text) <= 100 else text[:97].rsplit(" ", 1)[0] + " ..."


def sentences(scale: Scale) -> list[str]:
    """Single remarks of the note, in the order of the note."""
    return [part for part in scale.note.split("\n") if part]


def collapsed(names: list[str], every: list[str]) -> str:
    """Names of a group, with `prefix/*` for all ids below a prefix if the group has them all."""
    rest, out = set(names), []
    prefixes = {"/".join(n.split("/")[:k]) for n in names for k in range(1, n.count("/") + 1)}
    for prefix in sorted(prefixes, key=lambda p: (p.count("/"), p)):
        below = {n for n in every if n.startswith(prefix + "/")}
        if len(below) > 1 and below <= rest:
            out.append(f"{prefix}/*")
            rest -= below
    return ", ".join(f"`{name}`" for name in sorted([*out, *rest]))


if __name__ == "__main__":
    main()
