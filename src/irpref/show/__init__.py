"""Pictures, text tables and reports. They show what other modules compute."""
