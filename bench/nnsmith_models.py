"""Models that NNSmith draws: how many are imported, and our verdicts beside its own.

    PYTHON_WITH_NNSMITH bench/nnsmith_models.py draw FOLDER [--count 100] [--seed 1]
    PYTHON_WITH_NNSMITH bench/nnsmith_models.py judge FOLDER [--target onnxruntime] [--target portable]

The environment has nnsmith 0.1.0, torch, onnx and onnxruntime from PyPI. NNSmith is of 2023 and needs two shims:
torch.onnx.export takes the TorchScript exporter only if it is told to, and onnx has a public name for what serializes a
model. NNSmith's own verdict compares onnxruntime with PyTorch eager at relative 1e-2 and absolute 1e-3.
"""

from __future__ import annotations

import argparse
import collections
import json
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent

SHIMS = """
import onnx, torch, torch.onnx
export = torch.onnx.export
torch.onnx.export = lambda model, args, f, **more: export(model, args, f, **{"dynamo": False, **more})
onnx._serialize = lambda model: model.SerializeToString()
"""


def nnsmith(command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """One of NNSmith's commands, with the shims."""
    source = f"{SHIMS}\nfrom nnsmith.cli.{command} import main\nmain()\n"
    call = [sys.executable, "-c", source, *arguments]
    with tempfile.TemporaryDirectory() as folder:  # where it keeps its logs
        return subprocess.run(call, capture_output=True, text=True, check=False, timeout=300, cwd=folder)


def draw(folder: Path, count: int, seed: int) -> None:
    folder = folder.resolve()
    folder.mkdir(exist_ok=True)
    while count:
        place = folder / f"m{seed}"
        nnsmith("model_gen", "model.type=onnx", "debug.viz=false", f"mgen.seed={seed}", f"mgen.save={place}")
        count -= (place / "oracle.pkl").exists()  # else the solver or the exporter failed: the next seed
        seed += 1


def feed_of(place: Path) -> Path:
    """NNSmith's own inputs, as `parallax import` takes them."""
    recorded = pickle.loads((place / "oracle.pkl").read_bytes())
    feed = {name: np.asarray(array).reshape(-1).tolist() for name, array in recorded["input"].items()}
    path = place / "feed.json"
    path.write_text(json.dumps(feed))
    return path


def own_verdict(place: Path) -> str:
    done = nnsmith("model_exec", "model.type=onnx", "backend.type=onnxruntime", f"model.path={place / 'model.onnx'}")
    said = done.stdout + done.stderr
    if "AssertionError" in said:
        return "inconsistent"
    return "exception" if "Traceback" in said or done.returncode else "pass"


def judge(folder: Path, program: str, targets: list[str]) -> None:
    pairs: collections.Counter[tuple[str, ...]] = collections.Counter()
    places = sorted(one for one in folder.resolve().iterdir() if (one / "oracle.pkl").exists())
    imported = 0
    for place in places:
        case = place / "case.json"
        done = subprocess.run(
            [program, "import", str(place / "model.onnx"), "--input", str(feed_of(place)), "-o", str(case)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            print(f"{place.name}: {done.stderr.strip()}")
            continue
        imported += 1
        verdicts = [own_verdict(place)]
        for target in targets:
            answer = subprocess.run([program, "check", str(case), "--target", target], capture_output=True, text=True,
                                    check=False)  # fmt: skip
            line = (answer.stdout or answer.stderr).strip().splitlines()[0]
            verdicts.append(line.partition(" · ")[2].partition(" · ")[0] or line)
        pairs[tuple(verdicts)] += 1
        if verdicts[0] != "pass" or any(not one.startswith("match") for one in verdicts[1:]):
            print(f"{place.name}: {', '.join(verdicts)}")
    print(f"{imported} of {len(places)} models imported")
    for verdicts, count in pairs.most_common():
        ours = [f"{target}: {verdict}" for target, verdict in zip(targets, verdicts[1:], strict=True)]
        print(f"{count:4}  NNSmith: {verdicts[0]}; {'; '.join(ours)}")


def main() -> None:
    parser = argparse.ArgumentParser(description="NNSmith's models through the importer.")
    parser.add_argument("what", choices=("draw", "judge"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", action="append")
    parser.add_argument("--parallax", default=str(ROOT / "build/release/cli/parallax"), help="the program")
    options = parser.parse_args()
    if options.what == "draw":
        draw(options.folder, options.count, options.seed)
    else:
        judge(options.folder, options.parallax, options.target or ["onnxruntime", "portable"])


if __name__ == "__main__":
    main()
