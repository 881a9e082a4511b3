"""Programs in the forms that torch.export gives them: what is read, fixed, replaced and refused."""

from __future__ import annotations

import importlib.util
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

try:
    import torch
except ImportError:
    torch = None

if torch is not None:
    from torch.export import Dim

    from adapters.importing.exported_program import import_program
    from adapters.torch.case_module import Sources, case_module
    from adapters.torch.tensors import decode, parse_type
    from adapters.worker.case_symbols import at_sizes, feeds_of, program_graph, sizes_of
from adapters.worker.one_answer import RefusedError

# Enough for a program's calls to be seen, too few for composites to stay.
OPS = """
add.Tensor add_.Tensor sub.Tensor mul.Tensor mul.Scalar div.Tensor neg.default relu.default exp.default matmul.default
mm.default addmm.default bmm.default linear.default softmax.int t.default transpose.int view.default expand.default
permute.default unsqueeze.default squeeze.dim select.int slice.Tensor cat.default stack.default clone.default
copy_.default full.default zeros.default ones.default full_like.default fill_.Scalar where.self where.ScalarOther
where.ScalarSelf eq.Scalar eq.Tensor ge.Tensor le.Tensor ge.Scalar all.dim sum.dim_IntList index_add.default
scatter_reduce.two index_copy_.default index_select.default nonzero_static.default floor.default arange.start_step
_to_copy.default reshape.default embedding.default clamp_min.default clamp_max.default bitwise_and.Tensor lt.Tensor
sigmoid.default tanh.default sigmoid_.default tanh_.default mul_.Tensor split.Tensor amax.default amin.default
rsub.Scalar lt.Scalar gt.Scalar ne.Scalar sub.Scalar add.Scalar flip.default as_strided.default batch_norm.default
conv2d.default squeeze.dims lift_fresh_copy.default gather.default tril.default unbind.int repeat_interleave.self_int
"""
KNOWN = OPS.split()


class Module(torch.nn.Module if torch else object):
    """What a test calls, with the tensors that it names as parameters and buffers."""

    def __init__(self, forward: Callable[..., Any], **buffers: Any) -> None:
        super().__init__()
        self.call = forward
        for name, buffer in buffers.items():
            self.register_buffer(name, buffer)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.call(self, *args, **kwargs)


@unittest.skipIf(torch is None, "PyTorch is not installed")
class ProgramFormTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "program.pt2"
        torch.manual_seed(1)

    def imported(
        self,
        module: Any,
        args: Any = (),
        kwargs: Any = None,
        known: Any = KNOWN,
        decomposed: bool = False,
        **options: Any,
    ) -> dict[str, Any]:
        """The case of the saved program; its outputs are those of the module."""
        if not isinstance(module, torch.nn.Module):
            module = Module(module)
        with torch.no_grad():
            program = torch.export.export(module.eval(), args, kwargs or {}, strict=False, **options)
            if decomposed:
                program = program.run_decompositions()
        torch.export.save(program, self.path)
        known = {f"aten.{name}" for name in known}
        case = import_program(str(self.path), [], 1, known)
        ops = {node["op"] for node in case["graph"]["nodes"]} - {"getitem"}
        self.assertLessEqual(ops, known)
        self.assert_same(case, module, args, kwargs or {})
        return case

    def assert_same(self, case: dict[str, Any], module: Any, args: Any, kwargs: Any) -> None:
        graph, feed = program_graph(case), feeds_of(case)[0]
        if "symbols" in graph:
            graph = at_sizes(graph, sizes_of(graph, feed))
        sources = Sources(graph, feed)
        inputs = [sources.tensor(name, spec) for name, spec in graph["inputs"].items()]
        with torch.no_grad():
            ours = case_module(graph)(*inputs)
            theirs = module(*torch.utils._pytree.tree_map(copied, args), **torch.utils._pytree.tree_map(copied, kwargs))
        leaves = [leaf for leaf in torch.utils._pytree.tree_leaves(theirs) if isinstance(leaf, torch.Tensor)]
        ours = list(ours) if isinstance(ours, (tuple, list)) else [ours]
        self.assertEqual(len(ours), len(leaves))
        for one, two in zip(ours, leaves, strict=True):
            torch.testing.assert_close(one, two, rtol=2e-3, atol=2e-3)

    def notes(self, case: dict[str, Any]) -> str:
        return "\n".join(case["origin"]["notes"])

    def refused(self, reason: str, module: Any, args: Any = (), **options: Any) -> None:
        with self.assertRaisesRegex(RefusedError, reason):
            self.imported(module, args, **options)

    def test_arithmetic_on_sizes(self) -> None:
        def forward(_: Any, x: torch.Tensor) -> torch.Tensor:
            torch._check(x.shape[0] * 2 >= 4)
            return torch.arange(x.shape[0] * 2 - 1) + x.reshape(-1, x.shape[0]).sum()

        case = self.imported(forward, (torch.ones(3, 3),))
        self.assertNotIn("symbol", self.notes(case))

    def test_a_size_that_is_left_open_stays_open(self) -> None:
        class Open(torch.nn.Module):
            def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
                torch._check(x.shape[0] * 2 >= 4)
                return x.expand(2, *x.shape).reshape(x.shape[0] * 2, -1) + torch.cat([y, y]).unsqueeze(1)

        rows = Dim("rows", min=2, max=9)
        shapes = {"x": {0: rows}, "y": {0: rows}}
        case = self.imported(Open(), (torch.ones(4, 3), torch.ones(4)), dynamic_shapes=shapes)
        self.assertRegex(self.notes(case), r"symbol \w+ \(2 to 9\) stays open, from 2 to 8")
        name = next(iter(case["symbols"]))
        self.assertEqual(case["symbols"], {name: [2, 8]})
        types = [spec["type"] for spec in case["graph"]["inputs"].values()]
        self.assertEqual(types, [f"f32[{name},3]", f"f32[{name}]"])
        self.assertEqual(case["runs"][0]["feed"]["x"]["type"], "f32[4,3]")
        arguments = [node["args"][1] for node in case["graph"]["nodes"] if len(node["args"]) > 1]
        self.assertIn([2, f"${name}", 3], arguments)
        self.assertIn([f"$2*{name}", -1], arguments)

    def test_inputs_that_were_not_saved_are_drawn(self) -> None:
        class Open(torch.nn.Module):
            def forward(self, x: torch.Tensor, y: torch.Tensor, by: int = 2) -> torch.Tensor:
                return x.reshape(-1) * by + y.sum()

        operands = (torch.rand(4, 3), torch.tensor([1, 2]))
        shapes = {"x": {0: Dim("rows", min=3, max=8)}, "y": None, "by": None}
        program = torch.export.export(Open(), operands, {"by": 3}, dynamic_shapes=shapes, strict=False)
        program.example_inputs = None
        torch.export.save(program, self.path)
        case = import_program(str(self.path), [], 1, set())
        types = [spec["type"] for spec in case["graph"]["inputs"].values()]
        self.assertRegex(" ".join(types), r"^f32\[\w+,3\] i64\[2\]$")
        self.assertRegex(
            self.notes(case),
            r"without example inputs: they are drawn\n(.*\n)?symbol \w+ \(3 to 8\) stays open, from 3 to 8",
        )
        self.assertIn("input by is fixed at 3", self.notes(case))

    def test_parameters_that_are_written_and_inputs_that_share_memory(self) -> None:
        class Writing(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.weight = torch.nn.Parameter(torch.ones(3))

            def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
                self.weight.add_(1)
                x.add_(1)
                return y * self.weight

        whole = torch.arange(6.0)
        with torch.no_grad():
            program = torch.export.export(Writing(), (whole[:3], whole[2:5]), strict=False)
        torch.export.save(program, self.path)
        case = import_program(str(self.path), [], 1, set())
        self.assertEqual(len(case["graph"]["buffers"]), 1)
        self.assertEqual([spec["offset"] for spec in case["graph"]["inputs"].values()], [0, 2])
        ((storage, data),) = case["feed"].items()
        self.assertEqual(
            decode(data, *parse_type(case["graph"]["storages"][storage]["type"])).tolist(), [0, 1, 2, 3, 4]
        )

    def test_a_number_that_depends_on_data_is_fixed_and_said(self) -> None:
        def forward(_: Any, x: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
            rows = count.item()
            torch._check(rows >= 1)
            torch._check(rows <= 4)
            return x + torch.zeros(rows, 1)

        case = self.imported(forward, (torch.ones(3), torch.tensor(2)))
        self.assertRegex(self.notes(case), r"item, a number that depends on data, is fixed at 2")

    def test_regions(self) -> None:
        def forward(module: Any, x: torch.Tensor) -> torch.Tensor:
            with torch.no_grad():
                y = x + 1
            with torch.autocast("cpu", dtype=torch.bfloat16):
                z = torch.nn.functional.linear(y, module.weight)
            return z, y.exp()

        with torch.enable_grad():
            case = self.imported(Module(forward, weight=torch.rand(3, 3)), (torch.rand(2, 3),))
        casts = [node for node in case["graph"]["nodes"] if node["op"] == "aten._to_copy.default"]
        self.assertEqual([cast["kwargs"]["dtype"] for cast in casts], ["bf16", "bf16"])

    def test_inputs_and_outputs_that_are_no_tensors(self) -> None:
        def forward(_: Any, x: torch.Tensor, factor: int, *, mode: str, other: Any = None, by: float = 1.0) -> Any:
            return {"sum": x * factor + by, "factor": factor, "none": None, "pair": (x.exp(), mode)}

        case = self.imported(forward, (torch.ones(2), 3), {"mode": "fast", "other": None, "by": 0.5})
        self.assertEqual(len(case["graph"]["inputs"]), 1)
        self.assertEqual(len(case["graph"]["outputs"]), 2)
        for line in ("input .* is fixed at 3", "input .* is fixed at 'fast'", "output .* is None", "output .* is 3"):
            self.assertRegex(self.notes(case), line)

    def test_dictionaries_and_keywords_keep_their_order(self) -> None:
        def forward(_: Any, pair: Any, *, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
            return pair["b"] - pair["a"] * first - second.exp()

        given = {"b": torch.tensor([5.0]), "a": torch.tensor([2.0])}
        keywords = {"second": torch.tensor([0.5]), "first": torch.tensor([3.0])}
        self.imported(forward, (given,), keywords)

    def test_tied_weights_are_stored_once(self) -> None:
        class Tied(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.embedding, self.head = torch.nn.Embedding(5, 3), torch.nn.Linear(3, 5, bias=False)
                self.head.weight = self.embedding.weight

            def forward(self, tokens: torch.Tensor) -> torch.Tensor:
                return self.head(self.embedding(tokens))

        case = self.imported(Tied(), (torch.tensor([1, 2]),))
        self.assertEqual(len(case["graph"]["constants"]), 1)

    def test_constants_are_lifted(self) -> None:
        case = self.imported(lambda _, x: x + torch.tensor([1.0, 2.0]), (torch.ones(2),))
        self.assertEqual(len(case["graph"]["constants"]), 1)

    def test_buffers_are_written(self) -> None:
        def forward(module: Any, x: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
            module.cache.index_copy_(0, at, x)
            module.count += 1
            return module.cache * module.count

        for decomposed in (False, True):
            module = Module(forward, cache=torch.zeros(3, 2), count=torch.zeros(()))
            before = {name: buffer.clone() for name, buffer in module.named_buffers()}
            known = [*KNOWN, "index_copy.default", "index_put.default"]
            with self.subTest(decomposed=decomposed):
                case = self.imported(module, (torch.ones(1, 2), torch.tensor([1])), known=known, decomposed=decomposed)
                self.assertEqual(len(case["graph"]["buffers"]), 2)
            module.load_state_dict(before)

    def test_what_is_returned_before_it_is_written_stays_as_it_was(self) -> None:
        def forward(module: Any, x: torch.Tensor) -> torch.Tensor:
            before = module.state.clone()
            module.state.copy_(x)
            return before

        self.imported(Module(forward, state=torch.zeros(2)), (torch.ones(2),), decomposed=True)

    def test_buffers_that_share_memory_are_windows(self) -> None:
        class Shared(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                whole = torch.arange(6.0)
                self.register_buffer("left", whole[:4])
                self.register_buffer("right", whole[2:])

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                self.left.add_(x)
                return self.right.exp()

        with torch.no_grad():
            program = torch.export.export(Shared(), (torch.ones(4),), strict=False)
        torch.export.save(program, self.path)
        graph = import_program(str(self.path), [], 1, set())["graph"]
        self.assertEqual([spec["offset"] for spec in graph["buffers"].values()], [0, 2])
        (storage,) = graph["storages"].values()
        self.assertEqual(decode(storage["data"], *parse_type(storage["type"])).tolist(), [0, 1, 2, 3, 4, 5])

    def test_composites_and_what_is_left_of_them(self) -> None:
        functional = torch.nn.functional
        norm = torch.nn.BatchNorm2d(2)
        image = torch.rand(1, 2, 4, 4)
        rows: list[tuple[Any, Any]] = [
            (lambda _, x: functional.dropout(x, 0.5, training=False) + 1, image),
            (lambda _, x: torch.meshgrid(x, x, indexing="ij"), torch.rand(3)),
            (lambda _, x: functional.adaptive_avg_pool2d(x, 2), image),
            (lambda _, x: torch.histc(x, 4, 0.0, 1.0), torch.rand(9)),
            (lambda _, x: torch.histc(x, 3), torch.rand(9)),
            (lambda _, x: x.type_as(torch.zeros(1, dtype=torch.float64)) * 2, image),
            (lambda _, x: x.to("cpu").detach_() + 1, image),
            (lambda _, x: torch.empty(2, 3).fill_(1.0) + x, torch.rand(3)),
            (lambda _, x: torch.empty_like(x).copy_(x) + 1, image),
            (lambda _, x: torch.nonzero(x > 0.5), torch.rand(6)),
            (lambda _, x: x[x > 0.5], torch.rand(6)),
            (lambda _, x: torch.where(x > 0.5)[1], torch.rand(3, 2)),
            (lambda _, x: functional.cross_entropy(x, torch.tensor([2, 0]), label_smoothing=0.1), torch.rand(2, 3)),
            (torch.nn.RReLU(), torch.rand(2, 3) - 0.5),
            (lambda _, x: (x * 4).to(torch.int64) << 1, torch.rand(3)),
            (lambda _, x: torch.mm(x, x, out=torch.empty(3, 3)) + 1, torch.rand(3, 3)),
            (lambda _, x: torch.masked_select(x, x > 0.5), torch.rand(6)),
            (torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2)), torch.rand(2, 3)),
            (torch.nn.Sequential(torch.nn.Conv2d(2, 2, 1), norm), image),
            *[
                (lambda _, x, mode=mode: functional.pad(x, (1, 1, 2, 0), mode=mode), image)
                for mode in ("constant", "reflect", "replicate", "circular")
            ],
        ]
        known = [*KNOWN, "_adaptive_avg_pool2d.default", "constant_pad_nd.default", "reflection_pad2d.default",
                 "replication_pad2d.default", "index.Tensor", "linalg_vector_norm.default", "gt.Scalar",
                 "norm.ScalarOpt_dim", "div.Scalar", "_log_softmax.default", "log_softmax.int", "squeeze.default",
                 "mean.default", "sum.default", "leaky_relu.default", "bitwise_left_shift.Tensor_Scalar", "to.dtype",
                 "scalar_tensor.default", "bitwise_not.default"]  # fmt: skip
        for at, (module, value) in enumerate(rows):
            with self.subTest(row=at):
                self.imported(module, (value,), known=known)

    def test_attention_stands_in_mathematical_form(self) -> None:
        attention = torch.nn.functional.scaled_dot_product_attention
        query, key = torch.rand(1, 4, 3, 8), torch.rand(1, 2, 5, 8)
        mask = torch.tensor([[True, False, True, True, False], [False] * 5, [True] * 5])
        rows: list[Any] = [
            lambda _, q, k: attention(q[:, :2], k, k),
            lambda _, q, k: attention(q[:, :2], k, k, attn_mask=mask),
            lambda _, q, k: attention(q[:, :2], k, k, attn_mask=mask.float(), scale=0.3),
            lambda _, q, k: attention(q, q, q, is_causal=True),
            lambda _, q, k: attention(q, k, k, enable_gqa=True),
            lambda _, q, k: attention(q[:, :2].half(), k.half(), k.half()),
        ]
        for at, forward in enumerate(rows):
            for decomposed in (False, True):
                with self.subTest(row=at, decomposed=decomposed):
                    known = [*KNOWN, "all.default", "logical_not.default", "scalar_tensor.default", "expand.default",
                             "any.dim", "_softmax.default"]  # fmt: skip
                    self.imported(forward, (query, key), known=known, decomposed=decomposed)

    def test_recurrence_stands_as_its_steps(self) -> None:
        for kind in (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN):
            for options in ({}, {"bidirectional": True, "num_layers": 2}, {"bias": False, "batch_first": True}):
                for decomposed in (False, True):
                    with self.subTest(kind=kind.__name__, options=options, decomposed=decomposed):
                        module = kind(3, 4, **options)
                        known = [*KNOWN, "chunk.default", "split_with_sizes.default"]
                        self.imported(module, (torch.rand(5, 2, 3),), known=known, decomposed=decomposed)

    def test_a_layer_of_mkldnn_stands_as_its_steps(self) -> None:
        from torch._decomp.decompositions import mkldnn_one_layer_lstm

        operands = (torch.rand(5, 2, 3), torch.rand(2, 4), torch.rand(2, 4))
        for reverse in (False, True):
            for bias in (False, True):
                with self.subTest(reverse=reverse, bias=bias):
                    module = torch.nn.LSTM(3, 4, bias=bias)
                    weights = dict(enumerate(module.parameters()))
                    case = self.imported(
                        Module(
                            lambda owner, x, h, c, bias=bias, reverse=reverse: mkldnn_one_layer_lstm(
                                x, (h, c), list(owner.buffers()), bias, reverse
                            ),
                            **{f"weight{at}": weight.detach() for at, weight in weights.items()},
                        ),
                        operands,
                        known=[*KNOWN, "split_with_sizes.default"],
                    )
                    self.assertIn("as formulas: aten.mkldnn_rnn_layer.default", self.notes(case))

    def test_embedding_bags(self) -> None:
        indices, offsets = torch.tensor([1, 4, 0, 3, 3]), torch.tensor([0, 2, 2])
        for options in (
            {"mode": "sum"}, {"mode": "mean"}, {"mode": "max"}, {"mode": "sum", "padding_idx": 3},
            {"mode": "mean", "padding_idx": 3}, {"mode": "sum", "include_last_offset": True},
        ):  # fmt: skip
            for decomposed in (False, True):
                with self.subTest(options=options, decomposed=decomposed):
                    bag = torch.nn.EmbeddingBag(6, 3, **options)
                    self.imported(bag, (indices, offsets), decomposed=decomposed)

    def test_what_is_refused_says_where(self) -> None:
        image = torch.rand(2, 3)
        self.refused("node fft_fft: aten.fft_fft", lambda _, x: torch.fft.fft(x).real, (image,))
        self.refused("node rand: aten.rand", lambda _, x: x + torch.rand(3), (image,))
        self.refused("memory that it never wrote to", lambda _, x: x + torch.empty(3), (image,))
        self.refused("rand_like", conditional, (image,))
        self.refused("complex64", lambda _, x: x * 2, (torch.ones(2, dtype=torch.complex64),))
        self.refused("returns no tensor", lambda _, x: 3, (image,))

    def test_quantization_stands_as_what_it_computes_where_it_is_not_known(self) -> None:
        import torch.ao.quantization.fx._decomposed

        def forward(_: Any, x: torch.Tensor) -> torch.Tensor:
            quantized = torch.ops.quantized_decomposed.quantize_per_tensor(x, 0.1, 3, -128, 127, torch.int8)
            return torch.ops.quantized_decomposed.dequantize_per_tensor(quantized, 0.1, 3, -128, 127, torch.int8)

        known = [*KNOWN, "round.default", "clamp.default", "div.Scalar", "to.dtype", "reciprocal.default", "mul.Scalar"]
        self.imported(forward, (torch.rand(2, 3) * 4,), known=known)

    def test_a_product_of_bytes_is_one_of_integers(self) -> None:
        a, b = (torch.randint(-128, 128, sizes, dtype=torch.int8) for sizes in ((3, 8), (8, 4)))
        case = self.imported(lambda _, a, b: torch._int_mm(a, b), (a, b))
        self.assertIn("aten.mm.default", [node["op"] for node in case["graph"]["nodes"]])

    @unittest.skipUnless(importlib.util.find_spec("torchao"), "torchao is not installed")
    def test_affine_quantization_of_torchao_is_read_unasked(self) -> None:
        def forward(_: Any, x: torch.Tensor) -> torch.Tensor:
            scale, zero = torch.full((3, 1), 0.05), torch.zeros(3, 1, dtype=torch.int64)
            given = (scale, zero, torch.int8, -128, 127)
            quantized = torch.ops.torchao.quantize_affine(x, (1, 16), *given)
            return torch.ops.torchao.dequantize_affine(quantized, (1, 16), *given, output_dtype=torch.float32)

        importlib.import_module("torchao.quantization")
        more = ["round.default", "clamp.default", "reciprocal.default", "mul.Tensor", "sub.Tensor"]
        case = self.imported(forward, (torch.randn(3, 16),), known=[*KNOWN, *more])
        self.assertIn("torchao.quantize_affine.default", self.notes(case))

    def test_a_library_that_is_not_loaded_is_named(self) -> None:
        with torch.library._scoped_library("importing_gone", "FRAGMENT") as library:
            library.define("twice(Tensor x) -> Tensor")
            library.impl("twice", lambda x: x + x, "CompositeExplicitAutograd")
            program = torch.export.export(
                Module(lambda _, x: torch.ops.importing_gone.twice(x)), (torch.ones(2),), strict=False
            )
            torch.export.save(program, self.path)
        with self.assertRaisesRegex(RefusedError, "calls importing_gone.twice.default, .* --library"):
            import_program(str(self.path), [], 1, set())

    def test_what_looks_at_its_data_is_said(self) -> None:
        from adapters.importing.op_libraries import keep_kernels

        keep_kernels()
        with torch.library._scoped_library("importing_looks", "FRAGMENT") as library:
            library.define("first_rows(Tensor x, Tensor count) -> Tensor")
            library.impl(
                "first_rows", lambda x, count: x * 2 if count.item() > 2 else x + 0, "CompositeExplicitAutograd"
            )
            library.impl("first_rows", lambda x, count: torch.empty_like(x), "Meta")
            operands = (torch.ones(2), torch.tensor([3]))
            case = self.imported(lambda _, x, count: torch.ops.importing_looks.first_rows(x, count), operands)
        self.assertRegex(self.notes(case), "importing_looks.first_rows.default stands as it is for these values")

    def test_a_dataclass_of_a_library(self) -> None:
        library = self.path.parent / "pair_library.py"
        library.write_text(PAIR)
        from adapters.importing.op_libraries import keep_kernels, load_library

        keep_kernels()
        load_library(str(library))
        import pair_library

        def forward(_: Any, pair: Any) -> torch.Tensor:
            return pair_library.Pair(pair.left + pair.right, torch.ops.pair_library.twice(pair.right))

        self.imported(forward, (pair_library.Pair(torch.ones(2), torch.full((2,), 3.0)),))


PAIR = """
from dataclasses import dataclass
import torch

@dataclass
class Pair:
    left: torch.Tensor
    right: torch.Tensor

torch.export.register_dataclass(Pair, serialized_type_name="pair_library.Pair")

@torch.library.custom_op("pair_library::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return x + x

@twice.register_fake
def _(x):
    return torch.empty_like(x)
"""


def conditional(_: Any, x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda x: x + torch.rand_like(x), lambda x: x - 1, (x,))


def copied(leaf: Any) -> Any:
    return leaf.clone() if isinstance(leaf, torch.Tensor) else leaf


if __name__ == "__main__":
    unittest.main()
