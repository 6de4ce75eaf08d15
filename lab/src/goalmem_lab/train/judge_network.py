"""How a judge's network is begun, and what it learns from: claims as windows, and its loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional
from transformers import BertModel

from goalmem.models.encoder_file import PairWindow, pair_windows
from goalmem.models.minilm_judge import excerpt_text, statement_text
from goalmem_lab.train.fit import Schedule, inputs_of
from goalmem_lab.train.lives import Claim, Label
from goalmem_lab.train.network import JudgeNetwork, pretrained_encoder, set_weights

CLASSES = (Label.ENTAILED, Label.CONTRADICTED, Label.NOT_SAID)
"""In the order of the network's outputs."""


def judge_network(seed: int, start: dict[str, Tensor]) -> JudgeNetwork:
    """The published encoder and a head drawn from `seed`, with what `start` has of them in their place."""
    network = JudgeNetwork(pretrained_encoder(seed))
    set_weights(network, start)
    return network


def freeze(encoder: BertModel, layers: int) -> None:
    """Keep the embeddings and the lowest layers of an encoder as they are."""
    for module in (encoder.embeddings, *encoder.encoder.layer[:layers]):
        module.requires_grad_(False)


@dataclass(frozen=True, slots=True)
class ClaimItem:
    """A claim as the network reads it."""

    window: PairWindow
    label: Label


def claim_items(tokenizer: Tokenizer, claims: Sequence[Claim]) -> list[ClaimItem]:
    """The claims as windows; of a long excerpt the first alone."""
    pairs = [(statement_text(claim.statement), excerpt_text(claim.excerpt)) for claim in claims]
    windows = pair_windows(tokenizer, pairs, most=1)
    return [ClaimItem(own[0], claim.label) for claim, own in zip(claims, windows, strict=True)]


def judging_loss(network: JudgeNetwork, batch: Sequence[ClaimItem], schedule: Schedule) -> Tensor:
    """Cross-entropy; of what is contradicted or not said, but not known which, the two together."""
    with torch.autocast("cpu", torch.bfloat16, enabled=schedule.half):
        logits = network(**inputs_of(batch))
    logs = functional.log_softmax(logits.float(), dim=1)
    open_ = torch.tensor([item.label is Label.UNSUPPORTED for item in batch])
    known = torch.tensor([0 if item.label is Label.UNSUPPORTED else CLASSES.index(item.label) for item in batch])
    losses = torch.where(open_, -logs[:, 1:].logsumexp(1), -logs.gather(1, known[:, None])[:, 0])
    return losses.mean()
