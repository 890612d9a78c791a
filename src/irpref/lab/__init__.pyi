"""What `irpref.lab` has, for type checkers: `__init__.py` loads it on first use."""

from irpref.lab import meta as meta
from irpref.lab import plots as plots
from irpref.lab import spark as spark
from irpref.lab.decide import significance as significance
from irpref.lab.decide.baseline import against as against
from irpref.lab.decide.board import leaderboard as leaderboard
from irpref.lab.decide.by_preference import prefer as prefer
from irpref.lab.decide.comparison import compare as compare
from irpref.lab.decide.gating import gate as gate
from irpref.lab.findings.checks import check as check
from irpref.lab.judges.filling import fill as fill
from irpref.lab.judges.plans import sample as sample
from irpref.lab.judges.predictions import judge as judge
from irpref.lab.judges.sampled import sampled as sampled
from irpref.lab.page import report as report
from irpref.lab.trust.design import topics_needed as topics_needed
from irpref.lab.trust.intervals import intervals as intervals
