"""The robustness study of docs/robustness.md: `python -m study FOLDER...`; what was planned is in PREREGISTRATION.md."""
