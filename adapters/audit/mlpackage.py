"""What `parallax audit` asks of a Core ML package: its values, outputs and state writes, as one line of JSON.

    python3 adapters audit.mlpackage MODEL.mlpackage

For each function: the outputs, and each write of a state with the chain of values that carry its data unchanged.
Standard output holds the answer; what cannot be read is one line on standard error and exit code 2.
"""

from __future__ import annotations

import sys
from typing import Any

import coremltools

from adapters.worker.one_answer import answer_once

# The operand whose data an op hands on as it is, whole or into a part: the written value is still that value.
CARRIED = {"identity": "x", "cast": "x", "slice_update": "update", "reshape": "x", "expand_dims": "x", "squeeze": "x"}


def bound(operation: Any, operand: str) -> str | None:
    """The name of the value that the operand is bound to; nothing for a literal."""
    arguments = operation.inputs[operand].arguments if operand in operation.inputs else []
    return arguments[0].name if arguments and arguments[0].WhichOneof("binding") == "name" else None


def carriers(value: str, producers: dict[str, Any]) -> list[str]:
    """The value and the ones whose data it carries, nearest first."""
    chain = [value]
    while chain[-1] in producers:
        operation = producers[chain[-1]]
        source = bound(operation, CARRIED[operation.type]) if operation.type in CARRIED else None
        if source is None:
            break
        chain.append(source)
    return chain


def audit(path: str) -> dict[str, Any]:
    spec = coremltools.utils.load_spec(path)
    if spec.WhichOneof("Type") != "mlProgram":
        raise ValueError(f"a {spec.WhichOneof('Type')}, not an ML program")
    functions = []
    for name, function in spec.mlProgram.functions.items():
        for block in function.block_specializations.values():
            producers = {output.name: operation for operation in block.operations for output in operation.outputs}
            writes = []
            for operation in block.operations:
                if operation.type not in ("write_state", "coreml_update_state"):
                    continue
                source = bound(operation, "data" if operation.type == "write_state" else "value")
                state = bound(operation, "input" if operation.type == "write_state" else "state")
                if source is not None and state is not None:
                    writes.append({"state": state, "carries": carriers(source, producers)})
            functions.append({"name": name, "outputs": list(block.outputs), "state_writes": writes})
    return {"audit": 1, "functions": functions}


if __name__ == "__main__":
    sys.exit(answer_once(sys.argv[1], lambda: audit(sys.argv[1])))
