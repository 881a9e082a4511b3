"""LiteRT 2.3.0: with the reference kernels (BUILTIN_REF) the largest of infinities is a finite number. The models are
flatbuffers of one operation, made by hand. Exit 1 where the bug shows."""

import sys

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

OPERATIONS = {"REDUCE_MAX": schema.BuiltinOperator.REDUCE_MAX, "REDUCE_MIN": schema.BuiltinOperator.REDUCE_MIN}


def tensor(name, shape, dtype, buffer=0):
    made = schema.TensorT()
    made.name, made.shape, made.type, made.buffer = name, shape, dtype, buffer
    return made


def model(operation):
    """x of one row of two numbers, reduced over the second dim."""
    axis = schema.BufferT()
    axis.data = np.frombuffer(np.array([1], np.int32).tobytes(), np.uint8)
    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = OPERATIONS[operation]
    code.version = 1
    call = schema.OperatorT()
    call.inputs, call.outputs = [0, 1], [2]
    call.builtinOptionsType, call.builtinOptions = schema.BuiltinOptions.ReducerOptions, schema.ReducerOptionsT()
    graph = schema.SubGraphT()
    kinds = schema.TensorType
    x, y = tensor("x", [1, 2], kinds.FLOAT32), tensor("y", [1], kinds.FLOAT32)
    graph.tensors = [x, tensor("axis", [1], kinds.INT32, 1), y]
    graph.inputs, graph.outputs, graph.operators = [0], [2], [call]
    made = schema.ModelT()
    made.version, made.operatorCodes, made.subgraphs = 3, [code], [graph]
    made.buffers = [schema.BufferT(), axis]
    builder = flatbuffers.Builder(1024)
    builder.Finish(made.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def wrong(label, operation, row, expected, kernels=OpResolverType.BUILTIN_REF):
    interpreter = Interpreter(model_content=model(operation), experimental_op_resolver_type=kernels)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], np.array([row], np.float32))
    interpreter.invoke()
    actual = interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).tolist()
    verdict = "right" if actual == expected else "WRONG"
    print(f"{label}, {operation} of {row}: expected {expected}, actual {actual}: {verdict}", flush=True)
    return actual != expected


inf = float("inf")
optimized = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
bug = wrong("reference kernels", "REDUCE_MAX", [-inf, -inf], [-inf])
bug |= wrong("reference kernels", "REDUCE_MIN", [inf, inf], [inf])
control = wrong("control, reference kernels", "REDUCE_MAX", [-inf, -3.0], [-3.0])
control |= wrong("control, optimized kernels", "REDUCE_MAX", [-inf, -inf], [-inf], optimized)
control |= wrong("control, optimized kernels", "REDUCE_MIN", [inf, inf], [inf], optimized)
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
