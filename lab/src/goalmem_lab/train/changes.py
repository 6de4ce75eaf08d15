"""Whether what is said later leaves an earlier answer standing: the data, the training and the figures of a judge of that, an experiment.

A case is a question, the answer that a turn gave it, and a later turn. It is judged as a statement is: whether it still holds (entailed), has
changed (contradicted), or may have (not said), by the later turn behind the earlier one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from goalmem.errors import FormatError, NotFoundError
from goalmem.models.encoder_file import bundled
from goalmem.models.minilm import bundled_tokenizer
from goalmem.models.minilm_judge import MiniLMJudge
from goalmem.models.protocol import Excerpt, Statement
from goalmem_lab.train.chance import chance
from goalmem_lab.train.export import export
from goalmem_lab.train.fit import Progress, Schedule, fit
from goalmem_lab.train.judge_measure import temperature
from goalmem_lab.train.judge_network import ClaimItem, claim_items, freeze, judge_network, judging_loss
from goalmem_lab.train.judge_recipe import logits_of
from goalmem_lab.train.lives import Claim, Label, Life, question_of, read_lives
from goalmem_lab.train.measure import auroc
from goalmem_lab.train.recipe import CHECKPOINT_SUFFIX
from goalmem_lab.train.states import Watch
from goalmem_lab.train.warm_start import exported_weights

CHANGES_SCHEDULE = Schedule(cycles=(4,), seed=7, batch_pieces=2048, rate=1.5e-4, head_rate=6e-4, half=False)
LABELS = {"same": Label.ENTAILED, "changed": Label.CONTRADICTED, "unclear": Label.NOT_SAID}
FROZEN = 1
"""Lowest layers that stay as they are."""
ONE_IN = 8
"""Of the earlier turns, what is held out: for the temperature and the figures."""
PLAIN = 3
"""Later turns of a life that leave an answer standing, at most, a question."""
AS_MANY = 0.15
"""Cases out of lives, of how many were written for this."""


@dataclass(frozen=True, slots=True)
class ChangesRecipe:
    """What a run is made of."""

    lab: Path
    """Folder with `changes/` and `lives/`."""
    out: Path
    start: Path | None = None
    """The judge to begin with; without one, the bundled one."""
    schedule: Schedule = field(default_factory=lambda: CHANGES_SCHEDULE)


@dataclass(frozen=True, slots=True)
class ChangeFigures:
    """Of cases held out; shares in [0, 1]."""

    cases: int
    accuracy: float
    """Share of the three classes named rightly."""
    stands: float
    """AUROC of the probability that an answer stands, of those that stand against all others."""
    changed: float
    """AUROC of the probability that it has changed, of those that have against those that stand."""
    kept: float
    """Share of what stands that is held to stand with a probability of .5."""
    missed: float
    """Share of what has changed that is held to stand with that probability."""

    def rounded(self) -> dict[str, float | None]:
        """For people and for JSON."""
        return {name: round(value, 3) for name, value in asdict(self).items()}


def train_changes(recipe: ChangesRecipe, watch: Watch[Progress]) -> dict[str, ChangeFigures]:
    """Train from a judge, calibrate on what is held out, export to `recipe.out`, and measure what was exported.

    A run that was interrupted goes on from the checkpoint beside `recipe.out`. Raises NotFoundError or FormatError for data that are missing
    or in another layout.
    """
    watch.stage("Reading the data")
    claims, held = read_changes(recipe.lab / "changes")
    lives = read_lives(recipe.lab / "lives") if (recipe.lab / "lives").exists() else []
    network = judge_network(recipe.schedule.seed, _start(recipe))
    freeze(network.encoder, FROZEN)
    checkpoint = recipe.out.with_name(recipe.out.name + CHECKPOINT_SUFFIX)
    tokenizer = bundled_tokenizer()

    def epoch(number: int) -> list[ClaimItem]:
        plain = list(standing(lives, recipe.schedule.seed * 101 + number, round(AS_MANY * len(claims))))
        return claim_items(tokenizer, [*claims, *plain])

    fit(network, epoch, recipe.schedule, checkpoint, watch.step, judging_loss)
    watch.stage("Calibrating")
    warmth = temperature(logits_of(network, held), held)
    beside = recipe.out.with_name(f".{recipe.out.name}.{os.getpid()}")
    export(network, beside, {"goalmem.temperature": str(warmth)}, ("verdict",))
    os.replace(beside, recipe.out)
    checkpoint.unlink(missing_ok=True)
    watch.stage("Measuring")
    return {"held out": measured(MiniLMJudge(recipe.out), held)}


def _start(recipe: ChangesRecipe) -> dict[str, Any]:
    if recipe.start is not None:
        return exported_weights(recipe.start)
    with bundled("judge") as judge:
        return exported_weights(judge)


def read_changes(folder: Path) -> tuple[list[Claim], list[Claim]]:
    """The cases of `folder/*.jsonl`: those to train on, and those of one earlier turn in eight, which are held out.

    Raises NotFoundError where there are none, FormatError for a line in another layout.
    """
    trained: list[Claim] = []
    held: list[Claim] = []
    for file in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            try:
                case = json.loads(line)
                claim = change_claim(case)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise FormatError(
                    f"{file}, line {number}, is no change as docs/judge.md describes it ({type(error).__name__}: {error}).",
                    "Mend the line, or take it out.",
                ) from error
            out = chance(sum(case["earlier"].encode())).random() < 1 / ONE_IN
            (held if out else trained).append(claim)
    if not trained:
        raise NotFoundError(
            f"There are no changes in {folder}.", "Name the folder of the laboratory that holds changes/."
        )
    return trained, held


def change_claim(case: Mapping[str, Any]) -> Claim:
    """A case as a claim: the answer to the question, by the later turn behind the earlier one."""
    excerpt = Excerpt(case["later"], case["later_by"], None, f"{case['by']}: {case['earlier']}")
    return Claim(Statement(case["question"], case["answer"]), excerpt, LABELS[case["label"]])


def standing(lives: Sequence[Life], seed: int, most: int) -> Iterator[Claim]:
    """Later turns of conversations that leave an answer standing: those behind the turn that holds what answers a question last."""
    random_ = chance(seed)
    found: list[Claim] = []
    for life in lives:
        turns = life.turns
        places = list(turns)
        for asked in life.content["questions"]:
            cited = sorted(places.index(e["turn"]) for e in asked.get("evidence") or [])
            if not asked["answers"] or not asked.get("span") or not cited:
                continue
            told = turns[asked["span"]["turn"]]
            statement = Statement(question_of(asked), asked["answers"][0])
            later = [turns[name] for name in places[cited[-1] + 1 :]]
            found += (
                Claim(statement, replace(turn, said=None, before=f"{told.speaker}: {told.text}"), Label.ENTAILED)
                for turn in random_.sample(later, min(PLAIN, len(later)))
            )
    yield from random_.sample(found, min(most, len(found)))


def measured(judge: MiniLMJudge, held: Sequence[Claim]) -> ChangeFigures:
    """The figures of a model on cases."""
    verdicts = judge.judge([(claim.statement, claim.excerpt) for claim in held])
    scores = np.array([[v.entailed, v.contradicted, v.not_said] for v in verdicts]).reshape(-1, 3)
    gold = np.array([list(LABELS.values()).index(claim.label) for claim in held])
    stands, changed = gold == 0, gold == 1
    return ChangeFigures(
        cases=len(held),
        accuracy=float((scores.argmax(1) == gold).mean()),
        stands=auroc(scores[stands, 0].tolist(), scores[~stands, 0].tolist()),
        changed=auroc(scores[changed, 1].tolist(), scores[stands, 1].tolist()),
        kept=float((scores[stands, 0] >= 0.5).mean()),
        missed=float((scores[changed, 0] >= 0.5).mean()),
    )
