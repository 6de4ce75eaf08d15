"""Causal language models that learn to write reflection tokens: from a checkpoint, whole or by LoRA, or small ones from scratch."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from goalmem.errors import InputError, ModelError
from goalmem.graph.tuned_model import TunedModel, lacking_tokens, open_checkpoint, placed
from goalmem.graph.tuned_text import SPECIAL, pieces

PAD, BEGIN, END = "<pad>", "<s>", "</s>"
LONGEST = 2_048
"""Tokens that a network from scratch may read."""


class Size(StrEnum):
    """Networks that are made from scratch."""

    TINY = "tiny"
    """Some 600,000 weights."""
    SMALL = "small"
    """Some 5 million."""


SHAPES: dict[Size, dict[str, int]] = {
    Size.TINY: {"vocab_size": 2_000, "hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": 2},
    Size.SMALL: {"vocab_size": 4_000, "hidden_size": 256, "intermediate_size": 768, "num_hidden_layers": 4},
}
HEADS = 4


def from_checkpoint(folder: Path) -> TunedModel:
    """A model that lies in a folder, its vocabulary extended. Raises ModelError, and InputError where it cannot be read."""
    model, tokenizer = open_checkpoint(folder)
    if tokenizer.eos_token_id is None:
        raise InputError(
            f"The tokenizer in {folder} has no token for the end.", "Set its eos_token, and save it again."
        )
    extended(model, tokenizer)
    return TunedModel(placed(model), tokenizer)


def from_scratch(size: Size, texts: Iterable[str], seed: int) -> TunedModel:
    """A Llama with fresh weights and a byte-level vocabulary of its own, made of the texts."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    shape = SHAPES[size]
    tokenizer = _vocabulary(texts, shape["vocab_size"])
    torch.manual_seed(seed)
    config = LlamaConfig(
        **{**shape, "vocab_size": len(tokenizer)},
        num_attention_heads=HEADS,
        num_key_value_heads=HEADS,
        max_position_embeddings=LONGEST,
        tie_word_embeddings=True,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = LlamaForCausalLM(config)
    extended(model, tokenizer)
    return TunedModel(placed(model), tokenizer)


def extended(model: Any, tokenizer: Any) -> int:
    """Add the special tokens that a vocabulary lacks, their embeddings the mean of all others; how many these are."""
    import torch
    from tokenizers import AddedToken

    lacking = lacking_tokens(tokenizer)
    if not lacking:
        return 0
    # Some vocabularies are smaller than their embeddings, whose last rows are spare and must not count.
    known = min(len(tokenizer), model.get_input_embeddings().weight.shape[0])
    tokenizer.add_tokens([AddedToken(token, normalized=False, special=False) for token in lacking])
    ids = tokenizer.convert_tokens_to_ids(lacking)
    if len(tokenizer) > model.get_input_embeddings().weight.shape[0]:
        model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    with torch.no_grad():
        for layer in (model.get_input_embeddings(), model.get_output_embeddings()):
            if layer is not None:
                layer.weight[ids] = layer.weight[:known].mean(dim=0, keepdim=True)
    return len(lacking)


def adapted(model: Any, rank: int) -> Any:
    """The model with low-rank adapters in all its linear layers (LoRA, Hu et al. 2022); they and the embeddings are trained.

    What is given back merges them: `merge_and_unload()`. Raises ModelError where `peft` is missing.
    """
    if find_spec("peft") is None:
        raise ModelError(
            "LoRA needs the package 'peft', which is not installed.", 'Install it: pip install "goalmem-lab[train]".'
        )
    from peft import LoraConfig, TaskType, get_peft_model

    named = dict(model.named_modules())
    layers = (model.get_input_embeddings(), model.get_output_embeddings())
    tied = layers[0].weight is layers[1].weight
    whole = [name for name, module in named.items() if module is layers[0] or (module is layers[1] and not tied)]
    config = LoraConfig(
        task_type=TaskType.CAUSAL_LM,
        r=rank,
        lora_alpha=2 * rank,
        target_modules="all-linear",
        modules_to_save=[name.rsplit(".", 1)[-1] for name in whole],
        ensure_weight_tying=tied,
    )
    return get_peft_model(model, config)


def _vocabulary(texts: Iterable[str], size: int) -> Any:
    """Byte pairs (Sennrich et al. 2016) of the texts without their special tokens."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=[PAD, BEGIN, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator((p for text in texts for p in pieces(text) if p not in SPECIAL), trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token=PAD, bos_token=BEGIN, eos_token=END)
