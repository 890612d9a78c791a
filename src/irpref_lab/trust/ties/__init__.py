"""How far the order of tied documents could change a value."""

from irpref_lab.trust.ties.over_orders import tie_intervals

__all__ = ["tie_intervals"]
