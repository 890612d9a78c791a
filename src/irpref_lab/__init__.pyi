"""What `irpref_lab` has, for type checkers: `__init__.py` loads it on first use."""

from irpref_lab import meta as meta
from irpref_lab import plots as plots
from irpref_lab import spark as spark
from irpref_lab.across import collections as collections
from irpref_lab.checking import check as check
from irpref_lab.decide import significance as significance
from irpref_lab.decide.baseline import against as against
from irpref_lab.decide.board import leaderboard as leaderboard
from irpref_lab.decide.comparison import compare as compare
from irpref_lab.decide.gating import gate as gate
from irpref_lab.given_values import values as values
from irpref_lab.judges.filling import fill as fill
from irpref_lab.judges.planning import sample as sample
from irpref_lab.judges.predictions import judge as judge
from irpref_lab.judges.sampled import sampled as sampled
from irpref_lab.page import report as report
from irpref_lab.trust.design import topics_needed as topics_needed
from irpref_lab.trust.intervals import intervals as intervals
from irpref_lab.verifying import verify as verify
