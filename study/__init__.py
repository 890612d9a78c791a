"""The robustness study of docs/robustness.md: `python -m study FOLDER...`; the plan is in PREREGISTRATION.md."""
