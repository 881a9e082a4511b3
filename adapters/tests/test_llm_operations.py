"""Operations that ExecuTorch has for language models: which references mean them, and that they do what these say.
Skipped without ExecuTorch."""

from __future__ import annotations

import copy
import importlib.util
import json
import unittest
from pathlib import Path
from typing import Any

for _package in ("torch", "executorch"):
    if importlib.util.find_spec(_package) is None:
        raise unittest.SkipTest(f"this Python has no {_package}")

import torch

from adapters.executorch.llm_operations import operations, own_operation
from adapters.torch.case_module import case_module
from adapters.torch.control_flow import DIRECT
from adapters.torch.tensors import parse_type

GOLDEN = Path(__file__).resolve().parents[2] / "tests/golden/attention_operations.json"
REFERENCES: dict[str, Any] = json.loads(GOLDEN.read_text())


@unittest.skipIf(operations() is None, "this release has none")
class LlmOperationsTest(unittest.TestCase):
    def test_an_operation_does_what_its_reference_says(self) -> None:
        for form, reference in REFERENCES.items():
            with self.subTest(form=form):
                own = own_operation(reference)
                assert own is not None
                generator = torch.Generator().manual_seed(7)
                given = [
                    torch.randn(parse_type(spec["type"])[1], generator=generator)
                    for spec in reference["inputs"].values()
                ]
                written = [x.clone() for x in given]
                expected = case_module(reference, control=DIRECT)(*written)
                result = own(*given)
                for ours, theirs in zip(given, written, strict=True):
                    torch.testing.assert_close(ours, theirs, rtol=0, atol=0)
                if expected:
                    torch.testing.assert_close(result, expected[0])

    def test_another_reference_means_none(self) -> None:
        for form, reference in REFERENCES.items():
            for place, node in enumerate(reference["nodes"]):
                other = copy.deepcopy(reference)
                if node["op"] == "aten.copy_.default":
                    other["nodes"][place]["op"] = "aten.add_.Tensor"
                elif node["op"] == "aten.slice.Tensor":
                    other["nodes"][place]["args"][2] = None
                elif node["op"] == "aten.clone.default":
                    other["nodes"][place]["kwargs"] = {}
                elif node["op"] == "aten.tril.default":
                    other["nodes"][place]["args"] = [*node["args"][:1], -1]
                else:
                    continue
                with self.subTest(form=form, op=node["op"], place=place):
                    self.assertIsNone(own_operation(other))
            for dims in ([1, 2, 2], [2, 3, 0, 8], [5, 2, 2, 8]):
                other = copy.deepcopy(reference)
                other["inputs"][next(iter(other["inputs"]))]["type"] = f"f32[{','.join(map(str, dims))}]"
                with self.subTest(form=form, dims=dims):
                    self.assertIsNone(own_operation(other))
            read = copy.deepcopy(reference)
            read["outputs"] = [*read["outputs"], f"%{next(iter(read['inputs']))}"]
            with self.subTest(form=form, op="outputs"):
                self.assertIsNone(own_operation(read))


if __name__ == "__main__":
    unittest.main()
