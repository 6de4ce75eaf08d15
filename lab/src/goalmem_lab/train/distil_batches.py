"""Batches for a teacher and its students: pairs of texts, out of word pieces that lie on the device, and the steps that learn from them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from goalmem_lab.train.distil_data import DistilData
from goalmem_lab.train.network import optimiser_of
from goalmem_lab.train.states import Progress

MULTIPLE = 8
"""Batches are as long as a multiple of this: what fast attention asks for."""
POOL = 40
"""Batches that are drawn together and sorted by length, so that little is padded."""
WARM_UP = 0.05
"""Share of the steps over which the learning rate rises; it falls to zero over the others."""
FIRST_RATE = 0.02
"""Share of the peak rate with which it begins."""
DECAY = 0.01
TOLD_EVERY = 20
"""Steps after which the loss is read from the device."""

Index = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SpecialPieces:
    """What stands around and between two texts."""

    begin: int
    end: int
    """Also what separates."""
    padding: int
    separators: int
    shift: int
    """What is added to the number of a word piece of BERT's uncased vocabulary."""


BERT_PIECES = SpecialPieces(begin=101, end=102, padding=0, separators=1, shift=0)
MPNET_PIECES = SpecialPieces(begin=0, end=2, padding=1, separators=2, shift=4)
"""MPNet has BERT's word pieces behind four special ones, and separates two texts as RoBERTa does."""


@dataclass(frozen=True, slots=True)
class Learner:
    """A network with the pieces that it was pretrained with."""

    network: nn.Module
    special: SpecialPieces

    @property
    def device(self) -> Any:
        """Where its weights are."""
        return next(self.network.parameters()).device

    def __call__(self, inputs: dict[str, Tensor]) -> Any:
        """What the network says, in 16 bits where the device is a GPU."""
        kind = self.device.type
        with torch.autocast(kind, torch.bfloat16, enabled=kind == "cuda"):
            return self.network(**inputs)


@dataclass(frozen=True, slots=True)
class Stretches:
    """A stretch of pieces for each row of a batch."""

    pieces: Tensor
    """Of all texts, end to end."""
    starts: Tensor
    lengths: Tensor

    def at(self, places: Tensor) -> Tensor:
        """The pieces at places of the rows, shape (rows, columns); any piece where a place is outside."""
        flat = self.starts[:, None] + places
        return self.pieces[flat.clamp(0, len(self.pieces) - 1)]


class Pool:
    """Texts on a device, by their numbers."""

    def __init__(self, pieces: NDArray[Any], lengths: NDArray[Any], device: Any) -> None:
        self.pieces = torch.from_numpy(pieces.astype(np.int64)).to(device)
        self.lengths = torch.from_numpy(lengths.astype(np.int64)).to(device)
        self.starts = self.lengths.cumsum(0) - self.lengths
        self.sizes: Index = lengths.astype(np.int64)
        """The lengths again, for sorting without the device."""

    def rows(self, numbers: Tensor) -> Stretches:
        """The whole of some texts."""
        return Stretches(self.pieces, self.starts[numbers], self.lengths[numbers])


class Pools:
    """All texts and windows on a device."""

    def __init__(self, data: DistilData, device: Any) -> None:
        self.device = device
        self.texts = Pool(data.text_pieces, data.text_lengths, device)
        self.windows = Pool(data.window_pieces, data.window_lengths, device)
        self.words, self.sentences = (
            torch.from_numpy(each.astype(np.int64)).to(device) for each in (data.window_words, data.window_sentences)
        )


def paired(first: Stretches, second: Stretches, special: SpecialPieces) -> tuple[dict[str, Tensor], Tensor]:
    """Two texts a row as a network's inputs, and where the second begins in each."""
    one, two = first.lengths[:, None], second.lengths[:, None]
    longest = int((one + two).max()) + 2 + special.separators
    columns = torch.arange(-(-longest // MULTIPLE) * MULTIPLE, device=one.device)[None]
    begins = one + 1 + special.separators
    in_first = (columns >= 1) & (columns <= one)
    in_second = (columns >= begins) & (columns < begins + two)
    mask = columns <= begins + two
    ids = torch.where(mask, special.end, special.padding)
    ids = torch.where(columns == 0, special.begin, ids)
    ids = torch.where(in_first, first.at(columns - 1) + special.shift, ids)
    ids = torch.where(in_second, second.at(columns - begins) + special.shift, ids)
    kinds = ((columns >= begins) & mask).long()
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": kinds}, begins[:, 0]


def by_length(lengths: Index, size: int, random_: np.random.Generator) -> Iterator[Index]:
    """The numbers of rows in shuffled batches of like length."""
    order = random_.permutation(len(lengths))
    batches: list[Index] = []
    for begun in range(0, len(order), size * POOL):
        part = order[begun : begun + size * POOL]
        part = part[np.argsort(lengths[part], kind="stable")]
        batches += (part[at : at + size] for at in range(0, len(part), size))
    for number in random_.permutation(len(batches)):
        yield batches[number]


def in_order(lengths: Index, size: int) -> Iterator[Index]:
    """The numbers of all rows in batches of like length, shortest first."""
    order = np.argsort(lengths, kind="stable")
    for begun in range(0, len(order), size):
        yield order[begun : begun + size]


@dataclass(frozen=True, slots=True)
class Steps:
    """How long and how fast a network learns."""

    count: int
    rows: int
    """A batch."""
    rate: float
    """Peak learning rate of the encoder."""
    head_rate: float
    """Of the heads on it."""

    def share(self, step: int) -> float:
        """Of the peak rates, at a step."""
        done = step / self.count
        return min(done / WARM_UP + FIRST_RATE, 1.0, (1 - done) / (1 - WARM_UP))


def learn(
    network: nn.Module,
    steps: Steps,
    losses: Callable[[int], Iterator[Tensor]],
    tell: Callable[[Progress], None],
) -> None:
    """Train a network in place. `losses`: of each batch of an epoch, computed when it is asked for."""
    optimiser = optimiser_of(network, steps.rate, steps.head_rate, DECAY)
    trained = [weight for weight in network.parameters() if weight.requires_grad]
    began = time.monotonic()
    network.train()
    step = epoch = 0
    while step < steps.count:
        begun = step
        for loss in losses(epoch):
            for group in optimiser.param_groups:
                group["lr"] = group["peak"] * steps.share(step)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimiser.step()
            step += 1
            if step % TOLD_EVERY == 0 or step == steps.count:
                seconds = time.monotonic() - began
                tell(Progress(step, steps.count, epoch + 1, float(loss.detach()), seconds))
            if step == steps.count:
                break
        if step == begun:
            raise ValueError("an epoch without any row")
        epoch += 1
    network.eval()
