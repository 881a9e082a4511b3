"""What each operator is as ATen calls, a family to a file. Importing this package fills the table."""

from adapters.importing.onnx.rows import (  # noqa: F401
    activations,
    arithmetic,
    attention,
    convolutions,
    indexing,
    losses,
    making,
    movement,
    norms,
    pools,
    products,
    quantization,
    recurrent,
    reductions,
    regions,
    resampling,
    signal,
)
