"""How sure a chat model is of a yes: read from the probabilities of its first token, not from what it says of itself."""

from __future__ import annotations

from goalmem.models.chat import ChatModel, ChatRequest
from goalmem.models.choice import chosen

__all__ = ["p_yes"]


def p_yes(model: ChatModel, request: ChatRequest) -> float | None:
    """Probability in [0, 1] that the model answers yes, rather than no, to a request that asks for one of the two.

    Where the endpoint gives no probabilities, 1 or 0 by what it says. None when it says neither. Raises ChatError.
    """
    found = chosen(model, request, (("yes",), ("no",)))
    return None if found is None else found.shares[0]
