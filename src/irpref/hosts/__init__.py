"""The toolkits we plug into: ir_measures, PyTerrier, ir_datasets, Spark."""
