"""Arrays by topic: all that a kernel sees. A measure's file imports its needs from here."""

from irpref.kernel.grades import Gains, Grades, Levels
from irpref.kernel.memo import shared
from irpref.kernel.reasons import MISSED, REST, RETRIEVED, Topic, names, say_preferences
from irpref.kernel.run import BATCH_ROWS, JudgedRun
from irpref.kernel.segments import Bools, Floats, Ints, Segments, all_whole, opens, order_by, ratio
from irpref.kernel.terms import Parts, Sum, Terms, Working
from irpref.kernel.uncertain import Holes, OneDocument, Unmoved, WeightedSum

__all__ = [
    "BATCH_ROWS",
    "MISSED",
    "REST",
    "RETRIEVED",
    "Bools",
    "Floats",
    "Gains",
    "Grades",
    "Holes",
    "Ints",
    "JudgedRun",
    "Levels",
    "OneDocument",
    "Parts",
    "Segments",
    "Sum",
    "Terms",
    "Topic",
    "Unmoved",
    "WeightedSum",
    "Working",
    "all_whole",
    "names",
    "opens",
    "order_by",
    "ratio",
    "say_preferences",
    "shared",
]
