"""Several collections at once: which system is better over all of them."""

from irpref_lab.across.collected import Collections, collections

__all__ = ["Collections", "collections"]
