"""`python -m irpref` is the `irpref` command."""

from irpref.cli import script

if __name__ == "__main__":
    script()
