"""a pool whose one window leaves a remainder of the picture is refused

Run by IREE's interpreter: .targets/iree-3.13.0/bin/python script.py. The ONNX model is built by onnx.helper; each runs in a child process.
Exit 1: the bug shows; 0: it does not.
"""
import subprocess
import sys

import numpy as np
from onnx import helper as h, numpy_helper
import onnx

N = h.make_node


def run(nodes, inputs, outs, inits=()):
    import iree.compiler.ir
    import iree.runtime
    from iree.compiler.api import Output, Session, Source
    from iree.compiler.extras import onnx_importer

    info = lambda k, d, s: h.make_tensor_value_info(k, h.np_dtype_to_tensor_dtype(np.dtype(d)), s)
    graph = h.make_graph(nodes, "case", [info(k, v.dtype, v.shape) for k, v in inputs.items()],
                         [info(k, d, s) for k, (d, s) in outs.items()],
                         [numpy_helper.from_array(a, k) for k, a in dict(inits).items()])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 20)], ir_version=9)
    onnx.checker.check_model(model, full_check=True)
    model = onnx.shape_inference.infer_shapes(model)
    info = onnx_importer.ModelInfo(model)
    module = info.create_module(context=iree.compiler.ir.Context()).operation
    onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
    with Session() as session:
        session.set_flags("--iree-input-type=onnx", "--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host")
        invocation = session.invocation()
        invocation.enable_console_diagnostics()
        if not invocation.parse_source(Source.wrap_buffer(session, str(module).encode() + b"\0")) or not invocation.execute():
            raise SystemExit(3)
        with Output.open_membuffer() as out:
            invocation.output_vm_bytecode(out)
            code = bytes(out.map_memory())
    config = iree.runtime.Config("local-sync")
    loaded = iree.runtime.load_vm_module(iree.runtime.VmModule.copy_buffer(config.vm_instance, code), config)
    result = loaded["case"](*inputs.values())
    return (result[0] if isinstance(result, (tuple, list)) else result).to_host()


def case(op, size, kernel, **more):
    x = np.arange(size * size, dtype="f4").reshape(1, 1, size, size)
    steps = (size - kernel) // kernel + 1
    windows = [x[0, 0, i * kernel:(i + 1) * kernel, j * kernel:(j + 1) * kernel] for i in range(steps) for j in range(steps)]
    expected = [w.max() if op == "MaxPool" else w.mean() for w in windows]
    node = N(op, ["x"], ["y"], kernel_shape=[kernel, kernel], strides=[kernel, kernel], **more)
    expected = np.array(expected, "f4").reshape(1, 1, steps, steps)
    return ([node], {"x": x}, {"y": ("f4", expected.shape)}), expected


def bug():
    """MaxPool by 2 of a picture of 3 by 3"""
    return case("MaxPool", 3, 2)


def average():
    """AveragePool by 2 of a picture of 3 by 3"""
    return case("AveragePool", 3, 2)


def seven():
    """MaxPool by 4 of a picture of 7 by 7"""
    return case("MaxPool", 7, 4)


def control():
    """MaxPool by 2 of a picture of 5 by 5: two windows and a remainder: right"""
    return case("MaxPool", 5, 2)


if len(sys.argv) > 1:
    model, expected = {"bug": bug, "average": average, "seven": seven, "control": control}[sys.argv[1]]()
    actual = run(*model)
    print("  expected", expected.tolist(), "\n  actual  ", actual.tolist())
    sys.exit(0 if np.array_equal(actual, expected) else 1)
wrong = {}
for which in ("bug", "average", "seven", "control"):
    print(which + ":", flush=True)
    try:
        done = subprocess.run([sys.executable, __file__, which], timeout=60, capture_output=True, text=True)
        wrong[which] = done.returncode
        lines = [l for l in done.stderr.splitlines() if "error:" in l][:1]
        print(done.stdout.rstrip() or "  no result", "\n  exit", done.returncode, *lines, flush=True)
    except subprocess.TimeoutExpired:
        wrong[which] = "timeout"
        print("  no end after 60 s", flush=True)
print("the bug shows" if wrong["bug"] else "the bug does not show", "- control", "fails too" if wrong["control"] else "right")
sys.exit(2 if wrong["control"] else 1 if wrong["bug"] else 0)
