"""What the measuring finds in stand-in systems whose errors are known. Needs numpy, and is skipped elsewhere."""

from __future__ import annotations

import importlib.util
import math
import unittest
import warnings
from collections.abc import Callable

if importlib.util.find_spec("numpy") is None:
    raise unittest.SkipTest("this Python has no numpy")

import numpy as np

from adapters.measure import probes
from adapters.measure import profile as measuring
from adapters.measure.functions import FORMATS, FUNCTIONS, Array, Function, digamma, narrow, points, widen
from adapters.measure.systems import Builder, Program

NAMED = {function.name: function for function in FUNCTIONS}
COUNT = 20_000
measuring.PIECES = 5  # a test's system does not depend on where a point lies


def softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def convolution(x: Array, w: Array) -> Array:
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))), (3, 3), (2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, w)


def layer_norm(x: Array, w: Array) -> Array:
    deviations = x - x.mean(1, keepdims=True)
    return w * deviations / np.sqrt((deviations**2).mean(1, keepdims=True) + 1e-5)


HONEST: dict[str, Callable[..., Array]] = {
    **{function.name: function.reference for function in FUNCTIONS},
    "softmax": softmax,
    "add": np.add,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "relu": lambda x: np.maximum(x, 0),
    "clamp": lambda x: np.clip(x, -1, 1),
    "amax": lambda x: x.max(1),
    "sum": lambda x: x.sum(1),
    "mean": lambda x: x.mean(1),
    "matmul": np.matmul,
    "convolution": convolution,
    "layer_norm": layer_norm,
    "cast_up": np.exp,
    "cast_down_up": lambda x: x.astype(np.float16).astype(np.float64),
}


def system(**wrong: Callable[..., Array]) -> Builder:
    """Correctly rounded but for the operations given, which take and return wide numbers."""

    def build(operation: str, dtype: str, _: list[Array]) -> Program:
        function = wrong.get(operation) or HONEST[operation]
        result = "f32" if operation.startswith("cast") else dtype
        return lambda *arrays: narrow(function(*(widen(array, dtype) for array in arrays)), result)

    return build


def measure(name: str, build: Builder, dtype: str = "f32", flushes: bool = False) -> measuring.Row:
    return measuring.measure(build, NAMED[name], dtype, COUNT, flushes)


class FormatTest(unittest.TestCase):
    def test_bf16_rounds_to_even_and_comes_back(self) -> None:
        rows = {
            1 + 2**-8: 1.0,
            1 + 3 * 2**-8: 1 + 2**-6,
            1.01: 1 + 2**-7,
            -0.0: -0.0,
            math.inf: math.inf,
            3.4e38: math.inf,
        }
        values = np.array(list(rows))
        self.assertEqual(widen(narrow(values, "bf16"), "bf16").tolist(), list(rows.values()))
        self.assertTrue(np.isnan(widen(narrow(np.array([math.nan]), "bf16"), "bf16")).all())

    def test_units_in_the_last_place(self) -> None:
        unit = FORMATS["f32"].unit(np.array([1.0, 1.5, 2.0, 0.0, 1e-45, 2.0**-126]))
        self.assertEqual(unit.tolist(), [2.0**-23, 2.0**-23, 2.0**-22, 2.0**-149, 2.0**-149, 2.0**-149])

    def test_digamma(self) -> None:
        got = digamma(np.array([1.0, 0.5, 100.0]))
        for value, wanted in zip(got, (-0.5772156649015329, -1.9635100260214235, 4.600161852738087), strict=True):
            self.assertAlmostEqual(value, wanted, places=13)


class PointsTest(unittest.TestCase):
    def test_every_exponent_and_the_domain_are_covered(self) -> None:
        for name, low, high in (("exp", -math.inf, math.inf), ("log", 0, math.inf), ("asin", -1, 1)):
            values = widen(points(NAMED[name], "f32", COUNT, np.random.default_rng(0))[0], "f32")
            self.assertTrue(((values >= low) & (values <= high)).all())
            exponents = set(np.frexp(values[np.abs(values) >= 2.0**-126])[1].tolist())
            self.assertEqual(exponents, set(range(-125, 2 if name == "asin" else 129)))
            self.assertTrue((values == 0).any() and (np.abs(values[values != 0]) < 2.0**-126).any())

    def test_all_numbers_of_a_half(self) -> None:
        for dtype, finite in (("f16", 63488), ("bf16", 65280)):
            numbers = points(NAMED["exp"], dtype, 1, np.random.default_rng(0))[0]
            self.assertEqual(np.unique(numbers.view(np.uint16)).size, finite)


class ErrorTest(unittest.TestCase):
    def test_a_correct_system_is_half_a_unit_off(self) -> None:
        cases = [(function.name, "f32") for function in FUNCTIONS]
        for name, dtype in [*cases, ("division", "f16"), ("exp", "bf16"), ("tanh", "f64"), ("power", "f64")]:
            with self.subTest(name, dtype=dtype):
                row = measure(name, system(), dtype)
                self.assertEqual(row.remarks, [])
                if NAMED[name].scale is not None:
                    self.assertLessEqual(row.ulp, 1)  # half a unit of x is a whole one of x / 2
                    continue
                self.assertLessEqual(row.ulp, 0.5)
                self.assertEqual(row.allowed.ulp, 0.5 if name in ("division", "sqrt") else 1)

    def test_units_are_counted_and_where(self) -> None:
        def log(x: Array) -> Array:
            return np.log(x) + np.where(x == 1024, 3 * 2.0**-21, 0)

        function = Function("log", np.log, (0, math.inf), ((0, 2),), (1024,))
        row = measuring.measure(system(log=log), function, "f32", COUNT, False)
        self.assertEqual(row.ulp_at, 1024)
        self.assertAlmostEqual(row.ulp, 3, delta=0.5)
        self.assertEqual(row.allowed.ulp, measuring.round_up(row.ulp, function))

    def test_an_error_of_the_tail_is_found(self) -> None:
        def exp(x: Array) -> Array:
            return np.exp(x) * (1 + (2.0**-21 if x.size < 8 else 0))

        row = measure("exp", system(exp=exp))
        self.assertGreater(row.ulp, 3.5)
        self.assertEqual(row.remarks, ["worse in pieces of 1, 3, 7"])

    def test_an_absolute_error_is_told_as_one(self) -> None:
        allowed = measure("tanh", system(tanh=lambda x: np.tanh(x) + 1e-6)).allowed
        self.assertTrue(1e-6 <= allowed.absolute <= 5e-6 and allowed.ulp <= 16, allowed)

    def test_an_error_that_grows_is_told_as_one(self) -> None:
        allowed = measure("exp", system(exp=lambda x: np.exp(x * (1 + 2.0**-23)))).allowed
        self.assertTrue(1 <= allowed.ulp_per_operand <= 3 and allowed.ulp <= 10, allowed)

    def test_flushing_is_no_error_where_it_is_known(self) -> None:
        def flushing(x: Array) -> Array:
            result = np.exp(x)
            return np.where(result < 2.0**-126, 0, result)

        self.assertLessEqual(measure("exp", system(exp=flushing), flushes=True).ulp, 0.5)
        self.assertEqual(measure("exp", system(exp=flushing)).allowed.absolute, float(f"{2.0**-126:.8g}"))

    def test_flushed_operands_are_left_out(self) -> None:
        def flushing(x: Array) -> Array:
            return np.log(np.where(x < 2.0**-126, 0, x))

        self.assertEqual(measure("log", system(log=flushing), flushes=True).remarks, [])
        self.assertRegex(measure("log", system(log=flushing)).remarks[0], "results of another kind")

    def test_a_clamp_near_overflow_is_remarked_upon(self) -> None:
        row = measure("exp", system(exp=lambda x: np.where(x > 88, np.inf, np.exp(x))))
        self.assertLessEqual(row.ulp, 0.5)
        self.assertRegex(row.remarks[0], r"^\d+ results of another kind, x in \[88\.0")


class ProbeTest(unittest.TestCase):
    def test_a_correct_system(self) -> None:
        seen = probes.probe_all(system(), ["f32", "f16"])
        wrong = {name: value for name, value in seen.items() if value not in (False, []) and value != 24}
        self.assertEqual(wrong, {})

    def test_each_probe_sees_what_it_is_for(self) -> None:
        def at_zero(x: Array, y: Array) -> Array:
            return np.where(np.abs(x * y) < 2.0**-126, 0, x * y)

        def cut(x: Array, y: Array) -> Array:
            mantissa, exponent = np.frexp(x + y)
            return np.ldexp(np.trunc(mantissa * 2**24) * 2.0**-24, exponent)

        def one_pass(x: Array, w: Array) -> Array:
            x = x.astype(np.float32)
            mean = x.mean(1, keepdims=True)
            variance = (x * x).mean(1, keepdims=True) - mean * mean
            return w * (x - mean) / np.sqrt(np.maximum(variance, 0) + 1e-5)

        def in_half(x: Array) -> Array:
            return np.cumsum(x.astype(np.float16), 1, dtype=np.float16)[:, -1].astype(np.float64)

        def tf32(x: Array, y: Array) -> Array:
            return np.round(x * 1024) / 1024 @ y

        self.assertTrue(probes.flushes(system(multiply=at_zero), "f32"))
        self.assertTrue(probes.rounds_otherwise(system(add=cut), "f32"))
        self.assertEqual(probes.drops_nan(system(relu=lambda x: np.fmax(x, 0)), "f32"), ["relu"])
        self.assertEqual(probes.drops_nan(system(maximum=np.fmax), "f32"), ["maximum"])
        self.assertTrue(probes.variance_is_one_pass(system(layer_norm=one_pass), "f32"))
        self.assertEqual(probes.sums_in_half(system(sum=in_half), "f16"), ["sum"])
        self.assertEqual(probes.product_precision(system(matmul=tf32)), 11)
        kept = system(cast_up=lambda x: np.exp(x).astype(np.float16).astype(np.float64), cast_down_up=lambda x: x)
        self.assertEqual(probes.elides_casts(kept), ["up", "down"])

    def test_what_a_system_refuses_is_said(self) -> None:
        def build(operation: str, dtype: str, _: list[Array]) -> Program:
            raise ValueError(f"no {operation} of {dtype}")

        self.assertEqual(
            probes.probe_all(build, ["f32"])["flushes f32"], "not measured: ValueError: no multiply of f32"
        )


class ProfileTest(unittest.TestCase):
    def test_rows_of_one_kind_are_joined(self) -> None:
        rows = [measure("lgamma", system(), dtype) for dtype in ("f32", "f16")]
        rows.append(measure("digamma", system(digamma=lambda x: digamma(x) * (1 + 2.0**-21)), "f32"))
        rows.append(measure("gelu", system(gelu=lambda x: NAMED["gelu"].reference(x) + x * 2.0**-21)))
        seen = {
            "flushes f32": True,
            "drops_nan f16": ["relu"],
            "sums_in_half f16": "not measured",
            "product_precision": 11,
        }
        profile = measuring.profile_of("numpy 1", rows, seen)
        self.assertEqual(set(profile["functions"]), {"other", "gamma"})
        self.assertEqual(profile["functions"]["gamma"]["f32"]["ulp"], rows[2].allowed.ulp)
        self.assertEqual(profile["functions"]["gamma"]["f16"]["ulp"], 1)
        self.assertGreater(profile["functions"]["other"]["ulp"], 4)
        self.assertTrue(profile["flush_to_zero"])
        self.assertEqual(profile["allows"], [{"form": "dropped_nan", "source": "drops_nan f16: relu"}])
        self.assertEqual(profile["product_precision"], 11)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    unittest.main()
