"""Pictures of the curves and tables of `irpref.curves`, of values by topic, of leaderboards and of
meta-evaluation.

A function takes the result of `irpref_lab.leaderboard` or of a study of `irpref_lab.meta`; for
curves and values by topic either the table, or the qrels and runs it is made from (with the options
of the function in `irpref.curves`). It draws on `ax`, or on a new figure about as wide as a column,
and returns the Axes. It computes nothing. `ax.set_title("")` removes a title that the caption
repeats.

Runs differ in line and marker as well as in colour, wins and losses in side and hatching. A system
has the same colour in all pictures of a session; `irpref_lab.plots.drawing.forget()` starts afresh.
If there are more than eight runs, only the best five, or those named by `highlight`, are in colour
and the others are grey. Long names are shortened in the middle, and a common beginning or end is
left out; the picture says so.

Judgments and runs may have any form that `irpref.curves` takes, PyTerrier's frames included. The
pictures of values by topic also take the result of `pt.Experiment(..., perquery=True)`.

Needs matplotlib: `pip install matplotlib`.
"""

from irpref_lab.plots.board_plot import leaderboard
from irpref_lab.plots.curve_plots import (
    crp,
    crp_sketch,
    cumulated_gain,
    npref_convergence,
    precision_recall,
)
from irpref_lab.plots.drawing import axes
from irpref_lab.plots.meta_plots import incompleteness, significance, stability, swap
from irpref_lab.plots.value_plots import measure_scatter, precision_histogram, topic_strip

__all__ = [
    "axes",
    "crp",
    "crp_sketch",
    "cumulated_gain",
    "incompleteness",
    "leaderboard",
    "measure_scatter",
    "npref_convergence",
    "precision_histogram",
    "precision_recall",
    "significance",
    "stability",
    "swap",
    "topic_strip",
]
