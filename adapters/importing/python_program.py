"""A module, function or autograd.Function of a Python file, exported with the inputs that the file or a person gives.

Of the file only what the name needs is executed. An autograd.Function comes with the gradients that its backward gives,
as expected results of a `grad` case.
"""

from __future__ import annotations

import inspect
import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map_only

from adapters.importing.needed_source import NotThereError, needed_source
from adapters.importing.op_libraries import keep_kernels
from adapters.importing.size_symbols import random_tensor
from adapters.torch.tensors import NAMES, encode, parse_type
from adapters.worker.one_answer import RefusedError

Json = dict[str, Any]


class Calling(torch.nn.Module):
    """A function as a module, whose inputs have the names of its parameters."""

    def __init__(self, function: Any, signature: inspect.Signature | None) -> None:
        super().__init__()

        def forward(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        if signature is not None:
            forward.__signature__ = signature  # type: ignore[attr-defined]
        self.forward = forward


def signature_of(function: Any, skipped: int = 0) -> inspect.Signature | None:
    """Its parameters without the first ones; None where it does not say them."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    return inspect.Signature(parameters[skipped:])


@dataclass
class PythonProgram:
    where: str
    made: Any  # what the name is bound to
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    seed: int

    @staticmethod
    def of(path: str, name: str, types_of_inputs: list[str], seed: int) -> PythonProgram:
        module = executed(path, name)
        made = getattr(module, name)
        if types_of_inputs:
            args: Any = tuple(drawn(text, seed + i) for i, text in enumerate(types_of_inputs))
        else:
            args = getattr(made, "example_inputs", getattr(module, "example_inputs", None))
            if args is None and takes_nothing(made):
                args = ()
            if args is None:
                raise RefusedError(f"{path} gives no example_inputs for {name}; name their types with --input")
            args = args() if callable(args) else args
        args, kwargs = split_inputs(args)
        return PythonProgram(f"{path}:{name}", made, args, kwargs, seed)

    @property
    def is_function(self) -> bool:
        return isinstance(self.made, type) and issubclass(self.made, torch.autograd.Function)

    def module(self) -> torch.nn.Module:
        if self.is_function:
            # Its context comes first, unless a setup_context of its own fills that.
            own = self.made.setup_context is not torch.autograd.Function.setup_context
            return Calling(self.made.apply, signature_of(self.made.forward, 0 if own else 1))
        if isinstance(self.made, type) and issubclass(self.made, torch.nn.Module):
            return self.made()
        if isinstance(self.made, torch.nn.Module):
            return self.made
        if callable(self.made) and not isinstance(self.made, type):
            return Calling(self.made, signature_of(self.made))
        raise RefusedError(f"{self.where} is a {type(self.made).__name__}: no module, function or autograd.Function")

    def exported(self) -> torch.export.ExportedProgram:
        with torch.no_grad():
            module = self.module().eval()
            self._exported = torch.export.export(module, self.args, self.kwargs, strict=False)
        return self._exported

    def add_gradients(self, case: Json, made: Any) -> None:
        """The gradients of an autograd.Function: what its backward gives for drawn cotangents is expected."""
        if not self.is_function:
            return
        inputs = tree_map_only(torch.Tensor, differentiable, (self.args, self.kwargs))
        outputs = self._outputs(self.made.apply, inputs)
        taking_part = [output.requires_grad for output in outputs]
        if not any(taking_part):
            made.notes.say("its backward takes no part: no output depends on an input of a floating dtype")
            return
        cotangents = [
            random_tensor(output.dtype, list(output.shape), self.seed + 100 + i) if part else None
            for i, (output, part) in enumerate(zip(outputs, taking_part, strict=True))
        ]
        gradients = gradients_of(outputs, cotangents, inputs)
        names = made.input_names()
        wrt = [name for name, gradient in zip(names, gradients, strict=True) if gradient is not None]
        case["requires"] = [*case.get("requires", []), "grad"]
        # What the function itself gave, forward and backward.
        case["expect"] = [encode(output) for output in outputs]
        case["grad"] = {"wrt": wrt, "cotangents": [data(one) for one in cotangents]}
        case["expect_grad"] = {
            name: data(gradient) for name, gradient in zip(names, gradients, strict=True) if gradient is not None
        }
        self._compare(gradients, cotangents, made)

    def _outputs(self, call: Any, inputs: Any) -> list[torch.Tensor]:
        args, kwargs = inputs
        return [leaf for leaf in tree_leaves(call(*args, **kwargs)) if isinstance(leaf, torch.Tensor)]

    def _compare(self, gradients: list[Any], cotangents: list[Any], made: Any) -> None:
        """Says where the backward is not the derivative of the forward, which is what a `grad` case is judged by."""
        inputs = tree_map_only(torch.Tensor, differentiable, (self.args, self.kwargs))
        outputs = self._outputs(self._exported.module(), inputs)
        derived = gradients_of(outputs, cotangents, inputs)
        for name, ours, theirs in zip(made.input_names(), gradients, derived, strict=True):
            if ours is None and theirs is None:
                continue
            one, two = (torch.zeros(()) if gradient is None else gradient for gradient in (ours, theirs))
            if not torch.allclose(one, two, rtol=1e-3, atol=1e-5, equal_nan=True):
                made.notes.say(f"its backward gives {name} another gradient than the derivative of its forward")


def differentiable(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().clone().requires_grad_(tensor.dtype.is_floating_point)


def gradients_of(outputs: list[torch.Tensor], cotangents: list[Any], inputs: Any) -> list[torch.Tensor | None]:
    """By input, in order; None for what has none."""
    tensors = [leaf for leaf in tree_leaves(inputs) if isinstance(leaf, torch.Tensor)]
    pairs = [
        (output, cotangent)
        for output, cotangent in zip(outputs, cotangents, strict=True)
        if cotangent is not None and output.requires_grad
    ]
    wanted = [tensor for tensor in tensors if tensor.requires_grad]
    if not pairs or not wanted:
        return [None] * len(tensors)
    made = torch.autograd.grad([one for one, _ in pairs], wanted, [two for _, two in pairs], allow_unused=True)
    found = dict(zip(map(id, wanted), made, strict=True))
    return [found.get(id(tensor)) for tensor in tensors]


def data(tensor: torch.Tensor | None) -> Any:
    return None if tensor is None else encode(tensor)["data"]


def takes_nothing(made: Any) -> bool:
    """Whether it can be called without inputs."""
    call = made.forward if isinstance(made, (type, torch.nn.Module)) and hasattr(made, "forward") else made
    try:
        parameters = list(inspect.signature(call).parameters.values())
    except (TypeError, ValueError):
        return False
    needed = [one for one in parameters if one.default is one.empty and one.kind is not one.VAR_KEYWORD]
    needs_self = isinstance(made, type) and issubclass(made, torch.nn.Module)
    return len(needed) == int(needs_self)


def split_inputs(given: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """A tuple of inputs, a dictionary of inputs by name, or a pair of both."""
    if isinstance(given, dict):
        return (), given
    if not isinstance(given, (tuple, list)):
        return (given,), {}
    if len(given) == 2 and isinstance(given[0], (tuple, list)) and isinstance(given[1], dict):
        return tuple(given[0]), given[1]
    return tuple(given), {}


def executed(path: str, name: str) -> types.ModuleType:
    """The file as a module that holds `name`, example_inputs and what they need."""
    file = Path(path)
    if not file.is_file():
        raise RefusedError(f"{path} is no Python file")
    try:
        tree = needed_source(file.read_text(), name, ("example_inputs",), path)
    except NotThereError:
        raise RefusedError(f"{path} has no {name}") from None
    except (SyntaxError, UnicodeDecodeError, ValueError) as error:
        raise RefusedError(f"{path}: {error}") from None
    keep_kernels()
    module = types.ModuleType(file.stem)
    module.__file__ = path
    sys.dont_write_bytecode = True  # of the files beside it, which are not ours
    sys.argv = [path]
    sys.path.insert(0, str(file.resolve().parent))
    sys.modules[file.stem] = module  # dataclasses and pickles look their classes up there
    try:
        exec(compile(tree, path, "exec"), module.__dict__)
    except SystemExit as error:
        raise RefusedError(f"{path} ends itself with {error.code!r} before {name} is there") from None
    if not hasattr(module, name):
        raise RefusedError(f"{path} has no {name}")
    return module


def drawn(text: str, seed: int) -> torch.Tensor:
    try:
        dtype, sizes = parse_type(text)
    except (KeyError, ValueError):
        raise RefusedError(f"--input {text}: no type; one is written f32[2,3]") from None
    if dtype not in NAMES:
        raise RefusedError(f"--input {text}: no type of a case")
    return random_tensor(dtype, sizes, seed)
