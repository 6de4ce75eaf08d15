"""How the bundled judge was made, from the data files to the exported model and its figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from goalmem.models.encoder_file import bundled
from goalmem.models.minilm import bundled_tokenizer
from goalmem.models.minilm_judge import MiniLMJudge
from goalmem.models.protocol import SpanReader
from goalmem.models.span_reader import MiniLMReader
from goalmem_lab.train.corpora import TRAINING, read_corpus, read_qamr
from goalmem_lab.train.documents import Document, held_out
from goalmem_lab.train.examples import examples
from goalmem_lab.train.export import export
from goalmem_lab.train.fit import Schedule, fast_half, fit, inputs_of
from goalmem_lab.train.judge_claims import JUDGE_MIXES, JUDGE_TURNS, read_claims, stated_claims
from goalmem_lab.train.judge_measure import JudgeFigures, judged_well, temperature
from goalmem_lab.train.judge_network import (
    CLASSES,
    ClaimItem,
    claim_items,
    freeze,
    judge_network,
    judging_loss,
)
from goalmem_lab.train.literal_claims import literal_claims
from goalmem_lab.train.lives import Claim, Life, claims_of, is_held_out, read_lives, read_notes
from goalmem_lab.train.network import JudgeNetwork
from goalmem_lab.train.offers import offered_claims
from goalmem_lab.train.plain_cases import plain_claims, stated_in_chats, taught_cases
from goalmem_lab.train.recipe import CHECKPOINT_SUFFIX
from goalmem_lab.train.similar_lines import Lookalikes
from goalmem_lab.train.states import Progress, Watch
from goalmem_lab.train.warm_start import PREFIX, exported_weights

JUDGE_SCHEDULE = Schedule(
    cycles=(1, 1), seed=7, later_batch_pieces=2048, rate=1.5e-4, head_rate=1e-3, restart=0.6, half=False
)
"""One epoch over questions of the corpora, then one over conversations with statements."""
JUDGE_GOING_ON = replace(JUDGE_SCHEDULE, cycles=(0, 1), restart=1.0, rate=1e-4, head_rate=3e-4, half=fast_half())
"""Of a judge that goes on: one epoch over statements and over what memories of the conversations offer."""
ONE_IN = 10
"""Of the groups of the corpora, what is left out."""
FROZEN = 1
"""Lowest layers of a judge that goes on which stay as they are."""
REHEARSED = 0.02
"""Share of the corpora's dialogues that are read again beside the conversations."""


@dataclass(frozen=True, slots=True)
class JudgeRecipe:
    """What a run is made of."""

    data: Path
    """Folder of the reading corpora."""
    lab: Path
    """Folder with `lives/` and `notes/`, and `plain/` where there is one."""
    out: Path
    schedule: Schedule = field(default_factory=lambda: JUDGE_SCHEDULE)
    start: Path | None = None
    """A judge to go on from, over the conversations alone; without one, it begins with the bundled reader's encoder."""
    share: float = 1.0
    """Of what was learnt in the mean of its weights with those of `start`, in (0, 1]: between them a judge knows both what it learnt and what
    it knew (WiSE-FT: Wortsman et al. 2022, Robust fine-tuning of zero-shot models, section 3)."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What claims are made of."""

    corpora: Sequence[Document]
    lives: Sequence[Life]
    held: Sequence[Life]
    notes: Sequence[Document]
    noted: Sequence[Claim]
    plain: Sequence[Mapping[str, Any]]
    chatted: Sequence[Claim]
    """What is stated about the chats among the plain cases, and what is read out of them."""


def train_judge(recipe: JudgeRecipe, watch: Watch[Progress]) -> dict[str, JudgeFigures]:
    """Train from the bundled reader's encoder, calibrate, export to `recipe.out`, and measure what was exported.

    Of the lives one in five is trained on in neither cycle: on these it is calibrated and measured. A run that was interrupted
    goes on from the checkpoint beside `recipe.out`, which is removed at the end. Raises NotFoundError or FormatError for data that
    are missing or in another layout.
    """
    watch.stage("Reading the data")
    sources = read_sources(recipe)
    network = judge_network(recipe.schedule.seed, _start(recipe))
    if recipe.start is not None:
        freeze(network.encoder, FROZEN)
    checkpoint = recipe.out.with_name(recipe.out.name + CHECKPOINT_SUFFIX)
    epochs = judge_epochs(recipe.schedule, sources, MiniLMReader(), watch.stage)
    fit(network, epochs, recipe.schedule, checkpoint, watch.step, judging_loss)
    if recipe.start is not None and recipe.share < 1:
        average(network, judge_network(recipe.schedule.seed, _start(recipe)), recipe.share)
    watch.stage("Calibrating")
    held = [claim for life in sources.held for claim in claims_of(life)]
    warmth = temperature(logits_of(network, held), held)
    export(network, recipe.out, {"goalmem.temperature": str(warmth)}, ("verdict",))
    checkpoint.unlink(missing_ok=True)
    watch.stage("Measuring")
    return {"lives held out": judged_well(MiniLMJudge(recipe.out), held)}


def _start(recipe: JudgeRecipe) -> dict[str, Tensor]:
    if recipe.start is not None:
        return exported_weights(recipe.start)
    with bundled("reader") as reader:
        return {name: weights for name, weights in exported_weights(reader).items() if name.startswith(PREFIX)}


def average(network: JudgeNetwork, other: JudgeNetwork, share: float) -> None:
    """Set a network's weights to their mean with another's, in which its own count `share`."""
    others = other.state_dict()
    with torch.no_grad():
        for name, weights in network.state_dict().items():
            if weights.is_floating_point():
                weights.lerp_(others[name], 1 - share)


def read_sources(recipe: JudgeRecipe) -> Sources:
    """The data of a run. Raises NotFoundError or FormatError."""
    documents = [document for corpus in TRAINING for document in read_corpus(recipe.data, corpus)]
    kept, _ = held_out([*documents, *read_qamr(recipe.data)], ONE_IN)
    lives = read_lives(recipe.lab / "lives")
    notes, noted = read_notes(recipe.lab / "notes")
    trained = [life for life in lives if not is_held_out(life)]
    plain = recipe.lab / "plain"
    held = [life for life in lives if is_held_out(life)]
    chats = plain / "chats.jsonl"
    chatted = [*stated_in_chats(chats), *literal_claims(chats, recipe.schedule.seed)]
    return Sources(kept, trained, held, notes, noted, taught_cases(plain), chatted)


def judge_epochs(
    schedule: Schedule, sources: Sources, reader: SpanReader, tell: Callable[[str], None]
) -> Callable[[int], list[ClaimItem]]:
    """The items of each epoch: questions of the corpora in the first cycle, conversations and statements from then on."""
    tokenizer = bundled_tokenizer()

    def read(documents: Sequence[Document], seed: int, stage: str) -> list[Claim]:
        made = examples(documents, Lookalikes(documents), seed, JUDGE_MIXES, JUDGE_TURNS)
        return read_claims(made, reader, seed, lambda done, total: tell(f"{stage}: {done:,} of {total:,} windows read"))

    def of(epoch: int) -> list[ClaimItem]:
        seed = schedule.seed * 101 + epoch
        if epoch < schedule.cycles[0]:
            return claim_items(tokenizer, read(sources.corpora, seed, "Corpora"))
        stated = stated_claims(sources.lives, sources.noted, seed)
        again = [d for d in sources.corpora if d.dialogue][epoch % 2 :: round(1 / REHEARSED)]
        reread = read([*sources.notes, *again], seed, "Notes")
        offered = offered_claims(
            sources.lives, seed, lambda done, total: tell(f"Conversations: {done} of {total} remembered and asked")
        )
        plain = plain_claims(sources.plain, lambda done, total: tell(f"Plain cases: {done:,} of {total:,} asked"))
        return claim_items(tokenizer, [*stated, *reread, *offered, *plain, *sources.chatted])

    return of


def logits_of(network: JudgeNetwork, claims: Sequence[Claim]) -> NDArray[np.float64]:
    """What the network says of claims, in float: shape (claims, 3)."""
    items = claim_items(bundled_tokenizer(), claims)
    with torch.inference_mode():
        rows = [network(**inputs_of([item]))[0].numpy() for item in items]
    return np.array(rows, dtype=np.float64).reshape(len(items), len(CLASSES))
