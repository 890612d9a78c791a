"""The toolkits we plug into, ir_measures and PyTerrier, and other tools to compare values with."""
