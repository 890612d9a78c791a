"""Files of runs and judgments, read into tables."""
