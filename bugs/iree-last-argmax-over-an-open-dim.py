"""ArgMax with select_last_index over an open dim. Exit 1 where the bug shows."""

import sys

import iree.compiler.ir
import iree.runtime
import numpy as np
import onnx
import onnx.parser
from iree.compiler import compile_str
from iree.compiler.extras import onnx_importer
from onnx.shape_inference import infer_shapes


def run(text, *runs):
    model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 20]> ' + text)
    onnx.checker.check_model(model, full_check=True)
    info = onnx_importer.ModelInfo(infer_shapes(model, data_prop=True))
    module = info.create_module(context=iree.compiler.ir.Context()).operation
    onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
    code = compile_str(str(module), input_type="onnx", target_backends=["llvm-cpu"],
                       extra_args=["--iree-llvmcpu-target-cpu=host"])
    config = iree.runtime.Config("local-sync")
    loaded = iree.runtime.load_vm_module(iree.runtime.VmModule.copy_buffer(config.vm_instance, code), config)
    return [loaded["g"](*arrays).to_host() for arrays in runs]


def compare(label, text, runs, expected):
    """Whether all runs give what ONNX says."""
    try:
        actual = run(text, *runs)
    except Exception as error:
        lines = [line for line in str(error).splitlines() if "error: " in line] or str(error).strip().splitlines()
        print(label, "| error:", lines[0][:160])
        return False
    right = all(a.shape == e.shape and np.allclose(a, e) for a, e in zip(actual, expected, strict=True))
    print(label, "| expected", [e.tolist() for e in expected], "| actual", [a.tolist() for a in actual], "|", "right" if right else "WRONG")
    return right


x = np.arange(6, dtype="f4").reshape(3, 2)
text = "g (float[{},2] x) => (int64[2] i) {{ i = ArgMax<axis = 0, keepdims = 0, select_last_index = 1>(x) }}"
runs, expected = [(x,), (-x,)], [np.array([2, 2]), np.array([0, 0])]
if not compare("3 rows, stated", text.format(3), runs, expected):
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if compare("B rows", text.format("B"), runs, expected) else 1)
