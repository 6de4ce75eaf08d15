"""Training one network of EVR: epochs of fresh examples, early stop by errors, checkpoints that a run goes on from."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from goalmem_lab.train.chance import chance
from goalmem_lab.train.evr_network import Trainable
from goalmem_lab.train.evr_patterns import Example
from goalmem_lab.train.states import load_state, readable, save_state

SEED_STEP = 1_000_003
POSITIONS = "relative_attention_bias"
IGNORED = -100
"""What the loss leaves out."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """How a network trains; what a checkpoint must agree with to be gone on from."""

    rate: float = 1e-3
    """Of AdamW, from scratch; a checkpoint takes EVR's 1e-4 (section 4.1)."""
    positions: float = 10.0
    """Times the rate, for T5's table of distances: its few weights are logits, and have far to go."""
    warm_up: int = 100
    """Steps over which the rate rises."""
    batch: int = 32
    """Examples."""
    epoch: int = 6_400
    """Examples between two looks at the held-out ones (EVR: 24,000, of a network fifty times as large)."""
    held_out: int = 512
    """Examples that are written out to measure the edit distance (EVR: 2,000)."""
    patience: int = 16
    """Epochs without fewer errors until the end. EVR ends after one, with more and larger ones."""
    halving: int = 4
    """Such epochs after which the rate is halved."""
    floor: float = 0.05
    """What is left of the rate when a limited time is over; until then it falls evenly."""
    least: int = 2
    """Epochs in a row without an error after which there is nothing left to learn."""
    most: int = 400
    """Epochs."""
    seed: int = 7
    bf16: bool = False
    """Whether to calculate in 16 bits."""


@dataclass(frozen=True, slots=True)
class Point:
    """Of the learning curve, after an epoch."""

    epoch: int
    examples: int
    """Seen so far."""
    seconds: float
    loss: float
    """Mean of the epoch."""
    edit_distance: float
    """Between what was written and what should have been, per token of the latter, on held-out examples."""
    exact: float
    """Share of the held-out examples that were written without an error."""

    @property
    def error(self) -> tuple[float, float]:
        """What the best epoch has least of: examples with an error (one is enough to break a proof), then edits."""
        return (1 - self.exact, self.edit_distance)


Curve = list[Point]


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a network is."""

    epoch: int
    step: int
    steps: int
    """Of the epoch."""
    loss: float
    edit_distance: float | None


@dataclass
class _State:
    """What a run has behind it."""

    epoch: int = 0
    step: int = 0
    """Of the epoch."""
    steps: int = 0
    seconds: float = 0.0
    losses: list[float] = field(default_factory=list)
    curve: Curve = field(default_factory=list)
    share: float = 1.0
    """Of the rate."""
    waited: int = 0
    best: dict[str, Any] | None = None

    @property
    def least(self) -> tuple[float, float]:
        return min((p.error for p in self.curve), default=(float("inf"), 0.0))

    def rate(self, schedule: Schedule, budget: float) -> float:
        left = max(schedule.floor, 1 - self.seconds / budget)
        return schedule.rate * self.share * min(left, (self.steps + 1) / schedule.warm_up)

    def ended(self, schedule: Schedule, budget: float) -> bool:
        clean = [p.edit_distance == 0 for p in self.curve[-schedule.least :]]
        return (
            self.waited >= schedule.patience
            or self.epoch >= schedule.most
            or self.seconds >= budget
            or (len(clean) == schedule.least and all(clean))
        )


def fit(
    network: Trainable,
    epochs: Callable[[int], Sequence[Example]],
    held: Sequence[Example],
    schedule: Schedule,
    checkpoint: Path,
    report: Callable[[Progress], None],
    *,
    budget: float = float("inf"),
    save_every: float = 60.0,
) -> tuple[Curve, float]:
    """Train a network in place on `epochs(0)`, `epochs(1)`, … until it ends; its curve, and the seconds of processor
    time that it took, which do not depend on what else the machine does.

    In the end it has the weights with the fewest errors. `budget`: such seconds after which it ends in any case. The state goes
    to `checkpoint` every `save_every` seconds; where it is there already, the run goes on from it. Raises InputError when that
    is damaged or of a run with another schedule.
    """
    optimiser = _optimiser(network, schedule)
    state = _restore(network, optimiser, schedule, checkpoint)
    began, saved = time.process_time() - state.seconds, time.monotonic()
    while not state.ended(schedule, budget):
        batches = _batches(network, epochs(state.epoch), schedule, state.epoch)
        while state.step < len(batches) and state.seconds < budget:
            state.losses.append(
                _step(network, optimiser, batches[state.step], schedule, state.rate(schedule, budget), state.steps)
            )
            state.step += 1
            state.steps += 1
            state.seconds = time.process_time() - began
            known = state.curve[-1].edit_distance if state.curve else None
            report(Progress(state.epoch + 1, state.step, len(batches), fmean(state.losses[-20:]), known))
            if time.monotonic() - saved > save_every:
                _save(network, optimiser, schedule, checkpoint, state)
                saved = time.monotonic()
        _close(network, held, schedule, state, time.process_time() - began)
        _save(network, optimiser, schedule, checkpoint, state)
        saved = time.monotonic()
    if state.best is not None:
        network.model.load_state_dict(state.best)
    network.model.eval()
    return state.curve, state.seconds


def edit_distance(written: Sequence[object], wanted: Sequence[object]) -> int:
    """Tokens to insert, take out or replace (Levenshtein 1966)."""
    before = list(range(len(wanted) + 1))
    for row, token in enumerate(written, 1):
        now = [row]
        for column, other in enumerate(wanted, 1):
            now.append(min(before[column] + 1, now[-1] + 1, before[column - 1] + (token != other)))
        before = now
    return before[-1]


def _close(network: Trainable, held: Sequence[Example], schedule: Schedule, state: _State, seconds: float) -> None:
    """The end of an epoch: measure, and keep what is best."""
    distance, exact = _measured(network, held)
    examples = (state.curve[-1].examples if state.curve else 0) + state.step * schedule.batch
    loss = fmean(state.losses) if state.losses else 0.0
    point = Point(state.epoch + 1, examples, round(seconds, 1), round(loss, 4), round(distance, 5), round(exact, 4))
    if point.error < state.least:
        state.best = {name: weight.detach().cpu().clone() for name, weight in network.model.state_dict().items()}
        state.waited = 0
    elif distance > 0:
        state.waited += 1
        state.share /= 2 if state.waited % schedule.halving == 0 else 1
    state.curve.append(point)
    state.epoch, state.step, state.losses, state.seconds = state.epoch + 1, 0, [], seconds


def _measured(network: Trainable, held: Sequence[Example]) -> tuple[float, float]:
    read = [network.coding.read(e.source) for e in held]
    wanted = [network.coding.target(e.target, names)[:-1] for e, (_, names) in zip(held, read, strict=True)]
    order = sorted(range(len(held)), key=lambda n: len(read[n][0]))
    errors = [0] * len(held)
    most = max(map(len, wanted), default=0) + 2  # an untrained network would not end by itself
    for start in range(0, len(order), 128):
        rows = order[start : start + 128]
        for n, written in zip(rows, network.generated([read[n][0] for n in rows], most), strict=True):
            errors[n] = edit_distance(written, wanted[n])
    return sum(errors) / max(1, sum(map(len, wanted))), fmean(e == 0 for e in errors)


_Batch = list[tuple[list[int], list[int]]]


def _batches(network: Trainable, examples: Sequence[Example], schedule: Schedule, epoch: int) -> list[_Batch]:
    """Of like length; shuffled."""
    random_ = chance(schedule.seed * SEED_STEP + epoch)
    pairs = []
    for example in examples:
        ids, names = network.coding.read(example.source)
        pairs.append((ids, network.coding.target(example.target, names)))
    random_.shuffle(pairs)
    pool = schedule.batch * 20
    ordered = [p for start in range(0, len(pairs), pool) for p in sorted(pairs[start : start + pool], key=_length)]
    batches = [ordered[start : start + schedule.batch] for start in range(0, len(ordered), schedule.batch)]
    random_.shuffle(batches)
    return batches


def _length(pair: tuple[list[int], list[int]]) -> int:
    return len(pair[0]) + len(pair[1])


def _step(network: Trainable, optimiser: Any, batch: _Batch, schedule: Schedule, rate: float, done: int) -> float:
    import torch

    network.model.train()
    # Set anew each step, so that a run that was interrupted drops out the same units as one that was not.
    torch.manual_seed(schedule.seed * SEED_STEP + done)
    for group in optimiser.param_groups:
        group["lr"] = rate * group["times"]
    sources = [source for source, _ in batch]
    with torch.autocast(network.device.type, torch.bfloat16, enabled=schedule.bf16):
        loss = network.model(
            input_ids=network.padded(sources, 0),
            attention_mask=network.padded([[1] * len(source) for source in sources], 0),
            labels=network.padded([target for _, target in batch], IGNORED),
        ).loss
    optimiser.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.model.parameters(), 1.0)
    optimiser.step()
    return float(loss.detach())


def _optimiser(network: Trainable, schedule: Schedule) -> Any:
    import torch

    named = list(network.model.named_parameters())
    places = [weight for name, weight in named if POSITIONS in name]
    others = [weight for name, weight in named if POSITIONS not in name]
    groups = [{"params": others, "times": 1.0}, {"params": places, "times": schedule.positions}]
    return torch.optim.AdamW(groups, lr=schedule.rate, weight_decay=0.0)


def _save(network: Trainable, optimiser: Any, schedule: Schedule, checkpoint: Path, state: _State) -> None:
    held = {
        "schedule": asdict(schedule),
        "network": network.model.state_dict(),
        "optimiser": optimiser.state_dict(),
        "state": {**asdict(state), "best": state.best},
    }
    save_state(checkpoint, held)


def _restore(network: Trainable, optimiser: Any, schedule: Schedule, checkpoint: Path) -> _State:
    held = load_state(checkpoint, asdict(schedule), network.device)
    if held is None:
        return _State()
    with readable(checkpoint):
        network.model.load_state_dict(held["network"])
        optimiser.load_state_dict(held["optimiser"])
        state = _State(**held["state"])
        state.curve = [Point(**point) for point in held["state"]["curve"]]
    return state
