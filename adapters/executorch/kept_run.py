"""A run for somebody without any of this: the files that it needs, its inputs, and what eager makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import torch

from adapters.torch.case_module import case_module, live
from adapters.worker.system import Json

MODEL = "model.pte"


def command_line(runner: str, inputs: int) -> str:
    """The flags are those of examples/portable/executor_runner; inputs are read as they lie in memory."""
    files = ",".join(f"in{i}.bin" for i in range(inputs))
    return f"{runner} --model_path={MODEL} {f'--inputs={files} ' if inputs else ''}--output_file=out"


def memory_of(tensor: torch.Tensor) -> bytes:
    """The elements of a dense tensor in the order in which they lie."""
    flat = tensor.as_strided((tensor.numel(),), (1,))
    return flat.contiguous().view(torch.uint8).numpy().tobytes() if tensor.numel() else b""


def files_of(blob: bytes, given: Sequence[torch.Tensor]) -> dict[str, bytes]:
    """What executor_runner reads."""
    return {MODEL: blob, **{f"in{i}.bin": memory_of(tensor) for i, tensor in enumerate(given)}}


def keep_run(folder: Path, graph: Json, given: Sequence[torch.Tensor], files: Mapping[str, bytes]) -> None:
    """Writes the files, the expected outputs and the command line there."""
    copies = tuple(tensor.clone(memory_format=torch.preserve_format) for tensor in given)
    expected = live(graph, case_module(graph), identity=False)()(copies)
    outputs = {f"expected-{i}.bin": memory_of(tensor.contiguous()) for i, tensor in enumerate(expected.outputs)}
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in {**files, **outputs}.items():
        (folder / name).write_bytes(data)
    (folder / "command").write_text(command_line("executor_runner", len(given)) + "\n")
