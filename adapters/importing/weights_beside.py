"""Weights of an imported case in a safetensors file beside it (docs/case-format.md, "Data"): the text of a large model
would be over what a reader of JSON takes. Standard library only."""

from __future__ import annotations

import base64
import hashlib
import json
import struct
from pathlib import Path
from typing import Any

from adapters.worker.case_text import split_type

Json = dict[str, Any]

MOST_INLINE_BYTES = 64 << 10
FILE = "weights.safetensors"


def move_weights(case: Json, folder: str | None) -> Json:
    """The case with the data of large constants and buffers in FILE in that folder; without a folder as it is."""
    if folder is None:
        return case
    large: list[tuple[str, Json]] = []
    header: Json = {}
    size = 0
    for section in ("constants", "buffers"):
        for name, entry in case["graph"].get(section, {}).items():
            length = inline_bytes(entry)
            if length <= MOST_INLINE_BYTES:
                continue
            dtype, sizes = split_type(entry["type"])
            header[name] = {"dtype": dtype.upper(), "shape": sizes, "data_offsets": [size, size + length]}
            large.append((name, entry))
            size += length
    if header:
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        sum_of_file = hashlib.sha256()
        with Path(folder, FILE).open("wb") as out:

            def write(part: bytes) -> None:
                out.write(part)
                sum_of_file.update(part)

            write(struct.pack("<Q", len(text)))
            write(text)
            # One tensor at a time: the bytes of all beside their texts would be most of what an import holds.
            for name, entry in large:
                write(base64.b64decode(entry["data"]["b64"]))
                entry["data"] = {"safetensors": FILE, "tensor": name}
        case["files"] = {FILE: sum_of_file.hexdigest()}
    return case


def inline_bytes(entry: Json) -> int:
    """How many bytes of data stand in the case as text; 0 where they are given otherwise."""
    text = entry["data"].get("b64") if isinstance(entry.get("data"), dict) else None
    return len(text) // 4 * 3 - text[-2:].count("=") if text else 0
