"""Answers that are no sentence: `Yes, in 2019!`, `A beagle!`. What they say is said by them and the question together.

The fact's participants that only the question names are implied (no span in this turn); the answer's own have spans.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from goalmem.language.annotations import Clause, Part, Reading
from goalmem.language.clauses import is_question
from goalmem.language.phrases import part
from goalmem.language.statement_text import described
from goalmem.language.times import scan
from goalmem.language.words.modifiers import NO, YES
from goalmem.language.words.verbs import MOTION
from goalmem.records import Modality

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

__all__ = ["answers"]

WH = frozenset({"WP", "WDT", "WRB", "WP$"})
AFTERTHOUGHT = 4
"""Words that may follow the question in its turn ("Any news? 😊 Tell me!") without hiding it."""
LEADING = 3
"""Sentences at the start of a turn among which the answer is looked for."""
POINTED = frozenset({Modality.ASSERTED, Modality.PLANNED})


def answers(reading: Reading) -> None:
    """Adds what an answer says together with the question that the other speaker's turn before it ends with."""
    before = reading.previous[-1] if reading.previous else None
    if before is None or before.turn.speaker == reading.turn.speaker:
        return
    asked = _question(before)
    if asked is None:
        return
    wh = _wh(before, asked)
    found = _fragment(reading, before, asked, wh) if wh is not None else _confirmation(reading, before, asked)
    if found is not None:
        reading.clauses.append(found)


def _question(before: Reading) -> Clause | None:
    """The clause that the turn's last question asks."""
    sents = [s for s in before.doc.sents if any(t.is_alpha for t in s)]
    after = 0
    for sent in reversed(sents):
        if is_question(sent):
            clauses = [
                c for c in before.clauses if c.head is not None and c.head.sent == sent and c.kind != "possession"
            ]
            top = next((c for c in clauses if c.matrix is None), None)
            while top is not None and top.light:
                top = next((c for c in clauses if c.matrix is top and c.link == "xcomp"), None)
            return top
        after += sum(t.is_alpha for t in sent)
        if after > AFTERTHOUGHT:
            return None
    return None


def _wh(before: Reading, asked: Clause) -> Token | None:
    head = asked.verb
    return next((t for t in head.sent if t.tag_ in WH and t.i < head.i and t.dep_ != "mark"), None)


def _taken(before: Reading, asked: Clause, *, but: Part | None = None) -> list[Part]:
    """The question's participants, as this turn implies them."""
    kept = [p for p in asked.parts if p is not but and not (p.token is not None and p.token.tag_ in WH)]
    return [replace(p.implied(), entity=p.entity or _plain(described(before, p)), resolved=p.resolved) for p in kept]


def _plain(text: str) -> str:
    """`any pets` that was asked about is `pets` when it is confirmed."""
    return text.removeprefix("any ")


def _build(
    reading: Reading, before: Reading, asked: Clause, own: list[Part], implied: list[Part], span: tuple[int, int]
) -> Clause:
    when, when_text = asked.when, asked.when_text
    for p in own:
        if p.role == "time":
            future = asked.meant is Modality.PLANNED
            found = [e.resolve(reading.turn.at, future) for e in scan(p.text)]
            when, when_text = (found[0] if found else None), p.text
    return Clause(
        None,
        asked.predicate,
        parts=[*implied, *own],
        passive=asked.passive,
        tense=asked.tense,
        past_habit=asked.past_habit,
        polarity=asked.polarity,
        modality=asked.meant,
        meant=asked.meant,
        when=when,
        when_text=when_text,
        start=span[0],
        end=span[1],
        participle=asked.head.lower_ if asked.head is not None else "",
    )


# --- yes and no -------------------------------------------------------------------------------------------------------


def _confirmation(reading: Reading, before: Reading, asked: Clause) -> Clause | None:
    subject = asked.part("subject") or asked.part("object")
    if asked.meant not in POINTED or subject is None or not subject.entity:
        return None
    sent = next(reading.doc.sents)
    word, agrees = _verdict(sent)
    if word is None:
        return None
    own = [p for p in _own_parts(reading, sent) if p.token is None or p.token.i > word.i]
    end = max([word.idx + len(word), *(p.end for p in own)])
    clause = _build(reading, before, asked, own, _taken(before, asked), (word.idx, end))
    clause.polarity = agrees
    return clause


def _verdict(sent: Span) -> tuple[Token | None, bool]:
    """The word that says yes or no, and which."""
    words = [t for t in sent if t.is_alpha or t.lower_ == "n't"]
    if not words:
        return None, True
    first = words[0]
    if first.lower_ in NO:
        return first, False
    if first.lower_ in YES or (first.lower_ == "of" and len(words) > 1 and words[1].lower_ == "course"):
        denied = any(t.dep_ == "neg" for t in words[1:4])
        return (None, True) if denied else (first, True)
    short = len(words) <= 3 and first.tag_ == "PRP" and words[1:] and words[1].pos_ == "AUX"
    return (first, not any(t.lower_ in ("not", "n't") for t in words)) if short else (None, True)


def _own_parts(reading: Reading, sent: Span) -> Iterator[Part]:
    """Times and prepositional phrases of a sentence without a verb of its own."""
    if any(c.head is not None and c.head.sent == sent for c in reading.clauses):
        return
    covered: list[tuple[int, int]] = []
    for expression, root in reading.times:
        if root.sent == sent:
            covered.append((expression.start, expression.end))
            yield Part(
                "time", expression.text, expression.start, expression.end, root.lemma_.lower(), root, type="time"
            )
    for prep in sent:
        if prep.dep_ in ("prep", "ROOT") and prep.pos_ == "ADP":
            for target in prep.children:
                if target.dep_ == "pobj" and not any(s <= target.idx < e for s, e in covered):
                    yield part(reading, target, prep.lower_)


# --- who, what, where, when -------------------------------------------------------------------------------------------


def _fragment(reading: Reading, before: Reading, asked: Clause, wh: Token) -> Clause | None:
    if asked.meant not in POINTED:
        return None
    for sent in list(reading.doc.sents)[:LEADING]:
        if is_question(sent) or any(c.head is not None and c.head.sent == sent for c in reading.clauses):
            return None
        found = _filled(reading, before, asked, wh, sent)
        if found is not None:
            return found
    return None


def _filled(reading: Reading, before: Reading, asked: Clause, wh: Token, sent: Span) -> Clause | None:
    """The question with what the sentence offers in the place of its question word."""
    gap = next((p for p in asked.parts if p.token is not None and (p.token.i == wh.i or wh in p.token.subtree)), None)
    offered = list(_own_parts(reading, sent))
    word = wh.lower_
    if word == "when":
        own = [p for p in offered if p.role == "time"]
    elif word == "where":
        own = [p for p in offered if p.role != "time"] or [
            p.as_(_place_role(asked)) for p in _nominal(reading, sent, gap, ("place", ""))
        ]
    elif word == "how":
        own = _measure(reading, sent, gap, offered, wh)
    elif gap is not None:
        fits = ("person", "animal", "organization") if word in ("who", "whom") else None
        own = [replace(p, modifiers=(*p.modifiers, *_asked_kind(gap, wh))) for p in _nominal(reading, sent, gap, fits)]
    else:
        own = []
    if not own:
        return None
    span = min(p.start for p in own), max(p.end for p in own)
    return _build(reading, before, asked, own, _taken(before, asked, but=gap), span)


def _asked_kind(gap: Part, wh: Token) -> tuple[str, ...]:
    """The noun of "what breed", kept with the answer."""
    return (gap.head,) if gap.token is not None and gap.token.i != wh.i else ()


def _place_role(asked: Clause) -> str:
    return "to" if asked.predicate.split(" ")[0] in MOTION else "in"


def _nominal(reading: Reading, sent: Span, gap: Part | None, types: tuple[str, ...] | None) -> list[Part]:
    """The noun phrase that the sentence is."""
    root = sent.root
    if root.pos_ not in ("NOUN", "PROPN", "NUM") or root.lower_ in YES or _exclaimed(root):
        return []
    found = part(reading, root, gap.role if gap is not None else "object")
    return [found] if types is None or found.type in types or (root.pos_ == "PROPN" and "" not in types) else []


def _exclaimed(root: Token) -> bool:
    """`Great idea!`, `Thanks!`: a noun alone or with praise, without any determiner, is a remark and no answer."""
    determined = any(t.dep_ in ("det", "poss", "nummod", "compound") for t in root.lefts)
    return (
        not determined
        and root.pos_ == "NOUN"
        and (root.tag_ == "NN" or any(t.pos_ == "ADJ" for t in root.lefts) or root.lemma_ == "thank")
    )


def _measure(reading: Reading, sent: Span, gap: Part | None, offered: list[Part], wh: Token) -> list[Part]:
    """`how many`, `how long`, `how old`: a number, with the noun that was asked for when it stands alone."""
    number = next((t for t in sent if t.pos_ == "NUM"), None)
    if number is None or number.idx in [p.start for p in offered if p.role == "time"]:
        return []
    target = number.head if number.dep_ == "nummod" else number
    role = gap.role if gap is not None and gap.role != "manner" else "for"
    found = part(reading, target, role)
    if target is number and gap is not None:
        found = replace(found, head=gap.head, modifiers=(number.lemma_.lower(),), type=gap.type)
    return [found]
