"""Large constants and buffers of an imported case go into a safetensors file, as its format has it."""

from __future__ import annotations

import base64
import hashlib
import json
import struct
import tempfile
import unittest
from pathlib import Path
from typing import Any

from adapters.importing.weights_beside import FILE, MOST_INLINE_BYTES, move_weights


def case_of(size: int) -> dict[str, Any]:
    data = {"b64": base64.b64encode(bytes(range(256)) * (size // 256)).decode()}
    constants = {"w": {"type": f"f32[{size // 4}]", "data": data}, "v": {"type": "f32[1]", "data": [1]}}
    return {"graph": {"constants": constants, "buffers": {}}}


class MoveWeights(unittest.TestCase):
    def test_a_large_constant_lies_in_the_file(self) -> None:
        size = MOST_INLINE_BYTES + 256
        with tempfile.TemporaryDirectory() as folder:
            case = move_weights(case_of(size), folder)
            content = Path(folder, FILE).read_bytes()
        self.assertEqual(case["graph"]["constants"]["w"]["data"], {"safetensors": FILE, "tensor": "w"})
        self.assertEqual(case["graph"]["constants"]["v"]["data"], [1])
        self.assertEqual(case["files"], {FILE: hashlib.sha256(content).hexdigest()})
        (length,) = struct.unpack("<Q", content[:8])
        header = json.loads(content[8 : 8 + length])
        self.assertEqual(header, {"w": {"dtype": "F32", "shape": [size // 4], "data_offsets": [0, size]}})
        self.assertEqual(content[8 + length :], bytes(range(256)) * (size // 256))

    def test_a_small_one_and_one_without_a_folder_stay(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(move_weights(case_of(MOST_INLINE_BYTES), folder), case_of(MOST_INLINE_BYTES))
            self.assertEqual(list(Path(folder).iterdir()), [])
        self.assertEqual(move_weights(case_of(4 * MOST_INLINE_BYTES), None), case_of(4 * MOST_INLINE_BYTES))


if __name__ == "__main__":
    unittest.main()
