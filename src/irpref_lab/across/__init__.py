"""Several collections at once: comparing systems over all collections."""

from irpref_lab.across.collected import Collections, check_single, collections, several

__all__ = ["Collections", "check_single", "collections", "several"]
