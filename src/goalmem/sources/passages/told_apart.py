"""Sentences about another thing of the kind that a question asks about: the sister's birthday, the former boss, the dress size."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from goalmem.language.lexicon import is_a, is_known
from goalmem.language.terms import terms_of
from goalmem.language.words.modifiers import PLAIN
from goalmem.language.words.pronouns import FIRST_PERSON, POSSESSIVES
from goalmem.sources.qualifiers import exclude

LIKE = 0.5
"""Cosine from which two modifiers may mean the same: `mobile` and `phone`, not `shoe` and `dress`."""
LONGEST = 3
"""Words of a noun phrase behind its determiner."""
LONGEST_SENTENCE = 4000
"""Characters of a sentence that is compared."""
OPENING = re.compile(
    r"(?<![\w'’-])(?=(my|our|his|her|their|the|an?|(?!wh|how)[\w-]++['’]s)\s++((?:[\w-]++\s++){0,2}[\w-]++))",
    re.IGNORECASE,
)
"""A determiner or possessor, with the words behind it, of which the first few make a noun phrase."""
WORD = re.compile(r"[\w-]+(?:['’]s\b)?")
FORMER = frozenset({"old", "former", "previous", "ex", "late"})
OLD = frozenset({"old"})
"""Of an animal, a relative or a friend it is no former one."""


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A noun with whose it is and what it is told apart by, in lower case."""

    head: str
    owner: str
    """`my`, another possessive pronoun, or the noun or name of the owner; empty if none is said."""
    modifiers: tuple[str, ...] = ()


def is_about_another(
    question: str, sentence: str, turn: str, asker: str, likeness: Callable[[str, str], float]
) -> bool:
    """True if every mention in a sentence of a noun that is asked about is of another thing of that name, by its owner or modifiers.

    The sentence stands in `turn`, which the asker wrote. `likeness` is the cosine of two words.
    """
    if len(sentence) > LONGEST_SENTENCE:
        return False
    for asked in phrases_asked(question):
        if asked.owner == asker.casefold():
            asked = replace(asked, owner="my")
        told = list(mentions(asked.head, sentence))
        if told and all(_differs(asked, one, turn, likeness) for one in told):
            return True
    return False


def phrases_asked(question: str) -> Iterator[NounPhrase]:
    """The noun phrases that a question may ask about, each by every noun that may be its head."""
    for opening in OPENING.finditer(question):
        owner = _owner(opening[1])
        words = opening[2].casefold().split()[:LONGEST]
        for count, word in enumerate(words, 1):
            if any(map(_is_no_modifier, words[:count])):
                break
            if is_known(word):
                yield NounPhrase(word, owner, tuple(words[: count - 1]))


def mentions(head: str, sentence: str) -> Iterator[NounPhrase]:
    """Each mention of a noun in a sentence, with the words around it that tell it apart."""
    words = [w.casefold().replace("’", "'") for w in WORD.findall(sentence)]
    for place, word in enumerate(words):
        bare = word.removesuffix("'s")
        former = bare.startswith("ex-")
        if bare.removeprefix("ex-") not in (head, f"{head}s", f"{head}es"):
            continue
        modifiers = ["ex"] if former else []
        owner = ""
        for before in reversed(words[max(0, place - LONGEST) : place]):
            if before in POSSESSIVES or before.endswith("'s"):
                owner = _owner(before)
                break
            if _is_no_modifier(before):
                break
            modifiers.insert(0, before)
        behind = words[place + 1 : place + 4]
        if not owner and len(behind) > 2 and behind[0] in ("of", "for") and behind[1] in POSSESSIVES:
            owner = behind[2] if behind[2] != "own" else _owner(behind[1])
        yield NounPhrase(head, owner, tuple(modifiers))


def _is_no_modifier(word: str) -> bool:
    """True for a word that neither a noun nor an adjective may be: a verb alone, or a function word."""
    return not terms_of(word) or (is_known(word, "v") and not is_known(word) and not is_known(word, "a"))


def _owner(word: str) -> str:
    low = word.casefold().replace("’", "'")
    if low in ("the", "a", "an"):
        return ""
    return "my" if low in FIRST_PERSON else low.removesuffix("'s")


def _differs(asked: NounPhrase, told: NounPhrase, turn: str, likeness: Callable[[str, str], float]) -> bool:
    former = FORMER.intersection(told.modifiers).difference(asked.modifiers)
    if former and not (former <= OLD and any(is_a(asked.head, kind) for kind in ("animal", "relative", "friend"))):
        return True
    if asked.owner and told.owner and asked.owner != told.owner and "my" in (asked.owner, told.owner):
        return True  # Two nouns or names may mean the same person, and `his` anybody but the asker.
    own = [m for m in asked.modifiers if m not in PLAIN]
    others = [m for m in told.modifiers if m not in PLAIN]
    if not own or not others or any(re.search(rf"\b{re.escape(m)}\b", turn, re.IGNORECASE) for m in own):
        return False
    return all(exclude(m, o) or _are_unlike(m, o, likeness) for m in own for o in others)


def _are_unlike(one: str, other: str, likeness: Callable[[str, str], float]) -> bool:
    return one != other and likeness(one, other) < LIKE and not is_a(one, other) and not is_a(other, one)
