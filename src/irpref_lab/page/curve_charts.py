"""The curves of the runs on the page, as pictures that `charts.toml` describes."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, TypeAlias

import pandas as pd
from ir_measures.measures import Measure

from irpref import curves
from irpref.judged import Judgments, RunLike, align_run
from irpref.measures import RPref
from irpref_lab.page.rankings import unjudged_by_rank
from irpref_lab.plots.drawing import CRP_CUT
from irpref_lab.plots.plot_data import constant_npref

Chart: TypeAlias = dict[str, Any]

CURVE_RANKS = (*range(1, 21), 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 750, 1000)
_CRP = frozenset({"CRP", "nCRP", "CRPRecovery"})


def curve_charts(
    chosen: Sequence[Measure], qrels: Judgments, runs: Mapping[str, RunLike]
) -> dict[str, list[Chart]]:
    """Make the curves of the runs, and shares of unjudged documents by rank: means over the
    topics. CRP and n-pref are drawn if one of their measures is on the page.
    """
    try:
        pool = qrels.pool()
    except ValueError:  # preferences without grades
        return {"curves": [], "holes": []}
    asked = {measure.NAME for measure in chosen}
    seen = {name: align_run(pool, run) for name, run in runs.items()}  # aligned once for all curves
    ends = {name: int(judged.n_retrieved.max(initial=0)) for name, judged in seen.items()}
    looks = tomllib.loads(
        files("irpref_lab.page").joinpath("charts.toml").read_text(encoding="utf-8")
    )

    def chart(name: str, table: pd.DataFrame, **more: str) -> Chart:
        """Make a picture with a line for each run, which ends where the run ends."""
        look = looks[name]
        lines = table.pivot(index=look["x"], columns="run", values=look["y"])
        if look["x"] == "rank":
            lines = lines[lines.index.isin(CURVE_RANKS)]
            lines = lines.where(
                lines.index.to_numpy()[:, None] <= [ends[name] for name in lines.columns]
            )
        return look | more | {"x": lines.index, "y": [lines[name] for name in runs]}

    drawn = [
        chart("precision", curves.interpolated_precision(qrels, seen)),
        chart("gain", curves.cumulated_gain(qrels, seen, depth=CURVE_RANKS[-1])),
    ]
    if asked & _CRP:
        crp = curves.crp(qrels, seen, depth=CURVE_RANKS[-1])
        # As in `irpref_lab.plots.crp`: later ranks say little about a run.
        last = math.ceil(CRP_CUT * max(float(crp["recall_base"].iloc[0]), 1))
        drawn.append(chart("crp", crp[crp["rank"] <= last]))
    if "NPref" in asked:
        rpref = RPref(norm="relative", max_rel=max(1.0, pool.max_gain(None)))
        npref = curves.npref_convergence(qrels, seen, rpref)
        constant = constant_npref(npref)
        note = {"note": constant} if constant else {}
        drawn.append(chart("npref", npref, title=f"n-pref, {rpref}", **note))

    # After one mark of the axis, up to the next.
    shares = unjudged_by_rank(qrels, seen)
    unjudged = {
        "x": shares["rank"].unique(),
        "y": [shares.loc[shares["run"] == name, "unjudged"] for name in runs],
    }
    return {"curves": drawn, "holes": [looks["unjudged"] | unjudged]}
