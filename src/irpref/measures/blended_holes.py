"""O- and P-measure where documents are unjudged: the grades of these that give the lowest and the
highest value.

Both are the blended ratio BR(r) = (beta cg(r) + count(r)) / (beta cgI(r) + r) at the document
where the user stops: the first relevant one, or the first of the highest grade. BR is at most 1, so
more gain above r raises it, and more gain below r or in the pool lowers it or leaves it unchanged.
So every hole is tried as the stop, with every grade, and so is the judged document that is the stop
if no hole is. For the lowest value, holes above the stop have no gain, and holes below it have the
highest grade that does not move the stop. For the highest value, holes above have the next lower
grade (for P; for O they have no gain), and holes below have no gain."""

from __future__ import annotations

from typing import Any

import numpy as np

from irpref.kernel import Floats, Gains, Ints
from irpref.kernel.fillings import mapped
from irpref.kernel.uncertain import Fillings, OpenTopic


def stop_extremes(
    topic: OpenTopic,
    grid: Floats,
    at_best: bool,
    *,
    beta: float,
    gains: Gains,
    **_: Any,
) -> Fillings | None:
    """Fillings with the lowest and the highest value of O-measure; of P-measure if `at_best`."""

    def gain(grade: Any) -> Any:
        return np.where(grade > 0, mapped(np.asarray(grade), gains), 0.0)

    none, top, size = grid[0], grid[-1], topic.rank.size
    if gain(none) > 0:
        return None
    kept = gain(topic.hit_grade) > 0
    hit, hit_grade, hole = topic.hit_rank[kept], topic.hit_grade[kept], topic.rank[: topic.n_seen]
    ideal = -np.sort(-gain(topic.pool))
    upto, gained = (np.append(0.0, np.cumsum(part)) for part in (ideal, gain(hit_grade)))
    fillings = [np.full(size, none)]

    def best_gain(rank: Ints, *more: tuple[float, Any]) -> Floats:
        """Ideal gain down to these ranks with more documents: pairs of gain and number, by falling
        gain.
        """
        total, taken = np.zeros(rank.size), np.zeros(rank.size, np.int64)
        for adds, number in more:
            here = np.clip(rank - np.searchsorted(-ideal, -adds) - taken, 0, number)
            total, taken = total + adds * here, taken + here
        return total + upto[np.minimum(rank - taken, ideal.size)]

    def stop(rank: Ints, above: Ints, grade: float, own: int) -> None:
        """Try a stop at each of these ranks, with `above` holes above: a hole (`own` 1) or a judged
        document.
        """
        lower = grid[grid < grade][-1] if at_best and (grid < grade).any() else none
        same = grid[grid <= grade][-1] if at_best else top
        at = np.searchsorted(hit, rank, side="right")
        mine, fill = float(gain(grade)) * own, float(gain(lower))
        filled = above if fill > 0 else 0 * above
        high = (beta * (gained[at] + mine + filled * fill) + at + own + filled) / (
            beta * best_gain(rank, (mine, own), (fill, filled)) + rank
        )
        others = (
            (float(gain(top)), size - topic.n_seen),
            (float(gain(same)), topic.n_seen - above - own),
            (mine, own),
        )
        low = (beta * (gained[at] + mine) + at + own) / (beta * best_gain(rank, *others) + rank)
        for first, i, seen, unseen in (
            (lower, int(np.argmax(high)), none, none),
            (none, int(np.argmin(low)), same, top),
        ):
            filling = np.where(np.arange(size) < topic.n_seen, seen, unseen)
            filling[: above[i]], filling[above[i] : above[i] + own] = first, grade
            fillings.append(filling)

    highest = float(hit_grade.max(initial=-np.inf))
    preferred = hit[hit_grade == highest] if at_best else hit
    for grade in grid[gain(grid) > 0].tolist():
        if at_best and grade < highest:
            continue
        moved = preferred.size and not (at_best and grade > highest)
        reach = np.searchsorted(hole, preferred[0]) if moved else hole.size
        if reach:
            stop(hole[:reach], np.arange(reach), grade, 1)
    if preferred.size:
        stop(preferred[:1], np.searchsorted(hole, preferred[:1]), highest, 0)
    return fillings
