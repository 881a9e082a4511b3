"""The twelve programs of bench/reach.py: the depth and the operations of what people ship, with few channels.

A check computes each program some forty times on numbers with errors, so widths and images are small. Weights are
random; running statistics of batch norms are those of data that went through in training mode.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional

Made = tuple[nn.Module, tuple[Any, ...], dict[str, Any]]


def conv(inputs: int, outputs: int, size: int, stride: int, groups: int, act: type[nn.Module] | None) -> nn.Sequential:
    """A convolution, its batch norm, and its activation."""
    layers = [nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, *([] if act is None else [act()]))


class Excitation(nn.Module):
    """Squeeze and excitation: channels scaled by what their means give."""

    def __init__(self, channels: int, squeezed: int, act: type[nn.Module], gate: type[nn.Module]) -> None:
        super().__init__()
        self.gates = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, squeezed, 1), act(), nn.Conv2d(squeezed, channels, 1), gate()
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.gates(x)


class Inverted(nn.Module):
    """The block of MobileNet V2 and V3 and of EfficientNet."""

    def __init__(
        self,
        inputs: int,
        wide: int,
        outputs: int,
        size: int,
        stride: int,
        act: type[nn.Module],
        excite: nn.Module | None,
    ) -> None:
        super().__init__()
        layers = [conv(inputs, wide, 1, 1, 1, act)] if wide != inputs else []
        layers += [conv(wide, wide, size, stride, wide, act)]
        layers += [] if excite is None else [excite]
        self.layers = nn.Sequential(*layers, conv(wide, outputs, 1, 1, 1, None))
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.layers(x) if self.adds else self.layers(x)


class ConvNet(nn.Module):
    def __init__(self, blocks: list[nn.Module], head: list[nn.Module]) -> None:
        super().__init__()
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), *head)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.blocks(x))


def of_width(channels: float, width: float) -> int:
    """Channels in multiples of 8, as these networks round them."""
    return max(8, int(channels * width + 4) // 8 * 8)


def mobilenet_v2(width: float = 0.35) -> nn.Module:
    rows = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
    at = of_width(32, width)
    blocks: list[nn.Module] = [conv(3, at, 3, 2, 1, nn.ReLU6)]
    for expansion, channels, count, stride in rows:
        for i in range(count):
            outputs = of_width(channels, width)
            blocks.append(Inverted(at, at * expansion, outputs, 3, stride if i == 0 else 1, nn.ReLU6, None))
            at = outputs
    last = of_width(1280, width)
    return ConvNet([*blocks, conv(at, last, 1, 1, 1, nn.ReLU6)], [nn.Dropout(0.2), nn.Linear(last, 100)])


def mobilenet_v3(width: float = 0.35) -> nn.Module:
    """The small one: kernel, expanded, channels, excited, activation, stride."""
    rows = [(3, 16, 16, 1, 0, 2), (3, 72, 24, 0, 0, 2), (3, 88, 24, 0, 0, 1), (5, 96, 40, 1, 1, 2),
            (5, 240, 40, 1, 1, 1), (5, 240, 40, 1, 1, 1), (5, 120, 48, 1, 1, 1), (5, 144, 48, 1, 1, 1),
            (5, 288, 96, 1, 1, 2), (5, 576, 96, 1, 1, 1), (5, 576, 96, 1, 1, 1)]  # fmt: skip
    at = of_width(16, width)
    blocks: list[nn.Module] = [conv(3, at, 3, 2, 1, nn.Hardswish)]
    for size, expanded, channels, excited, hard, stride in rows:
        wide, outputs = of_width(expanded, width), of_width(channels, width)
        excite = Excitation(wide, of_width(wide / 4, 1), nn.ReLU, nn.Hardsigmoid) if excited else None
        blocks.append(Inverted(at, wide, outputs, size, stride, nn.Hardswish if hard else nn.ReLU, excite))
        at = outputs
    last, hidden = of_width(576, width), of_width(1024, width)
    head = [nn.Linear(last, hidden), nn.Hardswish(), nn.Dropout(0.2), nn.Linear(hidden, 100)]
    return ConvNet([*blocks, conv(at, last, 1, 1, 1, nn.Hardswish)], head)


def efficientnet_b0(width: float = 0.35) -> nn.Module:
    """Expansion, channels, blocks, stride, kernel."""
    rows = [(1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5),
            (6, 192, 4, 2, 5), (6, 320, 1, 1, 3)]  # fmt: skip
    at = of_width(32, width)
    blocks: list[nn.Module] = [conv(3, at, 3, 2, 1, nn.SiLU)]
    for expansion, channels, count, stride, size in rows:
        for i in range(count):
            wide, outputs = at * expansion, of_width(channels, width)
            excite = Excitation(wide, max(1, at // 4), nn.SiLU, nn.Sigmoid)
            blocks.append(Inverted(at, wide, outputs, size, stride if i == 0 else 1, nn.SiLU, excite))
            at = outputs
    last = of_width(1280, width)
    return ConvNet([*blocks, conv(at, last, 1, 1, 1, nn.SiLU)], [nn.Dropout(0.2), nn.Linear(last, 100)])


class Residual(nn.Module):
    """The basic block of ResNet."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(conv(inputs, outputs, 3, stride, 1, nn.ReLU), conv(outputs, outputs, 3, 1, 1, None))
        self.shorter = conv(inputs, outputs, 1, stride, 1, None) if stride != 1 or inputs != outputs else nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.relu(self.layers(x) + self.shorter(x))


def resnet18(first: int = 16) -> nn.Module:
    at = first
    blocks: list[nn.Module] = [conv(3, at, 7, 2, 1, nn.ReLU), nn.MaxPool2d(3, 2, 1)]
    for stage in range(4):
        outputs = first << stage
        blocks += [Residual(at, outputs, 1 if stage == 0 else 2), Residual(outputs, outputs, 1)]
        at = outputs
    return ConvNet(blocks, [nn.Linear(at, 100)])


class Unet(nn.Module):
    """Three steps down, three up, with what each step down gave beside."""

    def __init__(self, first: int = 8) -> None:
        super().__init__()
        widths = [first << i for i in range(4)]
        twice = lambda i, o: nn.Sequential(conv(i, o, 3, 1, 1, nn.ReLU), conv(o, o, 3, 1, 1, nn.ReLU))  # noqa: E731
        self.down = nn.ModuleList([twice(i, o) for i, o in zip([3, *widths], widths, strict=False)])
        self.larger = nn.ModuleList([nn.ConvTranspose2d(2 * w, w, 2, 2) for w in reversed(widths[:-1])])
        self.up = nn.ModuleList([twice(2 * w, w) for w in reversed(widths[:-1])])
        self.last = nn.Conv2d(first, 2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        kept = []
        for down in self.down:
            x = down(x)
            kept.append(x)
            x = functional.max_pool2d(x, 2)
        x = kept.pop()
        for larger, up in zip(self.larger, self.up, strict=True):
            x = up(torch.cat([kept.pop(), larger(x)], 1))
        return self.last(x)


class CachedBlock(nn.Module):
    """GPT-2's, for a step of decoding: keys and values go to a slot of the cache, and all slots up to it are read."""

    def __init__(self, width: int, heads: int, slots: int) -> None:
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.project, self.joined = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        for name in ("keys", "values"):
            self.register_buffer(name, torch.randn(1, heads, slots, width // heads))

    def forward(self, x: torch.Tensor, position: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        parts = self.project(self.first(x)).chunk(3, -1)
        query, key, value = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in parts)
        self.keys.index_copy_(2, position, key)
        self.values.index_copy_(2, position, value)
        seen = functional.scaled_dot_product_attention(query, self.keys, self.values, attn_mask=mask)
        x = x + self.joined(seen.transpose(1, 2).reshape(batch, length, width))
        return x + self.narrow(functional.gelu(self.wide(self.second(x)), approximate="tanh"))


class Gpt2(nn.Module):
    def __init__(self, words: int = 100, width: int = 48, layers: int = 12, slots: int = 16) -> None:
        super().__init__()
        self.slots = slots
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(slots, width)
        self.blocks = nn.ModuleList([CachedBlock(width, 4, slots) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, token: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        x = self.words(token) + self.places(position)
        mask = (torch.arange(self.slots) <= position).view(1, 1, 1, self.slots)
        for block in self.blocks:
            x = block(x, position, mask)
        return self.head(self.norm(x))


class Lstm(nn.Module):
    """Fifty steps, written step by step."""

    def __init__(self, steps: int = 50, width: int = 24) -> None:
        super().__init__()
        self.steps, self.width = steps, width
        self.words, self.cell, self.last = nn.Embedding(40, width), nn.LSTMCell(width, width), nn.Linear(width, 10)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.words(tokens)
        hidden, state = torch.zeros(1, self.width), torch.zeros(1, self.width)
        for step in range(self.steps):
            hidden, state = self.cell(x[:, step], (hidden, state))
        return self.last(hidden)


class Dlrm(nn.Module):
    """Dense features, bags of sparse ones, and the products of all pairs."""

    def __init__(self, tables: int = 8, rows: int = 100, width: int = 16) -> None:
        super().__init__()
        self.bags = nn.ModuleList([nn.EmbeddingBag(rows, width, mode="sum") for _ in range(tables)])
        self.dense = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, width), nn.ReLU())
        pairs = (tables + 1) * tables // 2
        layers = [nn.Linear(width + pairs, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1)]
        self.top = nn.Sequential(*layers)

    def forward(self, dense: torch.Tensor, indices: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        rows = [self.dense(dense), *(bag(indices[i], offsets) for i, bag in enumerate(self.bags))]
        stacked = torch.stack(rows, 1)
        products = torch.bmm(stacked, stacked.transpose(1, 2))
        i, j = torch.tril_indices(len(rows), len(rows), -1)
        return torch.sigmoid(self.top(torch.cat([rows[0], products[:, i, j]], 1)))


def images(count: int, size: int) -> torch.Tensor:
    """Smooth shapes of all contrasts with some noise: what differs between photographs, which noise alone lacks."""
    shapes = functional.interpolate(torch.randn(count, 3, 5, 5), size=(size, size), mode="bicubic", align_corners=False)
    return torch.rand(count, 1, 1, 1) * shapes + 0.5 * torch.randn(count, 3, 1, 1) + 0.05 * torch.randn_like(shapes)


def calibrated(model: nn.Module, size: int) -> Made:
    """With the statistics of images, not those that a norm starts with."""
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.momentum = None  # the mean over all batches
        elif isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out")
    model.train()
    with torch.no_grad():
        for _ in range(4):
            model(images(32, size))
    return model, (images(1, size),), {}


def transformer(config: str, model: str, given: dict[str, torch.Tensor], **sizes: Any) -> Made:
    import transformers as hf

    made = getattr(hf, model)(getattr(hf, config)(**sizes))
    keywords = {"use_cache": False} if hasattr(made.config, "use_cache") else {}
    return made, (), {**given, **keywords}


def whisper() -> Made:
    import transformers as hf

    config = hf.WhisperConfig(
        vocab_size=40, num_mel_bins=16, max_source_positions=24, d_model=48, encoder_layers=2,
        encoder_attention_heads=4,
        encoder_ffn_dim=192, decoder_layers=1, decoder_attention_heads=4, pad_token_id=0, bos_token_id=1,
        eos_token_id=2, decoder_start_token_id=1, suppress_tokens=None,
    )  # fmt: skip
    return hf.WhisperModel(config).encoder, (torch.randn(1, 16, 48),), {}


def programs() -> dict[str, Callable[[], Made]]:
    """By name."""
    small = {"hidden_size": 48, "num_attention_heads": 4, "intermediate_size": 192}
    tokens = lambda: torch.randint(0, 100, (1, 16))  # noqa: E731
    words = {"vocab_size": 100, "max_position_embeddings": 32}
    return {
        "mobilenet-v2": lambda: calibrated(mobilenet_v2(), 64),
        "mobilenet-v3": lambda: calibrated(mobilenet_v3(), 64),
        "resnet-18": lambda: calibrated(resnet18(), 64),
        "efficientnet-b0": lambda: calibrated(efficientnet_b0(), 64),
        "unet": lambda: calibrated(Unet(), 32),
        "vit-b16": lambda: transformer(
            "ViTConfig", "ViTModel", {"pixel_values": images(1, 64)}, **small, num_hidden_layers=4, image_size=64,
            patch_size=16,
        ),
        "bert": lambda: transformer("BertConfig", "BertModel", {"input_ids": tokens()}, **small, **words,
                                    num_hidden_layers=4),
        "gpt2": lambda: (Gpt2(), (torch.tensor([[7]]), torch.tensor([9])), {}),
        "llama": lambda: transformer("LlamaConfig", "LlamaForCausalLM", {"input_ids": tokens()}, **small, **words,
                                     num_hidden_layers=4, num_key_value_heads=2),
        "whisper": whisper,
        "lstm": lambda: (Lstm(), (torch.randint(0, 40, (1, 50)),), {}),
        "dlrm": lambda: (Dlrm(), (torch.randn(4, 13), torch.randint(0, 100, (8, 12)), torch.tensor([0, 3, 5, 9])), {}),
    }  # fmt: skip


def save(name: str, path: str) -> tuple[int, int]:
    """Writes the program; how many parameters and bytes of state it has."""
    torch.manual_seed(1)
    model, args, kwargs = programs()[name]()
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(torch.export.export(model.eval(), args, kwargs, strict=False), path)
    state = [*model.parameters(), *model.buffers()]
    return sum(p.numel() for p in model.parameters()), sum(t.numel() * t.element_size() for t in state)
