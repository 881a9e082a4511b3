"""The least int32 or int64 divided by -1, by div or inside lcm, ends the process on the CPU. Exit 1 where the bug shows."""
import subprocess
import sys

PROGRAM = """
import torch

def t(value, dtype):
    return torch.tensor([value], dtype=dtype)

print({0}.tolist())
"""


def dies(expression):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM.format(expression)], stdout=subprocess.PIPE, text=True)
    print(f"{expression}:", done.stdout.strip() if done.returncode == 0 else f"the process ended with {done.returncode}")
    return done.returncode != 0, done.stdout.strip()


bug = [dies(expression)[0] for expression in (
    'torch.div(t(-2**31, torch.int32), -1, rounding_mode="trunc")',
    'torch.div(t(-2**63, torch.int64), t(-1, torch.int64), rounding_mode="trunc")',
    "torch.lcm(t(-2**31, torch.int32), t(5, torch.int32))",
)]
for expression, expected in (
    ('torch.div(t(-2**31, torch.int32), -1, rounding_mode="floor")', "[-2147483648]"),
    ('torch.div(t(-2**31 + 1, torch.int32), -1, rounding_mode="trunc")', "[2147483647]"),
    ('torch.div(t(-2**15, torch.int16), -1, rounding_mode="trunc")', "[-32768]"),
    ("torch.lcm(t(-2**31, torch.int32), t(7, torch.int32))", "[-2147483648]"),
):
    if dies(expression) != (False, expected):
        print("the control is wrong too")
        sys.exit(2)
sys.exit(1 if any(bug) else 0)
