"""Training a tuned critic: next tokens of completions, in epochs, with checkpoints that a run goes on from.

The loss counts what a model shall write: reflection tokens, and the knowledge between the marks of paragraphs as well, so that
it learns which relations a question leads to (ArG, section 4.1 and equation 3). What it is shown before counts nothing. Every
sample counts alike, however long: a decision is one token, and a transcript a hundred.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from goalmem.errors import InputError
from goalmem.graph.critic import Rationality, Relevance, Retrieval, Utility
from goalmem.graph.tuned_model import TunedModel
from goalmem_lab.train.chance import chance
from goalmem_lab.train.states import load_state, readable, save_state

SEED_STEP = 1_000_003
AT_ONCE = 8_192
"""Tokens that go through a network together, padding included; a larger batch is added up of several such."""
POOL = 50
"""Batches whose examples are sorted by length together."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """How a network trains; what a state must agree with to be gone on from. The defaults are ArG's (section 5.3)."""

    rate: float = 1e-5
    """Of AdamW, at its highest."""
    warm_up: float = 0.03
    """Share of all steps over which the rate rises; then it falls evenly to nothing."""
    batch: int = 16
    """Examples."""
    epochs: int = 3
    held_out: float = 0.05
    """Share of the queries that is measured on."""
    most_held: int = 512
    """Examples that are measured on at most."""
    seed: int = 7
    bf16: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """A sample as ids."""

    ids: tuple[int, ...]
    start: int
    """Where the completion begins."""


@dataclass(frozen=True, slots=True)
class Point:
    """Of the learning curve, after an epoch."""

    epoch: int
    examples: int
    """Seen so far."""
    seconds: float
    loss: float
    """Mean of the epoch."""
    held_loss: float
    reflections: float
    """Share of reflection tokens of held-out examples that are the likeliest of their kind."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run is."""

    epoch: int
    step: int
    steps: int
    """Of all epochs."""
    loss: float
    reflections: float | None


@dataclass
class _State:
    """What a run has behind it."""

    steps: int = 0
    seconds: float = 0.0
    losses: list[float] = field(default_factory=list)
    """Of the epoch."""
    curve: list[Point] = field(default_factory=list)


def encoded(network: TunedModel, samples: Sequence[tuple[str, str]]) -> list[Example]:
    """Prompts and completions as ids; a whole answer ends with the end token. Those that are too long are left out."""
    ends = tuple(token.value for token in Utility)
    found = []
    for prompt, completion in samples:
        before, after = network.begun(prompt), network.encode(completion)
        end = (network.tokenizer.eos_token_id,) if completion.endswith(ends) else ()
        if len(ids := (*before, *after, *end)) <= network.longest and before:
            found.append(Example(ids, len(before)))
    return found


def parted(samples: Sequence[tuple[str, str]], schedule: Schedule) -> tuple[list[int], list[int]]:
    """Places of what is trained on and of what is measured on; all samples of a query are in the same."""
    kept: list[int] = []
    held: list[int] = []
    for n, (prompt, _) in enumerate(samples):
        drawn = hashlib.sha256(f"{schedule.seed}\0{prompt.split('Output:')[0]}".encode(errors="replace")).digest()
        (held if int.from_bytes(drawn[:4], "big") < schedule.held_out * 2**32 else kept).append(n)
    step = max(1, -(-len(held) // schedule.most_held))
    return kept, held[::step]


def require_some(examples: Sequence[Example]) -> None:
    """Raises InputError where there is nothing to learn from."""
    if not examples:
        raise InputError("There is no sample that could be learned from.", "Collect more, or shorter ones.")


def fit(
    network: TunedModel,
    examples: Sequence[Example],
    held: Sequence[Example],
    schedule: Schedule,
    checkpoint: Path,
    report: Callable[[Progress], None],
    *,
    budget: float = float("inf"),
    save_every: float = 60.0,
) -> list[Point]:
    """Train a network in place; its learning curve.

    `budget`: seconds after which training ends in any case, its rate having fallen to nothing by then. The state goes to
    `checkpoint` every `save_every` seconds; where it is there already, the run goes on from it. Raises InputError when that is
    damaged or of a run with another schedule, or there is nothing to learn from.
    """
    require_some(examples)
    optimiser = _optimiser(network, schedule)
    state = _restore(network, optimiser, schedule, checkpoint)
    batches = -(-len(examples) // schedule.batch)
    total = batches * schedule.epochs
    began = time.monotonic() - state.seconds
    saved = time.monotonic()
    while state.steps < total and state.seconds < budget:
        epoch, at = divmod(state.steps, batches)
        for batch in _batches(examples, schedule, epoch)[at:]:
            done = max(state.steps / total, state.seconds / budget)
            state.losses.append(
                _step(network, optimiser, batch, schedule, _rate(schedule, state.steps, total, done), state.steps)
            )
            state.steps += 1
            state.seconds = time.monotonic() - began
            known = state.curve[-1].reflections if state.curve else None
            report(Progress(epoch + 1, state.steps, total, fmean(state.losses[-20:]), known))
            if time.monotonic() - saved > save_every and state.steps % batches:
                _save(network, optimiser, schedule, checkpoint, state)
                saved = time.monotonic()
            if state.seconds >= budget:
                break
        loss, right = _measured(network, held)
        seen = min(state.steps * schedule.batch, len(examples) * (epoch + 1))
        seconds = round(time.monotonic() - began, 1)
        state.curve.append(Point(epoch + 1, seen, seconds, _mean(state.losses), round(loss, 4), round(right, 4)))
        state.losses = []
        _save(network, optimiser, schedule, checkpoint, state)
        saved = time.monotonic()
    network.model.eval()
    return state.curve


def _rate(schedule: Schedule, steps: int, total: int, done: float) -> float:
    """`done`: share of the run that is over, in [0, 1]."""
    warm = max(1.0, schedule.warm_up * total)
    return schedule.rate * min((steps + 1) / warm, max(0.0, 1 - done))


def _batches(examples: Sequence[Example], schedule: Schedule, epoch: int) -> list[list[Example]]:
    """Of like length; shuffled. As many in every epoch."""
    random = chance(schedule.seed * SEED_STEP + epoch)
    drawn = random.sample(examples, len(examples))
    pool = schedule.batch * POOL
    ordered = [e for n in range(0, len(drawn), pool) for e in sorted(drawn[n : n + pool], key=lambda e: len(e.ids))]
    batches = [ordered[n : n + schedule.batch] for n in range(0, len(ordered), schedule.batch)]
    random.shuffle(batches)
    return batches


def _step(
    network: TunedModel, optimiser: Any, batch: Sequence[Example], schedule: Schedule, rate: float, done: int
) -> float:
    """One step; the mean loss of its samples, each the mean of its tokens."""
    import torch

    network.model.train()
    # Set anew each step, so that a run that was interrupted drops out the same units as one that was not.
    torch.manual_seed(schedule.seed * SEED_STEP + done)
    for group in optimiser.param_groups:
        group["lr"] = rate
    optimiser.zero_grad()
    total = 0.0
    for part in _portions(batch):
        with torch.autocast(network.device.type, torch.bfloat16, enabled=schedule.bf16):
            logits, wanted = _written(network, part)
        losses = torch.nn.functional.cross_entropy(logits.float(), wanted, reduction="none")
        loss = (losses * torch.tensor(_weights(part), device=network.device)).sum() / len(batch)
        loss.backward()
        total += float(loss.detach())
    torch.nn.utils.clip_grad_norm_([p for p in network.model.parameters() if p.requires_grad], 1.0)
    optimiser.step()
    return total


def _written(network: TunedModel, part: Sequence[Example]) -> tuple[Any, Any]:
    """Logits where something is to be written, and what: shapes (places, vocabulary) and (places,)."""
    import torch

    hidden = network.hidden([e.ids for e in part])
    rows = [n for n, e in enumerate(part) for _ in range(e.start, len(e.ids))]
    columns = [at - 1 for e in part for at in range(e.start, len(e.ids))]
    wanted = [n for e in part for n in e.ids[e.start :]]
    return network.logits(hidden[rows, columns]), torch.tensor(wanted, device=network.device)


def _weights(part: Sequence[Example]) -> list[float]:
    """Of each token that is to be written: every sample counts alike."""
    return [1 / (len(e.ids) - e.start) for e in part for _ in range(e.start, len(e.ids))]


def _measured(network: TunedModel, held: Sequence[Example]) -> tuple[float, float]:
    """Mean loss, and the share of reflection tokens that are right; 0 where nothing is held out."""
    import torch

    kinds = [[network.encode(t.value)[0] for t in kind] for kind in (Retrieval, Relevance, Rationality, Utility)]
    kind_of = {n: kind for kind in kinds for n in kind}
    losses, right = 0.0, []
    network.model.eval()
    with torch.inference_mode():
        for part in _portions(sorted(held, key=lambda e: len(e.ids))):
            logits, wanted = _written(network, part)
            each = torch.nn.functional.cross_entropy(logits.float(), wanted, reduction="none")
            losses += float((each * torch.tensor(_weights(part), device=network.device)).sum())
            for n, token in enumerate(wanted.tolist()):
                if token in kind_of:
                    right.append(kind_of[token][int(logits[n, kind_of[token]].argmax())] == token)
    return losses / max(1, len(held)), fmean(right) if right else 0.0


def _portions(batch: Sequence[Example]) -> Iterator[list[Example]]:
    """As many examples as go through a network together."""
    part: list[Example] = []
    for example in batch:
        longest = max(len(e.ids) for e in (*part, example))
        if part and longest * (len(part) + 1) > AT_ONCE:
            yield part
            part = []
        part.append(example)
    if part:
        yield part


def _optimiser(network: TunedModel, schedule: Schedule) -> Any:
    import torch

    trained = [p for p in network.model.parameters() if p.requires_grad]
    return torch.optim.AdamW(trained, lr=schedule.rate, weight_decay=0.0)


def _save(network: TunedModel, optimiser: Any, schedule: Schedule, checkpoint: Path, state: _State) -> None:
    trained = {name: p.detach() for name, p in network.model.named_parameters() if p.requires_grad}
    held = {
        "schedule": asdict(schedule),
        "network": trained,
        "optimiser": optimiser.state_dict(),
        "state": asdict(state),
    }
    save_state(checkpoint, held)


def _restore(network: TunedModel, optimiser: Any, schedule: Schedule, checkpoint: Path) -> _State:
    held = load_state(checkpoint, asdict(schedule), network.device)
    if held is None:
        return _State()
    with readable(checkpoint):
        network.model.load_state_dict(held["network"], strict=False)
        optimiser.load_state_dict(held["optimiser"])
        state = _State(**held["state"])
        state.curve = [Point(**point) for point in held["state"]["curve"]]
    return state


def _mean(losses: Sequence[float]) -> float:
    return round(fmean(losses), 4) if losses else 0.0
