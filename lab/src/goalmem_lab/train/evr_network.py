"""The networks of EVR: T5, tiny from scratch over placeholders, or from a checkpoint with its own tokenizer."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, Protocol

from goalmem.errors import InputError
from goalmem_lab.train.chance import chance
from goalmem_lab.train.evr_tokens import END, PAD, VOCABULARY, Names, spelled, tokens

__all__ = ["Coding", "Network", "Pieces", "Placeholders", "Size", "from_checkpoint", "from_folder", "from_scratch"]

LONGEST = 400
"""Tokens that a network may write."""
REACH = 128
"""Tokens beyond which all distances are one (T5's own default)."""
HEADS = ((1.0, 3.0, 0.0), (1.0, 0.0, 3.0), (0.3, 0.0, 0.0), (0.0, 0.0, 0.0))
"""Penalties in logits that heads begin with: for each token of distance, for what follows, and for what stands before."""
AT_ONCE = 128
"""Inputs that are read together."""


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


class Coding(Protocol):
    """Turns text into a network's tokens and back."""

    def read(self, text: str, random_: Random | None = None) -> tuple[list[int], Names]:
        """The ids of an input, and what they stand for."""
        ...

    def target(self, text: str, names: Names) -> list[int]:
        """The ids of what shall be written."""
        ...

    def text(self, ids: Sequence[int], names: Names) -> str:
        """What ids say."""
        ...

    def save(self, folder: Path) -> None:
        """Writes what is needed beside the network."""
        ...


IDS = {token: n for n, token in enumerate(VOCABULARY)}


class Placeholders:
    """Of `evr_tokens`: the network sees no name."""

    def read(self, text: str, random_: Random | None = None) -> tuple[list[int], Names]:
        """The ids of an input, and what they stand for."""
        names = Names(random_)
        return [*(IDS[t] for t in tokens(text, names)), IDS[END]], names

    def target(self, text: str, names: Names) -> list[int]:
        """The ids of what shall be written."""
        return [*(IDS[t] for t in tokens(text, names, new=False)), IDS[END]]

    def text(self, ids: Sequence[int], names: Names) -> str:
        """What ids say."""
        found = [VOCABULARY[n] for n in ids if n < len(VOCABULARY)]
        return spelled([t for t in found if t not in (PAD, END)], names)

    def save(self, folder: Path) -> None:
        """Nothing: the vocabulary is fixed."""


@dataclass(frozen=True)
class Pieces:
    """Of a checkpoint's own tokenizer: the network sees the words."""

    tokenizer: Any

    def read(self, text: str, random_: Random | None = None) -> tuple[list[int], Names]:
        """The ids of an input."""
        return list(self.tokenizer(text)["input_ids"]), Names()

    def target(self, text: str, names: Names) -> list[int]:
        """The ids of what shall be written."""
        return list(self.tokenizer(text)["input_ids"])

    def text(self, ids: Sequence[int], names: Names) -> str:
        """What ids say."""
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=True))

    def save(self, folder: Path) -> None:
        """Writes the tokenizer."""
        self.tokenizer.save_pretrained(folder)


@dataclass
class Network:
    """A T5 with its coding. What it writes depends on what it reads alone, so answers are kept."""

    model: Any
    coding: Coding
    _written: dict[tuple[int, ...], tuple[int, ...]] = field(default_factory=dict)

    def written(self, texts: Sequence[str], naming: int = 0) -> list[str]:
        """What the network writes for each input, greedily, with its words named in one of many ways."""
        read = [self.coding.read(text, _naming(text, naming)) for text in texts]
        new = list(dict.fromkeys(key for ids, _ in read if (key := tuple(ids)) not in self._written))
        new.sort(key=len)
        for start in range(0, len(new), AT_ONCE):
            batch = new[start : start + AT_ONCE]
            self._written.update(zip(batch, self.generated(batch), strict=True))
        return [self.coding.text(self._written[tuple(ids)], names) for ids, names in read]

    def generated(self, batch: Sequence[Sequence[int]], most: int = LONGEST) -> list[tuple[int, ...]]:
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

    def save(self, folder: Path) -> None:
        """Writes the network and its coding into a folder, which is made."""
        self.model.save_pretrained(folder)
        self.coding.save(folder)


def _naming(text: str, naming: int) -> Random | None:
    """What names words: the same for the same text; none for the first naming, by the order of words."""
    return chance(zlib.crc32(f"{naming} {text}".encode())) if naming else None


def from_scratch(size: Size, seed: int) -> Network:
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
    return Network(_placed(model), Placeholders())


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


def from_checkpoint(folder: Path) -> Network:
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
    return Network(_placed(model), Pieces(tokenizer))


def from_folder(folder: Path, *, placeholders: bool) -> Network:
    """A network that `goalmem train evr` wrote. Raises InputError where it cannot be read."""
    from transformers import T5ForConditionalGeneration

    if not placeholders:
        return from_checkpoint(folder)
    try:
        model = T5ForConditionalGeneration.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{folder} holds no network ({type(error).__name__}).", "Train it again.") from error
    return Network(_placed(model), Placeholders())


def _placed(model: Any) -> Any:
    import torch

    return model.to("cuda" if torch.cuda.is_available() else "cpu").eval()
