"""A worker that cannot start: it says why on standard error, as a failed import does."""

import sys

sys.stderr.write("Traceback (most recent call last):\nModuleNotFoundError: No module named 'nothing'\n")
sys.exit(1)
