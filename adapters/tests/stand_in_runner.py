"""Stands in for executor_runner: the same flags, the same files, on the runtime of ExecuTorch's wheel."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer

DTYPES = {0: torch.uint8, 1: torch.int8, 2: torch.int16, 3: torch.int32, 4: torch.int64, 5: torch.float16,
          6: torch.float32, 7: torch.float64, 11: torch.bool, 15: torch.bfloat16}  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--model_path", type=Path)
    options.add_argument("--inputs", default="")
    options.add_argument("--output_file")
    chosen = options.parse_args()
    blob = chosen.model_path.read_bytes()  # what is loaded does not keep it
    program = _load_for_executorch_from_buffer(blob)
    meta = program.method_meta("forward")
    inputs = []
    for i, file in enumerate(filter(None, chosen.inputs.split(","))):
        info = meta.input_tensor_meta(i)
        flat = torch.frombuffer(bytearray(Path(file).read_bytes()), dtype=DTYPES[info.dtype()])
        inputs.append(flat.reshape(info.sizes()))
    for i, result in enumerate(program.run_method("forward", tuple(inputs))):
        data = result.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
        Path(f"{chosen.output_file}-{i}.bin").write_bytes(data)


if __name__ == "__main__":
    main()
