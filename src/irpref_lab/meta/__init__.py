"""Meta-evaluation: how good is a measure?

All methods read a matrix of values, systems by topics (`TopicValues`), and ask of the measure
behind it:

- `stability`: do samples of topics agree on which system is better?
- `swap`: how large must a difference be to hold on other topics?
- `discriminative_power`: how many pairs of systems does it tell apart?
- `system_ranking`, `agreement`: how does it rank the systems, next to other measures?
- `incompleteness`: does it still rank them the same way if judgments are missing or wrong?
- `robustness`: how far does that hold for other topics and other systems?
- `topic_set_size`, `topics_needed`: how many topics does it take to detect a difference of a given
  size?

`restriction` judges runs by a part of the judgments, `losses` says which part, and `experiment`
evaluates with it; `outcomes` has the numbers of `robustness`, and `journal` keeps results of
`incompleteness` in a file.

`rng` is a seed or a NumPy Generator (seed 0 if you give none); some functions take the samples
themselves. `irpref_lab.plots` draws the results: `stability(result)`, `swap`, `significance`,
`incompleteness`."""

from irpref.values import TopicValues
from irpref_lab.meta.incompleteness import LEVELS, Incompleteness, incompleteness
from irpref_lab.meta.losses import thin
from irpref_lab.meta.power import DiscriminativePower, discriminative_power
from irpref_lab.meta.ranking import SystemRanking, agreement, kendall_tau, system_ranking, tau_ap
from irpref_lab.meta.robustness import Robustness, robustness
from irpref_lab.meta.stability import Stability, stability
from irpref_lab.meta.swap import Swap, swap
from irpref_lab.meta.values import topic_values
from irpref_lab.trust.design import (
    detectable_difference,
    power_of,
    residual_variance,
    topic_set_size,
    topics_needed,
)

__all__ = [
    "LEVELS",
    "DiscriminativePower",
    "Incompleteness",
    "Robustness",
    "Stability",
    "Swap",
    "SystemRanking",
    "TopicValues",
    "agreement",
    "detectable_difference",
    "discriminative_power",
    "incompleteness",
    "kendall_tau",
    "power_of",
    "residual_variance",
    "robustness",
    "stability",
    "swap",
    "system_ranking",
    "tau_ap",
    "thin",
    "topic_set_size",
    "topic_values",
    "topics_needed",
]
