"""a Gather of a Slice by a step is refused: the translation to LLVM meets a vector.gather over a strided memref

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


X = {"x": np.array([0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5], "f4"), "i": np.array([2, 0, 1, 3], "i8")}


def case(start, end, step):
    one = lambda n: np.array([n], "i8")
    nodes = [N("Slice", ["x", "start", "end", "axis", "step"], ["s"]), N("Gather", ["s", "i"], ["y"], axis=0)]
    inits = {"start": one(start), "end": one(end), "axis": one(0), "step": one(step)}
    return (nodes, X, {"y": ("f4", (4,))}, inits), X["x"][start:end:step][X["i"]]


def bug():
    """x[1:8:2][i]"""
    return case(1, 8, 2)


def control():
    """x[1:5:1][i]: right"""
    return case(1, 5, 1)


if len(sys.argv) > 1:
    model, expected = {"bug": bug, "control": control}[sys.argv[1]]()
    actual = run(*model)
    print("  expected", expected.tolist(), "\n  actual  ", actual.tolist())
    sys.exit(0 if np.array_equal(actual, expected) else 1)
wrong = {}
for which in ("bug", "control"):
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
