"""The measures: one file a definition, formula, kernel and declaration together.

These lines are the one list of their names, in the order of the documentation. `__init__.pyi`
beside this file holds their parameters for editors and type checkers; docs/make_types.py writes it
from the declarations."""

# ruff: noqa: F401

# isort: off
from irpref.measures.rpref import NPref, RPref
from irpref.measures.bpref import Bpref10, BprefN, BprefR, BprefVariant
from irpref.measures.blended_ratio import OMeasure, PMeasure, PPlus, QMeasure, RMeasure
from irpref.measures.generalised import GPrecision, GRecall
from irpref.measures.weighted_rr import WeightedRR
from irpref.measures.ncu import NCU
from irpref.measures.crp import CRP, CRPRecovery, nCRP
from irpref.measures.twist import Twist
from irpref.measures.known import Coverage, Novelty
from irpref.measures.expected import RecallEffort, RelativeRecall
from irpref.measures.search_efficiency import TSE
from irpref.measures.e_measure import EMeasure, FMeasure
from irpref.measures.seen_ap import SeenAP
from irpref.measures.original_ndcg import OriginalNDCG
from irpref.measures.gain import CG, DCG, NCG
from irpref.measures.rank_biased import RBPResidual
from irpref.measures.precision import InterpolatedPrecision
from irpref.measures.capped_recall import CappedRecall
from irpref.measures.full_recall import FullRecall
from irpref.measures.prefs import NumPrefs, NumPrefsFulfilled, PrefShare
from irpref.measures.prefs_at import PrefAP, PrefPrecision, PrefRecall, WeightedPrefPrecision

# isort: on
from irpref.measures.declare import KernelMeasure, registered

__all__ = [name for name, value in list(globals().items()) if isinstance(value, KernelMeasure)]
