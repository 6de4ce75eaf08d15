"""Which of several words a chat model replies with, and how sure it is: from the probabilities of its first token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from goalmem.models.chat import ChatModel, ChatRequest

__all__ = ["Chosen", "chosen"]

ALTERNATIVES = 20
"""Candidates of the first token: the most that OpenAI gives."""
LONGEST = 4
"""Tokens of a reply that is one word, where an endpoint gives no probabilities."""
LEAST_SHARE = 0.5
"""Of the first token that all choices must make up together; below it, the model is about to say something else."""
AROUND = " \t\r\n\"'`*[]().:"
"""What models put around a word."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a model chose."""

    shares: tuple[float, ...]
    """Of each choice; they sum to 1. Where nothing was measured, 1 for what was said."""
    measured: bool
    """Whether the shares are probabilities of the model, and not only what it said."""


def chosen(model: ChatModel, request: ChatRequest, choices: Sequence[Sequence[str]]) -> Chosen | None:
    """The model's choice, in a request that asks for one of some words. Each choice: the ways in which it may be spelled.

    None when it says none of them. Raises ChatError.
    """
    reply = model.reply(replace(request, schema=None, max_tokens=LONGEST, alternatives=ALTERNATIVES))
    if reply.first:
        shares = _shares(reply.first, choices)
        return Chosen(shares, True) if shares else None
    said = reply.text.strip(AROUND).casefold()
    place = next((n for n, words in enumerate(choices) if any(said.startswith(word) for word in words)), None)
    return None if place is None else Chosen(tuple(float(n == place) for n in range(len(choices))), False)


def _shares(first: Mapping[str, float], choices: Sequence[Sequence[str]]) -> tuple[float, ...] | None:
    """The softmax over the choices' log-probabilities; a token counts for the one choice of which it begins a word."""
    found = [0.0] * len(choices)
    for token, probability in first.items():
        begun = token.strip(AROUND).casefold()
        meant = [n for n, words in enumerate(choices) if begun and any(word.startswith(begun) for word in words)]
        if len(meant) == 1:
            found[meant[0]] += probability
    total = sum(found)
    return tuple(share / total for share in found) if total >= LEAST_SHARE else None
