"""Tokens counted with the bundled tokenizer, where no counter of the model in use is given."""

from __future__ import annotations

from functools import cache

from goalmem.models.minilm import bundled_tokenizer

__all__ = ["count_tokens"]

BYTES_A_TOKEN = 8
"""No text is counted as fewer tokens than that: word pieces skip blanks, which chat models' tokenizers count."""


def count_tokens(text: str) -> int:
    """How many tokens a text is to a chat model, rather too many than too few.

    Word pieces (of 30,522) are shorter than the tokens of today's chat models; line breaks are added, and what the word
    pieces do not know counts as its UTF-8 bytes, as in a byte-level tokenizer.
    """
    sound = text.encode("utf-8", "replace").decode()
    if not sound:
        return 0
    encoding = _tokenizer().encode(sound, add_special_tokens=False)
    unknown = [at for at, piece in zip(encoding.offsets, encoding.tokens, strict=True) if piece == "[UNK]"]
    pieces = len(encoding.tokens) - len(unknown) + sum(len(sound[a:b].encode()) for a, b in unknown)
    return max(pieces + sound.count("\n"), -(-len(sound.encode()) // BYTES_A_TOKEN))


_tokenizer = cache(bundled_tokenizer)
