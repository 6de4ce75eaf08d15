"""The phrases of a sentence as they stand side by side, whatever the parser attaches them to, and what they may be.

`gapping` compares them: the tree of a clause without a verb is mostly wrong, but the tags of its words are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from goalmem.language.lexicon import coarse_type, is_a, is_known, is_named, may_be_given_name

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

INSIDE = ("NN", "JJ", "CD", "POS", "$", "DT", "PDT", "PRP$")
"""First letters of the tags of words inside a noun phrase."""
STARTING = ("DT", "PRP$", "PDT")
"""Tags of words that start one."""


@dataclass(slots=True)
class Phrase:
    """A noun phrase or adjective with its preposition."""

    prep: Token | None
    words: list[Token]

    @property
    def head(self) -> Token:
        """The last noun or number; the genitive's noun in `Tom's`."""
        return next((t for t in reversed(self.words) if t.tag_ != "POS"), self.words[-1])

    @property
    def top(self) -> Token:
        """The preposition, or else the head."""
        return self.prep if self.prep is not None else self.head

    @property
    def is_determined(self) -> bool:
        """True with a determiner, a possessor or a number."""
        return self.words[0].tag_ in STARTING or self.words[0].tag_ == "CD" or any(t.tag_ == "POS" for t in self.words)

    @property
    def is_counted(self) -> bool:
        """True if it starts with a number."""
        return self.words[0].tag_ == "CD"


@dataclass(slots=True)
class Segment:
    """The phrases between two marks of coordination."""

    start: int
    phrases: list[Phrase] = field(default_factory=list)
    verb: Token | None = None
    after: int = 0
    """The number of phrases before the verb."""
    other: bool = False
    """True if behind its verb, or without one, there are words of another kind."""
    end: int = 0


def segments(sent: Span) -> Iterator[Segment]:
    """The segments of a sentence, in order."""
    segment, fresh = Segment(sent.start), True
    for token in sent:
        if token.dep_ == "cc" or token.tag_ == "CC" or token.text in (",", ";"):
            if segment.end:
                yield segment
                segment = Segment(token.i + 1)
            segment.start, fresh = token.i + 1, True
            continue
        if token.is_space or token.text in ".!?…":
            fresh = True
            continue
        fresh = _add(segment, token, fresh=fresh)
        segment.end = token.i + 1
    if segment.end:
        yield segment


def _add(segment: Segment, token: Token, *, fresh: bool) -> bool:
    """Add a word to a segment; True if the next one starts a phrase."""
    if _is_verb(token, segment):
        segment.verb = token.head if token.dep_ in ("aux", "auxpass") else token
        segment.after, segment.other = len(segment.phrases), False
        return True
    if token.tag_ in ("IN", "TO") and token.dep_ not in ("mark", "aux"):
        segment.phrases.append(Phrase(token, []))
        return False
    if token.tag_ == "PRP":
        _begin(segment, token)
        return True
    if not _is_inside(token, segment):
        segment.other = True
        return True
    before = segment.phrases[-1].words if segment.phrases else []
    again = bool(before) and _starts(token, before[-1])
    if fresh or again:
        _begin(segment, token)
    else:
        segment.phrases[-1].words.append(token)
    return False


def _begin(segment: Segment, token: Token) -> None:
    """Start a phrase with a word, behind its preposition if one is waiting for it."""
    if segment.phrases and not segment.phrases[-1].words:
        segment.phrases[-1].words.append(token)
    else:
        segment.phrases.append(Phrase(None, [token]))


def _is_verb(token: Token, segment: Segment) -> bool:
    if token.pos_ not in ("VERB", "AUX") or token.dep_ in ("amod", "compound"):
        return False
    before = token.nbor(-1) if token.i > segment.start else None
    alone = before is not None and before.lower_ in ("he", "she") and token.tag_ in ("VBP", "VB")
    return not (alone and is_known(token.lower_, "n"))  # `and he coffee`


def _is_inside(token: Token, segment: Segment) -> bool:
    misread = token.pos_ in ("VERB", "AUX") and not _is_verb(token, segment)
    return misread or token.tag_.startswith(INSIDE) or (token.dep_ in ("amod", "compound") and token.pos_ == "VERB")


def _starts(token: Token, before: Token) -> bool:
    """True if a word starts another phrase than the word before it belongs to: `Ana | the steak`, `Leo | three`."""
    if token.tag_ in STARTING:
        return before.tag_ not in ("PDT", "POS") and before.lower_ not in ("all", "both", "half")
    nouns = before.tag_.startswith("NN")
    return (token.tag_ == "CD" and nouns) or (
        token.tag_.startswith("JJ") and before.tag_ in ("NNP", "NN") and _is_last(token)
    )


def _is_last(token: Token) -> bool:
    """True if no noun follows: the `short` of `Tom short`."""
    return token.i + 1 >= len(token.doc) or not token.nbor().tag_.startswith(("NN", "JJ", "CD"))


def kind_of(noun: Token) -> str:
    """What a noun or a name is, as coarsely as parallel phrases agree."""
    coarse = coarse_type(noun.lemma_.lower())
    if noun.ent_type_ in ("DATE", "TIME") or coarse == "time":
        return "time"
    return coarse or noun.ent_type_ or ("thing" if is_a(noun.lemma_, "artifact") else "")


def is_person(phrase: Phrase) -> bool:
    """True for a personal pronoun, a name of a person, and a determined noun for one."""
    head = phrase.head
    if head.tag_ == "PRP":
        return head.lower_ != "it"
    if any(t.tag_ == "POS" for t in phrase.words[-1:]):
        return False
    if head.pos_ == "PROPN" or head.text.istitle():
        return is_first_name(phrase.words[0]) or (head.ent_type_ == "PERSON" and not is_named(head.lower_))
    return coarse_type(head.lemma_.lower()) == "person" and phrase.is_determined


def is_first_name(word: Token) -> bool:
    """True for a given name, also for one that is a word as well."""
    return word.pos_ in ("PROPN", "NOUN") and may_be_given_name(word.text)


def may_be_person(phrase: Phrase) -> bool:
    """True for a name that is not known as anything else, where only a name of a person makes sense."""
    head = phrase.head
    unknown = head.pos_ == "PROPN" and not is_named(head.lower_) and head.ent_type_ not in ("DATE", "TIME", "NORP")
    return is_person(phrase) or (unknown and not phrase.is_determined and kind_of(head) != "place")


def is_time(phrase: Phrase) -> bool:
    """True if a phrase says when."""
    number = phrase.prep is None and phrase.head.pos_ == "NUM"  # `Tom is 30`
    return kind_of(phrase.head) == "time" and not number
