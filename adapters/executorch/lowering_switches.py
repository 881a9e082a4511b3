"""The switches of ExecuTorch's last lowering step (how memory is planned, what becomes of views and writes) and of its
runtime (which kernels run, how methods are loaded)."""

from __future__ import annotations

import inspect
from typing import Any

from executorch.exir import ExecutorchBackendConfig, memory_planning
from executorch.exir.memory_planning import greedy, naive
from executorch.exir.passes import MemoryPlanningPass

from adapters.worker.switches import Settings, Switch
from adapters.worker.system import UnsupportedError

SWITCHES = (
    Switch("planner", ("default", "greedy", "naive")),
    Switch("plan_inputs", ("yes", "no")),
    Switch("plan_outputs", ("yes", "no")),
    Switch("view_copies", ("removed", "kept")),
    Switch("reinplace", ("no", "yes")),
    Switch("buffer_names", ("no", "yes")),
    Switch("methods", ("loaded_first", "loaded_late")),  # of a case that has some
    Switch("llm_operations", ("own", "reference")),  # what runs where ExecuTorch has a custom operation itself
    Switch("state", ("shown", "inside")),  # whether a further method returns the buffers after each call
)
ALGORITHMS = {"greedy": greedy, "naive": naive}


def backend_config(
    passes: list[Any], settings: Settings, share_state: bool = False, **more: Any
) -> ExecutorchBackendConfig:
    """What the settings come to, the methods of a program sharing their buffers or not; `more` are further members of
    the configuration."""
    algorithm = ALGORITHMS.get(settings["planner"])
    # Releases before 0.7 have no suite, and take an algorithm as it is.
    suite = getattr(memory_planning, "MemoryPlanningAlgorithmSuite", lambda algo_list: algo_list[0])
    # Releases before these switches do not know them; to leave one off is not to name it.
    named = {"run_reinplace_pass": "reinplace", "emit_mutable_buffer_names": "buffer_names"}
    given = {name: True for name, switch in named.items() if settings[switch] == "yes"}
    chosen: dict[str, Any] = {"memory_planning_algo": suite(algo_list=[algorithm])} if algorithm else {}
    if share_state:
        if "share_mutable_buffers" not in inspect.signature(MemoryPlanningPass).parameters:
            raise UnsupportedError("buffers that several methods share: this release gives each its own")
        chosen["share_mutable_buffers"] = True
    planning = MemoryPlanningPass(
        **chosen,
        alloc_graph_input=settings["plan_inputs"] == "yes",
        alloc_graph_output=settings["plan_outputs"] == "yes",
    )
    return ExecutorchBackendConfig(
        passes=passes,
        memory_planning_pass=planning,
        remove_view_copy=settings["view_copies"] == "removed",
        **given,
        **more,
    )
