"""How XLA is set up for a case: importing this sets the environment, and comes before JAX. Standard library only.

On the CPU, with 64-bit types, and so that no case knows of another.
"""

from __future__ import annotations

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["JAX_ENABLE_X64"] = "1"
os.environ["JAX_ENABLE_COMPILATION_CACHE"] = "0"  # nothing of another run, out of a folder
# One thread, so that a sum has one order.
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_cpu_multi_thread_eigen=false"
