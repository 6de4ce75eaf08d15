"""The networks of EVR: T5, tiny from scratch over placeholders, or from a checkpoint with its own tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

from goalmem.errors import InputError
from goalmem.rules.evr.buffers import Variant, parts
from goalmem.rules.evr.reasoner import EvrNetwork, Placeholders, Reasoner, TextCodec, read_config
from goalmem.rules.evr.t5 import T5
from goalmem.rules.evr.tokens import VOCABULARY, PlaceholderNames

REACH = 128
"""Tokens beyond which all distances are one (T5's own default)."""
HEADS = ((1.0, 3.0, 0.0), (1.0, 0.0, 3.0), (0.3, 0.0, 0.0), (0.0, 0.0, 0.0))
"""Penalties in logits that heads begin with: for each token of distance, for what follows, and for what stands before."""


class Size(StrEnum):
    """Networks that are made from scratch."""

    TINY = "tiny"
    """About a million weights."""
    SMALL = "small"
    """About seven million."""


SHAPES: dict[Size, dict[str, int]] = {
    Size.TINY: {"d_model": 128, "d_kv": 32, "d_ff": 256, "num_heads": 4, "num_layers": 3, "num_decoder_layers": 2},
    Size.SMALL: {"d_model": 256, "d_kv": 32, "d_ff": 1024, "num_heads": 8, "num_layers": 4, "num_decoder_layers": 4},
}


@dataclass(frozen=True)
class Pieces:
    """Of a checkpoint's own tokenizer: the network sees the words."""

    tokenizer: Any

    def read(self, text: str) -> tuple[list[int], PlaceholderNames]:
        """The ids of an input."""
        return list(self.tokenizer(text)["input_ids"]), PlaceholderNames()

    def target(self, text: str, names: PlaceholderNames) -> list[int]:
        """The ids of what shall be written."""
        return list(self.tokenizer(text)["input_ids"])

    def text(self, ids: Sequence[int], names: PlaceholderNames) -> str:
        """What ids say."""
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=True))

    def save(self, folder: Path) -> None:
        """Writes the tokenizer."""
        self.tokenizer.save_pretrained(folder)


@dataclass
class Trainable:
    """A T5 in PyTorch with its coding."""

    model: Any
    coding: TextCodec

    def generated(self, batch: Sequence[Sequence[int]], most: int) -> list[tuple[int, ...]]:
        """The ids that are written for each row of ids, at most so many, without padding and end."""
        import torch

        ids, mask = self.padded(batch, 0), self.padded([[1] * len(row) for row in batch], 0)
        self.model.eval()
        with torch.inference_mode():
            rows = self.model.generate(
                input_ids=ids, attention_mask=mask, max_new_tokens=most, num_beams=1, do_sample=False
            ).tolist()
        return [tuple(n for n in row if n not in (0, 1)) for row in rows]

    def padded(self, rows: Sequence[Sequence[int]], filler: int) -> Any:
        """Rows as a tensor on the model's device: rows x longest."""
        import torch

        most = max(map(len, rows))
        return torch.tensor([[*row, *[filler] * (most - len(row))] for row in rows], device=self.device)

    @cached_property
    def device(self) -> Any:
        """Where the model is."""
        return next(self.model.parameters()).device

    def save(self, folder: Path, name: str) -> None:
        """Writes the network into a folder: from scratch as `NAME.npz`, from a checkpoint as the folder NAME with its tokenizer."""
        if isinstance(self.coding, Placeholders):
            numpy_t5(self.model).save(folder / f"{name}.npz")
            return
        self.model.save_pretrained(folder / name)
        self.coding.save(folder / name)


def from_scratch(size: Size, seed: int) -> Trainable:
    """A T5 with fresh weights over placeholders."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    torch.manual_seed(seed)
    config = T5Config(
        vocab_size=len(VOCABULARY),
        dropout_rate=0.0,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
        **SHAPES[size],
    )
    model = T5ForConditionalGeneration(config)
    for stack in (model.encoder, model.decoder):
        _look_near(stack.block[0].layer[0].SelfAttention)
    return Trainable(_placed(model), Placeholders())


def _look_near(attention: Any) -> None:
    """Begin with heads that look before, behind, around and anywhere, by penalties for distance (ALiBi, Press et al. 2022).

    T5 learns from nothing but a table of distances what stands beside what, and a small network takes thousands of steps for
    it: with these penalties it finds a fact in hundreds.
    """
    import torch

    weight = attention.relative_attention_bias.weight
    places = torch.arange(-REACH, REACH + 1)
    buckets = attention._relative_position_bucket(
        places, bidirectional=not attention.is_decoder, num_buckets=len(weight), max_distance=REACH
    )
    with torch.no_grad():
        for bucket in set(buckets.tolist()):
            own = places[buckets == bucket].float()
            side = int(own.mean().sign())
            for head in range(weight.shape[1]):
                slope, behind, before = HEADS[head % len(HEADS)]
                weight[bucket, head] = -slope * own.abs().mean() - (0.0, behind, before)[side]


def from_checkpoint(folder: Path) -> Trainable:
    """A T5 that lies in a folder, with its tokenizer. Raises InputError where it cannot be read."""
    from transformers import AutoTokenizer, T5ForConditionalGeneration

    try:
        model = T5ForConditionalGeneration.from_pretrained(folder, local_files_only=True)
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        raise InputError(
            f"{folder} holds no T5 with its tokenizer ({type(error).__name__}: {error}).",
            "Name the folder of a checkpoint: config.json, the weights and the tokenizer's files.",
        ) from error
    return Trainable(_placed(model), Pieces(tokenizer))


def numpy_t5(model: Any) -> T5:
    """The same network in NumPy."""
    held = {name: weight.detach().cpu().float().numpy() for name, weight in model.state_dict().items()}
    return T5(
        {name: weight for name, weight in held.items() if not name.endswith(("embed_tokens.weight", "lm_head.weight"))}
    )


def load_reasoner(folder: Path) -> Reasoner:
    """What `goalmem train evr` wrote, also from a checkpoint, which PyTorch runs. Raises InputError where it cannot be read."""
    config = read_config(folder)
    if config["placeholders"]:
        return Reasoner.load(folder)
    variant = Variant(config["variant"])
    made = ((part, from_checkpoint(folder / part.value)) for part in parts(variant))
    writers = {part: EvrNetwork(network, network.coding) for part, network in made}
    return Reasoner(writers, variant, config["fact_buffer"], config["rule_buffer"])


def _placed(model: Any) -> Any:
    import torch

    return model.to("cuda" if torch.cuda.is_available() else "cpu").eval()
