"""How sure a chat model is of a yes: read from the probabilities of its first token, not from what it says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from goalmem.models.chat import ChatModel, ChatRequest

__all__ = ["p_yes"]

_ALTERNATIVES = 20
"""Candidates of the first token: the most that OpenAI gives."""
_LONGEST = 4
"""Tokens of a reply that is yes or no, where an endpoint gives no probabilities."""
_LEAST_SHARE = 0.5
"""Of the first token that yes and no must make up together; below it, the model is about to say something else."""


def p_yes(model: ChatModel, request: ChatRequest) -> float | None:
    """Probability in [0, 1] that the model answers yes, rather than no, to a request that asks for one of the two.

    Where the endpoint gives no probabilities, 1 or 0 by what it says. None when it says neither. Raises ChatError.
    """
    reply = model.reply(replace(request, schema=None, max_tokens=_LONGEST, alternatives=_ALTERNATIVES))
    if reply.first:
        return _share_of_yes(reply.first)
    said = reply.text.strip().casefold()
    return 1.0 if said.startswith("yes") else 0.0 if said.startswith("no") else None


def _share_of_yes(first: Mapping[str, float]) -> float | None:
    """Yes as a share of yes and no; a token counts for the word that it begins."""
    yes = no = 0.0
    for token, probability in first.items():
        begun = token.strip().casefold()
        if begun and "yes".startswith(begun):
            yes += probability
        elif begun and "no".startswith(begun):
            no += probability
    return yes / (yes + no) if yes + no >= _LEAST_SHARE else None
