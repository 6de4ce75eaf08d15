"""A large teacher learns to read and to judge, and MiniLM learns from what it says (distillation: Hinton et al., 2015).

Four stages, each for a fixed number of steps: the teacher as a reader, the student reader; the teacher as a judge, beginning with the
encoder that has read; the student judge. This module and what it imports need torch, numpy and safetensors alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from goalmem.errors import ModelError
from goalmem_lab.train.distil_batches import BERT_PIECES, MPNET_PIECES, Learner, Pools, Steps
from goalmem_lab.train.distil_data import DistilData, Rows, joined
from goalmem_lab.train.distil_encoder import MINILM, MPNET, Encoder, EncoderShape, from_published
from goalmem_lab.train.distil_judge import (
    NOTED_TAUGHT,
    distil_judge,
    marked_pairs,
    proposed_pairs,
    some,
    stated_pairs,
    teach_judge,
)
from goalmem_lab.train.distil_reader import distil_reader, proposals, teach_reader
from goalmem_lab.train.network import JudgeNetwork, ReaderNetwork, set_weights
from goalmem_lab.train.states import Progress, Watch, load_state, readable, save_state

STAGES = ("teacher-reader", "reader", "teacher-judge", "judge")
STATE = ".state"
TEACHER_READER = Steps(1_970, 192, 5e-5, 3e-4)
READER = Steps(3_771, 512, 4e-4, 1e-3)
TEACHER_JUDGE = Steps(1_879, 192, 5e-5, 3e-4)
JUDGE = Steps(3_281, 512, 3e-4, 1e-3)

Weights = Mapping[str, Tensor]


@dataclass(frozen=True, slots=True)
class DistilSchedule:
    """How a run trains; what the state of a stage must agree with to be gone on from."""

    seed: int = 7
    teacher_reader: Steps = TEACHER_READER
    reader: Steps = READER
    teacher_judge: Steps = TEACHER_JUDGE
    judge: Steps = JUDGE


@dataclass(frozen=True, slots=True)
class DistilRun:
    """What a run is made of."""

    data: DistilData
    digest: str
    """Of the file that holds the data."""
    out: Path
    """Folder for the states of stages."""
    device: str
    schedule: DistilSchedule = field(default_factory=DistilSchedule)
    teacher: EncoderShape = MPNET
    student: EncoderShape = MINILM

    @property
    def plain(self) -> dict[str, Any]:
        """What a state must agree with."""
        return {**asdict(self.schedule), "data": self.digest}

    def state(self, stage: str) -> Path:
        """Where a stage's state is kept."""
        return self.out / f"{stage}{STATE}"

    def trained(self, stage: str) -> dict[str, Tensor]:
        """The weights of a finished stage. Raises InputError for the state of another run, or a damaged one."""
        path = self.state(stage)
        held = load_state(path, self.plain, "cpu")
        with readable(path):
            weights: dict[str, Tensor] = (held or {})["network"]
        return weights

    def remove_states(self) -> None:
        """Remove what is kept of the stages."""
        for stage in STAGES:
            self.state(stage).unlink(missing_ok=True)


def default_device() -> str:
    """A GPU where torch can use one."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def distil(run: DistilRun, teacher_weights: Callable[[], Weights], watch: Watch[Progress]) -> None:
    """Train teacher and students; at the end each stage's weights are in its state.

    A run that was stopped goes on behind the last finished stage. `teacher_weights`: the published ones, asked for in the first stage.
    Raises InputError for the state of another run, or a damaged one, and ModelError where the device is missing.
    """
    if run.device == "cuda" and not torch.cuda.is_available():
        raise ModelError("There is no CUDA device that torch can use.", "Pass --device cpu, or install torch for CUDA.")
    if all(run.state(stage).exists() for stage in STAGES):
        return
    torch.set_float32_matmul_precision("high")
    pools = Pools(run.data, run.device)
    reader = _read(run, pools, teacher_weights, watch)
    _judge(run, pools, reader, watch)


def _read(run: DistilRun, pools: Pools, teacher_weights: Callable[[], Weights], watch: Watch[Progress]) -> Learner:
    """The student reader."""
    data, schedule = run.data, run.schedule
    torch.manual_seed(schedule.seed)
    teacher = _learner(ReaderNetwork(Encoder(run.teacher)), run.device)
    student = _learner(ReaderNetwork(Encoder(run.student)), run.device)
    if not run.state("teacher-reader").exists():
        watch.stage("Reading the teacher")
        published = {f"encoder.{name}": weights for name, weights in teacher_weights().items()}
        set_weights(teacher.network, from_published(published, run.teacher))
    set_weights(student.network, _start(run, "reader"))

    def teach(random_: np.random.Generator) -> None:
        teach_reader(teacher, pools, data.corpora, data.turns, schedule.teacher_reader, random_, watch.step)

    def learn(random_: np.random.Generator) -> None:
        distil_reader(student, teacher, pools, data.corpora, data.turns, schedule.reader, random_, watch.step)

    _stage(run, "teacher-reader", teacher.network, teach, watch)
    _stage(run, "reader", student.network, learn, watch)
    return student


def _judge(run: DistilRun, pools: Pools, reader: Learner, watch: Watch[Progress]) -> None:
    schedule = run.schedule
    torch.manual_seed(schedule.seed)  # whether it has read before or not
    teacher = _learner(JudgeNetwork(Encoder(run.teacher)), run.device)
    student = _learner(JudgeNetwork(Encoder(run.student)), run.device)
    encoder = run.trained("teacher-reader")
    set_weights(teacher.network, {name: weights for name, weights in encoder.items() if name.startswith("encoder.")})
    set_weights(student.network, _start(run, "judge"))
    watch.stage("Proposing answers to judge")
    proposed, marked = proposed_pairs(proposals(reader, pools, run.data.turns)), marked_pairs(run.data.turns)
    noted = run.data.claims["noted"] == 1
    stated = stated_pairs(run.data.claims[~noted]), stated_pairs(run.data.claims[noted])

    def teach(random_: np.random.Generator) -> None:
        teach_judge(teacher, pools, proposed, marked, stated, schedule.teacher_judge, random_, watch.step)

    def learn(random_: np.random.Generator) -> None:
        pairs: Rows = joined([proposed, marked, stated[0], some(stated[1], NOTED_TAUGHT, random_)])
        distil_judge(student, teacher, pools, pairs, schedule.judge, random_, watch.step)

    _stage(run, "teacher-judge", teacher.network, teach, watch)
    _stage(run, "judge", student.network, learn, watch)


def _learner(network: nn.Module, device: str) -> Learner:
    teaches = network.encoder.config.buckets > 0
    return Learner(network.to(device).eval(), MPNET_PIECES if teaches else BERT_PIECES)


def _start(run: DistilRun, kind: str) -> dict[str, Tensor]:
    """The student's first weights: the bundled model's, over the published word embeddings."""
    found = {}
    for name, weights in run.data.start.items():
        owner, _, own = name.partition("/")
        if owner in (kind, "words"):
            found[own] = torch.from_numpy(weights)
    return from_published(found, run.student)


def _stage(
    run: DistilRun,
    name: str,
    network: nn.Module,
    learn: Callable[[np.random.Generator], None],
    watch: Watch[Progress],
) -> None:
    """Train a network, or take what it has learnt from the stage's state."""
    path = run.state(name)
    held = load_state(path, run.plain, run.device)
    if held is not None:
        with readable(path):
            network.load_state_dict(held["network"])
        return
    watch.stage(f"Training, stage {STAGES.index(name) + 1} of {len(STAGES)}")
    seed = run.schedule.seed * len(STAGES) + STAGES.index(name)
    torch.manual_seed(seed)
    learn(np.random.default_rng(seed))
    save_state(path, {"schedule": run.plain, "network": network.state_dict()})
