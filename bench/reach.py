"""How far the oracle reaches on programs that people ship, and which planted errors it shows there.

    PYTHON bench/reach.py [NAME…] [--folder FOLDER] [--parallax PROGRAM] [--json FILE]
                          [--power | --right [--on TARGET]…]

PYTHON has torch and transformers. The twelve programs are those of bench/reach_models.py. Without --power there is one
row per program: what a check shows in bits, by proof and by ensemble, and what the oracle costs beside eager on one
core, which runs the program as often as a check does. With
--power each program runs on bench/faulty_eager.py, once without a fault and once for each kind that it can have; a row
says whether the fault was caught, and whether the operation was named. With --right it runs on targets that have no
fault on it. Exit code 1: something right was reported, or a fault was missed or another operation named.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import torch
from reach_models import programs, save

ROOT = Path(__file__).resolve().parent.parent
# Ops of which one call is made wrong: they compute, and their result is of floats.
SPOILED = ("conv2d", "linear", "layer_norm", "batch_norm", "bmm", "matmul", "addmm", "convolution", "rms_norm")
# Targets that are right: eager on one core, on all, without oneDNN, and compilers.
RIGHT = ("eager", "eager threads", "eager plain", "portable", "torch-inductor", "onnxruntime")
# Legal runs that a check takes where nothing is wrong, and before it reports anything.
FIRST_LOOK, BEFORE_A_REPORT = 8, 32
RUNS_OF_A_CHECK = 2  # of the program: with its own inputs and with others, by the target and by the oracle
# Faults of all calls of some ops, any of which may be named.
OF_A_KIND = {
    "gelu": ("aten.gelu.default",),
    "f16": ("aten.linear.default", "aten.addmm.default", "aten.mm.default", "aten.bmm.default", "aten.matmul.default",
            "aten.conv2d.default"),
}  # fmt: skip


class Run(NamedTuple):
    code: int
    out: str
    err: str
    seconds: float  # of processor time, with what it started
    megabytes: float  # at most at once


def run(command: list[str]) -> Run:
    """Runs a command to its end. Its peak is polled: what wait4 tells has that of this process in it, from the fork."""
    peak = 0
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err)
        while True:
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            found = re.search(r"VmHWM:\s*(\d+)", Path(f"/proc/{process.pid}/status").read_text())
            peak = max(peak, int(found[1]) if found else 0)
            time.sleep(0.01)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return Run(process.returncode, out.read(), err.read(), used.ru_utime + used.ru_stime, peak / 1024)


def eager_seconds(path: Path) -> float:
    """A call of the saved program on one core, the median of five."""
    torch.set_num_threads(1)
    program = torch.export.load(path)
    args, kwargs = program.example_inputs or ((), {})
    module = program.module()
    times = []
    with torch.no_grad():
        for _ in range(6):
            begun = time.perf_counter()
            module(*args, **kwargs)
            times.append(time.perf_counter() - begun)
    return statistics.median(times[1:])


def shown_bits(output: dict[str, Any], value: str, error: str) -> list[float]:
    """Of each element, how far its error lies below the tensor's scale, as `check` counts bits."""
    values = [abs(float(number)) for number in output[value]]
    scale = max((number for number in values if math.isfinite(number)), default=0.0)
    pairs = zip(output[error], output["flags"], strict=True)
    errors = [float(number) if flags == "" or error != "radius" else math.inf for number, flags in pairs]
    return [max(0.0, math.log2(scale / e)) if 0 < e < math.inf and scale > 0 else (0.0 if e else 53.0) for e in errors]


class Reach:
    def __init__(self, parallax: str, folder: Path) -> None:
        self.parallax, self.folder = parallax, folder
        folder.mkdir(parents=True, exist_ok=True)

    def case_of(self, name: str) -> tuple[Path, dict[str, Any]]:
        """The imported program, and what that took."""
        saved, case = self.folder / f"{name}.pt2", self.folder / f"{name}.json"
        parameters, state = save(name, str(saved))
        done = run([self.parallax, "import", str(saved), "-o", str(case)])
        if done.code:
            sys.exit(f"{name} was not imported: {done.err.strip()}")
        beside = case.with_suffix(".safetensors")
        size = case.stat().st_size + (beside.stat().st_size if beside.exists() else 0)
        nodes = len(json.loads(case.read_text())["graph"]["nodes"])
        facts = {"nodes": nodes, "parameters": parameters, "state_mb": round(state / 1e6, 2),
                 "case_mb": round(size / 1e6, 2), "import_s": round(done.seconds, 1)}  # fmt: skip
        return case, facts

    def known_case(self, name: str) -> Path:
        case = self.folder / f"{name}.json"
        return case if case.exists() else self.case_of(name)[0]

    def reach(self, name: str) -> dict[str, Any]:
        case, facts = self.case_of(name)
        first_look = self.evaluated(case, FIRST_LOOK)
        done = self.evaluated(case, BEFORE_A_REPORT)
        outputs = json.loads(done.out)["outputs"]
        proof = statistics.median(bit for output in outputs for bit in shown_bits(output, "value", "radius"))
        ensemble = statistics.median(
            bit for output in outputs for bit in shown_bits(output, "ensemble_value", "half_spread")
        )
        eager = eager_seconds(self.folder / f"{name}.pt2")
        return {"program": name, **facts, "proof_bits": round(proof, 1), "ensemble_bits": round(ensemble, 1),
                "check_s": round(first_look.seconds, 2), "report_s": round(done.seconds, 2), "eager_s": round(eager, 5),
                "times_eager": round(first_look.seconds / (RUNS_OF_A_CHECK * eager)),
                "memory_mb": round(done.megabytes)}  # fmt: skip

    def evaluated(self, case: Path, members: int) -> Run:
        done = run([self.parallax, "eval", str(case), "--members", str(members), "--json"])
        if done.code:
            sys.exit(f"{case} was not evaluated: {done.err.strip()}")
        return done

    def check(self, case: Path, target: str) -> dict[str, Any]:
        done = run([self.parallax, "check", str(case), "--target", target, "--json"])
        if done.code not in (0, 1):
            sys.exit(f"{case} on {target}: {done.err.strip()}")
        return {**json.loads(done.out)[0], "code": done.code}

    def eager(self, fault: list[str]) -> str:
        """The target; a kind without a node is no fault."""
        return f"cmd:{sys.executable} {ROOT / 'bench/faulty_eager.py'} {' '.join(fault)}"

    def right(self, name: str, targets: list[str]) -> list[dict[str, Any]]:
        case = self.known_case(name)
        rows = []
        for target in targets:
            kind, _, way = target.partition(" ")
            judged = self.check(case, self.eager([way or "scale"]) if kind == "eager" else target)
            reported = judged["code"] == 1
            rows.append({"program": name, "target": target, "verdict": judged["verdict"], "reported": reported,
                         "named": judged["first_wrong_operation"], "parts": judged["parts"].strip(),
                         "as_asked": not reported})  # fmt: skip
            print(json.dumps(rows[-1]), flush=True)
        return rows

    def power(self, name: str) -> list[dict[str, Any]]:
        case = self.known_case(name)
        nodes = json.loads(case.read_text())["graph"]["nodes"]
        ops = {node["op"] for node in nodes}
        draw = random.Random(name)
        computes = [node["out"] for node in nodes if node["op"].split(".")[1:2] and node["op"].split(".")[1] in SPOILED]
        writes = [node["out"] for node in nodes if node["op"] == "aten.index_copy_.default"]
        faults = [[kind, draw.choice(computes)] for kind in ("scale", "rolled", "zeros", "noise")]
        faults += [["gelu"]] if "aten.gelu.default" in ops else []
        faults += [["f16"]] if ops & {"aten.linear.default", "aten.conv2d.default"} else []
        faults += [["stale", draw.choice(writes)]] if writes else []
        rows = []
        for fault in [["scale"], *faults]:
            judged = self.check(case, self.eager(fault))
            is_right = fault == ["scale"]
            named = judged["first_wrong_operation"].split(" = ")[0]
            wrong = [node["out"] for node in nodes if node["op"] in OF_A_KIND.get(fault[0], ())] or fault[1:]
            rows.append({"program": name, "fault": "none" if is_right else fault[0], "node": "".join(fault[1:]),
                         "verdict": judged["verdict"], "reported": judged["code"] == 1,
                         "named": named})  # fmt: skip
            rows[-1]["as_asked"] = not rows[-1]["reported"] if is_right else rows[-1]["reported"] and named in wrong
            print(json.dumps(rows[-1]), flush=True)
        return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="programs; default: all")
    parser.add_argument("--folder", type=Path, default=Path("reach"), help="where programs and cases go")
    parser.add_argument("--parallax", default=str(ROOT / "parallax"), help="the program")
    parser.add_argument("--power", action="store_true", help="plant faults")
    parser.add_argument("--right", action="store_true", help="run on targets without a fault")
    parser.add_argument("--on", action="append", choices=RIGHT, help="only on this one of them; may be repeated")
    parser.add_argument("--json", type=Path, help="also write the rows to this file, one per line")
    options = parser.parse_args()
    if unknown := set(options.names) - set(programs()):
        parser.error(f"no program {', '.join(sorted(unknown))}; there are {', '.join(programs())}")
    reach = Reach(options.parallax, options.folder)
    rows: list[dict[str, Any]] = []
    for name in options.names or programs():
        if options.power or options.right:
            rows += reach.power(name) if options.power else reach.right(name, options.on or list(RIGHT))
        else:
            rows.append(reach.reach(name))
            print(json.dumps(rows[-1]), flush=True)
    if options.json:
        options.json.write_text("".join(json.dumps(row) + "\n" for row in rows))
    if options.right:
        return 0 if all(row["as_asked"] for row in rows) else 1
    if not options.power:
        return 0
    planted = [row for row in rows if row["fault"] != "none"]
    caught = [row for row in planted if row["reported"]]
    named = [row for row in planted if row["as_asked"]]
    print(f"{len(caught)} of {len(planted)} faults caught, the operation named in {len(named)}")
    return 0 if all(row["as_asked"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
