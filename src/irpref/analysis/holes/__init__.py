"""What unjudged documents could make of a value."""

from irpref.analysis.holes.bounds import hole_intervals

__all__ = ["hole_intervals"]
