"""Words that functions of the lab share."""

from __future__ import annotations

import math

from irpref.errors import ArgumentError
from irpref.messages import clipped


def not_accepted(name: str, value: object, expected: str) -> ArgumentError:
    """Make the error about the value of an argument, which says what is expected."""
    return ArgumentError(
        f"{name}={clipped(repr(value))} is not accepted, expected {expected}",
        parameter=name,
        value=value,
    )


def end_of_interval(end: float) -> str:
    """Show the end of an interval with its sign."""
    return f"{end:+.4f}" if math.isfinite(end) else "-"


def p_value(p: float) -> str:
    """Format a p-value as all outputs for readers show it; a dash if no test was possible."""
    return "-" if p != p else f"{p:.4f}" if p >= 0.0001 else "<0.0001"


def p_equals(p: float) -> str:
    """Format a p-value in a sentence: `p = 0.0014`."""
    shown = p_value(p)
    return f"p < {shown[1:]}" if shown.startswith("<") else f"p = {shown}"
