"""Coordinated clauses that do not repeat their verb: `Tom teaches maths and Ana physics`, `in Rome in May and in Oslo in June`.

Parsers give the words of such a clause to the one before it. They are found by their parallel phrases (gapping and the
coordination of clusters: Huddleston and Pullum 2002, chapter 15, sections 4.2 and 4.6), and marked in the tree: the first
phrase depends on the verb and the others on the first, each with the relation of the phrase that it is parallel to behind
`GAP`, or with `ORPHAN` where no clause can be made of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from goalmem.language.lexicon import can_be, is_known
from goalmem.language.phrase_segments import (
    STARTING,
    Phrase,
    Segment,
    is_first_name,
    is_person,
    is_time,
    kind_of,
    may_be_person,
    segments,
)
from goalmem.language.times_words import ORDINALS
from goalmem.language.words.pronouns import NOMINATIVE

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

__all__ = ["GAP", "ORPHAN", "mark_gaps"]

ORPHAN = "orphan"
"""What is left of a clause whose verb is not repeated, and belongs to none of the words that are."""
GAP = "gap "
"""Before the relation that a phrase has to the verb that is not repeated."""
PHRASES = 4
"""Phrases of a clause without a verb: with more, the parallel is chance."""
TO_ROOT = 40
"""Levels of a tree (`pipeline.DEPTH`)."""
SUBJECT_FORMS = frozenset(word.lower() for word in NOMINATIVE.values())
RANKS = frozenset((*(word for word, n in ORDINALS.items() if n > 0), "last"))
"""Places in a row."""
ROLES = ("dobj", "attr", "acomp", "oprd")


def mark_gaps(doc: Doc) -> None:
    """Mark the clauses without a verb in the tree."""
    for sent in doc.sents:
        if _mark_ranks(sent):
            continue
        first: Segment | None = None
        for segment in segments(sent):
            if segment.verb is not None:
                first = segment
            elif first is None or not _mark(first, segment):
                # `I like tea, jam and Leo coffee`: what goes before may be coordinated in the ordinary way
                first = first if first is not None and len(segment.phrases) == 1 and not segment.other else None


def _mark_ranks(sent: Span) -> bool:
    """Mark the clauses of `Leo came first, Ida second and Max third`; False if there are none."""
    first = next((t for t in sent if t.lower_ in RANKS and t.dep_ in ("advmod", "npadvmod", "acomp", "attr")), None)
    if first is None or first.head.pos_ != "VERB" or first.i != first.head.i + 1:
        return False
    verb, at, found = first.head, first.i + 1, False
    while at < sent.end:
        between = [*takewhile(lambda t: t.text in (",", ";") or t.lower_ == "and", sent.doc[at : sent.end])]
        who, rank = (sent.doc[n] if n < sent.end else None for n in (at + len(between), at + len(between) + 1))
        if not between or who is None or rank is None or who.pos_ != "PROPN" or rank.lower_ not in RANKS:
            break
        for token in (*between, who):
            token.head = verb
        who.dep_, rank.dep_, rank.head = f"{GAP}nsubj", f"{GAP}advmod", who
        at, found = rank.i + 1, True
    for token in sent:
        if found and token.i >= at and verb.i < token.head.i < at:
            token.head = verb
    return found


# -- parallel phrases ------------------------------------------------------------------------------------------------


def _are_parallel(one: Phrase, other: Phrase) -> bool:
    """True if the second of two phrases can stand for the first in a clause of its own."""
    if is_time(one) != is_time(other):
        return False
    if is_time(one):
        return (one.prep is None) == (other.prep is None)
    if one.prep is not None or other.prep is not None:
        return one.prep is not None and other.prep is not None and one.prep.lower_ == other.prep.lower_
    if one.head.pos_ == "ADJ" or other.head.pos_ == "ADJ":
        return one.head.pos_ == other.head.pos_
    if one.is_counted or other.is_counted:
        return all(p.is_counted or p.head.pos_ in ("NUM", "PROPN") for p in (one, other))
    return one.is_determined == other.is_determined or (is_person(one) and is_person(other))


def _aligned(first: Sequence[Phrase], second: Sequence[Phrase]) -> list[Phrase]:
    """For each phrase of the second clause the one of the first that it is parallel to, in order; empty if one has none."""
    found: list[Phrase] = []
    rest = iter(first)
    for phrase in second:
        like = next((p for p in rest if _are_parallel(p, phrase)), None)
        if like is None:
            return []
        found.append(like)
    return found


def _mark(first: Segment, second: Segment) -> bool:
    """Mark a segment as a clause without a verb; False if it is none."""
    verb, told = first.verb, [p for p in first.phrases[first.after :] if p.words]
    if verb is None or second.other or not told or not second.phrases or len(second.phrases) > PHRASES:
        return False
    if any(not p.words for p in second.phrases) or any(t.i >= second.start and t.i < second.end for t in _above(verb)):
        return False
    subject = _subject(first, verb)
    for phrases, whose in _readings(second.phrases, told, subject):
        like = _aligned(told, phrases[1:] if whose else phrases)
        if like and (whose or _is_cluster(phrases, like)):
            whole = phrases[0].words[-1].tag_ != "POS" and _is_whole(verb, told, like)  # `and my wife's in June`
            _attach(verb, second, phrases, like, whose=whose, whole=whole)
            return True
    elided = _without_preposition(second.phrases, told)
    if elided:
        _attach(verb, second, second.phrases, elided, whose=False, whole=True)
    return bool(elided)


def _above(token: Token) -> Iterator[Token]:
    for level, above in enumerate(token.ancestors):
        if level == TO_ROOT:
            return
        yield above


def _subject(first: Segment, verb: Token) -> Phrase | None:
    """The phrase of the verb's subject."""
    nouns = {t.i for t in verb.lefts if t.dep_ in ("nsubj", "nsubjpass")}
    before = (p for p in first.phrases[: first.after] if p.words and p.prep is None)
    return next((p for p in before if p.head.i in nouns), None)


def _readings(phrases: list[Phrase], told: list[Phrase], subject: Phrase | None) -> Iterator[tuple[list[Phrase], bool]]:
    """The ways to divide the words into phrases, each with whether the first is a subject of its own."""
    if subject is not None and not told[0].prep:
        split = _split(phrases, told[0], subject)
        if split:
            yield split, True
    if len(phrases) > 1:
        own = subject is not None and _contrasts(phrases[0], subject, told)
        if own:
            yield phrases, True
        if not own or phrases[0].head.tag_ != "PRP":
            yield phrases, False


def _contrasts(phrase: Phrase, subject: Phrase, told: list[Phrase]) -> bool:
    """True if a phrase can be the subject of a clause that contrasts with the one before."""
    if phrase.prep is not None or phrase.head.i == subject.head.i:
        return False
    if phrase.head.tag_ == "PRP":
        return phrase.head.lower_ in SUBJECT_FORMS
    thing = told[0] if told[0].prep is None else None
    if may_be_person(subject):
        if not may_be_person(phrase):
            return False
        return thing is None or thing.is_counted or not is_person(thing) or thing.head.dep_ == "attr"
    alike = phrase.is_determined and subject.is_determined and not phrase.is_counted
    return alike and not is_person(phrase) and (thing is None or thing.is_determined is False or thing.is_counted)


def _split(phrases: list[Phrase], thing: Phrase, subject: Phrase) -> list[Phrase]:
    """`Ana physics`, `my sister chess`, `the dog Rex` as two phrases: who, and what; empty if they are one."""
    words = phrases[0].words
    if (
        len(phrases) != 1
        or phrases[0].prep is not None
        or thing.is_determined
        or len(words) < 2
        or words[0].tag_ == "CD"
    ):
        return []
    at = 2 if words[0].tag_ in STARTING else 1
    if len(words) <= at or any(t.tag_ == "POS" for t in words):
        return []
    who, what = Phrase(None, words[:at]), Phrase(None, words[at:])
    if not is_person(who) or not may_be_person(subject) or is_known(f"{who.head.lower_} {what.head.lower_}"):
        return _named(who, what, thing, subject)
    return [who, what] if _is_other_than_person(thing, what, who) else []


def _named(who: Phrase, what: Phrase, thing: Phrase, subject: Phrase) -> list[Phrase]:
    """`The cat is called Milo and the dog Rex`."""
    called = thing.head.dep_ == "oprd" and what.head.pos_ == thing.head.pos_ == "PROPN"
    return [who, what] if called and who.is_determined and subject.is_determined else []


def _is_other_than_person(thing: Phrase, what: Phrase, who: Phrase) -> bool:
    """True if neither of two things is a person or part of a name, and both are of one kind if they may be names."""
    name = what.head.pos_ == "PROPN" and what.head.text[:1].isupper()
    if name:
        return all(can_be(p.head.lower_, "language") for p in (thing, what))
    if is_person(thing) or (thing.head.pos_ == "PROPN" and not who.is_determined):
        return False
    kinds = {kind_of(thing.head), kind_of(what.head)} - {""}
    if "person" in kinds or not is_known(what.head.lemma_.lower()):
        return False
    return not who.is_determined or len(kinds) < 2


def _is_cluster(phrases: list[Phrase], like: list[Phrase]) -> bool:
    """True if phrases share the subject, and their coordination is one that the parser does not see."""
    if all(p.prep is None for p in phrases):
        return False
    return phrases[0].prep is not None or phrases[0].is_counted or any(is_time(p) for p in phrases) or len(like) > 2


def _without_preposition(phrases: list[Phrase], told: list[Phrase]) -> list[Phrase]:
    """`went to Rome in May and Oslo in June`: the phrases that these are parallel to, the first with its preposition."""
    if len(phrases) != 2 or len(told) < 2 or phrases[0].prep is not None or not is_time(phrases[1]):
        return []
    first, second = told[-2:]
    alike = kind_of(first.head) == kind_of(phrases[0].head) or first.is_determined == phrases[0].is_determined
    if first.prep is None or is_time(first) or not alike or not _are_parallel(second, phrases[1]):
        return []
    return [first, second] if not is_time(phrases[0]) and not is_person(phrases[0]) else []


def _is_whole(verb: Token, told: list[Phrase], like: list[Phrase]) -> bool:
    """True if a clause can be made of the phrases: nothing that the verb needs is missing.

    Not of `I sent my mum flowers and my dad a book`, where the receiver and what is sent stand side by side.
    """
    left_out = (
        verb.tag_ == "VBD" and verb.dep_ == "ROOT" and verb.i == verb.sent.start
    )  # "paid 12 for lunch and 8 for coffee"
    if not left_out and not any(t.dep_ in ("nsubj", "nsubjpass") for t in verb.lefts):
        return False
    words = told[0].words
    if told[0].prep is None and any(is_person(Phrase(None, words[:n])) for n in (1, 2) if len(words) > n):
        return False
    needed = [p for p in told if p.prep is None and not is_time(p)]
    return all(any(p is other for other in like) for p in needed)


# -- the tree ---------------------------------------------------------------------------------------------------------


def _attach(
    verb: Token, second: Segment, phrases: list[Phrase], like: list[Phrase], *, whose: bool, whole: bool
) -> None:
    """Reattach the words of a clause without a verb."""
    inside = range(second.start, second.end)
    labels = [_label(p, other) if whole else ORPHAN for p, other in zip(phrases[whose:], like, strict=True)]
    if whose:
        labels.insert(0, f"{GAP}nsubj" if whole else ORPHAN)
    top = phrases[0].top
    outside = [t for word in verb.doc[second.start : second.end] for t in word.children if t.i not in inside]
    above = next((t for t in _above(top) if t.i not in inside and t.pos_ in ("VERB", "AUX")), verb)
    for other in like:
        if other.top.head.i in inside:
            other.top.dep_ = "prep" if other.prep is not None else "dobj"
            other.top.head = verb
    top.head = verb
    for phrase, label in zip(phrases, labels, strict=True):
        if phrase.top.i != top.i:
            phrase.top.head = top
        phrase.top.dep_ = label
        _attach_inside(phrase)
    for token in outside:
        if token.head.i in inside:
            token.head = above


def _label(phrase: Phrase, like: Phrase) -> str:
    """The relation to the verb that is not repeated."""
    if phrase.prep is not None:
        return f"{GAP}prep"
    if like.prep is not None:
        return f"{GAP}{like.prep.lower_}"
    return f"{GAP}{like.head.dep_ if like.head.dep_ in ROLES else 'dobj'}"


def _attach_inside(phrase: Phrase) -> None:
    """The tree of a phrase, whose words may have been parsed as part of another."""
    head = phrase.head
    if phrase.prep is not None:
        head.head, head.dep_ = phrase.prep, "pobj"
    if head.pos_ in ("VERB", "AUX"):
        head.pos_, head.tag_ = "NOUN", "NN"
        head.lemma_ = head.lower_
    outside = {t.i for t in phrase.words}
    for word in phrase.words:
        if word.i != head.i and word.head.i not in outside:
            word.head = head
    for word in phrase.words:
        if word.i != head.i and word.head.i == head.i and word.dep_ in ("conj", "appos", "nsubj", "dobj", "attr"):
            word.dep_ = "compound"
    first = phrase.words[0]
    if head.ent_type_ in ("DATE", "TIME"):
        return
    if len(phrase.words) == 1 and is_first_name(first):
        first.ent_type_ = "PERSON"
    elif head.pos_ == "NOUN" or (head.ent_type_ == "PERSON" and is_known(head.lower_)):
        for word in phrase.words:
            word.ent_type_ = ""
