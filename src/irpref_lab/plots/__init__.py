"""Pictures of leaderboards and of meta-evaluation. They draw what the lab's functions return,
and compute nothing.
"""

from irpref_lab.plots.board_plot import leaderboard
from irpref_lab.plots.meta_plots import incompleteness, significance, stability, swap

__all__ = ["incompleteness", "leaderboard", "significance", "stability", "swap"]
