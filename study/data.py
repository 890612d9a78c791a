"""Collections of the study: judgments, runs cut to a depth, and the teams that they come from.

A folder holds `qrels/` (one file), `runs/` (a file a run) and, if there is one, `runs.tsv` with columns run, team and
contributed_judgments. Ids become numbers here, once; what the engine sees are arrays.
"""

from __future__ import annotations

import csv
import hashlib
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

import irpref
from irpref.arrays.segments import Bools, Floats, Ints, Segments
from irpref.judged.align import listing
from irpref.judged.fingerprint import hash_of_pool
from irpref.judged.pool import Pool
from irpref.messages import IrprefWarning

PRIMARY = 100  # depth of the primary analysis
LEAST_RUNS, LEAST_TOPICS = 3, 4
_STAGE = re.compile(r"^first\.(?P<front>.+)$|^(?P<back>.+?)__first(_.*)?$")


@dataclass(frozen=True)
class System:
    """A run as numbers: what it retrieved, by topic, in the order of evaluation.

    Attributes
    ----------
    retrieved : Segments
        Retrieved documents (rows) by topic.
    doc : int array (n_retrieved,)
        Number of the document in the collection.
    row : int array (n_retrieved,)
        Row of its judgment in the pool, -1 where it is unjudged.
    """

    retrieved: Segments
    doc: Ints
    row: Ints

    def cut(self, depth: int) -> System:
        """The first `depth` documents of each topic."""
        keep = self.retrieved.position < depth
        return System(self.retrieved.where(keep), self.doc[keep], self.row[keep])

    @property
    def depth(self) -> int:
        """Length of the longest list."""
        return int(self.retrieved.lengths.max(initial=0))

    @cached_property
    def hit(self) -> Ints:
        """Which of the retrieved documents are judged: shape (n_hits,)."""
        return np.flatnonzero(self.row >= 0)

    @cached_property
    def hits(self) -> Segments:
        """Retrieved judged documents (rows) by topic."""
        return self.retrieved.part(self.hit)

    @cached_property
    def rank(self) -> Ints:
        """Rank of each hit, from 1: shape (n_hits,)."""
        return self.retrieved.position[self.hit] + 1


@dataclass(frozen=True)
class Setting:
    """A collection with all its runs cut to one depth.

    Attributes
    ----------
    collection, depth : name of the collection, depth of the runs
    rel : lowest grade that is relevant for binary measures
    pool : Pool
        Judgments of the topics that have a relevant document and that a run answers.
    n_docs : documents that are judged or retrieved (by any run, at any depth)
    judged_doc : int array (n_judged,)
        Number of each judged document in the collection.
    systems : runs, in the order of their names
    team : int array (n_systems,)
    teams : what the teams are called in the results
    contributed : bool array (n_systems,)
        Whether the run was in the pool.
    """

    collection: str
    depth: int
    rel: float
    pool: Pool
    n_docs: int
    judged_doc: Ints
    systems: list[System]
    team: Ints
    teams: list[str]
    contributed: Bools

    @property
    def n_topics(self) -> int:
        return self.pool.n_topics

    @cached_property
    def top(self) -> float:
        """Highest grade, which stands for the top of the scale."""
        return float(self.pool.grade.max())

    def judged_at(self, system: int, deepest: int) -> Floats:
        """Share of the first d documents that is judged, for d = 1 ... `deepest`: mean over topics answered."""
        of = self.systems[system]
        counts = np.zeros((self.n_topics, deepest))
        inside = of.rank <= deepest
        counts[of.hits.topic[inside], of.rank[inside] - 1] = 1
        answered = of.retrieved.lengths > 0
        size = np.minimum(np.arange(1, deepest + 1), of.retrieved.lengths[answered, None])
        share: Floats = (counts[answered].cumsum(axis=1) / size).mean(axis=0)
        return share

    @cached_property
    def pool_depth(self) -> int:
        """Largest depth down to which the median contributing run is judged to 95 %, from 5 to that of the setting."""
        which = [s for s in np.flatnonzero(self.contributed) if self.systems[s].retrieved.size]
        if not which:
            return 5
        share = np.median([self.judged_at(int(s), self.depth) for s in which], axis=0)
        deep = np.flatnonzero(share >= 0.95)
        return int(min(max(int(deep.max(initial=-1)) + 1, 5), self.depth))

    @cached_property
    def first_by_team(self) -> Ints:
        """Best rank that a team's runs give each judged document: (n_teams, n_judged); a large number for none."""
        return self._best_rank(np.ones(len(self.systems), bool))

    @cached_property
    def first_by_contributing_team(self) -> Ints:
        """The same for contributing runs only."""
        return self._best_rank(self.contributed)

    def _best_rank(self, which: Bools) -> Ints:
        best = np.full((len(self.teams), self.pool.grade.size), 1 << 30, dtype=np.int32)
        for s in np.flatnonzero(which):
            of = self.systems[s]
            rows = of.row[of.hit]
            mine = best[self.team[s]]
            mine[rows] = np.minimum(mine[rows], of.rank)
        return best


@dataclass(frozen=True)
class Collection:
    """A folder, read.

    Attributes
    ----------
    left_out : dict of reason to number of topics
    team_source : where the teams come from, in words
    contributions : the same of who was in the pool
    hash : of judgments, runs and teams
    """

    name: str
    rel: float
    pool: Pool
    n_docs: int
    judged_doc: Ints
    runs: list[str]
    systems: list[System]
    team_of: list[str]
    public_teams: bool
    contributed: Bools
    left_out: dict[str, int]
    team_source: str
    contributions: str
    hash: str

    @cached_property
    def common(self) -> int:
        """Depth that at least 85 % of the runs have."""
        longest = np.sort([s.depth for s in self.systems])
        return int(longest[int(0.15 * longest.size)])

    def depths(self) -> list[int]:
        """100; the depth that nearly all runs have; one that a quarter of them (at least 10) have.

        The second and third only where they are twice as deep as the one before.
        """
        longest = np.sort([s.depth for s in self.systems])
        found = [PRIMARY]
        for depth in (self.common, int(longest[-min(max(10, -(-longest.size // 4)), longest.size)])):
            if depth >= 2 * found[-1]:
                found.append(depth)
        return found

    def setting(self, depth: int) -> Setting:
        """All runs cut to one depth; beyond the depth that nearly all have, those runs only that are so deep.

        Raises
        ------
        ValueError
            Too few runs.
        """
        if depth < 1:
            raise ValueError(f"{self.name}: depth {depth} is not accepted, expected at least 1")
        all_runs = depth <= max(PRIMARY, self.common)
        which = [i for i, s in enumerate(self.systems) if all_runs or s.depth >= depth]
        if len(which) < LEAST_RUNS:
            raise ValueError(
                f"{self.name}: {len(which)} of {len(self.systems)} runs are {depth} documents deep; rankings are "
                f"compared, which needs at least {LEAST_RUNS}"
            )
        names = sorted({self.team_of[i] for i in which})
        place = {name: k for k, name in enumerate(names)}
        return Setting(
            self.name,
            depth,
            self.rel,
            self.pool,
            self.n_docs,
            self.judged_doc,
            [self.systems[i].cut(depth) for i in which],
            np.array([place[self.team_of[i]] for i in which], dtype=np.int64),
            names if self.public_teams else [f"team {k + 1}" for k in range(len(names))],
            self.contributed[which],
        )


def guess_rel(name: str) -> float:
    """Lowest relevant grade where none is given: 2 for the passages of TREC's Deep Learning track, as there; else 1."""
    return 2.0 if re.search(r"(^|[^a-z])dl-?(20)?\d\d|deep-?learning", name.lower()) else 1.0


def read(folder: str | Path, rel: float | None = None, qrels: str | None = None) -> Collection:
    """Read a folder.

    Parameters
    ----------
    folder : with `qrels/`, `runs/` and perhaps `runs.tsv`
    rel : lowest relevant grade; None: see `guess_rel`
    qrels : name of the file in `qrels/`, where there are several

    Raises
    ------
    ValueError
        Something is missing, or too little to rank systems by.
    """
    home = Path(folder)
    if not home.is_dir():
        raise ValueError(f"{folder} is no folder")
    name = home.resolve().name
    rel = guess_rel(name) if rel is None else float(rel)
    pool_all = Pool.build(irpref.read_qrels(_one_file(home / "qrels", qrels)))
    files = _files(home / "runs")
    if len(files) < LEAST_RUNS:
        raise ValueError(
            f"{home / 'runs'}: {len(files)} runs; rankings are compared, which needs at least {LEAST_RUNS}"
        )
    runs = [re.sub(r"\.gz$", "", p.name) for p in files]
    runs = [re.sub(r"\.(run|txt|res)$", "", run) for run in runs]
    if len(set(runs)) < len(runs):
        raise ValueError(f"{home / 'runs'}: two files are called alike but for their endings")
    number: dict[str, int] = {}  # of each document, in the order in which it is met
    found: list[tuple[Ints, Ints, Ints]] = []  # of each run: documents by topic, their numbers, rows of the pool
    for path in files:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IrprefWarning)  # repeated documents: the last row counts, as for the host
            try:
                of = listing(pool_all, irpref.read_run(path))
            except ValueError as error:
                raise ValueError(f"{path.name}: {error}") from None
        found.append((of.topics.lengths, _numbers(of.doc_ids, number), of.row.astype(np.int32)))

    # Topics: those with a relevant document that a run answers.
    answered = np.sum([lengths for lengths, _, _ in found], axis=0) > 0
    relevant = pool_all.count_relevant(rel) > 0
    used = np.flatnonzero(answered & relevant)
    left_out = {
        "no relevant document": int((~relevant).sum()),
        "no run answers": int((relevant & ~answered).sum()),
    }
    if used.size < LEAST_TOPICS:
        raise ValueError(
            f"{name}: {used.size} topics have a document of grade {rel:g} or more and are answered, which are too few "
            f"to study (at least {LEAST_TOPICS})"
        )
    pool, new_row = _only(pool_all, used)
    judged_doc = _numbers(pool.doc_ids.tolist(), number)
    in_use = np.zeros(len(number), bool)
    in_use[judged_doc] = True
    for k, (lengths, doc, row) in enumerate(found):
        rows = Segments.of_lengths(lengths).rows(used)
        found[k] = lengths[used], doc[rows], np.where(row[rows] >= 0, new_row[row[rows]], -1).astype(np.int32)
        in_use[doc[rows]] = True

    # Documents of these topics, numbered in the order of their ids: draws do not depend on the order of the files.
    ids = sorted(doc for doc, k in number.items() if in_use[k])
    place = np.full(len(number), -1, dtype=np.int32)
    place[_numbers(ids, number)] = np.arange(len(ids))
    content = hashlib.blake2b(hash_of_pool(pool).encode() + f"{rel:g}".encode(), digest_size=8)
    content.update("\0".join(ids).encode("utf-8", "surrogatepass"))
    systems = []
    for run, (lengths, doc, row) in zip(runs, found, strict=True):
        systems.append(System(Segments.of_lengths(lengths), place[doc], row))
        content.update(run.encode() + lengths.tobytes() + place[doc].tobytes())
    team_of, public, source = _teams(home, runs, systems)
    contributed, contributions = _contributed(home, runs)
    content.update(repr([team_of, contributed.tolist()]).encode())
    return Collection(
        name,
        rel,
        pool,
        len(ids),
        place[judged_doc],
        runs,
        systems,
        team_of,
        public,
        contributed,
        left_out,
        source,
        contributions,
        content.hexdigest(),
    )


def _numbers(ids: list[str], number: dict[str, int]) -> Ints:
    """Number of each document; new ones get the next."""
    return np.fromiter((number.setdefault(doc, len(number)) for doc in ids), dtype=np.int32, count=len(ids))


def _files(folder: Path) -> list[Path]:
    """Files of a folder but those that explain it."""
    every = (p for p in folder.glob("*") if p.is_file() and not p.name.startswith("."))
    return sorted(p for p in every if p.suffix.lower() != ".md" and not p.name.lower().startswith("readme"))


def _one_file(folder: Path, name: str | None) -> Path:
    files = _files(folder)
    if name is not None:
        found = [p for p in files if p.name == name]
        if not found:
            raise ValueError(f"{folder} has no file {name!r} (there are {', '.join(p.name for p in files) or 'none'})")
        return found[0]
    if len(files) != 1:
        listed = ", ".join(p.name for p in files[:5]) or "none"
        raise ValueError(f"{folder}: expected one file, there are {len(files)} ({listed}); choose one with --qrels")
    return files[0]


def _only(pool: Pool, topics: Ints) -> tuple[Pool, Ints]:
    """The judgments of some topics, in the order of their ids; and the new row of each old one, -1 for none."""
    rows = pool.judged.rows(topics)
    part = Pool(
        [pool.topic_ids[t] for t in topics.tolist()],
        Segments.of_lengths(pool.judged.lengths[topics]),
        pool.grade[rows],
        pool.doc_ids[rows].tolist(),
        np.arange(rows.size),
    )
    new = np.full(pool.grade.size, -1, dtype=np.int64)
    new[rows] = np.arange(rows.size)
    return part, new


def _column(home: Path, name: str) -> dict[str, str]:
    """A column of runs.tsv by run; empty where there is none."""
    path = home / "runs.tsv"
    if not path.exists():
        return {}
    with open(path, encoding="utf-8", newline="") as file:
        table = csv.DictReader(file, delimiter="\t")
        rows = list(table)
    columns = table.fieldnames or ()
    if "run" not in columns:
        raise ValueError(f"{path} has no column run (there are {', '.join(columns) or 'none'})")
    return {row["run"]: (row.get(name) or "").strip() for row in reversed(rows)}


def _teams(home: Path, runs: list[str], systems: list[System]) -> tuple[list[str], bool, str]:
    """Team of each run, whether their names are published, and how they were found."""
    known = _column(home, "team")
    if any(known.get(run) for run in runs):
        return [known.get(run) or run for run in runs], True, "runs.tsv"
    stages = {run: found["front"] or found["back"] for run in runs if (found := _STAGE.match(run))}
    if len(set(stages.values())) > 1:
        return _by_stage(runs, systems, stages), False, "first stage"
    return [team_by_name(run) for run in runs], False, "beginning of the run's name"


def team_by_name(run: str) -> str:
    """The letters that a run's name begins with; the whole name where it begins with none.

    >>> team_by_name("CUNI_cs.run1"), team_by_name("uic0301"), team_by_name("10x20.prf")
    ('CUNI', 'uic', '10x20.prf')
    """
    found = re.match(r"[^\W\d_]+", run)
    return found.group() if found else run


def _by_stage(runs: list[str], systems: list[System], stages: dict[str, str]) -> list[str]:
    """Rerankings belong to the run they rerank: by name, else to the one that shares most documents."""
    names = sorted(set(stages.values()), key=len, reverse=True)
    keys = {}
    for run, of in zip(runs, systems, strict=True):
        top = of.cut(PRIMARY)
        keys[run] = top.retrieved.topic * (1 << 32) + top.doc
    teams = []
    for run in runs:
        found = stages.get(run) or next((n for n in names if re.match(re.escape(n) + r"(__|\.)", run)), None)
        if found is None:
            shared = {first: np.intersect1d(keys[run], keys[first]).size for first in stages}
            found = stages[max(shared, key=lambda first: (shared[first], first))]
        teams.append(found)
    return teams


def _contributed(home: Path, runs: list[str]) -> tuple[Bools, str]:
    known = _column(home, "contributed_judgments")
    found = np.array([known.get(run, "").lower() in ("yes", "true", "1") for run in runs])
    if found.any():
        return found, "runs.tsv"
    return np.ones(len(runs), bool), "no record: every run counts"


def named(pairs: Iterable[str]) -> dict[str | None, float]:
    """`--rel` options, NAME=GRADE or GRADE, as a dict; None is the key of a grade for all."""
    found: dict[str | None, float] = {}
    for text in pairs:
        name, _, grade = text.rpartition("=")
        try:
            found[name or None] = float(grade)
        except ValueError:
            raise ValueError(f"--rel {text}: expected a grade such as 2, or NAME=2") from None
        if not found[name or None] > 0:
            raise ValueError(f"--rel {text}: a grade above 0 is relevant")
    return found
