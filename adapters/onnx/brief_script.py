"""The few lines that show a case on a runtime of ONNX models: the model as text, inputs, expected, actual.

    python3 adapters onnx.brief_script

reads one request a line and answers each with a line, {"script"} or {"why"} there is none. A request has the `case`,
the `runtime`, a module of adapters/onnx/runtimes, and `expected`: one tensor for each output of the case, or null where
the runtime is to fail by itself. `rtol` and `atol` are what it may be off by. The script exits with 1 where it shows.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from adapters.onnx.graph import IR_VERSION, Graph, Value
from adapters.onnx.session import Session
from adapters.onnx.writer import Written, write
from adapters.worker.arrays import DTYPES, Array, decode
from adapters.worker.case_symbols import program_graph
from adapters.worker.system import Json, UnsupportedError

# Longer ones are no few lines.
MOST_ELEMENTS = 64
MOST_NODES = 12

# How the text of a model names dtypes.
TYPES = {
    "bool": "bool", "u8": "uint8", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "f16": "float16",
    "f32": "float", "f64": "double",
}  # fmt: skip

# What is imported, and how the runtime is called in its own idiom. `bug` is what the text calls the model.
IDIOMS = {
    "onnxruntime": (
        "import onnxruntime\n",
        "session = onnxruntime.InferenceSession(\n"
        '    model.SerializeToString(), providers=["CPUExecutionProvider"])\n'
        "actual = session.run(None, inputs)\n",
    ),
    "openvino": (
        "import openvino\n",
        "core = openvino.Core()\n"
        "compiled = core.compile_model(\n"
        '    core.read_model(model.SerializeToString()), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})\n'
        "actual = list(compiled(inputs).values())\n",
    ),
    "reference": (
        "from onnx.reference import ReferenceEvaluator\n",
        "actual = ReferenceEvaluator(model).run(None, inputs)\n",
    ),
    "tract": (
        "import tract\n",
        "with tempfile.TemporaryDirectory() as folder:  # it loads from a path alone\n"
        '    onnx.save(model, f"{folder}/bug.onnx")\n'
        '    runnable = tract.onnx().load(f"{folder}/bug.onnx").into_model().into_runnable()\n'
        "actual = [one.to_numpy() for one in runnable.run(list(inputs.values()))]\n",
    ),
    "tvm": (
        "import tvm\nfrom tvm import relax\nfrom tvm.relax.frontend.onnx import from_onnx\n",
        "with tvm.transform.PassContext(opt_level=3):\n"
        '    compiled = tvm.compile(from_onnx(model), target=tvm.target.Target("llvm"))\n'
        'made = relax.VirtualMachine(compiled, tvm.cpu())["main"](*map(tvm.runtime.tensor, inputs.values()))\n'
        "actual = [one.numpy() for one in ([made] if isinstance(made, tvm.runtime.Tensor) else made)]\n",
    ),
    "iree": (
        "import iree.compiler.ir\nimport iree.runtime\n"
        "from iree.compiler.extras import onnx_importer\nfrom iree.compiler.tools import compile_str\n"
        "from onnx.shape_inference import infer_shapes\n",
        "info = onnx_importer.ModelInfo(infer_shapes(model, data_prop=True))\n"
        "module = info.create_module(context=iree.compiler.ir.Context()).operation\n"
        "onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()\n"
        'binary = compile_str(str(module), input_type="onnx", target_backends=["llvm-cpu"],\n'
        '                     extra_args=["--iree-llvmcpu-target-cpu=host"])\n'
        'config = iree.runtime.Config("local-sync")\n'
        "loaded = iree.runtime.load_vm_module(\n"
        "    iree.runtime.VmModule.copy_buffer(config.vm_instance, binary), config)\n"
        'made = loaded["bug"](*inputs.values())\n'
        "actual = [one.to_host() for one in (made if isinstance(made, tuple) else [made])]\n",
    ),
}
# These hand booleans and unsigned integers back as bytes of the right size.
LOSE_DTYPES = ("tvm", "iree")


def plain_names(graph: Graph) -> dict[str, str]:
    """A name of letters and digits for each that has a dot; those of the case have none, and stay."""
    taken = {value.name for value in [*graph.inputs, *graph.outputs, *graph.made] if "." not in value.name}
    names: dict[str, str] = {}
    for name in [*graph.initializers, *(value.name for value in [*graph.made, *graph.outputs])]:
        if "." not in name or name in names:
            continue
        plain = name.replace(".", "")
        while plain in taken:
            plain += "_"
        taken.add(plain)
        names[name] = plain
    return names


def number_text(number: Any) -> str:
    """A number that is read back as it is."""
    if isinstance(number, bool | np.bool_):
        return str(int(number))
    if isinstance(number, int | np.integer):
        return str(number)
    if not np.isfinite(number):
        raise UnsupportedError("the text of a model has no NaN and no infinity")
    return np.format_float_positional(number, trim="0") if 1e-3 <= abs(float(number)) < 1e6 else repr(float(number))


def tensor_text(array: Array, name: str = "") -> str:
    dtype = next(key for key, value in DTYPES.items() if value == array.dtype)
    sizes = ",".join(str(size) for size in array.shape)
    elements = ", ".join(number_text(one) for one in array.reshape(-1))
    shape = f"[{sizes}]" if array.shape else ""
    return f"{TYPES[dtype]}{shape} {name + ' = ' if name else ''}{{{elements}}}"


def type_text(value: Value) -> str:
    """Without brackets it is a scalar; empty ones would leave the rank open."""
    sizes = f"[{','.join(str(size) for size in value.shape)}]" if value.shape else ""
    return TYPES[value.dtype] + sizes


def attribute_text(name: str, value: Any) -> str:
    if isinstance(value, onnx.TensorProto):
        return f"{name} = {tensor_text(numpy_helper.to_array(value))}"
    if isinstance(value, Graph):
        raise UnsupportedError("a branch or a loop takes more than a few lines")
    if isinstance(value, str | bytes):
        return f'{name} = "{value if isinstance(value, str) else value.decode()}"'
    if isinstance(value, list | tuple):
        if any(isinstance(one, str | bytes) for one in value):
            return name + " = [" + ", ".join(f'"{one}"' for one in value) + "]"
        return name + " = [" + ", ".join(attribute_number(one) for one in value) + "]"
    return f"{name} = {attribute_number(value)}"


def attribute_number(value: Any) -> str:
    """An attribute of type float has a point, or it would be an integer."""
    text = number_text(value)
    return text if isinstance(value, int) or "." in text or "e" in text else text + ".0"


def model_text(graph: Graph) -> str:
    """The model in ONNX's own text form. Inputs that nothing reads are left out."""
    names = plain_names(graph)

    def named(name: str) -> str:
        return names.get(name, name)

    inputs = ", ".join(f"{type_text(value)} {named(value.name)}" for value in read_inputs(graph))
    outputs = ", ".join(f"{type_text(value)} {named(value.name)}" for value in graph.outputs)
    lines = [f'<ir_version: {IR_VERSION}, opset_import: ["": {graph.opset}]>', f"bug ({inputs}) => ({outputs})"]
    read = read_names(graph)
    constants = [tensor_text(array, named(name)) for name, array in graph.initializers.items() if name in read]
    if constants:
        lines.append("<" + ",\n ".join(constants) + ">")
    lines.append("{")
    for kind, operands, results, attributes in graph.nodes:
        given = ", ".join(attribute_text(name, value) for name, value in attributes.items())
        call = f"{kind} <{given}>" if given else kind
        lines.append(f"  {', '.join(map(named, results))} = {call} ({', '.join(map(named, operands))})")
    return "\n".join([*lines, "}"])


def read_names(graph: Graph) -> set[str]:
    """What a node reads, and what is returned."""
    operands = {operand for _, operands, _, _ in graph.nodes for operand in operands}
    return operands | {value.name for value in graph.outputs}


def read_inputs(graph: Graph) -> list[Value]:
    read = read_names(graph)
    return [value for value in graph.inputs if value.name in read]


def check_text(text: str, graph: Graph) -> None:
    """The text says what the writer wrote, to the bit."""
    try:
        parsed = onnx.parser.parse_model(text)
    except onnx.parser.ParseError as error:
        raise UnsupportedError(f"the model cannot be said as text: {error}") from error
    names = plain_names(graph)
    wanted = {names.get(name, name): array for name, array in graph.initializers.items()}
    for one in parsed.graph.initializer:
        array = wanted[one.name]
        if numpy_helper.to_array(one).tobytes() != array.tobytes():
            raise UnsupportedError(f"the text of a model does not hold {array.dtype} as it is")
    made = graph.model().graph
    for there, here in zip(parsed.graph.output, made.output, strict=True):
        if there.type != here.type:
            raise UnsupportedError(f"the text of a model does not hold the type of {there.name} as it is")
    for there, here in zip(parsed.graph.node, made.node, strict=True):
        said = {one.name: onnx.helper.get_attribute_value(one) for one in there.attribute}
        for one in here.attribute:
            value = onnx.helper.get_attribute_value(one)
            same = (
                numpy_helper.to_array(said[one.name]).tobytes() == numpy_helper.to_array(value).tobytes()
                if isinstance(value, onnx.TensorProto)
                else type(said[one.name]) is type(value) and said[one.name] == value
            )
            if not same:
                raise UnsupportedError(f"the text of a model does not hold the attribute {one.name} as it is")


def array_text(array: Array) -> str:
    """The array as a line of Python."""
    if array.size > MOST_ELEMENTS:
        raise UnsupportedError(f"a tensor has more than {MOST_ELEMENTS} elements")

    def nested(part: Any) -> str:
        if isinstance(part, list):
            return "[" + ", ".join(map(nested, part)) + "]"
        if isinstance(part, float) and not np.isfinite(part):
            return "np.nan" if np.isnan(part) else ("-" if part < 0 else "") + "np.inf"
        return repr(part)

    # Few digits where they are the same number in the array's dtype.
    short = array.astype(object)
    if array.dtype.kind == "f":
        for place, one in np.ndenumerate(array):
            short[place] = float(np.format_float_positional(one)) if np.isfinite(one) else float(one)
    # A tensor without elements has sizes that a list does not say.
    empty = f".reshape({array.shape})" if array.size == 0 else ""
    dtype = "np.bool_" if array.dtype == np.bool_ else f"np.{array.dtype}"
    return f"np.array({nested(short.tolist() if array.shape else short.item())}, {dtype}){empty}"


def arrays_text(name: str, arrays: Mapping[str, Array]) -> str:
    lines = [f'\n    "{key}": {array_text(array)},' for key, array in arrays.items()]
    end = "\n" if lines else ""
    return f"{name} = {{{''.join(lines)}{end}}}\n"


def fed_arrays(case: Json, graph: Json, written: Written) -> list[Array]:
    """What the adapter hands to the model: the feed, and the state that is an input of it."""
    given: list[Array] = []

    def keep(arrays: list[Array]) -> list[Array]:
        given.extend(arrays)
        return [np.zeros(value.shape, DTYPES[value.dtype]) for value in written.graph.outputs]

    Session(graph, written, keep).run(case["feed"])
    return given


def brief_script(request: Json) -> str:
    """The script, or UnsupportedError where no few lines say the case."""
    case, runtime = request["case"], request["runtime"]
    if runtime not in IDIOMS:
        raise UnsupportedError(f"no few lines of ours call {runtime}")
    if case.get("runs") or case.get("symbols") or case.get("second_feed"):
        raise UnsupportedError("it takes more than one run")
    case_graph = program_graph(case)
    written = write(case_graph)
    graph = written.graph
    if len(graph.nodes) > MOST_NODES or any(array.size > MOST_ELEMENTS for array in graph.initializers.values()):
        raise UnsupportedError("the model takes more than a few lines")
    text = model_text(graph)
    check_text(text, graph)
    names = plain_names(graph)
    read = {value.name for value in read_inputs(graph)}
    arrays = fed_arrays(case, case_graph, written)
    inputs = {value.name: array for value, array in zip(graph.inputs, arrays, strict=True) if value.name in read}
    imports, actual = IDIOMS[runtime]
    standard = "import tempfile\n\n" if "tempfile" in actual else ""
    script = f"{standard}import numpy as np\nimport onnx.parser\n{imports}\n"
    script += f'model = onnx.parser.parse_model("""\n{text}\n""")\n'
    script += arrays_text("inputs", inputs)
    if request["expected"] is None:
        return f'{script}\n{actual}print("actual", actual)\n'
    expected = {
        names.get(name, name): decode(one["data"], one["type"])
        for name, one in zip(written.outputs, request["expected"], strict=True)
    }
    script += arrays_text("expected", expected)
    floats = any(array.dtype.kind == "f" for array in expected.values())
    got = "got.view(wanted.dtype)" if runtime in LOSE_DTYPES else "got"
    tolerances = f"rtol={request['rtol']:.2g}, atol={request['atol']:.2g}"
    check = (
        f"np.testing.assert_allclose({got}, wanted, {tolerances}, strict=True)"
        if floats
        else f"np.testing.assert_array_equal({got}, wanted, strict=True)"
    )
    handed_back = "# Further outputs hold what the program writes to its inputs and state.\n" if written.updated else ""
    return (
        f"{script}\n{actual}{handed_back}"
        "for (name, wanted), got in zip(expected.items(), actual):\n"
        '    print(name, "expected", wanted, "actual", got)\n'
        f"    {check}\n"
    )


def main() -> None:
    for line in sys.stdin:
        try:
            answer = {"script": brief_script(json.loads(line))}
        except UnsupportedError as error:
            answer = {"why": re.sub(r"\s+", " ", str(error))}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
