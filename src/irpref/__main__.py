"""`python -m irpref` is the `irpref` command."""

from irpref_command import script

if __name__ == "__main__":
    script()
