"""Numbers in digits and in words."""

from __future__ import annotations

import re

__all__ = ["NUMBER_WORDS", "OF_NUMBER", "number_in"]

OF_NUMBER = "number of "
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
).split()
_TENS = "thirty forty fifty sixty seventy eighty ninety".split()
NUMBER_WORDS = (
    {word: n for n, word in enumerate(_SMALL)}
    | {word: 10 * n for n, word in enumerate(_TENS, 3)}
    | {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 1_000_000}
)
AMOUNT = re.compile(r"\d[\d,]*(?:\.\d+)?")
GROUPED = re.compile(r"\d{1,3}(?: \d{3})+(?!\d)")
"""Thousands parted by blanks: `186 000`."""
_WORD = "|".join(NUMBER_WORDS)
IN_WORDS = re.compile(rf"\b(?:{_WORD})(?:(?:[\s-]|\s+and\s+)(?:{_WORD}))*\b", re.IGNORECASE)


def number_in(text: str) -> float | None:
    """The first number in digits, else the first in words (`a hundred and ten`)."""
    if (digits := GROUPED.search(text) or AMOUNT.search(text)) is not None:
        return float(digits.group().replace(",", "").replace(" ", ""))
    found = IN_WORDS.search(text)
    return float(_said(found.group())) if found is not None else None


def _said(words: str) -> int:
    whole = part = 0
    for word in re.findall(r"[a-z]+", words.casefold()):
        n = NUMBER_WORDS.get(word)
        if n is None:
            continue
        if n in (12, 100) and word in ("dozen", "hundred"):
            part = max(1, part) * n
        elif n >= 1000:
            whole, part = whole + max(1, part) * n, 0
        else:
            part += n
    return whole + part
