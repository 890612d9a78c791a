"""The measures: one file a definition, formula, kernel and declaration together."""

# isort: off
# The order is that of the documentation.
from irpref.measures.rpref import NPref, RPref
from irpref.measures.bpref import Bpref10, BprefN, BprefR, BprefVariant
from irpref.measures.blended_ratio import OMeasure, PMeasure, PPlus, QMeasure
from irpref.measures.ncu import NCU
from irpref.measures.crp import CRP, CRPRecovery, nCRP
from irpref.measures.twist import Twist
from irpref.measures.known import Coverage, Novelty
from irpref.measures.expected import RecallEffort, RelativeRecall
from irpref.measures.e_measure import EMeasure, FMeasure
from irpref.measures.original_ndcg import OriginalNDCG

# isort: on
from irpref.measures.declare import registered

__all__ = [
    "CRP",
    "NCU",
    "Bpref10",
    "BprefN",
    "BprefR",
    "BprefVariant",
    "CRPRecovery",
    "Coverage",
    "EMeasure",
    "FMeasure",
    "NPref",
    "Novelty",
    "OMeasure",
    "OriginalNDCG",
    "PMeasure",
    "PPlus",
    "QMeasure",
    "RPref",
    "RecallEffort",
    "RelativeRecall",
    "Twist",
    "nCRP",
    "registered",
]
