"""Archives that are damaged, or want something run: refused in one line, with nothing executed."""

from __future__ import annotations

import json
import pickle
import tempfile
import unittest
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

try:
    import torch
except ImportError:
    torch = None

if torch is not None:
    from adapters.importing.import_notes import Notes
    from adapters.importing.imported_graph import ImportedGraph
    from adapters.importing.op_expansion import Expander
    from adapters.importing.program_archive import check_size, load_archive
    from adapters.importing.program_walk import Walk
    from adapters.worker.one_answer import RefusedError


class Running:
    """A pickle of it writes a file when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, (f"open({str(self.path)!r}, 'w').close()",)


@unittest.skipIf(torch is None, "PyTorch is not installed")
class ProgramArchiveTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.good, self.bad, self.mark = (self.folder / name for name in ("good.pt2", "bad.pt2", "mark"))
        program = torch.export.export(torch.nn.Linear(2, 2).eval(), (torch.ones(1, 2),), strict=False)
        torch.export.save(program, self.good)

    def rewrite(self, change: Callable[[str, bytes], bytes | None], more: dict[str, bytes] | None = None) -> None:
        with zipfile.ZipFile(self.good) as good, zipfile.ZipFile(self.bad, "w") as bad:
            for name in good.namelist():
                made = change(name, good.read(name))
                if made is not None:
                    bad.writestr(name, made)
            for name, data in (more or {}).items():
                bad.writestr(f"{good.namelist()[0].partition('/')[0]}/{name}", data)

    def refused(self, reason: str) -> None:
        with self.assertRaisesRegex(RefusedError, reason):
            load_archive(str(self.bad))
        self.assertFalse(self.mark.exists())

    def saved(self, value: Any) -> bytes:
        path = self.folder / "value.pt"
        torch.save(value, path)
        return path.read_bytes()

    def test_a_good_one(self) -> None:
        self.assertEqual(load_archive(str(self.good)).graph_signature.user_inputs, ("input",))

    def test_truncated(self) -> None:
        data = self.good.read_bytes()
        for length in (0, 1, 100, len(data) // 2, len(data) - 1):
            with self.subTest(length=length):
                self.bad.write_bytes(data[:length])
                self.refused("damaged one")

    def test_a_flipped_byte(self) -> None:
        data = bytearray(self.good.read_bytes())
        at = data.index(b"torch.ops.aten")
        data[at] ^= 1
        self.bad.write_bytes(bytes(data))
        self.refused("damaged")

    def test_another_kind_of_archive(self) -> None:
        with zipfile.ZipFile(self.bad, "w") as bad:
            bad.writestr("data.pkl", pickle.dumps(Running(self.mark)))
        self.refused("holds no program")
        torch.save({"weight": torch.ones(2)}, self.bad)
        self.refused("holds no program")

    def test_pickles_that_run_something(self) -> None:
        pickled = self.saved((Running(self.mark),))
        self.rewrite(lambda name, data: pickled if name.endswith("sample_inputs/model.pt") else data)
        self.refused("sample_inputs/model.pt wants to call .*exec")
        for folder in ("weights", "constants"):
            self.rewrite(lambda _, data: data, {f"data/{folder}/model.pt": pickled})
            self.refused(f"{folder}/model.pt wants to call .*exec")
        self.rewrite(lambda _, data: data, {"data/constants/opaque_obj_0": pickle.dumps(Running(self.mark))})
        self.refused("opaque_obj_0 is a pickled object")

    def test_a_weight_that_is_a_pickle(self) -> None:
        def pickled(name: str, data: bytes) -> bytes:
            if name.endswith("weights/weight_0"):
                return self.saved(Running(self.mark))
            if not name.endswith("weights_config.json"):
                return data
            config = json.loads(data)
            for payload in config["config"].values():
                payload["use_pickle"] = True
            return json.dumps(config).encode()

        self.rewrite(pickled)
        self.refused("more than tensors")

    def test_compiled_code(self) -> None:
        self.rewrite(lambda _, data: data, {"data/aotinductor/model/model.so": b"\x7fELF"})
        self.refused("compiled code")

    def test_text_that_would_be_evaluated(self) -> None:
        for text in ("s0*2 + 1", "Max(1, s0)", "Symbol('s0', positive=True, integer=True)", "(s0//2)", "Eq(s0, 3)",
                     "GreaterThan(Symbol('u0', integer=True), Integer(0))", "s0 >= 2"):  # fmt: skip
            check_size(text, "model.json")
        for text in ("__import__('os')", "exec('1')", "s0.__class__", "lambdify(s0, 1)", "[x for x in s0]", "'text'",
                     "Symbol('s0; x')", "sympify('1')", "f(s0)", "(", "Symbol('a', integer='x')"):  # fmt: skip
            with self.subTest(text=text), self.assertRaisesRegex(RefusedError, "is no size"):
                check_size(text, "model.json")

    def test_a_size_that_runs_something(self) -> None:
        text = f"exec('open({str(self.mark)!r}, chr(119))')"
        size = {"as_expr": {"expr_str": text, "hint": None}}

        def evil(name: str, data: bytes) -> bytes:
            if not name.endswith("models/model.json"):
                return data
            model = json.loads(data)
            for meta in model["graph_module"]["graph"]["tensor_values"].values():
                meta["sizes"] = [size, size]
            return json.dumps(model).encode()

        self.rewrite(evil)
        self.refused("is no size")

    def test_a_tree_that_has_modules_imported(self) -> None:
        tree = json.dumps([1, {"type": "collections.defaultdict", "context": json.dumps(
            {"default_factory_module": "antigravity", "default_factory_name": "x", "dict_context": []}),
            "children_spec": []}])  # fmt: skip

        def evil(name: str, data: bytes) -> bytes:
            if not name.endswith("models/model.json"):
                return data
            model = json.loads(data)
            model["graph_module"]["module_call_graph"][0]["signature"]["in_spec"] = tree
            return json.dumps(model).encode()

        self.rewrite(evil)
        self.refused("wants antigravity imported")

    def test_calls_that_touch_files_or_are_no_ops(self) -> None:
        aten = torch.ops.aten
        rows = [
            (aten.from_file.default, (str(self.mark), True, 4), "none that a case can have"),
            (aten._print.default, ("text",), "none that a case can have"),
            (exec, (f"open({str(self.mark)!r}, 'w')",), "is no ATen overload"),
            (torch.load, (str(self.good),), "is no ATen overload"),
        ]
        for target, args, reason in rows:
            graph = torch.fx.Graph()
            graph.output((graph.call_function(target, args),))
            walk = Walk(ImportedGraph(), Expander(set()), Notes())
            with self.subTest(target=str(target)), self.assertRaisesRegex(RefusedError, reason):
                walk.run(torch.fx.GraphModule({}, graph), [])
        self.assertFalse(self.mark.exists())


if __name__ == "__main__":
    unittest.main()
