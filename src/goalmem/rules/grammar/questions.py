"""Statements to decide and questions."""

from __future__ import annotations

import re

from goalmem.language.lexicon import is_known
from goalmem.logic.terms import Variable
from goalmem.rules import english
from goalmem.rules.grammar.sentence import read_sentence
from goalmem.rules.grammar.text import UnreadableError, sentences, words_of
from goalmem.rules.grammar.words import Evidence, Words
from goalmem.rules.terms import Literal

__all__ = ["read_question"]

_CHOICE = r"(?:true or false|true,? false,? or unknown|yes or no|right or wrong)"
_BEHIND = re.compile(rf"\s*[:,;.?]?\s*(?:is (?:this|that|it) )?\(?{_CHOICE}\)?\s*\??\s*$", re.IGNORECASE)
_BEFORE = re.compile(rf"^\s*{_CHOICE}\s*[:?,]\s*", re.IGNORECASE)
_ASKED = {"who": english.PERSON, "whom": english.PERSON, "what": english.THING}
_WHICH = ("which", "what")
_SOME = {**english.FREE_PRONOUNS, **english.GENERIC_PRONOUNS}
HOLE = "Xx"
"""Stands for what is asked for, as a name."""


def read_question(text: str) -> Literal | None:
    """The statement or question as a literal; None where it is none."""
    found = list(sentences(_BEFORE.sub("", _BEHIND.sub("", text))))
    if len(found) != 1:
        return None
    try:
        return _literal(words_of(found[0].text))
    except UnreadableError:
        return None


def _literal(words: list[str]) -> Literal | None:
    low = [w.lower() for w in words]
    if low[0] in _ASKED:
        return _asked(words, low, 1, _ASKED[low[0]])
    if low[0] in _WHICH and low[1:2] and low[1] in english.GENERIC_NOUNS:
        return _asked(words, low, 2, english.GENERIC_NOUNS[low[1]])
    if low[0] not in english.AUXILIARIES:
        head = _stated(words)
        return head if head is not None and head.ground else None
    if low[1:2] == ["not"]:  # `Isn't Bob kind?` is asked by who thinks that he is
        return None
    some = [k for k, w in enumerate(low) if w in _SOME]
    if some:  # whether there is anyone is who it is
        words = [*words[: some[0]], HOLE, *words[some[0] + 1 :]]
    head = _stated(_told(words))
    return _opened(head, _SOME[low[some[0]]]) if some else head


def _stated(words: list[str] | None) -> Literal | None:
    if words is None:
        return None
    said = read_sentence(words, Evidence())
    return said[0].head if len(said) == 1 and not said[0].body else None


def _opened(head: Literal | None, type_: str) -> Literal | None:
    """The literal with a variable where it has `HOLE`."""
    if head is None or HOLE not in head.terms:
        return None
    variable = Variable("x", type_)
    return Literal(head.predicate, tuple(variable if t == HOLE else t for t in head.terms), head.negated)


def _asked(words: list[str], low: list[str], start: int, type_: str) -> Literal | None:
    """`Who is kind?`, `What does the bear eat?`, `Who lives in Paris?`."""
    if start < len(low) and _object_asked(words, low, start):
        told = _told(words[start:])
        return _opened(_stated([*told, HOLE]), type_) if told else None
    return _opened(_stated([HOLE, *words[start:]]), type_)


def _object_asked(words: list[str], low: list[str], start: int) -> bool:
    """True for `does the bear eat` and `is Bob allergic to`, false for `is kind` and `can fly`."""
    if low[start] in english.DO:
        return low[start + 1 : start + 2] != ["not"]
    if low[start] in english.BE:
        return low[-1] == "to" or low[-1] in english.PREPOSITIONS
    return low[start] in english.MODALS and Words(words, Evidence(), opening=False).starts_noun(start + 1)


def _told(words: list[str]) -> list[str] | None:
    """A question as a statement: `Does the bear chase the lion` -> the bear does chase the lion."""
    auxiliary, rest = words[0].lower(), words[1:]
    if len(rest) <= 1:
        return None
    end = _subject_end(rest, auxiliary)
    return [*rest[:end], auxiliary, *rest[end:]]


def _subject_end(words: list[str], auxiliary: str) -> int:
    """Where the subject of a question ends: a name with its capital letters, else what leaves a word for what is asked."""
    asked = Words(words, Evidence(), opening=False)
    start = 1 if asked.low[0] in english.DETERMINERS else 0
    end = start
    if asked.capital(end) or asked.low[end] in english.PRONOUNS:
        end += 1
        while end < asked.size - 1 and asked.capital(end):
            end += 1
        return end
    while end < asked.size and not (asked.ended(end) or asked.continues(end) or asked.low[end] == "not"):
        end += 1
    be = auxiliary in english.BE or auxiliary in ("has", "have", "had")
    if be and end < asked.size and (asked.low[end] in (*english.ARTICLES, "not", "the") or end - start <= 1):
        return end
    if be and end < asked.size and not is_known(asked.low[end - 1], "a"):
        return end
    return max(1, end - 1)
