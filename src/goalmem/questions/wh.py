"""The question phrase: its question word, the noun or adverb that belongs to it, and the kind of answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from goalmem.language.words.attributes import DIMENSIONS
from goalmem.language.words.modifiers import DISTINCT
from goalmem.language.words.nouns import KINDS_ASKED, TIME_NOUNS
from goalmem.language.words.verbs import NAMING_FORMS
from goalmem.questions.verbs import is_auxiliary

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


SUBJECTS = frozenset({"PROPN", "PRON", "NOUN", "AUX"})
"""Words before a verb of naming: the person who names, or "has"."""
NAMED = frozenset({"DET", "PRON", "PROPN", "NOUN"})
"""Words after it: the start of what is named."""
CLOCK_TIME = "clock time"
"""The type of what `what time` asks for: an hour of the day, not a date."""
EITHER = "either "
"""Prefix of the type of a choice between two things."""
WEEKDAY = "weekday"
"""The type of what `what day of the week` asks for."""
LONGEST_TAIL = 15
"""Words between an asked noun and its verb; if there are more, the verb was missed."""
UNITS = {"day": "days", "week": "weeks", "month": "months", "year": "years", "hour": "hours", "minute": "minutes"}


class AnswerKind(StrEnum):
    """The kind of answer that a question asks for."""

    VALUE = "value"
    TIME = "time"
    CLOCK = "clock time"
    PLACE = "place"
    REASON = "reason"
    MANNER = "manner"
    NUMBER = "number"
    COUNT = "count"
    DURATION = "duration"
    AGO = "ago"
    WHETHER = "whether"


@dataclass(frozen=True, slots=True)
class WhPhrase:
    """The question phrase: tokens `start` to `end` (exclusive), its kind of answer, and a preposition before it."""

    start: int
    end: int
    asked: AnswerKind
    type: str
    preposition: Token | None = None
    whose: tuple[Token, ...] = ()
    unit: str = ""
    among: tuple[Token, ...] = ()
    """For `which of N`: the N."""
    tail: tuple[Token, ...] = ()
    """Words after the noun that belong to it: `of birds` in `how many species of birds have …`."""


MEASURED = {adjective: noun for noun, adjectives in DIMENSIONS.items() for adjective in adjectives if noun != "length"}
"""By adjective after `how`, the noun for what it measures; `how long` asks for a time as well."""


def inside_relative(wh: Token, doc: Doc) -> bool:
    """True if a wh-word introduces a relative or adverbial clause instead of asking."""
    if wh.i == 0 or (wh.i == 1 and is_preposition(doc[0])):
        return False
    clause = next((a for a in (wh, *wh.ancestors) if a.dep_ in ("relcl", "advcl", "ccomp", "acl", "pcomp")), None)
    return clause is not None or wh.i > 2


def wh_phrase(doc: Doc, wh: Token) -> WhPhrase:
    """The question phrase of a question word, with the noun or adverb that belongs to it."""
    before = doc[wh.i - 1] if wh.i else None
    preposition = before if before is not None and is_preposition(before) else None
    start, word = (wh.i - 1 if preposition is not None else wh.i), wh.lower_
    nxt = doc[wh.i + 1] if wh.i + 1 < len(doc) else None
    if (
        word == "how"
        and nxt is not None
        and (nxt.lower_ in ("many", "much", "long", "old", "often", "far", "big") or nxt.lower_ in MEASURED)
    ):
        return how_phrase(doc, nxt, start, preposition)
    simple = {
        "when": (AnswerKind.TIME, "time"),
        "where": (AnswerKind.PLACE, "place"),
        "why": (AnswerKind.REASON, "reason"),
        "how": (AnswerKind.MANNER, "manner"),
        "who": (AnswerKind.VALUE, "person"),
        "whom": (AnswerKind.VALUE, "person"),
    }
    if word in simple:
        return WhPhrase(start, wh.i + 1, *simple[word], preposition)
    noun = asked_noun(doc, wh)
    if noun is None:
        among = group_behind(doc, wh)
        if among:
            return WhPhrase(start, among[-1].i + 1, AnswerKind.VALUE, singular_head(among), preposition, among=among)
        return WhPhrase(start, wh.i + 1, AnswerKind.VALUE, "name" if asks_name(doc, wh) else "thing", preposition)
    end = noun.i + 1
    if word == "whose":
        return WhPhrase(start, end, AnswerKind.VALUE, "person", preposition, whose=tuple(doc[wh.i + 1 : end]))
    of = next((c for c in noun.children if c.lower_ == "of" and c.i == end), None)
    if noun.lower_ == "time" and nxt == noun and of is None:
        return WhPhrase(start, end, AnswerKind.CLOCK, CLOCK_TIME, preposition)
    if noun.lower_ == "day" and nxt == noun and of is not None and doc[of.i : of.i + 3].text.lower() == "of the week":
        return WhPhrase(start, of.i + 3, AnswerKind.CLOCK, WEEKDAY, preposition)
    if noun.lemma_.lower() in TIME_NOUNS and nxt is not None and nxt == noun:
        return WhPhrase(start, end, AnswerKind.TIME, "time", preposition, unit=noun.lemma_.lower())
    if noun.lemma_.lower() in KINDS_ASKED and of is not None:
        inner = next((c for c in of.children if c.dep_ == "pobj"), None)
        if inner is not None:
            return WhPhrase(
                start, inner.i + 1, AnswerKind.VALUE, words(doc[of.i + 1 : inner.i + 1], singular=True), preposition
            )
    type_, tail = with_tail(doc[wh.i + 1 : end], noun)
    return WhPhrase(start, end + len(tail), AnswerKind.VALUE, type_, preposition, tail=tail_behind(tail))


def asks_name(doc: Doc, wh: Token) -> bool:
    """True if the question asks for a name that was given: `What did Ann name her cat?`."""
    return wh.lower_ == "what" and any(
        token.lower_ in NAMING_FORMS
        and doc[token.i - 1].pos_ in SUBJECTS
        and doc[token.i - 1].tag_ not in ("PRP$", "POS")
        and doc[token.i + 1].pos_ in NAMED
        for token in doc[wh.i + 2 : -1]
    )


def with_tail(phrase: Iterable[Token], noun: Token) -> tuple[str, tuple[Token, ...]]:
    """The type in a question phrase, and the words up to its verb: `museum or gallery` for `museums or galleries`."""
    tail = behind_noun(noun)
    named = [t for t in phrase if t.lower_ not in DISTINCT]
    type_ = words(named, singular=True)
    if (other := alternative(tail)) is not None:
        type_ = f"{type_} or {words(tail[1 : tail.index(other) + 1], singular=True)}"
    return type_, tail


def tail_behind(tail: Sequence[Token]) -> tuple[Token, ...]:
    """A tail without the noun that the type already includes."""
    other = alternative(tail)
    return tuple(tail[tail.index(other) + 1 :]) if other is not None else tuple(tail)


def alternative(tail: Sequence[Token]) -> Token | None:
    """The noun of `or galleries`, if a tail begins like this."""
    if len(tail) < 2 or tail[0].lower_ not in ("or", "and"):
        return None
    return next((t for t in tail[1:] if t.pos_ in ("NOUN", "PROPN")), None)


def behind_noun(noun: Token) -> tuple[Token, ...]:
    """The words between an asked noun and the auxiliary of its question, if they begin with `of`, `or` or `and`."""
    behind = list(noun.doc[noun.i + 1 :])
    if not behind or behind[0].lower_ not in ("of", "or", "and"):
        return ()
    at = next((n for n, t in enumerate(behind) if t.pos_ in ("AUX", "VERB") and (is_auxiliary(t) or n > 1)), 0)
    return tuple(behind[:at]) if 1 < at <= LONGEST_TAIL and is_auxiliary(behind[at]) else ()


def how_phrase(doc: Doc, word: Token, start: int, preposition: Token | None) -> WhPhrase:
    """`how many N`, `how much`, `how long (ago)`, `how old` …."""
    follows = doc[word.i + 1] if word.i + 1 < len(doc) else None
    if word.lower_ in ("many", "much"):
        noun = asked_noun(doc, word)
        if noun is None:
            among = group_behind(doc, word) if word.lower_ == "many" else ()
            if among:
                return WhPhrase(
                    start, among[-1].i + 1, AnswerKind.COUNT, singular_head(among), preposition, among=among
                )
            return WhPhrase(start, word.i + 1, AnswerKind.NUMBER, "amount", preposition)
        lemma = noun.lemma_.lower()
        if word.lower_ == "much" and lemma == "money":
            return WhPhrase(start, noun.i + 1, AnswerKind.NUMBER, "amount", preposition)
        if word.lower_ == "much" and lemma == "time":
            return WhPhrase(start, noun.i + 1, AnswerKind.DURATION, "duration", preposition)
        if lemma == "time" and noun.i == word.i + 1:
            return WhPhrase(start, noun.i + 1, AnswerKind.COUNT, "time", preposition)
        if lemma in UNITS:
            ago = noun.i + 1 < len(doc) and doc[noun.i + 1].lower_ == "ago"
            asked = AnswerKind.AGO if ago else AnswerKind.DURATION
            return WhPhrase(start, noun.i + 1 + ago, asked, "duration", preposition, unit=UNITS[lemma])
        type_, tail = with_tail(doc[word.i + 1 : noun.i + 1], noun)
        end = noun.i + 1 + len(tail)
        return WhPhrase(start, end, AnswerKind.COUNT, type_, preposition, tail=tail_behind(tail))
    if word.lower_ == "long":
        ago = follows is not None and follows.lower_ == "ago"
        return WhPhrase(
            start, word.i + 1 + ago, AnswerKind.AGO if ago else AnswerKind.DURATION, "duration", preposition
        )
    names = {"old": "age", "often": "frequency", "far": "distance", "big": "size", **MEASURED}
    return WhPhrase(start, word.i + 1, AnswerKind.NUMBER, names[word.lower_], preposition)


def asked_noun(doc: Doc, word: Token) -> Token | None:
    """The noun that a determiner-like question word belongs to: the last of the adjacent nouns after it."""
    noun = None
    for token in doc[word.i + 1 :]:
        if begins_statement(token):
            break
        if token.pos_ in ("NOUN", "PROPN") or (token.pos_ == "ADJ" and noun is None and token.lemma_ != "much"):
            noun = token if token.pos_ != "ADJ" else noun
        elif (
            token.pos_ in ("ADJ", "ADV", "PUNCT", "PART")
            and noun is None
            and token.dep_ in ("amod", "compound", "advmod")
        ):
            continue
        else:
            break
        if token.head != word and token.dep_ in ("nsubj", "nsubjpass") and token.head.i < token.i:
            break
    return noun


def begins_statement(token: Token) -> bool:
    """True for a name that is the subject of the next words, or their owner: `(what) Ann bought`, `(what) Ann's job is`."""
    if token.pos_ != "PROPN" or token.i + 1 == len(token.doc):
        return False
    behind = token.nbor()
    finite = behind.tag_ in ("VBD", "VBZ", "VBP", "MD") and token.head.i > token.i
    return behind.tag_ == "POS" or (finite and token.dep_ in ("nsubj", "nsubjpass") and behind.lower_ != "did")


def group_behind(doc: Doc, word: Token) -> tuple[Token, ...]:
    """The N of `which of N`, up to its head noun; empty if there is none."""
    of = doc[word.i + 1] if word.i + 1 < len(doc) else None
    if of is None or of.lower_ != "of":
        return ()
    noun = next((c for c in of.children if c.dep_ == "pobj" and c.pos_ == "NOUN"), None)
    return tuple(doc[of.i + 1 : noun.i + 1]) if noun is not None else ()


def singular_head(phrase: Sequence[Token]) -> str:
    """The type of one of a group: its head noun with the words directly before it."""
    adjectives = [t for t in phrase[:-1] if t.head == phrase[-1] and t.dep_ in ("amod", "compound")]
    return words([*adjectives, phrase[-1]], singular=True)


def is_preposition(token: Token) -> bool:
    """True for a word that may precede a question word: `with whom`, `to which city`."""
    return token.pos_ in ("ADP", "SCONJ") or (token.lower_ == "to" and token.dep_ in ("prep", "dative"))


def words(tokens: Iterable[Token], *, singular: bool = False) -> str:
    """The tokens' text in lower case, without determiners; with a singular last word if wanted."""
    kept = [t for t in tokens if t.pos_ != "DET" and t.dep_ != "case"]
    texts = [t.text if t.pos_ == "PROPN" else t.lower_ for t in kept]
    if singular and kept:
        texts[-1] = kept[-1].lemma_.lower()
    return " ".join(texts) or "thing"
