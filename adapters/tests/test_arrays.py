"""Arrays of numpy: what a view of one holds."""

from __future__ import annotations

import importlib.util
import unittest
import weakref

for _package in ("ml_dtypes", "numpy"):
    if importlib.util.find_spec(_package) is None:
        raise unittest.SkipTest(f"this Python has no {_package}")

import numpy as np

from adapters.worker.arrays import holding


class Holding(unittest.TestCase):
    def test_views_of_a_view_hold_it(self) -> None:
        flat = np.arange(4, dtype=np.int32)
        matrix = flat.reshape(2, 2)
        there = weakref.ref(matrix)
        row = holding(matrix).view(np.uint32)[1]
        del matrix
        self.assertIsNotNone(there())
        self.assertEqual(row.tolist(), [2, 3])
        flat[3] = 5
        self.assertEqual(row.tolist(), [2, 5])
        del row
        self.assertIsNone(there())

    def test_numpy_alone_lets_it_go(self) -> None:
        matrix = np.arange(4).reshape(2, 2)
        there = weakref.ref(matrix)
        row = matrix[1]
        del matrix
        self.assertIsNone(there())
        self.assertEqual(row.tolist(), [2, 3])


if __name__ == "__main__":
    unittest.main()
