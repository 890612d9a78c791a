"""Arrays by topic: what kernels see, and nothing else. What the file of a measure needs is imported from here."""

from irpref.arrays.judgments import Gains, Judgments
from irpref.arrays.reasons import MISSED, REST, RETRIEVED, Topic, names, say_preferences
from irpref.arrays.record import Record
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools, Floats, Ints, Segments, ratio
from irpref.arrays.terms import Parts, Sum, Terms

__all__ = ["Bools", "Floats", "Gains", "Ints", "JudgedRun", "Judgments", "Parts", "Record", "Segments", "Sum", "Terms"]
__all__ += ["MISSED", "REST", "RETRIEVED", "Topic", "names", "ratio", "say_preferences"]
