"""What is kept from MNN's converter, which needs no MNN."""

from __future__ import annotations

import importlib.util
import unittest
from types import SimpleNamespace

for _package in ("numpy", "ml_dtypes", "onnx"):
    if importlib.util.find_spec(_package) is None:
        raise unittest.SkipTest(f"this Python has no {_package}")

from adapters.onnx.graph import Graph, Value
from adapters.onnx.runtimes.mnn import elements, refuse_normalization
from adapters.worker.system import UnsupportedError


class NormalizationTest(unittest.TestCase):
    """BatchNormalization's scale, bias, mean and variance, which the converter reads itself."""

    def setUp(self) -> None:
        self.graph = Graph()
        self.x = self.graph.input("x", "f32", (1, 2, 3))
        self.numbers = self.graph.constant([1.0, 2.0], "f32")

    def normalize(self, mean: Value) -> None:
        numbers = [self.numbers, self.numbers, mean, self.numbers]
        self.graph.op("BatchNormalization", self.x, *numbers, shape=self.x.shape)

    def test_numbers_of_the_model_are_taken(self) -> None:
        derived = self.graph.identity(self.numbers)
        self.normalize(derived)
        refuse_normalization(self.graph)

    def test_numbers_that_are_fed_or_computed_are_not(self) -> None:
        for mean in (self.graph.input("mean", "f32", (2,)), self.graph.op("Neg", self.graph.input("m", "f32", (2,)))):
            self.graph.nodes.clear()
            self.normalize(mean)
            with self.assertRaises(UnsupportedError):
                refuse_normalization(self.graph)


class ElementsTest(unittest.TestCase):
    """What a result holds, of no elements too."""

    def test_a_result_without_elements_is_not_read(self) -> None:
        def read() -> None:
            raise SystemError("call to readMap meet a error")

        self.assertEqual(elements(SimpleNamespace(size=0, shape=[0, 2], read=read)).shape, (0, 2))

    def test_other_results_are_read(self) -> None:
        found = elements(SimpleNamespace(size=1, shape=[], read=lambda: 3.0))
        self.assertEqual((found.shape, found.tolist()), ((), 3.0))


if __name__ == "__main__":
    unittest.main()
