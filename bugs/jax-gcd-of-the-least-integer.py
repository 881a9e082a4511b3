"""JAX 0.10.2, CPU: gcd never returns where an operand is the least integer of its dtype.
Each call runs in a process of its own, which is given half a minute. Exit 1 where the bug shows."""

import subprocess
import sys

SECONDS = 30
CALL = """
import jax.numpy as jnp
import numpy as np
print(np.asarray(jnp.gcd(np.array([{x}], np.int32), np.array([{y}], np.int32))).tolist())
"""


def wrong(label, x, y, expected):
    command = [sys.executable, "-c", CALL.format(x=x, y=y)]
    try:
        actual = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS).stdout.strip()
    except subprocess.TimeoutExpired:
        actual = f"nothing in {SECONDS} s"
    right = actual == str([expected])
    print(f"{label}: gcd({x}, {y}): expected {[expected]}, actual {actual}: {'right' if right else 'WRONG'}")
    return not right


control = wrong("control, two more", -(2**31) + 2, 6, 6)
bug = wrong("the least", -(2**31), 6, 2)
bug |= wrong("the least as the second", 6, -(2**31), 2)
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
