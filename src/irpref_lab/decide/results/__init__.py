"""Results of verdicts: data frames with attributes, and the tables that readers see."""
