"""What calls of a chat model cost: tokens, and money where prices are known."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Estimate", "Prices", "estimate", "tokens_in"]

_BYTES_PER_TOKEN = 4
"""Of English text, about, with any tokenizer in use. Bytes rather than characters: one of another script costs more."""
_MESSAGE_TOKENS = 8
"""What the markup of a chat adds to a call's two messages, about (four tokens each in the templates in use)."""
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """Money for a million tokens, in any one currency."""

    prompt: float
    completion: float

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """What so many tokens cost."""
        return (self.prompt * prompt_tokens + self.completion * completion_tokens) / _MILLION


@dataclass(frozen=True, slots=True)
class Estimate:
    """What calls may cost, before any is made: at most so many calls and, about, so many tokens."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    money: float | None
    """None when no price is set."""

    @property
    def tokens(self) -> int:
        """Of prompts and replies together."""
        return self.prompt_tokens + self.completion_tokens


def tokens_in(text: str) -> int:
    """About how many tokens a text is, without its model's tokenizer; for English within a third or so."""
    return math.ceil(len(text.encode(errors="replace")) / _BYTES_PER_TOKEN)


def estimate(calls: Iterable[tuple[str, int]], prices: Prices | None = None) -> Estimate:
    """What calls may cost at most, each given as its prompt and the longest reply that it allows, in tokens."""
    made = [(tokens_in(prompt) + _MESSAGE_TOKENS, longest) for prompt, longest in calls]
    asked, answered = sum(prompt for prompt, _ in made), sum(longest for _, longest in made)
    return Estimate(len(made), asked, answered, prices.of(asked, answered) if prices else None)
