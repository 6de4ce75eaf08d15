"""What a comparison says of the other side: if Ana is older than Tom, Tom is younger than Ana, and not older.

Each comparison gives further clauses: the converse with the antonym, and denials of what it excludes (converseness of comparatives:
Lyons 1977, section 9.2; `as tall as` and `not as tall as`: Huddleston and Pullum 2002, chapter 13, section 4.5).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from goalmem.language.annotations import Clause, Part, TurnReading
from goalmem.language.clauses import is_asked, subject_of
from goalmem.language.phrases import part
from goalmem.language.words.degrees import AMOUNTING, ANTONYMS, ANTONYMS_OF_BEINGS
from goalmem.language.words.verbs import LIKING_OR_FANCYING
from goalmem.records import Modality

if TYPE_CHECKING:
    from spacy.tokens import Token

COMPARATIVE = frozenset({"JJR", "RBR"})
"""Penn tags."""
MORE, LESS = frozenset({"more"}), frozenset({"less", "fewer"})
EXACT = frozenset({"just", "exactly", "equally", "about", "also"})
"""What may stand before `as tall as`, by which the two are still alike."""
INDEFINITE = frozenset("a an any no most other every".split())
"""Before a noun that names nothing in particular: `as busy as a bee`."""
OWN = frozenset("acomp advmod dobj attr npadvmod amod oprd".split())
"""Dependencies of a comparative on the verb."""
OTHERWISE = frozenset("well soon long far much many little few good".split())
"""Words with which `as … as` is something else: `as well as`, `as soon as`, `as good as new`."""
BEINGS = ("person", "animal")
SIDES = ("subject", "object")


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is compared with what, and on which scale."""

    role: str
    """The role of the side that the other one stands against."""
    other: Part
    degree: Part
    """The phrase with the comparative."""
    word: str
    """The adjective or adverb in its base form; `more` or `less` alone for an amount."""
    mark: str
    """`more` or `less` before the word, `as` of an equal degree, or empty."""
    at: int
    """The place of the comparative."""
    measured: bool
    """True if it is said by how much, or a degree is left open."""


def compared_sides(reading: TurnReading) -> None:
    """Settle who or what a comparison is with: Ana's train, of `my train leaves earlier than Ana's`, and planes, of `trains to planes`."""
    for clause in reading.clauses:
        if clause.head is None:
            continue
        if clause.predicate == "prefer":
            _separate(reading, clause)
        elif (found := _comparison(reading, clause)) is not None:
            kept = [p for p in clause.parts if p.role not in ("than", "as")]
            told = any(p.token is not None and p.token.i == found.at for p in kept)
            if any(t.lower_ == "no" for t in reading.doc[found.at].lefts):  # `no older than Max`
                clause.polarity = False
            clause.parts = [*kept, *([] if told else [found.degree]), found.other.as_(_than(found.mark))]


def comparisons(reading: TurnReading) -> None:
    """Add what follows from the comparisons that are stated in a turn."""
    for clause in list(reading.clauses):
        if clause.head is None or clause.modality is not Modality.ASSERTED or clause.light or clause.past_habit:
            continue
        if is_asked(clause.head):
            continue
        if clause.predicate == "prefer":
            reading.clauses += _preferences(clause)
        elif (found := _comparison(reading, clause)) is not None:
            reading.clauses += _equals(clause, found) if found.mark == "as" else _converses(clause, found)
            if clause.polarity and clause.predicate in LIKING_OR_FANCYING and found.role == "object":
                reading.clauses += _preferred(clause, found)


def _comparison(reading: TurnReading, clause: Clause) -> Comparison | None:
    """The comparison of a clause; None if it has none, or one with a number, or with what was thought."""
    for word in clause.verb.children:
        if word.pos_ not in ("ADJ", "ADV") or word.dep_ not in OWN or (than := _linked(word)) is None:
            continue
        mark, other = _mark(word, than.lower_), _other(reading, than)
        if mark is None or other is None or not (role := _contrasted(clause, other, word)):
            continue
        own = next((p for p in clause.parts if p.token is not None and p.token.i == word.i), None)
        degree = own or Part("manner", word.text, word.idx, word.idx + len(word), _lemma(word), word)
        other = _owned_alike(clause.part(role), other)
        return Comparison(role, other, degree, _lemma(word), mark, word.i, _is_measured(word, than.lower_))
    return None


def _lemma(word: Token) -> str:
    return word.lower_ if word.lower_ in MORE | LESS else word.lemma_.lower()


def _linked(word: Token) -> Token | None:
    """The `than` or `as` behind a comparative, also of `taller than I am`."""
    for token in word.rights:
        if token.dep_ == "prep" and token.lower_ in ("than", "as"):
            return token
        if token.dep_ in ("advcl", "ccomp"):
            return next((t for t in token.lefts if t.dep_ == "mark" and t.lower_ in ("than", "as")), None)
    return None


def _than(mark: str) -> str:
    return "as" if mark == "as" else "than"


def _mark(word: Token, role: str) -> str | None:
    """`more` or `less` before an adjective, `as` of an equal degree, empty for `older`; None for no comparison."""
    before = next((t.lower_ for t in word.lefts if t.lower_ in ("as", "so", *MORE, *LESS)), "")
    if role == "as":
        alike = before in ("as", "so") and word.tag_ not in COMPARATIVE and word.lower_ not in OTHERWISE
        return "as" if alike else None
    if before in MORE | LESS:
        return before
    return "" if word.tag_ in COMPARATIVE or word.lower_ in MORE | LESS else None


def _other(reading: TurnReading, than: Token) -> Part | None:
    """Who or what something is compared with; None for a number, a time, or what was expected."""
    token = than.head if than.dep_ == "mark" else next((t for t in than.children if t.dep_ == "pobj"), None)
    if token is None:
        return None
    if than.dep_ == "mark":
        subject = subject_of(token)
        alone = all(t.dep_ in ("mark", "nsubj", "punct") for t in token.children)
        if subject is None or not alone or token.lemma_ not in ("be", "do", "have", "can", "will"):
            return None
        return part(reading, subject, than.lower_)
    against = part(reading, token, than.lower_)
    named = token.pos_ in ("PROPN", "PRON", "NOUN") or token.tag_ == "VBG"
    some = token.pos_ == "NOUN" and any(t.lower_ in INDEFINITE for t in token.lefts)
    measure = against.type in ("time", "quantity") or any(t.dep_ == "nummod" for t in token.lefts)
    return against if named and not some and not measure and len(against.conjuncts) < 2 else None


def _contrasted(clause: Clause, other: Part, word: Token) -> str:
    """The role of the side that the other one is compared with; empty where it may be either."""
    subject, obj = (clause.part(role) for role in SIDES)
    if subject is None or clause.passive:
        return ""
    if obj is None or (obj.token is not None and obj.token.i == word.i):
        amount = word.lower_ in MORE | LESS and clause.predicate != "be"
        alike = subject.type == other.type or bool(subject.entity and other.entity)
        return "" if amount and not (alike and clause.predicate.split()[0] in AMOUNTING) else "subject"
    beings = [p.type in BEINGS for p in (subject, obj, other)]
    if beings[1] == beings[2] and beings[0] != beings[1]:
        return "object"
    return "subject" if beings[0] == beings[2] and beings[0] != beings[1] else ""


def _owned_alike(side: Part | None, other: Part) -> Part:
    """Ana's train, of `my train leaves earlier than Ana's`."""
    genitive = other.token is not None and any(t.tag_ == "POS" for t in other.token.rights)
    if not genitive or other.resolved == "owner" or side is None or side.token is None:
        return other
    owner = other.entity.removesuffix("'s") or other.text.removesuffix("'s")
    noun = side.head
    text = f"{owner}'s {noun}"
    return replace(other, text="", start=-1, end=-1, head=noun, entity=text, type=side.type, resolved="owner")


def _is_measured(word: Token, role: str) -> bool:
    """True for `two years older`, `almost as tall`, `not much older`."""
    words = {t.lower_ for t in word.lefts if t.lower_ not in ("as", "so", *MORE, *LESS) and t.dep_ != "neg"}
    deeper = {t.lower_ for left in word.lefts for t in left.lefts}
    return bool((words | deeper) - (EXACT if role == "as" else frozenset()))


# -- what follows -----------------------------------------------------------------------------------------------------


def _converses(clause: Clause, found: Comparison) -> Iterator[Clause]:
    """Of `Ana is older than Tom`: Tom is younger than Ana, not older and not as old, and Ana is not younger than Tom."""
    if not clause.polarity:
        if not found.measured:
            for word, mark in _opposites(clause, found):
                yield _turned(clause, found, word, mark, polarity=False)
        return
    for word, mark in _opposites(clause, found):
        if clause.predicate not in LIKING_OR_FANCYING:  # who likes coffee less than tea may not prefer either
            yield _turned(clause, found, word, mark, polarity=True)
        yield _derived(clause, found, word, mark, polarity=False)
    yield _turned(clause, found, found.word, found.mark, polarity=False)
    if found.mark != "less" and found.word not in MORE | LESS:
        yield _turned(clause, found, found.word, "as", polarity=False)


def _equals(clause: Clause, found: Comparison) -> Iterator[Clause]:
    """Of `Leo is as tall as Max`: so is Max, and neither is taller; of `not as tall as`: Max is taller."""
    if found.measured:
        return
    if clause.polarity:
        yield _turned(clause, found, found.word, "as", polarity=True)
    more = _comparative(found.word)
    yield _turned(clause, found, found.word, more, polarity=not clause.polarity)
    yield _derived(clause, found, found.word, more, polarity=False)
    for word, mark in _opposites(clause, replace(found, mark=more)):
        yield _turned(clause, found, word, mark, polarity=False)
        yield _derived(clause, found, word, mark, polarity=not clause.polarity)


def _preferred(clause: Clause, found: Comparison) -> Iterator[Clause]:
    """Of `I like tea more than coffee`: I prefer tea to coffee, and not coffee to tea."""
    one, subject = clause.part("object"), clause.part("subject")
    if found.word in ("more", "good", "well") and not found.mark and one is not None and subject is not None:
        for polarity in (True, False):
            liked, other = (one, found.other) if polarity else (found.other, one)
            yield _built(clause, "prefer", [subject, liked.as_("object"), other.as_("to")], polarity=polarity)


def _preferences(clause: Clause) -> Iterator[Clause]:
    """Of `I prefer trains to planes`: not planes to trains."""
    liked, other = clause.part("object"), clause.part("to")
    if liked is not None and other is not None and clause.polarity and other.start > liked.start:
        rest = [p for p in clause.parts if p.role not in ("object", "to")]
        yield _built(clause, "prefer", [*rest, other.as_("object"), liked.as_("to")], polarity=False)


def _separate(reading: TurnReading, clause: Clause) -> None:
    """Make two participants of `trains to planes`, and of `walking to driving`."""
    liked = clause.part("object") or clause.part("complement")
    to = next((t for t in liked.token.rights if t.lower_ == "to"), None) if liked and liked.token is not None else None
    if liked is None or liked.token is None or to is None or to.dep_ not in ("prep", "dative"):
        return
    token = next((t for t in to.children if t.dep_ in ("pobj", "pcomp")), None)
    if token is None or (liked.role == "complement" and not liked.token.tag_ == token.tag_ == "VBG"):
        return
    other = part(reading, token, "to")
    words = liked.text[: max(0, to.idx - liked.start)].rstrip()
    theirs = {other.head, *other.modifiers}
    alone = tuple(m for m in liked.modifiers if m not in theirs)
    one = replace(liked.as_("object"), text=words, end=liked.start + len(words), modifiers=alone)
    kept = [p for p in clause.parts if p.role not in ("object", "complement", "to")]
    clause.parts = [*kept, one, other]
    for inner in reading.clauses_in(token.sent):  # nobody walks to driving
        if inner.verb.i == liked.token.i:
            inner.parts = [p for p in inner.parts if p.token is None or p.token.i != token.i]


def _opposites(clause: Clause, found: Comparison) -> Iterator[tuple[str, str]]:
    """The words of the other end of the scale with their marks: `young` of `older`, `less` before `interesting`."""
    side = clause.part(found.role)
    being = side is not None and side.type in BEINGS
    if found.mark == "less":
        yield found.word, _comparative(found.word)
        return
    antonyms = (ANTONYMS_OF_BEINGS if being else ANTONYMS).get(found.word, ())
    yield from ((word, _comparative(word)) for word in antonyms)
    if not antonyms or found.mark == "more":
        yield found.word, "less"


def _comparative(word: str) -> str:
    """`more` before a word without a comparative of its own."""
    from goalmem.language.inflection import getInflection

    short = word in MORE | LESS or any(" " not in form for form in getInflection(word, "JJR") if form != word)
    return "" if short else "more"


def _turned(clause: Clause, found: Comparison, word: str, mark: str, *, polarity: bool) -> Clause:
    """The statement of the other side about this one."""
    side = clause.part(found.role)
    assert side is not None
    return _stated(clause, found, (found.other, side), word, mark, polarity=polarity)


def _derived(clause: Clause, found: Comparison, word: str, mark: str, *, polarity: bool) -> Clause:
    """The statement of this side about the other one, with another word."""
    side = clause.part(found.role)
    assert side is not None
    return _stated(clause, found, (side, found.other), word, mark, polarity=polarity)


def _stated(
    clause: Clause, found: Comparison, sides: tuple[Part, Part], word: str, mark: str, *, polarity: bool
) -> Clause:
    one, other = sides
    than = _than(mark)
    degree = found.degree
    text = _worded(word, mark)
    marks = tuple(m for m in (mark,) if m)
    degree = replace(
        degree, text="", start=-1, end=-1, token=None, head=word, entity=text, modifiers=marks, conjuncts=()
    )
    kept = [p for p in clause.parts if p.role not in (found.role, "than", "as") and p.token is not found.degree.token]
    first = [one.as_(found.role)] if found.role == "subject" else []
    second = [] if first else [one.as_(found.role)]
    return _built(clause, clause.predicate, [*first, *kept, *second, degree, other.as_(than)], polarity=polarity)


def _worded(word: str, mark: str) -> str:
    """`younger`, `less interesting`."""
    from goalmem.language.inflection import getInflection

    if mark or word in MORE | LESS:
        return f"{mark} {word}".strip()
    forms = [f for f in getInflection(word, "JJR") if " " not in f]
    return forms[0] if forms else word


def _built(clause: Clause, predicate: str, parts: list[Part], *, polarity: bool) -> Clause:
    spans = [(p.start, p.end) for p in clause.parts if p.start >= 0]
    spans.append((clause.verb.idx, clause.verb.idx + len(clause.verb)))
    return Clause(
        None,
        predicate,
        kind=clause.kind if polarity else "clause",
        parts=parts,
        tense=clause.tense,
        polarity=polarity,
        modality=clause.modality,
        meant=clause.meant,
        when=clause.when,
        when_text=clause.when_text,
        start=min(s for s, _ in spans),
        end=max(e for _, e in spans),
    )
