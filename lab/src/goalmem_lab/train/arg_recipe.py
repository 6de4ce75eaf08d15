"""How a tuned critic is made: from samples and a checkpoint to a folder with the model, its figures and its learning curve."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from goalmem.graph.tuned_model import TunedModel, no_bars
from goalmem_lab.train.arg_fit import Point, Progress, Schedule, encoded, fit, parted, require_some
from goalmem_lab.train.arg_network import Size, adapted, from_checkpoint, from_scratch
from goalmem_lab.train.arg_records import read_samples
from goalmem_lab.train.states import Watch, require_same, write_json

CONFIG, CURVE, PICTURE, STATE = "arg.json", "curve.json", "curve.svg", "state"
FORMAT = "goalmem-arg-1"
SCRATCH_RATE = 2e-3
"""Of a network from scratch, a hundred times that of a checkpoint: it has everything to learn, and little to forget."""
LORA_RATE = 2e-4
"""Of adapters, usual for LoRA: they begin at nothing."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a run is made of."""

    out: Path
    data: Sequence[Path]
    """Samples by `goalmem train collect`, or in one of its layouts."""
    checkpoint: Path | None = None
    """A causal language model to go on from, instead of one from scratch."""
    size: Size = Size.TINY
    lora: int | None = None
    """Rank of the adapters that are trained instead of all weights."""
    max_minutes: float | None = None
    schedule: Schedule = field(default_factory=Schedule)

    def config(self, samples: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """What `arg.json` says."""
        told = json.dumps(list(samples), ensure_ascii=True).encode()
        return {
            "format": FORMAT,
            "from": None if self.checkpoint is None else self.checkpoint.name,
            "size": self.size.value if self.checkpoint is None else None,
            "lora": self.lora,
            "samples": len(samples),
            "data": hashlib.sha256(told).hexdigest()[:16],
            "schedule": asdict(self.schedule),
        }


def rate_of(checkpoint: Path | None, lora: int | None) -> float:
    """The rate that fits what is trained, where none is named."""
    if lora is not None:
        return LORA_RATE
    return Schedule().rate if checkpoint is not None else SCRATCH_RATE


def train_arg(recipe: Recipe, watch: Watch[Progress]) -> dict[str, Any]:
    """Train a tuned critic; its last figures. A run that was interrupted goes on where it was.

    Raises InputError when samples or a checkpoint cannot be read, or the folder holds the state of another run, and
    ModelError when a package is missing.
    """
    watch.stage("Reading samples")
    samples = read_samples(recipe.data)
    watch.stage("Loading the network")
    network = _made(recipe, samples)
    kept, held = parted(samples, recipe.schedule)
    examples = encoded(network, [samples[n] for n in kept])
    require_some(examples)
    # Whatever is wrong with samples or checkpoint is said before a run is begun.
    state = recipe.out / STATE
    state.mkdir(parents=True, exist_ok=True)
    require_same(recipe.out, recipe.config(samples), state / CONFIG)
    stored = network.model.dtype
    outer = adapted(network.model, recipe.lora) if recipe.lora is not None else None
    if outer is None:
        network.model.float()  # small steps are lost on weights of 16 bits
    curve = fit(
        network,
        examples,
        encoded(network, [samples[n] for n in held]),
        recipe.schedule,
        state / "network.pt",
        watch.step,
        budget=float("inf") if recipe.max_minutes is None else 60 * recipe.max_minutes,
    )
    watch.stage("Writing the model")
    model = network.model if outer is None else outer.merge_and_unload()
    with no_bars():
        model.to(stored).save_pretrained(recipe.out)
        network.tokenizer.save_pretrained(recipe.out)
    left_out = len(kept) - len(examples)
    figures = {**asdict(curve[-1]), "weights": sum(p.numel() for p in model.parameters()), "too_long": left_out}
    write_json(recipe.out / CURVE, {"points": [asdict(point) for point in curve]})
    write_json(recipe.out / CONFIG, recipe.config(samples) | {"figures": figures})
    shutil.rmtree(state)
    _draw(curve, recipe.out / PICTURE)
    return figures


def _made(recipe: Recipe, samples: Sequence[tuple[str, str]]) -> TunedModel:
    if recipe.checkpoint is not None:
        return from_checkpoint(recipe.checkpoint)
    return from_scratch(recipe.size, (prompt + completion for prompt, completion in samples), recipe.schedule.seed)


def _draw(curve: Sequence[Point], path: Path) -> None:
    """The learning curve, where matplotlib is installed."""
    if find_spec("matplotlib") is None:
        return
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3), layout="constrained")
    losses, right = figure.subplots(1, 2)
    seen = [point.examples for point in curve]
    losses.plot(seen, [point.loss for point in curve], marker="o", label="training")
    losses.plot(seen, [point.held_loss for point in curve], marker="o", label="held out")
    losses.set_ylabel("loss")
    losses.legend()
    right.plot(seen, [100 * point.reflections for point in curve], marker="o")
    right.set_ylabel("reflection tokens right, held out, %")
    for axes in (losses, right):
        axes.set_xlabel("samples seen")
    figure.savefig(path)
