"""The commands of the lab, in the same `irpref` command as those of the plugin."""
