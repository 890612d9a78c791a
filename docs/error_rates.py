"""The error rates on docs/leaderboard.md: how often is any of m equal runs called different from another?

    python docs/error_rates.py [EXPERIMENTS]      # about five minutes for the 32,000 of the page

An experiment draws values of equal runs on topics of very different difficulty, tests all pairs at level 5 %, and is
wrong if any p-value says so. The randomised test deals out the same orders to 200 experiments at a time, of which each
is an exact test of its own.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy import stats

from irpref.analysis.pairs import pair_tests, randomised_tukey
from irpref.values.design import residual_variance

LEVEL = 0.05
AT_A_TIME = 200
PERMUTATIONS = 999
# Runs, topics, and what the values look like.
CASES = (("skewed", 8, 50), ("P@10", 8, 50), ("RR", 8, 40), ("skewed", 20, 40))


def values(kind: str, runs: int, topics: int, draw: np.random.Generator) -> np.ndarray:
    """Values of equal runs: shape (runs, topics)."""
    difficulty, size = draw.beta(1, 2, size=topics), (runs, topics)
    if kind == "P@10":
        return draw.binomial(10, difficulty, size=size) / 10
    if kind == "RR":
        return 1 / draw.geometric(np.clip(difficulty, 0.02, 1), size=size)
    return np.clip(difficulty * draw.beta(4, 2, size=size) * 1.5, 0, 1)


def error_rates(kind: str, runs: int, topics: int, experiments: int, seed: int = 2026) -> dict[str, float]:
    """Share of experiments that call any pair different, by test."""
    draw = np.random.default_rng(seed)
    critical = stats.studentized_range.ppf(1 - LEVEL, runs, (runs - 1) * (topics - 1))
    wrong = dict.fromkeys(("randomised_tukey", "tukey", "holm"), 0)
    rounds = max(experiments // AT_A_TIME, 1)
    for number in range(rounds):
        drawn = [values(kind, runs, topics, draw) for _ in range(AT_A_TIME)]
        # The largest difference has the smallest p-value.
        largest = [np.ptp(of.mean(axis=1), keepdims=True) for of in drawn]
        wrong["randomised_tukey"] += sum(
            float(p[0]) <= LEVEL * (1 + 1e-9) for p in randomised_tukey(drawn, largest, PERMUTATIONS, number)
        )
        wrong["tukey"] += sum(
            float(gap[0]) >= critical * (residual_variance(of) / topics) ** 0.5
            for gap, of in zip(largest, drawn, strict=True)
        )
        wrong["holm"] += sum(bool((of.p_adjusted <= LEVEL).any()) for of in pair_tests(drawn, "holm"))
    return {test: count / (rounds * AT_A_TIME) for test, count in wrong.items()}


def main() -> None:
    """Print a line for each case."""
    experiments = int(sys.argv[1]) if len(sys.argv) > 1 else 32_000
    for kind, runs, topics in CASES:
        found = error_rates(kind, runs, topics, experiments)
        shown = ", ".join(f"{test} {100 * share:.2f} %" for test, share in found.items())
        print(f"{kind}, {runs} runs, {topics} topics: {shown}")


if __name__ == "__main__":
    main()
