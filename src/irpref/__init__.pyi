"""What `irpref` has, for type checkers: `__init__.py` loads much of it on first use."""

from irpref import curves as curves
from irpref import datasets as datasets
from irpref import errors as errors
from irpref import settings as settings
from irpref import testing as testing
from irpref import transformers as transformers
from irpref.data.preference_files import read_preferences as read_preferences
from irpref.data.preference_files import write_preferences as write_preferences
from irpref.data.tables import read_qrels as read_qrels
from irpref.data.tables import read_run as read_run
from irpref.errors import CutWarning as CutWarning
from irpref.errors import DegenerateWarning as DegenerateWarning
from irpref.errors import DuplicateWarning as DuplicateWarning
from irpref.errors import IrprefError as IrprefError
from irpref.errors import IrprefWarning as IrprefWarning
from irpref.errors import RangeWarning as RangeWarning
from irpref.errors import ScaleWarning as ScaleWarning
from irpref.errors import UnknownMeasureError as UnknownMeasureError
from irpref.hosts.ir_measures import accelerate as accelerate
from irpref.hosts.ir_measures import register_names as register_names
from irpref.hosts.ir_measures import unregister_names as unregister_names
from irpref.hosts.other_tools import crosscheck as crosscheck
from irpref.judged.judgments import Judgments as Judgments
from irpref.judged.judgments import judgments as judgments
from irpref.judged.judgments import preferences_from as preferences_from
from irpref.judged.run import Run as Run
from irpref.judged.run import run as run
from irpref.judged.types import QrelsLike as QrelsLike
from irpref.judged.types import RunLike as RunLike
from irpref.measures import *  # noqa: F403
from irpref.measures.citations import cite as cite
from irpref.measures.declare import MeasureLike as MeasureLike
from irpref.measures.names import parse as parse
from irpref.measures.names import parse_all as parse_all
from irpref.observed.gathering import evidence as evidence
from irpref.show.explained import explain as explain
from irpref.values.binding import bind as bind
from irpref.values.evaluator import evaluator as evaluator
from irpref.values.evaluator import score as score

__version__: str
