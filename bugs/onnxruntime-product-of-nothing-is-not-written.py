"""A MatMul over no elements leaves its result unwritten: what another session computed before shows in it. Exit 1 where the bug shows."""

import sys

import numpy as np
import onnxruntime as ort
from onnx import parser

options = ort.SessionOptions()
options.add_session_config_entry("session.use_env_allocators", "1")  # one arena for all sessions
ort.create_and_register_allocator(ort.OrtMemoryInfo("Cpu", ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, ort.OrtMemType.DEFAULT), None)


def session(text):
    model = parser.parse_model(f'<ir_version: 9, opset_import: ["" : 20]> g {text}')
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def product(elements):
    exp = session("(float[2] x) => (float[2] y) { y = Exp (x) }")
    matmul = session(f"(float[2, {elements}] x, float[{elements}] y) => (float[2] z) {{ z = MatMul (x, y) }}")
    held = [exp.run(None, {"x": np.float32([1, 2])}) for _ in range(50)]
    del held  # back to the arena
    z = matmul.run(None, {"x": np.zeros((2, elements), np.float32), "y": np.ones(elements, np.float32)})[0]
    print(f"[2, {elements}] by [{elements}]: expected [0.0, 0.0], actual {z.tolist()}")
    return not (z == 0).all()


bug, control = product(0), product(1)
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
