"""Values by system and topic, and what all analyses of them share: samples of topics, pairs of
systems, variance.
"""
