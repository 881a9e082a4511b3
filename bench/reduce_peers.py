"""What other people's reducers make of the faults of reduce_bench: checks, and nodes that are left.

    reduce_bench --write FOLDER
    PYTHON_WITH_TORCH bench/reduce_peers.py minifier FOLDER
    PYTHON_WITH_ONNX  bench/reduce_peers.py polygraphy FOLDER

`minifier` is torch's fx minifier on the same graph of ATen calls, `polygraphy` is `polygraphy debug reduce` on its ONNX
counterpart, in both of its modes; polygraphy and onnx-graphsurgeon come from PyPI. A fault shows in a graph that still
holds the planted ops, the chained ones on what the one before made, which is what reduce_bench asks too. Where ONNX has
no such op another one stands for it: what counts is that it is there. Each line is the median over the graphs.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

# One row an ATen op of the graphs: the ONNX operator that stands for it.
ONNX_OPS = {
    "aten.neg.default": "Neg",
    "aten.sigmoid.default": "Sigmoid",
    "aten.abs.default": "Abs",
    "aten.cos.default": "Cos",
    "aten.add.Tensor": "Add",
    "aten.mul.Tensor": "Mul",
    "aten.sub.Tensor": "Sub",
    "aten.maximum.default": "Max",
    "aten.erf.default": "Erf",
    "aten.atan.default": "Atan",
    "aten.ceil.default": "Ceil",
    "aten.floor.default": "Floor",
    "aten.trunc.default": "Round",
    "aten.asinh.default": "Asinh",
}

# A call of a graph, whatever its form: op, what it reads first, what it makes.
Call = tuple[str, object, object]
# (checks, nodes left)
Cost = tuple[int, int]


def shows(ops: list[str], chained: list[bool], calls: list[Call]) -> bool:
    """Whether every planted op is there, the chained ones on what the one before made."""
    made: object = None
    for op, on_the_last in zip(ops, chained, strict=True):
        found = [call for call in calls if call[0] == op and (not on_the_last or call[1] == made)]
        if not found:
            return False
        made = found[0][2]
    return True


def minify(entry: dict, test: dict) -> Cost | None:
    """torch's fx minifier on the case."""
    import torch
    from torch._functorch.fx_minifier import minifier

    def aten(name: str) -> object:
        _, op, overload = name.split(".")
        return getattr(getattr(torch.ops.aten, op), overload)

    graph = torch.fx.Graph()
    values = {name: graph.placeholder(name) for name in test["graph"]["inputs"]}

    def argument(value: object) -> object:
        return values[value[1:]] if isinstance(value, str) else value

    for node in test["graph"]["nodes"]:
        values[node["out"]] = graph.call_function(aten(node["op"]), tuple(argument(a) for a in node["args"]))
    graph.output(tuple(values[out.lstrip("%")] for out in test["graph"]["outputs"]))
    module = torch.fx.GraphModule({}, graph)
    inputs = [torch.arange(4, dtype=torch.float32) for _ in test["graph"]["inputs"]]
    names = {aten(op): op for op in entry["ops"]}
    checks, left = 0, len(test["graph"]["nodes"])

    def fails(candidate: torch.fx.GraphModule, _inputs: list[torch.Tensor]) -> bool:
        nonlocal checks, left
        checks += 1
        nodes = [node for node in candidate.graph.nodes if node.op == "call_function"]
        if not shows(
            entry["ops"],
            entry["chained"],
            [(names.get(node.target, ""), node.args[0] if node.args else None, node) for node in nodes],
        ):
            return False
        left = min(left, len(nodes))
        return True

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        minifier(module, inputs, fails, dump_state=lambda *_, **__: None)
    return checks, left


def to_onnx(test: dict) -> object:
    """The case's graph as an ONNX model."""
    from onnx import TensorProto, helper

    graph = test["graph"]
    nodes = [
        helper.make_node(ONNX_OPS[node["op"]], [a[1:] for a in node["args"]], [node["out"]], name=node["out"])
        for node in graph["nodes"]
    ]
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in graph["inputs"]]
    outputs = [
        helper.make_tensor_value_info(out, TensorProto.FLOAT, [4])
        for out in dict.fromkeys(o.lstrip("%") for o in graph["outputs"])
    ]
    opsets = [helper.make_opsetid("", 18)]
    return helper.make_model(helper.make_graph(nodes, "planted", inputs, outputs), opset_imports=opsets, ir_version=9)


def onnx_calls(model: object) -> list[Call]:
    """The calls of a model, each with the name of what it reads first and of what it makes."""
    return [(node.op_type, node.input[0] if node.input else "", node.output[0]) for node in model.graph.node]


def polygraphy(mode: str) -> Callable[[dict, dict], Cost | None]:
    """`polygraphy debug reduce` in one of its modes."""

    def reduce(entry: dict, test: dict) -> Cost | None:
        import onnx

        if any(node["op"] not in ONNX_OPS for node in test["graph"]["nodes"]):
            return None  # views and writes have no counterpart
        with tempfile.TemporaryDirectory() as folder:
            at = Path(folder)
            onnx.save(to_onnx(test), str(at / "model.onnx"))
            (at / "entry.json").write_text(json.dumps(entry))
            check = [sys.executable, str(Path(__file__).resolve()), "check", "entry.json", "polygraphy_debug.onnx"]
            polygraphy = Path(sys.executable).with_name("polygraphy")  # beside the interpreter, as pip puts it
            command = [str(polygraphy), "debug", "reduce", "model.onnx", "-o", "reduced.onnx"]
            done = subprocess.run(
                [*command, f"--mode={mode}", "--check", *check], cwd=at, capture_output=True, text=True, check=False
            )
            if not (at / "reduced.onnx").exists():
                raise SystemExit(f"polygraphy left no model: {done.stderr.strip().splitlines()[-1:]}")
            checks = len((at / "checks").read_text().splitlines())
            return checks, len(onnx.load(str(at / "reduced.onnx")).graph.node)

    return reduce


def check(entry_path: Path, model_path: Path) -> int:
    """What polygraphy asks about a model: 1 where the fault shows."""
    import onnx

    with Path("checks").open("a") as counter:
        counter.write("1\n")
    entry = json.loads(entry_path.read_text())
    ops = [ONNX_OPS[op] for op in entry["ops"]]
    return int(shows(ops, entry["chained"], onnx_calls(onnx.load(str(model_path)))))


def measure(name: str, folder: Path, reduce: Callable[[dict, dict], Cost | None], graphs: int) -> None:
    """Prints a line for each fault and size."""
    lines: dict[tuple[str, int], list[dict]] = {}
    for entry in json.loads((folder / "index.json").read_text()):
        lines.setdefault((entry["fault"], entry["nodes"]), []).append(entry)
    print(f"{name:<26} {'nodes':>6} | {'checks':>7} {'left':>6}")
    for (fault, nodes), entries in lines.items():
        costs = [reduce(entry, json.loads((folder / entry["file"]).read_text())) for entry in entries[:graphs]]
        known = [cost for cost in costs if cost is not None]
        if not known:
            print(f"{fault:<26} {nodes:>6} | cannot be expressed", flush=True)
            continue
        checks, left = (statistics.median_low(column) for column in zip(*known, strict=True))
        print(f"{fault:<26} {nodes:>6} | {checks:>7} {left:>6}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["minifier", "polygraphy", "check"])
    parser.add_argument("folder", type=Path, help="what reduce_bench --write wrote")
    parser.add_argument("model", type=Path, nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("--graphs", type=int, default=9, help="of each line; fewer where the clock counts")
    flags = parser.parse_args()
    if flags.what == "check":
        return check(flags.folder, flags.model)
    if not (flags.folder / "index.json").exists():
        print(f"{flags.folder}: no index.json; write it with reduce_bench --write", file=sys.stderr)
        return 2
    if flags.what == "minifier":
        measure("fx minifier", flags.folder, minify, flags.graphs)
    else:
        for mode in ("bisect", "linear"):
            measure(f"polygraphy, {mode}", flags.folder, polygraphy(mode), flags.graphs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
