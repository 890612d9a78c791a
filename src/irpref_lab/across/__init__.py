"""Several collections at once: comparing systems over all collections."""

from irpref_lab.across.collected import Collections, collections

__all__ = ["Collections", "collections"]
