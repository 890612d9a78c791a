"""The outcomes of `irpref_lab.meta.robustness`, on all topics, on halves of the topics, and without
each team: arrays only. See there for the definitions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from irpref.kernel import Bools, Floats
from irpref_lab.meta.losses import Loss
from irpref_lab.meta.ranking import order, taus_of_scores

LEAST_TEAMS = 6  # with fewer, systems are taken as fixed
ALPHA = 0.05
CALLS = 10  # samples whose significance tests are repeated on halves of the topics
_NO_VARIANCE = 1e-15  # variance of differences that rounding leaves, for values in [0, 1]


class Outcomes:
    """Halves of the topics and teams to leave out, the same for all measures and levels, and the
    outcomes on them.

    Parameters
    ----------
    full : mapping of measure to float array (n_systems, n_topics)
        Values by all judgments, higher is better; of the criteria, too.
    criteria : names of the measures that `prediction` predicts
    lost : Loss
    n_samples, n_halves : int
    """

    def __init__(
        self,
        full: Mapping[str, Floats],
        criteria: Iterable[str],
        lost: Loss,
        n_samples: int,
        n_halves: int,
    ) -> None:
        n_topics, seed = next(iter(full.values())).shape[1], lost.seed
        self.full, self.n_samples = full, n_samples
        draw = np.random.default_rng((seed, 0, 2))
        halves = np.argsort(draw.random((n_halves, n_topics)), axis=1) < n_topics // 2
        # The first row is all topics: the estimate itself.
        self.topics: Floats = np.array([np.ones(n_topics), *halves], dtype=np.float64)
        n_teams = int(lost.team.max()) + 1
        drawn = n_teams >= LEAST_TEAMS
        self.teams: Floats = (lost.team != np.arange(n_teams if drawn else 0)[:, None]).astype(
            np.float64
        )
        self.freedom = min(n_topics, n_teams if drawn else n_topics) - 1
        draws = [
            np.random.default_rng((seed, sample, 1)).random(n_topics) for sample in range(n_samples)
        ]
        split = np.argsort(draws, axis=1) < n_topics // 2
        # Weights of the topics on each side, in each sample and half: (2, n_samples, 1 + n_halves,
        # n_topics).
        self.sides = np.array([split, ~split])[:, :, None] * self.topics
        self.truth = [[_means(full[name], side) for side in self.sides[::-1]] for name in criteria]

    def measure(
        self, name: str, values: Floats, lost: bool, pooled: Bools | None
    ) -> Iterable[tuple[str, Any]]:
        """Yield the outcomes of a measure at a level, by name: arrays by sample, on halves of the
        topics, and without each team.
        """
        given = np.broadcast_to(values, (self.n_samples, *values.shape[1:]))
        sides = [_means(given, side) for side in self.sides]
        taus = [
            self._taus(side, truth)
            for truths in self.truth
            for side, truth in zip(sides, truths, strict=True)
        ]
        yield "prediction", [np.mean(parts, axis=0) for parts in zip(*taus, strict=True)]
        if not lost:
            return
        now, before = _means(values, self.topics), _means(self.full[name], self.topics)
        yield "own", self._taus(now, np.broadcast_to(before, now.shape))
        if pooled is not None:
            yield "bias", self._bias(now, before, pooled)
        else:
            yield from self._calls(name, values)

    def _taus(self, now: Floats, truth: Floats) -> tuple[Floats, Floats, Floats]:
        n, halves, systems = now.shape
        taus = taus_of_scores(now.reshape(-1, systems), truth.reshape(-1, systems)).reshape(
            n, halves
        )
        first = order(now[:, 0, :, None], now[:, 0, None, :])
        second = order(truth[:, 0, :, None], truth[:, 0, None, :])
        agree, of_first, of_second = (
            self._pairs(signs.astype(np.float64).mean(axis=0))
            for signs in (first * second, np.abs(first), np.abs(second))
        )
        return taus[:, 0], _mean(taus[:, 1:]), agree / np.sqrt(of_first * of_second)

    def _pairs(self, by_pair: Any) -> Floats:
        """Sum over pairs of systems, from (n_systems, n_systems), without each of the teams."""
        total: Floats = ((self.teams @ by_pair) * self.teams).sum(axis=1)
        return total

    def _bias(self, now: Floats, before: Floats, pooled: Bools) -> tuple[Floats, Floats, Floats]:
        topics = np.full(now.shape[:2], np.nan)
        turned, size = np.zeros((2, len(now), len(self.teams)))
        for s, inside in enumerate(pooled):
            if inside.all():
                continue
            was = order(before[:, ~inside, None], before[:, None, inside])
            then = order(now[s][:, ~inside, None], now[s][:, None, inside])
            change = then.astype(np.float64) - was
            topics[s] = change.mean(axis=(1, 2)) / 2
            out, into = self.teams[:, ~inside], self.teams[:, inside]
            turned[s] = ((out @ change[0]) * into).sum(axis=1) / 2
            size[s] = out.sum(axis=1) * into.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            teams = _mean(turned / size)
        return topics[:, 0], _mean(topics[:, 1:]), teams

    def _calls(self, name: str, values: Floats) -> Iterable[tuple[str, Any]]:
        """Yield the shares of significant differences that are wrong, and that are kept."""
        pairs = values.shape[1] * (values.shape[1] - 1)
        wrong, kept = np.full((2, len(values), len(self.topics)), np.nan)
        teams = []
        with np.errstate(invalid="ignore", divide="ignore"):
            for b, half in enumerate(self.topics):
                truth = told_apart(self.full[name][:, half > 0])
                # Halves take most of the time, and a few samples are enough to show how topics
                # vary.
                now = told_apart(values[: CALLS if b else None, :, half > 0])
                right = (now == truth) & (now != 0)
                mistaken = (now != 0) & ~right
                wrong[: len(now), b] = np.count_nonzero(mistaken, axis=(1, 2)) / pairs
                kept[: len(now), b] = np.count_nonzero(right, axis=(1, 2)) / np.count_nonzero(truth)
                if b == 0:
                    several = ~np.eye(len(truth), dtype=bool), truth != 0
                    for by_sample, every in zip((mistaken, right), several, strict=True):
                        teams.append(
                            self._pairs((by_sample / len(values)).sum(axis=0)) / self._pairs(every)
                        )
        yield "wrong", (wrong[:, 0], _mean(wrong[:, 1:]), teams[0])
        yield "kept", (kept[:, 0], _mean(kept[:, 1:]), teams[1])


def _mean(rows: Floats) -> Floats:
    """Average over the rows, without NaN."""
    known = np.isfinite(rows)
    with np.errstate(invalid="ignore"):
        return np.where(known, rows, 0).sum(axis=0) / known.sum(axis=0)


def _means(values: Floats, weights: Floats) -> Floats:
    """Average over topics: (..., n_systems, n_topics), (..., n, n_topics) to (..., n,
    n_systems).
    """
    total = weights.sum(axis=-1, keepdims=True)
    return np.round(weights @ np.swapaxes(values, -1, -2) / np.maximum(total, 1), 12)


@lru_cache
def _critical(n: int) -> float:
    from scipy import stats

    return float(stats.t.isf(ALPHA / 2, n - 1))


def told_apart(values: Floats) -> Any:
    """Test all pairs of systems by two-sided paired t-tests at .05: +1 row better, -1 column
    better, 0 neither.

    Values (..., n_systems, n_topics) to int8 (..., n_systems, n_systems). Pairs whose differences
    do not vary are not told apart."""
    n = values.shape[-1]
    mean = values.mean(axis=-1)
    centred = values - mean[..., None]
    covariance = centred @ np.swapaxes(centred, -1, -2) / (n - 1)
    variance = np.diagonal(covariance, axis1=-2, axis2=-1)
    spread = variance[..., None] + variance[..., None, :] - 2 * covariance
    difference = mean[..., None] - mean[..., None, :]
    # |t| > critical, without a division by a variance of 0.
    told = (difference * difference > _critical(n) ** 2 / n * spread) & (spread > _NO_VARIANCE)
    return told * np.where(difference > 0, np.int8(1), np.int8(-1))
