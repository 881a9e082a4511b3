"""What PyTorch's compilers document, or plainly state, as limits. Each target takes the tables of its path."""

from __future__ import annotations

from adapters.worker.system import Rejection

FUNCTIONALIZATION_REJECTIONS = (
    Rejection(
        r"as_strided\(\) is non-compositional, .* this behavior is banned in compile",
        "functionalization says so itself: no writes through a view of an as_strided view",
    ),
    Rejection(
        r"functionalization encountered a tensor being mutated that has internal overlap.* this is banned",
        "functionalization says so itself: no writes through an overlapping unfold (pytorch/pytorch#165409)",
    ),
)

CONTROL_FLOW_REJECTIONS = (
    Rejection(
        r"Encountered (aliasing|input mutation) during higher order op tracing",
        "the docstrings of torch.cond, while_loop and scan: no operand may alias another or a result, and what may be "
        "written is closures of a branch or loop, where no gradients are recorded",
    ),
    Rejection(
        r"might be (aliasing the input or the output|modifying the input)!",
        "the same, found by functionalization",
    ),
)

EXPORT_REJECTIONS = (
    *CONTROL_FLOW_REJECTIONS,
    Rejection(
        r"^(UserError|ConstraintViolationError): Constraints violated",
        "the guide of torch.export: one program for the whole range, or the range that it would hold in is suggested",
        stage="export",
    ),
    Rejection(
        r"^(DynamicOutputShapeException|GuardOnDataDependentSymNode)\b",
        "the guide of torch.export: shapes that depend on data need hints in the model's source",
        stage="export",
    ),
    *FUNCTIONALIZATION_REJECTIONS,
)

COMPILE_REJECTIONS = (
    *CONTROL_FLOW_REJECTIONS,
    Rejection(
        r"^ConstraintViolationError: Constraints violated",
        "mark_dynamic's reference: it is an error where the dim that is marked is specialized",
        stage="compile",
    ),
    Rejection(
        r"^Unsupported: ",
        "torch.compile's reference, fullgraph: what would break the graph is an error, and names the construct",
        stage="compile",
    ),
    *FUNCTIONALIZATION_REJECTIONS,
)
