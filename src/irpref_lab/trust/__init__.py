"""How far values can be trusted: ties, unjudged documents, and the choice of topics."""
