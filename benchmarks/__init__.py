"""How fast irpref is, beside the tools people use now."""
