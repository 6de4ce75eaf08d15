"""T5 in NumPy: encodes rows of ids and decodes greedily (Raffel et al. 2020).

Only what a small network from scratch has: ReLU, one table of the words for reading and writing, no bias, no dropout. Weights are
named as `transformers` names them, and lie in one `.npz` in 16 bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from goalmem.cancellation import checkpoint
from goalmem.errors import InputError

Array = NDArray[np.float32]
Ids = NDArray[np.int64]
Cache = tuple[Array, Array]
"""Keys and values: rows x heads x places x width."""

PAD, END = 0, 1
REACH = 128
"""Tokens beyond which all distances are one (T5's own default)."""
EPSILON = 1e-6
NEVER = -1e9
"""Added to the score of a place that is not looked at."""
TABLE = "{}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"


@dataclass(frozen=True)
class T5:
    """The weights of one network, in 32 bits."""

    weights: dict[str, Array]

    @classmethod
    def load(cls, path: Path) -> T5:
        """The network in a file. Raises InputError where it cannot be read."""
        try:
            with np.load(path, allow_pickle=False) as held:
                network = cls({name: held[name].astype(np.float32) for name in held.files})
            _ = network.heads, network.depth("encoder"), network.weights["shared.weight"]
        except (OSError, ValueError, KeyError, EOFError) as error:
            raise InputError(
                f"{path} holds no network ({type(error).__name__}: {error}).", "Train it again."
            ) from error
        return network

    def save(self, path: Path) -> None:
        """Write the weights in 16 bits."""
        np.savez_compressed(path, **{name: w.astype(np.float16) for name, w in self.weights.items()})  # type: ignore[arg-type]

    def generated(self, batch: Sequence[Sequence[int]], most: int) -> list[tuple[int, ...]]:
        """The ids that are written for each row of ids, at most so many, without padding and end."""
        longest = max(map(len, batch))
        ids = np.array([[*row, *[PAD] * (longest - len(row))] for row in batch], dtype=np.int64)
        hidden = np.where(np.arange(longest) < np.array([[len(row)] for row in batch]), 0, NEVER)
        unseen = hidden[:, None, None, :].astype(np.float32)
        read = self._encoded(ids, unseen)
        across = [
            (self._split(read, f"decoder.block.{n}.layer.1.EncDecAttention.k"),
             self._split(read, f"decoder.block.{n}.layer.1.EncDecAttention.v"))
            for n in range(self.depth("decoder"))
        ]  # fmt: skip
        own: list[Cache | None] = [None] * len(across)
        written = np.full((len(batch), 1), PAD, dtype=np.int64)
        ended = np.zeros(len(batch), dtype=bool)
        for _ in range(most):
            checkpoint()
            following = self._following(written, own, across, unseen)
            following[ended] = PAD
            written = np.concatenate([written, following[:, None]], axis=1)
            ended |= following == END
            if ended.all():
                break
        return [tuple(int(n) for n in row if n not in (PAD, END)) for row in written]

    def depth(self, stack: str) -> int:
        """Blocks of the encoder or the decoder."""
        return 1 + max(int(name.split(".")[2]) for name in self.weights if name.startswith(f"{stack}.block."))

    @cached_property
    def heads(self) -> int:
        """Heads of each attention."""
        return int(self.weights[TABLE.format("encoder")].shape[1])

    def _encoded(self, ids: Ids, unseen: Array) -> Array:
        """Encoder output of ids: rows x positions x width."""
        x = self.weights["shared.weight"][ids]
        places = np.arange(ids.shape[1])
        bias = self._distances("encoder", places[None, :] - places[:, None]) + unseen
        for n in range(self.depth("encoder")):
            block = f"encoder.block.{n}.layer"
            normed = self._normed(x, f"{block}.0.layer_norm")
            attention = f"{block}.0.SelfAttention"
            keys, values = self._split(normed, f"{attention}.k"), self._split(normed, f"{attention}.v")
            x = x + self._attended(normed, (keys, values), bias, attention)
            x = x + self._fed(x, f"{block}.1")
        return self._normed(x, "encoder.final_layer_norm")

    def _following(self, written: Ids, own: list[Cache | None], across: list[Cache], unseen: Array) -> Ids:
        """The most likely next id of each row; `own` caches the keys and values of previous positions."""
        x = self.weights["shared.weight"][written[:, -1:]]
        last = written.shape[1] - 1
        bias = self._distances("decoder", np.arange(last + 1)[None, :] - last)
        for n, seen in enumerate(across):
            block = f"decoder.block.{n}.layer"
            normed = self._normed(x, f"{block}.0.layer_norm")
            attention = f"{block}.0.SelfAttention"
            keys, values = self._split(normed, f"{attention}.k"), self._split(normed, f"{attention}.v")
            before = own[n]
            if before is not None:
                keys, values = (np.concatenate(pair, axis=2) for pair in zip(before, (keys, values), strict=True))
            own[n] = (keys, values)
            x = x + self._attended(normed, (keys, values), bias, attention)
            x = x + self._attended(self._normed(x, f"{block}.1.layer_norm"), seen, unseen, f"{block}.1.EncDecAttention")
            x = x + self._fed(x, f"{block}.2")
        x = self._normed(x, "decoder.final_layer_norm")[:, 0] / math.sqrt(x.shape[-1])
        likeliest: Ids = np.argmax(x @ self.weights["shared.weight"].T, axis=-1)
        return likeliest

    def _attended(self, x: Array, seen: Cache, bias: Array, name: str) -> Array:
        keys, values = seen
        scores = self._split(x, f"{name}.q") @ keys.swapaxes(2, 3) + bias
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        found: Array = (scores / scores.sum(axis=-1, keepdims=True)) @ values
        rows, heads, places, width = found.shape
        merged = found.swapaxes(1, 2).reshape(rows, places, heads * width)
        return merged @ self.weights[f"{name}.o.weight"].T

    def _split(self, x: Array, name: str) -> Array:
        """A projection by heads: rows x heads x places x width."""
        made: Array = x @ self.weights[f"{name}.weight"].T
        return made.reshape(*made.shape[:2], self.heads, -1).swapaxes(1, 2)

    def _fed(self, x: Array, name: str) -> Array:
        dense = f"{name}.DenseReluDense"
        inner = np.maximum(self._normed(x, f"{name}.layer_norm") @ self.weights[f"{dense}.wi.weight"].T, 0)
        fed: Array = inner @ self.weights[f"{dense}.wo.weight"].T
        return fed

    def _normed(self, x: Array, name: str) -> Array:
        scaled: Array = x / np.sqrt(np.mean(np.square(x), axis=-1, keepdims=True) + EPSILON)
        return scaled * self.weights[f"{name}.weight"]

    def _distances(self, stack: str, apart: Ids) -> Array:
        """Relative position bias of attention: 1 x heads x positions x positions."""
        table = self.weights[TABLE.format(stack)]
        return table[_buckets(apart, len(table), both=stack == "encoder")].transpose(2, 0, 1)[None]


def _buckets(apart: Ids, count: int, *, both: bool) -> Ids:
    """The row of T5's table for each distance: near ones exactly, far ones by their logarithm; `both` ways or only back."""
    behind = np.zeros_like(apart)
    if both:
        count //= 2
        behind = (apart > 0) * count
        far = np.abs(apart)
    else:
        far = -np.minimum(apart, 0)
    exact = count // 2
    scale = np.log(np.maximum(far, 1) / exact) / math.log(REACH / exact) * (count - exact)
    large = np.minimum(exact + scale.astype(np.int64), count - 1)
    return behind + np.where(far < exact, far, large)
