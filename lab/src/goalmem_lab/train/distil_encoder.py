"""Encoders of a teacher and its students in torch alone, with the numbers of transformers' BertModel and MPNetModel.

BERT: Devlin et al., 2019. MPNet: Song et al., 2020, which has no token types, and whose attention adds a bias for each distance, in buckets
that widen with it (Raffel et al., 2020, section 2.1).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

DROPOUT = 0.1
FURTHEST = 128
"""Distance of pieces from which all share the last bucket."""
MASKED = -1e4


@dataclass(frozen=True, slots=True)
class EncoderShape:
    """The sizes of an encoder."""

    vocabulary: int
    hidden_size: int
    layers: int
    heads: int
    inner_size: int
    positions: int
    epsilon: float
    """Of layer normalisation."""
    first_position: int = 0
    buckets: int = 0
    """Of distances; without any, it is a BERT with two token types, with some an MPNet."""


MINILM = EncoderShape(30_522, 384, 6, 12, 1536, 256, 1e-12)
"""all-MiniLM-L6-v2, with as many positions as a window is long."""
MPNET = EncoderShape(30_527, 768, 12, 12, 3072, 514, 1e-5, first_position=2, buckets=32)
"""all-mpnet-base-v2."""

BERT_PARTS = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attended": "attention.output.dense",
    "attended_norm": "attention.output.LayerNorm",
    "widened": "intermediate.dense",
    "narrowed": "output.dense",
    "norm": "output.LayerNorm",
}
MPNET_PARTS = {
    **BERT_PARTS,
    "query": "attention.attn.q",
    "key": "attention.attn.k",
    "value": "attention.attn.v",
    "attended": "attention.attn.o",
    "attended_norm": "attention.LayerNorm",
}


class Hidden(NamedTuple):
    """What an encoder gives."""

    last_hidden_state: Tensor
    """Shape (batch, pieces, hidden size)."""


class Layer(nn.Module):
    """Attention and a network of two layers, each added to what came in and normalised."""

    def __init__(self, shape: EncoderShape) -> None:
        super().__init__()
        size = shape.hidden_size
        self.heads = shape.heads
        self.query, self.key, self.value, self.attended = (nn.Linear(size, size) for _ in range(4))
        self.attended_norm, self.norm = (nn.LayerNorm(size, shape.epsilon) for _ in range(2))
        self.widened, self.narrowed = nn.Linear(size, shape.inner_size), nn.Linear(shape.inner_size, size)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, hidden: Tensor, bias: Tensor) -> Tensor:
        """`bias`: added to the attention's scores, shape (batch, 1 or heads, pieces, pieces)."""
        parts = (self._by_head(part(hidden)) for part in (self.query, self.key, self.value))
        attention = functional.scaled_dot_product_attention(*parts, attn_mask=bias)
        together = self.attended(attention.transpose(1, 2).reshape(hidden.shape))
        hidden = self.attended_norm(hidden + self.dropout(together))
        inner = self.narrowed(functional.gelu(self.widened(hidden)))
        normed: Tensor = self.norm(hidden + self.dropout(inner))
        return normed

    def _by_head(self, hidden: Tensor) -> Tensor:
        batch, pieces, size = hidden.shape
        return hidden.view(batch, pieces, self.heads, size // self.heads).transpose(1, 2)


class Encoder(nn.Module):
    """A BERT or an MPNet. Word embeddings and biases of distances stay as they are published."""

    def __init__(self, shape: EncoderShape) -> None:
        super().__init__()
        self.config = shape
        self.words = nn.Embedding(shape.vocabulary, shape.hidden_size)
        self.positions = nn.Embedding(shape.positions, shape.hidden_size)
        self.words.weight.requires_grad_(False)
        if shape.buckets:
            self.distances = nn.Embedding(shape.buckets, shape.heads)
            self.distances.weight.requires_grad_(False)
            buckets = distance_buckets(shape.positions - shape.first_position, shape.buckets)
            self.register_buffer("buckets", buckets, persistent=False)
        else:
            self.types = nn.Embedding(2, shape.hidden_size)
        self.norm = nn.LayerNorm(shape.hidden_size, shape.epsilon)
        self.dropout = nn.Dropout(DROPOUT)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Hidden:
        """All three of shape (batch, pieces)."""
        pieces = input_ids.shape[1]
        places = torch.arange(self.config.first_position, self.config.first_position + pieces, device=input_ids.device)
        hidden = self.words(input_ids) + self.positions(places)
        if not self.config.buckets:
            hidden = hidden + self.types(token_type_ids)
        hidden = self.dropout(self.norm(hidden))
        half = torch.is_autocast_enabled(input_ids.device.type)
        bias = torch.zeros_like(attention_mask, dtype=torch.bfloat16 if half else hidden.dtype)
        bias = bias.masked_fill(~attention_mask.bool(), MASKED)[:, None, None, :].expand(-1, 1, pieces, pieces)
        if self.config.buckets:
            bias = bias + self.distances(self.buckets[:pieces, :pieces]).permute(2, 0, 1)[None].to(bias.dtype)
        bias = bias.contiguous()
        for layer in self.layers:
            hidden = layer(hidden, bias)
        return Hidden(hidden)


def distance_buckets(pieces: int, count: int) -> Tensor:
    """The bucket of each two places, shape (pieces, pieces): half of them for what stands behind; near ones exact, far ones logarithmic."""
    places = torch.arange(pieces)
    behind = places[:, None] - places[None, :]
    half = count // 2
    exact = half // 2
    distance = behind.abs()
    scale = (half - exact) / math.log(FURTHEST / exact)
    far = exact + (torch.log(distance.clamp(min=1).float() / exact) * scale).long()
    return (behind < 0).long() * half + torch.where(distance < exact, distance, far.clamp(max=half - 1))


def published_names(shape: EncoderShape) -> dict[str, str]:
    """The name that transformers gives to each weight of an encoder of this shape."""
    names = {
        "words.weight": "embeddings.word_embeddings.weight",
        "positions.weight": "embeddings.position_embeddings.weight",
        "norm.weight": "embeddings.LayerNorm.weight",
        "norm.bias": "embeddings.LayerNorm.bias",
    }
    if shape.buckets:
        names["distances.weight"] = "encoder.relative_attention_bias.weight"
    else:
        names["types.weight"] = "embeddings.token_type_embeddings.weight"
    for layer in range(shape.layers):
        for own, theirs in (MPNET_PARTS if shape.buckets else BERT_PARTS).items():
            for kind in ("weight", "bias"):
                names[f"layers.{layer}.{own}.{kind}"] = f"encoder.layer.{layer}.{theirs}.{kind}"
    return names


def from_published(weights: Mapping[str, Tensor], shape: EncoderShape) -> dict[str, Tensor]:
    """An encoder's weights under `encoder.` and transformers' names, under ours; those of the heads keep their names."""
    back = {f"encoder.{theirs}": f"encoder.{own}" for own, theirs in published_names(shape).items()}
    return {back.get(name, name): tensor for name, tensor in weights.items()}


def to_published(weights: Mapping[str, Tensor], shape: EncoderShape) -> dict[str, Tensor]:
    """The way back."""
    names = {f"encoder.{own}": f"encoder.{theirs}" for own, theirs in published_names(shape).items()}
    return {names.get(name, name): tensor for name, tensor in weights.items()}
