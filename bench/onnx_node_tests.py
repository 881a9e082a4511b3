"""The node tests of the onnx package, through importer, oracle and writer.

    PYTHON_WITH_ONNX bench/onnx_node_tests.py [--parallax PROGRAM] [--filter TEXT] [--refused] [--keep FOLDER]

Each test's model is imported with its recorded inputs, and the oracle judges the recorded outputs. Then our writer
writes the case as a model again, which is imported and judged in the same way. A recorded output outside the oracle's
bound is compared once more at the test's own tolerance: the package computes many of them in another precision.
`--refused` lists what is not imported, by operator.
"""

from __future__ import annotations

import argparse
import collections
import json
import re
import subprocess
import sys
import tempfile
import warnings
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import onnx.numpy_helper
from onnx.backend.test.case.node import collect_testcases

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT))

from adapters.importing.onnx.values import NoCounterpartError  # noqa: E402
from adapters.importing.onnx_model import expectation, import_model  # noqa: E402
from adapters.onnx.writer import write  # noqa: E402
from adapters.worker.arrays import DTYPES, NAMES, decode, encode  # noqa: E402
from adapters.worker.system import Json, UnsupportedError  # noqa: E402


@dataclass
class NodeTest:
    """A test that was imported."""

    name: str
    case: Json
    tolerance: tuple[float, float]
    feed: dict[str, np.ndarray]


# Recorded outputs that are off, and why.
_FFT = "an FFT in f32, whose rounding shows where the exact sums cancel to 0"
_WRAPS = "onnx 1.17 recorded what wraps around in the place of what saturates; onnx 1.23 records the latter"
RECORDED_OFF = {
    "test_dft_inverse": _FFT,
    "test_dft_inverse_opset19": _FFT,
    **{f"test_qlinearmatmul_{d}D_int8_float{bits}": _WRAPS for d in (2, 3) for bits in (16, 32)},
    "test_averagepool_3d_dilations_large_count_include_pad_is_1_ceil_mode_is_True": (
        "onnx 1.17 counted elements beyond the pads; onnx 1.23 records what is specified"
    ),
}


def elements(recorded: object, info: onnx.ValueInfoProto) -> np.ndarray:
    """A recorded tensor: an array, a number or a message. Older versions of onnx give bf16 as its bits."""
    array = onnx.numpy_helper.to_array(recorded) if isinstance(recorded, onnx.TensorProto) else np.asarray(recorded)
    if info.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16 and array.dtype == np.uint16:
        return array.view(DTYPES["bf16"])
    if array.dtype not in NAMES:
        raise TypeError(f"elements of {array.dtype}")
    return array


def case_of(model: onnx.ModelProto, name: str, inputs: dict[str, np.ndarray], outputs: list[np.ndarray]) -> Json:
    importer = import_model(model, ROOT, None, inputs)
    feed = {plain: encode(inputs[one])["data"] for one, plain in importer.names.items()}
    return {**importer.case(name, feed), "expect": expectation(outputs)}


def imported(test: object) -> NodeTest:
    inputs, outputs = test.data_sets[0]
    graph = test.model.graph
    given = {info.name: elements(one, info) for info, one in zip(graph.input, inputs, strict=False)}
    expected = [elements(one, info) for info, one in zip(graph.output, outputs, strict=True)]
    case = case_of(test.model, test.name, given, expected)
    return NodeTest(test.name, case, (test.rtol, test.atol), given)


def written(test: NodeTest) -> NodeTest:
    """The same after a turn through our writer."""
    graph = test.case["graph"]
    model = write(graph).graph.model()
    feed = {name: decode(data, graph["inputs"][name]["type"]) for name, data in test.case["feed"].items()}
    outputs = [decode(one["data"], one["type"]) for one in test.case["expect"]]
    return NodeTest(test.name, case_of(model, test.name, feed, outputs), test.tolerance, feed)


def verdicts(program: str, tests: list[NodeTest], folder: Path, name: str) -> dict[str, str]:
    """What the oracle says of each test's recorded outputs."""
    lines, report = folder / f"{name}.jsonl", folder / f"{name}.xml"
    lines.write_text("".join(json.dumps(test.case) + "\n" for test in tests))
    command = [program, "replay", str(lines), "--target", "recorded", "--junit", str(report), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not report.exists():
        sys.exit(done.stderr)
    print(f"{name}: {' '.join(done.stderr.split())[-400:]}" if done.returncode == 2 else "", end="")
    found = {}
    for one in ElementTree.parse(report).iter("testcase"):
        problem = next((child for child in one if child.tag in ("failure", "error", "skipped")), None)
        test = re.sub(r" on .*$", "", one.get("name", ""))
        found[test] = "match" if problem is None else f"{problem.tag}: {problem.get('message', '')}"
    return found


def disagrees(program: str, test: NodeTest, folder: Path) -> str:
    """Nothing if the oracle's values are the recorded ones to the test's own tolerance."""
    path = folder / "one.json"
    path.write_text(json.dumps(test.case))
    done = subprocess.run([program, "eval", str(path), "--json"], capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr.strip()
    relative, absolute = test.tolerance
    for i, (ours, recorded) in enumerate(zip(json.loads(done.stdout)["outputs"], test.case["expect"], strict=True)):
        wanted = decode(recorded["data"], recorded["type"])
        if ours["type"] != recorded["type"]:
            return f"output {i} is {ours['type']}, recorded {recorded['type']}"
        values = np.array([float("nan") if one is None else float(one) for one in ours["value"]]).reshape(wanted.shape)
        close = np.isclose(values, wanted.astype(np.float64), rtol=relative, atol=absolute, equal_nan=True)
        if not close.all():
            return f"output {i}: {(~close).sum()} of {close.size} elements differ"
    return ""


def judged(program: str, tests: list[NodeTest], folder: Path, name: str) -> tuple[collections.Counter[str], list[str]]:
    counts: collections.Counter[str] = collections.Counter()
    wrong = []
    found = verdicts(program, tests, folder, name)
    for test in tests:
        verdict = found.get(test.name, "not judged")
        if verdict == "match":
            counts["within the bound"] += 1
            continue
        if verdict.startswith("skipped"):
            counts["undecided in part"] += 1
            continue
        why = disagrees(program, test, folder)
        if why and test.name in RECORDED_OFF:
            counts["recorded wrongly"] += 1
            continue
        counts[f"outside the bound, and {'not ' if why else ''}within the test's tolerance"] += 1
        if why:
            wrong.append(f"{test.name}: {verdict[:160]} | {why}")
    return counts, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs the node tests of the onnx package.")
    parser.add_argument("--parallax", default=str(ROOT / "build/release/cli/parallax"), help="the program")
    parser.add_argument("--filter", default="", help="only tests whose name holds this")
    parser.add_argument("--refused", action="store_true", help="list what is refused")
    parser.add_argument("--keep", type=Path, help="where the cases are written")
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = [one for one in collect_testcases(None) if options.filter in one.name]
    tests, refused = [], []
    for one in given:
        try:
            tests.append(imported(one))
        except NoCounterpartError as error:
            refused.append((one.name, str(error)))
        except (ValueError, TypeError) as error:  # sequences, optionals, strings
            refused.append((one.name, f"recorded data that are no tensors of a case's dtypes: {error}"))
    print(f"onnx {onnx.__version__}: {len(tests)} of {len(given)} node tests imported")
    if options.refused:
        reasons = collections.Counter(re.sub(r"(node|input|initializer) '[^']*'", r"\1", why) for _, why in refused)
        for reason, count in reasons.most_common():
            print(f"  {count:3}  {reason}")
    again, unwritten = [], collections.Counter()
    for test in tests:
        try:
            again.append(written(test))
        except (UnsupportedError, NoCounterpartError) as error:
            unwritten[str(error)] += 1
    status = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        for name, some in (("imported", tests), ("written again", again)):
            counts, wrong = judged(options.parallax, some, folder, name.replace(" ", "-"))
            print(f"{name}: {', '.join(f'{count} {kind}' for kind, count in counts.most_common())}")
            for line in wrong:
                print(f"  {line}")
            status |= bool(wrong)
    print(f"not written again: {sum(unwritten.values())}")
    for reason, count in unwritten.most_common():
        print(f"  {count:3}  {reason}")
    return status


if __name__ == "__main__":
    sys.exit(main())
