"""How a neural EVR is made, from theories and a seed to a folder with its networks, its figures and its learning curve."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from goalmem.rules.evr.buffers import NetworkRole, Variant, parts
from goalmem.rules.evr.reasoner import CONFIG, FORMAT
from goalmem.rules.theory import Theory
from goalmem_lab.train.datasets import read_jsonl, read_text
from goalmem_lab.train.evr_examples import Source
from goalmem_lab.train.evr_fit import Curve, Progress, Schedule, fit
from goalmem_lab.train.evr_network import Size, Trainable, from_checkpoint, from_scratch
from goalmem_lab.train.states import Watch, require_same, write_json

CURVE, PICTURE, STATE = "curve.json", "curve.svg", "state"
SHARES = {NetworkRole.OTHER: 0.35, NetworkRole.FACT: 0.25, NetworkRole.RULE: 1.0, NetworkRole.ALL: 1.0}
"""Of the time that is left when its turn comes, what a network may take at most."""
GOES_ON_FROM = {NetworkRole.RULE: NetworkRole.OTHER}
"""A network from scratch that begins with the weights of another: to write down what was read is learned once."""
PRETRAINED_RATE = 1e-4
"""EVR, section 4.1."""
PRETRAINED_EPOCH = 24_000
HELD_SEED, EPOCH_SEED = 11, 1_009
"""Set the seeds of held-out examples and of epochs apart."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a run is made of."""

    out: Path
    variant: Variant = Variant.EVR1
    size: Size = Size.TINY
    checkpoint: Path | None = None
    """A T5 to go on from, instead of one from scratch."""
    facts_each: int | None = None
    """Sentences in a buffer; by default the variant's."""
    rules_each: int | None = None
    depth: int = 1
    """Rules that a statement takes one after another at most, in theories that are made."""
    given: Sequence[Theory] = ()
    questions: int | None = None
    """Different statements to learn from, in theories that are made; by default new ones without end."""
    max_minutes: float | None = None
    schedule: Schedule = field(default_factory=Schedule)

    @property
    def buffers(self) -> tuple[int, int]:
        """Facts and rules a buffer."""
        facts, rules = self.variant.buffers
        return self.facts_each or facts, self.rules_each or rules

    @property
    def fitted(self) -> Schedule:
        """The schedule, as it fits what is begun with."""
        if self.checkpoint is None:
            return self.schedule
        return replace(self.schedule, rate=PRETRAINED_RATE, positions=1.0, epoch=PRETRAINED_EPOCH)

    @property
    def one_by_one(self) -> bool:
        """Whether the rules of a buffer are read each by itself: small networks from scratch learn that in a tenth of the time."""
        return self.checkpoint is None

    def config(self) -> dict[str, Any]:
        """What `evr.json` says."""
        facts, rules = self.buffers
        return {
            "format": FORMAT,
            "variant": self.variant.value,
            "fact_buffer": facts,
            "rule_buffer": rules,
            "placeholders": self.checkpoint is None,
            "one_by_one": self.one_by_one,
            "size": self.size.value if self.checkpoint is None else self.checkpoint.name,
            "depth": self.depth,
            "theories": len(self.given),
            "questions": self.questions,
            "schedule": asdict(self.fitted),
        }


def train_evr(recipe: Recipe, watch: Watch[Progress]) -> dict[str, Any]:
    """Train all networks of a variant; for each its last figures. A run that was interrupted goes on where it was.

    Raises InputError when a checkpoint cannot be read, or the folder holds the state of another run.
    """
    state = recipe.out / STATE
    state.mkdir(parents=True, exist_ok=True)
    require_same(recipe.out, recipe.config(), state / CONFIG)
    curves: dict[str, Curve] = {}
    made: dict[NetworkRole, Trainable] = {}
    spent = 0.0
    for part in parts(recipe.variant):
        watch.stage(f"Network {part}")
        left = float("inf") if recipe.max_minutes is None else max(0.0, 60 * recipe.max_minutes - spent)
        begin = made.get(GOES_ON_FROM.get(part, part))
        network, curve, seconds = _trained(recipe, part, begin, left * SHARES[part], watch)
        made[part] = network
        spent += seconds
        curves[part.value] = curve
        network.save(recipe.out, part.value)
        write_json(recipe.out / CURVE, {name: [asdict(p) for p in points] for name, points in curves.items()})
    write_json(recipe.out / CONFIG, recipe.config())
    shutil.rmtree(state)
    _draw(curves, recipe.out / PICTURE)
    return {name: asdict(min(points, key=lambda p: p.error)) for name, points in curves.items() if points}


def read_theories(paths: Sequence[Path]) -> list[Theory]:
    """The theories of JSONL files with a `context` or `theory` a line, or of text files, each of which is one.

    Sentences that the grammar does not read are left out. Raises InputError and FormatError, with the line.
    """
    return [theory for path in paths for text in _texts(path) if (theory := Theory.read(text, partial=True)).clauses]


def _trained(
    recipe: Recipe, part: NetworkRole, begin: Trainable | None, budget: float, watch: Watch[Progress]
) -> tuple[Trainable, Curve, float]:
    schedule = recipe.fitted
    made = from_checkpoint(recipe.checkpoint) if recipe.checkpoint else from_scratch(recipe.size, schedule.seed)
    if begin is not None and recipe.checkpoint is None:
        made.model.load_state_dict(begin.model.state_dict())
    facts, rules = recipe.buffers
    examples = partial(
        Source(recipe.depth, facts, rules, recipe.given, recipe.questions, recipe.one_by_one).examples, part
    )
    held = partial(Source(recipe.depth, facts, rules, recipe.given, one_by_one=recipe.one_by_one).examples, part)(
        schedule.held_out, schedule.seed * EPOCH_SEED + HELD_SEED
    )[: schedule.held_out]
    first = schedule.seed * EPOCH_SEED + 2 * HELD_SEED
    checkpoint = recipe.out / STATE / f"{part}.pt"
    curve, seconds = fit(
        made,
        lambda epoch: examples(schedule.epoch, first + epoch),
        held,
        schedule,
        checkpoint,
        watch.step,
        budget=budget,
    )
    return made, curve, seconds


def _texts(path: Path) -> list[str]:
    if path.suffix != ".jsonl":
        return [read_text(path)]
    return [record.get("context" if "context" in record.value else "theory", str) for record in read_jsonl(path)]


def _draw(curves: Mapping[str, Curve], path: Path) -> None:
    """The learning curve, where matplotlib is installed."""
    if find_spec("matplotlib") is None:
        return
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.2), layout="constrained")
    axes = figure.subplots()
    for name, points in curves.items():
        axes.plot([p.examples for p in points], [100 * p.exact for p in points], label=name)
    axes.set_xlabel("examples seen")
    axes.set_ylabel("written without an error, %")
    axes.set_ylim(0, 101)
    axes.legend(title="network")
    figure.savefig(path)
