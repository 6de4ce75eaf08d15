"""Text in a message that its author only passes on: texts to work on, examples, chats and mails of others, code, titles.

Its words may be about anybody: `I` in them is not the author, and nothing in them is asserted (mention, not use: Quine 1940, section 4;
Clark & Gerrig 1990, "Quotations as demonstrations").
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from goalmem.language import lexicon
from goalmem.language.annotations import TurnReading
from goalmem.language.words.changes import NO_LABELS
from goalmem.language.words.pronouns import FIRST_PERSON, FIRST_QUOTED, SECOND_PERSON
from goalmem.language.words.texts import (
    ASKED_OF_TEXT,
    ASKED_OF_THE_ABOVE,
    CHAT_LINE,
    CODE,
    FORWARDED,
    LABELLED_TEXT,
    PARTIES,
    PLAY,
)

if TYPE_CHECKING:
    import re

    from spacy.tokens import Token


def passed_on(reading: TurnReading) -> Iterator[tuple[int, int]]:
    """The character ranges of a message that its author only passes on."""
    text = reading.text
    yield from _after(text)
    yield from (m.span() for m in CODE.finditer(text))
    yield from _chat(reading)
    yield from _titles(reading)


def _after(text: str) -> Iterator[tuple[int, int]]:
    """The texts that words before or behind them call such."""
    for opening in (ASKED_OF_TEXT, PLAY, FORWARDED):
        found = opening.search(text)
        rest = text[found.end() :].lstrip() if found is not None else ""
        if found is not None and rest and rest[0] not in "\"'":  # a quotation ends by itself
            yield found.end(), len(text)
    above = ASKED_OF_THE_ABOVE.search(text)
    if above is not None:
        yield 0, above.start()
    for label in LABELLED_TEXT.finditer(text):
        paragraph = text.find("\n\n", label.end()) if not label["own"] else -1
        yield label.end(), paragraph if paragraph >= 0 else len(text)


# --- chats ------------------------------------------------------------------------------------------------------------


def _chat(reading: TurnReading) -> Iterator[tuple[int, int]]:
    """What the lines of a pasted chat say, but for the author's own."""
    text, author = reading.text, reading.turn.author.casefold()
    heads = [m for m in CHAT_LINE.finditer(text) if _names_party(reading, m)]
    bodies = [(m.end(), _end(text, m, after)) for m, after in pairwise([*heads, None]) if m is not None]
    told = {word for start, end in bodies for word in text[start:end].casefold().replace("’", "'").split()}
    who = {m["who"].casefold() for m in heads}
    spoken = not (FIRST_QUOTED | FIRST_PERSON | SECOND_PERSON | {"im", "ive"}).isdisjoint(w.strip(".,!?") for w in told)
    if (
        any(map(_is_marked, heads))
        or (spoken and who - {"me", author})
        or (len(who) > 1 and not who.isdisjoint(PARTIES))
    ):
        yield from (body for m, body in zip(heads, bodies, strict=True) if m["who"].casefold() != author)


def _end(text: str, head: re.Match[str], after: re.Match[str] | None) -> int:
    """Where the words of a line, and those under it, end: at the next line of the chat or an empty one."""
    next_one = after.start() if after is not None else len(text)
    empty = text.find("\n\n", head.end(), next_one)
    return empty if empty >= 0 else next_one


def _is_marked(head: re.Match[str]) -> bool:
    """True if a line has the marks of a program for chats."""
    return any(head[mark] for mark in ("stamp", "stamp2", "stamp3", "nick"))


def _names_party(reading: TurnReading, head: re.Match[str]) -> bool:
    """True if a label names somebody: a participant, a role in a talk, or a word that may be a name."""
    if head["open"].startswith("<") != bool(head["nick"]) or (head["open"] and not _is_marked(head)):
        return False  # `@karl: I'm late` is told to him
    who, first = head["who"].casefold(), head["who"].casefold().split()[0]
    if who in PARTIES or any(who == s.casefold() for s in reading.speakers):
        return True
    if first in NO_LABELS:
        return False
    kind = lexicon.coarse_type(who) or lexicon.coarse_type(first)
    if kind == "person" or (not kind and lexicon.is_given_name(first)):
        return True
    return _is_marked(head) and not any(lexicon.is_known(first, pos) for pos in "nva")


# --- titles without marks -------------------------------------------------------------------------------------------


SMALL = 4
"""Letters of the articles, prepositions and conjunctions that a title may have in lower case (Chicago Manual of Style, 8.159)."""
OPENING = frozenset(":;\"'(–—-*•")


def _titles(reading: TurnReading) -> Iterator[tuple[int, int]]:
    """The runs of capitalized words with a verb: `I watched I Am Legend`."""
    for sentence in reading.doc.sents:
        words = [t for t in sentence if not t.is_space]
        if not any(_is_capital_verb(t) for t in words[1:]):
            continue
        for run in _runs(words):
            plain = sum(map(_is_plain, words)) > sum(map(_is_plain, run))  # not where all is written so
            if plain and any(map(_is_capital_verb, run[1:])) and sum(map(_is_capital, run)) > 2:
                yield run[0].idx, run[-1].idx + len(run[-1])


def _runs(words: list[Token]) -> Iterator[list[Token]]:
    """The longest runs of capitalized words, with small ones between them."""
    run: list[Token] = []
    for token in words:
        if _is_capital(token) or (run and _is_small(token)):
            run.append(token)
        else:
            yield from _cut(run)
            run = []
    yield from _cut(run)


def _cut(run: list[Token]) -> Iterator[list[Token]]:
    """A run without the small words at its end."""
    while run and not _is_capital(run[-1]):
        run = run[:-1]
    if len(run) > 2:
        yield run


def _is_small(token: Token) -> bool:
    """True for a short word that is no verb, and for what is written together with the word before."""
    return token.text[0] in "'’" or (token.is_alpha and len(token) <= SMALL and token.pos_ not in ("VERB", "AUX"))


def _is_plain(token: Token) -> bool:
    """True for a longer word in lower case."""
    return token.is_alpha and token.is_lower and len(token) >= SMALL


def _is_capital(token: Token) -> bool:
    """True for `Am` and `I`, and false for `NASA`."""
    return token.is_alpha and token.text[0].isupper() and (len(token) == 1 or not token.is_upper)


def _is_capital_verb(token: Token) -> bool:
    """True for a verb with a capital that is not due to its place."""
    if not _is_capital(token) or token.tag_[:2] not in ("VB", "MD") or token.is_sent_start:
        return False
    return token.i > 0 and token.nbor(-1).text[-1] not in OPENING
