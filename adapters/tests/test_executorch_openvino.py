"""What ExecuTorch's OpenVINO target takes for a documented limit, and what its partitioner is known to take. Skipped
where ExecuTorch and OpenVINO are not installed."""

from __future__ import annotations

import importlib.util
import re
import unittest

for _package in ("torch", "executorch", "openvino", "nncf"):
    if importlib.util.find_spec(_package) is None:
        raise unittest.SkipTest(f"this Python has no {_package}")

from adapters.executorch.openvino import REJECTIONS, make
from adapters.executorch.pipeline import explain


def is_rejected(message: str) -> bool:
    return any(re.search(one.pattern, message) for one in REJECTIONS)


class ExecutorchOpenvinoTest(unittest.TestCase):
    def test_what_openvino_names_as_not_taken_is_a_rejection(self) -> None:
        for message in (
            "This operation does not support inputs with element type: boolean",
            "[PyTorch Frontend] Translation for aten::avg_pool2d do not support divisor_override input.",
            "[PyTorch Frontend] Unexpected value of correction.",
            "[PyTorch Frontend] Unexpected value of input_scale input for elu operation",
            "Attribute 'min' must be less or equal than 'max'. Got: 0 and -1",
            "[PyTorch Frontend] aten::as_strided: Couldn't retrieve input stride information from torchscript.",
        ):
            self.assertTrue(is_rejected(message), message)

    def test_a_translation_that_contradicts_itself_is_none(self) -> None:
        for message in (
            "[PyTorch Frontend] Index: 1 is out of bounds of input list of len: 1",
            "Failed to execute method forward, error: 0x1: CALL_DELEGATE execute failed at instruction 0: 0x1",
            "RuntimeError: Tried to erase Node getitem_11 but it still had 1 users in the graph",
        ):
            self.assertFalse(is_rejected(message), message)

    def test_that_the_library_is_loaded_is_no_reason(self) -> None:
        written = "[OpenvinoBackend.cpp:98] OpenVINO: runtime loaded successfully from 'a'\n[method.cpp:1525] it failed"
        self.assertEqual(explain("error: 0x1", written), "error: 0x1: it failed [method.cpp]")

    def test_the_greeting_lists_the_calls_of_the_partitioner(self) -> None:
        hello = make([]).hello()
        self.assertIn("aten.add.Tensor", hello["delegates"]["ops"])
        self.assertIn("aten.permute.default", hello["delegates"]["ops"])  # as permute_copy
        self.assertEqual(hello["profile"], "executorch-openvino")
        self.assertNotIn("f64", hello["dtypes"])


if __name__ == "__main__":
    unittest.main()
