"""IREE 3.13.0: a row of a result that to_host() gave is overwritten by later calls."""

import sys

import iree.compiler
import iree.runtime
import numpy as np

PROGRAM = """
func.func @double(%a: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %sum = arith.addf %a, %a : tensor<2x4xf32>
  return %sum : tensor<2x4xf32>
}
"""
flags = ["--iree-llvmcpu-target-cpu=generic"]
binary = iree.compiler.compile_str(PROGRAM, target_backends=["llvm-cpu"], extra_args=flags)
module = iree.runtime.load_vm_flatbuffer(binary, driver="local-sync")
feeds = [np.full((2, 4), i, np.float32) for i in range(8)]
expected = [2.0 * feed[0] for feed in feeds]

wholes = [module.double(feed).to_host() for feed in feeds]
rows = [module.double(feed).to_host()[0] for feed in feeds]


def compare(label, actual):
    right = all(np.array_equal(row, want) for row, want in zip(actual, expected, strict=True))
    firsts = [[float(row[0]) for row in some] for some in (expected, actual)]
    print(f"{label} | expected {firsts[0]} | actual {firsts[1]} | {'right' if right else 'WRONG'}")
    return right


control = compare("arrays kept", [whole[0] for whole in wholes])
right = compare("rows kept", rows)
sys.exit(2 if not control else 0 if right else 1)
