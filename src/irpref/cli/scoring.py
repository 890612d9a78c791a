"""What `irpref eval` computes: judgments and runs from files, values of measures of any toolkit.

Each value has one of two sources. *Kernels*: our measures and, through `irpref.host`, the everyday ones of the host,
from one alignment of the run as it is read. *The host*: everything else, and all of its own measures if its lines
are wanted in its own order (`exact`).

All of them have trec_eval's order, scores as 64-bit floats, and means added in the order of topic ids, as everywhere;
with `float32`, measures that pytrec_eval computes for the host have scores in 32 bits, and means of the host's measures
are added in the order of the run's topics, so that the numbers are those of the `ir_measures` command to the last bit.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import itemgetter
from threading import Lock
from typing import TYPE_CHECKING, Any

from irpref.arrays.segments import all_whole
from irpref.formats.columns import Reading, Table, as_list
from irpref.formats.source import Source
from irpref.formats.tables import read_table
from irpref.judged.inputs import opened
from irpref.judged.order import TREC, Alignment
from irpref.judged.pool import SOURCE
from irpref.messages import IrprefWarning, warn_user

if TYPE_CHECKING:
    from ir_measures.measures import Measure

    from irpref.analysis.findings import Finding
    from irpref.judged.align import JudgedFile
    from irpref.judged.pool import Pool
    from irpref.judged.stream import Done
    from irpref.values.others import Others

_LOOKED_AT = 64 << 10  # bytes of a run whose ids are compared with the judged ones in any case


class Judgments:
    """The qrels argument: rows for the host, and what a pool is built from.

    Parameters
    ----------
    data : Table, pandas frame (of preferences), or list of namedtuples
    """

    def __init__(self, data: Any) -> None:
        self.data = data

    def rows(self) -> list[Any]:
        """Namedtuples, as the host's own reader gives them."""
        from ir_measures import Qrel

        data = self.data
        if isinstance(data, list):
            return data
        if isinstance(data, Table):
            iteration = data.columns.get("iteration", ["0"] * len(data))
            grades = data.value.astype("int64") if self.whole() else data.value
            return list(map(Qrel, as_list(data.query_id), as_list(data.doc_id), grades.tolist(), iteration))
        iteration = data["iteration"].tolist() if "iteration" in data.columns else ["0"] * len(data)
        return list(map(Qrel, *(data[name].tolist() for name in ("query_id", "doc_id", "relevance")), iteration))

    def table(self) -> Any:
        """What analyses take: rows, or a frame of preferences or filled grades, whose columns rows would not have."""
        return self.data if {"group", SOURCE} & {*getattr(self.data, "columns", ())} else self.rows()

    def topic_ids(self) -> list[str]:
        """The topics, in the order of the first judgment of each."""
        if isinstance(self.data, list):
            return list(dict.fromkeys(row.query_id for row in self.data))
        return list(
            dict.fromkeys(as_list(self.data.query_id) if isinstance(self.data, Table) else self.data["query_id"])
        )

    def only(self, topics: Iterable[str]) -> Judgments:
        """The judgments of these topics."""
        wanted = set(topics)
        table = self.table()
        if isinstance(table, list):
            return Judgments([row for row in table if row.query_id in wanted])
        return Judgments(table[table["query_id"].isin(wanted)])

    def whole(self) -> bool:
        """Whether all grades are integers: the host's measures take no others."""
        if isinstance(self.data, list):
            return all(isinstance(row.relevance, int) for row in self.data)
        if isinstance(self.data, Table):
            return all_whole(self.data.value)
        return str(self.data["relevance"].dtype).lower().startswith(("int", "uint"))


def reads_preferences(measure: Measure) -> bool:
    """Whether a measure takes preferences as well as grades."""
    return "preferences" in getattr(measure, "NEEDS", ())


def read_judgments(
    name: str, known: str | None = None, preferences: bool | None = False, form: Reading | None = None
) -> Judgments:
    """Judgments from a file, standard input, or ir_datasets; with `preferences`, a file may hold those.

    Of `form`, the form itself is that of the runs.

    Raises
    ------
    ValueError
        There is no such file and no such data set; a line is malformed.
    """
    found = Judgments(opened(name, "relevance", preferences, form and form.but(form=None)))
    if not len(found.data):
        where = "<stdin>" if name == "-" else name
        raise ValueError(f"{where}: the qrels are empty: there is nothing to judge a run against")
    if known is not None:
        from irpref.measures.binding import with_known

        found = Judgments(with_known(found.rows(), known))
    return found


class Scores:
    """Values of one run.

    Attributes
    ----------
    means : dict of measure to float
        Over all topics (sums, for measures that count).
    by_topic : dict of measure to dict of topic to float
        Empty if they were not asked for.
    lines : list of (topic, measure, value)
        The same in the order of the host's command.
    missing : list of str
        Topics of the qrels that the run has no documents for.
    grave : list of Finding
        What `irpref check` finds grave about the run.
    """

    def __init__(self) -> None:
        self.missing: list[str] = []
        self.grave: list[Finding] = []
        self.means: dict[Measure, float] = {}
        self.by_topic: dict[Measure, dict[str, float]] = {}
        self.lines: list[tuple[str, Measure, float]] = []


class Scorer:
    """Computes measures for run files against the same judgments.

    Parameters
    ----------
    measures : sequence of Measure
    judgments : Judgments
    exact : bool
        Whether measures of the host are left to the host.
    provider : str, optional
        A provider of ir_measures that computes all measures.
    strict : bool
        Whether a repeated document is an error.
    by_topic : bool
        Whether values by topic are kept.
    alignment : Alignment
        How documents are ranked.
    form : str, optional
        Form of the run files (`irpref.formats.tables.FORMS`), by their endings if not given.
    """

    def __init__(
        self,
        measures: Sequence[Measure],
        judgments: Judgments,
        *,
        exact: bool = False,
        provider: str | None = None,
        strict: bool = False,
        by_topic: bool = False,
        alignment: Alignment = TREC,
        form: str | Reading | None = None,
    ) -> None:
        from irpref.judged.kept import kept_pool
        from irpref.judged.pool import ConflictError
        from irpref.measures.declare import KernelMeasure
        from irpref.values.kernels import KernelEvaluator
        from irpref.values.others import Others
        from irpref.values.prepare import check_graded, columns_for

        self.measures = list(measures)
        self.strict, self.by_topic, self.form = strict, by_topic, form
        self.as_host = alignment.float32 or provider is not None  # whether means are added as the host adds them
        self._one = Lock()  # who has it may ask the host, which nobody promises to be safe for several
        ours = [] if provider else [m for m in measures if isinstance(m, KernelMeasure)]
        # Runs are aligned, and so looked at, whoever computes the measures.
        self.pool: Any = None
        try:
            self.pool = kept_pool(judgments.data, columns_for(ours), any(map(reads_preferences, ours)))
        except ConflictError as error:
            if ours or strict:
                raise
            # Judgments by subtopic, say, from which the host takes the last of each document.
            warn_user(f"{str(error).partition('. ')[0]}: ir_measures counts the later line", IrprefWarning)
        hosted: set[Measure] = set()
        if not provider and self.pool is not None:
            hosted = self._hosted(set(measures) - set(ours))
            if exact and judgments.whole() and not _host_errs(hosted, self.pool):
                hosted = set()
        here = [m for m in measures if m in ours or m in hosted]
        self.rest = [m for m in measures if m not in here]
        self.kernels: Any = None
        if self.pool is not None:
            self.kernels = KernelEvaluator(here, self.pool, alignment)
        self.others: Others | None = None
        if self.rest:
            import ir_measures

            from irpref.measures.support import check_judgments, check_supported

            source = ir_measures.providers.registry[provider] if provider else ir_measures.DefaultPipeline
            check_supported(self.rest, source)
            if self.pool is not None:
                check_graded(self.pool, self.rest)
                check_judgments(self.rest, self.pool.topic_ids, self.pool.level_grade)
            self.topic_ids = judgments.topic_ids()
            chosen = source if provider else None
            self.others = Others(
                self.rest,
                judgments.rows(),
                alone=not here,
                as_host=self.as_host,
                alignment=alignment,
                source=chosen,
            )
            if self.kernels is not None:
                self.kernels.in_float32 |= self.others.in_float32

    @staticmethod
    def _hosted(measures: Iterable[Measure]) -> set[Measure]:
        from ir_measures import providers

        from irpref.measures.everyday import supports

        # The script behind exp-log2 rounds; if it can run, the host's command prints its values.
        scripted = {m for m in measures if m.params.get("dcg") == "exp-log2"}
        if scripted and providers.registry["gdeval"].is_available():
            measures = set(measures) - scripted
        return {m for m in measures if supports(m)}

    def score_all(self, paths: Sequence[str], jobs: int | None = None) -> Iterator[Done[str, Scores]]:
        """Values of run files, `jobs` of them at a time (by default as many as there are cores), in their order."""
        from irpref.judged.stream import each, n_jobs

        jobs = min(n_jobs() if jobs is None else jobs, max(len(paths), 1))
        return each(lambda path: self.score(path, jobs > 1), paths, jobs)

    def score(self, path: str | Source, alone: bool = False) -> Scores:
        """Values of a run file; `alone` in its thread if others read other files.

        Raises
        ------
        ValueError, OSError
            As `read_run` and `Pool.judge`.
        """
        source = path if isinstance(path, Source) else Source(path, keep=True)
        source.alone = alone
        found = Scores()
        table = read_table(source, "score", self.form) if self.rest else None
        judged = None if self.pool is None else self._judged(source, table)
        if judged is not None:
            answered = set(judged.topics)
            found.missing = [topic for topic in self.pool.topic_ids if topic not in answered]
            if answered:  # of an empty run there is a warning
                found.grave = self._grave(source, table, judged, bool(found.missing))
        if table is not None:
            with self._one:
                self._score_others(table, judged, found)
        if judged is not None:
            self._score_kernels(judged, found)
        found.means = {measure: found.means[measure] for measure in self.measures}
        return found

    def _judged(self, source: Source, table: Any) -> JudgedFile:
        from irpref.judged.align import align_tables
        from irpref.judged.stream import align_file

        options: dict[str, Any] = {"strict": self.strict, "alignment": self.kernels.alignment}
        options |= {"ties": self.kernels.ties, "in_float32": self.kernels.in_float32}
        if table is None:
            judged = align_file(self.pool, source, form=self.form, **options)
        else:
            judged = align_tables(self.pool, [table], **options)
        self.kernels.note_ties(judged.run)
        if not judged.topics:
            warn_user("the run is empty: all topics have the value of an empty ranking", IrprefWarning)
        return judged

    def _grave(self, source: Source, table: Any, judged: JudgedFile, missing: bool) -> list[Finding]:
        small = source.is_file() and os.path.getsize(source.name) <= _LOOKED_AT
        enough = judged.run.n_retrieved if small else 1
        if not missing and (judged.run.hits.lengths >= enough).all():
            return []  # all topics are answered, with judged documents
        from irpref.analysis.check import grave_of_judged

        def read() -> Any:
            return read_table(source, "score", self.form) if table is None else table

        return grave_of_judged(self.pool, judged.run, judged.topics, read, small)

    def _score_kernels(self, judged: JudgedFile, found: Scores) -> None:
        import numpy as np

        ids = self.pool.topic_ids
        values = self.kernels.values_of(judged.run)
        found.means.update(self.kernels.means_of(values))
        # As the host adds: topics in the order of the run, then those it misses.
        first = [self.pool.topic_of[name] for name in judged.topics if name in self.pool.topic_of]
        order = np.array([*first, *sorted(set(range(len(ids))) - set(first), key=ids.__getitem__)], dtype=np.int64)
        by_id = sorted(range(len(ids)), key=ids.__getitem__)
        for measure in sorted(values, key=str):
            of = values[measure]
            if self.as_host and type(measure).__module__.partition(".")[0] != "irpref":
                aggregator = measure.aggregator()
                for value in of[order].tolist():
                    aggregator.add(value)
                found.means[measure] = aggregator.result()
            if self.by_topic:
                numbers = of.tolist()
                found.by_topic[measure] = {ids[t]: numbers[t] for t in by_id}
                found.lines += [(ids[t], measure, numbers[t]) for t in by_id]

    def _score_others(self, table: Any, judged: JudgedFile | None, found: Scores) -> None:
        assert self.others is not None
        metrics = self.others.metrics(_host_run(table), judged is not None and judged.run.in_float32 is not None)
        lines = [(metric.query_id, metric.measure, metric.value) for metric in metrics]
        if not self.others.leave_out:
            there = {line[:2] for line in lines}
            every = [(topic, measure) for topic in self.topic_ids for measure in self.rest]
            lines += [(*pair, pair[1].DEFAULT) for pair in sorted(set(every) - there, key=str)]
        aggregators = {measure: measure.aggregator() for measure in self.rest}
        for _, measure, value in lines if self.as_host else sorted(lines, key=itemgetter(0)):
            aggregators[measure].add(value)
        found.means.update({measure: aggregator.result() for measure, aggregator in aggregators.items()})
        if self.by_topic:
            found.lines += lines
            for topic, measure, value in lines:
                found.by_topic.setdefault(measure, {})[topic] = value


class SideBySide(Scorer):
    """Scorers of different measures against different judgments, as one."""

    def __init__(self, measures: Sequence[Measure], scorers: Sequence[Scorer]) -> None:
        self.measures, self.scorers = list(measures), list(scorers)
        self.pool = self.scorers[0].pool

    def score(self, path: str | Source, alone: bool = False) -> Scores:
        """Values of a run file. Raises as `Scorer.score`."""
        source = path if isinstance(path, Source) else Source(path, keep=True)  # read by each of them
        found = Scores()
        for scorer in self.scorers:
            part = scorer.score(source, alone)
            if scorer is self.scorers[0]:
                found.missing, found.grave = part.missing, part.grave
            found.means.update(part.means)
            found.by_topic.update(part.by_topic)
            found.lines += part.lines
        found.means = {measure: found.means[measure] for measure in self.measures}
        return found


def _host_errs(measures: Iterable[Measure], pool: Pool) -> bool:
    """Whether the host computes wrong values of these measures together, or crashes: see `irpref.host`."""
    import numpy as np

    from irpref.measures.support import HIGHEST

    measures = list(measures)
    gains = {repr(m.params.get("gains")) for m in measures if m.NAME == "nDCG"}
    judged_only = {bool(m.params.get("judged_only")) for m in measures}
    counted = any(m.NAME == "NumRet" and "rel" not in m.params for m in measures)
    mapped = [gain for m in measures for gain in (m.params.get("gains") or {}).values()]
    wide = any(not isinstance(gain, int) or abs(gain) > HIGHEST for gain in mapped)
    answered = pool.judged.lengths > 0
    negative = answered & (pool.judged.maximum(pool.grade, -np.inf) < 0)
    high = pool.level_grade.max() > HIGHEST
    return bool(len(gains) > 1 or (counted and True in judged_only) or negative.any() or wide or high)


def _host_run(table: Any) -> Any:
    """A run as the host takes it: a dict of dicts, which it needs in the end; rows if a document is repeated."""
    import numpy as np
    from ir_measures import ScoredDoc

    query_id, doc_id, score = as_list(table.query_id), as_list(table.doc_id), table.value.tolist()
    column = np.array(query_id, dtype=object)
    begins = [0, *(np.flatnonzero(column[1:] != column[:-1]) + 1).tolist(), len(query_id)]
    found: dict[str, dict[str, float]] = {}
    for a, b in pairwise(begins):
        if a < b:
            found.setdefault(query_id[a], {}).update(zip(doc_id[a:b], score[a:b], strict=True))
    if sum(map(len, found.values())) == len(query_id):
        return found
    return map(ScoredDoc, query_id, doc_id, score)
