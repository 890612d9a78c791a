"""Meta-evaluation: how good is a measure?

All methods look at a matrix of values, systems by topics (`TopicValues`), and ask of the measure behind it:

- `stability`: do samples of topics agree on which system is better?
- `swap`: how large must a difference be to hold on other topics?
- `discriminative_power`: how many pairs of systems does it tell apart?
- `system_ranking`, `agreement`: how does it rank the systems, next to other measures?
- `incompleteness`: does it rank them alike when most judgments are missing?

Randomness enters as `rng` (a seed or a NumPy Generator) or as the samples themselves.
"""

from irpref.meta.incompleteness import (
    LEVELS,
    Incompleteness,
    Restriction,
    incompleteness,
    thin,
)
from irpref.meta.plots import plot_incompleteness, plot_significance, plot_stability, plot_swap
from irpref.meta.power import DiscriminativePower, discriminative_power
from irpref.meta.ranking import SystemRanking, agreement, kendall_tau, system_ranking, tau_ap
from irpref.meta.samples import resample, resample_twice
from irpref.meta.stability import Stability, stability
from irpref.meta.swap import Swap, swap
from irpref.meta.values import TopicValues, read_values, topic_values

__all__ = [
    "LEVELS",
    "DiscriminativePower",
    "Incompleteness",
    "Restriction",
    "Stability",
    "Swap",
    "SystemRanking",
    "TopicValues",
    "agreement",
    "discriminative_power",
    "incompleteness",
    "kendall_tau",
    "plot_incompleteness",
    "plot_significance",
    "plot_stability",
    "plot_swap",
    "read_values",
    "resample",
    "resample_twice",
    "stability",
    "swap",
    "system_ranking",
    "tau_ap",
    "thin",
    "topic_values",
]
