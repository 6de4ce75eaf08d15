"""Nouns with their adjectives: which words of `big red light bulbs` say what, and which are the noun."""

from __future__ import annotations

from goalmem.language.lexicon import is_known
from goalmem.language.words.modifiers import PRIVATIVE_OF_RULES
from goalmem.rules import english
from goalmem.rules.grammar.text import UnreadableError
from goalmem.rules.grammar.tree import Kind, Noun
from goalmem.rules.grammar.words import Words
from goalmem.rules.morphology import is_adverb, singular

__all__ = ["described"]


def described(sentence: Words, start: int, end: int, kind: Kind, *, plural: bool = False) -> Noun:
    """The noun and its adjectives: `big red birds` is whatever is big, red and a bird."""
    words = _with_degrees([w for w in sentence.low[start:end] if w not in (",", "and", "or")])
    if not words:
        raise UnreadableError(f"no noun follows {sentence.low[start - 1]!r}" if start else "it has no noun")
    how = "or" if "or" in sentence.low[start:end] else "and"
    if how == "or" and "and" in sentence.low[start:end]:
        raise UnreadableError("it mixes 'and' with 'or'")
    last = words[-1]
    if last in english.GENERIC_NOUNS:
        return Noun(kind, type=english.GENERIC_NOUNS[last], plural=plural, adjectives=tuple(words[:-1]), how=how)
    noun = 1
    while noun < len(words) and not _is_adjective(sentence, words, len(words) - noun - 1, noun):
        noun += 1
    text = " ".join(words[len(words) - noun :])
    if plural or sentence.looks_plural(last):
        text = singular(text)
    return Noun(kind, text, plural=plural, adjectives=tuple(words[: len(words) - noun]), how=how)


def _is_adjective(sentence: Words, words: list[str], at: int, noun: int) -> bool:
    """True when the word is an adjective of the `noun` words behind it and no part of a compound (`light bulb`)."""
    word = words[at].rpartition(" ")[2]
    if word in PRIVATIVE_OF_RULES:
        return False
    if is_known(" ".join(words[at : at + 1 + noun]), "n"):
        return False
    return word in sentence.evidence.adjectives or is_known(word, "a")


def _with_degrees(words: list[str]) -> list[str]:
    """`very nice` is one adjective."""
    found: list[str] = []
    for word in words:
        degree = found and (found[-1] in english.DEGREES or is_adverb(found[-1].rpartition(" ")[2]))
        if degree:
            found[-1] = f"{found[-1]} {word}"
        else:
            found.append(word)
    return found
