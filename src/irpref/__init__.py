"""irpref."""
