"""What of a Python file is executed for one name of it."""

from __future__ import annotations

import ast
import unittest

from adapters.importing.needed_source import NotThereError, needed_source

SCRIPT = """
from __future__ import annotations
import os, sys
import math as m
from somewhere import helper
try:
    import fast
except ImportError:
    fast = None
WIDTH = 4
SIZES = [WIDTH]
SIZES.append(5)
torch.manual_seed(0)

def used(x):
    return helper(x) * WIDTH

@torch.library.custom_op("lib::op", mutates_args=())
def op(x):
    return x

class Base:
    pass

class Bug(Base):
    def forward(self, x):
        return used(x) + m.pi if fast else x

Bug.example_inputs = (SIZES,)

class Other:
    pass

model = Other()
print(model)
with open("out.txt", "w") as file:
    file.write("x")
for i in range(3):
    total = i
if __name__ == "__main__":
    model = Bug()
    raise SystemExit(1)
"""


def lines(name: str, also: tuple[str, ...] = ("example_inputs",)) -> str:
    return ast.unparse(needed_source(SCRIPT, name, also, "bug.py"))


class NeededSourceTest(unittest.TestCase):
    def test_what_a_class_refers_to_is_kept_in_order(self) -> None:
        text = lines("Bug")
        for kept in ("from __future__", "import math as m", "helper", "import fast", "WIDTH = 4", "def used", "def op",
                     "class Base", "class Bug", "Bug.example_inputs", "SIZES = [WIDTH]", "manual_seed"):  # fmt: skip
            self.assertIn(kept, text)
        self.assertLess(text.index("WIDTH = 4"), text.index("def used"))

    def test_the_main_part_is_left_out(self) -> None:
        text = lines("Bug")
        for left in ("import os", "class Other", "print", "open(", "for i", "__main__", "SystemExit"):
            self.assertNotIn(left, text)

    def test_a_variable_is_made_with_what_it_needs(self) -> None:
        text = lines("model")
        self.assertIn("class Other", text)
        self.assertIn("model = Other()", text)
        self.assertNotIn("class Bug", text)

    def test_a_name_that_is_not_there(self) -> None:
        for name in ("Nope", "self", "x", "__name__"):
            with self.subTest(name=name), self.assertRaises(NotThereError):
                lines(name)


if __name__ == "__main__":
    unittest.main()
