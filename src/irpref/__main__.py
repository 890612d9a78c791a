"""`python -m irpref` is the `irpref` command."""

import sys

from irpref.cli import main

if __name__ == "__main__":
    sys.exit(main())
