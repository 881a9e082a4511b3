"""Builds ordinary models with random weights, saves them with torch.export.save, imports each and judges it.

    PYTHON bench/import_zoo.py [NAME…] [--folder FOLDER] [--target TARGET]… [--parallax PROGRAM] [--kept-back]

PYTHON is one that has torch and transformers; a model of a library that is missing is left out, and said. One line per
model: what it holds, whether it is imported, the verdict of `parallax check` on each target, and how long these took.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

Made = tuple[nn.Module, tuple[Any, ...], dict[str, Any]]
ROOT = Path(__file__).resolve().parent.parent


class InvertedResidual(nn.Module):
    """MobileNet's: a wide depthwise convolution between two pointwise ones."""

    def __init__(self, channels: int, expansion: int) -> None:
        super().__init__()
        wide = channels * expansion
        self.layers = nn.Sequential(
            nn.Conv2d(channels, wide, 1, bias=False), nn.BatchNorm2d(wide), nn.ReLU6(),
            nn.Conv2d(wide, wide, 3, padding=1, groups=wide, bias=False), nn.BatchNorm2d(wide), nn.ReLU6(),
            nn.Conv2d(wide, channels, 1, bias=False), nn.BatchNorm2d(channels),
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.layers(x)


class ResidualBlock(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first, self.second = (nn.Conv2d(channels, channels, 3, padding=1) for _ in range(2))
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x + self.norm(self.second(torch.relu(self.first(x)))))


class Classifier(nn.Module):
    """Convolutional blocks between a stem and a head."""

    def __init__(self, block: Callable[[], nn.Module]) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.Hardswish())
        self.blocks = nn.Sequential(block(), block())
        self.head = nn.Sequential(
            nn.MaxPool2d(2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(8, 5)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.blocks(self.stem(x)))


class Unet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down, self.up = nn.Conv2d(3, 8, 3, padding=1), nn.ConvTranspose2d(8, 8, 2, stride=2)
        self.last = nn.Conv2d(16, 2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        fine = torch.nn.functional.gelu(self.down(x))
        coarse = torch.nn.functional.avg_pool2d(fine, 2)
        wide = torch.nn.functional.interpolate(coarse, scale_factor=2.0, mode="bilinear", align_corners=False)
        return self.last(torch.cat([fine, self.up(coarse) + wide], 1))


class Dlrm(nn.Module):
    """Dense and sparse features, and the products of all pairs."""

    def __init__(self) -> None:
        super().__init__()
        self.bags = nn.ModuleList([nn.EmbeddingBag(20, 8, mode="sum"), nn.EmbeddingBag(15, 8, mode="mean")])
        self.dense = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.top = nn.Linear(8 + 3, 1)

    def forward(self, dense: torch.Tensor, indices: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        rows = [self.dense(dense), *(bag(indices, offsets) for bag in self.bags)]
        stacked = torch.stack(rows, 1)
        products = torch.bmm(stacked, stacked.transpose(1, 2))
        i, j = torch.tril_indices(3, 3, -1)
        return torch.sigmoid(self.top(torch.cat([rows[0], products[:, i, j]], 1)))


class Recurrent(nn.Module):
    def __init__(self, kind: type[nn.RNNBase]) -> None:
        super().__init__()
        self.embedding, self.cell = nn.Embedding(20, 6), kind(6, 5, num_layers=2, bidirectional=True, batch_first=True)
        self.last = nn.Linear(10, 3)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.last(self.cell(self.embedding(tokens))[0][:, -1])


class CachedAttention(nn.Module):
    """A step of decoding: keys and values are written to buffers, and all of them are read."""

    def __init__(self) -> None:
        super().__init__()
        self.project, self.last = nn.Linear(8, 24), nn.Linear(8, 8)
        self.register_buffer("keys", torch.zeros(1, 2, 6, 4))
        self.register_buffer("values", torch.zeros(1, 2, 6, 4))

    def forward(self, x: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        query, key, value = (part.view(1, 1, 2, 4).transpose(1, 2) for part in self.project(x).chunk(3, -1))
        self.keys.index_copy_(2, position, key)
        self.values.index_copy_(2, position, value)
        mask = (torch.arange(6) <= position).view(1, 1, 1, 6)
        seen = nn.functional.scaled_dot_product_attention(query, self.keys, self.values, attn_mask=mask)
        return self.last(seen.transpose(1, 2).reshape(1, 1, 8))


class Autoencoder(nn.Module):
    """A variational one in evaluation, with weight norm and both kinds of padding."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.utils.parametrizations.weight_norm(nn.Conv1d(2, 4, 3, padding=1, padding_mode="circular"))
        self.second = nn.Conv1d(4, 2, 3, padding=1, padding_mode="reflect")
        self.norm = nn.GroupNorm(2, 4)

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            code = self.norm(torch.nn.functional.silu(self.first(x)))
        return {"code": code.float(), "output": self.second(code.float())}


def image(size: int = 16) -> torch.Tensor:
    return torch.rand(1, 3, size, size) * 2 - 1


def tokens(length: int = 6, words: int = 20) -> torch.Tensor:
    return torch.randint(1, words, (1, length))


def by_hand() -> dict[str, Callable[[], Made]]:
    encoder = lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)  # noqa: E731
    decoder = lambda: nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)  # noqa: E731
    return {
        "mobilenet": lambda: (Classifier(lambda: InvertedResidual(8, 2)), (image(),), {}),
        "resnet": lambda: (Classifier(lambda: ResidualBlock(8)), (image(),), {}),
        "unet": lambda: (Unet(), (image(8),), {}),
        "dlrm": lambda: (Dlrm(), (torch.rand(3, 4), torch.randint(0, 15, (7,)), torch.tensor([0, 2, 5])), {}),
        "lstm": lambda: (Recurrent(nn.LSTM), (tokens(),), {}),
        "gru": lambda: (Recurrent(nn.GRU), (tokens(),), {}),
        "encoder": lambda: (encoder(), (torch.rand(1, 5, 8),), {}),
        "decoder": lambda: (decoder(), (torch.rand(1, 5, 8), torch.rand(1, 4, 8)), {}),
        "cache": lambda: (CachedAttention(), (torch.rand(1, 1, 8), torch.tensor([2])), {}),
        "autoencoder": lambda: (Autoencoder(), (torch.rand(1, 2, 8),), {}),
    }


SMALL = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24}
TEXT = {
    **SMALL,
    "vocab_size": 40,
    "max_position_embeddings": 16,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}


def text(config: str, model: str, **changes: Any) -> Callable[[], Made]:
    """A model of tokens."""
    import transformers as hf

    def make() -> Made:
        made = getattr(hf, model)(getattr(hf, config)(**{**TEXT, **changes}))
        keywords = {"use_cache": False} if hasattr(made.config, "use_cache") else {}
        return made, (), {"input_ids": tokens(), **keywords}

    return make


def vision(config: str, model: str) -> Callable[[], Made]:
    """A model of patches."""
    import transformers as hf

    patches = {**SMALL, "image_size": 16, "patch_size": 8}
    return lambda: (getattr(hf, model)(getattr(hf, config)(**patches)), (), {"pixel_values": image()})


def hugging_face() -> dict[str, Callable[[], Made]]:
    import transformers as hf

    def gpt2() -> Made:
        config = hf.GPT2Config(vocab_size=40, n_positions=16, n_embd=16, n_layer=2, n_head=2)
        return hf.GPT2LMHeadModel(config), (), {"input_ids": tokens(), "use_cache": False}

    def t5() -> Made:
        config = hf.T5Config(
            vocab_size=40, d_model=16, d_kv=8, d_ff=24, num_layers=2, num_heads=2, decoder_start_token_id=0
        )
        fed = {"input_ids": tokens(), "decoder_input_ids": tokens(4), "use_cache": False}
        return hf.T5ForConditionalGeneration(config), (), fed

    def bart() -> Made:
        small = {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2,
                 "decoder_attention_heads": 2, "encoder_ffn_dim": 24, "decoder_ffn_dim": 24}  # fmt: skip
        config = hf.BartConfig(vocab_size=40, max_position_embeddings=16, **small)
        fed = {"input_ids": tokens(), "decoder_input_ids": tokens(4), "use_cache": False}
        return hf.BartModel(config), (), fed

    def whisper() -> Made:
        small = {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2,
                 "decoder_attention_heads": 2, "encoder_ffn_dim": 24, "decoder_ffn_dim": 24}  # fmt: skip
        config = hf.WhisperConfig(
            vocab_size=40, num_mel_bins=8, max_source_positions=8, max_target_positions=8, pad_token_id=0,
            bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, suppress_tokens=None, **small,
        )  # fmt: skip
        fed = {"input_features": torch.rand(1, 8, 16), "decoder_input_ids": tokens(4), "use_cache": False}
        return hf.WhisperModel(config), (), fed

    def swin() -> Made:
        config = hf.SwinConfig(image_size=16, patch_size=2, embed_dim=8, depths=[1, 1], num_heads=[2, 2], window_size=4)
        return hf.SwinModel(config), (), {"pixel_values": image()}

    def clip() -> Made:
        config = hf.CLIPConfig(
            text_config=TEXT, vision_config={**SMALL, "image_size": 16, "patch_size": 8}, projection_dim=8
        )
        fed = {"input_ids": tokens(), "pixel_values": image(), "attention_mask": torch.ones(1, 6, dtype=torch.int64)}
        return hf.CLIPModel(config), (), fed

    def mamba() -> Made:
        config = hf.MambaConfig(vocab_size=40, hidden_size=16, state_size=4, num_hidden_layers=2, pad_token_id=0)
        return hf.MambaModel(config), (), {"input_ids": tokens(), "use_cache": False}

    def convnext() -> Made:
        config = hf.ConvNextConfig(num_channels=3, patch_size=4, hidden_sizes=[8, 16], depths=[1, 1], num_stages=2)
        return hf.ConvNextModel(config), (), {"pixel_values": image(32)}

    def wav2vec() -> Made:
        config = hf.Wav2Vec2Config(
            **SMALL, vocab_size=20, conv_dim=[8, 8], conv_stride=[4, 2], conv_kernel=[8, 4], num_feat_extract_layers=2,
            num_conv_pos_embeddings=4, num_conv_pos_embedding_groups=2, feat_extract_norm="group",
        )  # fmt: skip
        return hf.Wav2Vec2Model(config), (), {"input_values": torch.rand(1, 128)}

    grouped = {"num_key_value_heads": 1, "head_dim": 8}
    return {
        "bert": text("BertConfig", "BertModel"),
        "gpt2": gpt2,
        "llama": text("LlamaConfig", "LlamaForCausalLM", **grouped),
        "t5": t5,
        "vit": vision("ViTConfig", "ViTModel"),
        "whisper": whisper,
        "mamba": mamba,
        "mixtral": text(
            "MixtralConfig",
            "MixtralForCausalLM",
            **grouped,
            num_local_experts=4,
            sliding_window=None,
            experts_implementation="batched_mm",
        ),
        "swin": swin,
        "clip": clip,
        "distilbert": text("DistilBertConfig", "DistilBertModel", dim=16, hidden_dim=24, n_heads=2, n_layers=2),
        "roberta": text("RobertaConfig", "RobertaModel", max_position_embeddings=20, pad_token_id=1),
        "bart": bart,
        "convnext": convnext,
        "wav2vec": wav2vec,
        "qwen": text("Qwen2Config", "Qwen2ForCausalLM", **grouped),
        "gemma": text("GemmaConfig", "GemmaForCausalLM", **grouped),
    }


def kept_back() -> dict[str, Callable[[], Made]]:
    """Models that the importer was not built against: a check on what was learned from the others."""
    import transformers as hf

    grouped = {"num_key_value_heads": 1, "head_dim": 8}
    albert = {"embedding_size": 8}
    bottleneck = {"intra_bottleneck_size": 16, "true_hidden_size": 16}
    return {
        "albert": text("AlbertConfig", "AlbertModel", **albert),
        "electra": text("ElectraConfig", "ElectraModel", **albert),
        "opt": text("OPTConfig", "OPTModel", ffn_dim=24, word_embed_proj_dim=16),
        "gptneox": text("GPTNeoXConfig", "GPTNeoXModel"),
        "phi": text("PhiConfig", "PhiForCausalLM"),
        "mistral": text("MistralConfig", "MistralForCausalLM", **grouped, sliding_window=4),
        "qwen3": text("Qwen3Config", "Qwen3ForCausalLM", **grouped),
        "olmo": text("OlmoConfig", "OlmoForCausalLM"),
        "stablelm": text("StableLmConfig", "StableLmForCausalLM", num_key_value_heads=2),
        "bloom": text("BloomConfig", "BloomModel", n_head=2, n_layer=2),
        "falcon": text("FalconConfig", "FalconModel"),
        "deberta": text("DebertaV2Config", "DebertaV2Model"),
        "mobilebert": text("MobileBertConfig", "MobileBertModel", **albert, **bottleneck),
        "mpnet": text("MPNetConfig", "MPNetModel", pad_token_id=1),
        "deit": vision("DeiTConfig", "DeiTModel"),
        "beit": vision("BeitConfig", "BeitModel"),
        "dinov2": vision("Dinov2Config", "Dinov2Model"),
        "resnet-hf": lambda: (
            hf.ResNetModel(hf.ResNetConfig(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic")),
            (),
            {"pixel_values": image(32)},
        ),
    }  # fmt: skip


def save(name: str, make: Callable[[], Made], path: Path) -> None:
    torch.manual_seed(1)
    model, args, kwargs = make()
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.export.export(model.eval(), args, kwargs, strict=False)
        torch.export.save(program, path)


def run(command: list[str]) -> tuple[int, str, float]:
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [*done.stdout.strip().splitlines()] or [*done.stderr.strip().splitlines()] or [""]
    if done.returncode == 2:
        lines = done.stderr.strip().splitlines() or lines
    return done.returncode, lines[-1 if done.returncode == 2 else 0], time.monotonic() - begin


def main() -> int:
    parser = argparse.ArgumentParser(description="Imports and judges a zoo of models.")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--folder", type=Path, default=Path("zoo"))
    parser.add_argument("--target", action="append", default=[])
    parser.add_argument("--parallax", default=str(ROOT / "parallax"))
    parser.add_argument("--kept-back", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    makers = {} if options.kept_back else by_hand()
    try:
        makers |= kept_back() if options.kept_back else hugging_face()
    except ImportError as error:
        print(f"without transformers ({error})", file=sys.stderr)
    for name in options.names or makers:
        path, case = options.folder / f"{name}.pt2", options.folder / f"{name}.json"
        try:
            if not path.exists():
                save(name, makers[name], path)
        except Exception as error:
            print(f"{name:12} not exported: {type(error).__name__}: {str(error).strip().splitlines()[:1]}", flush=True)
            continue
        status, said, seconds = run([options.parallax, "import", str(path), "-o", str(case)])
        if status != 0:
            print(f"{name:12} refused   {seconds:5.1f} s  {said}", flush=True)
            continue
        nodes = len(json.loads(case.read_text())["graph"]["nodes"])
        row = f"{name:12} imported  {seconds:5.1f} s  {nodes:5} nodes"
        for target in options.target:
            _, said, seconds = run([options.parallax, "check", str(case), "--target", target])
            row += f"  | {said} {seconds:.1f} s"
        print(row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
