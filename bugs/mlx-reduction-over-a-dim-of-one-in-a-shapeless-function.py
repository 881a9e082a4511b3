"""MLX 0.32.4, CPU: a reduction over a dim of one element, in a function compiled with shapeless=True, writes out of
bounds, and the process dies. Of a transposed tensor its result is wrong, or never comes. Exit 1 where the bug shows."""

import os
import signal
import sys

import mlx.core as mx
import mlx.nn as nn

mx.set_default_device(mx.cpu)


def wrong(label, function, x, expected):
    """Whether the result is wrong, or the child that computes it dies."""
    sys.stdout.flush()
    child = os.fork()  # before the first evaluation: this process has no threads of MLX
    if child == 0:
        signal.alarm(60)
        actual = function(x).tolist()
        right = actual == expected
        print(f"{label}: expected {expected}, actual {actual}: {'right' if right else 'WRONG'}", flush=True)
        os._exit(0 if right else 1)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        ended = os.WTERMSIG(status)
        what = "no result in 60 s" if ended == signal.SIGALRM else f"the process died of signal {ended}"
        print(f"{label}: expected {expected}, {what}: WRONG")
    return status != 0


def sum_1(x):
    return x.sum(axis=1)


def transposed_sum_0(x):
    return x.transpose(0, 2, 1).sum(axis=0)


def shapeless(function):
    return mx.compile(function, shapeless=True)


column, matrix = mx.array([[1.0], [2.0]]), mx.array([[1.0, 2.0], [3.0, 4.0]])
one, two = mx.full((1, 2, 3), 2.0), mx.full((2, 2, 3), 2.0)
control = wrong("control, two elements, sum", shapeless(sum_1), matrix, [3.0, 7.0])
control |= wrong("control, two elements, transposed, sum", shapeless(transposed_sum_0), two, [[4.0, 4.0]] * 3)
control |= wrong("control, not compiled, sum", sum_1, column, [1.0, 2.0])
control |= wrong("control, not compiled, transposed, sum", transposed_sum_0, one, [[2.0, 2.0]] * 3)
bug = wrong("one element, sum", shapeless(sum_1), column, [1.0, 2.0])
bug |= wrong("one element, transposed, sum", shapeless(transposed_sum_0), one, [[2.0, 2.0]] * 3)
bug |= wrong("one element, mlx.nn.log_softmax", lambda x: nn.log_softmax(x, axis=1), column, [[0.0], [0.0]])
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
