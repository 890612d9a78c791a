"""What `irpref` has. Type checkers read this file, and `__init__.py` loads from it what it does not import itself."""

from irpref import datasets as datasets
from irpref import meta as meta
from irpref import reference as reference
from irpref.analysis import curves as curves
from irpref.analysis import significance as significance
from irpref.analysis import testing as testing
from irpref.analysis.check import check as check
from irpref.analysis.explain import explain as explain
from irpref.analysis.holes.pairs import judge_next as judge_next
from irpref.analysis.intervals import intervals as intervals
from irpref.analysis.judges import fill as fill
from irpref.analysis.leaderboard import leaderboard as leaderboard
from irpref.analysis.predictions import judge as judge
from irpref.analysis.prefer import prefer as prefer
from irpref.analysis.verdict import compare as compare
from irpref.analysis.verdict import gate as gate
from irpref.formats.preferences import read_preferences as read_preferences
from irpref.formats.preferences import write_preferences as write_preferences
from irpref.formats.tables import read_qrels as read_qrels
from irpref.formats.tables import read_run as read_run
from irpref.hosts import ir_measures as host
from irpref.hosts import pyterrier as pt
from irpref.hosts import spark as spark
from irpref.hosts.crosscheck import crosscheck as crosscheck
from irpref.hosts.ir_measures import accelerate as accelerate
from irpref.hosts.ir_measures import register_names as register_names
from irpref.hosts.ir_measures import unregister_names as unregister_names
from irpref.hosts.pyterrier import stages as transformers
from irpref.judged.preferences import preferences_from as preferences_from
from irpref.judged.types import Qrels as Qrels
from irpref.judged.types import Run as Run
from irpref.measures import *  # noqa: F403
from irpref.measures import settings as settings
from irpref.measures.binding import bind as bind
from irpref.measures.binding import with_known as with_known
from irpref.measures.cite import cite as cite
from irpref.measures.declare import MeasureLike as MeasureLike
from irpref.measures.names import UnknownMeasureError as UnknownMeasureError
from irpref.measures.names import parse as parse
from irpref.measures.names import parse_all as parse_all
from irpref.messages import DegenerateWarning as DegenerateWarning
from irpref.messages import DuplicateWarning as DuplicateWarning
from irpref.messages import IrprefWarning as IrprefWarning
from irpref.messages import RangeWarning as RangeWarning
from irpref.messages import ScaleWarning as ScaleWarning
from irpref.messages import TieWarning as TieWarning
from irpref.show import plots as plots
from irpref.show.report import report as report
from irpref.values.evaluator import evaluator as evaluator
from irpref.values.evaluator import score as score

__version__: str
__all__ = ["host", "pt", "transformers"]  # those whose name here is another: `as` marks the rest
