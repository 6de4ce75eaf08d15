"""Capitals for text written without any, so that the parser sees names. Every character keeps its place."""

from __future__ import annotations

import re
from collections.abc import Iterable

from goalmem.language import lexicon
from goalmem.language.words.function_words import ORDINARY
from goalmem.language.words.nouns import ANIMATE

__all__ = ["truecase"]

_WORD = re.compile(r"(?<![\w'@#/.])[a-z][a-z']*")
_NAMED_NOUN = re.compile(r"\b(?:my|our|his|her|their) ([a-z]+) ([a-z]+)\b|\b(?:named|called) ([a-z]+)\b")
_CAPITAL = re.compile(r"[A-Z]")


def truecase(text: str, names: Iterable[str]) -> str:
    """The text with `i`, the given names, known places and `my sister ines` capitalized, when it has no capitals at all."""
    if _CAPITAL.search(text):
        return re.sub(r"(?<![\w'])i(?=$|[\s,]|'[mdlv])", "I", text)
    known = {
        word for name in names for word in name.lower().split() if len(word) > 1 and not lexicon.is_known(word, "v")
    }
    called = {m.start(g) for m in _NAMED_NOUN.finditer(text) for g in (2, 3) if m.group(g) and _is_name(m, g)}

    def capital(m: re.Match[str]) -> str:
        word = m.group()
        bare = word.split("'")[0]
        name = bare == "i" or bare in known or m.start() in called or (len(bare) > 2 and lexicon.is_named(bare))
        return word[0].upper() + word[1:] if name else word

    return _WORD.sub(capital, text)


def _is_name(m: re.Match[str], group: int) -> bool:
    """After a word for a being, or "named", a word that no dictionary has is a name."""
    if group == 2 and lexicon.coarse_type(m.group(1)) not in ANIMATE:
        return False
    word = m.group(group)
    ordinary = any(lexicon.is_known(word, pos) for pos in "nva") or word in ORDINARY
    return group == 3 or not (ordinary or _is_inflected(word))


def _is_inflected(word: str) -> bool:
    """`drives`, `retired`: a form of a word that the dictionary has."""
    from lemminflect import getAllLemmas

    return bool(getAllLemmas(word))
