"""The robustness study of docs/robustness.md: `python -m study FOLDER...`; the plan is in
PREREGISTRATION.md.
"""

import os

# One thread a process: cells are computed side by side, and sums are added in one order whatever
# the machine has.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
