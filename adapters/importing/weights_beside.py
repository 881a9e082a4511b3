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
    header: Json = {}
    parts: list[bytes] = []
    size = 0
    graph = case["graph"]
    for section in ("constants", "buffers"):
        for name, entry in graph.get(section, {}).items():
            text = entry["data"].get("b64") if isinstance(entry.get("data"), dict) else None
            if text is None or len(text) // 4 * 3 - text[-2:].count("=") <= MOST_INLINE_BYTES:
                continue
            data = base64.b64decode(text)
            dtype, sizes = split_type(entry["type"])
            header[name] = {"dtype": dtype.upper(), "shape": sizes, "data_offsets": [size, size + len(data)]}
            entry["data"] = {"safetensors": FILE, "tensor": name}
            parts.append(data)
            size += len(data)
    if header:
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        sum_of_file = hashlib.sha256()
        with Path(folder, FILE).open("wb") as out:
            for part in (struct.pack("<Q", len(text)), text, *parts):
                out.write(part)
                sum_of_file.update(part)
        case["files"] = {FILE: sum_of_file.hexdigest()}
    return case
