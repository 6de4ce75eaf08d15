"""Training: batches of like length, the loss, the learning rate, checkpoints that a killed run goes on from."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from goalmem.models.encoder_file import PairWindow, pair_windows, stacked
from goalmem_lab.train.chance import chance
from goalmem_lab.train.examples import Example
from goalmem_lab.train.network import ReaderNetwork, optimiser_of
from goalmem_lab.train.states import Progress, load_state, readable, save_state

MOST_GOLD = 6
"""Marked answers of one example that the loss looks at."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """How a run trains; what a checkpoint must agree with to be gone on from."""

    cycles: tuple[int, ...] = (3, 2)
    """Epochs of each cycle: the learning rate falls to zero over a cycle and starts again (SGDR, Loshchilov and Hutter 2017)."""
    seed: int = 7
    batch_pieces: int = 4096
    """Pieces a batch, padding included: about 32 examples."""
    later_batch_pieces: int = 4096
    """The same, after the first cycle."""
    rate: float = 2e-4
    """Peak learning rate: small encoders take larger ones than BERT-base (Turc et al., 2019)."""
    head_rate: float = 1e-3
    warm_up: float = 0.06
    """Share of a cycle's steps over which the rate rises; it falls to zero over the others."""
    restart: float = 0.5
    """Each cycle's peak, of that of the one before."""
    decay: float = 0.01
    present_weight: float = 0.5
    """Of the presence loss beside the span loss."""
    half: bool = True
    """Whether it computes in 16 bits; a processor without instructions for them is several times slower at that."""


class Windowed(Protocol):
    """What a batch is made of."""

    @property
    def window(self) -> PairWindow:
        """What the network reads."""


T = TypeVar("T", bound=Windowed)


@dataclass(frozen=True, slots=True)
class Item:
    """A window with the pieces, by their index in it, that begin and end its answers; (0, 0) stands for none."""

    window: PairWindow
    gold: tuple[tuple[int, int], ...]


def items(tokenizer: Tokenizer, examples: Sequence[Example]) -> list[Item]:
    """The examples as windows; of a long passage the first alone, with its answers there."""
    pairs = [(example.question, example.passage) for example in examples]
    made = []
    for example, windows in zip(examples, pair_windows(tokenizer, pairs, most=1), strict=True):
        found = [_pieces(windows[0], span) for span in example.spans]
        gold = tuple(dict.fromkeys(pieces for pieces in found if pieces))
        if gold or not example.spans:
            made.append(Item(windows[0], gold[:MOST_GOLD] or ((0, 0),)))
    return made


def _pieces(window: PairWindow, span: tuple[int, int]) -> tuple[int, int] | None:
    inside = [place for place, (start, end) in enumerate(window.offsets) if start < span[1] and end > span[0]]
    if not inside or window.offsets[inside[-1]][1] < span[1]:
        return None
    return window.first + inside[0], window.first + inside[-1]


def fast_half() -> bool:
    """True if this processor has instructions for 16-bit floats, so that training in them is faster.

    That oneDNN supports them says less: where AVX-512 lacks them it emulates them, five times as slowly as it computes in 32 bits.
    """
    return bool(torch.cpu._is_avx512_bf16_supported())


def fit(
    network: nn.Module,
    epochs: Callable[[int], Sequence[T]],
    schedule: Schedule,
    checkpoint: Path,
    report: Callable[[Progress], None],
    loss_of: Callable[[Any, Sequence[T], Schedule], Tensor],
    *,
    save_every: float = 120.0,
) -> None:
    """Train `network` in place on `epochs(0)`, `epochs(1)`, …; each is made anew, the same for the same number.

    `network` has an `encoder`, which learns more slowly than what stands on it.

    Every `save_every` seconds the state goes to `checkpoint`; when it is there already, the run goes on from it.
    Raises InputError when it is damaged or belongs to a run with another schedule.
    """
    batches = [_batches(epochs(number), schedule, number) for number in range(sum(schedule.cycles))]
    order = [(number, batch) for number, of_epoch in enumerate(batches) for batch in of_epoch]
    shares = _shares(schedule, [len(of_epoch) for of_epoch in batches])
    optimiser = optimiser_of(network, schedule.rate, schedule.head_rate, schedule.decay)
    done = _restore(network, optimiser, schedule, checkpoint)
    began = saved = time.monotonic()
    recent: list[float] = []
    network.train()
    for step in range(done, len(order)):
        # Set anew each step, so that a run that was interrupted drops out the same units as one that was not.
        torch.manual_seed(schedule.seed * 1_000_003 + step)
        for group in optimiser.param_groups:
            group["lr"] = group["peak"] * shares[step]
        recent = [*recent[-49:], _step(network, optimiser, loss_of(network, order[step][1], schedule))]
        now = time.monotonic()
        if now - saved > save_every or step + 1 == len(order):
            _save(network, optimiser, schedule, checkpoint, step + 1)
            saved = now
        report(Progress(step + 1, len(order), order[step][0] + 1, sum(recent) / len(recent), now - began))
    network.eval()


def _batches(made: Sequence[T], schedule: Schedule, epoch: int) -> list[list[T]]:
    """Shuffled; sorted by length within large pools, so that little is padded; the batches shuffled again."""
    random_ = chance(schedule.seed * 1_009 + epoch)
    most = schedule.batch_pieces if epoch < schedule.cycles[0] else schedule.later_batch_pieces
    shuffled = random_.sample(list(made), len(made))
    pool = 50 * 32
    batches = [
        batch for start in range(0, len(shuffled), pool) for batch in _by_length(shuffled[start : start + pool], most)
    ]
    random_.shuffle(batches)
    return batches


def _by_length(pool: Sequence[T], most: int) -> Iterator[list[T]]:
    batch: list[T] = []
    for item in sorted(pool, key=lambda item: len(item.window.ids)):
        if batch and (len(batch) + 1) * len(item.window.ids) > most:
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch


def _step(network: nn.Module, optimiser: torch.optim.Optimizer, loss: Tensor) -> float:
    optimiser.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimiser.step()
    return float(loss.detach())


def inputs_of(batch: Sequence[Windowed]) -> dict[str, Tensor]:
    """A batch as a network takes it."""
    return {name: torch.from_numpy(array) for name, array in stacked([item.window for item in batch]).items()}


def reading_loss(network: ReaderNetwork, batch: Sequence[Item], schedule: Schedule) -> Tensor:
    """What a reader's network is trained to make small."""
    inputs = inputs_of(batch)
    with torch.autocast("cpu", torch.bfloat16, enabled=schedule.half):
        spans, present = network(**inputs)
    return _loss(spans.float(), present.float(), inputs, [item.gold for item in batch], schedule)


def _loss(
    spans: Tensor,
    present: Tensor,
    inputs: dict[str, Tensor],
    gold: Sequence[tuple[tuple[int, int], ...]],
    schedule: Schedule,
) -> Tensor:
    """Of the marked spans together, the negative log of their probability; cross-entropy of presence."""
    allowed = inputs["token_type_ids"].bool()
    allowed[:, 0] = True
    logs = spans.masked_fill(~allowed[..., None], -1e4).log_softmax(dim=1)
    rows = torch.tensor([row for row, marks in enumerate(gold) for _ in marks])
    starts = torch.tensor([start for marks in gold for start, _ in marks])
    ends = torch.tensor([end for marks in gold for _, end in marks])
    each = logs[rows, starts, 0] + logs[rows, ends, 1]
    together = torch.stack([each[rows == row].logsumexp(0) for row in range(len(gold))])
    there = torch.tensor([float(marks[0] != (0, 0)) for marks in gold])
    presence = functional.binary_cross_entropy_with_logits(present, there)
    return -together.mean() + schedule.present_weight * presence


def _shares(schedule: Schedule, lengths: Sequence[int]) -> list[float]:
    """Of the peak rate, for each step; `lengths` are the steps of each epoch."""
    shares: list[float] = []
    begun = 0
    for number, epochs in enumerate(schedule.cycles):
        steps = sum(lengths[begun : begun + epochs])
        begun += epochs
        rising = max(1.0, steps * schedule.warm_up)
        peak = schedule.restart**number
        shares += [peak * min((step + 1) / rising, (steps - step) / max(1.0, steps - rising)) for step in range(steps)]
    return shares


def _save(
    network: nn.Module, optimiser: torch.optim.Optimizer, schedule: Schedule, checkpoint: Path, step: int
) -> None:
    held = {
        "step": step,
        "schedule": _plain(schedule),
        "network": network.state_dict(),
        "optimiser": optimiser.state_dict(),
    }
    save_state(checkpoint, held)


def _restore(network: nn.Module, optimiser: torch.optim.Optimizer, schedule: Schedule, checkpoint: Path) -> int:
    """Steps that the checkpoint has behind it; 0 without one."""
    held = load_state(checkpoint, _plain(schedule), "cpu")
    if held is None:
        return 0
    with readable(checkpoint):
        network.load_state_dict(held["network"])
        optimiser.load_state_dict(held["optimiser"])
        return int(held["step"])


def _plain(schedule: Schedule) -> dict[str, float | list[int]]:
    """As a checkpoint keeps it."""
    return {**asdict(schedule), "cycles": list(schedule.cycles)}
