"""Laws over the table of ONNX operators. Skipped where there is no onnx."""

from __future__ import annotations

import importlib.util
import unittest
import warnings
from pathlib import Path

for _package in ("numpy", "onnx", "ml_dtypes"):
    if importlib.util.find_spec(_package) is None:
        raise unittest.SkipTest(f"this Python has no {_package}")

import numpy as np
import onnx
import onnx.defs
import onnx.helper
import onnx.numpy_helper
import onnx.parser
import onnx.reference
from onnx.backend.test.case.node import collect_testcases

from adapters.importing.onnx.control import CONTROL
from adapters.importing.onnx.node import Node
from adapters.importing.onnx.table import NEWEST, TABLE, find
from adapters.importing.onnx.values import Builder, NoCounterpartError
from adapters.importing.onnx_model import import_model
from adapters.onnx.writer import write
from adapters.worker.arrays import NAMES
from adapters.worker.system import UnsupportedError

Test = tuple[onnx.ModelProto, dict[str, np.ndarray], list[object]]
IMPORTED: dict[str, Test] = {}


def node_tests() -> dict[str, Test]:
    """The node tests of the onnx package that are imported: a model of one node, its inputs, its outputs."""
    if not IMPORTED:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tests = collect_testcases(None)
        for test in tests:
            graph = test.model.graph
            inputs = [np.asarray(one) for one in test.data_sets[0][0] if isinstance(one, np.ndarray | np.generic)]
            plain = len(inputs) == len(test.data_sets[0][0]) and all(array.dtype in NAMES for array in inputs)
            if len(graph.node) != 1 or not plain:
                continue
            given = dict(zip((info.name for info in graph.input), inputs, strict=False))
            try:
                import_model(test.model, Path(), None, given)
            except NoCounterpartError:
                continue
            IMPORTED[test.name] = (test.model, given, test.data_sets[0][1])
    return IMPORTED


class RowTest(unittest.TestCase):
    def test_ranges_of_versions_do_not_overlap(self) -> None:
        for kind, rows in TABLE.items():
            for version in range(1, NEWEST + 1):
                found = [row for row in rows if row.since <= version <= row.until]
                self.assertLessEqual(len(found), 1, f"{kind} {version}")

    def test_every_row_is_of_an_operator_that_there_is(self) -> None:
        if onnx.defs.onnx_opset_version() < NEWEST:
            self.skipTest(f"this onnx ends at operator set {onnx.defs.onnx_opset_version()}")
        known = {schema.name for schema in onnx.defs.get_all_schemas_with_history() if schema.domain == ""}
        self.assertEqual(set(TABLE) - known, set())

    def test_the_page_lists_every_operator(self) -> None:
        page = (Path(__file__).resolve().parents[2] / "docs" / "importing-onnx.md").read_text()
        page = page.partition("## Operators")[2].partition("## How")[0]
        lines = [line for line in page.splitlines() if line.startswith("| ") and (", " in line or ".py`" in line)]
        rows = [line.split("|")[1:3] for line in lines]
        taken = [kind for first, second in rows if first.strip().startswith("`") for kind in second.strip().split(", ")]
        refused = [kind for first, _ in rows if not first.strip().startswith("`") for kind in first.strip().split(", ")]
        self.assertEqual(sorted(taken), sorted({*TABLE, *CONTROL}))
        self.assertEqual(set(refused) & {*TABLE, *CONTROL}, set())
        if onnx.defs.onnx_opset_version() >= NEWEST:
            known = {schema.name for schema in onnx.defs.get_all_schemas_with_history() if schema.domain == ""}
            self.assertEqual(set(taken) | set(refused), known)

    def test_an_attribute_that_a_row_does_not_read_is_a_refusal(self) -> None:
        """Each attribute of each schema, one at a time, in each node test of its operator: it is read or refused."""
        kinds = set()
        for name, (model, given, _) in node_tests().items():
            (node,) = model.graph.node
            opset = next(one.version for one in model.opset_import if one.domain == "")
            schema = onnx.defs.get_schema(node.op_type, opset, "")
            if node.op_type in kinds:
                continue
            kinds.add(node.op_type)
            for attribute in [*schema.attributes, "unheard_of"]:
                if attribute in {one.name for one in node.attribute}:
                    continue
                changed = onnx.ModelProto()
                changed.CopyFrom(model)
                changed.graph.node[0].attribute.append(_example(attribute, schema))
                with self.subTest(test=name, attribute=attribute):
                    self._read_or_refused(changed, given, attribute)
        self.assertGreater(len(kinds), 100)

    def _read_or_refused(self, model: onnx.ModelProto, given: dict[str, np.ndarray], attribute: str) -> None:
        read: set[str] = set()
        plain = Node.attribute

        def watched(self: Node, name: str, default: object = None) -> object:
            read.add(name)
            return plain(self, name, default)

        Node.attribute = watched
        try:
            import_model(model, Path(), None, given)
        except NoCounterpartError:
            return
        finally:
            Node.attribute = plain
        self.assertIn(attribute, read)

    def test_a_row_that_loses_an_attribute_or_an_operand_is_found_out(self) -> None:
        proto = onnx.helper.make_node("Elu", ["x", "z"], ["y"], alpha=2.0)
        b = Builder()
        node = Node(proto, 6, [b.known([1.0], "f32"), b.known([2.0], "f32")])
        b.call("elu.default", node.x)
        self.assertEqual(node.unread(), ["attribute 'alpha'", "operand 1"])

    def test_a_result_that_a_row_does_not_make_is_a_refusal(self) -> None:
        model = onnx.parser.parse_model(
            '<ir_version: 9, opset_import: ["" : 20]> g (float[2,3] x) => (float[2] y, float[2] z) { y, z = Neg(x) }'
        )
        with self.assertRaisesRegex(NoCounterpartError, "its result 1 is used"):
            import_model(model, Path())

    def test_a_row_is_at_each_version_of_its_operator_from_7_on(self) -> None:
        """An operator that is imported at one version from operator set 7 on is imported at all of them."""
        missing = [
            f"{schema.name} {schema.since_version}"
            for schema in onnx.defs.get_all_schemas_with_history()
            if schema.domain == "" and schema.name in {*TABLE, *CONTROL} and schema.since_version >= 7
            and find(schema.name, schema.since_version) is None and schema.name not in CONTROL and not schema.deprecated
        ]  # fmt: skip
        self.assertEqual(missing, [])

    def test_a_model_comes_back_from_the_writer_with_the_same_results(self) -> None:
        """A sample of the node tests, in onnx's own evaluator; bench/onnx_node_tests.py runs all of them."""
        sample = sorted(node_tests())[::40]
        self.assertGreater(len(sample), 10)
        compared = 0
        for name in sample:
            model, given, recorded = node_tests()[name]
            importer = import_model(model, Path(), None, given)
            case = importer.case(name, {})
            feed = {plain: given[one] for one, plain in importer.names.items()}
            try:
                made = write(case["graph"]).graph.model()
            except UnsupportedError:
                continue
            results = onnx.reference.ReferenceEvaluator(made).run(None, feed)
            for result, wanted in zip(results, recorded, strict=True):
                with self.subTest(test=name):
                    np.testing.assert_allclose(
                        np.asarray(result, np.float64), np.asarray(wanted, np.float64), rtol=1e-3, atol=1e-6
                    )
                    compared += 1
        self.assertGreater(compared, 10)


def _example(name: str, schema: onnx.defs.OpSchema) -> onnx.AttributeProto:
    """An attribute of the type that the schema says, of a value that is no default."""
    kinds = onnx.defs.OpSchema.AttrType
    kind = schema.attributes[name].type if name in schema.attributes else kinds.INT
    values = {
        kinds.INT: 7, kinds.FLOAT: 0.375, kinds.STRING: "other", kinds.INTS: [1, 1], kinds.FLOATS: [0.375],
        kinds.STRINGS: ["other"], kinds.TENSOR: onnx.numpy_helper.from_array(np.array([3.0], dtype=np.float32)),
    }  # fmt: skip
    if kind not in values:
        kind = kinds.INT
    return onnx.helper.make_attribute(name, values[kind])


if __name__ == "__main__":
    unittest.main()
