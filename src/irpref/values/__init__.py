"""Values by system and topic, and what all work on them shares: samples of topics, pairs of systems, variance."""
