"""What verdicts return: data frames with attributes, and the tables that readers see."""
