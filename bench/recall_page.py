"""Known bugs, closed by their maintainers, and what Parallax says of them: writes docs/recall.md.

    python bench/recall_page.py

Reads bugs/recall.jsonl, one object a line:
  id       "pytorch#143555"; `issue` is its link, `also` further threads of the same cause
  system, target, version    what was driven: the release that shows it, or ought to
  fixed    the first release without it, as far as it is known
  what     one sentence
  shows    whether the thread's own program, run without Parallax, shows it on that version; null where it was not run
  case, control              paths, or null where no case can say it
  verdict, control_verdict   what `parallax check` says of them on that version
  current, current_verdict   the pinned release, and what is said of the case there; null where it was not run
  missed   why it is not judged wrong; null where it is
  met      what campaigns on that version did; null where none ran
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "bugs" / "recall.jsonl"
PAGE = ROOT / "docs" / "recall.md"
WRONG = ("mismatch", "internal_error", "crash")

HEAD = """<!-- Generated from bugs/recall.jsonl by bench/recall_page.py; do not edit. -->
# Recall on known bugs

Bugs that others reported and maintainers closed, put to Parallax: given the program, is the result judged wrong?

## How they were chosen

A thread was put on the list before its case was run. Those of onnxruntime#21019 and #21922 were in the corpus already,
and a thread of pytorch#186328's cause was met before. All of this holds of it:

1. It is closed or merged, and its first post is from 2024 to 2026.
2. It tells of wrong results, on the CPU.
3. What could be read of it gives the program, in terms of PyTorch, of ONNX or of the system itself, and PyTorch's ops
   can say it.
4. A release that may have it installs from PyPI for Python 3.11. Few were installed: onnxruntime 1.17.0, 1.20.1,
   1.22.0 and 1.31.1, OpenVINO 2024.0.0 and 2026.4.1, torch 2.5.0 and 2.13.0, ExecuTorch 0.6.0 and 1.4.1, MLX 0.28.0,
   0.31.2 and 0.32.4, jax 0.10.2, TensorFlow 2.20.0 and 2.21.0 with LiteRT, tract 0.23.1, IREE 3.1.0, Thunder 0.2.5
   and 0.2.6.
5. Threads of one cause count once; further ones are named, and may be open. Random numbers are left out, and what a
   thread shows on graphics cards alone.

Threads were taken in the order in which searches returned them. Those of MLX, ExecuTorch and tract were taken in the
order of the histories of their repositories. Rule 3 named PyTorch and ONNX alone at
first. It was widened after 27 threads, before any of MLX, jax or tract was tried. Six were added after the first 80:
those of IREE, of Thunder and of torch.compile that further searches returned, and the two newest of MLX's history. Each
case has a control that differs in one thing.

"""


def read_entries(path: Path = DATA) -> list[dict[str, Any]]:
    """The lines of the data file."""
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def group_of(entry: dict[str, Any]) -> str:
    """judged: called wrong, with a control that is right; absent: that release does not show it; else missed."""
    if entry["verdict"] in WRONG and entry["control_verdict"] == "match":
        return "judged"
    return "absent" if entry["shows"] is False else "missed"


def link(entry: dict[str, Any]) -> str:
    """The thread, and further ones of the same cause."""
    system = entry["id"].partition("#")[0]
    names = {
        "pytorch/pytorch": "pytorch",
        "microsoft/onnxruntime": "onnxruntime",
        "openvinotoolkit/openvino": "openvino",
        "ml-explore/mlx": "mlx",
        "pytorch/executorch": "executorch",
        "jax-ml/jax": "jax",
        "openxla/xla": "xla",
        "sonos/tract": "tract",
        "tensorflow/tensorflow": "tensorflow",
        "google-ai-edge/LiteRT": "litert",
    }
    links = []
    for url in [entry["issue"], *entry["also"]]:
        owner, name, _, number = url.rsplit("/", 3)
        repository = f"{owner.rsplit('/', 1)[1]}/{name}"
        links.append(f"[{names.get(repository, system)}#{number}]({url})")
    return ", ".join(links)


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


def start(entry: dict[str, Any]) -> list[str]:
    """The columns that all tables have."""
    return [link(entry), entry["system"], entry["version"], entry["what"]]


def judged_row(entry: dict[str, Any]) -> list[str]:
    """A row of what is judged wrong."""
    path = Path(entry["case"])
    current = f"{entry['current']}: {entry['current_verdict'] or 'not run'}"
    case = f"[{path.parent.name}/{path.stem}](../{path})"
    return [*start(entry), entry["verdict"], entry["control_verdict"], current, case]


def page(entries: list[dict[str, Any]]) -> str:
    """docs/recall.md."""
    groups: dict[str, list[dict[str, Any]]] = {"judged": [], "missed": [], "absent": []}
    for entry in entries:
        groups[group_of(entry)].append(entry)
    judged, missed, absent = groups["judged"], groups["missed"], groups["absent"]
    columns = ["thread", "system", "release", "what", "verdict"]
    return (
        "".join(
            [
                HEAD,
                f"## Given the program\n\n{len(judged)} of the {len(judged) + len(missed)} that the release has, ",
                f"or may have, are judged wrong, and {len(missed)} are missed.\n",
                f"{len(absent)} more of the {len(entries)} do not show on it.\n\n",
                table([*columns, "control", "pinned release", "case"], [judged_row(entry) for entry in judged]),
                "## Missed\n\n",
                table(
                    [*columns, "why"],
                    [[*start(entry), entry["verdict"] or "no case", entry["missed"]] for entry in missed],
                ),
                "## Not on the installed release\n\nThe program gives eager's result there, or is refused, run without "
                "Parallax.\n\n",
                table(columns, [[*start(entry), entry["verdict"] or "no case"] for entry in absent]),
                "## Random generation\n\nDoes a campaign on that release meet the cause? The numbers of cases are "
                "those of the generator as it was when a row\nwas measured: a change of it draws others.\n\n",
                table(
                    ["thread", "release", "campaigns"],
                    [[link(entry), entry["version"], entry["met"]] for entry in entries if entry["met"]],
                ),
            ]
        ).rstrip("\n")
        + "\n"
    )


if __name__ == "__main__":
    PAGE.write_text(page(read_entries()))
