"""Tables of curves: a block of rows for each run and topic, or for each run and group of topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

import numpy as np

from irpref.data.run_names import named_runs
from irpref.judged.groups import Part, group_column, parts_of
from irpref.judged.judgments import as_judgments
from irpref.judged.run import align_run
from irpref.judged.types import Groups, QrelsLike, RunLike, Runs
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Floats, Ints
from irpref.messages import about

if TYPE_CHECKING:
    import pandas as pd

# Columns of a table by name; the rows of one topic follow those of another.
Columns: TypeAlias = dict[str, Any]
# Takes the name of a run; returns the number of rows of each topic, and the columns.
Block: TypeAlias = Callable[[str], tuple[Ints, Columns]]
# Takes the name of a run, some topics, and columns as matrices (n_topics, n_rows); returns columns
# over these topics.
Over: TypeAlias = Callable[[str, Part, dict[str, Any]], Columns]


class Rows(TypedDict, total=False):
    """Options of every curve: whether rows are by topic, and the groups of topics of the means."""

    per_topic: bool
    groups: Groups | None


def curve_table(
    curve: str,
    runs: Iterable[str],
    topics: Sequence[str],
    parts: Sequence[Part],
    per_topic: bool,
    block: Block,
    over: Over | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Make a table with a block of rows for each run and topic, or for each run and group of topics
    (by default all topics).

    Parameters
    ----------
    curve : name of the table, which `attrs` holds together with the `options`
    runs : names of runs
    topics : ids of the topics
    parts : groups of these topics
    per_topic : whether there are rows for each topic
    block, over : see `Block` and `Over`; without `over`, means of all columns but the first
    """
    import pandas as pd

    ids = {"query_id": np.array(topics, dtype=object), **group_column(len(topics), parts)}
    blocks: list[Columns] = []
    for name in runs:
        lengths, columns = block(name)
        if per_topic:
            blocks.append(
                {
                    "run": name,
                    **{key: np.repeat(values, lengths) for key, values in ids.items()},
                    **columns,
                }
            )
            continue
        grid = {key: column.reshape(len(topics), -1) for key, column in columns.items()}
        for part in parts:
            blocks.append(
                {"run": name, **part.key, **(over(name, part, grid) if over else means(part, grid))}
            )
    table = pd.concat([pd.DataFrame(values) for values in blocks], ignore_index=True)
    table.attrs.update({"curve": curve, "n_topics": len(topics), **options})
    return table


def ended(lengths: Ints, rank: Ints) -> Floats:
    """Compute the share of the topics whose curve ended above each rank."""
    return np.searchsorted(np.sort(lengths), rank, side="left") / max(lengths.size, 1)


def means(part: Part, grid: Mapping[str, Any]) -> Columns:
    """Average every column over the topics of a group; the first column, the same for all topics,
    is kept.
    """
    x, *_ = grid
    return {
        key: column[0] if key == x else mean(column, part.order) for key, column in grid.items()
    }


def mean(grid: Any, order: Sequence[int]) -> Floats:
    """Mean over the topics, added one by one: (n_topics, width) to (width,)."""
    total = np.zeros(grid.shape[1])
    for topic in order:
        total += grid[topic]
    return total / max(len(order), 1)


class Aligned:
    """Runs aligned with the qrels, and the topics that means are taken over."""

    def __init__(
        self,
        qrels: QrelsLike,
        runs: RunLike | Runs,
        per_topic: bool = False,
        groups: Groups | None = None,
    ) -> None:
        read = as_judgments(qrels)
        self.pool = read.pool()
        self.parts, self.per_topic = parts_of(groups, read, self.pool.topic_ids), per_topic
        self.runs: dict[str, JudgedRun] = {}
        named = named_runs(runs, "run", self.pool.topic_of)
        for name, run in named.items():
            with about(name, len(named) > 1):
                aligned = isinstance(run, JudgedRun)
                self.runs[name] = run if aligned else align_run(self.pool, run)

    def lengths(self, natural: Mapping[str, Ints], name: str, depth: int | None) -> Ints:
        """Count the rows of each topic of a run: `depth`; else up to its end, for means up to the
        longest one's end.
        """
        if self.per_topic and depth is None:
            return natural[name]
        longest = max((int(lengths.max(initial=0)) for lengths in natural.values()), default=0)
        return np.full(natural[name].size, depth or longest)

    def table(
        self, curve: str, block: Block, over: Over | None = None, **options: Any
    ) -> pd.DataFrame:
        """See `curve_table`."""
        topics = self.pool.topic_ids
        return curve_table(
            curve, self.runs, topics, self.parts, self.per_topic, block, over, **options
        )
