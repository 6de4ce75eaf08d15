"""The words of a text as the phrase index holds them: folded, without diacritics, in order.

Frozen: a turn's words must come out the same when it is forgotten as when it was stored, on any Python. So the
character classes are those of Unicode 3.2, which Python carries unchanged; a letter newer than that is a word by
itself. Characters of scripts written without spaces are words by themselves too, so that any run of them is a phrase.
Punctuation, symbols and emoji separate words.
"""

from __future__ import annotations

from hashlib import blake2b
from unicodedata import ucd_3_2_0

_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")
_DIACRITICS = range(0x300, 0x370)
"""The block of combining marks that Latin, Greek and Cyrillic letters carry."""
_VARIANTS = range(0xFE00, 0xFE10)
"""Variation selectors: how a character is drawn, not which it is."""
_SYMBOLS = (range(0x2000, 0x2C00), range(0x1F000, 0x20000))
"""Unicode ranges of symbols and emoji, including future ones."""
_LONGEST = 64
"""Characters. A longer word (a data URL, say) is held as a hash, which keeps the index small and matches exactly."""


class _Folding(dict[int, str]):
    """Code point -> its folding; filled on demand."""

    def __missing__(self, point: int) -> str:
        folded = self[point] = _fold(chr(point))
        return folded


def _fold(character: str) -> str:
    point = ord(character)
    if point in _DIACRITICS or point in _VARIANTS:
        return ""
    category = ucd_3_2_0.category(character)
    if category == "Cn":
        return " " if any(point in block for block in _SYMBOLS) else f" {character} "
    if category[0] not in "LNM":
        return " "
    if ucd_3_2_0.name(character, "").startswith(_UNSPACED):
        return f" {character} "
    folded = ucd_3_2_0.normalize("NFKD", ucd_3_2_0.normalize("NFKD", character).casefold())
    return "".join(c if ucd_3_2_0.category(c)[0] in "LNM" else " " for c in folded if ord(c) not in _DIACRITICS)


_folding = _Folding()


def words(text: str) -> list[str]:
    """The words of `text`, folded, in order."""
    return [w if len(w) <= _LONGEST else _digest(w) for w in text.translate(_folding).split()]


def _digest(word: str) -> str:
    return blake2b(word.encode(), digest_size=_LONGEST // 4).hexdigest()
