"""A slice of a tensor that was scattered into is read after the next scatter into that tensor, which is in place: exp(y) is computed of what y is filled with later. Exit 1 where the bug shows."""

import sys

import numpy as np
import onnx
from iree.compiler import ir
from iree.compiler.api import Output, Session, Source
from iree.compiler.extras import onnx_importer
import iree.runtime
from onnx import parser, shape_inference

TEXT = """<ir_version: 9, opset_import: ["" : 20]>
case (float[4] m) => (float[2] e, float[2] f, float[4] w)
<int64[1] zero = {0}, int64[1] two = {2}, int64[1] four = {4}, int64[2] odd = {1, 3}, int64[2] last = {2, 3}, float three = {3}>
{
  g = Gather <axis = 0> (m, odd)
  n = Neg (g)
  t = ScatterElements <axis = 0> (m, odd, n)
  s = Slice (t, two, four, zero)
  e = Exp (s)
  f = Expand (three, two)
  w = ScatterElements <axis = 0> (t, last, f)
}"""


def run(text, *flags):
    model = shape_inference.infer_shapes(parser.parse_model(text))
    onnx.checker.check_model(model, full_check=True)
    info = onnx_importer.ModelInfo(model)
    module = info.create_module(context=ir.Context()).operation
    onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
    with Session() as session:
        session.set_flags("--iree-input-type=onnx", "--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host", *flags)
        invocation = session.invocation()
        invocation.enable_console_diagnostics()
        assert invocation.parse_source(Source.wrap_buffer(session, str(module).encode() + bytes(1))) and invocation.execute()
        with Output.open_membuffer() as output:
            invocation.output_vm_bytecode(output)
            code = bytes(output.map_memory())
    config = iree.runtime.Config("local-sync")
    loaded = iree.runtime.load_vm_module(iree.runtime.VmModule.copy_buffer(config.vm_instance, code), config)
    return [one.to_host() for one in loaded["case"](np.arange(4, dtype=np.float32))]


def shows(name, text, *flags):
    e = run(text, *flags)[0]
    expected = np.exp(np.float32([2, -3]))
    print(f"{name}: e is {e.tolist()}, expected {expected.tolist()}")
    return not np.allclose(e, expected)


bug = shows("case", TEXT)
control = shows("f is no output", TEXT.replace("float[2] f, ", "")) or shows("--iree-opt-const-expr-hoisting=false", TEXT, "--iree-opt-const-expr-hoisting=false")
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
