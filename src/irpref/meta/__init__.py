"""Meta-evaluation: how good is a measure?

All methods look at a matrix of values, systems by topics (`TopicValues`), and ask of the measure behind it:

- `stability`: do samples of topics agree on which system is better?
- `swap`: how large must a difference be to hold on other topics?
- `discriminative_power`: how many pairs of systems does it tell apart?
- `system_ranking`, `agreement`: how does it rank the systems, next to other measures?
- `incompleteness`: does it rank them alike when most judgments are missing, or wrong?
- `cutoffs`: what does a cutoff cost it?
- `topic_set_size`, `topics_needed`: how many topics tell a difference of a given size apart?

Randomness enters as `rng` (a seed or a NumPy Generator) or as the samples themselves.
The pictures of the results, `plot_...`, are drawn by `irpref.show.meta_plots`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from irpref.meta.cutoffs import CUTOFFS, cutoffs
from irpref.meta.design import detectable_difference, power_of, residual_variance, topic_set_size, topics_needed
from irpref.meta.incompleteness import (
    LEVELS,
    Incompleteness,
    Restriction,
    incompleteness,
    thin,
)
from irpref.meta.power import DiscriminativePower, discriminative_power
from irpref.meta.ranking import SystemRanking, agreement, kendall_tau, system_ranking, tau_ap
from irpref.meta.samples import resample, resample_twice
from irpref.meta.stability import Stability, stability
from irpref.meta.swap import Swap, swap
from irpref.meta.values import PairDifferences, TopicValues, read_values, topic_values

if TYPE_CHECKING:
    from irpref.show.meta_plots import (
        plot_cutoffs,
        plot_incompleteness,
        plot_significance,
        plot_stability,
        plot_swap,
    )

__all__ = [
    "CUTOFFS",
    "LEVELS",
    "DiscriminativePower",
    "Incompleteness",
    "PairDifferences",
    "Restriction",
    "Stability",
    "Swap",
    "SystemRanking",
    "TopicValues",
    "agreement",
    "cutoffs",
    "detectable_difference",
    "discriminative_power",
    "incompleteness",
    "kendall_tau",
    "plot_cutoffs",
    "plot_incompleteness",
    "plot_significance",
    "plot_stability",
    "plot_swap",
    "power_of",
    "read_values",
    "resample",
    "resample_twice",
    "residual_variance",
    "stability",
    "swap",
    "system_ranking",
    "tau_ap",
    "thin",
    "topic_set_size",
    "topic_values",
    "topics_needed",
]


def __getattr__(name: str) -> Any:
    if name.startswith("plot_") and name in __all__:  # drawing is loaded when it is asked for
        return getattr(import_module("irpref.show.meta_plots"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
